/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job_seal_test.c: jobs checked against hosts, and what follows from them. */
#include "test/support/job_fixture.h"

/* Queues demand what all their jobs have, and hold what runs. */
static void queues_have_their_jobs_sums(void)
{
    scene it;
    begin(&it, 2);
    add_on(&it, job_of("a", 1, ALLOT_RUNNING, 2), "h1");
    add(&it, job_of("b", 0, ALLOT_PENDING, 7));
    add_on(&it, job_of("c", 1, ALLOT_SUSPENDED, 3), "h2");
    add_on(&it, job_of("d", 1, ALLOT_STOPPED, 1), "h2");
    add(&it, job_of("e", 1, ALLOT_PENDING, 5));
    for (int32_t round = 0; round < 3; round++) {
        seals(&it);
        CHECK_EQ(allot_state_demand_get(it.state, 0, 0), 7);
        CHECK_EQ(allot_state_allocated_get(it.state, 0, 0), 0);
        CHECK_EQ(allot_state_demand_get(it.state, 0, 1), 11 + round);
        CHECK_EQ(allot_state_allocated_get(it.state, 0, 1), 2);
        const allot__jobs *jobs = it.state->jobs;
        const int32_t wanted[] = {1, 0, 2, 3, 4, 5, 6};
        CHECK_EQ(jobs->first[0], 0);
        CHECK_EQ(jobs->first[1], 1);
        CHECK_EQ(jobs->first[2], 5 + round);
        for (int32_t i = 0; i < 5 + round; i++)
            CHECK_EQ(jobs->by_queue[i], wanted[i]);
        CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
        add(&it, job_of(round == 0 ? "f" : round == 1 ? "g" : "h", 1, ALLOT_PENDING, 1));
    }
    end(&it);
}

/* T: what the state says, else open hosts and what still runs on those that drain. */
static void how_many_slots_there_are(void)
{
    scene it;
    begin(&it, 3);
    add_on(&it, job_of("a", 1, ALLOT_RUNNING, 2), "h2");
    add_on(&it, job_of("b", 1, ALLOT_SUSPENDED, 1), "h2");
    CHECK_EQ(allot_state_host(it.state, "h2", -1, ALLOT_DRAIN), ALLOT_OK);
    CHECK_EQ(allot_state_host(it.state, "h3", -1, ALLOT_CLOSED_NOW), ALLOT_OK);
    seals(&it);
    CHECK_EQ(allot_state_slots_get(it.state, 0), 6);
    CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
    CHECK_EQ(allot_state_slots(it.state, 0, 21), ALLOT_OK);
    CHECK_EQ(allot_state_seal(it.state, it.base.report), ALLOT_OK);
    CHECK_STR(fixture_code(it.base.report, 0), "W-slots"); /* jobs go by hosts */
    CHECK_EQ(allot_state_slots_get(it.state, 0), 6);
    allot_report_clear(it.base.report);
    CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
    CHECK_EQ(allot_state_seal(it.state, it.base.report), ALLOT_OK);
    CHECK_STR(fixture_code(it.base.report, 0), "W-slots"); /* and each time that it is sealed */
    end(&it);
}

static void nobody_says_how_many(void)
{
    scene it;
    begin(&it, 0);
    CHECK_EQ(allot_state_seal(it.state, it.base.report), ALLOT_EINVALID);
    CHECK_STR(fixture_code(it.base.report, 0), "E-slots");
    CHECK_EQ(allot_state_slots(it.state, 0, 5), ALLOT_OK);
    CHECK_EQ(allot_state_seal(it.state, NULL), ALLOT_OK);
    end(&it);
}

/* Where no more than one host is known jobs need not name it. */
static void the_only_host(void)
{
    for (int32_t hosts = 0; hosts < 2; hosts++) {
        scene it;
        begin(&it, hosts);
        CHECK_EQ(hosts > 0 ? ALLOT_OK : allot_state_slots(it.state, 0, 9), ALLOT_OK);
        allot_job job = job_of("a", 0, ALLOT_RUNNING, 3), got;
        job.grown = &(allot_job_host){NULL, 2};
        job.grown_count = 1;
        add(&it, job);
        seals(&it);
        const allot__job *made = allot__job_at(it.state->jobs, 0);
        const allot__job_place *places = allot__job_places(made);
        CHECK_EQ(made->place_count, 1);
        CHECK_EQ(places->site, hosts - 1);
        CHECK_EQ(places->slots, 3);
        CHECK_EQ(places[1].site, hosts - 1);
        CHECK_EQ(allot_state_job_at(it.state, 0, &got), ALLOT_OK);
        CHECK_EQ(got.host_count, 0);
        CHECK_STR(got.grown[0].host, NULL);
        end(&it);
    }
}

static void which_of_several_hosts(void)
{
    for (int32_t state = ALLOT_RUNNING; state <= ALLOT_STOPPED; state++) {
        scene it;
        begin(&it, 2);
        add(&it, job_of("a", 0, (allot_job_state)state, 1));
        fails(&it, "E-hosts", "jobs[0].hosts");
    }
    scene it; /* the state knows the second */
    begin(&it, 1);
    add(&it, job_of("p", 0, ALLOT_PENDING, 1));
    add(&it, job_of("a", 0, ALLOT_RUNNING, 1));
    seals(&it);
    CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
    CHECK_EQ(allot_state_host(it.state, "new", 2, ALLOT_OPEN), ALLOT_OK);
    fails(&it, "E-hosts", "jobs[1].hosts");
}

static void hosts_that_nobody_knows(void)
{
    scene it;
    begin(&it, 1);
    add_on(&it, job_of("a", 0, ALLOT_RUNNING, 1), "nowhere");
    fails(&it, "E-host", "jobs[0].hosts");
    begin(&it, 1);
    add_on(&it, job_of("a", 0, ALLOT_RUNNING, 1), "new");
    CHECK_EQ(allot_state_host(it.state, "new", 2, ALLOT_OPEN), ALLOT_OK);
    seals(&it);
    end(&it);
    begin(&it, 1);
    allot_job job = job_of("a", 0, ALLOT_RUNNING, 1);
    job.grown = &(allot_job_host){"nowhere", 2};
    job.grown_count = 1;
    job.hosts = &(allot_job_host){"h1", 1};
    job.host_count = 1;
    add(&it, job);
    fails(&it, "E-host", "jobs[0].resize.granted");
}

static void hosts_and_slots_agree(void)
{
    scene it;
    const allot_job_host hosts[] = {{"h1", 2}, {"h2", 1}, {"h1", 1}};
    allot_job job = job_of("a", 0, ALLOT_RUNNING, 4);
    job.hosts = hosts;
    job.host_count = 2;
    begin(&it, 2);
    add(&it, job);
    fails(&it, "E-slots", "jobs[0].slots");
    begin(&it, 2);
    job.host_count = 3;
    add(&it, job);
    CHECK_EQ(allot_state_seal(it.state, it.base.report), ALLOT_EINVALID);
    CHECK_STR(allot_report_at(it.base.report, 0)->message, "job a names a host twice");
    allot_report_clear(it.base.report);
    fails(&it, "E-hosts", "jobs[0].hosts");
    begin(&it, 2);
    job.state = ALLOT_PENDING;
    add(&it, job);
    fails(&it, "E-hosts", "jobs[0].hosts");
}

/* Hosts shrink: more than a host has is no fault, nor is company of an exclusive job. */
static void more_than_a_host_has(void)
{
    scene it;
    begin(&it, 1);
    allot_job alone = job_of("a", 0, ALLOT_RUNNING, 3);
    alone.flags = ALLOT_JOB_EXCLUSIVE;
    add_on(&it, alone, "h1");
    add_on(&it, job_of("b", 1, ALLOT_RUNNING, 3), "h1");
    seals(&it);
    CHECK_EQ(allot_state_allocated_get(it.state, 0, 1), 3);
    end(&it);
}

/* P-51, P-53 */
static void what_may_be_resized(void)
{
    static const struct {
        allot_job_state state;
        int64_t grow;
        int32_t given, notifying;
        bool sound;
    } cases[] = {{ALLOT_PENDING, 1, 0, 0, false},
                 {ALLOT_PENDING, 0, 0, 1, false},
                 {ALLOT_RUNNING, 2, 1, 1, true},
                 {ALLOT_SUSPENDED, 2, 0, 0, true},
                 {ALLOT_SUSPENDED, 2, 1, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene it;
        begin(&it, 1);
        allot_job job = job_of("a", 0, cases[i].state, 1);
        job.grow = cases[i].grow;
        job.notifying = cases[i].notifying;
        job.grown = &(allot_job_host){"h1", 1};
        job.grown_count = cases[i].given;
        add(&it, job);
        if (!cases[i].sound) {
            fails(&it, "E-resize", "jobs[0].resize");
            continue;
        }
        seals(&it);
        end(&it);
    }
}

/* A job's own, its application's, its queue's. */
static void run_limits_and_time(void)
{
    scene it;
    begin(&it, 1);
    allot_job job = job_of("own", 1, ALLOT_PENDING, 1);
    job.run_limit = 5;
    job.application = "app";
    add(&it, job);
    job.id = "profile";
    job.run_limit = -1;
    add(&it, job);
    job.id = "other";
    job.application = "unheard of";
    add(&it, job);
    add(&it, job_of("none", 0, ALLOT_PENDING, 1));
    const int32_t limits[] = {5, 60, 600, ALLOT_NONE};
    for (int32_t round = 0; round < 2; round++) {
        seals(&it);
        for (int32_t i = 0; i < 4; i++)
            CHECK_EQ(allot__job_at(it.state->jobs, i)->run_limit, limits[i]);
        CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
    }
    allot__job ran = {.state = ALLOT_RUNNING, .ran = -1, .started = 400, .since = INT64_MIN};
    CHECK_EQ(allot__job_ran(&ran, 1000), 600);
    CHECK_EQ(allot__job_ran(&ran, 300), 0);
    ran.started = INT64_MIN;
    CHECK_EQ(allot__job_ran(&ran, 1000), 1000); /* as if since 1970 */
    ran.ran = 7;
    CHECK_EQ(allot__job_ran(&ran, 1000), 7);
    ran.since = 900;
    CHECK_EQ(allot__job_ran(&ran, 1000), 107);
    CHECK_EQ(allot__job_ran(&ran, 800), 7);
    ran.suspended_for = 5;
    CHECK_EQ(allot__job_suspended(&ran, 1000), 5);
    ran.state = ALLOT_STOPPED;
    CHECK_EQ(allot__job_suspended(&ran, 1000), 105);
    CHECK_EQ(allot__job_ran(&ran, 1000), 7);
    ran = (allot__job){.state = ALLOT_PENDING, .ran = -1, .started = 400};
    CHECK_EQ(allot__job_ran(&ran, 1000), 0);
    end(&it);
}

int main(void)
{
    RUN(queues_have_their_jobs_sums);
    RUN(how_many_slots_there_are);
    RUN(nobody_says_how_many);
    RUN(the_only_host);
    RUN(which_of_several_hosts);
    RUN(hosts_that_nobody_knows);
    RUN(hosts_and_slots_agree);
    RUN(more_than_a_host_has);
    RUN(what_may_be_resized);
    RUN(run_limits_and_time);
    return check_done();
}
