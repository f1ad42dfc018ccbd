/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* loader.c: the policy that a plan names: a ready-made one, or a file beside the plan. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <allot/script.h>

#include "script/policy/zone.h"

enum { FILE_MAX = 1024 * 1024 };

typedef struct loader {
    bool limited;
    allot_script_limits limits;
} loader;

static void complain(allot_report *report, const char *code, const char *hint, const char *message)
{
    allot_report_add(report, &(allot_diagnostic){.severity = ALLOT_ERROR,
                                                 .code = code,
                                                 .message = message,
                                                 .hint = hint,
                                                 .consumer = -1,
                                                 .group = -1,
                                                 .field = -1});
}

/* ---- Ready-made policies ------------------------------------------------------------------- */

static int unknown_policy(const char *use, allot_report *report)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX];
    char message[500], hint[200];
    int32_t count = allot_ready_policies();
    int used =
        snprintf(message, sizeof message, "there is no policy \"%.100s\"; ready-made are ", use);
    for (int32_t i = 0; i < count && i < NAMES_MAX; i++) {
        names[i] = allot_ready_policy_name(i);
        if (used < (int)sizeof message)
            used += snprintf(message + used, sizeof message - (size_t)used, "%s\"%s\"",
                             i ? ", " : "", names[i]);
    }
    const char *near =
        allot_nearest(use, strlen(use), names, (size_t)(count < NAMES_MAX ? count : NAMES_MAX));
    if (near)
        snprintf(hint, sizeof hint, "did you mean \"%.100s\"?", near);
    else
        snprintf(hint, sizeof hint, "a policy of your own is a path that ends in .lua");
    complain(report, "E-unknown-policy", hint, message);
    return ALLOT_EPOLICY;
}

/* ---- Files --------------------------------------------------------------------------------- */

/* `use` as seen from the plan's folder. */
static char *join(allot_engine *engine, const char *plan_file, const char *use, size_t *size)
{
    const char *slash = plan_file && use[0] != '/' ? strrchr(plan_file, '/') : NULL;
    size_t folder = slash ? (size_t)(slash - plan_file) + 1 : 0, len = strlen(use);
    *size = folder + len + 1;
    char *path = allot_engine_alloc(engine, NULL, 0, *size);
    if (!path)
        return NULL;
    if (folder)
        memcpy(path, plan_file, folder);
    memcpy(path + folder, use, len + 1);
    return path;
}

static int cannot_read(const char *path, const char *why, allot_report *report)
{
    char message[500];
    snprintf(message, sizeof message, "cannot read the policy %.350s: %s", path, why);
    complain(report, "E-io", NULL, message);
    return ALLOT_EIO;
}

/* Reads at most FILE_MAX + 1 bytes into `text`, which has room for them: a policy so large is
 * refused as text. */
static int read_file(const char *path, char *text, size_t *len, allot_report *report)
{
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return cannot_read(path, strerror(errno), report);
    *len = fread(text, 1, FILE_MAX + 1, file);
    int failed = ferror(file) ? errno : 0;
    fclose(file);
    return failed ? cannot_read(path, strerror(failed), report) : ALLOT_OK;
}

/* ---- The loader ---------------------------------------------------------------------------- */

static bool is_file(const char *use)
{
    size_t len = strlen(use);
    return strchr(use, '/') || (len >= 4 && strcmp(use + len - 4, ".lua") == 0);
}

static int load_file(const loader *loader, allot_engine *engine, const char *path,
                     const allot_use_option *options, int32_t count, allot_policy **out,
                     allot_report *report)
{
    size_t len = 0, room = FILE_MAX + 1;
    char *text = allot_engine_alloc(engine, NULL, 0, room);
    if (!text)
        return ALLOT_ENOMEM;
    int status = read_file(path, text, &len, report);
    if (!status)
        status = allot_script_load(engine, text, len, path, options, count,
                                   loader->limited ? &loader->limits : NULL, report, out);
    allot_engine_alloc(engine, text, room, 0);
    return status;
}

static int load_policy(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                       const allot_use_option *options, int32_t count, allot_policy **out,
                       allot_report *report)
{
    const loader *loader = ud;
    size_t len = 0, size = 0;
    if (is_file(use)) {
        char *path = join(engine, plan_file, use, &size);
        if (!path)
            return ALLOT_ENOMEM;
        int status = load_file(loader, engine, path, options, count, out, report);
        allot_engine_alloc(engine, path, size, 0);
        return status;
    }
    const char *text = allot_ready_policy_text(use, &len);
    if (!text)
        return unknown_policy(use, report);
    return allot_script_load(engine, text, len, use, options, count,
                             loader->limited ? &loader->limits : NULL, report, out);
}

int allot_script_loader_new(allot_engine *engine, const allot_script_limits *limits,
                            allot_policy_loader *out)
{
    if (!engine || !out)
        return ALLOT_EUSAGE;
    loader *made = allot_engine_alloc(engine, NULL, 0, sizeof *made);
    if (!made)
        return ALLOT_ENOMEM;
    *made = (loader){.limited = limits != NULL};
    if (limits)
        made->limits = *limits;
    *out = (allot_policy_loader){.ud = made, .load = load_policy, .zone = allot__zone_load};
    return ALLOT_OK;
}

void allot_script_loader_free(allot_engine *engine, allot_policy_loader *loader_)
{
    if (!loader_ || !loader_->ud)
        return;
    allot_engine_alloc(engine, loader_->ud, sizeof(loader), 0);
    *loader_ = (allot_policy_loader){0};
}
