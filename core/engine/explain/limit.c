/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* limit.c: the limit that binds a job, and its queue's part of a pool. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/explain/job.h"
#include "engine/explain/queue.h"

/* ---- Limits ---------------------------------------------------------------------------------- */

/* The queue, user, group or host of a bound, as words behind what it allows. */
static allot__sentence whose(const allot__job_explanation *it, const allot__bound *bound)
{
    allot__sentence words = {.len = 0};
    const allot_state *state = it->about.work->state;
    if (bound->queue >= 0)
        allot__sentence_add(&words, " for queue /%.60s",
                            allot__explain_queue_of(it, bound->queue)->name);
    if (bound->user >= 0)
        allot__sentence_add(&words, " for user %.60s", allot__job_user(state, bound->user));
    if (bound->group >= 0)
        allot__sentence_add(&words, " for group %.60s", allot__job_group(state, bound->group));
    if (bound->host >= 0 && it->out->view.site[bound->host] >= 0)
        allot__sentence_add(&words, " on host %.60s",
                            state->tasks.sites[it->out->view.site[bound->host]].name);
    return words;
}

/* The word of PREEMPT_FOR that leaves suspended jobs out of a limit; NULL: none does (P-21). */
static const char *lifting(const allot__job_limit *limit)
{
#define NAME(name, text, doc) #name,
    static const char *const names[] = {ALLOT_LIFT_MAP(NAME)};
#undef NAME
    int32_t word = allot__limit_lift(limit);
    return word != 0 ? names[__builtin_ctz((uint32_t)word)] : NULL;
}

static void explain_counted(const allot__job_explanation *it, const allot__bound *bound,
                            const allot__job_limit *limit, int64_t more)
{
    const char *word = lifting(limit);
    if (bound->asleep == 0)
        return;
    if (limit->queue_level || !word || !it->queues->preempts) {
        allot__explain(&it->about, "  %" PRId64 " of these are suspended jobs', which count: %s.",
                       bound->asleep,
                       !it->queues->preempts ? "no job preempts in this plan (P-20)"
                       : limit->queue_level  ? "they always do in a queue's own limits (P-22)"
                                            : "no word of PREEMPT_FOR leaves them out here (P-21)");
        return;
    }
    int64_t left = bound->most - bound->used + bound->asleep;
    if (bound->host >= 0 || allot__limit_trait(&it->out->bounds, bound->limit)->of_hosts) {
        allot__explain(&it->about,
                       "  %" PRId64
                       " of these are suspended jobs', which count unless PREEMPT_FOR says "
                       "%s (P-21): with it %" PRId64 " would be left there.",
                       bound->asleep, word, left > 0 ? left : 0);
        return;
    }
    allot__explain(&it->about,
                   "  %" PRId64
                   " of these are suspended jobs', which count unless PREEMPT_FOR says %s "
                   "(P-21): with it the limit would %s.",
                   bound->asleep, word, more <= left ? "let it run" : "be reached all the same");
}

static void explain_bound(const allot__job_explanation *it, const allot__bound *bound)
{
    const allot__job_limit *limit = allot__limit_at(&it->out->bounds, bound->limit);
    bool jobs = limit->stated.kind == ALLOT_LIMIT_JOBS;
    int64_t more = jobs ? 1 : it->job->slots;
    bool whole = bound->host < 0 && !allot__limit_trait(&it->out->bounds, bound->limit)->of_hosts;
    const char *unit = jobs ? "job" : "slot";
    /* A job being resumed is judged by running jobs: it is one of the suspended jobs itself. */
    bool back = it->job->state == ALLOT_SUSPENDED;
    int64_t used = bound->used - (back ? bound->asleep : 0);
    allot__explain(&it->about,
                   "The limit \"%.100s\" binds: at most %" PRId64 " %s%s%s, %" PRId64 " used%s.",
                   limit->stated.name, bound->most, unit, bound->most == 1 ? "" : "s",
                   whose(it, bound).text, used, back ? " by running jobs" : "");
    if (whole && used + more > bound->most) {
        allot__explain(&it->about,
                       "  With its %" PRId64 " it would be %" PRId64 ", %" PRId64
                       " above it (P-23).",
                       more, used + more, used + more - bound->most);
    }
    if (it->job->state == ALLOT_PENDING)
        explain_counted(it, bound, limit, more);
}

void allot__explain_limit(const allot__job_explanation *it)
{
    const allot__bounds *bounds = &it->out->bounds;
    int32_t number = allot__binding_limit(bounds, it->verdict.binding);
    if (it->verdict.binding >= 0) {
        explain_bound(it, allot__bound_at(bounds, it->verdict.binding));
    } else if (number >= 0) {
        const allot_job_limit *stated = &allot__limit_at(bounds, number)->stated;
        bool parts = stated->kind == ALLOT_LIMIT_PER_PROCESSOR;
        allot__explain(&it->about,
                       "The limit \"%.100s\" binds: %" PRId64 "%s%s are fewer than it needs.",
                       stated->name, parts ? stated->most / 1000 : stated->most,
                       parts ? " slots a processor" : " slots",
                       stated->per & ALLOT_PER_HOST ? " on each host" : "");
    } else {
        allot__explain(&it->about, "A limit that goes by hosts binds.");
    }
    bool barred = allot__barred_by_type(it->about.work, it->job);
    for (int32_t low = 0; !barred && low < allot__queue_count(it->about.work->plan); low++) {
        if (allot__explain_may(it, it->job->queue, low)) {
            allot__explain(&it->about, "Whatever it preempted, the limit would still be exceeded: "
                                       "no job is preempted (P-23).");
            return;
        }
    }
}

/* ---- Pools ----------------------------------------------------------------------------------- */

static void explain_most(const allot__job_explanation *it, const allot__slot_pool *pool)
{
    int64_t used = 0;
    for (int32_t i = 0; i < pool->count; i++)
        used += it->out->used[pool->queues[i]];
    allot__explain(&it->about,
                   "MAX_SLOTS_IN_POOL lets pool %s use %" PRId32
                   " slots, and its queues use %" PRId64 ": %" PRId64
                   " are left, fewer than it needs (Q-3, reason 5950).",
                   pool->name, pool->most, used, pool->most > used ? pool->most - used : 0);
}

/* Is it held back for queues before its own, though it is within the slice? */
static bool is_held_back(const allot__job_explanation *it)
{
    const allot__cut *cut = &it->out->cuts[it->job->queue];
    return cut->may < cut->row.slice &&
           it->out->used[it->job->queue] + it->job->slots <= cut->row.slice;
}

void allot__explain_slice(const allot__job_explanation *it)
{
    int32_t number = it->queues->pool_of[it->job->queue];
    if (number < 0 || it->job->state != ALLOT_PENDING)
        return;
    const allot__slot_pool *pool = &it->queues->pools[number];
    const allot_queue_part *part = &it->out->parts[it->job->queue];
    int64_t used = it->out->used[it->job->queue];
    allot__explain(&it->about,
                   "Its queue shares pool %s of %s: its slice is %" PRId64 " (%" PRId32
                   " %%, Q-30), and its jobs use %" PRId64 " now.",
                   pool->name, allot__phrase_slots(it->out->pools[number].slots).text, part->slice,
                   it->queue->slot_share, used);
    if (it->verdict.why == ALLOT_PEND_POOL) {
        explain_most(it, pool);
    } else if (it->verdict.why == ALLOT_PEND_SLICE && is_held_back(it)) {
        allot__explain_may_use(&it->about, &it->out->cuts[it->job->queue]);
    } else if (it->verdict.why == ALLOT_PEND_SLICE) {
        allot__explain(
            &it->about, "%s, and what the pool had left over was given out before its turn (%s).",
            used + it->job->slots > part->slice ? "With it the queue would have more than its slice"
                                                : "Its queue had its slice",
            pool->by_priority ? "A-30" : "Q-31, A-25");
    }
}
