/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* write.c: a state as "allot/state/v1": the top level, consumers and hosts. */
#include "json/state/write.h"

#include <string.h>

#include "json/state/state.h"

#define BUFFER_SIZE 65536

/* ---- Consumers ------------------------------------------------------------------------------- */

static int64_t number_of(const allot_member *member, const allot_stated_leaf *leaf)
{
    int64_t number;
    memcpy(&number, (const char *)leaf + member->at, sizeof number);
    return number;
}

/* What a leaf states in a group; false: nothing. */
static bool get_leaf(const allot_state *state, int32_t group, int32_t consumer,
                     allot_stated_leaf *out)
{
    const allot_members *row = allot_members_of(ALLOT_ITEM_ROW);
    bool some = false;
    if (allot_state_leaf_get(state, group, consumer, out) != ALLOT_OK)
        return false;
    for (int32_t i = 0; i < row->count; i++)
        some = some || number_of(&row->items[i], out) != row->items[i].unset;
    return some;
}

/* A number of a leaf in all groups: {group: number}, of those that say one. */
static void write_by_group(allot__writer *out, const allot_state *state, int32_t consumer,
                           const allot_member *member)
{
    const allot_plan *plan = allot_state_plan(state);
    allot_stated_leaf leaf;
    bool open = false;
    for (int32_t group = 0; group < allot_plan_groups(plan); group++) {
        if (!get_leaf(state, group, consumer, &leaf) || number_of(member, &leaf) == member->unset)
            continue;
        if (!open)
            allot__write_open(out, member->name, '{');
        allot__write_named_integer(out, allot_plan_group_name(plan, group),
                                   number_of(member, &leaf));
        open = true;
    }
    if (open)
        allot__write_close(out, '}');
}

static void write_consumer(allot__writer *out, const allot_state *state, int32_t consumer)
{
    const allot_plan *plan = allot_state_plan(state);
    const allot_members *row = allot_members_of(ALLOT_ITEM_ROW);
    allot_stated_leaf leaf;
    bool some = false;
    for (int32_t group = 0; group < allot_plan_groups(plan) && !some; group++)
        some = get_leaf(state, group, consumer, &leaf);
    if (!some)
        return;
    allot__write_line(out);
    allot__write_path_open(out, plan, consumer, '{');
    if (allot_plan_groups(plan) == 1)
        allot__item_write(out, plan, row, &leaf);
    for (int32_t i = 0; i < row->count && allot_plan_groups(plan) > 1; i++)
        write_by_group(out, state, consumer, &row->items[i]);
    allot__write_close(out, '}');
}

/* In the plan's order. */
static bool write_consumers(allot_state_writing *it)
{
    if (allot_plan_queues(it->plan) > 0 || allot_plan_consumers(it->plan) == 0)
        return true;
    allot__writing_open(it, "consumers", '{');
    for (; it->left > 0; it->left--) {
        it->next = allot_plan_next(it->plan, it->next);
        if (it->next == ALLOT_ROOT) {
            allot__writing_close(it, '}');
            return true;
        }
        write_consumer(&it->out, it->state, it->next);
    }
    return false;
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

static void write_host(allot__writer *out, const allot_plan *plan, const allot_stated_host *host)
{
    allot__write_line(out);
    allot__write_named_open(out, host->name, '{');
    allot__item_write(out, plan, allot_members_of(ALLOT_ITEM_HOST), host);
    allot__write_close(out, '}');
}

static bool write_hosts(allot_state_writing *it)
{
    allot_stated_host host;
    int32_t count = allot_state_hosts(it->state);
    if (count > 0)
        allot__writing_open(it, "hosts", '{');
    for (; it->next < count && it->left > 0; it->next++, it->left--)
        if (allot__write_got(&it->out, allot_state_host_at(it->state, it->next, &host)))
            write_host(&it->out, it->plan, &host);
    if (it->next < count)
        return false;
    allot__writing_close(it, '}');
    return true;
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

static bool write_head(allot_state_writing *it)
{
    int64_t last;
    allot__write_open(&it->out, NULL, '{');
    allot__write_string(&it->out, "schema", ALLOT__STATE_SCHEMA_V1);
    allot__write_integer(&it->out, "now", allot_state_now_get(it->state));
    if (allot_state_now_is_rounded(it->state))
        allot__write_boolean(&it->out, "now_rounded", true);
    if (allot_state_last_get(it->state, &last) == ALLOT_OK)
        allot__write_integer(&it->out, "last", last);
    write_size(&it->out, it->state);
    return true;
}

static bool write_rest(allot_state_writing *it)
{
    allot__usage_write(&it->out, it->state);
    allot__leases_write(&it->out, it->state);
    allot__write_close(&it->out, '}');
    allot__write_raw(&it->out, "\n", 1);
    return true;
}

/* Each goes on where it was, at `next`; false: there is more. */
static const struct {
    bool (*write)(allot_state_writing *it);
    int32_t first;
} parts[] = {{write_head, 0},
             {write_consumers, ALLOT_ROOT},
             {write_hosts, 0},
             {allot__lists_write, 0},
             {write_rest, 0}};
enum { PARTS = sizeof parts / sizeof *parts };

int allot_state_write_begin(const allot_state *state, allot_sink sink, void *ud,
                            allot_state_writing **out)
{
    int64_t slots;
    if (!state || !sink || !out || allot_state_size_get(state, 0, &slots) == ALLOT_EUSAGE)
        return ALLOT_EUSAGE;
    const allot_plan *plan = allot_state_plan(state);
    allot_state_writing *made =
        allot_engine_alloc(allot_plan_engine(plan), NULL, 0, sizeof *made + BUFFER_SIZE);
    if (!made)
        return ALLOT_ENOMEM;
    *made = (allot_state_writing){.state = state, .plan = plan};
    made->out =
        (allot__writer){.sink = sink, .ud = ud, .buf = (char *)(made + 1), .size = BUFFER_SIZE};
    *out = made;
    return ALLOT_OK;
}

int allot_state_write_some(allot_state_writing *writing, int32_t items, int32_t *over)
{
    if (!writing || !over)
        return ALLOT_EUSAGE;
    writing->left = items;
    while (writing->part < PARTS && writing->out.status == ALLOT_OK &&
           parts[writing->part].write(writing)) {
        writing->part++;
        if (writing->part < PARTS)
            writing->next = parts[writing->part].first;
    }
    *over = writing->part == PARTS;
    return *over ? allot__write_end(&writing->out) : writing->out.status;
}

void allot_state_write_end(allot_state_writing *writing)
{
    if (writing)
        allot_engine_alloc(allot_plan_engine(writing->plan), writing, sizeof *writing + BUFFER_SIZE,
                           0);
}

int allot_state_write(const allot_state *state, allot_sink sink, void *ud)
{
    allot_state_writing *writing;
    int32_t over = 0;
    int status = allot_state_write_begin(state, sink, ud, &writing);
    if (status != ALLOT_OK)
        return status;
    while (status == ALLOT_OK && !over)
        status = allot_state_write_some(writing, INT32_MAX, &over);
    allot_state_write_end(writing);
    return status;
}
