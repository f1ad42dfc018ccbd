/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* variant_test.c: what a plan says while windows hold, and states that follow it. */
#include "model/state/state.h"
#include "model/windows/window.h"

#include "test/support/fixture.h"

enum { HOUR = 3600, DAY = 24 * HOUR, ALL = 0x7f };
static const int64_t day = 1795392000; /* 2026-11-23, a Monday */

static int32_t window(allot_plan *plan, int32_t group, int32_t from, int32_t to)
{
    int32_t made = -1;
    allot_window it = {
        .group = group, .from = from * HOUR, .to = to * HOUR, .days = ALL, .zone = -1};
    CHECK_EQ(allot_plan_window(plan, &it, &made), ALLOT_OK);
    return made;
}

static void set(allot_plan *plan, int32_t window, const char *path, int32_t column, int64_t value)
{
    CHECK_EQ(allot_plan_window_set(plan, window, fixture_find(plan, path), column, value),
             ALLOT_OK);
}

/* Three siblings and two below the second; ranks as they are added. */
static void add_all(fixture *it)
{
    static const char *const paths[] = {"/a", "/b", "/c", "/b/x", "/b/y"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        CHECK_EQ(fixture_add(it->plan, paths[i]), (int32_t)i);
        CHECK_EQ(fixture_set(it->plan, paths[i], ALLOT_RANK, (int64_t)i), ALLOT_OK);
        if (i != 1)
            CHECK_EQ(fixture_set(it->plan, paths[i], ALLOT_OWNED, 10), ALLOT_OK);
    }
}

static const allot_plan *at(const allot_plan *plan, int32_t hour)
{
    const allot_plan *variant = NULL;
    CHECK_EQ(allot_plan_at(plan, day + hour * HOUR, &variant), ALLOT_OK);
    return variant;
}

static int64_t get(const allot_plan *plan, const char *path, int32_t column)
{
    return allot_plan_get(plan, 0, fixture_find(plan, path), column);
}

static void later_windows_win_column_by_column(void)
{
    fixture it;
    fixture_begin(&it);
    add_all(&it);
    int32_t w = window(it.plan, ALLOT_ALL, 8, 18), later = window(it.plan, ALLOT_ALL, 12, 14);
    set(it.plan, w, "/a", ALLOT_OWNED, 4);
    set(it.plan, w, "/a", ALLOT_LIMIT, 50);
    set(it.plan, w, "/b/x", ALLOT_OWNED, 7);
    set(it.plan, later, "/a", ALLOT_OWNED, 99);
    set(it.plan, later, "/a", ALLOT_OWNED, 2);
    set(it.plan, later, "/c", ALLOT_GRACE, 60);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    const allot_plan *noon = at(it.plan, 12), *early = at(it.plan, 8);
    CHECK(at(it.plan, 7) == it.plan);
    CHECK(at(it.plan, 13) == noon && at(it.plan, 17) == early && early != noon);
    CHECK(at(noon, 17) == early);
    CHECK_EQ(get(it.plan, "/a", ALLOT_OWNED), 10);
    CHECK_EQ(get(early, "/a", ALLOT_OWNED), 4);
    CHECK_EQ(get(noon, "/a", ALLOT_OWNED), 2);
    CHECK_EQ(get(noon, "/a", ALLOT_LIMIT), 50);
    CHECK_EQ(get(noon, "/b", ALLOT_OWNED), 17); /* its children's sum */
    CHECK_EQ(get(noon, "/c", ALLOT_GRACE), 60);
    CHECK_EQ(get(early, "/c", ALLOT_GRACE), 0);
    CHECK_EQ(allot_plan_group_slots(it.plan, 0), 40);
    CHECK_EQ(allot_plan_group_slots(noon, 0), 2 + 17 + 10);
    CHECK_EQ(fixture_find(noon, "/b/y"), 4);
    allot_plan_free((allot_plan *)noon); /* it is the plan's */
    CHECK_EQ(get(noon, "/a", ALLOT_OWNED), 2);
    fixture_end(&it);
}

static void windows_are_of_groups(void)
{
    fixture it;
    int32_t cpu, gpu;
    allot_policy *other;
    fixture_begin(&it);
    CHECK_EQ(allot_policy_new(it.engine, "other", &other), ALLOT_OK);
    CHECK_EQ(allot_plan_group(it.plan, "cpu", &cpu), ALLOT_OK);
    CHECK_EQ(allot_plan_group(it.plan, "gpu", &gpu), ALLOT_OK);
    CHECK_EQ(allot_plan_slots(it.plan, cpu, 100), ALLOT_OK);
    add_all(&it);
    int32_t w = window(it.plan, gpu, 8, 18);
    CHECK_EQ(allot_plan_window_slots(it.plan, w, 500), ALLOT_OK);
    CHECK_EQ(allot_plan_window_policy(it.plan, w, other), ALLOT_OK);
    CHECK_EQ(allot_plan_window_option(it.plan, w, ALLOT_OPTION_DEFAULT_RANK, 3), ALLOT_OK);
    set(it.plan, w, "/a", ALLOT_SHARE, 5);
    allot_policy_free(other);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    const allot_plan *now = at(it.plan, 9);
    CHECK_EQ(allot_plan_group_slots(now, cpu), 100);
    CHECK_EQ(allot_plan_group_slots(now, gpu), 500);
    CHECK_EQ(allot_plan_group_slots(it.plan, gpu), 40);
    CHECK_EQ(allot_plan_get(now, cpu, 0, ALLOT_SHARE), 1);
    CHECK_EQ(allot_plan_get(now, gpu, 0, ALLOT_SHARE), 5);
    CHECK(allot_plan_group_policy(now, cpu) == it.policy);
    CHECK(allot_plan_group_policy(now, gpu) == other);
    CHECK(allot_plan_consumer_policy(now, gpu, 3) == other);
    CHECK_EQ(allot_plan_option_get(now, gpu, ALLOT_OPTION_DEFAULT_RANK), 3);
    CHECK_EQ(allot_plan_option_get(it.plan, gpu, ALLOT_OPTION_DEFAULT_RANK), 0);
    fixture_end(&it);
}

/* Whom a consumer lends to: the count of the list, -1: everybody; -2: nothing is said. */
static int32_t lends(const allot_plan *plan, const char *path)
{
    const allot__group *group = &plan->groups[0];
    int32_t at =
        group->lend_at ? group->lend_at[allot__row(plan, 0, fixture_find(plan, path))] : -1;
    return at < 0 ? -2 : ((const allot__peers *)group->lend.items)[at].count;
}

static void windows_say_who_lends(void)
{
    static const int32_t list[] = {2, 3};
    fixture it;
    fixture_begin(&it);
    add_all(&it);
    CHECK_EQ(allot_plan_lend(it.plan, 0, 0, list, 2), ALLOT_OK);
    int32_t w = window(it.plan, 0, 8, 18), later = window(it.plan, 0, 12, 14);
    CHECK_EQ(allot_plan_window_lend(it.plan, w, 0, NULL, -1), ALLOT_OK);
    CHECK_EQ(allot_plan_window_lend(it.plan, w, 2, list + 1, 1), ALLOT_OK);
    CHECK_EQ(allot_plan_window_lend(it.plan, later, 0, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(lends(it.plan, "/a"), 2);
    CHECK_EQ(lends(it.plan, "/c"), -2);
    CHECK_EQ(lends(at(it.plan, 9), "/a"), -1);
    CHECK_EQ(lends(at(it.plan, 9), "/c"), 1);
    CHECK_EQ(lends(at(it.plan, 12), "/a"), 0);
    CHECK_EQ(lends(at(it.plan, 12), "/c"), 1);
    fixture_end(&it);
}

/* Every set that holds is checked as a plan is, once, and the window that is to blame is named. */
static void windows_are_checked(void)
{
    fixture it;
    fixture_begin(&it);
    add_all(&it);
    CHECK_EQ(fixture_set(it.plan, "/b", ALLOT_OWNED, 20), ALLOT_OK);
    int32_t w = window(it.plan, ALLOT_ALL, 8, 18), later = window(it.plan, ALLOT_ALL, 12, 14);
    window(it.plan, ALLOT_ALL, 13, 20);
    set(it.plan, w, "/a", ALLOT_RESERVE, 6);
    set(it.plan, later, "/a", ALLOT_OWNED, 5);
    set(it.plan, later, "/b/x", ALLOT_OWNED, 11);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    CHECK_EQ(allot_report_count(it.report), 2);
    const allot_diagnostic *reserve = allot_report_at(it.report, 0);
    CHECK_STR(reserve->code, "E-reserve");
    CHECK_STR(reserve->message, "reserve is 6, at most 5, what it owns, is allowed");
    CHECK_EQ(reserve->window, w + 1);
    const allot_diagnostic *sum = allot_report_at(it.report, 1);
    CHECK_STR(sum->code, "E-unbalanced");
    CHECK_STR(sum->path, "/b");
    CHECK_EQ(sum->window, later + 1);
    set(it.plan, later, "/a", ALLOT_OWNED, 6); /* it is open still */
    set(it.plan, later, "/b", ALLOT_OWNED, 21);
    allot_report_clear(it.report);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(get(at(it.plan, 13), "/a", ALLOT_OWNED), 6);
    fixture_end(&it);
}

/* Windows that cannot meet are not held against each other; the same warning comes once. */
static void only_what_meets_is_checked(void)
{
    fixture it;
    fixture_begin(&it);
    add_all(&it);
    CHECK_EQ(allot_plan_slots(it.plan, 0, 39), ALLOT_OK);
    int32_t day_hours = window(it.plan, 0, 8, 18), night = window(it.plan, 0, 18, 8);
    set(it.plan, day_hours, "/a", ALLOT_RESERVE, 6);
    set(it.plan, night, "/a", ALLOT_OWNED, 5);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_report_count(it.report), 1);
    CHECK_STR(fixture_code(it.report, 0), "W-overowned");
    CHECK_EQ(allot_report_at(it.report, 0)->window, 0);
    fixture_end(&it);
}

/* ---- States ---------------------------------------------------------------------------------- */

static void reseal(allot_state *state, fixture *it, int32_t hour)
{
    if (state->sealed)
        CHECK_EQ(allot_state_open(state), ALLOT_OK);
    CHECK_EQ(allot_state_now(state, day + hour * HOUR), ALLOT_OK);
    CHECK_EQ(allot_state_seal(state, it->report), ALLOT_OK);
}

/* Ranks turn the siblings round for some hours: what was set stays with its consumer. */
static void states_follow_the_order_of_siblings(void)
{
    fixture it;
    allot_state *state;
    fixture_begin(&it);
    add_all(&it);
    int32_t w = window(it.plan, ALLOT_ALL, 8, 18);
    set(it.plan, w, "/a", ALLOT_RANK, 9);
    set(it.plan, w, "/b/x", ALLOT_RANK, 9);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it.plan, &state), ALLOT_OK);
    static const int32_t leaves[] = {0, 2, 3, 4};
    for (int32_t i = 0; i < 4; i++) {
        CHECK_EQ(allot_state_demand(state, 0, leaves[i], 100 + leaves[i]), ALLOT_OK);
        if (leaves[i] != 2)
            CHECK_EQ(allot_state_allocated(state, 0, leaves[i], 200 + leaves[i]), ALLOT_OK);
    }
    allot_task task = {.id = "t", .consumer = 2, .slots = 202};
    CHECK_EQ(allot_state_task(state, &task), ALLOT_OK);
    static const int32_t hours[] = {9, 7, 17, 10, 20, 32, 0};
    for (size_t i = 0; i < sizeof hours / sizeof *hours; i++) {
        reseal(state, &it, hours[i]);
        CHECK(state->plan == at(it.plan, hours[i]));
        for (int32_t k = 0; k < 4; k++) {
            CHECK_EQ(allot_state_demand_get(state, 0, leaves[k]), 100 + leaves[k]);
            CHECK_EQ(allot_state_allocated_get(state, 0, leaves[k]), 200 + leaves[k]);
            int32_t row = allot__row(state->plan, 0, leaves[k]);
            CHECK_EQ(state->groups[0].demand[row], 100 + leaves[k]);
            CHECK_EQ(allot__allocated_set(&state->groups[0], row), leaves[k] != 2);
        }
    }
    reseal(state, &it, 9);
    CHECK_EQ(allot_state_open(state), ALLOT_OK);
    CHECK_EQ(allot_state_demand(state, 0, 0, 7), ALLOT_OK); /* by the rows of 9 o'clock */
    reseal(state, &it, 7);
    CHECK_EQ(allot_state_demand_get(state, 0, 0), 7);
    allot_state_free(state);
    fixture_end(&it);
}

static void states_know_what_held_before(void)
{
    fixture it;
    allot_state *state;
    fixture_begin(&it);
    add_all(&it);
    set(it.plan, window(it.plan, ALLOT_ALL, 8, 18), "/a", ALLOT_OWNED, 5);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it.plan, &state), ALLOT_OK);
    reseal(state, &it, 8);
    CHECK(state->former == it.plan && state->plan == at(it.plan, 8)); /* at the very time */
    reseal(state, &it, 9);
    CHECK(!state->former);
    reseal(state, &it, 18);
    CHECK(state->former == at(it.plan, 8) && state->plan == it.plan);
    CHECK_EQ(allot_state_last(state, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_open(state), ALLOT_OK);
    CHECK_EQ(allot_state_last(state, day + 7 * HOUR), ALLOT_OK);
    reseal(state, &it, 12);
    CHECK(state->former == it.plan);
    reseal(state, &it, 20); /* two switches later it is as it was */
    CHECK(!state->former);
    CHECK_EQ(allot_state_open(state), ALLOT_OK);
    CHECK_EQ(allot_state_now(state, INT64_MIN), ALLOT_OK);
    CHECK_EQ(allot_state_seal(state, it.report), ALLOT_OK);
    allot_state_free(state);
    fixture_end(&it);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static int build(allot_plan *plan, allot_policy *policy)
{
    int32_t a, b, w, zone;
    allot_window hours = {.group = 0, .from = 0, .to = HOUR, .days = ALL, .zone = -1};
    /* Version 1, one transition, one type: UTC + 0. */
    static const char utc[] = "TZif\0"
                              "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                              "\0\0\0\0"
                              "\0\0\0\0"
                              "\0\0\0\0"
                              "\0\0\0\1"
                              "\0\0\0\1"
                              "\0\0\0\4"
                              "\0\0\0\7"
                              "\0"
                              "\0\0\0\0\0\0"
                              "UTC";
    int status;
#define TRY(call)                                                                                  \
    do {                                                                                           \
        OOM_RETRY(status, call);                                                                   \
        if (status)                                                                                \
            return status;                                                                         \
    } while (0)
    TRY(allot_plan_policy(plan, ALLOT_ALL, policy));
    TRY(allot_plan_add(plan, ALLOT_ROOT, "a", 1, &a));
    TRY(allot_plan_add(plan, ALLOT_ROOT, "b", 1, &b));
    TRY(allot_plan_zone(plan, "x", utc, sizeof utc, &zone));
    CHECK_EQ(allot_plan_zone(plan, "x", utc, sizeof utc, &zone), ALLOT_EEXIST);
    hours.zone = zone;
    TRY(allot_plan_window(plan, &hours, &w));
    TRY(allot_plan_window_set(plan, w, a, ALLOT_RANK, 4));
    TRY(allot_plan_window_policy(plan, w, policy));
    TRY(allot_plan_window_lend(plan, w, a, &b, 1));
    TRY(allot_plan_window_borrow(plan, w, b, NULL, -1));
    TRY(allot_plan_seal(plan, NULL));
    return ALLOT_OK;
}

static int follow(allot_plan *plan, allot_state **state)
{
    int status;
    TRY(allot_state_new(plan, state));
    TRY(allot_state_demand(*state, 0, 1, 5));
    TRY(allot_state_now(*state, day));
    TRY(allot_state_seal(*state, NULL));
    CHECK_EQ(allot_state_demand_get(*state, 0, 1), 5);
    TRY(allot_state_open(*state));
    TRY(allot_state_now(*state, day + HOUR));
    TRY(allot_state_seal(*state, NULL));
    CHECK_EQ(allot_state_demand_get(*state, 0, 1), 5);
    return ALLOT_OK;
}

static int scenario(allot_engine *engine)
{
    allot_policy *policy = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    int status = allot_policy_new(engine, "plain", &policy);
    if (status == ALLOT_OK)
        status = allot_plan_new(engine, &plan);
    if (status == ALLOT_OK)
        status = build(plan, policy);
    if (status == ALLOT_OK)
        status = follow(plan, &state);
    allot_state_free(state);
    allot_plan_free(plan);
    allot_policy_free(policy);
    return status;
}

static void memory_may_run_out(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(later_windows_win_column_by_column);
    RUN(windows_are_of_groups);
    RUN(windows_say_who_lends);
    RUN(windows_are_checked);
    RUN(only_what_meets_is_checked);
    RUN(states_follow_the_order_of_siblings);
    RUN(states_know_what_held_before);
    RUN(memory_may_run_out);
    return check_done();
}
