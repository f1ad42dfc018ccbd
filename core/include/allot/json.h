/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * json.h: plan, state and decision as documents.
 *
 * Documents are UTF-8 JSON; plans may have comments and trailing commas. A document is read whole
 * or not at all: every fault found (up to 50) goes to the report with file, line, column, path,
 * what was found and what is allowed. Nothing here opens a file: the caller passes text.
 *
 * cJSON undoes the escapes of strings, one at a time, with memory from malloc that it frees at
 * once. cJSON also writes the place of its last error to a pointer of the whole process. Nothing
 * here reads this pointer, so engines may read in several threads at once, though a checker of data
 * races may report the pointer.
 */
#ifndef ALLOT_JSON_H
#define ALLOT_JSON_H

#include <allot/allot.h>

ALLOT_C_BEGIN

/* An option of a policy: beside the policy's name in a plan, or under `options`. */
typedef enum allot_json_type {
    ALLOT_JSON_INTEGER = 1,
    ALLOT_JSON_BOOLEAN,
    ALLOT_JSON_STRING,
    ALLOT_JSON_WORDS /* a list of texts, joined by blanks; for an option that is a set of words the
                        same as STRING */
} allot_json_type;
typedef struct allot_use_option {
    const char *name;
    allot_json_type type;
    int64_t integer;    /* INTEGER, BOOLEAN */
    const char *string; /* STRING, WORDS */
    int32_t mine;       /* 1: beside the name, where an unknown option is an error; 0: from
                           `options` */
} allot_use_option;

/*
 * How a plan's `policy` becomes a policy. `load` gets `use` (a ready-made name, or a path to a .lua
 * file relative to the plan), the plan's file name and the options, and makes a policy that the
 * caller owns. A `load` that fails adds diagnostics. The plan's reader gives a diagnostic without a
 * file the place of `use`, or, if the diagnostic's `path` is an option's name, the place of that
 * option. EIO: the policy cannot be read; EBUDGET: the policy ran past its budget; ENOMEM; any
 * other failure makes the plan invalid.
 *
 * `zone` reads a time zone from the system's data: a TZif file in memory from
 * allot_engine_alloc(engine, ...), which the plan's reader frees. ENOENT: there is no zone of that
 * name; `zone` may add a diagnostic that is better than the reader's. NULL: plans that name another
 * zone than "UTC" are invalid.
 *
 * `instead` names a policy that replaces the plan's own. The options beside the own policy's name
 * are used only if both are the same policy. Groups, windows and branches that name a policy keep
 * theirs. The reader also loads the own policy, without a report: the plan may state what the own
 * policy declares, and a warning names attributes that no policy reads. NULL: nothing is replaced.
 *
 * `newcomers` are paths of newcomers (plan.h), which are added in the order of their bytes, so the
 * same paths in any order make the same plan. Paths for which no wildcard stands are left out.
 */
typedef struct allot_policy_loader {
    void *ud;
    int (*load)(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                const allot_use_option *options, int32_t count, allot_policy **out,
                allot_report *report);
    int (*zone)(void *ud, allot_engine *engine, const char *name, void **data, size_t *len,
                allot_report *report);
    const char *instead;
    const char *const *newcomers;
    int32_t newcomer_count;
} allot_policy_loader;

/* Reads and seals a plan from `len` bytes of text; `file` is its name in diagnostics, and relative
 * paths of policies start at its folder. loader NULL: a plan that names a policy is an error.
 * EINVALID (report); EIO, EBUDGET (report): the loader returned this for a policy, and the plan has
 * no other fault; ESCRIPT, EBUDGET (report): a policy failed when it was called to say which queues
 * preempt which; ENOMEM. */
ALLOT_API int allot_plan_read(allot_engine *engine, const char *text, size_t len, const char *file,
                              const allot_policy_loader *loader, allot_report *report,
                              allot_plan **out);

/* Reads and seals a state of that plan; the plan must outlive the state. ENOENT: nothing is wrong,
 * but the state names newcomers (plan.h), which the report lists: read the plan again with these,
 * then the state. EINVALID (report), ENOMEM. */
ALLOT_API int allot_state_read(const allot_plan *plan, const char *text, size_t len,
                               const char *file, allot_report *report, allot_state **out);

/* Reads a time as documents have it: Unix seconds, or RFC 3339 with an offset; fractions are
 * dropped. EINVALID: the text is neither. */
ALLOT_API int allot_time_read(const char *text, int64_t *out);
/* Writes "2026-01-31T07:00:00Z" as a string cut to size, or Unix seconds beyond the years 0 ...
 * 9999; returns the length that it needs. */
ALLOT_API size_t allot_time_text(int64_t when, char *buf, size_t size);

/* ---- JSON of any kind, read event by event --------------------------------------------------- */

/* Kinds of events. The events of a list's or object's items come between its begin and its end; in
 * an object a KEY comes before each value. */
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
    int32_t member;   /* 1: the event is a member's value (an end: of a member's list or object) */
    int32_t depth;    /* the number of lists and objects around it */
    const char *text; /* KEY, TEXT: UTF-8 without escapes, a string; borrowed until the next event
                       */
    size_t len;
    int64_t whole;
    double number; /* of WHOLE as well */
} allot_json_event;

/*
 * Opens a text of `len` bytes and checks the whole text before the first event: it must be strict
 * JSON (RFC 8259) of at most 1000 levels without U+0000. `relaxed`: comments and trailing commas
 * are allowed, as in plans. `file` is the text's name in diagnostics, and `line` the number of its
 * first line: 1 unless the text is a part of something longer. Text, file and report must outlive
 * the reader. Repeated keys are events like others; a caller that forbids them reports them by
 * allot_json_fault. EINVALID (report), ENOMEM.
 */
typedef struct allot_json allot_json;
ALLOT_API int allot_json_open(allot_engine *engine, const char *text, size_t len, const char *file,
                              int32_t line, int32_t relaxed, allot_report *report,
                              allot_json **out);
ALLOT_API void allot_json_close(allot_json *json);
/* Reads the next event and returns 1, or 0 at the end. */
ALLOT_API int32_t allot_json_next(allot_json *json, allot_json_event *event);
/* Adds an error at the last event, with the event's place, path and source line. hint may be NULL.
 */
ALLOT_API void allot_json_fault(allot_json *json, const char *code, const char *hint,
                                const char *message);

/* ---- Objects by tables of members (members.h) ------------------------------------------------ */

/* Members of one struct that an object may state. */
typedef struct allot_json_part {
    const allot_members *members; /* NULL: none */
    void *item;                   /* the struct, whose members have their defaults */
    int32_t without;              /* flags: members with one of them may not be stated */
    int32_t optional;             /* 1: no member is required; no group of several is -1 */
    const char *const *but;       /* names of others that may not, ended by NULL; NULL: none */
    uint64_t stated;              /* a result: bits of the stated members (null does not count) */
} allot_json_part;

/* Reads the text, an object, into parts; a member hides those of its name in later parts. Names of
 * consumers, groups and so on are looked up in the plan (NULL: no member is such a name). Strings
 * and lists are borrowed from the reader. Goes on after a fault. ENOENT: as allot_state_read.
 * EINVALID (report), ENOMEM. */
ALLOT_API int allot_json_members(allot_json *json, const allot_plan *plan, allot_json_part *parts,
                                 int32_t count);

/* Gets the pieces of a written document in order; nonzero ends the writing with EIO. */
typedef int (*allot_sink)(void *ud, const char *text, size_t len);

/* Writes a sealed state as "allot/state/v1", ended by a newline, without values that equal their
 * defaults. Read under the same plan, the document leads to the same decision. EUSAGE, ENOMEM, EIO.
 */
ALLOT_API int allot_state_write(const allot_state *state, allot_sink sink, void *ud);
/* Writes an item of a state (members.h), the struct of its kind, as an object on one line, as
 * documents have it. EUSAGE: no such kind; ENOMEM, EIO. */
ALLOT_API int allot_item_write(const allot_plan *plan, allot_item kind, const void *item,
                               allot_sink sink, void *ud);
/* Writes a state piece by piece: each call writes `items` consumers, hosts and items of lists. The
 * state must not change meanwhile. *over: everything is written. After a failure all calls fail. */
typedef struct allot_state_writing allot_state_writing;
ALLOT_API int allot_state_write_begin(const allot_state *state, allot_sink sink, void *ud,
                                      allot_state_writing **out);
ALLOT_API int allot_state_write_some(allot_state_writing *writing, int32_t items, int32_t *over);
ALLOT_API void allot_state_write_end(allot_state_writing *writing);

/* Writes a decision as "allot/decision/v1", ended by a newline. ENOMEM, EIO. */
ALLOT_API int allot_decision_write(const allot_decision *decision, const allot_report *warnings,
                                   allot_sink sink, void *ud);

/* Writes a comparison as members of an object, without its braces: "same", and a list of rows for
 * each kind, as the states of "allot/diff/v1" have them; `names` nonzero: also the rows' names for
 * people. ENOMEM, EIO. */
ALLOT_API int allot_diff_write(const allot_diff *diff, int32_t names, allot_sink sink, void *ud);

/* Writes a report as "allot/error/v1", ended by a newline. */
ALLOT_API int allot_report_write(const allot_report *report, allot_sink sink, void *ud);

ALLOT_C_END

#endif
