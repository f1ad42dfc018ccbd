/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* enforce.c: a group before and behind a switch of windows, leaf by leaf. */
#include "engine/rows/enforce.h"

#include "base/wide.h"
#include "engine/rows/work.h"

/* A group as it was before the switch. */
typedef struct past {
    const allot_plan *plan;
    const allot__group *group;
    int64_t times, unit; /* own' = owned * times / unit, then */
    int64_t *borrowed;   /* by row, now */
} past;

static const allot_policy *policy_at(const allot_plan *plan, const allot__group *group, int32_t row)
{
    return group->governing[allot__governing_of(plan, group, row)].policy;
}

/* Slots that the first level owns under policies that do not scale (H-15). */
static int64_t exact_slots(const allot_plan *plan, const allot__group *group)
{
    int64_t sum = 0;
    for (int32_t row = 0; row < plan->tree.first[1]; row++)
        sum += policy_at(plan, group, row)->exact ? group->columns[ALLOT_OWNED][row] : 0;
    return sum;
}

/* Does the state or a list of hosts give the group's size? Else it is the planned one. */
static bool size_told(const allot__work *work)
{
    return work->state->groups[work->index].stated >= 0 || work->plan->hosts.list.count > 0 ||
           work->state->hosts.list.count > 0;
}

static past look_back(const allot__work *work)
{
    past past = {.plan = work->state->former, .group = &work->state->former->groups[work->index]};
    allot__scale(past.group, exact_slots(past.plan, past.group),
                 size_told(work) ? work->slots : past.group->slots, &past.times, &past.unit);
    return past;
}

/* Did own' change? Compared exactly. */
static bool own_changed(const allot__work *work, const past *past, int32_t row, int32_t before)
{
    int64_t owned = work->configured[row];
    int64_t owned_before = past->group->columns[ALLOT_OWNED][before];
    bool exact = allot__rules_at(work, row)->policy->exact;
    bool exact_before = policy_at(past->plan, past->group, before)->exact;
    allot__i128 now = (allot__i128)owned * (exact ? 1 : work->times);
    allot__i128 then = (allot__i128)owned_before * (exact_before ? 1 : past->times);
    now *= exact_before ? 1 : past->unit;
    then *= exact ? 1 : work->unit;
    return now != then;
}

static int64_t remaining(const allot__work *work, int32_t row)
{
    return work->allocated[row] - (work->in_flight ? work->in_flight[row] : 0);
}

/* Counts the slots that others lend to each leaf, by row; ENOMEM. */
static int count_loans(allot__work *work, past *past)
{
    const allot_loan *loans = work->state->loans.items;
    size_t rows = (size_t)work->tree->rows;
    past->borrowed = allot__arena_zeroed(work->arena, rows + 1, sizeof *past->borrowed);
    if (!past->borrowed)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < work->state->loans.count; i++) {
        if (loans[i].group == work->index) {
            past->borrowed[allot__row(work->plan, work->index, loans[i].borrower)] +=
                loans[i].slots;
        }
    }
    return ALLOT_OK;
}

/* Rules 2 and 3: slots of a leaf that may not stay. */
static int64_t beyond(const allot__work *work, const past *past, int32_t row, int32_t before)
{
    int64_t holds = remaining(work, row);
    int64_t slots = 0;
    int32_t limit = work->group->columns[ALLOT_LIMIT][row];
    if (limit != past->group->columns[ALLOT_LIMIT][before] && limit != ALLOT_NONE)
        slots = holds - limit;
    const allot__rules *rules = allot__rules_at(work, row);
    if (allot__policy_ledger(rules->policy) !=
        allot__policy_ledger(policy_at(past->plan, past->group, before))) {
        int64_t above = holds - allot__own(work, rules, row, NULL);
        above = above > past->borrowed[row] ? above : past->borrowed[row];
        slots = slots > above ? slots : above;
    }
    return slots < holds ? slots : holds;
}

/* Slots that a leaf holds above an attribute that is a limit; 0 for a leaf with `rebalance` 0.
 */
static int64_t above_attribute(const allot__work *work, int32_t row)
{
    const allot__rules *rules = allot__rules_at(work, row);
    int64_t most = ALLOT_NONE;
    if (work->group->columns[ALLOT_REBALANCE][row] == 0)
        return 0;
    for (int32_t i = 0; i < rules->policy->attribute_count; i++) {
        int32_t value =
            rules->policy->attributes[i].limit ? allot__row_bound(work, rules, i, row) : ALLOT_NONE;
        most = value < most ? value : most;
    }
    return most == ALLOT_NONE ? 0 : remaining(work, row) - most;
}

typedef struct columns {
    int32_t *least, *forced;
    uint8_t *why;
    bool any; /* something is forced */
} columns;

static void enforce_leaf(const allot__work *work, const past *past, int32_t row, columns *columns)
{
    int64_t forced = 0;
    if (past->plan) {
        int32_t before = allot__row(past->plan, work->index, allot__handle(work, row));
        const allot__rules *rules = allot__rules_at(work, row);
        if (rules->owns && !allot__policy_ledger(rules->policy) &&
            own_changed(work, past, row, before)) {
            int32_t own = allot__own(work, rules, row, NULL);
            columns->least[row] = own < work->limit[row] ? own : work->limit[row];
        }
        forced = allot__drains(work, row) ? 0 : beyond(work, past, row, before);
        columns->why[row] = forced > 0 ? ALLOT__FORCED_WINDOW : ALLOT__FORCED_NOT;
    }
    int64_t above = work->group->limited ? above_attribute(work, row) : 0;
    if (above > forced) {
        forced = above;
        columns->why[row] = ALLOT__FORCED_ATTRIBUTE;
    }
    columns->forced[row] = forced > 0 ? (int32_t)forced : 0;
    columns->any = columns->any || forced > 0;
}

int allot__enforce(allot__work *work)
{
    past past = {.plan = NULL};
    columns columns = {.any = false};
    if (!work->state->former && !work->group->limited)
        return ALLOT_OK;
    allot__enforced *out = allot__arena_take(work->arena, 1, sizeof *out);
    size_t rows = (size_t)work->tree->rows;
    if (!out || ALLOT__ZEROED_ALL(work->arena, ALLOT__EACH(rows, columns.least, columns.forced,
                                                           columns.why)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    if (work->state->former) {
        past = look_back(work);
        if (count_loans(work, &past) != ALLOT_OK)
            return ALLOT_ENOMEM;
    }
    for (int32_t row = 0; row < work->tree->rows; row++)
        if (allot__family_of(work, row) == 0)
            enforce_leaf(work, &past, row, &columns);
    *out = (allot__enforced){.least = work->state->former ? columns.least : NULL,
                             .why = columns.any ? columns.why : NULL};
    work->enforced = out;
    work->forced = columns.any ? columns.forced : NULL;
    return ALLOT_OK;
}
