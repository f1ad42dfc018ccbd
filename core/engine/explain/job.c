/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job.c: why a job waits, runs or is preempted: what it is, and the chapters that apply. */
#include <string.h>

#include "engine/explain/job.h"

/* ---- Its turn -------------------------------------------------------------------------------- */

static void count(allot__job_tally *to, int32_t slots, bool served)
{
    to->jobs++;
    to->slots += slots;
    to->served += served;
    to->got += served ? slots : 0;
}

/* Its turn, and jobs of its queue that came behind it and fit although it does not. */
static void explain_turn(const allot__job_explanation *it)
{
    int32_t tried = it->out->tried_count, turn = tried + 1;
    allot__job_tally behind = {0};
    for (int32_t i = 0; i < tried; i++) {
        int32_t number = it->out->tried[i];
        const allot__job *job = allot__explain_job(it, number);
        bool served = it->out->jobs[number].now == ALLOT_RUNNING;
        if (number == it->number && turn > tried)
            turn = i + 1;
        else if (turn > tried)
            count(&it->before[job->queue], job->slots, served);
        else if (served && job->queue == it->job->queue)
            count(&behind, job->slots, served);
    }
    bool alone = it->queues->pool_of[it->job->queue] >= 0 || it->queue->fairshare != 0;
    bool across = it->about.rules->policy->switches[ALLOT_SWITCH_TOGETHER] && !alone;
    FACTS(&it->about, "turn tried behind behind_slots across?", turn, tried, behind.served,
          behind.got, across);
}

/* ---- What it is, and gets -------------------------------------------------------------------- */

/* The list "places" of the first hosts, and how many there are. */
static void put_places(const allot__job_explanation *it, const allot_place *places, int32_t count)
{
    allot__facts_places(&it->about, "places", places, count, ALLOT__EXPLAIN_NAMED);
    FACTS(&it->about, "hosts", count);
}

/* Where the job is in the state. */
static void put_here(const allot__job_explanation *it)
{
    allot_place places[ALLOT__EXPLAIN_NAMED];
    const allot__job_place *from = allot__job_places(it->job);
    int32_t count = it->job->place_count == 0 || from[0].site < 0 ? 0 : it->job->place_count;
    for (int32_t i = 0; i < count && i < ALLOT__EXPLAIN_NAMED; i++) {
        const allot__site *site = &it->about.work->state->tasks.sites[from[i].site];
        places[i] = (allot_place){.name = site->name, .slots = from[i].slots};
    }
    put_places(it, places, count);
}

/* What its user has used, if the policy reads that (C-14). */
static void explain_use(const allot__job_explanation *it)
{
    const allot__work *work = it->about.work;
    int32_t user = it->job->user;
    const allot_decay *decay = &it->about.work->plan->fades->by;
    if (user < 0 || user >= work->user_count ||
        !allot__policy_reads_task(it->about.rules->policy, ALLOT_TASK_USAGE))
        return;
    allot__facts_open(&it->about, "usage", "{");
    FACTS(&it->about, "slot_seconds period parts slots", work->user_usage[user].slot_seconds,
          decay->period, decay->parts, allot__user_use_of(work->state, user)->slots);
    allot__facts_end(&it->about, "}");
}

static void explain_what(const allot__job_explanation *it)
{
    const allot__explanation *about = &it->about;
    bool waits = it->job->state == ALLOT_PENDING;
    int64_t from = waits ? it->job->submitted : it->job->started;
    FACTS(about, "id", it->job->thing.id);
    allot__fact_queue(it, it->job->queue);
    FACTS(about, "user state slots", allot__job_user(about->work->state, it->job->user),
          allot_job_state_name(it->job->state), it->job->slots);
    put_here(it);
    if (from != INT64_MIN && (waits || it->job->state == ALLOT_RUNNING))
        FACTS(about, "since", allot__ran(about->work->state->now, from));
    FACTS(about, "exclusive?", (it->job->flags & ALLOT_JOB_EXCLUSIVE) != 0);
    explain_use(it);
    allot__explain_resources(it);
}

/* Its victims; `held`: those that are notified of new slots first. */
static void put_victims(const allot__job_explanation *it, bool held)
{
    const allot_job_order *orders = it->out->orders.items;
    allot__facts_open(&it->about, "victims", "[");
    for (size_t i = 0; i < it->out->orders.count; i++) {
        const allot__job *other = allot__explain_job(it, orders[i].job);
        bool goes = orders[i].kind == ALLOT_ORDER_SUSPEND || orders[i].kind == ALLOT_ORDER_KILL;
        if (orders[i].preemptor != it->number || (orders[i].held != 0) != held || !(goes || held))
            continue;
        allot__facts_open(&it->about, NULL, "{");
        FACTS(&it->about, "id", other->thing.id);
        allot__fact_queue(it, other->queue);
        FACTS(&it->about, "action", allot_action_name((int)orders[i].action));
        put_places(it, orders[i].places, orders[i].place_count);
        FACTS(&it->about, "slots", orders[i].slots);
        allot__facts_end(&it->about, "}");
    }
    allot__facts_end(&it->about, "]");
}

/* ---- Reservations ---------------------------------------------------------------------------- */

static bool has_reserved(const allot__job_explanation *it, int32_t job)
{
    return it->out->reserved && it->out->reserved[job].at != INT64_MAX;
}

/* A job that waits, and from when on it has its slots reserved, if it has. */
static void put_reserved(const allot__job_explanation *it, const char *name, int32_t number)
{
    const allot__job *job = allot__explain_job(it, number);
    allot__facts_open(&it->about, name, "{");
    bool has = has_reserved(it, number);
    FACTS(&it->about, "id slots exclusive?", job->thing.id,
          has ? it->out->reserved[number].slots : job->slots,
          (job->flags & ALLOT_JOB_EXCLUSIVE) != 0);
    if (has)
        FACTS(&it->about, "at after", it->out->reserved[number].at,
              it->out->reserved[number].at - it->about.work->state->now);
    allot__facts_end(&it->about, "}");
}

/* What it starts before, as it delays no reservation. */
static void explain_backfill(const allot__job_explanation *it)
{
    int32_t i = 0;
    while (i < it->out->tried_count && !has_reserved(it, it->out->tried[i]))
        i++;
    if (i < it->out->tried_count)
        put_reserved(it, "before", it->out->tried[i]);
    if (it->job->run_limit != ALLOT_NONE)
        FACTS(&it->about, "run_limit", it->job->run_limit);
}

/* What keeps it behind the other job. */
static void explain_behind(const allot__job_explanation *it)
{
    static const char *const words[] = {[ALLOT__BEHIND_SLOTS] = "slots",
                                        [ALLOT__BEHIND_LIMIT] = "limit",
                                        [ALLOT__BEHIND_RESOURCE] = "resource",
                                        [ALLOT__BEHIND_POOL] = "pool",
                                        [ALLOT__BEHIND_VICTIMS] = "victims"};
    const allot__reserved *of = &it->out->reserved[it->number];
    const allot__bounds *bounds = &it->out->bounds;
    const char *name = NULL;
    allot_resource resource;
    if (of->behind == ALLOT__BEHIND_LIMIT)
        name = allot__limit_at(bounds, allot__binding_limit(bounds, of->binding))->stated.name;
    else if (of->behind == ALLOT__BEHIND_POOL)
        name = it->queues->pools[it->queues->pool_of[it->job->queue]].name;
    else if (of->behind == ALLOT__BEHIND_RESOURCE &&
             allot_plan_resource_at(it->about.decision->plan, of->binding, &resource) == ALLOT_OK)
        name = resource.name;
    FACTS(&it->about, "behind_by", words[of->behind]);
    if (name)
        FACTS(&it->about, "behind_name", name);
}

static void explain_reserved(const allot__job_explanation *it)
{
    if (has_reserved(it, it->number))
        put_reserved(it, "reserved", it->number);
    if (it->verdict.why == ALLOT_PEND_BEHIND) {
        put_reserved(it, "behind_job", it->verdict.binding);
        explain_behind(it);
        if (it->job->run_limit != ALLOT_NONE)
            FACTS(&it->about, "run_limit", it->job->run_limit);
    }
}

static void explain_gets(const allot__job_explanation *it, const allot_job_order *order)
{
    static const char *const kinds[ALLOT_ORDER_COUNT] = {"start", "resume", "resize"};
    allot__facts_open(&it->about, "gets", "{");
    FACTS(&it->about, "kind reason slots", kinds[order->kind], order->reason, order->slots);
    put_places(it, order->places, order->place_count);
    put_victims(it, false);
    if (strcmp(order->reason, "backfill") == 0)
        explain_backfill(it);
    allot__facts_end(&it->about, "}");
}

/* ---- Why it waits ---------------------------------------------------------------------------- */

static void explain_reason(const allot__job_explanation *it)
{
    const allot__explanation *about = &it->about;
    allot_protection of = allot__protection_of(it->queues, it->job->application, it->job->queue);
    FACTS(about, "most free delay waited barred? policy",
          allot__host_view_most(&it->out->view, it->set, it->job->queue), it->free,
          of.preempt_delay, allot__ran(about->work->state->now, it->job->submitted),
          allot__barred_by_type(about->work, it->job), about->rules->policy->name);
    put_victims(it, true);
    if (it->verdict.why == ALLOT_PEND_LIMIT)
        allot__explain_limit(it);
    else if (allot__explain_lacks(it))
        allot__explain_resource(it);
    allot__explain_slice(it);
}

static void explain_waiting(const allot__job_explanation *it)
{
    bool pending = it->job->state == ALLOT_PENDING;
    allot__facts_open(&it->about, "waits", "{");
    FACTS(&it->about, "why text", allot_pending_name(it->verdict.why),
          allot_pending_text(it->verdict.why));
    if (it->verdict.why == ALLOT_PEND_BEGIN) {
        FACTS(&it->about, "begin", it->job->more->begin - it->about.work->state->now);
    } else {
        explain_turn(it);
        if (pending && it->verdict.why != ALLOT_PEND_NEVER)
            allot__explain_view(it);
        else if (!pending)
            allot__explain_own_hosts(it);
        allot__explain_queues(it);
        explain_reserved(it);
        explain_reason(it);
    }
    allot__facts_end(&it->about, "}");
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int explain_job(allot__job_explanation *it)
{
    const allot_job_order *order = allot__explain_order(it);
    explain_what(it);
    if (order && order->kind <= ALLOT_ORDER_RESIZE)
        explain_gets(it, order);
    else if (order)
        return allot__explain_gone(it);
    else if (it->job->state == ALLOT_RUNNING)
        allot__explain_protection(it);
    else if (it->job->state != ALLOT_STOPPED)
        explain_waiting(it);
    return ALLOT_OK;
}

static int look(allot__job_explanation *it)
{
    size_t queues = (size_t)allot__queue_count(it->about.work->plan);
    it->job = allot__job_at(it->jobs, it->number);
    it->queue = allot__queue_at(it->queues, it->job->queue);
    it->verdict = it->out->jobs[it->number];
    it->set = it->queues->set_of[it->job->queue];
    it->before = allot__arena_zeroed(&it->arena, queues, sizeof *it->before);
    return it->before ? allot__explain_view_count(it) : ALLOT_ENOMEM;
}

int allot__facts_job(const allot_decision *decision, const char *id, allot__text *to)
{
    int32_t number = allot_state_job_find(decision->state, id);
    if (number < 0 || !decision->dispatched)
        return ALLOT_ENOENT;
    const allot__decided *decided = &decision->groups[0];
    allot__job_explanation it = {.about = {.decision = decision,
                                           .decided = decided,
                                           .work = &decided->work,
                                           .rules = &decided->work.rules[0],
                                           .to = to},
                                 .out = decision->dispatched,
                                 .queues = allot__queues_of(decision->plan),
                                 .jobs = decision->state->jobs,
                                 .number = number};
    allot__arena_init(&it.arena, decision->plan->engine);
    int status = look(&it);
    if (status == ALLOT_OK)
        status = explain_job(&it);
    allot__arena_free(&it.arena);
    return status;
}
