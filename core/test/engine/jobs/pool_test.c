/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pool_test.c: whole cycles over pools (Q-20 ... Q-43). */
#include "test/support/queues.h"

/* What the next queue is. */
static int32_t share;
static int32_t most;
static int32_t by_priority;
static const char *pool;

static void pooled(allot_queue *queue)
{
    queue->slot_pool = pool;
    queue->slot_share = share;
    queue->max_slots_in_pool = most;
    queue->use_priority_in_pool = by_priority;
}

static int32_t add(queues *q, const char *name, int32_t priority, int32_t percent)
{
    share = percent;
    return queues_add(q, name, priority, percent ? pooled : NULL);
}

/* Hosts of so many slots in all. */
static void begin(queues *q, int32_t slots)
{
    queues_begin(q);
    pool = "p";
    most = ALLOT_NONE;
    by_priority = 0;
    queues_host(q, "h1", slots / 2);
    queues_host(q, "h2", slots - slots / 2);
}

/* `count` pending jobs of one slot. */
static void burst(queues *q, int32_t queue, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        char id[32];
        snprintf(id, sizeof id, "q%d.%d", queue, i);
        queues_pending(q, id, queue, 1);
    }
}

static int64_t started(queues *q, int32_t queue)
{
    allot_queue_part part = {.started = -1};
    CHECK_EQ(allot_decision_queue(q->decision, queue, &part), ALLOT_OK);
    return part.started;
}

static void check_starts(queues *q, int32_t count, const int64_t *wanted)
{
    queues_run(q);
    for (int32_t i = 0; i < count; i++)
        CHECK_EQ(started(q, i), wanted[i]);
    queues_end(q);
}

/* QV-1, QV-3, QV-14. */
static void slices_are_kept_to(void)
{
    queues q;
    for (int32_t i = 0; i < 3; i++) {
        begin(&q, i == 1 ? 15 : 12);
        most = i == 2 ? 8 : ALLOT_NONE;
        int32_t first = add(&q, "queue1", 50, 50);
        int32_t second = add(&q, "queue2", 48, 30), third = add(&q, "queue3", 48, 20);
        queues_seal(&q);
        burst(&q, first, 40);
        burst(&q, second, i == 1 ? 0 : 40);
        burst(&q, third, 40);
        check_starts(&q, 3, (const int64_t[][3]){{6, 4, 2}, {11, 0, 4}, {4, 3, 1}}[i]);
    }
}

/* QV-12: a queue of no pool in front of it takes k slots. */
static void others_come_first(void)
{
    for (int32_t k = 0; k <= 12; k += 4) {
        queues q;
        begin(&q, 12);
        int32_t first = add(&q, "queue1", 50, 50), second = add(&q, "queue2", 48, 30);
        int32_t third = add(&q, "queue3", 46, 20), other = add(&q, "queue4", 60, 0);
        queues_seal(&q);
        burst(&q, first, 40);
        burst(&q, second, 40);
        burst(&q, third, 40);
        burst(&q, other, k);
        allot_pool_part part;
        queues_run(&q);
        CHECK_EQ(allot_decision_pool(q.decision, 0, &part), ALLOT_OK);
        CHECK_EQ(part.slots, 12 - k);
        CHECK_EQ(started(&q, first) + started(&q, second) + started(&q, third), 12 - k);
        CHECK_EQ(started(&q, first), (12 - k + 1) / 2);
        queues_end(&q);
    }
}

/* QV-9: others of the same PRIORITY take slots between the pool's queues; what is left is the base
 * of those that come behind them. Without them, 5 each. */
static void slices_are_cut_anew(void)
{
    for (int32_t busy = 0; busy < 2; busy++) {
        queues q;
        begin(&q, 15);
        int32_t milano = add(&q, "Milano", 43, 0), parma = add(&q, "Parma", 43, 0);
        int32_t pisa = add(&q, "Pisa", 44, 30), venezia = add(&q, "Venezia", 43, 30);
        int32_t bologna = add(&q, "Bologna", 43, 30);
        queues_seal(&q);
        burst(&q, milano, 3 * busy);
        burst(&q, parma, 3 * busy);
        burst(&q, pisa, 40);
        burst(&q, venezia, 40);
        burst(&q, bologna, 40);
        check_starts(&q, 5, (const int64_t[][5]){{0, 0, 5, 5, 5}, {3, 3, 5, 2, 2}}[busy]);
    }
}

/* QV-11: two pools and queues of none, merged by PRIORITY. */
static void pools_are_merged_with_others(void)
{
    queues q;
    begin(&q, 12);
    for (int32_t i = 0; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "queue%d", i + 1);
        pool = i < 3 ? "a" : "b";
        add(&q, name, 80 - i, i < 3 || i > 4 ? 40 : 0);
    }
    queues_seal(&q);
    for (int32_t i = 7; i >= 0; i--)
        burst(&q, i, 1);
    CHECK_STR(queues_run(&q), "start q0.0@h1:1, start q1.0@h1:1, start q2.0@h1:1, start q3.0@h1:1, "
                              "start q4.0@h1:1, start q5.0@h1:1, start q6.0@h2:1, start q7.0@h2:1");
    queues_end(&q);
}

/* who used little for its share comes first. */
static void use_over_share_comes_first(void)
{
    queues q;
    begin(&q, 21);
    int32_t first = add(&q, "a", 50, 50), second = add(&q, "b", 48, 30);
    int32_t third = add(&q, "c", 46, 20);
    queues_seal(&q);
    CHECK_EQ(allot_state_usage_at(q.state, 1000), ALLOT_OK);
    CHECK_EQ(allot_state_usage(q.state, first, 100, 0), ALLOT_OK);
    CHECK_EQ(allot_state_usage(q.state, second, 60, 1), ALLOT_OK);
    CHECK_EQ(allot_state_usage(q.state, third, 39, 999999), ALLOT_OK);
    burst(&q, first, 40);
    burst(&q, second, 40);
    burst(&q, third, 40);
    check_starts(&q, 3, (const int64_t[]){11, 5, 5});
}

/* What is told fades until now, and so does each second of what ran since: 3 slots for 50 s are
 * 3 * (1 - r^50) / (1 - r), r = 2^(-1/100): bc -l. */
static void use_is_told_as_of_now(void)
{
    queues q;
    begin(&q, 12);
    const allot_decay half = {.period = 100, .parts = 2};
    CHECK_EQ(allot_plan_decay(q.it.plan, &half), ALLOT_OK);
    int32_t first = add(&q, "a", 50, 50), second = add(&q, "b", 48, 30);
    queues_seal(&q);
    CHECK_EQ(allot_state_usage_at(q.state, 800), ALLOT_OK);
    CHECK_EQ(allot_state_usage(q.state, first, 1000, 500000), ALLOT_OK);
    allot_job job = queues_job("r", second, 3);
    allot_job_host place = {"h1", 3};
    job.state = ALLOT_RUNNING;
    job.hosts = &place;
    job.host_count = 1;
    job.started = 950;
    queues_put(&q, &job);
    queues_run(&q);
    allot_queue_part part;
    CHECK_EQ(allot_decision_queue(q.decision, first, &part), ALLOT_OK);
    CHECK_EQ(part.usage, 250);
    CHECK_EQ(part.usage_millionths, 125000);
    CHECK_EQ(allot_decision_queue(q.decision, second, &part), ALLOT_OK);
    CHECK_EQ(part.usage, 127);
    CHECK_EQ(part.usage_millionths, 206526);
    queues_end(&q);
}

/* a job larger than its queue's whole slice starts if the queue is below it; one that does
 * not fit in what is left of the slice waits for the rounds behind the last queue. */
static void large_jobs(void)
{
    queues q;
    begin(&q, 12);
    int32_t first = add(&q, "a", 50, 50), second = add(&q, "b", 48, 30);
    int32_t third = add(&q, "c", 46, 20);
    queues_seal(&q);
    queues_pending(&q, "a1", first, 4);
    queues_pending(&q, "a2", first, 4);
    queues_pending(&q, "b1", second, 5);
    queues_pending(&q, "c1", third, 3);
    CHECK_STR(queues_run(&q), "start a1@h1:4, start b1@h1:2+h2:3, start c1@h2:3");
    CHECK_STR(queues_why(&q, "a2"), "slice");
    queues_end(&q);

    begin(&q, 12);
    first = add(&q, "a", 50, 50), second = add(&q, "b", 48, 30);
    queues_seal(&q);
    queues_pending(&q, "a1", first, 4);
    queues_pending(&q, "a2", first, 4);
    queues_pending(&q, "b1", second, 3);
    queues_pending(&q, "b2", second, 3);
    CHECK_STR(queues_run(&q), "start a1@h1:4, start b1@h1:2+h2:1, start a2@h2:4 (leftover)");
    queues_end(&q);
}

/* what the slices leave goes to jobs by priority across the pool's queues. */
static void left_by_priority(void)
{
    queues q;
    begin(&q, 10);
    by_priority = 1;
    int32_t first = add(&q, "a", 50, 20), second = add(&q, "b", 48, 20);
    queues_seal(&q);
    for (int32_t i = 0; i < 8; i++) {
        char id[32];
        snprintf(id, sizeof id, "%c%d", i % 2 ? 'b' : 'a', i);
        allot_job job = queues_job(id, i % 2 ? second : first, 1);
        job.priority = 10 - i;
        queues_put(&q, &job);
    }
    CHECK_STR(queues_run(&q), "start a0@h1:1, start a2@h1:1, start b1@h1:1, start b3@h1:1, "
                              "start a4@h1:1 (priority), start b5@h2:1 (priority), "
                              "start a6@h2:1 (priority), start b7@h2:1 (priority)");
    queues_end(&q);
}

static void limited(allot_queue *queue)
{
    pooled(queue);
    queue->qjob_limit = 4;
}

/* QV-13, Q-33: a queue wants no more than its limit lets it have. */
static void limits_cut_what_is_wanted(void)
{
    queues q;
    begin(&q, 10);
    share = 50;
    int32_t first = queues_add(&q, "a", 50, limited), second = add(&q, "b", 48, 50);
    queues_seal(&q);
    burst(&q, first, 10);
    burst(&q, second, 10);
    queues_run(&q);
    allot_queue_part part;
    CHECK_EQ(allot_decision_queue(q.decision, second, &part), ALLOT_OK);
    CHECK_EQ(part.slice, 6);
    CHECK_EQ(part.started, 6);
    CHECK_EQ(started(&q, first), 4);
    CHECK_STR(queues_why(&q, "q0.7"), "limit qjob_limit of a 4/4");
    queues_end(&q);
}

int main(void)
{
    RUN(slices_are_kept_to);
    RUN(others_come_first);
    RUN(slices_are_cut_anew);
    RUN(pools_are_merged_with_others);
    RUN(use_over_share_comes_first);
    RUN(use_is_told_as_of_now);
    RUN(large_jobs);
    RUN(left_by_priority);
    RUN(limits_cut_what_is_wanted);
    return check_done();
}
