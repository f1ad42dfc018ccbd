/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * broad.h: families of many leaves, in which a change costs what it changes and not a pouring.
 *
 * A row's exact share is the lesser of its need and a level that its *class* has: the rows of equal
 * weights and caps. Sums by class tell the rate at which the critical fill leaves nothing, so a
 * change of needs takes Newton's steps over classes (fill/pour.c takes them over rows). Rows above
 * their level may have a fraction; rounding by rank gives one more slot to those before the
 * *bound*. So quotas change at rows whose need changed, in classes whose level did, and between the
 * old and the new bound. What members receive in the order of their rows ends at the *front*
 * likewise.
 */
#ifndef ALLOT_ENGINE_FOLLOW_BROAD_H
#define ALLOT_ENGINE_FOLLOW_BROAD_H

#include "base/bits.h"
#include "engine/quota/again.h"

struct allot__follow;

/* Up to where a fill, with those before it, fills a row that needs as much. */
typedef struct allot__broad_mark {
    int32_t whole, part, weight;
} allot__broad_mark;

typedef struct allot__broad_class {
    int32_t first, count; /* its rows: by_class[first] ... */
    int32_t floor;        /* the level that rows are counted at, */
    bool rising;          /* ... which the critical fill raises: no cap has ended that */
    int32_t above;        /* rows that need more than `floor`, */
    int64_t below;        /* ... and what the others need */
    int32_t quota;        /* the level that quotas are of: whole slots, */
    bool part;            /* ... and whether there is a fraction above */
} allot__broad_class;

typedef struct allot__broad {
    int32_t family, first, count; /* of rows */
    int32_t fills;
    int32_t classes;
    allot__broad_class *of;
    allot__broad_mark *marks;           /* by class, by fill */
    uint16_t *class_of;                 /* by row of the family, as are these two */
    int32_t *by_class;                  /* class by class */
    allot__bits parts, nets;            /* rows with a fraction, rows with something to receive */
    int64_t wholes[ALLOT_FILLS_MAX];    /* what is needed up to the fills' marks: slots, */
    int64_t part_sums[ALLOT_FILLS_MAX]; /* ... and parts of slots */
    int32_t bound;                      /* rows before it, of `parts`, have one slot more: */
    int64_t rounded;                    /* so many */
    int32_t front;                      /* rows before it receive all they can; */
    int64_t served;                     /* ... so many slots */
    int64_t total;                      /* that members receive */
    bool passed;                        /* that may be another */
} allot__broad;

/* Finds the families of at least so many rows (0: as usual) that can be such, all quotas being
 * known. ENOMEM. */
int allot__broad_begin(struct allot__follow *follow, int32_t least);
/* ... and counts the rows of one, whose quotas are those of its critical fill. */
void allot__broad_count(struct allot__follow *follow, allot__broad *broad);
/* A row needs something else. */
void allot__broad_need(struct allot__follow *follow, allot__broad *broad, int32_t row,
                       int32_t before);
/* Gives the family its quotas. */
void allot__broad_quotas(struct allot__follow *follow, allot__broad *broad);
/* Gives members `total` in the order of their rows. */
void allot__broad_receive(struct allot__follow *follow, allot__broad *broad);

#endif
