/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event.c: the members of an event, read by the table of its kind. */
#include "service/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "service/event_fields.h"
#include "service/event_names.h"
#include "service/text.h"

/* So much one event may say. */
#define PARAMS_MOST (256 * 1024)

struct allot__reader {
    allot_engine *engine;
    char *texts; /* of the event that was read last */
    size_t texts_room, texts_used;
    allot__pair *pairs;
    size_t pairs_room, pairs_used;
};

int allot__reader_new(allot_engine *engine, allot__reader **out)
{
    allot__reader *reader = allot__sv_new(engine, 1, sizeof *reader);
    if (reader == NULL)
        return ALLOT_ENOMEM;
    reader->engine = engine;
    *out = reader;
    return ALLOT_OK;
}

void allot__reader_free(allot__reader *reader)
{
    if (reader == NULL)
        return;
    allot__sv_free(reader->engine, reader->texts, reader->texts_room, 1);
    allot__sv_free(reader->engine, reader->pairs, reader->pairs_room, sizeof *reader->pairs);
    allot__sv_free(reader->engine, reader, 1, sizeof *reader);
}

/* ---- One event ------------------------------------------------------------------------------- */

typedef struct reading {
    allot__reader *reader;
    allot_json *json;
    const allot_plan *plan;
    allot__event *event;
    allot__fault *fault;
    const allot__fields *fields;
    allot__speaker speaker;
    uint64_t seen[2]; /* of the common fields, and of the kind's */
    allot_json_event now;
} reading;

/* A string never has more bytes decoded than it takes in JSON; of ids that are numbers there are a
 * few. */
static int make_room(allot__reader *reader, const char *params, size_t len)
{
    size_t commas = 2;
    for (size_t i = 0; i < len; i++)
        commas += params[i] == ',';
    char *texts = allot__sv_grow(reader->engine, reader->texts, &reader->texts_room, len + 128, 1);
    if (texts == NULL)
        return ALLOT_ENOMEM;
    reader->texts = texts;
    allot__pair *pairs =
        allot__sv_grow(reader->engine, reader->pairs, &reader->pairs_room, commas, sizeof *pairs);
    if (pairs == NULL)
        return ALLOT_ENOMEM;
    reader->pairs = pairs;
    reader->texts_used = reader->pairs_used = 0;
    return ALLOT_OK;
}

static const char *keep(allot__reader *reader, const char *text, size_t len)
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

static int refuse(reading *it, const char *path, const char *allowed)
{
    char text[96];
    bool range = it->now.kind == ALLOT_JSON_WHOLE && strstr(allowed, "whole") != NULL;
    return allot__fault_set(it->fault, range ? ALLOT_ERANGE : ALLOT_EINVALID,
                            range ? "E-range" : "E-type", path, NULL, "%s: found %s, allowed %s",
                            path, found(&it->now, text, sizeof text), allowed);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static int read_text(reading *it, const allot__field *field, const char **out)
{
    char digits[24];
    const allot_json_event *now = &it->now;
    if (now->kind == ALLOT_JSON_WHOLE && field->type == ALLOT__F_ID) {
        int len = snprintf(digits, sizeof digits, "%" PRId64, now->whole);
        *out = keep(it->reader, digits, (size_t)len);
        return ALLOT_OK;
    }
    if (now->kind == ALLOT_JSON_NULL && field->type == ALLOT__F_TEXT)
        return ALLOT_OK;
    if (now->kind != ALLOT_JSON_TEXT || now->len < 1 || now->len > 255)
        return refuse(it, field->name, "a text of 1 ... 255 bytes");
    *out = keep(it->reader, now->text, now->len);
    return ALLOT_OK;
}

static int read_whole(reading *it, const allot__field *field, int64_t *out)
{
    char allowed[80];
    if (it->now.kind == ALLOT_JSON_WHOLE && it->now.whole >= field->least &&
        it->now.whole <= field->most) {
        *out = it->now.whole;
        return ALLOT_OK;
    }
    if (field->least == INT64_MIN)
        return refuse(it, field->name, "a whole number");
    snprintf(allowed, sizeof allowed, "a whole number %" PRId64 " ... %" PRId64, field->least,
             field->most);
    return refuse(it, field->name, allowed);
}

static int read_time(reading *it, const allot__field *field, int64_t *out)
{
    if (it->now.kind == ALLOT_JSON_WHOLE) {
        *out = it->now.whole;
        return ALLOT_OK;
    }
    if (it->now.kind == ALLOT_JSON_TEXT && allot_time_read(it->now.text, out) == ALLOT_OK)
        return ALLOT_OK;
    return refuse(it, field->name, "Unix seconds or a time like 2026-01-31T08:00:00Z");
}

static int read_load(reading *it, const allot__field *field, int64_t *out)
{
    double load = it->now.number;
    bool number = it->now.kind == ALLOT_JSON_WHOLE || it->now.kind == ALLOT_JSON_NUMBER;
    if (!number || !(load >= 0 && load <= ALLOT_AMOUNT_MAX / 1000))
        return refuse(it, field->name, "a number 0 ... 1000000");
    *out = (int64_t)(load * 1000 + 0.5);
    return ALLOT_OK;
}

/* The items of a list of texts, or the members of an object of amounts. */
static int read_items(reading *it, const allot__field *field, allot__pairs *out)
{
    allot__reader *reader = it->reader;
    bool list = field->type == ALLOT__F_TEXTS;
    char path[120];
    if (it->now.kind != (list ? ALLOT_JSON_LIST : ALLOT_JSON_OBJECT))
        return refuse(it, field->name, list ? "a list of texts" : "an object of whole numbers");
    out->items = reader->pairs + reader->pairs_used;
    while (allot_json_next(it->json, &it->now) && it->now.kind != ALLOT_JSON_LIST_END &&
           it->now.kind != ALLOT_JSON_OBJECT_END) {
        allot__pair *pair = &reader->pairs[reader->pairs_used];
        *pair = (allot__pair){0};
        if (!list) {
            pair->key = keep(reader, it->now.text, it->now.len);
            allot_json_next(it->json, &it->now);
            snprintf(path, sizeof path, "%s.%.80s", field->name, pair->key);
            if (it->now.kind != ALLOT_JSON_WHOLE || it->now.whole < 0 ||
                it->now.whole > ALLOT_AMOUNT_MAX)
                return refuse(it, path, "a whole number 0 ... 1000000000");
            for (int32_t i = 0; i < out->count; i++)
                if (strcmp(out->items[i].key, pair->key) == 0)
                    return allot__fault_set(it->fault, ALLOT_EINVALID, "E-duplicate-key", path,
                                            NULL, "%s stands there twice", path);
            pair->number = it->now.whole;
        } else if (it->now.kind == ALLOT_JSON_TEXT) {
            pair->text = keep(reader, it->now.text, it->now.len);
        } else {
            snprintf(path, sizeof path, "%s[%d]", field->name, (int)out->count);
            return refuse(it, path, "a text");
        }
        reader->pairs_used++;
        out->count++;
    }
    return ALLOT_OK;
}

static int read_named(reading *it, const allot__field *field, int32_t *out)
{
    if (it->now.kind == ALLOT_JSON_NULL && field->type == ALLOT__F_CONSUMER && !field->required)
        return ALLOT_OK;
    if (it->now.kind != ALLOT_JSON_TEXT)
        return refuse(it, field->name, "a name, as text");
    return allot__name_find(it->plan, field, it->now.text, it->now.len, out, it->fault);
}

static int read_bool(reading *it, const allot__field *field, bool *out)
{
    if (it->now.kind != ALLOT_JSON_TRUE && it->now.kind != ALLOT_JSON_FALSE)
        return refuse(it, field->name, "true or false");
    *out = it->now.kind == ALLOT_JSON_TRUE;
    return ALLOT_OK;
}

static int read_word(reading *it, const allot__field *field, void *at)
{
    int32_t word = allot__word_find(field, &it->now);
    if (word < 0)
        return refuse(it, field->name, allot__word_list(field));
    if (field->type == ALLOT__F_SCHEDULING)
        *(allot_scheduling *)at = (allot_scheduling)word;
    else
        *(int32_t *)at = word;
    return ALLOT_OK;
}

static int read_value(reading *it, const allot__field *field)
{
    void *at = (char *)it->event + field->at;
    if (field->given_at != 0)
        *(bool *)((char *)it->event + field->given_at) = it->now.kind != ALLOT_JSON_NULL;
    switch (field->type) {
    case ALLOT__F_TEXT:
    case ALLOT__F_ID:
    case ALLOT__F_NAME:
        return read_text(it, field, at);
    case ALLOT__F_WHOLE:
        return read_whole(it, field, at);
    case ALLOT__F_BOOL:
        return read_bool(it, field, at);
    case ALLOT__F_TIME:
        return it->now.kind == ALLOT_JSON_NULL ? ALLOT_OK : read_time(it, field, at);
    case ALLOT__F_LOAD:
        return read_load(it, field, at);
    case ALLOT__F_TEXTS:
    case ALLOT__F_NUMBERS:
        return read_items(it, field, at);
    case ALLOT__F_SCHEDULING:
    case ALLOT__F_CLOSED:
    case ALLOT__F_JOB_STATE:
    case ALLOT__F_PHASE:
        return read_word(it, field, at);
    default:
        return read_named(it, field, at);
    }
}

/* ---- Members --------------------------------------------------------------------------------- */

/* An attribute of tasks. They come last in the pairs, each as a pair of its own, between others'
 * items: so they are gathered at the end (allot__pair.key NULL in others). */
static int read_attribute(reading *it, const allot_attribute *attribute, const char *name)
{
    int64_t value = it->now.whole;
    bool boolean = it->now.kind == ALLOT_JSON_TRUE || it->now.kind == ALLOT_JSON_FALSE;
    char allowed[80];
    if (boolean)
        value = it->now.kind == ALLOT_JSON_TRUE;
    snprintf(allowed, sizeof allowed, "a whole number %d ... %d", (int)attribute->min,
             (int)attribute->max);
    if ((it->now.kind != ALLOT_JSON_WHOLE && !boolean) || value < attribute->min ||
        value > attribute->max)
        return refuse(it, name, allowed);
    allot__pair *pairs = it->reader->pairs;
    size_t last = it->reader->pairs_room - 1 - (size_t)it->event->attributes.count;
    pairs[last] = (allot__pair){.key = name, .number = value};
    it->event->attributes.items = &pairs[last];
    it->event->attributes.count++;
    return ALLOT_OK;
}

static int unknown(reading *it, const char *name)
{
    const char *names[ALLOT__FIELDS_MOST + 2];
    char hint[120] = "";
    size_t count = 0;
    for (int32_t i = 0; i < it->fields->count; i++)
        if (allot__may_say(it->speaker, &it->fields->items[i]))
            names[count++] = it->fields->items[i].name;
    for (int32_t i = 0; i < allot__common_fields.count; i++)
        names[count++] = allot__common_fields.items[i].name;
    const char *near = allot_nearest(name, strlen(name), names, count);
    if (near != NULL)
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
    return allot__fault_set(it->fault, ALLOT_EINVALID, "E-unknown-key", name, hint,
                            "\"%.80s\" is no member of \"%s\"", name,
                            allot__event_name(it->event->kind));
}

static int twice(reading *it, const char *name)
{
    return allot__fault_set(it->fault, ALLOT_EINVALID, "E-duplicate-key", name, NULL,
                            "\"%.80s\" stands there twice", name);
}

/* A member whose name is kept already; the value comes next. */
static int read_member(reading *it, const char *name)
{
    const allot__fields *lists[] = {&allot__common_fields, it->fields};
    allot_attribute attribute;
    allot_json_next(it->json, &it->now);
    for (int list = 0; list < 2; list++)
        for (int32_t i = 0; i < lists[list]->count; i++) {
            if (strcmp(lists[list]->items[i].name, name) != 0 ||
                !allot__may_say(it->speaker, &lists[list]->items[i]))
                continue;
            if (it->seen[list] >> i & 1)
                return twice(it, name);
            it->seen[list] |= (uint64_t)1 << i;
            return read_value(it, &lists[list]->items[i]);
        }
    for (int32_t i = 0; it->fields->attributes && i < allot_plan_task_attributes(it->plan); i++) {
        if (allot_plan_task_attribute_at(it->plan, i, &attribute) != ALLOT_OK ||
            strcmp(attribute.name, name) != 0)
            continue;
        for (int32_t k = 0; k < it->event->attributes.count; k++)
            if (strcmp(it->event->attributes.items[k].key, name) == 0)
                return twice(it, name);
        return read_attribute(it, &attribute, name);
    }
    return unknown(it, name);
}

static int check_all_there(reading *it)
{
    for (int32_t i = 0; i < it->fields->count; i++)
        if (it->fields->items[i].required && !(it->seen[1] >> i & 1))
            return allot__fault_set(it->fault, ALLOT_EINVALID, "E-missing",
                                    it->fields->items[i].name, NULL, "\"%s\" wants \"%s\"",
                                    allot__event_name(it->event->kind), it->fields->items[i].name);
    if (allot_plan_groups(it->plan) > 1 && it->event->group < 0)
        return allot__fault_set(it->fault, ALLOT_EINVALID, "E-group", "group", NULL,
                                "the plan has several groups: \"%s\" wants \"group\"",
                                allot__event_name(it->event->kind));
    return ALLOT_OK;
}

static int read_object(reading *it)
{
    int status = ALLOT_OK;
    allot_json_next(it->json, &it->now);
    if (it->now.kind != ALLOT_JSON_OBJECT)
        return allot__fault_set(it->fault, ALLOT_EINVALID, "E-type", "params", NULL,
                                "params of \"%s\" are an object",
                                allot__event_name(it->event->kind));
    while (status == ALLOT_OK && allot_json_next(it->json, &it->now) &&
           it->now.kind == ALLOT_JSON_KEY)
        status = read_member(it, keep(it->reader, it->now.text, it->now.len));
    return status == ALLOT_OK ? check_all_there(it) : status;
}

int allot__event_read(allot__reader *reader, const allot_plan *plan, allot__event_kind kind,
                      allot__speaker speaker, const char *params, size_t len, allot__event *out,
                      allot__fault *fault)
{
    allot__event event;
    reading it = {
        .reader = reader, .plan = plan, .event = &event, .speaker = speaker, .fault = fault};
    if (params == NULL) {
        params = "{}";
        len = 2;
    }
    if (len > PARAMS_MOST)
        return allot__fault_set(fault, ALLOT_EINVALID, "E-size", "params", NULL,
                                "params have %zu bytes, at most %d are allowed", len, PARAMS_MOST);
    it.fields = &allot__event_fields[kind];
    allot__event_init(&event, kind);
    event.group = allot__has_group(it.fields) && allot_plan_groups(plan) > 1 ? -1 : 0;
    int status = make_room(reader, params, len);
    if (status == ALLOT_OK)
        status = allot_json_open(reader->engine, params, len, NULL, 1, 0, NULL, &it.json);
    if (status != ALLOT_OK)
        return status == ALLOT_EINVALID
                   ? allot__fault_set(fault, status, "E-syntax", "params", NULL, "it is no JSON")
                   : status;
    status = read_object(&it);
    allot_json_close(it.json);
    if (status == ALLOT_OK)
        *out = event;
    return status;
}
