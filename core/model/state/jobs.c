/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * jobs.c: makes, fills and frees a state's jobs.
 *
 * This file owns: the life of allot__jobs.
 */
#include <string.h>

#include "model/jobs/queue.h"
#include "model/names/names.h"
#include "model/state/job.h"
#include "model/state/state.h"

void allot_job_init(allot_job *job)
{
    allot_item_init(allot_members_of(ALLOT_ITEM_JOB), job);
}

enum { USER, GROUP, APPLICATION, NAMES };

/* ---- Life ------------------------------------------------------------------------------------ */

allot__jobs *allot__jobs_open(allot_state *state)
{
    if (!state->jobs)
        state->jobs = allot__new(state->engine, 1, sizeof *state->jobs);
    return state->jobs;
}

int allot__jobs_room(allot_state *state)
{
    allot_engine *engine = state->engine;
    size_t queues = (size_t)allot__queue_count(state->base);
    size_t leases = (size_t)allot_plan_leases(state->base);
    size_t resources = (size_t)allot_plan_resources(state->base);
    allot__jobs *it = allot__jobs_open(state);
    if (!it)
        return ALLOT_ENOMEM;
    if (!it->usage)
        it->usage = allot__new(engine, queues, sizeof *it->usage);
    if (!it->leases)
        it->leases = allot__new(engine, leases, sizeof *it->leases);
    if (!it->preempted_at) {
        it->preempted_at = allot__new(engine, resources, sizeof *it->preempted_at);
        for (size_t i = 0; it->preempted_at && i < resources; i++)
            it->preempted_at[i] = INT64_MIN;
    }
    bool some = (queues == 0 || it->usage) && (leases == 0 || it->leases) &&
                (resources == 0 || it->preempted_at);
    return some ? ALLOT_OK : ALLOT_ENOMEM;
}

static void free_names(allot_engine *engine, allot__job_names *names)
{
    for (int kind = 0; kind < NAMES; kind++) {
        allot__vector_free(engine, &names->lists[kind]);
        allot__index_free(engine, &names->indexes[kind]);
    }
    allot__pool_free(engine, &names->pool);
}

void allot__jobs_free(allot_state *state)
{
    allot_engine *engine = state->engine;
    allot__jobs *it = state->jobs;
    if (!it)
        return;
    size_t queues = (size_t)allot__queue_count(state->base);
    if (it->kept)
        it->end_kept(it->kept);
    free_names(engine, &it->names);
    allot__vector_free(engine, &it->users);
    allot__free(engine, it->preempted_at, (size_t)allot_plan_resources(state->base),
                sizeof *it->preempted_at);
    allot__free(engine, it->usage, queues, sizeof *it->usage);
    allot__free(engine, it->leases, (size_t)allot_plan_leases(state->base), sizeof *it->leases);
    allot__free(engine, it->first, 3 * queues + 1, sizeof *it->first);
    allot__free(engine, it->queues, queues, sizeof *it->queues);
    allot__vector_free(engine, &it->changed);
    allot__vector_free(engine, &it->ended);
    allot__free(engine, it->by_queue, it->room, sizeof *it->by_queue);
    allot__free(engine, it->briefs, it->room, sizeof *it->briefs);
    allot__free(engine, it, 1, sizeof *it);
    state->jobs = NULL;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* The plan's names of a kind. */
static const allot__vector *planned(const allot_plan *plan, int kind)
{
    const allot__queues *queues = allot__queues_of(plan);
    const allot__vector *const all[NAMES] = {&queues->users, &queues->groups,
                                             &queues->applications};
    return all[kind];
}

/* The name of a number, among the plan's and behind them those that only jobs have. */
static const char *name_of(const allot_plan *plan, const allot__job_names *names, int kind,
                           int32_t number)
{
    if (number < 0)
        return NULL;
    const allot__vector *first = planned(plan, kind);
    bool own = (size_t)number < first->count;
    return own ? allot__named_at(first, number)
               : allot__named_at(&names->lists[kind], number - (int32_t)first->count);
}

/* -1: no name; -2: out of memory. */
static int32_t find_number(allot_state *state, int kind, const char *name)
{
    if (!name)
        return -1;
    const allot__queues *plan = allot__queues_of(state->plan);
    const allot__index *const indexes[NAMES] = {&plan->user_index, &plan->group_index,
                                                &plan->application_index};
    const allot__vector *first = planned(state->plan, kind);
    allot__job_names *names = &state->jobs->names;
    int32_t found = allot__named_find(first, indexes[kind], name);
    if (found >= 0)
        return found;
    found = allot__named_number(state->engine, &names->pool, &names->lists[kind],
                                &names->indexes[kind], name);
    return found < 0 ? found : (int32_t)first->count + found;
}

/* The same; with room for a user's use. */
static int32_t number_of(allot_state *state, int kind, const char *name)
{
    int32_t number = find_number(state, kind, name);
    return kind == USER && number >= 0 && allot__user_room(state, number) ? -2 : number;
}

const char *allot__job_user(const allot_state *state, int32_t number)
{
    return name_of(state->plan, &state->jobs->names, USER, number);
}

const char *allot__job_group(const allot_state *state, int32_t number)
{
    return name_of(state->plan, &state->jobs->names, GROUP, number);
}

static int rename_job(allot_state *state, allot__job *job, const allot_plan *plan,
                      const allot__job_names *old, bool set)
{
    int32_t *const numbers[NAMES] = {&job->user, &job->group, &job->application};
    for (int kind = 0; kind < NAMES; kind++) {
        int32_t made = number_of(state, kind, name_of(plan, old, kind, *numbers[kind]));
        if (made == -2)
            return ALLOT_ENOMEM;
        *numbers[kind] = set ? made : *numbers[kind];
    }
    return ALLOT_OK;
}

static int rename_all(allot_state *state, const allot__things *things, const allot_plan *plan,
                      const allot__job_names *old, bool set)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; (size_t)i < things->list.count && status == ALLOT_OK; i++) {
        allot__thing *thing = allot__things_at(things, i);
        if (thing)
            status = rename_job(state, (allot__job *)(void *)thing, plan, old, set);
    }
    return status;
}

int allot__jobs_rename(allot_state *state, const allot_state *from, bool set)
{
    if (from->all_jobs.list.count == 0)
        return ALLOT_OK;
    if (!allot__jobs_open(state))
        return ALLOT_ENOMEM;
    return rename_all(state, &from->all_jobs, from->plan, &from->jobs->names, set);
}

/* ---- Use of users ---------------------------------------------------------------------------- */

int allot__user_set(allot_state *state, const allot_stated_user *user)
{
    if (!allot__users_counted(state))
        return ALLOT_OK;
    int32_t number = allot__jobs_open(state) ? number_of(state, USER, user->name) : -2;
    if (number == -2)
        return ALLOT_ENOMEM;
    allot__user_use *of = (allot__user_use *)(uintptr_t)allot__user_use_of(state, number);
    of->usage = (allot__usage){.slot_seconds = user->usage,
                               .millionths = (int32_t)user->usage_rest,
                               .at = state->begun && user->usage_at == INT64_MIN ? state->now
                                                                                 : user->usage_at};
    return ALLOT_OK;
}

/* Use under a law by which it does not fade in `state` ends now, and goes on by the other. */
static allot__usage usage_for(const allot_state *state, const allot_state *from, int32_t user)
{
    const allot_decay *a = &from->base->fades->by, *b = &state->base->fades->by;
    bool same = a->period == b->period && a->parts == b->parts;
    return same ? allot__user_use_of(from, user)->usage : allot__user_usage(from, user);
}

int allot__users_carry(allot_state *state, const allot_state *from, bool set)
{
    for (int32_t i = 0; allot__users_counted(state) && allot__user_use_of(from, i); i++) {
        if (!allot__user_has_use(from, i))
            continue;
        const char *name = name_of(from->plan, &from->jobs->names, USER, i);
        int32_t number = allot__jobs_open(state) ? number_of(state, USER, name) : -2;
        if (number == -2)
            return ALLOT_ENOMEM;
        allot__user_use *of = (allot__user_use *)(uintptr_t)allot__user_use_of(state, number);
        if (set)
            of->usage = usage_for(state, from, i);
    }
    if (set)
        allot__users_recount(state);
    return ALLOT_OK;
}

int allot__job_names_trim(allot_state *state)
{
    if (!state->jobs)
        return ALLOT_OK;
    allot__jobs old = *state->jobs;
    state->jobs->names = (allot__job_names){.lists = {{0}}};
    state->jobs->users = (allot__vector){.count = 0};
    allot_state before = *state;
    before.jobs = &old;
    int status = rename_all(state, &state->all_jobs, state->plan, &old.names, false);
    if (status == ALLOT_OK)
        status = allot__users_carry(state, &before, false);
    if (status == ALLOT_OK) {
        rename_all(state, &state->all_jobs, state->plan, &old.names, true);
        allot__users_carry(state, &before, true);
    } else {
        allot__job_names names = state->jobs->names;
        allot__vector users = state->jobs->users;
        state->jobs->names = old.names;
        state->jobs->users = old.users;
        old.names = names;
        old.users = users;
    }
    free_names(state->engine, &old.names);
    allot__vector_free(state->engine, &old.users);
    return status;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static const allot__job_rest nothing = {
    .of = {.begin = INT64_MIN, .until = INT64_MAX, .reserved_by = -1}};

/* Where the next piece of a block goes; without a block only sizes add up. */
typedef struct packing {
    char *room;
    size_t size;
    bool rest; /* the job states a member without a column */
} packing;

static void *take(packing *it, const void *from, size_t size)
{
    void *piece = it->room && size > 0 ? it->room + it->size : NULL;
    it->size += (size + 7) & ~(size_t)7;
    return piece && from ? memcpy(piece, from, size) : piece;
}

static const allot_job *pack_rest(packing *it, const allot_job *job)
{
    const allot_members *members = allot_members_of(ALLOT_ITEM_JOB);
    if (!it->rest)
        return &nothing.of;
    allot_job rest = *job;
    rest.id = rest.user = rest.group = rest.application = NULL;
    rest.host_count = rest.grown_count = 0;
    allot__job_rest *made = take(it, NULL, sizeof *made);
    char *room = take(it, NULL, allot_item_room(members, &rest) + 1); /* some, in any case */
    allot_job_resource *asks = take(it, NULL, (size_t)job->resource_count * sizeof *asks);
    if (!made)
        return NULL;
    allot_item_copy(members, &rest, &made->of, room);
    made->asks = asks;
    for (int32_t i = 0; i < job->resource_count; i++)
        if (job->resources[i].amount > 0)
            asks[made->ask_count++] = job->resources[i];
    return &made->of;
}

/* A job without hosts is on the only one, unless it is pending. */
static int32_t places_of(const allot_job *job)
{
    return job->host_count > 0 || job->state == ALLOT_PENDING ? job->host_count : 1;
}

static void put_members(const allot_job *job, allot__job *out)
{
    out->queue = job->queue;
    out->slots = (int32_t)job->slots;
    out->submitted = job->submitted;
    out->state = (uint8_t)job->state;
    out->flags = (uint8_t)job->flags;
    out->notifying = job->notifying != 0;
    out->place_count = places_of(job);
    out->grown_count = job->grown_count;
    out->priority = (int32_t)job->priority;
    out->started = job->started;
    out->ran = job->ran;
    out->suspended_for = job->suspended_for;
    out->since = job->since;
    out->grow = (int32_t)job->grow;
    out->preempted = (int32_t)job->preempted;
    out->stated_limit = (int32_t)job->run_limit;
}

/* Lays a job out, except names of users and hosts. */
static void pack(packing *it, const allot_job *job)
{
    size_t places = (size_t)places_of(job) + (size_t)job->grown_count;
    allot__job *out = take(it, NULL, sizeof *out);
    take(it, NULL, places * sizeof(allot__job_place));
    take(it, NULL, places * sizeof(allot_job_host));
    take(it, NULL, places * sizeof(int32_t));
    const char *id = take(it, job->id, strlen(job->id) + 1);
    const allot_job *more = pack_rest(it, job);
    if (!out)
        return;
    put_members(job, out);
    out->thing.id = id;
    out->more = more;
}

static int put_place(allot_state *state, allot__job *job, int32_t i, const allot_job_host *told)
{
    int32_t label = allot__label_of(state, told->host);
    if (label < -1)
        return ALLOT_ENOMEM;
    allot__job_labels(job)[i] = label;
    allot__job_hosts(job)[i].host = label < 0 ? NULL : allot__label_at(&state->tasks, label)->text;
    allot__job_hosts(job)[i].slots = told->slots;
    allot__job_places(job)[i] = (allot__job_place){-1, (int32_t)told->slots};
    return ALLOT_OK;
}

static int put_names(allot_state *state, const allot_job *job, allot__job *out)
{
    const allot_job_host only = {NULL, job->slots};
    const allot_job_host *hosts = job->host_count > 0 ? job->hosts : &only;
    out->user = number_of(state, USER, job->user);
    out->group = number_of(state, GROUP, job->group);
    out->application = number_of(state, APPLICATION, job->application);
    bool all = out->user != -2 && out->group != -2 && out->application != -2;
    int status = all ? ALLOT_OK : ALLOT_ENOMEM;
    for (int32_t i = 0; i < out->place_count && status == ALLOT_OK; i++)
        status = put_place(state, out, i, &hosts[i]);
    for (int32_t i = 0; i < out->grown_count && status == ALLOT_OK; i++)
        status = put_place(state, out, out->place_count + i, &job->grown[i]);
    return status;
}

allot__thing *allot__job_make(allot_state *state, const allot_job *job)
{
    const allot_members *members = allot_members_of(ALLOT_ITEM_JOB);
    packing it = {.rest = allot__item_has_rest(members->items, members->count, job)};
    pack(&it, job);
    size_t size = it.size;
    char *block =
        size < INT32_MAX && allot__jobs_open(state) ? allot__new(state->engine, size, 1) : NULL;
    if (!block)
        return NULL;
    it.room = block;
    it.size = 0;
    pack(&it, job);
    allot__job *made = (allot__job *)(void *)block;
    made->thing.size = (uint32_t)size & INT32_MAX;
    if (put_names(state, job, made) == ALLOT_OK)
        return &made->thing;
    allot__thing_free(state->engine, &made->thing);
    return NULL;
}

/* Only jobs in a plan with queues have labels, besides tasks in others. */
int allot__jobs_fill(allot_state *state)
{
    const allot__things *things = &state->all_jobs;
    if (allot__queue_count(state->plan) == 0)
        return ALLOT_OK;
    if (state->jobs)
        state->jobs->arranged = false;
    allot__tasks_change(state);
    for (size_t i = 0; i < state->tasks.labels.count; i++)
        allot__label_at(&state->tasks, (int32_t)i)->is_host = false;
    for (int32_t i = 0; (size_t)i < things->list.count; i++) {
        const allot__job *job = (const allot__job *)(void *)allot__things_at(things, i);
        const int32_t *labels = allot__job_labels(job);
        for (int32_t k = 0; k < allot__job_all_places(job); k++)
            if (labels[k] >= 0)
                allot__label_at(&state->tasks, labels[k])->is_host = true;
    }
    return ALLOT_OK;
}

/* ---- Read back ------------------------------------------------------------------------------- */

allot_job allot__job_told(const allot_state *state, const allot__job *job)
{
    const allot__job_names *names = &state->jobs->names;
    const allot_job_host *hosts = allot__job_hosts(job), *grown = hosts + job->place_count;
    bool placed = job->place_count > 0 && hosts->host;
    allot_job told = *job->more;
    told.id = job->thing.id;
    told.queue = job->queue;
    told.state = (allot_job_state)job->state;
    told.slots = job->slots;
    told.hosts = placed ? hosts : NULL;
    told.host_count = placed ? job->place_count : 0;
    told.submitted = job->submitted;
    told.started = job->started;
    told.ran = job->ran;
    told.suspended_for = job->suspended_for;
    told.since = job->since;
    told.preempted = job->preempted;
    told.priority = job->priority;
    told.user = name_of(state->plan, names, USER, job->user);
    told.group = name_of(state->plan, names, GROUP, job->group);
    told.application = name_of(state->plan, names, APPLICATION, job->application);
    told.run_limit = job->stated_limit;
    told.flags = job->flags;
    told.grow = job->grow;
    told.grown = job->grown_count > 0 ? grown : NULL;
    told.grown_count = job->grown_count;
    told.notifying = job->notifying;
    return told;
}
