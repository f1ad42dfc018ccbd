/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plan.h: a plan as the engine reads it, once it is sealed.
 *
 * In a group, siblings stand in the order of (rank, plan order): the order in which C-4 and C-5
 * serve them, and backwards the one in which C-7 takes from them. A group's row is therefore not
 * always the tree's row; `tree_row` tells one from the other.
 */
#ifndef ALLOT_MODEL_PLAN_PLAN_H
#define ALLOT_MODEL_PLAN_PLAN_H

#include <stdbool.h>

#include <allot/plan.h>

#include "base/memory.h"
#include "base/name.h"
#include "model/policy/policy.h"
#include "model/plan/tree.h"

/* A policy at work in a group, and where its attributes are among the group's columns. */
typedef struct allot__governing {
    struct allot_policy *policy;
    int32_t attribute_column[ALLOT_ATTRIBUTES_MAX];
    int64_t options[ALLOT_OPTION_COUNT]; /* the group's, or else the policy's */
} allot__governing;

/* Whom a leaf lends to, or borrows from, as stated (E-2); a later statement wins. */
typedef struct allot__peers {
    int32_t consumer;
    int32_t count;       /* below 0: everybody */
    const int32_t *list; /* consumers: leaves, and parents for all leaves below; NULL: none */
} allot__peers;

typedef struct allot__group {
    const char *name;
    int64_t slots; /* planned size C */
    bool slots_set;
    struct allot_policy *policy;
    int64_t options[ALLOT_OPTION_COUNT];
    uint32_t options_set; /* which of them the plan states, a bit by option */
    /* After sealing, by the group's row: ALLOT_PLAN_COLUMNS built in, then the plan's attributes.
     * `owned` of parents is filled in; limits may be ALLOT_NONE. */
    int32_t **columns;
    /* After sealing: the group's policy and its branches' others; whose families are whose, and
     * whose the first level's rows. Both NULL when there is one alone. */
    allot__governing *governing;
    int32_t governing_count;
    uint8_t *family_policy, *branch_policy;
    bool limited;                 /* attributes that are limits hold */
    bool no_ownership;            /* its only policy does not go by what is owned */
    const int32_t *tree_row;      /* the tree's row of a group's row; NULL: the same */
    const int32_t *group_row;     /* the group's row of a tree's row; NULL: the same */
    const int32_t *family_of;     /* by the group's row; the tree's own when tree_row is NULL */
    const int32_t *parent;        /* by family: the parent's row in this group */
    int32_t *store;               /* the block behind columns */
    int32_t *row_order;           /* the block behind tree_row ... parent; NULL when tree_row is */
    allot__vector stated;         /* before sealing: of allot__column, as columns */
    allot__vector lend, borrow;   /* of allot__peers */
    int32_t *lend_at, *borrow_at; /* after sealing, by the group's row: which of these, or -1; NULL:
                                     nothing is stated */
} allot__group;

/* What a plan states in a column, by handle; allot__unset where it states nothing. */
typedef struct allot__column {
    int32_t *values;
    size_t capacity; /* behind it nothing is stated */
} allot__column;
enum { allot__unset = INT32_MIN };

typedef struct allot__host {
    char *name;
    int32_t group;
    int64_t slots;
    int32_t closed; /* an allot_closed */
    /* Of a state's: its load, plus 1; the consumer to whom it is exclusive, plus 1; its site;
     * whether its slots are the plan's. */
    int32_t load, exclusive_to, site, planned;
    allot__vector values; /* of a plan's: of allot_host_value */
} allot__host;

/* What a consumer, and those below it that name none, ask of a host. */
typedef struct allot__require {
    int32_t consumer;
    const char *name;
} allot__require;

/* A first-level consumer with a policy of its own, which the plan holds. */
typedef struct allot__branch {
    int32_t consumer;
    struct allot_policy *policy;
} allot__branch;

/* Hosts and where to find them by name. */
typedef struct allot__hosts {
    allot__vector list; /* of allot__host */
    allot__index index;
} allot__hosts;

struct allot_plan {
    allot_engine *engine;
    bool sealed;
    allot__tree tree;
    allot__group *groups;
    int32_t group_count;
    int32_t column_count;          /* ALLOT_PLAN_COLUMNS + attributes */
    struct allot__build *build;    /* what only building needs; freed by sealing */
    struct allot__names *names;    /* names, parents, the path index */
    allot__pool pool;              /* of other strings, and lists of whom consumers lend to */
    allot__vector group_list;      /* behind `groups` */
    allot__vector attributes;      /* of allot_attribute: columns from PLAN_COLUMNS on */
    allot__vector task_attributes; /* likewise, of tasks */
    allot__hosts hosts;
    allot__vector branches;         /* of allot__branch */
    struct allot__windows *windows; /* model/windows/window.h; NULL: there are none */
    /* Of a variant: the plan whose windows `held` hold in it, which has all that is shared. */
    const allot_plan *base;
    uint64_t held;
    allot__vector requires; /* of allot__require, one a consumer */
    /* model/jobs/queue.h. Both NULL: the plan has neither queues nor leases; variants share the
     * first, and the second too where the policy is the same. */
    struct allot__queues *queues;
    struct allot__relation *relation; /* after sealing; NULL without queues */
};

/* The plan that was read: of a variant its base, of others themselves. */
static inline const allot_plan *allot__plan_base(const allot_plan *plan)
{
    return plan->base ? plan->base : plan;
}

/* What only building needs. */
struct allot__build {
    struct allot_policy *policy; /* what was given to ALLOT_ALL groups, for those to come */
    int64_t options[ALLOT_OPTION_COUNT];
    uint32_t options_set;
    bool implied; /* the only group is "default", which nobody added */
    bool stated;  /* a column was set: no more groups */
};

/* Adds the group "default" to a plan that has none. */
int allot__plan_imply(allot_plan *plan);
/* The groups [*from, *to) that `group` means to a builder. A plan without groups gets "default"
 * when `group` is 0; ALLOT_ALL means none then. EUSAGE: no such group, or sealed; ENOMEM. */
int allot__plan_range(allot_plan *plan, int32_t group, int32_t *from, int32_t *to);
/* Takes over a policy's attributes as columns, and ends its making; EUSAGE, ENOMEM. */
int allot__plan_adopt(allot_plan *plan, allot_policy *policy);

/* Can the column be set, and to that? EUSAGE, ERANGE. */
int allot__column_check(const allot_plan *plan, int32_t column, int64_t value);

/* The plan's number of the policy's i-th attribute of tasks. */
int32_t allot__task_attribute_of(const allot_plan *plan, const allot_policy *policy, int32_t i);

/* The index of a column number in a group's columns, or -1; and the other way round. */
int32_t allot__column_index(const allot_plan *plan, int32_t column);
int32_t allot__column_number(int32_t index);
void allot__stated_free(allot_engine *engine, allot__group *group);

/* The host of that name, or NULL. */
allot__host *allot__host_find(const allot__hosts *hosts, const char *name);
/* Adds a host whose name is not taken; NULL when out of memory. */
allot__host *allot__host_add(allot_engine *engine, allot__hosts *hosts, const char *name);
/* Takes one out; those behind it move up. */
void allot__host_end(allot_engine *engine, allot__hosts *hosts, allot__host *host);
void allot__hosts_free(allot_engine *engine, allot__hosts *hosts);
/* Is a host of that name there whose number, in the order of adding, is *out? */
bool allot__host_number(const allot__hosts *hosts, const char *name, int32_t *out);

/* Tells which policies are at work in a group that is laid out, and where; ENOMEM. */
int allot__governing_make(const allot_plan *plan, allot__group *group);
void allot__governing_free(const allot_plan *plan, allot__group *group);
/* Which of the group's policies a row goes by. */
int32_t allot__governing_of(const allot_plan *plan, const allot__group *group, int32_t row);
/* The most that a row may hold by its `limit` and by attributes that are limits; *column is the one
 * that says so (an index of columns). */
int32_t allot__limit_of(const allot_plan *plan, const allot__group *group, int32_t row,
                        int32_t *column);

/* States whom a consumer lends to or borrows from, in `peers`; the list is copied. ENOMEM. */
bool allot__peers_valid(const allot_plan *plan, int32_t consumer, const int32_t *list, int32_t n);
int allot__peers_add(allot_plan *plan, allot__vector *peers, int32_t consumer, const int32_t *list,
                     int32_t n);

/* Is it a consumer without children? After sealing. */
bool allot__plan_leaf(const allot_plan *plan, int32_t consumer);

/* The row of a consumer in a group. */
static inline int32_t allot__row(const allot_plan *plan, int32_t group, int32_t consumer)
{
    const int32_t *group_row = plan->groups[group].group_row;
    int32_t row = plan->tree.row_of[consumer];
    return group_row ? group_row[row] : row;
}

#endif
