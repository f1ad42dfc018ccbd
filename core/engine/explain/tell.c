/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* tell.c: fills in templates; words that all chapters of an explanation share. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/explain/job.h"

/* ---- Templates ------------------------------------------------------------------------------- */

typedef struct filling {
    char *to;
    size_t room, len; /* len: what does not fit included */
    const allot__told *next;
    bool one; /* the last number was 1 */
} filling;

static void put(filling *it, const char *text, size_t len)
{
    if (it->len < it->room)
        memcpy(it->to + it->len, text, len < it->room - it->len ? len : it->room - it->len);
    it->len += len;
}

static void put_value(filling *it, const char *hole)
{
    char digits[24];
    const allot__told *value = it->next;
    if (value->text) {
        size_t most = *hole == '.' ? strtoul(hole + 1, NULL, 10) : SIZE_MAX;
        put(it, value->text, strnlen(value->text, most));
    } else {
        put(it, digits, (size_t)snprintf(digits, sizeof digits, "%" PRId64, value->number));
        it->one = value->number == 1;
    }
}

static const char *put_hole(filling *it, const char *hole, bool shown);

/* Writes up to a character outside of holes (not `shown`: only skips); returns where that is. */
static const char *put_until(filling *it, const char *at, char end, bool shown)
{
    for (;;) {
        const char stops[] = {'{', end, '\0'};
        size_t plain = strcspn(at, stops);
        if (shown)
            put(it, at, plain);
        at += plain;
        if (*at != '{')
            return at;
        at = put_hole(it, at + 1, shown);
    }
}

/* Writes a hole; returns what follows it. */
static const char *put_hole(filling *it, const char *hole, bool shown)
{
    const allot__told *value = it->next;
    if (*hole == '}' || *hole == '.') {
        if (shown)
            put_value(it, hole);
        it->next++;
        return strchr(hole, '}') + 1;
    }
    if (*hole == '&') {
        bool some = value->text ? *value->text != '\0' : value->number != 0;
        return put_until(it, hole + 1, '}', shown && some) + 1;
    }
    if (*hole == '?') {
        if (shown)
            it->one = value->text ? *value->text != '\0' : value->number == 1;
        it->next++;
        hole++;
    }
    bool one = it->one;
    const char *other = put_until(it, hole, '|', shown && one) + 1;
    return put_until(it, other, '}', shown && !one) + 1;
}

/* Fills in a template. As with snprintf, what does not fit is cut. */
static size_t fill_in(char *to, size_t room, const allot__told *values)
{
    filling it = {.to = to, .room = room, .next = values + 1};
    put_until(&it, values->text, '\0', true);
    to[it.len < room ? it.len : room - 1] = '\0';
    return it.len;
}

void allot__tell(const allot__explanation *about, const allot__told *values)
{
    char text[2048];
    fill_in(text, sizeof text, values);
    about->line(about->ud, text);
}

allot__phrase allot__phrase_of(const allot__told *values)
{
    allot__phrase words = {""};
    fill_in(words.text, sizeof words.text, values);
    return words;
}

void allot__sentence_add(allot__sentence *to, const allot__told *values)
{
    size_t len = fill_in(to->text + to->len, sizeof to->text - to->len, values);
    to->len += to->len + len < sizeof to->text ? len : 0;
    to->text[to->len] = '\0';
}

void allot__sentence_list(allot__sentence *to, int32_t most, const allot__told *values)
{
    if (to->items++ >= most)
        return;
    if (to->items > 1)
        ADD(to, ", ");
    allot__sentence_add(to, values);
}

/* ---- Words ----------------------------------------------------------------------------------- */

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

allot__phrase allot__phrase_value(bool flag, int64_t value)
{
    return flag ? PHRASE("{?true|false}", value != 0) : PHRASE("{}", value);
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
        LIST(&words, "{}{}", allot__explain_source(about, rows, key->source),
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

allot__sentence allot__explain_decides(const allot__explanation *about, const allot_key *key,
                                       int64_t mine, int64_t its)
{
    allot__sentence words = {.len = 0};
    bool flag = allot__explain_is_flag(about, ALLOT_TASKS, key->source);
    ADD(&words, "  What decides is {}, {?{?true|false}|{?largest|smallest}} first: {} against {}.",
        allot__explain_source(about, ALLOT_TASKS, key->source), flag, key->descending,
        key->descending, allot__phrase_value(flag, mine).text, allot__phrase_value(flag, its).text);
    return words;
}

allot__sentence allot__explain_reverse(const allot__explanation *about, const allot_key *key,
                                       int64_t its, const char *id)
{
    allot__sentence words = {.len = 0};
    if (allot__explain_is_flag(about, ALLOT_TASKS, key->source))
        ADD(&words, "Were that {}, too, the keys behind it would decide.",
            allot__phrase_value(true, its).text);
    else
        ADD(&words, "With {} {?below|above} {}, {} would go first.",
            allot__explain_source(about, ALLOT_TASKS, key->source), key->descending, its, id);
    return words;
}

const allot__guard *allot__explain_guard(const allot__explanation *about, int32_t mark)
{
    const allot__vector *guards = &about->rules->policy->guards;
    int32_t i = mark - ALLOT__INELIGIBLE_GUARD;
    bool known = i >= 0 && (size_t)i < guards->count;
    return known ? (const allot__guard *)guards->items + i : NULL;
}

int32_t allot__explain_parameter(const allot__guard *guard)
{
    bool states = guard->value.kind == ALLOT_FROM_COLUMN &&
                  guard->value.value >= ALLOT_TASK_PREEMPTIONS_LEFT &&
                  guard->value.value <= ALLOT_TASK_FINISH_TIME_LEFT;
    return states ? 30 + guard->value.value - ALLOT_TASK_PREEMPTIONS_LEFT : -1;
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
