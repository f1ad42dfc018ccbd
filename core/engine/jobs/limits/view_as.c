/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * view_as.c: what suspended jobs keep, as one queue after another sees it.
 *
 * From one viewer to the next only those queues are gone through that have suspended jobs and keep
 * slots against one of the two alone: as queues come by falling priority, they can preempt fewer
 * and fewer, so that over a cycle each suspended job is gone through about once.
 */
#include "engine/jobs/limits/view.h"

/* The bit of a host says whether the viewer may have slots there. */
static void settle(allot__room *room, int32_t host)
{
    bool mine = !room->owner || room->owner[host] < 0 || room->owner[host] == room->viewer;
    bool open = room->free[host] > 0 && room->alone[host] == 0 && mine;
    uint64_t bit = (uint64_t)1 << host % 64;
    uint64_t *word = &room->open[host / 64];
    *word = open ? *word | bit : *word & ~bit;
    uint64_t word_bit = (uint64_t)1 << host / 64 % 64;
    uint64_t *words = &room->open_words[host / 4096];
    *words = *word != 0 ? *words | word_bit : *words & ~word_bit;
}

void allot__room_take(allot__room *room, int32_t host, int32_t slots)
{
    room->free[host] -= slots;
    room->changes++;
    room->gains += slots < 0;
    settle(room, host);
}

/* What a job keeps is kept against the viewer, or (-1) is no longer. */
static void count_job(allot__room *room, int32_t number, int32_t sign)
{
    const allot__jobs *jobs = room->work->state->jobs;
    const allot__job *job = allot__job_at(jobs, number);
    const allot__job_place *places = allot__job_places(jobs, job);
    for (int32_t i = 0; i < job->place_count; i++) {
        int32_t host = allot__room_host(room, places[i].site);
        if (host >= 0) {
            room->kept[host] += (int64_t)sign * places[i].slots;
            allot__room_take(room, host, sign * places[i].slots);
        }
    }
}

static void count_queue(allot__room *room, int32_t queue, int32_t sign)
{
    for (int32_t job = room->kept_first[queue]; job >= 0; job = room->kept_next[job])
        if (room->keeps[job] & ALLOT__KEEP_NOW)
            count_job(room, job, sign);
}

static bool seen(const allot__room *room, int32_t queue)
{
    return room->view[(size_t)queue / 64] >> queue % 64 & 1;
}

/* Hosts that are given to queues open and close. */
static void turn_owned(allot__room *room)
{
    for (int32_t host = 0; room->owner && host < room->count; host++)
        if (room->owner[host] >= 0)
            allot__room_take(room, host, 0);
}

void allot__room_view(allot__room *room, int32_t queue)
{
    if (room->viewer == queue)
        return;
    const allot__relation *relation = room->work->plan->relation;
    size_t words = ((size_t)relation->count + 63) / 64;
    const uint64_t *may = relation->may + (size_t)queue * words;
    int64_t gains = room->gains;
    for (size_t i = 0; i < words; i++) {
        uint64_t other = (room->view[i] ^ ~may[i]) & room->keepers[i];
        for (; other != 0; other &= other - 1) {
            int32_t low = (int32_t)(i * 64) + __builtin_ctzll(other);
            count_queue(room, low, seen(room, low) ? -1 : 1);
        }
        room->view[i] = ~may[i];
    }
    room->viewer = queue;
    turn_owned(room);
    room->gains = gains; /* for no queue there is more than when it looked last */
}

void allot__room_keep(allot__room *room, int32_t job)
{
    int32_t queue = allot__job_at(room->work->state->jobs, job)->queue;
    if (!(room->keeps[job] & ALLOT__KEEP_LISTED)) {
        room->kept_next[job] = room->kept_first[queue];
        room->kept_first[queue] = job;
    }
    room->keeps[job] = ALLOT__KEEP_LISTED | ALLOT__KEEP_NOW;
    room->keepers[queue / 64] |= (uint64_t)1 << queue % 64;
    if (seen(room, queue))
        count_job(room, job, 1);
}

void allot__room_unkeep(allot__room *room, int32_t job)
{
    room->keeps[job] = ALLOT__KEEP_LISTED;
    if (seen(room, allot__job_at(room->work->state->jobs, job)->queue))
        count_job(room, job, -1);
}
