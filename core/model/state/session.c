/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* session.c: sessions of a state. */
#include <string.h>

#include "model/items/item.h"
#include "model/jobs/queue.h"
#include "model/state/state.h"

static bool within(int64_t value, int64_t min, int64_t max)
{
    return value >= min && value <= max;
}

int allot__session_check(const allot_state *state, const void *item)
{
    const allot_session *session = item;
    if (!within(session->group, 0, (int64_t)state->plan->group_count - 1) ||
        !allot__plan_leaf(state->plan, session->consumer) || allot__queue_count(state->plan) > 0)
        return ALLOT_EUSAGE;
    size_t len = session->id ? strlen(session->id) : 0;
    if (len < 1 || len > 255)
        return ALLOT_ENAME;
    bool sound = within(session->scheduling, ALLOT_PROPORTIONAL, ALLOT_SCHEDULING_COUNT - 1) &&
                 within(session->priority, 1, ALLOT__PRIORITY_MAX) &&
                 within(session->preemption_rank, 0, ALLOT_AMOUNT_MAX) &&
                 within(session->minimum, 0, ALLOT_AMOUNT_MAX) &&
                 within(session->demand, -1, ALLOT_AMOUNT_MAX);
    return sound ? ALLOT_OK : ALLOT_ERANGE;
}

int allot__sessions_fill(allot_state *state)
{
    allot__tasks *tasks = &state->tasks;
    const allot__things *things = &state->sessions;
    for (size_t i = 0; i < tasks->labels.count; i++)
        allot__label_at(tasks, (int32_t)i)->session = -1;
    tasks->sessions.count = 0;
    for (int32_t i = 0; (size_t)i < things->list.count; i++) {
        const allot_session *session = allot__things_item(things, i);
        int32_t label = allot__label_of(state, session->id);
        allot_session *added = allot__push(state->engine, &tasks->sessions, sizeof *added);
        if (label < 0 || !added)
            return ALLOT_ENOMEM;
        *added = *session;
        allot__label_at(tasks, label)->session = i;
    }
    return ALLOT_OK;
}

int32_t allot_state_sessions(const allot_state *state)
{
    return state ? (int32_t)state->sessions.list.count : 0;
}

const allot_session *allot_state_session_at(const allot_state *state, int32_t i)
{
    return state ? allot__things_item(&state->sessions, i) : NULL;
}

int32_t allot__task_session(const allot__tasks *tasks, const allot__task *task)
{
    int32_t number = task->session < 0 ? -1 : allot__label_at(tasks, task->session)->session;
    if (number < 0)
        return -1;
    const allot_session *session = (const allot_session *)tasks->sessions.items + number;
    bool own = session->consumer == task->consumer && session->group == task->group;
    return own ? number : -1;
}
