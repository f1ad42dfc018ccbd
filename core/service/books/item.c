/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* item.c: what the books have by names, each with all it says in one block. */
#include "service/books/own.h"

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

/* Makes the block; the second time through packs into it. */
static void *begin(allot_engine *engine, packing *it, size_t head)
{
    size_t size = it->size + head;
    char *block = allot__sv_new(engine, 1, size);
    *it = (packing){.block = block, .at = block ? block + head : NULL};
    return block;
}

#define HEAD(type) ((sizeof(type) + 7) & ~(size_t)7)

static void name(allot__map_item *named, const char *id)
{
    named->name = id;
    named->len = strlen(id);
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

static void pack_task(packing *it, allot_task *task)
{
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
    packing it = {0};
    allot_task copy = *task;
    pack_task(&it, &copy);
    size_t size = it.size + HEAD(allot__task_item);
    allot__task_item *item = begin(engine, &it, HEAD(allot__task_item));
    if (!item)
        return NULL;
    item->it = *task;
    pack_task(&it, &item->it);
    item->size = size;
    name(&item->named, item->it.id);
    return item;
}

allot__unit *allot__unit_make(allot_engine *engine, const char *key, size_t len)
{
    size_t size = sizeof(allot__unit) + len;
    allot__unit *unit = allot__sv_new(engine, 1, size);
    if (!unit)
        return NULL;
    char *text = (char *)(unit + 1);
    memcpy(text, key, len);
    unit->named = (allot__map_item){.name = text, .len = len};
    unit->size = size;
    return unit;
}

/* ---- Sessions -------------------------------------------------------------------------------- */

allot__session_item *allot__session_make(allot_engine *engine, const allot_session *session)
{
    packing it = {0};
    allot_session copy = *session;
    pack_text(&it, &copy.id);
    size_t size = it.size + HEAD(allot__session_item);
    allot__session_item *item = begin(engine, &it, HEAD(allot__session_item));
    if (!item)
        return NULL;
    item->it = *session;
    pack_text(&it, &item->it.id);
    item->size = size;
    name(&item->named, item->it.id);
    return item;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static void pack_job(packing *it, allot_job *job)
{
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
    packing it = {0};
    allot_job copy = *job;
    pack_job(&it, &copy);
    size_t size = it.size + HEAD(allot__job_item);
    allot__job_item *item = begin(engine, &it, HEAD(allot__job_item));
    if (!item)
        return NULL;
    item->it = *job;
    pack_job(&it, &item->it);
    item->size = size;
    name(&item->named, item->it.id);
    return item;
}

/* ---- Reclaims in flight ---------------------------------------------------------------------- */

static void pack_flight(packing *it, allot_in_flight *flight)
{
    pack_text(it, &flight->id);
    const allot_claim *claims = pack_list(it, flight->claims, flight->claim_count, sizeof *claims);
    pack_texts(it, &flight->tasks, flight->task_count);
    if (it->block)
        flight->claims = claims;
}

allot__flight_item *allot__flight_make(allot_engine *engine, const allot_in_flight *flight)
{
    packing it = {0};
    allot_in_flight copy = *flight;
    pack_flight(&it, &copy);
    size_t size = it.size + HEAD(allot__flight_item);
    allot__flight_item *item = begin(engine, &it, HEAD(allot__flight_item));
    if (!item)
        return NULL;
    item->it = *flight;
    pack_flight(&it, &item->it);
    item->since = INT64_MIN;
    item->size = size;
    name(&item->named, item->it.id);
    return item;
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

allot__host_item *allot__host_make(allot_engine *engine, const char *host)
{
    size_t len = strlen(host), size = sizeof(allot__host_item) + len + 1;
    allot__host_item *item = allot__sv_new(engine, 1, size);
    if (!item)
        return NULL;
    char *text = (char *)(item + 1);
    memcpy(text, host, len + 1);
    item->named = (allot__map_item){.name = text, .len = len};
    item->slots = item->load = -1;
    item->exclusive_to = ALLOT_ROOT;
    item->size = size;
    return item;
}
