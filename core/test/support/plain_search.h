/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plain_search.h: reference implementation of the search for victims: tests compare the fast one
 * with it. All candidates are put in order for every job, and everything is counted anew at every
 * step. */
#ifndef ALLOT_TEST_SUPPORT_PLAIN_SEARCH_H
#define ALLOT_TEST_SUPPORT_PLAIN_SEARCH_H

#include <string.h>

#include "engine/jobs/preempt/search.h"

typedef struct plain {
    allot__search search;
    int64_t *preference, *queue_order;
    int32_t *rows; /* of candidates, in order */
    int32_t count;
    int32_t *tried; /* jobs */
} plain;

static int32_t job_of(const plain *it, int32_t row)
{
    return it->search.candidates->rows.jobs[row];
}

static const allot__job *job_at(const plain *it, int32_t job)
{
    return allot__job_at(it->search.candidates->work->state->jobs, job);
}

static int64_t key_value(const plain *it, const allot_key *key, int32_t row)
{
    int64_t room;
    int32_t queue = job_at(it, job_of(it, row))->queue;
    if (allot__job_pair_column(key->source)) {
        return key->source.value == ALLOT_TASK_PREFERENCE ? it->preference[queue]
                                                          : it->queue_order[queue];
    }
    return *allot__rowset_values(&it->search.candidates->rows.of.rows, key->source, row, 1, &room);
}

static bool goes_before(const plain *it, int32_t a, int32_t b)
{
    const allot__order *victims = &it->search.candidates->work->rules[0].policy->victims;
    for (int32_t i = 0; i < victims->count; i++) {
        int64_t x = key_value(it, &victims->keys[i], a);
        int64_t y = key_value(it, &victims->keys[i], b);
        if (x != y)
            return (x < y) != (victims->keys[i].descending != 0);
    }
    return strcmp(job_at(it, job_of(it, a))->thing.id, job_at(it, job_of(it, b))->thing.id) > 0;
}

/* All candidates, by insertion. */
static int list_candidates(plain *it)
{
    const allot__candidates *candidates = it->search.candidates;
    allot__arena *arena = candidates->work->arena;
    size_t queues = (size_t)allot__queue_count(candidates->work->plan) + 1;
    int32_t *sorted = allot__arena_take(arena, 2 * queues, sizeof *sorted);
    it->preference = allot__arena_take(arena, queues, sizeof *it->preference);
    it->queue_order = allot__arena_take(arena, queues, sizeof *it->queue_order);
    it->rows = allot__arena_take(arena, (size_t)candidates->rows.count + 1, sizeof *it->rows);
    it->tried = allot__arena_take(arena, (size_t)candidates->rows.count + 1, sizeof *it->tried);
    if (!sorted || !it->preference || !it->queue_order || !it->rows || !it->tried)
        return ALLOT_ENOMEM;
    allot__job_pairs(candidates->work->plan, it->search.fit.job->queue, it->preference,
                     it->queue_order, sorted);
    for (int32_t row = 0; row < candidates->rows.count; row++) {
        if (allot__search_may(&it->search, job_of(it, row))) {
            int32_t at = it->count++;
            for (; at > 0 && goes_before(it, row, it->rows[at - 1]); at--)
                it->rows[at] = it->rows[at - 1];
            it->rows[at] = row;
        }
    }
    return ALLOT_OK;
}

/* Everything is counted anew. */
static bool plain_fits(plain *it)
{
    allot__fit_count(&it->search.fit);
    return allot__fits(&it->search.fit);
}

static int64_t lack_of(plain *it)
{
    plain_fits(it);
    return it->search.fit.lack > 0 ? it->search.fit.lack : 0;
}

/* Takes those that make room, of `n` jobs together; else none. */
static void try_them(plain *it, const int32_t *jobs, int32_t n)
{
    int64_t lack = lack_of(it);
    int64_t over = it->search.fit.over;
    for (int32_t i = 0; i < n; i++)
        allot__search_take(&it->search, jobs[i]);
    bool better = lack_of(it) < lack || it->search.fit.over < over;
    for (int32_t i = 0; i < n && !better; i++)
        allot__search_leave(&it->search, it->search.count - 1);
}

static bool is_on(const plain *it, int32_t job, int32_t host)
{
    const allot__job *of = job_at(it, job);
    bool on = false;
    for (int32_t i = 0; i < allot__job_all_places(of); i++)
        on = on || allot__job_host_at(it->search.candidates->view, of, i) == host;
    return on;
}

/* Host by host, where all that run are candidates and nobody keeps slots. */
static void take_hosts(plain *it)
{
    const allot__candidates *candidates = it->search.candidates;
    for (int32_t host = 0; host < candidates->view->count && lack_of(it) > 0; host++) {
        int32_t n = 0;
        int32_t running = 0;
        for (int32_t i = 0; i < it->count; i++) {
            int32_t job = job_of(it, it->rows[i]);
            if (!candidates->gone[job] && is_on(it, job, host))
                it->tried[n++] = job;
        }
        for (int32_t row = 0; row < candidates->rows.count; row++)
            running += !candidates->gone[job_of(it, row)] && is_on(it, job_of(it, row), host);
        if (n > 0 && n == running && candidates->view->kept[host] == 0 &&
            allot__host_view_has(candidates->view, it->search.fit.set, host))
            try_them(it, it->tried, n);
    }
}

static void take_one_by_one(plain *it)
{
    for (int32_t i = 0; i < it->count && !plain_fits(it); i++) {
        int32_t job = job_of(it, it->rows[i]);
        if (!it->search.candidates->gone[job])
            try_them(it, &job, 1);
    }
}

static void plain_spare(plain *it)
{
    for (int32_t i = it->search.count - 1; i >= 0; i--) {
        int32_t count = it->search.count;
        memcpy(it->tried, it->search.candidates->chosen, (size_t)count * sizeof *it->tried);
        while (it->search.count > i)
            allot__search_leave(&it->search, it->search.count - 1);
        for (int32_t k = i + 1; k < count; k++)
            allot__search_take(&it->search, it->tried[k]);
        if (!plain_fits(it)) {
            while (it->search.count > i)
                allot__search_leave(&it->search, it->search.count - 1);
            for (int32_t k = i; k < count; k++)
                allot__search_take(&it->search, it->tried[k]);
        }
    }
}

/* All sets of `n`, the first in the order first: next places, odometer-wise. */
static bool next_set(int32_t *places, int32_t n, int32_t count)
{
    int32_t at = n - 1;
    for (; at >= 0 && places[at] == count - n + at; at--) {
    }
    if (at < 0)
        return false;
    places[at]++;
    for (int32_t i = at + 1; i < n; i++)
        places[i] = places[i - 1] + 1;
    return true;
}

static bool plain_fewest(plain *it)
{
    int32_t *places = it->tried;
    for (int32_t n = 1; n <= it->count; n++) {
        for (int32_t i = 0; i < n; i++)
            places[i] = i;
        do {
            for (int32_t i = 0; i < n; i++)
                allot__search_take(&it->search, job_of(it, it->rows[places[i]]));
            if (plain_fits(it))
                return true;
            while (it->search.count > 0)
                allot__search_leave(&it->search, it->search.count - 1);
        } while (next_set(places, n, it->count));
    }
    return false;
}

static void take_together(plain *it)
{
    for (int32_t i = 0; i < it->count && !plain_fits(it); i++) {
        int32_t job = job_of(it, it->rows[i]);
        bool here =
            allot__fit_shares(&it->search.fit, job) || allot__fit_helps(&it->search.fit, job);
        if (!it->search.candidates->gone[job] && here)
            allot__search_take(&it->search, job);
    }
}

static void plain_pursue(plain *it)
{
    const allot__fit *fit = &it->search.fit;
    allot_fewest how = it->search.candidates->work->rules[0].policy->fewest;
    bool whole = fit->exclusive && !fit->resumes;
    if (how == ALLOT_OPTIMAL_MINI_JOB && allot__search_adds_up(&it->search) && plain_fewest(it))
        return;
    if (whole)
        take_hosts(it);
    if (!whole || lack_of(it) == 0)
        take_one_by_one(it);
    bool together = !plain_fits(it);
    if (together)
        take_together(it);
    if ((together || how != ALLOT_ONE_BY_ONE) && plain_fits(it))
        plain_spare(it);
}

static int plain_search(allot__candidates *candidates, allot__found *found)
{
    plain it = {.count = 0};
    allot__search_begin(candidates, found->job, &it.search);
    int64_t gains = candidates->view->gains;
    int64_t changes = candidates->view->changes;
    bool barred = it.search.fit.exclusive &&
                  !(candidates->work->rules[0].policy->job_types & ALLOT_PREEMPT_EXCLUSIVE);
    int status = list_candidates(&it);
    if (status == ALLOT_OK && !barred && !plain_fits(&it)) {
        plain_pursue(&it);
        it.search.tried = true;
    }
    plain_fits(&it);
    allot__search_end(&it.search, gains, changes, found);
    return status;
}

#endif
