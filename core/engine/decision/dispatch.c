/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* dispatch.c: what a cycle decided about queues, jobs and contracts. */
#include "engine/decision/decision.h"
#include "engine/jobs/dispatch.h"
#include "engine/jobs/limits/resource.h"

static const struct pending {
    const char *name, *text;
} pendings[ALLOT_PEND_COUNT] = {
    [ALLOT_PEND_NOT] = {"not", "it does not wait"},
    [ALLOT_PEND_SLOTS] = {"slots", "too few slots are free, and there is no job to preempt"},
    [ALLOT_PEND_LIMIT] = {"limit", "a limit binds"},
    [ALLOT_PEND_SLICE] = {"slice", "the queue has what it may of its slice of the pool"},
    [ALLOT_PEND_POOL] = {"pool", "the pool has MAX_SLOTS_IN_POOL"},
    [ALLOT_PEND_DELAY] = {"delay", "PREEMPT_DELAY is not over"},
    [ALLOT_PEND_PROTECTED] = {"protected", "the jobs in the way are protected"},
    [ALLOT_PEND_FEW] = {"few", "preempting would not make enough room"},
    [ALLOT_PEND_HELD] = {"held", "jobs in the way are being notified of new slots first"},
    [ALLOT_PEND_EXCLUSIVE] = {"exclusive", "no host is empty"},
    [ALLOT_PEND_NEVER] = {"never", "the queue's hosts have fewer slots than the job asks for"},
    [ALLOT_PEND_LEASE] = {"lease", "the slots are leased out, or their lease is inactive"},
    [ALLOT_PEND_RESOURCE] = {"resource", "a resource is wanting"},
    [ALLOT_PEND_RESOURCE_WAIT] = {"resource-wait", "PREEMPTION_WAIT_TIME is not over"},
    [ALLOT_PEND_BEGIN] = {"begin", "it is not to start yet"},
    [ALLOT_PEND_BEHIND] = {"behind", "it may not start before a job that waits"},
};

const char *allot_pending_name(int pending)
{
    return pending >= 0 && pending < ALLOT_PEND_COUNT ? pendings[pending].name : NULL;
}

const char *allot_pending_text(int pending)
{
    return pending >= 0 && pending < ALLOT_PEND_COUNT ? pendings[pending].text : NULL;
}

int32_t allot_decision_job_orders(const allot_decision *decision)
{
    return decision->dispatched ? (int32_t)decision->dispatched->orders.count : 0;
}

int allot_decision_job_order(const allot_decision *decision, int32_t i, allot_job_order *out)
{
    if (i < 0 || i >= allot_decision_job_orders(decision))
        return ALLOT_EUSAGE;
    *out = ((const allot_job_order *)decision->dispatched->orders.items)[i];
    return ALLOT_OK;
}

int allot_decision_pending(const allot_decision *decision, int32_t job, allot_pending_of *out)
{
    const allot__dispatched *dispatched = decision->dispatched;
    if (!dispatched || job < 0 || job >= allot_state_jobs(decision->state))
        return ALLOT_EUSAGE;
    const allot__job_verdict *verdict = &dispatched->jobs[job];
    *out = (allot_pending_of){.why = (allot_pending)verdict->why,
                              .reserved =
                                  dispatched->reserved ? dispatched->reserved[job].at : INT64_MAX};
    if (verdict->why == ALLOT_PEND_BEHIND) {
        out->limit = allot__job_at(decision->state->jobs, verdict->binding)->thing.id;
        return ALLOT_OK;
    }
    if (verdict->why == ALLOT_PEND_RESOURCE || verdict->why == ALLOT_PEND_RESOURCE_WAIT) {
        allot_resource of;
        (void)allot_plan_resource_at(decision->plan, verdict->binding, &of);
        out->limit = of.name;
        out->used = dispatched->bounds.resources->used[verdict->binding];
        out->most = of.amount;
        return ALLOT_OK;
    }
    int32_t limit = allot__binding_limit(&dispatched->bounds, verdict->binding);
    if (limit >= 0) {
        const allot_job_limit *stated = &allot__limit_at(&dispatched->bounds, limit)->stated;
        out->limit = stated->name;
        out->most = stated->most;
    }
    if (verdict->binding >= 0) {
        const allot__bound *bound = allot__bound_at(&dispatched->bounds, verdict->binding);
        out->used = bound->used;
        out->most = bound->most;
    }
    return ALLOT_OK;
}

int allot_decision_reserved(const allot_decision *decision, int64_t *at)
{
    if (!decision->dispatched)
        return ALLOT_EUSAGE;
    *at = decision->dispatched->due;
    return *at != INT64_MAX ? ALLOT_OK : ALLOT_ENOENT;
}

int allot_decision_queue(const allot_decision *decision, int32_t queue, allot_queue_part *out)
{
    if (!decision->dispatched || queue < 0 || queue >= allot_plan_queues(decision->plan))
        return ALLOT_EUSAGE;
    *out = decision->dispatched->parts[queue];
    return ALLOT_OK;
}

int32_t allot_decision_users(const allot_decision *decision)
{
    return decision->dispatched ? decision->groups[0].work.user_count : 0;
}

int allot_decision_user(const allot_decision *decision, int32_t user, allot_user_part *out)
{
    if (!out || user < 0 || user >= allot_decision_users(decision))
        return ALLOT_EUSAGE;
    const allot__usage *of = &decision->groups[0].work.user_usage[user];
    *out = (allot_user_part){.name = allot__job_user(decision->state, user),
                             .usage = of->slot_seconds,
                             .usage_millionths = of->millionths};
    return allot__usage_whole(of) > 0 ? ALLOT_OK : ALLOT_ENOENT;
}

int allot_decision_resource_preempted(const allot_decision *decision, int32_t resource,
                                      int64_t *when)
{
    if (!decision->dispatched || resource < 0 || resource >= allot_plan_resources(decision->plan))
        return ALLOT_EUSAGE;
    *when = decision->dispatched->bounds.resources->preempted_at[resource];
    return *when != INT64_MIN ? ALLOT_OK : ALLOT_ENOENT;
}

int allot_decision_pool(const allot_decision *decision, int32_t pool, allot_pool_part *out)
{
    if (!decision->dispatched || pool < 0 || pool >= allot_plan_pools(decision->plan))
        return ALLOT_EUSAGE;
    *out = decision->dispatched->pools[pool];
    return ALLOT_OK;
}

void allot__queue_verdict(const allot_decision *decision, int32_t queue, allot_verdict *out)
{
    const allot__work *work = &decision->groups[0].work;
    int32_t row = allot__row(work->plan, 0, queue);
    int64_t quota = work->quota[row], received = work->received[row];
    *out = (allot_verdict){.consumer = queue,
                           .demand = work->demand[row],
                           .need = work->need[row],
                           .owned = allot__ratio(0, 1),
                           .exact = allot__ratio((allot__u128)quota, 1),
                           .quota = quota,
                           .parts = 1,
                           .part = {quota},
                           .allocated = work->allocated[row],
                           .received = received,
                           .granted = received,
                           .over = work->over[row],
                           .reclaimed = work->reclaimed[row],
                           .shared = work->allocated[row],
                           .waiting_since = INT64_MIN};
    out->deficit = out->need > quota ? out->need - quota : 0;
}

void allot__queue_totals(const allot_decision *decision, allot_totals *out)
{
    const allot__work *work = &decision->groups[0].work;
    const allot__sums *sums = &work->sums[0];
    *out = (allot_totals){.slots = work->slots,
                          .idle = work->idle,
                          .idle_left = work->idle_left,
                          .granted = sums->received,
                          .reclaimed = sums->given,
                          .owned = allot__ratio(0, 1),
                          .demand = sums->demand,
                          .allocated = sums->allocated,
                          .shared = sums->allocated};
}

int allot_decision_lease(const allot_decision *decision, int32_t lease, allot_lease_part *out)
{
    if (!decision || !out || lease < 0 || lease >= allot_plan_leases(decision->plan))
        return ALLOT_EUSAGE;
    *out = decision->leases[lease];
    return ALLOT_OK;
}
