/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* watch.c: directories by inotify, files by looking now and then. */
#include "service/generation/watch.h"

#include <string.h>
#include <uv.h>

#include "base/text.h"
#include "base/memory.h"

enum { LOOK_MS = 2000 };

/* A directory; of the watch's list until it is being closed. */
typedef struct folder {
    uv_fs_event_t event;
    allot__watch *watch;
    struct folder *next;
    uint64_t device, inode;
    char *path;
    bool dead; /* moved or deleted: what has its name now is another */
} folder;

typedef struct file {
    uv_fs_poll_t poll;
    allot__watch *watch;
    struct file *next;
    char *path;
} file;

struct allot__watch {
    allot_engine *engine;
    uv_loop_t *loop;
    void (*touched)(void *ud, bool late);
    void *ud;
    folder *folders;
    file *files;
    size_t count;
    bool lame, closing;
    allot__watch_paths paths;
    size_t open; /* handles that are not closed */
    void (*closed)(void *ud);
    void *closed_ud;
};

int allot__watch_new(allot_engine *engine, struct uv_loop_s *loop,
                     void (*touched)(void *ud, bool late), void *ud, allot__watch **out)
{
    allot__watch *watch = allot__new(engine, 1, sizeof *watch);
    if (!watch)
        return ALLOT_ENOMEM;
    *watch = (allot__watch){
        .engine = engine, .loop = loop, .touched = touched, .ud = ud, .paths = {.engine = engine}};
    *out = watch;
    return ALLOT_OK;
}

/* ---- The end of handles ---------------------------------------------------------------------- */

static void end_watch(allot__watch *watch)
{
    void (*closed)(void *ud) = watch->closed;
    void *ud = watch->closed_ud;
    allot__watch_paths_free(&watch->paths);
    allot__free(watch->engine, watch, 1, sizeof *watch);
    closed(ud);
}

static void handle_gone(allot__watch *watch)
{
    watch->open--;
    if (watch->closing && watch->open == 0)
        end_watch(watch);
}

static void folder_closed(uv_handle_t *handle)
{
    folder *it = handle->data;
    allot__watch *watch = it->watch;
    allot__free_string(watch->engine, it->path);
    allot__free(watch->engine, it, 1, sizeof *it);
    handle_gone(watch);
}

static void file_closed(uv_handle_t *handle)
{
    file *it = handle->data;
    allot__watch *watch = it->watch;
    allot__free_string(watch->engine, it->path);
    allot__free(watch->engine, it, 1, sizeof *it);
    handle_gone(watch);
}

/* ---- Directories ----------------------------------------------------------------------------- */

static bool names_it(const folder *it, const char *name)
{
    const allot__watch_paths *paths = &it->watch->paths;
    for (size_t i = 0; i < paths->count; i++)
        if (paths->items[i].device == it->device && paths->items[i].inode == it->inode &&
            strcmp(paths->items[i].name, name) == 0)
            return true;
    return false;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Many files may be written beside ours, the store among them: only names that lead to ours matter.
 * What happens to the directory itself comes with its own name. */
static void seen(uv_fs_event_t *handle, const char *name, int events, int status)
{
    (void)events;
    folder *it = handle->data;
    bool self = status < 0 || !name || strcmp(name, last_name(it->path)) == 0;
    if (self)
        it->dead = true;
    if (self || names_it(it, name))
        it->watch->touched(it->watch->ud, false);
}

/* Begins to watch a watch path's directory; one that cannot be watched leaves the watch lame. */
static int add_folder(allot__watch *watch, const allot__watch_path *place)
{
    folder *it = allot__new(watch->engine, 1, sizeof *it);
    char *path = allot__copy(watch->engine, place->folder, strlen(place->folder));
    if (!it || !path) {
        allot__free(watch->engine, it, 1, sizeof *it);
        allot__free_string(watch->engine, path);
        return ALLOT_ENOMEM;
    }
    *it = (folder){.watch = watch, .device = place->device, .inode = place->inode, .path = path};
    uv_fs_event_init(watch->loop, &it->event);
    it->event.data = it;
    watch->open++;
    if (uv_fs_event_start(&it->event, seen, path, 0) != 0) {
        watch->lame = true;
        uv_close((uv_handle_t *)&it->event, folder_closed);
        return ALLOT_OK;
    }
    it->next = watch->folders;
    watch->folders = it;
    watch->count++;
    return ALLOT_OK;
}

static bool wanted(const allot__watch_paths *paths, const folder *it)
{
    for (size_t i = 0; i < paths->count; i++)
        if (paths->items[i].device == it->device && paths->items[i].inode == it->inode)
            return !it->dead && strcmp(paths->items[i].folder, it->path) == 0;
    return false;
}

static void drop_folders(allot__watch *watch, const allot__watch_paths *paths)
{
    for (folder **at = &watch->folders; *at != NULL;) {
        folder *it = *at;
        if (paths && wanted(paths, it)) {
            at = &it->next;
            continue;
        }
        *at = it->next;
        watch->count--;
        uv_close((uv_handle_t *)&it->event, folder_closed);
    }
}

static bool watched(const allot__watch *watch, const allot__watch_path *place)
{
    for (const folder *it = watch->folders; it; it = it->next)
        if (it->device == place->device && it->inode == place->inode)
            return true;
    return false;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void looked(uv_fs_poll_t *handle, int status, const uv_stat_t *before, const uv_stat_t *now)
{
    (void)status;
    (void)before;
    (void)now;
    file *it = handle->data;
    it->watch->touched(it->watch->ud, true);
}

static int add_file(allot__watch *watch, const char *path)
{
    for (const file *it = watch->files; it; it = it->next)
        if (strcmp(it->path, path) == 0)
            return ALLOT_OK;
    file *it = allot__new(watch->engine, 1, sizeof *it);
    char *copy = allot__copy(watch->engine, path, strlen(path));
    if (!it || !copy) {
        allot__free(watch->engine, it, 1, sizeof *it);
        allot__free_string(watch->engine, copy);
        return ALLOT_ENOMEM;
    }
    *it = (file){.watch = watch, .path = copy, .next = watch->files};
    uv_fs_poll_init(watch->loop, &it->poll);
    it->poll.data = it;
    watch->open++;
    watch->files = it;
    if (uv_fs_poll_start(&it->poll, looked, copy, LOOK_MS) != 0)
        watch->lame = true;
    return ALLOT_OK;
}

static void drop_files(allot__watch *watch, const allot__sources *sources)
{
    for (file **at = &watch->files; *at != NULL;) {
        file *it = *at;
        if (sources && allot__sources_find(sources, it->path)) {
            at = &it->next;
            continue;
        }
        *at = it->next;
        uv_close((uv_handle_t *)&it->poll, file_closed);
    }
}

/* ---- Both ------------------------------------------------------------------------------------ */

static int add_folders(allot__watch *watch, const allot__watch_paths *paths, bool *fresh)
{
    int status = ALLOT_OK;
    for (size_t i = 0; i < paths->count && status == ALLOT_OK; i++) {
        size_t before = watch->count;
        if (!watched(watch, &paths->items[i]))
            status = add_folder(watch, &paths->items[i]);
        *fresh = *fresh || watch->count > before;
    }
    return status;
}

int allot__watch_set(allot__watch *watch, const allot__watch_paths *paths,
                     const allot__sources *sources, bool *fresh)
{
    allot__watch_paths copy = {.engine = watch->engine};
    int status = allot__watch_paths_copy(&copy, paths);
    *fresh = false;
    if (status != ALLOT_OK) {
        allot__watch_paths_free(&copy);
        return status;
    }
    allot__watch_paths_free(&watch->paths);
    watch->paths = copy;
    watch->lame = false;
    drop_folders(watch, paths);
    drop_files(watch, sources);
    status = add_folders(watch, paths, fresh);
    for (size_t i = 0; i < sources->count && status == ALLOT_OK; i++)
        status = add_file(watch, sources->items[i].path);
    return status;
}

size_t allot__watch_count(const allot__watch *watch)
{
    return watch->count;
}

bool allot__watch_lame(const allot__watch *watch)
{
    return watch->lame;
}

void allot__watch_close(allot__watch *watch, void (*closed)(void *ud), void *ud)
{
    watch->closed = closed;
    watch->closed_ud = ud;
    watch->closing = true;
    watch->open++; /* so that the end does not come before this returns to here */
    drop_folders(watch, NULL);
    drop_files(watch, NULL);
    handle_gone(watch);
}
