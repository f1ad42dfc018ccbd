/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * closed.c: what runs on hosts that are closed with reclaim goes (C-10, E-34).
 *
 * A running job goes that has slots on such a host, on however many others it has some too, and
 * whatever protects it from being preempted: as with tasks, no guard holds, and nobody has to want
 * its slots. Suspended there it would keep them, so that the host would not be free: where its
 * queue says no other than to suspend it, saved or not, it is killed and pending again, and may
 * start elsewhere. That is no preemption, and counts as none. While it is told of new slots
 * it is held back. Who is suspended there stays so, and is not resumed while the host is
 * closed: it runs on nothing.
 */
#include "engine/jobs/turn.h"
#include "engine/rows/flight.h"

static int64_t slots_on_closed(const allot__turns *turns, const allot__job *job)
{
    const allot__site *sites = turns->work->state->tasks.sites;
    const allot__job_place *places = allot__job_places(turns->jobs, job);
    int64_t slots = 0;
    for (int32_t i = 0; i < job->place_count; i++) {
        bool closed = places[i].site >= 0 && sites[places[i].site].closed == ALLOT_CLOSED_NOW;
        slots += closed ? places[i].slots : 0;
    }
    return slots;
}

static int stop(allot__turns *turns, int32_t number, int64_t closed)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    bool kill = allot__queue_at(turns->queues, job->queue)->on_preempt == ALLOT_KILL;
    allot__stop order = {.job = number,
                         .preemptor = -1,
                         .action = kill ? ALLOT_KILL : ALLOT_REQUEUE,
                         .held = job->notifying,
                         .reason = "closed-host",
                         .closed = closed};
    int status = order.held ? ALLOT_OK : allot__job_turn(turns, number, order.action, -1);
    return status == ALLOT_OK ? allot__order_stop(turns, &order) : status;
}

int allot__dispatch_closed(allot__turns *turns)
{
    int status = ALLOT_OK;
    if (!allot__any_closed(turns->work->state, ALLOT_CLOSED_NOW))
        return ALLOT_OK;
    for (int32_t i = 0; (size_t)i < turns->jobs->list.count && status == ALLOT_OK; i++) {
        int64_t closed = turns->out->jobs[i].now == ALLOT_RUNNING
                             ? slots_on_closed(turns, allot__job_at(turns->jobs, i))
                             : 0;
        if (closed > 0)
            status = stop(turns, i, closed);
    }
    return status;
}
