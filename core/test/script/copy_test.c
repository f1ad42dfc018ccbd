/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* copy_test.c: a state copied under another plan decides as the one that it was copied from;
 * of every example, so of everything that a state can tell. */
#include <stdlib.h>

#include <allot/json.h>
#include <allot/script.h>

#include "test/support/check.h"

typedef struct world {
    allot_engine *engine;
    allot_report *report;
    allot_policy_loader loader;
    allot_plan *plan;
} world;

typedef struct text {
    char *at;
    size_t len;
} text;

static text read_file(const char *path)
{
    text out = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (!CHECK(file != NULL))
        return out;
    out.at = malloc(1 << 20);
    out.len = fread(out.at, 1, 1 << 20, file);
    fclose(file);
    return out;
}

/* With the plan of a text; NULL: of the folder's file. */
static void begin_with(world *it, const char *folder, const char *plan_text)
{
    char path[256];
    *it = (world){0};
    CHECK_EQ(allot_engine_new(NULL, NULL, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    CHECK_EQ(allot_script_loader_new(it->engine, NULL, &it->loader), ALLOT_OK);
    snprintf(path, sizeof path, "examples/%s/plan.json", folder);
    text plan = !plan_text ? read_file(path) : (text){NULL, strlen(plan_text)};
    CHECK_EQ(allot_plan_read(it->engine, plan_text ? plan_text : plan.at, plan.len, path,
                             &it->loader, it->report, &it->plan),
             ALLOT_OK);
    free(plan.at);
}

static void begin(world *it, const char *folder)
{
    begin_with(it, folder, NULL);
}

static void end(world *it)
{
    allot_plan_free(it->plan);
    allot_script_loader_free(it->engine, &it->loader);
    allot_report_free(it->report);
    allot_engine_free(it->engine);
}

static allot_state *read_state(const world *it, const char *path)
{
    allot_state *state = NULL;
    text document = read_file(path);
    CHECK_EQ(allot_state_read(it->plan, document.at, document.len, path, it->report, &state),
             ALLOT_OK);
    free(document.at);
    return state;
}

static int keep(void *ud, const char *piece, size_t len)
{
    text *out = ud;
    out->at = realloc(out->at, out->len + len + 1);
    memcpy(out->at + out->len, piece, len);
    out->len += len;
    out->at[out->len] = '\0';
    return 0;
}

static text decide(const world *it, const allot_state *state)
{
    text out = {NULL, 0};
    allot_decision *decision = NULL;
    CHECK_EQ(allot_cycle(it->plan, state, it->report, &decision), ALLOT_OK);
    allot_report_clear(it->report);
    if (decision)
        CHECK_EQ(allot_decision_write(decision, it->report, keep, &out), ALLOT_OK);
    allot_decision_free(decision);
    return out;
}

static void compare(const char *folder, const char *name)
{
    world a, b;
    char path[256];
    begin(&a, folder);
    begin(&b, folder);
    snprintf(path, sizeof path, "examples/%s/%s", folder, name);
    allot_state *state = read_state(&a, path), *copy = NULL;
    CHECK_EQ(allot_state_copy(state, b.plan, b.report, &copy), ALLOT_OK);
    CHECK_EQ(allot_state_seal(copy, b.report), ALLOT_OK);
    text one = decide(&a, state), other = decide(&b, copy);
    CHECK_STR(other.at, one.at);
    free(other.at);
    allot_state *moved = NULL; /* back again, as it is */
    CHECK_EQ(allot_state_move(copy, a.plan, a.report, &moved), ALLOT_OK);
    allot_state_free(copy);
    CHECK_EQ(allot_state_seal(moved, a.report), ALLOT_OK);
    other = decide(&a, moved);
    CHECK_STR(other.at, one.at);
    free(one.at);
    free(other.at);
    allot_state_free(moved);
    allot_state_free(state);
    end(&b);
    end(&a);
}

static void test_every_example(void)
{
    static const char *const folders[] = {"capped", "damping", "first",     "hosts",
                                          "leases", "mixed",   "ownership", "pools",
                                          "queues", "ratio",   "victims",   "windows"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        compare(folders[i], "state.json");
    compare("nasa", "state-1.json");
    compare("nasa", "state-3.json");
}

/* What the other plan has not is an error, and nothing is made. */
static void test_what_is_not_there(void)
{
    world a, b;
    begin(&a, "first");
    begin(&b, "ratio");
    allot_state *state = read_state(&a, "examples/first/state.json"), *copy = NULL;
    CHECK_EQ(allot_state_copy(state, b.plan, b.report, &copy), ALLOT_ENOENT);
    CHECK(!copy);
    CHECK_STR(allot_report_at(b.report, 0)->code, "E-unknown-path");
    CHECK_STR(allot_report_at(b.report, 0)->message,
              "the state names the consumer /risk/nightly, but the plan that is to decide about it "
              "has none of that name");
    CHECK_EQ(allot_state_copy(NULL, b.plan, b.report, &copy), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_move(NULL, b.plan, b.report, &copy), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_move(state, b.plan, NULL, &copy), ALLOT_ENOENT); /* all is as it was */
    allot_state_free(state);
    end(&b);
    end(&a);
}

/* Nor is what tasks say that only the plan's own policy knows. */
static void test_what_no_policy_knows(void)
{
    static const char plan[] =
        "{\"version\": 1, \"slots\": 8, \"policy\": \"hybrid\", \"consumers\":"
        " [{\"name\": \"risk\", \"owned\": 6},"
        " {\"name\": \"science\", \"owned\": 2}]}";
    world a, b;
    begin(&a, "victims");
    begin_with(&b, "victims", plan);
    allot_state *state = read_state(&a, "examples/victims/state.json"), *copy = NULL;
    CHECK_EQ(allot_state_copy(state, b.plan, b.report, &copy), ALLOT_ENOENT);
    CHECK(strstr(allot_report_at(b.report, 0)->message,
                 "the state names the attribute of tasks ") != NULL);
    allot_state_free(state);
    end(&b);
    end(&a);
}

int main(void)
{
    RUN(test_every_example);
    RUN(test_what_is_not_there);
    RUN(test_what_no_policy_knows);
    return check_done();
}
