/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * reserve.h: slots reserved for jobs that wait, and which jobs may start before them (B-1 ... B-8).
 *
 * The jobs that run, and their run limits, make a forecast: a profile of free slots from now on. A
 * job that waits for slots gets a reservation in it, the earliest time from which on enough slots
 * are free as long as its run limit: under `easy` the first such job, under `conservative` all of
 * them. A job behind starts if what it takes until its own run limit is reserved for none.
 *
 * Hosts of which every queue uses all or none are one *cell*, as their slots are alike; where some
 * job is exclusive, or a limit goes by hosts, each host is a cell. The forecast has a profile for
 * each cell.
 *
 * An *allowance* is what a limit, a resource or a pool still allows. The forecast has a profile for
 * each one that some job will free, or some reservation keeps a part of.
 *
 * A forecast is for one viewer, as suspended jobs keep slots from some queues (view.h). It is made
 * anew whenever the view has changed otherwise than by a start that it took account of.
 */
#ifndef ALLOT_ENGINE_JOBS_RESERVE_H
#define ALLOT_ENGINE_JOBS_RESERVE_H

#include "engine/jobs/profile.h"
#include "engine/jobs/turn.h"

/* Slots of a cell. */
typedef struct allot__reserved_part {
    int64_t slots;
    int32_t cell;
} allot__reserved_part;

/* Its parts are parts[first] ... up to the next one's; likewise its uses. */
typedef struct allot__reservation {
    int64_t at, until;
    int32_t job, first, first_use;
    int64_t spare; /* the least that its cells and allowances had left (allot__reserve_weigh) */
} allot__reservation;

/* Slots of a host, or a part of an allowance, that become free. */
typedef struct allot__release {
    int64_t at, slots;
    int32_t of;
    bool allowance;
    bool alone; /* ... and the host, as an exclusive job ends */
} allot__release;

typedef struct allot__reserve {
    allot_backfill how;
    int status;    /* ENOMEM: a forecast could not be made */
    int32_t first; /* without backfill the first job that waits; -1: none does */
    int32_t cells;
    int32_t *cell_of;           /* by host of the view */
    int32_t *host_of;           /* by cell: its first host in the plan's order */
    allot__profile *profiles;   /* by cell */
    allot__profile *unreserved; /* ... as if nothing was reserved */
    allot__vector by_bound;     /* of allot__profile: allowances; without steps, as now for ever */
    allot__profile *others;     /* allowances of resources, then of pools: numbers ~0, ~1, ... */
    int32_t other_count;
    int64_t changes;                 /* of the view, when the forecast was made; 0: there is none */
    bool all;                        /* the forecast is of a viewer from whom no job keeps slots */
    allot__vector list, parts, uses; /* of allot__reservation, _reserved_part, _bound_part */
    int64_t *left;                   /* by cell: what the job that is put on hosts may take there */
    bool binds;                      /* `left` binds it */
    bool weighed;                    /* allot__beside_weigh was called, but _delays not yet */
    uint8_t *gone;                   /* by job: it is stopped while a job is tried without it */
    /* Scratch: by host; of allot__release; of allot__bound_part, twice; bounds whose `kept` is set;
     * by cell, for the earliest time. */
    int64_t *free;
    allot__vector releases, wants, set;
    int64_t *worth, *event, *takes;
    int32_t *heap;
} allot__reserve;

/* Makes turns->reserve if the policy wants any. ENOMEM. */
int allot__reserve_make(allot__turns *turns);
/* Notes when the first reservation is due, and frees all. */
void allot__reserve_end(allot__turns *turns);
/* Dispatch begins again: nothing is reserved. */
void allot__reserve_reset(allot__turns *turns);

/* Are slots reserved? */
static inline bool allot__reserve_some(const allot__turns *turns)
{
    return turns->reserve && turns->reserve->list.count > 0;
}
/* Gets no further job a reservation? */
static inline bool allot__reserve_full(const allot__turns *turns)
{
    return !turns->reserve || (turns->reserve->how == ALLOT_EASY && allot__reserve_some(turns));
}
/* The job that no other may start before; -1: none. */
static inline int32_t allot__reserve_first(const allot__turns *turns)
{
    return turns->reserve ? turns->reserve->first : -1;
}
/* What the forecast goes by has changed, and the view has not. */
static inline void allot__reserve_stale(const allot__turns *turns)
{
    if (turns->reserve)
        turns->reserve->changes = 0;
}

/* From now on allot__reserve_least leaves a job only slots that are not reserved as long as it
 * would run, and limits, resources and pools only what reservations do not keep of them; false:
 * nothing is reserved. `resumes`: it is to have its own slots. */
bool allot__reserve_bind(allot__turns *turns, int32_t job, bool resumes);
void allot__reserve_unbind(allot__turns *turns);
/* What of these slots of a host it may take; and it takes them. */
static inline int32_t allot__reserve_least(const allot__turns *turns, int32_t host, int32_t slots)
{
    const allot__reserve *reserve = turns->reserve;
    if (!reserve || !reserve->binds)
        return slots;
    int64_t left = reserve->left[reserve->cell_of[host]];
    return left < slots ? (int32_t)left : slots;
}
static inline void allot__reserve_use(allot__turns *turns, int32_t host, int32_t slots)
{
    if (turns->reserve && turns->reserve->binds)
        turns->reserve->left[turns->reserve->cell_of[host]] -= slots;
}

/* A job did not fit because of `why`, and waits. */
int allot__reserve_wait(allot__turns *turns, int32_t job, allot_pending why);
/* A job started on turns->places; `changes`: of the view, before. */
int allot__reserve_started(allot__turns *turns, int32_t job, int64_t changes);

/* beside.c: the job fits: does it also beside what is reserved for jobs before it? If not, the
 * reason is noted. A suspended one on its own hosts? */
bool allot__beside_start(allot__turns *turns, int32_t job);
bool allot__beside_resume(allot__turns *turns, int32_t job);
/* It would pass the first job that waits, without backfill: notes the reason. */
bool allot__beside_passes(allot__turns *turns, int32_t job);
/* Before jobs are suspended for one behind reservations; and then, as it has found its places or
 * not: *fits becomes false if a job with a reservation would lose what it was to have, and the
 * reason is noted. ENOMEM. */
int allot__beside_weigh(allot__turns *turns);
int allot__beside_delays(allot__turns *turns, int32_t job, bool *fits);
/* The same of a job that is to have turns->places without that: others may see more slots kept by
 * suspended jobs than it does, on which it would run. */
bool allot__beside_others(allot__turns *turns, int32_t job);

/* ---- What the files of reservations share ---------------------------------------------------- */

static inline const allot__job_brief *allot__reserve_brief(const allot__turns *turns, int32_t job)
{
    return &turns->jobs->briefs[job];
}
/* What a job may have of a cell with so many free slots; an exclusive one has whole hosts. */
static inline int64_t allot__reserve_worth(const allot__turns *turns, int32_t cell, bool exclusive,
                                           int64_t free)
{
    int64_t whole = turns->out->view.slots[turns->reserve->host_of[cell]];
    return free <= 0 || (exclusive && free < whole) ? 0 : free;
}
/* May jobs of the queue have slots of the cell? */
static inline bool allot__reserve_serves(const allot__turns *turns, int32_t cell, int32_t queue)
{
    const allot__host_view *view = &turns->out->view;
    int32_t host = turns->reserve->host_of[cell];
    return allot__host_view_has(view, turns->queues->set_of[queue], host) &&
           allot__host_view_mine(view, host, queue);
}

/* forecast.c: when a job that runs, or would from `now` on, ends by its run limit (B-4). */
int64_t allot__forecast_end(const allot__turns *turns, int32_t job);
/* Makes the forecast, unless it is known; `all`: as if no suspended job kept slots. ENOMEM. */
int allot__forecast(allot__turns *turns, bool all);
/* Takes the slots and uses of a reservation, which may be one that is not listed yet. ENOMEM. */
int allot__forecast_take(allot__turns *turns, const allot__reservation *it);
/* Takes places, and a job's uses there, from now until the job's end; `counted`: limits, resources
 * and pools count these already. ENOMEM. */
int allot__forecast_place(allot__turns *turns, int32_t job, allot_order_kind kind,
                          const allot__job_place *places, int32_t count, bool counted);

/* allowance.c: appends what a job uses of allowances by an order of a kind to `to`, of
 * allot__bound_part. ENOMEM. */
int allot__allowance_parts(allot__turns *turns, int32_t job, allot_order_kind kind,
                           const allot__job_place *places, int32_t count, allot__vector *to);
/* The profile of an allowance; NULL: it has no steps. */
const allot__profile *allot__allowance_at(const allot__turns *turns, int32_t number);
/* It is freed from `at` on, which is not before its last step; is taken; has no steps. ENOMEM. */
int allot__allowance_free(allot__turns *turns, int32_t number, int64_t at, int64_t amount);
int allot__allowance_take(allot__turns *turns, int32_t number, int64_t from, int64_t until,
                          int64_t amount);
void allot__allowances_clear(allot__turns *turns);
/* From now on limits, resources and pools allow a job what the forecast leaves of them all the time
 * from `from` until `until`; allot__allowances_now: what is left now. ENOMEM. */
int allot__allowances_as_of(allot__turns *turns, int32_t job, int64_t from, int64_t until);
void allot__allowances_now(allot__turns *turns);
/* Do those without hosts allow it so many slots? If not, *number is the first that does not. */
bool allot__allowances_let(const allot__turns *turns, int32_t job, int64_t slots, int32_t *number);
/* When one of a job's allowances next changes after `at`; ALLOT__FOREVER: none does. */
int64_t allot__allowances_next(const allot__turns *turns, int32_t job, int64_t at);

#endif
