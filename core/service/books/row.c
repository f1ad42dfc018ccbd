/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* row.c: what leaves demand, hold, give back and decline; sessions and contracts. */
#include "service/books/own.h"

#include "base/memory.h"

void allot__books_allocate(allot__books *books, int32_t group, int32_t consumer, int64_t slots)
{
    books->groups[group].allocated[consumer] = (int32_t)slots;
    allot__books_look(books, group, consumer);
    if (books->state)
        allot_state_allocated(books->state, group, consumer, slots);
}

allot__decline *allot__decline_of(const allot__books *books, int32_t group, int32_t leaf)
{
    for (size_t i = 0; i < books->decline_count; i++)
        if (books->declines[i].group == group && books->declines[i].consumer == leaf)
            return &books->declines[i];
    return NULL;
}

int64_t allot__books_demand(const allot__books *books, int32_t group, int32_t leaf)
{
    const allot__decline *declined = allot__decline_of(books, group, leaf);
    int64_t demand = books->groups[group].demand[leaf];
    return declined && declined->most < demand ? declined->most : demand;
}

void allot__demand_tell(allot__books *books, int32_t group, int32_t leaf)
{
    allot__books_look(books, group, leaf);
    if (books->state)
        allot_state_demand(books->state, group, leaf, allot__books_demand(books, group, leaf));
}

void allot__declines_end(allot__books *books, int64_t now)
{
    for (size_t i = books->decline_count; i-- > 0;) {
        allot__decline over = books->declines[i];
        if (over.until > now)
            continue;
        books->declines[i] = books->declines[--books->decline_count];
        allot__demand_tell(books, over.group, over.consumer);
    }
}

/* Where the state has no room for it, it is made anew. */
static void set_unlisted(allot__books *books, const allot__event *event)
{
    if (event->kind != ALLOT__EVENT_ALLOCATED || event->unlisted < 0)
        return;
    books->groups[event->group].unlisted[event->consumer] = (int32_t)event->unlisted;
    if (books->state && allot_state_unlisted(books->state, event->group, event->consumer,
                                             event->unlisted) != ALLOT_OK)
        allot__books_forget(books);
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
    allot__books_group *group = &books->groups[event->group];
    int32_t leaf = event->consumer;
    int64_t allocated = group->allocated[leaf], held = group->held[leaf];
    int64_t after = event->kind == ALLOT__EVENT_RELEASE ? allocated - event->slots : event->slots;
    if (event->kind != ALLOT__EVENT_DEMAND && after < held)
        return few(event, allocated, held, fault);
    const allot__origin *source;
    int status = allot__origin_of(books, event, &source);
    if (status == ALLOT_OK)
        status = allot__origin_set(books, event->group, leaf, source);
    if (status != ALLOT_OK)
        return status;
    if (event->kind == ALLOT__EVENT_DEMAND) {
        group->demand[leaf] = (int32_t)event->slots;
        allot__demand_tell(books, event->group, leaf);
        return ALLOT_OK;
    }
    set_unlisted(books, event);
    allot__books_allocate(books, event->group, leaf, after);
    return ALLOT_OK;
}

/* ---- Declined grants ------------------------------------------------------------------------- */

/* Slots that nothing uses come back; what the leaf has then is all that it wants for a while. */
int allot__apply_decline(allot__books *books, const allot__event *event, allot__error *fault)
{
    const allot__books_group *group = &books->groups[event->group];
    int32_t leaf = event->consumer;
    int64_t back = event->slots;
    int64_t free = group->allocated[leaf] - group->held[leaf];
    if (back > free)
        return allot__error_set(fault, ALLOT_ERANGE, "E-allocated", "slots", NULL,
                                "slots: found %lld, allowed at most %lld, what is allocated and "
                                "free",
                                (long long)back, (long long)free);
    allot__decline *it = allot__decline_of(books, event->group, leaf);
    if (!it) {
        it = allot__grow(books->engine, books->declines, &books->decline_room,
                         books->decline_count + 1, sizeof *it);
        if (!it)
            return ALLOT_ENOMEM;
        books->declines = it;
        it += books->decline_count++;
    }
    if (back > 0)
        allot__books_allocate(books, event->group, leaf, group->allocated[leaf] - back);
    *it = (allot__decline){.group = event->group,
                           .consumer = leaf,
                           .most =
                               event->demand >= 0 ? (int32_t)event->demand : group->allocated[leaf],
                           .until = event->until};
    allot__demand_tell(books, event->group, leaf);
    return ALLOT_OK;
}

void allot__write_declines(const allot__books *books, allot__text *out)
{
    for (size_t i = 0; i < books->decline_count; i++) {
        const allot__decline *it = &books->declines[i];
        allot__entry_open(out, ALLOT__EVENT_DECLINE);
        allot__write_leaf(out, books->plan, it->group, it->consumer);
        allot__text_number(out, "until", it->until);
        allot__text_number(out, "most", it->most);
        allot__entry_close(out);
    }
}

/* ---- Reclaims without tasks ------------------------------------------------------------------ */

/* Claims get the slots that come back best first. */
static void take_claims(allot_in_flight *flight, int64_t slots)
{
    allot_claim *claims = (allot_claim *)flight->claims; /* of the same block */
    int32_t left = 0;
    for (int32_t i = 0; i < flight->claim_count; i++) {
        int64_t part = claims[i].slots < slots ? claims[i].slots : slots;
        slots -= part;
        if (claims[i].slots > part)
            claims[left++] = (allot_claim){claims[i].consumer, claims[i].slots - part};
    }
    flight->claim_count = left;
}

int allot__apply_returned(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot__flight_item *item = allot__item_find(&books->flights, event->id);
    if (!item)
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-reclaim", "reclaim", NULL,
                                "reclaim: nothing is in flight as \"%.100s\"", event->id);
    allot_in_flight *flight = &item->it;
    const allot__books_group *group = &books->groups[flight->group];
    int64_t allocated = group->allocated[flight->consumer];
    int64_t free = allocated - group->held[flight->consumer];
    int64_t most = flight->slots < free || event->keep ? flight->slots : free;
    if (flight->task_count + flight->gone > 0)
        return allot__error_set(fault, ALLOT_EUSAGE, "E-conflict", "reclaim", NULL,
                                "reclaim: its slots come back as its tasks finish");
    if (event->slots > most)
        return allot__error_set(fault, ALLOT_ERANGE, "E-range", "slots", NULL,
                                "slots: found %lld, allowed at most %lld", (long long)event->slots,
                                (long long)most);
    allot__map_touch(&books->flights, &item->named);
    if (!event->keep)
        allot__books_allocate(books, flight->group, flight->consumer, allocated - event->slots);
    flight->slots -= event->slots;
    take_claims(flight, event->slots);
    if (flight->slots > 0) {
        allot__books_tell(books, ALLOT_ITEM_RECLAIM, flight);
        return ALLOT_OK;
    }
    allot__books_untell(books, ALLOT_ITEM_RECLAIM, flight->id);
    allot__item_end(books->engine, &books->flights, item);
    return ALLOT_OK;
}

/* ---- Sessions -------------------------------------------------------------------------------- */

/* All sessions of a leaf are scheduled alike; `old` is about to go. */
static int check_scheduling(const allot__books *books, const allot_session *told,
                            const allot__session_item *old, allot__error *fault)
{
    const int32_t *there = books->groups[told->group].sessions[told->consumer];
    for (int32_t kind = 0; kind < ALLOT_SCHEDULING_COUNT; kind++) {
        bool own = old != NULL && old->it.consumer == told->consumer &&
                   old->it.group == told->group && (int32_t)old->it.scheduling == kind;
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
    books->groups[session->group].sessions[session->consumer][session->scheduling] += more;
}

static int put_session(allot__books *books, const allot__event *event, allot__session_item *old,
                       allot__error *fault)
{
    const allot_session *told = &event->session;
    int status = check_scheduling(books, told, old, fault);
    bool moves = !old || old->it.consumer != told->consumer || old->it.group != told->group;
    if (status == ALLOT_OK && moves)
        status =
            allot__task_index_check_session(books, told->id, told->group, told->consumer, fault);
    if (status != ALLOT_OK)
        return status;
    const allot__origin *source;
    if (allot__origin_of(books, event, &source) != ALLOT_OK)
        return ALLOT_ENOMEM;
    allot__session_item *item = allot__session_make(books->engine, told);
    if (!item)
        return ALLOT_ENOMEM;
    item->source = source;
    item->seen = old ? old->seen : 0;
    if (old)
        count_session(books, &old->it, -1);
    if (allot__item_put(books->engine, &books->sessions, old, item) != ALLOT_OK)
        return ALLOT_ENOMEM;
    count_session(books, &item->it, 1);
    allot__books_tell(books, ALLOT_ITEM_SESSION, &item->it);
    return ALLOT_OK;
}

int allot__apply_session(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot__session_item *old = allot__item_find(&books->sessions, event->id);
    if (event->kind == ALLOT__EVENT_SESSION)
        return put_session(books, event, old, fault);
    if (!old)
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-session", "id", NULL,
                                "id: there is no session \"%.100s\"", event->id);
    count_session(books, &old->it, -1);
    allot__books_untell(books, ALLOT_ITEM_SESSION, old->it.id);
    allot__item_end(books->engine, &books->sessions, old);
    return ALLOT_OK;
}

/* ---- Contracts ------------------------------------------------------------------------------- */

static int read_side(const allot_job_host *said, int32_t count, const char *path,
                     allot_lease_side *side, allot__error *fault)
{
    for (int32_t i = 0; i < count; i++) {
        const char *key = said[i].host ? said[i].host : "";
        int64_t *at = strcmp(key, "available") == 0 ? &side->available
                      : strcmp(key, "used") == 0    ? &side->used
                      : strcmp(key, "demand") == 0  ? &side->demand
                                                    : NULL;
        if (!at)
            return allot__error_set(fault, ALLOT_EINVALID, "E-unknown-key", path, NULL,
                                    "%s: \"%.80s\" is none of available, used, demand", path, key);
        *at = said[i].slots;
    }
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
    if (books->lease_told[lease])
        now = books->lease[lease];
    int status =
        read_side(event->provider, event->provider_count, "provider", &now.provider, fault);
    if (status == ALLOT_OK)
        status = read_side(event->holder, event->holder_count, "consumer", &now.consumer, fault);
    if (status != ALLOT_OK)
        return status;
    if (event->phase >= 0)
        now.phase = (allot_lease_phase)event->phase;
    if (event->since != INT64_MIN)
        now.since = event->since;
    else if (!books->lease_told[lease])
        now.since = event->at;
    books->lease[lease] = now;
    books->lease_told[lease] = true;
    return ALLOT_OK;
}
