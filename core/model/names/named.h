/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * named.h: lists of named things, found by name.
 *
 * The first member of such a thing is a `const char *`, its name, which lives as long as the list.
 */
#ifndef ALLOT_MODEL_NAMES_NAMED_H
#define ALLOT_MODEL_NAMES_NAMED_H

#include "base/name.h"
#include "base/pool.h"

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

#endif
