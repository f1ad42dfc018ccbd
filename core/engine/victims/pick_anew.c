/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * pick_anew.c: rows of one class keep their order whatever goes, so each class is sorted once. A
 * heap then compares the first rows of all classes, one of which changes whenever a row goes.
 */
#include "engine/victims/pick_items.h"

#include "base/heap.h"

/* The rows by class, then by all keys but the one that changes. */
typedef struct by_class {
    allot__pick pick; /* first: `values` gets a pointer to it */
    const allot__pick *of;
} by_class;

typedef struct merger {
    const allot__pick *pick;
    allot__items all; /* by class */
    int32_t *heap;    /* first rows of classes, as places in `all`: what goes first is on top */
    int32_t heap_count;
    allot__items next; /* in the order in which they go */
} merger;

/* The original key of a key behind the class, which comes first. */
static int32_t key_of(const by_class *it, int32_t key)
{
    return key <= it->of->anew_key ? key - 1 : key;
}

static const int64_t *values(const allot__pick *pick, int32_t key, int32_t first, int32_t n,
                             int64_t *room)
{
    const by_class *it = (const by_class *)(const void *)pick;
    for (int32_t i = 0; key == 0 && i < n; i++)
        room[i] = it->of->anew_of[first + i];
    return key == 0 ? room : it->of->values(it->of, key_of(it, key), first, n, room);
}

static bool before(const allot__pick *pick, int32_t a, int32_t b)
{
    const by_class *it = (const by_class *)(const void *)pick;
    return it->of->before(it->of, a, b);
}

static int sort_classes(merger *it, allot_engine *engine)
{
    by_class rows = {.pick = {.count = it->pick->count,
                              .keys = it->pick->keys,
                              .slots = it->pick->slots,
                              .ineligible = it->pick->ineligible,
                              .values = values,
                              .before = before},
                     .of = it->pick};
    for (int32_t key = 1; key < rows.pick.keys; key++) {
        rows.pick.falling[key] = it->pick->falling[key_of(&rows, key)];
        rows.pick.flat[key] = it->pick->flat[key_of(&rows, key)];
    }
    int status = allot__items_read(&rows.pick, engine, &it->all);
    if (status == ALLOT_OK) {
        allot__items_pack(&rows.pick, &it->all);
        status = allot__items_sort(&rows.pick, engine, &it->all);
    }
    return status;
}

static int32_t class_at(const merger *it, int32_t place)
{
    return it->pick->anew_of[it->all.list[place].row];
}

static bool goes_before(const void *ud, int32_t a, int32_t b)
{
    const merger *it = ud;
    int32_t key;
    return allot__pick_compare(it->pick, it->all.list[a].row, it->all.list[b].row, &key) < 0;
}

static void begin(merger *it)
{
    for (int32_t place = 0; place < it->all.count; place++)
        if (place == 0 || class_at(it, place) != class_at(it, place - 1))
            it->heap[it->heap_count++] = place;
    allot__heap_make(it->heap, it->heap_count, goes_before, it);
}

/* Takes the row on top: lowers its class's value, and puts the class's next row in its place. */
static void take(merger *it)
{
    int32_t place = it->heap[0];
    int32_t class = class_at(it, place);
    it->next.list[it->next.count++] = it->all.list[place];
    it->pick->anew[class + 1] -= class >= 0 ? it->all.list[place].slots : 0;
    if (place + 1 < it->all.count && class_at(it, place + 1) == class)
        it->heap[0]++;
    else
        it->heap[0] = it->heap[--it->heap_count];
    allot__heap_sink(it->heap, it->heap_count, 0, goes_before, it);
}

/* Adds (`times` 1) or takes off (-1) a row's slots in its class's value. */
static void add(const merger *it, int32_t row, int64_t times)
{
    int32_t class = it->pick->anew_of[row];
    int64_t slots = it->pick->slots ? it->pick->slots[row] : 1;
    it->pick->anew[class + 1] += class >= 0 ? times * slots : 0;
}

/* Takes rows until they cover `owed`; then lets only rows that are not spared change classes. */
static int take_all(merger *it, int64_t owed, allot__arena *arena, allot__picked *out)
{
    begin(it);
    for (int64_t slots = 0; slots < owed && it->heap_count > 0;) {
        take(it);
        slots += it->next.list[it->next.count - 1].slots;
    }
    for (int32_t i = 0; i < it->next.count; i++)
        add(it, it->next.list[i].row, 1);
    int status = allot__items_take(&it->next, owed, arena, out);
    for (int32_t i = 0; status == ALLOT_OK && i < out->count; i++)
        add(it, out->rows[i], -1);
    return status;
}

int allot__pick_anew(const allot__pick *pick, int64_t owed, allot__arena *arena, allot__picked *out)
{
    merger it = {.pick = pick};
    allot_engine *engine = arena->engine;
    size_t room = (size_t)pick->count + 1;
    int status = sort_classes(&it, engine);
    it.heap = allot_engine_alloc(engine, NULL, 0, room * sizeof *it.heap);
    if (!it.heap || allot__items_room(engine, &it.next, room) != ALLOT_OK)
        status = ALLOT_ENOMEM;
    if (status == ALLOT_OK)
        status = take_all(&it, owed, arena, out);
    allot__free(engine, it.heap, room, sizeof *it.heap);
    allot__items_free(engine, &it.next);
    allot__items_free(engine, &it.all);
    return status;
}

int allot__pick_all(const allot__pick *pick, allot__arena *arena, allot__picked *out)
{
    return pick->anew ? allot__pick_anew(pick, INT64_MAX, arena, out)
                      : allot__pick_sorted(pick, INT64_MAX, arena, out);
}
