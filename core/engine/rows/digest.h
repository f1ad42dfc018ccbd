/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * digest.h: the digest of a group's rows: the sum of a hash of each. So a cycle that follows
 * another one takes the hashes of the rows that changed out of the sum, and adds their new ones.
 */
#ifndef ALLOT_ENGINE_ROWS_DIGEST_H
#define ALLOT_ENGINE_ROWS_DIGEST_H

#include "engine/rows/work.h"

/* Sums modulo 2^64. */
typedef struct allot__digest {
    uint64_t input;  /* of demand and allocated */
    uint64_t output; /* of quota, received and reclaimed */
} allot__digest;

/* The numbers of a row that are hashed. */
typedef struct allot__digest_row {
    int32_t row, demand, allocated, quota, received, reclaimed;
} allot__digest_row;

static inline allot__digest_row allot__digest_row_of(const allot__work *work, int32_t row)
{
    return (allot__digest_row){.row = row,
                               .demand = work->demand[row],
                               .allocated = work->allocated[row],
                               .quota = work->quota[row],
                               .received = work->received[row],
                               .reclaimed = work->reclaimed[row]};
}

/* Adds a row of a group to the sums, or takes it out. */
void allot__digest_add(allot__digest *to, int32_t group, const allot__digest_row *row);
void allot__digest_take(allot__digest *from, int32_t group, const allot__digest_row *row);
/* Sums up all rows. `demand`: their stated demands; after stage `last`, numbers of later stages
 * count as 0. */
allot__digest allot__digest_rows(const allot__work *work, const int32_t *demand, allot_stage last);

#endif
