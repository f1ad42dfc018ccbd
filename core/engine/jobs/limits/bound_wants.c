/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * bound_wants.c: how much of what a queue has pending its limits let run.
 *
 * Classes of its jobs take what limits leave one after another, each as much as it has pending, as
 * if slots were there for all. Limits on numbers of jobs are left out.
 */
#include "base/least.h"
#include "engine/jobs/limits/bound.h"

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
        if (allot__limit_on(bounds, entry->limit, host)) {
            int32_t number = allot__bound_find(bounds, entry, host);
            int64_t used = number >= 0 ? allot__bound_at(bounds, number)->used : 0;
            left = allot__least(left, allot__bound_most(bounds, entry->limit, host) - used);
        }
        sum += left > 0 ? left : 0;
    }
    return allot__least(sum, most);
}

/* A limit of some hosts together binds a queue that has no others. */
static bool binds(const allot__bounds *bounds, const allot__bound_entry *entry, int32_t set)
{
    const allot__bound_trait *trait = allot__limit_trait(bounds, entry->limit);
    return !trait->jobs && (!trait->of_hosts || allot__limit_at(bounds, entry->limit)->set == set);
}

static int64_t class_wants(allot__bounds *bounds, const allot__bound_class *class, int32_t set,
                           int64_t pending)
{
    const allot__bound_entry *entries =
        allot__vector_from(&bounds->entries, class->first, sizeof *entries);
    int64_t most = pending;
    for (int32_t i = 0; i < class->count; i++) {
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
    for (int32_t i = 0; i < class->count; i++)
        if (entries[i].bound >= 0 && binds(bounds, &entries[i], set))
            allot__bound_at(bounds, entries[i].bound)->trial += most;
    return most;
}

static void forget(allot__bounds *bounds, const allot__bound_class *class)
{
    const allot__bound_entry *entries =
        allot__vector_from(&bounds->entries, class->first, sizeof *entries);
    for (int32_t i = 0; i < class->count; i++)
        if (entries[i].bound >= 0)
            allot__bound_at(bounds, entries[i].bound)->trial = 0;
}

int64_t allot__bounds_wants(allot__bounds *bounds, int32_t queue, int64_t pending)
{
    if (!bounds->class_of || pending == 0)
        return pending;
    const allot__jobs *jobs = bounds->work->state->jobs;
    const allot__bound_class *classes = bounds->classes.items;
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
            sum += class_wants(bounds, &classes[class], set, bounds->pending[class]);
        bounds->pending[class] = 0;
    }
    for (int32_t i = first; i < last; i++)
        forget(bounds, &classes[bounds->class_of[jobs->by_queue[i]]]);
    return allot__least(pending, sum);
}
