/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* protection.c: what protects a running job from being preempted, since when, until when. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/jobs/preempt/job_rows.h"
#include "engine/rows/order.h"
#include "engine/explain/job.h"

/* Does the policy go by that parameter? */
static bool guards(const allot__job_explanation *it, int32_t column)
{
    const allot__vector *all = &it->about.rules->policy->guards;
    for (size_t i = 0; i < all->count; i++) {
        const allot__guard *guard = (const allot__guard *)all->items + i;
        if (guard->value.kind == ALLOT_FROM_COLUMN && guard->value.value == column)
            return true;
    }
    return false;
}

static bool counter_of(const allot__job_explanation *it, int32_t column, allot__counter *out)
{
    allot_protection of = allot__protection_of(it->queues, it->job->application, it->job->queue);
    return allot__job_counter(&of, it->job, it->about.work->state->now, column, out) &&
           guards(it, column);
}

/* ---- What protects --------------------------------------------------------------------------- */

static const char *verb(const allot__counter *of)
{
    return of->left <= 0 ? "protects" : "does not protect";
}

static void explain_counts(const allot__job_explanation *it)
{
    allot__counter of;
    if (counter_of(it, ALLOT_TASK_PREEMPTIONS_LEFT, &of))
        allot__explain(&it->about,
                       "MAX_JOB_PREEMPT %s it: it was preempted %" PRId64 " of %" PRId64
                       " times (P-30).",
                       verb(&of), of.has, of.bound);
    if (counter_of(it, ALLOT_TASK_PREEMPT_TIME_LEFT, &of))
        allot__explain(&it->about,
                       "MAX_TOTAL_TIME_PREEMPT %s it: it was suspended for %" PRId64 " of %" PRId64
                       " s (P-31).",
                       verb(&of), of.has, of.bound);
    if (counter_of(it, ALLOT_TASK_INTERVAL_OVER, &of) && of.bound > 0) {
        char left[60] = "";
        if (of.left <= 0)
            snprintf(left, sizeof left, ", for %" PRId64 " s from now", 1 - of.left);
        allot__explain(&it->about,
                       "NO_PREEMPT_INTERVAL %s it: it has run for %" PRId64
                       " s without a break, and for %" PRId64 " s is left alone%s (P-32).",
                       verb(&of), of.has, of.bound, left);
    }
}

/* "since 5 s", "in 5 s from now". */
static allot__phrase when(const allot__counter *of)
{
    allot__phrase words;
    snprintf(words.text, sizeof words.text,
             of->left <= 0 ? "since %" PRId64 " s" : "in %" PRId64 " s from now",
             of->left <= 0 ? -of->left : of->left);
    return words;
}

static void explain_times(const allot__job_explanation *it)
{
    allot__counter of;
    if (counter_of(it, ALLOT_TASK_RUN_TIME_LEFT, &of))
        allot__explain(&it->about,
                       "NO_PREEMPT_RUN_TIME %s it: it has run for %" PRId64
                       " s in all, and from %" PRId64 " s on is left alone, %s (P-33).",
                       verb(&of), of.has, of.bound, when(&of).text);
    if (counter_of(it, ALLOT_TASK_FINISH_TIME_LEFT, &of))
        allot__explain(&it->about,
                       "NO_PREEMPT_FINISH_TIME %s it: by its run limit %" PRId64
                       " s are left, and in its last %" PRId64 " s it is left alone, %s (P-34).",
                       verb(&of), of.has, of.bound, when(&of).text);
}

static void explain_type(const allot__job_explanation *it)
{
    switch (allot__job_ineligible(it->about.work, it->job)) {
    case ALLOT__INELIGIBLE_EXCLUSIVE:
        allot__explain(&it->about,
                       "It is left alone: PREEMPT_JOBTYPE does not name EXCLUSIVE (P-40).");
        return;
    case ALLOT__INELIGIBLE_BACKFILL:
        allot__explain(&it->about,
                       "It is backfill, which is left alone unless PREEMPT_JOBTYPE names "
                       "BACKFILL and its queue is preemptable (P-40).");
        return;
    case ALLOT__INELIGIBLE_FORCED:
        allot__explain(&it->about, "It was forced to run, so no job preempts it (P-8).");
        return;
    default:
        return;
    }
}

/* The first few queues that may preempt it. */
static int32_t explain_above(const allot__job_explanation *it)
{
    allot__sentence names = {.len = 0};
    int32_t count = 0;
    for (int32_t high = 0; high < allot__queue_count(it->about.work->plan); high++) {
        if (allot__explain_may(it, high, it->job->queue) && count++ < ALLOT__EXPLAIN_NAMED) {
            allot__sentence_next(&names);
            allot__sentence_add(&names, "/%.50s", allot__explain_queue_of(it, high)->name);
        }
    }
    if (count == 0)
        allot__explain(&it->about, "No queue may preempt jobs of /%s (P-7).", it->queue->name);
    else if (count > ALLOT__EXPLAIN_NAMED)
        allot__explain(&it->about,
                       "It keeps running. Jobs of %" PRId32 " queues may preempt it (P-7): %s, ...",
                       count, names.text);
    else
        allot__explain(&it->about,
                       "It keeps running. Jobs of these queues may preempt it (P-7): %s.",
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

/* The guard that protected it, if it is not one of the parameters explained. */
static const char *guard_of(const allot__job_explanation *it)
{
    int32_t mark = it->out->searched ? it->out->candidates.ineligible[it->number] : ALLOT__ELIGIBLE;
    const allot__vector *all = &it->about.rules->policy->guards;
    if (mark < ALLOT__INELIGIBLE_GUARD || (size_t)(mark - ALLOT__INELIGIBLE_GUARD) >= all->count)
        return NULL;
    const allot__guard *guard = (const allot__guard *)all->items + (mark - ALLOT__INELIGIBLE_GUARD);
    return is_parameter(guard) ? NULL : guard->label;
}

void allot__explain_protection(const allot__job_explanation *it)
{
    if (explain_above(it) == 0)
        return;
    explain_type(it);
    explain_counts(it);
    explain_times(it);
    if (guard_of(it))
        allot__explain(&it->about, "Guard %.60s protects it: it cannot be chosen.", guard_of(it));
    else if (it->out->searched && it->out->candidates.ineligible[it->number] == ALLOT__ELIGIBLE)
        allot__explain(&it->about,
                       "In this cycle it could have been preempted, but no job needed it.");
}

/* ---- What would have protected --------------------------------------------------------------- */

/* Plans state minutes: of so many seconds the whole ones, or one more where that is not all. */
static int64_t minutes(int64_t seconds, bool up)
{
    int64_t whole = seconds / 60 + (up && seconds % 60 > 0);
    return up && whole < 1 ? 1 : whole;
}

/* The policy's own guards, by their labels, which let it go. */
static void explain_own_guards(const allot__job_explanation *it)
{
    const allot_policy *policy = it->about.rules->policy;
    allot__sentence names = {.len = 0};
    int32_t count = 0;
    for (size_t i = 0; i < policy->guards.count; i++) {
        const allot__guard *guard = (const allot__guard *)policy->guards.items + i;
        if (!is_parameter(guard) && count++ < ALLOT__EXPLAIN_NAMED) {
            allot__sentence_next(&names);
            allot__sentence_add(&names, "%.50s", guard->label);
        }
    }
    if (count > 0)
        allot__explain(&it->about, "Guard%s of policy \"%.100s\" let it go: %s%s.",
                       count == 1 ? "" : "s", policy->name, names.text,
                       count > ALLOT__EXPLAIN_NAMED ? ", ..." : "");
}

void allot__explain_sparing(const allot__job_explanation *it)
{
    static const struct {
        int32_t column;
        const char *name, *rest;
        bool minutes, up;
    } all[] = {
        {ALLOT_TASK_PREEMPTIONS_LEFT, "max_job_preempt", " or less (P-30)", false, false},
        {ALLOT_TASK_PREEMPT_TIME_LEFT, "max_total_time_preempt", " minutes or less (P-31)", true,
         false},
        {ALLOT_TASK_INTERVAL_OVER, "no_preempt_interval", " minutes or more (P-32)", true, true},
        {ALLOT_TASK_RUN_TIME_LEFT, "no_preempt_run_time", " minutes or less (P-33)", true, false},
        {ALLOT_TASK_FINISH_TIME_LEFT, "no_preempt_finish_time", " minutes or more (P-34)", true,
         true}};
    bool begun = false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        allot__counter of;
        bool last = all[i].column == ALLOT_TASK_FINISH_TIME_LEFT;
        counter_of(it, all[i].column, &of);
        if (last && (it->job->run_limit == ALLOT_NONE || of.has <= 0))
            continue;
        int64_t value = all[i].minutes ? minutes(of.has, all[i].up) : of.has;
        if (value <= 0 || !guards(it, all[i].column))
            continue;
        if (!begun)
            allot__explain(&it->about,
                           "Any one of these would have protected it, stated where it is stated "
                           "now, or else for its application, its queue or the plan (A-6):");
        begun = true;
        allot__explain(&it->about, "  %s of %" PRId64 "%s.", all[i].name, value, all[i].rest);
    }
    explain_own_guards(it);
}
