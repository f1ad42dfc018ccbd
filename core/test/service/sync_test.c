/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sync_test.c: a truth that is told while memory runs out, or while the service stops. */
#include "service/sync/own.h"
#include "test/support/oom.h"
#include "test/support/service_fixture.h"

static const char first[] =
    "{\"slots\": 28, \"hosts\": {\"h1\": {\"slots\": 20}, \"h2\": {\"slots\": 8}}, "
    "\"consumers\": {\"/a\": {\"demand\": 9, \"allocated\": 7}, \"/b\": {}}, "
    "\"sessions\": [{\"id\": \"s1\", \"consumer\": \"/a\"}, {\"id\": \"s2\", \"consumer\": "
    "\"/b\"}], \"tasks\": [{\"id\": \"t1\", \"consumer\": \"/a\", \"host\": \"h1\", \"slots\": 2}, "
    "{\"id\": \"t2\", \"consumer\": \"/b\", \"tags\": [\"x\"]}, {\"id\": \"t3\", \"consumer\": "
    "\"/b\"}]}";
/* Something of each kind ends, changes, begins; and a row that is wrong. */
static const char second[] =
    "{\"slots\": 29, \"hosts\": {\"h1\": {\"slots\": 21}, \"h3\": {\"slots\": 8}}, "
    "\"consumers\": {\"/a\": {\"demand\": 12}, \"/b\": {\"unlisted\": 1}}, "
    "\"sessions\": [{\"id\": \"s1\", \"consumer\": \"/a\", \"priority\": 2}, {\"id\": \"s3\", "
    "\"consumer\": \"/b\"}], \"tasks\": [{\"id\": \"t1\", \"consumer\": \"/b\", \"slots\": 3}, "
    "{\"id\": \"t2\", \"consumer\": \"/b\", \"slots\": 2}, {\"id\": \"t4\", \"consumer\": \"/a\", "
    "\"slot\": 1, \"host\": \"h3\"}, {\"id\": \"t5\", \"consumer\": \"/a\", \"state\": "
    "\"pending\"}, {\"id\": \"t6\", \"consumer\": \"/nowhere\"}]}";

/* ---- Memory ---------------------------------------------------------------------------------- */

static world reading;

static int read_truth(allot_engine *engine)
{
    static const char *const texts[] = {first, second, "{\"source\": \"s\", \"key\": \"k\"}"};
    const allot_plan *plan = reading.service->generation->plan;
    int status = ALLOT_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == ALLOT_OK; i++) {
        allot__truth *truth = NULL;
        status = allot__truth_new(engine, plan, 5000, &truth);
        if (status == ALLOT_OK)
            status = allot__truth_read(truth, texts[i], strlen(texts[i]));
        if (truth)
            CHECK(status != ALLOT_OK || truth->dropped_count == (i == 1));
        allot__truth_free(truth);
    }
    return status;
}

static void test_no_memory_to_read(void)
{
    open_world(&reading);
    CHECK_EQ(start(&reading, ":memory:"), ALLOT_OK);
    CHECK(oom_each(read_truth));
    stop(&reading);
    close_world(&reading);
}

/* As the call does it, with an engine of the test's: the dropped rows, or -1 and its status. */
static int64_t enter(world *it, oom *memory, const char *text, long fail_at, bool on, int *status)
{
    allot__sync sync = {.service = it->service};
    CHECK_EQ(allot_engine_new(oom_alloc, memory, &sync.engine), ALLOT_OK);
    CHECK_EQ(allot__truth_new(sync.engine, it->service->generation->plan, it->now, &sync.truth),
             ALLOT_OK);
    CHECK_EQ(allot__truth_read(sync.truth, text, strlen(text)), ALLOT_OK);
    memory->fail_at = fail_at > 0 ? memory->calls + fail_at : 0;
    memory->fail_on = on;
    memory->failed = false;
    CHECK(allot__sync_enter(&sync, UINT64_MAX));
    memory->fail_at = 0;
    *status = sync.status;
    int64_t dropped = sync.status == ALLOT_OK ? sync.truth->dropped_count : -1;
    allot__text_free(&sync.params);
    allot__text_free(&sync.rows);
    allot__sync_end(&sync);
    return dropped;
}

/* What the books have, however often they were told of it. */
static void note(world *it, char *out, size_t size)
{
    static const char *const asked[] = {REQUEST("tasks", "{}"), REQUEST("hosts", "{}"),
                                        REQUEST("sessions", "{}"), REQUEST("state", "{}")};
    size_t len = 0;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        char *text = (char *)call(it, asked[i]);
        char *end = strstr(text, "\"event\"");
        if (!end)
            end = strstr(text, "\"hosts\""); /* what follows is in some order */
        len += (size_t)snprintf(out + len, size - len, "%.*s\n",
                                end ? (int)(end - text) : (int)strlen(text), text);
    }
}

static bool open_failing(world *it, oom *memory)
{
    open_world(it);
    allot_report_free(it->report);
    allot_engine_free(it->engine);
    CHECK_EQ(allot_engine_new(oom_alloc, memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    return CHECK_EQ(start(it, ":memory:"), ALLOT_OK);
}

/* Once with that allocation failing: the next truth makes good what had no memory, and nothing
 * fails but the store, without which the service ends. */
static bool enter_failing(long at, bool on, const char *wanted, char found[8192])
{
    world it;
    oom memory = {.blocks = 0};
    int status;
    bool failed = false;
    if (!open_failing(&it, &memory))
        return false;
    CHECK_EQ(enter(&it, &memory, first, 0, false, &status), 0);
    int64_t before = it.service->event;
    int64_t dropped = enter(&it, &memory, second, at, on, &status);
    failed = memory.failed;
    CHECK(status == ALLOT_OK || status == ALLOT_ENOMEM);
    CHECK(status == ALLOT_OK || it.service->event == before);
    CHECK(failed || dropped == 1);
    if (!it.service->failed) {
        CHECK_EQ(enter(&it, &memory, second, 0, false, &status), 1);
        CHECK_EQ(status, ALLOT_OK);
        note(&it, found, 8192);
        CHECK_STR(found, wanted ? wanted : found);
    }
    stop(&it);
    close_world(&it);
    CHECK(oom_clean(&memory));
    return failed;
}

static void test_no_memory_to_enter(void)
{
    static char wanted[8192], found[8192];
    enter_failing(0, false, NULL, wanted);
    long at = 1;
    for (bool failed = true; failed; at++) {
        failed = enter_failing(at, false, wanted, found);
        failed = enter_failing(at, true, wanted, found) || failed;
    }
    CHECK(at > 10);
}

/* ---- The end --------------------------------------------------------------------------------- */

/* It is read on a thread when the service is told to stop: it is answered, and changes nothing. */
static void test_stop_while_it_is_read(void)
{
    world it;
    char text[2000];
    open_world(&it);
    CHECK_EQ(start(&it, it.store), ALLOT_OK);
    snprintf(text, sizeof text, REQUEST("sync", "%s"), first);
    CHECK_EQ(allot_service_call(it.service, text, strlen(text), on_answer, &it), ALLOT_OK);
    stop(&it);
    CHECK_EQ(it.answers, 1);
    CHECK(strstr(it.answer, "the service is about to stop") ||
          strstr(it.answer, "the service is stopping"));
    CHECK_EQ(start(&it, it.store), ALLOT_OK);
    CHECK_EQ(allot_service_events(it.service), 0);
    snprintf(text, sizeof text, REQUEST("sync", "%s"), first);
    CHECK(strstr(call(&it, text), "\"start\": 3") != NULL);
    stop(&it);
    close_world(&it);
}

int main(void)
{
    RUN(test_no_memory_to_read);
    RUN(test_no_memory_to_enter);
    RUN(test_stop_while_it_is_read);
    return check_done();
}
