/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * ledger.h: quota, grants and recalls of leaves whose policy keeps a ledger (C-11).
 *
 * Rules, each over all holders in the order of (rank, plan order) before the next:
 *  0. slots that may not stay go, whatever the demand: loans that lists, limits or less ownership
 *     forbid, pool slots beyond a limit or beyond what pools hold, slots above limits and the
 *     group's size. Such slots stay where they are if their holder can have them by rules 1 to 3;
 *     if the holder drains (rebalance 0) also if no holder needs them by rules 1 and 5. But
 *     below a full limit, or in a full group, slots that others give cannot come: once a holder is
 *     to get some there, draining slots beyond the limit or size go, too. Slots that a switch of
 *     policies takes (H-16) go before all others and cannot stay;
 *  0b. below a parent that has a limit, each holder is sure of the own slots that it uses or needs:
 *     slots in use, then reserves, then the rest in order, as far as limits hold them. No other
 *     holder takes that room by the rules below. Slots of others beyond those they are sure of make
 *     way for it, shared slots before borrowed ones. Own slots in use stay, and so do shared ones
 *     if rule 5 is left out, and slots that made way in vain;
 *  1. own idle slots, up to the need; reserves first;
 *  2. idle slots of share pools, nearest first, up to the holder's share of the pool: first slots
 *     that rule 5 would take for it;
 *  3. idle slots of lenders, in the borrower's order;
 *  4. own lent slots, from the worst-ranked borrower, the later loan first;
 *  5. pool slots of holders that use more than their share: for planned shares, from the worst rank
 *     (E-21); if a policy adjusts shares to workload, by the ratio among holders that want some. If
 *     the group has fewer slots than are owned, slots that rules 1 and 2 lack come from these
 *     holders, too, in any pool, before pools settle: own slots first.
 * A policy can have 4 before 3, and can do without 5. Idle slots are at most those of the group. A
 * holder whose slots in flight lose their claimant by rule 0 claims no others in their place.
 */
#ifndef ALLOT_ENGINE_OWNERSHIP_LEDGER_H
#define ALLOT_ENGINE_OWNERSHIP_LEDGER_H

#include "engine/ownership/books.h"

/* Begins work->ledger if any policy of the group keeps a ledger. ENOMEM. */
int allot__ledger_begin(allot__work *work);
/* Lets runs keep the books that they open, or no more. Only demands may change from run to run, not
 * what is held, nor columns that the policy reads. */
void allot__ledger_keep(allot__work *work, bool keep);
/* Sets whether only quotas are wanted of the next run. */
void allot__ledger_draft(allot__work *work, bool draft);
/* Decides, after the quotas of all other leaves: writes quotas of its leaves and their parents;
 * grants, recalls and loans are in the ledger. ENOMEM, or what a policy's function failed with. */
int allot__ledger_run(allot__work *work);
/* Could another run give a row so many slots if it demanded them, and no other row less than its
 * present quota? False only if it is certain: own slots in use stay, and borrowed ones unless their
 * lender lacks some. */
bool allot__ledger_could(const allot__work *work, int32_t row, int32_t target);
/* Clears work->returned of its leaves, once quotas are settled: grants include those slots. */
void allot__ledger_returned(allot__work *work);
/* Adds grants to received of its rows, within quotas and hosts' room; returns their sum. */
int64_t allot__ledger_received(allot__work *work);
/* Slots that a holder gives back, once `kept` is known. */
static inline int32_t allot__ledger_gives(const allot__holder *holder)
{
    return holder->lost - holder->kept;
}

static inline bool allot__ledger_rules(const allot__rules *rules)
{
    return allot__policy_ledger(rules->policy);
}
/* Does a ledger decide about a row, or a family? About the first level: only if it does of all. */
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
/* The main reason why a leaf gives slots back: force first. */
allot__why allot__ledger_reason(const allot__work *work, int32_t row);
/* A leaf's slots before the cycle; NULL: the leaf is not in a ledger. */
const allot__held *allot__ledger_held(const allot__work *work, int32_t row);
/* Gives a copy of the work a ledger of its own that computes planned quotas: as if no slots were
 * held. ENOMEM. */
int allot__ledger_plan(allot__work *work);
/* The parts of a row's quota: by the fills of reserve and owned, from pools, and on loan; they sum
 * to the quota. */
void allot__ledger_parts(const allot__work *work, int32_t row, int64_t *part);

#endif
