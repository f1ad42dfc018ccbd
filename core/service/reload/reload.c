/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reload.c: when an attempt is made, and what becomes of it. */
#include "service/reload/reload.h"

#include <string.h>

#include "base/memory.h"

/* ---- Attempts -------------------------------------------------------------------------------- */

static void on_time(uv_timer_t *timer)
{
    allot__reload *it = timer->data;
    if (it->phase == ALLOT__RELOAD_IDLE)
        allot__reload_begin(it);
    else if (it->phase == ALLOT__RELOAD_SETTLING)
        allot__reload_conclude(it, it->verdict);
}

void allot__reload_soon(allot__reload *it)
{
    uint64_t wait =
        it->phase == ALLOT__RELOAD_SETTLING ? ALLOT__RELOAD_QUIET : ALLOT__RELOAD_SETTLE;
    uint64_t now = uv_now(it->service->loop), due = it->last + wait;
    if (it->first != 0 && due > it->first + ALLOT__RELOAD_MOST)
        due = it->first + ALLOT__RELOAD_MOST;
    uv_timer_start(&it->timer, on_time, due > now ? due - now : 0, 0);
}

/* What is told late may be what is being tried: that is not begun anew for it, but looked at once
 * more when it is over. */
static void touched(void *ud, bool late)
{
    allot__reload *it = ud;
    if (late && it->phase != ALLOT__RELOAD_IDLE) {
        it->again = true;
        return;
    }
    it->changes++;
    it->last = uv_now(it->service->loop);
    if (it->phase != ALLOT__RELOAD_IDLE)
        return;
    if (it->first == 0)
        it->first = it->last;
    allot__reload_soon(it);
}

/* Nobody waits for files of a plan that was handed in, unless it decides. */
void allot__reload_arm(allot__reload *it)
{
    const allot__candidate *candidate = it->candidate;
    bool fresh = false;
    if (!it->watch || candidate->sources.count == 0)
        return;
    allot__watch_set(it->watch, &candidate->paths, &candidate->sources, &fresh);
    it->again = it->again || fresh;
}

static void come_to(allot__reload *it)
{
    switch (it->candidate->outcome) {
    case ALLOT__MADE:
        allot__reload_rehearse(it);
        break;
    case ALLOT__REFUSED:
        allot__reload_conclude(it, it->candidate->status);
        break;
    case ALLOT__AS_LIVE:
        allot__reload_forget(it);
        allot__reload_tried(it, it->candidate);
        it->same++;
        allot__reload_finish(it);
        break;
    case ALLOT__SAME:
        it->same++;
        allot__reload_finish(it);
        break;
    }
}

static void build_work(uv_work_t *work)
{
    allot__candidate_build(((allot__reload *)work->data)->candidate);
}

static void built(uv_work_t *work, int canceled)
{
    allot__reload *it = work->data;
    allot_service *service = it->service;
    if (canceled || service->stopping) {
        allot__reload_give_up(it);
    } else {
        if (!it->candidate->text && !it->candidate->back)
            allot__reload_arm(it);
        come_to(it);
    }
    allot__handle_closed(service);
}

/* What a promoted policy stands in for is the plan that it was promoted under. */
static const char *instead_of(const allot__reload *it)
{
    const allot__plan_texts *live = it->service->generation->texts;
    bool other =
        it->text != NULL && (it->len != live->len || memcmp(it->text, live->text, it->len) != 0);
    if (it->text)
        return other ? NULL : it->instead;
    return it->promote ? it->promote : it->instead;
}

static int make_candidate(allot__reload *it)
{
    allot_service *service = it->service;
    allot__candidate *candidate;
    if (it->culprit)
        return allot__reload_make_back(it);
    int status = allot__candidate_new(service->config.plan, instead_of(it), &service->config.limits,
                                      &candidate);
    if (status != ALLOT_OK)
        return status;
    candidate->forced = it->promote != NULL || (it->failed != NULL && it->answering);
    candidate->live = service->generation;
    candidate->before = &it->tried;
    candidate->trusted = &service->generation->sources;
    candidate->cycle_limit = service->config.cycle_limit;
    candidate->lasting = !it->promote && !it->text;
    if (it->text)
        status = allot__candidate_text(candidate, it->text, it->len);
    if (status == ALLOT_OK)
        it->candidate = candidate;
    else
        allot__candidate_free(candidate);
    return status;
}

/* Who handed a plan in waits for that alone, and everybody else for what is in the files; nobody
 * does for what takes over again. */
static void take_askers(allot__reload *it)
{
    allot__waiting **from = it->text ? &it->handing : &it->waiting;
    it->answering = NULL;
    if (it->culprit)
        return;
    it->answering = *from;
    *from = NULL;
}

static void take_question(allot__reload *it)
{
    if (it->culprit)
        return;
    if (it->text) {
        allot__reload_drop_text(it);
        return;
    }
    allot__free_string(it->service->engine, it->promote);
    it->promote = NULL;
}

void allot__reload_begin(allot__reload *it)
{
    allot_service *service = it->service;
    it->began = it->first != 0 ? it->first : uv_now(service->loop);
    it->first = 0;
    it->looked_at = it->changes;
    it->again = false;
    take_askers(it);
    int status = make_candidate(it);
    take_question(it);
    if (status == ALLOT_OK) {
        it->phase = ALLOT__RELOAD_BUILDING;
        allot__handle_open(service);
        if (uv_queue_work(service->loop, &it->work, build_work, built) == 0)
            return;
        allot__reload_give_up(it);
        allot__handle_closed(service);
    }
    allot__reload_answer(it, NULL);
    allot__reload_drop_culprit(it);
    if (it->waiting || it->text)
        allot__reload_soon(it);
}

int allot__reload_ask(allot__reload *reload, const char *instead, allot__reply *reply)
{
    allot_engine *engine = reload->service->engine;
    char *copy = instead ? allot__copy(engine, instead, strlen(instead)) : NULL;
    allot__waiting *waiting = allot__new(engine, 1, sizeof *waiting);
    if (!waiting || (instead != NULL && !copy)) {
        allot__free_string(engine, copy);
        allot__free(engine, waiting, 1, sizeof *waiting);
        return ALLOT_ENOMEM;
    }
    *waiting = (allot__waiting){.reply = reply, .next = reload->waiting};
    reload->waiting = waiting;
    if (copy) {
        allot__free_string(engine, reload->promote);
        reload->promote = copy;
    }
    if (reload->phase == ALLOT__RELOAD_IDLE)
        allot__reload_begin(reload);
    return ALLOT_OK;
}

/* ---- What failed ----------------------------------------------------------------------------- */

static void pass_on(const allot_report *from, allot_report *to)
{
    for (int32_t i = 0; i < allot_report_count(from); i++)
        allot_report_add(to, allot_report_at(from, i));
}

/* The generation that decides, as an attempt that was refused. */
static int blame(allot__reload *it, int status, const allot_report *report)
{
    allot_service *service = it->service;
    allot__candidate *culprit;
    int made =
        allot__candidate_new(service->config.plan, it->instead, &service->config.limits, &culprit);
    if (made != ALLOT_OK)
        return made;
    pass_on(report, culprit->report);
    made = allot__sources_copy(&culprit->sources, &service->generation->sources);
    if (made != ALLOT_OK) {
        allot__candidate_free(culprit);
        return made;
    }
    allot__candidate_refuse(culprit, status);
    culprit->replaced = true;
    it->culprit = culprit;
    return ALLOT_OK;
}

void allot__reload_back(allot_service *service, int status, const allot_report *report)
{
    allot__reload *it = service->components.reload;
    if (!it || it->culprit || service->stopping)
        return;
    if (!service->before) {
        allot__log(service, ALLOT_LOG_ERROR,
                   "cycles go on failing, and it is not known what decided before", NULL);
        return;
    }
    /* Without memory the next cycle that fails asks once more. */
    if (blame(it, status, report) == ALLOT_OK && it->phase == ALLOT__RELOAD_IDLE)
        allot__reload_begin(it);
}

/* ---- The component --------------------------------------------------------------------------- */

/* Not before it has begun, and not once it ends. */
bool allot__reload_can(allot__request *call)
{
    const allot__reload *it = call->service->components.reload;
    bool can = it && it->open;
    if (!can)
        allot__rpc_error(call, ALLOT__RPC_UNAVAILABLE, "this service cannot reload", NULL);
    return can;
}

void allot__reload_now(allot__request *call)
{
    allot__param none[] = {{.name = NULL}};
    allot__reply *reply;
    if (!allot__reload_can(call))
        return;
    if (!allot__params_read(call, none))
        return;
    if (allot__rpc_later(call, ALLOT__ANSWER_SHORT, &reply) != ALLOT_OK)
        return;
    if (allot__reload_ask(call->service->components.reload, NULL, reply) == ALLOT_OK)
        return;
    allot__reply_no_memory(reply);
}

int allot__reload_start(allot_service *service, allot_report *report)
{
    (void)report;
    allot_engine *engine = service->engine;
    allot__reload *it = allot__new(engine, 1, sizeof *it);
    if (!it)
        return ALLOT_ENOMEM;
    it->service = service;
    it->tried.engine = engine;
    it->work.data = it;
    it->samples = service->loaded;
    service->loaded = (allot__sample_states){.count = 0};
    service->components.reload = it;
    if (allot__reload_take_start(it) != ALLOT_OK)
        return ALLOT_ENOMEM;
    if (service->config.watch != 0 &&
        allot__watch_new(engine, service->loop, touched, it, &it->watch) != ALLOT_OK)
        return ALLOT_ENOMEM;
    uv_timer_init(service->loop, &it->timer);
    it->timer.data = it;
    allot__handle_open(service);
    if (it->watch) {
        allot__handle_open(service);
        allot__reload_begin(it); /* finds all the same, and where to watch */
    }
    it->open = true;
    return ALLOT_OK;
}

static void timer_closed(uv_handle_t *handle)
{
    allot__handle_closed(((allot__reload *)handle->data)->service);
}

static void watch_closed(void *service)
{
    allot__handle_closed(service);
}

void allot__reload_stop(allot_service *service)
{
    allot__reload *it = service->components.reload;
    if (!it)
        return;
    it->open = false;
    allot__reload_answer(it, NULL);
    it->answering = it->waiting;
    it->waiting = NULL;
    allot__reload_answer(it, NULL);
    it->answering = it->handing;
    it->handing = NULL;
    allot__reload_answer(it, NULL);
    allot__reload_drop_text(it);
    if (it->timer.data)
        uv_close((uv_handle_t *)&it->timer, timer_closed);
    if (it->phase == ALLOT__RELOAD_SETTLING)
        allot__reload_give_up(it);
    if (it->watch)
        allot__watch_close(it->watch, watch_closed, service);
    it->watch = NULL;
}

void allot__reload_free(allot_service *service)
{
    allot__reload *it = service->components.reload;
    if (!it)
        return;
    allot__reload_drop_culprit(it);
    allot__sample_states_clear(&it->samples); /* while it was tried a thread had them */
    allot__reload_forget(it);
    allot__sources_free(&it->tried);
    allot__free_string(service->engine, it->instead);
    allot__free_string(service->engine, it->promote);
    allot__free(service->engine, it, 1, sizeof *it);
    service->components.reload = NULL;
}

void allot__reload_cycle(allot_service *service, const allot__cycle_done *done)
{
    allot__reload *it = service->components.reload;
    /* While they are tried they stay as they are. A candidate computes all anew. */
    if (it && it->phase != ALLOT__RELOAD_REHEARSING)
        allot__sample_states_add(&it->samples, service->books, done->cycle, service->tally.full_us);
}
