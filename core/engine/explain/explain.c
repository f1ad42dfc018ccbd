/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* explain.c: a verdict in sentences; all that they say is read from the decision. */
#include "engine/explain/queue.h"

/* A leaf's pending tasks, where it has any. */
static int find_starting(allot__explanation *about, allot__arena *arena, allot__starting *out)
{
    const allot__whole *whole = about->work->whole;
    const allot__side *side = whole ? whole->sides[about->row] : NULL;
    if (!side || side->asker->waits == side->asker->going)
        return ALLOT_OK;
    about->starting = out;
    return allot__starting_find(side, arena, out);
}

static int explain(allot__explanation *about)
{
    allot__starting starting;
    allot__arena arena;
    allot__arena_init(&arena, about->decision->plan->engine);
    int status = find_starting(about, &arena, &starting);
    allot__arena_free(&arena);
    if (status != ALLOT_OK)
        return status;
    allot__trace(about->work, about->row, &about->levels);
    allot__explain_windows(about);
    allot__explain_quota(about);
    allot__explain_changes(about);
    allot__explain_hosts(about);
    return ALLOT_OK;
}

int allot_explain(const allot_decision *decision, int32_t group, int32_t consumer,
                  void (*line)(void *ud, const char *text), void *ud)
{
    int32_t row = allot__decision_row(decision, group, consumer);
    if (row < 0 || !line || decision->last < ALLOT_STAGE_ORDERS)
        return ALLOT_EUSAGE;
    const allot__decided *decided = &decision->groups[group];
    allot__explanation about = {.decision = decision,
                                .decided = decided,
                                .work = &decided->work,
                                .rules = allot__rules_at(&decided->work, row),
                                .group = group,
                                .row = row,
                                .family = allot__family_of(&decided->work, row),
                                .siblings = allot__trace_family(&decided->work, row),
                                .line = line,
                                .ud = ud};
    int status = allot_decision_verdict(decision, group, consumer, &about.verdict);
    if (status != ALLOT_OK)
        return status;
    if (decision->dispatched)
        return allot__explain_queue(&about, consumer);
    return explain(&about);
}
