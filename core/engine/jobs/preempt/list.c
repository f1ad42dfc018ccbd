/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* list.c: queues' rows, sorted on first use and merged by a heap; and rows by host. */
#include "engine/jobs/preempt/list.h"

#include <string.h>

#include "engine/rows/order.h"

/* ---- Keys ------------------------------------------------------------------------------------ */

static int64_t pair_value(const allot__candidate_rows *rows, const allot__candidate_list *list,
                          int32_t key, int32_t queue)
{
    const allot_key *of = rows->word_keys[key];
    bool preference = of->source.value == ALLOT_TASK_PREFERENCE;
    int64_t value = (preference ? list->preference : list->queue_order)[queue];
    return of->descending ? ~value : value;
}

static const allot__job *job_at(const allot__candidate_rows *rows, int32_t row)
{
    return allot__job_at(rows->work->state->jobs, rows->jobs[row]);
}

/* A word's value; 0 behind the last, and for keys of two queues if `list` is NULL. */
static int64_t value_of(const allot__candidate_rows *rows, const allot__candidate_list *list,
                        int32_t word, int32_t row)
{
    if (word >= rows->word_count)
        return 0;
    if (rows->words[word])
        return rows->words[word][row];
    return !list ? 0 : pair_value(rows, list, word, allot__candidate_queue(rows, row));
}

bool allot__candidate_before(const allot__candidate_rows *rows, const allot__candidate_list *list,
                             int32_t a, int32_t b)
{
    for (int32_t word = 0; word < rows->word_count; word++) {
        int64_t x = value_of(rows, list, word, a);
        int64_t y = value_of(rows, list, word, b);
        if (x != y)
            return x < y;
    }
    return strcmp(job_at(rows, a)->thing.id, job_at(rows, b)->thing.id) > 0;
}

void allot__candidate_merge(const allot__candidate_rows *rows, const allot__candidate_list *list,
                            const int32_t *from, int32_t low, int32_t middle, int32_t high,
                            int32_t *to)
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
            allot__candidate_merge(rows, list, first, low, middle, high, other);
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
                     allot__may_preempt(rows->work->plan->relation, list->high,
                                        allot__candidate_queue(rows, row));
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
    for (int32_t word = 0; word < rows->word_count; word++)
        if (rows->words[word] && rows->words[word][a] != rows->words[word][b])
            return false;
    return true;
}

/* Sorts a queue's rows, by the last word first; then ties by id. */
static void sort_queue(allot__candidate_rows *rows, int32_t queue)
{
    int32_t *first = rows->sorted + rows->first[queue];
    int32_t count = rows->first[queue + 1] - rows->first[queue];
    for (int32_t word = rows->word_count - 1; word >= 0; word--)
        if (rows->words[word])
            allot__sort_rows(first, rows->other, rows->words[word], 0, count);
    for (int32_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && tied(rows, first[from], first[to]);)
            to++;
        allot__candidate_sort(rows, NULL, first + from, rows->other, to - from);
    }
    rows->is_sorted[queue] = true;
}

/* The first of a queue's places from `at` on that has a candidate, or its end. */
static int32_t skip_ineligible(const allot__candidate_rows *rows, int32_t queue, int32_t at)
{
    int32_t end = rows->first[queue + 1];
    while (at < end && rows->ineligible[rows->jobs[rows->sorted[at]]])
        at++;
    return at;
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

/* Has a queue the same list as another? If both may preempt the same queues that have rows, prefer
 * none of them, and have the same hosts. */
static bool alike(const allot__candidate_rows *rows, int32_t high, int32_t other)
{
    const allot__queues *queues = allot__queues_of(rows->work->plan);
    const allot__ranges *low = &rows->work->plan->relation->low;
    allot__differing it = {.from = 0};
    bool same = queues->set_of[high] == queues->set_of[other] &&
                allot__queue_at(queues, high)->low_count == 0 &&
                allot__queue_at(queues, other)->low_count == 0 &&
                allot__jobs_flagged(rows->work->state->jobs, ALLOT_JOB_BACKFILL) == 0;
    allot__ranges_at(low, high, &it.a, &it.a_end);
    allot__ranges_at(low, other, &it.b, &it.b_end);
    while (same && allot__differing_next(&it))
        same = rows->filled[it.from] == rows->filled[it.to];
    return same;
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
        if (list->high >= 0 && list->near == near &&
            (list->high == high || alike(rows, list->high, high))) {
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
