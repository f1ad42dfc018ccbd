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

/* ---- Jobs it may preempt --------------------------------------------------------------------- */

static void put_kinds(const allot__job_explanation *it, const tally *of)
{
    static const char *const names[GUARD] = {[ALLOT__ELIGIBLE] = "eligible",
                                             [ALLOT__INELIGIBLE_NEW] = "new",
                                             [ALLOT__INELIGIBLE_TAKEN] = "taken",
                                             [ALLOT__INELIGIBLE_EXCLUSIVE] = "exclusive",
                                             [ALLOT__INELIGIBLE_BACKFILL] = "backfill",
                                             [ALLOT__INELIGIBLE_FORCED] = "forced",
                                             [ALLOT__INELIGIBLE_RESERVED] = "reserved"};
    allot__facts_open(&it->about, "kinds", "[");
    for (int32_t kind = 0; kind < KINDS; kind++) {
        const allot__guard *guard = allot__explain_guard(&it->about, kind);
        if (of->jobs[kind] == 0)
            continue;
        allot__facts_open(&it->about, NULL, "{");
        FACTS(&it->about, "kind guard", guard ? NULL : names[kind], guard ? guard->label : NULL);
        if (guard && allot__explain_parameter(guard) >= 0)
            FACTS(&it->about, "parameter", allot__explain_parameter(guard));
        FACTS(&it->about, "jobs slots", of->jobs[kind], of->slots[kind]);
        allot__facts_end(&it->about, "}");
    }
    allot__facts_end(&it->about, "]");
}

static void open_queue(const allot__job_explanation *it, int32_t queue, const tally *of)
{
    allot__facts_open(&it->about, NULL, "{");
    allot__fact_queue(it, queue);
    FACTS(&it->about, "jobs slots", of->all_jobs, of->all_slots);
}

/* Queues whose jobs it may preempt: the first ones, and what the others have, too. */
static void put_may(const allot__job_explanation *it, int32_t queues)
{
    const allot__relation *relation = it->about.work->plan->relation;
    int64_t may = 0, safe = 0;
    int32_t shown = 0;
    allot__facts_open(&it->about, "may", "[");
    for (int32_t low = 0; queues > 0 && low < allot__queue_count(it->about.work->plan); low++) {
        if (!allot__explain_may(it, it->job->queue, low))
            continue;
        tally of = count_queue(it, low);
        may += of.slots[ALLOT__ELIGIBLE];
        for (int32_t kind = GUARD; kind < KINDS; kind++)
            safe += of.slots[kind];
        if (shown < ALLOT__EXPLAIN_NAMED && (of.all_jobs > 0 || queues <= ALLOT__EXPLAIN_NAMED)) {
            shown++;
            open_queue(it, low, &of);
            FACTS(&it->about, "preferred", allot__preference(relation, it->job->queue, low));
            put_kinds(it, &of);
            allot__facts_end(&it->about, "}");
        }
    }
    allot__facts_end(&it->about, "]");
    FACTS(&it->about, "may_go protected", may, safe);
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
static const char *unsaid(const allot_queue *above, const allot_queue *below)
{
    if (below->high_count > 0 && !lists(below->high, below->high_count, above->name))
        return "high";
    if (!below->preemptable && !above->preemptive)
        return "neither";
    if (!below->preemptable && above->low_count > 0)
        return "low";
    return "relation";
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

/* Why one queue may not preempt another; of a policy's test its name. */
static const char *barred(const allot__job_explanation *it, int32_t high, int32_t low)
{
    const allot_policy *policy = it->about.rules->policy;
    const allot_provider *provider = &policy->provider;
    if (high == low)
        return "same";
    if (it->queues->pool_of[high] >= 0 || it->queues->pool_of[low] >= 0)
        return "pools";
    if (policy->preempts == ALLOT_NOBODY)
        return "nobody";
    int32_t why = refusal(it, high, low);
    if (why == ALLOT_REFUSED_PRIORITY)
        return "priority";
    if (why == ALLOT_REFUSED_SLOT_SHARE)
        return "slot_share";
    if (why == ALLOT_REFUSED_QUEUES)
        return unsaid(allot__explain_queue_of(it, high), allot__explain_queue_of(it, low));
    FACTS(&it->about, "test",
          provider->refusal ? provider->refusal(provider->ud, policy->preempts, why) : NULL);
    return "policy";
}

static void put_others(const allot__job_explanation *it)
{
    int32_t shown = 0;
    allot__facts_open(&it->about, "may_not", "[");
    for (int32_t low = 0; low < allot__queue_count(it->about.work->plan); low++) {
        if (allot__explain_may(it, it->job->queue, low))
            continue;
        tally of = count_queue(it, low);
        if (of.all_jobs == 0 || shown++ >= ALLOT__EXPLAIN_NAMED)
            continue;
        open_queue(it, low, &of);
        FACTS(&it->about, "share why", allot__explain_queue_of(it, low)->slot_share,
              barred(it, it->job->queue, low));
        allot__facts_end(&it->about, "}");
    }
    allot__facts_end(&it->about, "]");
    FACTS(&it->about, "may_not_count", shown);
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
    allot__facts_open(&it->about, "candidates", "{");
    FACTS(&it->about, "pool? barred? queues free policy share",
          it->queues->pool_of[it->job->queue] >= 0, allot__barred_by_type(it->about.work, it->job),
          queues, it->free, it->about.rules->policy->name, it->queue->slot_share);
    put_may(it, queues);
    put_others(it);
    allot__facts_end(&it->about, "}");
}
