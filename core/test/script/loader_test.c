/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* loader_test.c: policies by name and by file, as a plan names them. */
#include <stdlib.h>
#include <unistd.h>

#include "test/support/script_fixture.h"

static script_fixture it;
static allot_policy_loader loader;
static char folder[64];

static void begin(void)
{
    script_begin(&it);
    CHECK_EQ(allot_script_loader_new(it.engine, NULL, &loader), ALLOT_OK);
}

static void end(void)
{
    allot_script_loader_free(it.engine, &loader);
    allot_script_loader_free(it.engine, &loader); /* once more does no harm */
    script_end(&it);
}

static int load(const char *use, const char *plan_file)
{
    allot_policy_free(it.policy);
    it.policy = NULL;
    allot_report_clear(it.report);
    return loader.load(loader.ud, it.engine, use, plan_file, NULL, 0, &it.policy, it.report);
}

static void write_file(const char *name, const char *text, size_t len)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (CHECK(file) && CHECK_EQ(fwrite(text, 1, len, file), len))
        fclose(file);
}

static void remove_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static void ready_made_policies_have_names(void)
{
    begin();
    CHECK(allot_ready_policies() >= 1);
    for (int32_t i = 0; i < allot_ready_policies(); i++) {
        size_t len = 0;
        CHECK_EQ(load(allot_ready_policy_name(i), NULL), ALLOT_OK);
        CHECK_STR(allot_policy_name(it.policy), allot_ready_policy_name(i));
        CHECK(allot_ready_policy_text(allot_ready_policy_name(i), &len) && len > 0);
        if (i > 0)
            CHECK(strcmp(allot_ready_policy_name(i - 1), allot_ready_policy_name(i)) < 0);
    }
    CHECK_STR(allot_ready_policy_name(-1), NULL);
    CHECK_STR(allot_ready_policy_name(allot_ready_policies()), NULL);
    CHECK_STR(allot_ready_policy_text("none", NULL), NULL);
    end();
}

static void an_unknown_name_lists_what_there_is(void)
{
    begin();
    CHECK_EQ(load("hybird", "plan.json"), ALLOT_EPOLICY);
    CHECK_STR(script_finding(&it)->code, "E-unknown-policy");
    CHECK(strstr(script_finding(&it)->message, "\"hybrid\""));
    CHECK_STR(script_finding(&it)->hint, "did you mean \"hybrid\"?");
    CHECK_STR(script_finding(&it)->file, NULL);
    end();
}

static void files_are_found_beside_the_plan(void)
{
    static const char text[] = "return policy { name = 'mine', like = 'hybrid', guards = {} }";
    char plan_file[128], path[128];
    begin();
    write_file("mine.lua", text, sizeof text - 1);
    snprintf(plan_file, sizeof plan_file, "%s/plan.json", folder);
    CHECK_EQ(load("mine.lua", plan_file), ALLOT_OK);
    CHECK_STR(allot_policy_name(it.policy), "mine");
    CHECK_EQ(load("./mine.lua", plan_file), ALLOT_OK);
    snprintf(path, sizeof path, "%s/mine.lua", folder);
    CHECK_EQ(load(path, "elsewhere/plan.json"), ALLOT_OK);
    CHECK_EQ(load(path, NULL), ALLOT_OK);
    write_file("mine.lua", "x = 1", 5);
    CHECK_EQ(load("mine.lua", plan_file), ALLOT_EPOLICY);
    CHECK_STR(script_finding(&it)->file, path);
    remove_file("mine.lua");
    end();
}

static void unreadable_files_are_told(void)
{
    static char large[1024 * 1024 + 1];
    char plan_file[128];
    begin();
    snprintf(plan_file, sizeof plan_file, "%s/plan.json", folder);
    CHECK_EQ(load("gone.lua", plan_file), ALLOT_EIO);
    CHECK_STR(script_finding(&it)->code, "E-io");
    CHECK(strstr(script_finding(&it)->message, "/gone.lua: No such file or directory"));
    CHECK_STR(script_finding(&it)->file, NULL);
    CHECK_EQ(load(folder, NULL), ALLOT_EIO);
    memset(large, ' ', sizeof large);
    write_file("large.lua", large, sizeof large);
    CHECK_EQ(load("large.lua", plan_file), ALLOT_EPOLICY);
    CHECK_STR(script_finding(&it)->message, "a policy file is at most 1 MiB");
    write_file("large.lua", large, sizeof large - 1);
    CHECK_EQ(load("large.lua", plan_file), ALLOT_EPOLICY);
    remove_file("large.lua");
    end();
}

static char beside[128];

static int scenario(allot_engine *engine)
{
    allot_policy_loader made;
    allot_policy *policy = NULL;
    int status = allot_script_loader_new(engine, NULL, &made);
    if (status)
        return status;
    status = made.load(made.ud, engine, "mine.lua", beside, NULL, 0, &policy, NULL);
    allot_policy_free(policy);
    allot_script_loader_free(engine, &made);
    return status;
}

static void every_allocation_may_fail(void)
{
    static const char text[] = "return policy { name = 'mine', like = 'hybrid', guards = {} }";
    snprintf(beside, sizeof beside, "%s/plan.json", folder);
    write_file("mine.lua", text, sizeof text - 1);
    script_each_failure(scenario);
    remove_file("mine.lua");
}

int main(void)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/allot-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return 1;
    RUN(ready_made_policies_have_names);
    RUN(an_unknown_name_lists_what_there_is);
    RUN(files_are_found_beside_the_plan);
    RUN(unreadable_files_are_told);
    RUN(every_allocation_may_fail);
    rmdir(folder);
    return check_done();
}
