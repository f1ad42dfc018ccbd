/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* branch.c: the policies of first-level consumers (H-15), found before the consumers are read. */
#include "json/plan/plan.h"

#include <string.h>

/* Calls for each first-level object that names a policy: with NULL only counts. */
static size_t find(allot__plan_reader *reader, allot__branch_entry *out)
{
    const allot__doc *doc = &reader->doc;
    const allot__value *list = &reader->top[ALLOT__PLAN_CONSUMERS];
    size_t count = 0;
    if (list->kind == 0)
        return 0;
    uint32_t end = allot__doc_end(doc, list->number);
    for (uint32_t item = list->number + 1; item < end; item = allot__doc_next(doc, item)) {
        uint32_t policy =
            allot__doc_first(doc, item) == '{' ? allot__doc_member(doc, item, "policy") : 0;
        char first = policy != 0 ? allot__doc_first(doc, policy) : '\0';
        if (first != '"' && first != '{')
            continue; /* what is of another kind is said with the consumer */
        if (out)
            out[count] = (allot__branch_entry){.object = item, .policy = policy};
        count++;
    }
    return count;
}

void allot__branches_find(allot__plan_reader *reader)
{
    size_t count = find(reader, NULL);
    if (count > 0)
        reader->branches = allot__block_new(&reader->doc, count, sizeof *reader->branches);
    if (reader->branches)
        reader->branch_count = find(reader, reader->branches);
}

static bool same_text(const allot__doc *doc, uint32_t a, uint32_t b)
{
    size_t a_len, b_len;
    const char *a_text = allot__doc_text(doc, a, &a_len), *b_text = allot__doc_text(doc, b, &b_len);
    return a_len == b_len && memcmp(a_text, b_text, a_len) == 0;
}

/* Every group goes by the plan's own policy at all times, and the value is written as that is. */
static bool as_the_plan(const allot__plan_reader *reader, uint32_t number)
{
    static const char ready[] = "\"hybrid\"";
    uint32_t top = reader->top[ALLOT__PLAN_POLICY].number;
    size_t len;
    const char *text = allot__doc_text(&reader->doc, number, &len);
    for (size_t i = 0; i < reader->group_count; i++)
        if (reader->groups[i].policy != 0)
            return false;
    for (size_t i = 0; i < reader->window_count; i++)
        if (reader->windows[i].policy != 0)
            return false;
    if (top != 0)
        return same_text(&reader->doc, top, number);
    return len == sizeof ready - 1 && memcmp(text, ready, len) == 0;
}

bool allot__branch_known(allot__plan_reader *reader, size_t i)
{
    allot__branch_entry *branch = &reader->branches[i];
    if (as_the_plan(reader, branch->policy))
        return true;
    for (size_t k = 0; k < i; k++) {
        if (same_text(&reader->doc, reader->branches[k].policy, branch->policy)) {
            branch->loaded = reader->branches[k].loaded;
            branch->shared = true;
            return true;
        }
    }
    return false;
}

void allot__branch_set(allot__plan_reader *reader, uint32_t object, int32_t consumer)
{
    for (size_t i = 0; i < reader->branch_count; i++) {
        const allot__branch_entry *branch = &reader->branches[i];
        if (branch->object != object || !branch->loaded)
            continue;
        int status = allot_plan_branch(reader->plan, consumer, branch->loaded);
        if (status != ALLOT_EUSAGE) {
            allot__doc_keep(&reader->doc, status);
            return;
        }
        allot__doc_fault(&reader->doc, allot__at(branch->policy), "E-policy", NULL,
                         "a plan has at most 254 branches with a policy of their own");
    }
}

void allot__branches_free(allot__plan_reader *reader)
{
    for (size_t i = 0; i < reader->branch_count; i++)
        if (!reader->branches[i].shared)
            allot_policy_free(reader->branches[i].loaded);
    allot__block_free(&reader->doc, reader->branches, reader->branch_count,
                      sizeof *reader->branches);
}
