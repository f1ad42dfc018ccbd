/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* source.c: files by their contents, and which of them policies are loaded from. */
#include "service/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "service/text.h"

/* ---- Contents -------------------------------------------------------------------------------- */

typedef struct digest {
    uint64_t hash;
    unsigned char rest[8];
    size_t held;
} digest;

static uint64_t stir(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    return hash ^ hash >> 29;
}

static void digest_add(digest *it, const char *bytes, size_t len)
{
    while (len > 0) {
        uint64_t word;
        size_t take = sizeof it->rest - it->held < len ? sizeof it->rest - it->held : len;
        memcpy(it->rest + it->held, bytes, take);
        it->held += take;
        bytes += take;
        len -= take;
        if (it->held < sizeof it->rest)
            return;
        memcpy(&word, it->rest, sizeof word);
        it->hash = stir(it->hash, word);
        it->held = 0;
    }
}

static uint64_t digest_end(digest *it)
{
    uint64_t word = 0;
    memcpy(&word, it->rest, it->held);
    return stir(stir(it->hash, word), it->held + 1);
}

uint64_t allot__source_hash(const char *bytes, size_t len)
{
    digest it = {0};
    digest_add(&it, bytes, len);
    return digest_end(&it);
}

/* What is in the file: its size or -1. */
static int64_t look_into(const char *path, uint64_t *hash)
{
    char part[65536];
    digest it = {0};
    int64_t size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -1;
    for (;;) {
        ssize_t got = read(fd, part, sizeof part);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            size = got < 0 ? -1 : size;
            break;
        }
        digest_add(&it, part, (size_t)got);
        size += got;
    }
    close(fd);
    *hash = size < 0 ? 0 : digest_end(&it);
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

static int put(allot__sources *sources, const allot__source *like)
{
    if (allot__sources_find(sources, like->path) != NULL)
        return ALLOT_OK;
    allot__source *items = allot__sv_grow(sources->engine, sources->items, &sources->capacity,
                                          sources->count + 1, sizeof *items);
    if (items == NULL)
        return ALLOT_ENOMEM;
    sources->items = items;
    allot__source *it = &items[sources->count];
    *it = *like;
    it->path = allot__sv_copy(sources->engine, like->path, strlen(like->path));
    if (it->path == NULL)
        return ALLOT_ENOMEM;
    sources->count++;
    return ALLOT_OK;
}

int allot__sources_add(allot__sources *sources, const char *path, const char *bytes, size_t len)
{
    allot__source it = {.path = (char *)path, .size = (int64_t)len};
    if (bytes != NULL)
        it.hash = allot__source_hash(bytes, len);
    else
        it.size = look_into(path, &it.hash);
    return put(sources, &it);
}

int allot__sources_copy(allot__sources *sources, const allot__sources *from)
{
    int status = ALLOT_OK;
    for (size_t i = 0; i < from->count && status == ALLOT_OK; i++)
        status = put(sources, &from->items[i]);
    return status;
}

bool allot__sources_same(const allot__sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        const allot__source *it = &sources->items[i];
        uint64_t hash = 0;
        if (look_into(it->path, &hash) != it->size || hash != it->hash)
            return false;
    }
    return true;
}

void allot__sources_free(allot__sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        allot__sv_drop(sources->engine, sources->items[i].path);
    allot__sv_free(sources->engine, sources->items, sources->capacity, sizeof *sources->items);
    *sources = (allot__sources){.engine = sources->engine};
}

/* ---- The loader ------------------------------------------------------------------------------ */

/* As the inner loader tells files from ready-made names. */
static bool is_file(const char *use)
{
    size_t len = strlen(use);
    return strchr(use, '/') != NULL || (len >= 4 && strcmp(use + len - 4, ".lua") == 0);
}

/* Before it is loaded: whatever is loaded then is this, or newer, and seen to be so. */
static int note(allot__sources *sources, const char *plan_file, const char *use)
{
    allot__buf path = {.engine = sources->engine};
    const char *slash = plan_file != NULL && use[0] != '/' ? strrchr(plan_file, '/') : NULL;
    if (slash != NULL)
        allot__buf_add(&path, plan_file, (size_t)(slash - plan_file) + 1);
    allot__buf_puts(&path, use);
    int status = path.failed ? ALLOT_ENOMEM : allot__sources_add(sources, path.bytes, NULL, 0);
    allot__buf_free(&path);
    return status;
}

static int load(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                const allot_use_option *options, int32_t count, allot_policy **out,
                allot_report *report)
{
    allot__tracker *it = ud;
    int status = is_file(use) ? note(it->sources, plan_file, use) : ALLOT_OK;
    return status == ALLOT_OK
               ? it->inner.load(it->inner.ud, engine, use, plan_file, options, count, out, report)
               : status;
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
                                 .zone = tracker->inner.zone != NULL ? zone : NULL,
                                 .instead = tracker->inner.instead};
}
