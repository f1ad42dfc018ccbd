/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sort.h: sorts rows by a key. */
#ifndef ALLOT_BASE_SORT_H
#define ALLOT_BASE_SORT_H

#include <stdint.h>

/* Sorts `count` rows stably by keys[row - first]; `other` is room for as many. */
void allot__sort_rows(int32_t *rows, int32_t *other, const int64_t *keys, int32_t first,
                      int32_t count);

#endif
