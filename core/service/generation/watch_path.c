/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* watch_path.c: walks a path as the system does, and notes each entry. */
#include "service/generation/watch_path.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { LINKS_MOST = 40 };

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

/* A path whose links before `name` are resolved. */
typedef struct walk {
    char path[PATH_MAX];
    size_t name, end; /* of the current name */
    int links;
} walk;

static bool next_name(walk *it)
{
    it->name = it->end + strspn(it->path + it->end, "/");
    it->end = it->name + strcspn(it->path + it->name, "/");
    return it->end > it->name;
}

/* The directory of the current name. */
static void folder_of(const walk *it, char *folder)
{
    size_t len = it->name;
    while (len > 1 && it->path[len - 1] == '/')
        len--;
    memcpy(folder, len > 0 ? it->path : ".", len > 0 ? len : 1);
    folder[len > 0 ? len : 1] = '\0';
}

static int note(allot__watch_paths *paths, const walk *it)
{
    char folder[PATH_MAX], name[NAME_MAX + 1];
    struct stat info;
    folder_of(it, folder);
    snprintf(name, sizeof name, "%.*s", (int)(it->end - it->name), it->path + it->name);
    if (stat(folder, &info) != 0)
        return ALLOT_OK;
    return put(paths, &(allot__watch_path){.folder = folder,
                                           .name = name,
                                           .device = (uint64_t)info.st_dev,
                                           .inode = (uint64_t)info.st_ino});
}

/* Replaces the name, or the whole path so far, by the link's target; false: not possible. */
static bool follow(walk *it, const char *link)
{
    char target[PATH_MAX], rest[PATH_MAX];
    ssize_t len = readlink(link, target, sizeof target - 1);
    if (len <= 0 || ++it->links > LINKS_MOST)
        return false;
    it->end = target[0] == '/' ? 0 : it->name;
    snprintf(rest, sizeof rest, "%s", it->path + strlen(link));
    size_t room = sizeof it->path - it->end;
    int size = snprintf(it->path + it->end, room, "%.*s%s", (int)len, target, rest);
    return size >= 0 && (size_t)size < room;
}

int allot__watch_paths_add(allot__watch_paths *paths, const char *path)
{
    walk it = {.links = 0};
    struct stat info;
    int status = ALLOT_OK;
    bool on = snprintf(it.path, sizeof it.path, "%s", path) < (int)sizeof it.path;
    while (on && status == ALLOT_OK && next_name(&it)) {
        char link[PATH_MAX];
        snprintf(link, sizeof link, "%.*s", (int)it.end, it.path);
        bool there = lstat(link, &info) == 0;
        if (there && S_ISDIR(info.st_mode))
            continue;
        status = note(paths, &it);
        on = there && S_ISLNK(info.st_mode) && follow(&it, link);
    }
    return status;
}

int allot__watch_paths_of(allot__watch_paths *paths, const allot__sources *sources)
{
    int status = ALLOT_OK;
    for (size_t i = 0; i < sources->count && status == ALLOT_OK; i++)
        status = allot__watch_paths_add(paths, sources->items[i].path);
    return status;
}
