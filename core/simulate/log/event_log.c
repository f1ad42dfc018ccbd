/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event_log.c: lines of an event log, each a JSON object, read by a table of its event's members.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <allot/json.h>
#include <allot/members.h>

#include "simulate/log/trace.h"

/* What a line states; a host's name is its id. */
typedef struct said {
    const char *event, *id, *consumer, *queue, *session, *user, *group, *application, *partition;
    int64_t at, slots, run, priority, run_limit;
    int32_t closed;
} said;

/* Names have at most 200 bytes, and times are below 2^40. */
#define WHERE(member) .at = (uint16_t)offsetof(said, member)
#define TEXT(key, where, rules)                                                                    \
    {                                                                                              \
        .name = key, WHERE(where), .flags = rules, .most = 200                                     \
    }
#define NUMBER(key, where, rules, low, none)                                                       \
    {                                                                                              \
        .name = key, .type = ALLOT_MEMBER_WHOLE, WHERE(where), .flags = rules, .least = low,       \
        .most = ALLOT_AMOUNT_MAX, .unset = none                                                    \
    }
#define MUST         ALLOT_MEMBER_REQUIRED
#define NAME(key)    TEXT(#key, key, 0)
#define SLOTS(rules) NUMBER("slots", slots, rules, 0, 1)
#define HEAD                                                                                       \
    {.name = "at",                                                                                 \
     .type = ALLOT_MEMBER_TIME,                                                                    \
     WHERE(at),                                                                                    \
     .flags = MUST | ALLOT_MEMBER_DECIMALS,                                                        \
     .most = (int64_t)1 << 40},                                                                    \
        TEXT("event", event, MUST)

static const allot_member submit[] = {
    HEAD,
    TEXT("id", id, MUST),
    NAME(consumer),
    NAME(queue),
    SLOTS(0),
    NUMBER("run", run, 0, 0, -1),
    NAME(session),
    NUMBER("priority", priority, 0, -ALLOT_AMOUNT_MAX, ALLOT__NO_PRIORITY),
    NAME(user),
    NAME(group),
    NAME(application),
    NAME(partition),
    NUMBER("run_limit", run_limit, 0, 0, -1)};
static const allot_member demand[] = {HEAD, TEXT("consumer", consumer, MUST), SLOTS(MUST)};
static const allot_member slots[] = {HEAD, NAME(group), SLOTS(MUST)};
static const allot_member host[] = {HEAD,
                                    TEXT("name", id, MUST),
                                    SLOTS(0),
                                    {.name = "closed",
                                     .type = ALLOT_MEMBER_WORD,
                                     WHERE(closed),
                                     .flags = ALLOT_MEMBER_FALSE,
                                     .word = allot_closed_name}};

#define EVENT(name, of)                                                                            \
    {                                                                                              \
        name, "", sizeof(said), of, (int32_t)(sizeof of / sizeof *(of))                            \
    }
static const allot_members events[ALLOT_RECORD_KINDS] = {
    [ALLOT_RECORD_SUBMIT] = EVENT("submit", submit),
    [ALLOT_RECORD_DEMAND] = EVENT("demand", demand),
    [ALLOT_RECORD_SLOTS] = EVENT("slots", slots),
    [ALLOT_RECORD_HOST] = EVENT("host", host),
};

/* ---- Which event it is ----------------------------------------------------------------------- */

static int refuse(allot__reader *reader, allot_json *json, const char *hint, const char *message)
{
    reader->invalid = true;
    allot_json_fault(json, "E-event", hint, message);
    return -1;
}

/* The event that a line names; -1: none (reported), or an event that is left out. */
static int find_kind(allot__reader *reader, allot_json *json)
{
    allot_json_event next;
    bool object = false, named = false, here = false;
    while (allot_json_next(json, &next) > 0) {
        object = object || (next.depth == 0 && next.kind == ALLOT_JSON_OBJECT);
        if (here && next.kind == ALLOT_JSON_TEXT) {
            for (int i = 0; i < ALLOT_RECORD_KINDS; i++)
                if (strcmp(next.text, events[i].name) == 0)
                    return i;
            reader->trace->others++;
            return -1;
        }
        named = named || here;
        here = next.kind == ALLOT_JSON_KEY && next.depth == 1 && strcmp(next.text, "event") == 0;
    }
    if (!object)
        return refuse(reader, json, "{\"at\": 0, \"event\": \"submit\", \"id\": \"1\", ...}",
                      "a line of an event log is an object");
    return refuse(reader, json, "submit, demand, slots and host are simulated",
                  named ? "`event` is a text" : "`event` is missing");
}

/* ---- The record ------------------------------------------------------------------------------ */

/* The number of a name; -1: not stated. */
static int32_t put(allot_trace *trace, const char *name, bool *failed)
{
    int32_t number =
        name ? allot__strings_put(trace->engine, &trace->names, name, strlen(name)) : -1;
    *failed = *failed || (name && number < 0);
    return number;
}

static int add(const allot__reader *reader, int kind, const said *it)
{
    allot_trace *trace = reader->trace;
    bool failed = false;
    const allot__line made = {
        .at = it->at,
        .id = put(trace, it->id, &failed),
        .line = reader->line,
        .slots = (int32_t)it->slots,
        .run = (int32_t)it->run,
        .requested = (int32_t)it->run_limit,
        .waited = -1,
        .priority = (int32_t)it->priority,
        .user = put(trace, it->user, &failed),
        .group = put(trace, it->group, &failed),
        .queue = put(trace, it->queue, &failed),
        .partition = put(trace, it->partition, &failed),
        .application = put(trace, it->application, &failed),
        .consumer = put(trace, it->consumer, &failed),
        .session = put(trace, it->session, &failed),
        .kind = (uint8_t)kind,
        .status = 255,
        .closed = (uint8_t)it->closed,
    };
    allot__line *line = failed ? NULL : allot__push(trace->engine, &trace->lines, sizeof *line);
    if (!line)
        return ALLOT_ENOMEM;
    *line = made;
    return ALLOT_OK;
}

int allot__event_line(allot__reader *reader)
{
    said it = {0};
    allot_json *json;
    int status = allot_json_open(reader->trace->engine, reader->text, reader->len,
                                 reader->trace->file, reader->line, 0, reader->report, &json);
    reader->invalid = reader->invalid || status == ALLOT_EINVALID;
    if (status != ALLOT_OK)
        return status == ALLOT_EINVALID ? ALLOT_OK : status;
    int kind = find_kind(reader, json);
    if (kind >= 0) {
        allot_json_part part = {.members = &events[kind], .item = &it};
        allot_item_init(&events[ALLOT_RECORD_SUBMIT], &it); /* has all numbers */
        it.slots = kind == ALLOT_RECORD_SUBMIT ? 1 : -1;
        status = allot_json_members(json, NULL, &part, 1);
    }
    reader->invalid = reader->invalid || status == ALLOT_EINVALID;
    if (kind >= 0 && status == ALLOT_OK)
        status = add(reader, kind, &it);
    allot_json_close(json);
    return status == ALLOT_EINVALID ? ALLOT_OK : status;
}
