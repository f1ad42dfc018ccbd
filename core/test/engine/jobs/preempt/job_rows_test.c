/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job_rows_test.c: what rules read of jobs, of whom they are and of two queues. */
#include "engine/jobs/preempt/job_rows.h"

#include "model/state/state.h"
#include "test/support/queues.h"

enum { NEVER = 1000000000 };

typedef struct world {
    queues q;
    allot__arena arena;
    allot__work work;
    allot__host_view view;
    allot__job_rows rows;
    int32_t jobs[8];
} world;

static void open_rows(world *it)
{
    CHECK_EQ(allot_state_seal(it->q.state, it->q.it.report), ALLOT_OK);
    allot__arena_init(&it->arena, it->q.it.engine);
    CHECK_EQ(allot__work_init(&it->work, it->q.state->plan, it->q.state, 0, &it->arena, NULL),
             ALLOT_OK);
    CHECK_EQ(allot__host_view_make(&it->work, &it->view), ALLOT_OK);
    int32_t count = allot_state_jobs(it->q.state);
    for (int32_t i = 0; i < count; i++)
        it->jobs[i] = i;
    CHECK_EQ(allot__job_rows_make(&it->work, &it->view, it->jobs, count, &it->rows), ALLOT_OK);
}

static void close_rows(world *it)
{
    allot__arena_free(&it->arena);
    queues_end(&it->q);
}

static int64_t value(const world *it, int32_t row, int32_t column)
{
    int64_t room;
    const allot_source source = {ALLOT_FROM_COLUMN, column};
    return *allot__rowset_values(&it->rows.rows, source, row, 1, &room);
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static void add_job(world *it, allot_job job, allot_job_state state)
{
    const allot_job_host hosts[] = {{"h2", 1}, {"h1", 2}};
    const allot_job_host grown[] = {{"h2", 1}};
    job.state = state;
    job.hosts = state == ALLOT_PENDING ? NULL : hosts;
    job.host_count = state == ALLOT_PENDING ? 0 : 2;
    job.grown = grown;
    job.grown_count = state == ALLOT_RUNNING;
    queues_put(&it->q, &job);
}

/* Of one that runs, and of one that is pending. */
static const struct {
    int32_t column;
    int64_t running, pending;
} wanted[] = {{ALLOT_TASK_SLOTS, 4, 6},
              {ALLOT_TASK_STARTED, 900, 0},
              {ALLOT_TASK_SUBMITTED, 5, 0},
              {ALLOT_TASK_RAN, 450, 0},
              {ALLOT_TASK_LEAST_RAN, 450, 0},
              {ALLOT_TASK_PREEMPTED, 2, 0},
              {ALLOT_TASK_PRIORITY, -4, 0},
              {ALLOT_TASK_CREATED, 0, 0},
              {ALLOT_TASK_IMPORTANCE, 0, 0},
              {ALLOT_TASK_HOST, 1, (int64_t)1 << 53},
              {ALLOT_TASK_LOAD, 50, 0},
              {ALLOT_TASK_QUEUE, 0, 0},
              {ALLOT_TASK_QUEUE_PRIORITY, 7, 7},
              {ALLOT_TASK_UNINTERRUPTED, 100, 0},
              {ALLOT_TASK_REMAINING, 150, NEVER},
              {ALLOT_TASK_SUSPENDED_FOR, 30, 0},
              {ALLOT_TASK_PREEMPTIONS_LEFT, NEVER, NEVER},
              {ALLOT_TASK_PREEMPT_TIME_LEFT, NEVER, NEVER},
              {ALLOT_TASK_INTERVAL_OVER, NEVER, NEVER},
              {ALLOT_TASK_RUN_TIME_LEFT, NEVER, NEVER},
              {ALLOT_TASK_FINISH_TIME_LEFT, NEVER, NEVER},
              {ALLOT_TASK_PREFERENCE, 0, 0},
              {ALLOT_TASK_QUEUE_ORDER, 0, 0}};

/* Slots with those that it grew by, its least loaded host, and its times (A-3, P-52). */
static void test_jobs_by_themselves(void)
{
    world it;
    queues_begin(&it.q);
    queues_host(&it.q, "h1", 8);
    queues_host(&it.q, "h2", 8);
    int32_t queue = queues_add(&it.q, "q", 7, NULL);
    queues_seal(&it.q);
    CHECK_EQ(allot_state_host_load(it.q.state, "h1", 900), ALLOT_OK);
    CHECK_EQ(allot_state_host_load(it.q.state, "h2", 50), ALLOT_OK);
    allot_job job = queues_job("r", queue, 3);
    job.started = 900;
    job.ran = 450;
    job.submitted = 5;
    job.priority = -4;
    job.preempted = 2;
    job.suspended_for = 30;
    job.run_limit = 600;
    add_job(&it, job, ALLOT_RUNNING);
    add_job(&it, queues_job("p", queue, 6), ALLOT_PENDING);
    open_rows(&it);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        bool fine = CHECK_EQ(value(&it, 0, wanted[i].column), wanted[i].running) &&
                    CHECK_EQ(value(&it, 1, wanted[i].column), wanted[i].pending);
        if (!fine)
            printf("# %s\n", allot_rows_column_name(ALLOT_TASKS, wanted[i].column));
    }
    close_rows(&it);
}

/* ---- What protects --------------------------------------------------------------------------- */

static void shielded(allot_queue *queue)
{
    queue->protection.max_job_preempt = 3;
    queue->protection.max_total_time_preempt = 60;
    queue->protection.no_preempt_interval = 100;
    queue->protection.no_preempt_run_time = 451;
    queue->protection.no_preempt_finish_time = 149;
}

static void shielded_by_parts(allot_queue *queue)
{
    queue->protection.run_time_percent = 75;
    queue->protection.finish_time_percent = 25;
}

/* at 1 and more it may go: preempted below the most, run longer than the interval, less than
 * the run time, and with more to run than the finish time. */
static void test_protections(void)
{
    world it;
    queues_begin(&it.q);
    queues_host(&it.q, "h1", 9);
    queues_host(&it.q, "h2", 9);
    int32_t seconds = queues_add(&it.q, "s", 2, shielded);
    int32_t parts = queues_add(&it.q, "p", 1, shielded_by_parts);
    queues_seal(&it.q);
    allot_job job = queues_job("a", seconds, 3);
    job.started = 900;
    job.ran = 450;
    job.preempted = 2;
    job.suspended_for = 60;
    job.run_limit = 599;
    add_job(&it, job, ALLOT_SUSPENDED);
    job.id = "b";
    job.queue = parts;
    add_job(&it, job, ALLOT_SUSPENDED);
    job.id = "c";
    job.run_limit = -1;
    add_job(&it, job, ALLOT_SUSPENDED);
    open_rows(&it);
    CHECK_EQ(value(&it, 0, ALLOT_TASK_PREEMPTIONS_LEFT), 1);
    CHECK_EQ(value(&it, 0, ALLOT_TASK_PREEMPT_TIME_LEFT), 0);
    CHECK_EQ(value(&it, 0, ALLOT_TASK_INTERVAL_OVER), 0);
    CHECK_EQ(value(&it, 0, ALLOT_TASK_RUN_TIME_LEFT), 1);
    CHECK_EQ(value(&it, 0, ALLOT_TASK_FINISH_TIME_LEFT), 0);
    /* 75 % of 599 s are 449.25 s: who ran 450 s ran that long; 25 % are 149.75 s, and 149 are left.
     */
    CHECK_EQ(value(&it, 1, ALLOT_TASK_RUN_TIME_LEFT), 0);
    CHECK_EQ(value(&it, 1, ALLOT_TASK_FINISH_TIME_LEFT), 0);
    CHECK_EQ(value(&it, 1, ALLOT_TASK_PREEMPTIONS_LEFT), NEVER);
    CHECK_EQ(value(&it, 2, ALLOT_TASK_RUN_TIME_LEFT), NEVER); /* */
    CHECK_EQ(value(&it, 2, ALLOT_TASK_FINISH_TIME_LEFT), NEVER);
    close_rows(&it);
}

/* ---- Two queues ------------------------------------------------------------------------------ */

static void prefers(allot_queue *queue)
{
    static const allot_prefers low[] = {{"b", 0}, {"c", 2}, {"d", 2}, {"e", 1}, {"f", 2}};
    queue->preemptive = 1;
    queue->low = low;
    queue->low_count = 5;
}

static void preempts(allot_queue *queue)
{
    queue->preemptive = 1;
}

/* PV-3, P-11: by falling level, then rising PRIORITY; equal of both share a place. */
static void test_pairs(void)
{
    world it;
    int64_t preference[7], place[7];
    int32_t sorted[14];
    queues_begin(&it.q);
    queues_add(&it.q, "a", 9, prefers);
    queues_add(&it.q, "b", 1, preempts);
    queues_add(&it.q, "c", 4, NULL);
    queues_add(&it.q, "d", 3, NULL);
    queues_add(&it.q, "e", 2, preempts);
    queues_add(&it.q, "f", 3, NULL);
    queues_add(&it.q, "g", 1, NULL);
    queues_seal(&it.q);
    allot__job_pairs(it.q.it.plan, 0, preference, place, sorted);
    const int64_t levels[] = {0, 0, 2, 2, 1, 2, 0};
    const int64_t places[] = {0, 4, 2, 1, 3, 1, 0}; /* f as d; it may not preempt g */
    for (int32_t i = 0; i < 7; i++) {
        CHECK_EQ(preference[i], levels[i]);
        CHECK_EQ(place[i], places[i]);
    }
    allot__job_pairs(it.q.it.plan, 4, preference, place, sorted); /* it prefers nobody */
    for (int32_t i = 0; i < 7; i++)
        CHECK(preference[i] == 0 && place[i] == 0);
    queues_end(&it.q);
}

int main(void)
{
    RUN(test_jobs_by_themselves);
    RUN(test_protections);
    RUN(test_pairs);
    return check_done();
}
