/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* bound_use.c: what limits allow, and what is used of them; how many pending slots of a queue its
 * limits let run. */
#include "engine/jobs/limits/bound.h"

#include "base/least.h"
#include "engine/jobs/limits/resource.h"

static uint32_t hash_of(const allot__bound_entry *entry, int32_t host)
{
    int32_t key[] = {entry->limit, entry->queue, entry->user, entry->group, host};
    return allot__hash(0, (const char *)key, sizeof key);
}

static int32_t find(const allot__bounds *bounds, const allot__bound_entry *entry, int32_t host,
                    uint32_t hash)
{
    uint32_t probe = 0;
    for (int32_t i; (i = allot__index_next(&bounds->index, hash, &probe)) >= 0;) {
        const allot__bound *bound = allot__bound_at(bounds, i);
        if (bound->limit == entry->limit && bound->queue == entry->queue &&
            bound->user == entry->user && bound->group == entry->group && bound->host == host)
            return i;
    }
    return -1;
}

int32_t allot__bound_find(const allot__bounds *bounds, const allot__bound_entry *entry,
                          int32_t host)
{
    return find(bounds, entry, host, hash_of(entry, host));
}

/* What a limit allows on a host, whatever is used. */
static int64_t most_on(const allot__bounds *bounds, int32_t limit, int32_t host)
{
    const allot_job_limit *stated = &allot__limit_at(bounds, limit)->stated;
    if (allot__limit_at(bounds, limit)->allows)
        return allot__limit_allows(bounds, limit).slots;
    if (stated->kind != ALLOT_LIMIT_PER_PROCESSOR || host < 0)
        return stated->most;
    return (stated->most * bounds->view->slots[host] + 999) / 1000; /* rounded up, as LSF does */
}

int32_t allot__bound_make(allot__bounds *bounds, const allot__bound_entry *entry, int32_t host,
                          bool sole)
{
    allot_engine *engine = bounds->work->plan->engine;
    uint32_t hash = hash_of(entry, host);
    int32_t found = sole ? -1 : find(bounds, entry, host, hash);
    if (found >= 0 || allot__index_room(engine, &bounds->index) != ALLOT_OK)
        return found;
    allot__bound *bound = allot__push(engine, &bounds->list, sizeof *bound);
    if (!bound)
        return -1;
    *bound = (allot__bound){.limit = entry->limit,
                            .queue = entry->queue,
                            .user = entry->user,
                            .group = entry->group,
                            .host = host,
                            .most = most_on(bounds, entry->limit, host)};
    found = (int32_t)bounds->list.count - 1;
    allot__index_add(&bounds->index, hash, found);
    return found;
}

/* Does this limit of hosts apply to a host? */
static bool holds_on(const allot__bounds *bounds, int32_t limit, int32_t host)
{
    int32_t set = allot__limit_at(bounds, limit)->set;
    return set <= 0 || allot__host_view_has(bounds->view, set, host);
}

/* Does a limit on jobs count the job already, by its places in the state: on that host if the limit
 * goes by hosts, else on any of the limit's hosts? */
static bool counted(const allot__bounds *bounds, int32_t number, int32_t limit, int32_t host)
{
    const allot__bound_trait *trait = allot__limit_trait(bounds, limit);
    const allot__job *job = allot__job_at(bounds->work->state->jobs, number);
    const allot__job_place *places = allot__job_places(job);
    bool all = !trait->by_host && !trait->of_hosts;
    for (int32_t i = 0; !all && i < job->place_count; i++) {
        int32_t on = allot__host_view_host(bounds->view, places[i].site);
        if (on >= 0 && (trait->by_host ? on == host : holds_on(bounds, limit, on)))
            return true;
    }
    return all;
}

/* Must the limit be checked for the job on a host (-1: on any), given the job's state? */
static bool asks(const allot__bounds *bounds, int32_t job, int32_t limit, int32_t host)
{
    int state = allot__bounds_state(bounds, job);
    return state != ALLOT_RUNNING || !allot__limit_trait(bounds, limit)->jobs ||
           !counted(bounds, job, limit, host);
}

/* The use of a bound that counts for a job that starts or is resumed. */
static int64_t used_for(const allot__bounds *bounds, const allot__bound *bound, int32_t job)
{
    int state = allot__bounds_state(bounds, job);
    return bound->used + bound->kept - (state == ALLOT_SUSPENDED ? bound->asleep : 0);
}

static bool counts_jobs(const allot__bounds *bounds, int32_t limit)
{
    return allot__limit_trait(bounds, limit)->jobs;
}

bool allot__bounds_allow(const allot__bounds *bounds, int32_t job, int64_t slots, int32_t *binding)
{
    int32_t count;
    const allot__bound_entry *entry = allot__bounds_entries(bounds, job, &count);
    for (; count > 0; entry++, count--) {
        if (entry->bound < 0 || !asks(bounds, job, entry->limit, -1) ||
            allot__limit_trait(bounds, entry->limit)->of_hosts)
            continue;
        const allot__bound *bound = allot__bound_at(bounds, entry->bound);
        int64_t more = counts_jobs(bounds, entry->limit) ? 1 : slots;
        if (used_for(bounds, bound, job) + more > bound->most) {
            *binding = entry->bound;
            return false;
        }
    }
    return true;
}

bool allot__bounds_by_host(const allot__bounds *bounds, int32_t job)
{
    const allot__bound_class *classes = bounds->classes.items;
    return bounds->class_of != NULL && classes[bounds->class_of[job]].by_host;
}

/* What the entry leaves on a host, and the bound that binds there. */
static int32_t bound_on(const allot__bounds *bounds, const allot__bound_entry *entry, int32_t job,
                        int32_t host, int64_t *left)
{
    int32_t number = entry->bound >= 0 ? entry->bound : allot__bound_find(bounds, entry, host);
    if (number < 0) {
        *left = most_on(bounds, entry->limit, host);
        return -2 - entry->limit;
    }
    const allot__bound *bound = allot__bound_at(bounds, number);
    *left = bound->most - used_for(bounds, bound, job) - bound->trial;
    return number;
}

int32_t allot__bounds_on_host(const allot__bounds *bounds, int32_t job, int32_t host, int32_t slots,
                              int32_t *binding)
{
    *binding = -1;
    if (!allot__bounds_by_host(bounds, job))
        return slots;
    int32_t count;
    const allot__bound_entry *entry = allot__bounds_entries(bounds, job, &count);
    int64_t most = slots;
    for (; count > 0; entry++, count--) {
        if ((entry->bound >= 0 && !allot__limit_trait(bounds, entry->limit)->of_hosts) ||
            !holds_on(bounds, entry->limit, host) || !asks(bounds, job, entry->limit, host))
            continue;
        int64_t left;
        int32_t bound = bound_on(bounds, entry, job, host, &left);
        if (counts_jobs(bounds, entry->limit))
            left = left > 0 ? slots : 0;
        if (left < most) {
            most = left > 0 ? left : 0;
            *binding = bound;
        }
    }
    return (int32_t)most;
}

/* Limits on jobs are not tried: a job counts once, on however many hosts it runs. */
void allot__bounds_try(allot__bounds *bounds, int32_t job, int32_t host, int32_t slots)
{
    if (!allot__bounds_by_host(bounds, job))
        return;
    int32_t count;
    const allot__bound_entry *entries = allot__bounds_entries(bounds, job, &count);
    for (int32_t i = 0; i < count; i++)
        if (entries[i].bound >= 0 && !counts_jobs(bounds, entries[i].limit) &&
            allot__limit_trait(bounds, entries[i].limit)->of_hosts &&
            holds_on(bounds, entries[i].limit, host))
            allot__bound_at(bounds, entries[i].bound)->trial += slots;
}

static void forget_trial(allot__bounds *bounds, int32_t job)
{
    int32_t count;
    const allot__bound_entry *entries = allot__bounds_entries(bounds, job, &count);
    for (int32_t i = 0; i < count; i++)
        if (entries[i].bound >= 0)
            allot__bound_at(bounds, entries[i].bound)->trial = 0;
}

void allot__bounds_tried(allot__bounds *bounds, int32_t job)
{
    if (allot__bounds_by_host(bounds, job))
        forget_trial(bounds, job);
}

/* Finds or makes all bounds by host before anything is counted, so that counting cannot fail: for
 * each entry by host, those of the places where it applies. */
static int prepare(allot__bounds *bounds, int32_t job, const allot__job_place *places,
                   int32_t count)
{
    int32_t entries;
    const allot__bound_entry *entry = allot__bounds_entries(bounds, job, &entries);
    bounds->on.count = 0;
    for (; entries > 0; entry++, entries--)
        for (int32_t k = 0; entry->bound < 0 && k < count; k++) {
            int32_t host = allot__host_view_host(bounds->view, places[k].site);
            if (host < 0 || !holds_on(bounds, entry->limit, host))
                continue;
            int32_t *on = allot__push(bounds->work->plan->engine, &bounds->on, sizeof *on);
            if (!on || (*on = allot__bound_make(bounds, entry, host, false)) < 0)
                return ALLOT_ENOMEM;
        }
    return ALLOT_OK;
}

/* A change of a job's slots. */
typedef struct changed {
    int32_t job;
    allot_order_kind kind; /* RESIZE: it runs already, so limits on jobs may count it */
    int32_t sign;
    const allot__job_place *places;
    int32_t count;
    allot__vector *to; /* of allot__bound_part, with room: only lists what would count; or NULL */
} changed;

/* A job that is suspended still counts, unless a limit leaves suspended ones out. */
static void move(allot__bounds *bounds, int32_t number, const allot__bound_trait *limit,
                 const changed *of, int64_t amount)
{
    bool wakes = of->kind == ALLOT_ORDER_RESUME && limit->counts;
    if (of->to) {
        allot__bound_part *parts = of->to->items;
        parts[of->to->count] = (allot__bound_part){.bound = number, .amount = amount};
        of->to->count += !wakes && amount > 0;
        return;
    }
    allot__bound *bound = allot__bound_at(bounds, number);
    bound->used += wakes ? 0 : of->sign * amount;
    bound->asleep -= wakes ? of->sign * amount : 0;
}

/* `on`: bounds found by `prepare`, from this entry's on; returns the next entry's. */
static const int32_t *count(allot__bounds *bounds, const allot__bound_entry *entry,
                            const changed *of, const int32_t *on)
{
    const allot__bound_trait *limit = allot__limit_trait(bounds, entry->limit);
    bool again = limit->jobs && of->kind == ALLOT_ORDER_RESIZE;
    int64_t all = 0;
    for (int32_t i = 0; i < of->count; i++) {
        int32_t host = -1;
        bool holds = true;
        if (entry->bound < 0 || limit->of_hosts) {
            host = allot__host_view_host(bounds->view, of->places[i].site);
            holds = host >= 0 && holds_on(bounds, entry->limit, host);
        }
        int64_t amount = limit->jobs ? 1 : of->places[i].slots;
        if (entry->bound < 0 && holds && again && counted(bounds, of->job, entry->limit, host))
            amount = 0;
        if (entry->bound < 0 && holds)
            move(bounds, *on++, limit, of, amount);
        all += holds ? amount : 0;
    }
    if (limit->jobs)
        all = all > 0 && !(again && counted(bounds, of->job, entry->limit, -1));
    if (entry->bound >= 0)
        move(bounds, entry->bound, limit, of, all);
    return on;
}

static int count_all(allot__bounds *bounds, const changed *of)
{
    if (allot__bounds_by_host(bounds, of->job) &&
        prepare(bounds, of->job, of->places, of->count) != ALLOT_OK)
        return ALLOT_ENOMEM;
    int32_t entries;
    const allot__bound_entry *entry = allot__bounds_entries(bounds, of->job, &entries);
    size_t most = (size_t)entries + bounds->on.count + 1; /* and one that is not kept */
    if (of->to && allot__vector_room(bounds->work->plan->engine, of->to, most,
                                     sizeof(allot__bound_part)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    const int32_t *on = bounds->on.items;
    for (; entries > 0; entry++, entries--)
        on = count(bounds, entry, of, on);
    return ALLOT_OK;
}

int allot__bounds_change(allot__bounds *bounds, int32_t job, allot_order_kind kind,
                         const allot__job_place *places, int32_t places_count, int32_t sign)
{
    const changed of = {job, kind, sign, places, places_count, NULL};
    int status = count_all(bounds, &of);
    if (status == ALLOT_OK && bounds->resources && kind == ALLOT_ORDER_START)
        allot__resources_count(bounds->resources, job, sign);
    return status;
}

int allot__bounds_parts(allot__bounds *bounds, int32_t job, allot_order_kind kind,
                        const allot__job_place *places, int32_t places_count, allot__vector *to)
{
    const changed of = {job, kind, 1, places, places_count, to};
    return count_all(bounds, &of);
}

int allot__job_turn(allot__host_view *view, allot__bounds *bounds, int32_t number, bool ends,
                    int32_t sign)
{
    const allot__jobs *jobs = view->work->state->jobs;
    const allot__job *job = allot__job_at(jobs, number);
    allot_order_kind kind = ends ? ALLOT_ORDER_START : ALLOT_ORDER_RESUME;
    allot__host_view_job(view, number, !ends, sign);
    int status = ALLOT_OK;
    if (job->grown_count > 0)
        status = allot__bounds_change(bounds, number, ALLOT_ORDER_RESIZE, allot__job_grown(job),
                                      job->grown_count, sign);
    if (status == ALLOT_OK)
        status = allot__bounds_change(bounds, number, kind, allot__job_places(job),
                                      job->place_count, sign);
    return status;
}

/* ---- What a queue wants ---------------------------------------------------------------------- */

/* What a limit by host leaves on all hosts of the queue, up to `most`. */
static int64_t left_on_hosts(const allot__bounds *bounds, const allot__bound_entry *entry,
                             int32_t set, int64_t most)
{
    const allot__host_view *view = bounds->view;
    int64_t sum = 0;
    for (int32_t host = 0; host < view->count && sum < most; host++) {
        if (!allot__host_view_has(view, set, host))
            continue;
        int64_t left = view->slots[host];
        if (holds_on(bounds, entry->limit, host)) {
            int32_t number = allot__bound_find(bounds, entry, host);
            int64_t used = number >= 0 ? allot__bound_at(bounds, number)->used : 0;
            left = allot__least(left, most_on(bounds, entry->limit, host) - used);
        }
        sum += left > 0 ? left : 0;
    }
    return allot__least(sum, most);
}

/* A limit of a set of hosts binds a queue that has no other hosts. */
static bool binds(const allot__bounds *bounds, const allot__bound_entry *entry, int32_t set)
{
    const allot__bound_trait *trait = allot__limit_trait(bounds, entry->limit);
    return !trait->jobs && (!trait->of_hosts || allot__limit_at(bounds, entry->limit)->set == set);
}

/* What the class of a job wants; then counts that in the limits. */
static int64_t class_wants(allot__bounds *bounds, int32_t job, int32_t set, int64_t pending)
{
    int32_t count;
    const allot__bound_entry *entries = allot__bounds_entries(bounds, job, &count);
    int64_t most = pending;
    for (int32_t i = 0; i < count; i++) {
        if (!binds(bounds, &entries[i], set))
            continue;
        if (entries[i].bound < 0) {
            most = left_on_hosts(bounds, &entries[i], set, most);
            continue;
        }
        const allot__bound *bound = allot__bound_at(bounds, entries[i].bound);
        most = allot__least(most, bound->most - bound->used - bound->trial);
    }
    most = most > 0 ? most : 0;
    for (int32_t i = 0; i < count; i++)
        if (entries[i].bound >= 0 && binds(bounds, &entries[i], set))
            allot__bound_at(bounds, entries[i].bound)->trial += most;
    return most;
}

int64_t allot__bounds_wants(allot__bounds *bounds, int32_t queue, int64_t pending)
{
    if (!bounds->class_of || pending == 0)
        return pending;
    const allot__jobs *jobs = bounds->work->state->jobs;
    int32_t set = allot__queues_of(bounds->work->plan)->set_of[queue];
    int32_t first = jobs->first[queue], last = jobs->first[queue + 1];
    int64_t sum = 0;
    for (int32_t i = first; i < last; i++) {
        int32_t job = jobs->by_queue[i];
        if (allot__bounds_state(bounds, job) == ALLOT_PENDING)
            bounds->pending[bounds->class_of[job]] += allot__job_at(jobs, job)->slots;
    }
    for (int32_t i = first; i < last; i++) {
        int32_t class = bounds->class_of[jobs->by_queue[i]];
        if (bounds->pending[class] > 0)
            sum += class_wants(bounds, jobs->by_queue[i], set, bounds->pending[class]);
        bounds->pending[class] = 0;
    }
    for (int32_t i = first; i < last; i++)
        forget_trial(bounds, jobs->by_queue[i]);
    return allot__least(pending, sum);
}
