/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * doc.h: a document that is being read: its values, their places, and its faults.
 *
 * A document passes the scan first. Then its objects are handed to cJSON one at a time, with the
 * lists and objects inside them emptied: cJSON undoes escapes and finds keys, and what it builds
 * is as big as the objects on the way from the root to the one being read, never the document.
 * Every node carries its value's number in `valueint`. Numbers are read from the text, so that
 * 64-bit integers survive.
 *
 * Memory: cJSON takes its own from malloc (its hooks are process-wide, so they are left alone);
 * everything else comes from the engine. Threads: cJSON notes the place of its last error in a
 * global that nothing here reads.
 */
#ifndef ALLOT_JSON_TEXT_DOC_H
#define ALLOT_JSON_TEXT_DOC_H

#include <cjson/cJSON.h>

#include <allot/plan.h>

#include "json/text/scan.h"

typedef struct allot__doc {
    allot_engine *engine;
    allot_report *report;
    const char *file;
    const char *given; /* the caller's text, with its comments */
    allot__scan scan;  /* the blanked copy and where its values stand */
    int64_t faults;    /* errors found so far */
    int status;        /* the first that failed, as ENOMEM: see allot__doc_keep */
    char *scratch;
    size_t scratch_size;
    size_t line_at; /* the last line that was looked up: its first byte and number */
    int32_t line;
    int32_t lines_before;   /* of something longer that the text is a part of */
    const allot_plan *plan; /* whose consumer `about` is; NULL: nobody's */
    int32_t consumer;
    uint32_t about; /* the consumer's object: paths inside it begin with the consumer's */
} allot__doc;

/* Copies and scans the text; `relaxed`: comments and trailing commas are fine. EINVALID (the
 * report says why), ENOMEM. To be closed in any case. */
int allot__doc_open(allot__doc *doc, allot_engine *engine, const char *text, size_t len,
                    const char *file, bool relaxed, allot_report *report);
/* The same of a text that so many lines of something longer precede. */
int allot__doc_open_part(allot__doc *doc, allot_engine *engine, const char *text, size_t len,
                         const char *file, int32_t lines_before, bool relaxed,
                         allot_report *report);
void allot__doc_close(allot__doc *doc);

/* What a call came to, and returns it. The first that failed is the document's `status`: a fault,
 * so that nothing is made of what is faulty, behind which nothing is said. */
int allot__doc_keep(allot__doc *doc, int status);

/* ---- Values: by number ----------------------------------------------------------------------- */

/* Its first byte in the blanked text: '{', '[', '"', a digit ... */
char allot__doc_first(const allot__doc *doc, uint32_t number);
/* Is it a list or object? */
bool allot__doc_nests(const allot__doc *doc, uint32_t number);
/* The offset behind a value. */
size_t allot__doc_behind(const allot__doc *doc, uint32_t number);
/* The number behind a value and all inside it: its next sibling's, or its list's end. */
uint32_t allot__doc_next(const allot__doc *doc, uint32_t number);
/* Its text as written, `*len` bytes; of a list or object with all inside it. */
const char *allot__doc_text(const allot__doc *doc, uint32_t number, size_t *len);
/* The end mark of a list or object: its items are number + 1, next of that, ... up to the end. */
uint32_t allot__doc_end(const allot__doc *doc, uint32_t number);
/* How many items a list has, or members an object: fewer than 2^31, as the scan counts values. */
int32_t allot__doc_items(const allot__doc *doc, uint32_t number);

/* The value of an object's member with that key, which it writes without escapes; 0: none. */
uint32_t allot__doc_member(const allot__doc *doc, uint32_t object, const char *key);

/* An object or list with its members, lists and objects in it empty, or a string or number. Members
 * that repeat a key are said to be faults and have valueint 0. End it with cJSON_Delete. ENOMEM,
 * which is kept. */
int allot__doc_parse(allot__doc *doc, uint32_t number, cJSON **out);

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
/* A scalar or key as the text has it, cut to ALLOT__QUOTE_MAX bytes, as a string in buf. */
#define ALLOT__QUOTE_MAX 80
const char *allot__doc_quote(const allot__doc *doc, allot__spot spot,
                             char buf[ALLOT__QUOTE_MAX + 4]);
/* The flaw that ended the scan. */
void allot__doc_flaw(allot__doc *doc);
/* "did you mean "limit"?" for a key or name, or NULL; written to buf. */
const char *allot__did_you_mean(const char *nearest, char *buf, size_t size);

/* From now on the faults inside that object are about that consumer. */
void allot__doc_about(allot__doc *doc, const allot_plan *plan, int32_t consumer, uint32_t object);

#endif
