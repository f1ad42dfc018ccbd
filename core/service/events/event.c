/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event.c: reads the members of an event by the table of its kind. */
#include "service/events/event.h"

#include <stdio.h>
#include <string.h>

#include "service/events/fields.h"
#include "base/text.h"
#include "base/memory.h"

/* Most bytes of an event's params. */
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
    allot__free(reader->engine, reader->items, reader->items_room, sizeof *reader->items);
    allot__free(reader->engine, reader, 1, sizeof *reader);
}

/* ---- One event ------------------------------------------------------------------------------- */

/* Reserves space: a decoded string is never longer than in JSON; a few ids may be numbers. */
static int make_room(allot__event_reader *reader, const char *params, size_t len)
{
    size_t commas = 2;
    for (size_t i = 0; i < len; i++)
        commas += params[i] == ',';
    char *texts = allot__grow(reader->engine, reader->texts, &reader->texts_room, len + 128, 1);
    if (!texts)
        return ALLOT_ENOMEM;
    reader->texts = texts;
    allot__list_item *items =
        allot__grow(reader->engine, reader->items, &reader->items_room, commas, sizeof *items);
    if (!items)
        return ALLOT_ENOMEM;
    reader->items = items;
    reader->texts_used = reader->items_used = 0;
    return ALLOT_OK;
}

/* ---- Members --------------------------------------------------------------------------------- */

static int twice(allot__event_reading *it, const char *name)
{
    return allot__error_set(it->fault, ALLOT_EINVALID, "E-duplicate-key", name, NULL,
                            "\"%.80s\" stands there twice", name);
}

/* Inserts a value in the plan's order, whatever order they are given in. */
static int put_value(allot__event_reading *it, const allot_member *values, const char *name,
                     allot_task_value value)
{
    allot_task_value *list = it->reader->values;
    int32_t count, at;
    char *item = allot__field_base(it->event, ALLOT__ITEM);
    memcpy(&count, item + values->count_at, sizeof count);
    for (at = count; at > 0 && list[at - 1].attribute >= value.attribute; at--)
        if (list[at - 1].attribute == value.attribute)
            return twice(it, name);
    memmove(&list[at + 1], &list[at], (size_t)(count - at) * sizeof *list);
    list[at] = value;
    count++;
    memcpy(item + values->count_at, &count, sizeof count);
    memcpy(item + values->at, &list, sizeof list);
    return ALLOT_OK;
}

static int read_attribute(allot__event_reading *it, const allot_member *values, int32_t number,
                          const allot_attribute *attribute, const char *name)
{
    int64_t value = it->now.whole;
    bool boolean = it->now.kind == ALLOT_JSON_TRUE || it->now.kind == ALLOT_JSON_FALSE;
    char allowed[80];
    if (attribute->type == ALLOT_TAG)
        return allot__error_unfit(it->fault, ALLOT_EINVALID, "E-unknown-key", name,
                                  "\"%.80s\" is a tag: it is said as a word of \"tags\"", name);
    if (boolean)
        value = it->now.kind == ALLOT_JSON_TRUE;
    snprintf(allowed, sizeof allowed, "a whole number %d ... %d", (int)attribute->min,
             (int)attribute->max);
    if ((it->now.kind != ALLOT_JSON_WHOLE && !boolean) || value < attribute->min ||
        value > attribute->max)
        return allot__value_refuse(it, name, allowed);
    return put_value(it, values, name, (allot_task_value){number, value});
}

static int unknown(allot__event_reading *it, const char *name)
{
    static const int lists[] = {ALLOT__OWN, ALLOT__ITEM, ALLOT__COMMON};
    const char *names[3 * 32];
    char hint[120] = "";
    size_t count = 0;
    for (int k = 0; k < ALLOT__FIELD_LISTS; k++) {
        const allot_members *of = allot__fields_of(it->fields, lists[k]);
        for (int32_t i = 0; of && i < of->count; i++)
            if (allot__may_say(it->fields, it->speaker, lists[k], &of->items[i]))
                names[count++] = of->items[i].name;
    }
    const char *near = allot_nearest(name, strlen(name), names, count);
    if (near)
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
    return allot__error_set(it->fault, ALLOT_EINVALID, "E-unknown-key", name, hint,
                            "\"%.80s\" is no member of \"%s\"", name,
                            allot__event_name(it->event->kind));
}

/* Reads a name that is not a member of the kind: it may be an attribute of the plan. */
static int read_other(allot__event_reading *it, const char *name)
{
    const allot_member *values = allot_member_find(allot_members_of(it->fields->item), "");
    allot_attribute attribute;
    for (int32_t i = 0; values && i < allot_plan_task_attributes(it->plan); i++)
        if (allot_plan_task_attribute_at(it->plan, i, &attribute) == ALLOT_OK &&
            strcmp(attribute.name, name) == 0)
            return read_attribute(it, values, i, &attribute, name);
    return unknown(it, name);
}

/* Reads a member whose name is copied already; the value comes next. */
static int read_member(allot__event_reading *it, const char *name)
{
    allot__event *event = it->event;
    allot_json_next(it->json, &it->now);
    for (int list = 0; list < ALLOT__FIELD_LISTS; list++) {
        const allot_members *of = allot__fields_of(it->fields, list);
        const allot_member *member = allot_member_find(of, name);
        if (!member || !allot__may_say(it->fields, it->speaker, list, member))
            continue;
        uint32_t bit = (uint32_t)1 << (member - of->items);
        uint32_t said = it->now.kind != ALLOT_JSON_NULL ? bit : 0;
        if (it->seen[list] & bit)
            return twice(it, name);
        it->seen[list] |= bit;
        if (list == ALLOT__COMMON)
            event->at_given = event->at_given || (said && member == of->items);
        else
            *(list == ALLOT__OWN ? &event->said : &event->stated) |= said;
        return allot__value_take(it, member, allot__field_base(event, list));
    }
    return read_other(it, name);
}

static int check_all_there(allot__event_reading *it)
{
    const char *event = allot__event_name(it->event->kind);
    int end = it->fields->known ? ALLOT__ITEM : ALLOT__FIELD_LISTS;
    for (int list = ALLOT__OWN; list < end; list++) {
        const allot_members *of = allot__fields_of(it->fields, list);
        for (int32_t i = 0; of && i < of->count; i++)
            if (of->items[i].flags & ALLOT_MEMBER_REQUIRED && !(it->seen[list] >> i & 1) &&
                allot__may_say(it->fields, it->speaker, list, &of->items[i]))
                return allot__error_set(it->fault, ALLOT_EINVALID, "E-missing", of->items[i].name,
                                        NULL, "\"%s\" wants \"%s\"", event, of->items[i].name);
    }
    const int32_t *group = allot__event_group(it->event);
    if (group && *group < 0 && !it->fields->known)
        return allot__error_set(it->fault, ALLOT_EINVALID, "E-group", "group", NULL,
                                "the plan has several groups: \"%s\" wants \"group\"", event);
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
    int32_t *group = allot__event_group(&event);
    if (group && allot_plan_groups(plan) > 1)
        *group = -1;
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
