/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* task.c: what events say of tasks, and whether there are slots for them. */
#include "service/books/own.h"

/* ---- What events say of tasks ---------------------------------------------------------------- */

/* The group of its slots, or of its session, host and slot; not said: the host's, or the first. */
static int32_t own_group(const allot_plan *plan, const allot_task *task)
{
    int32_t host = task->host ? allot_plan_host_find(plan, task->host) : -1;
    int32_t group = host >= 0 ? allot_plan_host_group(plan, host) : -1;
    if (task->group >= 0)
        return task->group;
    for (int32_t i = 0; i < task->also_count; i++)
        if (task->also[i].group == group)
            return group;
    return task->also[0].group;
}

/* Slots of several groups: its own, which comes first from now on, and the others. */
static int take_own(const allot_plan *plan, allot_task *task, allot__error *fault)
{
    allot_task_slots *parts = (allot_task_slots *)task->also; /* the reader's */
    int32_t at = 0;
    task->group = own_group(plan, task);
    while (at < task->also_count && parts[at].group != task->group)
        at++;
    if (at == task->also_count)
        return allot__error_set(fault, ALLOT_EINVALID, "E-group", "slots", NULL,
                                "slots: found none of \"%s\", which is the task's group",
                                allot_plan_group_name(plan, task->group));
    allot_task_slots own = parts[at];
    memmove(parts + 1, parts, (size_t)at * sizeof *parts);
    parts[0] = own;
    task->slots = own.slots;
    task->also = parts + 1;
    task->also_count--;
    return ALLOT_OK;
}

int allot__event_task(const allot_plan *plan, const allot__event *event, allot_task *out,
                      allot__error *fault)
{
    *out = event->task;
    if (allot__task_runs(out) && !allot__event_said(event, "started"))
        out->started = event->at;
    return out->also_count > 0 ? take_own(plan, out, fault) : ALLOT_OK;
}

int allot__task_check_place(const allot__event *event, const allot_task *task, allot__error *fault)
{
    bool host = allot__event_said(event, "host"), slot = allot__event_said(event, "slot");
    const char *key = host ? "host" : slot ? "slot" : "started";
    bool there = host || slot || allot__event_said(event, "started");
    if (!allot__task_runs(task) && there)
        return allot__error_set(fault, ALLOT_EINVALID, "E-conflict", key, NULL,
                                "%s: found one of a task that is pending, allowed none", key);
    if (task->slot && task->also_count > 0)
        return allot__error_set(fault, ALLOT_EINVALID, "E-conflict", "slot", NULL,
                                "slot: found one of a task with slots of several groups, allowed "
                                "none: it shares no slot");
    return ALLOT_OK;
}

int allot__event_task_new(const allot_plan *plan, const allot__event *event, allot_task *out,
                          allot__error *fault)
{
    const char *name = allot__event_name((int)event->kind);
    if (event->task.consumer == ALLOT_ROOT)
        return allot__error_set(fault, ALLOT_EINVALID, "E-missing", "consumer", NULL,
                                "\"%s\" wants \"consumer\"", name);
    if (event->task.group < 0 && event->task.also_count == 0)
        return allot__error_set(fault, ALLOT_EINVALID, "E-group", "group", NULL,
                                "the plan has several groups: \"%s\" wants \"group\"", name);
    int status = allot__event_task(plan, event, out, fault);
    return status == ALLOT_OK ? allot__task_check_place(event, out, fault) : status;
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

static int refuse_slots(const allot__known *old, int64_t slots, int64_t free, int64_t lack,
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

int allot__task_check_slots(const allot__books *books, const allot__known *old,
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

/* A start told of as a task already. */
int allot__books_start(allot__books *books, const allot_task *task, const allot__event *event,
                       allot__error *fault)
{
    allot__books_unseal(books);
    books->when = event->at;
    int status = check_start(books, task, event->adopt, fault);
    return status == ALLOT_OK ? allot__task_new(books, task, event, false) : status;
}
