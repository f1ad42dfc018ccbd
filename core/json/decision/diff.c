/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* diff.c: two decisions compared, as members of a state of "allot/diff/v1". */
#include <stdbool.h>

#include <allot/json.h>

#include "base/path.h"

static void put_numbers(allot__text *out, const char *name, int64_t a, int64_t b)
{
    ALLOT__OBJECT(out, name, "a b change", a, b, b - a);
}

static const allot_plan *plan_of(const allot_diff *diff, int side)
{
    return allot_decision_plan(allot_diff_side(diff, side));
}

static void put_consumer(allot__text *out, const allot_diff *diff, const char *key,
                         const int32_t consumer[2])
{
    int side = consumer[0] < 0;
    if (consumer[side] < 0)
        return;
    allot__text_key(out, key);
    allot__text_json_path(out, plan_of(diff, side), consumer[side]);
}

/* The name on either side; the group, if there are several, only with the row's own consumer. */
static void put_name(allot__text *out, const char *key, const allot_diff *diff,
                     const allot_change *row, const int32_t consumer[2])
{
    int side = consumer[0] < 0, of = row->group[side] < 0 ? !side : side;
    const allot_plan *grouped = plan_of(diff, of);
    if (consumer[side] < 0)
        return;
    allot__text_key(out, key);
    allot__text_puts(out, "\"");
    if (consumer == row->consumer && row->group[of] >= 0 && allot_plan_groups(grouped) > 1)
        allot__text_printf(out, "%s: ", allot_plan_group_name(grouped, row->group[of]));
    allot__text_path(out, plan_of(diff, side), consumer[side]);
    allot__text_puts(out, "\"");
}

static void put_job(allot__text *out, const allot_diff *diff, const allot_change *row)
{
    int side = row->item[0] < 0;
    allot_job job;
    if (row->kind == ALLOT_DIFF_PLACE && row->item[side] >= 0 &&
        allot_state_job_at(allot_decision_state(allot_diff_side(diff, side)), row->item[side],
                           &job) == ALLOT_OK)
        allot__text_string(out, "job", job.id);
}

static void put_row(allot__text *out, const allot_diff *diff, const allot_change *row, bool names)
{
    char name[32];
    bool loan = row->kind == ALLOT_DIFF_LOAN;
    int group = row->group[0] < 0;
    const int32_t *whole = row->kind == ALLOT_DIFF_GROUP      ? row->group
                           : row->kind == ALLOT_DIFF_CONSUMER ? row->consumer
                                                              : row->item;
    allot__text_puts(out, "{");
    if (row->group[group] >= 0)
        allot__text_string(out, "group",
                           allot_plan_group_name(plan_of(diff, group), row->group[group]));
    put_consumer(out, diff, loan ? "lender" : "consumer", row->consumer);
    put_consumer(out, diff, loan ? "borrower" : "for", row->other);
    if (names) {
        put_name(out, "name", diff, row, row->consumer);
        put_name(out, "to", diff, row, row->other);
    }
    put_job(out, diff, row);
    allot__text_member(out, row->kind == ALLOT_DIFF_PLACE ? "host" : "id", row->name);
    if ((whole[0] < 0) != (whole[1] < 0))
        allot__text_string(out, "only", whole[1] < 0 ? "a" : "b");
    for (int m = 0; m < allot_diff_measures(row->kind); m++) {
        allot_diff_measure_name(row->kind, m, name, sizeof name);
        put_numbers(out, name, row->value[0][m], row->value[1][m]);
    }
    allot__text_puts(out, "}");
}

int allot_diff_write(const allot_diff *diff, int32_t names, allot_sink sink, void *ud)
{
    if (!diff || !sink)
        return ALLOT_EUSAGE;
    allot__text out = {.engine = allot_plan_engine(plan_of(diff, 0)), .sink = sink, .ud = ud};
    allot__text_puts(&out, "\"same\": ");
    allot__text_puts(&out, allot_diff_differs(diff) ? "false" : "true");
    for (int kind = 0; kind < ALLOT_DIFF_KINDS; kind++) {
        allot_change row;
        allot__text_printf(&out, ",\n \"%s\": [", allot_diff_kind_name(kind));
        for (int32_t i = 0; allot_diff_at(diff, kind, i, &row) == ALLOT_OK; i++) {
            allot__text_puts(&out, i > 0 ? ",\n  " : "\n  ");
            put_row(&out, diff, &row, names != 0);
        }
        allot__text_puts(&out, "]");
    }
    int status = allot__text_end(&out);
    allot__text_free(&out);
    return status;
}
