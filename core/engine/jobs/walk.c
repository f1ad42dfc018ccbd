/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* walk.c: visits queues in their order, and the jobs of each. */
#include <string.h>

#include "engine/jobs/limits/resource.h"
#include "engine/jobs/preempt/job_rows.h"
#include "engine/jobs/reserve.h"
#include "engine/jobs/turn.h"
#include "engine/rows/order.h"

/* How far ahead jobs are prefetched, in turns too long to stay in the cache once listed. */
enum { AHEAD = 8 };

static int resume(allot__turns *turns, int32_t job)
{
    bool preempts = false, fits = allot__fit_resume(turns, job);
    int status = fits ? ALLOT_OK : allot__fit_preempting(turns, job, &preempts);
    if (status == ALLOT_OK && (fits || preempts))
        status = allot__order_resume(turns, job, preempts ? "preempted" : "free");
    if (status == ALLOT_OK && preempts)
        allot__again_look(turns, job);
    return status;
}

static bool waits(const allot__turns *turns, int32_t job)
{
    return turns->states[job] == ALLOT_SUSPENDED || turns->states[job] == ALLOT_PENDING;
}

ALLOT__INLINE void call_ahead(const allot__turns *turns, const int32_t *jobs, int32_t at,
                              int32_t count)
{
    if (at + 2 * AHEAD < count)
        allot__job_announce(turns, jobs[at + 2 * AHEAD]);
    if (at + AHEAD < count)
        allot__job_call(turns, jobs[at + AHEAD]);
}

/* Tries a job; notes a job that still waits, which claims its slots if it is suspended. */
static int try(allot__turns *turns, allot__turn *turn, int32_t job)
{
    bool started;
    int status = ALLOT_OK;
    if (turns->out->jobs[job].why == ALLOT_PEND_HELD)
        status = allot__hold_leave(turns, job);
    if (status == ALLOT_OK)
        status = turns->states[job] == ALLOT_SUSPENDED
                     ? resume(turns, job)
                     : allot__turn_start(turns, job, "free", &started);
    if (!waits(turns, job))
        return status;
    turn->waits[turn->waiting++] = job;
    if (turns->states[job] == ALLOT_SUSPENDED)
        allot__host_view_claim(&turns->out->view, job);
    int64_t lack = allot__fit_lack(turns, job);
    turn->lack = lack < turn->lack ? lack : turn->lack;
    return status;
}

/* Tries the jobs that waited when last tried. */
static int try_waiting(allot__turns *turns, allot__turn *turn)
{
    int32_t count = turn->waiting, i = 0;
    int status = ALLOT_OK;
    turn->waiting = 0;
    for (; i < count && status == ALLOT_OK && !turns->again; i++) {
        call_ahead(turns, turn->waits, i, count);
        if (waits(turns, turn->waits[i]))
            status = try(turns, turn, turn->waits[i]);
    }
    memmove(turn->waits + turn->waiting, turn->waits + i, (size_t)(count - i) * sizeof(int32_t));
    turn->waiting += count - i;
    return status;
}

static int try_others(allot__turns *turns, allot__turn *turn)
{
    int status = ALLOT_OK;
    while (turn->at < turn->count && status == ALLOT_OK && !turns->again) {
        const int32_t *jobs = turn->jobs + turn->at;
        int32_t passed = allot__fit_pass(turns, jobs, turn->count - turn->at, &turn->lack);
        if (passed > 0)
            memcpy(turn->waits + turn->waiting, jobs, (size_t)passed * sizeof *jobs);
        turn->waiting += passed;
        turn->at += passed;
        if (turn->at == turn->count)
            break;
        call_ahead(turns, turn->jobs, turn->at, turn->count);
        status = try(turns, turn, turn->jobs[turn->at++]);
    }
    return status;
}

/* Is it certain that no job fits now that did not before? Where slots may be reserved, all turns
 * are taken again, as reservations are made anew. */
static bool settled(const allot__turns *turns, const allot__turn *turn)
{
    int64_t freed = turns->freed - turn->seen;
    bool fits = turn->waiting > 0 && freed >= turn->lack;
    return !turns->reserve && turn->listed && !turn->anew && turn->pool < 0 &&
           turn->at == turn->count && !fits && !(turn->grows && freed > 0);
}

/* Skips a turn: its suspended jobs still claim their slots. */
static void pass(allot__turns *turns, const allot__turn *turn)
{
    allot__turn_claim_stopped(turns, turn);
    for (int32_t i = 0; turn->suspended > 0 && i < turn->waiting; i++) {
        if (turns->states[turn->waits[i]] == ALLOT_PENDING)
            break;
        if (turns->states[turn->waits[i]] == ALLOT_SUSPENDED)
            allot__host_view_claim(&turns->out->view, turn->waits[i]);
    }
}

static int take_turn(allot__turns *turns, allot__turn *turn)
{
    int status = turn->pool >= 0 ? allot__pool_reach(turns, turn->queues[0]) : ALLOT_OK;
    if (status == ALLOT_OK && (!turn->listed || turn->anew))
        status = allot__turn_list(turns, turn);
    turn->next = turn->suspended;
    turn->seen = turns->freed;
    turn->lack = INT64_MAX;
    allot__turn_claim_stopped(turns, turn);
    if (status == ALLOT_OK)
        status = try_waiting(turns, turn);
    if (status == ALLOT_OK)
        status = try_others(turns, turn);
    if (turns->again)
        turn->lack = 0; /* as not all were tried */
    for (int32_t i = 0; i < turn->queue_count && status == ALLOT_OK && !turns->again; i++)
        if (turns->grows[turn->queues[i]])
            status = allot__turn_grow(turns, turn->queues[i]);
    return status == ALLOT_OK && turn->pool >= 0 ? allot__pool_rest(turns, turn->pool) : status;
}

/* ---- All turns ------------------------------------------------------------------------------- */

static bool alone(const allot__turns *turns, int32_t queue)
{
    return allot__turn_pool(turns, queue) >= 0 ||
           allot__queue_at(turns->queues, queue)->fairshare != 0;
}

/* Moves queues that share a turn with the queue at `at`, of the same PRIORITY or across, next
 * behind it; those between follow. Returns how many share the turn. */
static int32_t merge(const allot__turns *turns, int32_t *sequence, int32_t at, int32_t count,
                     int32_t *other)
{
    int32_t priority = allot__queue_at(turns->queues, sequence[at])->priority;
    bool across = turns->work->rules[0].policy->switches[ALLOT_SWITCH_TOGETHER];
    int32_t together = at, others = 0, end = at;
    for (; end < count &&
           (across || allot__queue_at(turns->queues, sequence[end])->priority == priority);
         end++)
        if (alone(turns, sequence[end]))
            other[others++] = sequence[end];
        else
            sequence[together++] = sequence[end];
    memcpy(sequence + together, other, (size_t)others * sizeof *other);
    return together - at;
}

/* Rule 7. A pool's slices are cut anew after changes, for jobs that want to grow. */
static bool turns_back(allot__turns *turns, int32_t at, size_t *orders)
{
    bool ends = at == turns->count && turns->pools_grow && turns->out->orders.count > *orders;
    if (!turns->again && !ends)
        return false;
    turns->again = false;
    turns->turned_back = true;
    *orders = turns->out->orders.count;
    allot__host_view_claim_none(&turns->out->view);
    allot__pools_reset(turns);
    allot__reserve_reset(turns);
    return true;
}

static int walk(allot__turns *turns)
{
    int status = ALLOT_OK;
    size_t orders = turns->out->orders.count;
    for (int32_t i = 0; i < turns->count && status == ALLOT_OK;) {
        if (settled(turns, &turns->all[i]))
            pass(turns, &turns->all[i]);
        else
            status = take_turn(turns, &turns->all[i]);
        i = status == ALLOT_OK && turns_back(turns, i + 1, &orders) ? 0 : i + 1;
    }
    return status == ALLOT_OK && turns->reserve ? turns->reserve->status : status;
}

/* Lists the jobs of all turns, in order, without jobs preempted in this cycle: their orders state
 * why they wait. */
static void list_tried(allot__turns *turns)
{
    int32_t count = 0;
    for (int32_t i = 0; i < turns->count; i++) {
        const allot__turn *turn = &turns->all[i];
        for (int32_t k = 0; k < turn->suspended; k++) {
            int32_t job = turn->jobs[k];
            allot__job_verdict *verdict = &turns->out->jobs[job];
            if (turns->jobs->briefs[job].state == ALLOT_RUNNING) {
                verdict->why = ALLOT_PEND_NOT;
                verdict->binding = -1;
            } else {
                turns->list[count++] = job;
            }
        }
        size_t pending = (size_t)(turn->count - turn->suspended);
        if (pending > 0)
            memmove(turns->list + count, turn->jobs + turn->suspended,
                    pending * sizeof *turn->jobs);
        count += (int32_t)pending;
    }
    turns->out->tried = turns->list;
    turns->out->tried_count = count;
}

static void make_turns(allot__turns *turns)
{
    int32_t count = allot__queue_count(turns->work->plan);
    int32_t *sequence = turns->out->sequence;
    for (int32_t i = 0; i < count;) {
        allot__turn *turn = &turns->all[turns->count++];
        *turn = (allot__turn){
            .queues = sequence + i, .queue_count = 1, .pool = allot__turn_pool(turns, sequence[i])};
        if (!alone(turns, sequence[i]))
            turn->queue_count = merge(turns, sequence, i, count, turns->other);
        for (int32_t k = 0; k < turn->queue_count; k++, i++)
            turns->of_queue[sequence[i]] = turn;
    }
}

/* By PRIORITY, then as in the file. */
static int make_sequence(allot__turns *turns)
{
    int32_t count = allot__queue_count(turns->work->plan);
    int64_t *keys = allot__arena_take(turns->work->arena, (size_t)count + 1, sizeof *keys);
    if (!keys)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < count; i++) {
        turns->out->sequence[i] = i;
        keys[i] = ~(int64_t)allot__queue_at(turns->queues, i)->priority;
    }
    allot__sort_rows(turns->out->sequence, turns->other, keys, 0, count);
    make_turns(turns);
    return ALLOT_OK;
}

/* Sets the places of orders, as the list of places is final now. */
static void finish_orders(allot__dispatched *out)
{
    allot_job_order *orders = out->orders.items;
    allot_place *places = out->places.items;
    for (size_t i = 0; i < out->orders.count; i++) {
        orders[i].places = NULL;
        if (orders[i].place_count == 0)
            continue;
        orders[i].places = places;
        places += orders[i].place_count;
    }
}

int allot__dispatch(allot__work *work, const allot_lease_part *leases, allot__dispatched *out)
{
    *out = (allot__dispatched){.searched = false, .due = INT64_MAX};
    allot__turns turns = {.work = work,
                          .out = out,
                          .queues = allot__queues_of(work->plan),
                          .jobs = work->state->jobs};
    int status = allot__host_view_begin(work, &out->view);
    status = status ? status : allot__host_view_lease(&out->view, leases);
    status = status ? status : allot__bounds_make(work, &out->view, &out->bounds);
    status = status ? status : allot__resources_make(work, &out->bounds.resources);
    status = status ? status : allot__turns_make(&turns);
    status = status ? status : make_sequence(&turns);
    status = status ? status : allot__dispatch_begin(&turns);
    status = status ? status : allot__job_ranks_make(work);
    status = status ? status : allot__turn_keys(&turns);
    status = status ? status : allot__reserve_make(&turns);
    status = status ? status : walk(&turns);
    status = status || !turns.cancels ? status : allot__back_finish(&turns);
    status = status ? status : allot__dispatch_rows(&turns);
    allot__vector_free(work->plan->engine, &turns.marks);
    allot__vector_free(work->plan->engine, &turns.holds);
    allot__vector_free(work->plan->engine, &turns.holding);
    allot__reserve_end(&turns);
    out->bounds.states = NULL;
    if (status == ALLOT_OK) {
        list_tried(&turns);
        finish_orders(out);
    } else {
        allot__dispatched_free(work, out);
    }
    return status;
}

void allot__dispatched_free(allot__work *work, allot__dispatched *dispatched)
{
    allot_engine *engine = work->plan->engine;
    allot__bounds_free(&dispatched->bounds);
    allot__vector_free(engine, &dispatched->orders);
    allot__vector_free(engine, &dispatched->places);
    *dispatched = (allot__dispatched){.searched = false};
}
