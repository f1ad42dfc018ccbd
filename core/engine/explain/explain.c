/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* explain.c: the facts about a consumer, all of them read from the decision; and about a contract.
 */
#include "engine/explain/facts.h"

#include <string.h>

#include "base/least.h"
#include "engine/jobs/leases.h"
#include "model/windows/window.h"

/* ---- Windows --------------------------------------------------------------------------------- */

/* What windows change: a name, and the values before and now; none for ALLOT_NONE. */
static void put_change(const allot__explanation *about, const char *name, bool flag, int64_t before,
                       int64_t now)
{
    allot__facts_open(about, NULL, "{");
    FACTS(about, "name flag?", name, flag);
    if (before != ALLOT_NONE)
        FACTS(about, "before", before);
    if (now != ALLOT_NONE)
        FACTS(about, "now", now);
    allot__facts_end(about, "}");
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

/* What windows change for the consumer. */
static void put_columns(const allot__explanation *about, const allot_plan *base)
{
    const allot_plan *plan = about->decision->plan;
    const allot__group *group = &plan->groups[about->group];
    const allot__group *other = &base->groups[about->group];
    int32_t consumer = about->verdict.consumer;
    int32_t row = allot__row(base, about->group, consumer);
    bool lend = false, borrow = false;
    allot__facts_open(about, "columns", "[");
    for (int32_t i = 0; i < plan->column_count; i++) {
        int32_t now = group->columns[i][about->row], before = other->columns[i][row];
        if (now != before) {
            allot_attribute column;
            allot_plan_column_at(base, i, &column);
            put_change(about, column.name, column.type == ALLOT_BOOLEAN, before, now);
        }
    }
    allot__facts_end(about, "]");
    for (int32_t i = 0; i < allot_plan_windows(base); i++) {
        const allot__hours *hours = allot__hours_at(base, i);
        bool holds = plan->held >> i & allot__windows_of(base, about->group) >> i & 1;
        lend = lend || (holds && stated(&hours->lend, consumer));
        borrow = borrow || (holds && stated(&hours->borrow, consumer));
    }
    FACTS(about, "lend? borrow?", lend, borrow);
}

/* What windows change for the group. */
static void put_group(const allot__explanation *about, const allot_plan *base)
{
    const allot__group *group = &about->decision->plan->groups[about->group];
    const allot__group *other = &base->groups[about->group];
    int64_t planned = allot_plan_group_slots(about->decision->plan, about->group);
    int64_t before = allot_plan_group_slots(base, about->group);
    allot__facts_open(about, "group", "[");
    if (planned != before)
        put_change(about, "planned slots", false, before, planned);
    allot__facts_end(about, "]");
    if (group->policy != other->policy)
        FACTS(about, "policy_before policy_now", other->policy->name, group->policy->name);
}

static void explain_windows(const allot__explanation *about)
{
    const allot_plan *base = allot__plan_base(about->decision->plan);
    uint64_t ours = base->windows ? allot__windows_of(base, about->group) : 0;
    uint64_t held = about->decision->plan->held & ours;
    if (ours == 0)
        return;
    allot__facts_open(about, "windows", "{");
    allot__facts_open(about, "held", "[");
    for (int32_t i = 0; i < allot_plan_windows(base); i++) {
        char window[200];
        if (held >> i & 1) {
            allot_plan_window_text(base, i, window, sizeof window);
            allot__facts_item(about, window);
        }
    }
    allot__facts_end(about, "]");
    if (held != 0) {
        put_columns(about, base);
        put_group(about, base);
    }
    allot__facts_end(about, "}");
}

/* ---- A consumer ------------------------------------------------------------------------------ */

static int explain_consumer(allot__explanation *about)
{
    const allot_verdict *of = &about->verdict;
    const allot__whole *whole = about->work->whole;
    const allot__side *side = whole ? whole->sides[about->row] : NULL;
    FACTS(
        about, "path parent? demand need reserve quota allocated in_flight earmarked granted held",
        allot__path(about, of->consumer).text, about->family != 0, of->demand, of->need,
        of->reserve, of->quota, of->allocated, of->in_flight, of->earmarked, of->granted, of->held);
    FACTS(about, "over held_back reclaimed deficit barred own_used lent borrowed shared", of->over,
          of->held_back, of->reclaimed, of->deficit, of->barred, of->own_used, of->lent,
          of->borrowed, of->shared);
    allot__trace(about->work, about->row, &about->levels);
    explain_windows(about);
    allot__explain_quota(about);
    allot__explain_changes(about);
    allot__explain_hosts(about);
    return side && side->asker->waits != side->asker->going ? allot__explain_starting(about, side)
                                                            : ALLOT_OK;
}

static int facts_consumer(const allot_decision *decision, int32_t group, int32_t consumer,
                          allot__text *to)
{
    int32_t row = allot__decision_row(decision, group, consumer);
    if (row < 0 || decision->last < ALLOT_STAGE_ORDERS)
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
                                .to = to};
    int status = allot_decision_verdict(decision, group, consumer, &about.verdict);
    if (status != ALLOT_OK)
        return status;
    return decision->dispatched ? allot__explain_queue(&about, consumer) : explain_consumer(&about);
}

/* ---- A contract ------------------------------------------------------------------------------ */

static void put_side(const allot__explanation *about, const char *name, const char *who,
                     const allot_lease_side *side)
{
    OBJECT(about, name, "name available used demand", who, side->available, side->used,
           side->demand);
}

static int facts_lease(const allot_decision *decision, int32_t lease, allot__text *to)
{
    allot_lease of;
    allot_lease_part part;
    if (allot_plan_lease_at(decision->plan, lease, &of) != ALLOT_OK ||
        allot_decision_lease(decision, lease, &part) != ALLOT_OK)
        return ALLOT_EUSAGE;
    const allot__explanation about = {.decision = decision, .to = to};
    FACTS(&about, "name slots shared? phase size reason moved to_consumer?", of.name, of.slots,
          of.shared != 0, allot_lease_phase_name((int)part.now.phase), part.size, part.reason,
          part.moved, part.to_consumer != 0);
    put_side(&about, "provider", of.provider, &part.now.provider);
    put_side(&about, "consumer", of.consumer, &part.now.consumer);
    FACTS(&about, "delay since", of.reclaim_delay,
          allot__ran(decision->state->now, part.now.since));
    allot__facts_places(&about, "hosts", part.places, part.place_count, ALLOT__EXPLAIN_NAMED);
    return ALLOT_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

int allot_explain_facts(const allot_decision *decision, allot_subject subject, const char *id,
                        int32_t number, int32_t group, int (*sink)(void *, const char *, size_t),
                        void *ud)
{
    if (!decision || !sink || (!id && (subject == ALLOT_OF_TASK || subject == ALLOT_OF_JOB)))
        return ALLOT_EUSAGE;
    allot__text to = {.engine = decision->plan->engine};
    allot__text_add(&to, "{", 1);
    int status = subject == ALLOT_OF_TASK    ? allot__facts_task(decision, id, &to)
                 : subject == ALLOT_OF_JOB   ? allot__facts_job(decision, id, &to)
                 : subject == ALLOT_OF_LEASE ? facts_lease(decision, number, &to)
                                             : facts_consumer(decision, group, number, &to);
    allot__text_add(&to, "}", 1);
    status = status == ALLOT_OK && to.failed ? ALLOT_ENOMEM : status;
    if (status == ALLOT_OK && sink(ud, to.bytes, to.len) != 0)
        status = ALLOT_EIO;
    allot__text_free(&to);
    return status;
}
