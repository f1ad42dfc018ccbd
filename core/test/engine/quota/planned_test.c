/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* planned_test.c: planned shares and what counts as held, row by row. */
#include "engine/quota/pass.h"

#include "engine/quota/quota.h"
#include "test/support/fixture.h"

enum { P, Q, A, B, C, ROWS };

static const char *const paths[] = {"/P", "/P/A", "/P/B", "/Q", "/Q/C"};

static void begin(fixture *it, bool leaves)
{
    const allot_source share = {ALLOT_FROM_COLUMN, ALLOT_SHARE}, need = {ALLOT_FROM_NEED, 0};
    const allot_source part = {ALLOT_FROM_PART, 0}, held = {ALLOT_FROM_HELD, 0};
    memset(it, 0, sizeof *it);
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    CHECK_EQ(allot_policy_new(it->engine, "shares", &it->policy), ALLOT_OK);
    CHECK_EQ(allot_policy_fill(it->policy, "planned", share, part, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_policy_fill(it->policy, "kept", share, held, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_policy_fill(it->policy, "shared", share, need, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_policy_switch(it->policy, ALLOT_SWITCH_ACROSS, leaves), ALLOT_OK);
    CHECK_EQ(allot_plan_new(it->engine, &it->plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it->plan, ALLOT_ALL, it->policy), ALLOT_OK);
    for (int32_t i = 0; i < ROWS; i++)
        CHECK_EQ(fixture_add(it->plan, paths[i]), i);
}

static void leaf(const fixture *it, allot_state *state, const char *path, int64_t demand,
                 int64_t allocated)
{
    int32_t handle = fixture_find(it->plan, path);
    CHECK_EQ(allot_state_demand(state, 0, handle, demand), ALLOT_OK);
    CHECK_EQ(allot_state_allocated(state, 0, handle, allocated), ALLOT_OK);
}

/* Quotas of 13 slots: P is planned to have 6 and Q 6, A and B 3 each, C 6. A, B and C hold 5, 1 and
 * 7; A's and C's wishes are given, B wants 3. */
static void decide(fixture *it, int64_t a, int64_t c, int32_t *planned, int32_t *held)
{
    allot_state *state = NULL;
    allot__arena arena;
    allot__work work;
    CHECK_EQ(allot_state_new(it->plan, &state), ALLOT_OK);
    CHECK_EQ(allot_state_slots(state, 0, 13), ALLOT_OK);
    leaf(it, state, "/P/A", a, 5);
    leaf(it, state, "/P/B", 3, 1);
    leaf(it, state, "/Q/C", c, 7);
    CHECK_EQ(allot_state_seal(state, it->report), ALLOT_OK);
    allot__arena_init(&arena, it->engine);
    CHECK_EQ(allot__work_init(&work, it->plan, state, 0, &arena, it->report), ALLOT_OK);
    CHECK_EQ(allot__need(&work), ALLOT_OK);
    CHECK_EQ(allot__quota(&work), ALLOT_OK);
    memcpy(planned, work.planned_part, ROWS * sizeof *planned);
    memcpy(held, work.held_part, ROWS * sizeof *held);
    allot__arena_free(&arena);
    allot_state_free(state);
}

static void same(const int32_t *found, const int32_t *wanted)
{
    for (int32_t i = 0; i < ROWS; i++)
        CHECK_EQ(found[i], wanted[i]);
}

static void planned_shares_go_by_weights_alone(void)
{
    static const int32_t wanted[] = {6, 6, 3, 3, 6};
    int32_t planned[ROWS], held[ROWS];
    fixture it;
    begin(&it, false);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    decide(&it, 9, 9, planned, held);
    same(planned, wanted);
    decide(&it, 0, 1, planned, held);
    same(planned, wanted);
    fixture_end(&it);
}

/* B lacks two slots of its planned share: A has them, so P is not to get them from Q. */
static void a_claim_is_its_siblings_affair(void)
{
    static const int32_t wanted[] = {6, 7, 5, 3, 7};
    int32_t planned[ROWS], held[ROWS];
    fixture it;
    begin(&it, false);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    decide(&it, 9, 9, planned, held);
    same(held, wanted);
    fixture_end(&it);
}

/* C needs 6 of its 7: the slot that nobody keeps counts for P, since B lacks some. */
static void what_nobody_keeps_counts_for_who_lacks(void)
{
    static const int32_t wanted[] = {7, 6, 5, 3, 6};
    int32_t planned[ROWS], held[ROWS];
    fixture it;
    begin(&it, false);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    decide(&it, 9, 6, planned, held);
    same(held, wanted);
    fixture_end(&it);
}

/* All are sure of what is planned; the 13th slot goes to C, whose rank is better than A's, though
 * its branch's is worse. */
static void leaves_are_compared(void)
{
    static const int32_t wanted[] = {6, 7, 3, 3, 7};
    int32_t planned[ROWS], held[ROWS];
    fixture it;
    begin(&it, true);
    CHECK_EQ(fixture_set(it.plan, "/P/A", ALLOT_RANK, 2), ALLOT_OK);
    CHECK_EQ(fixture_set(it.plan, "/Q", ALLOT_RANK, 5), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    decide(&it, 9, 9, planned, held);
    same(held, wanted);
    fixture_end(&it);
}

/* A needs nothing; C 2 of its 7. P counts for what B wants, below its planned share. */
static void what_nobody_needs_does_not_count(void)
{
    static const int32_t wanted[] = {3, 2, 0, 3, 2};
    int32_t planned[ROWS], held[ROWS];
    fixture it;
    begin(&it, false);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    decide(&it, 0, 2, planned, held);
    same(held, wanted);
    fixture_end(&it);
}

/* P may use 5: what its children hold beyond that is not kept. */
static void a_limit_above_cuts_what_counts(void)
{
    static const int32_t wanted[] = {5, 7, 5, 3, 7};
    int32_t planned[ROWS], held[ROWS];
    fixture it;
    begin(&it, false);
    CHECK_EQ(fixture_set(it.plan, "/P", ALLOT_LIMIT, 5), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    decide(&it, 9, 9, planned, held);
    same(held, wanted);
    fixture_end(&it);
}

int main(void)
{
    RUN(planned_shares_go_by_weights_alone);
    RUN(a_claim_is_its_siblings_affair);
    RUN(what_nobody_keeps_counts_for_who_lacks);
    RUN(leaves_are_compared);
    RUN(what_nobody_needs_does_not_count);
    RUN(a_limit_above_cuts_what_counts);
    return check_done();
}
