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
 * job is exclusive, each host is a cell. The forecast has a profile for each cell.
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

/* Its parts are parts[first] ... up to the next one's. */
typedef struct allot__reservation {
    int64_t at, until;
    int32_t job, first;
} allot__reservation;

/* Slots of a host that become free. */
typedef struct allot__release {
    int64_t at, slots;
    int32_t host;
    bool alone; /* ... and the host, as an exclusive job ends */
} allot__release;

typedef struct allot__reserve {
    allot_backfill how;
    int status;    /* ENOMEM: a forecast could not be made */
    int32_t first; /* without backfill the first job that waits; -1: none does */
    int32_t cells;
    int32_t *cell_of; /* by host of the view */
    int32_t *host_of; /* by cell: its first host in the plan's order */
    allot__profile *profiles;
    int64_t changes;           /* of the view, when the forecast was made; 0: there is none */
    bool all;                  /* the forecast is of a viewer from whom no job keeps slots */
    allot__vector list, parts; /* of allot__reservation, allot__reserved_part */
    int64_t *left;             /* by cell: what the job that is being put on hosts may take there */
    bool binds;                /* `left` binds it */
    uint8_t *gone;             /* by job: it is stopped while a job is tried without it */
    int64_t *free;             /* scratch, by host */
    allot__vector releases;    /* scratch, of allot__release */
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

/* From now on allot__reserve_least leaves a job only slots that are not reserved as long as it
 * would run; false: nothing is reserved. `resumes`: it is to have its own slots. */
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
/* The first job whose reservation meets what the job would use. */
int32_t allot__reserve_before(const allot__turns *turns, int32_t job);

/* A job did not fit because of `why`, and waits. */
int allot__reserve_wait(allot__turns *turns, int32_t job, allot_pending why);
/* A job started on turns->places; `changes`: of the view, before. */
int allot__reserve_started(allot__turns *turns, int32_t job, int64_t changes);

#endif
