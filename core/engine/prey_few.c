/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * prey_few.c: the fewest jobs that make enough room, and of such sets the first in the order.
 *
 * What jobs make free adds up where slots alone are wanting and no limit goes by hosts. Then as
 * many are needed as of the largest gains cover what lacks; and the first in the order is taken
 * that the largest of those behind it can complete, then the next, and so on.
 */
#include "engine/order.h"
#include "engine/prey.h"

/* Candidates that make some room, in their order. */
struct allot__gain {
    int32_t *jobs;
    int64_t *gains, *keys;
    int32_t *sorted, *other; /* by falling gain */
    int32_t *next, *before;  /* ... those not yet passed: by candidate; `count` is both ends */
    int32_t count;
};

static struct allot__gain *take_room(allot__prey *prey)
{
    allot__arena *arena = prey->work->arena;
    size_t room = (size_t)prey->rows.count + 1;
    if (prey->gains != NULL) {
        prey->gains->count = 0;
        return prey->gains;
    }
    struct allot__gain *it = allot__arena_take(arena, 1, sizeof *it);
    int32_t *narrow = allot__arena_take(arena, 5 * room, sizeof *narrow);
    int64_t *wide = allot__arena_take(arena, 2 * room, sizeof *wide);
    if (it == NULL || narrow == NULL || wide == NULL) {
        return NULL;
    }
    *it = (struct allot__gain){.jobs = narrow,
                               .sorted = narrow + room,
                               .other = narrow + 2 * room,
                               .next = narrow + 3 * room,
                               .before = narrow + 4 * room,
                               .gains = wide,
                               .keys = wide + room};
    prey->gains = it;
    return it;
}

/* On a host that has more than fits, or an exclusive job, who goes may make room only with another
 * who goes. */
static bool host_adds_up(const allot__chase *chase, int32_t host)
{
    const allot__room *room = chase->prey->room;
    bool closed = room->alone[host] > 0 &&
                  (chase->prey->work->rules[0].policy->job_types & ALLOT_PREY_EXCLUSIVE);
    int32_t free = room->free[host] + (chase->fit.resumes ? room->kept[host] : 0);
    return free >= 0 && !closed;
}

bool allot__chase_adds_up(const allot__chase *chase)
{
    const allot__fit *fit = &chase->fit;
    if (fit->over > 0 || fit->exclusive || allot__bounds_by_host(fit->bounds, fit->number)) {
        return false;
    }
    if (fit->resumes) {
        const allot__jobs *jobs = fit->room->work->state->jobs;
        int32_t host = allot__room_host(fit->room, allot__job_places(jobs, fit->job)->site);
        return fit->job->place_count == 1 && host >= 0 && host_adds_up(chase, host);
    }
    bool all = true;
    for (int32_t host = 0; host < fit->room->count && all; host++) {
        all = !allot__room_has(fit->room, fit->set, host) || host_adds_up(chase, host);
    }
    return all;
}

static int read_gains(allot__chase *chase, struct allot__gain *it)
{
    allot__prey *prey = chase->prey;
    allot__prey_list *list = allot__prey_list_of(&prey->rows, chase->fit.job->queue);
    if (list == NULL) {
        return ALLOT_ENOMEM;
    }
    for (int32_t place = allot__prey_list_seek(&prey->rows, list, 0); place >= 0;
         place = allot__prey_list_seek(&prey->rows, list, place + 1)) {
        int32_t job = allot__prey_list_job(&prey->rows, list, place);
        if (!allot__prey_may(chase, job) || !allot__fit_shares(&chase->fit, job)) {
            continue;
        }
        int64_t lack = chase->fit.lack;
        allot__fit_away(&chase->fit, job);
        int64_t gain = lack - chase->fit.lack;
        allot__fit_back(&chase->fit, job);
        if (gain > 0) {
            it->jobs[it->count] = job;
            it->gains[it->count++] = gain;
        }
    }
    return ALLOT_OK;
}

/* Puts gains in order and links them; how many are needed at least, or -1: all are too few. */
static int32_t link_gains(struct allot__gain *it, int64_t lack)
{
    for (int32_t i = 0; i < it->count; i++) {
        it->sorted[i] = i;
        it->keys[i] = -it->gains[i];
    }
    allot__sort_rows(it->sorted, it->other, it->keys, 0, it->count);
    int32_t last = it->count;
    int32_t needed = -1;
    for (int32_t i = 0; i < it->count; i++) {
        it->next[last] = it->sorted[i];
        it->before[it->sorted[i]] = last;
        last = it->sorted[i];
        lack -= it->gains[last];
        needed = needed < 0 && lack <= 0 ? i + 1 : needed;
    }
    it->next[last] = it->count;
    it->before[it->count] = last;
    return needed;
}

/* The sum of the `n` largest gains that are not passed. */
static int64_t largest(const struct allot__gain *it, int32_t n)
{
    int64_t sum = 0;
    int32_t at = it->next[it->count];
    for (; n > 0 && at != it->count; n--, at = it->next[at]) {
        sum += it->gains[at];
    }
    return sum;
}

static void choose(allot__chase *chase, struct allot__gain *it, int32_t needed)
{
    int64_t left = chase->fit.lack;
    for (int32_t i = 0; i < it->count && needed > 0; i++) {
        it->next[it->before[i]] = it->next[i];
        it->before[it->next[i]] = it->before[i];
        if (it->gains[i] + largest(it, needed - 1) >= left) {
            left -= it->gains[i];
            needed--;
            allot__chase_take(chase, it->jobs[i]);
        }
    }
}

bool allot__chase_fewest(allot__chase *chase, int *status)
{
    if (!allot__chase_adds_up(chase)) {
        return false;
    }
    struct allot__gain *it = take_room(chase->prey);
    *status = it != NULL ? read_gains(chase, it) : ALLOT_ENOMEM;
    if (*status != ALLOT_OK) {
        return false;
    }
    int32_t needed = link_gains(it, chase->fit.lack);
    if (needed > 0) {
        choose(chase, it, needed);
    }
    while (!allot__fits(&chase->fit) && chase->count > 0) {
        allot__chase_leave(chase, chase->count - 1);
    }
    return needed > 0 && allot__fits(&chase->fit);
}
