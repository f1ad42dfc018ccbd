/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* fields.h: what members events of each kind have; of the files of this folder alone. */
#ifndef ALLOT_SERVICE_EVENTS_FIELDS_H
#define ALLOT_SERVICE_EVENTS_FIELDS_H

#include "service/events/event.h"

/* A flag of members of events: it stands in lines of snapshots alone, no client may say it. */
enum { ALLOT__MEMBER_KEPT = 1 << 16 };

typedef struct allot__fields {
    allot_members own;      /* in allot__event; one hides the item's of the same name */
    allot_item item;        /* what it tells of; ALLOT_ITEMS: none */
    bool known;             /* the item may be known: none of its members is required */
    const char *const *but; /* members of the item that it does not have; NULL: it has all */
} allot__fields;

/* The lists of a kind's members. */
enum { ALLOT__COMMON, ALLOT__OWN, ALLOT__ITEM, ALLOT__FIELD_LISTS };

extern const allot__fields allot__event_fields[ALLOT__EVENTS];
/* NULL: it has no such list. */
const allot_members *allot__fields_of(const allot__fields *fields, int list);
/* Whether a member of a list is there for who speaks. */
bool allot__may_say(const allot__fields *fields, allot__speaker speaker, int list,
                    const allot_member *member);
/* What the members of a list stand in. */
static inline char *allot__field_base(allot__event *event, int list)
{
    return list == ALLOT__ITEM ? (char *)&event->id : (char *)event;
}
/* The group of slots; NULL: the kind has none. */
int32_t *allot__event_group(allot__event *event);

#endif
