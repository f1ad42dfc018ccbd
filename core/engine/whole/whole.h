/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * whole.h: tasks that start with all their slots or not at all (C-13).
 *
 * A leaf *asks* if one of its tasks waits, or if it states no demand, so that it demands the slots
 * of its tasks. Of q slots it uses:
 *  1. its running tasks but the victims that C-8 takes to come down to q;
 *  2. behind them its tasks that wait and fit into the rest and into its demand, in the order in
 *     which they start. Who goes stands first among those that wait: of victims the last one taken,
 *     then what reclaims in flight name, likewise, then what is pending: the highest priority, the
 *     first submitted, the least id;
 *  3. with the option `pending` "strict" the first that does not fit ends the list; with "skip" it
 *     is passed by.
 *
 * Quotas:
 *  4. while a leaf uses less than min(demand, quota), the last such one in the order of
 *     distribution demands what it uses, in all groups that its tasks couple, and all quotas are
 *     computed anew;
 *  5. what is left then, by leaf in the order of distribution: the next task, if there is room for
 * it in the group and within all limits, the leaf's own demand too; again and again until there is
 *     none. Slots of the leaf, or of a branch above it, that nobody uses go first. That is `part`.
 *     Where a policy gives a row no more whatever is left (caps, a ledger, hosts that differ) it is
 *     asked: the leaf demands its next task, too, and keeps that if it gets it and nobody gets
 * less.
 *
 * A leaf's groups are coupled by tasks that have slots of several: such a one fits where it fits in
 * each, and goes in all where it goes in one (victims/leavers.h). The list of rule 3 ends in the
 * groups of the task that does not fit. Rule 4 takes groups in plan order.
 *
 * Which tasks start now follows from the slots that the leaf has (start.c). On hosts a task may be
 * spread over several: that they have room for its slots together is all that is asked, as grants
 * are. Where hosts differ a leaf may so be held slots that its next task does not fit into.
 */
#ifndef ALLOT_ENGINE_WHOLE_WHOLE_H
#define ALLOT_ENGINE_WHOLE_WHOLE_H

#include "engine/victims/victim.h"

/* What an asking leaf has in one group. Arrays of what runs are in the order of going. */
typedef struct allot__side {
    allot__work *work;
    struct allot__asker *asker;
    int32_t index; /* among the asker's sides */
    int32_t row;
    int64_t running;  /* slots of what runs and is not going, */
    int64_t unlisted; /* ... of these, of what the state lists no task of: it goes last */
    int64_t idle;     /* slots that it has and that nothing uses */
    int32_t count;    /* tasks that may go */
    int32_t going;    /* behind them: tasks that go already, likewise */
    int64_t may;      /* slots of these */
    int32_t *task, *slots;
    uint8_t *gone; /* room: who of them goes */
    /* As tasks start: slots of what stays of that which runs, and slots that are there to start
     * on. */
    int64_t stays, there;
    bool anew; /* their order is another one for each quota */
} allot__side;

/* A leaf, in the groups that its tasks couple: mostly one. */
typedef struct allot__asker {
    int32_t consumer;
    int32_t side_count;
    allot__side *sides;
    int32_t waits, going; /* tasks that wait; the first of these are still there */
    int32_t *task;        /* first numbers */
    int32_t *slots;       /* by task, side by side */
    int32_t offered;      /* what was given when it was last offered what is left, in vain */
} allot__asker;

/* One side's part of what is used of a quota. */
typedef struct allot__use {
    int64_t quota;
    int64_t stays; /* of what runs */
    int64_t rest;  /* of the quota, that nothing fits into, */
    int64_t wants; /* ... and of the demand */
    int64_t used;
    bool ended; /* nothing behind fits */
} allot__use;

/* No such quota is known; the leaf does not ask. */
enum { ALLOT__WHOLE_UNKNOWN = -1, ALLOT__WHOLE_NOBODYS = -2 };

/* What a group's work keeps of it: by row. */
typedef struct allot__whole {
    const int32_t *stated; /* what leaves demand */
    const int32_t *need;   /* ... and need, */
    allot__sums *sums;     /* ... and parents, by family: before any demand is lowered */
    int32_t *demand;       /* ... as far as they can use it: the work's */
    allot__side **sides;   /* NULL: it does not ask */
    uint8_t *exhausted;    /* all that waits fitted once, and it demands more than that */
    int32_t *fine;         /* a quota of which the leaf uses what it could; or UNKNOWN, NOBODYS */
    /* Tasks that start, of row r work->starting[r] from starts[start_first[r]] on: first numbers.
     * NULL before allot__whole_start. */
    int32_t *starts, *start_first;
    bool skip;
    bool given; /* some row has a whole_part */
} allot__whole;

/* Room for what is found out of an asker: by side, and by task that waits. */
typedef struct allot__whole_room {
    int64_t *used, *more, *left;
    int32_t *slots;
    bool *ended;
    struct allot__leavers *leavers;
    int32_t *place; /* by number of a task */
    int32_t *went;  /* who goes, the last one first: first numbers, */
    int32_t gone;   /* ... and how many */
    int32_t given;  /* rule 5: 1, and one more for each task that got what is left */
    struct allot__batch *batch;
} allot__whole_room;

/* The groups of a cycle in which something waits. */
typedef struct allot__whole_all {
    allot__work **works;
    allot__victims **victims;
    int32_t count;
    int (*divide)(allot__work *work); /* need and quota, from the beginning */
    allot__arena *arena;
    allot__asker *askers;
    int32_t asker_count;
    struct allot__whole_again *again; /* by group: how to compute quotas anew (again.h) */
    allot__use *uses;                 /* room: by side */
    uint8_t *marks;                   /* room: by task that waits */
    allot__whole_room room;
} allot__whole_all;

/* Before need: finds who asks, so that work->whole is there and work->demand its own. ENOMEM, and
 * what a policy's function fails with. */
int allot__whole_begin(allot__whole_all *all);
/* After quotas: rules 4 and 5. Likewise. */
int allot__whole_lower(allot__whole_all *all);
/* Once it is known what leaves receive: which tasks start. ENOMEM. */
int allot__whole_start(allot__whole_all *all);

/* asker.c: what of a quota its sides use, `uses` having the quotas; `marks` is by task that waits:
 * who of them fits, or NULL. ENOMEM, and what a policy's function fails with. */
int allot__whole_use(allot__whole_all *all, const allot__asker *asker, allot__use *uses,
                     uint8_t *marks);

/* The slots of a task that waits, on a side; 0: it has none there. */
static inline int32_t allot__waits_for(const allot__asker *asker, int32_t i, int32_t side)
{
    return asker->slots[(size_t)i * (size_t)asker->side_count + (size_t)side];
}

/* rest.c: of so much more for a row's quota, how much is not there: it is left neither in the group
 * nor in branches above the row, or a limit does not allow it: *limited has the limit's row, else
 * -1. */
int64_t allot__whole_missing(const allot__work *work, int32_t row, int64_t more, int32_t *limited);

#endif
