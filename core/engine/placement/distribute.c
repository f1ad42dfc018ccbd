/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* distribute.c: two sweeps down the families; the second only when the first left slots. */
#include "engine/placement/place.h"

#include <string.h>

#include "base/least.h"
#include "engine/rows/flight.h"
#include "engine/ownership/ledger.h"
#include "engine/rows/order.h"

typedef struct pass {
    allot__work *work;
    bool natural; /* rows stand in the order of distribution, in every family */
    allot__sorter sorter;
    int32_t *order;
    bool plain;    /* leaves take up to their quotas, without other bounds */
    int64_t *room; /* first pass, by family: what it can place; NULL: all that it is passed */
    int64_t *lack; /* second pass, by family: what its leaves could still take */
} pass;

static int begin(pass *pass)
{
    allot__work *work = pass->work;
    int status = ALLOT_OK;
    pass->natural = true;
    for (int32_t i = 0; i < work->rules_count && status == ALLOT_OK; i++) {
        const allot__order *order = &work->rules[i].policy->distribute;
        pass->natural = pass->natural && allot__order_natural(order);
        status = allot__order_prepare(work, &work->rules[i], order);
    }
    if (status != ALLOT_OK || pass->natural)
        return status;
    pass->order = allot__arena_take(work->arena, (size_t)work->tree->widest + 1, sizeof(int32_t));
    return pass->order ? allot__sorter_init(work, &pass->sorter) : ALLOT_ENOMEM;
}

/* The i-th member to be served of the family whose rows begin at `first`. */
static int32_t member(const pass *pass, int32_t first, int32_t i)
{
    return pass->natural ? first + i : pass->order[i];
}

static void sort_family(pass *pass, int32_t family)
{
    if (!pass->natural) {
        allot__work *work = pass->work;
        const allot__rules *rules = allot__rules_of(work, family);
        allot__order_sort(work, rules, &rules->policy->distribute, &pass->sorter,
                          allot__family_first(work, family), allot__family_size(work, family),
                          pass->order);
    }
}

static int64_t allocated(const allot__work *work, int32_t row)
{
    int32_t family = allot__family_of(work, row);
    return family == 0 ? work->allocated[row] : work->sums[family].allocated;
}

/* Slots that came back for a row (rows/flight.h). */
static int64_t returned(const allot__work *work, int32_t row)
{
    return work->returned ? work->returned[row] : 0;
}

/* Gives claimants slots that came back before others get any; returns the idle slots left. */
static int64_t take_returned(allot__work *work)
{
    int64_t idle = work->idle;
    memcpy(work->received, work->returned, (size_t)work->tree->rows * sizeof *work->received);
    for (int32_t row = 0; row < work->tree->first[1]; row++)
        idle -= work->returned[row];
    return idle;
}

/* What a row may take in the first pass: no more than it can place, where that is known. */
static int64_t first_part(const pass *pass, int32_t row)
{
    const allot__work *work = pass->work;
    int32_t below = allot__family_of(work, row);
    if (allot__ledger_at(work, row))
        return 0; /* the ledger has decided already */
    int64_t part = allot__most(0, work->quota[row] - allocated(work, row) - returned(work, row));
    if (work->room && below == 0)
        return allot__least(part, work->room[row] - returned(work, row));
    return pass->room != NULL && below != 0 ? allot__least(part, pass->room[below]) : part;
}

/* First pass for a family of leaves when `plain`. */
static int64_t first_leaves(allot__work *work, int32_t first, int32_t count, int64_t left)
{
    const int32_t *restrict quota = work->quota + first;
    const int32_t *restrict held = work->allocated + first;
    int32_t *restrict received = work->received + first;
    for (int32_t i = 0; i < count && left > 0; i++) {
        int64_t part = allot__least(allot__most(0, (int64_t)quota[i] - held[i]), left);
        received[i] = (int32_t)part;
        left -= part;
    }
    return left;
}

/* Members take up to their quotas; the rest of a parent's part goes to the last member. */
static int64_t first_family(pass *pass, int32_t family, int64_t left)
{
    allot__work *work = pass->work;
    int32_t first = allot__family_first(work, family);
    int32_t count = allot__family_size(work, family);
    if (pass->plain && work->tree->inner[family] == 0)
        return first_leaves(work, first, count, left);
    sort_family(pass, family);
    for (int32_t i = 0; i < count && left > 0; i++) {
        int32_t row = member(pass, first, i);
        int64_t part = allot__least(first_part(pass, row), left);
        work->received[row] += (int32_t)part;
        left -= part;
    }
    return left;
}

/* False when a parent was passed more than it can place, which it then has to return. */
static bool first_sweep(pass *pass)
{
    allot__work *work = pass->work;
    int64_t idle = work->idle;
    if (!work->returned)
        memset(work->received, 0, (size_t)work->tree->rows * sizeof *work->received);
    else
        idle = take_returned(work);
    if (work->ledger)
        idle -= allot__ledger_received(work);
    work->idle_left = first_family(pass, 0, idle);
    for (int32_t family = 1; family < work->tree->families; family++) {
        int32_t parent = work->group->parent[family];
        int64_t part = work->received[parent] - returned(work, parent);
        part = allot__ledger_family(work, family) ? 0 : part;
        int64_t rest = part > 0 ? first_family(pass, family, part) : 0;
        if (rest > 0 && rest > allot__spare_quota(work, family))
            return false;
        work->spare[family] = (int32_t)rest;
    }
    return true;
}

/* Bottom-up, what each family can place. */
static int count_room(pass *pass)
{
    allot__work *work = pass->work;
    pass->plain = false;
    pass->room = allot__arena_take(work->arena, (size_t)work->tree->families, sizeof(int64_t));
    if (!pass->room)
        return ALLOT_ENOMEM;
    for (int32_t family = work->tree->families - 1; family > 0; family--) {
        int32_t first = allot__family_first(work, family);
        pass->room[family] = allot__spare_quota(work, family);
        for (int32_t i = 0; i < allot__family_size(work, family); i++)
            pass->room[family] += first_part(pass, first + i);
    }
    return ALLOT_OK;
}

/* Most policies pass on all that a parent has; only else is what it can place counted. */
static int first_pass(pass *pass)
{
    int status = ALLOT_OK;
    if (!first_sweep(pass)) {
        status = count_room(pass);
        if (status == ALLOT_OK)
            first_sweep(pass);
    }
    return status;
}

/* Slots that a row could still take: a leaf up to its quota, a parent the sum of its leaves, within
 * its limit. */
static int64_t lacks(const pass *pass, int32_t row)
{
    const allot__work *work = pass->work;
    int32_t family = allot__family_of(work, row);
    if (allot__ledger_at(work, row))
        return 0;
    int64_t holds = allocated(work, row) + work->received[row];
    if (family == 0) {
        int64_t lack = allot__most(0, work->quota[row] - holds);
        return work->room ? allot__least(lack, work->room[row] - work->received[row]) : lack;
    }
    if (work->limit[row] == ALLOT_NONE)
        return pass->lack[family];
    return allot__least(pass->lack[family], allot__most(0, work->limit[row] - holds));
}

static void count_lacks(pass *pass)
{
    allot__work *work = pass->work;
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        int32_t first = allot__family_first(work, family);
        int64_t sum = 0;
        for (int32_t i = 0; i < allot__family_size(work, family); i++)
            sum += lacks(pass, first + i);
        if (family > 0)
            sum += allot__spare_quota(work, family) - work->spare[family];
        pass->lack[family] = sum;
    }
}

/* Turns `lack` of families below into the slots passed to them: parents come first. */
static void second_family(pass *pass, int32_t family, int64_t left)
{
    allot__work *work = pass->work;
    int32_t first = allot__family_first(work, family);
    sort_family(pass, family);
    for (int32_t i = 0; i < allot__family_size(work, family); i++) {
        int32_t row = member(pass, first, i);
        int64_t part = allot__least(lacks(pass, row), left);
        int32_t below = allot__family_of(work, row);
        work->received[row] += (int32_t)part;
        left -= part;
        if (below != 0)
            pass->lack[below] = part;
    }
    work->spare[family] += (int32_t)left; /* nothing at the root, where there is no such member */
}

static int second_pass(pass *pass)
{
    allot__work *work = pass->work;
    pass->lack = allot__arena_take(work->arena, (size_t)work->tree->families, sizeof(int64_t));
    if (!pass->lack)
        return ALLOT_ENOMEM;
    count_lacks(pass);
    int64_t placed = allot__least(pass->lack[0], work->idle_left);
    pass->lack[0] = placed;
    work->idle_left -= placed;
    for (int32_t family = 0; placed > 0 && family < work->tree->families; family++) {
        /* Also where nothing is passed on: families below must learn it. */
        if (pass->lack[family] > 0 || work->tree->inner[family] > 0)
            second_family(pass, family, pass->lack[family]);
    }
    return ALLOT_OK;
}

int allot__distribute(allot__work *work)
{
    pass pass = {.work = work};
    work->idle = allot__most(0, work->slots - work->sums[0].allocated);
    if (work->ledger)
        allot__ledger_returned(work);
    allot__flights_returned(work);
    int status = begin(&pass);
    pass.plain = pass.natural && !work->ledger && !work->returned && !work->room;
    if (status != ALLOT_OK)
        return status;
    status = first_pass(&pass);
    if (status == ALLOT_OK && work->idle_left > 0)
        status = second_pass(&pass);
    for (int32_t family = 1; family < work->tree->families; family++)
        work->sums[family].received = work->received[work->group->parent[family]];
    work->sums[0].received = work->idle - work->idle_left;
    return status;
}
