/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* again.c: restores the columns that quotas are computed from, except demands. */
#include "engine/whole/again.h"

#include "engine/hosts/match.h"
#include "engine/ownership/ledger.h"
#include "engine/rows/order.h"
#include "engine/whole/lower.h"

int allot__whole_keep(allot__whole_all *all, int32_t group)
{
    allot__work *work = all->works[group];
    allot__whole_again *again = &all->again[group];
    *again = (allot__whole_again){
        .limit = work->limit, .slots = work->slots, .times = work->times, .unit = work->unit};
    if (work->hosts)
        again->hosts = *work->hosts;
    again->natural = allot__leaves_natural(work);
    if (work->ledger && again->natural && !(work->hosts && work->hosts->exclusive_of))
        allot__ledger_keep(work, allot__quota_lasting(work));
    int status = allot__leaves_take(&again->leaves, work, all->arena, false);
    if (status == ALLOT_OK && again->natural)
        allot__leaves_number(&again->leaves, work);
    return status;
}

int allot__whole_know(allot__whole_all *all, int32_t group)
{
    allot__work *work = all->works[group];
    const allot__group_hosts *hosts = work->hosts;
    bool alike = !hosts || (!hosts->exclusive_of && !allot__group_hosts_uneven(hosts));
    if (!alike && work->ledger)
        allot__ledger_keep(work, false);
    if (!alike || !all->again[group].natural)
        return ALLOT_OK;
    return allot__quota_keep(work, true, &all->again[group].kept);
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
    allot__ledger_draft(work, !last);
    int status = all->divide(work);
    work->arena = mine;
    return status;
}

/* Adds leftovers to quotas (sign 1), or takes them off (-1). */
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

int allot__whole_order(allot__whole_all *all, int32_t group)
{
    allot__work *work = all->works[group];
    allot__whole_again *again = &all->again[group];
    allot__arena *mine = work->arena;
    if (again->natural)
        return ALLOT_OK;
    work->arena = again->open ? &again->arena : mine;
    int status = allot__leaves_distribute(&again->leaves, work);
    work->arena = mine;
    return status;
}
