/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* digest.c: hashes of rows. */
#include "engine/rows/digest.h"

#include "base/simd.h"

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
    uint64_t place = pair(group + 1, it->row) * 0x9E3779B97F4A7C15U;
    uint64_t reclaimed = (uint32_t)it->reclaimed * UINT64_C(0xD6E8FEB86659FD93);
    return (allot__digest){
        .input = mix(place ^ pair(it->demand, it->allocated)),
        .output = mix((~place ^ pair(it->quota, it->received)) + reclaimed),
    };
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

/* `masks`: of the last two columns; 0: they count as 0. */
ALLOT__CLONES static allot__digest sum_up(int32_t group, const int32_t *const *columns,
                                          const int32_t *masks, int32_t rows)
{
    allot__digest sum = {0, 0};
    for (int32_t row = 0; row < rows; row++) {
        const allot__digest_row it = {.row = row,
                                      .demand = columns[0][row],
                                      .allocated = columns[1][row],
                                      .quota = columns[2][row],
                                      .received = columns[3][row] & masks[0],
                                      .reclaimed = columns[4][row] & masks[1]};
        allot__digest of = hash(group, &it);
        sum.input += of.input;
        sum.output += of.output;
    }
    return sum;
}

allot__digest allot__digest_rows(const allot__work *work, const int32_t *demand, allot_stage last)
{
    bool received = last >= ALLOT_STAGE_DISTRIBUTE, reclaimed = last >= ALLOT_STAGE_RECLAIM;
    const int32_t *columns[] = {demand, work->allocated, work->quota,
                                received ? work->received : work->quota,
                                reclaimed ? work->reclaimed : work->quota};
    const int32_t masks[] = {-received, -reclaimed};
    return sum_up(work->index, columns, masks, work->tree->rows);
}
