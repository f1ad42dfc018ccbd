/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* path_test.c: consumers by path, paths by consumer, and the nearest path. */
#include <stdlib.h>

#include "test/support/fixture.h"

static void begin(fixture *it)
{
    static const char *const paths[] = {"/Sales",      "/Research",           "/Sales/west",
                                        "/Sales/east", "/Research/chemistry", "/Sales/west/daily"};
    fixture_begin(it);
    for (int32_t i = 0; i < 6; i++)
        CHECK_EQ(fixture_add(it->plan, paths[i]), i);
}

static void paths_find_consumers(void)
{
    fixture it;
    begin(&it);
    for (int sealed = 0; sealed < 2; sealed++) {
        CHECK_EQ(fixture_find(it.plan, "/Sales"), 0);
        CHECK_EQ(fixture_find(it.plan, "/Sales/west/daily"), 5);
        CHECK_EQ(fixture_find(it.plan, "/Research/chemistry"), 4);
        CHECK_EQ(allot_plan_find(it.plan, "/Sales/east!", 11), 3);
        CHECK_EQ(allot_plan_seal(it.plan, it.report), sealed ? ALLOT_EUSAGE : ALLOT_OK);
    }
    fixture_end(&it);
}

static void other_texts_find_nothing(void)
{
    fixture it;
    begin(&it);
    const char *const wrong[] = {"",         "/",          "Sales",        "/sales",
                                 "/Sales/",  "//Sales",    "/Sales//west", "/Sales/west/daily/x",
                                 "/west",    "/Sale",      "/Saless",      "/Research/west",
                                 "/Sales/.", "/Sales west"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (!CHECK_EQ(fixture_find(it.plan, wrong[i]), ALLOT_ROOT))
            printf("#   %s\n", wrong[i]);
    CHECK_EQ(allot_plan_find(it.plan, "/Sales\0", 7), ALLOT_ROOT);
    CHECK_EQ(allot_plan_find(it.plan, NULL, 0), ALLOT_ROOT);
    CHECK_EQ(allot_plan_find(NULL, "/a", 2), ALLOT_ROOT);
    fixture_end(&it);
}

static void consumers_have_paths_cut_to_size(void)
{
    fixture it;
    begin(&it);
    const char whole[] = "/Sales/west/daily";
    for (size_t size = 0; size <= sizeof whole + 1; size++) {
        char text[32], wanted[32];
        memset(text, '#', sizeof text);
        CHECK_EQ(allot_plan_path(it.plan, 5, text, size), sizeof whole - 1);
        snprintf(wanted, size, "%s", whole);
        if (size > 0)
            CHECK_STR(text, wanted);
        CHECK_EQ(text[size], '#');
    }
    char text[8] = "x";
    CHECK_EQ(allot_plan_path(it.plan, 6, text, sizeof text), 0);
    CHECK_STR(text, "");
    CHECK_EQ(allot_plan_path(it.plan, ALLOT_ROOT, text, sizeof text), 0);
    fixture_end(&it);
}

static const char *nearest(const fixture *it, const char *path)
{
    static char text[64];
    size_t len = allot_plan_nearest(it->plan, path, strlen(path), text, sizeof text);
    CHECK(len == 0 || len == strlen(text));
    return len ? text : NULL;
}

static void slips_in_paths_are_understood(void)
{
    fixture it;
    begin(&it);
    CHECK_STR(nearest(&it, "/Sales/wets"), "/Sales/west");
    CHECK_STR(nearest(&it, "/sales/West/dayli"), "/Sales/west/daily");
    CHECK_STR(nearest(&it, "/Reserch/chemistry"), "/Research/chemistry");
    CHECK_STR(nearest(&it, "Sales/east"), "/Sales/east");
    CHECK_STR(nearest(&it, "/Sales/east/"), "/Sales/east");
    CHECK_STR(nearest(&it, "//Sales//west"), "/Sales/west");
    CHECK(!nearest(&it, "/Sales/chemistry"));
    CHECK(!nearest(&it, "/Marketing"));
    CHECK(!nearest(&it, "/Sales/east/daily"));
    CHECK(!nearest(&it, "/") && !nearest(&it, ""));
    fixture_end(&it);
}

/* A family of 60,000 with names of 128 letters: only some are looked at. */
static void suggestions_are_bounded_work(void)
{
    fixture it;
    fixture_begin(&it);
    char name[ALLOT_NAME_MAX + 1], sought[ALLOT_NAME_MAX + 2];
    memset(name, 'n', sizeof name);
    int32_t handle;
    for (int i = 0; i < 60000; i++) {
        snprintf(name + 100, 16, "%05d", i);
        name[105] = 'n';
        CHECK_EQ(allot_plan_add(it.plan, ALLOT_ROOT, name, ALLOT_NAME_MAX, &handle), ALLOT_OK);
    }
    memset(sought, 'n', sizeof sought);
    sought[0] = '/';
    memcpy(sought + 101, "0777x", 5);
    char found[ALLOT_NAME_MAX + 2];
    CHECK_EQ(allot_plan_nearest(it.plan, sought, ALLOT_NAME_MAX + 1, found, sizeof found),
             ALLOT_NAME_MAX + 1);
    CHECK(memcmp(found + 101, "07770", 5) == 0);
    fixture_end(&it);
}

int main(void)
{
    RUN(paths_find_consumers);
    RUN(other_texts_find_nothing);
    RUN(consumers_have_paths_cut_to_size);
    RUN(slips_in_paths_are_understood);
    RUN(suggestions_are_bounded_work);
    return check_done();
}
