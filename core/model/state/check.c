/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* check.c: checks an item for a plan's state, by the table of its members. */
#include <string.h>

#include "model/jobs/queue.h"
#include "model/state/state.h"

/* Faults found; of several the first of these is returned. */
typedef struct checking {
    const allot_plan *plan;
    bool usage, name, range;
} checking;

static bool within(int64_t value, int64_t least, int64_t most)
{
    return value >= least && value <= most;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* The common form of claims, resources, slots of groups and values of attributes. */
typedef struct entry {
    int32_t number;
    int64_t amount;
} entry;

/* The sum of all places' slots must be an amount, too. */
static void check_places(checking *it, const allot_job_host *places, int32_t count)
{
    int64_t left = ALLOT_AMOUNT_MAX;
    for (int32_t i = 0; i < count; i++) {
        it->name = it->name || (places[i].host && !allot__label_valid(places[i].host));
        it->range = it->range || !within(places[i].slots, 1, left);
        left -= it->range ? 0 : places[i].slots;
    }
}

/* Checks that entries' numbers are below the type's end, and that none but claimants and attributes
 * are there twice. */
static void check_entries(checking *it, allot_member_type type, const char *list, int32_t count)
{
    bool values = type == ALLOT_MEMBER_VALUES, claims = type == ALLOT_MEMBER_CLAIMS;
    int64_t end = claims                         ? it->plan->tree.rows
                  : values                       ? allot_plan_task_attributes(it->plan)
                  : type == ALLOT_MEMBER_AMOUNTS ? allot_plan_resources(it->plan)
                                                 : it->plan->group_count;
    for (int32_t i = 0; i < count; i++) {
        allot_attribute of = {.min = type == ALLOT_MEMBER_SLOTS, .max = ALLOT_AMOUNT_MAX};
        entry read, other;
        memcpy(&read, list + (size_t)i * sizeof read, sizeof read);
        it->usage = it->usage || !within(read.number, 0, end - 1);
        for (int32_t k = 0; k < i && !values && !claims; k++) {
            memcpy(&other, list + (size_t)k * sizeof other, sizeof other);
            it->usage = it->usage || other.number == read.number;
        }
        if (values)
            it->usage = it->usage ||
                        allot_plan_task_attribute_at(it->plan, read.number, &of) != ALLOT_OK ||
                        of.type == ALLOT_TAG;
        it->range = it->range || !within(read.amount, of.min, of.max);
    }
}

static void check_list(checking *it, const allot_member *member, const char *item)
{
    const void *list;
    int32_t count;
    memcpy(&list, item + member->at, sizeof list);
    memcpy(&count, item + member->count_at, sizeof count);
    if (count < 0 || (count > 0 && !list))
        it->usage = true;
    else if (member->type == ALLOT_MEMBER_PLACES)
        check_places(it, list, count);
    else if (member->type != ALLOT_MEMBER_TEXTS)
        check_entries(it, member->type, list, count);
    else
        for (int32_t i = 0; i < count; i++)
            it->usage = it->usage || !((const char *const *)list)[i];
}

/* ---- Members --------------------------------------------------------------------------------- */

static void check_text(checking *it, const allot_member *member, const char *item)
{
    const char *text;
    memcpy(&text, item + member->at, sizeof text);
    if (member->flags & ALLOT_MEMBER_REQUIRED)
        it->name = it->name || !text || !within((int64_t)strlen(text), 1, 255);
    if (member->flags & ALLOT_MEMBER_LABEL)
        it->name = it->name || (text && !allot__label_valid(text));
}

/* In a plan with queues leaves are queues, which only jobs may name. */
static void check_number(checking *it, const allot_member *member, const char *item)
{
    int32_t number, queues = allot__queue_count(it->plan);
    memcpy(&number, item + member->at, sizeof number);
    bool unset = !(member->flags & ALLOT_MEMBER_REQUIRED) && number == member->unset;
    bool known = member->type == ALLOT_MEMBER_WORD    ? member->word(number) != NULL
                 : member->type == ALLOT_MEMBER_GROUP ? within(number, 0, it->plan->group_count - 1)
                 : member->type == ALLOT_MEMBER_QUEUE
                     ? within(number, 0, (int64_t)queues - 1)
                     : queues == 0 && allot__plan_leaf(it->plan, number);
    it->usage = it->usage || (!known && !unset);
}

static void check_members(checking *it, const allot_member *members, int32_t count,
                          const char *item)
{
    for (int32_t i = 0; i < count; i++) {
        const allot_member *member = &members[i];
        int64_t whole;
        if (member->flags & ALLOT_MEMBER_PASSED)
            continue;
        switch (member->type) {
        case ALLOT_MEMBER_TEXT:
            check_text(it, member, item);
            break;
        case ALLOT_MEMBER_LEAF:
        case ALLOT_MEMBER_GROUP:
        case ALLOT_MEMBER_QUEUE:
        case ALLOT_MEMBER_WORD:
            check_number(it, member, item);
            break;
        case ALLOT_MEMBER_WHOLE:
            memcpy(&whole, item + member->at, sizeof whole);
            it->range = it->range ||
                        (whole != member->unset && !within(whole, member->least, member->most));
            break;
        case ALLOT_MEMBER_CONSUMER: /* only hosts, which have their own setters */
        case ALLOT_MEMBER_THOUSANDTHS:
        case ALLOT_MEMBER_TIME:
        case ALLOT_MEMBER_FLAG:
        case ALLOT_MEMBER_OBJECT:
            break;
        default:
            check_list(it, member, item);
        }
        if (member->member_count > 0)
            check_members(it, member->members, member->member_count, item);
    }
}

/* ---- What members have to do with each other ------------------------------------------------- */

/* A waiting task has no host or slot yet, and a task of several groups shares no slot. */
static void check_task(checking *it, const allot_task *task)
{
    bool waits = task->state == ALLOT_TASK_PENDING;
    it->usage =
        it->usage || (waits && (task->host || task->slot)) || (task->also_count > 0 && task->slot);
    for (int32_t i = 0; !it->usage && i < task->also_count; i++)
        it->usage = task->also[i].group == task->group;
}

static void check_job(checking *it, const allot_job *job)
{
    enum { FLAGS = ALLOT_JOB_EXCLUSIVE | ALLOT_JOB_BACKFILL | ALLOT_JOB_FORCED };
    it->name = it->name || !allot__label_valid(job->id);
    it->usage = it->usage || (job->flags & ~FLAGS);
    for (int32_t i = 0; !it->usage && i < job->host_count; i++)
        it->usage = !job->hosts[i].host;
}

static void check_reclaim(checking *it, const allot_in_flight *reclaim)
{
    for (int32_t i = 0; !it->usage && i < reclaim->task_count; i++)
        it->name = it->name || !within((int64_t)strlen(reclaim->tasks[i]), 1, 255);
}

static bool within_available(const allot_lease_side *side)
{
    return side->used <= side->available;
}

int allot__item_check(const allot_plan *plan, allot_item kind, const void *item)
{
    const allot_members *members = allot_members_of(kind);
    checking it = {.plan = plan};
    allot_task task;
    if (kind == ALLOT_ITEM_TASK) { /* a task's priority of 0 means 1 */
        task = *(const allot_task *)item;
        task.priority += task.priority == 0;
        item = &task;
    }
    check_members(&it, members->items, members->count, item);
    if (kind == ALLOT_ITEM_TASK)
        check_task(&it, item);
    else if (kind == ALLOT_ITEM_JOB)
        check_job(&it, item);
    else if (kind == ALLOT_ITEM_RECLAIM)
        check_reclaim(&it, item);
    else if (kind == ALLOT_ITEM_LOAN)
        it.usage =
            it.usage || ((const allot_loan *)item)->lender == ((const allot_loan *)item)->borrower;
    else if (kind == ALLOT_ITEM_LEASE)
        it.range = it.range || !within_available(&((const allot_lease_now *)item)->provider) ||
                   !within_available(&((const allot_lease_now *)item)->consumer);
    return it.usage ? ALLOT_EUSAGE : it.name ? ALLOT_ENAME : it.range ? ALLOT_ERANGE : ALLOT_OK;
}
