/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * queue.c: adding queues to a plan.
 *
 * This file owns: the life of allot__queues.
 */
#include "model/jobs/queue.h"

#include <string.h>

#include "model/names/names.h"

enum { POOL_NAME_MAX = 60 };

static const char *const action_names[] = {"suspend", "checkpoint", "requeue", "kill"};

const char *allot_action_name(int action)
{
    return action >= 0 && action < ALLOT_ACTION_COUNT ? action_names[action] : NULL;
}

void allot_protection_init(allot_protection *protection)
{
    if (!protection)
        return;
    *protection = (allot_protection){.max_job_preempt = ALLOT_NONE,
                                     .max_total_time_preempt = ALLOT_NONE,
                                     .no_preempt_interval = ALLOT_NONE,
                                     .no_preempt_run_time = ALLOT_NONE,
                                     .no_preempt_finish_time = ALLOT_NONE,
                                     .preempt_delay = ALLOT_NONE};
}

void allot_queue_init(allot_queue *queue)
{
    if (!queue)
        return;
    *queue = (allot_queue){.priority = 1,
                           .max_slots_in_pool = ALLOT_NONE,
                           .qjob_limit = ALLOT_NONE,
                           .ujob_limit = ALLOT_NONE,
                           .pjob_limit = ALLOT_NONE,
                           .hjob_limit = ALLOT_NONE,
                           .run_limit = ALLOT_NONE,
                           .interruptible_backfill = ALLOT_NONE};
    allot_protection_init(&queue->protection);
}

allot__queues *allot__queues_open(allot_plan *plan)
{
    if (plan->queues)
        return plan->queues;
    plan->queues = allot__new(plan->engine, 1, sizeof *plan->queues);
    if (!plan->queues)
        return NULL;
    allot_protection_init(&plan->queues->params);
    return plan->queues;
}

void allot__queues_unseal(allot_plan *plan)
{
    allot__queues *queues = plan->queues;
    if (!queues)
        return;
    queues->limits.count = (size_t)queues->limits_stated;
    queues->set_of = queues->pool_of = NULL;
    queues->user_first = queues->group_of = NULL;
    queues->pools = NULL;
    queues->pool_count = 0;
    queues->preempts = false;
    allot__vector_free(plan->engine, &queues->sets);
    allot__pool_free(plan->engine, &queues->sealed);
}

void allot__queues_free(allot_plan *plan)
{
    allot_engine *engine = plan->engine;
    allot__queues *it = plan->queues;
    if (!it)
        return;
    allot__queues_unseal(plan);
    allot__vector *lists[] = {&it->list,  &it->applications, &it->limits,  &it->leases,
                              &it->users, &it->groups,       &it->members, &it->resources};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        allot__vector_free(engine, lists[i]);
    allot__index *indexes[] = {&it->user_index, &it->group_index, &it->application_index,
                               &it->lease_index, &it->resource_index};
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++)
        allot__index_free(engine, indexes[i]);
    allot__pool_free(engine, &it->pool);
    allot__free(engine, it, 1, sizeof *it);
    plan->queues = NULL;
}

/* ---- Checking ---- */

static bool pool_name_valid(const char *name)
{
    size_t len = name ? strlen(name) : 1;
    if (len == 0 || len > POOL_NAME_MAX)
        return false;
    for (size_t i = 0; name && i < len; i++) {
        char c = name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-')
            return false;
    }
    return true;
}

static bool within(int64_t value, int64_t min, int64_t max)
{
    return value >= min && value <= max;
}

static bool limit(int32_t value, int32_t min)
{
    return value == ALLOT_NONE || within(value, min, ALLOT_AMOUNT_MAX);
}

/* Slots or percent: the two are one value, stated in either way. */
static bool percent(int32_t value, int32_t most, int32_t slots)
{
    return within(value, 0, most) && (value == 0 || slots == ALLOT_NONE);
}

int allot__protection_check(const allot_protection *it)
{
    bool sound = limit(it->max_job_preempt, 1) && limit(it->max_total_time_preempt, 0) &&
                 limit(it->no_preempt_interval, 0) && limit(it->no_preempt_run_time, 0) &&
                 limit(it->no_preempt_finish_time, 0) && limit(it->preempt_delay, 0) &&
                 within(it->run_time_percent, 0, 99) && within(it->finish_time_percent, 0, 99);
    /* Run times are stated in percent or in seconds, not both. */
    bool one = (it->run_time_percent == 0 || it->no_preempt_run_time == ALLOT_NONE) &&
               (it->finish_time_percent == 0 || it->no_preempt_finish_time == ALLOT_NONE);
    return sound && one ? ALLOT_OK : ALLOT_ERANGE;
}

static int check_lists(const allot_queue *queue)
{
    if (queue->low_count < 0 || (queue->low_count > 0 && !queue->low))
        return ALLOT_EUSAGE;
    for (int32_t i = 0; i < queue->low_count; i++)
        if (!allot__label_valid(queue->low[i].queue))
            return ALLOT_ENAME;
    int status = allot__texts_check(queue->high, queue->high_count);
    return status ? status : allot__texts_check(queue->hosts, queue->host_count);
}

static int check_numbers(const allot_queue *queue)
{
    bool sound = within(queue->priority, 0, ALLOT_AMOUNT_MAX) &&
                 within(queue->slot_share, 0, 100) && limit(queue->max_slots_in_pool, 0) &&
                 limit(queue->qjob_limit, 0) && limit(queue->ujob_limit, 0) &&
                 percent(queue->qjob_percent, 100, queue->qjob_limit) &&
                 percent(queue->ujob_percent, ALLOT_PERCENT_MAX, queue->ujob_limit) &&
                 limit(queue->pjob_limit, 0) && limit(queue->hjob_limit, 0) &&
                 limit(queue->run_limit, 1) && limit(queue->interruptible_backfill, 1) &&
                 within(queue->on_preempt, 0, ALLOT_ACTION_COUNT - 1);
    for (int32_t i = 0; i < queue->low_count; i++)
        sound = sound && within(queue->low[i].level, 0, ALLOT_AMOUNT_MAX);
    return sound ? allot__protection_check(&queue->protection) : ALLOT_ERANGE;
}

static int check_queue(const allot_plan *plan, const allot_queue *queue)
{
    if (!plan || plan->sealed || !queue || plan->names->count != allot__queue_count(plan))
        return ALLOT_EUSAGE;
    size_t len = queue->name ? strlen(queue->name) : 0;
    if (!allot__name_valid(queue->name, len) || !pool_name_valid(queue->slot_pool))
        return ALLOT_ENAME;
    int status = check_lists(queue);
    if (status)
        return status;
    if (allot__names_find(plan->names, ALLOT_ROOT, queue->name, len) >= 0)
        return ALLOT_EEXIST;
    return check_numbers(queue);
}

/* ---- Adding ---- */

static int copy_low(allot_engine *engine, allot__pool *pool, allot_queue *queue)
{
    size_t bytes = (size_t)queue->low_count * sizeof *queue->low;
    allot_prefers *copy = NULL;
    if (bytes > 0) {
        copy = allot__pool_take(engine, pool, bytes, sizeof copy->queue);
        if (!copy)
            return ALLOT_ENOMEM;
    }
    for (int32_t i = 0; i < queue->low_count; i++) {
        copy[i].level = queue->low[i].level;
        if (allot__text_copy(engine, pool, queue->low[i].queue, &copy[i].queue))
            return ALLOT_ENOMEM;
    }
    queue->low = copy;
    return ALLOT_OK;
}

/* Copies a queue. What a failure leaves in the pool is freed with the pool. */
static int copy_queue(allot_engine *engine, allot__pool *pool, const allot_queue *from,
                      allot_queue *out)
{
    allot_queue copy = *from;
    copy.preemptive = from->preemptive != 0 || from->low_count > 0;
    copy.preemptable = from->preemptable != 0 || from->high_count > 0;
    if (copy_low(engine, pool, &copy) || allot__text_copy(engine, pool, from->name, &copy.name) ||
        allot__text_copy(engine, pool, from->slot_pool, &copy.slot_pool) ||
        allot__texts_copy(engine, pool, from->high, from->high_count, &copy.high) ||
        allot__texts_copy(engine, pool, from->hosts, from->host_count, &copy.hosts))
        return ALLOT_ENOMEM;
    *out = copy;
    return ALLOT_OK;
}

int allot_plan_queue(allot_plan *plan, const allot_queue *queue, int32_t *out)
{
    int status = out ? check_queue(plan, queue) : ALLOT_EUSAGE;
    if (status)
        return status;
    allot_engine *engine = plan->engine;
    allot__queues *queues = allot__queues_open(plan);
    allot_queue made;
    if (!queues || copy_queue(engine, &queues->pool, queue, &made))
        return ALLOT_ENOMEM;
    allot_queue *added = allot__push(engine, &queues->list, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    *added = made;
    status = allot__names_add(engine, plan->names, ALLOT_ROOT, made.name, strlen(made.name));
    if (status)
        queues->list.count--;
    else
        *out = plan->names->count - 1;
    return status;
}

/* ---- Getters ---- */

int32_t allot_plan_queues(const allot_plan *plan)
{
    return plan ? allot__queue_count(plan) : 0;
}

static bool is_queue(const allot_plan *plan, int32_t queue)
{
    return queue >= 0 && queue < allot_plan_queues(plan);
}

int allot_plan_queue_at(const allot_plan *plan, int32_t queue, allot_queue *out)
{
    if (!out || !is_queue(plan, queue))
        return ALLOT_EUSAGE;
    *out = *allot__queue_at(allot__queues_of(plan), queue);
    return ALLOT_OK;
}

int32_t allot_plan_queue_find(const allot_plan *plan, const char *name)
{
    if (!plan || !name)
        return -1;
    int32_t found = allot__names_find(plan->names, ALLOT_ROOT, name, strlen(name));
    return is_queue(plan, found) ? found : -1;
}

int32_t allot_plan_queue_consumer(const allot_plan *plan, int32_t queue)
{
    return is_queue(plan, queue) ? queue : -1;
}

int32_t allot_plan_pools(const allot_plan *plan)
{
    const allot__queues *queues = plan ? allot__queues_of(plan) : NULL;
    return queues ? queues->pool_count : 0;
}

const char *allot_plan_pool_name(const allot_plan *plan, int32_t pool)
{
    bool known = pool >= 0 && pool < allot_plan_pools(plan);
    return known ? allot__queues_of(plan)->pools[pool].name : NULL;
}

int32_t allot_plan_queue_pool(const allot_plan *plan, int32_t queue)
{
    bool known = is_queue(plan, queue) && plan->sealed;
    return known ? allot__queues_of(plan)->pool_of[queue] : -1;
}
