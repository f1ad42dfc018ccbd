/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* change.c: running tasks that change, and grants that are declined for a while. */
#include "service/books/own.h"

#include "base/memory.h"

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
 * but for the time at which it started. */
static void change(const allot__event *event, const allot_task *old, const allot_task *told,
                   allot_task_value *values, allot_task *out)
{
    bool whole = event->whole;
    *out = *old;
    out->slots = whole || event->slots_given ? told->slots : old->slots;
    out->session = whole || told->session ? told->session : old->session;
    out->host = whole || told->host ? told->host : old->host;
    out->slot = whole || told->slot ? told->slot : old->slot;
    out->started = event->started_given ? told->started : old->started;
    out->submitted = whole || event->submitted_given ? told->submitted : old->submitted;
    out->preempted = whole || event->preempted_given ? told->preempted : old->preempted;
    if (whole || event->tags_given) {
        out->tags = told->tags;
        out->tag_count = told->tag_count;
    }
    out->values = whole ? told->values : values;
    out->value_count = whole ? told->value_count : merge(old, told, values);
}

/* What leaves hold by a task alone: its unit's slots without it, and with the other in its place;
 * slots that the leaf takes more (less: below 0). */
static int64_t difference(const allot__books *books, const allot__task_item *old,
                          const allot_task *task)
{
    const allot__unit *from = old->unit, *to = allot__unit_of(books, task);
    int64_t rest = 0;
    for (const allot__task_item *it = from ? from->first : NULL; it; it = it->next)
        rest = it != old && it->it.slots > rest ? it->it.slots : rest;
    int64_t gone = from ? from->slots - rest : old->it.slots;
    int64_t there = !to ? 0 : to == from ? rest : to->slots;
    return (task->slots > there ? task->slots - there : 0) - gone;
}

/* The slots that the leaf lacks for what its tasks take more. ERANGE. */
static int check_slots(const allot__books *books, const allot_task *task, int64_t more, bool adopt,
                       int64_t *lack, allot__error *fault)
{
    const allot__books_group *group = &books->groups[task->group];
    int64_t free = group->allocated[task->consumer] - group->held[task->consumer];
    *lack = more > free ? more - free : 0;
    if (*lack > 0 && !adopt)
        return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                                "slots: found %lld, %lld more than is allocated and free",
                                (long long)task->slots, (long long)*lack);
    return allot__adopt_check(books, task, *lack, fault);
}

int allot__apply_task(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot__task_item *old = allot__item_find(&books->tasks, event->id);
    if (!old)
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-task", "id", NULL,
                                "id: no task \"%.100s\" runs", event->id);
    allot__task_room room;
    allot_task_value values[ALLOT_ATTRIBUTES_MAX];
    allot_task told, task;
    const allot__origin *source;
    int64_t lack;
    int status = allot__task_check_runs(event, fault);
    if (status == ALLOT_OK)
        status = allot__event_task(books->plan, event, &room, &told, fault);
    if (status != ALLOT_OK)
        return status;
    change(event, &old->it, &told, values, &task);
    status = allot__task_index_check_task(books, &task, fault);
    int64_t more = difference(books, old, &task);
    if (status == ALLOT_OK)
        status = check_slots(books, &task, more, event->adopt, &lack, fault);
    if (status == ALLOT_OK)
        status = allot__origin_of(books, event, &source);
    if (status != ALLOT_OK)
        return status;
    int32_t group = task.group, leaf = task.consumer;
    int64_t after = books->groups[group].allocated[leaf] + (more < 0 ? more : lack);
    status = allot__task_replace(books, old, &task, source ? source : old->source);
    if (status == ALLOT_OK)
        allot__books_allocate(books, group, leaf, after);
    return status;
}

/* ---- Declined grants ------------------------------------------------------------------------- */

/* Slots that nothing uses come back; what the leaf has then is all that it wants for a while. */
int allot__apply_decline(allot__books *books, const allot__event *event, allot__error *fault)
{
    const allot__books_group *group = &books->groups[event->group];
    int32_t leaf = event->consumer;
    int64_t back = event->slots_given ? event->slots : 0;
    int64_t free = group->allocated[leaf] - group->held[leaf];
    if (back > free)
        return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                                "slots: found %lld, allowed at most %lld, what is allocated and "
                                "free",
                                (long long)back, (long long)free);
    allot__decline *it = allot__decline_of(books, event->group, leaf);
    if (!it) {
        it = allot__grow(books->engine, books->declines, &books->decline_room,
                         books->decline_count + 1, sizeof *it);
        if (!it)
            return ALLOT_ENOMEM;
        books->declines = it;
        it += books->decline_count++;
    }
    if (back > 0)
        allot__books_allocate(books, event->group, leaf, group->allocated[leaf] - back);
    *it = (allot__decline){.group = event->group,
                           .consumer = leaf,
                           .most =
                               event->demand >= 0 ? (int32_t)event->demand : group->allocated[leaf],
                           .until = event->until};
    allot__demand_tell(books, event->group, leaf);
    return ALLOT_OK;
}

void allot__write_declines(const allot__books *books, allot__text *out)
{
    for (size_t i = 0; i < books->decline_count; i++) {
        const allot__decline *it = &books->declines[i];
        allot__entry_open(out, ALLOT__EVENT_DECLINE);
        allot__write_leaf(out, books->plan, it->group, it->consumer);
        allot__text_number(out, "until", it->until);
        allot__text_number(out, "most", it->most);
        allot__entry_close(out);
    }
}
