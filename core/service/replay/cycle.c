/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* cycle.c: computes a cycle again and compares it with its record. */
#include <string.h>

#include "service/lists/compact.h"
#include "service/replay/replay.h"

/* The result of computing a cycle again. */
typedef struct again {
    allot_report *report; /* its own: warnings are part of the decision's document */
    const allot_state *state;
    allot_decision *decision;
    allot__text text, effect;
    int64_t orders;
    /* Of the other policy. */
    allot_state *copy;
    allot_decision *other;
} again;

static bool is_wanted(const allot__replay *replay, const allot__cycle_row *row)
{
    return row->seq >= replay->config->from;
}

/* ---- Computing ------------------------------------------------------------------------------- */

static int decide(allot__replay *replay, const allot__cycle_row *row, again *it)
{
    int status = allot_report_new(replay->engine, &it->report);
    allot__books_round(replay->books, row->cycle > replay->unrounded);
    if (status == ALLOT_OK)
        status = allot__books_state(replay->books, row->at, it->report, &it->state);
    if (status == ALLOT_OK)
        status = allot_cycle(replay->generation->plan, it->state, it->report, &it->decision);
    if (status != ALLOT_OK)
        return status;
    it->orders = allot__compact(&it->text, it->decision, replay->books, row->seq, row->cycle,
                                row->event, it->report);
    if (it->orders < 0)
        return (int)it->orders;
    return it->text.failed ? ALLOT_ENOMEM : ALLOT_OK;
}

/* The same under the plan with the other policy. */
static int decide_other(allot__replay *replay, again *it)
{
    const allot_plan *plan = replay->other->plan;
    int status = allot_state_copy(it->state, plan, replay->report, &it->copy);
    if (status == ALLOT_OK)
        status = allot_state_seal(it->copy, replay->report);
    if (status == ALLOT_OK)
        status = allot_cycle(plan, it->copy, replay->report, &it->other);
    return status;
}

static void end(again *it)
{
    allot_decision_free(it->other);
    allot_state_free(it->copy);
    allot_decision_free(it->decision);
    allot__text_free(&it->text);
    allot__text_free(&it->effect);
    allot_report_free(it->report);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static bool is_same_policy(const allot__replay *replay, const allot__cycle_row *row)
{
    const allot_policy *first = allot_plan_group_policy(replay->generation->plan, 0);
    return !row->policy || *row->policy == '\0' ||
           (first != NULL && strcmp(allot_policy_sha256(first), row->policy) == 0);
}

/* Digests are compared before the text: a different input explains more than a different result. */
static const char *difference(const allot__cycle_row *row, const again *it)
{
    uint64_t input, output;
    size_t len = it->orders > 0 ? it->text.len : 0;
    allot_decision_digest(it->decision, &input, &output);
    if (input != row->input)
        return "input";
    if (len != row->decision_len || (len > 0 && memcmp(it->text.bytes, row->decision, len) != 0))
        return "decision";
    return output != row->output ? "quotas" : NULL;
}

static void tell_report(allot__replay *replay, const allot_report *report)
{
    for (int32_t i = 0; report && i < allot_report_count(report); i++)
        allot_report_add(replay->report, allot_report_at(report, i));
}

/* ---- Telling --------------------------------------------------------------------------------- */

static int tell(allot__replay *replay, allot_replayed *told)
{
    replay->told++;
    replay->plan_told++;
    replay->over = told->differs != NULL;
    int end_with = replay->visitor->cycle(replay->visitor->ud, told);
    return end_with != 0 ? end_with : told->differs != NULL;
}

static int compare(allot__replay *replay, const allot__cycle_row *row, allot_replayed *told,
                   again *it)
{
    told->decision = it->decision;
    if (it->orders > 0) {
        told->computed = it->text.bytes;
        told->computed_len = it->text.len;
    }
    told->differs = difference(row, it);
    if (told->differs && !is_same_policy(replay, row))
        told->differs = "policy";
    if (!told->differs && !is_wanted(replay, row))
        return ALLOT_OK;
    if (!told->differs && replay->other) {
        int status = decide_other(replay, it);
        if (status != ALLOT_OK)
            return status;
        told->other = it->other;
    }
    return tell(replay, told);
}

static int decide_and_compare(allot__replay *replay, const allot__cycle_row *row,
                              allot_replayed *told)
{
    again it = {.text = {.engine = replay->engine}, .effect = {.engine = replay->engine}};
    int status = decide(replay, row, &it);
    if (status == ALLOT_OK)
        status = compare(replay, row, told, &it);
    else
        tell_report(replay, it.report);
    if (status == ALLOT_OK)
        status = allot__books_enter(replay->books, it.decision, row->cycle, &it.effect);
    end(&it);
    return status;
}

int allot__replay_cycle(allot__replay *replay, const allot__cycle_row *row)
{
    allot_replayed told = {
        .cycle = row->cycle,
        .seq = row->seq,
        .at = row->at,
        .recorded = row->decision,
        .recorded_len = row->decision_len,
    };
    if (replay->config->to > 0 && row->seq > replay->config->to) {
        replay->over = true;
        return 1;
    }
    int status = allot__replay_turn(replay, row->plan, row->cycle);
    if (status == ALLOT_OK)
        status = allot__replay_release(replay);
    else if (status == ALLOT_ENOENT)
        told.differs = "plan";
    if (replay->refused)
        told.differs = "event";
    if (told.differs)
        return tell(replay, &told);
    return status == ALLOT_OK ? decide_and_compare(replay, row, &told) : status;
}
