/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* exclusive.c: exclusive consumers, and the slots that they keep from all others (H-14). */
#include <inttypes.h>
#include <string.h>

#include "engine/hosts/match.h"

int allot__group_hosts_exclusive(allot__work *work, allot__group_hosts *hosts)
{
    const int32_t *exclusive = work->group->columns[ALLOT_EXCLUSIVE];
    int32_t rows = work->tree->rows;
    int32_t some = 0;
    for (int32_t row = 0; row < rows; row++)
        some |= exclusive[row];
    if (some == 0)
        return ALLOT_OK;
    hosts->exclusive_of = allot__arena_take(work->arena, (size_t)rows, sizeof *hosts->exclusive_of);
    if (!hosts->exclusive_of)
        return ALLOT_ENOMEM;
    for (int32_t family = 0; family < work->tree->families; family++) {
        int32_t parent = work->group->parent[family];
        int32_t above = family > 0 ? hosts->exclusive_of[parent] : ALLOT_ROOT;
        int32_t first = allot__family_first(work, family);
        for (int32_t row = first; row < first + allot__family_size(work, family); row++)
            hosts->exclusive_of[row] = exclusive[row] != 0 ? allot__handle(work, row) : above;
    }
    return ALLOT_OK;
}

/* Sums up values of leaves for each parent. */
static void add_up(const allot__work *work, int64_t *values)
{
    for (int32_t family = work->tree->families - 1; family > 0; family--) {
        int32_t first = allot__family_first(work, family);
        int64_t sum = 0;
        for (int32_t row = first; row < first + allot__family_size(work, family); row++)
            sum += values[row];
        values[work->group->parent[family]] = sum;
    }
}

int64_t allot__hosts_unmet(const allot__work *work, int32_t row, int32_t limit)
{
    int32_t want = work->demand[row] < limit ? work->demand[row] : limit;
    int32_t kept = work->group->columns[ALLOT_RESERVE][row];
    int64_t more = (int64_t)(want > kept ? want : kept) - work->allocated[row];
    return more > 0 ? more : 0;
}

static int32_t least(int32_t a, int64_t b)
{
    return b < a ? (int32_t)b : a;
}

static void name_owners(allot__group_hosts *hosts, const int32_t *seen)
{
    for (int32_t host = 0; host < hosts->count; host++) {
        bool contested = seen[host] == ALLOT__NOBODY;
        if (contested || (hosts->owner[host] == ALLOT_ROOT && seen[host] >= 0)) {
            hosts->owner[host] = seen[host];
            hosts->owned = true;
        }
    }
}

/* Puts slots whose host no task states on the hosts that their consumer owns. */
static void find_lost(const allot__work *work, allot__group_hosts *hosts, int64_t *lost)
{
    for (int32_t host = 0; host < hosts->count; host++) {
        if (hosts->owner[host] >= 0) {
            int64_t *left = &lost[allot__row(work->plan, work->index, hosts->owner[host])];
            int32_t found = least(hosts->free[host], *left);
            found = least(found, hosts->unknown);
            hosts->free[host] -= found;
            hosts->unknown -= found;
            *left -= found;
        }
    }
}

/* Slots of exclusive consumers that are neither on a host that tasks state nor on an own host are
 * assumed on the first hosts, in plan order, on which no task is known to run. These hosts are
 * closed, too, and other consumers do not get the rest of them. */
static void guess(const allot__work *work, allot__group_hosts *hosts, const int32_t *seen,
                  const int32_t *lost, int64_t *left)
{
    memset(left, 0, (size_t)work->tree->rows * sizeof *left);
    for (int32_t row = 0; row < work->tree->rows; row++)
        if (hosts->exclusive_of[row] != ALLOT_ROOT && allot__family_of(work, row) == 0)
            left[allot__row(work->plan, work->index, hosts->exclusive_of[row])] += lost[row];
    for (int32_t host = 0; host < hosts->count; host++)
        if (hosts->owner[host] >= 0)
            left[allot__row(work->plan, work->index, hosts->owner[host])] -= hosts->free[host];
    for (int32_t row = 0, host = 0; row < work->tree->rows; row++) {
        for (; left[row] > 0 && host < hosts->count; host++) {
            bool open = hosts->owner[host] == ALLOT_ROOT && seen[host] < ALLOT__NOBODY;
            int64_t slots = open ? hosts->slots[host] : 0;
            hosts->guessed += slots > left[row] ? slots - left[row] : 0;
            left[row] -= slots;
        }
    }
}

/* Gives leaves the slots that they still want, on own hosts first; returns the number of slots left
 * on owned hosts. */
static int64_t unwanted(const allot__work *work, allot__match *match)
{
    const allot__group_hosts *hosts = work->hosts;
    int64_t slots = 0;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        if (match->class_of[row] >= 0) {
            allot__match_push(match, match->class_of[row],
                              allot__hosts_unmet(work, row, work->limit[row]));
        }
    }
    for (int32_t host = 0; host < hosts->count; host++) {
        int32_t kind = match->kind_of[host];
        if (kind >= 0 && hosts->owner[host] != ALLOT_ROOT) {
            slots += match->left[kind];
            match->left[kind] = 0; /* counted for all hosts of the kind */
        } else if (kind < 0) {
            slots += hosts->free[host]; /* contested */
        }
    }
    return slots;
}

/* Blocks free slots that the owner of their host does not want. */
static int block(allot__work *work, allot__group_hosts *hosts)
{
    allot__match match;
    int status = allot__match_make(work, ALLOT__FREE_SLOTS, 0, &match);
    if (status != ALLOT_OK)
        return status;
    int64_t idle = work->slots;
    for (int32_t row = 0; row < work->tree->rows; row++)
        idle -= allot__family_of(work, row) == 0 ? work->allocated[row] : 0;
    idle = idle > 0 ? idle : 0;
    hosts->blocked += hosts->guessed + unwanted(work, &match);
    hosts->blocked = hosts->blocked < idle ? hosts->blocked : idle;
    allot__work_resize(work, work->slots - hosts->blocked);
    return ALLOT_OK;
}

static void say(const allot__work *work, const allot__group_hosts *hosts, const int32_t *seen)
{
    for (int32_t host = 0; host < hosts->count; host++) {
        if (seen[host] == ALLOT__NOBODY && hosts->slots[host] > 0) {
            allot_report_say(
                work->report, ALLOT_WARNING, "W-exclusive",
                "host %.200s: an exclusive consumer and others run there: no consumer gets "
                "its %d free slots",
                work->state->tasks.sites[hosts->site[host]].name, (int)hosts->free[host]);
        }
    }
    if (hosts->exclusive_of && hosts->unknown > 0) {
        allot_report_say(work->report, ALLOT_WARNING, "W-hosts",
                         "no task tells the host of %" PRId64 " slots held: exclusive consumers "
                         "get no other hosts than theirs, since none is known to be empty",
                         hosts->unknown);
    }
}

int allot__group_hosts_settle(allot__work *work, allot__group_hosts *hosts, const int32_t *seen,
                              const int32_t *lost)
{
    name_owners(hosts, seen);
    bool some = hosts->owned || (hosts->exclusive_of != NULL && hosts->unknown > 0);
    if (!some) {
        say(work, hosts, seen);
        return ALLOT_OK;
    }
    size_t rows = (size_t)work->tree->rows;
    int64_t *sums = allot__arena_take(work->arena, rows, sizeof *sums);
    if (!sums)
        return ALLOT_ENOMEM;
    if (hosts->exclusive_of && hosts->unknown > 0)
        guess(work, hosts, seen, lost, sums);
    for (size_t row = 0; row < rows; row++)
        sums[row] = lost[row];
    add_up(work, sums);
    find_lost(work, hosts, sums);
    say(work, hosts, seen);
    return block(work, hosts);
}
