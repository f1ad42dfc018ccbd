/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * rpc.c: any lines as what clients say. A line "!" stops the service and starts it again on its
 * store; "+N" lets N seconds pass. Every line that is a request is answered; what was accepted does
 * not keep the next cycle from working; the service starts again from what it wrote; and its record
 * comes out as it was, computed again.
 */
#include "test/fuzz/fuzz.h"
#include "test/support/service_fixture.h"

enum { LINES_MOST = 60 };

static void local(allot_service_config *config)
{
    config->watch = 0;
    config->snapshot = 7;
}

static void answered(void *ud, const char *line, size_t len)
{
    (void)ud;
    MUST(len > 0 && (line[0] == '{' || line[0] == '['));
}

static void decides(world *it)
{
    const char *answer = call(it, REQUEST("cycle", "{}"));
    MUST(strstr(answer, "\"result\"") != NULL);
}

static void again(world *it)
{
    stop(it);
    MUST(start_as(it, it->store, local) == ALLOT_OK);
}

static void say(world *it, const char *line, size_t len)
{
    if (len == 1 && line[0] == '!') {
        it->decisions = (int)allot_service_decisions(it->service);
        again(it);
    } else if (len > 1 && len < 12 && line[0] == '+') {
        it->now += strtol(line + 1, NULL, 10) & 0xfffff;
    } else {
        MUST(allot_service_call(it->service, line, len, answered, it) == ALLOT_OK);
        decides(it); /* which is answered last */
    }
}

static int replayed(void *ud, const allot_replayed *cycle)
{
    (void)ud;
    MUST(!cycle->differs);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1); /* strtol stops at the NUL */
    MUST(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    world it;
    open_world(&it);
    MUST(start_as(&it, it.store, local) == ALLOT_OK);
    const char *at = text, *end = text + size;
    for (int lines = 0; at < end && lines < LINES_MOST; lines++) {
        const char *to = memchr(at, '\n', (size_t)(end - at));
        to = to ? to : end;
        say(&it, at, (size_t)(to - at));
        at = to + 1;
    }
    again(&it);
    decides(&it);
    stop(&it);
    int status = fuzz_replay(it.store, it.plan, replayed);
    MUST(status == ALLOT_OK || status == ALLOT_ENOENT);
    close_world(&it);
    free(text);
    MUST(check__.failed_checks == 0);
    return 0;
}
