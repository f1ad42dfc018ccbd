/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* check.c: changed policies are checked as by `allot check`, on random cases and on the live state.
 */
#include <stdio.h>
#include <string.h>

#include <allot/tool.h>

#include "base/memory.h"
#include "service/generation/candidate.h"

/* ---- What the tool is told ------------------------------------------------------------------- */

typedef struct asked {
    const allot__source *policy;
    char cases[16];
    const allot__text *live; /* plan and state, as the method `state` answers them */
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

/* Asks no service: the one question is for plan and state. */
static int ask(void *ud, const char *name, const char *text, size_t len, allot_sink sink,
               void *sink_ud, char why[ALLOT_TOOL_WHY_MAX])
{
    const asked *it = ud;
    (void)text;
    (void)len;
    if (strcmp(name, "ask") != 0)
        return write_nothing(ud, name, NULL, 0, why);
    return sink(sink_ud, it->live->bytes, it->live->len) == 0 ? ALLOT_OK : ALLOT_EIO;
}

/* ---- What the tool answers ------------------------------------------------------------------- */

/* The file that a policy was read from, by its name in the plan. */
static const char *file_of(const allot__candidate *it, const char *name)
{
    const allot__sources *files = &it->generation->sources;
    const allot__source *policy =
        name ? allot__sources_find(&it->generation->texts->policies, name) : NULL;
    for (size_t i = 0; policy && i < files->count; i++)
        if (files->items[i].hash == policy->hash && files->items[i].size == policy->size)
            return files->items[i].path;
    return name;
}

/* Copies the errors, except about unwritten cases; true: there were others. */
static bool pass_on(allot__candidate *it, const allot_report *from, const char *hint)
{
    bool any = false;
    for (int32_t i = 0; i < allot_report_count(from); i++) {
        allot_diagnostic found = *allot_report_at(from, i);
        if (found.severity != ALLOT_ERROR || strcmp(found.code, "E-io") == 0)
            continue;
        if (!found.hint)
            found.hint = hint;
        found.file = file_of(it, found.file);
        allot_report_add(it->report, &found);
        any = true;
    }
    return any;
}

/* Runs a function of the tool `check`. EPOLICY (report): it found something. ENOMEM. */
static int check(allot__candidate *it, const allot_tool_host *host, const char *function,
                 const char *const *args, int32_t n, const char *hint)
{
    allot_report *own;
    int answer = 0, status = allot_report_new(it->engine, &own);
    if (status != ALLOT_OK)
        return status;
    status = allot_tool_run(it->engine, host, "check", function, args, n, &answer, own);
    bool told = pass_on(it, own, hint);
    if (status == ALLOT_OK && answer != 0) {
        if (!told)
            allot_report_say(it->report, ALLOT_ERROR, "E-io", "%.300s cannot be checked",
                             n > 0 ? args[0] : it->file);
        status = told ? ALLOT_EPOLICY : ALLOT_EIO;
    }
    allot_report_free(own);
    return status;
}

/* ---- Changed policies ------------------------------------------------------------------------ */

static bool is_listed(const allot__candidate *it, const allot__source *source)
{
    char sha256[65];
    if (it->list.len == 0)
        return false;
    allot_sha256(source->bytes, (size_t)source->size, sha256);
    for (size_t at = 0; at < it->list.len; at += strlen(it->list.bytes + at) + 1)
        if (strncmp(it->list.bytes + at, sha256, 64) == 0)
            return true;
    return false;
}

/* The plan, whose text is not kept, is none. */
static bool is_changed(const allot__candidate *it, const allot__source *source)
{
    return source->bytes && !allot__sources_has(it->trusted, source) && !is_listed(it, source);
}

int allot__candidate_check(allot__candidate *candidate)
{
    int status = ALLOT_OK;
    const allot__sources *sources = &candidate->generation->sources;
    for (size_t i = 0; i < sources->count && status == ALLOT_OK; i++) {
        const allot__source *source = &sources->items[i];
        if (!is_changed(candidate, source))
            continue;
        asked it = {.policy = source};
        const allot_tool_host host = {.ud = &it,
                                      .out = drop,
                                      .read = read_policy,
                                      .write = write_nothing,
                                      .option = option,
                                      /* Bounds a policy's CPU time, independent of the machine's
                                       * load. */
                                      .clock = allot__generation_worked};
        const char *path = source->path;
        snprintf(it.cases, sizeof it.cases, "%d", ALLOT__CANDIDATE_CASES);
        status = check(candidate, &host, "run", &path, 1, "allot check shows a case");
        candidate->checked++;
    }
    return status;
}

/* The plan's names of changed policies, to be freed; the number of policies. */
static const char **changed_names(const allot__candidate *it, size_t *count)
{
    const allot__sources *files = &it->generation->sources;
    const allot__sources *policies = &it->generation->texts->policies;
    const char **names = allot__new(it->engine, policies->count, sizeof *names);
    *count = 0;
    for (size_t i = 0; names && i < policies->count; i++) {
        const allot__source *file =
            allot__sources_find(files, file_of(it, policies->items[i].path));
        if (file && is_changed(it, file))
            names[(*count)++] = policies->items[i].path;
    }
    return names;
}

static int check_live(allot__candidate *it, const allot__text *live)
{
    asked asked = {.live = live};
    const allot_tool_host host = {
        .ud = &asked, .out = drop, .call = ask, .clock = allot__generation_worked};
    char hint[400];
    size_t count;
    const char **names = changed_names(it, &count);
    if (!names)
        return ALLOT_ENOMEM;
    snprintf(hint, sizeof hint,
             "on the live state; allot check --socket SOCKET %.300s shows a case", it->file);
    int status = check(it, &host, "live", names, (int32_t)count, hint);
    allot__free(it->engine, (void *)names, it->generation->texts->policies.count, sizeof *names);
    return status;
}

int allot__candidate_check_live(allot__candidate *candidate, const allot_state *state)
{
    allot__text live = {.engine = candidate->engine};
    if (candidate->checked == 0)
        return ALLOT_OK;
    allot__text_puts(&live, "{\"plan\": ");
    allot__plan_answer_put(candidate->generation, candidate->file, &live);
    allot__text_puts(&live, ", \"state\": ");
    int status = allot_state_write(state, allot__text_sink, &live);
    allot__text_puts(&live, "}");
    if (status == ALLOT_OK)
        status = live.failed ? ALLOT_ENOMEM : check_live(candidate, &live);
    allot__text_free(&live);
    return status;
}
