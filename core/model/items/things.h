/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * things.h: things of a kind that a state lists, a block each, found by id, in the order of adding.
 *
 * These lists are the source of a state's tasks, sessions, jobs and reclaims; sealing derives the
 * columns that the engine reads. A thing that ends leaves a gap among the numbers; its block stays
 * until the gaps are closed up, as a decision may borrow from it.
 */
#ifndef ALLOT_MODEL_ITEMS_THINGS_H
#define ALLOT_MODEL_ITEMS_THINGS_H

#include <allot/members.h>

#include "base/name.h"

/* The beginning of a block. A task's block is an allot__task, which begins with this; in others the
 * item (allot_session, ...) follows. Behind these stands what they point to. */
typedef struct allot__thing {
    const char *id;     /* the item's; NULL: it has none */
    int32_t number;     /* among those of its kind; -1: it has ended */
    uint32_t size : 31; /* of the block */
    uint32_t part : 1;  /* a part of the thing before it, not found by id */
} allot__thing;

typedef struct allot__things {
    allot__vector list;     /* of allot__thing *, */
    size_t spare;           /* ... whose entries behind the last, up to this number, are blocks to
                               be used again, or NULL */
    allot__index index;     /* by id */
    allot__vector replaced; /* of allot__thing *, until the numbers are closed up */
    size_t gone;            /* entries of the list whose things have ended */
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

/* Does an item state a member that no column has (ALLOT_MEMBER_COLUMN)? */
bool allot__item_has_rest(const allot_member *members, int32_t count, const void *item);
/* The thing of that id; NULL: there is none, or id is NULL. */
allot__thing *allot__things_find(const allot__things *things, const char *id);
/* Makes a block with a copy of an item. NULL: ENOMEM. */
allot__thing *allot__thing_make(allot_engine *engine, allot_item kind, const void *item);
void allot__thing_free(allot_engine *engine, allot__thing *thing);
/* Makes room for so many more, so that adding them, or replacing as many, cannot fail. ENOMEM. */
int allot__things_room(allot_engine *engine, allot__things *things, size_t more);
/* A block for the thing that is added next, not zeroed but for its size. NULL: ENOMEM. */
void *allot__things_block(allot_engine *engine, allot__things *things, size_t size);
/* Adds a thing at the end, where there is room. With `check`, false: its id is taken. */
bool allot__things_put(allot__things *things, allot__thing *thing, bool check);
/* Replaces a thing by another of the same id. */
void allot__things_swap(allot__things *things, allot__thing *old, allot__thing *thing);
void allot__things_end(allot__things *things, allot__thing *thing);
/* Removes the last, as if they had never been added, until `count` are left. */
void allot__things_cut(allot_engine *engine, allot__things *things, size_t count);
/* Closes gaps: numbers what is left anew. ENOMEM: all is as it was. */
int allot__things_close_up(allot_engine *engine, allot__things *things);
/* Ends all. The first keeps the memory of lists and blocks, the second that of lists. */
void allot__things_spare(allot_engine *engine, allot__things *things);
void allot__things_clear(allot_engine *engine, allot__things *things);
void allot__things_free(allot_engine *engine, allot__things *things);

#endif
