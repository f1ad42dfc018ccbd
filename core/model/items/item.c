/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* item.c: copies items, and visits their numbers, by the tables of their members. */
#include "model/items/things.h"

#include <string.h>

/* Where the next piece of a block goes; without a block only sizes add up. */
typedef struct packing {
    char *room;
    size_t size;
} packing;

static void *take(packing *it, const void *from, size_t size)
{
    void *piece = it->room ? it->room + it->size : NULL;
    it->size += (size + 7) & ~(size_t)7;
    return piece && size > 0 ? memcpy(piece, from, size) : NULL;
}

static void pack_text(packing *it, const char **text)
{
    const char *copy = *text ? take(it, *text, strlen(*text) + 1) : NULL;
    if (it->room)
        *text = copy;
}

/* Packs the texts of a list; each is the first member of its entry. */
static void pack_texts(packing *it, char *list, int32_t count, size_t size)
{
    for (int32_t i = 0; i < count; i++) {
        const char *text;
        memcpy(&text, list + (size_t)i * size, sizeof text);
        pack_text(it, &text);
        if (it->room)
            memcpy(list + (size_t)i * size, &text, sizeof text);
    }
}

static size_t size_of(const allot_member *member)
{
    static const size_t sizes[] = {[ALLOT_MEMBER_TEXTS] = sizeof(const char *),
                                   [ALLOT_MEMBER_PLACES] = sizeof(allot_job_host),
                                   [ALLOT_MEMBER_AMOUNTS] = sizeof(allot_job_resource),
                                   [ALLOT_MEMBER_CLAIMS] = sizeof(allot_claim),
                                   [ALLOT_MEMBER_SLOTS] = sizeof(allot_task_slots),
                                   [ALLOT_MEMBER_VALUES] = sizeof(allot_task_value),
                                   [ALLOT_MEMBER_OBJECT] = 0};
    return sizes[member->type];
}

/* A list of an item: its first byte, or NULL without a list; *count is its length. */
static char *list_of(const allot_member *member, const char *item, int32_t *count)
{
    char *list;
    memcpy(&list, item + member->at, sizeof list);
    memcpy(count, item + member->count_at, sizeof *count);
    return *count > 0 ? list : NULL;
}

static void pack_list(packing *it, const allot_member *member, char *item)
{
    int32_t count;
    char *list = list_of(member, item, &count);
    char *copy = list ? take(it, list, (size_t)count * size_of(member)) : NULL;
    if (list && (member->type == ALLOT_MEMBER_TEXTS || member->type == ALLOT_MEMBER_PLACES))
        pack_texts(it, it->room ? copy : list, count, size_of(member));
    if (it->room)
        memcpy(item + member->at, &copy, sizeof copy);
}

static void pack(packing *it, const allot_member *members, int32_t count, char *item)
{
    for (int32_t i = 0; i < count; i++) {
        const allot_member *member = &members[i];
        if (member->flags & ALLOT_MEMBER_PASSED)
            continue;
        if (member->type == ALLOT_MEMBER_TEXT)
            pack_texts(it, item + member->at, 1, sizeof(const char *));
        else if (size_of(member) > 0)
            pack_list(it, member, item);
        pack(it, member->members, member->member_count, item);
    }
}

size_t allot_item_room(const allot_members *members, const void *item)
{
    packing it = {NULL, 0};
    pack(&it, members->items, members->count, (char *)item); /* without a block nothing is set */
    return it.size;
}

void allot_item_copy(const allot_members *members, const void *item, void *to, char *room)
{
    packing it = {room, 0};
    memcpy(to, item, members->size);
    pack(&it, members->items, members->count, to);
}

/* ---- What is stated -------------------------------------------------------------------------- */

static bool number_is_stated(const allot_member *member, const char *at)
{
    int64_t wide = member->unset;
    int32_t number = (int32_t)member->unset;
    switch (member->type) {
    case ALLOT_MEMBER_WHOLE:
    case ALLOT_MEMBER_TIME:
    case ALLOT_MEMBER_THOUSANDTHS:
        memcpy(&wide, at, sizeof wide);
        return wide != member->unset;
    case ALLOT_MEMBER_FLAG:
    case ALLOT_MEMBER_OBJECT: /* with a bit of its own */
        memcpy(&number, at, sizeof number);
        return (number & (int32_t)member->least) != 0;
    case ALLOT_MEMBER_CONSUMER:
    case ALLOT_MEMBER_LEAF:
        memcpy(&number, at, sizeof number);
        return number != ALLOT_ROOT;
    case ALLOT_MEMBER_GROUP:
        return true;
    default:
        memcpy(&number, at, sizeof number);
        return number != (int32_t)member->unset;
    }
}

int allot_member_stated(const allot_member *member, const void *item)
{
    const char *at = (const char *)item + member->at, *text;
    bool object = member->type == ALLOT_MEMBER_OBJECT, list = size_of(member) > 0, some = false;
    int32_t count;
    if (member->flags & ALLOT_MEMBER_REQUIRED)
        return true;
    if (member->type == ALLOT_MEMBER_TEXT)
        return memcpy(&text, at, sizeof text) && text;
    if (!list && (!object || member->least != 0))
        return number_is_stated(member, at);
    if (list)
        some = list_of(member, item, &count) != NULL;
    for (int32_t i = 0; i < member->member_count && !some; i++)
        some = allot_member_stated(&member->members[i], item);
    return some;
}

bool allot__item_has_rest(const allot_member *members, int32_t count, const void *item)
{
    bool some = false;
    for (int32_t i = 0; i < count && !some; i++) {
        const allot_member *member = &members[i];
        int32_t entries;
        if (member->flags & (ALLOT_MEMBER_COLUMN | ALLOT_MEMBER_PASSED))
            continue;
        if (member->member_count == 0)
            some = allot_member_stated(member, item);
        else
            some = allot__item_has_rest(member->members, member->member_count, item) ||
                   (size_of(member) > 0 && list_of(member, item, &entries));
    }
    return some;
}

/* ---- Numbers of a plan's ----------------------------------------------------------------------
 */

typedef struct visit {
    allot_item_number each;
    void *ud;
    char *item;
} visit;

static int visit_number(const visit *it, const allot_member *member)
{
    int32_t *number = (int32_t *)(void *)(it->item + member->at);
    return *number < 0 ? ALLOT_OK : it->each(it->ud, member->type, number);
}

static int visit_list(const visit *it, const allot_member *member)
{
    int32_t count;
    char *list = list_of(member, it->item, &count);
    int status = ALLOT_OK;
    for (int32_t i = 0; list && i < count && status == ALLOT_OK; i++)
        status = it->each(it->ud, member->type, list + (size_t)i * size_of(member));
    return status;
}

static int visit_all(const visit *it, const allot_member *members, int32_t count)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        const allot_member *member = &members[i];
        switch (member->type) {
        case ALLOT_MEMBER_GROUP:
        case ALLOT_MEMBER_CONSUMER:
        case ALLOT_MEMBER_LEAF:
        case ALLOT_MEMBER_QUEUE:
            status = visit_number(it, member);
            break;
        case ALLOT_MEMBER_CLAIMS:
        case ALLOT_MEMBER_AMOUNTS:
        case ALLOT_MEMBER_SLOTS:
        case ALLOT_MEMBER_VALUES:
            status = visit_list(it, member);
            break;
        default:
            status = visit_all(it, member->members, member->member_count);
        }
    }
    return status;
}

int allot_item_numbers(const allot_members *members, void *item, allot_item_number each, void *ud)
{
    const visit it = {each, ud, item};
    return visit_all(&it, members->items, members->count);
}

/* ---- A thing --------------------------------------------------------------------------------- */

allot__thing *allot__thing_make(allot_engine *engine, allot_item kind, const void *item)
{
    const allot_members *members = allot_members_of(kind);
    size_t own = (members->size + 7) & ~(size_t)7;
    size_t size = sizeof(allot__thing) + own + allot_item_room(members, item);
    allot__thing *thing = size < INT32_MAX ? allot__new(engine, size, 1) : NULL;
    if (!thing)
        return NULL;
    thing->size = (uint32_t)size & INT32_MAX;
    allot_item_copy(members, item, thing + 1, (char *)(thing + 1) + own);
    memcpy(&thing->id, thing + 1, sizeof thing->id);
    return thing;
}

void allot__thing_free(allot_engine *engine, allot__thing *thing)
{
    if (thing)
        allot__free(engine, thing, thing->size, 1);
}

/* ---- Things ---------------------------------------------------------------------------------- */

static bool is_found(const allot__thing *thing)
{
    return thing->id && !thing->part;
}

static uint32_t hash_of(const char *id)
{
    return allot__hash(0, id, strlen(id));
}

static allot__thing *find(const allot__things *things, const char *id, uint32_t hash)
{
    uint32_t probe = 0;
    int32_t found;
    while ((found = allot__index_next(&things->index, hash, &probe)) >= 0) {
        allot__thing *thing = allot__things_at(things, found);
        if (strcmp(thing->id, id) == 0)
            return thing;
    }
    return NULL;
}

allot__thing *allot__things_find(const allot__things *things, const char *id)
{
    return id && things->index.count > 0 ? find(things, id, hash_of(id)) : NULL;
}

int allot__things_room(allot_engine *engine, allot__things *things, size_t more)
{
    if (things->list.count + more >= INT32_MAX || allot__index_room(engine, &things->index))
        return ALLOT_ENOMEM;
    if (allot__vector_room(engine, &things->replaced, more, sizeof(allot__thing *)))
        return ALLOT_ENOMEM;
    return allot__vector_room(engine, &things->list, more, sizeof(allot__thing *));
}

void *allot__things_block(allot_engine *engine, allot__things *things, size_t size)
{
    allot__thing **at = (allot__thing **)things->list.items + things->list.count;
    allot__thing *thing = NULL;
    if (things->list.count < things->spare) {
        thing = *at;
        *at = NULL;
    }
    if (thing && thing->size == size)
        return thing;
    allot__thing_free(engine, thing);
    thing = size < INT32_MAX ? allot_engine_alloc(engine, NULL, 0, size) : NULL;
    if (thing)
        thing->size = (uint32_t)size & INT32_MAX;
    return thing;
}

bool allot__things_put(allot__things *things, allot__thing *thing, bool check)
{
    int32_t number = (int32_t)things->list.count;
    uint32_t hash = is_found(thing) ? hash_of(thing->id) : 0;
    if (check && find(things, thing->id, hash))
        return false;
    thing->number = number;
    ((allot__thing **)things->list.items)[things->list.count++] = thing;
    if (is_found(thing))
        allot__index_add(&things->index, hash, number);
    return true;
}

void allot__things_swap(allot__things *things, allot__thing *old, allot__thing *thing)
{
    thing->number = old->number;
    ((allot__thing **)things->list.items)[old->number] = thing;
    ((allot__thing **)things->replaced.items)[things->replaced.count++] = old;
}

/* Its number stays unused until gaps are closed up. */
void allot__things_end(allot__things *things, allot__thing *thing)
{
    if (is_found(thing))
        allot__index_remove(&things->index, hash_of(thing->id), thing->number);
    thing->number = -1;
    things->gone++;
}

void allot__things_cut(allot_engine *engine, allot__things *things, size_t count)
{
    while (things->list.count > count) {
        allot__thing *thing = allot__things_at(things, (int32_t)things->list.count - 1);
        if (is_found(thing))
            allot__index_remove(&things->index, hash_of(thing->id), thing->number);
        allot__thing_free(engine, thing);
        ((allot__thing **)things->list.items)[--things->list.count] = NULL;
    }
}

static void free_replaced(allot_engine *engine, allot__things *things)
{
    for (size_t i = 0; i < things->replaced.count; i++)
        allot__thing_free(engine, ((allot__thing **)things->replaced.items)[i]);
    things->replaced.count = 0;
}

static void free_spare(allot_engine *engine, allot__things *things)
{
    for (size_t i = things->list.count; i < things->spare; i++)
        allot__thing_free(engine, ((allot__thing **)things->list.items)[i]);
    things->spare = 0;
}

int allot__things_close_up(allot_engine *engine, allot__things *things)
{
    size_t count = things->list.count;
    allot__thing **list = things->list.items;
    int32_t left = 0;
    free_replaced(engine, things);
    if (things->gone == 0)
        return ALLOT_OK;
    int32_t *numbers = allot__new(engine, count, sizeof *numbers);
    if (!numbers)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = left;
        if (list[i]->number < 0) {
            allot__thing_free(engine, list[i]);
            continue;
        }
        list[i]->number = left;
        list[left++] = list[i];
    }
    free_spare(engine, things);
    allot__index_renumber(&things->index, numbers);
    allot__free(engine, numbers, count, sizeof *numbers);
    things->list.count = (size_t)left;
    things->gone = 0;
    return ALLOT_OK;
}

void allot__things_spare(allot_engine *engine, allot__things *things)
{
    free_replaced(engine, things);
    if (things->spare < things->list.count)
        things->spare = things->list.count;
    things->list.count = things->gone = 0;
    allot__index_clear(&things->index);
}

void allot__things_clear(allot_engine *engine, allot__things *things)
{
    allot__things_spare(engine, things);
    free_spare(engine, things);
}

void allot__things_free(allot_engine *engine, allot__things *things)
{
    allot__things_clear(engine, things);
    allot__vector_free(engine, &things->list);
    allot__vector_free(engine, &things->replaced);
    allot__index_free(engine, &things->index);
}
