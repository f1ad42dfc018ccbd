/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* step.c: a candidate is tried, step by step, and takes over or is refused. */
#include "service/reload/reload.h"

#include <string.h>

#include "base/memory.h"

static void next_step(allot__reload *it);

/* ---- What goes ------------------------------------------------------------------------------- */

/* The memory of a large plan, and of states with many things, takes a while to give back. */
typedef struct leaving {
    uv_work_t work;
    allot_service *service;
    allot__generation *generation;
    allot__sample_states samples; /* of its plan */
} leaving;

static void free_work(uv_work_t *work)
{
    leaving *it = work->data;
    allot__sample_states_clear(&it->samples);
    allot__generation_free(it->generation);
}

static void freed(uv_work_t *work, int canceled)
{
    leaving *it = work->data;
    allot_service *service = it->service;
    if (canceled)
        free_work(work);
    allot__free(service->engine, it, 1, sizeof *it);
    allot__handle_closed(service);
}

static void let_go(allot_service *service, allot__generation *generation,
                   allot__sample_states *samples)
{
    leaving *it = generation ? allot__new(service->engine, 1, sizeof *it) : NULL;
    if (it) {
        *it = (leaving){.service = service, .generation = generation, .samples = *samples};
        it->work.data = it;
        allot__handle_open(service);
        if (uv_queue_work(service->loop, &it->work, free_work, freed) == 0) {
            samples->count = 0;
            return;
        }
        allot__free(service->engine, it, 1, sizeof *it);
        allot__handle_closed(service);
    }
    allot__sample_states_clear(samples);
    allot__generation_free(generation);
}

/* What was made, and copies under its plan. */
static void drop_made(allot__reload *it)
{
    let_go(it->service, it->candidate->generation, &it->trial);
    it->candidate->generation = NULL;
}

/* ---- What an attempt came to ----------------------------------------------------------------- */

void allot__reload_finish(allot__reload *it)
{
    allot__candidate *candidate = it->candidate;
    allot__reload_log(it, candidate);
    allot__reload_answer(it, candidate);
    it->candidate = NULL;
    it->phase = ALLOT__RELOAD_IDLE;
    if (candidate != it->failed)
        allot__candidate_free(candidate);
    if (it->waiting || it->text || it->culprit)
        allot__reload_begin(it);
    else if (it->again || it->changes != it->looked_at)
        allot__reload_soon(it);
}

/* Files that are refused ail the service until they are mended; of a plan that was handed in
 * nothing is left. */
void allot__reload_refuse(allot__reload *it, int status)
{
    drop_made(it);
    allot__candidate_refuse(it->candidate, status);
    it->refused++;
    if (it->candidate->back) {
        allot__reload_drop_culprit(it);
    } else if (!it->candidate->text) {
        it->candidate->replaced = it->failed != NULL && it->failed->replaced;
        allot__reload_forget(it);
        allot__reload_tried(it, it->candidate);
        it->failed = it->candidate;
        it->failed_at = allot__service_now(it->service);
    }
    allot__reload_finish(it);
}

static void set_instead(allot__reload *it, const char *instead)
{
    allot_engine *engine = it->service->engine;
    allot__free_string(engine, it->instead);
    it->instead = instead ? allot__copy(engine, instead, strlen(instead)) : NULL;
}

void allot__reload_adopt(allot__reload *it)
{
    allot_service *service = it->service;
    allot__candidate *candidate = it->candidate;
    allot__generation *generation = candidate->generation, *old;
    uint64_t began = uv_hrtime();
    int status =
        it->service->up->swap(service, generation, candidate->ids, candidate->report, &old);
    if (status != ALLOT_OK) {
        allot__reload_undo(it, status);
        return;
    }
    it->swap_us = (int64_t)((uv_hrtime() - began) / 1000);
    it->rehearsed = candidate->tried;
    allot__plan_texts_free(service->before);
    service->before = !candidate->back ? allot__plan_texts_hold(old->texts) : NULL;
    allot__sample_states samples = it->samples; /* of the plan that goes */
    let_go(service, old, &samples);
    candidate->generation = NULL;
    generation->loud = true;
    it->samples = it->trial;
    it->samples.taken = samples.taken;
    it->samples.next = samples.next;
    it->trial = (allot__sample_states){.count = 0};
    set_instead(it, generation->texts->instead);
    if (candidate->back) {
        allot__reload_went_back(it);
    } else {
        allot__reload_arm(it);
        allot__reload_forget(it);
        allot__reload_tried(it, candidate);
        allot__reload_drop_culprit(it);
    }
    it->swapped++;
    it->changed_at = allot__service_now(service);
    uv_update_time(service->loop);
    it->took_us = (int64_t)(uv_now(service->loop) - it->began) * 1000;
    allot__reload_finish(it);
}

/* Files have changed since they were read: what came of them counts for nothing. */
static void begin_anew(allot__reload *it)
{
    it->first = it->began;
    allot__reload_give_up(it);
    allot__reload_soon(it);
}

void allot__reload_conclude(allot__reload *it, int status)
{
    uint64_t now = uv_now(it->service->loop);
    bool patient = !it->answering && now < it->began + ALLOT__RELOAD_MOST;
    if (patient && it->changes != it->looked_at) {
        begin_anew(it);
    } else if (patient && now < it->last + ALLOT__RELOAD_QUIET) {
        it->phase = ALLOT__RELOAD_SETTLING;
        it->verdict = status;
        allot__reload_soon(it);
    } else if (status != ALLOT_OK) {
        allot__reload_refuse(it, status);
    } else if (it->candidate->text) {
        allot__reload_write(it);
    } else {
        allot__reload_adopt(it);
    }
}

/* ---- Rehearsal ------------------------------------------------------------------------------- */

/* On a thread, of which all that it touches is until it is done. */
static void try_work(uv_work_t *work)
{
    allot__reload *it = work->data;
    bool strict = it->lent != NULL;
    const allot_state *from = strict ? it->lent : it->samples.items[it->step - 1].state;
    it->status = allot__candidate_copy(it->candidate, from, strict, &it->state);
    if (it->status == ALLOT_OK && it->state)
        it->status = allot__candidate_try(it->candidate, it->state, it->live_us);
    allot_state_free(it->lent);
    it->lent = NULL;
}

static void keep_trial(allot__reload *it)
{
    allot__sample_state *sample = &it->trial.items[it->trial.count];
    *sample = it->samples.items[it->step - 1];
    sample->state = it->state;
    it->trial.count++;
}

void allot__reload_give_up(allot__reload *it)
{
    drop_made(it);
    allot__candidate_free(it->candidate);
    it->candidate = NULL;
    it->phase = ALLOT__RELOAD_IDLE;
}

static void tried(uv_work_t *work, int canceled)
{
    allot__reload *it = work->data;
    allot_service *service = it->service;
    bool keeps =
        !canceled && it->status == ALLOT_OK && it->state && it->step > 0 && !service->stopping;
    if (keeps)
        keep_trial(it);
    else
        allot_state_free(it->state);
    it->state = NULL;
    if (canceled || service->stopping)
        allot__reload_give_up(it);
    else if (it->status != ALLOT_OK)
        allot__reload_conclude(it, it->status);
    else
        next_step(it);
    allot__handle_closed(service);
}

static void begin_step(allot__reload *it)
{
    const allot__sample_states *samples = &it->samples;
    int32_t sample = it->step > 0 ? it->step - 1 : 0;
    it->live_us = sample < samples->count ? samples->items[sample].took : -1;
    allot__handle_open(it->service);
    if (uv_queue_work(it->service->loop, &it->work, try_work, tried) == 0)
        return;
    allot__handle_closed(it->service);
    allot_state_free(it->lent);
    it->lent = NULL;
    allot__reload_conclude(it, ALLOT_ENOMEM);
}

/* What is in the books, first; nothing, where events came to a state that does not fit together, or
 * where a copy takes long, which one that was recorded spares. */
static bool lend(allot__reload *it)
{
    const allot_state *state;
    allot__books *books = it->service->books;
    allot__hold_settle(it->service);
    return (it->samples.count == 0 || allot__books_few(books)) &&
           allot__books_state(books, allot__service_now(it->service), NULL, &state) == ALLOT_OK &&
           allot__books_copy(books, &it->lent) == ALLOT_OK;
}

static void next_step(allot__reload *it)
{
    it->step++;
    if (it->step == 0 && !lend(it))
        it->step++;
    bool over = it->step > 0 && uv_hrtime() > it->tried_until;
    if (it->step > it->samples.count || over)
        allot__reload_conclude(it, ALLOT_OK);
    else
        begin_step(it);
}

void allot__reload_rehearse(allot__reload *it)
{
    it->phase = ALLOT__RELOAD_REHEARSING;
    it->step = -1;
    it->tried_until = uv_hrtime() + (uint64_t)ALLOT__CANDIDATE_BUDGET * 1000000;
    next_step(it);
}
