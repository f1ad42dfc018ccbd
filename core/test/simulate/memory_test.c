/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* memory_test.c: every allocation may fail; logs that come in pieces; bytes a job. */
#include <zlib.h>

#include "test/support/oom.h"
#include "test/support/simulate_fixture.h"

static const char halves[] =
    "{\"version\": 1, \"slots\": 6, \"policy\": \"p\", \"consumers\": ["
    "{\"name\": \"u1\", \"owned\": 3, \"grace\": 4}, {\"name\": \"u2\", \"owned\": 3}]}";
static const char queues[] =
    "{\"version\": 1, \"hosts\": {\"h1\": {\"slots\": 2}, \"h2\": {\"slots\": 4}},"
    " \"policy\": \"d\", \"queues\": [{\"name\": \"u1\", \"preemptable\": true},"
    " {\"name\": \"u2\", \"priority\": 9, \"preemptive\": true, \"job_controls\": "
    "{\"suspend\": \"requeue\"}}]}";
static const char swf[] = "; UnixStartTime: 100\n; Queue: 1 u1\n; Queue: 2 u2\n"
                          "1 0 -1 20 6 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1\n"
                          "2 0 -1 5 2 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1\n"
                          "4 9 -1 9 3 -1 -1 -1 -1 -1 1 2 2 -1 2 -1 -1 -1\n"
                          "3 4 -1 9 4 -1 -1 -1 -1 -1 1 2 2 -1 2 -1 -1 -1\n";
static const char events[] =
    "{\"at\": 0, \"event\": \"submit\", \"id\": \"a\", \"user\": \"u1\", \"queue\": \"u1\","
    " \"slots\": 6, \"run\": 20, \"session\": \"s\"}\n"
    "{\"at\": 3, \"event\": \"host\", \"name\": \"h9\", \"slots\": 8}\n"
    "{\"at\": 3, \"event\": \"submit\", \"id\": \"b\", \"user\": \"u2\", \"queue\": \"u2\","
    " \"slots\": 6, \"run\": 5}\n"
    "{\"at\": 9, \"event\": \"slots\", \"slots\": 5}\n";

/* ---- Policies without Lua: its own memory is not what this is about -------------------------- */

static int load_policy(void *ud, allot_engine *engine, const char *use, const char *file,
                       const allot_use_option *options, int32_t count, allot_policy **out,
                       allot_report *report)
{
    allot_policy *policy = NULL;
    (void)ud, (void)file, (void)options, (void)count, (void)report;
    int status = allot_policy_new(engine, use, &policy);
    if (status == ALLOT_OK && *use == 'd')
        status = allot_policy_dispatch(policy, NULL, 0);
    if (status == ALLOT_OK && *use != 'd')
        status = allot_policy_fill(policy, "owned", (allot_source){ALLOT_FROM_COLUMN, ALLOT_OWNED},
                                   (allot_source){ALLOT_FROM_COLUMN, ALLOT_OWNED}, NULL, 0);
    if (status == ALLOT_OK && *use != 'd')
        status = allot_policy_fill(policy, "spare", (allot_source){ALLOT_FROM_NUMBER, 1},
                                   (allot_source){ALLOT_FROM_NEED, 0}, NULL, 0);
    if (status == ALLOT_OK)
        *out = policy;
    else
        allot_policy_free(policy);
    return status;
}

static int play(allot_engine *engine, const char *plan_text, const char *log, int32_t rigid,
                int32_t always)
{
    allot_policy_loader loader = {.load = load_policy};
    allot_plan *plan = NULL;
    allot_trace *trace = NULL;
    allot_simulation *simulation = NULL;
    allot_simulation_options options = {.rigid = rigid, .always_tasks = always};
    allot_figures figures;
    int status =
        allot_plan_read(engine, plan_text, strlen(plan_text), "plan", &loader, NULL, &plan);
    if (status == ALLOT_OK)
        status = read_log(engine, log, NULL, &trace);
    if (status == ALLOT_OK)
        status = allot_simulation_new(plan, &options, &simulation);
    if (status == ALLOT_OK)
        status = allot_simulation_load(simulation, trace, NULL, NULL, NULL);
    if (status == ALLOT_OK)
        status = allot_simulation_run(simulation, NULL);
    if (status == ALLOT_OK)
        status = allot_simulation_figures(simulation, ALLOT_ROOT, &figures);
    allot_simulation_free(simulation);
    allot_trace_free(trace);
    allot_plan_free(plan);
    return status;
}

static int divide(allot_engine *engine)
{
    return play(engine, halves, swf, 0, 0);
}

static int divide_rigid(allot_engine *engine)
{
    return play(engine, halves, swf, 1, 1);
}

static int divide_events(allot_engine *engine)
{
    return play(engine, halves, events, 0, 0);
}

static int dispatch(allot_engine *engine)
{
    return play(engine, queues, swf, 0, 0);
}

static int dispatch_events(allot_engine *engine)
{
    return play(engine, queues, events, 0, 0);
}

static void test_out_of_memory(void)
{
    CHECK(oom_each(divide));
    CHECK(oom_each(divide_rigid));
    CHECK(oom_each(divide_events));
    CHECK(oom_each(dispatch));
    CHECK(oom_each(dispatch_events));
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* Compresses to a static buffer; the length. */
static size_t compress_log(const char *text, char *out, size_t size)
{
    z_stream zip = {0};
    CHECK_EQ(deflateInit2(&zip, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    zip.next_in = (Bytef *)(uintptr_t)text;
    zip.avail_in = (uInt)strlen(text);
    zip.next_out = (Bytef *)out;
    zip.avail_out = (uInt)size;
    CHECK_EQ(deflate(&zip, Z_FINISH), Z_STREAM_END);
    deflateEnd(&zip);
    return size - zip.avail_out;
}

static void check_pieces(allot_engine *engine, const char *bytes, size_t len, size_t piece)
{
    allot_trace *trace = NULL;
    allot_record record;
    pieces it = {.text = bytes, .len = len, .piece = piece};
    CHECK_EQ(allot_trace_read(engine, pieces_pull, &it, "log", NULL, &trace), ALLOT_OK);
    CHECK_EQ(allot_trace_records(trace), 4);
    CHECK_EQ(allot_trace_record(trace, 2, &record), ALLOT_OK);
    CHECK_EQ(record.id.number, 3); /* put into the order of time */
    CHECK_EQ(record.at, 104);
    CHECK_STR(allot_trace_queue(trace, 1), "u1");
    CHECK_EQ(allot_trace_record(trace, 4, &record), ALLOT_EUSAGE);
    allot_trace_free(trace);
}

/* In any order, told twice (the first counts), and without a name. */
static void test_queue_names(void)
{
    static const char log[] = "; Queue: 7 seven\n; Queue: -2 minus two\n; Queue: 7 again\n"
                              "; Queue: 3\n; Queue: none\n; Queue: 5  five \n"
                              "1 0 -1 1 1 -1 -1 -1 -1 -1 1 1 1 -1 7 -1 -1 -1\n";
    allot_engine *engine = NULL;
    allot_trace *trace = NULL;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(read_log(engine, log, NULL, &trace), ALLOT_OK);
    CHECK_STR(allot_trace_queue(trace, 7), "seven");
    CHECK_STR(allot_trace_queue(trace, -2), "minus two");
    CHECK_STR(allot_trace_queue(trace, 5), "five");
    CHECK(!allot_trace_queue(trace, 3));
    CHECK(!allot_trace_queue(trace, 0));
    CHECK(!allot_trace_queue(trace, 8));
    allot_trace_free(trace);
    allot_engine_free(engine);
}

static void test_pieces(void)
{
    static char zipped[4096];
    allot_engine *engine = NULL;
    allot_trace *trace = NULL;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    size_t len = compress_log(swf, zipped, sizeof zipped);
    for (size_t piece = 0; piece < 40; piece++) {
        check_pieces(engine, swf, strlen(swf), piece);
        check_pieces(engine, zipped, len, piece);
    }
    for (size_t cut = 2; cut < len; cut++) { /* wherever it ends too early */
        pieces it = {.text = zipped, .len = cut};
        CHECK_EQ(allot_trace_read(engine, pieces_pull, &it, "log", NULL, &trace), ALLOT_EINVALID);
    }
    pieces fails = {.text = swf, .len = 50, .fails = 1};
    CHECK_EQ(allot_trace_read(engine, pieces_pull, &fails, "log", NULL, &trace), ALLOT_EIO);
    allot_engine_free(engine);
}

/* ---- Bytes a job ----------------------------------------------------------------------------- */

static void test_bytes(void)
{
    enum { JOBS = 20000 };
    static char text[JOBS * 64];
    size_t len = 0;
    oom memory = {0};
    allot_engine *engine = NULL;
    for (int i = 1; i <= JOBS; i++)
        len += (size_t)snprintf(text + len, sizeof text - len,
                                "%d %d -1 9 %d -1 -1 -1 -1 -1 1 %d 1 -1 1 -1 -1 -1\n", i, i,
                                1 + i % 3, 1 + i % 2);
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
    CHECK_EQ(play(engine, halves, text, 0, 0), ALLOT_OK);
    printf("# %zu bytes a job at most\n", memory.peak / JOBS);
    CHECK(memory.peak / JOBS <= 300);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

int main(void)
{
    RUN(test_pieces);
    RUN(test_queue_names);
    RUN(test_bytes);
    RUN(test_out_of_memory);
    return check_done();
}
