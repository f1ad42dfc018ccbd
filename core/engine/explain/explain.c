/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* explain.c: a verdict in sentences; all that they say is read from the decision. */
#include "engine/explain/queue.h"

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
    allot__trace(&decided->work, row, &about.levels);
    allot__explain_windows(&about);
    allot__explain_quota(&about);
    allot__explain_changes(&about);
    allot__explain_hosts(&about);
    return ALLOT_OK;
}
