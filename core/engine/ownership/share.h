/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * share.h: what each holder deserves of the share pools (C-11), which phase 2 gives where it
 * is idle and phase 5 takes where others have it.
 *
 * A holder asks for what it wants, up to its share limit; the holders below a parent that has a
 * limit ask together for no more than that holds beside what they own or borrow: first for what
 * they are sure of (ledger.h, 0b), then by share. Else others would have to leave them what they
 * cannot have. Pools are shared by what is asked.
 */
#ifndef ALLOT_ENGINE_OWNERSHIP_SHARE_H
#define ALLOT_ENGINE_OWNERSHIP_SHARE_H

#include "engine/ownership/books.h"

/* Fills in what holders ask for: of idle slots, no more than each can have at once; or of all. */
void allot__pools_ask(allot__ledger *ledger, bool idle);
/* What of pools holders deserve. Where a policy adjusts shares to workload it is always RATIO. */
typedef enum allot__due {
    ALLOT__DUE_RATIO,   /* by the ratio among holders that want some, whatever they use now, so that
                           it does not change as slots move towards it */
    ALLOT__DUE_PLANNED, /* their planned shares alone (E-21): what they may claim from others */
    ALLOT__DUE_HELD /* these first, then what they have, the worst rank losing first, then by ratio:
                       a holder with as much as is planned for it in all pools claims nothing that
                       others have and want */
} allot__due;

/* Fills in what holders ask for and deserve of all pools, nearest first. Where shared slots are
 * kept, what is used is deserved. By HELD what is used is put to pools anew. */
void allot__pools_due(allot__ledger *ledger, bool idle, allot__due by);

/* What a holder lacks of what it deserves. */
static inline int64_t allot__due_short(const allot__holder *holder)
{
    int64_t lack = (int64_t)holder->due - holder->shared;
    return lack > 0 ? lack : 0;
}
/* The same as far as nothing is on its way to it instead. */
static inline int64_t allot__due_lacks(const allot__holder *holder)
{
    int64_t lack = allot__due_short(holder) - holder->dropped;
    int64_t most = allot__holder_lacks(holder, holder->most);
    lack = allot__least(lack, most);
    return lack > 0 ? lack : 0;
}
/* The same of slots that it can have at once. */
static inline int64_t allot__due_wants(const allot__holder *holder)
{
    int64_t lack = allot__due_short(holder);
    int64_t most = allot__holder_wants(holder, holder->most);
    return allot__least(lack, most);
}

#endif
