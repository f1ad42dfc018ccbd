/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lexer.h: the words of a script's text, one after another; comments are blanks. */
#ifndef ALLOT_SCRIPT_SANDBOX_LEXER_H
#define ALLOT_SCRIPT_SANDBOX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct allot__lexeme {
    const char *text; /* in the script's; NULL: the end */
    size_t len;
    int32_t line;
} allot__lexeme;

typedef struct allot__lexer {
    const char *at, *end;
    int32_t line; /* of `at` */
} allot__lexer;

/* Begins with a line, from 1, of a text. */
allot__lexer allot__lexer_at(const char *text, size_t len, int32_t line);
allot__lexeme allot__lexer_next(allot__lexer *from);

bool allot__lexeme_is(const allot__lexeme *it, const char *text);
/* Is it one of the list, which ends with NULL? */
bool allot__lexeme_in(const allot__lexeme *it, const char *const *list);
/* By how much what it begins or ends is deeper: 1, 0 or -1. */
int allot__lexeme_depth(const allot__lexeme *it, const char *const *opening,
                        const char *const *closing);

/* The line and column, from 1, of a key of the table that word `name` takes on that line: `name { a
 * = { b = ...` has path "a", "b"; as much of it as is there. False: not even that. */
bool allot__lexer_key(const char *text, size_t len, int32_t line, const char *name,
                      const char *const *path, int32_t *out_line, int32_t *out_col);

#endif
