/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pick.h: the verb `pick`: rows in an order until enough is covered (C-8).
 *
 * Rules, in this order:
 *  1. rows go by their keys, first to last, rising or falling as each says; ties by `before`;
 *  2. one after another is taken until their slots cover what is owed, or no row is left;
 *  3. backwards, last taken first, every row is spared that the others cover what is owed without.
 *
 * A key can change as rows go, by class: what sessions hold above what they deserve is asked anew
 * for each slot (PolicyDefault). Then rule 1 is asked anew, too, whenever a row has gone
 * (pick_anew.c).
 *
 * Else two implementations agree row by row: `sorted` puts all rows in order; `fast` guesses from a
 * sample how far down the order the slots will reach, reads the rows once to find those that go no
 * later (pick_filter.h), and puts only these in order. Where the guess was low it is raised and the
 * rows are read again; it decides nothing.
 */
#ifndef ALLOT_ENGINE_VICTIMS_PICK_H
#define ALLOT_ENGINE_VICTIMS_PICK_H

#include <stdbool.h>

#include "base/memory.h"
#include "model/policy/policy.h"

/* Rows of a block, the most that `values` is asked for at once. */
enum { ALLOT__PICK_BLOCK = 512 };

/* The rows: what is to be picked from begins with this. */
typedef struct allot__pick {
    int32_t count;
    int32_t keys; /* 0 ... ALLOT_KEYS_MAX */
    bool falling[ALLOT_KEYS_MAX];
    const int32_t *slots; /* by row: free when it is gone, 1 ... ALLOT_AMOUNT_MAX; NULL: 1 each */
    const uint8_t *ineligible; /* by row, nonzero: not a candidate; NULL: all are candidates */
    /* A key's values at rows first ... first + n - 1: a pointer to them, wherever they are; `room`
     * takes n. It cannot fail: what can has been computed before. */
    const int64_t *(*values)(const struct allot__pick *pick, int32_t key, int32_t first, int32_t n,
                             int64_t *room);
    /* Shorter ways to the same values, where there are any. By key: an array by row. And the first
     * key of row r is class_keys[classes[r] + 1], of class_count + 1. NULL: ask `values`. */
    const int64_t *flat[ALLOT_KEYS_MAX];
    const int32_t *classes;
    const int64_t *class_keys;
    int32_t class_count;
    /* Key `anew_key` of row r is what anew[anew_of[r] + 1] is now, and `values` says so, too: it
     * falls by the slots of each row of that class that goes. What anew[0] is stays. NULL: none
     * changes. */
    int64_t *anew;
    const int32_t *anew_of;
    int32_t anew_key;
    /* Whether row a goes before row b, all keys being equal; a total order. */
    bool (*before)(const struct allot__pick *pick, int32_t a, int32_t b);
} allot__pick;

/* What was picked: rows, first to last, and the sum of their slots. In the arena. */
typedef struct allot__picked {
    int32_t *rows;
    int32_t count;
    int64_t slots;
} allot__picked;

/* Picks; ENOMEM. owed <= 0: nothing. `anew` is then without those that were picked. */
int allot__pick_fast(const allot__pick *pick, int64_t owed, allot__arena *arena,
                     allot__picked *out);
int allot__pick_sorted(const allot__pick *pick, int64_t owed, allot__arena *arena,
                       allot__picked *out);
/* The same by a key that changes, which there is. */
int allot__pick_anew(const allot__pick *pick, int64_t owed, allot__arena *arena,
                     allot__picked *out);
/* All that may go, as they would. */
int allot__pick_all(const allot__pick *pick, allot__arena *arena, allot__picked *out);
/* Negative or positive as row a goes before or behind row b; *key is the key that says so, or
 * `keys` where `before` does. 0: the same row. */
int allot__pick_compare(const allot__pick *pick, int32_t a, int32_t b, int32_t *key);

#endif
