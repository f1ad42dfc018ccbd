/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * job_list.c: what a sealed state derives from its jobs: sums by queue and site, and jobs by queue.
 *
 * Sealing again costs what changed: a job that was replaced or ended is taken out of the sums while
 * its block is still there (allot__jobs_leave), and jobs that are new are entered (`enter`). Lists
 * by queue are copied without those and merged with these. From scratch all jobs are new.
 */
#include <stdlib.h>
#include <string.h>

#include "model/jobs/queue.h"
#include "model/state/job.h"
#include "model/state/state.h"

/* ---- Which jobs changed ---------------------------------------------------------------------- */

void allot__job_changed(allot_state *state, int32_t number, const allot__job *old,
                        const allot__job *made)
{
    allot__jobs *jobs = state->jobs;
    allot__user_change(state, old, made);
    if (state->jobs_stale)
        return;
    int32_t *added = NULL;
    if (jobs && jobs->arranged)
        added = allot__push(state->engine, made ? &jobs->changed : &jobs->ended, sizeof *added);
    if (added)
        *added = number;
    state->jobs_stale = !added;
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts numbers, each once. */
static void sort_numbers(allot__vector *list)
{
    int32_t *numbers = list->items;
    size_t kept = 0;
    if (list->count > 1)
        qsort(numbers, list->count, sizeof *numbers, by_number);
    for (size_t i = 0; i < list->count; i++)
        if (i == 0 || numbers[i] != numbers[kept - 1])
            numbers[kept++] = numbers[i];
    list->count = kept;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Counts a job (1), or no longer (-1). */
static void count(allot__jobs *jobs, const allot__job *job, int32_t sign)
{
    allot__queue_jobs *of = &jobs->queues[job->queue];
    of->slots[job->state] += (int64_t)sign * job->slots;
    of->count[job->state] += sign;
    jobs->undated += job->state != ALLOT_PENDING && job->since == INT64_MIN ? sign : 0;
    for (int flag = 0; job->flags >> flag; flag++)
        jobs->flagged[flag] += job->flags >> flag & 1 ? sign : 0;
    if (job->state != ALLOT_RUNNING)
        return;
    of->growing += job->grow > 0 ? sign : 0;
    of->latest = job->started > of->latest ? job->started : of->latest;
    for (int32_t k = 0; k < job->grown_count; k++)
        of->grown += (int64_t)sign * allot__job_grown(job)[k].slots;
}

/* Counts what a running job has on its sites. */
static void count_sites(allot_state *state, const allot__job *job, int32_t sign)
{
    const allot__job_place *places = allot__job_places(job);
    for (int32_t k = 0; job->state == ALLOT_RUNNING && k < allot__job_all_places(job); k++) {
        bool known = places[k].site >= 0;
        allot__site *site = known ? &state->tasks.sites[places[k].site] : &state->jobs->nowhere;
        bool own = k < job->place_count;
        site->taken += (int64_t)sign * places[k].slots;
        site->busy += own ? (int64_t)sign * places[k].slots : 0;
        site->running += own ? sign : 0;
        site->alone += own && (job->flags & ALLOT_JOB_EXCLUSIVE) ? sign : 0;
    }
}

static void leave(allot_state *state, const allot__thing *thing)
{
    const allot__job *job = (const allot__job *)(const void *)thing;
    if (!job->counted)
        return;
    count(state->jobs, job, -1);
    count_sites(state, job, -1);
}

void allot__jobs_leave(allot_state *state)
{
    allot__jobs *jobs = state->jobs;
    allot__thing *const *replaced = state->all_jobs.replaced.items;
    allot__thing *const *list = state->all_jobs.list.items;
    if (!jobs || allot__queue_count(state->plan) == 0)
        return;
    state->jobs_stale = state->jobs_stale || !jobs->arranged || !state->tasks.arranged ||
                        jobs->timed || state->since->full;
    if (state->jobs_stale)
        return;
    sort_numbers(&jobs->changed);
    sort_numbers(&jobs->ended);
    for (size_t i = 0; i < state->all_jobs.replaced.count; i++)
        leave(state, replaced[i]);
    for (size_t i = 0; i < jobs->ended.count; i++)
        leave(state, list[((const int32_t *)jobs->ended.items)[i]]);
}

/* The sites of a job's places; false: a label's site is not made yet. */
static bool find_sites(allot_state *state, allot__job *job)
{
    int32_t only = state->tasks.site_count == 1 ? 0 : -1;
    allot__job_place *places = allot__job_places(job);
    const int32_t *labels = allot__job_labels(job);
    for (int32_t k = 0; k < allot__job_all_places(job); k++) {
        allot__label *label = allot__label_at(&state->tasks, labels[k]);
        if (label && label->site < 0 && !allot__label_is_host(state, label))
            return false;
        places[k].site = label ? label->site : only;
    }
    return true;
}

/* Derives what follows from one job; false: it needs all to be arranged anew. */
static bool enter(allot_state *state, int32_t number)
{
    allot__jobs *jobs = state->jobs;
    const allot__queues *queues = allot__queues_of(state->plan);
    allot__job *job = (allot__job *)(uintptr_t)allot__job_at(jobs, number);
    jobs->timed = jobs->timed || job->more->begin != INT64_MIN;
    bool early = allot__job_is_early(job, state->now);
    jobs->briefs[number] = (allot__job_brief){.queue = job->queue,
                                              .slots = job->slots,
                                              .state = job->state,
                                              .exclusive = (job->flags & ALLOT_JOB_EXCLUSIVE) != 0,
                                              .early = early};
    job->run_limit = job->stated_limit >= 0
                         ? job->stated_limit
                         : allot__run_limit_of(queues, job->application, job->queue);
    job->counted = find_sites(state, job);
    if (!job->counted)
        return false;
    if (!early)
        count(jobs, job, 1);
    count_sites(state, job, 1);
    return true;
}

/* ---- By queue -------------------------------------------------------------------------------- */

enum { KEYS = 3 /* columns that need only the job */ };

/* Where a job stands among those of its queue: its part of the list, there by the keys. */
typedef struct standing {
    int64_t keys[KEYS];
    int32_t queue, number;
    enum { RUNS, STOPPED, WAITS, PARTS } part;
} standing;

bool allot__job_key(const allot__job *job, const allot_key *key, int64_t *value)
{
    int64_t submitted = job->submitted == INT64_MIN ? 0 : job->submitted;
    *value = key->source.value == ALLOT_TASK_PRIORITY    ? job->priority
             : key->source.value == ALLOT_TASK_SUBMITTED ? submitted
                                                         : job->slots;
    *value = key->descending ? ~*value : *value;
    return key->source.kind == ALLOT_FROM_COLUMN &&
           (key->source.value == ALLOT_TASK_PRIORITY || key->source.value == ALLOT_TASK_SUBMITTED ||
            key->source.value == ALLOT_TASK_SLOTS);
}

static const allot__order *dispatch_of(const allot_state *state)
{
    return &state->plan->groups[0].governing[0].policy->dispatch;
}

/* Can pending jobs stand in the order of dispatch? Limits count jobs in the order of the state. */
static bool can_order(const allot_state *state)
{
    const allot__order *order = dispatch_of(state);
    static const allot__job nothing = {.queue = 0};
    int64_t value;
    bool plain = order->count <= KEYS && allot__queues_of(state->plan)->limits.count == 0;
    for (int32_t i = 0; i < order->count && plain; i++)
        plain = allot__job_key(&nothing, &order->keys[i], &value);
    return plain;
}

static standing standing_of(const allot_state *state, int32_t number)
{
    const allot__job *job = allot__job_at(state->jobs, number);
    const allot__order *order = dispatch_of(state);
    standing out = {.queue = job->queue, .number = number};
    if (state->jobs->ordered && job->state != ALLOT_RUNNING)
        out.part = job->state == ALLOT_PENDING ? WAITS : STOPPED;
    for (int32_t i = 0; out.part == WAITS && i < order->count; i++)
        (void)allot__job_key(job, &order->keys[i], &out.keys[i]);
    return out;
}

static int compare(const void *a, const void *b)
{
    const standing *x = a, *y = b;
    if (x->queue != y->queue)
        return x->queue < y->queue ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    for (int32_t i = 0; i < KEYS; i++)
        if (x->keys[i] != y->keys[i])
            return x->keys[i] < y->keys[i] ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Merges jobs, in order, into a list that has room for them; returns its new length. */
static int32_t merge(const allot_state *state, int32_t *list, int32_t length, const standing *jobs,
                     int32_t count)
{
    int32_t end = length;
    for (int32_t k = count; k-- > 0;) {
        int32_t low = 0, high = end;
        while (low < high) {
            int32_t middle = low + (high - low) / 2;
            standing there = standing_of(state, list[middle]);
            if (compare(&there, &jobs[k]) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        memmove(list + low + k + 1, list + low, (size_t)(end - low) * sizeof *list);
        list[low + k] = jobs[k].number;
        end = low;
    }
    return length + count;
}

/* What copying the lists works with. */
typedef struct copying {
    uint64_t *drop, *gone; /* a bit by former number: it changed or ended; it ended */
    int32_t *below;        /* by word of `gone`: how many ended before it */
    bool gaps;             /* some ended */
    int32_t *out;
    standing *jobs;
    int32_t count, at; /* of `jobs`; how many are merged */
} copying;

static int32_t renumber(const copying *it, int32_t number)
{
    if (!it->gaps)
        return number;
    uint64_t before = it->gone[number / 64] & (((uint64_t)1 << number % 64) - 1);
    return number - it->below[number / 64] - __builtin_popcountll(before);
}

/* Copies a part of a queue's list, former entries [from, to), with its new jobs; returns its end in
 * `out`. */
static int32_t copy_part(const allot_state *state, copying *it, const standing *part, int32_t from,
                         int32_t to, int32_t end)
{
    const int32_t *list = state->jobs->by_queue;
    int32_t begin = end, added = 0;
    for (int32_t i = from; i < to; i++)
        if (!(it->drop[list[i] / 64] >> list[i] % 64 & 1))
            it->out[end++] = renumber(it, list[i]);
    while (it->at + added < it->count && it->jobs[it->at + added].queue == part->queue &&
           it->jobs[it->at + added].part == part->part)
        added++;
    end = begin + merge(state, it->out + begin, end - begin, it->jobs + it->at, added);
    it->at += added;
    return end;
}

static void copy_lists(allot_state *state, copying *it)
{
    allot__jobs *jobs = state->jobs;
    int32_t queues = allot__queue_count(state->plan), end = 0, from = 0;
    for (int32_t q = 0; q < queues; q++) {
        int32_t *const firsts[PARTS] = {&jobs->first[q], &jobs->stops[q], &jobs->waits[q]};
        int32_t ends[PARTS] = {jobs->stops[q], jobs->waits[q], jobs->first[q + 1]};
        for (int part = RUNS; part < PARTS; part++) {
            *firsts[part] = end;
            end =
                copy_part(state, it, &(standing){.queue = q, .part = part}, from, ends[part], end);
            from = ends[part];
        }
    }
    jobs->first[queues] = end;
    memcpy(jobs->by_queue, it->out, (size_t)end * sizeof *it->out);
}

/* Where new jobs stand; none is early. */
static void list_new(const allot_state *state, copying *it)
{
    const allot__jobs *jobs = state->jobs;
    const int32_t *numbers = jobs->changed.items;
    for (size_t i = 0; i < jobs->changed.count; i++)
        it->jobs[it->count++] = standing_of(state, numbers[i]);
    if (it->count > 1)
        qsort(it->jobs, (size_t)it->count, sizeof *it->jobs, compare);
}

/* Bits of former numbers; then `changed` has the present ones. */
static void number_anew(allot__jobs *jobs, copying *it, size_t words)
{
    int32_t *changed = jobs->changed.items, *ended = jobs->ended.items, below = 0;
    size_t kept = 0;
    it->gaps = jobs->ended.count > 0;
    for (size_t i = 0; i < jobs->ended.count; i++)
        it->gone[ended[i] / 64] |= (uint64_t)1 << ended[i] % 64;
    for (size_t w = 0; w < words; w++) {
        it->below[w] = below;
        it->drop[w] = it->gone[w];
        below += __builtin_popcountll(it->gone[w]);
    }
    for (size_t i = 0; i < jobs->changed.count; i++) {
        uint64_t bit = (uint64_t)1 << changed[i] % 64;
        it->drop[changed[i] / 64] |= bit;
        if (!(it->gone[changed[i] / 64] & bit))
            changed[kept++] = renumber(it, changed[i]);
    }
    jobs->changed.count = kept;
}

/* Closes the gaps that ended jobs left in the column by job. */
static void shift(const allot__jobs *jobs, size_t count)
{
    const int32_t *ended = jobs->ended.items;
    allot__job_brief *column = jobs->briefs;
    for (size_t i = 0; i < jobs->ended.count; i++) {
        size_t from = (size_t)ended[i] + 1;
        size_t to = i + 1 < jobs->ended.count ? (size_t)ended[i + 1] : count;
        memmove(column + from - i - 1, column + from, (to - from) * sizeof *column);
    }
}

/* Makes room for the columns by job, which keep what they have. ENOMEM. */
static int make_room(allot_state *state)
{
    allot__jobs *jobs = state->jobs;
    size_t queues = (size_t)allot__queue_count(state->plan);
    size_t count = jobs->list.count + jobs->ended.count + 1;
    if (!jobs->first)
        jobs->first = allot__new(state->engine, 3 * queues + 1, sizeof *jobs->first);
    if (!jobs->queues)
        jobs->queues = allot__new(state->engine, queues, sizeof *jobs->queues);
    if (jobs->room < count) {
        size_t room = count + (state->reopened ? count / 8 + 64 : 0);
        int32_t *list = allot__new(state->engine, room, sizeof *list);
        allot__job_brief *briefs = allot__new(state->engine, room, sizeof *briefs);
        if (list && briefs && jobs->room > 0) {
            memcpy(list, jobs->by_queue, jobs->room * sizeof *list);
            memcpy(briefs, jobs->briefs, jobs->room * sizeof *briefs);
        }
        if (!list || !briefs) {
            allot__free(state->engine, list, room, sizeof *list);
            allot__free(state->engine, briefs, room, sizeof *briefs);
            return ALLOT_ENOMEM;
        }
        allot__free(state->engine, jobs->by_queue, jobs->room, sizeof *list);
        allot__free(state->engine, jobs->briefs, jobs->room, sizeof *briefs);
        jobs->by_queue = list;
        jobs->briefs = briefs;
        jobs->room = room;
    }
    jobs->stops = jobs->first ? jobs->first + queues + 1 : NULL;
    jobs->waits = jobs->first ? jobs->stops + queues : NULL;
    return jobs->first && jobs->queues ? ALLOT_OK : ALLOT_ENOMEM;
}

/* Arranges only what changed. *done false: all must be arranged anew. ENOMEM. */
static int arrange_changed(allot_state *state, bool *done)
{
    allot__jobs *jobs = state->jobs;
    allot_engine *engine = state->engine;
    size_t count = jobs->list.count + jobs->ended.count, words = count / 64 + 1;
    size_t changed = jobs->changed.count + 1;
    uint64_t *bits = allot__new(engine, 2 * words, sizeof *bits);
    copying it = {.drop = bits,
                  .gone = bits ? bits + words : NULL,
                  .below = allot__new(engine, words, sizeof *it.below),
                  .out = allot__new(engine, count + 1, sizeof *it.out),
                  .jobs = allot__new(engine, changed, sizeof *it.jobs)};
    bool room = bits && it.below && it.out && it.jobs;
    if (room) {
        number_anew(jobs, &it, words);
        shift(jobs, count);
    }
    *done = room;
    for (size_t i = 0; i < jobs->changed.count && *done; i++)
        *done = enter(state, ((const int32_t *)jobs->changed.items)[i]) && !jobs->timed;
    if (*done) {
        list_new(state, &it);
        copy_lists(state, &it);
    }
    allot__free(engine, bits, 2 * words, sizeof *bits);
    allot__free(engine, it.below, words, sizeof *it.below);
    allot__free(engine, it.out, count + 1, sizeof *it.out);
    allot__free(engine, it.jobs, changed, sizeof *it.jobs);
    return room ? ALLOT_OK : ALLOT_ENOMEM;
}

/* A merge sort; `other`: scratch for as many. */
static void sort(standing *list, standing *other, int32_t count)
{
    for (int32_t width = 1; width < count; width *= 2) {
        for (int32_t low = 0; low < count; low += 2 * width) {
            int32_t middle = low + width < count ? low + width : count;
            int32_t high = middle + width < count ? middle + width : count;
            int32_t a = low, b = middle;
            for (int32_t i = low; i < high; i++)
                other[i] = a < middle && (b == high || compare(&list[a], &list[b]) < 0) ? list[a++]
                                                                                        : list[b++];
        }
        memcpy(list, other, (size_t)count * sizeof *list);
    }
}

/* Puts the jobs of a queue, which stand by number, in order; `jobs`: scratch for twice as many. */
static void order_queue(allot_state *state, int32_t queue, standing *jobs)
{
    allot__jobs *it = state->jobs;
    int32_t first = it->first[queue], end = it->first[queue + 1], active = first, others = 0;
    bool in_order = true;
    for (int32_t i = first; i < end && it->ordered; i++) {
        allot__job_fetch(it, i, end);
        standing at = standing_of(state, it->by_queue[i]);
        if (at.part == RUNS)
            it->by_queue[active++] = at.number;
        else
            jobs[others++] = at;
        in_order = in_order && (others < 2 || compare(&jobs[others - 2], &jobs[others - 1]) < 0);
    }
    it->stops[queue] = it->waits[queue] = it->ordered ? active : end;
    if (!in_order)
        sort(jobs, jobs + others, others);
    for (int32_t i = 0; i < others; i++) {
        it->by_queue[active + i] = jobs[i].number;
        it->waits[queue] += jobs[i].part == STOPPED;
    }
}

/* Lists all jobs that are not early. ENOMEM. */
static int order_all(allot_state *state)
{
    allot__jobs *jobs = state->jobs;
    int32_t queues = allot__queue_count(state->plan), most = 1;
    for (int32_t q = 0, sum = 0; q <= queues; q++) {
        jobs->first[q] = sum;
        for (int i = 0; i < ALLOT_JOB_STATE_COUNT && q < queues; i++)
            sum += jobs->queues[q].count[i];
        most = sum - jobs->first[q] > most ? sum - jobs->first[q] : most;
    }
    memcpy(jobs->stops, jobs->first, (size_t)queues * sizeof *jobs->stops);
    for (size_t i = 0; i < jobs->list.count; i++)
        if (!jobs->briefs[i].early)
            jobs->by_queue[jobs->stops[jobs->briefs[i].queue]++] = (int32_t)i;
    size_t room = 2 * (size_t)most;
    standing *scratch = allot__new(state->engine, room, sizeof *scratch);
    for (int32_t q = 0; q < queues && scratch; q++)
        order_queue(state, q, scratch);
    allot__free(state->engine, scratch, room, sizeof *scratch);
    return scratch ? ALLOT_OK : ALLOT_ENOMEM;
}

static int arrange_all(allot_state *state)
{
    allot__jobs *jobs = state->jobs;
    allot__tasks *tasks = &state->tasks;
    jobs->timed = false;
    jobs->undated = 0;
    jobs->ordered = can_order(state);
    jobs->nowhere = (allot__site){.slots = -1};
    memset(jobs->flagged, 0, sizeof jobs->flagged);
    for (int32_t q = 0; q < allot__queue_count(state->plan); q++)
        jobs->queues[q] = (allot__queue_jobs){.latest = INT64_MIN};
    for (int32_t i = 0; i < tasks->site_count; i++) {
        tasks->sites[i].busy = tasks->sites[i].taken = 0;
        tasks->sites[i].running = tasks->sites[i].alone = 0;
    }
    for (size_t i = 0; i < jobs->list.count; i++)
        (void)enter(state, (int32_t)i); /* sites of all names are made */
    jobs->changed.count = jobs->ended.count = 0;
    return order_all(state);
}

int allot__jobs_arrange(allot_state *state)
{
    if (!allot__queues_of(state->plan))
        return ALLOT_OK;
    allot__jobs *jobs = allot__jobs_open(state);
    if (!jobs)
        return ALLOT_ENOMEM;
    if (!state->reopened)
        allot__vector_trim(state->engine, &state->all_jobs.list);
    jobs->list = state->all_jobs.list;
    if (allot__queue_count(state->plan) == 0)
        return ALLOT_OK;          /* a plan with leases */
    bool before = jobs->arranged; /* else allot__jobs_fill was called, and sites are made */
    jobs->partly = before && jobs->plan == state->plan;
    jobs->arranged = false;
    jobs->seals++;
    int status = make_room(state);
    if (status == ALLOT_OK && jobs->partly)
        status = arrange_changed(state, &jobs->partly);
    if (status == ALLOT_OK && !jobs->partly && before)
        status = allot__jobs_fill(state);
    if (status == ALLOT_OK && !jobs->partly && before)
        status = allot__tasks_arrange(state);
    if (status == ALLOT_OK && !jobs->partly)
        status = arrange_all(state);
    jobs->plan = state->plan;
    jobs->arranged = status == ALLOT_OK;
    return status;
}
