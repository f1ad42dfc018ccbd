/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * hosts.c: victims if hosts differ (E-30): for every claimant first tasks on hosts that serve it;
 * slots still owed come from hosts that serve any claimant, and last from any host.
 *
 * The host of slots that no task uses is unknown (reclaim/reach.h): they serve first claimants that
 * such slots serve, then no claimant in particular.
 *
 * A host that an exclusive consumer is to have, or to leave, is of no use before it is empty
 * (H-14): all units of the leaf on such a host go, if the leaf is over by as many slots, even if
 * fewer are owed.
 */
#include <string.h>

#include "engine/reclaim/over.h"
#include "engine/reclaim/reach.h"
#include "engine/victims/victim.h"

enum { ALLOT__INELIGIBLE_ELSEWHERE = UINT8_MAX }; /* no guard has this number */

typedef struct host_pick {
    const allot__work *work;
    allot__queue *queue;
    uint8_t *ineligible; /* by row: not a candidate at first, or picked already */
    uint8_t *mask;       /* ... or runs on a host that does not serve the claimant at hand */
    int32_t *rows;       /* all that are picked */
    int32_t count;
    int64_t slots;  /* of these, plus idle ones */
    int64_t idle;   /* slots that no task uses and that do not go yet */
    int64_t *there; /* by host: slots of the leaf if it can leave the host whole */
} host_pick;

static int begin(host_pick *it)
{
    size_t n = (size_t)it->queue->pick.count;
    if (ALLOT__TAKE_ALL(it->work->arena, ALLOT__EACH(n + 1, it->ineligible, it->mask, it->rows),
                        ALLOT__WANTED(it->there, (size_t)it->work->hosts->count)))
        return ALLOT_ENOMEM;
    memset(it->ineligible, 0, n);
    if (it->queue->pick.ineligible)
        memcpy(it->ineligible, it->queue->pick.ineligible, n);
    return ALLOT_OK;
}

/* Picks rows that cover `owed` among those not `ineligible`. */
static int pick(host_pick *it, const uint8_t *ineligible, int64_t owed)
{
    const uint8_t *before = it->queue->pick.ineligible;
    allot__picked picked;
    it->queue->pick.ineligible = ineligible;
    int status = allot__pick_fast(&it->queue->pick, owed, it->work->arena, &picked);
    it->queue->pick.ineligible = before;
    for (int32_t i = 0; status == ALLOT_OK && i < picked.count; i++) {
        it->rows[it->count++] = picked.rows[i];
        it->ineligible[picked.rows[i]] = ALLOT__INELIGIBLE_ELSEWHERE;
    }
    it->slots += status == ALLOT_OK ? picked.slots : 0;
    return status;
}

static int32_t host_of(const host_pick *it, int32_t row)
{
    const allot__unit_rows *rows = &it->queue->rows;
    int32_t site = rows->units->site[rows->base + row];
    return site >= 0 ? it->work->hosts->host_of[site] : -1;
}

/* Does a unit serve a claimant when it goes? */
static bool helps(const host_pick *it, int32_t claimant, int32_t row)
{
    int32_t host = host_of(it, row);
    return host >= 0 ? allot__host_helps(it->work, claimant, host)
                     : allot__hosts_takes_lost(it->work->hosts, claimant, it->queue->row);
}

/* Is the host of use to a claimant only once the leaf has left it whole? */
static bool whole(const host_pick *it, int32_t claimant, int32_t host)
{
    const allot__group_hosts *hosts = it->work->hosts;
    return host >= 0 && hosts->exclusive_of &&
           hosts->exclusive_of[claimant] != hosts->exclusive_of[it->queue->row] &&
           (hosts->owner[host] != ALLOT_ROOT || hosts->meant);
}

/* Counts the leaf's slots by host, if it can leave the host whole for a claimant; else 0. */
static void count_whole(host_pick *it, int32_t claimant)
{
    memset(it->there, 0, (size_t)it->work->hosts->count * sizeof *it->there);
    for (int32_t row = 0; row < it->queue->pick.count; row++) {
        int32_t host = host_of(it, row);
        if (host >= 0 && it->ineligible[row] == ALLOT__ELIGIBLE && helps(it, claimant, row) &&
            whole(it, claimant, host))
            it->there[host] += it->queue->pick.slots[row];
    }
    for (int32_t row = 0; row < it->queue->pick.count; row++) {
        int32_t host = host_of(it, row);
        if (host >= 0 && it->ineligible[row] >= ALLOT__INELIGIBLE_DRAINS &&
            it->ineligible[row] != ALLOT__INELIGIBLE_ELSEWHERE)
            it->there[host] = 0; /* some unit is to stay */
    }
}

/* Is a host left before another, or before none (-1)? First the host whose most important session
 * is the least; then the one with the fewest slots that are enough, else with the most. */
static bool goes_before(const host_pick *it, int32_t host, int32_t other, int64_t owed)
{
    int64_t slots = it->there[host];
    int64_t before = other >= 0 ? it->there[other] : 0;
    int32_t here = allot__host_important(it->work, host);
    int32_t there = other >= 0 ? allot__host_important(it->work, other) : INT32_MAX;
    return here != there   ? here < there
           : slots >= owed ? before < owed || slots < before
                           : slots > before;
}

/* The first host that the leaf can leave and is over by its slots; -1: none. */
static int32_t next_whole(const host_pick *it, int64_t owed)
{
    int64_t most = allot__over(it->work, it->queue->row) - it->slots;
    int32_t best = -1;
    for (int32_t host = 0; host < it->work->hosts->count; host++) {
        int64_t slots = it->there[host];
        if (slots > 0 && slots <= most && goes_before(it, host, best, owed))
            best = host;
    }
    return best;
}

/* Leaves hosts whole for a claimant until they cover what it is owed. */
static int leave_hosts(host_pick *it, int32_t claimant, int64_t *owed)
{
    int status = ALLOT_OK;
    count_whole(it, claimant);
    for (int32_t host; status == ALLOT_OK && *owed > 0 && (host = next_whole(it, *owed)) >= 0;) {
        for (int32_t row = 0; row < it->queue->pick.count; row++)
            it->mask[row] =
                host_of(it, row) == host ? it->ineligible[row] : ALLOT__INELIGIBLE_ELSEWHERE;
        status = pick(it, it->mask, it->there[host]);
        *owed -= it->there[host];
        it->there[host] = 0;
        it->queue->whole = true;
    }
    return status;
}

/* Gives idle slots for owed ones; returns the number still owed. */
static int64_t give_idle(host_pick *it, int64_t owed)
{
    int64_t slots = it->idle < owed ? it->idle : owed;
    it->idle -= slots > 0 ? slots : 0;
    it->slots += slots > 0 ? slots : 0;
    return owed - (slots > 0 ? slots : 0);
}

static int pick_for(host_pick *it, int32_t claimant, int64_t owed)
{
    bool apart = it->work->hosts->exclusive_of != NULL;
    if (allot__hosts_takes_lost(it->work->hosts, claimant, it->queue->row))
        owed = give_idle(it, owed);
    int status = apart && owed > 0 ? leave_hosts(it, claimant, &owed) : ALLOT_OK;
    if (status != ALLOT_OK || owed <= 0)
        return status;
    for (int32_t i = 0; i < it->queue->pick.count; i++)
        it->mask[i] = helps(it, claimant, i) ? it->ineligible[i] : ALLOT__INELIGIBLE_ELSEWHERE;
    return pick(it, it->mask, owed);
}

/* Picks for slots still owed, from hosts that serve any claimant. */
static int pick_wanted(host_pick *it)
{
    const uint8_t *wanted = it->work->hosts->wanted;
    if (it->slots >= it->queue->owed)
        return ALLOT_OK;
    for (int32_t i = 0; i < it->queue->pick.count; i++) {
        int32_t host = host_of(it, i);
        it->mask[i] =
            host >= 0 && wanted[host] != 0 ? it->ineligible[i] : ALLOT__INELIGIBLE_ELSEWHERE;
    }
    return pick(it, it->mask, it->queue->owed - it->slots);
}

/* The claimants of a round: those for which hosts matter; then the others; then the former again,
 * with slots that go without a claimant, since a host is of use to an exclusive consumer only once
 * it is empty. */
typedef enum round { PICKY, COMMON, BEYOND, ROUNDS } round;

static int pick_claims(host_pick *it, const allot_claim *claims, int32_t count, round round)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        int64_t left = it->queue->owed - it->slots;
        int64_t owed = claims[i].slots < left && round != BEYOND ? claims[i].slots : left;
        int32_t claimant = allot__row(it->work->plan, it->work->index, claims[i].consumer);
        if (owed > 0 && allot__hosts_picky(it->work->hosts, claimant) == (round != COMMON))
            status = pick_for(it, claimant, owed);
    }
    return status;
}

int allot__victims_pick(const allot__work *work, allot__queue *queue, const allot__orders *orders,
                        const allot__order_back *of, int32_t count)
{
    if (!work->reach) {
        queue->gone = queue->idle < queue->owed ? queue->idle : queue->owed;
        return allot__pick_fast(&queue->pick, queue->owed - queue->gone, work->arena,
                                &queue->picked);
    }
    host_pick it = {.work = work, .queue = queue, .idle = queue->idle};
    int status = begin(&it);
    for (int32_t i = 0; i < ROUNDS * count && status == ALLOT_OK; i++) {
        const allot__order_back *order = &of[i % count];
        if (i == BEYOND * count)
            give_idle(&it, queue->owed - it.slots);
        if (!order->tasks) {
            status =
                pick_claims(&it, orders->claims + order->first, order->count, (round)(i / count));
        }
    }
    status = status == ALLOT_OK ? pick_wanted(&it) : status;
    if (status == ALLOT_OK && it.slots < queue->owed)
        status = pick(&it, it.ineligible, queue->owed - it.slots);
    queue->gone = queue->idle - it.idle;
    queue->picked =
        (allot__picked){.rows = it.rows, .count = it.count, .slots = it.slots - queue->gone};
    return status;
}
