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

struct allot__event_reader {
    allot_engine *engine;
    char *texts; /* of the event that was read last */
    size_t texts_room, texts_used;
    allot__pair *pairs;
    size_t pairs_room, pairs_used;
};

typedef struct allot__event_reading {
    allot__event_reader *reader;
    allot_json *json;
    const allot_plan *plan;
    allot__event *event;
    allot__error *fault;
    const allot__fields *fields;
    allot__speaker speaker;
    uint64_t seen[2]; /* of the common fields, and of the kind's */
    allot_json_event now;
} allot__event_reading;

/* A copy, for which there is room, until the next event is read. */
const char *allot__text_keep(allot__event_reader *reader, const char *text, size_t len);
/* Reads the value that comes, of a field; and refuses it, as `allowed` says. EINVALID, ERANGE,
 * ENOENT with a fault. */
int allot__value_read_member(allot__event_reading *it, const allot__event_field *field);
int allot__value_refuse(allot__event_reading *it, const char *path, const char *allowed);

#endif
