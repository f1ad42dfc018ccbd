/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * claimant.h: victims where keys of victims or guards read the claimant (C-16).
 *
 * While slots are reclaimed (reclaim/takes.h), each claimant that a leaf gives slots to takes its
 * victims at once, of those that earlier claimants left:
 *  1. slots of earlier victims beyond their claimants' parts go first, then slots that no task
 *     uses;
 *  2. then units that no guard protects against the claimant, in the order of victims as it is for
 *     the claimant; the rest is slots of unlisted work;
 *  3. backwards, units that are not needed for the claimant are spared (pick.h).
 * What a leaf gives besides, by a limit, the group's size or force, is covered last, by the same
 * rules without the claimant: guards and keys that read it do not count.
 */
#ifndef ALLOT_ENGINE_VICTIMS_CLAIMANT_H
#define ALLOT_ENGINE_VICTIMS_CLAIMANT_H

#include "engine/victims/victim.h"

/* What a leaf gives to a claimant at once. */
typedef struct allot__taking {
    int32_t claimant;    /* its row */
    allot__queue queue;  /* owed: slots for it; gone: those that no victim of its own covers */
    const uint8_t *from; /* by unit of the leaf: it is no candidate, as its mark says */
    struct allot__taking *next;
} allot__taking;

/* What a leaf has given to claimants. */
typedef struct allot__giving {
    allot__taking *first, *last;
    int64_t idle, unlisted; /* left: as in a queue */
    int64_t beyond;         /* slots of victims beyond what they were chosen for */
    int64_t given;          /* slots in all */
    uint8_t *ineligible;    /* by unit of the leaf: it cannot go, or goes for a claimant */
} allot__giving;

/* Of units that go for a claimant; no guard has this number. */
enum { ALLOT__INELIGIBLE_GIVEN = UINT8_MAX };

typedef struct allot__choosing {
    allot__chooser chooser; /* first: reclaim gets a pointer to it */
    allot__work *work;
    allot__victims *victims;
    allot__unit_rows tables;
    allot__giving **giving; /* by row; NULL: it has not been asked */
    /* Fills the queue of a leaf that gives to claimants with what it gives besides, and names the
     * tasks of its `count` reclaims. ENOMEM. */
    int (*finish)(const struct allot__choosing *it, allot__queue *queue, allot__order_back *orders,
                  int32_t count);
} allot__choosing;

/* Makes victims->choosing; it stays NULL if no policy of the group reads claimants, or no task
 * runs. ENOMEM. */
int allot__claimants_begin(allot__work *work, allot__victims *victims);
/* What a leaf has given to claimants; NULL: nothing. */
static inline const allot__giving *allot__claimants_given(const allot__victims *victims,
                                                          int32_t row)
{
    const allot__giving *giving = victims->choosing ? victims->choosing->giving[row] : NULL;
    return giving && giving->first ? giving : NULL;
}

#endif
