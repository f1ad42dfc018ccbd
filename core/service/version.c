/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* version.c: a plan with its policies, read on an engine of its own. */
#include "service/version.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int read_plan(allot__version *version, const char *text, size_t len, const char *file,
                     const allot_script_limits *limits, allot_report *report)
{
    allot_script_limits own = limits != NULL ? *limits : (allot_script_limits){0};
    own.meter = &version->meter;
    version->text = allot__sv_copy(version->engine, text, len);
    if (version->text == NULL)
        return ALLOT_ENOMEM;
    version->len = len;
    allot_sha256(text, len, version->sha256);
    int status = allot_script_loader_new(version->engine, &own, &version->loader);
    if (status != ALLOT_OK)
        return status;
    return allot_plan_read(version->engine, text, len, file, &version->loader, report,
                           &version->plan);
}

int allot__version_read(const char *text, size_t len, const char *file,
                        const allot_script_limits *limits, allot_report *report,
                        allot__version **out)
{
    allot_engine *engine;
    int status = allot_engine_new(NULL, NULL, &engine);
    if (status != ALLOT_OK)
        return status;
    allot__version *version = allot__sv_new(engine, 1, sizeof *version);
    if (version == NULL) {
        allot_engine_free(engine);
        return ALLOT_ENOMEM;
    }
    version->engine = engine;
    status = read_plan(version, text, len, file, limits, report);
    if (status == ALLOT_OK)
        *out = version;
    else
        allot__version_free(version);
    return status;
}

void allot__version_free(allot__version *version)
{
    if (version == NULL)
        return;
    allot_engine *engine = version->engine;
    allot_plan_free(version->plan);
    if (version->loader.load != NULL)
        allot_script_loader_free(engine, &version->loader);
    allot__sv_free(engine, version->text, version->len + 1, 1);
    allot__sv_free(engine, version, 1, sizeof *version);
    allot_engine_free(engine);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int say_errno(allot_report *report, const char *file, int error)
{
    char words[128] = "";
    if (strerror_r(error, words, sizeof words) != 0)
        words[0] = '\0';
    allot_report_say(report, ALLOT_ERROR, "E-io", "%.300s cannot be read: %s", file, words);
    return ALLOT_EIO;
}

static int read_all(int fd, allot__buf *out)
{
    char part[65536];
    for (;;) {
        ssize_t got = read(fd, part, sizeof part);
        if (got == 0)
            return 0;
        if (got > 0)
            allot__buf_add(out, part, (size_t)got);
        else if (errno != EINTR)
            return errno;
    }
}

int allot__version_open(const char *file, const allot_script_limits *limits, allot_report *report,
                        allot__version **out)
{
    allot_engine *engine;
    int status = allot_engine_new(NULL, NULL, &engine);
    if (status != ALLOT_OK)
        return status;
    allot__buf text = {.engine = engine};
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    int error = fd < 0 ? errno : read_all(fd, &text);
    if (fd >= 0)
        close(fd);
    if (error != 0)
        status = say_errno(report, file, error);
    else if (text.failed)
        status = ALLOT_ENOMEM;
    else
        status = allot__version_read(text.bytes != NULL ? text.bytes : "", text.len, file, limits,
                                     report, out);
    allot__buf_free(&text);
    allot_engine_free(engine);
    return status;
}
