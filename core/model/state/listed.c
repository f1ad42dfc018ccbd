/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* listed.c: adds, changes and ends what a state lists, one by one. */
#include <string.h>

#include <allot/stated.h>

#include "model/state/job.h"
#include "base/getter.h"
#include "model/state/state.h"

allot__things *allot__state_things(const allot_state *state, allot_item kind)
{
    const allot__things *const all[ALLOT_ITEM_LOAN] = {[ALLOT_ITEM_TASK] = &state->tasks.things,
                                                       [ALLOT_ITEM_SESSION] = &state->sessions,
                                                       [ALLOT_ITEM_JOB] = &state->all_jobs,
                                                       [ALLOT_ITEM_RECLAIM] = &state->reclaims};
    return kind >= 0 && kind < ALLOT_ITEM_LOAN ? (allot__things *)(uintptr_t)all[kind] : NULL;
}

/* The things of a kind, if the state is open. */
static allot__things *open_things(const allot_state *state, allot_item kind)
{
    return state && !state->sealed ? allot__state_things(state, kind) : NULL;
}

/* Marks columns of a kind, and what is arranged by leaf or site, to be filled anew. */
static void changed(allot_state *state, allot_item kind)
{
    state->sessions_stale = state->sessions_stale || kind == ALLOT_ITEM_SESSION;
    state->flights_stale = state->flights_stale || kind == ALLOT_ITEM_RECLAIM;
    if (kind == ALLOT_ITEM_SESSION)
        allot__tasks_change(state);
    if (kind == ALLOT_ITEM_JOB)
        allot__state_changes(state);
}

/* The same of all things of a kind. */
static void all_changed(allot_state *state, allot_item kind)
{
    changed(state, kind);
    state->jobs_stale = state->jobs_stale || kind == ALLOT_ITEM_JOB;
}

/* A task has a compact block, and moves to the end as it changes; others keep their place. */
static int put_task(allot_state *state, allot__thing *old, const void *item)
{
    int status = allot__task_put(state, item);
    if (status == ALLOT_OK && old)
        allot__task_take(state, old);
    return status;
}

static const allot__job *as_job(const allot__thing *thing)
{
    return (const allot__job *)(const void *)thing;
}

static int put_other(allot_state *state, allot_item kind, allot__thing *old, const void *item)
{
    allot__things *things = allot__state_things(state, kind);
    allot__thing *thing = NULL;
    if (allot__things_room(state->engine, things, 1) == ALLOT_OK)
        thing = kind == ALLOT_ITEM_JOB ? allot__job_make(state, item)
                                       : allot__thing_make(state->engine, kind, item);
    if (!thing)
        return ALLOT_ENOMEM;
    bool job = kind == ALLOT_ITEM_JOB;
    state->tasks.spent += job && old;
    if (job && old)
        allot__job_changed(state, old->number, as_job(old), as_job(thing));
    if (old)
        allot__things_swap(things, old, thing);
    else
        allot__things_put(things, thing, false);
    if (job && !old)
        allot__job_changed(state, thing->number, NULL, as_job(thing));
    return ALLOT_OK;
}

static int put(allot_state *state, allot_item kind, const void *item, bool replaces)
{
    allot__things *things = open_things(state, kind);
    const char *id;
    if (!things || !item)
        return ALLOT_EUSAGE;
    int status = allot__item_check(state->plan, kind, item);
    if (status != ALLOT_OK)
        return status;
    memcpy(&id, item, sizeof id); /* the first member of each */
    allot__thing *old = allot__things_find(things, id);
    if (old && !replaces)
        return ALLOT_EEXIST;
    status =
        kind == ALLOT_ITEM_TASK ? put_task(state, old, item) : put_other(state, kind, old, item);
    if (status != ALLOT_OK)
        return status;
    if (kind != ALLOT_ITEM_SESSION || old || !allot__sessions_add(state))
        changed(state, kind);
    return ALLOT_OK;
}

int allot_state_add(allot_state *state, allot_item kind, const void *item)
{
    return put(state, kind, item, false);
}

int allot_state_set(allot_state *state, allot_item kind, const void *item)
{
    return put(state, kind, item, true);
}

int allot_state_task(allot_state *state, const allot_task *task)
{
    return put(state, ALLOT_ITEM_TASK, task, false);
}

/* Checks a task as the first of `count` copies, whose ids are longer. */
static int check_copies(const allot_state *state, const allot_task *task, int32_t count)
{
    if (!open_things(state, ALLOT_ITEM_TASK) || !task || count < 0 || task->also_count > 0)
        return ALLOT_EUSAGE;
    int status = allot__item_check(state->plan, ALLOT_ITEM_TASK, task);
    return status == ALLOT_OK && strlen(task->id) > ALLOT__ID_MAX - ALLOT__COPY_DIGITS ? ALLOT_ENAME
                                                                                       : status;
}

int allot_state_task_copies(allot_state *state, const allot_task *task, int32_t count)
{
    int status = check_copies(state, task, count);
    return status == ALLOT_OK ? allot__task_put_copies(state, task, count) : status;
}

int allot_state_session(allot_state *state, const allot_session *session)
{
    return put(state, ALLOT_ITEM_SESSION, session, false);
}

int allot_state_job(allot_state *state, const allot_job *job)
{
    return put(state, ALLOT_ITEM_JOB, job, false);
}

int allot_state_in_flight(allot_state *state, const allot_in_flight *reclaim)
{
    return put(state, ALLOT_ITEM_RECLAIM, reclaim, false);
}

int allot_state_end(allot_state *state, allot_item kind, const char *id)
{
    allot__things *things = open_things(state, kind);
    if (!things || !id)
        return ALLOT_EUSAGE;
    allot__thing *thing = allot__things_find(things, id);
    if (!thing)
        return ALLOT_ENOENT;
    state->tasks.spent += kind == ALLOT_ITEM_JOB;
    if (kind == ALLOT_ITEM_JOB)
        allot__job_changed(state, thing->number, as_job(thing), NULL);
    if (kind == ALLOT_ITEM_TASK)
        allot__task_take(state, thing);
    else
        allot__things_end(things, thing);
    changed(state, kind);
    return ALLOT_OK;
}

int32_t allot_state_find(const allot_state *state, allot_item kind, const char *id)
{
    const allot__things *things = state ? allot__state_things(state, kind) : NULL;
    const allot__thing *thing = things ? allot__things_find(things, id) : NULL;
    return thing ? thing->number : -1;
}

int allot_state_get(const allot_state *state, allot_item kind, const char *id, void *out)
{
    int32_t number = allot_state_find(state, kind, id);
    const allot__host *host =
        state && kind == ALLOT_ITEM_HOST && id ? allot__host_find(&state->hosts, id) : NULL;
    if (host)
        number = (int32_t)(host - (const allot__host *)state->hosts.list.items);
    return number < 0 || !out ? ALLOT_ENOENT : allot_state_item_at(state, kind, number, out);
}

int32_t allot_state_count(const allot_state *state, allot_item kind)
{
    const allot__things *things = state ? allot__state_things(state, kind) : NULL;
    if (things)
        return (int32_t)things->list.count;
    return kind == ALLOT_ITEM_LOAN   ? allot_state_loans(state)
           : kind == ALLOT_ITEM_HOST ? allot_state_hosts(state)
           : kind == ALLOT_ITEM_USER ? allot_state_users(state)
                                     : 0;
}

int allot_state_item_at(const allot_state *state, allot_item kind, int32_t i, void *out)
{
    if (!out || i < 0 || i >= allot_state_count(state, kind))
        return ALLOT_EUSAGE;
    if (kind == ALLOT_ITEM_TASK)
        return allot_state_task_at(state, i, out);
    if (kind == ALLOT_ITEM_JOB)
        return allot_state_job_at(state, i, out);
    if (kind == ALLOT_ITEM_HOST)
        return allot_state_host_at(state, i, out);
    if (kind == ALLOT_ITEM_USER)
        return allot_state_user_at(state, i, out);
    const void *item = kind == ALLOT_ITEM_LOAN
                           ? allot_state_loan_at(state, i)
                           : allot__things_item(allot__state_things(state, kind), i);
    if (item)
        memcpy(out, item, allot_members_of(kind)->size);
    return item ? ALLOT_OK : ALLOT_ENOENT;
}

int allot_state_task_end(allot_state *state, const char *id)
{
    return allot_state_end(state, ALLOT_ITEM_TASK, id);
}

/* ---- Read back ------------------------------------------------------------------------------- */

ALLOT__GETTER(int32_t, allot_state_sessions, allot_state, (int32_t)it->sessions.list.count, 0)

const allot_session *allot_state_session_at(const allot_state *state, int32_t i)
{
    return state ? allot__things_item(&state->sessions, i) : NULL;
}

ALLOT__GETTER(int32_t, allot_state_jobs, allot_state, (int32_t)it->all_jobs.list.count, 0)

int32_t allot_state_job_find(const allot_state *state, const char *id)
{
    const allot__thing *thing = state ? allot__things_find(&state->all_jobs, id) : NULL;
    return thing ? thing->number : -1;
}

int allot_state_job_at(const allot_state *state, int32_t i, allot_job *out)
{
    if (!out || i < 0 || i >= allot_state_jobs(state))
        return ALLOT_EUSAGE;
    const allot__thing *thing = allot__things_at(&state->all_jobs, i);
    if (!thing)
        return ALLOT_ENOENT;
    *out = allot__job_told(state, (const allot__job *)(const void *)thing);
    return ALLOT_OK;
}

ALLOT__GETTER(int32_t, allot_state_reclaims, allot_state, (int32_t)it->reclaims.list.count, 0)

int allot_state_reclaim_at(const allot_state *state, int32_t i, allot_in_flight *out)
{
    return allot_state_item_at(state, ALLOT_ITEM_RECLAIM, i, out);
}

/* ---- Loans ----------------------------------------------------------------------------------- */

int allot_state_loan(allot_state *state, const allot_loan *loan)
{
    if (!allot__state_changes(state) || !loan || state->loans.count >= INT32_MAX - 1)
        return ALLOT_EUSAGE;
    int status = allot__item_check(state->plan, ALLOT_ITEM_LOAN, loan);
    if (status != ALLOT_OK)
        return status;
    allot_loan *added = allot__push(state->engine, &state->loans, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    *added = *loan;
    return ALLOT_OK;
}

int allot_state_loans_end(allot_state *state)
{
    if (!state || state->sealed)
        return ALLOT_EUSAGE;
    if (state->loans.count > 0)
        allot__state_changes(state);
    state->loans.count = 0;
    return ALLOT_OK;
}

ALLOT__GETTER(int32_t, allot_state_loans, allot_state, (int32_t)it->loans.count, 0)

const allot_loan *allot_state_loan_at(const allot_state *state, int32_t i)
{
    if (i < 0 || i >= allot_state_loans(state))
        return NULL;
    return (const allot_loan *)state->loans.items + i;
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* Unknown times are 0 or INT64_MIN, and stay so. */
static void set_time(int64_t now, int64_t by, int64_t *time)
{
    if (*time > now)
        *time = *time - by < now ? *time - by : now;
}

static void set_uses_back(const allot_state *state, int64_t now, int64_t by)
{
    allot__jobs *jobs = state->jobs;
    if (!jobs)
        return;
    for (int32_t i = 0; jobs->leases && i < allot_plan_leases(state->base); i++)
        set_time(now, by, &jobs->leases[i].now.since);
    for (int32_t i = 0; jobs->preempted_at && i < allot_plan_resources(state->base); i++)
        set_time(now, by, &jobs->preempted_at[i]);
    for (size_t i = 0; i < jobs->users.count; i++)
        set_time(now, by, &((allot__user_use *)jobs->users.items)[i].usage.at);
}

static void set_sessions_back(const allot_state *state, int64_t now, int64_t by)
{
    for (int32_t i = 0; (size_t)i < state->sessions.list.count; i++) {
        allot_session *session = (void *)(uintptr_t)allot__things_item(&state->sessions, i);
        if (session)
            set_time(now, by, &session->created);
    }
}

static void set_jobs_back(const allot_state *state, int64_t now, int64_t by)
{
    for (int32_t i = 0; (size_t)i < state->all_jobs.list.count; i++) {
        allot__job *job = (allot__job *)(void *)allot__things_at(&state->all_jobs, i);
        if (!job)
            continue;
        set_time(now, by, &job->submitted);
        set_time(now, by, &job->started);
        set_time(now, by, &job->since);
        set_time(now, by, (int64_t *)(uintptr_t)&job->more->begin);
    }
}

int allot_state_set_back(allot_state *state, int64_t now, int64_t by)
{
    if (!state || state->sealed)
        return ALLOT_EUSAGE;
    for (int32_t i = 0; (size_t)i < allot__task_count(&state->tasks); i++) {
        allot__task *task = (allot__task *)(uintptr_t)allot__task_at(&state->tasks, i);
        set_time(now, by, &task->started);
        set_time(now, by, &task->submitted);
    }
    set_sessions_back(state, now, by);
    set_jobs_back(state, now, by);
    for (int32_t g = 0; g < state->plan->group_count; g++)
        for (int32_t i = 0; i < state->plan->tree.rows; i++) {
            allot__group_state *group = &state->groups[g];
            if (group->reclaimed_at)
                set_time(now, by, &group->reclaimed_at[i]);
            if (group->waiting_since)
                set_time(now, by, &group->waiting_since[i]);
            if (group->usage)
                set_time(now, by, &group->usage[i].at);
        }
    set_uses_back(state, now, by);
    state->above_stale = true;
    set_time(now, by, &state->last);
    set_time(now, by, &state->usage_at);
    allot__tasks_change(state);
    for (allot_item kind = ALLOT_ITEM_TASK; kind < ALLOT_ITEM_LOAN; kind++)
        all_changed(state, kind);
    return ALLOT_OK;
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Runs a step of filling what is stale; if it fails, that stays stale. */
static int fill(allot_state *state, bool *stale, int (*fills)(allot_state *state), int status)
{
    if (status != ALLOT_OK || !*stale)
        return status;
    status = fills(state);
    *stale = status != ALLOT_OK;
    return status;
}

int allot__lists_fill(allot_state *state)
{
    int status = ALLOT_OK;
    allot__jobs_leave(state);
    if (!state->slight) { /* else arranged tasks keep their numbers */
        state->tasks.arranged = state->tasks.arranged && state->tasks.things.gone == 0;
        status = allot__things_close_up(state->engine, &state->tasks.things);
    }
    for (allot_item kind = ALLOT_ITEM_SESSION; kind < ALLOT_ITEM_LOAN && status == ALLOT_OK; kind++)
        status = allot__things_close_up(state->engine, allot__state_things(state, kind));
    bool spent = !state->slight && allot__labels_spent(state);
    state->jobs_stale = state->jobs_stale || spent; /* as names get other numbers */
    if (status == ALLOT_OK && spent)
        status = allot__job_names_trim(state);
    if (status == ALLOT_OK && spent)
        status = allot__labels_trim(state);
    status = fill(state, &state->sessions_stale, allot__sessions_fill, status);
    status = fill(state, &state->flights_stale, allot__flights_fill, status);
    return fill(state, &state->jobs_stale, allot__jobs_fill, status);
}

/* ---- Ending all ------------------------------------------------------------------------------ */

int allot_state_clear_items(allot_state *state, allot_item kind)
{
    allot__things *things = open_things(state, kind);
    if (!things)
        return ALLOT_EUSAGE;
    if (things->list.count == 0)
        return ALLOT_OK;
    if (kind == ALLOT_ITEM_TASK)
        allot__tasks_clear(state);
    for (int32_t i = 0; kind == ALLOT_ITEM_JOB && (size_t)i < things->list.count; i++)
        if (allot__things_at(things, i))
            allot__user_change(state, as_job(allot__things_at(things, i)), NULL);
    if (kind != ALLOT_ITEM_TASK)
        allot__things_clear(state->engine, things);
    all_changed(state, kind);
    return ALLOT_OK;
}

int allot_state_clear(allot_state *state)
{
    int status = ALLOT_OK;
    for (allot_item kind = ALLOT_ITEM_TASK; kind < ALLOT_ITEM_LOAN && status == ALLOT_OK; kind++)
        status = allot_state_clear_items(state, kind);
    return status == ALLOT_OK ? allot_state_loans_end(state) : status;
}
