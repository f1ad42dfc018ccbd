/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * outlook.h: how high the slots of a family would have to stand.
 *
 * Of a family's pouring a *spot* is how far it has come: a fill and its rate. As more is poured the
 * spot rises, and with it every level; what all levels at a spot add up to is more than a family
 * has where its spot stays below. So a claim of n slots asks for a spot, at which its row's level
 * is n, and for what the others' levels add up to there. That the parent must have: its claim.
 *
 * Two such sums bracket the truth. *Least*: since a lost fraction may be made up (C-4), a quota of
 * n needs a level above n - 1 alone; rates and levels are rounded down. More than there is: short.
 * *Most*: a level of n is a quota of n at least; rates and levels are rounded up. No more than
 * there is: held. Raising a need raises its own levels and nobody's spot, so with fewer claims, or
 * smaller ones, both sums are no larger.
 *
 * This file owns: struct allot_outlook.
 */
#ifndef ALLOT_ENGINE_OUTLOOK_OUTLOOK_H
#define ALLOT_ENGINE_OUTLOOK_OUTLOOK_H

#include <stdbool.h>

#include <allot/outlook.h>
#include <allot/state.h>

#include "base/memory.h"
#include "model/plan/plan.h"

/* Rates are in 1/2^32 slots per weight, sums of levels in 1/2^16 slots. */
enum { ALLOT__RATE_BITS = 32, ALLOT__LEVEL_BITS = 16, ALLOT__REFUSED = 12 };

typedef struct allot__spot {
    int32_t fill; /* that of the reserves, 0: nothing beyond these */
    int64_t rate;
} allot__spot;

/* That a row asked for more at a spot was too much: levels' rise at the spot. */
typedef struct allot__refusal {
    allot__spot spot;
    int64_t rise;
} allot__refusal;

/* That a row which had all it asked for, by so many slots more than it needs without, at a spot of
 * its family, left too few for others' claims. So does any other row of the family that has as much
 * more there: levels, and who gets lost fractions, are the same. */
typedef struct allot__block {
    int32_t family;
    int64_t more;
    allot__spot spot;
} allot__block;

typedef enum allot__foreseen { ALLOT__OPEN = 0, ALLOT__HELD, ALLOT__SHORT } allot__foreseen;

typedef enum allot__side { ALLOT__LEAST = 0, ALLOT__MOST, ALLOT__SIDES } allot__side;

typedef struct allot__outlook_family {
    bool stale;
    uint32_t age;                   /* that of what was refused */
    bool beyond[ALLOT__SIDES];      /* a claim is for more than there can be */
    allot__spot spot[ALLOT__SIDES]; /* that all claims ask for */
    int64_t total[ALLOT__SIDES];    /* of all levels there */
    int64_t needs;                  /* of its members */
    allot__refusal refused[ALLOT__REFUSED];
    int32_t refused_count;
} allot__outlook_family;

struct allot_outlook {
    allot_engine *engine;
    const allot_plan *plan;
    const allot__group *group;
    const allot__tree *tree;
    int32_t fills;
    int32_t heaviest[ALLOT_FILLS_MAX]; /* weight of a row, by fill */
    bool stale;
    uint32_t age;                        /* what was refused at another one counts no more */
    int64_t reserves;                    /* of the first level */
    allot__block blocks[ALLOT__REFUSED]; /* since something was set */
    int32_t block_count;
    /* By row. Levels and weights and caps by fill, then row; of fill 0 levels alone. */
    int32_t *store;
    int32_t *weight, *cap, *level;
    int32_t *limit, *reserve, *need;
    int32_t *claim[ALLOT__SIDES];
    int32_t *demand;
    allot_state *state; /* without any demand: a cycle's columns are of one */
    uint8_t *out;       /* no fill gives it anything (quota/need.h) */
    int32_t *family_in;
    allot__outlook_family *families;
};

/* The row of a leaf; -1: not a leaf. */
static inline int32_t allot__outlook_leaf(const allot_outlook *outlook, int32_t consumer)
{
    if (!outlook || consumer < 0 || consumer >= outlook->tree->rows)
        return -1;
    const allot__group *group = outlook->group;
    int32_t row = outlook->tree->row_of[consumer];
    row = group->group_row ? group->group_row[row] : row;
    return group->family_of[row] == 0 ? row : -1;
}

static inline bool allot__spot_below(allot__spot a, allot__spot b)
{
    return a.fill != b.fill ? a.fill < b.fill : a.rate < b.rate;
}

/* A leaf's need and claim were raised, from these levels at its family's spots: does what is known
 * of the family now go on with the difference? false: all of it is to be added up anew. */
bool allot__outlook_raised(allot_outlook *outlook, int32_t row, int32_t need,
                           const int64_t *levels);
/* Writes a row's levels for its need. */
void allot__outlook_levels(allot_outlook *outlook, int32_t row);
/* The spot at which a row has `slots`, from below or above; false: there is none. */
bool allot__outlook_spot(const allot_outlook *outlook, int32_t row, int64_t slots, allot__side side,
                         allot__spot *out);
/* A row's level at a spot: as it is; and if it needed `need`. */
int64_t allot__outlook_level(const allot_outlook *outlook, int32_t row, allot__spot spot,
                             allot__side side);
int64_t allot__outlook_level_of(const allot_outlook *outlook, int32_t row, int64_t need,
                                allot__spot spot, allot__side side);
/* The sum over a family's rows. */
int64_t allot__outlook_total(const allot_outlook *outlook, int32_t family, allot__spot spot,
                             allot__side side);

#endif
