/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* facts.c: facts that several explanations have. */
#include <stdio.h>
#include <string.h>

#include "engine/explain/job.h"

enum { PATH_MAX_SHOWN = 300 };

void allot__fact_path(const allot__explanation *about, const char *name, int32_t consumer)
{
    const allot_plan *plan = about->decision->plan;
    char path[PATH_MAX_SHOWN];
    if (allot_plan_path(plan, consumer, path, sizeof path) >= sizeof path)
        snprintf(path, sizeof path, ".../%s", allot_plan_name(plan, consumer));
    allot__fact_text(about, name, path);
}

void allot__fact_ratio(const allot__explanation *about, const char *name, allot__u128 num,
                       allot__u128 den)
{
    char text[100];
    allot_ratio ratio = allot__ratio(num, den);
    allot_ratio_text(&ratio, text, sizeof text);
    allot__fact_text(about, name, text);
}

void allot__fact_terms(const allot__explanation *about, const allot__term *terms, size_t count,
                       const void *of)
{
    for (size_t i = 0; i < count; i++) {
        const char *at = (const char *)of + terms[i].at;
        int64_t wide;
        int32_t narrow;
        if (terms[i].size == sizeof wide) {
            memcpy(&wide, at, sizeof wide);
        } else {
            memcpy(&narrow, at, sizeof narrow);
            wide = narrow;
        }
        allot__fact(about, terms[i].name, wide);
    }
}

/* ---- Sources --------------------------------------------------------------------------------- */

/* The attribute of the policy that a column is; NULL: it is built in. */
static const allot_attribute *attribute_of(const allot__explanation *about, allot_rows rows,
                                           int32_t column)
{
    const allot_policy *policy = about->rules->policy;
    bool tasks = rows == ALLOT_TASKS;
    int32_t own = column - (tasks ? ALLOT_TASK_COLUMN_COUNT : ALLOT_COLUMN_COUNT);
    if (own < 0 || rows == ALLOT_QUEUES)
        return NULL;
    return &(tasks ? policy->task_attributes : policy->attributes)[own];
}

const char *allot__explain_source(const allot__explanation *about, allot_rows rows,
                                  allot_source source)
{
    if (source.kind != ALLOT_FROM_COLUMN)
        return source.kind == ALLOT_FROM_FUNCTION ? "the policy's function" : "a number";
    const allot_attribute *own = attribute_of(about, rows, source.value);
    return own ? own->name : allot_rows_column_name(rows, source.value);
}

bool allot__explain_is_flag(const allot__explanation *about, allot_rows rows, allot_source source)
{
    if (source.kind != ALLOT_FROM_COLUMN)
        return false;
    const allot_attribute *own = attribute_of(about, rows, source.value);
    return own ? own->type != ALLOT_INTEGER : allot_rows_column_flag(rows, source.value) != 0;
}

void allot__explain_keys(const allot__explanation *about, allot_rows rows,
                         const allot__order *order)
{
    allot__facts_open(about, "keys", "[");
    for (int32_t i = 0; i < order->count; i++) {
        const allot_key *key = &order->keys[i];
        allot__facts_open(about, NULL, "{");
        allot__fact_text(about, "name", allot__explain_source(about, rows, key->source));
        allot__fact_flag(about, "falls", key->descending != 0);
        allot__fact_flag(about, "flag",
                         rows == ALLOT_TASKS && allot__explain_is_flag(about, rows, key->source));
        allot__facts_end(about, "}");
    }
    allot__facts_end(about, "]");
}

void allot__explain_key(const allot__explanation *about, const char *name, const allot_key *key,
                        int64_t mine, int64_t its)
{
    allot__facts_open(about, name, "{");
    allot__fact_text(about, "name", allot__explain_source(about, ALLOT_TASKS, key->source));
    allot__fact_flag(about, "flag", allot__explain_is_flag(about, ALLOT_TASKS, key->source));
    allot__fact_flag(about, "falls", key->descending != 0);
    allot__fact(about, "mine", mine);
    allot__fact(about, "its", its);
    allot__facts_end(about, "}");
}

const allot__guard *allot__explain_guard(const allot__explanation *about, int32_t mark)
{
    const allot__vector *guards = &about->rules->policy->guards;
    int32_t i = mark - ALLOT__INELIGIBLE_GUARD;
    bool known = i >= 0 && (size_t)i < guards->count;
    return known ? (const allot__guard *)guards->items + i : NULL;
}

const char *allot__explain_action(allot_action action)
{
    static const char *const words[ALLOT_ACTION_COUNT] = {[ALLOT_SUSPEND] = "suspend",
                                                          [ALLOT_CHECKPOINT] = "checkpoint",
                                                          [ALLOT_REQUEUE] = "requeue",
                                                          [ALLOT_KILL] = "kill"};
    return words[action];
}
