/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job_test.c: jobs, use and contracts in states, and what is decided about them. */
#include "test/support/json_fixture.h"

static const char plan[] =
    "{\"hosts\": {\"h1\": {\"slots\": 4}, \"h2\": {\"slots\": 6}},"
    " \"queues\": [{\"name\": \"high\", \"priority\": 9, \"preemptive\": true},"
    " {\"name\": \"low\"}, {\"name\": \"p\", \"slot_pool\": \"P\", \"slot_share\": 50}],"
    " \"resources\": {\"lic\": 5, \"disk\": 9},"
    " \"leases\": [{\"name\": \"L\", \"provider\": \"A\", \"consumer\": \"B\", \"slots\": 5}]}";

static void begin(bench *it)
{
    bench_begin(it);
    CHECK_EQ(bench_plan(it, plan), ALLOT_OK);
    CHECK_STR(bench_faults(it), "");
}

static allot_job job_of(const bench *it, const char *id)
{
    allot_job job;
    allot_job_init(&job);
    CHECK_EQ(allot_state_job_at(it->state, allot_state_job_find(it->state, id), &job), ALLOT_OK);
    return job;
}

static void test_defaults(void)
{
    bench it;
    begin(&it);
    CHECK_EQ(bench_state(&it, "{\"now\": 50, \"jobs\": [{\"id\": \"1\", \"queue\": \"low\"}]}"),
             ALLOT_OK);
    allot_job job = job_of(&it, "1");
    CHECK_EQ(job.queue, 1);
    CHECK_EQ(job.state, ALLOT_PENDING);
    CHECK_EQ(job.slots, 1);
    CHECK_EQ(job.host_count, 0);
    CHECK(job.submitted == INT64_MIN && job.started == INT64_MIN);
    CHECK_EQ(job.run_limit, -1);
    CHECK_EQ(job.flags, 0);
    CHECK(!job.user && !job.group && !job.application);
    bench_end(&it);
}

static void test_every_key(void)
{
    bench it;
    begin(&it);
    CHECK_EQ(bench_state(
                 &it, "{\"now\": 5000, \"jobs\": [{\"id\": \"1\", \"queue\": \"low\","
                      " \"state\": \"running\", \"hosts\": {\"h1\": 1, \"h2\": 2},"
                      " \"submitted\": 10, \"started\": \"1970-01-01T00:00:20Z\", \"ran\": 30,"
                      " \"suspended_for\": 40, \"preempted\": 2, \"priority\": -3,"
                      " \"user\": \"ann\", \"group\": \"lab\", \"app\": \"sim\","
                      " \"run_limit\": 7200, \"forced\": true,"
                      " \"backfill\": {\"queue\": \"high\", \"until\": 6000},"
                      " \"resize\": {\"grow\": 2, \"granted\": {\"h2\": 1}}},"
                      " {\"id\": \"2\", \"queue\": \"high\", \"slots\": 2, \"exclusive\": true}]}"),
             ALLOT_OK);
    CHECK_STR(bench_faults(&it), "");
    allot_job job = job_of(&it, "1");
    CHECK_EQ(job.state, ALLOT_RUNNING);
    CHECK_EQ(job.slots, 3);
    CHECK_EQ(job.host_count, 2);
    CHECK_STR(job.hosts[1].host, "h2");
    CHECK_EQ(job.hosts[1].slots, 2);
    CHECK_EQ(job.submitted, 10);
    CHECK_EQ(job.started, 20);
    CHECK_EQ(job.ran, 30);
    CHECK_EQ(job.suspended_for, 40);
    CHECK_EQ(job.preempted, 2);
    CHECK_EQ(job.priority, -3);
    CHECK_STR(job.user, "ann");
    CHECK_STR(job.group, "lab");
    CHECK_STR(job.application, "sim");
    CHECK_EQ(job.run_limit, 7200);
    CHECK_EQ(job.flags, ALLOT_JOB_FORCED | ALLOT_JOB_BACKFILL);
    CHECK_EQ(job.reserved_by, 0);
    CHECK_EQ(job.until, 6000);
    CHECK_EQ(job.grow, 2);
    CHECK_EQ(job.grown_count, 1);
    CHECK_STR(job.grown[0].host, "h2");
    CHECK_EQ(job_of(&it, "2").flags, ALLOT_JOB_EXCLUSIVE);
    bench_end(&it);
}

static void test_resources(void)
{
    bench it;
    begin(&it);
    CHECK_EQ(bench_state(&it, "{\"now\": 5000, \"jobs\": [{\"id\": \"2\", \"queue\": \"high\","
                              " \"resources\": {\"disk\": 4, \"lic\": 1}}]}"),
             ALLOT_OK);
    allot_job job = job_of(&it, "2");
    CHECK_EQ(job.resource_count, 2);
    CHECK(job.resources[0].resource == 1 && job.resources[0].amount == 4);
    CHECK(job.resources[1].resource == 0 && job.resources[1].amount == 1);
    bench_end(&it);
}

static void test_leases(void)
{
    bench it;
    allot_lease_now now;
    begin(&it);
    CHECK_EQ(bench_state(&it, "{\"now\": 50, \"leases\": {\"L\": {\"provider\": {\"available\": 4,"
                              " \"used\": 1, \"idle\": 3}, \"consumer\": {\"available\": 1,"
                              " \"demand\": 7}, \"phase\": \"inactive\", \"since\": 40,"
                              " \"size\": 5, \"moved\": 1, \"to\": \"provider\","
                              " \"hosts\": {\"h1\": 1}, \"why\": {\"code\": \"equal\"}}}}"),
             ALLOT_OK);
    CHECK_EQ(allot_state_lease_at(it.state, 0, &now), ALLOT_OK);
    CHECK_EQ(now.provider.available, 4);
    CHECK_EQ(now.provider.used, 1);
    CHECK_EQ(now.provider.demand, -1);
    CHECK_EQ(now.consumer.demand, 7);
    CHECK_EQ(now.phase, ALLOT_LEASE_INACTIVE);
    CHECK_EQ(now.since, 40);
    bench_end(&it);
}

static void test_faults(void)
{
#define JOB "{\"now\": 50, \"jobs\": [\n{\"id\": \"1\", \"queue\": \"low\""
    static const struct {
        const char *text, *faults;
    } cases[] = {
        {"{\"now\": 50, \"jobs\": [\n{\"id\": \"1\", \"queue\": \"lo\"}]}", "E-unknown-queue:2:22"},
        {"{\"now\": 50, \"jobs\": [\n{\"queue\": \"low\"}]}", "E-missing:2:1"},
        {JOB ", \"state\": \"over\"}]}", "E-range:2:38"},
        {JOB ", \"slots\": 0}]}", "E-range:2:38"},
        {JOB ", \"slot\": 1}]}", "E-unknown-key:2:29"},
        {JOB "}, {\"id\": \"1\", \"queue\": \"p\"}]}", "E-duplicate-id:2:37"},
        {JOB ", \"state\": \"running\"}]}", "E-hosts:2:1"},
        {JOB ", \"user\": \"\"}]}", "E-name:2:37"},
        {JOB ", \"backfill\": {\"queue\": \"x\"}}]}", "E-unknown-queue:2:51"},
        {"{\"now\": 50,\n\"consumers\": {\"/low\": {\"demand\": 1}}}", "E-queues:2:1"},
        {"{\"now\": 50, \"usage_at\": 1,\n\"usage\": {\"x\": 1}}", "E-unknown-queue:2:11"},
        {"{\"now\": 50, \"usage_at\": 1,\n\"usage_rest\": {\"p\": 1}}", "E-missing:2:16"},
        {"{\"now\": 50,\n\"leases\": {\"M\": {\"provider\": {\"available\": 1},"
         " \"consumer\": {\"available\": 1}, \"since\": 1}}}",
         "E-unknown-lease:2:12"},
        {"{\"now\": 50,\n\"leases\": {\"L\": {\"provider\": {\"available\": 1, \"used\": 2},"
         " \"consumer\": {\"available\": 1}, \"since\": 1}}}",
         "E-range:2:55"},
    };
#undef JOB
    bench it;
    begin(&it);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_EQ(bench_state(&it, cases[i].text), ALLOT_EINVALID);
        CHECK_STR(bench_faults(&it), cases[i].faults);
    }
    bench_end(&it);
}

/* ---- Decisions ------------------------------------------------------------------------------- */

typedef struct text {
    char bytes[8000];
    size_t len;
} text;

static int sink(void *ud, const char *bytes, size_t len)
{
    text *it = ud;
    if (it->len + len >= sizeof it->bytes)
        return 1;
    memcpy(it->bytes + it->len, bytes, len);
    it->len += len;
    it->bytes[it->len] = '\0';
    return 0;
}

static void test_decision(void)
{
    static const char *const parts[] = {
        "{\"job\": \"2\", \"queue\": \"high\", \"slots\": 8, \"hosts\": {",
        "{\"job\": \"1\", \"queue\": \"low\", \"slots\": 4, \"hosts\": {\"h1\": 4}, \"action\": "
        "\"suspend\", \"for\": \"2\", \"preempted\": 1, \"why\": {\"code\": \"preempted\", "
        "\"queue_priority\": 1, \"by_priority\": 9, \"ran\": 60}}",
        "\"usage\": {\"p\": 7}, \"usage_at\": 100, \"usage_rest\": {\"p\": 9}",
        "\"L\": {\"provider\": {\"available\": 4, \"used\": 0, \"idle\": 4}, ",
        "\"phase\": \"conn\"",
    };
    bench it;
    allot_decision *decision = NULL;
    text out = {.len = 0};
    begin(&it);
    CHECK_EQ(bench_state(&it, "{\"now\": 100, \"usage\": {\"p\": 7}, \"usage_rest\": {\"p\": 9},"
                              " \"usage_at\": \"1970-01-01T00:01:40Z\", \"jobs\": ["
                              "{\"id\": \"1\", \"queue\": \"low\", \"state\": \"running\","
                              " \"hosts\": {\"h1\": 4}, \"started\": 40},"
                              "{\"id\": \"2\", \"queue\": \"high\", \"slots\": 8}]}"),
             ALLOT_OK);
    CHECK_EQ(allot_cycle(it.plan, it.state, it.report, &decision), ALLOT_OK);
    CHECK_EQ(allot_decision_write(decision, NULL, sink, &out), ALLOT_OK);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        CHECK(strstr(out.bytes, parts[i]) != NULL);
    allot_decision_free(decision);
    bench_end(&it);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static int read_once(allot_engine *engine)
{
    static const char state[] =
        "{\"now\": 5000, \"usage\": {\"p\": 7}, \"usage_at\": 10,"
        " \"resources_preempted_at\": {\"lic\": 20}, \"jobs\": ["
        "{\"id\": \"1\", \"queue\": \"low\", \"state\": \"running\", \"hosts\": {\"h1\": 1},"
        " \"user\": \"ann\", \"resize\": {\"grow\": 2, \"granted\": {\"h2\": 1}}},"
        "{\"id\": \"2\", \"queue\": \"high\", \"tags\": [\"a\"],"
        " \"resources\": {\"disk\": 2, \"lic\": 1}, \"backfill\": {\"until\": 9000}}],"
        " \"leases\": {\"L\": {\"provider\": {\"available\": 4}, \"consumer\": {\"available\": 1},"
        " \"since\": 3}}}";
    allot_policy_loader loader = {.load = loader_load};
    allot_plan *read = NULL;
    allot_state *now = NULL;
    int status;
    OOM_RETRY(status,
              allot_plan_read(engine, plan, sizeof plan - 1, "plan.json", &loader, NULL, &read));
    if (status == ALLOT_OK)
        OOM_RETRY(status,
                  allot_state_read(read, state, sizeof state - 1, "state.json", NULL, &now));
    allot_state_free(now);
    allot_plan_free(read);
    return status;
}

static void test_out_of_memory(void)
{
    CHECK(oom_each(read_once));
}

int main(void)
{
    RUN(test_defaults);
    RUN(test_every_key);
    RUN(test_resources);
    RUN(test_leases);
    RUN(test_faults);
    RUN(test_decision);
    RUN(test_out_of_memory);
    return check_done();
}
