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
    cJSON *node;
    char *copy; /* of a text that is a list */
    size_t room, copied;
} allot__texts;

/* Reads a value of kind LIST or STRING; of any other kind, and where it is not there, the list is
 * empty. What is no name (1 ... 255 bytes without control characters) is said. To be ended by
 * allot__texts_free in any case. */
void allot__texts_read(allot__doc *doc, const allot__value *value, allot__texts *out);
void allot__texts_free(allot__doc *doc, allot__texts *texts);

/* Says that a list is empty which should name something, if so. */
void allot__texts_some(allot__doc *doc, const allot__value *value, const allot__texts *texts);

/* A block of `count` zeroed entries from the engine, at least one; NULL: out of memory,
 * which is kept. */
void *allot__block_new(allot__doc *doc, size_t count, size_t size);
void allot__block_free(allot__doc *doc, void *block, size_t count, size_t size);

/* Has it 1 ... 255 bytes without control characters? */
bool allot__is_label(const char *text);
/* Is it that word, in letters of either case? */
bool allot__word_is(const char *text, const char *word);

#endif
