/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* threads_test.c: engines in threads at once read plans, load policies, run cycles, and know
 * nothing of each other: each writes the decision of its own plan, every time. */
#include <pthread.h>

#include <allot/script.h>

#include "test/support/json_fixture.h"

enum { THREADS = 2, TIMES = 200, TEXT_MAX = 8192 };

typedef struct worker {
    char plan[400], decision[TEXT_MAX];
    size_t len;
    int failed; /* rounds that ended otherwise than they should: checks are the main thread's */
} worker;

typedef struct page {
    char text[TEXT_MAX];
    size_t len;
} page;

static int page_add(void *ud, const char *text, size_t len)
{
    page *page = ud;
    if (len > sizeof page->text - page->len)
        return 1;
    memcpy(page->text + page->len, text, len);
    page->len += len;
    return 0;
}

static int decide(allot_engine *engine, const worker *worker, page *out)
{
    static const char state_text[] =
        "{\"now\": 0, \"slots\": 20, \"consumers\": {\"/a\": {\"demand\": 30},"
        " \"/b\": {\"demand\": 3}}}";
    allot_policy_loader loader = {0};
    allot_report *report = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    int status = allot_script_loader_new(engine, NULL, &loader);
    if (status == ALLOT_OK)
        status = allot_report_new(engine, &report);
    if (status == ALLOT_OK)
        status = allot_plan_read(engine, worker->plan, strlen(worker->plan), "plan.json", &loader,
                                 report, &plan);
    if (status == ALLOT_OK)
        status =
            allot_state_read(plan, state_text, sizeof state_text - 1, "state.json", report, &state);
    if (status == ALLOT_OK)
        status = allot_cycle(plan, state, report, &decision);
    if (status == ALLOT_OK)
        status = allot_decision_write(decision, report, page_add, out);
    allot_decision_free(decision);
    allot_state_free(state);
    allot_plan_free(plan);
    allot_report_free(report);
    allot_script_loader_free(engine, &loader);
    return status;
}

/* One in four documents ends too early, so that the paths of faults run beside those that read. */
static int fails_as_it_should(allot_engine *engine, const worker *worker)
{
    allot_policy_loader loader = {.ud = NULL, .load = loader_load};
    allot_report *report = NULL;
    allot_plan *plan = NULL;
    int status = allot_report_new(engine, &report);
    if (status == ALLOT_OK)
        status = allot_plan_read(engine, worker->plan, strlen(worker->plan) - 3, "plan.json",
                                 &loader, report, &plan);
    int said = allot_report_total(report, ALLOT_ERROR) == 1;
    allot_plan_free(plan);
    allot_report_free(report);
    return status == ALLOT_EINVALID && said;
}

static void *work(void *ud)
{
    worker *worker = ud;
    allot_engine *engine = NULL;
    page page;
    if (allot_engine_new(NULL, NULL, &engine) != ALLOT_OK)
        worker->failed = TIMES;
    for (int i = 0; i < TIMES && engine; i++) {
        page.len = 0;
        int same = decide(engine, worker, &page) == ALLOT_OK && page.len == worker->len &&
                   memcmp(page.text, worker->decision, page.len) == 0;
        worker->failed += !same || (i % 4 == 0 && !fails_as_it_should(engine, worker));
    }
    allot_engine_free(engine);
    return NULL;
}

/* What the worker's plan comes to when nothing else runs: /a takes what /b owns and does not need.
 */
static void prepare(worker *worker, int owned)
{
    allot_engine *engine = NULL;
    page page = {.len = 0};
    char parts[80];
    snprintf(worker->plan, sizeof worker->plan,
             "{\"policy\": \"examples/capped/capped.lua\", \"consumers\": ["
             "{\"name\": \"a\", \"owned\": %d}, {\"name\": \"b\", \"owned\": %d}]}",
             owned, 20 - owned);
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(decide(engine, worker, &page), ALLOT_OK);
    memcpy(worker->decision, page.text, page.len);
    worker->len = page.len;
    page.text[page.len < sizeof page.text ? page.len : sizeof page.text - 1] = '\0';
    snprintf(parts, sizeof parts, "\"owned\": %d, \"shared\": %d}", owned, 17 - owned);
    CHECK(strstr(page.text, parts) != NULL);
    allot_engine_free(engine);
}

static void test_threads(void)
{
    static worker workers[THREADS];
    pthread_t threads[THREADS];
    int running = 0;
    for (int i = 0; i < THREADS; i++)
        prepare(&workers[i], 7 + 4 * i);
    while (running < THREADS &&
           CHECK_EQ(pthread_create(&threads[running], NULL, work, &workers[running]), 0))
        running++;
    for (int i = 0; i < running; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
        CHECK_EQ(workers[i].failed, 0);
    }
}

int main(void)
{
    RUN(test_threads);
    return check_done();
}
