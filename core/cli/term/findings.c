/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* findings.c: shows findings: what is wrong, where, and what helps. */
#include "cli/term/cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A source line is shown this many columns wide, around the fault. */
#define WINDOW 88
#define LEAD   40

#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define BOLD   "\033[1m"
#define RESET  "\033[0m"

int allot__cli_fail(allot__cli *cli, int code, const char *id, const char *hint, const char *format,
                    ...)
{
    char message[500];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    allot_diagnostic finding = {
        .severity = ALLOT_ERROR,
        .code = id,
        .message = message,
        .hint = hint,
        .consumer = -1,
        .group = -1,
        .field = -1,
    };
    allot_report_add(cli->report, &finding);
    return code;
}

static int exit_status(int status)
{
    switch (status) {
    case ALLOT_OK:
        return CLI_DONE;
    case ALLOT_EINVALID:
    case ALLOT_EPOLICY:
        return CLI_INVALID;
    case ALLOT_ESCRIPT:
    case ALLOT_EBUDGET:
        return CLI_SCRIPT;
    case ALLOT_EIO:
        return CLI_IO;
    default:
        return CLI_INTERNAL;
    }
}

int allot__cli_status(allot__cli *cli, int status)
{
    int code = exit_status(status);
    if (code != CLI_DONE && allot_report_total(cli->report, ALLOT_ERROR) == 0)
        return allot__cli_fail(cli, code, allot_status_name(status), NULL, "%s",
                               allot_status_text(status));
    return code;
}

static bool begins(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

/* Characters in bytes: UTF-8 without continuation bytes. */
static int characters(const char *bytes, size_t len)
{
    int count = 0;
    for (size_t i = 0; i < len; i++)
        count += begins(bytes[i]);
    return count;
}

/* The byte where character `count` behind `start` begins, or len. */
static size_t forward(const char *source, size_t len, size_t start, int32_t count)
{
    size_t at = start;
    for (; at < len && count > 0; count--)
        for (at++; at < len && !begins(source[at]);)
            at++;
    return at;
}

/* The first byte at or before `at` that begins a character. */
static size_t boundary(const char *source, size_t at)
{
    while (at > 0 && !begins(source[at]))
        at--;
    return at;
}

/* Tabs count as one column here: each is shown as a space, so that the caret stands right. */
static void put_source(allot__text *out, const char *source, size_t len)
{
    for (size_t i = 0; i < len; i++)
        allot__text_puts_safe(out, source[i] == '\t' ? " " : source + i, 1);
}

static void put_excerpt(allot__text *out, const allot_diagnostic *finding, bool color)
{
    const char *source = finding->source;
    size_t len = strcspn(source, "\r\n");
    size_t at = forward(source, len, 0, finding->col - 1);
    size_t behind = forward(source, len, at, finding->width > 1 ? finding->width : 1);
    size_t start = at > LEAD && len > WINDOW ? boundary(source, at - LEAD) : 0;
    size_t end = len - start > WINDOW ? boundary(source, start + WINDOW) : len;

    allot__text_printf(out, "%5" PRId32 " | %s", finding->line, start > 0 ? "..." : "");
    put_source(out, source + start, end - start);
    allot__text_printf(out, "%s\n      | ", end < len ? "..." : "");
    if (finding->col > 0) {
        allot__text_spaces(out, characters(source + start, at - start) + (start > 0 ? 3 : 0));
        allot__text_printf(out, "%s^", color ? RED : "");
        for (int i = characters(source + at, (behind < end ? behind : end) - at); i > 1; i--)
            allot__text_puts(out, "~");
        allot__text_puts(out, color ? RESET : "");
    }
    allot__text_puts(out, "\n");
}

static void put_place(allot__text *out, const allot_diagnostic *finding)
{
    const char *file = finding->file ? finding->file : "allot";
    allot__text_puts_safe(out, file, strlen(file));
    if (finding->line > 0)
        allot__text_printf(out, ":%" PRId32, finding->line);
    if (finding->line > 0 && finding->col > 0)
        allot__text_printf(out, ":%" PRId32, finding->col);
    allot__text_puts(out, ": ");
}

static bool joins(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z') || byte == '_' || byte == '-' || byte == '/';
}

/* Whether the message names the path: as a whole, not as the beginning of another. */
static bool names(const char *message, const char *path)
{
    size_t len = strlen(path);
    for (const char *at = strstr(message, path); at; at = strstr(at + 1, path))
        if ((at == message || !joins(at[-1])) && !joins(at[len]))
            return true;
    return false;
}

/* The message, behind its subject. */
static void put_message(allot__text *out, const allot_diagnostic *finding)
{
    const char *path = finding->path;
    if (path && *path != '\0' && !names(finding->message, path)) {
        allot__text_puts_safe(out, path, strlen(path));
        allot__text_puts(out, ": ");
    }
    allot__text_puts_safe(out, finding->message, strlen(finding->message));
}

static void put_finding(allot__text *out, const allot_diagnostic *finding, bool color)
{
    bool error = finding->severity != ALLOT_WARNING;
    put_place(out, finding);
    allot__text_puts(out, !color ? "" : error ? BOLD RED : BOLD YELLOW);
    allot__text_puts(out, error ? "error:" : "warning:");
    allot__text_puts(out, color ? RESET " " : " ");
    put_message(out, finding);
    allot__text_printf(out, " [%s]\n", finding->code);
    if (finding->source && finding->line > 0)
        put_excerpt(out, finding, color);
    if (finding->hint) {
        allot__text_puts(out, "  hint: ");
        allot__text_puts_safe(out, finding->hint, strlen(finding->hint));
        allot__text_puts(out, "\n");
    }
}

void allot__cli_findings(const allot_report *report, allot__text *out, bool color)
{
    int32_t count = allot_report_count(report);
    for (int32_t i = 0; i < count; i++)
        put_finding(out, allot_report_at(report, i), color);
    int64_t all =
        allot_report_total(report, ALLOT_ERROR) + allot_report_total(report, ALLOT_WARNING);
    if (all > count)
        allot__text_printf(out, "allot: and %" PRId64 " more\n", all - count);
}

void allot__cli_warnings_json(const allot_report *report, allot__text *out)
{
    const char *between = "";
    allot__text_puts(out, "[");
    for (int32_t i = 0; i < allot_report_count(report); i++) {
        const allot_diagnostic *finding = allot_report_at(report, i);
        if (finding->severity != ALLOT_WARNING)
            continue;
        allot__text_printf(out, "%s{\"file\": ", between);
        allot__text_json(out, finding->file);
        allot__text_printf(out, ", \"line\": %" PRId32 ", \"col\": %" PRId32 ", \"code\": ",
                           finding->line, finding->col);
        allot__text_json(out, finding->code);
        allot__text_puts(out, ", \"message\": ");
        allot__text_json(out, finding->message);
        allot__text_puts(out, ", \"hint\": ");
        allot__text_json(out, finding->hint);
        allot__text_puts(out, "}");
        between = ", ";
    }
    allot__text_puts(out, "]");
}
