/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * doc.h: a document being read: its values, their places, and its faults.
 *
 * The scan has marked every value and undone escapes in place, so that keys and strings are texts
 * that live as long as the document. Numbers are read from the text: 64-bit integers survive.
 */
#ifndef ALLOT_JSON_TEXT_DOC_H
#define ALLOT_JSON_TEXT_DOC_H

#include <allot/plan.h>

#include "base/memory.h"
#include "json/text/scan.h"

#define ALLOT__QUOTE_MAX 80

typedef struct allot__doc {
    allot_engine *engine;
    allot_report *report;
    const char *file;
    const char *given;       /* the caller's text */
    allot__scan scan;        /* a copy of it, and where its values stand */
    int64_t faults;          /* errors found so far */
    int64_t newcomers;       /* of these: paths of newcomers, which the report lists */
    int status;              /* the first failure, as ENOMEM: see allot__doc_keep */
    allot__pool kept, entry; /* of allot__doc_take */
    bool in_entry;
    bool grows;     /* paths may be those of newcomers */
    size_t line_at; /* the last line that was looked up: its first byte and number */
    int32_t line;
    int32_t first_line;     /* the first line's number, if the text is a part of something longer */
    const allot_plan *plan; /* the plan of consumer `about`; NULL: no consumer */
    int32_t consumer;
    uint32_t about; /* the consumer's object: paths inside it begin with the consumer's */
    char quote[ALLOT__QUOTE_MAX + 4], hint[320]; /* of allot__doc_quote and _hint */
} allot__doc;

/* Copies and scans the text, whose first line has that number; `relaxed`: comments and trailing
 * commas are fine. EINVALID (reported), ENOMEM. Close the document in any case. */
int allot__doc_open(allot__doc *doc, allot_engine *engine, const char *text, size_t len,
                    const char *file, int32_t line, bool relaxed, allot_report *report);
void allot__doc_close(allot__doc *doc);

/* The document that a reader of events reads (event.c). */
struct allot_json;
allot__doc *allot__json_doc(struct allot_json *json);

/* Notes the status of a call, and returns it. The first failure becomes the document's `status`; it
 * counts as a fault, and suppresses later findings. */
int allot__doc_keep(allot__doc *doc, int status);

/* What the reading led to: the first failure; EINVALID; ENOENT: newcomers are the only faults. */
int allot__doc_verdict(const allot__doc *doc);

/* `count` zeroed items (maybe 0), which live as long as the document, or as the entry being read.
 * NULL: out of memory, which is kept. */
void *allot__doc_take(allot__doc *doc, size_t count, size_t size);
/* Begins and ends the reading of one entry of a list. */
void allot__entry_begin(allot__doc *doc);
void allot__entry_end(allot__doc *doc);

/* ---- Values: by number ----------------------------------------------------------------------- */

/* A value's first byte: '{', '[', '"', a digit ... */
char allot__doc_first(const allot__doc *doc, uint32_t number);
/* The number behind a value and everything inside it: of the next sibling, or of the list's end. */
uint32_t allot__doc_next(const allot__doc *doc, uint32_t number);
/* The end mark of a list or object; number + 1 if it is empty. */
uint32_t allot__doc_end(const allot__doc *doc, uint32_t number);
/* A value's text, `*len` bytes; of a list or object with everything inside it. Strings are as the
 * scan leaves them. */
const char *allot__doc_text(const allot__doc *doc, uint32_t number, size_t *len);
/* The nearest double to a number (event.c). */
double allot__doc_double(const allot__doc *doc, uint32_t number);
/* The contents of a string. */
const char *allot__doc_string(const allot__doc *doc, uint32_t number);

/*
 * The items of a list or the members of an object, one by one; 0: none (left). The first walk
 * reports members that repeat a key as faults; all walks skip them:
 *
 *     for (uint32_t it = allot__doc_in(doc, list); it; it = allot__doc_after(doc, list, it))
 */
uint32_t allot__doc_in(allot__doc *doc, uint32_t number);
uint32_t allot__doc_after(const allot__doc *doc, uint32_t number, uint32_t item);
/* Their number, repeated ones included: below 2^31, since the scan bounds it. */
size_t allot__doc_count(const allot__doc *doc, uint32_t number);
/* The i-th from 0; 0: there are fewer. */
uint32_t allot__doc_item(const allot__doc *doc, uint32_t number, int64_t i);
/* The member of an object with that key; 0: none. */
uint32_t allot__doc_member(const allot__doc *doc, uint32_t object, const char *key);
/* The key of an object's member; NULL: a repeated key, whose quote is replaced by ALLOT__REPEATED.
 * And the key's offset in the text. */
#define ALLOT__REPEATED '\''
const char *allot__doc_key(const allot__doc *doc, uint32_t number);
size_t allot__doc_key_at(const allot__doc *doc, uint32_t number);

/* ---- Faults ---------------------------------------------------------------------------------- */

/* Where a fault is: at a value, or at its key. */
typedef struct allot__spot {
    uint32_t number;
    bool key;
} allot__spot;
allot__spot allot__at(uint32_t number);
allot__spot allot__at_key(uint32_t number);

/* Adds an error with its place, path and source line. hint may be NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void allot__doc_fault(allot__doc *doc, allot__spot spot, const char *code, const char *hint,
                      const char *format, ...);
/* The same: "found `what`X`rest`", where X is the text at the place. `near`: the nearest known
 * name, or NULL. */
void allot__doc_found(allot__doc *doc, allot__spot spot, const char *code, const char *near,
                      const char *what, const char *rest);
/* Handles the status of adding a name, and returns it: ENAME is a fault, "found `what`X, allowed
 * `rule`"; others are kept. */
int allot__doc_named(allot__doc *doc, int status, allot__spot spot, const char *what,
                     const char *rule);
/* The same for a warning, which is not a fault. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void allot__doc_warn(allot__doc *doc, allot__spot spot, const char *code, const char *hint,
                     const char *format, ...);
/* Adds a copy of another finding (error or warning), at that place. */
void allot__doc_adopt(allot__doc *doc, allot__spot spot, const allot_diagnostic *finding);
/* Gives finding i of the report that place. ENOMEM. */
int allot__doc_place(allot__doc *doc, allot__spot spot, int32_t i);
/* A scalar or key as written, cut to ALLOT__QUOTE_MAX bytes; valid until the next call. */
const char *allot__doc_quote(allot__doc *doc, allot__spot spot);
/* Reports the flaw that ended the scan. */
void allot__doc_flaw(allot__doc *doc);
/* "did you mean "limit"?" for a key or name, or NULL; valid until the next call. */
const char *allot__doc_hint(allot__doc *doc, const char *nearest);

/* ---- Places, in people's terms (place.c) ----------------------------------------------------- */

/* Source lines are cut behind this many characters; a fault further right shows no line. */
#define ALLOT__SOURCE_MAX 200
/* Paths are cut at this many bytes. */
#define ALLOT__PATH_MAX 512

typedef struct allot__place {
    int32_t line, col, width; /* in characters, from 1 */
    char source[4 * ALLOT__SOURCE_MAX + 4];
} allot__place;

/* The place of `width` bytes at `at`. */
void allot__place_find(allot__doc *doc, size_t at, size_t width, allot__place *out);

/* Writes "consumers[3].limit", or "/a/b: limit" inside the object that the document is about. */
void allot__place_path(const allot__doc *doc, uint32_t number, char *buf, size_t size);

/* Attributes later faults inside that object to that consumer. */
void allot__doc_about(allot__doc *doc, const allot_plan *plan, int32_t consumer, uint32_t object);

#endif
