/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * fields.h: the members of events by kind; only for this folder.
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
enum { ALLOT__OWN, ALLOT__ITEM, ALLOT__COMMON, ALLOT__FIELD_LISTS };

extern const allot__fields allot__event_fields[ALLOT__EVENTS];
/* One list of members; NULL: the kind lacks it. */
const allot_members *allot__fields_of(const allot__fields *fields, int list);
/* The struct that has the members of a list. */
static inline char *allot__field_base(allot__event *event, int list)
{
    return list == ALLOT__ITEM ? (char *)&event->id : (char *)event;
}

#endif
