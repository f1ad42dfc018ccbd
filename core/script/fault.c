/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* fault.c: errors of a script as diagnostics of its file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "script/script.h"

enum { MESSAGE_MAX = 1000, SOURCE_MAX = 200 };

/* Line `line` of the text into buf; returns the column of its first visible byte, or 0. */
static int32_t copy_line(const allot__script *script, int32_t line, char *buf, size_t size)
{
    const char *at = script->text, *end = script->text + script->text_len;
    for (int32_t i = 1; at && i < line; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    buf[0] = '\0';
    if (!at || line < 1)
        return 0;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t len = (size_t)((stop ? stop : end) - at), blank = 0;
    len = len > 0 && at[len - 1] == '\r' ? len - 1 : len;
    len = len < size ? len : size - 1;
    memcpy(buf, at, len);
    buf[len] = '\0';
    while (blank < len && (at[blank] == ' ' || at[blank] == '\t'))
        blank++;
    return blank < len ? (int32_t)blank + 1 : 1;
}

/* "fair.lua:3: no" is line 3 and "no". */
int32_t allot__fault_place(const char *source, const char **message)
{
    size_t len = strlen(source);
    const char *at = *message;
    int32_t line = 0;
    if (len == 0 || strncmp(at, source, len) != 0 || at[len] != ':')
        return 0;
    for (at += len + 1; *at >= '0' && *at <= '9' && line < INT32_MAX / 10 - 1; at++)
        line = line * 10 + (*at - '0');
    if (at[0] != ':' || at[1] != ' ')
        return 0;
    *message = at + 2;
    return line;
}

/* "unknown name 'ful'; did you mean 'fill'?": the second half is the hint. */
const char *allot__fault_hint(char *message)
{
    char *hint = strstr(message, "; did you mean ");
    if (!hint)
        return NULL;
    *hint = '\0';
    return hint + 2;
}

/* Bytes that are no text for a terminal are shown as '?': controls, and what is not ASCII unless a
 * whole sequence of UTF-8. */
static void clean(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        int more = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc2 ? 1 : 0;
        int good = 0;
        while (good < more && (at[good + 1] & 0xc0) == 0x80)
            good++;
        if ((*at < 0x20 && *at != '\t') || *at == 0x7f || (*at >= 0x80 && (good < more || !more)) ||
            *at > 0xf4)
            *at = '?';
        else
            at += more;
    }
}

void allot__fault_say(const allot__script *script, const char *code, int32_t line,
                      const char *message, const allot_diagnostic *finding, allot_report *report)
{
    char text[MESSAGE_MAX], source[SOURCE_MAX];
    allot_diagnostic made = {.consumer = -1, .group = -1, .field = -1};
    if (finding)
        made = *finding;
    snprintf(text, sizeof text, "%s", message);
    made.severity = ALLOT_ERROR;
    made.code = code;
    made.file = script->chunk;
    made.line = line;
    made.col = copy_line(script, line, source, sizeof source);
    clean(text);
    clean(source);
    made.source = made.col ? source : NULL;
    if (line < 1)
        made.line = made.col = 1; /* about the file as a whole */
    const char *meant = allot__fault_hint(text);
    made.hint = meant ? meant : made.hint;
    made.message = text;
    allot_report_add(report, &made);
}

/* What the script used too much of. */
static const char *overrun(const allot__sandbox *box, int status, char *buf, size_t size)
{
    bool memory = status == LUA_ERRMEM;
    if (!memory && box->denial == ALLOT__DENIED_CYCLE) {
        allot__time_say(box->time, buf, size);
        return "E-cycle-limit";
    }
    if (!memory && box->denial == ALLOT__DENIED_STACK)
        snprintf(buf, size, "calls are nested deeper than %d, or have more than %d arguments",
                 ALLOT__DEPTH_MAX, ALLOT__ARGUMENTS_MAX);
    else if (!memory)
        snprintf(buf, size, "the policy runs for more than its %" PRId64 " instructions",
                 box->given);
    else if (box->denial == ALLOT__DENIED_STRING)
        snprintf(buf, size, "a string of more than %d bytes", ALLOT__STRING_MAX);
    else
        snprintf(buf, size, "the policy uses more than %" PRId64 " bytes of memory", box->cap);
    return memory ? "E-policy-memory" : "E-policy-budget";
}

int allot__fault(allot__script *script, int status, int otherwise, const char *code,
                 const allot_diagnostic *finding, allot_report *report)
{
    allot__sandbox *box = &script->box;
    const char *message =
        lua_type(box->L, -1) == LUA_TSTRING ? lua_tostring(box->L, -1) : "an error without a text";
    int result = otherwise;
    bool memory = status == LUA_ERRMEM && box->denial != ALLOT__DENIED_NOTHING;
    int32_t line = allot__fault_place(box->source, &message);
    char text[512];
    if (memory && box->denial == ALLOT__DENIED_ENGINE) {
        result = ALLOT_ENOMEM;
    } else if (memory || box->spent) {
        code = overrun(box, status, text, sizeof text);
        message = text;
        result = ALLOT_EBUDGET;
    }
    if (result != ALLOT_ENOMEM)
        allot__fault_say(script, code, line ? line : box->line, message, finding, report);
    lua_pop(box->L, 1);
    return result;
}
