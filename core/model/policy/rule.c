/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rule.c: how a policy's rules combine: fills, orders, rounding. */
#include <string.h>

#include "base/name.h"
#include "model/names/names.h"
#include "model/policy/policy.h"

/* The last column that each stage can read: its own result does not exist yet. */
enum {
    IN_RESERVE = ALLOT_GROUP_SLOTS,
    IN_QUOTA = ALLOT_IN_FLIGHT,
    IN_FILL = ALLOT_PARENT_SLOTS,
    IN_DISTRIBUTION = ALLOT_QUOTA,
    IN_RECLAIM = ALLOT_OVER
};

/* Is the source valid as a weight or cap? Not a column that can be below 0. */
static bool amount_valid(const allot_policy *policy, allot_source source, int32_t last)
{
    if (!allot__source_valid(policy, ALLOT_CONSUMERS, source, last))
        return false;
    return source.kind != ALLOT_FROM_COLUMN || source.value < ALLOT_COLUMN_COUNT ||
           policy->attributes[source.value - ALLOT_COLUMN_COUNT].min >= 0;
}

static bool order_make(const allot_policy *policy, const allot_key *keys, int32_t n, int32_t last,
                       allot__order *out)
{
    return allot__order_make(policy, ALLOT_CONSUMERS, keys, n, last, out);
}

static int append(allot_policy *policy, const char *label, allot__fill fill)
{
    fill.label = allot__pool_copy(policy->engine, &policy->pool, label);
    if (!fill.label)
        return ALLOT_ENOMEM;
    policy->fills[policy->fill_count++] = fill;
    return ALLOT_OK;
}

/* This fill, always poured first, keeps the invariant reserve <= quota. */
int allot__policy_complete(allot_policy *policy)
{
    bool lends = allot__policy_ledger(policy) || policy->switches[ALLOT_SWITCH_ACROSS];
    if (lends && allot__policy_by_claimant(policy))
        return ALLOT_EUSAGE;
    if (policy->fill_count > 0)
        return ALLOT_OK;
    int status = policy->dispatches ? allot__policy_jobs_complete(policy) : ALLOT_OK;
    if (status)
        return status;
    allot_source reserve = {ALLOT_FROM_COLUMN, ALLOT_RESERVE};
    return append(policy, policy->dispatches ? "dispatched" : "reserved",
                  (allot__fill){.by = reserve, .up_to = reserve});
}

static bool percent_valid(const allot_policy *policy, int32_t column)
{
    int32_t own = column - ALLOT_COLUMN_COUNT;
    return column == ALLOT_SHARE ||
           (own >= 0 && own < policy->attribute_count &&
            policy->attributes[own].type == ALLOT_INTEGER && policy->attributes[own].min >= 0);
}

static bool cap_valid(const allot_policy *policy, allot_source up_to, int32_t keys)
{
    if (up_to.kind == ALLOT_FROM_PERCENT)
        return percent_valid(policy, up_to.value);
    if (up_to.kind == ALLOT_FROM_PART)
        return keys == 0 && allot__policy_parted(policy) < 0;
    if (up_to.kind == ALLOT_FROM_HELD)
        return allot__policy_parted(policy) >= 0;
    return up_to.kind == ALLOT_FROM_NEED || amount_valid(policy, up_to, IN_FILL);
}

static bool label_taken(const allot_policy *policy, const char *label, bool completing)
{
    if (completing && strcmp(label, "reserved") == 0)
        return true;
    for (int32_t i = 0; i < policy->fill_count; i++)
        if (strcmp(policy->fills[i].label, label) == 0)
            return true;
    return false;
}

int allot_policy_fill(allot_policy *policy, const char *label, allot_source by, allot_source up_to,
                      const allot_key *keys, int32_t n)
{
    allot__fill fill = {.by = by, .up_to = up_to};
    bool planned = up_to.kind == ALLOT_FROM_PART || up_to.kind == ALLOT_FROM_HELD;
    if (!allot__policy_divides(policy) || !amount_valid(policy, by, planned ? IN_QUOTA : IN_FILL) ||
        !cap_valid(policy, up_to, n) || !order_make(policy, keys, n, IN_FILL, &fill.order) ||
        (policy->fill_count > 0 && allot__policy_ledger(policy)))
        return ALLOT_EUSAGE;
    if (!label || !allot__name_valid(label, strlen(label)))
        return ALLOT_ENAME;
    bool completing =
        policy->fill_count == 0 && !(allot__is_reserve(by) && allot__is_reserve(up_to) && n == 0);
    if (label_taken(policy, label, completing))
        return ALLOT_EEXIST;
    if (policy->fill_count + completing >= ALLOT_FILLS_MAX)
        return ALLOT_EUSAGE;
    if (completing && allot__policy_complete(policy))
        return ALLOT_ENOMEM;
    int status = append(policy, label, fill);
    if (status && completing)
        policy->fill_count--;
    return status;
}

int allot_policy_fill_level(allot_policy *policy)
{
    if (!allot__policy_divides(policy) || policy->fill_count == 0 || allot__policy_ledger(policy))
        return ALLOT_EUSAGE;
    policy->fills[policy->fill_count - 1].level = true;
    return ALLOT_OK;
}

/* ---- Pools and loans ---- */

const allot__fill *allot__policy_part(const allot_policy *policy, allot__fill_kind kind)
{
    for (int32_t i = 0; i < policy->fill_count; i++)
        if (policy->fills[i].kind == kind)
            return &policy->fills[i];
    return NULL;
}

static bool pours_column(const allot__fill *fill, int32_t column)
{
    return fill->kind == ALLOT__FILL && fill->order.count == 0 && !fill->level &&
           fill->by.kind == ALLOT_FROM_COLUMN && fill->by.value == column &&
           fill->up_to.kind == ALLOT_FROM_COLUMN && fill->up_to.value == column;
}

/* A ledger distinguishes own slots: so only the fills reserve and owned come before it. */
static int append_part(allot_policy *policy, const char *label, const allot__fill *part)
{
    const allot__fill *fills = policy->fills;
    int32_t count = policy->fill_count;
    bool pool = count == 3 && part->kind == ALLOT__LOAN && fills[2].kind == ALLOT__POOL;
    if (count < 2 || !pours_column(&fills[0], ALLOT_RESERVE) ||
        !pours_column(&fills[1], ALLOT_OWNED) || (count > 2 && !pool))
        return ALLOT_EUSAGE;
    if (!label || !allot__name_valid(label, strlen(label)))
        return ALLOT_ENAME;
    if (label_taken(policy, label, false))
        return ALLOT_EEXIST;
    return append(policy, label, *part);
}

static bool limit_valid(const allot_policy *policy, allot_source source)
{
    return source.kind == ALLOT_FROM_NEED || amount_valid(policy, source, IN_QUOTA);
}

int allot_policy_pool(allot_policy *policy, const char *label, allot_source by, allot_source up_to)
{
    allot__fill part = {.kind = ALLOT__POOL, .by = by, .up_to = up_to};
    if (!allot__policy_divides(policy) || !amount_valid(policy, by, IN_QUOTA) ||
        !limit_valid(policy, up_to))
        return ALLOT_EUSAGE;
    return append_part(policy, label, &part);
}

int allot_policy_loan(allot_policy *policy, const char *label, allot_source lend_limit,
                      allot_source borrow_limit, const allot_key *keys, int32_t n)
{
    allot__fill part = {.kind = ALLOT__LOAN, .by = lend_limit, .up_to = borrow_limit};
    if (!allot__policy_divides(policy) || !limit_valid(policy, lend_limit) ||
        !limit_valid(policy, borrow_limit) || !order_make(policy, keys, n, IN_QUOTA, &part.order))
        return ALLOT_EUSAGE;
    if (n == 0) {
        part.order.keys[0] = (allot_key){{ALLOT_FROM_COLUMN, ALLOT_RANK}, 0};
        part.order.count = 1;
    }
    return append_part(policy, label, &part);
}

int allot_policy_loan_by(allot_policy *policy, allot_source by)
{
    if (!allot__policy_divides(policy) || policy->fill_count == 0 ||
        !amount_valid(policy, by, IN_QUOTA))
        return ALLOT_EUSAGE;
    allot__fill *loan = &policy->fills[policy->fill_count - 1];
    if (loan->kind != ALLOT__LOAN)
        return ALLOT_EUSAGE;
    loan->weight = by;
    loan->weighs = true;
    return ALLOT_OK;
}

/* ---- What a policy reads ---- */

int32_t allot__policy_parted(const allot_policy *policy)
{
    for (int32_t i = 0; i < policy->fill_count; i++)
        if (policy->fills[i].up_to.kind == ALLOT_FROM_PART)
            return i;
    return -1;
}

bool allot__policy_reads(const allot_policy *policy, allot_source source, int32_t column)
{
    if (source.kind == ALLOT_FROM_COLUMN || source.kind == ALLOT_FROM_PERCENT)
        return source.value == column;
    if (source.kind != ALLOT_FROM_FUNCTION)
        return false;
    const allot__function *function =
        (const allot__function *)policy->functions.items + source.value;
    for (int32_t i = 0; i < function->count; i++)
        if (allot__summed(function->rows, function->columns[i]) == column)
            return true;
    return false;
}

static bool reads_owned(const allot_policy *policy, allot_source source)
{
    return allot__policy_reads(policy, source, ALLOT_OWNED) ||
           allot__policy_reads(policy, source, ALLOT_CONFIGURED);
}

static bool divides_by(const allot_policy *policy, int32_t column)
{
    for (int32_t i = 1; i < policy->fill_count; i++) /* after reserve */
        if (allot__policy_reads(policy, policy->fills[i].by, column))
            return true;
    return false;
}

const char *allot__policy_divides_by(const allot_policy *policy)
{
    if (divides_by(policy, ALLOT_SHARE))
        return allot_column_name(ALLOT_SHARE);
    for (int32_t i = 0; i < policy->attribute_count; i++)
        if (divides_by(policy, ALLOT_COLUMN_COUNT + i))
            return policy->attributes[i].name;
    return NULL;
}

/* Functions of whole rows have all columns, and may read them. */
static bool reads_row(const allot_policy *policy, allot_source source)
{
    const allot__function *functions = policy->functions.items;
    return source.kind == ALLOT_FROM_FUNCTION && functions[source.value].count > ALLOT_IN_FLIGHT;
}

static int source_uses(const allot_policy *policy, allot_source source, int32_t *named)
{
    bool over = allot__policy_reads(policy, source, ALLOT_USED_OVER_SHARE);
    bool usage = allot__policy_reads(policy, source, ALLOT_USAGE);
    if ((over || usage) && *named < 0 && !reads_row(policy, source))
        *named = over ? ALLOT_USED_OVER_SHARE : ALLOT_USAGE;
    return (usage ? ALLOT__READS_USAGE : 0) | (over ? ALLOT__READS_OVER_SHARE : 0);
}

static int order_uses(const allot_policy *policy, const allot__order *order, int32_t *named)
{
    int any = 0;
    for (int32_t i = 0; i < order->count; i++)
        any |= source_uses(policy, order->keys[i].source, named);
    return any;
}

int allot__policy_reads_use(const allot_policy *policy, int32_t *named)
{
    *named = -1;
    int any = source_uses(policy, policy->reclaim_by, named);
    any |= order_uses(policy, &policy->distribute, named);
    any |= order_uses(policy, &policy->reclaim, named);
    for (int32_t i = 0; i < policy->fill_count; i++) {
        const allot__fill *fill = &policy->fills[i];
        any |= source_uses(policy, fill->by, named);
        any |= source_uses(policy, fill->up_to, named);
        any |= source_uses(policy, fill->weight, named);
        any |= order_uses(policy, &fill->order, named);
    }
    for (int32_t i = 0; i < policy->takes.count; i++)
        any |= source_uses(policy, policy->takes.list[i], named);
    bool claimant = allot__policy_by_claimant(policy); /* which is a whole row */
    return any | (claimant ? ALLOT__READS_USAGE | ALLOT__READS_OVER_SHARE : 0);
}

int allot_policy_owns(const allot_policy *policy)
{
    for (int32_t i = 0; i < policy->fill_count; i++) {
        const allot__fill *fill = &policy->fills[i];
        if (reads_owned(policy, fill->by) || reads_owned(policy, fill->up_to))
            return true;
        for (int32_t k = 0; k < fill->order.count; k++)
            if (reads_owned(policy, fill->order.keys[k].source))
                return true;
    }
    return false;
}

bool allot__policy_leaves_out(const allot_policy *policy)
{
    bool shares = false;
    for (int32_t i = 0; i < policy->fill_count; i++) {
        const allot__fill *fill = &policy->fills[i];
        int32_t column = fill->by.kind == ALLOT_FROM_COLUMN ? fill->by.value : -1;
        bool stated = (column >= 0 && column < ALLOT_PLAN_COLUMNS) || column == ALLOT_CONFIGURED ||
                      column >= ALLOT_COLUMN_COUNT;
        bool nothing = fill->by.kind == ALLOT_FROM_NUMBER && fill->by.value == 0;
        if (allot__is_reserve(fill->up_to))
            continue;
        if (fill->kind != ALLOT__FILL || (!stated && !nothing))
            return false;
        shares = shares || column == ALLOT_SHARE;
    }
    return shares;
}

int allot_policy_switch(allot_policy *policy, allot_switch which, int on)
{
    if (!allot__policy_open(policy) || (int)which < 0 || which >= ALLOT_SWITCH_COUNT)
        return ALLOT_EUSAGE;
    policy->switches[which] = on != 0;
    return ALLOT_OK;
}

int allot_policy_damp(allot_policy *policy, int option, int64_t value)
{
    const uint32_t damping =
        UINT32_C(1) << ALLOT_OPTION_HOLD_ROUNDING | UINT32_C(1) << ALLOT_OPTION_DEAD_ZONE |
        UINT32_C(1) << ALLOT_OPTION_MOST_RECLAIMED | UINT32_C(1) << ALLOT_OPTION_RECLAIM_INTERVAL |
        UINT32_C(1) << ALLOT_OPTION_CLAIM_DELAY;
    int status = allot__option_check(option, value);
    if (!allot__policy_open(policy) || status == ALLOT_EUSAGE || !(damping >> option & 1))
        return ALLOT_EUSAGE;
    if (status == ALLOT_OK) {
        policy->options[option] = value;
        policy->options_set |= UINT32_C(1) << option;
    }
    return status;
}

/* ---- Scale, rounding, orders ---- */

int allot_policy_scale(allot_policy *policy, int scaled)
{
    if (!allot__policy_open(policy))
        return ALLOT_EUSAGE;
    policy->exact = !scaled;
    return ALLOT_OK;
}

int allot_policy_reserve(allot_policy *policy, allot_source reserve)
{
    if (!allot__policy_divides(policy) || !amount_valid(policy, reserve, IN_RESERVE))
        return ALLOT_EUSAGE;
    policy->reserve = reserve;
    policy->divides = true;
    return ALLOT_OK;
}

/* Rounding up uses the order of distribution, so that order must not depend on quotas. */
static bool goes_round(const allot_policy *policy, allot_rounding rounding,
                       const allot__order *distribute)
{
    bool reads = false;
    for (int32_t i = 0; rounding == ALLOT_ROUND_CEIL_IN_ORDER && i < distribute->count; i++)
        reads = reads ||
                allot__policy_reads(policy, distribute->keys[i].source, ALLOT_PARENT_SLOTS) ||
                allot__policy_reads(policy, distribute->keys[i].source, ALLOT_QUOTA);
    return reads;
}

int allot_policy_round(allot_policy *policy, allot_rounding rounding)
{
    if (!allot__policy_open(policy) || (int)rounding < ALLOT_ROUND_RANK ||
        rounding > ALLOT_ROUND_WEBSTER || goes_round(policy, rounding, &policy->distribute))
        return ALLOT_EUSAGE;
    policy->rounding = rounding;
    return ALLOT_OK;
}

int allot_policy_distribute(allot_policy *policy, const allot_key *keys, int32_t n)
{
    allot__order order;
    if (!allot__policy_divides(policy) || !order_make(policy, keys, n, IN_DISTRIBUTION, &order) ||
        goes_round(policy, policy->rounding, &order))
        return ALLOT_EUSAGE;
    policy->distribute = order;
    policy->divides = true;
    return ALLOT_OK;
}

int allot_policy_reclaim(allot_policy *policy, allot_source by, const allot_key *keys, int32_t n)
{
    if (!allot__policy_divides(policy) || !amount_valid(policy, by, IN_RECLAIM) ||
        !order_make(policy, keys, n, IN_RECLAIM, &policy->reclaim))
        return ALLOT_EUSAGE;
    policy->reclaim_by = by;
    policy->divides = true;
    return ALLOT_OK;
}

int allot_policy_takes(allot_policy *policy, allot_source test)
{
    if (!allot__policy_divides(policy) || allot__policy_ledger(policy) ||
        policy->switches[ALLOT_SWITCH_ACROSS])
        return ALLOT_EUSAGE;
    policy->divides = true;
    return allot__tests_add(policy, ALLOT_CONSUMERS, test, IN_RECLAIM, &policy->takes);
}
