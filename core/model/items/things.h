/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * things.h: what a state lists of a kind, one block each, found by id, in the order of adding.
 *
 * This is the truth of a state's tasks, sessions, jobs and reclaims; the columns that the engine
 * reads follow from it when the state is sealed. A thing that has ended leaves its number free, and
 * its block is there until the numbers are closed up: a decision may borrow from it.
 */
#ifndef ALLOT_MODEL_ITEMS_THINGS_H
#define ALLOT_MODEL_ITEMS_THINGS_H

#include <allot/members.h>

#include "base/name.h"

/* What a block begins with. In that of a task allot__task goes on from here, in others the item
 * (allot_session, ...) stands behind this; then what those point to. */
typedef struct allot__thing {
    const char *id;             /* the item's; NULL: it has none */
    int32_t number;             /* among those of its kind; -1: it has ended */
    uint32_t size : 31;         /* of the block */
    uint32_t part : 1;          /* of the thing in front of it: it is not found by id */
    struct allot__thing *ended; /* of those that have ended the one before */
} allot__thing;

typedef struct allot__things {
    allot__vector list;  /* of allot__thing * */
    allot__index index;  /* by id */
    allot__thing *ended; /* the last, until the numbers are closed up */
    size_t gone;         /* of the list */
} allot__things;

static inline void *allot__thing_item(const allot__thing *thing)
{
    return (void *)(uintptr_t)(thing + 1);
}
/* The thing of that number; NULL: it has ended, or there never was one. */
static inline allot__thing *allot__things_at(const allot__things *things, int32_t number)
{
    bool known = number >= 0 && (size_t)number < things->list.count;
    allot__thing *thing = known ? ((allot__thing **)things->list.items)[number] : NULL;
    return thing && thing->number >= 0 ? thing : NULL;
}
/* Its item, or NULL. */
static inline const void *allot__things_item(const allot__things *things, int32_t number)
{
    const allot__thing *thing = allot__things_at(things, number);
    return thing ? allot__thing_item(thing) : NULL;
}

/* NULL: no such; also of id NULL. */
allot__thing *allot__things_find(const allot__things *things, const char *id);
/* A block with a copy of an item. NULL: ENOMEM. */
allot__thing *allot__thing_make(allot_engine *engine, allot_item kind, const void *item);
void allot__thing_free(allot_engine *engine, allot__thing *thing);
/* Room for so many more: putting them in cannot fail. ENOMEM. */
int allot__things_room(allot_engine *engine, allot__things *things, size_t more);
/* Behind the others; its id is not taken. */
void allot__things_put(allot_engine *engine, allot__things *things, allot__thing *thing);
/* In the place of another of the same id. */
void allot__things_swap(allot__things *things, allot__thing *old, allot__thing *thing);
void allot__things_end(allot__things *things, allot__thing *thing);
/* Ends the last, as if they had never been there: so many are left. */
void allot__things_cut(allot_engine *engine, allot__things *things, size_t count);
/* Numbers anew those that are left. ENOMEM: all is as it was. */
int allot__things_close_up(allot_engine *engine, allot__things *things);
/* Ends all; keeps the room for others, or gives it back too. */
void allot__things_clear(allot_engine *engine, allot__things *things);
void allot__things_free(allot_engine *engine, allot__things *things);

#endif
