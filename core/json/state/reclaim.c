/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reclaim.c: a state's list of reclaims in flight. Those of a decision can be written back as they
 * are: the keys behind the deadline are for people. */
#include <string.h>

#include "json/state/state.h"
#include "json/text/names.h"
#include "json/text/texts.h"

enum {
    R_ID,
    R_CONSUMER,
    R_SLOTS,
    R_GROUP,
    R_TASKS,
    R_FOR,
    R_DEADLINE,
    R_GRACE,
    R_LOST,
    R_UNKNOWN,
    R_WHY,
    RECLAIM_FIELDS
};
static const allot__field reclaim_fields[RECLAIM_FIELDS] = {
    [R_ID] = {"id", ALLOT__STRING | ALLOT__NULL, 0, 0, false, false},
    [R_CONSUMER] = {"consumer", ALLOT__STRING, 0, 0, true, false},
    [R_SLOTS] = {"slots", ALLOT__AMOUNT, true, false},
    [R_GROUP] = {"group", ALLOT__STRING, 0, 0, false, false},
    [R_TASKS] = {"tasks", ALLOT__LIST, 0, 0, false, false},
    [R_FOR] = {"for", ALLOT__LIST, 0, 0, false, false},
    [R_DEADLINE] = {"deadline", ALLOT__NULL | ALLOT__TIME, false, false},
    [R_GRACE] = {"grace", ALLOT__AMOUNT, false, false},
    [R_LOST] = {"lost", ALLOT__INTEGER, 0, INT64_MAX, false, false},
    [R_UNKNOWN] = {"unknown", ALLOT__AMOUNT, false, false},
    [R_WHY] = {"why", ALLOT__OBJECT, 0, 0, false, false},
};
static const allot__shape reclaim_shape = {reclaim_fields, RECLAIM_FIELDS, 0};

static const allot__field claim_fields[] = {
    {"consumer", ALLOT__STRING, 0, 0, true, false},
    {"slots", ALLOT__AMOUNT, true, false},
};
static const allot__shape claim_shape = {claim_fields, 2, 0};

static void read_claim(allot__state_reader *reader, uint32_t object, allot_claim *claim)
{
    allot__value values[2];
    cJSON *node;
    if (!allot__kind_check(&reader->doc, object, ALLOT__OBJECT) ||
        allot__object_read(&reader->doc, object, &claim_shape, values, &node))
        return;
    claim->consumer = values[0].kind != ALLOT__STRING
                          ? ALLOT_ROOT
                          : allot__path_read(&reader->doc, reader->plan,
                                             allot__at(values[0].number), values[0].string);
    claim->slots = allot__amount_or(&values[1], 0);
    cJSON_Delete(node);
}

/* Reads the list `for` into a block of reclaim->claim_count claims, the caller's. */
static void read_claims(allot__state_reader *reader, const allot__value *list,
                        allot_in_flight *reclaim, allot_claim **claims)
{
    allot__doc *doc = &reader->doc;
    int32_t count = list->kind != 0 ? allot__doc_items(doc, list->number) : 0;
    int64_t sum = 0;
    *claims = count > 0 ? allot__block_new(doc, (size_t)count, sizeof **claims) : NULL;
    if (!*claims)
        return;
    reclaim->claims = *claims;
    reclaim->claim_count = count;
    uint32_t item = list->number + 1;
    for (int32_t i = 0; i < count; i++, item = allot__doc_next(doc, item)) {
        read_claim(reader, item, &(*claims)[i]);
        sum += (*claims)[i].slots;
    }
    if (sum > reclaim->slots)
        allot__doc_fault(doc, allot__at(list->number), "E-claims", NULL,
                         "found claims of %lld slots, allowed %lld, what is given back",
                         (long long)sum, (long long)reclaim->slots);
}

/* A reclaim's lists while they are read; `tasks` are the strings of `node`. */
typedef struct lists {
    allot_claim *claims;
    const char **tasks;
    cJSON *node;
} lists;

static bool task_id_read(allot__doc *doc, uint32_t item, const char *id)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    size_t len = id ? strlen(id) : 0;
    if (!allot__kind_check(doc, item, ALLOT__STRING))
        return false;
    if (len < 1 || len > 255)
        allot__doc_fault(doc, allot__at(item), "E-name", NULL, "found %s, allowed 1 ... 255 bytes",
                         allot__doc_quote(doc, allot__at(item), quote));
    return true;
}

/* Reads the list `tasks`, 1 ... 255 bytes each. */
static void read_task_ids(allot__state_reader *reader, const allot__value *list,
                          allot_in_flight *reclaim, lists *out)
{
    allot__doc *doc = &reader->doc;
    int32_t count = list->kind != 0 ? allot__doc_items(doc, list->number) : 0;
    out->tasks = count > 0 ? allot__block_new(doc, (size_t)count, sizeof *out->tasks) : NULL;
    if (!out->tasks)
        return;
    reclaim->task_count = count;
    reclaim->tasks = out->tasks;
    if (allot__doc_parse(doc, list->number, &out->node))
        return;
    uint32_t item = list->number + 1;
    count = 0;
    for (const cJSON *it = out->node->child; it; it = it->next) {
        out->tasks[count++] = task_id_read(doc, item, it->valuestring) ? it->valuestring : NULL;
        item = allot__doc_next(doc, item);
    }
}

static void free_lists(allot__doc *doc, const allot_in_flight *reclaim, const lists *lists)
{
    allot__block_free(doc, lists->claims, (size_t)reclaim->claim_count, sizeof *lists->claims);
    allot__block_free(doc, lists->tasks, (size_t)reclaim->task_count, sizeof *lists->tasks);
    cJSON_Delete(lists->node);
}

static void add_reclaim(allot__state_reader *reader, uint32_t object, const allot__value *values)
{
    allot__doc *doc = &reader->doc;
    int64_t faults = doc->faults;
    lists lists = {NULL, NULL, NULL};
    allot_in_flight reclaim = {.id = values[R_ID].string,
                               .consumer = allot__leaf_value(reader, &values[R_CONSUMER]),
                               .group =
                                   allot__group_read(doc, reader->plan, object, &values[R_GROUP]),
                               .slots = allot__amount_or(&values[R_SLOTS], ALLOT_AMOUNT_MAX),
                               .deadline = INT64_MAX};
    allot__time_read(doc, &values[R_DEADLINE], &reclaim.deadline);
    read_claims(reader, &values[R_FOR], &reclaim, &lists.claims);
    read_task_ids(reader, &values[R_TASKS], &reclaim, &lists);
    if (doc->faults == faults && reclaim.consumer >= 0 && reclaim.group >= 0)
        allot__doc_keep(doc, allot_state_in_flight(reader->state, &reclaim));
    free_lists(doc, &reclaim, &lists);
}

static void read_reclaim(allot__state_reader *reader, uint32_t object)
{
    allot__value values[RECLAIM_FIELDS];
    cJSON *node;
    if (allot__object_read(&reader->doc, object, &reclaim_shape, values, &node))
        return;
    add_reclaim(reader, object, values);
    cJSON_Delete(node);
}

void allot__reclaims_read(allot__state_reader *reader)
{
    const allot__value *reclaims = &reader->top[ALLOT__STATE_RECLAIMS];
    if (reclaims->kind != 0)
        allot__each_object(reader, reclaims->number, read_reclaim);
}
