/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* empty.c: hosts that exclusive consumers are to have: empty ones, or those that others leave.
 */
#include <string.h>

#include "engine/rows/order.h"
#include "engine/hosts/match.h"

/* ROUNDS_MOST: so often, hosts that others cannot leave are replaced; then no more are chosen. */
enum { NONE = -1, ROUNDS_MOST = 16 };

typedef struct emptier {
    allot__work *work;
    allot__group_hosts *hosts;
    allot__match *match;
    int64_t *lack;    /* by class of an exclusive consumer: what its quotas lack, */
    int64_t *ask;     /* ... of that what its hosts do not hold, nor what comes free there, */
    int64_t *unmet;   /* ... and what it wants more, whatever its quotas */
    int64_t *surplus; /* by row of such a consumer: what its leaves are over */
    int32_t *kept, *dropped;   /* by class: so many of the hosts chosen for it are needed, or not */
    int32_t *mark, marks;      /* by kind: the last time that it was looked at */
    bool *stuck;               /* by host: others cannot leave it */
    int64_t *place;            /* by host: where it stands among those that are chosen, */
    int64_t *there;            /* ... and slots of the leaf at hand, */
    int32_t *hosts_of, *other; /* ... which has some on these */
    bool *lacks;               /* by requirement: a consumer lacks slots on such hosts */
    allot__shelves shelves;
    int32_t *leaf;  /* by class: the first of its leaves' rows, or NONE */
    int32_t *order; /* classes of exclusive consumers, these one after another; so many: */
    int32_t count;
} emptier;

/* One exclusive consumer: its classes are order[first] ... order[end - 1], the hosts chosen for it
 * those from number `chosen` to number `last` - 1. */
typedef struct one {
    int32_t first, end, chosen, last;
} one;

static int32_t unit_row(const emptier *it, int32_t row)
{
    return allot__row(it->work->plan, it->work->index, it->hosts->exclusive_of[row]);
}

/* Goes on to the next consumer, whose hosts follow those of the last one. */
static bool next_one(const emptier *it, one *one)
{
    one->first = one->end;
    one->chosen = one->last;
    while (one->end < it->count && it->hosts->exclusive_of[it->leaf[it->order[one->end]]] ==
                                       it->hosts->exclusive_of[it->leaf[it->order[one->first]]])
        one->end++;
    return one->first < one->end;
}

/* Counts slots that quotas lack, and slots wanted beyond quotas. */
static void count_wants(emptier *it)
{
    allot__work *work = it->work;
    const allot__match *match = it->match;
    memset(it->lack, 0, (size_t)match->classes * sizeof *it->lack);
    memset(it->unmet, 0, (size_t)match->classes * sizeof *it->unmet);
    memset(it->surplus, 0, (size_t)work->tree->rows * sizeof *it->surplus);
    for (int32_t row = 0; row < work->tree->rows; row++) {
        if (allot__family_of(work, row) == 0 && it->hosts->exclusive_of[row] != ALLOT_ROOT) {
            int64_t lack = (int64_t)work->quota[row] - work->allocated[row];
            int64_t unmet = allot__hosts_unmet(work, row, it->hosts->limit[row]);
            it->lack[match->class_of[row]] += lack > 0 ? lack : 0;
            it->unmet[match->class_of[row]] += unmet > lack ? unmet - (lack > 0 ? lack : 0) : 0;
            it->surplus[unit_row(it, row)] += lack < 0 ? -lack : 0;
        }
    }
}

/* The requirements of consumers that lack slots and are not exclusive. */
static void find_lacks(emptier *it)
{
    const allot__work *work = it->work;
    const allot__group_hosts *hosts = it->hosts;
    memset(it->lacks, 0, ((size_t)hosts->requirement_count + 1) * sizeof *it->lacks);
    for (int32_t row = 0; row < work->tree->rows && hosts->asks; row++)
        if (hosts->asks[row] >= 0 && hosts->exclusive_of[row] == ALLOT_ROOT &&
            allot__family_of(work, row) == 0 && work->quota[row] > work->allocated[row])
            it->lacks[hosts->asks[row]] = true;
}

/* ---- One consumer's hosts -------------------------------------------------------------------- */

/* Slots that quotas lack go on the consumer's own hosts first. Slots that one of its leaves is over
 * will be free for another leaf, and need no further hosts. */
static void ask_own(emptier *it, const one *one)
{
    int64_t *surplus = &it->surplus[unit_row(it, it->leaf[it->order[one->first]])];
    for (int32_t i = one->first; i < one->end; i++) {
        int32_t class = it->order[i];
        it->lack[class] -= allot__match_push(it->match, class, it->lack[class]);
        int64_t part = *surplus < it->lack[class] ? *surplus : it->lack[class];
        it->ask[class] = it->lack[class] - part;
        *surplus -= part;
    }
}

/* Gives a class the slots that it asks for, as far as there is room, at most `most`. */
static void give(emptier *it, int32_t class, int64_t most)
{
    int64_t slots = it->ask[class] < most ? it->ask[class] : most;
    slots = allot__match_push(it->match, class, slots);
    it->ask[class] -= slots;
    it->lack[class] -= slots;
}

static void add_host(emptier *it, int32_t host)
{
    int32_t kind = it->match->kind_of[host];
    it->match->most[kind] += it->hosts->slots[host];
    it->match->left[kind] += it->hosts->slots[host];
    allot__match_loosen(it->match);
}

/* Moves slots that a class has of a kind to other kinds; returns the number moved. */
static int64_t send_on(emptier *it, int32_t class, int32_t kind, int64_t slots)
{
    allot__match *match = it->match;
    int32_t k = match->first[class], end = match->first[class + 1];
    while (k < end && match->edges[k].kind != kind)
        k++;
    allot__edge *edge = &match->edges[k];
    if (k == end || edge->flow == 0)
        return 0;
    slots = edge->flow < slots ? edge->flow : slots;
    allot__edge_add(match, edge, -slots);
    int64_t moved = allot__match_push(match, class, slots);
    allot__edge_add(match, edge, slots - moved);
    return moved;
}

/* Drops a host if its classes can have as many slots on the other hosts. */
static bool drop_host(emptier *it, const one *one, int32_t host)
{
    allot__match *match = it->match;
    int32_t kind = match->kind_of[host];
    int64_t left = match->left[kind], slots = it->hosts->slots[host];
    match->left[kind] = 0;
    for (int32_t i = one->first; i < one->end && left < slots; i++)
        left += send_on(it, it->order[i], kind, slots - left);
    bool dropped = left >= slots;
    match->left[kind] = dropped ? left - slots : left;
    match->most[kind] -= dropped ? slots : 0;
    allot__match_loosen(match);
    return dropped;
}

/* Slots of the consumer's chosen hosts that are left. */
static int64_t left_over(emptier *it, const one *one)
{
    const allot__match *match = it->match;
    int64_t slots = 0;
    it->marks++;
    for (int32_t i = one->chosen; i < one->last; i++) {
        int32_t kind = match->kind_of[it->hosts->chosen[i]];
        slots += it->mark[kind] != it->marks ? match->left[kind] : 0;
        it->mark[kind] = it->marks;
    }
    return slots;
}

/* Gives classes the slots that they want beyond quotas; returns those left of the chosen hosts. */
static int64_t give_more(emptier *it, const one *one, const int64_t *wants)
{
    int64_t left = left_over(it, one);
    for (int32_t i = one->first; i < one->end && left > 0; i++) {
        int64_t want = wants[it->order[i]], got = 1;
        while (want > 0 && left > 0 && got > 0) {
            got = allot__match_push(it->match, it->order[i], want < left ? want : left);
            want -= got;
            left = left_over(it, one);
        }
    }
    return left;
}

/* Counts slots of the chosen hosts that quotas leave, and those of them that no consumer wants.
 * Slots over quota become free later, so they are no reason to leave other hosts. */
static void count_left(emptier *it, const one *one, int64_t *waste, int64_t *unwanted)
{
    allot__match *match = it->match;
    *waste += give_more(it, one, it->lack);
    *unwanted += give_more(it, one, it->unmet);
    for (int32_t i = one->chosen; i < one->last; i++)
        match->most[match->kind_of[it->hosts->chosen[i]]] = 0;
    for (int32_t i = one->first; i < one->end; i++) {
        int32_t class = it->order[i];
        for (int32_t k = match->first[class]; k < match->first[class + 1]; k++) {
            allot__edge_add(match, &match->edges[k], -match->edges[k].flow);
            match->left[match->edges[k].kind] = match->most[match->edges[k].kind];
        }
    }
    allot__match_loosen(match);
}

static void choose(emptier *it, int32_t class, int32_t host)
{
    allot__group_hosts *hosts = it->hosts;
    hosts->meant[host] = hosts->exclusive_of[it->leaf[class]];
    hosts->chosen_for[hosts->chosen_count] = class;
    hosts->chosen[hosts->chosen_count++] = host;
    add_host(it, host);
}

/* Gives back hosts without which all classes have as much, the last host first. */
static void spare(emptier *it, const one *one)
{
    allot__group_hosts *hosts = it->hosts;
    int32_t kept = hosts->chosen_count;
    for (int32_t i = kept - 1; i >= one->chosen; i--) {
        int32_t host = hosts->chosen[i];
        if (drop_host(it, one, host)) {
            hosts->meant[host] = ALLOT_ROOT;
            allot__shelves_put(&it->shelves, host);
            hosts->chosen[i] = NONE;
        }
    }
    hosts->chosen_count = one->chosen;
    for (int32_t i = one->chosen; i < kept; i++) {
        if (hosts->chosen[i] != NONE) {
            hosts->chosen_for[hosts->chosen_count] = hosts->chosen_for[i];
            hosts->chosen[hosts->chosen_count++] = hosts->chosen[i];
        }
    }
}

static void find_hosts(emptier *it, const one *one)
{
    allot__group_hosts *hosts = it->hosts;
    for (int32_t i = one->first; i < one->end; i++) {
        int32_t class = it->order[i];
        give(it, class, INT64_MAX);
        for (int32_t picked = 0; it->ask[class] > 0 && picked < hosts->most[class]; picked++) {
            int32_t host =
                allot__shelves_take(&it->shelves, hosts, it->leaf[class], it->ask[class]);
            if (host < 0)
                break;
            choose(it, class, host);
            give(it, class, hosts->slots[host]);
        }
    }
    spare(it, one);
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Takes slots too many off the slots that are divided, since no other consumer gets them. */
static void set_apart(emptier *it, int64_t slots)
{
    allot__group_hosts *hosts = it->hosts;
    allot__work *work = it->work;
    allot__work_resize(work, work->slots + hosts->waste);
    hosts->blocked -= hosts->waste;
    hosts->waste = slots < work->slots ? slots : work->slots;
    hosts->blocked += hosts->waste;
    allot__work_resize(work, work->slots - hosts->waste);
}

/* Finds hosts for all consumers that want some, one after another. */
static void find_all(emptier *it)
{
    allot__group_hosts *hosts = it->hosts;
    int64_t unwanted = 0;
    hosts->chosen_count = 0;
    hosts->beyond = 0;
    find_lacks(it);
    for (int32_t host = 0; host < hosts->count; host++)
        hosts->meant[host] = ALLOT_ROOT;
    allot__shelves_fill(&it->shelves, it->work, it->match, it->lacks);
    for (one one = {0}; next_one(it, &one);) {
        ask_own(it, &one);
        find_hosts(it, &one);
        one.last = hosts->chosen_count;
        count_left(it, &one, &hosts->beyond, &unwanted);
    }
    bool twice = unwanted < hosts->beyond;
    hosts->step = hosts->chosen_count == 0 ? ALLOT__HOSTS_CHOOSE
                  : twice                  ? ALLOT__HOSTS_HELD
                                           : ALLOT__HOSTS_APART;
    set_apart(it, twice ? unwanted : hosts->beyond);
}

/* Slots that a leaf gives in any case: those it is over, and those in flight from it. */
static int64_t gives(const allot__work *work, int32_t row)
{
    int64_t going = work->in_flight ? work->in_flight[row] : 0;
    int64_t over = work->allocated[row] - going - work->quota[row];
    return going + (over > 0 ? over : 0);
}

/* Marks hosts that a leaf cannot leave, since it is not over by enough slots; it leaves the first
 * of those that it is to leave. */
static void find_stuck_of(emptier *it, int32_t row)
{
    const allot__work *work = it->work;
    const allot__group_hosts *hosts = it->hosts;
    const allot__units *units = &work->state->tasks.units[work->index];
    int32_t leaf = allot__handle(work, row), count = 0;
    int64_t left = gives(work, row);
    for (int32_t i = allot__units_first(units, leaf); i < allot__units_end(units, leaf); i++) {
        int32_t host = units->site[i] >= 0 ? hosts->host_of[units->site[i]] : -1;
        if (host >= 0 && hosts->meant[host] != ALLOT_ROOT) {
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
    const allot__group_hosts *hosts = it->hosts;
    for (int32_t i = 0; i < hosts->chosen_count; i++)
        it->place[hosts->chosen[i]] = i;
    for (int32_t row = 0; row < work->tree->rows; row++)
        if (allot__family_of(work, row) == 0 && work->allocated[row] > 0)
            find_stuck_of(it, row);
}

/* Passes by the chosen hosts that others cannot leave; are there any? */
static bool bar_stuck(emptier *it)
{
    allot__group_hosts *hosts = it->hosts;
    bool some = false;
    for (int32_t i = 0; i < hosts->chosen_count && hosts->rounds < ROUNDS_MOST; i++) {
        hosts->barred[hosts->chosen[i]] |= it->stuck[hosts->chosen[i]];
        some = some || it->stuck[hosts->chosen[i]];
    }
    hosts->rounds += some;
    return some;
}

/* Is a chosen host not to be had, or not to be left? */
static bool passed_by(const emptier *it, int32_t host)
{
    return it->hosts->barred[host] != 0 || it->stuck[host];
}

/* Counts the hosts of a consumer that are still needed, now that quotas go by them. */
static void count_needed(emptier *it, const one *one)
{
    const allot__group_hosts *hosts = it->hosts;
    for (int32_t i = one->chosen; i < one->last; i++)
        if (!passed_by(it, hosts->chosen[i]))
            add_host(it, hosts->chosen[i]);
    for (int32_t i = one->first; i < one->end; i++) {
        it->kept[it->order[i]] = it->dropped[it->order[i]] = 0;
        give(it, it->order[i], INT64_MAX);
    }
    for (int32_t i = one->last - 1; i >= one->chosen; i--) {
        int32_t host = hosts->chosen[i], class = hosts->chosen_for[i];
        bool drop = !passed_by(it, host) && drop_host(it, one, host);
        it->dropped[class] += drop || (hosts->barred[host] == 0 && it->stuck[host]);
        it->kept[class] += !drop && !passed_by(it, host);
    }
}

/* A consumer that wants fewer hosts, once there is less to divide, gets no more, and no host that
 * others cannot leave; is there such a consumer? Else `waste` is what is too much now. */
static bool cut_hosts(emptier *it, int64_t *waste)
{
    allot__group_hosts *hosts = it->hosts;
    int64_t unwanted = 0;
    bool some = hosts->step == ALLOT__HOSTS_APART && bar_stuck(it);
    for (one one = {0}; next_one(it, &one);) {
        int32_t exclusive = hosts->exclusive_of[it->leaf[it->order[one.first]]];
        while (one.last < hosts->chosen_count && hosts->meant[hosts->chosen[one.last]] == exclusive)
            one.last++;
        ask_own(it, &one);
        count_needed(it, &one);
        for (int32_t i = one.first; i < one.end; i++) {
            int32_t class = it->order[i];
            hosts->most[class] = it->dropped[class] > 0 ? it->kept[class] : hosts->most[class];
            some = some || it->dropped[class] > 0;
        }
        count_left(it, &one, waste, &unwanted);
    }
    return some;
}

/* Where consumers use more of their hosts than was thought, less of these is too much. */
static void lower_waste(emptier *it, int64_t waste)
{
    allot__group_hosts *hosts = it->hosts;
    if (waste < hosts->waste) {
        hosts->blocked -= hosts->waste - waste;
        it->work->slots += hosts->waste - waste; /* for leaves that can use them: quotas stay */
        hosts->waste = waste;
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* What lasts until hosts are chosen for good. */
static int begin_first(allot__work *work, allot__group_hosts *hosts)
{
    size_t count = (size_t)hosts->count;
    allot__match *match = allot__arena_take(work->arena, 1, sizeof *match);
    int status = match ? allot__match_make(work, ALLOT__OWN_SLOTS, 0, match) : ALLOT_ENOMEM;
    if (status != ALLOT_OK)
        return status;
    hosts->alone = match;
    int32_t *meant;
    status = ALLOT__TAKE_ALL(
        work->arena, ALLOT__EACH(count, hosts->chosen, hosts->chosen_for, hosts->barred, meant),
        ALLOT__WANTED(hosts->most, (size_t)match->classes));
    if (status != ALLOT_OK)
        return status;
    for (int32_t class = 0; class < match->classes; class ++)
        hosts->most[class] = INT32_MAX;
    memset(hosts->barred, 0, count);
    hosts->meant = meant;
    return ALLOT_OK;
}

/* Lists the classes of exclusive consumers, as these stand in the group; `at` and `then` are room
 * by row and by class. */
static void list_classes(emptier *it, int32_t *at, int32_t *then)
{
    const allot__work *work = it->work;
    for (int32_t class = 0; class < it->match->classes; class ++)
        it->leaf[class] = NONE;
    for (int32_t row = 0; row < work->tree->rows; row++)
        at[row] = NONE;
    for (int32_t row = work->tree->rows - 1; row >= 0; row--) {
        int32_t class = it->match->class_of[row];
        if (class >= 0)
            it->leaf[class] = row;
    }
    for (int32_t class = it->match->classes - 1; class >= 0; class --) {
        if (it->hosts->exclusive_of[it->leaf[class]] != ALLOT_ROOT) {
            int32_t row = unit_row(it, it->leaf[class]);
            then[class] = at[row];
            at[row] = class;
        }
    }
    for (int32_t row = 0; row < work->tree->rows; row++)
        for (int32_t class = at[row]; class != NONE; class = then[class])
            it->order[it->count++] = class;
}

static int begin(emptier *it)
{
    allot__work *work = it->work;
    size_t rows = (size_t)work->tree->rows, count = (size_t)it->hosts->count;
    size_t classes = (size_t)it->match->classes + 1;
    int32_t *at, *then;
    int status = ALLOT__TAKE_ALL(work->arena,
                                 ALLOT__EACH(classes, it->lack, it->ask, it->unmet, it->kept,
                                             it->dropped, it->leaf, it->order, then),
                                 ALLOT__EACH(rows, it->surplus, at),
                                 ALLOT__WANTED(it->lacks, (size_t)it->hosts->requirement_count + 1),
                                 ALLOT__WANTED(it->place, count),
                                 ALLOT__EACH(count + 1, it->hosts_of, it->other));
    if (status == ALLOT_OK)
        status = ALLOT__ZEROED_ALL(work->arena, ALLOT__WANTED(it->mark, (size_t)it->match->kinds),
                                   ALLOT__EACH(count, it->stuck, it->there));
    if (status != ALLOT_OK)
        return status;
    list_classes(it, at, then);
    return allot__shelves_make(&it->shelves, work->arena, count);
}

int allot__group_hosts_choose(allot__work *work, bool *again)
{
    allot__group_hosts *hosts = work->hosts;
    *again = false;
    if (!hosts->exclusive_of || hosts->unknown > 0)
        return ALLOT_OK; /* which hosts are empty is not known */
    int status = !hosts->meant ? begin_first(work, hosts) : ALLOT_OK;
    emptier it = {.work = work, .hosts = hosts, .match = hosts->alone};
    status = status == ALLOT_OK ? begin(&it) : status;
    if (status != ALLOT_OK)
        return status;
    int64_t waste = 0;
    count_wants(&it);
    allot__match_reset(hosts->alone);
    if (hosts->step == ALLOT__HOSTS_CHOOSE) {
        find_all(&it);
        *again = hosts->step != ALLOT__HOSTS_CHOOSE;
        return ALLOT_OK;
    }
    if (hosts->step == ALLOT__HOSTS_APART)
        find_stuck(&it);
    *again = hosts->step == ALLOT__HOSTS_HELD;
    if (cut_hosts(&it, &waste)) {
        set_apart(&it, 0);
        hosts->step = ALLOT__HOSTS_CHOOSE;
        *again = true;
    } else if (*again) {
        set_apart(&it, hosts->beyond);
        hosts->step = ALLOT__HOSTS_APART;
    } else {
        lower_waste(&it, waste);
    }
    return ALLOT_OK;
}
