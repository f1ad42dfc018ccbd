/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* candidates.c: jobs that a waiting job may preempt, those of them that are ineligible, and jobs
 * that it may not preempt. */
#include "engine/explain/job.h"

#include <string.h>

/* Kinds of running jobs, as seen from the waiting job. */
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

static tally count_queue(const allot__job_explanation *it, int32_t low)
{
    tally out = {{0}, {0}, 0, 0};
    for (int32_t i = it->jobs->first[low]; i < it->jobs->first[low + 1]; i++) {
        int32_t number = it->jobs->by_queue[i];
        int64_t slots = it->out->jobs[number].now == ALLOT_RUNNING && number != it->number
                            ? allot__explain_has(it, number, NULL)
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

static void explain_kinds(const allot__job_explanation *it, const tally *of)
{
    static const char *const words[GUARD] = {
        [ALLOT__ELIGIBLE] = "may go",
        [ALLOT__INELIGIBLE_NEW] = "started or resumed in this cycle, so not preempted in it",
        [ALLOT__INELIGIBLE_TAKEN] = "given slots, or chosen for another job, in this cycle",
        [ALLOT__INELIGIBLE_EXCLUSIVE] =
            "exclusive, which PREEMPT_JOBTYPE does not name (P-8, P-40)",
        [ALLOT__INELIGIBLE_BACKFILL] = ("backfill, which only goes if PREEMPT_JOBTYPE names it and "
                                        "its queue is preemptable (P-8, P-40)"),
        [ALLOT__INELIGIBLE_FORCED] = "forced to run (P-8)",
        [ALLOT__INELIGIBLE_RESERVED] =
            "backfill on slots reserved by a queue of no lower PRIORITY (P-40)",
    };
    for (int32_t kind = 0; kind < KINDS; kind++) {
        if (of->jobs[kind] == 0)
            continue;
        allot__phrase jobs = PHRASE("{} job{|s} ({} slot{|s})", of->jobs[kind], of->slots[kind]);
        if (kind < GUARD) {
            SAY(&it->about, "    {}: {}.", jobs.text, words[kind]);
            continue;
        }
        const allot__guard *guard = allot__explain_guard(&it->about, kind);
        int32_t parameter = allot__explain_parameter(guard);
        SAY(&it->about, "    {}: protected by {.60} ({?P-{}|C-8}).", jobs.text, guard->label,
            parameter >= 0, parameter);
    }
}

static void explain_low(const allot__job_explanation *it, int32_t low, const tally *of)
{
    const allot_queue *queue = allot__explain_queue_of(it, low);
    int32_t level = allot__preference(it->about.work->plan->relation, it->job->queue, low);
    if (of->all_jobs == 0) {
        SAY(&it->about,
            "  /{} (PRIORITY {}{&, preferred +{}}): nothing of it runs where this job could.",
            queue->name, queue->priority, level);
        return;
    }
    SAY(&it->about, "  /{} (PRIORITY {}{&, preferred +{}}): {} job{|s} ({} slot{|s}) there.",
        queue->name, queue->priority, level, of->all_jobs, of->all_slots);
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

/* What the queues themselves do not allow (P-3 ... P-5). */
static allot__phrase unsaid(const allot_queue *above, const allot_queue *below)
{
    if (below->high_count > 0 && !lists(below->high, below->high_count, above->name))
        return PHRASE("its list of those that may preempt it does not name /{.100} (P-4)",
                      above->name);
    if (!below->preemptable && !above->preemptive)
        return PHRASE("neither is it preemptable nor /{.100} preemptive (P-5)", above->name);
    if (!below->preemptable && above->low_count > 0)
        return PHRASE("it is not preemptable, nor on the list of /{.100} (P-3)", above->name);
    return PHRASE("the policy's relation says no");
}

/* The refusal; without a policy's function, the first that applies of P-6 and P-7. */
static int32_t refusal(const allot__job_explanation *it, int32_t high, int32_t low)
{
    const allot__relation *relation = it->about.work->plan->relation;
    if (relation->refused)
        return relation->refused[(size_t)high * (size_t)relation->count + (size_t)low];
    return allot__explain_queue_of(it, high)->priority <= allot__explain_queue_of(it, low)->priority
               ? ALLOT_REFUSED_PRIORITY
               : ALLOT_REFUSED_QUEUES;
}

/* A refusal in words; maybe by a test of the policy. */
static allot__phrase refused(const allot_policy *policy, const allot_queue *above,
                             const allot_queue *below, int32_t refusal)
{
    const allot_provider *provider = &policy->provider;
    if (refusal == ALLOT_REFUSED_PRIORITY)
        return PHRASE("PRIORITY {} is not below {} (P-6)", below->priority, above->priority);
    if (refusal == ALLOT_REFUSED_SLOT_SHARE)
        return PHRASE("slot_share {} is not below {}", below->slot_share, above->slot_share);
    if (refusal == ALLOT_REFUSED_QUEUES)
        return unsaid(above, below);
    const char *name =
        provider->refusal ? provider->refusal(provider->ud, policy->preempts, refusal) : NULL;
    return name ? PHRASE("{.120}, a test of policy \"{.40}\", says no", name, policy->name)
                : PHRASE("the relation of policy \"{.100}\" says no", policy->name);
}

/* Why one queue may not preempt another. */
static allot__phrase barred(const allot__job_explanation *it, int32_t high, int32_t low)
{
    const allot_policy *policy = it->about.rules->policy;
    if (high == low)
        return PHRASE("jobs of one queue never preempt each other (P-6)");
    if (it->queues->pool_of[high] >= 0 || it->queues->pool_of[low] >= 0)
        return PHRASE("queues of pools neither preempt nor are preempted (Q-11, A-24)");
    if (policy->preempts == ALLOT_NOBODY)
        return PHRASE("policy \"{.100}\" lets no job preempt", policy->name);
    return refused(policy, allot__explain_queue_of(it, high), allot__explain_queue_of(it, low),
                   refusal(it, high, low));
}

static void explain_others(const allot__job_explanation *it)
{
    int32_t shown = 0;
    for (int32_t low = 0; low < allot__queue_count(it->about.work->plan); low++) {
        if (allot__explain_may(it, it->job->queue, low))
            continue;
        tally of = count_queue(it, low);
        if (of.all_jobs == 0 || shown++ >= ALLOT__EXPLAIN_NAMED)
            continue;
        if (shown == 1)
            SAY(&it->about, "It may not preempt those of:");
        SAY(&it->about, "  /{}, with {} job{|s} ({} slot{|s}) there: {}.",
            allot__explain_queue_of(it, low)->name, of.all_jobs, of.all_slots,
            barred(it, it->job->queue, low).text);
    }
    if (shown > ALLOT__EXPLAIN_NAMED)
        SAY(&it->about, "  nor of {} more queues.", shown - ALLOT__EXPLAIN_NAMED);
}

/* ---- Why that is not enough ------------------------------------------------------------------ */

static void explain_sum(const allot__job_explanation *it, int64_t may, int64_t safe)
{
    int64_t needs = it->job->slots;
    int64_t has = it->free + may;
    if (it->verdict.why == ALLOT_PEND_DELAY || it->job->state != ALLOT_PENDING)
        return;
    if (has >= needs) {
        SAY(&it->about,
            "That would be enough in number, but not where and when it had its turn: hosts, limits "
            "or jobs before it stood in the way. No job is preempted (A-10).");
        return;
    }
    SAY(&it->about,
        "{} free and {} that may go are {} of the {} it needs: {} too few, so no job is preempted "
        "(A-10, A-11).",
        it->free, may, has, needs, needs - has);
    if (safe > 0)
        SAY(&it->about, "If no job were protected, it would be {}: {?enough|too few still}.",
            has + safe, has + safe >= needs);
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
        SAY(&it->about, "Queues of pools preempt no jobs (Q-11).");
        return;
    }
    if (allot__barred_by_type(it->about.work, it->job)) {
        SAY(&it->about, "It preempts no job: it is exclusive, and PREEMPT_JOBTYPE does not name "
                        "EXCLUSIVE (P-40).");
        return;
    }
    if (queues == 0)
        SAY(&it->about, "Its queue may preempt no job.");
    else
        SAY(&it->about, "{?Then it may preempt|It may preempt} jobs of {} queue{|s} (P-7):",
            it->verdict.why == ALLOT_PEND_DELAY, queues);
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
        SAY(&it->about, "  and {} more.", queues - shown);
    if (queues > 0)
        explain_sum(it, may, safe);
    explain_others(it);
}
