/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* shelter.c: what protects a running job from being preempted, since when, until when. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/jobs/preempt/job_rows.h"
#include "engine/rows/order.h"
#include "engine/explain/job.h"

/* A job's numbers that parameters are about. */
typedef struct numbers {
    allot_protection of;
    int64_t ran, since, remaining; /* s: in all, since started or resumed, until its limit */
    bool limited;                  /* it has a run limit */
    int64_t run_most, finish_most; /* s, also where percents are stated; -1: they do not apply */
} numbers;

static numbers numbers_of(const allot__job_teller *it)
{
    int64_t now = it->teller.work->state->now;
    const allot__job *job = it->job;
    numbers out = {.of = allot__protection_of(it->queues, job->application, job->queue),
                   .ran = allot__job_ran(job, now),
                   .limited = job->run_limit != ALLOT_NONE,
                   .run_most = -1,
                   .finish_most = -1};
    out.since = job->started == INT64_MIN ? out.ran : allot__ran(now, job->started);
    out.remaining = out.limited ? job->run_limit - out.ran : 0;
    if (out.of.run_time_percent > 0) {
        out.run_most =
            out.limited ? ((int64_t)job->run_limit * out.of.run_time_percent + 99) / 100 : -1;
    } else if (out.of.no_preempt_run_time != ALLOT_NONE) {
        out.run_most = out.of.no_preempt_run_time;
    }
    if (out.limited && out.of.finish_time_percent > 0)
        out.finish_most = (int64_t)job->run_limit * out.of.finish_time_percent / 100;
    else if (out.limited && out.of.no_preempt_finish_time != ALLOT_NONE)
        out.finish_most = out.of.no_preempt_finish_time;
    return out;
}

/* Does the policy go by that parameter? */
static bool guards(const allot__job_teller *it, int32_t column)
{
    const allot__vector *all = &it->teller.rules->policy->guards;
    for (size_t i = 0; i < all->count; i++) {
        const allot__guard *guard = (const allot__guard *)all->items + i;
        if (guard->value.kind == ALLOT_FROM_COLUMN && guard->value.value == column)
            return true;
    }
    return false;
}

/* ---- What protects --------------------------------------------------------------------------- */

static void tell_counts(const allot__job_teller *it, const numbers *of)
{
    int32_t most = of->of.max_job_preempt;
    if (most != ALLOT_NONE && guards(it, ALLOT_TASK_PREEMPTIONS_LEFT)) {
        bool spent = it->job->preempted >= most;
        allot__tell(&it->teller,
                    "MAX_JOB_PREEMPT %s it: it was preempted %" PRId32 " of %" PRId32
                    " times (P-30).",
                    spent ? "protects" : "does not protect", it->job->preempted, most);
    }
    most = of->of.max_total_time_preempt;
    if (most != ALLOT_NONE && guards(it, ALLOT_TASK_PREEMPT_TIME_LEFT)) {
        allot__tell(&it->teller,
                    "MAX_TOTAL_TIME_PREEMPT %s it: it was suspended for %" PRId64 " of %" PRId32
                    " s (P-31).",
                    it->job->suspended_for >= most ? "protects" : "does not protect",
                    it->job->suspended_for, most);
    }
    most = of->of.no_preempt_interval;
    if (most != ALLOT_NONE && most > 0 && guards(it, ALLOT_TASK_INTERVAL_OVER)) {
        bool young = of->since <= most;
        char left[60] = "";
        if (young)
            snprintf(left, sizeof left, ", for %" PRId64 " s from now", most - of->since + 1);
        allot__tell(&it->teller,
                    "NO_PREEMPT_INTERVAL %s it: it has run for %" PRId64
                    " s without a break, and for %" PRId32 " s is left alone%s (P-32).",
                    young ? "protects" : "does not protect", of->since, most, left);
    }
}

static void tell_times(const allot__job_teller *it, const numbers *of)
{
    if (of->run_most >= 0 && guards(it, ALLOT_TASK_RUN_TIME_LEFT)) {
        bool old = of->ran >= of->run_most;
        allot__tell(&it->teller,
                    "NO_PREEMPT_RUN_TIME %s it: it has run for %" PRId64
                    " s in all, and from %" PRId64 " s on is left alone, %s%" PRId64 " s%s (P-33).",
                    old ? "protects" : "does not protect", of->ran, of->run_most,
                    old ? "since " : "in ", old ? of->ran - of->run_most : of->run_most - of->ran,
                    old ? "" : " from now");
    }
    if (of->finish_most >= 0 && guards(it, ALLOT_TASK_FINISH_TIME_LEFT)) {
        bool ends = of->remaining <= of->finish_most;
        int64_t from = ends ? of->finish_most - of->remaining : of->remaining - of->finish_most;
        allot__tell(&it->teller,
                    "NO_PREEMPT_FINISH_TIME %s it: by its run limit %" PRId64
                    " s are left, and in its last %" PRId64 " s it is left alone, %s%" PRId64
                    " s%s (P-34).",
                    ends ? "protects" : "does not protect", of->remaining, of->finish_most,
                    ends ? "since " : "in ", from, ends ? "" : " from now");
    }
}

static void tell_type(const allot__job_teller *it)
{
    switch (allot__prey_type(it->teller.work, it->job)) {
    case ALLOT__INELIGIBLE_EXCLUSIVE:
        allot__tell(&it->teller,
                    "It is left alone: PREEMPT_JOBTYPE does not name EXCLUSIVE (P-40).");
        return;
    case ALLOT__INELIGIBLE_BACKFILL:
        allot__tell(&it->teller, "It is backfill, which is left alone unless PREEMPT_JOBTYPE names "
                                 "BACKFILL and its queue is preemptable (P-40).");
        return;
    case ALLOT__INELIGIBLE_FORCED:
        allot__tell(&it->teller, "It was forced to run, so nobody preempts it (P-8).");
        return;
    default:
        return;
    }
}

/* The first few queues that may preempt it. */
static int32_t tell_above(const allot__job_teller *it)
{
    allot__sentence names = {.len = 0};
    int32_t count = 0;
    for (int32_t high = 0; high < allot__queue_count(it->teller.work->plan); high++) {
        if (allot__tell_may(it, high, it->job->queue) && count++ < ALLOT__TELL_NAMED) {
            allot__sentence_next(&names);
            allot__sentence_add(&names, "/%.50s", allot__tell_queue_of(it, high)->name);
        }
    }
    if (count == 0)
        allot__tell(&it->teller, "No queue may preempt jobs of /%s (P-7).", it->queue->name);
    else if (count > ALLOT__TELL_NAMED)
        allot__tell(&it->teller,
                    "It goes on. Jobs of %" PRId32 " queues may preempt it (P-7): %s, ...", count,
                    names.text);
    else
        allot__tell(&it->teller, "It goes on. Jobs of these queues may preempt it (P-7): %s.",
                    names.text);
    return count;
}

/* Is it one of the parameters P-30 ... P-34? */
static bool is_parameter(const allot__guard *guard)
{
    return guard->value.kind == ALLOT_FROM_COLUMN &&
           guard->value.value >= ALLOT_TASK_PREEMPTIONS_LEFT &&
           guard->value.value <= ALLOT_TASK_FINISH_TIME_LEFT;
}

/* The guard that sheltered it, if that is none of the parameters told of. */
static const char *guard_of(const allot__job_teller *it)
{
    int32_t mark = it->out->preys ? it->out->prey.spared[it->number] : ALLOT__ELIGIBLE;
    const allot__vector *all = &it->teller.rules->policy->guards;
    if (mark < ALLOT__INELIGIBLE_GUARD || (size_t)(mark - ALLOT__INELIGIBLE_GUARD) >= all->count)
        return NULL;
    const allot__guard *guard = (const allot__guard *)all->items + (mark - ALLOT__INELIGIBLE_GUARD);
    return is_parameter(guard) ? NULL : guard->label;
}

void allot__tell_shelter(const allot__job_teller *it)
{
    numbers of = numbers_of(it);
    if (tell_above(it) == 0)
        return;
    tell_type(it);
    tell_counts(it, &of);
    tell_times(it, &of);
    if (guard_of(it))
        allot__tell(&it->teller, "Guard %.60s shelters it: nobody may choose it.", guard_of(it));
    else if (it->out->preys && it->out->prey.spared[it->number] == ALLOT__ELIGIBLE)
        allot__tell(&it->teller, "In this cycle it could have gone, but nobody needed it to.");
}

/* ---- What would have protected --------------------------------------------------------------- */

/* Plans state minutes: of so many seconds the whole ones, or one more where that is not all. */
static int64_t minutes(int64_t seconds, bool up)
{
    int64_t whole = seconds / 60 + (up && seconds % 60 > 0);
    return up && whole < 1 ? 1 : whole;
}

/* The policy's own guards, by their labels, which let it go. */
static void tell_own_guards(const allot__job_teller *it)
{
    const allot_policy *policy = it->teller.rules->policy;
    allot__sentence names = {.len = 0};
    int32_t count = 0;
    for (size_t i = 0; i < policy->guards.count; i++) {
        const allot__guard *guard = (const allot__guard *)policy->guards.items + i;
        if (!is_parameter(guard) && count++ < ALLOT__TELL_NAMED) {
            allot__sentence_next(&names);
            allot__sentence_add(&names, "%.50s", guard->label);
        }
    }
    if (count > 0)
        allot__tell(&it->teller, "Guard%s of policy \"%.100s\" let it go: %s%s.",
                    count == 1 ? "" : "s", policy->name, names.text,
                    count > ALLOT__TELL_NAMED ? ", ..." : "");
}

void allot__tell_sparing(const allot__job_teller *it)
{
    numbers of = numbers_of(it);
    const struct {
        int32_t column;
        const char *name;
        int64_t value; /* 0: none would have */
        const char *rest;
    } all[] = {
        {ALLOT_TASK_PREEMPTIONS_LEFT, "max_job_preempt", it->job->preempted, " or less (P-30)"},
        {ALLOT_TASK_PREEMPT_TIME_LEFT, "max_total_time_preempt",
         minutes(it->job->suspended_for, false), " minutes or less (P-31)"},
        {ALLOT_TASK_INTERVAL_OVER, "no_preempt_interval", minutes(of.since, true),
         " minutes or more (P-32)"},
        {ALLOT_TASK_RUN_TIME_LEFT, "no_preempt_run_time", minutes(of.ran, false),
         " minutes or less (P-33)"},
        {ALLOT_TASK_FINISH_TIME_LEFT, "no_preempt_finish_time",
         of.limited && of.remaining > 0 ? minutes(of.remaining, true) : 0,
         " minutes or more (P-34)"}};
    bool begun = false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].value <= 0 || !guards(it, all[i].column))
            continue;
        if (!begun) {
            allot__tell(&it->teller, "Each of these, stated where it is now or else of its "
                                     "application, its queue or all, would have spared it (A-6):");
        }
        begun = true;
        allot__tell(&it->teller, "  %s of %" PRId64 "%s.", all[i].name, all[i].value, all[i].rest);
    }
    tell_own_guards(it);
}
