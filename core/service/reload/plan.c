/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plan.c: a plan that is handed in, and how it gets into the plan's file. */
#include "service/reload/reload.h"

#include <string.h>

#include "base/memory.h"

/* ---- Handing in ------------------------------------------------------------------------------ */

void allot__reload_drop_text(allot__reload *it)
{
    allot__free(it->service->engine, it->text, it->len + 1, 1);
    it->text = NULL;
    it->len = 0;
}

static int hand_in(allot__reload *it, const char *text, size_t len, allot__reply *reply)
{
    allot_engine *engine = it->service->engine;
    allot__waiting *waiting = allot__new(engine, 1, sizeof *waiting);
    char *copy = allot__copy(engine, text, len);
    if (!waiting || !copy) {
        allot__free(engine, waiting, 1, sizeof *waiting);
        allot__free(engine, copy, len + 1, 1);
        return ALLOT_ENOMEM;
    }
    *waiting = (allot__waiting){.reply = reply};
    it->handing = waiting;
    it->text = copy;
    it->len = len;
    if (it->phase == ALLOT__RELOAD_IDLE)
        allot__reload_begin(it);
    return ALLOT_OK;
}

/* The plan that decides. */
static void answer_plan(allot__request *call)
{
    const allot_service *service = call->service;
    allot__plan_answer_put(service->generation, service->config.plan, allot__rpc_begin(call));
    allot__rpc_end(call);
}

void allot__reload_plan(allot__request *call)
{
    allot__param params[] = {{.name = "text", .kind = ALLOT_JSON_TEXT}, {0}};
    allot__reload *it = call->service->components.reload;
    allot__reply *reply;
    if (!allot__params_read(call, params))
        return;
    if (!params[0].given) {
        answer_plan(call);
        return;
    }
    bool can = allot__reload_can(call);
    if (can && it->text)
        allot__rpc_error(call, ALLOT__RPC_BUSY, "another plan was handed in and waits", NULL);
    else if (can && allot__rpc_later(call, ALLOT__ANSWER_SHORT, &reply) == ALLOT_OK &&
             hand_in(it, params[0].text, strlen(params[0].text), reply) != ALLOT_OK)
        allot__reply_no_memory(reply);
    allot__params_free(call, params);
}

/* ---- The file -------------------------------------------------------------------------------- */

static void queue(allot__reload *it, uv_work_cb work, uv_after_work_cb done)
{
    it->phase = ALLOT__RELOAD_WRITING;
    allot__handle_open(it->service);
    if (uv_queue_work(it->service->loop, &it->work, work, done) == 0)
        return;
    allot__handle_closed(it->service);
    allot__reload_refuse(it, ALLOT_ENOMEM);
}

static void undo_work(uv_work_t *work)
{
    allot__candidate *candidate = ((allot__reload *)work->data)->candidate;
    allot__plan_file_undo(&candidate->old, candidate->file, candidate->report);
}

static void undone(uv_work_t *work, int canceled)
{
    allot__reload *it = work->data;
    allot_service *service = it->service;
    (void)canceled;
    if (service->stopping)
        allot__reload_give_up(it);
    else
        allot__reload_refuse(it, it->verdict);
    allot__handle_closed(service);
}

void allot__reload_undo(allot__reload *it, int status)
{
    it->verdict = status;
    if (it->candidate->old.written)
        queue(it, undo_work, undone);
    else
        allot__reload_refuse(it, status);
}

/* What somebody else wrote there, and does not decide yet, is not to be lost. */
static bool is_others(const allot__candidate *candidate)
{
    const allot__text *old = &candidate->old.old;
    const allot__plan_texts *live = candidate->live->texts;
    if (!candidate->old.there ||
        (old->len == live->len && memcmp(old->bytes, live->text, live->len) == 0))
        return false;
    allot_report_say(candidate->report, ALLOT_ERROR, "E-conflict",
                     "%.300s was changed and does not decide: `reload` it, or put it back, first",
                     candidate->file);
    return true;
}

static void write_work(uv_work_t *work)
{
    allot__reload *it = work->data;
    allot__candidate *candidate = it->candidate;
    it->status = allot__plan_file_read(&candidate->old, candidate->file, candidate->report);
    if (it->status == ALLOT_OK && is_others(candidate))
        it->status = ALLOT_EUSAGE;
    if (it->status == ALLOT_OK)
        it->status = allot__plan_file_write(&candidate->old, candidate->file, candidate->text,
                                            candidate->len, candidate->report);
}

static void written(uv_work_t *work, int canceled)
{
    allot__reload *it = work->data;
    allot_service *service = it->service;
    (void)canceled;
    if (service->stopping)
        allot__reload_give_up(it);
    else if (it->status == ALLOT_OK)
        allot__reload_adopt(it);
    else
        allot__reload_undo(it, it->status);
    allot__handle_closed(service);
}

void allot__reload_write(allot__reload *it)
{
    queue(it, write_work, written);
}
