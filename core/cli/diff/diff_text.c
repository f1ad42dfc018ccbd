/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* diff_text.c: what differs in one state, for people. */
#include "cli/diff/diff.h"

#include <inttypes.h>
#include <string.h>

/* So many rows of a list are shown without --all. */
#define SHOWN 20

/* ---- Sides ----------------------------------------------------------------------------------- */

static void put_side(allot__text *out, const char *label, const allot__diff_side *side)
{
    const allot_policy *policy = allot_plan_group_policy(side->docs.plan, 0);
    allot__text_printf(out, "%s: %s", label, allot__diff_side_is_live(side) ? "live " : "");
    allot__text_puts_safe(out, side->plan, strlen(side->plan));
    if (side->policy || policy)
        allot__text_printf(out, ", policy %s%s",
                           side->policy != NULL ? side->policy : allot_policy_name(policy),
                           side->policy != NULL ? " in place of its own" : "");
    if (side->at)
        allot__text_printf(out, ", at %s", side->at);
    allot__text_puts(out, "\n");
}

void allot__diff_put_sides(allot__text *out, const allot__diff_side sides[2])
{
    put_side(out, "A", &sides[0]);
    put_side(out, "B", &sides[1]);
}

/* ---- Rows of lists --------------------------------------------------------------------------- */

/* "tasks 2 -> 3 (+1)" of each measure that differs; without its name where there is but one. */
static void put_measures(allot__text *out, const allot_change *row, int first)
{
    const char *between = "";
    char name[32];
    for (int m = first; m < allot_diff_measures(row->kind); m++) {
        int64_t a = row->value[0][m], b = row->value[1][m];
        if (a == b || !allot_diff_decided(row->kind, m))
            continue;
        allot_diff_measure_name(row->kind, m, name, sizeof name);
        allot__text_puts(out, between);
        if (row->kind == ALLOT_DIFF_LEASE && strcmp(name, "phase") == 0)
            allot__text_printf(out, "%s -> %s", allot_lease_phase_name((int)a),
                               allot_lease_phase_name((int)b));
        else
            allot__text_printf(out, "%s%s%" PRId64 " -> %" PRId64 " (%+" PRId64 ")",
                               allot_diff_measures(row->kind) > 1 ? name : "",
                               allot_diff_measures(row->kind) > 1 ? " " : "", a, b, b - a);
        between = ", ";
    }
}

static void put_reclaim(allot__text *out, const allot_diff *diff, const allot_change *row)
{
    enum { SLOTS, GRACE };
    allot_change told = *row;
    if (row->value[0][SLOTS] == 0 || row->value[1][SLOTS] == 0)
        told.value[0][GRACE] = told.value[1][GRACE]; /* no job waits for nothing */
    allot__diff_put_path(out, diff, row, false);
    allot__text_puts(out, ": ");
    put_measures(out, &told, 1);
}

static void put_pair(allot__text *out, const allot_diff *diff, const allot_change *row)
{
    allot__diff_put_path(out, diff, row, false);
    allot__text_puts(out, " to ");
    allot__diff_put_path(out, diff, row, true);
    allot__text_puts(out, ": ");
    put_measures(out, row, 0);
}

static void put_place(allot__text *out, const allot_diff *diff, const allot_change *row)
{
    int side = row->item[0] < 0;
    allot_job job;
    if (row->item[side] >= 0 &&
        allot_state_job_at(allot_decision_state(allot_diff_side(diff, side)), row->item[side],
                           &job) == ALLOT_OK)
        allot__text_puts_safe(out, job.id, strlen(job.id));
    else
        allot__diff_put_path(out, diff, row, false);
    allot__text_printf(out, " on %s: ", row->name);
    put_measures(out, row, 0);
}

static const char *fate(const allot_change *row, int side)
{
    return row->value[side][1] > 0   ? "is killed"
           : row->value[side][0] > 0 ? "goes"
           : row->item[side] < 0     ? "is not there"
                                     : "stays";
}

static void put_task(allot__text *out, const allot_diff *diff, const allot_change *row)
{
    allot__text_puts_safe(out, row->name, strlen(row->name));
    allot__text_puts(out, " of ");
    allot__diff_put_path(out, diff, row, false);
    allot__text_printf(out, ": %s -> %s", fate(row, 0), fate(row, 1));
}

static void put_job(allot__text *out, const allot_diff *diff, const allot_change *row)
{
    allot__text_puts_safe(out, row->name, strlen(row->name));
    allot__text_puts(out, " of ");
    allot__diff_put_path(out, diff, row, false);
    allot__text_puts(out, ": ");
    put_measures(out, row, 0);
}

static void put_lease(allot__text *out, const allot_diff *diff, const allot_change *row)
{
    (void)diff;
    allot__text_printf(out, "%s: ", row->name);
    if (row->item[0] < 0 || row->item[1] < 0)
        allot__text_printf(out, "only %s has it; ", row->item[1] < 0 ? "A" : "B");
    put_measures(out, row, 0);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static const struct list {
    allot_diff_kind kind;
    const char *title;
    void (*put)(allot__text *out, const allot_diff *diff, const allot_change *row);
} lists[] = {
    {ALLOT_DIFF_RECLAIM, "what giving back costs", put_reclaim},
    {ALLOT_DIFF_CLAIM, "who gives back how much to whom", put_pair},
    {ALLOT_DIFF_TASK, "tasks", put_task},
    {ALLOT_DIFF_JOB, "jobs, in slots", put_job},
    {ALLOT_DIFF_PLACE, "slots given on hosts", put_place},
    {ALLOT_DIFF_LOAN, "loans, who lends how much to whom", put_pair},
    {ALLOT_DIFF_LEASE, "leases", put_lease},
};

/* Of reclaims the slots are in the table, and their grace says nothing where one has none. */
static bool is_told(const allot_change *row)
{
    bool told = row->kind != ALLOT_DIFF_RECLAIM;
    int first = row->value[0][0] == 0 || row->value[1][0] == 0 ? 2 : 1;
    for (int m = first; m < allot_diff_measures(row->kind) && !told; m++)
        told = row->value[0][m] != row->value[1][m];
    return told;
}

static void put_list(allot__text *out, const allot_diff *diff, const struct list *list, bool all)
{
    allot_change row;
    int32_t shown = 0, left = 0;
    for (int32_t i = 0; allot_diff_at(diff, list->kind, i, &row) == ALLOT_OK; i++) {
        if (!is_told(&row))
            continue;
        if (!all && shown == SHOWN) {
            left++;
            continue;
        }
        if (shown++ == 0)
            allot__text_printf(out, "\n%s:\n", list->title);
        allot__text_puts(out, "  ");
        list->put(out, diff, &row);
        allot__text_puts(out, "\n");
    }
    if (left > 0)
        allot__text_printf(out, "  (and %" PRId32 " more: --all)\n", left);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void put_head(allot__text *out, const allot_diff *diff, const char *state)
{
    allot_change row;
    char a[40], b[40];
    allot_time_text(allot_decision_now(allot_diff_side(diff, 0)), a, sizeof a);
    allot_time_text(allot_decision_now(allot_diff_side(diff, 1)), b, sizeof b);
    allot__text_puts(out, "state: ");
    allot__text_puts_safe(out, state, strlen(state));
    allot__text_printf(out, ", %s%s%s\n", a, strcmp(a, b) == 0 ? "" : " -> ",
                       strcmp(a, b) == 0 ? "" : b);
    for (int32_t i = 0; allot_diff_at(diff, ALLOT_DIFF_GROUP, i, &row) == ALLOT_OK; i++) {
        int side = row.group[0] < 0;
        const allot_plan *plan = allot_decision_plan(allot_diff_side(diff, side));
        if (row.group[0] >= 0 && row.group[1] >= 0)
            continue;
        allot__text_printf(out, "group %s: only %s has it\n",
                           allot_plan_group_name(plan, row.group[side]), side == 0 ? "A" : "B");
    }
}

/* What groups come to: "granted 3 -> 1 (-2), ...". */
static void put_totals(allot__text *out, const allot_diff *diff)
{
    allot_change row, sum = {.kind = ALLOT_DIFF_GROUP};
    for (int32_t i = 0; allot_diff_at(diff, ALLOT_DIFF_GROUP, i, &row) == ALLOT_OK; i++)
        for (int m = 0; m < allot_diff_measures(ALLOT_DIFF_GROUP); m++)
            for (int side = 0; side < 2; side++)
                sum.value[side][m] += row.value[side][m];
    allot__text_puts(out, "\n");
    size_t before = out->len;
    put_measures(out, &sum, 0);
    allot__text_puts(out, out->len > before ? "\n" : "the totals are the same\n");
}

void allot__diff_put(allot__text *out, const allot_diff *diff, const char *state,
                     const allot__look *look)
{
    put_head(out, diff, state);
    allot__text_puts(out, "\n");
    if (!allot_diff_differs(diff)) {
        if (look->all && allot__diff_table(out, diff, look) > 0)
            allot__text_puts(out, "\n");
        allot__text_puts(out, "no difference: both decide the same\n");
        return;
    }
    int32_t rows = allot__diff_table(out, diff, look);
    if (rows == 0)
        allot__text_puts(out, "every consumer gets and gives back the same\n");
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        put_list(out, diff, &lists[i], look->all);
    put_totals(out, diff);
}
