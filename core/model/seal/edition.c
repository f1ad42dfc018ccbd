/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * edition.c: the plan that holds while certain windows do.
 *
 * This file owns: the life of editions.
 */
#include <string.h>

#include "model/jobs/queue.h"
#include "model/seal/seal.h"
#include "model/windows/window.h"

/* ---- Making ---------------------------------------------------------------------------------- */

/* A group as the windows leave it, not laid out yet. */
static void alter_group(const allot_plan *plan, allot__group *group)
{
    uint64_t held = allot__held_windows(plan, group);
    group->columns = NULL;
    group->store = group->seating = NULL;
    group->lend_at = group->borrow_at = NULL;
    group->ruled = NULL;
    group->branch_ruled = group->family_ruled = NULL;
    group->ruled_count = 0;
    group->seat = group->seat_of = group->family_of = group->parent = NULL;
    for (int32_t i = 0; i < allot__hours_count(plan); i++) {
        const allot__hours *hours = allot__hours_at(plan, i);
        if (!(held >> i & 1))
            continue;
        if (hours->slots_set) {
            group->slots = hours->slots;
            group->slots_set = true;
        }
        if (hours->policy)
            group->policy = hours->policy;
        for (int32_t k = 0; k < ALLOT_OPTION_COUNT; k++)
            if (hours->options_set >> k & 1)
                group->options[k] = hours->options[k];
        group->options_set |= hours->options_set;
    }
}

/* What the plan says, and behind it what its windows do; the lists stay theirs. */
static int join(const allot_plan *plan, const allot__vector *more, allot__vector *peers)
{
    const allot__peers *items = more->items;
    for (size_t i = 0; i < more->count; i++) {
        allot__peers *added = allot__push(plan->engine, peers, sizeof *added);
        if (!added)
            return ALLOT_ENOMEM;
        *added = items[i];
    }
    return ALLOT_OK;
}

static int alter_peers(const allot_plan *plan, const allot__group *from, allot__group *group)
{
    uint64_t held = allot__held_windows(plan, group);
    group->lend = group->borrow = (allot__vector){0};
    int status = join(plan, &from->lend, &group->lend);
    if (status == ALLOT_OK)
        status = join(plan, &from->borrow, &group->borrow);
    for (int32_t i = 0; i < allot__hours_count(plan) && status == ALLOT_OK; i++) {
        const allot__hours *hours = allot__hours_at(plan, i);
        if (held >> i & 1)
            status = join(plan, &hours->lend, &group->lend);
        if (held >> i & 1 && status == ALLOT_OK)
            status = join(plan, &hours->borrow, &group->borrow);
    }
    return status;
}

static void edition_free(allot_plan *edition)
{
    const allot_plan *base = edition->base;
    size_t count = (size_t)edition->group_count;
    for (size_t i = 0; edition->groups && i < count; i++) {
        allot__group *group = &edition->groups[i];
        if (group->store == base->groups[i].store)
            continue;
        allot__layout_free(edition, group);
        allot__vector_free(base->engine, &group->lend);
        allot__vector_free(base->engine, &group->borrow);
    }
    allot__relation_free(edition);
    allot__free(base->engine, edition->groups, count, sizeof *edition->groups);
    allot__free(base->engine, edition, 1, sizeof *edition);
}

/* Lays out what differs in the groups that `held` is about: of the others the base's. */
static int edition_make(const allot_plan *base, uint64_t held, int32_t group, allot_plan **out)
{
    allot_plan *edition = allot__new(base->engine, 1, sizeof *edition);
    if (!edition)
        return ALLOT_ENOMEM;
    *edition = *base;
    edition->base = base;
    edition->held = held;
    size_t count = (size_t)base->group_count;
    edition->groups = allot__new(base->engine, count, sizeof *edition->groups);
    int status = edition->groups ? ALLOT_OK : ALLOT_ENOMEM;
    if (edition->groups)
        memcpy(edition->groups, base->groups, count * sizeof *edition->groups);
    for (int32_t i = 0; i < base->group_count && status == ALLOT_OK; i++) {
        allot__group *it = &edition->groups[i];
        if (!allot__held_windows(edition, it) || (group != ALLOT_ALL && group != i))
            continue;
        alter_group(edition, it);
        status = alter_peers(edition, &base->groups[i], it);
        if (status == ALLOT_OK)
            status = allot__layout_make(edition, it);
    }
    if (status)
        edition_free(edition);
    else
        *out = edition;
    return status;
}

void allot__editions_free(allot_plan *plan)
{
    allot_plan **editions = plan->windows ? plan->windows->editions.items : NULL;
    for (size_t i = 0; editions && i < plan->windows->editions.count; i++)
        edition_free(editions[i]);
    if (plan->windows)
        plan->windows->editions.count = 0;
}

/* What checking settles: a size that is not stated. Nothing is wrong any more. */
static int settle(allot_plan *edition)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < edition->group_count && status != ALLOT_ENOMEM; i++)
        if (allot__held_windows(edition, &edition->groups[i]))
            status = allot__check_group(edition, i, NULL);
    return status;
}

static int edition_new(const allot_plan *base, uint64_t held, const allot_plan **out)
{
    allot_plan *edition;
    int status = edition_make(base, held, ALLOT_ALL, &edition);
    if (status)
        return status;
    status = settle(edition);
    if (status == ALLOT_OK)
        status = allot__relation_make(edition, NULL);
    allot_plan **added = NULL;
    if (status == ALLOT_OK)
        added = allot__push(base->engine, &base->windows->editions, sizeof(allot_plan *));
    if (!added) {
        edition_free(edition);
        return status ? status : ALLOT_ENOMEM;
    }
    *added = edition;
    *out = edition;
    return ALLOT_OK;
}

int allot_plan_at(const allot_plan *plan, int64_t when, const allot_plan **out)
{
    if (!plan || !plan->sealed || !out)
        return ALLOT_EUSAGE;
    const allot_plan *base = allot__plan_base(plan);
    uint64_t held = allot_plan_windows_at(base, when);
    if (held == 0) {
        *out = base;
        return ALLOT_OK;
    }
    allot_plan *const *editions = base->windows->editions.items;
    for (size_t i = 0; i < base->windows->editions.count; i++) {
        if (editions[i]->held == held) {
            *out = editions[i];
            return ALLOT_OK;
        }
    }
    return edition_new(base, held, out);
}

/* ---- Checking -------------------------------------------------------------------------------- */

typedef struct checking {
    const allot_plan *plan;
    int32_t group;
    allot_report *report;
    allot__vector faulty; /* of uint64_t: sets that are */
    int result;
} checking;

/* A set with more than a faulty one has its faults again. */
static bool known_faulty(const checking *check, uint64_t windows)
{
    const uint64_t *faulty = check->faulty.items;
    for (size_t i = 0; i < check->faulty.count; i++)
        if ((faulty[i] & windows) == faulty[i])
            return true;
    return false;
}

static int check_set(void *ud, uint64_t windows)
{
    checking *check = ud;
    allot_plan *edition;
    if (windows == 0 || known_faulty(check, windows))
        return ALLOT_OK;
    int status = edition_make(check->plan, windows, check->group, &edition);
    if (status)
        return status;
    status = allot__check_group(edition, check->group, check->report);
    if (status == ALLOT_OK && check->group == 0)
        status = allot__relation_make(edition, check->report);
    edition_free(edition);
    if (status != ALLOT_EINVALID)
        return status;
    check->result = ALLOT_EINVALID;
    uint64_t *added = allot__push(check->plan->engine, &check->faulty, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    *added = windows;
    return ALLOT_OK;
}

static int say_many(const checking *check)
{
    allot__fault fault = {.report = check->report,
                          .severity = ALLOT_ERROR,
                          .code = "E-windows",
                          .hint = "give windows of one group the same time zone",
                          .group = check->group,
                          .consumer = -1,
                          .field = -1};
    allot__say(check->plan, &fault,
               "windows of %s in several time zones can hold together in more than %d ways, and "
               "each has to be checked",
               check->plan->groups[check->group].name, ALLOT__SETS_MAX);
    return ALLOT_EINVALID;
}

int allot__editions_check(const allot_plan *plan, allot_report *report)
{
    int result = ALLOT_OK;
    for (int32_t i = 0; i < plan->group_count; i++) {
        checking check = {.plan = plan, .group = i, .report = report};
        int status = allot__windows_each(plan, allot__windows_of(plan, i), check_set, &check);
        allot__vector_free(plan->engine, &check.faulty);
        if (status == ALLOT_ERANGE)
            check.result = say_many(&check);
        else if (status)
            return status;
        result = check.result ? check.result : result;
    }
    return result;
}
