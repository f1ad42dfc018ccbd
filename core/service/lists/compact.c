/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* compact.c: the orders of a decision as one line of JSON. */
#include "service/lists/lists.h"

#include <string.h>

#include "base/path.h"

typedef struct page {
    allot__text *out;
    const allot_decision *decision;
    const allot_plan *plan;
    const allot_state *state;
    const allot__books *books;
    int64_t cycle, orders;
} page;

static void open_order(page *it)
{
    allot__text_open(it->out, NULL, "{");
    it->orders++;
}

static void put_path(page *it, const char *key, int32_t consumer)
{
    allot__text_path_member(it->out, key, it->plan, consumer);
}

static void put_leaf(page *it, const char *key, int32_t group, int32_t consumer)
{
    allot__text_member(it->out, "group", allot_plan_group_name(it->plan, group));
    put_path(it, key, consumer);
}

static void put_places(page *it, const allot_place *places, int32_t count)
{
    if (count == 0)
        return;
    allot__text_open(it->out, "hosts", "{");
    for (int32_t i = 0; i < count; i++)
        allot__text_named_number(it->out, places[i].name, places[i].slots);
    allot__text_puts(it->out, "}");
}

static void put_code(page *it, const char *code)
{
    allot__text_open(it->out, "why", "{");
    allot__text_member(it->out, "code", code);
}

/* ---- Slots ----------------------------------------------------------------------------------- */

static void put_tasks(page *it, const int32_t *tasks, int32_t count)
{
    allot__text_open(it->out, "tasks", "[");
    for (int32_t k = 0; k < count; k++) {
        allot_task task;
        if (allot_state_task_at(it->state, tasks[k], &task) == ALLOT_OK)
            allot__text_string(it->out, NULL, task.id);
    }
    allot__text_puts(it->out, "]");
}

static void put_grant(page *it, int32_t i)
{
    allot_grant grant;
    allot_decision_grant(it->decision, i, &grant);
    if (allot__books_starts_told(it->books, it->decision, i))
        return;
    open_order(it);
    put_leaf(it, "consumer", grant.group, grant.consumer);
    allot__text_number(it->out, "slots", grant.slots);
    put_places(it, grant.places, grant.place_count);
    if (grant.task_count > 0)
        put_tasks(it, grant.tasks, grant.task_count);
    allot__text_puts(it->out, "}");
}

static void put_claims(page *it, const allot_reclaim *reclaim)
{
    allot__text_open(it->out, "for", "[");
    for (int32_t k = 0; k < reclaim->claim_count; k++) {
        allot__text_open(it->out, NULL, "{");
        put_path(it, "consumer", reclaim->claims[k].consumer);
        allot__text_number(it->out, "slots", reclaim->claims[k].slots);
        allot__text_puts(it->out, "}");
    }
    allot__text_puts(it->out, "]");
}

static void put_reclaim(page *it, int32_t i)
{
    allot_reclaim reclaim;
    allot_decision_reclaim(it->decision, i, &reclaim);
    open_order(it);
    allot__text_key(it->out, "id");
    allot__text_printf(it->out, "\"r%lld.%d\"", (long long)it->cycle, (int)i);
    put_leaf(it, "consumer", reclaim.group, reclaim.consumer);
    allot__text_number(it->out, "slots", reclaim.slots);
    put_claims(it, &reclaim);
    ALLOT__MEMBERS(it->out, "grace deadline", reclaim.grace, reclaim.deadline);
    put_tasks(it, reclaim.tasks, reclaim.task_count);
    put_code(it, reclaim.reason);
    ALLOT__MEMBERS(it->out, "allocated quota", reclaim.allocated, reclaim.quota);
    allot__text_puts(it->out, "}}");
}

static void put_loan(page *it, int32_t i)
{
    allot_loan_change loan;
    allot_decision_loan(it->decision, i, &loan);
    if (loan.slots == loan.before)
        return;
    open_order(it);
    put_leaf(it, "lender", loan.group, loan.lender);
    put_path(it, "borrower", loan.borrower);
    ALLOT__MEMBERS(it->out, "slots before why", loan.slots, loan.before, loan.reason);
    allot__text_puts(it->out, "}");
}

static void put_leases(page *it)
{
    allot__text_open(it->out, "leases", "{");
    for (int32_t i = 0; i < allot_plan_leases(it->plan); i++) {
        allot_lease lease;
        allot_lease_part part;
        if (allot_decision_lease(it->decision, i, &part) != ALLOT_OK || part.moved == 0 ||
            allot_plan_lease_at(it->plan, i, &lease) != ALLOT_OK)
            continue;
        allot__text_named(it->out, lease.name);
        allot__text_puts(it->out, "{");
        ALLOT__MEMBERS(it->out, "moved to provider consumer", part.moved,
                       part.to_consumer ? "consumer" : "provider", part.now.provider.available,
                       part.now.consumer.available);
        put_places(it, part.places, part.place_count);
        allot__text_member(it->out, "why", part.reason);
        allot__text_puts(it->out, "}");
        it->orders++;
    }
    allot__text_puts(it->out, "}");
}

/* ---- Tasks and jobs -------------------------------------------------------------------------- */

static void put_job(page *it, const allot_job_order *order, const allot_job *job)
{
    allot_queue queue;
    allot_job by;
    open_order(it);
    allot__text_member(it->out, "job", job->id);
    if (allot_plan_queue_at(it->plan, job->queue, &queue) == ALLOT_OK)
        allot__text_member(it->out, "queue", queue.name);
    allot__text_number(it->out, "slots", order->slots);
    put_places(it, order->places, order->place_count);
    if (order->kind == ALLOT_ORDER_SUSPEND || order->kind == ALLOT_ORDER_KILL) {
        allot__text_member(it->out, "action", allot_action_name((int)order->action));
        if (order->preemptor >= 0 &&
            allot_state_job_at(it->state, order->preemptor, &by) == ALLOT_OK)
            allot__text_member(it->out, "for", by.id);
    }
    put_code(it, order->reason);
    allot__text_puts(it->out, "}}");
}

static void put_jobs(page *it, allot_order_kind kind)
{
    for (int32_t i = 0; i < allot_decision_job_orders(it->decision); i++) {
        allot_job_order order;
        allot_job job;
        allot_decision_job_order(it->decision, i, &order);
        if (order.kind == kind && !order.held &&
            allot_state_job_at(it->state, order.job, &job) == ALLOT_OK)
            put_job(it, &order, &job);
    }
}

static void put_kill(page *it, int32_t i)
{
    allot_kill kill;
    allot_task task;
    allot_flight flight;
    allot_decision_kill(it->decision, i, &kill);
    if (allot__books_told(it->books, it->decision, i) ||
        allot_state_task_at(it->state, kill.task, &task) != ALLOT_OK)
        return;
    open_order(it);
    allot__text_member(it->out, "task", task.id);
    put_path(it, "consumer", task.consumer);
    if (allot_decision_flight(it->decision, kill.flight, &flight) == ALLOT_OK)
        allot__text_member(it->out, "reclaim", flight.id);
    put_code(it, kill.reason);
    allot__text_puts(it->out, "}}");
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Puts the lists of orders: of jobs, of others, or of both. */
static void put_lists(page *it)
{
    const allot_decision *decision = it->decision;
    const struct {
        const char *key;
        int32_t count;
        void (*put)(page *it, int32_t i);
        int jobs; /* kind of order; -1: none */
    } lists[] = {{"grants", allot_decision_grants(decision), put_grant, -1},
                 {"reclaims", allot_decision_reclaims(decision), put_reclaim, -1},
                 {"starts", 0, NULL, ALLOT_ORDER_START},
                 {"resumes", 0, NULL, ALLOT_ORDER_RESUME},
                 {"resizes", 0, NULL, ALLOT_ORDER_RESIZE},
                 {"suspends", 0, NULL, ALLOT_ORDER_SUSPEND},
                 {"kills", allot_decision_kills(decision), put_kill, ALLOT_ORDER_KILL},
                 {"loans", allot_decision_loans(decision), put_loan, -1}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        allot__text_open(it->out, lists[i].key, "[");
        for (int32_t k = 0; k < lists[i].count; k++)
            lists[i].put(it, k);
        if (lists[i].jobs >= 0)
            put_jobs(it, (allot_order_kind)lists[i].jobs);
        allot__text_puts(it->out, "]");
    }
}

static void put_warnings(page *it, const allot_report *report)
{
    allot__text_open(it->out, "warnings", "[");
    for (int32_t i = 0; report && i < allot_report_count(report); i++) {
        const allot_diagnostic *finding = allot_report_at(report, i);
        if (finding->severity != ALLOT_WARNING)
            continue;
        allot__text_open(it->out, NULL, "{");
        allot__text_member(it->out, "code", finding->code);
        allot__text_member(it->out, "message", finding->message);
        allot__text_member(it->out, "path", finding->path);
        allot__text_puts(it->out, "}");
    }
    allot__text_puts(it->out, "]");
}

int64_t allot__compact(allot__text *out, const allot_decision *decision, const allot__books *books,
                       int64_t seq, int64_t cycle, int64_t event, const allot_report *warnings)
{
    page it = {.out = out,
               .decision = decision,
               .plan = allot_decision_plan(decision),
               .state = allot_decision_state(decision),
               .books = books,
               .cycle = cycle};
    allot__text_puts(out, "{");
    ALLOT__MEMBERS(out, "seq cycle now event", seq, cycle, allot_decision_now(decision), event);
    put_lists(&it);
    put_leases(&it);
    put_warnings(&it, warnings);
    allot__text_puts(out, "}");
    return out->failed ? ALLOT_ENOMEM : it.orders;
}
