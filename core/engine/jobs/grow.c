/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* grow.c: running jobs that want more slots get free ones (P-50). */
#include "base/least.h"
#include "engine/jobs/turn.h"

/* How many slots more a job may have below limits that are of no host: a search, as these are asked
 * about one number. Its pool lets it have what is left of the slice. */
static int32_t allowed(const allot__turns *turns, int32_t number)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    int32_t pool = allot__turn_pool(turns, job->queue), low = 0, high = job->grow, binding;
    if (pool >= 0) {
        int64_t slice = turns->out->cuts[job->queue].may - turns->out->used[job->queue];
        slice = allot__least(slice, allot__pool_left(turns, pool));
        high = (int32_t)allot__least(high, slice > 0 ? slice : 0);
    }
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2;
        if (allot__bounds_allow(&turns->out->bounds, number, middle, &binding))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* What the job may have of a host; its own hosts are closed to others if it is exclusive. */
static int32_t put_on(allot__turns *turns, int32_t number, int32_t host, int32_t most)
{
    allot__host_view *view = &turns->out->view;
    int64_t free = allot__least(view->free[host], most);
    if (free <= 0)
        return 0;
    int32_t binding;
    int32_t slots =
        allot__bounds_on_host(&turns->out->bounds, number, host, (int32_t)free, &binding);
    if (slots <= 0)
        return 0;
    allot__bounds_try(&turns->out->bounds, number, host, slots);
    turns->places[turns->place_count++] =
        (allot__job_place){.site = view->site[host], .slots = slots};
    return slots;
}

/* Its own hosts in the view's order, whatever the state's; how many. */
static int32_t own_hosts(const allot__turns *turns, const allot__job *job, int32_t *hosts)
{
    const allot__job_place *places = allot__job_places(turns->jobs, job);
    int32_t count = 0;
    for (int32_t i = 0; i < job->place_count; i++) {
        int32_t host = allot__host_view_host(&turns->out->view, places[i].site);
        hosts[count] = host;
        count += host >= 0;
    }
    allot__sort_numbers(hosts, count);
    return count;
}

/* On hosts that it runs on first, then on others, both in their order. */
static int32_t put(allot__turns *turns, int32_t number, int32_t most)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    const allot__host_view *view = &turns->out->view;
    bool exclusive = (job->flags & ALLOT_JOB_EXCLUSIVE) != 0;
    int32_t set = turns->queues->set_of[job->queue], left = most;
    int32_t *own = turns->hosts, count = most > 0 ? own_hosts(turns, job, own) : 0, behind = 0;
    allot__missed *known = allot__fit_known(turns, number);
    int32_t from = known->from_gains == view->gains ? known->from : 0;
    turns->place_count = 0;
    for (int32_t i = 0; i < count && left > 0; i++)
        if (allot__host_view_open(view, own[i]) || exclusive)
            left -= put_on(turns, number, own[i], left);
    for (int32_t host = allot__host_view_next(view, set, from); host >= 0 && left > 0;
         host = allot__host_view_next(view, set, host + 1)) {
        while (behind < count && own[behind] < host)
            behind++;
        bool runs = behind < count && own[behind] == host;
        if (!runs && (!exclusive || allot__host_view_empty(view, host)))
            left -= put_on(turns, number, host, left);
    }
    if (most > 0 && turns->place_count == 0) {
        known->from = view->count;
        known->from_gains = view->gains;
    }
    allot__bounds_tried(&turns->out->bounds, number);
    return most - left;
}

static int grow(allot__turns *turns, int32_t number)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    if (job->state != ALLOT_RUNNING || job->grow <= 0 || job->notifying ||
        turns->states[number] != ALLOT_RUNNING || turns->grown[number])
        return ALLOT_OK;
    int32_t slots = put(turns, number, allowed(turns, number));
    return slots > 0 ? allot__order_grow(turns, number) : ALLOT_OK;
}

int allot__turn_grow(allot__turns *turns, int32_t queue)
{
    int status = ALLOT_OK;
    allot__host_view_as(&turns->out->view, queue);
    for (int32_t i = turns->jobs->first[queue];
         i < turns->jobs->first[queue + 1] && status == ALLOT_OK; i++)
        status = grow(turns, turns->jobs->by_queue[i]);
    return status;
}
