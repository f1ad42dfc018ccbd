/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* check.c: checks a plan's numbers against each other (C-1), and against its policies. */
#include <stdio.h>
#include <string.h>

#include "base/name.h"
#include "model/jobs/queue.h"
#include "model/seal/seal.h"
#include "model/windows/window.h"

/* A consumer's numbers in a group. */
typedef struct numbers {
    int32_t owned, reserve, limit;
    int32_t limit_column;               /* the group's column that decides */
    int64_t owned_below, reserve_below; /* sums over the children */
    bool owned_stated, owns;            /* owns: its policy uses `owned` */
} numbers;

static bool unbalanced(const numbers *n)
{
    return n->owns && n->owned_below > n->owned;
}

static bool limit_low(const numbers *n)
{
    return n->limit < n->reserve || n->limit < n->reserve_below;
}

static bool sound(const numbers *n)
{
    return !unbalanced(n) && n->reserve <= n->owned && !limit_low(n);
}

static bool owned_stated(const allot_plan *plan, const allot__group *group, int32_t row)
{
    const allot__column *stated = group->stated.items;
    int32_t consumer = plan->tree.handle_of[group->tree_row ? group->tree_row[row] : row];
    if (plan->base && allot__variant_states(plan, group, consumer, ALLOT_OWNED))
        return true;
    return group->stated.count > 0 && (size_t)consumer < stated->capacity &&
           stated->values[consumer] != allot__unset;
}

/* `effective` is by row: slots reserved by a consumer and those below it. */
static numbers numbers_at(const allot_plan *plan, const allot__group *group, int32_t row,
                          const int32_t *effective)
{
    numbers n = {.owned = group->columns[ALLOT_OWNED][row],
                 .reserve = group->columns[ALLOT_RESERVE][row],
                 .limit = group->columns[ALLOT_LIMIT][row],
                 .limit_column = ALLOT_LIMIT,
                 .owns = !group->no_ownership};
    int32_t family = group->family_of[row];
    if (group->limited)
        n.limit = allot__limit_of(plan, group, row, &n.limit_column);
    if (family > 0) {
        n.owned_below = allot__family_sum(&plan->tree, family, group->columns[ALLOT_OWNED]);
        n.reserve_below = allot__family_sum(&plan->tree, family, effective);
    }
    return n;
}

static void say_unbalanced(const allot_plan *plan, allot__fault fault, const numbers *n)
{
    fault.code = "E-unbalanced";
    fault.field = ALLOT_OWNED;
    long long below = n->owned_below;
    if (!n->owned_stated) {
        allot__say(plan, &fault, "its children own %lld slots, at most %d are allowed", below,
                   ALLOT_AMOUNT_MAX);
        return;
    }
    fault.hint = "leave `owned` of a parent out to get the sum of its children's";
    allot__say(plan, &fault, "owned is %ld, but its children own %lld: at least that is needed",
               (long)n->owned, below);
}

static void say_faults(const allot_plan *plan, allot__fault fault, const numbers *n)
{
    if (unbalanced(n))
        say_unbalanced(plan, fault, n);
    if (n->reserve > n->owned) {
        fault.code = "E-reserve";
        fault.field = ALLOT_RESERVE;
        allot__say(plan, &fault, "reserve is %ld, at most %ld, what it owns, is allowed",
                   (long)n->reserve, (long)n->owned);
    }
    if (!limit_low(n))
        return;
    allot_attribute column = {0};
    fault.code = "E-limit";
    fault.field = allot_plan_column_at(plan, n->limit_column, &column);
    if (n->limit < n->reserve)
        allot__say(plan, &fault, "%s is %ld, at least %ld, its reserve, is needed", column.name,
                   (long)n->limit, (long)n->reserve);
    else
        allot__say(plan, &fault, "%s is %ld, at least %lld, what its children reserve, is needed",
                   column.name, (long)n->limit, (long long)n->reserve_below);
}

static void say_all(const allot_plan *plan, int32_t group, const int32_t *effective,
                    allot_report *report)
{
    const allot__group *it = &plan->groups[group];
    int32_t consumer = ALLOT_ROOT;
    while ((consumer = allot__tree_next(&plan->tree, plan->names, consumer)) >= 0) {
        int32_t row = allot__row(plan, group, consumer);
        numbers n = numbers_at(plan, it, row, effective);
        if (sound(&n))
            continue;
        n.owned_stated = owned_stated(plan, it, row);
        allot__fault fault = {
            .report = report, .severity = ALLOT_ERROR, .group = group, .consumer = consumer};
        say_faults(plan, fault, &n);
    }
}

/* Fills `effective` from the last row up, so that children, whose rows come later, are done before
 * their parents. Returns whether all is valid. */
static bool reserve_up(const allot_plan *plan, const allot__group *group, int32_t *effective)
{
    bool all_sound = true;
    for (int32_t row = plan->tree.rows - 1; row >= 0; row--) {
        numbers n = numbers_at(plan, group, row, effective);
        all_sound = all_sound && sound(&n);
        int64_t most = n.reserve_below > n.reserve ? n.reserve_below : n.reserve;
        /* Cut to just above any amount: that exceeds every limit. */
        effective[row] = most > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX + 1 : (int32_t)most;
    }
    return all_sound;
}

/* Do some policies of the group scale owned slots, and others not? */
static bool is_mixed(const allot__group *group)
{
    bool exact = false, scaled = false;
    for (int32_t i = 0; i < group->governing_count; i++) {
        const allot_policy *policy = group->governing[i].policy; /* NULL: reported by E-policy */
        exact = exact || (policy && policy->exact);
        scaled = scaled || (policy && !policy->exact);
    }
    return exact && scaled;
}

/* Checks the planned size against what the first level owns, which may be more (E-5). */
static int check_slots(const allot_plan *plan, int32_t group, allot_report *report)
{
    allot__group *it = &plan->groups[group];
    int64_t owned = allot__family_sum(&plan->tree, 0, it->columns[ALLOT_OWNED]);
    allot__fault fault = {.report = report, .group = group, .consumer = -1, .field = -1};
    if (!it->slots_set && owned > ALLOT_AMOUNT_MAX) {
        fault.severity = ALLOT_ERROR;
        fault.code = "E-slots";
        fault.hint = "state `slots` of the group";
        allot__say(plan, &fault, "the first level of %s owns %lld slots, at most %d are allowed",
                   it->name, (long long)owned, ALLOT_AMOUNT_MAX);
        return ALLOT_EINVALID;
    }
    if (!it->slots_set)
        it->slots = owned;
    if (owned > it->slots) {
        fault.severity = ALLOT_WARNING;
        fault.code = "W-overowned";
        allot__say(plan, &fault, "the first level of %s owns %lld slots, but only %lld are planned",
                   it->name, (long long)owned, (long long)it->slots);
    } else if (owned < it->slots && is_mixed(it)) {
        fault.severity = ALLOT_WARNING;
        fault.code = "W-balance";
        fault.hint = "slots beyond that are shared by the branches whose ownership scales";
        allot__say(plan, &fault,
                   "the first level of %s owns %lld slots, but %lld are planned: where ownership "
                   "that scales stands beside exact ownership it should own them all (H-1)",
                   it->name, (long long)owned, (long long)it->slots);
    }
    return ALLOT_OK;
}

/* Under policies without ownership, warns of the first consumer that states more `owned` than its
 * reserve, which needs that much. */
static void warn_owned(const allot_plan *plan, int32_t group, allot_report *report)
{
    const allot__group *it = &plan->groups[group];
    long others = -1;
    char hint[ALLOT_NAME_MAX + 60];
    const char *by = allot__policy_divides_by(it->policy);
    snprintf(hint, sizeof hint, "state `%s`: how it compares to its siblings", by ? by : "");
    allot__fault fault = {.report = report,
                          .severity = ALLOT_WARNING,
                          .code = "W-owned",
                          .hint = by ? hint : NULL,
                          .group = group,
                          .field = ALLOT_OWNED};
    int32_t consumer = ALLOT_ROOT, first = ALLOT_ROOT;
    while ((consumer = allot__tree_next(&plan->tree, plan->names, consumer)) >= 0) {
        int32_t row = allot__row(plan, group, consumer);
        if (it->columns[ALLOT_OWNED][row] <= it->columns[ALLOT_RESERVE][row] ||
            !owned_stated(plan, it, row))
            continue;
        first = first == ALLOT_ROOT ? consumer : first;
        others++;
    }
    if (first == ALLOT_ROOT)
        return;
    fault.consumer = first;
    allot__say(plan, &fault,
               "policy \"%s\" does not read ownership: here%s it has no effect but as a "
               "reserve",
               it->policy->name, others > 0 ? " and elsewhere" : "");
}

/* ---- What a policy that keeps a ledger asks (E-2) -------------------------------------------- */

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

/* Checks what is stated of a consumer's loans. */
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

/* A branch's slots beyond those of its leaves are a pool, which cannot be reserved. */
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

static int check_ledger(const allot_plan *plan, int32_t group, allot_report *report)
{
    const allot__group *it = &plan->groups[group];
    bool any = it->lend_at || it->borrow_at;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < it->governing_count; i++)
        any = any || ledger_at(it, i);
    int32_t consumer = ALLOT_ROOT;
    while (any && (consumer = allot__tree_next(&plan->tree, plan->names, consumer)) >= 0) {
        int32_t row = allot__row(plan, group, consumer);
        allot__fault fault = {.report = report, .group = group, .consumer = consumer, .field = -1};
        if (check_loans(plan, fault, row) || check_reserve(plan, fault, row))
            status = ALLOT_EINVALID;
    }
    return status;
}

/* ---- Requirements and exclusive consumers (H-14) --------------------------------------------- */

static const allot_policy *policy_at(const allot_plan *plan, int32_t group, int32_t row)
{
    const allot__group *it = &plan->groups[group];
    return it->governing[allot__governing_of(plan, it, row)].policy;
}

static const char *requirement_at(const allot_policy *policy, size_t i)
{
    return ((const allot__requirement *)policy->requirements.items)[i].name;
}

/* Suggests the policy's nearest requirement, or else lists all, as far as they fit. */
static const char *advise(const allot_policy *policy, const char *name, char *buf, size_t size)
{
    allot__near near = allot__near_begin(name, strlen(name));
    const char *best = NULL;
    size_t len = 0, count = policy->requirements.count;
    if (count == 0)
        return "a policy names its requirements under `requirements`";
    for (size_t i = 0; i < count; i++) {
        const char *it = requirement_at(policy, i);
        best = allot__near_try(&near, it, strlen(it)) ? it : best;
        if (len < size)
            len +=
                (size_t)snprintf(buf + len, size - len, "%s\"%s\"", i > 0 ? ", " : "it has ", it);
    }
    if (best)
        snprintf(buf, size, "did you mean \"%s\"?", best);
    return buf;
}

static int check_requires(const allot_plan *plan, int32_t group, allot_report *report)
{
    const allot__require *list = plan->requires.items;
    int result = ALLOT_OK;
    for (size_t i = 0; i < plan->requires.count; i++) {
        const allot_policy *policy =
            policy_at(plan, group, allot__row(plan, group, list[i].consumer));
        if (!policy || allot__requirement_find(policy, list[i].name) >= 0)
            continue;
        char hint[192];
        allot__fault fault =
            allot__fault_of(report, "E-requires", advise(policy, list[i].name, hint, sizeof hint));
        fault.group = group;
        fault.consumer = list[i].consumer;
        allot__say(plan, &fault, "the policy \"%.80s\" has no requirement \"%.80s\"",
                   allot_policy_name(policy), list[i].name);
        result = ALLOT_EINVALID;
    }
    return result;
}

static int check_exclusive(const allot_plan *plan, int32_t group, allot_report *report)
{
    const allot__group *it = &plan->groups[group];
    const int32_t *exclusive = it->columns[ALLOT_EXCLUSIVE];
    int result = ALLOT_OK;
    for (int32_t i = 0; i < plan->tree.rows; i++) {
        const allot_policy *policy = exclusive[i] ? policy_at(plan, group, i) : NULL;
        if (!policy || !allot__policy_ledger(policy))
            continue;
        allot__fault fault = {.report = report,
                              .severity = ALLOT_ERROR,
                              .code = "E-exclusive",
                              .hint = "hybrid has no loans and pools",
                              .group = group,
                              .consumer = plan->tree.handle_of[it->tree_row ? it->tree_row[i] : i],
                              .field = ALLOT_EXCLUSIVE};
        allot__say(plan, &fault,
                   "exclusive is true, but the policy \"%.80s\" lends and shares slots one by one",
                   allot_policy_name(policy));
        result = ALLOT_EINVALID;
    }
    return result;
}

/* ---- Victims by claimant (C-16) -------------------------------------------------------------- */

/* A consumer for which not every host is open; ALLOT_ROOT: there is none. */
static int32_t picky(const allot_plan *plan, int32_t group)
{
    const allot__group *it = &plan->groups[group];
    const allot__require *requires = plan->requires.items;
    for (int32_t i = 0; i < plan->tree.rows; i++)
        if (it->columns[ALLOT_EXCLUSIVE][i])
            return plan->tree.handle_of[it->tree_row ? it->tree_row[i] : i];
    return plan->requires.count > 0 ? requires[0].consumer : ALLOT_ROOT;
}

/* Where hosts differ, they choose the victims (E-30). */
static int check_claimants(const allot_plan *plan, int32_t group, allot_report *report)
{
    const allot__group *it = &plan->groups[group];
    int32_t consumer = picky(plan, group);
    for (int32_t i = 0; i < it->governing_count && consumer != ALLOT_ROOT; i++) {
        const allot_policy *policy = it->governing[i].policy;
        if (!policy || !allot__policy_by_claimant(policy))
            continue;
        allot__fault fault = allot__fault_of(
            report, "E-claimant", "leave out exclusive and requires, or claimant in the policy");
        fault.group = group;
        fault.consumer = consumer;
        allot__say(plan, &fault,
                   "it is not served by every host, so hosts choose victims (E-30), and victims or "
                   "guards of the policy \"%.80s\" cannot read claimant",
                   allot_policy_name(policy));
        return ALLOT_EINVALID;
    }
    return ALLOT_OK;
}

/* ---- Use over time --------------------------------------------------------------------------- */

/* Policies that read use need a plan that counts it. */
static int check_usage(const allot_plan *plan, int32_t group, allot_report *report)
{
    const allot__group *it = &plan->groups[group];
    int result = ALLOT_OK;
    for (int32_t i = 0; i < it->governing_count && !plan->fades; i++) {
        const allot_policy *policy = it->governing[i].policy;
        int32_t named = -1;
        if (!policy || !allot__policy_reads_use(policy, &named) || named < 0)
            continue;
        allot__fault fault = allot__fault_of(
            report, "E-decay", "\"half_life\": 604800 leaves half of it a week later");
        fault.group = group;
        allot__say(
            plan, &fault,
            "the policy \"%.80s\" reads \"%s\", but the plan states neither \"half_life\" nor "
            "\"hist_hours\", so use is not counted",
            allot_policy_name(policy), allot_column_name(named));
        result = ALLOT_EINVALID;
    }
    return result;
}

/* ---- All ------------------------------------------------------------------------------------- */

int allot__check_group(const allot_plan *plan, int32_t group, allot_report *report)
{
    const allot__group *it = &plan->groups[group];
    size_t rows = plan->tree.rows > 0 ? (size_t)plan->tree.rows : 1;
    int32_t *effective = allot__new(plan->engine, rows, sizeof *effective);
    if (!effective)
        return ALLOT_ENOMEM;
    int status = ALLOT_OK;
    if (!it->policy) {
        allot__fault fault = allot__fault_of(report, "E-policy", NULL);
        fault.group = group;
        allot__say(plan, &fault, "no policy is given for %s", it->name);
        status = ALLOT_EINVALID;
    }
    if (check_slots(plan, group, report))
        status = ALLOT_EINVALID;
    if (!reserve_up(plan, it, effective)) {
        say_all(plan, group, effective, report);
        status = ALLOT_EINVALID;
    }
    if (status == ALLOT_OK && it->no_ownership)
        warn_owned(plan, group, report);
    if (check_ledger(plan, group, report) || allot__check_wildcards(plan, group, report))
        status = ALLOT_EINVALID;
    allot__free(plan->engine, effective, rows, sizeof *effective);
    if (allot__check_queues(plan, group, report))
        status = ALLOT_EINVALID;
    if (check_requires(plan, group, report) || check_exclusive(plan, group, report) ||
        check_usage(plan, group, report) || check_claimants(plan, group, report))
        status = ALLOT_EINVALID;
    return status;
}
