/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * values.h: an event's members while they are read; of the files of this folder alone.
 *
 * This file owns: struct allot__event_reader.
 */
#ifndef ALLOT_SERVICE_EVENTS_VALUES_H
#define ALLOT_SERVICE_EVENTS_VALUES_H

#include "service/events/fields.h"

/* An item of a list: none is larger. */
typedef union allot__list_item {
    const char *text;
    allot_job_host place;
    allot_job_resource amount;
    allot_task_slots part;
} allot__list_item;

struct allot__event_reader {
    allot_engine *engine;
    char *texts; /* of the event that was read last, as all here */
    size_t texts_room, texts_used;
    allot__list_item *items;
    size_t items_room, items_used;
    allot_task_value values[ALLOT_ATTRIBUTES_MAX];
};

typedef struct allot__event_reading {
    allot__event_reader *reader;
    allot_json *json;
    const allot_plan *plan;
    allot__event *event;
    allot__error *fault;
    const allot__fields *fields;
    allot__speaker speaker;
    uint32_t seen[ALLOT__FIELD_LISTS];
    allot_json_event now;
} allot__event_reading;

/* A copy, for which there is room, until the next event is read. */
const char *allot__text_keep(allot__event_reader *reader, const char *text, size_t len);
/* Reads the value that comes to the member of what stands at `to`; and refuses it, as `allowed`
 * says. EINVALID, ERANGE, ENOENT with a fault. */
int allot__value_take(allot__event_reading *it, const allot_member *member, char *to);
int allot__value_refuse(allot__event_reading *it, const char *path, const char *allowed);

#endif
