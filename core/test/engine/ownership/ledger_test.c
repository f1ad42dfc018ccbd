/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ledger_test.c: pools and loans through the public calls, on random trees, and with every
 * allocation failing; and runs that keep the books, as demands change, against full ones. */
#include "engine/decision/decision.h"
#include "engine/ownership/ledger.h"
#include "engine/quota/quota.h"
#include "test/support/fixture.h"

enum { ROWS = 32, CHANGES = 12, FLAT = 12 };

static const allot_source by_share = {ALLOT_FROM_COLUMN, ALLOT_SHARE};
static const allot_source by_need = {ALLOT_FROM_NEED, 0};

static uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed % below;
}

/* Switches and the order of borrowers by the bits of `kind`. */
static int vary(allot_policy *policy, uint64_t kind)
{
    int status = ALLOT_OK;
    for (int i = ALLOT_SWITCH_RECALL_FIRST; i <= ALLOT_SWITCH_ADJUST_SHARED && !status; i++)
        status = allot_policy_switch(policy, (allot_switch)i, kind >> i & 1 && kind >> (i + 4) & 1);
    return status;
}

static int make_policy(allot_engine *engine, uint64_t kind, allot_policy **out)
{
    const allot_key last = {{ALLOT_FROM_COLUMN, ALLOT_OWNED}, 1};
    allot_source reserve = {ALLOT_FROM_COLUMN, ALLOT_RESERVE};
    allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};
    allot_policy *policy;
    int status = allot_policy_new(engine, "ledger", &policy);
    if (status)
        return status;
    status = allot_policy_fill(policy, "reserved", reserve, reserve, NULL, 0);
    if (!status)
        status = allot_policy_fill(policy, "owned", owned, owned, NULL, 0);
    if (!status)
        status = allot_policy_pool(policy, "shared", by_share, by_need);
    if (!status)
        status = allot_policy_loan(policy, "borrowed", by_need, by_need, &last, kind >> 3 & 1);
    if (!status && kind >> 9 & 1)
        status = allot_policy_loan_by(policy, by_share);
    if (!status)
        status = allot_policy_scale(policy, 0);
    if (!status)
        status = vary(policy, kind);
    if (status)
        allot_policy_free(policy);
    else
        *out = policy;
    return status;
}

/* A tree of two levels: parents own more than their children, so there are pools everywhere; in
 * every second one every second parent has a limit, and every fourth leaf drains. */
static int grow(allot_plan *plan, uint64_t *seed, int32_t parents)
{
    bool free = draw(seed, 2);
    int32_t last = ALLOT_ROOT;
    for (int32_t i = 0; i < parents; i++) {
        int32_t parent, leaf;
        char name[8] = {'p', (char)('a' + i), 0};
        int status = allot_plan_add(plan, ALLOT_ROOT, name, 2, &parent);
        int64_t owned = 0;
        for (int32_t k = 0; k < 3 && !status; k++) {
            int64_t own = (int64_t)draw(seed, 6);
            name[0] = (char)('x' + k);
            status = allot_plan_add(plan, parent, name, 2, &leaf);
            if (!status)
                status = allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_OWNED, own);
            if (!status)
                status = allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_RANK, (int64_t)draw(seed, 2));
            if (!status && draw(seed, 4) == 0)
                status = allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_RESERVE, own / 2);
            if (!status && draw(seed, 4) == 0)
                status = allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_LIMIT, own + 3);
            if (!status)
                status = allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_SHARE, (int64_t)draw(seed, 3));
            if (!status && !free && draw(seed, 4) == 0)
                status = allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_REBALANCE, 0);
            if (!status)
                status = allot_plan_lend(plan, ALLOT_ALL, leaf, NULL, -1);
            if (!status && last >= 0)
                status = allot_plan_borrow(plan, ALLOT_ALL, leaf, &last, 1);
            owned += own;
        }
        if (!status)
            status = allot_plan_set(plan, ALLOT_ALL, parent, ALLOT_OWNED,
                                    owned + (int64_t)draw(seed, 5));
        if (!status && !free && draw(seed, 2))
            status = allot_plan_set(plan, ALLOT_ALL, parent, ALLOT_LIMIT,
                                    owned / 2 + (int64_t)draw(seed, 8));
        if (status)
            return status;
        last = parent;
    }
    return ALLOT_OK;
}

/* Slots in flight from a leaf to another. */
static int fly(allot_state *state, int32_t from, int32_t to, int64_t slots)
{
    allot_claim claim = {to, slots};
    allot_in_flight flight = {.consumer = from,
                              .slots = slots,
                              .deadline = INT64_MAX,
                              .claims = &claim,
                              .claim_count = 1};
    return allot_state_in_flight(state, &flight);
}

/* In every second state reclaims are in flight. */
static int fill(allot_state *state, const allot_plan *plan, uint64_t *seed)
{
    uint64_t flights = draw(seed, 2) * 3;
    int32_t before = -1;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_plan_consumers(plan) && !status; i++) {
        if (allot_plan_children(plan, i) > 0)
            continue;
        status = allot_state_demand(state, 0, i, (int64_t)draw(seed, 12));
        int64_t held = (int64_t)draw(seed, 8);
        if (!status)
            status = allot_state_allocated(state, 0, i, held);
        allot_loan loan = {0, before, i, (int64_t)draw(seed, 5)};
        if (!status && before >= 0)
            status = allot_state_loan(state, &loan);
        int64_t flying = (int64_t)draw(seed, (uint64_t)held + 1);
        if (!status && before >= 0 && flying > 0 && *seed % 8 < flights)
            status = fly(state, i, before, flying);
        before = i;
    }
    return status ? status : allot_state_seal(state, NULL);
}

/* Leaves of the first level, which share one pool. */
static int grow_flat(allot_plan *plan, uint64_t *seed)
{
    bool drains = draw(seed, 8) == 0;
    int64_t owned = 0;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < FLAT && !status; i++) {
        int32_t leaf;
        int64_t own = (int64_t)draw(seed, 6);
        char name[8] = {(char)('a' + i), 0};
        owned += own;
        status = allot_plan_add(plan, ALLOT_ROOT, name, 1, &leaf);
        status = status ? status : allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_OWNED, own);
        if (!status)
            status = allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_RANK, (int64_t)draw(seed, 2));
        if (!status && draw(seed, 6) == 0)
            status = allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_RESERVE, own / 2);
        if (!status && draw(seed, 6) == 0)
            status = allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_LIMIT, own + 6);
        if (!status)
            status = allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_SHARE, (int64_t)draw(seed, 5));
        if (!status && drains && draw(seed, 4) == 0)
            status = allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_REBALANCE, 0);
        status = status ? status : allot_plan_lend(plan, ALLOT_ALL, leaf, NULL, -1);
        status = status ? status : allot_plan_borrow(plan, ALLOT_ALL, leaf, NULL, -1);
    }
    return status ? status : allot_plan_slots(plan, 0, owned + (int64_t)draw(seed, 30));
}

/* A state of such a plan: most leaves want more than there is. */
static int fill_flat(allot_state *state, uint64_t *seed)
{
    int64_t left = allot_state_slots_get(state, 0) + (draw(seed, 4) ? 0 : (int64_t)draw(seed, 8));
    bool flies = draw(seed, 4) == 0;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < FLAT && !status; i++) {
        int64_t demand = (int64_t)draw(seed, draw(seed, 3) ? 30 : 3);
        int64_t held = (int64_t)draw(seed, i < FLAT - 1 ? 12 : 40);
        held = held < left ? held : left;
        left -= held;
        status = allot_state_demand(state, 0, i, demand);
        status = status ? status : allot_state_allocated(state, 0, i, held);
        for (int32_t k = 0; k < 3 && !status; k++) {
            allot_loan loan = {0, (int32_t)draw(seed, FLAT), i, (int64_t)draw(seed, 3)};
            if (loan.lender != i)
                status = allot_state_loan(state, &loan);
        }
        if (!status && flies && held > 1 && i > 0 && draw(seed, 4) == 0)
            status = fly(state, i, (int32_t)draw(seed, (uint64_t)i), 1 + (int64_t)draw(seed, 2));
    }
    return status ? status : allot_state_seal(state, NULL);
}

/* What is lent balances with what is held, whatever the state says. */
static void check_loans(const allot_decision *decision)
{
    for (int32_t i = 0; i < allot_decision_loans(decision); i++) {
        allot_loan_change loan;
        allot_verdict lender, borrower;
        CHECK_EQ(allot_decision_loan(decision, i, &loan), ALLOT_OK);
        CHECK_EQ(allot_decision_verdict(decision, loan.group, loan.lender, &lender), ALLOT_OK);
        CHECK_EQ(allot_decision_verdict(decision, loan.group, loan.borrower, &borrower), ALLOT_OK);
        CHECK(loan.slots >= 0 && loan.before >= 0);
        CHECK(loan.slots <= borrower.allocated + borrower.granted - borrower.reclaimed);
        CHECK(loan.slots <= (int64_t)lender.owned.num_low);
    }
    allot_loan_change none;
    CHECK_EQ(allot_decision_loan(decision, allot_decision_loans(decision), &none), ALLOT_EUSAGE);
}

/* ---- Kept books ------------------------------------------------------------------------------ */

/* Are all numbers of two ledgers the same that a decision reads? */
static void check_same(const allot__ledger *a, const allot__ledger *b)
{
    CHECK_EQ(a->loan_count, b->loan_count);
    CHECK_EQ(a->recall_count, b->recall_count);
    for (int32_t i = 0; i < a->loan_count && i < b->loan_count; i++)
        CHECK(memcmp(&a->loans[i], &b->loans[i], sizeof *a->loans) == 0);
    for (int32_t i = 0; i < a->recall_count && i < b->recall_count; i++) {
        const allot__recall *x = &a->recalls[i], *y = &b->recalls[i];
        CHECK(x->from == y->from && x->to == y->to && x->slots == y->slots && x->why == y->why);
    }
    for (int32_t i = 0; i < a->count; i++) {
        const allot__holder *x = &a->holders[i], *y = &b->holders[i];
        CHECK(x->used == y->used && x->shared == y->shared && x->in == y->in && x->out == y->out);
        CHECK(x->granted == y->granted && x->promised == y->promised && x->lost == y->lost);
        CHECK(x->forced == y->forced && x->need == y->need && x->most == y->most);
    }
}

static int64_t stood; /* runs that continued the one before */

static int run(allot__work *work, bool draft)
{
    allot__arena arena, *mine = work->arena;
    allot__arena_init(&arena, work->plan->engine);
    work->arena = draft ? &arena : mine;
    allot__work_again(work);
    allot__ledger_draft(work, draft);
    bool stands = work->ledger->stands;
    int status = allot__need(work);
    status = status ? status : allot__ledger_run(work);
    stood += stands && work->ledger->stands;
    work->arena = mine;
    allot__arena_free(&arena);
    return status;
}

/* Changes demands of leaves, mostly to less; a ledger that keeps its books gives the quotas of one
 * that opens them in each run. */
static int check_again(const allot__work *work, uint64_t *seed)
{
    int32_t demand[ROWS], quota[2][ROWS] = {{0}};
    allot__work kept = *work, full = *work;
    memcpy(demand, work->demand, (size_t)work->tree->rows * sizeof *demand);
    kept.demand = full.demand = demand;
    kept.quota = quota[0];
    full.quota = quota[1];
    int status = allot__ledger_begin(&kept);
    status = status ? status : allot__ledger_begin(&full);
    if (status)
        return status;
    allot__ledger_keep(&kept, true);
    for (int32_t change = 0; change < CHANGES && !status; change++) {
        bool draft = draw(seed, 4);
        int32_t row = (int32_t)draw(seed, (uint64_t)work->tree->rows);
        if (allot__family_of(work, row) == 0)
            demand[row] = (int32_t)draw(seed, draw(seed, 4) ? (uint64_t)demand[row] + 1 : 12);
        status = run(&kept, draft);
        status = status ? status : run(&full, false);
        if (status)
            break;
        CHECK(memcmp(quota[0], quota[1], sizeof quota[0]) == 0);
        if (!draft)
            check_same(kept.ledger, full.ledger);
    }
    return status;
}

static int decide(allot_engine *engine, uint64_t seed, int32_t parents)
{
    allot_policy *policy = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    int status = make_policy(engine, seed >> 5, &policy);
    if (!status)
        status = allot_plan_new(engine, &plan);
    if (!status)
        status = allot_plan_policy(plan, ALLOT_ALL, policy);
    if (!status)
        status = parents ? grow(plan, &seed, parents) : grow_flat(plan, &seed);
    if (!status)
        status = allot_plan_seal(plan, NULL);
    if (!status)
        status = allot_state_new(plan, &state);
    if (!status)
        status = parents ? fill(state, plan, &seed) : fill_flat(state, &seed);
    if (!status)
        status = allot_cycle(plan, state, NULL, &decision);
    if (!status) {
        if (allot_state_reclaims(state) == 0)
            check_loans(decision);
        status = check_again(&decision->groups[0].work, &seed);
        allot_decision_free(decision);
    }
    allot_state_free(state);
    allot_plan_free(plan);
    allot_policy_free(policy);
    return status;
}

static int scenario(allot_engine *engine)
{
    int status = decide(engine, 7, 2);
    return status ? status : decide(engine, 7, 0);
}

static void test_random(void)
{
    oom memory = {0};
    allot_engine *engine;
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
    for (uint64_t seed = 1; seed <= 3000; seed++)
        CHECK_EQ(decide(engine, seed * 2654435761u, 1 + (int32_t)(seed % 6)), ALLOT_OK);
    stood = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++)
        CHECK_EQ(decide(engine, seed * 2654435761u, 0), ALLOT_OK);
    CHECK(stood > 3000);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

static void test_declare(void)
{
    fixture it;
    allot_policy *policy;
    fixture_begin(&it);
    CHECK_EQ(make_policy(it.engine, 0, &policy), ALLOT_OK);
    CHECK_EQ(allot_policy_pool(policy, "more", by_share, by_need), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_loan(policy, "more", by_need, by_need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fill(policy, "more", by_share, by_need, NULL, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_switch(policy, ALLOT_SWITCH_RECALL_FIRST, 1), ALLOT_OK);
    CHECK_EQ(allot_policy_switch(policy, ALLOT_SWITCH_COUNT, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_policy_fills(policy), 4);
    CHECK(strcmp(allot_policy_fill_label(policy, 2), "shared") == 0);
    allot_policy_free(policy);
    CHECK_EQ(allot_policy_new(it.engine, "bare", &policy), ALLOT_OK);
    CHECK_EQ(allot_policy_pool(policy, "shared", by_share, by_need), ALLOT_EUSAGE);
    allot_policy_free(policy);
    fixture_end(&it);
}

static void test_peers(void)
{
    fixture it;
    fixture_begin(&it);
    int32_t a = fixture_add(it.plan, "/a"), b = fixture_add(it.plan, "/b");
    fixture_add(it.plan, "/b/c");
    CHECK_EQ(allot_plan_lend(it.plan, ALLOT_ALL, a, &a, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_lend(it.plan, ALLOT_ALL, 9, NULL, -1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_lend(it.plan, 1, a, NULL, -1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_borrow(it.plan, ALLOT_ALL, b, NULL, -1), ALLOT_OK);
    CHECK_EQ(allot_plan_lend(it.plan, ALLOT_ALL, a, &b, 1), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    CHECK(strcmp(fixture_code(it.report, 0), "W-loan") == 0);
    CHECK(strcmp(fixture_code(it.report, 1), "E-loan") == 0);
    CHECK_EQ(allot_plan_borrow(it.plan, ALLOT_ALL, b, NULL, 0), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, NULL), ALLOT_OK);
    allot_state *state;
    CHECK_EQ(allot_state_new(it.plan, &state), ALLOT_OK);
    int32_t c = fixture_find(it.plan, "/b/c");
    CHECK_EQ(allot_state_loan(state, &(allot_loan){0, a, a, 1}), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_loan(state, &(allot_loan){0, a, b, 1}), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_loan(state, &(allot_loan){0, a, c, -1}), ALLOT_ERANGE);
    CHECK_EQ(allot_state_loan(state, &(allot_loan){0, a, c, 1}), ALLOT_OK);
    allot_state_free(state);
    fixture_end(&it);
}

static void test_memory(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(test_declare);
    RUN(test_peers);
    RUN(test_random);
    RUN(test_memory);
    return check_done();
}
