/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * texts.h: lists of names: a list of texts, or one text with blanks between the names.
 */
#ifndef ALLOT_JSON_TEXT_TEXTS_H
#define ALLOT_JSON_TEXT_TEXTS_H

#include "json/text/read.h"

typedef struct allot__texts {
    const char **items;
    uint32_t *numbers; /* where each stands */
    int32_t count;
    bool sound; /* false: not all of it could be read, which is said */
} allot__texts;

/* Reads a value of kind LIST or STRING; of any other kind, and where it is not there, the list is
 * empty. What is no name (1 ... 255 bytes without control characters) is said. It lives as by
 * allot__doc_take. */
void allot__texts_read(allot__doc *doc, const allot__value *value, allot__texts *out);

/* Says that a list is empty which should name something, if so. */
void allot__texts_some(allot__doc *doc, const allot__value *value, const allot__texts *texts);

/* Has it 1 ... 255 bytes without control characters? */
bool allot__is_label(const char *text);
/* Is it that word, in letters of either case? */
bool allot__word_is(const char *text, const char *word);

#endif
