/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* monitor.c: a sweep up matches used slots with idle ones, a sweep down divides them among leaves;
 * planned slots are a quota of their own. */
#include "engine/quota/monitor.h"

#include <string.h>

#include "base/wide.h"
#include "engine/fill/round.h"
#include "engine/rows/flight.h"
#include "engine/ownership/ledger.h"
#include "engine/rows/work.h"
#include "engine/quota/quota.h"

/* Slots that a family's members lend and borrow: `idle` and `beyond` are left for the levels above,
 * `lend` and `borrow` are for its members. */
typedef struct level {
    int64_t idle, beyond;
    int64_t lend, borrow;
} level;

typedef struct watch {
    allot__work *work;
    allot__monitor *out;
    level *levels; /* by family */
    int64_t *have; /* of the family at hand, by member in plan order: the most that it can take, */
    int64_t *part; /* ... and its part */
    int32_t *rows;
} watch;

static int64_t held(const allot__work *work, int32_t row)
{
    return work->allocated[row] + (work->closed ? work->closed->held[row] : 0);
}

static int64_t own_used(const allot__work *work, int32_t row)
{
    const allot__held *told = allot__ledger_held(work, row);
    if (told)
        return told->own;
    const allot__rules *rules = allot__rules_at(work, row);
    int64_t own = rules->owns ? allot__own(work, rules, row, NULL) : 0;
    return own < held(work, row) ? own : held(work, row);
}

/* Own slots that a leaf neither uses nor reserves. */
static int64_t idle_own(const allot__work *work, int32_t row)
{
    const allot__rules *rules = allot__rules_at(work, row);
    if (allot__ledger_rules(rules))
        return 0; /* its loans alone count */
    int64_t busy = held(work, row);
    busy = busy > work->reserve[row] ? busy : work->reserve[row];
    int64_t own = rules->owns ? allot__own(work, rules, row, NULL) : 0;
    return own > busy ? own - busy : 0;
}

static int64_t beyond_own(const allot__work *work, int32_t row)
{
    const allot__rules *rules = allot__rules_at(work, row);
    return rules->owns && !allot__ledger_rules(rules) ? held(work, row) - own_used(work, row) : 0;
}

static void match_up(watch *of)
{
    const allot__work *work = of->work;
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        level *here = &of->levels[family];
        int32_t first = allot__family_first(work, family);
        *here = (level){0};
        for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
            int32_t below = allot__family_of(work, row);
            here->idle += below != 0 ? of->levels[below].idle : idle_own(work, row);
            here->beyond += below != 0 ? of->levels[below].beyond : beyond_own(work, row);
        }
        here->lend = here->idle < here->beyond ? here->idle : here->beyond;
        here->borrow = here->lend;
        here->idle -= here->lend;
        here->beyond -= here->lend;
    }
}

/* Divides `slots`, at most the sum of `have`, among members in proportion to it. */
static void share_out(watch *of, int32_t count, int64_t slots)
{
    allot__u128 total = 0;
    int64_t left = slots;
    for (int32_t i = 0; i < count; i++)
        total += (allot__u128)of->have[i];
    for (int32_t i = 0; i < count; i++) {
        allot__u128 all = (allot__u128)of->have[i] * (allot__u128)slots;
        of->part[i] = slots == 0 ? 0 : (int64_t)(all / total);
        left -= of->part[i];
    }
    for (int32_t i = 0; i < count && left > 0; i++) {
        int64_t one = of->part[i] < of->have[i];
        of->part[i] += one;
        left -= one;
    }
}

/* Lists a family's members in plan order. */
static int32_t list_members(watch *of, int32_t family)
{
    const int32_t *group_row = of->work->group->group_row;
    int32_t first = allot__family_first(of->work, family);
    int32_t count = allot__family_size(of->work, family);
    for (int32_t i = 0; i < count; i++)
        of->rows[i] = group_row ? group_row[first + i] : first + i;
    return count;
}

/* Divides the slots that a family lends, or borrows, among its members; a parent's part is added to
 * the slots that its own family lends or borrows inside. */
static void pass_down(watch *of, int32_t family, bool lend)
{
    int32_t count = list_members(of, family);
    for (int32_t i = 0; i < count; i++) {
        const level *below = &of->levels[allot__family_of(of->work, of->rows[i])];
        if (below != of->levels)
            of->have[i] = lend ? below->idle : below->beyond;
        else
            of->have[i] =
                lend ? idle_own(of->work, of->rows[i]) : beyond_own(of->work, of->rows[i]);
    }
    share_out(of, count, lend ? of->levels[family].lend : of->levels[family].borrow);
    for (int32_t i = 0; i < count; i++) {
        level *below = &of->levels[allot__family_of(of->work, of->rows[i])];
        if (below != of->levels)
            *(lend ? &below->lend : &below->borrow) += of->part[i];
        else
            (lend ? of->out->lent : of->out->borrowed)[of->rows[i]] = (int32_t)of->part[i];
    }
}

/* ---- What is planned ------------------------------------------------------------------------- */

/* Needs as if every leaf demanded all that its limit allows. */
static void need_all(const allot__work *work, int32_t *need)
{
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        int32_t first = allot__family_first(work, family);
        int64_t sum = 0;
        for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
            int64_t wants = allot__family_of(work, row) != 0 ? need[row] : work->slots;
            wants = wants < work->limit[row] ? wants : work->limit[row];
            wants = wants > work->reserve[row] ? wants : work->reserve[row];
            need[row] = (int32_t)wants;
            sum += wants;
        }
        if (family > 0) {
            int32_t cut = sum > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : (int32_t)sum;
            need[work->group->parent[family]] = cut;
        }
    }
}

static int plan_quota(allot__work *work, allot__monitor *out)
{
    size_t rows = (size_t)work->tree->rows + 1;
    size_t places = (size_t)work->tree->families + (size_t)work->rules_count;
    allot__work busy = *work;
    if (ALLOT__TAKE_ALL(work->arena, ALLOT__EACH(rows, busy.need, busy.quota),
                        ALLOT__EACH(places, busy.critical, busy.divided)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    busy.widest = work->tree->widest;
    busy.planned_part = NULL;
    busy.held_part = NULL;
    busy.divided = work->divided ? busy.divided : NULL;
    need_all(work, busy.need);
    out->planned = busy.quota;
    int status = allot__ledger_plan(&busy);
    return status == ALLOT_OK ? allot__quota(&busy) : status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

void allot__monitor_row(const allot__work *work, const allot__monitor *monitor, int32_t row,
                        allot__watched *out)
{
    int32_t family = allot__family_of(work, row);
    if (family != 0) {
        *out = monitor->sums[family];
        return;
    }
    *out = (allot__watched){.own_used = own_used(work, row),
                            .lent = monitor->lent[row],
                            .borrowed = monitor->borrowed[row],
                            .planned = monitor->planned[row]};
    const allot__held *told = allot__ledger_held(work, row);
    if (told) {
        out->lent = told->out;
        out->borrowed = told->in;
    }
    out->shared = held(work, row) - out->own_used - out->borrowed;
}

static void sum_up(const allot__work *work, allot__monitor *out)
{
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        allot__watched *sums = &out->sums[family];
        int32_t first = allot__family_first(work, family);
        *sums = (allot__watched){0};
        for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
            allot__watched one;
            allot__monitor_row(work, out, row, &one);
            sums->own_used += one.own_used;
            sums->lent += one.lent;
            sums->borrowed += one.borrowed;
            sums->shared += one.shared;
            sums->planned += one.planned;
        }
    }
}

static int take_room(watch *of)
{
    const allot__work *work = of->work;
    size_t rows = (size_t)work->tree->rows + 1, widest = (size_t)work->tree->widest + 1;
    size_t families = (size_t)work->tree->families;
    return ALLOT__TAKE_ALL(work->arena, ALLOT__EACH(rows, of->out->lent, of->out->borrowed),
                           ALLOT__EACH(families, of->out->sums, of->levels),
                           ALLOT__EACH(widest, of->have, of->part, of->rows));
}

int allot__monitor_make(allot__work *work, allot__monitor *out)
{
    watch of = {.work = work, .out = out};
    *out = (allot__monitor){.sums = NULL};
    if (take_room(&of) != ALLOT_OK)
        return ALLOT_ENOMEM;
    match_up(&of);
    for (int32_t family = 0; family < work->tree->families; family++) {
        pass_down(&of, family, true);
        pass_down(&of, family, false);
    }
    int status = plan_quota(work, out);
    if (status == ALLOT_OK)
        sum_up(work, out);
    return status;
}

/* ---- Free slots ------------------------------------------------------------------------------ */

static bool anybody_wants(const allot__work *work)
{
    for (int32_t row = 0; row < work->tree->rows; row++)
        if (allot__family_of(work, row) == 0 && work->demand[row] > work->allocated[row])
            return true;
    return false;
}

static void by_reserve(const allot__work *work, int32_t *out)
{
    for (int32_t row = 0; row < work->tree->rows; row++) {
        int32_t spare = work->reserve[row] - work->allocated[row];
        out[row] = spare > 0 ? spare : 0;
    }
    for (int32_t family = work->tree->families - 1; family > 0; family--) {
        int32_t parent = work->group->parent[family];
        int64_t spare = work->reserve[parent] - work->sums[family].allocated;
        int64_t sum = 0;
        for (int32_t i = 0; i < allot__family_size(work, family); i++)
            sum += out[allot__family_first(work, family) + i];
        spare = spare > sum ? spare : sum;
        out[parent] = spare > 0 ? (int32_t)spare : 0;
    }
}

/* Divides slots in one family; the arrays of `rows` fit the widest. */
static void split_family(const allot__work *work, int32_t family, int64_t slots, allot__pour *rows,
                         int32_t *out)
{
    int32_t first = allot__family_first(work, family);
    size_t count = (size_t)allot__family_size(work, family);
    rows->count = (int32_t)count;
    rows->left = slots;
    rows->left_part = 0;
    rows->weight = work->configured + first;
    allot__pour_aims(rows);
    if (!allot__pour_exact(rows)) { /* no consumer owns anything, or nothing is idle */
        memset(out + first, 0, count * sizeof *out);
        return;
    }
    allot__shares shares = {.count = rows->count,
                            .whole = slots,
                            .floor = rows->floor,
                            .rest = rows->rest,
                            .quota = out + first};
    allot__round(ALLOT_ROUND_RANK, &shares);
}

static int by_ownership(allot__work *work, int32_t *out)
{
    size_t widest = (size_t)work->tree->widest + 1;
    int32_t *room = allot__arena_take(work->arena, 5 * widest, sizeof *room);
    if (!room)
        return ALLOT_ENOMEM;
    allot__pour rows = {.unit = 1,
                        .level = room,
                        .aim = room + widest,
                        .floor = room + 2 * widest,
                        .rest = room + 3 * widest,
                        .need = room + 4 * widest,
                        .cap = room + 4 * widest};
    memset(room, 0, widest * sizeof *room);
    /* No row can reach this aim, so every fill with an owner is critical. */
    for (size_t i = 0; i < widest; i++)
        room[4 * widest + i] = ALLOT_AMOUNT_MAX + 1;
    for (int32_t family = 0; family < work->tree->families; family++) {
        int64_t slots = family == 0 ? work->idle : out[work->group->parent[family]];
        split_family(work, family, slots, &rows, out);
    }
    return ALLOT_OK;
}

int allot__free_slots(allot__work *work, int32_t **out)
{
    int32_t *free_slots =
        allot__arena_take(work->arena, (size_t)work->tree->rows + 1, sizeof *free_slots);
    if (!free_slots)
        return ALLOT_ENOMEM;
    *out = free_slots;
    if (!anybody_wants(work))
        return by_ownership(work, free_slots);
    by_reserve(work, free_slots);
    return ALLOT_OK;
}
