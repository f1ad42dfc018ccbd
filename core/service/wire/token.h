/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* token.h: the word that lets clients in from elsewhere. */
#ifndef ALLOT_SERVICE_WIRE_TOKEN_H
#define ALLOT_SERVICE_WIRE_TOKEN_H

#include <stdbool.h>

#include <allot/service.h>

#define ALLOT__TOKEN_LEAST 16
#define ALLOT__TOKEN_MOST  1024

/* What is known of the token's file, and of words that were no token. */
typedef struct allot__token {
    int64_t stamp[6];    /* of the file, as it was read last */
    int64_t wrong, told; /* words that were wrong; of them those that the log knows of */
    uint64_t told_at;    /* ms of the loop */
} allot__token;

/* Whether it is the token, as its file says now; constant time in the token's bytes. What is not is
 * counted, and told in the log, with where it came from: once in ten seconds at most. */
bool allot__token_fits(allot_service *service, const char *word, size_t len, const char *address);
/* How many were. */
int64_t allot__token_wrong(const allot_service *service);
/* Whether two texts are the same, in a time that depends on b's length alone. */
bool allot__token_same(const char *a, size_t a_len, const char *b, size_t b_len);

#endif
