/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plan.h: a plan as the engine reads it, once it is sealed.
 *
 * In a group, siblings stand in the order of (rank, plan order): the order in which C-4 and C-5
 * serve them, and backwards the one in which C-7 takes from them. A group's row is therefore not
 * always the tree's row; `seat` tells one from the other.
 */
#ifndef ALLOT_MODEL_PLAN_H
#define ALLOT_MODEL_PLAN_H

#include <stdbool.h>

#include <allot/plan.h>

#include "base/memory.h"
#include "model/policy.h"
#include "model/tree.h"

typedef struct allot__group {
    char *name;
    int64_t slots; /* planned size C */
    bool slots_set;
    struct allot_policy *policy;
    int64_t options[ALLOT_OPTION_COUNT];
    /* After sealing, by the group's row: ALLOT_PLAN_COLUMNS built in, then the plan's attributes.
     * `owned` of parents is filled in; limits may be ALLOT_NONE. */
    int32_t **columns;
    int32_t attribute_column[ALLOT_ATTRIBUTES_MAX]; /* by policy attribute: index into columns */
    const int32_t *seat;      /* the tree's row of a group's row; NULL: the same */
    const int32_t *seat_of;   /* the group's row of a tree's row; NULL: the same */
    const int32_t *family_of; /* by the group's row; the tree's own when seat is NULL */
    const int32_t *parent;    /* by family: the parent's row in this group */
} allot__group;

struct allot_plan {
    allot_engine *engine;
    bool sealed;
    allot__tree tree;
    allot__group *groups;
    int32_t group_count;
    int32_t column_count;       /* ALLOT_PLAN_COLUMNS + attributes */
    struct allot__build *build; /* what only building needs; freed by sealing */
    struct allot__names *names; /* names, parents, the path index */
    /* further private members may follow */
};

#endif
