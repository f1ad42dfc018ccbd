/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* pair.c: two generations decide about one state, and their decisions are compared. */
#include <string.h>

#include <uv.h>

#include "service/generation/pair.h"

#include "base/memory.h"

/* ---- Life ------------------------------------------------------------------------------------ */

static char *copy(allot_engine *engine, const char *text)
{
    return text ? allot__copy(engine, text, strlen(text)) : NULL;
}

/* The path of a client's plan, in the folder of the live one. */
static char *place(allot_engine *engine, const char *file, const char *plan)
{
    const char *slash = strrchr(file, '/');
    allot__text path = {.engine = engine};
    if (!plan)
        return NULL;
    if (slash && plan[0] != '/')
        allot__text_add(&path, file, (size_t)(slash - file) + 1);
    allot__text_puts(&path, plan);
    char *made = path.failed ? NULL : copy(engine, path.bytes);
    allot__text_free(&path);
    return made;
}

static int fill(allot__pair_of *it, const allot__generation *live, const char *file,
                const char *plan, const char *policy)
{
    int status = allot_report_new(it->engine, &it->report);
    if (status != ALLOT_OK)
        return status;
    it->file = copy(it->engine, file);
    it->plan = place(it->engine, file, plan);
    it->policy = copy(it->engine, policy);
    it->texts = allot__plan_texts_hold(live->texts);
    bool whole = it->file != NULL && (!plan || it->plan) && (!policy || it->policy);
    return whole ? ALLOT_OK : ALLOT_ENOMEM;
}

int allot__pair_new(const allot__generation *live, const char *file, const char *plan,
                    const char *policy, const allot_script_limits *limits, allot__pair_of **out)
{
    allot_engine *engine;
    int status = allot_engine_new(NULL, NULL, &engine);
    if (status != ALLOT_OK)
        return status;
    allot__pair_of *it = allot__new(engine, 1, sizeof *it);
    if (!it) {
        allot_engine_free(engine);
        return ALLOT_ENOMEM;
    }
    it->engine = it->document.engine = engine;
    it->limits = *limits;
    status = fill(it, live, file, plan, policy);
    if (status == ALLOT_OK)
        *out = it;
    else
        allot__pair_free(it);
    return status;
}

void allot__pair_free(allot__pair_of *pair)
{
    if (!pair)
        return;
    allot_engine *engine = pair->engine;
    allot_state_free(pair->state);
    if (!pair->lent)
        allot__generation_free(pair->candidate);
    allot__generation_free(pair->twin);
    allot__plan_texts_free(pair->texts);
    allot__free_string(engine, pair->file);
    allot__free_string(engine, pair->plan);
    allot__free_string(engine, pair->policy);
    allot__text_free(&pair->document);
    allot_report_free(pair->report);
    allot__free(engine, pair, 1, sizeof *pair);
    allot_engine_free(engine);
}

void allot__pair_build(allot__pair_of *pair)
{
    allot__generation_ask live = {.file = pair->file, .limits = &pair->limits, .quiet = true};
    allot__plan_texts_ask(pair->texts, &live);
    allot__generation_ask other = live;
    other.texts = NULL;
    if (pair->plan)
        other = (allot__generation_ask){
            .file = pair->plan, .beside = pair->file, .limits = &pair->limits, .quiet = true};
    other.newcomers = pair->texts->newcomers;
    other.instead = pair->policy;
    other.confined = true;
    other.known = &pair->texts->policies;
    pair->status = ALLOT_OK;
    if (!pair->lent)
        pair->status = allot__generation_make(&other, NULL, pair->report, &pair->candidate);
    if (pair->status == ALLOT_OK)
        pair->status = allot__generation_make(&live, NULL, pair->report, &pair->twin);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static int64_t apart(const allot__pair_row *row)
{
    return row->live > row->other ? row->live - row->other : row->other - row->live;
}

/* Which measure of consumers' rows is the quota. */
static int32_t quota_measure(void)
{
    char name[32];
    for (int32_t i = 0; i < allot_diff_measures(ALLOT_DIFF_CONSUMER); i++) {
        allot_diff_measure_name(ALLOT_DIFF_CONSUMER, i, name, sizeof name);
        if (strcmp(name, "quota") == 0)
            return i;
    }
    return 0;
}

static void put_top(allot__pair_found *found, const allot__pair_row *row)
{
    int32_t at = found->top_count;
    while (at > 0 && apart(row) > apart(&found->top[at - 1]))
        at--;
    if (at == ALLOT__PAIR_TOP)
        return;
    if (found->top_count < ALLOT__PAIR_TOP)
        found->top_count++;
    memmove(found->top + at + 1, found->top + at,
            (size_t)(found->top_count - 1 - at) * sizeof found->top[0]);
    found->top[at] = *row;
}

static void note_consumer(allot__pair_of *pair, const allot_change *change, int32_t quota)
{
    int side = change->consumer[0] >= 0 ? 0 : 1;
    const allot_plan *plan = side == 0 ? pair->twin->plan : pair->candidate->plan;
    allot__pair_row row = {.live = change->value[0][quota], .other = change->value[1][quota]};
    if (row.live == row.other)
        return;
    allot_plan_path(plan, change->consumer[side], row.path, sizeof row.path);
    put_top(&pair->found, &row);
}

/* Measures of a row by which consumers and jobs lose slots. */
static void note_loss(allot__pair_found *found, const allot_change *change)
{
    enum { SLOTS = 0, SUSPENDED = 3, KILLED = 4 };
    bool job = change->kind == ALLOT_DIFF_JOB;
    if (!job && change->kind != ALLOT_DIFF_RECLAIM)
        return;
    for (int m = job ? SUSPENDED : SLOTS; m <= (job ? KILLED : SLOTS); m++) {
        int64_t more = change->value[1][m] - change->value[0][m];
        found->taken += more > 0 ? more : 0;
        found->spared += more < 0 ? -more : 0;
    }
}

static void compare(allot__pair_of *pair, const allot_diff *diff)
{
    allot_change change;
    int32_t quota = quota_measure();
    for (int kind = 0; kind < ALLOT_DIFF_KINDS; kind++)
        for (int32_t i = 0; i < allot_diff_count(diff, kind); i++) {
            if (allot_diff_at(diff, kind, i, &change) != ALLOT_OK || !allot_change_differs(&change))
                continue;
            pair->found.kinds[kind]++;
            note_loss(&pair->found, &change);
            if (kind == ALLOT_DIFF_CONSUMER)
                note_consumer(pair, &change, quota);
        }
    pair->found.differs = allot_diff_differs(diff) != 0;
}

void allot__pair_put_kinds(allot__text *out, const int64_t *kinds)
{
    allot__text_open(out, "rows", "{");
    for (int kind = 0; kind < ALLOT_DIFF_KINDS; kind++)
        if (kinds[kind] != 0)
            allot__text_number(out, allot_diff_kind_name(kind), kinds[kind]);
    allot__text_puts(out, "}");
}

void allot__pair_put_quotas(allot__text *out, const allot__pair_found *found, const char *other)
{
    allot__text_open(out, "quotas", "[");
    for (int32_t i = 0; i < found->top_count; i++) {
        allot__text_open(out, NULL, "{");
        ALLOT__MEMBERS(out, "path live", found->top[i].path, found->top[i].live);
        allot__text_number(out, other, found->top[i].other);
        allot__text_puts(out, "}");
    }
    allot__text_puts(out, "]");
}

/* ---- The document ---------------------------------------------------------------------------- */

static void put_side(allot__text *out, const char *name, const char *file,
                     const allot__generation *of, bool live)
{
    const allot_policy *policy = allot_plan_group_policy(of->plan, 0);
    allot__text_open(out, name, "{");
    allot__text_string(out, "plan", file);
    allot__text_bool(out, "live", live);
    allot__text_string(out, "policy", policy ? allot_policy_name(policy) : NULL);
    allot__text_string(out, "instead", of->texts->instead);
    allot__text_string(out, "at", NULL);
    allot__text_puts(out, "}");
}

/* As `allot diff` makes it of one state. */
static int write_document(allot__pair_of *pair, const allot_diff *diff)
{
    allot__text *out = &pair->document;
    const allot__pair_found *found = &pair->found;
    allot__text_clear(out, 0);
    allot__text_puts(out, "{\"schema\": \"allot/diff/v1\"");
    put_side(out, "a", pair->file, pair->twin, true);
    put_side(out, "b", pair->plan ? pair->plan : pair->file, pair->candidate, false);
    allot__text_open(out, "states", "[");
    allot__text_open(out, NULL, "{");
    allot__text_member(out, "state", "live");
    ALLOT__OBJECT(out, "now", "a b", found->now, found->now);
    allot__text_puts(out, ", ");
    int status = allot_diff_write(diff, 1, allot__text_sink, out);
    allot__text_puts(out, "}]");
    allot__text_open(out, "summary", "{");
    ALLOT__MEMBERS(out, "states differ", 1, found->differs ? 1 : 0);
    ALLOT__OBJECT(out, "reclaims", "added saved", found->taken, found->spared);
    allot__text_puts(out, "}");
    allot__text_bool(out, "same", !found->differs);
    allot__text_puts(out, "}");
    allot__text_join(out, 0);
    return out->failed ? ALLOT_ENOMEM : status;
}

/* ---- Deciding -------------------------------------------------------------------------------- */

static int cycle(allot__pair_of *pair, allot__generation *generation, const allot_state *state,
                 allot_decision **out)
{
    allot_script_time_begin(&generation->time, pair->cycle_limit * 1000);
    int status = allot_cycle(generation->plan, state, pair->report, out);
    allot_script_time_begin(&generation->time, 0);
    return status;
}

/* Lets the candidate decide about the same state; the caller owns its state and decision. */
static int decide_other(allot__pair_of *pair, allot_state **state, allot_decision **decision)
{
    const allot_plan *plan = pair->candidate->plan;
    int status = allot_state_copy(pair->state, plan, pair->report, state);
    if (status == ALLOT_OK)
        status = allot_state_seal(*state, pair->report);
    uint64_t began = uv_hrtime();
    if (status == ALLOT_OK)
        status = cycle(pair, pair->candidate, *state, decision);
    pair->found.other_us = (int64_t)((uv_hrtime() - began) / 1000);
    return status;
}

static int decide(allot__pair_of *pair, allot_decision *live)
{
    allot_state *state = NULL;
    allot_decision *other = NULL;
    allot_diff *diff = NULL;
    int status = decide_other(pair, &state, &other);
    if (status == ALLOT_OK)
        status = allot_diff_new(live, other, 0, &diff);
    if (status == ALLOT_OK)
        compare(pair, diff);
    if (status == ALLOT_OK && pair->wants_document)
        status = write_document(pair, diff);
    allot_diff_free(diff);
    allot_decision_free(other);
    allot_state_free(state);
    return status;
}

void allot__pair_decide(allot__pair_of *pair)
{
    allot_decision *live = NULL;
    allot_report_clear(pair->report);
    uint64_t began = uv_hrtime();
    pair->status = cycle(pair, pair->twin, pair->state, &live);
    pair->found.live_us = (int64_t)((uv_hrtime() - began) / 1000);
    if (pair->status == ALLOT_OK)
        pair->status = decide(pair, live);
    allot_decision_free(live);
    allot_state_free(pair->state);
    pair->state = NULL;
}
