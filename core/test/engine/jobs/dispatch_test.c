/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* dispatch_test.c: whole cycles over queues, most without preemption. */
#include "test/support/queues.h"

/* P-60: larger PRIORITY first; inside, larger priority, then who was submitted first, then as in
 * the state. */
static void order_of_queues_and_jobs(void)
{
    queues q;
    queues_begin(&q);
    CHECK_EQ(allot_plan_slots(q.it.plan, 0, 5), ALLOT_OK);
    int32_t low = queues_add(&q, "low", 1, NULL), high = queues_add(&q, "high", 9, NULL);
    queues_seal(&q);
    queues_pending(&q, "l", low, 1);
    allot_job job = queues_job("late", high, 1);
    job.submitted = 20;
    queues_put(&q, &job);
    job = queues_job("early", high, 1);
    job.submitted = 10;
    queues_put(&q, &job);
    job = queues_job("also", high, 1);
    job.submitted = 10;
    queues_put(&q, &job);
    job = queues_job("first", high, 1);
    job.submitted = 30;
    job.priority = 5;
    queues_put(&q, &job);
    CHECK_STR(queues_run(&q), "start first, start early, start also, start late, start l");
    queues_end(&q);
}

static void fair(allot_queue *queue)
{
    queue->fairshare = 1;
}

/* P-60: equal queues go as one, by their jobs; fairshare queues as wholes behind them. */
static void equal_queues_go_as_one(void)
{
    queues q;
    queues_begin(&q);
    CHECK_EQ(allot_plan_slots(q.it.plan, 0, 9), ALLOT_OK);
    int32_t a = queues_add(&q, "a", 3, NULL), f = queues_add(&q, "f", 3, fair);
    int32_t b = queues_add(&q, "b", 3, NULL);
    queues_seal(&q);
    const struct {
        const char *id;
        int32_t queue;
        int64_t submitted;
    } jobs[] = {{"a1", a, 5}, {"a2", a, 1}, {"f1", f, 0}, {"f2", f, 9}, {"b1", b, 3}, {"b2", b, 5}};
    for (int i = 0; i < 6; i++) {
        allot_job job = queues_job(jobs[i].id, jobs[i].queue, 1);
        job.submitted = jobs[i].submitted;
        queues_put(&q, &job);
    }
    CHECK_STR(queues_run(&q), "start a2, start b1, start a1, start b2, start f1, start f2");
    queues_end(&q);
}

/* hosts by load, as many slots as fit on each; what does not fit takes nothing. */
static void jobs_span_hosts(void)
{
    queues q;
    queues_begin(&q);
    queues_host(&q, "h1", 2);
    queues_host(&q, "h2", 3);
    queues_host(&q, "h3", 2);
    int32_t a = queues_add(&q, "a", 1, NULL);
    queues_seal(&q);
    queues_on(&q, "r", a, ALLOT_RUNNING, "h1", 1);
    queues_pending(&q, "big", a, 4);
    queues_pending(&q, "huge", a, 8);
    queues_pending(&q, "more", a, 3);
    queues_pending(&q, "small", a, 2);
    CHECK_STR(queues_run(&q), "start big@h2:3+h3:1, start small@h3:1+h1:1");
    CHECK_STR(queues_why(&q, "huge"), "never");
    CHECK_STR(queues_why(&q, "more"), "slots");
    CHECK_STR(queues_why(&q, "small"), "not");
    queues_end(&q);
}

static void preempting(allot_queue *queue)
{
    queue->preemptive = 1;
}

static void requeued(allot_queue *queue)
{
    queue->on_preempt = ALLOT_REQUEUE;
}

/* Jobs behind one that finds too few slots are passed over, each with its own reason; and tried
 * again once as many are free as the smallest of them lacks. */
static void jobs_behind_one_that_does_not_fit(void)
{
    queues q;
    queues_begin(&q);
    queues_host(&q, "h", 4);
    int32_t top = queues_add(&q, "top", 9, NULL), high = queues_add(&q, "high", 5, preempting);
    int32_t low = queues_add(&q, "low", 1, requeued);
    queues_seal(&q);
    queues_on(&q, "r", low, ALLOT_RUNNING, "h", 4);
    queues_pending(&q, "three", top, 3);
    queues_pending(&q, "five", top, 5);
    queues_pending(&q, "two", top, 2);
    queues_pending(&q, "urgent", high, 2);
    queues_pending(&q, "one", low, 1);
    queues_pending(&q, "six", low, 6);
    CHECK_STR(queues_run(&q), "kill r@h:4 (preempted), start urgent@h:2 (preempted), "
                              "start two@h:2");
    CHECK_STR(queues_why(&q, "three"), "slots");
    CHECK_STR(queues_why(&q, "five"), "never");
    CHECK_STR(queues_why(&q, "one"), "slots");
    CHECK_STR(queues_why(&q, "six"), "never");
    queues_end(&q);
}

static void two_hosts(allot_queue *queue)
{
    static const char *const hosts[] = {"h3", "h2"};
    queue->hosts = hosts;
    queue->host_count = 2;
}

static void loads_and_host_lists(void)
{
    queues q;
    queues_begin(&q);
    queues_host(&q, "h1", 2);
    queues_host(&q, "h2", 2);
    queues_host(&q, "h3", 2);
    int32_t a = queues_add(&q, "a", 1, two_hosts);
    queues_seal(&q);
    CHECK_EQ(allot_state_host_load(q.state, "h2", 900), ALLOT_OK);
    CHECK_EQ(allot_state_host_load(q.state, "h3", 300), ALLOT_OK);
    queues_pending(&q, "x", a, 3);
    CHECK_STR(queues_run(&q), "start x@h3:2+h2:1");
    queues_end(&q);
}

/* P-20, P-25, P-26: with preemption off a suspended job keeps its slots; it is resumed before
 * anything starts, on its own host. */
static void suspended_jobs_come_first(void)
{
    queues q;
    queues_begin(&q);
    queues_host(&q, "h1", 2);
    queues_host(&q, "h2", 1);
    int32_t a = queues_add(&q, "a", 1, NULL), b = queues_add(&q, "b", 9, NULL);
    queues_seal(&q);
    queues_on(&q, "r", a, ALLOT_RUNNING, "h2", 1);
    queues_on(&q, "s", a, ALLOT_SUSPENDED, "h1", 2);
    queues_on(&q, "t", a, ALLOT_SUSPENDED, "h2", 1);
    queues_pending(&q, "p", b, 1);
    CHECK_STR(queues_run(&q), "resume s@h1:2");
    CHECK_STR(queues_why(&q, "p"), "slots");
    CHECK_STR(queues_why(&q, "t"), "slots");
    queues_end(&q);
}

static void stopped_jobs_stay(void)
{
    queues q;
    queues_begin(&q);
    queues_host(&q, "h1", 2);
    int32_t a = queues_add(&q, "a", 1, NULL);
    queues_seal(&q);
    queues_on(&q, "s", a, ALLOT_STOPPED, "h1", 1);
    queues_pending(&q, "p", a, 1);
    queues_pending(&q, "o", a, 1);
    CHECK_STR(queues_run(&q), "start p@h1:1");
    queues_end(&q);
}

static void preemptive(allot_queue *queue)
{
    queue->preemptive = 1;
}

/* P-25: slots of a suspended job are for those who may preempt it, and for nobody else. */
static void suspended_jobs_keep_their_slots(void)
{
    queues q;
    queues_begin(&q);
    queues_host(&q, "h1", 3);
    queues_host(&q, "h2", 1);
    int32_t low = queues_add(&q, "low", 1, NULL), mid = queues_add(&q, "mid", 5, NULL);
    int32_t high = queues_add(&q, "high", 9, preemptive);
    queues_seal(&q);
    queues_on(&q, "on", high, ALLOT_RUNNING, "h2", 1);
    queues_on(&q, "s", low, ALLOT_SUSPENDED, "h1", 2);
    queues_on(&q, "u", low, ALLOT_SUSPENDED, "h2", 1);
    queues_pending(&q, "m1", mid, 1);
    queues_pending(&q, "m2", mid, 1);
    CHECK_STR(queues_run(&q), "start m1@h1:1, resume s@h1:2");
    queues_end(&q);

    queues_begin(&q);
    queues_host(&q, "h1", 3);
    low = queues_add(&q, "low", 1, NULL), mid = queues_add(&q, "mid", 5, NULL);
    high = queues_add(&q, "high", 9, preemptive);
    queues_seal(&q);
    queues_on(&q, "s", low, ALLOT_SUSPENDED, "h1", 2);
    queues_pending(&q, "h", high, 2);
    queues_pending(&q, "m1", mid, 1);
    CHECK_STR(queues_run(&q), "start h@h1:2");
    CHECK_STR(queues_why(&q, "m1"), "slots");
    queues_end(&q);
}

/* P-40: an exclusive job wants hosts on which nothing runs, and closes them. */
static void exclusive_jobs(void)
{
    queues q;
    queues_begin(&q);
    queues_host(&q, "h1", 4);
    queues_host(&q, "h2", 4);
    int32_t a = queues_add(&q, "a", 1, NULL);
    queues_seal(&q);
    queues_on(&q, "r", a, ALLOT_RUNNING, "h1", 1);
    allot_job job = queues_job("e", a, 2);
    job.flags = ALLOT_JOB_EXCLUSIVE;
    queues_put(&q, &job);
    job.id = "f";
    queues_put(&q, &job);
    queues_pending(&q, "p", a, 3);
    queues_pending(&q, "o", a, 1);
    CHECK_STR(queues_run(&q), "start e@h2:2, start p@h1:3");
    CHECK_STR(queues_why(&q, "f"), "exclusive");
    CHECK_STR(queues_why(&q, "o"), "slots");
    queues_end(&q);
}

/* P-50: what grows gets free slots, behind what starts, on its own hosts first. */
static void growing_jobs(void)
{
    queues q;
    queues_begin(&q);
    queues_host(&q, "h1", 3);
    queues_host(&q, "h2", 4);
    int32_t a = queues_add(&q, "a", 1, NULL);
    queues_seal(&q);
    allot_job job = queues_job("g", a, 2);
    allot_job_host place = {"h1", 2};
    job.state = ALLOT_RUNNING;
    job.hosts = &place;
    job.host_count = 1;
    job.grow = 5;
    queues_put(&q, &job);
    queues_pending(&q, "p", a, 2);
    CHECK_STR(queues_run(&q), "start p@h2:2, resize g@h1:1+h2:2");
    allot_queue_part part;
    CHECK_EQ(allot_decision_queue(q.decision, a, &part), ALLOT_OK);
    CHECK_EQ(part.grown, 3);
    CHECK_EQ(part.started, 2);
    queues_end(&q);
}

static void bound(allot_queue *queue)
{
    queue->qjob_limit = 3;
}

static void per_host(allot_queue *queue)
{
    queue->hjob_limit = 1;
}

/* P-22, P-23. */
static void limits_of_queues(void)
{
    queues q;
    queues_begin(&q);
    queues_host(&q, "h1", 4);
    queues_host(&q, "h2", 4);
    int32_t a = queues_add(&q, "a", 2, bound), b = queues_add(&q, "b", 1, per_host);
    queues_seal(&q);
    queues_on(&q, "s", a, ALLOT_STOPPED, "h1", 1);
    queues_pending(&q, "a1", a, 3);
    queues_pending(&q, "a2", a, 2);
    queues_pending(&q, "b1", b, 3);
    queues_pending(&q, "b2", b, 2);
    CHECK_STR(queues_run(&q), "start a2@h1:2, start b2@h1:1+h2:1");
    CHECK_STR(queues_why(&q, "a1"), "limit qjob_limit of a 3/3");
    CHECK_STR(queues_why(&q, "b1"), "limit hjob_limit of b 0/1");
    queues_end(&q);
}

/* L-7, A-45: the consumer has the last of a contract's slots; a contract that was just changed
 * starts nothing. */
static void leased_slots(void)
{
    for (int32_t inactive = 0; inactive < 2; inactive++) {
        queues q;
        queues_begin(&q);
        queues_host(&q, "h1", 4);
        queues_host(&q, "h2", 4);
        const allot_lease_host hosts[] = {{"h1", 3}, {"h2", 3}};
        const allot_lease lease = {.name = "c",
                                   .provider = "us",
                                   .consumer = "them",
                                   .slots = 6,
                                   .hosts = hosts,
                                   .host_count = 2,
                                   .shared = 1,
                                   .reclaim_delay = 600};
        CHECK_EQ(allot_plan_lease(q.it.plan, &lease), ALLOT_OK);
        int32_t a = queues_add(&q, "a", 1, NULL);
        queues_seal(&q);
        const allot_lease_now now = {.provider = {.available = inactive ? 0 : 2, .demand = -1},
                                     .consumer = {.available = inactive ? 6 : 4, .demand = -1},
                                     .phase = ALLOT_LEASE_OK,
                                     .since = inactive ? 0 : 900};
        CHECK_EQ(allot_state_lease(q.state, 0, &now), ALLOT_OK);
        queues_pending(&q, "x", a, 4);
        queues_pending(&q, "y", a, 2);
        CHECK_STR(queues_run(&q), inactive ? "start y@h1:1+h2:1" : "start x@h1:3+h2:1");
        CHECK_STR(queues_why(&q, inactive ? "x" : "y"), "lease");
        queues_end(&q);
    }
}

static int whole(allot_engine *engine)
{
    allot_plan *plan = NULL;
    allot_policy *policy = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    allot_queue queue;
    int32_t number;
    allot_queue_init(&queue);
    queue.name = "a";
    queue.qjob_limit = 3;
    queue.hjob_limit = 2;
    int status = allot_policy_new(engine, "p", &policy);
    status = status ? status : allot_policy_fewest(policy, ALLOT_ONE_BY_ONE);
    status = status ? status : allot_plan_new(engine, &plan);
    status = status ? status : allot_plan_policy(plan, ALLOT_ALL, policy);
    status = status ? status : allot_plan_host(plan, "h1", 0, 4);
    status = status ? status : allot_plan_queue(plan, &queue, &number);
    status = status ? status : allot_plan_seal(plan, NULL);
    status = status ? status : allot_state_new(plan, &state);
    allot_job job = queues_job("j", 0, 2);
    status = status ? status : allot_state_job(state, &job);
    status = status ? status : allot_state_seal(state, NULL);
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_cycle(plan, state, NULL, &decision));
    if (status == ALLOT_OK)
        CHECK_EQ(allot_decision_job_orders(decision), 1);
    allot_decision_free(decision);
    allot_state_free(state);
    allot_plan_free(plan);
    allot_policy_free(policy);
    return status;
}

static void out_of_memory(void)
{
    CHECK(oom_each(whole));
}

int main(void)
{
    RUN(order_of_queues_and_jobs);
    RUN(equal_queues_go_as_one);
    RUN(jobs_span_hosts);
    RUN(jobs_behind_one_that_does_not_fit);
    RUN(loads_and_host_lists);
    RUN(suspended_jobs_come_first);
    RUN(stopped_jobs_stay);
    RUN(suspended_jobs_keep_their_slots);
    RUN(exclusive_jobs);
    RUN(growing_jobs);
    RUN(limits_of_queues);
    RUN(leased_slots);
    RUN(out_of_memory);
    return check_done();
}
