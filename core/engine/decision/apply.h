/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * apply.h: a decision while it is carried out.
 *
 * All that may fail comes first: it is made beside the state, or put behind what the state lists
 * and cut off again where something fails. What follows only changes what is there.
 */
#ifndef ALLOT_ENGINE_DECISION_APPLY_H
#define ALLOT_ENGINE_DECISION_APPLY_H

#include <allot/apply.h>

#include "engine/decision/decision.h"
#include "model/state/state.h"

/* A task that starts, on the host of a label. */
typedef struct allot__task_start_of {
    int32_t task, host;
} allot__task_start_of;

typedef struct allot__applying {
    allot_state *state;
    const allot_decision *decision;
    const allot_apply *how;
    const allot_applied *applied;
    allot__arena arena;
    int64_t now;
    size_t tasks, reclaims; /* that the state had before */
    uint8_t *has_tasks;     /* by consumer; NULL: it was not asked for */
    allot_grant *grants;
    int32_t grant_count;
    allot__vector starts;                /* of allot__task_start_of */
    int32_t task_number, reclaim_number; /* of the last that is new */
    /* By job: what takes its place, or nothing; and whether it ends. */
    allot__thing **jobs;
    bool *jobs_end;
} allot__applying;

/* Says what becomes of a reclaim or job. */
static inline void allot__apply_tell(const allot__applying *it, allot_item kind, const void *item,
                                     bool ends)
{
    if (it->applied->item)
        it->applied->item(it->applied->ud, kind, item, ends);
}
/* Makes what orders make of jobs. ENOMEM, EUSAGE. */
int allot__apply_jobs_make(allot__applying *it);
/* Puts it in; and frees it where something failed. */
void allot__apply_jobs(allot__applying *it);
void allot__apply_jobs_drop(allot__applying *it);

#endif
