/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * ledger.h: quota, grants and recalls of leaves whose policy keeps a ledger (C-11).
 *
 * Rules, each over all holders in the order of (rank, plan order) before the next:
 *  0. what may not stay goes, whatever the demand: loans that lists, limits or less ownership
 *     forbid, pool slots beyond a limit or beyond what pools hold, slots above limits and the
 *     group's size. Such slots stay where they are if their holder can have them by rules 1 to 3;
 *     if the holder drains (rebalance 0) also if no holder needs them by rules 1 and 5. But
 *     slots that others give cannot come where a limit above, or the group, is full beyond them: so
 *     once a holder is to get some, what drains beyond a limit or size goes, too. What a switch of
 *     policies takes (H-16) goes before all others and cannot stay;
 *  0b. below a parent that has a limit, each holder is sure of what it uses and needs of its own:
 *     slots in use, then reserves, then the rest in order, as far as limits hold them. No other
 *     holder takes that room by the rules below; and slots of others beyond what they are sure of
 *     themselves make way for it, shared slots before borrowed ones. Own slots in use stay, and so
 *     do shared ones if rule 5 is left out, and slots that no holder comes by;
 *  1. own idle slots, up to what is needed; reserves first;
 *  2. idle slots of share pools, nearest first, up to the holder's share of the pool: first what
 *     rule 5 would take for it;
 *  3. idle slots of lenders, in the borrower's order;
 *  4. own lent slots, from the worst-ranked borrower, the later loan first;
 *  5. pool slots of holders that use more than their share: for planned shares, from the worst rank
 *     (E-21); if a policy adjusts shares to workload, by the ratio among holders that want some. If
 *     the group has fewer slots than are owned, what rules 1 and 2 have no slots for comes from
 *     these holders, too, in whatever pool, before pools settle: own slots first.
 * A policy can have 4 before 3, and can do without 5. Idle slots end where the group's do. Some
 * slots in flight to a holder may lose their claimant by rule 0: the holder still claims no others
 * in their place.
 */
#ifndef ALLOT_ENGINE_OWNERSHIP_LEDGER_H
#define ALLOT_ENGINE_OWNERSHIP_LEDGER_H

#include "engine/ownership/books.h"

/* Begins a ledger, work->ledger, if any policy of the group keeps one. ENOMEM. */
int allot__ledger_begin(allot__work *work);
/* Keeps the books of a group whose slots are at rest, for runs after which only demands change:
 * numbers that the policy reads of its leaves stay. ENOMEM, or what a function failed with. */
int allot__ledger_keep(allot__work *work);
/* Decides: writes the quotas of its leaves and of their parents, after those of all others; what it
 * grants, takes and lends stands in the ledger. ENOMEM, or what a policy's function failed with. */
int allot__ledger_run(allot__work *work);
/* Clears what came back for its leaves, once quotas are settled: it is in what they are granted. */
void allot__ledger_returned(allot__work *work);
/* Adds to received of its rows, no more than quotas and hosts have room for; returns how many. */
int64_t allot__ledger_received(allot__work *work);
/* What a holder gives back in all, once it is known what it may keep. */
static inline int32_t allot__ledger_gives(const allot__holder *holder)
{
    return holder->lost - holder->kept;
}

static inline bool allot__ledger_rules(const allot__rules *rules)
{
    return allot__policy_ledger(rules->policy);
}
/* Is it a row, or a family of rows, that a ledger decides about? Of the first level: all of it. */
static inline bool allot__ledger_at(const allot__work *work, int32_t row)
{
    return work->ledger != NULL && allot__ledger_rules(allot__rules_at(work, row));
}
static inline bool allot__ledger_family(const allot__work *work, int32_t family)
{
    return work->ledger != NULL &&
           (family == 0 ? work->ledger->all : allot__ledger_rules(allot__rules_of(work, family)));
}
/* A leaf's holder, or NULL. */
static inline const allot__holder *allot__ledger_holder(const allot__work *work, int32_t row)
{
    int32_t holder = work->ledger ? work->ledger->holder_of[row] : -1;
    return holder >= 0 ? &work->ledger->holders[holder] : NULL;
}
const char *allot__why_code(allot__why why);
const char *allot__why_text(allot__why why);
/* Why a leaf gives slots back, in the main: force first. */
allot__why allot__ledger_reason(const allot__work *work, int32_t row);
/* What a leaf held before the cycle, or NULL: no ledger is kept about it. */
const allot__held *allot__ledger_held(const allot__work *work, int32_t row);
/* Gives a copy of the work a ledger of its own, whose quotas are what is planned: as if no slots
 * were held. ENOMEM. */
int allot__ledger_plan(allot__work *work);
/* A row's parts after the fills of reserve and owned, from pools, and on loan; they sum to its
 * quota. */
void allot__ledger_parts(const allot__work *work, int32_t row, int64_t *part);

#endif
