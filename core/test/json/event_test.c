/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event_test.c: JSON event by event, with places, limits and without memory. */
#include <stdlib.h>

#include <allot/json.h>

#include "test/support/check.h"
#include "test/support/oom.h"

typedef struct world {
    oom memory;
    allot_engine *engine;
    allot_report *report;
    char told[4000]; /* the events, in short */
} world;

static void begin(world *it)
{
    memset(it, 0, sizeof *it);
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
}

static void end(world *it)
{
    allot_report_free(it->report);
    allot_engine_free(it->engine);
    CHECK(oom_clean(&it->memory));
}

static void tell(world *it, const allot_json_event *event)
{
    static const char *const marks[] = {"", "{", "}", "[", "]", "k", "s", "i", "n", "T", "F", "0"};
    size_t len = strlen(it->told), room = sizeof it->told - len;
    char *at = it->told + len;
    const char *mark = marks[event->kind];
    const char *member = event->member ? ":" : "";
    if (event->kind == ALLOT_JSON_KEY || event->kind == ALLOT_JSON_TEXT)
        snprintf(at, room, "%s%s%d<%s>", member, mark, (int)event->depth, event->text);
    else if (event->kind == ALLOT_JSON_WHOLE)
        snprintf(at, room, "%s%s%d<%lld>", member, mark, (int)event->depth,
                 (long long)event->whole);
    else if (event->kind == ALLOT_JSON_NUMBER)
        snprintf(at, room, "%s%s%d<%g>", member, mark, (int)event->depth, event->number);
    else
        snprintf(at, room, "%s%s%d", member, mark, (int)event->depth);
}

static int walk(world *it, const char *text, int32_t relaxed)
{
    allot_json *json = NULL;
    allot_json_event event;
    it->told[0] = '\0';
    int status =
        allot_json_open(it->engine, text, strlen(text), "log.jsonl", 7, relaxed, it->report, &json);
    while (status == ALLOT_OK && allot_json_next(json, &event))
        tell(it, &event);
    if (status == ALLOT_OK)
        CHECK_EQ(allot_json_next(json, &event), 0);
    allot_json_close(json);
    return status;
}

static void a_text_is_told_in_order(void)
{
    world it;
    begin(&it);
    CHECK_EQ(walk(&it, "{\"a\": [1, -2, true, {\"b\": null}], \"c\": false, \"d\": {}}", 0),
             ALLOT_OK);
    CHECK_STR(it.told, "{0k1<a>:[1i2<1>i2<-2>T2{2k3<b>:03}2:]1k1<c>:F1k1<d>:{1:}1}0");
    CHECK_EQ(walk(&it, " 5 ", 0), ALLOT_OK);
    CHECK_STR(it.told, "i0<5>");
    CHECK_EQ(walk(&it, "[]", 0), ALLOT_OK);
    CHECK_STR(it.told, "[0]0");
    end(&it);
}

static void texts_come_without_escapes(void)
{
    world it;
    begin(&it);
    CHECK_EQ(walk(&it, "{\"\\u0041\\n\\\"\": \"\\u00e9\\u20ac\\ud83d\\ude00\\/\\b\\\\x\"}", 0),
             ALLOT_OK);
    CHECK_STR(it.told, "{0k1<A\n\">:s1<\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80/\b\\x>}0");
    end(&it);
}

static void whole_numbers_are_exact(void)
{
    world it;
    begin(&it);
    CHECK_EQ(
        walk(&it, "[9007199254740993, -9223372036854775808, 9223372036854775808, 1.5, 1e2]", 0),
        ALLOT_OK);
    CHECK_STR(it.told, "[0i1<9007199254740993>i1<-9223372036854775808>n1<9.22337e+18>n1<1.5>"
                       "n1<100>]0");
    end(&it);
}

static void faults_have_their_place(void)
{
    world it;
    begin(&it);
    CHECK_EQ(walk(&it, "[1,\n 2,]", 0), ALLOT_EINVALID);
    const allot_diagnostic *finding = allot_report_at(it.report, 0);
    CHECK_STR(finding->code, "E-syntax");
    CHECK_STR(finding->file, "log.jsonl");
    CHECK_EQ(finding->line, 8); /* the text begins on line 7 */
    CHECK_EQ(finding->col, 3);
    CHECK_EQ(walk(&it, "[1, // one\n 2,]", 1), ALLOT_OK);
    end(&it);
}

static void a_reader_says_what_else_is_wrong(void)
{
    world it;
    allot_json *json = NULL;
    allot_json_event event;
    static const char text[] = "{\"a\": {\"b\": 7}}";
    begin(&it);
    CHECK_EQ(allot_json_open(it.engine, text, strlen(text), "x", 1, 0, it.report, &json), ALLOT_OK);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(allot_json_next(json, &event), 1);
    allot_json_fault(json, "E-key", NULL, "not this");
    CHECK_EQ(allot_json_next(json, &event), 1);
    allot_json_fault(json, "E-value", "try 8", "not that");
    CHECK_EQ(allot_json_next(json, &event), 1);
    allot_json_fault(json, "E-end", NULL, "not so");
    allot_json_close(json);
    CHECK_EQ(allot_report_at(it.report, 0)->col, 8);
    CHECK_EQ(allot_report_at(it.report, 1)->col, 13);
    CHECK_STR(allot_report_at(it.report, 1)->path, "a.b");
    CHECK_STR(allot_report_at(it.report, 1)->hint, "try 8");
    CHECK_EQ(allot_report_at(it.report, 2)->col, 7); /* an end is told at its begin */
    end(&it);
}

static void levels_are_limited(void)
{
    world it;
    char text[2100];
    begin(&it);
    memset(text, '[', 1000);
    memset(text + 1000, ']', 1000);
    text[2000] = '\0';
    allot_json *json = NULL;
    allot_json_event event;
    int32_t deepest = 0;
    CHECK_EQ(allot_json_open(it.engine, text, 2000, "x", 1, 0, it.report, &json), ALLOT_OK);
    while (allot_json_next(json, &event))
        deepest = event.depth > deepest ? event.depth : deepest;
    CHECK_EQ(deepest, 999);
    allot_json_close(json);
    text[2000] = ']';
    memmove(text + 1, text, 2001);
    CHECK_EQ(allot_json_open(it.engine, text, 2002, "x", 1, 0, it.report, &json), ALLOT_EINVALID);
    CHECK_STR(allot_report_at(it.report, 0)->code, "E-depth");
    end(&it);
}

static void wrong_use_is_refused(void)
{
    world it;
    allot_json *json = NULL;
    begin(&it);
    CHECK_EQ(allot_json_open(it.engine, "1", 1, "x", 0, 0, NULL, &json), ALLOT_EUSAGE);
    CHECK_EQ(allot_json_open(it.engine, NULL, 1, "x", 1, 0, NULL, &json), ALLOT_EUSAGE);
    CHECK_EQ(allot_json_open(it.engine, "1", 1, "x", 1, 0, NULL, NULL), ALLOT_EUSAGE);
    CHECK(!json);
    allot_json_close(NULL);
    end(&it);
}

static int read_one(allot_engine *engine)
{
    allot_json *json = NULL;
    allot_json_event event;
    static const char text[] = "{\"a\": [1, \"two\", 3.5]}";
    int status;
    OOM_RETRY(status, allot_json_open(engine, text, strlen(text), "x", 1, 0, NULL, &json));
    while (status == ALLOT_OK && allot_json_next(json, &event))
        CHECK(event.kind != 0);
    allot_json_close(json);
    return status;
}

static void memory_may_run_out(void)
{
    CHECK(oom_each(read_one));
}

int main(void)
{
    RUN(a_text_is_told_in_order);
    RUN(texts_come_without_escapes);
    RUN(whole_numbers_are_exact);
    RUN(faults_have_their_place);
    RUN(a_reader_says_what_else_is_wrong);
    RUN(levels_are_limited);
    RUN(wrong_use_is_refused);
    RUN(memory_may_run_out);
    return check_done();
}
