/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * variant.c: the plan that holds while a set of windows holds.
 *
 * This file owns: the life of variants.
 */
#include <string.h>

#include "model/jobs/queue.h"
#include "model/seal/seal.h"
#include "model/windows/window.h"

/* ---- Making ---------------------------------------------------------------------------------- */

/* Applies the windows to a copy of a group that is not laid out yet. */
static void alter_group(const allot_plan *plan, allot__group *group)
{
    uint64_t held = allot__held_windows(plan, group);
    group->columns = NULL;
    group->store = group->row_order = NULL;
    group->lend_at = group->borrow_at = NULL;
    group->governing = NULL;
    group->branch_policy = group->family_policy = NULL;
    group->governing_count = 0;
    group->tree_row = group->group_row = group->family_of = group->parent = NULL;
    for (int32_t i = 0; i < allot__hours_count(plan); i++) {
        const allot__hours *hours = allot__hours_at(plan, i);
        if (!(held >> i & 1))
            continue;
        if (hours->slots_set) {
            group->slots = hours->slots;
            group->slots_set = true;
        }
        if (hours->policy)
            group->policy = hours->policy;
        for (int32_t k = 0; k < ALLOT_OPTION_COUNT; k++)
            if (hours->options_set >> k & 1)
                group->options[k] = hours->options[k];
        group->options_set |= hours->options_set;
    }
}

/* Appends a window's peers to the plan's; the lists inside stay shared. */
static int join(const allot_plan *plan, const allot__vector *more, allot__vector *peers)
{
    const allot__peers *items = more->items;
    for (size_t i = 0; i < more->count; i++) {
        allot__peers *added = allot__push(plan->engine, peers, sizeof *added);
        if (!added)
            return ALLOT_ENOMEM;
        *added = items[i];
    }
    return ALLOT_OK;
}

static int alter_peers(const allot_plan *plan, const allot__group *from, allot__group *group)
{
    uint64_t held = allot__held_windows(plan, group);
    group->lend = group->borrow = (allot__vector){0};
    int status = join(plan, &from->lend, &group->lend);
    if (status == ALLOT_OK)
        status = join(plan, &from->borrow, &group->borrow);
    for (int32_t i = 0; i < allot__hours_count(plan) && status == ALLOT_OK; i++) {
        const allot__hours *hours = allot__hours_at(plan, i);
        if (held >> i & 1)
            status = join(plan, &hours->lend, &group->lend);
        if (held >> i & 1 && status == ALLOT_OK)
            status = join(plan, &hours->borrow, &group->borrow);
    }
    return status;
}

static void variant_free(allot_plan *variant)
{
    const allot_plan *base = variant->base;
    size_t count = (size_t)variant->group_count;
    for (size_t i = 0; variant->groups && i < count; i++) {
        allot__group *group = &variant->groups[i];
        if (group->store == base->groups[i].store)
            continue;
        allot__layout_free(variant, group);
        allot__vector_free(base->engine, &group->lend);
        allot__vector_free(base->engine, &group->borrow);
    }
    allot__relation_free(variant);
    allot__free(base->engine, variant->groups, count, sizeof *variant->groups);
    allot__free(base->engine, variant, 1, sizeof *variant);
}

/* Lays out what differs in the groups that `held` changes; shares the base's other groups. */
static int variant_make(const allot_plan *base, uint64_t held, int32_t group, allot_plan **out)
{
    allot_plan *variant = allot__new(base->engine, 1, sizeof *variant);
    if (!variant)
        return ALLOT_ENOMEM;
    *variant = *base;
    variant->base = base;
    variant->held = held;
    size_t count = (size_t)base->group_count;
    variant->groups = allot__new(base->engine, count, sizeof *variant->groups);
    int status = variant->groups ? ALLOT_OK : ALLOT_ENOMEM;
    if (variant->groups)
        memcpy(variant->groups, base->groups, count * sizeof *variant->groups);
    for (int32_t i = 0; i < base->group_count && status == ALLOT_OK; i++) {
        allot__group *it = &variant->groups[i];
        if (!allot__held_windows(variant, it) || (group != ALLOT_ALL && group != i))
            continue;
        alter_group(variant, it);
        status = alter_peers(variant, &base->groups[i], it);
        if (status == ALLOT_OK)
            status = allot__layout_make(variant, it);
    }
    if (status)
        variant_free(variant);
    else
        *out = variant;
    return status;
}

void allot__variants_free(allot_plan *plan)
{
    allot_plan **variants = plan->windows ? plan->windows->variants.items : NULL;
    for (size_t i = 0; variants && i < plan->windows->variants.count; i++)
        variant_free(variants[i]);
    if (plan->windows)
        plan->windows->variants.count = 0;
}

/* Derives sizes that are not stated, as checking does; no check can fail any more. */
static int settle(allot_plan *variant)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < variant->group_count && status != ALLOT_ENOMEM; i++)
        if (allot__held_windows(variant, &variant->groups[i]))
            status = allot__check_group(variant, i, NULL);
    return status;
}

static int variant_new(const allot_plan *base, uint64_t held, const allot_plan **out)
{
    allot_plan *variant;
    int status = variant_make(base, held, ALLOT_ALL, &variant);
    if (status)
        return status;
    status = settle(variant);
    if (status == ALLOT_OK)
        status = allot__relation_make(variant, NULL);
    allot_plan **added = NULL;
    if (status == ALLOT_OK)
        added = allot__push(base->engine, &base->windows->variants, sizeof(allot_plan *));
    if (!added) {
        variant_free(variant);
        return status ? status : ALLOT_ENOMEM;
    }
    *added = variant;
    *out = variant;
    return ALLOT_OK;
}

int32_t allot_plan_damps(const allot_plan *plan)
{
    bool damps = allot_plan_windows(plan) > 0;
    for (int32_t i = 0; i < allot_plan_groups(plan); i++)
        damps = damps || allot_plan_option_get(plan, i, ALLOT_OPTION_RECLAIM_INTERVAL) > 0 ||
                allot_plan_option_get(plan, i, ALLOT_OPTION_CLAIM_DELAY) > 0;
    return damps && allot_plan_queues(plan) == 0;
}

int allot_plan_at(const allot_plan *plan, int64_t when, const allot_plan **out)
{
    if (!plan || !plan->sealed || !out)
        return ALLOT_EUSAGE;
    const allot_plan *base = allot__plan_base(plan);
    uint64_t held = allot_plan_windows_at(base, when);
    if (held == 0) {
        *out = base;
        return ALLOT_OK;
    }
    allot_plan *const *variants = base->windows->variants.items;
    for (size_t i = 0; i < base->windows->variants.count; i++) {
        if (variants[i]->held == held) {
            *out = variants[i];
            return ALLOT_OK;
        }
    }
    return variant_new(base, held, out);
}

/* ---- Checking -------------------------------------------------------------------------------- */

typedef struct checking {
    const allot_plan *plan;
    int32_t group;
    allot_report *report;
    allot__vector faulty; /* of uint64_t: faulty sets */
    int result;
} checking;

/* A superset of a faulty set would repeat its faults. */
static bool known_faulty(const checking *check, uint64_t windows)
{
    const uint64_t *faulty = check->faulty.items;
    for (size_t i = 0; i < check->faulty.count; i++)
        if ((faulty[i] & windows) == faulty[i])
            return true;
    return false;
}

static int check_set(void *ud, uint64_t windows)
{
    checking *check = ud;
    allot_plan *variant;
    if (windows == 0 || known_faulty(check, windows))
        return ALLOT_OK;
    int status = variant_make(check->plan, windows, check->group, &variant);
    if (status)
        return status;
    status = allot__check_group(variant, check->group, check->report);
    if (status == ALLOT_OK && check->group == 0)
        status = allot__relation_make(variant, check->report);
    variant_free(variant);
    if (status != ALLOT_EINVALID)
        return status;
    check->result = ALLOT_EINVALID;
    uint64_t *added = allot__push(check->plan->engine, &check->faulty, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    *added = windows;
    return ALLOT_OK;
}

static int say_many(const checking *check)
{
    allot__fault fault =
        allot__fault_of(check->report, "E-windows", "give windows of one group the same time zone");
    fault.group = check->group;
    allot__say(check->plan, &fault,
               "windows of %s in several time zones can hold together in more than %d ways, and "
               "each has to be checked",
               check->plan->groups[check->group].name, ALLOT__SETS_MAX);
    return ALLOT_EINVALID;
}

int allot__variants_check(const allot_plan *plan, allot_report *report)
{
    int result = ALLOT_OK;
    for (int32_t i = 0; i < plan->group_count; i++) {
        checking check = {.plan = plan, .group = i, .report = report};
        int status = allot__windows_each(plan, allot__windows_of(plan, i), check_set, &check);
        allot__vector_free(plan->engine, &check.faulty);
        if (status == ALLOT_ERANGE)
            check.result = say_many(&check);
        else if (status)
            return status;
        result = check.result ? check.result : result;
    }
    return result;
}
