/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue_terms.c: terms for jobs of all queues: protection, applications, users, decay, limits,
 * resources. */
#include "model/names/names.h"
#include "model/jobs/queue.h"

/* The plan's queues, if it can still be changed. */
static int open(allot_plan *plan, allot__queues **out)
{
    if (!plan || plan->sealed)
        return ALLOT_EUSAGE;
    *out = allot__queues_open(plan);
    return *out ? ALLOT_OK : ALLOT_ENOMEM;
}

int allot_plan_protection(allot_plan *plan, const allot_protection *protection)
{
    allot__queues *queues;
    int status = protection ? allot__protection_check(protection) : ALLOT_EUSAGE;
    if (status == ALLOT_OK)
        status = open(plan, &queues);
    if (status == ALLOT_OK)
        queues->params = *protection;
    return status;
}

int allot_plan_application(allot_plan *plan, const char *name, const allot_protection *protection,
                           int32_t run_limit)
{
    allot__queues *queues;
    int status = protection ? allot__protection_check(protection) : ALLOT_EUSAGE;
    if (status)
        return status;
    if (!allot__label_valid(name))
        return ALLOT_ENAME;
    if (run_limit != ALLOT_NONE && (run_limit < 1 || run_limit > ALLOT_AMOUNT_MAX))
        return ALLOT_ERANGE;
    status = open(plan, &queues);
    if (status)
        return status;
    if (allot__named_find(&queues->applications, &queues->application_index, name) >= 0)
        return ALLOT_EEXIST;
    allot__application *added = allot__named_add(plan->engine, &queues->pool, &queues->applications,
                                                 &queues->application_index, name, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    added->protection = *protection;
    added->run_limit = run_limit;
    return ALLOT_OK;
}

/* ---- Users ---- */

/* The number of a group, added if new; -2: out of memory. */
static int32_t group_number(allot_plan *plan, const char *name)
{
    allot__queues *it = plan->queues;
    int32_t found = allot__named_find(&it->groups, &it->group_index, name);
    if (found >= 0)
        return found;
    bool added = allot__named_add(plan->engine, &it->pool, &it->groups, &it->group_index, name,
                                  sizeof(allot__user_group));
    return added ? (int32_t)it->groups.count - 1 : -2;
}

static int32_t user_number(allot_plan *plan, const char *name)
{
    allot__queues *it = plan->queues;
    return allot__named_number(plan->engine, &it->pool, &it->users, &it->user_index, name);
}

static bool add_member(allot_plan *plan, const char *user, int32_t group)
{
    int32_t number = user_number(plan, user);
    allot__member *added = NULL;
    if (number >= 0)
        added = allot__push(plan->engine, &plan->queues->members, sizeof *added);
    if (added)
        *added = (allot__member){number, group};
    return added;
}

int allot_plan_users(allot_plan *plan, const char *group, const char *const *users, int32_t n)
{
    allot__queues *queues;
    int status = allot__texts_check(users, n);
    if (status)
        return status;
    if (!allot__label_valid(group))
        return ALLOT_ENAME;
    status = open(plan, &queues);
    if (status)
        return status;
    int32_t number = group_number(plan, group);
    if (number < 0)
        return ALLOT_ENOMEM;
    if (((allot__user_group *)queues->groups.items)[number].stated)
        return ALLOT_EEXIST;
    size_t before = queues->members.count;
    for (int32_t i = 0; i < n; i++) {
        if (!add_member(plan, users[i], number)) {
            queues->members.count = before;
            return ALLOT_ENOMEM;
        }
    }
    ((allot__user_group *)queues->groups.items)[number].stated = true;
    return ALLOT_OK;
}

/* ---- Limits ---- */

static int check_limit(const allot_job_limit *limit)
{
    const int32_t all = ALLOT_PER_QUEUE | ALLOT_PER_USER | ALLOT_PER_GROUP | ALLOT_PER_HOST;
    if (!limit || (limit->per & ~all) || limit->kind < ALLOT_LIMIT_SLOTS ||
        limit->kind > ALLOT_LIMIT_JOBS ||
        (limit->kind == ALLOT_LIMIT_PER_PROCESSOR && !(limit->per & ALLOT_PER_HOST)))
        return ALLOT_EUSAGE;
    if (!allot__label_valid(limit->name))
        return ALLOT_ENAME;
    int status = allot__texts_check(limit->queues, limit->queue_count);
    status = status ? status : allot__texts_check(limit->users, limit->user_count);
    status = status ? status : allot__texts_check(limit->groups, limit->group_count);
    status = status ? status : allot__texts_check(limit->hosts, limit->host_count);
    status = status ? status : allot__texts_check(limit->but_users, limit->but_user_count);
    status = status ? status : allot__texts_check(limit->but_groups, limit->but_group_count);
    if (status == ALLOT_OK && (limit->most < 0 || limit->most > ALLOT_AMOUNT_MAX))
        status = ALLOT_ERANGE;
    return status;
}

/* Gives numbers to the users and groups that a limit names. */
static int number_names(allot_plan *plan, int32_t (*number)(allot_plan *plan, const char *name),
                        const char *const *names, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (number(plan, names[i]) < 0)
            return ALLOT_ENOMEM;
    return ALLOT_OK;
}

static int number_all(allot_plan *plan, const allot_job_limit *limit)
{
    if (number_names(plan, user_number, limit->users, limit->user_count) ||
        number_names(plan, user_number, limit->but_users, limit->but_user_count) ||
        number_names(plan, group_number, limit->groups, limit->group_count) ||
        number_names(plan, group_number, limit->but_groups, limit->but_group_count))
        return ALLOT_ENOMEM;
    return ALLOT_OK;
}

int allot_plan_job_limit(allot_plan *plan, const allot_job_limit *limit)
{
    allot__queues *queues;
    int status = check_limit(limit);
    if (status == ALLOT_OK)
        status = open(plan, &queues);
    if (status == ALLOT_OK)
        status = number_all(plan, limit);
    if (status)
        return status;
    allot_engine *engine = plan->engine;
    allot__pool *pool = &queues->pool;
    allot_job_limit made = *limit;
    if (allot__text_copy(engine, pool, limit->name, &made.name) ||
        allot__texts_copy(engine, pool, limit->queues, limit->queue_count, &made.queues) ||
        allot__texts_copy(engine, pool, limit->users, limit->user_count, &made.users) ||
        allot__texts_copy(engine, pool, limit->groups, limit->group_count, &made.groups) ||
        allot__texts_copy(engine, pool, limit->hosts, limit->host_count, &made.hosts) ||
        allot__texts_copy(engine, pool, limit->but_users, limit->but_user_count, &made.but_users) ||
        allot__texts_copy(engine, pool, limit->but_groups, limit->but_group_count,
                          &made.but_groups))
        return ALLOT_ENOMEM;
    allot__job_limit *added = allot__push(engine, &queues->limits, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    *added = (allot__job_limit){.stated = made, .set = -1, .queue = -1};
    queues->limits_stated++;
    return ALLOT_OK;
}

/* ---- What jobs hold of beside slots ---- */

/* P-36: the default is also the minimum. */
enum { WAIT_LEAST = 300 };

int allot_plan_resource(allot_plan *plan, const allot_resource *resource)
{
    allot__queues *queues;
    if (!resource)
        return ALLOT_EUSAGE;
    if (!allot__label_valid(resource->name))
        return ALLOT_ENAME;
    if (resource->amount < 0 || resource->amount > ALLOT_AMOUNT_MAX)
        return ALLOT_ERANGE;
    int status = open(plan, &queues);
    if (status)
        return status;
    if (allot__named_find(&queues->resources, &queues->resource_index, resource->name) >= 0)
        return ALLOT_EEXIST;
    allot_resource *added =
        allot__named_add(plan->engine, &queues->pool, &queues->resources, &queues->resource_index,
                         resource->name, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    added->amount = resource->amount;
    added->preemptable = resource->preemptable != 0;
    return ALLOT_OK;
}

int allot_plan_preemption_wait(allot_plan *plan, int32_t seconds)
{
    allot__queues *queues;
    if (seconds < WAIT_LEAST || seconds > ALLOT_AMOUNT_MAX)
        return ALLOT_ERANGE;
    int status = open(plan, &queues);
    if (status == ALLOT_OK)
        queues->preemption_wait = seconds;
    return status;
}

int32_t allot__preemption_wait(const allot__queues *queues)
{
    return queues->preemption_wait > 0 ? queues->preemption_wait : WAIT_LEAST;
}

int32_t allot_plan_resources(const allot_plan *plan)
{
    const allot__queues *queues = plan ? allot__queues_of(plan) : NULL;
    return queues ? (int32_t)queues->resources.count : 0;
}

int allot_plan_resource_at(const allot_plan *plan, int32_t resource, allot_resource *out)
{
    if (!out || resource < 0 || resource >= allot_plan_resources(plan))
        return ALLOT_EUSAGE;
    *out = ((const allot_resource *)allot__queues_of(plan)->resources.items)[resource];
    return ALLOT_OK;
}

int32_t allot_plan_resource_find(const allot_plan *plan, const char *name)
{
    const allot__queues *queues = plan && name ? allot__queues_of(plan) : NULL;
    return queues ? allot__named_find(&queues->resources, &queues->resource_index, name) : -1;
}

/* ---- What holds of a job (A-6) ---- */

static void prefer(int32_t *of, int32_t more)
{
    if (more != ALLOT_NONE)
        *of = more;
}

/* Seconds or percent: the two are one value, stated in either way. */
static void prefer_time(int32_t *of, int32_t *percent, int32_t more, int32_t more_percent)
{
    if (more == ALLOT_NONE && more_percent == 0)
        return;
    *of = more;
    *percent = more_percent;
}

static void override(allot_protection *of, const allot_protection *more)
{
    prefer(&of->max_job_preempt, more->max_job_preempt);
    prefer(&of->max_total_time_preempt, more->max_total_time_preempt);
    prefer(&of->no_preempt_interval, more->no_preempt_interval);
    prefer_time(&of->no_preempt_run_time, &of->run_time_percent, more->no_preempt_run_time,
                more->run_time_percent);
    prefer_time(&of->no_preempt_finish_time, &of->finish_time_percent, more->no_preempt_finish_time,
                more->finish_time_percent);
    prefer(&of->preempt_delay, more->preempt_delay);
}

static const allot__application *application_at(const allot__queues *queues, int32_t application)
{
    bool planned = application >= 0 && (size_t)application < queues->applications.count;
    return planned ? (const allot__application *)queues->applications.items + application : NULL;
}

allot_protection allot__protection_of(const allot__queues *queues, int32_t application,
                                      int32_t queue)
{
    allot_protection of = queues->params;
    const allot__application *profile = application_at(queues, application);
    override(&of, &allot__queue_at(queues, queue)->protection);
    if (profile)
        override(&of, &profile->protection);
    return of;
}

int32_t allot__run_limit_of(const allot__queues *queues, int32_t application, int32_t queue)
{
    const allot__application *profile = application_at(queues, application);
    int32_t own = allot__queue_at(queues, queue)->run_limit;
    return profile && profile->run_limit != ALLOT_NONE ? profile->run_limit : own;
}
