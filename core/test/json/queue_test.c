/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue_test.c: queues, limits, contracts and their groups in plans. */
#include "test/support/json_fixture.h"

#define HOSTS "\"hosts\": {\"h1\": {\"slots\": 4}, \"h2\": {\"slots\": 6}, \"h3\": {\"slots\": 2}}"

static allot_queue queue_of(const bench *it, const char *name)
{
    allot_queue queue;
    allot_queue_init(&queue);
    CHECK_EQ(allot_plan_queue_at(it->plan, allot_plan_queue_find(it->plan, name), &queue),
             ALLOT_OK);
    return queue;
}

/* "h1 h3" */
static const char *names(const char *const *list, int32_t count, char buf[200])
{
    size_t len = 0;
    buf[0] = '\0';
    for (int32_t i = 0; i < count; i++)
        len += (size_t)snprintf(buf + len, 200 - len, "%s%s", i > 0 ? " " : "", list[i]);
    return buf;
}

static void test_defaults(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, "{\"queues\": [{\"name\": \"q\"}]}"), ALLOT_OK);
    CHECK_STR(it.seen.text, "preemption");
    allot_queue queue = queue_of(&it, "q"), blank;
    allot_queue_init(&blank);
    CHECK_STR(queue.name, "q");
    blank.name = queue.name;
    CHECK_EQ(queue.priority, 1);
    CHECK_EQ(queue.qjob_limit, ALLOT_NONE);
    CHECK_EQ(queue.protection.max_job_preempt, ALLOT_NONE);
    CHECK_EQ(queue.run_limit, ALLOT_NONE);
    CHECK_EQ(queue.on_preempt, ALLOT_SUSPEND);
    CHECK_EQ(queue.preemptive, 0);
    CHECK_EQ(queue.host_count, 0);
    CHECK_EQ(memcmp(&queue.protection, &blank.protection, sizeof blank.protection), 0);
    bench_end(&it);
}

static const char every_key[] =
    "{" HOSTS ", \"host_groups\": {\"odd\": [\"h1\", \"h3\"]}, \"queues\": ["
    "{\"name\": \"q\", \"priority\": 7, \"preemptive\": [\"low+2\", \"mid\"],"
    " \"preemptable\": true, \"hosts\": [\"odd\", \"~h1\", \"h2\"],"
    " \"qjob_limit\": 1, \"ujob_limit\": 2, \"pjob_limit\": 0.5, \"hjob_limit\": 4,"
    " \"max_job_preempt\": 3, \"max_total_time_preempt\": 2,"
    " \"no_preempt_interval\": 1, \"no_preempt_run_time\": \"50%\","
    " \"no_preempt_finish_time\": 10, \"preempt_delay\": 60, \"runlimit\": \"1:30\","
    " \"terminate_when\": \"PREEMPT\", \"fairshare\": \"Y\", \"backfill\": true,"
    " \"interruptible_backfill\": 30},"
    "{\"name\": \"mid\", \"priority\": 2, \"job_controls\": {\"suspend\": "
    "\"requeue\"}, \"runlimit\": 5},"
    "{\"name\": \"low\"},"
    "{\"name\": \"p\", \"slot_pool\": \"P\", \"slot_share\": 30,"
    " \"max_slots_in_pool\": 9, \"use_priority_in_pool\": \"Y\"}]}";

static void check_relation(const allot_queue *q)
{
    char buf[200];
    CHECK_EQ(q->priority, 7);
    CHECK_EQ(q->low_count, 2);
    CHECK_STR(q->low[0].queue, "low");
    CHECK_EQ(q->low[0].level, 2);
    CHECK_STR(q->low[1].queue, "mid");
    CHECK_EQ(q->low[1].level, 0);
    CHECK_EQ(q->preemptable, 1);
    CHECK_EQ(q->high_count, 0);
    CHECK_STR(names(q->hosts, q->host_count, buf), "h2 h3");
    CHECK_EQ(q->qjob_limit, 1);
    CHECK_EQ(q->ujob_limit, 2);
    CHECK_EQ(q->pjob_limit, 500);
    CHECK_EQ(q->hjob_limit, 4);
}

static void check_protection(const allot_queue *q)
{
    CHECK_EQ(q->protection.max_job_preempt, 3);
    CHECK_EQ(q->protection.max_total_time_preempt, 120);
    CHECK_EQ(q->protection.no_preempt_interval, 60);
    CHECK_EQ(q->protection.no_preempt_run_time, ALLOT_NONE);
    CHECK_EQ(q->protection.run_time_percent, 50);
    CHECK_EQ(q->protection.no_preempt_finish_time, 600);
    CHECK_EQ(q->protection.preempt_delay, 60);
    CHECK_EQ(q->run_limit, 5400);
    CHECK_EQ(q->on_preempt, ALLOT_KILL);
    CHECK_EQ(q->fairshare, 1);
    CHECK_EQ(q->backfill, 1);
    CHECK_EQ(q->interruptible_backfill, 30);
}

static void test_every_key(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, every_key), ALLOT_OK);
    allot_queue q = queue_of(&it, "q"), p = queue_of(&it, "p"), mid = queue_of(&it, "mid");
    check_relation(&q);
    check_protection(&q);
    CHECK_EQ(mid.on_preempt, ALLOT_REQUEUE);
    CHECK_EQ(mid.run_limit, 300);
    CHECK_STR(p.slot_pool, "P");
    CHECK_EQ(p.slot_share, 30);
    CHECK_EQ(p.max_slots_in_pool, 9);
    CHECK_EQ(p.use_priority_in_pool, 1);
    bench_end(&it);
}

/* P-1: LSF's own text. */
static void test_preemption_text(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it,
                        "{\"queues\": [{\"name\": \"m\", \"priority\": 5, \"preemption\":"
                        " \"PREEMPTIVE[low+1 lower] PREEMPTABLE[high]\"},"
                        "{\"name\": \"high\", \"priority\": 9, \"preemption\": \"PREEMPTIVE\"},"
                        "{\"name\": \"low\", \"preemption\": \"PREEMPTABLE\"},"
                        "{\"name\": \"lower\"}]}"),
             ALLOT_OK);
    allot_queue m = queue_of(&it, "m"), high = queue_of(&it, "high"), low = queue_of(&it, "low");
    CHECK_EQ(m.low_count, 2);
    CHECK_EQ(m.low[0].level, 1);
    CHECK_EQ(m.high_count, 1);
    CHECK_STR(m.high[0], "high");
    CHECK_EQ(high.preemptive, 1);
    CHECK_EQ(high.preemptable, 0);
    CHECK_EQ(low.preemptive, 0);
    CHECK_EQ(low.preemptable, 1);
    bench_end(&it);
}

static void test_terms(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(
                 &it, "{\"params\": {\"preempt_for\": \"MINI_JOB\", \"max_job_preempt\": 2,"
                      " \"hist_hours\": 3, \"max_job_preempt_reset\": \"Y\"},"
                      " \"applications\": {\"sim\": {\"runlimit\": 60, \"preempt_delay\": 5}},"
                      " \"user_groups\": {\"lab\": [\"ann\", \"all of us\"], \"us\": \"lab bob\"},"
                      " \"queues\": [{\"name\": \"q\"}]}"),
             ALLOT_OK);
    CHECK_STR(it.seen.text, "preemption preempt_for='MINI_JOB'");
    bench_end(&it);
}

/* ---- Contracts ------------------------------------------------------------------------------- */

/* "name consumer h1=2 h2=2; " of all. */
static const char *contracts(const bench *it, char buf[400])
{
    size_t len = 0;
    buf[0] = '\0';
    for (int32_t i = 0; i < allot_plan_leases(it->plan); i++) {
        allot_lease lease;
        CHECK_EQ(allot_plan_lease_at(it->plan, i, &lease), ALLOT_OK);
        len += (size_t)snprintf(buf + len, 400 - len, "%s%s %s", i > 0 ? "; " : "", lease.name,
                                lease.consumer);
        for (int32_t h = 0; h < lease.host_count; h++)
            len += (size_t)snprintf(buf + len, 400 - len, " %s=%d", lease.hosts[h].host,
                                    (int)lease.hosts[h].slots);
    }
    return buf;
}

static void test_leases(void)
{
    static const struct {
        const char *lease, *expected;
    } cases[] = {
        {"\"consumer\": \"C\", \"slots\": 5", "L C"},
        {"\"consumer\": \"C\", \"hosts\": {\"h1\": 2, \"h2\": 1}", "L C h1=2 h2=1"},
        {"\"consumer\": \"C\", \"hosts\": \"~h1\"", "L C h2=6 h3=2"},
        /* LV-7 */
        {"\"type\": \"exclusive\", \"per_host\": [\"h1\", \"h2\"], \"slots\": 2,"
         " \"distribution\": [[\"C1\", 1], [\"C2\", 1]]",
         "L/C1 C1 h1=1 h2=1; L/C2 C2 h1=1 h2=1"},
        {"\"per_host\": \"h1\", \"slots\": 1, \"distribution\": [[\"C5\", 1]]", "L C5 h1=1"},
        {"\"res_select\": \"slots >= 4 && slots!=5\", \"nhosts\": 1, \"distribution\":"
         " [[\"C5\", 1]]",
         "L C5 h1=4"},
        /* Rounding: down, then the largest remainders; the provider's own name is passed over. */
        {"\"type\": \"exclusive\", \"per_host\": \"h2\", \"slots\": 5, \"distribution\":"
         " [[\"C1\", 1], [\"P\", 9], [\"C2\", 2]]",
         "L/C1 C1 h2=2; L/C2 C2 h2=3"},
        {"\"res_select\": {\"slots\": \"any\"}, \"distribution\": [[\"C1\", 1], [\"C2\", 3]]",
         "L/C1 C1 h1=4; L/C2 C2 h2=6 h3=2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench it;
        char text[600], buf[400];
        snprintf(text, sizeof text,
                 "{" HOSTS ", \"leases\": [{\"name\": \"L\", \"provider\": \"P\", %s}]}",
                 cases[i].lease);
        bench_begin(&it);
        CHECK_EQ(bench_plan(&it, text), ALLOT_OK);
        CHECK_STR(bench_faults(&it), "");
        CHECK_STR(it.seen.text, "shared_lease");
        if (it.plan)
            CHECK_STR(contracts(&it, buf), cases[i].expected);
        bench_end(&it);
    }
}

/* ---- Faults ---------------------------------------------------------------------------------- */

static const struct {
    const char *text, *faults;
} bads[] = {
    {"{\"queues\": [\n{\"name\": \"q\", \"priorty\": 1}]}", "E-unknown-key:2:15"},
    {"{\"queues\": [\n{\"name\": \"q\", \"priority\": -1}]}", "E-range:2:27"},
    {"{\"queues\": [\n{\"name\": \"q\"},\n{\"name\": \"q\"}]}", "E-duplicate-path:3:10"},
    {"{\"queues\": [\n{\"name\": \"q\", \"hosts\": [\"h9\"]}]}", "E-host:2:25"},
    {"{\"queues\": [\n{\"name\": \"q\", \"preemptive\": [\"x\"]}]}", "E-queue:2:30"},
    {"{\"queues\": [\n{\"name\": \"q\", \"preemptive\": [\"q+0\"]}]}", "E-range:2:30"},
    {"{\"queues\": [\n{\"name\": \"q\", \"preemptive\": []}]}", "E-range:2:29"},
    {"{\"queues\": [\n{\"name\": \"q\", \"preemption\": \"PREEMPTIVE[x\"}]}", "E-range:2:29"},
    {"{\"queues\": [\n{\"name\": \"q\", \"preemption\": \"PREEMPTIVE[x]\"}]}", "E-queue:2:29"},
    {"{\"queues\": [\n{\"name\": \"q\", \"slot_share\": 5}]}", "E-pool:2:29"},
    {"{\"queues\": [\n{\"name\": \"q\", \"slot_pool\": \"a b\", \"slot_share\": 5}]}",
     "E-name:2:28"},
    {"{\"queues\": [\n{\"name\": \"q\", \"runlimit\": \"1:60\"}]}", "E-range:2:27"},
    {"{\"queues\": [\n{\"name\": \"q\", \"no_preempt_run_time\": \"100%\"}]}", "E-range:2:38"},
    {"{\"queues\": [\n{\"name\": \"q\", \"interruptible_backfill\": 60}]}", "E-backfill:2:41"},
    {"{\"consumers\": [\n{\"name\": \"A\"}], \"queues\": [{\"name\": \"q\"}]}", "E-queues:2:1"},
    {"{\"queues\": [{\"name\": \"q\"}],\n\"policy\": \"hybrid\"}", "E-policy:2:11"},
    {"{\"queues\": [{\"name\": \"q\"}],\n\"limits\": [{\"slots\": 1, \"queues\": [\"w\"]}]}",
     "E-queue:2:36"},
    {"{\"queues\": [{\"name\": \"q\"}],\n\"limits\": [{\"name\": \"l\"}]}", "E-missing:2:12"},
    {"{\"queues\": [{\"name\": \"q\"}],\n\"limits\": [{\"slots_per_processor\": 1}]}",
     "E-missing:2:13"},
    {"{\"queues\": [{\"name\": \"q\"}],\n\"params\": {\"hist_hours\": 1, \"half_life\": 5}}",
     "E-conflict:2:29"},
    {"{\"queues\": [{\"name\": \"q\"}],\n\"params\": {\"hist_hours\": 9223372036854775807}}",
     "E-range:2:26"},
    {"{" HOSTS ",\n\"host_groups\": {\"a\": [\"b\"], \"b\": [\"a\"]},"
     " \"queues\": [{\"name\": \"q\"}]}",
     "E-cycle:2:35"},
    {"{" HOSTS ", \"leases\": [\n{\"name\": \"L\", \"provider\": \"P\", \"type\": \"shared\","
     " \"per_host\": \"h1\", \"slots\": 2, \"distribution\": [[\"A\", 1], [\"B\", 1]]}]}",
     "E-lease:2:96"},
    {"{\"leases\": [\n{\"name\": \"L\", \"provider\": \"P\"}]}", "E-missing:2:1 E-missing:2:1"},
    {"{\"queues\": [{\"name\": \"q\"}],\n\"policy\": \"absent\"}", "E-no-policy:2:11"},
    {"{\"policy\": \"hybrid\", \"consumers\": [],\n\"leases\": [{\"name\": \"L\", "
     "\"provider\": \"P\", \"consumer\": \"C\", \"slots\": 2}]}",
     "E-policy:2:1"},
};

static void test_faults(void)
{
    for (size_t i = 0; i < sizeof bads / sizeof bads[0]; i++) {
        bench it;
        bench_begin(&it);
        CHECK_EQ(bench_plan(&it, bads[i].text), ALLOT_EINVALID);
        CHECK_STR(bench_faults(&it), bads[i].faults);
        bench_end(&it);
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static int read_once(allot_engine *engine)
{
    static const char text[] =
        "{\"hosts\": {\"h1\": {\"slots\": 4, \"jl_u\": 2}, \"h2\": {\"slots\": 6, \"jl_u\": 2},"
        " \"h3\": {\"slots\": 2, \"jl_u\": 1}}, \"host_groups\": {\"odd\": [\"h1\", \"h3\"], \"all "
        "of them\": \"odd h2\"},"
        " \"user_groups\": {\"lab\": [\"ann\"], \"us\": [\"lab\", \"bob\"]},"
        " \"params\": {\"preempt_for\": [\"MINI_JOB\", \"USER_JLP\"], \"half_life\": 60,"
        " \"preemptable_resources\": \"lic\", \"preemption_wait_time\": 400},"
        " \"resources\": {\"lic\": 5, \"disk\": {\"amount\": 7}},"
        " \"applications\": {\"sim\": {\"runlimit\": 60}},"
        " \"queues\": [{\"name\": \"q\", \"priority\": 7, \"preemptive\": [\"low+2\"],"
        " \"hosts\": [\"all of them\", \"~h1\"]}, {\"name\": \"low\"}],"
        " \"limits\": [{\"slots\": 1, \"jobs\": 2, \"users\": [\"us\", \"cy\", \"~dan\", \"~lab\"],"
        " \"queues\": \"all ~q\", \"per_host\": [\"odd\"]}],"
        " \"leases\": [{\"name\": \"L\", \"provider\": \"P\", \"res_select\": \"slots >= 4\","
        " \"distribution\": [[\"A\", 1], [\"B\", 1]]}]}";
    allot_policy_loader loader = {.load = loader_load};
    allot_plan *plan = NULL;
    int status;
    OOM_RETRY(status,
              allot_plan_read(engine, text, sizeof text - 1, "plan.json", &loader, NULL, &plan));
    allot_plan_free(plan);
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
    RUN(test_preemption_text);
    RUN(test_terms);
    RUN(test_leases);
    RUN(test_faults);
    RUN(test_out_of_memory);
    return check_done();
}
