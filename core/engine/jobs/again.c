/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * again.c: did anything become free as jobs were preempted and one started?
 *
 * On hosts: slots on which no job runs, or a host that an exclusive job closed. Below limits: slots
 * for jobs that start, or for jobs that are resumed, for which suspended jobs do not count. Of
 * resources: what is left. Only where a job was preempted can more be free than before. The job
 * that started may also be a new candidate, for jobs that could not preempt its victims.
 */
#include "engine/jobs/turn.h"
#include "engine/jobs/limits/resource.h"

static int add(allot__turns *turns, allot__turn_mark mark)
{
    allot__turn_mark *at = allot__push(turns->work->plan->engine, &turns->marks, sizeof *at);
    if (at)
        *at = mark;
    return at ? ALLOT_OK : ALLOT_ENOMEM;
}

static allot__turn_mark look(const allot__turns *turns, int kind, int32_t number)
{
    const allot__host_view *view = &turns->out->view;
    const allot__bounds *bounds = &turns->out->bounds;
    allot__turn_mark mark = {.kind = kind, .number = number};
    if (kind == ALLOT__MARK_HOST) {
        mark.before[0] = -(view->free[number] + view->kept[number]);
        mark.before[1] = view->alone[number];
    } else if (kind == ALLOT__MARK_BOUND) {
        const allot__bound *bound = allot__bound_at(bounds, number);
        mark.before[0] = bound->used;
        mark.before[1] = bound->used - bound->asleep;
    } else {
        mark.before[0] = bounds->resources->used[number];
    }
    return mark;
}

static int mark_bounds(allot__turns *turns, int32_t job, int32_t host)
{
    const allot__bounds *bounds = &turns->out->bounds;
    int32_t count;
    const allot__bound_entry *entries = allot__bounds_entries(bounds, job, &count);
    int status = ALLOT_OK;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        bool here = (entries[i].bound < 0) == (host >= 0);
        int32_t bound = !here      ? -1
                        : host < 0 ? entries[i].bound
                                   : allot__bound_find(bounds, &entries[i], host);
        if (bound >= 0)
            status = add(turns, look(turns, ALLOT__MARK_BOUND, bound));
    }
    return status;
}

int allot__again_mark(allot__turns *turns, int32_t number)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    return allot__again_mark_places(turns, number, allot__job_places(job),
                                    allot__job_all_places(job));
}

int allot__again_mark_places(allot__turns *turns, int32_t number, const allot__job_place *places,
                             int32_t count)
{
    int status = mark_bounds(turns, number, -1);
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        int32_t host = allot__host_view_host(&turns->out->view, places[i].site);
        if (host >= 0)
            status = add(turns, look(turns, ALLOT__MARK_HOST, host));
        if (host >= 0 && status == ALLOT_OK)
            status = mark_bounds(turns, number, host);
    }
    int32_t asks = 0;
    const allot_job_resource *has = NULL;
    if (turns->out->bounds.resources)
        has = allot__job_resources(turns->jobs, number, &asks);
    for (int32_t i = 0; i < asks && status == ALLOT_OK; i++)
        status = add(turns, look(turns, ALLOT__MARK_RESOURCE, has[i].resource));
    return status;
}

static bool waits(const allot__turns *turns, int32_t queue)
{
    const allot__turn *turn = turns->of_queue[queue];
    return turn->listed && turn->waiting > 0;
}

/* Do jobs wait in a queue that may preempt one queue and not the other? */
static bool feeds_more(const allot__turns *turns, int32_t queue, int32_t other)
{
    const allot__ranges *high = &turns->work->plan->relation->high;
    allot__differing it = {.from = 0};
    allot__ranges_at(high, queue, &it.a, &it.a_end);
    allot__ranges_at(high, other, &it.b, &it.b_end);
    while (queue != other && allot__differing_next(&it))
        for (int32_t place = it.from; it.in_a && place < it.to; place++)
            if (waits(turns, high->order[place]))
                return true;
    return false;
}

/* A job that started by preemption is a candidate itself, perhaps for waiting jobs that could not
 * preempt its victims. */
static bool feeds(const allot__turns *turns, int32_t job)
{
    const allot_job_order *orders = turns->out->orders.items;
    const allot__job_brief *jobs = turns->jobs->briefs;
    int32_t last = -1;
    for (size_t at = turns->out->orders.count - 1; at-- > 0 && orders[at].preemptor == job;) {
        int32_t low = jobs[orders[at].job].queue;
        if (low != last && feeds_more(turns, jobs[job].queue, low))
            return true;
        last = low;
    }
    return false;
}

void allot__again_look(allot__turns *turns, int32_t job)
{
    const allot__turn_mark *marks = turns->marks.items;
    int64_t freed = 0;
    for (size_t i = 0; i < turns->marks.count; i++) {
        allot__turn_mark now = look(turns, marks[i].kind, marks[i].number);
        int64_t more = marks[i].before[0] - now.before[0];
        freed += more > 0 ? more : 0;
        if (now.before[1] < marks[i].before[1] && marks[i].kind == ALLOT__MARK_HOST)
            freed += turns->out->view.slots[marks[i].number];
        else if (now.before[1] < marks[i].before[1])
            freed++;
    }
    turns->marks.count = 0;
    freed += feeds(turns, job);
    turns->freed += freed;
    turns->again = turns->again || freed > 0;
}
