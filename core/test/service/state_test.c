/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state_test.c: the answers of `state` and `plan`, from which a client decides as the service. */
#include <allot/json.h>
#include <allot/script.h>

#include "test/support/oom.h"
#include "test/support/service_fixture.h"

enum { CONSUMERS = 3000 };

/* Answers of any length. */
typedef struct heard {
    allot__text text;
    int answers;
} heard;

static void hear(void *ud, const char *line, size_t len)
{
    heard *it = ud;
    it->answers++;
    it->text.len = 0;
    allot__text_add(&it->text, line, len);
}

static void ask(world *it, heard *answer, const char *text)
{
    CHECK_EQ(allot_service_call(it->service, text, strlen(text), hear, answer), ALLOT_OK);
}

static void wait_for(world *it, const heard *answer, int count)
{
    uint64_t until = uv_hrtime() + HANGS * UINT64_C(1000000);
    while (answer->answers < count && uv_hrtime() < until)
        uv_run(&it->loop, UV_RUN_NOWAIT);
    CHECK_EQ(answer->answers, count);
}

/* What a call is answered, as a string that ends with the heard. */
static const char *ask_now(world *it, heard *answer, const char *text)
{
    int before = answer->answers;
    ask(it, answer, text);
    wait_for(it, answer, before + 1);
    return answer->text.bytes;
}

/* Bytes of an answer from the first of `from` on, up to the last of `to`. */
static void cut(allot__text *out, const char *text, const char *from, char to)
{
    const char *first = strstr(text, from), *last = strrchr(text, to);
    out->len = 0;
    if (CHECK(first && last && last > first))
        allot__text_add(out, first, (size_t)(last - first));
}

/* A decision up to its warnings, without blanks and ends of lines. */
static void keep_decision(allot__text *out, const char *text)
{
    const char *first = strstr(text, "{\"schema\": \"allot/decision/v1\"");
    const char *last = first ? strstr(first, "\"warnings\"") : NULL;
    out->len = 0;
    if (!CHECK(first && last))
        return;
    for (; first < last; first++)
        if (*first != '\n' && *first != ' ')
            allot__text_add(out, first, 1);
}

/* What is decided for a state's text under the world's plan. */
static void decide(world *it, const allot__text *state, allot__text *out)
{
    allot_policy_loader loader;
    allot_plan *plan = NULL;
    allot_state *made = NULL;
    allot_decision *decision = NULL;
    allot__text text = {.engine = it->engine};
    CHECK_EQ(allot_script_loader_new(it->engine, NULL, &loader), ALLOT_OK);
    CHECK_EQ(allot_plan_read(it->engine, world_plan, strlen(world_plan), "p.json", &loader,
                             it->report, &plan),
             ALLOT_OK);
    CHECK_EQ(allot_state_read(plan, state->bytes, state->len, "s.json", it->report, &made),
             ALLOT_OK);
    CHECK_EQ(allot_cycle(plan, made, it->report, &decision), ALLOT_OK);
    CHECK_EQ(allot_decision_write(decision, NULL, allot__text_sink, &text), ALLOT_OK);
    keep_decision(out, text.bytes);
    allot__text_free(&text);
    allot_decision_free(decision);
    allot_state_free(made);
    allot_plan_free(plan);
    allot_script_loader_free(it->engine, &loader);
}

/* ---- What it decides ------------------------------------------------------------------------- */

static const char *const steps[] = {
    REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 25}"),
    REQUEST("start", "{\"id\": \"t1\", \"consumer\": \"/a\", \"slots\": 20, \"host\": \"h\", "
                     "\"tags\": [\"x\"], \"started\": 4000}"),
    REQUEST("demand", "{\"consumer\": \"/b\", \"slots\": 9}"),
    REQUEST("session", "{\"id\": \"s\", \"consumer\": \"/b\", \"priority\": 3}"),
    REQUEST("slots", "{\"slots\": 28}"),
    REQUEST("start", "{\"id\": \"t2\", \"consumer\": \"/a\", \"slots\": 2}"),
    REQUEST("finish", "{\"id\": \"t2\", \"keep\": true}"),
    REQUEST("finish", "{\"id\": \"t1\"}"),
};

/* After each event, and as time passes, what the state decides is what the service then does. */
static void test_decides_the_same(void)
{
    world it;
    heard answer = {0};
    open_world(&it);
    allot__text state = {.engine = it.engine}, mine = state, theirs = state;
    answer.text.engine = it.engine;
    CHECK_EQ(start(&it, ":memory:"), ALLOT_OK);
    for (size_t i = 0; i < 4 * sizeof steps / sizeof *steps; i++) {
        if (i % 4 == 0)
            call(&it, steps[i / 4]);
        if (i % 4 == 2)
            it.now += 40;
        cut(&state, ask_now(&it, &answer, REQUEST("state", "{}")), "{\"schema\"", '}');
        decide(&it, &state, &mine);
        keep_decision(&theirs, ask_now(&it, &answer, REQUEST("cycle", "{\"full\": true}")));
        CHECK_STR(mine.bytes, theirs.bytes);
    }
    stop(&it);
    allot__text_free(&state);
    allot__text_free(&mine);
    allot__text_free(&theirs);
    allot__text_free(&answer.text);
    close_world(&it);
}

/* ---- With the plan --------------------------------------------------------------------------- */

static void test_plan(void)
{
    static const char batch[] =
        "[" REQUEST("plan", "{}") ", " REQUEST("state", "{\"plan\": true}") "]";
    world it;
    heard answer = {0};
    open_world(&it);
    answer.text.engine = it.engine;
    CHECK_EQ(start(&it, ":memory:"), ALLOT_OK);
    const char *text = ask_now(&it, &answer, REQUEST("plan", "{}"));
    CHECK(strstr(text, "\"text\": \"{\\\"version\\\": 1, \\\"slots\\\": 30"));
    CHECK(strstr(text, "\"policies\": {\"hybrid\": \"-- SPDX"));
    CHECK(!strstr(text, "\"instead\""));
    text = ask_now(&it, &answer, REQUEST("state", "{\"plan\": true}"));
    CHECK(strstr(text, "\"result\": {\"plan\": {\"file\": "));
    CHECK(strstr(text, "\"state\": {\"schema\": \"allot/state/v1\", \"now\": 5000"));
    text = ask_now(&it, &answer, batch);
    CHECK(text[0] == '[' && strstr(text, "\"policies\"") && strstr(text, "\"allot/state/v1\""));
    CHECK(strstr(call(&it, REQUEST("state", "{\"plan\": 1}")),
                 "plan: found the number 1, allowed true or false"));
    stop(&it);
    allot__text_free(&answer.text);
    close_world(&it);
}

/* ---- Large states ---------------------------------------------------------------------------- */

static void open_large(world *it, heard *answer)
{
    open_world(it);
    answer->text.engine = it->engine;
    FILE *file = fopen(it->plan, "w");
    fputs("{\"version\": 1, \"slots\": 30, \"policy\": \"hybrid\", \"consumers\": [", file);
    for (int i = 0; i < CONSUMERS; i++)
        fprintf(file, "%s{\"name\": \"c%d\"}", i > 0 ? ", " : "", i);
    fputs("]}", file);
    fclose(file);
    CHECK_EQ(start(it, ":memory:"), ALLOT_OK);
    for (int i = 0; i < CONSUMERS; i += 10) {
        char text[200];
        snprintf(text, sizeof text, REQUEST("demand", "{\"consumer\": \"/c%d\", \"slots\": %d}"), i,
                 i + 1);
        call(it, text);
    }
    settle(it);
}

static void close_large(world *it, heard *answer)
{
    stop(it);
    allot__text_free(&answer->text);
    close_world(it);
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        count++;
    return count;
}

/* Events and cycles come while it is written: it is as it was when it was asked for. */
static void test_pieces(void)
{
    world it;
    heard answer = {0};
    static const char *const changes[] = {
        REQUEST("demand", "{\"consumer\": \"/c1\", \"slots\": 7}"), REQUEST("cycle", "{}"),
        REQUEST("state", "{}"), REQUEST("explain", "{\"path\": \"/c1\"}")};
    open_large(&it, &answer);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        heard other = {.text.engine = it.engine};
        int before = answer.answers;
        ask(&it, &answer, REQUEST("state", "{}"));
        CHECK_EQ(answer.answers, before); /* later */
        ask(&it, &other, changes[i]);
        wait_for(&it, &answer, before + 1);
        wait_for(&it, &other, 1);
        CHECK_EQ(count_of(answer.text.bytes, "\"demand\""), CONSUMERS / 10 + (i > 0));
        CHECK_EQ(count_of(answer.text.bytes, "\"/c1\": {\"demand\": 7"), i > 0);
        CHECK(strstr(answer.text.bytes, "\"/c2990\": {\"demand\": 2991"));
        CHECK(!strchr(answer.text.bytes, '\n'));
        allot__text_free(&other.text);
    }
    close_large(&it, &answer);
}

/* A service that stops sends the whole answer, and so does one that gets another plan. */
static void test_stops(void)
{
    world it;
    heard answer = {0};
    open_large(&it, &answer);
    ask(&it, &answer, REQUEST("state", "{}"));
    stop(&it);
    CHECK_EQ(answer.answers, 1);
    CHECK_EQ(count_of(answer.text.bytes, "\"demand\""), CONSUMERS / 10);
    CHECK_EQ(start(&it, ":memory:"), ALLOT_OK);
    FILE *file = fopen(it.plan, "w");
    fputs(world_plan, file);
    fclose(file);
    heard other = {.text.engine = it.engine};
    ask(&it, &other, REQUEST("reload", "{}"));
    for (int asked = 1; other.answers == 0; asked++) {
        ask(&it, &answer, REQUEST("state", "{\"plan\": true}"));
        wait_for(&it, &answer, asked + 1);
        uv_run(&it.loop, UV_RUN_NOWAIT);
    }
    /* On a busy machine the file's watcher may be first. */
    CHECK(strstr(other.text.bytes, "swapped") || strstr(other.text.bytes, "unchanged"));
    allot__text_free(&other.text);
    close_large(&it, &answer);
}

/* ---- Out of memory --------------------------------------------------------------------------- */

static int tell_state(allot_engine *engine)
{
    static const char *const texts[] = {
        REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 9}"),
        REQUEST("state", "{}"),
        REQUEST("plan", "{}"),
        REQUEST("state", "{\"plan\": true}"),
    };
    world it;
    open_world(&it);
    allot_report_free(it.report);
    allot_engine_free(it.engine);
    it.report = NULL;
    it.engine = engine;
    int status = start(&it, ":memory:");
    for (size_t i = 0; i < sizeof texts / sizeof *texts && it.service && status == ALLOT_OK; i++) {
        allot_service_call(it.service, texts[i], strlen(texts[i]), on_answer, &it);
        settle(&it);
    }
    if (it.service)
        stop(&it);
    it.engine = NULL;
    close_world(&it);
    return status;
}

static void test_out_of_memory(void)
{
    CHECK(oom_each(tell_state));
}

int main(void)
{
    RUN(test_decides_the_same);
    RUN(test_plan);
    RUN(test_pieces);
    RUN(test_stops);
    RUN(test_out_of_memory);
    return check_done();
}
