/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state_seal.c: checks a state as a whole under the plan of its time, and derives what follows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/state/job.h"
#include "model/jobs/queue.h"
#include "model/state/state.h"
#include "model/windows/say.h"

/* ---- Rows of the plan of its time ------------------------------------------------------------ */

/* Moves a column's entries from one plan's rows to another's. */
typedef struct move {
    const allot__group *from, *to;
    int32_t rows;
    unsigned char *spare; /* scratch: a column of 8-byte entries */
} move;

static int32_t group_row(const allot__group *group, int32_t row)
{
    return group->group_row ? group->group_row[row] : row;
}

static void move_column(const move *move, void *column, size_t size)
{
    unsigned char *entries = column;
    if (!entries)
        return;
    for (int32_t row = 0; row < move->rows; row++)
        memcpy(move->spare + (size_t)group_row(move->to, row) * size,
               entries + (size_t)group_row(move->from, row) * size, size);
    memcpy(entries, move->spare, (size_t)move->rows * size);
}

static void move_bits(const move *move, uint8_t *bits)
{
    size_t size = (size_t)move->rows / 8 + 1;
    memset(move->spare, 0, size);
    for (int32_t row = 0; row < move->rows; row++) {
        int32_t from = group_row(move->from, row), to = group_row(move->to, row);
        move->spare[to / 8] |= (uint8_t)((bits[from / 8] >> from % 8 & 1) << to % 8);
    }
    memcpy(bits, move->spare, size);
}

/* Moves every column of a group's state that is by row. */
static void move_group(const move *move, allot__group_state *group)
{
    move_column(move, group->demand, sizeof *group->demand);
    move_column(move, group->allocated, sizeof *group->allocated);
    move_bits(move, group->set);
    move_bits(move, group->demanded);
}

/* Skips groups that both plans share, or that both order as the tree. */
static int tree_row(allot_state *state, const allot_plan *to)
{
    size_t rows = (size_t)to->tree.rows + 1;
    move move = {.rows = to->tree.rows};
    for (int32_t i = 0; i < to->group_count; i++) {
        move.from = &state->plan->groups[i];
        move.to = &to->groups[i];
        if (move.from->group_row == move.to->group_row)
            continue;
        if (!move.spare)
            move.spare = allot__new(state->engine, rows, sizeof(int64_t));
        if (!move.spare)
            return ALLOT_ENOMEM; /* at the first group, so nothing has moved */
        move_group(&move, &state->groups[i]);
    }
    allot__free(state->engine, move.spare, rows, sizeof(int64_t));
    return ALLOT_OK;
}

static int rebase(allot_state *state)
{
    int64_t last = state->now > INT64_MIN ? state->now - 1 : state->now;
    const allot_plan *plan, *former;
    int status = allot_plan_at(state->base, state->now, &plan);
    if (status == ALLOT_OK)
        status = allot_plan_at(state->base, state->last_set ? state->last : last, &former);
    if (status == ALLOT_OK && plan != state->plan)
        status = tree_row(state, plan);
    if (status)
        return status;
    state->above_stale = state->above_stale || plan != state->plan;
    state->plan = plan;
    state->former = former != plan ? former : NULL;
    return ALLOT_OK;
}

/* ---- The size of groups ---------------------------------------------------------------------- */

/* Counts a host in a group whose size is not stated; -1: no host is named yet. */
static void count_host(allot__group_state *groups, const allot__host *host)
{
    allot__group_state *group = &groups[host->group];
    if (group->stated >= 0)
        return;
    if (group->slots < 0)
        group->slots = 0;
    group->slots += host->closed ? 0 : host->slots;
}

static int check_size(const allot_state *state, int32_t group, allot_report *report)
{
    allot__group_state *it = &state->groups[group];
    if (it->slots < 0)
        it->slots = state->plan->groups[group].slots;
    if (it->slots <= ALLOT_AMOUNT_MAX)
        return ALLOT_OK;
    allot__fault fault = {.report = report,
                          .severity = ALLOT_ERROR,
                          .code = "E-slots",
                          .hint = "state `slots` of the group",
                          .group = group,
                          .consumer = -1,
                          .field = -1};
    allot__say(state->plan, &fault, "the open hosts of %s have %lld slots, at most %d are allowed",
               state->plan->groups[group].name, (long long)it->slots, ALLOT_AMOUNT_MAX);
    return ALLOT_EINVALID;
}

/* Tasks that run on draining hosts have their slots there until they end. */
static int size_groups(const allot_state *state, allot_report *report)
{
    const allot__hosts *planned = &state->plan->hosts, *actual = &state->hosts;
    int32_t count = state->plan->group_count;
    for (int32_t i = 0; i < count; i++)
        state->groups[i].slots = state->groups[i].stated;
    for (size_t i = 0; i < planned->list.count; i++) {
        const allot__host *host = (const allot__host *)planned->list.items + i;
        if (!allot__host_find(actual, host->name))
            count_host(state->groups, host);
    }
    for (size_t i = 0; i < actual->list.count; i++)
        count_host(state->groups, (const allot__host *)actual->list.items + i);
    int result = ALLOT_OK;
    for (int32_t i = 0; i < count; i++) {
        if (state->groups[i].stated < 0 && state->groups[i].slots >= 0)
            state->groups[i].slots += allot__draining(state, i);
        if (check_size(state, i, report))
            result = ALLOT_EINVALID;
    }
    return result;
}

/* ---- Slots held ------------------------------------------------------------------------------ */

/* Both sum up by row slots of a group's leaves: those of their tasks, and those in flight. */
static void add_tasks(const allot_state *state, int32_t group, int64_t *sum)
{
    const allot__units *units = &state->tasks.units[group];
    memset(sum, 0, (size_t)state->plan->tree.rows * sizeof *sum);
    for (int32_t consumer = 0; units->first && consumer < state->plan->tree.rows; consumer++)
        sum[allot__row(state->plan, group, consumer)] = units->held[consumer];
}

/* The most slots that a reclaim still holds: tasks that it names and that have ended hold none. */
static int64_t still_held(const allot_state *state, const allot__flight *flight)
{
    const int32_t *list = state->flight_tasks.items;
    int64_t live = 0;
    bool gone = flight->gone > 0;
    for (int32_t k = flight->first_task; k < flight->first_task + flight->task_count; k++) {
        gone = gone || list[k] < 0;
        live += list[k] < 0 ? 0 : allot__task_at(&state->tasks, list[k])->slots;
    }
    return gone && live < flight->slots ? live : flight->slots;
}

static void add_flights(const allot_state *state, int32_t group, int64_t *sum)
{
    const allot__flight *flights = state->flights.items;
    memset(sum, 0, (size_t)state->plan->tree.rows * sizeof *sum);
    for (size_t i = 0; i < state->flights.count; i++) {
        if (flights[i].group == group)
            sum[allot__row(state->plan, group, flights[i].consumer)] +=
                still_held(state, &flights[i]);
    }
}

/* The most slots that a row's tasks may hold. */
static int64_t most_held(const allot__group_state *group, int32_t row)
{
    return allot__allocated_set(group, row) ? group->allocated[row] : ALLOT_AMOUNT_MAX;
}

static void say_held(const allot_state *state, allot__fault fault, int32_t row, int64_t held)
{
    const allot__group_state *group = &state->groups[fault.group];
    if (held <= most_held(group, row))
        return;
    fault.code = "E-allocated";
    fault.severity = ALLOT_ERROR;
    fault.field = ALLOT_ALLOCATED;
    if (allot__allocated_set(group, row))
        allot__say(state->plan, &fault,
                   "allocated is %ld, at least %lld, what its tasks hold, is "
                   "needed",
                   (long)group->allocated[row], (long long)held);
    else
        allot__say(state->plan, &fault, "its tasks hold %lld slots, at most %d are allowed",
                   (long long)held, ALLOT_AMOUNT_MAX);
}

static void say_flying(const allot_state *state, allot__fault fault, int32_t row, int64_t flying)
{
    int32_t allocated = state->groups[fault.group].allocated[row];
    if (flying <= allocated)
        return;
    fault.code = "W-in-flight";
    fault.severity = ALLOT_WARNING;
    fault.field = ALLOT_IN_FLIGHT;
    allot__say(state->plan, &fault, "%lld slots are being given back, but it holds %ld",
               (long long)flying, (long)allocated);
}

/* Reports findings about every consumer's sum, in plan order. */
static void say_all(const allot_state *state, int32_t group, const int64_t *sum,
                    allot_report *report,
                    void (*say)(const allot_state *, allot__fault, int32_t, int64_t))
{
    const allot_plan *plan = state->plan;
    for (int32_t i = allot_plan_next(plan, ALLOT_ROOT); i >= 0; i = allot_plan_next(plan, i)) {
        int32_t row = allot__row(plan, group, i);
        say(state, (allot__fault){.report = report, .group = group, .consumer = i}, row, sum[row]);
    }
}

/* Sets a row's demand, which follows from its tasks. */
static void set_demand(allot_state *state, int32_t group, int32_t row, int64_t slots)
{
    int32_t *amount = &state->groups[group].demand[row], before = *amount;
    *amount = (int32_t)(slots < ALLOT_AMOUNT_MAX ? slots : ALLOT_AMOUNT_MAX);
    if (*amount != before)
        allot__row_changed(state, group, row);
}

/* Sets what a row holds to the slots of its tasks. */
static void hold_tasks(allot_state *state, int32_t group, int32_t row, int64_t slots)
{
    int32_t before = state->groups[group].allocated[row];
    allot__hold(state, group, row, (int32_t)(slots < ALLOT_AMOUNT_MAX ? slots : ALLOT_AMOUNT_MAX));
    if (state->groups[group].allocated[row] != before)
        allot__row_changed(state, group, row);
}

static int64_t waiting_slots(const allot_state *state, int32_t group, int32_t consumer)
{
    int32_t count;
    bool any = allot__waiting_of(&state->tasks, group, consumer, &count) != NULL;
    const int32_t *slots = any ? allot__waiting_slots(&state->tasks, group, consumer) : NULL;
    int64_t sum = 0;
    for (int32_t i = 0; i < count; i++)
        sum += slots[i];
    return sum;
}

/* Finds whether a leaf's tasks start whole. */
static void find_asks(allot_state *state, int32_t group, int32_t consumer, int32_t row)
{
    allot__group_state *it = &state->groups[group];
    int32_t count;
    bool asks = allot__waiting_of(&state->tasks, group, consumer, &count) != NULL ||
                (!allot__demand_set(it, row) && allot__units_wide(state, group, consumer));
    it->asking += asks - it->asks[consumer];
    it->asks[consumer] = asks;
}

/* Sets demands that are not set: the slots of a leaf's tasks, waiting ones included. */
static void demand_tasks(allot_state *state, int32_t group, const int64_t *running)
{
    allot__group_state *it = &state->groups[group];
    if (allot__task_count(&state->tasks) == 0 && it->asking == 0 && !it->derived)
        return;
    it->derived = false;
    for (int32_t consumer = 0; consumer < state->plan->tree.rows; consumer++) {
        int32_t row = allot__row(state->plan, group, consumer);
        find_asks(state, group, consumer, row);
        if (allot__demand_set(it, row))
            continue;
        int64_t slots = running[row] + waiting_slots(state, group, consumer);
        set_demand(state, group, row, slots);
        it->derived = it->derived || slots > 0;
    }
}

static int check_held(allot_state *state, int32_t group, int64_t *sum, allot_report *report)
{
    allot__group_state *it = &state->groups[group];
    bool sound = true;
    add_tasks(state, group, sum);
    demand_tasks(state, group, sum);
    for (int32_t row = 0; row < state->plan->tree.rows; row++) {
        sound = sound && sum[row] <= most_held(it, row);
        if (!allot__allocated_set(it, row))
            hold_tasks(state, group, row, sum[row]);
    }
    if (!sound)
        say_all(state, group, sum, report, say_held);
    return sound ? ALLOT_OK : ALLOT_EINVALID;
}

/* Slots that a flight's consumer gives back. */
typedef struct flying {
    int32_t group, row;
    int64_t slots;
} flying;

static int by_row(const void *a, const void *b)
{
    const flying *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->row == y->row ? 0 : x->row < y->row ? -1 : 1;
}

/* Does every consumer give back at most what it holds? */
static bool fly_within(const allot_state *state, flying *all, size_t count)
{
    qsort(all, count, sizeof *all, by_row);
    int64_t slots = 0;
    for (size_t i = 0; i < count; i++) {
        bool same = i > 0 && by_row(&all[i - 1], &all[i]) == 0;
        slots = all[i].slots + (same ? slots : 0);
        if (slots > state->groups[all[i].group].allocated[all[i].row])
            return false;
    }
    return true;
}

/* Warns of reclaims in flight of more slots than there are. ENOMEM. */
static int check_flying(const allot_state *state, allot_report *report)
{
    const allot__flight *flights = state->flights.items;
    size_t count = state->flights.count, rows = (size_t)state->plan->tree.rows;
    flying *all = count > 0 ? allot__new(state->engine, count, sizeof *all) : NULL;
    for (size_t i = 0; i < count && all; i++) {
        int32_t row = allot__row(state->plan, flights[i].group, flights[i].consumer);
        all[i] = (flying){flights[i].group, row, still_held(state, &flights[i])};
    }
    bool within = count == 0 || (all && fly_within(state, all, count));
    int64_t *sum = all && !within ? allot__new(state->engine, rows, sizeof *sum) : NULL;
    for (int32_t i = 0; i < state->plan->group_count && sum; i++) {
        add_flights(state, i, sum);
        say_all(state, i, sum, report, say_flying);
    }
    bool enough = count == 0 || (all && (within || sum));
    allot__free(state->engine, all, count, sizeof *all);
    allot__free(state->engine, sum, rows, sizeof *sum);
    return enough ? ALLOT_OK : ALLOT_ENOMEM;
}

static int check_claims(const allot_state *state, allot_report *report)
{
    const allot__flight *flights = state->flights.items;
    int result = ALLOT_OK;
    for (size_t i = 0; i < state->flights.count; i++) {
        int64_t claimed = 0;
        for (int32_t k = 0; k < flights[i].count; k++)
            claimed += flights[i].claims[k].slots;
        if (claimed <= flights[i].slots)
            continue;
        char path[40];
        snprintf(path, sizeof path, "reclaims[%zu].for", i);
        allot__fault fault = {.report = report,
                              .severity = ALLOT_ERROR,
                              .code = "E-claims",
                              .group = flights[i].group,
                              .consumer = flights[i].consumer,
                              .field = -1,
                              .path = path};
        allot__say(state->plan, &fault,
                   "%lld slots are claimed, at most %lld, what is given back, "
                   "are allowed",
                   (long long)claimed, (long long)flights[i].slots);
        result = ALLOT_EINVALID;
    }
    return result;
}

/* Does all that is derived depend on single leaves, and on reclaims in flight, only? */
static bool is_slight(const allot_state *state)
{
    return !state->plan->windows && !state->jobs && state->plan->hosts.list.count == 0 &&
           state->hosts.list.count == 0 && state->tasks.coupled == 0 && state->loans.count == 0;
}

/* Derives what follows from a leaf's tasks. False: all must be derived, to report it or to go on.
 */
static bool settle_leaf(allot_state *state, int32_t group, int32_t row)
{
    allot__group_state *it = &state->groups[group];
    const allot__units *units = &state->tasks.units[group];
    int32_t consumer = allot__consumer(state->plan, group, row);
    int64_t sum = allot__units_held(units, consumer);
    if (sum > most_held(it, row))
        return false;
    if (!allot__allocated_set(it, row))
        hold_tasks(state, group, row, sum);
    find_asks(state, group, consumer, row);
    if (allot__demand_set(it, row))
        return true;
    sum += waiting_slots(state, group, consumer);
    it->derived = it->derived || sum > 0;
    set_demand(state, group, row, sum);
    return true;
}

/* Derives what follows from leaves that changed. False: all must be derived, also because each full
 * pass warns of tasks of no session. */
static bool seal_leaves(allot_state *state)
{
    const allot__tasks *tasks = &state->tasks;
    bool any = allot__task_count(tasks) > 0, warns = tasks->unlisted && !state->since->kept,
         done = (!any || (!state->since->other && !warns)) && allot__tasks_arrange_changed(state);
    for (int32_t g = 0; g < state->plan->group_count && done && any; g++) {
        size_t count = state->groups[g].changed.count; /* it grows */
        for (size_t i = 0; i < count && done; i++)
            done = settle_leaf(state, g, ((int32_t *)state->groups[g].changed.items)[i]);
    }
    const allot__task_change *changes = tasks->changed.items;
    for (size_t i = 0; i < tasks->changed.count && done; i++)
        done = settle_leaf(state, changes[i].group,
                           allot__row(state->plan, changes[i].group, changes[i].consumer));
    if (done)
        state->tasks.changed.count = 0;
    return done;
}

/* Derives what follows from all that was set. EINVALID, ENOMEM. */
static int seal_all(allot_state *state, allot_report *report)
{
    size_t rows = state->plan->tree.rows > 0 ? (size_t)state->plan->tree.rows : 1;
    int64_t *sum = allot__new(state->engine, rows, sizeof *sum);
    if (!sum || allot__tasks_arrange(state) || rebase(state) || allot__jobs_arrange(state)) {
        allot__free(state->engine, sum, rows, sizeof *sum);
        return ALLOT_ENOMEM;
    }
    int result = size_groups(state, report), found = allot__flights_seal(state, report);
    if (allot__tasks_check(state, report) || allot__claimants_check(state, report))
        result = ALLOT_EINVALID;
    for (int32_t i = 0; i < state->plan->group_count; i++)
        if (check_held(state, i, sum, report))
            result = ALLOT_EINVALID;
    allot__free(state->engine, sum, rows, sizeof *sum);
    return found == ALLOT_OK ? result : found;
}

/* The worse of two statuses: out of memory comes before faults. */
static int worse(int a, int b)
{
    return a == ALLOT_ENOMEM || b == ALLOT_OK ? a : b;
}

int allot_state_seal(allot_state *state, allot_report *report)
{
    if (!state || state->sealed)
        return ALLOT_EUSAGE;
    if (!state->slight || state->flights_stale || state->tasks.changed.count > 0)
        allot__flights_lose(state);
    bool slight = state->slight = state->slight && seal_leaves(state);
    if (!slight)
        allot__flights_lose(state);
    int result = allot__lists_fill(state);
    if (result == ALLOT_OK)
        result = slight ? allot__flights_seal(state, report) : seal_all(state, report);
    if (result != ALLOT_ENOMEM)
        result = worse(result, check_flying(state, report));
    if (result != ALLOT_ENOMEM)
        result = worse(result, check_claims(state, report));
    if (result != ALLOT_ENOMEM)
        result = worse(result, allot__jobs_seal(state, report));
    if (result == ALLOT_OK)
        allot_state_begin(state);
    if (result == ALLOT_OK)
        allot__above_fill(state);
    state->sealed = result == ALLOT_OK;
    if (state->sealed && !state->since->kept)
        allot__since_now(state);
    if (state->jobs && !state->sealed)
        state->jobs->arranged = false;
    state->slight = state->sealed && (slight || is_slight(state));
    return result;
}
