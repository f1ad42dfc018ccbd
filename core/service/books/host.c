/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* host.c: adding, closing and ending hosts, and sizes of groups. */
#include "service/books/own.h"

static int unknown_host(const allot__event *event, allot__error *fault)
{
    return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-host", "name",
                            "give its `slots` to make it known",
                            "name: there is no host \"%.100s\"", event->id);
}

static int32_t group_of(const allot_plan *plan, const char *host)
{
    int32_t planned = allot_plan_host_find(plan, host);
    return planned >= 0 ? allot_plan_host_group(plan, planned) : 0;
}

/* The slots of a group's hosts, except one. */
static int64_t sum_hosts(const allot__books *books, int32_t group, const char *but)
{
    const allot_plan *plan = books->plan;
    int64_t sum = 0;
    for (int32_t i = 0; i < allot_plan_hosts(plan); i++) {
        const char *name = allot_plan_host_name(plan, i);
        allot_stated_host told;
        if (allot_plan_host_group(plan, i) == group && strcmp(name, but) != 0)
            sum += allot_state_get(books->state, ALLOT_ITEM_HOST, name, &told) == ALLOT_OK
                       ? told.slots
                       : allot_plan_host_slots(plan, i);
    }
    for (int32_t i = 0; i < allot_state_hosts(books->state); i++) {
        allot_stated_host host;
        if (allot_state_host_at(books->state, i, &host) == ALLOT_OK && group == 0 &&
            allot_plan_host_find(plan, host.name) < 0 && strcmp(host.name, but) != 0)
            sum += host.slots;
    }
    return sum;
}

/* A group's size is the sum of its open hosts' slots, and has a limit. Closed hosts count, too, as
 * they may open. They are added up only if count times the largest exceeds the limit. */
static int check_sum(allot__books *books, const allot__event *event, allot__error *fault)
{
    int64_t count = (int64_t)books->hosts.count + allot_plan_hosts(books->plan) + 1;
    if (event->host.slots > books->host_most)
        books->host_most = event->host.slots;
    if (books->reading || count * books->host_most <= ALLOT_AMOUNT_MAX)
        return ALLOT_OK;
    int64_t sum = event->host.slots + sum_hosts(books, group_of(books->plan, event->id), event->id);
    if (sum <= ALLOT_AMOUNT_MAX)
        return ALLOT_OK;
    return allot__error_set(fault, ALLOT_ERANGE, "E-slots", "slots", NULL,
                            "slots: the hosts of its group would have %lld, at most %d are allowed",
                            (long long)sum, ALLOT_AMOUNT_MAX);
}

bool allot__books_several_hosts(const allot__books *books)
{
    int64_t count = allot_plan_hosts(books->plan);
    for (const allot__map_item *it = books->hosts.first; it && count < 2; it = it->after)
        count += allot_plan_host_find(books->plan, it->name) < 0;
    return count >= 2;
}

/* Refuses a second host while a job names none, since its place would be unknown. */
static int check_places(const allot__books *books, allot__error *fault)
{
    bool first = allot_plan_hosts(books->plan) == 0 && books->hosts.count == 0;
    if (books->queues == 0 || first || allot__books_several_hosts(books))
        return ALLOT_OK;
    for (int32_t i = 0; i < allot_state_jobs(books->state); i++) {
        allot_job job;
        if (allot_state_job_at(books->state, i, &job) == ALLOT_OK && allot__job_is_unplaced(&job))
            return allot__error_unfit(fault, ALLOT_EUSAGE, "E-hosts", "name",
                                      "name: the job \"%.80s\" has slots on the only host that "
                                      "was known, without its name: there can be no second until "
                                      "it has ended",
                                      job.id);
    }
    return ALLOT_OK;
}

/* A host as known, or as planned. */
static allot_stated_host host_of(const allot__books *books, const char *name)
{
    allot_stated_host host;
    if (!allot__books_get(books, ALLOT_ITEM_HOST, name, &host))
        allot_item_init(allot_members_of(ALLOT_ITEM_HOST), &host);
    host.name = name;
    return host;
}

static int put_host(allot__books *books, const allot__event *event, allot__error *fault)
{
    bool planned = allot_plan_host_find(books->plan, event->id) >= 0;
    bool known = planned || allot__item_find(&books->hosts, event->id);
    bool sized = event->host.slots >= 0;
    if (!sized && (!known || (event->whole && !planned)))
        return unknown_host(event, fault);
    if (sized && check_sum(books, event, fault) != ALLOT_OK)
        return ALLOT_ERANGE;
    if (!known && check_places(books, fault) != ALLOT_OK)
        return ALLOT_EUSAGE;
    allot_stated_host host = host_of(books, event->id);
    allot__item_merge(ALLOT_ITEM_HOST, event->whole ? UINT32_MAX : event->stated, &event->host,
                      &host);
    host.name = event->id;
    return allot__record_tell(books, event, ALLOT_ITEM_HOST, &host);
}

/* Whether a host has ended: no slots, nothing else stated of it, and not in the plan. */
static bool is_gone(const allot__books *books, const allot__record *record)
{
    const allot_stated_host host = host_of(books, record->named.name);
    return host.slots == 0 && host.closed == ALLOT_OPEN && host.load < 0 &&
           host.exclusive_to == ALLOT_ROOT && allot_plan_host_find(books->plan, host.name) < 0;
}

static void mark_used(const allot__books *books, const char *name)
{
    allot__record *host = name ? allot__item_find(&books->hosts, name) : NULL;
    if (host)
        host->used = true;
}

static void mark_all_used(const allot__books *books)
{
    for (int32_t i = 0; i < allot_state_tasks(books->state); i++) {
        allot_task task;
        if (allot_state_task_at(books->state, i, &task) == ALLOT_OK)
            mark_used(books, task.host);
    }
    for (int32_t i = 0; i < allot_state_jobs(books->state); i++) {
        allot_job job;
        if (allot_state_job_at(books->state, i, &job) != ALLOT_OK)
            continue;
        for (int32_t k = 0; k < job.host_count; k++)
            mark_used(books, job.hosts[k].host);
        for (int32_t k = 0; k < job.grown_count; k++)
            mark_used(books, job.grown[k].host);
    }
}

/* Elastic clusters name ever new hosts: ended ones are freed whenever their number reaches a power
 * of two, so that the scan costs little per host. */
static void let_go(allot__books *books)
{
    enum { GONE_LEAST = 64 };
    size_t gone = 0;
    for (allot__map_item *it = books->hosts.first; it; it = it->after) {
        ((allot__record *)(void *)it)->used = false;
        gone += is_gone(books, (const allot__record *)(const void *)it);
    }
    if (gone < GONE_LEAST || (gone & (gone - 1)) != 0)
        return;
    mark_all_used(books);
    for (allot__map_item *it = books->hosts.first, *next; it; it = next) {
        allot__record *host = (allot__record *)(void *)it;
        next = it->after;
        if (!host->used && is_gone(books, host))
            allot__record_end(books, ALLOT_ITEM_HOST, host);
    }
}

/* It stays known, without slots, while something is on it. */
static int end_host(allot__books *books, const allot__event *event, allot__error *fault)
{
    bool told = allot__item_find(&books->hosts, event->id) != NULL;
    allot__record *record;
    allot_stated_host host = host_of(books, event->id);
    if (!told && allot_plan_host_find(books->plan, event->id) < 0)
        return unknown_host(event, fault);
    host.slots = 0;
    host.closed = ALLOT_OPEN;
    host.load = -1;
    int status = allot__record_put(books, ALLOT_ITEM_HOST, &host, &record);
    if (status != ALLOT_OK)
        return status;
    record->source = NULL;
    let_go(books);
    return ALLOT_OK;
}

int allot__apply_host(allot__books *books, const allot__event *event, allot__error *fault)
{
    if (event->kind == ALLOT__EVENT_HOST)
        return put_host(books, event, fault);
    if (event->kind == ALLOT__EVENT_HOST_GONE)
        return end_host(books, event, fault);
    books->groups[event->group].slots = event->slots;
    allot_state_slots(books->state, event->group, event->slots);
    return ALLOT_OK;
}
