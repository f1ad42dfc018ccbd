/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * again_test.c: random sites: what is decided fits, and once it has been carried
 * out a few times there is nothing more to decide: nobody preempts back and forth. More than once,
 * as who was preempted may preempt others in turn, and as more may have been preempted than
 * was needed (P-14). Where nobody is preempted once is enough: what is remembered of jobs that did
 * not fit is true.
 */
#include "test/support/queues.h"

enum { HOSTS = 5, QUEUES = 6, JOBS = 40, PLACES = HOSTS };

static uint64_t seed = 17;

static int32_t below(int32_t bound)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int32_t)((seed >> 12) % (uint64_t)bound);
}

static const char *const hosts[] = {"h0", "h1", "h2", "h3", "h4"};
static const char *const users[] = {"ann", "bob"};
static const int32_t host_slots = 4;

/* A job as the test knows it. */
typedef struct known {
    char id[16];
    int32_t queue, slots;
    allot_job_state state;
    allot_job_host places[PLACES];
    int32_t count;
    const char *user;
} known;

static bool pooled_site;

static void random_queue(allot_queue *queue)
{
    bool pooled = pooled_site && below(2);
    if (pooled) {
        queue->slot_pool = "p";
        queue->slot_share = 10 + below(50);
        queue->max_slots_in_pool = below(3) ? ALLOT_NONE : 6 + below(10);
        queue->use_priority_in_pool = below(3) == 0;
        return;
    }
    queue->preemptive = below(2);
    queue->preemptable = !pooled_site && below(3) == 0;
    queue->hosts = hosts + below(3);
    queue->host_count = below(2) ? 0 : 2 + below(2);
    queue->qjob_limit = below(4) ? ALLOT_NONE : 3 + below(5);
    queue->hjob_limit = below(4) ? ALLOT_NONE : 1 + below(3);
    queue->ujob_limit = below(4) ? ALLOT_NONE : 2 + below(5);
}

static void put_jobs(queues *q, const known *jobs)
{
    for (int32_t i = 0; i < JOBS; i++) {
        allot_job job = queues_job(jobs[i].id, jobs[i].queue, jobs[i].slots);
        job.state = jobs[i].state;
        job.user = jobs[i].user;
        job.hosts = jobs[i].places;
        job.host_count = jobs[i].count;
        job.priority = i % 3;
        queues_put(q, &job);
    }
}

/* Who runs at first, on a host where there is room. */
static void random_jobs(known *jobs)
{
    int32_t left[HOSTS];
    for (int32_t i = 0; i < HOSTS; i++)
        left[i] = host_slots;
    memset(jobs, 0, JOBS * sizeof *jobs);
    for (int32_t i = 0; i < JOBS; i++) {
        snprintf(jobs[i].id, sizeof jobs[i].id, "j%d", i);
        jobs[i].queue = below(QUEUES);
        jobs[i].slots = 1 + below(below(3) ? 3 : 9);
        jobs[i].user = users[below(2)];
        int32_t host = below(HOSTS);
        if (below(3) == 0 || jobs[i].slots > left[host])
            continue;
        jobs[i].state = below(4) ? ALLOT_RUNNING : ALLOT_SUSPENDED;
        left[host] -= jobs[i].state == ALLOT_RUNNING ? jobs[i].slots : 0;
        jobs[i].places[0] = (allot_job_host){hosts[host], jobs[i].slots};
        jobs[i].count = 1;
    }
}

/* Carries an order out; false: it is not what a job may be told. */
static bool carry_out(known *job, const allot_job_order *order)
{
    int64_t slots = 0;
    for (int32_t i = 0; i < order->place_count; i++)
        slots += order->places[i].slots;
    if (slots != job->slots || order->held)
        return false;
    switch (order->kind) {
    case ALLOT_ORDER_START:
        for (int32_t i = 0; i < order->place_count; i++)
            job->places[i] = (allot_job_host){order->places[i].name, order->places[i].slots};
        job->count = order->place_count;
        job->state = job->state == ALLOT_PENDING ? ALLOT_RUNNING : ALLOT_JOB_STATE_COUNT;
        break;
    case ALLOT_ORDER_RESUME:
        job->state = job->state == ALLOT_SUSPENDED ? ALLOT_RUNNING : ALLOT_JOB_STATE_COUNT;
        break;
    case ALLOT_ORDER_SUSPEND:
        job->state = job->state == ALLOT_RUNNING ? ALLOT_SUSPENDED : ALLOT_JOB_STATE_COUNT;
        break;
    default:
        return false;
    }
    return job->state != ALLOT_JOB_STATE_COUNT;
}

static bool hosts_hold(const known *jobs)
{
    int64_t used[HOSTS] = {0};
    for (int32_t i = 0; i < JOBS; i++)
        for (int32_t k = 0; jobs[i].state == ALLOT_RUNNING && k < jobs[i].count; k++)
            used[jobs[i].places[k].host[1] - '0'] += jobs[i].places[k].slots;
    for (int32_t i = 0; i < HOSTS; i++)
        if (used[i] > host_slots)
            return false;
    return true;
}

static void begin(queues *q, bool pooled)
{
    queues_begin(q);
    pooled_site = pooled;
    for (int32_t i = 0; i < HOSTS; i++)
        queues_host(q, hosts[i], host_slots);
    for (int32_t i = 0; i < QUEUES; i++) {
        char name[16];
        snprintf(name, sizeof name, "q%d", i);
        queues_add(q, name, 1 + below(5), random_queue);
    }
    queues_seal(q);
}

/* One cycle, carried out: how many orders there were; -1: one is wrong. */
static int32_t cycle(queues *q, known *jobs, bool *preempted)
{
    CHECK_EQ(allot_state_new(q->it.plan, &q->state), ALLOT_OK);
    CHECK_EQ(allot_state_now(q->state, 1000), ALLOT_OK);
    put_jobs(q, jobs);
    q->text[0] = '\0';
    queues_run(q);
    int32_t orders = allot_decision_job_orders(q->decision), count = orders;
    for (int32_t i = 0; i < orders && count >= 0; i++) {
        allot_job_order order;
        allot_decision_job_order(q->decision, i, &order);
        *preempted = *preempted || order.kind == ALLOT_ORDER_SUSPEND;
        if (!CHECK(carry_out(&jobs[order.job], &order)))
            count = -1;
    }
    if (!CHECK(hosts_hold(jobs)))
        count = -1;
    allot_decision_free(q->decision);
    allot_state_free(q->state);
    q->decision = NULL;
    q->state = NULL;
    return count;
}

static bool decided_is_final(bool pooled)
{
    queues q;
    known jobs[JOBS];
    uint64_t from = seed;
    begin(&q, pooled);
    random_jobs(jobs);
    allot_state_free(q.state);
    int32_t cycles = 0, orders = 1;
    bool preempted = false;
    for (; orders > 0 && cycles < 2 * QUEUES; cycles++)
        orders = cycle(&q, jobs, &preempted);
    bool good = CHECK(orders == 0) && CHECK(preempted || cycles <= 2);
    if (!good)
        printf("# seed %llu: %s\n", (unsigned long long)from, q.text);
    queues_end(&q);
    return good;
}

static void queues_that_preempt(void)
{
    for (int32_t i = 0; i < 400; i++)
        if (!decided_is_final(false))
            return;
}

static void queues_in_pools(void)
{
    for (int32_t i = 0; i < 400; i++)
        if (!decided_is_final(true))
            return;
}

int main(void)
{
    RUN(queues_that_preempt);
    RUN(queues_in_pools);
    return check_done();
}
