/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * truth.h: the whole truth of a source, read from the params of `sync`: rows as the books have
 * them, each with its text.
 *
 * Reading touches nothing but the plan and takes its memory from an engine of its own, so that a
 * thread can do it. A row that is wrong is dropped, and told; the rest counts.
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

/* What comes of a row, as far as it is known. */
typedef enum allot__verdict {
    ALLOT__TRUTH_NEW = 0,
    ALLOT__TRUTH_SAME,
    ALLOT__TRUTH_CHANGED,
    ALLOT__TRUTH_DROPPED /* wrong: what it names stays as it is */
} allot__verdict;

/* A host, session, task or job: an item as the books have them; of a dropped one the name alone.
 * The text is the object that told of it. */
typedef struct allot__truth_row {
    allot__map_item *item;
    const char *text;
    uint64_t hash;       /* of the item's name (allot__map_hash) */
    uint32_t len, place; /* its place in the list */
    uint32_t stated;     /* of the item's members, as an event has them */
    bool started;        /* a task's start is stated */
    allot__verdict verdict;
} allot__truth_row;

/* A leaf's numbers in a group, or a group's size (`allocated`); -1: not told. */
typedef struct allot__truth_leaf {
    int32_t group, consumer;
    int64_t demand, allocated, unlisted;
    bool dropped; /* it stays as it is */
} allot__truth_leaf;

typedef struct allot__truth {
    allot_engine *engine;
    const allot_plan *plan;
    int64_t now; /* the service's, when the call came */
    /* What the call says beside its lists. */
    char *source, *key; /* NULL: not given */
    uint64_t digest;    /* of what came with the key */
    bool at_given, brief;
    int64_t at; /* not given: now */
    bool told[ALLOT__TRUTH_LISTS];
    allot__vector rows[ALLOT__TRUTH_LISTS]; /* of allot__truth_row; of slots and leaves of _leaf */
    struct allot__truth_block *blocks;      /* texts that were put together */
    /* What was left out: rows of a list, as JSON, of which the first few are told. */
    allot__text dropped;
    int64_t dropped_count;
    allot__event_reader *reader;
    allot__error fault; /* what is wrong with the call as a whole */
} allot__truth;

/* The source of calls that name none: all that there is is theirs. */
#define ALLOT__TRUTH_ALL "*"

/* An empty one, and its end. ENOMEM. */
int allot__truth_new(allot_engine *engine, const allot_plan *plan, int64_t now, allot__truth **out);
void allot__truth_free(allot__truth *truth);
/* Reads params, an object that is known to be valid JSON and outlives the truth. EINVALID and
 * others (fault): the call is refused. ENOMEM. */
int allot__truth_read(allot__truth *truth, const char *params, size_t len);

/* Leaves a row out: `place` in its list, or -1 and its name; id NULL: not known. */
void allot__truth_drop(allot__truth *truth, allot__truth_list list, int64_t place, const char *name,
                       const allot__error *error);

/* ---- Of this folder -------------------------------------------------------------------------- */

/* Whether it is an empty list or object: either may be written for the other, as a client in Lua
 * has one kind of empty table. */
bool allot__truth_empty(allot__span value);
/* Room for a text of so many bytes, which stays until the truth ends; NULL: ENOMEM. */
char *allot__truth_text(allot__truth *truth, size_t len);
/* Read what stands under a list's key. ENOMEM: what is wrong is left out. */
typedef int allot__truth_reads(allot__truth *truth, allot__truth_list list, allot__span value);
allot__truth_reads allot__truth_hosts, allot__truth_items, allot__truth_leaves, allot__truth_slots;

#endif
