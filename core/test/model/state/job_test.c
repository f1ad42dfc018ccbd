/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job_test.c: jobs, and how queues were used, as they are added to a state. */
#include <allot/stated.h>

#include "test/support/job_fixture.h"

/* A job that says everything. */
static allot_job full_job(void)
{
    static const allot_job_host hosts[] = {{"h3", 2}, {"h1", 1}}, grown[] = {{"h2", 1}};
    static const char *const tags[] = {"urgent"};
    allot_job job = job_of("j1", 1, ALLOT_RUNNING, 3);
    job.hosts = hosts;
    job.grown = grown;
    job.tags = tags;
    job.host_count = 2;
    job.grown_count = job.tag_count = 1;
    job.submitted = 10;
    job.started = 20;
    job.ran = 30;
    job.suspended_for = 40;
    job.preempted = 5;
    job.priority = -6;
    job.user = "ann";
    job.group = "guests";
    job.application = "app";
    job.run_limit = 7;
    job.flags = ALLOT_JOB_EXCLUSIVE | ALLOT_JOB_BACKFILL;
    job.reserved_by = 0;
    job.until = 5000;
    job.grow = 2;
    job.notifying = 1;
    return job;
}

static void check_lists(const allot_job *got)
{
    CHECK_STR(got->id, "j1");
    CHECK_STR(got->hosts[0].host, "h3");
    CHECK_EQ(got->hosts[0].slots, 2);
    CHECK_STR(got->hosts[1].host, "h1");
    CHECK_EQ(got->host_count, 2);
    CHECK_STR(got->grown[0].host, "h2");
    CHECK_EQ(got->grown_count, 1);
    CHECK_STR(got->tags[0], "urgent");
    CHECK_STR(got->user, "ann");
    CHECK_STR(got->group, "guests");
    CHECK_STR(got->application, "app");
}

static void check_numbers(const allot_job *got)
{
    CHECK_EQ(got->queue, 1);
    CHECK_EQ(got->state, ALLOT_RUNNING);
    CHECK_EQ(got->slots, 3);
    CHECK_EQ(got->submitted, 10);
    CHECK_EQ(got->started, 20);
    CHECK_EQ(got->ran, 30);
    CHECK_EQ(got->suspended_for, 40);
    CHECK_EQ(got->preempted, 5);
    CHECK_EQ(got->priority, -6);
    CHECK_EQ(got->run_limit, 7);
    CHECK_EQ(got->flags, ALLOT_JOB_EXCLUSIVE | ALLOT_JOB_BACKFILL);
    CHECK_EQ(got->reserved_by, 0);
    CHECK_EQ(got->until, 5000);
    CHECK_EQ(got->grow, 2);
    CHECK_EQ(got->notifying, 1);
}

static void everything_comes_back(void)
{
    scene it;
    begin(&it, 3);
    allot_job got;
    add(&it, full_job());
    CHECK_EQ(allot_state_jobs(it.state), 1);
    CHECK_EQ(allot_state_job_find(it.state, "j1"), 0);
    CHECK_EQ(allot_state_job_find(it.state, "j2"), -1);
    CHECK_EQ(allot_state_job_at(it.state, 1, &got), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_job_at(it.state, 0, &got), ALLOT_OK);
    check_lists(&got);
    check_numbers(&got);
    seals(&it);
    CHECK_EQ(allot_state_job_at(it.state, 0, &got), ALLOT_OK);
    check_lists(&got);
    check_numbers(&got);
    const allot__job *made = allot__job_at(it.state->jobs, 0);
    const allot__job_place *places = allot__job_places(made);
    CHECK_EQ(places[0].site, 2); /* h3 */
    CHECK_EQ(places[1].site, 0);
    CHECK_EQ(places[2].site, 1);
    CHECK_EQ(made->user, 0);  /* the plan's */
    CHECK_EQ(made->group, 1); /* behind the plan's */
    CHECK_EQ(made->application, 0);
    CHECK_STR(allot__job_group(it.state, 1), "guests");
    CHECK_STR(allot__job_user(it.state, -1), NULL);
    end(&it);
}

/* Of a queue told of, at a time. */
static void how_queues_were_used(void)
{
    scene it;
    begin(&it, 1);
    CHECK_EQ(allot_state_usage(it.state, 1, (int64_t)1 << 62, 999999), ALLOT_OK);
    CHECK_EQ(allot_state_usage(it.state, 1, ((int64_t)1 << 62) + 1, 0), ALLOT_ERANGE);
    CHECK_EQ(allot_state_usage(it.state, 1, -1, 0), ALLOT_ERANGE);
    CHECK_EQ(allot_state_usage(it.state, 1, 0, 1000000), ALLOT_ERANGE);
    CHECK_EQ(allot_state_usage(it.state, 2, 0, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_usage_at(it.state, -5), ALLOT_OK);
    const allot__jobs *jobs = it.state->jobs;
    CHECK_EQ(jobs->usage[0].told, false);
    CHECK_EQ(jobs->usage[1].told, true);
    CHECK_EQ(jobs->usage[1].slot_seconds, (int64_t)1 << 62);
    CHECK_EQ(jobs->usage[1].millionths, 999999);
    CHECK_EQ(it.state->usage_at_set, true);
    CHECK_EQ(it.state->usage_at, -5);
    seals(&it);
    CHECK_EQ(allot_state_usage(it.state, 1, 0, 0), ALLOT_EUSAGE);
    end(&it);
}

static void calls_are_checked(void)
{
    scene it;
    begin(&it, 1);
    allot_job got;
    add(&it, job_of("a", 0, ALLOT_PENDING, 1));
#define TRY(change, wanted)                                                                        \
    do {                                                                                           \
        allot_job job = job_of("b", 0, ALLOT_PENDING, 1);                                          \
        job.change;                                                                                \
        CHECK_EQ(allot_state_job(it.state, &job), (wanted));                                       \
    } while (0)
    TRY(id = "a", ALLOT_EEXIST);
    TRY(id = "", ALLOT_ENAME);
    TRY(id = NULL, ALLOT_ENAME);
    TRY(user = "", ALLOT_ENAME);
    TRY(group = "a\nb", ALLOT_ENAME);
    TRY(application = "", ALLOT_ENAME);
    TRY(queue = 2, ALLOT_EUSAGE);
    TRY(queue = -1, ALLOT_EUSAGE);
    TRY(state = ALLOT_JOB_STATE_COUNT, ALLOT_EUSAGE);
    TRY(flags = 8, ALLOT_EUSAGE);
    TRY(reserved_by = 2, ALLOT_EUSAGE);
    TRY(host_count = 1, ALLOT_EUSAGE);
    TRY(tag_count = 1, ALLOT_EUSAGE);
    TRY(slots = 0, ALLOT_ERANGE);
    TRY(slots = (int64_t)ALLOT_AMOUNT_MAX + 1, ALLOT_ERANGE);
    TRY(ran = -2, ALLOT_ERANGE);
    TRY(suspended_for = -1, ALLOT_ERANGE);
    TRY(preempted = -1, ALLOT_ERANGE);
    TRY(run_limit = 0, ALLOT_ERANGE);
    TRY(grow = -1, ALLOT_ERANGE);
#undef TRY
    CHECK_EQ(allot_state_job(it.state, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_jobs(it.state), 1);
    CHECK_EQ(allot_state_job_at(it.state, 0, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_job_at(NULL, 0, &got), ALLOT_EUSAGE);
    CHECK_STR(allot_job_state_name(ALLOT_STOPPED), "stopped");
    CHECK_STR(allot_job_state_name(ALLOT_JOB_STATE_COUNT), NULL);
    end(&it);
}

static void queues_have_jobs_alone(void)
{
    scene it;
    begin(&it, 1);
    allot_task task = {.id = "t", .consumer = 0, .slots = 1};
    allot_session session = {.id = "s", .consumer = 0, .priority = 1};
    allot_loan loan = {.lender = 0, .borrower = 1, .slots = 1};
    allot_in_flight reclaim = {.consumer = 0, .slots = 1};
    CHECK_EQ(allot_state_task(it.state, &task), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_session(it.state, &session), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_loan(it.state, &loan), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_in_flight(it.state, &reclaim), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_demand(it.state, 0, 0, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_allocated(it.state, 0, 0, 1), ALLOT_EUSAGE);
    end(&it);
}

static void consumers_have_no_jobs(void)
{
    fixture it;
    fixture_begin(&it);
    allot_state *state;
    allot_job job = job_of("j", 0, ALLOT_PENDING, 1);
    fixture_add(it.plan, "/c");
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it.plan, &state), ALLOT_OK);
    CHECK_EQ(allot_state_job(state, &job), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_usage(state, 0, 1, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_usage_at(state, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_jobs(state), 0);
    CHECK_EQ(allot_state_seal(state, it.report), ALLOT_OK);
    CHECK(!state->jobs);
    allot_state_free(state);
    fixture_end(&it);
}

/* One job stays while others come and go, each with names of its own. */
static void names_of_ended_jobs_are_dropped(void)
{
    enum { COME = 11000 };
    scene it;
    begin(&it, 1);
    allot_job stays = job_of("stays", 0, ALLOT_RUNNING, 1), got;
    stays.user = "zoe";
    stays.group = "guests";
    add_on(&it, stays, "h1");
    for (int32_t i = 0; i < COME; i++) {
        char name[16];
        snprintf(name, sizeof name, "u%d", (int)i);
        allot_job job = job_of("goes", 0, ALLOT_PENDING, 1);
        job.user = job.application = name;
        add(&it, job);
        CHECK_EQ(allot_state_end(it.state, ALLOT_ITEM_JOB, "goes"), ALLOT_OK);
    }
    const allot__job_names *names = &it.state->jobs->names;
    CHECK_EQ(names->lists[0].count, COME + 1);
    seals(&it);
    CHECK_EQ(names->lists[0].count, 1);
    CHECK_EQ(names->lists[2].count, 0);
    CHECK_EQ(allot_state_job_at(it.state, 0, &got), ALLOT_OK);
    CHECK_STR(got.user, "zoe");
    CHECK_STR(got.group, "guests");
    CHECK_STR(got.hosts[0].host, "h1");
    CHECK_EQ(allot__job_places(allot__job_at(it.state->jobs, 0))->site, 0);
    end(&it);
}

/* The other plan has a user, and a queue before the job's, that the first has not. */
static void jobs_move_to_another_plan(void)
{
    scene it;
    begin(&it, 1);
    const allot_job_host place = {"h1", 1};
    allot_job job = job_of("a", 1, ALLOT_RUNNING, 1), got;
    job.hosts = &place;
    job.host_count = 1;
    job.user = "zoe";
    job.group = "staff";
    job.flags = ALLOT_JOB_BACKFILL;
    job.reserved_by = 0;
    add(&it, job);
    seals(&it);
    fixture other;
    allot_state *moved;
    queues_begin(&other);
    CHECK_EQ(allot_plan_host(other.plan, "h1", 0, 4), ALLOT_OK);
    const char *const queues[] = {"new", "high", "low"};
    for (int32_t i = 0; i < 3; i++) {
        allot_queue queue = queue_named(queues[i], i);
        CHECK_EQ(queue_add(&other, &queue), ALLOT_OK);
    }
    CHECK_EQ(allot_plan_users(other.plan, "others", (const char *const[]){"zoe"}, 1), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(other.plan, other.report), ALLOT_OK);
    CHECK_EQ(allot_state_move(it.state, other.plan, other.report, &moved), ALLOT_OK);
    CHECK_EQ(allot_state_seal(moved, other.report), ALLOT_OK);
    CHECK_EQ(allot_state_job_at(moved, 0, &got), ALLOT_OK);
    CHECK_EQ(got.queue, 2);
    CHECK_EQ(got.reserved_by, 1);
    CHECK_STR(got.user, "zoe");
    CHECK_STR(got.group, "staff");
    CHECK_STR(got.hosts[0].host, "h1");
    CHECK_EQ(allot__job_at(moved->jobs, 0)->user, 0);
    CHECK_EQ(allot__job_at(moved->jobs, 0)->group, 1);
    allot_state_free(moved);
    fixture_end(&other);
    end(&it);
}

int main(void)
{
    RUN(everything_comes_back);
    RUN(how_queues_were_used);
    RUN(calls_are_checked);
    RUN(queues_have_jobs_alone);
    RUN(consumers_have_no_jobs);
    RUN(names_of_ended_jobs_are_dropped);
    RUN(jobs_move_to_another_plan);
    return check_done();
}
