/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * rowset.h: rows that are not consumers, as a policy's rules read them: what runs on a leaf's
 * slots, or its sessions; jobs of queues.
 *
 * A function is called for all rows of a set at once, in batches, the first time a rule asks.
 */
#ifndef ALLOT_ENGINE_ROWS_ROWSET_H
#define ALLOT_ENGINE_ROWS_ROWSET_H

#include "engine/rows/work.h"

/* What reads columns begins with this. */
typedef struct allot__rowset {
    const allot__work *work;
    const allot__rules *rules; /* the leaf's */
    allot_rows kind;
    int32_t leaf; /* the consumer's handle; rows have one each where `consumer` is given */
    bool jobs;    /* rows are jobs */
    int32_t count;
    /* A column's values at rows first ... first + n - 1: a pointer to them, wherever they are;
     * `room` takes n. */
    const int64_t *(*column)(const struct allot__rowset *rows, int32_t column, int32_t first,
                             int32_t n, int64_t *room);
    /* A row's number in the state. */
    int32_t (*item)(const struct allot__rowset *rows, int32_t row);
    int32_t (*consumer)(const struct allot__rowset *rows, int32_t row); /* NULL: `leaf` */
    const int64_t **functions; /* by function of the policy: its values; NULL: not asked yet */
} allot__rowset;

/* Takes room for what functions give; ENOMEM. */
int allot__rowset_begin(allot__rowset *rows);
/* Computes what a source needs; ENOMEM, and what a policy's function fails with. */
int allot__rowset_prepare(allot__rowset *rows, allot_source source);
/* A source's values, as `column`; it has been prepared. */
const int64_t *allot__rowset_values(const allot__rowset *rows, allot_source source, int32_t first,
                                    int32_t n, int64_t *room);

/* A key's values of all rows, turned so that they rise; what it reads is computed. Statuses of
 * allot__rowset_prepare. */
int allot__rowset_key(allot__rowset *rows, const allot_key *key, int64_t **out);
/* The same of several keys, each into room for all rows. */
int allot__rowset_keys(allot__rowset *rows, const allot_key *const *keys, int32_t count,
                       int64_t *const *out);

/* Why a task or a running job is not a candidate for going; guard g of its policy is
 * ALLOT__INELIGIBLE_GUARD + g. */
enum {
    ALLOT__ELIGIBLE = 0,
    ALLOT__INELIGIBLE_NEW,   /* it did not run when the cycle began */
    ALLOT__INELIGIBLE_TAKEN, /* it was given slots, or goes for another, in this cycle */
    ALLOT__INELIGIBLE_EXCLUSIVE,
    ALLOT__INELIGIBLE_BACKFILL,
    ALLOT__INELIGIBLE_FORCED,
    ALLOT__INELIGIBLE_RESERVED, /* for one queue, as another holds its slots reserved */
    ALLOT__INELIGIBLE_GOING,    /* a reclaim in flight names it */
    ALLOT__INELIGIBLE_CLOSED,   /* its host is closed with reclaim, so that it goes anyway */
    ALLOT__INELIGIBLE_DRAINS,   /* its host drains */
    ALLOT__INELIGIBLE_GUARD
};
/* Writes `mark` where a guard protects a row that nothing else does; its value has been prepared.
 * Of a row `marks` has it at place `at[row]`, with `at` NULL at `row`. */
void allot__rowset_guard(const allot__rowset *rows, const allot__guard *guard, uint8_t mark,
                         const int32_t *at, uint8_t *marks);

#endif
