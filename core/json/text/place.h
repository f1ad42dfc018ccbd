/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * place.h: where something stands in a document, in people's terms.
 */
#ifndef ALLOT_JSON_TEXT_PLACE_H
#define ALLOT_JSON_TEXT_PLACE_H

#include "json/text/doc.h"

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

#endif
