/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* near.c: running jobs by the hosts that they are on. */
#include <string.h>

#include "engine/jobs/preempt/list.h"

/* Rows are scattered jobs: so far ahead they are called for. */
enum { AHEAD = 8 };

/* Counts, and with `list` lists, rows by host; a job on a host twice is there twice. */
static void by_host(allot__candidate_rows *rows, const allot__host_view *view, int32_t *first,
                    int32_t *list)
{
    const allot__jobs *jobs = rows->work->state->jobs;
    const allot__job_place *all = jobs->places.items;
    for (int32_t row = rows->count - 1; row >= 0; row--) {
        if (row >= AHEAD)
            __builtin_prefetch(&allot__job_at(jobs, rows->jobs[row - AHEAD])->place);
        const allot__job *job = allot__job_at(jobs, rows->jobs[row]);
        for (int32_t i = 0; i < job->place_count + job->grown_count; i++) {
            int32_t at = i < job->place_count ? job->place + i : job->grown + i - job->place_count;
            int32_t host = allot__host_view_host(view, all[at].site);
            if (host >= 0 && !list)
                first[host + 1]++;
            else if (host >= 0)
                list[--first[host + 1]] = row;
        }
    }
}

static int list_hosts(allot__candidate_rows *rows)
{
    const allot__host_view *view = rows->of.view;
    allot__arena *arena = rows->work->arena;
    size_t hosts = (size_t)view->count;
    int32_t *first = allot__arena_take(arena, hosts + 2, sizeof *first);
    if (!first)
        return ALLOT_ENOMEM;
    memset(first, 0, (hosts + 2) * sizeof *first);
    by_host(rows, view, first, NULL);
    for (size_t i = 1; i <= hosts; i++)
        first[i] += first[i - 1];
    rows->on = allot__arena_take(arena, (size_t)first[hosts] + 1, sizeof *rows->on);
    if (!rows->on)
        return ALLOT_ENOMEM;
    first[hosts + 1] = first[hosts];
    by_host(rows, view, first, rows->on);
    /* Each host's first is now where its end was. */
    rows->on_first = first + 1;
    return ALLOT_OK;
}

const int32_t *allot__candidate_on(allot__candidate_rows *rows, int32_t host, int32_t *count)
{
    if (!rows->on && list_hosts(rows) != ALLOT_OK)
        return NULL;
    *count = rows->on_first[host + 1] - rows->on_first[host];
    return rows->on + rows->on_first[host];
}

/* The first host of a set from `from` on, open or not; -1: none. */
static int32_t next_of(const allot__host_view *view, int32_t set, int32_t from)
{
    for (size_t word = (size_t)from / 64; word < view->words; word++) {
        uint64_t left = view->sets[set][word];
        left &= word == (size_t)from / 64 ? ~(uint64_t)0 << from % 64 : ~(uint64_t)0;
        if (left != 0)
            return (int32_t)(word * 64) + __builtin_ctzll(left);
    }
    return -1;
}

int32_t allot__candidate_on_set(allot__candidate_rows *rows, int32_t set)
{
    const allot__host_view *view = rows->of.view;
    if (!rows->on && list_hosts(rows) != ALLOT_OK)
        return -1;
    if (!rows->on_set) {
        size_t sets = (size_t)view->set_count;
        rows->on_set = allot__arena_take(rows->work->arena, sets + 1, sizeof *rows->on_set);
        for (size_t i = 0; rows->on_set && i < sets; i++)
            rows->on_set[i] = -1;
    }
    if (rows->on_set && rows->on_set[set] < 0) {
        int32_t count = 0;
        for (int32_t host = next_of(view, set, 0); host >= 0; host = next_of(view, set, host + 1))
            count += rows->on_first[host + 1] - rows->on_first[host];
        rows->on_set[set] = count;
    }
    return !rows->on_set ? -1 : rows->on_set[set];
}

int allot__candidate_near(allot__candidate_rows *rows, allot__candidate_list *list)
{
    const allot__host_view *view = rows->of.view;
    int32_t set = allot__queues_of(rows->work->plan)->set_of[list->high];
    int32_t on_set = allot__candidate_on_set(rows, set);
    int32_t *both =
        on_set < 0 ? NULL
                   : allot__arena_take(rows->work->arena, 2 * (size_t)on_set + 1, sizeof *both);
    if (!both)
        return ALLOT_ENOMEM;
    int32_t count = 0;
    for (int32_t host = next_of(view, set, 0); host >= 0; host = next_of(view, set, host + 1)) {
        for (int32_t i = rows->on_first[host]; i < rows->on_first[host + 1]; i++) {
            int32_t row = rows->on[i];
            both[count] = row;
            count += !rows->ineligible[rows->jobs[row]] &&
                     allot__may_preempt(rows->work->plan->relation, list->high, rows->queues[row]);
        }
    }
    allot__candidate_sort(rows, list, both, both + on_set, count);
    for (int32_t i = 0; i < count; i++) {
        if (i == 0 || both[i] != both[i - 1]) {
            list->rows[list->count++] = both[i];
            list->alive[list->count] = list->count;
        }
    }
    return ALLOT_OK;
}
