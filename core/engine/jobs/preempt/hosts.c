/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* hosts.c: searches by host: a suspended job's own, and whole ones; and all together. */
#include "engine/jobs/preempt/search.h"

/* Room for all rows that run on a host; ENOMEM. */
static int near_room(allot__candidates *candidates, int32_t count)
{
    if (candidates->near_room >= count)
        return ALLOT_OK;
    int32_t room = count > 2 * candidates->near_room ? count : 2 * candidates->near_room;
    int32_t *both = allot__arena_take(candidates->work->arena, 2 * (size_t)room, sizeof *both);
    if (!both)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < candidates->near_room; i++)
        both[i] = candidates->near[i];
    candidates->near = both;
    candidates->near_by = both + room;
    candidates->near_room = room;
    return ALLOT_OK;
}

/* Adds the rows on a host to `count` that are near; *all: are all candidates? ENOMEM. */
static int add_near(allot__search *search, int32_t host, int32_t *count, bool *all)
{
    allot__candidates *candidates = search->candidates;
    int32_t n;
    const int32_t *rows = allot__candidate_on(&candidates->rows, host, &n);
    if (!rows || near_room(candidates, *count + n) != ALLOT_OK)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < n; i++) {
        int32_t job = candidates->rows.jobs[rows[i]];
        if (candidates->gone[job])
            continue;
        bool may = allot__search_may(search, job);
        *all = *all && may;
        candidates->near[*count] = rows[i];
        *count += may;
    }
    return ALLOT_OK;
}

/* In the order of the job's queue, each once: a job may be on several hosts. ENOMEM. */
static int sort_near(allot__search *search, int32_t *count)
{
    allot__candidates *candidates = search->candidates;
    const allot__candidate_list *list =
        allot__candidate_list_of(&candidates->rows, search->fit.job->queue);
    if (!list)
        return ALLOT_ENOMEM;
    allot__candidate_sort(&candidates->rows, list, candidates->near, candidates->near_by, *count);
    int32_t kept = 0;
    for (int32_t i = 0; i < *count; i++)
        if (i == 0 || candidates->near[i] != candidates->near[i - 1])
            candidates->near[kept++] = candidates->near[i];
    *count = kept;
    return ALLOT_OK;
}

int allot__search_own_hosts(allot__search *search, bool together)
{
    allot__candidates *candidates = search->candidates;
    const allot__job *job = search->fit.job;
    const allot__job_place *places = allot__job_places(candidates->work->state->jobs, job);
    int32_t count = 0;
    bool all = true;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < job->place_count && status == ALLOT_OK; i++) {
        int32_t host = allot__host_view_host(candidates->view, places[i].site);
        status = host < 0 ? ALLOT_OK : add_near(search, host, &count, &all);
    }
    status = status == ALLOT_OK ? sort_near(search, &count) : status;
    for (int32_t i = 0; i < count && status == ALLOT_OK && !allot__fits(&search->fit); i++) {
        int64_t lack = search->fit.lack;
        allot__search_take(search, candidates->rows.jobs[candidates->near[i]]);
        if (search->fit.lack >= lack && !together)
            allot__search_leave(search, search->count - 1);
    }
    return status;
}

int allot__search_together(allot__search *search)
{
    allot__candidates *candidates = search->candidates;
    allot__candidate_list *list = allot__search_list(search);
    if (!list)
        return ALLOT_ENOMEM;
    for (int32_t place = allot__candidate_list_seek(&candidates->rows, list, 0);
         place >= 0 && !allot__fits(&search->fit);
         place = allot__candidate_list_seek(&candidates->rows, list, place + 1)) {
        int32_t job = allot__candidate_list_job(&candidates->rows, list, place);
        if (!allot__search_may(search, job) || candidates->gone[job])
            continue;
        if (allot__fit_shares(&search->fit, job) || allot__fit_helps(&search->fit, job))
            allot__search_take(search, job);
    }
    return ALLOT_OK;
}

/* Empties a host where all that run there may go, and that makes room. */
static int empty_host(allot__search *search, int32_t host)
{
    allot__candidates *candidates = search->candidates;
    int32_t before = search->count;
    int64_t lack = search->fit.lack;
    int32_t count = 0;
    bool all = true;
    int status = add_near(search, host, &count, &all);
    if (status != ALLOT_OK || !all || count == 0)
        return status;
    status = sort_near(search, &count);
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
        allot__search_take(search, candidates->rows.jobs[candidates->near[i]]);
    while (search->fit.lack >= lack && search->count > before)
        allot__search_leave(search, search->count - 1);
    return status;
}

int allot__search_whole_hosts(allot__search *search)
{
    const allot__host_view *view = search->candidates->view;
    int status = ALLOT_OK;
    for (int32_t host = 0; host < view->count && status == ALLOT_OK && search->fit.lack > 0;
         host++) {
        bool may = allot__host_view_has(view, search->fit.set, host) && view->slots[host] > 0 &&
                   view->kept[host] == 0;
        status = may ? empty_host(search, host) : ALLOT_OK;
    }
    return status;
}
