/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* item.c: what the books have by names, each with all it says in one block. */
#include "service/books/own.h"

#include "base/memory.h"

/* Where the next piece of a block goes; the first time through `at` is NULL, and sizes add up. */
typedef struct packing {
    char *block, *at;
    size_t size;
} packing;

static void *take(packing *it, size_t size)
{
    size = (size + 7) & ~(size_t)7;
    void *piece = it->block ? it->at : NULL;
    if (it->block)
        it->at += size;
    it->size += size;
    return piece;
}

static void pack_text(packing *it, const char **text)
{
    if (!*text)
        return;
    size_t size = strlen(*text) + 1;
    char *to = take(it, size);
    if (to) {
        memcpy(to, *text, size);
        *text = to;
    }
}

static void *pack_list(packing *it, const void *list, int32_t count, size_t size)
{
    if (count <= 0)
        return NULL;
    void *to = take(it, (size_t)count * size);
    return to ? memcpy(to, list, (size_t)count * size) : NULL;
}

static void pack_texts(packing *it, const char *const **list, int32_t count)
{
    const char **to = pack_list(it, *list, count, sizeof **list);
    for (int32_t i = 0; i < count; i++) {
        const char *text = (*list)[i];
        pack_text(it, &text);
        if (to)
            to[i] = text;
    }
    if (to)
        *list = to;
}

static void pack_hosts(packing *it, const allot_job_host **hosts, int32_t count)
{
    allot_job_host *to = pack_list(it, *hosts, count, sizeof **hosts);
    for (int32_t i = 0; i < count; i++) {
        const char *text = (*hosts)[i].host;
        pack_text(it, &text);
        if (to)
            to[i].host = text;
    }
    if (to)
        *hosts = to;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

void *allot__item_make(allot_engine *engine, size_t head, const char *name, size_t len, size_t more)
{
    size_t size = head + len + 1 + more;
    char *block = allot__new(engine, 1, size);
    if (!block)
        return NULL;
    *(allot__map_item *)(void *)block =
        (allot__map_item){.name = memcpy(block + head, name, len), .len = len, .size = size};
    return block;
}

void allot__item_free(allot_engine *engine, void *item)
{
    if (item)
        allot__free(engine, item, 1, ((allot__map_item *)item)->size);
}

void *allot__item_find(const allot__map *map, const char *name)
{
    return allot__map_find(map, name, strlen(name));
}

int allot__item_put(allot_engine *engine, allot__map *map, void *old, void *item)
{
    int status = ALLOT_OK;
    if (old)
        allot__map_swap(map, old, item);
    else
        status = allot__map_put(map, item);
    allot__item_free(engine, status == ALLOT_OK ? old : item);
    return status;
}

void allot__item_end(allot_engine *engine, allot__map *map, void *item)
{
    allot__map_take(map, item);
    allot__item_free(engine, item);
}

/* A thing of the state, which begins with its id, stands at `at` in its item. */
static void *make(allot_engine *engine, size_t head, size_t at, const void *from, size_t size,
                  void (*pack)(packing *it, void *thing))
{
    union {
        allot_task task;
        allot_session session;
        allot_job job;
        allot_in_flight flight;
    } copy;
    packing it = {0};
    pack(&it, memcpy(&copy, from, size));
    head = (head + 7) & ~(size_t)7;
    size_t whole = head + it.size;
    char *block = allot__new(engine, 1, whole);
    if (!block)
        return NULL;
    it = (packing){.block = block, .at = block + head};
    const char **id = memcpy(block + at, from, size);
    pack(&it, id);
    *(allot__map_item *)(void *)block =
        (allot__map_item){.name = *id, .len = strlen(*id), .size = whole};
    return block;
}

#define MAKE(item, engine, from, pack)                                                             \
    make((engine), sizeof(item), offsetof(item, it), (from), sizeof *(from), (pack))

/* ---- Tasks ----------------------------------------------------------------------------------- */

static void pack_task(packing *it, void *thing)
{
    allot_task *task = thing;
    pack_text(it, &task->id);
    pack_text(it, &task->session);
    pack_text(it, &task->host);
    pack_text(it, &task->slot);
    pack_texts(it, &task->tags, task->tag_count);
    const allot_task_value *values = pack_list(it, task->values, task->value_count, sizeof *values);
    if (it->block)
        task->values = values;
}

allot__task_item *allot__task_make(allot_engine *engine, const allot_task *task)
{
    return MAKE(allot__task_item, engine, task, pack_task);
}

allot__unit *allot__unit_make(allot_engine *engine, const char *key, size_t len)
{
    return allot__item_make(engine, sizeof(allot__unit), key, len, 0);
}

/* ---- Sessions -------------------------------------------------------------------------------- */

static void pack_session(packing *it, void *thing)
{
    allot_session *session = thing;
    pack_text(it, &session->id);
}

allot__session_item *allot__session_make(allot_engine *engine, const allot_session *session)
{
    return MAKE(allot__session_item, engine, session, pack_session);
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static void pack_job(packing *it, void *thing)
{
    allot_job *job = thing;
    pack_text(it, &job->id);
    pack_text(it, &job->user);
    pack_text(it, &job->group);
    pack_text(it, &job->application);
    pack_hosts(it, &job->hosts, job->host_count);
    pack_hosts(it, &job->grown, job->grown_count);
    pack_texts(it, &job->tags, job->tag_count);
    const allot_task_value *values = pack_list(it, job->values, job->value_count, sizeof *values);
    const allot_job_resource *resources =
        pack_list(it, job->resources, job->resource_count, sizeof *resources);
    if (it->block) {
        job->values = values;
        job->resources = resources;
    }
}

allot__job_item *allot__job_make(allot_engine *engine, const allot_job *job)
{
    return MAKE(allot__job_item, engine, job, pack_job);
}

/* ---- Reclaims in flight ---------------------------------------------------------------------- */

static void pack_flight(packing *it, void *thing)
{
    allot_in_flight *flight = thing;
    pack_text(it, &flight->id);
    const allot_claim *claims = pack_list(it, flight->claims, flight->claim_count, sizeof *claims);
    pack_texts(it, &flight->tasks, flight->task_count);
    if (it->block)
        flight->claims = claims;
}

allot__flight_item *allot__flight_make(allot_engine *engine, const allot_in_flight *flight)
{
    allot__flight_item *item = MAKE(allot__flight_item, engine, flight, pack_flight);
    if (item)
        item->since = INT64_MIN;
    return item;
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

allot__host_item *allot__host_make(allot_engine *engine, const char *host)
{
    allot__host_item *item = allot__item_make(engine, sizeof *item, host, strlen(host), 0);
    if (!item)
        return NULL;
    item->slots = item->load = -1;
    item->exclusive_to = ALLOT_ROOT;
    return item;
}
