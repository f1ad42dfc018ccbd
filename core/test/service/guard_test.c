/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* guard_test.c: changes that wait, are confirmed, dropped and rolled back, also without memory. */
#include "service/reload/reload.h"

#include "test/support/service_fail.h"

#define PLAN(a, b)                                                                                 \
    "{\\\"version\\\": 1, \\\"slots\\\": 30, \\\"policy\\\": \\\"hybrid\\\", \\\"consumers\\\": [" \
    "{\\\"name\\\": \\\"a\\\", \\\"owned\\\": " a "}, "                                            \
    "{\\\"name\\\": \\\"b\\\", \\\"owned\\\": " b "}]}"
#define HAND_IN(a, b) REQUEST("plan", "{\"text\": \"" PLAN(a, b) "\"}")
#define TRY(a, b)     REQUEST("plan", "{\"dry_run\": true, \"text\": \"" PLAN(a, b) "\"}")

static void the_bound_itself_is_allowed(void)
{
    CHECK(!allot__guard_exceeds(5, 0));
    CHECK(!allot__guard_exceeds(5, 5));
    CHECK(allot__guard_exceeds(5, 6));
    CHECK(!allot__guard_exceeds(0, 0));
    CHECK(allot__guard_exceeds(0, 1));
    CHECK(allot__guard_exceeds(INT64_MAX, -1)); /* not known */
    CHECK(!allot__guard_exceeds(-1, INT64_MAX));
    CHECK(!allot__guard_exceeds(-1, -1));
}

static void guarded(allot_service_config *config)
{
    config->watch = 0;
    config->most_change = 5;
}

/* Both have what they own, 15 slots each, and want all. */
static void fill(world *it)
{
    static const char *const lines[] = {HAND_IN("15", "15"),
                                        REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 15}"),
                                        REQUEST("demand", "{\"consumer\": \"/b\", \"slots\": 15}"),
                                        REQUEST("cycle", "{}"),
                                        REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 30}"),
                                        REQUEST("demand", "{\"consumer\": \"/b\", \"slots\": 30}"),
                                        REQUEST("cycle", "{}")};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        call(it, lines[i]);
}

static const char *confirming(const world *it)
{
    static char line[160];
    const allot__candidate *held = it->service->components.reload->held;
    snprintf(line, sizeof line, REQUEST("confirm", "{\"version\": \"%s\"}"),
             held ? held->name : "none");
    return line;
}

static void what_takes_more_waits(void)
{
    world it;
    char old[160];
    open_world(&it);
    CHECK_EQ(start_as(&it, ":memory:", guarded), ALLOT_OK);
    fill(&it);
    const allot__reload *reload = it.service->components.reload;
    CHECK(strstr(call(&it, TRY("21", "9")), "\"added\": 6") != NULL);
    CHECK(!reload->held);
    CHECK(strstr(call(&it, HAND_IN("20", "10")), "\"swapped\"") != NULL);
    CHECK(strstr(call(&it, HAND_IN("15", "15")), "\"swapped\"") != NULL);
    CHECK(strstr(call(&it, HAND_IN("30", "0")), "\"waits\"") != NULL);
    CHECK(reload->held);
    snprintf(old, sizeof old, "%s", confirming(&it));
    CHECK(strstr(call(&it, HAND_IN("29", "1")), "\"waits\"") != NULL);
    CHECK(strstr(call(&it, old), "E-version") != NULL);
    CHECK(strstr(call(&it, confirming(&it)), "\"swapped\"") != NULL);
    CHECK(!reload->held);
    CHECK(strstr(call(&it, confirming(&it)), "no change waits") != NULL);
    stop(&it);
    close_world(&it);
}

static void pass_through(world *it)
{
    if (allot_service_call(it->service, HAND_IN("30", "0"), strlen(HAND_IN("30", "0")), on_answer,
                           it) == ALLOT_OK)
        settle(it);
    const char *line = confirming(it);
    if (allot_service_call(it->service, line, strlen(line), on_answer, it) == ALLOT_OK)
        settle(it);
    static const char *const lines[] = {TRY("1", "29"), REQUEST("rollback", "{}"),
                                        REQUEST("confirm", "{\"drop\": true}")};
    for (int i = 0; i < 3; i++)
        if (allot_service_call(it->service, lines[i], strlen(lines[i]), on_answer, it) == ALLOT_OK)
            settle(it);
}

static void without_memory_nothing_leaks(void)
{
    CHECK(fail_each(guarded, pass_through));
}

int main(void)
{
    RUN(the_bound_itself_is_allowed);
    RUN(what_takes_more_waits);
    RUN(without_memory_nothing_leaks);
    return check_done();
}
