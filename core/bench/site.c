/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * site.c: generated sites: 1,000 queues on 10,000 hosts, 100,000 jobs that run and as many
 * that are pending, of queues and users drawn by lot. But where a site says otherwise, the hosts
 * are full, the lower half of the queues has what runs, and 1,000 pending jobs are of the upper
 * half, which may preempt it.
 */
#include "bench/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { QUEUES = 1000, HOSTS = 10000, RUNNING = 100000, PENDING = 100000, URGENT = 1000 };
enum { USERS = 500, POOLS = 100, NOW = 1000, NAME = 16 };

#define VICTIMS "\"queue_order\", \"load\", \"host\", \"queue_priority\", desc \"started\""

const bench_site allot__bench_sites[] = {
    {.name = "plain", .slots = 10},
    {.name = "free-slots", .slots = 20},
    {.name = "pools", .slots = 20, .pools = true},
    {.name = "limits", .slots = 10, .limits = true},
    {.name = "few-hosts", .slots = 10, .hosts = 10},
    {.name = "lua-key", .slots = 10, .victims = "function (ran, slots) return ran * slots end"},
    {.name = "mini-job", .slots = 23, .fewest = "mini_job", .width = 4, .want = 12},
    {.name = "optimal-mini-job", .slots = 23, .fewest = "optimal_mini_job", .width = 4, .want = 12},
    {.name = "wide-jobs", .slots = 10, .least = 90000, .want = 9999},
    {.name = "all-preempt", .slots = 10, .all = true},
    {.name = NULL},
};

static int64_t draw(uint64_t *seed, int64_t range)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((*seed >> 33) % (uint64_t)range);
}

static const char *named(char *name, char letter, int64_t number)
{
    snprintf(name, NAME, "%c%" PRId64, letter, number);
    return name;
}

/* ---- Plan ------------------------------------------------------------------------------------ */

static int load_policy(bench_tree *tree, const bench_site *site, allot_report *report)
{
    char text[512];
    int len = snprintf(text, sizeof text,
                       "return policy { name = \"site\", dispatch = order { desc \"priority\", "
                       "\"submitted\" }, victims = order { %s }, fewest = \"%s\" }",
                       site->victims != NULL ? site->victims : VICTIMS,
                       site->fewest != NULL ? site->fewest : "no");
    allot_policy *policy = NULL;
    int status =
        allot_script_load(tree->engine, text, (size_t)len, "site", NULL, 0, NULL, report, &policy);
    if (status == ALLOT_OK)
        status = allot_plan_policy(tree->plan, ALLOT_ALL, policy);
    allot_policy_free(policy);
    return status;
}

static int add_hosts(bench_tree *tree, const bench_site *site)
{
    int status = ALLOT_OK;
    char name[NAME];
    for (int32_t i = 0; i < HOSTS && status == ALLOT_OK; i++)
        status = allot_plan_host(tree->plan, named(name, 'h', i), 0, site->slots);
    return status;
}

static int add_queue(bench_tree *tree, const bench_site *site, int32_t number)
{
    char name[NAME], pool[NAME], hosts[10][NAME];
    const char *list[10];
    allot_queue queue;
    int32_t handle;
    allot_queue_init(&queue);
    queue.name = named(name, 'q', number);
    queue.priority = QUEUES - number;
    queue.preemptive = !site->pools && (site->all || number < QUEUES / 2);
    queue.hosts = list;
    for (; queue.host_count < site->hosts; queue.host_count++)
        list[queue.host_count] = named(hosts[queue.host_count], 'h',
                                       ((int64_t)number * site->hosts + queue.host_count) % HOSTS);
    if (site->pools) {
        queue.slot_pool = named(pool, 'p', number % POOLS);
        queue.slot_share = 100 * POOLS / QUEUES;
    }
    if (site->limits) {
        queue.qjob_limit = 400;
        queue.ujob_limit = 50;
        queue.hjob_limit = 8;
    }
    return allot_plan_queue(tree->plan, &queue, &handle);
}

/* ---- State ----------------------------------------------------------------------------------- */

static int32_t lower(uint64_t *seed, const bench_site *site)
{
    return (int32_t)(site->all ? draw(seed, QUEUES) : QUEUES / 2 + draw(seed, QUEUES / 2));
}

static int add_running(bench_tree *tree, const bench_site *site, uint64_t *seed)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < RUNNING && status == ALLOT_OK; i++) {
        char id[NAME], user[NAME], host[NAME];
        allot_job job;
        allot_job_init(&job);
        job.id = named(id, 'r', i);
        job.queue = lower(seed, site);
        job.slots = site->width > 0 ? 1 + i / HOSTS % site->width : 1;
        job.state = ALLOT_RUNNING;
        job.hosts = &(allot_job_host){named(host, 'h', i % HOSTS), job.slots};
        job.host_count = 1;
        job.started = draw(seed, NOW - 100);
        job.user = named(user, 'u', draw(seed, USERS));
        status = allot_state_job(tree->state, &job);
    }
    return status;
}

static int add_pending(bench_tree *tree, const bench_site *site, uint64_t *seed)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < PENDING && status == ALLOT_OK; i++) {
        char id[NAME], user[NAME];
        bool urgent = i < URGENT && !site->all;
        allot_job job;
        allot_job_init(&job);
        job.id = named(id, 'p', i);
        job.queue = urgent ? (int32_t)draw(seed, QUEUES / 2) : lower(seed, site);
        job.slots = urgent && site->want > 0 ? site->least + 1 + draw(seed, site->want) : 1;
        job.submitted = draw(seed, NOW - 100);
        job.user = named(user, 'u', draw(seed, USERS));
        status = allot_state_job(tree->state, &job);
    }
    return status;
}

static int grow_state(bench_tree *tree, const bench_site *site, allot_report *report)
{
    uint64_t seed = 1888;
    int status = allot_state_new(tree->plan, &tree->state);
    if (status == ALLOT_OK)
        status = allot_state_now(tree->state, NOW);
    if (status == ALLOT_OK)
        status = add_running(tree, site, &seed);
    if (status == ALLOT_OK)
        status = add_pending(tree, site, &seed);
    double start = allot__bench_clock();
    if (status == ALLOT_OK)
        status = allot_state_seal(tree->state, report);
    tree->sealing = allot__bench_clock() - start;
    return status;
}

int allot__bench_build(bench_tree *tree, const bench_site *site, allot_report *report)
{
    *tree = (bench_tree){0};
    int status = allot_engine_new(allot__bench_count, &tree->memory, &tree->engine);
    if (status == ALLOT_OK)
        status = allot_plan_new(tree->engine, &tree->plan);
    if (status == ALLOT_OK)
        status = load_policy(tree, site, report);
    if (status == ALLOT_OK)
        status = add_hosts(tree, site);
    for (int32_t i = 0; i < QUEUES && status == ALLOT_OK; i++)
        status = add_queue(tree, site, i);
    if (status == ALLOT_OK)
        status = allot_plan_seal(tree->plan, report);
    int64_t planned = tree->memory.live;
    if (status == ALLOT_OK)
        status = grow_state(tree, site, report);
    tree->bytes = tree->memory.live - planned;
    return status;
}
