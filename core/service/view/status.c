/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * status.c: `status`, health, and made from their numbers in Lua: the report for people
 * (lua/allot/report.lua) and /metrics (lua/allot/metrics.lua).
 */
#include <stdio.h>

#include <allot/tool.h>

#include "service/reload/reload.h"
#include "service/view/view.h"
#include "service/wire/wire.h"

/* Most first-level consumers with metrics of their own; the documents have all. */
enum { CONSUMERS = 100 };

/* ---- Health ---------------------------------------------------------------------------------- */

bool allot__health_ails(const allot_service *service, char *buf, size_t size)
{
    const allot__view *view = service->components.view;
    const char *error = allot__store_error(service->store);
    if (!service->running || service->stopping) {
        snprintf(buf, size, "the service is stopping");
        return true;
    }
    if (error) {
        snprintf(buf, size, "the store fails: %.300s", error);
        return true;
    }
    if (service->tally.failures > view->failures) {
        snprintf(buf, size, "cycles fail: %lld since the last that succeeded; the log says why",
                 (long long)(service->tally.failures - view->failures));
        return true;
    }
    if (allot__clock_ails(service, buf, size))
        return true;
    return allot__reload_ails(service, buf, size);
}

void allot__view_status(allot_service *service, allot__text *out)
{
    char why[400];
    bool ails = allot__health_ails(service, why, sizeof why);
    allot__text_bool(out, "healthy", !ails);
    if (ails)
        allot__text_member(out, "ails", why);
}

/* ---- Status ---------------------------------------------------------------------------------- */

static void put_store(allot_service *service, allot__text *out)
{
    allot__store_figures figures = allot__store_count(service->store);
    allot__text_open(out, "store", "{");
    allot__text_member(out, "path", service->config.store);
    allot__text_member(out, "error", allot__store_error(service->store));
    allot__text_number(out, "batches", figures.batches);
    allot__text_number(out, "rows", figures.rows);
    allot__text_number(out, "waiting_bytes", figures.waiting);
    allot__text_number(out, "slowest_us", figures.slowest);
    allot__text_number(out, "oldest_decision", allot__store_oldest(service->store));
    allot__text_number(out, "bytes", figures.size);
    allot__text_number(out, "unused_bytes", figures.unused);
    allot__text_number(out, "damaged_rows", figures.damaged);
    allot__text_member(out, "id", allot__store_identity(service->store)->id);
    allot__text_number(out, "epoch", allot__store_identity(service->store)->epoch);
    allot__text_puts(out, "}");
}

static void put_books(allot_service *service, allot__text *out)
{
    allot__books_count count = allot__books_size(service->books);
    allot__text_open(out, "books", "{");
    allot__text_number(out, "consumers", allot_plan_consumers(service->generation->plan));
    allot__text_number(out, "tasks", count.tasks);
    allot__text_number(out, "pending", count.pending);
    allot__text_number(out, "sessions", count.sessions);
    allot__text_number(out, "jobs", count.jobs);
    allot__text_number(out, "reclaims", count.flights);
    allot__text_puts(out, "}");
}

static void put_tally(allot_service *service, allot__text *out)
{
    const allot__tally *tally = &service->tally;
    allot__text_open(out, "since_start", "{");
    allot__text_number(out, "events", tally->events);
    allot__text_number(out, "refused", tally->refused);
    allot__text_number(out, "repeated", tally->repeated);
    allot__text_number(out, "cycles", tally->cycles);
    allot__text_number(out, "decisions", tally->decisions);
    allot__text_number(out, "failed_cycles", tally->failures);
    allot__text_number(out, "cycle_us_mean",
                       tally->cycles > 0 ? tally->cycle_us / tally->cycles : 0);
    allot__text_number(out, "cycle_us_most", tally->cycle_us_most);
    allot__text_number(out, "connections", tally->connections);
    allot__text_number(out, "turned_away", tally->turned_away);
    allot__text_number(out, "wrong_tokens", allot__token_wrong(service));
    allot__text_number(out, "missed", allot__feed_missed(service->feed));
    allot__text_puts(out, "}");
}

static void put_plan(allot_service *service, allot__text *out)
{
    const allot_policy *policy = allot_plan_group_policy(service->generation->plan, 0);
    allot__text_open(out, "plan", "{");
    allot__text_member(out, "file", service->config.plan);
    allot__text_member(out, "sha256", service->generation->sha256);
    if (policy) {
        allot__text_member(out, "policy", allot_policy_name(policy));
        allot__text_member(out, "policy_sha256", allot_policy_sha256(policy));
    }
    allot__text_puts(out, "}");
}

static void put_role(const allot_service *service, allot__text *out)
{
    int64_t behind;
    const char *leader = allot__store_leader(service->store, &behind);
    bool leads = allot__store_leads(service->store);
    allot__text_member(out, "role", leads ? "leading" : "following");
    if (leads)
        return;
    allot__text_member(out, "leader", leader);
    allot__text_number(out, "behind", behind);
}

static void put_status(allot_service *service, allot__text *out)
{
    const char *trouble = allot__store_error(service->store);
    allot__text_puts(out, "{");
    allot__text_member(out, "version", allot_version());
    allot__text_member(out, "state",
                       service->stopping ? "stopping"
                       : trouble         ? "degraded"
                                         : "running");
    put_role(service, out);
    allot__text_number(out, "now", allot__service_now(service));
    allot__text_number(out, "up_seconds", (int64_t)((uv_hrtime() - service->started) / 1000000000));
    allot__text_number(out, "event", service->event);
    allot__text_number(out, "decision", service->seq);
    allot__text_number(out, "cycle", service->cycle);
    allot__text_number(out, "clients", allot__wire_peers(service));
    allot__text_number(out, "subscribers", allot__feed_subscribers(service->feed));
    put_plan(service, out);
    put_books(service, out);
    put_store(service, out);
    put_tally(service, out);
    for (const allot__component *component = service->up->components; component->name; component++)
        if (component->status)
            component->status(service, out);
    allot__text_puts(out, "}");
}

void allot__status_call(allot__request *call)
{
    put_status(call->service, allot__rpc_begin(call));
    allot__rpc_end(call);
}

/* ---- In Lua ---------------------------------------------------------------------------------- */

static void put_words(void *out, const char *text, size_t len)
{
    allot__text_add(out, text, len);
}

/* Runs a Lua tool on a document, in memory of its own. */
static int run_tool(const char *name, const allot__text *document, allot__text *out)
{
    const allot_tool_host host = {.ud = out, .out = put_words};
    const char *args[] = {document->bytes};
    allot_engine *engine;
    int answer;
    int status = document->failed ? ALLOT_ENOMEM : allot_engine_new(NULL, NULL, &engine);
    if (status != ALLOT_OK)
        return status;
    status = allot_tool_run(engine, &host, name, "run", args, 1, &answer, NULL);
    allot_engine_free(engine);
    return out->failed ? ALLOT_ENOMEM : status;
}

void allot__report_call(allot__request *call)
{
    allot__text text = {.engine = call->service->engine}, words = text;
    put_status(call->service, &text);
    if (run_tool("report", &text, &words) == ALLOT_OK) {
        allot__text_add(allot__rpc_begin(call), words.bytes, words.len);
        allot__rpc_end(call);
    } else {
        allot__rpc_no_memory(call);
    }
    allot__text_free(&text);
    allot__text_free(&words);
}

/* ---- Metrics --------------------------------------------------------------------------------- */

static void put_list(allot__text *out, const char *name, const int64_t *numbers, int count)
{
    allot__text_open(out, name, "[");
    for (int i = 0; i < count; i++)
        allot__text_number(out, NULL, numbers[i]);
    allot__text_puts(out, "]");
}

static void put_waits(allot_service *service, allot__text *out)
{
    allot__books_waits waits = allot__books_longest(service->books, allot__service_now(service));
    allot__text_open(out, "waits", "{");
    allot__text_number(out, "demand", waits.demand);
    allot__text_number(out, "reclaim", waits.reclaim);
    allot__text_number(out, "job", waits.job);
    allot__text_number(out, "overdue", waits.overdue);
    allot__text_puts(out, "}");
}

static void put_policies(const allot__generation *generation, allot__text *out)
{
    const allot_plan *plan = generation->plan;
    allot__text_number(out, "instructions", generation->meter.instructions);
    allot__text_number(out, "memory", generation->meter.memory);
    allot__text_open(out, "policies", "[");
    for (int32_t i = 0; i < allot_plan_groups(plan) && i < ALLOT__VIEW_GROUPS; i++) {
        const allot_policy *policy = allot_plan_group_policy(plan, i);
        if (!policy)
            continue;
        allot__text_open(out, NULL, "{");
        allot__text_member(out, "group", allot_plan_group_name(plan, i));
        allot__text_member(out, "policy", allot_policy_name(policy));
        allot__text_member(out, "sha256", allot_policy_sha256(policy));
        allot__text_puts(out, "}");
    }
    allot__text_puts(out, "]");
}

static int want_consumers(allot_service *service)
{
    const allot_plan *plan = service->generation->plan;
    int32_t groups = allot_plan_groups(plan), children = allot_plan_children(plan, ALLOT_ROOT);
    int status = ALLOT_OK;
    for (int32_t group = 0; group < groups && group < ALLOT__VIEW_GROUPS; group++)
        for (int32_t i = 0; status == ALLOT_OK && i < children && i < CONSUMERS; i++)
            status = allot__view_want(service, group, allot_plan_child(plan, ALLOT_ROOT, i));
    return status;
}

/* Puts the first level of `view`, for each group. */
static void put_groups(allot_service *service, allot__text *out)
{
    const allot__view *view = service->components.view;
    if (want_consumers(service) != ALLOT_OK || allot__view_refresh(service, NULL) != ALLOT_OK)
        return;
    allot__text_open(out, "groups", "[");
    for (int32_t group = 0; group < view->groups && group < ALLOT__VIEW_GROUPS; group++) {
        allot__text_open(out, NULL, "{");
        allot__view_put_head(out, service, view, group);
        allot__text_key(out, "branch");
        allot__view_put_branch(out, service, view, group, ALLOT_ROOT, 0, CONSUMERS);
        allot__text_puts(out, "}");
    }
    allot__text_puts(out, "]");
}

void allot__metrics_write(allot_service *service, allot__text *out)
{
    const allot__view *view = service->components.view;
    allot__text text = {.engine = service->engine};
    allot__text_puts(&text, "{\"status\": ");
    put_status(service, &text);
    allot__text_number(&text, "uptime_us", (int64_t)((uv_hrtime() - service->started) / 1000));
    allot__text_number(&text, "cycle_us", service->tally.cycle_us);
    put_list(&text, "took", view->took, ALLOT__VIEW_BOUNDS + 1);
    put_list(&text, "bounds", allot__view_bounds, ALLOT__VIEW_BOUNDS);
    allot__text_open(&text, "orders", "{");
    allot__view_put_orders(&text, &view->sum, ALLOT__VIEW_ORDERS);
    allot__text_puts(&text, "}");
    put_waits(service, &text);
    put_policies(service->generation, &text);
    put_groups(service, &text);
    allot__text_open(&text, "kinds", "[");
    for (int kind = 0; kind < ALLOT_DIFF_KINDS; kind++)
        allot__text_member(&text, NULL, allot_diff_kind_name(kind));
    allot__text_puts(&text, "]}");
    if (run_tool("metrics", &text, out) != ALLOT_OK)
        out->failed = true;
    allot__text_free(&text);
}
