/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * planned.c: planned shares top-down, then held slots: bottom-up, or the best rank first, whatever
 * the branches (E-22).
 *
 * For the latter: given a bound of ranks, each row counts for a number of slots, bottom-up: a leaf
 * of a rank up to the bound counts for the slots that it may keep, other leaves for those they are
 * sure of, and a parent for its children's sum, at least what it is sure of and at most its need.
 * Counts grow with the bound. Top-down, every family finds the rank at which its slots run out:
 * `low` counts better ranks alone, `high` that rank, too, and between them weights decide. Families
 * below go by the same rank, unless limits or planned shares inside leave less room, or more.
 */
#include "engine/quota/pass.h"

#include <string.h>

#include "base/least.h"
#include "engine/fill/round.h"

/* ---- The best rank first --------------------------------------------------------------------- */

typedef struct allot__leaf_ranks {
    int32_t *sure, *most;      /* by row: the least and the most that it may count for */
    int32_t *all, *low, *high; /* by row, as above; all: for any rank */
    int32_t *list;             /* families of a subtree */
    int32_t *level, *aim;      /* of a family's members */
    int32_t *cap, *floor, *rest, *weight;
} ranks;

static int32_t held_fill(const allot_policy *policy)
{
    for (int32_t i = 0; i < policy->fill_count; i++)
        if (policy->fills[i].up_to.kind == ALLOT_FROM_HELD)
            return i;
    return -1;
}

int32_t allot__planned_counts(const allot__work *work, int32_t row)
{
    int64_t slots = work->allocated[row];
    if (work->in_flight)
        slots += (int64_t)work->earmarked[row] - work->in_flight[row];
    slots += work->returned ? work->returned[row] : 0;
    slots = slots < work->need[row] ? slots : work->need[row];
    return slots > 0 ? (int32_t)slots : 0;
}

static bool by_leaves(const allot__quota_pass *pass)
{
    const allot_policy *policy = pass->rules->policy;
    return policy->switches[ALLOT_SWITCH_ACROSS] && pass->work->tree->families > 1 &&
           held_fill(policy) >= 0;
}

static int take_ranks(allot__quota_pass *pass)
{
    const allot__work *work = pass->work;
    size_t rows = (size_t)work->tree->rows + 1, widest = (size_t)work->tree->widest + 1;
    ranks *of = pass->leaf_ranks = allot__arena_take(work->arena, 1, sizeof *of);
    if (!of)
        return ALLOT_ENOMEM;
    return ALLOT__TAKE_ALL(
        work->arena, ALLOT__EACH(rows, of->sure, of->most, of->all, of->low, of->high),
        ALLOT__WANTED(of->list, (size_t)work->tree->families),
        ALLOT__EACH(widest, of->level, of->aim, of->cap, of->floor, of->rest, of->weight));
}

/* Does the row at place `at` of a family belong to the pass? */
static bool has(const allot__quota_pass *pass, int32_t family, int32_t at)
{
    return family > 0 || !pass->only || pass->only[at];
}

static bool is_of(const allot__quota_pass *pass, int32_t family)
{
    return family == 0 || allot__rules_of(pass->work, family) == pass->rules;
}

static int32_t between(int64_t value, int32_t least, int32_t most)
{
    value = value < most ? value : most;
    return value > least ? (int32_t)value : least;
}

/* Writes the slots that a family's rows are sure of, and the most that they can have. */
static void begin_family(allot__quota_pass *pass, int32_t fill, int32_t family)
{
    const allot__work *work = pass->work;
    ranks *of = pass->leaf_ranks;
    int32_t first = allot__family_first(work, family);
    allot__quota_columns(pass, fill, family);
    for (int32_t i = 0; i < allot__family_size(work, family); i++) {
        int32_t row = first + i;
        int32_t need = has(pass, family, i) ? work->need[row] : 0;
        int32_t sure = work->planned_part[row];
        sure = sure > work->reserve[row] ? sure : work->reserve[row];
        of->sure[row] = sure < need ? sure : need;
        of->most[row] = pass->rows.weight[i] > 0 ? need : of->sure[row];
    }
}

/* Writes the counts of rows of listed families for a bound; returns the first family's sum. */
static int64_t count_for(const allot__quota_pass *pass, int32_t families, int64_t bound,
                         int32_t *out)
{
    const allot__work *work = pass->work;
    const ranks *of = pass->leaf_ranks;
    int64_t sum = 0;
    for (int32_t k = families - 1; k >= 0; k--) {
        int32_t family = of->list[k];
        int32_t first = allot__family_first(work, family);
        sum = 0;
        for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
            if (!has(pass, family, row - first))
                continue;
            if (allot__family_of(work, row) == 0) {
                int32_t keeps = work->rank[row] <= bound ? allot__planned_counts(work, row) : 0;
                out[row] = between(keeps, of->sure[row], of->most[row]);
            }
            sum += out[row];
        }
        if (k > 0) {
            int32_t parent = work->group->parent[family];
            out[parent] = between(sum, of->sure[parent], of->most[parent]);
        }
    }
    return sum;
}

/* Finds the rank at which the slots of a family run out; writes `low` and `high` of all below. */
static void find_rank(const allot__quota_pass *pass, int32_t family, int64_t room)
{
    const allot__work *work = pass->work;
    const ranks *of = pass->leaf_ranks;
    int32_t families = allot__subtree(work, family, pass->only, of->list);
    int64_t low = INT32_MAX, high = 0; /* slots run out at rank `high`, but not before `low` */
    for (int32_t k = 0; k < families; k++) {
        int32_t first = allot__family_first(work, of->list[k]);
        for (int32_t row = first; row < first + allot__family_size(work, of->list[k]); row++) {
            low = work->rank[row] < low ? work->rank[row] : low;
            high = work->rank[row] > high ? work->rank[row] : high;
        }
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (count_for(pass, families, middle, of->high) > room)
            high = middle;
        else
            low = middle + 1;
    }
    count_for(pass, families, high, of->high);
    count_for(pass, families, high - 1, of->low);
}

/* Divides a family's slots by weight, each row between `low` and `high`. */
static void share_out(allot__quota_pass *pass, int32_t fill, int32_t family, int64_t room)
{
    const allot__work *work = pass->work;
    const ranks *of = pass->leaf_ranks;
    int32_t first = allot__family_first(work, family);
    int32_t count = allot__family_size(work, family);
    allot__quota_columns(pass, fill, family);
    for (int32_t i = 0; i < count; i++) {
        bool takes_part = has(pass, family, i);
        of->level[i] = takes_part ? of->low[first + i] : 0;
        of->cap[i] = takes_part ? of->high[first + i] : 0;
        of->weight[i] = takes_part ? pass->rows.weight[i] : 0;
        room -= of->level[i];
    }
    allot__pour rows = {.count = count,
                        .unit = 1,
                        .left = room > 0 ? room : 0,
                        .level = of->level,
                        .level_part = pass->zeros,
                        .need = of->cap,
                        .cap = of->cap,
                        .cap_part = pass->zeros,
                        .weight = of->weight,
                        .aim = of->aim,
                        .floor = of->floor,
                        .rest = of->rest};
    allot__round_pour(&rows, of->level);
    for (int32_t i = 0; i < count; i++)
        if (has(pass, family, i))
            work->held_part[first + i] = of->level[i];
}

static int64_t sum_of(const allot__quota_pass *pass, int32_t family, const int32_t *column)
{
    int32_t first = allot__family_first(pass->work, family);
    int64_t sum = 0;
    for (int32_t i = 0; i < allot__family_size(pass->work, family); i++)
        sum += has(pass, family, i) ? column[first + i] : 0;
    return sum;
}

static void keep_family(allot__quota_pass *pass, int32_t fill, int32_t family, int64_t room)
{
    const allot__work *work = pass->work;
    ranks *of = pass->leaf_ranks;
    bool enough = sum_of(pass, family, of->all) <= room;
    if (!enough && (sum_of(pass, family, of->low) > room || sum_of(pass, family, of->high) < room))
        find_rank(pass, family, room);
    if (!enough) {
        share_out(pass, fill, family, room);
        return;
    }
    int32_t first = allot__family_first(work, family);
    for (int32_t i = 0; i < allot__family_size(work, family); i++)
        if (has(pass, family, i))
            work->held_part[first + i] = of->all[first + i];
}

static void keep_by_rank(allot__quota_pass *pass, int64_t slots)
{
    const allot__work *work = pass->work;
    ranks *of = pass->leaf_ranks;
    int32_t fill = held_fill(pass->rules->policy);
    int32_t families = 0;
    for (int32_t family = 0; family < work->tree->families; family++) {
        if (is_of(pass, family)) {
            begin_family(pass, fill, family);
            of->list[families++] = family;
        }
    }
    count_for(pass, families, INT64_MAX, of->all);
    memcpy(of->low, of->all, (size_t)work->tree->rows * sizeof *of->low);
    memcpy(of->high, of->all, (size_t)work->tree->rows * sizeof *of->high);
    for (int32_t family = 0; family < work->tree->families; family++) {
        if (is_of(pass, family)) {
            int64_t room = family == 0 ? slots : work->held_part[work->group->parent[family]];
            keep_family(pass, fill, family, room);
        }
    }
}

/* ---- Bottom-up ------------------------------------------------------------------------------- */

static void plan_family(allot__quota_pass *pass, int32_t fill, int32_t family, int64_t slots)
{
    int32_t first = allot__family_first(pass->work, family);
    int32_t count = allot__family_size(pass->work, family);
    int32_t *planned = pass->work->planned_part + first;
    int64_t sum = 0;
    allot__quota_columns(pass, fill, family);
    const int32_t *weight = pass->rows.weight;
    for (int32_t i = 0; i < count; i++)
        sum += has(pass, family, i) ? weight[i] : 0;
    for (int32_t i = 0; i < count; i++)
        if (has(pass, family, i))
            planned[i] = sum > 0 ? (int32_t)(slots * weight[i] / sum) : 0;
}

/* Sums over a family's leaves: slots they hold, and slots they are sure of but lack. */
static void count_family(const allot__quota_pass *pass, int32_t family)
{
    const allot__work *work = pass->work;
    int32_t first = allot__family_first(work, family);
    int64_t held = 0, lacking = 0;
    for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
        int32_t below = allot__family_of(work, row);
        if (!has(pass, family, row - first))
            continue;
        if (below != 0) {
            held += pass->held[below];
            lacking += pass->lacking[below];
            continue;
        }
        int32_t holds = allot__planned_counts(work, row);
        int64_t sure = allot__most(work->planned_part[row], work->reserve[row]);
        sure = sure < work->need[row] ? sure : work->need[row];
        held += holds;
        lacking += allot__most(sure - holds, 0);
    }
    int64_t reserve = family > 0 ? work->reserve[work->group->parent[family]] : 0;
    pass->held[family] = held;
    pass->lacking[family] = lacking + held < reserve ? reserve - held : lacking;
}

/* Writes the slots that rows of a family keep; `free` slots of the policy are kept by no row. */
static void hold_family(const allot__quota_pass *pass, int32_t family, int64_t free)
{
    const allot__work *work = pass->work;
    int32_t first = allot__family_first(work, family);
    for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
        int32_t below = allot__family_of(work, row);
        if (!has(pass, family, row - first))
            continue;
        int64_t holds = below == 0 ? allot__planned_counts(work, row) : pass->held[below];
        if (below != 0)
            holds += pass->lacking[below] < free ? pass->lacking[below] : free;
        holds = holds > work->planned_part[row] ? holds : work->planned_part[row];
        work->held_part[row] = holds < work->need[row] ? (int32_t)holds : work->need[row];
    }
}

static void hold(allot__quota_pass *pass, int64_t slots)
{
    int32_t families = pass->work->tree->families;
    for (int32_t family = families - 1; family >= 0; family--)
        if (is_of(pass, family))
            count_family(pass, family);
    int64_t free = slots > pass->held[0] ? slots - pass->held[0] : 0;
    for (int32_t family = 0; family < families; family++)
        if (is_of(pass, family))
            hold_family(pass, family, free);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int take_column(allot__work *work, int32_t **column)
{
    size_t rows = (size_t)work->tree->rows;
    if (*column)
        return ALLOT_OK;
    *column = allot__arena_zeroed(work->arena, rows, sizeof **column);
    return *column ? ALLOT_OK : ALLOT_ENOMEM;
}

int allot__planned_begin(allot__quota_pass *pass)
{
    allot__work *work = pass->work;
    size_t families = (size_t)work->tree->families;
    if (allot__policy_parted(pass->rules->policy) < 0)
        return ALLOT_OK;
    int status = take_column(work, &work->planned_part);
    status = status ? status : take_column(work, &work->held_part);
    if (status != ALLOT_OK || by_leaves(pass))
        return status ? status : take_ranks(pass);
    return ALLOT__TAKE_ALL(work->arena, ALLOT__EACH(families, pass->held, pass->lacking));
}

void allot__planned(allot__quota_pass *pass, int64_t slots, const bool *only)
{
    const allot__work *work = pass->work;
    int32_t fill = allot__policy_parted(pass->rules->policy);
    if (fill < 0)
        return;
    pass->only = only;
    for (int32_t family = 0; family < work->tree->families; family++) {
        int64_t part = family == 0 ? slots : work->planned_part[work->group->parent[family]];
        if (is_of(pass, family))
            plan_family(pass, fill, family, part);
    }
    if (by_leaves(pass))
        keep_by_rank(pass, slots);
    else
        hold(pass, slots);
}
