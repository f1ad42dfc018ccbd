/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * diff_json.c: a comparison as "allot/diff/v1". For people lua/allot/text/diff.lua shows the same
 * document, whose rows then also have names: "/a", or "gpu: /a" if there are several groups.
 */
#include "cli/diff/diff.h"

#include <inttypes.h>
#include <stdio.h>

static void put_numbers(allot__text *out, const char *name, int64_t a, int64_t b)
{
    allot__text_open(out, name, "{");
    allot__text_number(out, "a", a);
    allot__text_number(out, "b", b);
    allot__text_number(out, "change", b - a);
    allot__text_puts(out, "}");
}

/* A text, or null. */
static void put_text(allot__text *out, const char *name, const char *string)
{
    allot__text_key(out, name);
    allot__text_json(out, string);
}

void allot__diff_json_side(allot__text *out, const allot__diff_side *side)
{
    const allot_policy *policy = allot_plan_group_policy(side->docs.plan, 0);
    allot__text_puts(out, "{");
    put_text(out, "plan", side->plan);
    allot__text_bool(out, "live", side->is_live);
    put_text(out, "policy", policy ? allot_policy_name(policy) : NULL);
    put_text(out, "instead", side->policy);
    put_text(out, "at", side->at);
    allot__text_puts(out, "}");
}

/* ---- One state ------------------------------------------------------------------------------- */

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
        put_text(out, "job", job.id);
}

static void put_row(allot__text *out, const allot_diff *diff, const allot_change *row, bool people)
{
    char name[32];
    bool loan = row->kind == ALLOT_DIFF_LOAN;
    int group = row->group[0] < 0;
    const int32_t *whole = row->kind == ALLOT_DIFF_GROUP      ? row->group
                           : row->kind == ALLOT_DIFF_CONSUMER ? row->consumer
                                                              : row->item;
    allot__text_puts(out, "{");
    if (row->group[group] >= 0)
        put_text(out, "group", allot_plan_group_name(plan_of(diff, group), row->group[group]));
    put_consumer(out, diff, loan ? "lender" : "consumer", row->consumer);
    put_consumer(out, diff, loan ? "borrower" : "for", row->other);
    if (people) {
        put_name(out, "name", diff, row, row->consumer);
        put_name(out, "to", diff, row, row->other);
    }
    put_job(out, diff, row);
    allot__text_member(out, row->kind == ALLOT_DIFF_PLACE ? "host" : "id", row->name);
    if ((whole[0] < 0) != (whole[1] < 0))
        put_text(out, "only", whole[1] < 0 ? "a" : "b");
    for (int m = 0; m < allot_diff_measures(row->kind); m++) {
        allot_diff_measure_name(row->kind, m, name, sizeof name);
        put_numbers(out, name, row->value[0][m], row->value[1][m]);
    }
    allot__text_puts(out, "}");
}

void allot__diff_json(allot__text *out, const allot_diff *diff, const char *state, bool people)
{
    allot__text_puts(out, "\n{\"state\": ");
    allot__text_json(out, state);
    allot__text_printf(out, ", \"now\": {\"a\": %" PRId64 ", \"b\": %" PRId64 "}, \"same\": %s",
                       allot_decision_now(allot_diff_side(diff, 0)),
                       allot_decision_now(allot_diff_side(diff, 1)),
                       allot_diff_differs(diff) ? "false" : "true");
    for (int kind = 0; kind < ALLOT_DIFF_KINDS; kind++) {
        allot_change row;
        allot__text_printf(out, ",\n \"%s\": [", allot_diff_kind_name(kind));
        for (int32_t i = 0; allot_diff_at(diff, kind, i, &row) == ALLOT_OK; i++) {
            allot__text_puts(out, i > 0 ? ",\n  " : "\n  ");
            put_row(out, diff, &row, people);
        }
        allot__text_puts(out, "]");
    }
    allot__text_puts(out, "}");
}

/* ---- The sums -------------------------------------------------------------------------------- */

static void put_extreme(allot__text *out, const char *name, const allot__extreme *it,
                        const allot__diff_sums *sums)
{
    if (it->value == 0) {
        put_text(out, name, NULL);
        return;
    }
    allot__text_open(out, name, "{");
    allot__text_number(out, "change", it->value);
    put_text(out, "state", sums->names.bytes + it->state);
    allot__text_puts(out, "}");
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
    put_text(out, "group", group);
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
    allot__text_number(out, "added", sums->added);
    allot__text_number(out, "saved", sums->saved);
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
