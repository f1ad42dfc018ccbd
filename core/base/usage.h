/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * usage.h: decayed use of queues and leaves (C-14), in integers.
 *
 * Use is in millionths of slot-seconds. After `period` seconds 1/parts of it is left, after s
 * seconds parts^(-s/period): one step over t seconds and two steps over the same time differ only
 * by rounding, below 2 millionths a step.
 *
 * For s < period, parts^(-s/period) is a product of repeated square roots of 1/parts, one for each
 * bit set in s/period. Each root is found by integer search, in parts of 2^126; there are so many
 * that for use below 2^84 further ones change nothing.
 */
#ifndef ALLOT_BASE_USAGE_H
#define ALLOT_BASE_USAGE_H

#include <stdbool.h>

#include <allot/queue.h>

#include "base/wide.h"

/* What a span of time leaves: part / 2^126, divided `times` times by `parts`. */
typedef struct allot__fading {
    allot__u128 part;
    int64_t times;
    int32_t parts;
} allot__fading;

/* A span of 0 or less, no period, or a single part leaves everything. `roots` are those of the
 * decay's parts; NULL: they are computed here. */
allot__fading allot__fading_over(int64_t seconds, const allot_decay *decay,
                                 const allot__roots *roots);
/* What is left of use below 2^84, rounded to the nearest. */
allot__u128 allot__usage_left(allot__u128 use, const allot__fading *fading);

/*
 * Decay of use that goes on. Each second of use counts at its end, and fades from then: over n
 * seconds that is 1 + r + ... + r^(n - 1), where r is what one second leaves. So the result does
 * not depend on how often it is computed in between.
 */
typedef struct allot__pace {
    allot__u128 part; /* r, of 2^126; 0: nothing fades */
} allot__pace;

allot__pace allot__pace_of(const allot_decay *decay, const allot__roots *roots);
/* Millionths of slot-seconds of `slots`, 0 ... 2^40, used for `seconds` until now; below 0 as 0.
 * Within a millionth of 2^34 slots or less. */
allot__u128 allot__usage_made(int64_t slots, int64_t seconds, const allot__pace *pace);

/* ---- Use so far, and what is used since ------------------------------------------------------ */

enum { ALLOT__MILLION = 1000000 };
/* The most slot-seconds that are kept; more are cut. */
#define ALLOT__USAGE_MOST ((int64_t)1 << 62)

/* Use as it was at a time. */
typedef struct allot__usage {
    int64_t slot_seconds, at; /* INT64_MIN: no time is known */
    int32_t millionths;
    bool told; /* of a queue: the state states it */
} allot__usage;

/* How use fades in a plan, computed once; what follows `pace` only if use fades. */
enum { ALLOT__DIGIT = 10, ALLOT__DIGITS = 3 };
typedef struct allot__decay {
    allot_decay by;
    allot__roots roots;
    allot__pace pace;
    /* What is left after d * 2^(10 i) seconds, of 2^63, to the nearest. */
    uint64_t left[ALLOT__DIGITS][1 << ALLOT__DIGIT];
    /* Millionths of slot-seconds that one slot in use comes to at last, times 2^(64 - shift); shift
     * 62: they are too many. */
    uint64_t steady;
    int shift;
    double lasting; /* slot-seconds of the same, near it */
} allot__decay;
void allot__decay_make(const allot_decay *by, allot__decay *out);

/* What is left after so many seconds, at least 0, within 2^-61, where something fades; -1: it is
 * too long. */
static inline double allot__left_near(const allot__decay *decay, int64_t seconds)
{
    const int64_t digit = (1 << ALLOT__DIGIT) - 1;
    double left = 1;
    if (seconds >> (ALLOT__DIGIT * ALLOT__DIGITS) != 0)
        return -1;
    for (int i = 0; i < ALLOT__DIGITS; i++, seconds >>= ALLOT__DIGIT)
        left *= (double)decay->left[i][seconds & digit] * 0x1p-63;
    return left;
}

/* Seconds from a time to a later one, at least 0, at most INT64_MAX. */
int64_t allot__seconds_between(int64_t from, int64_t to);

static inline allot__u128 allot__usage_whole(const allot__usage *usage)
{
    return (allot__u128)usage->slot_seconds * ALLOT__MILLION + (allot__u128)usage->millionths;
}
/* Millionths of slot-seconds as usage, cut. */
allot__usage allot__usage_cut(allot__u128 millionths, int64_t at);
/* Use at a later time if `slots` were used since, within a millionth. */
allot__usage allot__usage_after(const allot__usage *usage, int64_t slots, int64_t when,
                                const allot__decay *decay);
/* The same in millionths by three products of 64 bits, of use that fades; below 0: that is too
 * much, or too long ago. `when` is later. Powers are off by 2^-61.7 at most, and use is below 2^59
 * here, so eighths of a millionth are known. */
static inline int64_t allot__usage_soon(const allot__usage *usage, int64_t slots, int64_t when,
                                        const allot__decay *decay)
{
    const uint64_t half = UINT64_C(1) << 62, digit = (1 << ALLOT__DIGIT) - 1;
    uint64_t seconds = (uint64_t)when - (uint64_t)usage->at, many = (uint64_t)slots;
    allot__u128 eighths = ((allot__u128)(many << decay->shift) * decay->steady + half / 4) >> 61;
    bool much = many >> (62 - decay->shift) != 0 || eighths >= half ||
                usage->slot_seconds >= (int64_t)(half / 8 / ALLOT__MILLION);
    if (much || seconds >> (ALLOT__DIGIT * ALLOT__DIGITS) != 0 || decay->pace.part == 0)
        return -1;
    uint64_t left = decay->left[0][seconds & digit], more = seconds >> ALLOT__DIGIT;
    if (more != 0)
        left = (uint64_t)(((allot__u128)left * decay->left[1][more & digit] + half) >> 63);
    if (more >> ALLOT__DIGIT != 0)
        left = (uint64_t)(((allot__u128)left * decay->left[2][more >> ALLOT__DIGIT] + half) >> 63);
    int64_t steady = (int64_t)eighths;
    int64_t above = (usage->slot_seconds * ALLOT__MILLION + usage->millionths) * 8 - steady;
    allot__i128 use = ((allot__i128)steady << 63) + (allot__i128)above * (int64_t)left;
    return (int64_t)((use + ((allot__i128)1 << 65)) >> 66);
}

#endif
