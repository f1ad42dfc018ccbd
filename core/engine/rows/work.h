/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * work.h: the columns of one group in one cycle.
 *
 * Every stage reads the columns of the stages before it and writes its own; nothing is written
 * twice. Columns are by the group's row (siblings in the order of rank, model/plan/plan.h) and live
 * in the decision's arena.
 *
 * Amounts of leaves fit 32 bits. Sums over a parent's subtree may not, so a parent's are kept by
 * its family, 64 bits wide; its 32-bit entry is cut to ALLOT_AMOUNT_MAX, which no fill can tell
 * from the truth: a family never divides more than a group's slots.
 *
 * Parts of a slot are counted in 1/unit (own' = owned * times / unit in lowest terms): every level
 * before a family's critical fill is a whole number of those.
 */
#ifndef ALLOT_ENGINE_ROWS_WORK_H
#define ALLOT_ENGINE_ROWS_WORK_H

#include <stdbool.h>

#include "base/memory.h"
#include "model/state/state.h"

/* Where a family's slots ran out: fill `fill` was poured at the rate amount / weight parts of a
 * slot (in 1/unit) per weight. fill < 0: they did not run out. */
typedef struct allot__critical {
    int32_t fill;
    int32_t row; /* one of the rows poured last: tells the others by its keys */
    int64_t amount, weight;
} allot__critical;

/* Sums over the subtree below a family's parent; of family 0 over the group. */
typedef struct allot__sums {
    int64_t demand; /* need of the children (C-2) */
    int64_t need;
    int64_t reserve; /* reserve' of the children */
    int64_t allocated;
    int64_t in_flight, earmarked;
    int64_t received;  /* held included */
    int64_t over;      /* of all leaves, before any reclaim */
    int64_t over_left; /* ... what inner nodes have not reclaimed */
    int64_t deficit;
    int64_t unmatched; /* deficits that no inner node has matched */
    int64_t freed;     /* taken because of limits, and not owed to anybody inside */
    int64_t reclaimed; /* by this node and those inside */
    int64_t ordered;   /* by this node alone */
    int64_t held;      /* received beyond demand: by leaves, and for parents themselves */
    int64_t given;     /* reclaimed of the leaves, by whichever node */
} allot__sums;

/* A policy at work in a group, with its functions' values: NULL until asked for. */
typedef struct allot__rules {
    const allot_policy *policy;
    const int32_t *attribute_column;
    const int64_t *options;     /* by allot_option: the group's, or else of damping the policy's */
    bool owns;                  /* it goes by what is owned */
    bool leaves_out;            /* a share of 0 may leave a row out (quota/need.h) */
    int64_t **function_values;  /* by function, by row */
    int32_t **function_amounts; /* the same, checked to be amounts */
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
    int32_t widest; /* of rows side by side, as many as stages take room for */
    int64_t times, unit;
    bool leaves_out; /* some of the rules do */

    /* Given: plan and state by row. */
    const int32_t *configured, *limit, *rank;
    const int32_t *demand, *allocated;
    /* Of reclaims in flight: slots that leaves are giving back and still hold, slots that others
     * give back for a row, and slots that have come back for it (after quota: those of them that it
     * gets before others get anything, and of a parent the sum below). NULL: none. */
    const int32_t *in_flight, *earmarked;
    int32_t *returned;
    /* Slots on hosts that are closed and reclaimed count neither as allocated nor as in flight, but
     * here. NULL: none. */
    const struct allot__closed_slots *closed;

    /* C-1, C-2 */
    int32_t *reserve;
    int32_t *need;
    allot__sums *sums; /* by family */

    /* C-3, C-4 */
    int32_t *quota;
    allot__critical *critical; /* by family; in mixed plans the first level's by policy, behind */
    /* Planned shares, and what is held of them and beyond (quota/planned.h); NULL: no fill goes up
     * to such. */
    int32_t *planned_part, *held_part;

    /* C-5 */
    int64_t idle, idle_left;
    int32_t *received;
    /* By family: a parent's quota beyond its children's is that of a last member of its family,
     * which demands and holds nothing: what it received. */
    int32_t *spare;

    /* C-6, C-7, C-10; forced: what leaves must give back whatever their quota; protected: what
     * guards keep of theirs. Those two and kept (reclaim/over.h) are NULL when there is nothing to
     * tell. */
    const int32_t *forced, *protected;
    const struct allot__enforced *enforced; /* why (enforce.h); NULL: nothing holds by force */
    struct allot__kept *kept;               /* by family */
    int32_t *over;
    int32_t *reclaimed;

    struct allot__group_hosts *hosts; /* the group's hosts (hosts/hosts.h); NULL: none are known */
    /* If hosts differ, by leaf's row, else NULL (reclaim/reach.h): the most that others can give
     * it, and its slots on hosts where they serve some consumer. */
    int32_t *reach, *useful;
    int32_t *moved; /* by leaf's row, slots that it gives back for others though within its quota,
                       and got on other hosts (placement/grant.h); NULL: none */
    int32_t *room;  /* by leaf's row, what it can be given on them; NULL: hosts are all alike */

    /* By session of the state, for all groups: what it needs and deserves; NULL without any. */
    int32_t *session_need, *session_quota;

    struct allot__ledger *ledger; /* C-11; NULL: no policy keeps one */
    struct allot__whole *whole;   /* C-13 (whole/whole.h); NULL: no task waits */
    int32_t *whole_part; /* by row: of its quota what no fill gave it; NULL: no task waits */
    /* Of leaves of which tasks wait: what those have of it that start, and how many these are; of
     * others granted is -1. NULL before that is known, and where no task waits. */
    int32_t *granted, *starting;
    /* By task's first number a bit: it goes by this cycle's reclaims, in whichever group, of a leaf
     * (by handle) that is coupled: some task of it has slots of several groups. The same for all
     * groups (victims/leavers.h). NULL: no task has. */
    const uint8_t *chosen, *coupled;
} allot__work;

/* Begins: finds the given columns and takes room for the others from the arena. ENOMEM. */
int allot__work_init(allot__work *work, const allot_plan *plan, const allot_state *state,
                     int32_t group, allot__arena *arena, allot_report *report);

/* The group has so many slots to divide, not those that `slots` says. */
void allot__work_resize(allot__work *work, int64_t slots);
/* Need and quota are to be computed once more: sums are empty, functions not called yet. */
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
/* The rules of a family: of the first level the group's, which divides among branches. */
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
/* Is an option other than 0 under any of the rules? */
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
    return work->tree->handle_of[allot__tree_row(work, row)];
}

/* The quota of that last member, all quotas being known: what the parent's reserve has beyond its
 * children's quotas. Above the reserve, no member has what a policy's fills did not pass on. */
int64_t allot__spare_quota(const allot__work *work, int32_t family);

/* The part of what a leaf received that it demands; the rest is held for it (C-5). */
static inline int64_t allot__granted(const allot__work *work, int32_t row)
{
    if (work->granted != NULL && work->granted[row] >= 0)
        return work->granted[row];
    int64_t moves = work->moved != NULL && allot__family_of(work, row) == 0 ? work->moved[row] : 0;
    int64_t wants = (int64_t)work->demand[row] - work->allocated[row] + moves;
    wants = wants > 0 ? wants : 0;
    return wants < work->received[row] ? wants : work->received[row];
}

/* Is there a grant to tell of? One of no new slots, too, where tasks start on what the leaf had. */
static inline bool allot__gets(const allot__work *work, int32_t row)
{
    return allot__granted(work, row) > 0 || (work->starting != NULL && work->starting[row] > 0);
}

/* Of a row's quota what was left and made its next task whole, beyond what fills gave it. */
static inline int32_t allot__whole_part(const allot__work *work, int32_t row)
{
    return work->whole_part != NULL ? work->whole_part[row] : 0;
}

/* The value of a column (an allot_column or a policy attribute) at a row, exact and uncut. */
int64_t allot__value(const allot__work *work, const allot__rules *rules, int32_t column,
                     int32_t row);
/* The same for `count` rows from `first` on. */
void allot__values(const allot__work *work, const allot__rules *rules, int32_t column,
                   int32_t first, int32_t count, int64_t *out);

/* A source as amounts 0 ... ALLOT_AMOUNT_MAX by row, or one number for all. */
typedef struct allot__amounts {
    const int32_t *column; /* NULL: `number` for every row */
    int32_t number;
    bool own; /* own' instead, which is not of the group's planned size (own.h) */
} allot__amounts;
/* `weight`: for `by`, where `owned` is as configured (same proportions, whole numbers) and a sum
 * above ALLOT_AMOUNT_MAX is an error. Calls the policy's function where needed, once a cycle. */
int allot__amounts_of(allot__work *work, allot__rules *rules, allot_source source, bool weight,
                      allot__amounts *out);
/* A function's values by row, computed on first use; *out stays NULL on failure. */
int allot__function_values(allot__work *work, allot__rules *rules, int32_t function,
                           const int64_t **out);

/* Room in the cycle's arena for `count` items and one more, zeroed; NULL: out of memory. */
void *allot__zeroed(const allot__work *work, size_t count, size_t size);
/* Several columns at once, as they come: ENOMEM where one has no room. */
typedef struct allot__wanted {
    void *slot; /* of the pointer to the column */
    size_t count, size;
} allot__wanted;
#define ALLOT__WANTED(slot, count)                                                                 \
    {                                                                                              \
        &(slot), (count), sizeof *(slot)                                                           \
    }
int allot__taken_all(const allot__work *work, const allot__wanted *all, size_t count);
/* ... and zeroed. */
int allot__zeroed_all(const allot__work *work, const allot__wanted *all, size_t count);

#endif
