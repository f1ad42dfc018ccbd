/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * rowset.h: rows as a policy's rules read them: tasks or sessions of a leaf, jobs of queues, or
 * consumers.
 *
 * A function is called for all rows of a set at once, in batches, the first time a rule asks.
 */
#ifndef ALLOT_ENGINE_ROWS_ROWSET_H
#define ALLOT_ENGINE_ROWS_ROWSET_H

#include "engine/rows/work.h"

/* Structs that read columns begin with this one. */
typedef struct allot__rowset {
    const allot__work *work;
    const allot__rules *rules; /* of the leaf */
    allot_rows kind;
    int32_t leaf; /* handle of the consumer of all rows, unless `consumer` is given */
    bool jobs;    /* rows are jobs */
    int32_t count;
    /* A column's values at rows first ... first + n - 1: a pointer to an array of the row set, or
     * to `room`, which has space for n. */
    const int64_t *(*column)(const struct allot__rowset *rows, int32_t column, int32_t first,
                             int32_t n, int64_t *room);
    /* A row's number in the state; NULL: rows are consumers. */
    int32_t (*item)(const struct allot__rowset *rows, int32_t row);
    int32_t (*consumer)(const struct allot__rowset *rows, int32_t row); /* NULL: `leaf` */
    const int64_t **functions; /* values by function of the policy; NULL: not called yet */
    const int64_t *claimant; /* of tasks, all columns of the claimant that functions read (C-16); */
    int32_t claimant_item;   /* ... its handle. NULL: none */
} allot__rowset;

/* All consumers, read by the rules of a policy. */
allot__rowset allot__rowset_consumers(const allot__work *work, const allot__rules *rules);
/* Allocates the table of functions' values; ENOMEM. */
int allot__rowset_begin(allot__rowset *rows);
/* Calls the function that a source names; ENOMEM, or what a policy's function failed with. */
int allot__rowset_prepare(allot__rowset *rows, allot_source source);
/* Calls a function for `count` rows from `first` on, and writes its values there. */
int allot__rowset_call(const allot__rowset *rows, int32_t function, int32_t first, int32_t count,
                       int64_t *values);
/* Values of a prepared source, as `column` returns them. */
const int64_t *allot__rowset_values(const allot__rowset *rows, allot_source source, int32_t first,
                                    int32_t n, int64_t *room);

/* A key's values of all rows, inverted if the key falls, so that all keys rise; prepares the key's
 * source. Statuses of allot__rowset_prepare. */
int allot__rowset_key(allot__rowset *rows, const allot_key *key, int64_t **out);
/* The same for several keys, each into an array of all rows. */
int allot__rowset_keys(allot__rowset *rows, const allot_key *const *keys, int32_t count,
                       int64_t *const *out);

/* Why a task or a running job is no candidate; ALLOT__INELIGIBLE_GUARD + g: guard g of its policy
 * protects it. */
enum {
    ALLOT__ELIGIBLE = 0,
    ALLOT__INELIGIBLE_NEW,   /* it did not run when the cycle began */
    ALLOT__INELIGIBLE_TAKEN, /* it was given slots, or preempted for another, in this cycle */
    ALLOT__INELIGIBLE_EXCLUSIVE,
    ALLOT__INELIGIBLE_BACKFILL,
    ALLOT__INELIGIBLE_FORCED,
    ALLOT__INELIGIBLE_RESERVED, /* for one queue, as another holds its slots reserved */
    ALLOT__INELIGIBLE_GOING,    /* a reclaim in flight names it */
    ALLOT__INELIGIBLE_CLOSED,   /* its host is closed with reclaim, so it goes anyway */
    ALLOT__INELIGIBLE_DRAINS,   /* its host drains */
    ALLOT__INELIGIBLE_GUARD
};
/* Writes `mark` for rows that the guard protects and that have no mark yet; its source has been
 * prepared. The mark of a row is marks[at[row]], or marks[row] if `at` is NULL. */
void allot__rowset_guard(const allot__rowset *rows, const allot__guard *guard, uint8_t mark,
                         const int32_t *at, uint8_t *marks);

#endif
