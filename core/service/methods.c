/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* methods.c: what clients may call beside events. */
#include <stdio.h>
#include <string.h>

#include <allot/tool.h>

#include "service/cycle.h"
#include "service/life.h"
#include "service/lists/lists.h"
#include "service/reload/reload.h"
#include "service/shadow/shadow.h"
#include "service/sync/sync.h"
#include "service/view/view.h"
#include "service/wire/feed.h"
#include "service/wire/token.h"
#include "service/wire/wire.h"

/* ---- Who is there ---------------------------------------------------------------------------- */

static void ping(allot__request *call)
{
    allot__text *out = allot__rpc_begin(call);
    allot__text_puts(out, "{");
    allot__text_number(out, "now", allot__service_now(call->service));
    allot__text_puts(out, "}");
    allot__rpc_end(call);
}

static void auth(allot__request *call)
{
    allot__param params[] = {{.name = "token", .kind = ALLOT_JSON_TEXT, .required = true}, {0}};
    if (!allot__params_read(call, params))
        return;
    if (!call->peer || allot__connection_trusted(call->peer) ||
        allot__connection_auth(call->peer, params[0].text)) {
        allot__text_puts(allot__rpc_begin(call), "{}");
        allot__rpc_end(call);
    } else {
        allot__rpc_error(call, ALLOT__RPC_FORBIDDEN, "this is not the token", NULL);
    }
    allot__params_free(call, params);
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

static void put_status(allot_service *service, allot__text *out)
{
    const char *trouble = allot__store_error(service->store);
    allot__text_puts(out, "{");
    allot__text_member(out, "version", allot_version());
    allot__text_member(out, "state",
                       service->stopping ? "stopping"
                       : trouble         ? "degraded"
                                         : "running");
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
    for (const allot__component *component = allot__components; component->name; component++)
        if (component->status)
            component->status(service, out);
    allot__text_puts(out, "}");
}

static void status(allot__request *call)
{
    put_status(call->service, allot__rpc_begin(call));
    allot__rpc_end(call);
}

static void put_words(void *out, const char *text, size_t len)
{
    allot__text_add(out, text, len);
}

/* The same for people (lua/allot/report.lua). */
static void report(allot__request *call)
{
    allot_engine *engine = call->service->engine;
    allot__text text = {.engine = engine}, words = text;
    const allot_tool_host host = {.ud = &words, .out = put_words};
    int answer;
    put_status(call->service, &text);
    const char *args[] = {text.bytes};
    int result = text.failed
                     ? ALLOT_ENOMEM
                     : allot_tool_run(engine, &host, "report", "run", args, 1, &answer, NULL);
    if (result == ALLOT_OK && !words.failed) {
        allot__text_add(allot__rpc_begin(call), words.bytes, words.len);
        allot__rpc_end(call);
    } else {
        allot__rpc_no_memory(call);
    }
    allot__text_free(&text);
    allot__text_free(&words);
}

/* ---- Cycles ---------------------------------------------------------------------------------- */

static void put_cycle(allot__request *call, int64_t before, const allot__text *full)
{
    allot_service *service = call->service;
    allot__text *out = allot__rpc_begin(call);
    allot__text_puts(out, "{");
    allot__text_number(out, "cycle", service->cycle);
    allot__text_number(out, "decision", service->seq);
    allot__text_bool(out, "decided", service->seq > before);
    if (full->len > 0) {
        allot__text_key(out, "full");
        allot__text_add(out, full->bytes, full->len);
    }
    allot__text_puts(out, "}");
    allot__rpc_end(call);
}

static void cycle(allot__request *call)
{
    allot_service *service = call->service;
    allot__param params[] = {{.name = "full", .kind = ALLOT_JSON_TRUE}, {0}};
    allot__text full = {.engine = service->engine};
    allot_report *report = NULL;
    int64_t before = service->seq;
    if (!allot__params_read(call, params))
        return;
    int result = allot_report_new(service->engine, &report);
    if (result == ALLOT_OK)
        result = allot__cycle_run(service, report, params[0].whole ? &full : NULL);
    if (result == ALLOT_OK) {
        call->batch = allot__store_pending(service->store);
        put_cycle(call, before, &full);
    } else {
        allot__rpc_report(call, result, report);
    }
    allot_report_free(report);
    allot__text_free(&full);
}

/* ---- Explanations ---------------------------------------------------------------------------- */

static void add_line(void *ud, const char *text)
{
    allot__text *out = ud;
    allot__text_key(out, NULL);
    allot__text_json(out, text);
}

enum { PATH, TASK, JOB, LEASE, GROUP };

static int unknown(allot__error *fault, const allot__param *param, const char *code)
{
    return allot__error_set(fault, ALLOT_ENOENT, code, param->name, NULL,
                            "nothing is known of the %s \"%.200s\"", param->name, param->text);
}

static int unknown_task(allot__error *fault, const allot__param *param, const allot_state *state)
{
    int status = unknown(fault, param, "E-unknown-task");
    const char *near = allot_state_task_nearest(state, param->text);
    if (near)
        snprintf(fault->hint, sizeof fault->hint, "did you mean \"%.100s\"?", near);
    return status;
}

static int tell_named(const allot_decision *decision, const allot__param *params, allot__text *out,
                      allot__error *fault)
{
    int status = ALLOT_ENOENT;
    if (params[TASK].given) {
        status = allot_explain_task(decision, params[TASK].text, add_line, out);
        return status == ALLOT_ENOENT
                   ? unknown_task(fault, &params[TASK], allot_decision_state(decision))
                   : status;
    }
    if (params[JOB].given) {
        status = allot_explain_job(decision, params[JOB].text, add_line, out);
        return status == ALLOT_ENOENT ? unknown(fault, &params[JOB], "E-unknown-job") : status;
    }
    int32_t lease = allot_plan_lease_find(allot_decision_plan(decision), params[LEASE].text);
    if (lease >= 0)
        status = allot_explain_lease(decision, lease, add_line, out);
    return status == ALLOT_ENOENT ? unknown(fault, &params[LEASE], "E-unknown-lease") : status;
}

static int tell(const allot_decision *decision, const allot__param *params, allot__text *out,
                allot__error *fault)
{
    const allot_plan *plan = allot_decision_plan(decision);
    int32_t group, consumer;
    if (params[TASK].given || params[JOB].given || params[LEASE].given)
        return tell_named(decision, params, out, fault);
    if (!params[PATH].given)
        return allot__error_set(fault, ALLOT_EINVALID, "E-missing", "path", NULL,
                                "\"explain\" wants one of path, task, job and lease");
    int status = allot__view_group(plan, params[GROUP].text, &group, fault);
    if (status == ALLOT_OK)
        status = allot__view_consumer(plan, params[PATH].text, &consumer, fault);
    return status == ALLOT_OK ? allot_explain(decision, group, consumer, add_line, out) : status;
}

/* As if a cycle ran now: nothing of it is entered. */
static void answer_explanation(allot__request *call, const allot__param *params,
                               allot_report *report)
{
    allot_service *service = call->service;
    const allot_state *state;
    allot_decision *decision = NULL;
    allot__text lines = {.engine = service->engine};
    allot__error fault = {.code = NULL};
    int result = allot__books_state(service->books, allot__service_now(service), report, &state);
    if (result == ALLOT_OK)
        result = allot_cycle(service->generation->plan, state, report, &decision);
    if (result == ALLOT_OK)
        result = tell(decision, params, &lines, &fault);
    allot_decision_free(decision);
    if (result == ALLOT_OK && !lines.failed) {
        allot__text *out = allot__rpc_begin(call);
        allot__text_puts(out, "{");
        allot__text_number(out, "cycle", service->cycle);
        allot__text_number(out, "event", service->event);
        allot__text_number(out, "now", service->now);
        allot__text_open(out, "lines", "[");
        allot__text_add(out, lines.bytes ? lines.bytes : "", lines.len);
        allot__text_puts(out, "]}");
        allot__rpc_end(call);
    } else if (fault.code) {
        allot__rpc_fault(call, &fault);
    } else {
        allot__rpc_report(call, lines.failed ? ALLOT_ENOMEM : result, report);
    }
    allot__text_free(&lines);
}

static void explain(allot__request *call)
{
    allot__param params[] = {[PATH] = {.name = "path", .kind = ALLOT_JSON_TEXT},
                             [TASK] = {.name = "task", .kind = ALLOT_JSON_TEXT},
                             [JOB] = {.name = "job", .kind = ALLOT_JSON_TEXT},
                             [LEASE] = {.name = "lease", .kind = ALLOT_JSON_TEXT},
                             [GROUP] = {.name = "group", .kind = ALLOT_JSON_TEXT},
                             {0}};
    allot_report *report = NULL;
    if (!allot__params_read(call, params))
        return;
    if (allot_report_new(call->service->engine, &report) == ALLOT_OK)
        answer_explanation(call, params, report);
    else
        allot__rpc_no_memory(call);
    allot_report_free(report);
    allot__params_free(call, params);
}

const allot__method allot__methods[] = {
    {"auth", auth, true, true, NULL},
    {"ping", ping, true, true, NULL},
    {"status", status, false, true, NULL},
    {"report", report, false, true, NULL},
    {"cycle", cycle, false, false, NULL},
    {"explain", explain, false, false, NULL},
    {"view", allot__view_call, false, false, NULL},
    {"state", allot__state_call, false, false, NULL},
    {"tasks", allot__list_tasks, false, false, NULL},
    {"flights", allot__list_flights, false, false, NULL},
    {"hosts", allot__list_hosts, false, false, NULL},
    {"sessions", allot__list_sessions, false, false, NULL},
    {"jobs", allot__list_jobs, false, false, NULL},
    {"sync", allot__sync_call, false, true, allot__sync_line},
    {"subscribe", allot__feed_subscribe, false, true, NULL},
    {"unsubscribe", allot__feed_unsubscribe, false, true, NULL},
    {"decisions", allot__feed_decisions, false, true, NULL},
    {"reload", allot__reload_now, false, true, NULL},
    {"plan", allot__reload_plan, false, true, NULL},
    {"shadow", allot__shadow_method, false, true, NULL},
    {"drop", allot__shadow_drop, false, true, NULL},
    {"promote", allot__shadow_promote, false, true, NULL},
    {NULL, NULL, false, false, NULL},
};
