/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ledger_pool.c: share pools: who uses how much of which, and who should (C-11). */
#include <string.h>

#include "engine/ledger_books.h"
#include "engine/own.h"
#include "engine/pour.h"
#include "engine/round.h"

/* Columns over the members of a pool. */
enum { LEVEL, CAP, WEIGHT, AIM, FLOOR, REST };

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
        int32_t pool = pool_from(ledger, ledger->holders[i].family);
        for (; pool >= 0 && ledger->holders[i].weight > 0; pool = pool_above(ledger, pool)) {
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
        int32_t index = pool_from(ledger, ledger->holders[i].family);
        for (; index >= 0 && ledger->holders[i].weight > 0; index = pool_above(ledger, index)) {
            allot__share_pool *pool = &ledger->pools[index];
            ledger->shares[pool->first + pool->count++] = (allot__share){i, 0};
        }
    }
    return ALLOT_OK;
}

static void use(allot__ledger *ledger, allot__share_pool *pool, int32_t member, int64_t slots)
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

void allot__pools_less(allot__ledger *ledger, int32_t holder, int64_t slots)
{
    const allot__holder *it = &ledger->holders[holder];
    int64_t left = slots - (it->shared - it->pooled);
    while (left > 0) {
        int32_t farthest = -1;
        for (int32_t pool = pool_from(ledger, it->family); pool >= 0 && it->weight > 0;
             pool = pool_above(ledger, pool)) {
            int32_t member = member_of(ledger, &ledger->pools[pool], holder);
            if (ledger->shares[ledger->pools[pool].first + member].used > 0) {
                farthest = pool;
            }
        }
        if (farthest < 0) {
            return;
        }
        allot__share_pool *pool = &ledger->pools[farthest];
        int32_t member = member_of(ledger, pool, holder);
        int32_t used = ledger->shares[pool->first + member].used;
        int64_t part = used < left ? used : left;
        use(ledger, pool, member, -part);
        left -= part;
    }
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* What each member deserves, from the columns LEVEL, CAP and WEIGHT, in FLOOR. */
static void deserve(allot__ledger *ledger, const allot__share_pool *pool)
{
    int32_t **column = ledger->column;
    int64_t kept = 0;
    for (int32_t i = 0; i < pool->count; i++) {
        kept += column[LEVEL][i];
    }
    allot__pour rows = {.count = pool->count,
                        .unit = 1,
                        .left = pool->slots > kept ? pool->slots - kept : 0,
                        .level = column[LEVEL],
                        .need = column[CAP],
                        .cap = column[CAP],
                        .weight = column[WEIGHT],
                        .aim = column[AIM],
                        .floor = column[FLOOR],
                        .rest = column[REST]};
    allot__pour_aims(&rows);
    int64_t whole = kept + rows.left;
    if (!allot__pour_exact(&rows)) {
        memcpy(column[FLOOR], column[AIM], (size_t)pool->count * sizeof(int32_t));
        return;
    }
    allot__shares shares = {.count = pool->count,
                            .whole = whole,
                            .floor = column[FLOOR],
                            .rest = column[REST],
                            .quota = column[FLOOR]};
    allot__round(ALLOT_ROUND_RANK, &shares);
}

void allot__pools_attribute(allot__ledger *ledger)
{
    for (int32_t family = ledger->work->tree->families - 1; family >= 0; family--) {
        allot__share_pool *pool = &ledger->pools[family];
        const allot__share *shares = &ledger->shares[pool->first];
        int64_t all = 0;
        for (int32_t i = 0; i < pool->count; i++) {
            const allot__holder *holder = &ledger->holders[shares[i].holder];
            ledger->column[LEVEL][i] = 0;
            ledger->column[CAP][i] = holder->shared - holder->pooled;
            ledger->column[WEIGHT][i] = holder->weight;
            all += holder->shared - holder->pooled;
        }
        if (all > 0) {
            deserve(ledger, pool);
        }
        for (int32_t i = 0; i < pool->count && all > 0; i++) {
            use(ledger, pool, i, ledger->column[FLOOR][i]);
        }
    }
}

/* How many more shared slots a holder wants and may use. */
static int64_t wants(const allot__holder *holder)
{
    int64_t more = allot__holder_wants(holder, holder->most);
    int64_t room = (int64_t)holder->share_most - holder->shared;
    room = room > 0 ? room : 0;
    return more < room ? more : room;
}

/* Fills the columns for what members deserve now; false: nobody wants more. */
static bool ask(allot__ledger *ledger, const allot__share_pool *pool)
{
    bool any = false;
    for (int32_t i = 0; i < pool->count; i++) {
        const allot__share *share = &ledger->shares[pool->first + i];
        const allot__holder *holder = &ledger->holders[share->holder];
        int64_t more = wants(holder);
        int64_t spare = more > 0 ? 0 : (int64_t)allot__holder_has(holder) - holder->most;
        int64_t cap = share->used + more - (spare > 0 ? spare : 0);
        ledger->column[LEVEL][i] = holder->keep ? share->used : 0;
        ledger->column[CAP][i] = cap > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX
                                 : cap > 0              ? (int32_t)cap
                                                        : 0;
        ledger->column[WEIGHT][i] = holder->weight;
        any = any || more > 0;
    }
    return any;
}

/* ---- Phase 2 --------------------------------------------------------------------------------- */

void allot__pools_share(allot__ledger *ledger)
{
    for (int32_t family = ledger->work->tree->families - 1; family >= 0; family--) {
        allot__share_pool *pool = &ledger->pools[family];
        if ((ledger->idle + ledger->pledged <= 0 && ledger->loose == 0) ||
            pool->used >= pool->slots || !ask(ledger, pool)) {
            continue;
        }
        deserve(ledger, pool);
        for (int32_t i = 0; i < pool->count && pool->used < pool->slots; i++) {
            const allot__share *share = &ledger->shares[pool->first + i];
            int64_t slots = (int64_t)ledger->column[FLOOR][i] - share->used;
            int64_t more = slots > 0 ? wants(&ledger->holders[share->holder]) : 0;
            int64_t free = more > 0 ? allot__books_free(ledger, share->holder) : 0;
            slots = slots < more ? slots : more;
            slots = slots < free ? slots : free;
            slots = slots < pool->slots - pool->used ? slots : pool->slots - pool->used;
            if (slots > 0) {
                allot__books_give(ledger, share->holder, slots, ALLOT__SHARED);
                use(ledger, pool, i, slots);
            }
        }
    }
}

/* ---- Phase 5 --------------------------------------------------------------------------------- */

/* Parts of `slots` in proportion to what is over (column AIM) for the members [from, to); the
 * remainder goes to larger over, later first (C-7). Written to column REST. */
static void share_out(allot__ledger *ledger, int32_t from, int32_t to, int64_t slots, int64_t sum)
{
    int64_t given = 0;
    for (int32_t i = from; i < to; i++) {
        int64_t over = ledger->column[AIM][i];
        int64_t part = slots < sum ? (int64_t)((allot__i128)slots * over / sum) : over;
        ledger->column[REST][i] = (int32_t)part;
        ledger->order[to - 1 - i] = i;
        ledger->keys[i] = -over;
        given += part;
    }
    if (given < slots && slots < sum) {
        allot__books_sort(ledger, to - from);
        for (int32_t k = 0; k < to - from && given < slots; k++) {
            int32_t i = ledger->order[k];
            int32_t more = ledger->column[REST][i] < ledger->column[AIM][i];
            ledger->column[REST][i] += more;
            given += more;
        }
    }
}

/* What each member gives of `slots`: worst rank first. */
static void give_back(allot__ledger *ledger, const allot__share_pool *pool, int64_t slots)
{
    const allot__share *shares = &ledger->shares[pool->first];
    const int32_t *rank = ledger->work->rank;
    for (int32_t to = pool->count; to > 0;) {
        int32_t from = to;
        int64_t sum = 0;
        int32_t worst = rank[ledger->holders[shares[to - 1].holder].row];
        while (from > 0 && rank[ledger->holders[shares[from - 1].holder].row] == worst) {
            sum += ledger->column[AIM][--from];
        }
        int64_t part = sum < slots ? sum : slots;
        share_out(ledger, from, to, part, sum);
        slots -= part;
        to = from;
    }
}

/* Moves what members give, the worst first, to a member that lacks. */
static int32_t serve(allot__ledger *ledger, allot__share_pool *pool, int32_t to, int32_t giver)
{
    const allot__share *shares = &ledger->shares[pool->first];
    int32_t claimant = shares[to].holder;
    int64_t left = (int64_t)ledger->column[FLOOR][to] - shares[to].used;
    int64_t more = wants(&ledger->holders[claimant]);
    left = left < more ? left : more;
    while (left > 0 && giver >= 0) {
        int64_t slots = ledger->column[REST][giver];
        int64_t within = allot__books_within(ledger, claimant, shares[giver].holder);
        if (slots == 0) {
            giver--;
            continue;
        }
        slots = slots < left ? slots : left;
        slots = slots < within ? slots : within;
        if (slots == 0) {
            break;
        }
        ledger->column[REST][giver] -= (int32_t)slots;
        use(ledger, pool, giver, -slots);
        use(ledger, pool, to, slots);
        allot__books_take(ledger, shares[giver].holder, slots, ALLOT__SHARED, claimant,
                          ALLOT__WHY_OVER_SHARE);
        allot__books_promise(ledger, claimant, slots, ALLOT__SHARED);
        left -= slots;
    }
    return giver;
}

/* What members lack of what they deserve; what others have beyond it goes to column AIM. */
static int64_t count_over(allot__ledger *ledger, const allot__share_pool *pool, int64_t *over)
{
    int64_t lack = 0;
    *over = 0;
    for (int32_t i = 0; i < pool->count; i++) {
        const allot__share *share = &ledger->shares[pool->first + i];
        const allot__holder *holder = &ledger->holders[share->holder];
        int32_t beyond = share->used - ledger->column[FLOOR][i];
        int32_t there = holder->held - holder->lost;
        lack += beyond < 0 ? -(int64_t)beyond : 0;
        beyond = beyond < there ? beyond : there;
        ledger->column[AIM][i] = holder->keep || beyond < 0 ? 0 : beyond;
        *over += ledger->column[AIM][i];
    }
    return lack;
}

void allot__pools_reclaim(allot__ledger *ledger)
{
    for (int32_t family = ledger->work->tree->families - 1; family >= 0; family--) {
        allot__share_pool *pool = &ledger->pools[family];
        if (pool->used == 0 || !ask(ledger, pool)) {
            continue;
        }
        int64_t over;
        deserve(ledger, pool);
        int64_t lack = count_over(ledger, pool, &over);
        if (over == 0 || lack == 0) {
            continue;
        }
        give_back(ledger, pool, lack < over ? lack : over);
        int32_t giver = pool->count - 1;
        for (int32_t i = 0; i < pool->count && giver >= 0; i++) {
            giver = serve(ledger, pool, i, giver);
        }
    }
}
