/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * batch_test.c: demands lowered as shares are followed, and several leaves at a time, and quotas
 * recomputed where something changed, against rule 4 as it stands: one leaf at a time, each time
 * all leaves looked at anew and all quotas computed in full. A state about which the two differ is
 * made smaller.
 */
#define allot__whole_batch batched
#define allot__whole_walk  walked
#include "engine/whole/batch.c"
#include "engine/whole/walk.c"
#undef allot__whole_batch
#undef allot__whole_walk

#include <inttypes.h>
#include <stdlib.h>

#include "engine/decision/decision.h"
#include "engine/ownership/ledger.h"
#include "test/support/fixture.h"

enum { CASES = 12000, LEAVES = 40, TASKS = 160, NOW = 1000 };

static struct {
    bool plain;
    int64_t steps, walked, batches, lowered, invalid;
} how;

/* In place of those of the library. */
int allot__whole_walk(allot__whole_all *all, int32_t *done);
int allot__whole_walk(allot__whole_all *all, int32_t *done)
{
    *done = 0;
    int status = how.plain ? ALLOT_OK : walked(all, done);
    how.walked += *done;
    return status;
}

int allot__whole_batch(allot__whole_all *all, int32_t *done);
int allot__whole_batch(allot__whole_all *all, int32_t *done)
{
    *done = 0;
    if (!how.plain) {
        int status = batched(all, done);
        how.batches += *done > 1;
        how.lowered += *done;
        return status;
    }
    for (int32_t group = 0; group < all->count; group++) {
        all->again[group].kept = NULL;
        if (all->works[group]->ledger)
            allot__ledger_keep(all->works[group], false);
    }
    for (int32_t i = 0; i < all->asker_count; i++)
        for (int32_t k = 0; k < all->askers[i].side_count; k++) {
            allot__side *side = &all->askers[i].sides[k];
            side->looked = -1;
            side->work->whole->fine_from[side->row] = 0;
            side->work->whole->fine_to[side->row] = -1;
        }
    how.steps++;
    return ALLOT_OK;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

typedef struct leaf {
    int32_t own, rank, share, reserve, limit, demand; /* the last two -1: none */
} leaf;

typedef struct job {
    int32_t leaf, slots, started, priority; /* slots 0: left out; started 0: it waits */
} job;

typedef struct site {
    int32_t policy, skip, damp, slots, leaf_count, task_count;
    leaf leaves[LEAVES];
    job tasks[TASKS];
} site;

static uint64_t seed;

static int32_t draw(int32_t from, int32_t to)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return from + (int32_t)((seed >> 33) % (uint64_t)(to - from + 1));
}

static bool once_in(int32_t times)
{
    return draw(1, times) == 1;
}

static leaf draw_leaf(int32_t limits, int32_t most)
{
    leaf it = {.limit = -1, .demand = -1};
    it.own = once_in(3) ? 0 : draw(0, most);
    it.rank = draw(0, 2);
    it.share = once_in(3) ? draw(0, 9) : 1;
    it.reserve = once_in(limits) ? draw(0, it.own) : 0;
    if (once_in(limits))
        it.limit = it.reserve + draw(0, 9);
    if (once_in(6))
        it.demand = draw(0, 20);
    return it;
}

static void draw_site(site *it)
{
    *it = (site){.policy = draw(0, 6), .skip = once_in(3), .damp = once_in(8)};
    int32_t wide = once_in(2) ? 8 : LEAVES, limits = once_in(2) ? 4 : 1000, most = draw(1, 12);
    int32_t large = draw(1, 16), runs = draw(1, 5), own = 0, running = 0;
    it->leaf_count = draw(2, wide);
    for (int32_t i = 0; i < it->leaf_count; i++) {
        it->leaves[i] = draw_leaf(limits, most);
        own += it->leaves[i].own;
    }
    it->task_count = draw(1, it->leaf_count * 4 < TASKS ? it->leaf_count * 4 : TASKS);
    it->slots = own + (once_in(2) ? draw(0, it->leaf_count * 4) : 0) + 1;
    for (int32_t i = 0; i < it->task_count; i++) {
        job *task = &it->tasks[i];
        *task = (job){.leaf = draw(0, it->leaf_count - 1), .slots = draw(1, large)};
        task->priority = once_in(4) ? draw(1, 3) : 1;
        if (running + task->slots <= it->slots && once_in(runs)) {
            task->started = draw(1, NOW - 1);
            running += task->slots;
        }
    }
}

/* ---- Decisions ------------------------------------------------------------------------------- */

static const allot_source need = {ALLOT_FROM_NEED, 0}, one = {ALLOT_FROM_NUMBER, 1};
static const allot_source owned = {ALLOT_FROM_COLUMN, ALLOT_OWNED};
static const allot_source share = {ALLOT_FROM_COLUMN, ALLOT_SHARE};
static const allot_source reserve = {ALLOT_FROM_COLUMN, ALLOT_RESERVE};
static const allot_source part = {ALLOT_FROM_PART, 0}, held = {ALLOT_FROM_HELD, 0};
static const allot_key rank = {{ALLOT_FROM_COLUMN, ALLOT_RANK}, 0};

static int fill(allot_policy *policy, const char *label, allot_source by, allot_source up_to)
{
    return allot_policy_fill(policy, label, by, up_to, NULL, 0);
}

/* hybrid, share_ratio, shares by workload, levels, ranks, and ownership in two ways. */
static void fill_policy(allot_policy *policy, int32_t kind)
{
    int status = ALLOT_OK;
    if (kind != 1 && kind != 2)
        status = fill(policy, "reserved", reserve, reserve);
    if (status == ALLOT_OK && (kind == 0 || kind > 3))
        status = fill(policy, "owned", owned, owned);
    if (status == ALLOT_OK && kind == 0)
        status = fill(policy, "borrowed", owned, need);
    if (status == ALLOT_OK && kind == 1)
        status = fill(policy, "planned", share, part);
    if (status == ALLOT_OK && kind == 1)
        status = allot_policy_fill(policy, "kept", share, held, &rank, 1);
    if (status == ALLOT_OK && kind == 4)
        status = allot_policy_fill(policy, "ranked", one, need, &rank, 1);
    if (status == ALLOT_OK && kind < 4)
        status = fill(policy, "rest", kind == 0 ? one : share, need);
    if (status == ALLOT_OK && kind == 3)
        status = allot_policy_fill_level(policy);
    if (status == ALLOT_OK && kind > 4)
        status = allot_policy_pool(policy, "shared", share, need);
    if (status == ALLOT_OK && kind > 4)
        status = allot_policy_loan(policy, "lent", need, need, NULL, 0);
    if (status == ALLOT_OK && kind > 4)
        status = allot_policy_scale(policy, 0);
    if (status == ALLOT_OK && kind == 6)
        status = allot_policy_switch(policy, ALLOT_SWITCH_RECALL_FIRST, 1);
    CHECK_EQ(status, ALLOT_OK);
}

static bool make_plan(const site *it, fixture *to)
{
    *to = (fixture){0};
    CHECK_EQ(allot_engine_new(oom_alloc, &to->memory, &to->engine), ALLOT_OK);
    CHECK_EQ(allot_policy_new(to->engine, "drawn", &to->policy), ALLOT_OK);
    CHECK_EQ(allot_plan_new(to->engine, &to->plan), ALLOT_OK);
    fill_policy(to->policy, it->policy);
    allot_plan *plan = to->plan;
    int status = allot_plan_policy(plan, ALLOT_ALL, to->policy);
    status = status ? status : allot_plan_slots(plan, 0, it->slots);
    for (int32_t i = 0; i < it->leaf_count && status == ALLOT_OK; i++) {
        const leaf *of = &it->leaves[i];
        char name[3] = {(char)('a' + i % 20), (char)('a' + i / 20), '\0'};
        int32_t handle;
        status = allot_plan_add(plan, ALLOT_ROOT, name, 2, &handle);
        status = status ? status : allot_plan_set(plan, ALLOT_ALL, i, ALLOT_OWNED, of->own);
        status = status ? status : allot_plan_set(plan, ALLOT_ALL, i, ALLOT_RANK, of->rank);
        status = status ? status : allot_plan_set(plan, ALLOT_ALL, i, ALLOT_SHARE, of->share);
        status = status ? status : allot_plan_set(plan, ALLOT_ALL, i, ALLOT_RESERVE, of->reserve);
        if (status == ALLOT_OK && of->limit >= 0)
            status = allot_plan_set(plan, ALLOT_ALL, i, ALLOT_LIMIT, of->limit);
        if (status == ALLOT_OK && it->policy > 4 && i > 0)
            status = allot_plan_lend(plan, ALLOT_ALL, i, NULL, -1);
    }
    status = status ? status : allot_plan_option(plan, 0, ALLOT_OPTION_PENDING, it->skip);
    if (status == ALLOT_OK && it->damp)
        status = allot_plan_option(plan, 0, ALLOT_OPTION_LEEWAY, 100);

    return status == ALLOT_OK && allot_plan_seal(plan, NULL) == ALLOT_OK;
}

static bool fill_state(const site *it, allot_state *state)
{
    int status = allot_state_now(state, NOW);
    status = status ? status : allot_state_slots(state, 0, it->slots);
    for (int32_t i = 0; i < it->leaf_count && status == ALLOT_OK; i++)
        if (it->leaves[i].demand >= 0)
            status = allot_state_demand(state, 0, i, it->leaves[i].demand);
    for (int32_t i = 0; i < it->task_count && status == ALLOT_OK; i++) {
        const job *of = &it->tasks[i];
        char id[16];
        snprintf(id, sizeof id, "t%03d", (int)i);
        allot_task task = {.id = id, .consumer = of->leaf, .slots = of->slots};
        task.state = of->started > 0 ? ALLOT_TASK_RUNNING : ALLOT_TASK_PENDING;
        task.started = of->started;
        task.priority = of->started > 0 ? 0 : of->priority;
        if (of->slots > 0)
            status = allot_state_task(state, &task);
    }
    return status == ALLOT_OK && allot_state_seal(state, NULL) == ALLOT_OK;
}

static bool same_tasks(const int32_t *a, int32_t a_count, const int32_t *b, int32_t b_count)
{
    return a_count == b_count && (a_count == 0 || memcmp(a, b, (size_t)a_count * sizeof *a) == 0);
}

static bool same_orders(const allot_decision *a, const allot_decision *b)
{
    bool same = allot_decision_grants(a) == allot_decision_grants(b) &&
                allot_decision_reclaims(a) == allot_decision_reclaims(b);
    for (int32_t i = 0; i < allot_decision_grants(a) && same; i++) {
        allot_grant one_of = {0}, other = {0};
        allot_decision_grant(a, i, &one_of);
        allot_decision_grant(b, i, &other);
        same = one_of.consumer == other.consumer && one_of.slots == other.slots &&
               same_tasks(one_of.tasks, one_of.task_count, other.tasks, other.task_count);
    }
    for (int32_t i = 0; i < allot_decision_reclaims(a) && same; i++) {
        allot_reclaim one_of = {0}, other = {0};
        allot_decision_reclaim(a, i, &one_of);
        allot_decision_reclaim(b, i, &other);
        same = one_of.consumer == other.consumer && one_of.slots == other.slots &&
               same_tasks(one_of.tasks, one_of.task_count, other.tasks, other.task_count);
    }
    return same;
}

static bool same(const allot_decision *a, const allot_decision *b, int32_t leaves)
{
    const allot__work *one_of = &a->groups[0].work, *other = &b->groups[0].work;
    uint64_t digests[4];
    allot_decision_digest(a, &digests[0], &digests[1]);
    allot_decision_digest(b, &digests[2], &digests[3]);
    bool equal = memcmp(digests, digests + 2, 2 * sizeof *digests) == 0;
    for (int32_t i = 0; i < leaves && equal; i++)
        equal = one_of->quota[i] == other->quota[i] && one_of->demand[i] == other->demand[i] &&
                (!one_of->whole || one_of->whole_part[i] == other->whole_part[i]);
    return equal && same_orders(a, b);
}

/* Are the two decisions about a site the same? A site that is not valid has none. */
static bool agree(const site *it)
{
    fixture of;
    allot_state *state = NULL;
    allot_decision *fast = NULL, *plain = NULL;
    bool yes = true, valid = make_plan(it, &of) && allot_state_new(of.plan, &state) == ALLOT_OK &&
                             fill_state(it, state);
    if (valid) {
        how.plain = false;
        CHECK_EQ(allot_cycle(of.plan, state, NULL, &fast), ALLOT_OK);
        how.plain = true;
        CHECK_EQ(allot_cycle(of.plan, state, NULL, &plain), ALLOT_OK);
        yes = same(fast, plain, it->leaf_count);
    }
    how.invalid += !valid;
    allot_decision_free(fast);
    allot_decision_free(plain);
    allot_state_free(state);
    fixture_end(&of);
    return yes;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Keeps a number lowered if the decisions still differ; true: it is lower. */
static bool lower_to(site *it, int32_t *number, int32_t to)
{
    int32_t before = *number;
    *number = to;
    if (to < before && !agree(it))
        return true;
    *number = before;
    return false;
}

static bool smaller(site *it, int32_t *number, int32_t least)
{
    return lower_to(it, number, least) || lower_to(it, number, (*number + least) / 2) ||
           (*number > least && lower_to(it, number, *number - 1));
}

static void shrink(site *it)
{
    for (bool some = true; some;) {
        some = smaller(it, &it->skip, 0) || smaller(it, &it->damp, 0) ||
               smaller(it, &it->policy, 0) || smaller(it, &it->slots, 1);
        for (int32_t i = 0; i < it->task_count; i++) {
            job *of = &it->tasks[i];
            some |= smaller(it, &of->slots, 0) || smaller(it, &of->started, 0);
            some |= of->priority > 1 && smaller(it, &of->priority, 1);
        }
        for (int32_t i = 0; i < it->leaf_count; i++) {
            leaf *of = &it->leaves[i];
            some |= smaller(it, &of->own, 0) || smaller(it, &of->rank, 0);
            some |= smaller(it, &of->reserve, 0) || smaller(it, &of->limit, -1);
            some |= smaller(it, &of->share, 1) || smaller(it, &of->demand, -1);
        }
    }
}

static void print(const site *it)
{
    printf("# policy %d, skip %d, damp %d, slots %d\n", (int)it->policy, (int)it->skip,
           (int)it->damp, (int)it->slots);
    for (int32_t i = 0; i < it->leaf_count; i++) {
        const leaf *of = &it->leaves[i];
        printf("#   leaf %d: own %d rank %d share %d reserve %d limit %d demand %d\n", (int)i,
               (int)of->own, (int)of->rank, (int)of->share, (int)of->reserve, (int)of->limit,
               (int)of->demand);
    }
    for (int32_t i = 0; i < it->task_count; i++)
        if (it->tasks[i].slots > 0)
            printf("#   task %d of %d: slots %d started %d priority %d\n", (int)i,
                   (int)it->tasks[i].leaf, (int)it->tasks[i].slots, (int)it->tasks[i].started,
                   (int)it->tasks[i].priority);
}

static void test_random(void)
{
    static site it;
    const char *from = getenv("ALLOT_SEED"), *many = getenv("ALLOT_CASES");
    uint64_t first = from ? strtoull(from, NULL, 10) : 0;
    uint64_t cases = many ? strtoull(many, NULL, 10) : from ? 1 : CASES;
    for (uint64_t i = first; i < first + cases && check__.failed_checks == 0; i++) {
        seed = i * 0x9e3779b97f4a7c15u;
        draw_site(&it);
        if (CHECK(agree(&it)))
            continue;
        printf("# seed %" PRIu64 "\n", i);
        shrink(&it);
        print(&it);
    }
    printf("# steps %lld, walked %lld, batches %lld of %lld leaves, invalid %lld\n",
           (long long)how.steps, (long long)how.walked, (long long)how.batches,
           (long long)how.lowered, (long long)how.invalid);
    CHECK(from || (how.batches > CASES / 4 && how.walked > CASES / 4 && how.invalid < CASES / 4));
}

int main(void)
{
    RUN(test_random);
    return check_done();
}
