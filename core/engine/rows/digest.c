/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* digest.c: hashes of rows. */
#include "engine/rows/digest.h"

/* Every bit of the result depends on every bit of the number (the end of MurmurHash3). */
static inline uint64_t mix(uint64_t number)
{
    number = (number ^ number >> 33) * 0xFF51AFD7ED558CCDU;
    number = (number ^ number >> 33) * 0xC4CEB9FE1A85EC53U;
    return number ^ number >> 33;
}

static inline uint64_t pair(int32_t high, int32_t low)
{
    return (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
}

static inline allot__digest hash(int32_t group, const allot__digest_row *it)
{
    uint64_t place = mix(pair(group + 1, it->row));
    uint64_t output = mix(~place ^ pair(it->quota, it->received));
    return (allot__digest){.input = mix(place ^ pair(it->demand, it->allocated)),
                           .output = mix(output + (uint32_t)it->reclaimed)};
}

void allot__digest_add(allot__digest *to, int32_t group, const allot__digest_row *row)
{
    allot__digest of = hash(group, row);
    to->input += of.input;
    to->output += of.output;
}

void allot__digest_take(allot__digest *from, int32_t group, const allot__digest_row *row)
{
    allot__digest of = hash(group, row);
    from->input -= of.input;
    from->output -= of.output;
}

allot__digest allot__digest_rows(const allot__work *work, const int32_t *demand, allot_stage last)
{
    allot__digest sum = {0, 0};
    for (int32_t row = 0; row < work->tree->rows; row++) {
        allot__digest_row it = {.row = row,
                                .demand = demand[row],
                                .allocated = work->allocated[row],
                                .quota = work->quota[row]};
        if (last >= ALLOT_STAGE_DISTRIBUTE)
            it.received = work->received[row];
        if (last >= ALLOT_STAGE_RECLAIM)
            it.reclaimed = work->reclaimed[row];
        allot__digest_add(&sum, work->index, &it);
    }
    return sum;
}
