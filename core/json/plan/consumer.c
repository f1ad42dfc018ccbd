/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* consumer.c: a plan's consumers, and what its groups and windows state otherwise. */
#include "json/plan/plan.h"

#include <string.h>

#include "json/text/names.h"

/* A faulty consumer's own faults are said, but it is in no plan: so are those below it. */
#define NOWHERE (-2)
/* From LEND on a group or window may state them otherwise. */
enum { NAME, CHILDREN, POLICY, REQUIRES, LEND, BORROW, OWN_FIELDS };
static const allot__field own_fields[OWN_FIELDS] = {
    [NAME] = {"name", ALLOT__STRING, 0, 0, true, false},
    [CHILDREN] = {"children", ALLOT__LIST, 0, 0, false, false},
    [POLICY] = {"policy", ALLOT__STRING | ALLOT__OBJECT, 0, 0, false, false},
    [REQUIRES] = {"requires", ALLOT__STRING | ALLOT__NULL, 0, 0, false, false},
    [LEND] = {"lend", ALLOT__PEERS, 0, 0, false, false},
    [BORROW] = {"borrow", ALLOT__PEERS, 0, 0, false, false},
};

/* The fields of a consumer: its own, then the plan's columns. */
static void make_fields(allot__plan_reader *reader)
{
    size_t count = OWN_FIELDS + (size_t)allot_plan_columns(reader->plan);
    reader->fields = allot__block_new(&reader->doc, count, sizeof *reader->fields);
    reader->values = allot__block_new(&reader->doc, count, sizeof *reader->values);
    reader->field_count = count;
    if (!reader->fields || !reader->values)
        return;
    memcpy(reader->fields, own_fields, sizeof own_fields);
    for (size_t i = OWN_FIELDS; i < count; i++) {
        allot_attribute column;
        allot_plan_column_at(reader->plan, (int32_t)(i - OWN_FIELDS), &column);
        unsigned kinds = column.type == ALLOT_BOOLEAN ? ALLOT__BOOLEAN : ALLOT__INTEGER;
        if (column.fallback == ALLOT_NONE)
            kinds |= ALLOT__NULL;
        reader->fields[i] =
            (allot__field){column.name, kinds, column.min, column.max, false, false};
    }
}

/* allot_plan_set, where a group or ALLOT_ALL, or allot_plan_window_set. */
typedef int (*setter)(allot_plan *plan, int32_t where, int32_t consumer, int32_t column,
                      int64_t value);

/* States the columns that `values` has, before which are `lend` and `borrow`. In a group or window
 * null says that there is none; for all groups it already is so. */
static void set_columns(allot__plan_reader *reader, int32_t where, int32_t consumer,
                        const allot__value *values, setter set)
{
    int32_t count = (int32_t)(reader->field_count - OWN_FIELDS);
    reader->peers = reader->peers || values[LEND - OWN_FIELDS].kind != 0 ||
                    values[BORROW - OWN_FIELDS].kind != 0;
    for (int32_t i = 0; i < count; i++) {
        allot_attribute column;
        if (values[i].kind == 0 || (values[i].kind == ALLOT__NULL && where == ALLOT_ALL))
            continue;
        int32_t number = allot_plan_column_at(reader->plan, i, &column);
        int64_t value = values[i].kind == ALLOT__NULL ? ALLOT_NONE : values[i].integer;
        reader->peers = reader->peers || allot__peers_limit(column.name);
        allot__doc_keep(&reader->doc, set(reader->plan, where, consumer, number, value));
    }
}

/* ---- Consumers ------------------------------------------------------------------------------- */

static void refuse(allot__doc *doc, const cJSON *name, int status)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    allot__spot spot = allot__at((uint32_t)name->valueint);
    allot__doc_quote(doc, spot, quote);
    if (status == ALLOT_ENAME)
        allot__doc_fault(doc, spot, "E-name", NULL, "found %s, allowed " ALLOT__NAME_RULE, quote);
    else
        allot__doc_fault(doc, spot, "E-duplicate-path", NULL,
                         "found the name %s again, allowed once among siblings", quote);
}

/* Adds the consumer that the object names; *out is NOWHERE when it cannot be. */
static void add_consumer(allot__plan_reader *reader, const cJSON *node, int32_t parent,
                         int32_t *out)
{
    allot__doc *doc = &reader->doc;
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(node, "name");
    uint32_t object = (uint32_t)node->valueint;
    *out = NOWHERE;
    allot__doc_about(doc, NULL, 0, 0);
    if (parent == NOWHERE || !cJSON_IsString(name))
        return;
    int32_t consumer;
    int status = allot_plan_add(reader->plan, parent, name->valuestring, strlen(name->valuestring),
                                &consumer);
    if (status == ALLOT_ENAME || status == ALLOT_EEXIST)
        refuse(doc, name, status);
    else if (allot__doc_keep(doc, status) == ALLOT_OK)
        allot__consumer_remember(reader, consumer, object);
    if (status != ALLOT_OK || doc->status != ALLOT_OK)
        return;
    *out = consumer;
    allot__doc_about(doc, reader->plan, consumer, object);
}

static void set_requirement(allot__plan_reader *reader, int32_t consumer)
{
    const allot__value *value = &reader->values[REQUIRES];
    char quote[ALLOT__QUOTE_MAX + 4];
    if (value->kind != ALLOT__STRING || reader->no_policy)
        return;
    int status = allot_plan_require(reader->plan, consumer, value->string);
    if (status != ALLOT_ENAME)
        allot__doc_keep(&reader->doc, status);
    else
        allot__doc_fault(&reader->doc, allot__at(value->number), "E-name", NULL,
                         "found %s, allowed " ALLOT__NAME_RULE,
                         allot__doc_quote(&reader->doc, allot__at(value->number), quote));
}

/* Reads what the object says itself; its children's list is in *children (0: none). */
static void read_own(allot__plan_reader *reader, uint32_t object, int32_t parent, int32_t *consumer,
                     uint32_t *children)
{
    allot__doc *doc = &reader->doc;
    allot__shape shape = {reader->fields, reader->field_count,
                          reader->no_policy ? ALLOT__ANYTHING : 0};
    int64_t faults = doc->faults;
    cJSON *node;
    if (allot__doc_parse(doc, object, &node))
        return;
    add_consumer(reader, node, parent, consumer);
    allot__object_check(doc, node, &shape, reader->values);
    const allot__value *list = &reader->values[CHILDREN];
    *children = list->kind != 0 ? list->number : 0;
    if (doc->faults > faults)
        allot__consumer_mark(reader, *consumer == NOWHERE ? parent : *consumer);
    if (parent != ALLOT_ROOT && reader->values[POLICY].number != 0)
        allot__doc_fault(doc, allot__at(reader->values[POLICY].number), "E-policy", NULL,
                         "a branch goes by one policy: only first-level consumers name one");
    if (*consumer != NOWHERE) {
        set_columns(reader, ALLOT_ALL, *consumer, reader->values + OWN_FIELDS, allot_plan_set);
        set_requirement(reader, *consumer);
    }
    if (parent == ALLOT_ROOT && *consumer != NOWHERE)
        allot__branch_set(reader, object, *consumer);
    cJSON_Delete(node);
}

/* Recursion ends with the scan's limit of depth. */
static void read_list(allot__plan_reader *reader, uint32_t list, int32_t parent)
{
    allot__doc *doc = &reader->doc;
    uint32_t end = allot__doc_end(doc, list);
    for (uint32_t item = list + 1; item < end && doc->status == ALLOT_OK;
         item = allot__doc_next(doc, item)) {
        int32_t consumer = NOWHERE;
        uint32_t children = 0;
        if (!allot__kind_check(doc, item, ALLOT__OBJECT)) {
            allot__consumer_mark(reader, parent);
            continue;
        }
        read_own(reader, item, parent, &consumer, &children);
        if (children != 0)
            read_list(reader, children, consumer);
    }
}

/* ---- What groups and windows state otherwise
 * ------------------------------------------------------------- */

static void read_difference(allot__plan_reader *reader, const cJSON *member, int32_t where,
                            setter set)
{
    allot__doc *doc = &reader->doc;
    uint32_t number = (uint32_t)member->valueint;
    allot__shape shape = {reader->fields + LEND, reader->field_count - LEND,
                          reader->no_policy ? ALLOT__ANYTHING : 0};
    int64_t faults = doc->faults;
    cJSON *node;
    if (number == 0)
        return;
    int32_t consumer = allot__path_read(doc, reader->plan, allot__at_key(number), member->string);
    if (!allot__kind_check(doc, number, ALLOT__OBJECT))
        return;
    if (consumer >= 0)
        allot__doc_about(doc, reader->plan, consumer, number);
    if (allot__object_read(doc, number, &shape, reader->values, &node))
        return;
    if (doc->faults > faults)
        allot__consumer_mark(reader, consumer);
    if (consumer >= 0 && where >= 0)
        set_columns(reader, where, consumer, reader->values + OWN_FIELDS - LEND, set);
    cJSON_Delete(node);
}

static void read_differences(allot__plan_reader *reader, uint32_t consumers, int32_t where,
                             setter set)
{
    cJSON *node;
    if (consumers == 0 || allot__doc_parse(&reader->doc, consumers, &node))
        return;
    for (const cJSON *it = node->child; it; it = it->next)
        read_difference(reader, it, where, set);
    cJSON_Delete(node);
}

void allot__consumers_read(allot__plan_reader *reader)
{
    const allot__value *list = &reader->top[ALLOT__PLAN_CONSUMERS];
    make_fields(reader);
    if (list->kind != 0)
        read_list(reader, list->number, ALLOT_ROOT);
    if (reader->doc.status != ALLOT_OK)
        return;
    for (size_t i = 0; i < reader->group_count; i++)
        read_differences(reader, reader->groups[i].consumers, reader->groups[i].group,
                         allot_plan_set);
    for (size_t i = 0; i < reader->window_count; i++)
        read_differences(reader, reader->windows[i].consumers, reader->windows[i].window,
                         allot_plan_window_set);
    allot__doc_about(&reader->doc, NULL, 0, 0);
}
