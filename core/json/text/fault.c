/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* fault.c: reports the faults of a document with their places. */
#include "json/text/doc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define MESSAGE_MAX 500

allot__spot allot__at(uint32_t number)
{
    return (allot__spot){number, false};
}

allot__spot allot__at_key(uint32_t number)
{
    return (allot__spot){number, true};
}

int allot__doc_keep(allot__doc *doc, int status)
{
    if (status != ALLOT_OK) {
        doc->status = doc->status != ALLOT_OK ? doc->status : status;
        doc->faults++;
    }
    return status;
}

int allot__doc_verdict(const allot__doc *doc)
{
    if (doc->status != ALLOT_OK || doc->faults == 0)
        return doc->status;
    return doc->faults == doc->newcomers ? ALLOT_ENOENT : ALLOT_EINVALID;
}

/* Does the report still keep a finding? Later ones are only counted. */
static bool is_kept(const allot__doc *doc, allot_severity severity)
{
    return doc->report != NULL && allot_report_total(doc->report, severity) < 50;
}

/* The part of the caller's text to show: a whole scalar or key, the bracket of a list or object. */
static size_t extent(const allot__doc *doc, allot__spot spot, size_t *width)
{
    const allot__mark *mark = &doc->scan.marks[spot.number];
    size_t at = spot.key ? allot__doc_key_at(doc, spot.number) : mark->at, end = at + 1;
    char first = doc->given[at];
    if (first == '"') {
        while (doc->given[end] != '"')
            end += doc->given[end] == '\\' ? 2 : 1;
        end++;
    } else if (first != '{' && first != '[') {
        end = mark->link;
    }
    *width = end - at;
    return at;
}

const char *allot__doc_quote(allot__doc *doc, allot__spot spot)
{
    char *buf = doc->quote;
    size_t width, len = 0;
    const char *text = doc->given + extent(doc, spot, &width);
    while (len < width) {
        size_t size = allot__utf8(text + len, width - len);
        if (len + size > ALLOT__QUOTE_MAX)
            break;
        len += size;
    }
    memcpy(buf, text, len);
    memcpy(buf + len, "...", 4);
    if (len == width)
        buf[len] = '\0';
    return buf;
}

static void find_spot(allot__doc *doc, allot__spot spot, allot__place *place)
{
    size_t width, at = extent(doc, spot, &width);
    allot__place_find(doc, at, width, place);
}

static void add(allot__doc *doc, const allot__place *place, allot_diagnostic *finding)
{
    finding->file = doc->file;
    finding->line = place->line;
    finding->col = place->col;
    finding->width = place->width;
    finding->source = place->source[0] != '\0' ? place->source : NULL;
    allot_report_add(doc->report, finding);
}

/* If the report keeps no more of that kind, skips the formatting. */
static void say(allot__doc *doc, allot_severity severity, allot__spot spot, const char *code,
                const char *hint, const char *format, va_list args)
{
    allot_diagnostic finding = {
        .severity = severity, .code = code, .hint = hint, .consumer = -1, .group = -1, .field = -1};
    allot__place place = {0};
    char message[MESSAGE_MAX + 1] = "", path[ALLOT__PATH_MAX] = "";
    doc->faults += severity == ALLOT_ERROR;
    if (doc->status != ALLOT_OK)
        return;
    if (is_kept(doc, severity)) {
        vsnprintf(message, sizeof message, format, args);
        find_spot(doc, spot, &place);
        allot__place_path(doc, spot.number, path, sizeof path);
    }
    finding.message = message;
    finding.path = path[0] != '\0' ? path : NULL;
    add(doc, &place, &finding);
}

void allot__doc_fault(allot__doc *doc, allot__spot spot, const char *code, const char *hint,
                      const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(doc, ALLOT_ERROR, spot, code, hint, format, args);
    va_end(args);
}

void allot__doc_warn(allot__doc *doc, allot__spot spot, const char *code, const char *hint,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(doc, ALLOT_WARNING, spot, code, hint, format, args);
    va_end(args);
}

void allot__doc_found(allot__doc *doc, allot__spot spot, const char *code, const char *near,
                      const char *what, const char *rest)
{
    allot__doc_fault(doc, spot, code, allot__doc_hint(doc, near), "found %s%s%s", what,
                     allot__doc_quote(doc, spot), rest);
}

int allot__doc_named(allot__doc *doc, int status, allot__spot spot, const char *what,
                     const char *rule)
{
    if (status != ALLOT_ENAME)
        return allot__doc_keep(doc, status);
    allot__doc_fault(doc, spot, "E-name", NULL, "found %s%s, allowed %s", what,
                     allot__doc_quote(doc, spot), rule);
    return status;
}

/* Is the finding reported already? Several groups may share one place in the document. */
static bool said(const allot__doc *doc, const allot__place *place, const allot_diagnostic *finding)
{
    for (int32_t i = 0; i < allot_report_count(doc->report); i++) {
        const allot_diagnostic *it = allot_report_at(doc->report, i);
        if (it->line == place->line && it->col == place->col &&
            strcmp(it->code, finding->code) == 0 && strcmp(it->message, finding->message) == 0 &&
            it->file && doc->file && strcmp(it->file, doc->file) == 0)
            return true;
    }
    return false;
}

void allot__doc_adopt(allot__doc *doc, allot__spot spot, const allot_diagnostic *finding)
{
    allot_diagnostic copy = *finding;
    allot__place place = {0};
    doc->faults += finding->severity == ALLOT_ERROR;
    if (is_kept(doc, finding->severity)) {
        find_spot(doc, spot, &place);
        if (said(doc, &place, finding))
            return;
    }
    add(doc, &place, &copy);
}

int allot__doc_place(allot__doc *doc, allot__spot spot, int32_t i)
{
    allot__place place = {0};
    char path[ALLOT__PATH_MAX];
    find_spot(doc, spot, &place);
    allot__place_path(doc, spot.number, path, sizeof path);
    return allot_report_place(doc->report, i, doc->file, place.line, place.col, place.width, path,
                              place.source[0] != '\0' ? place.source : NULL);
}

void allot__doc_flaw(allot__doc *doc)
{
    const allot__flaw *flaw = &doc->scan.flaw;
    allot_diagnostic finding = {.severity = ALLOT_ERROR,
                                .code = flaw->code,
                                .message = flaw->message,
                                .hint = flaw->hint,
                                .consumer = -1,
                                .group = -1,
                                .field = -1};
    allot__place place;
    char hint[80];
    doc->faults++;
    if (flaw->opened != SIZE_MAX) {
        allot__place_find(doc, flaw->opened, 1, &place);
        snprintf(hint, sizeof hint, "the \"%c\" at line %d, column %d is not closed",
                 doc->given[flaw->opened], (int)place.line, (int)place.col);
        finding.hint = hint;
    }
    allot__place_find(doc, flaw->at, flaw->width, &place);
    add(doc, &place, &finding);
}

const char *allot__doc_hint(allot__doc *doc, const char *nearest)
{
    if (!nearest || nearest[0] == '\0')
        return NULL;
    snprintf(doc->hint, sizeof doc->hint, "did you mean \"%s\"?", nearest);
    return doc->hint;
}

void allot__doc_about(allot__doc *doc, const allot_plan *plan, int32_t consumer, uint32_t object)
{
    doc->plan = plan;
    doc->consumer = consumer;
    doc->about = object;
}
