/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event.c: the members of an event, read by the table of its kind. */
#include "service/events/event.h"

#include <stdio.h>
#include <string.h>

#include "service/events/fields.h"
#include "service/events/names.h"
#include "service/events/values.h"
#include "base/text.h"
#include "base/memory.h"

/* So much one event may say. */
#define PARAMS_MOST (256 * 1024)

int allot__event_reader_new(allot_engine *engine, allot__event_reader **out)
{
    allot__event_reader *reader = allot__new(engine, 1, sizeof *reader);
    if (!reader)
        return ALLOT_ENOMEM;
    reader->engine = engine;
    *out = reader;
    return ALLOT_OK;
}

void allot__event_reader_free(allot__event_reader *reader)
{
    if (!reader)
        return;
    allot__free(reader->engine, reader->texts, reader->texts_room, 1);
    allot__free(reader->engine, reader->pairs, reader->pairs_room, sizeof *reader->pairs);
    allot__free(reader->engine, reader, 1, sizeof *reader);
}

/* ---- One event ------------------------------------------------------------------------------- */

/* A string never has more bytes decoded than it takes in JSON; of ids that are numbers there are a
 * few. */
static int make_room(allot__event_reader *reader, const char *params, size_t len)
{
    size_t commas = 2;
    for (size_t i = 0; i < len; i++)
        commas += params[i] == ',';
    char *texts = allot__grow(reader->engine, reader->texts, &reader->texts_room, len + 128, 1);
    if (!texts)
        return ALLOT_ENOMEM;
    reader->texts = texts;
    allot__pair *pairs =
        allot__grow(reader->engine, reader->pairs, &reader->pairs_room, commas, sizeof *pairs);
    if (!pairs)
        return ALLOT_ENOMEM;
    reader->pairs = pairs;
    reader->texts_used = reader->pairs_used = 0;
    return ALLOT_OK;
}

/* ---- Members --------------------------------------------------------------------------------- */

/* An attribute of tasks. They come last in the pairs, each as a pair of its own, between others'
 * items: so they are gathered at the end (allot__pair.key NULL in others). */
static int read_attribute(allot__event_reading *it, const allot_attribute *attribute,
                          const char *name)
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
        return allot__value_refuse(it, name, allowed);
    allot__pair *pairs = it->reader->pairs;
    size_t last = it->reader->pairs_room - 1 - (size_t)it->event->attributes.count;
    pairs[last] = (allot__pair){.key = name, .number = value};
    it->event->attributes.items = &pairs[last];
    it->event->attributes.count++;
    return ALLOT_OK;
}

static int unknown(allot__event_reading *it, const char *name)
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
    if (near)
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
    return allot__error_set(it->fault, ALLOT_EINVALID, "E-unknown-key", name, hint,
                            "\"%.80s\" is no member of \"%s\"", name,
                            allot__event_name(it->event->kind));
}

static int twice(allot__event_reading *it, const char *name)
{
    return allot__error_set(it->fault, ALLOT_EINVALID, "E-duplicate-key", name, NULL,
                            "\"%.80s\" stands there twice", name);
}

/* Tags are words of `tags`. */
static int refuse_tag(const allot__event_reading *it, const char *name)
{
    return allot__error_unfit(it->fault, ALLOT_EINVALID, "E-unknown-key", name,
                              "\"%.80s\" is a tag: it is said as a word of \"tags\"", name);
}

/* A member whose name is kept already; the value comes next. */
static int read_member(allot__event_reading *it, const char *name)
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
            return allot__value_read_member(it, &lists[list]->items[i]);
        }
    for (int32_t i = 0; it->fields->attributes && i < allot_plan_task_attributes(it->plan); i++) {
        if (allot_plan_task_attribute_at(it->plan, i, &attribute) != ALLOT_OK ||
            strcmp(attribute.name, name) != 0)
            continue;
        if (attribute.type == ALLOT_TAG)
            return refuse_tag(it, name);
        for (int32_t k = 0; k < it->event->attributes.count; k++)
            if (strcmp(it->event->attributes.items[k].key, name) == 0)
                return twice(it, name);
        return read_attribute(it, &attribute, name);
    }
    return unknown(it, name);
}

static int check_all_there(allot__event_reading *it)
{
    for (int32_t i = 0; i < it->fields->count; i++)
        if (it->fields->items[i].required && !(it->seen[1] >> i & 1))
            return allot__error_set(it->fault, ALLOT_EINVALID, "E-missing",
                                    it->fields->items[i].name, NULL, "\"%s\" wants \"%s\"",
                                    allot__event_name(it->event->kind), it->fields->items[i].name);
    bool task = it->event->kind == ALLOT__EVENT_TASK || it->event->kind == ALLOT__EVENT_START;
    if (allot_plan_groups(it->plan) > 1 && it->event->group < 0 && !task) /* it may be known */
        return allot__error_set(it->fault, ALLOT_EINVALID, "E-group", "group", NULL,
                                "the plan has several groups: \"%s\" wants \"group\"",
                                allot__event_name(it->event->kind));
    return ALLOT_OK;
}

static int read_object(allot__event_reading *it)
{
    int status = ALLOT_OK;
    allot_json_next(it->json, &it->now);
    if (it->now.kind != ALLOT_JSON_OBJECT)
        return allot__error_set(it->fault, ALLOT_EINVALID, "E-type", "params", NULL,
                                "params of \"%s\" are an object",
                                allot__event_name(it->event->kind));
    while (status == ALLOT_OK && allot_json_next(it->json, &it->now) &&
           it->now.kind == ALLOT_JSON_KEY)
        status = read_member(it, allot__text_keep(it->reader, it->now.text, it->now.len));
    return status == ALLOT_OK ? check_all_there(it) : status;
}

int allot__event_read(allot__event_reader *reader, const allot_plan *plan, allot__event_kind kind,
                      allot__speaker speaker, const char *params, size_t len, allot__event *out,
                      allot__error *fault)
{
    allot__event event;
    allot__event_reading it = {
        .reader = reader, .plan = plan, .event = &event, .speaker = speaker, .fault = fault};
    if (!params) {
        params = "{}";
        len = 2;
    }
    if (len > PARAMS_MOST)
        return allot__error_set(fault, ALLOT_EINVALID, "E-size", "params", NULL,
                                "params have %zu bytes, at most %d are allowed", len, PARAMS_MOST);
    it.fields = &allot__event_fields[kind];
    allot__event_init(&event, kind);
    event.group = allot__has_group(it.fields) && allot_plan_groups(plan) > 1 ? -1 : 0;
    int status = make_room(reader, params, len);
    if (status == ALLOT_OK)
        status = allot_json_open(reader->engine, params, len, NULL, 1, 0, NULL, &it.json);
    if (status != ALLOT_OK)
        return status == ALLOT_EINVALID
                   ? allot__error_set(fault, status, "E-syntax", "params", NULL, "it is no JSON")
                   : status;
    status = read_object(&it);
    allot_json_close(it.json);
    if (status == ALLOT_OK)
        *out = event;
    return status;
}
