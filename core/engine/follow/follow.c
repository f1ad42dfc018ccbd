/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* follow.c: which decisions can be gone on from, how that begins, and the order of its steps. */
#include "engine/follow/follow.h"

#include <string.h>

#include "base/least.h"
#include "engine/quota/quota.h"
#include "engine/rows/enforce.h"
#include "model/jobs/queue.h"

/* ---- What stands in the way ------------------------------------------------------------------ */

/* Features of the state that prevent following, rather than of a policy. */
static const char *why_state(const allot_state *state)
{
    if (allot__queue_count(state->plan) > 0)
        return "queues";
    if (state->plan->windows || state->former)
        return "windows";
    if (state->jobs != NULL)
        return "leases";
    if (state->plan->hosts.list.count > 0 || state->hosts.list.count > 0)
        return "hosts";
    if (state->loans.count > 0)
        return "loans";
    if (state->tasks.coupled > 0)
        return "tasks of several groups";
    return allot__any_whole(state) ? "tasks that start whole" : NULL;
}

static bool keeps_slots(const allot__group *group, const int64_t *options)
{
    const allot_policy *policy = group->governing[0].policy;
    return policy->switches[ALLOT_SWITCH_NO_RECLAIM] || options[ALLOT_OPTION_DEAD_ZONE] > 0 ||
           options[ALLOT_OPTION_MOST_RECLAIMED] < 100 ||
           options[ALLOT_OPTION_RECLAIM_INTERVAL] > 0 || options[ALLOT_OPTION_CLAIM_DELAY] > 0 ||
           options[ALLOT_OPTION_HOLD_ROUNDING] != 0;
}

static bool moves(allot_source source)
{
    return source.kind == ALLOT_FROM_COLUMN &&
           (source.value == ALLOT_ALLOCATED || source.value == ALLOT_IN_FLIGHT);
}

/* Do quotas depend on held slots? Then a changed allocation would change quotas. */
static bool goes_by_held(const allot_policy *policy)
{
    bool held = false;
    for (int32_t i = 0; i < policy->fill_count; i++) {
        const allot__fill *fill = &policy->fills[i];
        held = held || moves(fill->by) || moves(fill->up_to);
        for (int32_t k = 0; k < fill->order.count; k++)
            held = held || moves(fill->order.keys[k].source);
    }
    return held;
}

static bool of_use(const allot_state *state, const allot_policy *policy)
{
    int32_t named;
    return state->plan->fades && allot__policy_reads_use(policy, &named);
}

const char *allot__follow_why(const allot_state *state, int32_t group)
{
    const allot__group *of = &state->plan->groups[group];
    const allot_policy *policy = of->governing[0].policy;
    const char *why = why_state(state);
    if (why)
        return why;
    if (of->governing_count > 1)
        return "several policies";
    if (allot__policy_ledger(policy))
        return "a ledger";
    if (policy->guards.count > 0 && allot__task_count(&state->tasks) > 0)
        return "guards";
    if (policy->functions.count > 0)
        return "functions"; /* which are not to be called once more, just to see */
    if (of_use(state, policy))
        return "use over time";
    if (goes_by_held(policy))
        return "fills by what leaves hold";
    if (of->limited)
        return "attributes that are limits";
    if (keeps_slots(of, of->governing[0].options))
        return "slots that are kept";
    if (!allot__order_natural(&policy->distribute) || !allot__split_rule_natural(policy) ||
        policy->switches[ALLOT_SWITCH_ACROSS])
        return "an order of its own";
    if (policy->takes.count > 0)
        return "claimants that may not take from all";
    return NULL;
}

/* ---- Beginning ------------------------------------------------------------------------------- */

static int take_room(allot__follow *follow, allot__arena *arena, int32_t numbers)
{
    const allot__tree *tree = follow->work->tree;
    const struct {
        int32_t **slot;
        int32_t count;
    } columns[] = {{&follow->demand, tree->rows},    {&follow->allocated, tree->rows},
                   {&follow->in_flight, tree->rows}, {&follow->earmarked, tree->rows},
                   {&follow->net, tree->rows},       {&follow->first, tree->rows},
                   {&follow->out, tree->rows},       {&follow->in, tree->rows},
                   {&follow->returned, tree->rows},  {&follow->back, tree->rows},
                   {&follow->lack, numbers}};
    allot__bits *const families[] = {&follow->pass,    &follow->may,  &follow->second,
                                     &follow->weighed, &follow->deep, &follow->nodes};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        *columns[i].slot = allot__arena_take(arena, (size_t)columns[i].count + 1, sizeof(int32_t));
        if (!*columns[i].slot)
            return ALLOT_ENOMEM;
        memset(*columns[i].slot, 0, ((size_t)columns[i].count + 1) * sizeof(int32_t));
    }
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (!allot__bits_take(families[i], arena, tree->families))
            return ALLOT_ENOMEM;
    follow->touched_at = allot__arena_take(arena, (size_t)tree->rows + 1, 1);
    if (!follow->touched_at || !allot__bits_take(&follow->over, arena, tree->rows) ||
        !allot__bits_take(&follow->lacking, arena, numbers))
        return ALLOT_ENOMEM;
    return allot__bits_take(&follow->getting, arena, numbers) ? ALLOT_OK : ALLOT_ENOMEM;
}

static void find_above(allot__follow *follow)
{
    const allot__work *work = follow->work;
    for (int32_t family = 1; family < work->tree->families; family++)
        follow->families[family].above =
            allot__siblings_of(follow->work, work->group->parent[family]);
}

/* Empties the results of distribution and reclaim. */
static void empty(allot__follow *follow)
{
    allot__work *work = follow->work;
    size_t rows = (size_t)work->tree->rows * sizeof(int32_t);
    memset(work->received, 0, rows);
    memset(work->over, 0, rows);
    memset(work->reclaimed, 0, rows);
    for (int32_t family = 0; family < work->tree->families; family++) {
        allot__sums *sums = &work->sums[family];
        sums->received = sums->over = sums->over_left = sums->deficit = sums->unmatched = 0;
        sums->freed = sums->reclaimed = sums->ordered = 0;
        work->spare[family] = 0;
        allot__bits_add(&follow->pass, family);
        allot__bits_add(&follow->weighed, family);
    }
}

static void copy_inputs(allot__follow *follow)
{
    allot__work *work = follow->work;
    size_t rows = (size_t)work->tree->rows * sizeof(int32_t);
    memcpy(follow->demand, work->demand, rows);
    memcpy(follow->allocated, work->allocated, rows);
    if (work->in_flight) {
        memcpy(follow->in_flight, work->in_flight, rows);
        memcpy(follow->earmarked, work->earmarked, rows);
    }
    work->demand = follow->demand;
    work->allocated = follow->allocated;
    work->in_flight = follow->in_flight;
    work->earmarked = follow->earmarked;
}

static void find_spare(allot__follow *follow, int32_t family)
{
    const allot__work *work = follow->work;
    allot__follow_family *it = &follow->families[family];
    int32_t parent = work->group->parent[family];
    if (family == 0)
        return;
    int64_t sure = allot__least(work->quota[parent], work->reserve[parent]);
    it->spare_quota = allot__most(0, sure - it->quotas);
    allot__bits_add(&follow->pass, family);
    allot__bits_add(&follow->weighed, family);
}

/* Computes all rows as if all quotas had just changed. */
static int compute(allot__follow *follow)
{
    allot__work *work = follow->work;
    memset(follow->touched_at, 1, (size_t)work->tree->rows);
    for (int32_t family = 0; family < work->tree->families; family++) {
        int32_t first = allot__family_first(work, family);
        for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
            follow->families[family].quotas += work->quota[row];
            allot__follow_net(follow, family, row);
        }
        find_spare(follow, family);
    }
    int status = allot__follow_distribute(follow);
    memset(follow->touched_at, 0, (size_t)work->tree->rows);
    for (int32_t row = 0; row < work->tree->rows && status == ALLOT_OK; row++)
        if (allot__family_of(work, row) == 0)
            allot__follow_settle_leaf(follow, row);
    return status;
}

/* Needs and quotas, of all. EUSAGE: reclaims in flight, the time or the policy stand in the way. */
static int divide(allot__follow *follow, const allot__flown_all *flown)
{
    allot__work *work = follow->work;
    int status = allot__flights_count(work, flown);
    if (status == ALLOT_OK)
        status = allot__enforce(work);
    if (status == ALLOT_OK && (work->returned || work->closed || work->enforced))
        return ALLOT_EUSAGE;
    if (status == ALLOT_OK)
        status = allot__need(work);
    if (status == ALLOT_OK)
        status = allot__quota(work);
    if (status == ALLOT_OK)
        status = allot__quota_keep(work, false, &follow->kept);
    return status == ALLOT_OK && (!follow->kept || work->held_part) ? ALLOT_EUSAGE : status;
}

/* Divides in memory of its own: from then on only families that are not broad need the room that
 * pouring takes. */
static int divide_apart(allot__follow *follow, const allot_state *state,
                        const allot__flown_all *flown, allot__arena *arena)
{
    allot__work *work = follow->work;
    allot__arena apart;
    allot__arena_init(&apart, arena->engine);
    work->arena = &apart;
    int status = divide(follow, flown);
    work->arena = arena;
    if (status == ALLOT_OK) {
        copy_inputs(follow);
        status = allot__broad_begin(follow, state->since->broad);
    }
    work->widest = 1;
    for (int32_t family = 0; family < work->tree->families; family++)
        if (!follow->families[family].broad && allot__family_size(work, family) > work->widest)
            work->widest = allot__family_size(work, family);
    if (status == ALLOT_OK)
        status = allot__quota_keep(work, false, &follow->kept);
    allot__arena_free(&apart);
    allot__spare_free(arena->engine);
    return status;
}

int allot__follow_begin(const allot_state *state, int32_t group, const allot__flown_all *flown,
                        allot__arena *arena, allot__follow *follow)
{
    size_t families = (size_t)state->plan->tree.families;
    *follow = (allot__follow){.work = allot__arena_take(arena, 1, sizeof *follow->work)};
    follow->families = allot__arena_take(arena, families, sizeof *follow->families);
    if (!follow->work || !follow->families)
        return ALLOT_ENOMEM;
    memset(follow->families, 0, families * sizeof *follow->families);
    int status = allot__work_init(follow->work, state->plan, state, group, arena, NULL);
    if (status != ALLOT_OK || allot__follow_why(state, group))
        return status != ALLOT_OK ? status : ALLOT_EUSAGE;
    find_above(follow);
    status = allot__leaves_take(&follow->leaves, follow->work, arena, true);
    if (status == ALLOT_OK)
        status = take_room(follow, arena, follow->leaves.count);
    if (status == ALLOT_OK)
        status = divide_apart(follow, state, flown, arena);
    if (status == ALLOT_OK)
        status = allot__follow_log_take(follow, arena);
    if (status != ALLOT_OK)
        return status;
    allot__leaves_number(&follow->leaves, follow->work);
    empty(follow);
    status = compute(follow);
    if (status == ALLOT_OK)
        status = allot__follow_flights(follow, flown);
    follow->digest = allot__digest_rows(follow->work, follow->demand, ALLOT_STAGE_RECLAIM);
    return status;
}

void allot__follow_end(allot__follow *follow)
{
    allot__vector *const lists[] = {&follow->touched, &follow->gave,   &follow->takes,
                                    &follow->gifts,   &follow->grants, &follow->reclaims,
                                    &follow->claims,  &follow->flying, &follow->came};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        allot__vector_free(follow->work->plan->engine, lists[i]);
}

/* ---- A cycle --------------------------------------------------------------------------------- */

void allot__follow_open(allot__follow *follow)
{
    const allot__digest_row *list = follow->touched.items;
    for (size_t i = 0; i < follow->touched.count; i++)
        follow->touched_at[list[i].row] = 0;
    follow->touched.count = 0;
    follow->status = ALLOT_OK;
    allot__follow_forget(follow);
}

void allot__follow_demand(allot__follow *follow, int32_t row, int32_t slots)
{
    if (slots == follow->demand[row])
        return;
    int32_t before = follow->work->need[row];
    allot__broad *broad = follow->families[allot__siblings_of(follow->work, row)].broad;
    allot__follow_touch(follow, row);
    follow->demand[row] = slots;
    allot__quota_change(follow->kept, row);
    if (broad && follow->work->need[row] != before)
        allot__broad_need(follow, broad, row, before);
}

/* A family's quotas are new; most are as they were, four at a time. */
static void take_quotas(allot__follow *follow, int32_t family)
{
    enum { SOME = 4 };
    const allot__work *work = follow->work;
    const int32_t *before = follow->kept->before;
    int32_t first = allot__family_first(work, family), count = allot__family_size(work, family);
    for (int32_t i = 0; i < count; i++) {
        int32_t row = first + i;
        while (count - i >= SOME &&
               memcmp(work->quota + row, before + i, SOME * sizeof *before) == 0) {
            i += SOME;
            row += SOME;
        }
        if (i == count || work->quota[row] == before[i])
            continue;
        follow->families[family].quotas += work->quota[row] - before[i];
        allot__digest_row *touched = allot__follow_touch(follow, row);
        if (touched)
            touched->quota = before[i];
        allot__follow_net(follow, family, row);
    }
}

/* Puts the rows' new hashes in place of those before. */
static void settle_digest(allot__follow *follow)
{
    const allot__digest_row *list = follow->touched.items;
    for (size_t i = 0; i < follow->touched.count; i++) {
        const allot__digest_row now = allot__digest_row_of(follow->work, list[i].row);
        allot__digest_take(&follow->digest, follow->work->index, &list[i]);
        allot__digest_add(&follow->digest, follow->work->index, &now);
    }
}

int allot__follow_cycle(allot__follow *follow)
{
    for (int32_t family; (family = allot__quota_next_changed(follow->kept)) >= 0;) {
        allot__broad *broad = follow->families[family].broad;
        if (broad) {
            allot__broad_quotas(follow, broad);
        } else {
            allot__quota_pour_changed(follow->kept, family);
            take_quotas(follow, family);
        }
        find_spare(follow, family);
    }
    allot__follow_return(follow);
    int status = allot__follow_distribute(follow);
    if (status != ALLOT_OK)
        return status;
    allot__follow_settle(follow);
    status = allot__follow_reclaim(follow);
    settle_digest(follow);
    return status == ALLOT_OK ? allot__follow_list(follow) : status;
}
