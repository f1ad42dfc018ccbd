/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* feed_methods.c: the methods of subscribers. */
#include <string.h>

#include "service/instance/service.h"
#include "service/wire/feed.h"
#include "service/wire/wire.h"

void allot__feed_subscribe(allot__request *call)
{
    allot__param params[] = {
        {.name = "from", .kind = ALLOT_JSON_WHOLE, .least = 1, .most = INT64_MAX - 1}, {0}};
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

void allot__feed_unsubscribe(allot__request *call)
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

void allot__feed_decisions(allot__request *call)
{
    allot__param params[] = {
        {.name = "from", .kind = ALLOT_JSON_WHOLE, .required = true, .least = 1, .most = INT64_MAX},
        {.name = "to", .kind = ALLOT_JSON_WHOLE, .least = 1, .most = INT64_MAX},
        {.name = "most", .kind = ALLOT_JSON_WHOLE, .least = 1, .most = 1000},
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
