/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* text.h: text that grows, and JSON written into it. */
#ifndef ALLOT_SERVICE_BASE_TEXT_H
#define ALLOT_SERVICE_BASE_TEXT_H

#include <stdbool.h>

#include <allot/allot.h>

/* `count` items of `size` bytes, zeroed; NULL on overflow, when out of memory, or for 0 bytes. */
void *allot__sv_new(allot_engine *engine, size_t count, size_t size);
/* Ends such a block; NULL is fine. */
void allot__sv_free(allot_engine *engine, void *block, size_t count, size_t size);
/* A copy of `len` bytes with a NUL behind; ended by allot__sv_drop. */
char *allot__sv_copy(allot_engine *engine, const char *text, size_t len);
void allot__sv_drop(allot_engine *engine, char *string);
/* The block with room for `need` items, grown by doubling; NULL with all as it was. */
void *allot__sv_grow(allot_engine *engine, void *block, size_t *capacity, size_t need, size_t size);

/* Zero it, but for the engine, to begin. A NUL stands behind `bytes` once something was added. */
typedef struct allot__buf {
    allot_engine *engine;
    char *bytes;
    size_t len, capacity;
    bool failed; /* out of memory: what follows is dropped, and the caller looks here once */
} allot__buf;

void allot__buf_add(allot__buf *buf, const char *bytes, size_t len);
void allot__buf_puts(allot__buf *buf, const char *string);
void allot__buf_int(allot__buf *buf, int64_t number);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void allot__buf_printf(allot__buf *buf, const char *format, ...);
/* A JSON string with its quotes; what is no UTF-8 becomes U+FFFD. NULL gives null. */
void allot__buf_json(allot__buf *buf, const char *string);
void allot__buf_json_len(allot__buf *buf, const char *string, size_t len);
/* The path of a consumer with quotes. */
void allot__buf_path(allot__buf *buf, const allot_plan *plan, int32_t consumer);
/* Members of an object or items of a list: a comma unless the byte before opens one; then the key
 * (NULL: none), which needs no escapes; then, of the longer ones, the value. */
void allot__buf_key(allot__buf *buf, const char *key);
/* Opens a value that is an object or a list, with "{" or "[". */
void allot__buf_open(allot__buf *buf, const char *key, const char *bracket);
void allot__buf_member(allot__buf *buf, const char *key, const char *string); /* NULL: no member */
void allot__buf_number(allot__buf *buf, const char *key, int64_t number);
void allot__buf_bool(allot__buf *buf, const char *key, bool value);
/* As an allot_sink. */
int allot__buf_sink(void *buf, const char *bytes, size_t len);
/* Empties it and keeps the memory, unless that is more than `most` bytes. */
void allot__buf_clear(allot__buf *buf, size_t most);
void allot__buf_free(allot__buf *buf);

#endif
