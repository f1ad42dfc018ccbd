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

static int take_columns(const allot__work *work, allot__room *room)
{
    size_t count = (size_t)room->count;
    room->words = (count + 63) / 64;
    const allot__wanted all[] = {
        ALLOT__WANTED(room->site, count),
        ALLOT__WANTED(room->slots, count),
        ALLOT__WANTED(room->free, count),
        ALLOT__WANTED(room->kept, count),
        ALLOT__WANTED(room->claimed, count),
        ALLOT__WANTED(room->running, count),
        ALLOT__WANTED(room->alone, count),
        ALLOT__WANTED(room->load, count),
        ALLOT__WANTED(room->open, room->words),
        ALLOT__WANTED(room->open_words, room->words / 64 + 1),
    };
    return allot__zeroed_all(work, all, sizeof all / sizeof *all);
}

/* By queue and by job: who keeps what. */
static int take_keepers(const allot__work *work, allot__room *room)
{
    size_t queues = (size_t)allot__queue_count(work->plan);
    size_t jobs = work->state->jobs->list.count, words = (queues + 63) / 64;
    const allot__wanted all[] = {
        ALLOT__WANTED(room->view, words),
        ALLOT__WANTED(room->keepers, words),
        ALLOT__WANTED(room->keeps, jobs),
        ALLOT__WANTED(room->claims, jobs),
    };
    room->viewer = -1;
    room->kept_next = allot__arena_take(work->arena, jobs + 1, sizeof *room->kept_next);
    room->kept_first = allot__arena_take(work->arena, queues + 1, sizeof *room->kept_first);
    if (!room->kept_next || !room->kept_first)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < queues; i++)
        room->kept_first[i] = -1;
    return allot__zeroed_all(work, all, sizeof all / sizeof *all);
}

/* Slots that run by site, for the loads that nobody told. */
static int count_running(const allot__work *work, int32_t sites, int64_t **out)
{
    int64_t *used = allot__zeroed(work, (size_t)sites, sizeof *used);
    if (!used)
        return ALLOT_ENOMEM;
    const allot__jobs *jobs = work->state->jobs;
    for (size_t i = 0; i < jobs->list.count; i++) {
        const allot__job *job = allot__job_at(jobs, (int32_t)i);
        const allot__job_place *places = allot__job_places(jobs, job);
        for (int32_t k = 0; job->state == ALLOT_RUNNING && k < job->place_count; k++)
            used[places[k].site] += places[k].slots;
    }
    *out = used;
    return ALLOT_OK;
}

/* The sites of open and closed hosts, in order; their loads by site. */
static int order_sites(const allot__work *work, allot__room *room, const int64_t *used)
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
            load[i] = used[i] * 1000 / site->slots;
        if (here(work, site))
            room->site[n++] = i;
    }
    allot__sort_rows(room->site, other, load, 0, n);
    for (int32_t i = 0; i < n; i++)
        room->load[i] = load[room->site[i]];
    return ALLOT_OK;
}

static int take_owner(const allot__work *work, allot__room *room, int32_t host, int32_t queue)
{
    if (!room->owner) {
        room->owner = allot__arena_take(work->arena, (size_t)room->count, sizeof *room->owner);
        for (int32_t i = 0; room->owner && i < room->count; i++)
            room->owner[i] = -1;
    }
    if (!room->owner)
        return ALLOT_ENOMEM;
    room->owner[host] = queue;
    return ALLOT_OK;
}

static int fill_hosts(const allot__work *work, allot__room *room)
{
    const allot__tasks *tasks = &work->state->tasks;
    int64_t *used = NULL;
    int status = count_running(work, tasks->site_count, &used);
    if (status == ALLOT_OK)
        status = order_sites(work, room, used);
    room->host_of =
        allot__arena_take(work->arena, (size_t)tasks->site_count, sizeof *room->host_of);
    if (status != ALLOT_OK || !room->host_of)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < tasks->site_count; i++)
        room->host_of[i] = -1;
    for (int32_t host = 0; host < room->count && status == ALLOT_OK; host++) {
        const allot__site *site = &tasks->sites[room->site[host]];
        room->host_of[room->site[host]] = host;
        room->slots[host] = site->closed != ALLOT_OPEN ? 0 : site->slots;
        if (site->exclusive_to != ALLOT_ROOT)
            status = take_owner(work, room, host, site->exclusive_to);
    }
    return status;
}

static void fill_set(const allot__work *work, allot__room *room, const uint64_t *bits, int32_t set)
{
    size_t planned = work->plan->hosts.list.count;
    int64_t most = 0;
    for (size_t i = 0; bits && i < (planned + 63) / 64; i++)
        for (uint64_t left = bits[i]; left != 0; left &= left - 1) {
            int32_t host = room->host_of[i * 64 + (size_t)__builtin_ctzll(left)];
            if (host >= 0) {
                room->sets[set][host / 64] |= (uint64_t)1 << host % 64;
                most += room->slots[host];
            }
        }
    for (int32_t host = 0; !bits && host < room->count; host++) {
        room->sets[set][host / 64] |= (uint64_t)1 << host % 64;
        most += room->slots[host];
    }
    room->most[set] = most;
}

static int make_sets(const allot__work *work, allot__room *room)
{
    const allot__vector *list = &allot__queues_of(work->plan)->sets;
    room->set_count = (int32_t)list->count;
    room->sets = allot__arena_take(work->arena, list->count + 1, sizeof *room->sets);
    room->most = allot__zeroed(work, list->count, sizeof *room->most);
    room->total = allot__zeroed(work, list->count, sizeof *room->total);
    room->counted = allot__zeroed(work, list->count, sizeof *room->counted);
    uint64_t *bits = allot__zeroed(work, list->count * room->words, sizeof *bits);
    if (!room->sets || !room->most || !room->total || !room->counted || !bits)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < room->set_count; i++) {
        room->sets[i] = bits + (size_t)i * room->words;
        fill_set(work, room, ((const allot__host_set *)list->items)[i].bits, i);
    }
    return ALLOT_OK;
}

static int32_t count_hosts(const allot__work *work)
{
    const allot__tasks *tasks = &work->state->tasks;
    int32_t count = 0;
    for (int32_t i = 0; i < tasks->site_count; i++)
        count += here(work, &tasks->sites[i]);
    return count;
}

int allot__room_make(const allot__work *work, allot__room *out)
{
    *out = (allot__room){.work = work, .count = count_hosts(work), .changes = 1, .gains = 1};
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
        allot__room_take(out, host, -out->slots[host]);
    const allot__jobs *jobs = work->state->jobs;
    for (size_t i = 0; i < jobs->list.count; i++) {
        const allot__job *job = allot__job_at(jobs, (int32_t)i);
        out->exclusive = out->exclusive || (job->flags & ALLOT_JOB_EXCLUSIVE);
        if (job->state == ALLOT_RUNNING)
            allot__room_job(out, (int32_t)i, false, 1);
        else if (job->state != ALLOT_PENDING)
            allot__room_keep(out, (int32_t)i);
    }
    return ALLOT_OK;
}

void allot__room_run(allot__room *room, const allot__job *job, int32_t host, int32_t slots)
{
    room->running[host]++;
    room->alone[host] += (job->flags & ALLOT_JOB_EXCLUSIVE) != 0;
    allot__room_take(room, host, slots);
}

void allot__room_stop(allot__room *room, const allot__job *job, int32_t host, int32_t slots)
{
    room->running[host]--;
    room->alone[host] -= (job->flags & ALLOT_JOB_EXCLUSIVE) != 0;
    allot__room_take(room, host, -slots);
}

static void run_on(allot__room *room, const allot__job *job, const allot__job_place *places,
                   int32_t count, int32_t sign)
{
    for (int32_t i = 0; i < count; i++) {
        int32_t host = allot__room_host(room, places[i].site);
        if (host >= 0 && sign > 0)
            allot__room_run(room, job, host, places[i].slots);
        else if (host >= 0)
            allot__room_stop(room, job, host, places[i].slots);
    }
}

static void take_places(allot__room *room, const allot__job_place *places, int32_t count,
                        int32_t sign)
{
    for (int32_t i = 0; i < count; i++) {
        int32_t host = allot__room_host(room, places[i].site);
        if (host >= 0)
            allot__room_take(room, host, sign * places[i].slots);
    }
}

/* Who grows runs on hosts that it comes to, and if it is exclusive closes them. */
static void grow_on(allot__room *room, const allot__job *job, const allot__job_place *places,
                    int32_t count, int32_t sign)
{
    const allot__job_place *own = allot__job_places(room->work->state->jobs, job);
    for (int32_t i = 0; i < count; i++) {
        bool there = false;
        for (int32_t k = 0; k < job->place_count; k++)
            there = there || own[k].site == places[i].site;
        if (there)
            take_places(room, &places[i], 1, sign);
        else
            run_on(room, job, &places[i], 1, sign);
    }
}

void allot__room_job(allot__room *room, int32_t number, bool keeps, int32_t sign)
{
    const allot__jobs *jobs = room->work->state->jobs;
    const allot__job *job = allot__job_at(jobs, number);
    if (keeps && sign > 0)
        allot__room_unkeep(room, number);
    run_on(room, job, allot__job_places(jobs, job), job->place_count, sign);
    take_places(room, allot__job_grown(jobs, job), job->grown_count, sign);
    if (keeps && sign < 0)
        allot__room_keep(room, number);
}

void allot__room_order(allot__room *room, allot_order_kind kind, int32_t number,
                       const allot__job_place *places, int32_t count, int32_t sign)
{
    const allot__job *job = allot__job_at(room->work->state->jobs, number);
    if (kind == ALLOT_ORDER_RESUME && sign > 0)
        allot__room_unkeep(room, number);
    if (kind == ALLOT_ORDER_RESIZE)
        grow_on(room, job, places, count, sign);
    else
        run_on(room, job, places, count, sign);
    if (kind == ALLOT_ORDER_RESUME && sign < 0)
        allot__room_keep(room, number);
}

void allot__room_claim(allot__room *room, int32_t number)
{
    const allot__job *job = allot__job_at(room->work->state->jobs, number);
    const allot__job_place *places = allot__job_places(room->work->state->jobs, job);
    for (int32_t i = 0; i < job->place_count; i++) {
        int32_t host = allot__room_host(room, places[i].site);
        if (host >= 0)
            room->claimed[host] += places[i].slots;
    }
    room->claims[number] = ++room->claim_count;
}

void allot__room_claim_none(allot__room *room)
{
    memset(room->claimed, 0, (size_t)room->count * sizeof *room->claimed);
}

/* The first word from `from` on that has open hosts; as many as there are: none. */
static size_t next_word(const allot__room *room, size_t from)
{
    if (from >= room->words)
        return room->words;
    size_t at = from / 64;
    uint64_t left = room->open_words[at] & ~(uint64_t)0 << from % 64;
    while (left == 0 && ++at <= room->words / 64)
        left = room->open_words[at];
    return left == 0 ? room->words : at * 64 + (size_t)__builtin_ctzll(left);
}

int32_t allot__room_next(const allot__room *room, int32_t set, int32_t from)
{
    const uint64_t *bits = room->sets[set];
    size_t word = (size_t)from / 64;
    if (from >= room->count)
        return -1;
    uint64_t left = bits[word] & room->open[word] & ~(uint64_t)0 << from % 64;
    while (left == 0 && (word = next_word(room, word + 1)) < room->words)
        left = bits[word] & room->open[word];
    return left == 0 ? -1 : (int32_t)(word * 64) + __builtin_ctzll(left);
}

int64_t allot__room_total(allot__room *room, int32_t set)
{
    if (room->counted[set] != room->changes) {
        int64_t total = 0;
        for (size_t word = 0; word < room->words; word++)
            for (uint64_t left = room->sets[set][word] & room->open[word]; left != 0;
                 left &= left - 1)
                total += room->free[word * 64 + (size_t)__builtin_ctzll(left)];
        room->total[set] = total;
        room->counted[set] = room->changes;
    }
    return room->total[set];
}
