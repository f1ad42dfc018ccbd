/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * apply.h: carrying out a decision.
 *
 * All that may fail comes first: new things are made beside the state, or appended to its lists and
 * cut off again on failure. The steps that follow only change what exists.
 */
#ifndef ALLOT_ENGINE_DECISION_APPLY_H
#define ALLOT_ENGINE_DECISION_APPLY_H

#include <allot/apply.h>

#include "engine/decision/decision.h"
#include "model/state/state.h"

/* A task that starts, on the host with a label. */
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
    size_t tasks, reclaims; /* counts before the decision */
    uint8_t *has_tasks;     /* by consumer; NULL: not needed */
    allot_grant *grants;
    int32_t grant_count;
    allot__vector starts;                /* of allot__task_start_of */
    int32_t task_number, reclaim_number; /* of the last new one */
    /* By job: its replacement, or NULL; and whether it ends. */
    allot__thing **jobs;
    bool *jobs_end;
} allot__applying;

/* Notifies the caller of a change of a reclaim or job. */
static inline void allot__apply_tell(const allot__applying *it, allot_item kind, const void *item,
                                     bool ends)
{
    if (it->applied->item)
        it->applied->item(it->applied->ud, kind, item, ends);
}
/* Makes jobs as orders change them. ENOMEM, EUSAGE. */
int allot__apply_jobs_make(allot__applying *it);
/* Enters these jobs; or frees them on failure. */
void allot__apply_jobs(allot__applying *it);
void allot__apply_jobs_drop(allot__applying *it);

#endif
