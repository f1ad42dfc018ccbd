/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* dispatch.c: queues and jobs of a decision. */
#include "json/decision/decision.h"

#include <string.h>

/* ---- Numbers, hosts -------------------------------------------------------------------------- */

void allot__write_places(allot__text *out, const allot_place *places, int32_t count)
{
    if (count == 0)
        return;
    allot__text_open(out, "hosts", "{");
    for (int32_t i = 0; i < count; i++)
        allot__text_named_number(out, places[i].name, places[i].slots);
    allot__text_puts(out, "}");
}

/* ---- Orders ---------------------------------------------------------------------------------- */

/* An order with its job and queue. */
typedef struct told {
    const allot_decision *decision;
    const allot_plan *plan;
    allot_job_order order;
    allot_job job;
    allot_queue queue;
} told;

static bool tell(allot__page *page, int32_t i, told *it)
{
    allot__text *out = &page->out;
    it->decision = page->decision;
    it->plan = page->plan;
    return allot__text_got(out, allot_decision_job_order(page->decision, i, &it->order)) &&
           allot__text_got(out, allot_state_job_at(page->state, it->order.job, &it->job)) &&
           allot__text_got(out, allot_plan_queue_at(it->plan, it->job.queue, &it->queue));
}

/* How long the job has run in all, if known. */
static void write_ran(allot__text *out, const told *it)
{
    int64_t now = allot_decision_now(it->decision);
    if (it->job.ran >= 0)
        allot__text_number(out, "ran", it->job.ran);
    else if (it->job.started != INT64_MIN)
        allot__text_number(out, "ran", it->job.started < now ? now - it->job.started : 0);
}

/* Why this job goes: its queue, the preemptor's, and the keys that order victims. */
static void write_reasons(allot__text *out, const told *it)
{
    allot_job by;
    allot_queue queue;
    allot__text_number(out, "queue_priority", it->queue.priority);
    if (it->order.preemptor >= 0 &&
        allot_state_job_at(allot_decision_state(it->decision), it->order.preemptor, &by) ==
            ALLOT_OK &&
        allot_plan_queue_at(it->plan, by.queue, &queue) == ALLOT_OK) {
        int32_t level = allot_plan_preference(it->plan, by.queue, it->job.queue);
        allot__text_number(out, "by_priority", queue.priority);
        if (level > 0)
            allot__text_number(out, "preference", level);
    } else if (it->order.closed > 0) {
        allot__text_number(out, "closed", it->order.closed);
    } else if (it->job.until != INT64_MAX) {
        allot__text_number(out, "until", it->job.until);
    }
    write_ran(out, it);
}

static void write_why(allot__text *out, const told *it)
{
    bool goes = it->order.kind == ALLOT_ORDER_SUSPEND || it->order.kind == ALLOT_ORDER_KILL;
    allot__text_open(out, "why", "{");
    allot__text_string(out, "code", it->order.reason);
    if (goes)
        write_reasons(out, it);
    else
        ALLOT__MEMBERS(out, "queue_priority priority", it->queue.priority, it->job.priority);
    allot__text_puts(out, "}");
}

/* Of a job that goes: the action, and the preemptor. */
static void write_going(allot__text *out, const told *it)
{
    const allot_job_order *order = &it->order;
    allot_job by;
    bool known = order->preemptor >= 0 && allot_state_job_at(allot_decision_state(it->decision),
                                                             order->preemptor, &by) == ALLOT_OK;
    allot__text_string(out, "action", allot_action_name((int)order->action));
    allot__text_string(out, "for", known ? by.id : NULL);
    allot__text_number(out, "preempted", order->preempted);
    if (order->cancelled > 0)
        allot__text_number(out, "cancelled", order->cancelled);
    if (order->held)
        allot__text_bool(out, "held", true);
}

static void write_order(allot__text *out, const told *it)
{
    allot__text_line(out);
    allot__text_open(out, NULL, "{");
    ALLOT__MEMBERS(out, "job queue slots", it->job.id, it->queue.name, it->order.slots);
    allot__write_places(out, it->order.places, it->order.place_count);
    if (it->order.kind == ALLOT_ORDER_SUSPEND || it->order.kind == ALLOT_ORDER_KILL)
        write_going(out, it);
    write_why(out, it);
    allot__text_puts(out, "}");
}

void allot__write_orders(allot__page *page, allot_order_kind kind)
{
    int32_t count = allot_decision_job_orders(page->decision);
    for (int32_t i = 0; i < count && !page->out.failed; i++) {
        told it;
        if (tell(page, i, &it) && it.order.kind == kind)
            write_order(&page->out, &it);
    }
}

/* ---- Queues and pools ------------------------------------------------------------------------ */

/* The number of a queue's waiting jobs, by reason. */
static void write_waits(allot__text *out, const int32_t *waits)
{
    allot__text_open(out, "waits", "{");
    for (int why = 0; why < ALLOT_PEND_COUNT; why++)
        if (waits[why] > 0)
            allot__text_number(out, allot_pending_name(why), waits[why]);
    allot__text_puts(out, "}");
}

/* By queue and reason. */
static void count_waits(const allot__page *page, int32_t (*waits)[ALLOT_PEND_COUNT])
{
    for (int32_t i = 0; i < allot_state_jobs(page->state); i++) {
        allot_job job;
        allot_pending_of of;
        if (allot_state_job_at(page->state, i, &job) == ALLOT_OK && job.state == ALLOT_PENDING &&
            allot_decision_pending(page->decision, i, &of) == ALLOT_OK && of.why != ALLOT_PEND_NOT)
            waits[job.queue][of.why]++;
    }
}

static void write_part(allot__page *page, int32_t queue, const int32_t *waits)
{
#define OF(member) ALLOT__NUMBER_OF(allot_queue_part, member)
    static const allot__number numbers[] = {
        OF(pending),        OF(running), OF(suspended), OF(pending_jobs), OF(running_jobs),
        OF(suspended_jobs), OF(started), OF(resumed),   OF(grown),        OF(preempted)};
#undef OF
    allot__text *out = &page->out;
    int32_t pool = allot_plan_queue_pool(page->plan, queue);
    allot_queue_part part;
    allot_queue of;
    if (!allot__text_got(out, allot_decision_queue(page->decision, queue, &part)) ||
        !allot__text_got(out, allot_plan_queue_at(page->plan, queue, &of)))
        return;
    allot__text_line(out);
    allot__text_open(out, of.name, "{");
    allot__text_number(out, "priority", of.priority);
    if (pool >= 0)
        ALLOT__MEMBERS(out, "pool slice", allot_plan_pool_name(page->plan, pool), part.slice);
    allot__text_numbers(out, numbers, sizeof numbers / sizeof *numbers, &part);
    write_waits(out, waits);
    allot__text_puts(out, "}");
}

static void write_parts(allot__page *page)
{
    allot_engine *engine = allot_plan_engine(page->plan);
    int32_t(*waits)[ALLOT_PEND_COUNT];
    size_t size = (size_t)allot_plan_queues(page->plan) * sizeof *waits;
    waits = allot_engine_alloc(engine, NULL, 0, size);
    if (!allot__text_got(&page->out, waits ? ALLOT_OK : ALLOT_ENOMEM))
        return;
    memset(waits, 0, size);
    count_waits(page, waits);
    allot__text_line(&page->out);
    allot__text_open(&page->out, "queues", "{");
    for (int32_t i = 0; i < allot_plan_queues(page->plan); i++)
        write_part(page, i, waits[i]);
    allot__text_puts(&page->out, "}");
    allot_engine_alloc(engine, waits, size, 0);
}

static void write_pools(allot__page *page)
{
    allot__text *out = &page->out;
    allot__text_line(out);
    allot__text_open(out, "pools", "{");
    for (int32_t i = 0; i < allot_plan_pools(page->plan); i++) {
        allot_pool_part part;
        if (!allot__text_got(out, allot_decision_pool(page->decision, i, &part)))
            return;
        ALLOT__OBJECT(out, allot_plan_pool_name(page->plan, i), "slots used free", part.slots,
                      part.used, part.free);
    }
    allot__text_puts(out, "}");
}

/* The use of queues in pools, and of others with use; `rests`: their millionths, if any. */
static void write_usage(allot__page *page, bool rests)
{
    allot__text *out = &page->out;
    allot__text_open(out, rests ? "usage_rest" : "usage", "{");
    for (int32_t i = 0; i < allot_plan_queues(page->plan); i++) {
        allot_queue_part part;
        allot_queue queue;
        if (!allot__text_got(out, allot_decision_queue(page->decision, i, &part)) ||
            !allot__text_got(out, allot_plan_queue_at(page->plan, i, &queue)))
            return;
        bool some = part.usage != 0 || part.usage_millionths != 0;
        if (rests && part.usage_millionths != 0)
            allot__text_number(out, queue.name, part.usage_millionths);
        else if (!rests && (some || allot_plan_queue_pool(page->plan, i) >= 0))
            allot__text_number(out, queue.name, part.usage);
    }
    allot__text_puts(out, "}");
}

/* The use of users; most plans do not count it. */
static void write_users(allot__page *page)
{
    allot__text *out = &page->out;
    bool open = false;
    for (int32_t i = 0; i < allot_decision_users(page->decision); i++) {
        allot_user_part user;
        if (allot_decision_user(page->decision, i, &user) != ALLOT_OK)
            continue;
        if (!open)
            allot__text_open(out, "users", "{");
        open = true;
        allot__text_named(out, user.name);
        allot__text_puts(out, "{");
        allot__text_number(out, "usage", user.usage);
        if (user.usage_millionths != 0)
            allot__text_number(out, "usage_rest", user.usage_millionths);
        allot__text_puts(out, "}");
    }
    if (open)
        allot__text_puts(out, "}");
}

static void write_preempted_at(allot__page *page)
{
    allot__text *out = &page->out;
    int32_t count = allot_plan_resources(page->plan);
    if (count == 0)
        return;
    allot__text_open(out, "resources_preempted_at", "{");
    for (int32_t i = 0; i < count; i++) {
        allot_resource resource;
        int64_t when;
        if (allot_plan_resource_at(page->plan, i, &resource) == ALLOT_OK &&
            allot_decision_resource_preempted(page->decision, i, &when) == ALLOT_OK)
            allot__text_named_number(out, resource.name, when);
    }
    allot__text_puts(out, "}");
}

void allot__write_queues(allot__page *page)
{
    if (allot_plan_queues(page->plan) == 0)
        return;
    allot__text_line(&page->out);
    allot__text_open(&page->out, "resizes", "[");
    allot__write_orders(page, ALLOT_ORDER_RESIZE);
    allot__text_puts(&page->out, "]");
    write_parts(page);
    write_pools(page);
    allot__text_line(&page->out);
    write_usage(page, false);
    allot__text_number(&page->out, "usage_at", allot_decision_now(page->decision));
    write_usage(page, true);
    write_users(page);
    write_preempted_at(page);
}

/* ---- Contracts ------------------------------------------------------------------------------- */

static void write_side(allot__text *out, const char *key, const allot_lease_side *side)
{
    allot__text_open(out, key, "{");
    ALLOT__MEMBERS(out, "available used idle", side->available, side->used,
                   side->available - side->used);
    if (side->demand >= 0)
        allot__text_number(out, "demand", side->demand);
    allot__text_puts(out, "}");
}

static bool is_one_of(const char *word, const char *const words[])
{
    while (*words && strcmp(word, *words) != 0)
        words++;
    return *words != NULL;
}

/* Of an evaluated contract (L-6): both sides' idle slots, and the side that should get them. */
static void write_lease_why(allot__text *out, const allot_lease_part *part)
{
    static const char *const looked_at[] = {"provider-idle", "consumer-idle", "equal", "policy",
                                            "none-idle",     "no-demand",     NULL};
    static const char *const nothing[] = {"none-idle", "no-demand", NULL};
    const allot_lease_side *provider = &part->now.provider, *consumer = &part->now.consumer;
    int64_t went = part->to_consumer ? part->moved : -part->moved;
    allot__text_open(out, "why", "{");
    allot__text_string(out, "code", part->reason);
    if (is_one_of(part->reason, looked_at)) {
        ALLOT__MEMBERS(out, "provider_idle consumer_idle",
                       provider->available - provider->used + went,
                       consumer->available - consumer->used - went);
    }
    if (is_one_of(part->reason, nothing))
        allot__text_string(out, "to", part->to_consumer ? "consumer" : "provider");
    allot__text_puts(out, "}");
}

static void write_lease(allot__text *out, const char *name, const allot_lease_part *part)
{
    allot__text_line(out);
    allot__text_named(out, name);
    allot__text_puts(out, "{");
    write_side(out, "provider", &part->now.provider);
    write_side(out, "consumer", &part->now.consumer);
    ALLOT__MEMBERS(out, "phase since size moved", allot_lease_phase_name((int)part->now.phase),
                   part->now.since, part->size, part->moved);
    if (part->moved > 0)
        allot__text_string(out, "to", part->to_consumer ? "consumer" : "provider");
    allot__write_places(out, part->places, part->place_count);
    write_lease_why(out, part);
    allot__text_puts(out, "}");
}

void allot__write_leases(allot__page *page)
{
    allot__text *out = &page->out;
    if (allot_plan_leases(page->plan) > 0)
        allot__text_line(out);
    allot__text_open(out, "leases", "{");
    for (int32_t i = 0; i < allot_plan_leases(page->plan); i++) {
        allot_lease_part part;
        allot_lease lease;
        if (allot__text_got(out, allot_plan_lease_at(page->plan, i, &lease)) &&
            allot__text_got(out, allot_decision_lease(page->decision, i, &part)))
            write_lease(out, lease.name, &part);
    }
    allot__text_puts(out, "}");
}
