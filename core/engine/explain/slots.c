/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* slots.c: the slots that a consumer holds, gets now, waits for, and gives back to other consumers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/least.h"
#include "engine/rows/enforce.h"
#include "engine/ownership/ledger.h"
#include "engine/hosts/hosts.h"
#include "engine/reclaim/reclaim.h"
#include "engine/explain/explain.h"

static void explain_holding(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    int64_t beyond = verdict->allocated - verdict->quota;
    allot__phrase holds = allot__phrase_slots(verdict->allocated);
    const char *whose = about->family != 0 ? "Its leaves hold" : "It holds";
    if (beyond > 0)
        allot__explain(about, "%s %s: %" PRId64 " above its quota.", whose, holds.text, beyond);
    else if (beyond < 0)
        allot__explain(about, "%s %s: %" PRId64 " below its quota.", whose, holds.text, -beyond);
    else
        allot__explain(about, "%s %s: its quota.", whose, holds.text);
    if (verdict->in_flight > 0) {
        allot__explain(about, "%" PRId64 " of these are already being given back (C-6).",
                       verdict->in_flight);
    }
}

/* What it holds on closed hosts. */
static void explain_closed(const allot__explanation *about)
{
    const allot__closed_slots *closed = about->work->closed;
    int64_t held = !closed              ? 0
                   : about->family != 0 ? closed->held_sum[about->family]
                                        : closed->held[about->row];
    if (held > 0) {
        allot__explain(
            about, "%" PRId64 " of these are on closed hosts: they count no more (E-34).", held);
    }
}

static void explain_grants(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    if (verdict->granted > 0) {
        allot__explain(about, "Of the idle slots it is granted %" PRId64 " now (C-5).",
                       verdict->granted);
    }
    const int32_t *returned = about->work->returned;
    if (returned && returned[about->row] > 0) {
        allot__explain(about,
                       "%" PRId32
                       " of what it receives came back from reclaims for it: nobody else "
                       "could have them.",
                       returned[about->row]);
    }
    int64_t reserved = verdict->held;
    if (about->starting) {
        allot__explain_starting(about);
        reserved -= allot__least(reserved, about->starting->held);
    }
    if (reserved > 0 && about->family != 0 && about->work->whole) {
        allot__explain(about, "Held idle for it and its leaves: %" PRId64 " (C-5, C-13).",
                       reserved);
    } else if (reserved > 0) {
        allot__explain(about, "Held idle for it: %" PRId64 ", reserved and not needed now (C-5).",
                       reserved);
    }
    if (verdict->earmarked > 0) {
        allot__explain(about, "%" PRId64 " more on their way from earlier reclaims are its own.",
                       verdict->earmarked);
    }
}

/* "at once", "within 60 s". */
static allot__phrase explain_grace(int64_t grace)
{
    allot__phrase words;
    snprintf(words.text, sizeof words.text, grace == 0 ? "at once" : "within %" PRId64 " s", grace);
    return words;
}

int64_t allot__explain_coming(const allot__explanation *about, const char *whom)
{
    int64_t coming = 0;
    for (int32_t i = 0; i < allot_decision_reclaims(about->decision); i++) {
        allot_reclaim reclaim;
        allot_decision_reclaim(about->decision, i, &reclaim);
        for (int32_t k = 0; reclaim.group == about->group && k < reclaim.claim_count; k++) {
            if (reclaim.claims[k].consumer != about->verdict.consumer)
                continue;
            coming += reclaim.claims[k].slots;
            allot__explain(about, "%s gives %" PRId64 " back for %s, %s (C-6).",
                           allot__phrase_path(about, reclaim.consumer).text,
                           reclaim.claims[k].slots, whom, explain_grace(reclaim.grace).text);
        }
    }
    return coming;
}

static void explain_options(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    int64_t target = allot__target(about->work, about->row);
    if (target > verdict->quota) {
        allot__explain(about,
                       "Its ownership shrank with the group; keep_shrunk_ownership lets it "
                       "keep %" PRId64 " (H-11).",
                       target);
    }
    const allot__work *work = about->work;
    int64_t going = work->in_flight ? work->in_flight[about->row] : 0;
    const allot__holder *holder = allot__ledger_holder(work, about->row);
    bool rounding =
        holder ? holder->rounding
               : work->allocated[about->row] - going > target && allot__over(work, about->row) == 0;
    if (about->rules->options[ALLOT_OPTION_HOLD_ROUNDING] && rounding) {
        allot__explain(about,
                       "hold_rounding holds back a reclaim that only rounding asks for (C-9).");
    }
}

/* What it keeps of what it is over, whatever is damped. */
static void explain_kept(const allot__explanation *about, const allot__damped *damped)
{
    if (damped->protected > 0) {
        allot__explain(about,
                       "Guards or hosts that drain protect %" PRId64 " of the %" PRId64
                       " it is over (C-8).",
                       damped->protected, damped->over);
    }
    int64_t kept = damped->over - about->work->reclaimed[about->row];
    kept = damped->elsewhere < kept ? damped->elsewhere : kept;
    if (kept > 0) {
        bool lost = about->work->hosts != NULL && about->work->hosts->lost[about->row] > 0;
        allot__explain(about,
                       "Of the %" PRId64 " it is over %" PRId64
                       " stay: %s that no consumer below its quota can use (E-30).",
                       damped->over, kept,
                       lost ? "no task tells their hosts, or they are on such"
                            : "they are on hosts");
    }
    if (damped->drains > 0) {
        allot__explain(about,
                       "Other windows hold now, but its `rebalance` is off: it drains, and %" PRId64
                       " are not taken at the switch (A-71).",
                       damped->drains);
    }
    if (damped->policy > 0) {
        allot__explain(about,
                       "Policy \"%s\" reclaims nothing: the %" PRId64
                       " it is over return by themselves (E-21).",
                       about->rules->policy->name, damped->policy);
    }
}

/* What damping lets it keep, and by which numbers. */
static void explain_damped(const allot__explanation *about, const allot__damped *damped)
{
    const allot__work *work = about->work;
    const int64_t *options = about->rules->options;
    if (damped->dead_zone > 0) {
        allot__explain(
            about, "dead_zone holds back the %" PRId64 " it is over: up to %" PRId64 " are let be.",
            damped->dead_zone, options[ALLOT_OPTION_DEAD_ZONE]);
    }
    if (damped->interval > 0) {
        const int64_t *given = work->state->groups[work->index].reclaimed_at;
        allot__explain(about,
                       "reclaim_interval holds back %" PRId64 ": it gave slots back at %" PRId64
                       ", and %" PRId64 " s must pass.",
                       damped->interval, given[about->verdict.consumer],
                       options[ALLOT_OPTION_RECLAIM_INTERVAL]);
    }
    if (damped->most_reclaimed > 0) {
        allot__explain(about,
                       "most_reclaimed holds back %" PRId64 ": of the %" PRId64
                       " it holds at most %" PRId64 " %% go in a cycle.",
                       damped->most_reclaimed, about->verdict.allocated,
                       options[ALLOT_OPTION_MOST_RECLAIMED]);
    }
}

void allot__explain_lacking(const allot__explanation *about, int64_t lacks)
{
    const allot__work *work = about->work;
    if (work->reach && work->reach[about->row] == 0) {
        allot__explain(about,
                       "It lacks %" PRId64
                       ", but no consumer above its quota is on hosts that serve it (E-30).",
                       lacks);
    } else if (work->reach && work->reach[about->row] < lacks) {
        allot__explain(about,
                       "It lacks %" PRId64
                       ", but on hosts that serve it others are over by no more "
                       "than %" PRId64 " (E-30).",
                       lacks, (int64_t)work->reach[about->row]);
    } else if (allot__deficit(work, about->row) == 0) {
        allot__explain(about,
                       "It lacks %" PRId64 ", since %" PRId64 "; claim_delay holds back its claim "
                       "until it has waited for %" PRId64 " s.",
                       lacks, about->verdict.waiting_since,
                       about->rules->options[ALLOT_OPTION_CLAIM_DELAY]);
    } else if (work->reach) {
        allot__explain(
            about,
            "It still lacks %" PRId64
            ": of what others are over on hosts that serve it the rest goes to others, or "
            "is held back.",
            lacks);
    } else if (work->kept && work->kept[0].held_back > 0) {
        allot__explain(about,
                       "It still lacks %" PRId64
                       ": what others are over is held back by guards or damping.",
                       lacks);
    } else {
        allot__explain(about,
                       "It still lacks %" PRId64
                       ": no consumer that could give them is above its quota.",
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
    return "no consumer may keep them";
}

/* Slots that go whatever the demand. */
static void explain_forced(const allot__explanation *about)
{
    const allot__work *work = about->work;
    if (work->forced && work->forced[about->row] > 0) {
        bool window = work->enforced->why[about->row] == ALLOT__FORCED_WINDOW;
        allot__explain(about, "%" PRId32 " of its slots must go whatever the demand: %s.",
                       work->forced[about->row],
                       window ? "other windows hold now (C-10)"
                              : "an attribute that is a limit does not hold them");
    }
}

/* Slots that no claimant waits for. */
static void explain_unowed(const allot__explanation *about, const allot_reclaim *reclaim)
{
    int64_t rest = reclaim->slots;
    for (int32_t k = 0; k < reclaim->claim_count; k++)
        rest -= reclaim->claims[k].slots;
    if (rest > 0)
        allot__explain(about, "  %" PRId64 " because %s.", rest, why_unowed(reclaim->reason));
}

/* The nearest node above it that takes slots because of its limit. */
static int32_t limited_by(const allot__explanation *about)
{
    const allot__work *work = about->work;
    const allot__tree *tree = work->tree;
    int32_t family = allot__tree_holding(tree->first, tree->families, about->row);
    while (family > 0) {
        int32_t parent = work->group->parent[family];
        if (work->limit[parent] != ALLOT_NONE && work->sums[family].ordered > 0)
            return parent;
        family = allot__tree_holding(tree->first, tree->families, parent);
    }
    return -1;
}

/* Slots that a limit takes, whatever the demand. */
static void explain_freed(const allot__explanation *about, int64_t freed)
{
    int32_t by = freed > 0 ? limited_by(about) : -1;
    if (by >= 0) {
        allot__explain(about,
                       "The limit of %s, %" PRId32 ", does not hold %" PRId64
                       " of them: they go to who lacks slots nearest above it%s.",
                       allot__phrase_path(about, allot__handle(about->work, by)).text,
                       about->work->limit[by], freed,
                       about->work->reach != NULL ? " and can use them (C-6, E-30)" : " (C-6)");
    }
}

static void explain_reclaim(const allot__explanation *about, const allot_reclaim *reclaim)
{
    if (strcmp(reclaim->reason, "closed-host") == 0) {
        allot__explain(about,
                       "It gives back %" PRId64 ", %s, because their hosts are closed (E-34).",
                       reclaim->slots, explain_grace(reclaim->grace).text);
        return;
    }
    const char *what =
        strcmp(reclaim->reason, "make-way") == 0 ? "for which it has others" : "it is over";
    allot__explain(about,
                   "It gives back %" PRId64 " of the %" PRId64 " %s, %s (C-7):", reclaim->slots,
                   reclaim->over, what, explain_grace(reclaim->grace).text);
    for (int32_t k = 0; k < reclaim->claim_count; k++) {
        allot__explain(about, "  %" PRId64 " for %s.", reclaim->claims[k].slots,
                       allot__phrase_path(about, reclaim->claims[k].consumer).text);
    }
    explain_unowed(about, reclaim);
    explain_freed(about, reclaim->freed);
}

/* What the consumer gives back, and to which consumers. */
static void explain_going(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    int64_t over = verdict->over - verdict->held_back;
    if (over > 0 && about->work->reclaimed[about->row] == 0) {
        allot__explain(about,
                       "It is over by %" PRId64 ", but no consumer is owed a slot: it keeps them.",
                       over);
    }
    for (int32_t i = 0; verdict->reclaimed > 0 && i < allot_decision_reclaims(about->decision);
         i++) {
        allot_reclaim reclaim;
        allot_decision_reclaim(about->decision, i, &reclaim);
        if (reclaim.group == about->group && reclaim.consumer == verdict->consumer)
            explain_reclaim(about, &reclaim);
    }
}

static void explain_parent(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    if (verdict->over > 0) {
        allot__explain(about,
                       "Its leaves are over by %" PRId64 " in all and give back %" PRId64 ".",
                       verdict->over, verdict->reclaimed);
    }
    if (verdict->deficit > 0) {
        allot__explain(about, "Below it %" PRId64 " are still lacking, its own reserve included.",
                       verdict->deficit);
        allot__explain_coming(about, "it"); /* for that reserve */
    }
}

void allot__explain_changes(const allot__explanation *about)
{
    explain_holding(about);
    explain_closed(about);
    explain_grants(about);
    if (about->family != 0) {
        explain_parent(about);
        return;
    }
    int64_t lacks = about->verdict.deficit;
    lacks -= lacks > 0 ? allot__explain_coming(about, "it") : 0;
    if (lacks > 0)
        allot__explain_lacking(about, lacks);
    explain_options(about);
    if (about->work->kept) {
        allot__damped damped;
        allot__damping(about->work, about->row, &damped);
        explain_kept(about, &damped);
        explain_damped(about, &damped);
        explain_forced(about);
    }
    explain_going(about);
}
