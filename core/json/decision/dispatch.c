/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* dispatch.c: what a decision says of queues and jobs. */
#include "json/decision/dispatch.h"

#include <string.h>

/* ---- Orders ---------------------------------------------------------------------------------- */

/* What an order is about. */
typedef struct told {
    const allot_decision *decision;
    const allot_plan *plan;
    allot_job_order order;
    allot_job job;
    allot_queue queue;
} told;

static bool tell(allot__writer *out, const allot_decision *decision, int32_t i, told *it)
{
    const allot_state *state = allot_decision_state(decision);
    it->decision = decision;
    it->plan = allot_decision_plan(decision);
    return allot__write_got(out, allot_decision_job_order(decision, i, &it->order)) &&
           allot__write_got(out, allot_state_job_at(state, it->order.job, &it->job)) &&
           allot__write_got(out, allot_plan_queue_at(it->plan, it->job.queue, &it->queue));
}

static void write_places(allot__writer *out, const allot_place *places, int32_t count)
{
    if (count == 0)
        return;
    allot__write_open(out, "hosts", '{');
    for (int32_t i = 0; i < count; i++)
        allot__write_named_integer(out, places[i].name, places[i].slots);
    allot__write_close(out, '}');
}

/* How long it has run in all; not where nobody knows. */
static void write_ran(allot__writer *out, const told *it)
{
    int64_t now = allot_decision_now(it->decision);
    if (it->job.ran >= 0)
        allot__write_integer(out, "ran", it->job.ran);
    else if (it->job.started != INT64_MIN)
        allot__write_integer(out, "ran", it->job.started < now ? now - it->job.started : 0);
}

/* What made it this job that goes: its queue, the other's, and what orders victims. */
static void write_reasons(allot__writer *out, const told *it)
{
    allot_job by;
    allot_queue queue;
    allot__write_integer(out, "queue_priority", it->queue.priority);
    if (it->order.preemptor >= 0 &&
        allot_state_job_at(allot_decision_state(it->decision), it->order.preemptor, &by) ==
            ALLOT_OK &&
        allot_plan_queue_at(it->plan, by.queue, &queue) == ALLOT_OK) {
        int32_t level = allot_plan_preference(it->plan, by.queue, it->job.queue);
        allot__write_integer(out, "by_priority", queue.priority);
        if (level > 0)
            allot__write_integer(out, "preference", level);
    } else if (it->order.closed > 0) {
        allot__write_integer(out, "closed", it->order.closed);
    } else if (it->job.until != INT64_MAX) {
        allot__write_integer(out, "until", it->job.until);
    }
    write_ran(out, it);
}

static void write_why(allot__writer *out, const told *it)
{
    bool goes = it->order.kind == ALLOT_ORDER_SUSPEND || it->order.kind == ALLOT_ORDER_KILL;
    allot__write_open(out, "why", '{');
    allot__write_string(out, "code", it->order.reason);
    if (goes) {
        write_reasons(out, it);
    } else {
        allot__write_integer(out, "queue_priority", it->queue.priority);
        allot__write_integer(out, "priority", it->job.priority);
    }
    allot__write_close(out, '}');
}

/* Of those that go: what becomes of them, and for whom. */
static void write_going(allot__writer *out, const told *it)
{
    const allot_job_order *order = &it->order;
    allot_job by;
    bool known = order->preemptor >= 0 && allot_state_job_at(allot_decision_state(it->decision),
                                                             order->preemptor, &by) == ALLOT_OK;
    allot__write_string(out, "action", allot_action_name((int)order->action));
    allot__write_string(out, "for", known ? by.id : NULL);
    allot__write_integer(out, "preempted", order->preempted);
    if (order->cancelled > 0)
        allot__write_integer(out, "cancelled", order->cancelled);
    if (order->held)
        allot__write_boolean(out, "held", true);
}

static void write_order(allot__writer *out, const told *it)
{
    allot__write_line(out);
    allot__write_open(out, NULL, '{');
    allot__write_string(out, "job", it->job.id);
    allot__write_string(out, "queue", it->queue.name);
    allot__write_integer(out, "slots", it->order.slots);
    write_places(out, it->order.places, it->order.place_count);
    if (it->order.kind == ALLOT_ORDER_SUSPEND || it->order.kind == ALLOT_ORDER_KILL)
        write_going(out, it);
    write_why(out, it);
    allot__write_close(out, '}');
}

void allot__write_orders(allot__writer *out, const allot_decision *decision, allot_order_kind kind)
{
    int32_t count = allot_decision_job_orders(decision);
    for (int32_t i = 0; i < count && out->status == ALLOT_OK; i++) {
        told it;
        if (tell(out, decision, i, &it) && it.order.kind == kind)
            write_order(out, &it);
    }
}

/* ---- Queues and pools ------------------------------------------------------------------------ */

/* How many of a queue's jobs wait, by reason. */
static void write_waits(allot__writer *out, const int32_t *waits)
{
    allot__write_open(out, "waits", '{');
    for (int why = 0; why < ALLOT_PEND_COUNT; why++)
        if (waits[why] > 0)
            allot__write_integer(out, allot_pending_name(why), waits[why]);
    allot__write_close(out, '}');
}

/* By queue and reason. */
static void count_waits(const allot_decision *decision, int32_t (*waits)[ALLOT_PEND_COUNT])
{
    const allot_state *state = allot_decision_state(decision);
    for (int32_t i = 0; i < allot_state_jobs(state); i++) {
        allot_job job;
        allot_pending_of of;
        if (allot_state_job_at(state, i, &job) == ALLOT_OK && job.state == ALLOT_PENDING &&
            allot_decision_pending(decision, i, &of) == ALLOT_OK && of.why != ALLOT_PEND_NOT)
            waits[job.queue][of.why]++;
    }
}

static void write_part(allot__writer *out, const allot_plan *plan, int32_t queue,
                       const allot_queue_part *part, const int32_t *waits)
{
    const struct {
        const char *key;
        int64_t number;
    } numbers[] = {{"pending", part->pending},
                   {"running", part->running},
                   {"suspended", part->suspended},
                   {"pending_jobs", part->pending_jobs},
                   {"running_jobs", part->running_jobs},
                   {"suspended_jobs", part->suspended_jobs},
                   {"started", part->started},
                   {"resumed", part->resumed},
                   {"grown", part->grown},
                   {"preempted", part->preempted}};
    int32_t pool = allot_plan_queue_pool(plan, queue);
    allot_queue of;
    if (allot_plan_queue_at(plan, queue, &of) != ALLOT_OK)
        return;
    allot__write_line(out);
    allot__write_named_open(out, of.name, '{');
    allot__write_integer(out, "priority", of.priority);
    if (pool >= 0) {
        allot__write_string(out, "pool", allot_plan_pool_name(plan, pool));
        allot__write_integer(out, "slice", part->slice);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        allot__write_integer(out, numbers[i].key, numbers[i].number);
    write_waits(out, waits);
    allot__write_close(out, '}');
}

static void write_parts(allot__writer *out, const allot_decision *decision)
{
    const allot_plan *plan = allot_decision_plan(decision);
    allot_engine *engine = allot_plan_engine(plan);
    int32_t(*waits)[ALLOT_PEND_COUNT];
    size_t size = (size_t)allot_plan_queues(plan) * sizeof *waits;
    waits = allot_engine_alloc(engine, NULL, 0, size);
    if (!allot__write_got(out, waits ? ALLOT_OK : ALLOT_ENOMEM))
        return;
    memset(waits, 0, size);
    count_waits(decision, waits);
    allot__write_line(out);
    allot__write_open(out, "queues", '{');
    for (int32_t i = 0; i < allot_plan_queues(plan); i++) {
        allot_queue_part part;
        if (allot__write_got(out, allot_decision_queue(decision, i, &part)))
            write_part(out, plan, i, &part, waits[i]);
    }
    allot__write_close(out, '}');
    allot_engine_alloc(engine, waits, size, 0);
}

static void write_pools(allot__writer *out, const allot_decision *decision)
{
    const allot_plan *plan = allot_decision_plan(decision);
    allot__write_line(out);
    allot__write_open(out, "pools", '{');
    for (int32_t i = 0; i < allot_plan_pools(plan); i++) {
        allot_pool_part part;
        if (!allot__write_got(out, allot_decision_pool(decision, i, &part)))
            return;
        allot__write_named_open(out, allot_plan_pool_name(plan, i), '{');
        allot__write_integer(out, "slots", part.slots);
        allot__write_integer(out, "used", part.used);
        allot__write_integer(out, "free", part.free);
        allot__write_close(out, '}');
    }
    allot__write_close(out, '}');
}

/* Of queues of pools, and of others that were used; `rests`: millionths, where there are any. */
static void write_usage(allot__writer *out, const allot_decision *decision, bool rests)
{
    const allot_plan *plan = allot_decision_plan(decision);
    allot__write_open(out, rests ? "usage_rest" : "usage", '{');
    for (int32_t i = 0; i < allot_plan_queues(plan); i++) {
        allot_queue_part part;
        allot_queue queue;
        if (!allot__write_got(out, allot_decision_queue(decision, i, &part)) ||
            !allot__write_got(out, allot_plan_queue_at(plan, i, &queue)))
            return;
        bool some = part.usage != 0 || part.usage_millionths != 0;
        if (rests && part.usage_millionths != 0)
            allot__write_named_integer(out, queue.name, part.usage_millionths);
        else if (!rests && (some || allot_plan_queue_pool(plan, i) >= 0))
            allot__write_named_integer(out, queue.name, part.usage);
    }
    allot__write_close(out, '}');
}

static void write_preempted_at(allot__writer *out, const allot_decision *decision)
{
    const allot_plan *plan = allot_decision_plan(decision);
    int32_t count = allot_plan_resources(plan);
    if (count == 0)
        return;
    allot__write_open(out, "resources_preempted_at", '{');
    for (int32_t i = 0; i < count; i++) {
        allot_resource resource;
        int64_t when;
        if (allot_plan_resource_at(plan, i, &resource) == ALLOT_OK &&
            allot_decision_resource_preempted(decision, i, &when) == ALLOT_OK)
            allot__write_named_integer(out, resource.name, when);
    }
    allot__write_close(out, '}');
}

void allot__write_queues(allot__writer *out, const allot_decision *decision)
{
    if (allot_plan_queues(allot_decision_plan(decision)) == 0)
        return;
    allot__write_line(out);
    allot__write_open(out, "resizes", '[');
    allot__write_orders(out, decision, ALLOT_ORDER_RESIZE);
    allot__write_close(out, ']');
    write_parts(out, decision);
    write_pools(out, decision);
    allot__write_line(out);
    write_usage(out, decision, false);
    allot__write_integer(out, "usage_at", allot_decision_now(decision));
    write_usage(out, decision, true);
    write_preempted_at(out, decision);
}

/* ---- Contracts ------------------------------------------------------------------------------- */

static void write_side(allot__writer *out, const char *key, const allot_lease_side *side)
{
    allot__write_open(out, key, '{');
    allot__write_integer(out, "available", side->available);
    allot__write_integer(out, "used", side->used);
    allot__write_integer(out, "idle", side->available - side->used);
    if (side->demand >= 0)
        allot__write_integer(out, "demand", side->demand);
    allot__write_close(out, '}');
}

static bool is_one_of(const char *word, const char *const words[])
{
    while (*words && strcmp(word, *words) != 0)
        words++;
    return *words != NULL;
}

/* Of a contract that was looked at (L-6): what was idle then, and whose it was to be. */
static void write_lease_why(allot__writer *out, const allot_lease_part *part)
{
    static const char *const looked_at[] = {"provider-idle", "consumer-idle", "equal", "policy",
                                            "none-idle",     "no-demand",     NULL};
    static const char *const nothing[] = {"none-idle", "no-demand", NULL};
    const allot_lease_side *provider = &part->now.provider, *consumer = &part->now.consumer;
    int64_t went = part->to_consumer ? part->moved : -part->moved;
    allot__write_open(out, "why", '{');
    allot__write_string(out, "code", part->reason);
    if (is_one_of(part->reason, looked_at)) {
        allot__write_integer(out, "provider_idle", provider->available - provider->used + went);
        allot__write_integer(out, "consumer_idle", consumer->available - consumer->used - went);
    }
    if (is_one_of(part->reason, nothing))
        allot__write_string(out, "to", part->to_consumer ? "consumer" : "provider");
    allot__write_close(out, '}');
}

static void write_lease(allot__writer *out, const char *name, const allot_lease_part *part)
{
    allot__write_line(out);
    allot__write_named_open(out, name, '{');
    write_side(out, "provider", &part->now.provider);
    write_side(out, "consumer", &part->now.consumer);
    allot__write_string(out, "phase", allot_lease_phase_name((int)part->now.phase));
    allot__write_integer(out, "since", part->now.since);
    allot__write_integer(out, "size", part->size);
    allot__write_integer(out, "moved", part->moved);
    if (part->moved > 0)
        allot__write_string(out, "to", part->to_consumer ? "consumer" : "provider");
    write_places(out, part->places, part->place_count);
    write_lease_why(out, part);
    allot__write_close(out, '}');
}

void allot__write_leases(allot__writer *out, const allot_decision *decision)
{
    const allot_plan *plan = allot_decision_plan(decision);
    if (allot_plan_leases(plan) > 0)
        allot__write_line(out);
    allot__write_open(out, "leases", '{');
    for (int32_t i = 0; i < allot_plan_leases(plan); i++) {
        allot_lease_part part;
        allot_lease lease;
        if (allot__write_got(out, allot_plan_lease_at(plan, i, &lease)) &&
            allot__write_got(out, allot_decision_lease(decision, i, &part)))
            write_lease(out, lease.name, &part);
    }
    allot__write_close(out, '}');
}
