/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue_check.c: checks queues against each other, their pools and the plan's policy. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/jobs/queue.h"
#include "model/windows/say.h"
#include "model/windows/window.h"

/* The queue being checked, and where findings about it go. */
typedef struct looking {
    const allot_plan *plan;
    const allot__queues *queues;
    allot_report *report;
    const allot_queue *queue;
    int32_t number;
    const char *hint; /* of the next finding */
    int result;
} looking;

enum { PATH_SIZE = 64 };

/* Reports a finding about a key of the queue, and its i-th item if i >= 0: a warning, or an error
 * if the code is one. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static void
tell(looking *it, const char *code, const char *key, int32_t i, const char *format, ...)
{
    char path[PATH_SIZE], message[256], item[16] = "";
    allot__fault fault = allot__fault_of(it->report, code, it->hint);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (i >= 0)
        snprintf(item, sizeof item, "[%d]", (int)i);
    snprintf(path, sizeof path, "queues[%d].%s%s", (int)it->number, key, item);
    fault.severity = *code == 'E' ? ALLOT_ERROR : ALLOT_WARNING;
    fault.consumer = it->number;
    fault.path = path;
    if (fault.severity == ALLOT_ERROR)
        it->result = ALLOT_EINVALID;
    it->hint = NULL;
    allot__say(it->plan, &fault, "%s", message);
}

/* ---- Preemption lists (A-16, Q-11) ---- */

/* `above`: the other queue should have higher priority; else lower. */
static void check_listed(looking *it, const char *key, int32_t i, int32_t other, bool above)
{
    const allot_queue *of = allot__queue_at(it->queues, other);
    if (of->slot_pool)
        tell(it, "E-pool", key, i,
             "the queue %s is in the pool %s: queues of pools neither preempt nor are "
             "preempted",
             of->name, of->slot_pool);
    if (above ? of->priority > it->queue->priority : of->priority < it->queue->priority)
        return;
    tell(it, "W-preemption", key, i,
         "the queue %s has priority %ld, which is not %s than %ld: it has no effect", of->name,
         (long)of->priority, above ? "higher" : "lower", (long)it->queue->priority);
}

static void check_list(looking *it, const char *key, const void *names, size_t stride,
                       int32_t count, bool above)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "queues[%d].%s", (int)it->number, key);
    allot__listing listing = {false, names, stride, count, path, it->number, it->report};
    for (int32_t i = 0; i < count; i++) {
        int32_t other = allot__listing_at(it->plan, &listing, i);
        if (other >= 0)
            check_listed(it, key, i, other, above);
        else
            it->result = allot__listing_unknown(it->plan, &listing, i);
    }
}

/* ---- Pools ---- */

static void check_unpooled(looking *it)
{
    const allot_queue *queue = it->queue;
    if (queue->slot_share > 0)
        tell(it, "E-pool", "slot_share", -1,
             "a slot_share is of a pool, but no slot_pool is stated");
    if (queue->max_slots_in_pool != ALLOT_NONE || queue->use_priority_in_pool) {
        const char *key =
            queue->use_priority_in_pool ? "use_priority_in_pool" : "max_slots_in_pool";
        tell(it, "W-pool", key, -1, "no slot_pool is stated: %s has no effect", key);
    }
}

/* Warns of a key that only the first queue of a pool may state. */
static void check_later(looking *it, const char *key, bool stated, const allot_queue *first)
{
    if (!stated)
        return;
    tell(it, "W-pool", key, -1,
         "%s of the pool %s is what its first queue, %s, says: here it has no effect", key,
         first->slot_pool, first->name);
}

static void check_member(looking *it, int32_t first)
{
    const allot_queue *queue = it->queue, *of = allot__queue_at(it->queues, first);
    check_later(it, "max_slots_in_pool", queue->max_slots_in_pool != ALLOT_NONE, of);
    check_later(it, "use_priority_in_pool", queue->use_priority_in_pool != 0, of);
    int32_t own = it->queues->set_of[it->number], others = it->queues->set_of[first];
    if (own == others || own < 0 || others < 0)
        return;
    it->hint = "all queues of a pool name the same hosts, or none";
    tell(it, "E-pool", queue->host_count > 0 ? "hosts" : "slot_pool", -1,
         "its hosts are not those of %s, which is in the pool %s too", of->name, queue->slot_pool);
}

static void check_unfit(looking *it, const char *key, bool stated, const char *why)
{
    if (!stated)
        return;
    tell(it, "W-pool", key, -1, "it is in the pool %s: %s", it->queue->slot_pool, why);
}

static void check_pooled(looking *it)
{
    const allot_queue *queue = it->queue;
    int32_t first = it->queues->pools[it->queues->pool_of[it->number]].queues[0];
    if (queue->slot_share == 0)
        tell(it, "E-pool", "slot_pool", -1, "in the pool %s a slot_share of 1 ... 100 is needed",
             queue->slot_pool);
    if (queue->preemptive || queue->preemptable) {
        const char *key = queue->preemptive ? "preemptive" : "preemptable";
        tell(it, "E-pool", key, -1, "it is in the pool %s, and so may not be %s", queue->slot_pool,
             key);
    }
    if (first != it->number)
        check_member(it, first);
    check_unfit(it, "slot_reserve", queue->slot_reserve != 0,
                "slots reserved for one job are kept from the others' slices");
    check_unfit(it, "fairshare_queues", queue->cross_fairshare != 0,
                "fairshare across queues can undo what the pool decides");
    check_unfit(it, "backfill",
                queue->backfill && queue->slot_reserve && queue->max_slots_in_pool != ALLOT_NONE,
                "with slot_reserve and max_slots_in_pool its jobs cannot use slots that are "
                "reserved for jobs of the same queue");
}

/* P-43: LSF disables such a queue. */
static void check_backfill(looking *it)
{
    const allot_queue *queue = it->queue;
    if (queue->interruptible_backfill == ALLOT_NONE ||
        (queue->backfill && queue->run_limit != ALLOT_NONE))
        return;
    tell(it, "E-backfill", "interruptible_backfill", -1, "interruptible_backfill needs %s, too",
         queue->backfill                  ? "a runlimit"
         : queue->run_limit != ALLOT_NONE ? "backfill"
                                          : "backfill and a runlimit");
}

int allot__pools_check(const allot_plan *plan, allot_report *report)
{
    looking it = {.plan = plan, .queues = plan->queues, .report = report};
    for (int32_t i = 0; i < allot__queue_count(plan); i++) {
        const allot_queue *queue = it.queue = allot__queue_at(it.queues, i);
        it.number = i;
        check_list(&it, "preemptive", queue->low, sizeof *queue->low, queue->low_count, false);
        check_list(&it, "preemptable", queue->high, sizeof *queue->high, queue->high_count, true);
        if (queue->slot_pool)
            check_pooled(&it);
        else
            check_unpooled(&it);
        check_backfill(&it);
    }
    return it.result;
}

/* ---- Sizes beside hosts ---- */

static void say_size(const allot_plan *plan, int64_t slots, int32_t window, int64_t hosts,
                     allot_report *report)
{
    allot__fault fault = allot__fault_of(
        report, "W-slots",
        "the state says which hosts there are: it closes some, or states less slots of them");
    fault.severity = ALLOT_WARNING;
    fault.window = window + 1;
    allot__say(plan, &fault, "%s says %lld slots, but jobs go by the %lld of the plan's hosts",
               window < 0 ? "the plan" : "the window", (long long)slots, (long long)hosts);
}

void allot__sizes_check(const allot_plan *plan, allot_report *report)
{
    const allot__host *hosts = plan->hosts.list.items;
    const allot__group *group = &plan->groups[0];
    int64_t all = 0;
    bool known = false;
    for (size_t i = 0; i < plan->hosts.list.count; i++) {
        known = known || hosts[i].slots >= 0;
        all += hosts[i].slots > 0 ? hosts[i].slots : 0;
    }
    if (!known)
        return;
    if (group->slots_set && group->slots != all)
        say_size(plan, group->slots, -1, all, report);
    for (int32_t i = 0; i < allot__hours_count(plan); i++) {
        const allot__hours *hours = allot__hours_at(plan, i);
        if (hours->slots_set && hours->slots != all)
            say_size(plan, hours->slots, i, all, report);
    }
}

/* ---- Queues and the policy ---- */

static int say_policy(const allot_plan *plan, allot__fault fault, bool queues)
{
    fault.hint = queues ? "queues go by a policy that dispatches: preemption, queue_pool, "
                          "shared_lease"
                        : "consumers go by a policy that divides slots: hybrid, ownership, "
                          "share_ratio";
    allot__say(plan, &fault,
               queues ? "the policy \"%s\" divides slots among consumers, but the plan has queues"
                      : "the policy \"%s\" dispatches queues' jobs, but the plan has consumers",
               plan->groups[fault.group].policy->name);
    return ALLOT_EINVALID;
}

int allot__check_queues(const allot_plan *plan, int32_t group, allot_report *report)
{
    int32_t queues = allot__queue_count(plan), consumers = plan->names->count;
    const allot_policy *policy = plan->groups[group].policy;
    allot__fault fault = allot__fault_of(report, "E-policy", NULL);
    fault.group = group;
    if (policy && queues > 0 && !policy->dispatches)
        return say_policy(plan, fault, true);
    if (policy && queues == 0 && consumers > 0 && policy->dispatches)
        return say_policy(plan, fault, false);
    return ALLOT_OK;
}
