/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* name.h: which names are allowed, and an index over names. */
#ifndef ALLOT_BASE_NAME_H
#define ALLOT_BASE_NAME_H

#include "base/memory.h"

/* [A-Za-z][A-Za-z0-9_-]*, at most ALLOT_NAME_MAX bytes (E-1). */
bool allot__name_valid(const char *name, size_t len);
/* Names given by others (hosts, policies): 1 ... 255 bytes without control characters. */
bool allot__label_valid(const char *name);

uint32_t allot__hash(uint32_t seed, const char *text, size_t len);
/* A well mixed number (splitmix64). */
static inline uint64_t allot__mixed(uint64_t number)
{
    number += 0x9e3779b97f4a7c15u;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

/* Numbers 0, 1, ... found by the hash of their name. The names are the caller's. Zero it to begin.
 */
typedef struct allot__index {
    struct allot__slot *slots;
    uint32_t capacity; /* a power of two */
    uint32_t count;
} allot__index;

/* Reserves a place for one more number; ENOMEM. */
int allot__index_room(allot_engine *engine, allot__index *index);
/* Adds a number, for which a place is reserved. */
void allot__index_add(allot__index *index, uint32_t hash, int32_t number);
/* Removes a number that was added with that hash. */
void allot__index_remove(allot__index *index, uint32_t hash, int32_t number);
/* Replaces each number n in the index by numbers[n]. */
void allot__index_renumber(allot__index *index, const int32_t *numbers);
/* The next number that may be the one sought, or -1. *probe is 0 at first. */
int32_t allot__index_next(const allot__index *index, uint32_t hash, uint32_t *probe);
/* Removes all numbers; the memory stays. */
void allot__index_clear(allot__index *index);
void allot__index_free(allot_engine *engine, allot__index *index);

/* ---- The search for the nearest name, one candidate at a time -----------------------------------
 */

typedef struct allot__near {
    const char *name; /* sought */
    size_t len;
    int32_t best; /* twice the best distance so far, + 1 if upper and lower case differ */
} allot__near;

allot__near allot__near_begin(const char *name, size_t len);
/* Is this candidate near, and nearer than all before it? Then it becomes the best. */
bool allot__near_try(allot__near *near, const char *candidate, size_t len);

#endif
