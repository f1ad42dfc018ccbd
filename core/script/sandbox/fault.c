/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* fault.c: errors of a script as diagnostics of its file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "base/text.h"
#include "script/sandbox/script.h"

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

/* ":3" is 3, and *at goes behind it; else 0. */
static int32_t cut_number(const char **at)
{
    const char *digit = *at + 1;
    int32_t number = 0;
    if (**at != ':' || *digit < '0' || *digit > '9')
        return 0;
    for (; *digit >= '0' && *digit <= '9' && number < INT32_MAX / 10 - 1; digit++)
        number = number * 10 + (*digit - '0');
    *at = digit;
    return number;
}

/* "fair.lua:3: no" is line 3 and "no". */
int32_t allot__fault_place(const char *source, const char **message, int32_t *col)
{
    size_t len = strlen(source);
    const char *at = *message;
    *col = 0;
    if (len == 0 || strncmp(at, source, len) != 0)
        return 0;
    at += len;
    int32_t line = cut_number(&at), column = cut_number(&at);
    if (at[0] != ':' || at[1] != ' ')
        return 0;
    *message = at + 2;
    *col = column;
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

/* Bytes that a terminal should not get are shown as '?': controls, and bytes beyond ASCII that are
 * not a whole sequence of UTF-8. */
static void clean(char *text)
{
    for (size_t left = strlen(text), size; left > 0; text += size, left -= size) {
        size = allot__utf8(text, left);
        bool control = ((unsigned char)*text < 0x20 && *text != '\t') || *text == 0x7f;
        if (size == 0 || control) {
            *text = '?';
            size = 1;
        }
    }
}

void allot__fault_say(const allot__script *script, const char *code, int32_t line,
                      const char *message, const allot_diagnostic *finding, allot_report *report)
{
    char text[MESSAGE_MAX], source[SOURCE_MAX];
    allot_diagnostic made = finding ? *finding : allot__error(code, text);
    snprintf(text, sizeof text, "%s", message);
    made.severity = ALLOT_ERROR;
    made.code = code;
    made.file = script->chunk;
    made.line = line;
    int32_t col = copy_line(script, line, source, sizeof source);
    made.col = made.col > 0 ? made.col : col;
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

/* The limit that the script exceeded. */
static const char *overrun(const allot__sandbox *box, int status, char *buf, size_t size)
{
    bool memory = status == LUA_ERRMEM;
    if (!memory && box->denial == ALLOT__DENIED_CYCLE) {
        allot__time_say(box->time, buf, size);
        return "E-cycle-limit";
    }
    if (!memory && box->denial == ALLOT__DENIED_STACK)
        snprintf(buf, size, "calls are nested deeper than %d, or have more than %d arguments",
                 ALLOT__CALLS_MAX, ALLOT__ARGUMENTS_MAX);
    else if (!memory)
        snprintf(buf, size, "the policy runs for more than its %" PRId64 " instructions",
                 box->given);
    else if (box->denial == ALLOT__DENIED_STRING)
        snprintf(buf, size, "a string of more than %d bytes", ALLOT__STRING_MAX);
    else
        snprintf(buf, size, "the policy uses more than %" PRId64 " bytes of memory", box->cap);
    return memory ? "E-policy-memory" : "E-policy-budget";
}

/* Reports several faults, each on a line that begins with its place. */
static void say_each(const allot__script *script, const char *code, const char *message,
                     const allot_diagnostic *finding, allot_report *report)
{
    const allot__sandbox *box = &script->box;
    char text[MESSAGE_MAX];
    for (bool more = true; more;) {
        allot_diagnostic made = finding ? *finding : allot__error(code, text);
        int32_t line = allot__fault_place(box->source, &message, &made.col), col;
        const char *next = strchr(message, '\n'), *behind = next ? next + 1 : NULL;
        while (next && *behind && !allot__fault_place(box->source, &behind, &col)) {
            next = strchr(behind, '\n');
            behind = next ? next + 1 : NULL;
        }
        size_t len = next ? (size_t)(next - message) : strlen(message);
        snprintf(text, sizeof text, "%.*s", (int)(len < sizeof text ? len : sizeof text - 1),
                 message);
        allot__fault_say(script, code, line ? line : box->line, text, &made, report);
        more = next && next[1] != '\0';
        message = next ? next + 1 : message;
    }
}

int allot__fault(allot__script *script, int status, int otherwise, const char *code,
                 const allot_diagnostic *finding, allot_report *report)
{
    allot__sandbox *box = &script->box;
    const char *message =
        lua_type(box->L, -1) == LUA_TSTRING ? lua_tostring(box->L, -1) : "an error without a text";
    int result = otherwise;
    bool memory = status == LUA_ERRMEM && box->denial != ALLOT__DENIED_NOTHING;
    int32_t col, line = allot__fault_place(box->source, &(const char *){message}, &col);
    char text[512];
    if (memory && box->denial == ALLOT__DENIED_ENGINE) {
        result = ALLOT_ENOMEM;
    } else if (memory || box->spent) {
        code = overrun(box, status, text, sizeof text);
        result = ALLOT_EBUDGET;
        allot__fault_say(script, code, line ? line : box->line, text, finding, report);
    } else {
        say_each(script, code, message, finding, report);
    }
    lua_pop(box->L, 1);
    return result;
}

int allot__time_over(allot__script *script, allot_report *report)
{
    char message[512];
    allot_diagnostic finding = allot__error("E-cycle-limit", message);
    finding.group = script->run.batch->group;
    allot__time_say(script->time, message, sizeof message);
    allot__fault_say(script, "E-cycle-limit", script->run.call->line, message, &finding, report);
    return ALLOT_EBUDGET;
}
