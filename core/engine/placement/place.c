/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * place.c: places leaf by leaf, each on the hosts that suit it best. If that leaves a leaf without
 * hosts, places all once more: each leaf takes, of every kind of hosts, the slots that its class
 * has (hosts/match.h), which fits all leaves.
 */
#include "engine/placement/place.h"

#include <string.h>

#include "base/heap.h"
#include "engine/placement/grant.h"
#include "engine/rows/order.h"

/* ---- Spreading slots ------------------------------------------------------------------------- */

int64_t allot__stack(allot__choice *choice, int64_t want, allot__piece *piece, void *ud)
{
    while (want > 0 && choice->next < choice->count) {
        int32_t host = choice->hosts[choice->next];
        int32_t part = choice->free[host] < want ? choice->free[host] : (int32_t)want;
        if (part > 0) {
            piece(ud, host, part);
            want -= part;
        }
        if (choice->free[host] == 0)
            choice->next++;
    }
    return want;
}

/* Does a host come before another? */
static bool before(const void *ud, int32_t a, int32_t b)
{
    const allot__choice *choice = ud;
    int32_t free_a = choice->free[a], free_b = choice->free[b];
    return free_a != free_b ? free_a > free_b : a < b;
}

static void heap(allot__choice *choice)
{
    allot__heap_make(choice->hosts, choice->count, before, choice);
    choice->heaped = true;
}

/* Slots above a level. */
static int64_t above(const allot__choice *choice, int64_t level)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < choice->count; i++) {
        int64_t more = choice->free[choice->hosts[i]] - level;
        sum += more > 0 ? more : 0;
    }
    return sum;
}

/* Takes every host down to one level, and the first hosts at that level one slot further: first by
 * number, since `hosts` may be in any order. */
static void level_out(allot__choice *choice, int64_t want, allot__piece *piece, void *ud)
{
    int64_t low = 0, high = INT32_MAX; /* above(low) >= want > above(high) */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (above(choice, middle) >= want)
            low = middle;
        else
            high = middle;
    }
    int64_t further = want - above(choice, high);
    int64_t first = 0, last = INT32_MAX; /* hosts below `last` go further */
    while (last - first > 0) {
        int64_t middle = first + (last - first) / 2, count = 0;
        for (int32_t i = 0; i < choice->count; i++)
            count += choice->hosts[i] < middle && choice->free[choice->hosts[i]] >= high;
        if (count >= further)
            last = middle;
        else
            first = middle + 1;
    }
    for (int32_t i = 0; i < choice->count; i++) {
        int32_t host = choice->hosts[i];
        int64_t part = choice->free[host] - high + (host < last);
        if (part > 0)
            piece(ud, host, (int32_t)part);
    }
    heap(choice);
}

/* Takes a few slots from a heap, and many by levelling all hosts at once, so that the cost does not
 * exceed the number of slots. */
int64_t allot__balance(allot__choice *choice, int64_t want, allot__piece *piece, void *ud)
{
    int64_t left = want > choice->total ? want - choice->total : 0;
    want -= left;
    choice->total -= want;
    if (want > choice->count) {
        level_out(choice, want, piece, ud);
        return left;
    }
    if (!choice->heaped)
        heap(choice);
    for (; want > 0; want--) {
        piece(ud, choice->hosts[0], 1);
        allot__heap_sink(choice->hosts, choice->count, 0, before, choice);
    }
    return left;
}

/* ---- Placing --------------------------------------------------------------------------------- */

enum { FEW = 64, ANY_KIND = -1 };

typedef struct placer {
    allot__work *work;
    allot__group_hosts *hosts;
    allot__granter granter;
    allot__leaves leaves;  /* siblings by rank */
    int32_t *free, *owner; /* as they were before any turn */
    int64_t ghosts;        /* idle slots of which no host is known, that are left in this turn */
    allot__choice common;  /* the hosts of leaves that take any; in this turn */
    int32_t *choices;      /* room for a choice, */
    int32_t *near;         /* ... and for hosts behind the row's doors */
    allot__doors doors;
    int32_t *taken;   /* by host, of the row at hand; else 0 */
    int32_t *touched; /* ... the hosts where it is not */
    int32_t touched_count;
    int32_t unit; /* the row's */
    bool by_kind; /* each takes of each kind what its class has of it */
    size_t places;
} placer;

/* Must each host be looked at for the row? */
static bool special(const placer *placer, int32_t row)
{
    return placer->hosts->given || allot__hosts_picky(placer->hosts, row);
}

/* ---- What there is room for ------------------------------------------------------------------ */

/* Idle slots on unknown hosts. */
static int64_t count_ghosts(const allot__work *work)
{
    const allot__group_hosts *hosts = work->hosts;
    int64_t idle = work->slots - work->sums[0].allocated + hosts->blocked - hosts->guessed;
    for (int32_t host = 0; host < hosts->count; host++)
        idle -= hosts->free[host];
    return idle > 0 ? idle : 0;
}

/* ---- One row --------------------------------------------------------------------------------- */

static void take_piece(void *ud, int32_t host, int32_t slots)
{
    placer *placer = ud;
    allot__group_hosts *hosts = placer->hosts;
    if (placer->taken[host] == 0)
        placer->touched[placer->touched_count++] = host;
    placer->taken[host] += slots;
    hosts->free[host] -= slots;
    if (hosts->owner[host] == ALLOT_ROOT)
        hosts->owner[host] = placer->unit;
}

/* Records the row's places, by host. */
static void write_down(placer *placer, int32_t row)
{
    allot__group_hosts *hosts = placer->hosts;
    const allot__tasks *tasks = &placer->work->state->tasks;
    int32_t *touched = placer->touched;
    int32_t count = placer->touched_count <= FEW ? placer->touched_count : hosts->count;
    for (int32_t i = 1; i < count && count == placer->touched_count; i++) {
        int32_t host = touched[i], k = i;
        for (; k > 0 && touched[k - 1] > host; k--)
            touched[k] = touched[k - 1];
        touched[k] = host;
    }
    hosts->place_first[row] = (int32_t)placer->places;
    hosts->place_count[row] = placer->touched_count;
    for (int32_t i = 0; i < count; i++) {
        int32_t host = count == placer->touched_count ? touched[i] : i;
        int32_t site = hosts->site[host], planned = allot_plan_hosts(placer->work->plan);
        if (placer->taken[host] > 0) {
            hosts->places[placer->places++] =
                (allot_place){.host = site < planned ? site : ~(site - planned),
                              .name = tasks->sites[site].name,
                              .slots = placer->taken[host]};
        }
        placer->taken[host] = 0;
    }
    placer->touched_count = 0;
}

/* Hosts that serve the row: with an owner, or without; of one kind, or of any. */
static allot__choice choose(const placer *placer, int32_t row, bool owned, int32_t kind)
{
    const allot__group_hosts *hosts = placer->hosts;
    allot__choice choice = {.hosts = placer->choices, .free = hosts->free};
    const allot__doors *doors = &placer->doors;
    bool alone = row >= 0 && hosts->exclusive_of && hosts->exclusive_of[row] != ALLOT_ROOT;
    bool common = !owned && !alone;
    const int32_t *near = common ? doors->hosts : placer->near;
    int32_t count =
        common ? doors->first[1] : allot__doors_list(placer->work, doors, row, placer->near);
    for (int32_t i = 0; i < count; i++) {
        int32_t host = near[i];
        if ((hosts->owner[host] != ALLOT_ROOT) != owned || hosts->free[host] <= 0 ||
            (hosts->left != NULL && hosts->left[host] != 0) ||
            (kind != ANY_KIND && placer->granter.match.kind_of[host] != kind))
            continue;
        if (row < 0 ? allot__host_common(hosts, host)
                    : allot__host_serves(placer->work, row, host)) {
            choice.hosts[choice.count++] = host;
            choice.total += hosts->free[host];
        }
    }
    return choice;
}

static int64_t spread(placer *placer, allot__choice *choice, int64_t want)
{
    bool balanced = placer->work->group->options[ALLOT_OPTION_PLACEMENT] != 0;
    return balanced && placer->unit == ALLOT_ROOT ? allot__balance(choice, want, take_piece, placer)
                                                  : allot__stack(choice, want, take_piece, placer);
}

/* Places on any host that serves the row; returns the number of slots without a place. */
static int64_t place_anywhere(placer *placer, int32_t row, int64_t want, int32_t kind)
{
    allot__choice own = choose(placer, row, true, kind);
    want = spread(placer, &own, want);
    allot__choice other = choose(placer, row, false, kind);
    return spread(placer, &other, want);
}

/* Places on each kind the slots that the row's class has of it. */
static int64_t place_by_kind(placer *placer, int32_t row, int64_t want)
{
    allot__match *match = &placer->granter.match;
    int32_t class = match->class_of[row];
    for (int32_t i = match->first[class]; i < match->first[class + 1] && want > 0; i++) {
        allot__edge *edge = &match->edges[i];
        int64_t part = edge->flow < want ? edge->flow : want;
        int64_t placed = part - place_anywhere(placer, row, part, edge->kind);
        allot__edge_add(match, edge, -placed);
        want -= placed;
    }
    return want;
}

static int64_t place_slots(placer *placer, int32_t row, int64_t want)
{
    if (want <= 0)
        return 0;
    if (placer->by_kind)
        return place_by_kind(placer, row, want);
    return special(placer, row) ? place_anywhere(placer, row, want, ANY_KIND)
                                : spread(placer, &placer->common, want);
}

/* Keeps slots that are held idle for a row with special hosts from other rows; returns those on no
 * known host. */
static int64_t hold(placer *placer, int32_t row, int64_t slots)
{
    int64_t nowhere = 0;
    if (slots > 0 && allot__hosts_picky(placer->hosts, row)) {
        nowhere = place_slots(placer, row, slots);
        for (int32_t i = 0; i < placer->touched_count; i++)
            placer->taken[placer->touched[i]] = 0;
        placer->touched_count = 0;
    }
    return nowhere;
}

/* Places a row's grant; returns the number of its slots without a place. */
static int32_t place_row(placer *placer, int32_t row)
{
    allot__group_hosts *hosts = placer->hosts;
    int64_t granted = allot__granted(placer->work, row);
    placer->unit = hosts->exclusive_of ? hosts->exclusive_of[row] : ALLOT_ROOT;
    int64_t want = place_slots(placer, row, granted);
    write_down(placer, row);
    int64_t ghosts = want < placer->ghosts ? want : placer->ghosts;
    ghosts = allot__hosts_picky(hosts, row) ? 0 : ghosts;
    ghosts = !placer->work->room ? want : ghosts;
    placer->ghosts -= ghosts;
    hosts->unplaced[row] = (int32_t)ghosts;
    want += hold(placer, row, placer->work->received[row] - granted);
    return (int32_t)(want - ghosts);
}

/* ---- Turns ----------------------------------------------------------------------------------- */

/* Room for all pieces of a turn. */
static int take_places(placer *placer)
{
    allot__work *work = placer->work;
    allot__group_hosts *hosts = placer->hosts;
    size_t most = (size_t)hosts->count;
    for (int32_t i = 0; i < placer->leaves.count; i++) {
        int64_t granted = allot__granted(work, placer->leaves.row[i]);
        most += (size_t)(granted < hosts->count ? granted : hosts->count);
    }
    hosts->places = allot__arena_take(work->arena, most, sizeof *hosts->places);
    placer->places = 0;
    return hosts->places ? ALLOT_OK : ALLOT_ENOMEM;
}

/* Places all grants; has every slot a place? */
static int turn(placer *placer, bool *placed)
{
    allot__group_hosts *hosts = placer->hosts;
    memcpy(hosts->free, placer->free, (size_t)hosts->count * sizeof *hosts->free);
    memcpy(hosts->owner, placer->owner, (size_t)hosts->count * sizeof *hosts->owner);
    placer->ghosts = hosts->ghosts;
    int status = take_places(placer);
    *placed = true;
    for (int32_t picky = 1; picky >= 0 && status == ALLOT_OK; picky--) {
        if (picky == 0 && !hosts->given)
            placer->common = choose(placer, -1, false, ANY_KIND);
        for (int32_t i = 0; i < placer->leaves.count; i++) {
            int32_t row = placer->leaves.row[i];
            if (allot__hosts_picky(hosts, row) == (picky == 1) && place_row(placer, row) > 0)
                *placed = false;
        }
    }
    return status;
}

static int begin(placer *placer)
{
    allot__group_hosts *hosts = placer->hosts;
    size_t count = (size_t)hosts->count, rows = (size_t)placer->work->tree->rows;
    if (ALLOT__TAKE_ALL(
            placer->work->arena,
            ALLOT__EACH(count, placer->free, placer->owner, placer->choices, placer->near,
                        placer->taken, placer->touched),
            ALLOT__EACH(rows, hosts->place_first, hosts->place_count, hosts->unplaced)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    if (allot__doors_make(placer->work, &placer->doors) != ALLOT_OK)
        return ALLOT_ENOMEM;
    memcpy(placer->free, hosts->free, count * sizeof *hosts->free);
    memcpy(placer->owner, hosts->owner, count * sizeof *hosts->free);
    memset(placer->taken, 0, count * sizeof *hosts->free);
    hosts->ghosts = placer->ghosts = count_ghosts(placer->work);
    int status = allot__leaves_take(&placer->leaves, placer->work, placer->work->arena, false);
    if (status == ALLOT_OK)
        allot__leaves_number(&placer->leaves, placer->work);
    return status;
}

static int grant(placer *placer)
{
    allot__work *work = placer->work;
    if (!allot__group_hosts_uneven(work->hosts))
        return allot__distribute(work);
    placer->granter = (allot__granter){
        .work = work, .leaves = placer->leaves.row, .leaf_count = placer->leaves.count};
    return allot__grant(&placer->granter, work->hosts->ghosts);
}

int allot__place(allot__work *work)
{
    placer *it = work->hosts ? allot__arena_take(work->arena, 1, sizeof *it) : NULL;
    if (!work->hosts)
        return allot__distribute(work);
    if (!it)
        return ALLOT_ENOMEM;
    *it = (placer){.work = work, .hosts = work->hosts};
    work->hosts->placer = it;
    int status = begin(it);
    return status == ALLOT_OK ? grant(it) : status;
}

int allot__place_grants(allot__work *work)
{
    placer *it = work->hosts ? work->hosts->placer : NULL;
    bool placed = !it;
    int status = it ? turn(it, &placed) : ALLOT_OK;
    if (status == ALLOT_OK && !placed && work->room) {
        it->by_kind = true;
        status = turn(it, &placed);
    }
    return status;
}

int64_t allot__barred(const allot__work *work, int32_t row)
{
    if (!work->room || allot__family_of(work, row) != 0 || work->received[row] < work->room[row])
        return 0;
    int64_t lack = (int64_t)work->quota[row] - work->allocated[row] - work->received[row];
    lack = lack < work->idle_left ? lack : work->idle_left;
    return lack > 0 ? lack : 0;
}
