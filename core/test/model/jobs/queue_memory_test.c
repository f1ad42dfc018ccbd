/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue_memory_test.c: queues, jobs and contracts with allocation failing everywhere, and how
 * long many of them take. */
#include <time.h>

#include "test/support/job_fixture.h"

/* What a scenario has made so far; all of it may be NULL. */
typedef struct things {
    allot_engine *engine;
    allot_policy *policy, *other;
    allot_plan *plan;
    allot_state *state;
    allot_report *report;
} things;

static int finish(things *it, int status)
{
    allot_state_free(it->state);
    allot_plan_free(it->plan);
    allot_policy_free(it->policy);
    allot_policy_free(it->other);
    allot_report_free(it->report);
    return status;
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        int status__;                                                                              \
        OOM_RETRY(status__, call);                                                                 \
        if (status__)                                                                              \
            return status__;                                                                       \
    } while (0)

static int make_terms(things *it)
{
    const char *const users[] = {"ann", "bob"}, *const groups[] = {"staff"};
    const char *const queues[] = {"q1", "q2"}, *const hosts[] = {"h1"};
    allot_protection profile;
    allot_protection_init(&profile);
    allot_job_limit limit = {.name = "l",
                             .most = 5,
                             .users = users,
                             .but_users = users + 1,
                             .but_user_count = 1,
                             .but_groups = groups,
                             .but_group_count = 1,
                             .groups = groups,
                             .queues = queues,
                             .hosts = hosts,
                             .user_count = 2,
                             .group_count = 1,
                             .queue_count = 2,
                             .host_count = 1};
    const allot_lease_host leased[] = {{"h1", 1}};
    allot_lease lease = {.name = "x",
                         .provider = "a",
                         .consumer = "b",
                         .hosts = leased,
                         .host_count = 1,
                         .shared = 1};
    TRY(allot_plan_protection(it->plan, &profile));
    TRY(allot_plan_application(it->plan, "app", &profile, 60));
    TRY(allot_plan_users(it->plan, "staff", users, 2));
    TRY(allot_plan_job_limit(it->plan, &limit));
    TRY(allot_plan_lease(it->plan, &lease));
    TRY(allot_plan_resource(it->plan, &(allot_resource){"lic", 5, 1}));
    TRY(allot_plan_preemption_wait(it->plan, 400));
    CHECK_EQ((long long)it->plan->queues->members.count, 2);
    CHECK_EQ(it->plan->queues->limits_stated, 1);
    return ALLOT_OK;
}

static int make_queues(things *it)
{
    const char *const high[] = {"q3"}, *const hosts[] = {"h2", "h1"};
    const allot_prefers low[] = {{"q0", 3}};
    for (int32_t i = 0; i < 6; i++) {
        char name[16];
        int32_t handle;
        snprintf(name, sizeof name, "q%d", (int)i);
        allot_queue queue = queue_named(name, i);
        queue.slot_pool = i > 3 ? "pool" : NULL;
        queue.slot_share = i > 3 ? 40 : 0;
        queue.high = high;
        queue.low = low;
        queue.hosts = hosts;
        queue.high_count = i == 1;
        queue.low_count = i == 3;
        queue.host_count = i < 4 ? i % 2 : 0;
        queue.qjob_limit = i == 2 ? 7 : ALLOT_NONE;
        TRY(allot_plan_queue(it->plan, &queue, &handle));
        CHECK_EQ(handle, i);
    }
    return ALLOT_OK;
}

static int make_plan(things *it)
{
    int32_t window;
    allot_window day = {.from = 3600, .to = 7200, .days = 127, .zone = -1};
    TRY(allot_plan_new(it->engine, &it->plan));
    TRY(allot_plan_policy(it->plan, ALLOT_ALL, it->policy));
    TRY(allot_plan_host(it->plan, "h1", 0, 4));
    TRY(allot_plan_host(it->plan, "h2", 0, 4));
    TRY(allot_plan_host(it->plan, "h3", 0, 4));
    int status = make_queues(it);
    status = status ? status : make_terms(it);
    if (status)
        return status;
    TRY(allot_plan_window(it->plan, &day, &window));
    TRY(allot_plan_window_policy(it->plan, window, it->other));
    TRY(allot_plan_seal(it->plan, it->report));
    CHECK_EQ(allot_plan_may_preempt(it->plan, 3, 1), 1);
    CHECK_EQ(allot_plan_preference(it->plan, 3, 0), 3);
    CHECK_EQ(allot_plan_pools(it->plan), 1);
    return ALLOT_OK;
}

static int make_jobs(things *it)
{
    const allot_job_host hosts[] = {{"h1", 1}, {"h3", 2}};
    const char *const tags[] = {"urgent"};
    for (int32_t i = 0; i < 12; i++) {
        char id[16];
        snprintf(id, sizeof id, "j%d", (int)i);
        allot_job job = job_of(id, i % 6, i % 3 ? ALLOT_RUNNING : ALLOT_PENDING, 3);
        job.hosts = hosts;
        job.host_count = i % 3 ? 2 : 0;
        job.resources = &(allot_job_resource){0, i};
        job.resource_count = i % 2;
        job.tags = tags;
        job.tag_count = i % 2;
        job.user = i % 2 ? "ann" : "zoe";
        job.group = "guests";
        job.application = "other";
        TRY(allot_state_job(it->state, &job));
        CHECK_EQ(allot_state_jobs(it->state), i + 1);
    }
    return ALLOT_OK;
}

static int make_state(things *it)
{
    allot_lease_now now = {.provider = {3, 1, -1}};
    TRY(allot_state_new(it->plan, &it->state));
    TRY(allot_state_now(it->state, 4000)); /* in the window */
    TRY(allot_state_resource_preempted(it->state, 0, 3000));
    TRY(allot_state_usage(it->state, 4, 100, 5));
    TRY(allot_state_usage_at(it->state, 90));
    TRY(allot_state_lease(it->state, 0, &now));
    int status = make_jobs(it);
    if (status)
        return status;
    TRY(allot_state_seal(it->state, it->report));
    CHECK_EQ(allot_plan_may_preempt(it->state->plan, 3, 1), 0); /* nobody, then */
    CHECK_EQ(allot_state_allocated_get(it->state, 0, 4), 6);
    TRY(allot_state_open(it->state));
    allot_job late = job_of("late", 0, ALLOT_PENDING, 1);
    TRY(allot_state_job(it->state, &late));
    TRY(allot_state_seal(it->state, it->report));
    CHECK_EQ(it->state->jobs->first[6], 13);
    return ALLOT_OK;
}

static int all(allot_engine *engine)
{
    things it = {.engine = engine};
    TRY(allot_report_new(engine, &it.report));
    int status;
    OOM_RETRY(status, allot_policy_new(engine, "p", &it.policy));
    if (status == ALLOT_OK)
        status = allot_policy_fewest(it.policy, ALLOT_MINI_JOB);
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_policy_new(engine, "calm", &it.other));
    if (status == ALLOT_OK)
        status = allot_policy_preempts(it.other, ALLOT_NOBODY);
    if (status == ALLOT_OK)
        status = make_plan(&it);
    if (status == ALLOT_OK)
        status = make_state(&it);
    return finish(&it, status);
}

static void every_allocation_may_fail(void)
{
    CHECK(oom_each(all));
}

/* A refused plan keeps nothing of sealing. */
static int refused(allot_engine *engine)
{
    things it = {.engine = engine};
    int32_t handle;
    allot_queue queue = queue_named("q", 1);
    queue.qjob_limit = 5;
    queue.interruptible_backfill = 5;
    int status = allot_policy_new(engine, "p", &it.policy);
    if (status == ALLOT_OK)
        status = allot_policy_preempts(it.policy, ALLOT_NOBODY);
    if (status == ALLOT_OK)
        status = allot_plan_new(engine, &it.plan);
    if (status == ALLOT_OK)
        status = allot_plan_policy(it.plan, ALLOT_ALL, it.policy);
    if (status == ALLOT_OK)
        status = allot_plan_queue(it.plan, &queue, &handle);
    for (int32_t i = 0; i < 2 && status == ALLOT_OK; i++) {
        status = allot_plan_seal(it.plan, NULL);
        status = status == ALLOT_EINVALID ? ALLOT_OK : status;
    }
    return finish(&it, status);
}

static void a_refused_plan_may_run_out_of_memory(void)
{
    CHECK(oom_each(refused));
}

/* ---- Many ---- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void add_many(allot_plan *plan, int32_t queues, int32_t hosts)
{
    char name[16];
    int32_t handle;
    for (int32_t i = 0; i < hosts; i++) {
        snprintf(name, sizeof name, "h%d", (int)i);
        CHECK_EQ(allot_plan_host(plan, name, 0, 32), ALLOT_OK);
    }
    for (int32_t i = 0; i < queues; i++) {
        snprintf(name, sizeof name, "q%d", (int)i);
        allot_queue queue = queue_named(name, i / 10);
        queue.preemptive = i % 2;
        CHECK_EQ(allot_plan_queue(plan, &queue, &handle), ALLOT_OK);
    }
}

static void many_jobs(void)
{
    enum { QUEUES = 1000, HOSTS = 10000, JOBS = 200000 };
    fixture it;
    queues_begin(&it);
    add_many(it.plan, QUEUES, HOSTS);
    double begin = seconds();
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    double sealed = seconds();
    allot_state *state;
    CHECK_EQ(allot_state_new(it.plan, &state), ALLOT_OK);
    for (int32_t i = 0; i < JOBS; i++) {
        char id[16], host[16];
        snprintf(id, sizeof id, "j%d", (int)i);
        snprintf(host, sizeof host, "h%d", (int)i % HOSTS);
        allot_job job = job_of(id, i % QUEUES, i % 2 ? ALLOT_RUNNING : ALLOT_PENDING, 1);
        job.hosts = &(allot_job_host){host, 1};
        job.host_count = i % 2;
        CHECK_EQ(allot_state_job(state, &job), ALLOT_OK);
    }
    double added = seconds();
    CHECK_EQ(allot_state_seal(state, it.report), ALLOT_OK);
    printf("# %d queues sealed in %.1f ms, %d jobs added in %.1f ms, sealed in %.1f ms\n", QUEUES,
           (sealed - begin) * 1e3, JOBS, (added - sealed) * 1e3, (seconds() - added) * 1e3);
    CHECK_EQ(allot_state_allocated_get(state, 0, 1), JOBS / QUEUES);
    allot_state_free(state);
    fixture_end(&it);
}

int main(void)
{
    RUN(every_allocation_may_fail);
    RUN(a_refused_plan_may_run_out_of_memory);
    RUN(many_jobs);
    return check_done();
}
