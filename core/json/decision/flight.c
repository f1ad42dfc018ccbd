/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* flight.c: a decision's tasks, reclaims in flight, and kills. */
#include "json/decision/flight.h"

#include "json/decision/dispatch.h"

void allot__write_tasks(allot__writer *out, const allot_decision *decision, const int32_t *tasks,
                        int32_t count)
{
    const allot_state *state = allot_decision_state(decision);
    allot_task task;
    allot__write_open(out, "tasks", '[');
    for (int32_t i = 0; i < count; i++)
        if (allot_state_task_at(state, tasks[i], &task) == ALLOT_OK)
            allot__write_string(out, NULL, task.id);
    allot__write_close(out, ']');
}

/* A time that is not known is not written. */
static void write_time(allot__writer *out, const char *key, int64_t time)
{
    if (time != INT64_MAX)
        allot__write_integer(out, key, time);
}

void allot__write_flights(allot__writer *out, const allot_decision *decision)
{
    const allot_plan *plan = allot_decision_plan(decision);
    int32_t count = allot_decision_flights(decision);
    allot__write_line(out);
    allot__write_open(out, "flights", '[');
    for (int32_t i = 0; i < count; i++) {
        allot_flight flight;
        if (!allot__write_got(out, allot_decision_flight(decision, i, &flight)))
            return;
        allot__write_line(out);
        allot__write_open(out, NULL, '{');
        allot__write_string(out, "id", flight.id);
        allot__write_string(out, "group", allot_plan_group_name(plan, flight.group));
        allot__write_path(out, "consumer", plan, flight.consumer);
        allot__write_integer(out, "slots", flight.slots);
        allot__write_integer(out, "returned", flight.returned);
        allot__write_string(out, "phase", allot_phase_name(flight.phase));
        write_time(out, "deadline", flight.deadline);
        write_time(out, "left", flight.left);
        allot__write_close(out, '}');
    }
    allot__write_close(out, ']');
}

static void write_kill(allot__writer *out, const allot_decision *decision, const allot_kill *kill)
{
    allot_task task;
    allot_flight flight;
    const allot_state *state = allot_decision_state(decision);
    if (!allot__write_got(out, allot_state_task_at(state, kill->task, &task)) ||
        !allot__write_got(out, allot_decision_flight(decision, kill->flight, &flight)))
        return;
    allot__write_line(out);
    allot__write_open(out, NULL, '{');
    allot__write_string(out, "task", task.id);
    allot__write_path(out, "consumer", allot_decision_plan(decision), task.consumer);
    allot__write_string(out, "reclaim", flight.id);
    allot__write_open(out, "why", '{');
    allot__write_string(out, "code", kill->reason);
    allot__write_integer(out, "deadline", flight.deadline);
    allot__write_close(out, '}');
    allot__write_close(out, '}');
}

void allot__write_kills(allot__writer *out, const allot_decision *decision)
{
    int32_t count = allot_decision_kills(decision);
    allot__write_open(out, "kills", '[');
    for (int32_t i = 0; i < count; i++) {
        allot_kill kill;
        if (!allot__write_got(out, allot_decision_kill(decision, i, &kill)))
            return;
        write_kill(out, decision, &kill);
    }
    allot__write_orders(out, decision, ALLOT_ORDER_KILL);
    allot__write_close(out, ']');
}

void allot__write_loans(allot__writer *out, const allot_decision *decision)
{
    const allot_plan *plan = allot_decision_plan(decision);
    allot__write_line(out);
    allot__write_open(out, "loans", '[');
    int32_t count = allot_decision_loans(decision);
    for (int32_t i = 0; i < count; i++) {
        allot_loan_change loan;
        if (!allot__write_got(out, allot_decision_loan(decision, i, &loan)))
            return;
        allot__write_line(out);
        allot__write_open(out, NULL, '{');
        allot__write_string(out, "group", allot_plan_group_name(plan, loan.group));
        allot__write_path(out, "lender", plan, loan.lender);
        allot__write_path(out, "borrower", plan, loan.borrower);
        allot__write_integer(out, "slots", loan.slots);
        allot__write_integer(out, "before", loan.before);
        allot__write_open(out, "why", '{');
        allot__write_string(out, "code", loan.reason);
        allot__write_close(out, '}');
        allot__write_close(out, '}');
    }
    allot__write_close(out, ']');
}
