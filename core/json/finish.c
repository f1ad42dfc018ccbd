/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* finish.c: the plan is sealed; what the model finds is placed where the document says it. */
#include <string.h>

#include "json/place.h"
#include "json/plan.h"

/* The value that states a column of a consumer: in the group if there, else for all, else its
 * object. */
static uint32_t stated_at(const allot__plan_reader *reader, const allot_diagnostic *finding,
                          uint32_t object)
{
    const allot__doc *doc = &reader->doc;
    allot_attribute column = {0};
    uint32_t own = 0, other = 0;
    char path[ALLOT__PATH_MAX];
    for (int32_t i = 0; finding->field >= 0 && i < allot_plan_columns(reader->plan); i++)
        if (allot_plan_column_at(reader->plan, i, &column) == finding->field)
            break;
    if (finding->field < 0 || column.name == NULL)
        return object;
    for (size_t i = 0; i < reader->group_count; i++) {
        const allot__group_entry *entry = &reader->groups[i];
        if (entry->consumers == 0 || entry->group != finding->group)
            continue;
        allot_plan_path(reader->plan, finding->consumer, path, sizeof path);
        other = allot__doc_member(doc, entry->consumers, path);
        own = other != 0 ? allot__doc_member(doc, other, column.name) : 0;
    }
    if (own == 0)
        own = allot__doc_member(doc, object, column.name);
    return own != 0 ? own : object;
}

/* What is about a group as a whole stands at its size. */
static uint32_t group_at(const allot__plan_reader *reader, int32_t group)
{
    for (size_t i = 0; i < reader->group_count; i++)
        if (reader->groups[i].group == group && reader->groups[i].slots.number != 0)
            return reader->groups[i].slots.number;
    return reader->top[ALLOT__PLAN_SLOTS].number;
}

static void adopt(allot__plan_reader *reader, const allot_diagnostic *finding)
{
    bool faulty = reader->doubtful;
    uint32_t number;
    if (finding->consumer >= 0) {
        uint32_t object = allot__consumer_object(reader, finding->consumer, &faulty);
        number = stated_at(reader, finding, object);
        if (strcmp(finding->code, "E-requires") == 0)
            number = allot__doc_member(&reader->doc, object, "requires");
    } else {
        number = group_at(reader, finding->group);
    }
    if (!faulty)
        allot__doc_adopt(&reader->doc, allot__at(number), finding);
}

/* A plan whose policy failed is checked all the same, with any policy. */
static int give_any_policy(allot__plan_reader *reader)
{
    allot_policy *any;
    int status = allot_policy_new(reader->doc.engine, "any", &any);
    if (status != ALLOT_OK)
        return status;
    status = allot_plan_policy(reader->plan, ALLOT_ALL, any);
    allot_policy_free(any);
    return status;
}

int allot__plan_finish(allot__plan_reader *reader)
{
    allot_report *found = NULL;
    int status = ALLOT_OK;
    if (reader->no_policy && reader->doc.faults > 0)
        status = give_any_policy(reader);
    if (status == ALLOT_OK && reader->doc.report != NULL)
        status = allot_report_new(reader->doc.engine, &found);
    if (status == ALLOT_OK)
        status = allot_plan_seal(reader->plan, found);
    for (int32_t i = 0; found != NULL && i < allot_report_count(found); i++)
        adopt(reader, allot_report_at(found, i));
    allot_report_free(found);
    return status;
}
