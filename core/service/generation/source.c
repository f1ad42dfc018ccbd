/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* source.c: files identified by contents, the loader of policies, and the paths to watch. */
#include <errno.h>
#include <limits.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "service/generation/file.h"
#include "service/generation/source.h"

/* ---- Contents -------------------------------------------------------------------------------- */

static uint64_t stir(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    return hash ^ hash >> 29;
}

uint64_t allot__source_hash(const char *bytes, size_t len)
{
    uint64_t hash = 0, word;
    for (size_t at = 0; at < len; at += sizeof word) {
        word = 0;
        memcpy(&word, bytes + at, len - at < sizeof word ? len - at : sizeof word);
        hash = stir(hash, word);
    }
    return stir(hash, len + 1);
}

/* Hashes a file; returns its size or -1. */
static int64_t look_into(allot_engine *engine, const char *path, uint64_t *hash)
{
    allot__text text = {.engine = engine};
    int64_t size = -1;
    if (allot__reading(path, NULL, ALLOT__READ_PLAN, &text) == 0) {
        *hash = allot__source_hash(text.bytes, text.len);
        size = (int64_t)text.len;
    }
    allot__text_free(&text);
    return size;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

const allot__source *allot__sources_find(const allot__sources *sources, const char *path)
{
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(sources->items[i].path, path) == 0)
            return &sources->items[i];
    return NULL;
}

bool allot__sources_has(const allot__sources *sources, const allot__source *source)
{
    const allot__source *known = sources ? allot__sources_find(sources, source->path) : NULL;
    return known != NULL && known->hash == source->hash && known->size == source->size;
}

static int put(allot__sources *sources, const allot__source *like)
{
    if (allot__sources_find(sources, like->path))
        return ALLOT_OK;
    allot__source *items = allot__grow(sources->engine, sources->items, &sources->capacity,
                                       sources->count + 1, sizeof *items);
    char *path = items ? allot__copy(sources->engine, like->path, strlen(like->path)) : NULL;
    sources->items = items ? items : sources->items;
    if (path)
        items[sources->count++] =
            (allot__source){.path = path, .hash = like->hash, .size = like->size};
    return path ? ALLOT_OK : ALLOT_ENOMEM;
}

int allot__sources_add(allot__sources *sources, const char *path, const char *bytes, size_t len)
{
    allot__source it = {.path = (char *)path, .size = (int64_t)len};
    if (bytes)
        it.hash = allot__source_hash(bytes, len);
    else
        it.size = look_into(sources->engine, path, &it.hash);
    return put(sources, &it);
}

int allot__sources_put(allot__sources *sources, const char *path, const char *bytes, size_t len)
{
    size_t before = sources->count;
    int status = allot__sources_add(sources, path, bytes, len);
    if (status != ALLOT_OK || sources->count == before)
        return status;
    allot__source *it = &sources->items[before];
    it->bytes = allot__copy(sources->engine, bytes, len);
    return it->bytes ? ALLOT_OK : ALLOT_ENOMEM;
}

int allot__sources_copy(allot__sources *sources, const allot__sources *from)
{
    int status = ALLOT_OK;
    for (size_t i = 0; i < from->count && status == ALLOT_OK; i++)
        status = put(sources, &from->items[i]);
    return status;
}

bool allot__sources_same(const allot__sources *sources, allot_engine *engine)
{
    for (size_t i = 0; i < sources->count; i++) {
        const allot__source *it = &sources->items[i];
        uint64_t hash = 0;
        if (look_into(engine, it->path, &hash) != it->size || hash != it->hash)
            return false;
    }
    return true;
}

void allot__sources_sha256(const allot__sources *sources, char out[65])
{
    char text[130] = "";
    for (size_t i = 0; i < sources->count; i++) {
        const allot__source *it = &sources->items[i];
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, " %016" PRIx64 "%" PRId64, it->hash, it->size);
        allot_sha256(text, strlen(text), out);
        memcpy(text, out, 65);
    }
    if (sources->count == 0)
        allot_sha256("", 0, out);
}

void allot__sources_free(allot__sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        allot__source *it = &sources->items[i];
        allot__free(sources->engine, it->bytes, (size_t)it->size + 1, 1);
        allot__free_string(sources->engine, it->path);
    }
    allot__free(sources->engine, sources->items, sources->capacity, sizeof *sources->items);
    *sources = (allot__sources){.engine = sources->engine};
}

/* ---- The loader ------------------------------------------------------------------------------ */

/* Whether a name is a file, by the inner loader's rule. */
static bool is_file(const char *use)
{
    size_t len = strlen(use);
    return strchr(use, '/') != NULL || (len >= 4 && strcmp(use + len - 4, ".lua") == 0);
}

static const allot__source *kept(const allot__sources *sources, const char *path)
{
    const allot__source *it = sources ? allot__sources_find(sources, path) : NULL;
    return it != NULL && it->bytes ? it : NULL;
}

static int cannot_read(const char *path, int error, allot_report *report)
{
    char words[128];
    allot__reading_why(error, words, sizeof words);
    allot_report_say(report, ALLOT_ERROR, error == ALLOT__READ_OUTSIDE ? "E-outside" : "E-io",
                     "cannot read the policy %.350s: %s", path, words);
    return error == ALLOT__READ_OUTSIDE ? ALLOT_EPOLICY : ALLOT_EIO;
}

/* Whether a client may name it: the live plan names it, too. */
static bool is_free(const allot__tracker *it, const char *use)
{
    return !it->confined || (it->known != NULL && allot__sources_find(it->known, use));
}

static int read_disk(const allot__tracker *it, const char *path, const char *use,
                     const char *plan_file, allot__text *text)
{
    size_t len = strlen(use);
    if (is_free(it, use))
        return allot__reading(path, NULL, ALLOT__READ_POLICY, text);
    /* Faults quote the policy's text: only .lua files may be quoted. */
    if (!plan_file || len < 4 || strcmp(use + len - 4, ".lua") != 0)
        return ALLOT__READ_OUTSIDE;
    return allot__reading(use, plan_file, ALLOT__READ_POLICY, text);
}

/* Gets the policy's text; a known one is not read from disk. */
static int read_policy(const allot__tracker *it, const char *path, const char *use,
                       const char *plan_file, allot__text *text, allot_report *report)
{
    const allot__source *known = kept(it->sources, path); /* loaded for another group */
    int error = 0;
    if (!known)
        known = kept(it->texts, use);
    if (known)
        allot__text_add(text, known->bytes, (size_t)known->size);
    else
        error = read_disk(it, path, use, plan_file, text);
    if (error != 0 && error != ENOMEM) {
        if (error != ALLOT__READ_OUTSIDE) /* it may appear, or be repaired */
            allot__sources_add(it->sources, path, NULL, 0);
        return cannot_read(path, error, report);
    }
    allot__text_add(text, "", 0);
    return error == ENOMEM || text->failed ? ALLOT_ENOMEM : ALLOT_OK;
}

/* Builds the path by the inner loader's rule. */
static void join(allot__text *path, const char *plan_file, const char *use)
{
    const char *slash = plan_file != NULL && use[0] != '/' ? strrchr(plan_file, '/') : NULL;
    if (slash)
        allot__text_add(path, plan_file, (size_t)(slash - plan_file) + 1);
    allot__text_puts(path, use);
}

/* Loads a ready-made policy by name; this version's may differ from the one that decided. */
static int load_ready(allot__tracker *it, allot_engine *engine, const char *use,
                      const char *plan_file, const allot_use_option *options, int32_t count,
                      allot_policy **out, allot_report *report)
{
    const allot__source *known = kept(it->texts, use);
    size_t len = 0;
    const char *text = allot_ready_policy_text(use, &len);
    if (known) {
        text = known->bytes;
        len = (size_t)known->size;
    }
    int status = text ? allot__sources_put(it->policies, use, text, len) : ALLOT_OK;
    if (status == ALLOT_OK && known)
        return allot_script_load(engine, text, len, use, options, count, it->limits, report, out);
    return status != ALLOT_OK
               ? status
               : it->inner.load(it->inner.ud, engine, use, plan_file, options, count, out, report);
}

static int load_file(allot__tracker *it, allot_engine *engine, const char *use,
                     const char *plan_file, const allot_use_option *options, int32_t count,
                     allot_policy **out, allot_report *report)
{
    allot__text path = {.engine = engine}, text = {.engine = engine};
    join(&path, plan_file, use);
    int status =
        path.failed ? ALLOT_ENOMEM : read_policy(it, path.bytes, use, plan_file, &text, report);
    if (status == ALLOT_OK) /* several groups may share a policy */
        status = allot__sources_put(it->sources, path.bytes, text.bytes, text.len);
    if (status == ALLOT_OK)
        status = allot__sources_put(it->policies, use, text.bytes, text.len);
    if (status == ALLOT_OK)
        status = allot_script_load(engine, text.bytes, text.len, path.bytes, options, count,
                                   it->limits, report, out);
    allot__text_free(&path);
    allot__text_free(&text);
    return status;
}

static int load(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                const allot_use_option *options, int32_t count, allot_policy **out,
                allot_report *report)
{
    allot__tracker *it = ud;
    return is_file(use) ? load_file(it, engine, use, plan_file, options, count, out, report)
                        : load_ready(it, engine, use, plan_file, options, count, out, report);
}

static int zone(void *ud, allot_engine *engine, const char *name, void **data, size_t *len,
                allot_report *report)
{
    allot__tracker *it = ud;
    return it->inner.zone(it->inner.ud, engine, name, data, len, report);
}

allot_policy_loader allot__tracker_loader(allot__tracker *tracker)
{
    return (allot_policy_loader){.ud = tracker,
                                 .load = load,
                                 .zone = tracker->inner.zone ? zone : NULL,
                                 .instead = tracker->inner.instead};
}

/* ---- Watch paths ----------------------------------------------------------------------------- */

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

static int put_path(allot__watch_paths *paths, const allot__watch_path *like)
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
        status = put_path(paths, &from->items[i]);
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

enum { LINKS_MOST = 40 };

/* ---- The walk to a file ---------------------------------------------------------------------- */

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
    return put_path(paths, &(allot__watch_path){.folder = folder,
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
