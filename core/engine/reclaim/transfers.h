/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * transfers.h: what orders.c writes down while slots are reclaimed, and the lists that come of it.
 *
 * Leaves are numbered in the order of distribution, each parent's own last member (C-5) behind its
 * children's, so that a subtree is a range of numbers.
 */
#ifndef ALLOT_ENGINE_RECLAIM_TRANSFERS_H
#define ALLOT_ENGINE_RECLAIM_TRANSFERS_H

#include "base/bits.h"
#include "engine/rows/in_flight.h"
#include "engine/rows/leaves.h"
#include "engine/reclaim/reclaim.h"

/* Why a slot is reclaimed although no claimant waits for it. */
enum { ALLOT__BY_LIMIT = 1, ALLOT__BY_SIZE = 2, ALLOT__BY_FORCE = 4, ALLOT__BY_CLOSED = 8 };

/* One reclaim. A leaf that gives to claimants with different times of grace (E-31) has several, and
 * one of its own for what runs on closed hosts; they stand together. */
typedef struct allot__order_back {
    int32_t row;
    int32_t unowed; /* of these; 0: all slots are owed */
    int64_t freed;  /* by limits, of all that the leaf gives; with its first reclaim */
    int64_t slots, grace;
    int32_t first, count; /* of its claims */
    const int32_t *tasks; /* which go, where that is known already; NULL: not yet */
    int32_t task_count;
    int32_t unknown; /* of how many their starts are not known, */
    int64_t lost;    /* and slot-seconds that the others have run */
} allot__order_back;

typedef struct allot__orders {
    int32_t *grants; /* rows */
    int32_t grant_count;
    allot__order_back *reclaims;
    int32_t reclaim_count;
    allot_claim *claims; /* consumers' handles */
} allot__orders;

/* Claims of slots of one leaf that were made one after another: up to the first of the next run. */
typedef struct allot__run {
    int32_t from, first;
    int32_t slots;
    int32_t next; /* of the same leaf; -1: none */
} allot__run;

/* Slots that a ledger takes from one leaf for another that lacks none. */
typedef struct allot__spare_move {
    int32_t from, to, slots;
} allot__spare_move;

typedef struct allot__take {
    int32_t from, slots;
} allot__take;

typedef struct allot__transfers {
    allot__reclaim_log log; /* first: what reclaim is handed is this */
    allot__work *work;
    allot__orders *out;
    allot__leaves leaves;  /* in the order of distribution, with parents' own last members */
    int32_t *lack;         /* by number: deficits not served yet; */
    allot__bits lacking;   /* ... which numbers have some */
    uint8_t *unowed;       /* by number: what takes slots from it that no consumer is owed */
    int32_t *freed;        /* by number: what limits freed of it, NULL: nothing of any; */
    int32_t *loose;        /* ... how many of them serve no consumer yet; */
    allot__bits has_loose; /* ... which numbers have some */
    int32_t *taken;        /* what claims have of slots on hosts (reach.h); NULL: hosts are alike */
    int32_t family;        /* of the node that takes now; */
    int64_t owed;          /* ... what of its slots is for deficits inside */
    allot__vector takes;   /* of allot__take: its leaves */
    allot__vector spare;   /* of allot__spare_move */
    allot__run *runs;
    allot_claim *claims; /* those of a leaf with one run stay where they are */
    size_t run_count, run_room, claim_count, claim_room;
    int status;
} allot__transfers;

/* Room for `more` items of `size` bytes behind those there are: where these are, or in a copy of
 * twice the size; NULL: there is none, and the status says so. */
void *allot__transfers_room(allot__transfers *transfers, void *items, size_t count, size_t *room,
                            size_t more, size_t size);
/* The lists of grants and reclaims, once all is written down. ENOMEM. */
int allot__transfers_list(allot__transfers *transfers);
/* E-31: what a leaf that gives has, or the closest common ancestor of it and the claimant.
 */
int64_t allot__transfers_grace(const allot__work *work, int32_t from, int32_t to);

#endif
