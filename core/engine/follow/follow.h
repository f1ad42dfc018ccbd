/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * follow.h: a cycle that goes on from the one before: it computes only what changes reach, and
 * leaves the group's columns as a full pass would.
 *
 * A change of a leaf goes up to the root in sums. Families with a changed need, or a changed quota
 * to divide, get new quotas, parents first. Both passes of C-5 then go through families in which a
 * quota, an allocation, or the slots passed down changed. Slots are then reclaimed at nodes where a
 * leaf is over and another lacks slots, or where a limit may break. Other families are not looked
 * at. In a family of many leaves only rows that change are looked at (broad.h).
 *
 * Victims are chosen (victims/) for leaves that give slots back in this cycle.
 *
 * This works for policies whose fills go by columns of the plan, and only if leaves take and give
 * by the default orders, without ledgers, functions, hosts, tasks that start whole, windows, or
 * options that keep slots back: allot__follow_why. All else takes full passes.
 */
#ifndef ALLOT_ENGINE_FOLLOW_FOLLOW_H
#define ALLOT_ENGINE_FOLLOW_FOLLOW_H

#include "engine/follow/broad.h"
#include "engine/quota/again.h"
#include "engine/reclaim/orders.h"
#include "engine/rows/digest.h"
#include "engine/rows/flight.h"
#include "base/bits.h"

/* A family's numbers for the passes, beside its sums. */
typedef struct allot__follow_family {
    int64_t quotas;        /* sum over its members */
    int64_t nets;          /* ... and sum of their quotas above their allocations */
    int64_t leaves_lack;   /* slots that its leaves lack after the first pass, */
    int64_t parents_may;   /* ... and that parents among its members may take in the second */
    int64_t may;           /* slots that its own parent may take in the second pass, */
    int64_t second;        /* ... and takes */
    int64_t spare_quota;   /* of its last member (C-5) */
    int64_t spare_first;   /* slots that its last member gets in the first pass, */
    int64_t spare_deficit; /* ... and lacks after both */
    int32_t above;         /* the family of which its parent is a member */
    allot__broad *broad;   /* NULL: not broad */
} allot__follow_family;

/* Slots of a leaf, by number, that go to another; to < 0: without a claimant. */
typedef struct allot__follow_gift {
    int32_t from, to;
    int64_t slots;
    size_t place; /* in the order of their making */
} allot__follow_gift;

typedef struct allot__follow {
    allot__work *work;
    allot__quota_kept *kept;
    allot__follow_family *families;
    allot__leaves leaves;
    allot__broad *broad; /* families of many leaves */
    int32_t broad_count;
    /* By row; the work reads the first four. */
    int32_t *demand, *allocated, *in_flight, *earmarked;
    int32_t *back;       /* slots that came back for it (rows/flight.h), for parents the sum */
    int32_t *net;        /* a member's quota above its allocation and `back`, also for parents */
    int32_t *first;      /* received in the first pass */
    uint8_t *touched_at; /* is it in `touched`? */
    /* By number. */
    int32_t *lack;                 /* deficits not served yet, */
    allot__bits lacking;           /* ... and numbers that have some */
    allot__bits getting;           /* leaves that are granted slots */
    allot__bits over;              /* rows of leaves that are over */
    allot__bits pass, may, second; /* families for the first pass, the sweep up, the second pass */
    allot__bits weighed;           /* families whose sums changed */
    allot__bits deep;              /* ... in which a leaf is over, and nodes may take slots */
    allot__bits nodes;             /* ... in which a node took slots */
    /* Of allot__digest_row: rows whose numbers may change in this cycle, as the cycle before left
     * them. */
    allot__vector touched;
    allot__digest digest;       /* of the last cycle's rows */
    allot__vector gave;         /* of int32_t: rows that give slots back in this cycle */
    allot__vector takes, gifts; /* of allot__take, of allot__follow_gift */
    allot__vector grants, reclaims, claims;
    allot__orders orders; /* made of these three */
    /* By row: slots in flight, and those that came back, as counted; 0 for rows not in `flying`. */
    int32_t *out, *in, *returned;
    allot__vector flying; /* of int32_t: rows with slots in flight, */
    allot__vector came;   /* ... and of allot__take: leaves for which slots came back, by row; */
    size_t came_before;   /* ... the first of them in the cycle before */
    int64_t back_sum;
    struct allot__follow_log *log;
    int64_t left;   /* idle slots left after the first pass */
    int32_t family; /* of the node that takes slots now, */
    int64_t owed;   /* ... and its slots owed to deficits inside */
    int status;     /* of failures that could not be returned at once */
} allot__follow;

/* The feature of plan or policy that prevents following a group of a sealed state; NULL: none. */
const char *allot__follow_why(const allot_state *state, int32_t group);
/* Computes a group of a state in full, to go on from it. Memory is in the arena, except for lists,
 * which are the engine's. EUSAGE: the group cannot be followed. ENOMEM. */
int allot__follow_begin(const allot_state *state, int32_t group, const allot__flown_all *flown,
                        allot__arena *arena, allot__follow *follow);
/* Frees the lists. */
void allot__follow_end(allot__follow *follow);

/* Opens it for changes. */
void allot__follow_open(allot__follow *follow);
/* Set a leaf's demand and allocation, and the slots in flight from and to a consumer. */
void allot__follow_demand(allot__follow *follow, int32_t row, int32_t slots);
void allot__follow_allocated(allot__follow *follow, int32_t row, int32_t slots);
void allot__follow_flight(allot__follow *follow, int32_t row, int32_t in_flight, int32_t earmarked);
/* Sets all reclaims that are in flight now. ENOMEM. */
int allot__follow_flights(allot__follow *follow, const allot__flown_all *flown);
/* Decides about the changes. ENOMEM; EUSAGE: a full pass is needed. After either error the columns
 * are invalid, and `follow` must be ended. */
int allot__follow_cycle(allot__follow *follow);

/* ---- All groups of a state ------------------------------------------------------------------- */

/* Kept by a state from one cycle to the next (allot__since). */
typedef struct allot__followed {
    allot__arena arena;
    const allot_plan *plan;
    int32_t count;
    bool lent; /* a decision reads it */
    allot__follow *groups;
} allot__followed;

/* again.c: goes on to the present sealed state. Returns NULL: *out, owned by the state and lent to
 * the decision, has all its columns and lists. Else why a full pass is needed; static. */
const char *allot__follow_again(const allot_state *state, const allot__flown_all *flown,
                                allot__followed **out);
/* After a full pass over a state with repeated decisions: lets the next one go on from here. */
void allot__follow_keep(const allot_state *state, const allot__flown_all *flown);
/* The decision that `all` was lent to has been freed. */
static inline void allot__follow_back(allot__followed *all)
{
    all->lent = false;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* rows.c: lists a row's numbers before it changes. NULL: it is listed already, or out of memory,
 * which follow->status then says. */
allot__digest_row *allot__follow_touch(allot__follow *follow, int32_t row);
/* Sets the slots that a member receives. */
void allot__follow_receive(allot__follow *follow, int32_t row, int64_t slots);
/* Sets a leaf's quota. */
void allot__follow_quota(allot__follow *follow, int32_t family, int32_t row, int32_t quota);
/* Once quotas are known: gives claimants the slots that came back for them. */
void allot__follow_return(allot__follow *follow);
/* Updates `net` of a member whose quota or allocation changed. */
void allot__follow_net(allot__follow *follow, int32_t family, int32_t row);
/* Updates the sums for one leaf; for all changed leaves, and marks nodes that may take slots. */
void allot__follow_settle_leaf(allot__follow *follow, int32_t row);
void allot__follow_settle(allot__follow *follow);

/* passes.c: C-5. EUSAGE: a parent got more slots than it can place. */
int allot__follow_distribute(allot__follow *follow);

/* reclaim.c: C-6, C-7. EUSAGE: a limit frees slots. ENOMEM. */
int allot__follow_log_take(allot__follow *follow, allot__arena *arena);
int allot__follow_reclaim(allot__follow *follow);
/* Takes back what the cycle before reclaimed. */
void allot__follow_forget(allot__follow *follow);

/* lists.c: grants, and reclaims with their claims. ENOMEM. */
int allot__follow_list(allot__follow *follow);

#endif
