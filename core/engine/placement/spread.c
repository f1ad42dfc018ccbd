/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * spread.c: stacked and balanced. Balanced takes a few slots from a heap, and many by levelling all
 * hosts at once, so that the cost does not exceed the number of slots.
 */
#include "engine/placement/spread.h"

int64_t allot__stack(allot__choice *choice, int64_t want, allot__piece *piece, void *ud)
{
    while (want > 0 && choice->next < choice->count) {
        int32_t host = choice->hosts[choice->next];
        int32_t part = choice->free[host] < want ? choice->free[host] : (int32_t)want;
        if (part > 0) {
            piece(ud, host, part);
            want -= part;
        }
        if (choice->free[host] == 0)
            choice->next++;
    }
    return want;
}

/* Does a host come before another? */
static bool before(const allot__choice *choice, int32_t a, int32_t b)
{
    int32_t free_a = choice->free[a], free_b = choice->free[b];
    return free_a != free_b ? free_a > free_b : a < b;
}

static void sink(allot__choice *choice, int32_t at)
{
    int32_t *hosts = choice->hosts;
    int32_t moved = hosts[at];
    for (int32_t child = 2 * at + 1; child < choice->count; child = 2 * at + 1) {
        if (child + 1 < choice->count && before(choice, hosts[child + 1], hosts[child]))
            child++;
        if (!before(choice, hosts[child], moved))
            break;
        hosts[at] = hosts[child];
        at = child;
    }
    hosts[at] = moved;
}

static void heap(allot__choice *choice)
{
    for (int32_t i = choice->count / 2 - 1; i >= 0; i--)
        sink(choice, i);
    choice->heaped = true;
}

/* Slots above a level. */
static int64_t above(const allot__choice *choice, int64_t level)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < choice->count; i++) {
        int64_t more = choice->free[choice->hosts[i]] - level;
        sum += more > 0 ? more : 0;
    }
    return sum;
}

/* Takes every host down to one level, and the first hosts at that level one slot further: first by
 * number, since `hosts` may be in any order. */
static void level_out(allot__choice *choice, int64_t want, allot__piece *piece, void *ud)
{
    int64_t low = 0, high = INT32_MAX; /* above(low) >= want > above(high) */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (above(choice, middle) >= want)
            low = middle;
        else
            high = middle;
    }
    int64_t further = want - above(choice, high);
    int64_t first = 0, last = INT32_MAX; /* hosts below `last` go further */
    while (last - first > 0) {
        int64_t middle = first + (last - first) / 2, count = 0;
        for (int32_t i = 0; i < choice->count; i++)
            count += choice->hosts[i] < middle && choice->free[choice->hosts[i]] >= high;
        if (count >= further)
            last = middle;
        else
            first = middle + 1;
    }
    for (int32_t i = 0; i < choice->count; i++) {
        int32_t host = choice->hosts[i];
        int64_t part = choice->free[host] - high + (host < last);
        if (part > 0)
            piece(ud, host, (int32_t)part);
    }
    heap(choice);
}

int64_t allot__balance(allot__choice *choice, int64_t want, allot__piece *piece, void *ud)
{
    int64_t left = want > choice->total ? want - choice->total : 0;
    want -= left;
    choice->total -= want;
    if (want > choice->count) {
        level_out(choice, want, piece, ud);
        return left;
    }
    if (!choice->heaped)
        heap(choice);
    for (; want > 0; want--) {
        piece(ud, choice->hosts[0], 1);
        sink(choice, 0);
    }
    return left;
}
