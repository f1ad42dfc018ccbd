/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* slots.c: the slots that a consumer holds, gets now, waits for and gives back, and hosts. */
#include "engine/explain/explain.h"

#include <string.h>

#include "base/least.h"
#include "engine/hosts/hosts.h"
#include "engine/ownership/ledger.h"
#include "engine/reclaim/over.h"
#include "engine/reclaim/reclaim.h"
#include "engine/rows/enforce.h"

static void explain_holding(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    int64_t beyond = verdict->allocated - verdict->quota;
    allot__phrase holds = PHRASE("{} slot{|s}", verdict->allocated);
    const char *whose = about->family != 0 ? "Its leaves hold" : "It holds";
    if (beyond > 0)
        SAY(about, "{} {}: {} above its quota.", whose, holds.text, beyond);
    else if (beyond < 0)
        SAY(about, "{} {}: {} below its quota.", whose, holds.text, -beyond);
    else
        SAY(about, "{} {}: its quota.", whose, holds.text);
    if (verdict->in_flight > 0)
        SAY(about, "{} of these are already being given back (C-6).", verdict->in_flight);
}

/* Slots that it holds on closed hosts. */
static void explain_closed(const allot__explanation *about)
{
    const allot__closed_slots *closed = about->work->closed;
    int64_t held = !closed              ? 0
                   : about->family != 0 ? closed->held_sum[about->family]
                                        : closed->held[about->row];
    if (held > 0)
        SAY(about, "{} of these are on closed hosts: they count no more (E-34).", held);
}

/* Tasks that start, and tasks for which slots are held. */
static void explain_starting(const allot__explanation *about)
{
    const allot__starting *it = about->starting;
    if (it->starts.items > 0)
        SAY(about, "These tasks start: {} (C-13).", it->starts.text);
    if (it->held > 0)
        SAY(about, "Held idle for it: {}, until {} can start with all slots (C-13).", it->held,
            it->awaits.text);
    if (it->waits == 1)
        SAY(about, "1 of its tasks waits: {.100}.", it->next);
    else if (it->waits > 1)
        SAY(about, "{} of its tasks wait, {.100} first.", it->waits, it->next);
}

static void explain_grants(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    if (verdict->granted > 0)
        SAY(about, "Of the idle slots it is granted {} now (C-5).", verdict->granted);
    const int32_t *returned = about->work->returned;
    if (returned && returned[about->row] > 0)
        SAY(about,
            "{} of what it receives came back from reclaims for it: nobody else could have them.",
            returned[about->row]);
    int64_t reserved = verdict->held;
    if (about->starting) {
        explain_starting(about);
        reserved -= allot__least(reserved, about->starting->held);
    }
    if (reserved > 0 && about->family != 0 && about->work->whole)
        SAY(about, "Held idle for it and its leaves: {} (C-5, C-13).", reserved);
    else if (reserved > 0)
        SAY(about, "Held idle for it: {}, reserved and not needed now (C-5).", reserved);
    if (verdict->earmarked > 0)
        SAY(about, "{} more on their way from earlier reclaims are its own.", verdict->earmarked);
}

/* "at once", "within 60 s". */
static allot__phrase explain_grace(int64_t grace)
{
    return PHRASE("{?at once|within {} s}", grace == 0, grace);
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
            SAY(about, "{} gives {} back for {}, {} (C-6).",
                allot__phrase_path(about, reclaim.consumer).text, reclaim.claims[k].slots, whom,
                explain_grace(reclaim.grace).text);
        }
    }
    return coming;
}

static void explain_options(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    int64_t target = allot__target(about->work, about->row);
    if (target > verdict->quota)
        SAY(about,
            "Its ownership shrank with the group; keep_shrunk_ownership lets it keep {} (H-11).",
            target);
    const allot__work *work = about->work;
    int64_t going = work->in_flight ? work->in_flight[about->row] : 0;
    const allot__holder *holder = allot__ledger_holder(work, about->row);
    bool rounding =
        holder ? holder->rounding
               : work->allocated[about->row] - going > target && allot__over(work, about->row) == 0;
    if (about->rules->options[ALLOT_OPTION_HOLD_ROUNDING] && rounding)
        SAY(about, "hold_rounding holds back a reclaim that only rounding asks for (C-9).");
}

/* Slots over quota that it keeps, apart from damping. */
static void explain_kept(const allot__explanation *about, const allot__damped *damped)
{
    if (damped->protected > 0)
        SAY(about, "Guards or hosts that drain protect {} of the {} it is over (C-8).",
            damped->protected, damped->over);
    int64_t kept = damped->over - about->work->reclaimed[about->row];
    kept = damped->elsewhere < kept ? damped->elsewhere : kept;
    if (kept > 0) {
        bool lost = about->work->hosts != NULL && about->work->hosts->lost[about->row] > 0;
        SAY(about,
            "Of the {} it is over {} stay: {?no task tells their hosts, or they are on such|they "
            "are on hosts} that no consumer below its quota can use (E-30).",
            damped->over, kept, lost);
    }
    if (damped->drains > 0)
        SAY(about,
            "Other windows hold now, but its `rebalance` is off: it drains, and {} are not taken "
            "at the switch (A-71).",
            damped->drains);
    if (damped->policy > 0)
        SAY(about, "Policy \"{}\" reclaims nothing: the {} it is over return by themselves (E-21).",
            about->rules->policy->name, damped->policy);
}

/* Slots that damping lets it keep, and by which numbers. */
static void explain_damped(const allot__explanation *about, const allot__damped *damped)
{
    const allot__work *work = about->work;
    const int64_t *options = about->rules->options;
    if (damped->dead_zone > 0)
        SAY(about, "dead_zone holds back the {} it is over: up to {} are let be.",
            damped->dead_zone, options[ALLOT_OPTION_DEAD_ZONE]);
    if (damped->interval > 0) {
        const int64_t *given = work->state->groups[work->index].reclaimed_at;
        SAY(about, "reclaim_interval holds back {}: it gave slots back at {}, and {} s must pass.",
            damped->interval, given[about->verdict.consumer],
            options[ALLOT_OPTION_RECLAIM_INTERVAL]);
    }
    if (damped->most_reclaimed > 0)
        SAY(about, "most_reclaimed holds back {}: of the {} it holds at most {} % go in a cycle.",
            damped->most_reclaimed, about->verdict.allocated, options[ALLOT_OPTION_MOST_RECLAIMED]);
}

void allot__explain_lacking(const allot__explanation *about, int64_t lacks)
{
    const allot__work *work = about->work;
    if (work->reach && work->reach[about->row] == 0)
        SAY(about, "It lacks {}, but no consumer above its quota is on hosts that serve it (E-30).",
            lacks);
    else if (work->reach && work->reach[about->row] < lacks)
        SAY(about,
            "It lacks {}, but on hosts that serve it others are over by no more than {} (E-30).",
            lacks, work->reach[about->row]);
    else if (allot__deficit(work, about->row) == 0)
        SAY(about,
            "It lacks {}, since {}; claim_delay holds back its claim until it has waited for {} s.",
            lacks, about->verdict.waiting_since, about->rules->options[ALLOT_OPTION_CLAIM_DELAY]);
    else if (work->reach)
        SAY(about,
            "It still lacks {}: of what others are over on hosts that serve it the rest goes to "
            "others, or is held back.",
            lacks);
    else if (work->kept && work->kept[0].held_back > 0)
        SAY(about, "It still lacks {}: what others are over is held back by guards or damping.",
            lacks);
    else
        SAY(about, "It still lacks {}: no consumer that could give them is above its quota.",
            lacks);
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

/* Slots that are reclaimed whatever the demand. */
static void explain_forced(const allot__explanation *about)
{
    const allot__work *work = about->work;
    if (work->forced && work->forced[about->row] > 0) {
        bool window = work->enforced->why[about->row] == ALLOT__FORCED_WINDOW;
        SAY(about,
            "{} of its slots must go whatever the demand: {?other windows hold now (C-10)|an "
            "attribute that is a limit does not hold them}.",
            work->forced[about->row], window);
    }
}

/* Slots that no claimant waits for. */
static void explain_unowed(const allot__explanation *about, const allot_reclaim *reclaim)
{
    int64_t rest = reclaim->slots;
    for (int32_t k = 0; k < reclaim->claim_count; k++)
        rest -= reclaim->claims[k].slots;
    if (rest > 0)
        SAY(about, "  {} because {}.", rest, why_unowed(reclaim->reason));
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
    if (by >= 0)
        SAY(about,
            "The limit of {}, {}, does not hold {} of them: they go to who lacks slots nearest "
            "above it{? and can use them (C-6, E-30)| (C-6)}.",
            allot__phrase_path(about, allot__handle(about->work, by)).text, about->work->limit[by],
            freed, about->work->reach != NULL);
}

static void explain_reclaim(const allot__explanation *about, const allot_reclaim *reclaim)
{
    if (strcmp(reclaim->reason, "closed-host") == 0) {
        SAY(about, "It gives back {}, {}, because their hosts are closed (E-34).", reclaim->slots,
            explain_grace(reclaim->grace).text);
        return;
    }
    const char *what =
        strcmp(reclaim->reason, "make-way") == 0 ? "for which it has others" : "it is over";
    SAY(about, "It gives back {} of the {} {}, {} (C-7):", reclaim->slots, reclaim->over, what,
        explain_grace(reclaim->grace).text);
    for (int32_t k = 0; k < reclaim->claim_count; k++)
        SAY(about, "  {} for {}.", reclaim->claims[k].slots,
            allot__phrase_path(about, reclaim->claims[k].consumer).text);
    explain_unowed(about, reclaim);
    explain_freed(about, reclaim->freed);
}

/* What the consumer gives back, and to which consumers. */
static void explain_going(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    int64_t over = verdict->over - verdict->held_back;
    if (over > 0 && about->work->reclaimed[about->row] == 0)
        SAY(about, "It is over by {}, but no consumer is owed a slot: it keeps them.", over);
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
    if (verdict->over > 0)
        SAY(about, "Its leaves are over by {} in all and give back {}.", verdict->over,
            verdict->reclaimed);
    if (verdict->deficit > 0) {
        SAY(about, "Below it {} are still lacking, its own reserve included.", verdict->deficit);
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

/* A list of hosts is cut after so many. */
enum { SHOWN = 8 };

static const char *host_name(const allot__work *work, int32_t host)
{
    return work->state->tasks.sites[work->hosts->site[host]].name;
}

static void explain_required(const allot__explanation *about)
{
    const allot__group_hosts *hosts = about->work->hosts;
    int64_t slots = 0;
    int32_t host_count = 0;
    if (!hosts->asks || hosts->asks[about->row] < 0)
        return;
    const allot__requires *it = &hosts->requirements[hosts->asks[about->row]];
    const allot__requirement *of =
        (const allot__requirement *)it->policy->requirements.items + it->number;
    for (int32_t host = 0; host < hosts->count; host++) {
        bool met = it->met[host] != 0 && hosts->slots[host] > 0;
        host_count += met;
        slots += met ? hosts->slots[host] : 0;
    }
    SAY(about, "It requires \"{}\": {} host{|s} with {} slot{|s} meet{?s|} that.", of->name,
        host_count, slots, host_count);
}

static void explain_exclusive(const allot__explanation *about)
{
    const allot__work *work = about->work;
    const allot__group_hosts *hosts = work->hosts;
    int32_t exclusive = hosts->exclusive_of ? hosts->exclusive_of[about->row] : ALLOT_ROOT;
    if (exclusive != ALLOT_ROOT)
        SAY(about, "Hosts on which {} has a slot are closed to others (H-14).",
            allot__phrase_path(about, exclusive).text);
    for (int32_t host = 0; exclusive != ALLOT_ROOT && hosts->meant && host < hosts->count; host++) {
        if (hosts->meant[host] == exclusive && hosts->free[host] < hosts->slots[host])
            SAY(about, "Others are to leave {.200} for it: {} slots are in use there.",
                host_name(work, host), (hosts->slots[host] - hosts->free[host]));
    }
    if (hosts->blocked > 0)
        SAY(about,
            "{} slot{|s} of the group {is|are} on hosts that are closed to the consumers that want "
            "them: they are not divided (H-14).",
            hosts->blocked);
}

static void explain_places(const allot__explanation *about)
{
    const allot__group_hosts *hosts = about->work->hosts;
    const allot_place *places = hosts->places + hosts->place_first[about->row];
    int32_t count = hosts->place_count[about->row], shown = 0;
    allot__sentence text = {.len = 0};
    for (; shown < count && shown < SHOWN; shown++)
        LIST(&text, "{.24} ({})", places[shown].name, places[shown].slots);
    if (count > shown)
        SAY(about, "Its grant is on {} and {} hosts more.", text.text, (count - shown));
    else if (count > 0)
        SAY(about, "Its grant is on {}.", text.text);
    if (hosts->unplaced[about->row] > 0)
        SAY(about,
            "{} of its grant {is|are} on hosts that are not known: tasks do not tell theirs, or "
            "the state has more slots than hosts.",
            hosts->unplaced[about->row]);
}

/* Consumers that may stay on the hosts that would serve it. */
static void explain_blocked(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int64_t lack = work->room ? allot__lack(work, about->row) : 0;
    int32_t shown = 0;
    for (int32_t row = 0; row < work->tree->rows && lack > 0 && shown < SHOWN; row++) {
        bool other = row != about->row && allot__family_of(work, row) == 0;
        int64_t over = other ? allot__over(work, row) : 0;
        int64_t slots = other && work->allocated[row] > 0
                            ? allot__group_hosts_holds_for(work, row, about->row)
                            : 0;
        if (slots > over) {
            SAY(about,
                "On hosts that would serve it {} holds {}, no more than its quota lets it{?|: with "
                "make_way it would move, if it can run elsewhere} (H-18).",
                allot__phrase_path(about, allot__handle(work, row)).text, slots - over,
                work->group->options[ALLOT_OPTION_MAKE_WAY] != 0);
            shown++;
        }
    }
}

/* Slots that it gets beyond its quota. */
static void explain_lent(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int64_t moved = work->moved ? work->moved[about->row] : 0;
    int64_t lent = about->verdict.allocated + about->verdict.granted - moved;
    lent -= about->verdict.quota > about->verdict.allocated ? about->verdict.quota
                                                            : about->verdict.allocated;
    if (moved > 0)
        SAY(about,
            "It makes way: {} elsewhere for as many that it gives back, where others must run "
            "(H-19).",
            moved);
    if (lent > 0 && !work->ledger)
        SAY(about,
            "{} of its grant {is|are} lent: hosts keep those from them whose quota they would be "
            "(H-18).",
            lent);
}

void allot__explain_hosts(const allot__explanation *about)
{
    const allot__group_hosts *hosts = about->work->hosts;
    if (!hosts)
        return;
    explain_required(about);
    explain_exclusive(about);
    if (about->family != 0 || !hosts->places)
        return;
    explain_places(about);
    explain_lent(about);
    explain_blocked(about);
    if (about->verdict.barred > 0)
        SAY(about,
            "{} slot{|s} that it lacks {is|are} idle, but on no host that serves it: nobody is "
            "helped by granting them.",
            about->verdict.barred);
}
