/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * state_call.c: the method `state`: the cluster as a state document, from which a client can make
 * the service's decisions. A large one is written in slices, under a hold on the books
 * (instance/hold.h).
 */
#include "service/generation/generation.h"
#include "service/view/view.h"
#include "base/memory.h"

enum {
    ITEMS = 256, /* written between two reads of the clock */
    FEW = 1000   /* up to so many consumers and items at once */
};

/* A call answered later. */
typedef struct answer {
    allot__hold hold; /* first member: a hold is cast to its answer */
    allot_service *service;
    allot__reply *reply;
    allot_state_writing *writing;
    int status;
    bool with_plan;
} answer;

/* Turns line ends into blanks: an answer is one line. */
static int sink(void *ud, const char *text, size_t len)
{
    allot__text *out = ud;
    size_t from = out->len;
    if (allot__text_sink(out, text, len) != 0)
        return 1;
    for (size_t i = from; i < out->len; i++)
        if (out->bytes[i] == '\n')
            out->bytes[i] = ' ';
    return 0;
}

static allot__text *begin(allot__request *call, bool with_plan)
{
    allot__text *out = allot__rpc_begin(call);
    if (!with_plan)
        return out;
    allot__text_puts(out, "{\"plan\": ");
    allot__plan_answer_put(call->service->generation, call->service->config.plan, out);
    allot__text_puts(out, ", \"state\": ");
    return out;
}

static void end(allot__request *call, bool with_plan, int status)
{
    if (status == ALLOT_OK) {
        allot__text_puts(call->answer, with_plan ? "}" : "");
        allot__rpc_end(call);
    } else if (!call->answer->failed) {
        call->answer->len = call->mark;
        allot__rpc_no_memory(call);
    }
}

static bool go_on(allot__hold *hold, uint64_t until)
{
    answer *it = (answer *)hold;
    int32_t over = 0;
    while (it->status == ALLOT_OK && !over && uv_hrtime() < until)
        it->status = allot_state_write_some(it->writing, ITEMS, &over);
    return over || it->status != ALLOT_OK;
}

static void answer_written(allot__hold *hold)
{
    answer *it = (answer *)hold;
    allot_state_write_end(it->writing);
    end(&it->reply->call, it->with_plan, it->status);
    allot__reply_end(it->reply);
    allot__free(it->service->engine, it, 1, sizeof *it);
}

static void answer_later(allot__request *call, const allot_state *state, bool with_plan)
{
    allot_service *service = call->service;
    allot__reply *reply;
    answer *it = allot__new(service->engine, 1, sizeof *it);
    if (!it) {
        allot__rpc_no_memory(call);
        return;
    }
    if (allot__rpc_later(call, ALLOT__ANSWER_LONG, &reply) != ALLOT_OK) {
        allot__free(service->engine, it, 1, sizeof *it);
        return;
    }
    *it = (answer){.hold = {.step = go_on, .end = answer_written},
                   .service = service,
                   .reply = reply,
                   .with_plan = with_plan};
    it->status = allot_state_write_begin(state, sink, begin(&reply->call, with_plan), &it->writing);
    allot__hold_begin(service, &it->hold);
}

static bool is_small(const allot_service *service)
{
    allot__books_count count = allot__books_size(service->books);
    return allot_plan_consumers(service->generation->plan) + count.tasks + count.sessions +
               count.jobs + count.flights <=
           FEW;
}

void allot__state_call(allot__request *call)
{
    allot__param params[] = {{.name = "plan", .type = ALLOT_MEMBER_FLAG}, {0}};
    allot_service *service = call->service;
    const allot_state *state;
    allot_report *report = NULL;
    if (!allot__params_read(call, params))
        return;
    bool with_plan = params[0].number != 0;
    int status = allot_report_new(service->engine, &report);
    if (status == ALLOT_OK)
        status = allot__books_state(service->books, allot__service_now(service), report, &state);
    if (status != ALLOT_OK)
        allot__rpc_report(call, status, report);
    else if (call->in_batch || !service->holds.open || is_small(service))
        end(call, with_plan, allot_state_write(state, sink, begin(call, with_plan)));
    else
        answer_later(call, state, with_plan);
    allot_report_free(report);
}
