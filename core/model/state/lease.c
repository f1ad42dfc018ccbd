/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lease.c: what a state says of contracts. */
#include "model/jobs/queue.h"
#include "model/state/job.h"
#include "model/state/state.h"

static bool amount(int64_t value)
{
    return value >= 0 && value <= ALLOT_AMOUNT_MAX;
}

static bool known(const allot_state *state, int32_t lease)
{
    return lease >= 0 && lease < allot_plan_leases(state->plan);
}

static bool side_sound(const allot_lease_side *side)
{
    return amount(side->available) && side->used >= 0 && side->used <= side->available &&
           (side->demand == -1 || amount(side->demand));
}

int allot_state_lease(allot_state *state, int32_t lease, const allot_lease_now *now)
{
    if (!allot__state_changes(state) || !now || !known(state, lease) || now->phase < 0 ||
        now->phase >= ALLOT_LEASE_PHASE_COUNT)
        return ALLOT_EUSAGE;
    if (!side_sound(&now->provider) || !side_sound(&now->consumer))
        return ALLOT_ERANGE;
    if (allot__jobs_room(state) != ALLOT_OK)
        return ALLOT_ENOMEM;
    state->jobs->leases[lease] = (allot__lease_told){true, *now};
    return ALLOT_OK;
}

int allot_state_lease_at(const allot_state *state, int32_t lease, allot_lease_now *out)
{
    if (!state || !out || !known(state, lease))
        return ALLOT_EUSAGE;
    if (!state->jobs || !state->jobs->leases || !state->jobs->leases[lease].told)
        return ALLOT_ENOENT;
    *out = state->jobs->leases[lease].now;
    return ALLOT_OK;
}
