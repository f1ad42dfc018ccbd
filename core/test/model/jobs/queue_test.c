/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue_test.c: queues, and what binds their jobs, as they are added to a plan. */
#include "test/support/queue_fixture.h"

static void a_queue_is_a_consumer(void)
{
    fixture it;
    queues_begin(&it);
    const char *const high[] = {"top"}, *const hosts[] = {"h2", "h1"};
    const allot_prefers low[] = {{"bottom", 2}};
    allot_queue queue = queue_named("middle", 7), got;
    int32_t handle = -1;
    queue.low = low;
    queue.high = high;
    queue.hosts = hosts;
    queue.low_count = queue.high_count = 1;
    queue.host_count = 2;
    queue.slot_pool = "pool_1";
    queue.slot_share = 30;
    CHECK_EQ(allot_plan_queue(it.plan, &queue, &handle), ALLOT_OK);
    CHECK_EQ(handle, 0);
    CHECK_EQ(allot_plan_queues(it.plan), 1);
    CHECK_EQ(allot_plan_queue_find(it.plan, "middle"), 0);
    CHECK_EQ(allot_plan_queue_find(it.plan, "nobody"), -1);
    CHECK_EQ(allot_plan_queue_consumer(it.plan, 0), fixture_find(it.plan, "/middle"));
    CHECK_EQ(allot_plan_queue_consumer(it.plan, 1), -1);
    CHECK_EQ(allot_plan_queue_at(it.plan, 0, &got), ALLOT_OK);
    CHECK_EQ(allot_plan_queue_at(it.plan, 1, &got), ALLOT_EUSAGE);
    CHECK(got.name != queue.name && got.low != low && got.high != high && got.hosts != hosts);
    CHECK_STR(got.name, "middle");
    CHECK_STR(got.low[0].queue, "bottom");
    CHECK_EQ(got.low[0].level, 2);
    CHECK_STR(got.high[0], "top");
    CHECK_STR(got.hosts[0], "h2");
    CHECK_STR(got.slot_pool, "pool_1");
    CHECK_EQ(got.preemptive && got.preemptable, 1); /* its lists say so */
    fixture_end(&it);
}

static void nothing_stated(void)
{
    allot_queue queue;
    allot_queue_init(&queue);
    CHECK_EQ(queue.priority, 1); /* P-2 */
    CHECK_EQ(queue.preemptive || queue.preemptable, 0);
    CHECK_EQ(queue.qjob_limit, ALLOT_NONE);
    CHECK_EQ(queue.protection.max_job_preempt, ALLOT_NONE);
    CHECK_EQ(queue.on_preempt, ALLOT_SUSPEND); /* P-41 */
    allot_queue_init(NULL);
    allot_protection_init(NULL);
    CHECK_STR(allot_action_name(ALLOT_REQUEUE), "requeue");
    CHECK_STR(allot_action_name(ALLOT_ACTION_COUNT), NULL);
    CHECK_STR(allot_action_name(-1), NULL);
}

static void names_and_calls(void)
{
    fixture it;
    queues_begin(&it);
    int32_t handle;
    allot_queue queue = queue_named("q", 1), bad = queue_named("9", 1);
    CHECK_EQ(queue_add(&it, &queue), ALLOT_OK);
    CHECK_EQ(queue_add(&it, &queue), ALLOT_EEXIST);
    CHECK_EQ(queue_add(&it, &bad), ALLOT_ENAME);
    bad.name = NULL;
    CHECK_EQ(queue_add(&it, &bad), ALLOT_ENAME);
    CHECK_EQ(queue_add(&it, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_queue(NULL, &queue, &handle), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_queue(it.plan, &queue, NULL), ALLOT_EUSAGE);
    bad = queue_named("r", 1);
    bad.low_count = 1;
    CHECK_EQ(queue_add(&it, &bad), ALLOT_EUSAGE); /* no list */
    bad.low = &(allot_prefers){"", 0};
    CHECK_EQ(queue_add(&it, &bad), ALLOT_ENAME);
    CHECK(fixture_add(it.plan, "/consumer") >= 0);
    bad = queue_named("r", 1);
    CHECK_EQ(queue_add(&it, &bad), ALLOT_EUSAGE); /* beside a consumer */
    CHECK_EQ(allot_plan_queues(it.plan), 1);
    fixture_end(&it);
}

/* at most 60 letters, digits, _ and -. */
static void names_of_pools(void)
{
    static const char longest[] = "123456789_123456789-123456789_123456789_123456789_123456789_";
    static const char *const bad[] = {
        "", "two words", "\xc3\xa4", "a/b",
        "123456789_123456789-123456789_123456789_123456789_123456789_1"};
    fixture it;
    queues_begin(&it);
    allot_queue queue = queue_named("q", 1);
    queue.slot_share = 1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        queue.slot_pool = bad[i];
        CHECK_EQ(queue_add(&it, &queue), ALLOT_ENAME);
    }
    CHECK_EQ((long long)strlen(longest), 60);
    queue.slot_pool = longest;
    CHECK_EQ(queue_add(&it, &queue), ALLOT_OK);
    fixture_end(&it);
}

static void numbers_have_ranges(void)
{
    fixture it;
    queues_begin(&it);
#define TRY(field, value, wanted)                                                                  \
    do {                                                                                           \
        allot_queue queue = queue_named("q", 1);                                                   \
        queue.field = (value);                                                                     \
        CHECK_EQ(queue_add(&it, &queue), (wanted));                                                \
    } while (0)
    TRY(priority, -1, ALLOT_ERANGE);
    TRY(slot_share, 101, ALLOT_ERANGE);
    TRY(slot_share, -1, ALLOT_ERANGE);
    TRY(max_slots_in_pool, -1, ALLOT_ERANGE);
    TRY(qjob_limit, -1, ALLOT_ERANGE);
    TRY(ujob_limit, ALLOT_AMOUNT_MAX + 1, ALLOT_ERANGE);
    TRY(qjob_percent, 101, ALLOT_ERANGE); /* P-27 */
    TRY(qjob_percent, -1, ALLOT_ERANGE);
    TRY(ujob_percent, ALLOT_PERCENT_MAX + 1, ALLOT_ERANGE);
    TRY(pjob_limit, -5, ALLOT_ERANGE);
    TRY(hjob_limit, -1, ALLOT_ERANGE);
    TRY(run_limit, 0, ALLOT_ERANGE);
    TRY(interruptible_backfill, 0, ALLOT_ERANGE);
    TRY(on_preempt, ALLOT_ACTION_COUNT, ALLOT_ERANGE);
    TRY(protection.max_job_preempt, 0, ALLOT_ERANGE); /* P-30: 0 < n */
    TRY(protection.no_preempt_interval, -1, ALLOT_ERANGE);
    TRY(protection.run_time_percent, 100, ALLOT_ERANGE); /* P-33: 1 ... 99 */
    TRY(protection.finish_time_percent, -1, ALLOT_ERANGE);
    TRY(low_count, -1, ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_queues(it.plan), 0);
    TRY(protection.run_time_percent, 99, ALLOT_OK);
#undef TRY
    allot_queue both = queue_named("both", 1); /* seconds or percent */
    both.protection.run_time_percent = 50;
    both.protection.no_preempt_run_time = 60;
    CHECK_EQ(queue_add(&it, &both), ALLOT_ERANGE);
    fixture_end(&it);
}

/* A-6, P-30: application, then queue, then plan, value by value. */
static void protections_override(void)
{
    fixture it;
    queues_begin(&it);
    allot_protection params, profile;
    allot_protection_init(&params);
    allot_protection_init(&profile);
    params.max_job_preempt = 5;
    params.preempt_delay = 60;
    params.no_preempt_run_time = 1200;
    profile.max_job_preempt = 1;
    CHECK_EQ(allot_plan_protection(it.plan, &params), ALLOT_OK);
    CHECK_EQ(allot_plan_application(it.plan, "app", &profile, 3600), ALLOT_OK);
    CHECK_EQ(allot_plan_application(it.plan, "app", &profile, 3600), ALLOT_EEXIST);
    CHECK_EQ(allot_plan_application(it.plan, "", &profile, 3600), ALLOT_ENAME);
    CHECK_EQ(allot_plan_application(it.plan, "b", &profile, 0), ALLOT_ERANGE);
    CHECK_EQ(allot_plan_application(it.plan, "b", NULL, 1), ALLOT_EUSAGE);
    allot_queue queue = queue_named("q", 1), plain = queue_named("p", 1);
    queue.protection.max_job_preempt = 3;
    queue.protection.run_time_percent = 50;
    queue.run_limit = 60;
    CHECK_EQ(queue_add(&it, &queue), ALLOT_OK);
    CHECK_EQ(queue_add(&it, &plain), ALLOT_OK);
    const allot__queues *queues = it.plan->queues;
    CHECK_EQ(allot__protection_of(queues, 0, 0).max_job_preempt, 1); /* PV-6 */
    CHECK_EQ(allot__protection_of(queues, -1, 0).max_job_preempt, 3);
    CHECK_EQ(allot__protection_of(queues, -1, 1).max_job_preempt, 5);
    CHECK_EQ(allot__protection_of(queues, 7, 1).max_job_preempt, 5); /* the plan knows none */
    CHECK_EQ(allot__protection_of(queues, 0, 0).preempt_delay, 60);
    CHECK_EQ(allot__protection_of(queues, 0, 0).run_time_percent, 50);
    CHECK_EQ(allot__protection_of(queues, 0, 0).no_preempt_run_time, ALLOT_NONE);
    CHECK_EQ(allot__protection_of(queues, 0, 1).no_preempt_run_time, 1200);
    CHECK_EQ(allot__run_limit_of(queues, 0, 0), 3600);
    CHECK_EQ(allot__run_limit_of(queues, -1, 0), 60);
    CHECK_EQ(allot__run_limit_of(queues, -1, 1), ALLOT_NONE);
    params.max_job_preempt = 0;
    CHECK_EQ(allot_plan_protection(it.plan, &params), ALLOT_ERANGE);
    CHECK_EQ(allot_plan_protection(it.plan, NULL), ALLOT_EUSAGE);
    fixture_end(&it);
}

/* the HIST_HOURS law, unless something else is said. */
static void use_fades(void)
{
    fixture it;
    queues_begin(&it);
    queue_preempting(&it, "q", 1, NULL, NULL);
    allot_decay decay;
    CHECK_EQ(allot_plan_decay_get(it.plan, &decay), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_decay(it.plan, &(allot_decay){0, 2}), ALLOT_OK);
    CHECK_EQ(it.plan->decay.period, 0);
    CHECK_EQ(allot_plan_decay(it.plan, &(allot_decay){-1, 2}), ALLOT_ERANGE);
    CHECK_EQ(allot_plan_decay(it.plan, &(allot_decay){60, 1}), ALLOT_ERANGE);
    CHECK_EQ(allot_plan_decay(it.plan, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_plan_decay(it.plan, &(allot_decay){0, 2}), ALLOT_EUSAGE);
    fixture_end(&it);
}

static void groups_of_users(void)
{
    fixture it;
    queues_begin(&it);
    const char *const users[] = {"ann", "bob", "ann"}, *const others[] = {"bob", "cid"};
    const char *const groups[] = {"second", "third"};
    allot_job_limit limit = {.name = "l",
                             .most = 3,
                             .groups = groups,
                             .group_count = 2,
                             .users = others,
                             .user_count = 2};
    CHECK_EQ(allot_plan_job_limit(it.plan, &limit), ALLOT_OK); /* names groups before they are */
    CHECK_EQ(allot_plan_users(it.plan, "first", users, 3), ALLOT_OK);
    CHECK_EQ(allot_plan_users(it.plan, "second", others, 2), ALLOT_OK);
    CHECK_EQ(allot_plan_users(it.plan, "second", users, 3), ALLOT_EEXIST);
    CHECK_EQ(allot_plan_users(it.plan, "", users, 3), ALLOT_ENAME);
    CHECK_EQ(allot_plan_users(it.plan, "fourth", NULL, 3), ALLOT_EUSAGE);
    queue_preempting(&it, "q", 1, NULL, NULL);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK(finds(it.report, "W-group", "limits[0].user_groups[1]"));
    CHECK_EQ(allot_report_count(it.report), 1);
    const allot__queues *queues = it.plan->queues;
    /* Users bob, cid, ann; groups second, third, first, in the order of being named. */
    const int32_t first[] = {0, 2, 3, 4}, group[] = {2, 0, 0, 2};
    CHECK_EQ((long long)queues->users.count, 3);
    for (int32_t i = 0; i < 4; i++) {
        CHECK_EQ(queues->user_first[i], first[i]);
        CHECK_EQ(queues->group_of[i], group[i]);
    }
    const allot__job_limit *sealed = queues->limits.items;
    CHECK_EQ((long long)sealed->users[0], 3);  /* bob, cid */
    CHECK_EQ((long long)sealed->groups[0], 3); /* second, third */
    CHECK(!sealed->queues);
    CHECK_EQ(sealed->set, -1);
    fixture_end(&it);
}

/* A limit of users alone is none of groups, nor the other way round. */
static void users_or_groups(void)
{
    fixture it;
    queues_begin(&it);
    const char *const names[] = {"ann"};
    allot_job_limit users = {.name = "u", .most = 3, .users = names, .user_count = 1};
    allot_job_limit groups = {.name = "g", .most = 3, .groups = names, .group_count = 1};
    CHECK_EQ(allot_plan_users(it.plan, "ann", names, 1), ALLOT_OK); /* a group of the same name */
    CHECK_EQ(allot_plan_job_limit(it.plan, &users), ALLOT_OK);
    CHECK_EQ(allot_plan_job_limit(it.plan, &groups), ALLOT_OK);
    queue_preempting(&it, "q", 1, NULL, NULL);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_report_count(it.report), 0);
    const allot__job_limit *limits = it.plan->queues->limits.items;
    CHECK(limits[0].users && !limits[0].groups);
    CHECK(!limits[1].users && limits[1].groups);
    CHECK_EQ((long long)limits[0].users[0], 1);
    CHECK_EQ((long long)limits[1].groups[0], 1);
    fixture_end(&it);
}

static void limits_are_checked(void)
{
    fixture it;
    queues_begin(&it);
    const char *const bad[] = {"", NULL};
    allot_job_limit limit = {.name = "l", .most = 3};
    CHECK_EQ(allot_plan_job_limit(it.plan, &limit), ALLOT_OK);
    limit.most = -1;
    CHECK_EQ(allot_plan_job_limit(it.plan, &limit), ALLOT_ERANGE);
    limit.most = 3;
    limit.per = 16;
    CHECK_EQ(allot_plan_job_limit(it.plan, &limit), ALLOT_EUSAGE);
    limit.per = 0;
    limit.kind = ALLOT_LIMIT_PER_PROCESSOR;
    CHECK_EQ(allot_plan_job_limit(it.plan, &limit), ALLOT_EUSAGE); /* of which host? */
    limit.per = ALLOT_PER_HOST;
    CHECK_EQ(allot_plan_job_limit(it.plan, &limit), ALLOT_OK);
    limit.queues = bad;
    limit.queue_count = 1;
    CHECK_EQ(allot_plan_job_limit(it.plan, &limit), ALLOT_ENAME);
    limit.name = "";
    CHECK_EQ(allot_plan_job_limit(it.plan, &limit), ALLOT_ENAME);
    CHECK_EQ(allot_plan_job_limit(it.plan, NULL), ALLOT_EUSAGE);
    CHECK_EQ(it.plan->queues->limits_stated, 2);
    fixture_end(&it);
}

int main(void)
{
    RUN(a_queue_is_a_consumer);
    RUN(nothing_stated);
    RUN(names_and_calls);
    RUN(names_of_pools);
    RUN(numbers_have_ranges);
    RUN(protections_override);
    RUN(use_fades);
    RUN(groups_of_users);
    RUN(users_or_groups);
    RUN(limits_are_checked);
    return check_done();
}
