/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* fixture.h: what model tests build again and again. */
#ifndef ALLOT_TEST_SUPPORT_FIXTURE_H
#define ALLOT_TEST_SUPPORT_FIXTURE_H

#include <string.h>

#include <allot/allot.h>

#include "test/support/check.h"
#include "test/support/oom.h"

/* An engine over the counting allocator, with a report, a policy and a plan that uses it. */
typedef struct fixture {
    oom memory;
    allot_engine *engine;
    allot_report *report;
    allot_policy *policy;
    allot_plan *plan;
} fixture;

static inline void fixture_begin(fixture *it)
{
    memset(it, 0, sizeof *it);
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    CHECK_EQ(allot_policy_new(it->engine, "plain", &it->policy), ALLOT_OK);
    CHECK_EQ(allot_plan_new(it->engine, &it->plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it->plan, ALLOT_ALL, it->policy), ALLOT_OK);
}

static inline void fixture_end(fixture *it)
{
    allot_plan_free(it->plan);
    allot_policy_free(it->policy);
    allot_report_free(it->report);
    allot_engine_free(it->engine);
    CHECK(oom_clean(&it->memory));
}

/* Adds the consumer "/a/b", whose parent "/a" is there; its handle, or the status. */
static inline int32_t fixture_add(allot_plan *plan, const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    size_t parent_len = (size_t)(name - path) - 1;
    int32_t handle;
    int32_t parent = parent_len ? allot_plan_find(plan, path, parent_len) : ALLOT_ROOT;
    int status = allot_plan_add(plan, parent, name, strlen(name), &handle);
    return status ? status : handle;
}

static inline int32_t fixture_find(const allot_plan *plan, const char *path)
{
    return allot_plan_find(plan, path, strlen(path));
}

static inline int fixture_set(allot_plan *plan, const char *path, int32_t column, int64_t value)
{
    return allot_plan_set(plan, ALLOT_ALL, fixture_find(plan, path), column, value);
}

/* The code of the i-th finding, or "". */
static inline const char *fixture_code(const allot_report *report, int32_t i)
{
    const allot_diagnostic *finding = allot_report_at(report, i);
    return finding ? finding->code : "";
}

#endif
