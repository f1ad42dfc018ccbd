/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rack_empty.c: hosts that exclusive consumers are to have: empty ones, or those that others leave.
 */
#include <string.h>

#include "engine/order.h"
#include "engine/rack.h"

/* So often hosts that others cannot leave are passed by for others; then no more are asked for. */
enum { ROUNDS_MOST = 16 };

typedef struct emptier {
    allot__work *work;
    allot__rack *rack;
    int64_t *want;             /* by row of an exclusive consumer: slots beyond its own hosts */
    bool *stuck;               /* by host: others cannot leave it */
    int64_t *place;            /* by host: where it stands among those that are chosen, */
    int64_t *there;            /* ... and slots of the leaf at hand, */
    int32_t *hosts_of, *other; /* ... which has some on these */
    bool *lacks;               /* by requirement: somebody lacks slots on such hosts */
    int32_t hosts;             /* that the consumer at hand still wants */
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
    return allot__rack_common(rack, host) && rack->slots[host] > 0 && !rack->barred[host] &&
           allot__rack_meets(rack, row, host);
}

/* How well a host suits; what comes first decides. */
typedef struct fitness {
    bool needed;       /* somebody else who lacks slots requires such hosts */
    int32_t important; /* the most important session there: all count as that (5.5); -1: none */
    int64_t used;      /* slots that others are to leave */
    int64_t beyond;    /* slots that would be too much */
} fitness;

static fitness fitness_of(const emptier *it, int32_t row, int32_t host)
{
    const allot__rack *rack = it->rack;
    fitness fit = {.important = allot__rack_important(it->work, host),
                   .used = rack->slots[host] - rack->free[host]};
    fit.beyond = rack->slots[host] > it->want[row] ? rack->slots[host] - it->want[row] : 0;
    for (int32_t i = 0; i < rack->requirement_count; i++) {
        fit.needed = fit.needed || (it->lacks[i] && rack->requirements[i].met[host] != 0);
    }
    return fit;
}

static bool better(fitness a, fitness b)
{
    return a.needed != b.needed         ? b.needed
           : a.important != b.important ? a.important < b.important
           : a.used != b.used           ? a.used < b.used
                                        : a.beyond < b.beyond;
}

/* The host that suits best, of several the first; -1: none does. */
static int32_t next_host(const emptier *it, int32_t row)
{
    int32_t best = -1;
    fitness most = {0};
    for (int32_t host = 0; host < it->rack->count; host++) {
        if (suits(it, row, host)) {
            fitness fit = fitness_of(it, row, host);
            if (best < 0 || better(fit, most)) {
                best = host;
                most = fit;
            }
        }
    }
    return best;
}

/* Which requirements somebody has who lacks slots, and is not exclusive. */
static void find_lacks(emptier *it)
{
    const allot__work *work = it->work;
    const allot__rack *rack = it->rack;
    memset(it->lacks, 0, ((size_t)rack->requirement_count + 1) * sizeof *it->lacks);
    for (int32_t row = 0; row < work->tree->rows && rack->asks != NULL; row++) {
        if (rack->asks[row] >= 0 && rack->unit[row] == ALLOT_ROOT &&
            allot__family_of(work, row) == 0 && work->quota[row] > work->allocated[row]) {
            it->lacks[rack->asks[row]] = true;
        }
    }
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
    find_lacks(it);
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

/* What a leaf gives by itself: what it is over, and what is on its way back. */
static int64_t gives(const allot__work *work, int32_t row)
{
    int64_t going = work->in_flight != NULL ? work->in_flight[row] : 0;
    int64_t over = work->allocated[row] - going - work->quota[row];
    return going + (over > 0 ? over : 0);
}

/* Marks the hosts that a leaf cannot leave, since it is not over so many slots: of those that it is
 * to leave it leaves the first. */
static void find_stuck_of(emptier *it, int32_t row)
{
    const allot__work *work = it->work;
    const allot__rack *rack = it->rack;
    const allot__units *units = &work->state->tasks.units[work->index];
    int32_t leaf = allot__handle(work, row), count = 0;
    int64_t left = gives(work, row);
    for (int32_t i = units->count > 0 ? units->first[leaf] : 0;
         units->count > 0 && i < units->first[leaf + 1]; i++) {
        int32_t host = units->site[i] >= 0 ? rack->host_of[units->site[i]] : -1;
        if (host >= 0 && rack->meant[host] != ALLOT_ROOT) {
            it->hosts_of[count] = host;
            count += it->there[host] == 0;
            it->there[host] += units->slots[i];
        }
    }
    allot__sort_rows(it->hosts_of, it->other, it->place, 0, count);
    for (int32_t i = 0; i < count; i++) {
        int64_t *there = &it->there[it->hosts_of[i]];
        bool leaves = *there <= left;
        it->stuck[it->hosts_of[i]] |= !leaves;
        left -= leaves ? *there : 0;
        *there = 0;
    }
}

static void find_stuck(emptier *it)
{
    const allot__work *work = it->work;
    const allot__rack *rack = it->rack;
    for (int32_t host = 0; host < rack->count; host++) {
        it->stuck[host] = false;
        it->there[host] = 0;
    }
    for (int32_t i = 0; i < rack->chosen_count; i++) {
        it->place[rack->chosen[i]] = i;
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        if (allot__family_of(work, row) == 0 && work->allocated[row] > 0) {
            find_stuck_of(it, row);
        }
    }
}

/* Passes by the chosen hosts that others cannot leave; are there any? */
static bool bar_stuck(emptier *it)
{
    allot__rack *rack = it->rack;
    bool some = false;
    for (int32_t i = 0; i < rack->chosen_count && rack->rounds < ROUNDS_MOST; i++) {
        rack->barred[rack->chosen[i]] |= it->stuck[rack->chosen[i]];
        some = some || it->stuck[rack->chosen[i]];
    }
    rack->rounds += some;
    return some;
}

/* Whoever wants fewer hosts, once there is less to divide, is not to have more, nor one that others
 * cannot leave; is there anybody? */
static bool cut_hosts(emptier *it)
{
    allot__rack *rack = it->rack;
    find_stuck(it);
    bool some = bar_stuck(it);
    for (int32_t i = 0; i < rack->chosen_count; i++) {
        int32_t host = rack->chosen[i];
        int32_t row = allot__row(it->work->plan, it->work->index, rack->meant[host]);
        if (i == 0 || rack->meant[rack->chosen[i - 1]] != rack->meant[host]) {
            it->hosts = 0; /* a consumer's hosts were chosen one after another */
        }
        if (rack->barred[host]) {
            continue;
        }
        if (it->stuck[host]) {
            it->want[row] = 0;
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
    rack->barred = allot__arena_take(work->arena, count, 1);
    if (rack->meant == NULL || rack->chosen == NULL || rack->most == NULL || rack->barred == NULL) {
        return ALLOT_ENOMEM;
    }
    memset(rack->barred, 0, count);
    for (size_t row = 0; row < rows; row++) {
        rack->most[row] = INT32_MAX;
    }
    return ALLOT_OK;
}

static bool take_room(emptier *it)
{
    allot__arena *arena = it->work->arena;
    size_t hosts = (size_t)it->rack->count, asked = (size_t)it->rack->requirement_count + 1;
    it->want = allot__arena_take(arena, (size_t)it->work->tree->rows, sizeof *it->want);
    it->lacks = allot__arena_take(arena, asked, sizeof *it->lacks);
    it->stuck = allot__arena_take(arena, hosts, sizeof *it->stuck);
    it->place = allot__arena_take(arena, hosts, sizeof *it->place);
    it->there = allot__arena_take(arena, hosts, sizeof *it->there);
    it->hosts_of = allot__arena_take(arena, hosts + 1, sizeof *it->hosts_of);
    it->other = allot__arena_take(arena, hosts + 1, sizeof *it->other);
    return it->want != NULL && it->lacks != NULL && it->stuck != NULL && it->place != NULL &&
           it->there != NULL && it->hosts_of != NULL && it->other != NULL;
}

int allot__rack_empty(allot__work *work, bool *again)
{
    allot__rack *rack = work->rack;
    *again = false;
    if (rack->unit == NULL || rack->unknown > 0) {
        return ALLOT_OK; /* which hosts are empty is not known */
    }
    emptier it = {.work = work, .rack = rack};
    bool first = !rack->searched;
    int status = !take_room(&it)       ? ALLOT_ENOMEM
                 : rack->meant == NULL ? take_columns(work, rack)
                                       : ALLOT_OK;
    if (status != ALLOT_OK) {
        return status;
    }
    count_wants(&it);
    if (first) {
        find_all(&it);
        rack->searched = *again = rack->chosen_count > 0;
    } else if (cut_hosts(&it)) {
        allot__work_resize(work, work->slots + rack->waste);
        rack->blocked -= rack->waste;
        rack->waste = 0;
        rack->searched = false;
        *again = true;
    }
    return ALLOT_OK;
}
