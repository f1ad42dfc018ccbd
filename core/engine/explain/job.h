/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * job.h: what the chapters of an explanation of a job share.
 *
 * What is said of hosts and limits is so at the end of the cycle; numbers that the job's turn came
 * to are computed anew from the orders that stand before it.
 */
#ifndef ALLOT_ENGINE_EXPLAIN_JOB_H
#define ALLOT_ENGINE_EXPLAIN_JOB_H

#include "engine/jobs/dispatch.h"
#include "engine/explain/explain.h"

typedef struct allot__job_teller {
    allot__teller teller; /* says lines */
    const allot__dispatched *out;
    const allot__queues *queues;
    const allot__jobs *jobs;
    int32_t number; /* the job's */
    const allot__job *job;
    const allot_queue *queue;
    allot__job_told told;
    int32_t set;    /* of its queue's hosts */
    int64_t *kept;  /* by host of the room: slots that suspended jobs keep against its queue */
    int64_t *ran;   /* by host: slots that jobs run on, or are given to grow by */
    int64_t free;   /* slots of its queue's hosts that it could have */
    int64_t *tally; /* by queue, room for four numbers each, zeroed */
    allot__arena arena;
} allot__job_teller;

/* So many of a kind are named; the others are counted. */
enum { ALLOT__TELL_NAMED = 6 };

/* tell.c: "1 job (3 slots)". */
allot__phrase allot__tell_jobs(int64_t jobs, int64_t slots);
/* "is suspended", ... */
const char *allot__tell_done(allot_action action);
static inline const allot__job *allot__tell_job(const allot__job_teller *it, int32_t job)
{
    return allot__job_at(it->jobs, job);
}
static inline const allot_queue *allot__tell_queue_of(const allot__job_teller *it, int32_t queue)
{
    return allot__queue_at(it->queues, queue);
}
static inline bool allot__tell_may(const allot__job_teller *it, int32_t high, int32_t low)
{
    return allot__may_preempt(it->teller.work->plan->relation, high, low);
}
/* Its order, that it gives up or gets slots by; NULL: there is none. */
const allot_job_order *allot__tell_order(const allot__job_teller *it);

/* ahead.c: its place, and who has it before it. */
void allot__tell_ahead(const allot__job_teller *it);
/* room.c: counts `kept`, `ran` and `free`; ENOMEM. What its queue's hosts have, and what its
 * own hosts lack for it, if it is suspended. */
int allot__tell_room_count(allot__job_teller *it);
void allot__tell_room(const allot__job_teller *it);
void allot__tell_own_hosts(const allot__job_teller *it);
/* Slots of a host that the job could have, at most. */
int64_t allot__tell_free(const allot__job_teller *it, int32_t host);
/* The room's host of a place. */
int32_t allot__tell_host(const allot__job_teller *it, const allot_place *place);
/* Could the job use slots of that host: its queue's, or, while suspended, its own? */
bool allot__tell_wants(const allot__job_teller *it, int32_t host);
/* Slots that another job has where this one could use some; those given to it to grow by too. */
int64_t allot__tell_shares(const allot__job_teller *it, int32_t other);
/* limit.c: the limit that binds; its pool. */
void allot__tell_limit(const allot__job_teller *it);
void allot__tell_slice(const allot__job_teller *it);
/* resource.c: what it holds or asks for; of that what it releases to another that asks for
 * it, as it ends. The resource that is wanting, and who holds it. */
void allot__tell_resources(const allot__job_teller *it);
void allot__tell_released(const allot__job_teller *it, int32_t other);
void allot__tell_resource(const allot__job_teller *it);
/* candidates.c: whom it may preempt, whom not, and why that is not enough. */
void allot__tell_candidates(const allot__job_teller *it);
/* gone.c: why it goes, and what would have spared it; ENOMEM. */
int allot__tell_gone(allot__job_teller *it);
/* back.c: hosts as a queue saw them before the order of that number; ENOMEM. It stays where it
 * is, as the room points into it. */
typedef struct allot__tell_past {
    allot__work work;
    allot__room room;
} allot__tell_past;
int allot__tell_back(allot__job_teller *it, int32_t orders, int32_t viewer, allot__tell_past *out);
/* protection.c: what protects it, since when, until when. And what would, if it goes. */
void allot__tell_protection(const allot__job_teller *it);
void allot__tell_sparing(const allot__job_teller *it);
/* Why one queue may not preempt another, as words behind "it may not preempt ...: "; `size` of 200
 * are enough. */
void allot__tell_barred(const allot__job_teller *it, int32_t high, int32_t low, char *text,
                        size_t size);

#endif
