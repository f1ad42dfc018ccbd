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

allot__host_item *allot__host_make(allot_engine *engine, const allot_stated_host *host)
{
    return MAKE(allot__host_item, HOST, engine, host);
}

/* ---- Members of two items -------------------------------------------------------------------- */

static void merge(const allot_member *member, const char *from, char *to)
{
    int32_t bit = (int32_t)member->least, mine, other;
    const void *text;
    switch (member->type) {
    case ALLOT_MEMBER_WHOLE:
    case ALLOT_MEMBER_TIME:
    case ALLOT_MEMBER_THOUSANDTHS:
        memcpy(to + member->at, from + member->at, sizeof(int64_t));
        break;
    case ALLOT_MEMBER_FLAG:
    case ALLOT_MEMBER_OBJECT:
        memcpy(&mine, to + member->at, sizeof mine);
        memcpy(&other, from + member->at, sizeof other);
        mine = (mine & ~bit) | (other & bit);
        memcpy(to + member->at, &mine, sizeof mine);
        break;
    case ALLOT_MEMBER_CONSUMER:
    case ALLOT_MEMBER_LEAF:
    case ALLOT_MEMBER_GROUP:
    case ALLOT_MEMBER_QUEUE:
    case ALLOT_MEMBER_WORD:
        memcpy(to + member->at, from + member->at, sizeof(int32_t));
        break;
    default: /* a text, or a list */
        memcpy(&text, from + member->at, sizeof text);
        memcpy(to + member->at, &text, sizeof text);
        if (member->type != ALLOT_MEMBER_TEXT)
            memcpy(to + member->count_at, from + member->count_at, sizeof(int32_t));
    }
    for (int32_t i = 0; i < member->member_count; i++)
        merge(&member->members[i], from, to);
}

void allot__item_merge(allot_item kind, uint32_t members, const void *from, void *to)
{
    const allot_members *of = allot_members_of(kind);
    for (int32_t i = 0; i < of->count; i++)
        if (members >> i & 1 && !(of->items[i].flags & ALLOT_MEMBER_PASSED))
            merge(&of->items[i], from, to);
}

uint32_t allot__item_bit(allot_item kind, const char *name)
{
    const allot_members *of = allot_members_of(kind);
    return (uint32_t)1 << (allot_member_find(of, name) - of->items);
}
