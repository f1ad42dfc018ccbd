/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* bound_use.c: what limits allow, and what is used of them. */
#include "engine/jobs/limits/bound.h"

#include <string.h>

#include "engine/jobs/limits/resource.h"

static const allot__bound_class *class_of(const allot__bounds *bounds, int32_t job)
{
    return (const allot__bound_class *)bounds->classes.items + bounds->class_of[job];
}
static const allot__bound_entry *entries_of(const allot__bounds *bounds,
                                            const allot__bound_class *class)
{
    return allot__vector_from(&bounds->entries, class->first, sizeof(allot__bound_entry));
}

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

int64_t allot__bound_most(const allot__bounds *bounds, int32_t limit, int32_t host)
{
    const allot_job_limit *stated = &allot__limit_at(bounds, limit)->stated;
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
                            .most = allot__bound_most(bounds, entry->limit, host)};
    found = (int32_t)bounds->list.count - 1;
    allot__index_add(&bounds->index, hash, found);
    return found;
}

bool allot__limit_on(const allot__bounds *bounds, int32_t limit, int32_t host)
{
    int32_t set = allot__limit_at(bounds, limit)->set;
    return set <= 0 || allot__host_view_has(bounds->view, set, host);
}

/* Does a count of jobs have the job already, as the state has it: if it goes by hosts, on that one,
 * else on any of those that it is of? */
static bool counted(const allot__bounds *bounds, int32_t number, int32_t limit, int32_t host)
{
    const allot__bound_trait *trait = allot__limit_trait(bounds, limit);
    const allot__job *job = allot__job_at(bounds->work->state->jobs, number);
    const allot__job_place *places = allot__job_places(bounds->work->state->jobs, job);
    bool all = !trait->by_host && !trait->of_hosts;
    for (int32_t i = 0; !all && i < job->place_count; i++) {
        int32_t on = allot__host_view_host(bounds->view, places[i].site);
        if (on >= 0 && (trait->by_host ? on == host : allot__limit_on(bounds, limit, on)))
            return true;
    }
    return all;
}

/* Is the job to be asked about by that limit on a host (-1: wherever), as it stands? */
static bool asks(const allot__bounds *bounds, int32_t job, int32_t limit, int32_t host)
{
    int state = allot__bounds_state(bounds, job);
    return state != ALLOT_RUNNING || !allot__limit_trait(bounds, limit)->jobs ||
           !counted(bounds, job, limit, host);
}

/* What is used of a bound, for a job that begins or is resumed. */
static int64_t used_for(const allot__bounds *bounds, const allot__bound *bound, int32_t job)
{
    int state = allot__bounds_state(bounds, job);
    return bound->used - (state == ALLOT_SUSPENDED ? bound->asleep : 0);
}

static bool counts_jobs(const allot__bounds *bounds, int32_t limit)
{
    return allot__limit_trait(bounds, limit)->jobs;
}

bool allot__bounds_allow(const allot__bounds *bounds, int32_t job, int64_t slots, int32_t *binding)
{
    if (!bounds->class_of)
        return true;
    const allot__bound_class *class = class_of(bounds, job);
    const allot__bound_entry *entries = entries_of(bounds, class);
    for (int32_t i = 0; i < class->count; i++) {
        const allot__bound_entry *entry = &entries[i];
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
    return bounds->class_of != NULL && class_of(bounds, job)->by_host;
}

/* What the entry leaves on a host, and what binds there. */
static int32_t bound_on(const allot__bounds *bounds, const allot__bound_entry *entry, int32_t job,
                        int32_t host, int64_t *left)
{
    int32_t number = entry->bound >= 0 ? entry->bound : allot__bound_find(bounds, entry, host);
    if (number < 0) {
        *left = allot__bound_most(bounds, entry->limit, host);
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
    const allot__bound_class *class = class_of(bounds, job);
    const allot__bound_entry *entries = entries_of(bounds, class);
    int64_t most = slots;
    for (int32_t i = 0; i < class->count; i++) {
        const allot__bound_entry *entry = &entries[i];
        if ((entry->bound >= 0 && !allot__limit_trait(bounds, entry->limit)->of_hosts) ||
            !allot__limit_on(bounds, entry->limit, host) || !asks(bounds, job, entry->limit, host))
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

/* Counts of jobs are not tried: a job counts once, however many hosts it is on. */
void allot__bounds_try(allot__bounds *bounds, int32_t job, int32_t host, int32_t slots)
{
    if (!allot__bounds_by_host(bounds, job))
        return;
    const allot__bound_class *class = class_of(bounds, job);
    const allot__bound_entry *entries = entries_of(bounds, class);
    for (int32_t i = 0; i < class->count; i++)
        if (entries[i].bound >= 0 && !counts_jobs(bounds, entries[i].limit) &&
            allot__limit_trait(bounds, entries[i].limit)->of_hosts &&
            allot__limit_on(bounds, entries[i].limit, host))
            allot__bound_at(bounds, entries[i].bound)->trial += slots;
}

void allot__bounds_tried(allot__bounds *bounds, int32_t job)
{
    if (!allot__bounds_by_host(bounds, job))
        return;
    const allot__bound_class *class = class_of(bounds, job);
    const allot__bound_entry *entries = entries_of(bounds, class);
    for (int32_t i = 0; i < class->count; i++)
        if (entries[i].bound >= 0)
            allot__bound_at(bounds, entries[i].bound)->trial = 0;
}

/* By how much a change moves what is used of a limit, and what of that is suspended: -1, 0, 1 times
 * the slots, or jobs. */
typedef struct signs {
    int32_t used, asleep;
} signs;

static signs signs_of(const allot__bounds *bounds, int32_t limit, allot__bound_change change)
{
    bool lifted = !allot__limit_trait(bounds, limit)->counts;
    switch (change) {
    case ALLOT__BOUND_START:
        return (signs){1, 0};
    case ALLOT__BOUND_END:
        return (signs){-1, 0};
    case ALLOT__BOUND_SUSPEND:
        return lifted ? (signs){-1, 0} : (signs){0, 1};
    case ALLOT__BOUND_RESUME:
        return lifted ? (signs){1, 0} : (signs){0, -1};
    case ALLOT__BOUND_GROW:
        return (signs){1, 0};
    case ALLOT__BOUND_SHRINK:
        return (signs){-1, 0};
    }
    return (signs){0, 0};
}

/* Bounds host by host are found, or made, before anything is counted, so that nothing fails then:
 * of entries by host, of places where they hold. */
static int prepare(allot__bounds *bounds, const allot__bound_class *class,
                   const allot__job_place *places, int32_t count)
{
    bounds->on.count = 0;
    for (int32_t i = 0; i < class->count; i++) {
        allot__bound_entry entry = entries_of(bounds, class)[i];
        for (int32_t k = 0; entry.bound < 0 && k < count; k++) {
            int32_t host = allot__host_view_host(bounds->view, places[k].site);
            if (host < 0 || !allot__limit_on(bounds, entry.limit, host))
                continue;
            int32_t *on = allot__push(bounds->work->plan->engine, &bounds->on, sizeof *on);
            if (!on || (*on = allot__bound_make(bounds, &entry, host, false)) < 0)
                return ALLOT_ENOMEM;
        }
    }
    return ALLOT_OK;
}

static void move(allot__bound *bound, signs sign, int64_t amount)
{
    bound->used += sign.used * amount;
    bound->asleep += sign.asleep * amount;
}

/* A job's slots that change. */
typedef struct changed {
    int32_t job;
    bool more; /* it runs besides: counts of jobs may have it already */
    const allot__job_place *places;
    int32_t count;
} changed;

/* `on`: those of `prepare` from this entry on; what is behind its own is returned. */
static const int32_t *count(allot__bounds *bounds, const allot__bound_entry *entry, signs sign,
                            const changed *of, const int32_t *on)
{
    bool jobs = counts_jobs(bounds, entry->limit), again = jobs && of->more;
    bool of_hosts = allot__limit_trait(bounds, entry->limit)->of_hosts;
    int64_t all = 0;
    for (int32_t i = 0; i < of->count; i++) {
        int32_t host = -1;
        bool holds = true;
        if (entry->bound < 0 || of_hosts) {
            host = allot__host_view_host(bounds->view, of->places[i].site);
            holds = host >= 0 && allot__limit_on(bounds, entry->limit, host);
        }
        int64_t amount = jobs ? 1 : of->places[i].slots;
        if (entry->bound < 0 && holds && again && counted(bounds, of->job, entry->limit, host))
            amount = 0;
        if (entry->bound < 0 && holds)
            move(allot__bound_at(bounds, *on++), sign, amount);
        all += holds ? amount : 0;
    }
    if (jobs)
        all = all > 0 && !(again && counted(bounds, of->job, entry->limit, -1));
    if (entry->bound >= 0)
        move(allot__bound_at(bounds, entry->bound), sign, all);
    return on;
}

int allot__bounds_change(allot__bounds *bounds, int32_t job, allot__bound_change change,
                         const allot__job_place *places, int32_t places_count)
{
    const allot__bound_class *class = bounds->class_of ? class_of(bounds, job) : NULL;
    bool by_host = class != NULL && class->by_host;
    int status = by_host ? prepare(bounds, class, places, places_count) : ALLOT_OK;
    if (status != ALLOT_OK)
        return status;
    if (bounds->resources && change == ALLOT__BOUND_START)
        allot__resources_count(bounds->resources, job, 1);
    if (bounds->resources && change == ALLOT__BOUND_END)
        allot__resources_count(bounds->resources, job, -1);
    if (!class)
        return ALLOT_OK;
    const allot__bound_entry *entries = entries_of(bounds, class);
    const int32_t *on = bounds->on.items;
    changed of = {job, change == ALLOT__BOUND_GROW || change == ALLOT__BOUND_SHRINK, places,
                  places_count};
    for (int32_t i = 0; i < class->count; i++)
        on = count(bounds, &entries[i], signs_of(bounds, entries[i].limit, change), &of, on);
    return ALLOT_OK;
}
