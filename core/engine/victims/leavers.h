/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * leavers.h: who goes of a leaf whose tasks have slots of several groups (C-13).
 *
 * In one group C-8 takes tasks first to last until what is left fits, and spares from the last one
 * taken who fits after all. That is the same as: from the last one, who fits stays. Of several
 * groups a task fits that fits in each, and goes in all if it goes. Tasks of different groups, none
 * of which is to be looked at before the other, are looked at by how long they run, the longest
 * first, then by id.
 */
#ifndef ALLOT_ENGINE_VICTIMS_LEAVERS_H
#define ALLOT_ENGINE_VICTIMS_LEAVERS_H

#include "engine/victims/victim.h"

/* What of a leaf may go in one group, first to last. */
typedef struct allot__leavers {
    int32_t group, count;
    const int32_t *task, *slots; /* numbers of tasks, and what each has there */
    uint8_t *gone;               /* who goes */
    int64_t left;                /* slots for those that stay; afterwards, that these leave */
    int64_t freed;               /* slots of who goes and could not for this group alone */
    int32_t head;                /* room */
} allot__leavers;

/* Finds who goes. `place` has, by number of a task, where it stands afterwards; `went`, if it is
 * not NULL, has room for all, and gets the first numbers of those that go, the last one first;
 * returns how many. */
int32_t allot__leavers_keep(const allot__tasks *tasks, allot__leavers *sides, int32_t count,
                            int32_t *place, int32_t *went);

/* The groups of a cycle, each with its orders made. */
typedef struct allot__leaver_groups {
    allot__work **works;
    allot__victims **victims;
    const allot__orders **orders;
    int32_t count;
} allot__leaver_groups;

/* Where leaves with tasks of several groups give slots back: finds who goes, for work->chosen and
 * work->coupled, which are NULL else. ENOMEM, and what a policy's function fails with. */
int allot__leavers_choose(allot__leaver_groups *all);

#endif
