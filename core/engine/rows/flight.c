/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* flight.c: judges each reclaim in flight by its tasks and the time; then counts its slots by donor
 * and claimant, and slots on closed hosts. */
#include "engine/rows/flight.h"

#include "base/getter.h"
#include "base/least.h"
#include "base/usage.h"
#include "model/windows/say.h"

/* By reclaim: what its tasks show. */
typedef struct tally {
    int64_t live; /* slots that its tasks still hold */
    bool gone;    /* some of its tasks are gone */
} tally;

typedef struct survey {
    const allot_state *state;
    allot__arena *arena;
    allot__flown_all *out;
    tally *tallies;
} survey;

static const allot__flight *flight_at(const allot_state *state, int32_t i)
{
    return (const allot__flight *)state->flights.items + i;
}

ALLOT__WORDS(allot_phase_name, "interrupted", "returned", "leeway", "overdue")

bool allot__site_reclaimed(const allot_state *state, int32_t site)
{
    return site >= 0 && state->tasks.sites[site].closed == ALLOT_CLOSED_NOW;
}

bool allot__any_closed(const allot_state *state, allot_closed how)
{
    for (int32_t site = 0; site < state->tasks.site_count; site++)
        if (state->tasks.sites[site].closed == (int32_t)how)
            return true;
    return false;
}

/* now + seconds, at most INT64_MAX; seconds >= 0. */
static int64_t add_seconds(int64_t now, int64_t seconds)
{
    return now > INT64_MAX - seconds ? INT64_MAX : now + seconds;
}

int64_t allot__grace_end(const allot_state *state, int64_t grace)
{
    int64_t more = grace > 0 && state->now_rounded ? 1 : 0;
    return add_seconds(add_seconds(state->now, grace), more);
}

/* Finds reclaims some of whose tasks are gone. */
static void find_gone(const survey *it)
{
    const int32_t *list = it->state->flight_tasks.items;
    for (int32_t i = 0; i < it->out->count; i++) {
        const allot__flight *flight = flight_at(it->state, i);
        it->tallies[i].gone = flight->gone > 0;
        for (int32_t k = 0; k < flight->task_count; k++)
            it->tallies[i].gone = it->tallies[i].gone || list[flight->first_task + k] < 0;
    }
}

/* The reclaim that names a task of a unit, or -1. */
static int32_t flight_of_unit(const survey *it, const allot__units *units, int32_t unit)
{
    int32_t count, flight = 0;
    const int32_t *tasks = allot__unit_tasks(units, unit, &count);
    for (int32_t i = 0; i < count; i++) {
        int32_t named = allot__task_flight(&it->state->tasks, tasks[i]);
        flight = named > 0 ? named : flight;
    }
    return flight - 1;
}

/* A slot is held as long as any of its tasks runs. */
static void tally_unit(survey *it, const allot__units *units, int32_t unit)
{
    int32_t flight = flight_of_unit(it, units, unit);
    if (flight >= 0) {
        it->tallies[flight].live += units->slots[unit];
        if (allot__site_reclaimed(it->state, units->site[unit]))
            it->out->flights[flight].lost += units->slots[unit];
    }
}

/* Tallies the tasks of each leaf that has a reclaim in flight, once. */
static int tally_leaves(survey *it)
{
    const allot_state *state = it->state;
    size_t leaves = (size_t)state->plan->tree.rows * (size_t)state->plan->group_count;
    uint8_t *seen = allot__arena_zeroed(it->arena, leaves / 8 + 1, 1);
    if (!seen)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < it->out->count; i++) {
        const allot__flight *flight = flight_at(state, i);
        const allot__units *units = &state->tasks.units[flight->group];
        size_t leaf =
            (size_t)flight->group * (size_t)state->plan->tree.rows + (size_t)flight->consumer;
        bool again = seen[leaf / 8] >> leaf % 8 & 1;
        seen[leaf / 8] |= (uint8_t)(1 << leaf % 8);
        if (again || units->count == 0)
            continue;
        for (int32_t unit = units->first[flight->consumer]; unit < units->end[flight->consumer];
             unit++)
            tally_unit(it, units, unit);
    }
    return ALLOT_OK;
}

/* Counts the slots of a reclaim that came back, are lost, or held beyond it. */
static void count(const survey *it, int32_t i)
{
    allot__flown *flown = &it->out->flights[i];
    int64_t held = flight_at(it->state, i)->slots;
    if (it->tallies[i].gone && it->tallies[i].live < held)
        held = it->tallies[i].live;
    int64_t open = it->tallies[i].live - flown->lost;
    flown->returned = flight_at(it->state, i)->slots - held;
    flown->lost = flown->lost < held ? flown->lost : held;
    flown->beyond = open > held - flown->lost ? open - (held - flown->lost) : 0;
}

/* ---- Slots without a task -------------------------------------------------------------------- */

/* Slots of a reclaim that are still held, but by none of its tasks. */
static int64_t unnamed(const survey *it, int32_t i)
{
    int64_t held = flight_at(it->state, i)->slots - it->out->flights[i].returned;
    return held > it->tallies[i].live ? held - it->tallies[i].live : 0;
}

/* ... and have no claimant. */
static int64_t unclaimed(const survey *it, int32_t i)
{
    const allot__flight *flight = flight_at(it->state, i);
    const allot_claim *claims = flight->claims;
    int64_t slots = flight->slots, most = unnamed(it, i);
    for (int32_t k = 0; k < flight->count; k++)
        slots -= claims[k].slots;
    return slots < most ? slots : most;
}

/* Slots of a leaf's reclaims without a task, and how many of them have no claimant. */
typedef struct nameless {
    int64_t slots, loose;
} nameless;

/* How many of these are on closed hosts. */
static int64_t hidden(const survey *it, const allot__flight *flight, nameless nameless)
{
    const allot_state *state = it->state;
    const allot__units *units = &state->tasks.units[flight->group];
    int32_t row = allot__row(state->plan, flight->group, flight->consumer);
    int64_t closed = 0, rest = state->groups[flight->group].allocated[row];
    for (int32_t unit = allot__units_first(units, flight->consumer);
         unit < allot__units_end(units, flight->consumer); unit++) {
        bool shut = allot__site_reclaimed(state, units->site[unit]);
        bool named = flight_of_unit(it, units, unit) >= 0;
        closed += shut && !named ? units->slots[unit] : 0;
        rest -= shut || named ? units->slots[unit] : 0;
    }
    int64_t slots = nameless.slots - (rest > 0 ? rest : 0);
    slots = slots > nameless.loose ? slots : nameless.loose;
    return slots < closed ? slots : closed;
}

static nameless *nameless_of(const survey *it, nameless *all, int32_t i)
{
    const allot__flight *flight = flight_at(it->state, i);
    size_t rows = (size_t)it->state->plan->tree.rows;
    return &all[(size_t)flight->group * rows + (size_t)flight->consumer];
}

/* Assigns hidden slots to reclaims, the last first: slots without a claimant, or the rest. */
static void hide(survey *it, nameless *all, bool claimed)
{
    for (int32_t i = it->out->count - 1; i >= 0; i--) {
        allot__flown *flown = &it->out->flights[i];
        nameless *left = nameless_of(it, all, i);
        int64_t part = claimed ? unnamed(it, i) - flown->hidden : unclaimed(it, i);
        part = part < left->slots ? part : left->slots;
        flown->hidden += part;
        flown->lost += part;
        left->slots -= part;
    }
}

static int count_unnamed(survey *it)
{
    const allot_state *state = it->state;
    size_t rows = (size_t)state->plan->tree.rows;
    if (!allot__any_closed(state, ALLOT_CLOSED_NOW))
        return ALLOT_OK;
    size_t leaves = rows * (size_t)state->plan->group_count;
    nameless *all = allot__arena_zeroed(it->arena, leaves, sizeof *all);
    if (!all)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < it->out->count; i++) {
        nameless_of(it, all, i)->slots += unnamed(it, i);
        nameless_of(it, all, i)->loose += unclaimed(it, i);
    }
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        allot__flight of = {.group = (int32_t)(leaf / rows), .consumer = (int32_t)(leaf % rows)};
        all[leaf].slots = all[leaf].slots > 0 ? hidden(it, &of, all[leaf]) : 0;
    }
    hide(it, all, false);
    hide(it, all, true);
    return ALLOT_OK;
}

/* ---- Phases ---------------------------------------------------------------------------------- */

static void judge(const survey *it, int32_t i)
{
    const allot_state *state = it->state;
    const allot__flight *flight = flight_at(state, i);
    const allot__group *group = &state->plan->groups[flight->group];
    allot__flown *flown = &it->out->flights[i];
    int32_t row = allot__row(state->plan, flight->group, flight->consumer);
    int64_t held = flight->slots - flown->returned;
    flown->deadline = flight->deadline;
    if (flown->lost > 0) {
        int64_t soonest = allot__grace_end(state, group->columns[ALLOT_GRACE][row]);
        flown->deadline = soonest < flown->deadline ? soonest : flown->deadline;
    }
    int64_t end = add_seconds(flown->deadline, group->options[ALLOT_OPTION_LEEWAY]);
    if (held == 0) {
        flown->phase = ALLOT_RETURNED;
    } else if (state->now < flown->deadline || flown->deadline == INT64_MAX) {
        flown->phase = ALLOT_INTERRUPTED;
        end = flown->deadline;
    } else {
        flown->phase = state->now < end ? ALLOT_LEEWAY : ALLOT_OVERDUE;
    }
    /* Seconds that do not fit count as never. */
    bool told = flown->phase == ALLOT_INTERRUPTED || flown->phase == ALLOT_LEEWAY;
    uint64_t left = (uint64_t)end - (uint64_t)state->now;
    flown->left = !told ? 0 : end == INT64_MAX || left > INT64_MAX ? INT64_MAX : (int64_t)left;
}

static void warn_overdue(const allot_state *state, const allot__flown_all *all, int32_t i,
                         allot_report *report)
{
    const allot__flight *flight = flight_at(state, i);
    const allot__flown *flown = &all->flights[i];
    int64_t leeway = state->plan->groups[flight->group].options[ALLOT_OPTION_LEEWAY];
    allot__fault fault = {.report = report,
                          .severity = ALLOT_WARNING,
                          .code = "W-leeway",
                          .group = flight->group,
                          .consumer = flight->consumer,
                          .field = ALLOT_IN_FLIGHT};
    if (flown->phase == ALLOT_OVERDUE) {
        allot__say(state->plan, &fault,
                   "reclaim %s: %lld of its %lld slots are not back %lld s after the deadline, and "
                   "the leeway is %lld s",
                   flight->id != NULL ? flight->id : "without id",
                   (long long)(flight->slots - flown->returned), (long long)flight->slots,
                   (long long)allot__seconds_between(flown->deadline, state->now),
                   (long long)leeway);
    }
}

/* Lists the tasks that still run past the deadline of their reclaim, reclaim by reclaim. */
static int list_kills(survey *it)
{
    const allot_state *state = it->state;
    const int32_t *list = state->flight_tasks.items;
    allot__flown_all *out = it->out;
    if (state->flight_tasks.count == 0)
        return ALLOT_OK;
    out->kills = allot__arena_take(it->arena, state->flight_tasks.count, sizeof *out->kills);
    if (!out->kills)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < out->count; i++) {
        const allot__flight *flight = flight_at(state, i);
        allot_phase phase = out->flights[i].phase;
        for (int32_t k = 0; k < flight->task_count; k++) {
            int32_t task = list[flight->first_task + k];
            if (task >= 0 && (phase == ALLOT_LEEWAY || phase == ALLOT_OVERDUE))
                out->kills[out->kill_count++] = (allot__flown_kill){task, i};
        }
    }
    return ALLOT_OK;
}

int allot__flights_make(const allot_state *state, allot__arena *arena, allot_report *report,
                        allot__flown_all *out)
{
    size_t flights = state->flights.count;
    survey it = {.state = state, .arena = arena, .out = out};
    *out = (allot__flown_all){.count = (int32_t)flights};
    if (flights == 0)
        return ALLOT_OK;
    out->flights = allot__arena_zeroed(arena, flights, sizeof *out->flights);
    it.tallies = allot__arena_zeroed(arena, flights, sizeof *it.tallies);
    if (!out->flights || !it.tallies)
        return ALLOT_ENOMEM;
    find_gone(&it);
    int status = state->flight_tasks.count > 0 ? tally_leaves(&it) : ALLOT_OK;
    for (int32_t i = 0; i < out->count && status == ALLOT_OK; i++)
        count(&it, i);
    status = status == ALLOT_OK ? count_unnamed(&it) : status;
    for (int32_t i = 0; i < out->count && status == ALLOT_OK; i++) {
        judge(&it, i);
        warn_overdue(state, out, i, report);
    }
    return status == ALLOT_OK ? list_kills(&it) : status;
}

/* ---- A group's columns ----------------------------------------------------------------------- */

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
            if (ALLOT__ZEROED_ALL(work->arena, ALLOT__EACH(rows, columns.out, columns.in,
                                                           columns.returned)) != ALLOT_OK)
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
        while (here >= 0 && allot__task_flight(tasks, first) == 0)
            first++;
        if (here < 0 || first != list[i] || allot__task_flight(tasks, here) != 0)
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
            going = going || allot__task_flight(&work->state->tasks, list[i]) != 0;
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
        work->arena, ALLOT__EACH(rows, closed->held, closed->flying, *first),
        ALLOT__EACH(families, closed->held_sum, closed->flying_sum),
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
