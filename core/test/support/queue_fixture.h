/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue_fixture.h: plans with queues, and what tests say of them. */
#ifndef ALLOT_TEST_SUPPORT_QUEUE_FIXTURE_H
#define ALLOT_TEST_SUPPORT_QUEUE_FIXTURE_H

#include "model/jobs/queue.h"
#include "test/support/fixture.h"

/* As fixture_begin, with a policy that dispatches. */
static inline void queues_begin(fixture *it)
{
    memset(it, 0, sizeof *it);
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    CHECK_EQ(allot_policy_new(it->engine, "dispatching", &it->policy), ALLOT_OK);
    CHECK_EQ(allot_policy_fewest(it->policy, ALLOT_ONE_BY_ONE), ALLOT_OK);
    CHECK_EQ(allot_plan_new(it->engine, &it->plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it->plan, ALLOT_ALL, it->policy), ALLOT_OK);
}

static inline allot_queue queue_named(const char *name, int32_t priority)
{
    allot_queue queue;
    allot_queue_init(&queue);
    queue.name = name;
    queue.priority = priority;
    return queue;
}

static inline int queue_add(fixture *it, const allot_queue *queue)
{
    int32_t handle;
    return allot_plan_queue(it->plan, queue, &handle);
}

/* A queue with what it says of preemption: lists end with NULL; not given: none, "": without a
 * list. */
static inline int32_t queue_preempting(fixture *it, const char *name, int32_t priority,
                                       const char *const *low, const char *const *high)
{
    allot_queue queue = queue_named(name, priority);
    allot_prefers prefers[8] = {{0}};
    int32_t handle = -1;
    for (int32_t i = 0; low && low[i] && low[i][0]; i++, queue.low_count++)
        prefers[i].queue = low[i];
    for (int32_t i = 0; high && high[i] && high[i][0]; i++)
        queue.high_count++;
    queue.preemptive = low != NULL;
    queue.preemptable = high != NULL;
    queue.low = prefers;
    queue.high = high;
    CHECK_EQ(allot_plan_queue(it->plan, &queue, &handle), ALLOT_OK);
    return handle;
}

/* Is there a finding of that code at that path? Prints all when not. */
static inline int finds(const allot_report *report, const char *code, const char *path)
{
    for (int32_t i = 0; i < allot_report_count(report); i++) {
        const allot_diagnostic *it = allot_report_at(report, i);
        if (strcmp(it->code, code) == 0 && it->path && strcmp(it->path, path) == 0)
            return 1;
    }
    for (int32_t i = 0; i < allot_report_count(report); i++) {
        const allot_diagnostic *it = allot_report_at(report, i);
        printf("# %s %s: %s\n", it->code, it->path ? it->path : "", it->message);
    }
    return 0;
}

#endif
