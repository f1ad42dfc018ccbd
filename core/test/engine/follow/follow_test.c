/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * follow_test.c: cycles that go on from the one before, against full ones: every column, sum and
 * order, over random trees, policies and streams of changes, carried out or not.
 */
#include "engine/decision/decision.h"

#include <allot/apply.h>
#include <allot/stated.h>
#include <inttypes.h>
#include <stdlib.h>

#include "test/support/fixture.h"

enum { CASES = 3000, STEPS = 25, MOST = 120, FLIGHTS = 12 };

static uint64_t seed;

static int32_t draw(int32_t from, int32_t to)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return from + (int32_t)((seed >> 33) % (uint64_t)(to - from + 1));
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static const allot_source need = {ALLOT_FROM_NEED, 0}, one = {ALLOT_FROM_NUMBER, 1};
static const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};

static void draw_policy(allot_policy *policy)
{
    int kind = draw(0, 9);
    if (draw(0, 4) == 0) {
        const allot_source reserve = {ALLOT_FROM_COLUMN, ALLOT_SHARE};
        CHECK_EQ(allot_policy_reserve(policy, reserve), ALLOT_OK);
    }
    if (kind == 9) {
        const allot_source percent = {ALLOT_FROM_PERCENT, ALLOT_SHARE};
        CHECK_EQ(allot_policy_fill(policy, "capped", one, percent, NULL, 0), ALLOT_OK);
        kind = 0;
    }
    if (kind >= 8) { /* takes full passes */
        allot_source held = {ALLOT_FROM_COLUMN, draw(0, 1) ? ALLOT_ALLOCATED : ALLOT_IN_FLIGHT};
        CHECK_EQ(allot_policy_fill(policy, "kept", one, held, NULL, 0), ALLOT_OK);
        return;
    }
    if (kind > 5) { /* levels that end at marks, and rates at which rows just reach them */
        allot_source most = {ALLOT_FROM_NUMBER, draw(1, 6)};
        CHECK_EQ(allot_policy_fill(policy, "some", one, owned, NULL, 0), ALLOT_OK);
        if (kind == 7) {
            CHECK_EQ(allot_policy_fill(policy, "even", one, most, NULL, 0), ALLOT_OK);
            CHECK_EQ(allot_policy_fill(policy, "more", owned, need, NULL, 0), ALLOT_OK);
        }
        return;
    }
    if (kind < 4)
        CHECK_EQ(allot_policy_fill(policy, "owned", owned, owned, NULL, 0), ALLOT_OK);
    if (kind < 3)
        CHECK_EQ(allot_policy_fill(policy, "borrowed", owned, need, NULL, 0), ALLOT_OK);
    if (kind != 5)
        CHECK_EQ(allot_policy_fill(policy, "rest", one, need, NULL, 0), ALLOT_OK);
}

/* The children of a consumer; the slots that they own. */
static int32_t draw_family(allot_plan *plan, int32_t parent, int depth)
{
    int32_t sum = 0;
    for (int32_t i = draw(1, depth > 0 ? 4 : draw(0, 4) == 0 ? 40 : 7); i > 0; i--) {
        char name[3] = {(char)('a' + i % 20), (char)('a' + i / 20), '\0'};
        int32_t handle, own = draw(0, 2) > 0 ? draw(0, 6) : 0;
        CHECK_EQ(allot_plan_add(plan, parent, name, 2, &handle), ALLOT_OK);
        bool leaf = depth == 0 || draw(0, 2) == 0;
        if (!leaf)
            own = draw_family(plan, handle, depth - 1) + draw(0, 2);
        CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_OWNED, own), ALLOT_OK);
        CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_RANK, draw(0, 2)), ALLOT_OK);
        CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_SHARE, 17 * draw(1, 4)), ALLOT_OK);
        CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_GRACE, draw(0, 2)), ALLOT_OK);
        if (draw(0, 4) == 0)
            CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_LIMIT, own + draw(0, 8)),
                     ALLOT_OK);
        if (draw(0, leaf ? 3 : 1) == 0)
            CHECK_EQ(allot_plan_set(plan, ALLOT_ALL, handle, ALLOT_RESERVE, draw(0, own)),
                     ALLOT_OK);
        sum += own;
    }
    return sum;
}

typedef struct world {
    fixture it;
    allot_state *state, *plain; /* the same; the second is always decided about by a full pass */
    int32_t demand[MOST], allocated[MOST];           /* by handle, */
    int32_t told_demand[MOST], told_allocated[MOST]; /* and as the states have them */
    allot_in_flight flights[FLIGHTS];
    allot_claim claims[FLIGHTS];
    int32_t flight_count;
    int32_t task_count, now; /* of a live world: tasks ever begun */
} world;

static int32_t leaf_at(const world *at)
{
    const allot_plan *plan = at->it.plan;
    int32_t consumer = draw(0, allot_plan_consumers(plan) - 1);
    while (allot_plan_children(plan, consumer) > 0)
        consumer = (consumer + 1) % allot_plan_consumers(plan);
    return consumer;
}

static bool fill_state(world *at, allot_state *state)
{
    for (int32_t i = 0; i < allot_plan_consumers(at->it.plan); i++) {
        if (allot_plan_children(at->it.plan, i) > 0)
            continue;
        if (at->told_demand[i] != at->demand[i])
            CHECK_EQ(allot_state_demand(state, 0, i, at->demand[i]), ALLOT_OK);
        if (at->told_allocated[i] != at->allocated[i])
            CHECK_EQ(allot_state_allocated(state, 0, i, at->allocated[i]), ALLOT_OK);
    }
    CHECK_EQ(allot_state_clear(state), ALLOT_OK);
    for (int32_t i = 0; i < at->flight_count; i++)
        CHECK_EQ(allot_state_in_flight(state, &at->flights[i]), ALLOT_OK);
    return allot_state_seal(state, NULL) == ALLOT_OK;
}

static bool fill_both(world *at)
{
    bool filled = fill_state(at, at->state) && fill_state(at, at->plain);
    memcpy(at->told_demand, at->demand, sizeof at->demand);
    memcpy(at->told_allocated, at->allocated, sizeof at->allocated);
    return filled;
}

/* False: the plan is not valid. */
static bool begin(world *at, bool live)
{
    *at = (world){0};
    fixture *it = &at->it;
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    CHECK_EQ(allot_policy_new(it->engine, "drawn", &it->policy), ALLOT_OK);
    CHECK_EQ(allot_plan_new(it->engine, &it->plan), ALLOT_OK);
    draw_policy(it->policy);
    CHECK_EQ(allot_plan_policy(it->plan, ALLOT_ALL, it->policy), ALLOT_OK);
    int32_t slots = draw_family(it->plan, ALLOT_ROOT, draw(0, 3)) + 1;
    CHECK_EQ(allot_plan_slots(it->plan, 0, slots), ALLOT_OK);
    if (draw(0, 2) == 0)
        CHECK_EQ(allot_plan_option(it->plan, 0, ALLOT_OPTION_ANCESTOR_GRACE, 1), ALLOT_OK);
    if (allot_plan_seal(it->plan, NULL) != ALLOT_OK || allot_plan_consumers(it->plan) > MOST)
        return false;
    CHECK_EQ(allot_state_new(it->plan, &at->state), ALLOT_OK);
    CHECK_EQ(allot_state_new(it->plan, &at->plain), ALLOT_OK);
    slots += draw(slots > 3 ? -3 : 0, 9);
    CHECK_EQ(allot_state_slots(at->state, 0, slots), ALLOT_OK);
    CHECK_EQ(allot_state_slots(at->plain, 0, slots), ALLOT_OK);
    CHECK_EQ(allot_state_full(at->plain, 1), ALLOT_OK);
    at->state->since->broad = draw(0, 2) > 0 ? draw(1, 6) : 0;
    for (int32_t i = 0; i < allot_plan_consumers(it->plan); i++) {
        at->demand[i] = draw(0, 12);
        at->allocated[i] = draw(0, 2) == 0 && !(live && draw(0, 1)) ? draw(0, 8) : 0;
    }
    return fill_both(at);
}

static void end(world *at)
{
    allot_state_free(at->state);
    allot_state_free(at->plain);
    fixture_end(&at->it);
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* Some slots of a leaf are on their way to somebody, or nobody. */
static void add_flight(world *at)
{
    int32_t i = at->flight_count, from = leaf_at(at), count = allot_plan_consumers(at->it.plan);
    if (i == FLIGHTS || at->allocated[from] == 0)
        return;
    int64_t slots = draw(1, at->allocated[from]);
    at->claims[i] = (allot_claim){draw(0, count - 1), draw(1, (int32_t)slots)};
    at->flights[i] = (allot_in_flight){.consumer = from,
                                       .slots = slots,
                                       .deadline = INT64_MAX,
                                       .claims = &at->claims[i],
                                       .claim_count = draw(0, 1)};
    at->flight_count++;
}

static void change(world *at)
{
    for (int k = draw(1, 4); k > 0; k--) {
        int32_t leaf = leaf_at(at);
        if (draw(0, 2) > 0)
            at->demand[leaf] = draw(0, 1) == 0 ? 0 : draw(0, 14);
        else if (draw(0, 1) == 0)
            at->allocated[leaf] = draw(0, 9);
        else if (draw(0, 1) == 0)
            add_flight(at);
        else if (at->flight_count > 0)
            at->flight_count--;
    }
}

static void carry_out(world *at, const allot_decision *decision)
{
    allot_grant grant;
    allot_reclaim reclaim;
    for (int32_t i = 0; i < allot_decision_grants(decision); i++)
        if (allot_decision_grant(decision, i, &grant) == ALLOT_OK)
            at->allocated[grant.consumer] += (int32_t)grant.slots;
    for (int32_t i = 0; i < allot_decision_reclaims(decision); i++)
        if (allot_decision_reclaim(decision, i, &reclaim) == ALLOT_OK)
            at->allocated[reclaim.consumer] -= (int32_t)reclaim.slots;
}

/* ---- A live cluster -------------------------------------------------------------------------- */

/* A number of some item of the state; -1: there is none. */
static int32_t some(int32_t count)
{
    return count > 0 ? draw(0, count - 1) : -1;
}

/* Begins, or moves, a task on a leaf whose slots are those of its tasks. */
static void put_task(world *at, const char *known)
{
    char id[8], session[16];
    allot_stated_leaf row;
    allot_task task = {.id = known ? known : id, .consumer = leaf_at(at), .slots = 1};
    if (allot_state_row_get(at->state, 0, task.consumer, &row) != ALLOT_OK || row.allocated >= 0)
        return;
    snprintf(id, sizeof id, "t%d", (int)(known ? 0 : at->task_count++));
    snprintf(session, sizeof session, "s%d-%d", (int)task.consumer, draw(0, 2));
    task.session = draw(0, 2) == 0 ? session : NULL;
    task.slots = draw(0, 9) == 0 ? draw(1, 3) : 1;
    task.state = draw(0, 150) == 0 ? ALLOT_TASK_PENDING : ALLOT_TASK_RUNNING;
    if (task.state == ALLOT_TASK_RUNNING) {
        task.started = draw(0, at->now);
        task.slot = draw(0, 60) == 0 ? "half" : NULL;
        task.host = draw(0, 2) == 0 ? (draw(0, 1) ? "h1" : "h2") : NULL;
    }
    CHECK_EQ(allot_state_set(at->state, ALLOT_ITEM_TASK, &task), ALLOT_OK);
    CHECK_EQ(allot_state_set(at->plain, ALLOT_ITEM_TASK, &task), ALLOT_OK);
}

/* Lists a session, or changes one; tasks may be of sessions that are not listed. */
static void put_session(world *at)
{
    char id[16];
    int32_t leaf = leaf_at(at);
    allot_session session = {.id = id, .consumer = leaf, .priority = draw(1, 3), .demand = -1};
    snprintf(id, sizeof id, "s%d-%d", (int)leaf, draw(0, 1));
    session.scheduling = leaf % 2 ? ALLOT_PRIORITY : ALLOT_PROPORTIONAL;
    CHECK_EQ(allot_state_set(at->state, ALLOT_ITEM_SESSION, &session), ALLOT_OK);
    CHECK_EQ(allot_state_set(at->plain, ALLOT_ITEM_SESSION, &session), ALLOT_OK);
}

static void change_task(world *at)
{
    allot_task task;
    char id[16];
    if (draw(0, 1) == 0) {
        put_task(at, NULL);
        return;
    }
    if (allot_state_task_at(at->state, some(allot_state_tasks(at->state)), &task) != ALLOT_OK)
        return;
    snprintf(id, sizeof id, "%s", task.id);
    if (task.state == ALLOT_TASK_PENDING || draw(0, 2) > 0) {
        CHECK_EQ(allot_state_task_end(at->state, id), ALLOT_OK);
        CHECK_EQ(allot_state_task_end(at->plain, id), ALLOT_OK);
    } else {
        put_task(at, id);
    }
}

/* Slots of a reclaim are back. */
static void come_back(world *at)
{
    int32_t i = some(allot_state_reclaims(at->state));
    int32_t how =
        (draw(0, 30) == 0 ? ALLOT_TASKS_WAIT : 0) | (draw(0, 1) ? ALLOT_RECLAIM_STAYS : 0);
    if (i < 0)
        return;
    CHECK_EQ(allot_state_reclaim_return(at->state, i, how),
             allot_state_reclaim_return(at->plain, i, how));
}

static void change_live(world *at)
{
    for (int k = at->task_count == 0 ? 30 : 0; k > 0; k--)
        put_task(at, NULL);
    if (draw(0, 9) == 0)
        put_session(at);
    for (int k = draw(1, 5); k > 0; k--) {
        int32_t leaf = leaf_at(at), slots = draw(0, 1) == 0 ? 0 : draw(0, 14);
        int kind = draw(0, 4);
        if (kind == 0)
            come_back(at);
        else if (kind < 3)
            change_task(at);
        else if (allot_state_demand(at->state, 0, leaf, slots) == ALLOT_OK)
            CHECK_EQ(allot_state_demand(at->plain, 0, leaf, slots), ALLOT_OK);
    }
    at->now += draw(0, 1);
    CHECK_EQ(allot_state_now(at->state, at->now), ALLOT_OK);
    CHECK_EQ(allot_state_now(at->plain, at->now), ALLOT_OK);
}

/* Leaves start tasks on what they are granted, or decline. */
static void apply(world *at, const allot_decision *follow, const allot_decision *full)
{
    const allot_apply how = {.starts = 1, .task_ids = draw(0, 2) > 0 ? "n" : NULL};
    CHECK_EQ(allot_state_apply(at->state, follow, &how), ALLOT_OK);
    CHECK_EQ(allot_state_apply(at->plain, full, &how), ALLOT_OK);
}

/* ---- Two of the same ------------------------------------------------------------------------- */

#define SAME(member) CHECK_EQ(a->member, b->member)

static void same_rows(const allot__work *a, const allot__work *b)
{
    for (int32_t row = 0; row < a->tree->rows; row++) {
        SAME(need[row]);
        SAME(quota[row]);
        SAME(received[row]);
        SAME(reclaimed[row]);
        if (allot__family_of(a, row) == 0)
            SAME(over[row]);
    }
    SAME(idle);
    SAME(idle_left);
}

static void same_sums(const allot__work *a_work, const allot__work *b_work)
{
    for (int32_t i = 0; i < a_work->tree->families; i++) {
        const allot__sums *a = &a_work->sums[i], *b = &b_work->sums[i];
        SAME(demand);
        SAME(need);
        SAME(reserve);
        SAME(allocated);
        SAME(in_flight);
        SAME(earmarked);
        SAME(received);
        SAME(over);
        SAME(over_left);
        SAME(deficit);
        SAME(unmatched);
        SAME(freed);
        SAME(reclaimed);
        SAME(ordered);
        CHECK_EQ(a_work->spare[i], b_work->spare[i]);
        CHECK_EQ(a_work->critical[i].fill, b_work->critical[i].fill);
        CHECK_EQ(a_work->critical[i].amount, b_work->critical[i].amount);
        CHECK_EQ(a_work->critical[i].weight, b_work->critical[i].weight);
    }
}

static int64_t went_on, passed, ordered, failed, victims;

static void same_orders(const allot__orders *a_all, const allot__orders *b_all)
{
    CHECK_EQ(a_all->grant_count, b_all->grant_count);
    CHECK_EQ(a_all->reclaim_count, b_all->reclaim_count);
    for (int32_t i = 0; i < b_all->grant_count && a_all->grant_count == b_all->grant_count; i++)
        CHECK_EQ(a_all->grants[i], b_all->grants[i]);
    for (int32_t i = 0; i < b_all->reclaim_count && a_all->reclaim_count == b_all->reclaim_count;
         i++) {
        const allot__order_back *a = &a_all->reclaims[i], *b = &b_all->reclaims[i];
        SAME(row);
        SAME(unowed);
        SAME(freed);
        SAME(slots);
        SAME(grace);
        SAME(count);
        for (int32_t k = 0; k < b->count && a->count == b->count; k++) {
            CHECK_EQ(a_all->claims[a->first + k].consumer, b_all->claims[b->first + k].consumer);
            CHECK_EQ(a_all->claims[a->first + k].slots, b_all->claims[b->first + k].slots);
        }
    }
}

static void same_totals(allot_decision a_all, const allot_decision *b_all, allot_stage last)
{
    allot_totals a, b;
    a_all.last = last;
    CHECK_EQ(allot_decision_totals(&a_all, 0, &a), ALLOT_OK);
    CHECK_EQ(allot_decision_totals(b_all, 0, &b), ALLOT_OK);
    CHECK_EQ(memcmp(&a, &b, offsetof(allot_totals, own_used)), 0);
}

static void same_verdicts(const allot_decision *a_all, const allot_decision *b_all)
{
    same_totals(*a_all, b_all, ALLOT_STAGE_ORDERS); /* sums of the lists */
    for (int32_t i = 0; i < allot_plan_consumers(a_all->plan); i++) {
        allot_verdict a, b;
        CHECK_EQ(allot_decision_verdict(a_all, 0, i, &a), ALLOT_OK);
        CHECK_EQ(allot_decision_verdict(b_all, 0, i, &b), ALLOT_OK);
        CHECK_EQ(memcmp(&a, &b, sizeof a), 0);
    }
    same_totals(*a_all, b_all, ALLOT_STAGE_MONITOR);
}

static void same_digests(const allot_decision *a_all, const allot_decision *b_all)
{
    uint64_t digests[4];
    allot_decision_digest(a_all, &digests[0], &digests[1]);
    allot_decision_digest(b_all, &digests[2], &digests[3]);
    CHECK_EQ(memcmp(digests, digests + 2, 2 * sizeof *digests), 0);
}

static void same_tasks(const world *at, const int32_t *a, const int32_t *b, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        allot_task one, other;
        CHECK_EQ(allot_state_task_at(at->state, a[i], &one), ALLOT_OK);
        CHECK_EQ(allot_state_task_at(at->plain, b[i], &other), ALLOT_OK);
        CHECK_STR(one.id, other.id);
    }
}

static void same_sessions(const allot_decision *a_all, const allot_decision *b_all)
{
    for (int32_t i = 0; i < allot_state_sessions(b_all->state); i++) {
        allot_session_part a_of, b_of;
        const allot_session_part *a = &a_of, *b = &b_of;
        CHECK_EQ(allot_decision_session(a_all, i, &a_of), ALLOT_OK);
        CHECK_EQ(allot_decision_session(b_all, i, &b_of), ALLOT_OK);
        SAME(need);
        SAME(quota);
        SAME(allocated);
    }
}

static void same_victims(const world *at, const allot_decision *a_all, const allot_decision *b_all)
{
    for (int32_t i = 0; i < allot_decision_reclaims(b_all); i++) {
        allot_reclaim a_of, b_of;
        const allot_reclaim *a = &a_of, *b = &b_of;
        CHECK_EQ(allot_decision_reclaim(a_all, i, &a_of), ALLOT_OK);
        CHECK_EQ(allot_decision_reclaim(b_all, i, &b_of), ALLOT_OK);
        SAME(deadline);
        if (CHECK_EQ(a->task_count, b->task_count))
            same_tasks(at, a->tasks, b->tasks, b->task_count);
        victims += b->task_count;
    }
    CHECK_EQ(allot_decision_kills(a_all), allot_decision_kills(b_all));
    for (int32_t i = 0; i < allot_decision_kills(b_all); i++) {
        allot_kill a, b;
        CHECK_EQ(allot_decision_kill(a_all, i, &a), ALLOT_OK);
        CHECK_EQ(allot_decision_kill(b_all, i, &b), ALLOT_OK);
        same_tasks(at, &a.task, &b.task, 1);
    }
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Opens both states, carries the decisions out, or not, and changes something. */
static bool turn(world *at, allot_decision *follow, allot_decision *full, bool live)
{
    bool applies = draw(0, 1) == 0;
    if (applies && !live)
        carry_out(at, full);
    CHECK_EQ(allot_state_open(at->state), ALLOT_OK);
    CHECK_EQ(allot_state_open(at->plain), ALLOT_OK);
    if (applies && live)
        apply(at, follow, full);
    allot_decision_free(follow);
    allot_decision_free(full);
    if (!live) {
        change(at);
        return fill_both(at);
    }
    change_live(at);
    return CHECK_EQ(allot_state_seal(at->state, NULL), allot_state_seal(at->plain, NULL)) &&
           at->state->sealed;
}

static bool step(world *at, bool live)
{
    allot_decision *follow, *full;
    int status;
    if (draw(0, 3) == 0) /* memory may run out once, somewhere */
        at->it.memory.fail_at = at->it.memory.calls + draw(1, 8);
    OOM_RETRY(status, allot_cycle(at->it.plan, at->state, NULL, &follow));
    failed += at->it.memory.failed;
    at->it.memory.fail_at = 0;
    at->it.memory.failed = false;
    if (!CHECK_EQ(status, ALLOT_OK) ||
        !CHECK_EQ(allot_cycle(at->it.plan, at->plain, NULL, &full), ALLOT_OK))
        return false;
    bool goes = allot_decision_full(follow) == NULL;
    CHECK(allot_decision_full(full) != NULL);
    went_on += goes;
    passed += !goes;
    same_digests(follow, full);
    if (goes) {
        same_rows(&follow->groups[0].work, &full->groups[0].work);
        same_sums(&follow->groups[0].work, &full->groups[0].work);
        same_orders(&follow->groups[0].orders, &full->groups[0].orders);
        same_verdicts(follow, full);
        same_sessions(follow, full);
        same_victims(at, follow, full);
        ordered += full->groups[0].orders.reclaim_count;
    }
    return turn(at, follow, full, live);
}

static void test_case(uint64_t number)
{
    static world at;
    seed = number;
    bool live = draw(0, 1), valid = begin(&at, live);
    for (int i = 0; i < STEPS && valid && check__.failed_checks == 0; i++)
        valid = step(&at, live);
    end(&at);
    if (check__.failed_checks > 0)
        printf("# seed %" PRIu64 "\n", number);
}

static void test_random(void)
{
    const char *one_seed = getenv("ALLOT_SEED");
    uint64_t first = one_seed ? strtoull(one_seed, NULL, 10) : 0;
    for (uint64_t i = first; i < first + (one_seed ? 1 : CASES) && check__.failed_checks == 0; i++)
        test_case(i);
    printf("# went on %lld, full passes %lld, reclaims %lld, victims %lld, without memory %lld\n",
           (long long)went_on, (long long)passed, (long long)ordered, (long long)victims,
           (long long)failed);
    CHECK(one_seed ||
          (went_on > CASES && ordered > CASES && victims > CASES && failed > CASES / 2));
}

int main(void)
{
    RUN(test_random);
    return check_done();
}
