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

static void enlist(const allot__script *script, allot__call *call)
{
    allot_script_time *time = script->time;
    call->function.file = script->chunk;
    call->function.role = call->role;
    call->function.line = call->line;
    call->function.next = time->functions;
    time->functions = &call->function;
}

/* Reading the clock takes as long as a few rows. */
int64_t allot__time_work(const allot__script *script, allot__call *call, int32_t rows)
{
    enum { EVERY = 16, LARGE = 1024 };
    allot_script_function *it = &call->function;
    if (!script->time || !script->time->work)
        return -1;
    if (it->batches == 0)
        enlist(script, call);
    it->rows += rows;
    it->waiting += rows;
    return it->batches++ % EVERY == 0 || rows >= LARGE ? script->time->work() : -1;
}

void allot__time_worked(const allot__script *script, allot__call *call, int32_t rows, int64_t began)
{
    allot_script_function *it = &call->function;
    if (began < 0 || rows < 1)
        return;
    int64_t took = script->time->work() - began;
    it->taken += took * it->waiting / rows;
    it->waiting = 0;
}

void allot__time_leave(allot__script *script)
{
    for (int32_t i = 0; script->time && i < script->call_count; i++) {
        const allot_script_function **at = &script->time->functions,
                                    *it = &script->calls[i].function;
        while (*at && *at != it)
            at = (const allot_script_function **)&(*at)->next;
        if (*at)
            *at = it->next;
    }
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
