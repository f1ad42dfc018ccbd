/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * outlook_test.c: what outlooks tell, against cycles: random plans, demands and claims.
 */
#include "test/support/fixture.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CASES = 1500, QUESTIONS = 12, MOST = 40 };

static uint64_t seed;

static int32_t draw(int32_t from, int32_t to)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return from + (int32_t)((seed >> 33) % (uint64_t)(to - from + 1));
}

/* As fixture_begin, but the policy may be changed until the plan takes it. */
static void begin(fixture *it)
{
    *it = (fixture){0};
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    CHECK_EQ(allot_policy_new(it->engine, "plain", &it->policy), ALLOT_OK);
    CHECK_EQ(allot_plan_new(it->engine, &it->plan), ALLOT_OK);
}

static void take_policy(fixture *it)
{
    CHECK_EQ(allot_plan_policy(it->plan, ALLOT_ALL, it->policy), ALLOT_OK);
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static const allot_source need = {ALLOT_FROM_NEED, 0}, one = {ALLOT_FROM_NUMBER, 1};
static const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};
static const allot_source configured = {ALLOT_FROM_COLUMN, ALLOT_CONFIGURED};
static const allot_source share = {ALLOT_FROM_COLUMN, ALLOT_SHARE};
static const allot_source three = {ALLOT_FROM_NUMBER, 3};

static void draw_policy(allot_policy *policy)
{
    int kind = draw(0, 5);
    if (kind <= 2)
        CHECK_EQ(allot_policy_fill(policy, "owned", owned, kind == 2 ? configured : owned, NULL, 0),
                 ALLOT_OK);
    if (kind <= 1)
        CHECK_EQ(allot_policy_fill(policy, "borrowed", owned, need, NULL, 0), ALLOT_OK);
    if (kind == 3)
        CHECK_EQ(allot_policy_fill(policy, "some", share, three, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_policy_fill(policy, "rest", kind == 4 ? share : one, need, NULL, 0), ALLOT_OK);
}

/* The children of a consumer; the slots that they own. */
static int32_t draw_family(allot_plan *plan, int32_t parent, int depth, int32_t large)
{
    int32_t sum = 0;
    for (int32_t i = draw(1, 4); i > 0; i--) {
        char name[2] = {(char)('a' + i), '\0'};
        int32_t handle, own = draw(0, 2) > 0 ? draw(0, 6) * large : 0;
        CHECK_EQ(allot_plan_add(plan, parent, name, 1, &handle), ALLOT_OK);
        bool leaf = depth == 0 || draw(0, 1) == 0;
        if (!leaf)
            own = draw_family(plan, handle, depth - 1, large) + draw(0, 2);
        CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_OWNED, own), ALLOT_OK);
        CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_RANK, draw(0, 2)), ALLOT_OK);
        CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_SHARE, draw(0, 3)), ALLOT_OK);
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

typedef struct world {
    fixture it;
    allot_state *state;
    allot_outlook *outlook;
    int32_t leaves[MOST], count;
    int64_t demand[MOST], claim[MOST];
    int32_t slots;
} world;

/* False: the plan is not valid, a limit below a reserve, say. */
static bool world_begin(world *at)
{
    int32_t large = draw(0, 5) == 0 ? 1000003 : 1;
    *at = (world){0};
    begin(&at->it);
    draw_policy(at->it.policy);
    take_policy(&at->it);
    at->slots = draw_family(at->it.plan, ALLOT_ROOT, draw(0, 2), large) + draw(0, 12) * large + 1;
    CHECK_EQ(allot_plan_slots(at->it.plan, 0, at->slots), ALLOT_OK);
    if (allot_plan_seal(at->it.plan, NULL) != ALLOT_OK)
        return false;
    for (int32_t i = 0; i < allot_plan_consumers(at->it.plan) && at->count < MOST; i++)
        if (allot_plan_children(at->it.plan, i) == 0)
            at->leaves[at->count++] = i;
    CHECK_EQ(allot_state_new(at->it.plan, &at->state), ALLOT_OK);
    CHECK_EQ(allot_outlook_new(at->it.plan, 0, &at->outlook), ALLOT_OK);
    return at->count > 1;
}

static void world_end(world *at)
{
    allot_outlook_free(at->outlook);
    allot_state_free(at->state);
    fixture_end(&at->it);
}

/* ---- What cycles tell ------------------------------------------------------------------------ */

static bool held(world *at, const int64_t *demand, const int64_t *claim)
{
    allot_decision *decision = NULL;
    bool all = true;
    for (int32_t i = 0; i < at->count; i++)
        CHECK_EQ(allot_state_demand(at->state, 0, at->leaves[i], demand[i]), ALLOT_OK);
    CHECK_EQ(allot_state_seal(at->state, NULL), ALLOT_OK);
    CHECK_EQ(allot_cycle_until(at->it.plan, at->state, ALLOT_STAGE_QUOTA, NULL, &decision),
             ALLOT_OK);
    for (int32_t i = 0; i < at->count; i++) {
        allot_brief brief;
        CHECK_EQ(allot_decision_brief(decision, 0, at->leaves[i], &brief), ALLOT_OK);
        all = all && brief.quota >= claim[i];
    }
    allot_decision_free(decision);
    CHECK_EQ(allot_state_open(at->state), ALLOT_OK);
    return all;
}

static int64_t told[2], each;

static void check(world *at, int32_t said, const int64_t *demand, const int64_t *claim)
{
    told[said != 0]++;
    CHECK_EQ(said, held(at, demand, claim));
}

/* ---- Questions ------------------------------------------------------------------------------- */

static int64_t draw_slots(const world *at)
{
    int32_t most = at->slots / (draw(0, 1) > 0 ? at->count : 1) + 1;
    return draw(0, most);
}

static void set(world *at, int32_t i, int64_t demand, int64_t claim)
{
    at->demand[i] = demand;
    at->claim[i] = claim;
    CHECK_EQ(allot_outlook_set(at->outlook, at->leaves[i], demand, claim), ALLOT_OK);
}

static void ask_one(world *at)
{
    int64_t demand[MOST], claim[MOST];
    int32_t i = draw(0, at->count - 1);
    int64_t slots = at->demand[i] + draw(1, at->slots / at->count + 1);
    if (slots > ALLOT_AMOUNT_MAX)
        return;
    memcpy(demand, at->demand, sizeof demand);
    memcpy(claim, at->claim, sizeof claim);
    demand[i] = claim[i] = slots;
    int32_t said = -1;
    CHECK_EQ(allot_outlook_one(at->outlook, at->leaves[i], slots, &said), ALLOT_OK);
    check(at, said, demand, claim);
    if (said && draw(0, 1) == 0)
        set(at, i, slots, slots);
}

/* Where claims are held, so they are of fewer and smaller ones. */
static void ask_fewer(world *at)
{
    int64_t demand[MOST], claim[MOST];
    if (!allot_outlook_each(at->outlook))
        return;
    each++;
    for (int32_t i = 0; i < at->count; i++) {
        bool gone = draw(0, 1) > 0;
        demand[i] = gone ? draw(0, (int32_t)at->demand[i]) : at->demand[i];
        claim[i] = gone ? 0 : at->claim[i];
    }
    CHECK(held(at, demand, claim));
}

static void test_case(uint64_t number)
{
    world at;
    seed = number;
    if (world_begin(&at)) {
        for (int32_t i = 0; i < at.count; i++) {
            int64_t demand = draw_slots(&at);
            set(&at, i, demand, draw(0, 2) == 0 ? draw(0, (int32_t)demand) : 0);
        }
        for (int k = 0; k < QUESTIONS; k++) {
            int32_t said = -1;
            CHECK_EQ(allot_outlook_all(at.outlook, &said), ALLOT_OK);
            check(&at, said, at.demand, at.claim);
            ask_fewer(&at);
            for (int n = draw(1, 6); n > 0; n--)
                ask_one(&at);
            int32_t i = draw(0, at.count - 1);
            int64_t demand = draw_slots(&at);
            set(&at, i, demand, draw(0, 2) == 0 ? draw(0, (int32_t)demand) : 0);
        }
    }
    world_end(&at);
    if (check__.failed_checks > 0)
        printf("# seed %" PRIu64 "\n", number);
}

static void is_never_wrong(void)
{
    const char *first = getenv("ALLOT_SEED"), *runs = getenv("ALLOT_RUNS");
    int count = first ? 1 : runs ? atoi(runs) : CASES;
    for (int i = 0; i < count && check__.failed_checks == 0; i++)
        test_case(first ? strtoull(first, NULL, 10) : 1 + (uint64_t)i);
    printf("# short %" PRId64 ", held %" PRId64 ", each %" PRId64 "\n", told[0], told[1], each);
    CHECK(count < 20 || (told[0] > 100 && told[1] > 100 && each > 100)); /* about something */
}

/* ---- By hand --------------------------------------------------------------------------------- */

/* 10 slots, equally: of 4 who want more 2 each, and the first two of them a lost slot (C-4). */
static void tells_shares(void)
{
    fixture it;
    allot_outlook *outlook = NULL;
    int32_t held = -1;
    begin(&it);
    CHECK_EQ(allot_policy_fill(it.policy, "equal", one, need, NULL, 0), ALLOT_OK);
    take_policy(&it);
    for (int32_t i = 0; i < 4; i++)
        CHECK_EQ(fixture_add(it.plan, (const char *[]){"/A", "/B", "/C", "/D"}[i]), i);
    CHECK_EQ(allot_plan_slots(it.plan, 0, 10), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_outlook_new(it.plan, 0, &outlook), ALLOT_OK);
    CHECK(allot_outlook_each(outlook));
    for (int32_t i = 0; i < 4; i++)
        CHECK_EQ(allot_outlook_set(outlook, i, 10, 2), ALLOT_OK);
    CHECK(allot_outlook_each(outlook));
    CHECK_EQ(allot_outlook_one(outlook, 0, 10, &held), ALLOT_OK);
    CHECK_EQ(held, 0);
    const struct {
        int32_t leaf;
        int64_t demand, claim;
        int32_t held;
    } steps[] = {{1, 10, 3, 1}, {2, 10, 3, 0}, {2, 10, 2, 1},
                 {3, 10, 4, 0}, {3, 10, 3, 0}, {0, 1, 0, 1}, /* the others share 9 */
                 {1, 10, 4, 0}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        CHECK_EQ(allot_outlook_set(outlook, steps[i].leaf, steps[i].demand, steps[i].claim),
                 ALLOT_OK);
        CHECK_EQ(allot_outlook_all(outlook, &held), ALLOT_OK);
        CHECK_EQ(held, steps[i].held);
    }
    CHECK_EQ(allot_outlook_set(outlook, 4, 0, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_outlook_set(outlook, 0, 1, 2), ALLOT_ERANGE);
    CHECK_EQ(allot_outlook_set(outlook, 0, -1, 0), ALLOT_ERANGE);
    CHECK_EQ(allot_outlook_set(outlook, 0, (int64_t)ALLOT_AMOUNT_MAX + 1, 0), ALLOT_ERANGE);
    CHECK_EQ(allot_outlook_one(outlook, -1, 1, &held), ALLOT_EUSAGE);
    CHECK_EQ(allot_outlook_one(outlook, 1, 9, &held), ALLOT_EUSAGE);
    CHECK_EQ(allot_outlook_one(outlook, 1, (int64_t)ALLOT_AMOUNT_MAX + 1, &held), ALLOT_ERANGE);
    allot_outlook_free(outlook);
    fixture_end(&it);
}

/* Only what it knows: rounded by rank, without orders, levels, windows or hosts. */
static void knows_plain_plans_alone(void)
{
    const allot_key by_rank = {{ALLOT_FROM_COLUMN, ALLOT_RANK}, 0};
    const allot_source demand = {ALLOT_FROM_COLUMN, ALLOT_DEMAND};
    for (int kind = 0; kind < 7; kind++) {
        fixture it;
        allot_outlook *outlook = NULL;
        begin(&it);
        CHECK_EQ(allot_outlook_new(it.plan, 0, &outlook), ALLOT_EUSAGE); /* not sealed */
        CHECK_EQ(allot_policy_fill(it.policy, "rest", kind == 1 ? demand : one, need, &by_rank,
                                   kind == 2),
                 ALLOT_OK);
        if (kind == 6)
            CHECK_EQ(allot_policy_fill_level(it.policy), ALLOT_OK);
        if (kind == 3)
            CHECK_EQ(allot_policy_round(it.policy, ALLOT_ROUND_WEBSTER), ALLOT_OK);
        take_policy(&it);
        CHECK_EQ(fixture_add(it.plan, "/A"), 0);
        CHECK_EQ(allot_plan_slots(it.plan, 0, 10), ALLOT_OK);
        if (kind == 4)
            CHECK_EQ(allot_plan_host(it.plan, "h", 0, 10), ALLOT_OK);
        if (kind == 5)
            CHECK_EQ(allot_plan_window(it.plan, &(allot_window){.to = 60, .days = 1, .zone = -1},
                                       &(int32_t){0}),
                     ALLOT_OK);
        CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
        CHECK_EQ(allot_outlook_new(it.plan, 0, &outlook), kind == 0 ? ALLOT_OK : ALLOT_ENOENT);
        CHECK_EQ(allot_outlook_new(it.plan, 1, &outlook), ALLOT_EUSAGE);
        allot_outlook_free(outlook);
        fixture_end(&it);
    }
}

/* One of 5 slots goes to either, the other one gets what fractions leave: quotas are computed. */
static int make(allot_engine *engine)
{
    allot_policy *policy = NULL;
    allot_plan *plan = NULL;
    allot_outlook *outlook = NULL;
    int32_t handle, held = -1;
    int status = allot_policy_new(engine, "plain", &policy);
    if (status == ALLOT_OK)
        status = allot_policy_fill(policy, "rest", one, need, NULL, 0);
    if (status == ALLOT_OK)
        status = allot_plan_new(engine, &plan);
    if (status == ALLOT_OK)
        status = allot_plan_policy(plan, ALLOT_ALL, policy);
    for (int i = 0; i < 2 && status == ALLOT_OK; i++)
        status = allot_plan_add(plan, ALLOT_ROOT, &"ab"[i], 1, &handle);
    if (status == ALLOT_OK)
        status = allot_plan_slots(plan, 0, 5);
    if (status == ALLOT_OK)
        status = allot_plan_seal(plan, NULL);
    if (status == ALLOT_OK)
        status = allot_outlook_new(plan, 0, &outlook);
    for (int32_t i = 0; i < 2 && status == ALLOT_OK; i++)
        status = allot_outlook_set(outlook, i, 5, 2 + (i == 0));
    if (status == ALLOT_OK)
        status = allot_outlook_all(outlook, &held);
    CHECK(status != ALLOT_OK || held == 1);
    allot_outlook_free(outlook);
    allot_plan_free(plan);
    allot_policy_free(policy);
    return status;
}

static void takes_its_memory_from_the_engine(void)
{
    CHECK(oom_each(make));
}

int main(void)
{
    RUN(tells_shares);
    RUN(knows_plain_plans_alone);
    RUN(takes_its_memory_from_the_engine);
    RUN(is_never_wrong);
    return check_done();
}
