/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * life.c: makes a plan, and frees it with all its parts.
 *
 * This file owns: the life of struct allot_plan.
 */
#include "model/jobs/queue.h"
#include "model/names/names.h"
#include "model/seal/seal.h"
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
    allot__windows_free(plan);
    for (int32_t i = 0; i < plan->group_count; i++)
        group_free(plan, &plan->groups[i]);
    allot__vector_free(engine, &plan->group_list);
    allot__build_free(plan);
    allot__vector_free(engine, &plan->attributes);
    allot__vector_free(engine, &plan->task_attributes);
    allot__hosts_free(engine, &plan->hosts);
    allot__vector_free(engine, &plan->requires);
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

void allot__build_free(allot_plan *plan)
{
    if (!plan->build)
        return;
    allot_policy_free(plan->build->policy);
    allot__free(plan->engine, plan->build, 1, sizeof *plan->build);
    plan->build = NULL;
}

void allot__plan_unimply(allot_plan *plan)
{
    group_free(plan, &plan->groups[0]);
    plan->group_list.count = 0;
    plan->group_count = 0;
    plan->build->implied = false;
}
