/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rpc_later.c: later answers, also of the program that embeds the service; params of methods. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "service/instance/service.h"
#include "service/wire/rpc.h"
#include "service/wire/wire.h"

int allot__rpc_later(allot__request *call, allot__answer size, allot__reply **out)
{
    allot_engine *engine = call->service->engine;
    if (call->in_batch) {
        allot__rpc_error(call, ALLOT__RPC_ALONE, "this method is not to be called in a batch",
                         NULL);
        return ALLOT_EUSAGE;
    }
    allot__reply *reply = allot__new(engine, 1, sizeof *reply);
    char *id = call->id != NULL && reply ? allot__copy(engine, call->id, call->id_len) : NULL;
    if (!reply || (call->id != NULL && !id)) {
        allot__free(engine, reply, 1, sizeof *reply);
        allot__rpc_no_memory(call);
        return ALLOT_ENOMEM;
    }
    *reply = (allot__reply){.call = {.service = call->service,
                                     .id = id,
                                     .id_len = call->id_len,
                                     .tell = call->tell,
                                     .tell_ud = call->tell_ud},
                            .answer.engine = engine,
                            .id = id,
                            .size = size,
                            .peer = call->peer ? allot__connection_number(call->peer) : 0};
    reply->call.answer = &reply->answer;
    call->answered = true;
    if (call->peer)
        allot__connection_owe(call->peer, size);
    *out = reply;
    return ALLOT_OK;
}

int allot__reply_name(allot__reply *reply, const char *id, size_t len)
{
    allot__free_string(reply->call.service->engine, reply->id);
    reply->id = allot__copy(reply->call.service->engine, id, len);
    reply->call.id = reply->id;
    reply->call.id_len = len;
    return reply->id ? ALLOT_OK : ALLOT_ENOMEM;
}

static void tell(const allot__reply *reply, allot__connection *peer, const char *line, size_t len)
{
    if (peer)
        allot__connection_send(peer, line, len, reply->call.batch);
    else if (reply->peer == 0 && reply->call.tell)
        reply->call.tell(reply->call.tell_ud, line, len);
}

/* Answers with an error where there was no memory for the answer. */
static void tell_failure(const allot__reply *reply, allot__connection *peer)
{
    char line[512];
    int len = snprintf(line, sizeof line,
                       "{\"jsonrpc\": \"2.0\", \"id\": %.300s, \"error\": {\"code\": %d, "
                       "\"message\": \"%s\"}}",
                       reply->id, ALLOT__RPC_INTERNAL, allot_status_text(ALLOT_ENOMEM));
    tell(reply, peer, line, (size_t)len);
}

void allot__reply_end(allot__reply *reply)
{
    allot_service *service = reply->call.service;
    allot__connection *peer =
        reply->peer != 0 ? allot__connection_find(service, reply->peer) : NULL;
    if (reply->answer.failed && reply->id)
        tell_failure(reply, peer);
    else if (!reply->answer.failed && reply->answer.len > 0)
        tell(reply, peer, reply->answer.bytes, reply->answer.len);
    if (peer) {
        allot__connection_owe(peer, -(int32_t)reply->size);
        allot__connection_push(peer);
    }
    allot__text_free(&reply->answer);
    allot__free_string(service->engine, reply->id);
    allot__free(service->engine, reply, 1, sizeof *reply);
}

void allot__reply_no_memory(allot__reply *reply)
{
    allot__rpc_no_memory(&reply->call);
    allot__reply_end(reply);
}

/* ---- Params ---------------------------------------------------------------------------------- */

static int take_value(allot__request *call, allot__param *param, const allot_json_event *value,
                      allot__error *fault)
{
    bool boolean = value->kind == ALLOT_JSON_TRUE || value->kind == ALLOT_JSON_FALSE;
    bool right = param->kind == ALLOT_JSON_TRUE ? boolean : value->kind == param->kind;
    if (!right)
        return allot__error_set(fault, ALLOT_EINVALID, "E-type", param->name, NULL,
                                "%s: allowed %s", param->name,
                                param->kind == ALLOT_JSON_TRUE   ? "true or false"
                                : param->kind == ALLOT_JSON_TEXT ? "a text"
                                                                 : "a whole number");
    if (param->kind == ALLOT_JSON_WHOLE &&
        (value->whole < param->least || value->whole > param->most))
        return allot__error_set(fault, ALLOT_EINVALID, "E-range", param->name, NULL,
                                "%s: found %lld, allowed %lld ... %lld", param->name,
                                (long long)value->whole, (long long)param->least,
                                (long long)param->most);
    param->whole = boolean ? value->kind == ALLOT_JSON_TRUE : value->whole;
    if (param->kind == ALLOT_JSON_TEXT) {
        allot__text *texts = &call->service->texts; /* with the capacity for all */
        param->text = texts->bytes + texts->len;
        allot__text_add(texts, value->text, value->len + 1);
    }
    param->given = true;
    return ALLOT_OK;
}

static int take_member(allot__request *call, allot_json *json, allot__param *fields,
                       const allot_json_event *key, allot__error *fault)
{
    const char *names[16];
    size_t count = 0;
    for (allot__param *param = fields; param->name; param++) {
        names[count++] = param->name;
        if (strcmp(param->name, key->text) != 0)
            continue;
        if (param->given)
            return allot__error_set(fault, ALLOT_EINVALID, "E-duplicate-key", param->name, NULL,
                                    "\"%s\" stands there twice", param->name);
        allot_json_event value;
        allot_json_next(json, &value);
        return take_value(call, param, &value, fault);
    }
    const char *near = allot_nearest(key->text, key->len, names, count);
    char hint[120] = "";
    if (near)
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
    return allot__error_set(fault, ALLOT_EINVALID, "E-unknown-key", key->text, hint,
                            "\"%.80s\" is no parameter of \"%.*s\"", key->text,
                            (int)call->method_len, call->method);
}

static int read_params(allot__request *call, allot__param *fields, allot__error *fault)
{
    allot_json *json;
    allot_json_event event;
    const char *text = call->params ? call->params : "{}";
    size_t len = call->params ? call->params_len : 2;
    allot__text_clear(&call->service->texts, ALLOT__RPC_LINE_MOST);
    int status = allot_json_open(call->service->engine, text, len, NULL, 1, 0, NULL, &json);
    if (status != ALLOT_OK)
        return status;
    if (!allot__text_room(&call->service->texts, len))
        status = ALLOT_ENOMEM;
    allot_json_next(json, &event);
    while (status == ALLOT_OK && allot_json_next(json, &event) && event.kind == ALLOT_JSON_KEY)
        status = take_member(call, json, fields, &event, fault);
    allot_json_close(json);
    for (const allot__param *param = fields; status == ALLOT_OK && param->name; param++)
        if (param->required && !param->given)
            status = allot__error_set(fault, ALLOT_EINVALID, "E-missing", param->name, NULL,
                                      "\"%.*s\" wants \"%s\"", (int)call->method_len, call->method,
                                      param->name);
    return status;
}

bool allot__params_read(allot__request *call, allot__param *fields)
{
    allot__error fault;
    fault.status = read_params(call, fields, &fault);
    if (fault.status == ALLOT_OK)
        return true;
    allot__rpc_fault(call, &fault);
    return false;
}

/* ---- The embedder's calls -------------------------------------------------------------------- */

static allot__reply *take_waiter(allot_service *service)
{
    allot__reply *first = service->waiters;
    service->waiters = first->next;
    return first;
}

void allot__waiters_committed(allot_service *service, int64_t batch)
{
    while (service->waiters && service->waiters->call.batch <= batch)
        allot__reply_end(take_waiter(service));
}

void allot__waiters_free(allot_service *service)
{
    while (service->waiters) {
        allot__reply *first = take_waiter(service);
        first->answer.len = 0; /* it is not told */
        allot__reply_end(first);
    }
}

int allot_service_call(allot_service *service, const char *text, size_t len,
                       void (*answer)(void *ud, const char *line, size_t len), void *ud)
{
    if (!service->running || service->stopping)
        return ALLOT_EUSAGE;
    allot__hold_settle(service); /* the embedder's call cannot wait */
    allot__reply *reply = allot__new(service->engine, 1, sizeof *reply);
    if (!reply)
        return ALLOT_ENOMEM;
    *reply = (allot__reply){.call = {.service = service, .tell = answer, .tell_ud = ud},
                            .answer.engine = service->engine};
    int status = allot__rpc_line(&reply->call, text, len, &reply->answer, &reply->call.batch);
    if (status == ALLOT_OK && reply->answer.len > 0 && reply->call.batch > 0) {
        allot__reply **at = &service->waiters;
        while (*at)
            at = &(*at)->next;
        *at = reply;
        return ALLOT_OK;
    }
    reply->answer.len = status == ALLOT_OK ? reply->answer.len : 0;
    allot__reply_end(reply);
    return status;
}
