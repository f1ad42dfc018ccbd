/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* diff.c: compares two decisions: matches things of A and B, lists what both decide about each, and
 * keeps the rows that differ. */
#include <allot/diff.h>

#include <string.h>

#include <allot/stated.h>

#include "base/name.h"
#include "engine/decision/decision.h"

/* Maps numbers of things on one side to those on the other; -1: none. */
typedef struct twins {
    int32_t count[2];
    int32_t *of[2];
} twins;

struct allot_diff {
    allot_engine *engine;
    const allot_decision *side[2];
    bool all;
    bool differs;
    twins groups, consumers;
    allot__vector rows; /* of allot_change, kind by kind */
    int32_t first[ALLOT_DIFF_KINDS + 1];
    /* Rows of the kind being compared, by subject. */
    allot__index index;
};

/* A row's subject, by the numbers of one side; -1: none of that kind. */
typedef struct about {
    int32_t group, consumer, other, item;
    const char *name;
} about;

/* ---- Twins ----------------------------------------------------------------------------------- */

static int twins_new(allot_engine *engine, twins *twins, int32_t a, int32_t b)
{
    twins->count[0] = a;
    twins->count[1] = b;
    for (int side = 0; side < 2; side++) {
        size_t count = (size_t)twins->count[side];
        twins->of[side] = allot__new(engine, count, sizeof **twins->of);
        if (!twins->of[side] && count > 0)
            return ALLOT_ENOMEM;
        if (count > 0)
            memset(twins->of[side], -1, count * sizeof **twins->of);
    }
    return ALLOT_OK;
}

static void twins_free(allot_engine *engine, twins *twins)
{
    for (int side = 0; side < 2; side++)
        allot__free(engine, twins->of[side], (size_t)twins->count[side], sizeof **twins->of);
}

static void pair(twins *twins, int32_t a, int32_t b)
{
    twins->of[0][a] = b;
    twins->of[1][b] = a;
}

static int match_groups(allot_diff *it, const allot_plan *a, const allot_plan *b)
{
    int status = twins_new(it->engine, &it->groups, allot_plan_groups(a), allot_plan_groups(b));
    for (int32_t i = 0; status == ALLOT_OK && i < it->groups.count[1]; i++) {
        const char *name = allot_plan_group_name(b, i);
        int32_t twin = allot_plan_group_find(a, name, strlen(name));
        if (twin >= 0)
            pair(&it->groups, twin, i);
    }
    return status;
}

static int match_consumers(allot_diff *it, const allot_plan *a, const allot_plan *b)
{
    allot_plan_map *map = NULL;
    int status =
        twins_new(it->engine, &it->consumers, allot_plan_consumers(a), allot_plan_consumers(b));
    if (status == ALLOT_OK)
        status = allot_plan_map_new(it->engine, a, b, &map);
    for (int32_t i = 0; status == ALLOT_OK && i < map->consumer_count; i++)
        if (map->consumers[i] >= 0)
            pair(&it->consumers, i, map->consumers[i]);
    allot_plan_map_free(it->engine, map);
    return status;
}

/* ---- Groups and consumers -------------------------------------------------------------------- */

static void add_lost(const allot_decision *decision, int32_t group, int64_t *tasks, int64_t *lost)
{
    allot_reclaim reclaim;
    for (int32_t i = 0; i < allot_decision_reclaims(decision); i++) {
        allot_decision_reclaim(decision, i, &reclaim);
        *tasks += reclaim.group == group ? reclaim.task_count : 0;
        *lost += reclaim.group == group ? reclaim.lost : 0;
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
    add_lost(decision, group, &value[6], &value[7]);
}

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

/* Adds a row of a group and a consumer; -1: none. */
static int add_pair(allot_diff *diff, const int32_t group[2], int32_t a, int32_t b)
{
    bool whole = a < 0 && b < 0;
    allot_change row = {.kind = whole ? ALLOT_DIFF_GROUP : ALLOT_DIFF_CONSUMER,
                        .group = {group[0], group[1]},
                        .consumer = {a, b},
                        .other = {-1, -1},
                        .item = {-1, -1}};
    for (int side = 0; side < 2; side++)
        if (whole)
            measure_group(diff->side[side], group[side], row.value[side]);
        else
            measure_consumer(diff->side[side], group[side], row.consumer[side], row.value[side]);
    if (!diff->all && !allot_change_differs(&row))
        return ALLOT_OK;
    allot_change *made = allot__push(diff->engine, &diff->rows, sizeof *made);
    if (made)
        *made = row;
    return made ? ALLOT_OK : ALLOT_ENOMEM;
}

/* Adds the consumers of a side in its plan's order: all of A's, or those that only B has. */
static int add_consumers(allot_diff *diff, const int32_t group[2], int side)
{
    const allot_plan *plan = diff->side[side]->plan;
    const int32_t *twin = diff->consumers.of[side];
    int status = ALLOT_OK;
    for (int32_t i = allot_plan_next(plan, ALLOT_ROOT); i != ALLOT_ROOT && status == ALLOT_OK;
         i = allot_plan_next(plan, i))
        if (side == 0)
            status = add_pair(diff, group, i, twin[i]);
        else if (twin[i] < 0)
            status = add_pair(diff, group, -1, i);
    return status;
}

/* All of A's groups, and those that only B has: adds rows of these, or of their consumers. */
static int add_groups(allot_diff *diff, allot_diff_kind kind)
{
    int status = ALLOT_OK;
    int32_t count = diff->groups.count[0] + diff->groups.count[1];
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        int32_t b = i - diff->groups.count[0];
        const int32_t group[] = {b < 0 ? i : -1, b < 0 ? diff->groups.of[0][i] : b};
        if (b >= 0 && diff->groups.of[1][b] >= 0)
            continue;
        if (kind == ALLOT_DIFF_GROUP) {
            status = add_pair(diff, group, -1, -1);
        } else {
            status = add_consumers(diff, group, 0);
            status = status == ALLOT_OK ? add_consumers(diff, group, 1) : status;
        }
    }
    return status;
}

/* ---- Rows of lists --------------------------------------------------------------------------- */

typedef struct walk {
    allot_diff *diff;
    const allot_decision *decision;
    int side;
} walk;

static about about_leaf(int32_t group, int32_t consumer)
{
    return (about){.group = group, .consumer = consumer, .other = -1, .item = -1};
}

static about about_item(int32_t item, int32_t consumer)
{
    return (about){.group = -1, .consumer = consumer, .other = -1, .item = item};
}

static const char *item_name(const allot_decision *decision, allot_diff_kind kind, int32_t item)
{
    allot_task task;
    allot_job job;
    allot_lease lease;
    switch (kind) {
    case ALLOT_DIFF_TASK:
        allot_state_task_at(decision->state, item, &task);
        return task.id;
    case ALLOT_DIFF_LEASE:
        allot_plan_lease_at(decision->plan, item, &lease);
        return lease.name;
    default:
        allot_state_job_at(decision->state, item, &job);
        return job.id;
    }
}

/* The numbers on both sides of the thing with number `of` on `side`. */
static void both(const twins *twins, int side, int32_t of, int32_t out[2])
{
    out[side] = of;
    out[!side] = of < 0 ? -1 : twins->of[side][of];
}

static int32_t item_twin(const allot_diff *diff, allot_diff_kind kind, int side, int32_t item)
{
    const allot_decision *other = diff->side[!side];
    const char *name = item_name(diff->side[side], kind, item);
    return kind == ALLOT_DIFF_TASK    ? allot__task_find(other->state, name)
           : kind == ALLOT_DIFF_LEASE ? allot_plan_lease_find(other->plan, name)
                                      : allot_state_job_find(other->state, name);
}

static bool is_same(const allot_change *row, const allot_change *key)
{
    for (int side = 0; side < 2; side++)
        if (row->group[side] != key->group[side] || row->consumer[side] != key->consumer[side] ||
            row->other[side] != key->other[side] || row->item[side] != key->item[side])
            return false;
    return (!row->name) == (!key->name) && (!row->name || strcmp(row->name, key->name) == 0);
}

static uint32_t hash_of(const allot_change *key)
{
    const int32_t numbers[] = {key->group[0], key->group[1], key->consumer[0], key->consumer[1],
                               key->other[0], key->other[1], key->item[0],     key->item[1]};
    uint32_t hash = allot__hash(0, (const char *)numbers, sizeof numbers);
    return key->name ? allot__hash(hash, key->name, strlen(key->name)) : hash;
}

/* The row of that kind, added if new; NULL: out of memory. It may move as the next is added. */
static allot_change *row_of(allot_diff *diff, allot_diff_kind kind, int side, const about *of)
{
    allot_change key = {.kind = kind, .name = of->name, .item = {-1, -1}};
    both(&diff->groups, side, of->group, key.group);
    both(&diff->consumers, side, of->consumer, key.consumer);
    both(&diff->consumers, side, of->other, key.other);
    if (of->item >= 0) {
        key.item[side] = of->item;
        key.item[!side] = item_twin(diff, kind, side, of->item);
    }
    uint32_t hash = hash_of(&key), probe = 0;
    allot_change *rows = diff->rows.items;
    for (int32_t i; (i = allot__index_next(&diff->index, hash, &probe)) >= 0;)
        if (is_same(&rows[i], &key))
            return &rows[i];
    if (allot__index_room(diff->engine, &diff->index) != ALLOT_OK)
        return NULL;
    allot_change *made = allot__push(diff->engine, &diff->rows, sizeof *made);
    if (made) {
        allot__index_add(&diff->index, hash, (int32_t)diff->rows.count - 1);
        *made = key;
    }
    return made;
}

/* The numbers of that side's row; NULL: out of memory. */
static int64_t *numbers(const walk *it, allot_diff_kind kind, about of)
{
    allot_change *row = row_of(it->diff, kind, it->side, &of);
    return row ? row->value[it->side] : NULL;
}

/* Adds to a measure of that side's row. */
static int add(const walk *it, allot_diff_kind kind, about of, int32_t measure, int64_t amount)
{
    int64_t *value = numbers(it, kind, of);
    if (value)
        value[measure] += amount;
    return value ? ALLOT_OK : ALLOT_ENOMEM;
}

/* ---- Reclaims -------------------------------------------------------------------------------- */

static int list_reclaim(const walk *it, int32_t i)
{
    allot_reclaim reclaim;
    allot_decision_reclaim(it->decision, i, &reclaim);
    int64_t *value = numbers(it, ALLOT_DIFF_RECLAIM, about_leaf(reclaim.group, reclaim.consumer));
    if (!value)
        return ALLOT_ENOMEM;
    value[0] += reclaim.slots;
    value[1] = reclaim.grace > value[1] ? reclaim.grace : value[1];
    value[2] += reclaim.task_count;
    value[3] += reclaim.lost;
    value[4] += reclaim.unknown;
    return ALLOT_OK;
}

static int list_claims(const walk *it, int32_t i)
{
    allot_reclaim reclaim;
    allot_decision_reclaim(it->decision, i, &reclaim);
    about of = about_leaf(reclaim.group, reclaim.consumer);
    int status = ALLOT_OK;
    for (int32_t k = 0; k < reclaim.claim_count && status == ALLOT_OK; k++) {
        of.other = reclaim.claims[k].consumer;
        status = add(it, ALLOT_DIFF_CLAIM, of, 0, reclaim.claims[k].slots);
    }
    return status;
}

static int list_task(const walk *it, int32_t task, int measure)
{
    allot_task what;
    allot_state_task_at(it->decision->state, task, &what);
    int64_t *value = numbers(it, ALLOT_DIFF_TASK, about_item(task, what.consumer));
    if (!value)
        return ALLOT_ENOMEM;
    value[measure] = 1;
    return ALLOT_OK;
}

static int list_victims(const walk *it, int32_t i)
{
    allot_reclaim reclaim;
    int status = allot_decision_reclaim(it->decision, i, &reclaim);
    for (int32_t k = 0; k < reclaim.task_count && status == ALLOT_OK; k++)
        status = list_task(it, reclaim.tasks[k], 0);
    return status;
}

static int list_killed(const walk *it, int32_t i)
{
    allot_kill kill;
    allot_decision_kill(it->decision, i, &kill);
    return list_task(it, kill.task, 1);
}

/* ---- Hosts and jobs -------------------------------------------------------------------------- */

static int list_places(const walk *it, about of, const allot_place *places, int32_t count)
{
    int status = ALLOT_OK;
    for (int32_t k = 0; k < count && status == ALLOT_OK; k++) {
        of.name = places[k].name;
        status = add(it, ALLOT_DIFF_PLACE, of, 0, places[k].slots);
    }
    return status;
}

static int list_grant(const walk *it, int32_t i)
{
    allot_grant grant;
    allot_decision_grant(it->decision, i, &grant);
    return list_places(it, about_leaf(grant.group, grant.consumer), grant.places,
                       grant.place_count);
}

static about about_job(const walk *it, int32_t job)
{
    allot_job what;
    allot_state_job_at(it->decision->state, job, &what);
    return about_item(job, allot_plan_queue_consumer(it->decision->plan, what.queue));
}

/* Hosts on which jobs get slots, and those that stopped jobs leave. */
static int list_job_places(const walk *it, int32_t i)
{
    allot_job_order order;
    allot_decision_job_order(it->decision, i, &order);
    if (order.kind == ALLOT_ORDER_SUSPEND || order.kind == ALLOT_ORDER_KILL)
        return ALLOT_OK;
    return list_places(it, about_job(it, order.job), order.places, order.place_count);
}

static int list_job(const walk *it, int32_t i)
{
    allot_job_order order;
    allot_decision_job_order(it->decision, i, &order);
    return add(it, ALLOT_DIFF_JOB, about_job(it, order.job), (int32_t)order.kind, order.slots);
}

/* ---- Loans and leases ------------------------------------------------------------------------ */

static int list_loan(const walk *it, int32_t i)
{
    allot_loan_change loan;
    allot_decision_loan(it->decision, i, &loan);
    about of = about_leaf(loan.group, loan.lender);
    of.other = loan.borrower;
    return add(it, ALLOT_DIFF_LOAN, of, 0, loan.slots);
}

static int list_lease(const walk *it, int32_t i)
{
    allot_lease_part part;
    int64_t *value = numbers(it, ALLOT_DIFF_LEASE, about_item(i, -1));
    if (!value)
        return ALLOT_ENOMEM;
    allot_decision_lease(it->decision, i, &part);
    value[0] = part.now.provider.available;
    value[1] = part.now.consumer.available;
    value[2] = part.to_consumer ? part.moved : -part.moved;
    value[3] = part.now.phase;
    return ALLOT_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int32_t count_leases(const allot_decision *decision)
{
    return allot_plan_leases(decision->plan);
}

/* Adds what one side lists, of the kinds from RECLAIM on. */
static int add_lists(allot_diff *diff, allot_diff_kind kind, int side)
{
    static const struct {
        allot_diff_kind kind;
        int32_t (*count)(const allot_decision *decision);
        int (*list)(const walk *it, int32_t i);
    } lists[] = {
        {ALLOT_DIFF_RECLAIM, allot_decision_reclaims, list_reclaim},
        {ALLOT_DIFF_CLAIM, allot_decision_reclaims, list_claims},
        {ALLOT_DIFF_PLACE, allot_decision_grants, list_grant},
        {ALLOT_DIFF_PLACE, allot_decision_job_orders, list_job_places},
        {ALLOT_DIFF_TASK, allot_decision_reclaims, list_victims},
        {ALLOT_DIFF_TASK, allot_decision_kills, list_killed},
        {ALLOT_DIFF_JOB, allot_decision_job_orders, list_job},
        {ALLOT_DIFF_LOAN, allot_decision_loans, list_loan},
        {ALLOT_DIFF_LEASE, count_leases, list_lease},
    };
    const walk it = {diff, diff->side[side], side};
    int status = ALLOT_OK;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        int32_t count = lists[k].kind == kind ? lists[k].count(it.decision) : 0;
        for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
            status = lists[k].list(&it, i);
    }
    return status;
}

static bool is_shown(const allot_diff *diff, const allot_change *row)
{
    return allot_change_differs(row) || (diff->all && row->kind <= ALLOT_DIFF_CONSUMER);
}

/* Removes rows of the last kind that show no difference. */
static void thin_out(allot_diff *diff, int32_t first)
{
    allot_change *rows = diff->rows.items;
    int32_t kept = first;
    for (int32_t i = first; i < (int32_t)diff->rows.count; i++) {
        diff->differs = diff->differs || allot_change_differs(&rows[i]);
        if (is_shown(diff, &rows[i]))
            rows[kept++] = rows[i];
    }
    diff->rows.count = (size_t)kept;
    allot__index_free(diff->engine, &diff->index);
    diff->index = (allot__index){0};
}

static int compare(allot_diff *diff)
{
    const allot_plan *a = diff->side[0]->plan, *b = diff->side[1]->plan;
    int status = match_groups(diff, a, b);
    if (status == ALLOT_OK)
        status = match_consumers(diff, a, b);
    for (int kind = 0; kind < ALLOT_DIFF_KINDS && status == ALLOT_OK; kind++) {
        diff->first[kind] = (int32_t)diff->rows.count;
        if (kind <= ALLOT_DIFF_CONSUMER)
            status = add_groups(diff, kind);
        for (int side = 0; side < 2 && status == ALLOT_OK; side++)
            status = add_lists(diff, kind, side);
        thin_out(diff, diff->first[kind]);
    }
    diff->first[ALLOT_DIFF_KINDS] = (int32_t)diff->rows.count;
    return status;
}

/* ---- Life ------------------------------------------------------------------------------------ */

int allot_diff_new(const allot_decision *a, const allot_decision *b, int all, allot_diff **out)
{
    if (!a || !b || !out || a->last < ALLOT_STAGE_ORDERS || b->last < ALLOT_STAGE_ORDERS)
        return ALLOT_EUSAGE;
    allot_engine *engine = allot_plan_engine(a->plan);
    allot_diff *diff = allot__new(engine, 1, sizeof *diff);
    if (!diff)
        return ALLOT_ENOMEM;
    *diff = (allot_diff){.engine = engine, .side = {a, b}, .all = all != 0};
    int status = compare(diff);
    if (status != ALLOT_OK) {
        allot_diff_free(diff);
        return status;
    }
    *out = diff;
    return ALLOT_OK;
}

void allot_diff_free(allot_diff *diff)
{
    if (!diff)
        return;
    twins_free(diff->engine, &diff->groups);
    twins_free(diff->engine, &diff->consumers);
    allot__index_free(diff->engine, &diff->index);
    allot__vector_free(diff->engine, &diff->rows);
    allot__free(diff->engine, diff, 1, sizeof *diff);
}

/* ---- What there is --------------------------------------------------------------------------- */

const allot_decision *allot_diff_side(const allot_diff *diff, int side)
{
    return diff->side[side != 0];
}

int32_t allot_diff_count(const allot_diff *diff, int kind)
{
    return allot_diff_kind_name(kind) ? diff->first[kind + 1] - diff->first[kind] : 0;
}

int allot_diff_at(const allot_diff *diff, int kind, int32_t i, allot_change *out)
{
    if (!diff || !out || i < 0 || i >= allot_diff_count(diff, kind))
        return ALLOT_EUSAGE;
    *out = ((const allot_change *)diff->rows.items)[diff->first[kind] + i];
    int side = out->item[0] < 0;
    if (kind != ALLOT_DIFF_PLACE)
        out->name = out->item[side] < 0 ? NULL : item_name(diff->side[side], kind, out->item[side]);
    return ALLOT_OK;
}

int allot_diff_differs(const allot_diff *diff)
{
    return diff->differs;
}
