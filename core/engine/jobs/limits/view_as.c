/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * view_as.c: what suspended jobs keep, as one queue after another sees it.
 *
 * From one viewer to the next only those queues are gone through that have suspended jobs and keep
 * slots against one of the two alone: as queues come by falling priority, they can preempt fewer
 * and fewer, so that over a cycle each suspended job is gone through about once.
 */
#include "engine/jobs/limits/view.h"

/* The bit of a host says whether the viewer may have slots there. */
static void settle(allot__host_view *view, int32_t host)
{
    bool mine = !view->owner || view->owner[host] < 0 || view->owner[host] == view->viewer;
    bool open = view->free[host] > 0 && view->alone[host] == 0 && mine;
    uint64_t bit = (uint64_t)1 << host % 64;
    uint64_t *word = &view->open[host / 64];
    *word = open ? *word | bit : *word & ~bit;
    uint64_t word_bit = (uint64_t)1 << host / 64 % 64;
    uint64_t *words = &view->open_words[host / 4096];
    *words = *word != 0 ? *words | word_bit : *words & ~word_bit;
}

void allot__host_view_take(allot__host_view *view, int32_t host, int32_t slots)
{
    view->free[host] -= slots;
    view->changes++;
    view->gains += slots < 0;
    settle(view, host);
}

/* A job keeps its slots from the viewer, or (-1) no longer. */
static void count_job(allot__host_view *view, int32_t number, int32_t sign)
{
    const allot__jobs *jobs = view->work->state->jobs;
    const allot__job *job = allot__job_at(jobs, number);
    const allot__job_place *places = allot__job_places(jobs, job);
    for (int32_t i = 0; i < job->place_count; i++) {
        int32_t host = allot__host_view_host(view, places[i].site);
        if (host >= 0) {
            view->kept[host] += (int64_t)sign * places[i].slots;
            allot__host_view_take(view, host, sign * places[i].slots);
        }
    }
}

static void count_queue(allot__host_view *view, int32_t queue, int32_t sign)
{
    for (int32_t job = view->kept_first[queue]; job >= 0; job = view->kept_next[job])
        if (view->keeps[job] & ALLOT__KEEP_NOW)
            count_job(view, job, sign);
}

static bool seen(const allot__host_view *view, int32_t queue)
{
    return view->against[(size_t)queue / 64] >> queue % 64 & 1;
}

/* Hosts that are given to queues open and close. */
static void turn_owned(allot__host_view *view)
{
    for (int32_t host = 0; view->owner && host < view->count; host++)
        if (view->owner[host] >= 0)
            allot__host_view_take(view, host, 0);
}

void allot__host_view_as(allot__host_view *view, int32_t queue)
{
    if (view->viewer == queue)
        return;
    const allot__relation *relation = view->work->plan->relation;
    size_t words = ((size_t)relation->count + 63) / 64;
    const uint64_t *may = relation->may + (size_t)queue * words;
    int64_t gains = view->gains;
    for (size_t i = 0; i < words; i++) {
        uint64_t other = (view->against[i] ^ ~may[i]) & view->keepers[i];
        for (; other != 0; other &= other - 1) {
            int32_t low = (int32_t)(i * 64) + __builtin_ctzll(other);
            count_queue(view, low, seen(view, low) ? -1 : 1);
        }
        view->against[i] = ~may[i];
    }
    view->viewer = queue;
    turn_owned(view);
    view->gains = gains; /* for no queue there is more than when it looked last */
}

void allot__host_view_keep(allot__host_view *view, int32_t job)
{
    int32_t queue = allot__job_at(view->work->state->jobs, job)->queue;
    if (!(view->keeps[job] & ALLOT__KEEP_LISTED)) {
        view->kept_next[job] = view->kept_first[queue];
        view->kept_first[queue] = job;
    }
    view->keeps[job] = ALLOT__KEEP_LISTED | ALLOT__KEEP_NOW;
    view->keepers[queue / 64] |= (uint64_t)1 << queue % 64;
    if (seen(view, queue))
        count_job(view, job, 1);
}

void allot__host_view_unkeep(allot__host_view *view, int32_t job)
{
    view->keeps[job] = ALLOT__KEEP_LISTED;
    if (seen(view, allot__job_at(view->work->state->jobs, job)->queue))
        count_job(view, job, -1);
}
