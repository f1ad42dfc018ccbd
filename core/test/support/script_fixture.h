/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* script_fixture.h: loading policies in tests. */
#ifndef ALLOT_TEST_SUPPORT_SCRIPT_FIXTURE_H
#define ALLOT_TEST_SUPPORT_SCRIPT_FIXTURE_H

#include <string.h>

#include <allot/script.h>

#include "test/support/check.h"
#include "test/support/oom.h"

typedef struct script_fixture {
    oom memory;
    allot_engine *engine;
    allot_report *report;
    allot_policy *policy; /* of the last load; NULL when it failed */
    allot_script_limits limits;
} script_fixture;

static inline void script_begin(script_fixture *it)
{
    memset(it, 0, sizeof *it);
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
}

static inline void script_end(script_fixture *it)
{
    allot_policy_free(it->policy);
    allot_report_free(it->report);
    allot_engine_free(it->engine);
    CHECK(oom_clean(&it->memory));
}

/* Loads a text as "site/fair.lua", with options; ends what was loaded before. */
static inline int script_load_with(script_fixture *it, const char *text,
                                   const allot_use_option *options, int32_t count)
{
    allot_policy_free(it->policy);
    it->policy = NULL;
    allot_report_clear(it->report);
    return allot_script_load(it->engine, text, strlen(text), "site/fair.lua", options, count,
                             &it->limits, it->report, &it->policy);
}

static inline int script_load(script_fixture *it, const char *text)
{
    return script_load_with(it, text, NULL, 0);
}

/* The first finding; one of its own when there is none, so that its fields can be read. */
static inline const allot_diagnostic *script_finding(const script_fixture *it)
{
    static const allot_diagnostic none = {.code = "", .message = "(no finding)"};
    return allot_report_count(it->report) > 0 ? allot_report_at(it->report, 0) : &none;
}

/* Runs a scenario whose allocation `at` fails, with `on` all from it on; 0: none does. Returns how
 * many there were. */
static inline long script_failure(int (*scenario)(allot_engine *engine), long at, int on)
{
    oom memory = {.fail_at = at, .fail_on = on};
    allot_engine *engine = NULL;
    int status = allot_engine_new(oom_alloc, &memory, &engine);
    if (status == ALLOT_OK)
        status = scenario(engine);
    allot_engine_free(engine);
    CHECK(status == ALLOT_OK || (status == ALLOT_ENOMEM && at > 0));
    CHECK(oom_clean(&memory));
    return memory.calls;
}

/* Fails each of the first and the last allocations, which are ours, and some of Lua's thousands
 * between: once that one alone and once all from it on. */
static inline void script_each_failure(int (*scenario)(allot_engine *engine))
{
    long calls = script_failure(scenario, 0, 0);
    for (long at = 1; at <= calls; at += at < 60 || at > calls - 80 ? 1 : 17) {
        script_failure(scenario, at, 0);
        script_failure(scenario, at, 1);
    }
    CHECK(calls > 100);
}

#endif
