/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plan.h: a plan as the engine reads it, once it is sealed.
 *
 * In a group, siblings stand in the order of (rank, plan order): the order in which C-4 and C-5
 * serve them, and the reverse of that in which C-7 takes from them. A group's row is therefore not
 * always the tree's row; `tree_row` maps one to the other.
 */
#ifndef ALLOT_MODEL_PLAN_PLAN_H
#define ALLOT_MODEL_PLAN_PLAN_H

#include <stdbool.h>

#include <allot/plan.h>

#include "base/memory.h"
#include "base/name.h"
#include "base/usage.h"
#include "model/policy/policy.h"
#include "model/plan/tree.h"

/* A policy at work in a group, and where its attributes are among the group's columns. */
typedef struct allot__governing {
    struct allot_policy *policy;
    int32_t attribute_column[ALLOT_ATTRIBUTES_MAX];
    int64_t options[ALLOT_OPTION_COUNT]; /* the group's, or else the policy's */
} allot__governing;

/* To which leaves a leaf lends, or from which it borrows (E-2); a later statement wins. */
typedef struct allot__peers {
    int32_t consumer;
    int32_t count;       /* below 0: all leaves */
    const int32_t *list; /* consumers; a parent means all leaves below it; NULL: none */
} allot__peers;

typedef struct allot__group {
    const char *name;
    int64_t slots; /* planned size C */
    bool slots_set;
    struct allot_policy *policy;
    int64_t options[ALLOT_OPTION_COUNT];
    uint32_t options_set; /* options that the plan states, a bit each */
    /* After sealing, by the group's row: ALLOT_PLAN_COLUMNS built in, then the plan's attributes.
     * `owned` of parents is computed; limits may be ALLOT_NONE. */
    int32_t **columns;
    /* After sealing: the group's policy and other ones of its branches; and which of them governs
     * each family and each row of the first level (both NULL if there is only one). */
    allot__governing *governing;
    int32_t governing_count;
    uint8_t *family_policy, *branch_policy;
    bool limited;                 /* some attribute is a limit */
    bool no_ownership;            /* its only policy does not use `owned` */
    const int32_t *tree_row;      /* by the group's row: the tree's; NULL: the same */
    const int32_t *group_row;     /* by the tree's row: the group's; NULL: the same */
    const int32_t *family_of;     /* by the group's row; the tree's own when tree_row is NULL */
    const int32_t *parent;        /* by family: the parent's row in this group */
    int32_t *store;               /* the block behind columns */
    int32_t *row_order;           /* the block behind tree_row ... parent; NULL when tree_row is */
    allot__vector stated;         /* before sealing: of allot__column, as columns */
    allot__vector lend, borrow;   /* of allot__peers */
    int32_t *lend_at, *borrow_at; /* after sealing, by the group's row: its entry of these, or -1;
                                     NULL: no entries */
} allot__group;

/* Values that a plan states in a column, by handle; allot__unset where it states none. */
typedef struct allot__column {
    int32_t *values;
    size_t capacity; /* handles from here on state nothing */
} allot__column;
enum { allot__unset = INT32_MIN };

typedef struct allot__host {
    char *name;
    int32_t group;
    int64_t slots;
    int32_t closed; /* an allot_closed */
    /* Of a state's host: load + 1; the consumer to which it is exclusive, + 1; site; whether its
     * slots are the plan's. */
    int32_t load, exclusive_to, site, planned;
    allot__vector values; /* of a plan's: of allot_host_value */
} allot__host;

/* The requirement on hosts of a consumer, and of those below it that state none. */
typedef struct allot__require {
    int32_t consumer;
    const char *name;
} allot__require;

/* A child that a wildcard stands for, and that wildcard. */
typedef struct allot__newcomer {
    int32_t consumer, wildcard;
} allot__newcomer;

/* A first-level consumer with a policy of its own; the plan holds a reference. */
typedef struct allot__branch {
    int32_t consumer;
    struct allot_policy *policy;
} allot__branch;

/* Hosts, indexed by name. */
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
    struct allot__build *build;    /* needed only while building; freed by sealing */
    struct allot__names *names;    /* names, parents, the path index */
    allot__pool pool;              /* of other strings, and of lists of peers */
    allot__vector group_list;      /* the memory of `groups` */
    allot__vector attributes;      /* of allot_attribute: columns from PLAN_COLUMNS on */
    allot__vector task_attributes; /* likewise, of tasks */
    allot__hosts hosts;
    allot__vector branches;         /* of allot__branch */
    struct allot__windows *windows; /* model/windows/window.h; NULL: there are none */
    /* Of a variant: the base, which owns all that is shared; its windows `held` hold here. */
    const allot_plan *base;
    uint64_t held;
    allot__vector requires;  /* of allot__require, at most one for each consumer */
    allot__vector newcomers; /* of allot__newcomer, by consumer */
    allot_decay decay;       /* how use fades; parts 0: not stated */
    allot__decay *fades;     /* after sealing; NULL: use is not counted. Variants share it */
    bool users_counted;      /* of the base: some policy reads the use of jobs' users */
    /* model/jobs/queue.h. Both NULL: the plan has neither queues nor leases. Variants share queues,
     * and the relation if the policy is the same. */
    struct allot__queues *queues;
    struct allot__relation *relation; /* after sealing; NULL without queues */
};

/* The plan that was read: of a variant its base, else the plan itself. */
static inline const allot_plan *allot__plan_base(const allot_plan *plan)
{
    return plan->base ? plan->base : plan;
}

/* Needed only while a plan is built. */
struct allot__build {
    struct allot_policy *policy; /* the policy set for ALLOT_ALL, for groups added later */
    int64_t options[ALLOT_OPTION_COUNT];
    uint32_t options_set;
    bool implied; /* the only group is "default", added implicitly */
    bool stated;  /* a column was set: no more groups */
};

/* Adds the group "default" to a plan without groups. */
int allot__plan_imply(allot_plan *plan);
/* The groups [*from, *to) that `group` stands for while building. A plan without groups gets
 * "default" if `group` is 0; ALLOT_ALL is none then. EUSAGE: no such group, or sealed; ENOMEM. */
int allot__plan_range(allot_plan *plan, int32_t group, int32_t *from, int32_t *to);
/* Adds a policy's attributes as columns, and completes the policy; EUSAGE, ENOMEM. */
int allot__plan_adopt(allot_plan *plan, allot_policy *policy);

/* Checks that the column can be set, and to that value. EUSAGE, ERANGE. */
int allot__column_check(const allot_plan *plan, int32_t column, int64_t value);

/* The plan's number of the policy's i-th task attribute. */
int32_t allot__task_attribute_of(const allot_plan *plan, const allot_policy *policy, int32_t i);

/* The index of a column number in a group's columns, or -1; and the other way round. */
int32_t allot__column_index(const allot_plan *plan, int32_t column);
int32_t allot__column_number(int32_t index);
void allot__stated_free(allot_engine *engine, allot__group *group);

/* The host of that name, or NULL. */
allot__host *allot__host_find(const allot__hosts *hosts, const char *name);
/* Adds a host whose name is not taken; NULL when out of memory. */
allot__host *allot__host_add(allot_engine *engine, allot__hosts *hosts, const char *name);
/* Removes a host; those behind it move up. */
void allot__host_end(allot_engine *engine, allot__hosts *hosts, allot__host *host);
void allot__hosts_free(allot_engine *engine, allot__hosts *hosts);
/* Finds the number of a host, in the order of adding; false: no host has that name. */
bool allot__host_number(const allot__hosts *hosts, const char *name, int32_t *out);

/* Finds which policies govern a group that is laid out, and where; ENOMEM. */
int allot__governing_make(const allot_plan *plan, allot__group *group);
void allot__governing_free(const allot_plan *plan, allot__group *group);
/* Which of the group's policies governs a row. */
int32_t allot__governing_of(const allot_plan *plan, const allot__group *group, int32_t row);
/* The most that a row may hold by its `limit` and by attributes that are limits; *column is the
 * column that decides (an index). */
int32_t allot__limit_of(const allot_plan *plan, const allot__group *group, int32_t row,
                        int32_t *column);

/* Checks a list of peers; then adds it, copied, to `peers` (lend or borrow) of a group. ENOMEM. */
bool allot__peers_valid(const allot_plan *plan, int32_t consumer, const int32_t *list, int32_t n);
int allot__peers_add(allot_plan *plan, allot__vector *peers, int32_t consumer, const int32_t *list,
                     int32_t n);

/* Is it a consumer without children? After sealing. */
bool allot__plan_leaf(const allot_plan *plan, int32_t consumer);

/* The child of `parent` that stands for its other children, or ALLOT_ROOT. */
static inline int32_t allot__wildcard_below(const allot_plan *plan, int32_t parent)
{
    return allot__names_find(plan->names, parent, ALLOT_WILDCARD, sizeof ALLOT_WILDCARD - 1);
}

/* The row of a consumer in a group. */
static inline int32_t allot__row(const allot_plan *plan, int32_t group, int32_t consumer)
{
    const int32_t *group_row = plan->groups[group].group_row;
    int32_t row = plan->tree.row_of[consumer];
    return group_row ? group_row[row] : row;
}
/* The consumer in a group's row. */
static inline int32_t allot__consumer(const allot_plan *plan, int32_t group, int32_t row)
{
    const int32_t *tree_row = plan->groups[group].tree_row;
    return plan->tree.handle_of[tree_row ? tree_row[row] : row];
}

#endif
