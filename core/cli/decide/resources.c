/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* resources.c: what jobs hold of a plan's resources, before a cycle and behind it, as a table. */
#include "cli/decide/queues.h"
#include "cli/term/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* So many resources are shown whole; more with --all. And characters of a name. */
enum { SMALL = 20, NAME_MOST = 32 };

enum { TOTAL, USED, STARTS, PREEMPTED, AFTER, FREE, WAITING, COLUMNS };
static const allot__grid_column columns[] = {
    {"resource", true, false, NULL}, {"total", false, false, NULL},
    {"used", false, false, NULL},    {"starts", false, true, NULL},
    {"preempt", false, true, NULL},  {"after", false, false, NULL},
    {"free", false, false, NULL},    {"jobs waiting", false, true, NULL},
};

typedef struct row {
    int64_t numbers[COLUMNS];
} row;

/* ---- Counting -------------------------------------------------------------------------------- */

static void add(const allot_job *job, row *rows, int column)
{
    for (int32_t i = 0; i < job->resource_count; i++)
        rows[job->resources[i].resource].numbers[column] += job->resources[i].amount;
}

/* Jobs keep their resources also while they are suspended; a job that waits asks for its own. */
static void count_jobs(const allot_decision *decision, row *rows)
{
    const allot_plan *plan = allot_decision_plan(decision);
    const allot_state *state = allot_decision_state(decision);
    for (int32_t i = 0; i < allot_state_jobs(state); i++) {
        allot_job job;
        allot_pending_of of;
        if (allot_state_job_at(state, i, &job) != ALLOT_OK || job.resource_count == 0)
            continue;
        if (job.state != ALLOT_PENDING)
            add(&job, rows, USED);
        else if (allot_decision_pending(decision, i, &of) == ALLOT_OK &&
                 (of.why == ALLOT_PEND_RESOURCE || of.why == ALLOT_PEND_RESOURCE_WAIT))
            rows[allot_plan_resource_find(plan, of.limit)].numbers[WAITING]++;
    }
}

/* A job that ends when it is preempted releases what it has. */
static void count_orders(const allot_decision *decision, row *rows)
{
    for (int32_t i = 0; i < allot_decision_job_orders(decision); i++) {
        allot_job_order order;
        allot_job job;
        if (allot_decision_job_order(decision, i, &order) != ALLOT_OK ||
            allot_state_job_at(allot_decision_state(decision), order.job, &job) != ALLOT_OK)
            continue;
        bool goes = order.kind == ALLOT_ORDER_SUSPEND || order.kind == ALLOT_ORDER_KILL;
        if (order.kind == ALLOT_ORDER_START)
            add(&job, rows, STARTS);
        else if (goes && (order.action == ALLOT_KILL || order.action == ALLOT_REQUEUE))
            add(&job, rows, PREEMPTED);
    }
}

static void count_all(const allot_decision *decision, row *rows, int32_t count)
{
    count_jobs(decision, rows);
    count_orders(decision, rows);
    for (int32_t i = 0; i < count; i++) {
        allot_resource resource;
        int64_t *numbers = rows[i].numbers;
        if (allot_plan_resource_at(allot_decision_plan(decision), i, &resource) != ALLOT_OK)
            continue;
        numbers[TOTAL] = resource.amount;
        numbers[AFTER] = numbers[USED] + numbers[STARTS] - numbers[PREEMPTED];
        /* A plan that was cut down may have fewer than jobs hold. */
        numbers[FREE] = numbers[TOTAL] > numbers[AFTER] ? numbers[TOTAL] - numbers[AFTER] : 0;
    }
}

/* ---- Showing --------------------------------------------------------------------------------- */

/* Is any of it held or asked for? */
static bool is_busy(const row *of)
{
    return of->numbers[USED] != 0 || of->numbers[STARTS] != 0 || of->numbers[WAITING] != 0;
}

static void put_table(const allot_plan *plan, const row *rows, int32_t count, allot__text *out,
                      const allot__look *look)
{
    int32_t left_out = 0;
    allot__grid grid;
    allot__grid_begin(&grid, out->engine, columns, COLUMNS + 1);
    for (int32_t i = 0; i < count; i++) {
        allot_resource resource;
        if (allot_plan_resource_at(plan, i, &resource) != ALLOT_OK)
            continue;
        if (!look->all && count > SMALL && !is_busy(&rows[i])) {
            left_out++;
            continue;
        }
        allot__grid_add(&grid, "%s", resource.name);
        for (int k = 0; k < COLUMNS; k++)
            if (columns[k + 1].optional)
                allot__grid_count(&grid, rows[i].numbers[k]);
            else
                allot__grid_add(&grid, "%" PRId64, rows[i].numbers[k]);
    }
    allot__grid_measure(&grid);
    grid.width[0] = grid.width[0] < NAME_MOST ? grid.width[0] : NAME_MOST;
    allot__text_puts(out, "\n");
    allot__grid_put(&grid, out, look->color);
    if (left_out > 0)
        allot__text_printf(out, "(and %" PRId32 " that no job asks for: --all)\n", left_out);
}

void allot__cli_resources(const allot_decision *decision, allot__text *out, const allot__look *look)
{
    const allot_plan *plan = allot_decision_plan(decision);
    int32_t count = allot_plan_resources(plan);
    size_t size = (size_t)count * sizeof(row);
    if (count == 0)
        return;
    row *rows = allot_engine_alloc(out->engine, NULL, 0, size);
    if (!rows) {
        out->failed = true;
        return;
    }
    memset(rows, 0, size);
    count_all(decision, rows, count);
    put_table(plan, rows, count, out, look);
    allot_engine_alloc(out->engine, rows, size, 0);
}
