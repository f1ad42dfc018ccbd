/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * own.h: one `sync` while it is read and entered; of the files of this folder alone.
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
    uv_work_t work;
    allot_service *service;
    allot__reply *reply;
    /* Of the thread that reads. */
    allot__text text; /* the params, or a whole request */
    bool whole;
    int64_t now;
    allot_engine *engine;
    allot__generation *generation; /* held */
    allot__truth *truth;
    int status;          /* of reading, and then of all */
    char garbage[400];   /* the request is no JSON, or none: why; "": it is one */
    int garbage_code;    /* of that */
    allot__request head; /* its id */
    /* Of the loop, while the books are held. */
    allot__books *books;
    const allot__origin *origin; /* NULL: all that there is is its */
    allot__origin *self;         /* it, or what has no name */
    bool entered_all;
    bool whole_new; /* a leaf that nobody told all about is told of */
    bool known;     /* its key came before: nothing is entered */
    uint32_t mark;
    int64_t at; /* when its events come */
    size_t step, row;
    allot__map_item *item;
    uint8_t *leaves; /* bits: whose rows have come */
    size_t bits;
    allot__vector gone;       /* names of hosts */
    allot__vector nameless;   /* reclaims in flight that name no tasks (leaves.c) */
    allot__text params, rows; /* of the event that is entered; of all, for the store */
    size_t bytes;
    int64_t count, entered[ALLOT__EVENTS];
    int64_t busy, longest; /* us that the loop worked, in all and in a turn */
} allot__sync;

/* Lays the truth beside the books and enters what differs, until that time (uv_hrtime); true: it is
 * through. What is wrong with the call as a whole is in truth->fault, and `status` says so. */
bool allot__sync_enter(allot__sync *it, uint64_t until);

/* Gives back its engine, with all that is of it. */
void allot__sync_end(allot__sync *it);

/* Enters an event with these params, which are the sync's: books, and the row for the store. What
 * is wrong with it is left out; `place`, `name` as allot__truth_drop. */
int allot__sync_event(allot__sync *it, allot__event *event, allot__error *error);
/* The params begin with this, a bracket and members each with a comma behind it, and with what all
 * events of the call have. */
void allot__sync_open(allot__sync *it, const char *members, bool source);
/* The rest of an object that is told, behind its bracket. */
void allot__sync_rest(allot__sync *it, const allot__truth_row *row);
/* Whether what has that origin is its to end. */
static inline bool allot__sync_owns(const allot__sync *it, const allot__origin *origin)
{
    return !it->origin || origin == it->origin;
}

/* Steps: each does its row of that number, `row`; false: there is none. */
typedef bool allot__sync_step(allot__sync *it, allot__truth_list list);
allot__sync_step allot__sync_sizes, allot__sync_hosts, allot__sync_look, allot__sync_end_thing,
    allot__sync_put, allot__sync_find_back, allot__sync_leaves, allot__sync_rest_leaves,
    allot__sync_end_host;

#endif
