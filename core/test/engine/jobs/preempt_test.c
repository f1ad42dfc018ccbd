/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* preempt_test.c: whole cycles over queues that preempt. */
#include "test/support/queues.h"

static int32_t low, mid, high;

static void preemptive(allot_queue *queue)
{
    queue->preemptive = 1;
}

static void begin(queues *q, int32_t slots, void (*set_low)(allot_queue *queue),
                  void (*set_high)(allot_queue *queue))
{
    queues_begin(q);
    queues_host(q, "h1", slots);
    low = queues_add(q, "low", 1, set_low);
    mid = queues_add(q, "mid", 5, NULL);
    high = queues_add(q, "high", 9, set_high);
    queues_seal(q);
}

/* PV-10: who goes stands before who comes; a host's total does not count who is suspended. */
static void one_goes_one_comes(void)
{
    queues q;
    begin(&q, 2, NULL, preemptive);
    queues_on(&q, "l1", low, ALLOT_RUNNING, "h1", 1);
    queues_on(&q, "l2", low, ALLOT_RUNNING, "h1", 1);
    queues_pending(&q, "m", mid, 1);
    queues_pending(&q, "h", high, 1);
    CHECK_STR(queues_run(&q), "suspend l2@h1:1 (preempted), start h@h1:1 (preempted)");
    CHECK_STR(queues_why(&q, "m"), "slots");
    queues_end(&q);
}

static void limited(allot_queue *queue)
{
    queue->preemptive = 1;
    queue->qjob_limit = 1;
}

/* PV-10, P-22: the queue's own limit counts its suspended job; nobody goes for nothing (P-23). */
static void own_limits_count_suspended_jobs(void)
{
    queues q;
    begin(&q, 2, NULL, limited);
    queues_on(&q, "l1", low, ALLOT_RUNNING, "h1", 1);
    queues_on(&q, "l2", low, ALLOT_RUNNING, "h1", 1);
    queues_on(&q, "s", high, ALLOT_STOPPED, "h1", 1);
    queues_pending(&q, "h", high, 1);
    CHECK_STR(queues_run(&q), "");
    CHECK_STR(queues_why(&q, "h"), "limit qjob_limit of high 1/1");
    queues_end(&q);
}

/* P-35: a suspended job preempts on its own host; a pending one once its delay is over. */
static void delayed(allot_queue *queue)
{
    queue->preemptive = 1;
    queue->protection.preempt_delay = 60;
}

static void delays(void)
{
    for (int32_t age = 59; age <= 60; age++) {
        queues q;
        begin(&q, 2, NULL, delayed);
        queues_on(&q, "l1", low, ALLOT_RUNNING, "h1", 2);
        allot_job job = queues_job("h", high, 1);
        job.submitted = 1000 - age;
        queues_put(&q, &job);
        CHECK_STR(queues_run(&q),
                  age < 60 ? "" : "suspend l1@h1:2 (preempted), start h@h1:1 (preempted)");
        CHECK_STR(queues_why(&q, "h"), age < 60 ? "delay" : "not");
        queues_end(&q);
    }
    queues q;
    begin(&q, 2, NULL, delayed);
    queues_on(&q, "l1", low, ALLOT_RUNNING, "h1", 2);
    queues_on(&q, "s", high, ALLOT_SUSPENDED, "h1", 1);
    CHECK_STR(queues_run(&q), "suspend l1@h1:2 (preempted), resume s@h1:1 (preempted)");
    queues_end(&q);
}

static void killed(allot_queue *queue)
{
    queue->on_preempt = ALLOT_KILL;
}

static void requeued(allot_queue *queue)
{
    queue->on_preempt = ALLOT_REQUEUE;
}

/* P-41; slots of what is killed are everybody's, those of what is suspended are not (P-25). */
static void actions(void)
{
    queues q;
    begin(&q, 3, killed, preemptive);
    queues_on(&q, "l", low, ALLOT_RUNNING, "h1", 3);
    queues_pending(&q, "h", high, 1);
    queues_pending(&q, "m", mid, 1);
    CHECK_STR(queues_run(&q), "kill l@h1:3 (preempted), start h@h1:1 (preempted), start m@h1:1");
    queues_end(&q);
    begin(&q, 3, requeued, preemptive);
    queues_on(&q, "l", low, ALLOT_RUNNING, "h1", 3);
    queues_pending(&q, "h", high, 1);
    CHECK_STR(queues_run(&q), "kill l@h1:3 (preempted), start h@h1:1 (preempted)");
    queues_end(&q);
    begin(&q, 3, NULL, preemptive);
    queues_on(&q, "l", low, ALLOT_RUNNING, "h1", 3);
    queues_pending(&q, "h", high, 1);
    queues_pending(&q, "m", mid, 1);
    CHECK_STR(queues_run(&q), "suspend l@h1:3 (preempted), start h@h1:1 (preempted)");
    CHECK_STR(queues_why(&q, "m"), "slots");
    queues_end(&q);
}

/* not enough for the whole job, so nobody goes. */
static void all_or_nothing(void)
{
    queues q;
    begin(&q, 4, NULL, preemptive);
    queues_on(&q, "m", mid, ALLOT_RUNNING, "h1", 2);
    queues_on(&q, "x", high, ALLOT_RUNNING, "h1", 2);
    queues_pending(&q, "h", high, 3);
    queues_pending(&q, "i", high, 2);
    CHECK_STR(queues_run(&q), "suspend m@h1:2 (preempted), start i@h1:2 (preempted)");
    CHECK_STR(queues_why(&q, "h"), "few");
    queues_end(&q);
}

/* who is being told of new slots goes when that is over; what it frees is nobody else's. */
static void held_back(void)
{
    queues q;
    begin(&q, 3, NULL, preemptive);
    allot_job job = queues_job("l", low, 2);
    allot_job_host place = {"h1", 2};
    job.state = ALLOT_RUNNING;
    job.hosts = &place;
    job.host_count = 1;
    job.notifying = 1;
    queues_put(&q, &job);
    queues_pending(&q, "h", high, 2);
    queues_pending(&q, "i", high, 2);
    queues_pending(&q, "m", mid, 1);
    CHECK_STR(queues_run(&q), "suspend l@h1:2 (preempted)");
    allot_job_order order;
    CHECK_EQ(allot_decision_job_order(q.decision, 0, &order), ALLOT_OK);
    CHECK_EQ(order.held, 1);
    CHECK_EQ(order.preempted, 0);
    CHECK_STR(queues_why(&q, "h"), "held");
    CHECK_STR(queues_why(&q, "m"), "slots");
    queues_end(&q);
}

/* P-52, P-53: a victim frees what it was given to grow by, too. */
static void grown_victims(void)
{
    queues q;
    begin(&q, 4, NULL, preemptive);
    allot_job job = queues_job("l", low, 2);
    allot_job_host place = {"h1", 2}, more = {"h1", 2};
    job.state = ALLOT_RUNNING;
    job.hosts = &place;
    job.host_count = 1;
    job.grow = 2;
    job.grown = &more;
    job.grown_count = 1;
    queues_put(&q, &job);
    queues_pending(&q, "h", high, 4);
    CHECK_STR(queues_run(&q), "suspend l@h1:2 (preempted), start h@h1:4 (preempted)");
    allot_job_order order;
    CHECK_EQ(allot_decision_job_order(q.decision, 0, &order), ALLOT_OK);
    CHECK_EQ(order.slots, 4);
    CHECK_EQ(order.cancelled, 2);
    CHECK_EQ(order.preempted, 1);
    queues_end(&q);
}

static void interruptible(allot_queue *queue)
{
    queue->backfill = 1;
    queue->interruptible_backfill = 60;
    queue->run_limit = 600;
}

/* P-43: who runs on slots that are due goes, whoever wants them. */
static void due_reservations(void)
{
    queues q;
    begin(&q, 2, interruptible, NULL);
    allot_job job = queues_job("b", low, 1);
    allot_job_host place = {"h1", 1};
    job.state = ALLOT_RUNNING;
    job.hosts = &place;
    job.host_count = 1;
    job.flags = ALLOT_JOB_BACKFILL;
    job.until = 1000;
    queues_put(&q, &job);
    job.id = "c";
    job.until = 1001;
    queues_put(&q, &job);
    queues_pending(&q, "m", mid, 1);
    CHECK_STR(queues_run(&q), "kill b@h1:1 (reservation-due), start m@h1:1");
    queues_end(&q);
}

int main(void)
{
    RUN(one_goes_one_comes);
    RUN(own_limits_count_suspended_jobs);
    RUN(delays);
    RUN(actions);
    RUN(all_or_nothing);
    RUN(held_back);
    RUN(grown_victims);
    RUN(due_reservations);
    return check_done();
}
