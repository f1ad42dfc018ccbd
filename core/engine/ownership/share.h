/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * share.h: the slots of share pools that each holder deserves (C-11): phase 2 gives them from idle
 * slots, phase 5 takes them from other holders.
 *
 * A holder asks for what it wants, up to its share limit. Holders below a parent's limit together
 * ask for no more than the limit holds beside their own and borrowed slots: first for slots they
 * are sure of (ledger.h, 0b), then by share. Else others would have to leave them slots that they
 * cannot have. Pools are divided by what holders ask for.
 */
#ifndef ALLOT_ENGINE_OWNERSHIP_SHARE_H
#define ALLOT_ENGINE_OWNERSHIP_SHARE_H

#include "engine/ownership/books.h"

/* How pools are divided. A policy that adjusts shares to workload always goes by RATIO. */
typedef enum allot__due {
    ALLOT__DUE_RATIO,   /* by the ratio among holders that want some, whatever they use now: shares
                           do not change as slots move */
    ALLOT__DUE_PLANNED, /* planned shares alone (E-21): what holders may claim from others */
    ALLOT__DUE_HELD     /* first planned shares, then slots they have, the best rank first, then by
                           ratio: a holder with its planned slots of all pools claims no slots that
                           others have and want */
} allot__due;

/* Fills in what holders ask for and deserve of all pools, nearest first. A holder that keeps shared
 * slots deserves those it uses. HELD also assigns used slots to pools anew. False: each holder's
 * share follows from what that holder asks for. */
bool allot__pools_due(allot__ledger *ledger, bool idle, allot__due by);

/* Fills in the columns of a pool's members for allot__pool_deserve. */
void allot__pool_fill(allot__ledger *ledger, const allot__share_pool *pool, allot__due by);

/* Slots that a holder deserves and lacks. */
static inline int64_t allot__due_short(const allot__holder *holder)
{
    int64_t lack = (int64_t)holder->due - holder->shared;
    return lack > 0 ? lack : 0;
}
/* The same, less slots in flight to it instead. */
static inline int64_t allot__due_lacks(const allot__holder *holder)
{
    int64_t lack = allot__due_short(holder) - holder->dropped;
    int64_t most = allot__holder_lacks(holder, holder->most);
    lack = allot__least(lack, most);
    return lack > 0 ? lack : 0;
}
/* The same for slots that it can have at once. */
static inline int64_t allot__due_wants(const allot__holder *holder)
{
    int64_t lack = allot__due_short(holder);
    int64_t most = allot__holder_wants(holder, holder->most);
    return allot__least(lack, most);
}

#endif
