/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* simulate_fixture.h: random plans and logs, and playing them. */
#ifndef ALLOT_TEST_SUPPORT_SIMULATE_FIXTURE_H
#define ALLOT_TEST_SUPPORT_SIMULATE_FIXTURE_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <allot/json.h>
#include <allot/script.h>
#include <allot/simulate.h>

#include "test/support/check.h"

/* A text as the source of a log, in pieces of `piece` bytes; 0: all at once. */
typedef struct pieces {
    const char *text;
    size_t len, at, piece;
    int fails; /* nonzero: at its end it cannot be read */
} pieces;

static inline int64_t pieces_pull(void *ud, char *buf, size_t size)
{
    pieces *it = ud;
    size_t left = it->len - it->at, len = left < size ? left : size;
    len = it->piece > 0 && it->piece < len ? it->piece : len;
    if (len == 0 && it->fails)
        return -1;
    memcpy(buf, it->text + it->at, len);
    it->at += len;
    return (int64_t)len;
}

static inline int read_log(allot_engine *engine, const char *text, allot_report *report,
                           allot_trace **out)
{
    pieces it = {.text = text, .len = strlen(text)};
    return allot_trace_read(engine, pieces_pull, &it, "log", report, out);
}

/* A text that grows. */
typedef struct words {
    char text[65536];
    size_t len;
} words;

static inline void put(words *it, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    it->len += (size_t)vsnprintf(it->text + it->len, sizeof it->text - it->len, format, args);
    va_end(args);
}

static inline uint32_t draw(uint64_t *seed, uint32_t range)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % range;
}

#endif
