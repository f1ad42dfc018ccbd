/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pick.h: the verb `pick`: takes rows in an order until their slots cover an amount (C-8).
 *
 * Rules, in this order:
 *  1. rows go by their keys, first to last, rising or falling as each states; ties by `before`;
 *  2. rows are taken one after another until their slots cover `owed`, or no row is left;
 *  3. backwards, last taken first, a row is spared if the other rows cover `owed` without it.
 *
 * One key can change as rows go, by class: the slots that a session holds above its quota are
 * computed anew for each slot (PolicyDefault). Rule 1 is then applied anew after each row
 * (pick_anew.c).
 *
 * Without such a key two implementations agree row by row: `sorted` sorts all rows; `fast` guesses
 * from a sample how far down the order the slots will reach, reads the rows once to find those that
 * go no later, and sorts only these. If the guess was too low it is raised and the rows are read
 * again: the guess never changes the result.
 */
#ifndef ALLOT_ENGINE_VICTIMS_PICK_H
#define ALLOT_ENGINE_VICTIMS_PICK_H

#include <stdbool.h>

#include "base/memory.h"
#include "model/policy/policy.h"

/* Rows of a block, the most in one call of `values`. */
enum { ALLOT__PICK_BLOCK = 512 };

/* The rows; structs with rows to pick from begin with this one. */
typedef struct allot__pick {
    int32_t count;
    int32_t keys; /* 0 ... ALLOT_KEYS_MAX */
    bool falling[ALLOT_KEYS_MAX];
    const int32_t *slots; /* by row: slots that it frees, 1 ... ALLOT_AMOUNT_MAX; NULL: 1 each */
    const uint8_t *ineligible; /* by row, nonzero: not a candidate; NULL: all are candidates */
    /* A key's values at rows first ... first + n - 1: a pointer to an existing array, or to `room`,
     * which has space for n. Cannot fail: functions have been called before. */
    const int64_t *(*values)(const struct allot__pick *pick, int32_t key, int32_t first, int32_t n,
                             int64_t *room);
    /* Shortcuts to the same values; NULL: call `values`. flat, by key: an array by row. The first
     * key of row r is class_keys[classes[r] + 1], of class_count + 1 entries. */
    const int64_t *flat[ALLOT_KEYS_MAX];
    const int32_t *classes;
    const int64_t *class_keys;
    int32_t class_count;
    /* The key that changes; NULL: no key does. Key `anew_key` of row r is the present value of
     * anew[anew_of[r] + 1], also from `values`; each row that goes lowers its class's value by its
     * slots. anew[0] never changes. */
    int64_t *anew;
    const int32_t *anew_of;
    int32_t anew_key;
    /* Does row a go before row b if all keys are equal? A total order. */
    bool (*before)(const struct allot__pick *pick, int32_t a, int32_t b);
} allot__pick;

/* The picked rows, first to last, and the sum of their slots. In the arena. */
typedef struct allot__picked {
    int32_t *rows;
    int32_t count;
    int64_t slots;
} allot__picked;

/* Picks; ENOMEM. owed <= 0: no row. Takes picked rows off `anew`. */
int allot__pick_fast(const allot__pick *pick, int64_t owed, allot__arena *arena,
                     allot__picked *out);
int allot__pick_sorted(const allot__pick *pick, int64_t owed, allot__arena *arena,
                       allot__picked *out);
/* The same if a key changes (`anew` is not NULL). */
int allot__pick_anew(const allot__pick *pick, int64_t owed, allot__arena *arena,
                     allot__picked *out);
/* Picks all candidates, in the order in which they would go. */
int allot__pick_all(const allot__pick *pick, allot__arena *arena, allot__picked *out);
/* Negative or positive: row a goes before or behind row b; *key is the key that decides, or `keys`
 * if `before` does. 0: the same row. */
int allot__pick_compare(const allot__pick *pick, int32_t a, int32_t b, int32_t *key);

#endif
