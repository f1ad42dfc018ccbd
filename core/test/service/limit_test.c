/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* limit_test.c: a cycle has so much time, and what needs more does not decide for long. */
#include <string.h>

#include "test/support/service_fixture.h"

/* Within its budget whatever is demanded, and long at work where that is 2000. */
static const char loops[] = "return policy { name = \"loops\", quota = { fill \"all\" {\n"
                            "  by = function (demand)\n"
                            "    for i = 1, demand == 2000 and 3000000 or 1 do end\n"
                            "    return demand + 1 end } } }\n";

static int64_t ticks; /* microseconds; each look takes ten milliseconds */

static int64_t look(void *ud)
{
    (void)ud;
    return ticks += 10000;
}

static void timed(allot_service_config *config)
{
    config->timer = look;
    config->debounce = 60000;
    config->watch = 0;
}

static void untimed(allot_service_config *config)
{
    timed(config);
    config->cycle_limit = 0;
}

static void put(const world *it, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", it->folder, name);
    FILE *file = fopen(path, "w");
    if (CHECK(file != NULL)) {
        fputs(text, file);
        fclose(file);
    }
}

/* Waits until an answer has that text in it; twenty seconds end what hangs. */
static bool comes(world *it, const char *request, const char *text)
{
    uint64_t until = uv_hrtime() + 20000000000U;
    while (!strstr(call(it, request), text) && uv_hrtime() < until)
        uv_run(&it->loop, UV_RUN_NOWAIT);
    return strstr(it->answer, text) != NULL;
}

static void begin(world *it, void (*change)(allot_service_config *))
{
    char plan[sizeof world_plan + 16];
    const char *name = strstr(world_plan, "hybrid");
    open_world(it);
    CHECK_EQ(start_as(it, it->store, change), ALLOT_OK);
    put(it, "loops.lua", loops);
    snprintf(plan, sizeof plan, "%.*sloops.lua%s", (int)(name - world_plan), world_plan, name + 6);
    put(it, "p.json", plan);
    call(it, REQUEST("reload", "{}"));
    CHECK(comes(it, REQUEST("status", "{}"), "\"policy\": \"loops\""));
}

static void demand(world *it, int slots)
{
    char text[160];
    snprintf(text, sizeof text, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": %d}"), slots);
    CHECK(strstr(call(it, text), "\"seq\"") != NULL);
}

static void a_cycle_ends_in_time(void)
{
    world it;
    begin(&it, timed);
    demand(&it, 2);
    CHECK(!strstr(call(&it, REQUEST("cycle", "{}")), "\"error\""));
    demand(&it, 2000);
    int64_t before = ticks;
    CHECK(strstr(call(&it, REQUEST("cycle", "{}")), "E-cycle-limit") != NULL);
    CHECK(strstr(it.answer, "the functions of a cycle may take 1000 ms together") != NULL);
    CHECK(strstr(it.answer, "'by' at ") != NULL && strstr(it.answer, "loops.lua:2"));
    CHECK(ticks - before < 1200000);
    CHECK(strstr(call(&it, REQUEST("status", "{}")), "\"failed_cycles\": 1") != NULL);
    /* The policy keeps its time as long as it can: then what was before decides. */
    CHECK(strstr(call(&it, REQUEST("cycle", "{}")), "E-cycle-limit") != NULL);
    CHECK(strstr(call(&it, REQUEST("cycle", "{}")), "E-cycle-limit") != NULL);
    CHECK(comes(&it, REQUEST("status", "{}"), "\"fell_back\": 1"));
    CHECK(strstr(it.answer, "\"policy\": \"hybrid\"") != NULL);
    CHECK(!strstr(call(&it, REQUEST("cycle", "{}")), "\"error\""));
    CHECK(strstr(call(&it, REQUEST("status", "{}")), "\"healthy\": false") != NULL);
    stop(&it);
    close_world(&it);
}

static void no_limit_is_none(void)
{
    world it;
    begin(&it, untimed);
    demand(&it, 2000);
    int64_t before = ticks;
    CHECK(!strstr(call(&it, REQUEST("cycle", "{}")), "\"error\""));
    CHECK_EQ(ticks, before);
    stop(&it);
    close_world(&it);
}

int main(void)
{
    RUN(a_cycle_ends_in_time);
    RUN(no_limit_is_none);
    return check_done();
}
