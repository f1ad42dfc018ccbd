/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* decision.c: a decision as "allot/decision/v1". */
#include "json/decision/decision.h"

#include <string.h>

/* Each item comes on a line of its own. */
static void write_list(allot__page *page, const char *key, int32_t count,
                       void (*write)(allot__page *page, int32_t i))
{
    allot__text_open(&page->out, key, "[");
    for (int32_t i = 0; i < count && !page->out.failed; i++)
        write(page, i);
    allot__text_puts(&page->out, "]");
}

#define WRITE_NUMBERS(out, numbers, thing)                                                         \
    allot__text_numbers(out, numbers, sizeof(numbers) / sizeof *(numbers), thing)

static void open_item(allot__page *page)
{
    allot__text_line(&page->out);
    allot__text_open(&page->out, NULL, "{");
}

static void write_ratio(allot__text *out, const char *key, const allot_ratio *ratio)
{
    char text[80];
    allot_ratio_text(ratio, text, sizeof text);
    allot__text_string(out, key, text);
}

static void write_policy(allot__text *out, const allot_policy *policy)
{
    allot__text_open(out, "policy", "{");
    allot__text_string(out, "name", allot_policy_name(policy));
    allot__text_string(out, "sha256", allot_policy_sha256(policy)); /* "" of one without text */
    allot__text_puts(out, "}");
}

static void write_group_name(allot__page *page, int32_t group)
{
    allot__text_string(&page->out, "group", allot_plan_group_name(page->plan, group));
}

static void write_path(allot__page *page, const char *key, int32_t consumer)
{
    allot__text_path_member(&page->out, key, page->plan, consumer);
}

/* ---- Groups and their consumers -------------------------------------------------------------- */

static void write_parts(allot__page *page, int32_t group, const allot_verdict *verdict)
{
    allot__text_open(&page->out, "parts", "{");
    for (int32_t i = 0; i < verdict->parts; i++)
        if (verdict->part[i] != 0)
            allot__text_number(
                &page->out, allot_decision_part_label(page->decision, group, verdict->consumer, i),
                verdict->part[i]);
    allot__text_puts(&page->out, "}");
}

/* `own_used` to `planned`: which consumers use whose slots (E-35). */
#define OF(member) ALLOT__NUMBER_OF(allot_verdict, member)
static const allot__number amounts[] = {
    OF(allocated), OF(in_flight), OF(granted),   OF(held),   OF(received), OF(over),
    OF(deficit),   OF(earmarked), OF(reclaimed), OF(free),   OF(own_used), OF(lent),
    OF(borrowed),  OF(shared),    OF(planned),   OF(forced), OF(held_back)};
#undef OF

static void write_verdict(allot__page *page, int32_t group, const allot_verdict *verdict)
{
    allot__text *out = &page->out;
    open_item(page);
    write_path(page, "path", verdict->consumer);
    allot__text_number(out, "demand", verdict->demand);
    allot__text_number(out, "need", verdict->need);
    write_ratio(out, "owned", &verdict->owned);
    allot__text_number(out, "reserve", verdict->reserve);
    write_ratio(out, "exact", &verdict->exact);
    allot__text_number(out, "quota", verdict->quota);
    write_parts(page, group, verdict);
    WRITE_NUMBERS(out, amounts, verdict);
    if (verdict->waiting_since != INT64_MIN)
        allot__text_number(out, "waiting_since", verdict->waiting_since);
    if (page->counts)
        allot__text_number(out, "usage", verdict->usage);
    if (verdict->usage_rest != 0)
        allot__text_number(out, "usage_rest", verdict->usage_rest);
    if (verdict->barred != 0)
        allot__text_number(out, "barred", verdict->barred);
    allot__text_puts(out, "}");
}

#define OF(member) ALLOT__NUMBER_OF(allot_totals, member)
static const allot__number sizes[] = {OF(slots), OF(idle), OF(idle_left), OF(held)};
static const allot__number sums[] = {OF(reserve), OF(demand),   OF(allocated), OF(own_used),
                                     OF(lent),    OF(borrowed), OF(shared),    OF(planned)};
#undef OF

static void write_group(allot__page *page, int32_t group)
{
    allot__text *out = &page->out;
    allot_totals totals;
    if (!allot__text_got(out, allot_decision_totals(page->decision, group, &totals)))
        return;
    allot__text_line(out);
    allot__text_named(out, allot_plan_group_name(page->plan, group));
    allot__text_puts(out, "{");
    if (allot_plan_groups(page->plan) > 1)
        write_policy(out, allot_plan_group_policy(page->plan, group));
    WRITE_NUMBERS(out, sizes, &totals);
    if (totals.blocked != 0)
        allot__text_number(out, "blocked", totals.blocked);
    write_ratio(out, "owned", &totals.owned);
    WRITE_NUMBERS(out, sums, &totals);
    allot__text_open(out, "consumers", "[");
    for (int32_t i = allot_plan_next(page->plan, ALLOT_ROOT); i != ALLOT_ROOT && !out->failed;
         i = allot_plan_next(page->plan, i)) {
        allot_verdict verdict;
        if (allot__text_got(out, allot_decision_verdict(page->decision, group, i, &verdict)))
            write_verdict(page, group, &verdict);
    }
    allot__text_puts(out, "]}");
}

/* ---- What to carry out ----------------------------------------------------------------------- */

/* The ids of a reclaim's or grant's tasks, first to last. */
static void write_tasks(allot__page *page, const int32_t *tasks, int32_t count)
{
    allot_task task;
    allot__text_open(&page->out, "tasks", "[");
    for (int32_t i = 0; i < count; i++)
        if (allot_state_task_at(page->state, tasks[i], &task) == ALLOT_OK)
            allot__text_string(&page->out, NULL, task.id);
    allot__text_puts(&page->out, "]");
}

static void write_grant(allot__page *page, int32_t i)
{
    allot__text *out = &page->out;
    allot_grant grant;
    if (!allot__text_got(out, allot_decision_grant(page->decision, i, &grant)))
        return;
    open_item(page);
    write_group_name(page, grant.group);
    write_path(page, "consumer", grant.consumer);
    allot__text_number(out, "slots", grant.slots);
    if (grant.task_count > 0)
        write_tasks(page, grant.tasks, grant.task_count);
    allot__write_places(out, grant.places, grant.place_count);
    if (grant.place_count > 0 && grant.unplaced > 0)
        allot__text_number(out, "unplaced", grant.unplaced);
    allot__text_puts(out, "}");
}

static void write_claims(allot__page *page, const allot_reclaim *reclaim)
{
    allot__text *out = &page->out;
    allot__text_open(out, "for", "[");
    for (int32_t i = 0; i < reclaim->claim_count; i++) {
        allot__text_open(out, NULL, "{");
        write_path(page, "consumer", reclaim->claims[i].consumer);
        allot__text_number(out, "slots", reclaim->claims[i].slots);
        allot__text_puts(out, "}");
    }
    allot__text_puts(out, "]");
}

static void write_reclaim(allot__page *page, int32_t i)
{
    allot__text *out = &page->out;
    allot_reclaim reclaim;
    if (!allot__text_got(out, allot_decision_reclaim(page->decision, i, &reclaim)))
        return;
    open_item(page);
    write_group_name(page, reclaim.group);
    write_path(page, "consumer", reclaim.consumer);
    allot__text_number(out, "slots", reclaim.slots);
    write_claims(page, &reclaim);
    ALLOT__MEMBERS(out, "grace deadline", reclaim.grace, reclaim.deadline);
    write_tasks(page, reclaim.tasks, reclaim.task_count);
    allot__text_number(out, "lost", reclaim.lost);
    if (reclaim.unknown > 0)
        allot__text_number(out, "unknown", reclaim.unknown);
    allot__text_open(out, "why", "{");
    ALLOT__MEMBERS(out, "code allocated quota target over", reclaim.reason, reclaim.allocated,
                   reclaim.quota, reclaim.target, reclaim.over);
    allot_task pending;
    if (reclaim.pending >= 0 &&
        allot_state_task_at(page->state, reclaim.pending, &pending) == ALLOT_OK)
        allot__text_string(out, "pending", pending.id);
    allot__text_puts(out, "}}");
}

/* Each session's part of its leaf's quota. */
static void write_session(allot__page *page, int32_t i)
{
    allot__text *out = &page->out;
    const allot_session *session = allot_state_session_at(page->state, i);
    allot_session_part part;
    if (!allot__text_got(out, allot_decision_session(page->decision, i, &part)))
        return;
    open_item(page);
    allot__text_string(out, "id", session->id);
    write_group_name(page, session->group);
    write_path(page, "consumer", session->consumer);
    ALLOT__MEMBERS(out, "need quota allocated", part.need, part.quota, part.allocated);
    allot__text_puts(out, "}");
}

/* A reclaim in flight. Unknown times are not written. */
static void write_flight(allot__page *page, int32_t i)
{
    allot__text *out = &page->out;
    allot_flight flight;
    if (!allot__text_got(out, allot_decision_flight(page->decision, i, &flight)))
        return;
    open_item(page);
    allot__text_string(out, "id", flight.id);
    write_group_name(page, flight.group);
    write_path(page, "consumer", flight.consumer);
    ALLOT__MEMBERS(out, "slots returned phase", flight.slots, flight.returned,
                   allot_phase_name(flight.phase));
    if (flight.deadline != INT64_MAX)
        allot__text_number(out, "deadline", flight.deadline);
    if (flight.left != INT64_MAX)
        allot__text_number(out, "left", flight.left);
    allot__text_puts(out, "}");
}

/* A task to kill: its reclaim's deadline has passed. */
static void write_kill(allot__page *page, int32_t i)
{
    allot__text *out = &page->out;
    allot_kill kill;
    allot_task task;
    allot_flight flight;
    if (!allot__text_got(out, allot_decision_kill(page->decision, i, &kill)) ||
        !allot__text_got(out, allot_state_task_at(page->state, kill.task, &task)) ||
        !allot__text_got(out, allot_decision_flight(page->decision, kill.flight, &flight)))
        return;
    open_item(page);
    allot__text_string(out, "task", task.id);
    write_path(page, "consumer", task.consumer);
    allot__text_string(out, "reclaim", flight.id);
    allot__text_open(out, "why", "{");
    ALLOT__MEMBERS(out, "code deadline", kill.reason, flight.deadline);
    allot__text_puts(out, "}}");
}

/* A loan once the decision is carried out. */
static void write_loan(allot__page *page, int32_t i)
{
    allot__text *out = &page->out;
    allot_loan_change loan;
    if (!allot__text_got(out, allot_decision_loan(page->decision, i, &loan)))
        return;
    open_item(page);
    write_group_name(page, loan.group);
    write_path(page, "lender", loan.lender);
    write_path(page, "borrower", loan.borrower);
    ALLOT__MEMBERS(out, "slots before", loan.slots, loan.before);
    allot__text_open(out, "why", "{");
    allot__text_string(out, "code", loan.reason);
    allot__text_puts(out, "}}");
}

/* Orders on jobs; an empty list is written, too, so that readers need no special case. */
static void write_jobs(allot__page *page)
{
    static const struct {
        const char *key;
        allot_order_kind kind;
    } lists[] = {{"starts", ALLOT_ORDER_START},
                 {"suspends", ALLOT_ORDER_SUSPEND},
                 {"resumes", ALLOT_ORDER_RESUME},
                 {"kills", ALLOT_ORDER_KILL}};
    allot__text_line(&page->out);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        bool kills = lists[i].kind == ALLOT_ORDER_KILL;
        int32_t count = kills ? allot_decision_kills(page->decision) : 0;
        allot__text_open(&page->out, lists[i].key, "[");
        for (int32_t k = 0; k < count && !page->out.failed; k++)
            write_kill(page, k);
        allot__write_orders(page, lists[i].kind);
        allot__text_puts(&page->out, "]");
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void write_warnings(allot__page *page, const allot_report *report)
{
    allot__text *out = &page->out;
    allot__text_open(out, "warnings", "[");
    for (int32_t i = 0; i < allot_report_count(report); i++) {
        const allot_diagnostic *finding = allot_report_at(report, i);
        if (finding->severity != ALLOT_WARNING)
            continue;
        open_item(page);
        allot__text_string(out, "code", finding->code);
        allot__text_string(out, "message", finding->message);
        allot__text_string(out, "path", finding->path);
        allot__text_string(out, "hint", finding->hint);
        allot__text_member(out, "file", finding->file);
        if (finding->file && finding->line > 0)
            allot__text_number(out, "line", finding->line);
        if (finding->file && finding->col > 0)
            allot__text_number(out, "col", finding->col);
        allot__text_puts(out, "}");
    }
    allot__text_puts(out, "]");
}

static bool is_one_policy(const allot_plan *plan)
{
    for (int32_t i = 1; i < allot_plan_groups(plan); i++)
        if (allot_plan_group_policy(plan, i) != allot_plan_group_policy(plan, 0))
            return false;
    return true;
}

/* The numbers of the windows that hold, if the plan has windows. */
static void write_windows(allot__page *page)
{
    int32_t count = allot_plan_windows(page->plan);
    uint64_t held = allot_plan_windows_at(page->plan, allot_decision_now(page->decision));
    if (count == 0)
        return;
    allot__text_open(&page->out, "windows", "[");
    for (int32_t i = 0; i < count; i++)
        if (held >> i & 1)
            allot__text_number(&page->out, NULL, i);
    allot__text_puts(&page->out, "]");
}

static void write_lists(allot__page *page)
{
    const allot_decision *decision = page->decision;
    const struct {
        const char *key;
        int32_t count;
        void (*write)(allot__page *page, int32_t i);
    } lists[] = {{"grants", allot_decision_grants(decision), write_grant},
                 {"reclaims", allot_decision_reclaims(decision), write_reclaim},
                 {"sessions", allot_state_sessions(page->state), write_session},
                 {"flights", allot_decision_flights(decision), write_flight}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        allot__text_line(&page->out);
        write_list(page, lists[i].key, lists[i].count, lists[i].write);
    }
    write_jobs(page);
    allot__text_line(&page->out);
    write_list(page, "loans", allot_decision_loans(decision), write_loan);
}

int allot_decision_write(const allot_decision *decision, const allot_report *warnings,
                         allot_sink sink, void *ud)
{
    if (!decision || !sink)
        return ALLOT_EUSAGE;
    allot__page page = {.decision = decision,
                        .plan = allot_decision_plan(decision),
                        .state = allot_decision_state(decision)};
    allot__text *out = &page.out;
    allot_decay decay;
    page.counts =
        allot_plan_queues(page.plan) == 0 && allot_plan_decay_get(page.plan, &decay) == ALLOT_OK;
    *out = (allot__text){.engine = allot_plan_engine(page.plan), .sink = sink, .ud = ud};
    allot__text_puts(out, "{");
    ALLOT__MEMBERS(out, "schema now", "allot/decision/v1", allot_decision_now(decision));
    if (is_one_policy(page.plan))
        write_policy(out, allot_plan_group_policy(page.plan, 0));
    write_windows(&page);
    allot__text_open(out, "groups", "{");
    for (int32_t i = 0; i < allot_plan_groups(page.plan); i++)
        write_group(&page, i);
    allot__text_puts(out, "}");
    if (page.counts)
        allot__text_number(out, "usage_at", allot_decision_now(decision));
    write_lists(&page);
    allot__write_queues(&page);
    allot__write_leases(&page);
    write_warnings(&page, warnings);
    allot__text_puts(out, "}\n");
    int status = allot__text_end(out);
    allot__text_free(out);
    return status;
}
