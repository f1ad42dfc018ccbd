/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * seal.c: makes a plan, turns what it states into what a cycle reads, and frees it with all its
 * parts.
 *
 * This file owns: the life of struct allot_plan.
 */
#include "model/seal/seal.h"

#include "model/jobs/queue.h"
#include "model/names/names.h"
#include "model/windows/window.h"

int allot_plan_new(allot_engine *engine, allot_plan **out)
{
    if (!engine || !out)
        return ALLOT_EUSAGE;
    allot_plan *plan = allot__new(engine, 1, sizeof *plan);
    if (!plan)
        return ALLOT_ENOMEM;
    plan->engine = engine;
    plan->column_count = ALLOT_PLAN_COLUMNS;
    plan->build = allot__new(engine, 1, sizeof *plan->build);
    plan->names = allot__new(engine, 1, sizeof *plan->names);
    if (!plan->build || !plan->names) {
        allot_plan_free(plan);
        return ALLOT_ENOMEM;
    }
    for (int i = 0; i < ALLOT_OPTION_COUNT; i++)
        plan->build->options[i] = allot__option_fallback(i);
    *out = plan;
    return ALLOT_OK;
}

static void free_fades(allot_plan *plan)
{
    allot__free(plan->engine, plan->fades, 1, sizeof *plan->fades);
    plan->fades = NULL;
}

static void free_build(allot_plan *plan)
{
    if (!plan->build)
        return;
    allot_policy_free(plan->build->policy);
    allot__free(plan->engine, plan->build, 1, sizeof *plan->build);
    plan->build = NULL;
}

static void group_free(allot_plan *plan, allot__group *group)
{
    allot__stated_free(plan->engine, group);
    allot__layout_free(plan, group);
    allot__vector_free(plan->engine, &group->lend);
    allot__vector_free(plan->engine, &group->borrow);
    allot_policy_free(group->policy);
}

void allot_plan_free(allot_plan *plan)
{
    if (!plan || plan->base)
        return;
    allot_engine *engine = plan->engine;
    allot__variants_free(plan);
    allot__relation_free(plan);
    allot__queues_free(plan);
    free_fades(plan);
    allot__windows_free(plan);
    for (int32_t i = 0; i < plan->group_count; i++)
        group_free(plan, &plan->groups[i]);
    allot__vector_free(engine, &plan->group_list);
    free_build(plan);
    allot__vector_free(engine, &plan->attributes);
    allot__vector_free(engine, &plan->task_attributes);
    allot__hosts_free(engine, &plan->hosts);
    allot__vector_free(engine, &plan->requires);
    allot__vector_free(engine, &plan->newcomers);
    allot__branch *branches = plan->branches.items;
    for (size_t i = 0; i < plan->branches.count; i++)
        allot_policy_free(branches[i].policy);
    allot__vector_free(engine, &plan->branches);
    allot__tree_free(engine, &plan->tree);
    allot__pool_free(engine, &plan->pool);
    if (plan->names)
        allot__names_free(engine, plan->names);
    allot__free(engine, plan->names, 1, sizeof *plan->names);
    allot__free(engine, plan, 1, sizeof *plan);
}

/* Removes the group "default" that was added implicitly. */
static void unimply(allot_plan *plan)
{
    group_free(plan, &plan->groups[0]);
    plan->group_list.count = 0;
    plan->group_count = 0;
    plan->build->implied = false;
}

/* ---- Sealing ----------------------------------------------------------------------------------
 */

static int lay_out(allot_plan *plan)
{
    for (int32_t i = 0; i < plan->group_count; i++) {
        int status = allot__layout_make(plan, &plan->groups[i]);
        if (status)
            return status;
    }
    return ALLOT_OK;
}

static int check(const allot_plan *plan, allot_report *report)
{
    int result = ALLOT_OK;
    for (int32_t i = 0; i < plan->group_count; i++) {
        int status = allot__check_group(plan, i, report);
        if (status == ALLOT_ENOMEM)
            return status;
        if (status)
            result = status;
    }
    return result;
}

/* Reports faults of queues together with those of all else. */
static int check_all(allot_plan *plan, allot_report *report)
{
    int beside = allot__check_beside(plan, report);
    int queues = allot__queues_seal(plan, report);
    if (queues == ALLOT_ENOMEM)
        return queues;
    int status = check(plan, report);
    return status ? status : queues ? queues : beside;
}

/* The HIST_HOURS law: how use of queues fades unless the plan states otherwise. */
enum { HISTORY = 5 * 3600, HISTORY_PARTS = 10 };

static int make_fades(allot_plan *plan)
{
    allot_decay decay = plan->decay;
    if (decay.parts == 0 && allot__queue_count(plan) > 0)
        decay = (allot_decay){HISTORY, HISTORY_PARTS};
    if (decay.parts == 0)
        return ALLOT_OK;
    plan->fades = allot__new(plan->engine, 1, sizeof *plan->fades);
    if (!plan->fades)
        return ALLOT_ENOMEM;
    allot__decay_make(&decay, plan->fades);
    return ALLOT_OK;
}

static void undo(allot_plan *plan)
{
    free_fades(plan);
    for (int32_t i = 0; i < plan->group_count; i++)
        allot__layout_free(plan, &plan->groups[i]);
    allot__relation_free(plan);
    allot__queues_unseal(plan);
    allot__tree_free(plan->engine, &plan->tree);
}

static int seal(allot_plan *plan, allot_report *report)
{
    int status = allot__wildcards_inherit(plan);
    if (status == ALLOT_OK)
        status = allot__tree_make(plan->engine, plan->names, &plan->tree);
    if (status)
        return status;
    status = lay_out(plan);
    if (status == ALLOT_OK)
        status = make_fades(plan);
    if (status == ALLOT_OK)
        status = check_all(plan, report);
    if (status == ALLOT_OK)
        status = allot__relation_make(plan, report);
    if (status == ALLOT_OK && plan->windows)
        status = allot__variants_check(plan, report);
    if (status) {
        undo(plan);
        return status;
    }
    for (int32_t i = 0; i < plan->group_count && !plan->windows; i++)
        allot__stated_free(plan->engine, &plan->groups[i]); /* else variants still need it */
    free_build(plan);
    allot__names_trim(plan->engine, plan->names);
    plan->sealed = true;
    return ALLOT_OK;
}

int allot_plan_seal(allot_plan *plan, allot_report *report)
{
    if (!plan || plan->sealed)
        return ALLOT_EUSAGE;
    bool implied = plan->group_count == 0;
    int status = implied ? allot__plan_imply(plan) : ALLOT_OK;
    if (status)
        return status;
    status = seal(plan, report);
    if (status && implied)
        unimply(plan);
    return status;
}
