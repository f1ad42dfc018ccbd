/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * diff_json.c: a comparison as "allot/diff/v1". For people lua/allot/text/diff.lua shows the same
 * document, whose rows then also have names: "/a", or "gpu: /a" if there are several groups.
 */
#include "cli/diff/diff.h"

#include <inttypes.h>

static void put_numbers(allot__text *out, const char *name, int64_t a, int64_t b)
{
    allot__text_open(out, name, "{");
    allot__text_number(out, "a", a);
    allot__text_number(out, "b", b);
    allot__text_number(out, "change", b - a);
    allot__text_puts(out, "}");
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
    allot__text_open(out, name, "{");
    allot__text_number(out, "change", it->value);
    allot__text_string(out, "state", sums->names.bytes + it->state);
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
