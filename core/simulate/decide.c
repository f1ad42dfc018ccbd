/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* decide.c: one cycle by the plan's policies, and its report to the watcher. */
#include "simulate/sim.h"

int allot__seal(allot_simulation *sim, allot_report *report)
{
    int status = allot_state_seal(sim->state, NULL);
    if (status == ALLOT_EINVALID) /* once more, for the diagnostics */
        status = allot_state_seal(sim->state, report);
    return status;
}

int allot__decide(allot_simulation *sim, allot_report *report, allot_decision **out)
{
    sim->counts.cycles++;
    int status = allot_cycle_until(sim->plan, sim->state, ALLOT_STAGE_ORDERS, NULL, out);
    if (status == ALLOT_OK || status == ALLOT_ENOMEM)
        return status;
    return allot_cycle_until(sim->plan, sim->state, ALLOT_STAGE_ORDERS, report, out);
}

int allot__decided(allot_simulation *sim, const allot_decision *decision, allot_report *report)
{
    if (!sim->watcher.decided)
        return ALLOT_OK;
    return sim->watcher.decided(sim->watcher.ud, decision, report);
}
