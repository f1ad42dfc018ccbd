/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rack_empty.c: hosts that exclusive consumers are to have: empty ones, or those that others leave.
 */
#include <string.h>

#include "engine/order.h"
#include "engine/rack_shelf.h"

/* So often hosts that others cannot leave are passed by for others; then no more are asked for. */
enum { NONE = -1, ROUNDS_MOST = 16 };

typedef struct emptier {
    allot__work *work;
    allot__rack *rack;
    allot__match *match;
    int64_t *want;             /* by class of an exclusive consumer: slots beyond its own hosts */
    int64_t *surplus;          /* by row of such a consumer: what its leaves are over */
    bool *stuck;               /* by host: others cannot leave it */
    int64_t *place;            /* by host: where it stands among those that are chosen, */
    int64_t *there;            /* ... and slots of the leaf at hand, */
    int32_t *hosts_of, *other; /* ... which has some on these */
    bool *lacks;               /* by requirement: somebody lacks slots on such hosts */
    allot__shelves shelves;
    int32_t *leaf;  /* by class: the first of its leaves' rows, or NONE */
    int32_t *order; /* classes of exclusive consumers, these one after another; so many: */
    int32_t count;
} emptier;

static int32_t unit_row(const emptier *it, int32_t row)
{
    return allot__row(it->work->plan, it->work->index, it->rack->unit[row]);
}

/* What quotas ask for beyond the slots of its own hosts: those that one leaf has too many are free
 * for another. */
static void count_wants(emptier *it)
{
    allot__work *work = it->work;
    allot__match *match = it->match;
    memset(it->want, 0, (size_t)match->classes * sizeof *it->want);
    memset(it->surplus, 0, (size_t)work->tree->rows * sizeof *it->surplus);
    for (int32_t row = 0; row < work->tree->rows; row++) {
        if (allot__family_of(work, row) == 0 && it->rack->unit[row] != ALLOT_ROOT) {
            int64_t lack = (int64_t)work->quota[row] - work->allocated[row];
            it->want[match->class_of[row]] += lack > 0 ? lack : 0;
            it->surplus[unit_row(it, row)] += lack < 0 ? -lack : 0;
        }
    }
    allot__match_reset(match);
    for (int32_t i = 0; i < it->count; i++) {
        int32_t class = it->order[i];
        if (it->want[class] > 0) {
            int64_t *surplus = &it->surplus[unit_row(it, it->leaf[class])];
            it->want[class] -= allot__match_push(match, class, it->want[class]);
            int64_t part = *surplus < it->want[class] ? *surplus : it->want[class];
            it->want[class] -= part;
            *surplus -= part;
        }
    }
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

static void choose(emptier *it, int32_t class, int32_t host)
{
    allot__rack *rack = it->rack;
    rack->meant[host] = rack->unit[it->leaf[class]];
    rack->chosen_for[rack->chosen_count] = class;
    rack->chosen[rack->chosen_count++] = host;
    it->want[class] -= rack->slots[host];
}

/* Gives back what the hosts chosen last made more than enough: the last first. */
static void spare(emptier *it, int32_t class, int32_t first)
{
    allot__rack *rack = it->rack;
    int32_t kept = rack->chosen_count;
    for (int32_t i = rack->chosen_count - 1; i >= first; i--) {
        int32_t host = rack->chosen[i];
        if (it->want[class] + rack->slots[host] <= 0) {
            it->want[class] += rack->slots[host];
            rack->meant[host] = ALLOT_ROOT;
            allot__shelves_put(&it->shelves, host);
            rack->chosen[i] = NONE;
        }
    }
    rack->chosen_count = first;
    for (int32_t i = first; i < kept; i++) {
        if (rack->chosen[i] != NONE) {
            rack->chosen_for[rack->chosen_count] = class;
            rack->chosen[rack->chosen_count++] = rack->chosen[i];
        }
    }
}

/* What is too much of the hosts chosen from number `first` on is for others of the same consumer.
 */
static void pass_on(emptier *it, int32_t class, int32_t first)
{
    const allot__rack *rack = it->rack;
    int32_t unit = rack->unit[it->leaf[class]];
    for (int32_t i = 0; i < it->count && it->want[class] < 0; i++) {
        int32_t other = it->order[i];
        bool met = false;
        if (it->want[other] <= 0 || rack->unit[it->leaf[other]] != unit) {
            continue;
        }
        for (int32_t k = first; k < rack->chosen_count; k++) {
            met = met || allot__rack_meets(rack, it->leaf[other], rack->chosen[k]);
        }
        int64_t part = -it->want[class] < it->want[other] ? -it->want[class] : it->want[other];
        it->want[other] -= met ? part : 0;
        it->want[class] += met ? part : 0;
    }
}

static void find_hosts(emptier *it, int32_t class)
{
    allot__rack *rack = it->rack;
    int32_t first = rack->chosen_count, row = it->leaf[class];
    while (it->want[class] > 0 && rack->chosen_count - first < rack->most[class]) {
        int32_t host = allot__shelves_take(&it->shelves, rack, row, it->want[class]);
        if (host < 0) {
            break;
        }
        choose(it, class, host);
    }
    spare(it, class, first);
    if (rack->asks != NULL) {
        pass_on(it, class, first);
    }
    rack->waste -= it->want[class] < 0 ? it->want[class] : 0;
}

/* Finds hosts for all who want some: consumer after consumer. */
static void find_all(emptier *it)
{
    allot__rack *rack = it->rack;
    rack->chosen_count = 0;
    find_lacks(it);
    for (int32_t host = 0; host < rack->count; host++) {
        rack->meant[host] = ALLOT_ROOT;
    }
    allot__shelves_fill(&it->shelves, it->work, it->match, it->lacks);
    for (int32_t i = 0; i < it->count; i++) {
        find_hosts(it, it->order[i]);
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
    for (int32_t i = 0, hosts = 0; i < rack->chosen_count; i++) {
        int32_t host = rack->chosen[i], class = rack->chosen_for[i];
        if (i == 0 || rack->chosen_for[i - 1] != class) {
            hosts = 0; /* a class's hosts were chosen one after another */
        }
        if (rack->barred[host] != 0) {
            continue;
        }
        if (it->stuck[host]) {
            it->want[class] = 0;
        }
        if (it->want[class] > 0) {
            hosts++;
            it->want[class] -= rack->slots[host];
        } else if (hosts < rack->most[class]) {
            rack->most[class] = hosts;
            some = true;
        }
    }
    return some;
}

/* Where consumers use more of their hosts than was thought, less of these is too much. */
static void count_waste(emptier *it)
{
    allot__rack *rack = it->rack;
    int64_t waste = 0;
    for (int32_t i = 0; i < it->count; i++) {
        waste -= it->want[it->order[i]] < 0 ? it->want[it->order[i]] : 0;
    }
    if (waste < rack->waste) {
        rack->blocked -= rack->waste - waste;
        it->work->slots += rack->waste - waste; /* for who can use them: quotas stay */
        rack->waste = waste;
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* What lasts until hosts are chosen for good. */
static int begin_first(allot__work *work, allot__rack *rack)
{
    size_t count = (size_t)rack->count;
    allot__match *match = allot__arena_take(work->arena, 1, sizeof *match);
    int status =
        match != NULL ? allot__match_make(work, ALLOT__FREE_SLOTS, 0, match) : ALLOT_ENOMEM;
    if (status != ALLOT_OK) {
        return status;
    }
    rack->alone = match;
    rack->chosen = allot__arena_take(work->arena, count, sizeof *rack->chosen);
    rack->chosen_for = allot__arena_take(work->arena, count, sizeof *rack->chosen_for);
    rack->most = allot__arena_take(work->arena, (size_t)match->classes, sizeof *rack->most);
    rack->barred = allot__arena_take(work->arena, count, 1);
    int32_t *meant = allot__arena_take(work->arena, count, sizeof *meant);
    if (rack->chosen == NULL || rack->chosen_for == NULL || rack->most == NULL ||
        rack->barred == NULL || meant == NULL) {
        return ALLOT_ENOMEM;
    }
    for (int32_t class = 0; class < match->classes; class ++) {
        rack->most[class] = INT32_MAX;
    }
    memset(rack->barred, 0, count);
    rack->meant = meant;
    return ALLOT_OK;
}

/* Lists the classes of exclusive consumers, as these stand in the group; `at` and `then` are room
 * by row and by class. */
static void list_classes(emptier *it, int32_t *at, int32_t *then)
{
    const allot__work *work = it->work;
    for (int32_t class = 0; class < it->match->classes; class ++) {
        it->leaf[class] = NONE;
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        at[row] = NONE;
    }
    for (int32_t row = work->tree->rows - 1; row >= 0; row--) {
        int32_t class = it->match->class_of[row];
        if (class >= 0) {
            it->leaf[class] = row;
        }
    }
    for (int32_t class = it->match->classes - 1; class >= 0; class --) {
        if (it->rack->unit[it->leaf[class]] != ALLOT_ROOT) {
            int32_t row = unit_row(it, it->leaf[class]);
            then[class] = at[row];
            at[row] = class;
        }
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        for (int32_t class = at[row]; class != NONE; class = then[class]) {
            it->order[it->count++] = class;
        }
    }
}

static int take_stuck(emptier *it, allot__arena *arena, size_t hosts)
{
    it->stuck = allot__arena_take(arena, hosts, sizeof *it->stuck);
    it->place = allot__arena_take(arena, hosts, sizeof *it->place);
    it->there = allot__arena_take(arena, hosts, sizeof *it->there);
    it->hosts_of = allot__arena_take(arena, hosts + 1, sizeof *it->hosts_of);
    it->other = allot__arena_take(arena, hosts + 1, sizeof *it->other);
    return it->stuck != NULL && it->place != NULL && it->there != NULL && it->hosts_of != NULL &&
                   it->other != NULL
               ? ALLOT_OK
               : ALLOT_ENOMEM;
}

static int begin(emptier *it)
{
    allot__arena *arena = it->work->arena;
    size_t rows = (size_t)it->work->tree->rows, hosts = (size_t)it->rack->count;
    size_t classes = (size_t)it->match->classes + 1;
    it->want = allot__arena_take(arena, classes, sizeof *it->want);
    it->surplus = allot__arena_take(arena, rows, sizeof *it->surplus);
    it->lacks = allot__arena_take(arena, (size_t)it->rack->requirement_count + 1, 1);
    it->leaf = allot__arena_take(arena, classes, sizeof *it->leaf);
    it->order = allot__arena_take(arena, classes, sizeof *it->order);
    int32_t *at = allot__arena_take(arena, rows, sizeof *at);
    int32_t *then = allot__arena_take(arena, classes, sizeof *then);
    if (it->want == NULL || it->surplus == NULL || it->lacks == NULL || it->leaf == NULL ||
        it->order == NULL || at == NULL || then == NULL) {
        return ALLOT_ENOMEM;
    }
    list_classes(it, at, then);
    int status = take_stuck(it, arena, hosts);
    return status == ALLOT_OK ? allot__shelves_make(&it->shelves, arena, hosts) : status;
}

int allot__rack_empty(allot__work *work, bool *again)
{
    allot__rack *rack = work->rack;
    *again = false;
    if (rack->unit == NULL || rack->unknown > 0) {
        return ALLOT_OK; /* which hosts are empty is not known */
    }
    int status = rack->meant == NULL ? begin_first(work, rack) : ALLOT_OK;
    emptier it = {.work = work, .rack = rack, .match = rack->alone};
    status = status == ALLOT_OK ? begin(&it) : status;
    if (status != ALLOT_OK) {
        return status;
    }
    count_wants(&it);
    if (!rack->searched) {
        find_all(&it);
        rack->searched = *again = rack->chosen_count > 0;
    } else if (cut_hosts(&it)) {
        allot__work_resize(work, work->slots + rack->waste);
        rack->blocked -= rack->waste;
        rack->waste = 0;
        rack->searched = false;
        *again = true;
    } else {
        count_waste(&it);
    }
    return ALLOT_OK;
}
