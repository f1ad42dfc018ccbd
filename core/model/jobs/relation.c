/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * relation.c: which queue may preempt which.
 *
 * This file owns: the life of allot__relation.
 */
#include <stdio.h>
#include <string.h>

#include "model/jobs/queue.h"
#include "model/windows/say.h"

static size_t levels_count(const allot__relation *it)
{
    return it->levels ? (size_t)it->count * (size_t)it->count : 0;
}

static void end(allot_engine *engine, allot__relation *it)
{
    if (!it)
        return;
    allot__free(engine, it->may, (size_t)it->count * allot__words(it->count), sizeof *it->may);
    allot__free(engine, it->by, (size_t)it->count * allot__words(it->count), sizeof *it->by);
    allot__free(engine, it->levels, levels_count(it), sizeof *it->levels);
    allot__free(engine, it->refused, it->refused ? (size_t)it->count * (size_t)it->count : 0,
                sizeof *it->refused);
    allot__free(engine, it, 1, sizeof *it);
}

void allot__relation_free(allot_plan *plan)
{
    if (!plan->base || plan->relation != plan->base->relation)
        end(plan->engine, plan->relation);
    plan->relation = NULL;
}

static uint64_t *row_of(const allot__relation *it, int32_t high)
{
    return it->may + (size_t)high * allot__words(it->count);
}

static void set(const allot__relation *it, int32_t high, int32_t low, bool may)
{
    uint64_t bit = UINT64_C(1) << low % 64;
    uint64_t *word = &row_of(it, high)[low / 64];
    *word = may ? *word | bit : *word & ~bit;
}

/* ---- P-7 ------------------------------------------------------------------------------------- */

static bool prefers(const allot_queue *high, const char *name)
{
    for (int32_t i = 0; i < high->low_count; i++)
        if (strcmp(high->low[i].queue, name) == 0)
            return true;
    return false;
}

static bool admits(const allot_queue *low, const char *name)
{
    for (int32_t i = 0; i < low->high_count; i++)
        if (strcmp(low->high[i], name) == 0)
            return true;
    return false;
}

/* If a queue lists those that may preempt it, only these may; without a list all may if it is
 * preemptable. A list of queues that it may preempt restricts it to these (P-3). A queue preempts
 * only queues of lower priority (P-6). */
static bool built_in(const allot_queue *high, const allot_queue *low)
{
    if (low->priority >= high->priority)
        return false;
    if (low->preemptable)
        return low->high_count == 0 || admits(low, high->name);
    return high->preemptive && (high->low_count == 0 || prefers(high, low->name));
}

static void put_built_in(const allot_plan *plan, const allot__relation *it)
{
    const allot__queues *queues = allot__queues_of(plan);
    for (int32_t high = 0; high < it->count; high++)
        for (int32_t low = 0; low < it->count; low++)
            set(it, high, low,
                built_in(allot__queue_at(queues, high), allot__queue_at(queues, low)));
}

/* ---- A policy's ------------------------------------------------------------------------------ */

static int put_asked(const allot_plan *plan, allot__relation *it, allot_report *report)
{
    const allot_policy *policy = plan->groups[0].policy;
    const allot_provider *provider = &policy->provider;
    it->refused = allot__new(plan->engine, (size_t)it->count * (size_t)it->count, 1);
    if (!it->refused)
        return ALLOT_ENOMEM;
    for (int32_t high = 0; high < it->count; high++) {
        for (int32_t low = 0; low < it->count; low++) {
            int32_t may = 0;
            int status = high == low ? ALLOT_OK
                                     : provider->relate(provider->ud, policy->preempts, plan, high,
                                                        low, &may, report);
            if (status)
                return status;
            set(it, high, low, may > 0);
            it->refused[(size_t)high * (size_t)it->count + (size_t)low] =
                (int8_t)(may > 0 || may < INT8_MIN ? 0 : may);
        }
    }
    return ALLOT_OK;
}

/* Queues of pools neither preempt nor are preempted, whatever states so. */
static void cut_pools(const allot_plan *plan, const allot__relation *it)
{
    const allot__queues *queues = allot__queues_of(plan);
    for (int32_t queue = 0; queue < it->count; queue++) {
        if (!allot__queue_at(queues, queue)->slot_pool)
            continue;
        memset(row_of(it, queue), 0, allot__words(it->count) * sizeof *it->may);
        for (int32_t high = 0; high < it->count; high++)
            set(it, high, queue, false);
    }
}

static bool any_may(const allot__relation *it)
{
    bool any = false;
    for (size_t i = 0; i < (size_t)it->count * allot__words(it->count); i++)
        any = any || it->may[i] != 0;
    return any;
}

/* ---- Preferences ----------------------------------------------------------------------------- */

static int put_levels(const allot_plan *plan, allot__relation *it)
{
    const allot__queues *queues = allot__queues_of(plan);
    bool any = false;
    for (int32_t high = 0; high < it->count; high++) {
        const allot_queue *queue = allot__queue_at(queues, high);
        for (int32_t i = 0; i < queue->low_count; i++)
            any = any || queue->low[i].level > 0;
    }
    if (!any)
        return ALLOT_OK;
    it->levels =
        allot__new(plan->engine, (size_t)it->count * (size_t)it->count, sizeof *it->levels);
    if (!it->levels)
        return ALLOT_ENOMEM;
    for (int32_t high = 0; high < it->count; high++) {
        const allot_queue *queue = allot__queue_at(queues, high);
        int32_t *levels = it->levels + (size_t)high * (size_t)it->count;
        for (int32_t i = 0; i < queue->low_count; i++) {
            int32_t low = allot_plan_queue_find(plan, queue->low[i].queue);
            if (queue->low[i].level > levels[low])
                levels[low] = queue->low[i].level;
        }
    }
    return ALLOT_OK;
}

/* ---- Cycles ---------------------------------------------------------------------------------- */

/* The first queue left that `high` may preempt; -1: none. */
static int32_t next_of(const allot__relation *it, const uint64_t *left, int32_t high)
{
    const uint64_t *row = row_of(it, high);
    for (size_t i = 0; i < allot__words(it->count); i++) {
        uint64_t both = row[i] & left[i];
        for (int32_t bit = 0; both != 0; bit++, both >>= 1)
            if (both & 1)
                return (int32_t)i * 64 + bit;
    }
    return -1;
}

/* Removes queues that may preempt no queue left, until no more are removed: from those that remain
 * every way leads into a cycle. Returns one of them, or -1. */
static int32_t find_circle(const allot__relation *it, uint64_t *left)
{
    int32_t found = -1;
    for (int32_t i = 0; i < it->count; i++)
        left[i / 64] |= UINT64_C(1) << i % 64;
    for (bool more = true; more;) {
        more = false;
        found = -1;
        for (int32_t i = 0; i < it->count; i++) {
            uint64_t bit = UINT64_C(1) << i % 64;
            if (!(left[i / 64] & bit))
                continue;
            found = found < 0 ? i : found;
            if (next_of(it, left, i) >= 0)
                continue;
            left[i / 64] &= ~bit;
            more = true;
        }
    }
    return found;
}

/* Steps from each queue to the first that it may preempt: after as many steps as there are queues
 * it is in a cycle, whose queues it names. */
static int say_circle(const allot_plan *plan, const allot__relation *it, const uint64_t *left,
                      int32_t from, allot_report *report)
{
    const allot__queues *queues = allot__queues_of(plan);
    char names[200];
    for (int32_t i = 0; i < it->count; i++)
        from = next_of(it, left, from);
    size_t len = (size_t)snprintf(names, sizeof names, "%s", allot__queue_at(queues, from)->name);
    int32_t at = from;
    do {
        at = next_of(it, left, at);
        const char *name = allot__queue_at(queues, at)->name;
        if (len < sizeof names)
            len += (size_t)snprintf(names + len, sizeof names - len, " -> %s", name);
    } while (at != from);
    allot__fault fault =
        allot__fault_of(report, "E-cycle", "let a queue preempt only those of lower priority");
    fault.consumer = from;
    allot__say(plan, &fault, "queues preempt each other in a circle: %s", names);
    return ALLOT_EINVALID;
}

static int check_circles(const allot_plan *plan, const allot__relation *it, allot_report *report)
{
    size_t words = allot__words(it->count);
    uint64_t *left = allot__new(plan->engine, words, sizeof *left);
    if (!left)
        return ALLOT_ENOMEM;
    int32_t found = find_circle(it, left);
    int status = found < 0 ? ALLOT_OK : say_circle(plan, it, left, found, report);
    allot__free(plan->engine, left, words, sizeof *left);
    return status;
}

/* Makes the bits by the preempted queue. */
static int turn_round(const allot_plan *plan, allot__relation *it)
{
    size_t words = allot__words(it->count);
    it->by = allot__new(plan->engine, (size_t)it->count * words, sizeof *it->by);
    if (!it->by)
        return ALLOT_ENOMEM;
    for (int32_t high = 0; high < it->count; high++)
        for (size_t i = 0; i < words; i++)
            for (uint64_t left = row_of(it, high)[i]; left != 0; left &= left - 1) {
                size_t low = i * 64 + (size_t)__builtin_ctzll(left);
                it->by[low * words + (size_t)high / 64] |= UINT64_C(1) << high % 64;
            }
    return ALLOT_OK;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static int make(const allot_plan *plan, allot__relation *it, allot_report *report)
{
    const allot_policy *policy = plan->groups[0].policy;
    size_t count = (size_t)it->count * allot__words(it->count);
    it->may = allot__new(plan->engine, count, sizeof *it->may);
    if (!it->may || put_levels(plan, it))
        return ALLOT_ENOMEM;
    if (policy->preempts == ALLOT__AS_QUEUES_SAY)
        put_built_in(plan, it); /* by priority, so without cycles */
    int status = policy->preempts < 0 ? ALLOT_OK : put_asked(plan, it, report);
    cut_pools(plan, it);
    if (!plan->base) /* a policy may relate queues that state nothing (P-20) */
        plan->queues->preempts = plan->queues->preempts || any_may(it);
    if (status == ALLOT_OK && policy->preempts >= 0)
        status = check_circles(plan, it, report);
    return status == ALLOT_OK ? turn_round(plan, it) : status;
}

int allot__relation_make(allot_plan *plan, allot_report *report)
{
    int32_t count = allot__queue_count(plan);
    bool same = plan->base && plan->groups[0].policy == plan->base->groups[0].policy;
    if (count == 0 || same)
        return ALLOT_OK;
    plan->relation = NULL; /* of a variant: not its base's any more */
    allot__relation *it = allot__new(plan->engine, 1, sizeof *it);
    if (!it)
        return ALLOT_ENOMEM;
    it->count = count;
    int status = make(plan, it, report);
    if (status)
        end(plan->engine, it);
    else
        plan->relation = it;
    return status;
}
