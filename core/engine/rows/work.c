/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* work.c: a cycle's columns: those that a group's plan and state give, and those it computes. */
#include "engine/rows/work.h"

#include <string.h>

#include "base/least.h"

static int64_t gcd64(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void sum_owned(allot__work *work)
{
    const uint8_t *governing = work->group->branch_policy;
    work->owned = work->exact = 0;
    for (int32_t row = 0; row < work->tree->first[1]; row++) {
        int32_t rules = governing ? governing[row] : 0;
        work->owned += work->configured[row];
        work->exact += work->rules[rules].policy->exact ? work->configured[row] : 0;
    }
}

void allot__scale(const allot__group *group, int64_t exact, int64_t slots, int64_t *times,
                  int64_t *unit)
{
    int64_t planned = group->slots > exact ? group->slots - exact : 0;
    int64_t actual = slots > exact ? slots - exact : 0;
    int64_t common = planned > 0 && actual > 0 ? gcd64(actual, planned) : 0;
    *times = common > 0 ? actual / common : 0;
    *unit = common > 0 ? planned / common : 1;
}

static void scale(allot__work *work)
{
    allot__scale(work->group, work->exact, work->slots, &work->times, &work->unit);
}

void allot__work_resize(allot__work *work, int64_t slots)
{
    work->slots = slots;
    scale(work);
}

static int take_columns(allot__work *work)
{
    size_t rows = (size_t)work->tree->rows;
    size_t families = (size_t)work->tree->families;
    if (ALLOT__TAKE_ALL(
            work->arena, ALLOT__WANTED(work->reserve, rows), ALLOT__WANTED(work->need, rows),
            ALLOT__WANTED(work->quota, rows), ALLOT__WANTED(work->received, rows),
            ALLOT__WANTED(work->over, rows), ALLOT__WANTED(work->reclaimed, rows),
            ALLOT__WANTED(work->sums, families), ALLOT__WANTED(work->spare, families),
            ALLOT__WANTED(work->critical, families + (size_t)work->rules_count)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    memset(work->sums, 0, families * sizeof *work->sums);
    memset(work->spare, 0, families * sizeof *work->spare);
    return ALLOT_OK;
}

static void forget_functions(allot__rules *rules)
{
    for (size_t i = 0; i < rules->policy->functions.count; i++) {
        rules->function_values[i] = NULL;
        rules->function_amounts[i] = NULL;
    }
}

void allot__work_again(allot__work *work)
{
    memset(work->sums, 0, (size_t)work->tree->families * sizeof *work->sums);
    for (int32_t i = 0; i < work->rules_count; i++)
        forget_functions(&work->rules[i]);
}

static int take_functions(allot__work *work, allot__rules *rules)
{
    size_t count = rules->policy->functions.count;
    if (count == 0)
        return ALLOT_OK;
    rules->function_values = allot__arena_take(work->arena, count, sizeof(int64_t *));
    rules->function_amounts = allot__arena_take(work->arena, count, sizeof(int32_t *));
    if (!rules->function_values || !rules->function_amounts)
        return ALLOT_ENOMEM;
    forget_functions(rules);
    return ALLOT_OK;
}

static int take_rules(allot__work *work)
{
    const allot__group *group = work->group;
    work->rules_count = group->governing_count;
    work->rules = allot__arena_take(work->arena, (size_t)work->rules_count, sizeof *work->rules);
    if (!work->rules)
        return ALLOT_ENOMEM;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < work->rules_count && status == ALLOT_OK; i++) {
        work->rules[i] =
            (allot__rules){.policy = group->governing[i].policy,
                           .attribute_column = group->governing[i].attribute_column,
                           .options = group->governing[i].options,
                           .owns = allot__policy_owns(group->governing[i].policy),
                           .leaves_out = allot__policy_leaves_out(group->governing[i].policy)};
        work->leaves_out = work->leaves_out || work->rules[i].leaves_out;
        status = take_functions(work, &work->rules[i]);
    }
    return status;
}

/* Cuts `limit` to the attributes that are limits. */
static int take_limits(allot__work *work)
{
    work->limit = work->group->columns[ALLOT_LIMIT];
    if (!work->group->limited)
        return ALLOT_OK;
    int32_t *limits = allot__arena_take(work->arena, (size_t)work->tree->rows, sizeof *limits);
    if (!limits)
        return ALLOT_ENOMEM;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        int32_t column;
        limits[row] = allot__limit_of(work->plan, work->group, row, &column);
    }
    work->limit = limits;
    return ALLOT_OK;
}

int allot__work_init(allot__work *work, const allot_plan *plan, const allot_state *state,
                     int32_t group, allot__arena *arena, allot_report *report)
{
    *work = (allot__work){.plan = plan,
                          .state = state,
                          .group = &plan->groups[group],
                          .tree = &plan->tree,
                          .widest = plan->tree.widest,
                          .arena = arena,
                          .report = report,
                          .index = group,
                          .slots = state->groups[group].slots};
    work->demand = state->groups[group].demand;
    work->allocated = state->groups[group].allocated;
    work->configured = work->group->columns[ALLOT_OWNED];
    work->rank = work->group->columns[ALLOT_RANK];
    int status = take_rules(work);
    if (status == ALLOT_OK) {
        sum_owned(work);
        scale(work);
        status = take_columns(work);
    }
    if (status == ALLOT_OK)
        status = take_limits(work);
    return status;
}

int64_t allot__spare_quota(const allot__work *work, int32_t family)
{
    int32_t first = allot__family_first(work, family);
    int32_t parent = work->group->parent[family];
    int64_t rest = allot__least(work->quota[parent], work->reserve[parent]);
    for (int32_t row = first; row < first + allot__family_size(work, family); row++)
        rest -= work->quota[row];
    return rest > 0 ? rest : 0;
}
