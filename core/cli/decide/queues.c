/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queues.c: a decision about queues for people: a table of them, the orders, and who waits. */
#include "cli/decide/queues.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* So many queues, and orders, are shown whole; more with --all. */
enum { SMALL = 20, SHOWN = 40, HOSTS_SHOWN = 6 };
/* Characters. */
enum { NAME_MAX_SHOWN = 32, NAME_MIN = 10, POOL_MIN = 6, ROOM = 100 };

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void put_name(allot__text *out, const char *name)
{
    allot__cli_puts_safe(out, name, strlen(name));
}

void allot__cli_put_job(allot__text *out, const allot_decision *decision, int32_t number)
{
    allot_job job;
    allot_queue queue;
    if (allot_state_job_at(allot_decision_state(decision), number, &job) != ALLOT_OK ||
        allot_plan_queue_at(allot_decision_plan(decision), job.queue, &queue) != ALLOT_OK)
        return;
    allot__cli_puts(out, "job ");
    put_name(out, job.id);
    allot__cli_printf(out, " (queue %s)", queue.name);
}

void allot__cli_put_places(allot__text *out, const allot_place *places, int32_t count)
{
    for (int32_t i = 0; i < count && i < HOSTS_SHOWN; i++) {
        allot__cli_puts(out, i == 0 ? " on " : ", ");
        put_name(out, places[i].name);
        if (count > 1)
            allot__cli_printf(out, " (%" PRId64 ")", places[i].slots);
    }
    if (count > HOSTS_SHOWN)
        allot__cli_printf(out, " and %" PRId32 " more hosts", count - HOSTS_SHOWN);
}

/* ---- The table ------------------------------------------------------------------------------- */

enum {
    PRIORITY,
    SLICE,
    PENDING,
    RUNNING,
    SUSPENDED,
    STARTS,
    RESUMES,
    GROWS,
    PREEMPTED,
    AFTER,
    COLUMNS
};
static const char *const heads[COLUMNS] = {"prio",   "slice",   "pending", "running", "susp",
                                           "starts", "resumes", "grows",   "preempt", "after"};
/* Those that are left out where they are 0 in all rows. */
static const bool optional[COLUMNS] = {
    [SLICE] = true, [SUSPENDED] = true, [RESUMES] = true, [GROWS] = true, [PREEMPTED] = true};

typedef struct shape {
    int name, pool; /* widths; pool 0: no pools */
    int width[COLUMNS];
} shape;

static void numbers_of(const allot_queue *queue, const allot_queue_part *part, int64_t *out)
{
    const int64_t numbers[COLUMNS] = {[PRIORITY] = queue->priority,
                                      [SLICE] = part->slice,
                                      [PENDING] = part->pending,
                                      [RUNNING] = part->running,
                                      [SUSPENDED] = part->suspended,
                                      [STARTS] = part->started,
                                      [RESUMES] = part->resumed,
                                      [GROWS] = part->grown,
                                      [PREEMPTED] = part->preempted,
                                      [AFTER] = part->running + part->started + part->resumed +
                                                part->grown - part->preempted};
    memcpy(out, numbers, sizeof numbers);
}

static bool row_of(const allot_decision *decision, int32_t i, allot_queue *queue, int64_t *numbers)
{
    allot_queue_part part;
    if (allot_plan_queue_at(allot_decision_plan(decision), i, queue) != ALLOT_OK ||
        allot_decision_queue(decision, i, &part) != ALLOT_OK)
        return false;
    numbers_of(queue, &part, numbers);
    return true;
}

/* Has it jobs? */
static bool is_busy(const int64_t *numbers)
{
    return numbers[PENDING] != 0 || numbers[RUNNING] != 0 || numbers[SUSPENDED] != 0;
}

static int widest(int width, int len)
{
    return len > width ? len : width;
}

/* Names are cut where the terminal, or 100 columns, are too narrow for them; numbers never. */
static void fit(shape *it, int room)
{
    int used = it->name + (it->pool > 0 ? it->pool + 2 : 0);
    for (int i = 0; i < COLUMNS; i++)
        used += it->width[i] > 0 ? it->width[i] + 2 : 0;
    for (; used > room && it->pool > POOL_MIN; used--)
        it->pool--;
    for (; used > room && it->name > NAME_MIN; used--)
        it->name--;
}

static void measure(const allot_decision *decision, bool all, shape *out)
{
    const allot_plan *plan = allot_decision_plan(decision);
    *out = (shape){.name = (int)strlen("queue")};
    for (int i = 0; i < COLUMNS; i++)
        out->width[i] = optional[i] ? 0 : (int)strlen(heads[i]);
    for (int32_t i = 0; i < allot_plan_queues(plan); i++) {
        int64_t numbers[COLUMNS];
        allot_queue queue;
        if (!row_of(decision, i, &queue, numbers) || !(all || is_busy(numbers)))
            continue;
        int name = (int)strlen(queue.name), pool = allot_plan_queue_pool(plan, i);
        out->name = widest(out->name, name < NAME_MAX_SHOWN ? name : NAME_MAX_SHOWN);
        if (pool >= 0)
            out->pool = widest(widest(out->pool, 4), (int)strlen(allot_plan_pool_name(plan, pool)));
        for (int k = 0; k < COLUMNS; k++)
            if (numbers[k] != 0 || !optional[k])
                out->width[k] = widest(widest(out->width[k], (int)strlen(heads[k])),
                                       snprintf(NULL, 0, "%" PRId64, numbers[k]));
    }
    out->pool = out->pool < NAME_MAX_SHOWN ? out->pool : NAME_MAX_SHOWN;
}

static void put_head(allot__text *out, const shape *shape, bool color)
{
    allot__cli_puts(out, color ? "\033[1m" : "");
    allot__cli_printf(out, "%-*s", shape->name, "queue");
    if (shape->pool > 0)
        allot__cli_printf(out, "  %-*s", shape->pool, "pool");
    for (int i = 0; i < COLUMNS; i++)
        if (shape->width[i] > 0)
            allot__cli_printf(out, "  %*s", shape->width[i], heads[i]);
    allot__cli_puts(out, color ? "\033[0m\n" : "\n");
}

static void put_row(allot__text *out, const shape *shape, const char *pool,
                    const allot_queue *queue, const int64_t *numbers)
{
    bool cut = strlen(queue->name) > (size_t)shape->name;
    allot__cli_printf(out, "%-*.*s%s", cut ? shape->name - 3 : shape->name,
                      cut ? shape->name - 3 : shape->name, queue->name, cut ? "..." : "");
    if (shape->pool > 0)
        allot__cli_printf(out, "  %-*.*s", shape->pool, shape->pool, pool ? pool : "");
    for (int i = 0; i < COLUMNS; i++) {
        if (shape->width[i] == 0)
            continue;
        if (numbers[i] != 0 || !optional[i])
            allot__cli_printf(out, "  %*" PRId64, shape->width[i], numbers[i]);
        else
            allot__cli_spaces(out, shape->width[i] + 2);
    }
    allot__cli_trim(out);
    allot__cli_puts(out, "\n");
}

static void put_table(const allot_decision *decision, allot__text *out, const allot__look *look)
{
    const allot_plan *plan = allot_decision_plan(decision);
    bool all = look->all || allot_plan_queues(plan) <= SMALL;
    int32_t left_out = 0;
    shape shape;
    measure(decision, all, &shape);
    fit(&shape, look->width > 0 ? look->width : ROOM);
    put_head(out, &shape, look->color);
    for (int32_t i = 0; i < allot_plan_queues(plan); i++) {
        int64_t numbers[COLUMNS];
        allot_queue queue;
        if (!row_of(decision, i, &queue, numbers))
            continue;
        if (all || is_busy(numbers))
            put_row(out, &shape, allot_plan_pool_name(plan, allot_plan_queue_pool(plan, i)), &queue,
                    numbers);
        else
            left_out++;
    }
    if (left_out > 0)
        allot__cli_printf(out, "(and %" PRId32 " without jobs: --all)\n", left_out);
    allot__cli_puts(out, "(slots; running: before this cycle, after: behind it)\n");
}

static void put_pools(const allot_decision *decision, allot__text *out)
{
    const allot_plan *plan = allot_decision_plan(decision);
    for (int32_t i = 0; i < allot_plan_pools(plan); i++) {
        allot_pool_part part;
        if (allot_decision_pool(decision, i, &part) == ALLOT_OK)
            allot__cli_printf(out,
                              "pool %s: %" PRId64 " slot%s, %" PRId64
                              " used by its queues, %" PRId64 " free\n",
                              allot_plan_pool_name(plan, i), part.slots, plural(part.slots),
                              part.used, part.free);
    }
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
    allot__cli_printf(out, "%s ", verb ? verb : actions[order->action]);
}

static void put_going(allot__text *out, const allot_decision *decision,
                      const allot_job_order *order)
{
    allot_job by;
    if (order->preemptor >= 0 &&
        allot_state_job_at(allot_decision_state(decision), order->preemptor, &by) == ALLOT_OK) {
        allot__cli_puts(out, ", for ");
        allot__cli_put_job(out, decision, order->preemptor);
    } else if (order->closed > 0) {
        allot__cli_printf(out, ", %" PRId64 " of them on closed hosts (%s)", order->closed,
                          order->reason);
    } else {
        allot__cli_puts(out, ": the job that its slots are reserved for is due");
    }
    if (order->cancelled > 0)
        allot__cli_printf(out, "; %" PRId64 " new slot%s cancelled", order->cancelled,
                          plural(order->cancelled));
    if (order->preempted > 1)
        allot__cli_printf(out, "; preempted %" PRId64 " times with this", order->preempted);
    if (order->held)
        allot__cli_puts(out, "; once it has been told of its new slots");
}

static void put_order(allot__text *out, const allot_decision *decision,
                      const allot_job_order *order)
{
    bool goes = order->kind == ALLOT_ORDER_SUSPEND || order->kind == ALLOT_ORDER_KILL;
    allot__cli_puts(out, "  ");
    put_verb(out, order);
    allot__cli_put_job(out, decision, order->job);
    allot__cli_put_places(out, order->places, order->place_count);
    allot__cli_printf(out, ": %" PRId64 "%s slot%s", order->slots,
                      order->kind == ALLOT_ORDER_RESIZE ? " more" : "", plural(order->slots));
    if (goes)
        put_going(out, decision, order);
    else if (strcmp(order->reason, "preempted") == 0)
        allot__cli_puts(out, ", others make room");
    else if (strcmp(order->reason, "free") != 0)
        allot__cli_printf(out, " (%s)", order->reason);
    allot__cli_puts(out, "\n");
}

static void put_orders(const allot_decision *decision, allot__text *out, bool all)
{
    int32_t count = allot_decision_job_orders(decision);
    int32_t shown = all || count <= SHOWN ? count : SHOWN;
    if (count > 0)
        allot__cli_puts(out, "\norders, to be carried out in this order:\n");
    for (int32_t i = 0; i < shown; i++) {
        allot_job_order order;
        if (allot_decision_job_order(decision, i, &order) == ALLOT_OK)
            put_order(out, decision, &order);
    }
    if (count > shown)
        allot__cli_printf(out, "  (and %" PRId32 " more: --all)\n", count - shown);
}

/* ---- Who waits ------------------------------------------------------------------------------- */

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
        allot__cli_printf(out, "\n%" PRId64 " job%s wait%s (allot explain PLAN STATE JOB):\n", sum,
                          plural(sum), sum == 1 ? "s" : "");
    for (int i = 0; i < ALLOT_PEND_COUNT; i++)
        if (counts[i] > 0)
            allot__cli_printf(out, "  %" PRId64 ": %s\n", counts[i], allot_pending_text(i));
}

/* ---- Contracts ------------------------------------------------------------------------------- */

static void put_side(allot__text *out, const char *role, const char *name,
                     const allot_lease_side *side)
{
    allot__cli_printf(out, "  %s ", role);
    put_name(out, name);
    allot__cli_printf(out, ": %" PRId64 " available, %" PRId64 " used, %" PRId64 " idle",
                      side->available, side->used, side->available - side->used);
    if (side->demand >= 0)
        allot__cli_printf(out, ", %" PRId64 " wanted", side->demand);
    allot__cli_puts(out, "\n");
}

static void put_lease(allot__text *out, const allot_lease *lease, const allot_lease_part *part)
{
    char since[40];
    allot_time_text(part->now.since, since, sizeof since);
    allot__cli_puts(out, "contract ");
    put_name(out, lease->name);
    allot__cli_printf(out, ": %" PRId64 " slot%s, %s, %s since %s\n", part->size,
                      plural(part->size), lease->shared ? "shared" : "exclusive",
                      allot_lease_phase_name((int)part->now.phase), since);
    put_side(out, "provider", lease->provider, &part->now.provider);
    put_side(out, "consumer", lease->consumer, &part->now.consumer);
    if (part->moved > 0) {
        allot__cli_printf(out, "  %" PRId64 " slot%s moved to the %s", part->moved,
                          plural(part->moved), part->to_consumer ? "consumer" : "provider");
        allot__cli_put_places(out, part->places, part->place_count);
        allot__cli_printf(out, " (%s)\n", part->reason);
    } else {
        allot__cli_printf(out, "  nothing moves (%s)\n", part->reason);
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
            allot__cli_puts(out, i > 0 || allot_plan_queues(plan) > 0 ? "\n" : "");
            put_lease(out, &lease, &part);
        }
    }
}

void allot__cli_queues(const allot_decision *decision, allot__text *out, const allot__look *look)
{
    if (allot_plan_queues(allot_decision_plan(decision)) > 0) {
        put_table(decision, out, look);
        put_pools(decision, out);
        allot__cli_resources(decision, out, look);
        put_orders(decision, out, look->all);
        put_waiting(decision, out);
    }
    put_leases(decision, out);
}
