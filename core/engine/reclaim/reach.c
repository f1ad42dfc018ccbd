/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reach.c: for every kind of consumer that lacks slots, the leaves that are over on hosts that help
 * it. */
#include "engine/reclaim/reach.h"

#include <stdlib.h>

#include "engine/reclaim/over.h"

enum { ANY = INT32_MAX };

static int32_t cut(int64_t slots)
{
    return slots < ANY ? (int32_t)slots : ANY;
}

/* Slots of a leaf on marked hosts; with `lost`, also those whose host no task states. */
static int64_t marked(const allot__work *work, int32_t row, const uint8_t *marks, bool lost)
{
    const allot__group_hosts *hosts = work->hosts;
    const allot__units *units = &work->state->tasks.units[work->index];
    int32_t leaf = allot__handle(work, row);
    int64_t slots = lost ? hosts->lost[row] : 0;
    for (int32_t i = allot__units_first(units, leaf); i < allot__units_end(units, leaf); i++) {
        int32_t host = units->site[i] >= 0 ? hosts->host_of[units->site[i]] : -1;
        slots += host >= 0 && marks[host] != 0 ? units->slots[i] : 0;
    }
    return slots;
}

static int64_t take_part(int32_t *taken, int32_t most, int64_t slots)
{
    int64_t part = most - *taken < slots ? most - *taken : slots;
    *taken += (int32_t)part;
    return part;
}

int64_t allot__reach_take(const allot__work *work, int32_t from, int32_t to, int64_t slots,
                          int32_t *taken)
{
    const allot__group_hosts *hosts = work->hosts;
    const allot__units *units = &work->state->tasks.units[work->index];
    int32_t leaf = allot__handle(work, from);
    bool lost = allot__hosts_takes_lost(hosts, to, from);
    int64_t left = slots;
    left -= lost ? take_part(&taken[units->count + from], hosts->lost[from], left) : 0;
    for (int32_t i = allot__units_first(units, leaf); left > 0 && i < allot__units_end(units, leaf);
         i++) {
        int32_t host = units->site[i] >= 0 ? hosts->host_of[units->site[i]] : -1;
        if (host >= 0 && allot__host_helps(work, to, host))
            left -= take_part(&taken[i], units->slots[i], left);
    }
    return slots - left;
}

/* A host that an exclusive consumer may leave. */
typedef struct leaving {
    int32_t important, used, host;
} leaving;

static int compare_leaving(const void *a, const void *b)
{
    const leaving *left = a, *right = b;
    int order = (left->important > right->important) - (left->important < right->important);
    order = order ? order : (left->used > right->used) - (left->used < right->used);
    return order ? order : left->host - right->host;
}

/* An exclusive consumer helps others by leaving hosts whole: those whose most important session is
 * the least, then those where it has fewest slots, as far as they are among the `over` that it has
 * too many. What the state gives it stays its own. `list` is room. */
static void leave_hosts(const allot__work *work, const allot__doors *doors, int32_t exclusive,
                        int64_t over, const int64_t *able, leaving *list)
{
    allot__group_hosts *hosts = work->hosts;
    const allot__site *sites = work->state->tasks.sites;
    int32_t door = allot__row(work->plan, work->index, exclusive) + 1, count = 0;
    for (int32_t i = doors->first[door]; i < doors->first[door + 1]; i++) {
        int32_t host = doors->hosts[i];
        int32_t used = hosts->slots[host] - hosts->free[host];
        if (hosts->owner[host] == exclusive && used <= able[host] &&
            sites[hosts->site[host]].exclusive_to == ALLOT_ROOT)
            list[count++] = (leaving){allot__host_important(work, host), used, host};
    }
    qsort(list, (size_t)count, sizeof *list, compare_leaving);
    for (int32_t i = 0; i < count; i++) {
        hosts->left[list[i].host] = list[i].used <= over;
        over -= list[i].used <= over ? list[i].used : 0;
    }
}

/* Adds, by host, the slots of a leaf there, as far as it is over. */
static void count_able(const allot__work *work, int32_t row, int64_t over, int64_t *able)
{
    const allot__units *units = &work->state->tasks.units[work->index];
    int32_t leaf = allot__handle(work, row);
    int64_t *there = able + work->hosts->count;
    for (int32_t pass = 0; pass < 2 && units->count > 0; pass++) {
        for (int32_t i = units->first[leaf]; i < units->end[leaf]; i++) {
            int32_t host = units->site[i] >= 0 ? work->hosts->host_of[units->site[i]] : -1;
            if (host >= 0 && pass == 0) {
                there[host] += units->slots[i];
            } else if (host >= 0) {
                able[host] += there[host] < over ? there[host] : over;
                there[host] = 0;
            }
        }
    }
}

int allot__reach_left(allot__work *work)
{
    allot__group_hosts *hosts = work->hosts;
    size_t count = (size_t)hosts->count, rows = (size_t)work->tree->rows;
    if (!hosts->exclusive_of)
        return ALLOT_OK;
    int64_t *over = allot__arena_zeroed(work->arena, rows, sizeof *over);
    int64_t *able = allot__arena_zeroed(work->arena, 2 * count, sizeof *able);
    leaving *list = allot__arena_take(work->arena, count, sizeof *list);
    allot__doors doors;
    hosts->left = allot__arena_zeroed(work->arena, count, 1);
    if (!over || !able || !list || !hosts->left || allot__doors_make(work, &doors) != ALLOT_OK)
        return ALLOT_ENOMEM;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        if (hosts->exclusive_of[row] != ALLOT_ROOT && allot__family_of(work, row) == 0) {
            int64_t mine = allot__over(work, row);
            over[allot__row(work->plan, work->index, hosts->exclusive_of[row])] += mine;
            if (mine > 0)
                count_able(work, row, mine, able);
        }
    }
    for (int32_t row = 0; row < work->tree->rows; row++)
        if (over[row] > 0)
            leave_hosts(work, &doors, hosts->exclusive_of[row], over[row], able, list);
    return ALLOT_OK;
}

/* ---- Who reaches what ------------------------------------------------------------------------ */

/* Hosts that help all consumers with the same requirement, exclusive ones or the others: those that
 * their owners leave, and for the others common hosts; and the slots there that leaves are over. */
typedef struct offer {
    uint8_t *hosts; /* NULL: not known yet */
    int32_t *there; /* by row: slots there of a leaf that is over */
    int64_t sum;    /* ... of all, as far as they are over */
} offer;

typedef struct reach {
    allot__work *work;
    allot__doors doors;
    offer *offers;    /* by requirement + 1, exclusive ones behind the others */
    int32_t *over;    /* by row of a leaf */
    int32_t *first;   /* by host: its first place in `holder`; one more than there are */
    int32_t *holder;  /* rows that are over and hold slots there, */
    int32_t *held;    /* ... and how many */
    int32_t *near;    /* room: hosts, */
    int32_t *more;    /* ... by row, slots of a leaf on these, */
    int32_t *touched; /* ... rows that have some */
    /* Consumers that slots are to serve: the hosts that help any that lacks slots; and the kinds
     * in which one lacks slots and takes any host of its kind: by the kind's row + 1, at 0
     * consumers that are not exclusive. */
    uint8_t *hosts, *kinds;
} reach;

static int32_t exclusive_row(const reach *it, int32_t row)
{
    const allot__work *work = it->work;
    int32_t exclusive = work->hosts->exclusive_of ? work->hosts->exclusive_of[row] : ALLOT_ROOT;
    return exclusive == ALLOT_ROOT ? -1 : allot__row(work->plan, work->index, exclusive);
}

/* Counts, and then lists, the rows that are over and hold slots of a host, host by host. */
static void list_holders(reach *it, bool count)
{
    const allot__work *work = it->work;
    const allot__units *units = &work->state->tasks.units[work->index];
    for (int32_t row = 0; row < work->tree->rows && units->count > 0; row++) {
        int32_t leaf = allot__handle(work, row);
        for (int32_t i = units->first[leaf]; it->over[row] > 0 && i < units->end[leaf]; i++) {
            int32_t host = units->site[i] >= 0 ? work->hosts->host_of[units->site[i]] : -1;
            if (host < 0)
                continue;
            if (count) {
                it->first[host + 1]++;
                continue;
            }
            int32_t place = --it->first[host + 1];
            it->holder[place] = row;
            it->held[place] = units->slots[i];
        }
    }
}

static int begin(reach *it)
{
    allot__work *work = it->work;
    size_t count = (size_t)work->hosts->count, rows = (size_t)work->tree->rows;
    size_t offers = 2 * ((size_t)work->hosts->requirement_count + 1);
    size_t units = (size_t)work->state->tasks.units[work->index].count + 1;
    if (ALLOT__TAKE_ALL(work->arena, ALLOT__EACH(units, it->holder, it->held, it->touched),
                        ALLOT__WANTED(it->near, count),
                        ALLOT__EACH(rows, work->reach, work->useful)) != ALLOT_OK ||
        ALLOT__ZEROED_ALL(work->arena, ALLOT__WANTED(it->offers, offers),
                          ALLOT__EACH(rows, it->over, it->more),
                          ALLOT__WANTED(it->first, count + 2), ALLOT__WANTED(it->hosts, count),
                          ALLOT__WANTED(it->kinds, rows + 1)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    for (int32_t row = 0; row < work->tree->rows; row++)
        it->over[row] = allot__family_of(work, row) == 0 ? cut(allot__over(work, row)) : 0;
    list_holders(it, true);
    for (size_t host = 0; host <= count; host++)
        it->first[host + 1] += it->first[host];
    list_holders(it, false);
    work->hosts->wanted = it->hosts;
    return allot__doors_make(work, &it->doors);
}

/* Is a host in the offer to a leaf? */
static bool is_offered(const reach *it, int32_t row, int32_t host)
{
    const allot__group_hosts *hosts = it->work->hosts;
    bool common = exclusive_row(it, row) < 0 && allot__host_common(hosts, host);
    return (common || (hosts->left && hosts->left[host])) && allot__host_meets(hosts, row, host);
}

static int32_t less(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* The offer to a leaf; NULL: out of memory. */
static offer *offer_of(reach *it, int32_t row)
{
    allot__work *work = it->work;
    const allot__group_hosts *hosts = work->hosts;
    bool alone = exclusive_row(it, row) >= 0;
    int32_t asks = hosts->asks ? hosts->asks[row] : -1;
    offer *offer = &it->offers[asks + 1 + (alone ? hosts->requirement_count + 1 : 0)];
    if (offer->hosts)
        return offer;
    offer->hosts = allot__arena_take(work->arena, (size_t)hosts->count, 1);
    offer->there = allot__arena_take(work->arena, (size_t)work->tree->rows, sizeof *offer->there);
    if (!offer->hosts || !offer->there)
        return NULL;
    for (int32_t host = 0; host < hosts->count; host++) {
        offer->hosts[host] = is_offered(it, row, host);
        it->hosts[host] |= offer->hosts[host];
    }
    for (int32_t other = 0; other < work->tree->rows; other++) {
        bool lost = !alone && allot__hosts_takes_lost(hosts, row, other);
        offer->there[other] =
            it->over[other] > 0 ? cut(marked(work, other, offer->hosts, lost)) : 0;
        offer->sum += less(it->over[other], offer->there[other]);
    }
    return offer;
}

/* Slots that others are over on hosts that help a leaf: those of the offer, and those behind its
 * own doors. */
static int64_t within(reach *it, int32_t row, const offer *offer)
{
    int64_t sum = offer->sum - less(it->over[row], offer->there[row]);
    int32_t touched = 0, count = allot__doors_list(it->work, &it->doors, row, it->near);
    for (int32_t i = 0; i < count; i++) {
        int32_t host = it->near[i];
        if (offer->hosts[host] || !allot__host_helps(it->work, row, host))
            continue;
        it->hosts[host] = 1;
        for (int32_t k = it->first[host + 1]; k < it->first[host + 2]; k++) {
            it->touched[touched] = it->holder[k];
            touched += it->more[it->holder[k]] == 0 && it->holder[k] != row;
            it->more[it->holder[k]] += it->held[k];
        }
    }
    it->more[row] = 0;
    for (int32_t i = 0; i < touched; i++) {
        int32_t other = it->touched[i], there = offer->there[other];
        sum += less(it->over[other], cut((int64_t)there + it->more[other])) -
               less(it->over[other], there);
        it->more[other] = 0;
    }
    return sum;
}

/* Do the same hosts help both? */
static bool alike(const allot__group_hosts *hosts, int32_t a, int32_t b)
{
    return !hosts->given &&
           (!hosts->exclusive_of || hosts->exclusive_of[a] == hosts->exclusive_of[b]) &&
           (!hosts->asks || hosts->asks[a] == hosts->asks[b]);
}

static int fill(reach *it)
{
    allot__work *work = it->work;
    int32_t last = -1;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        work->reach[row] = ANY;
        if (allot__family_of(work, row) != 0 || allot__lack(work, row) == 0)
            continue;
        offer *offer = offer_of(it, row);
        if (!offer)
            return ALLOT_ENOMEM;
        it->kinds[exclusive_row(it, row) + 1] |= allot__hosts_easy(work->hosts, row);
        bool same = last >= 0 && alike(work->hosts, row, last);
        work->reach[row] = same ? work->reach[last] : cut(within(it, row, offer));
        last = row;
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        bool lost = it->kinds[exclusive_row(it, row) + 1] != 0;
        work->useful[row] = it->over[row] > 0 ? cut(marked(work, row, it->hosts, lost)) : ANY;
    }
    return ALLOT_OK;
}

/* Slots that others are over and that would serve a consumer if their tasks stated hosts. */
static int64_t not_told(const allot__work *work, int32_t row)
{
    int64_t sum = 0;
    for (int32_t other = 0; other < work->tree->rows; other++) {
        bool leaf = other != row && allot__family_of(work, other) == 0;
        if (leaf && !allot__hosts_takes_lost(work->hosts, row, other)) {
            int64_t over = allot__over(work, other), lost = work->hosts->lost[other];
            sum += over < lost ? over : lost;
        }
    }
    return sum;
}

/* Warns of the first consumer that could have more if tasks stated their hosts. */
static void say(const allot__work *work)
{
    for (int32_t row = 0; row < work->tree->rows; row++) {
        bool lacks = allot__family_of(work, row) == 0 && work->hosts->unknown > 0 &&
                     allot__lack(work, row) > work->reach[row];
        int64_t slots = lacks ? not_told(work, row) : 0;
        if (slots > 0) {
            char path[512];
            allot_plan_path(work->plan, allot__handle(work, row), path, sizeof path);
            allot_report_say(work->report, ALLOT_WARNING, "W-hosts",
                             "no task tells the host of %lld that others have too many: slots of "
                             "such are not reclaimed for %.400s, which not every host serves",
                             (long long)slots, path);
            return;
        }
    }
}

static bool somebody_lacks(const allot__work *work)
{
    for (int32_t row = 0; row < work->tree->rows; row++)
        if (allot__family_of(work, row) == 0 && allot__lack(work, row) > 0)
            return true;
    return false;
}

int allot__reach(allot__work *work)
{
    if (!work->room || !somebody_lacks(work))
        return ALLOT_OK;
    reach it = {.work = work};
    int status = allot__reach_left(work);
    status = status == ALLOT_OK ? begin(&it) : status;
    status = status == ALLOT_OK ? fill(&it) : status;
    if (status == ALLOT_OK)
        say(work);
    return status;
}
