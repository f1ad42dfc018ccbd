/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* decision.c: a decision as "allot/decision/v1". */
#include <allot/json.h>

#include "json/decision/dispatch.h"
#include "json/decision/flight.h"

#define BUFFER_SIZE 65536

typedef struct page {
    allot__writer out;
    const allot_decision *decision;
    const allot_plan *plan;
} page;

static void write_ratio(allot__writer *out, const char *key, const allot_ratio *ratio)
{
    char text[80];
    allot_ratio_text(ratio, text, sizeof text);
    allot__write_string(out, key, text);
}

static void write_policy(allot__writer *out, const allot_policy *policy)
{
    allot__write_open(out, "policy", '{');
    allot__write_string(out, "name", allot_policy_name(policy));
    allot__write_string(out, "sha256", allot_policy_sha256(policy));
    allot__write_close(out, '}');
}

/* ---- Groups and their consumers -------------------------------------------------------------- */

static void write_parts(page *page, int32_t group, const allot_verdict *verdict)
{
    allot__write_open(&page->out, "parts", '{');
    for (int32_t i = 0; i < verdict->parts; i++)
        if (verdict->part[i] != 0)
            allot__write_integer(
                &page->out, allot_decision_part_label(page->decision, group, verdict->consumer, i),
                verdict->part[i]);
    allot__write_close(&page->out, '}');
}

/* Whose slots are in whose hands (E-35). */
static void write_monitor(allot__writer *out, const int64_t *numbers)
{
    static const char *const names[] = {"own_used", "lent", "borrowed", "shared", "planned"};
    for (int i = 0; i < 5; i++)
        allot__write_integer(out, names[i], numbers[i]);
}

static void write_verdict(page *page, int32_t group, const allot_verdict *verdict)
{
    allot__writer *out = &page->out;
    allot__write_line(out);
    allot__write_open(out, NULL, '{');
    allot__write_path(out, "path", page->plan, verdict->consumer);
    allot__write_integer(out, "demand", verdict->demand);
    allot__write_integer(out, "need", verdict->need);
    write_ratio(out, "owned", &verdict->owned);
    allot__write_integer(out, "reserve", verdict->reserve);
    write_ratio(out, "exact", &verdict->exact);
    allot__write_integer(out, "quota", verdict->quota);
    write_parts(page, group, verdict);
    allot__write_integer(out, "allocated", verdict->allocated);
    allot__write_integer(out, "in_flight", verdict->in_flight);
    allot__write_integer(out, "granted", verdict->granted);
    allot__write_integer(out, "held", verdict->held);
    allot__write_integer(out, "received", verdict->received);
    allot__write_integer(out, "over", verdict->over);
    allot__write_integer(out, "deficit", verdict->deficit);
    allot__write_integer(out, "earmarked", verdict->earmarked);
    allot__write_integer(out, "reclaimed", verdict->reclaimed);
    allot__write_integer(out, "free", verdict->free);
    write_monitor(out, (const int64_t[]){verdict->own_used, verdict->lent, verdict->borrowed,
                                         verdict->shared, verdict->planned});
    allot__write_integer(out, "forced", verdict->forced);
    allot__write_integer(out, "held_back", verdict->held_back);
    if (verdict->waiting_since != INT64_MIN)
        allot__write_integer(out, "waiting_since", verdict->waiting_since);
    if (verdict->barred != 0)
        allot__write_integer(out, "barred", verdict->barred);
    allot__write_close(out, '}');
}

static void write_group(page *page, int32_t group)
{
    allot__writer *out = &page->out;
    allot_totals totals;
    if (!allot__write_got(out, allot_decision_totals(page->decision, group, &totals)))
        return;
    allot__write_line(out);
    allot__write_named_open(out, allot_plan_group_name(page->plan, group), '{');
    if (allot_plan_groups(page->plan) > 1)
        write_policy(out, allot_plan_group_policy(page->plan, group));
    allot__write_integer(out, "slots", totals.slots);
    allot__write_integer(out, "idle", totals.idle);
    allot__write_integer(out, "idle_left", totals.idle_left);
    allot__write_integer(out, "held", totals.held);
    if (totals.blocked != 0)
        allot__write_integer(out, "blocked", totals.blocked);
    write_ratio(out, "owned", &totals.owned);
    allot__write_integer(out, "reserve", totals.reserve);
    allot__write_integer(out, "demand", totals.demand);
    allot__write_integer(out, "allocated", totals.allocated);
    write_monitor(out, (const int64_t[]){totals.own_used, totals.lent, totals.borrowed,
                                         totals.shared, totals.planned});
    allot__write_open(out, "consumers", '[');
    for (int32_t i = allot_plan_next(page->plan, ALLOT_ROOT);
         i != ALLOT_ROOT && out->status == ALLOT_OK; i = allot_plan_next(page->plan, i)) {
        allot_verdict verdict;
        if (allot__write_got(out, allot_decision_verdict(page->decision, group, i, &verdict)))
            write_verdict(page, group, &verdict);
    }
    allot__write_close(out, ']');
    allot__write_close(out, '}');
}

/* ---- What to carry out ----------------------------------------------------------------------- */

/* Where a grant is; nothing where no host is known. */
static void write_places(allot__writer *out, const allot_grant *grant)
{
    if (grant->place_count == 0)
        return;
    allot__write_open(out, "hosts", '{');
    for (int32_t i = 0; i < grant->place_count; i++)
        allot__write_named_integer(out, grant->places[i].name, grant->places[i].slots);
    allot__write_close(out, '}');
    if (grant->unplaced > 0)
        allot__write_integer(out, "unplaced", grant->unplaced);
}

static void write_grants(page *page)
{
    allot__writer *out = &page->out;
    allot__write_line(out);
    allot__write_open(out, "grants", '[');
    int32_t count = allot_decision_grants(page->decision);
    for (int32_t i = 0; i < count; i++) {
        allot_grant grant;
        if (!allot__write_got(out, allot_decision_grant(page->decision, i, &grant)))
            return;
        allot__write_line(out);
        allot__write_open(out, NULL, '{');
        allot__write_string(out, "group", allot_plan_group_name(page->plan, grant.group));
        allot__write_path(out, "consumer", page->plan, grant.consumer);
        allot__write_integer(out, "slots", grant.slots);
        if (grant.task_count > 0)
            allot__write_tasks(out, page->decision, grant.tasks, grant.task_count);
        write_places(out, &grant);
        allot__write_close(out, '}');
    }
    allot__write_close(out, ']');
}

static void write_claims(page *page, const allot_reclaim *reclaim)
{
    allot__writer *out = &page->out;
    allot__write_open(out, "for", '[');
    for (int32_t i = 0; i < reclaim->claim_count; i++) {
        allot__write_open(out, NULL, '{');
        allot__write_path(out, "consumer", page->plan, reclaim->claims[i].consumer);
        allot__write_integer(out, "slots", reclaim->claims[i].slots);
        allot__write_close(out, '}');
    }
    allot__write_close(out, ']');
}

static void write_why(allot__writer *out, const allot_reclaim *reclaim)
{
    allot__write_open(out, "why", '{');
    allot__write_string(out, "code", reclaim->reason);
    allot__write_integer(out, "allocated", reclaim->allocated);
    allot__write_integer(out, "quota", reclaim->quota);
    allot__write_integer(out, "target", reclaim->target);
    allot__write_integer(out, "over", reclaim->over);
    allot__write_close(out, '}');
}

static void write_reclaim(page *page, const allot_reclaim *reclaim)
{
    allot__writer *out = &page->out;
    allot__write_line(out);
    allot__write_open(out, NULL, '{');
    allot__write_string(out, "group", allot_plan_group_name(page->plan, reclaim->group));
    allot__write_path(out, "consumer", page->plan, reclaim->consumer);
    allot__write_integer(out, "slots", reclaim->slots);
    write_claims(page, reclaim);
    allot__write_integer(out, "grace", reclaim->grace);
    allot__write_integer(out, "deadline", reclaim->deadline);
    allot__write_tasks(out, page->decision, reclaim->tasks, reclaim->task_count);
    allot__write_integer(out, "lost", reclaim->lost);
    if (reclaim->unknown > 0)
        allot__write_integer(out, "unknown", reclaim->unknown);
    write_why(out, reclaim);
    allot__write_close(out, '}');
}

static void write_reclaims(page *page)
{
    allot__writer *out = &page->out;
    allot__write_line(out);
    allot__write_open(out, "reclaims", '[');
    int32_t count = allot_decision_reclaims(page->decision);
    for (int32_t i = 0; i < count; i++) {
        allot_reclaim reclaim;
        if (allot__write_got(out, allot_decision_reclaim(page->decision, i, &reclaim)))
            write_reclaim(page, &reclaim);
    }
    allot__write_close(out, ']');
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void write_place(allot__writer *out, const allot_diagnostic *finding)
{
    if (!finding->file)
        return;
    allot__write_string(out, "file", finding->file);
    if (finding->line > 0)
        allot__write_integer(out, "line", finding->line);
    if (finding->col > 0)
        allot__write_integer(out, "col", finding->col);
}

static void write_warnings(allot__writer *out, const allot_report *report)
{
    allot__write_open(out, "warnings", '[');
    int32_t count = report ? allot_report_count(report) : 0;
    for (int32_t i = 0; i < count; i++) {
        const allot_diagnostic *finding = allot_report_at(report, i);
        if (finding->severity != ALLOT_WARNING)
            continue;
        allot__write_line(out);
        allot__write_open(out, NULL, '{');
        allot__write_string(out, "code", finding->code);
        allot__write_string(out, "message", finding->message);
        allot__write_string(out, "path", finding->path);
        allot__write_string(out, "hint", finding->hint);
        write_place(out, finding);
        allot__write_close(out, '}');
    }
    allot__write_close(out, ']');
}

/* A list of orders on jobs; where there are none it is there all the same: readers need no second
 * way. */
static void write_jobs(page *page, const char *key, allot_order_kind kind)
{
    allot__write_open(&page->out, key, '[');
    allot__write_orders(&page->out, page->decision, kind);
    allot__write_close(&page->out, ']');
}

static void write_rest(page *page)
{
    allot__writer *out = &page->out;
    allot__write_flights(out, page->decision);
    allot__write_line(out);
    write_jobs(page, "starts", ALLOT_ORDER_START);
    write_jobs(page, "suspends", ALLOT_ORDER_SUSPEND);
    write_jobs(page, "resumes", ALLOT_ORDER_RESUME);
    allot__write_kills(out, page->decision);
    allot__write_loans(out, page->decision);
    allot__write_queues(out, page->decision);
    allot__write_leases(out, page->decision);
}

static bool is_one_policy(const allot_plan *plan)
{
    for (int32_t i = 1; i < allot_plan_groups(plan); i++)
        if (allot_plan_group_policy(plan, i) != allot_plan_group_policy(plan, 0))
            return false;
    return true;
}

/* The numbers of the plan's windows that hold, where it has any. */
static void write_windows(page *page)
{
    int32_t count = allot_plan_windows(page->plan);
    uint64_t held = allot_plan_windows_at(page->plan, allot_decision_now(page->decision));
    if (count == 0)
        return;
    allot__write_open(&page->out, "windows", '[');
    for (int32_t i = 0; i < count; i++)
        if (held >> i & 1)
            allot__write_integer(&page->out, NULL, i);
    allot__write_close(&page->out, ']');
}

static int write_decision(page *page, const allot_report *warnings)
{
    allot__writer *out = &page->out;
    allot__write_open(out, NULL, '{');
    allot__write_string(out, "schema", "allot/decision/v1");
    allot__write_integer(out, "now", allot_decision_now(page->decision));
    if (is_one_policy(page->plan))
        write_policy(out, allot_plan_group_policy(page->plan, 0));
    write_windows(page);
    allot__write_open(out, "groups", '{');
    for (int32_t i = 0; i < allot_plan_groups(page->plan); i++)
        write_group(page, i);
    allot__write_close(out, '}');
    write_grants(page);
    write_reclaims(page);
    allot__write_sessions(out, page->decision);
    write_rest(page);
    write_warnings(out, warnings);
    allot__write_close(out, '}');
    allot__write_raw(out, "\n", 1);
    return allot__write_end(out);
}

int allot_decision_write(const allot_decision *decision, const allot_report *warnings,
                         allot_sink sink, void *ud)
{
    if (!decision || !sink)
        return ALLOT_EUSAGE;
    page page = {.decision = decision, .plan = allot_decision_plan(decision)};
    allot_engine *engine = allot_plan_engine(page.plan);
    char *buf = allot_engine_alloc(engine, NULL, 0, BUFFER_SIZE);
    if (!buf)
        return ALLOT_ENOMEM;
    page.out = (allot__writer){.sink = sink, .ud = ud, .buf = buf, .size = BUFFER_SIZE};
    int status = write_decision(&page, warnings);
    allot_engine_alloc(engine, buf, BUFFER_SIZE, 0);
    return status;
}
