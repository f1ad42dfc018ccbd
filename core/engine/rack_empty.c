/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rack_empty.c: hosts that exclusive consumers are to have: empty ones, or those that others leave.
 */
#include "engine/rack.h"

typedef struct emptier {
    allot__work *work;
    allot__rack *rack;
    int64_t *want; /* by row of an exclusive consumer: slots beyond its own hosts */
    int32_t hosts; /* that the consumer at hand still wants */
} emptier;

/* What quotas ask for beyond the slots of its own hosts: those that one leaf has too many are free
 * for another. */
static void count_wants(emptier *it)
{
    allot__work *work = it->work;
    allot__rack *rack = it->rack;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        it->want[row] = 0;
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        int32_t unit = rack->unit[row];
        if (unit != ALLOT_ROOT && allot__family_of(work, row) == 0) {
            int64_t lack = (int64_t)work->quota[row] - work->allocated[row];
            it->want[allot__row(work->plan, work->index, unit)] += lack;
        }
    }
    for (int32_t host = 0; host < rack->count; host++) {
        int32_t row =
            rack->owner[host] >= 0 ? allot__row(work->plan, work->index, rack->owner[host]) : -1;
        if (row >= 0 && allot__rack_meets(rack, row, host)) {
            it->want[row] -= rack->free[host];
        }
    }
}

/* Can the host be the unit's, once nobody else is there? */
static bool suits(const emptier *it, int32_t row, int32_t host)
{
    const allot__rack *rack = it->rack;
    return allot__rack_common(rack, host) && rack->slots[host] > 0 &&
           allot__rack_meets(rack, row, host);
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

static void choose(emptier *it, int32_t row, int32_t host)
{
    allot__rack *rack = it->rack;
    rack->meant[host] = rack->unit[row];
    rack->chosen[rack->chosen_count++] = host;
    it->want[row] -= rack->slots[host];
}

static void find_hosts(emptier *it, int32_t row)
{
    allot__rack *rack = it->rack;
    int32_t left = rack->most[row];
    for (int32_t host = 0; host < rack->count && it->want[row] > 0 && left > 0; host++) {
        if (rack->free[host] == rack->slots[host] && suits(it, row, host)) {
            choose(it, row, host);
            left--;
        }
    }
    for (; it->want[row] > 0 && left > 0; left--) {
        int32_t host = next_host(it, row);
        if (host < 0) {
            break;
        }
        choose(it, row, host);
    }
    rack->waste -= it->want[row] < 0 ? it->want[row] : 0;
}

/* Finds hosts for all who want some. */
static void find_all(emptier *it)
{
    allot__rack *rack = it->rack;
    rack->chosen_count = 0;
    for (int32_t host = 0; host < rack->count; host++) {
        rack->meant[host] = ALLOT_ROOT;
    }
    for (int32_t row = 0; row < it->work->tree->rows; row++) {
        if (it->want[row] > 0) {
            find_hosts(it, row);
        }
    }
    rack->waste = rack->waste < it->work->slots ? rack->waste : it->work->slots;
    rack->blocked += rack->waste;
    allot__work_resize(it->work, it->work->slots - rack->waste);
}

/* Whoever wants fewer hosts, once there is less to divide, is not to have more; is there anybody?
 */
static bool cut_hosts(emptier *it)
{
    allot__rack *rack = it->rack;
    bool some = false;
    for (int32_t i = 0; i < rack->chosen_count; i++) {
        int32_t host = rack->chosen[i];
        int32_t row = allot__row(it->work->plan, it->work->index, rack->meant[host]);
        if (i == 0 || rack->meant[rack->chosen[i - 1]] != rack->meant[host]) {
            it->hosts = 0; /* a consumer's hosts were chosen one after another */
        }
        if (it->want[row] > 0) {
            it->hosts++;
            it->want[row] -= rack->slots[host];
        } else if (it->hosts < rack->most[row]) {
            rack->most[row] = it->hosts;
            some = true;
        }
    }
    return some;
}

static int take_columns(allot__work *work, allot__rack *rack)
{
    size_t rows = (size_t)work->tree->rows, count = (size_t)rack->count;
    rack->meant = allot__arena_take(work->arena, count, sizeof *rack->meant);
    rack->chosen = allot__arena_take(work->arena, count, sizeof *rack->chosen);
    rack->most = allot__arena_take(work->arena, rows, sizeof *rack->most);
    if (rack->meant == NULL || rack->chosen == NULL || rack->most == NULL) {
        return ALLOT_ENOMEM;
    }
    for (size_t row = 0; row < rows; row++) {
        rack->most[row] = INT32_MAX;
    }
    return ALLOT_OK;
}

int allot__rack_empty(allot__work *work, bool *again)
{
    allot__rack *rack = work->rack;
    *again = false;
    if (rack->unit == NULL || rack->unknown > 0) {
        return ALLOT_OK; /* which hosts are empty is not known */
    }
    emptier it = {.work = work, .rack = rack};
    it.want = allot__arena_take(work->arena, (size_t)work->tree->rows, sizeof *it.want);
    bool first = rack->waste == 0;
    int status = it.want == NULL       ? ALLOT_ENOMEM
                 : rack->meant == NULL ? take_columns(work, rack)
                                       : ALLOT_OK;
    if (status != ALLOT_OK) {
        return status;
    }
    count_wants(&it);
    if (first) {
        find_all(&it);
        *again = rack->waste > 0;
    } else if (cut_hosts(&it)) {
        allot__work_resize(work, work->slots + rack->waste);
        rack->blocked -= rack->waste;
        rack->waste = 0;
        *again = true;
    }
    return ALLOT_OK;
}
