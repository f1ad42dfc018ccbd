/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* search_world.h: random plans and states of queues, small enough to try everything. */
#ifndef ALLOT_TEST_SUPPORT_SEARCH_WORLD_H
#define ALLOT_TEST_SUPPORT_SEARCH_WORLD_H

#include "engine/jobs/preempt/search.h"
#include "engine/jobs/limits/resource.h"

#include "model/jobs/queue.h"
#include "model/state/state.h"
#include "test/support/fixture.h"

enum { NOW = 100000, HOSTS = 5, QUEUES = 6, JOBS = 14 };

typedef struct world {
    uint64_t seed;
    fixture base;
    allot_state *state;
    allot__arena arena;
    allot__work work;
    allot__host_view view;
    allot__bounds bounds;
    allot__candidates candidates;
    int32_t hosts, queues, jobs, resources;
    int32_t left[HOSTS]; /* slots that nobody runs on */
    bool twins; /* queues preempt the same queues, of some hosts, and there are no limits */
} world;

/* 0 ... n - 1 (splitmix64). */
static inline int32_t draw(world *it, int32_t n)
{
    uint64_t z = it->seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (int32_t)((z ^ z >> 31) % (uint64_t)n);
}

static inline bool often(world *it, int32_t percent)
{
    return draw(it, 100) < percent;
}

static const char *const host_names[HOSTS] = {"h0", "h1", "h2", "h3", "h4"};
static const char *const queue_names[QUEUES] = {"q0", "q1", "q2", "q3", "q4", "q5"};
static const char *const user_names[3] = {"ann", "bob", "eve"};

static inline int values_of(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                            allot_report *report)
{
    (void)ud;
    (void)function;
    (void)report;
    CHECK(batch->jobs);
    for (int32_t i = 0; i < batch->count; i++) {
        allot_job job;
        CHECK_EQ(allot_state_job_at(batch->state, batch->items[i], &job), ALLOT_OK);
        CHECK_EQ(batch->consumers[i], job.queue);
        out[i] = batch->columns[0][i] % 3;
    }
    return ALLOT_OK;
}

static inline void draw_policy(world *it)
{
    const int32_t columns[] = {ALLOT_TASK_SLOTS};
    const allot_provider provider = {.compute = values_of};
    int32_t function;
    allot_policy *policy = it->base.policy;
    CHECK_EQ(allot_policy_fewest(policy, (allot_fewest)draw(it, 3)), ALLOT_OK);
    CHECK_EQ(allot_policy_job_types(policy, draw(it, 4)), ALLOT_OK);
    CHECK_EQ(allot_policy_lift(policy, draw(it, 16)), ALLOT_OK);
    if (often(it, 50)) {
        const int32_t from[] = {ALLOT_TASK_PREFERENCE, ALLOT_TASK_QUEUE_ORDER, ALLOT_TASK_RAN,
                                ALLOT_TASK_SLOTS,      ALLOT_TASK_STARTED,     ALLOT_TASK_LOAD};
        allot_key keys[3];
        for (int32_t i = 0; i < 3; i++)
            keys[i] = (allot_key){{ALLOT_FROM_COLUMN, from[draw(it, 6)]}, draw(it, 2)};
        CHECK_EQ(allot_policy_provider(policy, &provider), ALLOT_OK);
        CHECK_EQ(allot_policy_rows_function(policy, ALLOT_TASKS, columns, 1, &function), ALLOT_OK);
        if (often(it, 30))
            keys[draw(it, 3)].source = (allot_source){ALLOT_FROM_FUNCTION, function};
        CHECK_EQ(allot_policy_victims(policy, keys, 3), ALLOT_OK);
    }
}

/* Queues that come later are of lower priority, or equal. */
static inline void draw_queue(world *it, int32_t number)
{
    allot_queue queue;
    allot_prefers low[QUEUES];
    const char *high[QUEUES], *hosts[HOSTS];
    allot_queue_init(&queue);
    queue.name = queue_names[number];
    queue.priority = 2 * (QUEUES - number) + draw(it, 2);
    queue.preemptive = often(it, it->twins ? 100 : 85);
    queue.preemptable = often(it, 40);
    int32_t prefers = it->twins ? 95 * draw(it, 2) : 40;
    for (int32_t i = number + 1; i < it->queues && queue.preemptive && often(it, prefers); i++)
        low[queue.low_count++] = (allot_prefers){queue_names[i], draw(it, 3)};
    for (int32_t i = 0; i < number && queue.preemptable && often(it, it->twins ? 10 : 50); i++)
        high[queue.high_count++] = queue_names[i];
    for (int32_t i = 0; i < it->hosts && often(it, it->twins ? 60 : 20); i++)
        hosts[queue.host_count++] = host_names[i];
    queue.low = low;
    queue.high = high;
    queue.hosts = hosts;
    queue.on_preempt = (allot_action)draw(it, 4);
    queue.protection.max_job_preempt = often(it, 10) ? 1 + draw(it, 2) : ALLOT_NONE;
    queue.protection.no_preempt_run_time = often(it, 10) ? 100 : ALLOT_NONE;
    queue.qjob_limit = !it->twins && often(it, 15) ? draw(it, 8) : ALLOT_NONE;
    queue.hjob_limit = !it->twins && often(it, 15) ? draw(it, 4) : ALLOT_NONE;
    queue.ujob_limit = !it->twins && often(it, 10) ? draw(it, 6) : ALLOT_NONE;
    int32_t handle;
    CHECK_EQ(allot_plan_queue(it->base.plan, &queue, &handle), ALLOT_OK);
}

static inline void draw_limit(world *it)
{
    const char *const queues[] = {queue_names[draw(it, it->queues)]};
    const char *const users[] = {user_names[draw(it, 3)]};
    const char *const groups[] = {"staff"};
    const char *const hosts[] = {host_names[0], host_names[1]};
    allot_job_limit limit = {.name = "limit", .most = draw(it, 8), .per = draw(it, 16)};
    limit.kind = (allot_limit_kind)draw(it, 3);
    if (limit.kind == ALLOT_LIMIT_PER_PROCESSOR) {
        limit.most *= 100;
        limit.per |= ALLOT_PER_HOST;
    }
    limit.queues = queues;
    limit.users = users;
    limit.groups = groups;
    limit.hosts = hosts;
    limit.queue_count = often(it, 20);
    limit.user_count = often(it, 30);
    limit.group_count = often(it, 30);
    limit.host_count = it->hosts >= 2 && often(it, 30) ? 2 : 0;
    CHECK_EQ(allot_plan_job_limit(it->base.plan, &limit), ALLOT_OK);
}

static inline void draw_plan(world *it)
{
    it->twins = often(it, 40);
    int32_t limits = it->twins || often(it, 50) ? 0 : draw(it, 3);
    it->hosts = 1 + draw(it, HOSTS);
    it->queues = 2 + draw(it, QUEUES - 1);
    for (int32_t i = 0; i < it->hosts; i++) {
        it->left[i] = 2 + draw(it, 3);
        CHECK_EQ(allot_plan_host(it->base.plan, host_names[i], 0, it->left[i]), ALLOT_OK);
    }
    CHECK_EQ(allot_plan_users(it->base.plan, "staff", user_names, 2), ALLOT_OK);
    for (int32_t i = 0; i < it->queues; i++)
        draw_queue(it, i);
    for (int32_t i = 0; i < limits; i++)
        draw_limit(it);
    it->resources = often(it, 40) ? 1 + draw(it, 2) : 0;
    for (int32_t i = 0; i < it->resources; i++) {
        const allot_resource resource = {queue_names[i], 2 + draw(it, 6), 1};
        CHECK_EQ(allot_plan_resource(it->base.plan, &resource), ALLOT_OK);
    }
}

/* On some hosts, where it runs at most on what is left. */
static inline int32_t draw_places(world *it, bool runs, allot_job_host *out, int64_t *slots)
{
    int32_t count = 0;
    for (int32_t i = 0; i < it->hosts; i++) {
        int32_t most = runs ? it->left[i] : 3;
        if (most > 0 && often(it, 40)) {
            out[count] = (allot_job_host){host_names[i], 1 + draw(it, most)};
            *slots += out[count].slots;
            it->left[i] -= runs ? (int32_t)out[count].slots : 0;
            count++;
        }
    }
    return count;
}

static inline void draw_job(world *it, int32_t number)
{
    char id[16];
    allot_job job;
    allot_job_host hosts[HOSTS], grown[HOSTS];
    int64_t slots = 0, ignored = 0;
    allot_job_init(&job);
    snprintf(id, sizeof id, "j%d", (int)(number * 5 % JOBS));
    job.id = id;
    job.queue = draw(it, it->queues);
    bool low = job.queue > draw(it, it->queues);
    job.state = (allot_job_state)(often(it, low ? 85 : 30) ? ALLOT_RUNNING
                                                           : draw(it, ALLOT_JOB_STATE_COUNT));
    if (it->twins)
        job.state = job.queue > 1 ? ALLOT_RUNNING : ALLOT_PENDING;
    job.slots = 1 + draw(it, 4);
    job.started = often(it, 80) ? NOW - 50 * draw(it, 5) : INT64_MIN;
    job.preempted = draw(it, 3);
    job.user = often(it, 70) ? user_names[draw(it, 3)] : NULL;
    job.flags = (often(it, 10) ? ALLOT_JOB_EXCLUSIVE : 0) | (often(it, 8) ? ALLOT_JOB_BACKFILL : 0);
    job.flags |= often(it, 5) ? ALLOT_JOB_FORCED : 0;
    if (it->twins && often(it, 60))
        job.flags &= ALLOT_JOB_EXCLUSIVE;
    job.reserved_by = often(it, 30) ? draw(it, it->queues) : -1;
    job.notifying = often(it, 10) && job.state == ALLOT_RUNNING;
    if (job.state != ALLOT_PENDING) {
        job.hosts = hosts;
        job.host_count = draw_places(it, job.state == ALLOT_RUNNING, hosts, &slots);
        job.slots = slots;
        if (job.host_count == 0)
            return;
    }
    if (job.state == ALLOT_RUNNING && often(it, 15)) {
        job.grow = 1;
        job.grown = grown;
        job.grown_count = draw_places(it, true, grown, &ignored);
    }
    allot_job_resource asks[2];
    job.resources = asks;
    for (int32_t i = 0; i < it->resources; i++) {
        if (often(it, 60))
            asks[job.resource_count++] =
                (allot_job_resource){i, job.state == ALLOT_PENDING ? 1 + draw(it, 2) : draw(it, 3)};
    }
    CHECK_EQ(allot_state_job(it->state, &job), ALLOT_OK);
    it->jobs++;
}

/* False: the documents do not fit together. */
static inline bool world_begin(world *it, uint64_t seed)
{
    memset(it, 0, sizeof *it);
    it->seed = seed;
    CHECK_EQ(allot_engine_new(oom_alloc, &it->base.memory, &it->base.engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->base.engine, &it->base.report), ALLOT_OK);
    CHECK_EQ(allot_policy_new(it->base.engine, "drawn", &it->base.policy), ALLOT_OK);
    draw_policy(it);
    CHECK_EQ(allot_plan_new(it->base.engine, &it->base.plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it->base.plan, ALLOT_ALL, it->base.policy), ALLOT_OK);
    draw_plan(it);
    if (allot_plan_seal(it->base.plan, it->base.report) != ALLOT_OK)
        return false;
    CHECK_EQ(allot_state_new(it->base.plan, &it->state), ALLOT_OK);
    CHECK_EQ(allot_state_now(it->state, NOW), ALLOT_OK);
    int32_t jobs = 2 + draw(it, JOBS - 2);
    for (int32_t i = 0; i < jobs; i++)
        draw_job(it, i);
    if (allot_state_seal(it->state, it->base.report) != ALLOT_OK)
        return false;
    allot__arena_init(&it->arena, it->base.engine);
    CHECK_EQ(allot__work_init(&it->work, it->state->plan, it->state, 0, &it->arena, NULL),
             ALLOT_OK);
    CHECK_EQ(allot__host_view_make(&it->work, &it->view), ALLOT_OK);
    CHECK_EQ(allot__bounds_make(&it->work, &it->view, &it->bounds), ALLOT_OK);
    CHECK_EQ(allot__resources_make(&it->work, &it->bounds.resources), ALLOT_OK);
    CHECK_EQ(allot__candidates_make(&it->work, &it->view, &it->bounds, &it->candidates), ALLOT_OK);
    return true;
}

static inline void world_end(world *it)
{
    allot__bounds_free(&it->bounds);
    if (it->arena.engine)
        allot__arena_free(&it->arena);
    allot_state_free(it->state);
    fixture_end(&it->base);
}

#endif
