/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* write.c: a state as "allot/state/v1": the top level, consumers and hosts. */
#include "json/state/write.h"

#include "json/state/state.h"

#define BUFFER_SIZE 65536

/* ---- Consumers ------------------------------------------------------------------------------- */

enum { DEMAND, ALLOCATED, UNLISTED, RECLAIMED_AT, WAITING_SINCE, NUMBERS };
static const struct {
    const char *key;
    int64_t unstated;
} numbers[NUMBERS] = {[DEMAND] = {"demand", 0},
                      [ALLOCATED] = {"allocated", 0},
                      [UNLISTED] = {"unlisted", 0},
                      [RECLAIMED_AT] = {"reclaimed_at", INT64_MIN},
                      [WAITING_SINCE] = {"waiting_since", INT64_MIN}};

/* What a leaf states in a group, by the table; false: nothing. */
static bool get_leaf(const allot_state *state, int32_t group, int32_t consumer,
                     int64_t out[NUMBERS])
{
    allot_stated_leaf leaf;
    bool some = false;
    if (allot_state_leaf_get(state, group, consumer, &leaf) != ALLOT_OK)
        return false;
    out[DEMAND] = leaf.demand;
    out[ALLOCATED] = leaf.allocated;
    out[UNLISTED] = leaf.unlisted;
    out[RECLAIMED_AT] = leaf.reclaimed_at;
    out[WAITING_SINCE] = leaf.waiting_since;
    for (int i = 0; i < NUMBERS; i++)
        some = some || out[i] != numbers[i].unstated;
    return some;
}

/* A number of a leaf in all groups: {group: number}, of those that say one. */
static void write_by_group(allot__writer *out, const allot_state *state, int32_t consumer,
                           int which)
{
    const allot_plan *plan = allot_state_plan(state);
    int64_t of[NUMBERS];
    bool open = false;
    for (int32_t group = 0; group < allot_plan_groups(plan); group++) {
        if (!get_leaf(state, group, consumer, of) || of[which] == numbers[which].unstated)
            continue;
        if (!open)
            allot__write_open(out, numbers[which].key, '{');
        allot__write_named_integer(out, allot_plan_group_name(plan, group), of[which]);
        open = true;
    }
    if (open)
        allot__write_close(out, '}');
}

static void write_consumer(allot__writer *out, const allot_state *state, int32_t consumer)
{
    const allot_plan *plan = allot_state_plan(state);
    int64_t of[NUMBERS];
    bool some = false;
    for (int32_t group = 0; group < allot_plan_groups(plan) && !some; group++)
        some = get_leaf(state, group, consumer, of);
    if (!some)
        return;
    allot__write_line(out);
    allot__write_path_open(out, plan, consumer, '{');
    for (int i = 0; i < NUMBERS; i++)
        if (allot_plan_groups(plan) > 1)
            write_by_group(out, state, consumer, i);
        else
            allot__write_unless(out, numbers[i].key, of[i], numbers[i].unstated);
    allot__write_close(out, '}');
}

/* In the plan's order. */
static void write_consumers(allot__writer *out, const allot_state *state)
{
    const allot_plan *plan = allot_state_plan(state);
    if (allot_plan_queues(plan) > 0 || allot_plan_consumers(plan) == 0)
        return;
    allot__write_line(out);
    allot__write_open(out, "consumers", '{');
    for (int32_t i = allot_plan_next(plan, ALLOT_ROOT); i != ALLOT_ROOT;
         i = allot_plan_next(plan, i))
        write_consumer(out, state, i);
    allot__write_close(out, '}');
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

static void write_host(allot__writer *out, const allot_plan *plan, const allot_stated_host *host)
{
    allot__write_line(out);
    allot__write_named_open(out, host->name, '{');
    allot__write_integer(out, "slots", host->slots);
    if (host->closed != ALLOT_OPEN)
        allot__write_string(out, "closed", host->closed == ALLOT_DRAIN ? "drain" : "reclaim");
    if (host->load >= 0)
        allot__write_thousandths(out, "load", host->load);
    if (host->exclusive_to != ALLOT_ROOT)
        allot__write_path(out, "exclusive_to", plan, host->exclusive_to);
    allot__write_close(out, '}');
}

static void write_hosts(allot__writer *out, const allot_state *state)
{
    allot_stated_host host;
    int32_t count = allot_state_hosts(state);
    if (count == 0)
        return;
    allot__write_line(out);
    allot__write_open(out, "hosts", '{');
    for (int32_t i = 0; i < count; i++)
        if (allot__write_got(out, allot_state_host_at(state, i, &host)))
            write_host(out, allot_state_plan(state), &host);
    allot__write_close(out, '}');
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void write_size(allot__writer *out, const allot_state *state)
{
    const allot_plan *plan = allot_state_plan(state);
    int64_t slots;
    bool open = false;
    for (int32_t group = 0; group < allot_plan_groups(plan); group++) {
        if (allot_state_size_get(state, group, &slots) != ALLOT_OK)
            continue;
        if (allot_plan_groups(plan) == 1) {
            allot__write_integer(out, "slots", slots);
            return;
        }
        if (!open)
            allot__write_open(out, "slots", '{');
        allot__write_named_integer(out, allot_plan_group_name(plan, group), slots);
        open = true;
    }
    if (open)
        allot__write_close(out, '}');
}

static int write_state(allot__writer *out, const allot_state *state)
{
    static void (*const parts[])(allot__writer * out, const allot_state *state) = {
        write_size,         write_consumers,    write_hosts,
        allot__lists_write, allot__usage_write, allot__leases_write};
    int64_t last;
    allot__write_open(out, NULL, '{');
    allot__write_string(out, "schema", ALLOT__STATE_SCHEMA_V1);
    allot__write_integer(out, "now", allot_state_now_get(state));
    if (allot_state_last_get(state, &last) == ALLOT_OK)
        allot__write_integer(out, "last", last);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        parts[i](out, state);
    allot__write_close(out, '}');
    allot__write_raw(out, "\n", 1);
    return allot__write_end(out);
}

int allot_state_write(const allot_state *state, allot_sink sink, void *ud)
{
    int64_t slots;
    if (!state || !sink || allot_state_size_get(state, 0, &slots) == ALLOT_EUSAGE)
        return ALLOT_EUSAGE;
    allot_engine *engine = allot_plan_engine(allot_state_plan(state));
    char *buf = allot_engine_alloc(engine, NULL, 0, BUFFER_SIZE);
    if (!buf)
        return ALLOT_ENOMEM;
    allot__writer out = {.sink = sink, .ud = ud, .buf = buf, .size = BUFFER_SIZE};
    int status = write_state(&out, state);
    allot_engine_alloc(engine, buf, BUFFER_SIZE, 0);
    return status;
}
