/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* view_test.c: what is free for whom, against counting it anew. */
#include "engine/jobs/limits/view.h"

#include "engine/decision/decision.h"
#include "test/support/queues.h"

enum { HOSTS = 90, QUEUES = 7, JOBS = 120 };

static uint64_t seed = 3;

static int32_t below(int32_t bound)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int32_t)((seed >> 12) % (uint64_t)bound);
}

static char hosts[HOSTS][16];
static const char *some[HOSTS];
static int32_t some_count;

static void random_queue(allot_queue *queue)
{
    queue->preemptive = below(2);
    queue->preemptable = below(3) == 0;
    some_count = 0;
    for (int32_t i = 0; i < HOSTS; i++)
        if (below(3) == 0)
            some[some_count++] = hosts[i];
    queue->hosts = some;
    queue->host_count = below(3) ? some_count : 0;
}

/* Jobs on one or two hosts, one of several states; never more than a host has. */
static void random_jobs(queues *q, allot_job_state *states)
{
    int32_t left[HOSTS];
    for (int32_t i = 0; i < HOSTS; i++)
        left[i] = 4;
    for (int32_t i = 0; i < JOBS; i++) {
        char id[16];
        snprintf(id, sizeof id, "j%d", i);
        int32_t host = below(HOSTS), slots = 1 + below(2);
        states[i] = below(2) ? ALLOT_RUNNING : ALLOT_SUSPENDED;
        if (left[host] < slots)
            states[i] = ALLOT_SUSPENDED;
        left[host] -= states[i] == ALLOT_RUNNING ? slots : 0;
        queues_on(q, id, below(QUEUES), states[i], hosts[host], slots);
    }
}

static void begin(queues *q, allot_job_state *states)
{
    queues_begin(q);
    for (int32_t i = 0; i < HOSTS; i++) {
        snprintf(hosts[i], sizeof hosts[i], "h%d", i);
        queues_host(q, hosts[i], 4);
    }
    for (int32_t i = 0; i < QUEUES; i++) {
        char name[16];
        snprintf(name, sizeof name, "q%d", i);
        queues_add(q, name, 1 + below(5), random_queue);
    }
    queues_seal(q);
    for (int32_t i = 0; i < HOSTS; i++)
        if (below(2))
            CHECK_EQ(allot_state_host_load(q->state, hosts[i], below(3000)), ALLOT_OK);
    random_jobs(q, states);
    CHECK_EQ(allot_state_seal(q->state, NULL), ALLOT_OK);
}

/* Free slots of a host for a queue, counted from the jobs. */
static int32_t free_for(const queues *q, const allot_job_state *states, int32_t host, int32_t queue)
{
    int32_t free = 4;
    for (int32_t i = 0; i < JOBS; i++) {
        const allot__job *job = allot__job_at(q->state->jobs, i);
        bool mine = allot__may_preempt(q->it.plan->relation, queue, job->queue);
        if (allot__job_places(job)->site == host && (states[i] == ALLOT_RUNNING || !mine))
            free -= job->slots;
    }
    return free;
}

static bool agrees(const queues *q, allot__host_view *view, const allot_job_state *states,
                   int32_t queue)
{
    const allot__queues *of = allot__queues_of(q->it.plan);
    int32_t set = of->set_of[queue], next = -1;
    int64_t total = 0;
    const uint64_t *bits = ((const allot__host_set *)of->sets.items)[set].bits;
    for (int32_t host = 0; host < view->count; host++) {
        int32_t site = view->site[host], free = free_for(q, states, site, queue);
        bool has = !bits || (bits[site / 64] >> site % 64 & 1);
        if (view->free[host] != free || allot__host_view_has(view, set, host) != has ||
            allot__host_view_open(view, host) != (free > 0))
            return false;
        if (has && free > 0) {
            next = allot__host_view_next(view, set, next + 1);
            total += free;
            if (next != host)
                return false;
        }
    }
    return allot__host_view_next(view, set, next + 1) < 0 &&
           allot__host_view_total(view, set) == total;
}

/* A job that runs is suspended, one that is suspended runs. */
static void turn_job(const queues *q, allot__host_view *view, allot_job_state *states,
                     int32_t number)
{
    const allot__job *job = allot__job_at(q->state->jobs, number);
    int32_t host = allot__host_view_host(view, allot__job_places(job)->site);
    if (states[number] == ALLOT_RUNNING) {
        allot__host_view_run(view, job, host, job->slots, -1);
        allot__host_view_keep(view, number);
    } else {
        allot__host_view_unkeep(view, number);
        allot__host_view_run(view, job, host, job->slots, 1);
    }
    states[number] = states[number] == ALLOT_RUNNING ? ALLOT_SUSPENDED : ALLOT_RUNNING;
}

static void what_is_free_for_whom(void)
{
    for (int32_t round = 0; round < 40; round++) {
        queues q;
        allot_job_state states[JOBS];
        begin(&q, states);
        allot__arena arena;
        allot__arena_init(&arena, q.it.engine);
        allot__work work;
        allot__host_view view;
        CHECK_EQ(allot__work_init(&work, q.it.plan, q.state, 0, &arena, NULL), ALLOT_OK);
        CHECK_EQ(allot__host_view_make(&work, &view), ALLOT_OK);
        bool good = true;
        for (int32_t step = 0; step < 30 && good; step++) {
            int32_t queue = below(QUEUES);
            allot__host_view_as(&view, queue);
            good = CHECK(agrees(&q, &view, states, queue));
            turn_job(&q, &view, states, below(JOBS));
            turn_job(&q, &view, states, below(JOBS));
            good = good && CHECK(agrees(&q, &view, states, queue));
        }
        allot__arena_free(&arena);
        queues_end(&q);
    }
}

/* hosts go by load, ties in plan order. */
static void hosts_go_by_load(void)
{
    queues q;
    allot_job_state states[JOBS];
    begin(&q, states);
    allot__arena arena;
    allot__arena_init(&arena, q.it.engine);
    allot__work work;
    allot__host_view view;
    CHECK_EQ(allot__work_init(&work, q.it.plan, q.state, 0, &arena, NULL), ALLOT_OK);
    CHECK_EQ(allot__host_view_make(&work, &view), ALLOT_OK);
    for (int32_t i = 1; i < view.count; i++)
        CHECK(view.load[i - 1] < view.load[i] ||
              (view.load[i - 1] == view.load[i] && view.site[i - 1] < view.site[i]));
    allot__arena_free(&arena);
    queues_end(&q);
}

int main(void)
{
    RUN(what_is_free_for_whom);
    RUN(hosts_go_by_load);
    return check_done();
}
