/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * again_test.c: quotas that are computed again where something changed, against all of them
 * computed anew; and the bounds of exact shares, over random plans, policies and demands.
 */
#include "engine/quota/again.h"

#include <inttypes.h>

#include "engine/quota/quota.h"
#include "test/support/fixture.h"

enum { CASES = 3000, CHANGES = 8, MOST = 80 };

static uint64_t seed;

static int32_t draw(int32_t from, int32_t to)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return from + (int32_t)((seed >> 33) % (uint64_t)(to - from + 1));
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static const allot_source need = {ALLOT_FROM_NEED, 0}, one = {ALLOT_FROM_NUMBER, 1};
static const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};
static const allot_source share = {ALLOT_FROM_COLUMN, ALLOT_SHARE};
static const allot_source part = {ALLOT_FROM_PART, 0}, held = {ALLOT_FROM_HELD, 0};
static const allot_source demand = {ALLOT_FROM_COLUMN, ALLOT_DEMAND};

static void draw_policy(allot_policy *policy)
{
    const allot_key rank = {{ALLOT_FROM_COLUMN, ALLOT_RANK}, 0};
    const allot_source percent = {ALLOT_FROM_PERCENT, ALLOT_SHARE};
    int kind = draw(0, 7);
    if (draw(0, 4) == 0)
        CHECK_EQ(allot_policy_reserve(policy, draw(0, 1) ? owned : share), ALLOT_OK);
    if (kind < 3)
        CHECK_EQ(allot_policy_fill(policy, "owned", owned, owned, &rank, kind == 2), ALLOT_OK);
    if (kind == 1)
        CHECK_EQ(allot_policy_fill(policy, "borrowed", owned, need, NULL, 0), ALLOT_OK);
    if (kind == 7)
        CHECK_EQ(allot_policy_fill(policy, "capped", one, percent, NULL, 0), ALLOT_OK);
    if (kind == 3 || kind == 4) {
        CHECK_EQ(allot_policy_fill(policy, "planned", share, part, NULL, 0), ALLOT_OK);
        CHECK_EQ(allot_policy_fill(policy, "kept", share, held, &rank, 1), ALLOT_OK);
    }
    allot_source last = kind == 6 ? demand : kind > 2 ? share : one;
    CHECK_EQ(allot_policy_fill(policy, "rest", last, need, NULL, 0), ALLOT_OK);
    if (draw(0, 4) == 0)
        CHECK_EQ(allot_policy_fill_level(policy), ALLOT_OK);
    if (draw(0, 5) == 0)
        CHECK_EQ(allot_policy_round(policy, ALLOT_ROUND_LARGEST_REMAINDER), ALLOT_OK);
}

/* The children of a consumer; the slots that they own. */
static int32_t draw_family(allot_plan *plan, int32_t parent, int depth)
{
    int32_t sum = 0;
    for (int32_t i = draw(1, depth > 0 ? 4 : 9); i > 0; i--) {
        char name[2] = {(char)('a' + i), '\0'};
        int32_t handle, own = draw(0, 2) > 0 ? draw(0, 6) : 0;
        CHECK_EQ(allot_plan_add(plan, parent, name, 1, &handle), ALLOT_OK);
        bool leaf = depth == 0 || draw(0, 1) == 0;
        if (!leaf)
            own = draw_family(plan, handle, depth - 1) + draw(0, 2);
        CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_OWNED, own), ALLOT_OK);
        CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_RANK, draw(0, 2)), ALLOT_OK);
        CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_SHARE, draw(0, 3) * draw(1, 20)),
                 ALLOT_OK);
        if (draw(0, 3) == 0)
            CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_LIMIT, own + draw(0, 8)),
                     ALLOT_OK);
        if (leaf && draw(0, 3) == 0)
            CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_RESERVE, draw(0, own)),
                     ALLOT_OK);
        sum += own;
    }
    return sum;
}

/* ---- Two of the same ------------------------------------------------------------------------- */

typedef struct world {
    fixture it;
    allot_state *state;
    allot__arena arena;
    allot__work again, anew;
    allot__quota_kept *kept;
    int32_t demand[MOST];
} world;

/* False: the plan is not valid. */
static bool begin(world *at)
{
    *at = (world){0};
    fixture *it = &at->it;
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    CHECK_EQ(allot_policy_new(it->engine, "drawn", &it->policy), ALLOT_OK);
    CHECK_EQ(allot_plan_new(it->engine, &it->plan), ALLOT_OK);
    draw_policy(it->policy);
    CHECK_EQ(allot_plan_policy(it->plan, ALLOT_ALL, it->policy), ALLOT_OK);
    int32_t slots = draw_family(it->plan, ALLOT_ROOT, draw(0, 2)) + 1;
    CHECK_EQ(allot_plan_slots(it->plan, 0, slots), ALLOT_OK);
    allot__arena_init(&at->arena, it->engine);
    if (allot_plan_seal(it->plan, NULL) != ALLOT_OK || allot_plan_consumers(it->plan) > MOST)
        return false;
    CHECK_EQ(allot_state_new(it->plan, &at->state), ALLOT_OK);
    CHECK_EQ(allot_state_slots(at->state, 0, slots + draw(slots > 3 ? -3 : 0, 9)), ALLOT_OK);
    for (int32_t i = 0; i < allot_plan_consumers(it->plan); i++)
        if (allot_plan_children(it->plan, i) == 0) {
            CHECK_EQ(allot_state_demand(at->state, 0, i, draw(0, 12)), ALLOT_OK);
            CHECK_EQ(allot_state_allocated(at->state, 0, i, draw(0, 4)), ALLOT_OK);
        }
    return CHECK_EQ(allot_state_seal(at->state, NULL), ALLOT_OK);
}

static void end(world *at)
{
    allot__arena_free(&at->arena);
    allot_state_free(at->state);
    fixture_end(&at->it);
}

static bool compute(world *at, allot__work *work)
{
    CHECK_EQ(allot__work_init(work, at->it.plan, at->state, 0, &at->arena, NULL), ALLOT_OK);
    if (work == &at->again)
        memcpy(at->demand, work->demand, (size_t)work->tree->rows * sizeof *at->demand);
    work->demand = at->demand;
    return CHECK_EQ(allot__need(work), ALLOT_OK) && CHECK_EQ(allot__quota(work), ALLOT_OK);
}

static void same(world *at)
{
    const allot__work *a = &at->again, *b = &at->anew;
    compute(at, &at->anew);
    for (int32_t row = 0; row < a->tree->rows; row++) {
        CHECK_EQ(a->need[row], b->need[row]);
        CHECK_EQ(a->quota[row], b->quota[row]);
    }
    for (int32_t i = 0; i < a->tree->families; i++) {
        CHECK_EQ(a->sums[i].demand, b->sums[i].demand);
        CHECK_EQ(a->critical[i].fill, b->critical[i].fill);
        CHECK_EQ(a->critical[i].amount, b->critical[i].amount);
        CHECK_EQ(a->critical[i].weight, b->critical[i].weight);
    }
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

static int32_t bounds;

static void within(const world *at)
{
    for (int32_t row = 0; at->kept->low && row < at->again.tree->rows; row++) {
        int32_t more = at->again.quota[row] - at->kept->low[row];
        CHECK(more == 0 || (more == 1 && at->kept->rest[row] != 0));
    }
}

static void demands(world *at, int32_t row, int32_t slots)
{
    at->demand[row] = slots;
    allot__quota_change(at->kept, row);
}

/* Lowers some demands: the shares of others do not fall, and one that is lowered, too, would have
 * no more than is said. */
static void lower(world *at)
{
    int32_t low[MOST], before[MOST], need_before[MOST], rows = at->again.tree->rows;
    if (!at->kept->low)
        return;
    bounds++;
    memcpy(low, at->kept->low, (size_t)rows * sizeof *low);
    memcpy(before, at->demand, (size_t)rows * sizeof *before);
    memcpy(need_before, at->again.need, (size_t)rows * sizeof *need_before);
    for (int32_t row = 0; row < rows; row++)
        if (draw(0, 2) == 0)
            demands(at, row, draw(0, at->demand[row]));
    allot__quota_again(at->kept);
    for (int32_t row = 0; row < rows; row++)
        CHECK(at->demand[row] != before[row] || at->kept->low[row] >= low[row]);
    int32_t one_row = draw(0, rows - 1), lowered = at->demand[one_row];
    int64_t most = allot__quota_most(at->kept, one_row, need_before[one_row]);
    demands(at, one_row, before[one_row]);
    allot__quota_again(at->kept);
    CHECK(at->kept->low[one_row] + (at->kept->rest[one_row] != 0) <= most);
    demands(at, one_row, lowered);
    allot__quota_again(at->kept);
}

/* ---- All ------------------------------------------------------------------------------------- */

static int32_t kept, left_out;

static void test_case(uint64_t number)
{
    static world at;
    seed = number;
    bool valid = begin(&at) && compute(&at, &at.again);
    if (valid)
        CHECK_EQ(allot__quota_keep(&at.again, true, &at.kept), ALLOT_OK);
    left_out += valid && !at.kept;
    kept += valid && at.kept;
    for (int i = 0; i < CHANGES && valid && at.kept; i++) {
        for (int k = draw(1, 3); k > 0; k--) {
            int32_t row = draw(0, at.again.tree->rows - 1);
            if (allot__family_of(&at.again, row) == 0)
                demands(&at, row, draw(0, 14));
        }
        allot__quota_again(at.kept);
        same(&at);
        within(&at);
        lower(&at);
        same(&at);
    }
    end(&at);
    if (check__.failed_checks > 0)
        printf("# seed %" PRIu64 "\n", number);
}

static void test_random(void)
{
    for (uint64_t i = 0; i < CASES && !(check__.failed_checks > 0); i++)
        test_case(i);
    CHECK(kept > CASES / 4 && left_out > 0 && bounds > CASES / 8);
}

int main(void)
{
    RUN(test_random);
    return check_done();
}
