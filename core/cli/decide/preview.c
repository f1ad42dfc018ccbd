/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* preview.c: the effect of a switch of windows: reclaims, and lost work. */
#include "cli/term/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Sums over all reclaims and grants of a decision. */
typedef struct sums {
    int64_t slots, tasks, lost, unknown, granted;
} sums;

static sums add_up(const allot_decision *decision)
{
    sums all = {0};
    allot_reclaim reclaim;
    allot_grant grant;
    for (int32_t i = 0; i < allot_decision_reclaims(decision); i++) {
        if (allot_decision_reclaim(decision, i, &reclaim) != ALLOT_OK)
            continue;
        all.slots += reclaim.slots;
        all.tasks += reclaim.task_count;
        all.lost += reclaim.lost;
        all.unknown += reclaim.unknown;
    }
    for (int32_t i = 0; i < allot_decision_grants(decision); i++)
        if (allot_decision_grant(decision, i, &grant) == ALLOT_OK)
            all.granted += grant.slots;
    return all;
}

/* ---- Windows --------------------------------------------------------------------------------- */

static void put_windows(allot__text *out, const allot_plan *plan, uint64_t windows,
                        const char *what)
{
    for (int32_t i = 0; i < allot_plan_windows(plan); i++) {
        if (!(windows >> i & 1))
            continue;
        char text[512];
        allot_plan_window_text(plan, i, text, sizeof text);
        allot__text_printf(out, "%s %s\n", text, what);
    }
}

/* ---- Reclaims and grants --------------------------------------------------------------------- */

static void put_group(allot__text *out, const allot_plan *plan, int32_t group)
{
    if (allot_plan_groups(plan) > 1)
        allot__text_printf(out, "%s: ", allot_plan_group_name(plan, group));
}

static void put_tasks(allot__text *out, const allot_state *state, const allot_reclaim *reclaim)
{
    if (reclaim->task_count == 0)
        return;
    allot__text_printf(out, "; task%s", allot__cli_s(reclaim->task_count));
    for (int32_t i = 0; i < reclaim->task_count; i++) {
        allot_task task;
        if (allot_state_task_at(state, reclaim->tasks[i], &task) != ALLOT_OK)
            continue;
        allot__text_puts(out, " ");
        allot__text_puts_safe(out, task.id, strlen(task.id));
    }
    allot__text_printf(out, ", %" PRId64 " slot-second%s of work lost", reclaim->lost,
                       allot__cli_s(reclaim->lost));
    allot__cli_put_unknown(out, reclaim->unknown);
}

static void put_reclaim(allot__text *out, const allot_decision *decision,
                        const allot_reclaim *reclaim)
{
    const allot_plan *plan = allot_decision_plan(decision);
    char deadline[40];
    put_group(out, plan, reclaim->group);
    allot__text_path(out, plan, reclaim->consumer);
    allot__text_printf(out, " gives back %" PRId64 " slot%s", reclaim->slots,
                       allot__cli_s(reclaim->slots));
    for (int32_t i = 0; i < reclaim->claim_count; i++) {
        allot__text_printf(out, "%s%" PRId64 " to ", i > 0 ? ", " : ": ", reclaim->claims[i].slots);
        allot__text_path(out, plan, reclaim->claims[i].consumer);
    }
    allot_time_text(reclaim->deadline, deadline, sizeof deadline);
    allot__text_printf(out, "; by %s", deadline);
    if (reclaim->grace > 0)
        allot__text_printf(out, " (%" PRId64 " s of grace)", reclaim->grace);
    put_tasks(out, allot_decision_state(decision), reclaim);
    allot__text_puts(out, "\n");
}

static void put_orders(allot__text *out, const allot_decision *decision)
{
    const allot_plan *plan = allot_decision_plan(decision);
    allot_reclaim reclaim;
    allot_grant grant;
    for (int32_t i = 0; i < allot_decision_reclaims(decision); i++)
        if (allot_decision_reclaim(decision, i, &reclaim) == ALLOT_OK)
            put_reclaim(out, decision, &reclaim);
    for (int32_t i = 0; i < allot_decision_grants(decision); i++) {
        if (allot_decision_grant(decision, i, &grant) != ALLOT_OK)
            continue;
        put_group(out, plan, grant.group);
        allot__text_path(out, plan, grant.consumer);
        allot__text_printf(out, " gets %" PRId64 " idle slot%s\n", grant.slots,
                           allot__cli_s(grant.slots));
    }
}

static void put_sums(allot__text *out, const sums *all)
{
    if (all->slots == 0)
        allot__text_puts(out, "nothing is given back");
    else
        allot__text_printf(out, "in all %" PRId64 " slot%s given back", all->slots,
                           allot__cli_s(all->slots));
    if (all->tasks > 0) {
        allot__text_printf(out, " by %" PRId64 " task%s, %" PRId64 " slot-second%s of work lost",
                           all->tasks, allot__cli_s(all->tasks), all->lost,
                           allot__cli_s(all->lost));
        allot__cli_put_unknown(out, all->unknown);
    }
    allot__text_printf(out, "; %" PRId64 " idle slot%s granted\n", all->granted,
                       allot__cli_s(all->granted));
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void put_text(allot__text *out, const allot__documents *docs, uint64_t before,
                     uint64_t after)
{
    int64_t at = allot_decision_now(docs->decision);
    char now[40], from[40];
    sums all = add_up(docs->decision);
    allot_time_text(at, now, sizeof now);
    allot_time_text(docs->from, from, sizeof from);
    allot__text_printf(out, "at %s, all else as at %s:\n", now, from);
    put_windows(out, docs->plan, before & ~after, "ends");
    put_windows(out, docs->plan, after & ~before, "begins");
    if (before == after)
        allot__text_puts(out, "the same windows hold as now\n");
    put_orders(out, docs->decision);
    put_sums(out, &all);
}

static void put_list(allot__text *out, const char *name, uint64_t windows)
{
    bool first = true;
    allot__text_printf(out, "\"%s\": [", name);
    for (int i = 0; i < ALLOT_WINDOWS_MAX; i++) {
        if (!(windows >> i & 1))
            continue;
        allot__text_printf(out, "%s%d", first ? "" : ", ", i);
        first = false;
    }
    allot__text_puts(out, "], ");
}

/* The decision's document with one more member. */
static int put_document(allot__cli *cli, const allot__documents *docs, uint64_t before,
                        uint64_t after)
{
    static const char ending[] = "}\n";
    allot__text *out = &cli->out;
    sums all = add_up(docs->decision);
    int status = allot_decision_write(docs->decision, cli->report, allot__text_sink, out);
    if (status != ALLOT_OK)
        return allot__cli_status(cli, status);
    out->len -= sizeof ending - 1;
    allot__text_printf(out, ",\n\"preview\": {\"from\": %" PRId64 ", \"at\": %" PRId64 ", ",
                       docs->from, allot_decision_now(docs->decision));
    put_list(out, "ends", before & ~after);
    put_list(out, "begins", after & ~before);
    allot__text_printf(out,
                       "\"slots\": %" PRId64 ", \"tasks\": %" PRId64 ", \"lost\": %" PRId64
                       ", \"unknown\": %" PRId64 ", \"granted\": %" PRId64 "}",
                       all.slots, all.tasks, all.lost, all.unknown, all.granted);
    allot__text_puts(out, ending);
    return CLI_DONE;
}

int allot__cli_preview(allot__cli *cli, const allot__documents *docs)
{
    uint64_t before = allot_plan_windows_at(docs->plan, docs->from);
    uint64_t after = allot_plan_windows_at(docs->plan, allot_decision_now(docs->decision));
    if (cli->options.json)
        return put_document(cli, docs, before, after);
    put_text(&cli->out, docs, before, after);
    return CLI_DONE;
}
