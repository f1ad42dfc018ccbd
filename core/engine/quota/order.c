/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * order.c: families whose fills pour over groups of siblings, one group after another, or whose
 * rounding needs exact fractions. Such families are small or rare, so all is in plain integers:
 * clarity matters more than speed.
 */
#include <string.h>

#include "engine/quota/pass.h"

bool allot__quota_order_begin(allot__quota_pass *pass)
{
    allot__sorted *it = &pass->sorted;
    bool remainders = pass->rules->policy->rounding == ALLOT_ROUND_LARGEST_REMAINDER;
    size_t widest = (size_t)pass->work->tree->widest + 1;
    int status =
        ALLOT__TAKE_ALL(pass->work->arena, ALLOT__WANTED(it->rows, widest),
                        ALLOT__WANTED(it->level, widest), ALLOT__WANTED(it->level_part, widest),
                        ALLOT__WANTED(it->need, widest), ALLOT__WANTED(it->cap, widest),
                        ALLOT__WANTED(it->cap_part, widest), ALLOT__WANTED(it->weight, widest),
                        ALLOT__WANTED(it->floor, widest), ALLOT__WANTED(it->rest, widest));
    if (status == ALLOT_OK && remainders)
        status = ALLOT__TAKE_ALL(pass->work->arena, ALLOT__WANTED(it->fraction, widest),
                                 ALLOT__WANTED(pass->rows.fraction, widest));
    return status == ALLOT_OK && allot__sorter_init(pass->work, &pass->sorter) == ALLOT_OK;
}

static void put_in_order(allot__quota_pass *pass, const allot__order *order, int32_t first,
                         const bool *only)
{
    allot__pour *rows = &pass->rows;
    allot__sorted *sorted = &pass->sorted;
    if (order->count > 0) {
        allot__order_sort(pass->work, pass->rules, order, &pass->sorter, first, rows->count,
                          sorted->rows);
    }
    for (int32_t i = 0; i < rows->count; i++) {
        int32_t row = order->count > 0 ? sorted->rows[i] - first : i;
        sorted->rows[i] = row;
        sorted->level[i] = rows->level[row];
        sorted->need[i] = rows->need[row];
        sorted->cap[i] = rows->cap[row];
        sorted->weight[i] = !only || only[row] ? rows->weight[row] : 0;
        sorted->level_part[i] = rows->level_part[row];
        sorted->cap_part[i] = rows->cap_part[row];
    }
}

/* The end of the run of rows that agree in all keys. */
static int32_t run_end(const allot__quota_pass *pass, const allot__order *order, int32_t first,
                       int32_t from)
{
    const int32_t *rows = pass->sorted.rows;
    int32_t end = from + 1;
    if (order->count == 0)
        return pass->rows.count;
    while (end < pass->rows.count &&
           allot__order_tied(pass->work, pass->rules, order, first + rows[from], first + rows[end]))
        end++;
    return end;
}

/* Pours over one run of the sorted rows; true if it was critical. */
static bool pour_run(allot__quota_pass *pass, int32_t fill, int32_t from, int32_t end)
{
    allot__sorted *sorted = &pass->sorted;
    allot__pour run = pass->rows;
    run.count = end - from;
    run.aim = pass->rows.aim + from;
    run.aim_part = pass->rows.unit == 1 ? NULL : pass->rows.aim_part + from;
    run.level = sorted->level + from;
    run.level_part = sorted->level_part + from;
    run.need = sorted->need + from;
    run.cap = sorted->cap + from;
    run.cap_part = sorted->cap_part + from;
    run.weight = sorted->weight + from;
    run.floor = sorted->floor + from;
    run.rest = sorted->rest + from;
    run.fraction = sorted->fraction ? sorted->fraction + from : NULL;
    run.slope = 0;
    allot__pour_aims(&run);
    bool critical = allot__quota_pour(pass, fill, &run, pass->pour);
    if (!critical) {
        memcpy(sorted->level + from, run.aim, (size_t)run.count * sizeof *run.aim);
        if (run.unit != 1)
            memcpy(sorted->level_part + from, run.aim_part, (size_t)run.count * sizeof *run.aim);
    }
    pass->rows.left = run.left;
    pass->rows.left_part = run.left_part;
    pass->rows.amount = run.amount;
    pass->rows.sum = run.sum;
    return critical;
}

/* Writes sorted rows back; rows `from` ... `end` - 1, the critical run, keep their levels. */
static void put_back(allot__quota_pass *pass, int32_t from, int32_t end)
{
    allot__pour *rows = &pass->rows;
    const allot__sorted *sorted = &pass->sorted;
    for (int32_t i = 0; i < rows->count; i++) {
        int32_t row = sorted->rows[i];
        bool critical = i >= from && i < end;
        int32_t part = sorted->level_part[i];
        rows->aim[row] = sorted->level[i];
        if (rows->unit != 1)
            rows->aim_part[row] = part;
        rows->floor[row] = critical ? sorted->floor[i] : sorted->level[i];
        rows->rest[row] = critical ? sorted->rest[i] : part != 0;
        if (rows->fraction)
            rows->fraction[row] =
                critical ? sorted->fraction[i]
                         : (allot__u128)part * (allot__u128)(from < end ? rows->sum : 1);
    }
    allot__quota_next(pass);
}

/* Writes weights and caps of the critical run by row, for webster; other rows have weight 0. */
static void critical_rows(allot__quota_pass *pass, int32_t from, int32_t end)
{
    const allot__sorted *sorted = &pass->sorted;
    allot__pour *rows = &pass->rows;
    for (int32_t i = 0; i < rows->count; i++) {
        int32_t row = sorted->rows[i];
        bool critical = i >= from && i < end;
        int32_t cap = sorted->cap[i] + (sorted->cap_part[i] > 0);
        int32_t want = cap < sorted->need[i] ? cap : sorted->need[i];
        sorted->rest[row] = critical ? sorted->weight[i] : 0;
        rows->aim[row] = want > sorted->level[i] ? want : sorted->level[i];
    }
}

/* Pours one fill; writes `critical` if slots ran out. */
static void pour_fill(allot__quota_pass *pass, int32_t fill, int32_t family, const bool *only,
                      allot__critical *critical)
{
    const allot__order *order = &pass->rules->policy->fills[fill].order;
    int32_t first = allot__family_first(pass->work, family);
    allot__quota_columns(pass, fill, family);
    put_in_order(pass, order, first, only);
    for (int32_t from = 0; from < pass->rows.count;) {
        int32_t end = run_end(pass, order, first, from);
        if (pour_run(pass, fill, from, end)) {
            *critical = (allot__critical){fill, first + pass->sorted.rows[from], pass->rows.amount,
                                          pass->rows.sum};
            put_back(pass, from, end);
            critical_rows(pass, from, end);
            return;
        }
        from = end;
    }
    put_back(pass, 0, 0);
}

/* Rounds up in the policy's order of distribution. */
static void round_in_order(allot__quota_pass *pass, int32_t first, allot__shares *shares)
{
    const allot__order *order = &pass->rules->policy->distribute;
    allot__sorted *sorted = &pass->sorted;
    int32_t *quota = shares->quota;
    allot__order_sort(pass->work, pass->rules, order, &pass->sorter, first, shares->count,
                      sorted->rows);
    for (int32_t i = 0; i < shares->count; i++) {
        sorted->floor[i] = shares->floor[sorted->rows[i] - first];
        sorted->rest[i] = shares->rest[sorted->rows[i] - first];
        sorted->need[i] = shares->reserve[sorted->rows[i] - first];
    }
    shares->reserve = sorted->need;
    shares->floor = sorted->floor;
    shares->rest = sorted->rest;
    shares->quota = sorted->level;
    allot__round(ALLOT_ROUND_CEIL_IN_ORDER, shares);
    for (int32_t i = 0; i < shares->count; i++)
        quota[sorted->rows[i] - first] = sorted->level[i];
}

static void round_family(allot__quota_pass *pass, int32_t first, int64_t slots, int32_t critical,
                         int32_t *quota)
{
    allot__pour *rows = &pass->rows;
    const allot_policy *policy = pass->rules->policy;
    allot__shares shares = {.count = rows->count,
                            .whole = slots - rows->left - (rows->left_part > 0),
                            .floor = rows->floor,
                            .rest = rows->rest,
                            .fraction = rows->fraction,
                            .reserve = pass->work->reserve + first,
                            .weight = critical >= 0 ? pass->sorted.rest : NULL,
                            .level = critical >= 0 && policy->fills[critical].level,
                            .base = rows->level,
                            .aim = rows->aim,
                            .amount = (allot__u128)rows->amount,
                            .one = (allot__u128)rows->sum * (allot__u128)rows->unit,
                            .order = pass->sorted.rows,
                            .quota = quota};
    allot__quota_note(pass, &shares);
    if (policy->rounding == ALLOT_ROUND_CEIL_IN_ORDER)
        round_in_order(pass, first, &shares);
    else
        allot__round(policy->rounding, &shares);
}

void allot__quota_order_family(allot__quota_pass *pass, int32_t family, int64_t slots,
                               const bool *only, allot__critical *critical)
{
    int32_t first = allot__family_first(pass->work, family);
    allot__quota_begin(pass, family, slots);
    *critical = (allot__critical){.fill = -1};
    for (int32_t i = 0; i < pass->rules->policy->fill_count && critical->fill < 0; i++)
        pour_fill(pass, i, family, only, critical);
    int32_t *quota = pass->work->quota + first;
    if (!only) {
        round_family(pass, first, slots, critical->fill, quota);
        return;
    }
    round_family(pass, first, slots, critical->fill, pass->sorted.cap);
    for (int32_t i = 0; i < pass->rows.count; i++)
        quota[i] = only[i] ? pass->sorted.cap[i] : quota[i];
}
