/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* wide.c: exact fractions; square roots of fixed-point numbers, in 256 bits. */
#include "base/wide.h"

#include <stdbool.h>
#include <string.h>

static int zeros(allot__u128 n)
{
    uint64_t low = (uint64_t)n;
    return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(n >> 64));
}

static uint64_t gcd_small(uint64_t a, uint64_t b)
{
    while (a != b) {
        uint64_t gap = a > b ? a - b : b - a;
        b = a > b ? b : a;
        a = gap >> __builtin_ctzll(gap);
    }
    return a;
}

/* Stein's: both odd from here on, so their difference loses at least one bit a step. */
allot__u128 allot__gcd(allot__u128 a, allot__u128 b)
{
    if (a == 0 || b == 0)
        return a | b;
    int shared = zeros(a | b);
    a >>= zeros(a);
    b >>= zeros(b);
    while ((a | b) >> 64) {
        if (a == b)
            return a << shared;
        allot__u128 gap = a > b ? a - b : b - a;
        b = a > b ? b : a;
        a = gap >> zeros(gap);
    }
    return (allot__u128)gcd_small((uint64_t)a, (uint64_t)b) << shared;
}

allot_ratio allot__ratio(allot__u128 num, allot__u128 den)
{
    allot__u128 common = allot__gcd(num, den);
    if (common > 1) {
        num /= common;
        den /= common;
    }
    return (allot_ratio){.num_high = (uint64_t)(num >> 64),
                         .num_low = (uint64_t)num,
                         .den_high = (uint64_t)(den >> 64),
                         .den_low = (uint64_t)den};
}

static allot__u128 whole(uint64_t high, uint64_t low)
{
    return (allot__u128)high << 64 | low;
}

/* Writes the digits before `end` and returns where they begin. */
static char *digits(allot__u128 n, char *end)
{
    do {
        *--end = (char)('0' + (int)(n % 10));
        n /= 10;
    } while (n);
    return end;
}

size_t allot_ratio_text(const allot_ratio *ratio, char *buf, size_t size)
{
    char text[80];
    char *end = text + sizeof text, *start = end;
    if (ratio->den_high || ratio->den_low != 1) {
        start = digits(whole(ratio->den_high, ratio->den_low), start);
        *--start = '/';
    }
    start = digits(whole(ratio->num_high, ratio->num_low), start);
    size_t len = (size_t)(end - start);
    if (size > 0) {
        size_t part = len < size ? len : size - 1;
        memcpy(buf, start, part);
        buf[part] = '\0';
    }
    return len;
}

/* Long division to 64 bits, the last of which stands for all that follow it: the conversion then
 * rounds once, to the nearest. Scaling by two is exact. */
double allot_ratio_value(const allot_ratio *ratio)
{
    allot__u128 num = whole(ratio->num_high, ratio->num_low);
    allot__u128 den = whole(ratio->den_high, ratio->den_low);
    if (num == 0 || den == 0)
        return 0;
    allot__u128 quotient = num / den, rest = num % den;
    bool more = false;
    double scale = 1;
    for (; quotient >> 64; quotient >>= 1, scale *= 2)
        more = more || (quotient & 1);
    for (; !(quotient >> 63); scale /= 2) {
        bool bit = rest >= den - rest;
        rest = bit ? rest - (den - rest) : rest * 2;
        quotient = quotient << 1 | bit;
    }
    return (double)((uint64_t)quotient | (more || rest > 0)) * scale;
}

/* ---- Square roots ---------------------------------------------------------------------------- */

allot__wide allot__wide_times(allot__u128 a, allot__u128 b)
{
    allot__u128 mask = UINT64_MAX;
    allot__u128 low = (a & mask) * (b & mask);
    allot__u128 left = (a >> 64) * (b & mask), right = (a & mask) * (b >> 64);
    allot__u128 middle = (low >> 64) + (left & mask) + (right & mask);
    return (allot__wide){.high =
                             (a >> 64) * (b >> 64) + (left >> 64) + (right >> 64) + (middle >> 64),
                         .low = middle << 64 | (low & mask)};
}

allot__u128 allot__wide_whole(allot__wide n)
{
    return n.high << (128 - ALLOT__ONE_BITS) | n.low >> ALLOT__ONE_BITS;
}

allot__u128 allot__root(allot__u128 n)
{
    allot__u128 found = 0;
    allot__wide most = {n >> (128 - ALLOT__ONE_BITS), n << ALLOT__ONE_BITS};
    for (int bit = ALLOT__ONE_BITS; bit >= 0; bit--) {
        allot__u128 guess = found | (allot__u128)1 << bit;
        allot__wide square = allot__wide_times(guess, guess);
        if (square.high < most.high || (square.high == most.high && square.low <= most.low))
            found = guess;
    }
    return found;
}

void allot__roots_make(int32_t parts, allot__roots *out)
{
    allot__u128 power = ((allot__u128)1 << ALLOT__ONE_BITS) / (uint32_t)parts;
    for (int i = 0; i < ALLOT__ROOTS; i++)
        out->of[i] = power = allot__root(power);
}
