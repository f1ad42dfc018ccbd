/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* session.c: what a decision says of sessions. */
#include "json/decision/flight.h"

void allot__write_sessions(allot__writer *out, const allot_decision *decision)
{
    const allot_state *state = allot_decision_state(decision);
    const allot_plan *plan = allot_decision_plan(decision);
    allot__write_line(out);
    allot__write_open(out, "sessions", '[');
    for (int32_t i = 0; i < allot_state_sessions(state); i++) {
        const allot_session *session = allot_state_session_at(state, i);
        allot_session_part part;
        if (!allot__write_got(out, allot_decision_session(decision, i, &part)))
            return;
        allot__write_line(out);
        allot__write_open(out, NULL, '{');
        allot__write_string(out, "id", session->id);
        allot__write_string(out, "group", allot_plan_group_name(plan, session->group));
        allot__write_path(out, "consumer", plan, session->consumer);
        allot__write_integer(out, "need", part.need);
        allot__write_integer(out, "quota", part.quota);
        allot__write_integer(out, "allocated", part.allocated);
        allot__write_close(out, '}');
    }
    allot__write_close(out, ']');
}
