/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue_place.c: where the document says what the model finds about queues and contracts. */
#include <stdio.h>
#include <string.h>

#include "json/jobs/queues.h"

/* What a finding's path names: "queues[3].preemptive[1]". */
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

static uint32_t object_of(const allot__plan_reader *reader, const step *it, bool *doubted)
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

/* The key, or that which says the same. */
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

uint32_t allot__queues_place(const allot__plan_reader *reader, const allot_diagnostic *finding,
                             bool *doubted)
{
    const allot__doc *doc = &reader->doc;
    step it;
    *doubted = false;
    if (finding->path && strcmp(finding->path, "groups") == 0)
        return reader->top[ALLOT__PLAN_GROUPS].number;
    if (!parse(finding->path, &it))
        return 0;
    uint32_t object = object_of(reader, &it, doubted);
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
