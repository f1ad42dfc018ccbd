/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* leaves.c: enters demand and holdings of leaves, and sizes of groups, of a truth. */
#include <stdlib.h>

#include "base/path.h"
#include "service/sync/own.h"

/* ---- Returned slots -------------------------------------------------------------------------- */

/*
 * Reclaims without named tasks whose slots a truth shows to be back.
 *
 * Such a reclaim takes slots that no task of its leaf uses. They are back as far as the truth gives
 * the leaf fewer slots than before, and as far as its tasks use what it holds: otherwise they would
 * never count as back, and slots over quota never be reclaimed from its tasks.
 */
typedef struct nameless {
    size_t place;
    const allot__map_item *flight;
    int64_t slots;
} nameless;

static size_t place_of(const allot__sync *it, int32_t group, int32_t leaf)
{
    return (size_t)group * it->books->consumers + (size_t)leaf;
}

static int by_place(const void *a, const void *b)
{
    const nameless *one = a, *other = b;
    return (one->place > other->place) - (one->place < other->place);
}

/* Finds them in order of leaves; without memory the next truth ends them. */
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
        *row = (nameless){place_of(it, flight.group, flight.consumer), at, flight.slots};
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

/* The leaf already has the truth's numbers. The event may end the reclaim. */
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
    allot__sync_event(it, &event, &error); /* without memory: the next truth does it */
}

static void put_back_all(allot__sync *it, int32_t group, int32_t leaf, int64_t fewer)
{
    const nameless *rows = it->nameless.items;
    size_t place = place_of(it, group, leaf), first = first_of(it, place), end = first;
    int64_t sum = 0, idle = allot__leaf(it->books, group, leaf).allocated -
                            allot__leaf_beside(it->books, group, leaf)->held;
    for (; end < it->nameless.count && rows[end].place == place; end++)
        sum += rows[end].slots;
    int64_t back = sum - idle > fewer ? sum - idle : fewer;
    for (size_t i = first; i < end && back > 0; i++) {
        int64_t part = rows[i].slots < back ? rows[i].slots : back;
        back -= part;
        put_back(it, rows[i].flight, part);
    }
}

/* ---- Demand and holdings --------------------------------------------------------------------- */

static void put_number(allot__sync *it, const allot__truth_leaf *of, int64_t slots)
{
    const allot_plan *plan = it->books->plan;
    if (of->consumer != ALLOT_ROOT) {
        allot__text_key(&it->params, "consumer");
        allot__text_json_path(&it->params, plan, of->consumer);
    }
    if (allot_plan_groups(plan) > 1)
        allot__text_member(&it->params, "group", allot_plan_group_name(plan, of->group));
    allot__text_number(&it->params, "slots", slots);
}

static int put(allot__sync *it, const allot__truth_leaf *of, allot__event_kind kind, int64_t slots,
               bool source)
{
    allot__event event;
    allot__error error = {.message = ""};
    char path[200] = "";
    allot__event_init(&event, kind);
    event.consumer = of->consumer;
    event.group = of->group;
    event.slots = slots;
    event.source = source ? it->truth->source : NULL;
    allot__sync_open(it, "{", source);
    put_number(it, of, slots);
    if (kind == ALLOT__EVENT_ALLOCATED) {
        event.unlisted = of->unlisted;
        allot__text_number(&it->params, "unlisted", of->unlisted);
    }
    allot__text_puts(&it->params, "}");
    int status = allot__sync_event(it, &event, &error);
    if (status == ALLOT_OK)
        return status;
    if (of->consumer != ALLOT_ROOT)
        allot_plan_path(it->books->plan, of->consumer, path, sizeof path);
    allot__truth_drop(it->truth,
                      of->consumer != ALLOT_ROOT ? ALLOT__TRUTH_LEAVES : ALLOT__TRUTH_SLOTS, -1,
                      path[0] != '\0' ? path : NULL, &error);
    return status;
}

/* Numbers not given follow from the leaf's tasks. Enters differences; `told`: the truth names the
 * leaf, so from now on grants to it stand until its source lists them. A leaf that its source no
 * longer lists loses the source, but keeps its numbers. A truth of everything names all leaves
 * (tell_whole). */
static void put_leaf(allot__sync *it, const allot__truth_leaf *row, bool told)
{
    int32_t leaf = row->consumer;
    const allot__books_leaf *beside = allot__leaf_beside(it->books, row->group, leaf);
    const allot_stated_leaf was = allot__leaf(it->books, row->group, leaf);
    allot__truth_leaf now = *row;
    now.unlisted = row->unlisted >= 0 ? row->unlisted : 0;
    int64_t tasks = (int64_t)beside->held + now.unlisted;
    int64_t wanted = tasks + beside->awaited;
    now.allocated = row->allocated >= 0 ? row->allocated : tasks;
    now.demand = row->demand >= 0            ? row->demand
                 : wanted > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX
                                             : wanted;
    const allot__origin *of = beside->source;
    bool mark = it->origin && told != (of == it->origin);
    told = told || !it->origin;
    int64_t fewer = was.allocated - now.allocated;
    bool holds = now.allocated != was.allocated || now.unlisted != was.unlisted;
    if (holds && put(it, &now, ALLOT__EVENT_ALLOCATED, now.allocated, told) != ALLOT_OK)
        return;
    if (now.demand != was.demand || (mark && !holds))
        put(it, &now, ALLOT__EVENT_DEMAND, now.demand, told);
    if (it->nameless.count > 0)
        put_back_all(it, row->group, leaf, fewer);
}

static uint8_t *bit_of(const allot__sync *it, int32_t group, int32_t leaf, uint8_t *bit)
{
    size_t place = place_of(it, group, leaf);
    *bit = (uint8_t)(1 << place % 8);
    return &it->leaves[place / 8];
}

static bool is_others(const allot__sync *it, const allot__truth_leaf *row)
{
    const allot__origin *of = allot__leaf_beside(it->books, row->group, row->consumer)->source;
    return it->origin && of && of != it->origin && strcmp(of->named.name, ALLOT__TRUTH_ALL) != 0;
}

static void tell_leaf(allot__sync *it, const allot__truth_leaf *row)
{
    allot__error error;
    uint8_t bit, *at = bit_of(it, row->group, row->consumer, &bit);
    char path[200];
    bool twice = *at & bit;
    *at |= bit;
    if (!twice && !row->dropped && !is_others(it, row)) {
        put_leaf(it, row, true);
        return;
    }
    if (row->dropped || row->group > 0) /* wrong in all groups, and reported once */
        return;
    allot_plan_path(it->books->plan, row->consumer, path, sizeof path);
    if (twice)
        allot__error_set(&error, ALLOT_EEXIST, "E-duplicate-key", "consumers", NULL,
                         "%.150s was told before, allowed once", path);
    else
        allot__error_set(&error, ALLOT_EUSAGE, "E-source", "source", NULL,
                         "%.100s is of the source \"%.60s\"", path,
                         allot__leaf_beside(it->books, 0, row->consumer)->source->named.name);
    allot__truth_drop(it->truth, ALLOT__TRUTH_LEAVES, -1, path, &error);
}

bool allot__sync_leaves(allot__sync *it, allot__truth_list list)
{
    const allot__truth_leaf *rows = it->truth->rows[list].items;
    if (it->row >= it->truth->rows[list].count)
        return false;
    tell_leaf(it, &rows[it->row]);
    return true;
}

static void tell_whole(allot__sync *it)
{
    allot__event event;
    allot__error error = {.message = ""};
    allot__event_init(&event, ALLOT__EVENT_KEEP_SYNC);
    event.source = it->truth->source;
    event.whole = true;
    allot__sync_open(it, "{\"whole\": true, ", true);
    allot__text_puts(&it->params, "}");
    allot__sync_event(it, &event, &error); /* without memory: the next truth does it */
    it->entered[ALLOT__EVENT_KEEP_SYNC] = 0;
}

/* Leaves not listed demand and hold what their tasks do. */
bool allot__sync_rest_leaves(allot__sync *it, allot__truth_list list)
{
    size_t consumers = it->books->consumers;
    if (!it->truth->told[list])
        return false;
    if (it->row == it->books->leaf_count) {
        if (!it->origin && it->whole_new)
            tell_whole(it);
        return false;
    }
    const allot__truth_leaf row = {
        (int32_t)(it->row / consumers), (int32_t)(it->row % consumers), -1, -1, -1, false};
    const allot__origin *of = allot__leaf_beside(it->books, row.group, row.consumer)->source;
    uint8_t bit;
    bool came = *bit_of(it, row.group, row.consumer, &bit) & bit;
    bool leaf = allot_plan_children(it->books->plan, row.consumer) == 0;
    it->whole_new = it->whole_new || (leaf && !of);
    if (!came && leaf && allot__sync_owns(it, of))
        put_leaf(it, &row, false);
    return true;
}

bool allot__sync_sizes(allot__sync *it, allot__truth_list list)
{
    const allot__truth_leaf *rows = it->truth->rows[list].items;
    if (it->row >= it->truth->rows[list].count)
        return false;
    const allot__truth_leaf *row = &rows[it->row];
    if (it->books->sizes[row->group] != row->allocated)
        put(it, row, ALLOT__EVENT_SLOTS, row->allocated, false);
    return true;
}
