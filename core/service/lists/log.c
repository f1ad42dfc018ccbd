/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* log.c: the call `log`, and the same of a store that no service needs to have open. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "service/instance/service.h"
#include "service/lists/lists.h"

/* The params as they come. */
typedef struct params {
    const char *after, *before, *consumer, *who;
    int64_t limit, since, until;
    int kind;
} params;

#define AT(member) offsetof(params, member)

static const allot_member rows[] = {
    {.name = "after", .type = ALLOT_MEMBER_TEXT, .at = AT(after)},
    {.name = "before", .type = ALLOT_MEMBER_TEXT, .at = AT(before)},
    {.name = "limit",
     .type = ALLOT_MEMBER_WHOLE,
     .at = AT(limit),
     .least = 1,
     .most = ALLOT__LOG_MOST,
     .unset = 100},
    {.name = "kind",
     .type = ALLOT_MEMBER_WORD,
     .at = AT(kind),
     .unset = ALLOT__LOG_ALL,
     .word = allot__log_kind_word},
    {.name = "consumer",
     .type = ALLOT_MEMBER_TEXT,
     .at = AT(consumer),
     .most = ALLOT__LOG_WORD - 1},
    {.name = "who", .type = ALLOT_MEMBER_TEXT, .at = AT(who), .most = ALLOT__LOG_WORD - 1},
    {.name = "since",
     .type = ALLOT_MEMBER_TIME,
     .at = AT(since),
     .most = ALLOT__STORE_LAST,
     .unset = INT64_MIN},
    {.name = "until",
     .type = ALLOT_MEMBER_TIME,
     .at = AT(until),
     .most = ALLOT__STORE_LAST,
     .unset = INT64_MAX},
};

static const allot_members all = {
    .name = "params", .size = sizeof(params), .items = rows, .count = sizeof rows / sizeof *rows};

static int read_place(const char *name, const char *text, allot__log_place *out,
                      allot__error *fault)
{
    long long event, cycle, number;
    int end = 0;
    bool good = sscanf(text, "%lld.%lld.%lld%n", &event, &cycle, &number, &end) == 3 &&
                text[end] == '\0' && event >= 0 && event < ALLOT__STORE_LAST && cycle >= 0 &&
                cycle < ALLOT__STORE_LAST && number >= 0 && number < ALLOT__STORE_LAST;
    if (!good)
        return allot__error_set(fault, ALLOT_EINVALID, "E-range", name, NULL,
                                "%s: found \"%.60s\", allowed the id of an entry, as in \"17.4.0\"",
                                name, text);
    *out = (allot__log_place){event, cycle, number};
    return ALLOT_OK;
}

/* Without a place the newest entries are wanted. */
static int read_ask(allot_engine *engine, allot_json **json, const allot_plan *plan,
                    const char *text, size_t len, allot__log_ask *out, allot__error *fault)
{
    params it;
    allot_json_part part = {.members = &all, .item = &it};
    allot_item_init(&all, &it);
    int status = allot__params_take(engine, json, plan, text, len, &part, 1, NULL, fault);
    if (status != ALLOT_OK)
        return status;
    if (it.after && it.before)
        return allot__error_set(fault, ALLOT_EINVALID, "E-usage", "before", NULL,
                                "after and before do not go together");
    *out = (allot__log_ask){.place = {ALLOT__STORE_LAST, 0, 0},
                            .back = !it.after,
                            .limit = (int32_t)it.limit,
                            .kind = it.kind,
                            .since = it.since,
                            .until = it.until};
    snprintf(out->consumer, sizeof out->consumer, "%s", it.consumer ? it.consumer : "");
    snprintf(out->who, sizeof out->who, "%s", it.who ? it.who : "");
    if (it.after)
        return read_place("after", it.after, &out->place, fault);
    return it.before ? read_place("before", it.before, &out->place, fault) : ALLOT_OK;
}

static void on_page(void *ud, int64_t status, const char *text, size_t len)
{
    allot__request *call = &((allot__reply *)ud)->call;
    if (text) {
        allot__text_add(allot__rpc_begin(call), text, len);
        allot__rpc_end(call);
        return;
    }
    if (status != ALLOT_OK)
        allot__rpc_error(call, ALLOT__RPC_SERVER + (int)status, "the store cannot be read", NULL);
    allot__reply_end(ud);
}

void allot__log_call(allot__request *call)
{
    allot_service *service = call->service;
    allot__log_ask ask;
    allot__error fault = {.message = ""};
    allot__reply *reply;
    fault.status = read_ask(service->engine, &service->params, service->generation->plan,
                            call->params, call->params_len, &ask, &fault);
    if (fault.status == ALLOT_ERANGE)
        fault.status = ALLOT_EINVALID;
    if (fault.status != ALLOT_OK)
        allot__rpc_fault(call, &fault);
    else if (allot__rpc_later(call, ALLOT__ANSWER_LONG, &reply) == ALLOT_OK &&
             allot__store_log(service->store, &ask, on_page, reply) != ALLOT_OK)
        on_page(reply, ALLOT_ENOMEM, NULL, 0);
}

int allot_service_log(allot_engine *engine, const char *store, const char *text, size_t len,
                      allot_sink sink, void *ud, allot_report *report)
{
    allot__log_ask ask;
    allot__error fault = {.message = ""};
    allot_json *json = NULL;
    allot__store *it = NULL;
    allot__text out = {.engine = engine};
    int status = read_ask(engine, &json, NULL, text, len, &ask, &fault);
    allot_json_close(json);
    if (status != ALLOT_OK && status != ALLOT_ENOMEM)
        allot_report_say(report, ALLOT_ERROR, fault.code, "%s", fault.message);
    if (status == ALLOT_OK)
        status = allot__store_open_read(engine, store, report, &it);
    if (status == ALLOT_OK)
        status = allot__store_log_page(it, &ask, &out);
    if (status == ALLOT_EIO && it)
        allot_report_say(report, ALLOT_ERROR, "E-store", "the store %.200s cannot be read", store);
    allot__store_close(it);
    if (status == ALLOT_OK && sink(ud, out.bytes, out.len) != 0)
        status = ALLOT_ENOMEM;
    allot__text_free(&out);
    return status;
}
