/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * oom.h: an allocator that counts, runs out of memory on demand, and notices misuse.
 *
 * It is an allot_alloc; its ud is a struct oom. Blocks move whenever they are resized, so that a
 * stale pointer is found by the sanitizers.
 */
#ifndef ALLOT_TEST_SUPPORT_OOM_H
#define ALLOT_TEST_SUPPORT_OOM_H

#include <stdbool.h>
#include <stddef.h>

#include <allot/report.h>

typedef struct oom {
    size_t blocks, bytes; /* alive now */
    size_t peak;          /* most bytes alive at once; a block being resized counts twice */
    long calls;           /* for memory, so far */
    long fail_at;         /* the call that fails, from 1; 0: none */
    bool fail_on;         /* and all calls after it */
    bool failed;          /* one did */
    bool misused;         /* a block came back with another size, or nothing was freed */
} oom;

void *oom_alloc(void *ud, void *ptr, size_t old_size, size_t new_size);

/* Is everything given back, in its size? Prints what is not. */
bool oom_clean(const oom *memory);

/*
 * Runs `scenario` with the first, the second, ... allocation failing, once only that one and once
 * all from it on, until none is left to fail. The scenario returns a status and ends with nothing
 * allocated but the engine. False when a run leaked, misused memory, or returned another status
 * than ALLOT_OK or ALLOT_ENOMEM.
 */
bool oom_each(int (*scenario)(allot_engine *engine));

/* Repeats a call that runs out of memory once: with one failure alone it must succeed, and have
 * had no effect before. */
#define OOM_RETRY(status, call)                                                                    \
    do {                                                                                           \
        (status) = (call);                                                                         \
        if ((status) == ALLOT_ENOMEM)                                                              \
            (status) = (call);                                                                     \
    } while (0)

#endif
