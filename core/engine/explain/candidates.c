/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* candidates.c: jobs that a waiting job may preempt, which of them are ineligible, and jobs that it
 * may not preempt. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/explain/job.h"

/* What a running job is to the one that waits. */
enum { GUARD = ALLOT__INELIGIBLE_GUARD, KINDS = GUARD + ALLOT_GUARDS_MAX };

typedef struct tally {
    int64_t jobs[KINDS], slots[KINDS];
    int64_t all_jobs, all_slots;
} tally;

/* ---- Counting -------------------------------------------------------------------------------- */

static int32_t kind_of(const allot__job_explanation *it, int32_t number)
{
    const allot__job *job = allot__explain_job(it, number);
    int32_t kind = it->out->searched ? it->out->candidates.ineligible[number]
                                     : allot__job_ineligible(it->about.work, job);
    return kind == ALLOT__ELIGIBLE && allot__backfill_reserved(it->queues, job, it->job->queue)
               ? ALLOT__INELIGIBLE_RESERVED
               : kind;
}

/* Slots where the job could use some; what it got in this cycle is where the order says. */
static int64_t shares(const allot__job_explanation *it, int32_t number)
{
    bool pending = allot__explain_job(it, number)->state == ALLOT_PENDING;
    int64_t slots = pending ? 0 : allot__explain_shares(it, number);
    int32_t at = it->out->jobs[number].order;
    if (at < 0)
        return slots;
    const allot_job_order *order = (const allot_job_order *)it->out->orders.items + at;
    if (order->kind != ALLOT_ORDER_START && order->kind != ALLOT_ORDER_RESIZE)
        return slots;
    slots += order->place_count == 0 ? order->slots : 0;
    for (int32_t i = 0; i < order->place_count; i++) {
        int32_t host = allot__explain_host(it, &order->places[i]);
        slots += host >= 0 && allot__explain_wants(it, host) ? order->places[i].slots : 0;
    }
    return slots;
}

static tally count_queue(const allot__job_explanation *it, int32_t low)
{
    tally out = {{0}, {0}, 0, 0};
    for (int32_t i = it->jobs->first[low]; i < it->jobs->first[low + 1]; i++) {
        int32_t number = it->jobs->by_queue[i];
        int64_t slots = it->out->jobs[number].now == ALLOT_RUNNING && number != it->number
                            ? shares(it, number)
                            : 0;
        if (slots > 0) {
            int32_t kind = kind_of(it, number);
            out.jobs[kind]++;
            out.slots[kind] += slots;
            out.all_jobs++;
            out.all_slots += slots;
        }
    }
    return out;
}

static int64_t protected(const tally *of)
{
    int64_t sum = 0;
    for (int32_t kind = GUARD; kind < KINDS; kind++)
        sum += of->slots[kind];
    return sum;
}

/* ---- Jobs it may preempt --------------------------------------------------------------------- */

static const char *rule_of(const allot__guard *guard)
{
    if (guard->value.kind != ALLOT_FROM_COLUMN)
        return "C-8";
    switch (guard->value.value) {
    case ALLOT_TASK_PREEMPTIONS_LEFT:
        return "P-30";
    case ALLOT_TASK_PREEMPT_TIME_LEFT:
        return "P-31";
    case ALLOT_TASK_INTERVAL_OVER:
        return "P-32";
    case ALLOT_TASK_RUN_TIME_LEFT:
        return "P-33";
    case ALLOT_TASK_FINISH_TIME_LEFT:
        return "P-34";
    default:
        return "C-8";
    }
}

static void explain_kinds(const allot__job_explanation *it, const tally *of)
{
    static const char *const words[GUARD] = {
        [ALLOT__ELIGIBLE] = "may go",
        [ALLOT__INELIGIBLE_NEW] = "started or resumed in this cycle, so not preempted in it",
        [ALLOT__INELIGIBLE_TAKEN] = "given slots, or chosen for another job, in this cycle",
        [ALLOT__INELIGIBLE_EXCLUSIVE] =
            "exclusive, which PREEMPT_JOBTYPE does not name (P-8, P-40)",
        [ALLOT__INELIGIBLE_BACKFILL] =
            ("backfill, which only goes if PREEMPT_JOBTYPE names it and its queue is "
             "preemptable (P-8, P-40)"),
        [ALLOT__INELIGIBLE_FORCED] = "forced to run (P-8)",
        [ALLOT__INELIGIBLE_RESERVED] =
            "backfill on slots reserved by a queue of no lower PRIORITY (P-40)",
    };
    const allot__vector *guards = &it->about.rules->policy->guards;
    for (int32_t kind = 0; kind < KINDS; kind++) {
        if (of->jobs[kind] == 0)
            continue;
        allot__phrase jobs = allot__phrase_jobs(of->jobs[kind], of->slots[kind]);
        if (kind < GUARD) {
            allot__explain(&it->about, "    %s: %s.", jobs.text, words[kind]);
        } else if ((size_t)(kind - GUARD) < guards->count) {
            const allot__guard *guard = (const allot__guard *)guards->items + (kind - GUARD);
            allot__explain(&it->about, "    %s: protected by %.60s (%s).", jobs.text, guard->label,
                           rule_of(guard));
        }
    }
}

static void explain_low(const allot__job_explanation *it, int32_t low, const tally *of)
{
    const allot_queue *queue = allot__explain_queue_of(it, low);
    int32_t level = allot__preference(it->about.work->plan->relation, it->job->queue, low);
    char preferred[40] = "";
    if (level > 0)
        snprintf(preferred, sizeof preferred, ", preferred +%" PRId32, level);
    if (of->all_jobs == 0) {
        allot__explain(&it->about,
                       "  /%s (PRIORITY %" PRId32 "%s): nothing of it runs where this job could.",
                       queue->name, queue->priority, preferred);
        return;
    }
    allot__explain(&it->about, "  /%s (PRIORITY %" PRId32 "%s): %s there.", queue->name,
                   queue->priority, preferred,
                   allot__phrase_jobs(of->all_jobs, of->all_slots).text);
    explain_kinds(it, of);
}

/* ---- Jobs it may not ------------------------------------------------------------------------- */

static bool lists(const char *const *names, int32_t count, const char *name)
{
    for (int32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* What the queues themselves say (P-3 ... P-5). */
static void put_unsaid(const allot_queue *above, const allot_queue *below, char *text, size_t size)
{
    if (below->high_count > 0 && !lists(below->high, below->high_count, above->name)) {
        snprintf(text, size, "its list of those that may preempt it does not name /%.100s (P-4)",
                 above->name);
    } else if (!below->preemptable && !above->preemptive) {
        snprintf(text, size, "neither is it preemptable nor /%.100s preemptive (P-5)", above->name);
    } else if (!below->preemptable && above->low_count > 0) {
        snprintf(text, size, "it is not preemptable, nor on the list of /%.100s (P-3)",
                 above->name);
    } else {
        snprintf(text, size, "the policy's relation says no");
    }
}

/* What refused; where no policy was asked, what P-6 and P-7 come to first. */
static int32_t refusal(const allot__job_explanation *it, int32_t high, int32_t low)
{
    const allot__relation *relation = it->about.work->plan->relation;
    if (relation->refused)
        return relation->refused[(size_t)high * (size_t)relation->count + (size_t)low];
    return allot__explain_queue_of(it, high)->priority <= allot__explain_queue_of(it, low)->priority
               ? ALLOT_REFUSED_PRIORITY
               : ALLOT_REFUSED_QUEUES;
}

/* A test of the policy's own. */
static void put_test(const allot_policy *policy, int32_t refusal, char *text, size_t size)
{
    const allot_provider *provider = &policy->provider;
    const char *name = provider->refusal != NULL
                           ? provider->refusal(provider->ud, policy->preempts, refusal)
                           : NULL;
    if (name)
        snprintf(text, size, "%.120s, a test of policy \"%.40s\", says no", name, policy->name);
    else
        snprintf(text, size, "the relation of policy \"%.100s\" says no", policy->name);
}

void allot__explain_barred(const allot__job_explanation *it, int32_t high, int32_t low, char *text,
                           size_t size)
{
    const allot_policy *policy = it->about.rules->policy;
    const allot_queue *above = allot__explain_queue_of(it, high);
    const allot_queue *below = allot__explain_queue_of(it, low);
    if (high == low) {
        snprintf(text, size, "jobs of one queue never preempt each other (P-6)");
    } else if (it->queues->pool_of[high] >= 0 || it->queues->pool_of[low] >= 0) {
        snprintf(text, size, "queues of pools neither preempt nor are preempted (Q-11, A-24)");
    } else if (policy->preempts == ALLOT_NOBODY) {
        snprintf(text, size, "policy \"%.100s\" lets no job preempt", policy->name);
    } else {
        int32_t why = refusal(it, high, low);
        if (why == ALLOT_REFUSED_PRIORITY) {
            snprintf(text, size, "PRIORITY %" PRId32 " is not below %" PRId32 " (P-6)",
                     below->priority, above->priority);
        } else if (why == ALLOT_REFUSED_SLOT_SHARE) {
            snprintf(text, size, "slot_share %" PRId32 " is not below %" PRId32, below->slot_share,
                     above->slot_share);
        } else if (why == ALLOT_REFUSED_QUEUES) {
            put_unsaid(above, below, text, size);
        } else {
            put_test(policy, why, text, size);
        }
    }
}

static void explain_others(const allot__job_explanation *it)
{
    int32_t shown = 0;
    for (int32_t low = 0; low < allot__queue_count(it->about.work->plan); low++) {
        char why[200];
        if (allot__explain_may(it, it->job->queue, low))
            continue;
        tally of = count_queue(it, low);
        if (of.all_jobs == 0 || shown++ >= ALLOT__EXPLAIN_NAMED)
            continue;
        if (shown == 1)
            allot__explain(&it->about, "It may not preempt those of:");
        allot__explain_barred(it, it->job->queue, low, why, sizeof why);
        allot__explain(&it->about, "  /%s, with %s there: %s.",
                       allot__explain_queue_of(it, low)->name,
                       allot__phrase_jobs(of.all_jobs, of.all_slots).text, why);
    }
    if (shown > ALLOT__EXPLAIN_NAMED)
        allot__explain(&it->about, "  nor of %" PRId32 " more queues.",
                       shown - ALLOT__EXPLAIN_NAMED);
}

/* ---- Why that is not enough ------------------------------------------------------------------ */

static void explain_sum(const allot__job_explanation *it, int64_t may, int64_t safe)
{
    int64_t needs = it->job->slots;
    int64_t has = it->free + may;
    if (it->verdict.why == ALLOT_PEND_DELAY || it->job->state != ALLOT_PENDING)
        return;
    if (has >= needs) {
        allot__explain(
            &it->about,
            "That would be enough in number, but not where and when it had its turn: "
            "hosts, limits or jobs before it stood in the way. No job is preempted (A-10).");
        return;
    }
    allot__explain(&it->about,
                   "%" PRId64 " free and %" PRId64 " that may go are %" PRId64 " of the %" PRId64
                   " it needs: %" PRId64 " too few, so no job is preempted (A-10, A-11).",
                   it->free, may, has, needs, needs - has);
    if (safe > 0) {
        allot__explain(&it->about, "If no job were protected, it would be %" PRId64 ": %s.",
                       has + safe, has + safe >= needs ? "enough" : "too few still");
    }
}

static int32_t count_low(const allot__job_explanation *it)
{
    int32_t count = 0;
    for (int32_t low = 0; low < allot__queue_count(it->about.work->plan); low++)
        count += allot__explain_may(it, it->job->queue, low);
    return count;
}

void allot__explain_candidates(const allot__job_explanation *it)
{
    int32_t queues = count_low(it);
    int64_t may = 0;
    int64_t safe = 0;
    int32_t shown = 0;
    if (it->queues->pool_of[it->job->queue] >= 0) {
        allot__explain(&it->about, "Queues of pools preempt no jobs (Q-11).");
        return;
    }
    if (allot__barred_by_type(it->about.work, it->job)) {
        allot__explain(&it->about, "It preempts no job: it is exclusive, and PREEMPT_JOBTYPE does "
                                   "not name EXCLUSIVE (P-40).");
        return;
    }
    if (queues == 0) {
        allot__explain(&it->about, "Its queue may preempt no job.");
    } else {
        allot__explain(&it->about, "%s jobs of %" PRId32 " queue%s (P-7):",
                       it->verdict.why == ALLOT_PEND_DELAY ? "Then it may preempt"
                                                           : "It may preempt",
                       queues, queues == 1 ? "" : "s");
    }
    for (int32_t low = 0; queues > 0 && low < allot__queue_count(it->about.work->plan); low++) {
        if (!allot__explain_may(it, it->job->queue, low))
            continue;
        tally of = count_queue(it, low);
        may += of.slots[ALLOT__ELIGIBLE];
        safe += protected(&of);
        if (shown < ALLOT__EXPLAIN_NAMED && (of.all_jobs > 0 || queues <= ALLOT__EXPLAIN_NAMED)) {
            shown++;
            explain_low(it, low, &of);
        }
    }
    if (queues > shown)
        allot__explain(&it->about, "  and %" PRId32 " more.", queues - shown);
    if (queues > 0)
        explain_sum(it, may, safe);
    explain_others(it);
}
