/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* names.h: the names and parents of consumers, and their index. */
#ifndef ALLOT_MODEL_NAMES_NAMES_H
#define ALLOT_MODEL_NAMES_NAMES_H

#include "base/name.h"

typedef struct allot__entry {
    int32_t parent;
    uint32_t text; /* where the name begins; the next entry's follows it */
} allot__entry;

typedef struct allot__names {
    allot__entry *entries; /* by handle */
    int32_t count;
    size_t capacity;
    char *text; /* names, each ended by a NUL */
    size_t used, room;
    allot__index index; /* by parent and name */
} allot__names;

/* Adds a child of `parent`, which has no child of that name; ENOMEM. */
int allot__names_add(allot_engine *engine, allot__names *names, int32_t parent, const char *name,
                     size_t len);
/* The child of that name, or ALLOT_ROOT. */
int32_t allot__names_find(const allot__names *names, int32_t parent, const char *name, size_t len);
const char *allot__names_at(const allot__names *names, int32_t consumer, size_t *len);
/* Frees unused capacity. */
void allot__names_trim(allot_engine *engine, allot__names *names);
void allot__names_free(allot_engine *engine, allot__names *names);

#endif
