/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * status.c: `status`, health, and made from their numbers in Lua: the report for people
 * (lua/allot/service/report.lua) and /metrics (lua/allot/service/metrics.lua).
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
    ALLOT__OBJECT(out, "store",
                  "path error batches rows waiting_bytes slowest_us oldest_decision bytes "
                  "unused_bytes damaged_rows id epoch",
                  service->config.store, allot__store_error(service->store), figures.batches,
                  figures.rows, figures.waiting, figures.slowest,
                  allot__store_oldest(service->store), figures.size, figures.unused,
                  figures.damaged, allot__store_identity(service->store)->id,
                  allot__store_identity(service->store)->epoch);
}

static void put_books(allot_service *service, allot__text *out)
{
    allot__books_count count = allot__books_size(service->books);
    ALLOT__OBJECT(out, "books", "consumers tasks pending sessions jobs reclaims",
                  allot_plan_consumers(service->generation->plan), count.tasks, count.pending,
                  count.sessions, count.jobs, count.flights);
}

static void put_tally(allot_service *service, allot__text *out)
{
    const allot__tally *tally = &service->tally;
    ALLOT__OBJECT(out, "since_start",
                  "events refused repeated cycles decisions failed_cycles cycle_us_mean "
                  "cycle_us_most connections turned_away wrong_tokens missed",
                  tally->events, tally->refused, tally->repeated, tally->cycles, tally->decisions,
                  tally->failures, tally->cycles > 0 ? tally->cycle_us / tally->cycles : 0,
                  tally->cycle_us_most, tally->connections, tally->turned_away,
                  allot__token_wrong(service), allot__feed_missed(service->feed));
}

static void put_plan(allot_service *service, allot__text *out)
{
    const allot_policy *policy = allot_plan_group_policy(service->generation->plan, 0);
    allot__text_open(out, "plan", "{");
    ALLOT__MEMBERS(out, "file sha256", service->config.plan, service->generation->sha256);
    if (policy) {
        ALLOT__MEMBERS(out, "policy policy_sha256", allot_policy_name(policy),
                       allot_policy_sha256(policy));
    }
    allot__text_puts(out, "}");
}

/* What functions of the live policies have taken since these decide. */
static void put_functions(const allot__generation *generation, allot__text *out)
{
    allot__text_open(out, "functions", "[");
    for (const allot_script_function *it = generation->time.functions; it; it = it->next)
        ALLOT__OBJECT(out, NULL, "file function line batches rows us", it->file, it->role, it->line,
                      it->batches, it->rows, it->taken / 1000);
    allot__text_puts(out, "]");
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
    ALLOT__MEMBERS(out, "version state", allot_version(),
                   service->stopping ? "stopping"
                   : trouble         ? "degraded"
                                     : "running");
    put_role(service, out);
    ALLOT__MEMBERS(
        out, "now up_seconds event decision cycle clients subscribers", allot__service_now(service),
        (int64_t)((uv_hrtime() - service->started) / 1000000000), service->event, service->seq,
        service->cycle, allot__wire_peers(service), allot__feed_subscribers(service->feed));
    put_plan(service, out);
    put_functions(service->generation, out);
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
    if (run_tool("service.report", &text, &words) == ALLOT_OK) {
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
    ALLOT__OBJECT(out, "waits", "demand reclaim job overdue", waits.demand, waits.reclaim,
                  waits.job, waits.overdue);
}

static void put_policies(const allot__generation *generation, allot__text *out)
{
    const allot_plan *plan = generation->plan;
    ALLOT__MEMBERS(out, "instructions memory", generation->meter.instructions,
                   generation->meter.memory);
    allot__text_open(out, "policies", "[");
    for (int32_t i = 0; i < allot_plan_groups(plan) && i < ALLOT__VIEW_GROUPS; i++) {
        const allot_policy *policy = allot_plan_group_policy(plan, i);
        if (!policy)
            continue;
        ALLOT__OBJECT(out, NULL, "group policy sha256", allot_plan_group_name(plan, i),
                      allot_policy_name(policy), allot_policy_sha256(policy));
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
    ALLOT__MEMBERS(&text, "uptime_us cycle_us", (int64_t)((uv_hrtime() - service->started) / 1000),
                   service->tally.cycle_us);
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
    if (run_tool("service.metrics", &text, out) != ALLOT_OK)
        out->failed = true;
    allot__text_free(&text);
}
