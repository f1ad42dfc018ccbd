/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* say.c: the shadow's methods, and its part of status and metrics. */
#include "service/reload/reload.h"
#include "service/shadow/shadow.h"

/* ---- Methods --------------------------------------------------------------------------------- */

void allot__shadow_method(allot__request *call)
{
    allot__param params[] = {{.name = "policy", .kind = ALLOT_JSON_TEXT},
                             {.name = "plan", .kind = ALLOT_JSON_TEXT},
                             {.name = NULL}};
    allot__error fault;
    allot__reply *reply;
    if (!allot__params_read(call, params))
        return;
    if (!params[0].given && !params[1].given) {
        allot__error_set(&fault, ALLOT_EINVALID, "E-missing", "policy", NULL,
                         "\"shadow\" wants \"policy\", \"plan\" or both");
        allot__rpc_fault(call, &fault);
    } else if (allot__rpc_later(call, ALLOT__ANSWER_SHORT, &reply) == ALLOT_OK &&
               allot__shadow_begin(call->service->components.shadow, params[1].text, params[0].text,
                                   reply) != ALLOT_OK) {
        allot__reply_no_memory(reply);
    }
}

/* The shadow; NULL: the call was answered with an error. */
static allot__shadow *wanted(allot__request *call)
{
    allot__param none[] = {{.name = NULL}};
    allot__error fault = {.status = ALLOT_OK};
    allot__shadow *it = call->service->components.shadow;
    if (!allot__params_read(call, none))
        return NULL;
    if (it->life != ALLOT__SHADOW_NONE)
        return it;
    allot__error_set(&fault, ALLOT_ENOENT, "E-no-shadow", NULL, "the method \"shadow\" begins one",
                     "there is no shadow");
    allot__rpc_fault(call, &fault);
    return NULL;
}

void allot__shadow_drop(allot__request *call)
{
    allot__shadow *it = wanted(call);
    if (!it)
        return;
    allot__shadow_end(it);
    allot__text *out = allot__rpc_begin(call);
    allot__text_puts(out, "{");
    allot__text_member(out, "result", "dropped");
    allot__text_puts(out, "}");
    allot__rpc_end(call);
}

void allot__shadow_promote(allot__request *call)
{
    allot__shadow *it = wanted(call);
    allot__error fault = {.status = ALLOT_OK};
    allot__reply *reply;
    if (!it)
        return;
    if (it->plan) {
        allot__error_set(&fault, ALLOT_EINVALID, "E-unsupported", NULL,
                         "put it where the service's plan is",
                         "a shadow of another plan cannot be promoted");
        allot__rpc_fault(call, &fault);
        return;
    }
    if (allot__rpc_later(call, ALLOT__ANSWER_SHORT, &reply) != ALLOT_OK)
        return;
    if (allot__reload_ask(call->service->components.reload, it->policy, reply) != ALLOT_OK)
        allot__reply_no_memory(reply);
}

/* ---- Status ---------------------------------------------------------------------------------- */

static void put_kinds(allot__text *out, const int64_t *kinds)
{
    allot__text_puts(out, "{");
    for (int kind = 0; kind < ALLOT_DIFF_KINDS; kind++)
        if (kinds[kind] != 0)
            allot__text_number(out, allot_diff_kind_name(kind), kinds[kind]);
    allot__text_puts(out, "}");
}

static void put_last(allot__text *out, const allot__shadow_found *last)
{
    allot__text_open(out, "last", "{");
    allot__text_number(out, "cycle", last->cycle);
    allot__text_number(out, "now", last->now);
    allot__text_key(out, "rows");
    put_kinds(out, last->kinds);
    allot__text_open(out, "quotas", "[");
    for (int32_t i = 0; i < last->top_count; i++) {
        allot__text_open(out, NULL, "{");
        allot__text_member(out, "path", last->top[i].path);
        allot__text_number(out, "live", last->top[i].live);
        allot__text_number(out, "shadow", last->top[i].shadow);
        allot__text_puts(out, "}");
    }
    allot__text_puts(out, "]}");
}

void allot__shadow_status(allot_service *service, allot__text *out)
{
    static const char *const lives[] = {"none", "building", "running", "stopped"};
    const allot__shadow *it = service->components.shadow;
    if (it->life == ALLOT__SHADOW_NONE)
        return;
    allot__text_open(out, "shadow", "{");
    allot__text_member(out, "state", lives[it->life]);
    allot__text_member(out, "plan", it->plan);
    allot__text_member(out, "policy", it->policy);
    allot__text_number(out, "since", it->since);
    allot__text_number(out, "cycles", it->cycles);
    allot__text_number(out, "differ", it->differ);
    allot__text_number(out, "skipped", it->skipped);
    allot__text_number(out, "failed", it->failed);
    allot__text_number(out, "live_us", it->live_us);
    allot__text_number(out, "shadow_us", it->shadow_us);
    allot__text_key(out, "rows");
    put_kinds(out, it->kinds);
    if (it->differ > 0)
        put_last(out, &it->last);
    if (it->failed > 0 && !it->working && it->pair && allot_report_count(it->pair->report) > 0) {
        allot__text_open(out, "error", "{");
        allot__reload_error(out, it->pair->report);
        allot__text_puts(out, "}");
    }
    allot__text_puts(out, "}");
}
