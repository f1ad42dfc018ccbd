/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* closed_test.c: jobs on hosts that are closed (C-10, E-34); memory failing. */
#include "test/support/queues.h"

static int32_t low, killed, high;

static void saved(allot_queue *queue)
{
    queue->on_preempt = ALLOT_CHECKPOINT;
}

static void kills(allot_queue *queue)
{
    queue->on_preempt = ALLOT_KILL;
    queue->protection.no_preempt_run_time = 1;
}

static void preemptive(allot_queue *queue)
{
    queue->preemptive = 1;
}

static void begin(queues *q, void (*set_low)(allot_queue *queue))
{
    queues_begin(q);
    queues_host(q, "h1", 4);
    queues_host(q, "h2", 4);
    low = queues_add(q, "low", 1, set_low);
    killed = queues_add(q, "killed", 1, kills);
    high = queues_add(q, "high", 9, preemptive);
    queues_seal(q);
}

static void on_both(queues *q, const char *id, int32_t queue, bool notifying)
{
    allot_job_host places[] = {{"h1", 1}, {"h2", 2}}, grown[] = {{"h1", 1}};
    allot_job job = queues_job(id, queue, 3);
    job.state = ALLOT_RUNNING;
    job.hosts = places;
    job.host_count = 2;
    job.notifying = notifying;
    job.grown = notifying ? grown : NULL;
    job.grown_count = notifying;
    queues_put(q, &job);
}

static allot_job_order order_at(const queues *q, int32_t i)
{
    allot_job_order order = {.job = -1};
    CHECK_EQ(allot_decision_job_order(q->decision, i, &order), ALLOT_OK);
    return order;
}

/* Who would be suspended is requeued, as it would keep the host's slots; what it frees elsewhere is
 * free at once. No guard holds, nor what a job is. */
static void what_runs_there_goes(void)
{
    for (int i = 0; i < 2; i++) {
        queues q;
        begin(&q, i == 0 ? NULL : saved);
        on_both(&q, "a", low, false);
        queues_on(&q, "b", killed, ALLOT_RUNNING, "h2", 1);
        allot_job job = queues_job("f", low, 1);
        allot_job_host place = {"h2", 1};
        job.state = ALLOT_RUNNING;
        job.flags = ALLOT_JOB_FORCED | ALLOT_JOB_BACKFILL;
        job.hosts = &place;
        job.host_count = 1;
        queues_put(&q, &job);
        queues_on(&q, "s", low, ALLOT_SUSPENDED, "h2", 1);
        queues_on(&q, "u", low, ALLOT_STOPPED, "h2", 1);
        queues_on(&q, "stays", killed, ALLOT_RUNNING, "h1", 1);
        queues_pending(&q, "p", high, 3);
        CHECK_EQ(allot_state_host(q.state, "h2", -1, ALLOT_CLOSED_NOW), ALLOT_OK);
        CHECK_STR(queues_run(&q), "kill a@h1:1+h2:2 (closed-host), kill b@h2:1 (closed-host), "
                                  "kill f@h2:1 (closed-host), start p@h1:3");
        CHECK_EQ(order_at(&q, 0).action, ALLOT_REQUEUE);
        CHECK_EQ(order_at(&q, 0).closed, 2);
        CHECK_EQ(order_at(&q, 0).preempted, 0); /* it is no preemption */
        CHECK_EQ(order_at(&q, 0).preemptor, -1);
        CHECK_EQ(order_at(&q, 1).action, ALLOT_KILL);
        CHECK_STR(queues_why(&q, "s"), "slots");
        queues_end(&q);
    }
}

/* it is held back; nobody else takes it meanwhile. */
static void who_is_told_of_slots_goes_later(void)
{
    queues q;
    begin(&q, NULL);
    on_both(&q, "a", low, true);
    queues_on(&q, "b", low, ALLOT_RUNNING, "h1", 2);
    queues_pending(&q, "p", high, 2);
    CHECK_EQ(allot_state_host(q.state, "h2", -1, ALLOT_CLOSED_NOW), ALLOT_OK);
    CHECK_STR(queues_run(&q), "kill a@h1:1+h2:2 (closed-host), suspend b@h1:2 (preempted), "
                              "start p@h1:2 (preempted)");
    CHECK_EQ(order_at(&q, 0).held, 1);
    CHECK_EQ(order_at(&q, 0).cancelled, 1);
    allot_queue_part part;
    CHECK_EQ(allot_decision_queue(q.decision, low, &part), ALLOT_OK);
    CHECK_EQ(part.preempted, 2);
    queues_end(&q);
}

/* To drain: it runs to its end, and idle slots are those of open hosts. */
static void what_drains_stays(void)
{
    queues q;
    begin(&q, NULL);
    on_both(&q, "a", low, false);
    CHECK_EQ(allot_state_host(q.state, "h2", -1, ALLOT_DRAIN), ALLOT_OK);
    CHECK_STR(queues_run(&q), "");
    allot_totals totals;
    CHECK_EQ(allot_decision_totals(q.decision, 0, &totals), ALLOT_OK);
    CHECK_EQ(totals.slots, 6);
    CHECK_EQ(totals.idle, 3);
    CHECK_EQ(totals.idle_left, 3);
    queues_end(&q);
}

static int scenario(allot_engine *engine)
{
    allot_policy *policy = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    allot_queue queue;
    int32_t number;
    allot_job_host place = {"h1", 1};
    allot_job job = queues_job("a", 0, 1);
    allot_queue_init(&queue);
    queue.name = "q";
    job.state = ALLOT_RUNNING;
    job.hosts = &place;
    job.host_count = 1;
    int status = allot_policy_new(engine, "default", &policy);
#define TRY(call) status = status == ALLOT_OK ? (call) : status
    TRY(allot_policy_fewest(policy, ALLOT_ONE_BY_ONE));
    TRY(allot_plan_new(engine, &plan));
    TRY(allot_plan_policy(plan, ALLOT_ALL, policy));
    TRY(allot_plan_host(plan, "h1", 0, 1));
    TRY(allot_plan_queue(plan, &queue, &number));
    TRY(allot_plan_seal(plan, NULL));
    TRY(allot_state_new(plan, &state));
    TRY(allot_state_now(state, 1000));
    TRY(allot_state_job(state, &job));
    TRY(allot_state_host(state, "h1", -1, ALLOT_CLOSED_NOW));
    TRY(allot_state_seal(state, NULL));
    TRY(allot_cycle(plan, state, NULL, &decision));
#undef TRY
    allot_decision_free(decision);
    allot_state_free(state);
    allot_plan_free(plan);
    allot_policy_free(policy);
    return status;
}

static void memory_runs_out(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(what_runs_there_goes);
    RUN(who_is_told_of_slots_goes_later);
    RUN(what_drains_stays);
    RUN(memory_runs_out);
    return check_done();
}
