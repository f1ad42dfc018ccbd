/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * doc.h: a document that is being read: its values, their places, and its faults.
 *
 * The scan has marked every value and undone escapes in place, so that keys and strings are texts
 * that live as long as the document. Numbers are read from the text: 64-bit integers survive.
 */
#ifndef ALLOT_JSON_TEXT_DOC_H
#define ALLOT_JSON_TEXT_DOC_H

#include <allot/plan.h>

#include "base/pool.h"
#include "json/text/scan.h"

#define ALLOT__QUOTE_MAX 80

typedef struct allot__doc {
    allot_engine *engine;
    allot_report *report;
    const char *file;
    const char *given;       /* the caller's text */
    allot__scan scan;        /* a copy of it, and where its values stand */
    int64_t faults;          /* errors found so far */
    int status;              /* the first that failed, as ENOMEM: see allot__doc_keep */
    allot__pool kept, entry; /* of allot__doc_take */
    bool in_entry;
    size_t line_at; /* the last line that was looked up: its first byte and number */
    int32_t line;
    int32_t first_line;     /* its number in something longer that the text may be a part of */
    const allot_plan *plan; /* whose consumer `about` is; NULL: nobody's */
    int32_t consumer;
    uint32_t about; /* the consumer's object: paths inside it begin with the consumer's */
    char quote[ALLOT__QUOTE_MAX + 4], hint[320]; /* of allot__doc_quote and _hint */
} allot__doc;

/* Copies and scans the text, whose first line has that number; `relaxed`: comments and trailing
 * commas are fine. EINVALID (the report says why), ENOMEM. To be closed in any case. */
int allot__doc_open(allot__doc *doc, allot_engine *engine, const char *text, size_t len,
                    const char *file, int32_t line, bool relaxed, allot_report *report);
void allot__doc_close(allot__doc *doc);

/* What a call came to, and returns it. The first that failed is the document's `status`: a fault,
 * so that nothing is made of what is faulty, behind which nothing is said. */
int allot__doc_keep(allot__doc *doc, int status);

/* `count` zeroed items, maybe none, that live as long as the document, or as the entry that is
 * being read. NULL: out of memory, which is kept. */
void *allot__doc_take(allot__doc *doc, size_t count, size_t size);
/* An entry of a list is read from here on, and no other; and its end. */
void allot__entry_begin(allot__doc *doc);
void allot__entry_end(allot__doc *doc);

/* ---- Values: by number ----------------------------------------------------------------------- */

/* Its first byte: '{', '[', '"', a digit ... */
char allot__doc_first(const allot__doc *doc, uint32_t number);
/* The number behind a value and all inside it: its next sibling's, or its list's end. */
uint32_t allot__doc_next(const allot__doc *doc, uint32_t number);
/* The end mark of a list or object, which is number + 1 where it is empty. */
uint32_t allot__doc_end(const allot__doc *doc, uint32_t number);
/* Its text, `*len` bytes; of a list or object with all inside it. Strings in it are as the scan
 * leaves them. */
const char *allot__doc_text(const allot__doc *doc, uint32_t number, size_t *len);
/* What a string says. */
const char *allot__doc_string(const allot__doc *doc, uint32_t number);

/*
 * The items of a list or the members of an object, one by one; 0: there is none (left). Members
 * that repeat a key are said to be faults by the first walk, and passed over:
 *
 *     for (uint32_t it = allot__doc_in(doc, list); it; it = allot__doc_after(doc, list, it))
 */
uint32_t allot__doc_in(allot__doc *doc, uint32_t number);
uint32_t allot__doc_after(const allot__doc *doc, uint32_t number, uint32_t item);
/* How many there are, repeated ones included: fewer than 2^31, as the scan counts values. */
size_t allot__doc_count(const allot__doc *doc, uint32_t number);
/* The i-th from 0 on; 0: there are not so many. */
uint32_t allot__doc_item(const allot__doc *doc, uint32_t number, int64_t i);
/* The member of an object with that key; 0: none. */
uint32_t allot__doc_member(const allot__doc *doc, uint32_t object, const char *key);
/* The key of an object's member; NULL: it is repeated, and so has this in the place of its quote.
 * And where it stands in the text. */
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
/* The same: "found `what`X`rest`", X being what stands there. `near`: what may have been meant, or
 * NULL. */
void allot__doc_found(allot__doc *doc, allot__spot spot, const char *code, const char *near,
                      const char *what, const char *rest);
/* What adding something with a name came to, and returns it: ENAME is a fault, "found `what`X,
 * allowed `rule`", others are kept. */
int allot__doc_named(allot__doc *doc, int status, allot__spot spot, const char *what,
                     const char *rule);
/* The same of a warning, which is no fault. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void allot__doc_warn(allot__doc *doc, allot__spot spot, const char *code, const char *hint,
                     const char *format, ...);
/* Adds a copy of a finding (error or warning) that others made, at that place. */
void allot__doc_adopt(allot__doc *doc, allot__spot spot, const allot_diagnostic *finding);
/* Gives finding i of the report that place. ENOMEM. */
int allot__doc_place(allot__doc *doc, allot__spot spot, int32_t i);
/* A scalar or key as the text has it, cut to ALLOT__QUOTE_MAX bytes; until the next call. */
const char *allot__doc_quote(allot__doc *doc, allot__spot spot);
/* The flaw that ended the scan. */
void allot__doc_flaw(allot__doc *doc);
/* "did you mean "limit"?" for a key or name, or NULL; until the next call. */
const char *allot__doc_hint(allot__doc *doc, const char *nearest);

/* ---- Places, in people's terms (place.c) ----------------------------------------------------- */

/* Source lines are cut behind so many characters; a fault further right shows none. */
#define ALLOT__SOURCE_MAX 200
/* Paths are cut at so many bytes. */
#define ALLOT__PATH_MAX 512

typedef struct allot__place {
    int32_t line, col, width; /* in characters, from 1 */
    char source[4 * ALLOT__SOURCE_MAX + 4];
} allot__place;

/* The place of `width` bytes at `at`. */
void allot__place_find(allot__doc *doc, size_t at, size_t width, allot__place *out);

/* Writes "consumers[3].limit", or "/a/b: limit" inside the object that the document is about. */
void allot__place_path(const allot__doc *doc, uint32_t number, char *buf, size_t size);

/* From now on the faults inside that object are about that consumer. */
void allot__doc_about(allot__doc *doc, const allot_plan *plan, int32_t consumer, uint32_t object);

#endif
