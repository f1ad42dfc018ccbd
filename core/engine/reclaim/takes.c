/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * takes.c: a flow from leaves that are over to classes of claimants that may take from the same
 * ones. C-7 proposes who gives to a class (split.c sees only these leaves); rule 2 augments.
 */
#include "engine/reclaim/takes.h"

#include <string.h>

#include "base/least.h"
#include "engine/reclaim/reach.h"
#include "engine/rows/pairs.h"

/* Claimants that may take from the same givers. */
typedef struct class
{
    uint8_t *may;  /* by giver */
    int32_t *flow; /* ... and its slots for the class */
    int32_t from;  /* of the search: the giver that leads here; -1: it began here */
    bool seen;
} class;

typedef struct matching {
    allot__transfers *transfers;
    allot__reclaim_split *split;
    allot__work *work;
    int32_t family;
    int32_t giver_count, claimant_count, class_count;
    int32_t *giver; /* numbers, the last one first: as takes are carried out */
    int32_t *row;   /* ... and rows, */
    int32_t *left;  /* ... slots that they are over, */
    int32_t *full;  /* ... work->over, */
    int32_t *place; /* ... and by number of a leaf, from the node's first on: which giver */
    int32_t *from;  /* of the search: by giver the class that leads to it; -1: none */
    int32_t *claimant, *class_of; /* numbers in the order of distribution; their classes */
    int32_t *wants, *queue;       /* slots that they get; of the search: classes */
    class *classes;
    int32_t *inside; /* families below the node, parents before children */
    int32_t inside_count;
} matching;

/* ---- Room below limits ----------------------------------------------------------------------- */

int allot__takes_begin(allot__transfers *transfers)
{
    allot__work *work = transfers->work;
    size_t families = (size_t)work->tree->families, rows = (size_t)work->tree->rows;
    transfers->room = allot__arena_take(work->arena, families, sizeof *transfers->room);
    work->untaken = allot__arena_zeroed(work->arena, rows, sizeof *work->untaken);
    if (!transfers->room || !work->untaken)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < families; i++)
        transfers->room[i] = INT64_MAX;
    return ALLOT_OK;
}

/* The family that a number's row is in: of a parent's own number the family below it. */
static int32_t family_at(const allot__transfers *transfers, int32_t number)
{
    int32_t row = transfers->leaves.row[number];
    return row >= 0 ? allot__siblings_of(transfers->work, row) : ~row;
}

/* The family above one; the node's own, or the first level, ends the way. */
static int32_t climb(const allot__transfers *transfers, int32_t family)
{
    return allot__siblings_of(transfers->work, transfers->work->group->parent[family]);
}

int64_t allot__takes_room(const allot__transfers *transfers, int32_t to)
{
    int64_t least = INT64_MAX;
    for (int32_t family = family_at(transfers, to); family > 0 && family != transfers->family;
         family = climb(transfers, family))
        least = allot__least(least, transfers->room[family]);
    return least;
}

void allot__takes_promise(allot__transfers *transfers, int32_t to, int64_t slots)
{
    for (int32_t family = family_at(transfers, to); family > 0 && family != transfers->family;
         family = climb(transfers, family))
        if (transfers->room[family] != INT64_MAX)
            transfers->room[family] -= slots;
}

/* ---- Who is there ---------------------------------------------------------------------------- */

static int take_room(matching *it)
{
    const allot__transfers *transfers = it->transfers;
    size_t size = (size_t)transfers->leaves.size[it->family];
    size_t families = (size_t)it->work->tree->families;
    return ALLOT__TAKE_ALL(it->work->arena,
                           ALLOT__EACH(size, it->giver, it->row, it->left, it->full, it->place,
                                       it->from, it->claimant, it->class_of, it->wants, it->queue,
                                       it->classes),
                           ALLOT__WANTED(it->inside, families));
}

static void list_all(matching *it)
{
    const allot__transfers *transfers = it->transfers;
    const allot__work *work = it->work;
    int32_t start = transfers->leaves.start[it->family];
    int32_t end = start + transfers->leaves.size[it->family];
    for (int32_t i = end - 1; i >= start; i--) {
        int32_t row = transfers->leaves.row[i], at = it->giver_count;
        int32_t left = row >= 0 ? work->over[row] - work->reclaimed[row] : 0;
        if (left > 0) {
            it->giver[at] = i;
            it->row[at] = row;
            it->left[at] = left;
            it->full[at] = work->over[row];
            it->place[i - start] = it->giver_count++;
        }
    }
    for (int32_t i = allot__bits_next(&transfers->lacking, start); i < end;
         i = allot__bits_next(&transfers->lacking, i + 1))
        it->claimant[it->claimant_count++] = i;
    it->inside_count = allot__subtree(work, it->family, NULL, it->inside);
}

/* Finds or adds the class of a claimant. ENOMEM, or what a policy's function failed with. */
static int find_class(matching *it, int32_t claimant)
{
    const allot__work *work = it->work;
    const allot__rules *rules = allot__rules_of(work, it->family);
    const allot__rowset rows = allot__rowset_consumers(work, rules);
    int32_t number = it->claimant[claimant], row = it->transfers->leaves.row[number];
    class *new = &it->classes[it->class_count];
    size_t givers = (size_t)it->giver_count;
    if (!new->may) {
        new->may = allot__arena_take(work->arena, givers, sizeof *new->may);
        new->flow = allot__arena_zeroed(work->arena, givers, sizeof *new->flow);
        if (!new->may || !new->flow)
            return ALLOT_ENOMEM;
    }
    int status = allot__pairs_may(&rows, row >= 0 ? row : work->group->parent[~row], &rows,
                                  &rules->policy->takes, it->row, it->giver_count, new->may);
    int32_t i = 0;
    while (i < it->class_count && memcmp(it->classes[i].may, new->may, givers) != 0)
        i++;
    it->class_of[claimant] = i;
    it->class_count += i == it->class_count;
    return status;
}

static int begin(matching *it)
{
    int status = take_room(it);
    if (status != ALLOT_OK)
        return status;
    list_all(it);
    memset(it->classes, 0, (size_t)it->claimant_count * sizeof *it->classes);
    for (int32_t i = 0; i < it->claimant_count && it->giver_count > 0 && status == ALLOT_OK; i++)
        status = find_class(it, i);
    return status;
}

/* ---- Rule 1 ---------------------------------------------------------------------------------- */

/* Lets the split see only what these givers have left; NULL: what all have. */
static void show(const matching *it, const uint8_t *may)
{
    allot__work *work = it->work;
    for (int32_t i = 1; i < it->inside_count; i++)
        work->sums[it->inside[i]].over_left = 0;
    for (int32_t i = 0; i < it->giver_count; i++) {
        int32_t row = it->row[i], shown = !may || may[i] ? it->left[i] : 0;
        int32_t family = allot__siblings_of(work, row);
        work->over[row] = may ? work->reclaimed[row] + shown : it->full[i];
        if (family != it->family)
            work->sums[family].over_left += shown;
    }
    for (int32_t i = it->inside_count - 1; i > 0; i--) {
        int32_t above = climb(it->transfers, it->inside[i]);
        if (above != it->family)
            work->sums[above].over_left += work->sums[it->inside[i]].over_left;
    }
}

/* A giver gives more to a class: branches that it is in may be promised as much. */
static void give(const matching *it, class *to, int32_t giver, int32_t slots)
{
    to->flow[giver] += slots;
    it->left[giver] -= slots;
    allot__takes_promise(it->transfers, it->giver[giver], -slots);
}

/* Takes slots for a class by C-7; returns how many there were. */
static int64_t split_out(matching *it, class *to, int64_t slots)
{
    allot__vector *takes = &it->transfers->takes;
    int32_t start = it->transfers->leaves.start[it->family];
    int64_t sum = 0;
    for (int32_t i = 0; i < it->giver_count; i++)
        sum += to->may[i] ? it->left[i] : 0;
    slots = allot__least(slots, sum);
    if (slots == 0)
        return 0;
    show(it, to->may);
    allot__split_take(it->split, it->family, slots);
    const allot__take *parts = takes->items;
    for (size_t i = 0; i < takes->count; i++)
        give(it, to, it->place[parts[i].from - start], parts[i].slots);
    takes->count = 0;
    return slots;
}

/* ---- Rule 2 ---------------------------------------------------------------------------------- */

/* Steps from a class to givers, and from these to the classes that they serve, until one has slots
 * left; -1: none has. */
static int32_t search(matching *it, int32_t from)
{
    int32_t *queue = it->queue, count = 0;
    for (int32_t i = 0; i < it->class_count; i++)
        it->classes[i].seen = i == from;
    for (int32_t g = 0; g < it->giver_count; g++)
        it->from[g] = -1;
    it->classes[from].from = -1;
    queue[count++] = from;
    for (int32_t at = 0; at < count; at++)
        for (int32_t g = 0; g < it->giver_count; g++) {
            if (!it->classes[queue[at]].may[g] || it->from[g] >= 0)
                continue;
            it->from[g] = queue[at];
            if (it->left[g] > 0)
                return g;
            for (int32_t i = 0; i < it->class_count; i++) {
                class *other = &it->classes[i];
                if (!other->seen && other->flow[g] > 0) {
                    other->seen = true;
                    other->from = g;
                    queue[count++] = i;
                }
            }
        }
    return -1;
}

/* Gives up to `slots` along the way that a search found; returns how many. */
static int32_t push(matching *it, int32_t giver, int64_t slots)
{
    int32_t most = (int32_t)allot__least(slots, it->left[giver]);
    for (int32_t g = giver; it->classes[it->from[g]].from >= 0;) {
        const class *by = &it->classes[it->from[g]];
        g = by->from;
        most = (int32_t)allot__least(most, by->flow[g]);
    }
    give(it, &it->classes[it->from[giver]], giver, most);
    it->work->reclaimed[it->row[giver]] += most;
    for (int32_t g = giver; it->classes[it->from[g]].from >= 0;) {
        class *by = &it->classes[it->from[g]];
        g = by->from;
        by->flow[g] -= most;
        it->classes[it->from[g]].flow[g] += most;
    }
    return most;
}

/* Of slots on hosts, which serve some claimants alone, C-7's choice stays. */
static int64_t augment(matching *it, int32_t class, int64_t slots)
{
    int32_t giver;
    int64_t given = 0;
    while (given < slots && !it->transfers->taken && (giver = search(it, class)) >= 0)
        given += push(it, giver, slots - given);
    return given;
}

/* ---- All claimants --------------------------------------------------------------------------- */

/* Serves the claimants from place `first` on that are of one class; returns the place behind. */
static int32_t serve_class(matching *it, int32_t first, int64_t *most)
{
    allot__transfers *transfers = it->transfers;
    int32_t end = first, which = it->class_of[first];
    int64_t sum = 0;
    for (; end < it->claimant_count && it->class_of[end] == which; end++) {
        int32_t number = it->claimant[end];
        int64_t wants = allot__least(transfers->lack[number], *most - sum);
        wants = allot__least(wants, allot__takes_room(transfers, number));
        it->wants[end] = wants > 0 ? (int32_t)wants : 0;
        allot__takes_promise(transfers, number, it->wants[end]);
        sum += it->wants[end];
    }
    int64_t given = split_out(it, &it->classes[which], sum);
    given += augment(it, which, sum - given);
    *most -= given;
    for (int32_t i = first; i < end; i++) {
        int32_t part = (int32_t)allot__least(it->wants[i], given);
        allot__takes_promise(transfers, it->claimant[i], part - it->wants[i]);
        it->wants[i] = part;
        given -= part;
    }
    return end;
}

/* Records the slots of a giver for a claimant, as far as its hosts serve it; returns how many. */
static int32_t record(matching *it, int32_t giver, int32_t claimant, int32_t slots)
{
    allot__transfers *transfers = it->transfers;
    int32_t to = it->claimant[claimant], row = transfers->leaves.row[to], part = slots;
    if (transfers->taken && row >= 0)
        part = (int32_t)allot__reach_take(it->work, it->row[giver], row, slots, transfers->taken);
    if (part < slots) {
        it->work->reclaimed[it->row[giver]] -= slots - part;
        it->left[giver] += slots - part;
        allot__takes_promise(transfers, it->giver[giver], slots - part);
        allot__takes_promise(transfers, to, part - slots);
    }
    return transfers->record(transfers, it->giver[giver], to, part);
}

/* Givers serve the best claimants first. */
static int64_t record_all(matching *it)
{
    int64_t sum = 0;
    for (int32_t g = 0; g < it->giver_count; g++)
        for (int32_t i = 0; i < it->claimant_count; i++) {
            int32_t *flow = &it->classes[it->class_of[i]].flow[g];
            int32_t part = (int32_t)allot__least(*flow, it->wants[i]);
            if (part > 0) {
                *flow -= part;
                it->wants[i] -= part;
                sum += record(it, g, i, part);
            }
        }
    return sum;
}

int64_t allot__takes_match(allot__transfers *transfers, allot__reclaim_split *split, int64_t most)
{
    matching it = {.transfers = transfers,
                   .split = split,
                   .work = transfers->work,
                   .family = transfers->family};
    int64_t sum = 0;
    if (transfers->status != ALLOT_OK)
        return 0;
    transfers->status = begin(&it);
    if (transfers->status != ALLOT_OK || it.giver_count == 0)
        return 0;
    for (int32_t i = 0; i < it.claimant_count;)
        i = serve_class(&it, i, &most);
    sum = record_all(&it);
    show(&it, NULL);
    return sum;
}

void allot__takes_end(allot__transfers *transfers)
{
    const int32_t *leaf = transfers->leaves.row;
    for (int32_t i = 0; i < transfers->leaves.count; i++)
        if (leaf[i] >= 0)
            transfers->work->untaken[leaf[i]] = transfers->lack[i];
}
