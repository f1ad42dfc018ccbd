/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* names.h: the names and parents of consumers, and their index; lists of named things; options. */
#ifndef ALLOT_MODEL_NAMES_NAMES_H
#define ALLOT_MODEL_NAMES_NAMES_H

#include "base/name.h"
#include "base/memory.h"

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

/*
 * Lists of named things, found by name. The first member of such a thing is a `const char *`, its
 * name, which lives as long as the list.
 */

static inline const char *allot__named_at(const allot__vector *list, int32_t number)
{
    return *(const char *const *)((const char *)list->items + (size_t)number * list->size);
}
/* The number of the thing of that name, or -1. */
int32_t allot__named_find(const allot__vector *list, const allot__index *index, const char *name);
/* Adds a thing of `size` bytes, zeroed except for its name, which is copied and must not be taken.
 * NULL: out of memory. */
void *allot__named_add(allot_engine *engine, allot__pool *pool, allot__vector *list,
                       allot__index *index, const char *name, size_t size);
/* The number of a string in a list of strings, added if new; -2: out of memory. */
int32_t allot__named_number(allot_engine *engine, allot__pool *pool, allot__vector *list,
                            allot__index *index, const char *name);

/* Copies `n` strings; *out is NULL if n is 0. ENOMEM. */
int allot__texts_copy(allot_engine *engine, allot__pool *pool, const char *const *texts, int32_t n,
                      const char *const **out);
/* Copies a string that may be NULL. ENOMEM. */
int allot__text_copy(allot_engine *engine, allot__pool *pool, const char *text, const char **out);
/* Are these `n` labels (allot__label_valid)? EUSAGE: it is not a list of n strings; ENAME. */
int allot__texts_check(const char *const *texts, int32_t n);

/* ---- Options --------------------------------------------------------------------------------- */

/* Checks that the option exists and the value is allowed. EUSAGE, ERANGE. */
int allot__option_check(int option, int64_t value);
/* The value of an option that is not stated. */
int64_t allot__option_fallback(int option);

#endif
