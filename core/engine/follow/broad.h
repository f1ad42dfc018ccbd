/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * broad.h: families of many leaves, in which a change costs only the rows that it reaches, not a
 * pour.
 *
 * A *class* is the rows of equal weights and caps. A row's exact share is the lesser of its need
 * and its class's level. Sums by class give the rate at which the critical fill leaves nothing, so
 * a change of needs takes Newton's steps over classes (fill/pour.c takes them over rows). Rows that
 * need more than their level may have a fraction; rounding by rank gives one more slot to those
 * before the *bound*. So quotas change at rows whose need changed, in classes whose level changed,
 * and between the old and the new bound. Likewise members receive slots up to the *front*.
 */
#ifndef ALLOT_ENGINE_FOLLOW_BROAD_H
#define ALLOT_ENGINE_FOLLOW_BROAD_H

#include "base/bits.h"
#include "engine/quota/again.h"

struct allot__follow;

/* The level up to which a fill and those before it fill a row that needs so much. */
typedef struct allot__broad_mark {
    int32_t whole, part, weight;
} allot__broad_mark;

typedef struct allot__broad_class {
    int32_t first, count; /* its rows: by_class[first] ... */
    int32_t floor;        /* the level at which rows are counted, */
    bool rising;          /* ... which the critical fill still raises: it is below the cap */
    int32_t above;        /* number of rows that need more than `floor`, */
    int64_t below;        /* ... and the sum of needs of the others */
    int32_t quota;        /* the level of quotas: whole slots, */
    bool part;            /* ... and whether there is a fraction above */
} allot__broad_class;

typedef struct allot__broad {
    int32_t family, first, count; /* of rows */
    int32_t fills;
    int32_t classes;
    allot__broad_class *of;
    allot__broad_mark *marks;           /* by class, by fill */
    uint16_t *class_of;                 /* by row of the family, as are `parts` and `nets` */
    int32_t *by_class;                  /* rows, class by class */
    allot__bits parts, nets;            /* rows with a fraction, rows with slots to receive */
    int64_t wholes[ALLOT_FILLS_MAX];    /* sums of needs up to each fill's mark: slots, */
    int64_t part_sums[ALLOT_FILLS_MAX]; /* ... and parts of slots */
    int32_t bound;                      /* rows of `parts` before it have one slot more: */
    int64_t rounded;                    /* so many rows */
    int32_t front;                      /* rows before it receive all they can: */
    int64_t served;                     /* so many slots */
    int64_t total;                      /* slots that members receive */
    bool passed;                        /* `total` may have changed */
} allot__broad;

/* Estimates the bytes that broad families take, beside those of each row. */
size_t allot__broad_size(const allot__tree *tree);
/* Finds the families of at least so many rows (0: the default) that can be broad, once all quotas
 * are known. ENOMEM. */
int allot__broad_begin(struct allot__follow *follow, int32_t least);
/* ... and counts the rows of one, whose quotas are those of its critical fill. */
void allot__broad_count(struct allot__follow *follow, allot__broad *broad);
/* The need of a row changed. */
void allot__broad_need(struct allot__follow *follow, allot__broad *broad, int32_t row,
                       int32_t before);
/* Updates the family's quotas. */
void allot__broad_quotas(struct allot__follow *follow, allot__broad *broad);
/* Gives members `total` in the order of their rows. */
void allot__broad_receive(struct allot__follow *follow, allot__broad *broad);

#endif
