/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rack_empty.c: hosts that exclusive consumers are to have: empty ones, or those that others leave.
 */
#include "engine/rack.h"

typedef struct emptier {
    allot__work *work;
    allot__rack *rack;
    int64_t *want; /* by row of an exclusive consumer: slots beyond its own hosts */
    int64_t waste;
} emptier;

/* What quotas ask for beyond the free slots of its own hosts. */
static bool count_wants(emptier *it)
{
    allot__work *work = it->work;
    allot__rack *rack = it->rack;
    bool some = false;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        it->want[row] = 0;
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        int32_t unit = rack->unit[row];
        int64_t lack = (int64_t)work->quota[row] - work->allocated[row];
        if (unit != ALLOT_ROOT && lack > 0 && allot__family_of(work, row) == 0) {
            it->want[allot__row(work->plan, work->index, unit)] += lack;
        }
    }
    for (int32_t host = 0; host < rack->count; host++) {
        if (rack->owner[host] >= 0) {
            it->want[allot__row(work->plan, work->index, rack->owner[host])] -= rack->free[host];
        }
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        some = some || it->want[row] > 0;
    }
    return some;
}

/* Can the host be the unit's, once nobody else is there? */
static bool suits(const emptier *it, int32_t row, int32_t host)
{
    const allot__rack *rack = it->rack;
    return allot__rack_common(rack, host) && rack->slots[host] > 0 &&
           (rack->asks == NULL || rack->asks[row] < 0 ||
            rack->requirements[rack->asks[row]].met[host]);
}

/* The host that has fewest slots to be left, of several the first; -1: none suits. */
static int32_t next_host(const emptier *it, int32_t row)
{
    const allot__rack *rack = it->rack;
    int32_t best = -1, least = 0;
    for (int32_t host = 0; host < rack->count; host++) {
        int32_t used = rack->slots[host] - rack->free[host];
        if (suits(it, row, host) && (best < 0 || used < least)) {
            best = host;
            least = used;
        }
    }
    return best;
}

static void find_hosts(emptier *it, int32_t row)
{
    allot__rack *rack = it->rack;
    while (it->want[row] > 0) {
        int32_t host = next_host(it, row);
        if (host < 0) {
            return;
        }
        rack->meant[host] = rack->unit[row];
        it->want[row] -= rack->slots[host];
    }
    it->waste -= it->want[row];
}

int allot__rack_empty(allot__work *work, bool *again)
{
    allot__rack *rack = work->rack;
    *again = false;
    if (rack == NULL || rack->unit == NULL || rack->unknown > 0) {
        return ALLOT_OK; /* which hosts are empty is not known */
    }
    size_t rows = (size_t)work->tree->rows, count = (size_t)rack->count;
    emptier it = {.work = work, .rack = rack};
    it.want = allot__arena_take(work->arena, rows, sizeof *it.want);
    int32_t *meant = allot__arena_take(work->arena, count, sizeof *meant);
    if (it.want == NULL || meant == NULL) {
        return ALLOT_ENOMEM;
    }
    if (!count_wants(&it)) {
        return ALLOT_OK;
    }
    for (size_t host = 0; host < count; host++) {
        meant[host] = ALLOT_ROOT;
    }
    rack->meant = meant;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        if (it.want[row] > 0) {
            find_hosts(&it, row);
        }
    }
    it.waste = it.waste < work->slots ? it.waste : work->slots;
    *again = it.waste > 0;
    rack->blocked += it.waste;
    allot__work_resize(work, work->slots - it.waste);
    return ALLOT_OK;
}
