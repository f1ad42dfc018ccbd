/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * state_call.c: the method `state`.
 *
 * This file owns: the calls that are being answered.
 */
#include "service/view/state_call.h"

#include "service/generation/plan_answer.h"
#include "base/memory.h"

enum {
    ITEMS = 256,     /* are written between two looks at the clock */
    SLICE = 1000000, /* ns of a turn of the loop */
    FEW = 1000       /* consumers and items: these are written at once */
};

/* A call that is answered later. */
typedef struct answer {
    struct answer *next;
    allot__reply *reply;
    allot_state_writing *writing; /* NULL: all is written, or it failed */
    int status;
    bool with_plan;
} answer;

/* At most one is written at a time: the books have one state, and another call's state ends that
 * (allot__books_watch). */
typedef struct allot__state_calls {
    allot_service *service;
    uv_idle_t idle; /* while there are any */
    answer *first;
    bool stopped;
} calls;

/* ---- Writing --------------------------------------------------------------------------------- */

/* An answer is a line. */
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

static void put_begin(const allot_service *service, bool with_plan, allot__text *out)
{
    if (!with_plan)
        return;
    allot__text_puts(out, "{\"plan\": ");
    allot__plan_answer_put(service->generation, service->config.plan, out);
    allot__text_puts(out, ", \"state\": ");
}

static void put_end(bool with_plan, allot__text *out)
{
    if (with_plan)
        allot__text_puts(out, "}");
}

/* Goes on for some time, or to the end. */
static void write_on(answer *it, bool whole)
{
    uint64_t began = uv_hrtime();
    int32_t over = 0;
    while (it->status == ALLOT_OK && !over && (whole || uv_hrtime() - began < SLICE))
        it->status = allot_state_write_some(it->writing, ITEMS, &over);
    if (it->status == ALLOT_OK && !over)
        return;
    allot_state_write_end(it->writing);
    it->writing = NULL;
}

/* The state is about to change. The answers wait: this is in the middle of something. */
static void finish(void *ud)
{
    for (answer *it = ((calls *)ud)->first; it; it = it->next)
        if (it->writing)
            write_on(it, true);
}

/* ---- Answers that come later ----------------------------------------------------------------- */

static void send_answer(answer *it)
{
    allot__request *call = allot__reply_call(it->reply);
    if (it->status == ALLOT_OK) {
        put_end(it->with_plan, call->answer);
        allot__rpc_end(call);
    } else if (!call->answer->failed) {
        call->answer->len = 0;
        allot__rpc_no_memory(call);
    }
    allot__reply_end(it->reply);
}

/* A client with an answer may ask again at once. */
static void send_all(calls *all)
{
    answer **at = &all->first;
    while (*at) {
        answer *it = *at;
        if (it->writing) {
            at = &it->next;
            continue;
        }
        *at = it->next;
        send_answer(it);
        allot__free(all->service->engine, it, 1, sizeof *it);
        at = &all->first;
    }
}

static void on_turn(uv_idle_t *idle)
{
    calls *all = idle->data;
    for (answer *it = all->first; it; it = it->next)
        if (it->writing)
            write_on(it, false);
    send_all(all);
    if (!all->first)
        uv_idle_stop(idle);
}

static void answer_later(allot__request *call, const allot_state *state, bool with_plan)
{
    allot_service *service = call->service;
    calls *all = service->components.state;
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
    *it = (answer){.next = all->first, .reply = reply, .with_plan = with_plan};
    allot__text *out = allot__rpc_begin(allot__reply_call(reply));
    put_begin(service, with_plan, out);
    it->status = allot_state_write_begin(state, sink, out, &it->writing);
    all->first = it;
    if (it->status == ALLOT_OK)
        allot__books_watch(service->books, finish, all);
    uv_idle_start(&all->idle, on_turn);
}

/* ---- The method ------------------------------------------------------------------------------ */

static void answer_now(allot__request *call, const allot_state *state, bool with_plan)
{
    allot__text document = {.engine = call->service->engine};
    int status = allot_state_write(state, sink, &document);
    if (status == ALLOT_OK) {
        allot__text *out = allot__rpc_begin(call);
        put_begin(call->service, with_plan, out);
        allot__text_add(out, document.bytes, document.len);
        put_end(with_plan, out);
        allot__rpc_end(call);
    } else {
        allot__rpc_no_memory(call);
    }
    allot__text_free(&document);
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
    allot__param params[] = {{.name = "plan", .kind = ALLOT_JSON_TRUE}, {0}};
    allot_service *service = call->service;
    const allot_state *state;
    allot_report *report = NULL;
    if (!allot__params_read(call, params))
        return;
    int status = allot_report_new(service->engine, &report);
    if (status == ALLOT_OK)
        status = allot__books_state(service->books, allot__service_now(service), report, &state);
    if (status != ALLOT_OK)
        allot__rpc_report(call, status, report);
    else if (call->in_batch || service->components.state->stopped || is_small(service))
        answer_now(call, state, params[0].whole);
    else
        answer_later(call, state, params[0].whole);
    allot_report_free(report);
}

/* ---- The component --------------------------------------------------------------------------- */

int allot__state_call_start(allot_service *service, allot_report *report)
{
    (void)report;
    calls *all = allot__new(service->engine, 1, sizeof *all);
    if (!all)
        return ALLOT_ENOMEM;
    all->service = service;
    service->components.state = all;
    uv_idle_init(service->loop, &all->idle);
    all->idle.data = all;
    allot__handle_open(service);
    return ALLOT_OK;
}

static void closed(uv_handle_t *handle)
{
    allot__handle_closed(((calls *)handle->data)->service);
}

void allot__state_call_stop(allot_service *service)
{
    calls *all = service->components.state;
    if (!all)
        return;
    all->stopped = true;
    finish(all);
    send_all(all);
    uv_close((uv_handle_t *)&all->idle, closed);
}

void allot__state_call_free(allot_service *service)
{
    if (service->books)
        allot__books_watch(service->books, NULL, NULL); /* they end later */
    allot__free(service->engine, service->components.state, 1, sizeof(calls));
    service->components.state = NULL;
}
