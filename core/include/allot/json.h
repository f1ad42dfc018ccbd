/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * json.h: plan, state and decision as documents.
 *
 * Documents are UTF-8 JSON; plans may have comments and trailing commas. A document is read whole
 * or not at all: every fault found (up to 50) goes to the report with file, line, column, path,
 * what was found and what is allowed. Nothing here opens a file: the caller hands over text.
 *
 * Documents are read with cJSON. Its memory comes from malloc, not from the engine: as much as the
 * objects take that lead to the one being read, given back before the reader returns. It also
 * writes where its last error was to a pointer of the whole process, which nothing here reads: so
 * engines may read in several threads at once, though a checker of data races may name it.
 */
#ifndef ALLOT_JSON_H
#define ALLOT_JSON_H

#include <allot/allot.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An option written beside a policy's name in a plan, or under `options`. */
typedef enum allot_json_type {
    ALLOT_JSON_INTEGER = 1,
    ALLOT_JSON_BOOLEAN,
    ALLOT_JSON_STRING,
    ALLOT_JSON_WORDS /* a list of texts, joined by blanks: as good as such a text, where an option
                        is a set of words */
} allot_json_type;
typedef struct allot_use_option {
    const char *name;
    allot_json_type type;
    int64_t integer;    /* INTEGER, BOOLEAN */
    const char *string; /* STRING, WORDS */
    int32_t mine;       /* 1: written beside the name, so unknown is an error; 0: from `options` */
} allot_use_option;

/*
 * How a plan's `policy` becomes a policy. `load` gets `use` (a ready-made name, or a path to a .lua
 * file relative to the plan), the plan's file name and its options, and makes a policy that the
 * caller owns. When it fails it adds diagnostics; those without a file are placed by the plan's
 * reader at `use`, or, when their `path` is an option's name, at that option. EIO: the policy is
 * somewhere that cannot be read; EBUDGET: it ran past its budget; any other failure but ENOMEM
 * makes the plan invalid.
 *
 * `zone` reads a time zone from the system's data: a TZif file in memory from
 * allot_engine_alloc(engine, ...), which the plan's reader gives back. ENOENT: there is none of
 * that name; a diagnostic may say so better than the reader would. NULL: plans that name another
 * zone than "UTC" are invalid.
 *
 * `instead` is loaded as the plan's own policy, whatever the plan says that it is: without the
 * options beside that one's name, unless it is the same. Groups, windows and branches that name a
 * policy keep theirs. The plan's own is loaded before it, without a report: what that declares may
 * be stated, and a warning names what nobody reads of it. NULL: as the plan says.
 */
typedef struct allot_policy_loader {
    void *ud;
    int (*load)(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                const allot_use_option *options, int32_t count, allot_policy **out,
                allot_report *report);
    int (*zone)(void *ud, allot_engine *engine, const char *name, void **data, size_t *len,
                allot_report *report);
    const char *instead;
} allot_policy_loader;

/* Reads and seals a plan from `len` bytes of text; `file` names it in diagnostics and is what
 * relative policy paths start from. loader NULL: a plan that names a policy is an error.
 * EINVALID (report); EIO, EBUDGET (report): nothing is wrong but what the loader said so of its
 * policies; ESCRIPT, EBUDGET (report): a policy failed while it was asked which queues preempt
 * which; ENOMEM. */
ALLOT_API int allot_plan_read(allot_engine *engine, const char *text, size_t len, const char *file,
                              const allot_policy_loader *loader, allot_report *report,
                              allot_plan **out);

/* Reads and seals a state of that plan, which must outlive it. EINVALID (report), ENOMEM. */
ALLOT_API int allot_state_read(const allot_plan *plan, const char *text, size_t len,
                               const char *file, allot_report *report, allot_state **out);

/* A time as documents have it, in a string of its own: Unix seconds, or RFC 3339 with an offset,
 * fractions dropped. EINVALID: it is neither. */
ALLOT_API int allot_time_read(const char *text, int64_t *out);
/* Writes "2026-01-31T07:00:00Z" as a string cut to size, or Unix seconds beyond the years 0 ...
 * 9999; returns the length that it needs. */
ALLOT_API size_t allot_time_text(int64_t when, char *buf, size_t size);

/* ---- JSON of any kind, read event by event ----------------------------------------------------
 */

/* What comes next in a text. A list's or object's items stand between its begin and its end; in an
 * object a KEY comes before each value. */
typedef enum allot_json_kind {
    ALLOT_JSON_OBJECT = 1,
    ALLOT_JSON_OBJECT_END,
    ALLOT_JSON_LIST,
    ALLOT_JSON_LIST_END,
    ALLOT_JSON_KEY,
    ALLOT_JSON_TEXT,
    ALLOT_JSON_WHOLE,  /* a number without point and exponent that 64 bits hold: exact */
    ALLOT_JSON_NUMBER, /* any other: the nearest double */
    ALLOT_JSON_TRUE,
    ALLOT_JSON_FALSE,
    ALLOT_JSON_NULL
} allot_json_kind;

typedef struct allot_json_event {
    allot_json_kind kind;
    int32_t member; /* 1: the value of the key before (an end: the object or list is); else 0 */
    int32_t depth;  /* of how many lists and objects it is inside */
    const char
        *text; /* KEY, TEXT: escapes undone, UTF-8, a string; borrowed until the next event */
    size_t len;
    int64_t whole;
    double number; /* of WHOLE as well */
} allot_json_event;

/*
 * A text of `len` bytes, checked whole before the first event: what is no strict JSON (RFC 8259,
 * and 1000 levels at most, no U+0000) is refused with its place. `relaxed`: comments and trailing
 * commas are fine, as in plans. `file` names the text in diagnostics and `line` is the number of
 * its first line, 1 unless it is a part of something longer. Text, file and report must outlive
 * the reader. Repeated keys are events like others: whoever minds says so by allot_json_fault.
 * EINVALID (report), ENOMEM.
 */
typedef struct allot_json allot_json;
ALLOT_API int allot_json_open(allot_engine *engine, const char *text, size_t len, const char *file,
                              int32_t line, int32_t relaxed, allot_report *report,
                              allot_json **out);
ALLOT_API void allot_json_close(allot_json *json);
/* The next event: 1; 0: there is none left. */
ALLOT_API int32_t allot_json_next(allot_json *json, allot_json_event *event);
/* Adds an error at the event that was read last, with its place, path and source line. hint may be
 * NULL. */
ALLOT_API void allot_json_fault(allot_json *json, const char *code, const char *hint,
                                const char *message);

/* Where documents are written to: called with pieces in order; nonzero ends the writing with EIO.
 */
typedef int (*allot_sink)(void *ud, const char *text, size_t len);

/* Writes a decision as "allot/decision/v1", ended by a newline. ENOMEM, EIO. */
ALLOT_API int allot_decision_write(const allot_decision *decision, const allot_report *warnings,
                                   allot_sink sink, void *ud);

/* Writes a report as "allot/error/v1", ended by a newline. */
ALLOT_API int allot_report_write(const allot_report *report, allot_sink sink, void *ud);

#ifdef __cplusplus
}
#endif

#endif
