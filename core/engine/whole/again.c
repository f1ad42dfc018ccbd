/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* again.c: what quotas are computed from is put back as it was, but for demands. */
#include "engine/whole/again.h"

#include "engine/hosts/match.h"
#include "engine/ownership/ledger.h"
#include "engine/rows/order.h"
#include "engine/whole/lower.h"

int allot__whole_keep(allot__whole_all *all, int32_t group)
{
    const allot__work *work = all->works[group];
    allot__whole_again *again = &all->again[group];
    size_t families = (size_t)work->tree->families, rows = (size_t)work->tree->rows;
    *again = (allot__whole_again){
        .limit = work->limit, .slots = work->slots, .times = work->times, .unit = work->unit};
    if (work->hosts)
        again->hosts = *work->hosts;
    again->leaves = allot__arena_take(all->arena, rows + 1, sizeof *again->leaves);
    again->start = allot__arena_take(all->arena, families, sizeof *again->start);
    again->size = allot__arena_take(all->arena, families, sizeof *again->size);
    again->rows =
        allot__arena_take(all->arena, (size_t)work->tree->widest + 1, sizeof *again->rows);
    return again->leaves && again->start && again->size && again->rows ? ALLOT_OK : ALLOT_ENOMEM;
}

int allot__whole_know(allot__whole_all *all, int32_t group)
{
    allot__work *work = all->works[group];
    const allot__group_hosts *hosts = work->hosts;
    bool alike = !hosts || (!hosts->exclusive_of && !allot__group_hosts_uneven(hosts));
    int status = allot__whole_order(all, group);
    if (status != ALLOT_OK || !alike || !all->again[group].natural)
        return status;
    all->again[group].lasting = work->ledger && allot__quota_lasting(work);
    return allot__quota_keep(work, &all->again[group].kept);
}

static void let_go(allot__whole_again *again)
{
    if (again->open)
        allot__arena_free(&again->arena);
    again->open = false;
}

void allot__whole_let_go(allot__whole_all *all)
{
    for (int32_t group = 0; group < all->count; group++)
        let_go(&all->again[group]);
}

int allot__whole_divide(allot__whole_all *all, int32_t group, bool last)
{
    allot__work *work = all->works[group];
    allot__whole_again *again = &all->again[group];
    allot__arena *mine = work->arena;
    let_go(again);
    if (work->hosts)
        *work->hosts = again->hosts;
    work->limit = again->limit;
    work->slots = again->slots;
    work->times = again->times;
    work->unit = again->unit;
    allot__work_again(work);
    if (!last) {
        allot__arena_init(&again->arena, work->plan->engine);
        again->open = true;
        work->arena = &again->arena;
    }
    int status = all->divide(work);
    work->arena = mine;
    return status;
}

/* Adds to quotas what was left, or takes it off. */
static void add_parts(allot__work *work, int32_t sign)
{
    for (int32_t row = 0; row < work->tree->rows; row++)
        work->quota[row] += sign * work->whole_part[row];
}

int allot__whole_redivide(allot__whole_all *all, int32_t group, int32_t row)
{
    allot__work *work = all->works[group];
    allot__whole_again *again = &all->again[group];
    bool parts = work->whole->given;
    int status = ALLOT_OK;
    if (again->kept && parts)
        add_parts(work, -1);
    if (again->kept) {
        allot__quota_change(again->kept, row);
        allot__quota_again(again->kept);
    } else {
        if (again->lasting)
            status = allot__ledger_keep(work);
        again->lasting = false;
        if (status == ALLOT_OK)
            status = allot__whole_divide(all, group, false);
    }
    if (parts && status == ALLOT_OK)
        add_parts(work, 1);
    return status;
}

int allot__whole_settle(allot__whole_all *all, int32_t group)
{
    int status = allot__whole_divide(all, group, true);
    if (status == ALLOT_OK)
        add_parts(all->works[group], 1);
    return status;
}

/* ---- The order of distribution --------------------------------------------------------------- */

static void count_leaves(const allot__work *work, allot__whole_again *again)
{
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        int32_t first = allot__family_first(work, family);
        again->size[family] = 0;
        for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
            int32_t below = allot__family_of(work, row);
            again->size[family] += below == 0 ? 1 : again->size[below];
        }
    }
    again->leaf_count = again->size[0];
}

/* A family's leaves, and where those of its families begin. */
static void place_family(const allot__work *work, allot__whole_again *again, int32_t family,
                         const allot__sorter *sorter)
{
    const allot__rules *rules = allot__rules_of(work, family);
    const allot__order *order = &rules->policy->distribute;
    int32_t first = allot__family_first(work, family), at = again->start[family];
    bool natural = allot__order_natural(order);
    if (!natural)
        allot__order_sort(work, rules, order, sorter, first, allot__family_size(work, family),
                          again->rows);
    for (int32_t i = 0; i < allot__family_size(work, family); i++) {
        int32_t row = natural ? first + i : again->rows[i];
        int32_t below = allot__family_of(work, row);
        if (below == 0) {
            again->leaves[at++] = row;
        } else {
            again->start[below] = at;
            at += again->size[below];
        }
    }
}

static int find_order(allot__work *work, allot__whole_again *again)
{
    allot__sorter sorter;
    int status = allot__sorter_init(work, &sorter);
    again->natural = true;
    for (int32_t i = 0; i < work->rules_count && status == ALLOT_OK; i++) {
        const allot__order *order = &work->rules[i].policy->distribute;
        again->natural = again->natural && allot__order_natural(order);
        status = allot__order_prepare(work, &work->rules[i], order);
    }
    if (status != ALLOT_OK)
        return status;
    count_leaves(work, again);
    again->start[0] = 0;
    for (int32_t family = 0; family < work->tree->families; family++)
        place_family(work, again, family, &sorter);
    return ALLOT_OK;
}

int allot__whole_order(allot__whole_all *all, int32_t group)
{
    allot__work *work = all->works[group];
    allot__whole_again *again = &all->again[group];
    allot__arena *mine = work->arena;
    if (again->natural)
        return ALLOT_OK;
    work->arena = again->open ? &again->arena : mine;
    int status = find_order(work, again);
    work->arena = mine;
    return status;
}
