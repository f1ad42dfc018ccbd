/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* in_flight.c: reclaims in flight by donor and claimant, and slots on closed hosts. */
#include "engine/rows/flight.h"

#include "base/least.h"

static int32_t cut(int64_t slots)
{
    return slots > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : (int32_t)slots;
}

/* ---- Reclaims -------------------------------------------------------------------------------- */

void allot__flight_count(const allot__work *work, const allot__flight *flight,
                         const allot__flown *flown, const allot__flight_columns *columns)
{
    const allot_claim *claims = flight->claims;
    int32_t from = allot__row(work->plan, work->index, flight->consumer);
    int64_t back = flown->returned;
    int64_t coming = flight->slots - flown->returned - flown->lost;
    columns->out[from] = cut(columns->out[from] + coming);
    for (int32_t k = 0; k < flight->count; k++) {
        int32_t to = allot__row(work->plan, work->index, claims[k].consumer);
        int64_t there = allot__least(claims[k].slots, back);
        int64_t later = allot__least(claims[k].slots - there, coming);
        back -= there;
        coming -= later;
        if (to != from) {
            if (columns->returned)
                columns->returned[to] = cut(columns->returned[to] + there);
            columns->in[to] = cut(columns->in[to] + later);
        }
    }
}

/* Counts slots in flight, for donors and for claimants (C-6). */
static int count_flights(allot__work *work, const allot__flown_all *flown, int32_t **out)
{
    const allot__flight *flights = work->state->flights.items;
    size_t rows = (size_t)work->tree->rows;
    allot__flight_columns columns = {NULL, NULL, NULL};
    bool back = false, coupled = work->state->tasks.coupled > 0;
    for (int32_t i = 0; i < flown->count; i++) {
        bool here = flights[i].group == work->index;
        if (!columns.out && (here || coupled)) {
            if (ALLOT__ZEROED_ALL(work->arena, ALLOT__WANTED(columns.out, rows),
                                  ALLOT__WANTED(columns.in, rows),
                                  ALLOT__WANTED(columns.returned, rows)) != ALLOT_OK)
                return ALLOT_ENOMEM;
        }
        back = back || (here && flown->flights[i].returned > 0);
        if (here)
            allot__flight_count(work, &flights[i], &flown->flights[i], &columns);
    }
    *out = columns.out;
    work->in_flight = columns.out;
    work->earmarked = columns.in;
    work->returned = back ? columns.returned : NULL;
    return ALLOT_OK;
}

/* Adds slots in flight without a claimant, as far as the leaf holds slots not in flight. */
static void add_out(const allot__work *work, int32_t row, int64_t slots, int32_t *out)
{
    int64_t room = (int64_t)work->allocated[row] - out[row];
    if (room > 0)
        out[row] += (int32_t)allot__least(room, slots);
}

void allot__flights_beyond(const allot__work *work, const allot__flown_all *flown, int32_t *out)
{
    const allot__flight *flights = work->state->flights.items;
    for (int32_t i = 0; i < flown->count; i++) {
        if (flights[i].group != work->index || flown->flights[i].beyond == 0)
            continue;
        int32_t row = allot__row(work->plan, work->index, flights[i].consumer);
        add_out(work, row, flown->flights[i].beyond, out);
    }
}

/* ---- Tasks of several groups ----------------------------------------------------------------- */

/* Tasks that reclaims of other groups name free their slots in this one, too. Of a task that
 * several of these name the first counts. */
static void count_coupled(const allot__work *work, int32_t *out)
{
    const allot__tasks *tasks = &work->state->tasks;
    const int32_t *list = work->state->flight_tasks.items;
    for (size_t i = 0; tasks->coupled > 0 && i < work->state->flight_tasks.count; i++) {
        int32_t here = list[i] < 0 ? -1 : allot__task_in(tasks, list[i], work->index);
        int32_t first = list[i] < 0 ? -1 : allot__task_first(tasks, list[i]);
        while (here >= 0 && allot__task_at(tasks, first)->flight == 0)
            first++;
        if (here < 0 || first != list[i] || allot__task_at(tasks, here)->flight != 0)
            continue; /* it has no slots here, or is counted already */
        const allot__task *of = allot__task_at(tasks, here);
        add_out(work, allot__row(work->plan, work->index, of->consumer), of->slots, out);
    }
}

/* ---- Closed hosts ---------------------------------------------------------------------------- */

/* Counts a leaf's slots on closed hosts; adds tasks not in flight to the list. `hidden` slots are
 * in flight although no reclaim names their tasks: they are assigned to the tasks listed first.
 */
static void count_leaf(allot__work *work, int32_t row, int64_t hidden, allot__closed_slots *out,
                       int32_t *tasks, int32_t *count)
{
    const allot__units *units = &work->state->tasks.units[work->index];
    int32_t leaf = allot__handle(work, row);
    for (int32_t unit = units->first[leaf]; unit < units->end[leaf]; unit++) {
        int32_t of_unit;
        const int32_t *list = allot__unit_tasks(units, unit, &of_unit);
        bool going = false;
        if (!allot__site_reclaimed(work->state, units->site[unit]))
            continue;
        for (int32_t i = 0; i < of_unit; i++)
            going = going || allot__task_at(&work->state->tasks, list[i])->flight != 0;
        if (!going && units->slots[unit] <= hidden) {
            going = true;
            hidden -= units->slots[unit];
        }
        out->held[row] += units->slots[unit];
        out->flying[row] += going ? units->slots[unit] : 0;
        for (int32_t i = 0; i < of_unit && !going; i++)
            tasks[(*count)++] = list[i];
    }
    out->flying[row] += (int32_t)hidden; /* too few for any unit left */
}

static void sum_closed(const allot__work *work, allot__closed_slots *out)
{
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        int32_t first = allot__family_first(work, family);
        out->held_sum[family] = 0;
        out->flying_sum[family] = 0;
        for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
            int32_t below = allot__family_of(work, row);
            out->held_sum[family] += below != 0 ? out->held_sum[below] : out->held[row];
            out->flying_sum[family] += below != 0 ? out->flying_sum[below] : out->flying[row];
        }
    }
}

static int take_closed(allot__work *work, allot__closed_slots **out, int32_t **first,
                       int32_t **tasks)
{
    size_t rows = (size_t)work->tree->rows, families = (size_t)work->tree->families;
    allot__closed_slots *closed = allot__arena_take(work->arena, 1, sizeof *closed);
    if (!closed)
        return ALLOT_ENOMEM;
    *out = closed;
    return ALLOT__ZEROED_ALL(
        work->arena, ALLOT__WANTED(closed->held, rows), ALLOT__WANTED(closed->flying, rows),
        ALLOT__WANTED(closed->held_sum, families), ALLOT__WANTED(closed->flying_sum, families),
        ALLOT__WANTED(*first, rows),
        ALLOT__WANTED(*tasks, (size_t)work->state->tasks.units[work->index].task_count));
}

/* By row, slots on closed hosts that reclaims hold without a task. */
static int32_t *hidden_slots(allot__work *work, const allot__flown_all *flown)
{
    const allot__flight *flights = work->state->flights.items;
    int32_t *hidden = allot__zeroed(work, (size_t)work->tree->rows, sizeof(int32_t));
    for (int32_t i = 0; i < flown->count && hidden; i++) {
        if (flights[i].group == work->index) {
            hidden[allot__row(work->plan, work->index, flights[i].consumer)] +=
                (int32_t)flown->flights[i].hidden;
        }
    }
    return hidden;
}

/* Moves slots on closed hosts from `allocated` to `closed`. */
static int count_closed(allot__work *work, const allot__flown_all *flown)
{
    int32_t rows = work->tree->rows;
    allot__closed_slots *closed;
    int32_t *first, *tasks;
    int32_t count = 0;
    if (work->state->tasks.units[work->index].count == 0 ||
        !allot__any_closed(work->state, ALLOT_CLOSED_NOW))
        return ALLOT_OK;
    int32_t *rest = allot__zeroed(work, (size_t)rows, sizeof(int32_t));
    int32_t *hidden = hidden_slots(work, flown);
    int status = rest && hidden ? take_closed(work, &closed, &first, &tasks) : ALLOT_ENOMEM;
    if (status != ALLOT_OK)
        return status;
    for (int32_t row = 0; row < rows; row++) {
        first[row] = count;
        if (allot__family_of(work, row) == 0)
            count_leaf(work, row, hidden[row], closed, tasks, &count);
        rest[row] = work->allocated[row] - closed->held[row];
    }
    first[rows] = count;
    closed->first = first;
    closed->tasks = tasks;
    sum_closed(work, closed);
    if (closed->held_sum[0] > 0) {
        work->allocated = rest;
        work->closed = closed;
    }
    return ALLOT_OK;
}

int allot__flights_count(allot__work *work, const allot__flown_all *flown)
{
    int32_t *out = NULL;
    int status = flown->count > 0 ? count_flights(work, flown, &out) : ALLOT_OK;
    if (status == ALLOT_OK)
        status = count_closed(work, flown);
    if (status == ALLOT_OK && out) {
        allot__flights_beyond(work, flown, out);
        count_coupled(work, out);
    }
    return status;
}

/* ---- What has come back ---------------------------------------------------------------------- */

int64_t allot__returned_room(const allot__work *work, int32_t row)
{
    int64_t room = (int64_t)work->quota[row] - work->allocated[row];
    room = work->room ? allot__least(room, work->room[row]) : room;
    for (int32_t at = allot__above(work, row); at >= 0; at = allot__above(work, at)) {
        if (work->limit[at] != ALLOT_NONE) {
            int64_t held = work->sums[allot__family_of(work, at)].allocated;
            room = allot__least(room, work->limit[at] - held - work->returned[at]);
        }
    }
    return room > 0 ? room : 0;
}

void allot__flights_returned(allot__work *work)
{
    int64_t idle = work->slots - work->sums[0].allocated;
    if (!work->returned)
        return;
    idle = idle > 0 ? idle : 0;
    for (int32_t row = 0; row < work->tree->rows; row++)
        if (allot__family_of(work, row) != 0)
            work->returned[row] = 0; /* becomes the sum below */
    for (int32_t row = 0; row < work->tree->rows; row++) {
        if (allot__family_of(work, row) != 0 || work->returned[row] == 0)
            continue;
        int64_t slots =
            allot__least(allot__least(work->returned[row], allot__returned_room(work, row)), idle);
        work->returned[row] = (int32_t)slots;
        idle -= slots;
        for (int32_t at = allot__above(work, row); at >= 0; at = allot__above(work, at))
            work->returned[at] += (int32_t)slots;
    }
}
