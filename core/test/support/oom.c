/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* oom.c: an allocator that counts, runs out of memory on demand, and notices misuse. */
#include "test/support/oom.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before every block: its size, in what keeps the block aligned for any type. */
typedef union header {
    size_t size;
    max_align_t align;
} header;

static void release(oom *memory, void *ptr, size_t size)
{
    header *block = (header *)ptr - 1;
    memory->misused = memory->misused || block->size != size;
    memory->blocks--;
    memory->bytes -= block->size;
    free(block);
}

static bool must_fail(oom *memory)
{
    memory->calls++;
    bool now = memory->fail_at && (memory->calls == memory->fail_at ||
                                   (memory->fail_on && memory->calls > memory->fail_at));
    memory->failed = memory->failed || now;
    return now;
}

void *oom_alloc(void *ud, void *ptr, size_t old_size, size_t new_size)
{
    oom *memory = ud;
    if (new_size == 0) {
        if (ptr)
            release(memory, ptr, old_size);
        memory->misused = memory->misused || !ptr;
        return NULL;
    }
    memory->misused = memory->misused || (!ptr && old_size);
    if (must_fail(memory))
        return NULL;
    header *block = malloc(sizeof *block + new_size);
    if (!block)
        return NULL;
    block->size = new_size;
    memset(block + 1, 0xa5, new_size); /* nobody may count on zeros */
    memory->blocks++;
    memory->bytes += new_size;
    if (memory->bytes > memory->peak)
        memory->peak = memory->bytes;
    if (ptr) {
        memcpy(block + 1, ptr, old_size < new_size ? old_size : new_size);
        release(memory, ptr, old_size);
    }
    return block + 1;
}

bool oom_clean(const oom *memory)
{
    if (memory->blocks || memory->bytes)
        printf("# leaked %zu blocks, %zu bytes\n", memory->blocks, memory->bytes);
    if (memory->misused)
        printf("# a block came back with another size\n");
    return memory->blocks == 0 && memory->bytes == 0 && !memory->misused;
}

static bool run(int (*scenario)(allot_engine *engine), oom *memory)
{
    allot_engine *engine = NULL;
    int status = allot_engine_new(oom_alloc, memory, &engine);
    if (status == ALLOT_OK) {
        status = scenario(engine);
        allot_engine_free(engine);
    }
    bool clean = oom_clean(memory);
    bool sound = status == ALLOT_OK || (status == ALLOT_ENOMEM && memory->failed);
    if (!clean || !sound)
        printf("# allocation %ld failed%s: %s\n", memory->fail_at,
               memory->fail_on ? " for good" : "", allot_status_name(status));
    return clean && sound;
}

bool oom_each(int (*scenario)(allot_engine *engine))
{
    bool sound = true;
    for (long at = 1;; at++) {
        oom once = {.fail_at = at}, for_good = {.fail_at = at, .fail_on = true};
        sound = run(scenario, &once) && sound;
        sound = run(scenario, &for_good) && sound;
        if (!once.failed && !for_good.failed)
            return sound && at > 2;
    }
}
