/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * turn.h: types and functions that the files of dispatching share.
 *
 * A *turn* is a queue, or several of equal PRIORITY that go as one. Its jobs stand in one list,
 * those to resume first, then those to start. A turn remembers what did not fit, by queue or, if
 * limits differ, by class of jobs: until a host has more free, jobs that ask for as much or more do
 * not fit either.
 *
 * Turns follow each other until one frees something beyond its need (rule 7 of dispatch.h): then
 * they begin again from the first. A turn that was tried knows which of its jobs still wait, and
 * how many slots must become free before one of them may fit.
 */
#ifndef ALLOT_ENGINE_JOBS_TURN_H
#define ALLOT_ENGINE_JOBS_TURN_H

#include "engine/jobs/dispatch.h"

/* While view.gains is `gains`, jobs of `slots` slots or more do not fit (or find no victims):
 * because of `why` up to `most` slots, of `above` beyond. While view.gains is `from_gains`, hosts
 * before `from` have nothing for any of them. */
typedef struct allot__missed {
    int64_t gains, slots, most, from_gains;
    int32_t from, binding;
    uint8_t why, above;
} allot__missed;

typedef struct allot__turn {
    const int32_t *queues; /* one, or several */
    int32_t queue_count, pool;
    int32_t *jobs; /* in order: suspended ones, then pending ones */
    int32_t suspended, count;
    int32_t at;     /* the first that has not been tried */
    int32_t *waits; /* jobs before `at` that waited when last tried; some may run by now */
    int32_t waiting;
    int32_t next; /* in a pool: the first job that leftover rounds have not tried */
    bool listed, grows;
    bool anew;    /* jobs were added: list it again and try it from its first job */
    int64_t seen; /* turns.freed, when it was last tried */
    int64_t lack; /* slots that must become free since then before a waiting job may fit */
} allot__turn;

/* Use of a host, bound or resource before a job that uses it is preempted. */
typedef struct allot__turn_mark {
    enum { ALLOT__MARK_HOST, ALLOT__MARK_BOUND, ALLOT__MARK_RESOURCE } kind;
    int32_t number;
    int64_t before[2];
} allot__turn_mark;

/* A pool during dispatch. */
typedef struct allot__pool_turn {
    int32_t *order; /* its queues, in the order in which slices are cut */
    int32_t reached, cuts;
    int64_t taken_at; /* slots that all queues, and its own, had taken at the last cut */
    int64_t own_at;
    int32_t orders_at, places_at; /* ... and the orders and places that there were */
} allot__pool_turn;

typedef struct allot__turns {
    allot__work *work;
    allot__dispatched *out;
    const allot__queues *queues;
    const allot__jobs *jobs;
    int64_t *keys[ALLOT_KEYS_MAX]; /* by job, signed so that smaller goes first; those that need
                                      only the job are read as jobs are sorted */
    int32_t key_count;
    uint8_t *states;               /* by job: its state by now; COUNT: ended */
    int32_t *list, *waits, *other; /* jobs of all turns, turn by turn; `other`: scratch to sort */
    int32_t listed;
    allot__turn *all; /* in order */
    int32_t count;
    allot__turn **of_queue;        /* by queue: its turn */
    bool *grows;                   /* by queue: some running job wants more slots */
    bool pools_grow;               /* ... one of a pool */
    uint8_t *grown;                /* by job: it got slots to grow by in this cycle */
    bool stopped;                  /* some job was stopped by its user */
    bool again;                    /* something became free: begin again */
    bool turned_back;              /* dispatch has begun again: turns may be tried again */
    bool withdraws;                /* orders are taken back while a job is tried without them */
    bool cancels;                  /* some orders were taken back */
    int64_t freed;                 /* slots, and units of limits, that became free so */
    allot__vector marks;           /* of allot__turn_mark */
    allot__vector holds, holding;  /* for back.c; the latter of allot__job_place */
    int64_t *fresh;                /* by queue: orders that gave its jobs slots */
    uint8_t *reached;              /* by queue of a pool */
    allot__job_place *back_places; /* scratch: the places of an order */
    int32_t *runs_on, *gone_by;    /* by job, for back.c */
    int64_t *slice, *first;        /* by queue of a pool (slices.h) */
    allot__pool_turn *pools;
    allot__slice_row *rows; /* scratch: the rows of one pool */
    int64_t taken;          /* slots given to jobs in this cycle; `own`: by pool, to its own jobs */
    int64_t *own;
    int64_t *held;    /* by pool: slots that its queues use */
    int64_t *kept;    /* by pool: what reservations keep of it while a job is tried (allowance.c) */
    int64_t *pending; /* by queue: slots */
    allot__missed *fits, *searches, *backs; /* by class, then by queue, `kinds` each: the second for
                                    exclusive jobs */
    int32_t kinds;                          /* 1 without exclusive jobs, else 2 */
    allot__job_place *places;               /* of the job that is being put on hosts */
    int32_t place_count;
    int32_t *hosts;                 /* room for all */
    struct allot__reserve *reserve; /* reserve.h; NULL: nothing is ever reserved */
    bool leftover;                  /* rule 6: slices do not bind, no job is preempted */
} allot__turns;

static inline int32_t allot__turn_pool(const allot__turns *turns, int32_t queue)
{
    return turns->queues->pool_of[queue];
}

/* Slots that MAX_SLOTS_IN_POOL leaves a pool; INT64_MAX: it does not bind. */
static inline int64_t allot__pool_left(const allot__turns *turns, int32_t pool)
{
    int32_t most = turns->queues->pools[pool].most;
    int64_t used = turns->held[pool] + turns->kept[pool];
    return most == ALLOT_NONE ? INT64_MAX : most > used ? most - used : 0;
}

/* Prefetches what a try of the job reads, as jobs of a turn are scattered in memory: first where it
 * is, then the job. */
ALLOT__INLINE void allot__job_announce(const allot__turns *turns, int32_t number)
{
    __builtin_prefetch(&turns->out->jobs[number]);
    __builtin_prefetch(&turns->jobs->briefs[number]);
    __builtin_prefetch((const void *const *)turns->jobs->list.items + number);
}
ALLOT__INLINE void allot__job_call(const allot__turns *turns, int32_t number)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    __builtin_prefetch(&job->preempted);
    __builtin_prefetch(&job->place_count);
}

/* fit.c: rule 5 for the jobs of a queue. */
int allot__turn_grow(allot__turns *turns, int32_t queue);
/* rows.c: writes the queues' rows of the tree. ENOMEM. */
int allot__dispatch_rows(allot__turns *turns);
/* begin.c: allocates all but the keys. ENOMEM. */
int allot__turns_make(allot__turns *turns);
/* Counts parts and decayed use; ends jobs that backfill and closed hosts must end. ENOMEM. */
int allot__dispatch_begin(allot__turns *turns);
/* list.c: the keys of the policy's dispatch that need more than the job. ENOMEM, ESCRIPT, EBUDGET.
 */
int allot__turn_keys(allot__turns *turns);
/* Lists the jobs of a turn. ENOMEM. */
int allot__turn_list(allot__turns *turns, allot__turn *turn);
/* Jobs that their users stopped claim their slots. */
void allot__turn_claim_stopped(allot__turns *turns, const allot__turn *turn);
/* Sorts numbers, ascending. */
void allot__sort_numbers(int32_t *numbers, int32_t count);
/* Sorts jobs by such keys. */
void allot__turn_sort(allot__turns *turns, int64_t *const *keys, int32_t key_count, int32_t *jobs,
                      int32_t count);

/* again.c: notes the use of a victim before it is preempted; ENOMEM. Then, once the preemptor has
 * its slots: did anything else become free, or are there more candidates? */
int allot__again_mark(allot__turns *turns, int32_t job);
int allot__again_mark_places(allot__turns *turns, int32_t job, const allot__job_place *places,
                             int32_t count);
void allot__again_look(allot__turns *turns, int32_t job);
/* back.c: a job that neither fits nor finds victims takes back slots given in this cycle to jobs
 * that it may preempt, if it then fits; those jobs wait again. ENOMEM, ESCRIPT, EBUDGET. */
int allot__back_take(allot__turns *turns, int32_t job, bool *done);
/* Removes orders that were taken back; the others keep their sequence. */
int allot__back_finish(allot__turns *turns);

/* A job waits for held victims, its places taken; or no longer waits. ENOMEM. */
int allot__hold_take(allot__turns *turns, const allot__found *found);
int allot__hold_leave(allot__turns *turns, int32_t job);

/* place.c: puts a job on hosts that have slots, in their order, until there are enough: on
 * turns->places. Returns how many are lacking. *from: in: the first host to visit, out: the first
 * that has slots for it. *binding: the first bound that leaves fewer slots of a host than are free,
 * or -1. */
int32_t allot__place_on_hosts(allot__turns *turns, int32_t job, int32_t *from, int32_t *binding);

/* fit.c: finds places for a pending job, or takes a suspended job's own; false: the reason is in
 * verdict.why and verdict.binding; of ALLOT_PEND_BEHIND the job before it, or -1. */
bool allot__fit_start(allot__turns *turns, int32_t job);
/* Passes over the first jobs of a turn that are known not to fit, and that could not preempt: as if
 * each was tried. Returns how many; *lack becomes the least of theirs, too (allot__fit_lack). */
int32_t allot__fit_pass(allot__turns *turns, const int32_t *jobs, int32_t count, int64_t *lack);
bool allot__fit_resume(allot__turns *turns, int32_t job);
/* What is known of jobs like this one taking slots back. */
allot__missed *allot__fit_back_known(allot__turns *turns, int32_t job);
/* The least number of slots that must become free before a waiting job may fit. */
int64_t allot__fit_lack(allot__turns *turns, int32_t job);
/* Finds victims for a job, preempts them and finds its places; *done false: the reason is in
 * verdict.why. ENOMEM, ESCRIPT, EBUDGET. */
int allot__fit_preempting(allot__turns *turns, int32_t job, bool *done);
/* Tries to start a pending job, on free slots or by preemption. */
int allot__turn_start(allot__turns *turns, int32_t job, const char *reason, bool *started);

/* order.c: orders to jobs. */
int allot__order_start(allot__turns *turns, int32_t job, const char *reason);
int allot__order_resume(allot__turns *turns, int32_t job, const char *reason);
int allot__order_grow(allot__turns *turns, int32_t job);
/* Applies (1) or takes back (-1) what an order with these places does to hosts and limits. */
int allot__order_effect(allot__turns *turns, allot_order_kind kind, int32_t job,
                        const allot__job_place *places, int32_t count, int32_t sign);
/* The number of places that an order gave a job, from `places`, or else the job's own. The capacity
 * of `room` is the number of hosts. */
int32_t allot__order_places(const allot__work *work, const allot_job_order *order,
                            const allot_place *places, allot__job_place *room,
                            const allot__job_place **out);
/* An order to stop, for the job `preemptor`, or if that is -1 for `reason`. */
typedef struct allot__stop {
    int32_t job, preemptor;
    allot_action action;
    bool held;
    const char *reason;
    int64_t closed; /* its slots on hosts that are closed */
} allot__stop;
int allot__order_stop(allot__turns *turns, const allot__stop *stop);
/* Adds slots to those that a queue's jobs use. */
void allot__turn_use(allot__turns *turns, int32_t queue, int64_t slots);

/* pool.c: a queue of a pool is reached; rule 6; dispatch begins again, so no queue is reached. */
int allot__pool_reach(allot__turns *turns, int32_t queue);
int allot__pool_rest(allot__turns *turns, int32_t pool);
void allot__pools_reset(allot__turns *turns);

#endif
