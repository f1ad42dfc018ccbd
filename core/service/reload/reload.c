/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reload.c: when an attempt is made, for which calls, and with which inputs; its result, for the
 * log, callers, status and metrics. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "service/reload/reload.h"

/* ---- Words ----------------------------------------------------------------------------------- */

void allot__reload_error(allot__text *out, const allot_report *report)
{
    const allot_diagnostic *it = allot__first_error(report);
    if (!it)
        return;
    allot__text_member(out, "code", it->code);
    allot__text_member(out, "file", it->file);
    if (it->line > 0)
        allot__text_number(out, "line", it->line);
    if (it->col > 0)
        allot__text_number(out, "col", it->col);
    allot__text_member(out, "path", it->path);
    allot__text_member(out, "message", it->message);
    allot__text_member(out, "hint", it->hint);
    if (allot_report_total(report, ALLOT_ERROR) > 1)
        allot__text_number(out, "errors", allot_report_total(report, ALLOT_ERROR));
}

/* The policies of the groups, and the files they and others were read from. */
static void put_policies(allot__text *out, const allot__generation *generation)
{
    allot__text_open(out, "policies", "[");
    for (int32_t i = 0; i < allot_plan_groups(generation->plan); i++) {
        const allot_policy *policy = allot_plan_group_policy(generation->plan, i);
        allot__text_key(out, NULL);
        allot__text_json(out, policy ? allot_policy_name(policy) : NULL);
    }
    allot__text_puts(out, "]");
    allot__text_open(out, "files", "[");
    for (size_t i = 0; i < generation->sources.count; i++) {
        allot__text_key(out, NULL);
        allot__text_json(out, generation->sources.items[i].path);
    }
    allot__text_puts(out, "]");
}

static void put_generation(allot__text *out, const allot__generation *generation)
{
    allot__text_member(out, "plan", generation->sha256);
    put_policies(out, generation);
}

static void put_numbers(allot__text *out, const allot__candidate *candidate)
{
    allot__text_number(out, "checked", candidate->checked);
    allot__text_number(out, "rehearsed", candidate->tried);
}

/* ---- The log --------------------------------------------------------------------------------- */

static void log_swap(const allot__reload *it, const allot__candidate *candidate)
{
    const allot__generation *live = it->service->generation;
    const allot__log_field fields[] = {
        {.name = "plan", .text = live->sha256},
        {.name = "policy", .text = live->texts->instead ? live->texts->instead : "as planned"},
        {.name = "checked", .number = candidate->checked},
        {.name = "rehearsed", .number = candidate->tried},
        {.name = "build_us", .number = candidate->build_us},
        {.name = "swap_us", .number = it->swap_us},
        {.name = "took_ms", .number = it->took_us / 1000},
        {.name = NULL}};
    allot__log(it->service, ALLOT_LOG_INFO, "reloaded", fields);
}

void allot__reload_log_again(const allot__reload *it)
{
    const allot__log_field fields[] = {{.name = "plan", .text = it->service->generation->sha256},
                                       {.name = NULL}};
    allot__log(it->service, ALLOT_LOG_INFO,
               "the files are what decides again: nothing is refused any more", fields);
}

/* The first caller whose attempt it was, if any, and the plan that decides from now on. */
static void note(const allot__reload *it, const allot__candidate *candidate)
{
    allot_service *service = it->service;
    bool made = candidate->outcome == ALLOT__MADE;
    const allot__reply *asker = it->answering;
    allot__text text = {.engine = service->engine};
    allot__text_puts(&text, "{");
    allot__text_member(&text, "result",
                       !made             ? "refused"
                       : candidate->back ? "fell back"
                                         : "swapped");
    allot__text_member(&text, "asked", asker ? asker->call.method : NULL);
    allot__text_member(&text, "plan", service->generation->sha256);
    allot__text_member(&text, "policy", service->generation->texts->instead);
    if (!made)
        allot__reload_error(&text, candidate->report);
    allot__text_puts(&text, "}");
    allot__note(service, "reload", asker ? asker->call.who : NULL, &text);
}

void allot__reload_log(const allot__reload *reload, const allot__candidate *candidate)
{
    if (candidate->outcome == ALLOT__MADE || candidate->outcome == ALLOT__REFUSED)
        note(reload, candidate);
    if (candidate->outcome == ALLOT__MADE) {
        log_swap(reload, candidate);
    } else if (candidate->outcome == ALLOT__REFUSED) {
        allot__log(reload->service, ALLOT_LOG_ERROR,
                   "reload refused: what decided before goes on deciding", NULL);
        allot__log_report(reload->service, candidate->report);
    }
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void answer_one(const allot__reload *reload, const allot__candidate *candidate,
                       allot__reply *reply)
{
    allot__request *call = &reply->call;
    /* Refused, or waiting, as before. */
    bool same = candidate && candidate->outcome == ALLOT__SAME;
    const allot__candidate *held =
        same && reload->held && !reload->held->text ? reload->held : NULL;
    const allot__candidate *bad = held ? held : same ? reload->failed : candidate;
    if (candidate && candidate->dry && candidate->outcome == ALLOT__MADE) {
        allot__text_add(allot__rpc_begin(call), candidate->document.bytes, candidate->document.len);
        allot__rpc_end(call);
    } else if (bad && bad->outcome == ALLOT__GUARDED) {
        allot__text *out = allot__rpc_begin(call);
        allot__text_puts(out, "{");
        allot__text_member(out, "result", "waits");
        allot__guard_put(out, reload, bad);
        allot__text_puts(out, "}");
        allot__rpc_end(call);
    } else if (!candidate) {
        allot__rpc_error(call, ALLOT__RPC_BUSY, "the service is stopping, or has no memory", NULL);
    } else if (bad && bad->outcome == ALLOT__REFUSED) {
        call->changes = bad != candidate; /* else the reload itself was noted */
        allot__rpc_report(call, bad->status, bad->report);
    } else {
        bool swapped = candidate->outcome == ALLOT__MADE;
        call->batch = swapped ? allot__store_pending(reload->service->store) : 0;
        allot__text *out = allot__rpc_begin(call);
        allot__text_puts(out, "{");
        allot__text_member(out, "result", swapped ? "swapped" : "unchanged");
        put_generation(out, reload->service->generation);
        if (swapped)
            put_numbers(out, candidate);
        if (swapped && candidate->own)
            allot__text_number(out, "version", candidate->version);
        if (swapped && candidate->document.len > 0)
            allot__text_number(out, "reclaims", candidate->found.taken);
        allot__text_puts(out, "}");
        allot__rpc_end(call);
    }
    allot__reply_end(reply);
}

void allot__reload_answer(allot__reload *reload, const allot__candidate *candidate)
{
    while (reload->answering) {
        allot__reply *it = reload->answering;
        reload->answering = it->next;
        answer_one(reload, candidate, it);
    }
}

/* ---- Health ---------------------------------------------------------------------------------- */

bool allot__reload_ails(const allot_service *service, char *buf, size_t size)
{
    const allot__reload *it = service->components.reload;
    if (!it->failed || !it->failed->replaced)
        return false;
    const allot_diagnostic *first = allot__first_error(it->failed->report);
    int used = snprintf(buf, size, "an earlier plan or policy decides, since that on disk failed");
    if (first && used > 0 && (size_t)used < size)
        snprintf(buf + used, size - (size_t)used, "; %.200s:%d: %.300s",
                 first->file ? first->file : service->config.plan, (int)first->line,
                 first->message);
    return true;
}

/* ---- Status ---------------------------------------------------------------------------------- */

static void put_failure(allot__text *out, const allot__reload *it)
{
    allot__text_open(out, "error", "{");
    allot__text_number(out, "at", it->failed_at);
    allot__reload_error(out, it->failed->report);
    allot__text_puts(out, "}");
}

static void put_totals(allot__text *out, const allot__reload *it)
{
    allot__text_open(out, "total", "{");
    allot__text_number(out, "swapped", it->swapped);
    allot__text_number(out, "refused", it->refused);
    allot__text_number(out, "unchanged", it->same);
    allot__text_number(out, "fell_back", it->fell_back);
    allot__text_puts(out, "}");
}

void allot__reload_status(allot_service *service, allot__text *out)
{
    static const char *const phases[] = {"idle", "building", "rehearsing", "settling", "writing"};
    const allot__reload *it = service->components.reload;
    const char *instead = service->generation->texts->instead;
    allot__text_open(out, "reload", "{");
    allot__text_member(out, "phase", phases[it->phase]);
    allot__text_open(out, "active", "{");
    put_generation(out, service->generation);
    allot__text_member(out, "promoted", instead);
    if (it->changed_at != 0)
        allot__text_number(out, "since", it->changed_at);
    allot__text_puts(out, "}");
    allot__text_bool(out, "rolled_back", service->generation->texts->despite != NULL);
    if (it->failed && !it->failed->aside) {
        allot__text_bool(out, "stands_in", it->failed->replaced);
        put_failure(out, it);
    }
    allot__guard_status(out, it);
    put_totals(out, it);
    if (it->swapped > 0) {
        allot__text_number(out, "last_ms", it->took_us / 1000);
        allot__text_number(out, "last_swap_us", it->swap_us);
        allot__text_number(out, "last_rehearsed", it->rehearsed);
    }
    allot__text_number(out, "recorded", it->samples.count);
    allot__text_number(out, "watched", it->watch.folders);
    if (it->watch.lame)
        allot__text_bool(out, "polled_only", true);
    allot__text_puts(out, "}");
}

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
    const allot__reload_order *order = &it->order;
    if (it->culprit || order->rolls || (order->text && strcmp(order->text, live->text) != 0))
        return NULL;
    return it->promote && !order->reply ? it->promote : live->instead;
}

/* An attempt to fall back comes before an order. */
static int set_order(allot__reload *it, allot__candidate *candidate)
{
    const allot__reload_order *order = &it->order;
    if (it->culprit) {
        candidate->back = it->service->before;
        return ALLOT_OK;
    }
    candidate->dry = order->dry;
    candidate->version = order->version;
    candidate->store = order->rolls ? it->service->config.store : NULL;
    return order->text ? allot__candidate_text(candidate, order->text) : ALLOT_OK;
}

static int make_candidate(allot__reload *it)
{
    allot_service *service = it->service;
    const allot__reload_order *order = &it->order;
    allot__candidate *candidate;
    bool promotes = it->promote && !order->reply;
    int status = allot__candidate_new(service->config.plan, instead_of(it), &service->config.limits,
                                      &candidate);
    if (status != ALLOT_OK)
        return status;
    candidate->live = service->generation;
    candidate->cycle_limit = service->config.cycle_limit;
    candidate->trusted = &service->generation->sources;
    if (it->failed || (it->held && !it->held->text))
        candidate->before = it->failed ? &it->failed->sources : &it->held->sources;
    status = set_order(it, candidate);
    candidate->forced = it->culprit || order->text || order->rolls || order->dry || promotes ||
                        (it->failed && it->answering);
    candidate->lasting = !promotes && !order->text;
    if (status == ALLOT_OK)
        it->candidate = candidate;
    else
        allot__candidate_free(candidate);
    return status;
}

/* The caller of an order waits only for its own attempt, other callers for one with the files; an
 * attempt to fall back answers no call. */
static void take_askers(allot__reload *it)
{
    allot__reply **from = it->order.reply ? &it->order.reply : &it->waiting;
    it->answering = NULL;
    if (it->culprit)
        return;
    it->answering = *from;
    if (from == &it->waiting)
        *from = NULL;
}

void allot__reload_order_free(allot__reload *it)
{
    allot__free_string(it->service->engine, it->order.text);
    allot__free_string(it->service->engine, it->order.confirm);
    it->order = (allot__reload_order){.reply = NULL};
}

static void take_question(allot__reload *it)
{
    if (it->culprit)
        return;
    if (it->order.reply) {
        allot__reload_order_free(it);
        return;
    }
    allot__free_string(it->service->engine, it->promote);
    it->promote = NULL;
}

void allot__reload_begin(allot__reload *it)
{
    if (!it->culprit && it->wanted) {
        if (allot__grow_begin(it))
            allot__reload_build(it);
        return;
    }
    it->began = it->first != 0 ? it->first : uv_now(it->service->loop);
    it->first = 0;
    it->looked_at = it->changes;
    it->again = false;
    take_askers(it);
    if (!it->culprit && it->order.confirm) {
        allot__guard_confirm(it, it->order.confirm);
        return;
    }
    int status = make_candidate(it);
    take_question(it);
    if (status == ALLOT_OK) {
        allot__reload_build(it);
        return;
    }
    allot__reload_answer(it, NULL);
    allot__candidate_free(it->culprit);
    it->culprit = NULL;
    if (it->waiting || it->order.reply)
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
    if (service->config.watch != 0 || service->unjudged)
        allot__reload_begin(it); /* finds the files the same, and what to watch */
    return ALLOT_OK;
}

void allot__reload_stop(allot_service *service)
{
    allot__reload *it = service->components.reload;
    if (!it->open)
        return;
    it->open = false;
    allot__grow_end(it);
    allot__reply **lists[] = {&it->answering, &it->waiting, &it->order.reply};
    for (int i = 0; i < 3; i++) {
        allot__reply *all = *lists[i];
        *lists[i] = NULL;
        it->answering = all;
        allot__reload_answer(it, NULL);
    }
    allot__reload_order_free(it);
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
    allot__candidate_free(it->held);
    allot_report_free(it->wanted);
    allot_report_free(it->unwanted);
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
