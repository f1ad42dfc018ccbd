/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * token.h: what the scan finds at one place of the text: blanks, strings, numbers, words.
 */
#ifndef ALLOT_JSON_TEXT_TOKEN_H
#define ALLOT_JSON_TEXT_TOKEN_H

#include "json/text/scan.h"

/* Writes down the flaw at `at`, `width` bytes wide, and returns EINVALID. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
int allot__scan_flaw(allot__scan *scan, const char *code, size_t at, size_t width,
                     const char *format, ...);

/* "found X, expected `expected`", X being what stands at `at`: a word, a character, the end. */
int allot__scan_unexpected(allot__scan *scan, size_t at, const char *expected);

/* Each moves *at past what it is named for. EINVALID: it is malformed. */
int allot__scan_blank(allot__scan *scan, size_t *at); /* also comments, overwriting them */
int allot__scan_string(allot__scan *scan, size_t *at);
int allot__scan_number(allot__scan *scan, size_t *at);
int allot__scan_word(allot__scan *scan, size_t *at); /* true, false, null */

#endif
