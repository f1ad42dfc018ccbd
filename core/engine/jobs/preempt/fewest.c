/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * fewest.c: the fewest jobs that free enough slots, and of such sets the first in the order.
 *
 * Gains of jobs add up if only slots are lacking and no limit goes by hosts. Then the number needed
 * is how many of the largest gains cover the lack. Candidates are taken in their order: each one
 * that the largest gains behind it can complete to such a set.
 */
#include "base/least.h"
#include "engine/rows/order.h"
#include "engine/jobs/preempt/search.h"

/* Candidates with a gain, in their order. */
struct allot__gain {
    int32_t *jobs;
    int64_t *gains, *keys;
    int32_t *sorted, *other; /* candidates by falling gain; scratch to sort */
    int32_t *ranks;          /* by candidate: its place in `sorted` */
    int32_t *next, *before;  /* a ring of those not yet passed, by candidate; `count` is its end */
    int32_t count;
    /* The `n` largest gains of those not passed: their sum, and the last of them (`count` if n is
     * 0). */
    int64_t sum;
    int32_t last, n;
};

static struct allot__gain *take_room(allot__candidates *candidates)
{
    allot__arena *arena = candidates->work->arena;
    size_t room = (size_t)candidates->rows.count + 1;
    if (candidates->gains) {
        candidates->gains->count = 0;
        return candidates->gains;
    }
    struct allot__gain *it = allot__arena_take(arena, 1, sizeof *it);
    int32_t *narrow = allot__arena_take(arena, 6 * room, sizeof *narrow);
    int64_t *wide = allot__arena_take(arena, 2 * room, sizeof *wide);
    if (!it || !narrow || !wide)
        return NULL;
    *it = (struct allot__gain){.jobs = narrow,
                               .sorted = narrow + room,
                               .other = narrow + 2 * room,
                               .next = narrow + 3 * room,
                               .before = narrow + 4 * room,
                               .ranks = narrow + 5 * room,
                               .gains = wide,
                               .keys = wide + room};
    candidates->gains = it;
    return it;
}

/* On an overfull host, or one with an exclusive job, a victim may free slots only together with
 * another. */
static bool host_adds_up(const allot__search *search, int32_t host)
{
    const allot__host_view *view = search->candidates->view;
    bool closed = view->alone[host] > 0 &&
                  (search->candidates->work->rules[0].policy->job_types & ALLOT_PREEMPT_EXCLUSIVE);
    return view->free[host] >= 0 && !closed;
}

/* Can any host be like that? */
static bool some_crowded(const allot__host_view *view)
{
    int32_t some = 0;
    for (int32_t host = 0; host < view->count; host++)
        some |= (view->free[host] < 0) | (view->alone[host] > 0);
    return some != 0;
}

bool allot__search_adds_up(const allot__search *search)
{
    const allot__fit *fit = &search->fit;
    if (fit->over > 0 || fit->exclusive || fit->resumes ||
        allot__bounds_by_host(fit->bounds, fit->number))
        return false;
    bool all = true;
    int32_t count = some_crowded(fit->view) ? fit->view->count : 0;
    for (int32_t host = 0; host < count && all; host++)
        all = !allot__host_view_has(fit->view, fit->set, host) || host_adds_up(search, host);
    return all;
}

/* Slots of a job that the searching job could use. */
static int64_t gain_of(const allot__fit *fit, int32_t number)
{
    const allot__host_view *view = fit->view;
    const allot__jobs *jobs = view->work->state->jobs;
    const allot__job *job = allot__job_at(jobs, number);
    int64_t gain = 0;
    for (int32_t i = 0; i < allot__job_all_places(job); i++) {
        int32_t host = allot__job_host_at(view, job, i);
        bool mine = host >= 0 &&
                    (!view->owner || view->owner[host] < 0 || view->owner[host] == fit->job->queue);
        gain += mine && allot__host_view_has(view, fit->set, host) ? allot__job_places(job)[i].slots
                                                                   : 0;
    }
    return gain;
}

/* The most that any candidate can free. */
static int64_t most_of(const allot__candidates *candidates, int32_t high)
{
    const allot__ranges *low = &candidates->work->plan->relation->low;
    const int32_t *range, *end;
    int64_t most = 1;
    allot__ranges_at(low, high, &range, &end);
    for (; range < end; range += 2)
        for (int32_t place = range[0]; place < range[1]; place++)
            most = allot__most(most, candidates->most_left[low->order[place]]);
    return most;
}

/* Assumes that every later candidate frees the most, which gives the least number needed. If that
 * many suffice, they are the set sought: a job that was passed cannot be in a set of that size. */
static bool guess(allot__search *search, allot__candidate_list *list)
{
    allot__candidates *candidates = search->candidates;
    int64_t most = most_of(candidates, search->fit.job->queue);
    int64_t left = search->fit.lack;
    int64_t needed = (left + most - 1) / most;
    for (int32_t place = allot__candidate_list_seek(&candidates->rows, list, &list->left, 0);
         place >= 0 && needed > 0;
         place = allot__candidate_list_seek(&candidates->rows, list, &list->left, place + 1)) {
        int32_t job = allot__candidate_list_job(&candidates->rows, list, place);
        int64_t gain = allot__search_may(search, job) ? gain_of(&search->fit, job) : 0;
        if (gain > 0 && gain + (needed - 1) * most >= left) {
            left -= gain;
            needed--;
            allot__search_take(search, job);
        }
    }
    return allot__fits(&search->fit);
}

static void read_gains(allot__search *search, allot__candidate_list *list, struct allot__gain *it)
{
    allot__candidates *candidates = search->candidates;
    for (int32_t place = allot__candidate_list_seek(&candidates->rows, list, &list->left, 0);
         place >= 0;
         place = allot__candidate_list_seek(&candidates->rows, list, &list->left, place + 1)) {
        int32_t job = allot__candidate_list_job(&candidates->rows, list, place);
        int64_t gain = allot__search_may(search, job) ? gain_of(&search->fit, job) : 0;
        if (gain > 0) {
            it->jobs[it->count] = job;
            it->gains[it->count++] = gain;
        }
    }
}

/* Sorts and links gains; returns how many are needed at least, or -1: all are too few. */
static int32_t link_gains(struct allot__gain *it, int64_t lack)
{
    for (int32_t i = 0; i < it->count; i++) {
        it->sorted[i] = i;
        it->keys[i] = -it->gains[i];
    }
    allot__sort_rows(it->sorted, it->other, it->keys, 0, it->count);
    int32_t last = it->count;
    int32_t needed = -1;
    for (int32_t i = 0; i < it->count; i++) {
        it->next[last] = it->sorted[i];
        it->before[it->sorted[i]] = last;
        last = it->sorted[i];
        it->ranks[last] = i;
        lack -= it->gains[last];
        needed = needed < 0 && lack <= 0 ? i + 1 : needed;
    }
    it->next[last] = it->count;
    it->before[it->count] = last;
    return needed;
}

/* Adds one more of the largest to the sum (or one less), if there is any. */
static void more(struct allot__gain *it)
{
    int32_t next = it->next[it->last];
    if (next != it->count) {
        it->last = next;
        it->sum += it->gains[next];
        it->n++;
    }
}

static void less(struct allot__gain *it)
{
    it->sum -= it->gains[it->last];
    it->last = it->before[it->last];
    it->n--;
}

/* Passes a candidate; sums the `n` largest of the others. */
static void pass(struct allot__gain *it, int32_t at, int32_t n)
{
    bool among = it->n > 0 && it->ranks[at] <= it->ranks[it->last];
    if (among) {
        it->sum -= it->gains[at];
        it->n--;
        it->last = at == it->last ? it->before[at] : it->last;
    }
    it->next[it->before[at]] = it->next[at];
    it->before[it->next[at]] = it->before[at];
    while (it->n > n)
        less(it);
    if (it->n < n)
        more(it);
}

static void choose(allot__search *search, struct allot__gain *it, int32_t needed)
{
    int64_t left = search->fit.lack;
    it->sum = 0;
    it->n = 0;
    it->last = it->count;
    while (it->n < needed)
        more(it);
    for (int32_t i = 0; i < it->count && needed > 0; i++) {
        pass(it, i, needed - 1);
        if (it->gains[i] + it->sum >= left) {
            left -= it->gains[i];
            needed--;
            allot__search_take(search, it->jobs[i]);
        }
    }
}

static void leave_all(allot__search *search)
{
    while (search->count > 0)
        allot__search_leave(search, search->count - 1);
}

bool allot__search_fewest(allot__search *search, int *status)
{
    if (!allot__search_adds_up(search))
        return false;
    struct allot__gain *it = take_room(search->candidates);
    allot__candidate_list *list = allot__search_list(search);
    if (!it || !list) {
        *status = ALLOT_ENOMEM;
        return false;
    }
    if (guess(search, list))
        return true;
    leave_all(search);
    read_gains(search, list, it);
    int32_t needed = link_gains(it, search->fit.lack);
    if (needed > 0)
        choose(search, it, needed);
    if (!allot__fits(&search->fit))
        leave_all(search);
    return allot__fits(&search->fit);
}
