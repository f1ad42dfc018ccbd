/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* version.c: a plan with its policies, read on an engine of its own. */
#include "service/version/version.h"

#include <limits.h>
#include <string.h>
#include <time.h>

#include "service/version/reading.h"

/* ---- Time ------------------------------------------------------------------------------------ */

int64_t allot__version_worked(void *ud)
{
    struct timespec now = {0};
    (void)ud;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void allot__version_clock(allot__version *version, int64_t (*clock)(void *ud), void *ud)
{
    version->time.clock = clock ? clock : allot__version_worked;
    version->time.ud = ud;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static void speak(void *ud, const char *chunk, int32_t line, const char *level, const char *text)
{
    const allot__version *version = ud;
    if (version->loud)
        version->say(version->say_ud, chunk, line, level, text);
}

static void set_limits(allot__version *version, const allot__version_ask *ask,
                       allot_script_limits *own)
{
    if (ask->limits)
        *own = *ask->limits;
    own->meter = &version->meter;
    own->time = &version->time;
    allot__version_clock(version, NULL, NULL);
    version->loud = !ask->quiet;
    version->say = own->say;
    version->say_ud = own->say_ud;
    if (own->say) {
        own->say = speak;
        own->say_ud = version;
    }
}

static int list_policies(allot__version *version)
{
    allot__buf *list = &version->list;
    char sha256[65];
    allot__buf_add(list, ALLOT__POLICIES_HEAD, sizeof ALLOT__POLICIES_HEAD);
    if (version->instead) {
        allot__buf_puts(list, "instead ");
        allot__buf_add(list, version->instead, strlen(version->instead) + 1);
    }
    for (size_t i = 0; i < version->policies.count; i++) {
        const allot__source *it = &version->policies.items[i];
        allot_sha256(it->bytes, (size_t)it->size, sha256);
        allot__buf_puts(list, sha256);
        allot__buf_puts(list, " ");
        allot__buf_add(list, it->path, strlen(it->path) + 1);
    }
    if (list->failed)
        return ALLOT_ENOMEM;
    allot_sha256(list->bytes, list->len, version->policies_sha256);
    return ALLOT_OK;
}

static int read_plan(allot__version *version, const allot__version_ask *ask, allot_report *report)
{
    allot_script_limits own = {0};
    set_limits(version, ask, &own);
    version->text = allot__sv_copy(version->engine, ask->text, ask->len);
    if (!version->text)
        return ALLOT_ENOMEM;
    version->len = ask->len;
    bool same = ask->like != NULL && ask->like->len == ask->len &&
                memcmp(ask->like->text, ask->text, ask->len) == 0;
    if (same)
        memcpy(version->sha256, ask->like->sha256, sizeof version->sha256);
    else
        allot_sha256(ask->text, ask->len, version->sha256);
    int status = allot_script_loader_new(version->engine, &own, &version->loader);
    if (status == ALLOT_OK && ask->instead) {
        version->instead = allot__sv_copy(version->engine, ask->instead, strlen(ask->instead));
        status = version->instead ? ALLOT_OK : ALLOT_ENOMEM;
    }
    if (status != ALLOT_OK)
        return status;
    version->loader.instead = version->instead;
    allot__tracker tracker = {.inner = version->loader,
                              .limits = &own,
                              .texts = ask->texts,
                              .confined = ask->confined,
                              .known = ask->known,
                              .sources = &version->sources,
                              .policies = &version->policies};
    const allot_policy_loader loader = allot__tracker_loader(&tracker);
    status = allot_plan_read(version->engine, ask->text, ask->len, ask->file, &loader, report,
                             &version->plan);
    return status == ALLOT_OK ? list_policies(version) : status;
}

static int read_version(const allot__version_ask *ask, bool from_file, allot__sources *sources,
                        allot_report *report, allot__version **out)
{
    allot_engine *engine;
    int status = allot_engine_new(NULL, NULL, &engine);
    if (status != ALLOT_OK)
        return status;
    allot__version *version = allot__sv_new(engine, 1, sizeof *version);
    if (!version) {
        allot_engine_free(engine);
        return ALLOT_ENOMEM;
    }
    version->engine = engine;
    version->sources.engine = version->policies.engine = version->list.engine = engine;
    status = from_file ? allot__sources_add(&version->sources, ask->file, ask->text, ask->len)
                       : ALLOT_OK;
    if (status == ALLOT_OK)
        status = read_plan(version, ask, report);
    if (sources)
        allot__sources_copy(sources, &version->sources);
    if (status == ALLOT_OK)
        *out = version;
    else
        allot__version_free(version);
    return status;
}

int allot__version_read(const char *text, size_t len, const char *file,
                        const allot_script_limits *limits, allot_report *report,
                        allot__version **out)
{
    return allot__version_make(
        &(allot__version_ask){.file = file, .text = text, .len = len, .limits = limits}, NULL,
        report, out);
}

void allot__version_free(allot__version *version)
{
    if (!version)
        return;
    allot_engine *engine = version->engine;
    allot_state_free(version->last);
    allot_plan_free(version->plan);
    if (version->loader.load)
        allot_script_loader_free(engine, &version->loader);
    allot__sources_free(&version->sources);
    allot__sources_free(&version->policies);
    allot__buf_free(&version->list);
    allot__sv_drop(engine, version->instead);
    allot__sv_free(engine, version->text, version->len + 1, 1);
    allot__sv_free(engine, version, 1, sizeof *version);
    allot_engine_free(engine);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool ends_json(const char *file)
{
    size_t len = strlen(file);
    return len >= 5 && strcmp(file + len - 5, ".json") == 0;
}

static int say_why(allot_report *report, const char *file, int error)
{
    char words[128];
    allot__reading_why(error, words, sizeof words);
    allot_report_say(report, ALLOT_ERROR, error == ALLOT__READ_OUTSIDE ? "E-outside" : "E-io",
                     "%.300s cannot be read: %s", file, words);
    return error == ALLOT__READ_OUTSIDE ? ALLOT_EINVALID : ALLOT_EIO;
}

static int read_file(const allot__version_ask *ask, allot__buf *text, allot_report *report)
{
    char folder[PATH_MAX];
    allot__reading_ask reading = {
        .path = ask->file, .most = ALLOT__READ_PLAN, .piece = allot__reading_keep, .ud = text};
    int error = 0;
    if (ask->beside) {
        error = allot__reading_folder(ask->beside, folder, sizeof folder);
        reading.folder = folder;
        reading.path = allot__reading_inside(ask->beside, ask->file);
        if (!ends_json(ask->file))
            error = ALLOT__READ_OUTSIDE;
    }
    if (error == 0)
        error = allot__reading(&reading);
    if (error != 0)
        return say_why(report, ask->file, error);
    return text->failed ? ALLOT_ENOMEM : ALLOT_OK;
}

int allot__version_make(const allot__version_ask *ask, allot__sources *sources,
                        allot_report *report, allot__version **out)
{
    if (ask->text)
        return read_version(ask, ask->to_be, sources, report, out);
    allot_engine *engine;
    int status = allot_engine_new(NULL, NULL, &engine);
    if (status != ALLOT_OK)
        return status;
    allot__buf text = {.engine = engine};
    allot__version_ask full = *ask;
    status = read_file(ask, &text, report);
    full.text = text.bytes ? text.bytes : "";
    full.len = text.len;
    if (status == ALLOT_OK)
        status = read_version(&full, true, sources, report, out);
    else if (sources)
        allot__sources_add(sources, ask->file, NULL, 0);
    allot__buf_free(&text);
    allot_engine_free(engine);
    return status;
}

int allot__version_open(const char *file, const allot_script_limits *limits, allot_report *report,
                        allot__version **out)
{
    return allot__version_make(&(allot__version_ask){.file = file, .limits = limits}, NULL, report,
                               out);
}
