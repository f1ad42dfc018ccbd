/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* write.c: the books whole, as lines that make the same books again. */
#include "service/books/own.h"

#include "base/path.h"

bool allot__row_is_empty(const allot__books_group *group, int32_t leaf)
{
    return allot__row_is_bare(group, leaf) && !allot__leaf_origin(group, leaf);
}

bool allot__row_is_bare(const allot__books_group *group, int32_t leaf)
{
    return group->demand[leaf] == 0 && group->allocated[leaf] == 0 && group->unlisted[leaf] == 0 &&
           (!group->reclaimed_at || group->reclaimed_at[leaf] == INT64_MIN) &&
           (!group->waiting_since || group->waiting_since[leaf] == INT64_MIN);
}

void allot__write_size(const allot__books *books, int32_t g, allot__text *out)
{
    if (books->groups[g].slots < 0)
        return;
    allot__entry_open(out, ALLOT__EVENT_SLOTS);
    if (books->group_count > 1)
        allot__text_member(out, "group", allot_plan_group_name(books->plan, g));
    allot__text_number(out, "slots", books->groups[g].slots);
    allot__entry_close(out);
}

void allot__write_host(const allot__books *books, const allot__map_item *item, allot__text *out)
{
    allot_stated_host host;
    if (!allot__books_host(books, item->name, &host))
        return;
    allot__entry_open(out, ALLOT__EVENT_HOST);
    allot__text_member(out, "name", host.name);
    allot__write_set(out, "slots", host.slots, -1);
    if (host.closed == ALLOT_OPEN)
        allot__text_bool(out, "closed", false);
    else
        allot__text_member(out, "closed", allot_closed_name((int)host.closed));
    if (host.load >= 0) {
        allot__text_key(out, "load");
        allot__text_printf(out, "%lld.%03d", (long long)(host.load / 1000),
                           (int)(host.load % 1000));
    }
    if (host.exclusive_to != ALLOT_ROOT) {
        allot__text_key(out, "exclusive_to");
        allot__text_json_path(out, books->plan, host.exclusive_to);
    }
    allot__write_origin(out, allot__source_of(item));
    allot__entry_close(out);
}

void allot__write_session(const allot__books *books, const allot__map_item *item, allot__text *out)
{
    allot_session session;
    if (!allot__books_get(books, ALLOT_ITEM_SESSION, item->name, &session))
        return;
    allot__entry_open(out, ALLOT__EVENT_SESSION);
    allot__text_member(out, "id", session.id);
    allot__write_leaf(out, books->plan, session.group, session.consumer);
    allot__text_number(out, "priority", session.priority);
    allot__write_set(out, "preemption_rank", session.preemption_rank, 0);
    allot__text_number(out, "created", session.created);
    allot__text_member(out, "scheduling", allot_scheduling_name((int)session.scheduling));
    allot__write_set(out, "minimum", session.minimum, 0);
    allot__write_set(out, "demand", session.demand, -1);
    allot__write_origin(out, allot__source_of(item));
    allot__entry_close(out);
}

static void write_slots(const allot_plan *plan, const allot_task *task, allot__text *out)
{
    if (task->also_count == 0) {
        allot__text_number(out, "slots", task->slots);
        return;
    }
    allot__text_open(out, "slots", "{");
    for (int32_t i = -1; i < task->also_count; i++) {
        allot__text_key(out, NULL);
        allot__text_json(out,
                         allot_plan_group_name(plan, i < 0 ? task->group : task->also[i].group));
        allot__text_puts(out, ": ");
        allot__text_int(out, i < 0 ? task->slots : task->also[i].slots);
    }
    allot__text_puts(out, "}");
}

void allot__write_task(const allot__books *books, const allot__map_item *named, allot__text *out)
{
    const allot__task_item *item = (const allot__task_item *)(const void *)named;
    allot_task of;
    const allot_task *task = &of;
    if (!allot__books_get(books, ALLOT_ITEM_TASK, named->name, &of))
        return;
    bool runs = allot__task_runs(task);
    allot__entry_open(out, runs ? ALLOT__EVENT_START : ALLOT__EVENT_TASK);
    allot__text_member(out, "id", task->id);
    allot__write_leaf(out, books->plan, task->group, task->consumer);
    write_slots(books->plan, task, out);
    allot__text_member(out, "session", task->session);
    allot__text_member(out, "host", task->host);
    allot__text_member(out, "slot", task->slot);
    if (runs)
        allot__text_number(out, "started", task->started);
    allot__write_set(out, "submitted", task->submitted, 0);
    allot__write_set(out, "preempted", task->preempted, 0);
    allot__write_set(out, "priority", task->priority, 1);
    allot__write_extras(books, task->tags, task->tag_count, task->values, task->value_count, out);
    if (!runs)
        allot__text_member(out, "state", allot_task_state_name((int)task->state));
    if (!runs)
        allot__text_bool(out, "whole", true);
    if (item->told)
        allot__text_bool(out, "told", true);
    allot__write_origin(out, item->of.source);
    allot__entry_close(out);
}

static void write_flight(const allot__books *books, const allot__map_item *item, allot__text *out)
{
    allot_in_flight flight;
    if (allot__books_get(books, ALLOT_ITEM_RECLAIM, item->name, &flight))
        allot__write_flight(books, &flight, ((const allot__flight_item *)(const void *)item)->since,
                            out);
}

static void write_job(const allot__books *books, const allot__map_item *item, allot__text *out)
{
    allot_job job;
    if (allot__books_get(books, ALLOT_ITEM_JOB, item->name, &job))
        allot__write_job(books, &job, allot__source_of(item), out);
}

void allot__books_kinds(allot__books *books, allot__books_kind kinds[ALLOT__KINDS])
{
    const allot__books_kind all[ALLOT__KINDS] = {
        [ALLOT__HOSTS] = {ALLOT_ITEM_HOST, &books->hosts, allot__write_host},
        [ALLOT__SESSIONS] = {ALLOT_ITEM_SESSION, &books->sessions, allot__write_session},
        [ALLOT__TASKS] = {ALLOT_ITEM_TASK, &books->tasks, allot__write_task},
        [ALLOT__FLIGHTS] = {ALLOT_ITEM_RECLAIM, &books->flights, write_flight},
        [ALLOT__JOBS] = {ALLOT_ITEM_JOB, &books->jobs, write_job}};
    memcpy(kinds, all, sizeof all);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void write_map(const allot__books *books, const allot__books_kind *kind, allot__text *out)
{
    for (const allot__map_item *it = kind->map->first; it; it = it->after)
        kind->write(books, it, out);
}

static int write_all(const allot__books *books, bool rows, allot__text *out)
{
    allot__books_kind kinds[ALLOT__KINDS];
    allot__books_kinds((allot__books *)books, kinds);
    allot__write_clock(books, out);
    allot__write_origins(books, out);
    for (int32_t g = 0; g < (int32_t)books->group_count; g++)
        allot__write_size(books, g, out);
    for (int32_t g = 0; rows && g < (int32_t)books->group_count; g++)
        for (int32_t i = 0; i < (int32_t)books->consumers; i++)
            if (!allot__row_is_bare(&books->groups[g], i))
                allot__write_row(books, &books->groups[g], g, i, out);
    for (int kind = 0; kind < ALLOT__JOBS; kind++)
        write_map(books, &kinds[kind], out);
    for (int32_t i = 0; i < allot_state_loans(books->state); i++)
        allot__write_loan(books, allot_state_loan_at(books->state, i), out);
    allot__write_contracts(books, out);
    write_map(books, &kinds[ALLOT__JOBS], out);
    allot__write_use(books, out);
    allot__write_declines(books, out);
    return out->failed ? ALLOT_ENOMEM : ALLOT_OK;
}

int allot__books_write(const allot__books *books, allot__text *out)
{
    return write_all(books, true, out);
}

int allot__books_write_rest(const allot__books *books, allot__text *out)
{
    return write_all(books, false, out);
}
