/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * work.h: the columns of one group in one cycle.
 *
 * Every stage reads the columns of the stages before it and writes its own; nothing is written
 * twice. Columns are by the group's row (siblings in the order of rank, model/plan/plan.h) and live
 * in the decision's arena.
 *
 * Amounts of leaves fit 32 bits. Sums over a parent's subtree may not: they are kept by family, 64
 * bits wide, and the parent's 32-bit entry is cut to ALLOT_AMOUNT_MAX. The cut changes no fill,
 * since a family never divides more than a group's slots.
 *
 * Parts of a slot are counted in 1/unit (own' = owned * times / unit in lowest terms): every level
 * before a family's critical fill is a whole number of these parts.
 */
#ifndef ALLOT_ENGINE_ROWS_WORK_H
#define ALLOT_ENGINE_ROWS_WORK_H

#include <stdbool.h>

#include "base/memory.h"
#include "model/state/state.h"

/* The fill in which a family's slots ran out, at the rate of amount / weight parts of a slot (in
 * 1/unit) per weight. fill < 0: slots did not run out. */
typedef struct allot__critical {
    int32_t fill;
    int32_t row; /* one of the rows poured last: the others have equal keys */
    int64_t amount, weight;
} allot__critical;

/* Sums over the subtree below a family's parent; for family 0 over the group. */
typedef struct allot__sums {
    int64_t demand; /* need of the children (C-2) */
    int64_t need;
    int64_t reserve; /* reserve' of the children */
    int64_t allocated;
    int64_t in_flight, earmarked;
    int64_t received;  /* including held */
    int64_t over;      /* of all leaves, before any reclaim */
    int64_t over_left; /* ... that inner nodes have not reclaimed */
    int64_t deficit;
    int64_t unmatched; /* deficits that no inner node has matched */
    int64_t freed;     /* taken because of limits, and owed to no leaf inside */
    int64_t reclaimed; /* by this node and those inside */
    int64_t ordered;   /* by this node alone */
    int64_t held;      /* received beyond demand: by leaves, and for parents themselves */
    int64_t given;     /* reclaimed from the leaves, by any node */
} allot__sums;

/* A policy at work in a group, with its functions' values: NULL until first used. */
typedef struct allot__rules {
    const allot_policy *policy;
    const int32_t *attribute_column;
    const int64_t *options; /* by allot_option: the group's; for damping else the policy's */
    bool owns;              /* the policy uses ownership */
    bool leaves_out;        /* a share of 0 may leave a row out (quota/quota.h) */
    const int64_t **function_values;                          /* by function, by row */
    int64_t *sums[ALLOT_COLUMN_COUNT + ALLOT_ATTRIBUTES_MAX]; /* by column, by family */
    int32_t **function_amounts;                               /* the same, checked to be amounts */
} allot__rules;

typedef struct allot__work {
    const allot_plan *plan;
    const allot_state *state;
    const allot__group *group;
    const allot__tree *tree;
    allot__rules *rules; /* the group's policy, and in mixed plans its branches' others */
    int32_t rules_count;
    allot__arena *arena;
    allot_report *report;
    int32_t index;  /* of the group */
    int64_t slots;  /* T */
    int32_t widest; /* most rows of a family; stages allocate scratch space for as many */
    int64_t times, unit;
    int64_t owned, exact; /* slots that the first level owns, and those that do not scale (H-15) */
    int64_t *divided;     /* by rules: slots for its branches at the first level; NULL: `slots` */
    bool leaves_out;      /* of any of the rules */
    bool percents;        /* a policy has limits in percent, of the slots that the state gives */
    bool relates;         /* any of the rules tests who may take from whom (reclaim/takes.h), */
    bool by_claimant;     /* ... or chooses tasks by the claimant (victims/claimant.h) */

    /* Given: plan and state by row. */
    const int32_t *configured, *limit, *rank;
    const int32_t *demand, *allocated;
    /* Reclaims in flight, by donor and by claimant: slots that leaves are giving back and still
     * hold, slots that others give back for a row, and slots that came back for it (after quota:
     * those that it gets before all others; for a parent the sum below). NULL: none. */
    const int32_t *in_flight, *earmarked;
    int32_t *returned;
    /* Slots on hosts that are closed and reclaimed count neither as allocated nor as in flight, but
     * here. NULL: none. */
    const struct allot__closed_slots *closed;
    const struct allot__used *used; /* C-14 (used.h); NULL: no policy of the group reads use */

    /* C-1, C-2; reserved: the plan's column, or `rule` where a policy has one (then it is that) */
    const int32_t *reserved;
    int32_t *rule;
    int32_t *reserve;
    int32_t *need;
    allot__sums *sums; /* by family */

    /* C-3, C-4 */
    int32_t *quota;
    allot__critical *critical; /* by family; in mixed plans the first level's by policy, behind */
    /* Planned shares, and what is held of them and beyond (quota/pass.h); NULL: no fill goes up
     * to such. */
    int32_t *planned_part, *held_part;

    /* C-5 */
    int64_t idle, idle_left;
    int32_t *received;
    /* By family: slots received by its *last member*, which demands and holds nothing. Its quota is
     * the parent's quota beyond the children's. */
    int32_t *spare;

    /* C-6, C-7, C-10; forced: slots that leaves must give back whatever their quota; protected:
     * slots that guards keep. Both, and kept (reclaim/over.h), are NULL if zero throughout. */
    const int32_t *forced, *protected;
    const struct allot__enforced *enforced; /* why (enforce.h); NULL: nothing is enforced */
    struct allot__kept *kept;               /* by family */
    int32_t *over;
    int32_t *reclaimed;
    int32_t *untaken; /* by leaf's row: slots that it lacks and may take from no leaf that is over;
                         NULL: all may take from all */

    struct allot__group_hosts *hosts; /* the group's hosts (hosts/hosts.h); NULL: none are known */
    /* If hosts differ, by leaf's row, else NULL (reclaim/reach.h): the most that other leaves can
     * give it, and its own slots on hosts that serve a consumer that lacks slots. */
    int32_t *reach, *useful;
    int32_t *moved; /* by leaf's row: slots within its quota that it gives back for others and
                       replaces on other hosts (placement/grant.h); NULL: none */
    int32_t *room;  /* by leaf's row: the most that hosts can give it; NULL: hosts are all alike */

    /* By session of the state, for all groups: need and quota; NULL without sessions. */
    int32_t *session_need, *session_quota;

    struct allot__ledger *ledger; /* C-11; NULL: no policy keeps one */
    struct allot__whole *whole;   /* C-13 (whole/whole.h); NULL: no task waits */
    int32_t *whole_part; /* by row: part of its quota that no fill gave; NULL: no task waits */
    /* For leaves whose tasks wait: received slots of the tasks that start, and the number of these
     * tasks; for others granted is -1. NULL before that is known, and where no task waits. */
    int32_t *granted, *starting;
    /* The same for all groups (victims/leavers.h); NULL: no task has slots of several groups.
     * coupled: by leaf's handle, whether a task of it has. chosen: a bit by task's first number: it
     * goes by this cycle's reclaims, in any group, of a coupled leaf. */
    const uint8_t *chosen, *coupled;
    int32_t *user_rank, *group_rank; /* of jobs, by number of the name; NULL: no rule reads them */
    allot__usage *user_usage; /* likewise, at `now` (C-14); NULL: the plan does not count it */
    int32_t user_count;       /* of these */
} allot__work;

/* Begins: finds the given columns and allocates the others in the arena. ENOMEM. */
int allot__work_init(allot__work *work, const allot_plan *plan, const allot_state *state,
                     int32_t group, allot__arena *arena, allot_report *report);

/* own' = owned * T / C in lowest terms, T (`slots`) and C without those owned under policies that
 * do not scale (`exact`); in a plan of no slots nothing is owned (C-1). */
void allot__scale(const allot__group *group, int64_t exact, int64_t slots, int64_t *times,
                  int64_t *unit);
/* Sets the slots that the group divides, and scales own' to them. */
void allot__work_resize(allot__work *work, int64_t slots);
/* Resets for a new computation of need and quota: empties sums, forgets functions' values. */
void allot__work_again(allot__work *work);

/* The range of a family's rows. */
static inline int32_t allot__family_first(const allot__work *work, int32_t family)
{
    return work->tree->first[family];
}
static inline int32_t allot__family_size(const allot__work *work, int32_t family)
{
    return work->tree->first[family + 1] - work->tree->first[family];
}
/* The rules of a family; for the first level the group's, which divide among branches. */
static inline allot__rules *allot__rules_of(const allot__work *work, int32_t family)
{
    const uint8_t *governing = work->group->family_policy;
    return &work->rules[governing != NULL && family != 0 ? governing[family] : 0];
}
/* The rules that a row's quota goes by: its branch's. */
static inline allot__rules *allot__rules_at(const allot__work *work, int32_t row)
{
    return &work->rules[allot__governing_of(work->plan, work->group, row)];
}
/* Has any of the rules an option other than 0? */
static inline bool allot__any_option(const allot__work *work, allot_option option)
{
    for (int32_t i = 0; i < work->rules_count; i++)
        if (work->rules[i].options[option] != 0)
            return true;
    return false;
}
/* The family of a row's children, 0 for a leaf. */
static inline int32_t allot__family_of(const allot__work *work, int32_t row)
{
    return work->group->family_of[row];
}
/* The family that a row is a member of, and the row of its parent; -1: the group. */
static inline int32_t allot__siblings_of(const allot__work *work, int32_t row)
{
    return allot__tree_holding(work->tree->first, work->tree->families, row);
}
static inline int32_t allot__above(const allot__work *work, int32_t row)
{
    int32_t family = allot__siblings_of(work, row);
    return family == 0 ? -1 : work->group->parent[family];
}
/* The row in the tree, which counts siblings in plan order; and the consumer's handle. */
static inline int32_t allot__tree_row(const allot__work *work, int32_t row)
{
    return work->group->tree_row ? work->group->tree_row[row] : row;
}
static inline int32_t allot__handle(const allot__work *work, int32_t row)
{
    return allot__consumer(work->plan, work->index, row);
}

/* The quota of a family's last member (`spare`), once all quotas are known: the parent's reserve
 * beyond its children's quotas. Quota above the reserve that no fill passed on does not count. */
int64_t allot__spare_quota(const allot__work *work, int32_t family);

/* The received slots that a leaf demands; the rest is held for it (C-5). */
static inline int64_t allot__granted(const allot__work *work, int32_t row)
{
    if (work->granted != NULL && work->granted[row] >= 0)
        return work->granted[row];
    int64_t moves = work->moved != NULL && allot__family_of(work, row) == 0 ? work->moved[row] : 0;
    int64_t wants = (int64_t)work->demand[row] - work->allocated[row] + moves;
    wants = wants > 0 ? wants : 0;
    return wants < work->received[row] ? wants : work->received[row];
}

/* Is there a grant to report? Also one of no new slots, if tasks start on slots the leaf had. */
static inline bool allot__gets(const allot__work *work, int32_t row)
{
    return allot__granted(work, row) > 0 || (work->starting != NULL && work->starting[row] > 0);
}

/* Lists a family and those below it, parents before children; returns their number. `only`, unless
 * NULL: below the first level's rows with a flag. */
int32_t allot__subtree(const allot__work *work, int32_t family, const bool *only, int32_t *list);

/* The part of a row's quota beyond its fills: slots left over that made its next task whole. */
static inline int32_t allot__whole_part(const allot__work *work, int32_t row)
{
    return work->whole_part != NULL ? work->whole_part[row] : 0;
}

/* ---- The slots owned now: own' = owned * times / unit (C-1), computed on use
 * ------------------------ */

/* Writes own' of a family's rows: floors, at most ALLOT_AMOUNT_MAX, to `own`, and the parts above
 * them, in 1/unit, to `part`, which is left alone when unit is 1. */
void allot__own_family(const allot__work *work, int32_t family, int32_t *own, int32_t *part);
/* The same of one row; part may be NULL. */
int32_t allot__own(const allot__work *work, const allot__rules *rules, int32_t row, int32_t *part);
/* Has the group its planned size? Then own' is the column `configured`. */
static inline bool allot__own_planned(const allot__work *work)
{
    return work->times == 1 && work->unit == 1;
}

/* The most that a row may hold by the plan: its limit, an attribute of slots or percents. The
 * column goes to `column`; ALLOT_NONE: no limit. */
int32_t allot__row_limit(const allot__work *work, int32_t row, int32_t *column);
/* An attribute's bound of slots at a row. */
int32_t allot__row_bound(const allot__work *work, const allot__rules *rules, int32_t attribute,
                         int32_t row);

/* The slots that a family divides, once they are known (ALLOT_PARENT_SLOTS). */
static inline int64_t allot__family_slots(const allot__work *work, const allot__rules *rules,
                                          int32_t family)
{
    if (family > 0)
        return work->quota[work->group->parent[family]];
    return work->divided != NULL ? work->divided[rules - work->rules] : work->slots;
}

/* The value of a column (an allot_column or a policy attribute) at a row, exact and uncut. */
int64_t allot__value(const allot__work *work, const allot__rules *rules, int32_t column,
                     int32_t row);
/* The same for `count` rows from `first` on; also of sums over siblings, once these are known. */
void allot__values(const allot__work *work, const allot__rules *rules, int32_t column,
                   int32_t first, int32_t count, int64_t *out);

/* A source as amounts 0 ... ALLOT_AMOUNT_MAX by row, or one number for all. */
typedef struct allot__amounts {
    const int32_t *column; /* NULL: `number` for every row */
    int32_t number;
    bool own;     /* own' instead of the column: the group has not its planned size */
    bool percent; /* the column is percent of the slots that a family divides */
} allot__amounts;
/* `weight`: for `by`, which reads `owned` as configured (same proportions, whole numbers); a sum
 * above ALLOT_AMOUNT_MAX is an error then. Calls the policy's function if needed, once a cycle. */
int allot__amounts_of(allot__work *work, allot__rules *rules, allot_source source, bool weight,
                      allot__amounts *out);
/* A function's values by row, computed on first use; *out stays NULL on failure. */
int allot__function_values(allot__work *work, allot__rules *rules, int32_t function,
                           const int64_t **out);
/* A function that reads what families divide: its values come family by family. */
typedef struct allot__late {
    int32_t function;
    bool amounts;    /* values are to be amounts */
    int64_t *values; /* by row */
} allot__late;
/* Takes room for its values; out->values stays NULL if they are known already. */
int allot__function_later(allot__work *work, allot__rules *rules, int32_t function,
                          allot__late *out);
/* Computes the values of `count` rows from `first` on, whose families' slots are known. */
int allot__function_now(allot__work *work, allot__rules *rules, const allot__late *late,
                        int32_t first, int32_t count);

/* The column's value at a row in percent of `slots`, rounded down; an amount. */
int32_t allot__percent_of(const allot__work *work, const allot__rules *rules, int32_t column,
                          int32_t row, int64_t slots);

/* `count` items and one more in the cycle's arena, zeroed; NULL: out of memory. */
static inline void *allot__zeroed(const allot__work *work, size_t count, size_t size)
{
    return allot__arena_zeroed(work->arena, count + 1, size);
}

#endif
