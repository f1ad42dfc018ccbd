/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* zone.c: time zones from the system's files. */
#include "script/policy/zone.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_LIMIT = 1024 * 1024, NAME_LIMIT = 255, PATH_LIMIT = 4096 };

static const char *folder(void)
{
    const char *own = getenv("TZDIR");
    return own && *own ? own : "/usr/share/zoneinfo";
}

static int complain(allot_report *report, int status, const char *hint, const char *message)
{
    allot_report_add(report, &(allot_diagnostic){.severity = ALLOT_ERROR,
                                                 .code = "E-timezone",
                                                 .message = message,
                                                 .hint = hint,
                                                 .consumer = -1,
                                                 .group = -1,
                                                 .field = -1});
    return status;
}

/* "Europe/Berlin": words divided by slashes, none of which is "", "." or "..". */
static bool name_sound(const char *name)
{
    size_t len = strlen(name);
    if (len == 0 || len > NAME_LIMIT)
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

/* ---- What else there is ---------------------------------------------------------------------- */

/* The system lists its zones: "Z NAME ...", and other names of them: "L NAME OTHER". */
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
    char path[PATH_LIMIT], line[1024];
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

static int unknown(const char *name, allot_report *report)
{
    char near[NAME_LIMIT + 1], hint[NAME_LIMIT + 64] = "names are like \"Europe/Berlin\"";
    struct stat info;
    if (stat(folder(), &info) != 0)
        return complain(report, ALLOT_ENOENT, "install the package tzdata, or set TZDIR",
                        "and the system has no time zone data");
    find_nearest(name, near, sizeof near);
    if (near[0])
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
    return complain(report, ALLOT_ENOENT, hint, "which the system does not have");
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* A whole file in a block of its size; EINVALID: empty, or too large. */
static int read_all(allot_engine *engine, FILE *file, void **data, size_t *len)
{
    size_t room = 4096, used = 0;
    char *bytes = allot_engine_alloc(engine, NULL, 0, room);
    while (bytes && (used += fread(bytes + used, 1, room - used, file)) == room) {
        char *more = room < FILE_LIMIT ? allot_engine_alloc(engine, bytes, room, 2 * room) : NULL;
        if (!more) {
            allot_engine_alloc(engine, bytes, room, 0);
            return room < FILE_LIMIT ? ALLOT_ENOMEM : ALLOT_EINVALID;
        }
        bytes = more;
        room *= 2;
    }
    if (!bytes)
        return ALLOT_ENOMEM;
    int status = ferror(file) ? ALLOT_EIO : used == 0 ? ALLOT_EINVALID : ALLOT_OK;
    void *exact = allot_engine_alloc(engine, bytes, room, status ? 0 : used);
    if (status)
        return status;
    if (!exact) {
        allot_engine_alloc(engine, bytes, room, 0);
        return ALLOT_ENOMEM;
    }
    *data = exact;
    *len = used;
    return ALLOT_OK;
}

int allot__zone_load(void *ud, allot_engine *engine, const char *name, void **data, size_t *len,
                     allot_report *report)
{
    char path[PATH_LIMIT], message[160];
    struct stat info;
    (void)ud;
    if (!name_sound(name))
        return complain(report, ALLOT_ENOENT, "names are like \"Europe/Berlin\"",
                        "which is no name of one");
    int length = snprintf(path, sizeof path, "%s/%s", folder(), name);
    if (length < 0 || (size_t)length >= sizeof path || stat(path, &info) != 0 ||
        !S_ISREG(info.st_mode))
        return unknown(name, report);
    FILE *file = fopen(path, "rb");
    int status = file ? read_all(engine, file, data, len) : ALLOT_EIO;
    if (status == ALLOT_EIO) {
        snprintf(message, sizeof message, "whose file cannot be read: %s", strerror(errno));
        complain(report, status, NULL, message);
    }
    if (file)
        fclose(file);
    return status;
}
