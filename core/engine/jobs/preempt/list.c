/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* list.c: queues' rows, sorted on first use and merged by a heap. */
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
        out->queues[out->count++] = jobs->queue_of[i];
    }
    list_rows(out, queues);
    return allot__job_rows_make(work, view, out->jobs, out->count, &out->of);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Adjacent keys that do not depend on two queues are joined where their ranges fit: each takes as
 * many bits as it needs, so that one comparison compares them all. */
enum { BITS_MOST = 63 /* joined keys are never below 0 */ };

typedef struct range {
    int64_t least;
    int32_t bits;
} range;

static range range_of(const int64_t *values, int32_t count)
{
    int64_t least = count > 0 ? values[0] : 0;
    int64_t most = least;
    for (int32_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    uint64_t width = (uint64_t)most - (uint64_t)least;
    return (range){least, width == 0 ? 0 : 64 - __builtin_clzll(width)};
}

/* Joins the second of two keys to the first; false: together they are too wide. */
static bool join(int64_t *first, const int64_t *second, int32_t count)
{
    range a = range_of(first, count);
    range b = range_of(second, count);
    if (a.bits + b.bits > BITS_MOST)
        return false;
    for (int32_t i = 0; i < count; i++) {
        uint64_t high = (uint64_t)first[i] - (uint64_t)a.least;
        first[i] = (int64_t)(high << b.bits | ((uint64_t)second[i] - (uint64_t)b.least));
    }
    return true;
}

static void join_keys(allot__candidate_rows *rows)
{
    int32_t last = -1;
    for (int32_t i = 0; i < rows->key_count; i++) {
        int64_t *values = rows->values[i];
        bool both = last >= 0 && values && rows->values[last];
        if (both && join(rows->values[last], values, rows->count))
            continue;
        last++;
        rows->keys[last] = rows->keys[i];
        rows->values[last] = values;
    }
    rows->key_count = last + 1;
}

int allot__candidate_rows_read(allot__candidate_rows *rows)
{
    const allot__order *victims = &rows->work->rules[0].policy->victims;
    const allot_key *own[ALLOT_KEYS_MAX];
    int64_t *values[ALLOT_KEYS_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < victims->count; i++) {
        const allot_key *key = &victims->keys[i];
        if (key->source.kind == ALLOT_FROM_NUMBER)
            continue; /* a constant orders nothing */
        rows->keys[rows->key_count] = *key;
        if (!allot__job_pair_column(key->source)) {
            own[count] = key;
            values[count] =
                allot__arena_take(rows->work->arena, (size_t)rows->count + 1, sizeof **values);
            rows->values[rows->key_count] = values[count];
            if (!values[count++])
                return ALLOT_ENOMEM;
        }
        rows->key_count++;
    }
    int status = allot__rowset_keys(&rows->of.rows, own, count, values);
    if (status == ALLOT_OK)
        join_keys(rows);
    return status;
}

static int64_t pair_value(const allot__candidate_rows *rows, const allot__candidate_list *list,
                          int32_t key, int32_t queue)
{
    const allot_key *of = &rows->keys[key];
    bool preference = of->source.value == ALLOT_TASK_PREFERENCE;
    int64_t value = (preference ? list->preference : list->queue_order)[queue];
    return of->descending ? ~value : value;
}

static const allot__job *job_at(const allot__candidate_rows *rows, int32_t row)
{
    return allot__job_at(rows->work->state->jobs, rows->jobs[row]);
}

/* A key's value; 0 behind the last key, and for keys of two queues if `list` is NULL. */
static int64_t value_of(const allot__candidate_rows *rows, const allot__candidate_list *list,
                        int32_t key, int32_t row)
{
    if (key >= rows->key_count)
        return 0;
    if (rows->values[key])
        return rows->values[key][row];
    return !list ? 0 : pair_value(rows, list, key, rows->queues[row]);
}

bool allot__candidate_before(const allot__candidate_rows *rows, const allot__candidate_list *list,
                             int32_t a, int32_t b)
{
    for (int32_t key = 0; key < rows->key_count; key++) {
        int64_t x = value_of(rows, list, key, a);
        int64_t y = value_of(rows, list, key, b);
        if (x != y)
            return x < y;
    }
    return strcmp(job_at(rows, a)->thing.id, job_at(rows, b)->thing.id) > 0;
}

static void merge(const allot__candidate_rows *rows, const allot__candidate_list *list,
                  const int32_t *from, int32_t low, int32_t middle, int32_t high, int32_t *to)
{
    int32_t a = low;
    int32_t b = middle;
    for (int32_t i = low; i < high; i++) {
        bool left =
            a < middle && (b >= high || !allot__candidate_before(rows, list, from[b], from[a]));
        to[i] = left ? from[a++] : from[b++];
    }
}

void allot__candidate_sort(const allot__candidate_rows *rows, const allot__candidate_list *list,
                           int32_t *first, int32_t *other, int32_t count)
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

/* ---- By host --------------------------------------------------------------------------------- */

/* Rows are scattered jobs: so far ahead they are called for. */
enum { AHEAD = 8 };

/* Counts rows by host, or lists them in `list`; a job with two places on a host is there twice. */
static void by_host(allot__candidate_rows *rows, const allot__host_view *view, int32_t *first,
                    int32_t *list)
{
    const allot__jobs *jobs = rows->work->state->jobs;
    for (int32_t row = rows->count - 1; row >= 0; row--) {
        if (row >= AHEAD)
            __builtin_prefetch(&allot__job_at(jobs, rows->jobs[row - AHEAD])->place_count);
        const allot__job *job = allot__job_at(jobs, rows->jobs[row]);
        for (int32_t i = 0; i < allot__job_all_places(job); i++) {
            int32_t host = allot__job_host_at(view, job, i);
            if (host >= 0 && !list)
                first[host + 1]++;
            else if (host >= 0)
                list[--first[host + 1]] = row;
        }
    }
}

static int list_hosts(allot__candidate_rows *rows)
{
    const allot__host_view *view = rows->of.view;
    allot__arena *arena = rows->work->arena;
    size_t hosts = (size_t)view->count;
    int32_t *first = allot__arena_take(arena, hosts + 2, sizeof *first);
    if (!first)
        return ALLOT_ENOMEM;
    memset(first, 0, (hosts + 2) * sizeof *first);
    by_host(rows, view, first, NULL);
    for (size_t i = 1; i <= hosts; i++)
        first[i] += first[i - 1];
    rows->on = allot__arena_take(arena, (size_t)first[hosts] + 1, sizeof *rows->on);
    if (!rows->on)
        return ALLOT_ENOMEM;
    first[hosts + 1] = first[hosts];
    by_host(rows, view, first, rows->on);
    /* Listing has moved each host's first to its end. */
    rows->on_first = first + 1;
    return ALLOT_OK;
}

const int32_t *allot__candidate_on(allot__candidate_rows *rows, int32_t host, int32_t *count)
{
    if (!rows->on && list_hosts(rows) != ALLOT_OK)
        return NULL;
    *count = rows->on_first[host + 1] - rows->on_first[host];
    return rows->on + rows->on_first[host];
}

/* The first host of a set from `from` on, open or not; -1: none. */
static int32_t next_of(const allot__host_view *view, int32_t set, int32_t from)
{
    for (size_t word = (size_t)from / 64; word < view->words; word++) {
        uint64_t left = view->sets[set][word];
        left &= word == (size_t)from / 64 ? ~(uint64_t)0 << from % 64 : ~(uint64_t)0;
        if (left != 0)
            return (int32_t)(word * 64) + __builtin_ctzll(left);
    }
    return -1;
}

int32_t allot__candidate_on_set(allot__candidate_rows *rows, int32_t set)
{
    const allot__host_view *view = rows->of.view;
    if (!rows->on && list_hosts(rows) != ALLOT_OK)
        return -1;
    if (!rows->on_set) {
        size_t sets = (size_t)view->set_count;
        rows->on_set = allot__arena_take(rows->work->arena, sets + 1, sizeof *rows->on_set);
        for (size_t i = 0; rows->on_set && i < sets; i++)
            rows->on_set[i] = -1;
    }
    if (rows->on_set && rows->on_set[set] < 0) {
        int32_t count = 0;
        for (int32_t host = next_of(view, set, 0); host >= 0; host = next_of(view, set, host + 1))
            count += rows->on_first[host + 1] - rows->on_first[host];
        rows->on_set[set] = count;
    }
    return !rows->on_set ? -1 : rows->on_set[set];
}

static void add_row(allot__candidate_list *list, int32_t row)
{
    allot__bits_add(&list->left, list->count);
    if (list->sifted) {
        list->place_of[row] = list->count;
        allot__candidate_list_add(list, list->count);
    }
    list->rows[list->count++] = row;
}

/* Fills a list with the candidates on hosts of its queue's set; ENOMEM. */
static int list_near(allot__candidate_rows *rows, allot__candidate_list *list)
{
    const allot__host_view *view = rows->of.view;
    int32_t set = allot__queues_of(rows->work->plan)->set_of[list->high];
    int32_t on_set = allot__candidate_on_set(rows, set);
    int32_t *both =
        on_set < 0 ? NULL
                   : allot__arena_take(rows->work->arena, 2 * (size_t)on_set + 1, sizeof *both);
    if (!both)
        return ALLOT_ENOMEM;
    int32_t count = 0;
    for (int32_t host = next_of(view, set, 0); host >= 0; host = next_of(view, set, host + 1)) {
        for (int32_t i = rows->on_first[host]; i < rows->on_first[host + 1]; i++) {
            int32_t row = rows->on[i];
            both[count] = row;
            count += !rows->ineligible[rows->jobs[row]] &&
                     allot__may_preempt(rows->work->plan->relation, list->high, rows->queues[row]);
        }
    }
    allot__candidate_sort(rows, list, both, both + on_set, count);
    for (int32_t i = 0; i < count; i++)
        if (i == 0 || both[i] != both[i - 1])
            add_row(list, both[i]);
    return ALLOT_OK;
}

/* ---- Merging --------------------------------------------------------------------------------- */

static bool tied(const allot__candidate_rows *rows, int32_t a, int32_t b)
{
    for (int32_t key = 0; key < rows->key_count; key++)
        if (rows->values[key] && rows->values[key][a] != rows->values[key][b])
            return false;
    return true;
}

/* Sorts rows of one queue, by the last key first; then ties by id. */
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

/* Sorts a queue's candidates; -1 replaces its other rows, behind them. */
static void sort_queue(allot__candidate_rows *rows, int32_t queue)
{
    int32_t first = rows->first[queue];
    int32_t end = rows->first[queue + 1];
    int32_t count = 0;
    for (int32_t at = first; at < end; at++) {
        int32_t row = rows->sorted[at];
        if (rows->ineligible[rows->jobs[row]] <= ALLOT__INELIGIBLE_TAKEN) /* not for good */
            rows->sorted[first + count++] = row;
    }
    for (int32_t i = first + count; i < end; i++)
        rows->sorted[i] = -1;
    sort_rows(rows, rows->sorted + first, count);
    rows->is_sorted[queue] = true;
}

/* The first of a queue's places from `at` on that has a candidate, or its end. */
static int32_t skip_ineligible(const allot__candidate_rows *rows, int32_t queue, int32_t at)
{
    int32_t end = rows->first[queue + 1];
    while (at < end && rows->sorted[at] >= 0 && rows->ineligible[rows->jobs[rows->sorted[at]]])
        at++;
    return at < end && rows->sorted[at] >= 0 ? at : end;
}

/* Moves a queue's top to its next candidate from there on; false: there is none. */
static bool turn(const allot__candidate_rows *rows, const allot__candidate_list *list,
                 int32_t queue, int32_t at, allot__candidate_top *top)
{
    int32_t next = skip_ineligible(rows, queue, at);
    if (next == rows->first[queue + 1])
        return false;
    int32_t row = rows->sorted[next];
    *top =
        (allot__candidate_top){.keys = {value_of(rows, list, 0, row), value_of(rows, list, 1, row)},
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
    const allot__ranges *low = &rows->work->plan->relation->low;
    const int32_t *range, *end;
    allot__ranges_at(low, high, &range, &end);
    for (; range < end; range += 2)
        for (int32_t place = range[0]; place < range[1]; place++)
            add_queue(rows, list, low->order[place]);
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
    int32_t *places = allot__arena_take(arena, count, sizeof *places);
    if (!heap || !room || !pairs || !places || !allot__bits_take(&list->left, arena, rows->count))
        return false;
    list->heap = heap;
    list->room = room;
    list->preference = pairs;
    list->queue_order = pairs + queues;
    list->rows = places;
    return true;
}

/* The list of a queue, or the least recently used one, which begins anew for it; NULL: out of
 * memory. */
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
    found->vain = 0;
    found->sifted = false;
    allot__bits_clear(&found->left);
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

allot__candidate_list *allot__candidate_list_of(allot__candidate_rows *rows, int32_t high,
                                                bool near)
{
    bool begun;
    allot__candidate_list *list = find_list(rows, high, near, &begun);
    if (!list || begun)
        return list;
    if (!near) {
        merge_list(rows, list, high);
    } else if (list_near(rows, list) != ALLOT_OK) {
        list->high = -1;
        return NULL;
    }
    return list;
}

/* Merges one more row; false: there is none. */
static bool extend(allot__candidate_rows *rows, allot__candidate_list *list)
{
    while (list->heap_count > 0) {
        allot__candidate_top top = list->heap[0];
        int32_t row = rows->sorted[top.at];
        if (!turn(rows, list, top.queue, top.at + 1, &list->heap[0]))
            list->heap[0] = list->heap[--list->heap_count];
        sink(rows, list, 0);
        if (!rows->ineligible[rows->jobs[row]]) {
            add_row(list, row);
            return true;
        }
    }
    return false;
}

int32_t allot__candidate_list_seek(allot__candidate_rows *rows, allot__candidate_list *list,
                                   allot__bits *among, int32_t from)
{
    for (;;) {
        int32_t place = allot__bits_next(among, from);
        if (place >= list->count && !extend(rows, list))
            return -1;
        if (place >= list->count)
            continue;
        if (!rows->ineligible[allot__candidate_list_job(rows, list, place)])
            return place;
        allot__bits_remove(among, place);
    }
}
