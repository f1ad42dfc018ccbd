/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* view.c: hosts in the order in which jobs are put on them, and what is free there. */
#include "engine/jobs/limits/view.h"

#include <string.h>

#include "engine/rows/order.h"

static bool here(const allot__work *work, const allot__site *site)
{
    return site->group == work->index && site->slots >= 0;
}

static int take_columns(const allot__work *work, allot__host_view *view)
{
    size_t count = (size_t)view->count;
    view->words = (count + 63) / 64;
    return ALLOT__ZEROED_ALL(work->arena, ALLOT__WANTED(view->site, count),
                             ALLOT__WANTED(view->slots, count), ALLOT__WANTED(view->free, count),
                             ALLOT__WANTED(view->kept, count), ALLOT__WANTED(view->claimed, count),
                             ALLOT__WANTED(view->running, count), ALLOT__WANTED(view->alone, count),
                             ALLOT__WANTED(view->load, count),
                             ALLOT__WANTED(view->open, view->words),
                             ALLOT__WANTED(view->open_words, view->words / 64 + 1));
}

/* Allocates lists of suspended jobs that keep slots, by queue and by job. */
static int take_keepers(const allot__work *work, allot__host_view *view)
{
    size_t queues = (size_t)allot__queue_count(work->plan);
    size_t jobs = work->state->jobs->list.count;
    view->viewer = -1;
    view->kept_next = allot__arena_take(work->arena, jobs + 1, sizeof *view->kept_next);
    view->kept_first = allot__arena_take(work->arena, queues + 1, sizeof *view->kept_first);
    if (!view->kept_next || !view->kept_first)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < queues; i++)
        view->kept_first[i] = -1;
    if (!allot__bits_take(&view->keepers, work->arena, (int32_t)queues))
        return ALLOT_ENOMEM;
    return ALLOT__ZEROED_ALL(work->arena, ALLOT__WANTED(view->keeps, jobs),
                             ALLOT__WANTED(view->claims, jobs));
}

/* The sites of open and closed hosts, in order; their loads by site. */
static int order_sites(const allot__work *work, allot__host_view *view)
{
    const allot__tasks *tasks = &work->state->tasks;
    size_t count = (size_t)tasks->site_count;
    int64_t *load = allot__zeroed(work, count, sizeof *load);
    int32_t *other = allot__zeroed(work, count, sizeof *other);
    if (!load || !other)
        return ALLOT_ENOMEM;
    int32_t n = 0;
    for (int32_t i = 0; i < tasks->site_count; i++) {
        const allot__site *site = &tasks->sites[i];
        load[i] = site->load > 0 ? site->load : 0;
        if (site->load < 0 && site->slots > 0)
            load[i] = site->busy * 1000 / site->slots;
        if (here(work, site))
            view->site[n++] = i;
    }
    allot__sort_rows(view->site, other, load, 0, n);
    for (int32_t i = 0; i < n; i++)
        view->load[i] = load[view->site[i]];
    return ALLOT_OK;
}

static int take_owner(const allot__work *work, allot__host_view *view, int32_t host, int32_t queue)
{
    if (!view->owner) {
        view->owner = allot__arena_take(work->arena, (size_t)view->count, sizeof *view->owner);
        for (int32_t i = 0; view->owner && i < view->count; i++)
            view->owner[i] = -1;
    }
    if (!view->owner)
        return ALLOT_ENOMEM;
    view->owner[host] = queue;
    return ALLOT_OK;
}

static int fill_hosts(const allot__work *work, allot__host_view *view)
{
    const allot__tasks *tasks = &work->state->tasks;
    int status = order_sites(work, view);
    view->host_of =
        allot__arena_take(work->arena, (size_t)tasks->site_count, sizeof *view->host_of);
    if (status != ALLOT_OK || !view->host_of)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < tasks->site_count; i++)
        view->host_of[i] = -1;
    for (int32_t host = 0; host < view->count && status == ALLOT_OK; host++) {
        const allot__site *site = &tasks->sites[view->site[host]];
        view->host_of[view->site[host]] = host;
        view->slots[host] = site->closed != ALLOT_OPEN ? 0 : site->slots;
        if (site->exclusive_to != ALLOT_ROOT)
            status = take_owner(work, view, host, site->exclusive_to);
    }
    return status;
}

static void fill_set(const allot__work *work, allot__host_view *view, const uint64_t *bits,
                     int32_t set)
{
    size_t planned = work->plan->hosts.list.count;
    int64_t most = 0;
    for (size_t i = 0; bits && i < (planned + 63) / 64; i++)
        for (uint64_t left = bits[i]; left != 0; left &= left - 1) {
            int32_t host = view->host_of[i * 64 + (size_t)__builtin_ctzll(left)];
            if (host >= 0) {
                view->sets[set][host / 64] |= (uint64_t)1 << host % 64;
                most += view->slots[host];
            }
        }
    for (int32_t host = 0; !bits && host < view->count; host++) {
        view->sets[set][host / 64] |= (uint64_t)1 << host % 64;
        most += view->slots[host];
    }
    view->most[set] = most;
}

static int count_foreign(const allot__work *work, allot__host_view *view)
{
    const allot__queues *queues = allot__queues_of(work->plan);
    int32_t count = allot__queue_count(work->plan);
    view->foreign = allot__zeroed(work, (size_t)count, sizeof *view->foreign);
    for (int32_t host = 0; view->foreign && host < view->count; host++)
        for (int32_t q = 0; view->owner[host] >= 0 && q < count; q++)
            if (q != view->owner[host] && allot__host_view_has(view, queues->set_of[q], host))
                view->foreign[q] += view->slots[host];
    return view->foreign ? ALLOT_OK : ALLOT_ENOMEM;
}

static int make_sets(const allot__work *work, allot__host_view *view)
{
    const allot__vector *list = &allot__queues_of(work->plan)->sets;
    view->set_count = (int32_t)list->count;
    view->sets = allot__arena_take(work->arena, list->count + 1, sizeof *view->sets);
    view->most = allot__zeroed(work, list->count, sizeof *view->most);
    view->total = allot__zeroed(work, list->count, sizeof *view->total);
    view->counted = allot__zeroed(work, list->count, sizeof *view->counted);
    uint64_t *bits = allot__zeroed(work, list->count * view->words, sizeof *bits);
    if (!view->sets || !view->most || !view->total || !view->counted || !bits)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < view->set_count; i++) {
        view->sets[i] = bits + (size_t)i * view->words;
        fill_set(work, view, ((const allot__host_set *)list->items)[i].bits, i);
    }
    return view->owner ? count_foreign(work, view) : ALLOT_OK;
}

static int32_t count_hosts(const allot__work *work)
{
    const allot__tasks *tasks = &work->state->tasks;
    int32_t count = 0;
    for (int32_t i = 0; i < tasks->site_count; i++)
        count += here(work, &tasks->sites[i]);
    return count;
}

int allot__host_view_begin(const allot__work *work, allot__host_view *out)
{
    *out = (allot__host_view){.work = work,
                              .count = count_hosts(work),
                              .changes = 1,
                              .gains = 1,
                              .exclusive =
                                  allot__jobs_flagged(work->state->jobs, ALLOT_JOB_EXCLUSIVE) > 0};
    bool hosts = out->count > 0;
    out->count = hosts ? out->count : 1;
    int status = take_columns(work, out);
    if (status == ALLOT_OK)
        status = take_keepers(work, out);
    if (status == ALLOT_OK && hosts)
        status = fill_hosts(work, out);
    if (status == ALLOT_OK && !hosts) {
        out->site[0] = -1;
        out->slots[0] = (int32_t)work->slots;
    }
    if (status == ALLOT_OK)
        status = make_sets(work, out);
    if (status != ALLOT_OK)
        return status;
    for (int32_t host = 0; host < out->count; host++)
        allot__host_view_take(out, host, -out->slots[host]);
    return ALLOT_OK;
}

static void fill_host(allot__host_view *view, int32_t host, const allot__site *site)
{
    view->running[host] += site->running;
    view->alone[host] += site->alone;
    view->free[host] -= site->taken;
    allot__host_view_take(view, host, 0);
}

void allot__host_view_fill(allot__host_view *view)
{
    const allot_state *state = view->work->state;
    const allot__jobs *jobs = state->jobs;
    for (int32_t i = 0; i < state->tasks.site_count; i++) {
        int32_t host = allot__host_view_host(view, i);
        if (host >= 0)
            fill_host(view, host, &state->tasks.sites[i]);
    }
    if (!view->host_of)
        fill_host(view, 0, &jobs->nowhere);
    for (int32_t q = 0; q < allot__queue_count(view->work->plan); q++) {
        int32_t from, end = allot__jobs_of(jobs, q, ALLOT_SUSPENDED, &from);
        for (int32_t i = from; i < end; i++) {
            int state_of = allot__job_at(jobs, jobs->by_queue[i])->state;
            if (state_of == ALLOT_SUSPENDED || state_of == ALLOT_STOPPED)
                allot__host_view_keep(view, jobs->by_queue[i]);
        }
    }
}

int allot__host_view_make(const allot__work *work, allot__host_view *out)
{
    int status = allot__host_view_begin(work, out);
    if (status == ALLOT_OK)
        allot__host_view_fill(out);
    return status;
}

void allot__host_view_run(allot__host_view *view, const allot__job *job, int32_t host,
                          int32_t slots, int32_t sign)
{
    view->running[host] += sign;
    view->alone[host] += (job->flags & ALLOT_JOB_EXCLUSIVE) != 0 ? sign : 0;
    allot__host_view_take(view, host, sign * slots);
}

static void run_on(allot__host_view *view, const allot__job *job, const allot__job_place *places,
                   int32_t count, int32_t sign)
{
    for (int32_t i = 0; i < count; i++) {
        int32_t host = allot__host_view_host(view, places[i].site);
        if (host >= 0)
            allot__host_view_run(view, job, host, places[i].slots, sign);
    }
}

static void take_places(allot__host_view *view, const allot__job_place *places, int32_t count,
                        int32_t sign)
{
    for (int32_t i = 0; i < count; i++) {
        int32_t host = allot__host_view_host(view, places[i].site);
        if (host >= 0)
            allot__host_view_take(view, host, sign * places[i].slots);
    }
}

/* A job that grows runs on its new hosts, and closes them if it is exclusive. */
static void grow_on(allot__host_view *view, const allot__job *job, const allot__job_place *places,
                    int32_t count, int32_t sign)
{
    const allot__job_place *own = allot__job_places(job);
    for (int32_t i = 0; i < count; i++) {
        bool there = false;
        for (int32_t k = 0; k < job->place_count; k++)
            there = there || own[k].site == places[i].site;
        if (there)
            take_places(view, &places[i], 1, sign);
        else
            run_on(view, job, &places[i], 1, sign);
    }
}

void allot__host_view_order(allot__host_view *view, allot_order_kind kind, int32_t number,
                            const allot__job_place *places, int32_t count, int32_t sign)
{
    const allot__job *job = allot__job_at(view->work->state->jobs, number);
    if (kind == ALLOT_ORDER_RESUME && sign > 0)
        allot__host_view_unkeep(view, number);
    if (kind == ALLOT_ORDER_RESIZE)
        grow_on(view, job, places, count, sign);
    else
        run_on(view, job, places, count, sign);
    if (kind == ALLOT_ORDER_RESUME && sign < 0)
        allot__host_view_keep(view, number);
}

void allot__host_view_job(allot__host_view *view, int32_t number, bool keeps, int32_t sign)
{
    const allot__jobs *jobs = view->work->state->jobs;
    const allot__job *job = allot__job_at(jobs, number);
    allot__host_view_order(view, keeps ? ALLOT_ORDER_RESUME : ALLOT_ORDER_START, number,
                           allot__job_places(job), job->place_count, sign);
    take_places(view, allot__job_grown(job), job->grown_count, sign);
}

void allot__host_view_claim(allot__host_view *view, int32_t number)
{
    const allot__job *job = allot__job_at(view->work->state->jobs, number);
    const allot__job_place *places = allot__job_places(job);
    for (int32_t i = 0; i < job->place_count; i++) {
        int32_t host = allot__host_view_host(view, places[i].site);
        if (host >= 0)
            view->claimed[host] += places[i].slots;
    }
    view->claims[number] = ++view->claim_count;
}

void allot__host_view_claim_none(allot__host_view *view)
{
    if (view->claim_count == view->claims_ended)
        return; /* no claims since */
    view->claims_ended = view->claim_count;
    memset(view->claimed, 0, (size_t)view->count * sizeof *view->claimed);
}

/* The first word from `from` on that has open hosts, or the number of words. */
static size_t next_word(const allot__host_view *view, size_t from)
{
    if (from >= view->words)
        return view->words;
    size_t at = from / 64;
    uint64_t left = view->open_words[at] & ~(uint64_t)0 << from % 64;
    while (left == 0 && ++at <= view->words / 64)
        left = view->open_words[at];
    return left == 0 ? view->words : at * 64 + (size_t)__builtin_ctzll(left);
}

int32_t allot__host_view_next(const allot__host_view *view, int32_t set, int32_t from)
{
    const uint64_t *bits = view->sets[set];
    size_t word = (size_t)from / 64;
    if (from >= view->count)
        return -1;
    uint64_t left = bits[word] & view->open[word] & ~(uint64_t)0 << from % 64;
    while (left == 0 && (word = next_word(view, word + 1)) < view->words)
        left = bits[word] & view->open[word];
    return left == 0 ? -1 : (int32_t)(word * 64) + __builtin_ctzll(left);
}

int64_t allot__host_view_total(allot__host_view *view, int32_t set)
{
    if (view->counted[set] != view->changes) {
        int64_t total = 0;
        for (size_t word = 0; word < view->words; word++)
            for (uint64_t left = view->sets[set][word] & view->open[word]; left != 0;
                 left &= left - 1)
                total += view->free[word * 64 + (size_t)__builtin_ctzll(left)];
        view->total[set] = total;
        view->counted[set] = view->changes;
    }
    return view->total[set];
}

/* ---- As a queue sees it ---------------------------------------------------------------------- */

/* Sets the bit of a host: may the viewer have slots there? */
static void settle(allot__host_view *view, int32_t host)
{
    bool open = view->free[host] > 0 && view->alone[host] == 0 &&
                allot__host_view_mine(view, host, view->viewer);
    uint64_t bit = (uint64_t)1 << host % 64;
    uint64_t *word = &view->open[host / 64];
    *word = open ? *word | bit : *word & ~bit;
    uint64_t word_bit = (uint64_t)1 << host / 64 % 64;
    uint64_t *words = &view->open_words[host / 4096];
    *words = *word != 0 ? *words | word_bit : *words & ~word_bit;
}

void allot__host_view_take(allot__host_view *view, int32_t host, int32_t slots)
{
    view->free[host] -= slots;
    view->changes++;
    view->gains += slots < 0;
    if (view->changed.levels > 0)
        allot__bits_add(&view->changed, host);
    settle(view, host);
}

/* A job keeps its slots from the viewer (1), or no longer (-1). */
static void count_job(allot__host_view *view, int32_t number, int32_t sign)
{
    const allot__jobs *jobs = view->work->state->jobs;
    const allot__job *job = allot__job_at(jobs, number);
    const allot__job_place *places = allot__job_places(job);
    for (int32_t i = 0; i < job->place_count; i++) {
        int32_t host = allot__host_view_host(view, places[i].site);
        if (host >= 0) {
            view->kept[host] += (int64_t)sign * places[i].slots;
            allot__host_view_take(view, host, sign * places[i].slots);
        }
    }
}

static void count_queue(allot__host_view *view, int32_t queue, int32_t sign)
{
    for (int32_t job = view->kept_first[queue]; job >= 0; job = view->kept_next[job])
        if (view->keeps[job] & ALLOT__KEEP_NOW)
            count_job(view, job, sign);
}

/* Do its suspended jobs keep their slots from the viewer? */
static bool seen(const allot__host_view *view, int32_t queue)
{
    return view->viewer >= 0 &&
           !allot__may_preempt(view->work->plan->relation, view->viewer, queue);
}

/* Opens and closes hosts that the state gives to queues. */
static void turn_owned(allot__host_view *view)
{
    for (int32_t host = 0; view->owner && host < view->count; host++)
        if (view->owner[host] >= 0)
            allot__host_view_take(view, host, 0);
}

void allot__host_view_as(allot__host_view *view, int32_t queue)
{
    if (view->viewer == queue)
        return;
    const allot__ranges *low = &view->work->plan->relation->low;
    const int32_t all[] = {0, view->work->plan->relation->count};
    int64_t gains = view->gains;
    allot__differing it = {.a = all, .a_end = all + 2};
    if (view->viewer >= 0)
        allot__ranges_at(low, view->viewer, &it.a, &it.a_end);
    allot__ranges_at(low, queue, &it.b, &it.b_end);
    while (allot__differing_next(&it))
        for (int32_t at = it.from; (at = allot__bits_next(&view->keepers, at)) < it.to; at++)
            count_queue(view, low->order[at], it.in_a ? 1 : -1);
    view->viewer = queue;
    turn_owned(view);
    view->gains = gains; /* no queue has more free than when it last looked */
}

void allot__host_view_keep(allot__host_view *view, int32_t job)
{
    int32_t queue = allot__job_at(view->work->state->jobs, job)->queue;
    if (!(view->keeps[job] & ALLOT__KEEP_LISTED)) {
        view->kept_next[job] = view->kept_first[queue];
        view->kept_first[queue] = job;
    }
    view->keeps[job] = ALLOT__KEEP_LISTED | ALLOT__KEEP_NOW;
    allot__bits_add(&view->keepers, view->work->plan->relation->low.place[queue]);
    if (seen(view, queue))
        count_job(view, job, 1);
}

void allot__host_view_unkeep(allot__host_view *view, int32_t job)
{
    view->keeps[job] = ALLOT__KEEP_LISTED;
    if (seen(view, allot__job_at(view->work->state->jobs, job)->queue))
        count_job(view, job, -1);
}

/* ---- Leases ---------------------------------------------------------------------------------- */

static void lease(allot__host_view *view, const allot_lease *of, int64_t slots)
{
    const allot_plan *plan = view->work->plan;
    for (int32_t i = of->host_count - 1; i >= 0 && slots > 0; i--) {
        int32_t site;
        bool known = allot__host_number(&allot__plan_base(plan)->hosts, of->hosts[i].host, &site);
        int32_t host = known ? allot__host_view_host(view, site) : -1;
        int64_t there = host >= 0 ? view->slots[host] : 0;
        there = there < of->hosts[i].slots ? there : of->hosts[i].slots;
        there = there < slots ? there : slots;
        slots -= there;
        if (there > 0) {
            allot__host_view_take(view, host, (int32_t)there);
            view->leased[host] += (int32_t)there;
        }
    }
}

int allot__host_view_lease(allot__host_view *view, const allot_lease_part *parts)
{
    int32_t count = parts ? allot_plan_leases(view->work->plan) : 0;
    size_t hosts = (size_t)view->count + 1;
    if (count == 0)
        return ALLOT_OK;
    view->leased = allot__arena_take(view->work->arena, hosts, sizeof *view->leased);
    if (!view->leased)
        return ALLOT_ENOMEM;
    memset(view->leased, 0, hosts * sizeof *view->leased);
    for (int32_t i = 0; i < count; i++) {
        allot_lease of;
        const allot_lease_now *now = &parts[i].now;
        int64_t slots = now->consumer.available;
        if (now->phase == ALLOT_LEASE_INACTIVE)
            slots += now->provider.available - now->provider.used;
        if (allot_plan_lease_at(view->work->plan, i, &of) == ALLOT_OK && of.shared)
            lease(view, &of, slots);
    }
    return ALLOT_OK;
}

int64_t allot__host_view_leased(const allot__host_view *view, int32_t set)
{
    int64_t sum = 0;
    for (int32_t host = 0; view->leased && host < view->count; host++)
        sum += allot__host_view_has(view, set, host) ? view->leased[host] : 0;
    return sum;
}
