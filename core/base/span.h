/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * span.h: finds members, items and values in a JSON text without decoding them.
 *
 * What is found is right if the text is valid JSON; of other text nothing is read behind the end.
 * Nothing is copied: any thread may.
 */
#ifndef ALLOT_BASE_SPAN_H
#define ALLOT_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct allot__span {
    const char *at; /* NULL: there is none */
    size_t len;
} allot__span;

/* The end of the blanks at `at`. */
const char *allot__span_blank(const char *at, const char *end);

/* The next member of an object, or item of a list: `*at` begins at the bracket, and is advanced. A
 * name is the text between its quotes. false: none is left. */
bool allot__span_member(const char **at, const char *end, allot__span *name, allot__span *value);
bool allot__span_item(const char **at, const char *end, allot__span *value);

/* Whether a name, or the text between quotes, is that word, which needs no escapes. */
bool allot__span_is(const allot__span *span, const char *word);

#endif
