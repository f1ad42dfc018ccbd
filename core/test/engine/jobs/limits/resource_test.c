/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* resource_test.c: resources that jobs hold, who goes for them, and what is said of it. */
#include "test/support/queues.h"

enum { HIGH, LOW, SOFT };
static const allot_job_resource one = {0, 1};

static void preemptive(allot_queue *queue)
{
    queue->preemptive = 1;
}

static void ends(allot_queue *queue)
{
    queue->on_preempt = ALLOT_REQUEUE;
}

/* Nine slots, and so many licences. */
static void begin(queues *q, int64_t licences, int32_t preemptable)
{
    const allot_resource resource = {"lic", licences, preemptable};
    queues_begin(q);
    queues_host(q, "h1", 9);
    queues_add(q, "high", 9, preemptive);
    queues_add(q, "low", 1, ends);
    queues_add(q, "soft", 1, NULL);
    CHECK_EQ(allot_plan_resource(q->it.plan, &resource), ALLOT_OK);
    queues_seal(q);
}

static void put(queues *q, const char *id, int32_t queue, allot_job_state state, int64_t amount)
{
    allot_job job = queues_job(id, queue, 1);
    allot_job_host place = {"h1", 1};
    allot_job_resource asks = {one.resource, amount};
    job.state = state;
    job.hosts = &place;
    job.host_count = state != ALLOT_PENDING;
    job.resources = &asks;
    job.resource_count = 1;
    queues_put(q, &job);
}

static int keep(void *ud, const char *text, size_t len)
{
    queues *q = ud;
    snprintf(q->text, sizeof q->text, "%.*s", (int)len, text);
    return 0;
}

/* Do the facts about a job have that among them? Prints them when not. */
static bool says(queues *q, const char *id, const char *text)
{
    CHECK_EQ(allot_explain_facts(q->decision, ALLOT_OF_JOB, id, 0, 0, keep, q), ALLOT_OK);
    if (!strstr(q->text, text))
        printf("# %s\n", q->text);
    return strstr(q->text, text) != NULL;
}

/* P-42: what is held is not there for others, be its holder suspended. */
static void test_what_is_left(void)
{
    queues q;
    begin(&q, 4, 0);
    put(&q, "r", LOW, ALLOT_RUNNING, 2);
    put(&q, "s", SOFT, ALLOT_STOPPED, 1);
    put(&q, "a", HIGH, ALLOT_PENDING, 1);
    put(&q, "b", HIGH, ALLOT_PENDING, 1);
    CHECK_STR(queues_run(&q), "start a@h1:1");
    CHECK_STR(queues_why(&q, "b"), "resource lic 4/4");
    CHECK(says(&q, "b", "\"resources\": [{\"name\": \"lic\", \"amount\": 1,"));
    CHECK(says(&q, "s", "\"resources\": [{\"name\": \"lic\", \"amount\": 1,"));
    CHECK(says(&q, "b", "\"amount\": 4, \"used\": 4, \"asked\": 1}"));
    CHECK(says(&q, "b", "\"number\": 1, \"below\": true, \"ends\": true,"));
    CHECK(says(&q, "b", "\"holders\": 1, \"held\": 2}"));
    CHECK(says(&q, "b", "\"number\": 2, \"below\": true, \"preferred\": 0,"));
    CHECK(says(&q, "b", "\"holders\": 1, \"held\": 1}"));
    int64_t when;
    CHECK_EQ(allot_decision_resource_preempted(q.decision, 0, &when), ALLOT_ENOENT);
    CHECK_EQ(allot_decision_resource_preempted(q.decision, 1, &when), ALLOT_EUSAGE);
    queues_end(&q);
}

/* P-42: those go that release it, and no others. */
static void test_who_goes(void)
{
    queues q;
    begin(&q, 4, 1);
    put(&q, "s", SOFT, ALLOT_RUNNING, 2);
    put(&q, "r", LOW, ALLOT_RUNNING, 2);
    put(&q, "a", HIGH, ALLOT_PENDING, 1);
    put(&q, "b", HIGH, ALLOT_PENDING, 2);
    put(&q, "c", HIGH, ALLOT_PENDING, 5);
    CHECK_STR(queues_run(&q), "kill r@h1:1 (preempted), start a@h1:1 (preempted)");
    CHECK_STR(queues_why(&q, "b"), "resource lic 3/4");
    CHECK(says(&q, "b", "\"asked\": 2, \"preemptable\": true}"));
    CHECK(says(&q, "c", "\"amount\": 4, \"used\": 3, \"asked\": 5,"));
    CHECK(says(&q, "r", "\"releases\": [{\"name\": \"lic\", \"amount\": 2, \"asked\": 1}"));
    int64_t when = 0;
    CHECK_EQ(allot_decision_resource_preempted(q.decision, 0, &when), ALLOT_OK);
    CHECK_EQ(when, 1000);
    queues_end(&q);
}

/* what a job is to have once its victims were told is kept for it, and no time begins. */
static void test_held(void)
{
    queues q;
    begin(&q, 3, 1);
    allot_job job = queues_job("r", LOW, 1);
    allot_job_host place = {"h1", 1};
    job.state = ALLOT_RUNNING;
    job.hosts = &place;
    job.host_count = 1;
    job.resources = &(allot_job_resource){0, 2};
    job.resource_count = 1;
    job.notifying = 1;
    queues_put(&q, &job);
    put(&q, "a", HIGH, ALLOT_PENDING, 2);
    put(&q, "b", HIGH, ALLOT_PENDING, 1);
    CHECK_STR(queues_run(&q), "kill r@h1:1 (preempted)");
    CHECK_STR(queues_why(&q, "a"), "held");
    CHECK_STR(queues_why(&q, "b"), "resource lic 4/3");
    int64_t when;
    CHECK_EQ(allot_decision_resource_preempted(q.decision, 0, &when), ALLOT_ENOENT);
    queues_end(&q);
}

/* P-36: until the time is over, and to the second. */
static void test_wait(void)
{
    for (int64_t at = 700; at <= 701; at++) {
        queues q;
        begin(&q, 1, 1);
        CHECK_EQ(allot_state_resource_preempted(q.state, 0, at), ALLOT_OK);
        put(&q, "r", LOW, ALLOT_RUNNING, 1);
        put(&q, "a", HIGH, ALLOT_PENDING, 1);
        CHECK_STR(queues_run(&q),
                  at == 700 ? "kill r@h1:1 (preempted), start a@h1:1 (preempted)" : "");
        if (at == 701) {
            CHECK_STR(queues_why(&q, "a"), "resource-wait lic 1/1");
            CHECK(says(&q, "a", "\"wait\": 300, \"ago\": 299"));
        }
        queues_end(&q);
    }
}

/* What jobs like it could not have for want of a resource is no reason for who asks for none. */
static void test_others_are_not_like_it(void)
{
    queues q;
    begin(&q, 3, 1);
    for (int i = 0; i < 8; i++) {
        char id[16];
        snprintf(id, sizeof id, "s%d", i);
        queues_on(&q, id, SOFT, ALLOT_RUNNING, "h1", 1);
    }
    put(&q, "s", SOFT, ALLOT_RUNNING, 3);
    put(&q, "a", HIGH, ALLOT_PENDING, 1);
    queues_pending(&q, "b", HIGH, 1);
    CHECK_STR(queues_run(&q), "suspend s7@h1:1 (preempted), start b@h1:1 (preempted)");
    CHECK_STR(queues_why(&q, "a"), "resource lic 3/3");
    queues_end(&q);
}

static int decide(allot_engine *engine, allot_policy *policy, allot_plan **plan,
                  allot_state **state, allot_decision **decision)
{
    allot_queue high, low;
    int32_t handle;
    allot_queue_init(&high);
    allot_queue_init(&low);
    high.name = "high";
    high.priority = 9;
    high.preemptive = 1;
    low.name = "low";
    low.on_preempt = ALLOT_KILL;
    int status = allot_policy_fewest(policy, ALLOT_MINI_JOB);
    status = status ? status : allot_plan_new(engine, plan);
    status = status ? status : allot_plan_policy(*plan, ALLOT_ALL, policy);
    status = status ? status : allot_plan_host(*plan, "h1", 0, 9);
    status = status ? status : allot_plan_queue(*plan, &high, &handle);
    status = status ? status : allot_plan_queue(*plan, &low, &handle);
    status = status ? status : allot_plan_resource(*plan, &(allot_resource){"lic", 2, 1});
    status = status ? status : allot_plan_preemption_wait(*plan, 400);
    status = status ? status : allot_plan_seal(*plan, NULL);
    status = status ? status : allot_state_new(*plan, state);
    status = status ? status : allot_state_now(*state, 1000);
    status = status ? status : allot_state_resource_preempted(*state, 0, 500);
    allot_job job = queues_job("r", 1, 1);
    allot_job_host place = {"h1", 1};
    job.resources = &(allot_job_resource){0, 2};
    job.resource_count = 1;
    job.state = ALLOT_RUNNING;
    job.hosts = &place;
    job.host_count = 1;
    status = status ? status : allot_state_job(*state, &job);
    job.id = "a";
    job.queue = 0;
    job.state = ALLOT_PENDING;
    job.host_count = 0;
    status = status ? status : allot_state_job(*state, &job);
    status = status ? status : allot_state_seal(*state, NULL);
    status = status ? status : allot_cycle(*plan, *state, NULL, decision);
    if (status == ALLOT_OK)
        CHECK_EQ(allot_decision_job_orders(*decision), 2);
    return status;
}

static int scenario(allot_engine *engine)
{
    allot_policy *policy = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    int status = allot_policy_new(engine, "p", &policy);
    if (status == ALLOT_OK)
        status = decide(engine, policy, &plan, &state, &decision);
    allot_decision_free(decision);
    allot_state_free(state);
    allot_plan_free(plan);
    allot_policy_free(policy);
    return status;
}

static void test_memory_runs_out(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(test_what_is_left);
    RUN(test_who_goes);
    RUN(test_held);
    RUN(test_wait);
    RUN(test_others_are_not_like_it);
    RUN(test_memory_runs_out);
    return check_done();
}
