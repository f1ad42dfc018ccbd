/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* near.h: the search for the nearest name, one candidate at a time. */
#ifndef ALLOT_BASE_NEAR_H
#define ALLOT_BASE_NEAR_H

#include <stdbool.h>

#include <allot/report.h>

typedef struct allot__near {
    const char *name; /* sought */
    size_t len;
    int32_t best; /* twice the best distance so far, + 1 if upper and lower case differ */
} allot__near;

allot__near allot__near_begin(const char *name, size_t len);
/* Is this candidate near, and nearer than all before it? Then it becomes the best. */
bool allot__near_try(allot__near *near, const char *candidate, size_t len);

#endif
