/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * leavers.h: victims of a leaf whose tasks have slots of several groups (C-13).
 *
 * In one group C-8 takes tasks first to last until the rest fits, then spares, from the last one
 * taken, tasks that fit after all. Equivalently: from the last task to the first, each task that
 * fits stays. With several groups a task fits if it fits in each, and a victim goes in all its
 * groups. Tasks of different groups that have no order between them are ordered by their running
 * time, the longest first, then by id.
 */
#ifndef ALLOT_ENGINE_VICTIMS_LEAVERS_H
#define ALLOT_ENGINE_VICTIMS_LEAVERS_H

#include "engine/victims/victim.h"

/* A leaf's candidates in one group, in the order of going. */
typedef struct allot__leavers {
    int32_t group, count;
    const int32_t *task, *slots; /* numbers of tasks, and their slots in the group */
    uint8_t *gone;               /* flags victims */
    int64_t left;                /* slots for tasks that stay; afterwards, those they leave */
    int64_t freed;               /* slots here of victims that are no candidates in this group */
    int32_t head;                /* scratch */
} allot__leavers;

/* Finds the victims; returns their number. Writes to `place`, by number of a task, its place, and
 * to `went`, unless NULL, the first numbers of the victims, the last one first; `went` has space
 * for all tasks. */
int32_t allot__leavers_keep(const allot__tasks *tasks, allot__leavers *sides, int32_t count,
                            int32_t *place, int32_t *went);

/* The groups of a cycle, each with its orders made. */
typedef struct allot__leaver_groups {
    allot__work **works;
    allot__victims **victims;
    const allot__orders **orders;
    int32_t count;
} allot__leaver_groups;

/* Writes work->chosen and work->coupled if leaves with tasks of several groups give slots back,
 * else NULL. ENOMEM, or what a policy's function failed with. */
int allot__leavers_choose(allot__leaver_groups *all);

#endif
