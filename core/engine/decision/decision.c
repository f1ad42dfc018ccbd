/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* decision.c: reads what a cycle decided, and changes nothing. */
#include "engine/decision/decision.h"

#include "base/getter.h"
#include "engine/ownership/ledger.h"
#include "engine/placement/place.h"
#include "engine/rows/enforce.h"
#include "engine/rows/used.h"
#include "engine/reclaim/reclaim.h"
#include "engine/quota/trace.h"
#include "engine/whole/whole.h"

ALLOT__GETTER(const allot_plan *, allot_decision_plan, allot_decision, it->plan, NULL)
ALLOT__GETTER(const allot_state *, allot_decision_state, allot_decision, it->state, NULL)
ALLOT__GETTER(int64_t, allot_decision_now, allot_decision, it->state->now, 0)
ALLOT__GETTER(const char *, allot_decision_full, allot_decision, it->full, NULL)

int32_t allot__decision_row(const allot_decision *decision, int32_t group, int32_t consumer)
{
    if (group < 0 || group >= decision->plan->group_count || consumer < 0 ||
        consumer >= decision->plan->tree.rows)
        return -1;
    return allot__row(decision->plan, group, consumer);
}

static int64_t allocated_of(const allot__work *work, int32_t row)
{
    return work->allocated[row] + (work->closed ? work->closed->held[row] : 0);
}

/* Adds slots on closed hosts: they are held, and reclaimed by force. */
static void closed_verdict(const allot__work *work, int32_t row, allot_stage last,
                           allot_verdict *out)
{
    int32_t family = allot__family_of(work, row);
    int64_t held = family == 0 ? work->closed->held[row] : work->closed->held_sum[family];
    int64_t flying = family == 0 ? work->closed->flying[row] : work->closed->flying_sum[family];
    out->allocated += held;
    out->in_flight += flying;
    if (last >= ALLOT_STAGE_ORDERS) {
        out->reclaimed += held - flying;
        out->forced += held - flying;
    }
}

/* Slots over quota that a leaf keeps, and slots that it must give by force. */
static void kept_verdict(const allot__work *work, int32_t row, allot_verdict *out)
{
    allot__damped damped;
    allot__damping(work, row, &damped);
    int64_t may = damped.may > out->reclaimed ? damped.may : out->reclaimed;
    out->over = damped.over;
    out->held_back = damped.over > may ? damped.over - may : 0;
    if (work->forced)
        out->forced = work->forced[row] < out->reclaimed ? work->forced[row] : out->reclaimed;
}

/* Results of stages that have not run stay 0. */
static void leaf_verdict(const allot__work *work, int32_t row, allot_stage last, allot_verdict *out)
{
    out->demand = work->whole ? work->whole->stated[row] : work->demand[row];
    out->need = work->whole ? work->whole->need[row] : work->need[row];
    out->allocated = work->allocated[row];
    out->in_flight = work->in_flight ? work->in_flight[row] : 0;
    out->earmarked = work->earmarked ? work->earmarked[row] : 0;
    if (last >= ALLOT_STAGE_DISTRIBUTE) {
        out->granted = allot__granted(work, row);
        out->held = out->received - out->granted;
        out->barred = allot__barred(work, row);
    }
    if (last >= ALLOT_STAGE_RECLAIM) {
        out->over = work->over[row];
        out->deficit = allot__lack(work, row);
        out->reclaimed = work->reclaimed[row];
        out->waiting_since = allot__waiting_since(work, row);
    }
    if (last >= ALLOT_STAGE_RECLAIM && work->kept)
        kept_verdict(work, row, out);
}

static void parent_verdict(const allot__work *work, int32_t family, allot_stage last,
                           allot_verdict *out)
{
    const allot__sums *sums = &work->sums[family];
    out->demand = work->whole ? work->whole->sums[family].demand : sums->demand;
    out->need = work->whole ? work->whole->sums[family].need : sums->need;
    out->allocated = sums->allocated;
    out->in_flight = sums->in_flight;
    out->earmarked = sums->earmarked;
    if (last >= ALLOT_STAGE_ORDERS) {
        out->granted = out->received - sums->held;
        out->held = sums->held;
    }
    if (last >= ALLOT_STAGE_RECLAIM) {
        out->over = sums->over;
        out->deficit = sums->deficit;
        out->reclaimed = sums->given;
    }
    if (last >= ALLOT_STAGE_RECLAIM && work->kept) {
        out->over = work->kept[family].over;
        out->held_back = work->kept[family].held_back;
        out->deficit += work->kept[family].unserved;
    }
}

static void quota_verdict(const allot__work *work, int32_t row, allot_verdict *out)
{
    allot__levels levels;
    allot__trace(work, row, &levels);
    allot__u128 whole = (allot__u128)allot__whole_part(work, row);
    out->exact = allot__ratio(levels.level[levels.fills - 1] + whole * levels.denominator,
                              levels.denominator);
    out->quota = work->quota[row];
    out->parts = levels.fills;
    for (int32_t i = 0; i < levels.fills; i++)
        out->part[i] = levels.part[i];
    if (whole > 0)
        out->part[out->parts++] = (int64_t)whole;
}

static void watched_verdict(const allot__decided *decided, int32_t row, allot_verdict *out)
{
    allot__watched watched;
    allot__monitor_row(&decided->work, &decided->monitor, row, &watched);
    out->own_used = watched.own_used;
    out->lent = watched.lent;
    out->borrowed = watched.borrowed;
    out->shared = watched.shared;
    out->planned = watched.planned;
}

int allot_decision_verdict(const allot_decision *decision, int32_t group, int32_t consumer,
                           allot_verdict *out)
{
    int32_t row = allot__decision_row(decision, group, consumer);
    if (row < 0)
        return ALLOT_EUSAGE;
    if (decision->dispatched) {
        allot__queue_verdict(decision, consumer, out);
        return ALLOT_OK;
    }
    if (allot__decision_figures(decision) != ALLOT_OK)
        return ALLOT_ENOMEM;
    const allot__decided *decided = &decision->groups[group];
    const allot__work *work = &decided->work;
    *out = (allot_verdict){.consumer = consumer,
                           .reserve = work->reserve[row],
                           .waiting_since = INT64_MIN,
                           .owned = allot__trace_owned(work, row),
                           .received =
                               decision->last >= ALLOT_STAGE_DISTRIBUTE ? work->received[row] : 0};
    int32_t family = allot__family_of(work, row);
    if (family == 0)
        leaf_verdict(work, row, decision->last, out);
    else
        parent_verdict(work, family, decision->last, out);
    if (work->closed)
        closed_verdict(work, row, decision->last, out);
    out->free = decided->free_slots ? decided->free_slots[row] : 0;
    if (work->used) {
        out->usage = work->used->usage[row];
        out->usage_rest = allot__used_rest(work, row);
    }
    quota_verdict(work, row, out);
    if (decided->monitor.sums)
        watched_verdict(decided, row, out);
    return ALLOT_OK;
}

/* What leaves keep over quota, and slots on closed hosts. */
static void mend_brief(const allot__work *work, int32_t row, allot_stage last, allot_brief *out)
{
    allot_verdict of = {.over = out->over, .reclaimed = out->reclaimed};
    if (last >= ALLOT_STAGE_RECLAIM && work->kept)
        kept_verdict(work, row, &of);
    if (work->closed)
        closed_verdict(work, row, last, &of);
    out->over = of.over;
    out->reclaimed = of.reclaimed;
    out->held_back = of.held_back;
}

int allot_decision_brief(const allot_decision *decision, int32_t group, int32_t consumer,
                         allot_brief *out)
{
    int32_t row = allot__decision_row(decision, group, consumer);
    if (row < 0 || decision->dispatched ||
        allot__family_of(&decision->groups[group].work, row) != 0)
        return ALLOT_EUSAGE;
    const allot__work *work = &decision->groups[group].work;
    bool reclaims = decision->last >= ALLOT_STAGE_RECLAIM;
    *out = (allot_brief){.quota = work->quota[row],
                         .over = reclaims ? work->over[row] : 0,
                         .reclaimed = reclaims ? work->reclaimed[row] : 0,
                         .waiting_since = reclaims ? allot__waiting_since(work, row) : INT64_MIN,
                         .exhausted = work->whole && work->whole->exhausted[row]};
    if (decision->last >= ALLOT_STAGE_DISTRIBUTE)
        out->held = work->received[row] - allot__granted(work, row);
    if (work->closed || (reclaims && work->kept))
        mend_brief(work, row, decision->last, out);
    return ALLOT_OK;
}

const char *allot_decision_part_label(const allot_decision *decision, int32_t group,
                                      int32_t consumer, int32_t i)
{
    const allot_policy *policy = allot_plan_consumer_policy(decision->plan, group, consumer);
    if (policy && !decision->dispatched && i == policy->fill_count)
        return "whole";
    return policy ? allot_policy_fill_label(policy, i) : NULL;
}

/* ---- Lists of all groups --------------------------------------------------------------------- */

/* The length of a group's part of a list. */
typedef int32_t length_of(const allot__decided *decided);

static int32_t grants_of(const allot__decided *decided)
{
    return decided->orders.grant_count;
}

static int32_t reclaims_of(const allot__decided *decided)
{
    return decided->orders.reclaim_count;
}

static int32_t loans_of(const allot__decided *decided)
{
    return decided->work.ledger ? decided->work.ledger->loan_count : 0;
}

static int32_t count_all(const allot_decision *decision, length_of *length)
{
    int32_t count = 0;
    for (int32_t group = 0; group < decision->plan->group_count; group++)
        count += length(&decision->groups[group]);
    return count;
}

/* The group that has the i-th item, and *i its place there; NULL: none has. */
static const allot__decided *find(const allot_decision *decision, length_of *length, int32_t *i)
{
    for (int32_t group = 0; *i >= 0 && group < decision->plan->group_count; group++) {
        if (*i < length(&decision->groups[group]))
            return &decision->groups[group];
        *i -= length(&decision->groups[group]);
    }
    return NULL;
}

int32_t allot_decision_grants(const allot_decision *decision)
{
    return count_all(decision, grants_of);
}

static void places(const allot__group_hosts *hosts, int32_t row, allot_grant *out)
{
    if (hosts) {
        out->places = hosts->places + hosts->place_first[row];
        out->place_count = hosts->place_count[row];
        out->unplaced = hosts->unplaced[row];
    } else {
        out->unplaced = out->slots;
    }
}

/* Lists the tasks that start, if some wait. */
static void tasks(const allot__work *work, int32_t row, allot_grant *out)
{
    if (work->whole && work->whole->sides[row]) {
        out->tasks = work->whole->starts + work->whole->start_first[row];
        out->task_count = work->starting[row];
    }
}

int allot_decision_grant(const allot_decision *decision, int32_t i, allot_grant *out)
{
    const allot__decided *decided = find(decision, grants_of, &i);
    if (!decided)
        return ALLOT_EUSAGE;
    const allot__work *work = &decided->work;
    int32_t row = decided->orders.grants[i];
    *out = (allot_grant){.group = work->index,
                         .consumer = allot__handle(work, row),
                         .slots = allot__granted(work, row)};
    tasks(work, row, out);
    places(work->hosts, row, out);
    return ALLOT_OK;
}

int32_t allot_decision_reclaims(const allot_decision *decision)
{
    return count_all(decision, reclaims_of);
}

/* Slots that a leaf is over quota, those that it keeps included. */
static int64_t over_of(const allot__work *work, int32_t row)
{
    allot__damped damped = {.over = work->over[row]};
    if (work->kept)
        allot__damping(work, row, &damped);
    return damped.over;
}

static bool is_forced(const allot__work *work, int32_t row)
{
    return work->forced != NULL && work->forced[row] > 0;
}

static const char *forced_reason(const allot__work *work, int32_t row)
{
    bool window = work->enforced->why[row] == ALLOT__FORCED_WINDOW;
    return window ? "over-window" : "over-attribute";
}

/* Does it give back only slots for which it got others on other hosts? */
static bool makes_way(const allot__work *work, int32_t row)
{
    return work->moved != NULL && work->moved[row] > 0 && over_of(work, row) <= work->moved[row];
}

int allot_decision_reclaim(const allot_decision *decision, int32_t i, allot_reclaim *out)
{
    const allot__decided *decided = find(decision, reclaims_of, &i);
    if (!decided)
        return ALLOT_EUSAGE;
    const allot__work *work = &decided->work;
    const allot__order_back *order = &decided->orders.reclaims[i];
    *out = (allot_reclaim){.group = work->index,
                           .consumer = allot__handle(work, order->row),
                           .slots = order->slots,
                           .grace = order->grace,
                           .deadline = allot__grace_end(decision->state, order->grace),
                           .allocated = allocated_of(work, order->row),
                           .quota = work->quota[order->row],
                           .target = allot__target(work, order->row),
                           .over = over_of(work, order->row),
                           .freed = order->freed,
                           .claims = decided->orders.claims + order->first,
                           .claim_count = order->count,
                           .tasks = order->tasks,
                           .task_count = order->task_count,
                           .lost = order->lost,
                           .unknown = order->unknown,
                           .pending = order->unowed & ALLOT__BY_INSIDE ? order->pending : -1};
    out->reason = order->unowed & ALLOT__BY_CLOSED   ? "closed-host"
                  : order->unowed & ALLOT__BY_INSIDE ? "inside"
                  : is_forced(work, order->row)      ? forced_reason(work, order->row)
                  : order->unowed & ALLOT__BY_LIMIT  ? "over-limit"
                  : order->unowed & ALLOT__BY_SIZE   ? "over-size"
                  : makes_way(work, order->row)      ? "make-way"
                                                     : "over-quota";
    if (!(order->unowed & (ALLOT__BY_CLOSED | ALLOT__BY_INSIDE)) &&
        allot__ledger_holder(work, order->row))
        out->reason = allot__why_code(allot__ledger_reason(work, order->row));
    return ALLOT_OK;
}

int allot_decision_session(const allot_decision *decision, int32_t session, allot_session_part *out)
{
    if (session < 0 || session >= allot_state_sessions(decision->state))
        return ALLOT_EUSAGE;
    if (decision->session_quota && allot__decision_figures(decision) != ALLOT_OK)
        return ALLOT_ENOMEM;
    *out = (allot_session_part){.session = session,
                                .allocated = decision->state->tasks.session_held[session]};
    if (decision->session_quota) {
        out->need = decision->session_need[session];
        out->quota = decision->session_quota[session];
    }
    return ALLOT_OK;
}

int32_t allot_decision_loans(const allot_decision *decision)
{
    return count_all(decision, loans_of);
}

int allot_decision_loan(const allot_decision *decision, int32_t i, allot_loan_change *out)
{
    const allot__decided *decided = find(decision, loans_of, &i);
    if (!decided)
        return ALLOT_EUSAGE;
    const allot__work *work = &decided->work;
    const allot__lent *loan = &work->ledger->loans[i];
    *out = (allot_loan_change){
        .group = work->index,
        .lender = allot__handle(work, work->ledger->holders[loan->lender].row),
        .borrower = allot__handle(work, work->ledger->holders[loan->borrower].row),
        .slots = loan->slots,
        .before = loan->before,
        .reason = allot__why_code(loan->why)};
    return ALLOT_OK;
}

/* ---- Reclaims in flight ---------------------------------------------------------------------- */

ALLOT__GETTER(int32_t, allot_decision_flights, allot_decision, it->flown.count, 0)

int allot_decision_flight(const allot_decision *decision, int32_t i, allot_flight *out)
{
    if (i < 0 || i >= decision->flown.count)
        return ALLOT_EUSAGE;
    const allot__flight *flight = (const allot__flight *)decision->state->flights.items + i;
    const allot__flown *flown = &decision->flown.flights[i];
    *out = (allot_flight){.id = flight->id,
                          .group = flight->group,
                          .consumer = flight->consumer,
                          .slots = flight->slots,
                          .returned = flown->returned,
                          .deadline = flown->deadline,
                          .left = flown->left,
                          .phase = flown->phase};
    return ALLOT_OK;
}

ALLOT__GETTER(int32_t, allot_decision_kills, allot_decision, it->flown.kill_count, 0)

int allot_decision_kill(const allot_decision *decision, int32_t i, allot_kill *out)
{
    if (i < 0 || i >= decision->flown.kill_count)
        return ALLOT_EUSAGE;
    *out = (allot_kill){
        .task = allot__task_first(&decision->state->tasks, decision->flown.kills[i].task),
        .flight = decision->flown.kills[i].flight,
        .reason = "grace-over"};
    return ALLOT_OK;
}

/* ---- A group as a whole ---------------------------------------------------------------------- */

/* Sums up the first level. `owned` is exact: as planned or scaled, depending on the policy. */
static void add_up(const allot__work *work, allot_totals *out)
{
    allot__u128 owned = (allot__u128)work->exact * (allot__u128)work->unit +
                        (allot__u128)(work->owned - work->exact) * (allot__u128)work->times;
    out->owned = allot__ratio(owned, (allot__u128)work->unit);
    out->reserve = work->sums[0].reserve;
    out->demand = work->whole ? work->whole->sums[0].demand : work->sums[0].demand;
    out->allocated = work->sums[0].allocated;
    if (work->closed)
        out->allocated += work->closed->held_sum[0];
}

static void watch(const allot__watched *sums, allot_totals *out)
{
    out->own_used = sums->own_used;
    out->lent = sums->lent;
    out->borrowed = sums->borrowed;
    out->shared = sums->shared;
    out->planned = sums->planned;
}

/* Sums up the orders of a cycle that follows, which makes figures only when they are asked for. */
static void sum_orders(const allot__decided *group, allot_totals *out)
{
    const allot__orders *orders = &group->orders;
    for (int32_t i = 0; i < orders->grant_count; i++)
        out->granted += allot__granted(&group->work, orders->grants[i]);
    for (int32_t i = 0; i < orders->reclaim_count; i++)
        out->reclaimed += orders->reclaims[i].slots;
    out->held = out->idle - out->idle_left - out->granted;
}

static void sum_rows(const allot__work *work, allot_totals *out)
{
    out->held = work->sums[0].held;
    out->granted = work->idle - work->idle_left - out->held;
    out->reclaimed = work->sums[0].given;
    if (work->closed)
        out->reclaimed += work->closed->held_sum[0] - work->closed->flying_sum[0];
}

int allot_decision_totals(const allot_decision *decision, int32_t group, allot_totals *out)
{
    if (group < 0 || group >= decision->plan->group_count)
        return ALLOT_EUSAGE;
    if (decision->dispatched) {
        allot__queue_totals(decision, out);
        return ALLOT_OK;
    }
    bool lists = decision->follow && decision->last < ALLOT_STAGE_MONITOR;
    if (!lists && allot__decision_figures(decision) != ALLOT_OK)
        return ALLOT_ENOMEM;
    const allot__work *work = &decision->groups[group].work;
    const allot__group_hosts *hosts = work->hosts;
    int64_t blocked = hosts ? hosts->blocked : 0;
    *out = (allot_totals){.slots = work->slots + blocked,
                          .blocked = blocked,
                          .idle = work->idle,
                          .idle_left = work->idle_left,
                          .by_use = allot__used_read(work)};
    if (lists)
        sum_orders(&decision->groups[group], out);
    else if (decision->last >= ALLOT_STAGE_ORDERS)
        sum_rows(work, out);
    add_up(work, out);
    if (decision->groups[group].monitor.sums)
        watch(&decision->groups[group].monitor.sums[0], out);
    return ALLOT_OK;
}
