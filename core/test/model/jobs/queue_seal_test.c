/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue_seal_test.c: sets of hosts, pools and limits as a cycle reads them. */
#include "test/support/queue_fixture.h"

static void add(fixture *it, allot_queue queue)
{
    CHECK_EQ(queue_add(it, &queue), ALLOT_OK);
}

static void seal(fixture *it)
{
    CHECK_EQ(allot_plan_seal(it->plan, it->report), ALLOT_OK);
    CHECK_EQ(allot_report_count(it->report), 0);
}

/* QV-11: two pools and queues of none, in the order of the file. */
static void pools_by_first_queue(void)
{
    fixture it;
    queues_begin(&it);
    const char *const pools[] = {"b", "b", "b", NULL, NULL, "a", "a", "a"};
    const int32_t wanted[] = {0, 0, 0, -1, -1, 1, 1, 1};
    for (int32_t i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof name, "queue%d", (int)i + 1);
        allot_queue queue = queue_named(name, 8 - i);
        queue.slot_pool = pools[i];
        queue.slot_share = pools[i] ? 30 : 0;
        queue.max_slots_in_pool = i == 5 ? 100 : ALLOT_NONE;
        add(&it, queue);
    }
    CHECK_EQ(allot_plan_pools(it.plan), 0); /* not known yet */
    seal(&it);
    CHECK_EQ(allot_plan_pools(it.plan), 2);
    CHECK_STR(allot_plan_pool_name(it.plan, 0), "b");
    CHECK_STR(allot_plan_pool_name(it.plan, 1), "a");
    CHECK_STR(allot_plan_pool_name(it.plan, 2), NULL);
    for (int32_t i = 0; i < 8; i++)
        CHECK_EQ(allot_plan_queue_pool(it.plan, i), wanted[i]);
    CHECK_EQ(allot_plan_queue_pool(it.plan, 8), -1);
    const allot__slot_pool *second = &it.plan->queues->pools[1];
    CHECK_EQ(second->count, 3);
    for (int32_t i = 0; i < 3; i++)
        CHECK_EQ(second->queues[i], 5 + i);
    CHECK_EQ(second->most, 100);
    CHECK_EQ(it.plan->queues->pools[0].most, ALLOT_NONE);
    fixture_end(&it);
}

enum { HOSTS = 70 };

/* Equal sets are one; what names all hosts is the first set, without bits. */
static void sets_of_hosts(void)
{
    fixture it;
    queues_begin(&it);
    static char names[HOSTS][16];
    const char *all[HOSTS];
    for (int32_t i = 0; i < HOSTS; i++) {
        snprintf(names[i], sizeof names[i], "h%d", (int)i);
        all[i] = names[i];
        CHECK_EQ(allot_plan_host(it.plan, names[i], 0, 1), ALLOT_OK);
    }
    const char *const pair[] = {"h69", "h3"}, *const riap[] = {"h3", "h69", "h3"};
    const struct {
        const char *name;
        const char *const *hosts;
        int32_t count, set;
    } cases[] = {{"a", pair, 2, 1}, {"b", NULL, 0, 0},    {"c", riap, 3, 1},
                 {"d", pair, 1, 2}, {"e", all, HOSTS, 0}, {"f", all, HOSTS - 1, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        allot_queue queue = queue_named(cases[i].name, 1);
        queue.hosts = cases[i].hosts;
        queue.host_count = cases[i].count;
        add(&it, queue);
    }
    allot_job_limit limit = {.name = "l", .most = 1, .hosts = riap, .host_count = 2};
    CHECK_EQ(allot_plan_job_limit(it.plan, &limit), ALLOT_OK);
    seal(&it);
    const allot__queues *queues = it.plan->queues;
    const allot__host_set *sets = queues->sets.items;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_EQ(queues->set_of[i], cases[i].set);
    CHECK_EQ((long long)queues->sets.count, 4);
    CHECK(!sets[0].bits);
    CHECK_EQ(sets[0].count, HOSTS);
    CHECK_EQ(sets[1].count, 2);
    CHECK_EQ((long long)sets[1].bits[0], 1 << 3);
    CHECK_EQ((long long)sets[1].bits[1], 1 << 5);
    CHECK_EQ(((const allot__job_limit *)queues->limits.items)->set, 1);
    fixture_end(&it);
}

static void add_limited(fixture *it)
{
    const char *const names[] = {"b"};
    allot_job_limit limit = {.name = "jobs",
                             .kind = ALLOT_LIMIT_JOBS,
                             .most = 2,
                             .queues = names,
                             .queue_count = 1,
                             .per = ALLOT_PER_USER};
    allot_queue a = queue_named("a", 1), b = queue_named("b", 1);
    b.qjob_limit = 40;
    b.ujob_limit = 0;
    b.pjob_limit = 1500;
    b.hjob_limit = 3;
    add(it, a);
    add(it, b);
    CHECK_EQ(allot_plan_job_limit(it->plan, &limit), ALLOT_OK);
}

/* What queues state of their own are limits behind the plan's; suspended jobs count (P-22). */
static void queues_have_limits(void)
{
    static const struct {
        const char *name;
        allot_limit_kind kind;
        int64_t most;
        int32_t per;
    } wanted[] = {{"jobs", ALLOT_LIMIT_JOBS, 2, ALLOT_PER_USER},
                  {"qjob_limit of b", ALLOT_LIMIT_SLOTS, 40, 0},
                  {"ujob_limit of b", ALLOT_LIMIT_SLOTS, 0, ALLOT_PER_USER},
                  {"pjob_limit of b", ALLOT_LIMIT_PER_PROCESSOR, 1500, ALLOT_PER_HOST},
                  {"hjob_limit of b", ALLOT_LIMIT_SLOTS, 3, ALLOT_PER_HOST}};
    fixture it;
    queues_begin(&it);
    add_limited(&it);
    seal(&it);
    const allot__queues *queues = it.plan->queues;
    CHECK_EQ((long long)queues->limits.count, 5);
    for (size_t i = 0; i < queues->limits.count; i++) {
        const allot__job_limit *got = (const allot__job_limit *)queues->limits.items + i;
        CHECK_STR(got->stated.name, wanted[i].name);
        CHECK_EQ(got->stated.kind, wanted[i].kind);
        CHECK_EQ(got->stated.most, wanted[i].most);
        CHECK_EQ(got->stated.per, wanted[i].per);
        CHECK_EQ(got->queue_level, i > 0);
        CHECK_EQ(got->queue, i > 0 ? 1 : -1);
        CHECK_EQ((long long)got->queues[0], 2);
    }
    fixture_end(&it);
}

/* What a sealing that failed made is gone: the next is as the first. */
static void sealing_again(void)
{
    fixture it;
    queues_begin(&it);
    const char *const names[] = {"late"};
    allot_job_limit limit = {.name = "l", .most = 2, .queues = names, .queue_count = 1};
    allot_queue a = queue_named("a", 1), late = queue_named("late", 1);
    a.qjob_limit = 4;
    add(&it, a);
    CHECK_EQ(allot_plan_job_limit(it.plan, &limit), ALLOT_OK);
    for (int32_t i = 0; i < 3; i++)
        CHECK_EQ(allot_plan_seal(it.plan, NULL), ALLOT_EINVALID);
    CHECK_EQ((long long)it.plan->queues->limits.count, 1);
    add(&it, late);
    seal(&it);
    CHECK_EQ((long long)it.plan->queues->limits.count, 2);
    CHECK_EQ((long long)it.plan->queues->sets.count, 1);
    fixture_end(&it);
}

/* P-20: preemption is on where a queue or a policy says so. */
static void preemption_is_on(void)
{
    for (int32_t i = 0; i < 3; i++) {
        fixture it;
        queues_begin(&it);
        allot_queue queue = queue_named("q", 1);
        queue.preemptive = i == 1;
        queue.preemptable = i == 2;
        add(&it, queue);
        seal(&it);
        CHECK_EQ(it.plan->queues->preempts, i > 0);
        fixture_end(&it);
    }
}

int main(void)
{
    RUN(pools_by_first_queue);
    RUN(sets_of_hosts);
    RUN(queues_have_limits);
    RUN(sealing_again);
    RUN(preemption_is_on);
    return check_done();
}
