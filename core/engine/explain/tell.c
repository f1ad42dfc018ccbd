/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* tell.c: sentences, and the words that all chapters of an explanation share. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/explain/job.h"

void allot__sentence_add(allot__sentence *to, const char *format, ...)
{
    size_t room = sizeof to->text - to->len;
    va_list args;
    va_start(args, format);
    int len = vsnprintf(to->text + to->len, room, format, args);
    va_end(args);
    to->len += len > 0 && (size_t)len < room ? (size_t)len : 0;
    to->text[to->len] = '\0';
}

void allot__sentence_next(allot__sentence *to)
{
    if (to->items++ > 0)
        allot__sentence_add(to, ", ");
}

void allot__explain(const allot__explanation *about, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    about->line(about->ud, text);
}

allot__phrase allot__phrase_path(const allot__explanation *about, int32_t consumer)
{
    allot__phrase words;
    char whole[4096];
    const allot_plan *plan = about->decision->plan;
    size_t len = allot_plan_path(plan, consumer, whole, sizeof whole);
    if (len < sizeof words.text)
        memcpy(words.text, whole, len + 1);
    else
        snprintf(words.text, sizeof words.text, ".../%s", allot_plan_name(plan, consumer));
    return words;
}

allot__phrase allot__phrase_ratio(allot__u128 num, allot__u128 den)
{
    allot__phrase words = {{0}};
    allot_ratio ratio = allot__ratio(num, den);
    allot_ratio_text(&ratio, words.text, sizeof words.text);
    return words;
}

allot__phrase allot__phrase_slots(int64_t slots)
{
    allot__phrase words;
    snprintf(words.text, sizeof words.text, "%" PRId64 " slot%s", slots, slots == 1 ? "" : "s");
    return words;
}

allot__phrase allot__phrase_value(bool flag, int64_t value)
{
    allot__phrase words;
    if (flag)
        snprintf(words.text, sizeof words.text, "%s", value != 0 ? "true" : "false");
    else
        snprintf(words.text, sizeof words.text, "%" PRId64, value);
    return words;
}

const char *allot__phrase_first(bool flag, bool descending)
{
    return flag ? (descending ? "true" : "false") : (descending ? "largest" : "smallest");
}

const char *allot__explain_source(const allot__explanation *about, allot_rows rows,
                                  allot_source source)
{
    const allot_policy *policy = about->rules->policy;
    bool tasks = rows == ALLOT_TASKS;
    int32_t own = source.value - (tasks ? ALLOT_TASK_COLUMN_COUNT : ALLOT_COLUMN_COUNT);
    if (source.kind != ALLOT_FROM_COLUMN)
        return source.kind == ALLOT_FROM_FUNCTION ? "the policy's function" : "a number";
    return own < 0 || rows == ALLOT_QUEUES
               ? allot_rows_column_name(rows, source.value)
               : (tasks ? policy->task_attributes : policy->attributes)[own].name;
}

allot__sentence allot__explain_keys(const allot__explanation *about, allot_rows rows,
                                    const allot__order *order)
{
    allot__sentence words = {.len = 0};
    for (int32_t i = 0; i < order->count; i++) {
        const allot_key *key = &order->keys[i];
        bool flag = rows == ALLOT_TASKS && allot__explain_is_flag(about, rows, key->source);
        allot__sentence_next(&words);
        allot__sentence_add(&words, "%s%s", allot__explain_source(about, rows, key->source),
                            !key->descending ? ""
                            : flag           ? " (true first)"
                                             : " (largest first)");
    }
    return words;
}

bool allot__explain_is_flag(const allot__explanation *about, allot_rows rows, allot_source source)
{
    const allot_policy *policy = about->rules->policy;
    bool tasks = rows == ALLOT_TASKS;
    int32_t own = source.value - (tasks ? ALLOT_TASK_COLUMN_COUNT : ALLOT_COLUMN_COUNT);
    if (source.kind != ALLOT_FROM_COLUMN)
        return false;
    return own < 0
               ? allot_rows_column_flag(rows, source.value)
               : (tasks ? policy->task_attributes : policy->attributes)[own].type != ALLOT_INTEGER;
}

allot__phrase allot__phrase_jobs(int64_t jobs, int64_t slots)
{
    allot__phrase words;
    snprintf(words.text, sizeof words.text, "%" PRId64 " job%s (%" PRId64 " slot%s)", jobs,
             jobs == 1 ? "" : "s", slots, slots == 1 ? "" : "s");
    return words;
}

const char *allot__phrase_done(allot_action action)
{
    static const char *const words[ALLOT_ACTION_COUNT] = {
        [ALLOT_SUSPEND] = "is suspended",
        [ALLOT_CHECKPOINT] = "is saved, then suspended",
        [ALLOT_REQUEUE] = "is killed and pending again",
        [ALLOT_KILL] = "is killed",
    };
    return words[action];
}

const allot_job_order *allot__explain_order(const allot__job_explanation *it)
{
    const allot_job_order *orders = it->out->orders.items;
    return it->verdict.order >= 0 ? &orders[it->verdict.order] : NULL;
}
