/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event.c: reads the members of an event by the table of its kind, each value by its type. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "service/events/event.h"
#include "service/events/fields.h"

/* An item of a list, large enough for any. */
typedef union list_item {
    const char *text;
    allot_job_host place;
    allot_job_resource amount;
    allot_task_slots part;
} list_item;

struct allot__event_reader {
    allot_engine *engine;
    char *texts; /* this and the rest: of the last event read */
    size_t texts_room, texts_used;
    list_item *items;
    size_t items_room, items_used;
    allot_task_value values[ALLOT_ATTRIBUTES_MAX];
};

typedef struct reading {
    allot__event_reader *reader;
    allot_json *json;
    const allot_plan *plan;
    allot__event *event;
    allot__error *fault;
    const allot__fields *fields;
    allot__speaker speaker;
    uint32_t seen[ALLOT__FIELD_LISTS];
    allot_json_event now;
} reading;

/* ---- Names and words ------------------------------------------------------------------------- */

static int missing(const allot_member *member, allot__error *fault, const char *code,
                   const char *name, const char *near)
{
    char hint[150] = "";
    if (near && near[0] != '\0')
        snprintf(hint, sizeof hint, "did you mean \"%.100s\"?", near);
    return allot__error_set(fault, ALLOT_ENOENT, code, member->name, hint,
                            "%s: the plan has no \"%.100s\"", member->name, name);
}

static int find_consumer(const allot_plan *plan, const allot_member *member, const char *name,
                         size_t len, int32_t *out, allot__error *fault)
{
    char near[128] = "";
    int32_t consumer = allot_plan_find(plan, name, len);
    if (consumer == ALLOT_ROOT) {
        size_t size = allot_plan_nearest(plan, name, len, near, sizeof near);
        return missing(member, fault, "E-unknown-path", name,
                       size > 0 && size < sizeof near ? near : NULL);
    }
    if (member->type == ALLOT_MEMBER_LEAF && allot_plan_children(plan, consumer) > 0)
        return allot__error_set(fault, ALLOT_EINVALID, "E-not-leaf", member->name, NULL,
                                "%s: \"%.100s\" has consumers below it, allowed is one without",
                                member->name, name);
    *out = consumer;
    return ALLOT_OK;
}

int allot__name_find(const allot_plan *plan, const allot_member *member, const char *name,
                     size_t len, int32_t *out, allot__error *fault)
{
    int32_t number = -1;
    const char *code = "E-unknown-group";
    if (member->type == ALLOT_MEMBER_CONSUMER || member->type == ALLOT_MEMBER_LEAF)
        return find_consumer(plan, member, name, len, out, fault);
    if (member->type == ALLOT_MEMBER_GROUP) {
        number = allot_plan_group_find(plan, name, len);
    } else {
        number = allot_plan_queue_find(plan, name);
        code = "E-unknown-queue";
    }
    if (number < 0)
        return missing(member, fault, code, name, NULL);
    *out = number;
    return ALLOT_OK;
}

/* The first word stands for false, if a boolean is allowed. */
static int32_t word_find(const allot_member *member, const allot_json_event *value)
{
    int32_t first = (member->flags & ALLOT_MEMBER_FALSE) != 0;
    const char *word;
    if (first && value->kind == ALLOT_JSON_FALSE)
        return 0;
    for (int32_t i = first; value->kind == ALLOT_JSON_TEXT && (word = member->word(i)); i++)
        if (strcmp(word, value->text) == 0)
            return i;
    return -1;
}

static void word_list(const allot_member *member, char *out, size_t size)
{
    const char *word;
    size_t len = 0;
    for (int32_t i = 0; (word = member->word(i)) && len < size; i++) {
        const char *before = i == 0 ? "" : member->word(i + 1) ? ", " : " or ";
        bool plain = i == 0 && member->flags & ALLOT_MEMBER_FALSE;
        len += (size_t)snprintf(out + len, size - len, plain ? "%s%s" : "%s\"%s\"", before, word);
    }
}

static int label_check(const allot_member *member, const char *path, const char *text,
                       allot__error *fault)
{
    size_t len = 0;
    while (text[len] != '\0' && (unsigned char)text[len] >= 0x20 && text[len] != 0x7f)
        len++;
    if (!(member->flags & ALLOT_MEMBER_LABEL) || (text[len] == '\0' && len >= 1 && len <= 255))
        return ALLOT_OK;
    return allot__error_unfit(fault, ALLOT_EINVALID, "E-name", path,
                              "%s: found \"%.60s\", allowed 1 ... 255 bytes without control "
                              "characters",
                              path, text);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Most items in a client's list, since each is compared with those before. */
enum { ITEMS_MOST = 256 };

/* A copy that lives until the next event is read; its capacity is reserved. */
static const char *keep_text(allot__event_reader *reader, const char *text, size_t len)
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
    bool range = it->now.kind == ALLOT_JSON_WHOLE && strstr(allowed, "whole");
    return allot__error_set(it->fault, range ? ALLOT_ERANGE : ALLOT_EINVALID,
                            range ? "E-range" : "E-type", path, NULL, "%s: found %s, allowed %s",
                            path, found(&it->now, text, sizeof text), allowed);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static int read_text(reading *it, const allot_member *member, const char **out)
{
    char digits[24];
    const allot_json_event *now = &it->now;
    if (now->kind == ALLOT_JSON_WHOLE && member->flags & ALLOT_MEMBER_DIGITS &&
        now->whole >= member->least && now->whole <= member->most) {
        int len = snprintf(digits, sizeof digits, "%" PRId64, now->whole);
        *out = keep_text(it->reader, digits, (size_t)len);
        return ALLOT_OK;
    }
    if (now->kind != ALLOT_JSON_TEXT || now->len < 1 || now->len > 255)
        return refuse(it, member->name, "a text of 1 ... 255 bytes");
    *out = keep_text(it->reader, now->text, now->len);
    return label_check(member, member->name, *out, it->fault);
}

static int read_whole(reading *it, const allot_member *member, int64_t *out)
{
    char allowed[80];
    if (it->now.kind == ALLOT_JSON_WHOLE && it->now.whole >= member->least &&
        it->now.whole <= member->most) {
        *out = it->now.whole;
        return ALLOT_OK;
    }
    if (member->least == INT64_MIN)
        return refuse(it, member->name, "a whole number");
    snprintf(allowed, sizeof allowed, "a whole number %" PRId64 " ... %" PRId64, member->least,
             member->most);
    return refuse(it, member->name, allowed);
}

static int read_time(reading *it, const allot_member *member, int64_t *out)
{
    if (it->now.kind == ALLOT_JSON_WHOLE)
        *out = it->now.whole;
    else if (it->now.kind != ALLOT_JSON_TEXT || allot_time_read(it->now.text, out) != ALLOT_OK)
        return refuse(it, member->name, "Unix seconds or a time like 2026-01-31T08:00:00Z");
    return ALLOT_OK;
}

static int read_thousandths(reading *it, const allot_member *member, int64_t *out)
{
    char allowed[80];
    double found = it->now.number;
    bool number = it->now.kind == ALLOT_JSON_WHOLE || it->now.kind == ALLOT_JSON_NUMBER;
    int64_t most = member->most / 1000;
    snprintf(allowed, sizeof allowed, "a number 0 ... %" PRId64, most);
    if (!number || !(found >= 0 && found <= (double)most))
        return refuse(it, member->name, allowed);
    *out = (int64_t)(found * 1000 + 0.5);
    return ALLOT_OK;
}

static int read_flag(reading *it, const allot_member *member, int32_t *out)
{
    int32_t bit = (int32_t)member->least;
    if (it->now.kind != ALLOT_JSON_TRUE && it->now.kind != ALLOT_JSON_FALSE)
        return refuse(it, member->name, "true or false");
    *out = it->now.kind == ALLOT_JSON_TRUE ? *out | bit : *out & ~bit;
    return ALLOT_OK;
}

static int read_word(reading *it, const allot_member *member, int32_t *out)
{
    char allowed[120];
    *out = word_find(member, &it->now);
    word_list(member, allowed, sizeof allowed);
    return *out >= 0 ? ALLOT_OK : refuse(it, member->name, allowed);
}

static int read_named(reading *it, const allot_member *member, int32_t *out)
{
    if (it->now.kind != ALLOT_JSON_TEXT)
        return refuse(it, member->name, "a name, as text");
    return allot__name_find(it->plan, member, it->now.text, it->now.len, out, it->fault);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static int read_item(reading *it, const allot_member *member, const char **list, int32_t count)
{
    char path[120];
    snprintf(path, sizeof path, "%s[%d]", member->name, (int)count);
    if (it->now.kind != ALLOT_JSON_TEXT)
        return refuse(it, path, "a text");
    list[count] = keep_text(it->reader, it->now.text, it->now.len);
    return label_check(member, path, list[count], it->fault);
}

/* Slots on the only host have the name "". */
static bool put_place(allot_job_host *list, int32_t count, const char *name, int64_t slots)
{
    const char *host = name[0] != '\0' ? name : NULL;
    for (int32_t i = 0; i < count; i++)
        if (host ? list[i].host && strcmp(list[i].host, host) == 0 : !list[i].host)
            return false;
    list[count] = (allot_job_host){host, slots};
    return true;
}

static bool put_amount(allot_job_resource *list, int32_t count, int32_t resource, int64_t amount)
{
    for (int32_t i = 0; i < count; i++)
        if (list[i].resource == resource)
            return false;
    list[count] = (allot_job_resource){resource, amount};
    return true;
}

/* Inserts a part in the plan's order, whatever order they are given in. */
static bool put_part(allot_task_slots *list, int32_t count, int32_t group, int64_t slots)
{
    for (int32_t i = 0; i < count; i++)
        if (list[i].group == group)
            return false;
    for (; count > 0 && list[count - 1].group > group; count--)
        list[count] = list[count - 1];
    list[count] = (allot_task_slots){group, slots};
    return true;
}

/* Reads a member of an object of amounts, from its key on; in a task's slots the key is a group. */
static int read_amount(reading *it, const allot_member *member, void *list, int32_t count)
{
    char path[120];
    bool part = member->type == ALLOT_MEMBER_SLOTS, needs = member->type == ALLOT_MEMBER_AMOUNTS;
    const char *key = keep_text(it->reader, it->now.text, it->now.len);
    int32_t number = part    ? allot_plan_group_find(it->plan, key, strlen(key))
                     : needs ? allot_plan_resource_find(it->plan, key)
                             : 0;
    allot_json_next(it->json, &it->now);
    snprintf(path, sizeof path, "%s.%.80s", member->name, key);
    if (part && number < 0)
        return allot__error_set(it->fault, ALLOT_ENOENT, "E-unknown-group", path, NULL,
                                "slots: the plan has no group \"%.80s\"", key);
    if (it->now.kind != ALLOT_JSON_WHOLE || it->now.whole < part ||
        it->now.whole > ALLOT_AMOUNT_MAX)
        return refuse(it, path,
                      part ? "a whole number 1 ... 1000000000" : "a whole number 0 ... 1000000000");
    if (needs && number < 0)
        return allot__error_set(it->fault, ALLOT_ENOENT, "E-unknown-resource", member->name, NULL,
                                "%s: the plan has no \"%.100s\"", member->name, key);
    bool put = part    ? put_part(list, count, number, it->now.whole)
               : needs ? put_amount(list, count, number, it->now.whole)
                       : put_place(list, count, key, it->now.whole);
    if (put)
        return ALLOT_OK;
    return allot__error_set(it->fault, ALLOT_EINVALID, "E-duplicate-key", path, NULL,
                            "%s stands there twice", path);
}

/* Reads a list of texts, or an object of amounts. */
static int read_list(reading *it, const allot_member *member, char *to)
{
    allot__event_reader *reader = it->reader;
    void *list = &reader->items[reader->items_used];
    bool texts = member->type == ALLOT_MEMBER_TEXTS;
    int32_t count = 0;
    int status = ALLOT_OK;
    if (it->now.kind != (texts ? ALLOT_JSON_LIST : ALLOT_JSON_OBJECT))
        return refuse(it, member->name, texts ? "a list of texts" : "an object of whole numbers");
    while (status == ALLOT_OK && allot_json_next(it->json, &it->now) &&
           it->now.kind != ALLOT_JSON_LIST_END && it->now.kind != ALLOT_JSON_OBJECT_END) {
        if (it->speaker == ALLOT__CLIENT && count == ITEMS_MOST)
            return allot__error_set(it->fault, ALLOT_ERANGE, "E-range", member->name, NULL,
                                    "%s: found more than %d, allowed at most %d", member->name,
                                    ITEMS_MOST, ITEMS_MOST);
        status = texts ? read_item(it, member, list, count) : read_amount(it, member, list, count);
        reader->items_used++;
        count++;
    }
    memcpy(to + member->at, &list, sizeof list);
    memcpy(to + member->count_at, &count, sizeof count);
    return status;
}

/* Reads slots of a task: a number, or an object by group. */
static int read_slots(reading *it, const allot_member *member, char *to)
{
    int32_t count;
    if (it->now.kind != ALLOT_JSON_OBJECT)
        return read_whole(it, member, (int64_t *)(void *)(to + member->members->at));
    int status = read_list(it, member, to);
    memcpy(&count, to + member->count_at, sizeof count);
    if (status == ALLOT_OK && count == 0)
        status = allot__error_set(it->fault, ALLOT_ERANGE, "E-range", member->name, NULL,
                                  "slots: found {}, allowed slots of at least one group");
    return status;
}

/* Reads the next value into the member at `to`; refuses a value, `allowed` stating what is allowed.
 * EINVALID, ERANGE, ENOENT with a fault. */
static int take_value(reading *it, const allot_member *member, char *to)
{
    void *at = to + member->at;
    if (it->now.kind == ALLOT_JSON_NULL && member->flags & ALLOT_MEMBER_NULLABLE)
        return ALLOT_OK;
    switch (member->type) {
    case ALLOT_MEMBER_TEXT:
        return read_text(it, member, at);
    case ALLOT_MEMBER_WHOLE:
        return read_whole(it, member, at);
    case ALLOT_MEMBER_TIME:
        return read_time(it, member, at);
    case ALLOT_MEMBER_THOUSANDTHS:
        return read_thousandths(it, member, at);
    case ALLOT_MEMBER_FLAG:
        return read_flag(it, member, at);
    case ALLOT_MEMBER_WORD:
        return read_word(it, member, at);
    case ALLOT_MEMBER_SLOTS:
        return read_slots(it, member, to);
    case ALLOT_MEMBER_TEXTS:
    case ALLOT_MEMBER_PLACES:
    case ALLOT_MEMBER_AMOUNTS:
        return read_list(it, member, to);
    default:
        return read_named(it, member, at);
    }
}

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
    list_item *items =
        allot__grow(reader->engine, reader->items, &reader->items_room, commas, sizeof *items);
    if (!items)
        return ALLOT_ENOMEM;
    reader->items = items;
    reader->texts_used = reader->items_used = 0;
    return ALLOT_OK;
}

/* ---- Members --------------------------------------------------------------------------------- */

static int twice(reading *it, const char *name)
{
    return allot__error_set(it->fault, ALLOT_EINVALID, "E-duplicate-key", name, NULL,
                            "\"%.80s\" stands there twice", name);
}

/* Inserts a value in the plan's order, whatever order they are given in. */
static int put_value(reading *it, const allot_member *values, const char *name,
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

static int read_attribute(reading *it, const allot_member *values, int32_t number,
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
        return refuse(it, name, allowed);
    return put_value(it, values, name, (allot_task_value){number, value});
}

static int unknown(reading *it, const char *name)
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
static int read_other(reading *it, const char *name)
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
static int read_member(reading *it, const char *name)
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
        return take_value(it, member, allot__field_base(event, list));
    }
    return read_other(it, name);
}

static int check_all_there(reading *it)
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

static int read_object(reading *it)
{
    int status = ALLOT_OK;
    allot_json_next(it->json, &it->now);
    if (it->now.kind != ALLOT_JSON_OBJECT)
        return allot__error_set(it->fault, ALLOT_EINVALID, "E-type", "params", NULL,
                                "params of \"%s\" are an object",
                                allot__event_name(it->event->kind));
    while (status == ALLOT_OK && allot_json_next(it->json, &it->now) &&
           it->now.kind == ALLOT_JSON_KEY)
        status = read_member(it, keep_text(it->reader, it->now.text, it->now.len));
    return status == ALLOT_OK ? check_all_there(it) : status;
}

int allot__event_read(allot__event_reader *reader, const allot_plan *plan, allot__event_kind kind,
                      allot__speaker speaker, const char *params, size_t len, allot__event *out,
                      allot__error *fault)
{
    allot__event event;
    reading it = {
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
