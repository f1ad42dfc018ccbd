/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * turn.h: what the files of dispatching share.
 *
 * A *turn* is a queue, or several of equal PRIORITY that go as one. Its jobs stand in one list,
 * those to resume first, then those to start. A turn remembers what did not fit, by queue or, if
 * limits differ, by class of jobs: until a host has more free, jobs that ask for as much do not fit
 * either.
 *
 * Turns follow each other until one leaves something free that was not free before (rule 7 of
 * dispatch.h): then they begin again from the first. A turn that was tried knows which of its jobs
 * still wait, and how many slots must become free before one of them may fit.
 */
#ifndef ALLOT_ENGINE_JOBS_TURN_H
#define ALLOT_ENGINE_JOBS_TURN_H

#include "engine/jobs/dispatch.h"

/* The least that does not fit (or finds no victims), while view.gains is `gains`: so many slots.
 * And why, up to `most`; above it, as `above` says. Hosts before `from` have nothing for any, while
 * view.gains is `from_gains`. */
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
    int32_t *waits; /* jobs before it that waited when tried last; some may run by now */
    int32_t waiting;
    int32_t next; /* of a pool's: the first that leftover rounds have not tried */
    bool listed, grows;
    bool anew;    /* some came to wait: it is listed again, and tried from its first job on */
    int64_t seen; /* turns.freed, when it was gone through last */
    int64_t lack; /* then so much more has to be free before one of those that wait may fit */
} allot__turn;

/* What some job has in use, before it goes. */
typedef struct allot__turn_mark {
    enum { ALLOT__MARK_HOST, ALLOT__MARK_BOUND, ALLOT__MARK_RESOURCE } kind;
    int32_t number;
    int64_t before[2];
} allot__turn_mark;

/* A pool on its way. */
typedef struct allot__pool_turn {
    int32_t *order; /* its queues, in the order in which slices are cut */
    int32_t reached, cuts;
    int64_t taken_at; /* slots that all and that its own queues had taken at the last cut */
    int64_t own_at;
    int32_t orders_at, places_at; /* ... and orders given, and their places */
} allot__pool_turn;

typedef struct allot__turns {
    allot__work *work;
    allot__dispatched *out;
    const allot__queues *queues;
    const allot__jobs *jobs;
    int64_t *keys[ALLOT_KEYS_MAX]; /* by job, turned so that less goes first */
    int32_t key_count;
    uint8_t *states;               /* by job: as it stands; COUNT: it went, and starts no more */
    int32_t *list, *waits, *other; /* of all turns' jobs, one turn behind another; room to sort */
    int32_t listed;
    allot__turn *all; /* in order */
    int32_t count;
    allot__turn **of_queue;        /* by queue: its turn */
    bool *grows;                   /* by queue: some running job wants more slots */
    bool pools_grow;               /* ... one of a pool */
    uint8_t *grown;                /* by job: it was given some in this cycle */
    bool stopped;                  /* some job was stopped by its user */
    bool again;                    /* something is free that was not */
    bool turned_back;              /* it was so before: turns that come now may have been there */
    bool withdraws;                /* orders are taken back, and it is tried without them */
    bool cancels;                  /* some orders were taken back */
    int64_t freed;                 /* slots, and limits, that became free so */
    allot__vector marks;           /* of allot__turn_mark */
    allot__vector holds, holding;  /* back.c's; the latter of allot__job_place */
    int64_t *fresh;                /* by queue: orders by which its jobs got slots */
    uint8_t *reached;              /* by queue of a pool */
    allot__job_place *back_places; /* room for those of an order */
    int32_t *runs_on, *gone_by;    /* by job: back.c's */
    int64_t *slice, *first;        /* by queue of a pool (slices.h) */
    allot__pool_turn *pools;
    allot__slice_row *rows; /* room for one pool's */
    int64_t taken;          /* slots that jobs got in this cycle, and by pool its own jobs' */
    int64_t *own;
    int64_t *held;                          /* by pool: what its queues use */
    int64_t *pending;                       /* by queue: slots */
    bool *preempts;                         /* by queue: it may preempt some other */
    allot__missed *fits, *searches, *backs; /* by class, then by queue, `kinds` of each: exclusive
                                    jobs have their own */
    int32_t kinds;                          /* 1 without exclusive jobs, else 2 */
    allot__job_place *places;               /* of the job that is being put on hosts */
    int32_t place_count;
    int32_t *hosts; /* room for all */
    bool leftover;  /* rule 6: slices do not bind, no job is preempted */
} allot__turns;

static inline int32_t allot__turn_pool(const allot__turns *turns, int32_t queue)
{
    return turns->queues->pool_of[queue];
}

/* Calls for what is read to try a job: jobs of a turn are scattered in memory. */
static inline void allot__job_call(const allot__turns *turns, int32_t number)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    __builtin_prefetch(&turns->out->jobs[number]);
    __builtin_prefetch(&job->queue);
    __builtin_prefetch(&job->preempted);
}

/* fit.c: rule 5 for the jobs of a queue. */
int allot__turn_grow(allot__turns *turns, int32_t queue);
/* rows.c: what the tree's rows show of queues. ENOMEM. */
int allot__dispatch_rows(allot__turns *turns);
/* begin.c: takes room for all of it, but the keys. ENOMEM. */
int allot__turns_make(allot__turns *turns);
/* Counts parts and decayed use; ends what backfill and closed hosts must end. ENOMEM. */
int allot__dispatch_begin(allot__turns *turns);
/* list.c: the keys of the policy's dispatch: room for those that need nothing but the job, which
 * are read job by job; ENOMEM. And then the others; ENOMEM, ESCRIPT, EBUDGET. */
int allot__turn_keys_take(allot__turns *turns);
void allot__turn_keys_read(allot__turns *turns, int32_t number, const allot__job *job);
int allot__turn_keys(allot__turns *turns);
/* Lists the jobs of a turn. */
void allot__turn_list(allot__turns *turns, allot__turn *turn);
/* Jobs that their users stopped claim their slots. */
void allot__turn_claim_stopped(allot__turns *turns, const allot__turn *turn);
/* Makes numbers rise. */
void allot__sort_numbers(int32_t *numbers, int32_t count);
/* Sorts jobs by such keys. */
void allot__turn_sort(allot__turns *turns, int64_t *const *keys, int32_t key_count, int32_t *jobs,
                      int32_t count);

/* again.c: what jobs have in use is noted before they go for another; ENOMEM. And once
 * that one has its slots: is anything free that was not, or is there more to preempt? */
int allot__again_mark(allot__turns *turns, int32_t job);
int allot__again_mark_places(allot__turns *turns, int32_t job, const allot__job_place *places,
                             int32_t count);
void allot__again_look(allot__turns *turns, int32_t job);
/* back.c: a job that does not fit, nor finds victims, takes back what jobs were given in
 * this cycle that it may preempt, if it then fits; they wait again. ENOMEM, ESCRIPT, EBUDGET. */
int allot__back_take(allot__turns *turns, int32_t job, bool *done);
/* Leaves those orders that are some still, in their order. */
int allot__back_finish(allot__turns *turns);

/* A job waits for victims that are held back, with its places found; and does so
 * no longer. ENOMEM. */
int allot__hold_take(allot__turns *turns, const allot__found *found);
int allot__hold_leave(allot__turns *turns, int32_t job);

/* fit.c: finds places for a pending job, or of a suspended one its own; false: verdict.why
 * and verdict.binding say why not. */
bool allot__fit_start(allot__turns *turns, int32_t job);
bool allot__fit_resume(allot__turns *turns, int32_t job);
/* What is known of where jobs like that take others' slots back. */
allot__missed *allot__fit_back_known(allot__turns *turns, int32_t job);
/* Of a job that waits: so many slots more have to be free, at least, before it may fit. */
int64_t allot__fit_lack(allot__turns *turns, int32_t job);
/* Victims for it are found and put aside, and it has places; false: verdict.why says why not.
 * Negative status: ENOMEM, ESCRIPT, EBUDGET. */
int allot__fit_preempting(allot__turns *turns, int32_t job, bool *done);
/* Tries to start a pending job, where it fits or for victims. */
int allot__turn_start(allot__turns *turns, int32_t job, const char *reason, bool *started);
/* Slots that MAX_SLOTS_IN_POOL leaves a pool; INT64_MAX: it does not bind. */
int64_t allot__pool_left(const allot__turns *turns, int32_t pool);

/* order.c: what is done to jobs. */
int allot__order_start(allot__turns *turns, int32_t job, const char *reason);
int allot__order_resume(allot__turns *turns, int32_t job, const char *reason);
int allot__order_grow(allot__turns *turns, int32_t job);
/* What one of these does to hosts and limits; or (-1) is taken back. `places` are its own. */
int allot__order_effect(allot__turns *turns, allot_order_kind kind, int32_t job,
                        const allot__job_place *places, int32_t count, int32_t sign);
/* The places that an order gave a job: of `places`, or its own; how many. `room` has as many as
 * there are hosts. */
int32_t allot__order_places(const allot__work *work, const allot_job_order *order,
                            const allot_place *places, allot__job_place *room,
                            const allot__job_place **out);
/* The order, for a job, or for `reason` where `preemptor` is -1. */
typedef struct allot__stop {
    int32_t job, preemptor;
    allot_action action;
    bool held;
    const char *reason;
    int64_t closed; /* its slots on hosts that are closed */
} allot__stop;
int allot__order_stop(allot__turns *turns, const allot__stop *stop);
/* Slots that a queue's jobs use are more by so many. */
void allot__turn_use(allot__turns *turns, int32_t queue, int64_t slots);

/* pool.c: a queue of a pool is reached; and rule 6. And none is any more: all begins again. */
int allot__pool_reach(allot__turns *turns, int32_t queue);
int allot__pool_rest(allot__turns *turns, int32_t pool);
void allot__pools_reset(allot__turns *turns);

#endif
