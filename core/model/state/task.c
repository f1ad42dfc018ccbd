/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* task.c: tasks of a state, and their columns. */
#include <string.h>

#include "base/name.h"
#include "base/getter.h"
#include "model/state/state.h"

int32_t allot__task_find(const allot_state *state, const char *id)
{
    const allot__thing *thing = allot__things_find(&state->tasks.things, id);
    return thing ? thing->number : -1;
}

/* How many numbers a task has, from its first on. */
static int32_t parts_of(const allot__task *task)
{
    return task->part > 0 ? 1 + allot__task_rest(task)->also_count : 1;
}

int32_t allot__task_first(const allot__tasks *tasks, int32_t number)
{
    int32_t part = tasks->coupled > 0 ? allot__task_at(tasks, number)->part : 0;
    return part > 1 ? number - (part - 1) : number;
}

int32_t allot__task_in(const allot__tasks *tasks, int32_t number, int32_t group)
{
    int32_t first = allot__task_first(tasks, number);
    for (int32_t i = first; i < first + parts_of(allot__task_at(tasks, first)); i++)
        if (allot__task_at(tasks, i)->group == group)
            return i;
    return -1;
}

bool allot__task_named(const allot__tasks *tasks, int32_t number)
{
    int32_t first = allot__task_first(tasks, number);
    bool named = false;
    for (int32_t i = first; i < first + parts_of(allot__task_at(tasks, first)); i++)
        named = named || allot__task_flight(tasks, i) != 0;
    return named;
}

int32_t allot__task_place(const allot__tasks *tasks, int32_t number)
{
    int32_t place = 0;
    for (int32_t i = 0; i < number; i++)
        place += allot__task_first(tasks, i) == i;
    return place;
}

bool allot__task_starts_before(const allot__tasks *tasks, int32_t a, int32_t b)
{
    const allot__task *one = allot__task_at(tasks, a);
    const allot__task *other = allot__task_at(tasks, b);
    if (one->priority != other->priority)
        return one->priority > other->priority;
    if (one->submitted != other->submitted)
        return one->submitted < other->submitted;
    return strcmp(one->thing.id, other->thing.id) < 0;
}

/* ---- Putting in ------------------------------------------------------------------------------ */

static int put_labels(allot_state *state, const allot_task *task, allot__task *out)
{
    out->session = allot__label_of(state, task->session);
    out->host = allot__label_of(state, task->host);
    out->slot = allot__label_of(state, task->slot);
    if (out->session == ALLOT__NO_LABEL || out->host == ALLOT__NO_LABEL ||
        out->slot == ALLOT__NO_LABEL)
        return ALLOT_ENOMEM;
    if (out->host >= 0)
        allot__label_at(&state->tasks, out->host)->is_host = true;
    return ALLOT_OK;
}

/* What few tasks have; false: nothing. */
static bool rest_of(const allot_task *task, allot_task *rest)
{
    const allot_members *members = allot_members_of(ALLOT_ITEM_TASK);
    *rest = *task;
    rest->id = rest->session = rest->host = rest->slot = NULL;
    return allot__item_has_rest(members->items, members->count, task);
}

/* The block of a task in its own group. */
static allot__task *make(allot_state *state, const allot_task *task)
{
    const allot_members *members = allot_members_of(ALLOT_ITEM_TASK);
    allot_task rest;
    bool more = rest_of(task, &rest);
    size_t length = strlen(task->id) + 1;
    size_t size = (sizeof(allot__task) + length + 7) & ~(size_t)7;
    if (more)
        size += sizeof rest + allot_item_room(members, &rest);
    allot__task *made = allot__things_block(state->engine, &state->tasks.things, size);
    if (!made)
        return NULL;
    *made = (allot__task){.thing.size = (uint32_t)size & INT32_MAX,
                          .started = task->started,
                          .submitted = task->submitted,
                          .consumer = task->consumer,
                          .group = task->group,
                          .slots = (int32_t)task->slots,
                          .preempted = (int32_t)task->preempted,
                          .priority = (task->priority > 0 ? task->priority : 1) & 0x3fff,
                          .pending = task->state == ALLOT_TASK_PENDING,
                          .rest = more,
                          .part = task->also_count > 0};
    made->thing.id = memcpy(made + 1, task->id, length);
    if (more) {
        char *room = (char *)(uintptr_t)allot__task_rest(made);
        allot_item_copy(members, &rest, room, room + sizeof rest);
    }
    if (put_labels(state, task, made) == ALLOT_OK)
        return made;
    allot__thing_free(state->engine, &made->thing);
    return NULL;
}

/* A copy of the block of a task of one group, without more, under an id of the same length that
 * stands in a buffer of a multiple of 8 bytes. */
static allot__task *copy(allot_state *state, const allot__task *of, const char *id)
{
    allot__task *made = allot__things_block(state->engine, &state->tasks.things, of->thing.size);
    if (!made)
        return NULL;
    *made = *of;
    made->thing.id = memcpy(made + 1, id, of->thing.size - sizeof *made);
    return made;
}

/* The blocks of the other groups, which borrow from the first. */
static int put_parts(allot_state *state, const allot__task *first)
{
    allot__things *things = &state->tasks.things;
    for (int32_t i = 0; i + 1 < parts_of(first); i++) {
        const allot_task_slots *also = &allot__task_rest(first)->also[i];
        allot__task *part = allot__things_block(state->engine, things, sizeof *part);
        if (!part)
            return ALLOT_ENOMEM;
        *part = *first;
        part->thing = (allot__thing){.id = first->thing.id, .size = sizeof *part, .part = 1};
        part->part = (uint32_t)(i + 2) & 0xffff;
        part->group = also->group;
        part->slots = (int32_t)also->slots;
        part->session = part->host = part->slot = -1;
        allot__things_put(things, &part->thing, false);
    }
    return ALLOT_OK;
}

/* A task began, ended, or started. Tasks of one group, on a slot of their own, that name no new
 * host and no session of another leaf can be arranged without all others. */
static void note(allot_state *state, const allot__task *task, int32_t number)
{
    allot__tasks *tasks = &state->tasks;
    bool plain =
        task->part == 0 && task->slot < 0 &&
        (task->host < 0 || allot__label_at(tasks, task->host)->site >= 0) &&
        (task->session < 0 || tasks->sessions.count == 0 || allot__task_session(tasks, task) >= 0);
    allot__task_change *it = NULL;
    if (plain && state->slight && tasks->arranged)
        it = allot__push(state->engine, &tasks->changed, sizeof *it);
    if (it)
        *it = (allot__task_change){task->group, task->consumer, number};
    else
        allot__tasks_change(state);
}

/* Adds a task, for which there is room. A copy is like `first`, if that is not NULL, except for its
 * id; EEXIST. */
static int put(allot_state *state, const allot_task *task, bool is_copy, const allot__task *first)
{
    allot__tasks *tasks = &state->tasks;
    size_t more = (size_t)task->also_count + 1, count = allot__task_count(tasks);
    allot__task *made = first && !first->rest ? copy(state, first, task->id) : make(state, task);
    if (!made)
        return ALLOT_ENOMEM;
    if (!allot__things_put(&tasks->things, &made->thing, is_copy)) {
        allot__thing_free(state->engine, &made->thing);
        return ALLOT_EEXIST;
    }
    if (put_parts(state, made) != ALLOT_OK) {
        allot__things_cut(state->engine, &tasks->things, count);
        return ALLOT_ENOMEM;
    }
    tasks->pending += made->pending ? more : 0;
    tasks->coupled += made->part;
    note(state, made, made->thing.number);
    return ALLOT_OK;
}

int allot__task_put(allot_state *state, const allot_task *task)
{
    int status =
        allot__things_room(state->engine, &state->tasks.things, (size_t)task->also_count + 1);
    return status == ALLOT_OK ? put(state, task, false, NULL) : status;
}

int allot__task_put_copies(allot_state *state, const allot_task *task, int32_t count)
{
    allot__tasks *tasks = &state->tasks;
    size_t before = allot__task_count(tasks), pending = tasks->pending, length = strlen(task->id);
    int width = 1;
    char id[ALLOT__ID_MAX + 1];
    allot_task of = *task;
    for (int32_t rest = count - 1; rest > 9; rest /= 10)
        width++;
    int status = allot__things_room(state->engine, &tasks->things, (size_t)count);
    of.id = memcpy(id, task->id, length);
    id[length + (size_t)width] = '\0';
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        for (int32_t k = width, rest = i; k > 0; k--, rest /= 10)
            id[length + (size_t)k - 1] = (char)('0' + rest % 10);
        status = allot__index_room(state->engine, &tasks->things.index);
        if (status == ALLOT_OK)
            status = put(state, &of, true, i > 0 ? allot__task_at(tasks, (int32_t)before) : NULL);
    }
    if (status == ALLOT_OK)
        return ALLOT_OK;
    allot__things_cut(state->engine, &tasks->things, before);
    allot__tasks_change(state);
    tasks->pending = pending;
    return status;
}

void allot__task_take(allot_state *state, const allot__thing *thing)
{
    allot__tasks *tasks = &state->tasks;
    const allot__task *task = (const allot__task *)(const void *)thing;
    int32_t number = thing->number, count = parts_of(task);
    tasks->pending -= task->pending ? (size_t)count : 0;
    tasks->coupled -= task->part > 0;
    tasks->spent++;
    note(state, task, -1);
    for (int32_t i = number; i < number + count; i++)
        allot__things_end(&tasks->things, allot__things_at(&tasks->things, i));
}

/* ---- Starting and stopping ------------------------------------------------------------------- */

bool allot__task_running(const allot_state *state, const char *id)
{
    int32_t number = allot__task_find(state, id);
    return number >= 0 && !allot__task_at(&state->tasks, number)->pending;
}

/* Changes a task's block in each of its groups; the host is stored in the first. */
static void turn(allot_state *state, int32_t number, bool pending, int64_t started, int32_t host)
{
    allot__tasks *tasks = &state->tasks;
    int32_t count = parts_of(allot__task_at(tasks, number));
    for (int32_t i = number; i < number + count; i++) {
        allot__task *task = (allot__task *)(void *)allot__things_at(&tasks->things, i);
        task->pending = pending;
        task->started = started;
        task->host = i == number ? host : -1;
        task->slot = -1;
    }
    tasks->pending += pending ? (size_t)count : -(size_t)count;
    tasks->spent++;
    if (count == 1)
        note(state, allot__task_at(tasks, number), number);
    else
        allot__tasks_change(state);
}

void allot__task_start(allot_state *state, int32_t number, int64_t started, int32_t host)
{
    turn(state, number, false, started, host);
    if (host >= 0)
        allot__label_at(&state->tasks, host)->is_host = true;
}

void allot__task_stop(allot_state *state, const char *id, bool waits)
{
    allot__things *things = &state->tasks.things;
    allot__thing *thing = allot__things_find(things, id);
    int32_t number = thing->number, count = parts_of(allot__task_at(&state->tasks, number));
    if (!waits) {
        allot__task_take(state, thing);
        return;
    }
    turn(state, number, true, 0, -1);
    for (int32_t i = number; i < number + count; i++) {
        allot__task *task = (allot__task *)(void *)allot__things_at(things, i);
        task->preempted += task->preempted < ALLOT_AMOUNT_MAX;
    }
}

ALLOT__GETTER(int32_t, allot_state_tasks, allot_state, (int32_t)allot__task_count(&it->tasks), 0)

static const char *text_of(const allot__tasks *tasks, int32_t label)
{
    return label < 0 ? NULL : allot__label_at(tasks, label)->text;
}

const char *allot_state_task_nearest(const allot_state *state, const char *id)
{
    enum { TRIED = 10000 };
    const char *nearest = NULL;
    if (!state || !id)
        return NULL;
    allot__near near = allot__near_begin(id, strlen(id));
    for (size_t i = 0; i < allot__task_count(&state->tasks) && i < TRIED; i++) {
        const allot__task *task = allot__task_at(&state->tasks, (int32_t)i);
        if (task->thing.number >= 0 &&
            allot__near_try(&near, task->thing.id, strlen(task->thing.id)))
            nearest = task->thing.id;
    }
    return nearest;
}

int allot_state_task_at(const allot_state *state, int32_t i, allot_task *out)
{
    if (!out || i < 0 || i >= allot_state_tasks(state))
        return ALLOT_EUSAGE;
    const allot__tasks *tasks = &state->tasks;
    const allot__task *task = allot__task_at(tasks, i);
    if (task->thing.number < 0 || task->part > 1)
        return ALLOT_ENOENT;
    static const allot_task plain = {.id = NULL};
    *out = task->rest ? *allot__task_rest(task) : plain;
    out->id = task->thing.id;
    out->consumer = task->consumer;
    out->group = task->group;
    out->slots = task->slots;
    out->started = task->started;
    out->submitted = task->submitted;
    out->session = text_of(tasks, task->session);
    out->host = text_of(tasks, task->host);
    out->slot = text_of(tasks, task->slot);
    out->preempted = task->preempted;
    out->state = task->pending ? ALLOT_TASK_PENDING : ALLOT_TASK_RUNNING;
    out->priority = task->priority;
    return ALLOT_OK;
}
