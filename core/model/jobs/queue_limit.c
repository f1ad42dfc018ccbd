/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue_limit.c: limits: makes those that queues state, and looks up names in all of them. */
#include <stdio.h>
#include <string.h>

#include "base/least.h"
#include "model/names/names.h"
#include "model/jobs/queue.h"
#include "model/windows/say.h"

/* ---- In percent (P-27) ---- */

static allot__allowance part_of(int32_t stated, int32_t percent, int64_t whole)
{
    int64_t part = whole * percent / 100;
    if (percent == 0)
        return (allot__allowance){.slots = stated};
    return (allot__allowance){.slots =
                                  (int32_t)allot__most(1, allot__least(part, ALLOT_AMOUNT_MAX)),
                              .percent = percent,
                              .whole = whole};
}

allot__allowance allot__queue_allows(const allot_queue *queue, int64_t slots)
{
    return part_of(queue->qjob_limit, queue->qjob_percent, slots);
}

allot__allowance allot__user_allows(const allot_queue *queue, int64_t slots)
{
    int32_t own = allot__queue_allows(queue, slots).slots;
    return part_of(queue->ujob_limit, queue->ujob_percent, own == ALLOT_NONE ? slots : own);
}

/* ---- Queues' own (P-22) ---- */

/* `most`: ALLOT_NONE: the queue states none; `allows`: what it is by the cluster's size, or NULL.
 */
typedef struct own_limit {
    const char *key;
    int32_t most;
    allot_limit_kind kind;
    int32_t per;
    allot__allowance (*allows)(const allot_queue *queue, int64_t slots);
} own_limit;

static int add_own(allot_plan *plan, int32_t queue, const own_limit *own)
{
    allot__queues *queues = plan->queues;
    const allot_queue *it = allot__queue_at(queues, queue);
    if (own->most == ALLOT_NONE)
        return ALLOT_OK;
    size_t size = strlen(own->key) + strlen(it->name) + sizeof " of ";
    char *name = allot__pool_take(plan->engine, &queues->sealed, size, 1);
    uint64_t *bits =
        allot__pool_take(plan->engine, &queues->sealed,
                         allot__words((int32_t)queues->list.count) * sizeof *bits, sizeof *bits);
    allot__job_limit *added =
        name && bits ? allot__push(plan->engine, &queues->limits, sizeof *added) : NULL;
    if (!added)
        return ALLOT_ENOMEM;
    snprintf(name, size, "%s of %s", own->key, it->name);
    bits[queue / 64] |= UINT64_C(1) << queue % 64;
    *added = (allot__job_limit){
        .stated = {.name = name, .kind = own->kind, .most = own->most, .per = own->per},
        .allows = own->allows,
        .queue_level = true,
        .queues = bits,
        .set = -1,
        .queue = queue};
    return ALLOT_OK;
}

static int add_all(allot_plan *plan)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot__queue_count(plan) && status == ALLOT_OK; i++) {
        const allot_queue *it = allot__queue_at(plan->queues, i);
        const own_limit all[] = {
            {"qjob_limit", allot__queue_allows(it, 0).slots, ALLOT_LIMIT_SLOTS, 0,
             allot__queue_allows},
            {"ujob_limit", allot__user_allows(it, 0).slots, ALLOT_LIMIT_SLOTS, ALLOT_PER_USER,
             allot__user_allows},
            {"pjob_limit", it->pjob_limit, ALLOT_LIMIT_PER_PROCESSOR, ALLOT_PER_HOST, NULL},
            {"hjob_limit", it->hjob_limit, ALLOT_LIMIT_SLOTS, ALLOT_PER_HOST, NULL}};
        for (size_t k = 0; k < sizeof all / sizeof *all && status == ALLOT_OK; k++)
            status = add_own(plan, i, &all[k]);
    }
    return status;
}

/* ---- What a limit names ---- */

/* The bits of names, all of which exist. */
static uint64_t *bits_of(allot_plan *plan, const allot__vector *list, const allot__index *index,
                         const char *const *names, int32_t n)
{
    allot__queues *queues = plan->queues;
    uint64_t *bits =
        allot__pool_take(plan->engine, &queues->sealed,
                         allot__words((int32_t)list->count) * sizeof *bits, sizeof *bits);
    for (int32_t i = 0; bits && i < n; i++) {
        int32_t number = allot__named_find(list, index, names[i]);
        bits[number / 64] |= UINT64_C(1) << number % 64;
    }
    return bits;
}

/* Warns of a group without stated users: jobs may name it, or it may be a typing error. */
static void warn_groups(const allot_plan *plan, const allot__job_limit *limit, int32_t number,
                        allot_report *report)
{
    const allot__queues *queues = plan->queues;
    const allot_job_limit *stated = &limit->stated;
    for (int32_t i = 0; i < stated->group_count + stated->but_group_count; i++) {
        const char *name = i < stated->group_count ? stated->groups[i]
                                                   : stated->but_groups[i - stated->group_count];
        int32_t group = allot__named_find(&queues->groups, &queues->group_index, name);
        if (((const allot__user_group *)queues->groups.items)[group].stated)
            continue;
        char path[64];
        snprintf(path, sizeof path, "limits[%d].user_groups[%d]", (int)number, (int)i);
        allot__fault fault = allot__fault_of(report, "W-group", "name its users in `user_groups`");
        fault.severity = ALLOT_WARNING;
        fault.path = path;
        allot__say(plan, &fault,
                   "the plan puts nobody in the group \"%.80s\": only jobs that state it count",
                   name);
    }
}

/* *out: bits of users or groups that a limit names, NULL if it names none; false: ENOMEM. */
static bool name_bits(allot_plan *plan, bool groups, const char *const *names, int32_t n,
                      uint64_t **out)
{
    const allot__queues *it = plan->queues;
    *out = n == 0 ? NULL
                  : bits_of(plan, groups ? &it->groups : &it->users,
                            groups ? &it->group_index : &it->user_index, names, n);
    return *out != NULL || n == 0;
}

static int find_users(allot_plan *plan, allot__job_limit *limit)
{
    const allot_job_limit *it = &limit->stated;
    bool all = name_bits(plan, false, it->users, it->user_count, &limit->users) &&
               name_bits(plan, false, it->but_users, it->but_user_count, &limit->but_users) &&
               name_bits(plan, true, it->groups, it->group_count, &limit->groups) &&
               name_bits(plan, true, it->but_groups, it->but_group_count, &limit->but_groups);
    return all ? ALLOT_OK : ALLOT_ENOMEM;
}

static int find_queues(allot_plan *plan, allot__job_limit *limit, int32_t number,
                       allot_report *report)
{
    const allot_job_limit *it = &limit->stated;
    char path[64];
    snprintf(path, sizeof path, "limits[%d].queues", (int)number);
    allot__listing listing = {false, it->queues, sizeof *it->queues, it->queue_count, path,
                              -1,    report};
    if (it->queue_count == 0)
        return ALLOT_OK;
    limit->queues = allot__pool_take(plan->engine, &plan->queues->sealed,
                                     allot__words(allot__queue_count(plan)) * sizeof *limit->queues,
                                     sizeof *limit->queues);
    return limit->queues ? allot__listing_bits(plan, &listing, limit->queues) : ALLOT_ENOMEM;
}

static int find_hosts(allot_plan *plan, allot__job_limit *limit, int32_t number,
                      allot_report *report)
{
    const allot_job_limit *it = &limit->stated;
    char path[64];
    snprintf(path, sizeof path, "limits[%d].hosts", (int)number);
    allot__listing listing = {true, it->hosts, sizeof *it->hosts, it->host_count, path, -1, report};
    return it->host_count == 0 ? ALLOT_OK : allot__set_make(plan, &listing, &limit->set);
}

int allot__limits_seal(allot_plan *plan, allot_report *report)
{
    allot__queues *queues = plan->queues;
    int result = ALLOT_OK;
    for (int32_t i = 0; i < queues->limits_stated; i++) {
        allot__job_limit *limit = (allot__job_limit *)queues->limits.items + i;
        limit->queues = NULL;
        limit->set = -1;
        int queue = find_queues(plan, limit, i, report), host = find_hosts(plan, limit, i, report);
        if (queue == ALLOT_ENOMEM || host == ALLOT_ENOMEM || find_users(plan, limit))
            return ALLOT_ENOMEM;
        warn_groups(plan, limit, i, report);
        result = queue ? queue : host ? host : result;
    }
    return add_all(plan) ? ALLOT_ENOMEM : result;
}
