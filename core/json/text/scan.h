/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * scan.h: the strict reading of a text as JSON (RFC 8259).
 *
 * cJSON takes much that is not JSON and keeps no positions. The scan accepts only JSON, records the
 * offset of each value, and has cJSON undo the escapes of strings. It does not recurse and needs no
 * stack of its own.
 *
 * Stricter than the RFC: no \u0000 and no lone surrogates (names are C strings in UTF-8), numbers
 * below 1e308 of at most 63 characters, at most ALLOT__DEPTH_MAX levels, less than 4 GiB, no byte
 * order mark.
 */
#ifndef ALLOT_JSON_TEXT_SCAN_H
#define ALLOT_JSON_TEXT_SCAN_H

#include <stdbool.h>

#include <allot/report.h>

/* The most levels of lists and objects; cJSON's own limit. */
#define ALLOT__DEPTH_MAX 1000
/* The most bytes of a number; cJSON's own limit, too. */
#define ALLOT__NUMBER_MAX 63

/*
 * The place of a value. Values number 0, 1, ... in the order of the text; the end of a list or
 * object has a number, too, so that a reader can skip it.
 */
typedef struct allot__mark {
    uint32_t at;   /* its first byte; of an end: the closing bracket */
    uint32_t link; /* of a list or object: its end's number; of an end: its begin's;
                      else the offset behind the value */
} allot__mark;

/* The flaw at which the scan stopped. */
typedef struct allot__flaw {
    const char *code;
    size_t at, width; /* bytes */
    size_t opened;    /* the bracket that is not closed; SIZE_MAX: not about one */
    const char *hint; /* static, may be NULL */
    char message[200];
} allot__flaw;

typedef struct allot__scan {
    allot_engine *engine;
    char *text; /* `len` bytes and a NUL; changed: see allot__scan_run */
    size_t len;
    bool relaxed; /* comments and trailing commas are allowed */
    allot__mark *marks;
    size_t count, capacity;
    allot__flaw flaw;
} allot__scan;

/*
 * Scans `text`. Comments and trailing commas are overwritten by blanks, line ends stay; keys and
 * strings lose their escapes and end with a NUL at or before their closing quote: every offset
 * holds. EINVALID: `flaw` has the reason; ENOMEM. In any case the caller frees the marks, by
 * allot__scan_free.
 */
int allot__scan_run(allot__scan *scan);
void allot__scan_free(allot__scan *scan);

/* ---- What stands at one place of the text (token.c) ------------------------------------------ */

/* Notes the flaw at `at`, `width` bytes wide, and returns EINVALID. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
int allot__scan_flaw(allot__scan *scan, const char *code, size_t at, size_t width,
                     const char *format, ...);

/* "found X, expected `expected`", where X is the word, character or end at `at`. */
int allot__scan_unexpected(allot__scan *scan, size_t at, const char *expected);

/* Each moves *at past the token in its name. EINVALID: malformed; ENOMEM: of a string. */
int allot__scan_blank(allot__scan *scan, size_t *at); /* also comments, overwriting them */
int allot__scan_string(allot__scan *scan, size_t *at);
int allot__scan_number(allot__scan *scan, size_t *at);
int allot__scan_word(allot__scan *scan, size_t *at); /* true, false, null */

#endif
