/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* resource.c: the resource that a job waits for, the jobs that hold it, and why they stay. */
#include <inttypes.h>
#include <string.h>

#include "engine/jobs/limits/resource.h"
#include "engine/explain/job.h"

static int64_t amount_of(const allot__job_explanation *it, int32_t job, int32_t resource)
{
    int32_t count;
    const allot_job_resource *of = allot__job_resources(it->jobs, job, &count);
    for (int32_t i = 0; i < count; i++)
        if (of[i].resource == resource)
            return of[i].amount;
    return 0;
}

static const char *name_of(const allot__job_explanation *it, int32_t resource)
{
    allot_resource of = {NULL, 0, 0};
    (void)allot_plan_resource_at(it->about.work->plan, resource, &of);
    return of.name;
}

void allot__explain_resources(const allot__job_explanation *it)
{
    int32_t count;
    const allot_job_resource *of = allot__job_resources(it->jobs, it->number, &count);
    for (int32_t i = 0; i < count; i++) {
        allot__explain(&it->about, "It %s %" PRId64 " of the resource \"%.100s\" (P-42).",
                       it->job->state == ALLOT_PENDING ? "asks for" : "holds", of[i].amount,
                       name_of(it, of[i].resource));
    }
}

void allot__explain_released(const allot__job_explanation *it, int32_t other)
{
    int32_t count;
    const allot_job_resource *of = allot__job_resources(it->jobs, it->number, &count);
    bool ends = allot__action_ends(it->queue->on_preempt);
    for (int32_t i = 0; i < count && ends; i++) {
        int64_t asked = amount_of(it, other, of[i].resource);
        if (asked > 0) {
            allot__explain(&it->about,
                           "It releases %" PRId64
                           " of the resource \"%.100s\", of which that one asks "
                           "for %" PRId64 " (P-42).",
                           of[i].amount, name_of(it, of[i].resource), asked);
        }
    }
}

/* By queue: what its jobs hold once the cycle is over, and how many do. */
static void count_held(const allot__job_explanation *it, int32_t resource)
{
    size_t queues = (size_t)allot__queue_count(it->about.work->plan);
    memset(it->tally, 0, 2 * queues * sizeof *it->tally);
    for (size_t i = 0; i < it->jobs->list.count; i++) {
        uint8_t now = it->out->jobs[i].now;
        int64_t held = now == ALLOT_PENDING || now == ALLOT_JOB_STATE_COUNT
                           ? 0
                           : amount_of(it, (int32_t)i, resource);
        int32_t queue = allot__explain_job(it, (int32_t)i)->queue;
        it->tally[2 * queue] += held > 0;
        it->tally[2 * queue + 1] += held;
    }
}

/* Why the jobs of a queue do not go for it. */
static const char *stay(const allot__job_explanation *it, int32_t queue)
{
    if (!allot__explain_may(it, it->job->queue, queue))
        return "it may not preempt these (P-7)";
    return allot__action_ends(allot__explain_queue_of(it, queue)->on_preempt)
               ? "it may preempt these, and they end when they are (P-41)"
               : "suspended, these would keep it: TERMINATE_WHEN does not name PREEMPT (P-42)";
}

static void explain_holders(const allot__job_explanation *it)
{
    for (int32_t queue = 0; queue < allot__queue_count(it->about.work->plan); queue++) {
        int64_t jobs = it->tally[2 * queue];
        if (jobs > 0) {
            allot__explain(&it->about, "  %" PRId64 " job%s of /%s hold%s %" PRId64 ": %s.", jobs,
                           jobs == 1 ? "" : "s", allot__explain_queue_of(it, queue)->name,
                           jobs == 1 ? "s" : "", it->tally[2 * queue + 1], stay(it, queue));
        }
    }
}

void allot__explain_resource(const allot__job_explanation *it)
{
    const allot__resources *resources = it->out->bounds.resources;
    allot_resource of = {NULL, 0, 0};
    int32_t number = it->verdict.binding;
    int64_t asked = amount_of(it, it->number, number);
    (void)allot_plan_resource_at(it->about.work->plan, number, &of);
    allot__explain(&it->about,
                   "Of \"%.100s\" there are %" PRId64 ", and %" PRId64 " are held: %" PRId64
                   " more are too many (P-42).",
                   of.name, of.amount, resources->used[number], asked);
    if (asked > of.amount) {
        allot__explain(&it->about, "That is more than there are: as things are, it never starts.");
        return;
    }
    count_held(it, number);
    explain_holders(it);
    if (!of.preemptable) {
        allot__explain(
            &it->about,
            "No job is preempted for it: PREEMPTABLE_RESOURCES does not name it (P-42).");
    } else if (it->verdict.why == ALLOT_PEND_RESOURCE_WAIT) {
        int64_t wait = allot__preemption_wait(it->queues);
        int64_t ago = allot__ran(it->about.work->state->now, resources->told_at[number]);
        allot__explain(&it->about,
                       "Jobs were preempted for it %" PRId64 " s ago, and PREEMPTION_WAIT_TIME is "
                       "%" PRId64 " s: in %" PRId64 " s more may be (P-36).",
                       ago, wait, wait - ago);
    } else {
        allot__explain(&it->about,
                       "Those that may go, and are not protected, do not release enough of it and "
                       "of slots: no job is preempted (A-10).");
    }
}
