/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* item.c: what the books have by names, each with all it says in one block. */
#include "service/books/own.h"

#include "base/memory.h"

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

/* An item of the state, which begins with its id, stands at `at` in the block. */
static void *make(allot_engine *engine, size_t head, size_t at, allot_item kind, const void *from)
{
    const allot_members *members = allot_members_of(kind);
    head = (head + 7) & ~(size_t)7;
    size_t whole = head + allot_item_room(members, from);
    char *block = allot__new(engine, 1, whole);
    if (!block)
        return NULL;
    allot_item_copy(members, from, block + at, block + head);
    const char *id;
    memcpy(&id, block + at, sizeof id);
    *(allot__map_item *)(void *)block =
        (allot__map_item){.name = id, .len = strlen(id), .size = whole};
    return block;
}

#define MAKE(item, kind, engine, from)                                                             \
    make((engine), sizeof(item), offsetof(item, it), ALLOT_ITEM_##kind, (from))

allot__task_item *allot__task_make(allot_engine *engine, const allot_task *task)
{
    return MAKE(allot__task_item, TASK, engine, task);
}

allot__unit *allot__unit_make(allot_engine *engine, const char *key, size_t len)
{
    return allot__item_make(engine, sizeof(allot__unit), key, len, 0);
}

allot__session_item *allot__session_make(allot_engine *engine, const allot_session *session)
{
    return MAKE(allot__session_item, SESSION, engine, session);
}

allot__job_item *allot__job_make(allot_engine *engine, const allot_job *job)
{
    return MAKE(allot__job_item, JOB, engine, job);
}

allot__flight_item *allot__flight_make(allot_engine *engine, const allot_in_flight *flight)
{
    allot__flight_item *item = MAKE(allot__flight_item, RECLAIM, engine, flight);
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
