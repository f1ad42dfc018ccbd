/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* victim.c: ineligible units, then leaf by leaf a pick; picked units go to the leaf's reclaims. */
#include "engine/victims/victim.h"

#include <string.h>

#include "base/simd.h"
#include "engine/rows/flight.h"
#include "engine/victims/claimant.h"

/* ---- Ineligible units ------------------------------------------------------------------------ */

/* Marks units first ... end - 1 that are going. */
static void mark_going(const allot__work *work, const allot__units *units, int32_t first,
                       int32_t end, uint8_t *ineligible)
{
    memset(ineligible, ALLOT__ELIGIBLE, (size_t)(end - first));
    for (int32_t unit = first; work->state->flight_tasks.count > 0 && unit < end; unit++)
        if (allot__unit_going(work->state, units, unit))
            ineligible[unit - first] = ALLOT__INELIGIBLE_GOING;
}

/* Units on closed hosts are not candidates (E-34): they go whatever the order, or, if the host
 * drains, stay until they end. */
static void close_hosts(const allot__work *work, const allot__units *units, uint8_t *ineligible,
                        int32_t *protected)
{
    const allot__site *sites = work->state->tasks.sites;
    for (int32_t leaf = 0; leaf < work->tree->rows; leaf++) {
        int32_t row = allot__row(work->plan, work->index, leaf);
        for (int32_t unit = units->first[leaf]; unit < units->end[leaf]; unit++) {
            int32_t site = units->site[unit];
            int32_t closed = site >= 0 ? sites[site].closed : ALLOT_OPEN;
            if (closed == ALLOT_OPEN || ineligible[unit] != ALLOT__ELIGIBLE)
                continue;
            ineligible[unit] =
                closed == ALLOT_DRAIN ? ALLOT__INELIGIBLE_DRAINS : ALLOT__INELIGIBLE_CLOSED;
            protected[row] += closed == ALLOT_DRAIN ? units->slots[unit] : 0;
        }
    }
}

static bool any_guards(const allot__work *work)
{
    for (int32_t i = 0; i < work->rules_count; i++)
        if (work->rules[i].policy->guards.count > 0)
            return true;
    return false;
}

/* Could a leaf have to give slots? */
static bool may_give(const allot__work *work, const allot__rules *rules, int32_t row)
{
    int64_t going = work->in_flight ? work->in_flight[row] : 0;
    return work->whole || work->allocated[row] - going > work->quota[row] || work->forced ||
           allot__policy_ledger(rules->policy);
}

static int run_guards(allot__work *work, const allot__units *units, uint8_t *ineligible,
                      int32_t *protected)
{
    allot__unit_rows rows;
    allot__unit_rows_init(&rows, work);
    int status = ALLOT_OK;
    for (int32_t leaf = 0; leaf < work->tree->rows && status == ALLOT_OK; leaf++) {
        int32_t row = allot__row(work->plan, work->index, leaf);
        const allot__rules *rules = allot__rules_at(work, row);
        const allot__guard *guards = rules->policy->guards.items;
        bool none = units->first[leaf] == units->end[leaf] || rules->policy->guards.count == 0;
        int64_t slots = protected[row];
        if (none || !may_give(work, rules, row))
            continue;
        status = allot__unit_rows_leaf(&rows, leaf);
        for (size_t i = 0; i < rules->policy->guards.count && status == ALLOT_OK; i++) {
            if (allot__of_claimant(rules->policy, guards[i].value))
                continue;
            status = allot__unit_rows_prepare(&rows, guards[i].value);
            if (status == ALLOT_OK)
                allot__rowset_guard(&rows.rows, &guards[i], (uint8_t)(ALLOT__INELIGIBLE_GUARD + i),
                                    NULL, ineligible + rows.base);
        }
        for (int32_t unit = units->first[leaf]; unit < units->end[leaf]; unit++)
            slots += ineligible[unit] >= ALLOT__INELIGIBLE_GUARD ? units->slots[unit] : 0;
        protected[row] = slots > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : (int32_t)slots;
    }
    return status;
}

int allot__victims_protect(allot__work *work, allot__victims *out)
{
    const allot__units *units = allot__units_of(work);
    *out = (allot__victims){0};
    bool flying = work->state->flight_tasks.count > 0;
    bool closed = allot__any_closed(work->state, ALLOT_CLOSED_NOW);
    bool drains = allot__any_closed(work->state, ALLOT_DRAIN);
    bool guards = any_guards(work);
    if (!units || !(flying || closed || drains || guards))
        return ALLOT_OK;
    out->ineligible = allot__arena_take(work->arena, (size_t)units->count, 1);
    if (!out->ineligible)
        return ALLOT_ENOMEM;
    mark_going(work, units, 0, units->count, out->ineligible);
    if (!(closed || drains || guards))
        return ALLOT_OK;
    size_t rows = (size_t)work->tree->rows + 1;
    int32_t *protected = allot__arena_take(work->arena, rows, sizeof *protected);
    if (!protected)
        return ALLOT_ENOMEM;
    memset(protected, 0, rows * sizeof *protected);
    close_hosts(work, units, out->ineligible, protected);
    int status = guards ? run_guards(work, units, out->ineligible, protected) : ALLOT_OK;
    work->protected = drains || guards ? protected : NULL;
    return status;
}

/* ---- A leaf's queue -------------------------------------------------------------------------- */

static const int64_t *key_values(const allot__pick *pick, int32_t key, int32_t first, int32_t n,
                                 int64_t *room)
{
    const allot__queue *queue = (const allot__queue *)(const void *)pick;
    if (key == 0 && queue->places) {
        const int32_t *session = queue->rows.units->session + queue->rows.base + first;
        for (int32_t i = 0; i < n; i++)
            room[i] = queue->places[session[i] + 1];
        return room;
    }
    const allot_key *of = &queue->order.keys[key + queue->fused];
    if (allot__key_changes(of)) {
        for (int32_t i = 0; i < n; i++)
            room[i] = pick->anew[pick->anew_of[first + i] + 1];
        return room;
    }
    return allot__rowset_values(&queue->rows.rows, of->source, first, n, room);
}

static bool larger_id(const allot__pick *pick, int32_t a, int32_t b)
{
    const allot__queue *queue = (const allot__queue *)(const void *)pick;
    const allot__unit_rows *rows = &queue->rows;
    const allot_state *state = rows->rows.work->state;
    return strcmp(allot__unit_id(state, rows->units, rows->base + a),
                  allot__unit_id(state, rows->units, rows->base + b)) > 0;
}

/* Is a column the same for all units of the leaf, so that it does not order them? */
static bool same_for_all(const allot__unit_rows *rows, int32_t column)
{
    const allot__units *units = rows->units;
    bool sessions = units->session_count > 0 && units->session_first[rows->rows.leaf + 1] >
                                                    units->session_first[rows->rows.leaf];
    if (column == ALLOT_TASK_JOINED)
        return rows->scheduling != ALLOT_PRIORITY;
    if (column == ALLOT_TASK_IMPORTANCE || allot__session_column(column))
        return !sessions;
    return column == ALLOT_TASK_LOT && rows->rows.work->group->options[ALLOT_OPTION_SEED] == 0;
}

/* The keys of rule 2, without those that order nothing here. */
static allot__order order_of(const allot__unit_rows *rows)
{
    static const allot__order least_run = {.keys = {{{ALLOT_FROM_COLUMN, ALLOT_TASK_IMPORTANCE}, 0},
                                                    {{ALLOT_FROM_COLUMN, ALLOT_TASK_JOINED}, 1},
                                                    {{ALLOT_FROM_COLUMN, ALLOT_TASK_RAN}, 0}},
                                           .count = 3};
    const allot_policy *policy = rows->rows.rules->policy;
    const allot__order *from = policy->victims_given ? &policy->victims : &least_run;
    allot__order order = {.count = 0};
    for (int32_t i = 0; i < from->count; i++) {
        const allot_key *key = &from->keys[i];
        if (!rows->rows.claimant && allot__of_claimant(policy, key->source))
            continue;
        if (key->source.kind == ALLOT_FROM_FUNCTION ||
            (key->source.kind == ALLOT_FROM_COLUMN && !same_for_all(rows, key->source.value)))
            order.keys[order.count++] = *key;
    }
    return order;
}

/* Finds the slots of the leaf that none of its tasks uses (rule 0), without slots in flight, also
 * those without a named task; and the slots of unlisted work. */
static void find_unused(allot__queue *queue)
{
    const uint8_t *ineligible = queue->pick.ineligible;
    const allot__work *work = queue->rows.rows.work;
    const allot__units *units = queue->rows.units;
    const int32_t *unlisted = work->state->groups[work->index].unlisted;
    const int32_t *slots = units->slots + queue->rows.base;
    int64_t idle = work->allocated[queue->row] - allot__sum(slots, queue->pick.count);
    int64_t going = work->in_flight ? work->in_flight[queue->row] : 0;
    for (int32_t i = 0; i < queue->pick.count && ineligible; i++)
        if (allot__site_reclaimed(work->state, units->site[queue->rows.base + i]))
            idle += slots[i];
        else if (ineligible[i] == ALLOT__INELIGIBLE_GOING)
            going -= slots[i];
    idle -= going > 0 ? going : 0;
    int64_t without = idle - (unlisted ? unlisted[queue->rows.rows.leaf] : 0);
    queue->idle = without > 0 ? without : 0;
    queue->unlisted = idle - queue->idle;
}

/* Takes the marks of the leaf's units; if none were made for all leaves (a followed cycle), makes
 * them here. */
static int take_marks(allot__queue *queue, const allot__victims *victims)
{
    const allot__work *work = queue->rows.rows.work;
    int32_t base = queue->rows.base, count = queue->pick.count;
    uint8_t *own = victims->ineligible ? victims->ineligible + base : NULL;
    if (!own && work->state->flight_tasks.count > 0) {
        own = allot__arena_take(work->arena, (size_t)count + 1, 1);
        if (!own)
            return ALLOT_ENOMEM;
        mark_going(work, queue->rows.units, base, base + count, own);
    }
    queue->pick.ineligible = own;
    return ALLOT_OK;
}

int allot__victims_begin(allot__victims *victims, allot__unit_rows *tables, int32_t leaf,
                         allot__queue *queue)
{
    const allot__work *work = tables->rows.work;
    *queue = (allot__queue){.row = allot__row(work->plan, work->index, leaf), .rows = *tables};
    int status = allot__unit_rows_leaf(&queue->rows, leaf);
    queue->order = order_of(&queue->rows);
    for (int32_t i = 0; i < queue->order.count && status == ALLOT_OK; i++)
        status = allot__unit_rows_prepare(&queue->rows, queue->order.keys[i].source);
    int32_t base = queue->rows.base;
    queue->pick.count = queue->rows.rows.count;
    queue->pick.slots = queue->rows.units->slots + base;
    queue->pick.values = key_values;
    queue->pick.before = larger_id;
    status = status == ALLOT_OK ? take_marks(queue, victims) : status;
    find_unused(queue);
    *tables = queue->rows; /* keeps the tables made so far */
    return status == ALLOT_OK ? allot__queue_fuse(queue, victims) : status;
}

const allot__queue *allot__victims_queue(const allot__victims *victims, int32_t row)
{
    for (int32_t i = 0; i < victims->queue_count; i++)
        if (victims->queues[i].row == row)
            return &victims->queues[i];
    return NULL;
}

/* ---- Reclaims -------------------------------------------------------------------------------- */

/* Adds the slot-seconds that a task has run on so many slots. */
static void add_lost(const allot_state *state, int64_t started, int32_t slots,
                     allot__order_back *order)
{
    int64_t lost;
    order->unknown += started == 0;
    if (started != 0 &&
        (__builtin_mul_overflow(allot__ran(state->now, started), (int64_t)slots, &lost) ||
         __builtin_add_overflow(order->lost, lost, &order->lost)))
        order->lost = INT64_MAX;
}

int allot__victims_name(const allot__queue *queue, int32_t *at, int64_t owed,
                        allot__order_back *order)
{
    const allot__units *units = queue->rows.units;
    const allot__work *work = queue->rows.rows.work;
    const allot__tasks *all = &work->state->tasks;
    int32_t from = *at;
    int32_t count = 0;
    int32_t n;
    for (int64_t slots = 0; *at < queue->picked.count && slots < owed; (*at)++) {
        int32_t unit = queue->rows.base + queue->picked.rows[*at];
        slots += units->slots[unit];
        allot__unit_tasks(units, unit, &n);
        count += n;
    }
    int32_t *tasks = allot__arena_take(work->arena, (size_t)count + 1, sizeof *tasks);
    if (!tasks)
        return ALLOT_ENOMEM;
    order->tasks = tasks;
    order->task_count = count;
    for (int32_t i = from; i < *at; i++) {
        int32_t unit = queue->rows.base + queue->picked.rows[i];
        const int32_t *of = allot__unit_tasks(units, unit, &n);
        for (int32_t k = 0; k < n; k++) {
            int64_t started = n == 1 ? units->started[unit] : allot__task_at(all, of[k])->started;
            add_lost(work->state, started, units->slots[unit], order);
            *tasks++ = allot__task_first(all, of[k]);
        }
    }
    return ALLOT_OK;
}

static bool is_coupled(const allot__work *work, const allot__queue *queue)
{
    return work->coupled && work->coupled[allot__handle(work, queue->row)];
}

/* Picks for a leaf whose tasks have slots of several groups: its victims are known. */
static int pick_chosen(const allot__work *work, allot__queue *queue)
{
    const allot__tasks *tasks = &work->state->tasks;
    allot__picked *picked = &queue->picked;
    queue->gone = queue->idle < queue->owed ? queue->idle : queue->owed;
    if (queue->gone == queue->owed)
        return ALLOT_OK; /* unused slots are enough */
    int status = allot__pick_all(&queue->pick, work->arena, picked);
    int32_t count = status == ALLOT_OK ? picked->count : 0;
    picked->count = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t n, unit = queue->rows.base + picked->rows[i];
        int32_t first = allot__task_first(tasks, allot__unit_tasks(queue->rows.units, unit, &n)[0]);
        if (work->chosen[first / 8] >> first % 8 & 1)
            picked->rows[picked->count++] = picked->rows[i];
        else
            picked->slots -= queue->rows.units->slots[unit];
    }
    queue->whole = true;
    return status;
}

/* Picks for the reclaims first ... last - 1, all of one leaf. */
static int choose(const allot__work *work, const allot__victims *victims, allot__queue *queue,
                  const allot__orders *all, allot__order_back *orders, int32_t count)
{
    queue->owed = 0;
    for (int32_t i = 0; i < count; i++)
        queue->owed += !orders[i].tasks ? orders[i].slots : 0;
    if (allot__claimants_given(victims, queue->row))
        return victims->choosing->finish(victims->choosing, queue, orders, count);
    int status = is_coupled(work, queue) ? pick_chosen(work, queue)
                                         : allot__victims_pick(work, queue, all, orders, count);
    int32_t at = 0;
    int64_t before = -queue->gone;
    int64_t named = 0;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        if (!orders[i].tasks) {
            before += orders[i].slots;
            int32_t from = at;
            bool rest = queue->whole && before == queue->owed - queue->gone;
            status = allot__victims_name(queue, &at, rest ? INT64_MAX : before - named, &orders[i]);
            for (; from < at; from++)
                named += queue->pick.slots[queue->picked.rows[from]];
        }
    }
    return status;
}

static int32_t count_leaves(const allot__orders *orders)
{
    int32_t count = 0;
    for (int32_t i = 0; i < orders->reclaim_count; i++)
        count += i == 0 || orders->reclaims[i].row != orders->reclaims[i - 1].row;
    return count;
}

/* Adds up slot-seconds of reclaims whose tasks are known before: those on closed hosts, and whose
 * places other tasks take. */
static void count_lost(const allot__work *work, allot__orders *orders)
{
    const allot__tasks *tasks = &work->state->tasks;
    for (int32_t i = 0; i < orders->reclaim_count; i++) {
        allot__order_back *order = &orders->reclaims[i];
        for (int32_t k = 0; order->tasks && k < order->task_count; k++) {
            int32_t there = allot__task_in(tasks, order->tasks[k], work->index);
            const allot__task *task = there >= 0 ? allot__task_at(tasks, there) : NULL;
            if (task)
                add_lost(work->state, task->started, task->slots, order);
        }
    }
}

int allot__victims_choose(allot__work *work, allot__victims *out, allot__orders *orders)
{
    const allot__units *units = allot__units_of(work);
    if (work->closed || work->whole)
        count_lost(work, orders);
    if (!units || orders->reclaim_count == 0)
        return ALLOT_OK;
    allot__unit_rows tables;
    size_t leaves = (size_t)count_leaves(orders);
    allot__unit_rows_init(&tables, work);
    out->queues = allot__arena_take(work->arena, leaves, sizeof *out->queues);
    int status = out->queues ? ALLOT_OK : ALLOT_ENOMEM;
    for (int32_t from = 0, to; from < orders->reclaim_count && status == ALLOT_OK; from = to) {
        int32_t row = orders->reclaims[from].row;
        int32_t leaf = allot__handle(work, row);
        for (to = from + 1; to < orders->reclaim_count && orders->reclaims[to].row == row;)
            to++;
        if (units->first[leaf] == units->end[leaf])
            continue;
        allot__queue *queue = &out->queues[out->queue_count++];
        status = allot__victims_begin(out, &tables, leaf, queue);
        if (status == ALLOT_OK)
            status = choose(work, out, queue, orders, &orders->reclaims[from], to - from);
    }
    return status;
}

/* ---- The line -------------------------------------------------------------------------------- */

/* Adds (`times` 1) or takes off (-1) a row's slots in its session's `over`. */
static void add(const allot__pick *pick, int64_t *over, int32_t row, int64_t times)
{
    int32_t session = pick->anew_of[row];
    over[session + 1] += session >= 0 ? times * pick->slots[row] : 0;
}

int allot__victim_line_make(allot__queue *queue, allot__arena *arena, allot__victim_line *out)
{
    allot__pick *pick = &queue->pick;
    size_t count = queue->rows.rows.work->state->tasks.sessions.count + 1;
    *out = (allot__victim_line){.queue = queue, .sessions = count};
    if (pick->anew) {
        int64_t *now = allot__arena_take(arena, count, sizeof *now);
        out->over = allot__arena_take(arena, count, sizeof *out->over);
        if (!now || !out->over)
            return ALLOT_ENOMEM;
        memcpy(out->over, pick->anew, count * sizeof *now);
        for (int32_t i = 0; i < queue->picked.count; i++)
            add(pick, out->over, queue->picked.rows[i], 1);
        pick->anew = memcpy(now, out->over, count * sizeof *now);
    }
    return allot__pick_all(pick, arena, &out->all);
}

int32_t allot__victim_line_place(const allot__victim_line *line, int32_t row)
{
    int32_t place = 0;
    while (line->all.rows[place] != row)
        place++;
    return place;
}

int64_t allot__victim_line_before(const allot__victim_line *line, int32_t row)
{
    int64_t slots = 0;
    for (int32_t i = 0; line->all.rows[i] != row; i++)
        slots += line->queue->pick.slots[line->all.rows[i]];
    return slots;
}

int32_t allot__victim_line_last(const allot__victim_line *line)
{
    int32_t last = 0;
    for (int32_t i = 0; i < line->queue->picked.count; i++) {
        int32_t place = allot__victim_line_place(line, line->queue->picked.rows[i]);
        last = place > last ? place : last;
    }
    return last;
}

void allot__victim_line_turn_back(const allot__victim_line *line, int32_t row, int32_t other)
{
    const allot__pick *pick = &line->queue->pick;
    if (!pick->anew)
        return;
    memcpy(pick->anew, line->over, line->sessions * sizeof *pick->anew);
    for (int32_t i = 0; line->all.rows[i] != row && line->all.rows[i] != other; i++)
        add(pick, pick->anew, line->all.rows[i], -1);
}
