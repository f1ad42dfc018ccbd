/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* task.c: events of tasks: waiting, start, change and finish. */
#include "service/books/own.h"

/* ---- Tasks of events ------------------------------------------------------------------------- */

/* The group of its slots, or of its session, host and slot; not given: the host's, or the first. */
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

/* Slots of several groups: splits its own group's from the others'. */
static int take_own(const allot_plan *plan, allot_task *task, allot__error *fault)
{
    allot_task_slots *parts = (allot_task_slots *)task->also; /* owned by the reader */
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

static int event_task(const allot_plan *plan, const allot__event *event, allot_task *out,
                      allot__error *fault)
{
    *out = event->task;
    if (event->settled)
        return ALLOT_OK;
    if (allot__task_runs(out) && !allot__event_said(event, "started"))
        out->started = event->at;
    return out->also_count > 0 ? take_own(plan, out, fault) : ALLOT_OK;
}

static int check_place(const allot__event *event, const allot_task *task, allot__error *fault)
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
    int status = event_task(plan, event, out, fault);
    return status == ALLOT_OK && !event->settled ? check_place(event, out, fault) : status;
}

static int unknown_task(const allot__event *event, allot__error *fault)
{
    return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-task", "id", NULL,
                            "id: there is no task \"%.100s\"", event->id);
}

/* ---- Starts ---------------------------------------------------------------------------------- */

static int check_allocated(const allot__books *books, const allot_task *task, int64_t lack,
                           int32_t group, allot__error *fault)
{
    int64_t allocated = allot__leaf(books, group, task->consumer).allocated;
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

static int check_slots(const allot__books *books, const allot__known *old, const allot_task *task,
                       bool adopt, allot__error *fault)
{
    int status = ALLOT_OK;
    for (int32_t g = 0; g < (int32_t)books->group_count && status == ALLOT_OK; g++) {
        int64_t more = allot__task_more(books, old, task, g);
        int64_t free = allot__leaf(books, g, task->consumer).allocated -
                       allot__leaf_beside(books, g, task->consumer)->held;
        if (more > free && !adopt)
            return refuse_slots(old, allot__task_slots(task, g), free, more - free, fault);
        if (more > free)
            status = check_allocated(books, task, more - free, g, fault);
    }
    return status;
}

static int check_start(const allot__books *books, const allot_task *task, bool adopt, bool known,
                       allot__error *fault)
{
    if (known)
        return allot__error_set(fault, ALLOT_EEXIST, "E-duplicate-id", "id", NULL,
                                "id: the task \"%.100s\" runs already", task->id);
    int status = check_slots(books, NULL, task, adopt, fault);
    return status == ALLOT_OK ? allot__task_index_check_task(books, task, fault) : status;
}

/* ---- Changed tasks --------------------------------------------------------------------------- */

/* Given values replace those of the same attribute; others are added. */
static int32_t merge(const allot_task *old, const allot_task *told, allot_task_value *values)
{
    int32_t count = 0;
    for (int32_t i = 0, k = 0; i < old->value_count || k < told->value_count;) {
        const allot_task_value *mine = i < old->value_count ? &old->values[i] : NULL;
        const allot_task_value *other = k < told->value_count ? &told->values[k] : NULL;
        bool same = mine && other && mine->attribute == other->attribute;
        bool take = other && (!mine || other->attribute <= mine->attribute);
        values[count++] = take ? *other : *mine;
        i += !take || same;
        k += take;
    }
    return count;
}

/* The changed task: members not given keep their values, or are unset if the event is `whole`,
 * except its start time. A waiting task has no host. */
static void change(const allot__event *event, const allot_task *old, const allot_task *told,
                   allot_task_value *values, allot_task *out)
{
    bool started = allot__event_said(event, "started") || !allot__task_runs(old);
    *out = *old;
    allot__item_merge(ALLOT_ITEM_TASK, event->whole ? UINT32_MAX : event->stated, told, out);
    out->id = old->id;
    out->consumer = old->consumer;
    out->group = old->group;
    out->state = told->state;
    out->started = started ? told->started : old->started;
    out->values = event->whole ? told->values : values;
    out->value_count = event->whole ? told->value_count : merge(old, told, values);
    if (allot__task_runs(out))
        return;
    out->host = out->slot = NULL;
    out->started = 0;
}

/* Refuses to move a task to another leaf. */
static int check_leaf(const allot__books *books, const allot__event *event, const allot_task *old,
                      allot__error *fault)
{
    const allot_task *told = &event->task;
    bool moves = told->consumer != ALLOT_ROOT && told->consumer != old->consumer;
    const char *name = moves ? "consumer" : "group";
    char path[200] = "";
    if (!moves && (told->group < 0 || told->group == old->group))
        return ALLOT_OK;
    allot_plan_path(books->plan, old->consumer, path, sizeof path);
    return allot__error_set(fault, ALLOT_EINVALID, "E-conflict", name,
                            "a task of another leaf or group is another one: `finish` this",
                            "%s: found another one, allowed %.150s, which the task has", name,
                            moves ? path : allot_plan_group_name(books->plan, old->group));
}

static int task_change(allot__books *books, const allot__known *old, const allot__event *event,
                       allot_task_state state, allot__error *fault)
{
    allot_task_value values[ALLOT_ATTRIBUTES_MAX];
    allot_task told, task;
    const allot__origin *source;
    allot__event of = *event;
    int status = check_leaf(books, event, &old->it, fault);
    of.task.group = old->it.group;
    of.task.state = state;
    if (status == ALLOT_OK)
        status = event_task(books->plan, &of, &told, fault);
    if (status != ALLOT_OK)
        return status;
    change(&of, &old->it, &told, values, &task);
    status = check_place(event, &task, fault);
    if (status == ALLOT_OK)
        status = allot__task_index_check_task(books, &task, fault);
    if (status == ALLOT_OK)
        status = check_slots(books, old, &task, event->adopt, fault);
    if (status == ALLOT_OK)
        status = allot__origin_of(books, event, &source);
    if (status != ALLOT_OK)
        return status;
    bool wanted = !event->whole && !allot__task_runs(&old->it);
    return allot__task_replace(books, old, &task, source ? source : old->item->of.source, wanted);
}

/* A new task waits. Unless given, or in a truth, its submission is the event's time. */
static int submit(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot_task task;
    if (allot__task_runs(&event->task))
        return unknown_task(event, fault);
    int status = allot__event_task_new(books->plan, event, &task, fault);
    if (status == ALLOT_OK)
        status = allot__task_index_check_task(books, &task, fault);
    if (status != ALLOT_OK)
        return status;
    if (!event->whole && !allot__event_said(event, "submitted"))
        task.submitted = event->at;
    return allot__task_new(books, &task, event, !event->whole);
}

int allot__apply_task(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot__known old;
    bool stated = event->whole || allot__event_said(event, "state");
    if (!allot__task_known(books, event->id, &old))
        return submit(books, event, fault);
    return task_change(books, &old, event, stated ? event->task.state : old.it.state, fault);
}

/* ---- Starts and ends ----------------------------------------------------------------------------
 */

/* A waiting task starts with its known members. */
int allot__apply_start(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot_task task;
    allot__known old;
    if (!allot__task_runs(&event->task))
        return allot__error_set(fault, ALLOT_EINVALID, "E-task-state", "state",
                                "`task` tells of tasks that wait",
                                "state: found \"pending\", allowed \"running\"");
    bool known = allot__task_known(books, event->id, &old);
    if (known && !allot__task_runs(&old.it))
        return task_change(books, &old, event, ALLOT_TASK_RUNNING, fault);
    int status = allot__event_task_new(books->plan, event, &task, fault);
    if (status == ALLOT_OK)
        status = check_start(books, &task, event->adopt, known, fault);
    return status == ALLOT_OK ? allot__task_new(books, &task, event, false) : status;
}

/* Work that is done, or that waited, is no longer demanded. */
int allot__apply_finish(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot__known task;
    if (!allot__task_known(books, event->id, &task))
        return unknown_task(event, fault);
    bool runs = allot__task_runs(&task.it);
    allot__task_end(books, &task, event->keep, runs ? event->done : !event->keep);
    return ALLOT_OK;
}
