/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* usage.c: powers of fixed-point roots, in 256 bits where 128 are too few. */
#include "base/usage.h"

enum { USE_BITS = 84 };

/* n / divisor, truncated; the divisor has 32 bits. */
static allot__wide divided(allot__wide n, uint32_t divisor)
{
    uint32_t limbs[8];
    for (int i = 0; i < 4; i++) {
        limbs[i] = (uint32_t)(n.high >> (96 - 32 * i));
        limbs[4 + i] = (uint32_t)(n.low >> (96 - 32 * i));
    }
    uint64_t rest = 0;
    allot__wide out = {0, 0};
    for (int i = 0; i < 8; i++) {
        uint64_t part = rest << 32 | limbs[i];
        rest = part % divisor;
        allot__u128 *half = i < 4 ? &out.high : &out.low;
        *half = *half << 32 | part / divisor;
    }
    return out;
}

allot__fading allot__fading_over(int64_t seconds, const allot_decay *decay,
                                 const allot__roots *roots)
{
    allot__u128 one = (allot__u128)1 << ALLOT__ONE_BITS;
    allot__fading fading = {.part = one, .parts = decay->parts};
    if (seconds <= 0 || decay->period <= 0 || decay->parts <= 1)
        return fading;
    fading.times = seconds / decay->period;
    allot__u128 rest = (allot__u128)(seconds % decay->period);
    allot__u128 power = one / (uint32_t)decay->parts;
    for (int i = 0; i < ALLOT__ROOTS && rest > 0; i++) {
        power = roots ? roots->of[i] : allot__root(power);
        rest *= 2;
        if (rest >= (allot__u128)decay->period) {
            rest -= (allot__u128)decay->period;
            fading.part = allot__wide_whole(allot__wide_times(fading.part, power));
        }
    }
    return fading;
}

allot__u128 allot__usage_left(allot__u128 use, const allot__fading *fading)
{
    if (fading->times > USE_BITS) /* use has halved more often than it has bits */
        return 0;
    allot__wide left = allot__wide_times(use, fading->part);
    for (int64_t i = 0; i < fading->times; i++)
        left = divided(left, (uint32_t)fading->parts);
    allot__u128 half = (allot__u128)1 << (ALLOT__ONE_BITS - 1);
    left.low += half;
    left.high += left.low < half;
    return allot__wide_whole(left);
}

/* ---- While it goes on ------------------------------------------------------------------------ */

enum { SUM_BITS = 62 }; /* sums are in parts of 2^62 */

allot__pace allot__pace_of(const allot_decay *decay, const allot__roots *roots)
{
    allot__u128 one = (allot__u128)1 << ALLOT__ONE_BITS;
    if (decay->period <= 0 || decay->parts <= 1)
        return (allot__pace){0};
    if (decay->period == 1)
        return (allot__pace){one / (uint32_t)decay->parts};
    return (allot__pace){allot__fading_over(1, decay, roots).part};
}

/* part^times, of 2^126. */
static allot__u128 power_of(allot__u128 part, int64_t times_over)
{
    allot__u128 out = (allot__u128)1 << ALLOT__ONE_BITS;
    for (; times_over > 0; times_over >>= 1) {
        if (times_over & 1)
            out = allot__wide_whole(allot__wide_times(out, part));
        part = allot__wide_whole(allot__wide_times(part, part));
    }
    return out;
}

/* n / divisor in parts of 2^62, to the nearest; n at most 2^126. */
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

/* Slot-seconds of one slot over n seconds, in parts of 2^62. */
static allot__u128 sum_over(int64_t seconds, const allot__pace *pace)
{
    allot__u128 one = (allot__u128)1 << ALLOT__ONE_BITS;
    if (pace->part == 0)
        return (allot__u128)seconds << SUM_BITS;
    return quotient(one - power_of(pace->part, seconds), one - pace->part);
}

static allot__u128 made_of(allot__u128 sum, int64_t slots)
{
    allot__wide made = allot__wide_times(sum, (allot__u128)slots * ALLOT__MILLION);
    allot__u128 half = (allot__u128)1 << (SUM_BITS - 1);
    made.low += half;
    made.high += made.low < half;
    return made.high << (128 - SUM_BITS) | made.low >> SUM_BITS;
}

allot__u128 allot__usage_made(int64_t slots, int64_t seconds, const allot__pace *pace)
{
    return slots <= 0 || seconds <= 0 ? 0 : made_of(sum_over(seconds, pace), slots);
}

/* ---- Use so far, and what is used since ------------------------------------------------------ */

static uint64_t to_63_bits(allot__u128 part)
{
    return (uint64_t)((part + ((allot__u128)1 << (ALLOT__ONE_BITS - 64))) >>
                      (ALLOT__ONE_BITS - 63));
}

static void fill_powers(allot__decay *decay)
{
    allot__u128 one = (allot__u128)1 << ALLOT__ONE_BITS, step = decay->pace.part;
    for (int digit = 0; digit < ALLOT__DIGITS; digit++) {
        allot__u128 power = one;
        for (int i = 0; i < 1 << ALLOT__DIGIT; i++) {
            decay->left[digit][i] = to_63_bits(power);
            power = allot__wide_whole(allot__wide_times(power, step));
        }
        step = power;
    }
}

/* 10^6 / (1 - r), with as many bits behind the point as fit. */
static void fill_steady(allot__decay *decay)
{
    enum { MOST = 62 };
    allot__u128 one = (allot__u128)1 << ALLOT__ONE_BITS;
    allot__wide made = allot__wide_times(quotient(one, one - decay->pace.part), ALLOT__MILLION);
    int shift = 64 - SUM_BITS;
    for (; made.high != 0 || made.low >> 64 != 0; shift++) {
        made.low = made.high << 127 | made.low >> 1;
        made.high >>= 1;
    }
    decay->steady = (uint64_t)made.low;
    decay->shift = shift < MOST ? shift : MOST;
    decay->lasting = (double)decay->steady / ALLOT__MILLION;
    for (int i = shift; i < 64; i++)
        decay->lasting /= 2;
    for (int i = 64; i < shift; i++)
        decay->lasting *= 2;
}

void allot__decay_make(const allot_decay *by, allot__decay *out)
{
    out->by = *by;
    allot__roots_make(by->parts, &out->roots);
    out->pace = allot__pace_of(by, &out->roots);
    if (out->pace.part == 0)
        return;
    fill_powers(out);
    fill_steady(out);
}

int64_t allot__seconds_between(int64_t from, int64_t to)
{
    allot__i128 seconds = (allot__i128)to - from;
    return seconds < 0 ? 0 : seconds > INT64_MAX ? INT64_MAX : (int64_t)seconds;
}

allot__usage allot__usage_cut(allot__u128 millionths, int64_t at)
{
    const allot__u128 most = (allot__u128)ALLOT__USAGE_MOST * ALLOT__MILLION;
    allot__u128 cut = millionths < most ? millionths : most;
    return (allot__usage){.slot_seconds = (int64_t)(cut / ALLOT__MILLION),
                          .millionths = (int32_t)(cut % ALLOT__MILLION),
                          .at = at,
                          .told = true};
}

allot__usage allot__usage_after(const allot__usage *usage, int64_t slots, int64_t when,
                                const allot__decay *decay)
{
    if (when <= usage->at)
        return *usage;
    int64_t soon = allot__usage_soon(usage, slots, when, decay);
    if (soon >= 0)
        return allot__usage_cut((allot__u128)soon, when);
    int64_t seconds = allot__seconds_between(usage->at, when);
    allot__fading fading = allot__fading_over(seconds, &decay->by, &decay->roots);
    return allot__usage_cut(allot__usage_left(allot__usage_whole(usage), &fading) +
                                allot__usage_made(slots, seconds, &decay->pace),
                            when);
}
