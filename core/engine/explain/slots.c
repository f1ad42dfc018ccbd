/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* slots.c: what a consumer holds, gets now, waits for, and gives back, and to whom. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/rows/enforce.h"
#include "engine/ownership/ledger.h"
#include "engine/hosts/hosts.h"
#include "engine/reclaim/reclaim.h"
#include "engine/explain/explain.h"

static void tell_holding(const allot__teller *teller)
{
    const allot_verdict *verdict = &teller->verdict;
    int64_t beyond = verdict->allocated - verdict->quota;
    allot__phrase holds = allot__tell_slots(verdict->allocated);
    const char *whose = teller->family != 0 ? "Its leaves hold" : "It holds";
    if (beyond > 0)
        allot__tell(teller, "%s %s: %" PRId64 " above its quota.", whose, holds.text, beyond);
    else if (beyond < 0)
        allot__tell(teller, "%s %s: %" PRId64 " below its quota.", whose, holds.text, -beyond);
    else
        allot__tell(teller, "%s %s: its quota.", whose, holds.text);
    if (verdict->in_flight > 0) {
        allot__tell(teller, "%" PRId64 " of these are already being given back (C-6).",
                    verdict->in_flight);
    }
}

/* What it holds where nobody may hold anything any more. */
static void tell_closed(const allot__teller *teller)
{
    const allot__closed_slots *closed = teller->work->closed;
    int64_t held = !closed               ? 0
                   : teller->family != 0 ? closed->held_sum[teller->family]
                                         : closed->held[teller->row];
    if (held > 0) {
        allot__tell(teller, "%" PRId64 " of these are on closed hosts: they count no more (E-34).",
                    held);
    }
}

static void tell_grants(const allot__teller *teller)
{
    const allot_verdict *verdict = &teller->verdict;
    if (verdict->granted > 0) {
        allot__tell(teller, "Of the idle slots it is granted %" PRId64 " now (C-5).",
                    verdict->granted);
    }
    const int32_t *returned = teller->work->returned;
    if (returned && returned[teller->row] > 0) {
        allot__tell(teller,
                    "%" PRId32 " of what it receives came back from reclaims for it: nobody else "
                    "could have them.",
                    returned[teller->row]);
    }
    if (verdict->held > 0) {
        allot__tell(teller, "Held idle for it: %" PRId64 ", reserved and not needed now (C-5).",
                    verdict->held);
    }
    if (verdict->earmarked > 0) {
        allot__tell(teller, "%" PRId64 " more on their way from earlier reclaims are its own.",
                    verdict->earmarked);
    }
}

/* "at once", "within 60 s". */
static allot__phrase tell_grace(int64_t grace)
{
    allot__phrase words;
    snprintf(words.text, sizeof words.text, grace == 0 ? "at once" : "within %" PRId64 " s", grace);
    return words;
}

/* Whose slots this cycle reclaims for the consumer. */
static int64_t tell_coming(const allot__teller *teller)
{
    int64_t coming = 0;
    for (int32_t i = 0; i < allot_decision_reclaims(teller->decision); i++) {
        allot_reclaim reclaim;
        allot_decision_reclaim(teller->decision, i, &reclaim);
        for (int32_t k = 0; reclaim.group == teller->group && k < reclaim.claim_count; k++) {
            if (reclaim.claims[k].consumer != teller->verdict.consumer)
                continue;
            coming += reclaim.claims[k].slots;
            allot__tell(teller, "%s gives %" PRId64 " back for it, %s (C-6).",
                        allot__tell_path(teller, reclaim.consumer).text, reclaim.claims[k].slots,
                        tell_grace(reclaim.grace).text);
        }
    }
    return coming;
}

static void tell_options(const allot__teller *teller)
{
    const allot_verdict *verdict = &teller->verdict;
    int64_t target = allot__target(teller->work, teller->row);
    if (target > verdict->quota) {
        allot__tell(teller,
                    "Its ownership shrank with the group; keep_shrunk_ownership lets it "
                    "keep %" PRId64 " (H-11).",
                    target);
    }
    const allot__work *work = teller->work;
    int64_t going = work->in_flight ? work->in_flight[teller->row] : 0;
    const allot__holder *holder = allot__ledger_holder(work, teller->row);
    bool rounding = holder ? holder->rounding
                           : work->allocated[teller->row] - going > target &&
                                 allot__over(work, teller->row) == 0;
    if (teller->rules->options[ALLOT_OPTION_HOLD_ROUNDING] && rounding) {
        allot__tell(teller,
                    "hold_rounding holds back a reclaim that only rounding asks for (C-9).");
    }
}

/* What it keeps of what it is over, whatever is damped. */
static void tell_kept(const allot__teller *teller, const allot__damped *damped)
{
    if (damped->protected > 0) {
        allot__tell(teller,
                    "Guards or hosts that drain shelter %" PRId64 " of the %" PRId64
                    " it is over (C-8).",
                    damped->protected, damped->over);
    }
    int64_t kept = damped->over - teller->work->reclaimed[teller->row];
    kept = damped->elsewhere < kept ? damped->elsewhere : kept;
    if (kept > 0) {
        bool lost = teller->work->hosts != NULL && teller->work->hosts->lost[teller->row] > 0;
        allot__tell(teller,
                    "Of the %" PRId64 " it is over %" PRId64
                    " stay: %s that serve nobody who lacks slots (E-30).",
                    damped->over, kept,
                    lost ? "no task tells their hosts, or they are on such" : "they are on hosts");
    }
    if (damped->drains > 0) {
        allot__tell(teller,
                    "Other windows hold now, but its `rebalance` is off: it drains, and %" PRId64
                    " are not taken at the switch (A-71).",
                    damped->drains);
    }
    if (damped->policy > 0) {
        allot__tell(teller,
                    "Policy \"%s\" reclaims nothing: the %" PRId64
                    " it is over return by themselves (E-21).",
                    teller->rules->policy->name, damped->policy);
    }
}

/* What damping lets it keep, and by which numbers. */
static void tell_damped(const allot__teller *teller, const allot__damped *damped)
{
    const allot__work *work = teller->work;
    const int64_t *options = teller->rules->options;
    if (damped->dead_zone > 0) {
        allot__tell(teller,
                    "dead_zone holds back the %" PRId64 " it is over: up to %" PRId64
                    " are let be.",
                    damped->dead_zone, options[ALLOT_OPTION_DEAD_ZONE]);
    }
    if (damped->interval > 0) {
        const int64_t *given = work->state->groups[work->index].reclaimed_at;
        allot__tell(teller,
                    "reclaim_interval holds back %" PRId64 ": it gave slots back at %" PRId64
                    ", and %" PRId64 " s must pass.",
                    damped->interval, given[teller->verdict.consumer],
                    options[ALLOT_OPTION_RECLAIM_INTERVAL]);
    }
    if (damped->most_reclaimed > 0) {
        allot__tell(teller,
                    "most_reclaimed holds back %" PRId64 ": of the %" PRId64
                    " it holds at most %" PRId64 " %% go in a cycle.",
                    damped->most_reclaimed, teller->verdict.allocated,
                    options[ALLOT_OPTION_MOST_RECLAIMED]);
    }
}

/* Why it lacks slots that nobody gives it now. */
static void tell_lacking(const allot__teller *teller, int64_t lacks)
{
    const allot__work *work = teller->work;
    if (work->reach && work->reach[teller->row] == 0) {
        allot__tell(teller,
                    "It lacks %" PRId64
                    ", but nobody is over on hosts that are known to serve it (E-30).",
                    lacks);
    } else if (work->reach && work->reach[teller->row] < lacks) {
        allot__tell(teller,
                    "It lacks %" PRId64 ", but on hosts that serve it others are over by no more "
                    "than %" PRId64 " (E-30).",
                    lacks, (int64_t)work->reach[teller->row]);
    } else if (allot__deficit(work, teller->row) == 0) {
        allot__tell(teller,
                    "It lacks %" PRId64 ", since %" PRId64 "; claim_delay holds back its claim "
                    "until it has waited for %" PRId64 " s.",
                    lacks, teller->verdict.waiting_since,
                    teller->rules->options[ALLOT_OPTION_CLAIM_DELAY]);
    } else if (work->reach) {
        allot__tell(teller,
                    "It still lacks %" PRId64
                    ": of what others are over on hosts that serve it the rest goes to others, or "
                    "is held back.",
                    lacks);
    } else if (work->kept && work->kept[0].held_back > 0) {
        allot__tell(teller,
                    "It still lacks %" PRId64
                    ": what others are over is held back by guards or damping.",
                    lacks);
    } else {
        allot__tell(teller, "It still lacks %" PRId64 ": nobody is over who could give them.",
                    lacks);
    }
}

static const char *why_unowed(const char *reason)
{
    static const char *const reasons[][2] = {
        {"over-limit", "a limit above it does not hold them"},
        {"over-size", "the group has not so many"},
        {"over-window", "other windows hold now (C-10)"},
        {"over-attribute", "an attribute that is a limit does not hold them"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (strcmp(reason, reasons[i][0]) == 0)
            return reasons[i][1];
    return "nobody may keep them";
}

/* What goes whoever wants it. */
static void tell_forced(const allot__teller *teller)
{
    const allot__work *work = teller->work;
    if (work->forced && work->forced[teller->row] > 0) {
        bool window = work->enforced->why[teller->row] == ALLOT__FORCED_WINDOW;
        allot__tell(teller, "%" PRId32 " of its slots must go whatever the demand: %s.",
                    work->forced[teller->row],
                    window ? "other windows hold now (C-10)"
                           : "an attribute that is a limit does not hold them");
    }
}

/* Slots that nobody is owed. */
static void tell_unowed(const allot__teller *teller, const allot_reclaim *reclaim)
{
    int64_t rest = reclaim->slots;
    for (int32_t k = 0; k < reclaim->claim_count; k++)
        rest -= reclaim->claims[k].slots;
    if (rest > 0)
        allot__tell(teller, "  %" PRId64 " because %s.", rest, why_unowed(reclaim->reason));
}

/* The nearest node above it that takes slots because of its limit. */
static int32_t limited_by(const allot__teller *teller)
{
    const allot__work *work = teller->work;
    const allot__tree *tree = work->tree;
    int32_t family = allot__tree_holding(tree->first, tree->families, teller->row);
    while (family > 0) {
        int32_t parent = work->group->parent[family];
        if (work->limit[parent] != ALLOT_NONE && work->sums[family].ordered > 0)
            return parent;
        family = allot__tree_holding(tree->first, tree->families, parent);
    }
    return -1;
}

/* What a limit takes, whoever gets it. */
static void tell_freed(const allot__teller *teller, int64_t freed)
{
    int32_t by = freed > 0 ? limited_by(teller) : -1;
    if (by >= 0) {
        allot__tell(teller,
                    "The limit of %s, %" PRId32 ", does not hold %" PRId64
                    " of them: they go to who lacks slots nearest above it%s.",
                    allot__tell_path(teller, allot__handle(teller->work, by)).text,
                    teller->work->limit[by], freed,
                    teller->work->reach != NULL ? " and can use them (C-6, E-30)" : " (C-6)");
    }
}

static void tell_reclaim(const allot__teller *teller, const allot_reclaim *reclaim)
{
    if (strcmp(reclaim->reason, "closed-host") == 0) {
        allot__tell(teller, "It gives back %" PRId64 ", %s, because their hosts are closed (E-34).",
                    reclaim->slots, tell_grace(reclaim->grace).text);
        return;
    }
    const char *what =
        strcmp(reclaim->reason, "make-way") == 0 ? "for which it has others" : "it is over";
    allot__tell(teller,
                "It gives back %" PRId64 " of the %" PRId64 " %s, %s (C-7):", reclaim->slots,
                reclaim->over, what, tell_grace(reclaim->grace).text);
    for (int32_t k = 0; k < reclaim->claim_count; k++) {
        allot__tell(teller, "  %" PRId64 " for %s.", reclaim->claims[k].slots,
                    allot__tell_path(teller, reclaim->claims[k].consumer).text);
    }
    tell_unowed(teller, reclaim);
    tell_freed(teller, reclaim->freed);
}

/* What the consumer gives back, and to whom. */
static void tell_going(const allot__teller *teller)
{
    const allot_verdict *verdict = &teller->verdict;
    int64_t over = verdict->over - verdict->held_back;
    if (over > 0 && teller->work->reclaimed[teller->row] == 0) {
        allot__tell(teller, "It is over by %" PRId64 ", but nobody is owed a slot: it keeps them.",
                    over);
    }
    for (int32_t i = 0; verdict->reclaimed > 0 && i < allot_decision_reclaims(teller->decision);
         i++) {
        allot_reclaim reclaim;
        allot_decision_reclaim(teller->decision, i, &reclaim);
        if (reclaim.group == teller->group && reclaim.consumer == verdict->consumer)
            tell_reclaim(teller, &reclaim);
    }
}

static void tell_parent(const allot__teller *teller)
{
    const allot_verdict *verdict = &teller->verdict;
    if (verdict->over > 0) {
        allot__tell(teller, "Its leaves are over by %" PRId64 " in all and give back %" PRId64 ".",
                    verdict->over, verdict->reclaimed);
    }
    if (verdict->deficit > 0) {
        allot__tell(teller, "Below it %" PRId64 " are still lacking, its own reserve included.",
                    verdict->deficit);
        tell_coming(teller); /* for that reserve */
    }
}

void allot__tell_changes(const allot__teller *teller)
{
    tell_holding(teller);
    tell_closed(teller);
    tell_grants(teller);
    if (teller->family != 0) {
        tell_parent(teller);
        return;
    }
    int64_t lacks = teller->verdict.deficit;
    lacks -= lacks > 0 ? tell_coming(teller) : 0;
    if (lacks > 0)
        tell_lacking(teller, lacks);
    tell_options(teller);
    if (teller->work->kept) {
        allot__damped damped;
        allot__damping(teller->work, teller->row, &damped);
        tell_kept(teller, &damped);
        tell_damped(teller, &damped);
        tell_forced(teller);
    }
    tell_going(teller);
}
