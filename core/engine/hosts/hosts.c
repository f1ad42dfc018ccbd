/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* hosts.c: the group's hosts, and the slots that tasks use on them. */
#include "engine/hosts/hosts.h"

#include <stdlib.h>
#include <string.h>

static bool here(const allot__work *work, const allot__site *site)
{
    return site->group == work->index && site->slots >= 0;
}

static int take_columns(allot__work *work, allot__group_hosts *hosts)
{
    size_t count = (size_t)hosts->count, size = sizeof(int32_t);
    hosts->site = allot__arena_take(work->arena, count, size);
    hosts->slots = allot__arena_take(work->arena, count, size);
    hosts->free = allot__arena_take(work->arena, count, size);
    hosts->owner = allot__arena_take(work->arena, count, size);
    return hosts->site != NULL && hosts->slots && hosts->free && hosts->owner != NULL
               ? ALLOT_OK
               : ALLOT_ENOMEM;
}

/* The hosts, and by site which one it is, or -1. */
static int fill_hosts(allot__work *work, allot__group_hosts *hosts, int32_t **host_of)
{
    const allot__tasks *tasks = &work->state->tasks;
    *host_of = allot__arena_take(work->arena, (size_t)tasks->site_count, sizeof **host_of);
    int status = *host_of ? take_columns(work, hosts) : ALLOT_ENOMEM;
    for (int32_t i = 0, host = 0; i < tasks->site_count && status == ALLOT_OK; i++) {
        const allot__site *site = &tasks->sites[i];
        (*host_of)[i] = here(work, site) ? host : -1;
        if (!here(work, site))
            continue;
        hosts->site[host] = i;
        hosts->slots[host] = site->closed != ALLOT_OPEN ? 0 : site->slots;
        hosts->owner[host] = site->closed != ALLOT_OPEN ? ALLOT__NOBODY : site->exclusive_to;
        hosts->given = hosts->given || site->exclusive_to != ALLOT_ROOT;
        hosts->owned = hosts->given;
        hosts->free[host] = hosts->slots[host];
        host++;
    }
    return status;
}

static int32_t exclusive_of(const allot__group_hosts *hosts, int32_t row)
{
    return hosts->exclusive_of ? hosts->exclusive_of[row] : ALLOT_ROOT;
}

bool allot__host_meets(const allot__group_hosts *hosts, int32_t row, int32_t host)
{
    return !hosts->asks || hosts->asks[row] < 0 || hosts->requirements[hosts->asks[row]].met[host];
}

/* Is the owner of a host the leaf or above it, but not above the leaf's exclusive consumer? */
static bool owns(const allot__work *work, int32_t row, int32_t host)
{
    int32_t owner = work->hosts->owner[host], exclusive = exclusive_of(work->hosts, row);
    int32_t above = allot__handle(work, row);
    while (above != owner && above != exclusive && above != ALLOT_ROOT)
        above = allot_plan_parent(work->plan, above);
    return above == owner;
}

bool allot__host_serves(const allot__work *work, int32_t row, int32_t host)
{
    const allot__group_hosts *hosts = work->hosts;
    int32_t exclusive = exclusive_of(hosts, row);
    if (hosts->owner[host] == ALLOT__NOBODY || !allot__host_meets(hosts, row, host))
        return false;
    if (hosts->owner[host] != ALLOT_ROOT)
        return owns(work, row, host);
    int32_t meant = hosts->meant ? hosts->meant[host] : ALLOT_ROOT;
    return meant == exclusive &&
           (exclusive == ALLOT_ROOT || hosts->free[host] == hosts->slots[host]);
}

bool allot__host_helps(const allot__work *work, int32_t row, int32_t host)
{
    const allot__group_hosts *hosts = work->hosts;
    int32_t exclusive = exclusive_of(hosts, row), owner = hosts->owner[host];
    if (owner == ALLOT__NOBODY || !allot__host_meets(hosts, row, host))
        return false;
    if (owner != ALLOT_ROOT)
        return owns(work, row, host) || (hosts->left != NULL && hosts->left[host] != 0);
    int32_t meant = hosts->meant ? hosts->meant[host] : ALLOT_ROOT;
    return meant == exclusive;
}

bool allot__host_helps_at(const allot__work *work, int32_t row, int32_t site)
{
    if (!work->hosts)
        return true;
    int32_t host = site >= 0 ? work->hosts->host_of[site] : -1;
    return host >= 0 && allot__host_helps(work, row, host);
}

static int32_t door_of(const allot__work *work, int32_t host)
{
    const allot__group_hosts *hosts = work->hosts;
    int32_t meant = hosts->meant ? hosts->meant[host] : ALLOT_ROOT;
    int32_t of = hosts->owner[host] != ALLOT_ROOT ? hosts->owner[host] : meant;
    return of == ALLOT__NOBODY ? -1
           : of == ALLOT_ROOT  ? 0
                               : allot__row(work->plan, work->index, of) + 1;
}

int allot__doors_make(allot__work *work, allot__doors *doors)
{
    int32_t count = work->hosts->count, most = work->tree->rows + 1;
    if (ALLOT__ZEROED_ALL(work->arena, ALLOT__WANTED(doors->first, (size_t)most + 1),
                          ALLOT__WANTED(doors->hosts, (size_t)count)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    for (int32_t host = 0; host < count; host++)
        if (door_of(work, host) >= 0)
            doors->first[door_of(work, host)]++;
    for (int32_t door = 0; door < most; door++)
        doors->first[door + 1] += doors->first[door]; /* where the door's hosts end */
    for (int32_t host = count - 1; host >= 0; host--)
        if (door_of(work, host) >= 0)
            doors->hosts[--doors->first[door_of(work, host)]] = host;
    return ALLOT_OK;
}

static int rising(const void *a, const void *b)
{
    const int32_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

int32_t allot__doors_list(const allot__work *work, const allot__doors *doors, int32_t row,
                          int32_t *hosts)
{
    int32_t exclusive = exclusive_of(work->hosts, row), count = 0, lists = 0;
    for (int32_t at = row; at >= 0; at = allot__above(work, at)) {
        int32_t first = doors->first[at + 1], found = doors->first[at + 2] - first;
        for (int32_t i = 0; i < found; i++)
            hosts[count++] = doors->hosts[first + i];
        lists += found > 0;
        if (allot__handle(work, at) == exclusive)
            break;
    }
    if (lists > 1)
        qsort(hosts, (size_t)count, sizeof *hosts, rising);
    return count;
}

int64_t allot__group_hosts_holds_for(const allot__work *work, int32_t row, int32_t other)
{
    const allot__units *units = &work->state->tasks.units[work->index];
    int32_t leaf = allot__handle(work, row);
    int64_t slots = 0;
    for (int32_t i = allot__units_first(units, leaf); i < allot__units_end(units, leaf); i++)
        if (units->site[i] >= 0 && allot__host_helps_at(work, other, units->site[i]))
            slots += units->slots[i];
    return slots;
}

/* Which consumers run on which hosts, collected task by task. */
typedef struct survey {
    const int32_t *host_of; /* by site */
    int32_t *seen;          /* by host, as allot__group_hosts_settle wants it */
    int32_t *lost;          /* by row, likewise */
} survey;

enum { UNSEEN = ALLOT__NOBODY - 1 };

static void see(const allot__work *work, survey *survey, int32_t row, int32_t host)
{
    const allot__group_hosts *hosts = work->hosts;
    int32_t exclusive = hosts->exclusive_of ? hosts->exclusive_of[row] : ALLOT_ROOT;
    int32_t *seen = &survey->seen[host];
    bool stranger = hosts->owner[host] >= 0 && !owns(work, row, host);
    if (stranger || (*seen != UNSEEN && *seen != exclusive))
        *seen = ALLOT__NOBODY;
    else
        *seen = exclusive;
}

/* Takes what a leaf's tasks use off the free slots. */
static void count_leaf(const allot__work *work, survey *survey, int32_t row)
{
    const allot__units *units = &work->state->tasks.units[work->index];
    allot__group_hosts *hosts = work->hosts;
    int32_t left = work->allocated[row], leaf = allot__handle(work, row);
    for (int32_t i = allot__units_first(units, leaf); i < allot__units_end(units, leaf); i++) {
        int32_t host = units->site[i] >= 0 ? survey->host_of[units->site[i]] : -1;
        left -= units->site[i] >= 0 ? units->slots[i] : 0;
        if (host >= 0) {
            int32_t used = units->slots[i];
            hosts->free[host] -= used < hosts->free[host] ? used : hosts->free[host];
            see(work, survey, row, host);
        }
    }
    survey->lost[row] = left > 0 ? left : 0;
    hosts->unknown += survey->lost[row];
}

/* Slots on unknown hosts may be on any host, so none of its slots is surely free. */
static void doubt(allot__group_hosts *hosts)
{
    for (int32_t host = 0; hosts->unknown > 0 && host < hosts->count; host++) {
        if (hosts->owner[host] == ALLOT_ROOT) {
            int64_t sure = hosts->free[host] - hosts->unknown;
            hosts->free[host] = sure > 0 ? (int32_t)sure : 0;
        }
    }
}

static int fill(allot__work *work, allot__group_hosts *hosts)
{
    int32_t *host_of = NULL;
    size_t rows = (size_t)work->tree->rows;
    int status = fill_hosts(work, hosts, &host_of);
    if (status == ALLOT_OK)
        status = allot__group_hosts_exclusive(work, hosts);
    if (status == ALLOT_OK)
        status = allot__group_hosts_require(work, hosts);
    survey survey = {.host_of = host_of};
    survey.seen = allot__arena_take(work->arena, (size_t)hosts->count, sizeof(int32_t));
    survey.lost = allot__arena_take(work->arena, rows + 1, sizeof(int32_t));
    if (status != ALLOT_OK || !survey.seen || !survey.lost)
        return status != ALLOT_OK ? status : ALLOT_ENOMEM;
    for (int32_t host = 0; host < hosts->count; host++)
        survey.seen[host] = UNSEEN;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        survey.lost[row] = 0;
        if (allot__family_of(work, row) == 0 && work->allocated[row] > 0)
            count_leaf(work, &survey, row);
    }
    hosts->host_of = host_of;
    hosts->lost = survey.lost;
    status = allot__group_hosts_settle(work, hosts, survey.seen, survey.lost);
    doubt(hosts);
    return status;
}

int allot__group_hosts_make(allot__work *work)
{
    const allot__tasks *tasks = &work->state->tasks;
    int32_t count = 0;
    for (int32_t i = 0; i < tasks->site_count; i++)
        count += here(work, &tasks->sites[i]);
    if (count == 0 || work->tree->rows == 0)
        return ALLOT_OK;
    allot__group_hosts *hosts = allot__arena_take(work->arena, 1, sizeof *hosts);
    if (!hosts)
        return ALLOT_ENOMEM;
    *hosts = (allot__group_hosts){.count = count};
    work->hosts = hosts;
    return fill(work, hosts);
}
