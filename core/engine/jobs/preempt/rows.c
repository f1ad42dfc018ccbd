/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * rows.c: running jobs as rows with keys, which a state keeps from one cycle to the next.
 *
 * Then rows are read anew only of jobs that changed, and of jobs on hosts whose load changed, if
 * keys go by hosts: what else keys read, a job's row has until the job is replaced. Rows of jobs
 * that no longer run are left out, so others move; a queue's order is merged with its new rows.
 * All rows are made anew where a key is a function, goes by a time that has passed, or by the users
 * or groups of all jobs.
 */
#include <string.h>

#include "base/least.h"
#include "engine/jobs/preempt/list.h"
#include "engine/rows/order.h"

enum { SEVERAL = -2 /* the site of a job with several places */ };

typedef struct allot__candidate_kept {
    allot__arena arena;
    int64_t seals, now; /* of the state, when the rows were of its jobs */
    int64_t *loads;     /* by site of the state: its host's load */
    allot__candidate_rows rows;
} kept;

static const allot__job *job_at(const allot__candidate_rows *rows, int32_t row)
{
    return allot__job_at(rows->work->state->jobs, rows->jobs[row]);
}

static const allot__order *victims_of(const allot__work *work)
{
    return &work->rules[0].policy->victims;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Adjacent keys that do not depend on two queues are joined in a word where their ranges fit: each
 * takes as many bits as it needs, so that one comparison compares them all, and a part of the bits
 * left over, so that most rows that come later fit as well. */
enum { BITS_MOST = 63 /* joined keys are never below 0 */ };

static void find_range(allot__candidate_key *key, const int64_t *values, int32_t count)
{
    int64_t least = count > 0 ? values[0] : 0;
    int64_t most = least;
    for (int32_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    uint64_t width = (uint64_t)most - (uint64_t)least;
    key->least = least;
    key->bits = width == 0 ? 0 : 64 - __builtin_clzll(width);
}

/* Gives the keys of a word their places in it. */
static void lay_out(allot__candidate_key *keys, int32_t count, int32_t bits)
{
    int32_t more = count > 1 ? (BITS_MOST - bits) / count : 0, shift = 0;
    if (count == 1) /* as it is */
        keys[0].least = 0;
    for (int32_t i = count - 1; i >= 0 && count > 1; i--) {
        uint64_t room = ((uint64_t)1 << (keys[i].bits + more)) - ((uint64_t)1 << keys[i].bits);
        int64_t below = (int64_t)(room / 2);
        keys[i].least = keys[i].least < INT64_MIN + below ? INT64_MIN : keys[i].least - below;
        keys[i].bits += more;
        keys[i].shift = shift;
        shift += keys[i].bits;
    }
    if (count == 1)
        keys[0].bits = 64;
}

/* Finds which keys share a word. */
static void lay_out_all(allot__candidate_rows *rows)
{
    rows->word_count = 0;
    for (int32_t from = 0, to; from < rows->key_count; from = to) {
        int32_t bits = rows->keys[from].bits;
        bool pair = rows->keys[from].pair;
        for (to = from + 1; to < rows->key_count && !pair && !rows->keys[to].pair &&
                            bits + rows->keys[to].bits <= BITS_MOST;
             to++)
            bits += rows->keys[to].bits;
        if (!pair)
            lay_out(&rows->keys[from], to - from, bits);
        for (int32_t i = from; i < to; i++)
            rows->keys[i].word = rows->word_count;
        rows->word_keys[rows->word_count++] = &victims_of(rows->work)->keys[rows->keys[from].of];
    }
}

/* Writes a row's words; false: some key is beyond its bits. */
static bool write_words(allot__candidate_rows *rows, int32_t row)
{
    const allot__order *victims = victims_of(rows->work);
    int32_t last = -1;
    for (int32_t i = 0; i < rows->key_count; i++) {
        const allot__candidate_key *key = &rows->keys[i];
        const allot_key *of = &victims->keys[key->of];
        if (key->pair)
            continue;
        int64_t room, value = *allot__rowset_values(&rows->of.rows, of->source, row, 1, &room);
        uint64_t part = (uint64_t)(of->descending ? ~value : value) - (uint64_t)key->least;
        if (key->bits < 64 && part >> key->bits != 0)
            return false;
        int64_t *word = &rows->words[key->word][row];
        *word = (int64_t)((key->word == last ? (uint64_t)*word : 0) | part << key->shift);
        last = key->word;
    }
    return true;
}

/* Joins what was read of all rows. ENOMEM. */
static int write_all(allot__candidate_rows *rows, int64_t *const *values)
{
    for (int32_t i = 0, last = -1; i < rows->key_count; i++) {
        const allot__candidate_key *key = &rows->keys[i];
        if (key->pair) {
            rows->words[key->word] = NULL;
            continue;
        }
        bool first = key->word != last;
        if (first) /* in place, unless the words are kept */
            rows->words[key->word] =
                rows->arena == rows->work->arena
                    ? values[i]
                    : allot__arena_take(rows->arena, (size_t)rows->room, sizeof **values);
        int64_t *word = rows->words[key->word];
        if (!word)
            return ALLOT_ENOMEM;
        for (int32_t row = 0; row < rows->count; row++) {
            uint64_t part = ((uint64_t)values[i][row] - (uint64_t)key->least) << key->shift;
            word[row] = (int64_t)((first ? 0 : (uint64_t)word[row]) | part);
        }
        last = key->word;
    }
    return ALLOT_OK;
}

/* Reads the keys of all rows. ENOMEM, and failures of the policy's functions. */
static int read_all(allot__candidate_rows *rows)
{
    const allot__order *victims = victims_of(rows->work);
    const allot_key *own[ALLOT_KEYS_MAX];
    int64_t *values[ALLOT_KEYS_MAX], *read[ALLOT_KEYS_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < victims->count; i++) {
        allot_source source = victims->keys[i].source;
        if (source.kind == ALLOT_FROM_NUMBER)
            continue; /* a constant orders nothing */
        allot__candidate_key *key = &rows->keys[rows->key_count++];
        *key = (allot__candidate_key){.of = i, .pair = allot__job_pair_column(source)};
        if (key->pair)
            continue;
        size_t room = (size_t)rows->count + 1;
        read[count] = allot__arena_take(rows->work->arena, room, sizeof **read);
        if (!read[count])
            return ALLOT_ENOMEM;
        values[rows->key_count - 1] = read[count];
        own[count++] = &victims->keys[i];
    }
    int status = allot__rowset_keys(&rows->of.rows, own, count, read);
    for (int32_t i = 0; i < rows->key_count && status == ALLOT_OK; i++)
        if (!rows->keys[i].pair)
            find_range(&rows->keys[i], values[i], rows->count);
    if (status != ALLOT_OK)
        return status;
    lay_out_all(rows);
    return write_all(rows, values);
}

int allot__candidate_rows_read(allot__candidate_rows *rows)
{
    int status = rows->read ? ALLOT_OK : read_all(rows);
    rows->read = status == ALLOT_OK;
    if (rows->read && rows->kept) {
        rows->kept->rows = *rows;
        rows->kept->seals = rows->work->state->jobs->seals;
        rows->kept->now = rows->work->state->now;
    }
    return status;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

int64_t allot__candidate_gives(const allot__host_view *view, const allot__job *job)
{
    bool exclusive = (job->flags & ALLOT_JOB_EXCLUSIVE) != 0;
    int64_t sum = 0;
    for (int32_t i = 0; i < allot__job_all_places(job); i++) {
        int32_t host = exclusive && i < job->place_count ? allot__job_host_at(view, job, i) : -1;
        int32_t slots = allot__job_places(job)[i].slots;
        sum += allot__most(slots, host >= 0 ? view->slots[host] : 0);
    }
    return sum;
}

uint8_t allot__job_ineligible(const allot__work *work, const allot__job *job)
{
    int32_t types = work->rules[0].policy->job_types;
    const allot_queue *queue = allot__queue_at(allot__queues_of(work->plan), job->queue);
    if (job->state != ALLOT_RUNNING)
        return ALLOT__INELIGIBLE_NEW;
    if (job->flags & ALLOT_JOB_FORCED)
        return ALLOT__INELIGIBLE_FORCED;
    if ((job->flags & ALLOT_JOB_EXCLUSIVE) && !(types & ALLOT_PREEMPT_EXCLUSIVE))
        return ALLOT__INELIGIBLE_EXCLUSIVE;
    bool backfill = (types & ALLOT_PREEMPT_BACKFILL) && queue->preemptable;
    return (job->flags & ALLOT_JOB_BACKFILL) && !backfill ? ALLOT__INELIGIBLE_BACKFILL
                                                          : ALLOT__ELIGIBLE;
}

/* What of a row is not a key. */
static void describe(allot__candidate_rows *rows, int32_t row)
{
    const allot__job *job = job_at(rows, row);
    int32_t site = job->place_count > 0 ? allot__job_places(job)[0].site : 0;
    rows->sites[row] = job->place_count > 1 ? SEVERAL : rows->of.view->host_of ? site : 0;
    rows->gives[row] = allot__candidate_gives(rows->of.view, job);
    rows->types[row] = allot__job_ineligible(rows->work, job);
}

static int take_rows(allot__candidate_rows *rows, size_t queues)
{
    size_t room = (size_t)rows->room + 1;
    return ALLOT__TAKE_ALL(rows->arena,
                           ALLOT__EACH(room, rows->jobs, rows->sites, rows->sorted, rows->other,
                                       rows->gives, rows->types),
                           ALLOT__EACH(queues + 1, rows->first, rows->is_sorted));
}

/* Lists each queue's rows. */
static void list_rows(allot__candidate_rows *rows, int32_t queues)
{
    memset(rows->first, 0, ((size_t)queues + 1) * sizeof *rows->first);
    memset(rows->is_sorted, 0, (size_t)queues * sizeof *rows->is_sorted);
    for (int32_t row = 0; row < rows->count; row++)
        rows->first[allot__candidate_queue(rows, row) + 1]++;
    for (int32_t queue = 0; queue < queues; queue++) {
        rows->first[queue + 1] += rows->first[queue];
        rows->head[queue] = rows->first[queue];
    }
    for (int32_t row = 0; row < rows->count; row++)
        rows->sorted[rows->head[allot__candidate_queue(rows, row)]++] = row;
}

/* Makes a row of each running job. ENOMEM. */
static int make_all(allot__candidate_rows *rows, const uint8_t *states)
{
    const allot__jobs *jobs = rows->work->state->jobs;
    int32_t queues = allot__queue_count(rows->work->plan), running = 0;
    for (int32_t q = 0; q < queues; q++)
        running += jobs->queues[q].count[ALLOT_RUNNING];
    rows->count = 0;
    rows->read = false;
    rows->room = running + (rows->kept ? running / 8 + 64 : 0);
    rows->key_count = 0;
    if (take_rows(rows, (size_t)queues))
        return ALLOT_ENOMEM;
    rows->of.jobs = rows->jobs;
    for (int32_t i = 0; (size_t)i < jobs->list.count; i++) {
        /* A job that is still pending was pending when the cycle began. */
        bool waits = states && states[i] == ALLOT_PENDING;
        if (waits || allot__job_at(jobs, i)->state != ALLOT_RUNNING)
            continue;
        rows->jobs[rows->count] = i;
        describe(rows, rows->count++);
    }
    rows->of.rows.count = rows->count;
    list_rows(rows, queues);
    return ALLOT_OK;
}

/* ---- From cycle to cycle --------------------------------------------------------------------- */

static void end_kept(void *what)
{
    kept *it = what;
    allot_engine *engine = it->arena.engine;
    allot__arena_free(&it->arena);
    allot__free(engine, it, 1, sizeof *it);
}

/* Does a column of jobs change as time passes? */
static bool passes(int32_t column)
{
    return column == ALLOT_TASK_RAN || column == ALLOT_TASK_LEAST_RAN ||
           column == ALLOT_TASK_WAITED || column == ALLOT_TASK_USAGE ||
           (column >= ALLOT_TASK_UNINTERRUPTED && column <= ALLOT_TASK_FINISH_TIME_LEFT &&
            column != ALLOT_TASK_PREEMPTIONS_LEFT);
}

/* Does it change as other jobs come and go? */
static bool of_others(int32_t column)
{
    return column == ALLOT_TASK_USER || column == ALLOT_TASK_GROUP;
}

static bool of_host(int32_t column)
{
    return column == ALLOT_TASK_HOST || column == ALLOT_TASK_LOAD;
}

/* Is a key of victims such a column? */
static bool any_key(const allot__work *work, bool (*is)(int32_t column))
{
    const allot__order *victims = victims_of(work);
    bool any = false;
    for (int32_t i = 0; i < victims->count; i++) {
        allot_source source = victims->keys[i].source;
        any = any || (source.kind == ALLOT_FROM_COLUMN && is(source.value));
    }
    return any;
}

/* What the state may keep its rows in; NULL: it must not. */
static kept *find_kept(const allot__work *work)
{
    const allot_state *state = work->state;
    const allot__order *victims = victims_of(work);
    bool may = state->reopened && !state->since->full &&
               (allot__jobs_flagged(state->jobs, ALLOT_JOB_EXCLUSIVE) == 0 ||
                !(work->rules[0].policy->job_types & ALLOT_PREEMPT_EXCLUSIVE));
    for (int32_t i = 0; i < victims->count; i++)
        may = may && victims->keys[i].source.kind != ALLOT_FROM_FUNCTION;
    if (may && !state->jobs->kept) {
        kept *made = allot__new(state->engine, 1, sizeof *made);
        if (made) {
            allot__arena_init(&made->arena, state->engine);
            made->seals = -1;
            state->jobs->kept = made;
            state->jobs->end_kept = end_kept;
        }
    }
    return may ? state->jobs->kept : NULL;
}

/* Are the rows those of the jobs when the state was last decided about, and can they go on? */
static bool goes_on(const kept *it, const allot__work *work)
{
    const allot__jobs *jobs = work->state->jobs;
    bool next = it->seals + 1 == jobs->seals && jobs->partly;
    return (it->seals == jobs->seals || next) && !any_key(work, of_others) &&
           (it->now == work->state->now || !any_key(work, passes));
}

/* What changed since: by former number the present one, or -1 (NULL: all have theirs); a bit by
 * present number. */
typedef struct changes {
    int32_t *present;
    uint64_t *changed, *moved; /* `moved`: by site; NULL: none did, or keys do not go by hosts */
    int32_t *now;              /* by former row: its present one; -1: gone, or to be read anew */
    int32_t *anew, anew_count; /* rows to be read anew */
    int32_t former;            /* rows before */
} changes;

static bool has(const uint64_t *bits, int32_t number)
{
    return bits[number / 64] >> number % 64 & 1;
}

static void add(uint64_t *bits, int32_t number)
{
    bits[number / 64] |= (uint64_t)1 << number % 64;
}

/* Notes each site's load, and which changed. */
static void note_loads(const allot__candidate_rows *rows, uint64_t *moved, bool *any)
{
    const allot__host_view *view = rows->of.view;
    int32_t count = view->host_of ? rows->work->state->tasks.site_count : 1;
    *any = false;
    for (int32_t site = 0; site < count; site++) {
        int32_t host = allot__host_view_host(view, site);
        int64_t load = host < 0 ? 0 : view->load[host];
        if (load != rows->kept->loads[site]) {
            add(moved, site);
            *any = true;
        }
        rows->kept->loads[site] = load;
    }
}

/* ENOMEM. */
static int find_changes(const allot__candidate_rows *rows, changes *out)
{
    const allot__jobs *jobs = rows->work->state->jobs;
    allot__arena *arena = rows->work->arena;
    bool same = rows->kept->seals == jobs->seals, any;
    size_t ended = same ? 0 : jobs->ended.count, count = jobs->list.count + ended;
    size_t sites = (size_t)rows->work->state->tasks.site_count + 1;
    out->former = rows->count;
    size_t room = (size_t)rows->room + 1;
    if (ended > 0)
        out->present = allot__arena_take(arena, count, sizeof *out->present);
    if (ALLOT__ZEROED_ALL(arena, ALLOT__WANTED(out->changed, count / 64 + 1),
                          ALLOT__WANTED(out->moved, sites / 64 + 1)) ||
        ALLOT__TAKE_ALL(arena, ALLOT__EACH(room, out->now, out->anew)) ||
        (ended > 0 && !out->present))
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < (same ? 0 : jobs->changed.count); i++)
        add(out->changed, ((const int32_t *)jobs->changed.items)[i]);
    const int32_t *gone = jobs->ended.items;
    for (size_t i = 0, below = 0; ended > 0 && i < count; i++) {
        bool ends = below < ended && gone[below] == (int32_t)i;
        out->present[i] = ends ? -1 : (int32_t)(i - below);
        below += ends;
    }
    note_loads(rows, out->moved, &any);
    if (!any || !any_key(rows->work, of_host))
        out->moved = NULL;
    return ALLOT_OK;
}

/* Did a host of the row's job change its load? */
static bool moved(const allot__candidate_rows *rows, const changes *it, int32_t row)
{
    if (!it->moved || rows->sites[row] != SEVERAL)
        return it->moved && rows->sites[row] >= 0 && has(it->moved, rows->sites[row]);
    const allot__job *job = job_at(rows, row);
    bool any = false;
    for (int32_t i = 0; i < job->place_count; i++)
        any = any || (allot__job_places(job)[i].site >= 0 &&
                      has(it->moved, allot__job_places(job)[i].site));
    return any;
}

/* Leaves out rows of jobs that no longer run. */
static void close_gaps(allot__candidate_rows *rows, changes *it)
{
    const allot__jobs *jobs = rows->work->state->jobs;
    rows->count = 0;
    for (int32_t i = 0; i < it->former; i++) {
        int32_t job = it->present ? it->present[rows->jobs[i]] : rows->jobs[i];
        int32_t row = rows->count;
        bool changed = job >= 0 && has(it->changed, job);
        it->now[i] = -1;
        if (job < 0 || (changed && allot__job_at(jobs, job)->state != ALLOT_RUNNING))
            continue;
        rows->jobs[row] = job;
        rows->sites[row] = rows->sites[i];
        rows->gives[row] = rows->gives[i];
        rows->types[row] = rows->types[i];
        for (int32_t w = 0; w < rows->word_count && row < i; w++)
            if (rows->words[w])
                rows->words[w][row] = rows->words[w][i];
        if (changed)
            it->changed[job / 64] &= ~((uint64_t)1 << job % 64);
        if (changed || moved(rows, it, row))
            it->anew[it->anew_count++] = row;
        else
            it->now[i] = row;
        rows->count++;
    }
}

/* Adds rows of jobs that run by now, and reads what is to be read anew. False: all must be. */
static bool read_anew(allot__candidate_rows *rows, changes *it)
{
    const allot__jobs *jobs = rows->work->state->jobs;
    const int32_t *numbers = jobs->changed.items;
    for (size_t i = 0; i < jobs->changed.count; i++) {
        if (!has(it->changed, numbers[i]) ||
            allot__job_at(jobs, numbers[i])->state != ALLOT_RUNNING)
            continue;
        if (rows->count == rows->room)
            return false;
        rows->jobs[rows->count] = numbers[i];
        it->anew[it->anew_count++] = rows->count++;
    }
    bool fits = true;
    rows->of.rows.count = rows->count;
    for (int32_t i = 0; i < it->anew_count && fits; i++) {
        describe(rows, it->anew[i]);
        fits = write_words(rows, it->anew[i]);
    }
    return fits;
}

/* Merges the new rows of a queue, behind `middle`, with the others; `spare`: scratch as large. */
static void put_in_order(const allot__candidate_rows *rows, int32_t *list, int32_t *spare,
                         int32_t first, int32_t middle, int32_t end)
{
    allot__candidate_sort(rows, NULL, list + middle, spare, end - middle);
    allot__candidate_merge(rows, NULL, list, first, middle, end, spare);
    memcpy(list + first, spare + first, (size_t)(end - first) * sizeof *list);
}

/* ENOMEM. */
static int list_anew(allot__candidate_rows *rows, const changes *it)
{
    int32_t queues = allot__queue_count(rows->work->plan), end = 0;
    int32_t *list = rows->other, *kept_end, *added;
    if (ALLOT__ZEROED_ALL(rows->work->arena, ALLOT__EACH((size_t)queues + 1, kept_end, added)))
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < it->anew_count; i++)
        added[allot__candidate_queue(rows, it->anew[i])]++;
    for (int32_t q = 0, from = rows->first[0]; q < queues; q++) {
        int32_t to = rows->first[q + 1];
        rows->first[q] = end;
        for (; from < to; from++)
            if (it->now[rows->sorted[from]] >= 0)
                list[end++] = it->now[rows->sorted[from]];
        kept_end[q] = end;
        end += added[q];
    }
    rows->first[queues] = end;
    memset(added, 0, (size_t)queues * sizeof *added);
    for (int32_t i = 0; i < it->anew_count; i++) {
        int32_t q = allot__candidate_queue(rows, it->anew[i]);
        list[kept_end[q] + added[q]++] = it->anew[i];
    }
    for (int32_t q = 0; q < queues; q++)
        if (rows->is_sorted[q] && added[q] > 0)
            put_in_order(rows, list, rows->sorted, rows->first[q], kept_end[q], rows->first[q + 1]);
    rows->other = rows->sorted;
    rows->sorted = list;
    return ALLOT_OK;
}

/* Goes on with the rows of the cycle before; *done false: they must be made anew. ENOMEM. */
static int go_on(allot__candidate_rows *rows, bool *done)
{
    changes it = {.present = NULL};
    if (find_changes(rows, &it))
        return ALLOT_ENOMEM;
    close_gaps(rows, &it);
    *done = read_anew(rows, &it);
    bool same = it.anew_count == 0 && it.former == rows->count;
    return *done && !same ? list_anew(rows, &it) : ALLOT_OK;
}

/* Makes the rows that a state is to keep. ENOMEM. */
static int begin_kept(allot__candidate_rows *rows, const uint8_t *states)
{
    uint64_t *moved;
    size_t sites = (size_t)rows->work->state->tasks.site_count + 1;
    allot__arena_free(&rows->kept->arena);
    allot__arena_init(&rows->kept->arena, rows->work->state->engine);
    rows->arena = &rows->kept->arena;
    rows->kept->loads = allot__arena_zeroed(rows->arena, sites, sizeof *rows->kept->loads);
    moved = allot__arena_zeroed(rows->work->arena, sites / 64 + 1, sizeof *moved);
    if (!rows->kept->loads || !moved || make_all(rows, states))
        return ALLOT_ENOMEM;
    bool any;
    note_loads(rows, moved, &any);
    return ALLOT_OK;
}

/* Writes what of rows is of this cycle alone. */
static void begin_cycle(allot__candidate_rows *rows, int32_t queues)
{
    const int32_t *order = rows->work->plan->relation->low.order;
    for (int32_t i = 0; i < ALLOT__CANDIDATE_LISTS; i++)
        rows->lists[i].high = -1;
    memcpy(rows->head, rows->first, (size_t)queues * sizeof *rows->head);
    rows->filled[0] = 0;
    for (int32_t i = 0; i < queues; i++)
        rows->filled[i + 1] = rows->filled[i] + (rows->first[order[i]] < rows->first[order[i] + 1]);
    memset(rows->ineligible, ALLOT__INELIGIBLE_NEW, rows->work->state->jobs->list.count);
    for (int32_t row = 0; row < rows->count; row++)
        rows->ineligible[rows->jobs[row]] = rows->types[row];
}

int allot__candidate_rows_make(const allot__work *work, const allot__host_view *view,
                               const uint8_t *states, uint8_t *ineligible,
                               allot__candidate_rows *out)
{
    kept *from = find_kept(work);
    bool on = from && goes_on(from, work), done = false;
    int32_t queues = allot__queue_count(work->plan);
    *out = on ? from->rows : (allot__candidate_rows){.arena = work->arena};
    out->work = work;
    out->kept = from;
    out->ineligible = ineligible;
    out->head = allot__arena_take(work->arena, (size_t)queues + 1, sizeof *out->head);
    out->filled = allot__arena_take(work->arena, (size_t)queues + 1, sizeof *out->filled);
    if (!out->head || !out->filled ||
        allot__job_rows_make(work, view, out->jobs, out->count, &out->of))
        return ALLOT_ENOMEM;
    int status = on ? go_on(out, &done) : ALLOT_OK;
    if (from) /* until all is done */
        from->seals = -1;
    if (status == ALLOT_OK && !done)
        status = from ? begin_kept(out, states) : make_all(out, states);
    if (status == ALLOT_OK)
        begin_cycle(out, queues);
    return status;
}
