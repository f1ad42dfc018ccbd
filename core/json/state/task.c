/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* task.c: a state's lists of running tasks and of sessions. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json/state/state.h"
#include "json/text/names.h"
#include "json/text/texts.h"

void allot__each_object(allot__state_reader *reader, uint32_t list,
                        void (*read)(allot__state_reader *reader, uint32_t object))
{
    allot__doc *doc = &reader->doc;
    uint32_t end = allot__doc_end(doc, list);
    int64_t faults = doc->faults;
    for (uint32_t item = list + 1; item < end; item = allot__doc_next(doc, item))
        if (allot__kind_check(doc, item, ALLOT__OBJECT))
            read(reader, item);
    reader->doubtful = reader->doubtful || doc->faults > faults;
}

int32_t allot__leaf_value(allot__state_reader *reader, const allot__value *value)
{
    if (value->kind != ALLOT__STRING)
        return ALLOT_ROOT;
    return allot__leaf_read(&reader->doc, reader->plan, allot__at(value->number), value->string);
}

int64_t allot__amount_or(const allot__value *value, int64_t fallback)
{
    return value->kind == ALLOT__INTEGER ? value->integer : fallback;
}

int64_t allot__time_or_zero(allot__doc *doc, const allot__value *value)
{
    int64_t time = 0;
    allot__time_read(doc, value, &time);
    return time;
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

enum {
    ID,
    CONSUMER,
    SLOTS,
    GROUP,
    SESSION,
    HOST,
    SLOT,
    STARTED,
    SUBMITTED,
    PREEMPTED,
    TAGS,
    TASK_FIELDS
};
static const allot__field task_fields[TASK_FIELDS] = {
    [ID] = {"id", ALLOT__STRING, 0, 0, true, false},
    [CONSUMER] = {"consumer", ALLOT__STRING, 0, 0, true, false},
    [SLOTS] = {"slots", ALLOT__INTEGER, 1, ALLOT_AMOUNT_MAX, false, false},
    [GROUP] = {"group", ALLOT__STRING, 0, 0, false, false},
    [SESSION] = {"session", ALLOT__STRING | ALLOT__NULL, 0, 0, false, false},
    [HOST] = {"host", ALLOT__STRING | ALLOT__NULL, 0, 0, false, false},
    [SLOT] = {"slot", ALLOT__INTEGER | ALLOT__STRING | ALLOT__NULL, INT64_MIN, INT64_MAX, false,
              false},
    [STARTED] = {"started", ALLOT__NULL | ALLOT__TIME, false, false},
    [SUBMITTED] = {"submitted", ALLOT__NULL | ALLOT__TIME, false, false},
    [PREEMPTED] = {"preempted", ALLOT__AMOUNT, false, false},
    [TAGS] = {"tags", ALLOT__LIST, 0, 0, false, false},
};

/* What adding a task or session came to. */
static void took(allot__doc *doc, const allot__value *id, const char *what, int status)
{
    allot__spot spot = allot__at(id->number);
    char quote[ALLOT__QUOTE_MAX + 4];
    if (status != ALLOT_EEXIST && status != ALLOT_ENAME) {
        allot__doc_keep(doc, status);
        return;
    }
    allot__doc_quote(doc, spot, quote);
    if (status == ALLOT_EEXIST)
        allot__doc_fault(doc, spot, "E-duplicate-id", NULL, "found the %s %s again, allowed once",
                         what, quote);
    else
        allot__doc_fault(doc, spot, "E-name", NULL, "found %s, allowed 1 ... 255 bytes", quote);
}

/* The strings of the list `tags` in a block of task->tag_count, the caller's; they are `node`'s. */
static void read_tags(allot__state_reader *reader, const allot__value *list, allot_task *task,
                      const char ***tags, cJSON **node)
{
    static const allot__field tag = {NULL, ALLOT__STRING, 0, 0, false, false};
    allot__doc *doc = &reader->doc;
    if (list->kind == 0 || allot__doc_end(doc, list->number) == list->number + 1 ||
        allot__doc_parse(doc, list->number, node))
        return;
    *tags = allot__block_new(doc, (size_t)cJSON_GetArraySize(*node), sizeof **tags);
    for (const cJSON *it = (*node)->child; it && *tags; it = it->next) {
        allot__value value = allot__value_read(doc, it, &tag);
        (*tags)[task->tag_count++] = value.kind != 0 ? value.string : "";
    }
    task->tags = *tags;
}

/* `faults`: as many as there were before the task. */
static void add_task(allot__state_reader *reader, allot_task *task, int64_t faults)
{
    const allot__value *values = reader->keys->values;
    allot__doc *doc = &reader->doc;
    const char **tags = NULL;
    cJSON *node = NULL;
    task->values = reader->keys->stated;
    task->value_count = allot__keys_stated(reader->keys);
    read_tags(reader, &values[TAGS], task, &tags, &node);
    if (doc->faults == faults)
        took(doc, &values[ID], "task", allot_state_task(reader->state, task));
    allot__block_free(doc, tags, (size_t)task->tag_count, sizeof *tags);
    cJSON_Delete(node);
}

/* The group that a task states, or else its host's. */
static int32_t read_group(allot__state_reader *reader, uint32_t object, const allot__value *values)
{
    const allot_plan *plan = reader->plan;
    allot__doc *doc = &reader->doc;
    char quote[ALLOT__QUOTE_MAX + 4];
    bool several = allot_plan_groups(plan) > 1 && values[HOST].kind == ALLOT__STRING;
    int32_t host = several ? allot_plan_host_find(plan, values[HOST].string) : -1;
    if (host >= 0 && values[GROUP].number == 0)
        return allot_plan_host_group(plan, host);
    int32_t group = allot__group_read(doc, plan, object, &values[GROUP]);
    if (group < 0 || host < 0 || allot_plan_host_group(plan, host) == group)
        return group;
    allot__spot spot = allot__at(values[GROUP].number);
    allot__doc_fault(doc, spot, "E-group", NULL, "found %s, allowed \"%s\", its host's group",
                     allot__doc_quote(doc, spot, quote),
                     allot_plan_group_name(plan, allot_plan_host_group(plan, host)));
    return -1;
}

static void read_task(allot__state_reader *reader, uint32_t object)
{
    allot__keys *keys = reader->keys;
    allot__doc *doc = &reader->doc;
    const allot__value *values = keys->values;
    const allot__shape shape = {keys->fields, keys->count, 0};
    int64_t faults = doc->faults;
    char slot[24];
    cJSON *node;
    if (allot__object_read(doc, object, &shape, keys->values, &node))
        return;
    allot_task task = {.id = values[ID].string,
                       .consumer = allot__leaf_value(reader, &values[CONSUMER]),
                       .group = read_group(reader, object, values),
                       .slots = allot__amount_or(&values[SLOTS], 1),
                       .started = allot__time_or_zero(doc, &values[STARTED]),
                       .submitted = allot__time_or_zero(doc, &values[SUBMITTED]),
                       .session = values[SESSION].string,
                       .host = values[HOST].string,
                       .slot = values[SLOT].string,
                       .preempted = allot__amount_or(&values[PREEMPTED], 0)};
    if (values[SLOT].kind == ALLOT__INTEGER) {
        snprintf(slot, sizeof slot, "%" PRId64, values[SLOT].integer);
        task.slot = slot;
    }
    add_task(reader, &task, faults);
    cJSON_Delete(node);
}

void allot__tasks_read(allot__state_reader *reader)
{
    const allot__value *tasks = &reader->top[ALLOT__STATE_TASKS];
    allot__keys keys = {0};
    if (tasks->kind == 0)
        return;
    if (allot__keys_begin(reader, task_fields, TASK_FIELDS, &keys))
        allot__each_object(reader, tasks->number, read_task);
    allot__keys_end(reader, &keys);
}

/* ---- Sessions -------------------------------------------------------------------------------- */

enum {
    S_ID,
    S_CONSUMER,
    S_GROUP,
    S_PRIORITY,
    S_RANK,
    S_CREATED,
    S_SCHEDULING,
    S_MINIMUM,
    S_DEMAND,
    SESSION_FIELDS
};
static const allot__field session_fields[SESSION_FIELDS] = {
    [S_ID] = {"id", ALLOT__STRING, 0, 0, true, false},
    [S_CONSUMER] = {"consumer", ALLOT__STRING, 0, 0, true, false},
    [S_GROUP] = {"group", ALLOT__STRING, 0, 0, false, false},
    [S_PRIORITY] = {"priority", ALLOT__INTEGER, 1, 10000, false, false},
    [S_RANK] = {"preemption_rank", ALLOT__AMOUNT, false, false},
    [S_CREATED] = {"created", ALLOT__NULL | ALLOT__TIME, false, false},
    [S_SCHEDULING] = {"scheduling", ALLOT__STRING, 0, 0, false, false},
    [S_MINIMUM] = {"minimum", ALLOT__AMOUNT, false, false},
    [S_DEMAND] = {"demand", ALLOT__NULL | ALLOT__AMOUNT, false, false},
};
static const allot__shape session_shape = {session_fields, SESSION_FIELDS, 0};

static allot_scheduling read_scheduling(allot__doc *doc, const allot__value *value)
{
    const char *names[ALLOT_SCHEDULING_COUNT];
    char quote[ALLOT__QUOTE_MAX + 4], hint[160];
    if (value->kind != ALLOT__STRING)
        return ALLOT_PROPORTIONAL;
    for (int i = 0; i < ALLOT_SCHEDULING_COUNT; i++) {
        names[i] = allot_scheduling_name(i);
        if (strcmp(names[i], value->string) == 0)
            return (allot_scheduling)i;
    }
    const char *near =
        allot_nearest(value->string, strlen(value->string), names, ALLOT_SCHEDULING_COUNT);
    allot__doc_fault(doc, allot__at(value->number), "E-range",
                     allot__did_you_mean(near, hint, sizeof hint),
                     "found %s, allowed \"proportional\", \"minimum\" or \"priority\"",
                     allot__doc_quote(doc, allot__at(value->number), quote));
    return ALLOT_PROPORTIONAL;
}

static void read_session(allot__state_reader *reader, uint32_t object)
{
    allot__doc *doc = &reader->doc;
    allot__value values[SESSION_FIELDS];
    int64_t faults = doc->faults;
    cJSON *node;
    if (allot__object_read(doc, object, &session_shape, values, &node))
        return;
    allot_session session = {.id = values[S_ID].string,
                             .consumer = allot__leaf_value(reader, &values[S_CONSUMER]),
                             .group =
                                 allot__group_read(doc, reader->plan, object, &values[S_GROUP]),
                             .scheduling = read_scheduling(doc, &values[S_SCHEDULING]),
                             .priority = allot__amount_or(&values[S_PRIORITY], 1),
                             .preemption_rank = allot__amount_or(&values[S_RANK], 0),
                             .created = allot__time_or_zero(doc, &values[S_CREATED]),
                             .minimum = allot__amount_or(&values[S_MINIMUM], 0),
                             .demand = allot__amount_or(&values[S_DEMAND], -1)};
    if (doc->faults == faults)
        took(doc, &values[S_ID], "session", allot_state_session(reader->state, &session));
    cJSON_Delete(node);
}

void allot__sessions_read(allot__state_reader *reader)
{
    const allot__value *sessions = &reader->top[ALLOT__STATE_SESSIONS];
    if (sessions->kind != 0)
        allot__each_object(reader, sessions->number, read_session);
}
