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

/* ---- In proportion to what is over ----------------------------------------------------------- */

#define SMALL ((int64_t)1 << 30) /* remainders of sums below fit 32 bits */

/* part = floor(left * slots / sum), guessed in double and mended by the remainder, which is right
 * modulo 2^32. */
ALLOT__INLINE int64_t floors(const int32_t *restrict left, int32_t *restrict part, int32_t count,
                             int32_t slots, int32_t sum)
{
    double rate = (double)slots / (double)sum;
    int64_t given = 0;
#pragma omp simd reduction(+ : given)
    for (int32_t i = 0; i < count; i++) {
        int32_t share = (int32_t)(rate * (double)left[i]);
        int32_t rest =
            (int32_t)((uint32_t)slots * (uint32_t)left[i] - (uint32_t)share * (uint32_t)sum);
        share += (rest >= sum) - (rest < 0);
        part[i] = share;
        given += share;
    }
    return given;
}

ALLOT__INLINE int64_t large_floors(const int32_t *left, int32_t *part, int32_t count, int64_t slots,
                                   int64_t sum)
{
    int64_t given = 0;
    for (int32_t i = 0; i < count; i++) {
        part[i] = (int32_t)((allot__i128)left[i] * slots / sum);
        given += part[i];
    }
    return given;
}

ALLOT__INLINE int32_t largest(const int32_t *restrict left, int32_t count)
{
    int32_t most = 0;
#pragma omp simd reduction(max : most)
    for (int32_t i = 0; i < count; i++)
        most = left[i] > most ? left[i] : most;
    return most;
}

ALLOT__INLINE int32_t count_above(const int32_t *restrict left, int32_t count, int32_t bound)
{
    int32_t above = 0;
#pragma omp simd reduction(+ : above)
    for (int32_t i = 0; i < count; i++)
        above += left[i] > bound;
    return above;
}

ALLOT__INLINE void one_above(const int32_t *restrict left, int32_t *restrict part, int32_t count,
                             int32_t bound)
{
#pragma omp simd
    for (int32_t i = 0; i < count; i++)
        part[i] += left[i] > bound;
}

/* Rule 3: one more for each of the `rest` rows that are over by most, the later first in a tie.
 * The bound above which fewer than `rest` rows are is found by halving. */
ALLOT__INLINE void split_rest(const int32_t *left, int32_t *part, int32_t count, int64_t rest)
{
    int32_t low = 0; /* at least `rest` rows are above */
    int32_t high = largest(left, count);
    if (rest == 0)
        return;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (count_above(left, count, middle) >= rest)
            low = middle;
        else
            high = middle;
    }
    one_above(left, part, count, high);
    rest -= count_above(left, count, high);
    for (int32_t i = count - 1; rest > 0; i--) {
        if (left[i] == high) {
            part[i]++;
            rest--;
        }
    }
}

ALLOT__CLONES static void share_out(const int32_t *restrict left, int32_t *restrict part,
                                    int32_t count, int64_t slots, int64_t sum)
{
    int64_t given = sum < SMALL ? floors(left, part, count, (int32_t)slots, (int32_t)sum)
                                : large_floors(left, part, count, slots, sum);
    split_rest(left, part, count, slots - given);
}

void allot__round_over(const int32_t *over, int32_t *part, int32_t count, int64_t slots,
                       int64_t sum)
{
    share_out(over, part, count, slots, sum);
}
