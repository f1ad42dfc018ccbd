/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* order.c: records orders to jobs, and applies them to hosts and limits. */
#include "engine/jobs/turn.h"

static int64_t sum_of(const allot__job_place *places, int32_t count)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < count; i++)
        sum += places[i].slots;
    return sum;
}

static allot_place place_at(const allot__turns *turns, const allot__job_place *place)
{
    int32_t planned = (int32_t)turns->work->plan->hosts.list.count;
    return (allot_place){.host = place->site < planned ? place->site : ~(place->site - planned),
                         .name = turns->work->state->tasks.sites[place->site].name,
                         .slots = place->slots};
}

int32_t allot__order_places(const allot__work *work, const allot_job_order *order,
                            const allot_place *places, allot__job_place *room,
                            const allot__job_place **out)
{
    const allot__jobs *jobs = work->state->jobs;
    const allot__job *job = allot__job_at(jobs, order->job);
    if (order->kind == ALLOT_ORDER_RESUME) {
        *out = allot__job_places(job);
        return job->place_count;
    }
    for (int32_t i = 0; i < order->place_count; i++)
        room[i] = (allot__job_place){.site = allot__place_site(work->plan, &places[i]),
                                     .slots = (int32_t)places[i].slots};
    if (order->place_count == 0)
        room[0] = (allot__job_place){.site = -1, .slots = (int32_t)order->slots};
    *out = room;
    return order->place_count > 0 ? order->place_count : 1;
}

/* Records an order; its `places` is set at the end (walk.c), when the list of places is final. */
static int give(allot__turns *turns, allot_job_order order, const allot__job_place *places,
                int32_t count)
{
    allot__dispatched *out = turns->out;
    allot_engine *engine = turns->work->plan->engine;
    allot_job_order *given = allot__push(engine, &out->orders, sizeof *given);
    if (!given)
        return ALLOT_ENOMEM;
    order.place_count = count > 0 && places[0].site < 0 ? 0 : count;
    for (int32_t i = 0; i < order.place_count; i++) {
        allot_place *place = allot__push(engine, &out->places, sizeof *place);
        if (!place)
            return ALLOT_ENOMEM;
        *place = place_at(turns, &places[i]);
    }
    *given = order;
    allot__job_verdict *verdict = &out->jobs[order.job];
    verdict->order = verdict->order < 0 ? (int32_t)out->orders.count - 1 : verdict->order;
    turns->fresh[turns->jobs->briefs[order.job].queue] += order.kind <= ALLOT_ORDER_RESIZE;
    return ALLOT_OK;
}

void allot__turn_use(allot__turns *turns, int32_t queue, int64_t slots)
{
    int32_t pool = allot__turn_pool(turns, queue);
    turns->out->used[queue] += slots;
    if (pool >= 0)
        turns->held[pool] += slots;
}

/* Counts slots that a queue's job got in this cycle. */
static void count_taken(allot__turns *turns, int32_t queue, int64_t slots)
{
    int32_t pool = allot__turn_pool(turns, queue);
    turns->taken += slots;
    if (pool >= 0)
        turns->own[pool] += slots;
}

/* Updates the queue's sums and the job's state. */
static void count_effect(allot__turns *turns, allot_order_kind kind, int32_t number, int64_t slots)
{
    const allot__job_brief *job = &turns->jobs->briefs[number];
    allot_queue_part *part = &turns->out->parts[job->queue];
    int64_t *sums[] = {&part->started, &part->resumed, &part->grown};
    uint8_t before = kind == ALLOT_ORDER_START ? ALLOT_PENDING : ALLOT_SUSPENDED;
    *sums[kind] += slots;
    if (kind == ALLOT_ORDER_RESIZE)
        turns->grown[number] = slots > 0;
    else
        turns->states[number] = slots > 0 ? ALLOT_RUNNING : before;
    turns->out->jobs[number].now = turns->states[number];
    turns->pending[job->queue] -= kind == ALLOT_ORDER_START ? slots : 0;
    if (kind != ALLOT_ORDER_RESUME)
        allot__turn_use(turns, job->queue, slots);
    count_taken(turns, job->queue, slots);
}

int allot__order_effect(allot__turns *turns, allot_order_kind kind, int32_t number,
                        const allot__job_place *places, int32_t count, int32_t sign)
{
    int status = allot__bounds_change(&turns->out->bounds, number, kind, places, count, sign);
    if (status != ALLOT_OK)
        return status;
    allot__host_view_order(&turns->out->view, kind, number, places, count, sign);
    count_effect(turns, kind, number, sign * sum_of(places, count));
    return ALLOT_OK;
}

/* Applies an order and records it. */
static int bring(allot__turns *turns, allot_order_kind kind, int32_t number,
                 const allot__job_place *places, int32_t count, const char *reason)
{
    int status = allot__order_effect(turns, kind, number, places, count, 1);
    if (status != ALLOT_OK)
        return status;
    return give(turns,
                (allot_job_order){.kind = kind,
                                  .job = number,
                                  .slots = sum_of(places, count),
                                  .preemptor = -1,
                                  .preempted = allot__job_at(turns->jobs, number)->preempted,
                                  .reason = reason},
                places, count);
}

int allot__order_start(allot__turns *turns, int32_t number, const char *reason)
{
    return bring(turns, ALLOT_ORDER_START, number, turns->places, turns->place_count, reason);
}

int allot__order_resume(allot__turns *turns, int32_t number, const char *reason)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    bool went = job->state == ALLOT_RUNNING; /* ... in this cycle: both orders are taken back */
    turns->cancels = turns->cancels || went;
    return bring(turns, ALLOT_ORDER_RESUME, number, allot__job_places(job), job->place_count,
                 reason);
}

int allot__order_grow(allot__turns *turns, int32_t number)
{
    if (turns->out->searched)
        allot__candidates_drop(&turns->out->candidates, number, ALLOT__INELIGIBLE_TAKEN);
    return bring(turns, ALLOT_ORDER_RESIZE, number, turns->places, turns->place_count, "free");
}

/* A killed job does not wait: it has ended. */
static uint8_t state_after(allot_action action)
{
    if (!allot__action_ends(action))
        return ALLOT_SUSPENDED;
    return action == ALLOT_REQUEUE ? ALLOT_PENDING : ALLOT_JOB_STATE_COUNT;
}

int allot__order_stop(allot__turns *turns, const allot__stop *stop)
{
    int32_t number = stop->job;
    allot_action action = stop->action;
    bool ends = allot__action_ends(action);
    const allot__job *job = allot__job_at(turns->jobs, number);
    int64_t cancelled = allot__job_all_slots(job) - job->slots;
    int64_t slots = job->slots + cancelled;
    if (!stop->held) {
        turns->out->jobs[number].now = state_after(action);
        turns->states[number] = ends ? ALLOT_JOB_STATE_COUNT : ALLOT_SUSPENDED;
        turns->of_queue[job->queue]->anew = true;
        turns->out->parts[job->queue].preempted += slots;
        allot__turn_use(turns, job->queue, ends ? -slots : -cancelled);
        if (turns->out->searched)
            allot__candidates_drop(&turns->out->candidates, number, ALLOT__INELIGIBLE_TAKEN);
    }
    bool counts = stop->preemptor >= 0 && !stop->held; /* */
    return give(turns,
                (allot_job_order){.kind = ends ? ALLOT_ORDER_KILL : ALLOT_ORDER_SUSPEND,
                                  .job = number,
                                  .slots = slots,
                                  .action = action,
                                  .preemptor = stop->preemptor,
                                  .cancelled = cancelled,
                                  .preempted = job->preempted + counts,
                                  .held = stop->held,
                                  .closed = stop->closed,
                                  .reason = stop->reason},
                allot__job_places(job), job->place_count);
}
