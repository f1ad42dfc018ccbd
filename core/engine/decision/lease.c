/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lease.c: what became of contracts. */
#include "engine/decision/decision.h"

int allot_decision_lease(const allot_decision *decision, int32_t lease, allot_lease_part *out)
{
    if (!decision || !out || lease < 0 || lease >= allot_plan_leases(decision->plan))
        return ALLOT_EUSAGE;
    *out = decision->leases[lease];
    return ALLOT_OK;
}
