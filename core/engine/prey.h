/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * prey.h: whom a job may preempt, in what order, and which of them it needs (P-7 ... P-14).
 *
 * Candidates are running jobs of queues that the job's queue may preempt, which no guard of the
 * policy shelters, which are not exclusive, backfilling or forced unless the policy says so (P-8,
 * P-40), and which were not started, resumed or chosen in this cycle. They go by the policy's
 * victims; ties: the larger id first.
 *
 * Rules, in this order, for a job that does not fit:
 *  1. free slots first; victims cover the rest;
 *  2. one after another is taken that makes room where room is wanting: on hosts of the job's
 * queue, or below a limit that suspended jobs do not count in;
 *  3. until the job fits. If it never does, nobody goes (A-10, P-23);
 *  4. with fewest = "mini_job" those are spared again, last taken first, that it fits without; with
 *     "optimal_mini_job" the fewest that do are taken, and of such sets the one that comes first in
 *     the order (where limits are wanting too: as mini_job).
 *
 * Two implementations agree: `plain` puts all candidates in order for every job; the other keeps
 * each queue's in order and merges them as they are asked for.
 */
#ifndef ALLOT_ENGINE_PREY_H
#define ALLOT_ENGINE_PREY_H

#include "engine/bound.h"
#include "engine/rowset.h"

/* Why a running job is no candidate; guard g is ALLOT__SPARED_GUARD + g. */
enum {
    ALLOT__PREY = 0,
    ALLOT__SPARED_STATE, /* it does not run, or was started, resumed or taken in this cycle */
    ALLOT__SPARED_EXCLUSIVE,
    ALLOT__SPARED_BACKFILL,
    ALLOT__SPARED_FORCED,
    ALLOT__SPARED_GUARD
};

typedef struct allot__prey {
    const allot__work *work;
    const allot__room *room;
    allot__bounds *bounds;
    uint8_t *spared;     /* by job */
    int32_t *by_queue;   /* running jobs by queue, each queue's in the order of the victims */
    int32_t *first;      /* by queue, one more */
    int64_t *slots_left; /* by queue: of its candidates */
    struct allot__prey_rows *rows; /* the keys' values (job_rows.h) */
} allot__prey;

/* What a job wants, and what was found. */
typedef struct allot__hunt {
    int32_t job;
    int32_t *victims; /* jobs, in the order in which they go; in the arena */
    int32_t count;
    bool held; /* one is being told of new slots: nothing happens yet, but they are taken */
    allot_pending why; /* when there are none */
    int32_t binding;   /* the bound that no victim helps with, or -1 */
} allot__hunt;

/* Finds candidates and puts them in order; calls the policy's functions. ENOMEM, ESCRIPT, EBUDGET.
 * Not called where nobody preempts. */
int allot__prey_make(const allot__work *work, const allot__room *room, allot__bounds *bounds,
                     allot__prey *out);
/* Finds the victims for a job that does not fit as it is; nothing is changed. ENOMEM. */
int allot__prey_hunt(allot__prey *prey, allot__hunt *hunt);
int allot__prey_hunt_plain(allot__prey *prey, allot__hunt *hunt);
/* A job is no candidate any more. */
void allot__prey_spare(allot__prey *prey, int32_t job, uint8_t why);

#endif
