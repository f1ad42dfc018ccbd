/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* span.c: finds members, items and values in a JSON text without decoding them. */
#include "base/span.h"

#include <string.h>

const char *allot__span_blank(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

static const char *skip_text(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\';
    return at < end ? at + 1 : end;
}

static const char *skip_value(const char *at, const char *end)
{
    int depth = 0;
    while (at < end) {
        if (*at == '"') {
            at = skip_text(at, end);
        } else {
            depth += *at == '{' || *at == '[' ? 1 : *at == '}' || *at == ']' ? -1 : 0;
            if (depth < 0)
                return at;
            at++;
        }
        if (depth == 0 && (at == end || strchr(",]} \t\r\n", *at)))
            return at;
    }
    return at;
}

bool allot__span_item(const char **at, const char *end, allot__span *value)
{
    const char *from = allot__span_blank(*at + 1, end);
    if (from >= end || *from == ']' || *from == '}')
        return false;
    value->at = from;
    from = skip_value(from, end);
    value->len = (size_t)(from - value->at);
    from = allot__span_blank(from, end);
    *at = from < end && *from == ',' ? from : from - 1;
    return true;
}

bool allot__span_member(const char **at, const char *end, allot__span *name, allot__span *value)
{
    const char *from = allot__span_blank(*at + 1, end);
    if (from >= end || *from != '"')
        return false;
    const char *behind = skip_text(from, end);
    if (behind < from + 2)
        return false;
    name->at = from + 1;
    name->len = (size_t)(behind - 1 - name->at);
    from = allot__span_blank(behind, end); /* the colon */
    *at = from;
    return allot__span_item(at, end, value);
}

bool allot__span_is(const allot__span *span, const char *word)
{
    return span->at && strlen(word) == span->len && memcmp(span->at, word, span->len) == 0;
}
