/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* prey_list.c: queues' rows sorted when they are first asked for, and merged by a heap. */
#include "engine/prey_list.h"

#include <string.h>

enum { BLOCK = 512 };

/* ---- Rows ------------------------------------------------------------------------------------ */

static int32_t count_running(const allot__jobs *jobs, int32_t queue)
{
    int32_t count = 0;
    for (int32_t i = jobs->first[queue]; i < jobs->first[queue + 1]; i++) {
        count += allot__job_at(jobs, jobs->by_queue[i])->state == ALLOT_RUNNING;
    }
    return count;
}

static int take_rows(allot__prey_rows *rows, int32_t queues)
{
    allot__arena *arena = rows->work->arena;
    const allot__jobs *jobs = rows->work->state->jobs;
    rows->first = allot__arena_take(arena, (size_t)queues + 1, sizeof *rows->first);
    rows->is_sorted = allot__arena_take(arena, (size_t)queues + 1, sizeof *rows->is_sorted);
    if (rows->first == NULL || rows->is_sorted == NULL) {
        return ALLOT_ENOMEM;
    }
    memset(rows->is_sorted, 0, (size_t)queues + 1);
    for (int32_t queue = 0; queue < queues; queue++) {
        rows->first[queue] = rows->count;
        rows->count += count_running(jobs, queue);
    }
    rows->first[queues] = rows->count;
    rows->jobs = allot__arena_take(arena, (size_t)rows->count + 1, sizeof *rows->jobs);
    rows->sorted = allot__arena_take(arena, (size_t)rows->count + 1, sizeof *rows->sorted);
    rows->other = allot__arena_take(arena, (size_t)rows->count + 1, sizeof *rows->other);
    bool all = rows->jobs != NULL && rows->sorted != NULL && rows->other != NULL;
    return all ? ALLOT_OK : ALLOT_ENOMEM;
}

int allot__prey_rows_make(const allot__work *work, const allot__room *room, const uint8_t *spared,
                          allot__prey_rows *out)
{
    const allot__jobs *jobs = work->state->jobs;
    int32_t queues = allot__queue_count(work->plan);
    *out = (allot__prey_rows){.work = work, .spared = spared};
    for (int32_t i = 0; i < ALLOT__PREY_LISTS; i++) {
        out->lists[i].high = -1;
    }
    int status = take_rows(out, queues);
    if (status != ALLOT_OK) {
        return status;
    }
    int32_t row = 0;
    for (int32_t i = 0; i < jobs->first[queues]; i++) {
        if (allot__job_at(jobs, jobs->by_queue[i])->state == ALLOT_RUNNING) {
            out->jobs[row++] = jobs->by_queue[i];
        }
    }
    return allot__job_rows_make(work, room, out->jobs, out->count, &out->of);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static int read_key(allot__prey_rows *rows, int32_t number)
{
    const allot_key *key = &rows->keys[number];
    int status = allot__rowset_prepare(&rows->of.rows, key->source);
    int64_t *values = allot__arena_take(rows->work->arena, (size_t)rows->count + 1, sizeof *values);
    int64_t room[BLOCK];
    if (status != ALLOT_OK || values == NULL) {
        return status != ALLOT_OK ? status : ALLOT_ENOMEM;
    }
    for (int32_t first = 0; first < rows->count; first += BLOCK) {
        int32_t n = rows->count - first < BLOCK ? rows->count - first : BLOCK;
        const int64_t *from = allot__rowset_values(&rows->of.rows, key->source, first, n, room);
        for (int32_t i = 0; i < n; i++) {
            values[first + i] = key->descending ? ~from[i] : from[i];
        }
    }
    rows->values[number] = values;
    return ALLOT_OK;
}

int allot__prey_rows_read(allot__prey_rows *rows)
{
    const allot__order *victims = &rows->work->rules[0].policy->victims;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < victims->count && status == ALLOT_OK; i++) {
        if (victims->keys[i].source.kind == ALLOT_FROM_NUMBER) {
            continue; /* it orders nothing */
        }
        rows->keys[rows->key_count] = victims->keys[i];
        if (!allot__job_pair_column(victims->keys[i].source)) {
            status = read_key(rows, rows->key_count);
        }
        rows->key_count++;
    }
    return status;
}

/* ---- Order ----------------------------------------------------------------------------------- */

static int32_t queue_of(const allot__prey_rows *rows, int32_t row)
{
    return allot__job_at(rows->work->state->jobs, rows->jobs[row])->queue;
}

/* The value that two queues have together. */
static int64_t pair_value(const allot__prey_rows *rows, const allot__prey_list *list, int32_t key,
                          int32_t row)
{
    const allot_key *of = &rows->keys[key];
    bool preference = of->source.value == ALLOT_TASK_PREFERENCE;
    int64_t value = (preference ? list->preference : list->queue_order)[queue_of(rows, row)];
    return of->descending ? ~value : value;
}

bool allot__prey_before(const allot__prey_rows *rows, const allot__prey_list *list, int32_t a,
                        int32_t b)
{
    for (int32_t key = 0; key < rows->key_count; key++) {
        const int64_t *values = rows->values[key];
        if (values == NULL && list == NULL) {
            continue;
        }
        int64_t x = values != NULL ? values[a] : pair_value(rows, list, key, a);
        int64_t y = values != NULL ? values[b] : pair_value(rows, list, key, b);
        if (x != y) {
            return x < y;
        }
    }
    const allot__jobs *jobs = rows->work->state->jobs;
    return strcmp(allot__job_at(jobs, rows->jobs[a])->id, allot__job_at(jobs, rows->jobs[b])->id) >
           0;
}

static void merge(const allot__prey_rows *rows, const allot__prey_list *list, const int32_t *from,
                  int32_t low, int32_t middle, int32_t high, int32_t *to)
{
    int32_t a = low;
    int32_t b = middle;
    for (int32_t i = low; i < high; i++) {
        bool left = a < middle && (b >= high || !allot__prey_before(rows, list, from[b], from[a]));
        to[i] = left ? from[a++] : from[b++];
    }
}

void allot__prey_sort(const allot__prey_rows *rows, const allot__prey_list *list, int32_t *first,
                      int32_t *other, int32_t count)
{
    for (int32_t width = 1; width < count; width = width < count / 2 + 1 ? width * 2 : count) {
        for (int32_t low = 0; low < count;) {
            int32_t middle = count - low > width ? low + width : count;
            int32_t high = count - middle > width ? middle + width : count;
            merge(rows, list, first, low, middle, high, other);
            low = high;
        }
        memcpy(first, other, (size_t)count * sizeof *first);
    }
}

/* Puts a queue's candidates in order; the others of its rows stand behind them as -1. */
static void sort_queue(allot__prey_rows *rows, int32_t queue)
{
    int32_t first = rows->first[queue];
    int32_t end = rows->first[queue + 1];
    int32_t count = 0;
    for (int32_t row = first; row < end; row++) {
        if (!rows->spared[rows->jobs[row]]) {
            rows->sorted[first + count++] = row;
        }
    }
    for (int32_t i = first + count; i < end; i++) {
        rows->sorted[i] = -1;
    }
    allot__prey_sort(rows, NULL, rows->sorted + first, rows->other, count);
    rows->is_sorted[queue] = true;
}

/* ---- Merging --------------------------------------------------------------------------------- */

/* Turns a queue to its next row that is a candidate; false: there is none. */
static bool turn(allot__prey_rows *rows, allot__prey_list *list, int32_t queue)
{
    int32_t end = rows->first[queue + 1];
    for (; list->at[queue] < end; list->at[queue]++) {
        int32_t row = rows->sorted[list->at[queue]];
        if (row < 0) {
            return false;
        }
        if (!rows->spared[rows->jobs[row]]) {
            return true;
        }
    }
    return false;
}

static void sink(const allot__prey_rows *rows, allot__prey_list *list, int32_t place)
{
    int32_t *heap = list->heap;
    for (;;) {
        int32_t child = 2 * place + 1;
        if (child + 1 < list->heap_count &&
            allot__prey_before(rows, list, rows->sorted[list->at[heap[child + 1]]],
                               rows->sorted[list->at[heap[child]]])) {
            child++;
        }
        if (child >= list->heap_count ||
            !allot__prey_before(rows, list, rows->sorted[list->at[heap[child]]],
                                rows->sorted[list->at[heap[place]]])) {
            return;
        }
        int32_t queue = heap[place];
        heap[place] = heap[child];
        heap[child] = queue;
        place = child;
    }
}

static void merge_list(allot__prey_rows *rows, allot__prey_list *list, int32_t high)
{
    const allot_plan *plan = rows->work->plan;
    for (int32_t low = 0; low < plan->relation->count; low++) {
        if (!allot__may_preempt(plan->relation, high, low) ||
            rows->first[low] == rows->first[low + 1]) {
            continue;
        }
        if (!rows->is_sorted[low]) {
            sort_queue(rows, low);
        }
        list->at[low] = rows->first[low];
        if (turn(rows, list, low)) {
            list->heap[list->heap_count++] = low;
        }
    }
    for (int32_t i = list->heap_count / 2 - 1; i >= 0; i--) {
        sink(rows, list, i);
    }
}

static bool take_list(const allot__prey_rows *rows, allot__prey_list *list)
{
    size_t queues = (size_t)allot__queue_count(rows->work->plan) + 1;
    size_t count = (size_t)rows->count + 1;
    allot__arena *arena = rows->work->arena;
    int32_t *room = allot__arena_take(arena, 2 * queues, sizeof *room);
    int64_t *pairs = allot__arena_take(arena, 2 * queues, sizeof *pairs);
    int32_t *places = allot__arena_take(arena, 2 * count, sizeof *places);
    if (room == NULL || pairs == NULL || places == NULL) {
        return false;
    }
    list->heap = room;
    list->at = room + queues;
    list->preference = pairs;
    list->queue_order = pairs + queues;
    list->alive = places;
    list->rows = places + count;
    return true;
}

/* The list of a queue, or the one that was asked for longest ago, which is begun anew for it; NULL:
 * out of memory. */
static allot__prey_list *find_list(allot__prey_rows *rows, int32_t high, bool near, bool *begun)
{
    allot__prey_list *found = &rows->lists[0];
    *begun = true;
    for (int32_t i = 0; i < ALLOT__PREY_LISTS; i++) {
        allot__prey_list *list = &rows->lists[i];
        if (list->high == high && list->near == near) {
            list->asked = ++rows->asked;
            return list;
        }
        found = list->asked < found->asked ? list : found;
    }
    if (found->rows == NULL && !take_list(rows, found)) {
        return NULL;
    }
    *begun = false;
    found->high = high;
    found->near = near;
    found->asked = ++rows->asked;
    found->count = 0;
    found->alive[0] = 0;
    found->heap_count = 0;
    /* `at` and `heap` stand behind each other: room for two times as many. */
    allot__job_pairs(rows->work->plan, high, found->preference, found->queue_order, found->heap);
    return found;
}

allot__prey_list *allot__prey_list_of(allot__prey_rows *rows, int32_t high)
{
    bool begun;
    allot__prey_list *list = find_list(rows, high, false, &begun);
    if (list != NULL && !begun) {
        merge_list(rows, list, high);
    }
    return list;
}

allot__prey_list *allot__prey_list_near(allot__prey_rows *rows, int32_t high)
{
    bool begun;
    allot__prey_list *list = find_list(rows, high, true, &begun);
    if (list != NULL && !begun && allot__prey_near(rows, list) != ALLOT_OK) {
        list->high = -1;
        return NULL;
    }
    return list;
}

/* Merges one more; false: there is none. */
static bool extend(allot__prey_rows *rows, allot__prey_list *list)
{
    while (list->heap_count > 0) {
        int32_t queue = list->heap[0];
        int32_t row = rows->sorted[list->at[queue]];
        bool candidate = !rows->spared[rows->jobs[row]];
        list->at[queue]++;
        if (!turn(rows, list, queue)) {
            list->heap[0] = list->heap[--list->heap_count];
        }
        sink(rows, list, 0);
        if (candidate) {
            list->rows[list->count++] = row;
            list->alive[list->count] = list->count;
            return true;
        }
    }
    return false;
}

int32_t allot__prey_list_seek(allot__prey_rows *rows, allot__prey_list *list, int32_t from)
{
    int32_t place = from;
    for (;;) {
        while (list->alive[place] != place) {
            list->alive[place] = list->alive[list->alive[place]];
            place = list->alive[place];
        }
        if (place == list->count && !extend(rows, list)) {
            return -1;
        }
        if (!rows->spared[allot__prey_list_job(rows, list, place)]) {
            return place;
        }
        allot__prey_list_drop(list, place);
    }
}
