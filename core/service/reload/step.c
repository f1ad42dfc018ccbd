/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* step.c: builds and tries a candidate, step by step; adopts or refuses it. */
#include "service/reload/reload.h"

#include <string.h>

#include "base/memory.h"

/* ---- Freeing --------------------------------------------------------------------------------- */

/* Freeing a large plan, and states with many things, takes a while, so a thread does it. */
typedef struct leaving {
    allot__work work;
    allot_engine *engine; /* the service's */
    allot__generation *generation;
    allot__sample_states samples; /* of the leaving plan */
} leaving;

static void free_work(void *ud)
{
    leaving *it = ud;
    allot__sample_states_clear(&it->samples);
    allot__generation_free(it->generation);
}

static void freed(void *ud)
{
    leaving *it = ud;
    allot__free(it->engine, it, 1, sizeof *it);
}

void allot__reload_let_go(allot_service *service, allot__generation *generation,
                          allot__sample_states *samples)
{
    leaving *it = generation ? allot__new(service->engine, 1, sizeof *it) : NULL;
    if (it) {
        it->engine = service->engine;
        it->generation = generation;
        it->samples = *samples;
        samples->count = 0;
        allot__work_begin(service, &it->work, free_work, freed, it);
        return;
    }
    allot__sample_states_clear(samples);
    allot__generation_free(generation);
}

/* Frees the candidate, and the copies under its plan. */
static void drop_made(allot__reload *it)
{
    allot__reload_let_go(it->service, it->candidate->generation, &it->trial);
    it->candidate->generation = NULL;
}

/* ---- Results of an attempt ------------------------------------------------------------------- */

void allot__reload_give_up(allot__reload *it)
{
    drop_made(it);
    allot__candidate_free(it->candidate);
    it->candidate = NULL;
    it->phase = ALLOT__RELOAD_IDLE;
}

void allot__reload_finish(allot__reload *it)
{
    allot__candidate *candidate = it->candidate;
    if (candidate->dry)
        drop_made(it);
    else
        allot__reload_log(it, candidate);
    allot__reload_answer(it, candidate);
    it->candidate = NULL;
    it->phase = ALLOT__RELOAD_IDLE;
    if (candidate != it->failed && candidate != it->held)
        allot__candidate_free(candidate);
    allot__reload_next(it);
}

void allot__reload_next(allot__reload *it)
{
    if (it->waiting || it->order.reply || it->culprit || it->wanted)
        allot__reload_begin(it);
    else if (it->again || it->changes != it->looked_at)
        allot__reload_soon(it);
}

static void drop_culprit(allot__reload *it)
{
    allot__candidate_free(it->culprit);
    it->culprit = NULL;
}

/* Refused files are reported until they are repaired; a refused plan by call leaves nothing. */
static void refuse(allot__reload *it, int status)
{
    drop_made(it);
    allot__candidate *candidate = it->candidate;
    allot__candidate_refuse(candidate, status);
    it->refused += !candidate->dry;
    if (candidate->back && !candidate->own) {
        drop_culprit(it);
    } else if (!candidate->text && !candidate->store && !candidate->dry) {
        if (it->held && !it->held->text)
            allot__guard_end(it);
        candidate->replaced = it->failed && it->failed->replaced;
        allot__reload_fail(it, candidate);
    }
    allot__reload_finish(it);
}

static void undo_work(void *ud)
{
    allot__candidate *candidate = ((allot__reload *)ud)->candidate;
    allot__plan_file_undo(&candidate->old, candidate->file, candidate->report);
}

static void undone(void *ud)
{
    allot__reload *it = ud;
    if (it->service->stopping)
        allot__reload_give_up(it);
    else
        refuse(it, it->verdict);
}

/* Refuses the candidate for a status, after restoring the plan's file. */
static void undo(allot__reload *it, int status)
{
    it->verdict = status;
    if (it->candidate->old.written)
        allot__work_begin(it->service, &it->work, undo_work, undone, it);
    else
        refuse(it, status);
}

/* The previous generation has taken over; the failure stays the files'. */
static void went_back(allot__reload *it)
{
    allot__reload_fail(it, it->culprit);
    it->culprit = NULL;
    it->fell_back++;
    allot__log(it->service, ALLOT_LOG_ERROR,
               "cycles failed: what decided before decides again, until the files are others",
               NULL);
    allot__log_report(it->service, it->failed->report);
}

/* A version of the store has taken over; the files are not tried until they change. */
static void set_aside(allot__reload *it)
{
    allot__candidate *candidate = it->candidate;
    allot__sources_free(&candidate->sources);
    candidate->sources = candidate->files;
    candidate->files.items = NULL;
    candidate->files.count = candidate->files.capacity = 0;
    candidate->aside = true;
    allot__reload_fail(it, candidate);
    drop_culprit(it);
    const allot__log_field fields[] = {{.name = "version", .number = candidate->version},
                                       {.name = NULL}};
    allot__log(it->service, ALLOT_LOG_WARNING,
               "rolled back: the files are not what decides, until they change or are reloaded",
               fields);
}

/* The candidate has passed, and its file is written: it takes over here, between two cycles. */
void allot__reload_adopt(allot__reload *it)
{
    allot_service *service = it->service;
    allot__candidate *candidate = it->candidate;
    allot__generation *generation = candidate->generation, *old;
    uint64_t began = uv_hrtime();
    int status = service->up->swap(service, generation, candidate->ids, candidate->report, &old);
    if (status != ALLOT_OK) {
        undo(it, status);
        return;
    }
    it->swap_us = (int64_t)((uv_hrtime() - began) / 1000);
    it->rehearsed = candidate->tried;
    allot__plan_texts_free(service->before);
    service->before = candidate->back ? NULL : allot__plan_texts_hold(old->texts);
    allot__sample_states samples = it->samples; /* of the old plan */
    allot__reload_let_go(service, old, &samples);
    candidate->generation = NULL;
    generation->loud = true;
    allot_report_free(it->unwanted);
    it->unwanted = NULL;
    it->samples = it->trial;
    it->samples.taken = samples.taken;
    it->samples.next = samples.next;
    it->trial = (allot__sample_states){.count = 0};
    allot__guard_end(it);
    if (candidate->own) {
        set_aside(it);
    } else if (candidate->back) {
        went_back(it);
    } else {
        allot__reload_arm(it);
        allot__reload_fail(it, NULL);
        drop_culprit(it);
    }
    it->swapped++;
    it->changed_at = allot__service_now(service);
    uv_update_time(service->loop);
    it->took_us = (int64_t)(uv_now(service->loop) - it->began) * 1000;
    allot__reload_finish(it);
}

/* ---- The plan's file ------------------------------------------------------------------------- */

/* Whether the file has another edit that does not decide yet, which must not be lost. */
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

/* ... unless a rollback set it aside. */
static bool is_aside(const allot__reload *it)
{
    const allot__text *old = &it->candidate->old.old;
    const allot__source *plan = it->failed && it->failed->aside
                                    ? allot__sources_find(&it->failed->sources, it->candidate->file)
                                    : NULL;
    return plan && plan->size == (int64_t)old->len &&
           plan->hash == allot__source_hash(old->bytes, old->len);
}

static void write_work(void *ud)
{
    allot__reload *it = ud;
    allot__candidate *candidate = it->candidate;
    it->status = allot__plan_file_read(&candidate->old, candidate->file, candidate->report);
    if (it->status == ALLOT_OK && !is_aside(it) && is_others(candidate))
        it->status = ALLOT_EUSAGE;
    if (it->status == ALLOT_OK)
        it->status = allot__plan_file_write(&candidate->old, candidate->file, candidate->text,
                                            candidate->len, candidate->report);
}

static void written(void *ud)
{
    allot__reload *it = ud;
    if (it->service->stopping)
        allot__reload_give_up(it);
    else if (it->status == ALLOT_OK)
        allot__reload_adopt(it);
    else
        undo(it, it->status);
}

void allot__reload_write(allot__reload *it)
{
    if (!it->candidate->text) {
        allot__reload_adopt(it);
        return;
    }
    it->phase = ALLOT__RELOAD_WRITING;
    allot__work_begin(it->service, &it->work, write_work, written, it);
}

/* ---- Settling -------------------------------------------------------------------------------- */

/* Files have changed since they were read: the result does not count. */
static void begin_anew(allot__reload *it)
{
    it->first = it->began;
    allot__reload_give_up(it);
    allot__reload_soon(it);
}

void allot__reload_conclude(allot__reload *it, int verdict)
{
    uint64_t now = uv_now(it->service->loop);
    bool patient = !it->answering && now < it->began + ALLOT__RELOAD_MOST;
    if (patient && it->changes != it->looked_at) {
        begin_anew(it);
    } else if (patient && now < it->last + ALLOT__RELOAD_QUIET) {
        it->phase = ALLOT__RELOAD_SETTLING;
        it->verdict = verdict;
        allot__reload_soon(it);
    } else if (verdict != ALLOT_OK) {
        refuse(it, verdict);
    } else if (it->candidate->dry) {
        allot__reload_finish(it);
    } else if (!allot__guard_holds(it)) {
        allot__reload_write(it);
    }
}

/* ---- Rehearsal ------------------------------------------------------------------------------- */

/* Runs on a thread, which owns all that it touches until it is done: the candidate decides about
 * the lent state, then about recorded ones, none of which begins after the time for them. Changed
 * policies are then checked on the lent state, or else on the last recorded one. */
static void try_work(void *ud)
{
    allot__reload *it = ud;
    const allot__sample_states *samples = &it->samples;
    uint64_t until = uv_hrtime() + (uint64_t)ALLOT__CANDIDATE_BUDGET * 1000000;
    int64_t live_us = samples->count > 0 ? samples->items[0].took : -1;
    allot_state *lent = NULL; /* under the candidate's plan */
    it->status = ALLOT_OK;
    if (it->lent)
        it->status = allot__candidate_try(it->candidate, it->lent, true, live_us, &lent);
    if (it->status == ALLOT_OK)
        it->status = allot__candidate_try_samples(it->candidate, samples, until, &it->trial);
    const allot_state *live = lent || it->trial.count == 0 ? lent : it->trial.items[0].state;
    if (it->status == ALLOT_OK && live)
        it->status = allot__candidate_check_live(it->candidate, live);
    allot_state_free(lent);
    if (it->status == ALLOT_OK && allot__guard_wants(it))
        it->status = allot__guard_compare(it, it->lent);
    allot_state_free(it->lent);
    it->lent = NULL;
}

static void tried(void *ud)
{
    allot__reload *it = ud;
    if (it->service->stopping)
        allot__reload_give_up(it);
    else
        allot__reload_conclude(it, it->status);
}

/* Lends the books' state; not an inconsistent one, nor one that takes long to copy, for which a
 * recorded one stands, unless the candidate is also compared. */
static void rehearse(allot__reload *it)
{
    const allot_state *state;
    allot__books *books = it->service->books;
    it->phase = ALLOT__RELOAD_REHEARSING;
    allot__hold_settle(it->service);
    if ((it->samples.count == 0 || allot__books_few(books) || allot__guard_wants(it)) &&
        allot__books_state(books, allot__service_now(it->service), NULL, &state) == ALLOT_OK)
        allot__books_copy(books, &it->lent); /* without memory it is not tried */
    allot__work_begin(it->service, &it->work, try_work, tried, it);
}

/* ---- Newcomers alone --------------------------------------------------------------------------
 */

/* A change that waits was made without the newcomers: it is made again, if it is in files. */
static void grow(allot__reload *it, allot__generation *old)
{
    allot__sample_states samples = it->samples; /* of the old plan */
    it->samples = (allot__sample_states){.taken = samples.taken, .next = samples.next};
    allot__reload_let_go(it->service, old, &samples);
    it->candidate->generation->loud = true;
    it->candidate->generation = NULL;
    it->again = it->again || it->held;
    allot__guard_end(it);
    allot_report_free(it->unwanted);
    it->unwanted = NULL;
}

static void grow_built(allot__reload *it)
{
    allot_service *service = it->service;
    allot__candidate *candidate = it->candidate;
    allot__generation *old;
    allot_report *newcomers = NULL;
    int status = candidate->outcome == ALLOT__MADE ? ALLOT_OK : candidate->status;
    if (status == ALLOT_OK)
        status = service->up->swap(service, candidate->generation, candidate->ids,
                                   candidate->report, &old);
    if (status == ALLOT_OK) {
        grow(it, old);
    } else {
        allot__log(service, ALLOT_LOG_ERROR, "consumers that events name cannot be added", NULL);
        allot__log_report(service, candidate->report);
        allot__newcomers_add(service->engine, candidate->newcomers, &newcomers);
    }
    allot__candidate_free(candidate);
    it->candidate = NULL;
    it->phase = ALLOT__RELOAD_IDLE;
    if (status == ALLOT_OK)
        allot__grow_end(it);
    else
        allot__grow_refuse(it, newcomers);
    if (it->phase == ALLOT__RELOAD_IDLE)
        allot__reload_next(it);
}

/* ---- Building -------------------------------------------------------------------------------- */

static void build_work(void *ud)
{
    allot__candidate_build(((allot__reload *)ud)->candidate);
}

/* Nothing new is in the files. */
static void same(allot__reload *it)
{
    bool aside = it->candidate->outcome == ALLOT__ASIDE;
    if (it->candidate->outcome == ALLOT__AS_LIVE && it->failed && !it->failed->aside)
        allot__reload_log_again(it);
    if (it->candidate->outcome == ALLOT__AS_LIVE || aside) {
        allot__reload_fail(it, aside ? it->candidate : NULL);
        if (it->held && !it->held->text)
            allot__guard_end(it);
    }
    it->same++;
}

static void built(void *ud)
{
    allot__reload *it = ud;
    const allot__candidate *candidate = it->candidate;
    if (it->service->stopping || candidate->grows) {
        if (it->service->stopping)
            allot__reload_give_up(it);
        else
            grow_built(it);
        return;
    }
    if (!candidate->text && !candidate->store && !candidate->back)
        allot__reload_arm(it);
    if (candidate->outcome == ALLOT__MADE) {
        rehearse(it);
    } else if (candidate->outcome == ALLOT__REFUSED) {
        allot__reload_conclude(it, candidate->status);
    } else {
        same(it);
        allot__reload_finish(it);
    }
}

void allot__reload_build(allot__reload *it)
{
    it->phase = ALLOT__RELOAD_BUILDING;
    allot__work_begin(it->service, &it->work, build_work, built, it);
}
