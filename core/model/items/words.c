/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* words.c: the words of members that have some. */
#include <allot/members.h>

const char *allot_task_state_name(int state)
{
    static const char *const names[] = {"running", "pending"};
    return state >= 0 && state < 2 ? names[state] : NULL;
}

const char *allot_job_state_name(int state)
{
    static const char *const names[] = {"pending", "running", "suspended", "stopped"};
    return state >= 0 && state < ALLOT_JOB_STATE_COUNT ? names[state] : NULL;
}

const char *allot_lease_phase_name(int phase)
{
    static const char *const names[] = {"conn", "ok", "inactive"};
    return phase >= 0 && phase < ALLOT_LEASE_PHASE_COUNT ? names[phase] : NULL;
}

const char *allot_closed_name(int closed)
{
    static const char *const names[] = {"false", "drain", "reclaim"};
    return closed >= 0 && closed <= ALLOT_CLOSED_NOW ? names[closed] : NULL;
}
