/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* leases.c: each contract by itself, then those that are due, in batches for the policy. */
#include "engine/jobs/leases.h"

#include <inttypes.h>

#include "base/least.h"
#include "model/jobs/queue.h"
#include "model/state/state.h"

static int64_t idle(const allot_lease_side *side)
{
    return side->available - side->used;
}

/* ---- Size ------------------------------------------------------------------------------------ */

/* How many of a contract's slots on a host exist now. */
static int64_t slots_on(const allot_plan *plan, const allot_state *state,
                        const allot_lease_host *exported, int32_t *host)
{
    allot__host_number(&plan->hosts, exported->host, host);
    const allot__site *site = &state->tasks.sites[*host];
    if (site->closed != ALLOT_OPEN)
        return 0;
    return site->slots >= 0 ? allot__least(exported->slots, site->slots) : exported->slots;
}

static int64_t size_of(const allot_plan *plan, const allot_state *state, const allot_lease *lease)
{
    int64_t size = 0;
    for (int32_t i = 0; i < lease->host_count; i++) {
        int32_t host;
        size += slots_on(plan, state, &lease->hosts[i], &host);
    }
    return lease->host_count > 0 ? size : lease->slots;
}

/* Rule 1; did it change anything? */
static bool resize(allot_lease_part *part)
{
    allot_lease_now *now = &part->now;
    int64_t above = now->provider.available + now->consumer.available - part->size;
    int64_t first = allot__least(above, idle(&now->provider));
    int64_t second = above > 0 ? allot__least(above - first, idle(&now->consumer)) : 0;
    now->provider.available -= first;
    now->consumer.available -= second;
    if (first != 0 || second != 0)
        part->reason = above > 0 ? "shrunk" : "grown";
    return first != 0 || second != 0;
}

/* ---- One contract ---------------------------------------------------------------------------- */

/* Gives one side `slots` slots, except those that the other uses; the other has the rest. */
static void divide(int64_t size, int64_t slots, allot_lease_side *side, allot_lease_side *other)
{
    side->available = allot__most(allot__least(slots, size - other->used), side->used);
    other->available = allot__most(size - side->available, other->used);
}

static void exclude(allot_lease_part *part)
{
    divide(part->size, part->size, &part->now.consumer, &part->now.provider);
    part->now.phase = ALLOT_LEASE_OK;
    part->reason = "exclusive";
}

static void offer(allot_lease_part *part, int64_t now)
{
    divide(part->size, 1, &part->now.consumer, &part->now.provider);
    part->reason = "offered";
    if (part->now.consumer.used > 0) {
        part->now.phase = ALLOT_LEASE_OK;
        part->now.since = now;
        part->reason = "made";
    }
}

static bool waits(const allot_lease *lease, const allot_lease_part *part, int64_t now)
{
    int64_t over;
    return part->now.since > now ||
           (!__builtin_sub_overflow(now, part->now.since, &over) && over < lease->reclaim_delay);
}

/* Rules 1 to 5; is it due? */
static bool step(const allot_plan *plan, const allot_state *state, int32_t number,
                 allot_lease_part *part)
{
    const allot_lease *lease = (const allot_lease *)allot__queues_of(plan)->leases.items + number;
    *part = (allot_lease_part){.size = size_of(plan, state, lease), .reason = "waits"};
    if (allot_state_lease_at(state, number, &part->now) != ALLOT_OK) {
        part->now =
            (allot_lease_now){.provider = {0, 0, -1}, .consumer = {0, 0, -1}, .since = state->now};
    }
    if (!lease->shared) {
        exclude(part);
    } else if (part->now.phase == ALLOT_LEASE_CONN) {
        offer(part, state->now);
    } else if (resize(part)) {
        part->now.phase = ALLOT_LEASE_INACTIVE;
        part->now.since = state->now;
    } else if (part->now.phase == ALLOT_LEASE_INACTIVE) {
        part->now.phase = ALLOT_LEASE_OK;
        part->reason = "inactive";
    } else {
        return !waits(lease, part, state->now);
    }
    return false;
}

/* ---- Moving ---------------------------------------------------------------------------------- */

/* Finds by host the contract's slots before ... before + count - 1. */
static int find_places(const allot_plan *plan, const allot_state *state, const allot_lease *lease,
                       allot__arena *arena, int64_t before, allot_lease_part *part)
{
    allot_place *places = allot__arena_take(arena, (size_t)lease->host_count + 1, sizeof *places);
    if (!places)
        return ALLOT_ENOMEM;
    int64_t from = 0;
    for (int32_t i = 0; i < lease->host_count; i++) {
        int32_t host;
        int64_t to = from + slots_on(plan, state, &lease->hosts[i], &host);
        int64_t slots = allot__least(to, before + part->moved) - allot__most(from, before);
        if (slots > 0)
            places[part->place_count++] = (allot_place){host, lease->hosts[i].host, slots};
        from = to;
    }
    part->places = part->place_count > 0 ? places : NULL;
    return ALLOT_OK;
}

/* Rule 6. `answer`: 1: the provider's idle slots go, -1: the consumer's, 0: none. */
static int move(const allot_plan *plan, const allot_state *state, int32_t number,
                allot__arena *arena, int64_t answer, allot_lease_part *part)
{
    const allot_lease *lease = (const allot_lease *)allot__queues_of(plan)->leases.items + number;
    allot_lease_now *now = &part->now;
    allot_lease_side *from = answer > 0 ? &now->provider : &now->consumer;
    allot_lease_side *to = answer > 0 ? &now->consumer : &now->provider;
    bool more = idle(from) > idle(to);
    now->since = state->now;
    part->to_consumer = answer > 0;
    if (answer == 0 || idle(from) == 0) {
        part->reason = answer != 0 ? "none-idle" : idle(from) == idle(to) ? "equal" : "policy";
        return ALLOT_OK;
    }
    if (lease->damped && to->demand == 0) {
        part->reason = "no-demand";
        return ALLOT_OK;
    }
    int64_t before = answer > 0 ? now->provider.used : now->provider.available;
    part->moved = idle(from);
    part->reason = !more ? "policy" : answer > 0 ? "provider-idle" : "consumer-idle";
    from->available -= part->moved;
    to->available += part->moved;
    now->phase = ALLOT_LEASE_INACTIVE;
    return find_places(plan, state, lease, arena, before, part);
}

/* ---- All that are due ------------------------------------------------------------------------ */

enum { BATCH = 512 };

typedef struct due {
    const allot_plan *plan;
    const allot_state *state;
    allot__arena *arena;
    allot_report *report;
    allot_lease_part *parts;
    int32_t *list; /* contracts */
    int32_t count;
    int64_t *answers; /* as list */
} due;

static int64_t column_value(const allot_lease_part *part, int32_t column)
{
    const allot_lease_side *provider = &part->now.provider, *consumer = &part->now.consumer;
    const int64_t values[ALLOT_LEASE_COLUMN_COUNT] = {
        [ALLOT_LEASE_PROVIDER_AVAILABLE] = provider->available,
        [ALLOT_LEASE_PROVIDER_USED] = provider->used,
        [ALLOT_LEASE_PROVIDER_IDLE] = idle(provider),
        [ALLOT_LEASE_PROVIDER_DEMAND] = provider->demand,
        [ALLOT_LEASE_CONSUMER_AVAILABLE] = consumer->available,
        [ALLOT_LEASE_CONSUMER_USED] = consumer->used,
        [ALLOT_LEASE_CONSUMER_IDLE] = idle(consumer),
        [ALLOT_LEASE_CONSUMER_DEMAND] = consumer->demand,
        [ALLOT_LEASE_SIZE] = part->size,
    };
    return values[column];
}

/* Calls the policy's function for a batch; `room` has capacity for a batch of every column. */
static int ask(const due *it, const allot_policy *policy, int32_t first, int32_t n, int64_t *room)
{
    const allot__function *function =
        (const allot__function *)policy->functions.items + policy->lease;
    const int64_t *columns[ALLOT_LEASE_COLUMN_COUNT];
    int32_t consumers[BATCH];
    for (int32_t k = 0; k < function->count; k++) {
        int64_t *values = room + (size_t)k * BATCH;
        for (int32_t i = 0; i < n; i++)
            values[i] = column_value(&it->parts[it->list[first + i]], function->columns[k]);
        columns[k] = values;
    }
    for (int32_t i = 0; i < n; i++)
        consumers[i] = ALLOT_ROOT;
    allot_batch batch = {.count = n,
                         .columns = columns,
                         .consumers = consumers,
                         .plan = it->plan,
                         .rows = ALLOT_LEASES,
                         .items = it->list + first,
                         .state = it->state};
    return policy->provider.compute(policy->provider.ud, policy->lease, &batch, it->answers + first,
                                    it->report);
}

static int check(const due *it, const allot_policy *policy)
{
    for (int32_t i = 0; i < it->count; i++) {
        if (it->answers[i] < -1 || it->answers[i] > 1) {
            allot_lease lease;
            allot_plan_lease_at(it->plan, it->list[i], &lease);
            allot_report_say(it->report, ALLOT_ERROR, "E-range",
                             "policy \"%s\", lease \"%s\": the function returned %" PRId64
                             ", allowed is -1, 0 or 1",
                             policy->name, lease.name, it->answers[i]);
            return ALLOT_ESCRIPT;
        }
    }
    return ALLOT_OK;
}

static int ask_policy(const due *it, const allot_policy *policy)
{
    int64_t *room =
        allot__arena_take(it->arena, (size_t)ALLOT_LEASE_COLUMN_COUNT * BATCH, sizeof *room);
    int status = room ? ALLOT_OK : ALLOT_ENOMEM;
    for (int32_t first = 0; first < it->count && status == ALLOT_OK; first += BATCH)
        status = ask(it, policy, first, (int32_t)allot__least(it->count - first, BATCH), room);
    return status == ALLOT_OK ? check(it, policy) : status;
}

static int answer(const due *it)
{
    const allot_policy *policy = it->plan->groups[0].policy;
    if (policy && policy->lease >= 0 && it->count > 0)
        return ask_policy(it, policy);
    for (int32_t i = 0; i < it->count; i++) {
        const allot_lease_now *now = &it->parts[it->list[i]].now;
        int64_t provider = idle(&now->provider);
        int64_t consumer = idle(&now->consumer);
        it->answers[i] = (provider > consumer) - (provider < consumer);
    }
    return ALLOT_OK;
}

int allot__leases(const allot_plan *plan, const allot_state *state, allot__arena *arena,
                  allot_report *report, allot_lease_part **out)
{
    *out = NULL;
    int32_t count = allot_plan_leases(plan);
    due it = {.plan = plan, .state = state, .arena = arena, .report = report};
    if (count == 0)
        return ALLOT_OK;
    it.parts = allot__arena_take(arena, (size_t)count, sizeof *it.parts);
    it.list = allot__arena_take(arena, (size_t)count, sizeof *it.list);
    it.answers = allot__arena_take(arena, (size_t)count, sizeof *it.answers);
    if (!it.parts || !it.list || !it.answers)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < count; i++)
        if (step(plan, state, i, &it.parts[i]))
            it.list[it.count++] = i;
    int status = answer(&it);
    for (int32_t i = 0; i < it.count && status == ALLOT_OK; i++)
        status = move(plan, state, it.list[i], arena, it.answers[i], &it.parts[it.list[i]]);
    *out = status == ALLOT_OK ? it.parts : NULL;
    return status;
}
