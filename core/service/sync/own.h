/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * own.h: one `sync` while it is read and entered; only for this folder.
 *
 * This file owns: struct allot__sync.
 */
#ifndef ALLOT_SERVICE_SYNC_OWN_H
#define ALLOT_SERVICE_SYNC_OWN_H

#include "base/memory.h"
#include "base/span.h"
#include "service/books/own.h"
#include "service/instance/service.h"
#include "service/wire/rpc.h"

/* ---- A truth --------------------------------------------------------------------------------- */

/*
 * The whole truth of a source, read from the params of `sync` into rows like those of the
 * books, each with its text.
 *
 * Reading uses only the plan and an engine of its own, so that a thread can do it. A wrong row is
 * dropped and listed in the answer; the rest counts.
 */
typedef enum allot__truth_list {
    ALLOT__TRUTH_SLOTS,
    ALLOT__TRUTH_HOSTS,
    ALLOT__TRUTH_SESSIONS,
    ALLOT__TRUTH_TASKS,
    ALLOT__TRUTH_JOBS,
    ALLOT__TRUTH_LEAVES,
    ALLOT__TRUTH_LISTS
} allot__truth_list;

/* The result for a row, so far. */
typedef enum allot__verdict {
    ALLOT__TRUTH_NEW = 0,
    ALLOT__TRUTH_SAME,
    ALLOT__TRUTH_CHANGED,
    ALLOT__TRUTH_DROPPED /* wrong: the named thing stays unchanged */
} allot__verdict;

/* A host, session, task or job, and the text of its object. */
typedef struct allot__truth_row {
    const void *item; /* the struct of its kind; NULL of a dropped one */
    const char *name, *text;
    uint64_t hash;       /* of its name (allot__map_hash) */
    uint32_t len, place; /* its place in the list */
    uint32_t stated;     /* bits of given members, as of an event */
    bool started;        /* `started` of a task is given */
    allot__verdict verdict;
} allot__truth_row;

/* A leaf's numbers in a group, or a group's size (`allocated`); -1: not given. */
typedef struct allot__truth_leaf {
    int32_t group, consumer;
    int64_t demand, allocated, unlisted;
    bool dropped; /* the leaf stays unchanged */
} allot__truth_leaf;

typedef struct allot__truth {
    allot_engine *engine;
    allot__arena arena; /* of texts and items */
    const allot_plan *plan;
    int64_t now; /* the service's time when the call came */
    /* The call's members other than lists. */
    const char *source, *key; /* source: not given: ALLOT__TRUTH_ALL; key: NULL */
    uint64_t digest;          /* of the content under the key */
    bool at_given, brief;
    int64_t at; /* not given: now */
    bool told[ALLOT__TRUTH_LISTS];
    allot__vector rows[ALLOT__TRUTH_LISTS]; /* of allot__truth_row; of slots and leaves of _leaf */
    /* Dropped rows of the lists, as JSON; only the first few are listed. */
    allot__text dropped;
    int64_t dropped_count;
    allot__event_reader *reader;
    allot_report *newcomers; /* (plan.h) of `consumers`; NULL: none */
    allot__error fault;      /* of the call as a whole */
} allot__truth;

/* The source of calls that name none; it owns all things. */
#define ALLOT__TRUTH_ALL "*"

/* Makes an empty truth; frees one. ENOMEM. */
int allot__truth_new(allot_engine *engine, const allot_plan *plan, int64_t now, allot__truth **out);
void allot__truth_free(allot__truth *truth);
/* Reads params, an object of valid JSON, which outlives the truth. EINVALID and others (fault): the
 * call is refused. ENOMEM. */
int allot__truth_read(allot__truth *truth, const char *params, size_t len);

/* Drops a row, by its `place` in the list, or -1 and its name (NULL: not known). */
void allot__truth_drop(allot__truth *truth, allot__truth_list list, int64_t place, const char *name,
                       const allot__error *error);

/* A copy that lives as long as the truth; NULL: ENOMEM. */
char *allot__truth_copy(allot__truth *truth, const char *text, size_t len);

/* A list in the params. */
typedef struct allot__truth_kind {
    const char *name, *allowed;
    char opens;    /* the first byte of its value */
    int8_t queues; /* only of plans with queues (1), or without (-1) */
    /* Reads its value. ENOMEM; wrong rows are dropped. */
    int (*read)(allot__truth *truth, allot__truth_list list, allot__span value);
    allot__event_kind put, end; /* events that enter and end its things */
} allot__truth_kind;
extern const allot__truth_kind allot__truth_kinds[ALLOT__TRUTH_LISTS];

/* ---- A call ---------------------------------------------------------------------------------- */

typedef struct allot__sync {
    allot__hold hold;
    allot__work work;
    allot_service *service;
    allot__reply *reply;
    /* Used by the reading thread. */
    allot__text text; /* the params, or a whole request */
    bool whole;
    int64_t now;
    allot_engine *engine;
    allot__generation *generation; /* held */
    allot__truth *truth;
    bool grew; /* newcomers were waited for: those that are left are dropped */
    allot__growing growing;
    int status;          /* of reading, then of the whole call */
    char garbage[400];   /* why the request is not JSON, or not a request; "": it is valid */
    int garbage_code;    /* its JSON-RPC code */
    allot__request head; /* its id */
    /* Used by the loop, while the sync holds the books. */
    allot__books *books;
    const allot__origin *origin; /* NULL: it owns all things */
    allot__origin *self;         /* `origin`, or the nameless one */
    bool entered_all;
    bool whole_new; /* the truth has a leaf without a source */
    bool known;     /* its key was seen before: nothing is entered */
    uint32_t mark;
    int64_t at;  /* the arrival time of its events */
    int64_t who; /* the row of its client */
    size_t step, row;
    allot__map_item *item;
    uint8_t *leaves;          /* bits: leaves with rows */
    allot__vector gone;       /* names of hosts */
    allot__vector nameless;   /* reclaims in flight that name no tasks (leaves.c) */
    allot__text params, rows; /* of the event being entered; of all events, for the store */
    size_t bytes;
    int64_t count, entered[ALLOT__EVENTS];
    int64_t busy, longest; /* us of work on the loop, in all and in one turn */
} allot__sync;

/* Compares the truth with the books and enters differences, until that time (uv_hrtime); true:
 * done. An error of the whole call sets `status` and truth->fault. */
bool allot__sync_enter(allot__sync *it, uint64_t until);

/* Frees its engine with everything from it. */
void allot__sync_end(allot__sync *it);

/* Enters an event with the sync's `params`: in the books, and as a row for the store. A refused
 * event is skipped, with `error` set. */
int allot__sync_event(allot__sync *it, allot__event *event, allot__error *error);
/* Begins the params with `members` (a bracket, and members each followed by a comma) and the
 * members common to all events of the call. */
void allot__sync_open(allot__sync *it, const char *members, bool source);
/* Appends the rest of a row's object, after its bracket. */
void allot__sync_rest(allot__sync *it, const allot__truth_row *row);
/* Whether the call may end things of that origin. */
static inline bool allot__sync_owns(const allot__sync *it, const allot__origin *origin)
{
    return !it->origin || origin == it->origin;
}

/* Steps: each handles row number `row` of a list; false: there is none. */
typedef bool allot__sync_step(allot__sync *it, allot__truth_list list);
allot__sync_step allot__sync_sizes, allot__sync_hosts, allot__sync_look, allot__sync_end_thing,
    allot__sync_put, allot__sync_find_back, allot__sync_leaves, allot__sync_rest_leaves,
    allot__sync_end_host;

#endif
