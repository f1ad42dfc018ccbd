/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* task.c: tasks that start and finish, and slots of reclaims that come back. */
#include <stdio.h>

#include "service/books/own.h"

/* ---- Slots that tasks share ------------------------------------------------------------------ */

size_t allot__unit_key(const allot_task *task, char key[600])
{
    if (!task->slot)
        return 0;
    const char *host = task->host ? task->host : "";
    int len = snprintf(key, 600, "%d %d %zu %s %s", (int)task->group, (int)task->consumer,
                       strlen(host), host, task->slot);
    return len > 0 && len < 600 ? (size_t)len : 0;
}

allot__unit *allot__unit_of(const allot__books *books, const allot_task *task)
{
    char key[600];
    size_t len = allot__unit_key(task, key);
    return len > 0 ? (void *)allot__map_find(&books->units, key, len) : NULL;
}

int64_t allot__task_needs(const allot__books *books, const allot_task *task)
{
    const allot__unit *unit = allot__unit_of(books, task);
    int64_t there = unit ? unit->slots : 0;
    return task->slots > there ? task->slots - there : 0;
}

/* The unit of a task with a slot, made where there is none; ENOMEM. *out NULL: it needs none. */
static int join_unit(allot__books *books, const allot_task *task, allot__unit **out)
{
    char key[600];
    size_t len = allot__unit_key(task, key);
    *out = allot__unit_of(books, task);
    if (len == 0 || *out)
        return ALLOT_OK;
    allot__unit *unit = allot__unit_make(books->engine, key, len);
    if (!unit || allot__item_put(books->engine, &books->units, NULL, unit) != ALLOT_OK)
        return ALLOT_ENOMEM;
    *out = unit;
    return ALLOT_OK;
}

int allot__task_begin(allot__books *books, allot__task_item *task)
{
    int64_t more = allot__task_needs(books, &task->it);
    if (allot__map_reserve(&books->tasks) != ALLOT_OK ||
        allot__task_index_join(books, task) != ALLOT_OK)
        return ALLOT_ENOMEM;
    if (join_unit(books, &task->it, &task->unit) != ALLOT_OK) {
        allot__task_index_leave(books, task);
        return ALLOT_ENOMEM;
    }
    if (task->unit) {
        task->next = task->unit->first;
        task->unit->first = task;
        task->unit->slots += more;
    }
    allot__map_put(&books->tasks, &task->named);
    books->groups[task->it.group].held[task->it.consumer] += (int32_t)more;
    allot__books_tell(books, ALLOT_ITEM_TASK, &task->it);
    return ALLOT_OK;
}

/* What a unit has with the tasks that are in it; one without any ends. */
static int64_t sum_unit(allot__books *books, allot__unit *unit)
{
    int64_t most = 0;
    for (const allot__task_item *it = unit->first; it; it = it->next)
        most = it->it.slots > most ? it->it.slots : most;
    unit->slots = most;
    if (!unit->first)
        allot__item_end(books->engine, &books->units, unit);
    return most;
}

static void unlink_task(allot__unit *unit, const allot__task_item *task)
{
    allot__task_item **at = &unit->first;
    while (*at && *at != task)
        at = &(*at)->next;
    if (*at)
        *at = task->next;
}

/* Takes a task out of its unit; how many slots nobody has then. */
static int64_t leave_unit(allot__books *books, allot__task_item *task)
{
    allot__unit *unit = task->unit;
    if (!unit)
        return task->it.slots;
    int64_t before = unit->slots;
    unlink_task(unit, task);
    return before - sum_unit(books, unit);
}

void allot__task_end(allot__books *books, allot__task_item *task, bool keep)
{
    allot__books_group *group = &books->groups[task->it.group];
    int32_t leaf = task->it.consumer, of = task->it.group;
    int64_t less = leave_unit(books, task);
    allot__books_untell(books, ALLOT_ITEM_TASK, task->it.id);
    allot__victim_gone(books, task->it.id);
    allot__task_index_leave(books, task);
    allot__item_end(books->engine, &books->tasks, task);
    group->held[leaf] -= (int32_t)less;
    if (!keep)
        allot__books_allocate(books, of, leaf, group->allocated[leaf] - less);
}

/* ---- The same task, otherwise told ----------------------------------------------------------- */

static void link_task(allot__unit *unit, allot__task_item *task)
{
    task->next = unit->first;
    unit->first = task;
}

/* All that may fail. */
static int prepare(allot__books *books, const allot_task *task, allot__task_item **out)
{
    allot__task_item *item = allot__task_make(books->engine, task);
    if (!item || allot__task_index_join(books, item) != ALLOT_OK) {
        allot__item_free(books->engine, item);
        return ALLOT_ENOMEM;
    }
    if (join_unit(books, &item->it, &item->unit) != ALLOT_OK) {
        allot__task_index_leave(books, item);
        allot__item_free(books->engine, item);
        return ALLOT_ENOMEM;
    }
    *out = item;
    return ALLOT_OK;
}

/* It comes to stand behind all others, as in the state, which is told of changes alone. */
int allot__task_replace(allot__books *books, allot__task_item *old, const allot_task *task,
                        const allot__origin *source)
{
    allot__task_item *item;
    int status = prepare(books, task, &item);
    if (status != ALLOT_OK)
        return status;
    allot__unit *from = old->unit, *to = item->unit;
    int64_t more = -(from ? from->slots : old->it.slots) - (to && to != from ? to->slots : 0);
    item->told = old->told;
    item->source = source;
    item->seen = old->seen;
    if (to)
        link_task(to, item);
    if (from)
        unlink_task(from, old);
    more += from ? sum_unit(books, from) : 0;
    more += !to ? item->it.slots : to != from ? sum_unit(books, to) : 0;
    allot__task_index_leave(books, old);
    allot__item_end(books->engine, &books->tasks, old);
    allot__map_put(&books->tasks, &item->named); /* for which there is room: one has just left */
    books->groups[item->it.group].held[item->it.consumer] += (int32_t)more;
    allot__books_tell(books, ALLOT_ITEM_TASK, &item->it);
    return ALLOT_OK;
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* In the order of the plan, however they were said. */
int32_t allot__event_values(const allot_plan *plan, const allot__event *event,
                            allot_task_value *values)
{
    allot_attribute attribute;
    int32_t count = 0;
    for (int32_t k = 0; event->attributes.count > count; k++) {
        if (allot_plan_task_attribute_at(plan, k, &attribute) != ALLOT_OK)
            break;
        for (int32_t i = 0; i < event->attributes.count; i++)
            if (strcmp(attribute.name, event->attributes.items[i].key) == 0)
                values[count++] = (allot_task_value){k, event->attributes.items[i].number};
    }
    return count;
}

int allot__event_task(const allot_plan *plan, const allot__event *event, allot__task_room *room,
                      allot_task *out, allot__error *fault)
{
    enum { TAGS_MOST = sizeof room->tags / sizeof *room->tags };
    if (event->tags.count > TAGS_MOST)
        return allot__error_set(fault, ALLOT_ERANGE, "E-range", "tags", NULL,
                                "tags: found %d, allowed at most %d", (int)event->tags.count,
                                TAGS_MOST);
    for (int32_t i = 0; i < event->tags.count; i++)
        room->tags[i] = event->tags.items[i].text;
    *out = (allot_task){.id = event->id,
                        .consumer = event->consumer,
                        .group = event->group,
                        .slots = event->slots,
                        .started = event->started_given ? event->started : event->at,
                        .submitted = event->submitted,
                        .session = event->session,
                        .host = event->host,
                        .slot = event->slot,
                        .preempted = event->preempted,
                        .priority = 1,
                        .tags = room->tags,
                        .tag_count = event->tags.count,
                        .values = room->values,
                        .value_count = allot__event_values(plan, event, room->values)};
    return ALLOT_OK;
}

int allot__adopt_check(const allot__books *books, const allot_task *task, int64_t lack,
                       allot__error *fault)
{
    int64_t allocated = books->groups[task->group].allocated[task->consumer];
    if (allocated + lack <= ALLOT_AMOUNT_MAX)
        return ALLOT_OK;
    return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                            "slots: found %lld, its leaf would have %lld, at most %d are allowed",
                            (long long)task->slots, (long long)(allocated + lack),
                            ALLOT_AMOUNT_MAX);
}

/* *lack: slots that are not allocated, of a task that is adopted. */
static int check_start(const allot__books *books, const allot_task *task, bool adopt, int64_t *lack,
                       allot__error *fault)
{
    const allot__books_group *group = &books->groups[task->group];
    int64_t free = group->allocated[task->consumer] - group->held[task->consumer];
    int64_t needs = allot__task_needs(books, task);
    *lack = needs > free ? needs - free : 0;
    if (allot__item_find(&books->tasks, task->id))
        return allot__error_set(fault, ALLOT_EEXIST, "E-duplicate-id", "id", NULL,
                                "id: the task \"%.100s\" runs already", task->id);
    if (*lack > 0 && !adopt)
        return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                                "slots: found %lld, allowed at most %lld, what is allocated and "
                                "free",
                                (long long)task->slots, (long long)free);
    int status = allot__adopt_check(books, task, *lack, fault);
    return status == ALLOT_OK ? allot__task_index_check_task(books, task, fault) : status;
}

/* A start told of as a task already. */
int allot__books_start(allot__books *books, const allot_task *task, const allot__event *event,
                       allot__error *fault)
{
    const allot__origin *source;
    int64_t lack;
    allot__books_unseal(books);
    books->when = event->at;
    int status = check_start(books, task, event->adopt, &lack, fault);
    if (status == ALLOT_OK)
        status = allot__origin_of(books, event, &source);
    if (status != ALLOT_OK)
        return status;
    allot__task_item *item = allot__task_make(books->engine, task);
    if (!item)
        return ALLOT_ENOMEM;
    item->told = event->told;
    item->source = source;
    status = allot__task_begin(books, item);
    if (status != ALLOT_OK) {
        allot__item_free(books->engine, item);
        return status;
    }
    if (lack > 0)
        allot__books_allocate(books, task->group, task->consumer,
                              books->groups[task->group].allocated[task->consumer] + lack);
    return ALLOT_OK;
}

int allot__task_check_runs(const allot__event *event, allot__error *fault)
{
    if (event->task_state == 0)
        return ALLOT_OK;
    return allot__error_set(fault, ALLOT_EINVALID, "E-task-state", "state",
                            "a leaf's `demand` has the slots of its tasks that wait",
                            "state: found \"pending\", allowed \"running\"");
}

int allot__apply_start(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot__task_room room;
    allot_task task;
    int status = allot__task_check_runs(event, fault);
    if (status == ALLOT_OK)
        status = allot__event_task(books->plan, event, &room, &task, fault);
    return status == ALLOT_OK ? allot__books_start(books, &task, event, fault) : status;
}

/* Work that is done is wanted no more: what its leaf demands, less the slots that it freed. */
static void lower_demand(allot__books *books, int32_t group, int32_t leaf, int32_t freed)
{
    int32_t *demand = &books->groups[group].demand[leaf];
    *demand = freed < *demand ? *demand - freed : 0;
    allot__demand_tell(books, group, leaf);
}

int allot__apply_finish(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot__map_item *task = allot__item_find(&books->tasks, event->id);
    if (!task)
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-task", "id", NULL,
                                "id: no task \"%.100s\" runs", event->id);
    int32_t group = allot__task_of(task)->it.group, leaf = allot__task_of(task)->it.consumer;
    const int32_t *held = &books->groups[group].held[leaf];
    int32_t before = *held;
    allot__task_end(books, allot__task_of(task), event->keep);
    if (event->done)
        lower_demand(books, group, leaf, before - *held);
    return ALLOT_OK;
}

/* Claims get the slots that come back best first. */
static void take_claims(allot_in_flight *flight, int64_t slots)
{
    allot_claim *claims = (allot_claim *)flight->claims; /* of the same block */
    int32_t left = 0;
    for (int32_t i = 0; i < flight->claim_count; i++) {
        int64_t part = claims[i].slots < slots ? claims[i].slots : slots;
        slots -= part;
        if (claims[i].slots > part)
            claims[left++] = (allot_claim){claims[i].consumer, claims[i].slots - part};
    }
    flight->claim_count = left;
}

int allot__apply_returned(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot__flight_item *item = allot__item_find(&books->flights, event->id);
    if (!item)
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-reclaim", "reclaim", NULL,
                                "reclaim: nothing is in flight as \"%.100s\"", event->id);
    allot_in_flight *flight = &item->it;
    const allot__books_group *group = &books->groups[flight->group];
    int64_t allocated = group->allocated[flight->consumer];
    int64_t free = allocated - group->held[flight->consumer];
    int64_t most = flight->slots < free || event->keep ? flight->slots : free;
    if (flight->task_count + flight->gone > 0)
        return allot__error_set(fault, ALLOT_EUSAGE, "E-conflict", "reclaim", NULL,
                                "reclaim: its slots come back as its tasks finish");
    if (event->slots > most)
        return allot__error_set(fault, ALLOT_ERANGE, "E-range", "slots", NULL,
                                "slots: found %lld, allowed at most %lld", (long long)event->slots,
                                (long long)most);
    allot__map_touch(&books->flights, &item->named);
    if (!event->keep)
        allot__books_allocate(books, flight->group, flight->consumer, allocated - event->slots);
    flight->slots -= event->slots;
    take_claims(flight, event->slots);
    if (flight->slots > 0) {
        allot__books_tell(books, ALLOT_ITEM_RECLAIM, flight);
        return ALLOT_OK;
    }
    allot__books_untell(books, ALLOT_ITEM_RECLAIM, flight->id);
    allot__item_end(books->engine, &books->flights, item);
    return ALLOT_OK;
}
