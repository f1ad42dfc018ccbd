/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * diff_sum.c: differences over many states: the consumers' largest gains and losses, and costs; and
 * all that as "allot/diff/v1". For people lua/allot/text/diff.lua shows the same document, whose
 * rows then also have names: "/a", or "gpu: /a" if there are several groups.
 */
#include "cli/diff/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Gathering ------------------------------------------------------------------------------- */

/* Groups and consumers of both plans have keys side by side. */
int allot__sums_new(allot__cli *cli, const allot__diff_side sides[2], allot__diff_sums *out)
{
    *out = (allot__diff_sums){.engine = cli->engine, .names = {.engine = cli->engine}};
    for (int i = 0; i < 2; i++)
        out->places += (size_t)allot_plan_groups(sides[i].docs.plan) *
                       (size_t)allot_plan_consumers(sides[i].docs.plan);
    size_t size = (out->places + 1) * sizeof *out->by_key;
    out->by_key = allot_engine_alloc(cli->engine, NULL, 0, size);
    if (!out->by_key)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    memset(out->by_key, 0, size);
    return CLI_DONE;
}

static size_t key_of(const allot_diff *diff, const allot_change *row, int *side)
{
    const allot_plan *a = allot_decision_plan(allot_diff_side(diff, 0));
    const allot_plan *b = allot_decision_plan(allot_diff_side(diff, 1));
    *side = row->group[0] < 0 || row->consumer[0] < 0;
    size_t first = *side == 0 ? 0 : (size_t)allot_plan_groups(a) * (size_t)allot_plan_consumers(a);
    return first + (size_t)row->group[*side] * (size_t)allot_plan_consumers(*side == 0 ? a : b) +
           (size_t)row->consumer[*side];
}

static allot__sum_row *row_of(allot__diff_sums *sums, const allot_diff *diff,
                              const allot_change *row)
{
    int side;
    size_t key = key_of(diff, row, &side);
    if (row->group[side] < 0 || row->consumer[side] < 0)
        return NULL; /* of one side's group and the other's consumer: always 0 */
    if (sums->by_key[key] > 0)
        return &sums->rows[sums->by_key[key] - 1];
    size_t old = sums->count * sizeof *sums->rows, size = old + sizeof *sums->rows;
    allot__sum_row *rows = allot_engine_alloc(sums->engine, sums->rows, old, size);
    if (!rows) {
        sums->failed = true;
        return NULL;
    }
    sums->rows = rows;
    rows[sums->count] =
        (allot__sum_row){.side = side, .group = row->group[side], .consumer = row->consumer[side]};
    sums->by_key[key] = ++sums->count;
    return &rows[sums->count - 1];
}

/* Keeps the first state with the extreme. */
static void add_change(allot__sum_row *sum, int64_t a, int64_t b, size_t state)
{
    sum->before += a;
    sum->after += b;
    sum->states += a != b;
    if (b - a > sum->gain.value)
        sum->gain = (allot__extreme){b - a, state};
    if (b - a < sum->loss.value)
        sum->loss = (allot__extreme){b - a, state};
}

static bool is_leaf(const allot_diff *diff, const allot_change *row)
{
    int side = row->consumer[0] < 0;
    const allot_plan *plan = allot_decision_plan(allot_diff_side(diff, side));
    return allot_plan_children(plan, row->consumer[side]) == 0;
}

static void add_consumers(allot__diff_sums *sums, const allot_diff *diff, size_t state)
{
    enum { QUOTA = 3, RECLAIMED = 6 };
    allot_change row;
    for (int32_t i = 0; allot_diff_at(diff, ALLOT_DIFF_CONSUMER, i, &row) == ALLOT_OK; i++) {
        allot__sum_row *sum = row_of(sums, diff, &row);
        if (sum)
            add_change(sum, row.value[0][QUOTA], row.value[1][QUOTA], state);
        int64_t more = row.value[1][RECLAIMED] - row.value[0][RECLAIMED];
        if (is_leaf(diff, &row)) {
            sums->added += more > 0 ? more : 0;
            sums->saved += more < 0 ? -more : 0;
        }
    }
}

static void add_totals(allot__diff_sums *sums, const allot_decision *decision, int side)
{
    allot_totals totals;
    allot_reclaim reclaim;
    allot_job_order order;
    int64_t *total = sums->total[side];
    for (int32_t i = 0; allot_decision_totals(decision, i, &totals) == ALLOT_OK; i++) {
        total[0] += totals.granted;
        total[1] += totals.held;
        total[2] += totals.reclaimed;
    }
    for (int32_t i = 0; i < allot_decision_reclaims(decision); i++) {
        if (allot_decision_reclaim(decision, i, &reclaim) != ALLOT_OK)
            continue;
        total[3] += reclaim.task_count;
        total[4] += reclaim.lost;
    }
    for (int32_t i = 0; i < allot_decision_job_orders(decision); i++)
        if (allot_decision_job_order(decision, i, &order) == ALLOT_OK)
            sums->jobs[side][order.kind]++;
}

void allot__sums_add(allot__diff_sums *sums, const allot_diff *diff, const char *state)
{
    size_t name = sums->names.len;
    allot__text_add(&sums->names, state, strlen(state) + 1);
    sums->failed |= sums->names.failed;
    add_consumers(sums, diff, name);
    add_totals(sums, allot_diff_side(diff, 0), 0);
    add_totals(sums, allot_diff_side(diff, 1), 1);
    sums->differ += allot_diff_differs(diff) != 0;
    sums->states++;
}

/* ---- Order ----------------------------------------------------------------------------------- */

static int64_t largest(const allot__sum_row *row)
{
    return row->gain.value > -row->loss.value ? row->gain.value : -row->loss.value;
}

static int64_t moved(const allot__sum_row *row)
{
    int64_t change = row->after - row->before;
    return change < 0 ? -change : change;
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_size(const void *a, const void *b)
{
    const allot__sum_row *x = a, *y = b;
    int order = compare(largest(y), largest(x));
    order = order != 0 ? order : compare(moved(y), moved(x));
    order = order != 0 ? order : compare(x->side, y->side);
    order = order != 0 ? order : compare(x->group, y->group);
    return order != 0 ? order : compare(x->consumer, y->consumer);
}

void allot__sums_sort(allot__diff_sums *sums)
{
    if (sums->count > 1)
        qsort(sums->rows, sums->count, sizeof *sums->rows, by_size);
}

void allot__sums_free(allot__diff_sums *sums)
{
    allot__text_free(&sums->names);
    if (sums->rows)
        allot_engine_alloc(sums->engine, sums->rows, sums->count * sizeof *sums->rows, 0);
    if (sums->by_key)
        allot_engine_alloc(sums->engine, sums->by_key, (sums->places + 1) * sizeof *sums->by_key,
                           0);
}

/* ---- The document ---------------------------------------------------------------------------- */

static void put_numbers(allot__text *out, const char *name, int64_t a, int64_t b)
{
    ALLOT__OBJECT(out, name, "a b change", a, b, b - a);
}

void allot__diff_json_side(allot__text *out, const allot__diff_side *side)
{
    const allot_policy *policy = allot_plan_group_policy(side->docs.plan, 0);
    allot__text_puts(out, "{");
    allot__text_string(out, "plan", side->plan);
    allot__text_bool(out, "live", side->is_live);
    allot__text_string(out, "policy", policy ? allot_policy_name(policy) : NULL);
    allot__text_string(out, "instead", side->policy);
    allot__text_string(out, "at", side->at);
    allot__text_puts(out, "}");
}

/* ---- One state ------------------------------------------------------------------------------- */

void allot__diff_json(allot__text *out, const allot_diff *diff, const char *state, bool people)
{
    allot__text_puts(out, "\n{\"state\": ");
    allot__text_json(out, state);
    allot__text_printf(out, ", \"now\": {\"a\": %" PRId64 ", \"b\": %" PRId64 "}, ",
                       allot_decision_now(allot_diff_side(diff, 0)),
                       allot_decision_now(allot_diff_side(diff, 1)));
    if (allot_diff_write(diff, people, allot__text_sink, out) != ALLOT_OK)
        out->failed = true;
    allot__text_puts(out, "}");
}

/* ---- The sums -------------------------------------------------------------------------------- */

static void put_extreme(allot__text *out, const char *name, const allot__extreme *it,
                        const allot__diff_sums *sums)
{
    if (it->value == 0) {
        allot__text_string(out, name, NULL);
        return;
    }
    ALLOT__OBJECT(out, name, "change state", it->value, sums->names.bytes + it->state);
}

static void put_sum(allot__text *out, const allot__sum_row *row, const allot__diff_sums *sums,
                    const allot_plan *plan, bool people)
{
    const char *group = allot_plan_group_name(plan, row->group);
    bool several = allot_plan_groups(plan) > 1;
    allot__text_puts(out, "{");
    if (people) {
        allot__text_key(out, "name");
        allot__text_printf(out, "\"%s%s", several ? group : "", several ? ": " : "");
        allot__text_path(out, plan, row->consumer);
        allot__text_puts(out, "\"");
    }
    allot__text_string(out, "group", group);
    allot__text_key(out, "consumer");
    allot__text_json_path(out, plan, row->consumer);
    allot__text_number(out, "states", row->states);
    put_numbers(out, "quota", row->before, row->after);
    put_extreme(out, "gain", &row->gain, sums);
    put_extreme(out, "loss", &row->loss, sums);
    allot__text_puts(out, "}");
}

void allot__diff_json_sums(allot__text *out, const allot__diff_sums *sums,
                           const allot__diff_side sides[2], bool people)
{
    static const char *const totals[] = {"granted", "held", "reclaimed", "tasks", "lost"};
    static const char *const jobs[] = {"started", "resumed", "grown", "suspended", "killed"};
    const char *between = "\n  ";
    allot__text_printf(out, "{\"states\": %zu, \"differ\": %zu", sums->states, sums->differ);
    for (int i = 0; i < 5; i++)
        put_numbers(out, totals[i], sums->total[0][i], sums->total[1][i]);
    allot__text_puts(out, ",\n \"reclaims\": {");
    ALLOT__MEMBERS(out, "added saved", sums->added, sums->saved);
    allot__text_puts(out, "},\n \"jobs\": {");
    for (int i = 0; i < 5; i++)
        put_numbers(out, jobs[i], sums->jobs[0][i], sums->jobs[1][i]);
    allot__text_puts(out, "},\n \"consumers\": [");
    for (size_t i = 0; i < sums->count; i++) {
        if (sums->rows[i].states == 0)
            continue;
        allot__text_puts(out, between);
        put_sum(out, &sums->rows[i], sums, sides[sums->rows[i].side].docs.plan, people);
        between = ",\n  ";
    }
    allot__text_puts(out, "]}");
}
