/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ahead.c: a job's place in the order, the jobs before it, and what they got. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/explain/job.h"

/* Jobs, their slots, those that got what they wanted, and the slots of these. */
enum { JOBS, SLOTS, SERVED, GOT, NUMBERS };

static int64_t *tally_of(const allot__job_explanation *it, int32_t queue)
{
    return it->tally + (size_t)NUMBERS * (size_t)queue;
}

static bool served(const allot__job_explanation *it, int32_t job)
{
    return it->out->jobs[job].now == ALLOT_RUNNING;
}

static void count_job(const allot__job_explanation *it, int32_t number, int64_t *tally)
{
    int32_t slots = allot__explain_job(it, number)->slots;
    tally[JOBS]++;
    tally[SLOTS] += slots;
    tally[SERVED] += served(it, number);
    tally[GOT] += served(it, number) ? slots : 0;
}

static void explain_tally(const allot__job_explanation *it, int32_t queue)
{
    const int64_t *tally = tally_of(it, queue);
    char got[100] = "";
    if (tally[SERVED] == tally[JOBS]) {
        snprintf(got, sizeof got, ", %s now", tally[JOBS] == 1 ? "which runs" : "which all run");
    } else if (tally[SERVED] > 0) {
        snprintf(got, sizeof got, ", of which %" PRId64 " run%s now, on %" PRId64, tally[SERVED],
                 tally[SERVED] == 1 ? "s" : "", tally[GOT]);
    } else {
        snprintf(got, sizeof got, ", which %s too", tally[JOBS] == 1 ? "waits" : "wait");
    }
    allot__explain(&it->about, "  /%s%s (PRIORITY %" PRId32 "): %s%s.",
                   allot__explain_queue_of(it, queue)->name,
                   queue == it->job->queue ? ", its own queue" : "",
                   allot__explain_queue_of(it, queue)->priority,
                   allot__phrase_jobs(tally[JOBS], tally[SLOTS]).text, got);
}

static void explain_queues(const allot__job_explanation *it)
{
    int32_t count = allot__queue_count(it->about.work->plan);
    int32_t shown = 0;
    int32_t others = 0;
    int64_t jobs = 0;
    int64_t slots = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t queue = it->out->sequence[i];
        const int64_t *tally = tally_of(it, queue);
        if (tally[JOBS] == 0)
            continue;
        if (shown < ALLOT__EXPLAIN_NAMED || queue == it->job->queue) {
            shown++;
            explain_tally(it, queue);
        } else {
            others++;
            jobs += tally[JOBS];
            slots += tally[SLOTS];
        }
    }
    if (others > 0) {
        allot__explain(&it->about, "  %" PRId32 " more queues: %s.", others,
                       allot__phrase_jobs(jobs, slots).text);
    }
}

/* Those of its own queue that came behind it and fit where it does not. */
static void explain_behind(const allot__job_explanation *it, int32_t from)
{
    int64_t behind[NUMBERS] = {0};
    for (int32_t i = from; i < it->out->tried_count; i++) {
        int32_t number = it->out->tried[i];
        if (allot__explain_job(it, number)->queue == it->job->queue && served(it, number))
            count_job(it, number, behind);
    }
    if (behind[SERVED] > 0) {
        allot__explain(
            &it->about,
            "Behind it in its queue %s run%s now all the same: they fit where it does not.",
            allot__phrase_jobs(behind[SERVED], behind[GOT]).text, behind[SERVED] == 1 ? "s" : "");
    }
}

void allot__explain_ahead(const allot__job_explanation *it)
{
    int64_t all[NUMBERS] = {0};
    int32_t at = 0;
    for (; at < it->out->tried_count && it->out->tried[at] != it->number; at++) {
        int32_t number = it->out->tried[at];
        count_job(it, number, tally_of(it, allot__explain_job(it, number)->queue));
        count_job(it, number, all);
    }
    if (all[JOBS] == 0) {
        allot__explain(&it->about, "Its turn is the first of all (P-60).");
    } else {
        allot__explain(&it->about,
                       "Its turn is number %" PRId32 " of %" PRId32
                       ", by queue and then by job (P-60). Before it:",
                       at + 1, it->out->tried_count);
        explain_queues(it);
    }
    explain_behind(it, at + 1);
}
