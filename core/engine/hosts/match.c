/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * match.c: classes and kinds, and slots that flow between them: along shortest paths, edges in
 * order, so equal input gives equal flow.
 *
 * A host is behind a door: its owner's, that of the exclusive consumer for which it is meant, or
 * the common one. A leaf starts at the door of the nearest consumer that has one, and goes on to
 * the next door above, up to the common one. For free slots an exclusive consumer's door is the
 * last; for all slots it also leads to common hosts. So a class is a door and a requirement, and a
 * kind is a door and the requirements met.
 */
#include <string.h>

#include "engine/hosts/match.h"

enum { NONE = -1, COMMON = 0 }; /* other doors: their consumer's row + 1 */

typedef struct maker {
    allot__work *work;
    const allot__group_hosts *hosts;
    allot__match *match;
    allot__matched what;
    int32_t *door_of;   /* by row: where its leaves are */
    int32_t *next_door; /* by door: where to go on, or NONE */
    int32_t *class_at;  /* by door: the first of its classes, or NONE */
    int32_t *kind_at;   /* by door: the first of its kinds, or NONE */
    int32_t *class_asks, *class_door, *next_class;
    int32_t *kind_door, *kind_host, *next_kind; /* kind_host: one of its hosts */
    int32_t rows, host_count, classes, kinds;
} maker;

static int32_t *column(maker *it, int32_t count, int32_t value)
{
    int32_t *out = allot__arena_take(it->work->arena, (size_t)count + 1, sizeof *out);
    for (int32_t i = 0; out && i <= count; i++)
        out[i] = value;
    return out;
}

static int take(maker *it)
{
    it->rows = it->work->tree->rows;
    it->host_count = it->hosts->count;
    int32_t **const columns[] = {&it->door_of,    &it->next_door,  &it->class_at,   &it->kind_at,
                                 &it->class_asks, &it->class_door, &it->next_class, &it->kind_door,
                                 &it->kind_host,  &it->next_kind};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        *columns[i] = column(it, (it->rows > it->host_count ? it->rows : it->host_count) + 1, NONE);
        if (!*columns[i])
            return ALLOT_ENOMEM;
    }
    it->match->class_of = column(it, it->rows, NONE);
    it->match->kind_of = column(it, it->host_count, NONE);
    return it->match->class_of != NULL && it->match->kind_of ? ALLOT_OK : ALLOT_ENOMEM;
}

/* ---- Doors ----------------------------------------------------------------------------------- */

/* The consumer that a host is open to: a handle, ALLOT_ROOT: all, ALLOT__NOBODY. Of
 * ALLOT__ALL_SLOTS only the state decides this: consumers that run there may leave, and for which
 * consumer a host is meant follows from quotas. */
static int32_t keeper(const maker *it, int32_t host)
{
    const allot__group_hosts *hosts = it->hosts;
    int32_t meant = hosts->meant ? hosts->meant[host] : ALLOT_ROOT;
    if (it->what == ALLOT__ALL_SLOTS)
        return it->work->state->tasks.sites[hosts->site[host]].exclusive_to;
    if (hosts->owner[host] != ALLOT_ROOT)
        return hosts->owner[host];
    return meant == ALLOT_ROOT || hosts->free[host] == hosts->slots[host] ? meant : ALLOT__NOBODY;
}

static int32_t door_of(const maker *it, int32_t host)
{
    int32_t of = keeper(it, host);
    return of == ALLOT__NOBODY ? NONE
           : of == ALLOT_ROOT  ? COMMON
                               : allot__row(it->work->plan, it->work->index, of) + 1;
}

static void find_doors(maker *it)
{
    const allot__group_hosts *hosts = it->hosts;
    for (int32_t host = 0; host < it->host_count; host++) {
        int32_t door = door_of(it, host);
        if (door > COMMON)
            it->door_of[door - 1] = door;
    }
    for (int32_t family = 0; family < it->work->tree->families; family++) {
        int32_t first = allot__family_first(it->work, family);
        int32_t above = family > 0 ? it->door_of[it->work->group->parent[family]] : COMMON;
        for (int32_t row = first; row < first + allot__family_size(it->work, family); row++) {
            bool alone = hosts->exclusive_of != NULL &&
                         hosts->exclusive_of[row] == allot__handle(it->work, row);
            if (alone) {
                it->door_of[row] = row + 1;
                it->next_door[row + 1] = it->what == ALLOT__FREE_SLOTS ? NONE : COMMON;
            } else if (it->door_of[row] != NONE) {
                it->next_door[row + 1] = above;
            } else {
                it->door_of[row] = above;
            }
        }
    }
}

/* ---- Classes --------------------------------------------------------------------------------- */

static int32_t class_of(maker *it, int32_t door, int32_t asks)
{
    int32_t class = it->class_at[door];
    while (class != NONE && it->class_asks[class] != asks)
        class = it->next_class[class];
    if (class == NONE) {
        class = it->classes++;
        it->class_asks[class] = asks;
        it->class_door[class] = door;
        it->next_class[class] = it->class_at[door];
        it->class_at[door] = class;
    }
    return class;
}

static void find_classes(maker *it)
{
    for (int32_t row = 0; row < it->rows; row++) {
        if (allot__family_of(it->work, row) == 0) {
            int32_t asks = it->hosts->asks ? it->hosts->asks[row] : -1;
            it->match->class_of[row] = class_of(it, it->door_of[row], asks);
        }
    }
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

/* Splits the kinds so far by a requirement; `apart` has two entries for each. */
static void split(maker *it, const uint8_t *met, int32_t *apart)
{
    int32_t count = 0;
    for (int32_t i = 0; i < 2 * it->kinds; i++)
        apart[i] = NONE;
    for (int32_t host = 0; host < it->host_count; host++) {
        int32_t *kind = &it->match->kind_of[host];
        if (*kind != NONE) {
            int32_t *now = &apart[2 * *kind + (met[host] != 0)];
            *now = *now == NONE ? count++ : *now;
            *kind = *now;
        }
    }
    it->kinds = count;
}

static int find_kinds(maker *it, int64_t unknown)
{
    const allot__group_hosts *hosts = it->hosts;
    int32_t *apart = column(it, 2 * it->host_count + 2, NONE);
    if (!apart)
        return ALLOT_ENOMEM;
    for (int32_t host = 0; host < it->host_count; host++) {
        int32_t door = door_of(it, host);
        if (door != NONE) {
            it->kind_at[door] = it->kind_at[door] == NONE ? it->kinds++ : it->kind_at[door];
            it->match->kind_of[host] = it->kind_at[door];
        }
    }
    for (int32_t i = 0; i < hosts->requirement_count; i++)
        split(it, hosts->requirements[i].met, apart);
    for (int32_t door = 0; door <= it->rows; door++)
        it->kind_at[door] = NONE;
    for (int32_t host = it->host_count - 1; host >= 0; host--) {
        int32_t kind = it->match->kind_of[host];
        if (kind != NONE) {
            it->kind_door[kind] = door_of(it, host);
            it->kind_host[kind] = host;
        }
    }
    it->kinds += unknown > 0; /* the last, of no host */
    return ALLOT_OK;
}

static int count_slots(maker *it, int64_t unknown)
{
    const allot__group_hosts *hosts = it->hosts;
    allot__match *match = it->match;
    match->most = allot__arena_take(it->work->arena, (size_t)it->kinds + 1, sizeof *match->most);
    match->left = allot__arena_take(it->work->arena, (size_t)it->kinds + 1, sizeof *match->left);
    if (!match->most || !match->left)
        return ALLOT_ENOMEM;
    memset(match->most, 0, ((size_t)it->kinds + 1) * sizeof *match->most);
    for (int32_t host = 0; host < it->host_count; host++) {
        int32_t slots = it->what == ALLOT__ALL_SLOTS ? hosts->slots[host] : hosts->free[host];
        bool none = it->what == ALLOT__OWN_SLOTS && hosts->owner[host] == ALLOT_ROOT;
        if (match->kind_of[host] != NONE && !none)
            match->most[match->kind_of[host]] += slots;
    }
    if (unknown > 0)
        match->most[it->kinds - 1] = unknown;
    return ALLOT_OK;
}

/* ---- Edges ----------------------------------------------------------------------------------- */

static bool meets(const maker *it, int32_t class, int32_t kind)
{
    int32_t asks = it->class_asks[class];
    return asks < 0 || it->hosts->requirements[asks].met[it->kind_host[kind]] != 0;
}

/* Does the class take any host? */
static bool easy(const maker *it, int32_t class)
{
    int32_t door = it->class_door[class];
    bool alone =
        door > COMMON && it->hosts->exclusive_of && it->hosts->exclusive_of[door - 1] != ALLOT_ROOT;
    return it->class_asks[class] < 0 && !alone;
}

/* Writes the class's edges, unless `edges` is NULL; returns their number. */
static int32_t edges_of(const maker *it, int32_t class, allot__edge *edges)
{
    int32_t count = 0;
    for (int32_t door = it->class_door[class]; door != NONE; door = it->next_door[door]) {
        for (int32_t kind = it->kind_at[door]; kind != NONE; kind = it->next_kind[kind]) {
            if (meets(it, class, kind)) {
                if (edges)
                    edges[count] = (allot__edge){.class = class, .kind = kind};
                count++;
            }
        }
    }
    bool unknown = it->kinds > 0 && it->kind_host[it->kinds - 1] == NONE;
    if (unknown && easy(it, class)) {
        if (edges)
            edges[count] = (allot__edge){.class = class, .kind = it->kinds - 1};
        count++;
    }
    return count;
}

/* Lists edges kind by kind; those of a kind by class. */
static int sort_by_kind(maker *it)
{
    allot__match *match = it->match;
    match->by_kind = column(it, match->edge_count, NONE);
    if (!match->by_kind ||
        !allot__bits_take(&match->flowing, it->work->arena, match->edge_count + 1))
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < match->edge_count; i++)
        match->kind_first[match->edges[i].kind + 1]++;
    for (int32_t kind = 0; kind < it->kinds; kind++)
        match->kind_first[kind + 1] += match->kind_first[kind];
    for (int32_t i = match->edge_count - 1; i >= 0; i--) {
        allot__edge *edge = &match->edges[i];
        edge->place = --match->kind_first[edge->kind + 1];
        match->by_kind[edge->place] = i;
    }
    for (int32_t kind = 0; kind < it->kinds; kind++)
        match->kind_first[kind] = match->kind_first[kind + 1];
    match->kind_first[it->kinds] = match->edge_count;
    return ALLOT_OK;
}

static int make_edges(maker *it)
{
    allot__match *match = it->match;
    for (int32_t kind = it->kinds - 1; kind >= 0; kind--) {
        if (it->kind_host[kind] != NONE) {
            it->next_kind[kind] = it->kind_at[it->kind_door[kind]];
            it->kind_at[it->kind_door[kind]] = kind;
        }
    }
    match->first = column(it, it->classes, 0);
    match->kind_first = column(it, it->kinds, 0);
    match->class_tight = column(it, it->classes, 0);
    match->kind_tight = column(it, it->kinds, 0);
    match->class_via = column(it, it->classes, NONE);
    match->kind_via = column(it, it->kinds, NONE);
    match->queue = column(it, it->classes, NONE);
    if (!match->first || !match->kind_first || !match->class_tight || !match->kind_tight ||
        !match->class_via || !match->kind_via || !match->queue)
        return ALLOT_ENOMEM;
    for (int32_t class = 0; class < it->classes; class ++)
        match->first[class + 1] = match->first[class] + edges_of(it, class, NULL);
    match->edge_count = match->first[it->classes];
    match->edges =
        allot__arena_take(it->work->arena, (size_t)match->edge_count + 1, sizeof *match->edges);
    if (!match->edges)
        return ALLOT_ENOMEM;
    for (int32_t class = 0; class < it->classes; class ++)
        edges_of(it, class, match->edges + match->first[class]);
    return sort_by_kind(it);
}

int allot__match_make(allot__work *work, allot__matched what, int64_t unknown, allot__match *out)
{
    maker it = {.work = work, .hosts = work->hosts, .match = out, .what = what};
    *out = (allot__match){0};
    int status = take(&it);
    if (status == ALLOT_OK) {
        find_doors(&it);
        find_classes(&it);
        status = find_kinds(&it, unknown);
    }
    if (status == ALLOT_OK)
        status = count_slots(&it, unknown);
    if (status == ALLOT_OK)
        status = make_edges(&it);
    if (status == ALLOT_OK) {
        out->classes = it.classes;
        out->kinds = it.kinds;
        allot__match_reset(out);
    }
    return status;
}

/* ---- Flow ------------------------------------------------------------------------------------ */

enum { UNSEEN = -1, SOURCE = -2 };

void allot__match_reset(allot__match *match)
{
    memcpy(match->left, match->most, (size_t)match->kinds * sizeof *match->left);
    for (int32_t i = 0; i < match->edge_count; i++)
        allot__edge_add(match, &match->edges[i], -match->edges[i].flow);
    allot__match_loosen(match);
}

/* Clears what the last search marked. */
static void forget(allot__match *match)
{
    for (int32_t i = 0; i < match->seen; i++) {
        int32_t class = match->queue[i];
        match->class_via[class] = UNSEEN;
        for (int32_t k = match->first[class]; k < match->first[class + 1]; k++)
            match->kind_via[match->edges[k].kind] = UNSEEN;
    }
    match->seen = 0;
}

/* Queues the classes with slots of a kind: they may move to other kinds. */
static int32_t see_classes(allot__match *match, int32_t kind, int32_t tail)
{
    int32_t end = match->kind_first[kind + 1];
    for (int32_t at = allot__bits_next(&match->flowing, match->kind_first[kind]); at < end;
         at = allot__bits_next(&match->flowing, at + 1)) {
        int32_t class = match->edges[match->by_kind[at]].class;
        if (match->class_via[class] == UNSEEN) {
            match->class_via[class] = match->by_kind[at];
            match->queue[tail++] = class;
        }
    }
    return tail;
}

/* After a search in vain: what it saw leads to no slot until the era ends. */
static void tighten(allot__match *match)
{
    for (int32_t i = 0; i < match->seen; i++) {
        int32_t class = match->queue[i];
        match->class_tight[class] = match->era;
        for (int32_t k = match->first[class]; k < match->first[class + 1]; k++)
            match->kind_tight[match->edges[k].kind] = match->era;
    }
}

/* The nearest kind with a slot left, or -1: all that is open to the classes seen is taken. */
static int32_t search(allot__match *match, int32_t class)
{
    int32_t tail = 0;
    forget(match);
    match->class_via[class] = SOURCE;
    match->queue[tail++] = class;
    match->seen = tail;
    for (int32_t head = 0; head < tail; head++) {
        int32_t from = match->queue[head];
        for (int32_t i = match->first[from]; i < match->first[from + 1]; i++) {
            int32_t kind = match->edges[i].kind;
            if (match->kind_via[kind] != UNSEEN || match->most[kind] == 0 ||
                match->kind_tight[kind] == match->era)
                continue;
            match->kind_via[kind] = i;
            if (match->left[kind] > 0)
                return kind;
            tail = match->seen = see_classes(match, kind, tail);
        }
    }
    tighten(match);
    return -1;
}

/* Moves slots along the path to a kind; returns the number. */
static int64_t augment(allot__match *match, int32_t kind, int64_t slots)
{
    allot__edge *edges = match->edges;
    slots = slots < match->left[kind] ? slots : match->left[kind];
    for (int32_t at = kind;;) {
        int32_t back = match->class_via[edges[match->kind_via[at]].class];
        if (back == SOURCE)
            break;
        slots = slots < edges[back].flow ? slots : edges[back].flow;
        at = edges[back].kind;
    }
    match->left[kind] -= slots;
    for (int32_t at = kind;;) {
        int32_t back = match->class_via[edges[match->kind_via[at]].class];
        allot__edge_add(match, &edges[match->kind_via[at]], slots);
        if (back == SOURCE)
            return slots;
        allot__edge_add(match, &edges[back], -slots);
        at = edges[back].kind;
    }
}

int64_t allot__match_push(allot__match *match, int32_t class, int64_t slots)
{
    int64_t pushed = 0;
    while (pushed < slots) {
        int32_t kind = search(match, class);
        if (kind < 0)
            break;
        pushed += augment(match, kind, slots - pushed);
    }
    return pushed;
}

/* Opens the classes that can use an open kind. */
static int32_t open_kind(allot__match *match, int32_t kind, uint8_t *open, int32_t tail)
{
    for (int32_t at = match->kind_first[kind]; at < match->kind_first[kind + 1]; at++) {
        int32_t class = match->edges[match->by_kind[at]].class;
        if (open[class] == 0) {
            open[class] = 1;
            match->queue[tail++] = class;
        }
    }
    return tail;
}

void allot__match_open(allot__match *match, uint8_t *open)
{
    int32_t tail = 0;
    forget(match);
    memset(open, 0, (size_t)match->classes);
    for (int32_t kind = 0; kind < match->kinds; kind++) {
        if (match->left[kind] > 0) {
            match->kind_via[kind] = SOURCE;
            tail = open_kind(match, kind, open, tail);
        }
    }
    for (int32_t head = 0; head < tail; head++) {
        int32_t class = match->queue[head];
        for (int32_t i = match->first[class]; i < match->first[class + 1]; i++) {
            const allot__edge *edge = &match->edges[i];
            if (edge->flow > 0 && match->kind_via[edge->kind] == UNSEEN) {
                match->kind_via[edge->kind] = SOURCE;
                tail = open_kind(match, edge->kind, open, tail);
            }
        }
    }
    for (int32_t kind = 0; kind < match->kinds; kind++)
        match->kind_via[kind] = UNSEEN;
}
