/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* explain.c: a verdict in sentences, all of it read from the decision; a contract likewise. */
#include "engine/explain/explain.h"

#include <string.h>

#include "model/windows/window.h"
#include "engine/jobs/leases.h"
#include "engine/rows/order.h"

static void explain_held(const allot__explanation *about, const allot_plan *base, uint64_t held)
{
    allot__sentence list = {.len = 0};
    for (int32_t i = 0; i < allot_plan_windows(base); i++) {
        char window[200];
        if (held >> i & 1) {
            allot_plan_window_text(base, i, window, sizeof window);
            LIST(&list, "{}", window);
        }
    }
    SAY(about, "Now {?a window holds|windows hold}: {}.", list.items, list.text);
}

static void add_value(allot__sentence *to, const char *name, bool flag, int64_t before, int64_t now)
{
    allot__phrase was = allot__phrase_value(flag, before), is = allot__phrase_value(flag, now);
    LIST(to, "{} {} to {}", name, before != ALLOT_NONE ? was.text : "none",
         now != ALLOT_NONE ? is.text : "none");
}

/* Are peers of the consumer stated? */
static bool stated(const allot__vector *peers, int32_t consumer)
{
    const allot__peers *list = peers->items;
    for (size_t i = 0; i < peers->count; i++)
        if (list[i].consumer == consumer)
            return true;
    return false;
}

/* Lists what windows change for the consumer. */
static void add_columns(const allot__explanation *about, const allot_plan *base,
                        allot__sentence *to)
{
    const allot_plan *plan = about->decision->plan;
    const allot__group *group = &plan->groups[about->group];
    const allot__group *other = &base->groups[about->group];
    int32_t consumer = about->verdict.consumer;
    int32_t row = allot__row(base, about->group, consumer);
    bool lend = false, borrow = false;
    for (int32_t i = 0; i < plan->column_count; i++) {
        int32_t now = group->columns[i][about->row], before = other->columns[i][row];
        if (now != before) {
            allot_attribute column;
            allot_plan_column_at(base, i, &column);
            add_value(to, column.name, column.type == ALLOT_BOOLEAN, before, now);
        }
    }
    for (int32_t i = 0; i < allot_plan_windows(base); i++) {
        const allot__hours *hours = allot__hours_at(base, i);
        bool holds = plan->held >> i & allot__windows_of(base, about->group) >> i & 1;
        lend = lend || (holds && stated(&hours->lend, consumer));
        borrow = borrow || (holds && stated(&hours->borrow, consumer));
    }
    if (lend)
        LIST(to, "whom it lends to");
    if (borrow)
        LIST(to, "whom it borrows from");
}

/* Lists what windows change for the group. */
static void add_group(const allot__explanation *about, const allot_plan *base, allot__sentence *to)
{
    const allot__group *group = &about->decision->plan->groups[about->group];
    const allot__group *other = &base->groups[about->group];
    int64_t planned = allot_plan_group_slots(about->decision->plan, about->group);
    int64_t before = allot_plan_group_slots(base, about->group);
    if (planned != before)
        add_value(to, "planned slots", false, before, planned);
    const char *was = other->policy->name, *is = group->policy->name;
    if (group->policy == other->policy)
        return;
    if (strcmp(was, is) != 0)
        LIST(to, "policy {} to {}", was, is);
    else
        LIST(to, "options of its policy");
}

static void explain_windows(const allot__explanation *about)
{
    const allot_plan *base = allot__plan_base(about->decision->plan);
    uint64_t ours = base->windows ? allot__windows_of(base, about->group) : 0;
    uint64_t held = about->decision->plan->held & ours;
    if (ours == 0)
        return;
    if (held == 0) {
        SAY(about, "None of the plan's windows holds now.");
        return;
    }
    explain_held(about, base, held);
    allot__sentence own = {.len = 0}, all = {.len = 0};
    add_columns(about, base, &own);
    add_group(about, base, &all);
    SAY(about, "For {} that changes {}{?; for all |}{}.",
        allot__phrase_path(about, about->verdict.consumer).text,
        own.items > 0 ? own.text : "nothing", all.items > 0, all.text);
}

/* Finds what becomes of a leaf's pending tasks, if it has any. */
static int find_starting(allot__explanation *about, allot__arena *arena, allot__starting *out)
{
    const allot__whole *whole = about->work->whole;
    const allot__side *side = whole ? whole->sides[about->row] : NULL;
    if (!side || side->asker->waits == side->asker->going)
        return ALLOT_OK;
    about->starting = out;
    return allot__starting_find(side, arena, out);
}

static int explain(allot__explanation *about)
{
    allot__starting starting;
    allot__arena arena;
    allot__arena_init(&arena, about->decision->plan->engine);
    int status = find_starting(about, &arena, &starting);
    allot__arena_free(&arena);
    if (status != ALLOT_OK)
        return status;
    allot__trace(about->work, about->row, &about->levels);
    explain_windows(about);
    allot__explain_quota(about);
    allot__explain_changes(about);
    allot__explain_hosts(about);
    return ALLOT_OK;
}

int allot_explain(const allot_decision *decision, int32_t group, int32_t consumer,
                  void (*line)(void *ud, const char *text), void *ud)
{
    int32_t row = allot__decision_row(decision, group, consumer);
    if (row < 0 || !line || decision->last < ALLOT_STAGE_ORDERS)
        return ALLOT_EUSAGE;
    const allot__decided *decided = &decision->groups[group];
    allot__explanation about = {.decision = decision,
                                .decided = decided,
                                .work = &decided->work,
                                .rules = allot__rules_at(&decided->work, row),
                                .group = group,
                                .row = row,
                                .family = allot__family_of(&decided->work, row),
                                .siblings = allot__siblings_of(&decided->work, row),
                                .line = line,
                                .ud = ud};
    int status = allot_decision_verdict(decision, group, consumer, &about.verdict);
    if (status != ALLOT_OK)
        return status;
    if (decision->dispatched)
        return allot__explain_queue(&about, consumer);
    return explain(&about);
}

/* ---- A contract ------------------------------------------------------------------------------ */

static int64_t idle(const allot_lease_side *side)
{
    return side->available - side->used;
}

static void explain_side(const allot__explanation *about, const char *role, const char *name,
                         const allot_lease_side *side)
{
    SAY(about, "  {} {.100}: {} slot{|s}, {} used, {} idle{?; {} more are wanted there|}.", role,
        name, side->available, side->used, idle(side), side->demand >= 0, side->demand);
}

/* Both sides, before the cycle if something moves, and after it. */
static void explain_sides(const allot__explanation *about, const allot_lease *lease,
                          const allot_lease_part *part)
{
    allot_lease_side provider = part->now.provider;
    allot_lease_side consumer = part->now.consumer;
    int64_t to_consumer = part->to_consumer ? part->moved : -part->moved;
    provider.available += to_consumer;
    consumer.available -= to_consumer;
    SAY(about, part->moved > 0 ? "Before this cycle:" : "Its sides:");
    explain_side(about, "provider", lease->provider, &provider);
    explain_side(about, "consumer", lease->consumer, &consumer);
}

static void explain_moved(const allot__explanation *about, const allot_lease *lease,
                          const allot_lease_part *part)
{
    const allot_lease_side *from = part->to_consumer ? &part->now.provider : &part->now.consumer;
    const allot_lease_side *to = part->to_consumer ? &part->now.consumer : &part->now.provider;
    const char *donor = part->to_consumer ? lease->provider : lease->consumer;
    const char *receiver = part->to_consumer ? lease->consumer : lease->provider;
    bool policy = strcmp(part->reason, "policy") == 0;
    SAY(about,
        "{.100} has {} idle and {.100} {}{?, and the policy says who gives|, the side with more "
        "gives}: all {} idle ones go to {.100} (L-6).",
        donor, part->moved + idle(from), receiver, idle(to) - part->moved, policy, part->moved,
        receiver);
    explain_side(about, "now provider", lease->provider, &part->now.provider);
    explain_side(about, "now consumer", lease->consumer, &part->now.consumer);
    for (int32_t i = 0; i < part->place_count && i < 6; i++)
        SAY(about, "  on {.100}: {} (A-45).", part->places[i].name, part->places[i].slots);
}

/* ---- Why, and what next ---------------------------------------------------------------------- */

static void explain_why(const allot__explanation *about, const allot_lease *lease,
                        const allot_lease_part *part)
{
    static const struct {
        const char *reason, *text;
    } words[] = {
        {"offered", "It is offered: the consumer has one slot, and the lease is made once it uses "
                    "that (L-5)."},
        {"made", "The consumer uses its slot: the lease is made now (L-5)."},
        {"waits", "Nothing moves: it is not yet time to compare idle slots (L-6)."},
        {"equal", "Nothing moves: both have as many idle slots (L-6)."},
        {"inactive",
         "It rested for this cycle, as slots had moved: nothing is decided (L-7, A-43)."},
        {"no-demand", "Nothing moves: the side that would get slots wants none, and the contract "
                      "is damped (A-40)."},
        {"shrunk", "Hosts are down: it is smaller now, idle slots went first (A-44)."},
        {"grown", "Hosts are back: it is larger now, what is new is the provider's (A-44)."},
        {"exclusive",
         "It is exclusive: all is the consumer's but what the provider still uses (L-8)."},
    };
    const char *donor = part->to_consumer ? lease->provider : lease->consumer;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(part->reason, words[i].reason) == 0)
            SAY(about, words[i].text);
    if (strcmp(part->reason, "none-idle") == 0)
        SAY(about,
            "Nothing moves: the policy gives the idle slots of {.100} to {.100}, and there are "
            "none "
            "(L-6).",
            donor, part->to_consumer ? lease->consumer : lease->provider);
    if (strcmp(part->reason, "policy") == 0)
        SAY(about,
            "Nothing moves: the policy says so, though {.100} has {} idle and {.100} {} (L-6).",
            lease->provider, idle(&part->now.provider), lease->consumer, idle(&part->now.consumer));
}

static void explain_due(const allot__explanation *about, const allot_lease *lease,
                        const allot_lease_part *part)
{
    int64_t since = allot__ran(about->decision->state->now, part->now.since);
    if (!lease->shared || part->now.phase == ALLOT_LEASE_CONN)
        return;
    int64_t left = lease->reclaim_delay > since ? lease->reclaim_delay - since : 0;
    if (part->now.phase == ALLOT_LEASE_INACTIVE)
        SAY(about, "It rests until the next cycle: nothing starts on its idle slots (L-7).");
    SAY(about,
        "It is looked at {} s after it was made, changed or looked at last, which was {} s ago: in "
        "{} s (A-42).",
        lease->reclaim_delay, since, left);
}

int allot_explain_lease(const allot_decision *decision, int32_t lease,
                        void (*line)(void *ud, const char *text), void *ud)
{
    allot_lease of;
    allot_lease_part part;
    if (!decision || !line || allot_plan_lease_at(decision->plan, lease, &of) != ALLOT_OK ||
        allot_decision_lease(decision, lease, &part) != ALLOT_OK)
        return ALLOT_EUSAGE;
    allot__explanation about = {.decision = decision,
                                .work = &decision->groups[0].work,
                                .rules = &decision->groups[0].work.rules[0],
                                .line = line,
                                .ud = ud};
    SAY(&about, "Contract {.100}: {.100} lends {} slot{|s} to {.100}, {?shared|exclusive}; {}.",
        of.name, of.provider, of.slots, of.consumer, of.shared != 0,
        allot_lease_phase_name((int)part.now.phase));
    if (part.size != of.slots)
        SAY(&about, "Of these {} are on hosts that are open (A-44).", part.size);
    explain_sides(&about, &of, &part);
    if (part.moved > 0 && strcmp(part.reason, "shrunk") != 0)
        explain_moved(&about, &of, &part);
    else
        explain_why(&about, &of, &part);
    explain_due(&about, &of, &part);
    return ALLOT_OK;
}
