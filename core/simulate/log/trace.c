/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * trace.c: a log in memory.
 *
 * This file owns: the life of struct allot_trace.
 */
#include "simulate/log/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/getter.h"

/* ---- Reading --------------------------------------------------------------------------------- */

/* The beginning of the first line that is not blank shows the format. */
static int take_line(void *ud, const char *text, size_t len, int32_t number)
{
    allot__reader *reader = ud;
    if (number == 1 && len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3; /* an editor's mark of UTF-8 */
        len -= 3;
    }
    size_t at = strspn(text, " \t");
    reader->text = text;
    reader->len = len;
    reader->line = number;
    if (at >= len)
        return ALLOT_OK;
    if (strlen(text) != len) {
        allot__line_fault(reader, "E-trace", 0, 0, "is it a log at all?",
                          "the line has a byte 0 in it");
        return ALLOT_OK;
    }
    if (!reader->begun)
        reader->trace->named = text[at] == '{';
    reader->begun = true;
    return reader->trace->named ? allot__event_line(reader) : allot__swf_line(reader);
}

static const allot__line *line_at(const allot_trace *trace, size_t i)
{
    return (const allot__line *)trace->lines.items + i;
}

static int by_time(const void *a, const void *b)
{
    const allot__line *one = a, *other = b;
    if (one->at != other->at)
        return one->at < other->at ? -1 : 1;
    return one->line < other->line ? -1 : one->line > other->line;
}

static void put_in_order(allot_trace *trace, allot_report *report)
{
    size_t late = 0, first = 0;
    for (size_t i = 1; i < trace->lines.count; i++) {
        if (line_at(trace, i)->at >= line_at(trace, i - 1)->at)
            continue;
        first = late++ == 0 ? i : first;
    }
    if (late == 0)
        return;
    allot__log_say(report,
                   &(allot_diagnostic){.severity = ALLOT_WARNING,
                                       .code = "W-order",
                                       .file = trace->file,
                                       .line = line_at(trace, first)->line},
                   "%zu record%s earlier than the one before; all are put into the order of time",
                   late, late == 1 ? " is" : "s are");
    qsort(trace->lines.items, trace->lines.count, sizeof(allot__line), by_time);
}

static int by_id(const void *a, const void *b)
{
    const allot__line *const *one = a, *const *other = b;
    if ((*one)->id != (*other)->id)
        return (*one)->id < (*other)->id ? -1 : 1;
    return (*one)->line < (*other)->line ? -1 : (*one)->line > (*other)->line;
}

static bool ids_rise(const allot_trace *trace)
{
    int32_t last = -1;
    for (size_t i = 0; i < trace->lines.count; i++) {
        if (line_at(trace, i)->kind != ALLOT_RECORD_SUBMIT)
            continue;
        if (line_at(trace, i)->id <= last)
            return false;
        last = line_at(trace, i)->id;
    }
    return true;
}

/* Checks that no job id repeats. */
static int check_ids(allot__reader *reader)
{
    allot_trace *trace = reader->trace;
    char number[16];
    size_t count = 0;
    if (ids_rise(trace))
        return ALLOT_OK;
    const allot__line **list =
        allot__new(trace->engine, trace->lines.count, sizeof(const allot__line *));
    if (!list)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < trace->lines.count; i++)
        if (line_at(trace, i)->kind == ALLOT_RECORD_SUBMIT)
            list[count++] = line_at(trace, i);
    qsort(list, count, sizeof(const allot__line *), by_id);
    reader->text = NULL;
    for (size_t i = 1; i < count; i++) {
        if (list[i]->id != list[i - 1]->id)
            continue;
        reader->line = list[i]->line;
        snprintf(number, sizeof number, "%" PRId32, list[i]->id);
        allot__line_fault(reader, "E-duplicate", 0, 0, NULL,
                          "the job %.100s was submitted in line %d already",
                          trace->named ? allot__strings_text(&trace->names, list[i]->id) : number,
                          (int)list[i - 1]->line);
    }
    allot__free(trace->engine, list, trace->lines.count, sizeof(const allot__line *));
    return ALLOT_OK;
}

static void find_epoch(allot_trace *trace)
{
    const char *text = allot_trace_header(trace, "UnixStartTime");
    long long epoch = text != NULL && !trace->named ? strtoll(text, NULL, 10) : 0;
    trace->epoch = epoch > 0 && epoch < (long long)1 << 40 ? epoch : 0;
}

static int read_all(allot__reader *reader, allot_trace_source source, void *ud)
{
    allot_trace *trace = reader->trace;
    int status = allot__read_lines(trace->engine, source, ud, trace->file, reader->report,
                                   take_line, reader);
    if (status != ALLOT_OK)
        return status;
    if (trace->lines.count >= INT32_MAX)
        return ALLOT_ERANGE;
    allot__vector_trim(trace->engine, &trace->lines);
    status = check_ids(reader);
    if (status != ALLOT_OK)
        return status;
    put_in_order(trace, reader->report);
    find_epoch(trace);
    return reader->invalid ? ALLOT_EINVALID : ALLOT_OK;
}

int allot_trace_read(allot_engine *engine, allot_trace_source source, void *ud, const char *file,
                     allot_report *report, allot_trace **out)
{
    if (!engine || !source || !out)
        return ALLOT_EUSAGE;
    allot_trace *trace = allot__new(engine, 1, sizeof *trace);
    if (!trace)
        return ALLOT_ENOMEM;
    trace->engine = engine;
    trace->file_size = file ? strlen(file) + 1 : 1;
    trace->file = allot__new(engine, trace->file_size, 1);
    allot__reader reader = {.trace = trace, .report = report};
    int status = trace->file ? ALLOT_OK : ALLOT_ENOMEM;
    if (status == ALLOT_OK && file)
        memcpy(trace->file, file, trace->file_size);
    if (status == ALLOT_OK)
        status = read_all(&reader, source, ud);
    if (status != ALLOT_OK) {
        allot_trace_free(trace);
        return status;
    }
    *out = trace;
    return ALLOT_OK;
}

void allot_trace_free(allot_trace *trace)
{
    if (!trace)
        return;
    allot_engine *engine = trace->engine;
    allot__free(engine, trace->file, trace->file_size, 1);
    allot__vector_free(engine, &trace->lines);
    allot__vector_free(engine, &trace->keys);
    allot__strings_free(engine, &trace->names);
    allot__free(engine, trace, 1, sizeof *trace);
}

/* ---- Getters --------------------------------------------------------------------------------- */

ALLOT__GETTER(int32_t, allot_trace_records, allot_trace, (int32_t)it->lines.count, 0)

static allot_record_name name_of(const allot_trace *trace, int32_t value)
{
    if (trace->named)
        return (allot_record_name){allot__strings_text(&trace->names, value), -1};
    return (allot_record_name){NULL, value};
}

int allot_trace_record(const allot_trace *trace, int32_t i, allot_record *out)
{
    if (i < 0 || i >= allot_trace_records(trace) || !out)
        return ALLOT_EUSAGE;
    const allot__line *line = line_at(trace, (size_t)i);
    *out = (allot_record){
        .kind = (allot_record_kind)line->kind,
        .line = line->line,
        .at = line->at + trace->epoch,
        .id = name_of(trace, line->id),
        .slots = line->slots,
        .run = line->run,
        .requested = line->requested,
        .waited = line->waited,
        .status = line->status == 255 ? -1 : line->status,
        .priority = line->priority == ALLOT__NO_PRIORITY ? INT64_MIN : line->priority,
        .user = name_of(trace, line->user),
        .group = name_of(trace, line->group),
        .queue = name_of(trace, line->queue),
        .partition = name_of(trace, line->partition),
        .application = name_of(trace, line->application),
        .consumer = allot__strings_text(&trace->names, line->consumer),
        .session = allot__strings_text(&trace->names, line->session),
        .closed = (allot_closed)line->closed,
    };
    return ALLOT_OK;
}

ALLOT__GETTER(int32_t, allot_trace_others, allot_trace, it->others, 0)
ALLOT__GETTER(const char *, allot_trace_file, allot_trace, it->file, NULL)

const char *allot_trace_header(const allot_trace *trace, const char *key)
{
    const allot__header *headers = trace->keys.items;
    for (size_t i = 0; i < trace->keys.count; i++)
        if (strcmp(allot__strings_text(&trace->names, headers[i].key), key) == 0)
            return allot__strings_text(&trace->names, headers[i].value);
    return NULL;
}

const char *allot_trace_queue(const allot_trace *trace, int64_t number)
{
    const allot__header *headers = trace->keys.items;
    for (size_t i = 0; i < trace->keys.count; i++) {
        const char *value = allot__strings_text(&trace->names, headers[i].value);
        char *name;
        bool same = strtoll(value, &name, 10) == number && name != value;
        if (!same || strcmp(allot__strings_text(&trace->names, headers[i].key), "Queue") != 0)
            continue;
        name += strspn(name, " \t");
        return *name != '\0' ? name : NULL;
    }
    return NULL;
}
