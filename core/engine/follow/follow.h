/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * follow.h: a cycle that goes on from the one before: it computes what changes reach, and leaves
 * the group's columns as a full pass would.
 *
 * A change of a leaf goes up to the root in sums. Families whose rows need, or have together,
 * something else get their quotas anew, parents first; then both passes of C-5 go through families
 * in which somebody's quota or allocation is another, or who are passed something else; then slots
 * are reclaimed at nodes where somebody is over and somebody lacks slots, or a limit may break.
 * Families in which none of that happens are not looked at. Of a family of many leaves only those
 * rows are that change (broad.h).
 *
 * That is known for policies whose fills go by columns of the plan; and only where leaves take and
 * give by the default orders, without ledgers, functions, hosts, tasks, windows or whatever keeps
 * slots back: allot__follow_why. Others are decided about by full passes.
 */
#ifndef ALLOT_ENGINE_FOLLOW_FOLLOW_H
#define ALLOT_ENGINE_FOLLOW_FOLLOW_H

#include "engine/follow/broad.h"
#include "engine/quota/again.h"
#include "engine/reclaim/orders.h"
#include "engine/rows/in_flight.h"
#include "base/bits.h"

/* What the passes know of a family, beside its sums. */
typedef struct allot__follow_family {
    int64_t quotas;        /* of its members */
    int64_t nets;          /* ... and what they have less than that */
    int64_t leaves_lack;   /* what its leaves lack of that after the first pass, */
    int64_t parents_may;   /* and what its parents may take in the second */
    int64_t may;           /* what its own parent may, */
    int64_t second;        /* and does */
    int64_t spare_quota;   /* of its last member (C-5) */
    int64_t spare_first;   /* what that gets in the first pass, */
    int64_t spare_deficit; /* and what it lacks after both */
    int32_t above;         /* the family that its parent is a member of */
    allot__broad *broad;   /* NULL: its rows are gone through */
} allot__follow_family;

/* A leaf whose numbers may be others than in the cycle before, and what they were. */
typedef struct allot__follow_touched {
    int32_t row;
    int32_t demand, allocated, quota, received, over, reclaimed;
} allot__follow_touched;

/* Slots of a leaf, by number, that go to another; to < 0: to nobody. */
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
    /* By row; of the first four the work reads these. */
    int32_t *demand, *allocated, *in_flight, *earmarked;
    int32_t *net;        /* quota above what a member has, of parents too */
    int32_t *first;      /* received in the first pass */
    uint8_t *touched_at; /* whether it is listed below */
    /* By number. */
    int32_t *lack;                 /* what nothing serves yet, */
    allot__bits lacking;           /* ... where that is something */
    allot__bits getting;           /* leaves that are granted slots */
    allot__bits over;              /* rows of leaves that are over */
    allot__bits pass, may, second; /* families to be passed through: first, upwards, second */
    allot__bits weighed;           /* families whose sums are others */
    allot__bits deep;              /* ... in which somebody is over, and may be asked for that */
    allot__bits nodes;             /* ... in which somebody took slots */
    allot__vector touched;         /* of allot__follow_touched */
    allot__vector gave;            /* of int32_t: rows that give slots back in this cycle */
    allot__vector takes, gifts;    /* of allot__take, of allot__follow_gift */
    allot__vector grants, reclaims, claims;
    allot__orders orders; /* these */
    /* By row, zeroed but for rows that are listed: slots in flight as they are counted. */
    int32_t *out, *in;
    allot__vector flying; /* of int32_t: rows that have some */
    struct allot__follow_log *log;
    int64_t left;   /* of the idle slots, after the first pass */
    int32_t family; /* of the node that takes now, */
    int64_t owed;   /* ... and what of its slots is for deficits inside */
    int status;     /* of what could not be told at once */
} allot__follow;

/* What stands in the way of going on from a group of a sealed state, as far as its plan and its
 * policy tell; NULL: nothing does. */
const char *allot__follow_why(const allot_state *state, int32_t group);
/* Computes a group of a state anew, to go on from it. Memory is of the arena, but for lists, which
 * are the engine's. EUSAGE: something stands in the way. ENOMEM. */
int allot__follow_begin(const allot_state *state, int32_t group, const allot__flown_all *flown,
                        allot__arena *arena, allot__follow *follow);
/* Ends the lists. */
void allot__follow_end(allot__follow *follow);

/* Begins to tell it of changes. */
void allot__follow_open(allot__follow *follow);
/* A leaf demands, and has, so many slots now; a consumer gives back, and is given, so many. */
void allot__follow_demand(allot__follow *follow, int32_t row, int32_t slots);
void allot__follow_allocated(allot__follow *follow, int32_t row, int32_t slots);
void allot__follow_flight(allot__follow *follow, int32_t row, int32_t in_flight, int32_t earmarked);
/* All reclaims that are in flight now. ENOMEM. */
int allot__follow_flights(allot__follow *follow, const allot__flown_all *flown);
/* Decides about what changed. ENOMEM; EUSAGE: it takes a full pass. After either the columns are no
 * decision's, and follow is to be ended. */
int allot__follow_cycle(allot__follow *follow);

/* ---- All groups of a state ------------------------------------------------------------------- */

/* What a state keeps from one cycle to the next (allot__since). */
typedef struct allot__followed {
    allot__arena arena;
    const allot_plan *plan;
    int32_t count;
    bool lent; /* a decision reads it */
    allot__follow *groups;
} allot__followed;

/* again.c: goes on to what a sealed state is now. NULL: *out is the state's, with all columns and
 * lists of the decision, and lent to it. Else why it takes a full pass; static. */
const char *allot__follow_again(const allot_state *state, const allot__flown_all *flown,
                                allot__followed **out);
/* After a full pass over a state that is decided about again and again: the next may go on. */
void allot__follow_keep(const allot_state *state, const allot__flown_all *flown);
/* The decision that it was lent to is no more. */
static inline void allot__follow_back(allot__followed *all)
{
    all->lent = false;
}

/* ---- Steps of it ----------------------------------------------------------------------------- */

/* rows.c: a leaf that is about to change: lists its numbers as they are. NULL: it is listed, or
 * there was no memory, which status tells. */
allot__follow_touched *allot__follow_touch(allot__follow *follow, int32_t row);
/* A member receives so much now. */
void allot__follow_receive(allot__follow *follow, int32_t row, int64_t slots);
/* A leaf has another quota. */
void allot__follow_quota(allot__follow *follow, int32_t family, int32_t row, int32_t quota);
/* A member's quota is another, or what it has: how much of it is not served. */
void allot__follow_net(allot__follow *follow, int32_t family, int32_t row);
/* What the sums have of a leaf; of all that changed, and which nodes may take slots. */
void allot__follow_settle_leaf(allot__follow *follow, int32_t row);
void allot__follow_settle(allot__follow *follow);

/* passes.c: C-5. EUSAGE: a parent was passed more than it can place. */
int allot__follow_distribute(allot__follow *follow);

/* reclaim.c: C-6, C-7. EUSAGE: a limit frees slots. ENOMEM. */
int allot__follow_log_take(allot__follow *follow, allot__arena *arena);
int allot__follow_reclaim(allot__follow *follow);
/* Takes back what the cycle before reclaimed. */
void allot__follow_forget(allot__follow *follow);

/* lists.c: grants, and reclaims with their claims. ENOMEM. */
int allot__follow_list(allot__follow *follow);

#endif
