/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* list.c: queues' rows sorted when they are first asked for, and merged by a heap. */
#include "engine/jobs/preempt/list.h"

#include <string.h>

#include "engine/rows/order.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

static int take_rows(allot__candidate_rows *rows, size_t queues, size_t count)
{
    allot__arena *arena = rows->work->arena;
    rows->first = allot__arena_take(arena, queues + 1, sizeof *rows->first);
    rows->head = allot__arena_take(arena, queues + 1, sizeof *rows->head);
    rows->is_sorted = allot__arena_take(arena, queues + 1, sizeof *rows->is_sorted);
    rows->jobs = allot__arena_take(arena, count + 1, sizeof *rows->jobs);
    rows->queues = allot__arena_take(arena, count + 1, sizeof *rows->queues);
    rows->sorted = allot__arena_take(arena, count + 1, sizeof *rows->sorted);
    rows->other = allot__arena_take(arena, count + 1, sizeof *rows->other);
    return rows->first != NULL && rows->head && rows->is_sorted && rows->jobs && rows->queues &&
                   rows->sorted && rows->other != NULL
               ? ALLOT_OK
               : ALLOT_ENOMEM;
}

/* Lists each queue's rows, in the order of the state. */
static void list_rows(allot__candidate_rows *rows, int32_t queues)
{
    memset(rows->first, 0, ((size_t)queues + 1) * sizeof *rows->first);
    for (int32_t row = 0; row < rows->count; row++)
        rows->first[rows->queues[row] + 1]++;
    for (int32_t queue = 0; queue < queues; queue++) {
        rows->first[queue + 1] += rows->first[queue];
        rows->head[queue] = rows->first[queue];
        rows->is_sorted[queue] = false;
    }
    for (int32_t row = 0; row < rows->count; row++)
        rows->sorted[rows->head[rows->queues[row]]++] = row;
    memcpy(rows->head, rows->first, (size_t)queues * sizeof *rows->head);
}

int allot__candidate_rows_make(const allot__work *work, const allot__host_view *view,
                               const uint8_t *ineligible, allot__candidate_rows *out)
{
    const allot__jobs *jobs = work->state->jobs;
    int32_t queues = allot__queue_count(work->plan);
    *out = (allot__candidate_rows){.work = work, .ineligible = ineligible};
    for (int32_t i = 0; i < ALLOT__CANDIDATE_LISTS; i++)
        out->lists[i].high = -1;
    size_t running = 0;
    for (size_t i = 0; i < jobs->list.count; i++)
        running += ineligible[i] != ALLOT__INELIGIBLE_NEW;
    int status = take_rows(out, (size_t)queues, running);
    if (status != ALLOT_OK)
        return status;
    for (int32_t i = 0; (size_t)i < jobs->list.count; i++) {
        if (ineligible[i] == ALLOT__INELIGIBLE_NEW)
            continue;
        out->jobs[out->count] = i;
        out->queues[out->count++] = allot__job_at(jobs, i)->queue;
    }
    list_rows(out, queues);
    return allot__job_rows_make(work, view, out->jobs, out->count, &out->of);
}

/* ---- Merging --------------------------------------------------------------------------------- */

static bool tied(const allot__candidate_rows *rows, int32_t a, int32_t b)
{
    for (int32_t key = 0; key < rows->key_count; key++)
        if (rows->values[key] && rows->values[key][a] != rows->values[key][b])
            return false;
    return true;
}

/* Puts rows of one queue in order: by the last key first, and then those alike by id. */
static void sort_rows(const allot__candidate_rows *rows, int32_t *first, int32_t count)
{
    for (int32_t key = rows->key_count - 1; key >= 0; key--)
        if (rows->values[key])
            allot__sort_rows(first, rows->other, rows->values[key], 0, count);
    for (int32_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && tied(rows, first[from], first[to]);)
            to++;
        allot__candidate_sort(rows, NULL, first + from, rows->other, to - from);
    }
}

/* Puts a queue's candidates in order; the others of its rows stand behind them as -1. */
static void sort_queue(allot__candidate_rows *rows, int32_t queue)
{
    int32_t first = rows->first[queue];
    int32_t end = rows->first[queue + 1];
    int32_t count = 0;
    for (int32_t at = first; at < end; at++) {
        int32_t row = rows->sorted[at];
        if (rows->ineligible[rows->jobs[row]] <= ALLOT__INELIGIBLE_TAKEN) /* it may be one again */
            rows->sorted[first + count++] = row;
    }
    for (int32_t i = first + count; i < end; i++)
        rows->sorted[i] = -1;
    sort_rows(rows, rows->sorted + first, count);
    rows->is_sorted[queue] = true;
}

/* The first of a queue's places from `at` on that has a candidate; its end: there is none. */
static int32_t skip_ineligible(const allot__candidate_rows *rows, int32_t queue, int32_t at)
{
    int32_t end = rows->first[queue + 1];
    while (at < end && rows->sorted[at] >= 0 && rows->ineligible[rows->jobs[rows->sorted[at]]])
        at++;
    return at < end && rows->sorted[at] >= 0 ? at : end;
}

/* Turns a queue to its next candidate from there on; false: there is none. */
static bool turn(const allot__candidate_rows *rows, const allot__candidate_list *list,
                 int32_t queue, int32_t at, allot__candidate_top *top)
{
    int32_t next = skip_ineligible(rows, queue, at);
    if (next == rows->first[queue + 1])
        return false;
    int32_t row = rows->sorted[next];
    *top = (allot__candidate_top){.keys = {allot__candidate_value(rows, list, 0, row),
                                           allot__candidate_value(rows, list, 1, row)},
                                  .queue = queue,
                                  .at = next};
    return true;
}

static bool goes_before(const allot__candidate_rows *rows, const allot__candidate_list *list,
                        const allot__candidate_top *a, const allot__candidate_top *b)
{
    if (a->keys[0] != b->keys[0])
        return a->keys[0] < b->keys[0];
    if (a->keys[1] != b->keys[1])
        return a->keys[1] < b->keys[1];
    return allot__candidate_before(rows, list, rows->sorted[a->at], rows->sorted[b->at]);
}

static void sink(const allot__candidate_rows *rows, allot__candidate_list *list, int32_t place)
{
    allot__candidate_top *heap = list->heap;
    allot__candidate_top top = heap[place];
    for (;;) {
        int32_t child = 2 * place + 1;
        if (child + 1 < list->heap_count && goes_before(rows, list, &heap[child + 1], &heap[child]))
            child++;
        if (child >= list->heap_count || !goes_before(rows, list, &heap[child], &top))
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = top;
}

static void add_queue(allot__candidate_rows *rows, allot__candidate_list *list, int32_t low)
{
    if (rows->first[low] == rows->first[low + 1])
        return;
    if (!rows->is_sorted[low])
        sort_queue(rows, low);
    rows->head[low] = skip_ineligible(rows, low, rows->head[low]);
    list->heap_count += turn(rows, list, low, rows->head[low], &list->heap[list->heap_count]);
}

static void merge_list(allot__candidate_rows *rows, allot__candidate_list *list, int32_t high)
{
    const allot__relation *relation = rows->work->plan->relation;
    size_t words = ((size_t)relation->count + 63) / 64;
    const uint64_t *may = relation->may + (size_t)high * words;
    for (size_t i = 0; i < words; i++)
        for (uint64_t left = may[i]; left != 0; left &= left - 1)
            add_queue(rows, list, (int32_t)(i * 64) + __builtin_ctzll(left));
    for (int32_t i = list->heap_count / 2 - 1; i >= 0; i--)
        sink(rows, list, i);
}

static bool take_list(const allot__candidate_rows *rows, allot__candidate_list *list)
{
    size_t queues = (size_t)allot__queue_count(rows->work->plan) + 1;
    size_t count = (size_t)rows->count + 1;
    allot__arena *arena = rows->work->arena;
    allot__candidate_top *heap = allot__arena_take(arena, queues, sizeof *heap);
    int32_t *room = allot__arena_take(arena, 2 * queues, sizeof *room);
    int64_t *pairs = allot__arena_take(arena, 2 * queues, sizeof *pairs);
    int32_t *places = allot__arena_take(arena, 2 * count, sizeof *places);
    if (!heap || !room || !pairs || !places)
        return false;
    list->heap = heap;
    list->room = room;
    list->preference = pairs;
    list->queue_order = pairs + queues;
    list->alive = places;
    list->rows = places + count;
    return true;
}

/* The list of a queue, or the one that was asked for longest ago, which is begun anew for it; NULL:
 * out of memory. */
static allot__candidate_list *find_list(allot__candidate_rows *rows, int32_t high, bool near,
                                        bool *begun)
{
    allot__candidate_list *found = &rows->lists[0];
    *begun = true;
    for (int32_t i = 0; i < ALLOT__CANDIDATE_LISTS; i++) {
        allot__candidate_list *list = &rows->lists[i];
        if (list->high == high && list->near == near) {
            list->asked = ++rows->asked;
            return list;
        }
        found = list->asked < found->asked ? list : found;
    }
    if (!found->rows && !take_list(rows, found))
        return NULL;
    *begun = false;
    found->high = high;
    found->near = near;
    found->asked = ++rows->asked;
    found->count = 0;
    found->alive[0] = 0;
    found->heap_count = 0;
    allot__job_pairs(rows->work->plan, high, found->preference, found->queue_order, found->room);
    return found;
}

void allot__candidate_rows_again(allot__candidate_rows *rows, int32_t queue)
{
    rows->head[queue] = rows->first[queue];
    for (int32_t i = 0; i < ALLOT__CANDIDATE_LISTS; i++)
        rows->lists[i].high = -1;
}

allot__candidate_list *allot__candidate_list_of(allot__candidate_rows *rows, int32_t high)
{
    bool begun;
    allot__candidate_list *list = find_list(rows, high, false, &begun);
    if (list && !begun)
        merge_list(rows, list, high);
    return list;
}

allot__candidate_list *allot__candidate_list_near(allot__candidate_rows *rows, int32_t high)
{
    bool begun;
    allot__candidate_list *list = find_list(rows, high, true, &begun);
    if (list && !begun && allot__candidate_near(rows, list) != ALLOT_OK) {
        list->high = -1;
        return NULL;
    }
    return list;
}

/* Merges one more; false: there is none. */
static bool extend(allot__candidate_rows *rows, allot__candidate_list *list)
{
    while (list->heap_count > 0) {
        allot__candidate_top top = list->heap[0];
        int32_t row = rows->sorted[top.at];
        if (!turn(rows, list, top.queue, top.at + 1, &list->heap[0]))
            list->heap[0] = list->heap[--list->heap_count];
        sink(rows, list, 0);
        if (!rows->ineligible[rows->jobs[row]]) {
            list->rows[list->count++] = row;
            list->alive[list->count] = list->count;
            return true;
        }
    }
    return false;
}

int32_t allot__candidate_list_seek(allot__candidate_rows *rows, allot__candidate_list *list,
                                   int32_t from)
{
    int32_t place = from;
    for (;;) {
        while (list->alive[place] != place) {
            list->alive[place] = list->alive[list->alive[place]];
            place = list->alive[place];
        }
        if (place == list->count && !extend(rows, list))
            return -1;
        if (!rows->ineligible[allot__candidate_list_job(rows, list, place)])
            return place;
        allot__candidate_list_drop(list, place);
    }
}
