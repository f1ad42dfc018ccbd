/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* json_fixture.h: what the tests of documents need: a loader without Lua, and faults as text. */
#ifndef ALLOT_TEST_SUPPORT_JSON_FIXTURE_H
#define ALLOT_TEST_SUPPORT_JSON_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include <allot/json.h>

#include "test/support/check.h"
#include "test/support/oom.h"

/* What the loader was last called with: "weigh evenly=1! boost=3" ("!": mine). */
typedef struct loads {
    int count;
    char text[400];
} loads;

static inline void loads_note(loads *seen, const char *use, const allot_use_option *options,
                              int32_t count)
{
    size_t room = sizeof seen->text, len = (size_t)snprintf(seen->text, room, "%s", use);
    seen->count++;
    for (int32_t i = 0; i < count && len < room; i++) {
        const allot_use_option *it = &options[i];
        len += (size_t)snprintf(seen->text + len, room - len, " %s=", it->name);
        if (len < room && it->type == ALLOT_JSON_STRING)
            len += (size_t)snprintf(seen->text + len, room - len, "'%s'", it->string);
        else if (len < room && it->type == ALLOT_JSON_WORDS)
            len += (size_t)snprintf(seen->text + len, room - len, "[%s]", it->string);
        else if (len < room)
            len += (size_t)snprintf(seen->text + len, room - len, "%lld", (long long)it->integer);
        if (len < room)
            len += (size_t)snprintf(seen->text + len, room - len, "%s", it->mine ? "!" : "");
    }
}

/* Options that no policy here knows, when they must be known. */
static inline int loader_check(const allot_use_option *options, int32_t count, allot_report *report)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < count; i++) {
        if (!options[i].mine || strcmp(options[i].name, "boost") == 0 ||
            strcmp(options[i].name, "evenly") == 0)
            continue;
        allot_report_add(report, &(allot_diagnostic){.severity = ALLOT_ERROR,
                                                     .code = "E-option",
                                                     .path = options[i].name,
                                                     .message = "no such option",
                                                     .consumer = -1,
                                                     .group = -1,
                                                     .field = -1});
        status = ALLOT_EPOLICY;
    }
    return status;
}

/* "weigh" has the attributes weight (0 ... 10, 1), level (none) and spread (boolean). */
static inline int loader_attributes(allot_policy *policy)
{
    static const allot_attribute attributes[] = {
        {.name = "weight", .type = ALLOT_INTEGER, .max = 10, .fallback = 1},
        {.name = "level", .type = ALLOT_INTEGER, .min = -5, .max = 5, .fallback = ALLOT_NONE},
        {.name = "spread", .type = ALLOT_BOOLEAN, .max = 1},
    };
    int status = ALLOT_OK;
    for (size_t i = 0; i < 3 && status == ALLOT_OK; i++)
        status = allot_policy_attribute(policy, &attributes[i]);
    static const allot_attribute of_tasks[] = {
        {.name = "cost", .type = ALLOT_INTEGER, .max = 9},
        {.name = "gold", .type = ALLOT_TAG, .max = 1},
    };
    for (size_t i = 0; i < 2 && status == ALLOT_OK; i++)
        status = allot_policy_task_attribute(policy, &of_tasks[i]);
    return status;
}

static inline int loader_load(void *ud, allot_engine *engine, const char *use,
                              const char *plan_file, const allot_use_option *options, int32_t count,
                              allot_policy **out, allot_report *report)
{
    allot_policy *policy = NULL;
    (void)plan_file;
    if (ud)
        loads_note(ud, use, options, count);
    if (strcmp(use, "away") == 0)
        return ALLOT_EIO;
    bool dispatches = strcmp(use, "preemption") == 0 || strcmp(use, "queue_pool") == 0 ||
                      strcmp(use, "shared_lease") == 0;
    if (strcmp(use, "hybrid") != 0 && strcmp(use, "weigh") != 0 && !dispatches) {
        if (strcmp(use, "mute") != 0)
            allot_report_say(report, ALLOT_ERROR, "E-no-policy", "no policy \"%s\"", use);
        return ALLOT_EPOLICY;
    }
    int status = loader_check(options, count, report);
    if (status == ALLOT_OK)
        status = allot_policy_new(engine, use, &policy);
    if (status == ALLOT_OK && strcmp(use, "weigh") == 0)
        status = loader_attributes(policy);
    if (status == ALLOT_OK && dispatches)
        status = allot_policy_fewest(policy, ALLOT_ONE_BY_ONE);
    else if (status == ALLOT_OK)
        status = allot_policy_fill(policy, "owned", (allot_source){ALLOT_FROM_COLUMN, ALLOT_OWNED},
                                   (allot_source){ALLOT_FROM_COLUMN, ALLOT_OWNED}, NULL, 0);
    if (status == ALLOT_OK)
        *out = policy;
    else
        allot_policy_free(policy);
    return status;
}

/* An engine over the counting allocator, a report, and what was read last. */
typedef struct bench {
    oom memory;
    allot_engine *engine;
    allot_report *report;
    allot_plan *plan;
    allot_state *state;
    loads seen;
    char faults[4000];
} bench;

static inline void bench_begin(bench *it)
{
    memset(it, 0, sizeof *it);
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
}

static inline void bench_end(bench *it)
{
    allot_state_free(it->state);
    allot_plan_free(it->plan);
    allot_report_free(it->report);
    allot_engine_free(it->engine);
    CHECK(oom_clean(&it->memory));
}

/* The report as "E-type:1:7 E-range:2:3". */
static inline const char *bench_faults(bench *it)
{
    size_t len = 0, room = sizeof it->faults;
    it->faults[0] = '\0';
    for (int32_t i = 0; i < allot_report_count(it->report) && len < room; i++) {
        const allot_diagnostic *finding = allot_report_at(it->report, i);
        len += (size_t)snprintf(it->faults + len, room - len, "%s%s:%d:%d", i > 0 ? " " : "",
                                finding->code, (int)finding->line, (int)finding->col);
    }
    return it->faults;
}

/* Reads a plan of `len` bytes in place of the last one. */
static inline int bench_plan_bytes(bench *it, const char *text, size_t len)
{
    allot_policy_loader loader = {.ud = &it->seen, .load = loader_load};
    allot_state_free(it->state);
    allot_plan_free(it->plan);
    it->state = NULL;
    it->plan = NULL;
    allot_report_clear(it->report);
    return allot_plan_read(it->engine, text, len, "plan.json", &loader, it->report, &it->plan);
}

static inline int bench_plan(bench *it, const char *text)
{
    return bench_plan_bytes(it, text, strlen(text));
}

static inline int bench_state(bench *it, const char *text)
{
    allot_state_free(it->state);
    it->state = NULL;
    allot_report_clear(it->report);
    return allot_state_read(it->plan, text, strlen(text), "state.json", it->report, &it->state);
}

static inline int32_t bench_find(const bench *it, const char *path)
{
    return allot_plan_find(it->plan, path, strlen(path));
}

#endif
