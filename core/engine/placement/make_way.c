/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* make_way.c: moves leaves that run where others must run, and could run elsewhere as well (H-19).
 */
#include <string.h>

#include "base/least.h"
#include "engine/placement/grant.h"
#include "engine/rows/enforce.h"
#include "engine/reclaim/over.h"

/* Does the leaf give what it is to give? An exclusive leaf leaves its hosts whole or not at all. */
static bool gives(const allot__work *work, int32_t row)
{
    const allot__rules *rules = allot__rules_at(work, row);
    return !rules->policy->switches[ALLOT_SWITCH_NO_RECLAIM] && !allot__drains(work, row) &&
           (!work->hosts->exclusive_of || work->hosts->exclusive_of[row] == ALLOT_ROOT);
}

/* Slots that a leaf lacks beyond those that others are over on hosts that serve it, which reclaim
 * takes. An exclusive leaf needs empty hosts; single slots do not help it. */
static int64_t lack_of(const allot__granter *it, int32_t row)
{
    const allot__work *work = it->work;
    bool alone = work->hosts->exclusive_of != NULL && work->hosts->exclusive_of[row] != ALLOT_ROOT;
    int64_t lack = alone ? 0 : allot__lack(work, row);
    for (int32_t i = 0; i < it->leaf_count && lack > 0; i++) {
        int32_t other = it->leaves[i];
        int64_t over = other != row ? allot__over(work, other) : 0;
        lack -= over > 0 ? allot__least(over, allot__group_hosts_holds_for(work, other, row)) : 0;
    }
    return lack;
}

/* Moves slots of a leaf for another one; returns the number. */
static int64_t move(allot__granter *it, int32_t row, int32_t other, int64_t lack)
{
    allot__work *work = it->work;
    int64_t over = allot__over(work, row); /* includes slots moved already */
    int64_t slots = allot__least(allot__group_hosts_holds_for(work, row, other) - over, lack);
    slots = allot__least(slots, allot__least(allot__grant_allowed(work, row), work->idle_left));
    if (slots <= 0 || over + slots <= allot__rules_at(work, row)->options[ALLOT_OPTION_DEAD_ZONE])
        return 0;
    slots = allot__match_push(&it->match, it->match.class_of[row], slots);
    allot__grant_add(work, row, slots);
    work->moved[row] += (int32_t)slots;
    return slots;
}

int allot__make_way(allot__granter *it)
{
    allot__work *work = it->work;
    size_t rows = (size_t)work->tree->rows;
    if (!work->group->options[ALLOT_OPTION_MAKE_WAY])
        return ALLOT_OK;
    work->moved = allot__arena_take(work->arena, rows, sizeof *work->moved);
    if (!work->moved)
        return ALLOT_ENOMEM;
    memset(work->moved, 0, rows * sizeof *work->moved);
    for (int32_t i = 0; i < it->leaf_count && work->idle_left > 0; i++) {
        int32_t row = it->leaves[i];
        int64_t lack = lack_of(it, row);
        for (int32_t k = it->leaf_count - 1; k >= 0 && lack > 0; k--) {
            int32_t other = it->leaves[k];
            if (other != row && work->allocated[other] > 0 && gives(work, other))
                lack -= move(it, other, row, lack);
        }
    }
    return ALLOT_OK;
}
