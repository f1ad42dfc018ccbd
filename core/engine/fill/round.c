/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* round.c: each rounding is a function over one family; ties go to the row that stands first. */
#include "engine/fill/round.h"

#include <string.h>

#include "base/heap.h"
#include "base/simd.h"

static void by_rank(const allot__shares *shares)
{
    const int32_t *rest = shares->rest;
    int32_t *quota = shares->quota;
    if (quota != shares->floor)
        memcpy(quota, shares->floor, (size_t)shares->count * sizeof *quota);
    int64_t lost = shares->whole - allot__sum(shares->floor, shares->count);
    for (int32_t i = 0; lost > 0 && i < shares->count; i++) {
        int32_t one = rest[i] != 0;
        quota[i] += one;
        lost -= one;
    }
}

/* Slots of a row that other rows cannot round up into: its reserve, within its share. */
static int32_t kept(const allot__shares *shares, int32_t i)
{
    return shares->reserve[i] < shares->floor[i] ? shares->reserve[i] : shares->floor[i];
}

static void up_in_order(const allot__shares *shares)
{
    int64_t left = shares->whole;
    for (int32_t i = 0; i < shares->count; i++)
        left -= kept(shares, i);
    for (int32_t i = 0; i < shares->count; i++) {
        int64_t more = shares->floor[i] + (shares->rest[i] != 0) - kept(shares, i);
        more = more < left ? more : left;
        shares->quota[i] = kept(shares, i) + (int32_t)more;
        left -= more;
    }
}

/* Orders in which rows take a slot, or give one back. */
static bool larger_fraction(const void *ud, int32_t a, int32_t b)
{
    const allot__shares *shares = ud;
    if (shares->fraction[a] != shares->fraction[b])
        return shares->fraction[a] > shares->fraction[b];
    return a < b;
}

/* Slots of a row that are not seats of the critical fill. */
static int32_t below_seats(const allot__shares *shares, int32_t i)
{
    return shares->level ? 0 : shares->base[i];
}

/* a / (2 * slots + 1), compared crosswise: 10^9 * 2 * 10^9 fits. */
static bool next_seat(const void *ud, int32_t a, int32_t b)
{
    const allot__shares *shares = ud;
    int64_t of_a = 2 * ((int64_t)shares->quota[a] - below_seats(shares, a)) + 1;
    int64_t of_b = 2 * ((int64_t)shares->quota[b] - below_seats(shares, b)) + 1;
    int64_t x = shares->weight[a] * of_b;
    int64_t y = shares->weight[b] * of_a;
    return x != y ? x > y : a < b;
}

/* The seat taken last goes first: next_seat, backwards, one seat earlier. */
static bool last_seat(const void *ud, int32_t a, int32_t b)
{
    const allot__shares *shares = ud;
    int64_t of_a = 2 * ((int64_t)shares->quota[a] - below_seats(shares, a)) - 1;
    int64_t of_b = 2 * ((int64_t)shares->quota[b] - below_seats(shares, b)) - 1;
    int64_t x = shares->weight[a] * of_b;
    int64_t y = shares->weight[b] * of_a;
    return x != y ? x < y : a > b;
}

static void by_remainder(const allot__shares *shares)
{
    int64_t lost = shares->whole - allot__sum(shares->floor, shares->count);
    int32_t count = 0;
    for (int32_t i = 0; i < shares->count; i++) {
        shares->quota[i] = shares->floor[i];
        if (shares->rest[i] != 0)
            shares->order[count++] = i;
    }
    allot__heap_make(shares->order, count, larger_fraction, shares);
    for (; lost > 0 && count > 0; lost--) {
        shares->quota[shares->order[0]]++;
        shares->order[0] = shares->order[--count];
        allot__heap_sink(shares->order, count, 0, larger_fraction, shares);
    }
}

/* Gives slots (by 1) or takes them (by -1), one after another, at the first row of a heap that has
 * room; returns the number of slots left. */
static int64_t move_seats(const allot__shares *shares, int64_t seats, int32_t by,
                          allot__before *first)
{
    const int32_t *bound = by > 0 ? shares->aim : shares->base;
    int32_t *heap = shares->order;
    int32_t count = 0;
    for (int32_t i = 0; i < shares->count; i++)
        if (shares->weight[i] > 0 && shares->quota[i] != bound[i])
            heap[count++] = i;
    allot__heap_make(heap, count, first, shares);
    for (; seats > 0 && count > 0; seats--) {
        shares->quota[heap[0]] += by;
        if (shares->quota[heap[0]] == bound[heap[0]])
            heap[0] = heap[--count];
        allot__heap_sink(heap, count, 0, first, shares);
    }
    return seats;
}

/*
 * Seat k of a row is due at the rate (2k - 1) / (2 * weight); under C-15 the row's base has its
 * first seats. All seats due below the exact rate are the answer for a house of their number; from
 * there the last seats are taken back, or the next ones given.
 */
static void by_seats(const allot__shares *shares)
{
    if (!shares->weight) {
        by_rank(shares);
        return;
    }
    for (int32_t i = 0; i < shares->count; i++) {
        allot__u128 twice = 2 * shares->amount * (allot__u128)shares->weight[i];
        allot__u128 seats = (twice + shares->one - 1) / (2 * shares->one);
        int32_t from = below_seats(shares, i), room = shares->aim[i] - from;
        int32_t due = from + (seats < (allot__u128)room ? (int32_t)seats : room);
        shares->quota[i] = due > shares->base[i] ? due : shares->base[i];
    }
    int64_t lost = shares->whole - allot__sum(shares->quota, shares->count);
    if (lost < 0) {
        move_seats(shares, -lost, -1, last_seat);
        return;
    }
    lost = move_seats(shares, lost, 1, next_seat);
    /* The slots left come from fractions of earlier fills. */
    for (int32_t i = 0; lost > 0 && i < shares->count; i++) {
        int32_t one = shares->rest[i] != 0 && shares->quota[i] == shares->floor[i];
        shares->quota[i] += one;
        lost -= one;
    }
}

void allot__round(allot_rounding rounding, const allot__shares *shares)
{
    switch (rounding) {
    case ALLOT_ROUND_RANK:
        by_rank(shares);
        return;
    case ALLOT_ROUND_CEIL_IN_ORDER:
        up_in_order(shares);
        return;
    case ALLOT_ROUND_LARGEST_REMAINDER:
        by_remainder(shares);
        return;
    case ALLOT_ROUND_WEBSTER:
        by_seats(shares);
        return;
    }
}

void allot__round_pour(allot__pour *rows, int32_t *level)
{
    int64_t whole = rows->left;
    allot__pour_aims(rows);
    if (!allot__pour_exact(rows)) {
        memcpy(level, rows->aim, (size_t)rows->count * sizeof *level);
        return;
    }
    for (int32_t i = 0; i < rows->count; i++)
        whole += level[i];
    allot__shares shares = {.count = rows->count,
                            .whole = whole,
                            .floor = rows->floor,
                            .rest = rows->rest,
                            .quota = level};
    allot__round(ALLOT_ROUND_RANK, &shares);
}
