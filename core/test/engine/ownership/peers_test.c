/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* peers_test.c: those who lend to a borrower, in order, against asking each of them;
 * on random lists, lenders running out of slots, and with every allocation failing. */
#include "engine/ownership/peers.h"

#include "engine/decision/decision.h"
#include "test/support/fixture.h"

enum { LEAVES = 3, MOST = 64 };

static uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed % below;
}

static int make_policy(allot_engine *engine, allot_policy **out)
{
    allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED}, need = {ALLOT_FROM_NEED, 0};
    allot_policy *policy;
    int status = allot_policy_new(engine, "ledger", &policy);
    if (status)
        return status;
    status = allot_policy_fill(policy, "owned", owned, owned, NULL, 0);
    if (!status)
        status = allot_policy_loan(policy, "borrowed", need, need, NULL, 0);
    if (!status)
        status = allot_policy_scale(policy, 0);
    if (status)
        allot_policy_free(policy);
    else
        *out = policy;
    return status;
}

/* Branches of leaves, all of which own slots. */
static int grow(allot_plan *plan, int32_t parents)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < parents && !status; i++) {
        int32_t parent, leaf;
        char name[2] = {'p', (char)('a' + i)};
        status = allot_plan_add(plan, ALLOT_ROOT, name, 2, &parent);
        if (!status)
            status = allot_plan_set(plan, ALLOT_ALL, parent, ALLOT_OWNED, LEAVES);
        for (int32_t k = 0; k < LEAVES && !status; k++) {
            name[0] = (char)('x' + k);
            status = allot_plan_add(plan, parent, name, 2, &leaf);
            if (!status)
                status = allot_plan_set(plan, ALLOT_ALL, leaf, ALLOT_OWNED, 1);
        }
    }
    return status;
}

/* Everybody, nobody, or a list of consumers, each of which can be a parent. */
static int draw_peers(allot_plan *plan, int32_t leaf, bool lend, uint64_t *seed)
{
    int (*set)(allot_plan *, int32_t, int32_t, const int32_t *, int32_t) =
        lend ? allot_plan_lend : allot_plan_borrow;
    int32_t list[MOST], count = 0;
    switch (draw(seed, 3)) {
    case 0:
        return set(plan, ALLOT_ALL, leaf, NULL, -1);
    case 1:
        return ALLOT_OK;
    default:
        for (int32_t i = 0; i < allot_plan_consumers(plan); i++)
            if (i != leaf && i != allot_plan_parent(plan, leaf) && draw(seed, 3) == 0)
                list[count++] = i;
        return count > 0 ? set(plan, ALLOT_ALL, leaf, list, count) : ALLOT_OK;
    }
}

static int peers_of_all(allot_plan *plan, uint64_t *seed)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_plan_consumers(plan) && !status; i++) {
        if (allot_plan_parent(plan, i) < 0)
            continue;
        status = draw_peers(plan, i, true, seed);
        if (!status)
            status = draw_peers(plan, i, false, seed);
    }
    return status;
}

/* Does the lender's list have the borrower? Whatever the borrower's says. */
static bool lends(const allot__ledger *ledger, int32_t lender, int32_t borrower)
{
    const allot__peers *peers = allot__peers_of(ledger, lender, true);
    int32_t place = ledger->holders[borrower].place;
    bool found = peers != NULL && peers->count < 0;
    for (int32_t i = 0; peers && i < peers->count; i++) {
        int32_t row = allot__peer_row(ledger, peers, i);
        found = found || (place >= ledger->first[row] && place < ledger->end[row]);
    }
    return found;
}

/* The next with slots: a list that names several rows tells of each that it has nothing left. */
static int32_t next_open(allot__lenders *lenders, int32_t borrower, const bool *open)
{
    int32_t at = allot__lenders_place(lenders, borrower);
    while (at < lenders->ledger->places && !open[at]) {
        allot__lenders_pass(lenders, borrower, at, true);
        at = allot__lenders_place(lenders, borrower);
    }
    return at;
}

/* Walks over a borrower's lenders from a place on; some have nothing left from then on. */
static void check_walk(allot__lenders *lenders, int32_t borrower, bool *open, uint64_t *seed)
{
    const allot__ledger *ledger = lenders->ledger;
    int32_t at = (int32_t)draw(seed, (uint64_t)ledger->places);
    allot__lenders_begin(lenders, borrower, at);
    for (; at < ledger->places; at++) {
        if (!open[at] || !lends(ledger, ledger->at[at], borrower))
            continue;
        CHECK_EQ(next_open(lenders, borrower, open), at);
        bool spent = draw(seed, 8) == 0;
        open[at] = !spent;
        allot__lenders_pass(lenders, borrower, at, spent);
    }
    CHECK_EQ(next_open(lenders, borrower, open), ledger->places);
}

static int check_lenders(const allot__ledger *ledger, uint64_t *seed)
{
    int32_t has[MOST], count = 0;
    bool open[MOST];
    allot__lenders lenders;
    for (int32_t i = 0; i < ledger->places; i++) {
        open[i] = draw(seed, 4) != 0;
        if (open[i])
            has[count++] = i;
    }
    int status = allot__lenders_init(&lenders, ledger, has, count);
    if (status)
        return status;
    for (int32_t turn = 0; turn < 3; turn++)
        for (int32_t i = 0; i < ledger->count; i++)
            check_walk(&lenders, i, open, seed);
    return ALLOT_OK;
}

static int decide(allot_engine *engine, uint64_t seed, int32_t parents)
{
    allot_policy *policy = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    int status = make_policy(engine, &policy);
    if (!status)
        status = allot_plan_new(engine, &plan);
    if (!status)
        status = allot_plan_policy(plan, ALLOT_ALL, policy);
    if (!status)
        status = grow(plan, parents);
    if (!status)
        status = peers_of_all(plan, &seed);
    if (!status)
        status = allot_plan_seal(plan, NULL);
    if (!status)
        status = allot_state_new(plan, &state);
    if (!status)
        status = allot_state_seal(state, NULL);
    if (!status)
        status = allot_cycle(plan, state, NULL, &decision);
    if (!status)
        status = check_lenders(decision->groups[0].work.ledger, &seed);
    allot_decision_free(decision);
    allot_state_free(state);
    allot_plan_free(plan);
    allot_policy_free(policy);
    return status;
}

static int scenario(allot_engine *engine)
{
    return decide(engine, 7, 3);
}

static void test_random(void)
{
    oom memory = {0};
    allot_engine *engine;
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
    for (uint64_t seed = 1; seed <= 2000; seed++)
        CHECK_EQ(decide(engine, seed * 2654435761u, 1 + (int32_t)(seed % 6)), ALLOT_OK);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

static void test_memory(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(test_random);
    RUN(test_memory);
    return check_done();
}
