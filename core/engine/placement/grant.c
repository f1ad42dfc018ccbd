/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * grant.c: grants if hosts differ, stage by stage: alternates distribution and matching until hosts
 * have room for all grants; moves leaves that run where others must run (H-19); lends slots that no
 * consumer below its quota can use.
 */
#include "engine/placement/grant.h"

#include <string.h>

#include "base/least.h"
#include "engine/placement/place.h"
#include "engine/quota/quota.h"
#include "engine/reclaim/over.h"
#include "engine/reclaim/reach.h"
#include "engine/rows/enforce.h"

/* Adds to `received` of a leaf and of all above it. */
static void grant_add(allot__work *work, int32_t row, int64_t slots)
{
    for (; row >= 0; row = allot__above(work, row)) {
        int32_t family = allot__family_of(work, row);
        work->received[row] += (int32_t)slots;
        if (family != 0)
            work->sums[family].received += slots;
    }
    work->sums[0].received += slots;
    work->idle_left -= slots;
}

/* The number of further slots that limits allow a leaf. */
static int64_t allowed(const allot__work *work, int32_t row)
{
    int32_t limit = work->hosts->limit[row];
    int64_t room = limit != ALLOT_NONE ? (int64_t)limit - work->allocated[row] - work->received[row]
                                       : ALLOT_AMOUNT_MAX;
    for (int32_t at = allot__above(work, row); at >= 0; at = allot__above(work, at)) {
        int64_t held = work->sums[allot__family_of(work, at)].allocated;
        if (work->limit[at] != ALLOT_NONE)
            room = allot__least(room, work->limit[at] - held - work->received[at]);
    }
    return room > 0 ? room : 0;
}

/* Finds hosts for all received slots; is there room for them? */
static bool push_all(allot__granter *it)
{
    const allot__work *work = it->work;
    bool all = true;
    allot__match_reset(&it->match);
    for (int32_t i = 0; i < it->leaf_count && it->base; i++) {
        int32_t row = it->leaves[i];
        allot__match_push(&it->match, it->match.class_of[row], it->base[row]);
    }
    for (int32_t i = 0; i < it->leaf_count; i++) {
        int32_t row = it->leaves[i], want = work->received[row];
        it->got[row] = (int32_t)allot__match_push(&it->match, it->match.class_of[row], want);
        all = all && it->got[row] == want;
    }
    for (int32_t i = 0; i < it->match.classes; i++)
        it->open[i] = !allot__match_tight(&it->match, i);
    return all;
}

/* Distributes idle slots so that hosts have room for them in addition to `base`. */
static int grant_fit(allot__granter *it)
{
    allot__work *work = it->work;
    for (;;) {
        int status = allot__distribute(work);
        if (status != ALLOT_OK || push_all(it))
            return status;
        for (int32_t i = 0; i < it->leaf_count; i++) {
            int32_t row = it->leaves[i];
            if (it->open[it->match.class_of[row]] == 0)
                work->room[row] = it->got[row];
        }
    }
}

/* ---- Making way ------------------------------------------------------------------------------ */

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
    slots = allot__least(slots, allot__least(allowed(work, row), work->idle_left));
    if (slots <= 0 || over + slots <= allot__rules_at(work, row)->options[ALLOT_OPTION_DEAD_ZONE])
        return 0;
    slots = allot__match_push(&it->match, it->match.class_of[row], slots);
    grant_add(work, row, slots);
    work->moved[row] += (int32_t)slots;
    return slots;
}

static int make_way(allot__granter *it)
{
    allot__work *work = it->work;
    size_t rows = (size_t)work->tree->rows;
    if (!work->group->options[ALLOT_OPTION_MAKE_WAY])
        return ALLOT_OK;
    work->moved = allot__arena_zeroed(work->arena, rows, sizeof *work->moved);
    if (!work->moved)
        return ALLOT_ENOMEM;
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

/* ---- Lending --------------------------------------------------------------------------------- */

/* Quotas computed once more, as if consumers that cannot have more on hosts wanted no more. Only
 * the grants are kept; the cycle's own quotas stay. */
typedef struct lending {
    allot__granter *granter;
    allot__work *work;
    allot__work own;    /* as it was */
    int32_t *base;      /* by row: received so far */
    int32_t *allocated; /* by row: including `base` */
    int32_t *limit;     /* by row: the most that it may or can hold */
} lending;

static int32_t *copied(allot__work *work, const int32_t *column)
{
    size_t count = (size_t)work->tree->rows;
    int32_t *out = allot__arena_take(work->arena, count, sizeof *out);
    if (out)
        memcpy(out, column, count * sizeof *out);
    return out;
}

/* Makes own columns for all that is computed again. */
static int begin(lending *it)
{
    allot__work *work = it->work;
    size_t families = (size_t)work->tree->families;
    size_t marks = families + (size_t)work->rules_count;
    it->own = *work;
    it->base = copied(work, work->received);
    it->allocated = copied(work, work->allocated);
    it->limit = copied(work, work->limit);
    work->need = copied(work, work->need);
    work->quota = copied(work, work->quota);
    work->reserve = copied(work, work->reserve);
    work->received = copied(work, work->received);
    work->room = copied(work, work->room);
    work->planned_part = NULL;
    work->held_part = NULL;
    if (!it->base || !it->allocated || !it->limit || !work->need || !work->quota ||
        !work->reserve || !work->received || !work->room)
        return ALLOT_ENOMEM;
    return ALLOT__TAKE_ALL(work->arena, ALLOT__EACH(families, work->sums, work->spare),
                           ALLOT__WANTED(work->critical, marks));
}

/* ---- Hosts that are to be left --------------------------------------------------------------- */

/* By requirement + 1, two consumers that lack slots: their leaves' rows, which are not of the same
 * exclusive consumer; -1: none. */
typedef struct lacking {
    int32_t row[2];
} lacking;

static void find_lacking(const allot__granter *it, lacking *lacking)
{
    const allot__work *work = it->work;
    const allot__group_hosts *hosts = work->hosts;
    for (int32_t i = 0; i <= hosts->requirement_count; i++)
        lacking[i].row[0] = lacking[i].row[1] = -1;
    for (int32_t i = 0; i < it->leaf_count; i++) {
        int32_t row = it->leaves[i], *of = lacking[hosts->asks ? hosts->asks[row] + 1 : 0].row;
        if (allot__lack(work, row) == 0)
            continue;
        if (of[0] < 0)
            of[0] = row;
        else if (hosts->exclusive_of[of[0]] != hosts->exclusive_of[row])
            of[1] = row;
    }
}

/* Does a consumer other than its owner, which lacks slots, gain if the host is left? */
static bool wanted(const allot__work *work, const lacking *lacking, int32_t host)
{
    const allot__group_hosts *hosts = work->hosts;
    for (int32_t i = 0; i < 2 * (hosts->requirement_count + 1); i++) {
        int32_t row = lacking[i / 2].row[i % 2];
        if (row >= 0 && hosts->exclusive_of[row] != hosts->owner[host] &&
            allot__host_helps(work, row, host))
            return true;
    }
    return false;
}

/* Keeps exclusive consumers from filling hosts that they are to leave for others. */
static int keep_left(allot__granter *it)
{
    allot__work *work = it->work;
    allot__group_hosts *hosts = work->hosts;
    int32_t rows = work->tree->rows;
    lacking *lacking =
        allot__arena_take(work->arena, (size_t)hosts->requirement_count + 1, sizeof *lacking);
    uint8_t *gains = allot__arena_zeroed(work->arena, (size_t)rows, 1);
    int status = lacking && gains ? allot__reach_left(work) : ALLOT_ENOMEM;
    if (status != ALLOT_OK)
        return status;
    find_lacking(it, lacking);
    for (int32_t i = 0; i < it->leaf_count; i++) {
        int32_t exclusive = hosts->exclusive_of[it->leaves[i]];
        if (exclusive != ALLOT_ROOT && work->received[it->leaves[i]] > 0)
            gains[allot__row(work->plan, work->index, exclusive)] = 1;
    }
    for (int32_t host = 0; host < hosts->count; host++) {
        int32_t kind = it->match.kind_of[host];
        hosts->left[host] = hosts->left[host] != 0 &&
                            gains[allot__row(work->plan, work->index, hosts->owner[host])] == 0 &&
                            wanted(work, lacking, host);
        if (hosts->left[host] != 0 && kind >= 0) {
            it->match.most[kind] -= hosts->free[host];
            it->match.left[kind] -= hosts->free[host];
        }
    }
    return ALLOT_OK;
}

/* ---- Quotas once more ------------------------------------------------------------------------ */

static bool open_to(const lending *it, int32_t row)
{
    return it->granter->open[it->granter->match.class_of[row]] != 0;
}

/* Limits consumers that cannot have more to what they have; does any other want more? */
static bool set_limits(lending *it)
{
    const allot__granter *granter = it->granter;
    const int32_t *limit = it->work->hosts->limit;
    bool some = false;
    allot__match_open(&it->granter->match, it->granter->open);
    for (int32_t i = 0; i < granter->leaf_count; i++) {
        int32_t row = granter->leaves[i];
        int64_t has = (int64_t)it->own.allocated[row] + it->base[row];
        bool open = open_to(it, row);
        it->limit[row] = open ? limit[row] : (int32_t)allot__least(has, limit[row]);
        some = some || (open && allot__least(it->own.demand[row], limit[row]) > has);
        it->allocated[row] = (int32_t)allot__least(has, ALLOT_AMOUNT_MAX);
        it->work->room[row] = open ? ALLOT_AMOUNT_MAX : 0;
    }
    return some;
}

/* Computes quotas for consumers that can have more; none is below the consumer's own quota. */
static int divide(lending *it)
{
    allot__work *work = it->work;
    work->limit = it->limit;
    work->allocated = it->own.allocated;
    memset(work->sums, 0, (size_t)work->tree->families * sizeof *work->sums);
    int status = allot__need(work);
    if (status == ALLOT_OK)
        status = allot__quota(work);
    for (int32_t row = 0; row < work->tree->rows && status == ALLOT_OK; row++)
        work->quota[row] = (int32_t)allot__most(work->quota[row], it->own.quota[row]);
    return status;
}

/* Distributes the slots left, as if all slots received before were held. */
static int distribute(lending *it, bool *some)
{
    allot__work *work = it->work;
    work->allocated = it->allocated;
    work->returned = NULL;
    work->sums[0].allocated += it->own.idle - it->own.idle_left;
    for (int32_t family = 1; family < work->tree->families; family++) {
        int32_t parent = work->group->parent[family];
        work->sums[family].allocated += it->base[parent];
        work->reserve[parent] = 0; /* is kept idle already */
    }
    it->granter->base = it->base;
    int status = grant_fit(it->granter);
    *some = status == ALLOT_OK && work->idle_left < it->own.idle_left;
    it->own.idle_left = status == ALLOT_OK ? work->idle_left : it->own.idle_left;
    for (int32_t row = 0; row < work->tree->rows && *some; row++)
        it->base[row] += work->received[row];
    return status;
}

static void end(lending *it)
{
    allot__work *work = it->work;
    *work = it->own;
    memcpy(work->received, it->base, (size_t)work->tree->rows * sizeof *work->received);
    for (int32_t family = 1; family < work->tree->families; family++)
        work->sums[family].received = work->received[work->group->parent[family]];
    work->sums[0].received = work->idle - work->idle_left;
}

/* ---- The rest of hosts of exclusive consumers ------------------------------------------------ */

/* Gives leaves of exclusive consumers, from the rest, what they lack of `quota`, or want. */
static void lend_up_to(allot__granter *it, const int32_t *quota)
{
    allot__work *work = it->work;
    allot__group_hosts *hosts = work->hosts;
    for (int32_t i = 0; i < it->leaf_count && hosts->waste > 0; i++) {
        int32_t row = it->leaves[i];
        bool out = work->leaves_out && work->need[row] <= work->reserve[row];
        if (hosts->exclusive_of[row] == ALLOT_ROOT || out)
            continue;
        int64_t has = (int64_t)work->allocated[row] + work->received[row];
        int64_t slots = allot__least(work->demand[row], quota[row]) - has;
        slots = allot__least(slots, allot__least(hosts->waste, allowed(work, row)));
        slots = slots > 0 ? allot__match_push(&it->match, it->match.class_of[row], slots) : 0;
        hosts->waste -= slots;
        hosts->blocked -= slots;
        work->slots += slots;
        work->idle += slots;
        work->idle_left += slots;
        grant_add(work, row, slots);
    }
}

/* No other consumer gets the slots too many on hosts that an exclusive consumer is to have
 * (hosts/empty.c): its leaves get them, first as if all could be divided, then those that want
 * more. */
static int lend_rest(allot__granter *granter)
{
    lending it = {.granter = granter, .work = granter->work};
    allot__work *work = it.work;
    int status = work->hosts->waste > 0 ? begin(&it) : ALLOT_OK;
    if (status != ALLOT_OK || work->hosts->waste <= 0)
        return status;
    const int32_t *quota = work->quota;
    memcpy(it.limit, work->hosts->limit, (size_t)work->tree->rows * sizeof *it.limit);
    allot__work_resize(work, work->slots + work->hosts->waste);
    status = divide(&it);
    *work = it.own;
    if (status == ALLOT_OK) {
        lend_up_to(granter, quota);
        lend_up_to(granter, work->demand);
    }
    return status;
}

static int lend_idle(allot__granter *granter)
{
    lending it = {.granter = granter, .work = granter->work};
    int status = begin(&it);
    if (status != ALLOT_OK)
        return status;
    for (bool some = true; status == ALLOT_OK && some && it.own.idle_left > 0 && set_limits(&it);) {
        status = divide(&it);
        if (status == ALLOT_OK)
            status = distribute(&it, &some);
    }
    end(&it);
    return status;
}

static int lend(allot__granter *granter)
{
    const allot__work *work = granter->work;
    bool alone = work->hosts->exclusive_of != NULL;
    bool some = work->idle_left > 0 || work->hosts->waste > 0;
    int status = some && alone ? keep_left(granter) : ALLOT_OK;
    if (status == ALLOT_OK && alone)
        status = lend_rest(granter);
    return status == ALLOT_OK && work->idle_left > 0 ? lend_idle(granter) : status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

int allot__grant(allot__granter *it, int64_t ghosts)
{
    allot__work *work = it->work;
    size_t rows = (size_t)work->tree->rows;
    int status = allot__match_make(work, ALLOT__FREE_SLOTS, ghosts, &it->match);
    if (status == ALLOT_OK)
        status = ALLOT__TAKE_ALL(work->arena, ALLOT__EACH(rows, work->room, it->got),
                                 ALLOT__WANTED(it->open, (size_t)it->match.classes + 1));
    if (status != ALLOT_OK)
        return status;
    for (size_t row = 0; row < rows; row++)
        work->room[row] = ALLOT_AMOUNT_MAX;
    status = grant_fit(it);
    if (status == ALLOT_OK && !work->ledger && work->idle_left > 0)
        status = make_way(it);
    if (status == ALLOT_OK && !work->ledger)
        status = lend(it);
    return status;
}
