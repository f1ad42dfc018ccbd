/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* apply_test.c: decisions carried out: as a service does, out of memory, and in the wrong state. */
#include <allot/apply.h>
#include <allot/stated.h>

#include "test/support/json_fixture.h"

static struct paper {
    char text[20000];
    size_t len;
} paper;

static int write_paper(void *ud, const char *text, size_t len)
{
    (void)ud;
    if (paper.len + len >= sizeof paper.text)
        return 1;
    memcpy(paper.text + paper.len, text, len);
    paper.len += len;
    paper.text[paper.len] = '\0';
    return 0;
}

static const char *text_of(const allot_state *state)
{
    memset(&paper, 0, sizeof paper);
    CHECK_EQ(allot_state_write(state, write_paper, NULL), ALLOT_OK);
    return paper.text;
}

/* Of 10 slots b has 7 and owns 4. A task of c starts; that of a waits for what b gives back. */
static const char site[] = "{\"hosts\": {\"h1\": {\"slots\": 4}, \"h2\": {\"slots\": 6}}, "
                           "\"policy\": \"hybrid\", \"options\": {\"reclaim_interval\": 5}, "
                           "\"consumers\": [{\"name\": \"c\", \"owned\": 1}, "
                           "{\"name\": \"a\", \"owned\": 5}, "
                           "{\"name\": \"b\", \"owned\": 4, \"grace\": 30}]}";
static const char held[] =
    "{\"now\": 100, \"consumers\": {\"/b\": {\"demand\": 9, \"allocated\": 7}}, \"tasks\": ["
    "{\"id\": \"now\", \"consumer\": \"/c\", \"state\": \"pending\"}, "
    "{\"id\": \"w\", \"consumer\": \"/a\", \"slots\": 5, \"state\": \"pending\"}, "
    "{\"id\": \"b1\", \"consumer\": \"/b\", \"slots\": 3, \"host\": \"h2\", \"started\": 5}, "
    "{\"id\": \"b2\", \"consumer\": \"/b\", \"slots\": 4, \"host\": \"h1\", \"started\": 2}], "
    "\"reclaims\": [{\"id\": \"r0\", \"consumer\": \"/b\", \"slots\": 1, \"gone\": 1}]}";

static const char queues[] =
    "{\"policy\": \"preemption\", \"hosts\": {\"h\": {\"slots\": 4}}, \"queues\": ["
    "{\"name\": \"hi\", \"priority\": 9, \"preemptive\": true}, {\"name\": \"lo\"}]}";
static const char jobs[] =
    "{\"now\": 100, \"jobs\": [{\"id\": \"l\", \"queue\": \"lo\", \"slots\": 3, \"state\": "
    "\"running\", \"hosts\": {\"h\": 3}, \"started\": 40}, "
    "{\"id\": \"u\", \"queue\": \"hi\", \"slots\": 4}]}";

static allot_decision *decide(bench *it, const char *state)
{
    allot_decision *decision = NULL;
    CHECK_EQ(bench_state(it, state), ALLOT_OK);
    CHECK_EQ(allot_cycle(it->plan, it->state, it->report, &decision), ALLOT_OK);
    return decision;
}

/* ---- What a service does --------------------------------------------------------------------- */

static void test_waits_for_words(void)
{
    bench it;
    allot_in_flight flight;
    allot_task task;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, site), ALLOT_OK);
    allot_decision *decision = decide(&it, held);
    CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
    CHECK_EQ(allot_state_apply(it.state, decision, NULL), ALLOT_OK);
    allot_decision_free(decision);
    CHECK_EQ(allot_state_seal(it.state, it.report), ALLOT_OK);
    CHECK_EQ(allot_state_tasks(it.state), 4);
    CHECK_EQ(allot_state_task_at(it.state, 0, &task), ALLOT_OK);
    CHECK_EQ(task.state, ALLOT_TASK_PENDING);    /* its source says when it has started */
    CHECK_EQ(allot_state_reclaims(it.state), 1); /* the old one was over */
    CHECK_EQ(allot_state_reclaim_at(it.state, 0, &flight), ALLOT_OK);
    CHECK_STR(flight.id, "r1"); /* r0 was there still */
    CHECK_EQ(flight.slots, 3);
    CHECK_EQ(flight.deadline, 130);
    CHECK_STR(flight.tasks[0], "b1");
    CHECK_EQ(allot_state_allocated_get(it.state, 0, bench_find(&it, "/b")), 7);
    bench_end(&it);
}

/* The slots of a reclaim are back: once, and no more. */
static void test_return(void)
{
    bench it;
    int32_t b;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, site), ALLOT_OK);
    CHECK_EQ(bench_state(&it, held), ALLOT_OK);
    b = bench_find(&it, "/b");
    const allot_in_flight more = {
        .id = "r1", .consumer = b, .slots = 3, .tasks = (const char *[]){"b1"}, .task_count = 1};
    CHECK_EQ(allot_state_reclaim_return(it.state, 0, 0), ALLOT_EUSAGE); /* it is sealed */
    allot_state_open(it.state);
    CHECK_EQ(allot_state_in_flight(it.state, &more), ALLOT_OK);
    CHECK_EQ(allot_state_reclaim_return(it.state, 2, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_reclaim_return(it.state, 0, 0), ALLOT_OK); /* they were back before */
    CHECK_EQ(allot_state_reclaim_return(it.state, 0, 0), ALLOT_ENOENT);
    CHECK_EQ(allot_state_reclaim_return(it.state, 1, ALLOT_RECLAIM_STAYS | ALLOT_TASKS_WAIT),
             ALLOT_OK);
    CHECK_EQ(allot_state_reclaim_return(it.state, 1, ALLOT_RECLAIM_STAYS), ALLOT_OK);
    CHECK_EQ(allot_state_seal(it.state, it.report), ALLOT_OK);
    CHECK_EQ(allot_state_reclaims(it.state), 1);
    CHECK_EQ(allot_state_allocated_get(it.state, 0, b), 4);
    CHECK_EQ(allot_state_tasks(it.state), 4);
    bench_end(&it);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* With each allocation failing once: a state that was not changed is as it was. */
static void fail_each(const char *plan, const char *state)
{
    static const allot_apply how = {.starts = 1, .task_ids = "t", .reclaim_ids = "new"};
    static char before[sizeof paper.text];
    int status = ALLOT_ENOMEM;
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, plan), ALLOT_OK);
    for (long i = 1; status == ALLOT_ENOMEM; i++) {
        allot_decision *decision = decide(&it, state);
        strcpy(before, text_of(it.state));
        allot_state_open(it.state);
        it.memory.fail_at = it.memory.calls + i;
        status = allot_state_apply(it.state, decision, &how);
        it.memory.fail_at = 0;
        CHECK(status == ALLOT_ENOMEM || (status == ALLOT_OK && i > 4));
        allot_decision_free(decision);
        CHECK_EQ(allot_state_seal(it.state, it.report), ALLOT_OK);
        CHECK_EQ(strcmp(before, text_of(it.state)) == 0, status == ALLOT_ENOMEM);
    }
    bench_end(&it);
}

static void test_memory(void)
{
    fail_each(site, held);
    fail_each(queues, jobs);
}

/* ---- Misuse ---------------------------------------------------------------------------------- */

static void test_usage(void)
{
    static char stem[260];
    bench it;
    allot_decision *early = NULL;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, site), ALLOT_OK);
    allot_decision *decision = decide(&it, held);
    CHECK_EQ(allot_state_apply(it.state, decision, NULL), ALLOT_EUSAGE); /* it is sealed */
    CHECK_EQ(allot_state_apply(NULL, decision, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_apply(it.state, NULL, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_cycle_until(it.plan, it.state, ALLOT_STAGE_RECLAIM, NULL, &early), ALLOT_OK);
    allot_state_open(it.state);
    CHECK_EQ(allot_state_apply(it.state, early, NULL), ALLOT_EUSAGE); /* it has no orders */
    memset(stem, 'x', 255);
    const allot_apply how = {.reclaim_ids = stem};
    CHECK_EQ(allot_state_apply(it.state, decision, &how), ALLOT_ENAME);
    CHECK_EQ(allot_state_reclaims(it.state), 1);
    allot_decision_free(early);
    allot_decision_free(decision);
    bench_end(&it);
}

int main(void)
{
    RUN(test_waits_for_words);
    RUN(test_return);
    RUN(test_memory);
    RUN(test_usage);
    return check_done();
}
