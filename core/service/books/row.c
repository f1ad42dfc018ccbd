/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * row.c: leaves (demand, allocation, release, decline), sessions, contracts, hosts, sizes of
 * groups.
 */
#include "base/least.h"
#include "base/memory.h"
#include "service/books/own.h"

allot_stated_leaf allot__leaf(const allot__books *books, int32_t group, int32_t leaf)
{
    allot_stated_leaf row = {
        .reclaimed_at = INT64_MIN, .waiting_since = INT64_MIN, .usage_at = INT64_MIN};
    const allot__books_leaf *beside = allot__leaf_beside(books, group, leaf);
    allot_state_row_get(books->state, group, leaf, &row);
    if (beside->until != INT64_MIN)
        row.demand = beside->wanted;
    return row;
}

void allot__leaf_look(const allot__books *books, int32_t group, int32_t leaf)
{
    int64_t *since = &allot__leaf_beside(books, group, leaf)->unmet_since;
    const allot_stated_leaf row = allot__leaf(books, group, leaf);
    if (row.demand <= row.allocated)
        *since = INT64_MIN;
    else if (*since == INT64_MIN)
        *since = books->when;
}

void allot__leaf_demand(allot__books *books, int32_t group, int32_t leaf, int64_t slots)
{
    allot__books_leaf *beside = allot__leaf_beside(books, group, leaf);
    beside->wanted = slots;
    if (beside->until != INT64_MIN && beside->most < slots)
        slots = beside->most;
    allot_state_demand(books->state, group, leaf, slots);
    allot__leaf_look(books, group, leaf);
}

void allot__leaf_allocate(allot__books *books, int32_t group, int32_t leaf, int64_t slots)
{
    allot_state_allocated(books->state, group, leaf, slots);
    allot__leaf_look(books, group, leaf);
}

void allot__leaves_begin(allot__books *books)
{
    for (int32_t g = 0; g < (int32_t)books->group_count; g++)
        for (int32_t i = 0; i < (int32_t)books->consumers; i++) {
            allot_stated_leaf row;
            if (allot_state_row_get(books->state, g, i, &row) != ALLOT_OK)
                continue;
            if (row.allocated < 0)
                allot_state_allocated(books->state, g, i, 0);
            if (row.demand < 0)
                allot_state_demand(books->state, g, i, 0);
        }
}

void allot__declines_end(allot__books *books, int64_t now)
{
    for (int32_t g = 0; books->declined > 0 && g < (int32_t)books->group_count; g++)
        for (int32_t i = 0; i < (int32_t)books->consumers; i++) {
            allot__books_leaf *leaf = allot__leaf_beside(books, g, i);
            if (leaf->until == INT64_MIN || leaf->until > now)
                continue;
            leaf->until = INT64_MIN;
            books->declined--;
            allot__leaf_demand(books, g, i, leaf->wanted);
        }
}

/* ---- Reclaims without tasks ------------------------------------------------------------------ */

void allot__flight_end(allot__books *books, allot__flight_item *item, bool state)
{
    allot_in_flight flight;
    if (allot__books_get(books, ALLOT_ITEM_RECLAIM, item->of.named.name, &flight))
        allot__victims_end(books, item, &flight);
    allot__map_take(&books->flights, &item->of.named);
    if (state)
        allot_state_end(books->state, ALLOT_ITEM_RECLAIM, item->of.named.name);
    allot__item_free(books->engine, item);
}

/* Idle slots came back: those that do not stay are reclaims' without tasks, the oldest first, as a
 * leaf cannot give back what it does not hold. */
static void serve_reclaims(allot__books *books, int32_t group, int32_t leaf)
{
    int64_t stay =
        allot__leaf(books, group, leaf).allocated - allot__leaf_beside(books, group, leaf)->held;
    allot_in_flight flight;
    for (allot__map_item *at = books->flights.last, *before; at; at = before) {
        allot__flight_item *item = (allot__flight_item *)(void *)at;
        const char *id = item->of.named.name;
        before = at->before;
        if (!allot__books_get(books, ALLOT_ITEM_RECLAIM, id, &flight) || flight.group != group ||
            flight.consumer != leaf || flight.task_count + flight.gone > 0)
            continue;
        int64_t comes = allot__least(flight.slots, stay);
        stay -= comes;
        if (comes == flight.slots)
            continue;
        allot__map_touch(&books->flights, at);
        if (comes == 0)
            allot__flight_end(books, item, true);
        else
            allot_state_reclaim_back(books->state, id, flight.slots - comes);
    }
}

int allot__apply_returned(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot__flight_item *item = allot__item_find(&books->flights, event->id);
    allot_in_flight flight;
    if (!item || !allot__books_get(books, ALLOT_ITEM_RECLAIM, event->id, &flight))
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-reclaim", "reclaim", NULL,
                                "reclaim: nothing is in flight as \"%.100s\"", event->id);
    int64_t allocated = allot__leaf(books, flight.group, flight.consumer).allocated;
    int64_t free = allocated - allot__leaf_beside(books, flight.group, flight.consumer)->held;
    int64_t most = flight.slots < free || event->keep ? flight.slots : free;
    if (flight.task_count + flight.gone > 0)
        return allot__error_set(fault, ALLOT_EUSAGE, "E-conflict", "reclaim", NULL,
                                "reclaim: its slots come back as its tasks finish");
    if (event->slots > most)
        return allot__error_set(fault, ALLOT_ERANGE, "E-range", "slots", NULL,
                                "slots: found %lld, allowed at most %lld", (long long)event->slots,
                                (long long)most);
    allot__map_touch(&books->flights, &item->of.named);
    if (!event->keep)
        allot__leaf_allocate(books, flight.group, flight.consumer, allocated - event->slots);
    if (event->slots == flight.slots)
        allot__flight_end(books, item, true);
    else
        allot_state_reclaim_back(books->state, item->of.named.name, event->slots);
    return ALLOT_OK;
}

/* ---- Leaves ---------------------------------------------------------------------------------- */

static int few(const allot__event *event, int64_t allocated, int64_t held, allot__error *fault)
{
    if (event->kind == ALLOT__EVENT_RELEASE)
        return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                                "slots: found %lld, allowed at most %lld: %lld are allocated, its "
                                "tasks hold %lld",
                                (long long)event->slots, (long long)(allocated - held),
                                (long long)allocated, (long long)held);
    return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                            "slots: found %lld, allowed at least %lld, what its tasks hold",
                            (long long)event->slots, (long long)held);
}

int allot__apply_row(allot__books *books, const allot__event *event, allot__error *fault)
{
    int32_t leaf = event->consumer;
    const allot_stated_leaf row = allot__leaf(books, event->group, leaf);
    allot__books_leaf *beside = allot__leaf_beside(books, event->group, leaf);
    int64_t held = beside->held;
    int64_t after =
        event->kind == ALLOT__EVENT_RELEASE ? row.allocated - event->slots : event->slots;
    if (event->kind != ALLOT__EVENT_DEMAND && after < held)
        return few(event, row.allocated, held, fault);
    const allot__origin *source;
    int status = allot__origin_of(books, event, &source);
    bool unlists = event->kind == ALLOT__EVENT_ALLOCATED && event->unlisted >= 0;
    if (status == ALLOT_OK && unlists && event->unlisted != row.unlisted)
        status = allot_state_unlisted(books->state, event->group, leaf, event->unlisted);
    if (status != ALLOT_OK)
        return status;
    beside->source = source;
    if (event->kind == ALLOT__EVENT_DEMAND)
        allot__leaf_demand(books, event->group, leaf, event->slots);
    else
        allot__leaf_allocate(books, event->group, leaf, after);
    if (event->kind == ALLOT__EVENT_RELEASE)
        serve_reclaims(books, event->group, leaf);
    return ALLOT_OK;
}

/* ---- Declined grants ------------------------------------------------------------------------- */

/* Unused slots come back; for a while the leaf demands only what it then has. */
int allot__apply_decline(allot__books *books, const allot__event *event, allot__error *fault)
{
    int32_t leaf = event->consumer;
    const allot_stated_leaf row = allot__leaf(books, event->group, leaf);
    allot__books_leaf *beside = allot__leaf_beside(books, event->group, leaf);
    int64_t back = event->slots, free = row.allocated - beside->held;
    if (back > free)
        return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                                "slots: found %lld, allowed at most %lld, what is allocated and "
                                "free",
                                (long long)back, (long long)free);
    books->declined += beside->until == INT64_MIN;
    beside->until = event->until;
    beside->wanted = row.demand;
    beside->most = (int32_t)(event->demand >= 0 ? event->demand : row.allocated - back);
    if (back > 0) {
        allot__leaf_allocate(books, event->group, leaf, row.allocated - back);
        serve_reclaims(books, event->group, leaf);
    }
    allot__leaf_demand(books, event->group, leaf, row.demand);
    return ALLOT_OK;
}

/* ---- Sessions -------------------------------------------------------------------------------- */

/* All sessions of a leaf are scheduled alike; `old` is being replaced. */
static int check_scheduling(const allot__books *books, const allot_session *told,
                            const allot_session *old, allot__error *fault)
{
    const int32_t *there = allot__leaf_beside(books, told->group, told->consumer)->sessions;
    for (int32_t kind = 0; kind < ALLOT_SCHEDULING_COUNT; kind++) {
        bool own = old && old->consumer == told->consumer && old->group == told->group &&
                   (int32_t)old->scheduling == kind;
        if (kind != (int32_t)told->scheduling && there[kind] > own)
            return allot__error_set(fault, ALLOT_EINVALID, "E-scheduling", "scheduling", NULL,
                                    "scheduling: the leaf's other sessions have \"%s\", and all "
                                    "of a leaf have the same",
                                    allot_scheduling_name(kind));
    }
    return ALLOT_OK;
}

static void count_session(allot__books *books, const allot_session *session, int32_t more)
{
    allot__leaf_beside(books, session->group, session->consumer)->sessions[session->scheduling] +=
        more;
}

static int put_session(allot__books *books, const allot__event *event, const allot_session *old,
                       allot__error *fault)
{
    const allot_session *told = &event->session;
    int status = check_scheduling(books, told, old, fault);
    bool moves = !old || old->consumer != told->consumer || old->group != told->group;
    if (status == ALLOT_OK && moves)
        status = allot__session_check(books, told, fault);
    if (status == ALLOT_OK)
        status = allot__record_tell(books, event, ALLOT_ITEM_SESSION, told);
    if (status != ALLOT_OK)
        return status;
    if (old)
        count_session(books, old, -1);
    count_session(books, told, 1);
    return ALLOT_OK;
}

int allot__apply_session(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot_session old;
    bool known = allot__books_get(books, ALLOT_ITEM_SESSION, event->id, &old);
    if (event->kind == ALLOT__EVENT_SESSION)
        return put_session(books, event, known ? &old : NULL, fault);
    if (!known)
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-session", "id", NULL,
                                "id: there is no session \"%.100s\"", event->id);
    count_session(books, &old, -1);
    allot__record_end(books, ALLOT_ITEM_SESSION, allot__item_find(&books->sessions, event->id));
    return ALLOT_OK;
}

/* ---- Contracts ------------------------------------------------------------------------------- */

static int take_side(const allot_lease_side *said, const char *path, allot_lease_side *side,
                     allot__error *fault)
{
    if (said->available >= 0)
        side->available = said->available;
    if (said->used >= 0)
        side->used = said->used;
    if (said->demand >= 0)
        side->demand = said->demand;
    if (side->used > side->available)
        return allot__error_set(fault, ALLOT_ERANGE, "E-range", path, NULL,
                                "%s: %lld slots are used, %lld available", path,
                                (long long)side->used, (long long)side->available);
    return ALLOT_OK;
}

int allot__apply_lease(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot_lease_now now = {.provider.demand = -1, .consumer.demand = -1, .phase = ALLOT_LEASE_OK};
    int32_t lease = allot_plan_lease_find(books->plan, event->id);
    if (lease < 0)
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-lease", "name", NULL,
                                "name: the plan has no \"%.100s\"", event->id);
    bool told = allot_state_lease_at(books->state, lease, &now) == ALLOT_OK;
    int status = take_side(&event->provider, "provider", &now.provider, fault);
    if (status == ALLOT_OK)
        status = take_side(&event->holder, "consumer", &now.consumer, fault);
    if (status != ALLOT_OK)
        return status;
    if (event->phase >= 0)
        now.phase = (allot_lease_phase)event->phase;
    if (event->since != INT64_MIN)
        now.since = event->since;
    else if (!told)
        now.since = event->at;
    return allot_state_lease(books->state, lease, &now);
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
    books->sizes[event->group] = event->slots;
    allot_state_slots(books->state, event->group, event->slots);
    return ALLOT_OK;
}
