/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * quota_part.c: families with a fill that goes up to each row's part (E-21).
 *
 * Such a fill never runs out of slots, since parts add up to what there is; but it leaves levels
 * that are fractions of its own: over unit * weight, the weights of all siblings together. So the
 * whole family is counted in those, in 128 bits: weights that add up to at most an amount keep
 * 10^9 slots * unit * weight * weight below 2^127.
 */
#include <inttypes.h>

#include "engine/quota_pass.h"

typedef allot__i128 wide;

/* A family that is being poured over. */
typedef struct basin {
    allot__quota_pass *pass;
    allot__part *part;
    int32_t first, count;
    const bool *only;
    wide one;  /* a slot */
    wide left; /* to pour */
    wide rate; /* of the critical run: rate / sum per weight */
    int64_t sum;
} basin;

static int too_heavy(const allot__work *work, const allot__quota_pass *pass, int32_t family,
                     const char *label, int64_t sum)
{
    char path[512] = "the first level";
    if (family > 0) {
        int32_t parent = allot__handle(work, work->group->parent[family]);
        allot_plan_path(work->plan, parent, path, sizeof path);
    }
    allot_report_say(work->report, ALLOT_ERROR, "E-range",
                     "policy \"%s\", fill \"%s\" of %s: weights add up to %" PRId64
                     ", allowed beside a fill that goes up to parts is %d",
                     pass->rules->policy->name, label, path, sum, ALLOT_AMOUNT_MAX);
    return ALLOT_ESCRIPT;
}

static int64_t weight_of(const allot__amounts *by, int32_t row)
{
    return by->number < 0 ? by->column[0] : by->column[row];
}

/* Of all families that go by the policy; the first level counts whole. */
static int check_weights(const allot__quota_pass *pass, int32_t fill)
{
    const allot__work *work = pass->work;
    for (int32_t family = 0; family < work->tree->families; family++) {
        int64_t sum = 0;
        int32_t first = allot__family_first(work, family);
        if (family > 0 && allot__rules_of(work, family) != pass->rules) {
            continue;
        }
        for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
            bool counts = family > 0 || allot__rules_at(work, row) == pass->rules;
            sum += counts ? weight_of(&pass->fills[fill].by, row) : 0;
        }
        if (sum > ALLOT_AMOUNT_MAX) {
            return too_heavy(work, pass, family, pass->rules->policy->fills[fill].label, sum);
        }
    }
    return ALLOT_OK;
}

static int take_parts(allot__work *work)
{
    size_t count = (size_t)work->tree->families + (size_t)work->rules_count;
    if (work->part != NULL) {
        return ALLOT_OK;
    }
    work->part = allot__arena_take(work->arena, count, sizeof *work->part);
    if (work->part == NULL) {
        return ALLOT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        work->part[i] = (allot__part){.weight = 1};
    }
    return ALLOT_OK;
}

int allot__quota_part_begin(allot__quota_pass *pass)
{
    int status = take_parts(pass->work);
    for (int32_t i = 0; i < pass->rules->policy->fill_count && status == ALLOT_OK; i++) {
        status = check_weights(pass, i);
    }
    if (status != ALLOT_OK) {
        return status;
    }
    bool enough = allot__quota_take(pass, &pass->level, sizeof *pass->level) &&
                  allot__quota_take(pass, &pass->aim, sizeof *pass->aim);
    return enough ? ALLOT_OK : ALLOT_ENOMEM;
}

/* ---- Pouring --------------------------------------------------------------------------------- */

static int64_t weight_at(const basin *of, int32_t i)
{
    return of->only == NULL || of->only[i] ? of->pass->rows.weight[i] : 0;
}

static void begin(basin *of, int32_t family, int64_t slots)
{
    allot__quota_pass *pass = of->pass;
    int64_t weight = 0;
    allot__quota_begin(pass, family, slots);
    allot__quota_columns(pass, pass->parted, family);
    of->count = pass->rows.count;
    for (int32_t i = 0; i < of->count; i++) {
        weight += weight_at(of, i);
        pass->level[i] = 0;
    }
    *of->part = (allot__part){.weight = weight > 0 ? weight : 1};
    of->one = (wide)pass->rows.unit * of->part->weight;
    of->left = slots * of->one;
    of->sum = 1;
}

/* The most that the fill at hand may bring a row to. */
static wide most_of(const basin *of, bool parts, int32_t i)
{
    const allot__pour *rows = &of->pass->rows;
    wide level = of->pass->level[i];
    wide need = rows->need[i] * of->one;
    wide cap = rows->cap[i] * of->one + (wide)rows->cap_part[i] * of->part->weight;
    if (parts) {
        cap = level + (wide)of->part->amount * weight_at(of, i);
    }
    return cap < need ? cap : need;
}

static wide aim_of(const basin *of, bool parts, int32_t i)
{
    wide most = most_of(of, parts, i);
    wide level = of->pass->level[i];
    return most > level && weight_at(of, i) > 0 ? most : level;
}

/* The rate at which rows[from] ... rows[end - 1] use up what is left, as in pour.c. */
static void find_rate(basin *of, int32_t from, int32_t end)
{
    const allot__quota_pass *pass = of->pass;
    const int32_t *rows = pass->sorted.rows;
    of->rate = of->left;
    of->sum = 0;
    for (int32_t k = from; k < end; k++) {
        of->sum += pass->aim[rows[k]] > pass->level[rows[k]] ? weight_at(of, rows[k]) : 0;
    }
    for (;;) {
        wide met = 0;
        int64_t open = 0;
        for (int32_t k = from; k < end; k++) {
            wide gap = pass->aim[rows[k]] - pass->level[rows[k]];
            if (gap * of->sum <= of->rate * weight_at(of, rows[k])) {
                met += gap;
            } else {
                open += weight_at(of, rows[k]);
            }
        }
        if (of->left - met == of->rate && open == of->sum) {
            return;
        }
        of->rate = of->left - met;
        of->sum = open;
    }
}

/* Pours over a run of the rows in order; true when slots ran out. */
static bool pour_run(basin *of, bool parts, int32_t from, int32_t end)
{
    allot__quota_pass *pass = of->pass;
    const int32_t *rows = pass->sorted.rows;
    wide lack = 0;
    for (int32_t k = from; k < end; k++) {
        pass->aim[rows[k]] = aim_of(of, parts, rows[k]);
        lack += pass->aim[rows[k]] - pass->level[rows[k]];
    }
    if (lack > of->left) {
        find_rate(of, from, end);
        return true;
    }
    of->left -= lack;
    for (int32_t k = from; k < end; k++) {
        pass->level[rows[k]] = pass->aim[rows[k]];
    }
    return false;
}

/* Brings the rows into the fill's order, counted from the family's first. */
static void line_up(basin *of, const allot__order *order)
{
    allot__quota_pass *pass = of->pass;
    int32_t *rows = pass->sorted.rows;
    if (order->count > 0) {
        allot__order_sort(pass->work, pass->rules, order, &pass->sorter, of->first, of->count,
                          rows);
    }
    for (int32_t i = 0; i < of->count; i++) {
        rows[i] = order->count > 0 ? rows[i] - of->first : i;
    }
}

static int32_t run_end(const basin *of, const allot__order *order, int32_t from)
{
    const int32_t *rows = of->pass->sorted.rows;
    int32_t end = order->count > 0 ? from + 1 : of->count;
    while (end < of->count && allot__order_tied(of->pass->work, of->pass->rules, order,
                                                of->first + rows[from], of->first + rows[end])) {
        end++;
    }
    return end;
}

/* Pours a fill; true when slots ran out, among rows *from ... *end - 1 of its order. */
static bool pour_fill(basin *of, int32_t fill, int32_t family, int32_t *from, int32_t *end)
{
    allot__quota_pass *pass = of->pass;
    const allot__order *order = &pass->rules->policy->fills[fill].order;
    allot__quota_columns(pass, fill, family);
    line_up(of, order);
    if (fill == pass->parted) {
        of->part->amount = (int64_t)(of->left / of->part->weight);
    }
    for (*end = 0; *end < of->count;) {
        *from = *end;
        *end = run_end(of, order, *from);
        if (pour_run(of, fill == pass->parted, *from, *end)) {
            return true;
        }
    }
    *from = *end;
    return false;
}

/* ---- Whole slots ----------------------------------------------------------------------------- */

/* Writes floors and fractions, and for webster the critical run's weights and bounds; that run is
 * from ... end - 1 of the order. */
static void settle(basin *of, int32_t from, int32_t end)
{
    allot__quota_pass *pass = of->pass;
    allot__pour *rows = &pass->rows;
    wide whole = of->one * of->sum;
    for (int32_t k = 0; k < of->count; k++) {
        int32_t i = pass->sorted.rows[k];
        bool critical = k >= from && k < end;
        wide level = pass->level[i] * of->sum;
        wide aim = critical ? pass->aim[i] * of->sum : level;
        wide rise = critical ? of->rate * weight_at(of, i) : 0;
        wide exact = aim - level < rise ? aim : level + rise;
        int32_t most = (int32_t)((most_of(of, false, i) + of->one - 1) / of->one);
        rows->floor[i] = (int32_t)(exact / whole);
        rows->rest[i] = exact % whole != 0;
        rows->fraction[i] = (allot__u128)(exact % whole);
        pass->whole[1][i] = (int32_t)(level / whole);
        pass->whole[0][i] = most > pass->whole[1][i] ? most : pass->whole[1][i];
        pass->sorted.rest[i] = critical ? (int32_t)weight_at(of, i) : 0;
    }
}

void allot__quota_part_family(allot__quota_pass *pass, int32_t family, int64_t slots,
                              const bool *only, allot__critical *critical)
{
    basin of = {.pass = pass,
                .part = &pass->work->part[critical - pass->work->critical],
                .first = allot__family_first(pass->work, family),
                .only = only};
    int32_t from = 0;
    int32_t end = 0;
    bool out = false;
    *critical = (allot__critical){.fill = -1};
    begin(&of, family, slots);
    for (int32_t i = 0; i < pass->rules->policy->fill_count && !out; i++) {
        out = pour_fill(&of, i, family, &from, &end);
        if (out) {
            *critical =
                (allot__critical){i, of.first + pass->sorted.rows[from], of.rate > 0, of.sum};
            of.part->rate = (allot__u128)of.rate;
            of.left = 0;
        }
    }
    settle(&of, from, end);
    allot__shares shares = {.count = of.count,
                            .whole = slots - (int64_t)((of.left + of.one - 1) / of.one),
                            .floor = pass->rows.floor,
                            .rest = pass->rows.rest,
                            .fraction = pass->rows.fraction,
                            .weight = out ? pass->sorted.rest : NULL,
                            .base = pass->whole[1],
                            .aim = pass->whole[0],
                            .amount = (allot__u128)of.rate,
                            .one = (allot__u128)of.one * (allot__u128)of.sum};
    allot__quota_round(pass, family, only, &shares);
}
