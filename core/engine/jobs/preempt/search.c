/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* search.c: who is a candidate, and the hunt over queues' merged lists. */
#include "engine/jobs/preempt/search.h"

#include <string.h>

#include "engine/jobs/limits/resource.h"

/* AHEAD: rows are scattered jobs, so far ahead they are called for. */
enum { AHEAD = 8 };

/* ---- Who is spared --------------------------------------------------------------------------- */

uint8_t allot__prey_type(const allot__work *work, const allot__job *job)
{
    int32_t types = work->rules[0].policy->job_types;
    const allot_queue *queue = allot__queue_at(allot__queues_of(work->plan), job->queue);
    if (job->state != ALLOT_RUNNING)
        return ALLOT__INELIGIBLE_NEW;
    if (job->flags & ALLOT_JOB_FORCED)
        return ALLOT__INELIGIBLE_FORCED;
    if ((job->flags & ALLOT_JOB_EXCLUSIVE) && !(types & ALLOT_PREY_EXCLUSIVE))
        return ALLOT__INELIGIBLE_EXCLUSIVE;
    bool backfill = (types & ALLOT_PREY_BACKFILL) && queue->preemptable;
    return (job->flags & ALLOT_JOB_BACKFILL) && !backfill ? ALLOT__INELIGIBLE_BACKFILL
                                                          : ALLOT__ELIGIBLE;
}

static int run_guard(allot__prey *prey, const allot__guard *guard, uint8_t mark)
{
    allot__rowset *rows = &prey->rows.of.rows;
    if (guard->min <= 1 && guard->max >= ALLOT_AMOUNT_MAX &&
        allot__job_unprotected(prey->work->plan, guard->value))
        return ALLOT_OK; /* of nobody it is spent */
    int status = allot__rowset_prepare(rows, guard->value);
    if (status == ALLOT_OK)
        allot__rowset_guard(rows, guard, mark, prey->rows.jobs, prey->spared);
    return status;
}

/* The most that is free once a job is gone: with an exclusive one all of its hosts. */
static int64_t gives(const allot__prey *prey, const allot__job *job)
{
    const allot__jobs *jobs = prey->work->state->jobs;
    const allot__job_place *all = jobs->places.items;
    bool exclusive = (job->flags & ALLOT_JOB_EXCLUSIVE) != 0;
    int64_t slots = 0;
    for (int32_t i = 0; i < job->place_count; i++) {
        int32_t host = allot__room_host(prey->room, all[job->place + i].site);
        int64_t whole = exclusive && host >= 0 ? prey->room->slots[host] : 0;
        slots += whole > all[job->place + i].slots ? whole : all[job->place + i].slots;
    }
    for (int32_t i = 0; i < job->grown_count; i++)
        slots += all[job->grown + i].slots;
    return slots;
}

static void count_slots(allot__prey *prey)
{
    const allot__jobs *jobs = prey->work->state->jobs;
    for (int32_t row = 0; row < prey->rows.count; row++) {
        int32_t number = prey->rows.jobs[row];
        if (row + AHEAD < prey->rows.count)
            __builtin_prefetch(&allot__job_at(jobs, prey->rows.jobs[row + AHEAD])->queue);
        const allot__job *job = allot__job_at(jobs, number);
        int64_t slots = gives(prey, job);
        if (prey->spared[number] == ALLOT__ELIGIBLE) {
            int64_t *most = &prey->most_left[job->queue];
            *most = slots > *most ? slots : *most;
            prey->slots_left[job->queue] += slots;
            allot__prey_help(prey, number, 1);
        }
        prey->slots_sheltered[job->queue] +=
            prey->spared[number] >= ALLOT__INELIGIBLE_GUARD ? slots : 0;
    }
}

static int take_room(allot__prey *prey)
{
    size_t queues = (size_t)allot__queue_count(prey->work->plan);
    size_t jobs = prey->work->state->jobs->list.count, bounds = prey->bounds->list.count;
    const allot__wanted all[] = {
        ALLOT__WANTED(prey->spared, jobs),
        ALLOT__WANTED(prey->gone, jobs),
        ALLOT__WANTED(prey->slots_left, queues),
        ALLOT__WANTED(prey->slots_sheltered, queues),
        ALLOT__WANTED(prey->most_left, queues),
        ALLOT__WANTED(prey->reach, queues),
        ALLOT__WANTED(prey->reach_at, queues),
        ALLOT__WANTED(prey->stamp, (size_t)prey->room->count),
        ALLOT__WANTED(prey->helps, bounds),
    };
    int status = allot__zeroed_all(prey->work, all, sizeof all / sizeof *all);
    prey->help_count = (int32_t)bounds;
    for (size_t i = 0; status == ALLOT_OK && i < queues; i++)
        prey->reach_at[i] = -1;
    return status;
}

int allot__prey_make(const allot__work *work, allot__room *room, allot__bounds *bounds,
                     allot__prey *out)
{
    *out = (allot__prey){.work = work, .room = room, .bounds = bounds};
    int status = take_room(out);
    for (size_t i = 0; i < work->state->jobs->list.count && status == ALLOT_OK; i++)
        out->spared[i] = allot__prey_type(work, allot__job_at(work->state->jobs, (int32_t)i));
    if (status == ALLOT_OK)
        status = allot__prey_rows_make(work, room, out->spared, &out->rows);
    out->chosen = allot__arena_take(work->arena, (size_t)out->rows.count + 1, sizeof *out->chosen);
    if (status != ALLOT_OK || !out->chosen)
        return ALLOT_ENOMEM;
    const allot__vector *guards = &work->rules[0].policy->guards;
    for (size_t i = 0; i < guards->count && status == ALLOT_OK; i++) {
        status = run_guard(out, (const allot__guard *)guards->items + i,
                           (uint8_t)(ALLOT__INELIGIBLE_GUARD + i));
    }
    if (status == ALLOT_OK)
        status = allot__prey_rows_read(&out->rows);
    count_slots(out);
    return status;
}

void allot__prey_spare(allot__prey *prey, int32_t job, uint8_t why)
{
    if (prey->spared[job] == ALLOT__ELIGIBLE) {
        const allot__job *it = allot__job_at(prey->work->state->jobs, job);
        int64_t slots = gives(prey, it);
        prey->slots_left[it->queue] -= slots;
        prey->spent += slots;
        allot__prey_help(prey, job, -1);
        prey->spared[job] = why;
    }
}

void allot__prey_unspare(allot__prey *prey, int32_t job)
{
    const allot__job *it = allot__job_at(prey->work->state->jobs, job);
    if (it->state != ALLOT_RUNNING || prey->spared[job] != ALLOT__INELIGIBLE_TAKEN)
        return;
    prey->spared[job] = ALLOT__ELIGIBLE;
    prey->slots_left[it->queue] += gives(prey, it);
    allot__prey_help(prey, job, 1);
    for (int32_t i = 0; i < allot__queue_count(prey->work->plan); i++)
        prey->reach_at[i] = -1;
    allot__prey_rows_again(&prey->rows, it->queue);
}

/* ---- A hunt ---------------------------------------------------------------------------------- */

static int64_t wanting(int64_t lack)
{
    return lack > 0 ? lack : 0;
}

/* Takes a job where it makes room; else all is as before. */
static void try_one(allot__chase *chase, int32_t job)
{
    int64_t lack = wanting(chase->fit.lack);
    int64_t over = chase->fit.over;
    allot__chase_take(chase, job);
    if (wanting(chase->fit.lack) >= lack && chase->fit.over >= over)
        allot__chase_leave(chase, chase->count - 1);
}

/* Rules 2 and 3. */
static int merge_down(allot__chase *chase)
{
    allot__prey *prey = chase->prey;
    allot__prey_list *list = allot__chase_list(chase);
    if (!list)
        return ALLOT_ENOMEM;
    bool limits = prey->bounds->class_of != NULL || prey->bounds->resources;
    for (int32_t place = allot__prey_list_seek(&prey->rows, list, 0);
         place >= 0 && !allot__fits(&chase->fit);
         place = allot__prey_list_seek(&prey->rows, list, place + 1)) {
        int32_t job = allot__prey_list_job(&prey->rows, list, place);
        if (!allot__prey_may(chase, job))
            allot__prey_list_drop(list, place);
        else if (prey->gone[job])
            continue;
        else if (allot__fit_shares(&chase->fit, job) || allot__fit_helps(&chase->fit, job))
            try_one(chase, job);
        else if (!limits && !chase->fit.resumes)
            allot__prey_list_drop(list, place);
    }
    return ALLOT_OK;
}

static int pursue(allot__chase *chase)
{
    int status = ALLOT_OK;
    bool together = false;
    allot_fewest fewest = chase->prey->work->rules[0].policy->fewest;
    if (fewest == ALLOT_OPTIMAL_MINI_JOB && allot__chase_fewest(chase, &status))
        return ALLOT_OK;
    bool whole = chase->fit.exclusive && !chase->fit.resumes;
    bool own = chase->fit.resumes && chase->fit.over <= 0 && !chase->fit.whole;
    if (status == ALLOT_OK && whole)
        status = allot__chase_whole_hosts(chase);
    else if (status == ALLOT_OK && own)
        status = allot__chase_own_hosts(chase, false);
    if (status == ALLOT_OK && !own && !(whole && chase->fit.lack > 0))
        status = merge_down(chase);
    if (status == ALLOT_OK && !allot__fits(&chase->fit)) {
        status = own ? allot__chase_own_hosts(chase, true) : allot__chase_together(chase);
        together = true;
    }
    if (status == ALLOT_OK && (together || fewest != ALLOT_ONE_BY_ONE) && allot__fits(&chase->fit))
        allot__chase_spare(chase);
    return status;
}

/* ---- Its end --------------------------------------------------------------------------------- */

static void tell_why(const allot__chase *chase, allot__hunt *hunt)
{
    allot__prey *prey = chase->prey;
    const allot__fit *fit = &chase->fit;
    int32_t high = fit->job->queue;
    int64_t reach = allot__prey_reach(prey, high);
    int64_t sheltered = allot__sum_below(prey->work->plan->relation, high, prey->slots_sheltered);
    hunt->binding = fit->over > 0 ? allot__fit_binding(fit) : -1;
    if (fit->over > 0 && hunt->binding < 0) {
        hunt->why = ALLOT_PEND_RESOURCE;
        allot__resources_allow(fit->bounds->resources, fit->number, &hunt->binding);
    } else if (fit->over > 0) {
        hunt->why = ALLOT_PEND_LIMIT;
    } else if (fit->lack <= 0) {
        hunt->why = ALLOT_PEND_NOT;
    } else if (fit->exclusive && !fit->resumes) {
        hunt->why = ALLOT_PEND_EXCLUSIVE;
    } else {
        hunt->above = reach > 0 ? ALLOT_PEND_FEW : ALLOT_PEND_SLOTS;
        hunt->most = sheltered > 0 ? fit->job->slots - chase->lack + reach + sheltered : 0;
        hunt->why = hunt->most >= fit->job->slots ? ALLOT_PEND_PROTECTED : hunt->above;
    }
}

void allot__chase_begin(allot__prey *prey, int32_t job, allot__chase *out)
{
    *out = (allot__chase){.prey = prey};
    allot__room_view(prey->room, allot__job_at(prey->work->state->jobs, job)->queue);
    allot__fit_begin(prey->room, prey->bounds, job, prey->stamp, &out->fit);
    out->lack = out->fit.lack;
}

void allot__chase_end(allot__chase *chase, int64_t gains, int64_t changes, allot__hunt *hunt)
{
    allot__prey *prey = chase->prey;
    const allot__fit *fit = &chase->fit;
    bool alike = chase->tried && fit->over <= 0 && !fit->whole && !fit->exclusive;
    *hunt = (allot__hunt){.job = hunt->job, .victims = prey->chosen, .binding = -1};
    hunt->least = fit->job->slots - (alike ? fit->lack - 1 : 0);
    hunt->most = INT64_MAX;
    if (allot__fits(&chase->fit))
        hunt->count = chase->count;
    else
        tell_why(chase, hunt);
    while (chase->count > 0)
        allot__chase_leave(chase, chase->count - 1);
    for (int32_t i = 0; i < hunt->count; i++) {
        hunt->held =
            hunt->held || allot__job_at(prey->work->state->jobs, hunt->victims[i])->notifying;
    }
    prey->room->gains = gains;
    prey->room->changes = changes;
}

int allot__prey_hunt(allot__prey *prey, allot__hunt *hunt)
{
    allot__chase chase;
    allot__chase_begin(prey, hunt->job, &chase);
    int64_t gains = prey->room->gains;
    int64_t changes = prey->room->changes;
    bool barred = allot__barred_by_type(prey->work, chase.fit.job);
    int status = ALLOT_OK;
    if (!barred && !allot__fits(&chase.fit) && !allot__prey_hopeless(&chase)) {
        status = pursue(&chase);
        chase.tried = true;
    }
    allot__chase_end(&chase, gains, changes, hunt);
    return status;
}
