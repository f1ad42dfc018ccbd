/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* labels.c: numbers the names that tasks mention, and the sessions among them. */
#include <string.h>

#include "model/state/job.h"
#include "model/state/state.h"

int32_t allot__label_of(allot_state *state, const char *text)
{
    allot__tasks *tasks = &state->tasks;
    uint32_t hash, probe = 0;
    int32_t found;
    if (!text)
        return -1;
    hash = allot__hash(0, text, strlen(text));
    while ((found = allot__index_next(&tasks->label_index, hash, &probe)) >= 0)
        if (strcmp(allot__label_at(tasks, found)->text, text) == 0)
            return found;
    if (tasks->labels.count >= INT32_MAX - 1 ||
        allot__index_room(state->engine, &tasks->label_index))
        return ALLOT__NO_LABEL;
    const char *copy = allot__pool_copy(state->engine, &tasks->pool, text);
    allot__label *label = copy ? allot__push(state->engine, &tasks->labels, sizeof *label) : NULL;
    if (!label)
        return ALLOT__NO_LABEL;
    *label = (allot__label){.text = copy, .session = -1, .site = -1};
    found = (int32_t)tasks->labels.count - 1;
    allot__index_add(&tasks->label_index, hash, found);
    return found;
}

bool allot__labels_spent(const allot_state *state)
{
    enum { SPENT_LEAST = 10000 };
    size_t count = allot__task_count(&state->tasks) + state->all_jobs.list.count;
    return state->tasks.spent > count + SPENT_LEAST;
}

static int32_t *label_of(const allot__tasks *tasks, int32_t number, int which)
{
    allot__task *task = (allot__task *)(void *)allot__things_at(&tasks->things, number);
    int32_t *const labels[] = {&task->session, &task->slot, &task->host};
    return labels[which];
}

/* Numbers the names of tasks among the labels; `set`: all have a number, and tasks get it. */
static bool number_all(allot_state *state, const allot__label *old, bool set)
{
    allot__tasks *tasks = &state->tasks;
    for (int32_t i = 0; (size_t)i < allot__task_count(tasks); i++) {
        for (int k = 0; k < 3; k++) {
            int32_t *label = label_of(tasks, i, k);
            int32_t made = *label < 0 ? -1 : allot__label_of(state, old[*label].text);
            if (made == ALLOT__NO_LABEL)
                return false;
            if (!set)
                continue;
            *label = made;
            if (k == 2 && made >= 0)
                allot__label_at(tasks, made)->is_host = true;
        }
    }
    return true;
}

/* Likewise the hosts of jobs. */
static bool number_jobs(allot_state *state, const allot__label *old, bool set)
{
    for (int32_t i = 0; (size_t)i < state->all_jobs.list.count; i++) {
        allot__job *job = (allot__job *)(void *)allot__things_at(&state->all_jobs, i);
        int32_t *labels = allot__job_labels(job);
        for (int32_t k = 0; k < allot__job_all_places(job); k++) {
            int32_t made = labels[k] < 0 ? -1 : allot__label_of(state, old[labels[k]].text);
            if (made == ALLOT__NO_LABEL)
                return false;
            if (!set || made < 0)
                continue;
            labels[k] = made;
            allot__job_hosts(job)[k].host = allot__label_at(&state->tasks, made)->text;
            allot__label_at(&state->tasks, made)->is_host = true;
        }
    }
    return true;
}

static void swap(allot__tasks *a, allot__tasks *b)
{
    allot__tasks other = *a;
    a->pool = b->pool;
    a->labels = b->labels;
    a->label_index = b->label_index;
    b->pool = other.pool;
    b->labels = other.labels;
    b->label_index = other.label_index;
}

int allot__labels_trim(allot_state *state)
{
    allot__tasks *tasks = &state->tasks, other = {.spent = 0};
    swap(tasks, &other);
    const allot__label *old = other.labels.items;
    bool numbered = number_all(state, old, false) && number_jobs(state, old, false);
    if (numbered)
        numbered = number_all(state, old, true) && number_jobs(state, old, true);
    else
        swap(tasks, &other);
    tasks->spent = numbered ? 0 : tasks->spent;
    state->sessions_stale = true;
    allot__index_free(state->engine, &other.label_index);
    allot__vector_free(state->engine, &other.labels);
    allot__pool_free(state->engine, &other.pool);
    return numbered ? ALLOT_OK : ALLOT_ENOMEM;
}

/* ---- Sessions -------------------------------------------------------------------------------- */

int allot__sessions_fill(allot_state *state)
{
    allot__tasks *tasks = &state->tasks;
    const allot__things *things = &state->sessions;
    for (size_t i = 0; i < tasks->labels.count; i++)
        allot__label_at(tasks, (int32_t)i)->session = -1;
    tasks->sessions.count = 0;
    for (int32_t i = 0; (size_t)i < things->list.count; i++) {
        const allot_session *session = allot__things_item(things, i);
        int32_t label = allot__label_of(state, session->id);
        allot_session *added = allot__push(state->engine, &tasks->sessions, sizeof *added);
        if (label < 0 || !added)
            return ALLOT_ENOMEM;
        *added = *session;
        allot__label_at(tasks, label)->session = i;
    }
    return ALLOT_OK;
}

/* May a session be added beside those of its leaf? Not if that is a fault, or may be one. */
static bool goes_beside(const allot_state *state, const allot_session *session)
{
    const allot__tasks *tasks = &state->tasks;
    const allot__units *units = &tasks->units[session->group];
    const allot_session *all = tasks->sessions.items;
    int32_t leaf = session->consumer, first = units->session_first[leaf], count;
    if (first < units->session_first[leaf + 1])
        return all[units->sessions[first]].scheduling == session->scheduling;
    const int32_t *waiting = allot__waiting_of(tasks, session->group, leaf, &count);
    bool known = true; /* of each task of the leaf that names a session, it is */
    for (int32_t i = allot__units_first(units, leaf); i < allot__units_end(units, leaf); i++)
        known = known && allot__task_at(tasks, units->tasks[i])->session < 0;
    for (int32_t i = 0; i < count; i++)
        known = known && allot__task_at(tasks, waiting[i])->session < 0;
    return known;
}

static bool make_held(allot_state *state, size_t count)
{
    allot__tasks *tasks = &state->tasks;
    size_t room = count + count / 4 + 16;
    if (count <= tasks->session_room)
        return true;
    int64_t *held = allot__new(state->engine, room, sizeof *held);
    if (!held)
        return false;
    memcpy(held, tasks->session_held, tasks->session_room * sizeof *held);
    allot__free(state->engine, tasks->session_held, tasks->session_room, sizeof *held);
    tasks->session_held = held;
    tasks->session_room = room;
    return true;
}

/* Room for one more among the sessions of a group. */
static bool make_place(allot_state *state, allot__units *units)
{
    int32_t room = units->session_count + units->session_count / 4 + 16;
    if (units->session_count < units->session_room)
        return true;
    int32_t *sessions = allot__new(state->engine, (size_t)room, sizeof *sessions);
    if (!sessions)
        return false;
    memcpy(sessions, units->sessions, (size_t)units->session_count * sizeof *sessions);
    allot__free(state->engine, units->sessions, (size_t)units->session_room, sizeof *sessions);
    units->sessions = sessions;
    units->session_room = room;
    return true;
}

bool allot__sessions_add(allot_state *state)
{
    allot__tasks *tasks = &state->tasks;
    size_t labels = tasks->labels.count, count = tasks->sessions.count;
    int32_t number = (int32_t)state->sessions.list.count - 1;
    const allot_session *session = allot__things_item(&state->sessions, number);
    if (!state->slight || !tasks->arranged || state->sessions_stale || count != (size_t)number)
        return false;
    allot__units *units = &tasks->units[session->group];
    if (!units->session_first || !goes_beside(state, session) || !make_held(state, count + 1) ||
        !make_place(state, units))
        return false;
    int32_t label = allot__label_of(state, session->id);
    if (label < 0 || (size_t)label < labels)
        return false; /* a task may name it */
    allot_session *added = allot__push(state->engine, &tasks->sessions, sizeof *added);
    if (!added)
        return false;
    *added = *session;
    allot__label_at(tasks, label)->session = number;
    int32_t *first = units->session_first, leaf = session->consumer;
    int32_t *at = units->sessions + first[leaf + 1];
    memmove(at + 1, at, (size_t)(units->session_count++ - first[leaf + 1]) * sizeof *at);
    *at = number;
    for (int32_t i = leaf + 1; i <= state->plan->tree.rows; i++)
        first[i]++;
    return true;
}

int32_t allot__task_session(const allot__tasks *tasks, const allot__task *task)
{
    int32_t number = task->session < 0 ? -1 : allot__label_at(tasks, task->session)->session;
    if (number < 0)
        return -1;
    const allot_session *session = (const allot_session *)tasks->sessions.items + number;
    bool own = session->consumer == task->consumer && session->group == task->group;
    return own ? number : -1;
}
