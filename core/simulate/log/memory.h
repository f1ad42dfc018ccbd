/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* memory.h: texts, each once. */
#ifndef ALLOT_SIMULATE_LOG_MEMORY_H
#define ALLOT_SIMULATE_LOG_MEMORY_H

#include "base/name.h"

/* Texts, each once: numbers 0, 1, ... in the order of coming. */
typedef struct allot__strings {
    allot__vector bytes;  /* with a NUL behind each */
    allot__vector starts; /* of size_t, by number */
    allot__index index;
} allot__strings;

/* The number of a text, which is added if it is new; -1 when out of memory. */
int32_t allot__strings_put(allot_engine *engine, allot__strings *names, const char *text,
                           size_t len);
/* ... and if it is there; else -1. */
int32_t allot__strings_find(const allot__strings *names, const char *text, size_t len);
/* Borrowed until the next is added; NULL of -1. */
const char *allot__strings_text(const allot__strings *names, int32_t number);
void allot__strings_free(allot_engine *engine, allot__strings *names);

#endif
