/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* cycle_test.c: whole cycles through the public API: fast against plain, depth, memory. */
#include "engine/decision/decision.h"

#include "engine/quota/quota.h"
#include "engine/reclaim/reclaim.h"
#include "test/support/fixture.h"

static const allot_source none = {ALLOT_FROM_NEED, 0};
static const allot_source one = {ALLOT_FROM_NUMBER, 1};

static allot_source column(int32_t number)
{
    return (allot_source){ALLOT_FROM_COLUMN, number};
}

static allot_source reserve(void)
{
    return column(ALLOT_RESERVE);
}

static int hybrid(allot_policy *policy)
{
    int status = allot_policy_fill(policy, "reserved", reserve(), reserve(), NULL, 0);
    if (status == ALLOT_OK) {
        status =
            allot_policy_fill(policy, "owned", column(ALLOT_OWNED), column(ALLOT_OWNED), NULL, 0);
    }
    if (status == ALLOT_OK)
        status = allot_policy_fill(policy, "borrowed", column(ALLOT_OWNED), none, NULL, 0);
    return status != ALLOT_OK ? status : allot_policy_fill(policy, "spare", one, none, NULL, 0);
}

/* The fixture with the hybrid policy; `plainly`: with a reclaim order that has another key, which
 * says nothing more but keeps reclaim from the fast way. */
static void begin(fixture *it, bool plainly)
{
    const allot_key keys[] = {{{ALLOT_FROM_COLUMN, ALLOT_RANK}, 1}, {{ALLOT_FROM_NUMBER, 1}, 0}};
    memset(it, 0, sizeof *it);
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    CHECK_EQ(allot_policy_new(it->engine, "hybrid", &it->policy), ALLOT_OK);
    CHECK_EQ(hybrid(it->policy), ALLOT_OK);
    if (plainly)
        CHECK_EQ(allot_policy_reclaim(it->policy, column(ALLOT_OVER), keys, 2), ALLOT_OK);
    CHECK_EQ(allot_plan_new(it->engine, &it->plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it->plan, ALLOT_ALL, it->policy), ALLOT_OK);
}

static uint64_t seed;

static int32_t below(int32_t bound)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int32_t)((seed >> 12) % (uint64_t)bound);
}

/* Of all magnitudes up to `most`. */
static int32_t amount(int32_t most)
{
    return below((most >> below(30)) + 1);
}

enum { MOST_CONSUMERS = 400 };

/* A random tree; leaves own and reserve, limits leave room for what is reserved below. */
static void random_plan(allot_plan *plan, int32_t count, int32_t most)
{
    int64_t reserved[MOST_CONSUMERS] = {0};
    int32_t parent[MOST_CONSUMERS];
    bool leaf[MOST_CONSUMERS];
    for (int32_t i = 0; i < count; i++) {
        char name[16];
        int32_t handle;
        int len = snprintf(name, sizeof name, "c%d", i);
        parent[i] = i == 0 || below(4) == 0 ? ALLOT_ROOT : below(1 + below(i));
        leaf[i] = true;
        if (parent[i] != ALLOT_ROOT)
            leaf[parent[i]] = false;
        CHECK_EQ(allot_plan_add(plan, parent[i], name, (size_t)len, &handle), ALLOT_OK);
    }
    for (int32_t i = count - 1; i >= 0; i--) {
        int32_t owned = leaf[i] && below(3) > 0 ? amount(most) : 0;
        allot_plan_set(plan, ALLOT_ALL, i, ALLOT_RANK, below(3));
        if (leaf[i]) {
            reserved[i] = below(3) == 0 ? amount(owned) : 0;
            allot_plan_set(plan, ALLOT_ALL, i, ALLOT_OWNED, owned);
            allot_plan_set(plan, ALLOT_ALL, i, ALLOT_RESERVE, reserved[i]);
        }
        if (below(3) == 0)
            allot_plan_set(plan, ALLOT_ALL, i, ALLOT_LIMIT, reserved[i] + amount(most));
        if (parent[i] != ALLOT_ROOT)
            reserved[parent[i]] += reserved[i];
    }
}

static void random_state(const allot_plan *plan, allot_state *state, int32_t most)
{
    int64_t slots = allot_plan_group_slots(plan, 0);
    for (int32_t i = 0; i < allot_plan_consumers(plan); i++) {
        if (allot_plan_children(plan, i) == 0) {
            allot_state_demand(state, 0, i, amount(2 * (most / 2)));
            allot_state_allocated(state, 0, i, below(3) > 0 ? amount(most) : 0);
        }
    }
    switch (below(3)) {
    case 0:
        break; /* as planned */
    case 1:
        allot_state_slots(state, 0, slots / 2 + below(1 + (int32_t)(slots / 2)));
        break;
    default:
        allot_state_slots(state, 0, slots < ALLOT_AMOUNT_MAX / 2 ? slots + amount(most) : slots);
    }
    if (below(2)) {
        int32_t leaf = below(allot_plan_consumers(plan));
        allot_in_flight flight = {.consumer = leaf, .slots = 1, .id = "r"};
        allot_state_in_flight(state, &flight); /* refused where it is not a leaf */
    }
}

/* A plan and a state of a seed, sealed. False: its numbers are too large for a plan. */
static bool random_case(fixture *it, uint64_t from, bool plainly, allot_state **state)
{
    seed = from * 0x9e3779b97f4a7c15u + 1;
    int32_t count = 1 + below(MOST_CONSUMERS);
    int32_t most = 1 + amount(ALLOT_AMOUNT_MAX / MOST_CONSUMERS);
    begin(it, plainly);
    random_plan(it->plan, count, most);
    allot_plan_option(it->plan, ALLOT_ALL, ALLOT_OPTION_HOLD_ROUNDING, below(4) == 0);
    allot_plan_option(it->plan, ALLOT_ALL, ALLOT_OPTION_KEEP_SHRUNK_OWNERSHIP, below(4) == 0);
    if (!CHECK_EQ(allot_plan_seal(it->plan, it->report), ALLOT_OK))
        return false;
    CHECK_EQ(allot_state_new(it->plan, state), ALLOT_OK);
    random_state(it->plan, *state, most);
    return CHECK_EQ(allot_state_seal(*state, it->report), ALLOT_OK);
}

static bool same_column(const int32_t *a, const int32_t *b, const allot_plan *plan)
{
    return memcmp(a, b, (size_t)plan->tree.rows * sizeof *a) == 0;
}

/* Quotas and rates by the fast fill are those by the plain one. */
static void fast_quotas_are_exact(void)
{
    for (uint64_t k = 0; k < 400; k++) {
        fixture it;
        allot_state *state = NULL;
        allot_decision *fast = NULL;
        allot_decision *plain = NULL;
        if (random_case(&it, k, false, &state)) {
            CHECK_EQ(allot_cycle(it.plan, state, it.report, &fast), ALLOT_OK);
            CHECK_EQ(allot_cycle(it.plan, state, it.report, &plain), ALLOT_OK);
            allot__work *a = &fast->groups[0].work;
            allot__work *b = &plain->groups[0].work;
            CHECK_EQ(allot__quota_exact(b), ALLOT_OK);
            if (!CHECK(same_column(a->quota, b->quota, it.plan)))
                printf("# case %d\n", (int)k);
            for (int32_t i = 0; i < it.plan->tree.families; i++) {
                CHECK_EQ(a->critical[i].fill, b->critical[i].fill);
                CHECK_EQ(a->critical[i].amount, b->critical[i].amount);
                CHECK_EQ(a->critical[i].weight, b->critical[i].weight);
            }
        }
        allot_decision_free(plain);
        allot_decision_free(fast);
        allot_state_free(state);
        fixture_end(&it);
    }
}

/* Reclaims by the fast way and by the plain one are the same. */
static void fast_reclaims_are_exact(void)
{
    int64_t reclaimed = 0;
    for (uint64_t k = 0; k < 400; k++) {
        fixture its[2];
        allot_state *states[2] = {NULL, NULL};
        allot_decision *decisions[2] = {NULL, NULL};
        for (int32_t i = 0; i < 2; i++) {
            CHECK(random_case(&its[i], k, i == 1, &states[i]));
            CHECK_EQ(allot_cycle(its[i].plan, states[i], its[i].report, &decisions[i]), ALLOT_OK);
        }
        const allot__work *fast = &decisions[0]->groups[0].work;
        const allot__work *plain = &decisions[1]->groups[0].work;
        reclaimed += fast->sums[0].given;
        if (!CHECK(same_column(fast->reclaimed, plain->reclaimed, its[0].plan)))
            printf("# case %d\n", (int)k);
        for (int32_t i = 0; i < 2; i++) {
            allot_decision_free(decisions[i]);
            allot_state_free(states[i]);
            fixture_end(&its[i]);
        }
    }
    CHECK(reclaimed > 1000);
}

/* A chain of 100,000 levels with two leaves at its end: no stage may recurse. */
static void a_deep_tree_is_no_deep_stack(void)
{
    enum { LEVELS = 100000 };
    fixture it;
    begin(&it, false);
    int32_t parent = ALLOT_ROOT;
    int32_t a;
    int32_t b;
    for (int32_t i = 0; i < LEVELS; i++)
        CHECK_EQ(allot_plan_add(it.plan, parent, "n", 1, &parent), ALLOT_OK);
    CHECK_EQ(allot_plan_add(it.plan, parent, "a", 1, &a), ALLOT_OK);
    CHECK_EQ(allot_plan_add(it.plan, parent, "b", 1, &b), ALLOT_OK);
    allot_plan_set(it.plan, ALLOT_ALL, a, ALLOT_OWNED, 6);
    allot_plan_set(it.plan, ALLOT_ALL, b, ALLOT_OWNED, 3);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    allot_state *state = NULL;
    CHECK_EQ(allot_state_new(it.plan, &state), ALLOT_OK);
    allot_state_demand(state, 0, a, 100);
    allot_state_demand(state, 0, b, 100);
    allot_state_allocated(state, 0, b, 9);
    CHECK_EQ(allot_state_seal(state, it.report), ALLOT_OK);
    allot_decision *decision = NULL;
    CHECK_EQ(allot_cycle(it.plan, state, it.report, &decision), ALLOT_OK);
    allot_reclaim reclaim;
    CHECK_EQ(allot_decision_reclaims(decision), 1);
    CHECK_EQ(allot_decision_reclaim(decision, 0, &reclaim), ALLOT_OK);
    CHECK_EQ(reclaim.consumer, b);
    CHECK_EQ(reclaim.slots, 6);
    CHECK_EQ(reclaim.claim_count, 1);
    CHECK_EQ(reclaim.claims[0].consumer, a);
    allot_decision_free(decision);
    allot_state_free(state);
    fixture_end(&it);
}

/* "/x" with nine leaves under hybrid, and "/y" by a policy of its own. */
static int small_plan(allot_plan *plan, allot_policy *policy, allot_policy *exact)
{
    int32_t x;
    int32_t y;
    int32_t leaf;
    int status = allot_plan_policy(plan, ALLOT_ALL, policy);
    status = status == ALLOT_OK ? allot_plan_add(plan, ALLOT_ROOT, "x", 1, &x) : status;
    status = status == ALLOT_OK ? allot_plan_add(plan, ALLOT_ROOT, "y", 1, &y) : status;
    status = status == ALLOT_OK ? allot_plan_branch(plan, y, exact) : status;
    for (int32_t i = 0; status == ALLOT_OK && i < 9; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        status = allot_plan_add(plan, x, name, 1, &leaf);
        status =
            status == ALLOT_OK ? allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_OWNED, i) : status;
        status =
            status == ALLOT_OK ? allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_RANK, 9 - i) : status;
    }
    return status == ALLOT_OK ? allot_plan_seal(plan, NULL) : status;
}

static int small_state(allot_state *state)
{
    int status = ALLOT_OK;
    for (int32_t i = 2; status == ALLOT_OK && i <= 10; i++) {
        status = allot_state_demand(state, 0, i, 10);
        status = status == ALLOT_OK ? allot_state_allocated(state, 0, i, i < 4 ? 12 : 0) : status;
    }
    status = status == ALLOT_OK ? allot_state_slots(state, 0, 50) : status;
    return status == ALLOT_OK ? allot_state_seal(state, NULL) : status;
}

/* Everything that can run out of memory: policies, plan, state, cycle. */
static int scenario(allot_engine *engine)
{
    allot_policy *policy = NULL;
    allot_policy *exact = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    int status = allot_policy_new(engine, "hybrid", &policy);
    status = status == ALLOT_OK ? hybrid(policy) : status;
    status = status == ALLOT_OK ? allot_policy_new(engine, "exact", &exact) : status;
    status = status == ALLOT_OK ? hybrid(exact) : status;
    status = status == ALLOT_OK ? allot_policy_scale(exact, 0) : status;
    status = status == ALLOT_OK ? allot_plan_new(engine, &plan) : status;
    status = status == ALLOT_OK ? small_plan(plan, policy, exact) : status;
    status = status == ALLOT_OK ? allot_state_new(plan, &state) : status;
    status = status == ALLOT_OK ? small_state(state) : status;
    status = status == ALLOT_OK ? allot_cycle(plan, state, NULL, &decision) : status;
    allot_decision_free(decision);
    allot_state_free(state);
    allot_plan_free(plan);
    allot_policy_free(exact);
    allot_policy_free(policy);
    return status;
}

static void no_memory_is_an_error_and_no_leak(void)
{
    CHECK(oom_each(scenario));
}

/* A second cycle finds the first one's memory. */
static void a_cycle_allocates_once(void)
{
    fixture it;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    if (!random_case(&it, 7, false, &state))
        return;
    for (int32_t i = 0; i < 3; i++) {
        CHECK_EQ(allot_cycle_until(it.plan, state, ALLOT_STAGE_RECLAIM, NULL, &decision), ALLOT_OK);
        allot_decision_free(decision);
    }
    long before = it.memory.calls;
    CHECK_EQ(allot_cycle_until(it.plan, state, ALLOT_STAGE_RECLAIM, NULL, &decision), ALLOT_OK);
    CHECK_EQ(it.memory.calls - before, 1); /* the decision's handle */
    allot_decision_free(decision);
    allot_state_free(state);
    fixture_end(&it);
}

/* Each demand, allocation and quota is part of a digest of its own; equal inputs give equal ones.
 */
static void digests_tell_rows_apart(void)
{
    enum { LEAVES = 9, STATES = 4 * LEAVES };
    fixture it;
    char name[] = "/a";
    uint64_t input[STATES], output[STATES], again[2];
    begin(&it, false);
    for (; name[1] < 'a' + LEAVES; name[1]++)
        CHECK(fixture_add(it.plan, name) >= 0);
    CHECK_EQ(allot_plan_slots(it.plan, 0, 2), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    for (int32_t i = 0; i < STATES; i++) {
        allot_state *state;
        allot_decision *decision;
        CHECK_EQ(allot_state_new(it.plan, &state), ALLOT_OK);
        CHECK_EQ(allot_state_demand(state, 0, i % LEAVES, 1 + i / LEAVES % 2), ALLOT_OK);
        CHECK_EQ(allot_state_allocated(state, 0, i % LEAVES, i / LEAVES / 2), ALLOT_OK);
        CHECK_EQ(allot_state_seal(state, it.report), ALLOT_OK);
        CHECK_EQ(allot_cycle(it.plan, state, it.report, &decision), ALLOT_OK);
        allot_decision_digest(decision, &input[i], &output[i]);
        allot_decision_digest(decision, &again[0], &again[1]);
        CHECK(again[0] == input[i] && again[1] == output[i]);
        for (int32_t k = 0; k < i; k++)
            CHECK(input[k] != input[i] && output[k] != output[i]);
        allot_decision_free(decision);
        allot_state_free(state);
    }
    fixture_end(&it);
}

int main(void)
{
    RUN(fast_quotas_are_exact);
    RUN(fast_reclaims_are_exact);
    RUN(a_deep_tree_is_no_deep_stack);
    RUN(no_memory_is_an_error_and_no_leak);
    RUN(a_cycle_allocates_once);
    RUN(digests_tell_rows_apart);
    return check_done();
}
