/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * outlook.h: how far a family's fills would have to be poured.
 *
 * A *point* is how far the pouring of a family has come: a fill and its rate. As more is poured the
 * point rises, and with it every row's level. If a family's point stays below some point, the
 * levels at that point add up to more than the family has. So a claim of n slots needs the point at
 * which its row's level is n, and the sum of all rows' levels there: that sum is the claim of the
 * parent.
 *
 * Two such sums bracket the truth. *Least*: since a lost fraction may be made up (C-4), a quota of
 * n needs only a level above n - 1; rates and levels are rounded down. If this sum is more than the
 * family has, the claim is short. *Most*: a level of n is a quota of n at least; rates and levels
 * are rounded up. If this sum is no more than the family has, the claim is held. Raising a need
 * raises its own levels and no point, so with fewer claims, or smaller ones, both sums are no
 * larger.
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
enum { ALLOT__RATE_BITS = 32, ALLOT__LEVEL_BITS = 16, ALLOT__REFUSALS_MAX = 12 };

typedef struct allot__outlook_point {
    int32_t fill; /* that of the reserves, 0: nothing beyond these */
    int64_t rate;
} allot__outlook_point;

/* A refused claim of a row: the rise of levels at the point, which was too much. */
typedef struct allot__refusal {
    allot__outlook_point point;
    int64_t rise;
} allot__refusal;

/* A row that had all it asked for, `more` slots more than its need without the claim, at a point of
 * its family, left too few slots for others' claims. So does any other row of the family with as
 * much more there: levels, and the rows that get lost fractions, are the same. */
typedef struct allot__block {
    int32_t family;
    int64_t more;
    allot__outlook_point point;
} allot__block;

typedef enum allot__foreseen {
    ALLOT__FORESEEN_OPEN = 0,
    ALLOT__FORESEEN_HELD,
    ALLOT__FORESEEN_SHORT
} allot__foreseen;

typedef enum allot__side { ALLOT__LEAST = 0, ALLOT__MOST, ALLOT__SIDES } allot__side;

typedef struct allot__outlook_family {
    bool stale;
    uint32_t age;                             /* that of what was refused */
    bool beyond[ALLOT__SIDES];                /* a claim is for more than there can be */
    allot__outlook_point point[ALLOT__SIDES]; /* that all claims ask for */
    int64_t total[ALLOT__SIDES];              /* of all levels there */
    int64_t needs;                            /* of its members */
    allot__refusal refused[ALLOT__REFUSALS_MAX];
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
    uint32_t age;                             /* what was refused at another one counts no more */
    int64_t reserves;                         /* of the first level */
    allot__block blocks[ALLOT__REFUSALS_MAX]; /* since something was set */
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

static inline bool allot__spot_below(allot__outlook_point a, allot__outlook_point b)
{
    return a.fill != b.fill ? a.fill < b.fill : a.rate < b.rate;
}

/* A leaf's need and claim were raised, from these levels at its family's points: does what is known
 * of the family now go on with the difference? false: all of it is to be added up anew. */
bool allot__outlook_raised(allot_outlook *outlook, int32_t row, int32_t need,
                           const int64_t *levels);
/* Writes a row's levels for its need. */
void allot__outlook_levels(allot_outlook *outlook, int32_t row);
/* The point at which a row has `slots`, from below or above; false: there is none. */
bool allot__outlook_point_of(const allot_outlook *outlook, int32_t row, int64_t slots,
                             allot__side side, allot__outlook_point *out);
/* A row's level at a point: as it is; and if it needed `need`. */
int64_t allot__outlook_level(const allot_outlook *outlook, int32_t row, allot__outlook_point point,
                             allot__side side);
int64_t allot__outlook_level_of(const allot_outlook *outlook, int32_t row, int64_t need,
                                allot__outlook_point point, allot__side side);
/* The sum over a family's rows. */
int64_t allot__outlook_total(const allot_outlook *outlook, int32_t family,
                             allot__outlook_point point, allot__side side);

#endif
