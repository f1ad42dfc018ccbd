/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* cycle.c: the driver: it knows which stage comes when; the stages know how. */
#include <string.h>

#include "engine/decision/decision.h"
#include "engine/jobs/dispatch.h"
#include "engine/rows/enforce.h"
#include "engine/rows/used.h"
#include "engine/hosts/match.h"
#include "engine/ownership/ledger.h"
#include "engine/quota/monitor.h"
#include "engine/quota/quota.h"
#include "engine/placement/place.h"
#include "engine/hosts/hosts.h"
#include "engine/reclaim/reach.h"
#include "engine/reclaim/reclaim.h"
#include "engine/victims/claimant.h"
#include "engine/victims/leavers.h"
#include "engine/whole/inside.h"
#include "engine/whole/whole.h"

/* Computes quotas and the hosts set aside for exclusive consumers; each depends on the other. */
static int run_quota(allot__work *work)
{
    const int32_t *limit = work->limit;
    bool again = true;
    int status = ALLOT_OK;
    for (bool first = true; again && status == ALLOT_OK; first = false) {
        if (!first)
            allot__work_again(work);
        again = false;
        work->limit = limit;
        status = allot__need(work);
        status = status ? status : allot__quota(work);
        if (status != ALLOT_OK || !work->hosts)
            return status;
        work->hosts->limit = limit;
        status = allot__joint(work);
        status = status ? status : allot__group_hosts_choose(work, &again);
    }
    return status;
}

/* Makes what quotas are computed from. */
static int begin_group(allot__work *work)
{
    int status = allot__group_hosts_make(work);
    if (status == ALLOT_OK)
        status = allot__enforce(work);
    return status == ALLOT_OK ? allot__ledger_begin(work) : status;
}

/* May a rule read the quotas of sessions, or a policy's own fills fail to compute them? Otherwise
 * they are figures for people. */
static bool reads_sessions(const allot__work *work)
{
    bool reads = false;
    for (int32_t i = 0; i < work->rules_count && !reads; i++) {
        const allot_policy *policy = work->rules[i].policy;
        reads = policy->functions.count > 0 || policy->guards.count > 0;
        for (int32_t k = 0; k < ALLOT_SCHEDULING_COUNT; k++)
            reads = reads || policy->session_fills[k].count > 0;
        for (int32_t k = 0; k < policy->victims.count; k++)
            reads = reads || allot__key_changes(&policy->victims.keys[k]);
    }
    return reads;
}

/* All stages after distribution, up to orders. */
static int order_group(allot__decided *group, allot_stage last)
{
    allot__work *work = &group->work;
    int status = allot__place_grants(work);
    if (status != ALLOT_OK || last < ALLOT_STAGE_RECLAIM)
        return status;
    status = reads_sessions(work) ? allot__sessions(work) : ALLOT_OK;
    status = status ? status : allot__reach(work);
    if (status == ALLOT_OK && !work->whole) /* else done before */
        status = allot__victims_protect(work, &group->victims);
    status = status ? status : allot__claimants_begin(work, &group->victims);
    if (status != ALLOT_OK)
        return status;
    bool orders = last >= ALLOT_STAGE_ORDERS || work->forced || work->reach || work->relates;
    allot__chooser *chooser = group->victims.choosing ? &group->victims.choosing->chooser : NULL;
    return orders ? allot__orders_make(work, chooser, &group->orders) /* reclaims as it goes */
                  : allot__reclaim(work, NULL);
}

/* Figures for people, computed after orders. */
static int find_figures(allot__decided *group, allot_stage last)
{
    bool sessions = last >= ALLOT_STAGE_RECLAIM && !reads_sessions(&group->work);
    int status = sessions ? allot__sessions(&group->work) : ALLOT_OK;
    if (last >= ALLOT_STAGE_ORDERS && status == ALLOT_OK) {
        allot__orders_sum(&group->work);
        status = allot__free_slots(&group->work, &group->free_slots);
    }
    if (status == ALLOT_OK && last >= ALLOT_STAGE_MONITOR)
        status = allot__monitor_make(&group->work, &group->monitor);
    const allot__work *work = &group->work;
    bool counts = work->state->groups[work->index].usage && !work->used;
    return status == ALLOT_OK && counts ? allot__used_make(&group->work) : status;
}

int allot__decision_figures(const allot_decision *decision)
{
    allot_decision *it = (allot_decision *)(uintptr_t)decision;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < it->plan->group_count && status == ALLOT_OK && !it->figures; i++)
        status = find_figures(&it->groups[i], it->last);
    it->figures = it->figures || status == ALLOT_OK;
    return status;
}

/* Bytes of a group's columns, reserved at once so that a cycle allocates once. */
static size_t columns_size(const allot_plan *plan)
{
    size_t rows = (size_t)plan->tree.rows + 64;
    size_t widest = (size_t)plan->tree.widest + 64;
    size_t families = (size_t)plan->tree.families + 64;
    size_t columns = plan->fades ? 22 : 20;
    return rows * sizeof(int32_t) * columns + widest * 256 +
           families *
               (sizeof(allot__sums) + 2 * sizeof(allot__critical) + sizeof(allot__watched) + 64);
}

/* Allocates needs and quotas of sessions, if there are any. */
static int take_sessions(allot_decision *decision)
{
    size_t count = decision->state->tasks.sessions.count;
    decision->session_need = NULL;
    decision->session_quota = NULL;
    /* Whole tasks need victims from the start. */
    if (count == 0 || (decision->last < ALLOT_STAGE_RECLAIM && !allot__any_whole(decision->state)))
        return ALLOT_OK;
    int32_t *both = allot__arena_zeroed(&decision->arena, 2 * count, sizeof *both);
    if (!both)
        return ALLOT_ENOMEM;
    decision->session_need = both;
    decision->session_quota = both + count;
    return ALLOT_OK;
}

/* Slots of queues are not divided: jobs get them, one by one. */
static int dispatch(allot_decision *decision, allot__work *work)
{
    allot__dispatched *out = allot__arena_take(&decision->arena, 1, sizeof *out);
    if (!out)
        return ALLOT_ENOMEM;
    int status = allot__dispatch(work, decision->leases, out);
    decision->dispatched = status == ALLOT_OK ? out : NULL;
    return status;
}

static int open_group(allot_decision *decision, int32_t index, allot_report *report)
{
    allot__decided *group = &decision->groups[index];
    *group = (allot__decided){.free_slots = NULL};
    int status = allot__work_init(&group->work, decision->plan, decision->state, index,
                                  &decision->arena, report);
    group->work.session_need = decision->session_need;
    group->work.session_quota = decision->session_quota;
    if (status == ALLOT_OK)
        status = allot__flights_count(&group->work, &decision->flown);
    if (status == ALLOT_OK) {
        status = allot__queue_count(decision->plan) > 0 ? dispatch(decision, &group->work)
                                                        : begin_group(&group->work);
    }
    return status;
}

/* Waiting tasks couple groups: all groups get quotas before any goes on. */
static int begin_whole(allot_decision *decision, allot__whole_all *all)
{
    size_t count = (size_t)decision->plan->group_count;
    *all = (allot__whole_all){.count = (int32_t)count, .divide = run_quota};
    if (ALLOT__TAKE_ALL(&decision->arena, ALLOT__EACH(count, all->works, all->victims)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        all->works[i] = &decision->groups[i].work;
        all->victims[i] = &decision->groups[i].victims;
    }
    return allot__whole_begin(all);
}

/* Pending tasks take the place of running ones of their own leaves. */
static int swap_inside(allot_decision *decision, allot__whole_all *all)
{
    size_t count = (size_t)decision->plan->group_count;
    allot__orders **orders = allot__arena_take(&decision->arena, count, sizeof *orders);
    for (size_t i = 0; i < count && orders; i++)
        orders[i] = &decision->groups[i].orders;
    return orders ? allot__inside(all, orders) : ALLOT_ENOMEM;
}

/* Tasks with slots of several groups are reclaimed in all of them. */
static int couple(allot_decision *decision)
{
    size_t count = (size_t)decision->plan->group_count;
    allot__leaver_groups all = {.count = (int32_t)count};
    if (decision->state->tasks.coupled == 0 || decision->last < ALLOT_STAGE_ORDERS)
        return ALLOT_OK;
    if (ALLOT__TAKE_ALL(&decision->arena, ALLOT__EACH(count, all.works, all.victims, all.orders)) !=
        ALLOT_OK)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        all.works[i] = &decision->groups[i].work;
        all.victims[i] = &decision->groups[i].victims;
        all.orders[i] = &decision->groups[i].orders;
    }
    return allot__leavers_choose(&all);
}

static int run_groups(allot_decision *decision)
{
    allot__whole_all all;
    allot__decided *groups = decision->groups;
    int32_t count = decision->plan->group_count;
    bool waits = allot__any_whole(decision->state);
    int status = waits ? begin_whole(decision, &all) : ALLOT_OK;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
        status = run_quota(&groups[i].work);
    if (status == ALLOT_OK && waits)
        status = allot__whole_lower(&all);
    if (status != ALLOT_OK || decision->last < ALLOT_STAGE_DISTRIBUTE)
        return status;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
        status = allot__place(&groups[i].work);
    if (status == ALLOT_OK && waits)
        status = allot__whole_start(&all);
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
        status = order_group(&groups[i], decision->last);
    if (status == ALLOT_OK)
        status = couple(decision);
    if (status == ALLOT_OK && waits && decision->last >= ALLOT_STAGE_ORDERS)
        status = swap_inside(decision, &all);
    for (int32_t i = 0; i < count && status == ALLOT_OK && decision->last >= ALLOT_STAGE_ORDERS;
         i++)
        status = allot__victims_choose(&groups[i].work, &groups[i].victims, &groups[i].orders);
    if (status != ALLOT_OK || decision->last < ALLOT_STAGE_MONITOR)
        return status;
    return allot__decision_figures(decision);
}

/* Follows the cycle before, if possible, and chooses the victims of this one. */
static int go_on(allot_decision *decision)
{
    int status = ALLOT_OK;
    decision->full = "the orders were not asked for";
    if (decision->last >= ALLOT_STAGE_ORDERS)
        decision->full = allot__follow_again(decision->state, &decision->flown, &decision->follow);
    for (int32_t i = 0; decision->follow && i < decision->plan->group_count && !status; i++) {
        const allot__follow *follow = &decision->follow->groups[i];
        allot__decided *group = &decision->groups[i];
        memset(group, 0, sizeof *group);
        group->work = *follow->work; /* large: copied once */
        group->orders = follow->orders;
        group->work.arena = &decision->arena;
        group->work.session_need = decision->session_need;
        group->work.session_quota = decision->session_quota;
        status = reads_sessions(&group->work) ? allot__sessions(&group->work) : ALLOT_OK;
        status =
            status ? status : allot__victims_choose(&group->work, &group->victims, &group->orders);
    }
    return status;
}

/* A full pass. */
static int run_all(allot_decision *decision, allot_report *report)
{
    const allot_plan *plan = decision->plan;
    size_t size = (size_t)plan->group_count * columns_size(plan);
    int status = allot__arena_reserve(&decision->arena, size);
    if (status == ALLOT_OK)
        status = allot__leases(plan, decision->state, &decision->arena, report, &decision->leases);
    for (int32_t i = 0; i < plan->group_count && status == ALLOT_OK; i++)
        status = open_group(decision, i, report);
    if (status == ALLOT_OK && allot__queue_count(plan) == 0)
        status = run_groups(decision);
    for (int32_t i = 0; i < plan->group_count && status == ALLOT_OK; i++)
        decision->groups[i].work.report = NULL; /* the report may not outlive this call */
    if (status == ALLOT_OK && decision->last >= ALLOT_STAGE_ORDERS)
        allot__follow_keep(decision->state, &decision->flown);
    return status;
}

static int run(allot_decision *decision, allot_report *report)
{
    size_t count = (size_t)decision->plan->group_count;
    int status = allot__flights_make(decision->state, &decision->arena, report, &decision->flown);
    decision->groups = allot__arena_take(&decision->arena, count, sizeof *decision->groups);
    if (status == ALLOT_OK && !decision->groups)
        status = ALLOT_ENOMEM;
    if (status == ALLOT_OK)
        status = take_sessions(decision);
    if (status == ALLOT_OK)
        status = go_on(decision);
    return status != ALLOT_OK || decision->follow ? status : run_all(decision, report);
}

int allot_cycle_until(const allot_plan *plan, const allot_state *state, allot_stage last,
                      allot_report *report, allot_decision **out)
{
    if (!plan || !state || !out || !plan->sealed || !state->sealed ||
        state->base != allot__plan_base(plan) || last < ALLOT_STAGE_QUOTA ||
        last > ALLOT_STAGE_MONITOR)
        return ALLOT_EUSAGE;
    allot_decision *decision = allot__new(plan->engine, 1, sizeof *decision);
    if (!decision)
        return ALLOT_ENOMEM;
    decision->plan = state->plan; /* the variant of the state's time */
    decision->state = state;
    decision->last = last;
    allot__arena_init(&decision->arena, plan->engine);
    int status = run(decision, report);
    if (status != ALLOT_OK) {
        allot_decision_free(decision);
        return status;
    }
    *out = decision;
    return ALLOT_OK;
}

int allot_cycle(const allot_plan *plan, const allot_state *state, allot_report *report,
                allot_decision **out)
{
    return allot_cycle_until(plan, state, ALLOT_STAGE_MONITOR, report, out);
}

void allot_decision_free(allot_decision *decision)
{
    if (decision) {
        allot_engine *engine = decision->plan->engine;
        bool follows = decision->follow != NULL;
        if (follows)
            allot__follow_back(decision->follow);
        if (decision->dispatched)
            allot__dispatched_free(&decision->groups[0].work, decision->dispatched);
        allot__arena_free(&decision->arena);
        if (follows)
            allot__spare_trim(engine); /* memory of a full pass: the next one may be none */
        allot__free(engine, decision, 1, sizeof *decision);
    }
}
