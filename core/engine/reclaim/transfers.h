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

#include "engine/rows/in_flight.h"
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

/* One leaf's slots to one claimant; both by number. */
typedef struct allot__transfer {
    int32_t from, to;
    int64_t slots;
} allot__transfer;

typedef struct allot__take {
    int32_t from;
    int64_t slots;
} allot__take;

typedef struct allot__transfers {
    allot__reclaim_log log; /* first: what reclaim is handed is this */
    allot__work *work;
    allot__orders *out;
    int32_t leaves;
    int32_t *number; /* by row */
    int32_t *leaf;   /* by number: its row; of a parent's own last member ~family (C-5) */
    int32_t *start;  /* by family: the first number below it */
    int32_t *size;   /* ... and how many */
    int32_t *lack;   /* by number: deficits not served yet */
    int32_t *unowed; /* by number: what takes slots from it that no consumer is owed */
    int32_t *freed;  /* by number: what limits freed of it, */
    int32_t *loose;  /* ... and how many of them serve no consumer yet; */
    uint8_t *any;    /* ... a tree over `width` numbers: does a leaf below have such slots? NULL */
    int32_t width;   /* ... until a leaf has some */
    int32_t *taken;  /* what claims have of slots on hosts (reach.h); NULL: hosts are all alike */
    int32_t *next;   /* by number: a number not above the next that lacks */
    int32_t family;  /* of the node that takes now; */
    int64_t owed;    /* ... what of its slots is for deficits inside */
    allot__vector takes, list; /* of allot__take, of allot__transfer */
    allot__vector spare;       /* ... transfers by a ledger to leaves that lack nothing */
    int status;
} allot__transfers;

/* The lists of grants and reclaims, once all is written down. ENOMEM. */
int allot__transfers_list(allot__transfers *transfers);
/* E-31: what a leaf that gives has, or the closest common ancestor of it and the claimant.
 */
int64_t allot__transfers_grace(const allot__work *work, int32_t from, int32_t to);

#endif
