/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* loader.c: loads what a plan names: a ready-made policy, or a file beside the plan; and time zones
 * of the system. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <allot/script.h>

#include "base/report.h"

enum { FILE_MAX = 1024 * 1024, NAME_MOST = 255, PATH_MOST = 4096 };

typedef struct loader {
    bool limited;
    allot_script_limits limits;
} loader;

static int complain(allot_report *report, int status, const char *code, const char *hint,
                    const char *message)
{
    allot_diagnostic finding = allot__error(code, message);
    finding.hint = hint;
    allot_report_add(report, &finding);
    return status;
}

/* Reads a whole file into a block of its size (NULL: empty), or a little more than FILE_MAX of a
 * larger file. EIO: errno has the reason. */
static int read_file(allot_engine *engine, const char *path, char **out, size_t *len)
{
    size_t room = 4096;
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return ALLOT_EIO;
    char *bytes = allot_engine_alloc(engine, NULL, 0, room), *more = bytes;
    *len = 0;
    while (more && (*len += fread(bytes + *len, 1, room - *len, file)) == room &&
           room <= FILE_MAX) {
        more = allot_engine_alloc(engine, bytes, room, 2 * room);
        bytes = more ? more : bytes;
        room *= more ? 2 : 1;
    }
    int status = !more ? ALLOT_ENOMEM : ferror(file) ? ALLOT_EIO : ALLOT_OK, error = errno;
    fclose(file);
    errno = error;
    *out = bytes ? allot_engine_alloc(engine, bytes, room, status ? 0 : *len) : NULL;
    if (status == ALLOT_OK && *len > 0 && !*out) {
        allot_engine_alloc(engine, bytes, room, 0);
        return ALLOT_ENOMEM;
    }
    return status;
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
    return complain(report, ALLOT_EPOLICY, "E-unknown-policy", hint, message);
}

/* ---- Files --------------------------------------------------------------------------------- */

/* The path of `use`, relative to the plan's folder. */
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
    return complain(report, ALLOT_EIO, "E-io", NULL, message);
}

static bool is_file(const char *use)
{
    size_t len = strlen(use);
    return strchr(use, '/') || (len >= 4 && strcmp(use + len - 4, ".lua") == 0);
}

static int load_file(const loader *loader, allot_engine *engine, const char *path,
                     const allot_use_option *options, int32_t count, allot_policy **out,
                     allot_report *report)
{
    size_t len;
    char *text;
    int status = read_file(engine, path, &text, &len);
    if (status == ALLOT_EIO)
        return cannot_read(path, strerror(errno), report);
    if (status)
        return status;
    status = allot_script_load(engine, text, len, path, options, count,
                               loader->limited ? &loader->limits : NULL, report, out);
    if (text)
        allot_engine_alloc(engine, text, len, 0);
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

/* ---- Time zones ---------------------------------------------------------------------------- */

static const char *folder(void)
{
    const char *own = getenv("TZDIR");
    return own && *own ? own : "/usr/share/zoneinfo";
}

/* "Europe/Berlin": words divided by slashes, none of which is "", "." or "..". */
static bool name_sound(const char *name)
{
    size_t len = strlen(name);
    if (len == 0 || len > NAME_MOST)
        return false;
    for (const char *word = name;; word++) {
        size_t size = strcspn(word, "/");
        if (size == 0 || (size <= 2 && strncmp(word, "..", size) == 0))
            return false;
        word += size;
        if (*word == '\0')
            return true;
    }
}

/* Finds the name in a line of the system's list: "Z NAME ...", or an alias, "L NAME OTHER". */
static char *find_name(char *line)
{
    char *name = NULL, *save = NULL;
    if (line[0] == 'Z' && line[1] == ' ')
        name = strtok_r(line + 2, " \n", &save);
    else if (line[0] == 'L' && line[1] == ' ' && strtok_r(line + 2, " \n", &save))
        name = strtok_r(NULL, " \n", &save);
    return name;
}

/* Keeps the nearer of two names: each is compared with the best so far. */
static void find_nearest(const char *name, char *best, size_t size)
{
    char path[PATH_MOST], line[1024];
    int length = snprintf(path, sizeof path, "%s/tzdata.zi", folder());
    FILE *list = length > 0 && (size_t)length < sizeof path ? fopen(path, "r") : NULL;
    best[0] = '\0';
    while (list && fgets(line, sizeof line, list)) {
        const char *names[2] = {best[0] ? best : NULL, find_name(line)};
        const char *near = names[1] ? allot_nearest(name, strlen(name), names, 2) : NULL;
        if (near && near != best)
            snprintf(best, size, "%s", near);
    }
    if (list)
        fclose(list);
}

static int unknown_zone(const char *name, allot_report *report)
{
    char near[NAME_MOST + 1], hint[NAME_MOST + 64] = "names are like \"Europe/Berlin\"";
    struct stat info;
    if (stat(folder(), &info) != 0)
        return complain(report, ALLOT_ENOENT, "E-timezone",
                        "install the package tzdata, or set TZDIR",
                        "and the system has no time zone data");
    find_nearest(name, near, sizeof near);
    if (near[0])
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
    return complain(report, ALLOT_ENOENT, "E-timezone", hint, "which the system does not have");
}

/* Reads a file below $TZDIR, or below /usr/share/zoneinfo, and never one elsewhere. */
static int load_zone(void *ud, allot_engine *engine, const char *name, void **data, size_t *len,
                     allot_report *report)
{
    char path[PATH_MOST], message[160], *bytes;
    struct stat info;
    (void)ud;
    if (!name_sound(name))
        return complain(report, ALLOT_ENOENT, "E-timezone", "names are like \"Europe/Berlin\"",
                        "which is no name of one");
    int length = snprintf(path, sizeof path, "%s/%s", folder(), name);
    if (length < 0 || (size_t)length >= sizeof path || stat(path, &info) != 0 ||
        !S_ISREG(info.st_mode))
        return unknown_zone(name, report);
    int status = read_file(engine, path, &bytes, len);
    if (status == ALLOT_EIO) {
        snprintf(message, sizeof message, "whose file cannot be read: %s", strerror(errno));
        return complain(report, status, "E-timezone", NULL, message);
    }
    if (status == ALLOT_OK && (*len == 0 || *len > FILE_MAX)) {
        if (bytes)
            allot_engine_alloc(engine, bytes, *len, 0);
        return ALLOT_EINVALID;
    }
    *data = bytes;
    return status;
}

/* ---- The loader ---------------------------------------------------------------------------- */

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
    *out = (allot_policy_loader){.ud = made, .load = load_policy, .zone = load_zone};
    return ALLOT_OK;
}

void allot_script_loader_free(allot_engine *engine, allot_policy_loader *loader_)
{
    if (!loader_ || !loader_->ud)
        return;
    allot_engine_alloc(engine, loader_->ud, sizeof(loader), 0);
    *loader_ = (allot_policy_loader){0};
}
