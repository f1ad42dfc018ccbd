/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* write_lists.c: a state's lists, what queues have used, and contracts, written. */
#include "json/state/write.h"

void allot__writing_open(allot_state_writing *it, const char *key, char bracket)
{
    if (it->open)
        return;
    allot__write_line(&it->out);
    allot__write_open(&it->out, key, bracket);
    it->open = true;
}

void allot__writing_close(allot_state_writing *it, char bracket)
{
    if (it->open)
        allot__write_close(&it->out, bracket);
    it->open = false;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* An item of any list. */
typedef union any {
    allot_task task;
    allot_session session;
    allot_job job;
    allot_in_flight reclaim;
    allot_loan loan;
} any;

static int session_at(const allot_state *state, int32_t i, any *out)
{
    out->session = *allot_state_session_at(state, i);
    return ALLOT_OK;
}

static int task_at(const allot_state *state, int32_t i, any *out)
{
    return allot_state_task_at(state, i, &out->task);
}

static int reclaim_at(const allot_state *state, int32_t i, any *out)
{
    return allot_state_reclaim_at(state, i, &out->reclaim);
}

static int loan_at(const allot_state *state, int32_t i, any *out)
{
    out->loan = *allot_state_loan_at(state, i);
    return ALLOT_OK;
}

static int job_at(const allot_state *state, int32_t i, any *out)
{
    return allot_state_job_at(state, i, &out->job);
}

static const struct {
    allot_item kind;
    int32_t (*count)(const allot_state *state);
    int (*at)(const allot_state *state, int32_t i, any *out);
} lists[] = {
    {ALLOT_ITEM_SESSION, allot_state_sessions, session_at},
    {ALLOT_ITEM_TASK, allot_state_tasks, task_at},
    {ALLOT_ITEM_RECLAIM, allot_state_reclaims, reclaim_at},
    {ALLOT_ITEM_LOAN, allot_state_loans, loan_at},
    {ALLOT_ITEM_JOB, allot_state_jobs, job_at},
};

/* Goes on with one list; false: there is more. */
static bool write_list(allot_state_writing *it)
{
    allot__writer *out = &it->out;
    const allot_members *members = allot_members_of(lists[it->list].kind);
    int32_t count = lists[it->list].count(it->state);
    any item;
    if (count > 0)
        allot__writing_open(it, members->list, '[');
    for (; it->next < count && it->left > 0; it->next++, it->left--) {
        int status = lists[it->list].at(it->state, it->next, &item);
        if (status == ALLOT_ENOENT)
            continue; /* another number of the task before */
        if (!allot__write_got(out, status))
            return true;
        allot__write_line(out);
        allot__write_open(out, NULL, '{');
        allot__item_write(out, it->plan, members, &item);
        allot__write_close(out, '}');
    }
    if (it->next < count)
        return false;
    allot__writing_close(it, ']');
    return true;
}

bool allot__lists_write(allot_state_writing *it)
{
    for (; it->list < (int)(sizeof lists / sizeof *lists); it->list++, it->next = 0)
        if (!write_list(it))
            return false;
    return true;
}

/* ---- Objects by name ------------------------------------------------------------------------- */

/* Opens an object when its first member is there. */
static void open_once(allot__writer *out, const char *key, bool *open)
{
    if (!*open)
        allot__write_open(out, key, '{');
    *open = true;
}

/* `rests`: the millionths, where there are any. */
static void write_used(allot__writer *out, const allot_state *state, bool rests)
{
    const allot_plan *plan = allot_state_plan(state);
    bool open = false;
    for (int32_t i = 0; i < allot_plan_queues(plan); i++) {
        allot_queue queue;
        int64_t seconds;
        int32_t millionths;
        if (allot_state_usage_get(state, i, &seconds, &millionths) != ALLOT_OK ||
            (rests && millionths == 0) ||
            !allot__write_got(out, allot_plan_queue_at(plan, i, &queue)))
            continue;
        open_once(out, rests ? "usage_rest" : "usage", &open);
        allot__write_named_integer(out, queue.name, rests ? millionths : seconds);
    }
    if (open)
        allot__write_close(out, '}');
}

static void write_preempted_at(allot__writer *out, const allot_state *state)
{
    const allot_plan *plan = allot_state_plan(state);
    bool open = false;
    for (int32_t i = 0; i < allot_plan_resources(plan); i++) {
        allot_resource resource;
        int64_t when;
        if (allot_state_resource_time(state, i, &when) != ALLOT_OK ||
            !allot__write_got(out, allot_plan_resource_at(plan, i, &resource)))
            continue;
        open_once(out, "resources_preempted_at", &open);
        allot__write_named_integer(out, resource.name, when);
    }
    if (open)
        allot__write_close(out, '}');
}

void allot__usage_write(allot__writer *out, const allot_state *state)
{
    int64_t when;
    write_used(out, state, false);
    write_used(out, state, true);
    if (allot_state_usage_time(state, &when) == ALLOT_OK)
        allot__write_integer(out, "usage_at", when);
    write_preempted_at(out, state);
}

void allot__leases_write(allot__writer *out, const allot_state *state)
{
    const allot_plan *plan = allot_state_plan(state);
    bool open = false;
    for (int32_t i = 0; i < allot_plan_leases(plan); i++) {
        allot_lease lease;
        allot_lease_now now;
        if (allot_state_lease_at(state, i, &now) != ALLOT_OK ||
            !allot__write_got(out, allot_plan_lease_at(plan, i, &lease)))
            continue;
        if (!open)
            allot__write_line(out);
        open_once(out, "leases", &open);
        allot__write_line(out);
        allot__write_named_open(out, lease.name, '{');
        allot__item_write(out, plan, allot_members_of(ALLOT_ITEM_LEASE), &now);
        allot__write_close(out, '}');
    }
    if (open)
        allot__write_close(out, '}');
}
