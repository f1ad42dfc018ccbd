/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* methods.c: the methods that clients may call, other than events. */
#include <stdio.h>
#include <string.h>

#include "service/life.h"
#include "service/lists/lists.h"
#include "service/reload/reload.h"
#include "service/shadow/shadow.h"
#include "service/sync/sync.h"
#include "service/view/view.h"
#include "service/wire/wire.h"

/* ---- Clients --------------------------------------------------------------------------------- */

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
    allot__param params[] = {{.name = "token", .type = ALLOT_MEMBER_TEXT, .required = true}, {0}};
    if (!allot__params_read(call, params))
        return;
    bool late = false;
    if (!call->peer || allot__connection_role(call->peer) == ALLOT__CHANGES ||
        allot__connection_auth(call->peer, params[0].text, &late) != ALLOT__NOBODY) {
        allot__text_puts(allot__rpc_begin(call), "{}");
        allot__rpc_end(call);
    } else {
        allot__rpc_error(call, ALLOT__RPC_FORBIDDEN,
                         late ? "too many wrong tokens from your address: wait a minute"
                              : "this is not the token",
                         NULL);
    }
}

/* Notes the client's name, and answers who it is taken for. */
static void hello(allot__request *call)
{
    allot__param params[] = {{.name = "name", .type = ALLOT_MEMBER_TEXT}, {0}};
    allot__error fault = {.message = ""};
    if (!allot__params_read(call, params))
        return;
    const char *name = params[0].text;
    if (params[0].given && !allot__who_name_fits(name)) {
        allot__error_set(&fault, ALLOT_EINVALID, "E-range", "name", NULL,
                         "name: found %zu bytes, allowed 1 to %d without control characters",
                         strlen(name), ALLOT__WHO_NAME);
        allot__rpc_fault(call, &fault);
        return;
    }
    if (params[0].given && call->who && strcmp(call->who->name, name) != 0) {
        snprintf(call->who->name, sizeof call->who->name, "%s", name);
        call->who->row = 0;
    }
    allot__text *out = allot__rpc_begin(call);
    if (call->who)
        allot__who_put(call->who, out);
    else
        allot__text_puts(out, "{}");
    allot__rpc_end(call);
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
    allot__param params[] = {{.name = "full", .type = ALLOT_MEMBER_FLAG}, {0}};
    allot__text full = {.engine = service->engine};
    allot_report *report = NULL;
    int64_t before = service->seq;
    if (!allot__params_read(call, params))
        return;
    int result = allot_report_new(service->engine, &report);
    if (result == ALLOT_OK)
        result = allot__cycle_run(service, report, params[0].number ? &full : NULL);
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

/* Decides as a cycle now would; enters nothing. */
static void answer_explanation(allot__request *call, const allot__param *params,
                               allot_report *report)
{
    allot_service *service = call->service;
    const allot_state *state;
    allot_decision *decision = NULL;
    allot__text lines = {.engine = service->engine};
    allot__error fault = {.code = ""};
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
    } else if (fault.code[0] != '\0') {
        allot__rpc_fault(call, &fault);
    } else {
        allot__rpc_report(call, lines.failed ? ALLOT_ENOMEM : result, report);
    }
    allot__text_free(&lines);
}

static void explain(allot__request *call)
{
    allot__param params[] = {[PATH] = {.name = "path", .type = ALLOT_MEMBER_TEXT},
                             [TASK] = {.name = "task", .type = ALLOT_MEMBER_TEXT},
                             [JOB] = {.name = "job", .type = ALLOT_MEMBER_TEXT},
                             [LEASE] = {.name = "lease", .type = ALLOT_MEMBER_TEXT},
                             [GROUP] = {.name = "group", .type = ALLOT_MEMBER_TEXT},
                             {0}};
    allot_report *report = NULL;
    if (!allot__params_read(call, params))
        return;
    if (allot_report_new(call->service->engine, &report) == ALLOT_OK)
        answer_explanation(call, params, report);
    else
        allot__rpc_no_memory(call);
    allot_report_free(report);
}

/* ---- Subscribers ----------------------------------------------------------------------------- */

static void subscribe(allot__request *call)
{
    allot__param params[] = {
        {.name = "from", .type = ALLOT_MEMBER_WHOLE, .least = 1, .most = INT64_MAX - 1}, {0}};
    allot__error fault = {.message = ""};
    if (!allot__params_read(call, params))
        return;
    if (!call->peer) {
        allot__rpc_error(call, ALLOT__RPC_UNAVAILABLE,
                         "who embeds the service has allot_service_watch", NULL);
        return;
    }
    int64_t next = params[0].given ? params[0].whole : call->service->seq + 1;
    if (next > call->service->seq + 1) {
        allot__error_set(&fault, ALLOT_ERANGE, "E-range", "from",
                         "the store may be another, or an older copy of it",
                         "from: found %lld, allowed at most %lld: the newest decision is %lld",
                         (long long)next, (long long)call->service->seq + 1,
                         (long long)call->service->seq);
        allot__rpc_fault(call, &fault);
        return;
    }
    if (allot__feed_join(call->service->feed, call->peer, next) != ALLOT_OK) {
        allot__rpc_no_memory(call);
        return;
    }
    const allot__store_name *name = allot__store_identity(call->service->store);
    allot__text *out = allot__rpc_begin(call);
    allot__text_puts(out, "{");
    allot__text_number(out, "next", next);
    allot__text_number(out, "newest", call->service->seq);
    allot__text_member(out, "store", name->id);
    allot__text_number(out, "epoch", name->epoch);
    allot__text_number(out, "began", name->began);
    allot__text_puts(out, "}");
    allot__rpc_end(call);
}

static void unsubscribe(allot__request *call)
{
    if (call->peer)
        allot__feed_gone(call->service->feed, call->peer);
    allot__text_puts(allot__rpc_begin(call), "{}");
    allot__rpc_end(call);
}

/* ---- Decisions of before --------------------------------------------------------------------- */

static void on_decision(void *ud, int64_t seq, const char *text, size_t len)
{
    allot__request *call = &((allot__reply *)ud)->call;
    if (call->answer->len == 0)
        allot__text_puts(allot__rpc_begin(call), "[");
    if (text) {
        allot__text_key(call->answer, NULL);
        allot__text_add(call->answer, text, len);
        return;
    }
    if (seq == ALLOT_OK) {
        allot__text_puts(call->answer, "]");
        allot__rpc_end(call);
    } else {
        call->answer->len = 0;
        allot__rpc_error(call, ALLOT__RPC_SERVER + (int)seq, "the store cannot be read", NULL);
    }
    allot__reply_end(ud);
}

static void decisions(allot__request *call)
{
    allot__param params[] = {
        {.name = "from",
         .type = ALLOT_MEMBER_WHOLE,
         .required = true,
         .least = 1,
         .most = INT64_MAX},
        {.name = "to", .type = ALLOT_MEMBER_WHOLE, .least = 1, .most = INT64_MAX},
        {.name = "most", .type = ALLOT_MEMBER_WHOLE, .least = 1, .most = 1000},
        {0}};
    allot__reply *reply;
    if (!allot__params_read(call, params))
        return;
    if (allot__rpc_later(call, ALLOT__ANSWER_LONG, &reply) != ALLOT_OK)
        return;
    if (allot__store_decisions(
            call->service->store, params[0].whole, params[1].given ? params[1].whole : INT64_MAX,
            params[2].given ? (int32_t)params[2].whole : 100, on_decision, reply) != ALLOT_OK)
        on_decision(reply, ALLOT_ENOMEM, NULL, 0);
}

const allot__method allot__methods[] = {
    {"auth", auth, ALLOT__NOBODY, true, true, NULL},
    {"hello", hello, ALLOT__NOBODY, true, true, NULL},
    {"ping", ping, ALLOT__NOBODY, true, true, NULL},
    {"status", allot__status_call, ALLOT__READS, true, true, NULL},
    {"report", allot__report_call, ALLOT__READS, true, true, NULL},
    {"cycle", cycle, ALLOT__TELLS, false, false, NULL},
    {"explain", explain, ALLOT__READS, false, false, NULL},
    {"view", allot__view_call, ALLOT__READS, false, false, NULL},
    {"state", allot__state_call, ALLOT__READS, false, false, NULL},
    {"tasks", allot__list_call, ALLOT__READS, false, false, NULL},
    {"flights", allot__list_call, ALLOT__READS, false, false, NULL},
    {"hosts", allot__list_call, ALLOT__READS, false, false, NULL},
    {"sessions", allot__list_call, ALLOT__READS, false, false, NULL},
    {"jobs", allot__list_call, ALLOT__READS, false, false, NULL},
    {"sync", allot__sync_call, ALLOT__TELLS, true, false, allot__sync_line},
    {"subscribe", subscribe, ALLOT__READS, true, false, NULL},
    {"unsubscribe", unsubscribe, ALLOT__READS, true, false, NULL},
    {"decisions", decisions, ALLOT__READS, true, false, NULL},
    {"log", allot__log_call, ALLOT__READS, true, false, NULL},
    {"reload", allot__reload_now, ALLOT__CHANGES, true, false, NULL},
    {"plan", allot__reload_plan, ALLOT__READS, true, false, NULL},
    {"confirm", allot__reload_confirm, ALLOT__CHANGES, true, false, NULL},
    {"rollback", allot__reload_rollback, ALLOT__CHANGES, true, false, NULL},
    {"shadow", allot__shadow_method, ALLOT__CHANGES, true, false, NULL},
    {"drop", allot__shadow_drop, ALLOT__CHANGES, true, false, NULL},
    {"promote", allot__shadow_promote, ALLOT__CHANGES, true, false, NULL},
    {NULL, NULL, ALLOT__NOBODY, false, false, NULL},
};
