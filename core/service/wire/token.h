/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* token.h: the token that authenticates clients on TCP. */
#ifndef ALLOT_SERVICE_WIRE_TOKEN_H
#define ALLOT_SERVICE_WIRE_TOKEN_H

#include <stdbool.h>

#include <allot/service.h>

#define ALLOT__TOKEN_LEAST 16
#define ALLOT__TOKEN_MOST  1024

/* The token file's last state, and counts of wrong tokens. */
typedef struct allot__token {
    int64_t stamp[6];    /* of the file, when last read */
    int64_t wrong, told; /* wrong tokens; of these, how many are logged */
    uint64_t told_at;    /* ms of the loop */
} allot__token;

/* Whether a word is the token in the file now; constant time in the token's bytes. A wrong word is
 * counted and logged with its origin, at most once in ten seconds. */
bool allot__token_fits(allot_service *service, const char *word, size_t len, const char *address);
/* The number of wrong ones. */
int64_t allot__token_wrong(const allot_service *service);
/* Whether two texts are equal, in time that depends only on b's length. */
bool allot__token_same(const char *a, size_t a_len, const char *b, size_t b_len);

#endif
