/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lists.c: what two decisions list, compared: reclaims, grants' hosts, tasks, jobs, loans,
 * leases. */
#include "engine/compare/diff.h"

#include <string.h>

#include "engine/decision/decision.h"

typedef struct walk {
    allot_diff *diff;
    const allot_decision *decision;
    int side;
} walk;

static allot__about about_leaf(int32_t group, int32_t consumer)
{
    return (allot__about){.group = group, .consumer = consumer, .other = -1, .item = -1};
}

static allot__about about_item(int32_t item, int32_t consumer)
{
    return (allot__about){.group = -1, .consumer = consumer, .other = -1, .item = item};
}

/* Both sides' numbers of what has number `of` on `side`. */
static void both(const allot__twins *twins, int side, int32_t of, int32_t out[2])
{
    out[side] = of;
    out[!side] = of < 0 ? -1 : twins->of[side][of];
}

static int32_t item_twin(const allot_diff *diff, allot_diff_kind kind, int side, int32_t item)
{
    const allot_decision *own = diff->side[side], *other = diff->side[!side];
    allot_task task;
    allot_job job;
    allot_lease lease;
    switch (kind) {
    case ALLOT_DIFF_TASK:
        allot_state_task_at(own->state, item, &task);
        return allot__task_find(other->state, task.id);
    case ALLOT_DIFF_LEASE:
        allot_plan_lease_at(own->plan, item, &lease);
        return allot_plan_lease_find(other->plan, lease.name);
    default:
        allot_state_job_at(own->state, item, &job);
        return allot_state_job_find(other->state, job.id);
    }
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

allot_change *allot__diff_row(allot_diff *diff, allot_diff_kind kind, int side,
                              const allot__about *about)
{
    allot_change key = {.kind = kind, .name = about->name, .item = {-1, -1}};
    both(&diff->groups, side, about->group, key.group);
    both(&diff->consumers, side, about->consumer, key.consumer);
    both(&diff->consumers, side, about->other, key.other);
    if (about->item >= 0) {
        key.item[side] = about->item;
        key.item[!side] = item_twin(diff, kind, side, about->item);
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
static int64_t *numbers(const walk *it, allot_diff_kind kind, allot__about about)
{
    allot_change *row = allot__diff_row(it->diff, kind, it->side, &about);
    return row ? row->value[it->side] : NULL;
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
    for (int32_t k = 0; k < reclaim.claim_count; k++) {
        allot__about about = about_leaf(reclaim.group, reclaim.consumer);
        about.other = reclaim.claims[k].consumer;
        int64_t *value = numbers(it, ALLOT_DIFF_CLAIM, about);
        if (!value)
            return ALLOT_ENOMEM;
        value[0] += reclaim.claims[k].slots;
    }
    return ALLOT_OK;
}

static int32_t leaf_of(const walk *it, int32_t task)
{
    allot_task what;
    allot_state_task_at(allot_decision_state(it->decision), task, &what);
    return what.consumer;
}

static int list_task(const walk *it, int32_t task, int measure)
{
    int64_t *value = numbers(it, ALLOT_DIFF_TASK, about_item(task, leaf_of(it, task)));
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

static int list_places(const walk *it, allot__about about, const allot_place *places, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        about.name = places[k].name;
        int64_t *value = numbers(it, ALLOT_DIFF_PLACE, about);
        if (!value)
            return ALLOT_ENOMEM;
        value[0] += places[k].slots;
    }
    return ALLOT_OK;
}

static int list_grant(const walk *it, int32_t i)
{
    allot_grant grant;
    allot_decision_grant(it->decision, i, &grant);
    return list_places(it, about_leaf(grant.group, grant.consumer), grant.places,
                       grant.place_count);
}

static allot__about about_job(const walk *it, int32_t job)
{
    allot_job what;
    allot_state_job_at(allot_decision_state(it->decision), job, &what);
    return about_item(job,
                      allot_plan_queue_consumer(allot_decision_plan(it->decision), what.queue));
}

/* Where jobs come to; those that go leave the hosts that they are on. */
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
    int64_t *value = numbers(it, ALLOT_DIFF_JOB, about_job(it, order.job));
    if (!value)
        return ALLOT_ENOMEM;
    value[order.kind] += order.slots;
    return ALLOT_OK;
}

/* ---- Loans and leases ------------------------------------------------------------------------ */

static int list_loan(const walk *it, int32_t i)
{
    allot_loan_change loan;
    allot_decision_loan(it->decision, i, &loan);
    allot__about about = about_leaf(loan.group, loan.lender);
    about.other = loan.borrower;
    int64_t *value = numbers(it, ALLOT_DIFF_LOAN, about);
    if (!value)
        return ALLOT_ENOMEM;
    value[0] += loan.slots;
    return ALLOT_OK;
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

static int list_all(const walk *it, int32_t count, int (*list)(const walk *it, int32_t i))
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
        status = list(it, i);
    return status;
}

static int list_both(const walk *it, int32_t count, int (*list)(const walk *it, int32_t i),
                     int32_t more, int (*other)(const walk *it, int32_t i))
{
    int status = list_all(it, count, list);
    return status == ALLOT_OK ? list_all(it, more, other) : status;
}

int allot__diff_list(allot_diff *diff, allot_diff_kind kind, int side)
{
    const allot_decision *decision = diff->side[side];
    const walk it = {diff, decision, side};
    int32_t reclaims = allot_decision_reclaims(decision);
    int32_t orders = allot_decision_job_orders(decision);
    switch (kind) {
    case ALLOT_DIFF_RECLAIM:
        return list_all(&it, reclaims, list_reclaim);
    case ALLOT_DIFF_CLAIM:
        return list_all(&it, reclaims, list_claims);
    case ALLOT_DIFF_PLACE:
        return list_both(&it, allot_decision_grants(decision), list_grant, orders, list_job_places);
    case ALLOT_DIFF_TASK:
        return list_both(&it, reclaims, list_victims, allot_decision_kills(decision), list_killed);
    case ALLOT_DIFF_JOB:
        return list_all(&it, orders, list_job);
    case ALLOT_DIFF_LOAN:
        return list_all(&it, allot_decision_loans(decision), list_loan);
    default:
        return list_all(&it, allot_plan_leases(allot_decision_plan(decision)), list_lease);
    }
}
