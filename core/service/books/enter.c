/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* enter.c: what a decision changes in the books. */
#include <stdio.h>

#include <allot/apply.h>

#include "service/books/own.h"

#include "base/memory.h"

enum { ID_ROOM = 32 };

/* All that has to be had before anything is changed. */
typedef struct entry {
    allot__books *books;
    const allot_decision *decision;
    int64_t cycle;
    allot__map_item **flights; /* copies of those that are new */
    allot__text *effect;
    int32_t flight_count;
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
    if (of && of->told)
        return true;
    if (allot_state_task_at(allot_decision_state(decision), kill.task, &task) != ALLOT_OK)
        return false;
    const allot__map_item *item = allot__item_find(&books->tasks, task.id);
    return item != NULL && ((const allot__task_item *)(const void *)item)->told;
}

/* ---- Tasks that start ------------------------------------------------------------------------ */

/* A grant names such a task once. It is named again when it may not start for a while, and then may
 * again; and with more slots for its leaf. Where grants stand, because a source tells what its
 * leaves hold, they name it until the source tells that it runs. */

/* The pending task that a grant names as its i-th, in its own group alone; NULL: of another group,
 * or the grant stands, so that nothing is entered of it. */
static allot__task_item *start_of(const allot__books *books, const allot_decision *decision,
                                  const allot_grant *grant, int32_t i)
{
    allot_task task;
    if (allot__leaf_origin(&books->groups[grant->group], grant->consumer) ||
        allot_state_task_at(allot_decision_state(decision), grant->tasks[i], &task) != ALLOT_OK ||
        task.group != grant->group)
        return NULL;
    return allot__item_find(&books->tasks, task.id);
}

bool allot__books_starts_told(const allot__books *books, const allot_decision *decision, int32_t i)
{
    allot_grant grant;
    if (allot_decision_grant(decision, i, &grant) != ALLOT_OK || grant.slots > 0 ||
        allot__leaf_origin(&books->groups[grant.group], grant.consumer))
        return false;
    for (int32_t k = 0; k < grant.task_count; k++) {
        allot_task task;
        if (allot_state_task_at(allot_decision_state(decision), grant.tasks[k], &task) != ALLOT_OK)
            return false;
        const allot__task_item *item = allot__item_find(&books->tasks, task.id);
        if (!item || !item->told)
            return false;
    }
    return true;
}

/* Those that are told are named, and no others. */
bool allot__starts_stay(const allot__books *books, const allot_decision *decision)
{
    int64_t named = 0;
    for (int32_t i = 0; books->pending > 0 && i < allot_decision_grants(decision); i++) {
        allot_grant grant;
        allot_decision_grant(decision, i, &grant);
        for (int32_t k = 0; k < grant.task_count; k++) {
            const allot__task_item *item = start_of(books, decision, &grant, k);
            if (item && !item->told)
                return false;
            named += item != NULL;
        }
    }
    return named == books->starts_told;
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

/* Who was told to start, and would not start now. */
static void tell_others(allot__books *books, allot__text *effect)
{
    for (allot__map_item *at = books->tasks.first; at; at = at->after) {
        allot__known task = {.item = allot__task_of(at)};
        if (task.item->told && task.item->start != books->starts &&
            allot__task_known(books, at->name, &task) && !allot__task_runs(&task.it))
            say(books, task.item, false, effect);
    }
}

static void enter_starts(allot__books *books, const allot_decision *decision, allot__text *effect)
{
    int64_t named = 0;
    books->starts++;
    for (int32_t i = 0; books->pending > 0 && i < allot_decision_grants(decision); i++) {
        allot_grant grant;
        allot_decision_grant(decision, i, &grant);
        for (int32_t k = 0; k < grant.task_count; k++) {
            allot__task_item *item = start_of(books, decision, &grant, k);
            if (!item)
                continue;
            item->start = books->starts;
            named++;
            if (!item->told)
                say(books, item, true, effect);
        }
    }
    if (books->starts_told > named)
        tell_others(books, effect);
}

/* ---- Getting ready --------------------------------------------------------------------------- */

/* Ids of a cycle's reclaims are this and their numbers. */
static void stem_of(char ids[ID_ROOM], int64_t cycle)
{
    snprintf(ids, ID_ROOM, "r%lld.", (long long)cycle);
}

/* A copy of a reclaim of the decision, as it is in flight from now on; NULL: ENOMEM. */
static allot__map_item *make_flight(const entry *it, int32_t i)
{
    allot_engine *engine = it->books->engine;
    allot_reclaim reclaim;
    char stem[ID_ROOM], id[2 * ID_ROOM];
    allot_decision_reclaim(it->decision, i, &reclaim);
    stem_of(stem, it->cycle);
    snprintf(id, sizeof id, "%s%d", stem, (int)i);
    size_t room = (size_t)reclaim.task_count + 1;
    const char **tasks = allot__new(engine, room, sizeof *tasks);
    if (!tasks)
        return NULL;
    for (int32_t k = 0; k < reclaim.task_count; k++) {
        allot_task task = {.id = ""};
        allot_state_task_at(allot_decision_state(it->decision), reclaim.tasks[k], &task);
        tasks[k] = task.id;
    }
    allot_in_flight flight = {.id = id,
                              .consumer = reclaim.consumer,
                              .group = reclaim.group,
                              .slots = reclaim.slots,
                              .deadline = reclaim.deadline,
                              .claims = reclaim.claims,
                              .claim_count = reclaim.claim_count,
                              .tasks = tasks,
                              .task_count = reclaim.task_count};
    allot__map_item *made = allot__stated_make(engine, ALLOT_ITEM_RECLAIM, &flight);
    allot__free(engine, tasks, room, sizeof *tasks);
    return made;
}

/* What is known of one beside the state, which has it once the decision is carried out. ENOMEM. */
static int put_flight(entry *it, int32_t i)
{
    allot__books *books = it->books;
    it->flights[i] = make_flight(it, i);
    const allot__map_item *made = it->flights[i];
    allot__flight_item *item =
        made ? allot__item_make(books->engine, sizeof *item, made->name, made->len, 0) : NULL;
    if (!item || allot__item_put(books->engine, &books->flights, item) != ALLOT_OK)
        return ALLOT_ENOMEM;
    item->since = allot_decision_now(it->decision);
    int status = allot__victims_add(books, allot__stated_item(made));
    if (status != ALLOT_OK)
        allot__item_end(books->engine, &books->flights, item);
    return status;
}

static void forget_flights(entry *it, int32_t count)
{
    allot__books *books = it->books;
    while (count-- > 0) {
        allot__victims_end(books, allot__stated_item(it->flights[count]));
        allot__item_end(books->engine, &books->flights,
                        allot__books_flight(books, it->flights[count]->name));
    }
}

static int prepare(entry *it)
{
    it->flight_count = allot_decision_reclaims(it->decision);
    it->flights = allot__new(it->books->engine, (size_t)it->flight_count + 1, sizeof(void *));
    int status = it->flights ? ALLOT_OK : ALLOT_ENOMEM;
    int32_t count = 0;
    while (count < it->flight_count && status == ALLOT_OK)
        if ((status = put_flight(it, count)) == ALLOT_OK)
            count++;
    if (status == ALLOT_OK)
        status = allot__enter_jobs(it->books, it->decision, it->effect);
    if (status != ALLOT_OK)
        forget_flights(it, count);
    return status;
}

static void drop(entry *it)
{
    allot_engine *engine = it->books->engine;
    for (int32_t i = 0; it->flights && i < it->flight_count; i++)
        allot__item_free(engine, it->flights[i]);
    allot__free(engine, it->flights, (size_t)it->flight_count + 1, sizeof(void *));
}

/* ---- Changing the books ---------------------------------------------------------------------- */

static void enter_grants(entry *it)
{
    allot__books *books = it->books;
    for (int32_t i = 0; i < allot_decision_grants(it->decision) && books->queues == 0; i++) {
        allot_grant grant;
        allot_decision_grant(it->decision, i, &grant);
        if (allot__leaf_origin(&books->groups[grant.group], grant.consumer))
            continue; /* its source says when they are there */
        books->groups[grant.group].allocated[grant.consumer] += (int32_t)grant.slots;
        allot__books_look(books, grant.group, grant.consumer);
        allot__write_row(books, &books->groups[grant.group], grant.group, grant.consumer,
                         it->effect);
    }
}

static void enter_kill(entry *it, const allot_kill *kill)
{
    allot_task task;
    allot_state_task_at(allot_decision_state(it->decision), kill->task, &task);
    allot__map_item *item = allot__item_find(&it->books->tasks, task.id);
    if (!item || allot__task_of(item)->told)
        return;
    say(it->books, allot__task_of(item), true, it->effect);
}

/* Kills of a reclaim stand together. Once all its tasks are told, nobody looks at them again. */
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
        if (!of || !of->told)
            enter_kill(it, &kill);
        kills++;
        bool over = allot_decision_kill(it->decision, i + 1, &next) != ALLOT_OK ||
                    next.flight != kill.flight;
        if (of && over && kills == was.task_count)
            of->told = true;
    }
}

static void write_new_flights(entry *it)
{
    for (int32_t i = 0; i < it->flight_count; i++)
        allot__write_flight(it->books, allot__stated_item(it->flights[i]),
                            allot_decision_now(it->decision), it->effect);
}

/* Reclaims that were in flight before, which the state lists in the same order: whose slots are all
 * back go, deadlines may be sooner. */
static void enter_flights(entry *it)
{
    for (int32_t i = 0; i < allot_decision_flights(it->decision); i++) {
        allot_flight flight;
        allot_in_flight was;
        allot_decision_flight(it->decision, i, &flight);
        bool back = flight.phase == ALLOT_RETURNED;
        if (allot_state_reclaim_at(it->books->state, i, &was) != ALLOT_OK ||
            (!back && was.deadline == flight.deadline))
            continue;
        allot__flight_item *item = allot__books_flight(it->books, flight.id);
        was.deadline = flight.deadline;
        allot__map_touch(&it->books->flights, &item->named);
        if (back)
            allot__write_id(it->effect, ALLOT__EVENT_KEEP_LANDED, flight.id);
        else
            allot__write_flight(it->books, &was, item->since, it->effect);
        if (back)
            allot__flight_end(it->books, item, false);
    }
}

static void write_loans(entry *it)
{
    int32_t count = allot_decision_loans(it->decision);
    if (count == 0)
        return;
    allot__entry_open(it->effect, ALLOT__EVENT_KEEP_LOANS);
    allot__entry_close(it->effect);
    for (int32_t i = 0; i < count; i++) {
        allot_loan_change change;
        allot_decision_loan(it->decision, i, &change);
        const allot_loan loan = {change.group, change.lender, change.borrower, change.slots};
        if (loan.slots > 0)
            allot__write_loan(it->books, &loan, it->effect);
    }
}

static void enter_times(entry *it)
{
    allot__books *books = it->books;
    int64_t now = allot_decision_now(it->decision);
    allot__write_contracts(books, it->decision, it->effect);
    allot__write_clock(now, it->effect);
    allot__write_use(books, it->decision, it->effect);
    for (int32_t g = 0; books->damped && g < (int32_t)books->group_count; g++)
        for (int32_t i = 0; i < (int32_t)books->consumers; i++) {
            allot_verdict verdict;
            if (allot_plan_children(books->plan, i) > 0 ||
                allot_decision_verdict(it->decision, g, i, &verdict) != ALLOT_OK)
                continue;
            int64_t *waiting = &books->groups[g].waiting_since[i];
            bool changes = *waiting != verdict.waiting_since || verdict.reclaimed > 0;
            *waiting = verdict.waiting_since;
            if (verdict.reclaimed > 0)
                books->groups[g].reclaimed_at[i] = now;
            if (changes)
                allot__write_row(books, &books->groups[g], g, i, it->effect);
        }
}

int allot__books_enter(allot__books *books, const allot_decision *decision, int64_t cycle,
                       allot__text *effect)
{
    entry it = {.books = books, .decision = decision, .cycle = cycle, .effect = effect};
    int status = prepare(&it);
    if (status == ALLOT_OK) {
        books->when = allot_decision_now(decision);
        enter_grants(&it);
        enter_starts(books, decision, effect);
        enter_kills(&it);
        enter_flights(&it);
        write_new_flights(&it);
        write_loans(&it);
        enter_times(&it);
    }
    drop(&it);
    return status;
}

/* ---- Telling the state ----------------------------------------------------------------------- */

/* What leaves hold is as the books have it: nothing new where a source tells it. */
static void tell_grants(allot__books *books, const allot_decision *decision)
{
    for (int32_t i = 0; i < allot_decision_grants(decision) && books->queues == 0; i++) {
        allot_grant grant;
        allot_decision_grant(decision, i, &grant);
        allot_state_allocated(books->state, grant.group, grant.consumer,
                              books->groups[grant.group].allocated[grant.consumer]);
    }
}

int allot__books_carry_out(allot__books *books, const allot_decision *decision, int64_t cycle)
{
    char ids[ID_ROOM];
    allot__books_unseal(books);
    stem_of(ids, cycle);
    const allot_apply how = {.reclaim_ids = ids};
    int status = allot_state_apply(books->state, decision, &how);
    if (status == ALLOT_OK)
        tell_grants(books, decision);
    return status;
}
