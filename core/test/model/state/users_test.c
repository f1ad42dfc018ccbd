/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* users_test.c: the use of jobs' users (C-14) over changes of their numbers: names that are
 * dropped, other plans, and memory that ends. */
#include <allot/stated.h>

#include "model/state/job.h"
#include "test/support/queues.h"

enum { USERS = 7, JOBS = 11000 /* more than are kept before names are dropped */ };

/* A plan with a queue whose policy reads use, which does not fade; it names the last users first.
 */
static void begin(queues *q, int32_t named)
{
    const allot_key least = {{ALLOT_FROM_COLUMN, ALLOT_TASK_USAGE}, 0};
    memset(q, 0, sizeof *q);
    CHECK_EQ(allot_engine_new(oom_alloc, &q->it.memory, &q->it.engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(q->it.engine, &q->it.report), ALLOT_OK);
    CHECK_EQ(allot_policy_new(q->it.engine, "least", &q->it.policy), ALLOT_OK);
    CHECK_EQ(allot_policy_dispatch(q->it.policy, &least, 1), ALLOT_OK);
    CHECK_EQ(allot_plan_new(q->it.engine, &q->it.plan), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(q->it.plan, ALLOT_ALL, q->it.policy), ALLOT_OK);
    CHECK_EQ(allot_plan_slots(q->it.plan, 0, 100), ALLOT_OK);
    CHECK_EQ(allot_plan_decay(q->it.plan, &(allot_decay){0, 2}), ALLOT_OK);
    queues_add(q, "q", 1, NULL);
    for (int32_t i = 0; i < named; i++) {
        char group[] = {'g', (char)('0' + i), '\0'}, user[] = {'u', (char)('0' + USERS - i), '\0'};
        const char *list[] = {user};
        CHECK_EQ(allot_plan_users(q->it.plan, group, list, 1), ALLOT_OK);
    }
    queues_seal(q);
}

static allot_job job_of(int32_t number, char *id, char *user)
{
    snprintf(id, 16, "j%d", (int)number);
    user[0] = 'u';
    user[1] = (char)('0' + number % USERS);
    user[2] = '\0';
    allot_job job = queues_job(id, 0, 1 + number % USERS);
    job.state = ALLOT_RUNNING;
    job.user = user;
    return job;
}

/* Each user's job runs for two seconds, again and again; the last one of each goes on. */
static void run(queues *q)
{
    char id[16], user[4];
    CHECK_EQ(allot_state_begin(q->state), ALLOT_OK);
    for (int32_t i = 0; i < JOBS; i++) {
        const allot_job job = job_of(i, id, user);
        CHECK_EQ(allot_state_now(q->state, 1000 + i), ALLOT_OK);
        CHECK_EQ(allot_state_job(q->state, &job), ALLOT_OK);
        if (i >= 2 && i < JOBS - USERS + 2) {
            snprintf(id, sizeof id, "j%d", (int)i - 2);
            CHECK_EQ(allot_state_end(q->state, ALLOT_ITEM_JOB, id), ALLOT_OK);
        }
    }
    CHECK_EQ(allot_state_now(q->state, 1000 + JOBS + 5), ALLOT_OK);
}

/* What a user's jobs have used at the end. */
static int64_t wanted(int32_t user)
{
    int64_t sum = 0;
    for (int32_t i = user; i < JOBS; i += USERS)
        sum += (int64_t)(1 + user) * (i < JOBS - USERS ? 2 : JOBS + 5 - i);
    return sum;
}

static bool is_used(const allot_state *state, int32_t user, int64_t use)
{
    char name[] = {'u', (char)('0' + user), '\0'};
    for (int32_t i = 0; i < allot_state_users(state); i++)
        if (strcmp(allot__job_user(state, i), name) == 0)
            return allot__user_usage(state, i).slot_seconds == use;
    return use == 0;
}

static bool all_used(const allot_state *state)
{
    bool all = true;
    for (int32_t user = 0; user < USERS; user++)
        all = all && is_used(state, user, wanted(user));
    return all;
}

static void stays_when_names_are_dropped(void)
{
    queues q;
    allot_stated_user gone = {"nobody", 0, 0, INT64_MIN};
    begin(&q, 2);
    CHECK_EQ(allot_state_user_set(q.state, &gone), ALLOT_OK);
    run(&q);
    CHECK(all_used(q.state));
    int32_t known = allot_state_users(q.state);
    long calls = 1;
    for (int status = ALLOT_ENOMEM; status == ALLOT_ENOMEM; calls++) {
        q.it.memory.fail_at = q.it.memory.calls + calls;
        status = allot_state_seal(q.state, q.it.report);
        q.it.memory.fail_at = 0;
        CHECK(all_used(q.state));
        CHECK(status == ALLOT_OK || status == ALLOT_ENOMEM);
    }
    CHECK(calls > 3);
    CHECK_EQ(allot_state_users(q.state), known - 1);
    queues_end(&q);
}

static void goes_over_to_another_plan(void)
{
    queues q, other;
    allot_state *copy, *moved;
    begin(&q, 2);
    begin(&other, 5);
    run(&q);
    CHECK_EQ(allot_state_copy(q.state, other.it.plan, NULL, &copy), ALLOT_OK);
    CHECK(all_used(copy));
    CHECK(all_used(q.state));
    allot_state_free(copy);
    int status = ALLOT_ENOMEM;
    for (long calls = 1; status == ALLOT_ENOMEM; calls++) {
        other.it.memory.fail_at = other.it.memory.calls + calls;
        status = allot_state_copy(q.state, other.it.plan, NULL, &moved);
        other.it.memory.fail_at = 0;
    }
    CHECK_EQ(status, ALLOT_OK);
    CHECK(all_used(moved));
    CHECK_EQ(allot_state_end(moved, ALLOT_ITEM_JOB, "j10999"), ALLOT_OK);
    CHECK_EQ(allot_state_now(moved, 1000 + JOBS + 500), ALLOT_OK);
    CHECK(is_used(moved, 10999 % USERS, wanted(10999 % USERS)));
    CHECK(!is_used(moved, 10998 % USERS, wanted(10998 % USERS)));
    allot_state_free(moved);
    queues_end(&other);
    queues_end(&q);
}

/* Plans of one engine move jobs as they are. */
static void moves_with_its_jobs(void)
{
    queues q;
    allot_plan *plan;
    allot_state *moved;
    begin(&q, 0);
    run(&q);
    CHECK_EQ(allot_plan_new(q.it.engine, &plan), ALLOT_OK);
    allot_plan *first = q.it.plan;
    q.it.plan = plan;
    CHECK_EQ(allot_plan_policy(plan, ALLOT_ALL, q.it.policy), ALLOT_OK);
    CHECK_EQ(allot_plan_slots(plan, 0, 100), ALLOT_OK);
    CHECK_EQ(allot_plan_decay(plan, &(allot_decay){0, 2}), ALLOT_OK);
    queues_add(&q, "before", 1, NULL);
    queues_add(&q, "q", 1, NULL);
    CHECK_EQ(allot_plan_seal(plan, q.it.report), ALLOT_OK);
    CHECK_EQ(allot_state_move(q.state, plan, q.it.report, &moved), ALLOT_OK);
    CHECK(all_used(moved));
    CHECK_EQ(allot_state_clear_items(moved, ALLOT_ITEM_JOB), ALLOT_OK);
    CHECK_EQ(allot_state_now(moved, 1000 + JOBS + 500), ALLOT_OK);
    CHECK(all_used(moved));
    allot_state_free(moved);
    allot_state_free(q.state);
    q.state = NULL;
    allot_plan_free(first);
    queues_end(&q);
}

int main(void)
{
    RUN(stays_when_names_are_dropped);
    RUN(goes_over_to_another_plan);
    RUN(moves_with_its_jobs);
    return check_done();
}
