/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event.c: any JSON text, event by event: a walk over the marks that the scan left. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include <allot/json.h>

#include "json/text/read.h"

struct allot_json {
    allot__doc doc;
    uint32_t number;  /* the next value or end */
    allot__spot spot; /* the last event */
    bool key_told;    /* the next value's */
    int32_t depth;    /* open lists and objects */
    bool object[ALLOT__DEPTH_MAX + 1];
};

int allot_json_open(allot_engine *engine, const char *text, size_t len, const char *file,
                    int32_t line, int32_t relaxed, allot_report *report, allot_json **out)
{
    if (!engine || (!text && len > 0) || line < 1 || !out)
        return ALLOT_EUSAGE;
    allot_json *json = allot_engine_alloc(engine, NULL, 0, sizeof *json);
    if (!json)
        return ALLOT_ENOMEM;
    memset(json, 0, sizeof *json);
    int status = allot__doc_open(&json->doc, engine, text, len, file, line, relaxed != 0, report);
    if (status != ALLOT_OK)
        allot_json_close(json);
    else
        *out = json;
    return status;
}

void allot_json_close(allot_json *json)
{
    if (!json)
        return;
    allot_engine *engine = json->doc.engine;
    allot__doc_close(&json->doc);
    allot_engine_alloc(engine, json, sizeof *json, 0);
}

allot__doc *allot__json_doc(allot_json *json)
{
    return &json->doc;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void take_text(allot_json_event *event, const char *text)
{
    event->text = text;
    event->len = strlen(text);
}

/* strtod depends on the locale. */
double allot__doc_double(const allot__doc *doc, uint32_t number)
{
    char copy[ALLOT__NUMBER_MAX + 1];
    size_t len;
    const char *text = allot__doc_text(doc, number, &len);
    memcpy(copy, text, len);
    copy[len] = '\0';
    char *point = strchr(copy, '.');
    if (point)
        *point = *localeconv()->decimal_point;
    return strtod(copy, NULL);
}

static void take_number(const allot__doc *doc, uint32_t number, allot_json_event *event)
{
    allot__value value = allot__value_of(doc, number);
    bool whole = value.kind == ALLOT__INTEGER && !value.huge;
    event->kind = whole ? ALLOT_JSON_WHOLE : ALLOT_JSON_NUMBER;
    event->whole = whole ? value.integer : 0;
    event->number = whole ? (double)value.integer : allot__doc_double(doc, number);
}

static void take_value(allot_json *json, uint32_t number, allot_json_event *event)
{
    char first = allot__doc_first(&json->doc, number);
    switch (first) {
    case '{':
    case '[':
        event->kind = first == '{' ? ALLOT_JSON_OBJECT : ALLOT_JSON_LIST;
        json->object[++json->depth] = first == '{';
        break;
    case '"':
        event->kind = ALLOT_JSON_TEXT;
        take_text(event, allot__doc_string(&json->doc, number));
        break;
    case 't':
    case 'f':
        event->kind = first == 't' ? ALLOT_JSON_TRUE : ALLOT_JSON_FALSE;
        break;
    case 'n':
        event->kind = ALLOT_JSON_NULL;
        break;
    default:
        take_number(&json->doc, number, event);
        break;
    }
}

int32_t allot_json_next(allot_json *json, allot_json_event *event)
{
    const allot__doc *doc = &json->doc;
    uint32_t number = json->number;
    if (number == doc->scan.count)
        return 0;
    char first = allot__doc_first(doc, number);
    bool end = first == '}' || first == ']';
    json->depth -= end;
    *event = (allot_json_event){.depth = json->depth, .member = json->object[json->depth]};
    if (!end && event->member && !json->key_told) {
        event->kind = ALLOT_JSON_KEY;
        event->member = 0;
        take_text(event, allot__doc_key(doc, number));
        json->spot = allot__at_key(number);
        json->key_told = true;
        return 1;
    }
    json->key_told = false;
    json->number++;
    json->spot = allot__at(end ? doc->scan.marks[number].link : number);
    if (end)
        event->kind = first == '}' ? ALLOT_JSON_OBJECT_END : ALLOT_JSON_LIST_END;
    else
        take_value(json, number, event);
    return 1;
}

void allot_json_fault(allot_json *json, const char *code, const char *hint, const char *message)
{
    allot__doc_fault(&json->doc, json->spot, code, hint, "%s", message);
}
