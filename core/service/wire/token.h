/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * token.h: what whoever says a token may do.
 *
 * A list of tokens is a text, one a line: a token alone may do everything; `read`, `tell` or
 * `change` and a blank before it give it a role, `read:LABEL ` also a label of at most 32 bytes, by
 * which logs call it. Empty lines and those that begin with # are left out. The file is read at
 * each attempt to authenticate, so a new token counts at once, without a signal. Whoever guesses is
 * slowed down: an address may say 50 wrong tokens, and one more a second.
 */
#ifndef ALLOT_SERVICE_WIRE_TOKEN_H
#define ALLOT_SERVICE_WIRE_TOKEN_H

#include <stdbool.h>

#include <allot/service.h>

#include "service/instance/who.h"

/* Each may do what those before it may. */
typedef enum allot__role {
    ALLOT__NOBODY,
    ALLOT__READS,  /* questions, subscriptions */
    ALLOT__TELLS,  /* events, `sync`, `cycle` */
    ALLOT__CHANGES /* plans, policies, shadows */
} allot__role;

#define ALLOT__TOKEN_LEAST 16
#define ALLOT__TOKEN_MOST  1024

/* Wrong tokens of an address. */
typedef struct allot__guesses {
    uint64_t address; /* a hash; another address in its place forgets it */
    uint64_t at;      /* ms of the loop */
    int64_t wrong;
} allot__guesses;
enum { ALLOT__GUESSERS = 64, ALLOT__GUESSES = 50 };

/* The token file's last state, and counts of wrong tokens. */
typedef struct allot__token {
    bool lost;           /* the file has no valid list, which is logged */
    int64_t wrong, told; /* wrong tokens; of these, how many are logged */
    uint64_t told_at;    /* ms of the loop */
    allot__guesses guesses[ALLOT__GUESSERS];
} allot__token;

/* The role of a word, by the file as it is now; in time that depends only on the list. NOBODY: the
 * word is wrong, which is counted, and logged with its origin at most once in ten seconds; or
 * *late: its address has said too many, and the word was not looked at. */
allot__role allot__token_role(allot_service *service, const char *word, size_t len,
                              const char *address, char label[ALLOT__WHO_LABEL + 1], bool *late);
/* The wrong tokens that count of an address at `now`. */
allot__guesses *allot__guesses_of(allot__token *token, const char *address, uint64_t now);
/* The number of wrong ones. */
int64_t allot__token_wrong(const allot_service *service);
/* Whether two texts are equal, in time that depends only on b's length. */
bool allot__token_same(const char *a, size_t a_len, const char *b, size_t b_len);
/* The line of a list whose token is too short or too long, and its length; 0: there is none; 1 and
 * length 0: the list has no token. */
int32_t allot__tokens_wrong(const char *list, size_t *len);
/* The role of a word in a list, and the label of its line. */
allot__role allot__tokens_find(const char *list, const char *word, size_t len,
                               char label[ALLOT__WHO_LABEL + 1]);
/* "read events and decisions", what a role may do beyond the one before. Static. */
const char *allot__role_text(allot__role role);
/* "read". Static. */
const char *allot__role_word(allot__role role);

#endif
