/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job_fixture.h: states with jobs in two queues. */
#ifndef ALLOT_TEST_SUPPORT_JOB_FIXTURE_H
#define ALLOT_TEST_SUPPORT_JOB_FIXTURE_H

#include "model/state/job.h"
#include "model/state/state.h"
#include "test/support/queue_fixture.h"

typedef struct scene {
    fixture base;
    allot_state *state;
} scene;

/* Queues high and low, and so many hosts h1, h2, ... of 4 slots. */
static inline void begin(scene *it, int32_t hosts)
{
    queues_begin(&it->base);
    allot_protection profile;
    allot_protection_init(&profile);
    for (int32_t i = 0; i < hosts; i++) {
        char name[16];
        snprintf(name, sizeof name, "h%d", (int)i + 1);
        CHECK_EQ(allot_plan_host(it->base.plan, name, 0, 4), ALLOT_OK);
    }
    allot_queue high = queue_named("high", 9), low = queue_named("low", 1);
    low.run_limit = 600;
    CHECK_EQ(queue_add(&it->base, &high), ALLOT_OK);
    CHECK_EQ(queue_add(&it->base, &low), ALLOT_OK);
    CHECK_EQ(allot_plan_application(it->base.plan, "app", &profile, 60), ALLOT_OK);
    CHECK_EQ(allot_plan_users(it->base.plan, "staff", (const char *const[]){"ann"}, 1), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it->base.plan, it->base.report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it->base.plan, &it->state), ALLOT_OK);
    CHECK_EQ(allot_state_now(it->state, 1000), ALLOT_OK);
}

static inline void end(scene *it)
{
    allot_state_free(it->state);
    fixture_end(&it->base);
}

static inline allot_job job_of(const char *id, int32_t queue, allot_job_state state, int64_t slots)
{
    allot_job job;
    allot_job_init(&job);
    job.id = id;
    job.queue = queue;
    job.state = state;
    job.slots = slots;
    return job;
}

static inline void add(scene *it, allot_job job)
{
    CHECK_EQ(allot_state_job(it->state, &job), ALLOT_OK);
}

/* Of that one host. */
static inline void add_on(scene *it, allot_job job, const char *host)
{
    job.hosts = &(allot_job_host){host, job.slots};
    job.host_count = 1;
    add(it, job);
}

static inline void seals(scene *it)
{
    CHECK_EQ(allot_state_seal(it->state, it->base.report), ALLOT_OK);
    CHECK_EQ(allot_report_count(it->base.report), 0);
}

static inline void fails(scene *it, const char *code, const char *path)
{
    CHECK_EQ(allot_state_seal(it->state, it->base.report), ALLOT_EINVALID);
    CHECK(finds(it->base.report, code, path));
    CHECK_EQ(allot_report_count(it->base.report), 1);
    end(it);
}

#endif
