/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queues.h: small sites with queues for tests, and what a cycle orders as one line of text. */
#ifndef ALLOT_TEST_SUPPORT_QUEUES_H
#define ALLOT_TEST_SUPPORT_QUEUES_H

#include "test/support/fixture.h"

/* A plan of queues under a policy that says nothing but what is the default, and a state at 1000.
 */
typedef struct queues {
    fixture it;
    allot_state *state;
    allot_decision *decision;
    char text[8192];
} queues;

static inline void queues_begin(queues *q)
{
    memset(q, 0, sizeof *q);
    fixture *it = &q->it;
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    CHECK_EQ(allot_policy_new(it->engine, "default", &it->policy), ALLOT_OK);
    CHECK_EQ(allot_policy_fewest(it->policy, ALLOT_ONE_BY_ONE), ALLOT_OK);
    CHECK_EQ(allot_plan_new(it->engine, &it->plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it->plan, ALLOT_ALL, it->policy), ALLOT_OK);
}

static inline void queues_end(queues *q)
{
    allot_decision_free(q->decision);
    allot_state_free(q->state);
    fixture_end(&q->it);
}

static inline void queues_host(queues *q, const char *name, int64_t slots)
{
    CHECK_EQ(allot_plan_host(q->it.plan, name, 0, slots), ALLOT_OK);
}

/* The queue that `set` changes, if any, and its number. */
static inline int32_t queues_add(queues *q, const char *name, int32_t priority,
                                 void (*set)(allot_queue *queue))
{
    allot_queue queue;
    int32_t number = -1;
    allot_queue_init(&queue);
    queue.name = name;
    queue.priority = priority;
    if (set)
        set(&queue);
    CHECK_EQ(allot_plan_queue(q->it.plan, &queue, &number), ALLOT_OK);
    return number;
}

static inline void queues_seal(queues *q)
{
    if (!CHECK_EQ(allot_plan_seal(q->it.plan, q->it.report), ALLOT_OK))
        printf("# %s\n", allot_report_at(q->it.report, 0)->message);
    CHECK_EQ(allot_state_new(q->it.plan, &q->state), ALLOT_OK);
    CHECK_EQ(allot_state_now(q->state, 1000), ALLOT_OK);
}

static inline allot_job queues_job(const char *id, int32_t queue, int64_t slots)
{
    allot_job job;
    allot_job_init(&job);
    job.id = id;
    job.queue = queue;
    job.slots = slots;
    return job;
}

static inline void queues_put(queues *q, const allot_job *job)
{
    CHECK_EQ(allot_state_job(q->state, job), ALLOT_OK);
}

static inline void queues_pending(queues *q, const char *id, int32_t queue, int64_t slots)
{
    allot_job job = queues_job(id, queue, slots);
    queues_put(q, &job);
}

/* A job that is on one host, or (NULL) where the plan has none. */
static inline void queues_on(queues *q, const char *id, int32_t queue, allot_job_state state,
                             const char *host, int64_t slots)
{
    allot_job job = queues_job(id, queue, slots);
    allot_job_host place = {host, slots};
    job.state = state;
    job.hosts = host ? &place : NULL;
    job.host_count = host != NULL;
    queues_put(q, &job);
}

static inline void queues_say(queues *q, const allot_job_order *order)
{
    static const char *const kinds[] = {"start", "resume", "resize", "suspend", "kill"};
    size_t at = strlen(q->text), size = sizeof q->text;
    allot_job job;
    CHECK_EQ(allot_state_job_at(q->state, order->job, &job), ALLOT_OK);
    snprintf(q->text + at, size - at, "%s%s %s", at ? ", " : "", kinds[order->kind], job.id);
    for (int32_t i = 0; i < order->place_count; i++) {
        at = strlen(q->text);
        snprintf(q->text + at, size - at, "%c%s:%d", i ? '+' : '@', order->places[i].name,
                 (int)order->places[i].slots);
    }
    at = strlen(q->text);
    if (order->reason && order->reason[0] != 'f')
        snprintf(q->text + at, size - at, " (%s)", order->reason);
}

/* Decides: "start a@h1:2+h2:1, resume b@h1:1". Reasons are told that are not "free". */
static inline const char *queues_run(queues *q)
{
    if (!CHECK_EQ(allot_state_seal(q->state, q->it.report), ALLOT_OK))
        printf("# %s\n", allot_report_at(q->it.report, 0)->message);
    CHECK_EQ(allot_cycle(q->it.plan, q->state, q->it.report, &q->decision), ALLOT_OK);
    for (int32_t i = 0; i < allot_decision_job_orders(q->decision); i++) {
        allot_job_order order;
        CHECK_EQ(allot_decision_job_order(q->decision, i, &order), ALLOT_OK);
        queues_say(q, &order);
    }
    return q->text;
}

/* Why a job waits, and by which limit: "limit QJOB_LIMIT 1/1". */
static inline const char *queues_why(queues *q, const char *id)
{
    allot_pending_of of;
    int32_t job = allot_state_job_find(q->state, id);
    CHECK_EQ(allot_decision_pending(q->decision, job, &of), ALLOT_OK);
    snprintf(q->text, sizeof q->text, "%s", allot_pending_name(of.why));
    size_t at = strlen(q->text);
    if (of.limit)
        snprintf(q->text + at, sizeof q->text - at, " %s %d/%d", of.limit, (int)of.used,
                 (int)of.most);
    return q->text;
}

#endif
