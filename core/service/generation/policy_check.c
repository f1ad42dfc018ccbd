/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* policy_check.c: checks a policy on random cases, by the tool behind `allot check`. */
#include <stdio.h>
#include <string.h>

#include <allot/tool.h>

#include "service/generation/candidate.h"

typedef struct asked {
    const allot__source *policy;
    char cases[16];
} asked;

static void drop(void *ud, const char *text, size_t len)
{
    (void)ud;
    (void)text;
    (void)len;
}

/* Drops the cases that `allot check` would write to files. */
static int write_nothing(void *ud, const char *path, const char *text, size_t len,
                         char why[ALLOT_TOOL_WHY_MAX])
{
    (void)ud;
    (void)path;
    (void)text;
    (void)len;
    snprintf(why, ALLOT_TOOL_WHY_MAX, "not wanted");
    return ALLOT_EIO;
}

/* Serves only the policy, with the text already read. */
static int read_policy(void *ud, const char *path, allot_sink sink, void *sink_ud,
                       char why[ALLOT_TOOL_WHY_MAX])
{
    const asked *it = ud;
    if (strcmp(path, it->policy->path) != 0)
        return write_nothing(ud, path, NULL, 0, why);
    return sink(sink_ud, it->policy->bytes, (size_t)it->policy->size) == 0 ? ALLOT_OK : ALLOT_EIO;
}

static const char *option(void *ud, const char *name)
{
    asked *it = ud;
    if (strcmp(name, "runs") == 0)
        return it->cases;
    return strcmp(name, "format") == 0 ? "json" : NULL;
}

static void progress(void *ud, int64_t done, int64_t total, const char *text)
{
    (void)ud;
    (void)done;
    (void)total;
    (void)text;
}

/* Copies the errors, except about unwritten cases; true: there were others. */
static bool pass_on(const allot_report *from, allot_report *to)
{
    bool any = false;
    for (int32_t i = 0; i < allot_report_count(from); i++) {
        allot_diagnostic it = *allot_report_at(from, i);
        if (it.severity != ALLOT_ERROR || strcmp(it.code, "E-io") == 0)
            continue;
        if (!it.hint)
            it.hint = "allot check shows a case";
        allot_report_add(to, &it);
        any = true;
    }
    return any;
}

int allot__policy_check(allot_engine *engine, const allot__source *policy, int32_t cases,
                        allot_report *report)
{
    asked it = {.policy = policy};
    const char *path = policy->path;
    const allot_tool_host host = {.ud = &it,
                                  .out = drop,
                                  .read = read_policy,
                                  .write = write_nothing,
                                  .option = option,
                                  .progress = progress,
                                  /* Bounds a policy's CPU time, independent of the machine's
                                   * load. */
                                  .clock = allot__generation_worked};
    allot_report *own;
    int answer = 0, status = allot_report_new(engine, &own);
    if (status != ALLOT_OK)
        return status;
    snprintf(it.cases, sizeof it.cases, "%d", (int)cases);
    status = allot_tool_run(engine, &host, "check", "run", &path, 1, &answer, own);
    bool told = pass_on(own, report);
    if (status == ALLOT_OK && answer != 0) {
        if (!told)
            allot_report_say(report, ALLOT_ERROR, "E-io", "%.300s cannot be checked", path);
        status = told ? ALLOT_EPOLICY : ALLOT_EIO;
    }
    allot_report_free(own);
    return status;
}
