/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* host.c: hosts that come, close and go, and sizes of groups. */
#include "service/books/own.h"

/* The host's item, made where there is none, as planned; NULL: out of memory. */
static allot__host_item *host_item(allot__books *books, const char *name)
{
    allot_stated_host host;
    allot__host_item *item = allot__item_find(&books->hosts, name);
    if (item)
        return item;
    allot_item_init(allot_members_of(ALLOT_ITEM_HOST), &host);
    host.name = name;
    item = allot__host_make(books->engine, &host);
    bool in = item && allot__item_put(books->engine, &books->hosts, NULL, item) == ALLOT_OK;
    return in ? item : NULL;
}

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

/* What a group's hosts have, but for one. */
static int64_t sum_hosts(const allot__books *books, int32_t group, const char *but)
{
    const allot_plan *plan = books->plan;
    int64_t sum = 0;
    for (int32_t i = 0; i < allot_plan_hosts(plan); i++) {
        const char *name = allot_plan_host_name(plan, i);
        const allot__host_item *told = allot__item_find(&books->hosts, name);
        if (allot_plan_host_group(plan, i) == group && strcmp(name, but) != 0)
            sum += told && told->it.slots >= 0 ? told->it.slots : allot_plan_host_slots(plan, i);
    }
    for (const allot__map_item *it = books->hosts.first; it; it = it->after) {
        const allot__host_item *host = (const allot__host_item *)(const void *)it;
        if (allot_plan_host_find(plan, it->name) < 0 && group == 0 && strcmp(it->name, but) != 0)
            sum += host->it.slots;
    }
    return sum;
}

/* The open hosts' slots are the size of their group, which has a limit: checked for all, as any may
 * open. It is seldom near, so that all are added up only when as many of the largest pass it. */
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

/* With another host nobody would know where jobs are that name none. While there are several, no
 * such job is. */
static int check_places(const allot__books *books, allot__error *fault)
{
    bool first = allot_plan_hosts(books->plan) == 0 && books->hosts.count == 0;
    if (books->queues == 0 || first || allot__books_several_hosts(books))
        return ALLOT_OK;
    for (const allot__map_item *it = books->jobs.first; it; it = it->after) {
        const allot_job *job = &((const allot__job_item *)(const void *)it)->it;
        if (allot__job_is_unplaced(job))
            return allot__error_unfit(fault, ALLOT_EUSAGE, "E-hosts", "name",
                                      "name: the job \"%.80s\" has slots on the only host that "
                                      "was known, without its name: there can be no second until "
                                      "it has ended",
                                      job->id);
    }
    return ALLOT_OK;
}

/* Tells the state of a host; `nowhere`: before, jobs had no slots at all, and now they may. */
static void tell_host(allot__books *books, const allot__host_item *item, bool nowhere)
{
    bool same = nowhere == allot__books_nowhere(books);
    if (books->state && (!same || allot_state_host_set(books->state, &item->it) != ALLOT_OK))
        allot__books_forget(books);
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
    const allot__origin *source;
    const uint32_t name = allot__item_bit(ALLOT_ITEM_HOST, "name");
    bool nowhere = allot__books_nowhere(books);
    if (allot__origin_of(books, event, &source) != ALLOT_OK)
        return ALLOT_ENOMEM;
    allot__host_item *item = host_item(books, event->id);
    if (!item)
        return ALLOT_ENOMEM;
    allot__map_touch(&books->hosts, &item->named);
    item->source = source ? source : item->source;
    allot__item_merge(ALLOT_ITEM_HOST, (event->whole ? UINT32_MAX : event->stated) & ~name,
                      &event->host, &item->it);
    tell_host(books, item, nowhere);
    return ALLOT_OK;
}

/* A host that is gone is of no more use once nothing is said to be there. */
static bool is_gone(const allot__books *books, const allot__host_item *host)
{
    return host->it.slots == 0 && host->it.closed == ALLOT_OPEN && host->it.load < 0 &&
           host->it.exclusive_to == ALLOT_ROOT &&
           allot_plan_host_find(books->plan, host->named.name) < 0;
}

static void mark_used(const allot__books *books, const char *name)
{
    allot__host_item *host = name != NULL ? allot__item_find(&books->hosts, name) : NULL;
    if (host)
        host->used = true;
}

static void mark_all_used(const allot__books *books)
{
    for (const allot__map_item *it = books->tasks.first; it; it = it->after)
        mark_used(books, ((const allot__task_item *)(const void *)it)->it.host);
    for (const allot__map_item *it = books->jobs.first; it; it = it->after) {
        const allot_job *job = &((const allot__job_item *)(const void *)it)->it;
        for (int32_t i = 0; i < job->host_count; i++)
            mark_used(books, job->hosts[i].host);
        for (int32_t i = 0; i < job->grown_count; i++)
            mark_used(books, job->grown[i].host);
    }
}

/* Clusters that grow and shrink name hosts without end: those that are gone are let go whenever
 * there are a power of two of them, so that looking for who is still there costs little. */
static void let_go(allot__books *books)
{
    enum { GONE_LEAST = 64 };
    size_t gone = 0;
    for (allot__map_item *it = books->hosts.first; it; it = it->after) {
        ((allot__host_item *)(void *)it)->used = false;
        gone += is_gone(books, (const allot__host_item *)(const void *)it);
    }
    if (gone < GONE_LEAST || (gone & (gone - 1)) != 0)
        return;
    mark_all_used(books);
    for (allot__map_item *it = books->hosts.first, *next; it; it = next) {
        allot__host_item *host = (allot__host_item *)(void *)it;
        next = it->after;
        if (host->used || !is_gone(books, host))
            continue;
        if (books->state)
            allot_state_host_end(books->state, host->named.name);
        allot__item_end(books->engine, &books->hosts, host);
    }
}

/* It stays known, without slots, for what is said to be there. */
static int end_host(allot__books *books, const allot__event *event, allot__error *fault)
{
    bool told = allot__item_find(&books->hosts, event->id) != NULL;
    bool nowhere = allot__books_nowhere(books);
    if (!told && allot_plan_host_find(books->plan, event->id) < 0)
        return unknown_host(event, fault);
    allot__host_item *item = host_item(books, event->id);
    if (!item)
        return ALLOT_ENOMEM;
    allot__map_touch(&books->hosts, &item->named);
    item->it.slots = 0;
    item->it.closed = ALLOT_OPEN;
    item->it.load = -1;
    item->source = NULL;
    tell_host(books, item, nowhere);
    nowhere = allot__books_nowhere(books);
    let_go(books);
    if (nowhere != allot__books_nowhere(books))
        allot__books_forget(books);
    return ALLOT_OK;
}

int allot__apply_host(allot__books *books, const allot__event *event, allot__error *fault)
{
    if (event->kind == ALLOT__EVENT_HOST)
        return put_host(books, event, fault);
    if (event->kind == ALLOT__EVENT_HOST_GONE)
        return end_host(books, event, fault);
    books->groups[event->group].slots = event->slots;
    if (books->state)
        allot_state_slots(books->state, event->group, event->slots);
    return ALLOT_OK;
}
