/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* decision.c: a decision for people: per group a table, then grants and reclaims. */
#include "cli/term/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put_head(const allot_decision *decision, int32_t group, const allot_totals *totals,
                     allot__text *out, bool color)
{
    const allot_plan *plan = allot_decision_plan(decision);
    const allot_policy *policy = allot_plan_group_policy(plan, group);
    char now[40];
    allot__text_printf(out, "%s%s%s: %" PRId64 " slot%s, ", color ? "\033[1m" : "",
                       allot_plan_group_name(plan, group), color ? "\033[0m" : "", totals->slots,
                       allot__cli_s(totals->slots));
    if (policy)
        allot__text_printf(out, "policy %s, ", allot_policy_name(policy));
    if (allot_plan_consumers(plan) > 0) /* a plan with only leases has no consumers to show */
        allot__text_printf(out, "%" PRId64 " idle, ", totals->idle);
    if (totals->blocked > 0)
        allot__text_printf(out, "%" PRId64 " on hosts closed to others, ", totals->blocked);
    allot_time_text(allot_decision_now(decision), now, sizeof now);
    allot__text_printf(out, "%s\n\n", now);
}

/* Cuts a long list of hosts; the decision's document has all. */
static void put_places(const allot_grant *grant, allot__text *out)
{
    enum { SHOWN = 6 };
    for (int32_t i = 0; i < grant->place_count && i < SHOWN; i++)
        allot__text_printf(out, "%s%s (%" PRId64 ")", i == 0 ? " on " : ", ", grant->places[i].name,
                           grant->places[i].slots);
    if (grant->place_count > SHOWN)
        allot__text_printf(out, " and %" PRId32 " more hosts", grant->place_count - SHOWN);
    if (grant->place_count > 0 && grant->unplaced > 0)
        allot__text_printf(out, "; no host is known for %" PRId64, grant->unplaced);
    allot__text_puts(out, "\n");
}

/* Tasks, first to last: the first few by name. */
static void put_names(const allot_decision *decision, const int32_t *tasks, int32_t count,
                      allot__text *out)
{
    enum { SHOWN = 8 };
    for (int32_t i = 0; i < count && i < SHOWN; i++) {
        allot_task task;
        if (allot_state_task_at(allot_decision_state(decision), tasks[i], &task) != ALLOT_OK)
            continue;
        allot__text_puts(out, i > 0 ? ", " : "");
        allot__text_puts_safe(out, task.id, strlen(task.id));
    }
    if (count > SHOWN)
        allot__text_printf(out, " and %" PRId32 " more", count - SHOWN);
}

/* Which tasks start (C-13). */
static void put_starts(const allot_decision *decision, const allot_grant *grant, allot__text *out)
{
    if (grant->task_count == 0)
        return;
    allot__text_puts(out, "    starts ");
    put_names(decision, grant->tasks, grant->task_count, out);
    allot__text_puts(out, "\n");
}

/* Adds the i-th row of a list; false: it is not of the group. */
typedef bool put_row(const allot_decision *decision, int32_t i, int32_t group, allot__text *out);

static void put_list(const allot_decision *decision, int32_t group, allot__text *out,
                     const char *title, int32_t count, put_row *put)
{
    bool any = false;
    for (int32_t i = 0; i < count; i++) {
        size_t before = out->len;
        if (!any)
            allot__text_printf(out, "\n%s:\n", title);
        allot__text_puts(out, "  ");
        if (put(decision, i, group, out))
            any = true;
        else
            out->len = before;
    }
}

static bool put_grant(const allot_decision *decision, int32_t i, int32_t group, allot__text *out)
{
    allot_grant grant;
    if (allot_decision_grant(decision, i, &grant) != ALLOT_OK || grant.group != group)
        return false;
    allot__text_path(out, allot_decision_plan(decision), grant.consumer);
    allot__text_printf(out, " gets %" PRId64 " idle slot%s", grant.slots,
                       allot__cli_s(grant.slots));
    put_places(&grant, out);
    put_starts(decision, &grant, out);
    return true;
}

static void put_claims(const allot_plan *plan, const allot_reclaim *reclaim, allot__text *out)
{
    allot__text_path(out, plan, reclaim->consumer);
    allot__text_printf(out, " gives back %" PRId64 "%s", reclaim->slots,
                       reclaim->claim_count > 0 ? ": " : "");
    for (int32_t i = 0; i < reclaim->claim_count; i++) {
        allot__text_printf(out, "%s%" PRId64 " to ", i > 0 ? ", " : "", reclaim->claims[i].slots);
        allot__text_path(out, plan, reclaim->claims[i].consumer);
    }
    if (reclaim->grace > 0)
        allot__text_printf(out, ", within %" PRId64 " s", reclaim->grace);
    else
        allot__text_puts(out, ", at once");
    allot__text_printf(out, " (%s: has %" PRId64 ", quota %" PRId64, reclaim->reason,
                       reclaim->allocated, reclaim->quota);
    if (reclaim->target != reclaim->quota)
        allot__text_printf(out, ", may keep %" PRId64, reclaim->target);
    allot__text_puts(out, ")\n");
}

void allot__cli_put_unknown(allot__text *out, int64_t tasks)
{
    if (tasks > 0)
        allot__text_printf(out, ", not counting %" PRId64 " task%s without a start", tasks,
                           allot__cli_s(tasks));
}

/* Which tasks go. */
static void put_tasks(const allot_decision *decision, const allot_reclaim *reclaim,
                      allot__text *out)
{
    if (reclaim->task_count == 0)
        return;
    allot__text_puts(out, "    tasks ");
    put_names(decision, reclaim->tasks, reclaim->task_count, out);
    allot__text_printf(out, "; slot-seconds of work lost: %" PRId64, reclaim->lost);
    allot__cli_put_unknown(out, reclaim->unknown);
    allot__text_puts(out, "\n");
}

static bool put_reclaim(const allot_decision *decision, int32_t i, int32_t group, allot__text *out)
{
    allot_reclaim reclaim;
    if (allot_decision_reclaim(decision, i, &reclaim) != ALLOT_OK || reclaim.group != group)
        return false;
    put_claims(allot_decision_plan(decision), &reclaim, out);
    put_tasks(decision, &reclaim, out);
    return true;
}

/* The phase of a reclaim in flight, in words. */
static void put_phase(const allot_flight *flight, allot__text *out)
{
    switch (flight->phase) {
    case ALLOT_RETURNED:
        allot__text_puts(out, "all are back");
        return;
    case ALLOT_INTERRUPTED:
        allot__text_puts(out, "its tasks were notified");
        break;
    case ALLOT_LEEWAY:
        allot__text_puts(out, "its grace is over");
        break;
    case ALLOT_OVERDUE:
        allot__text_puts(out, "its leeway is over");
        return;
    }
    if (flight->left != INT64_MAX)
        allot__text_printf(out, ", %" PRId64 " s left", flight->left);
}

static bool put_flight(const allot_decision *decision, int32_t i, int32_t group, allot__text *out)
{
    allot_flight flight;
    if (allot_decision_flight(decision, i, &flight) != ALLOT_OK || flight.group != group)
        return false;
    allot__text_printf(out, "%s%s", flight.id ? flight.id : "", flight.id != NULL ? ": " : "");
    allot__text_path(out, allot_decision_plan(decision), flight.consumer);
    allot__text_printf(out, " gives back %" PRId64, flight.slots);
    if (flight.returned > 0 && flight.returned < flight.slots)
        allot__text_printf(out, ", %" PRId64 " of them are back", flight.returned);
    allot__text_printf(out, " (%s: ", allot_phase_name(flight.phase));
    put_phase(&flight, out);
    allot__text_puts(out, ")\n");
    return true;
}

static bool put_kill(const allot_decision *decision, int32_t i, int32_t group, allot__text *out)
{
    allot_kill kill;
    allot_flight flight;
    allot_task task;
    if (allot_decision_kill(decision, i, &kill) != ALLOT_OK ||
        allot_decision_flight(decision, kill.flight, &flight) != ALLOT_OK ||
        flight.group != group ||
        allot_state_task_at(allot_decision_state(decision), kill.task, &task) != ALLOT_OK)
        return false;
    allot__text_printf(out, "%s of ", task.id);
    allot__text_path(out, allot_decision_plan(decision), task.consumer);
    allot__text_puts(out, "\n");
    return true;
}

static void put_totals(const allot_totals *totals, allot__text *out)
{
    if (totals->granted == 0 && totals->held == 0 && totals->reclaimed == 0)
        allot__text_puts(out, "\nnothing to grant, nothing to give back");
    else
        allot__text_printf(out, "\ngranted %" PRId64 ", reclaimed %" PRId64, totals->granted,
                           totals->reclaimed);
    if (totals->held > 0)
        allot__text_printf(out, ", held idle %" PRId64, totals->held);
    allot__text_printf(out, "; %" PRId64 " of %" PRId64 " idle slot%s left\n", totals->idle_left,
                       totals->idle, allot__cli_s(totals->idle));
}

void allot__cli_decision(const allot_decision *decision, allot__text *out, const allot__look *look)
{
    const allot_plan *plan = allot_decision_plan(decision);
    int32_t groups = allot_plan_groups(plan);
    bool dispatches = allot_plan_queues(plan) + allot_plan_leases(plan) > 0;
    for (int32_t group = 0; group < groups; group++) {
        allot_totals totals;
        if (allot_decision_totals(decision, group, &totals) != ALLOT_OK)
            continue;
        allot__text_puts(out, group > 0 ? "\n" : "");
        put_head(decision, group, &totals, out, look->color);
        if (dispatches) {
            allot__cli_queues(decision, out, look);
            continue;
        }
        int32_t left_out = allot__cli_table(decision, group, out, look);
        if (left_out > 0)
            allot__text_printf(out, "(and %" PRId32 " with nothing: --all)\n", left_out);
        put_list(decision, group, out, "grants, in this order", allot_decision_grants(decision),
                 put_grant);
        put_list(decision, group, out, "reclaims, in this order", allot_decision_reclaims(decision),
                 put_reclaim);
        put_list(decision, group, out, "reclaims in flight", allot_decision_flights(decision),
                 put_flight);
        put_list(decision, group, out, "tasks to kill and requeue now, since their time is over",
                 allot_decision_kills(decision), put_kill);
        put_totals(&totals, out);
    }
}
