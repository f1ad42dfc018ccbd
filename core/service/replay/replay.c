/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * replay.c: computes a store's record again: books go through its events, and each cycle's decision
 * is compared with the recorded one.
 */
#include <stdio.h>
#include <string.h>

#include <allot/service.h>

#include "service/generation/generation.h"
#include "service/lists/lists.h"
#include "service/store/own.h"
#include "base/memory.h"

typedef struct replaying {
    allot_engine *engine;
    const allot_replay_config *config;
    const allot_replay_visitor *visitor;
    allot_report *report;
    allot__store *store;
    char *file; /* policies' paths are relative to it */
    allot__generation *generation;
    allot__store_pair names;  /* of `generation`, in the record */
    allot__generation *other; /* the same plan with the other policy; NULL: none */
    allot__books *books;
    allot__event_reader *reader;
    allot__error fault;
    int64_t cycle;           /* the last one read */
    int64_t told, plan_told; /* cycles reported; of this plan */
    int64_t unrounded;       /* the last cycle whose graces were not rounded up, */
    int64_t digest_first;    /* ... and the last with allot_decision_digest_first */
    int64_t stuck;           /* an event that the next cycle's books do not take; 0: none */
    bool refused;            /* ... for `fault`, and not for lack of such a cycle or its plan */
    bool left_out;           /* an event that no state can have was skipped, as at recording */
    bool over;               /* a regular end: a cycle differed, or `to` is passed */
} replaying;

static bool is_beyond(const replaying *replay, int64_t seq)
{
    return replay->config->to > 0 && seq > replay->config->to;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

/* Finds the texts of the plan, and of its policies if the store has them. */
static int find_texts(replaying *replay, const allot__store_pair *names, allot__plan_texts **recall,
                      allot__text *plan)
{
    int status =
        allot__plan_texts_store(replay->engine, replay->store, names, replay->report, recall);
    if (status == ALLOT_ENOENT)
        status =
            allot__store_text(replay->store, ALLOT__STORE_PLANS, names->plan, replay->report, plan);
    return status;
}

static int read_generation(replaying *replay, const allot__store_pair *names, const char *policy,
                           allot__generation **out)
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
static int move(replaying *replay, const allot_plan *plan, allot__books **out)
{
    allot_plan_map *ids;
    allot__error lost;
    if (!replay->books)
        return allot__books_new(replay->engine, plan, out);
    int status = allot_plan_map_new(replay->engine, allot__books_plan(replay->books), plan, &ids);
    if (status != ALLOT_OK)
        return status;
    status = allot__books_rebase(replay->books, ids, NULL, out);
    if (status != ALLOT_OK && status != ALLOT_ENOMEM)
        status = allot__books_move(replay->books, plan, &lost, out);
    allot_plan_map_free(replay->engine, ids);
    return status;
}

static int no_plan(replaying *replay, const char *plan)
{
    allot_report_say(replay->report, ALLOT_ERROR, "E-replay",
                     "the store has no plan of the sha256 %.64s", plan);
    return ALLOT_ENOENT;
}

static void tell_over(replaying *replay)
{
    if (replay->plan_told > 0 && replay->visitor->over)
        replay->visitor->over(replay->visitor->ud);
    replay->plan_told = 0;
}

static bool is_other(const replaying *replay, const allot__store_pair *names)
{
    return !replay->generation || strcmp(replay->names.plan, names->plan) != 0 ||
           strcmp(replay->names.policies, names->policies) != 0;
}

/* Loads the plan of that sha256 with the policies that decided in a cycle, and moves the books to
 * it; policies that the store lacks come from disk. ENOENT: the store has no such plan. */
static int turn(replaying *replay, const char *plan, int64_t cycle)
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
    tell_over(replay);
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

static int enter(replaying *replay, const allot__event_row *row)
{
    allot__event event;
    int32_t kind = allot__event_find_stored(row->method, strlen(row->method));
    if (kind < 0)
        return allot__error_set(&replay->fault, ALLOT_EINVALID, "E-replay", NULL, NULL,
                                "\"%.60s\" is no event", row->method);
    int status =
        allot__event_read(replay->reader, allot__books_plan(replay->books), kind, ALLOT__STORE,
                          row->params, row->params_len, &event, &replay->fault);
    if (status == ALLOT_OK && !event.at_given)
        event.at = row->at;
    return status == ALLOT_OK ? allot__books_apply(replay->books, &event, &replay->fault) : status;
}

/* Moves to the plan of the next cycle. ENOENT: there is no such cycle that counts, or no plan. */
static int turn_to_next(replaying *replay)
{
    int status = ALLOT_ENOENT;
    allot__rows next = allot__store_query(
        replay->store, "SELECT plan, seq FROM cycles WHERE cycle = $1", "n", replay->cycle + 1);
    if (allot__rows_step(next) == 1) {
        const char *plan;
        size_t len;
        int64_t seq;
        if (allot__row_read(next, "td", &plan, &len, &seq) < 0 && !is_beyond(replay, seq))
            status = turn(replay, plan, replay->cycle + 1);
    }
    allot__rows_end(next);
    return status;
}

/* An event that does not fit may be one of the next cycle's plan. */
static int on_event(void *ud, const allot__event_row *row)
{
    replaying *replay = ud;
    if (replay->stuck > 0)
        return ALLOT_OK;
    int status = replay->books ? enter(replay, row) : ALLOT_ENOENT;
    if (status == ALLOT_OK || status == ALLOT_ENOMEM)
        return status;
    int turned = turn_to_next(replay);
    if (turned != ALLOT_OK && turned != ALLOT_ENOENT)
        return turned;
    if (turned == ALLOT_OK)
        status = enter(replay, row);
    if (status == ALLOT_OK || status == ALLOT_ENOMEM)
        return status;
    replay->refused = turned == ALLOT_OK;
    replay->left_out = replay->left_out || (replay->refused && replay->fault.unfit);
    replay->stuck = replay->left_out ? 0 : row->seq;
    return ALLOT_OK;
}

/* ---- Computing ------------------------------------------------------------------------------- */

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

static int decide(replaying *replay, const allot__cycle_row *row, again *it)
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
static int decide_other(replaying *replay, again *it)
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

static bool is_wanted(const replaying *replay, const allot__cycle_row *row)
{
    return row->seq >= replay->config->from;
}

static bool is_same_policy(const replaying *replay, const allot__cycle_row *row)
{
    const allot_policy *first = allot_plan_group_policy(replay->generation->plan, 0);
    return !row->policy || *row->policy == '\0' ||
           (first != NULL && strcmp(allot_policy_sha256(first), row->policy) == 0);
}

/* Digests are compared before the text: a different input explains more than a different result. */
static const char *difference(const replaying *replay, const allot__cycle_row *row, const again *it)
{
    uint64_t input, output;
    size_t len = it->orders > 0 ? it->text.len : 0;
    if (row->cycle > replay->digest_first)
        allot_decision_digest(it->decision, &input, &output);
    else
        allot_decision_digest_first(it->decision, &input, &output);
    if (input != row->input)
        return "input";
    if (len != row->decision_len || (len > 0 && memcmp(it->text.bytes, row->decision, len) != 0))
        return "decision";
    return output != row->output ? "quotas" : NULL;
}

static void tell_report(replaying *replay, const allot_report *report)
{
    for (int32_t i = 0; report && i < allot_report_count(report); i++)
        allot_report_add(replay->report, allot_report_at(report, i));
}

/* ---- Telling --------------------------------------------------------------------------------- */

static int tell(replaying *replay, allot_replayed *told)
{
    replay->told++;
    replay->plan_told++;
    replay->over = told->differs != NULL;
    int end_with = replay->visitor->cycle(replay->visitor->ud, told);
    return end_with != 0 ? end_with : told->differs != NULL;
}

static int compare(replaying *replay, const allot__cycle_row *row, allot_replayed *told, again *it)
{
    told->decision = it->decision;
    if (it->orders > 0) {
        told->computed = it->text.bytes;
        told->computed_len = it->text.len;
    }
    told->differs = difference(replay, row, it);
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

static int decide_and_compare(replaying *replay, const allot__cycle_row *row, allot_replayed *told)
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

static int on_cycle(void *ud, const allot__cycle_row *row)
{
    replaying *replay = ud;
    allot_replayed told = {
        .cycle = row->cycle,
        .seq = row->seq,
        .at = row->at,
        .recorded = row->decision,
        .recorded_len = row->decision_len,
    };
    replay->cycle = row->cycle;
    if (is_beyond(replay, row->seq)) {
        replay->over = true;
        return 1;
    }
    int status = turn(replay, row->plan, row->cycle);
    if (status == ALLOT_ENOENT) {
        no_plan(replay, row->plan);
        told.differs = "plan";
    } else if (status == ALLOT_OK && replay->refused && replay->stuck > 0) {
        allot_report_say(replay->report, ALLOT_ERROR, "E-replay", "event %lld is refused: %s",
                         (long long)replay->stuck, replay->fault.message);
        told.differs = "event";
    }
    if (told.differs)
        return tell(replay, &told);
    return status == ALLOT_OK ? decide_and_compare(replay, row, &told) : status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* A line that no state can have was left out at recording, too. */
static int judge(void *ud, int status, const allot__error *fault)
{
    replaying *replay = ud;
    replay->left_out = replay->left_out || fault->unfit;
    return replay->left_out ? ALLOT_OK : status;
}

static int on_snapshot(void *ud, const allot__snapshot_row *row)
{
    replaying *replay = ud;
    replay->cycle = row->cycle;
    int status = turn(replay, row->plan, row->cycle + 1);
    if (status != ALLOT_OK)
        return status == ALLOT_ENOENT ? no_plan(replay, row->plan) : status;
    status = allot__books_read(replay->books, replay->reader, row->body, row->body_len, judge,
                               replay, &replay->fault);
    if (status == ALLOT_OK || status == ALLOT_ENOMEM)
        return status;
    allot_report_say(replay->report, ALLOT_ERROR, "E-store",
                     "the snapshot behind event %lld cannot be read: %s", (long long)row->event,
                     replay->fault.message);
    return ALLOT_EIO;
}

/* ---- Where to begin -------------------------------------------------------------------------- */

/* The event of the snapshot to begin with: the newest before the wanted range; else the first event
 * of all or, if that was deleted, the oldest snapshot. */
static int64_t find_begin(replaying *replay)
{
    int64_t from = replay->config->from, event = -1;
    if (from > 0)
        event = allot__store_take(
            allot__store_query(
                replay->store,
                "SELECT max(event) FROM snapshots WHERE seq < $1 AND part = parts - 1", "n", from),
            -1);
    if (event < 0 && allot__store_number(replay->store, "SELECT min(cycle) FROM cycles", -1) > 1)
        event = allot__store_number(replay->store,
                                    "SELECT min(event) FROM snapshots WHERE part = parts - 1", -1);
    return event > 0 ? event : 0;
}

/* The last cycle of a former kind; a store that does not state it has no others. */
static int64_t last_of(const replaying *replay, const char *kind)
{
    static const char sql[] = "SELECT CAST(value AS bigint) FROM meta WHERE key = $1";
    int64_t last = allot__store_take(allot__store_query(replay->store, sql, "t", kind), -1);
    return last >= 0 ? last : INT64_MAX;
}

static int read_all(replaying *replay)
{
    const allot__store_visitor visitor = {replay, on_snapshot, on_event, on_cycle};
    replay->unrounded = last_of(replay, "unrounded");
    replay->digest_first = last_of(replay, "digest_first");
    int status = allot__store_read(replay->store, find_begin(replay), &visitor, replay->report);
    if (replay->over && status == 1)
        status = ALLOT_OK;
    if (status == ALLOT_OK && replay->told == 0) {
        allot_report_say(replay->report, ALLOT_ERROR, "E-nothing",
                         "the store has no such cycles: nothing was computed again");
        return ALLOT_ENOENT;
    }
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* "plan.json.db" -> "plan.json", by the default name of a store. */
static int name_plan(replaying *replay)
{
    const allot_replay_config *config = replay->config;
    const char *name = config->plan ? config->plan : config->store;
    size_t len = strlen(name);
    if (!config->plan && len > 3 && strcmp(name + len - 3, ".db") == 0)
        len -= 3;
    replay->file = allot__copy(replay->engine, name, len);
    return replay->file ? ALLOT_OK : ALLOT_ENOMEM;
}

static void end_all(replaying *replay)
{
    allot__event_reader_free(replay->reader);
    allot__books_end(replay->books);
    allot__generation_free(replay->generation);
    allot__generation_free(replay->other);
    allot__free_string(replay->engine, replay->file);
    if (replay->store)
        allot__store_close(replay->store);
}

void allot_replay_config_init(allot_replay_config *config)
{
    *config = (allot_replay_config){.size = sizeof *config};
}

int allot_service_replay(allot_engine *engine, const allot_replay_config *config,
                         const allot_replay_visitor *visitor, allot_report *report)
{
    replaying replay = {.engine = engine, .config = config, .visitor = visitor, .report = report};
    if (config->size != sizeof *config || !config->store || config->from < 0 || config->to < 0)
        return ALLOT_EUSAGE;
    int status = name_plan(&replay);
    if (status == ALLOT_OK)
        status = allot__store_open_read(engine, config->store, report, &replay.store);
    if (status == ALLOT_OK)
        status = allot__event_reader_new(engine, &replay.reader);
    if (status == ALLOT_OK)
        status = read_all(&replay);
    tell_over(&replay);
    end_all(&replay);
    return status;
}
