/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * members.h: what a state lists (tasks, sessions, jobs, ...), member by member.
 *
 * One table says of each item what its members are: the readers and writers of documents, of
 * events and of snapshots, copies, Lua's types and the documentation's tables all go by it. A new
 * member is a member of its struct and a row here.
 */
#ifndef ALLOT_ITEM_H
#define ALLOT_ITEM_H

#include <allot/job.h>
#include <allot/lease.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the items of a list are. */
typedef enum allot_item {
    ALLOT_ITEM_TASK = 0, /* allot_task */
    ALLOT_ITEM_SESSION,  /* allot_session */
    ALLOT_ITEM_JOB,      /* allot_job */
    ALLOT_ITEM_RECLAIM,  /* allot_in_flight */
    ALLOT_ITEM_LOAN,     /* allot_loan */
    ALLOT_ITEM_LEASE,    /* allot_lease_now */
    ALLOT_ITEM_HOST,     /* allot_stated_host (stated.h) */
    ALLOT_ITEM_ROW,      /* allot_stated_leaf: a leaf in a group */
    ALLOT_ITEMS
} allot_item;

/* How a member is written in JSON, and what its struct has. */
typedef enum allot_member_type {
    ALLOT_MEMBER_TEXT = 0, /* const char *: a string */
    ALLOT_MEMBER_CONSUMER, /* int32_t: the path of any consumer */
    ALLOT_MEMBER_LEAF,     /* ... of a leaf */
    ALLOT_MEMBER_GROUP,    /* int32_t: a group's name, where there are several */
    ALLOT_MEMBER_QUEUE,    /* int32_t: a queue's name */
    ALLOT_MEMBER_WHOLE,    /* int64_t: an integer least ... most */
    ALLOT_MEMBER_TIME,     /* int64_t: Unix seconds or RFC 3339 */
    ALLOT_MEMBER_WORD,     /* an enum: one of `words` */
    ALLOT_MEMBER_FLAG,     /* int32_t: the bit `least` of it: true or false */
    ALLOT_MEMBER_TEXTS,    /* const char *const *: a list of strings */
    ALLOT_MEMBER_PLACES,   /* const allot_job_host *: {host: slots} */
    ALLOT_MEMBER_AMOUNTS,  /* const allot_job_resource *: {resource: amount} */
    ALLOT_MEMBER_CLAIMS,   /* const allot_claim *: [{consumer, slots}] */
    /* {group: slots}, const allot_task_slots *: those of other groups than the item's own; or an
     * integer least ... most, as of its own group, which the first of `members` is */
    ALLOT_MEMBER_SLOTS,
    ALLOT_MEMBER_VALUES,      /* const allot_task_value *: members named as the plan's attributes */
    ALLOT_MEMBER_THOUSANDTHS, /* int64_t: a number with three digits behind the point, -1 unset */
    ALLOT_MEMBER_OBJECT       /* an object of `members`; the bit `least` (0: none) at `at` is set */
} allot_member_type;

enum {
    ALLOT_MEMBER_REQUIRED = 1,
    ALLOT_MEMBER_NULLABLE = 2, /* null is as good as not stated */
    ALLOT_MEMBER_DIGITS = 4,   /* of a TEXT: an integer least ... most reads as its digits */
    ALLOT_MEMBER_PASSED = 8,   /* decisions write it for people: it is checked and not kept */
    ALLOT_MEMBER_LABEL = 16,   /* of TEXT and TEXTS: 1 ... 255 bytes without control characters */
    ALLOT_MEMBER_FALSE = 32,   /* of a WORD: instead of its first word false is written */
    ALLOT_MEMBER_KEY = 64,     /* of a TEXT: in documents the key of the item's object */
    ALLOT_MEMBER_ALL = 128     /* of a WHOLE: true is `most`, and false is 0 */
};

typedef struct allot_member {
    const char *name; /* in documents; "" of VALUES */
    allot_member_type type;
    int32_t flags;                 /* ALLOT_MEMBER_... */
    uint16_t at, count_at;         /* in the struct: the member, and of lists how many (int32_t) */
    int64_t least, most;           /* of what is stated */
    int64_t unset;                 /* what the member is that is not stated: of numbers and words */
    const char *unit, *doc;        /* "s", "slots" or ""; one sentence */
    const char *rule;              /* where it comes from; "": nowhere */
    const char *(*word)(int word); /* of a WORD: its names from 0 on; NULL ends them */
    const struct allot_member *members;
    int32_t member_count;
} allot_member;

typedef struct allot_members {
    const char *name; /* "task": in messages */
    const char *list; /* "tasks": the key of states that has them */
    size_t size;      /* of the struct */
    const allot_member *items;
    int32_t count;
} allot_members;

/* NULL: no such. Static. */
ALLOT_API const allot_members *allot_members_of(allot_item item);
/* The member of that name, or NULL. */
ALLOT_API const allot_member *allot_member_find(const allot_members *members, const char *name);
/* What an item is that states nothing: `item` is as the struct of these members. */
ALLOT_API void allot_item_init(const allot_members *members, void *item);
/* The bytes that the strings and lists of an item take in a copy; and copies it: `room` has so
 * many, aligned to 8, and keeps them. */
ALLOT_API size_t allot_item_room(const allot_members *members, const void *item);
ALLOT_API void allot_item_copy(const allot_members *members, const void *item, void *to,
                               char *room);

/* Takes a number of the plan's that an item has, and may set another one: *number is an int32_t, a
 * consumer's, group's or queue's as `type` says; of CLAIMS, AMOUNTS, SLOTS and VALUES it is what an
 * entry of the list begins with: a consumer's, resource's, group's or attribute's. */
typedef int (*allot_item_number)(void *ud, allot_member_type type, void *number);
/* Calls `each` with all of them but those that are unset, so that a copy of an item
 * (allot_item_copy) can move to another plan. What `each` returns, which ends it if it is not
 * ALLOT_OK. */
ALLOT_API int allot_item_numbers(const allot_members *members, void *item, allot_item_number each,
                                 void *ud);

/* ---- A state's items, one by one ------------------------------------------------------------- */

/* Adds a task, session, job or reclaim to an open state: a copy of `item`, which is the struct of
 * its kind; what allot_state_task, _session, _job and _in_flight say counts. EEXIST: the id is
 * taken. EUSAGE: also of another kind. */
ALLOT_API int allot_state_add(allot_state *state, allot_item kind, const void *item);
/* The same, in the place of what has its id: of a task behind all others, else where that was. */
ALLOT_API int allot_state_set(allot_state *state, allot_item kind, const void *item);
/* Takes it out of an open state; the others keep their order and, until the state is sealed, their
 * numbers. What was borrowed of it stays until then. ENOENT, EUSAGE. */
ALLOT_API int allot_state_end(allot_state *state, allot_item kind, const char *id);
/* It is `now` again, and was later by `by`: times of leaves, tasks, sessions, jobs, contracts,
 * resources, of use and of the last cycle that lie behind it are moved back by so much, to `now` at
 * the most. EUSAGE. */
ALLOT_API int allot_state_set_back(allot_state *state, int64_t now, int64_t by);
/* Its number, for the getters of its kind, or -1. */
ALLOT_API int32_t allot_state_find(const allot_state *state, allot_item kind, const char *id);
/* What the state has of that id, also of a host: `out` is the struct of its kind. Borrowed until
 * the state is sealed after it was changed or ended, a host's name until it is. ENOENT. */
ALLOT_API int allot_state_get(const allot_state *state, allot_item kind, const char *id, void *out);

#ifdef __cplusplus
}
#endif

#endif
