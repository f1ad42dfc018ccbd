/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * own.h: one `sync` while it is read and entered; only for this folder.
 *
 * This file owns: struct allot__sync.
 */
#ifndef ALLOT_SERVICE_SYNC_OWN_H
#define ALLOT_SERVICE_SYNC_OWN_H

#include "service/instance/service.h"
#include "service/sync/truth.h"
#include "service/wire/rpc.h"

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
    int64_t at; /* the arrival time of its events */
    size_t step, row;
    allot__map_item *item;
    uint8_t *leaves; /* bits: leaves with rows */
    size_t bits;
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
