/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * truth.h: the whole truth of a source, read from the params of `sync` into rows like those of the
 * books, each with its text.
 *
 * Reading uses only the plan and an engine of its own, so that a thread can do it. A wrong row is
 * dropped and listed in the answer; the rest counts.
 */
#ifndef ALLOT_SERVICE_SYNC_TRUTH_H
#define ALLOT_SERVICE_SYNC_TRUTH_H

#include "base/memory.h"
#include "service/base/span.h"
#include "service/books/own.h"

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

/* A host, session, task or job: an item like those of the books (a dropped one has only its name),
 * and the text of its object. */
typedef struct allot__truth_row {
    allot__map_item *item;
    const char *text;
    uint64_t hash;       /* of the item's name (allot__map_hash) */
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
    const allot_plan *plan;
    int64_t now; /* the service's time when the call came */
    /* The call's members other than lists. */
    char *source, *key; /* NULL: not given */
    uint64_t digest;    /* of the content under the key */
    bool at_given, brief;
    int64_t at; /* not given: now */
    bool told[ALLOT__TRUTH_LISTS];
    allot__vector rows[ALLOT__TRUTH_LISTS]; /* of allot__truth_row; of slots and leaves of _leaf */
    struct allot__truth_block *blocks;      /* assembled texts */
    /* Dropped rows of the lists, as JSON; only the first few are listed. */
    allot__text dropped;
    int64_t dropped_count;
    allot__event_reader *reader;
    allot__error fault; /* of the call as a whole */
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

/* ---- Of this folder -------------------------------------------------------------------------- */

/* Whether a value is an empty list or object. Either may stand for the other, since Lua has one
 * kind of empty table. */
bool allot__truth_empty(allot__span value);
/* Read the value of a list's key. ENOMEM; wrong rows are dropped. */
typedef int allot__truth_reads(allot__truth *truth, allot__truth_list list, allot__span value);
allot__truth_reads allot__truth_hosts, allot__truth_items, allot__truth_leaves, allot__truth_slots;

#endif
