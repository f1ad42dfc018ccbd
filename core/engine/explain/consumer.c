/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* consumer.c: ownership, need, quota, or a ledger's accounts; slots held, given and taken. */
#include "engine/explain/facts.h"

#include <string.h>

#include "base/least.h"
#include "engine/hosts/hosts.h"
#include "engine/ownership/ledger.h"
#include "engine/reclaim/over.h"
#include "engine/reclaim/reclaim.h"
#include "engine/rows/enforce.h"
#include "engine/rows/used.h"

static void explain_owned(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int64_t configured = work->configured[about->row];
    bool exact = about->rules->policy->exact || work->times == work->unit;
    FACTS(about, "no_ownership? configured planned_slots slots", work->group->no_ownership,
          configured, work->group->slots, work->slots);
    int32_t wildcard = allot_plan_wildcard_of(work->plan, allot__handle(work, about->row));
    if (wildcard >= 0)
        FACTS(about, "as", allot__path(about, wildcard).text);
    if (!exact)
        FACTS(about, "owned",
              allot__ratio_words((allot__u128)configured * (allot__u128)work->times,
                                 (allot__u128)work->unit)
                  .text);
}

/* The policy's rule of reserves, as far as it counts. */
static void explain_reserve(const allot__explanation *about)
{
    const allot__work *work = about->work;
    const allot_policy *policy = about->rules->policy;
    if (allot__is_reserve(policy->reserve))
        return;
    allot__facts_open(about, "reserves", "{");
    if (policy->reserve.kind == ALLOT_FROM_NUMBER)
        FACTS(about, "each", policy->reserve.value);
    else
        FACTS(about, "by", allot__explain_source(about, ALLOT_CONSUMERS, policy->reserve));
    FACTS(about, "slots policy", work->reserved[about->row], policy->name);
    allot__facts_end(about, "}");
}

/* What keeps its need below its demand: hosts, or a limit. */
static void explain_limit(const allot__explanation *about)
{
    const allot__work *work = about->work;
    allot_attribute column = {0};
    int32_t index, limit = work->limit[about->row];
    int32_t planned = allot__row_limit(work, about->row, &index);
    if (about->verdict.demand <= limit)
        return;
    FACTS(about, "limit", limit);
    if (work->hosts && limit < work->hosts->limit[about->row]) {
        FACTS(about, "limited", "others");
    } else if (limit < planned) {
        FACTS(about, "limited", "hosts");
    } else {
        allot_plan_column_at(work->plan, index, &column);
        FACTS(about, "column", column.name);
    }
}

static void explain_need(const allot__explanation *about)
{
    const allot_verdict *verdict = &about->verdict;
    const allot__enforced *enforced = about->work->enforced;
    bool raised = enforced && enforced->least && about->family == 0 &&
                  verdict->need > verdict->demand && enforced->least[about->row] == verdict->need;
    bool left_out = about->rules->leaves_out && verdict->need < verdict->demand &&
                    verdict->need < about->work->limit[about->row] &&
                    verdict->need == verdict->reserve;
    FACTS(about, "raised? left_out?", raised, left_out);
    explain_reserve(about);
    explain_limit(about);
}

static void explain_family(const allot__explanation *about)
{
    const allot__work *work = about->work;
    FACTS(about, "members", allot__family_size(work, about->siblings));
    if (about->siblings != 0) {
        int32_t above = work->group->parent[about->siblings];
        FACTS(about, "above above_quota", allot__path(about, allot__handle(work, above)).text,
              work->quota[above]);
    }
}

/* How much of the quota tasks that start whole can use, and leftovers for the next task. */
static void explain_whole(const allot__explanation *about)
{
    const allot__work *work = about->work;
    if (work->whole)
        FACTS(about, "used",
              about->family != 0 ? work->sums[about->family].demand
                                 : work->whole->demand[about->row]);
    FACTS(about, "whole_part", allot__whole_part(work, about->row));
}

static void explain_parts(const allot__explanation *about)
{
    allot__facts_open(about, "parts", "[");
    for (int32_t i = 0; i < about->verdict.parts; i++) {
        if (about->verdict.part[i] == 0)
            continue;
        OBJECT(
            about, NULL, "slots label", about->verdict.part[i],
            allot_decision_part_label(about->decision, about->group, about->verdict.consumer, i));
    }
    allot__facts_end(about, "]");
}

/* ---- Of a ledger ----------------------------------------------------------------------------- */

static void put_why(const allot__explanation *about, allot__why why)
{
    FACTS(about, "why code", allot__why_text(why), allot__why_code(why));
}

static void put_loan(const allot__explanation *about, const allot__lent *loan, bool lends)
{
    const allot__ledger *ledger = about->work->ledger;
    int32_t other = ledger->holders[lends ? loan->borrower : loan->lender].row;
    allot__facts_open(about, NULL, "{");
    FACTS(about, "lends? other slots before", lends,
          allot__path(about, allot__handle(about->work, other)).text, loan->slots, loan->before);
    put_why(about, loan->why);
    allot__facts_end(about, "}");
}

/* The loan's weights, and its own. */
static void explain_weight(const allot__explanation *about, const allot__holder *holder)
{
    const allot__fill *loan = allot__policy_part(about->rules->policy, ALLOT__LOAN);
    if (!holder || holder->borrow_weight < 0)
        return;
    allot__facts_open(about, "weighed", "{");
    if (loan->weight.kind != ALLOT_FROM_NUMBER)
        FACTS(about, "by", allot__explain_source(about, ALLOT_CONSUMERS, loan->weight));
    FACTS(about, "weight", holder->borrow_weight);
    allot__facts_end(about, "}");
}

static void explain_ledger(const allot__explanation *about)
{
    const allot__ledger *ledger = about->work->ledger;
    const allot__holder *holder = allot__ledger_holder(about->work, about->row);
    int32_t index = holder ? (int32_t)(holder - ledger->holders) : -1;
    explain_weight(about, holder);
    allot__facts_open(about, "loans", "[");
    for (int32_t i = 0; i < ledger->loan_count && holder; i++) {
        const allot__lent *loan = &ledger->loans[i];
        if (loan->lender == index || loan->borrower == index)
            put_loan(about, loan, loan->lender == index);
    }
    allot__facts_end(about, "]");
    allot__facts_open(about, "recalls", "[");
    for (int32_t i = holder ? holder->recalls : -1; i >= 0; i = ledger->recalls[i].older) {
        const allot__recall *recall = &ledger->recalls[i];
        if (recall->slots > recall->cut) {
            allot__facts_open(about, NULL, "{");
            FACTS(about, "slots", recall->slots - recall->cut);
            put_why(about, recall->why);
            allot__facts_end(about, "}");
        }
    }
    allot__facts_end(about, "]");
}

void allot__explain_quota(const allot__explanation *about)
{
    explain_owned(about);
    explain_need(about);
    if (allot__ledger_at(about->work, about->row)) {
        explain_ledger(about);
    } else {
        explain_family(about);
        allot__explain_fills(about);
    }
    explain_whole(about);
    explain_parts(about);
}

/* ---- Slots held, given and taken ------------------------------------------------------------- */

/* What it has used; and, where its policy reads use, over what that stands. */
static void explain_used(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int32_t named;
    bool owned;
    if (!work->used)
        return;
    const allot_decay *decay = &work->plan->fades->by;
    int64_t of = allot__used_of(work, about->row, &owned);
    allot__facts_open(about, "usage", "{");
    FACTS(about, "slot_seconds at period parts", work->used->usage[about->row], work->state->now,
          decay->period, decay->parts);
    if (allot__policy_reads_use(about->rules->policy, &named) & ALLOT__READS_OVER_SHARE)
        FACTS(about, "over_share of owned?",
              allot__used_value(work, ALLOT_USED_OVER_SHARE, about->row), of, owned);
    allot__facts_end(about, "}");
}

static void explain_holding(const allot__explanation *about)
{
    explain_used(about);
    const allot__work *work = about->work;
    const allot__closed_slots *closed = work->closed;
    if (closed)
        FACTS(about, "closed",
              about->family != 0 ? closed->held_sum[about->family] : closed->held[about->row]);
    if (work->returned)
        FACTS(about, "returned", work->returned[about->row]);
    FACTS(about, "whole?", work->whole != NULL);
}

void allot__explain_coming(const allot__explanation *about)
{
    allot__facts_open(about, "coming", "[");
    for (int32_t i = 0; i < allot_decision_reclaims(about->decision); i++) {
        allot_reclaim reclaim;
        allot_decision_reclaim(about->decision, i, &reclaim);
        for (int32_t k = 0; reclaim.group == about->group && k < reclaim.claim_count; k++) {
            if (reclaim.claims[k].consumer != about->verdict.consumer)
                continue;
            OBJECT(about, NULL, "from slots grace", allot__path(about, reclaim.consumer).text,
                   reclaim.claims[k].slots, reclaim.grace);
        }
    }
    allot__facts_end(about, "]");
}

/* The rules that keep claimants from taking slots. */
static const char *taking_rules(const allot__work *work)
{
    bool takes = false;
    for (int32_t i = 0; i < work->rules_count; i++)
        takes = takes || work->rules[i].policy->takes.count > 0;
    return !work->by_claimant ? "takes" : takes ? "takes, guards" : "guards";
}

void allot__explain_lacking(const allot__explanation *about)
{
    const allot__work *work = about->work;
    if (work->reach)
        FACTS(about, "reach", work->reach[about->row]);
    FACTS(about, "young?", allot__deficit(work, about->row) == 0);
    if (about->verdict.waiting_since != INT64_MIN)
        FACTS(about, "since", about->verdict.waiting_since);
    FACTS(about, "may_not_take? rules",
          work->untaken && work->untaken[about->row] > 0 && work->sums[0].over_left > 0,
          taking_rules(work));
    FACTS(about, "claim_delay kept_back?", about->rules->options[ALLOT_OPTION_CLAIM_DELAY],
          work->kept && work->kept[0].held_back > 0);
}

/* ---- What it keeps --------------------------------------------------------------------------- */

static void explain_options(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int64_t target = allot__target(work, about->row);
    int64_t going = work->in_flight ? work->in_flight[about->row] : 0;
    const allot__holder *holder = allot__ledger_holder(work, about->row);
    bool rounding =
        holder ? holder->rounding
               : work->allocated[about->row] - going > target && allot__over(work, about->row) == 0;
    FACTS(about, "target holds_rounding? none_may_take? kept_by", target,
          about->rules->options[ALLOT_OPTION_HOLD_ROUNDING] && rounding,
          work->untaken && work->sums[0].unmatched > 0, taking_rules(work));
}

/* Slots over quota that it keeps or must give, by which rules and numbers. */
static void explain_kept(const allot__explanation *about)
{
    const allot__work *work = about->work;
    const int64_t *options = about->rules->options;
    const int64_t *given = work->state->groups[work->index].reclaimed_at;
    allot__damped damped;
    allot__damping(work, about->row, &damped);
    allot__facts_open(about, "kept", "{");
    FACTS(about, "over protected elsewhere drains policy dead_zone interval most_reclaimed",
          damped.over, damped.protected, damped.elsewhere, damped.drains, damped.policy,
          damped.dead_zone, damped.interval, damped.most_reclaimed);
    FACTS(about, "lost? by zone seconds percent", work->hosts && work->hosts->lost[about->row] > 0,
          about->rules->policy->name, options[ALLOT_OPTION_DEAD_ZONE],
          options[ALLOT_OPTION_RECLAIM_INTERVAL], options[ALLOT_OPTION_MOST_RECLAIMED]);
    if (damped.interval > 0)
        FACTS(about, "gave_at", given[about->verdict.consumer]);
    if (work->forced && work->forced[about->row] > 0) {
        FACTS(about, "forced window?", work->forced[about->row],
              work->enforced->why[about->row] == ALLOT__FORCED_WINDOW);
    }
    allot__facts_end(about, "}");
}

/* ---- What it gives back ---------------------------------------------------------------------- */

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

static void put_reclaim(const allot__explanation *about, const allot_reclaim *reclaim)
{
    int32_t by = reclaim->freed > 0 ? limited_by(about) : -1;
    allot__facts_open(about, NULL, "{");
    FACTS(about, "reason slots over grace", reclaim->reason, reclaim->slots, reclaim->over,
          reclaim->grace);
    allot__facts_open(about, "claims", "[");
    for (int32_t k = 0; k < reclaim->claim_count; k++) {
        OBJECT(about, NULL, "to slots", allot__path(about, reclaim->claims[k].consumer).text,
               reclaim->claims[k].slots);
    }
    allot__facts_end(about, "]");
    if (by >= 0) {
        FACTS(about, "freed limited_by limit", reclaim->freed,
              allot__path(about, allot__handle(about->work, by)).text, about->work->limit[by]);
    }
    allot__facts_end(about, "}");
}

/* What the consumer gives back, and to which consumers. */
static void explain_going(const allot__explanation *about)
{
    FACTS(about, "gives", about->work->reclaimed[about->row]);
    allot__facts_open(about, "reclaims", "[");
    for (int32_t i = 0; (about->verdict.reclaimed > 0 || about->work->whole) &&
                        i < allot_decision_reclaims(about->decision);
         i++) {
        allot_reclaim reclaim;
        allot_decision_reclaim(about->decision, i, &reclaim);
        if (reclaim.group == about->group && reclaim.consumer == about->verdict.consumer)
            put_reclaim(about, &reclaim);
    }
    allot__facts_end(about, "]");
}

void allot__explain_changes(const allot__explanation *about)
{
    explain_holding(about);
    allot__explain_coming(about);
    if (about->family != 0)
        return;
    allot__explain_lacking(about);
    explain_options(about);
    if (about->work->kept)
        explain_kept(about);
    explain_going(about);
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

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
    FACTS(about, "requires meeting_hosts meeting_slots", of->name, host_count, slots);
}

static void explain_exclusive(const allot__explanation *about)
{
    const allot__work *work = about->work;
    const allot__group_hosts *hosts = work->hosts;
    int32_t exclusive = hosts->exclusive_of ? hosts->exclusive_of[about->row] : ALLOT_ROOT;
    FACTS(about, "blocked", hosts->blocked);
    if (exclusive == ALLOT_ROOT)
        return;
    FACTS(about, "exclusive", allot__path(about, exclusive).text);
    allot__facts_open(about, "leave", "[");
    for (int32_t host = 0; hosts->meant && host < hosts->count; host++) {
        int32_t used = hosts->slots[host] - hosts->free[host];
        if (hosts->meant[host] == exclusive && used > 0)
            OBJECT(about, NULL, "name slots", host_name(work, host), used);
    }
    allot__facts_end(about, "]");
}

/* Consumers that may stay on the hosts that would serve it. */
static void explain_blocked(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int64_t lack = work->room ? allot__lack(work, about->row) : 0;
    int32_t shown = 0;
    allot__facts_open(about, "in_the_way", "[");
    for (int32_t row = 0; row < work->tree->rows && lack > 0 && shown < ALLOT__EXPLAIN_HOSTS;
         row++) {
        bool other = row != about->row && allot__family_of(work, row) == 0;
        int64_t over = other ? allot__over(work, row) : 0;
        int64_t slots = other && work->allocated[row] > 0
                            ? allot__group_hosts_holds_for(work, row, about->row)
                            : 0;
        if (slots > over) {
            OBJECT(about, NULL, "path slots", allot__path(about, allot__handle(work, row)).text,
                   slots - over);
            shown++;
        }
    }
    allot__facts_end(about, "]");
    FACTS(about, "make_way?", work->group->options[ALLOT_OPTION_MAKE_WAY] != 0);
}

void allot__explain_hosts(const allot__explanation *about)
{
    const allot__work *work = about->work;
    const allot__group_hosts *hosts = work->hosts;
    if (!hosts)
        return;
    allot__facts_open(about, "hosts", "{");
    explain_required(about);
    explain_exclusive(about);
    if (about->family == 0 && hosts->places) {
        const allot_place *places = hosts->places + hosts->place_first[about->row];
        int32_t count = hosts->place_count[about->row];
        FACTS(about, "count", count);
        allot__facts_places(about, "places", places, count, ALLOT__EXPLAIN_HOSTS);
        FACTS(about, "unplaced moved ledger?", hosts->unplaced[about->row],
              work->moved ? work->moved[about->row] : 0, work->ledger != NULL);
        explain_blocked(about);
    }
    allot__facts_end(about, "}");
}
