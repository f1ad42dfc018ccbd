/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* bound.c: which limits apply to which jobs. */
#include "engine/jobs/limits/bound.h"

#include <string.h>

static bool bit(const uint64_t *bits, int32_t i)
{
    return bits[(size_t)i / 64] >> i % 64 & 1;
}

static bool by_host(const allot__job_limit *limit)
{
    return (limit->stated.per & ALLOT_PER_HOST) != 0 ||
           limit->stated.kind == ALLOT_LIMIT_PER_PROCESSOR;
}

/* Does it count slots or jobs of a set of hosts together? */
static bool of_hosts(const allot__job_limit *limit)
{
    return limit->set > 0 && !by_host(limit);
}

int32_t allot__limit_lift(const allot__job_limit *limit)
{
    const allot_job_limit *stated = &limit->stated;
    bool groups = allot__limit_by_group(limit), users = allot__limit_by_user(limit);
    if (limit->queue_level || stated->kind == ALLOT_LIMIT_JOBS || !(groups || users))
        return 0;
    if (stated->kind == ALLOT_LIMIT_PER_PROCESSOR)
        return groups ? ALLOT_LIFT_GROUP_JLP : ALLOT_LIFT_USER_JLP;
    if (stated->per & ALLOT_PER_HOST)
        return ALLOT_LIFT_HOST_JLU;
    return groups ? ALLOT_LIFT_GROUP_MAX : 0;
}

/* The table of bound.h. */
static bool counts_suspended(const allot__work *work, const allot__job_limit *limit)
{
    const allot_job_limit *stated = &limit->stated;
    int32_t word = allot__limit_lift(limit);
    if (!allot__queues_of(work->plan)->preempts || limit->queue_level)
        return true;
    if (stated->kind == ALLOT_LIMIT_JOBS)
        return false;
    if (allot__limit_by_group(limit) || allot__limit_by_user(limit))
        return word != 0 && !(work->rules[0].policy->lift & word);
    bool hosts = by_host(limit) || stated->host_count > 0; /* whether or not it names all hosts */
    return !hosts || limit->queues || (stated->per & ALLOT_PER_QUEUE);
}

static int read_limits(allot__bounds *bounds)
{
    const allot__work *work = bounds->work;
    const allot__vector *limits = &allot__queues_of(work->plan)->limits;
    bounds->traits = allot__arena_take(work->arena, limits->count, sizeof *bounds->traits);
    bounds->last = allot__arena_take(work->arena, limits->count, sizeof *bounds->last);
    if (!bounds->traits || !bounds->last)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < limits->count; i++) {
        const allot__job_limit *limit = allot__limit_at(bounds, (int32_t)i);
        bounds->last[i] = -1;
        bounds->traits[i] = (allot__bound_trait){.counts = counts_suspended(work, limit),
                                                 .jobs = limit->stated.kind == ALLOT_LIMIT_JOBS,
                                                 .by_host = by_host(limit),
                                                 .of_hosts = of_hosts(limit)};
        bool groups = allot__limit_by_group(limit) || limit->but_groups;
        bounds->users = bounds->users || allot__limit_by_user(limit) || groups; /* of groups, too */
        bounds->groups = bounds->groups || groups;
    }
    return ALLOT_OK;
}

/* The groups of a class: its own (-1: none), then those that the plan puts its user in. */
typedef struct groups {
    const int32_t *plan;
    int32_t own, count;
} groups;

static groups groups_of(const allot__bounds *bounds, const allot__bound_class *class)
{
    const allot__queues *queues = allot__queues_of(bounds->work->plan);
    groups out = {.own = class->group};
    if (class->user >= 0 && (size_t) class->user < queues->users.count && queues->user_first) {
        int32_t first = queues->user_first[class->user];
        out.plan = queues->group_of + first;
        out.count = queues->user_first[class->user + 1] - first;
    }
    return out;
}

/* The i-th group, from 0; -1: there is none, or it is the class's own again. */
static int32_t group_at(const groups *of, int32_t i)
{
    if (i == 0)
        return of->own;
    return of->plan[i - 1] == of->own ? -1 : of->plan[i - 1];
}

static bool has_group(const allot__bounds *bounds, const uint64_t *bits, int32_t group)
{
    size_t known = allot__queues_of(bounds->work->plan)->groups.count;
    return bits != NULL && group >= 0 && (size_t)group < known && bit(bits, group);
}

/* Is the class's user among those users, or a group of it among those groups? NULL: none are. */
static bool among(const allot__bounds *bounds, const uint64_t *users, const uint64_t *groups,
                  const allot__bound_class *class)
{
    size_t known = allot__queues_of(bounds->work->plan)->users.count;
    if (users && class->user >= 0 && (size_t) class->user < known && bit(users, class->user))
        return true;
    struct groups of = groups_of(bounds, class);
    for (int32_t i = 0; i <= of.count && groups; i++)
        if (has_group(bounds, groups, group_at(&of, i)))
            return true;
    return false;
}

/* Does the limit apply to a class? */
static bool names(const allot__bounds *bounds, const allot__job_limit *limit,
                  const allot__bound_class *class)
{
    bool all = !limit->users && !limit->groups;
    bool each = (limit->stated.per & ALLOT_PER_GROUP) != 0; /* add_entries() leaves groups out */
    return (all || among(bounds, limit->users, limit->groups, class)) &&
           !among(bounds, limit->but_users, each ? NULL : limit->but_groups, class);
}

/* Lists the limits that apply to each queue and moves first[queue] behind them; `limits` NULL: only
 * counts them. */
static void list_limits(const allot__bounds *bounds, int32_t *first, int32_t *limits)
{
    int32_t queues = allot__queue_count(bounds->work->plan);
    int32_t count = (int32_t)allot__queues_of(bounds->work->plan)->limits.count;
    for (int32_t i = 0; i < count; i++) {
        const uint64_t *named = allot__limit_at(bounds, i)->queues;
        for (int32_t q = 0; q < queues; q++) {
            if (named && named[q / 64] == 0)
                q |= 63;
            else if (!named || bit(named, q)) {
                if (limits)
                    limits[first[q]] = i;
                first[q]++;
            }
        }
    }
}

static int sort_limits(allot__bounds *bounds)
{
    size_t queues = (size_t)allot__queue_count(bounds->work->plan);
    int32_t *first = allot__arena_take(bounds->work->arena, queues + 2, sizeof *first);
    if (!first)
        return ALLOT_ENOMEM;
    memset(first, 0, (queues + 2) * sizeof *first);
    list_limits(bounds, first + 2, NULL);
    for (size_t q = 2; q < queues + 2; q++)
        first[q] += first[q - 1];
    size_t count = (size_t)first[queues + 1];
    bounds->limits = allot__arena_take(bounds->work->arena, count + 1, sizeof *bounds->limits);
    if (!bounds->limits)
        return ALLOT_ENOMEM;
    list_limits(bounds, first + 1, bounds->limits);
    bounds->first = first;
    return ALLOT_OK;
}

/* The bound of an entry without a host; -1: out of memory. Where no limit goes by groups, a queue
 * and user have one class, so a bound by both is new with the class. */
static int32_t find_bound(allot__bounds *bounds, const allot__bound_entry *entry)
{
    const allot__job_limit *of = allot__limit_at(bounds, entry->limit);
    int32_t *last = &bounds->last[entry->limit];
    const allot__bound *known = *last >= 0 ? allot__bound_at(bounds, *last) : NULL;
    if (known && known->queue == entry->queue && known->user == entry->user &&
        known->group == entry->group)
        return *last;
    bool by_user = (of->stated.per & ALLOT_PER_USER) != 0 && !bounds->groups;
    bool sole = by_user && ((of->stated.per & ALLOT_PER_QUEUE) || of->queue >= 0);
    *last = allot__bound_make(bounds, entry, -1, sole);
    return *last;
}

static int add_entry(allot__bounds *bounds, allot__bound_class *class, int32_t limit, int32_t group)
{
    const allot__job_limit *of = allot__limit_at(bounds, limit);
    const allot__bound_trait *trait = allot__limit_trait(bounds, limit);
    allot__bound_entry *entry =
        allot__push(bounds->work->plan->engine, &bounds->entries, sizeof *entry);
    if (!entry)
        return ALLOT_ENOMEM;
    class->count++;
    class->by_host = class->by_host || trait->by_host || trait->of_hosts;
    *entry = (allot__bound_entry){.limit = limit,
                                  .queue = of->stated.per & ALLOT_PER_QUEUE ? class->queue : -1,
                                  .user = of->stated.per & ALLOT_PER_USER ? class->user : -1,
                                  .group = group,
                                  .bound = -1};
    if (trait->by_host)
        return ALLOT_OK;
    entry->bound = find_bound(bounds, entry);
    return entry->bound >= 0 ? ALLOT_OK : ALLOT_ENOMEM;
}

static int add_entries(allot__bounds *bounds, allot__bound_class *class, int32_t limit)
{
    const allot__job_limit *of = allot__limit_at(bounds, limit);
    if (!names(bounds, of, class))
        return ALLOT_OK;
    if (!(of->stated.per & ALLOT_PER_GROUP))
        return add_entry(bounds, class, limit, -1);
    groups all = groups_of(bounds, class);
    int status = ALLOT_OK;
    for (int32_t i = 0; i <= all.count && status == ALLOT_OK; i++) {
        int32_t group = group_at(&all, i);
        if (group >= 0 && (!of->groups || has_group(bounds, of->groups, group)) &&
            !has_group(bounds, of->but_groups, group))
            status = add_entry(bounds, class, limit, group);
    }
    return status;
}

static uint32_t class_hash(const allot__bound_class *class)
{
    int32_t key[] = {class->queue, class->user, class->group};
    return allot__hash(0, (const char *)key, sizeof key);
}

/* The class of such jobs, or -1. Classes of the queue begin at `first`; `head` is the user's last
 * class, the only one that can match if no limit goes by groups. */
static int32_t known_class(const allot__bounds *bounds, const allot__bound_class *sought,
                           int32_t first, int32_t head)
{
    const allot__bound_class *classes = bounds->classes.items;
    if (head < first || classes[head].group == sought->group)
        return head < first ? -1 : head;
    uint32_t hash = class_hash(sought), probe = 0;
    for (int32_t i; (i = allot__index_next(&bounds->by_group, hash, &probe)) >= 0;)
        if (classes[i].queue == sought->queue && classes[i].user == sought->user &&
            classes[i].group == sought->group)
            return i;
    return -1;
}

/* The same, made where it is new; -1: out of memory. */
static int32_t find_class(allot__bounds *bounds, const allot__bound_class *sought, int32_t first,
                          int32_t *head)
{
    int32_t known = known_class(bounds, sought, first, *head);
    if (known >= 0)
        return known;
    allot_engine *engine = bounds->work->plan->engine;
    if (bounds->groups && allot__index_room(engine, &bounds->by_group) != ALLOT_OK)
        return -1;
    allot__bound_class made = *sought;
    made.first = (int32_t)bounds->entries.count;
    for (int32_t i = bounds->first[made.queue]; i < bounds->first[made.queue + 1]; i++)
        if (add_entries(bounds, &made, bounds->limits[i]) != ALLOT_OK)
            return -1;
    allot__bound_class *class = allot__push(engine, &bounds->classes, sizeof *class);
    if (!class)
        return -1;
    *class = made;
    *head = (int32_t)bounds->classes.count - 1;
    if (bounds->groups)
        allot__index_add(&bounds->by_group, class_hash(&made), *head);
    return *head;
}

static int sort_queue(allot__bounds *bounds, int32_t queue, int32_t *heads)
{
    const allot__jobs *jobs = bounds->work->state->jobs;
    int32_t made = (int32_t)bounds->classes.count;
    int32_t count = jobs->first[allot__queue_count(bounds->work->plan)];
    for (int32_t i = jobs->first[queue]; i < jobs->first[queue + 1]; i++) {
        const allot__job *job = allot__job_at(jobs, jobs->by_queue[i]);
        allot__job_fetch(jobs, i, count);
        allot__bound_class class = {.queue = queue,
                                    .user = bounds->users ? job->user : -1,
                                    .group = bounds->groups ? job->group : -1};
        int32_t number = find_class(bounds, &class, made, &heads[class.user + 1]);
        if (number < 0)
            return ALLOT_ENOMEM;
        bounds->class_of[jobs->by_queue[i]] = number;
    }
    return ALLOT_OK;
}

static int sort_jobs(allot__bounds *bounds)
{
    const allot__work *work = bounds->work;
    const allot__jobs *jobs = work->state->jobs;
    size_t users = allot__queues_of(work->plan)->users.count + jobs->names.lists[0].count;
    bounds->class_of =
        allot__arena_take(work->arena, jobs->list.count + 1, sizeof *bounds->class_of);
    int32_t *heads = allot__arena_take(work->arena, users + 1, sizeof *heads);
    if (!bounds->class_of || !heads)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i <= users; i++)
        heads[i] = -1;
    for (int32_t queue = 0; queue < allot__queue_count(work->plan); queue++)
        if (sort_queue(bounds, queue, heads) != ALLOT_OK)
            return ALLOT_ENOMEM;
    size_t classes = bounds->classes.count;
    bounds->pending = allot__arena_take(work->arena, classes + 1, sizeof *bounds->pending);
    if (bounds->pending)
        memset(bounds->pending, 0, (classes + 1) * sizeof *bounds->pending);
    return bounds->pending ? ALLOT_OK : ALLOT_ENOMEM;
}

/* Counts what the state has of a job. */
static int count_job(allot__bounds *bounds, int32_t number)
{
    const allot__jobs *jobs = bounds->work->state->jobs;
    const allot__job *job = allot__job_at(jobs, number);
    const allot__job_place *places = allot__job_places(job);
    int status = ALLOT_OK;
    if (job->state != ALLOT_PENDING)
        status =
            allot__bounds_change(bounds, number, ALLOT_ORDER_START, places, job->place_count, 1);
    if (status == ALLOT_OK && (job->state == ALLOT_SUSPENDED || job->state == ALLOT_STOPPED))
        status =
            allot__bounds_change(bounds, number, ALLOT_ORDER_RESUME, places, job->place_count, -1);
    if (status == ALLOT_OK && job->state == ALLOT_RUNNING && job->grown_count > 0)
        status = allot__bounds_change(bounds, number, ALLOT_ORDER_RESIZE, allot__job_grown(job),
                                      job->grown_count, 1);
    return status;
}

/* Counts queue by queue, so that classes and bounds are found near the ones before. */
static int count_jobs(allot__bounds *bounds)
{
    const allot__jobs *jobs = bounds->work->state->jobs;
    int32_t count = jobs->first[allot__queue_count(bounds->work->plan)];
    int status = ALLOT_OK;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        allot__job_fetch(jobs, i, count);
        status = count_job(bounds, jobs->by_queue[i]);
    }
    return status;
}

int allot__bounds_make(const allot__work *work, const allot__host_view *view, allot__bounds *out)
{
    *out = (allot__bounds){.work = work, .view = view};
    if (allot__queues_of(work->plan)->limits.count == 0)
        return ALLOT_OK;
    int status = read_limits(out);
    if (status == ALLOT_OK)
        status = sort_limits(out);
    if (status == ALLOT_OK)
        status = sort_jobs(out);
    if (status == ALLOT_OK)
        status = count_jobs(out);
    if (status != ALLOT_OK)
        allot__bounds_free(out);
    return status;
}

void allot__bounds_free(allot__bounds *bounds)
{
    if (!bounds->work)
        return;
    allot_engine *engine = bounds->work->plan->engine;
    allot__vector_free(engine, &bounds->list);
    allot__index_free(engine, &bounds->index);
    allot__index_free(engine, &bounds->by_group);
    allot__vector_free(engine, &bounds->entries);
    allot__vector_free(engine, &bounds->classes);
    allot__vector_free(engine, &bounds->on);
    *bounds = (allot__bounds){.work = NULL};
}
