/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* task.c: adding tasks and sessions to a state. */
#include <string.h>

#include "model/jobs/queue.h"
#include "model/state/state.h"

enum { OUT_OF_MEMORY = -2 };

/* ---- Labels ---- */

static uint32_t hash_of(const char *text)
{
    return allot__hash(0, text, strlen(text));
}

int32_t allot__label_of(allot_state *state, const char *text)
{
    allot__tasks *tasks = &state->tasks;
    uint32_t hash, probe = 0;
    int32_t found;
    if (!text)
        return -1;
    hash = hash_of(text);
    while ((found = allot__index_next(&tasks->label_index, hash, &probe)) >= 0)
        if (strcmp(allot__label_at(tasks, found)->text, text) == 0)
            return found;
    if (tasks->labels.count >= INT32_MAX - 1 ||
        allot__index_room(state->engine, &tasks->label_index))
        return OUT_OF_MEMORY;
    const char *copy = allot__pool_copy(state->engine, &tasks->pool, text);
    allot__label *label = copy ? allot__push(state->engine, &tasks->labels, sizeof *label) : NULL;
    if (!label)
        return OUT_OF_MEMORY;
    *label = (allot__label){.text = copy, .session = -1, .site = -1};
    found = (int32_t)tasks->labels.count - 1;
    allot__index_add(&tasks->label_index, hash, found);
    return found;
}

/* ---- Tasks ---- */

static int32_t find_task(const allot_state *state, const char *id, uint32_t hash)
{
    const allot__tasks *tasks = &state->tasks;
    uint32_t probe = 0;
    int32_t found;
    while ((found = allot__index_next(&tasks->index, hash, &probe)) >= 0)
        if (strcmp(allot__task_at(tasks, found)->id, id) == 0)
            return found;
    return -1;
}

int32_t allot__task_find(const allot_state *state, const char *id)
{
    return find_task(state, id, hash_of(id));
}

const char *allot_task_state_name(int state)
{
    static const char *const names[] = {"running", "pending"};
    return state >= 0 && state < 2 ? names[state] : NULL;
}

/* How many numbers a task has, from its first on. */
static int32_t parts_of(const allot__tasks *tasks, int32_t number)
{
    int32_t part = allot__task_at(tasks, number)->part;
    return part < 0 ? 1 : ((const allot__part *)tasks->parts.items + part)->count;
}

int32_t allot__task_first(const allot__tasks *tasks, int32_t number)
{
    int32_t part = allot__task_at(tasks, number)->part;
    return part < 0 ? number : ((const allot__part *)tasks->parts.items + part)->first;
}

int32_t allot__task_in(const allot__tasks *tasks, int32_t number, int32_t group)
{
    int32_t first = allot__task_first(tasks, number);
    for (int32_t i = first; i < first + parts_of(tasks, first); i++)
        if (allot__task_at(tasks, i)->group == group)
            return i;
    return -1;
}

int32_t allot__task_place(const allot__tasks *tasks, int32_t number)
{
    int32_t place = 0;
    for (int32_t i = 0; i < number; i++)
        place += allot__task_first(tasks, i) == i;
    return place;
}

int allot_state_task_end(allot_state *state, const char *id)
{
    if (!state || state->sealed || !id)
        return ALLOT_EUSAGE;
    uint32_t hash = hash_of(id);
    int32_t number = find_task(state, id, hash);
    if (number < 0)
        return ALLOT_ENOENT;
    allot__tasks *tasks = &state->tasks;
    allot__index_remove(&tasks->index, hash, number);
    for (int32_t i = 0; i < parts_of(tasks, number); i++) {
        allot__task *task = (allot__task *)tasks->list.items + number + i;
        task->consumer = -1;
        tasks->gone++;
        tasks->pending -= task->pending;
    }
    tasks->arranged = false;
    return ALLOT_OK;
}

static bool within(int64_t value, int64_t min, int64_t max)
{
    return value >= min && value <= max;
}

int allot__extra_check(const allot_plan *plan, const char *const *tags, int32_t tag_count,
                       const allot_task_value *values, int32_t value_count)
{
    if (tag_count < 0 || value_count < 0 || (tag_count > 0 && !tags) ||
        (value_count > 0 && !values))
        return ALLOT_EUSAGE;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < tag_count; i++)
        if (!tags[i])
            return ALLOT_EUSAGE;
    for (int32_t i = 0; i < value_count; i++) {
        allot_attribute of;
        if (allot_plan_task_attribute_at(plan, values[i].attribute, &of) || of.type == ALLOT_TAG)
            return ALLOT_EUSAGE;
        if (!within(values[i].value, of.min, of.max))
            status = ALLOT_ERANGE;
    }
    return status;
}

/* Slots of other groups: none of them twice. */
static int check_others(const allot_state *state, const allot_task *task)
{
    bool sound = task->also_count == 0 || (task->also_count > 0 && task->also && !task->slot);
    int status = sound ? ALLOT_OK : ALLOT_EUSAGE;
    for (int32_t i = 0; i < task->also_count && status == ALLOT_OK; i++) {
        const allot_task_slots *other = &task->also[i];
        if (!within(other->group, 0, (int64_t)state->plan->group_count - 1) ||
            other->group == task->group)
            status = ALLOT_EUSAGE;
        for (int32_t k = 0; k < i && status == ALLOT_OK; k++)
            status = task->also[k].group == other->group ? ALLOT_EUSAGE : ALLOT_OK;
        if (status == ALLOT_OK && !within(other->slots, 1, ALLOT_AMOUNT_MAX))
            status = ALLOT_ERANGE;
    }
    return status;
}

/* A task that waits is nowhere yet. */
static int check_pending(const allot_task *task)
{
    if (!within(task->state, ALLOT_TASK_RUNNING, ALLOT_TASK_PENDING) ||
        (task->state == ALLOT_TASK_PENDING && (task->host || task->slot)))
        return ALLOT_EUSAGE;
    return within(task->priority, 0, ALLOT__PRIORITY_MAX) ? ALLOT_OK : ALLOT_ERANGE;
}

static int check_task(const allot_state *state, const allot_task *task)
{
    if (!task || !state || state->sealed ||
        !within(task->group, 0, (int64_t)state->plan->group_count - 1) ||
        !allot__plan_leaf(state->plan, task->consumer) ||
        state->tasks.list.count >= (size_t)(INT32_MAX - 1 - state->plan->group_count) ||
        allot__queue_count(state->plan) > 0)
        return ALLOT_EUSAGE;
    int others = check_others(state, task);
    if (others == ALLOT_EUSAGE || check_pending(task) == ALLOT_EUSAGE)
        return ALLOT_EUSAGE;
    int values = allot__extra_check(state->plan, task->tags, task->tag_count, task->values,
                                    task->value_count);
    if (values == ALLOT_EUSAGE)
        return values;
    size_t len = task->id ? strlen(task->id) : 0;
    if (len < 1 || len > 255)
        return ALLOT_ENAME;
    if (!within(task->slots, 1, ALLOT_AMOUNT_MAX) || !within(task->preempted, 0, ALLOT_AMOUNT_MAX))
        return ALLOT_ERANGE;
    if (others != ALLOT_OK || check_pending(task) != ALLOT_OK)
        return ALLOT_ERANGE;
    return values;
}

static int put_labels(allot_state *state, const allot_task *task, allot__task *out)
{
    out->session = allot__label_of(state, task->session);
    out->host = allot__label_of(state, task->host);
    out->slot = allot__label_of(state, task->slot);
    if (out->session == OUT_OF_MEMORY || out->host == OUT_OF_MEMORY || out->slot == OUT_OF_MEMORY)
        return ALLOT_ENOMEM;
    if (out->host >= 0)
        allot__label_at(&state->tasks, out->host)->is_host = true;
    return ALLOT_OK;
}

/* What a failure leaves behind in the pool ends with it. */
int allot__extra_make(allot_state *state, const char *const *tags, int32_t tag_count,
                      const allot_task_value *values, int32_t value_count, int32_t *out)
{
    allot_engine *engine = state->engine;
    allot__pool *pool = &state->tasks.pool;
    size_t tag_bytes = (size_t)tag_count * sizeof *tags;
    size_t value_bytes = (size_t)value_count * sizeof *values;
    *out = -1;
    if (tag_bytes + value_bytes == 0)
        return ALLOT_OK;
    const char **tag = allot__pool_take(engine, pool, tag_bytes, sizeof *tag);
    allot_task_value *value = allot__pool_take(engine, pool, value_bytes, sizeof value->value);
    if (!tag || !value)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < tag_count; i++) {
        int32_t label = allot__label_of(state, tags[i]);
        if (label < 0)
            return ALLOT_ENOMEM;
        tag[i] = allot__label_at(&state->tasks, label)->text;
    }
    if (value_bytes > 0)
        memcpy(value, values, value_bytes);
    allot__extra *extra = allot__push(engine, &state->tasks.extras, sizeof *extra);
    if (!extra)
        return ALLOT_ENOMEM;
    *extra = (allot__extra){tag, value, tag_count, value_count};
    *out = (int32_t)state->tasks.extras.count - 1;
    return ALLOT_OK;
}

/* The part that a task of several groups is, which is to be added next. */
static int make_part(allot_state *state, const allot_task *task, int32_t *out)
{
    allot__tasks *tasks = &state->tasks;
    size_t bytes = (size_t)task->also_count * sizeof *task->also;
    *out = -1;
    if (task->also_count == 0)
        return ALLOT_OK;
    allot_task_slots *others =
        allot__pool_take(state->engine, &tasks->pool, bytes, sizeof others->slots);
    allot__part *part = others ? allot__push(state->engine, &tasks->parts, sizeof *part) : NULL;
    if (!part)
        return ALLOT_ENOMEM;
    memcpy(others, task->also, bytes);
    *part = (allot__part){(int32_t)tasks->list.count, 1 + task->also_count, others};
    *out = (int32_t)tasks->parts.count - 1;
    return ALLOT_OK;
}

/* Adds a task under each of its numbers. */
static int push_task(allot_state *state, const allot_task *task, const allot__task *made)
{
    allot__tasks *tasks = &state->tasks;
    for (int32_t i = 0; i <= task->also_count; i++) {
        allot__task *added = allot__push(state->engine, &tasks->list, sizeof *added);
        if (!added) {
            tasks->list.count -= (size_t)i;
            return ALLOT_ENOMEM;
        }
        *added = *made;
        if (i > 0) {
            added->group = task->also[i - 1].group;
            added->slots = (int32_t)task->also[i - 1].slots;
            added->session = added->host = added->slot = -1;
        }
    }
    tasks->pending += made->pending ? (size_t)task->also_count + 1 : 0;
    return ALLOT_OK;
}

static int add_task(allot_state *state, const allot_task *task, uint32_t hash)
{
    allot__tasks *tasks = &state->tasks;
    int32_t first = (int32_t)tasks->list.count;
    allot__task made = {.started = task->started,
                        .submitted = task->submitted,
                        .consumer = task->consumer,
                        .group = task->group,
                        .slots = (int32_t)task->slots,
                        .preempted = (int32_t)task->preempted,
                        .priority = (int16_t)(task->priority > 0 ? task->priority : 1),
                        .pending = task->state == ALLOT_TASK_PENDING};
    int status = put_labels(state, task, &made);
    if (status == ALLOT_OK)
        status = allot__extra_make(state, task->tags, task->tag_count, task->values,
                                   task->value_count, &made.extra);
    if (status)
        return status;
    made.id = allot__pool_copy(state->engine, &tasks->pool, task->id);
    if (!made.id || make_part(state, task, &made.part) != ALLOT_OK)
        return ALLOT_ENOMEM;
    if (push_task(state, task, &made) != ALLOT_OK) {
        tasks->parts.count -= made.part >= 0;
        return ALLOT_ENOMEM;
    }
    allot__index_add(&tasks->index, hash, first);
    tasks->arranged = false;
    return ALLOT_OK;
}

int allot_state_task(allot_state *state, const allot_task *task)
{
    int status = check_task(state, task);
    if (status)
        return status;
    uint32_t hash = hash_of(task->id);
    if (find_task(state, task->id, hash) >= 0)
        return ALLOT_EEXIST;
    if (allot__index_room(state->engine, &state->tasks.index))
        return ALLOT_ENOMEM;
    return add_task(state, task, hash);
}

int32_t allot_state_tasks(const allot_state *state)
{
    return state ? (int32_t)state->tasks.list.count : 0;
}

static const char *text_of(const allot__tasks *tasks, int32_t label)
{
    return label < 0 ? NULL : allot__label_at(tasks, label)->text;
}

int allot_state_task_at(const allot_state *state, int32_t i, allot_task *out)
{
    if (!out || i < 0 || i >= allot_state_tasks(state))
        return ALLOT_EUSAGE;
    const allot__tasks *tasks = &state->tasks;
    const allot__task *task = allot__task_at(tasks, i);
    if (task->consumer < 0 || allot__task_first(tasks, i) != i)
        return ALLOT_ENOENT;
    *out = (allot_task){.id = task->id,
                        .consumer = task->consumer,
                        .group = task->group,
                        .slots = task->slots,
                        .started = task->started,
                        .submitted = task->submitted,
                        .session = text_of(tasks, task->session),
                        .host = text_of(tasks, task->host),
                        .slot = text_of(tasks, task->slot),
                        .preempted = task->preempted,
                        .state = task->pending ? ALLOT_TASK_PENDING : ALLOT_TASK_RUNNING,
                        .priority = task->priority};
    if (task->part >= 0) {
        const allot__part *part = (const allot__part *)tasks->parts.items + task->part;
        out->also = part->others;
        out->also_count = part->count - 1;
    }
    if (task->extra >= 0) {
        const allot__extra *extra = (const allot__extra *)tasks->extras.items + task->extra;
        out->tags = extra->tags;
        out->tag_count = extra->tag_count;
        out->values = extra->values;
        out->value_count = extra->value_count;
    }
    return ALLOT_OK;
}

/* ---- Sessions ---- */

static int check_session(const allot_state *state, const allot_session *session)
{
    if (!session || !state || state->sealed ||
        !within(session->group, 0, (int64_t)state->plan->group_count - 1) ||
        !allot__plan_leaf(state->plan, session->consumer) ||
        state->tasks.sessions.count >= INT32_MAX - 1 || allot__queue_count(state->plan) > 0)
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

int allot_state_session(allot_state *state, const allot_session *session)
{
    int status = check_session(state, session);
    if (status)
        return status;
    allot__tasks *tasks = &state->tasks;
    int32_t label = allot__label_of(state, session->id);
    if (label < 0)
        return ALLOT_ENOMEM;
    if (allot__label_at(tasks, label)->session >= 0)
        return ALLOT_EEXIST;
    allot_session *added = allot__push(state->engine, &tasks->sessions, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    *added = *session;
    added->id = allot__label_at(tasks, label)->text;
    allot__label_at(tasks, label)->session = (int32_t)tasks->sessions.count - 1;
    tasks->arranged = false;
    return ALLOT_OK;
}

int32_t allot_state_sessions(const allot_state *state)
{
    return state ? (int32_t)state->tasks.sessions.count : 0;
}

const allot_session *allot_state_session_at(const allot_state *state, int32_t i)
{
    if (i < 0 || i >= allot_state_sessions(state))
        return NULL;
    return (const allot_session *)state->tasks.sessions.items + i;
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
