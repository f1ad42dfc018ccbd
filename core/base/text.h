/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* text.h: text that grows in memory or goes on to a sink, and JSON written into it. */
#ifndef ALLOT_BASE_TEXT_H
#define ALLOT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <allot/report.h>

/*
 * Zero it, but for the engine, to begin. A NUL stands behind `bytes` once something was added.
 *
 * With a sink it goes there in pieces, and `bytes` has what is left: the last byte at least, by
 * which members know whether a comma is due. Without an engine `bytes` are the caller's, at least
 * 64, and what is added at once is no number or path of more.
 */
typedef struct allot__text {
    allot_engine *engine;
    char *bytes;
    size_t len, capacity;
    bool failed; /* what follows is dropped, and the caller looks here once */
    int status;  /* then: why; 0: out of memory */
    int (*sink)(void *ud, const char *bytes, size_t len); /* nonzero: EIO */
    void *ud;
} allot__text;

/* Where `len` more bytes and a NUL fit, for the caller to fill and to count; NULL, and `failed`. */
char *allot__text_room(allot__text *text, size_t len);
void allot__text_add(allot__text *text, const char *bytes, size_t len);
void allot__text_puts(allot__text *text, const char *string);
void allot__text_int(allot__text *text, int64_t number);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void allot__text_printf(allot__text *text, const char *format, ...);
void allot__text_spaces(allot__text *text, int count);
/* Takes blanks off the end. */
void allot__text_trim(allot__text *text);
/* For people: control characters, which could steer a terminal, become "?". */
void allot__text_puts_safe(allot__text *text, const char *string, size_t len);
/* Hands the rest to the sink; what the writing came to. */
int allot__text_end(allot__text *text);
/* Was it got, what is to be written? Else the writing ends with that status. */
bool allot__text_got(allot__text *text, int status);
/* As an allot_sink. */
int allot__text_sink(void *text, const char *bytes, size_t len);
/* Empties it and keeps the memory, unless that is more than `most` bytes. */
void allot__text_clear(allot__text *text, size_t most);
void allot__text_free(allot__text *text);

/* ---- JSON ------------------------------------------------------------------------------------ */

/* The bytes of the UTF-8 character at `text`, of which `len` are there; 0: not UTF-8. */
size_t allot__utf8(const char *text, size_t len);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. NULL gives null. */
void allot__text_json(allot__text *text, const char *string);
void allot__text_json_len(allot__text *text, const char *string, size_t len);
/* Members of an object or items of a list: a comma unless the byte before opens one or is a line's
 * end; then the key (NULL: none), which needs no escapes; then, of the longer ones, the value. */
void allot__text_key(allot__text *text, const char *key);
/* The same with a key that is anybody's text. */
void allot__text_named(allot__text *text, const char *name);
void allot__text_named_number(allot__text *text, const char *name, int64_t number);
/* A line break for people in front of a member or an item, with the comma that is due. */
void allot__text_line(allot__text *text);
/* Opens a value that is an object or a list, with "{" or "[". */
void allot__text_open(allot__text *text, const char *key, const char *bracket);
void allot__text_member(allot__text *text, const char *key, const char *string); /* NULL: none */
void allot__text_string(allot__text *text, const char *key, const char *string); /* NULL: null */
void allot__text_number(allot__text *text, const char *key, int64_t number);
void allot__text_bool(allot__text *text, const char *key, bool value);

#endif
