/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event.c: enters recorded events again, under the plan of their time. */
#include <stdio.h>
#include <string.h>

#include "service/generation/plan_texts.h"
#include "service/replay/replay.h"
#include "base/memory.h"

/* ---- Plans ----------------------------------------------------------------------------------- */

/* Finds the texts of the plan, and of its policies if the store has them. */
static int find_texts(allot__replay *replay, const allot__store_pair *names,
                      allot__plan_texts **recall, allot__text *plan)
{
    int status =
        allot__plan_texts_store(replay->engine, replay->store, names, replay->report, recall);
    if (status == ALLOT_ENOENT)
        status = allot__store_plan(replay->store, names->plan, replay->report, plan);
    if (status == ALLOT_ENOENT)
        allot_report_say(replay->report, ALLOT_ERROR, "E-replay",
                         "the store has no plan of the sha256 %.64s", names->plan);
    return status;
}

static int read_generation(allot__replay *replay, const allot__store_pair *names,
                           const char *policy, allot__generation **out)
{
    allot__plan_texts *recall = NULL;
    allot__text plan = {.engine = replay->engine};
    allot__generation_ask ask = {.file = replay->file, .limits = &replay->config->limits};
    int status = find_texts(replay, names, &recall, &plan);
    ask.text = plan.bytes;
    ask.len = plan.len;
    if (recall)
        allot__plan_texts_ask(recall, &ask);
    if (policy)
        ask.instead = policy;
    if (status == ALLOT_OK)
        status = allot__generation_make(&ask, NULL, replay->report, out);
    allot__plan_texts_free(recall);
    allot__text_free(&plan);
    return status;
}

/* Moves the books to the new plan; the first books are empty. A plan changed while no service ran
 * may lack known consumers: what they had was dropped then, too. */
static int move(allot__replay *replay, const allot_plan *plan, allot__books **out)
{
    allot_plan_map *ids;
    int64_t lost = 0;
    if (!replay->books)
        return allot__books_new(replay->engine, plan, out);
    int status = allot_plan_map_new(replay->engine, allot__books_plan(replay->books), plan, &ids);
    if (status != ALLOT_OK)
        return status;
    status = allot__books_rebase(replay->books, ids, NULL, out);
    if (status != ALLOT_OK && status != ALLOT_ENOMEM)
        status = allot__books_move(replay->books, plan, &lost, replay->report, out);
    allot_plan_map_free(replay->engine, ids);
    return status;
}

void allot__replay_over(allot__replay *replay)
{
    if (replay->plan_told > 0 && replay->visitor->over)
        replay->visitor->over(replay->visitor->ud);
    replay->plan_told = 0;
}

static bool is_other(const allot__replay *replay, const allot__store_pair *names)
{
    return !replay->generation || strcmp(replay->names.plan, names->plan) != 0 ||
           strcmp(replay->names.policies, names->policies) != 0;
}

int allot__replay_turn(allot__replay *replay, const char *plan, int64_t cycle)
{
    allot__generation *generation = NULL, *other = NULL;
    allot__books *books = NULL;
    allot__store_pair names = {.plan = ""};
    int status = allot__store_deciding(replay->store, plan, cycle, replay->report, &names);
    if (status != ALLOT_OK && status != ALLOT_ENOENT)
        return status;
    snprintf(names.plan, sizeof names.plan, "%s", plan);
    if (!is_other(replay, &names))
        return ALLOT_OK;
    status = read_generation(replay, &names, NULL, &generation);
    if (status == ALLOT_OK && replay->config->policy)
        status = read_generation(replay, &names, replay->config->policy, &other);
    if (status == ALLOT_OK)
        status = move(replay, generation->plan, &books);
    if (status != ALLOT_OK) {
        allot__generation_free(generation);
        allot__generation_free(other);
        return status;
    }
    allot__replay_over(replay);
    allot__books_end(replay->books);
    allot__generation_free(replay->generation);
    allot__generation_free(replay->other);
    replay->books = books;
    replay->generation = generation;
    replay->names = names;
    replay->other = other;
    return ALLOT_OK;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static int enter(allot__replay *replay, const char *method, const char *params, size_t len,
                 int64_t at)
{
    allot__event event;
    int32_t kind = allot__event_find_stored(method, strlen(method));
    if (kind < 0)
        return allot__error_set(&replay->fault, ALLOT_EINVALID, "E-replay", NULL, NULL,
                                "\"%.60s\" is no event", method);
    int status = allot__event_read(replay->reader, allot__books_plan(replay->books), kind,
                                   ALLOT__STORE, params, len, &event, &replay->fault);
    if (status == ALLOT_OK && !event.at_given)
        event.at = at;
    return status == ALLOT_OK ? allot__books_apply(replay->books, &event, &replay->fault) : status;
}

static int hold(allot__replay *replay, const allot__event_row *row)
{
    allot__replay_waits *list = allot__grow(replay->engine, replay->held, &replay->held_capacity,
                                            replay->held_count + 1, sizeof *list);
    if (!list)
        return ALLOT_ENOMEM;
    replay->held = list;
    allot__replay_waits *it = &list[replay->held_count];
    *it = (allot__replay_waits){
        .method = allot__copy(replay->engine, row->method, strlen(row->method)),
        .params = allot__copy(replay->engine, row->params, row->params_len),
        .params_len = row->params_len,
        .seq = row->seq,
        .at = row->at,
    };
    replay->held_count++; /* even incomplete, it is freed with the others */
    return it->method != NULL && it->params ? ALLOT_OK : ALLOT_ENOMEM;
}

int allot__replay_event(allot__replay *replay, const allot__event_row *row)
{
    if (replay->held_count > 0 || !replay->books)
        return hold(replay, row);
    int status = enter(replay, row->method, row->params, row->params_len, row->at);
    return status == ALLOT_OK || status == ALLOT_ENOMEM ? status : hold(replay, row);
}

static int enter_held(allot__replay *replay, const allot__replay_waits *it)
{
    int status = enter(replay, it->method, it->params, it->params_len, it->at);
    replay->left_out = replay->left_out || (status != ALLOT_OK && replay->fault.unfit);
    if (status == ALLOT_OK || status == ALLOT_ENOMEM || replay->left_out)
        return status == ALLOT_ENOMEM ? status : ALLOT_OK;
    allot_report_say(replay->report, ALLOT_ERROR, "E-replay", "event %lld is refused: %s",
                     (long long)it->seq, replay->fault.message);
    replay->refused = true;
    return ALLOT_EINVALID;
}

int allot__replay_release(allot__replay *replay)
{
    int status = ALLOT_OK;
    for (size_t i = 0; i < replay->held_count && status == ALLOT_OK; i++)
        status = enter_held(replay, &replay->held[i]);
    allot__replay_forget(replay);
    return status;
}

void allot__replay_forget(allot__replay *replay)
{
    for (size_t i = 0; i < replay->held_count; i++) {
        allot__free_string(replay->engine, replay->held[i].method);
        allot__free_string(replay->engine, replay->held[i].params);
    }
    replay->held_count = 0;
}
