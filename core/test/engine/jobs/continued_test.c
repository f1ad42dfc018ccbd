/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * continued_test.c: states with jobs that are sealed and decided about again after changes, against
 * the same states from scratch: what sealing derives, its findings, and every number of the
 * decision, over random sites and streams of changes, carried out or not.
 */
#include <allot/apply.h>
#include <allot/stated.h>
#include <stdlib.h>

#include "engine/decision/decision.h"
#include "engine/jobs/dispatch.h"
#include "test/support/queues.h"

enum { CASES = 2000, STEPS = 30, HOSTS = 6 };

static uint64_t seed;

static int32_t draw(int32_t from, int32_t to)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return from + (int32_t)((seed >> 33) % (uint64_t)(to - from + 1));
}

static const char *const hosts[] = {"h0", "h1", "h2", "h3", "h4", "h5", "elsewhere"};
static const char *const users[] = {"ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal"};

typedef struct world {
    queues q;
    allot_state *plain; /* the same as q.state, but always from scratch */
    allot_decision *decided;
    int32_t queues, host_count, added, now;
    bool rich;     /* there are jobs of all kinds */
    bool preempts; /* high queues wait for slots of low ones, which run jobs ... */
    bool applies;  /* ... and decisions are carried out */
} world;

/* What the cases came to, so that they cannot cease to cover something unnoticed. */
static int64_t kept, victims;

/* ---- Sites ----------------------------------------------------------------------------------- */

static bool pools, limits;
static int32_t queue_count;

/* Queues that it preempts first. */
static void draw_preferences(allot_queue *queue)
{
    static const char *const names[] = {"q0", "q1", "q2", "q3", "q4", "q5"};
    static allot_prefers low[3];
    queue->low = low;
    queue->low_count = draw(0, queue_count < 3 ? queue_count : 3);
    for (int32_t i = 0, from = draw(0, 5); i < queue->low_count; i++)
        low[i] = (allot_prefers){names[(from + i) % queue_count], draw(0, 2)};
}

static void draw_queue(allot_queue *queue)
{
    if (pools && draw(0, 1)) {
        queue->slot_pool = draw(0, 1) ? "p" : "r";
        queue->slot_share = draw(5, 30);
        queue->use_priority_in_pool = draw(0, 3) == 0;
        return;
    }
    queue->preemptive = draw(0, 2) > 0;
    queue->preemptable = !pools && draw(0, 2) == 0;
    if (queue->preemptive && !pools && draw(0, 4) == 0)
        draw_preferences(queue);
    queue->hosts = hosts + draw(0, 2);
    queue->host_count = draw(0, 3) == 0 ? 3 : 0;
    queue->fairshare = draw(0, 5) == 0;
    queue->on_preempt = draw(0, 3) == 0 ? (draw(0, 1) ? ALLOT_KILL : ALLOT_REQUEUE) : ALLOT_SUSPEND;
    if (draw(0, 4) == 0)
        queue->protection.preempt_delay = draw(1, 400);
    if (draw(0, 1))
        queue->run_limit = draw(1, 900);
    if (limits && draw(0, 1))
        *(draw(0, 1) ? &queue->qjob_limit : &queue->qjob_percent) = draw(1, 9);
    if (limits && draw(0, 2) == 0)
        *(draw(0, 1) ? &queue->ujob_limit : &queue->ujob_percent) = draw(1, 5);
    if (limits && draw(0, 2) == 0)
        queue->hjob_limit = draw(1, 3);
}

static bool fails;

static int values_of(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                     allot_report *report)
{
    (void)ud;
    (void)function;
    (void)report;
    for (int32_t i = 0; i < batch->count; i++)
        out[i] = batch->columns[0][i] % 7;
    return fails ? ALLOT_ESCRIPT : ALLOT_OK;
}

static void draw_victims(allot_policy *policy)
{
    static const int32_t columns[] = {
        ALLOT_TASK_QUEUE_ORDER,    ALLOT_TASK_LOAD,          ALLOT_TASK_HOST,
        ALLOT_TASK_QUEUE_PRIORITY, ALLOT_TASK_STARTED,       ALLOT_TASK_SLOTS,
        ALLOT_TASK_PRIORITY,       ALLOT_TASK_PREFERENCE,    ALLOT_TASK_SUBMITTED,
        ALLOT_TASK_PREEMPTED,      ALLOT_TASK_RAN,           ALLOT_TASK_REMAINING,
        ALLOT_TASK_UNINTERRUPTED,  ALLOT_TASK_SUSPENDED_FOR, ALLOT_TASK_RUN_TIME_LEFT,
        ALLOT_TASK_INTERVAL_OVER,  ALLOT_TASK_WAITED,        ALLOT_TASK_USAGE,
        ALLOT_TASK_USER,           ALLOT_TASK_GROUP};
    enum { PASSING = 10, LAST = sizeof columns / sizeof *columns - 1 };
    const allot_provider provider = {.compute = values_of};
    const int32_t ran = ALLOT_TASK_RAN;
    allot_key keys[5];
    int32_t function, count = draw(0, 5), most = draw(0, 2) > 0 ? PASSING - 1 : LAST;
    for (int32_t i = 0; i < count; i++)
        keys[i] = (allot_key){{ALLOT_FROM_COLUMN, columns[draw(0, most)]}, draw(0, 1)};
    if (count > 0 && draw(0, 2) == 0) /* it goes by time, or by hosts: it decides alone */
        keys[0].source.value = draw(0, 1) ? columns[draw(PASSING, LAST)] : ALLOT_TASK_HOST;
    CHECK_EQ(allot_policy_provider(policy, &provider), ALLOT_OK);
    CHECK_EQ(allot_policy_rows_function(policy, ALLOT_TASKS, &ran, 1, &function), ALLOT_OK);
    const allot_source called = {ALLOT_FROM_FUNCTION, function},
                       read = {ALLOT_FROM_COLUMN, columns[draw(8, LAST)]};
    if (count > 0 && draw(0, 6) == 0)
        keys[draw(0, count - 1)].source = called;
    CHECK_EQ(allot_policy_victims(policy, keys, count), ALLOT_OK);
    if (draw(0, 3) == 0)
        CHECK_EQ(allot_policy_guard(policy, "some", draw(0, 2) ? read : called, 0, draw(0, 900)),
                 ALLOT_OK);
    CHECK_EQ(allot_policy_job_types(policy, draw(0, 3)), ALLOT_OK);
}

static void draw_policy(allot_policy *policy)
{
    if (draw(0, 4) > 0)
        draw_victims(policy);
    static const int32_t columns[] = {ALLOT_TASK_PRIORITY, ALLOT_TASK_SUBMITTED, ALLOT_TASK_SLOTS,
                                      ALLOT_TASK_RAN};
    allot_key keys[4];
    int32_t count = draw(0, 4);
    for (int32_t i = 0; i < count; i++)
        keys[i] =
            (allot_key){{ALLOT_FROM_COLUMN, columns[draw(0, draw(0, 5) == 0 ? 3 : 2)]}, draw(0, 1)};
    if (draw(0, 2) > 0)
        CHECK_EQ(allot_policy_dispatch(policy, keys, count), ALLOT_OK);
}

static void begin_plan(fixture *it)
{
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    CHECK_EQ(allot_policy_new(it->engine, "drawn", &it->policy), ALLOT_OK);
    CHECK_EQ(allot_plan_new(it->engine, &it->plan), ALLOT_OK);
    CHECK_EQ(allot_policy_fewest(it->policy, (allot_fewest)draw(0, 2)), ALLOT_OK);
    CHECK_EQ(allot_policy_backfill(it->policy, (allot_backfill)(draw(0, 1) * draw(1, 3))),
             ALLOT_OK);
    draw_policy(it->policy);
    CHECK_EQ(allot_plan_policy(it->plan, ALLOT_ALL, it->policy), ALLOT_OK);
}

static void begin(world *at)
{
    *at = (world){.now = 1000, .rich = draw(0, 1), .preempts = draw(0, 1), .applies = draw(0, 1)};
    pools = draw(0, 3) == 0;
    limits = draw(0, 3) == 0;
    begin_plan(&at->q.it);
    at->host_count = draw(0, 4) == 0 ? 0 : HOSTS;
    for (int32_t i = 0; i < at->host_count; i++)
        queues_host(&at->q, hosts[i], draw(1, 6));
    if (at->host_count == 0)
        CHECK_EQ(allot_plan_slots(at->q.it.plan, 0, draw(4, 20)), ALLOT_OK);
    if (draw(0, 1))
        CHECK_EQ(allot_plan_decay(at->q.it.plan, &(allot_decay){draw(0, 500), draw(2, 5)}),
                 ALLOT_OK);
    queue_count = at->queues = draw(at->preempts ? 3 : 1, 6);
    for (int32_t i = 0; i < at->queues; i++) {
        char name[] = {'q', (char)('0' + i), '\0'};
        if (at->host_count > 0)
            queues_add(&at->q, name, draw(1, draw(0, 1) ? 3 : 30), draw_queue);
        else
            queues_add(&at->q, name, draw(1, 30), NULL);
    }
    queues_seal(&at->q);
    CHECK_EQ(allot_state_new(at->q.it.plan, &at->plain), ALLOT_OK);
    CHECK_EQ(allot_state_now(at->plain, 1000), ALLOT_OK);
    CHECK_EQ(allot_state_full(at->plain, 1), ALLOT_OK);
}

static void free_decisions(world *at)
{
    allot_decision_free(at->q.decision);
    allot_decision_free(at->decided);
    at->q.decision = at->decided = NULL;
}

static void end(world *at)
{
    free_decisions(at);
    allot_state_free(at->plain);
    queues_end(&at->q);
}

/* ---- Changes --------------------------------------------------------------------------------- */

static void draw_members(const world *at, allot_job *job)
{
    job->priority = draw(0, 3);
    job->submitted = draw(0, 9) == 0 ? INT64_MIN : draw(0, 1000);
    if (draw(0, 30) == 0) /* beyond the bits of a key */
        job->submitted = (int64_t)draw(0, 1000) << draw(1, 40);
    job->user = draw(0, 3) > 0 ? users[draw(0, 7)] : NULL;
    job->group = draw(0, 3) == 0 ? users[draw(0, 7)] : NULL;
    if (!at->rich)
        return;
    job->flags = draw(0, 5) == 0 ? draw(1, 4) & ~2 : 0;
    job->begin = draw(0, 40) == 0 ? at->now + draw(-50, 50) : INT64_MIN;
    job->run_limit = draw(0, 3) == 0 ? draw(1, 500) : -1;
    job->preempted = draw(0, 2);
}

static void draw_job(const world *at, allot_job *job, allot_job_host *places)
{
    job->queue = draw(0, at->queues - 1);
    job->slots = draw(1, draw(0, 3) > 0 ? 2 : 9);
    draw_members(at, job);
    if (draw(0, 2) > 0)
        return;
    job->state = draw(0, 3) > 0 ? ALLOT_RUNNING : draw(0, 2) ? ALLOT_SUSPENDED : ALLOT_STOPPED;
    if (at->preempts)
        job->state = ALLOT_RUNNING;
    job->started = draw(0, 3) ? draw(0, at->now + 5) : INT64_MIN;
    int32_t host = draw(0, draw(0, 60) == 0 ? HOSTS : HOSTS - 1);
    places[0] = (allot_job_host){hosts[host], job->slots};
    places[1] = (allot_job_host){hosts[(host + 1) % HOSTS], 1};
    job->host_count = at->host_count > 0;
    if (job->slots > 1 && at->host_count > 0 && draw(0, 1)) {
        places[0].slots -= draw(0, 60) > 0; /* else the sum is wrong */
        job->host_count = 2;
    }
    job->hosts = job->host_count > 0 ? places : NULL;
    if (at->rich && job->state == ALLOT_RUNNING && draw(0, 3) == 0) {
        job->grow = draw(0, 3);
        places[2] = (allot_job_host){at->host_count > 0 ? hosts[draw(0, HOSTS - 1)] : NULL, 1};
        job->grown = &places[2];
        job->grown_count = draw(0, 1);
    }
}

/* Some allocation of what follows may fail. */
static void run_short(world *at)
{
    oom *memory = &at->q.it.memory;
    memory->failed = false;
    memory->fail_at = draw(0, 7) == 0 ? memory->calls + draw(1, 12) : 0;
}

static void put_job(world *at, const char *known)
{
    char id[16];
    allot_job job;
    allot_job_host places[3];
    allot_job_init(&job);
    snprintf(id, sizeof id, "j%d", (int)(known ? 0 : at->added++));
    draw_job(at, &job, places);
    job.id = known ? known : id;
    int status;
    run_short(at);
    OOM_RETRY(status, allot_state_set(at->q.state, ALLOT_ITEM_JOB, &job));
    at->q.it.memory.fail_at = 0;
    CHECK_EQ(status, ALLOT_OK);
    CHECK_EQ(allot_state_set(at->plain, ALLOT_ITEM_JOB, &job), ALLOT_OK);
}

static void change_job(world *at)
{
    char id[16];
    snprintf(id, sizeof id, "j%d", draw(0, at->added));
    int32_t found = allot_state_job_find(at->q.state, id), kind = draw(0, 5);
    if (found < 0 || kind < 2) {
        put_job(at, NULL);
    } else if (kind < 4) {
        put_job(at, id);
    } else {
        CHECK_EQ(allot_state_end(at->q.state, ALLOT_ITEM_JOB, id), ALLOT_OK);
        CHECK_EQ(allot_state_end(at->plain, ALLOT_ITEM_JOB, id), ALLOT_OK);
    }
}

/* Something other than a job changes. */
static void change_other(world *at)
{
    allot_state *const states[] = {at->q.state, at->plain};
    int32_t kind = draw(0, 5), number = draw(0, HOSTS - 1), by = draw(0, 300);
    int32_t queue = draw(0, at->queues - 1), closed = draw(0, 2);
    at->now += kind < 3 ? by : 0;
    for (int32_t i = 0; i < 2; i++) {
        if (kind < 3)
            CHECK_EQ(allot_state_now(states[i], at->now), ALLOT_OK);
        else if (kind == 3 && at->host_count > 0)
            CHECK_EQ(allot_state_host(states[i], hosts[number], -1, (allot_closed)closed),
                     ALLOT_OK);
        else if (kind == 5 && at->host_count > 0)
            CHECK_EQ(allot_state_host_load(states[i], hosts[number], by), ALLOT_OK);
        else if (kind == 4)
            CHECK_EQ(allot_state_usage(states[i], queue, by, 7), ALLOT_OK);
        if (kind == 4)
            CHECK_EQ(allot_state_usage_at(states[i], at->now - by), ALLOT_OK);
    }
}

static void clear(world *at)
{
    CHECK_EQ(allot_state_clear(at->q.state), ALLOT_OK);
    CHECK_EQ(allot_state_clear(at->plain), ALLOT_OK);
}

static void change(world *at)
{
    int32_t count = draw(0, 4) > 0 ? draw(0, 4) : draw(0, 30);
    if (draw(0, 60) == 0)
        clear(at);
    if (draw(0, 2) == 0)
        change_other(at);
    for (int32_t i = 0; i < count; i++)
        change_job(at);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static bool same_numbers(const int32_t *a, const int32_t *b, size_t count)
{
    return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

static bool same_lists(const world *at)
{
    const allot__jobs *a = at->q.state->jobs, *b = at->plain->jobs;
    size_t queues = (size_t)at->queues, count = b->list.count;
    bool same = CHECK_EQ(a->list.count, count) && CHECK_EQ(a->ordered, b->ordered);
    same = same && CHECK(same_numbers(a->first, b->first, queues + 1));
    same = same && CHECK(same_numbers(a->stops, b->stops, queues));
    same = same && CHECK(same_numbers(a->waits, b->waits, queues));
    same = same && CHECK_EQ(a->undated, b->undated);
    same = same && CHECK(same_numbers(a->by_queue, b->by_queue, (size_t)b->first[queues]));
    same = same && CHECK(same_numbers(a->flagged, b->flagged, 8));
    for (size_t q = 0; q < queues && same; q++) {
        allot__queue_jobs x = a->queues[q], y = b->queues[q];
        same = CHECK(x.latest >= y.latest);
        x.latest = y.latest;
        same = same && CHECK(memcmp(&x, &y, sizeof x) == 0);
    }
    for (int32_t i = 0; i < (int32_t)count && same; i++)
        same = CHECK_EQ(allot__job_at(a, i)->run_limit, allot__job_at(b, i)->run_limit) &&
               CHECK_EQ(a->briefs[i].queue, b->briefs[i].queue) &&
               CHECK_EQ(a->briefs[i].slots, b->briefs[i].slots) &&
               CHECK_EQ(a->briefs[i].state, b->briefs[i].state) &&
               CHECK_EQ(a->briefs[i].early, b->briefs[i].early) &&
               CHECK_EQ(a->briefs[i].exclusive, b->briefs[i].exclusive) &&
               CHECK_EQ(allot__job_at(a, i)->since, allot__job_at(b, i)->since);
    return same;
}

static bool same_sites(const world *at)
{
    const allot__tasks *a = &at->q.state->tasks, *b = &at->plain->tasks;
    bool same = CHECK_EQ(a->site_count, b->site_count);
    for (int32_t i = 0; i < b->site_count && same; i++)
        same = CHECK_EQ(a->sites[i].busy, b->sites[i].busy) &&
               CHECK_EQ(a->sites[i].taken, b->sites[i].taken) &&
               CHECK_EQ(a->sites[i].running, b->sites[i].running) &&
               CHECK_EQ(a->sites[i].alone, b->sites[i].alone);
    return same;
}

static bool same_orders(const world *at)
{
    int32_t count = allot_decision_job_orders(at->decided);
    bool same = CHECK_EQ(allot_decision_job_orders(at->q.decision), count);
    for (int32_t i = 0; i < count && same; i++) {
        allot_job_order a, b;
        CHECK_EQ(allot_decision_job_order(at->q.decision, i, &a), ALLOT_OK);
        CHECK_EQ(allot_decision_job_order(at->decided, i, &b), ALLOT_OK);
        same = CHECK_EQ(a.kind, b.kind) && CHECK_EQ(a.job, b.job) && CHECK_EQ(a.slots, b.slots) &&
               CHECK_EQ(a.action, b.action) && CHECK_EQ(a.preemptor, b.preemptor) &&
               CHECK_EQ(a.preempted, b.preempted) && CHECK_EQ(a.cancelled, b.cancelled) &&
               CHECK_EQ(a.held, b.held) && CHECK_EQ(a.closed, b.closed) &&
               CHECK_STR(a.reason, b.reason) && CHECK_EQ(a.place_count, b.place_count);
        for (int32_t k = 0; k < a.place_count && same; k++)
            same = CHECK_STR(a.places[k].name, b.places[k].name) &&
                   CHECK_EQ(a.places[k].slots, b.places[k].slots);
    }
    return same;
}

static bool same_jobs(const world *at)
{
    const allot__dispatched *a = at->q.decision->dispatched, *b = at->decided->dispatched;
    bool same = CHECK_EQ(a->tried_count, b->tried_count) &&
                CHECK(same_numbers(a->tried, b->tried, (size_t)b->tried_count));
    for (int32_t i = 0; i < allot_state_jobs(at->plain) && same; i++) {
        allot_pending_of x, y;
        CHECK_EQ(allot_decision_pending(at->q.decision, i, &x), ALLOT_OK);
        CHECK_EQ(allot_decision_pending(at->decided, i, &y), ALLOT_OK);
        same = CHECK_EQ(x.why, y.why) && CHECK_EQ(x.used, y.used) && CHECK_EQ(x.most, y.most) &&
               CHECK_EQ(x.reserved, y.reserved) && CHECK_EQ(x.limit == NULL, y.limit == NULL) &&
               CHECK(memcmp(&a->jobs[i], &b->jobs[i], sizeof a->jobs[i]) == 0);
    }
    return same;
}

static bool same_decisions(const world *at)
{
    const allot_decision *a = at->q.decision, *b = at->decided;
    allot_totals x, y;
    uint64_t sums[4];
    bool same = same_orders(at) && same_jobs(at);
    for (int32_t q = 0; q < at->queues && same; q++)
        same = CHECK(memcmp(&a->dispatched->parts[q], &b->dispatched->parts[q],
                            sizeof *a->dispatched->parts) == 0);
    for (int32_t i = 0; i < a->dispatched->view.count && same; i++)
        same = CHECK_EQ(a->dispatched->view.site[i], b->dispatched->view.site[i]) &&
               CHECK_EQ(a->dispatched->view.free[i], b->dispatched->view.free[i]) &&
               CHECK_EQ(a->dispatched->view.running[i], b->dispatched->view.running[i]);
    allot_decision_digest(a, &sums[0], &sums[1]);
    allot_decision_digest(b, &sums[2], &sums[3]);
    allot__queue_totals(a, &x);
    allot__queue_totals(b, &y);
    return same && CHECK_EQ(sums[0], sums[2]) && CHECK_EQ(sums[1], sums[3]) &&
           CHECK_EQ(x.idle, y.idle) && CHECK_EQ(x.idle_left, y.idle_left) &&
           CHECK_EQ(x.granted, y.granted) && CHECK_EQ(x.demand, y.demand);
}

/* ---- The stream ------------------------------------------------------------------------------ */

/* Seals both. False: they are not valid, or differ. */
static bool seal(world *at, bool *same)
{
    allot_report *report;
    CHECK_EQ(allot_report_new(at->q.it.engine, &report), ALLOT_OK);
    allot_report_clear(at->q.it.report);
    run_short(at);
    int a = allot_state_seal(at->q.state, at->q.it.report);
    at->q.it.memory.fail_at = 0;
    if (a == ALLOT_ENOMEM)
        a = allot_state_seal(at->q.state, NULL);
    int b = allot_state_seal(at->plain, report);
    int32_t told = allot_report_count(report);
    bool all = !at->q.it.memory.failed; /* else some findings may be missing */
    *same = CHECK_EQ(a, b) && (!all || CHECK_EQ(allot_report_count(at->q.it.report), told));
    for (int32_t i = 0; i < told && *same && all; i++)
        *same = CHECK_STR(allot_report_at(at->q.it.report, i)->message,
                          allot_report_at(report, i)->message);
    allot_report_free(report);
    *same = *same && (a != ALLOT_OK || (same_lists(at) && same_sites(at)));
    return a == ALLOT_OK && *same;
}

/* Decides about the state, again after failures. */
static void decide_short(world *at)
{
    run_short(at);
    fails = draw(0, 5) == 0;
    int status = allot_cycle(at->q.it.plan, at->q.state, NULL, &at->q.decision);
    fails = false;
    at->q.it.memory.fail_at = 0;
    if (status != ALLOT_OK)
        CHECK_EQ(allot_cycle(at->q.it.plan, at->q.state, NULL, &at->q.decision), ALLOT_OK);
}

/* The plain state's use of queues is summed up job by job. */
static bool decide(world *at)
{
    bool had = at->q.state->jobs->kept != NULL;
    free_decisions(at);
    for (int32_t q = 0; q < at->queues; q++)
        at->plain->jobs->queues[q].latest = INT64_MAX;
    decide_short(at);
    CHECK_EQ(allot_cycle(at->q.it.plan, at->plain, NULL, &at->decided), ALLOT_OK);
    int32_t orders = allot_decision_job_orders(at->decided);
    kept += had;
    for (int32_t i = 0; i < orders && had; i++) {
        allot_job_order order;
        CHECK_EQ(allot_decision_job_order(at->decided, i, &order), ALLOT_OK);
        victims += order.preemptor >= 0;
    }
    bool same = same_decisions(at);
    if (same && draw(0, 5) == 0) {
        allot_decision_free(at->q.decision);
        decide_short(at);
        same = same_decisions(at);
    }
    return same;
}

/* Opens both states, and may carry the decisions out. */
static void open(world *at)
{
    CHECK_EQ(allot_state_open(at->q.state), ALLOT_OK);
    CHECK_EQ(allot_state_open(at->plain), ALLOT_OK);
    if (draw(0, 3) == 0)
        put_job(at, NULL);
    if (at->q.decision && at->applies && draw(0, 1)) {
        CHECK_EQ(allot_state_apply(at->q.state, at->q.decision, NULL), ALLOT_OK);
        CHECK_EQ(allot_state_apply(at->plain, at->decided, NULL), ALLOT_OK);
    }
    free_decisions(at);
}

static bool follows(int32_t steps)
{
    world at;
    uint64_t from = seed;
    bool same = true, sealed = false;
    begin(&at);
    for (int32_t step = 0; step < steps && same; step++) {
        if (sealed)
            open(&at);
        change(&at);
        sealed = seal(&at, &same);
        if (!sealed && draw(0, 3) == 0)
            clear(&at); /* else it may stay invalid for ever */
        if (sealed && same && draw(0, 3) > 0)
            same = decide(&at);
    }
    end(&at);
    if (!same)
        printf("# seed %llu\n", (unsigned long long)from);
    return same;
}

static void equal_to_what_is_made_anew(void)
{
    bool same = true;
    for (int32_t i = 0; i < CASES && same; i++) {
        seed = (uint64_t)i;
        same = follows(STEPS);
    }
    printf("# %lld decisions after which rows were kept, with %lld victims\n", (long long)kept,
           (long long)victims);
    CHECK(kept > 5 * CASES && victims > 5 * CASES);
}

int main(void)
{
    RUN(equal_to_what_is_made_anew);
    return check_done();
}
