/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * back.c: slots of reclaims that named no tasks, which a truth shows to be back.
 *
 * Such a reclaim takes slots that no task of its leaf uses. They are back as far as the leaf is
 * told to hold fewer slots than before, and as far as its tasks use what it holds: else nobody
 * would ever say so, and what is over would never be reclaimed from its tasks.
 */
#include <stdlib.h>

#include "service/sync/own.h"

typedef struct nameless {
    size_t place;
    const allot__map_item *flight;
    int64_t slots;
} nameless;

size_t allot__sync_place(const allot__sync *it, int32_t group, int32_t leaf)
{
    return (size_t)group * it->books->consumers + (size_t)leaf;
}

static int by_place(const void *a, const void *b)
{
    const nameless *one = a, *other = b;
    return (one->place > other->place) - (one->place < other->place);
}

/* In order of their leaves; without memory the next truth ends them. */
bool allot__sync_find_back(allot__sync *it, allot__truth_list list)
{
    (void)list;
    for (const allot__map_item *at = it->books->flights.first; at; at = at->after) {
        allot_in_flight flight;
        if (!allot__books_get(it->books, ALLOT_ITEM_RECLAIM, at->name, &flight) ||
            flight.task_count + flight.gone > 0)
            continue;
        nameless *row = allot__push(it->engine, &it->nameless, sizeof *row);
        if (!row)
            break;
        *row = (nameless){allot__sync_place(it, flight.group, flight.consumer), at, flight.slots};
    }
    if (it->nameless.count > 1)
        qsort(it->nameless.items, it->nameless.count, sizeof(nameless), by_place);
    return false;
}

static size_t first_of(const allot__sync *it, size_t place)
{
    const nameless *rows = it->nameless.items;
    size_t low = 0, high = it->nameless.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rows[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The leaf's numbers are the truth's already. The reclaim may end with the event. */
static void put_back(allot__sync *it, const allot__map_item *flight, int64_t slots)
{
    allot__event event;
    allot__error error = {.message = ""};
    allot__event_init(&event, ALLOT__EVENT_RETURNED);
    event.id = flight->name;
    event.slots = slots;
    event.keep = true;
    allot__sync_open(it, "{\"keep\": true, ", false);
    allot__text_member(&it->params, "reclaim", event.id);
    allot__text_number(&it->params, "slots", slots);
    allot__text_puts(&it->params, "}");
    allot__sync_event(it, &event, NULL, &error); /* what has no memory is back the next time */
}

void allot__sync_put_back(allot__sync *it, int32_t group, int32_t leaf, int64_t fewer)
{
    const allot__books_group *of = &it->books->groups[group];
    const nameless *rows = it->nameless.items;
    size_t place = allot__sync_place(it, group, leaf), first = first_of(it, place), end = first;
    int64_t sum = 0, idle = (int64_t)of->allocated[leaf] - of->held[leaf];
    for (; end < it->nameless.count && rows[end].place == place; end++)
        sum += rows[end].slots;
    int64_t back = sum - idle > fewer ? sum - idle : fewer;
    for (size_t i = first; i < end && back > 0; i++) {
        int64_t part = rows[i].slots < back ? rows[i].slots : back;
        back -= part;
        put_back(it, rows[i].flight, part);
    }
}
