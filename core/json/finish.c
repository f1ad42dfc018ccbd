/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* finish.c: seals the plan, and places the model's findings in the document. */
#include <stdio.h>
#include <string.h>

#include "json/text/doc.h"
#include "json/plan/plan.h"
#include "json/jobs/queues.h"

/* In an entry of a group or window: the value that states the column of a consumer, or else the
 * object that states the consumer; 0: none. */
static uint32_t differs_at(const allot__plan_reader *reader, uint32_t consumers, int32_t consumer,
                           const char *column)
{
    char path[ALLOT__PATH_MAX];
    allot_plan_path(reader->plan, consumer, path, sizeof path);
    uint32_t object = consumers != 0 ? allot__doc_member(&reader->doc, consumers, path) : 0;
    uint32_t own = object != 0 && column ? allot__doc_member(&reader->doc, object, column) : 0;
    return own != 0 ? own : object;
}

static const char *column_name(const allot__plan_reader *reader, int32_t field)
{
    allot_attribute column = {0};
    for (int32_t i = 0; field >= 0 && i < allot_plan_columns(reader->plan); i++)
        if (allot_plan_column_at(reader->plan, i, &column) == field)
            return column.name;
    return NULL;
}

/* The window's value behind a finding that holds only in the window. */
static uint32_t window_at(const allot__plan_reader *reader, const allot_diagnostic *finding)
{
    const allot__window_entry *entry = reader->windows;
    while (entry->window != finding->window - 1)
        entry++;
    uint32_t number = 0;
    if (finding->consumer >= 0)
        number = differs_at(reader, entry->consumers, finding->consumer,
                            column_name(reader, finding->field));
    else
        number = entry->slots;
    return number != 0 ? number : entry->object;
}

/* The value that states a column of a consumer: the group's, else the one for all groups, else the
 * consumer's object. */
static uint32_t stated_at(const allot__plan_reader *reader, const allot_diagnostic *finding,
                          uint32_t object)
{
    const allot__doc *doc = &reader->doc;
    const char *column = column_name(reader, finding->field);
    uint32_t own = 0;
    if (!column)
        return object;
    for (size_t i = 0; i < reader->group_count; i++) {
        const allot__group_entry *entry = &reader->groups[i];
        uint32_t other = entry->consumers != 0 && entry->group == finding->group
                             ? differs_at(reader, entry->consumers, finding->consumer, NULL)
                             : 0;
        own = other != 0 ? allot__doc_member(doc, other, column) : own;
    }
    if (own == 0)
        own = allot__doc_member(doc, object, column);
    return own != 0 ? own : object;
}

/* Findings about a group as a whole are placed at its size. */
static uint32_t group_at(const allot__plan_reader *reader, int32_t group)
{
    for (size_t i = 0; i < reader->group_count; i++)
        if (reader->groups[i].group == group && reader->groups[i].slots.number != 0)
            return reader->groups[i].slots.number;
    return reader->top[ALLOT__PLAN_SLOTS].number;
}

/* Findings about the policy together with consumers or queues are placed at the policy. */
static uint32_t policy_at(const allot__plan_reader *reader)
{
    uint32_t number = reader->top[ALLOT__PLAN_POLICY].number;
    uint32_t queues = reader->top[ALLOT__PLAN_QUEUES].number;
    return number != 0 ? number : queues != 0 ? queues : reader->top[ALLOT__PLAN_CONSUMERS].number;
}

static uint32_t place_of(allot__plan_reader *reader, const allot_diagnostic *finding,
                         uint32_t object)
{
    if (finding->window > 0)
        return window_at(reader, finding);
    if (finding->consumer >= 0 && strcmp(finding->code, "E-requires") == 0)
        return allot__doc_member(&reader->doc, object, "requires");
    if (finding->consumer >= 0)
        return stated_at(reader, finding, object);
    if (strcmp(finding->code, "E-windows") == 0)
        return reader->top[ALLOT__PLAN_WINDOWS].number;
    if (strcmp(finding->code, "E-policy") == 0)
        return policy_at(reader);
    return group_at(reader, finding->group);
}

/* ---- Queues, limits, contracts --------------------------------------------------------------- */

/* The parts of a finding's path: "queues[3].preemptive[1]". */
typedef struct step {
    char list[12], key[32];
    unsigned entry;
    int item; /* -1: none */
} step;

static bool parse(const char *path, step *out)
{
    int at = 0;
    *out = (step){.item = -1};
    if (!path || sscanf(path, "%11[a-z][%u]%n", out->list, &out->entry, &at) < 2)
        return false;
    if (sscanf(path + at, ".%31[a-z_][%d]", out->key, &out->item) < 1)
        out->key[0] = '\0';
    return true;
}

static uint32_t entry_of(const allot__plan_reader *reader, const step *it, bool *doubted)
{
    const allot__objects *limits = &reader->limits, *leases = &reader->leases;
    *doubted = reader->queues_lost || reader->hosts_doubtful;
    if (strcmp(it->list, "queues") == 0 && it->entry < reader->object_capacity) {
        bool faulty;
        uint32_t object = allot__consumer_object(reader, (int32_t)it->entry, &faulty);
        *doubted = *doubted || faulty;
        return object;
    }
    if (strcmp(it->list, "limits") == 0 && it->entry < limits->count)
        return limits->numbers[it->entry];
    return strcmp(it->list, "leases") == 0 && it->entry < leases->count ? leases->numbers[it->entry]
                                                                        : 0;
}

/* The member of that key, or of a key that states the same. */
static uint32_t member_of(const allot__doc *doc, uint32_t object, const char *key)
{
    static const char *const instead[][2] = {
        {"preemptive", "preemption"}, {"preemptable", "preemption"},
        {"queues", "per_queue"},      {"users", "per_user"},
        {"user_groups", "per_group"}, {"user_groups", "users"},
        {"user_groups", "per_user"},  {"hosts", "per_host"},
        {"hosts", "res_select"},      {"no_preempt_run_time", "runlimit"}};
    uint32_t number = allot__doc_member(doc, object, key);
    for (size_t i = 0; i < sizeof instead / sizeof instead[0] && number == 0; i++)
        if (strcmp(instead[i][0], key) == 0)
            number = allot__doc_member(doc, object, instead[i][1]);
    return number;
}

/* The place of a finding about queues, limits or contracts; 0: the finding is about something else.
 * *doubted: it may follow from another fault. */
static uint32_t queues_place(const allot__plan_reader *reader, const allot_diagnostic *finding,
                             bool *doubted)
{
    const allot__doc *doc = &reader->doc;
    step it;
    *doubted = false;
    if (finding->path && strcmp(finding->path, "groups") == 0)
        return reader->top[ALLOT__PLAN_GROUPS].number;
    if (!parse(finding->path, &it))
        return 0;
    uint32_t object = entry_of(reader, &it, doubted);
    if (object == 0 || allot__doc_first(doc, object) != '{' || it.key[0] == '\0')
        return object;
    uint32_t number = member_of(doc, object, it.key);
    if (number == 0)
        return object;
    char first = allot__doc_first(doc, number);
    bool nests = it.item >= 0 && (first == '[' || first == '{');
    uint32_t item = nests ? allot__doc_item(doc, number, it.item) : 0;
    return item != 0 ? item : number;
}

/* Findings about queues have a path by keys: gives the finding its place in the document. */
static bool adopt_queues(allot__plan_reader *reader, const allot_diagnostic *finding)
{
    char path[ALLOT__PATH_MAX];
    bool doubted;
    uint32_t number = queues_place(reader, finding, &doubted);
    if (number == 0)
        return false;
    allot_diagnostic copy = *finding;
    allot__place_path(&reader->doc, number, path, sizeof path);
    copy.path = path;
    if (!doubted && !(reader->doubtful && finding->severity == ALLOT_WARNING))
        allot__doc_adopt(&reader->doc, allot__at(number), &copy);
    return true;
}

/* Adopts findings of a policy's function, which have a place in the policy's file. */
static void adopt_placed(allot__plan_reader *reader, const allot_diagnostic *finding)
{
    if (reader->doubtful)
        return;
    reader->doc.faults += finding->severity == ALLOT_ERROR;
    allot_report_add(reader->doc.report, finding);
}

static void adopt(allot__plan_reader *reader, const allot_diagnostic *finding)
{
    bool faulty = reader->doubtful;
    uint32_t object = 0;
    if (finding->file) {
        adopt_placed(reader, finding);
        return;
    }
    if (finding->window <= 0 && adopt_queues(reader, finding))
        return;
    if (finding->consumer >= 0)
        object = allot__consumer_object(reader, finding->consumer, &faulty);
    uint32_t number = place_of(reader, finding, object);
    bool doubted = reader->no_policy && finding->severity == ALLOT_WARNING;
    if (!faulty && !doubted) /* without the policy, warnings are doubtful */
        allot__doc_adopt(&reader->doc, allot__at(number), finding);
}

/* A plan whose policy failed is still checked, with any policy. */
static void give_any_policy(allot__plan_reader *reader)
{
    allot_policy *any;
    if (allot__doc_keep(&reader->doc, allot_policy_new(reader->doc.engine, "any", &any)))
        return;
    if (allot__plan_states(reader, ALLOT__PLAN_QUEUES)) /* makes the policy dispatch */
        allot__doc_keep(&reader->doc, allot_policy_fewest(any, ALLOT_ONE_BY_ONE));
    allot__doc_keep(&reader->doc, allot_plan_policy(reader->plan, ALLOT_ALL, any));
    allot_policy_free(any);
}

void allot__plan_finish(allot__plan_reader *reader)
{
    allot__doc *doc = &reader->doc;
    allot_report *found = NULL;
    if (reader->no_policy && doc->faults > 0)
        give_any_policy(reader);
    if (doc->report)
        allot__doc_keep(doc, allot_report_new(doc->engine, &found));
    int status = doc->status == ALLOT_OK ? allot_plan_seal(reader->plan, found) : ALLOT_OK;
    for (int32_t i = 0; found && i < allot_report_count(found); i++)
        adopt(reader, allot_report_at(found, i));
    allot_report_free(found);
    if (allot__doc_keep(doc, status) == ALLOT_OK && doc->status == ALLOT_OK) {
        allot__leases_policy(reader);
        allot__resources_effect(reader);
    }
}
