/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* consumer.c: a plan's consumers, and their other values in groups and windows. */
#include "json/plan/plan.h"

#include <string.h>

#include "base/memory.h"
#include "json/text/names.h"

/* Faults of a faulty consumer, and of those below it, are reported, but none of them is added. */
#define NOWHERE (-2)
/* A group or window may state other values of the keys from LEND on. */
enum { NAME, CHILDREN, POLICY, REQUIRES, LEND, BORROW, OWN_FIELDS };
static const allot__field own_fields[OWN_FIELDS] = {
    [NAME] = {"name", ALLOT__STRING, 0, 0, true},
    [CHILDREN] = {"children", ALLOT__LIST, 0, 0, false},
    [POLICY] = {"policy", ALLOT__STRING | ALLOT__OBJECT, 0, 0, false},
    [REQUIRES] = {"requires", ALLOT__STRING | ALLOT__NULL, 0, 0, false},
    [LEND] = {"lend", ALLOT__PEERS, 0, 0, false},
    [BORROW] = {"borrow", ALLOT__PEERS, 0, 0, false},
};

/* The fields of a consumer: its own, then the plan's columns. */
static void make_fields(allot__plan_reader *reader)
{
    size_t count = OWN_FIELDS + (size_t)allot_plan_columns(reader->plan);
    reader->fields = allot__doc_take(&reader->doc, count, sizeof *reader->fields);
    reader->values = allot__doc_take(&reader->doc, count, sizeof *reader->values);
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
        reader->fields[i] = (allot__field){column.name, kinds, column.min, column.max, false};
    }
}

/* allot_plan_set (`where`: a group or ALLOT_ALL) or allot_plan_window_set. */
typedef int (*setter)(allot_plan *plan, int32_t where, int32_t consumer, int32_t column,
                      int64_t value);

/* Sets the columns in `values`, behind `lend` and `borrow`. In a group or window null means no
 * limit; for all groups that is the default. */
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

/* ---- The object of each consumer, and which are faulty --------------------------------------- */

/* Set in a consumer's object number. */
#define FAULTY UINT32_C(0x80000000)

/* Marks the consumer and all above it: their sums are in doubt, too. */
void allot__consumer_mark(allot__plan_reader *reader, int32_t consumer)
{
    reader->doubtful = true;
    for (; consumer >= 0 && (reader->objects[consumer] & FAULTY) == 0;
         consumer = allot_plan_parent(reader->plan, consumer))
        reader->objects[consumer] |= FAULTY;
}

uint32_t allot__consumer_object(const allot__plan_reader *reader, int32_t consumer, bool *faulty)
{
    *faulty = (reader->objects[consumer] & FAULTY) != 0;
    return reader->objects[consumer] & ~FAULTY;
}

void allot__consumer_remember(allot__plan_reader *reader, int32_t consumer, uint32_t object)
{
    uint32_t *grown = allot__grow(reader->doc.engine, reader->objects, &reader->object_capacity,
                                  (size_t)consumer + 1, sizeof *grown);
    if (!grown) {
        allot__doc_keep(&reader->doc, ALLOT_ENOMEM);
        return;
    }
    reader->objects = grown;
    reader->objects[consumer] = object;
}

/* ---- Consumers ------------------------------------------------------------------------------- */

/* Adds the consumer that the object names; NOWHERE: not possible. */
static int32_t add_consumer(allot__plan_reader *reader, uint32_t object, int32_t parent)
{
    allot__doc *doc = &reader->doc;
    uint32_t number = allot__doc_member(doc, object, "name");
    allot__doc_about(doc, NULL, 0, 0);
    if (parent == NOWHERE || number == 0 || allot__doc_first(doc, number) != '"')
        return NOWHERE;
    int32_t consumer;
    const char *name = allot__doc_string(doc, number);
    int status = allot_plan_add(reader->plan, parent, name, strlen(name), &consumer);
    if (status == ALLOT_EEXIST)
        allot__doc_found(doc, allot__at(number), "E-duplicate-path", NULL, "the name ",
                         " again, allowed once among siblings");
    else if (!allot__doc_named(doc, status, allot__at(number), "", ALLOT__NAME_RULE))
        allot__consumer_remember(reader, consumer, object);
    if (status != ALLOT_OK || doc->status != ALLOT_OK)
        return NOWHERE;
    allot__doc_about(doc, reader->plan, consumer, object);
    return consumer;
}

static void set_requirement(allot__plan_reader *reader, int32_t consumer)
{
    const allot__value *value = &reader->values[REQUIRES];
    if (value->kind != ALLOT__STRING || reader->no_policy)
        return;
    int status = allot_plan_require(reader->plan, consumer, value->string);
    allot__doc_named(&reader->doc, status, allot__at(value->number), "", ALLOT__NAME_RULE);
}

/* Reads the object's own keys; *children is the list of its children (0: none). */
static int32_t read_own(allot__plan_reader *reader, uint32_t object, int32_t parent,
                        uint32_t *children)
{
    allot__doc *doc = &reader->doc;
    allot__shape shape = {reader->fields, reader->field_count,
                          reader->no_policy ? ALLOT__ANYTHING : 0};
    const allot__value *values = reader->values;
    int64_t faults = doc->faults;
    int32_t consumer = add_consumer(reader, object, parent);
    allot__object_read(doc, object, &shape, reader->values);
    *children = values[CHILDREN].kind != 0 ? values[CHILDREN].number : 0;
    if (doc->faults > faults)
        allot__consumer_mark(reader, consumer == NOWHERE ? parent : consumer);
    if (parent != ALLOT_ROOT && values[POLICY].number != 0)
        allot__doc_fault(doc, allot__at(values[POLICY].number), "E-policy", NULL,
                         "a branch goes by one policy: only first-level consumers name one");
    if (consumer == NOWHERE)
        return NOWHERE;
    set_columns(reader, ALLOT_ALL, consumer, values + OWN_FIELDS, allot_plan_set);
    set_requirement(reader, consumer);
    if (parent == ALLOT_ROOT)
        allot__branch_set(reader, object, consumer);
    return consumer;
}

/* The scan's limit of depth bounds the recursion. */
static void read_list(allot__plan_reader *reader, uint32_t list, int32_t parent)
{
    allot__doc *doc = &reader->doc;
    for (uint32_t it = allot__doc_in(doc, list); it && doc->status == ALLOT_OK;
         it = allot__doc_after(doc, list, it)) {
        uint32_t children = 0;
        if (!allot__kind_check(doc, it, ALLOT__OBJECT)) {
            allot__consumer_mark(reader, parent);
            continue;
        }
        int32_t consumer = read_own(reader, it, parent, &children);
        if (children != 0)
            read_list(reader, children, consumer);
    }
}

/* ---- What groups and windows state otherwise ------------------------------------------------- */

static void read_difference(allot__plan_reader *reader, uint32_t number, int32_t where, setter set)
{
    allot__doc *doc = &reader->doc;
    allot__shape shape = {reader->fields + LEND, reader->field_count - LEND,
                          reader->no_policy ? ALLOT__ANYTHING : 0};
    int64_t faults = doc->faults;
    int32_t consumer =
        allot__path_read(doc, reader->plan, allot__at_key(number), allot__doc_key(doc, number));
    if (!allot__kind_check(doc, number, ALLOT__OBJECT))
        return;
    if (consumer >= 0)
        allot__doc_about(doc, reader->plan, consumer, number);
    allot__object_read(doc, number, &shape, reader->values);
    if (doc->faults > faults)
        allot__consumer_mark(reader, consumer);
    if (consumer >= 0 && where >= 0)
        set_columns(reader, where, consumer, reader->values + OWN_FIELDS - LEND, set);
}

static void read_differences(allot__plan_reader *reader, uint32_t consumers, int32_t where,
                             setter set)
{
    allot__doc *doc = &reader->doc;
    uint32_t it = consumers != 0 ? allot__doc_in(doc, consumers) : 0;
    for (; it; it = allot__doc_after(doc, consumers, it))
        read_difference(reader, it, where, set);
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
