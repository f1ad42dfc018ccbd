/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* write.c: a state as "allot/state/v1", without values that equal their defaults. */
#include "json/state/item.h"

#include <string.h>

#include "json/state/state.h"

/* A partly written document, and what is written next. */
struct allot_state_writing {
    allot__text out;
    const allot_state *state;
    const allot_plan *plan;
    int part;     /* of the document, in the order of write.c */
    int list;     /* the list */
    int32_t next; /* item of the list; of consumers the last one visited */
    int32_t left; /* items that this call may still write */
    bool open;    /* the list or object is begun */
};

/* Begins the next list or object, once. */
static void open_part(allot_state_writing *it, const char *key, const char *bracket)
{
    if (it->open)
        return;
    allot__text_line(&it->out);
    allot__text_open(&it->out, key, bracket);
    it->open = true;
}

/* Ends the list or object, if begun. */
static void close_part(allot_state_writing *it, const char *bracket)
{
    if (it->open)
        allot__text_puts(&it->out, bracket);
    it->open = false;
}

/* A member of an object that begins with its first member, if there is any. */
static void put_lazily(allot__text *out, const char *key, bool *open, const char *name,
                       int64_t number)
{
    if (!*open)
        allot__text_open(out, key, "{");
    *open = true;
    allot__text_named_number(out, name, number);
}

static void end_lazily(allot__text *out, bool open)
{
    if (open)
        allot__text_puts(out, "}");
}

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

/* A number of a leaf in all groups: {group: number}, of groups with a stated number. */
static void write_by_group(allot__text *out, const allot_state *state, int32_t consumer,
                           const allot_member *member)
{
    const allot_plan *plan = allot_state_plan(state);
    allot_stated_leaf leaf;
    bool open = false;
    for (int32_t group = 0; group < allot_plan_groups(plan); group++) {
        if (get_leaf(state, group, consumer, &leaf) && number_of(member, &leaf) != member->unset)
            put_lazily(out, member->name, &open, allot_plan_group_name(plan, group),
                       number_of(member, &leaf));
    }
    end_lazily(out, open);
}

static void write_consumer(allot__text *out, const allot_state *state, int32_t consumer)
{
    const allot_plan *plan = allot_state_plan(state);
    const allot_members *row = allot_members_of(ALLOT_ITEM_ROW);
    allot_stated_leaf leaf;
    bool some = false;
    for (int32_t group = 0; group < allot_plan_groups(plan) && !some; group++)
        some = get_leaf(state, group, consumer, &leaf);
    if (!some)
        return;
    allot__text_line(out);
    allot__text_path_member(out, NULL, plan, consumer);
    allot__text_puts(out, ": {");
    if (allot_plan_groups(plan) == 1)
        allot__item_write(out, plan, row, &leaf);
    for (int32_t i = 0; i < row->count && allot_plan_groups(plan) > 1; i++)
        write_by_group(out, state, consumer, &row->items[i]);
    allot__text_puts(out, "}");
}

/* In the plan's order. */
static bool write_consumers(allot_state_writing *it)
{
    if (allot_plan_queues(it->plan) > 0 || allot_plan_consumers(it->plan) == 0)
        return true;
    open_part(it, "consumers", "{");
    for (; it->left > 0; it->left--) {
        it->next = allot_plan_next(it->plan, it->next);
        if (it->next == ALLOT_ROOT) {
            close_part(it, "}");
            return true;
        }
        write_consumer(&it->out, it->state, it->next);
    }
    return false;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static const allot_item lists[] = {ALLOT_ITEM_HOST,    ALLOT_ITEM_SESSION, ALLOT_ITEM_TASK,
                                   ALLOT_ITEM_RECLAIM, ALLOT_ITEM_LOAN,    ALLOT_ITEM_JOB,
                                   ALLOT_ITEM_USER};

/* Are the items members of an object, under their names? */
static bool is_keyed(allot_item kind)
{
    return kind == ALLOT_ITEM_HOST || kind == ALLOT_ITEM_USER;
}

static void write_any(allot_state_writing *it, allot_item kind, const allot_any_item *item)
{
    allot__text_line(&it->out);
    if (is_keyed(kind)) {
        allot__text_named(&it->out, kind == ALLOT_ITEM_HOST ? item->host.name : item->user.name);
        allot__text_puts(&it->out, "{");
    } else {
        allot__text_open(&it->out, NULL, "{");
    }
    allot__item_write(&it->out, it->plan, allot_members_of(kind), item);
    allot__text_puts(&it->out, "}");
}

/* Continues one list; false: more is left. */
static bool write_list(allot_state_writing *it)
{
    allot_item kind = lists[it->list];
    int32_t count = allot_state_count(it->state, kind);
    allot_any_item item;
    for (; it->next < count && it->left > 0; it->next++, it->left--) {
        int status = allot_state_item_at(it->state, kind, it->next, &item);
        if (status == ALLOT_ENOENT)
            continue; /* another number of the task before, or nothing to state */
        if (!allot__text_got(&it->out, status))
            return true;
        open_part(it, allot_members_of(kind)->list, is_keyed(kind) ? "{" : "[");
        write_any(it, kind, &item);
    }
    if (it->next < count)
        return false;
    close_part(it, is_keyed(kind) ? "}" : "]");
    return true;
}

static bool write_lists(allot_state_writing *it)
{
    for (; it->list < (int)(sizeof lists / sizeof *lists); it->list++, it->next = 0)
        if (!write_list(it))
            return false;
    return true;
}

/* ---- Objects by name ------------------------------------------------------------------------- */

/* `rests`: the millionths, if any. */
static void write_used(allot__text *out, const allot_state *state, bool rests)
{
    const allot_plan *plan = allot_state_plan(state);
    bool open = false;
    for (int32_t i = 0; i < allot_plan_queues(plan); i++) {
        allot_queue queue;
        int64_t seconds;
        int32_t millionths;
        if (allot_state_usage_get(state, i, &seconds, &millionths) == ALLOT_OK &&
            (!rests || millionths != 0) &&
            allot__text_got(out, allot_plan_queue_at(plan, i, &queue)))
            put_lazily(out, rests ? "usage_rest" : "usage", &open, queue.name,
                       rests ? millionths : seconds);
    }
    end_lazily(out, open);
}

static void write_preempted_at(allot__text *out, const allot_state *state)
{
    const allot_plan *plan = allot_state_plan(state);
    bool open = false;
    for (int32_t i = 0; i < allot_plan_resources(plan); i++) {
        allot_resource resource;
        int64_t when;
        if (allot_state_resource_time(state, i, &when) == ALLOT_OK &&
            allot__text_got(out, allot_plan_resource_at(plan, i, &resource)))
            put_lazily(out, "resources_preempted_at", &open, resource.name, when);
    }
    end_lazily(out, open);
}

static void write_usage(allot__text *out, const allot_state *state)
{
    int64_t when;
    write_used(out, state, false);
    write_used(out, state, true);
    if (allot_state_usage_time(state, &when) == ALLOT_OK)
        allot__text_number(out, "usage_at", when);
    write_preempted_at(out, state);
}

static void write_leases(allot__text *out, const allot_state *state)
{
    const allot_plan *plan = allot_state_plan(state);
    bool open = false;
    for (int32_t i = 0; i < allot_plan_leases(plan); i++) {
        allot_lease lease;
        allot_lease_now now;
        if (allot_state_lease_at(state, i, &now) != ALLOT_OK ||
            !allot__text_got(out, allot_plan_lease_at(plan, i, &lease)))
            continue;
        if (!open) {
            allot__text_line(out);
            allot__text_open(out, "leases", "{");
        }
        open = true;
        allot__text_line(out);
        allot__text_named(out, lease.name);
        allot__text_puts(out, "{");
        allot__item_write(out, plan, allot_members_of(ALLOT_ITEM_LEASE), &now);
        allot__text_puts(out, "}");
    }
    end_lazily(out, open);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void write_size(allot__text *out, const allot_state *state)
{
    const allot_plan *plan = allot_state_plan(state);
    int64_t slots;
    bool open = false;
    for (int32_t group = 0; group < allot_plan_groups(plan); group++) {
        if (allot_state_size_get(state, group, &slots) != ALLOT_OK)
            continue;
        if (allot_plan_groups(plan) == 1) {
            allot__text_number(out, "slots", slots);
            return;
        }
        put_lazily(out, "slots", &open, allot_plan_group_name(plan, group), slots);
    }
    end_lazily(out, open);
}

static bool write_head(allot_state_writing *it)
{
    int64_t last;
    allot__text_open(&it->out, NULL, "{");
    allot__text_string(&it->out, "schema", ALLOT__STATE_SCHEMA_V1);
    allot__text_number(&it->out, "now", allot_state_now_get(it->state));
    if (allot_state_now_is_rounded(it->state))
        allot__text_bool(&it->out, "now_rounded", true);
    if (allot_state_last_get(it->state, &last) == ALLOT_OK)
        allot__text_number(&it->out, "last", last);
    write_size(&it->out, it->state);
    return true;
}

static bool write_rest(allot_state_writing *it)
{
    write_usage(&it->out, it->state);
    write_leases(&it->out, it->state);
    allot__text_puts(&it->out, "}\n");
    return true;
}

/* Each continues at `next`; false: more is left. */
static const struct {
    bool (*write)(allot_state_writing *it);
    int32_t first;
} parts[] = {{write_head, 0}, {write_consumers, ALLOT_ROOT}, {write_lists, 0}, {write_rest, 0}};
enum { PARTS = sizeof parts / sizeof *parts };

int allot_state_write_begin(const allot_state *state, allot_sink sink, void *ud,
                            allot_state_writing **out)
{
    int64_t slots;
    if (!state || !sink || !out || allot_state_size_get(state, 0, &slots) == ALLOT_EUSAGE)
        return ALLOT_EUSAGE;
    const allot_plan *plan = allot_state_plan(state);
    allot_engine *engine = allot_plan_engine(plan);
    allot_state_writing *made = allot_engine_alloc(engine, NULL, 0, sizeof *made);
    if (!made)
        return ALLOT_ENOMEM;
    *made = (allot_state_writing){.state = state, .plan = plan};
    made->out = (allot__text){.engine = engine, .sink = sink, .ud = ud};
    *out = made;
    return ALLOT_OK;
}

int allot_state_write_some(allot_state_writing *writing, int32_t items, int32_t *over)
{
    if (!writing || !over)
        return ALLOT_EUSAGE;
    writing->left = items;
    while (writing->part < PARTS && !writing->out.failed && parts[writing->part].write(writing)) {
        writing->part++;
        if (writing->part < PARTS)
            writing->next = parts[writing->part].first;
    }
    *over = writing->part == PARTS;
    return *over || writing->out.failed ? allot__text_end(&writing->out) : ALLOT_OK;
}

void allot_state_write_end(allot_state_writing *writing)
{
    if (!writing)
        return;
    allot__text_free(&writing->out);
    allot_engine_alloc(allot_plan_engine(writing->plan), writing, sizeof *writing, 0);
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
