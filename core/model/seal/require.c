/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* require.c: requirements and exclusive consumers (H-14), checked against policies. */
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "model/seal/seal.h"
#include "model/windows/say.h"

static const allot_policy *policy_at(const allot_plan *plan, int32_t group, int32_t row)
{
    const allot__group *it = &plan->groups[group];
    return it->governing[allot__governing_of(plan, it, row)].policy;
}

static const char *requirement_at(const allot_policy *policy, size_t i)
{
    return ((const allot__requirement *)policy->requirements.items)[i].name;
}

/* The nearest requirement that the policy has, else all, as far as they fit. */
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

int allot__check_requires(const allot_plan *plan, int32_t group, allot_report *report)
{
    const allot__require *list = plan->requires.items;
    int result = ALLOT_OK;
    for (size_t i = 0; i < plan->requires.count; i++) {
        const allot_policy *policy =
            policy_at(plan, group, allot__row(plan, group, list[i].consumer));
        if (!policy || allot__requirement_find(policy, list[i].name) >= 0)
            continue;
        char hint[192];
        allot__fault fault = {.report = report,
                              .severity = ALLOT_ERROR,
                              .code = "E-requires",
                              .hint = advise(policy, list[i].name, hint, sizeof hint),
                              .group = group,
                              .consumer = list[i].consumer,
                              .field = -1};
        allot__say(plan, &fault, "the policy \"%.80s\" has no requirement \"%.80s\"",
                   allot_policy_name(policy), list[i].name);
        result = ALLOT_EINVALID;
    }
    return result;
}

int allot__check_exclusive(const allot_plan *plan, int32_t group, allot_report *report)
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
