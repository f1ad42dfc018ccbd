/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* seal.c: turns what a plan states into what a cycle reads. */
#include "model/seal/seal.h"

#include "model/jobs/queue.h"

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

static void undo(allot_plan *plan)
{
    for (int32_t i = 0; i < plan->group_count; i++)
        allot__layout_free(plan, &plan->groups[i]);
    allot__relation_free(plan);
    allot__queues_unseal(plan);
    allot__tree_free(plan->engine, &plan->tree);
}

static int seal(allot_plan *plan, allot_report *report)
{
    int status = allot__tree_make(plan->engine, plan->names, &plan->tree);
    if (status)
        return status;
    status = lay_out(plan);
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
    allot__build_free(plan);
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
        allot__plan_unimply(plan);
    return status;
}
