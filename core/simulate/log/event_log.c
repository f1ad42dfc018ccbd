/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event_log.c: lines of an event log, each a JSON object. */
#include <stdio.h>
#include <string.h>

#include <allot/json.h>

#include "simulate/log/trace.h"

typedef enum kind_of_value { TEXT, AMOUNT, PRIORITY, TIME, CLOSED } kind_of_value;

typedef enum key {
    AT,
    EVENT,
    ID,
    NAME,
    CONSUMER,
    QUEUE,
    SLOTS,
    RUN,
    SESSION,
    PRIORITY_KEY,
    USER,
    GROUP,
    APPLICATION,
    PARTITION,
    RUN_LIMIT,
    CLOSED_KEY,
    KEYS
} key;

#define BIT(key) (1u << (key))

static const struct {
    const char *name;
    kind_of_value kind;
} keys[KEYS] = {
    [AT] = {"at", TIME},
    [EVENT] = {"event", TEXT},
    [ID] = {"id", TEXT},
    [NAME] = {"name", TEXT},
    [CONSUMER] = {"consumer", TEXT},
    [QUEUE] = {"queue", TEXT},
    [SLOTS] = {"slots", AMOUNT},
    [RUN] = {"run", AMOUNT},
    [SESSION] = {"session", TEXT},
    [PRIORITY_KEY] = {"priority", PRIORITY},
    [USER] = {"user", TEXT},
    [GROUP] = {"group", TEXT},
    [APPLICATION] = {"application", TEXT},
    [PARTITION] = {"partition", TEXT},
    [RUN_LIMIT] = {"run_limit", AMOUNT},
    [CLOSED_KEY] = {"closed", CLOSED},
};

/* The keys that an event may have, and those it must have. */
static const struct {
    const char *name;
    uint32_t may, must;
} events[ALLOT_RECORD_KINDS] = {
    [ALLOT_RECORD_SUBMIT] = {"submit",
                             BIT(AT) | BIT(EVENT) | BIT(ID) | BIT(CONSUMER) | BIT(QUEUE) |
                                 BIT(SLOTS) | BIT(RUN) | BIT(SESSION) | BIT(PRIORITY_KEY) |
                                 BIT(USER) | BIT(GROUP) | BIT(APPLICATION) | BIT(PARTITION) |
                                 BIT(RUN_LIMIT),
                             BIT(AT) | BIT(ID)},
    [ALLOT_RECORD_DEMAND] = {"demand", BIT(AT) | BIT(EVENT) | BIT(CONSUMER) | BIT(SLOTS),
                             BIT(AT) | BIT(CONSUMER) | BIT(SLOTS)},
    [ALLOT_RECORD_SLOTS] = {"slots", BIT(AT) | BIT(EVENT) | BIT(GROUP) | BIT(SLOTS),
                            BIT(AT) | BIT(SLOTS)},
    [ALLOT_RECORD_HOST] = {"host", BIT(AT) | BIT(EVENT) | BIT(NAME) | BIT(SLOTS) | BIT(CLOSED_KEY),
                           BIT(AT) | BIT(NAME)},
};

typedef struct event {
    allot__reader *reader;
    allot_json *json;
    int kind;
    uint32_t has;
    int64_t number[KEYS];
    int32_t text[KEYS]; /* among the trace's names */
} event;

static int open_line(allot__reader *reader, allot_json **out)
{
    int status = allot_json_open(reader->trace->engine, reader->text, reader->len,
                                 reader->trace->file, reader->line, 0, reader->report, out);
    reader->invalid = reader->invalid || status == ALLOT_EINVALID;
    return status;
}

static void fault(event *it, const char *hint, const char *message)
{
    it->reader->invalid = true;
    allot_json_fault(it->json, "E-event", hint, message);
}

/* ---- Which event it is ----------------------------------------------------------------------- */

/* The event that a line names; -1: none (reported), or an event that is left out. */
static int find_kind(event *it)
{
    allot_json_event next;
    bool object = false, named = false, here = false;
    while (allot_json_next(it->json, &next) > 0) {
        object = object || (next.depth == 0 && next.kind == ALLOT_JSON_OBJECT);
        if (here && next.kind == ALLOT_JSON_TEXT) {
            for (int i = 0; i < ALLOT_RECORD_KINDS; i++)
                if (strcmp(next.text, events[i].name) == 0)
                    return i;
            it->reader->trace->others++;
            return -1;
        }
        named = named || here;
        here = next.kind == ALLOT_JSON_KEY && next.depth == 1 && strcmp(next.text, "event") == 0;
    }
    if (!object)
        fault(it, "{\"at\": 0, \"event\": \"submit\", \"id\": \"1\", ...}",
              "a line of an event log is an object");
    else
        fault(it, "submit, demand, slots and host are simulated",
              named ? "`event` is a text" : "`event` is missing");
    return -1;
}

/* ---- What it has ----------------------------------------------------------------------------- */

static int find_key(event *it, const char *name)
{
    const char *names[KEYS];
    size_t count = 0;
    char message[200], hint[80] = "";
    for (int i = 0; i < KEYS; i++) {
        if ((events[it->kind].may & BIT(i)) == 0)
            continue;
        if (strcmp(name, keys[i].name) == 0)
            return i;
        names[count++] = keys[i].name;
    }
    const char *near = allot_nearest(name, strlen(name), names, count);
    if (near)
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
    snprintf(message, sizeof message, "\"%s\" has no key \"%.80s\"", events[it->kind].name, name);
    fault(it, near ? hint : NULL, message);
    return -1;
}

static void wrong(event *it, int key)
{
    static const char *const wanted[] = {
        [TEXT] = "a text of 1 to 200 bytes",
        [AMOUNT] = "a whole number from 0 to 1000000000",
        [PRIORITY] = "a whole number from -1000000000 to 1000000000",
        [TIME] = "Unix seconds, or a text like \"2026-01-31T08:00:00Z\"",
        [CLOSED] = "false, \"drain\" or \"reclaim\"",
    };
    char message[160];
    snprintf(message, sizeof message, "`%s` is %s", keys[key].name, wanted[keys[key].kind]);
    fault(it, NULL, message);
}

static int take_text(event *it, int key, const allot_json_event *value)
{
    if (value->kind != ALLOT_JSON_TEXT || value->len == 0 || value->len > 200) {
        wrong(it, key);
        return ALLOT_OK;
    }
    it->text[key] = allot__strings_put(it->reader->trace->engine, &it->reader->trace->names,
                                       value->text, value->len);
    return it->text[key] < 0 ? ALLOT_ENOMEM : ALLOT_OK;
}

static void take_time(event *it, int key, const allot_json_event *value)
{
    bool whole = value->kind == ALLOT_JSON_WHOLE;
    int64_t most = (int64_t)1 << 40;
    it->number[key] = value->whole;
    if (value->kind == ALLOT_JSON_TEXT)
        whole = allot_time_read(value->text, &it->number[key]) == ALLOT_OK;
    else if (value->kind == ALLOT_JSON_NUMBER && value->number >= 0 && value->number < 1e12)
        it->number[key] = (int64_t)value->number, whole = true;
    if (!whole || it->number[key] < 0 || it->number[key] > most)
        wrong(it, key);
}

static void take_closed(event *it, int key, const allot_json_event *value)
{
    bool text = value->kind == ALLOT_JSON_TEXT;
    if (value->kind == ALLOT_JSON_FALSE)
        it->number[key] = ALLOT_OPEN;
    else if (text && strcmp(value->text, "drain") == 0)
        it->number[key] = ALLOT_DRAIN;
    else if (text && strcmp(value->text, "reclaim") == 0)
        it->number[key] = ALLOT_CLOSED_NOW;
    else
        wrong(it, key);
}

static int take_value(event *it, int key, const allot_json_event *value)
{
    int64_t least = keys[key].kind == PRIORITY ? -ALLOT_AMOUNT_MAX : 0;
    switch (keys[key].kind) {
    case TEXT:
        return take_text(it, key, value);
    case TIME:
        take_time(it, key, value);
        break;
    case CLOSED:
        take_closed(it, key, value);
        break;
    default:
        it->number[key] = value->whole;
        if (value->kind != ALLOT_JSON_WHOLE || value->whole < least ||
            value->whole > ALLOT_AMOUNT_MAX)
            wrong(it, key);
    }
    return ALLOT_OK;
}

static int take_keys(event *it)
{
    allot_json_event next;
    int status = ALLOT_OK, key = -1;
    while (status == ALLOT_OK && allot_json_next(it->json, &next) > 0) {
        if (next.kind == ALLOT_JSON_KEY && next.depth == 1) {
            key = find_key(it, next.text);
            if (key >= 0 && (it->has & BIT(key)) != 0)
                fault(it, NULL, "the key stands there twice");
            it->has |= key >= 0 ? BIT(key) : 0;
        } else if (next.member && next.depth == 1 && key >= 0) {
            status = take_value(it, key, &next);
            key = -1;
        }
    }
    uint32_t lacks = events[it->kind].must & ~it->has;
    for (int i = 0; i < KEYS; i++) {
        char message[120];
        if ((lacks & BIT(i)) == 0)
            continue;
        snprintf(message, sizeof message, "\"%s\" needs `%s`", events[it->kind].name, keys[i].name);
        fault(it, NULL, message);
    }
    return status;
}

/* ---- The record ------------------------------------------------------------------------------ */

static int32_t number_of(const event *it, int key, int32_t otherwise)
{
    return (it->has & BIT(key)) != 0 ? (int32_t)it->number[key] : otherwise;
}

static int add(const event *it)
{
    allot_trace *trace = it->reader->trace;
    allot__line *line = allot__push(trace->engine, &trace->lines, sizeof *line);
    if (!line)
        return ALLOT_ENOMEM;
    *line = (allot__line){
        .at = it->number[AT],
        .id = it->text[it->kind == ALLOT_RECORD_HOST ? NAME : ID],
        .line = it->reader->line,
        .slots = number_of(it, SLOTS, it->kind == ALLOT_RECORD_SUBMIT ? 1 : -1),
        .run = number_of(it, RUN, -1),
        .requested = number_of(it, RUN_LIMIT, -1),
        .waited = -1,
        .priority = number_of(it, PRIORITY_KEY, ALLOT__NO_PRIORITY),
        .user = it->text[USER],
        .group = it->text[GROUP],
        .queue = it->text[QUEUE],
        .partition = it->text[PARTITION],
        .application = it->text[APPLICATION],
        .consumer = it->text[CONSUMER],
        .session = it->text[SESSION],
        .kind = (uint8_t)it->kind,
        .status = 255,
        .closed = (uint8_t)number_of(it, CLOSED_KEY, ALLOT_OPEN),
    };
    return ALLOT_OK;
}

static int read_kind(event *it)
{
    int status = open_line(it->reader, &it->json);
    if (status != ALLOT_OK)
        return status == ALLOT_EINVALID ? ALLOT_OK : status;
    it->kind = find_kind(it);
    allot_json_close(it->json);
    return ALLOT_OK;
}

int allot__event_line(allot__reader *reader)
{
    event it = {.reader = reader, .kind = -1};
    for (int i = 0; i < KEYS; i++)
        it.text[i] = -1;
    bool before = reader->invalid;
    int status = read_kind(&it);
    if (status != ALLOT_OK || it.kind < 0)
        return status;
    status = open_line(reader, &it.json);
    if (status != ALLOT_OK)
        return status;
    reader->invalid = false;
    status = take_keys(&it);
    allot_json_close(it.json);
    bool sound = status == ALLOT_OK && !reader->invalid;
    reader->invalid = reader->invalid || before;
    return sound ? add(&it) : status;
}
