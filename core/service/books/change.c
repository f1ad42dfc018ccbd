/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* change.c: tasks that wait, start, change and finish. */
#include "service/books/own.h"

/* ---- What is told of a task ------------------------------------------------------------------ */

/* Values that are told take the place of those of the same attribute, or come beside them. */
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

/* The task as it is from now on: what is not told is as it was, or, of one told `whole`, unset;
 * but for the time at which it started. One that waits is nowhere. */
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

/* A task of another leaf is another task. */
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
        status = allot__event_task(books->plan, &of, &told, fault);
    if (status != ALLOT_OK)
        return status;
    change(&of, &old->it, &told, values, &task);
    status = allot__task_check_place(event, &task, fault);
    if (status == ALLOT_OK)
        status = allot__task_index_check_task(books, &task, fault);
    if (status == ALLOT_OK)
        status = allot__task_check_slots(books, old, &task, event->adopt, fault);
    if (status == ALLOT_OK)
        status = allot__origin_of(books, event, &source);
    if (status != ALLOT_OK)
        return status;
    bool wanted = !event->whole && !allot__task_runs(&old->it);
    return allot__task_replace(books, old, &task, source ? source : old->item->of.source, wanted);
}

/* One that nobody knows yet waits. When it came is known from now on, unless a truth has it. */
static int submit(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot_task task;
    if (allot__task_runs(&event->task))
        return allot__task_unknown(event, fault);
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

/* One that waits starts with what is known of it. */
int allot__apply_start(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot_task task;
    allot__known old;
    if (!allot__task_runs(&event->task))
        return allot__error_set(fault, ALLOT_EINVALID, "E-task-state", "state",
                                "`task` tells of tasks that wait",
                                "state: found \"pending\", allowed \"running\"");
    if (allot__task_known(books, event->id, &old) && !allot__task_runs(&old.it))
        return task_change(books, &old, event, ALLOT_TASK_RUNNING, fault);
    int status = allot__event_task_new(books->plan, event, &task, fault);
    return status == ALLOT_OK ? allot__books_start(books, &task, event, fault) : status;
}

/* Work that is done, or that waited, is wanted no more. */
int allot__apply_finish(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot__known task;
    if (!allot__task_known(books, event->id, &task))
        return allot__task_unknown(event, fault);
    bool runs = allot__task_runs(&task.it);
    allot__task_end(books, &task, event->keep, runs ? event->done : !event->keep);
    return ALLOT_OK;
}
