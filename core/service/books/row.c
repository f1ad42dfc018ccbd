/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* row.c: what leaves demand, hold, give back and decline; sessions and contracts. */
#include "service/books/own.h"

#include "base/memory.h"

void allot__books_allocate(allot__books *books, int32_t group, int32_t consumer, int64_t slots)
{
    books->groups[group].allocated[consumer] = (int32_t)slots;
    allot__books_look(books, group, consumer);
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

int allot__books_unlist(allot__books *books, int32_t group, int32_t consumer, int64_t slots)
{
    int32_t *unlisted = &books->groups[group].unlisted[consumer];
    if (*unlisted != slots &&
        allot_state_unlisted(books->state, group, consumer, slots) == ALLOT_ENOMEM)
        return ALLOT_ENOMEM;
    *unlisted = (int32_t)slots;
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
    if (status == ALLOT_OK && event->kind == ALLOT__EVENT_ALLOCATED && event->unlisted >= 0)
        status = allot__books_unlist(books, event->group, leaf, event->unlisted);
    if (status != ALLOT_OK)
        return status;
    if (event->kind == ALLOT__EVENT_DEMAND) {
        group->demand[leaf] = (int32_t)event->slots;
        allot__demand_tell(books, event->group, leaf);
        return ALLOT_OK;
    }
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

void allot__flight_end(allot__books *books, allot__flight_item *item, bool state)
{
    allot_in_flight flight;
    if (allot__books_get(books, ALLOT_ITEM_RECLAIM, item->named.name, &flight))
        allot__victims_end(books, &flight);
    allot__map_take(&books->flights, &item->named);
    if (state)
        allot_state_end(books->state, ALLOT_ITEM_RECLAIM, item->named.name);
    allot__item_free(books->engine, item);
}

int allot__apply_returned(allot__books *books, const allot__event *event, allot__error *fault)
{
    allot__flight_item *item = allot__item_find(&books->flights, event->id);
    allot_in_flight flight;
    if (!item || !allot__books_get(books, ALLOT_ITEM_RECLAIM, event->id, &flight))
        return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-reclaim", "reclaim", NULL,
                                "reclaim: nothing is in flight as \"%.100s\"", event->id);
    const allot__books_group *group = &books->groups[flight.group];
    int64_t allocated = group->allocated[flight.consumer];
    int64_t free = allocated - group->held[flight.consumer];
    int64_t most = flight.slots < free || event->keep ? flight.slots : free;
    if (flight.task_count + flight.gone > 0)
        return allot__error_set(fault, ALLOT_EUSAGE, "E-conflict", "reclaim", NULL,
                                "reclaim: its slots come back as its tasks finish");
    if (event->slots > most)
        return allot__error_set(fault, ALLOT_ERANGE, "E-range", "slots", NULL,
                                "slots: found %lld, allowed at most %lld", (long long)event->slots,
                                (long long)most);
    allot__map_touch(&books->flights, &item->named);
    if (!event->keep)
        allot__books_allocate(books, flight.group, flight.consumer, allocated - event->slots);
    if (event->slots == flight.slots)
        allot__flight_end(books, item, true);
    else
        allot_state_reclaim_back(books->state, item->named.name, event->slots);
    return ALLOT_OK;
}

/* ---- Sessions -------------------------------------------------------------------------------- */

/* All sessions of a leaf are scheduled alike; `old` is about to go. */
static int check_scheduling(const allot__books *books, const allot_session *told,
                            const allot_session *old, allot__error *fault)
{
    const int32_t *there = books->groups[told->group].sessions[told->consumer];
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
    books->groups[session->group].sessions[session->consumer][session->scheduling] += more;
}

static int put_session(allot__books *books, const allot__event *event, const allot_session *old,
                       allot__error *fault)
{
    const allot_session *told = &event->session;
    const allot__origin *source;
    allot__record *record;
    int status = check_scheduling(books, told, old, fault);
    bool moves = !old || old->consumer != told->consumer || old->group != told->group;
    if (status == ALLOT_OK && moves)
        status =
            allot__task_index_check_session(books, told->id, told->group, told->consumer, fault);
    if (status == ALLOT_OK)
        status = allot__origin_of(books, event, &source);
    if (status == ALLOT_OK)
        status = allot__record_put(books, ALLOT_ITEM_SESSION, told, &record);
    if (status != ALLOT_OK)
        return status;
    record->source = source;
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
    bool told = allot_state_lease_at(books->state, lease, &now) == ALLOT_OK;
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
    else if (!told)
        now.since = event->at;
    return allot_state_lease(books->state, lease, &now);
}
