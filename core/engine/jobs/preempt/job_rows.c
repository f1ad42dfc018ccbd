/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job_rows.c: columns of jobs, one after another. */
#include "engine/jobs/preempt/job_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/least.h"
#include "engine/rows/order.h"
#include "engine/victims/units.h"

/* What is left of a counter that does not apply. */
#define NEVER ((int64_t)1000000000)

/* How far ahead jobs are prefetched: they are scattered in memory. */
enum { AHEAD = 8 };

int32_t allot__job_host(const allot__jobs *jobs, const allot__host_view *view, int32_t job)
{
    const allot__job *it = allot__job_at(jobs, job);
    const allot__job_place *places = allot__job_places(it);
    int32_t best = -1;
    for (int32_t i = 0; i < it->place_count; i++) {
        int32_t host = allot__host_view_host(view, places[i].site);
        best = host >= 0 && (best < 0 || host < best) ? host : best;
    }
    return best;
}

/* ---- What protects --------------------------------------------------------------------------- */

/* The protection last found: jobs of an application in a queue have the same. */
typedef struct protector {
    int32_t queue, application;
    allot_protection of;
} protector;

static const allot_protection *protect(const allot__queues *queues, protector *it,
                                       const allot__job *job)
{
    if (it->queue != job->queue || it->application != job->application) {
        *it = (protector){job->queue, job->application,
                          allot__protection_of(queues, job->application, job->queue)};
    }
    return &it->of;
}

/* Seconds that a job has run, capped so that sums with them fit. */
static int64_t ran_of(const allot__job *job, int64_t now)
{
    int64_t ran = allot__job_ran(job, now);
    return ran < (int64_t)1 << 62 ? ran : (int64_t)1 << 62;
}

static int64_t uninterrupted(const allot__job *job, int64_t now)
{
    return job->started == INT64_MIN ? ran_of(job, now) : allot__ran(now, job->started);
}

static int64_t remaining(const allot__job *job, int64_t now)
{
    return job->run_limit == ALLOT_NONE ? NEVER : job->run_limit - ran_of(job, now);
}

/* Percents are of the run limit itself, not rounded to seconds (P-33); without a run limit they do
 * not apply. */
static int64_t part_of(const allot__job *job, int32_t percent, int64_t seconds, int32_t up)
{
    if (percent <= 0)
        return seconds;
    return job->run_limit == ALLOT_NONE ? ALLOT_NONE
                                        : ((int64_t)job->run_limit * percent + up) / 100;
}

bool allot__job_counter(const allot_protection *of, const allot__job *job, int64_t now,
                        int32_t column, allot__counter *out)
{
    bool limited = job->run_limit != ALLOT_NONE;
    switch (column) {
    case ALLOT_TASK_PREEMPTIONS_LEFT:
        *out = (allot__counter){.has = job->preempted, .bound = of->max_job_preempt};
        break;
    case ALLOT_TASK_PREEMPT_TIME_LEFT:
        *out = (allot__counter){.has = allot__job_suspended(job, now),
                                .bound = of->max_total_time_preempt};
        break;
    case ALLOT_TASK_INTERVAL_OVER:
        *out = (allot__counter){uninterrupted(job, now), of->no_preempt_interval, 0};
        break;
    case ALLOT_TASK_RUN_TIME_LEFT:
        *out = (allot__counter){ran_of(job, now),
                                part_of(job, of->run_time_percent, of->no_preempt_run_time, 99), 0};
        break;
    default: /* ALLOT_TASK_FINISH_TIME_LEFT */
        *out = (allot__counter){
            remaining(job, now),
            limited ? part_of(job, of->finish_time_percent, of->no_preempt_finish_time, 0)
                    : ALLOT_NONE,
            0};
    }
    bool over = column == ALLOT_TASK_INTERVAL_OVER || column == ALLOT_TASK_FINISH_TIME_LEFT;
    bool applies = out->bound != ALLOT_NONE;
    out->left = !applies ? NEVER : over ? out->has - out->bound : out->bound - out->has;
    return applies;
}

static bool states(const allot_protection *it, int32_t column)
{
    switch (column) {
    case ALLOT_TASK_PREEMPTIONS_LEFT:
        return it->max_job_preempt != ALLOT_NONE;
    case ALLOT_TASK_PREEMPT_TIME_LEFT:
        return it->max_total_time_preempt != ALLOT_NONE;
    case ALLOT_TASK_INTERVAL_OVER:
        return it->no_preempt_interval != ALLOT_NONE;
    case ALLOT_TASK_RUN_TIME_LEFT:
        return it->no_preempt_run_time != ALLOT_NONE || it->run_time_percent > 0;
    case ALLOT_TASK_FINISH_TIME_LEFT:
        return it->no_preempt_finish_time != ALLOT_NONE || it->finish_time_percent > 0;
    default:
        return true;
    }
}

bool allot__job_unprotected(const allot_plan *plan, allot_source source)
{
    const allot__queues *queues = allot__queues_of(plan);
    const allot__application *applications = queues->applications.items;
    bool stated = source.kind != ALLOT_FROM_COLUMN || states(&queues->params, source.value);
    for (int32_t i = 0; i < allot__queue_count(plan) && !stated; i++)
        stated = states(&allot__queue_at(queues, i)->protection, source.value);
    for (size_t i = 0; i < queues->applications.count && !stated; i++)
        stated = states(&applications[i].protection, source.value);
    return !stated;
}

/* ---- Columns --------------------------------------------------------------------------------- */

static int64_t host_value(const allot__job_rows *rows, int32_t number, int32_t column)
{
    const allot__work *work = rows->rows.work;
    int64_t seed = work->group->options[ALLOT_OPTION_SEED];
    int32_t host = allot__job_host(work->state->jobs, rows->view, number);
    if (column == ALLOT_TASK_LOAD)
        return host < 0 ? 0 : rows->view->load[host];
    int32_t site = host < 0 ? -1 : rows->view->site[host];
    if (site < 0)
        return ALLOT__LOT_LAST;
    return seed == 0 ? site : allot__lot_of(seed, work->state->tasks.sites[site].name);
}

static int64_t since_1970(int64_t when)
{
    return when == INT64_MIN ? 0 : when;
}

static int64_t attribute_value(const allot__job_rows *rows, const allot__job *job, int32_t column)
{
    const allot__work *work = rows->rows.work;
    int32_t attribute = allot__task_attribute_of(work->plan, rows->rows.rules->policy,
                                                 column - ALLOT_TASK_COLUMN_COUNT);
    const allot_job *more = job->more;
    return allot__attribute_of(work->plan, more->tags, more->tag_count, more->values,
                               more->value_count, attribute);
}

/* Ranks are 0 where no rule reads them. */
static int64_t rank_of(const int32_t *ranks, int32_t number)
{
    return ranks && number >= 0 ? ranks[number] : 0;
}

static int64_t usage_of(const allot__work *work, int32_t user)
{
    return user >= 0 && user < work->user_count ? work->user_usage[user].slot_seconds : 0;
}

/* A column that depends on the job and its queue only, or on neither. */
static int64_t job_value(const allot__job_rows *rows, const allot__job *job, int32_t column)
{
    const allot__work *work = rows->rows.work;
    int64_t seed = work->group->options[ALLOT_OPTION_SEED];
    switch (column) {
    case ALLOT_TASK_SLOTS:
        return allot__job_all_slots(job);
    case ALLOT_TASK_STARTED:
        return since_1970(job->started);
    case ALLOT_TASK_SUBMITTED:
        return since_1970(job->submitted);
    case ALLOT_TASK_RAN:
    case ALLOT_TASK_LEAST_RAN:
        return ran_of(job, work->state->now);
    case ALLOT_TASK_PREEMPTED:
        return job->preempted;
    case ALLOT_TASK_PRIORITY:
        return job->priority;
    case ALLOT_TASK_LOT:
        return seed == 0 ? 0 : allot__lot_of(seed, job->thing.id);
    case ALLOT_TASK_QUEUE:
        return job->queue;
    case ALLOT_TASK_QUEUE_PRIORITY:
        return allot__queue_at(allot__queues_of(work->plan), job->queue)->priority;
    case ALLOT_TASK_UNINTERRUPTED:
        return uninterrupted(job, work->state->now);
    case ALLOT_TASK_REMAINING:
        return remaining(job, work->state->now);
    case ALLOT_TASK_USER:
        return rank_of(work->user_rank, job->user);
    case ALLOT_TASK_GROUP:
        return rank_of(work->group_rank, job->group);
    case ALLOT_TASK_WAITED:
        return job->submitted == INT64_MIN ? 0 : allot__ran(work->state->now, job->submitted);
    case ALLOT_TASK_USAGE:
        return usage_of(work, job->user);
    case ALLOT_TASK_SUSPENDED_FOR:
        return allot__job_suspended(job, rows->rows.work->state->now);
    default:
        return column >= ALLOT_TASK_COLUMN_COUNT ? attribute_value(rows, job, column) : 0;
    }
}

static const int64_t *read_column(const allot__rowset *rowset, int32_t column, int32_t first,
                                  int32_t n, int64_t *room)
{
    const allot__job_rows *rows = (const allot__job_rows *)(const void *)rowset;
    const allot__work *work = rowset->work;
    const allot__queues *queues = allot__queues_of(work->plan);
    bool protects = column >= ALLOT_TASK_PREEMPTIONS_LEFT && column <= ALLOT_TASK_FINISH_TIME_LEFT;
    bool hosts = column == ALLOT_TASK_HOST || column == ALLOT_TASK_LOAD;
    protector known = {.queue = -1};
    for (int32_t i = 0; i < n; i++) {
        int32_t number = rows->jobs[first + i];
        if (i + AHEAD < n)
            __builtin_prefetch(allot__job_at(work->state->jobs, rows->jobs[first + i + AHEAD]));
        const allot__job *job = allot__job_at(work->state->jobs, number);
        allot__counter counter;
        if (protects)
            allot__job_counter(protect(queues, &known, job), job, work->state->now, column,
                               &counter);
        room[i] = protects ? counter.left
                  : hosts  ? host_value(rows, number, column)
                           : job_value(rows, job, column);
    }
    return room;
}

static int32_t number_of(const allot__rowset *rowset, int32_t row)
{
    return ((const allot__job_rows *)(const void *)rowset)->jobs[row];
}

static int32_t queue_of(const allot__rowset *rowset, int32_t row)
{
    return allot__job_at(rowset->work->state->jobs, number_of(rowset, row))->queue;
}

int allot__job_rows_make(const allot__work *work, const allot__host_view *view, const int32_t *jobs,
                         int32_t count, allot__job_rows *out)
{
    *out = (allot__job_rows){.rows = {.work = work,
                                      .rules = &work->rules[0],
                                      .kind = ALLOT_TASKS,
                                      .leaf = ALLOT_ROOT,
                                      .jobs = true,
                                      .count = count,
                                      .column = read_column,
                                      .item = number_of,
                                      .consumer = queue_of},
                             .view = view,
                             .jobs = jobs};
    return allot__rowset_begin(&out->rows);
}

/* ---- Users and groups ------------------------------------------------------------------------ */

typedef struct named {
    const char *name;
    int32_t number;
} named;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

/* Ranks, from 1, the names that jobs have, by their numbers; ENOMEM. */
static int rank_names(allot__work *work, bool users, int32_t **out)
{
    const allot_state *state = work->state;
    const allot__jobs *jobs = state->jobs;
    size_t most = 0, count = 0;
    for (size_t i = 0; i < jobs->list.count; i++) {
        const allot__job *job = allot__job_at(jobs, (int32_t)i);
        most = (size_t)allot__most((int64_t)most, (users ? job->user : job->group) + 1);
    }
    int32_t *ranks = allot__zeroed(work, most, sizeof *ranks);
    named *list = allot__arena_take(work->arena, most + 1, sizeof *list);
    if (!ranks || !list)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < jobs->list.count; i++) {
        const allot__job *job = allot__job_at(jobs, (int32_t)i);
        int32_t number = users ? job->user : job->group;
        if (number < 0 || ranks[number] != 0)
            continue;
        ranks[number] = 1;
        list[count++] = (named){
            users ? allot__job_user(state, number) : allot__job_group(state, number), number};
    }
    qsort(list, count, sizeof *list, by_name);
    for (size_t i = 0; i < count; i++)
        ranks[list[i].number] = (int32_t)i + 1;
    *out = ranks;
    return ALLOT_OK;
}

/* ENOMEM. */
static int read_usage(allot__work *work)
{
    const allot_state *state = work->state;
    int32_t count = allot__users_counted(state) ? allot_state_users(state) : 0;
    work->user_usage = allot__arena_take(work->arena, (size_t)count + 1, sizeof *work->user_usage);
    if (!work->user_usage)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < count; i++)
        work->user_usage[i] = allot__user_usage(state, i);
    work->user_count = count;
    return ALLOT_OK;
}

int allot__job_ranks_make(allot__work *work)
{
    const allot_policy *policy = work->rules[0].policy;
    int status = ALLOT_OK;
    if (allot__policy_reads_task(policy, ALLOT_TASK_USER))
        status = rank_names(work, true, &work->user_rank);
    if (status == ALLOT_OK && allot__policy_reads_task(policy, ALLOT_TASK_GROUP))
        status = rank_names(work, false, &work->group_rank);
    return status == ALLOT_OK ? read_usage(work) : status;
}

/* ---- Two queues ------------------------------------------------------------------------------ */

/* Sorts by falling level, then rising priority; neither is negative. */
static int64_t rank_key(int64_t level, int32_t priority)
{
    return ((int64_t)ALLOT_AMOUNT_MAX - level) << 31 | priority;
}

/* Writes the levels of queues that a queue may preempt and prefers; are there any? */
static bool read_levels(const allot_plan *plan, int32_t high, int64_t *preference)
{
    const allot_queue *of = allot__queue_at(allot__queues_of(plan), high);
    bool any = false;
    for (int32_t i = 0; i < of->low_count; i++) {
        int32_t low = allot_plan_queue_find(plan, of->low[i].queue);
        if (!allot__may_preempt(plan->relation, high, low))
            continue;
        preference[low] = allot__most(preference[low], of->low[i].level);
        any = any || preference[low] > 0;
    }
    return any;
}

void allot__job_pairs(const allot_plan *plan, int32_t high, int64_t *preference,
                      int64_t *queue_order, int32_t *sorted)
{
    const allot__queues *queues = allot__queues_of(plan);
    const allot__relation *relation = plan->relation;
    const int32_t *range, *end;
    int32_t count = 0;
    memset(preference, 0, (size_t)relation->count * sizeof *preference);
    memset(queue_order, 0, (size_t)relation->count * sizeof *queue_order);
    if (!read_levels(plan, high, preference))
        return;
    allot__ranges_at(&relation->low, high, &range, &end);
    for (; range < end; range += 2)
        for (int32_t place = range[0]; place < range[1]; place++) {
            int32_t low = relation->low.order[place];
            queue_order[low] = rank_key(preference[low], allot__queue_at(queues, low)->priority);
            sorted[count++] = low;
        }
    allot__sort_rows(sorted, sorted + relation->count, queue_order, 0, count);
    int64_t last = -1, place = 0;
    for (int32_t i = 0; i < count; i++) {
        place += queue_order[sorted[i]] != last;
        last = queue_order[sorted[i]];
        queue_order[sorted[i]] = place;
    }
}
