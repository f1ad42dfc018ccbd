/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pass.c: the quotas of one family.
 *
 * A family takes one of two paths: plain if its fills pour over all siblings at once and round by
 * rank; in order if they pour over groups of siblings, one group after another, or if rounding
 * needs exact fractions. Families of the second kind are small or rare, so all is in plain integers
 * there: clarity matters more than speed.
 */
#include "engine/quota/pass.h"

#include <string.h>

#include "engine/rows/work.h"

/* ---- The family at hand ---------------------------------------------------------------------- */

/* Items of the arrays that serve every family. */
static size_t widest_of(const allot__quota_pass *pass)
{
    return (size_t)pass->work->widest + 1;
}

static const int32_t *from_row(const allot__amounts *amounts, int32_t first)
{
    return amounts->number < 0 ? amounts->column : amounts->column + first;
}

/* Writes percentages of the slots that a family divides. */
static void put_percent(const allot__quota_pass *pass, int32_t column, int32_t family)
{
    const allot__work *work = pass->work;
    int64_t slots = allot__family_slots(work, pass->rules, family);
    int32_t first = allot__family_first(work, family);
    for (int32_t i = 0; i < allot__family_size(work, family); i++)
        pass->own[i] = allot__percent_of(work, pass->rules, column, first + i, slots);
}

void allot__quota_columns(allot__quota_pass *pass, int32_t fill, int32_t family)
{
    const allot__fill_columns *columns = &pass->fills[fill];
    int32_t first = allot__family_first(pass->work, family);
    allot__pour *rows = &pass->rows;
    rows->need = pass->work->need + first;
    rows->weight = from_row(&columns->by, first);
    rows->cap = from_row(&columns->up_to, first);
    rows->cap_part = pass->zeros;
    if (columns->up_to.own) {
        allot__own_family(pass->work, family, pass->own, pass->own_part);
        rows->cap = pass->own;
        rows->cap_part = rows->unit == 1 ? pass->zeros : pass->own_part;
    } else if (columns->up_to.percent) {
        put_percent(pass, pass->rules->policy->fills[fill].up_to.value, family);
        rows->cap = pass->own;
    }
}

/* Pours rows whose aims are set, as the fill requires; true when it was critical. */
static bool pour_any(allot__quota_pass *pass, int32_t fill, allot__pour *rows)
{
    if (!pass->rules->policy->fills[fill].level)
        return pass->exact ? allot__pour_exact(rows) : allot__pour_fast(rows);
    return pass->exact ? allot__pour_level(rows, pass->zeros, pass->totals)
                       : allot__pour_level_fast(rows, pass->zeros, pass->totals);
}

/* After a fill that met all aims: swaps the arrays, so that aims become levels. */
static void next_fill(allot__quota_pass *pass)
{
    allot__pour *rows = &pass->rows;
    int32_t spare = rows->aim == pass->whole[0];
    rows->level = rows->aim;
    rows->aim = pass->whole[spare];
    if (rows->unit != 1) {
        rows->level_part = rows->aim_part;
        rows->aim_part = pass->part[spare];
    }
}

/* Stores the exact shares of the family at hand in `low` and `rest`, unless these are NULL. */
static void note(const allot__quota_pass *pass, const allot__shares *shares)
{
    size_t size = (size_t)shares->count * sizeof *pass->low;
    if (!pass->low)
        return;
    memcpy(pass->low, shares->floor, size);
    memcpy(pass->rest, shares->rest, size);
}

/* Begins a family: all levels are 0, and all of `slots` is left. */
static void begin_family(allot__quota_pass *pass, int32_t family, int64_t slots)
{
    allot__pour *rows = &pass->rows;
    rows->count = allot__family_size(pass->work, family);
    rows->left = slots;
    rows->left_part = 0;
    rows->level = pass->zeros;
    rows->level_part = pass->zeros;
    rows->aim = pass->whole[0];
    rows->aim_part = pass->part[0];
}

/* ---- What a pass reads ----------------------------------------------------------------------- */

static int take_sorted(allot__quota_pass *pass)
{
    allot__sorted *it = &pass->sorted;
    bool remainders = pass->rules->policy->rounding == ALLOT_ROUND_LARGEST_REMAINDER;
    size_t widest = widest_of(pass);
    int status = ALLOT__TAKE_ALL(
        pass->work->arena, ALLOT__EACH(widest, it->rows, it->level, it->level_part, it->need,
                                       it->cap, it->cap_part, it->weight, it->floor, it->rest));
    if (status == ALLOT_OK && remainders)
        status = ALLOT__TAKE_ALL(pass->work->arena,
                                 ALLOT__EACH(widest, it->fraction, pass->rows.fraction));
    return status == ALLOT_OK ? allot__sorter_init(pass->work, &pass->sorter) : status;
}

/* Turns a number into a column that serves every family. */
static bool spread(allot__quota_pass *pass, allot__amounts *amounts)
{
    if (amounts->column)
        return true;
    int32_t *same = allot__arena_take(pass->work->arena, widest_of(pass), sizeof *same);
    if (!same)
        return false;
    for (int32_t i = 0; i < pass->work->widest; i++)
        same[i] = amounts->number;
    amounts->number = -1; /* marks a column of equal numbers */
    amounts->column = same;
    return true;
}

static int find_late(allot__quota_pass *pass, allot_source source, bool amounts)
{
    const allot_policy *policy = pass->rules->policy;
    int32_t at = 0;
    if (!allot__policy_reads(policy, source, ALLOT_PARENT_SLOTS))
        return ALLOT_OK;
    if (!pass->late &&
        ALLOT__TAKE_ALL(pass->work->arena, ALLOT__WANTED(pass->late, policy->functions.count)))
        return ALLOT_ENOMEM;
    while (at < pass->late_count && pass->late[at].function != source.value)
        at++;
    int status = ALLOT_OK;
    if (at == pass->late_count) {
        status = allot__function_later(pass->work, pass->rules, source.value, &pass->late[at]);
        pass->late_count += status == ALLOT_OK && pass->late[at].values;
    }
    pass->late[at].amounts = pass->late[at].amounts || amounts;
    return status;
}

/* Finds the functions of a fill that can be called only once its family's slots are known. */
static int find_all_late(allot__quota_pass *pass, const allot__fill *fill)
{
    int status = find_late(pass, fill->by, true);
    status = status ? status : find_late(pass, fill->up_to, true);
    for (int32_t k = 0; k < fill->order.count && status == ALLOT_OK; k++)
        status = find_late(pass, fill->order.keys[k].source, false);
    return status;
}

/* Families behind it whose parents' quotas are known, too, are done at once. */
int allot__quota_late(allot__quota_pass *pass, int32_t family)
{
    const allot__work *work = pass->work;
    int32_t first = allot__family_first(work, family), to = family + 1;
    int status = ALLOT_OK;
    if (pass->late_count == 0 || family < pass->late_to)
        return ALLOT_OK;
    while (to < work->tree->families && work->group->parent[to] < first &&
           allot__rules_of(work, to) == pass->rules)
        to++;
    for (int32_t i = 0; i < pass->late_count && status == ALLOT_OK; i++)
        status = allot__function_now(pass->work, pass->rules, &pass->late[i], first,
                                     work->tree->first[to] - first);
    pass->late_to = to;
    return status;
}

static int resolve(allot__quota_pass *pass)
{
    const allot_policy *policy = pass->rules->policy;
    for (int32_t i = 0; i < policy->fill_count; i++) {
        const allot__fill *fill = &policy->fills[i];
        allot__fill_columns *columns = &pass->fills[i];
        int status = find_all_late(pass, fill);
        if (status == ALLOT_OK)
            status = allot__amounts_of(pass->work, pass->rules, fill->by, true, &columns->by);
        if (status == ALLOT_OK)
            status =
                allot__amounts_of(pass->work, pass->rules, fill->up_to, false, &columns->up_to);
        if (status == ALLOT_OK)
            status = allot__order_prepare(pass->work, pass->rules, &fill->order);
        if (status != ALLOT_OK)
            return status;
        if (!spread(pass, &columns->by) || !spread(pass, &columns->up_to))
            return ALLOT_ENOMEM;
        if (fill->level && !pass->totals &&
            ALLOT__TAKE_ALL(pass->work->arena, ALLOT__WANTED(pass->totals, widest_of(pass))))
            return ALLOT_ENOMEM;
        pass->plain = pass->plain && fill->order.count == 0;
    }
    /* ceil_in_order rounds by `distribute`, which then reads no quota (allot/policy.h). */
    return policy->rounding == ALLOT_ROUND_CEIL_IN_ORDER
               ? allot__order_prepare(pass->work, pass->rules, &policy->distribute)
               : ALLOT_OK;
}

static int take_rows(allot__quota_pass *pass)
{
    allot__pour *rows = &pass->rows;
    allot__arena *arena = pass->work->arena;
    size_t widest = widest_of(pass);
    rows->unit = pass->work->unit;
    pass->zeros = allot__arena_zeroed(arena, widest, sizeof *pass->zeros);
    int status =
        ALLOT__TAKE_ALL(arena, ALLOT__EACH(widest, pass->whole[0], pass->whole[1], rows->floor,
                                           rows->rest, pass->own, pass->own_part));
    if (status == ALLOT_OK && rows->unit != 1)
        status = ALLOT__TAKE_ALL(arena, ALLOT__EACH(widest, pass->part[0], pass->part[1]));
    return pass->zeros ? status : ALLOT_ENOMEM;
}

int allot__quota_open(allot__quota_pass *pass)
{
    pass->plain = pass->rules->policy->rounding == ALLOT_ROUND_RANK;
    int status = resolve(pass);
    if (status != ALLOT_OK)
        return status;
    status = take_rows(pass);
    if (status == ALLOT_OK && (!pass->plain || pass->work->rules_count > 1))
        status = take_sorted(pass);
    return status;
}

/* ---- Plain ----------------------------------------------------------------------------------- */

/* Returns the number of fills done: 1 if slots cover the first, reserves up to reserves; else 0. */
static int32_t pour_reserves(allot__quota_pass *pass, int32_t family)
{
    allot__pour *rows = &pass->rows;
    int64_t reserves = pass->work->sums[family].reserve;
    if (reserves > rows->left)
        return 0;
    rows->level = pass->work->reserve + allot__family_first(pass->work, family);
    rows->left -= reserves;
    return 1;
}

static bool pour_fill(allot__quota_pass *pass, int32_t fill, int32_t family)
{
    allot__pour *rows = &pass->rows;
    allot__quota_columns(pass, fill, family);
    allot__pour_aims(rows);
    rows->slope = pass->slope[fill];
    if (!pour_any(pass, fill, rows)) {
        next_fill(pass);
        return false;
    }
    pass->slope[fill] = rows->slope;
    pass->work->critical[family] =
        (allot__critical){fill, allot__family_first(pass->work, family), rows->amount, rows->sum};
    return true;
}

static void plain_family(allot__quota_pass *pass, int32_t family, int64_t slots)
{
    allot__work *work = pass->work;
    allot__pour *rows = &pass->rows;
    int32_t *scratch = rows->floor;
    begin_family(pass, family, slots);
    work->critical[family] = (allot__critical){.fill = -1};
    rows->floor = work->quota + allot__family_first(work, family);
    bool critical = false;
    for (int32_t i = pour_reserves(pass, family); i < pass->rules->policy->fill_count && !critical;
         i++)
        critical = pour_fill(pass, i, family);
    allot__shares shares = {.count = rows->count,
                            .whole = slots - rows->left - (rows->left_part > 0),
                            .floor = critical ? rows->floor : rows->level,
                            .rest = critical          ? rows->rest
                                    : rows->unit == 1 ? pass->zeros
                                                      : rows->level_part,
                            .quota = work->quota + allot__family_first(work, family)};
    note(pass, &shares);
    allot__round(ALLOT_ROUND_RANK, &shares);
    rows->floor = scratch;
}

/* ---- In order -------------------------------------------------------------------------------- */

static void put_in_order(allot__quota_pass *pass, const allot__order *order, int32_t first,
                         const bool *only)
{
    allot__pour *rows = &pass->rows;
    allot__sorted *sorted = &pass->sorted;
    if (order->count > 0)
        allot__order_sort(pass->work, pass->rules, order, &pass->sorter, first, rows->count,
                          sorted->rows);
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
    bool critical = pour_any(pass, fill, &run);
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
    next_fill(pass);
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
static void pour_in_order(allot__quota_pass *pass, int32_t fill, int32_t family, const bool *only,
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
    note(pass, &shares);
    if (policy->rounding == ALLOT_ROUND_CEIL_IN_ORDER)
        round_in_order(pass, first, &shares);
    else
        allot__round(policy->rounding, &shares);
}

void allot__quota_order_family(allot__quota_pass *pass, int32_t family, int64_t slots,
                               const bool *only, allot__critical *critical)
{
    int32_t first = allot__family_first(pass->work, family);
    begin_family(pass, family, slots);
    *critical = (allot__critical){.fill = -1};
    for (int32_t i = 0; i < pass->rules->policy->fill_count && critical->fill < 0; i++)
        pour_in_order(pass, i, family, only, critical);
    int32_t *quota = pass->work->quota + first;
    if (!only) {
        round_family(pass, first, slots, critical->fill, quota);
        return;
    }
    round_family(pass, first, slots, critical->fill, pass->sorted.cap);
    for (int32_t i = 0; i < pass->rows.count; i++)
        quota[i] = only[i] ? pass->sorted.cap[i] : quota[i];
}

/* A family without slots: as if the first fill ran out at once. */
static void empty_family(allot__work *work, int32_t family)
{
    int32_t first = allot__family_first(work, family);
    size_t count = (size_t)allot__family_size(work, family);
    memset(work->quota + first, 0, count * sizeof *work->quota);
    work->critical[family] = (allot__critical){0, first, 0, 1};
}

void allot__quota_family(allot__quota_pass *pass, int32_t family)
{
    allot__work *work = pass->work;
    int64_t slots = family == 0 ? work->slots : work->quota[work->group->parent[family]];
    if (slots == 0)
        empty_family(work, family);
    else if (pass->plain)
        plain_family(pass, family, slots);
    else
        allot__quota_order_family(pass, family, slots, NULL, &work->critical[family]);
}
