/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* time.c: the time that functions take in a cycle, by the caller's clock. */
#include <inttypes.h>
#include <stdio.h>

#include "script/sandbox/script.h"

void allot_script_time_begin(allot_script_time *time, int64_t limit)
{
    if (!time || !time->clock)
        return;
    time->limit = limit;
    time->end = limit > 0 ? time->clock(time->ud) + limit : 0;
    time->round++;
    time->file = time->role = NULL;
    time->most = 0;
}

/* A short batch of a function without loops is not worth a look at the clock. */
bool allot__time_counts(const allot__script *script, const allot__call *call, int32_t rows)
{
    enum { SHORT = 64 };
    return script->time && script->time->limit > 0 && (!call->loop_free || rows >= SHORT);
}

void allot__time_note(const allot__script *script, allot__call *call, int64_t took)
{
    allot_script_time *time = script->time;
    call->took = (call->round == time->round ? call->took : 0) + took;
    call->round = time->round;
    if (time->file && call->took <= time->most)
        return;
    time->most = call->took;
    time->file = script->chunk;
    time->role = call->role;
    time->line = call->line;
}

void allot__time_say(const allot_script_time *time, char *buf, size_t size)
{
    int used = snprintf(buf, size, "the functions of a cycle may take %" PRId64 " ms together",
                        time->limit / 1000);
    if (time->file && used > 0 && (size_t)used < size)
        snprintf(buf + used, size - (size_t)used,
                 ", and take longer: most, %" PRId64 " ms, the one of '%s' at %.200s:%" PRId32,
                 time->most / 1000, time->role, time->file, time->line);
}
