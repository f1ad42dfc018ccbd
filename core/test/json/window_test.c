/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* window_test.c: windows and time zones of plans, with a loader that has one zone. */
#include "test/support/json_fixture.h"

/* TZif, version 1, without transitions: UTC + 1. */
static const char zone_file[] = "TZif\0"
                                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4"
                                "\0\0\016\020\0\0"
                                "ONE";

/* It has the zone "one", and "bad", whose file is none. */
static int load_zone(void *ud, allot_engine *engine, const char *name, void **data, size_t *len,
                     allot_report *report)
{
    (void)ud;
    size_t size = strcmp(name, "bad") == 0 ? 7 : sizeof zone_file;
    if (strcmp(name, "one") != 0 && strcmp(name, "bad") != 0) {
        if (strcmp(name, "mute") != 0)
            allot_report_say(report, ALLOT_ERROR, "E-zone", "of which nobody has heard");
        return ALLOT_ENOENT;
    }
    void *copy = allot_engine_alloc(engine, NULL, 0, size);
    if (!copy)
        return ALLOT_ENOMEM;
    memcpy(copy, zone_file, size);
    *data = copy;
    *len = size;
    return ALLOT_OK;
}

static int read_with(bench *it, const char *text, bool zones)
{
    allot_policy_loader loader = {
        .ud = &it->seen, .load = loader_load, .zone = zones ? load_zone : NULL};
    allot_plan_free(it->plan);
    it->plan = NULL;
    allot_report_clear(it->report);
    return allot_plan_read(it->engine, text, strlen(text), "p.json", &loader, it->report,
                           &it->plan);
}

#define WINDOW(more)                                                                               \
    "{\"consumers\": [{\"name\": \"a\", \"owned\": 3}], \"windows\": [{\"from\": \"08:00\", "      \
    "\"to\": \"09:00\"" more "}]}"

static void windows_are_read(void)
{
    bench it;
    allot_window window;
    const allot_plan *variant;
    bench_begin(&it);
    CHECK_EQ(read_with(&it,
                       WINDOW(", \"days\": [\"tue\", \"sun\"], \"timezone\": \"one\", \"slots\": 7,"
                              "\"policy\": {\"use\": \"weigh\", \"leeway\": 9}, \"consumers\": "
                              "{\"/a\": {\"owned\": 5, \"weight\": 4}}"),
                       true),
             ALLOT_OK);
    CHECK_EQ(allot_plan_windows(it.plan), 1);
    CHECK_EQ(allot_plan_window_at(it.plan, 0, &window), ALLOT_OK);
    CHECK_EQ(window.group, ALLOT_ALL);
    CHECK_EQ(window.from, 8 * 3600);
    CHECK_EQ(window.to, 9 * 3600);
    CHECK_EQ(window.days, 2 | 64);
    CHECK_STR(allot_plan_zone_name(it.plan, window.zone), "one");
    /* 2026-11-24 is a Tuesday: 07:30 is half past eight there. */
    CHECK_EQ(allot_plan_at(it.plan, 1795505400, &variant), ALLOT_OK);
    int32_t a = bench_find(&it, "/a");
    CHECK_EQ(allot_plan_get(variant, 0, a, ALLOT_OWNED), 5);
    CHECK_EQ(allot_plan_get(variant, 0, a, allot_plan_column(it.plan, "weight", 6)), 4);
    CHECK_EQ(allot_plan_group_slots(variant, 0), 7);
    CHECK_EQ(allot_plan_option_get(variant, 0, ALLOT_OPTION_LEEWAY), 9);
    CHECK_STR(allot_policy_name(allot_plan_group_policy(variant, 0)), "weigh");
    CHECK_STR(allot_policy_name(allot_plan_group_policy(it.plan, 0)), "hybrid");
    CHECK_EQ(allot_plan_option_get(it.plan, 0, ALLOT_OPTION_LEEWAY), 120);
    bench_end(&it);
}

static void faults_have_places(void)
{
    static const struct {
        const char *text, *faults, *message;
    } bads[] = {
        {WINDOW(", \"timezone\": \"nowhere\""), "E-timezone:1:101",
         "found the time zone \"nowhere\", of which nobody has heard"},
        {WINDOW(", \"timezone\": \"mute\""), "E-timezone:1:101",
         "found the time zone \"mute\", which the system does not have"},
        {WINDOW(", \"timezone\": \"bad\""), "E-timezone:1:101",
         "found the time zone \"bad\", which is no file of time zone data"},
        {WINDOW(", \"days\": []"), "E-range:1:97",
         "found no day, allowed some; without \"days\" it is all"},
        {WINDOW(", \"days\": [3]"), "E-type:1:98", "found the number 3, allowed a string"},
        {WINDOW(", \"slots\": -1"), "E-range:1:98", NULL},
        {WINDOW(", \"consumers\": {\"/a\": {\"reserve\": 4}}"), "E-reserve:1:121",
         "reserve is 4, at most 3, what it owns, is allowed"},
        {WINDOW(", \"consumers\": {\"/a\": {\"name\": 4}}"), "E-unknown-key:1:110", NULL},
        {WINDOW(", \"slot\": 4"), "E-unknown-key:1:89", NULL},
    };
    bench it;
    bench_begin(&it);
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        CHECK_EQ(read_with(&it, bads[i].text, true), ALLOT_EINVALID);
        CHECK_STR(bench_faults(&it), bads[i].faults);
        if (bads[i].message)
            CHECK_STR(allot_report_at(it.report, 0)->message, bads[i].message);
    }
    CHECK_EQ(read_with(&it, WINDOW(", \"timezone\": \"one\""), false), ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-timezone:1:101");
    CHECK_STR(allot_report_at(it.report, 0)->message,
              "this program reads no time zones, allowed \"UTC\"");
    CHECK_EQ(read_with(&it, WINDOW(", \"timezone\": \"UTC\""), false), ALLOT_OK);
    bench_end(&it);
}

static int scenario(allot_engine *engine)
{
    static const char text[] =
        "{\"timezone\": \"one\", \"groups\": {\"g\": {}, \"h\": {}}, \"consumers\": [{\"name\": "
        "\"a\"}, {\"name\": \"b\"}], \"windows\": [{\"from\": \"08:00\", \"to\": \"09:00\","
        "\"group\": \"g\", \"policy\": \"weigh\", \"consumers\": {\"/a\": {\"rank\": 3, \"lend\": "
        "[\"/b\"]}}}, {\"from\": \"08:30\", \"to\": \"08:00\", \"days\": [\"mon\"], \"timezone\": "
        "\"UTC\", \"slots\": 5}]}";
    allot_policy_loader loader = {.load = loader_load, .zone = load_zone};
    allot_report *report = NULL;
    allot_plan *plan = NULL;
    const allot_plan *variant;
    int status = allot_report_new(engine, &report);
    if (status == ALLOT_OK)
        status = allot_plan_read(engine, text, strlen(text), "p", &loader, report, &plan);
    for (int64_t hour = 0; hour < 24 && status == ALLOT_OK; hour++)
        status = allot_plan_at(plan, 1795392000 + hour * 3600 + 1800, &variant);
    allot_plan_free(plan);
    allot_report_free(report);
    return status;
}

static void memory_may_run_out(void)
{
    CHECK(oom_each(scenario));
}

int main(void)
{
    RUN(windows_are_read);
    RUN(faults_have_places);
    RUN(memory_may_run_out);
    return check_done();
}
