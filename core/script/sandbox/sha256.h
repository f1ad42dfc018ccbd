/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sha256.h: the digest that identifies policies' texts (FIPS 180-4). */
#ifndef ALLOT_SCRIPT_SANDBOX_SHA256_H
#define ALLOT_SCRIPT_SANDBOX_SHA256_H

#include <stddef.h>

/* Writes the digest as 64 hex digits and a NUL. */
void allot__sha256(const char *text, size_t len, char hex[65]);

#endif
