/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event.c: any JSON text, event by event: a walk over the marks that the scan left. */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include <allot/json.h>

#include "json/text/doc.h"
#include "json/text/place.h"

struct allot_json {
    allot__doc doc;
    uint32_t number;     /* the next value or end */
    allot__spot spot;    /* the last event */
    bool key_told;       /* the next value's */
    int32_t depth;       /* lists and objects that are open */
    char *scratch;       /* texts without their escapes */
    size_t scratch_size; /* as long as the longest, and a NUL */
    bool object[ALLOT__DEPTH_MAX + 1];
};

/* The longest string of a text that the scan let pass. */
static size_t longest(const char *text, size_t len)
{
    size_t most = 64; /* numbers */
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '"')
            continue;
        size_t from = ++i;
        while (text[i] != '"')
            i += text[i] == '\\' ? 2 : 1;
        if (i - from > most)
            most = i - from;
    }
    return most;
}

int allot_json_open(allot_engine *engine, const char *text, size_t len, const char *file,
                    int32_t line, int32_t relaxed, allot_report *report, allot_json **out)
{
    if (!engine || (!text && len > 0) || line < 1 || !out)
        return ALLOT_EUSAGE;
    allot_json *json = allot_engine_alloc(engine, NULL, 0, sizeof *json);
    if (!json)
        return ALLOT_ENOMEM;
    memset(json, 0, sizeof *json);
    int status =
        allot__doc_open_part(&json->doc, engine, text, len, file, line - 1, relaxed != 0, report);
    if (status == ALLOT_OK) {
        json->scratch_size = longest(json->doc.scan.text, len) + 1;
        json->scratch = allot_engine_alloc(engine, NULL, 0, json->scratch_size);
        status = json->scratch ? ALLOT_OK : ALLOT_ENOMEM;
    }
    json->doc.engine = engine; /* also where opening came to nothing */
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
    if (json->scratch)
        allot_engine_alloc(engine, json->scratch, json->scratch_size, 0);
    allot__doc_close(&json->doc);
    allot_engine_alloc(engine, json, sizeof *json, 0);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static uint32_t hex4(const char *at)
{
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        unit = unit * 16 + (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return unit;
}

static char *put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        *out++ = (char)(0xF0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3F));
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    return out;
}

/* The escape at *at, which stands behind the backslash; moves it past. */
static char *put_escape(char *out, const char **at)
{
    static const char letters[] = "bfnrt", bytes[] = "\b\f\n\r\t";
    char c = *(*at)++;
    const char *letter = strchr(letters, c);
    if (c != 'u') {
        *out++ = letter ? bytes[letter - letters] : c;
        return out;
    }
    uint32_t code = hex4(*at);
    *at += 4;
    if (code >= 0xD800 && code <= 0xDBFF) {
        code = 0x10000 + ((code - 0xD800) << 10) + (hex4(*at + 2) - 0xDC00);
        *at += 6;
    }
    return put_utf8(out, code);
}

/* The string whose opening quote is at `at`. */
static void take_text(allot_json *json, size_t at, allot_json_event *event)
{
    const char *from = json->doc.scan.text + at + 1;
    char *out = json->scratch;
    while (*from != '"') {
        if (*from == '\\') {
            from++;
            out = put_escape(out, &from);
        } else {
            *out++ = *from++;
        }
    }
    *out = '\0';
    event->text = json->scratch;
    event->len = (size_t)(out - json->scratch);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* strtoll and strtod read what the locale says a number is. */
static void take_number(allot_json *json, uint32_t number, allot_json_event *event)
{
    size_t len;
    const char *text = allot__doc_text(&json->doc, number, &len);
    char *copy = json->scratch;
    memcpy(copy, text, len);
    copy[len] = '\0';
    event->kind = ALLOT_JSON_NUMBER;
    if (!strpbrk(copy, ".eE")) {
        errno = 0;
        event->whole = strtoll(copy, NULL, 10);
        if (errno == 0)
            event->kind = ALLOT_JSON_WHOLE;
        else
            event->whole = 0;
    }
    char *point = strchr(copy, '.');
    if (point)
        *point = *localeconv()->decimal_point;
    event->number = strtod(copy, NULL);
}

/* ---- Events ---------------------------------------------------------------------------------- */

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
        take_text(json, json->doc.scan.marks[number].at, event);
        break;
    case 't':
    case 'f':
        event->kind = first == 't' ? ALLOT_JSON_TRUE : ALLOT_JSON_FALSE;
        break;
    case 'n':
        event->kind = ALLOT_JSON_NULL;
        break;
    default:
        take_number(json, number, event);
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
        take_text(json, allot__place_key(doc, number), event);
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
