/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* watch_path.c: a path is walked as the system would, and each step noted. */
#include "service/generation/watch_path.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/memory.h"

enum { PATH_MOST = 4096, LINKS_MOST = 40 };

/* ---- The list -------------------------------------------------------------------------------- */

static bool has(const allot__watch_paths *paths, const allot__watch_path *like)
{
    for (size_t i = 0; i < paths->count; i++) {
        const allot__watch_path *it = &paths->items[i];
        if (it->device == like->device && it->inode == like->inode &&
            strcmp(it->name, like->name) == 0)
            return true;
    }
    return false;
}

static int put(allot__watch_paths *paths, const allot__watch_path *like)
{
    if (has(paths, like))
        return ALLOT_OK;
    allot__watch_path *items =
        allot__grow(paths->engine, paths->items, &paths->capacity, paths->count + 1, sizeof *items);
    if (!items)
        return ALLOT_ENOMEM;
    paths->items = items;
    allot__watch_path *it = &items[paths->count];
    *it = *like;
    it->folder = allot__copy(paths->engine, like->folder, strlen(like->folder));
    it->name = allot__copy(paths->engine, like->name, strlen(like->name));
    if (it->folder && it->name) {
        paths->count++;
        return ALLOT_OK;
    }
    allot__free_string(paths->engine, it->folder);
    allot__free_string(paths->engine, it->name);
    return ALLOT_ENOMEM;
}

int allot__watch_paths_copy(allot__watch_paths *paths, const allot__watch_paths *from)
{
    int status = ALLOT_OK;
    for (size_t i = 0; i < from->count && status == ALLOT_OK; i++)
        status = put(paths, &from->items[i]);
    return status;
}

void allot__watch_paths_free(allot__watch_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        allot__free_string(paths->engine, paths->items[i].folder);
        allot__free_string(paths->engine, paths->items[i].name);
    }
    allot__free(paths->engine, paths->items, paths->capacity, sizeof *paths->items);
    *paths = (allot__watch_paths){.engine = paths->engine};
}

/* ---- The walk -------------------------------------------------------------------------------- */

typedef struct walk {
    allot__watch_paths *paths;
    char at[PATH_MOST];   /* where we are: no link is in it */
    char rest[PATH_MOST]; /* what is still to go */
    int links;
} walk;

static int note(const walk *it, const char *name)
{
    struct stat info;
    if (stat(it->at, &info) != 0)
        return ALLOT_OK;
    return put(it->paths, &(allot__watch_path){.folder = (char *)it->at,
                                               .name = (char *)name,
                                               .device = (uint64_t)info.st_dev,
                                               .inode = (uint64_t)info.st_ino});
}

/* Takes the next name of what is to go; false: there is none, or it is too long. */
static bool next_name(walk *it, char name[256])
{
    const char *from = it->rest + strspn(it->rest, "/");
    size_t len = strcspn(from, "/");
    if (len == 0 || len > 255)
        return false;
    memcpy(name, from, len);
    name[len] = '\0';
    memmove(it->rest, from + len, strlen(from + len) + 1);
    return true;
}

static bool step_into(walk *it, const char *name)
{
    size_t len = strlen(it->at), more = strlen(name);
    bool slash = len > 0 && it->at[len - 1] == '/';
    if (len + more + 2 > sizeof it->at)
        return false;
    if (!slash)
        it->at[len++] = '/';
    memcpy(it->at + len, name, more + 1);
    return true;
}

/* What the link at `full` says goes before the rest. */
static bool follow(walk *it, const char *full)
{
    char target[PATH_MOST];
    ssize_t len = readlink(full, target, sizeof target - 1);
    if (len <= 0 || ++it->links > LINKS_MOST)
        return false;
    target[len] = '\0';
    size_t left = strlen(it->rest);
    if ((size_t)len + left + 2 > sizeof it->rest)
        return false;
    memmove(it->rest + len + 1, it->rest, left + 1);
    memcpy(it->rest, target, (size_t)len);
    it->rest[len] = '/';
    if (target[0] == '/')
        memcpy(it->at, "/", 2);
    return true;
}

/* One name; *on: there is more. */
static int step(walk *it, const char *name, bool *on)
{
    char before[PATH_MOST];
    struct stat info;
    *on = false;
    memcpy(before, it->at, strlen(it->at) + 1);
    if (!step_into(it, name))
        return ALLOT_OK;
    bool there = lstat(it->at, &info) == 0;
    bool link = there && S_ISLNK(info.st_mode), folder = there && S_ISDIR(info.st_mode);
    char full[PATH_MOST];
    memcpy(full, it->at, strlen(it->at) + 1);
    if (folder) {
        *on = true;
        return ALLOT_OK;
    }
    memcpy(it->at, before, strlen(before) + 1);
    int status = note(it, name);
    *on = link && status == ALLOT_OK && follow(it, full);
    return status;
}

int allot__watch_paths_add(allot__watch_paths *paths, const char *path)
{
    walk it = {.paths = paths};
    char name[256];
    size_t len = strlen(path);
    if (len + 1 > sizeof it.rest)
        return ALLOT_OK;
    memcpy(it.rest, path, len + 1);
    memcpy(it.at, path[0] == '/' ? "/" : ".", 2);
    int status = ALLOT_OK;
    for (bool on = true; on && status == ALLOT_OK && next_name(&it, name);)
        status = step(&it, name, &on);
    return status;
}

int allot__watch_paths_of(allot__watch_paths *paths, const allot__sources *sources)
{
    int status = ALLOT_OK;
    for (size_t i = 0; i < sources->count && status == ALLOT_OK; i++)
        status = allot__watch_paths_add(paths, sources->items[i].path);
    return status;
}
