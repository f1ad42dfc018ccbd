/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* enter.c: a decision's changes to the books. */
#include <stdio.h>

#include <allot/apply.h>

#include "service/books/own.h"

/* A decision being carried out, and the lines written about it. */
typedef struct entry {
    allot__books *books;
    const allot_decision *decision;
    allot__text *effect;
} entry;

bool allot__books_told(const allot__books *books, const allot_decision *decision, int32_t i)
{
    allot_kill kill;
    allot_task task;
    allot_flight flight;
    if (allot_decision_kill(decision, i, &kill) != ALLOT_OK ||
        allot_decision_flight(decision, kill.flight, &flight) != ALLOT_OK)
        return false;
    const allot__flight_item *of = allot__books_flight(books, flight.id);
    if (of && of->of.told)
        return true;
    if (allot_state_task_at(allot_decision_state(decision), kill.task, &task) != ALLOT_OK)
        return false;
    const allot__map_item *item = allot__item_find(&books->tasks, task.id);
    return item != NULL && ((const allot__record *)(const void *)item)->told;
}

int64_t allot__books_standing(const allot__books *books, const allot_decision *decision)
{
    int64_t standing = 0;
    for (int32_t i = 0; i < allot_decision_grants(decision); i++) {
        allot_grant grant;
        standing += allot_decision_grant(decision, i, &grant) == ALLOT_OK &&
                    allot__leaf_beside(books, grant.group, grant.consumer)->source != NULL;
    }
    return standing;
}

/* ---- Tasks that start ------------------------------------------------------------------------ */

/* A grant names such a task once, and again when its start was withheld for a while or its leaf
 * gets more slots. Grants that stand (to leaves of a source) name it until the source states that
 * it runs. */

/* The pending task that a grant names as its i-th, only in the task's own group; NULL: in another
 * group, or the grant stands and is not entered. */
static allot__task_item *start_of(const allot__books *books, const allot_decision *decision,
                                  const allot_grant *grant, int32_t i)
{
    allot_task task;
    if (allot__leaf_beside(books, grant->group, grant->consumer)->source ||
        allot_state_task_at(allot_decision_state(decision), grant->tasks[i], &task) != ALLOT_OK ||
        task.group != grant->group)
        return NULL;
    return allot__item_find(&books->tasks, task.id);
}

bool allot__books_starts_told(const allot__books *books, const allot_decision *decision, int32_t i)
{
    allot_grant grant;
    if (allot_decision_grant(decision, i, &grant) != ALLOT_OK || grant.slots > 0 ||
        allot__leaf_beside(books, grant.group, grant.consumer)->source)
        return false;
    for (int32_t k = 0; k < grant.task_count; k++) {
        allot_task task;
        if (allot_state_task_at(allot_decision_state(decision), grant.tasks[k], &task) != ALLOT_OK)
            return false;
        const allot__task_item *item = allot__item_find(&books->tasks, task.id);
        if (!item || !item->of.told)
            return false;
    }
    return true;
}

static void say(allot__books *books, allot__task_item *task, bool told, allot__text *effect)
{
    allot__task_tell(books, task, told);
    allot__entry_open(effect, ALLOT__EVENT_KEEP_TOLD);
    allot__text_member(effect, "id", task->of.named.name);
    if (!told)
        allot__text_bool(effect, "told", false);
    allot__entry_close(effect);
}

/* Tasks whose start was sent, and which would not start now. */
static void tell_others(allot__books *books, allot__text *effect)
{
    for (allot__map_item *at = books->tasks.first; at; at = at->after) {
        allot__known task = {.item = allot__task_of(at)};
        if (task.item->of.told && task.item->start != books->starts &&
            allot__task_known(books, at->name, &task) && !allot__task_runs(&task.it))
            say(books, task.item, false, effect);
    }
}

/* How many tasks grants name; *fresh: how many whose start was not sent. With `effect` they are
 * marked, and sent from now on. */
static int64_t name_starts(allot__books *books, const allot_decision *decision, int64_t *fresh,
                           allot__text *effect)
{
    int64_t named = 0;
    *fresh = 0;
    for (int32_t i = 0; books->pending > 0 && i < allot_decision_grants(decision); i++) {
        allot_grant grant;
        allot_decision_grant(decision, i, &grant);
        for (int32_t k = 0; k < grant.task_count; k++) {
            allot__task_item *item = start_of(books, decision, &grant, k);
            named += item != NULL;
            *fresh += item && !item->of.told;
            if (item && effect)
                item->start = books->starts;
            if (item && effect && !item->of.told)
                say(books, item, true, effect);
        }
    }
    return named;
}

static void enter_starts(allot__books *books, const allot_decision *decision, allot__text *effect)
{
    int64_t fresh;
    books->starts++;
    if (books->starts_told > name_starts(books, decision, &fresh, effect))
        tell_others(books, effect);
}

/* ---- Decisions without a change -------------------------------------------------------------- */

/* The decision names exactly the tasks whose starts were sent. */
static bool starts_stay(const allot__books *books, const allot_decision *decision)
{
    int64_t fresh, named = name_starts((allot__books *)books, decision, &fresh, NULL);
    return fresh == 0 && named == books->starts_told;
}

static bool leases_stay(const allot__books *books, const allot_decision *decision)
{
    for (int32_t i = 0; i < (int32_t)books->leases; i++) {
        allot_lease_now was;
        allot_lease_part part;
        if (allot_decision_lease(decision, i, &part) != ALLOT_OK)
            continue;
        if (allot_state_lease_at(books->state, i, &was) != ALLOT_OK ||
            memcmp(&was.provider, &part.now.provider, sizeof was.provider) != 0 ||
            memcmp(&was.consumer, &part.now.consumer, sizeof was.consumer) != 0 ||
            was.phase != part.now.phase || was.since != part.now.since)
            return false;
    }
    return true;
}

/* The state lists reclaims in the same order. */
static bool flights_stay(const allot__books *books, const allot_decision *decision)
{
    for (int32_t i = 0; i < allot_decision_flights(decision); i++) {
        allot_flight flight;
        allot_decision_flight(decision, i, &flight);
        allot_in_flight was;
        if (allot_state_reclaim_at(books->state, i, &was) == ALLOT_OK &&
            (flight.phase == ALLOT_RETURNED || was.deadline != flight.deadline))
            return false;
    }
    return true;
}

static bool times_stay(const allot__books *books, const allot_decision *decision)
{
    for (int32_t i = 0; i < (int32_t)books->resources; i++) {
        int64_t at, was = INT64_MIN;
        allot_state_resource_time(books->state, i, &was);
        at = was;
        allot_decision_resource_preempted(decision, i, &at);
        if (at != was)
            return false;
    }
    for (int32_t g = 0; books->damped && g < (int32_t)books->group_count; g++)
        for (int32_t i = 0; i < (int32_t)books->consumers; i++) {
            allot_verdict verdict;
            allot_stated_leaf row;
            if (allot_state_row_get(books->state, g, i, &row) == ALLOT_OK &&
                allot_decision_verdict(decision, g, i, &verdict) == ALLOT_OK &&
                (verdict.reclaimed > 0 || verdict.waiting_since != row.waiting_since))
                return false;
        }
    return true;
}

bool allot__books_still(const allot__books *books, const allot_decision *decision)
{
    int64_t last = allot__books_last(books);
    return last != INT64_MIN && allot__books_due(books, last) > allot_decision_now(decision) &&
           starts_stay(books, decision) && flights_stay(books, decision) &&
           leases_stay(books, decision) && times_stay(books, decision);
}

/* ---- Kills ----------------------------------------------------------------------------------- */

static void enter_kill(entry *it, const allot_kill *kill)
{
    allot_task task;
    allot_state_task_at(allot_decision_state(it->decision), kill->task, &task);
    allot__map_item *item = allot__item_find(&it->books->tasks, task.id);
    if (item && !allot__task_of(item)->of.told)
        say(it->books, allot__task_of(item), true, it->effect);
}

/* Kills of a reclaim are adjacent. Once all are sent, its tasks are not looked at again. */
static void enter_kills(entry *it)
{
    allot_kill kill, next;
    allot__flight_item *of = NULL;
    allot_in_flight was = {.task_count = -1};
    int32_t kills = 0, last = -1;
    for (int32_t i = 0; allot_decision_kill(it->decision, i, &kill) == ALLOT_OK; i++) {
        if (kill.flight != last) {
            bool known = allot_state_reclaim_at(it->books->state, kill.flight, &was) == ALLOT_OK;
            of = known ? allot__books_flight(it->books, was.id) : NULL;
            last = kill.flight;
            kills = 0;
        }
        if (!of || !of->of.told)
            enter_kill(it, &kill);
        kills++;
        bool over = allot_decision_kill(it->decision, i + 1, &next) != ALLOT_OK ||
                    next.flight != kill.flight;
        if (of && over && kills == was.task_count)
            of->of.told = true;
    }
}

/* ---- Changes of the state -------------------------------------------------------------------- */

static int stands(void *ud, const allot_grant *grant)
{
    const entry *it = ud;
    return allot__leaf_beside(it->books, grant->group, grant->consumer)->source != NULL;
}

static int put_flight(entry *it, const allot_in_flight *flight)
{
    allot__books *books = it->books;
    allot__flight_item *item =
        allot__item_make(books->engine, sizeof *item, flight->id, strlen(flight->id));
    if (!item || allot__item_put(books->engine, &books->flights, item) != ALLOT_OK)
        return ALLOT_ENOMEM;
    item->since = allot_decision_now(it->decision);
    int status = allot__victims_add(books, item, flight);
    if (status != ALLOT_OK)
        allot__item_end(books->engine, &books->flights, item);
    return status;
}

/* First all steps that may fail, then all reads of the decision, while it is valid. */
static int ready(void *ud, int32_t first)
{
    entry *it = ud;
    allot__books *books = it->books;
    allot_in_flight flight;
    int status = ALLOT_OK;
    int32_t count = first;
    for (; status == ALLOT_OK && allot_state_reclaim_at(books->state, count, &flight) == ALLOT_OK;)
        if ((status = put_flight(it, &flight)) == ALLOT_OK)
            count++;
    for (; status != ALLOT_OK && count > first; count--) {
        allot_state_reclaim_at(books->state, count - 1, &flight);
        allot__flight_end(books, allot__books_flight(books, flight.id), false);
    }
    if (status != ALLOT_OK)
        return status;
    books->when = allot_decision_now(it->decision);
    enter_starts(books, it->decision, it->effect);
    enter_kills(it);
    for (int32_t i = first; i < count; i++)
        if (allot_state_reclaim_at(books->state, i, &flight) == ALLOT_OK)
            allot__write_flight(books, &flight, books->when, it->effect);
    return ALLOT_OK;
}

/* Ends a reclaim whose slots are all back; others may get an earlier deadline. */
static void change_flight(entry *it, const allot_in_flight *flight, bool ends)
{
    allot__flight_item *item = allot__books_flight(it->books, flight->id);
    allot__map_touch(&it->books->flights, &item->of.named);
    if (!ends) {
        allot__write_flight(it->books, flight, item->since, it->effect);
        return;
    }
    allot__write_id(it->effect, ALLOT__EVENT_KEEP_LANDED, flight->id);
    allot__flight_end(it->books, item, false);
}

static void change_job(entry *it, const allot_job *job, bool ends)
{
    allot__record *record = allot__item_find(&it->books->jobs, job->id);
    allot__map_touch(&it->books->jobs, &record->named);
    if (!ends) {
        allot__write_job(it->books, job, record->source, it->effect);
        return;
    }
    allot__write_id(it->effect, ALLOT__EVENT_FINISH, job->id);
    allot__item_end(it->books->engine, &it->books->jobs, record);
}

static void change_item(void *ud, allot_item kind, const void *item, int32_t ends)
{
    if (kind == ALLOT_ITEM_JOB)
        change_job(ud, item, ends);
    else
        change_flight(ud, item, ends);
}

static void change_leaf(void *ud, int32_t group, int32_t leaf)
{
    entry *it = ud;
    const allot_stated_leaf row = allot__leaf(it->books, group, leaf);
    allot__leaf_look(it->books, group, leaf);
    allot__write_row(it->books, group, leaf, &row,
                     allot__leaf_beside(it->books, group, leaf)->source, it->effect);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void write_loans(const entry *it)
{
    if (allot_decision_loans(it->decision) == 0)
        return;
    allot__entry_open(it->effect, ALLOT__EVENT_KEEP_LOANS);
    allot__entry_close(it->effect);
    for (int32_t i = 0; i < allot_state_loans(it->books->state); i++)
        allot__write_loan(it->books, allot_state_loan_at(it->books->state, i), it->effect);
}

int allot__books_enter(allot__books *books, const allot_decision *decision, int64_t cycle,
                       allot__text *effect)
{
    entry it = {.books = books, .decision = decision, .effect = effect};
    const allot_applied applied = {&it, stands, ready, change_item, change_leaf};
    char ids[32];
    snprintf(ids, sizeof ids, "r%lld.", (long long)cycle);
    const allot_apply how = {.reclaim_ids = ids, .applied = &applied};
    allot__books_unseal(books);
    int status = allot_state_apply(books->state, decision, &how);
    if (status != ALLOT_OK)
        return status;
    write_loans(&it);
    allot__write_contracts(books, effect);
    allot__write_clock(books->when, effect);
    allot__write_use(books, effect);
    allot__write_users(books, allot_state_now_get(books->state), effect);
    return ALLOT_OK;
}
