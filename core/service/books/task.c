/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* task.c: what events say of tasks, and whether there are slots for them. */
#include "service/books/own.h"

/* ---- What events say of tasks -----------------------------------------------------------------
 */

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

/* The group of its slots, or of its session, host and slot; not said: the host's, or the first. */
static int32_t own_group(const allot_plan *plan, const allot__event *event,
                         const allot_task_slots *parts, int32_t count)
{
    int32_t host = event->host ? allot_plan_host_find(plan, event->host) : -1;
    int32_t group = host >= 0 ? allot_plan_host_group(plan, host) : -1;
    if (event->group >= 0)
        return event->group;
    for (int32_t i = 0; i < count; i++)
        if (parts[i].group == group)
            return group;
    return parts[0].group;
}

/* Slots of several groups, however they were said: its own first, the others in the plan's order.
 */
static int read_parts(const allot_plan *plan, const allot__event *event, allot__task_room *room,
                      allot_task *out, allot__error *fault)
{
    allot_task_slots *parts = room->also;
    int32_t count = 0, at = 0;
    for (int32_t i = 0; i < event->parts.count; i++, count++) {
        const allot__pair *pair = &event->parts.items[i];
        int32_t group = allot_plan_group_find(plan, pair->key, strlen(pair->key)), k = count;
        for (; k > 0 && parts[k - 1].group > group; k--)
            parts[k] = parts[k - 1];
        parts[k] = (allot_task_slots){group, pair->number};
    }
    out->group = own_group(plan, event, parts, count);
    while (at < count && parts[at].group != out->group)
        at++;
    if (at == count)
        return allot__error_set(fault, ALLOT_EINVALID, "E-group", "slots", NULL,
                                "slots: found none of \"%s\", which is the task's group",
                                allot_plan_group_name(plan, out->group));
    out->slots = parts[at].slots;
    memmove(parts + at, parts + at + 1, (size_t)(count - at - 1) * sizeof *parts);
    out->also = parts;
    out->also_count = count - 1;
    return ALLOT_OK;
}

static int check_room(const allot__event *event, allot__error *fault)
{
    enum { MOST = ALLOT__TASK_LISTS };
    int32_t count = event->tags.count > MOST ? event->tags.count : event->parts.count;
    const char *name = event->tags.count > MOST ? "tags" : "slots";
    if (count <= MOST)
        return ALLOT_OK;
    return allot__error_set(fault, ALLOT_ERANGE, "E-range", name, NULL,
                            "%s: found %d, allowed at most %d", name, (int)count, MOST);
}

int allot__event_task(const allot_plan *plan, const allot__event *event, allot__task_room *room,
                      allot_task *out, allot__error *fault)
{
    bool runs = event->task_state == ALLOT_TASK_RUNNING;
    int status = check_room(event, fault);
    if (status != ALLOT_OK)
        return status;
    for (int32_t i = 0; i < event->tags.count; i++)
        room->tags[i] = event->tags.items[i].text;
    *out = (allot_task){.id = event->id,
                        .consumer = event->consumer,
                        .group = event->group,
                        .slots = event->slots,
                        .started = event->started_given ? event->started
                                   : runs               ? event->at
                                                        : 0,
                        .submitted = event->submitted,
                        .session = event->session,
                        .host = event->host,
                        .slot = event->slot,
                        .preempted = event->preempted,
                        .priority = event->priority,
                        .state = (allot_task_state)event->task_state,
                        .tags = room->tags,
                        .tag_count = event->tags.count,
                        .values = room->values,
                        .value_count = allot__event_values(plan, event, room->values)};
    return event->parts.count > 0 ? read_parts(plan, event, room, out, fault) : ALLOT_OK;
}

int allot__event_task_leaf(const allot_plan *plan, const allot__event *event, allot__error *fault)
{
    const char *name = allot__event_name((int)event->kind);
    if (event->consumer == ALLOT_ROOT)
        return allot__error_set(fault, ALLOT_EINVALID, "E-missing", "consumer", NULL,
                                "\"%s\" wants \"consumer\"", name);
    if (allot_plan_groups(plan) > 1 && event->group < 0 && event->parts.count == 0)
        return allot__error_set(fault, ALLOT_EINVALID, "E-group", "group", NULL,
                                "the plan has several groups: \"%s\" wants \"group\"", name);
    return ALLOT_OK;
}

int allot__event_task_place(const allot__event *event, const allot_task *task, allot__error *fault)
{
    const char *key = event->host ? "host" : event->slot ? "slot" : "started";
    bool there = event->host || event->slot || event->started_given;
    if (!allot__task_runs(task) && there)
        return allot__error_set(fault, ALLOT_EINVALID, "E-conflict", key, NULL,
                                "%s: found one of a task that is pending, allowed none", key);
    if (task->slot && task->also_count > 0)
        return allot__error_set(fault, ALLOT_EINVALID, "E-conflict", "slot", NULL,
                                "slot: found one of a task with slots of several groups, allowed "
                                "none: it shares no slot");
    return ALLOT_OK;
}

int allot__task_unknown(const allot__event *event, allot__error *fault)
{
    return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-task", "id", NULL,
                            "id: there is no task \"%.100s\"", event->id);
}

/* ---- Starts ---------------------------------------------------------------------------------- */

static int check_allocated(const allot__books *books, const allot_task *task, int64_t lack,
                           int32_t group, allot__error *fault)
{
    int64_t allocated = books->groups[group].allocated[task->consumer];
    if (allocated + lack <= ALLOT_AMOUNT_MAX)
        return ALLOT_OK;
    return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                            "slots: found %lld, its leaf would have %lld, at most %d are allowed",
                            (long long)allot__task_slots(task, group),
                            (long long)(allocated + lack), ALLOT_AMOUNT_MAX);
}

static int refuse_slots(const allot__task_item *old, int64_t slots, int64_t free, int64_t lack,
                        allot__error *fault)
{
    if (old && allot__task_runs(&old->it))
        return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                                "slots: found %lld, %lld more than is allocated and free",
                                (long long)slots, (long long)lack);
    return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                            "slots: found %lld, allowed at most %lld, what is allocated and free",
                            (long long)slots, (long long)free);
}

int allot__task_check_slots(const allot__books *books, const allot__task_item *old,
                            const allot_task *task, bool adopt, allot__error *fault)
{
    int status = ALLOT_OK;
    for (int32_t g = 0; g < (int32_t)books->group_count && status == ALLOT_OK; g++) {
        const allot__books_group *group = &books->groups[g];
        int64_t more = allot__task_more(books, old, task, g);
        int64_t free = group->allocated[task->consumer] - group->held[task->consumer];
        if (more > free && !adopt)
            return refuse_slots(old, allot__task_slots(task, g), free, more - free, fault);
        if (more > free)
            status = check_allocated(books, task, more - free, g, fault);
    }
    return status;
}

static int check_start(const allot__books *books, const allot_task *task, bool adopt,
                       allot__error *fault)
{
    if (allot__item_find(&books->tasks, task->id))
        return allot__error_set(fault, ALLOT_EEXIST, "E-duplicate-id", "id", NULL,
                                "id: the task \"%.100s\" runs already", task->id);
    int status = allot__task_check_slots(books, NULL, task, adopt, fault);
    return status == ALLOT_OK ? allot__task_index_check_task(books, task, fault) : status;
}

int allot__task_new(allot__books *books, const allot_task *task, const allot__event *event,
                    bool wanted)
{
    const allot__origin *source;
    if (allot__origin_of(books, event, &source) != ALLOT_OK)
        return ALLOT_ENOMEM;
    allot__task_item *item = allot__task_make(books->engine, task);
    if (!item)
        return ALLOT_ENOMEM;
    item->told = event->told;
    item->source = source;
    int status = allot__task_begin(books, item, wanted);
    if (status != ALLOT_OK)
        allot__item_free(books->engine, item);
    return status;
}

/* A start told of as a task already. */
int allot__books_start(allot__books *books, const allot_task *task, const allot__event *event,
                       allot__error *fault)
{
    allot__books_unseal(books);
    books->when = event->at;
    int status = check_start(books, task, event->adopt, fault);
    return status == ALLOT_OK ? allot__task_new(books, task, event, false) : status;
}
