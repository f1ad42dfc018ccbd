/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * item.c: named things of the books: blocks, records, sources; comparing items; ties of tasks, and
 * reclaims that name a task.
 */
#include <stdio.h>

#include "base/memory.h"
#include "service/books/own.h"

/* ---- Blocks ---------------------------------------------------------------------------------- */

void *allot__item_make(allot_engine *engine, size_t head, const char *name, size_t len)
{
    size_t size = head + len + 1;
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

int allot__item_put(allot_engine *engine, allot__map *map, void *item)
{
    int status = allot__map_put(map, item);
    if (status != ALLOT_OK)
        allot__item_free(engine, item);
    return status;
}

void allot__item_end(allot_engine *engine, allot__map *map, void *item)
{
    allot__map_take(map, item);
    allot__item_free(engine, item);
}

/* ---- Sessions, jobs and hosts ---------------------------------------------------------------- */

static int tell(allot__books *books, allot_item kind, const void *item)
{
    return kind == ALLOT_ITEM_HOST ? allot_state_host_set(books->state, item)
                                   : allot_state_set(books->state, kind, item);
}

int allot__record_put(allot__books *books, allot_item kind, const void *item, allot__record **out)
{
    const char *id;
    allot__map *map = allot__books_map(books, kind);
    size_t head = kind == ALLOT_ITEM_RECLAIM ? sizeof(allot__flight_item) : sizeof(allot__record);
    memcpy(&id, item, sizeof id); /* the first member of each */
    allot__record *known = allot__item_find(map, id), *record = known;
    if (known)
        allot__map_touch(map, &known->named);
    else if (allot__map_reserve(map) == ALLOT_OK)
        record = allot__item_make(books->engine, head, id, strlen(id));
    int status = record ? tell(books, kind, item) : ALLOT_ENOMEM;
    if (status == ALLOT_OK)
        *out = record;
    if (!known && status == ALLOT_OK)
        allot__map_put(map, &record->named);
    else if (!known)
        allot__item_free(books->engine, record);
    return status;
}

int allot__record_tell(allot__books *books, const allot__event *event, allot_item kind,
                       const void *item)
{
    const allot__origin *source;
    allot__record *record;
    int status = allot__origin_of(books, event, &source);
    if (status == ALLOT_OK)
        status = allot__record_put(books, kind, item, &record);
    if (status == ALLOT_OK && (source || kind == ALLOT_ITEM_SESSION))
        record->source = source;
    return status;
}

void allot__record_end(allot__books *books, allot_item kind, allot__record *record)
{
    allot__map *map = allot__books_map(books, kind);
    allot__map_take(map, &record->named);
    if (kind == ALLOT_ITEM_HOST)
        allot_state_host_end(books->state, record->named.name);
    else
        allot_state_end(books->state, kind, record->named.name);
    allot__item_free(books->engine, record);
}

/* ---- Sources --------------------------------------------------------------------------------- */

int allot__origin_find(allot__books *books, const char *name, const allot__origin **out)
{
    *out = NULL;
    if (!name)
        return ALLOT_OK;
    allot__origin *source = allot__item_find(&books->sources, name);
    if (!source) {
        source = allot__item_make(books->engine, sizeof *source, name, strlen(name));
        if (!source || allot__item_put(books->engine, &books->sources, source) != ALLOT_OK)
            return ALLOT_ENOMEM;
        source->at = INT64_MIN;
    }
    *out = source;
    return ALLOT_OK;
}

int allot__origin_of(allot__books *books, const allot__event *event, const allot__origin **out)
{
    int status = allot__origin_find(books, event->source, out);
    allot__origin *source = (allot__origin *)*out;
    if (source && event->at > source->at)
        source->at = event->at;
    return status;
}

/* ---- Members of two items -------------------------------------------------------------------- */

/* The size of a member in its struct; 0: a bit, or only a group of members. */
static size_t width_of(allot_member_type type)
{
    switch (type) {
    case ALLOT_MEMBER_WHOLE:
    case ALLOT_MEMBER_TIME:
    case ALLOT_MEMBER_THOUSANDTHS:
        return sizeof(int64_t);
    case ALLOT_MEMBER_CONSUMER:
    case ALLOT_MEMBER_LEAF:
    case ALLOT_MEMBER_GROUP:
    case ALLOT_MEMBER_QUEUE:
    case ALLOT_MEMBER_WORD:
        return sizeof(int32_t);
    case ALLOT_MEMBER_FLAG:
    case ALLOT_MEMBER_OBJECT:
        return 0;
    default: /* a text, or a list */
        return sizeof(void *);
    }
}

static int32_t number_at(const char *item, size_t at)
{
    int32_t number;
    memcpy(&number, item + at, sizeof number);
    return number;
}

static void merge(const allot_member *member, const char *from, char *to)
{
    int32_t bit = (int32_t)member->least;
    size_t width = width_of(member->type);
    if (width == 0) {
        int32_t bits = (number_at(to, member->at) & ~bit) | (number_at(from, member->at) & bit);
        memcpy(to + member->at, &bits, sizeof bits);
    }
    memcpy(to + member->at, from + member->at, width);
    if (width == sizeof(void *) && member->count_at > 0)
        memcpy(to + member->count_at, from + member->count_at, sizeof(int32_t));
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

/* ---- Two items that are the same ------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Places are compared in any order. */
static bool has_place(const allot_job_host *places, int32_t count, const allot_job_host *place)
{
    for (int32_t i = 0; i < count; i++)
        if (same_text(places[i].host, place->host))
            return places[i].slots == place->slots;
    return false;
}

static bool same_entry(allot_member_type type, const void *a, const void *b, int32_t count,
                       int32_t i)
{
    const allot_claim *one = a, *other = b; /* as all pairs of a number and an amount */
    if (type == ALLOT_MEMBER_TEXTS)
        return strcmp(((const char *const *)a)[i], ((const char *const *)b)[i]) == 0;
    if (type == ALLOT_MEMBER_PLACES)
        return has_place(b, count, (const allot_job_host *)a + i);
    return one[i].consumer == other[i].consumer && one[i].slots == other[i].slots;
}

static bool same_list(const allot_member *member, const char *a, const char *b)
{
    const void *one, *other;
    int32_t count = number_at(a, member->count_at);
    if (count != number_at(b, member->count_at))
        return false;
    memcpy(&one, a + member->at, sizeof one);
    memcpy(&other, b + member->at, sizeof other);
    bool same = true;
    for (int32_t i = 0; i < count && same; i++)
        same = same_entry(member->type, one, other, count, i);
    return same;
}

static bool same_members(const allot_member *members, int32_t count, const char *a, const char *b);

static bool same_member(const allot_member *member, const char *a, const char *b)
{
    const char *one, *other;
    size_t width = width_of(member->type);
    bool same = width > 0 || ((number_at(a, member->at) ^ number_at(b, member->at)) &
                              (int32_t)member->least) == 0;
    if (member->count_at > 0) {
        same = same_list(member, a, b);
    } else if (member->type == ALLOT_MEMBER_TEXT) {
        memcpy(&one, a + member->at, sizeof one);
        memcpy(&other, b + member->at, sizeof other);
        same = same_text(one, other);
    } else if (width == sizeof(int64_t)) {
        same = memcmp(a + member->at, b + member->at, sizeof(int64_t)) == 0;
    } else if (width > 0) {
        same = number_at(a, member->at) == number_at(b, member->at);
    }
    return same && same_members(member->members, member->member_count, a, b);
}

static bool same_members(const allot_member *members, int32_t count, const char *a, const char *b)
{
    for (int32_t i = 0; i < count; i++)
        if (!(members[i].flags & ALLOT_MEMBER_PASSED) && !same_member(&members[i], a, b))
            return false;
    return true;
}

bool allot__items_same(allot_item kind, const void *a, const void *b)
{
    const allot_members *members = allot_members_of(kind);
    return same_members(members->items, members->count, a, b);
}

/* ---- Ties ------------------------------------------------------------------------------------ */

size_t allot__tie_key(const allot_task *task, int kind, char key[ALLOT__TIE_MOST])
{
    const char *host = task->host ? task->host : "";
    int len = 0;
    if (kind == ALLOT__BY_SESSION && task->session)
        len = snprintf(key, ALLOT__TIE_MOST, "s%s", task->session);
    else if (kind == ALLOT__BY_SLOT && task->slot)
        len = snprintf(key, ALLOT__TIE_MOST, "%d %d %zu %s %s", (int)task->group,
                       (int)task->consumer, strlen(host), host, task->slot);
    return len > 0 && len < ALLOT__TIE_MOST ? (size_t)len : 0;
}

allot__tie *allot__tie_find(const allot__books *books, const allot_task *task, int kind)
{
    char key[ALLOT__TIE_MOST];
    size_t len = allot__tie_key(task, kind, key);
    return len > 0 ? (void *)allot__map_find(&books->ties, key, len) : NULL;
}

static int other_leaf(const allot__books *books, const char *path, const char *session,
                      int32_t owner, allot__error *fault)
{
    char of[128];
    size_t len = allot_plan_path(books->plan, owner, of, sizeof of);
    return allot__error_set(fault, ALLOT_EINVALID, "E-session", path, NULL,
                            "%s: the session \"%.80s\" is of %.100s%s, and a task runs for the "
                            "consumer of its session",
                            path, session, of, len >= sizeof of ? "..." : "");
}

int allot__session_check_task(const allot__books *books, const allot_task *task,
                              allot__error *fault)
{
    allot_session of;
    if (!allot__books_get(books, ALLOT_ITEM_SESSION, task->session, &of) ||
        (of.consumer == task->consumer && of.group == task->group))
        return ALLOT_OK;
    return other_leaf(books, "session", task->session, of.consumer, fault);
}

int allot__session_check(const allot__books *books, const allot_session *session,
                         allot__error *fault)
{
    const allot__tie *tie =
        allot__tie_find(books, &(allot_task){.session = session->id}, ALLOT__BY_SESSION);
    allot_task task;
    for (const allot__task_item *it = tie ? tie->first : NULL; it; it = it->links[tie->kind].after)
        if (allot__books_get(books, ALLOT_ITEM_TASK, it->of.named.name, &task) &&
            (task.consumer != session->consumer || task.group != session->group))
            return other_leaf(books, "consumer", session->id, task.consumer, fault);
    return ALLOT_OK;
}

/* ---- Reclaims -------------------------------------------------------------------------------- */

/* Where the reclaim stands in the task's list, or its end. */
static allot__victim **victim_at(allot__task_item *task, const allot__flight_item *flight)
{
    allot__victim **at = &task->named_by;
    while (*at && (*at)->flight != flight)
        at = &(*at)->next;
    return at;
}

static void end_victim(allot__books *books, allot__victim **at)
{
    allot__victim *it = *at;
    if (!it)
        return;
    *at = it->next;
    allot__free(books->engine, it, 1, sizeof *it);
}

void allot__victim_forget(allot__books *books, allot__task_item *task)
{
    while (task->named_by)
        end_victim(books, &task->named_by);
}

void allot__victims_end(allot__books *books, const allot__flight_item *item,
                        const allot_in_flight *flight)
{
    for (int32_t i = 0; i < flight->task_count; i++) {
        allot__task_item *task = allot__item_find(&books->tasks, flight->tasks[i]);
        if (task)
            end_victim(books, victim_at(task, item));
    }
}

int allot__victims_add(allot__books *books, const allot__flight_item *item,
                       const allot_in_flight *flight)
{
    for (int32_t i = 0; i < flight->task_count; i++) {
        allot__task_item *task = allot__item_find(&books->tasks, flight->tasks[i]);
        allot__victim **at = task ? victim_at(task, item) : NULL;
        if (!at || *at)
            continue;
        *at = allot__new(books->engine, 1, sizeof **at);
        if (!*at) {
            allot__victims_end(books, item, flight);
            return ALLOT_ENOMEM;
        }
        (*at)->flight = item;
    }
    return ALLOT_OK;
}

void allot__victim_gone(allot__books *books, allot__task_item *task, const allot_task *now)
{
    for (allot__victim **at = &task->named_by; *at;) {
        const allot__flight_item *item = (*at)->flight;
        const char *id = item->of.named.name;
        allot_in_flight flight;
        if (now && allot__books_get(books, ALLOT_ITEM_RECLAIM, id, &flight) &&
            allot__task_held(now, flight.group) > 0) {
            at = &(*at)->next;
            continue;
        }
        allot__map_touch(&books->flights, (allot__map_item *)&item->of.named);
        allot_state_reclaim_leave(books->state, id, task->of.named.name);
        end_victim(books, at);
    }
}
