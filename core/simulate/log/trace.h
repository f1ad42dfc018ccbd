/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* trace.h: a trace in memory, and what its readers share. */
#ifndef ALLOT_SIMULATE_LOG_TRACE_H
#define ALLOT_SIMULATE_LOG_TRACE_H

#include <allot/trace.h>

#include "base/name.h"

/* Texts, each once, numbered 0, 1, ... in the order of adding. */
typedef struct allot__strings {
    allot__vector bytes;  /* with a NUL behind each */
    allot__vector starts; /* of size_t, by number */
    allot__index index;
} allot__strings;

/* The number of a text, which is added if it is new; -1: out of memory. */
int32_t allot__strings_put(allot_engine *engine, allot__strings *names, const char *text,
                           size_t len);
/* ... and if it is there; else -1. */
int32_t allot__strings_find(const allot__strings *names, const char *text, size_t len);
/* Borrowed until the next is added; NULL of -1. */
const char *allot__strings_text(const allot__strings *names, int32_t number);
void allot__strings_free(allot_engine *engine, allot__strings *names);

/* A record; names are numbers of SWF, or of the trace's names. -1: not known. */
typedef struct allot__line {
    int64_t at;
    int32_t id, line;
    int32_t slots, run, requested, waited, priority;
    int32_t user, group, queue, partition, application;
    int32_t consumer, session;
    uint8_t kind, status, closed; /* status 255: not known */
} allot__line;

/* The priority of a record that states none. */
enum { ALLOT__NO_PRIORITY = INT32_MIN };

struct allot_trace {
    allot_engine *engine;
    char *file; /* with its size in file_size */
    size_t file_size;
    allot__vector lines;  /* of allot__line */
    allot__strings names; /* of an event log; of SWF its header's texts */
    allot__vector keys;   /* of allot__header */
    int32_t others;
    int64_t epoch; /* SWF: added to times */
    bool named;    /* names are texts: an event log */
};

typedef struct allot__header {
    int32_t key, value; /* among the names */
} allot__header;

/* The state of a reader, with the current line for diagnostics. */
typedef struct allot__reader {
    allot_trace *trace;
    allot_report *report;
    const char *text; /* of the line, ended by a NUL */
    size_t len;
    int32_t line;
    bool begun;   /* a line that is not blank was read */
    bool invalid; /* a fault was reported */
} allot__reader;

/* Reports a diagnostic with a formatted message, about no consumer; an error unless its severity is
 * set. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void
allot__log_say(allot_report *report, const allot_diagnostic *about, const char *format, ...);
/* Reports a fault of the current line, from `col` (0: the whole line), `width` columns wide. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
void
allot__line_fault(allot__reader *reader, const char *code, int32_t col, int32_t width,
                  const char *hint, const char *format, ...);

/* Read a line of a format, and report its faults. ENOMEM. */
int allot__swf_line(allot__reader *reader);
int allot__event_line(allot__reader *reader);

/* Lines of plain or compressed bytes (source.c). `each` is called with every line, without its end;
 * it returns a status, and any but ALLOT_OK ends the reading. EIO, EINVALID (reported). */
typedef int (*allot__line_sink)(void *ud, const char *text, size_t len, int32_t number);
int allot__read_lines(allot_engine *engine, allot_trace_source source, void *ud, const char *file,
                      allot_report *report, allot__line_sink each, void *each_ud);

#endif
