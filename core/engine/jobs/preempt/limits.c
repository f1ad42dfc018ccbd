/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* limits.c: limits without hosts that a job exceeds, the victims that help, and what all victims
 * can. */
#include "engine/jobs/preempt/search.h"
#include "engine/jobs/limits/resource.h"

const allot__bound_entry *allot__fit_entries(const allot__bounds *bounds, int32_t job,
                                             int32_t *count)
{
    *count = 0;
    if (!bounds->class_of)
        return NULL;
    const allot__bound_class *class =
        (const allot__bound_class *)bounds->classes.items + bounds->class_of[job];
    *count = class->count;
    return allot__vector_from(&bounds->entries, class->first, sizeof(allot__bound_entry));
}

int64_t allot__fit_above(const allot__fit *fit, const allot__bound_entry *entry)
{
    const allot__bounds *bounds = fit->bounds;
    const allot__bound_trait *limit = allot__limit_trait(bounds, entry->limit);
    if (entry->bound < 0 || limit->of_hosts)
        return 0;
    const allot__bound *bound = allot__bound_at(bounds, entry->bound);
    int64_t used = bound->used - (fit->resumes ? bound->asleep : 0);
    int64_t above = used + (limit->jobs ? 1 : fit->job->slots) - bound->most;
    return above > 0 ? above : 0;
}

bool allot__fit_ends(const allot__bounds *bounds, const allot__job *job)
{
    const allot__queues *queues = allot__queues_of(bounds->work->plan);
    return allot__action_ends(allot__queue_at(queues, job->queue)->on_preempt);
}

bool allot__fit_lessens(const allot__fit *fit, const allot__bound_entry *entry,
                        const allot__job *job)
{
    return fit->resumes || !allot__limit_trait(fit->bounds, entry->limit)->counts ||
           job->grown_count > 0 || allot__fit_ends(fit->bounds, job);
}

bool allot__fit_helps(const allot__fit *fit, int32_t other)
{
    const allot__job *job = allot__job_at(fit->view->work->state->jobs, other);
    int32_t count;
    int32_t others;
    if (fit->bounds->resources && !fit->resumes &&
        allot__resources_help(fit->bounds->resources, fit->number, other))
        return true;
    const allot__bound_entry *entries = allot__fit_entries(fit->bounds, fit->number, &count);
    const allot__bound_entry *with = allot__fit_entries(fit->bounds, other, &others);
    for (int32_t i = 0; i < count && fit->over > 0 && !fit->whole; i++) {
        if (allot__fit_above(fit, &entries[i]) <= 0)
            continue;
        for (int32_t k = 0; k < others; k++)
            if (with[k].bound == entries[i].bound && allot__fit_lessens(fit, &with[k], job))
                return true;
    }
    return fit->whole;
}

void allot__candidates_help(allot__candidates *candidates, int32_t number, int32_t sign)
{
    const allot__jobs *jobs = candidates->work->state->jobs;
    const allot__job_place *all = jobs->places.items;
    const allot__job *job = allot__job_at(jobs, number);
    int32_t count;
    const allot__bound_entry *entries = allot__fit_entries(candidates->bounds, number, &count);
    int64_t slots = job->slots;
    if (candidates->bounds->resources)
        allot__resources_candidate(candidates->bounds->resources, number, sign);
    for (int32_t i = 0; i < job->grown_count; i++)
        slots += all[job->grown + i].slots;
    for (int32_t i = 0; i < count; i++)
        if (entries[i].bound >= 0)
            candidates->helps[entries[i].bound] += sign * slots;
}

/* Is a limit over that candidates do not lessen by as much? */
static bool helpless(const allot__search *search)
{
    const allot__fit *fit = &search->fit;
    int32_t count;
    if (fit->bounds->resources && !fit->resumes &&
        allot__resources_hopeless(fit->bounds->resources, fit->number))
        return true;
    const allot__bound_entry *entries = allot__fit_entries(fit->bounds, fit->number, &count);
    for (int32_t i = 0; i < count; i++) {
        int64_t above = allot__fit_above(fit, &entries[i]);
        if (above > 0 && entries[i].bound < search->candidates->help_count &&
            above > search->candidates->helps[entries[i].bound])
            return true;
    }
    return false;
}

/* ---- What all together can do ---------------------------------------------------------------- */

int64_t allot__sum_below(const allot__relation *relation, int32_t high, const int64_t *values)
{
    size_t words = ((size_t)relation->count + 63) / 64;
    const uint64_t *may = relation->may + (size_t)high * words;
    int64_t sum = 0;
    for (size_t i = 0; i < words; i++)
        for (uint64_t left = may[i]; left != 0; left &= left - 1)
            sum += values[i * 64 + (size_t)__builtin_ctzll(left)];
    return sum;
}

int64_t allot__candidates_reach(allot__candidates *candidates, int32_t high)
{
    if (candidates->reach_at[high] != candidates->spent) {
        candidates->reach[high] =
            allot__sum_below(candidates->work->plan->relation, high, candidates->slots_left);
        candidates->reach_at[high] = candidates->spent;
    }
    return candidates->reach[high];
}

/* Is it at least so much? What is spent since it was known may all be of its queues, or none. */
static bool reaches(allot__candidates *candidates, int32_t high, int64_t slots)
{
    int64_t since = candidates->spent - candidates->reach_at[high];
    bool known = candidates->reach_at[high] >= 0;
    if (known && (candidates->reach[high] < slots || candidates->reach[high] - since >= slots))
        return candidates->reach[high] >= slots;
    return allot__candidates_reach(candidates, high) >= slots;
}

/* An exclusive job's hosts, and those that limits close, may have more free for it than the victims
 * leave. */
bool allot__search_hopeless(allot__search *search)
{
    const allot__fit *fit = &search->fit;
    if (helpless(search))
        return true;
    bool simple = !fit->exclusive && !allot__bounds_by_host(fit->bounds, fit->number);
    int64_t least = simple && fit->lack > 1 ? fit->lack : 1;
    return !reaches(search->candidates, fit->job->queue, least);
}
