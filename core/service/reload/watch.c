/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* watch.c: watches directories by inotify, and files by polling. */
#include "service/reload/reload.h"

#include <string.h>

#include "base/memory.h"

enum { LOOK_MS = 2000 };

/* A directory or a file, in the watch's list until it is closed. */
typedef struct allot__watched {
    union {
        uv_handle_t handle;
        uv_fs_event_t folder;
        uv_fs_poll_t file;
    } uv;
    allot__watch *watch;
    struct allot__watched *next;
    bool file;
    bool dead; /* the directory was moved or deleted; its name may be another's now */
    uint64_t device, inode;
    char *path;
} watched;

/* ---- Events ---------------------------------------------------------------------------------- */

static bool is_of(const watched *it, const allot__watch_path *place)
{
    return !it->file && it->device == place->device && it->inode == place->inode;
}

static bool names_it(const watched *it, const char *name)
{
    const allot__watch_paths *paths = &it->watch->paths;
    for (size_t i = 0; i < paths->count; i++)
        if (is_of(it, &paths->items[i]) && strcmp(paths->items[i].name, name) == 0)
            return true;
    return false;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Other files, like the store, may be written beside ours: only entries on our paths matter. Events
 * of the directory itself have the directory's own name. */
static void seen(uv_fs_event_t *handle, const char *name, int events, int status)
{
    (void)events;
    watched *it = handle->data;
    bool self = status < 0 || !name || strcmp(name, last_name(it->path)) == 0;
    if (self)
        it->dead = true;
    if (self || names_it(it, name))
        it->watch->touched(it->watch->ud, false);
}

static void looked(uv_fs_poll_t *handle, int status, const uv_stat_t *before, const uv_stat_t *now)
{
    (void)status;
    (void)before;
    (void)now;
    watched *it = handle->data;
    it->watch->touched(it->watch->ud, true);
}

/* ---- The list -------------------------------------------------------------------------------- */

static void closed(uv_handle_t *handle)
{
    watched *it = handle->data;
    allot_service *service = it->watch->service;
    allot__free_string(service->engine, it->path);
    allot__free(service->engine, it, 1, sizeof *it);
    allot__handle_closed(service);
}

/* Begins to watch a watch path's directory or, if `place` is NULL, the file. */
static void add(allot__watch *watch, const allot__watch_path *place, const char *path)
{
    allot_service *service = watch->service;
    watched *it = allot__new(service->engine, 1, sizeof *it);
    char *copy = allot__copy(service->engine, path, strlen(path));
    int status = 0;
    if (!it || !copy) {
        allot__free(service->engine, it, 1, sizeof *it);
        allot__free_string(service->engine, copy);
        watch->lame = true;
        return;
    }
    *it = (watched){.watch = watch, .file = !place, .path = copy, .next = watch->items};
    if (place) {
        it->device = place->device;
        it->inode = place->inode;
        uv_fs_event_init(service->loop, &it->uv.folder);
        status = uv_fs_event_start(&it->uv.folder, seen, path, 0);
    } else {
        uv_fs_poll_init(service->loop, &it->uv.file);
        status = uv_fs_poll_start(&it->uv.file, looked, path, LOOK_MS);
    }
    it->uv.handle.data = it;
    allot__handle_open(service);
    if (status != 0) {
        watch->lame = true;
        uv_close(&it->uv.handle, closed);
        return;
    }
    watch->items = it;
    watch->folders += !it->file;
}

static bool is_wanted(const watched *it, const allot__watch_paths *paths,
                      const allot__sources *sources)
{
    if (it->file)
        return allot__sources_find(sources, it->path) != NULL;
    for (size_t i = 0; i < paths->count; i++)
        if (is_of(it, &paths->items[i]))
            return !it->dead && strcmp(paths->items[i].folder, it->path) == 0;
    return false;
}

static void drop(allot__watch *watch, const allot__watch_paths *paths,
                 const allot__sources *sources)
{
    for (watched **at = &watch->items; *at;) {
        watched *it = *at;
        if (sources && is_wanted(it, paths, sources)) {
            at = &it->next;
            continue;
        }
        *at = it->next;
        watch->folders -= !it->file;
        uv_close(&it->uv.handle, closed);
    }
}

static bool has(const allot__watch *watch, const allot__watch_path *place, const char *path)
{
    for (const watched *it = watch->items; it; it = it->next)
        if (place ? is_of(it, place) : it->file && path && strcmp(it->path, path) == 0)
            return true;
    return false;
}

/* ---- Both ------------------------------------------------------------------------------------ */

bool allot__watch_set(allot__watch *watch, const allot__watch_paths *paths,
                      const allot__sources *sources)
{
    allot__watch_paths_free(&watch->paths);
    watch->paths.engine = watch->service->engine;
    watch->lame = allot__watch_paths_copy(&watch->paths, paths) != ALLOT_OK;
    drop(watch, paths, sources);
    int64_t before = watch->folders;
    for (size_t i = 0; i < paths->count; i++)
        if (!has(watch, &paths->items[i], NULL))
            add(watch, &paths->items[i], paths->items[i].folder);
    bool fresh = watch->folders > before;
    for (size_t i = 0; i < sources->count; i++)
        if (!has(watch, NULL, sources->items[i].path))
            add(watch, NULL, sources->items[i].path);
    return fresh;
}

void allot__watch_end(allot__watch *watch)
{
    drop(watch, NULL, NULL);
    allot__watch_paths_free(&watch->paths);
}
