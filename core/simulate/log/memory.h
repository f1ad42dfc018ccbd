/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* memory.h: lists that grow, over the engine's public hook. */
#ifndef ALLOT_SIMULATE_LOG_MEMORY_H
#define ALLOT_SIMULATE_LOG_MEMORY_H

#include <stdbool.h>

#include <allot/report.h>

typedef struct allot__list {
    void *items;
    size_t count, room; /* items */
    size_t size;        /* of an item: set by the first that comes */
} allot__list;

/* Zeroed; NULL when out of memory or for nothing. And the end of it: NULL is fine. */
void *allot__take(allot_engine *engine, size_t count, size_t size);
void allot__give(allot_engine *engine, void *block, size_t count, size_t size);

/* Room for `more` items behind those that there are. ENOMEM, all as it was. */
int allot__list_room(allot_engine *engine, allot__list *list, size_t more, size_t size);
/* A new, zeroed item at the end; NULL when out of memory. */
void *allot__list_add(allot_engine *engine, allot__list *list, size_t size);
void allot__list_free(allot_engine *engine, allot__list *list);
/* Gives back what is not used; may fail, and then nothing changes. */
void allot__list_trim(allot_engine *engine, allot__list *list);

/* Texts, each once: numbers 0, 1, ... in the order of coming. */
typedef struct allot__book {
    allot__list bytes;  /* with a NUL behind each */
    allot__list starts; /* of size_t, by number */
    allot__list slots;  /* of int32_t: number + 1 by hash */
} allot__book;

/* The number of a text, which is added if it is new; -1 when out of memory. */
int32_t allot__book_put(allot_engine *engine, allot__book *names, const char *text, size_t len);
/* ... and if it is there; else -1. */
int32_t allot__book_find(const allot__book *names, const char *text, size_t len);
/* Borrowed until the next is added; NULL of -1. */
const char *allot__book_text(const allot__book *names, int32_t number);
void allot__book_free(allot_engine *engine, allot__book *names);

#endif
