/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* outlook.c: an outlook made and ended, and what leaves demand and claim. */
#include "engine/outlook/outlook.h"

enum { WIDEST = 1 << 16 /* rows whose levels add up in 64 bits */ };

/* ---- Which plans ----------------------------------------------------------------------------- */

/* A column that a plan states and nothing changes. */
static bool states(const allot_policy *policy, allot_source source)
{
    if (source.kind == ALLOT_FROM_NUMBER)
        return true;
    int32_t column = source.value;
    if (source.kind != ALLOT_FROM_COLUMN || column == ALLOT_RESERVE || column == ALLOT_LIMIT)
        return false;
    if (column >= ALLOT_COLUMN_COUNT)
        return policy->attributes[column - ALLOT_COLUMN_COUNT].fallback != ALLOT_NONE;
    return column < ALLOT_PLAN_COLUMNS || column == ALLOT_CONFIGURED;
}

static bool is_plain(const allot_policy *policy)
{
    bool plain = policy->rounding == ALLOT_ROUND_RANK && policy->fill_count > 0;
    for (int32_t i = 0; i < policy->fill_count && plain; i++) {
        const allot__fill *fill = &policy->fills[i];
        plain = fill->kind == ALLOT__FILL && fill->order.count == 0 && !fill->level &&
                (i == 0 || (states(policy, fill->by) &&
                            (fill->up_to.kind == ALLOT_FROM_NEED || states(policy, fill->up_to))));
    }
    return plain;
}

static bool is_known(const allot_plan *plan, const allot__group *group)
{
    return group->governing_count == 1 && !plan->queues && !plan->windows &&
           plan->hosts.list.count == 0 && plan->tree.widest <= WIDEST && group->slots > 0 &&
           !group->governing[0].policy->exact && is_plain(group->governing[0].policy);
}

/* ---- Columns --------------------------------------------------------------------------------- */

static int32_t value_of(const allot__group *group, allot_source source, int32_t row)
{
    const allot__governing *governing = &group->governing[0];
    int32_t column = source.value;
    if (source.kind == ALLOT_FROM_NEED)
        return ALLOT_AMOUNT_MAX;
    if (source.kind == ALLOT_FROM_NUMBER)
        return source.value;
    if (column >= ALLOT_COLUMN_COUNT)
        column = governing->attribute_column[column - ALLOT_COLUMN_COUNT];
    else if (column == ALLOT_CONFIGURED)
        column = ALLOT_OWNED;
    int32_t value = group->columns[column][row];
    return value < ALLOT_AMOUNT_MAX ? value : ALLOT_AMOUNT_MAX;
}

static void fill_row(allot_outlook *outlook, int32_t row)
{
    const allot__group *group = outlook->group;
    const allot_policy *policy = group->governing[0].policy;
    size_t rows = (size_t)outlook->tree->rows;
    int32_t column;
    bool out = allot__policy_leaves_out(policy);
    for (int32_t i = 1; i < outlook->fills; i++) {
        size_t at = (size_t)i * rows + (size_t)row;
        outlook->weight[at] = value_of(group, policy->fills[i].by, row);
        outlook->cap[at] = value_of(group, policy->fills[i].up_to, row);
        out = out && outlook->weight[at] == 0;
        if (outlook->weight[at] > outlook->heaviest[i])
            outlook->heaviest[i] = outlook->weight[at];
    }
    int32_t limit = allot__limit_of(outlook->plan, group, row, &column);
    outlook->out[row] = out;
    outlook->limit[row] = limit < ALLOT_AMOUNT_MAX ? limit : ALLOT_AMOUNT_MAX;
}

/* C-1, of a group of its planned size. */
static void fill_reserves(allot_outlook *outlook)
{
    const allot__group *group = outlook->group;
    const allot__tree *tree = outlook->tree;
    for (int32_t family = tree->families - 1; family >= 0; family--) {
        int64_t sum = 0;
        for (int32_t row = tree->first[family]; row < tree->first[family + 1]; row++) {
            int32_t own = group->columns[ALLOT_OWNED][row];
            int32_t reserve = group->columns[ALLOT_RESERVE][row];
            reserve = reserve < own ? reserve : own;
            int32_t below = outlook->reserve[row]; /* its children's */
            outlook->reserve[row] = reserve > below ? reserve : below;
            outlook->need[row] = outlook->reserve[row];
            outlook->family_in[row] = family;
            sum += outlook->reserve[row];
        }
        if (family > 0)
            outlook->reserve[group->parent[family]] = (int32_t)sum;
        outlook->families[family].stale = true;
        outlook->reserves = sum;
    }
}

static size_t columns_of(const allot_outlook *outlook)
{
    return 3 * (size_t)outlook->fills + 7;
}

static int take_columns(allot_outlook *outlook)
{
    size_t rows = (size_t)outlook->tree->rows;
    size_t wide = rows * (size_t)outlook->fills;
    allot_engine *engine = outlook->engine;
    outlook->store = allot__new(engine, rows * columns_of(outlook), sizeof *outlook->store);
    outlook->out = allot__new(engine, rows, 1);
    outlook->families =
        allot__new(engine, (size_t)outlook->tree->families, sizeof *outlook->families);
    if (!outlook->store || !outlook->out || !outlook->families)
        return ALLOT_ENOMEM;
    outlook->weight = outlook->store;
    outlook->cap = outlook->weight + wide;
    outlook->level = outlook->cap + wide;
    int32_t **columns[] = {&outlook->limit,
                           &outlook->reserve,
                           &outlook->need,
                           &outlook->claim[ALLOT__LEAST],
                           &outlook->claim[ALLOT__MOST],
                           &outlook->family_in,
                           &outlook->demand};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        *columns[i] = outlook->level + wide + i * rows;
    return ALLOT_OK;
}

static int fill(allot_outlook *made)
{
    int status = take_columns(made);
    if (status == ALLOT_OK)
        status = allot_state_new(made->plan, &made->state);
    if (status == ALLOT_OK)
        status = allot_state_now(made->state, 0);
    if (status == ALLOT_OK)
        status = allot_state_seal(made->state, NULL);
    if (status != ALLOT_OK)
        return status;
    fill_reserves(made);
    for (int32_t row = 0; row < made->tree->rows; row++) {
        fill_row(made, row);
        allot__outlook_levels(made, row);
    }
    made->stale = true;
    return made->reserves <= made->group->slots ? ALLOT_OK : ALLOT_ENOENT;
}

int allot_outlook_new(const allot_plan *plan, int32_t group, allot_outlook **out)
{
    if (!plan || !out || !plan->sealed || group < 0 || group >= plan->group_count)
        return ALLOT_EUSAGE;
    if (!is_known(plan, &plan->groups[group]))
        return ALLOT_ENOENT;
    allot_outlook *made = allot__new(plan->engine, 1, sizeof *made);
    if (!made)
        return ALLOT_ENOMEM;
    made->engine = plan->engine;
    made->plan = plan;
    made->group = &plan->groups[group];
    made->tree = &plan->tree;
    made->fills = made->group->governing[0].policy->fill_count;
    int status = fill(made);
    if (status != ALLOT_OK) {
        allot_outlook_free(made);
        return status;
    }
    *out = made;
    return ALLOT_OK;
}

void allot_outlook_free(allot_outlook *outlook)
{
    if (!outlook)
        return;
    size_t rows = (size_t)outlook->tree->rows;
    allot_state_free(outlook->state);
    allot__free(outlook->engine, outlook->store, rows * columns_of(outlook),
                sizeof *outlook->store);
    allot__free(outlook->engine, outlook->out, rows, 1);
    allot__free(outlook->engine, outlook->families, (size_t)outlook->tree->families,
                sizeof *outlook->families);
    allot__free(outlook->engine, outlook, 1, sizeof *outlook);
}

/* ---- Demands --------------------------------------------------------------------------------- */

/* C-2, of a leaf. */
static int32_t need_of(const allot_outlook *outlook, int32_t row, int64_t demand)
{
    int32_t limit = outlook->limit[row], reserve = outlook->reserve[row];
    int32_t want = demand < limit ? (int32_t)demand : limit;
    return want > reserve && !outlook->out[row] ? want : reserve;
}

int allot_outlook_set(allot_outlook *outlook, int32_t consumer, int64_t demand, int64_t claim)
{
    int32_t row = allot__outlook_leaf(outlook, consumer);
    if (row < 0)
        return ALLOT_EUSAGE;
    if (demand < 0 || demand > ALLOT_AMOUNT_MAX || claim < 0 || claim > demand)
        return ALLOT_ERANGE;
    int32_t need = need_of(outlook, row, demand);
    outlook->demand[row] = (int32_t)demand;
    int32_t *least = &outlook->claim[ALLOT__LEAST][row], *most = &outlook->claim[ALLOT__MOST][row];
    if (need == outlook->need[row] && claim == *least)
        return ALLOT_OK;
    int32_t family = outlook->family_in[row], before = outlook->need[row];
    const allot__outlook_point *points = outlook->families[family].point;
    const int64_t levels[] = {
        allot__outlook_level(outlook, row, points[ALLOT__LEAST], ALLOT__LEAST),
        allot__outlook_level(outlook, row, points[ALLOT__MOST], ALLOT__MOST),
    };
    bool raised = need >= before && claim >= *least;
    outlook->age += !raised; /* what was refused might be held now */
    outlook->block_count = 0;
    *least = *most = (int32_t)claim;
    outlook->need[row] = need;
    allot__outlook_levels(outlook, row);
    if (!raised || !allot__outlook_raised(outlook, row, before, levels)) {
        outlook->families[family].stale = true;
        outlook->stale = true;
    }
    return ALLOT_OK;
}
