/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* diff_test.c: two decisions compared, both ways round; memory failing. */
#include <allot/diff.h>

#include "test/support/fixture.h"
#include "test/support/try.h"

/* Two plans of /a and /b that divide 8 slots, of which the second may also have /c; the state has
 * tasks of 1 slot: all 8 are /a's. */
typedef struct side {
    allot_policy *policy;
    allot_plan *plan;
    allot_state *state;
    allot_decision *decision;
} side;

static int add(allot_plan *plan, const char *name, int64_t owned)
{
    int32_t handle;
    int status = ALLOT_OK;
    TRY(allot_plan_add(plan, ALLOT_ROOT, name, strlen(name), &handle));
    TRY(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_OWNED, owned));
    return status;
}

static int add_tasks(side *it)
{
    static const char *const ids[] = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"};
    int status = ALLOT_OK;
    for (int i = 0; i < 8; i++) {
        const allot_task task = {.id = ids[i], .slots = 1, .started = 100 + i};
        TRY(allot_state_task(it->state, &task));
    }
    return status;
}

static int make_rules(side *it)
{
    const allot_key youngest[] = {{{ALLOT_FROM_COLUMN, ALLOT_TASK_STARTED}, 1}};
    const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};
    const allot_source need = {ALLOT_FROM_NEED, 0};
    int status = ALLOT_OK;
    TRY(allot_policy_fill(it->policy, "owned", owned, owned, NULL, 0));
    TRY(allot_policy_fill(it->policy, "borrowed", owned, need, NULL, 0));
    TRY(allot_policy_victims(it->policy, youngest, 1));
    return status;
}

static int decide(side *it, allot_engine *engine, int64_t a, int64_t c)
{
    *it = (side){0};
    int status = ALLOT_OK;
    TRY(allot_policy_new(engine, "p", &it->policy));
    if (status == ALLOT_OK)
        status = make_rules(it);
    TRY(allot_plan_new(engine, &it->plan));
    TRY(allot_plan_policy(it->plan, ALLOT_ALL, it->policy));
    status = status == ALLOT_OK ? add(it->plan, "a", a) : status;
    status = status == ALLOT_OK ? add(it->plan, "b", 8 - a) : status;
    status = status == ALLOT_OK && c >= 0 ? add(it->plan, "c", c) : status;
    TRY(allot_plan_seal(it->plan, NULL));
    TRY(allot_state_new(it->plan, &it->state));
    TRY(allot_state_now(it->state, 1000));
    TRY(allot_state_demand(it->state, 0, 0, 8));
    TRY(allot_state_demand(it->state, 0, 1, 8));
    if (status == ALLOT_OK)
        status = add_tasks(it);
    TRY(allot_state_seal(it->state, NULL));
    TRY(allot_cycle(it->plan, it->state, NULL, &it->decision));
    return status;
}

static void finish(side *it)
{
    allot_decision_free(it->decision);
    allot_state_free(it->state);
    allot_plan_free(it->plan);
    allot_policy_free(it->policy);
}

/* The row of a kind about that consumer or name; CHECKs that there is one. */
static allot_change row_of(const allot_diff *diff, int kind, const char *about)
{
    allot_change row = {.kind = ALLOT_DIFF_GROUP};
    for (int32_t i = 0; i < allot_diff_count(diff, kind); i++) {
        CHECK_EQ(allot_diff_at(diff, kind, i, &row), ALLOT_OK);
        int at = row.consumer[0] < 0;
        const allot_plan *plan = allot_decision_plan(allot_diff_side(diff, at));
        if (strcmp(row.name ? row.name : allot_plan_name(plan, row.consumer[at]), about) == 0)
            return row;
    }
    CHECK_STR(about, "a row of it");
    return row;
}

static void test_what_differs(void)
{
    fixture fix;
    side a, b;
    allot_diff *diff = NULL;
    fixture_begin(&fix);
    CHECK_EQ(decide(&a, fix.engine, 4, -1), ALLOT_OK);
    CHECK_EQ(decide(&b, fix.engine, 6, 0), ALLOT_OK);
    CHECK_EQ(allot_diff_new(a.decision, b.decision, 0, &diff), ALLOT_OK);
    CHECK(allot_diff_differs(diff));
    CHECK(allot_diff_side(diff, 0) == a.decision);

    allot_change row = row_of(diff, ALLOT_DIFF_CONSUMER, "a");
    CHECK_EQ(row.value[0][3], 4); /* quota */
    CHECK_EQ(row.value[1][3], 6);
    CHECK_EQ(row.value[0][6], 4); /* reclaimed */
    CHECK_EQ(row.value[1][6], 2);
    row = row_of(diff, ALLOT_DIFF_CONSUMER, "c");
    CHECK_EQ(row.consumer[0], -1);
    CHECK_EQ(row.consumer[1], 2);
    CHECK_EQ(allot_diff_count(diff, ALLOT_DIFF_CONSUMER), 3);

    row = row_of(diff, ALLOT_DIFF_RECLAIM, "a");
    CHECK_EQ(row.value[0][2], 4); /* tasks t7 ... t4, started at 107 ... 104 */
    CHECK_EQ(row.value[0][3], 893 + 894 + 895 + 896);
    CHECK_EQ(row.value[1][3], 893 + 894);
    row = row_of(diff, ALLOT_DIFF_CLAIM, "a");
    CHECK_EQ(row.other[1], 1);
    CHECK_EQ(row.value[0][0] - row.value[1][0], 2);
    CHECK_EQ(allot_diff_count(diff, ALLOT_DIFF_TASK), 2);
    row = row_of(diff, ALLOT_DIFF_TASK, "t5");
    CHECK_EQ(row.value[0][0], 1);
    CHECK_EQ(row.value[1][0], 0);
    allot_diff_free(diff);
    finish(&b);
    finish(&a);
    fixture_end(&fix);
}

static void test_the_other_way_round(void)
{
    fixture fix;
    side a, b;
    allot_diff *there = NULL, *back = NULL;
    fixture_begin(&fix);
    CHECK_EQ(decide(&a, fix.engine, 4, 0), ALLOT_OK);
    CHECK_EQ(decide(&b, fix.engine, 6, 0), ALLOT_OK);
    CHECK_EQ(allot_diff_new(a.decision, b.decision, 1, &there), ALLOT_OK);
    CHECK_EQ(allot_diff_new(b.decision, a.decision, 1, &back), ALLOT_OK);
    for (int kind = 0; kind < ALLOT_DIFF_KINDS; kind++) {
        allot_change x, y;
        CHECK_EQ(allot_diff_count(there, kind), allot_diff_count(back, kind));
        for (int32_t i = 0; allot_diff_at(there, kind, i, &x) == ALLOT_OK; i++) {
            if (kind == ALLOT_DIFF_TASK)
                continue; /* in the order of the lists */
            CHECK_EQ(allot_diff_at(back, kind, i, &y), ALLOT_OK);
            CHECK(memcmp(x.value[0], y.value[1], sizeof x.value[0]) == 0);
            CHECK(memcmp(x.value[1], y.value[0], sizeof x.value[0]) == 0);
        }
    }
    CHECK_EQ(allot_diff_count(there, ALLOT_DIFF_CONSUMER), 3);
    allot_diff_free(back);
    allot_diff_free(there);
    CHECK_EQ(allot_diff_new(a.decision, a.decision, 0, &there), ALLOT_OK);
    CHECK(!allot_diff_differs(there));
    for (int kind = 0; kind < ALLOT_DIFF_KINDS; kind++)
        CHECK_EQ(allot_diff_count(there, kind), 0);
    allot_diff_free(there);
    finish(&b);
    finish(&a);
    fixture_end(&fix);
}

static void test_names(void)
{
    char name[16];
    CHECK_STR(allot_diff_kind_name(ALLOT_DIFF_LEASE), "leases");
    CHECK(!allot_diff_kind_name(ALLOT_DIFF_KINDS));
    CHECK_EQ(allot_diff_measures(ALLOT_DIFF_CONSUMER), 8);
    CHECK_EQ(allot_diff_measures(ALLOT_DIFF_LOAN), 1);
    CHECK_EQ(allot_diff_measures(-1), 0);
    for (int kind = 0; kind < ALLOT_DIFF_KINDS; kind++)
        CHECK(allot_diff_measures(kind) <= ALLOT_MEASURES_MAX);
    CHECK_EQ(allot_diff_measure_name(ALLOT_DIFF_CONSUMER, 0, name, sizeof name), 6);
    CHECK_STR(name, "demand");
    CHECK(!allot_diff_decided(ALLOT_DIFF_CONSUMER, 0));
    CHECK_EQ(allot_diff_measure_name(ALLOT_DIFF_CONSUMER, 3, name, sizeof name), 5);
    CHECK_STR(name, "quota");
    CHECK(allot_diff_decided(ALLOT_DIFF_CONSUMER, 3));
    CHECK_EQ(allot_diff_measure_name(ALLOT_DIFF_CONSUMER, 8, name, sizeof name), 0);
    CHECK(!allot_diff_decided(ALLOT_DIFF_CONSUMER, 8));
}

static void test_misuse(void)
{
    fixture fix;
    side a;
    allot_change row;
    allot_diff *diff = NULL;
    allot_decision *early = NULL;
    fixture_begin(&fix);
    CHECK_EQ(decide(&a, fix.engine, 4, 0), ALLOT_OK);
    CHECK_EQ(allot_diff_new(NULL, a.decision, 0, &diff), ALLOT_EUSAGE);
    CHECK_EQ(allot_diff_new(a.decision, a.decision, 0, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_cycle_until(a.plan, a.state, ALLOT_STAGE_QUOTA, NULL, &early), ALLOT_OK);
    CHECK_EQ(allot_diff_new(early, a.decision, 0, &diff), ALLOT_EUSAGE);
    CHECK_EQ(allot_diff_new(a.decision, a.decision, 0, &diff), ALLOT_OK);
    CHECK_EQ(allot_diff_at(diff, ALLOT_DIFF_TASK, 0, &row), ALLOT_EUSAGE);
    CHECK_EQ(allot_diff_at(diff, ALLOT_DIFF_KINDS, 0, &row), ALLOT_EUSAGE);
    allot_diff_free(diff);
    allot_diff_free(NULL);
    allot_decision_free(early);
    finish(&a);
    fixture_end(&fix);
}

/* The first plan's state under the second plan decides as the second's own. */
static int copy_over(const side *a, const side *b, bool *same)
{
    allot_state *copy = NULL;
    allot_decision *decision = NULL;
    allot_diff *diff = NULL;
    int status = ALLOT_OK;
    TRY(allot_state_copy(a->state, b->plan, NULL, &copy));
    TRY(allot_state_seal(copy, NULL));
    TRY(allot_cycle(b->plan, copy, NULL, &decision));
    TRY(allot_diff_new(b->decision, decision, 0, &diff));
    *same = status == ALLOT_OK && !allot_diff_differs(diff);
    allot_diff_free(diff);
    allot_decision_free(decision);
    allot_state_free(copy);
    return status;
}

static void test_a_state_under_another_plan(void)
{
    fixture fix;
    side a, b;
    bool same = false;
    fixture_begin(&fix);
    CHECK_EQ(decide(&a, fix.engine, 4, -1), ALLOT_OK);
    CHECK_EQ(decide(&b, fix.engine, 6, 0), ALLOT_OK);
    CHECK_EQ(copy_over(&a, &b, &same), ALLOT_OK);
    CHECK(same);
    finish(&b);
    finish(&a);
    fixture_end(&fix);
}

static int scenario(allot_engine *engine)
{
    side a, b = {0};
    bool same = false;
    allot_diff *diff = NULL;
    int status = decide(&a, engine, 4, -1);
    if (status == ALLOT_OK)
        status = decide(&b, engine, 6, 0);
    TRY(allot_diff_new(a.decision, b.decision, 0, &diff));
    if (status == ALLOT_OK)
        status = copy_over(&a, &b, &same);
    allot_diff_free(diff);
    finish(&b);
    finish(&a);
    return status;
}

static void test_memory_runs_out(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(test_what_differs);
    RUN(test_the_other_way_round);
    RUN(test_names);
    RUN(test_misuse);
    RUN(test_a_state_under_another_plan);
    RUN(test_memory_runs_out);
    return check_done();
}
