/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* report_test.c: diagnostics are kept, counted, placed. */
#include "base/report.h"

#include <stdio.h>
#include <string.h>

#include "test/support/check.h"
#include "test/support/oom.h"

static oom memory;
static allot_engine *engine;
static allot_report *report;

static void begin(void)
{
    memory = (oom){0};
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(engine, &report), ALLOT_OK);
}

static void end(void)
{
    allot_report_free(report);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

static void findings_are_copied(void)
{
    begin();
    char text[] = "limit is 3";
    allot_diagnostic finding = {.severity = ALLOT_ERROR,
                                .code = "E-limit",
                                .file = "plan.json",
                                .line = 3,
                                .col = 7,
                                .width = 2,
                                .path = "/a",
                                .message = text,
                                .hint = "raise it",
                                .source = "  3",
                                .consumer = 4,
                                .group = 5,
                                .field = 6};
    allot_report_add(report, &finding);
    memset(text, 'x', 3);
    const allot_diagnostic *kept = allot_report_at(report, 0);
    CHECK_STR(kept->code, "E-limit");
    CHECK_STR(kept->file, "plan.json");
    CHECK_STR(kept->path, "/a");
    CHECK_STR(kept->message, "limit is 3");
    CHECK_STR(kept->hint, "raise it");
    CHECK_STR(kept->source, "  3");
    CHECK(kept->line == 3 && kept->col == 7 && kept->width == 2);
    CHECK(kept->consumer == 4 && kept->group == 5 && kept->field == 6);
    CHECK(!allot_report_at(report, 1) && !allot_report_at(report, -1));
    end();
}

static void fifty_of_each_are_kept_and_all_are_counted(void)
{
    begin();
    for (int i = 0; i < 70; i++) {
        CHECK_EQ(allot__report_keeps(report, ALLOT_ERROR), i < 50);
        allot_report_say(report, ALLOT_ERROR, "E-x", "error %d", i);
    }
    CHECK(allot__report_keeps(report, ALLOT_WARNING));
    for (int i = 0; i < 60; i++)
        allot_report_say(report, ALLOT_WARNING, "W-x", "warning %d", i);
    CHECK_EQ(allot_report_count(report), 100);
    CHECK_EQ(allot_report_total(report, ALLOT_ERROR), 70);
    CHECK_EQ(allot_report_total(report, ALLOT_WARNING), 60);
    CHECK_STR(allot_report_at(report, 49)->message, "error 49");
    CHECK_STR(allot_report_at(report, 50)->message, "warning 0");
    CHECK_STR(allot_report_at(report, 99)->message, "warning 49");
    CHECK_EQ(allot_report_at(report, 0)->consumer, -1);
    allot_report_clear(report);
    CHECK_EQ(allot_report_count(report), 0);
    CHECK_EQ(allot_report_total(report, ALLOT_ERROR), 0);
    allot_report_say(report, ALLOT_ERROR, "E-x", "again");
    CHECK_EQ(allot_report_count(report), 1);
    end();
}

static void long_messages_are_cut_between_characters(void)
{
    begin();
    char text[700];
    memset(text, 'a', sizeof text);
    text[699] = '\0';
    allot_report_say(report, ALLOT_ERROR, "E-x", "%s", text);
    CHECK_EQ(strlen(allot_report_at(report, 0)->message), 500);
    memcpy(text + 499, "\xe2\x82\xac", 3); /* one byte would fit */
    allot_report_say(report, ALLOT_ERROR, "E-x", "%s", text);
    CHECK_EQ(strlen(allot_report_at(report, 1)->message), 499);
    memcpy(text + 497, "xxxx", 4);
    memcpy(text + 498, "\xe2\x82\xac", 3);
    allot_report_say(report, ALLOT_ERROR, "E-x", "%s", text);
    CHECK_EQ(strlen(allot_report_at(report, 2)->message), 498);
    end();
}

static void a_finding_gets_its_place_later(void)
{
    begin();
    allot_report_say(report, ALLOT_ERROR, "E-x", "text");
    CHECK_EQ(allot_report_place(report, 0, "f", 1, 2, 3, "/p", "src"), ALLOT_OK);
    CHECK_EQ(allot_report_place(report, 0, NULL, 0, 9, 0, "/q", NULL), ALLOT_OK);
    const allot_diagnostic *finding = allot_report_at(report, 0);
    CHECK_STR(finding->file, "f");
    CHECK_STR(finding->path, "/q");
    CHECK_STR(finding->source, "src");
    CHECK(finding->line == 1 && finding->col == 9 && finding->width == 3);
    CHECK_EQ(allot_report_place(report, 1, "f", 1, 1, 1, NULL, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_report_place(report, -1, "f", 1, 1, 1, NULL, NULL), ALLOT_EUSAGE);
    memory.fail_at = memory.calls + 2;
    CHECK_EQ(allot_report_place(report, 0, "g", 5, 5, 5, "/r", NULL), ALLOT_ENOMEM);
    CHECK_STR(allot_report_at(report, 0)->file, "f");
    CHECK_EQ(allot_report_at(report, 0)->line, 1);
    end();
}

static void no_report_is_a_report_that_forgets(void)
{
    allot_report_add(NULL, &(allot_diagnostic){.code = "E-x", .message = "x"});
    allot_report_say(NULL, ALLOT_ERROR, "E-x", "x");
    allot_report_clear(NULL);
    allot_report_free(NULL);
    CHECK_EQ(allot_report_count(NULL), 0);
    CHECK_EQ(allot_report_total(NULL, ALLOT_ERROR), 0);
    CHECK(!allot_report_at(NULL, 0));
    CHECK_EQ(allot_report_place(NULL, 0, "f", 1, 1, 1, NULL, NULL), ALLOT_EUSAGE);
    CHECK(!allot__report_keeps(NULL, ALLOT_ERROR));
}

/* A finding that does not fit is counted all the same. */
static int scenario(allot_engine *at)
{
    allot_report *it;
    int status = allot_report_new(at, &it);
    if (status)
        return status;
    for (int i = 0; i < 10; i++)
        allot_report_say(it, ALLOT_WARNING, "W-x", "warning %d", i);
    CHECK_EQ(allot_report_total(it, ALLOT_WARNING), 10);
    for (int32_t i = 0; i < allot_report_count(it); i++) {
        CHECK(strncmp(allot_report_at(it, i)->message, "warning ", 8) == 0);
        int placed = allot_report_place(it, i, "f", 1, 1, 1, "/p", "s");
        CHECK_STR(allot_report_at(it, i)->file, placed ? NULL : "f");
    }
    allot_report_free(it);
    return ALLOT_OK;
}

static void running_out_of_memory_loses_nothing_else(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(findings_are_copied);
    RUN(fifty_of_each_are_kept_and_all_are_counted);
    RUN(long_messages_are_cut_between_characters);
    RUN(a_finding_gets_its_place_later);
    RUN(no_report_is_a_report_that_forgets);
    RUN(running_out_of_memory_loses_nothing_else);
    return check_done();
}
