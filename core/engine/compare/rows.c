/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rows.c: groups and consumers compared, and what the measures of all rows are called. */
#include "engine/compare/diff.h"

#include <stdio.h>
#include <string.h>

static const struct kind {
    const char *name, *measures;
} kinds[] = {
#define KIND(name, text, measures) {text, measures},
    ALLOT_DIFF_MAP(KIND)
#undef KIND
};

/* ---- Measures -------------------------------------------------------------------------------- */

static bool is_kind(int kind)
{
    return kind >= 0 && kind < ALLOT_DIFF_KINDS;
}

const char *allot_diff_kind_name(int kind)
{
    return is_kind(kind) ? kinds[kind].name : NULL;
}

int32_t allot_diff_measures(int kind)
{
    int32_t count = 1;
    for (const char *at = is_kind(kind) ? kinds[kind].measures : ""; *at != '\0'; at++)
        count += *at == ' ';
    return is_kind(kind) ? count : 0;
}

/* The i-th word of a kind's measures, or NULL. */
static const char *word(int kind, int32_t i)
{
    const char *at = i >= 0 && i < allot_diff_measures(kind) ? kinds[kind].measures : NULL;
    for (; at && i > 0; i--)
        at = strchr(at, ' ') + 1;
    return at;
}

size_t allot_diff_measure_name(int kind, int32_t i, char *buf, size_t size)
{
    const char *at = word(kind, i);
    int len = !at ? 0 : (int)strcspn(at += *at == '(', " )");
    return (size_t)snprintf(buf, size, "%.*s", len, at ? at : "");
}

int allot_diff_decided(int kind, int32_t i)
{
    const char *at = word(kind, i);
    return at != NULL && *at != '(';
}

/* A row is of one side alone where what it is about, or its group, is not on the other. */
static bool is_alone(const allot_change *row)
{
    if (row->kind == ALLOT_DIFF_GROUP)
        return row->group[0] < 0 || row->group[1] < 0;
    if (row->kind == ALLOT_DIFF_LEASE)
        return row->item[0] < 0 || row->item[1] < 0;
    return row->kind == ALLOT_DIFF_CONSUMER &&
           (row->consumer[0] < 0 || row->consumer[1] < 0 || row->group[0] < 0 || row->group[1] < 0);
}

int allot_change_differs(const allot_change *row)
{
    bool differs = is_alone(row);
    const char *at = kinds[row->kind].measures;
    for (int32_t i = 0; at && !differs; i++) {
        differs = *at != '(' && row->value[0][i] != row->value[1][i];
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return differs;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

void allot__diff_lost(const allot_decision *decision, int32_t group, int64_t *tasks, int64_t *lost)
{
    allot_reclaim reclaim;
    *tasks = *lost = 0;
    for (int32_t i = 0; i < allot_decision_reclaims(decision); i++) {
        allot_decision_reclaim(decision, i, &reclaim);
        if (group == ALLOT_ALL || reclaim.group == group) {
            *tasks += reclaim.task_count;
            *lost += reclaim.lost;
        }
    }
}

static void measure_group(const allot_decision *decision, int32_t group, int64_t *value)
{
    allot_totals totals;
    if (group < 0 || allot_decision_totals(decision, group, &totals) != ALLOT_OK)
        return;
    const int64_t measures[] = {totals.slots,   totals.idle, totals.idle_left,
                                totals.granted, totals.held, totals.reclaimed};
    memcpy(value, measures, sizeof measures);
    allot__diff_lost(decision, group, &value[6], &value[7]);
}

static int add_group(allot_diff *diff, int32_t a, int32_t b)
{
    allot_change *row = allot__push(diff->engine, &diff->rows, sizeof *row);
    if (!row)
        return ALLOT_ENOMEM;
    *row = (allot_change){.kind = ALLOT_DIFF_GROUP,
                          .group = {a, b},
                          .consumer = {-1, -1},
                          .other = {-1, -1},
                          .item = {-1, -1}};
    measure_group(diff->side[0], a, row->value[0]);
    measure_group(diff->side[1], b, row->value[1]);
    return ALLOT_OK;
}

int allot__diff_groups(allot_diff *diff)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < diff->groups.count[0] && status == ALLOT_OK; i++)
        status = add_group(diff, i, diff->groups.of[0][i]);
    for (int32_t i = 0; i < diff->groups.count[1] && status == ALLOT_OK; i++)
        if (diff->groups.of[1][i] < 0)
            status = add_group(diff, -1, i);
    return status;
}

/* ---- Consumers ------------------------------------------------------------------------------- */

static void measure_consumer(const allot_decision *decision, int32_t group, int32_t consumer,
                             int64_t *value)
{
    allot_verdict verdict;
    if (group < 0 || consumer < 0 ||
        allot_decision_verdict(decision, group, consumer, &verdict) != ALLOT_OK)
        return;
    const int64_t measures[] = {verdict.demand,  verdict.need, verdict.allocated, verdict.quota,
                                verdict.granted, verdict.held, verdict.reclaimed, verdict.deficit};
    memcpy(value, measures, sizeof measures);
}

static int add_consumer(allot_diff *diff, const int32_t group[2], int32_t a, int32_t b)
{
    allot_change row = {.kind = ALLOT_DIFF_CONSUMER,
                        .group = {group[0], group[1]},
                        .consumer = {a, b},
                        .other = {-1, -1},
                        .item = {-1, -1}};
    measure_consumer(diff->side[0], group[0], a, row.value[0]);
    measure_consumer(diff->side[1], group[1], b, row.value[1]);
    if (!diff->all && !allot_change_differs(&row))
        return ALLOT_OK;
    allot_change *made = allot__push(diff->engine, &diff->rows, sizeof *made);
    if (made)
        *made = row;
    return made ? ALLOT_OK : ALLOT_ENOMEM;
}

/* The consumers of a side in its plan's order: all of A's, and those that B alone has. */
static int add_consumers(allot_diff *diff, const int32_t group[2], int side)
{
    const allot_plan *plan = allot_decision_plan(diff->side[side]);
    const int32_t *twin = diff->consumers.of[side];
    int status = ALLOT_OK;
    for (int32_t i = allot_plan_next(plan, ALLOT_ROOT); i != ALLOT_ROOT && status == ALLOT_OK;
         i = allot_plan_next(plan, i))
        if (side == 0)
            status = add_consumer(diff, group, i, twin[i]);
        else if (twin[i] < 0)
            status = add_consumer(diff, group, -1, i);
    return status;
}

int allot__diff_consumers(allot_diff *diff)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < diff->groups.count[0] && status == ALLOT_OK; i++) {
        const int32_t group[] = {i, diff->groups.of[0][i]};
        status = add_consumers(diff, group, 0);
        status = status == ALLOT_OK ? add_consumers(diff, group, 1) : status;
    }
    for (int32_t i = 0; i < diff->groups.count[1] && status == ALLOT_OK; i++) {
        const int32_t group[] = {-1, i};
        if (diff->groups.of[1][i] < 0) {
            status = add_consumers(diff, group, 0);
            status = status == ALLOT_OK ? add_consumers(diff, group, 1) : status;
        }
    }
    return status;
}

/* ---- What there is --------------------------------------------------------------------------- */

const allot_decision *allot_diff_side(const allot_diff *diff, int side)
{
    return diff->side[side != 0];
}

int32_t allot_diff_count(const allot_diff *diff, int kind)
{
    return is_kind(kind) ? diff->first[kind + 1] - diff->first[kind] : 0;
}

static const char *name_of(const allot_diff *diff, const allot_change *row)
{
    int side = row->item[0] < 0;
    const allot_decision *decision = diff->side[side];
    allot_task task;
    allot_job job;
    allot_lease lease;
    if (row->item[side] < 0)
        return NULL;
    if (row->kind == ALLOT_DIFF_TASK) {
        allot_state_task_at(allot_decision_state(decision), row->item[side], &task);
        return task.id;
    }
    if (row->kind == ALLOT_DIFF_JOB) {
        allot_state_job_at(allot_decision_state(decision), row->item[side], &job);
        return job.id;
    }
    allot_plan_lease_at(allot_decision_plan(decision), row->item[side], &lease);
    return lease.name;
}

int allot_diff_at(const allot_diff *diff, int kind, int32_t i, allot_change *out)
{
    if (!diff || !out || i < 0 || i >= allot_diff_count(diff, kind))
        return ALLOT_EUSAGE;
    *out = ((const allot_change *)diff->rows.items)[diff->first[kind] + i];
    if (kind != ALLOT_DIFF_PLACE)
        out->name = name_of(diff, out);
    return ALLOT_OK;
}

int allot_diff_differs(const allot_diff *diff)
{
    return diff->differs;
}
