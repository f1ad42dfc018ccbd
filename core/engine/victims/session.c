/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* session.c: sessions have places in the order of rule 3; a fill may order them differently. */
#include "engine/victims/victim.h"

#include <inttypes.h>
#include <string.h>

#include "engine/rows/order.h"
#include "engine/fill/pour.h"

/* Arrays that a fill pours over, in the order of the fill. */
typedef struct run {
    int32_t *level, *need, *cap, *weight, *aim, *floor, *rest;
} run;

typedef struct division {
    allot__rowset rows; /* first: what functions are handed; by place */
    const allot_session *list;
    const int64_t *held;
    int64_t demand;        /* the leaf's */
    const int32_t *number; /* the leaf's sessions, as added */
    int32_t *place;        /* by place: which of these */
    int32_t *level, *rest; /* by place: slots, and whether there is a fraction above */
    int32_t *order;        /* by the order of a fill: places */
    int32_t *other;
    int64_t *keys;
    run run;
    int64_t left;
} division;

static const allot__session_fill proportional[] = {
    {.by = {ALLOT_FROM_COLUMN, ALLOT_SESSION_PRIORITY}, .up_to = {ALLOT_FROM_NEED, 0}}};
static const allot__session_fill minimum[] = {
    {.by = {ALLOT_FROM_COLUMN, ALLOT_SESSION_MINIMUM},
     .up_to = {ALLOT_FROM_COLUMN, ALLOT_SESSION_MINIMUM}},
    {.by = {ALLOT_FROM_COLUMN, ALLOT_SESSION_PRIORITY}, .up_to = {ALLOT_FROM_NEED, 0}}};

static const struct {
    const allot__session_fill *fills;
    size_t count;
} built_in[] = {
    [ALLOT_PROPORTIONAL] = {proportional, 1},
    [ALLOT_MINIMUM] = {minimum, 2},
};

/* ---- Columns --------------------------------------------------------------------------------- */

static int32_t session_at(const allot__rowset *rows, int32_t row)
{
    const division *it = (const division *)(const void *)rows;
    return it->number[it->place[row]];
}

static int64_t value_of(const division *it, int32_t column, int32_t place)
{
    int32_t number = session_at(&it->rows, place);
    const allot_session *session = &it->list[number];
    switch (column) {
    case ALLOT_SESSION_PRIORITY:
        return session->priority;
    case ALLOT_SESSION_PREEMPTION_RANK:
        return session->preemption_rank;
    case ALLOT_SESSION_CREATED:
        return session->created;
    case ALLOT_SESSION_MINIMUM:
        return session->minimum;
    case ALLOT_SESSION_DEMAND:
        return session->demand < 0 ? it->demand : session->demand;
    case ALLOT_SESSION_ALLOCATED:
        return it->held[number];
    default: /* ALLOT_SESSION_PLACE */
        return number;
    }
}

static const int64_t *read_column(const allot__rowset *rows, int32_t column, int32_t first,
                                  int32_t n, int64_t *room)
{
    for (int32_t i = 0; i < n; i++)
        room[i] = value_of((const division *)(const void *)rows, column, first + i);
    return room;
}

static int64_t source_at(const division *it, allot_source source, int32_t place)
{
    int64_t room;
    return *allot__rowset_values(&it->rows, source, place, 1, &room);
}

/* A source as an amount; ESCRIPT: a function returned another number. */
static int amount_at(const division *it, allot_source source, int32_t place, int32_t *out)
{
    int64_t value =
        source.kind == ALLOT_FROM_NEED ? ALLOT_AMOUNT_MAX : source_at(it, source, place);
    if (value < 0 || (value > ALLOT_AMOUNT_MAX && source.kind == ALLOT_FROM_FUNCTION)) {
        allot_report_say(it->rows.work->report, ALLOT_ERROR, "E-range",
                         "policy \"%s\", session %s: what a function returned is %" PRId64
                         ", allowed is 0 ... %d",
                         it->rows.rules->policy->name, it->list[session_at(&it->rows, place)].id,
                         value, ALLOT_AMOUNT_MAX);
        return ALLOT_ESCRIPT;
    }
    *out = value > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : (int32_t)value;
    return ALLOT_OK;
}

/* ---- Fills ----------------------------------------------------------------------------------- */

static void sort_by(division *it, int32_t *rows, allot_source source, bool descending)
{
    for (int32_t i = 0; i < it->rows.count; i++) {
        int64_t value = source_at(it, source, i);
        it->keys[i] = descending ? ~value : value;
    }
    allot__sort_rows(rows, it->other, it->keys, 0, it->rows.count);
}

/* The end of the run of equal keys from `from` on in a fill's order. */
static int32_t tied_until(const division *it, const allot__order *order, int32_t from)
{
    int32_t to = from + 1;
    for (; to < it->rows.count; to++) {
        for (int32_t k = 0; k < order->count; k++)
            if (source_at(it, order->keys[k].source, it->order[from]) !=
                source_at(it, order->keys[k].source, it->order[to]))
                return to;
    }
    return to;
}

/* Calls a fill's functions, and lists its rows in its order with their amounts. */
static int prepare(division *it, const allot__session_fill *fill)
{
    int status = allot__rowset_prepare(&it->rows, fill->by);
    status = status == ALLOT_OK ? allot__rowset_prepare(&it->rows, fill->up_to) : status;
    for (int32_t k = 0; k < fill->order.count && status == ALLOT_OK; k++)
        status = allot__rowset_prepare(&it->rows, fill->order.keys[k].source);
    if (status != ALLOT_OK)
        return status;
    for (int32_t i = 0; i < it->rows.count; i++)
        it->order[i] = i;
    for (int32_t k = fill->order.count - 1; k >= 0; k--) {
        const allot_key *key = &fill->order.keys[k];
        sort_by(it, it->order, key->source, key->descending != 0);
    }
    const allot_source demand = {ALLOT_FROM_COLUMN, ALLOT_SESSION_DEMAND};
    for (int32_t i = 0; i < it->rows.count && status == ALLOT_OK; i++) {
        int32_t place = it->order[i];
        it->run.level[i] = it->level[place];
        status = amount_at(it, demand, place, &it->run.need[i]);
        status = status == ALLOT_OK ? amount_at(it, fill->by, place, &it->run.weight[i]) : status;
        status = status == ALLOT_OK ? amount_at(it, fill->up_to, place, &it->run.cap[i]) : status;
    }
    return status;
}

/* Pours over rows from ... to - 1 of a fill's order; is nothing left? */
static bool pour_rows(division *it, int32_t from, int32_t to)
{
    const run *run = &it->run;
    allot__pour pour = {.count = to - from,
                        .unit = 1,
                        .left = it->left,
                        .level = run->level + from,
                        .need = run->need + from,
                        .cap = run->cap + from,
                        .weight = run->weight + from,
                        .aim = run->aim + from,
                        .floor = run->floor + from,
                        .rest = run->rest + from};
    allot__pour_aims(&pour);
    bool critical = allot__pour_fast(&pour);
    for (int32_t i = from; i < to; i++) {
        int32_t slots = critical ? run->floor[i] : run->aim[i];
        it->left -= critical ? slots - run->level[i] : 0;
        it->level[it->order[i]] = slots;
        it->rest[it->order[i]] = critical && run->rest[i] != 0;
    }
    it->left = critical ? it->left : pour.left;
    return critical;
}

static int pour_fills(division *it, const allot__session_fill *fills, size_t count)
{
    bool critical = false;
    for (size_t i = 0; i < count && !critical && it->left > 0; i++) {
        int status = prepare(it, &fills[i]);
        if (status != ALLOT_OK)
            return status;
        for (int32_t from = 0; from < it->rows.count && !critical;) {
            int32_t to = tied_until(it, &fills[i].order, from);
            critical = pour_rows(it, from, to);
            from = to;
        }
    }
    for (int32_t place = 0; place < it->rows.count && critical && it->left > 0; place++) {
        it->level[place] += it->rest[place];
        it->left -= it->rest[place];
    }
    return ALLOT_OK;
}

/* The built-in fill by priority: its order is that of places, without ties. */
static void fill_in_order(division *it)
{
    for (int32_t place = 0; place < it->rows.count; place++) {
        int64_t need = value_of(it, ALLOT_SESSION_DEMAND, place);
        it->level[place] = (int32_t)(need < it->left ? need : it->left);
        it->left -= it->level[place];
    }
}

/* ---- Leaves ---------------------------------------------------------------------------------- */

static int take_room(division *it, int32_t most)
{
    size_t count = (size_t)most + 1;
    run *run = &it->run;
    return ALLOT__TAKE_ALL(
        it->rows.work->arena,
        ALLOT__EACH(count, it->place, it->level, it->rest, it->order, it->other, it->keys),
        ALLOT__EACH(count, run->cap, run->aim, run->level, run->need, run->rest, run->weight,
                    run->floor));
}

/* Puts the leaf's sessions at their places (rule 3), with no slots yet. */
static void take_places(division *it)
{
    size_t count = (size_t)it->rows.count;
    for (int32_t i = 0; i < it->rows.count; i++) {
        it->place[i] = i;
        it->order[i] = i;
    }
    sort_by(it, it->order, (allot_source){ALLOT_FROM_COLUMN, ALLOT_SESSION_CREATED}, false);
    sort_by(it, it->order, (allot_source){ALLOT_FROM_COLUMN, ALLOT_SESSION_PRIORITY}, true);
    memcpy(it->place, it->order, count * sizeof *it->place);
    memset(it->level, 0, count * sizeof *it->level);
    memset(it->rest, 0, count * sizeof *it->rest);
}

static void write_parts(const division *it)
{
    const allot__work *work = it->rows.work;
    for (int32_t i = 0; i < it->rows.count; i++) {
        int32_t number = session_at(&it->rows, i);
        int64_t need = value_of(it, ALLOT_SESSION_DEMAND, i);
        work->session_need[number] = need > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : (int32_t)need;
        work->session_quota[number] = it->level[i];
    }
}

static int divide(division *it, const allot__units *units, int32_t leaf)
{
    const allot__work *work = it->rows.work;
    int32_t row = allot__row(work->plan, work->index, leaf);
    int32_t first = units->session_first[leaf];
    it->rows.leaf = leaf;
    it->rows.count = units->session_first[leaf + 1] - first;
    it->rows.rules = allot__rules_at(work, row);
    it->number = units->sessions + first;
    it->demand = work->demand[row];
    it->left = work->quota[row];
    int status = allot__rowset_begin(&it->rows);
    if (status != ALLOT_OK)
        return status;
    take_places(it);
    allot_scheduling scheduling = it->list[it->number[0]].scheduling;
    const allot__vector *own = &it->rows.rules->policy->session_fills[scheduling];
    if (own->count > 0)
        status = pour_fills(it, own->items, own->count);
    else if (scheduling == ALLOT_PRIORITY)
        fill_in_order(it);
    else
        status = pour_fills(it, built_in[scheduling].fills, built_in[scheduling].count);
    if (status == ALLOT_OK)
        write_parts(it);
    return status;
}

int allot__sessions(allot__work *work)
{
    const allot__tasks *tasks = &work->state->tasks;
    const allot__units *units = tasks->units ? &tasks->units[work->index] : NULL;
    if (!work->session_quota || !units || units->session_count == 0)
        return ALLOT_OK;
    division it = {
        .rows = {.work = work, .kind = ALLOT_SESSIONS, .column = read_column, .item = session_at},
        .list = tasks->sessions.items,
        .held = tasks->session_held};
    int32_t most = 0;
    for (int32_t leaf = 0; leaf < work->tree->rows; leaf++) {
        int32_t count = units->session_first[leaf + 1] - units->session_first[leaf];
        most = count > most ? count : most;
    }
    int status = take_room(&it, most);
    for (int32_t leaf = 0; leaf < work->tree->rows && status == ALLOT_OK; leaf++)
        if (units->session_first[leaf + 1] > units->session_first[leaf])
            status = divide(&it, units, leaf);
    return status;
}
