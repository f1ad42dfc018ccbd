/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* totals.c: a group as a whole. */
#include "engine/decision/decision.h"

#include "engine/placement/place.h"
#include "engine/whole/whole.h"

/* What is owned is exact: as planned or over the group's unit, policy by policy. */
static void add_up(const allot__work *work, allot_totals *out)
{
    allot__u128 owned = 0;
    for (int32_t row = 0; row < work->tree->first[1]; row++) {
        int64_t times = allot__rules_at(work, row)->policy->exact ? work->unit : work->times;
        owned += (allot__u128)work->configured[row] * (allot__u128)times;
    }
    out->owned = allot__ratio(owned, (allot__u128)work->unit);
    out->reserve = work->sums[0].reserve;
    out->demand = work->whole ? work->whole->sums[0].demand : work->sums[0].demand;
    out->allocated = work->sums[0].allocated;
    if (work->closed)
        out->allocated += work->closed->held_sum[0];
}

static void watch(const allot__watched *sums, allot_totals *out)
{
    out->own_used = sums->own_used;
    out->lent = sums->lent;
    out->borrowed = sums->borrowed;
    out->shared = sums->shared;
    out->planned = sums->planned;
}

int allot_decision_totals(const allot_decision *decision, int32_t group, allot_totals *out)
{
    if (group < 0 || group >= decision->plan->group_count)
        return ALLOT_EUSAGE;
    if (decision->dispatched) {
        allot__queue_totals(decision, out);
        return ALLOT_OK;
    }
    if (allot__decision_figures(decision) != ALLOT_OK)
        return ALLOT_ENOMEM;
    const allot__work *work = &decision->groups[group].work;
    bool summed = decision->last >= ALLOT_STAGE_ORDERS;
    int64_t placed = summed ? work->idle - work->idle_left : 0;
    const allot__group_hosts *hosts = work->hosts;
    int64_t blocked = hosts ? hosts->blocked : 0;
    *out = (allot_totals){.slots = work->slots + blocked,
                          .blocked = blocked,
                          .idle = work->idle,
                          .idle_left = work->idle_left,
                          .granted = placed - work->sums[0].held,
                          .held = work->sums[0].held,
                          .reclaimed = work->sums[0].given};
    if (work->closed && summed)
        out->reclaimed += work->closed->held_sum[0] - work->closed->flying_sum[0];
    add_up(work, out);
    if (decision->groups[group].monitor.sums)
        watch(&decision->groups[group].monitor.sums[0], out);
    return ALLOT_OK;
}
