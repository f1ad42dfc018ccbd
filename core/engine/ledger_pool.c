/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ledger_pool.c: share pools: who uses how much of which, and who should (C-11). */
#include <string.h>

#include "engine/ledger_books.h"
#include "engine/own.h"
#include "engine/pour.h"
#include "engine/round.h"

/* ---- Pools and their members ----------------------------------------------------------------- */

/* What a family's parent owns beyond its children, and the group beyond its first level. */
static int64_t size_of(const allot__ledger *ledger, int32_t family)
{
    const allot__work *work = ledger->work;
    int32_t parent = family > 0 ? work->group->parent[family] : -1;
    int64_t slots = ledger->slots;
    if (family == 0 && !ledger->all) {
        return 0;
    }
    if (family > 0) {
        const allot__rules *rules = allot__rules_at(work, parent);
        if (!allot__policy_ledger(rules->policy)) {
            return 0;
        }
        slots = allot__own(work, rules, parent, NULL);
    }
    for (int32_t i = 0; i < allot__family_size(work, family); i++) {
        int32_t row = allot__family_first(work, family) + i;
        slots -= allot__own(work, allot__rules_at(work, row), row, NULL);
    }
    return slots > 0 ? slots : 0;
}

/* The next pool above a family that has slots, itself included; -1: none. */
static int32_t pool_from(const allot__ledger *ledger, int32_t family)
{
    while (ledger->pools[family].slots == 0) {
        if (family == 0) {
            return -1;
        }
        family = ledger->above[family];
    }
    return family;
}

static int32_t pool_above(const allot__ledger *ledger, int32_t family)
{
    return family > 0 ? pool_from(ledger, ledger->above[family]) : -1;
}

/* The nearest pool that a holder is a member of; the next ones are those above it. */
static int32_t nearest_pool(const allot__ledger *ledger, int32_t holder)
{
    const allot__holder *it = &ledger->holders[holder];
    return it->weight > 0 ? pool_from(ledger, it->family) : -1;
}

static int64_t idle_in(const allot__share_pool *pool)
{
    return pool->slots > pool->used ? pool->slots - pool->used : 0;
}

int allot__pools_open(allot__ledger *ledger)
{
    allot__arena *arena = ledger->work->arena;
    int32_t families = ledger->work->tree->families;
    int64_t total = 0;
    ledger->pools = allot__arena_take(arena, (size_t)families, sizeof *ledger->pools);
    if (ledger->pools == NULL) {
        return ALLOT_ENOMEM;
    }
    for (int32_t family = 0; family < families; family++) {
        ledger->pools[family] = (allot__share_pool){.slots = size_of(ledger, family)};
    }
    for (int32_t i = 0; i < ledger->count; i++) {
        for (int32_t pool = nearest_pool(ledger, i); pool >= 0; pool = pool_above(ledger, pool)) {
            ledger->pools[pool].count++;
            total++;
        }
    }
    ledger->shares = allot__arena_take(arena, (size_t)total + 1, sizeof *ledger->shares);
    if (ledger->shares == NULL || total > INT32_MAX) {
        return ALLOT_ENOMEM;
    }
    int32_t at = 0;
    for (int32_t family = 0; family < families; family++) {
        ledger->pools[family].first = at;
        at += ledger->pools[family].count;
        ledger->pools[family].count = 0;
    }
    for (int32_t i = 0; i < ledger->count; i++) {
        for (int32_t k = nearest_pool(ledger, i); k >= 0; k = pool_above(ledger, k)) {
            allot__share_pool *pool = &ledger->pools[k];
            ledger->shares[pool->first + pool->count++] = (allot__share){i, 0};
        }
    }
    return ALLOT_OK;
}

void allot__pool_use(allot__ledger *ledger, allot__share_pool *pool, int32_t member, int64_t slots)
{
    allot__share *share = &ledger->shares[pool->first + member];
    share->used += (int32_t)slots;
    pool->used += slots;
    ledger->holders[share->holder].pooled += (int32_t)slots;
}

/* A holder among the members of a pool, which stand in order. */
static int32_t member_of(const allot__ledger *ledger, const allot__share_pool *pool, int32_t holder)
{
    int32_t low = 0, count = pool->count;
    while (count - low > 1) {
        int32_t middle = low + (count - low) / 2;
        if (ledger->shares[pool->first + middle].holder <= holder) {
            low = middle;
        } else {
            count = middle;
        }
    }
    return low;
}

int64_t allot__pools_idle(const allot__ledger *ledger, int32_t holder)
{
    int64_t idle = 0;
    for (int32_t at = nearest_pool(ledger, holder); at >= 0; at = pool_above(ledger, at)) {
        idle += idle_in(&ledger->pools[at]);
    }
    return idle;
}

void allot__pools_put(allot__ledger *ledger, int32_t holder, int64_t slots)
{
    for (int32_t at = nearest_pool(ledger, holder); slots > 0 && at >= 0;
         at = pool_above(ledger, at)) {
        allot__share_pool *pool = &ledger->pools[at];
        int64_t part = allot__least(idle_in(pool), slots);
        if (part > 0) {
            allot__pool_use(ledger, pool, member_of(ledger, pool, holder), part);
            slots -= part;
        }
    }
}

/* The farthest pool of which a holder uses some, and what it is there; NULL: it uses none. */
static allot__share_pool *farthest_used(const allot__ledger *ledger, int32_t holder,
                                        int32_t *member)
{
    allot__share_pool *farthest = NULL;
    for (int32_t at = nearest_pool(ledger, holder); at >= 0; at = pool_above(ledger, at)) {
        allot__share_pool *pool = &ledger->pools[at];
        int32_t place = member_of(ledger, pool, holder);
        if (ledger->shares[pool->first + place].used > 0) {
            farthest = pool;
            *member = place;
        }
    }
    return farthest;
}

void allot__pools_less(allot__ledger *ledger, int32_t holder, int64_t slots)
{
    const allot__holder *it = &ledger->holders[holder];
    int64_t left = slots - (it->shared - it->pooled);
    while (left > 0) {
        int32_t member;
        allot__share_pool *pool = farthest_used(ledger, holder, &member);
        if (pool == NULL) {
            return;
        }
        int64_t part = allot__least(ledger->shares[pool->first + member].used, left);
        allot__pool_use(ledger, pool, member, -part);
        left -= part;
    }
}

/* ---- Shares ---------------------------------------------------------------------------------- */

bool allot__pool_deserve(allot__ledger *ledger, const allot__share_pool *pool)
{
    int32_t **column = ledger->column;
    int64_t kept = 0;
    if (pool->slots == 0) {
        return false; /* nobody is a member */
    }
    for (int32_t i = 0; i < pool->count; i++) {
        kept += column[ALLOT__POOL_LEVEL][i];
    }
    allot__pour rows = {.count = pool->count,
                        .unit = 1,
                        .left = pool->slots > kept ? pool->slots - kept : 0,
                        .level = column[ALLOT__POOL_LEVEL],
                        .need = column[ALLOT__POOL_CAP],
                        .cap = column[ALLOT__POOL_CAP],
                        .weight = column[ALLOT__POOL_WEIGHT],
                        .aim = column[ALLOT__POOL_AIM],
                        .floor = column[ALLOT__POOL_FLOOR],
                        .rest = column[ALLOT__POOL_REST]};
    allot__pour_aims(&rows);
    int64_t whole = kept + rows.left;
    if (!allot__pour_exact(&rows)) {
        memcpy(column[ALLOT__POOL_FLOOR], column[ALLOT__POOL_AIM],
               (size_t)pool->count * sizeof(int32_t));
        return false;
    }
    memcpy(column[ALLOT__POOL_AIM], column[ALLOT__POOL_FLOOR],
           (size_t)pool->count * sizeof(int32_t));
    allot__shares shares = {.count = pool->count,
                            .whole = whole,
                            .floor = column[ALLOT__POOL_FLOOR],
                            .rest = column[ALLOT__POOL_REST],
                            .quota = column[ALLOT__POOL_FLOOR]};
    allot__round(ALLOT_ROUND_RANK, &shares);
    return true;
}

/* Shared slots of a holder that are in no pool yet. Who drains is not to fill pools, for as long as
 * its tasks run, with what it does not want. */
static int32_t to_put(const allot__holder *holder)
{
    int32_t slots = holder->shared;
    int32_t wanted = holder->most - holder->used - holder->in;
    if (!holder->rebalance && slots > wanted) {
        slots = wanted;
    }
    return slots > holder->pooled ? slots - holder->pooled : 0;
}

void allot__pools_attribute(allot__ledger *ledger)
{
    for (int32_t family = ledger->work->tree->families - 1; family >= 0; family--) {
        allot__share_pool *pool = &ledger->pools[family];
        const allot__share *shares = &ledger->shares[pool->first];
        int64_t all = 0;
        for (int32_t i = 0; i < pool->count; i++) {
            const allot__holder *holder = &ledger->holders[shares[i].holder];
            ledger->column[ALLOT__POOL_LEVEL][i] = 0;
            ledger->column[ALLOT__POOL_CAP][i] = to_put(holder);
            ledger->column[ALLOT__POOL_WEIGHT][i] = holder->weight;
            all += ledger->column[ALLOT__POOL_CAP][i];
        }
        if (all > 0) {
            allot__pool_deserve(ledger, pool);
        }
        for (int32_t i = 0; i < pool->count && all > 0; i++) {
            allot__pool_use(ledger, pool, i, ledger->column[ALLOT__POOL_FLOOR][i]);
        }
    }
}
