/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * divide.c: runs a cycle of a plan that divides slots, and carries the decision out.
 *
 * Sums alone show whether a leaf must give slots back: tasks can only protect slots (guards). So a
 * cycle gets sums first; only if a leaf must give back, it runs again, with the tasks of all leaves
 * that hold too much.
 *
 * The tasks of a reclaim stop at once, or run on for the grace. allot_state_apply enters the
 * decision in the state, once all that is to be known of it was read.
 */
#include <allot/apply.h>

#include "simulate/sim.h"

/* The decision ends, and the state is open again. */
static int reopen(allot_simulation *sim, allot_decision *decision)
{
    allot_decision_free(decision);
    return allot_state_open(sim->state);
}

/* Marks leaves above their target, or that give back for another reason, unless the state always
 * lists their tasks. True: any. */
static bool mark_over(const allot_simulation *sim, const allot_decision *decision)
{
    bool some = false;
    for (int32_t c = 0; c < sim->groups * sim->consumers; c++) {
        allot__account *account = &sim->accounts[c];
        allot_brief brief;
        account->over = false;
        if (account->first < 0 || account->whole)
            continue;
        allot_decision_brief(decision, account->group, account->consumer, &brief);
        account->over = brief.over > 0 || brief.reclaimed > 0 || brief.held_back > 0;
        some = some || account->over;
    }
    return some;
}

/* Has more waiting tasks listed of each account whose listed tasks were exhausted; true: any. */
static bool deepen(const allot_simulation *sim, const allot_decision *decision)
{
    bool some = false;
    for (int32_t c = 0; sim->whole && c < sim->groups * sim->consumers; c++) {
        allot__account *account = &sim->accounts[c];
        allot_brief brief = {.exhausted = 0};
        if (account->cut)
            allot_decision_brief(decision, account->group, account->consumer, &brief);
        if (!brief.exhausted)
            continue;
        account->depth *= 4;
        account->stale = some = true;
    }
    return some;
}

/* However often more tasks have to be listed, this is one cycle. */
static int decide_with(allot_simulation *sim, allot__task_detail tasks, allot_report *report,
                       allot_decision **out)
{
    bool again = false;
    int status = ALLOT_OK;
    sim->counts.cycles++;
    do {
        if (again)
            status = reopen(sim, *out);
        if (status == ALLOT_OK)
            status = allot__cycle_state(sim, tasks, report);
        if (status == ALLOT_OK)
            status = allot__decide(sim, report, out);
        again = status == ALLOT_OK && deepen(sim, *out);
    } while (again);
    return status;
}

static int decide(allot_simulation *sim, allot_report *report, allot_decision **out)
{
    bool all = sim->options.always_tasks || sim->hosted;
    int status = decide_with(sim, all ? ALLOT__TASKS_ALL : ALLOT__TASKS_NONE, report, out);
    sim->counts.with_tasks += all || sim->whole;
    if (status != ALLOT_OK || all || allot_decision_reclaims(*out) == 0 || !mark_over(sim, *out))
        return status;
    sim->counts.with_tasks++;
    status = reopen(sim, *out);
    return status == ALLOT_OK ? decide_with(sim, ALLOT__TASKS_OF_OVER, report, out) : status;
}

/* ---- What a leaf gives back -------------------------------------------------------------------
 */

/* Marks on segments how many of their tasks go; returns their slots. */
static int64_t mark(const allot_simulation *sim, const allot_reclaim *reclaim)
{
    int64_t slots = 0;
    for (int32_t i = 0; i < reclaim->task_count && slots < reclaim->slots; i++) {
        int32_t number = allot__told_at(sim, reclaim->tasks[i]).segment;
        allot__segment *segment = allot__segment_of(sim, number);
        if (segment->flight >= 0)
            continue;
        int32_t count = allot__job_of(sim, segment->job)->rigid ? segment->count : 1;
        segment->taken += count;
        slots += count;
    }
    return slots;
}

/* Kills the marked tasks (`serial` -1), or splits them off for the reclaim of that number. */
static int take_marked(allot_simulation *sim, const allot_reclaim *reclaim, int32_t serial)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < reclaim->task_count && status == ALLOT_OK; i++) {
        int32_t number = allot__told_at(sim, reclaim->tasks[i]).segment;
        allot__segment *segment = allot__segment_of(sim, number);
        int32_t count = segment->taken;
        if (count == 0)
            continue;
        segment->taken = 0;
        if (serial < 0)
            status = allot__kill(sim, number, count);
        else if (allot__segment_split(sim, number, count, serial) < 0)
            status = ALLOT_ENOMEM;
    }
    return status;
}

static int take_back(allot_simulation *sim, const allot_reclaim *reclaim, bool *again)
{
    allot__account *account = &sim->accounts[reclaim->group * sim->consumers + reclaim->consumer];
    bool at_once = reclaim->deadline <= sim->now;
    account->reclaims++;
    account->reclaimed_sum += reclaim->slots;
    account->reclaimed += reclaim->slots;
    sim->counts.reclaims++;
    int status = allot__touch(sim, account);
    allot__taken *taken =
        status == ALLOT_OK ? allot__push(sim->engine, &sim->taken, sizeof *taken) : NULL;
    if (!taken)
        return ALLOT_ENOMEM;
    *taken = (allot__taken){sim->serial++, mark(sim, reclaim)};
    if (taken->slots == 0)
        return ALLOT_OK;
    *again = *again || at_once;
    return take_marked(sim, reclaim, at_once ? -1 : taken->serial);
}

static int take_all_back(allot_simulation *sim, const allot_decision *decision, bool *again)
{
    int status = ALLOT_OK;
    allot_reclaim reclaim;
    sim->taken.count = 0;
    for (int32_t i = 0; i < allot_decision_reclaims(decision) && status == ALLOT_OK; i++) {
        allot_decision_reclaim(decision, i, &reclaim);
        status = take_back(sim, &reclaim, again);
    }
    return status;
}

/* Puts what was taken in place of a decision's reclaims, which the state lists from `first` on. */
static int enter_taken(allot_simulation *sim, int32_t first)
{
    const allot__taken *taken = sim->taken.items;
    int status = ALLOT_OK;
    for (size_t i = 0; i < sim->taken.count && status == ALLOT_OK; i++) {
        allot_in_flight flight;
        allot_state_reclaim_at(sim->state, first + (int32_t)i, &flight);
        if (taken[i].slots > 0)
            status = allot__flight_add(sim, &flight, taken[i].slots, flight.deadline <= sim->now,
                                       taken[i].serial);
        if (status == ALLOT_OK)
            status = allot_state_end(sim->state, ALLOT_ITEM_RECLAIM, flight.id);
    }
    return status;
}

/* ---- What it gets ---------------------------------------------------------------------------- */

static int start_on(allot_simulation *sim, allot__account *account, const allot_grant *grant)
{
    int64_t placed = 0;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < grant->place_count && status == ALLOT_OK; i++) {
        placed += grant->places[i].slots;
        status = allot__start(sim, account, grant->places[i].slots, grant->places[i].host);
    }
    if (status == ALLOT_OK && placed < grant->slots)
        status = allot__start(sim, account, grant->slots - placed, INT32_MIN);
    return status;
}

/* Takes slots from places in order; returns their host, or INT32_MIN if it is not one host. */
static int32_t take_place(const allot_grant *grant, int32_t *place, int64_t *taken, int64_t slots)
{
    int32_t host = INT32_MIN;
    while (slots > 0 && *place < grant->place_count) {
        const allot_place *at = &grant->places[*place];
        int64_t part = at->slots - *taken < slots ? at->slots - *taken : slots;
        host = part == slots && host == INT32_MIN ? at->host : INT32_MIN;
        slots -= part;
        *taken += part;
        if (*taken == at->slots) {
            *taken = 0;
            ++*place;
        }
    }
    return slots > 0 ? INT32_MIN : host;
}

/* Starts the tasks that a grant names. */
static int start_tasks(allot_simulation *sim, const allot_grant *grant)
{
    int32_t place = 0;
    int64_t taken = 0;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < grant->task_count && status == ALLOT_OK; i++) {
        int32_t job = allot__told_at(sim, grant->tasks[i]).job;
        const allot__sim_job *of = allot__job_of(sim, job);
        int32_t host = take_place(grant, &place, &taken, of->rigid ? of->slots : 1);
        status = allot__start_whole(sim, job, host);
    }
    return status;
}

static int start_all(allot_simulation *sim, const allot_decision *decision)
{
    int status = ALLOT_OK;
    allot_grant grant;
    for (int32_t i = 0; i < allot_decision_grants(decision) && status == ALLOT_OK; i++) {
        allot_decision_grant(decision, i, &grant);
        allot__account *account = &sim->accounts[grant.group * sim->consumers + grant.consumer];
        status = allot__touch(sim, account); /* the state will say that it has these slots */
        if (status == ALLOT_OK)
            status = account->whole ? start_tasks(sim, &grant) : start_on(sim, account, &grant);
    }
    return status;
}

/* Keeps slots held for waiting tasks until they suffice for one. */
static int keep_held(allot_simulation *sim, const allot_decision *decision)
{
    int status = ALLOT_OK;
    for (int32_t c = 0; sim->whole && c < sim->groups * sim->consumers && status == ALLOT_OK; c++) {
        allot__account *account = &sim->accounts[c];
        allot_brief brief = {.held = 0};
        if (!account->whole)
            continue;
        if (account->pending > 0)
            allot_decision_brief(decision, account->group, account->consumer, &brief);
        if (brief.held == account->gathered)
            continue;
        allot__gather(sim, account, brief.held);
        status = allot__touch(sim, account);
    }
    return status;
}

/* ---- What goes by time ----------------------------------------------------------------------- */

static void wake_at(allot_simulation *sim, int64_t when)
{
    if (when > sim->now && when < sim->wake)
        sim->wake = when;
}

/* Has a cycle run at the end of each delay. */
static void wake_for_waiting(allot_simulation *sim, const allot_decision *decision)
{
    const allot_plan *plan = allot_decision_plan(decision);
    for (int32_t g = 0; g < sim->groups; g++) {
        int64_t delay = allot_plan_option_get(plan, g, ALLOT_OPTION_CLAIM_DELAY);
        int64_t pause = allot_plan_option_get(plan, g, ALLOT_OPTION_RECLAIM_INTERVAL);
        for (int32_t i = 0; i < sim->consumers && (delay > 0 || pause > 0); i++) {
            allot_brief brief;
            if (allot_decision_brief(decision, g, i, &brief) != ALLOT_OK ||
                brief.waiting_since == INT64_MIN)
                continue;
            wake_at(sim, brief.waiting_since + delay);
            if (pause > 0)
                wake_at(sim, sim->now + pause);
        }
    }
}

/* ---- Carrying out ---------------------------------------------------------------------------- */

static int carry_out(allot_simulation *sim, const allot_decision *decision, bool *again)
{
    static const allot_apply how = {.reclaim_ids = "new"};
    int32_t first = allot_state_reclaims(sim->state);
    int status = take_all_back(sim, decision, again);
    if (status == ALLOT_OK)
        status = start_all(sim, decision);
    if (status == ALLOT_OK)
        status = keep_held(sim, decision);
    if (sim->damped)
        wake_for_waiting(sim, decision);
    if (status == ALLOT_OK)
        status = allot_state_open(sim->state);
    if (status == ALLOT_OK)
        status = allot_state_apply(sim->state, decision, &how);
    return status == ALLOT_OK ? enter_taken(sim, first) : status;
}

int allot__divide(allot_simulation *sim, allot_report *report, bool *again)
{
    allot_decision *decision = NULL;
    int status = decide(sim, report, &decision);
    if (status != ALLOT_OK)
        return status;
    status = allot__decided(sim, decision, report);
    if (status == ALLOT_OK)
        status = carry_out(sim, decision, again);
    allot_decision_free(decision);
    return status;
}
