/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* work.c: a cycle's columns: those that a group's plan and state give, and those it computes. */
#include "engine/rows/work.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/least.h"
#include "engine/rows/rowset.h"
#include "engine/rows/used.h"

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
    if (ALLOT__TAKE_ALL(work->arena,
                        ALLOT__EACH(rows, work->reserve, work->need, work->quota, work->received,
                                    work->over, work->reclaimed),
                        ALLOT__EACH(families, work->sums, work->spare),
                        ALLOT__WANTED(work->critical, families + (size_t)work->rules_count)) !=
        ALLOT_OK)
        return ALLOT_ENOMEM;
    memset(work->sums, 0, families * sizeof *work->sums);
    memset(work->spare, 0, families * sizeof *work->spare);
    return ALLOT_OK;
}

static void forget_functions(allot__rules *rules)
{
    memset(rules->sums, 0, sizeof rules->sums);
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
                           .owns = allot_policy_owns(group->governing[i].policy),
                           .leaves_out = allot__policy_leaves_out(group->governing[i].policy)};
        work->leaves_out = work->leaves_out || work->rules[i].leaves_out;
        work->by_claimant = work->by_claimant || allot__policy_by_claimant(work->rules[i].policy);
        work->relates =
            work->relates || work->by_claimant || work->rules[i].policy->takes.count > 0;
        status = take_functions(work, &work->rules[i]);
    }
    return status;
}

/* Takes room for reserves by policy; until these are computed the plan's hold. */
static int take_reserved(allot__work *work)
{
    size_t rows = (size_t)work->tree->rows;
    bool ruled = false;
    work->reserved = work->group->columns[ALLOT_RESERVE];
    for (int32_t i = 0; i < work->rules_count; i++)
        ruled = ruled || !allot__is_reserve(work->rules[i].policy->reserve);
    if (!ruled)
        return ALLOT_OK;
    if (ALLOT__TAKE_ALL(work->arena, ALLOT__WANTED(work->rule, rows)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    memcpy(work->rule, work->reserved, rows * sizeof *work->rule);
    work->reserved = work->rule;
    return ALLOT_OK;
}

/* Cuts `limit` to the attributes that are limits; percents of parents' limits, which come first. */
static int take_limits(allot__work *work)
{
    work->limit = work->group->columns[ALLOT_LIMIT];
    if (!work->group->limited)
        return ALLOT_OK;
    int32_t *limits = allot__arena_take(work->arena, (size_t)work->tree->rows, sizeof *limits);
    if (!limits)
        return ALLOT_ENOMEM;
    work->limit = limits;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        int32_t column;
        limits[row] = allot__row_limit(work, row, &column);
    }
    for (int32_t k = 0; k < work->rules_count; k++)
        for (int32_t i = 0; i < work->rules[k].policy->attribute_count; i++)
            work->percents =
                work->percents || work->rules[k].policy->attributes[i].limit == ALLOT_MOST_PERCENT;
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
    if (status == ALLOT_OK && work->rules_count > 1)
        status = ALLOT__ZEROED_ALL(arena, ALLOT__WANTED(work->divided, (size_t)work->rules_count));
    if (status == ALLOT_OK)
        status = take_reserved(work);
    if (status == ALLOT_OK)
        status = take_limits(work);
    return status == ALLOT_OK && allot__used_read(work) ? allot__used_make(work) : status;
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

/* ---- Limits ---------------------------------------------------------------------------------- */

int32_t allot__row_bound(const allot__work *work, const allot__rules *rules, int32_t attribute,
                         int32_t row)
{
    int32_t value = work->group->columns[rules->attribute_column[attribute]][row];
    if (rules->policy->attributes[attribute].limit != ALLOT_MOST_PERCENT || value == ALLOT_NONE)
        return value;
    int64_t most = work->state->groups[work->index].slots;
    for (int32_t above = allot__above(work, row); above >= 0; above = allot__above(work, above))
        most = allot__least(most, work->limit[above]);
    return allot__percent_of(work, rules, ALLOT_COLUMN_COUNT + attribute, row, most);
}

int32_t allot__row_limit(const allot__work *work, int32_t row, int32_t *column)
{
    const allot__rules *rules = allot__rules_at(work, row);
    int32_t limit = allot__limit_of(work->plan, work->group, row, column);
    for (int32_t i = 0; i < rules->policy->attribute_count; i++) {
        int32_t most = rules->policy->attributes[i].limit == ALLOT_MOST_PERCENT
                           ? allot__row_bound(work, rules, i, row)
                           : limit;
        *column = most < limit ? rules->attribute_column[i] : *column;
        limit = most < limit ? most : limit;
    }
    return limit;
}

/* ---- What a rule reads ----------------------------------------------------------------------- */

static int64_t shown(int32_t value)
{
    return value == ALLOT_NONE ? ALLOT_AMOUNT_MAX : value;
}

/* The 32-bit column of that number; NULL: zero throughout. */
static const int32_t *narrow(const allot__work *work, const allot__rules *rules, int32_t column)
{
    /* Members of a work; `owned` is as planned: for other sizes see allot__own. */
    static const size_t members[ALLOT_COLUMN_COUNT] = {
        [ALLOT_OWNED] = offsetof(allot__work, configured),
        [ALLOT_CONFIGURED] = offsetof(allot__work, configured),
        [ALLOT_RESERVE] = offsetof(allot__work, reserve),
        [ALLOT_DEMAND] = offsetof(allot__work, demand),
        [ALLOT_NEED] = offsetof(allot__work, need),
        [ALLOT_ALLOCATED] = offsetof(allot__work, allocated),
        [ALLOT_IN_FLIGHT] = offsetof(allot__work, in_flight),
        [ALLOT_QUOTA] = offsetof(allot__work, quota),
        [ALLOT_RECEIVED] = offsetof(allot__work, received),
        [ALLOT_OVER] = offsetof(allot__work, over)};
    const int32_t *values;
    if (column >= ALLOT_COLUMN_COUNT)
        return work->group->columns[rules->attribute_column[column - ALLOT_COLUMN_COUNT]];
    if (members[column] == 0)
        return column < ALLOT_PLAN_COLUMNS ? work->group->columns[column] : NULL;
    memcpy(&values, (const char *)work + members[column], sizeof values);
    return values;
}

/* The sum that a parent has in that column; NULL: its entry is like a leaf's. */
static const int64_t *wide(const allot__sums *sums, int32_t column)
{
    return column == ALLOT_DEMAND      ? &sums->demand
           : column == ALLOT_NEED      ? &sums->need
           : column == ALLOT_ALLOCATED ? &sums->allocated
           : column == ALLOT_IN_FLIGHT ? &sums->in_flight
           : column == ALLOT_OVER      ? &sums->over_left
                                       : NULL;
}

int64_t allot__value(const allot__work *work, const allot__rules *rules, int32_t column,
                     int32_t row)
{
    int32_t family = allot__family_of(work, row);
    const int64_t *sum = family != 0 ? wide(&work->sums[family], column) : NULL;
    if (sum)
        return *sum;
    if (column == ALLOT_OWNED)
        return allot__own(work, allot__rules_at(work, row), row, NULL);
    if (column == ALLOT_GROUP_SLOTS)
        return work->slots;
    if (column == ALLOT_PARENT_SLOTS)
        return allot__family_slots(work, rules, allot__siblings_of(work, row));
    if (allot__is_use(column))
        return allot__used_value(work, column, row);
    const int32_t *values = narrow(work, rules, column);
    return !values ? 0 : shown(values[row]);
}

/* Writes what rows of a family have in common: a sum, or the slots that they divide. */
static void put_common(const allot__work *work, const allot__rules *rules, int32_t column,
                       int32_t first, int32_t count, int64_t *out)
{
    const int64_t *sums = column >= ALLOT_SUMS ? rules->sums[column - ALLOT_SUMS] : NULL;
    int32_t family = allot__siblings_of(work, first);
    for (int32_t i = 0; i < count; i++) {
        while (first + i >= work->tree->first[family + 1])
            family++;
        out[i] = sums ? sums[family] : allot__family_slots(work, rules, family);
    }
}

void allot__values(const allot__work *work, const allot__rules *rules, int32_t column,
                   int32_t first, int32_t count, int64_t *out)
{
    if (column >= ALLOT_SUMS || column == ALLOT_PARENT_SLOTS) {
        put_common(work, rules, column, first, count, out);
        return;
    }
    const int32_t *values = narrow(work, rules, column);
    if (column == ALLOT_GROUP_SLOTS || allot__is_use(column) ||
        (column == ALLOT_OWNED && !allot__own_planned(work))) {
        for (int32_t i = 0; i < count; i++)
            out[i] = allot__value(work, rules, column, first + i);
        return;
    }
    if (!values)
        memset(out, 0, (size_t)count * sizeof *out);
    else
        for (int32_t i = 0; i < count; i++)
            out[i] = shown(values[first + i]);
    const int32_t *family_of = work->group->family_of + first;
    for (int32_t i = 0; i < count; i++)
        if (family_of[i] != 0)
            out[i] = allot__value(work, rules, column, first + i);
}

static const int64_t *values_of(const allot__rowset *rows, int32_t column, int32_t first, int32_t n,
                                int64_t *room)
{
    allot__values(rows->work, rows->rules, column, first, n, room);
    return room;
}

/* Adds a column up, family by family. In the first family some rows may be another policy's. */
static int add_siblings(const allot__work *work, allot__rules *rules, int32_t column)
{
    size_t families = (size_t)work->tree->families;
    if (rules->sums[column])
        return ALLOT_OK;
    int64_t *sums = allot__arena_zeroed(work->arena, families, sizeof *sums);
    if (!sums)
        return ALLOT_ENOMEM;
    for (int32_t family = 0; family < work->tree->families; family++)
        for (int32_t row = work->tree->first[family]; row < work->tree->first[family + 1]; row++)
            if (family > 0 || allot__rules_at(work, row) == rules)
                sums[family] =
                    allot__used_sum(sums[family], allot__value(work, rules, column, row));
    rules->sums[column] = sums;
    return ALLOT_OK;
}

static int add_all_siblings(const allot__work *work, allot__rules *rules, int32_t function)
{
    const allot__function *it = (const allot__function *)rules->policy->functions.items + function;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < it->count && status == ALLOT_OK; i++)
        if (it->columns[i] >= ALLOT_SUMS)
            status = add_siblings(work, rules, it->columns[i] - ALLOT_SUMS);
    return status;
}

allot__rowset allot__rowset_consumers(const allot__work *work, const allot__rules *rules)
{
    return (allot__rowset){.work = work,
                           .rules = rules,
                           .kind = ALLOT_CONSUMERS,
                           .count = work->tree->rows,
                           .column = values_of,
                           .functions = rules->function_values};
}

int allot__function_values(allot__work *work, allot__rules *rules, int32_t function,
                           const int64_t **out)
{
    allot__rowset consumers = allot__rowset_consumers(work, rules);
    allot_source source = {ALLOT_FROM_FUNCTION, function};
    int status = add_all_siblings(work, rules, function);
    if (status == ALLOT_OK)
        status = allot__rowset_prepare(&consumers, source);
    if (status == ALLOT_OK)
        *out = rules->function_values[function];
    return status;
}

/* Reports the consumer whose number is not an amount. */
static int not_an_amount(const allot__work *work, const allot__rules *rules, int32_t row,
                         int64_t value, const char *what)
{
    char path[512];
    allot_plan_path(work->plan, allot__handle(work, row), path, sizeof path);
    allot_report_say(work->report, ALLOT_ERROR, "E-range",
                     "policy \"%s\", %s: %s is %" PRId64 ", allowed is 0 ... %d",
                     rules->policy->name, path, what, value, ALLOT_AMOUNT_MAX);
    return ALLOT_ESCRIPT;
}

/* Takes values of rows as amounts; an error if one is none. */
static int take_amounts(const allot__work *work, const allot__rules *rules, const int64_t *values,
                        int32_t first, int32_t count, int32_t *amounts)
{
    for (int32_t row = first; row < first + count; row++) {
        if (values[row] < 0 || values[row] > ALLOT_AMOUNT_MAX)
            return not_an_amount(work, rules, row, values[row], "what a function returned");
        amounts[row] = (int32_t)values[row];
    }
    return ALLOT_OK;
}

static int function_amounts(allot__work *work, allot__rules *rules, int32_t function,
                            allot__amounts *out)
{
    if (!rules->function_amounts[function]) {
        const int64_t *values = NULL;
        int status = allot__function_values(work, rules, function, &values);
        if (status != ALLOT_OK)
            return status;
        int32_t rows = work->tree->rows;
        int32_t *amounts = allot__arena_take(work->arena, (size_t)rows + 1, sizeof *amounts);
        if (!amounts)
            return ALLOT_ENOMEM;
        status = take_amounts(work, rules, values, 0, rows, amounts);
        if (status != ALLOT_OK)
            return status;
        rules->function_amounts[function] = amounts;
    }
    out->column = rules->function_amounts[function];
    return ALLOT_OK;
}

int allot__function_later(allot__work *work, allot__rules *rules, int32_t function,
                          allot__late *out)
{
    size_t rows = (size_t)work->tree->rows;
    int32_t *amounts;
    *out = (allot__late){.function = function};
    if (rules->function_values[function])
        return ALLOT_OK;
    int status = add_all_siblings(work, rules, function);
    if (status == ALLOT_OK &&
        ALLOT__ZEROED_ALL(work->arena, ALLOT__EACH(rows + 1, out->values, amounts)) != ALLOT_OK)
        status = ALLOT_ENOMEM;
    if (status == ALLOT_OK) {
        rules->function_values[function] = out->values;
        rules->function_amounts[function] = amounts;
    }
    return status;
}

int allot__function_now(allot__work *work, allot__rules *rules, const allot__late *late,
                        int32_t first, int32_t count)
{
    allot__rowset consumers = allot__rowset_consumers(work, rules);
    int status = allot__rowset_call(&consumers, late->function, first, count, late->values);
    return status != ALLOT_OK || !late->amounts
               ? status
               : take_amounts(work, rules, late->values, first, count,
                              rules->function_amounts[late->function]);
}

int32_t allot__percent_of(const allot__work *work, const allot__rules *rules, int32_t column,
                          int32_t row, int64_t slots)
{
    int64_t part = slots * shown(narrow(work, rules, column)[row]) / 100;
    return part < ALLOT_AMOUNT_MAX ? (int32_t)part : ALLOT_AMOUNT_MAX;
}

/* A parent's cut sum can serve as a cap, but not as a weight: proportions would change. */
static int check_weights(const allot__work *work, const allot__rules *rules, int32_t column)
{
    for (int32_t row = 0; allot__is_use(column) && row < work->tree->rows; row++) {
        int64_t value = allot__value(work, rules, column, row);
        if (value > ALLOT_AMOUNT_MAX)
            return not_an_amount(work, rules, row, value, allot_column_name(column));
    }
    for (int32_t family = 1; family < work->tree->families; family++) {
        const int64_t *sum = wide(&work->sums[family], column);
        if (sum && *sum > ALLOT_AMOUNT_MAX)
            return not_an_amount(work, rules, work->group->parent[family], *sum,
                                 allot_column_name(column));
    }
    return ALLOT_OK;
}

/* Can rows have ALLOT_NONE in the column? As a weight that is the largest amount. */
static bool may_be_none(const allot__rules *rules, int32_t column)
{
    return column == ALLOT_LIMIT ||
           (column >= ALLOT_COLUMN_COUNT &&
            rules->policy->attributes[column - ALLOT_COLUMN_COUNT].fallback == ALLOT_NONE);
}

/* A copy of a leaf column with the sums of parents, cut to an amount. */
static int with_parents(allot__work *work, const allot__rules *rules, int32_t column,
                        allot__amounts *out)
{
    int32_t rows = work->tree->rows;
    int32_t *values = allot__arena_take(work->arena, (size_t)rows + 1, sizeof *values);
    if (!values)
        return ALLOT_ENOMEM;
    for (int32_t row = 0; row < rows; row++) {
        int64_t value = allot__value(work, rules, column, row);
        values[row] = value > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : (int32_t)value;
    }
    out->column = values;
    return ALLOT_OK;
}

static int column_amounts(allot__work *work, allot__rules *rules, int32_t column, bool weight,
                          allot__amounts *out)
{
    out->column = narrow(work, rules, column);
    out->number = 0; /* a column that is NULL is zero throughout */
    if (column == ALLOT_OWNED && weight) {
        /* In a plan of no slots only exact policies own anything. */
        bool owns = work->times > 0 || rules->policy->exact;
        out->column = owns ? work->configured : NULL;
    } else if (column == ALLOT_OWNED) {
        out->own = !allot__own_planned(work);
    }
    if (column == ALLOT_GROUP_SLOTS)
        out->number = (int32_t)allot__least(work->slots, ALLOT_AMOUNT_MAX);
    int status = weight ? check_weights(work, rules, column) : ALLOT_OK;
    bool sums = column == ALLOT_DEMAND || column == ALLOT_ALLOCATED || column == ALLOT_IN_FLIGHT ||
                column == ALLOT_OVER;
    sums = (sums && work->tree->families > 1) || allot__is_use(column) ||
           (weight && may_be_none(rules, column));
    return status == ALLOT_OK && sums ? with_parents(work, rules, column, out) : status;
}

int allot__amounts_of(allot__work *work, allot__rules *rules, allot_source source, bool weight,
                      allot__amounts *out)
{
    *out = (allot__amounts){.number = source.value};
    switch (source.kind) {
    case ALLOT_FROM_NEED:
        out->number = ALLOT_AMOUNT_MAX;
        break;
    case ALLOT_FROM_PART:
        out->column = work->planned_part;
        break;
    case ALLOT_FROM_HELD:
        out->column = work->held_part;
        break;
    case ALLOT_FROM_PERCENT:
        out->percent = true;
        out->column = narrow(work, rules, source.value);
        break;
    case ALLOT_FROM_NUMBER:
        break;
    case ALLOT_FROM_FUNCTION:
        return function_amounts(work, rules, source.value, out);
    case ALLOT_FROM_COLUMN:
        return column_amounts(work, rules, source.value, weight, out);
    }
    return ALLOT_OK;
}

int32_t allot__subtree(const allot__work *work, int32_t family, const bool *only, int32_t *list)
{
    int32_t count = 0;
    list[count++] = family;
    for (int32_t i = 0; i < count; i++) {
        int32_t left = work->tree->inner[list[i]];
        for (int32_t row = allot__family_first(work, list[i]); left > 0; row++) {
            int32_t below = allot__family_of(work, row);
            left -= below != 0;
            if (below != 0 && (list[i] > 0 || !only || only[row]))
                list[count++] = below;
        }
    }
    return count;
}
