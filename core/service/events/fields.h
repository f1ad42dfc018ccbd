/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* fields.h: what members events of each kind have; of the files of this folder alone. */
#ifndef ALLOT_SERVICE_EVENTS_FIELDS_H
#define ALLOT_SERVICE_EVENTS_FIELDS_H

#include <stddef.h>

#include "service/events/event.h"

typedef enum allot__field_type {
    ALLOT__F_TEXT = 1, /* const char *; null: not given */
    ALLOT__F_ID,       /* 1 ... 255 bytes, or a whole number */
    ALLOT__F_NAME,     /* 1 ... 255 bytes */
    ALLOT__F_LABEL,    /* the same without control characters; null, if not required: not given */
    ALLOT__F_LABEL_ID, /* the same, or a whole number */
    ALLOT__F_CONSUMER, /* any consumer's path; int32_t */
    ALLOT__F_LEAF,
    ALLOT__F_GROUP,
    ALLOT__F_QUEUE,
    ALLOT__F_LEASE,
    ALLOT__F_WHOLE, /* int64_t, least ... most */
    ALLOT__F_BOOL,
    ALLOT__F_TIME,    /* int64_t: Unix seconds or RFC 3339; null: not given */
    ALLOT__F_TEXTS,   /* a list of texts: allot__pairs */
    ALLOT__F_LABELS,  /* a list of labels: allot__pairs */
    ALLOT__F_NUMBERS, /* an object of whole numbers 0 ... 10^9: allot__pairs */
    ALLOT__F_PARTS,   /* int64_t, least ... most; or an object of such by group: `parts` */
    ALLOT__F_SCHEDULING,
    ALLOT__F_CLOSED,
    ALLOT__F_LOAD,
    ALLOT__F_JOB_STATE,
    ALLOT__F_TASK_STATE,
    ALLOT__F_PHASE
} allot__field_type;

typedef struct allot__event_field {
    const char *name;
    uint8_t type;
    bool required;
    bool kept;             /* stands in lines of snapshots alone: no client may say it */
    uint16_t at, given_at; /* in allot__event; given_at 0: nowhere */
    int64_t least, most;
} allot__event_field;

typedef struct allot__fields {
    const allot__event_field *items;
    int32_t count;
    bool attributes; /* other members are the plan's task attributes */
} allot__fields;

#define ALLOT__FIELDS_MOST 32

/* The members of a kind, beside `at` and `key`, which all have (allot__common_fields). */
extern const allot__fields allot__event_fields[ALLOT__EVENTS];
extern const allot__fields allot__common_fields;
/* Whether a member is there for who speaks. */
static inline bool allot__may_say(allot__speaker speaker, const allot__event_field *field)
{
    return speaker == ALLOT__STORE || !field->kept;
}

#endif
