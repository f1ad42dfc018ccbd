/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * together.c: remembers which candidates free nothing, until their hosts change.
 *
 * On a host with less than nothing free, a candidate may free slots only together with those before
 * it in the list. What other hosts have does not matter for that, nor which job of the list's queue
 * searches, unless limits go by hosts.
 */
#include <string.h>

#include "engine/rows/order.h"
#include "engine/jobs/preempt/search.h"

enum { UNKNOWN = -1 };

static int take_room(allot__candidates *candidates, allot__candidate_list *list)
{
    allot__candidate_rows *rows = &candidates->rows;
    allot__host_view *view = candidates->view;
    allot__arena *arena = rows->work->arena;
    int32_t n;
    if (!allot__candidate_on(rows, 0, &n) ||
        (view->changed.levels == 0 && !allot__bits_take(&view->changed, arena, view->count)))
        return ALLOT_ENOMEM;
    if (list->place_of)
        return ALLOT_OK;
    bool taken = allot__bits_take(&list->alone, arena, rows->count) &&
                 allot__bits_take(&list->joint, arena, rows->count);
    return taken ? ALLOT__ZEROED_ALL(arena, ALLOT__WANTED(list->joined, (size_t)rows->count),
                                     ALLOT__WANTED(list->starts, (size_t)view->count),
                                     ALLOT__WANTED(list->place_of, (size_t)rows->count))
                 : ALLOT_ENOMEM;
}

/* What a host's candidates free may be another than before. */
static void look_again(allot__candidate_rows *rows, allot__candidate_list *list, int32_t host)
{
    int32_t n;
    const int32_t *on = allot__candidate_on(rows, host, &n);
    list->starts[host] = UNKNOWN;
    for (int32_t i = 0; i < n; i++)
        if (list->place_of[on[i]] >= 0)
            allot__candidate_list_add(list, (int32_t)list->place_of[on[i]]);
}

void allot__search_settle(allot__candidates *candidates)
{
    allot__candidate_rows *rows = &candidates->rows;
    allot__bits *changed = &candidates->view->changed;
    for (int32_t host = 0; (host = allot__bits_next(changed, host)) < changed->bound;) {
        allot__bits_remove(changed, host);
        for (int32_t i = 0; i < ALLOT__CANDIDATE_LISTS; i++)
            if (rows->lists[i].sifted)
                look_again(rows, &rows->lists[i], host);
    }
}

int allot__search_sift(allot__candidates *candidates, allot__candidate_list *list)
{
    allot__candidate_rows *rows = &candidates->rows;
    if (!list->sifted && list->vain > rows->count / 2) {
        if (take_room(candidates, list) != ALLOT_OK)
            return ALLOT_ENOMEM;
        memset(list->place_of, UNKNOWN, (size_t)rows->count * sizeof *list->place_of);
        memset(list->starts, UNKNOWN, (size_t)rows->of.view->count * sizeof *list->starts);
        allot__bits_clear(&list->alone);
        allot__bits_clear(&list->joint);
        list->sifted = true;
        for (int32_t place = 0; place < list->count; place++) {
            list->place_of[list->rows[place]] = place;
            allot__candidate_list_add(list, place);
        }
    }
    if (list->sifted)
        allot__search_settle(candidates);
    return ALLOT_OK;
}

static int64_t slots_on(const allot__host_view *view, const allot__job *job, int32_t host)
{
    int64_t slots = 0;
    for (int32_t i = 0; i < allot__job_all_places(job); i++)
        slots += allot__job_host_at(view, job, i) == host ? allot__job_places(job)[i].slots : 0;
    return slots;
}

/* The first place in the list at which a host has slots free once all candidates up to there are
 * gone, or an earlier one. */
static int32_t start_of(const allot__search *search, allot__candidate_list *list, int32_t host)
{
    allot__candidates *candidates = search->candidates;
    allot__candidate_rows *rows = &candidates->rows;
    if (list->starts[host] != UNKNOWN)
        return list->starts[host];
    int64_t free = candidates->view->free[host];
    int32_t *on = rows->on + rows->on_first[host];
    int32_t n = rows->on_first[host + 1] - rows->on_first[host];
    int32_t start = free > 0 ? 0 : INT32_MAX;
    allot__sort_rows(on, rows->other, list->place_of, 0, n);
    for (int32_t i = 0; i < n && free <= 0; i++) {
        int32_t job = rows->jobs[on[i]];
        if (list->place_of[on[i]] < 0 || rows->ineligible[job] || candidates->gone[job])
            continue;
        free += slots_on(candidates->view, allot__job_at(rows->work->state->jobs, job), host);
        start = free > 0 ? (int32_t)list->place_of[on[i]] : start;
    }
    return list->starts[host] = start;
}

/* Chooses candidates of a host that stand before a place. */
static void take_before(allot__search *search, allot__candidate_list *list, int32_t host,
                        int32_t place, int32_t *joined)
{
    allot__candidate_rows *rows = &search->candidates->rows;
    int32_t n;
    const int32_t *on = allot__candidate_on(rows, host, &n);
    for (int32_t i = 0; i < n; i++) {
        int32_t job = rows->jobs[on[i]];
        if (list->place_of[on[i]] < 0 || list->place_of[on[i]] >= place ||
            search->candidates->gone[job] || !allot__search_may(search, job))
            continue;
        list->joined[(*joined)++] = on[i];
        allot__search_take(search, job);
    }
}

void allot__search_join(allot__search *search, allot__candidate_list *list, int32_t place,
                        int32_t *joined)
{
    const allot__host_view *view = search->candidates->view;
    int32_t number = allot__candidate_list_job(&search->candidates->rows, list, place);
    const allot__job *job = allot__job_at(view->work->state->jobs, number);
    bool frees = false;
    for (int32_t i = 0; i < allot__job_all_places(job); i++) {
        int32_t host = allot__job_host_at(view, job, i);
        if (host < 0 || !allot__host_view_has(view, search->fit.set, host) ||
            start_of(search, list, host) > place)
            continue;
        frees = true;
        take_before(search, list, host, place, joined);
    }
    if (frees) {
        list->joined[(*joined)++] = list->rows[place];
        allot__search_take(search, number);
    } else {
        allot__bits_remove(&list->joint, place);
    }
}

void allot__search_joined(allot__search *search, allot__candidate_list *list, int32_t joined)
{
    allot__candidate_rows *rows = &search->candidates->rows;
    allot__sort_rows(list->joined, rows->other, list->place_of, 0, joined);
    for (int32_t i = 0; i < joined; i++)
        search->candidates->chosen[search->count - joined + i] = rows->jobs[list->joined[i]];
}
