/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queues.c: a decision about queues for people: tables of queues and resources, the orders, and
 * jobs that wait. */
#include "cli/term/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The most queues, resources and orders shown without --all. */
enum { SMALL = 20, SHOWN = 40, HOSTS_SHOWN = 6 };
/* Characters. */
enum { NAME_MOST = 32, NAME_MIN = 10, POOL_MIN = 6, ROOM = 100 };

static void put_name(allot__text *out, const char *name)
{
    allot__text_puts_safe(out, name, strlen(name));
}

static void put_job(allot__text *out, const allot_decision *decision, int32_t number)
{
    allot_job job;
    allot_queue queue;
    if (allot_state_job_at(allot_decision_state(decision), number, &job) != ALLOT_OK ||
        allot_plan_queue_at(allot_decision_plan(decision), job.queue, &queue) != ALLOT_OK)
        return;
    allot__text_puts(out, "job ");
    put_name(out, job.id);
    allot__text_printf(out, " (queue %s)", queue.name);
}

static void put_places(allot__text *out, const allot_place *places, int32_t count)
{
    for (int32_t i = 0; i < count && i < HOSTS_SHOWN; i++) {
        allot__text_puts(out, i == 0 ? " on " : ", ");
        put_name(out, places[i].name);
        if (count > 1)
            allot__text_printf(out, " (%" PRId64 ")", places[i].slots);
    }
    if (count > HOSTS_SHOWN)
        allot__text_printf(out, " and %" PRId32 " more hosts", count - HOSTS_SHOWN);
}

/* ---- The table ------------------------------------------------------------------------------- */

static const allot__grid_column columns[] = {
    {"queue", true, false, NULL}, {"pool", true, true, NULL},      {"prio", false, false, NULL},
    {"slice", false, true, NULL}, {"pending", false, false, NULL}, {"running", false, false, NULL},
    {"susp", false, true, NULL},  {"starts", false, false, NULL},  {"resumes", false, true, NULL},
    {"grows", false, true, NULL}, {"preempt", false, true, NULL},  {"after", false, false, NULL},
};
enum { NAME, POOL, COLUMNS = sizeof columns / sizeof columns[0] };

/* Adds a queue; without `all` only if it has jobs. */
static bool add_row(const allot_decision *decision, int32_t i, bool all, allot__grid *grid)
{
    const allot_plan *plan = allot_decision_plan(decision);
    const char *pool = allot_plan_pool_name(plan, allot_plan_queue_pool(plan, i));
    allot_queue queue;
    allot_queue_part it;
    if (allot_plan_queue_at(plan, i, &queue) != ALLOT_OK ||
        allot_decision_queue(decision, i, &it) != ALLOT_OK)
        return true;
    if (!all && it.pending == 0 && it.running == 0 && it.suspended == 0)
        return false;
    allot__grid_add(grid, "%s", queue.name);
    allot__grid_add(grid, "%s", pool ? pool : "");
    allot__grid_add(grid, "%" PRId64, (int64_t)queue.priority);
    allot__grid_count(grid, it.slice);
    allot__grid_add(grid, "%" PRId64, it.pending);
    allot__grid_add(grid, "%" PRId64, it.running);
    allot__grid_count(grid, it.suspended);
    allot__grid_add(grid, "%" PRId64, it.started);
    allot__grid_count(grid, it.resumed);
    allot__grid_count(grid, it.grown);
    allot__grid_count(grid, it.preempted);
    allot__grid_add(grid, "%" PRId64,
                    it.running + it.started + it.resumed + it.grown - it.preempted);
    return true;
}

/* Cuts names to fit the terminal, or 100 columns, but never numbers. */
static void put_table(const allot_decision *decision, allot__text *out, const allot__look *look)
{
    int32_t queues = allot_plan_queues(allot_decision_plan(decision)), left_out = 0;
    int room = look->width > 0 ? look->width : ROOM;
    allot__grid grid;
    allot__grid_begin(&grid, out->engine, columns, COLUMNS);
    for (int32_t i = 0; i < queues; i++)
        left_out += !add_row(decision, i, look->all || queues <= SMALL, &grid);
    allot__grid_measure(&grid);
    for (int i = NAME; i <= POOL; i++)
        grid.width[i] = grid.width[i] < NAME_MOST ? grid.width[i] : NAME_MOST;
    allot__grid_narrow(&grid, POOL, POOL_MIN, room);
    allot__grid_narrow(&grid, NAME, NAME_MIN, room);
    allot__grid_put(&grid, out, look->color);
    if (left_out > 0)
        allot__text_printf(out, "(and %" PRId32 " without jobs: --all)\n", left_out);
    allot__text_puts(out, "(slots; running: before this cycle, after: after it)\n");
}

static void put_pools(const allot_decision *decision, allot__text *out)
{
    const allot_plan *plan = allot_decision_plan(decision);
    for (int32_t i = 0; i < allot_plan_pools(plan); i++) {
        allot_pool_part part;
        if (allot_decision_pool(decision, i, &part) == ALLOT_OK)
            allot__text_printf(out,
                               "pool %s: %" PRId64 " slot%s, %" PRId64
                               " used by its queues, %" PRId64 " free\n",
                               allot_plan_pool_name(plan, i), part.slots, allot__cli_s(part.slots),
                               part.used, part.free);
    }
}

/* ---- Resources: what jobs hold of them, before a cycle and behind it ------------------------- */

enum { TOTAL, USED, STARTS, PREEMPTED, AFTER, FREE, WAITING, RESOURCE_COLUMNS };
static const allot__grid_column resource_columns[] = {
    {"resource", true, false, NULL}, {"total", false, false, NULL},
    {"used", false, false, NULL},    {"starts", false, true, NULL},
    {"preempt", false, true, NULL},  {"after", false, false, NULL},
    {"free", false, false, NULL},    {"jobs waiting", false, true, NULL},
};

typedef struct resource_row {
    int64_t numbers[RESOURCE_COLUMNS];
} resource_row;

static void add(const allot_job *job, resource_row *rows, int column)
{
    for (int32_t i = 0; i < job->resource_count; i++)
        rows[job->resources[i].resource].numbers[column] += job->resources[i].amount;
}

/* Suspended jobs keep their resources; waiting jobs ask for theirs. */
static void count_jobs(const allot_decision *decision, resource_row *rows)
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

/* A job that ends by its preemption releases its resources. */
static void count_orders(const allot_decision *decision, resource_row *rows)
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

static void count_all(const allot_decision *decision, resource_row *rows, int32_t count)
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
        /* A plan may have been cut to less than jobs hold. */
        numbers[FREE] = numbers[TOTAL] > numbers[AFTER] ? numbers[TOTAL] - numbers[AFTER] : 0;
    }
}

/* Is any of it held or asked for? */
static bool is_busy(const resource_row *of)
{
    return of->numbers[USED] != 0 || of->numbers[STARTS] != 0 || of->numbers[WAITING] != 0;
}

static void put_resource_table(const allot_plan *plan, const resource_row *rows, int32_t count,
                               allot__text *out, const allot__look *look)
{
    int32_t left_out = 0;
    allot__grid grid;
    allot__grid_begin(&grid, out->engine, resource_columns, RESOURCE_COLUMNS + 1);
    for (int32_t i = 0; i < count; i++) {
        allot_resource resource;
        if (allot_plan_resource_at(plan, i, &resource) != ALLOT_OK)
            continue;
        if (!look->all && count > SMALL && !is_busy(&rows[i])) {
            left_out++;
            continue;
        }
        allot__grid_add(&grid, "%s", resource.name);
        for (int k = 0; k < RESOURCE_COLUMNS; k++)
            if (resource_columns[k + 1].optional)
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

static void put_resources(const allot_decision *decision, allot__text *out, const allot__look *look)
{
    const allot_plan *plan = allot_decision_plan(decision);
    int32_t count = allot_plan_resources(plan);
    size_t size = (size_t)count * sizeof(resource_row);
    if (count == 0)
        return;
    resource_row *rows = allot_engine_alloc(out->engine, NULL, 0, size);
    if (!rows) {
        out->failed = true;
        return;
    }
    memset(rows, 0, size);
    count_all(decision, rows, count);
    put_resource_table(plan, rows, count, out, look);
    allot_engine_alloc(out->engine, rows, size, 0);
}

/* ---- Orders ---------------------------------------------------------------------------------- */

static void put_verb(allot__text *out, const allot_job_order *order)
{
    static const char *const verbs[ALLOT_ORDER_COUNT] = {
        [ALLOT_ORDER_START] = "start",
        [ALLOT_ORDER_RESUME] = "resume",
        [ALLOT_ORDER_RESIZE] = "grow",
    };
    static const char *const actions[ALLOT_ACTION_COUNT] = {
        [ALLOT_SUSPEND] = "suspend",
        [ALLOT_CHECKPOINT] = "checkpoint and suspend",
        [ALLOT_REQUEUE] = "kill and requeue",
        [ALLOT_KILL] = "kill",
    };
    const char *verb = verbs[order->kind];
    allot__text_printf(out, "%s ", verb ? verb : actions[order->action]);
}

static void put_going(allot__text *out, const allot_decision *decision,
                      const allot_job_order *order)
{
    allot_job by;
    if (order->preemptor >= 0 &&
        allot_state_job_at(allot_decision_state(decision), order->preemptor, &by) == ALLOT_OK) {
        allot__text_puts(out, ", for ");
        put_job(out, decision, order->preemptor);
    } else if (order->closed > 0) {
        allot__text_printf(out, ", %" PRId64 " of them on closed hosts (%s)", order->closed,
                           order->reason);
    } else {
        allot__text_puts(out, ": the job that its slots are reserved for is due");
    }
    if (order->cancelled > 0)
        allot__text_printf(out, "; %" PRId64 " new slot%s cancelled", order->cancelled,
                           allot__cli_s(order->cancelled));
    if (order->preempted > 1)
        allot__text_printf(out, "; preempted %" PRId64 " times with this", order->preempted);
    if (order->held)
        allot__text_puts(out, "; once it was notified of its new slots");
}

static void put_order(allot__text *out, const allot_decision *decision,
                      const allot_job_order *order)
{
    bool goes = order->kind == ALLOT_ORDER_SUSPEND || order->kind == ALLOT_ORDER_KILL;
    allot__text_puts(out, "  ");
    put_verb(out, order);
    put_job(out, decision, order->job);
    put_places(out, order->places, order->place_count);
    allot__text_printf(out, ": %" PRId64 "%s slot%s", order->slots,
                       order->kind == ALLOT_ORDER_RESIZE ? " more" : "",
                       allot__cli_s(order->slots));
    if (goes)
        put_going(out, decision, order);
    else if (strcmp(order->reason, "preempted") == 0)
        allot__text_puts(out, ", others make room");
    else if (strcmp(order->reason, "free") != 0)
        allot__text_printf(out, " (%s)", order->reason);
    allot__text_puts(out, "\n");
}

static void put_orders(const allot_decision *decision, allot__text *out, bool all)
{
    int32_t count = allot_decision_job_orders(decision);
    int32_t shown = all || count <= SHOWN ? count : SHOWN;
    if (count > 0)
        allot__text_puts(out, "\norders, to be carried out in this order:\n");
    for (int32_t i = 0; i < shown; i++) {
        allot_job_order order;
        if (allot_decision_job_order(decision, i, &order) == ALLOT_OK)
            put_order(out, decision, &order);
    }
    if (count > shown)
        allot__text_printf(out, "  (and %" PRId32 " more: --all)\n", count - shown);
}

/* ---- Jobs that wait -------------------------------------------------------------------------- */

static void put_waiting(const allot_decision *decision, allot__text *out)
{
    int64_t counts[ALLOT_PEND_COUNT] = {0}, sum = 0;
    for (int32_t i = 0; i < allot_state_jobs(allot_decision_state(decision)); i++) {
        allot_pending_of of;
        if (allot_decision_pending(decision, i, &of) != ALLOT_OK || of.why == ALLOT_PEND_NOT)
            continue;
        counts[of.why]++;
        sum++;
    }
    if (sum > 0)
        allot__text_printf(out, "\n%" PRId64 " job%s wait%s (allot explain PLAN STATE JOB):\n", sum,
                           allot__cli_s(sum), sum == 1 ? "s" : "");
    for (int i = 0; i < ALLOT_PEND_COUNT; i++)
        if (counts[i] > 0)
            allot__text_printf(out, "  %" PRId64 ": %s\n", counts[i], allot_pending_text(i));
}

/* ---- Contracts ------------------------------------------------------------------------------- */

static void put_side(allot__text *out, const char *role, const char *name,
                     const allot_lease_side *side)
{
    allot__text_printf(out, "  %s ", role);
    put_name(out, name);
    allot__text_printf(out, ": %" PRId64 " available, %" PRId64 " used, %" PRId64 " idle",
                       side->available, side->used, side->available - side->used);
    if (side->demand >= 0)
        allot__text_printf(out, ", %" PRId64 " wanted", side->demand);
    allot__text_puts(out, "\n");
}

static void put_lease(allot__text *out, const allot_lease *lease, const allot_lease_part *part)
{
    char since[40];
    allot_time_text(part->now.since, since, sizeof since);
    allot__text_puts(out, "contract ");
    put_name(out, lease->name);
    allot__text_printf(out, ": %" PRId64 " slot%s, %s, %s since %s\n", part->size,
                       allot__cli_s(part->size), lease->shared ? "shared" : "exclusive",
                       allot_lease_phase_name((int)part->now.phase), since);
    put_side(out, "provider", lease->provider, &part->now.provider);
    put_side(out, "consumer", lease->consumer, &part->now.consumer);
    if (part->moved > 0) {
        allot__text_printf(out, "  %" PRId64 " slot%s moved to the %s", part->moved,
                           allot__cli_s(part->moved), part->to_consumer ? "consumer" : "provider");
        put_places(out, part->places, part->place_count);
        allot__text_printf(out, " (%s)\n", part->reason);
    } else {
        allot__text_printf(out, "  nothing moves (%s)\n", part->reason);
    }
}

static void put_leases(const allot_decision *decision, allot__text *out)
{
    const allot_plan *plan = allot_decision_plan(decision);
    for (int32_t i = 0; i < allot_plan_leases(plan); i++) {
        allot_lease lease;
        allot_lease_part part;
        if (allot_plan_lease_at(plan, i, &lease) == ALLOT_OK &&
            allot_decision_lease(decision, i, &part) == ALLOT_OK) {
            allot__text_puts(out, i > 0 || allot_plan_queues(plan) > 0 ? "\n" : "");
            put_lease(out, &lease, &part);
        }
    }
}

void allot__cli_queues(const allot_decision *decision, allot__text *out, const allot__look *look)
{
    if (allot_plan_queues(allot_decision_plan(decision)) > 0) {
        put_table(decision, out, look);
        put_pools(decision, out);
        put_resources(decision, out, look);
        put_orders(decision, out, look->all);
        put_waiting(decision, out);
    }
    put_leases(decision, out);
}
