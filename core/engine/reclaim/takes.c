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
typedef struct takers {
    uint8_t *may;   /* by giver */
    int32_t *flow;  /* ... and its slots for the class */
    uint8_t *marks; /* by unit, which tasks guards protect against it; NULL: no chooser */
    int32_t from;   /* of the search: the giver that leads here; -1: it began here */
    bool seen;
} takers;

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
    takers *classes;
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

static int take_class(const matching *it, takers *class)
{
    allot__arena *arena = it->work->arena;
    const allot__chooser *chooser = it->transfers->chooser;
    size_t givers = (size_t)it->giver_count;
    class->may = allot__arena_take(arena, givers, sizeof *class->may);
    class->flow = allot__arena_zeroed(arena, givers, sizeof *class->flow);
    class->marks = chooser ? allot__arena_zeroed(arena, chooser->units, 1) : NULL;
    return class->may && class->flow && (!chooser || class->marks) ? ALLOT_OK : ALLOT_ENOMEM;
}

/* The row of a claimant; of a parent's own number the parent. */
static int32_t row_of(const matching *it, int32_t claimant)
{
    int32_t row = it->transfers->leaves.row[it->claimant[claimant]];
    return row >= 0 ? row : it->work->group->parent[~row];
}

/* Asks what a claimant may take. ENOMEM, or what a policy's function failed with. */
static int ask(const matching *it, int32_t claimant, takers *out)
{
    const allot__rules *rules = allot__rules_of(it->work, it->family);
    const allot__rowset rows = allot__rowset_consumers(it->work, rules);
    allot__chooser *chooser = it->transfers->chooser;
    int status = out->may ? ALLOT_OK : take_class(it, out);
    if (status == ALLOT_OK)
        status = allot__pairs_may(&rows, row_of(it, claimant), &rows, &rules->policy->takes,
                                  it->row, it->giver_count, out->may);
    return status == ALLOT_OK && chooser
               ? chooser->look(chooser, row_of(it, claimant), it->row, it->giver_count, out->marks)
               : status;
}

/* Finds or adds the class of a claimant; statuses of ask. */
static int find_class(matching *it, int32_t claimant)
{
    takers *new = &it->classes[it->class_count];
    int status = ask(it, claimant, new);
    int32_t i = 0;
    while (status == ALLOT_OK && i < it->class_count &&
           memcmp(it->classes[i].may, new->may, (size_t)it->giver_count) != 0)
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
    for (int32_t i = 0; !it->transfers->chooser && i < it->claimant_count && it->giver_count > 0 &&
                        status == ALLOT_OK;
         i++)
        status = find_class(it, i);
    return status;
}

/* ---- Rule 1 ---------------------------------------------------------------------------------- */

/* The slots that a giver has left for a class. */
static int32_t left_for(const matching *it, const takers *class, int32_t giver)
{
    allot__chooser *chooser = it->transfers->chooser;
    if (!class->may[giver])
        return 0;
    int64_t room = chooser ? chooser->room(chooser, it->row[giver], class->marks) : it->left[giver];
    return room > 0 ? (int32_t)allot__least(room, it->left[giver]) : 0;
}

/* Lets the split see only what givers have left for a class; NULL: what all have. */
static void show(const matching *it, const takers *class)
{
    allot__work *work = it->work;
    for (int32_t i = 1; i < it->inside_count; i++)
        work->sums[it->inside[i]].over_left = 0;
    for (int32_t i = 0; i < it->giver_count; i++) {
        int32_t row = it->row[i], shown = class ? left_for(it, class, i) : it->left[i];
        int32_t family = allot__siblings_of(work, row);
        work->over[row] = class ? work->reclaimed[row] + shown : it->full[i];
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
static void give(const matching *it, takers *to, int32_t giver, int32_t slots)
{
    to->flow[giver] += slots;
    it->left[giver] -= slots;
    allot__takes_promise(it->transfers, it->giver[giver], -slots);
}

/* Takes slots for a class by C-7; returns how many there were. */
static int64_t split_out(matching *it, takers *to, int64_t slots)
{
    allot__vector *takes = &it->transfers->takes;
    int32_t start = it->transfers->leaves.start[it->family];
    int64_t sum = 0;
    for (int32_t i = 0; i < it->giver_count; i++)
        sum += left_for(it, to, i);
    slots = allot__least(slots, sum);
    if (slots == 0)
        return 0;
    show(it, to);
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
                takers *other = &it->classes[i];
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
        const takers *by = &it->classes[it->from[g]];
        g = by->from;
        most = (int32_t)allot__least(most, by->flow[g]);
    }
    give(it, &it->classes[it->from[giver]], giver, most);
    it->work->reclaimed[it->row[giver]] += most;
    for (int32_t g = giver; it->classes[it->from[g]].from >= 0;) {
        takers *by = &it->classes[it->from[g]];
        g = by->from;
        by->flow[g] -= most;
        it->classes[it->from[g]].flow[g] += most;
    }
    return most;
}

/* Of slots on hosts, which serve some claimants alone, and of tasks that are chosen already, C-7's
 * choice stays. */
static int64_t augment(matching *it, int32_t class, int64_t slots)
{
    int32_t giver;
    int64_t given = 0;
    bool stays = it->transfers->taken || it->transfers->chooser;
    while (given < slots && !stays && (giver = search(it, class)) >= 0)
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
    allot__chooser *chooser = transfers->chooser;
    if (chooser && transfers->status == ALLOT_OK)
        transfers->status = chooser->take(chooser, it->row[giver], row_of(it, claimant), part,
                                          it->classes[it->class_of[claimant]].marks);
    return transfers->record(transfers, it->giver[giver], to, part);
}

/* Givers serve the best of the claimants first ... end - 1 first. */
static int64_t record_all(matching *it, int32_t first, int32_t end)
{
    int64_t sum = 0;
    for (int32_t g = 0; g < it->giver_count; g++)
        for (int32_t i = first; i < end; i++) {
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

static bool same(const matching *it, const takers *a, const takers *b)
{
    return memcmp(a->may, b->may, (size_t)it->giver_count) == 0 &&
           memcmp(a->marks, b->marks, it->transfers->chooser->units) == 0;
}

/* Rule 4: of the two classes at hand one is served, and the other is that of the next claimant. */
static int64_t match_in_turn(matching *it, int64_t most)
{
    int *status = &it->transfers->status;
    int64_t sum = 0;
    it->class_of[0] = 0;
    *status = ask(it, 0, &it->classes[0]);
    for (int32_t first = 0, end; first < it->claimant_count && most > 0 && *status == ALLOT_OK;
         first = end) {
        int32_t which = it->class_of[first];
        for (end = first + 1; end < it->claimant_count && *status == ALLOT_OK; end++) {
            *status = ask(it, end, &it->classes[1 - which]);
            it->class_of[end] = 1 - which;
            if (*status != ALLOT_OK || !same(it, &it->classes[0], &it->classes[1]))
                break;
            it->class_of[end] = which;
        }
        if (*status != ALLOT_OK)
            break;
        serve_class(it, first, &most);
        sum += record_all(it, first, end);
        show(it, NULL);
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
    if (transfers->status != ALLOT_OK || it.giver_count == 0 || it.claimant_count == 0)
        return 0;
    if (transfers->chooser)
        return match_in_turn(&it, most);
    for (int32_t i = 0; i < it.claimant_count;)
        i = serve_class(&it, i, &most);
    sum = record_all(&it, 0, it.claimant_count);
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
