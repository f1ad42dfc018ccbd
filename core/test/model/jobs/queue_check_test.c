/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue_check_test.c: what sealing finds of queues: lists, pools, hosts, limits, policies. */
#include "test/support/queue_fixture.h"

static void begin(fixture *it)
{
    queues_begin(it);
    CHECK_EQ(allot_plan_host(it->plan, "h1", 0, 6), ALLOT_OK);
    CHECK_EQ(allot_plan_host(it->plan, "h2", 0, 6), ALLOT_OK);
}

static void add(fixture *it, allot_queue queue)
{
    CHECK_EQ(queue_add(it, &queue), ALLOT_OK);
}

static allot_queue pooled(const char *name, int32_t priority, const char *pool)
{
    allot_queue queue = queue_named(name, priority);
    queue.slot_pool = pool;
    queue.slot_share = 30;
    return queue;
}

static const char *said(const fixture *it)
{
    const allot_diagnostic *first = allot_report_at(it->report, 0);
    return first ? first->message : "";
}

static const char *hinted(const fixture *it)
{
    const allot_diagnostic *first = allot_report_at(it->report, 0);
    return first && first->hint ? first->hint : "";
}

/* Sealing fails with that alone. */
static void fails(fixture *it, const char *code, const char *path)
{
    CHECK_EQ(allot_plan_seal(it->plan, it->report), ALLOT_EINVALID);
    CHECK(finds(it->report, code, path));
    CHECK_EQ(allot_report_total(it->report, ALLOT_ERROR), 1);
    fixture_end(it);
}

static void warns(fixture *it, const char *code, const char *path)
{
    CHECK_EQ(allot_plan_seal(it->plan, it->report), ALLOT_OK);
    CHECK(finds(it->report, code, path));
    CHECK_EQ(allot_report_count(it->report), 1);
    fixture_end(it);
}

/* */
static void unknown_queues_in_lists(void)
{
    fixture it;
    begin(&it);
    const char *const high[] = {"normal", "hihg"};
    queue_preempting(&it, "normal", 5, NULL, NULL);
    queue_preempting(&it, "high", 9, NULL, NULL);
    allot_queue low = queue_named("low", 1);
    low.high = high;
    low.high_count = 2;
    add(&it, low);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    CHECK(finds(it.report, "E-queue", "queues[2].preemptable[1]"));
    CHECK_STR(said(&it), "there is no queue \"hihg\"");
    CHECK_STR(hinted(&it), "did you mean \"high\"?");
    CHECK_EQ(allot_report_at(it.report, 0)->consumer, 2);
    /* The plan is still open, and can be mended. */
    queue_preempting(&it, "hihg", 9, NULL, NULL);
    CHECK_EQ(allot_plan_seal(it.plan, NULL), ALLOT_OK);
    CHECK_EQ(allot_plan_may_preempt(it.plan, 3, 2), 1);
    fixture_end(&it);
}

static void unknown_hosts(void)
{
    fixture it;
    begin(&it);
    const char *const hosts[] = {"h1", "h3"};
    allot_queue queue = queue_named("q", 1);
    queue.hosts = hosts;
    queue.host_count = 2;
    add(&it, queue);
    fails(&it, "E-host", "queues[0].hosts[1]");
}

/* */
static void pools_do_not_preempt(void)
{
    fixture it;
    begin(&it);
    allot_queue queue = pooled("q", 5, "pool");
    queue.preemptive = 1;
    add(&it, queue);
    fails(&it, "E-pool", "queues[0].preemptive");
    begin(&it);
    queue.preemptive = 0;
    queue.preemptable = 1;
    add(&it, queue);
    fails(&it, "E-pool", "queues[0].preemptable");
    begin(&it);
    const char *const low[] = {"free", "q", NULL}, *const high[] = {"q", NULL};
    queue_preempting(&it, "top", 9, low, NULL);
    queue_preempting(&it, "free", 2, NULL, NULL);
    add(&it, pooled("q", 5, "pool"));
    fails(&it, "E-pool", "queues[0].preemptive[1]");
    begin(&it);
    queue_preempting(&it, "low", 1, NULL, high);
    add(&it, pooled("q", 5, "pool"));
    fails(&it, "E-pool", "queues[0].preemptable[0]");
}

/* what is named is compared, not how. */
static void pools_have_the_same_hosts(void)
{
    fixture it;
    const char *const one[] = {"h1"}, *const both[] = {"h2", "h1", "h2"};
    begin(&it);
    allot_queue queue = pooled("b", 1, "pool");
    add(&it, pooled("a", 2, "pool"));
    queue.hosts = both;
    queue.host_count = 3;
    add(&it, queue);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK); /* both are all */
    CHECK_EQ(it.plan->queues->set_of[0], it.plan->queues->set_of[1]);
    fixture_end(&it);
    begin(&it);
    add(&it, pooled("a", 2, "pool"));
    queue.hosts = one;
    queue.host_count = 1;
    add(&it, queue);
    fails(&it, "E-pool", "queues[1].hosts");
    begin(&it);
    add(&it, queue);
    add(&it, pooled("a", 2, "pool"));
    fails(&it, "E-pool", "queues[1].slot_pool");
}

/* */
static void a_share_and_its_pool(void)
{
    fixture it;
    begin(&it);
    allot_queue queue = queue_named("q", 1);
    queue.slot_share = 30;
    add(&it, queue);
    fails(&it, "E-pool", "queues[0].slot_share");
    begin(&it);
    queue.slot_share = 0;
    queue.slot_pool = "pool";
    add(&it, queue);
    fails(&it, "E-pool", "queues[0].slot_pool");
    begin(&it);
    queue.slot_pool = NULL;
    queue.max_slots_in_pool = 5;
    add(&it, queue);
    warns(&it, "W-pool", "queues[0].max_slots_in_pool");
    begin(&it);
    queue.max_slots_in_pool = ALLOT_NONE;
    queue.use_priority_in_pool = 1;
    add(&it, queue);
    warns(&it, "W-pool", "queues[0].use_priority_in_pool");
}

/* the first queue of the pool counts, whether or not it says something. */
static void the_first_queue_speaks_for_the_pool(void)
{
    fixture it;
    begin(&it);
    allot_queue a = pooled("a", 2, "pool"), b = pooled("b", 3, "pool");
    a.max_slots_in_pool = 8;
    a.use_priority_in_pool = 1;
    b.max_slots_in_pool = 4;
    add(&it, a);
    add(&it, b);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK(finds(it.report, "W-pool", "queues[1].max_slots_in_pool"));
    CHECK_EQ(allot_report_count(it.report), 1);
    CHECK_EQ(it.plan->queues->pools[0].most, 8);
    CHECK_EQ(it.plan->queues->pools[0].by_priority, true);
    fixture_end(&it);
    begin(&it);
    a.max_slots_in_pool = ALLOT_NONE;
    a.use_priority_in_pool = 0;
    b.max_slots_in_pool = ALLOT_NONE;
    b.use_priority_in_pool = 1;
    add(&it, a);
    add(&it, b);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK(finds(it.report, "W-pool", "queues[1].use_priority_in_pool"));
    CHECK_EQ(it.plan->queues->pools[0].by_priority, false);
    fixture_end(&it);
}

/* "should not" */
static void what_does_not_suit_pools(void)
{
    fixture it;
    begin(&it);
    allot_queue queue = pooled("q", 1, "pool");
    queue.slot_reserve = 1;
    add(&it, queue);
    warns(&it, "W-pool", "queues[0].slot_reserve");
    begin(&it);
    queue.slot_reserve = 0;
    queue.cross_fairshare = 1;
    add(&it, queue);
    warns(&it, "W-pool", "queues[0].fairshare_queues");
    /* */
    begin(&it);
    queue.cross_fairshare = 0;
    queue.backfill = 1;
    queue.max_slots_in_pool = 8;
    add(&it, queue);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_report_count(it.report), 0);
    fixture_end(&it);
    begin(&it);
    queue.slot_reserve = queue.backfill = 1;
    queue.max_slots_in_pool = 8;
    add(&it, queue);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK(finds(it.report, "W-pool", "queues[0].backfill"));
    CHECK(finds(it.report, "W-pool", "queues[0].slot_reserve"));
    CHECK_EQ(allot_report_count(it.report), 2);
    fixture_end(&it);
}

/* P-43 */
static void interruptible_backfill_needs_two_more(void)
{
    for (int32_t i = 0; i < 4; i++) {
        fixture it;
        begin(&it);
        allot_queue queue = queue_named("q", 1);
        queue.interruptible_backfill = 300;
        queue.backfill = i & 1;
        queue.run_limit = i & 2 ? 3600 : ALLOT_NONE;
        add(&it, queue);
        if (i < 3) {
            fails(&it, "E-backfill", "queues[0].interruptible_backfill");
            continue;
        }
        CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
        fixture_end(&it);
    }
}

static void limits_name_what_is_there(void)
{
    fixture it;
    begin(&it);
    const char *const names[] = {"q", "r"};
    allot_job_limit limit = {.name = "l", .most = 1, .queues = names, .queue_count = 2};
    add(&it, queue_named("q", 1));
    CHECK_EQ(allot_plan_job_limit(it.plan, &limit), ALLOT_OK);
    fails(&it, "E-queue", "limits[0].queues[1]");
    begin(&it);
    add(&it, queue_named("q", 1));
    limit = (allot_job_limit){.name = "l", .most = 1, .hosts = names, .host_count = 1};
    CHECK_EQ(allot_plan_job_limit(it.plan, &limit), ALLOT_OK);
    fails(&it, "E-host", "limits[0].hosts[0]");
}

/* ---- Beside queues ---- */

static void no_consumers_beside(void)
{
    fixture it;
    begin(&it);
    add(&it, queue_named("q", 1));
    fixture_add(it.plan, "/c");
    fails(&it, "E-queues", "/c");
    begin(&it);
    add(&it, queue_named("q", 1));
    fixture_add(it.plan, "/q/child");
    fails(&it, "E-queues", "/q/child");
}

static void one_group_alone(void)
{
    fixture it;
    int32_t group;
    queues_begin(&it);
    CHECK_EQ(allot_plan_group(it.plan, "a", &group), ALLOT_OK);
    CHECK_EQ(allot_plan_group(it.plan, "b", &group), ALLOT_OK);
    add(&it, queue_named("q", 1));
    fails(&it, "E-queues", "groups");
}

static void no_policies_of_their_own(void)
{
    fixture it;
    begin(&it);
    add(&it, queue_named("q", 1));
    CHECK_EQ(allot_plan_branch(it.plan, 0, it.policy), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    CHECK_STR(allot_report_at(it.report, 0)->message, "a queue has no policy of its own");
    allot_report_clear(it.report);
    fails(&it, "E-queues", "/q");
}

static void policies_suit_what_they_decide(void)
{
    fixture it;
    int32_t handle;
    fixture_begin(&it);
    allot_queue queue = queue_named("q", 1);
    CHECK_EQ(allot_plan_queue(it.plan, &queue, &handle), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    CHECK_STR(fixture_code(it.report, 0), "E-policy");
    CHECK(strstr(said(&it), "divides slots among consumers") != NULL);
    CHECK(strstr(hinted(&it), "queue_pool") != NULL);
    fixture_end(&it);
    queues_begin(&it);
    fixture_add(it.plan, "/c");
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    CHECK_STR(fixture_code(it.report, 0), "E-policy");
    CHECK(strstr(said(&it), "the plan has consumers") != NULL);
    fixture_end(&it);
    queues_begin(&it); /* of leases alone */
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    fixture_end(&it);
}

/* All at once: each is told. */
static void every_fault_is_told(void)
{
    fixture it;
    begin(&it);
    const char *const none[] = {"x", "y"};
    allot_queue queue = pooled("q", 1, "pool");
    queue.hosts = none;
    queue.host_count = 2;
    queue.high = none;
    queue.high_count = 2;
    queue.interruptible_backfill = 1;
    add(&it, queue);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    CHECK_EQ(allot_report_total(it.report, ALLOT_ERROR), 6);
    allot_report_clear(it.report);
    add(&it, pooled("r", 1, "pool")); /* whose hosts are known, but not those of the first */
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    CHECK_EQ(allot_report_total(it.report, ALLOT_ERROR), 6);
    fixture_end(&it);
}

int main(void)
{
    RUN(unknown_queues_in_lists);
    RUN(unknown_hosts);
    RUN(pools_do_not_preempt);
    RUN(pools_have_the_same_hosts);
    RUN(a_share_and_its_pool);
    RUN(the_first_queue_speaks_for_the_pool);
    RUN(what_does_not_suit_pools);
    RUN(interruptible_backfill_needs_two_more);
    RUN(limits_name_what_is_there);
    RUN(no_consumers_beside);
    RUN(one_group_alone);
    RUN(no_policies_of_their_own);
    RUN(policies_suit_what_they_decide);
    RUN(every_fault_is_told);
    return check_done();
}
