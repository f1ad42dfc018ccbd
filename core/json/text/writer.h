/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * writer.h: JSON text into a sink, through a buffer, without a tree of it in memory.
 *
 * Commas come by themselves: in front of every item but a list's or object's first. The first
 * error ends the writing; `status` keeps it.
 */
#ifndef ALLOT_JSON_TEXT_WRITER_H
#define ALLOT_JSON_TEXT_WRITER_H

#include <stdbool.h>

#include <allot/json.h>

typedef struct allot__writer {
    allot_sink sink;
    void *ud;
    char *buf; /* the caller's, at least ALLOT__WRITER_MIN bytes */
    size_t size, len;
    int status;
    bool inside; /* something precedes in this list or object */
} allot__writer;

#define ALLOT__WRITER_MIN 256
/* Keys are at most so long: names and labels. */
#define ALLOT__KEY_MAX ALLOT_NAME_MAX

/* Hands the rest to the sink; what the writing came to. */
int allot__write_end(allot__writer *writer);

/* Was it got, what is to be written? Else `status` ends the writing. */
bool allot__write_got(allot__writer *writer, int status);

/* Text as it is, without a comma. */
void allot__write_raw(allot__writer *writer, const char *text, size_t len);

/* Each with its key, or NULL for an item of a list. Keys are written as they are. */
void allot__write_open(allot__writer *writer, const char *key, char bracket);
void allot__write_close(allot__writer *writer, char bracket);
void allot__write_integer(allot__writer *writer, const char *key, int64_t number);
void allot__write_boolean(allot__writer *writer, const char *key, bool value);
/* NULL is null; bytes that are not UTF-8 become U+FFFD. */
void allot__write_string(allot__writer *writer, const char *key, const char *text);
/* The consumer's path. */
void allot__write_path(allot__writer *writer, const char *key, const allot_plan *plan,
                       int32_t consumer);
/* An object or list whose key is a consumer's path. */
void allot__write_path_open(allot__writer *writer, const allot_plan *plan, int32_t consumer,
                            char bracket);
/* Thousandths, of at least 0, as a number: 1500 is 1.500, 2000 is 2. */
void allot__write_thousandths(allot__writer *writer, const char *key, int64_t number);
/* The same with a key that is anybody's text. */
void allot__write_named_open(allot__writer *writer, const char *name, char bracket);
void allot__write_named_integer(allot__writer *writer, const char *name, int64_t number);
/* A line break for people, where one may stand. */
void allot__write_line(allot__writer *writer);

#endif
