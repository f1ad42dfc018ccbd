/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* begin.c: counts what queues have at the beginning of a cycle. */
#include <string.h>

#include "base/usage.h"
#include "engine/jobs/turn.h"
#include "engine/rows/flight.h"

int allot__turns_make(allot__turns *turns)
{
    allot__dispatched *out = turns->out;
    size_t jobs = turns->jobs->list.count, hosts = (size_t)out->view.count;
    size_t queues = (size_t)allot__queue_count(turns->work->plan);
    size_t pools = (size_t)turns->queues->pool_count;
    turns->kinds = out->view.exclusive ? 2 : 1;
    size_t classes = (size_t)turns->kinds * (out->bounds.classes.count + queues);
    int status = ALLOT__ZEROED_ALL(
        turns->work->arena, ALLOT__WANTED(turns->states, jobs), ALLOT__WANTED(turns->list, jobs),
        ALLOT__WANTED(turns->grown, jobs), ALLOT__WANTED(out->jobs, jobs),
        ALLOT__WANTED(turns->fits, classes), ALLOT__WANTED(turns->searches, classes),
        ALLOT__WANTED(turns->backs, classes), ALLOT__WANTED(turns->places, hosts),
        ALLOT__WANTED(turns->back_places, hosts), ALLOT__WANTED(turns->hosts, hosts),
        ALLOT__WANTED(out->parts, queues), ALLOT__WANTED(out->used, queues),
        ALLOT__WANTED(out->usage, 2 * queues), ALLOT__WANTED(out->sequence, queues),
        ALLOT__WANTED(out->cuts, queues), ALLOT__WANTED(turns->all, queues),
        ALLOT__WANTED(turns->of_queue, queues), ALLOT__WANTED(turns->grows, queues),
        ALLOT__WANTED(turns->fresh, queues), ALLOT__WANTED(turns->reached, queues),
        ALLOT__WANTED(turns->slice, queues), ALLOT__WANTED(turns->first, queues),
        ALLOT__WANTED(turns->rows, queues), ALLOT__WANTED(turns->pending, queues),
        ALLOT__WANTED(out->pools, pools), ALLOT__WANTED(turns->pools, pools),
        ALLOT__WANTED(turns->own, pools), ALLOT__WANTED(turns->held, pools),
        ALLOT__WANTED(turns->kept, pools),
        ALLOT__WANTED(turns->other, jobs > queues ? jobs : queues),
        ALLOT__WANTED(turns->waits, jobs));
    return status;
}

static allot_queue_part part_of(const allot__queue_jobs *jobs)
{
    const int64_t *slots = jobs->slots;
    const int32_t *count = jobs->count;
    return (allot_queue_part){.pending = slots[ALLOT_PENDING],
                              .pending_jobs = count[ALLOT_PENDING],
                              .running = slots[ALLOT_RUNNING] + jobs->grown,
                              .running_jobs = count[ALLOT_RUNNING],
                              .suspended = slots[ALLOT_SUSPENDED] + slots[ALLOT_STOPPED],
                              .suspended_jobs = count[ALLOT_SUSPENDED] + count[ALLOT_STOPPED]};
}

static void note_grower(allot__turns *turns, int32_t queue)
{
    allot__turn *turn = turns->of_queue[queue];
    turns->grows[queue] = turn->grows = true;
    turns->pools_grow = turns->pools_grow || turn->pool >= 0;
}

/* Slots of running jobs that started at the same time. */
typedef struct alike {
    int64_t since, slots;
} alike;

/* Use by a queue's running jobs since the time of the state's use, in millionths of slot-seconds;
 * the last jobs alike are not in that sum yet. */
typedef struct queue_use {
    allot__u128 sum;
    alike last;
} queue_use;

typedef struct uses {
    queue_use *queues;
    int64_t at; /* the time of the state's use */
    allot__pace pace;
} uses;

static allot__u128 made_by(const allot__turns *turns, const alike *jobs, const allot__pace *pace)
{
    int64_t seconds = allot__seconds_between(jobs->since, turns->work->state->now);
    return allot__usage_made(jobs->slots, seconds, pace);
}

static void add_use(const allot__turns *turns, uses *uses, const allot__job *job)
{
    const allot__u128 enough = (allot__u128)ALLOT__USAGE_MOST * ALLOT__MILLION;
    const int64_t most_slots = (int64_t)1 << 39;
    queue_use *use = &uses->queues[job->queue];
    int64_t since = job->started > uses->at ? job->started : uses->at;
    if (use->sum >= enough)
        return;
    if (since != use->last.since || use->last.slots > most_slots) {
        use->sum += made_by(turns, &use->last, &uses->pace);
        use->last = (alike){since, 0};
    }
    use->last.slots += job->slots;
}

/* P-43: does the job backfill slots whose reservation is due now? */
static bool overdue(const allot__turns *turns, const allot__job *job)
{
    return (job->flags & ALLOT_JOB_BACKFILL) && job->state == ALLOT_RUNNING &&
           allot__queue_at(turns->queues, job->queue)->interruptible_backfill != ALLOT_NONE &&
           job->more->until <= turns->work->state->now;
}

/* Adds the use of a queue's running jobs. */
static void add_uses(const allot__turns *turns, uses *uses, int32_t queue)
{
    const allot__jobs *jobs = turns->jobs;
    const allot__queue_jobs *of = &jobs->queues[queue];
    if (of->latest <= uses->at) {
        uses->queues[queue].last = (alike){uses->at, of->slots[ALLOT_RUNNING]};
        return;
    }
    int32_t from, end = allot__jobs_of(jobs, queue, ALLOT_RUNNING, &from);
    for (int32_t i = from; i < end; i++) {
        const allot__job *job = allot__job_at(jobs, jobs->by_queue[i]);
        if (job->state == ALLOT_RUNNING)
            add_use(turns, uses, job);
    }
}

static void count_jobs(allot__turns *turns, uses *uses)
{
    for (size_t i = 0; i < turns->jobs->list.count; i++) {
        const allot__job_brief *job = &turns->jobs->briefs[i];
        turns->states[i] = job->state;
        turns->out->jobs[i] =
            (allot__job_verdict){.now = job->state,
                                 .why = job->early ? ALLOT_PEND_BEGIN : ALLOT_PEND_NOT,
                                 .binding = -1,
                                 .order = -1};
    }
    allot__host_view_fill(&turns->out->view);
    for (int32_t q = 0; q < allot__queue_count(turns->work->plan); q++) {
        const allot__queue_jobs *of = &turns->jobs->queues[q];
        allot_queue_part *part = &turns->out->parts[q];
        *part = part_of(of);
        turns->pending[q] = part->pending;
        turns->stopped = turns->stopped || of->count[ALLOT_STOPPED] > 0;
        allot__turn_use(turns, q, part->running + part->suspended);
        if (of->growing > 0)
            note_grower(turns, q);
        add_uses(turns, uses, q);
    }
}

/* decays the state's use until now, and adds the use since then. */
static void count_usage(allot__turns *turns, const uses *uses)
{
    const allot__jobs *jobs = turns->jobs;
    const allot__decay *decay = turns->work->plan->fades;
    int64_t now = turns->work->state->now;
    allot__fading fading =
        allot__fading_over(allot__seconds_between(uses->at, now), &decay->by, &decay->roots);
    for (int32_t q = 0; q < allot__queue_count(turns->work->plan); q++) {
        allot__u128 use = jobs->usage ? allot__usage_whole(&jobs->usage[q]) : 0;
        use = allot__usage_left(use, &fading) + uses->queues[q].sum;
        use += made_by(turns, &uses->queues[q].last, &uses->pace);
        allot__usage usage = allot__usage_cut(use, now);
        allot_queue_part *part = &turns->out->parts[q];
        turns->out->usage[2 * q] = part->usage = usage.slot_seconds;
        turns->out->usage[2 * q + 1] = part->usage_millionths = usage.millionths;
    }
}

/* Stops a job without a preemptor; held while the job is being notified of new slots. */
static int stop(allot__turns *turns, allot__stop order)
{
    order.preemptor = -1;
    int status = ALLOT_OK;
    if (!order.held)
        status = allot__job_turn(&turns->out->view, &turns->out->bounds, order.job, true, -1);
    return status == ALLOT_OK ? allot__order_stop(turns, &order) : status;
}

static int end_backfill(allot__turns *turns)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; (size_t)i < turns->jobs->list.count && status == ALLOT_OK; i++)
        if (overdue(turns, allot__job_at(turns->jobs, i)))
            status = stop(
                turns, (allot__stop){.job = i, .action = ALLOT_KILL, .reason = "reservation-due"});
    return status;
}

static int64_t slots_on_closed(const allot__turns *turns, const allot__job *job)
{
    const allot__site *sites = turns->work->state->tasks.sites;
    const allot__job_place *places = allot__job_places(job);
    int64_t slots = 0;
    for (int32_t i = 0; i < job->place_count; i++) {
        bool closed = places[i].site >= 0 && sites[places[i].site].closed == ALLOT_CLOSED_NOW;
        slots += closed ? places[i].slots : 0;
    }
    return slots;
}

/* Stops running jobs with slots on hosts that are closed with reclaim (C-10, E-34), on whatever
 * other hosts they run. As with tasks, no guard protects them, and no other job need want the
 * slots. A suspended job would keep its slots, so the host would not be free: if the job's queue
 * would suspend it, saved or not, the job is killed and pending again, and may start elsewhere.
 * This does not count as a preemption. A job suspended there uses no slots: it stays
 * suspended, and is not resumed while the host is closed. */
static int end_closed(allot__turns *turns)
{
    int status = ALLOT_OK;
    if (!allot__any_closed(turns->work->state, ALLOT_CLOSED_NOW))
        return ALLOT_OK;
    for (int32_t i = 0; (size_t)i < turns->jobs->list.count && status == ALLOT_OK; i++) {
        const allot__job *job = allot__job_at(turns->jobs, i);
        bool runs = turns->out->jobs[i].now == ALLOT_RUNNING;
        int64_t closed = runs ? slots_on_closed(turns, job) : 0;
        bool kill = allot__queue_at(turns->queues, job->queue)->on_preempt == ALLOT_KILL;
        if (closed > 0)
            status = stop(turns, (allot__stop){.job = i,
                                               .action = kill ? ALLOT_KILL : ALLOT_REQUEUE,
                                               .held = job->notifying,
                                               .reason = "closed-host",
                                               .closed = closed});
    }
    return status;
}

int allot__dispatch_begin(allot__turns *turns)
{
    const allot_state *state = turns->work->state;
    uses uses = {.at = state->usage_at_set ? state->usage_at : state->now,
                 .pace = turns->work->plan->fades->pace};
    uses.queues = allot__zeroed(turns->work, (size_t)allot__queue_count(turns->work->plan),
                                sizeof *uses.queues);
    if (!uses.queues)
        return ALLOT_ENOMEM;
    count_jobs(turns, &uses);
    turns->out->bounds.states = turns->states;
    count_usage(turns, &uses);
    bool backfills = allot__jobs_flagged(turns->jobs, ALLOT_JOB_BACKFILL) > 0;
    int status = backfills ? end_backfill(turns) : ALLOT_OK;
    return status == ALLOT_OK ? end_closed(turns) : status;
}
