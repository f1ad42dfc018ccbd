/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* hosts.c: hunts that go by hosts: a suspended job's own, and whole ones; and all together. */
#include "engine/jobs/preempt/search.h"

/* Room for all rows that run on a host; ENOMEM. */
static int near_room(allot__prey *prey, int32_t count)
{
    if (prey->near_room >= count)
        return ALLOT_OK;
    int32_t room = count > 2 * prey->near_room ? count : 2 * prey->near_room;
    int32_t *both = allot__arena_take(prey->work->arena, 2 * (size_t)room, sizeof *both);
    if (!both)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < prey->near_room; i++)
        both[i] = prey->near[i];
    prey->near = both;
    prey->near_by = both + room;
    prey->near_room = room;
    return ALLOT_OK;
}

/* Adds the rows on a host to `count` that are near; *all: are all candidates? ENOMEM. */
static int add_near(allot__chase *chase, int32_t host, int32_t *count, bool *all)
{
    allot__prey *prey = chase->prey;
    int32_t n;
    const int32_t *rows = allot__prey_on(&prey->rows, host, &n);
    if (!rows || near_room(prey, *count + n) != ALLOT_OK)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < n; i++) {
        int32_t job = prey->rows.jobs[rows[i]];
        if (prey->gone[job])
            continue;
        bool may = allot__prey_may(chase, job);
        *all = *all && may;
        prey->near[*count] = rows[i];
        *count += may;
    }
    return ALLOT_OK;
}

/* In the order of the hunting job's queue, each once: a job may be on several hosts. ENOMEM. */
static int sort_near(allot__chase *chase, int32_t *count)
{
    allot__prey *prey = chase->prey;
    const allot__prey_list *list = allot__prey_list_of(&prey->rows, chase->fit.job->queue);
    if (!list)
        return ALLOT_ENOMEM;
    allot__prey_sort(&prey->rows, list, prey->near, prey->near_by, *count);
    int32_t kept = 0;
    for (int32_t i = 0; i < *count; i++)
        if (i == 0 || prey->near[i] != prey->near[i - 1])
            prey->near[kept++] = prey->near[i];
    *count = kept;
    return ALLOT_OK;
}

int allot__chase_own_hosts(allot__chase *chase, bool together)
{
    allot__prey *prey = chase->prey;
    const allot__job *job = chase->fit.job;
    const allot__job_place *places = allot__job_places(prey->work->state->jobs, job);
    int32_t count = 0;
    bool all = true;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < job->place_count && status == ALLOT_OK; i++) {
        int32_t host = allot__room_host(prey->room, places[i].site);
        status = host < 0 ? ALLOT_OK : add_near(chase, host, &count, &all);
    }
    status = status == ALLOT_OK ? sort_near(chase, &count) : status;
    for (int32_t i = 0; i < count && status == ALLOT_OK && !allot__fits(&chase->fit); i++) {
        int64_t lack = chase->fit.lack;
        allot__chase_take(chase, prey->rows.jobs[prey->near[i]]);
        if (chase->fit.lack >= lack && !together)
            allot__chase_leave(chase, chase->count - 1);
    }
    return status;
}

int allot__chase_together(allot__chase *chase)
{
    allot__prey *prey = chase->prey;
    allot__prey_list *list = allot__chase_list(chase);
    if (!list)
        return ALLOT_ENOMEM;
    for (int32_t place = allot__prey_list_seek(&prey->rows, list, 0);
         place >= 0 && !allot__fits(&chase->fit);
         place = allot__prey_list_seek(&prey->rows, list, place + 1)) {
        int32_t job = allot__prey_list_job(&prey->rows, list, place);
        if (!allot__prey_may(chase, job) || prey->gone[job])
            continue;
        if (allot__fit_shares(&chase->fit, job) || allot__fit_helps(&chase->fit, job))
            allot__chase_take(chase, job);
    }
    return ALLOT_OK;
}

/* Empties a host where all that run there may go, and that makes room. */
static int empty_host(allot__chase *chase, int32_t host)
{
    allot__prey *prey = chase->prey;
    int32_t before = chase->count;
    int64_t lack = chase->fit.lack;
    int32_t count = 0;
    bool all = true;
    int status = add_near(chase, host, &count, &all);
    if (status != ALLOT_OK || !all || count == 0)
        return status;
    status = sort_near(chase, &count);
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
        allot__chase_take(chase, prey->rows.jobs[prey->near[i]]);
    while (chase->fit.lack >= lack && chase->count > before)
        allot__chase_leave(chase, chase->count - 1);
    return status;
}

int allot__chase_whole_hosts(allot__chase *chase)
{
    const allot__room *room = chase->prey->room;
    int status = ALLOT_OK;
    for (int32_t host = 0; host < room->count && status == ALLOT_OK && chase->fit.lack > 0;
         host++) {
        bool may = allot__room_has(room, chase->fit.set, host) && room->slots[host] > 0 &&
                   room->kept[host] == 0;
        status = may ? empty_host(chase, host) : ALLOT_OK;
    }
    return status;
}
