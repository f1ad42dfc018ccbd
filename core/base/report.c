/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * report.c: diagnostics for people, the texts of statuses, and the version.
 *
 * This file owns: struct allot_report.
 */
#include "base/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/getter.h"
#include "base/memory.h"
#include "base/name.h"

enum { KEPT = 50, MESSAGE_MAX = 500 };

struct allot_report {
    allot_engine *engine;
    allot__vector findings; /* of allot_diagnostic, strings owned */
    int64_t total[2];       /* errors, warnings */
    int32_t kept[2];
    allot__vector newcomers; /* of const char *, in the pool */
    allot__index newcomer_index;
    allot__pool pool;
};

/* The strings of a finding, so that copying and freeing are loops. */
static const size_t strings[] = {
    offsetof(allot_diagnostic, code), offsetof(allot_diagnostic, file),
    offsetof(allot_diagnostic, path), offsetof(allot_diagnostic, message),
    offsetof(allot_diagnostic, hint), offsetof(allot_diagnostic, source),
};
enum { STRINGS = sizeof strings / sizeof strings[0] };

static const char **string_at(allot_diagnostic *finding, size_t i)
{
    return (const char **)(void *)((char *)finding + strings[i]);
}

static void strings_free(allot_engine *engine, allot_diagnostic *finding)
{
    for (size_t i = 0; i < STRINGS; i++)
        allot__free_string(engine, (char *)*string_at(finding, i));
}

/* Replaces the strings by copies of them; false when out of memory, with nothing copied. */
static bool strings_copy(allot_engine *engine, allot_diagnostic *finding)
{
    allot_diagnostic given = *finding;
    for (size_t i = 0; i < STRINGS; i++)
        *string_at(finding, i) = NULL;
    for (size_t i = 0; i < STRINGS; i++) {
        const char *text = *string_at(&given, i);
        if (!text)
            continue;
        *string_at(finding, i) = allot__copy(engine, text, strlen(text));
        if (!*string_at(finding, i)) {
            strings_free(engine, finding);
            return false;
        }
    }
    return true;
}

static int kind(allot_severity severity)
{
    return severity == ALLOT_WARNING;
}

int allot_report_new(allot_engine *engine, allot_report **out)
{
    if (!engine || !out)
        return ALLOT_EUSAGE;
    allot_report *report = allot__new(engine, 1, sizeof *report);
    if (!report)
        return ALLOT_ENOMEM;
    report->engine = engine;
    *out = report;
    return ALLOT_OK;
}

void allot_report_free(allot_report *report)
{
    if (!report)
        return;
    allot_report_clear(report);
    allot__vector_free(report->engine, &report->newcomers);
    allot__index_free(report->engine, &report->newcomer_index);
    allot__pool_free(report->engine, &report->pool);
    allot__free(report->engine, report, 1, sizeof *report);
}

void allot_report_clear(allot_report *report)
{
    if (!report)
        return;
    allot_diagnostic *findings = report->findings.items;
    for (size_t i = 0; i < report->findings.count; i++)
        strings_free(report->engine, &findings[i]);
    allot__vector_free(report->engine, &report->findings);
    memset(report->total, 0, sizeof report->total);
    memset(report->kept, 0, sizeof report->kept);
}

bool allot__report_keeps(const allot_report *report, allot_severity severity)
{
    return report && report->kept[kind(severity)] < KEPT;
}

void allot_report_add(allot_report *report, const allot_diagnostic *finding)
{
    if (!report || !finding)
        return;
    report->total[kind(finding->severity)]++;
    if (!allot__report_keeps(report, finding->severity))
        return;
    allot_diagnostic copy = *finding;
    if (!copy.code)
        copy.code = "";
    if (!copy.message)
        copy.message = "";
    if (!strings_copy(report->engine, &copy))
        return;
    allot_diagnostic *kept = allot__push(report->engine, &report->findings, sizeof *kept);
    if (!kept) {
        strings_free(report->engine, &copy);
        return;
    }
    *kept = copy;
    report->kept[kind(copy.severity)]++;
}

void allot_report_say(allot_report *report, allot_severity severity, const char *code,
                      const char *format, ...)
{
    if (!report)
        return;
    char message[MESSAGE_MAX + 1];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(message, sizeof message, format, args);
    va_end(args);
    /* Do not cut a UTF-8 character in two. */
    size_t end = MESSAGE_MAX;
    if (len > MESSAGE_MAX && ((unsigned char)message[end - 1] & 0x80)) {
        while (end > 0 && ((unsigned char)message[end - 1] & 0xc0) == 0x80)
            end--;
        message[end > 0 ? end - 1 : 0] = '\0';
    }
    allot_report_add(report, &(allot_diagnostic){.severity = severity,
                                                 .code = code,
                                                 .message = len < 0 ? format : message,
                                                 .consumer = -1,
                                                 .group = -1,
                                                 .field = -1});
}

ALLOT__GETTER(int32_t, allot_report_count, allot_report, (int32_t)it->findings.count, 0)

const allot_diagnostic *allot_report_at(const allot_report *report, int32_t i)
{
    if (i < 0 || i >= allot_report_count(report))
        return NULL;
    return (const allot_diagnostic *)report->findings.items + i;
}

int64_t allot_report_total(const allot_report *report, allot_severity severity)
{
    return report ? report->total[kind(severity)] : 0;
}

/* Replaces an owned string by a copy of `fresh`, unless `fresh` is NULL. */
static void replace(allot_engine *engine, const char **string, const char *fresh)
{
    if (!fresh)
        return;
    allot__free_string(engine, (char *)*string);
    *string = fresh;
}

int allot_report_place(allot_report *report, int32_t i, const char *file, int32_t line, int32_t col,
                       int32_t width, const char *path, const char *source)
{
    if (i < 0 || i >= allot_report_count(report))
        return ALLOT_EUSAGE;
    allot_diagnostic *finding = (allot_diagnostic *)report->findings.items + i;
    allot_diagnostic fresh = {.file = file, .path = path, .source = source};
    if (!strings_copy(report->engine, &fresh))
        return ALLOT_ENOMEM;
    replace(report->engine, &finding->file, fresh.file);
    replace(report->engine, &finding->path, fresh.path);
    replace(report->engine, &finding->source, fresh.source);
    if (line)
        finding->line = line;
    if (col)
        finding->col = col;
    if (width)
        finding->width = width;
    return ALLOT_OK;
}

/* ---- Newcomers ------------------------------------------------------------------------------- */

int allot_report_newcomer(allot_report *report, const char *path)
{
    uint32_t hash = path ? allot__hash(0, path, strlen(path)) : 0, probe = 0;
    int32_t found;
    if (!report || !path)
        return ALLOT_OK;
    const char **paths = report->newcomers.items;
    while ((found = allot__index_next(&report->newcomer_index, hash, &probe)) >= 0)
        if (strcmp(paths[found], path) == 0)
            return ALLOT_OK;
    if (allot__index_room(report->engine, &report->newcomer_index) != ALLOT_OK)
        return ALLOT_ENOMEM;
    const char *copy = allot__pool_copy(report->engine, &report->pool, path);
    const char **added =
        copy ? allot__push(report->engine, &report->newcomers, sizeof *added) : NULL;
    if (!added)
        return ALLOT_ENOMEM;
    *added = copy;
    allot__index_add(&report->newcomer_index, hash, (int32_t)report->newcomers.count - 1);
    return ALLOT_OK;
}

const char *const *allot_report_newcomers(const allot_report *report, int32_t *count)
{
    *count = report ? (int32_t)report->newcomers.count : 0;
    return report ? report->newcomers.items : NULL;
}

/* ---- Statuses, and the version --------------------------------------------------------------- */

const char *allot_status_name(int status)
{
    switch (status) {
#define CASE(name, code, text)                                                                     \
    case code:                                                                                     \
        return #name;
        ALLOT_STATUS_MAP(CASE)
#undef CASE
    }
    return "UNKNOWN";
}

const char *allot_status_text(int status)
{
    switch (status) {
#define CASE(name, code, text)                                                                     \
    case code:                                                                                     \
        return text;
        ALLOT_STATUS_MAP(CASE)
#undef CASE
    }
    return "UNKNOWN";
}

const char *allot_version(void)
{
    return ALLOT_VERSION;
}
