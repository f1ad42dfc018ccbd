/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* claimant.c: a chooser for reclaim; what it has chosen is named once the orders are made. */
#include "engine/victims/claimant.h"

#include <string.h>

#include "base/least.h"

static bool has_units(const allot__choosing *it, int32_t row)
{
    int32_t leaf = allot__handle(it->work, row);
    const allot__units *units = allot__units_of(it->work);
    return units->first[leaf] < units->end[leaf];
}

/* Has rules of a leaf's policy read a claimant, by its row. */
static int read_claimant(const allot__choosing *it, int32_t row, int32_t claimant,
                         allot__unit_rows *out)
{
    const allot__rules *rules = allot__rules_at(it->work, row);
    const allot__rowset consumers = allot__rowset_consumers(it->work, rules);
    int32_t count = allot__column_count(rules->policy, ALLOT_CONSUMERS);
    int64_t *values = allot__arena_take(it->work->arena, (size_t)count, sizeof *values);
    if (!values)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < count; i++)
        values[i] = *consumers.column(&consumers, i, claimant, 1, &values[i]);
    out->rows.claimant = values;
    out->rows.claimant_item = allot__handle(it->work, claimant);
    return ALLOT_OK;
}

/* ---- A leaf ---------------------------------------------------------------------------------- */

/* Begins with what a leaf has before any claimant takes some. ENOMEM, or what a policy's function
 * failed with. */
static int open_leaf(allot__choosing *it, int32_t row)
{
    if (it->giving[row])
        return ALLOT_OK;
    allot__queue queue;
    it->tables.rows.claimant = NULL;
    int status =
        allot__victims_begin(it->victims, &it->tables, allot__handle(it->work, row), &queue);
    size_t count = (size_t)queue.pick.count;
    allot__giving *giving = allot__arena_zeroed(it->work->arena, 1, sizeof *giving);
    uint8_t *ineligible = allot__arena_zeroed(it->work->arena, count + 1, 1);
    if (status != ALLOT_OK || !giving || !ineligible)
        return status != ALLOT_OK ? status : ALLOT_ENOMEM;
    if (queue.pick.ineligible)
        memcpy(ineligible, queue.pick.ineligible, count);
    giving->ineligible = ineligible;
    giving->idle = queue.idle;
    giving->unlisted = queue.unlisted;
    it->giving[row] = giving;
    return ALLOT_OK;
}

/* Covers owed slots by those that go anyway or that no task uses; returns how many. */
static int64_t cover(allot__giving *giving, int64_t owed)
{
    int64_t beyond = allot__least(giving->beyond, owed);
    int64_t idle = allot__least(giving->idle, owed - beyond);
    giving->beyond -= beyond;
    giving->idle -= idle;
    return beyond + idle;
}

/* ---- Guards ---------------------------------------------------------------------------------- */

static int look_at(const allot__choosing *it, int32_t claimant, int32_t row, uint8_t *marks)
{
    const allot__rules *rules = allot__rules_at(it->work, row);
    const allot__guard *guards = rules->policy->guards.items;
    allot__unit_rows tables = it->tables;
    int status = allot__unit_rows_leaf(&tables, allot__handle(it->work, row));
    if (status == ALLOT_OK)
        status = read_claimant(it, row, claimant, &tables);
    memset(marks + tables.base, ALLOT__ELIGIBLE, (size_t)tables.rows.count);
    for (size_t i = 0; i < rules->policy->guards.count && status == ALLOT_OK; i++) {
        if (!allot__of_claimant(rules->policy, guards[i].value))
            continue;
        status = allot__unit_rows_prepare(&tables, guards[i].value);
        if (status == ALLOT_OK)
            allot__rowset_guard(&tables.rows, &guards[i], (uint8_t)(ALLOT__INELIGIBLE_GUARD + i),
                                NULL, marks + tables.base);
    }
    return status;
}

/* What guards answer is read once, and needs no memory beyond the marks. */
static int look_briefly(const allot__choosing *it, int32_t claimant, int32_t row, uint8_t *marks)
{
    allot__arena arena, *mine = it->work->arena;
    allot__arena_init(&arena, it->work->plan->engine);
    it->work->arena = &arena;
    int status = look_at(it, claimant, row, marks);
    it->work->arena = mine;
    allot__arena_free(&arena);
    return status;
}

static int look(allot__chooser *chooser, int32_t claimant, const int32_t *givers, int32_t count,
                uint8_t *marks)
{
    allot__choosing *it = (allot__choosing *)(void *)chooser;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        const allot_policy *policy = allot__rules_at(it->work, givers[i])->policy;
        if (!allot__policy_by_claimant(policy) || !has_units(it, givers[i]))
            continue;
        status = open_leaf(it, givers[i]);
        if (status == ALLOT_OK)
            status = look_briefly(it, claimant, givers[i], marks);
    }
    return status;
}

/* ---- Slots for a claimant -------------------------------------------------------------------- */

static int64_t room(allot__chooser *chooser, int32_t row, const uint8_t *marks)
{
    const allot__choosing *it = (const allot__choosing *)(void *)chooser;
    const allot__units *units = allot__units_of(it->work);
    const allot__giving *giving = it->giving[row];
    int32_t leaf = allot__handle(it->work, row);
    if (!giving)
        return INT64_MAX;
    int64_t slots = giving->idle + giving->unlisted + giving->beyond;
    for (int32_t unit = units->first[leaf]; unit < units->end[leaf]; unit++)
        if (giving->ineligible[unit - units->first[leaf]] == ALLOT__ELIGIBLE &&
            marks[unit] == ALLOT__ELIGIBLE)
            slots += units->slots[unit];
    return slots;
}

static void append(allot__giving *giving, allot__taking *taking)
{
    *(giving->last ? &giving->last->next : &giving->first) = taking;
    giving->last = taking;
    giving->given += taking->queue.owed;
}

/* Picks units that no earlier claimant takes and no guard protects. */
static int pick(const allot__choosing *it, allot__giving *giving, allot__taking *taking,
                const uint8_t *marks)
{
    allot__queue *queue = &taking->queue;
    int32_t count = queue->pick.count;
    uint8_t *from = allot__arena_take(it->work->arena, (size_t)count + 1, 1);
    if (!from)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < count; i++)
        from[i] = giving->ineligible[i] != ALLOT__ELIGIBLE ? giving->ineligible[i]
                                                           : marks[queue->rows.base + i];
    taking->from = queue->pick.ineligible = from;
    int64_t owed = queue->owed - queue->gone;
    int status = allot__pick_fast(&queue->pick, owed, it->work->arena, &queue->picked);
    for (int32_t i = 0; status == ALLOT_OK && i < queue->picked.count; i++)
        giving->ineligible[queue->picked.rows[i]] = ALLOT__INELIGIBLE_GIVEN;
    int64_t rest = status == ALLOT_OK ? owed - queue->picked.slots : 0;
    giving->beyond -= rest < 0 ? rest : 0;
    giving->unlisted -= rest > 0 ? rest : 0;
    return status;
}

/* Keeps sessions' slots above their quotas as they are now. */
static int keep_over(const allot__choosing *it, allot__pick *pick)
{
    size_t count = it->work->state->tasks.sessions.count + 1;
    int64_t *now = pick->anew ? allot__arena_take(it->work->arena, count, sizeof *now) : NULL;
    if (now)
        pick->anew = memcpy(now, pick->anew, count * sizeof *now);
    return !pick->anew || now ? ALLOT_OK : ALLOT_ENOMEM;
}

static int take(allot__chooser *chooser, int32_t row, int32_t claimant, int64_t slots,
                const uint8_t *marks)
{
    allot__choosing *it = (allot__choosing *)(void *)chooser;
    allot__giving *giving = it->giving[row];
    if (!giving || slots == 0)
        return ALLOT_OK;
    allot__taking *taking = allot__arena_zeroed(it->work->arena, 1, sizeof *taking);
    if (!taking)
        return ALLOT_ENOMEM;
    int status = read_claimant(it, row, claimant, &it->tables);
    if (status == ALLOT_OK)
        status = allot__victims_begin(it->victims, &it->tables, allot__handle(it->work, row),
                                      &taking->queue);
    taking->claimant = claimant;
    taking->queue.owed = slots;
    taking->queue.idle = giving->beyond + giving->idle;
    taking->queue.gone = cover(giving, slots);
    append(giving, taking);
    status = status == ALLOT_OK ? pick(it, giving, taking, marks) : status;
    return status == ALLOT_OK ? keep_over(it, &taking->queue.pick) : status;
}

/* ---- The rest, and names --------------------------------------------------------------------- */

static int pick_rest(const allot__choosing *it, allot__giving *giving, allot__queue *queue)
{
    queue->owed -= giving->given;
    queue->idle = giving->beyond + giving->idle;
    queue->gone = cover(giving, queue->owed);
    queue->pick.ineligible = giving->ineligible;
    return allot__pick_fast(&queue->pick, queue->owed - queue->gone, it->work->arena,
                            &queue->picked);
}

/* Is what a claimant takes in the reclaim? Of several those with its grace. */
static bool is_in(const allot__choosing *it, const allot__taking *taking,
                  const allot__order_back *order, bool single)
{
    return single || allot__transfers_grace(it->work, order->row, taking->claimant) == order->grace;
}

/* Lists the units of a reclaim: those that go for its claimants, then of the rest, from *at on, as
 * many as cover its slots; the last reclaim has all. */
static void list_units(const allot__choosing *it, const allot__giving *giving,
                       const allot__queue *rest, const allot__order_back *order, bool single,
                       bool last, int32_t *at, allot__picked *out)
{
    int64_t owed = order->slots;
    for (const allot__taking *taking = giving->first; taking; taking = taking->next) {
        const allot__picked *picked = &taking->queue.picked;
        if (!is_in(it, taking, order, single))
            continue;
        owed -= taking->queue.owed;
        for (int32_t i = 0; i < picked->count; i++)
            out->rows[out->count++] = picked->rows[i];
    }
    for (; *at < rest->picked.count && (last || owed > 0); (*at)++) {
        owed -= rest->pick.slots[rest->picked.rows[*at]];
        out->rows[out->count++] = rest->picked.rows[*at];
    }
}

static int name_all(const allot__choosing *it, const allot__giving *giving,
                    const allot__queue *queue, allot__order_back *orders, int32_t count)
{
    int32_t named = 0, last = 0, at = 0;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < count; i++) {
        named += !orders[i].tasks;
        last = orders[i].tasks ? last : i;
    }
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        if (orders[i].tasks)
            continue;
        allot__queue all = *queue;
        int32_t from = 0;
        size_t most = (size_t)queue->pick.count + 1;
        all.picked =
            (allot__picked){allot__arena_take(it->work->arena, most, sizeof(int32_t)), 0, 0};
        if (!all.picked.rows)
            return ALLOT_ENOMEM;
        list_units(it, giving, queue, &orders[i], named == 1, i == last, &at, &all.picked);
        status = allot__victims_name(&all, &from, INT64_MAX, &orders[i]);
    }
    return status;
}

static int finish(const allot__choosing *it, allot__queue *queue, allot__order_back *orders,
                  int32_t count)
{
    allot__giving *giving = it->giving[queue->row];
    int status = pick_rest(it, giving, queue);
    return status == ALLOT_OK ? name_all(it, giving, queue, orders, count) : status;
}

/* ---- Beginning ------------------------------------------------------------------------------- */

int allot__claimants_begin(allot__work *work, allot__victims *victims)
{
    const allot__units *units = allot__units_of(work);
    if (!work->by_claimant || !units || work->reach)
        return ALLOT_OK;
    allot__choosing *it = allot__arena_zeroed(work->arena, 1, sizeof *it);
    if (!it)
        return ALLOT_ENOMEM;
    it->giving = allot__arena_zeroed(work->arena, (size_t)work->tree->rows, sizeof *it->giving);
    if (!it->giving)
        return ALLOT_ENOMEM;
    it->chooser = (allot__chooser){look, room, take, (size_t)units->count};
    it->work = work;
    it->victims = victims;
    it->finish = finish;
    allot__unit_rows_init(&it->tables, work);
    victims->choosing = it;
    return ALLOT_OK;
}
