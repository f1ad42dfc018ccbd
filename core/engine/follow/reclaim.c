/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * reclaim.c: C-6 at nodes that may take slots, and above those that do; and the claimants of these
 * slots (reclaim/orders.c does all).
 */
#include "engine/follow/follow.h"

typedef struct allot__follow_log {
    allot__reclaim_log log; /* first: what reclaim is handed is this */
    allot__reclaim_split split;
    allot__follow *follow;
} allot__follow_log;

static allot__follow *follow_of(void *log)
{
    return ((allot__follow_log *)log)->follow;
}

/* ---- Whom slots serve ------------------------------------------------------------------------ */

static void give(allot__follow *follow, int32_t from, int32_t to, int64_t slots)
{
    size_t place = follow->gifts.count;
    allot__follow_gift *gift =
        allot__push(follow->work->plan->engine, &follow->gifts, sizeof *gift);
    if (!gift) {
        follow->status = ALLOT_ENOMEM;
        return;
    }
    *gift = (allot__follow_gift){from, to, slots, place};
    if (to >= 0) {
        follow->lack[to] -= (int32_t)slots;
        allot__bits_set(&follow->lacking, to, follow->lack[to] > 0);
    }
}

/* Serves deficits below the node with the slots it took, the best first; the rest has no claimant.
 */
static void finish_node(allot__follow *follow)
{
    allot__take *takes = follow->takes.items;
    allot__takes_sort(takes, follow->takes.count);
    for (size_t i = 0; i < follow->takes.count && follow->status == ALLOT_OK; i++) {
        int64_t left = takes[i].slots;
        while (left > 0 && follow->owed > 0 && follow->status == ALLOT_OK) {
            int32_t to = allot__bits_next(&follow->lacking, follow->leaves.start[follow->family]);
            int64_t part = left < follow->lack[to] ? left : follow->lack[to];
            part = part < follow->owed ? part : follow->owed;
            give(follow, takes[i].from, to, part);
            follow->owed -= part;
            left -= part;
        }
        if (left > 0)
            give(follow, takes[i].from, -1, left);
    }
    follow->takes.count = 0;
}

static void on_node(allot__reclaim_log *log, int32_t family, int64_t slots, int64_t owed)
{
    allot__follow *follow = follow_of(log);
    finish_node(follow);
    follow->family = family;
    follow->owed = owed;
    if (family > 0 && owed < slots)
        follow->status = ALLOT_EUSAGE; /* its limit frees slots, which the nodes above pass on */
}

static void take_from(allot__follow *follow, int32_t row, int32_t slots)
{
    allot_engine *engine = follow->work->plan->engine;
    allot__digest_row *touched = allot__follow_touch(follow, row);
    allot__take *item = allot__push(engine, &follow->takes, sizeof *item);
    int32_t *gave = item ? allot__push(engine, &follow->gave, sizeof *gave) : NULL;
    if (touched)
        touched->reclaimed = 0;
    if (!gave) {
        follow->status = ALLOT_ENOMEM;
        return;
    }
    *item = (allot__take){follow->leaves.number[row], slots};
    *gave = row;
}

static void on_parts(allot__split_listener *listener, int32_t first, int32_t count,
                     const int32_t *part)
{
    for (int32_t i = 0; i < count; i++)
        if (part[i] > 0)
            take_from(follow_of(listener), first + i, part[i]);
}

int allot__follow_log_take(allot__follow *follow, allot__arena *arena)
{
    allot__follow_log *it = allot__arena_take(arena, 1, sizeof *it);
    if (!it)
        return ALLOT_ENOMEM;
    *it = (allot__follow_log){.log = {.listener = {on_parts}, .node = on_node}, .follow = follow};
    follow->log = it;
    int status = allot__split_init(&it->split, follow->work, &it->log.listener);
    it->split.over = &follow->over;
    return status;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* Adds the slots that nodes inside took to the node above. */
static void pass_up(allot__follow *follow, int32_t family)
{
    const allot__sums *inside = &follow->work->sums[family];
    int32_t above = follow->families[family].above;
    allot__sums *sums = &follow->work->sums[above];
    if (family == 0 || inside->reclaimed == 0)
        return;
    sums->over_left -= inside->over - inside->over_left;
    sums->unmatched -= inside->deficit - inside->unmatched;
    sums->reclaimed += inside->reclaimed;
    allot__bits_add(&follow->nodes, above);
}

int allot__follow_reclaim(allot__follow *follow)
{
    int32_t family = follow->work->tree->families;
    for (;;) {
        int32_t deep = allot__bits_last(&follow->deep, family);
        int32_t node = allot__bits_last(&follow->nodes, family);
        family = deep > node ? deep : node;
        if (family < 0 || follow->status != ALLOT_OK)
            break;
        allot__bits_remove(&follow->nodes, family);
        allot__reclaim_node(&follow->log->split, &follow->log->log, family);
        pass_up(follow, family);
    }
    if (follow->log->split.status != ALLOT_OK)
        return follow->log->split.status;
    if (follow->status == ALLOT_OK)
        finish_node(follow);
    return follow->status;
}

void allot__follow_forget(allot__follow *follow)
{
    const int32_t *gave = follow->gave.items;
    const allot__follow_gift *gifts = follow->gifts.items;
    for (size_t i = 0; i < follow->gave.count; i++) {
        allot__follow_touch(follow, gave[i]);
        follow->work->reclaimed[gave[i]] = 0;
        for (int32_t family = allot__siblings_of(follow->work, gave[i]);;
             family = follow->families[family].above) {
            allot__sums *sums = &follow->work->sums[family];
            sums->over_left = sums->over;
            sums->unmatched = sums->deficit;
            sums->reclaimed = sums->ordered = sums->freed = 0;
            if (family == 0)
                break;
        }
    }
    for (size_t i = 0; i < follow->gifts.count; i++) {
        if (gifts[i].to >= 0) {
            follow->lack[gifts[i].to] += (int32_t)gifts[i].slots;
            allot__bits_add(&follow->lacking, gifts[i].to);
        }
    }
    follow->gave.count = follow->gifts.count = 0;
}
