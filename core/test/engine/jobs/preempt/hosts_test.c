/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* hosts_test.c: searches by host, fewest victims, who may never go; memory failing. */
#include "test/support/queues.h"
#include "test/support/try.h"

static int32_t low, high;

static void preemptive(allot_queue *queue)
{
    queue->preemptive = 1;
}

/* Queues low and high under a policy with these, and so many hosts h1, h2, ... */
static void open_queues(queues *q, allot_fewest fewest, int32_t types, const int64_t *slots, int n)
{
    queues_begin(q);
    allot_plan_free(q->it.plan);
    allot_policy_free(q->it.policy);
    CHECK_EQ(allot_policy_new(q->it.engine, "searching", &q->it.policy), ALLOT_OK);
    CHECK_EQ(allot_policy_fewest(q->it.policy, fewest), ALLOT_OK);
    CHECK_EQ(allot_policy_job_types(q->it.policy, types), ALLOT_OK);
    CHECK_EQ(allot_plan_new(q->it.engine, &q->it.plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(q->it.plan, ALLOT_ALL, q->it.policy), ALLOT_OK);
    for (int i = 0; i < n; i++) {
        const char name[] = {'h', (char)('1' + i), '\0'};
        queues_host(q, name, slots[i]);
    }
    low = queues_add(q, "low", 1, NULL);
    high = queues_add(q, "high", 9, preemptive);
    queues_seal(q);
}

static void put_flagged(queues *q, const char *id, int32_t queue, allot_job_state state,
                        const char *host, int64_t slots, int32_t flags)
{
    allot_job job = queues_job(id, queue, slots);
    allot_job_host place = {host, slots};
    job.state = state;
    job.hosts = &place;
    job.host_count = host != NULL;
    job.flags = flags;
    queues_put(q, &job);
}

/* P-26, A-12: what it lacks on its own host two victims make up together; others stay. */
static void resumes_behind_several(void)
{
    queues q;
    open_queues(&q, ALLOT_ONE_BY_ONE, 0, (const int64_t[]){2, 2}, 2);
    queues_on(&q, "a", low, ALLOT_RUNNING, "h1", 1);
    queues_on(&q, "b", low, ALLOT_RUNNING, "h1", 1);
    queues_on(&q, "c", low, ALLOT_RUNNING, "h2", 1);
    queues_on(&q, "s", high, ALLOT_SUSPENDED, "h1", 2);
    CHECK_STR(queues_run(&q), "suspend b@h1:1 (preempted), suspend a@h1:1 (preempted), "
                              "resume s@h1:2 (preempted)");
    queues_end(&q);
}

/* P-40: with EXCLUSIVE whole hosts are emptied, the first on which all may go. */
static void exclusive_takes_whole_hosts(int32_t types, const char *orders, const char *why)
{
    queues q;
    open_queues(&q, ALLOT_ONE_BY_ONE, types, (const int64_t[]){4, 4, 4}, 3);
    queues_on(&q, "a", low, ALLOT_RUNNING, "h1", 1);
    queues_on(&q, "k", high, ALLOT_RUNNING, "h1", 1);
    queues_on(&q, "b", low, ALLOT_RUNNING, "h2", 2);
    queues_on(&q, "c", low, ALLOT_RUNNING, "h2", 1);
    queues_on(&q, "d", low, ALLOT_RUNNING, "h3", 4);
    put_flagged(&q, "x", high, ALLOT_PENDING, NULL, 3, ALLOT_JOB_EXCLUSIVE);
    CHECK_STR(queues_run(&q), orders);
    CHECK_STR(queues_why(&q, "x"), why);
    queues_end(&q);
}

static void exclusive_jobs(void)
{
    exclusive_takes_whole_hosts(ALLOT_PREEMPT_EXCLUSIVE,
                                "suspend c@h2:1 (preempted), suspend b@h2:2 (preempted), "
                                "start x@h2:3 (preempted)",
                                "not");
    exclusive_takes_whole_hosts(0, "", "exclusive");
}

/* P-8, P-40: an exclusive, a backfilling and a forced job; types let the first two go. */
static void types_of_victims(void)
{
    static const struct {
        int32_t flag, types;
        bool goes;
    } cases[] = {{ALLOT_JOB_EXCLUSIVE, 0, false},
                 {ALLOT_JOB_EXCLUSIVE, ALLOT_PREEMPT_EXCLUSIVE, true},
                 {ALLOT_JOB_BACKFILL, ALLOT_PREEMPT_EXCLUSIVE, false},
                 {ALLOT_JOB_FORCED, ALLOT_PREEMPT_EXCLUSIVE | ALLOT_PREEMPT_BACKFILL, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        queues q;
        open_queues(&q, ALLOT_ONE_BY_ONE, cases[i].types, (const int64_t[]){4}, 1);
        put_flagged(&q, "l", low, ALLOT_RUNNING, "h1", 1, cases[i].flag);
        queues_pending(&q, "p", high, 4);
        CHECK_STR(queues_run(&q),
                  cases[i].goes ? "suspend l@h1:1 (preempted), start p@h1:4 (preempted)" : "");
        queues_end(&q);
    }
}

/* P-14: one by one takes the small first; mini_job spares it again; the optimal looks for one. */
static void fewest(void)
{
    static const char *const wanted[] = {
        ("suspend d@h1:1 (preempted), suspend c@h1:2 (preempted), suspend b@h1:3 (preempted), "
         "start p@h1:4 (preempted)"),
        "suspend d@h1:1 (preempted), suspend b@h1:3 (preempted), start p@h1:4 (preempted)",
        "suspend a@h1:4 (preempted), start p@h1:4 (preempted)"};
    for (int how = 0; how < 3; how++) {
        queues q;
        open_queues(&q, (allot_fewest)how, 0, (const int64_t[]){10}, 1);
        queues_on(&q, "a", low, ALLOT_RUNNING, "h1", 4);
        queues_on(&q, "b", low, ALLOT_RUNNING, "h1", 3);
        queues_on(&q, "c", low, ALLOT_RUNNING, "h1", 2);
        queues_on(&q, "d", low, ALLOT_RUNNING, "h1", 1);
        queues_pending(&q, "p", high, 4);
        CHECK_STR(queues_run(&q), wanted[how]);
        queues_end(&q);
    }
}

static allot_queue queues_of(const char *name, int32_t priority)
{
    allot_queue queue;
    allot_queue_init(&queue);
    queue.name = name;
    queue.priority = priority;
    queue.preemptive = priority > 1;
    return queue;
}

static int run_queues(allot_policy *policy, allot_plan *plan, allot_state **state)
{
    int32_t number;
    int status = ALLOT_OK;
    const allot_queue queue[] = {queues_of("low", 1), queues_of("high", 9)};
    TRY(allot_policy_fewest(policy, ALLOT_OPTIMAL_MINI_JOB));
    TRY(allot_policy_job_types(policy, ALLOT_PREEMPT_EXCLUSIVE));
    TRY(allot_plan_policy(plan, ALLOT_ALL, policy));
    TRY(allot_plan_host(plan, "h1", 0, 2));
    TRY(allot_plan_queue(plan, &queue[0], &number));
    TRY(allot_plan_queue(plan, &queue[1], &number));
    TRY(allot_plan_seal(plan, NULL));
    TRY(allot_state_new(plan, state));
    for (int i = 0; i < 5; i++) {
        const char id[] = {(char)('a' + i), '\0'};
        allot_job_host place = {"h1", 1};
        allot_job job = queues_job(id, i >= 2, 1);
        job.state = i < 2 ? ALLOT_RUNNING : i == 2 ? ALLOT_SUSPENDED : ALLOT_PENDING;
        job.hosts = &place;
        job.host_count = i < 3;
        job.flags = i == 4 ? ALLOT_JOB_EXCLUSIVE : 0;
        TRY(allot_state_job(*state, &job));
    }
    return status;
}

static int scenario(allot_engine *engine)
{
    allot_policy *policy = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    int status = ALLOT_OK;
    TRY(allot_policy_new(engine, "p", &policy));
    TRY(allot_plan_new(engine, &plan));
    status = status == ALLOT_OK ? run_queues(policy, plan, &state) : status;
    TRY(allot_state_seal(state, NULL));
    TRY(allot_cycle(plan, state, NULL, &decision));
    CHECK(status != ALLOT_OK || allot_decision_job_orders(decision) > 2);
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
    RUN(resumes_behind_several);
    RUN(exclusive_jobs);
    RUN(types_of_victims);
    RUN(fewest);
    RUN(memory_runs_out);
    return check_done();
}
