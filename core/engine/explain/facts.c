/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* facts.c: facts that several explanations have. */
#include <stdio.h>
#include <string.h>

#include "engine/explain/job.h"

/* ---- Facts ----------------------------------------------------------------------------------- */

allot__fact_words allot__path(const allot__explanation *about, int32_t consumer)
{
    const allot_plan *plan = about->decision->plan;
    allot__fact_words words = {""};
    if (allot_plan_path(plan, consumer, words.text, sizeof words.text) >= sizeof words.text)
        snprintf(words.text, sizeof words.text, ".../%s", allot_plan_name(plan, consumer));
    return words;
}

allot__fact_words allot__ratio_words(allot__u128 num, allot__u128 den)
{
    allot__fact_words words = {""};
    allot_ratio ratio = allot__ratio(num, den);
    allot_ratio_text(&ratio, words.text, sizeof words.text);
    return words;
}

void allot__facts_places(const allot__explanation *about, const char *name,
                         const allot_place *places, int32_t count, int32_t most)
{
    allot__facts_open(about, name, "[");
    for (int32_t i = 0; i < count && i < most; i++)
        OBJECT(about, NULL, "name slots", places[i].name, places[i].slots);
    allot__facts_end(about, "]");
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
        allot_source source = order->keys[i].source;
        OBJECT(about, NULL, "name falls? flag?", allot__explain_source(about, rows, source),
               order->keys[i].descending,
               rows == ALLOT_TASKS && allot__explain_is_flag(about, rows, source));
    }
    allot__facts_end(about, "]");
}

void allot__explain_key(const allot__explanation *about, const char *name, const allot_key *key,
                        int64_t mine, int64_t its)
{
    OBJECT(about, name, "name flag? falls? mine its",
           allot__explain_source(about, ALLOT_TASKS, key->source),
           allot__explain_is_flag(about, ALLOT_TASKS, key->source), key->descending, mine, its);
}

const allot__guard *allot__explain_guard(const allot__explanation *about, int32_t mark)
{
    const allot__vector *guards = &about->rules->policy->guards;
    int32_t i = mark - ALLOT__INELIGIBLE_GUARD;
    bool known = i >= 0 && (size_t)i < guards->count;
    return known ? (const allot__guard *)guards->items + i : NULL;
}
