/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* order_test.c: rows sorted as a plain stable sort has them. */
#include "engine/rows/order.h"

#include <stdlib.h>
#include <string.h>

#include "test/support/check.h"

enum { MOST = 1000, FIRST = 7 };

static int64_t keys[MOST];

static void insert(int32_t *rows, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        int32_t row = rows[i], k = i;
        for (; k > 0 && keys[rows[k - 1] - FIRST] > keys[row - FIRST]; k--)
            rows[k] = rows[k - 1];
        rows[k] = row;
    }
}

static void shuffle(int32_t *rows, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        int32_t k = rand() % (i + 1);
        rows[i] = rows[k];
        rows[k] = FIRST + i;
    }
}

/* Rows of `count`, whose keys are of so many values. */
static void try_rows(int32_t count, int values)
{
    int32_t rows[MOST], other[MOST], plain[MOST];
    for (int32_t i = 0; i < count; i++) {
        keys[i] = rand() % values - values / 2;
        keys[i] = keys[i] == 0 && values > 2 ? INT64_MIN : keys[i] == 1 ? INT64_MAX : keys[i];
    }
    shuffle(rows, count);
    memcpy(plain, rows, sizeof plain);
    insert(plain, count);
    allot__sort_rows(rows, other, keys, FIRST, count);
    CHECK(memcmp(rows, plain, (size_t)count * sizeof *rows) == 0);
}

static void rows_of_equal_keys_keep_their_order(void)
{
    srand(60);
    for (int32_t count = 0; count < 300; count++)
        for (int values = 1; values < 100000; values *= 9)
            try_rows(count, values);
    for (int values = 1; values < 100000; values *= 9)
        try_rows(MOST, values);
}

int main(void)
{
    RUN(rows_of_equal_keys_keep_their_order);
    return check_done();
}
