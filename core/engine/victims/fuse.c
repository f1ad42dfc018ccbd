/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * fuse.c: makes one key of keys that sessions alone decide. Sessions are few: they are sorted once,
 * and of each task only its session's place is read. Also hands over the key that changes as tasks
 * go.
 */
#include "engine/rows/order.h"
#include "engine/victims/claimant.h"

/* Is a key the same for all tasks of a session, whatever goes? */
static bool of_session(const allot__queue *queue, const allot_key *key)
{
    if (key->source.kind != ALLOT_FROM_COLUMN)
        return false;
    if (key->source.value == ALLOT_TASK_SESSION_OVER)
        return false; /* it changes as tasks go */
    return allot__session_column(key->source.value) ||
           (key->source.value == ALLOT_TASK_IMPORTANCE && !queue->rows.guarded &&
            !queue->rows.shared);
}

/* A key of a session by its number + 1, inverted if it falls. */
static int64_t value_of(const allot__queue *queue, const allot_key *key, int32_t entry)
{
    int32_t column = key->source.value;
    int64_t value = queue->rows.of_session[column][entry];
    if (entry == 0 && column == ALLOT_TASK_IMPORTANCE)
        value = queue->rows.scheduling == ALLOT_PRIORITY;
    return key->descending ? ~value : value;
}

static bool tied(const allot__queue *queue, int32_t keys, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < keys; i++) {
        const allot_key *key = &queue->order.keys[i];
        if (value_of(queue, key, a) != value_of(queue, key, b))
            return false;
    }
    return true;
}

/* Ranks sessions in order; ties share a place. */
static void rank_sessions(const allot__queue *queue, int32_t keys, int32_t entries,
                          const int32_t *rows, int64_t *places)
{
    int64_t place = 0;
    for (int32_t i = 0; i < entries; i++) {
        place += i > 0 && !tied(queue, keys, rows[i - 1], rows[i]);
        places[rows[i]] = place;
    }
}

static int make_places(allot__queue *queue, int32_t keys, int32_t entries)
{
    int32_t *rows, *other;
    int64_t *values, *places;
    if (ALLOT__TAKE_ALL(queue->rows.rows.work->arena,
                        ALLOT__EACH((size_t)entries, rows, other, values, places)))
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < entries; i++) {
        rows[i] = i;
        places[i] = value_of(queue, &queue->order.keys[0], i);
    }
    for (int32_t k = keys - 1; k >= 0 && keys > 1; k--) {
        for (int32_t i = 0; i < entries; i++)
            values[i] = value_of(queue, &queue->order.keys[k], i);
        allot__sort_rows(rows, other, values, 0, entries);
    }
    if (keys > 1)
        rank_sessions(queue, keys, entries, rows, places);
    queue->places = places;
    return ALLOT_OK;
}

/* A key's values by unit if they are an array already; else NULL. */
static const int64_t *flat_of(const allot__queue *queue, allot_source source)
{
    const allot__unit_rows *rows = &queue->rows;
    if (source.kind == ALLOT_FROM_FUNCTION)
        return rows->rows.functions[source.value];
    bool started = source.kind == ALLOT_FROM_COLUMN && source.value == ALLOT_TASK_STARTED;
    return started ? rows->units->started + rows->base : NULL;
}

/* ---- The key that changes -------------------------------------------------------------------- */

/* Takes off what goes for claimants. */
static void lower_given(const allot__work *work, const allot__victims *victims)
{
    for (int32_t row = 0; victims->choosing && row < work->tree->rows; row++) {
        const allot__giving *giving = victims->choosing->giving[row];
        for (const allot__taking *it = giving ? giving->first : NULL; it; it = it->next) {
            const allot__units *units = it->queue.rows.units;
            for (int32_t i = 0; i < it->queue.picked.count; i++) {
                int32_t unit = it->queue.rows.base + it->queue.picked.rows[i];
                if (units->session[unit] >= 0)
                    victims->over[units->session[unit] + 1] -= units->slots[unit];
            }
        }
    }
}

/* What sessions hold above what they deserve before any task of these queues goes; ENOMEM. */
static int find_over(const allot__work *work, allot__victims *victims)
{
    const allot__tasks *tasks = &work->state->tasks;
    const allot__units *units = allot__units_of(work);
    size_t count = tasks->sessions.count;
    victims->over = allot__arena_take(work->arena, count + 1, sizeof *victims->over);
    if (!victims->over)
        return ALLOT_ENOMEM;
    victims->over[0] = 0;
    for (size_t i = 0; i < count; i++)
        victims->over[i + 1] = tasks->session_held[i] - work->session_quota[i];
    for (int32_t unit = 0; victims->ineligible && unit < units->count; unit++) {
        bool going = victims->ineligible[unit] == ALLOT__INELIGIBLE_GOING ||
                     victims->ineligible[unit] == ALLOT__INELIGIBLE_CLOSED;
        if (going && units->session[unit] >= 0)
            victims->over[units->session[unit] + 1] -= units->slots[unit];
    }
    lower_given(work, victims);
    return ALLOT_OK;
}

/* Hands the pick the key that changes, if the order has it: of several the first; ENOMEM. */
static int hand_anew(allot__queue *queue, allot__victims *victims)
{
    int32_t key = 0;
    while (key < queue->order.count && !allot__key_changes(&queue->order.keys[key]))
        key++;
    if (key == queue->order.count)
        return ALLOT_OK;
    int status = !victims->over ? find_over(queue->rows.rows.work, victims) : ALLOT_OK;
    queue->pick.anew = victims->over;
    queue->pick.anew_of = queue->rows.units->session + queue->rows.base;
    queue->pick.anew_key = key - queue->fused;
    return status;
}

/* ---- Keys of the pick ------------------------------------------------------------------------ */

/* Gives the pick its keys; the first `fused` + 1 are one if there are places. */
static void hand_keys(allot__queue *queue)
{
    allot__pick *pick = &queue->pick;
    pick->keys = queue->order.count - queue->fused;
    for (int32_t i = 0; i < pick->keys; i++) {
        const allot_key *key = &queue->order.keys[i + queue->fused];
        bool placed = i == 0 && queue->places;
        pick->falling[i] = !placed && key->descending != 0;
        pick->flat[i] = placed ? NULL : flat_of(queue, key->source);
    }
    pick->classes = NULL;
    if (queue->places) {
        pick->classes = queue->rows.units->session + queue->rows.base;
        pick->class_keys = queue->places;
        pick->class_count = (int32_t)queue->rows.rows.work->state->tasks.sessions.count;
    }
}

int allot__queue_fuse(allot__queue *queue, allot__victims *victims)
{
    size_t sessions = queue->rows.rows.work->state->tasks.sessions.count;
    int32_t keys = 0;
    while (keys < queue->order.count && of_session(queue, &queue->order.keys[keys]))
        keys++;
    int status = ALLOT_OK;
    if (keys > 0 && sessions <= (size_t)queue->pick.count / 8) {
        status = make_places(queue, keys, (int32_t)sessions + 1);
        queue->fused = status == ALLOT_OK ? keys - 1 : 0;
    }
    status = status == ALLOT_OK ? hand_anew(queue, victims) : status;
    hand_keys(queue);
    return status;
}

void allot__queue_split(allot__queue *queue)
{
    queue->pick.anew_key += queue->fused;
    queue->fused = 0;
    queue->places = NULL;
    hand_keys(queue);
}
