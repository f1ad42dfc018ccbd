/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * fields.h: the members of events by kind, and the reading of one; only for this folder, except
 * allot__name_find.
 *
 * This file owns: struct allot__event_reader.
 */
#ifndef ALLOT_SERVICE_EVENTS_FIELDS_H
#define ALLOT_SERVICE_EVENTS_FIELDS_H

#include "service/events/event.h"

/* A flag of a member that stands only in snapshot lines; clients may not give it. */
enum { ALLOT__MEMBER_KEPT = 1 << 16 };

typedef struct allot__fields {
    allot_members own;      /* in allot__event; each hides the item's of that name */
    allot_item item;        /* ALLOT_ITEMS: none */
    bool known;             /* the item may be known: no member is required */
    const char *const *but; /* the item's members that the kind lacks; NULL: none */
} allot__fields;

/* The lists of a kind's members. */
enum { ALLOT__COMMON, ALLOT__OWN, ALLOT__ITEM, ALLOT__FIELD_LISTS };

extern const allot__fields allot__event_fields[ALLOT__EVENTS];
/* One list of members; NULL: the kind lacks it. */
const allot_members *allot__fields_of(const allot__fields *fields, int list);
/* Whether a speaker may give a member of a list. */
bool allot__may_say(const allot__fields *fields, allot__speaker speaker, int list,
                    const allot_member *member);
/* The struct that has the members of a list. */
static inline char *allot__field_base(allot__event *event, int list)
{
    return list == ALLOT__ITEM ? (char *)&event->id : (char *)event;
}
/* The group of slots; NULL: the kind has none. */
int32_t *allot__event_group(allot__event *event);

/* An item of a list, large enough for any. */
typedef union allot__list_item {
    const char *text;
    allot_job_host place;
    allot_job_resource amount;
    allot_task_slots part;
} allot__list_item;

struct allot__event_reader {
    allot_engine *engine;
    char *texts; /* this and the rest: of the last event read */
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

/* A copy that lives until the next event is read; its capacity is reserved. */
const char *allot__text_keep(allot__event_reader *reader, const char *text, size_t len);
/* Reads the next value into the member at `to`; refuses a value, `allowed` stating what is allowed.
 * EINVALID, ERANGE, ENOENT with a fault. */
int allot__value_take(allot__event_reading *it, const allot_member *member, char *to);
int allot__value_refuse(allot__event_reading *it, const char *path, const char *allowed);

/* The number of the thing that a member names; ENOENT, EINVALID (not a leaf) with a fault. */
int allot__name_find(const allot_plan *plan, const allot_member *member, const char *name,
                     size_t len, int32_t *out, allot__error *fault);

#endif
