/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reload.c: when an attempt is made, for which calls, and with which inputs. */
#include "service/reload/reload.h"

#include <string.h>

#include "base/memory.h"

/* ---- When ------------------------------------------------------------------------------------ */

static void on_time(uv_timer_t *timer)
{
    allot__reload *it = ((allot_service *)timer->data)->components.reload;
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

/* A late notice may be about the change being tried: the attempt is not restarted for it, but a new
 * one follows. */
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

/* For a plan by call, called only once that plan decides. */
void allot__reload_arm(allot__reload *it)
{
    const allot__candidate *candidate = it->candidate;
    if (it->service->config.watch != 0 && candidate->sources.count > 0 &&
        allot__watch_set(&it->watch, &candidate->paths, &candidate->sources))
        it->again = true;
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* A promoted policy replaces that of the plan under which it was promoted. */
static const char *instead_of(const allot__reload *it)
{
    const allot__plan_texts *live = it->service->generation->texts;
    if (it->culprit ||
        (it->text && (it->len != live->len || memcmp(it->text, live->text, it->len) != 0)))
        return NULL;
    return it->promote && !it->text ? it->promote : live->instead;
}

static int make_candidate(allot__reload *it)
{
    allot_service *service = it->service;
    allot__candidate *candidate;
    int status = allot__candidate_new(service->config.plan, instead_of(it), &service->config.limits,
                                      &candidate);
    if (status != ALLOT_OK)
        return status;
    candidate->live = service->generation;
    candidate->cycle_limit = service->config.cycle_limit;
    candidate->trusted = &service->generation->sources;
    candidate->before = it->failed ? &it->failed->sources : NULL;
    if (it->culprit)
        candidate->back = service->before;
    else if (it->text)
        status = allot__candidate_text(candidate, it->text, it->len);
    candidate->forced = it->culprit || it->text || it->promote || (it->failed && it->answering);
    candidate->lasting = !it->promote && !it->text;
    if (status == ALLOT_OK)
        it->candidate = candidate;
    else
        allot__candidate_free(candidate);
    return status;
}

static void drop_text(allot__reload *it)
{
    allot__free(it->service->engine, it->text, it->len + 1, 1);
    it->text = NULL;
    it->len = 0;
}

/* The caller of `plan` waits only for its own attempt, other callers for one with the files; an
 * attempt to fall back answers no call. */
static void take_askers(allot__reload *it)
{
    allot__reply **from = it->text ? &it->handing : &it->waiting;
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
        drop_text(it);
        return;
    }
    allot__free_string(it->service->engine, it->promote);
    it->promote = NULL;
}

void allot__reload_begin(allot__reload *it)
{
    it->began = it->first != 0 ? it->first : uv_now(it->service->loop);
    it->first = 0;
    it->looked_at = it->changes;
    it->again = false;
    take_askers(it);
    int status = make_candidate(it);
    take_question(it);
    if (status == ALLOT_OK) {
        allot__reload_build(it);
        return;
    }
    allot__reload_answer(it, NULL);
    allot__candidate_free(it->culprit);
    it->culprit = NULL;
    if (it->waiting || it->text)
        allot__reload_soon(it);
}

/* ---- Falling back ---------------------------------------------------------------------------- */

void allot__reload_fail(allot__reload *it, allot__candidate *failed)
{
    allot__candidate_free(it->failed);
    it->failed = failed;
    if (failed)
        it->failed_at = allot__service_now(it->service);
}

/* Makes the live generation a refused attempt. */
static int blame(allot__reload *it, int status, const allot_report *report)
{
    allot_service *service = it->service;
    const allot__generation *live = service->generation;
    allot__candidate *culprit;
    int made = allot__candidate_new(service->config.plan, live->texts->instead,
                                    &service->config.limits, &culprit);
    if (made != ALLOT_OK)
        return made;
    for (int32_t i = 0; i < allot_report_count(report); i++)
        allot_report_add(culprit->report, allot_report_at(report, i));
    made = allot__sources_copy(&culprit->sources, &live->sources);
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
    if (it->culprit || service->stopping)
        return;
    if (!service->before) {
        allot__log(service, ALLOT_LOG_ERROR,
                   "cycles go on failing, and it is not known what decided before", NULL);
        return;
    }
    /* Without memory the next failures try again. */
    if (blame(it, status, report) == ALLOT_OK && it->phase == ALLOT__RELOAD_IDLE)
        allot__reload_begin(it);
}

static void take_refused(allot__reload *it)
{
    allot_service *service = it->service;
    if (!service->refused)
        return;
    allot__reload_fail(it, service->refused);
    service->refused = NULL;
    it->refused++;
    allot__log(service, ALLOT_LOG_ERROR,
               "plan and policies on disk are refused: what decided last goes on deciding", NULL);
    allot__log_report(service, it->failed->report);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

int allot__reload_ask(allot__reload *reload, const char *instead, allot__reply *reply)
{
    allot_engine *engine = reload->service->engine;
    char *copy = instead ? allot__copy(engine, instead, strlen(instead)) : NULL;
    if (instead && !copy)
        return ALLOT_ENOMEM;
    reply->next = reload->waiting;
    reload->waiting = reply;
    if (copy) {
        allot__free_string(engine, reload->promote);
        reload->promote = copy;
    }
    if (reload->phase == ALLOT__RELOAD_IDLE)
        allot__reload_begin(reload);
    return ALLOT_OK;
}

/* Whether attempts are possible: not before the start, nor during the end. */
static bool can(allot__request *call)
{
    bool open = call->service->components.reload->open;
    if (!open)
        allot__rpc_error(call, ALLOT__RPC_UNAVAILABLE, "this service cannot reload", NULL);
    return open;
}

void allot__reload_now(allot__request *call)
{
    allot__param none[] = {{.name = NULL}};
    allot__reply *reply;
    if (can(call) && allot__params_read(call, none) &&
        allot__rpc_later(call, ALLOT__ANSWER_SHORT, &reply) == ALLOT_OK &&
        allot__reload_ask(call->service->components.reload, NULL, reply) != ALLOT_OK)
        allot__reply_no_memory(reply);
}

static int hand_in(allot__reload *it, const char *text, allot__reply *reply)
{
    it->len = strlen(text);
    it->text = allot__copy(it->service->engine, text, it->len);
    if (!it->text)
        return ALLOT_ENOMEM;
    it->handing = reply;
    if (it->phase == ALLOT__RELOAD_IDLE)
        allot__reload_begin(it);
    return ALLOT_OK;
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
    allot__param params[] = {{.name = "text", .kind = ALLOT_JSON_TEXT}, {0}};
    allot__reload *it = call->service->components.reload;
    allot__reply *reply;
    if (!allot__params_read(call, params))
        return;
    if (!params[0].given)
        answer_plan(call);
    else if (can(call) && it->text)
        allot__rpc_error(call, ALLOT__RPC_BUSY, "another plan was handed in and waits", NULL);
    else if (it->open && allot__rpc_later(call, ALLOT__ANSWER_SHORT, &reply) == ALLOT_OK &&
             hand_in(it, params[0].text, reply) != ALLOT_OK)
        allot__reply_no_memory(reply);
    allot__params_free(call, params);
}

/* ---- The component --------------------------------------------------------------------------- */

int allot__reload_start(allot_service *service, allot_report *report)
{
    allot__reload *it = service->components.reload;
    (void)report;
    it->service = service;
    it->watch = (allot__watch){.service = service, .touched = touched, .ud = it};
    it->samples = service->loaded;
    service->loaded = (allot__sample_states){.count = 0};
    uv_timer_init(service->loop, &it->timer);
    it->timer.data = service;
    allot__handle_open(service);
    take_refused(it);
    it->open = true;
    if (service->config.watch != 0)
        allot__reload_begin(it); /* finds the files the same, and what to watch */
    return ALLOT_OK;
}

void allot__reload_stop(allot_service *service)
{
    allot__reload *it = service->components.reload;
    if (!it->open)
        return;
    it->open = false;
    allot__reload_answer(it, NULL);
    it->answering = it->waiting;
    it->waiting = NULL;
    allot__reload_answer(it, NULL);
    it->answering = it->handing;
    it->handing = NULL;
    allot__reload_answer(it, NULL);
    drop_text(it);
    allot__handle_close(&it->timer);
    if (it->phase == ALLOT__RELOAD_SETTLING)
        allot__reload_give_up(it);
    allot__watch_end(&it->watch);
}

void allot__reload_free(allot_service *service)
{
    allot__reload *it = service->components.reload;
    allot__candidate_free(it->culprit);
    allot__candidate_free(it->failed);
    allot__sample_states_clear(&it->samples); /* a thread used them during the trial */
    allot__free_string(service->engine, it->promote);
}

void allot__reload_cycle(allot_service *service, const allot__cycle_done *done)
{
    allot__reload *it = service->components.reload;
    /* During a trial the samples do not change. A candidate always makes a full pass. */
    if (it->phase != ALLOT__RELOAD_REHEARSING)
        allot__sample_states_add(&it->samples, service->books, done->cycle, service->tally.full_us);
}
