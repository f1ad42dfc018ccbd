/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * members.h: what a state lists (tasks, sessions, jobs, ...), member by member.
 *
 * One table lists the members of each item: readers and writers of documents, events and snapshots,
 * copies, Lua's types and the tables of the documentation all use it. A new member is a member of
 * its struct and a row of the table (model/items/members.c).
 */
#ifndef ALLOT_ITEM_H
#define ALLOT_ITEM_H

#include <allot/job.h>
#include <allot/lease.h>

ALLOT_C_BEGIN

/* Kinds of items. */
typedef enum allot_item {
    ALLOT_ITEM_TASK = 0, /* allot_task */
    ALLOT_ITEM_SESSION,  /* allot_session */
    ALLOT_ITEM_JOB,      /* allot_job */
    ALLOT_ITEM_RECLAIM,  /* allot_in_flight */
    ALLOT_ITEM_LOAN,     /* allot_loan */
    ALLOT_ITEM_LEASE,    /* allot_lease_now */
    ALLOT_ITEM_HOST,     /* allot_stated_host (stated.h) */
    ALLOT_ITEM_ROW,      /* allot_stated_leaf: a leaf in a group */
    ALLOT_ITEM_USER,     /* allot_stated_user: a user of jobs */
    ALLOT_ITEMS
} allot_item;

/* A member's form in JSON, and its type in the struct. */
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
    /* {group: slots}, const allot_task_slots *: slots of groups other than the item's own; or an
     * integer least ... most, the slots of its own group: the first of `members` */
    ALLOT_MEMBER_SLOTS,
    ALLOT_MEMBER_VALUES,      /* const allot_task_value *: members named as the plan's attributes */
    ALLOT_MEMBER_THOUSANDTHS, /* int64_t: a number with three digits behind the point, -1 unset */
    ALLOT_MEMBER_OBJECT       /* an object of `members`; the bit `least` (0: none) at `at` is set */
} allot_member_type;

enum {
    ALLOT_MEMBER_REQUIRED = 1,
    ALLOT_MEMBER_NULLABLE = 2,   /* null is as good as not stated */
    ALLOT_MEMBER_DIGITS = 4,     /* of a TEXT: an integer least ... most reads as its digits */
    ALLOT_MEMBER_PASSED = 8,     /* decisions write it for people: checked, but not kept */
    ALLOT_MEMBER_LABEL = 16,     /* of TEXT and TEXTS: 1 ... 255 bytes without control characters */
    ALLOT_MEMBER_FALSE = 32,     /* of a WORD: `false` is written in place of its first word */
    ALLOT_MEMBER_KEY = 64,       /* of a TEXT: in documents the key of the item's object */
    ALLOT_MEMBER_ALL = 128,      /* of a WHOLE: true is `most`, and false is 0 */
    ALLOT_MEMBER_DECIMALS = 512, /* of a TIME: seconds with decimals, which are dropped */
    ALLOT_MEMBER_COLUMN = 256 /* of a task or job: states store it on its own, for speed. Others are
                                 stored as they are, if any is stated */
};

typedef struct allot_member {
    const char *name; /* in documents; "" of VALUES */
    allot_member_type type;
    int32_t flags;                 /* ALLOT_MEMBER_... */
    uint16_t at, count_at;         /* offsets: of the member, and of a list's length (int32_t) */
    int64_t least, most;           /* range of a stated value; most: of a TEXT without DIGITS its
                                      bytes at most, if not 0 */
    int64_t unset;                 /* the value of a number or word that is not stated */
    const char *unit, *doc;        /* "s", "slots" or ""; one sentence */
    const char *rule;              /* where it comes from; "": nowhere */
    const char *(*word)(int word); /* of a WORD: its names from 0 on; NULL ends them */
    const struct allot_member *members;
    int32_t member_count;
} allot_member;

typedef struct allot_members {
    const char *name; /* "task": in messages */
    const char *list; /* "tasks": their key in a state */
    size_t size;      /* of the struct */
    const allot_member *items;
    int32_t count;
} allot_members;

/* NULL: no such. Static. */
ALLOT_API const allot_members *allot_members_of(allot_item item);
/* The member of that name, or NULL. */
ALLOT_API const allot_member *allot_member_find(const allot_members *members, const char *name);
/* Does an item state that member: has it another value than the default? A group always has. */
ALLOT_API int allot_member_stated(const allot_member *member, const void *item);
/* Sets every member of `item`, the struct of these members, to its default. */
ALLOT_API void allot_item_init(const allot_members *members, void *item);
/* The bytes that strings and lists of an item take in a copy; and the copy, whose strings and lists
 * are in `room`: that many bytes, aligned to 8, which must live as long as the copy. */
ALLOT_API size_t allot_item_room(const allot_members *members, const void *item);
ALLOT_API void allot_item_copy(const allot_members *members, const void *item, void *to,
                               char *room);

/* Gets a number of the plan in an item, and may change it: *number is an int32_t, a consumer's,
 * group's or queue's by `type`; of CLAIMS, AMOUNTS, SLOTS and VALUES the first member of a list's
 * entry: a consumer's, resource's, group's or attribute's. */
typedef int (*allot_item_number)(void *ud, allot_member_type type, void *number);
/* Calls `each` with all such numbers that are set, so that a copy of an item (allot_item_copy) can
 * move to another plan. Ends early, with the status of `each`, if that is not ALLOT_OK. */
ALLOT_API int allot_item_numbers(const allot_members *members, void *item, allot_item_number each,
                                 void *ud);

/* ---- A state's items, one by one ------------------------------------------------------------- */

/* Adds a copy of `item`, the struct of its kind (a task, session, job or reclaim), to an open
 * state, with the rules and errors of allot_state_task, _session, _job and _in_flight. EEXIST: the
 * id is taken. EUSAGE: also another kind. */
ALLOT_API int allot_state_add(allot_state *state, allot_item kind, const void *item);
/* The same, but replaces the item of that id: a task moves to the end, others keep their place. */
ALLOT_API int allot_state_set(allot_state *state, allot_item kind, const void *item);
/* Removes an item from an open state; the others keep their order and, until the state is sealed,
 * their numbers. Borrowed pointers live until then, too. ENOENT, EUSAGE. */
ALLOT_API int allot_state_end(allot_state *state, allot_item kind, const char *id);
/* Removes all items of such a kind; the state keeps its memory. EUSAGE. */
ALLOT_API int allot_state_clear_items(allot_state *state, allot_item kind);
/* Sets a clock that ran ahead by `by` seconds back to `now`: times after `now` (of leaves, tasks,
 * sessions, jobs, contracts, resources, use, the last cycle) move back by `by`, but not beyond
 * `now`. EUSAGE. */
ALLOT_API int allot_state_set_back(allot_state *state, int64_t now, int64_t by);
/* How many numbers the items of a kind have (loans and hosts, too); and the item of a number: `out`
 * is the struct of its kind, borrowed as from allot_state_get. ENOENT: it has ended, or the number
 * is one of several that a task has; EUSAGE. */
ALLOT_API int32_t allot_state_count(const allot_state *state, allot_item kind);
ALLOT_API int allot_state_item_at(const allot_state *state, allot_item kind, int32_t i, void *out);
/* An item's number, for the getters of its kind, or -1. */
ALLOT_API int32_t allot_state_find(const allot_state *state, allot_item kind, const char *id);
/* The item of that id, or host of that name: `out` is the struct of its kind. Borrowed until the
 * state is sealed after the item changed or ended; a host's name only until then. ENOENT. */
ALLOT_API int allot_state_get(const allot_state *state, allot_item kind, const char *id, void *out);

ALLOT_C_END

#endif
