/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* usage.c: powers of a fixed-point root, in 256 bits where 128 do not do. */
#include "engine/usage.h"

#include <stdbool.h>

enum {
    ONE_BITS = 126, /* fixed point: 1 is 2^126 */
    USE_BITS = 84,
    DEPTH = 112 /* roots: the rest of s/period is below 2^-112 */
};

typedef struct wide {
    allot__u128 high, low;
} wide;

static wide times(allot__u128 a, allot__u128 b)
{
    allot__u128 mask = UINT64_MAX;
    allot__u128 low = (a & mask) * (b & mask);
    allot__u128 left = (a >> 64) * (b & mask), right = (a & mask) * (b >> 64);
    allot__u128 middle = (low >> 64) + (left & mask) + (right & mask);
    return (wide){.high = (a >> 64) * (b >> 64) + (left >> 64) + (right >> 64) + (middle >> 64),
                  .low = middle << 64 | (low & mask)};
}

/* n / 2^126, cut. */
static allot__u128 whole(wide n)
{
    return n.high << (128 - ONE_BITS) | n.low >> ONE_BITS;
}

/* n / divisor, cut; the divisor has 32 bits. */
static wide divided(wide n, uint32_t divisor)
{
    uint32_t limbs[8];
    for (int i = 0; i < 4; i++) {
        limbs[i] = (uint32_t)(n.high >> (96 - 32 * i));
        limbs[4 + i] = (uint32_t)(n.low >> (96 - 32 * i));
    }
    uint64_t rest = 0;
    wide out = {0, 0};
    for (int i = 0; i < 8; i++) {
        uint64_t part = rest << 32 | limbs[i];
        rest = part % divisor;
        allot__u128 *half = i < 4 ? &out.high : &out.low;
        *half = *half << 32 | part / divisor;
    }
    return out;
}

/* The largest r with r * r <= n * 2^126, n at most 2^126. */
static allot__u128 root(allot__u128 n)
{
    allot__u128 found = 0;
    wide most = {n >> (128 - ONE_BITS), n << ONE_BITS};
    for (int bit = ONE_BITS; bit >= 0; bit--) {
        allot__u128 guess = found | (allot__u128)1 << bit;
        wide square = times(guess, guess);
        if (square.high < most.high || (square.high == most.high && square.low <= most.low))
            found = guess;
    }
    return found;
}

allot__fading allot__fading_over(int64_t seconds, const allot_decay *decay)
{
    allot__u128 one = (allot__u128)1 << ONE_BITS;
    allot__fading fading = {.part = one, .parts = decay->parts};
    if (seconds <= 0 || decay->period <= 0 || decay->parts <= 1)
        return fading;
    fading.times = seconds / decay->period;
    allot__u128 rest = (allot__u128)(seconds % decay->period);
    allot__u128 power = one / (uint32_t)decay->parts;
    for (int i = 0; i < DEPTH && rest > 0; i++) {
        power = root(power);
        rest *= 2;
        if (rest >= (allot__u128)decay->period) {
            rest -= (allot__u128)decay->period;
            fading.part = whole(times(fading.part, power));
        }
    }
    return fading;
}

allot__u128 allot__usage_left(allot__u128 use, const allot__fading *fading)
{
    if (fading->times > USE_BITS) /* it has halved more often than it has bits */
        return 0;
    wide left = times(use, fading->part);
    for (int64_t i = 0; i < fading->times; i++)
        left = divided(left, (uint32_t)fading->parts);
    allot__u128 half = (allot__u128)1 << (ONE_BITS - 1);
    left.low += half;
    left.high += left.low < half;
    return whole(left);
}

allot__u128 allot__usage_fade(allot__u128 use, int64_t seconds, const allot_decay *decay)
{
    allot__fading fading = allot__fading_over(seconds, decay);
    return allot__usage_left(use, &fading);
}

/* ---- While it goes on ------------------------------------------------------------------------ */

enum { SUM_BITS = 40, MILLION = 1000000 }; /* sums are in parts of 2^40 */

allot__pace allot__pace_of(const allot_decay *decay)
{
    bool fades = decay->period > 0 && decay->parts > 1;
    return (allot__pace){fades ? allot__fading_over(1, decay).part : 0};
}

/* part^times, of 2^126. */
static allot__u128 power_of(allot__u128 part, int64_t times_over)
{
    allot__u128 out = (allot__u128)1 << ONE_BITS;
    for (; times_over > 0; times_over >>= 1) {
        if (times_over & 1)
            out = whole(times(out, part));
        part = whole(times(part, part));
    }
    return out;
}

/* n / divisor in parts of 2^40, to the nearest; n at most 2^126. */
static allot__u128 quotient(allot__u128 n, allot__u128 divisor)
{
    allot__u128 out = n / divisor, rest = n % divisor;
    for (int i = 0; i < SUM_BITS; i++) {
        rest *= 2;
        out = out << 1 | (rest >= divisor);
        rest -= rest >= divisor ? divisor : 0;
    }
    return out + (rest * 2 >= divisor);
}

allot__u128 allot__usage_made(int64_t slots, int64_t seconds, const allot__pace *pace)
{
    allot__u128 one = (allot__u128)1 << ONE_BITS;
    if (slots <= 0 || seconds <= 0)
        return 0;
    if (pace->part == 0)
        return (allot__u128)slots * (allot__u128)seconds * MILLION;
    allot__u128 sum = quotient(one - power_of(pace->part, seconds), one - pace->part);
    wide made = times(sum, (allot__u128)slots * MILLION);
    allot__u128 half = (allot__u128)1 << (SUM_BITS - 1);
    made.low += half;
    made.high += made.low < half;
    return made.high << (128 - SUM_BITS) | made.low >> SUM_BITS;
}
