/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue.c: what a queue wants, has and gets, what binds it, and why its jobs wait. */
#include "engine/explain/queue.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/jobs/dispatch.h"

enum { NAMED = 6 };

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static const allot__queues *queues_of(const allot__explanation *about)
{
    return allot__queues_of(about->work->plan);
}

/* ---- Its jobs -------------------------------------------------------------------------------- */

static void explain_changes(const allot__explanation *about, const allot_queue_part *part)
{
    const struct {
        const char *verb;
        int64_t slots;
    } changes[] = {{"starts jobs on", part->started},
                   {"resumes jobs on", part->resumed},
                   {"lets jobs grow by", part->grown},
                   {"is preempted on", part->preempted}};
    int64_t after = part->running + part->started + part->resumed + part->grown - part->preempted;
    allot__sentence text = {.len = 0};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        if (changes[i].slots > 0) {
            allot__sentence_next(&text);
            allot__sentence_add(&text, "%s %" PRId64, changes[i].verb, changes[i].slots);
        }
    }
    if (text.len == 0)
        allot__explain(about, "In this cycle nothing changes for it.");
    else
        allot__explain(about, "In this cycle it %s: then it runs on %s.", text.text,
                       allot__phrase_slots(after).text);
}

static void explain_jobs(const allot__explanation *about, int32_t number)
{
    const allot_queue *queue = allot__queue_at(queues_of(about), number);
    const allot_queue_part *part = &about->decision->dispatched->parts[number];
    allot__explain(about, "/%s is a queue of PRIORITY %" PRId32 ".", queue->name, queue->priority);
    char suspended[80] = "";
    if (part->suspended_jobs > 0) {
        snprintf(suspended, sizeof suspended, ", %" PRId64 " for %" PRId64 " suspended",
                 part->suspended, part->suspended_jobs);
    }
    allot__explain(about,
                   "It wants %s: %" PRId64 " for %" PRId64 " running, %" PRId64 " for %" PRId64
                   " waiting%s jobs.",
                   allot__phrase_slots(part->running + part->pending + part->suspended).text,
                   part->running, part->running_jobs, part->pending, part->pending_jobs, suspended);
    explain_changes(about, part);
}

static void explain_waiting(const allot__explanation *about, int32_t queue)
{
    const allot__dispatched *out = about->decision->dispatched;
    const allot__jobs *jobs = about->decision->state->jobs;
    int64_t counts[ALLOT_PEND_COUNT] = {0};
    int32_t first[ALLOT_PEND_COUNT] = {0};
    for (int32_t i = jobs->first[queue]; i < jobs->first[queue + 1]; i++) {
        int32_t job = jobs->by_queue[i];
        first[out->jobs[job].why] =
            counts[out->jobs[job].why]++ == 0 ? job : first[out->jobs[job].why];
    }
    for (int why = ALLOT_PEND_NOT + 1; why < ALLOT_PEND_COUNT; why++) {
        if (counts[why] > 0) {
            allot__explain(about, "%" PRId64 " job%s wait%s (%s%.100s): %s.", counts[why],
                           plural(counts[why]), counts[why] == 1 ? "s" : "",
                           counts[why] == 1 ? "" : "the first is ",
                           allot__job_at(jobs, first[why])->id, allot_pending_text(why));
        }
    }
}

/* ---- Limits ---------------------------------------------------------------------------------- */

/* Its own, and those stated for themselves that hold of all its jobs together. */
static void explain_limits(const allot__explanation *about, int32_t queue)
{
    const allot__bounds *bounds = &about->decision->dispatched->bounds;
    int32_t shown = 0;
    for (size_t i = 0; i < bounds->list.count; i++) {
        const allot__bound *bound = allot__bound_at(bounds, (int32_t)i);
        const allot__job_limit *limit = allot__limit_at(bounds, bound->limit);
        int32_t each = ALLOT_PER_USER | ALLOT_PER_GROUP | ALLOT_PER_HOST;
        bool all = (limit->stated.per & each) == 0;
        bool own = limit->queue == queue || bound->queue == queue;
        if (!all || !own || shown++ >= NAMED)
            continue;
        allot__explain(
            about, "Its limit \"%.100s\" is %" PRId64 ", of which %" PRId64 " %s used now%s.",
            limit->stated.name, bound->most, bound->used, bound->used == 1 ? "is" : "are",
            bound->used >= bound->most ? ": it binds" : "");
    }
}

/* ---- Preemption ------------------------------------------------------------------------------ */

static void explain_relation(const allot__explanation *about, int32_t queue, bool above)
{
    const allot__relation *relation = about->work->plan->relation;
    allot__sentence names = {.len = 0};
    int32_t count = 0;
    for (int32_t other = 0; other < relation->count; other++) {
        bool may = above ? allot__may_preempt(relation, other, queue)
                         : allot__may_preempt(relation, queue, other);
        if (!may || count++ >= NAMED)
            continue;
        int32_t level = above ? 0 : allot__preference(relation, queue, other);
        allot__sentence_next(&names);
        allot__sentence_add(&names, "/%.50s", allot__queue_at(queues_of(about), other)->name);
        if (level > 0)
            allot__sentence_add(&names, "+%" PRId32, level);
    }
    const char *more = count > NAMED ? ", ..." : "";
    if (count == 0) {
        allot__explain(about, above ? "No queue may preempt its jobs (P-7)."
                                    : "Its jobs may preempt no jobs (P-7).");
    } else {
        allot__explain(about,
                       above ? "%" PRId32 " queue%s may preempt its jobs (P-7): %s%s."
                             : "Its jobs may preempt those of %" PRId32 " queue%s (P-7): %s%s.",
                       count, plural(count), names.text, more);
    }
}

int allot__explain_queue(const allot__explanation *about, int32_t queue)
{
    explain_jobs(about, queue);
    int status = allot__explain_slices(about, queue);
    if (status != ALLOT_OK)
        return status;
    explain_limits(about, queue);
    explain_relation(about, queue, false);
    explain_relation(about, queue, true);
    explain_waiting(about, queue);
    return ALLOT_OK;
}
