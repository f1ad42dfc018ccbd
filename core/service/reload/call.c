/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* call.c: the methods that ask for another generation. */
#include <string.h>

#include "base/memory.h"
#include "service/reload/reload.h"

/* Whether attempts are possible: not before the start, nor during the end. */
static bool can(allot__request *call)
{
    bool open = call->service->components.reload->open;
    if (!open)
        allot__rpc_error(call, ALLOT__RPC_UNAVAILABLE, "this service cannot reload", NULL);
    return open;
}

static int copy_text(const allot__reload *it, char **text)
{
    const char *from = *text;
    *text = from ? allot__copy(it->service->engine, from, strlen(from)) : NULL;
    return from && !*text ? ALLOT_ENOMEM : ALLOT_OK;
}

/* Takes the order of a call, in place of an attempt with the files. One waits at a time. */
static void take_order(allot__reload *it, allot__request *call, allot__reload_order *order)
{
    if (!can(call))
        return;
    if (it->order.reply) {
        allot__rpc_error(call, ALLOT__RPC_BUSY, "another plan was handed in and waits", NULL);
        return;
    }
    allot__answer size = order->dry ? ALLOT__ANSWER_LONG : ALLOT__ANSWER_SHORT;
    if (allot__rpc_later(call, size, &order->reply) != ALLOT_OK)
        return;
    it->order = *order;
    if (copy_text(it, &it->order.text) == ALLOT_OK &&
        copy_text(it, &it->order.confirm) == ALLOT_OK) {
        if (it->phase == ALLOT__RELOAD_IDLE)
            allot__reload_begin(it);
        return;
    }
    allot__reload_order_free(it);
    allot__reply_no_memory(order->reply);
}

void allot__reload_now(allot__request *call)
{
    allot__param params[] = {{.name = "dry_run", .type = ALLOT_MEMBER_FLAG}, {0}};
    allot__reload *it = call->service->components.reload;
    allot__reply *reply;
    if (!allot__params_read(call, params))
        return;
    if (params[0].number)
        take_order(it, call, &(allot__reload_order){.dry = true});
    else if (can(call) && allot__rpc_later(call, ALLOT__ANSWER_SHORT, &reply) == ALLOT_OK &&
             allot__reload_ask(it, NULL, reply) != ALLOT_OK)
        allot__reply_no_memory(reply);
}

/* Answers with the live plan. */
static void answer_plan(allot__request *call)
{
    const allot_service *service = call->service;
    allot__plan_answer_put(service->generation, service->config.plan, allot__rpc_begin(call));
    allot__rpc_end(call);
}

void allot__reload_plan(allot__request *call)
{
    allot__param params[] = {{.name = "text", .type = ALLOT_MEMBER_TEXT},
                             {.name = "dry_run", .type = ALLOT_MEMBER_FLAG},
                             {0}};
    allot__error fault = {.code = ""};
    if (!allot__params_read(call, params))
        return;
    if (!params[0].given && params[1].number) {
        allot__error_set(&fault, ALLOT_EINVALID, "E-missing", "text", NULL,
                         "a dry run of \"plan\" wants its \"text\"");
        allot__rpc_fault(call, &fault);
    } else if (!params[0].given) {
        answer_plan(call);
    } else if (allot__rpc_allowed(call, ALLOT__CHANGES)) {
        allot__reload_order order = {.text = (char *)params[0].text, .dry = params[1].number};
        take_order(call->service->components.reload, call, &order);
    }
}

void allot__reload_rollback(allot__request *call)
{
    allot__param params[] = {
        {.name = "version", .type = ALLOT_MEMBER_WHOLE, .least = 1, .most = INT64_MAX},
        {.name = "dry_run", .type = ALLOT_MEMBER_FLAG},
        {0}};
    if (!allot__params_read(call, params))
        return;
    allot__reload_order order = {
        .rolls = true, .version = params[0].whole, .dry = params[1].number};
    take_order(call->service->components.reload, call, &order);
}

/* ---- Newcomers ------------------------------------------------------------------------------- */

static bool has(const allot_report *report, const char *path)
{
    int32_t count;
    const char *const *paths = allot_report_newcomers(report, &count);
    while (count > 0 && strcmp(paths[count - 1], path) != 0)
        count--;
    return count > 0;
}

int allot__reload_grow(allot_service *service, const allot_report *newcomers, allot__growing *it)
{
    allot__reload *reload = service->components.reload;
    int32_t count;
    const char *const *paths = allot_report_newcomers(newcomers, &count);
    if (!reload->open || service->stopping)
        return ALLOT_EUSAGE;
    for (int32_t i = 0; reload->unwanted && i < count; i++)
        if (has(reload->unwanted, paths[i]))
            return ALLOT_ENOENT;
    if (count > 0 && allot__newcomers_add(service->engine, newcomers, &reload->wanted) != ALLOT_OK)
        return ALLOT_ENOMEM;
    if (it) {
        allot__growing **last = &reload->growing;
        while (*last)
            last = &(*last)->next;
        it->next = NULL;
        *last = it;
    }
    if (reload->phase == ALLOT__RELOAD_IDLE && reload->wanted)
        allot__reload_begin(reload);
    /* For lack of memory no attempt may have begun: `it` was told. */
    return it || reload->phase != ALLOT__RELOAD_IDLE ? ALLOT_OK : ALLOT_ENOMEM;
}

/* ---- What waits ------------------------------------------------------------------------------ */

enum { VERSION, DROP, DRY };

static void answer_held(allot__request *call, const allot__param *params)
{
    allot__reload *it = call->service->components.reload;
    allot__text *out = allot__rpc_begin(call);
    if (params[DRY].number) {
        allot__text_add(out, it->held->document.bytes, it->held->document.len);
    } else {
        allot__text_puts(out, "{");
        ALLOT__MEMBERS(out, "result version", "dropped", it->held->name);
        allot__text_puts(out, "}");
        allot__guard_drop(it);
    }
    allot__rpc_end(call);
}

void allot__reload_confirm(allot__request *call)
{
    allot__param params[] = {[VERSION] = {.name = "version", .type = ALLOT_MEMBER_TEXT},
                             [DROP] = {.name = "drop", .type = ALLOT_MEMBER_FLAG},
                             [DRY] = {.name = "dry_run", .type = ALLOT_MEMBER_FLAG},
                             {0}};
    allot__reload *it = call->service->components.reload;
    allot__error fault = {.code = ""};
    if (!allot__params_read(call, params))
        return;
    bool confirms = !params[DROP].number && !params[DRY].number;
    const char *name = params[VERSION].text;
    if (confirms && !name)
        allot__error_set(&fault, ALLOT_EINVALID, "E-missing", "version",
                         "`status` has it, as reload.waits.version",
                         "\"confirm\" wants the \"version\" that waits");
    else if (!it->held || (name && strcmp(name, it->held->name) != 0))
        allot__error_set(&fault, ALLOT_ENOENT, "E-version", name ? "version" : NULL, NULL,
                         it->held ? "another change waits: found %s" : "no change waits",
                         it->held ? it->held->name : "");
    else if (params[DRY].number && it->held->document.len == 0)
        allot__error_set(&fault, ALLOT_EINVALID, "E-state", NULL, NULL,
                         "what the change would do is not known: the live version cannot decide");
    if (fault.code[0] != '\0')
        allot__rpc_fault(call, &fault);
    else if (confirms)
        take_order(it, call, &(allot__reload_order){.confirm = (char *)name});
    else
        answer_held(call, params);
}
