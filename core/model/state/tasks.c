/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * tasks.c: a state's tasks and sessions, arranged by leaf.
 *
 * This file owns: the life of allot__tasks.
 */
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "model/state/state.h"

/* What arranging a group works on; blocks of as many entries as the group has tasks. */
typedef struct arranging {
    allot_state *state;
    int32_t group;
    allot__units *units;
    int32_t *running, *waiting; /* by task: its leaf, if it runs or waits in the group; else -1 */
    bool slots;                 /* some running task has a named slot */
    int32_t *order;             /* tasks by leaf */
    int32_t *unit_of;           /* by place in `order`; NULL: no slot is shared */
    allot__index places;        /* by named slot: the place in `order` of its first task */
} arranging;

static size_t consumers(const allot_state *state)
{
    return (size_t)state->plan->tree.rows;
}

/* ---- Orders ---------------------------------------------------------------------------------- */

void allot__by_leaf(const int32_t *leaf, size_t n, size_t leaves, int32_t *first, int32_t *order)
{
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        if (leaf[i] >= 0)
            first[leaf[i]]++;
    for (size_t c = 0; c <= leaves; c++) {
        int32_t own = first[c];
        first[c] = sum;
        sum += own;
    }
    for (size_t i = 0; i < n; i++)
        if (leaf[i] >= 0)
            order[first[leaf[i]]++] = (int32_t)i;
    memmove(first + 1, first, leaves * sizeof *first); /* each is now at the start of the next */
    first[0] = 0;
}

/* Which of two tasks stands first? */
typedef bool comes_before(const allot__tasks *tasks, int32_t a, int32_t b);

typedef struct sorting {
    const allot__tasks *tasks;
    comes_before *before;
} sorting;

static bool comes_after(const void *ud, int32_t a, int32_t b)
{
    const sorting *it = ud;
    return it->before(it->tasks, b, a);
}

/* Sorts numbers of tasks, which are mostly in order already. */
static void sort(const allot__tasks *tasks, int32_t *list, int32_t count, comes_before *before)
{
    const sorting it = {tasks, before};
    int32_t sorted = 1;
    while (sorted < count && !before(tasks, list[sorted], list[sorted - 1]))
        sorted++;
    if (sorted >= count)
        return;
    allot__heap_make(list, count, comes_after, &it);
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t last = list[0];
        list[0] = list[i];
        list[i] = last;
        allot__heap_sink(list, i, 0, comes_after, &it);
    }
}

/* ---- Units ---- */

static bool same_slot(const allot__task *a, const allot__task *b)
{
    return a->slot == b->slot && a->host == b->host && a->consumer == b->consumer;
}

static uint32_t slot_hash(const allot__task *task)
{
    const int32_t key[3] = {task->consumer, task->host, task->slot};
    return allot__hash(0, (const char *)key, sizeof key);
}

/* The place in `order` of the first task on the same slot; -1: there was none, so it is this. */
static int32_t first_there(arranging *it, int32_t place)
{
    const allot__tasks *tasks = &it->state->tasks;
    const allot__task *task = allot__task_at(tasks, it->order[place]);
    uint32_t hash = slot_hash(task), probe = 0;
    int32_t found;
    while ((found = allot__index_next(&it->places, hash, &probe)) >= 0)
        if (same_slot(allot__task_at(tasks, it->order[found]), task))
            return found;
    allot__index_add(&it->places, hash, place);
    return -1;
}

/* Numbers the units, leaf by leaf, in place of the tasks in `first`. */
static int number_units(arranging *it)
{
    allot__units *units = it->units;
    const allot__tasks *tasks = &it->state->tasks;
    int32_t count = 0, place = 0;
    for (size_t c = 0; c < consumers(it->state); c++) {
        int32_t end = units->first[c + 1];
        units->first[c] = count;
        for (; place < end; place++) {
            int32_t before = -1;
            if (allot__task_at(tasks, it->order[place])->slot >= 0) {
                if (allot__index_room(it->state->engine, &it->places))
                    return ALLOT_ENOMEM;
                before = first_there(it, place);
            }
            it->unit_of[place] = before >= 0 ? it->unit_of[before] : count++;
        }
    }
    units->first[consumers(it->state)] = count;
    units->count = count;
    return ALLOT_OK;
}

/* Does task a of a unit stand before b, whatever the order in which they were added? */
static bool is_first_by_id(const allot__tasks *tasks, int32_t a, int32_t b)
{
    return strcmp(allot__task_at(tasks, a)->thing.id, allot__task_at(tasks, b)->thing.id) < 0;
}

/* Puts the tasks of each unit together. */
static int gather(arranging *it)
{
    allot__units *units = it->units;
    allot_engine *engine = it->state->engine;
    units->begin = allot__new(engine, (size_t)units->count + 1, sizeof *units->begin);
    if (!units->begin)
        return ALLOT_ENOMEM;
    int32_t *begin = units->begin, sum = 0;
    for (int32_t i = 0; i < units->task_count; i++)
        begin[it->unit_of[i]]++;
    for (int32_t u = 0; u <= units->count; u++) {
        int32_t own = begin[u];
        begin[u] = sum;
        sum += own;
    }
    for (int32_t i = 0; i < units->task_count; i++)
        units->tasks[begin[it->unit_of[i]]++] = it->order[i];
    memmove(begin + 1, begin, (size_t)units->count * sizeof *begin);
    begin[0] = 0;
    for (int32_t u = 0; u < units->count; u++)
        sort(&it->state->tasks, units->tasks + begin[u], begin[u + 1] - begin[u], is_first_by_id);
    return ALLOT_OK;
}

/* Room for so many, and for more to come if the state changes from cycle to cycle. */
static int32_t with_room(const allot_state *state, int32_t count)
{
    return count + (state->reopened ? count / 8 + 64 : 0);
}

static int make_units(arranging *it)
{
    allot__units *units = it->units;
    size_t count = (size_t)units->task_count;
    units->room = with_room(it->state, units->task_count);
    units->tasks = allot__new(it->state->engine, (size_t)units->room, sizeof *units->tasks);
    if (!units->tasks)
        return ALLOT_ENOMEM;
    if (!it->slots) {
        memcpy(units->tasks, it->order, count * sizeof *units->tasks);
        units->count = units->task_count;
        return ALLOT_OK;
    }
    it->unit_of = allot__new(it->state->engine, count, sizeof *it->unit_of);
    int status = it->unit_of ? number_units(it) : ALLOT_ENOMEM;
    if (status == ALLOT_OK)
        status = gather(it);
    allot__free(it->state->engine, it->unit_of, count, sizeof *it->unit_of);
    allot__index_free(it->state->engine, &it->places);
    return status;
}

/* ---- Groups ---- */

/* Sorts by leaf. Sets *count first, and only that if it is 0. ENOMEM: the caller frees the arrays
 * made so far, by *count. */
static int sort_by_leaf(arranging *it, const int32_t *leaf, size_t n, int32_t *count,
                        int32_t **first, int32_t **order)
{
    allot_state *state = it->state;
    *count = 0;
    for (size_t i = 0; i < n; i++)
        *count += leaf[i] >= 0;
    if (*count == 0)
        return ALLOT_OK;
    *first = allot__new(state->engine, consumers(state) + 1, sizeof **first);
    *order = allot__new(state->engine, (size_t)*count, sizeof **order);
    if (!*first || !*order)
        return ALLOT_ENOMEM;
    allot__by_leaf(leaf, n, consumers(state), *first, *order);
    return ALLOT_OK;
}

static int arrange_sessions(arranging *it)
{
    allot__units *units = it->units;
    allot_engine *engine = it->state->engine;
    size_t count = it->state->tasks.sessions.count;
    const allot_session *sessions = it->state->tasks.sessions.items;
    int32_t *leaf = allot__new(engine, count + 1, sizeof *leaf);
    if (!leaf)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < count; i++)
        leaf[i] = sessions[i].group == it->group ? sessions[i].consumer : -1;
    int status = sort_by_leaf(it, leaf, count, &units->session_count, &units->session_first,
                              &units->sessions);
    units->session_room = units->session_count;
    allot__free(engine, leaf, count + 1, sizeof *leaf);
    return status;
}

static void find_leaves(arranging *it)
{
    const allot__tasks *tasks = &it->state->tasks;
    it->slots = false;
    for (int32_t i = 0; i < (int32_t)allot__task_count(tasks); i++) {
        const allot__task *task = allot__task_at(tasks, i);
        bool here = task->group == it->group && task->consumer >= 0;
        it->running[i] = here && !task->pending ? task->consumer : -1;
        it->waiting[i] = here && task->pending ? task->consumer : -1;
        it->slots = it->slots || (here && task->slot >= 0);
    }
}

/* Lists waiting tasks, for each leaf in the order in which they start. */
static int arrange_waiting(arranging *it, allot__waiting *out)
{
    const allot__tasks *tasks = &it->state->tasks;
    allot_engine *engine = it->state->engine;
    int status = sort_by_leaf(it, it->waiting, allot__task_count(tasks), &out->count, &out->first,
                              &it->order);
    size_t count = (size_t)out->count, room = (size_t)with_room(it->state, out->count);
    if (status == ALLOT_OK && out->first) {
        out->room = (int32_t)room;
        out->end = out->first + 1;
        out->tasks = allot__new(engine, room, sizeof *out->tasks);
        out->slots = allot__new(engine, room, sizeof *out->slots);
        status = out->tasks && out->slots ? ALLOT_OK : ALLOT_ENOMEM;
    }
    if (status == ALLOT_OK && out->first)
        memcpy(out->tasks, it->order, count * sizeof *out->tasks);
    allot__free(engine, it->order, count, sizeof *it->order);
    it->order = NULL;
    for (size_t i = 0; status == ALLOT_OK && out->first && i < consumers(it->state); i++)
        sort(tasks, out->tasks + out->first[i], out->end[i] - out->first[i],
             allot__task_starts_before);
    for (size_t i = 0; status == ALLOT_OK && i < count; i++)
        out->slots[i] = allot__task_at(tasks, out->tasks[i])->slots;
    return status;
}

static int arrange_tasks(arranging *it)
{
    allot_state *state = it->state;
    allot__units *units = it->units;
    size_t count = allot__task_count(&state->tasks);
    find_leaves(it);
    int status =
        sort_by_leaf(it, it->running, count, &units->task_count, &units->first, &it->order);
    units->end = units->first ? units->first + 1 : NULL;
    if (status == ALLOT_OK && units->task_count > 0)
        status = make_units(it);
    allot__free(state->engine, it->order, (size_t)units->task_count, sizeof *it->order);
    it->order = NULL;
    if (status == ALLOT_OK && units->task_count > 0)
        status = allot__units_fill(state, units);
    if (status == ALLOT_OK && state->tasks.waiting)
        status = arrange_waiting(it, &state->tasks.waiting[it->group]);
    return status;
}

static int arrange_group(allot_state *state, int32_t group)
{
    size_t count = allot__task_count(&state->tasks) + 1;
    arranging it = {.state = state, .group = group, .units = &state->tasks.units[group]};
    it.running = allot__new(state->engine, count, sizeof *it.running);
    it.waiting = allot__new(state->engine, count, sizeof *it.waiting);
    int status = it.running && it.waiting ? arrange_sessions(&it) : ALLOT_ENOMEM;
    if (status == ALLOT_OK)
        status = arrange_tasks(&it);
    allot__free(state->engine, it.running, count, sizeof *it.running);
    allot__free(state->engine, it.waiting, count, sizeof *it.waiting);
    return status;
}

void allot__tasks_clear(allot_state *state)
{
    allot__tasks *tasks = &state->tasks;
    allot__tasks_release(state);
    allot__things_spare(state->engine, &tasks->things);
    tasks->spent = tasks->pending = tasks->coupled = 0;
    tasks->labels.count = tasks->sessions.count = tasks->flights.count = 0;
    allot__index_clear(&tasks->label_index);
    allot__pool_clear(state->engine, &tasks->pool);
}

static int arrange(allot_state *state)
{
    allot__tasks *tasks = &state->tasks;
    size_t groups = (size_t)state->plan->group_count, sessions = tasks->sessions.count;
    if (!state->reopened && tasks->things.spare == 0)
        allot__vector_trim(state->engine, &tasks->things.list);
    tasks->units = allot__new(state->engine, groups, sizeof *tasks->units);
    if (tasks->pending > 0)
        tasks->waiting = allot__new(state->engine, groups, sizeof *tasks->waiting);
    if (!tasks->units || (tasks->pending > 0 && !tasks->waiting))
        return ALLOT_ENOMEM;
    if (sessions > 0) {
        tasks->session_held = allot__new(state->engine, sessions, sizeof *tasks->session_held);
        tasks->session_room = sessions;
        if (!tasks->session_held)
            return ALLOT_ENOMEM;
    }
    int status = allot__sites_make(state);
    for (size_t i = 0; i < groups && status == ALLOT_OK; i++)
        status = arrange_group(state, (int32_t)i);
    return status;
}

int allot__tasks_arrange(allot_state *state)
{
    if (state->tasks.arranged && state->tasks.changed.count == 0)
        return ALLOT_OK;
    allot__tasks_release(state);
    int status = arrange(state);
    if (status)
        allot__tasks_release(state);
    state->tasks.arranged = status == ALLOT_OK;
    return status;
}

/* By leaf; of a leaf tasks that ended, then those that began as they were added. */
static int by_place(const void *a, const void *b)
{
    const allot__task_change *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->consumer != y->consumer)
        return x->consumer < y->consumer ? -1 : 1;
    return x->number == y->number ? 0 : x->number < y->number ? -1 : 1;
}

bool allot__tasks_arrange_changed(allot_state *state)
{
    allot__tasks *tasks = &state->tasks;
    allot__task_change *all = tasks->changed.items;
    size_t count = tasks->changed.count;
    size_t gone = tasks->things.gone, live = allot__task_count(tasks) - gone;
    bool done = tasks->arranged && (gone == 0 || (live > 0 && gone <= live / 8 + 256));
    if (count > 1)
        qsort(all, count, sizeof *all, by_place);
    for (size_t i = 0, end; done && i < count; i = end) {
        for (end = i + 1;
             end < count && all[end].group == all[i].group && all[end].consumer == all[i].consumer;)
            end++;
        done = allot__units_change(state, &tasks->units[all[i].group], all[i].consumer, all + i,
                                   end - i) &&
               allot__waiting_change(state, all[i].group, all[i].consumer, all + i, end - i);
    }
    tasks->arranged = done;
    return done;
}

static void release_units(allot_state *state, allot__units *units)
{
    allot_engine *engine = state->engine;
    size_t leaves = consumers(state) + 1;
    if (units->limit)
        allot__free(engine, units->end, 2 * (leaves - 1), sizeof *units->end);
    allot__free(engine, units->first, leaves, sizeof *units->first);
    allot__free(engine, units->held, leaves, sizeof *units->held);
    allot__free(engine, units->begin, (size_t)units->count + 1, sizeof *units->begin);
    allot__free(engine, units->tasks, (size_t)units->room, sizeof *units->tasks);
    allot__free(engine, units->block, units->bytes, 1);
    allot__free(engine, units->session_first, leaves, sizeof *units->session_first);
    allot__free(engine, units->sessions, (size_t)units->session_room, sizeof *units->sessions);
}

static void release_waiting(allot_state *state, allot__waiting *it)
{
    size_t leaves = consumers(state), room = (size_t)it->room;
    if (it->limit)
        allot__free(state->engine, it->end, 2 * leaves, sizeof *it->end);
    allot__free(state->engine, it->first, leaves + 1, sizeof *it->first);
    allot__free(state->engine, it->tasks, room, sizeof *it->tasks);
    allot__free(state->engine, it->slots, room, sizeof *it->slots);
}

void allot__tasks_release(allot_state *state)
{
    allot__tasks *tasks = &state->tasks;
    size_t groups = (size_t)state->plan->group_count;
    for (size_t i = 0; tasks->units && i < groups; i++)
        release_units(state, &tasks->units[i]);
    for (size_t i = 0; tasks->waiting && i < groups; i++)
        release_waiting(state, &tasks->waiting[i]);
    allot__free(state->engine, tasks->units, groups, sizeof *tasks->units);
    allot__free(state->engine, tasks->waiting, groups, sizeof *tasks->waiting);
    allot__free(state->engine, tasks->sites, (size_t)tasks->site_room, sizeof *tasks->sites);
    allot__free(state->engine, tasks->session_held, tasks->session_room,
                sizeof *tasks->session_held);
    tasks->units = NULL;
    tasks->waiting = NULL;
    tasks->sites = NULL;
    tasks->site_count = tasks->site_room = 0;
    tasks->session_held = NULL;
    tasks->session_room = 0;
    tasks->changed.count = 0;
    tasks->arranged = false;
}

void allot__tasks_free(allot_state *state)
{
    allot_engine *engine = state->engine;
    allot__tasks *tasks = &state->tasks;
    allot__tasks_release(state);
    allot__things_free(engine, &tasks->things);
    allot__vector_free(engine, &tasks->labels);
    allot__index_free(engine, &tasks->label_index);
    allot__vector_free(engine, &tasks->sessions);
    allot__vector_free(engine, &tasks->changed);
    allot__vector_free(engine, &tasks->flights);
    allot__pool_free(engine, &tasks->pool);
}
