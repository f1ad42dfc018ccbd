/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* least.h: the lesser and the greater of two amounts. */
#ifndef ALLOT_BASE_LEAST_H
#define ALLOT_BASE_LEAST_H

#include <stdint.h>

static inline int64_t allot__least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t allot__most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif
