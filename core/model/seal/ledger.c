/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ledger.c: who lends to whom by row, and what a policy that keeps a ledger asks (E-2). */
#include "model/seal/seal.h"

#include <string.h>

#include "model/windows/say.h"

static size_t rows_of(const allot_plan *plan)
{
    return (size_t)plan->tree.rows + 1;
}

static int make(const allot_plan *plan, const allot__group *group, const allot__vector *peers,
                int32_t **out)
{
    if (peers->count == 0)
        return ALLOT_OK;
    int32_t *at = allot__new(plan->engine, rows_of(plan), sizeof *at);
    if (!at)
        return ALLOT_ENOMEM;
    memset(at, 0xFF, rows_of(plan) * sizeof *at);
    const allot__peers *items = peers->items;
    for (size_t i = 0; i < peers->count; i++) {
        int32_t row = plan->tree.row_of[items[i].consumer];
        at[group->group_row ? group->group_row[row] : row] = (int32_t)i;
    }
    *out = at;
    return ALLOT_OK;
}

int allot__peers_make(const allot_plan *plan, allot__group *group)
{
    int status = make(plan, group, &group->lend, &group->lend_at);
    return status ? status : make(plan, group, &group->borrow, &group->borrow_at);
}

void allot__peers_unmake(const allot_plan *plan, allot__group *group)
{
    allot__free(plan->engine, group->lend_at, rows_of(plan), sizeof *group->lend_at);
    allot__free(plan->engine, group->borrow_at, rows_of(plan), sizeof *group->borrow_at);
    group->lend_at = group->borrow_at = NULL;
}

static bool ledger_at(const allot__group *group, int32_t governing)
{
    const struct allot_policy *policy =
        group->governing ? group->governing[governing].policy : NULL;
    return policy && policy->fill_count > 0 && allot__policy_ledger(policy);
}

static bool states(const int32_t *at, const allot__vector *peers, int32_t row)
{
    return at && at[row] >= 0 && ((const allot__peers *)peers->items)[at[row]].count != 0;
}

/* What is stated of one consumer's loans. */
static int check_loans(const allot_plan *plan, allot__fault fault, int32_t row)
{
    const allot__group *it = &plan->groups[fault.group];
    bool lend = states(it->lend_at, &it->lend, row);
    bool borrow = states(it->borrow_at, &it->borrow, row);
    if (!lend && !borrow)
        return ALLOT_OK;
    const char *word = lend ? "lends" : "borrows";
    if (it->family_of[row] > 0) {
        fault.severity = ALLOT_ERROR;
        fault.code = "E-loan";
        fault.hint = "name the consumers below it that do";
        allot__say(plan, &fault, "it has children and %s: only consumers without do (E-2)", word);
        return ALLOT_EINVALID;
    }
    fault.severity = ALLOT_WARNING;
    fault.code = "W-loan";
    if (!ledger_at(it, allot__governing_of(plan, it, row)))
        allot__say(plan, &fault, "it %s, but its policy knows no loans", word);
    else if (lend && it->columns[ALLOT_OWNED][row] == 0)
        allot__say(plan, &fault, "it lends, but owns nothing that could be lent (E-2)");
    return ALLOT_OK;
}

/* A branch's slots beyond its leaves' are a pool: nobody can be said to reserve them. */
static int check_reserve(const allot_plan *plan, allot__fault fault, int32_t row)
{
    const allot__group *it = &plan->groups[fault.group];
    if (it->family_of[row] == 0 || it->columns[ALLOT_RESERVE][row] == 0 ||
        !ledger_at(it, allot__governing_of(plan, it, row)))
        return ALLOT_OK;
    fault.severity = ALLOT_ERROR;
    fault.code = "E-reserve";
    fault.field = ALLOT_RESERVE;
    fault.hint = "reserve slots at its leaves";
    allot__say(plan, &fault,
               "it has children and reserves %ld: under a policy with pools or loans "
               "0 is allowed",
               (long)it->columns[ALLOT_RESERVE][row]);
    return ALLOT_EINVALID;
}

int allot__check_ledger(const allot_plan *plan, int32_t group, allot_report *report)
{
    const allot__group *it = &plan->groups[group];
    bool any = it->lend_at || it->borrow_at;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < it->governing_count; i++)
        any = any || ledger_at(it, i);
    int32_t consumer = ALLOT_ROOT;
    while (any && (consumer = allot__tree_next(&plan->tree, plan->names, consumer)) >= 0) {
        int32_t row = plan->tree.row_of[consumer];
        row = it->group_row ? it->group_row[row] : row;
        allot__fault fault = {.report = report, .group = group, .consumer = consumer, .field = -1};
        if (check_loans(plan, fault, row) || check_reserve(plan, fault, row))
            status = ALLOT_EINVALID;
    }
    return status;
}
