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

static allot__unit *unit_of(const allot__books *books, const allot_task *task)
{
    char key[600];
    size_t len = allot__unit_key(task, key);
    return len > 0 ? (void *)allot__map_find(&books->units, key, len) : NULL;
}

int64_t allot__task_needs(const allot__books *books, const allot_task *task)
{
    const allot__unit *unit = unit_of(books, task);
    int64_t there = unit ? unit->slots : 0;
    return task->slots > there ? task->slots - there : 0;
}

/* The unit of a task with a slot, made where there is none; ENOMEM. *out NULL: it needs none. */
static int join_unit(allot__books *books, const allot_task *task, allot__unit **out)
{
    char key[600];
    size_t len = allot__unit_key(task, key);
    *out = unit_of(books, task);
    if (len == 0 || *out)
        return ALLOT_OK;
    allot__unit *unit = allot__unit_make(books->engine, key, len);
    if (!unit || allot__item_put(books->engine, &books->units, NULL, unit) != ALLOT_OK)
        return ALLOT_ENOMEM;
    *out = unit;
    return ALLOT_OK;
}

/* Is what is done to tasks done to the state as well? Else it is filled anew. */
static bool in_state(const allot__books *books)
{
    return books->state != NULL && !books->lists_dirty;
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
    if (in_state(books) && allot_state_task(books->state, &task->it) != ALLOT_OK)
        books->lists_dirty = true;
    return ALLOT_OK;
}

/* Takes a task out of its unit; how many slots nobody has then. */
static int64_t leave_unit(allot__books *books, allot__task_item *task)
{
    allot__unit *unit = task->unit;
    int64_t most = 0;
    if (!unit)
        return task->it.slots;
    for (allot__task_item **at = &unit->first; *at != NULL;) {
        if (*at == task) {
            *at = task->next;
            continue;
        }
        most = (*at)->it.slots > most ? (*at)->it.slots : most;
        at = &(*at)->next;
    }
    int64_t less = unit->slots - most;
    unit->slots = most;
    if (!unit->first)
        allot__item_end(books->engine, &books->units, unit);
    return less;
}

void allot__task_end(allot__books *books, allot__task_item *task, bool keep)
{
    allot__books_group *group = &books->groups[task->it.group];
    int32_t leaf = task->it.consumer, of = task->it.group;
    int64_t less = leave_unit(books, task);
    if (in_state(books) && allot_state_task_end(books->state, task->it.id) != ALLOT_OK)
        books->lists_dirty = true;
    books->ended++;
    allot__victim_gone(books, task->it.id);
    allot__task_index_leave(books, task);
    allot__item_end(books->engine, &books->tasks, task);
    group->held[leaf] -= (int32_t)less;
    if (!keep)
        allot__books_allocate(books, of, leaf, group->allocated[leaf] - less);
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* In the order of the plan, however they were said. */
int32_t allot__event_values(const allot__books *books, const allot__event *event,
                            allot_task_value *values)
{
    allot_attribute attribute;
    int32_t count = 0;
    for (int32_t k = 0; event->attributes.count > count; k++) {
        if (allot_plan_task_attribute_at(books->plan, k, &attribute) != ALLOT_OK)
            break;
        for (int32_t i = 0; i < event->attributes.count; i++)
            if (strcmp(attribute.name, event->attributes.items[i].key) == 0)
                values[count++] = (allot_task_value){k, event->attributes.items[i].number};
    }
    return count;
}

static int check_start(const allot__books *books, const allot_task *task, bool told,
                       allot__error *fault)
{
    const allot__books_group *group = &books->groups[task->group];
    int64_t free = group->allocated[task->consumer] - group->held[task->consumer];
    if (allot__item_find(&books->tasks, task->id))
        return allot__error_set(fault, ALLOT_EEXIST, "E-duplicate-id", "id", NULL,
                                "id: the task \"%.100s\" runs already", task->id);
    if (!told && allot__task_needs(books, task) > free)
        return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                                "slots: found %lld, allowed at most %lld, what is allocated and "
                                "free",
                                (long long)task->slots, (long long)free);
    return ALLOT_OK;
}

int allot__apply_start(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot_task_value values[ALLOT_ATTRIBUTES_MAX];
    const char *tags[256];
    if (event->tags.count > 256)
        return allot__error_set(fault, ALLOT_ERANGE, "E-range", "tags", NULL,
                                "tags: found %d, allowed at most 256", (int)event->tags.count);
    for (int32_t i = 0; i < event->tags.count; i++)
        tags[i] = event->tags.items[i].text;
    allot_task task = {.id = event->id,
                       .consumer = event->consumer,
                       .group = event->group,
                       .slots = event->slots,
                       .started = event->started_given ? event->started : event->at,
                       .submitted = event->submitted,
                       .session = event->session,
                       .host = event->host,
                       .slot = event->slot,
                       .preempted = event->preempted,
                       .tags = tags,
                       .tag_count = event->tags.count,
                       .values = values,
                       .value_count = allot__event_values(books, event, values)};
    int status = check_start(books, &task, false, fault);
    if (status == ALLOT_OK)
        status = allot__task_index_check_task(books, &task, fault);
    if (status != ALLOT_OK)
        return status;
    allot__task_item *item = allot__task_make(books->engine, &task);
    if (!item)
        return ALLOT_ENOMEM;
    item->told = event->told;
    status = allot__task_begin(books, item);
    if (status != ALLOT_OK)
        allot__item_free(books->engine, item);
    return status;
}

int allot__apply_finish(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot__map_item *task = allot__item_find(&books->tasks, event->id);
    if (!task)
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-task", "id", NULL,
                                "id: no task \"%.100s\" runs", event->id);
    allot__task_end(books, allot__task_of(task), event->keep);
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
    int64_t most = flight->slots < free ? flight->slots : free;
    if (flight->task_count + flight->gone > 0)
        return allot__error_set(fault, ALLOT_EUSAGE, "E-conflict", "reclaim", NULL,
                                "reclaim: its slots come back as its tasks finish");
    if (event->slots > most)
        return allot__error_set(fault, ALLOT_ERANGE, "E-range", "slots", NULL,
                                "slots: found %lld, allowed at most %lld", (long long)event->slots,
                                (long long)most);
    allot__map_touch(&books->flights, &item->named);
    allot__books_allocate(books, flight->group, flight->consumer, allocated - event->slots);
    flight->slots -= event->slots;
    take_claims(flight, event->slots);
    if (flight->slots == 0) {
        books->numbered_count = 0;
        allot__item_end(books->engine, &books->flights, item);
    }
    books->orders_dirty = true;
    return ALLOT_OK;
}
