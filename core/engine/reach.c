/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reach.c: for every kind of consumer that lacks slots, who is over on hosts that help it. */
#include "engine/reach.h"

#include "engine/over.h"

enum { ANY = INT32_MAX };

static int32_t cut(int64_t slots)
{
    return slots < ANY ? (int32_t)slots : ANY;
}

/* Slots of a leaf on hosts that are marked; where its place is not known it may be any of these. */
static int64_t marked(const allot__work *work, int32_t row, const uint8_t *marks)
{
    const allot__rack *rack = work->rack;
    const allot__units *units = &work->state->tasks.units[work->index];
    int32_t leaf = allot__handle(work, row);
    int64_t slots = rack->lost[row];
    for (int32_t i = units->count > 0 ? units->first[leaf] : 0;
         units->count > 0 && i < units->first[leaf + 1]; i++) {
        int32_t host = units->site[i] >= 0 ? rack->host_of[units->site[i]] : -1;
        slots += host >= 0 && marks[host] != 0 ? units->slots[i] : 0;
    }
    return slots;
}

/* Marks the hosts that help a leaf. */
static void mark(const allot__work *work, int32_t row, uint8_t *marks)
{
    for (int32_t host = 0; host < work->rack->count; host++) {
        marks[host] = allot__rack_helps(work, row, host);
    }
}

/* Do the same hosts help both? */
static bool alike(const allot__rack *rack, int32_t a, int32_t b)
{
    return !rack->given && (rack->unit == NULL || rack->unit[a] == rack->unit[b]) &&
           (rack->asks == NULL || rack->asks[a] == rack->asks[b]);
}

/* What others are over on marked hosts. */
static int64_t within(const allot__work *work, int32_t row, const uint8_t *marks)
{
    int64_t sum = 0;
    for (int32_t other = 0; other < work->tree->rows; other++) {
        if (other == row || allot__family_of(work, other) != 0) {
            continue;
        }
        int64_t over = allot__over(work, other);
        int64_t there = over > 0 ? marked(work, other, marks) : 0;
        sum += over < there ? over : there;
    }
    return sum;
}

/* An exclusive consumer helps others by leaving hosts whole: those where it has fewest slots, as
 * far as they are among the `over` that it has too many. */
static void leave_hosts(allot__rack *rack, int32_t unit, int64_t over)
{
    for (;;) {
        int32_t best = -1, least = 0;
        for (int32_t host = 0; host < rack->count; host++) {
            int32_t used = rack->slots[host] - rack->free[host];
            if (rack->owner[host] == unit && rack->left[host] == 0 && (best < 0 || used < least)) {
                best = host;
                least = used;
            }
        }
        if (best < 0 || least > over) {
            return;
        }
        rack->left[best] = 1;
        over -= least;
    }
}

static int find_left(allot__work *work)
{
    allot__rack *rack = work->rack;
    size_t count = (size_t)rack->count, rows = (size_t)work->tree->rows;
    if (rack->unit == NULL) {
        return ALLOT_OK;
    }
    int64_t *over = allot__arena_take(work->arena, rows, sizeof *over);
    rack->left = allot__arena_take(work->arena, count, 1);
    if (over == NULL || rack->left == NULL) {
        return ALLOT_ENOMEM;
    }
    for (size_t host = 0; host < count; host++) {
        rack->left[host] = 0;
    }
    for (size_t row = 0; row < rows; row++) {
        over[row] = 0;
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        if (rack->unit[row] != ALLOT_ROOT && allot__family_of(work, row) == 0) {
            over[allot__row(work->plan, work->index, rack->unit[row])] += allot__over(work, row);
        }
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        if (over[row] > 0) {
            leave_hosts(rack, rack->unit[row], over[row]);
        }
    }
    return ALLOT_OK;
}

/* Fills reach; `all` marks the hosts that help anybody who lacks slots. */
static void fill(allot__work *work, uint8_t *marks, uint8_t *all)
{
    int32_t last = -1;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        work->reach[row] = ANY;
        if (allot__family_of(work, row) != 0 || allot__lack(work, row) == 0) {
            continue;
        }
        if (last >= 0 && alike(work->rack, row, last)) {
            work->reach[row] = work->reach[last];
            continue;
        }
        mark(work, row, marks);
        work->reach[row] = cut(within(work, row, marks));
        last = row;
        for (int32_t host = 0; host < work->rack->count; host++) {
            all[host] |= marks[host];
        }
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        bool over = allot__family_of(work, row) == 0 && allot__over(work, row) > 0;
        work->useful[row] = over ? cut(marked(work, row, all)) : ANY;
    }
}

static bool somebody_lacks(const allot__work *work)
{
    for (int32_t row = 0; row < work->tree->rows; row++) {
        if (allot__family_of(work, row) == 0 && allot__lack(work, row) > 0) {
            return true;
        }
    }
    return false;
}

int allot__reach(allot__work *work)
{
    if (work->room == NULL || !somebody_lacks(work)) {
        return ALLOT_OK;
    }
    size_t count = (size_t)work->rack->count, rows = (size_t)work->tree->rows;
    uint8_t *marks = allot__arena_take(work->arena, count, 1);
    uint8_t *all = allot__arena_take(work->arena, count, 1);
    work->reach = allot__arena_take(work->arena, rows, sizeof *work->reach);
    work->useful = allot__arena_take(work->arena, rows, sizeof *work->useful);
    if (marks == NULL || all == NULL || work->reach == NULL || work->useful == NULL) {
        return ALLOT_ENOMEM;
    }
    for (size_t host = 0; host < count; host++) {
        all[host] = 0;
    }
    int status = find_left(work);
    if (status == ALLOT_OK) {
        fill(work, marks, all);
    }
    return status;
}
