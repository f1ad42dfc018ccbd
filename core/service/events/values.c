/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* values.c: the value of one member of an event, by the type of its field. */
#include "service/events/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "service/events/names.h"

/* So many items a client may say in a list: each is looked for among those before. */
enum { ITEMS_MOST = 256 };

const char *allot__text_keep(allot__event_reader *reader, const char *text, size_t len)
{
    char *at = reader->texts + reader->texts_used;
    memcpy(at, text, len);
    at[len] = '\0';
    reader->texts_used += len + 1;
    return at;
}

static const char *found(const allot_json_event *event, char *text, size_t size)
{
    static const char *const names[] = {
        [ALLOT_JSON_OBJECT] = "an object", [ALLOT_JSON_LIST] = "a list",
        [ALLOT_JSON_TRUE] = "true",        [ALLOT_JSON_FALSE] = "false",
        [ALLOT_JSON_NULL] = "null",        [ALLOT_JSON_NUMBER] = "a number that is not whole"};
    if (event->kind == ALLOT_JSON_TEXT)
        snprintf(text, size, "\"%.60s\"", event->text);
    else if (event->kind == ALLOT_JSON_WHOLE)
        snprintf(text, size, "%" PRId64, event->whole);
    else
        snprintf(text, size, "%s", names[event->kind]);
    return text;
}

int allot__value_refuse(allot__event_reading *it, const char *path, const char *allowed)
{
    char text[96];
    bool range = it->now.kind == ALLOT_JSON_WHOLE && strstr(allowed, "whole");
    return allot__error_set(it->fault, range ? ALLOT_ERANGE : ALLOT_EINVALID,
                            range ? "E-range" : "E-type", path, NULL, "%s: found %s, allowed %s",
                            path, found(&it->now, text, sizeof text), allowed);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static int read_text(allot__event_reading *it, const allot__event_field *field, const char **out)
{
    char digits[24];
    const allot_json_event *now = &it->now;
    bool number = field->type == ALLOT__F_ID || field->type == ALLOT__F_LABEL_ID;
    bool nothing = field->type == ALLOT__F_TEXT || field->type == ALLOT__F_LABEL;
    if (now->kind == ALLOT_JSON_WHOLE && number) {
        int len = snprintf(digits, sizeof digits, "%" PRId64, now->whole);
        *out = allot__text_keep(it->reader, digits, (size_t)len);
        return ALLOT_OK;
    }
    if (now->kind == ALLOT_JSON_NULL && nothing && !field->required)
        return ALLOT_OK;
    if (now->kind != ALLOT_JSON_TEXT || now->len < 1 || now->len > 255)
        return allot__value_refuse(it, field->name, "a text of 1 ... 255 bytes");
    *out = allot__text_keep(it->reader, now->text, now->len);
    return allot__label_check(field, field->name, *out, it->fault);
}

static int read_whole(allot__event_reading *it, const allot__event_field *field, int64_t *out)
{
    char allowed[80];
    if (it->now.kind == ALLOT_JSON_WHOLE && it->now.whole >= field->least &&
        it->now.whole <= field->most) {
        *out = it->now.whole;
        return ALLOT_OK;
    }
    if (field->least == INT64_MIN)
        return allot__value_refuse(it, field->name, "a whole number");
    snprintf(allowed, sizeof allowed, "a whole number %" PRId64 " ... %" PRId64, field->least,
             field->most);
    return allot__value_refuse(it, field->name, allowed);
}

static int read_time(allot__event_reading *it, const allot__event_field *field, int64_t *out)
{
    if (it->now.kind == ALLOT_JSON_WHOLE) {
        *out = it->now.whole;
        return ALLOT_OK;
    }
    if (it->now.kind == ALLOT_JSON_TEXT && allot_time_read(it->now.text, out) == ALLOT_OK)
        return ALLOT_OK;
    return allot__value_refuse(it, field->name, "Unix seconds or a time like 2026-01-31T08:00:00Z");
}

static int read_load(allot__event_reading *it, const allot__event_field *field, int64_t *out)
{
    double load = it->now.number;
    bool number = it->now.kind == ALLOT_JSON_WHOLE || it->now.kind == ALLOT_JSON_NUMBER;
    if (!number || !(load >= 0 && load <= ALLOT_AMOUNT_MAX / 1000))
        return allot__value_refuse(it, field->name, "a number 0 ... 1000000");
    *out = (int64_t)(load * 1000 + 0.5);
    return ALLOT_OK;
}

/* A member of an object of amounts, whose key comes first; of a task's slots it names a group. */
static int read_amount(allot__event_reading *it, const allot__event_field *field,
                       const allot__pairs *before, allot__pair *pair)
{
    bool part = field->type == ALLOT__F_PARTS;
    char path[120];
    pair->key = allot__text_keep(it->reader, it->now.text, it->now.len);
    allot_json_next(it->json, &it->now);
    snprintf(path, sizeof path, "%s.%.80s", field->name, pair->key);
    if (part && allot_plan_group_find(it->plan, pair->key, strlen(pair->key)) < 0)
        return allot__error_set(it->fault, ALLOT_ENOENT, "E-unknown-group", path, NULL,
                                "slots: the plan has no group \"%.80s\"", pair->key);
    if (it->now.kind != ALLOT_JSON_WHOLE || it->now.whole < part ||
        it->now.whole > ALLOT_AMOUNT_MAX)
        return allot__value_refuse(
            it, path, part ? "a whole number 1 ... 1000000000" : "a whole number 0 ... 1000000000");
    for (int32_t i = 0; i < before->count; i++)
        if (strcmp(before->items[i].key, pair->key) == 0)
            return allot__error_set(it->fault, ALLOT_EINVALID, "E-duplicate-key", path, NULL,
                                    "%s stands there twice", path);
    pair->number = it->now.whole;
    return ALLOT_OK;
}

static int read_item(allot__event_reading *it, const allot__event_field *field,
                     const allot__pairs *before, allot__pair *pair)
{
    char path[120];
    snprintf(path, sizeof path, "%s[%d]", field->name, (int)before->count);
    if (it->now.kind != ALLOT_JSON_TEXT)
        return allot__value_refuse(it, path, "a text");
    pair->text = allot__text_keep(it->reader, it->now.text, it->now.len);
    return allot__label_check(field, path, pair->text, it->fault);
}

/* The items of a list of texts, or the members of an object of amounts. */
static int read_items(allot__event_reading *it, const allot__event_field *field, allot__pairs *out)
{
    allot__event_reader *reader = it->reader;
    bool list = field->type != ALLOT__F_NUMBERS && field->type != ALLOT__F_PARTS;
    int status = ALLOT_OK;
    if (it->now.kind != (list ? ALLOT_JSON_LIST : ALLOT_JSON_OBJECT))
        return allot__value_refuse(it, field->name,
                                   list ? "a list of texts" : "an object of whole numbers");
    out->items = reader->pairs + reader->pairs_used;
    while (status == ALLOT_OK && allot_json_next(it->json, &it->now) &&
           it->now.kind != ALLOT_JSON_LIST_END && it->now.kind != ALLOT_JSON_OBJECT_END) {
        allot__pair *pair = &reader->pairs[reader->pairs_used];
        *pair = (allot__pair){0};
        if (it->speaker == ALLOT__CLIENT && out->count == ITEMS_MOST)
            return allot__error_set(it->fault, ALLOT_ERANGE, "E-range", field->name, NULL,
                                    "%s: found more than %d, allowed at most %d", field->name,
                                    ITEMS_MOST, ITEMS_MOST);
        status = (list ? read_item : read_amount)(it, field, out, pair);
        reader->pairs_used++;
        out->count++;
    }
    return status;
}

/* Slots of a task: a number, or those of one group or more. */
static int read_parts(allot__event_reading *it, const allot__event_field *field, int64_t *out)
{
    allot__pairs *parts = &it->event->parts;
    if (it->now.kind != ALLOT_JSON_OBJECT)
        return read_whole(it, field, out);
    int status = read_items(it, field, parts);
    if (status == ALLOT_OK && parts->count == 0)
        status = allot__error_set(it->fault, ALLOT_ERANGE, "E-range", field->name, NULL,
                                  "slots: found {}, allowed slots of at least one group");
    return status;
}

static int read_named(allot__event_reading *it, const allot__event_field *field, int32_t *out)
{
    if (it->now.kind == ALLOT_JSON_NULL && field->type == ALLOT__F_CONSUMER && !field->required)
        return ALLOT_OK;
    if (it->now.kind != ALLOT_JSON_TEXT)
        return allot__value_refuse(it, field->name, "a name, as text");
    return allot__name_find(it->plan, field, it->now.text, it->now.len, out, it->fault);
}

static int read_bool(allot__event_reading *it, const allot__event_field *field, bool *out)
{
    if (it->now.kind != ALLOT_JSON_TRUE && it->now.kind != ALLOT_JSON_FALSE)
        return allot__value_refuse(it, field->name, "true or false");
    *out = it->now.kind == ALLOT_JSON_TRUE;
    return ALLOT_OK;
}

static int read_word(allot__event_reading *it, const allot__event_field *field, void *at)
{
    int32_t word = allot__word_find(field, &it->now);
    if (word < 0)
        return allot__value_refuse(it, field->name, allot__word_list(field));
    if (field->type == ALLOT__F_SCHEDULING)
        *(allot_scheduling *)at = (allot_scheduling)word;
    else
        *(int32_t *)at = word;
    return ALLOT_OK;
}

int allot__value_read_member(allot__event_reading *it, const allot__event_field *field)
{
    void *at = (char *)it->event + field->at;
    if (field->given_at != 0)
        *(bool *)((char *)it->event + field->given_at) = it->now.kind != ALLOT_JSON_NULL;
    switch (field->type) {
    case ALLOT__F_TEXT:
    case ALLOT__F_ID:
    case ALLOT__F_NAME:
    case ALLOT__F_LABEL:
    case ALLOT__F_LABEL_ID:
        return read_text(it, field, at);
    case ALLOT__F_WHOLE:
        return read_whole(it, field, at);
    case ALLOT__F_PARTS:
        return read_parts(it, field, at);
    case ALLOT__F_BOOL:
        return read_bool(it, field, at);
    case ALLOT__F_TIME:
        return it->now.kind == ALLOT_JSON_NULL ? ALLOT_OK : read_time(it, field, at);
    case ALLOT__F_LOAD:
        return read_load(it, field, at);
    case ALLOT__F_TEXTS:
    case ALLOT__F_LABELS:
    case ALLOT__F_NUMBERS:
        return read_items(it, field, at);
    case ALLOT__F_SCHEDULING:
    case ALLOT__F_CLOSED:
    case ALLOT__F_JOB_STATE:
    case ALLOT__F_TASK_STATE:
    case ALLOT__F_PHASE:
        return read_word(it, field, at);
    default:
        return read_named(it, field, at);
    }
}
