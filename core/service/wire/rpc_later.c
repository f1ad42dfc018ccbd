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
                                     .method = call->method,
                                     .method_len = call->method_len,
                                     .changes = call->changes,
                                     .tell = call->tell,
                                     .tell_ud = call->tell_ud},
                            .answer.engine = engine,
                            .id = id,
                            .size = size,
                            .peer = call->peer ? allot__connection_number(call->peer) : 0};
    reply->call.answer = &reply->answer;
    if (call->who) {
        reply->who = *call->who;
        reply->call.who = &reply->who;
    }
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

/* The fields are a struct, and their results its members. */
static int read_params(allot__request *call, allot__param *fields, allot__error *fault)
{
    allot_service *service = call->service;
    allot_member members[16];
    allot_members all = {.items = members};
    for (const allot__param *it = fields; it->name; it++) {
        const void *at = it->type == ALLOT_MEMBER_TEXT    ? (const void *)&it->text
                         : it->type == ALLOT_MEMBER_WHOLE ? (const void *)&it->whole
                                                          : (const void *)&it->number;
        members[all.count++] =
            (allot_member){.name = it->name,
                           .type = it->type,
                           .flags = it->required ? ALLOT_MEMBER_REQUIRED : 0,
                           .at = (uint16_t)((const char *)at - (const char *)fields),
                           .least = it->type == ALLOT_MEMBER_FLAG ? 1 : it->least,
                           .most = it->most};
    }
    allot_json_part part = {.members = &all, .item = fields};
    int status =
        allot__params_take(service->engine, &service->params, allot__books_plan(service->books),
                           call->params, call->params_len, &part, 1, NULL, fault);
    for (int32_t i = 0; i < all.count; i++)
        fields[i].given = part.stated >> i & 1;
    return status;
}

bool allot__params_read(allot__request *call, allot__param *fields)
{
    allot__error fault;
    fault.status = read_params(call, fields, &fault);
    if (fault.status == ALLOT_OK)
        return true;
    if (fault.status == ALLOT_ERANGE)
        fault.status = ALLOT_EINVALID; /* of events the range is the books' */
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

/* An embedder's call that waits until the plan has grown. */
typedef struct patient {
    allot__growing growing;
    allot_service *service;
    allot__text text;
    void (*answer)(void *ud, const char *line, size_t len);
    void *ud;
} patient;

static void call_again(allot__growing *growing)
{
    patient *it = (patient *)(void *)growing;
    allot_service *service = it->service;
    allot_service_call(service, it->text.bytes, it->text.len, it->answer, it->ud);
    allot__text_free(&it->text);
    allot__free(service->engine, it, 1, sizeof *it);
}

static int be_patient(allot_service *service, const char *text, size_t len,
                      void (*answer)(void *ud, const char *line, size_t len), void *ud)
{
    patient *it = allot__new(service->engine, 1, sizeof *it);
    if (!it)
        return ALLOT_ENOMEM;
    *it = (patient){.growing = {.grown = call_again},
                    .service = service,
                    .text = {.engine = service->engine},
                    .answer = answer,
                    .ud = ud};
    allot__text_add(&it->text, text, len);
    if (!it->text.failed && service->up->grow(service, NULL, &it->growing) == ALLOT_OK)
        return ALLOT_OK;
    allot__text_free(&it->text);
    allot__free(service->engine, it, 1, sizeof *it);
    return ALLOT_ENOMEM;
}

int allot_service_call(allot_service *service, const char *text, size_t len,
                       void (*answer)(void *ud, const char *line, size_t len), void *ud)
{
    if (!service->running || service->stopping)
        return ALLOT_EUSAGE;
    allot__hold_settle(service); /* the embedder's call cannot wait for it */
    allot__reply *reply = allot__new(service->engine, 1, sizeof *reply);
    if (!reply)
        return ALLOT_ENOMEM;
    *reply = (allot__reply){.call = {.service = service, .tell = answer, .tell_ud = ud},
                            .answer.engine = service->engine};
    int status = allot__rpc_line(&reply->call, text, len, &reply->answer, &reply->call.batch);
    if (status == ALLOT__RPC_HELD)
        status = be_patient(service, text, len, answer, ud);
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
