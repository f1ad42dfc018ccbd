/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * whole.h: tasks that start with all their slots or not at all (C-13).
 *
 * A leaf *asks* if one of its tasks waits, or if it states no demand and so demands the slots of
 * its tasks. Of q slots it uses those of:
 *  1. its running tasks, except the victims that C-8 takes to come down to q;
 *  2. then its waiting tasks that fit into the rest and into its demand, in the order in which they
 *     start. Tasks that go wait, too, and come first: victims, the last one taken first, then tasks
 *     named by reclaims in flight, likewise, then pending tasks: the highest priority, the first
 *     submitted, the least id;
 *  3. with the option `pending` "strict" the first task that does not fit ends the list; with
 *     "skip" the list goes on behind it.
 *
 * Quotas:
 *  4. while any leaf uses less than min(demand, quota), the last such leaf in the order of
 *     distribution demands what it uses, in all groups that its tasks couple, and all quotas are
 *     computed anew;
 *  5. slots left then go to leaves in the order of distribution, each for its next task, if it fits
 *     in the group and within all limits and the leaf's own demand; again and again until no task
 *     fits. Unused slots of the leaf, then of branches above it, go first. The slots given are its
 *     `whole_part`. If a policy may not give a row all that is left (caps, a ledger, hosts that
 *     differ), the leaf demands its next task, too, and all quotas are computed anew: it keeps the
 *     task if it gets the slots and no row gets less.
 *
 * Tasks that have slots of several groups couple these groups for their leaf: such a task fits if
 * it fits in each, and goes in all if it goes in one (victims/leavers.h). The list of rule 3 ends
 * in the groups of the task that does not fit. Rule 4 takes groups in plan order.
 *
 * The slots that a leaf has decide which tasks start now (start.c). A task may be spread over
 * several hosts: like a grant, it needs room on all hosts together. So if hosts differ, slots may
 * be held for a leaf although its next task does not fit into them.
 */
#ifndef ALLOT_ENGINE_WHOLE_WHOLE_H
#define ALLOT_ENGINE_WHOLE_WHOLE_H

#include "engine/victims/victim.h"

/* An asking leaf in one group. Arrays of running tasks are in the order of going. */
typedef struct allot__side {
    allot__work *work;
    struct allot__asker *asker;
    int32_t index; /* among the asker's sides */
    int32_t row;
    int64_t running;  /* slots in use by work that is not going, */
    int64_t unlisted; /* ... of these, by work that the state does not list: it goes last */
    int64_t idle;     /* slots that the leaf has and does not use */
    int32_t count;    /* candidates: tasks that may go */
    int32_t going;    /* behind them in the arrays: tasks that go already, likewise */
    int64_t may;      /* slots of the candidates */
    int32_t *task, *slots;
    uint8_t *gone;  /* scratch: flags candidates that go */
    int64_t stays;  /* slots of running tasks that stay, of the quota looked at last */
    int64_t there;  /* as tasks start: slots available to start on */
    bool lined;     /* candidates are in order */
    bool anew;      /* ... which depends on the quota */
    int32_t looked; /* an asker's only side: the quota whose use was computed last, or -1, */
    int32_t used;   /* ... that use, */
    int32_t next;   /* ... slots of the task that is offered leftovers in a strict list; 0: none */
} allot__side;

/* An asking leaf, in the groups that its tasks couple: mostly one. */
typedef struct allot__asker {
    int32_t consumer;
    int32_t side_count;
    allot__side *sides;
    int32_t waits, going; /* waiting tasks; of these, the first `going` still run */
    const int32_t *task;  /* first numbers */
    const int32_t *slots; /* by task, by side */
    int32_t offered;      /* room.given when it was last offered leftovers, in vain */
} allot__asker;

/* How a side uses a quota. */
typedef struct allot__use {
    int64_t quota;
    int64_t stays; /* slots of running tasks that stay */
    int64_t rest;  /* unused slots of the quota; in start.c: left of those that are there, */
    int64_t wants; /* ... and of the demand */
    int64_t used;
    bool ended; /* no later task fits */
} allot__use;

/* A group's columns for whole tasks, by row. */
typedef struct allot__whole {
    const int32_t *stated; /* demands of leaves, */
    const int32_t *need;   /* ... needs, */
    allot__sums *sums;     /* ... and sums by family, before any demand is lowered */
    int32_t *demand;       /* work->demand: lowered to the slots that leaves can use */
    allot__side **sides;   /* NULL: the leaf does not ask */
    uint8_t *exhausted;    /* all waiting tasks fitted once, and the leaf demands still more */
    int32_t *fine_from, *fine_to; /* quotas that the leaf is known to use as far as it could: all of
                                     them if it does not ask, at first none if it does */
    /* Tasks that start: of row r, work->starting[r] first numbers from starts[start_first[r]] on.
     * NULL before allot__whole_start. */
    int32_t *starts, *start_first;
    bool skip;
    bool given; /* some row has a whole_part */
} allot__whole;

/* Scratch space for one asker: by side, and by waiting task. */
typedef struct allot__whole_room {
    int64_t *used, *more, *left;
    int32_t *slots;
    bool *ended;
    struct allot__leavers *leavers;
    int32_t *place; /* by number of a task */
    int32_t *went;  /* first numbers of victims, the last one first, */
    int32_t gone;   /* ... and the number of victims */
    int32_t given;  /* rule 5: 1 + the number of tasks that got leftovers */
    struct allot__batch *batch;
} allot__whole_room;

/* The groups of a cycle in which leaves ask. */
typedef struct allot__whole_all {
    allot__work **works;
    allot__victims **victims;
    int32_t count;
    int (*divide)(allot__work *work); /* need and quota, from the beginning */
    allot__arena *arena;
    allot__unit_rows *tables; /* by group, to read units */
    allot__asker *askers;
    int32_t asker_count;
    struct allot__whole_again *again; /* by group: how to compute quotas anew (again.h) */
    allot__use *uses;                 /* scratch, by side */
    uint8_t *marks;                   /* scratch, by waiting task */
    allot__whole_room room;
} allot__whole_all;

/* Before need: finds askers, makes work->whole, and gives the work its own copy of demand. ENOMEM,
 * or what a policy's function failed with. */
int allot__whole_begin(allot__whole_all *all);
/* After quotas: rules 4 and 5. Likewise. */
int allot__whole_lower(allot__whole_all *all);
/* Once work->received is known: finds the tasks that start. ENOMEM. */
int allot__whole_start(allot__whole_all *all);

/* use.c: fills in how an asker's sides use the quotas in `uses`; `marks`, unless NULL, gets by
 * waiting task whether it fits. ENOMEM, or what a policy's function failed with. */
int allot__whole_use(allot__whole_all *all, const allot__asker *asker, allot__use *uses,
                     uint8_t *marks);

/* The same of the present quotas, in all->uses. */
int allot__whole_use_now(allot__whole_all *all, const allot__asker *asker, uint8_t *marks);
/* Does a waiting task fit into what is left? */
bool allot__whole_fits(const allot__asker *asker, int32_t task, const allot__use *uses);
/* Takes a task that fits off what is left; one that does not ends a strict list. */
void allot__whole_put(const allot__asker *asker, int32_t task, bool fit, allot__use *uses);

/* The slots of a waiting task on a side; 0: none. */
static inline int32_t allot__waits_for(const allot__asker *asker, int32_t i, int32_t side)
{
    return asker->slots[(size_t)i * (size_t)asker->side_count + (size_t)side];
}

/* rest.c: of `more` slots for a row's quota, those that are missing: left neither in the group nor
 * in branches above the row, or above a limit; *limited is the limit's row, else -1. */
int64_t allot__whole_missing(const allot__work *work, int32_t row, int64_t more, int32_t *limited);

#endif
