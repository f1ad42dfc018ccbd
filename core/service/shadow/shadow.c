/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* shadow.c: the shadow's life, when it decides, its methods, and its part of status and metrics. */
#include "service/shadow/shadow.h"

#include <string.h>

#include "base/memory.h"
#include "service/reload/reload.h"

enum { SHARE = 20 };

static void build(allot__shadow *it);

/* ---- Its end --------------------------------------------------------------------------------- */

static void forget_names(allot__shadow *it)
{
    allot__free_string(it->service->engine, it->plan);
    allot__free_string(it->service->engine, it->policy);
    it->plan = it->policy = NULL;
}

/* Drops the pair at once, or after the running work. */
static void drop(allot__shadow *it)
{
    it->life = ALLOT__SHADOW_NONE;
    forget_names(it);
    it->stale = it->working;
    if (it->working)
        return;
    allot__pair_free(it->pair);
    it->pair = NULL;
}

static void answer(allot__shadow *it, int status)
{
    allot__reply *reply = it->reply;
    it->reply = NULL;
    if (!reply)
        return;
    allot__request *call = &reply->call;
    if (status != ALLOT_OK) {
        allot__rpc_report(call, status, it->pair ? it->pair->report : NULL);
    } else {
        allot__text *out = allot__rpc_begin(call);
        allot__text_puts(out, "{");
        ALLOT__MEMBERS(out, "result plan policy", "shadowing", it->plan, it->policy);
        allot__text_puts(out, "}");
        allot__rpc_end(call);
    }
    allot__reply_end(reply);
}

/* Ends the shadow, and answers a waiting call with an error. */
static void end(allot__shadow *it)
{
    allot__reply *reply = it->reply;
    it->reply = NULL;
    if (reply) {
        allot__rpc_error(&reply->call, ALLOT__RPC_BUSY,
                         "the service is stopping, or something else was asked of the shadow",
                         NULL);
        allot__reply_end(reply);
    }
    drop(it);
}

/* ---- Building -------------------------------------------------------------------------------- */

static void build_work(void *ud)
{
    allot__pair_build(((allot__shadow *)ud)->pair);
}

/* Whether the work is of an ended shadow or former plan; frees it, maybe builds anew. */
static bool was_stale(allot__shadow *it)
{
    it->working = false;
    if (!it->stale && !it->service->stopping)
        return false;
    it->stale = false;
    allot__pair_free(it->pair);
    it->pair = NULL;
    if (it->life != ALLOT__SHADOW_NONE && !it->service->stopping)
        build(it);
    return true;
}

static void stop_failed(allot__shadow *it)
{
    const allot__log_field fields[] = {
        {.name = "policy", .text = it->policy ? it->policy : it->plan},
        {.name = "failures", .number = it->failures},
        {.name = NULL}};
    it->life = ALLOT__SHADOW_STOPPED;
    allot__log(it->service, ALLOT_LOG_ERROR, "shadow stopped: it fails", fields);
    allot__log_report(it->service, it->pair->report);
}

static void built(void *ud)
{
    allot__shadow *it = ud;
    if (was_stale(it))
        return;
    int status = it->pair->status;
    bool asked = it->reply != NULL;
    if (status == ALLOT_OK)
        it->life = ALLOT__SHADOW_RUNNING;
    answer(it, status);
    if (status != ALLOT_OK && asked)
        drop(it); /* the call was answered with the error */
    else if (status != ALLOT_OK)
        stop_failed(it);
    else if (asked)
        allot__log(it->service, ALLOT_LOG_INFO, "a shadow decides beside", NULL);
}

static void build(allot__shadow *it)
{
    allot_service *service = it->service;
    int status = allot__pair_new(service->generation, service->config.plan, it->plan, it->policy,
                                 &service->config.limits, &it->pair);
    if (status != ALLOT_OK) {
        answer(it, status);
        drop(it);
        return;
    }
    it->pair->cycle_limit = service->config.cycle_limit;
    it->life = ALLOT__SHADOW_BUILDING;
    it->working = true;
    allot__work_begin(service, &it->work, build_work, built, it);
}

static int begin(allot__shadow *it, const char *plan, const char *policy, allot__reply *reply)
{
    allot_engine *engine = it->service->engine;
    char *plan_copy = plan ? allot__copy(engine, plan, strlen(plan)) : NULL;
    char *policy_copy = policy ? allot__copy(engine, policy, strlen(policy)) : NULL;
    if ((plan != NULL && !plan_copy) || (policy != NULL && !policy_copy)) {
        allot__free_string(engine, plan_copy);
        allot__free_string(engine, policy_copy);
        return ALLOT_ENOMEM;
    }
    end(it);
    it->plan = plan_copy;
    it->policy = policy_copy;
    it->reply = reply;
    it->failures = it->cycles = it->differ = it->skipped = it->failed = 0;
    memset(it->kinds, 0, sizeof it->kinds);
    it->last = (allot__pair_found){.cycle = 0};
    it->since = it->service->now;
    it->next = 0;
    it->life = ALLOT__SHADOW_BUILDING;
    if (!it->working)
        build(it);
    return ALLOT_OK;
}

/* ---- Deciding -------------------------------------------------------------------------------- */

static void decide_work(void *ud)
{
    allot__pair_decide(((allot__shadow *)ud)->pair);
}

static void count(allot__shadow *it)
{
    const allot__pair_found *found = &it->pair->found;
    it->cycles++;
    it->failures = 0;
    it->shadow_us = found->other_us;
    it->live_us = found->live_us;
    for (int kind = 0; kind < ALLOT_DIFF_KINDS; kind++)
        it->kinds[kind] += found->kinds[kind];
    if (!found->differs)
        return;
    it->differ++;
    it->last = *found;
    const allot__log_field fields[] = {
        {.name = "cycle", .number = found->cycle},
        {.name = "consumers", .number = found->kinds[ALLOT_DIFF_CONSUMER]},
        {.name = NULL}};
    allot__log(it->service, it->differ == 1 ? ALLOT_LOG_INFO : ALLOT_LOG_DEBUG,
               "the shadow decides otherwise", fields);
}

static void decided(void *ud)
{
    allot__shadow *it = ud;
    if (was_stale(it))
        return;
    if (it->pair->status == ALLOT_OK) {
        count(it);
        return;
    }
    it->failed++;
    if (++it->failures >= ALLOT__SHADOW_FAILURES)
        stop_failed(it);
}

static bool copy_state(allot__shadow *it, const allot__cycle_done *done)
{
    allot_state *state = NULL;
    uint64_t began = uv_hrtime();
    int status =
        allot_state_copy(allot_decision_state(done->decision), it->pair->twin->plan, NULL, &state);
    if (status == ALLOT_OK)
        status = allot_state_seal(state, NULL);
    it->next = uv_hrtime() + (uv_hrtime() - began) * SHARE;
    if (status != ALLOT_OK) {
        allot_state_free(state);
        return false;
    }
    it->pair->state = state;
    it->pair->found = (allot__pair_found){.cycle = done->cycle, .now = done->now};
    return true;
}

void allot__shadow_cycle(allot_service *service, const allot__cycle_done *done)
{
    allot__shadow *it = service->components.shadow;
    if (it->life != ALLOT__SHADOW_RUNNING)
        return;
    if (it->working || uv_hrtime() < it->next || !copy_state(it, done)) {
        it->skipped++;
        return;
    }
    it->working = true;
    allot__work_begin(service, &it->work, decide_work, decided, it);
}

/* ---- Methods --------------------------------------------------------------------------------- */

void allot__shadow_method(allot__request *call)
{
    allot__param params[] = {{.name = "policy", .type = ALLOT_MEMBER_TEXT},
                             {.name = "plan", .type = ALLOT_MEMBER_TEXT},
                             {.name = NULL}};
    allot__error fault;
    allot__reply *reply;
    if (!allot__params_read(call, params))
        return;
    if (!params[0].given && !params[1].given) {
        allot__error_set(&fault, ALLOT_EINVALID, "E-missing", "policy", NULL,
                         "\"shadow\" wants \"policy\", \"plan\" or both");
        allot__rpc_fault(call, &fault);
    } else if (allot__rpc_later(call, ALLOT__ANSWER_SHORT, &reply) == ALLOT_OK &&
               begin(call->service->components.shadow, params[1].text, params[0].text, reply) !=
                   ALLOT_OK) {
        allot__reply_no_memory(reply);
    }
}

/* The shadow; NULL: the call was answered with an error. */
static allot__shadow *wanted(allot__request *call)
{
    allot__param none[] = {{.name = NULL}};
    allot__error fault = {.status = ALLOT_OK};
    allot__shadow *it = call->service->components.shadow;
    if (!allot__params_read(call, none))
        return NULL;
    if (it->life != ALLOT__SHADOW_NONE)
        return it;
    allot__error_set(&fault, ALLOT_ENOENT, "E-no-shadow", NULL, "the method \"shadow\" begins one",
                     "there is no shadow");
    allot__rpc_fault(call, &fault);
    return NULL;
}

void allot__shadow_drop(allot__request *call)
{
    allot__shadow *it = wanted(call);
    if (!it)
        return;
    end(it);
    allot__text *out = allot__rpc_begin(call);
    allot__text_puts(out, "{");
    allot__text_member(out, "result", "dropped");
    allot__text_puts(out, "}");
    allot__rpc_end(call);
}

void allot__shadow_promote(allot__request *call)
{
    allot__shadow *it = wanted(call);
    allot__error fault = {.status = ALLOT_OK};
    allot__reply *reply;
    if (!it)
        return;
    if (it->plan) {
        allot__error_set(&fault, ALLOT_EINVALID, "E-unsupported", NULL,
                         "put it where the service's plan is",
                         "a shadow of another plan cannot be promoted");
        allot__rpc_fault(call, &fault);
        return;
    }
    if (allot__rpc_later(call, ALLOT__ANSWER_SHORT, &reply) != ALLOT_OK)
        return;
    if (allot__reload_ask(call->service->components.reload, it->policy, reply) != ALLOT_OK)
        allot__reply_no_memory(reply);
}

/* ---- Status ---------------------------------------------------------------------------------- */

static void put_last(allot__text *out, const allot__pair_found *last)
{
    allot__text_open(out, "last", "{");
    ALLOT__MEMBERS(out, "cycle now", last->cycle, last->now);
    allot__pair_put_kinds(out, last->kinds);
    allot__pair_put_quotas(out, last, "shadow");
    allot__text_puts(out, "}");
}

void allot__shadow_status(allot_service *service, allot__text *out)
{
    static const char *const lives[] = {"none", "building", "running", "stopped"};
    const allot__shadow *it = service->components.shadow;
    if (it->life == ALLOT__SHADOW_NONE)
        return;
    allot__text_open(out, "shadow", "{");
    ALLOT__MEMBERS(out, "state plan policy since cycles differ skipped failed live_us shadow_us",
                   lives[it->life], it->plan, it->policy, it->since, it->cycles, it->differ,
                   it->skipped, it->failed, it->live_us, it->shadow_us);
    allot__pair_put_kinds(out, it->kinds);
    if (it->differ > 0)
        put_last(out, &it->last);
    if (it->failed > 0 && !it->working && it->pair && allot_report_count(it->pair->report) > 0) {
        allot__text_open(out, "error", "{");
        allot__reload_error(out, it->pair->report);
        allot__text_puts(out, "}");
    }
    allot__text_puts(out, "}");
}

/* ---- The component --------------------------------------------------------------------------- */

int allot__shadow_start(allot_service *service, allot_report *report)
{
    (void)report;
    service->components.shadow->service = service;
    return ALLOT_OK;
}

void allot__shadow_stop(allot_service *service)
{
    if (service->components.shadow->service)
        end(service->components.shadow);
}

static bool is_live(const allot__shadow *it)
{
    const char *instead = it->service->generation->texts->instead;
    return !it->plan && instead && strcmp(instead, it->policy) == 0;
}

/* Another plan is live: from now on the twin is made from it. */
void allot__shadow_swapped(allot_service *service)
{
    allot__shadow *it = service->components.shadow;
    if (it->life == ALLOT__SHADOW_NONE)
        return;
    if (is_live(it)) { /* promoted */
        end(it);
        return;
    }
    if (it->life == ALLOT__SHADOW_STOPPED)
        return;
    if (it->working) {
        it->stale = true;
        return;
    }
    allot__pair_free(it->pair);
    it->pair = NULL;
    build(it);
}
