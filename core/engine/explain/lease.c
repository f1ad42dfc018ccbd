/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lease.c: a contract in sentences: both sides, which slots move and why, what comes next. */
#include "engine/explain/explain.h"

#include <string.h>

#include "engine/jobs/leases.h"
#include "engine/rows/order.h"

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

static void explain_next(const allot__explanation *about, const allot_lease *lease,
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
    explain_next(&about, &of, &part);
    return ALLOT_OK;
}
