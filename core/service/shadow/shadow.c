/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* shadow.c: when the shadow decides, and its life. */
#include "service/shadow/shadow.h"

#include <string.h>

#include "base/memory.h"

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
        allot__text_member(out, "result", "shadowing");
        allot__text_member(out, "plan", it->plan);
        allot__text_member(out, "policy", it->policy);
        allot__text_puts(out, "}");
        allot__rpc_end(call);
    }
    allot__reply_end(reply);
}

void allot__shadow_end(allot__shadow *it)
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

int allot__shadow_begin(allot__shadow *it, const char *plan, const char *policy,
                        allot__reply *reply)
{
    allot_engine *engine = it->service->engine;
    char *plan_copy = plan ? allot__copy(engine, plan, strlen(plan)) : NULL;
    char *policy_copy = policy ? allot__copy(engine, policy, strlen(policy)) : NULL;
    if ((plan != NULL && !plan_copy) || (policy != NULL && !policy_copy)) {
        allot__free_string(engine, plan_copy);
        allot__free_string(engine, policy_copy);
        return ALLOT_ENOMEM;
    }
    allot__shadow_end(it);
    it->plan = plan_copy;
    it->policy = policy_copy;
    it->reply = reply;
    it->failures = it->cycles = it->differ = it->skipped = it->failed = 0;
    memset(it->kinds, 0, sizeof it->kinds);
    it->last = (allot__shadow_found){.cycle = 0};
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
    const allot__shadow_found *found = &it->pair->found;
    it->cycles++;
    it->failures = 0;
    it->shadow_us = found->shadow_us;
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
    it->pair->found = (allot__shadow_found){.cycle = done->cycle, .now = done->now};
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
        allot__shadow_end(service->components.shadow);
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
        allot__shadow_end(it);
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
