/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * orders.h: the orders of a cycle: grants and reclaims by leaf, and each reclaim's claimants; the
 * records that orders.c makes of them while slots are reclaimed, and the lists that transfers.c
 * makes of the records.
 *
 * Grants are in the order of distribution, reclaims in the reverse order. The slots that a node
 * takes (C-6) serve the deficits inside it that no node below has served, best first.
 *
 * Leaves are numbered in the order of distribution, each parent's last member (C-5) behind its
 * children, so that a subtree is a range of numbers.
 */
#ifndef ALLOT_ENGINE_RECLAIM_ORDERS_H
#define ALLOT_ENGINE_RECLAIM_ORDERS_H

#include "base/bits.h"
#include "engine/rows/flight.h"
#include "engine/rows/order.h"
#include "engine/reclaim/reclaim.h"

/* Why a slot is reclaimed although no claimant waits for it. */
enum {
    ALLOT__BY_LIMIT = 1,
    ALLOT__BY_SIZE = 2,
    ALLOT__BY_FORCE = 4,
    ALLOT__BY_CLOSED = 8,
    ALLOT__BY_INSIDE = 16 /* for a pending task of the leaf itself (whole/inside.h) */
};

/* One reclaim. A leaf that gives to claimants with different grace (E-31) has several, and another
 * one for slots on closed hosts; they are adjacent. */
typedef struct allot__order_back {
    int32_t row;
    int32_t unowed; /* ALLOT__BY_... bits; 0: all slots are owed */
    int64_t freed;  /* slots of the leaf that limits freed; in its first reclaim */
    int64_t slots, grace;
    int32_t first, count; /* of its claims */
    const int32_t *tasks; /* victims; NULL: not known yet */
    int32_t task_count;
    int32_t pending; /* ... by BY_INSIDE, the first number of the task that takes their place */
    int32_t unknown; /* victims whose start is unknown, */
    int64_t lost;    /* and slot-seconds that the others have run */
} allot__order_back;

typedef struct allot__orders {
    int32_t *grants; /* rows */
    int32_t grant_count;
    allot__order_back *reclaims;
    int32_t reclaim_count;
    allot_claim *claims; /* consumers' handles */
} allot__orders;

/* Claims made one after another for slots of one leaf: up to the first claim of the next run. */
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
/* Sorts by falling number, as takes are carried out; those of one family mostly come so. */
void allot__takes_sort(allot__take *takes, size_t count);

/* Chooses tasks for claimants while slots are reclaimed, where a policy's victims or guards read
 * the claimant (C-16; victims/claimant.c). Consumers are named by rows. */
typedef struct allot__chooser {
    /* Asks the guards of givers about a claimant: marks[unit] is not 0 where a guard protects a
     * unit of a giver against it. ENOMEM, or what a policy's function failed with. */
    int (*look)(struct allot__chooser *chooser, int32_t claimant, const int32_t *givers,
                int32_t count, uint8_t *marks);
    /* The slots that a giver could give on, with such marks. */
    int64_t (*room)(struct allot__chooser *chooser, int32_t giver, const uint8_t *marks);
    /* Chooses victims for slots of a giver that go to a claimant. Likewise. */
    int (*take)(struct allot__chooser *chooser, int32_t giver, int32_t claimant, int64_t slots,
                const uint8_t *marks);
    size_t units; /* of the group */
} allot__chooser;

typedef struct allot__transfers {
    allot__reclaim_log log; /* first: reclaim gets a pointer to it */
    allot__work *work;
    allot__orders *out;
    allot__leaves leaves; /* in the order of distribution, with parents' own last members */
    int32_t *lack;        /* by number: deficits not served yet; */
    allot__bits lacking;  /* ... which numbers have some */
    uint8_t *unowed;      /* by number: ALLOT__BY_... bits of slots taken but owed to no consumer */
    int32_t *freed;       /* by number: slots that limits freed; NULL: none of any leaf; */
    int32_t *loose;       /* ... those of them that serve no consumer yet; */
    allot__bits has_loose; /* ... which numbers have some */
    int32_t *taken;        /* slots on hosts that claims have (reach.h); NULL: hosts are alike */
    int32_t family;        /* of the node that takes slots now; */
    int64_t owed;          /* ... its slots owed to deficits inside */
    /* Records that slots of a leaf are for a claimant, both by number, which lacks as many fewer;
     * returns `slots`. */
    int32_t (*record)(struct allot__transfers *transfers, int32_t from, int32_t to, int32_t slots);
    allot__chooser *chooser; /* NULL: tasks go by the same order for all claimants */
    int64_t *room;       /* by family, if claimants may not take from all: slots by which promises
                            inside may grow within its limit (takes.h); else NULL */
    allot__vector takes; /* of allot__take: its leaves' parts */
    allot__vector spare; /* of allot__spare_move */
    allot__run *runs;
    allot_claim *claims; /* claims of a leaf with one run are not copied */
    size_t run_count, run_room, claim_count, claim_room;
    int status;
} allot__transfers;

/* Makes space for `more` items of `size` bytes behind `count`: in place, or in a copy of twice the
 * size; NULL: no memory, and the status says so. */
void *allot__transfers_room(allot__transfers *transfers, void *items, size_t count, size_t *room,
                            size_t more, size_t size);
/* Makes the lists of grants and reclaims, once all records are there. ENOMEM. */
int allot__transfers_list(allot__transfers *transfers);
/* E-31: the grace of a donor, or of its closest common ancestor with the claimant. */
int64_t allot__transfers_grace(const allot__work *work, int32_t from, int32_t to);

/* ENOMEM, or what a policy's function failed with. `chooser` may be NULL. */
int allot__orders_make(allot__work *work, allot__chooser *chooser, allot__orders *out);
/* Writes sums' held and given. */
void allot__orders_sum(allot__work *work);

#endif
