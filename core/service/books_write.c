/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* books_write.c: the books whole, as lines that make the same books again. */
#include "service/books_own.h"

static bool is_empty(const allot__books *books, int32_t g, int32_t leaf)
{
    const allot__books_group *group = &books->groups[g];
    return group->demand[leaf] == 0 && group->allocated[leaf] == 0 &&
           (!books->damped ||
            (group->reclaimed_at[leaf] == INT64_MIN && group->waiting_since[leaf] == INT64_MIN));
}

static void write_groups(const allot__books *books, bool rows, allot__buf *out)
{
    allot__write_clock(books, out);
    for (int32_t g = 0; g < (int32_t)books->group_count; g++) {
        if (books->groups[g].slots >= 0) {
            allot__entry_open(out, ALLOT__EVENT_SLOTS);
            if (books->group_count > 1)
                allot__buf_member(out, "group", allot_plan_group_name(books->plan, g));
            allot__buf_number(out, "slots", books->groups[g].slots);
            allot__entry_close(out);
        }
        for (int32_t i = 0; rows && i < (int32_t)books->consumers; i++)
            if (!is_empty(books, g, i))
                allot__write_row(books, g, i, out);
    }
}

static void write_hosts(const allot__books *books, allot__buf *out)
{
    for (const allot__named *it = books->hosts.first; it != NULL; it = it->after) {
        const allot__host_item *host = (const allot__host_item *)(const void *)it;
        allot__entry_open(out, ALLOT__EVENT_HOST);
        allot__buf_member(out, "name", it->name);
        allot__write_set(out, "slots", host->slots, -1);
        allot__buf_key(out, "closed");
        allot__buf_puts(out, host->closed == ALLOT_DRAIN        ? "\"drain\""
                             : host->closed == ALLOT_CLOSED_NOW ? "\"reclaim\""
                                                                : "false");
        if (host->load >= 0) {
            allot__buf_key(out, "load");
            allot__buf_printf(out, "%lld.%03d", (long long)(host->load / 1000),
                              (int)(host->load % 1000));
        }
        if (host->exclusive_given && host->exclusive_to != ALLOT_ROOT) {
            allot__buf_key(out, "exclusive_to");
            allot__buf_path(out, books->plan, host->exclusive_to);
        }
        allot__entry_close(out);
    }
}

static void write_sessions(const allot__books *books, allot__buf *out)
{
    for (const allot__named *it = books->sessions.first; it != NULL; it = it->after) {
        const allot_session *session = &((const allot__session_item *)(const void *)it)->it;
        allot__entry_open(out, ALLOT__EVENT_SESSION);
        allot__buf_member(out, "id", session->id);
        allot__write_leaf(out, books->plan, session->group, session->consumer);
        allot__buf_number(out, "priority", session->priority);
        allot__write_set(out, "preemption_rank", session->preemption_rank, 0);
        allot__buf_number(out, "created", session->created);
        allot__buf_member(out, "scheduling", allot_scheduling_name((int)session->scheduling));
        allot__write_set(out, "minimum", session->minimum, 0);
        allot__write_set(out, "demand", session->demand, -1);
        allot__entry_close(out);
    }
}

static void write_tasks(const allot__books *books, allot__buf *out)
{
    for (const allot__named *it = books->tasks.first; it != NULL; it = it->after) {
        const allot__task_item *item = (const allot__task_item *)(const void *)it;
        const allot_task *task = &item->it;
        allot__entry_open(out, ALLOT__EVENT_START);
        allot__buf_member(out, "id", task->id);
        allot__write_leaf(out, books->plan, task->group, task->consumer);
        allot__buf_number(out, "slots", task->slots);
        allot__buf_member(out, "session", task->session);
        allot__buf_member(out, "host", task->host);
        allot__buf_member(out, "slot", task->slot);
        allot__buf_number(out, "started", task->started);
        allot__write_set(out, "submitted", task->submitted, 0);
        allot__write_set(out, "preempted", task->preempted, 0);
        allot__write_extras(books, task->tags, task->tag_count, task->values, task->value_count,
                            out);
        if (item->told)
            allot__buf_bool(out, "told", true);
        allot__entry_close(out);
    }
}

static int write_all(const allot__books *books, bool rows, allot__buf *out)
{
    write_groups(books, rows, out);
    write_hosts(books, out);
    write_sessions(books, out);
    write_tasks(books, out);
    for (const allot__named *it = books->flights.first; it != NULL; it = it->after)
        allot__write_flight(books, &((const allot__flight_item *)(const void *)it)->it, out);
    allot__write_lent(books, out);
    allot__write_contracts(books, out);
    for (const allot__named *it = books->jobs.first; it != NULL; it = it->after)
        allot__write_job(books, (const allot__job_item *)(const void *)it, out);
    allot__write_use(books, out);
    return out->failed ? ALLOT_ENOMEM : ALLOT_OK;
}

int allot__books_write(const allot__books *books, allot__buf *out)
{
    return write_all(books, true, out);
}

int allot__books_write_rest(const allot__books *books, allot__buf *out)
{
    return write_all(books, false, out);
}
