/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* candidate.c: makes a generation from files, and tries it on states decided before, of which a
 * few are kept. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "base/memory.h"
#include "service/generation/candidate.h"

/* ---- Life ------------------------------------------------------------------------------------ */

static int fill(allot__candidate *it, const char *file, const char *instead)
{
    int status = allot_report_new(it->engine, &it->report);
    if (status != ALLOT_OK)
        return status;
    it->file = allot__copy(it->engine, file, strlen(file));
    if (instead)
        it->instead = allot__copy(it->engine, instead, strlen(instead));
    return it->file != NULL && (!instead || it->instead) ? ALLOT_OK : ALLOT_ENOMEM;
}

int allot__candidate_new(const char *file, const char *instead, const allot_script_limits *limits,
                         allot__candidate **out)
{
    allot_engine *engine;
    int status = allot_engine_new(NULL, NULL, &engine);
    if (status != ALLOT_OK)
        return status;
    allot__candidate *it = allot__new(engine, 1, sizeof *it);
    if (!it) {
        allot_engine_free(engine);
        return ALLOT_ENOMEM;
    }
    *it = (allot__candidate){.engine = engine,
                             .sources = {.engine = engine},
                             .paths = {.engine = engine},
                             .list = {.engine = engine},
                             .files = {.engine = engine},
                             .document = {.engine = engine}};
    it->old.old.engine = engine;
    if (limits)
        it->limits = *limits;
    status = fill(it, file, instead);
    if (status == ALLOT_OK)
        *out = it;
    else
        allot__candidate_free(it);
    return status;
}

void allot__candidate_free(allot__candidate *candidate)
{
    if (!candidate)
        return;
    allot_engine *engine = candidate->engine;
    allot__generation_free(candidate->generation);
    allot_plan_map_free(engine, candidate->ids);
    allot__sources_free(&candidate->sources);
    allot__watch_paths_free(&candidate->paths);
    allot__text_free(&candidate->old.old);
    allot__text_free(&candidate->list);
    allot__text_free(&candidate->document);
    allot__sources_free(&candidate->files);
    allot__plan_texts_free(candidate->own);
    allot__free_string(engine, candidate->file);
    allot__free_string(engine, candidate->instead);
    allot__free_string(engine, candidate->text);
    allot_report_free(candidate->report);
    allot_report_free(candidate->newcomers);
    allot__free(engine, candidate, 1, sizeof *candidate);
    allot_engine_free(engine);
}

int allot__candidate_text(allot__candidate *candidate, const char *text)
{
    candidate->text = allot__copy(candidate->engine, text, strlen(text));
    candidate->len = strlen(text);
    candidate->forced = true;
    return candidate->text ? ALLOT_OK : ALLOT_ENOMEM;
}

void allot__candidate_refuse(allot__candidate *candidate, int status)
{
    if (allot_report_total(candidate->report, ALLOT_ERROR) == 0)
        allot_report_say(candidate->report, ALLOT_ERROR, allot_status_name(status), "%s",
                         allot_status_text(status));
    candidate->outcome = ALLOT__REFUSED;
    candidate->status = status;
    allot__generation_free(candidate->generation);
    candidate->generation = NULL;
}

/* ---- Versions of before ---------------------------------------------------------------------- */

static bool is_live(const allot__candidate *it, const allot__plan_texts *texts)
{
    const allot__plan_texts *live = it->live->texts;
    bool same =
        live->len == texts->len && memcmp(live->text, texts->text, live->len) == 0 &&
        live->policies.count == texts->policies.count &&
        strcmp(live->instead ? live->instead : "", texts->instead ? texts->instead : "") == 0;
    for (size_t i = 0; same && i < texts->policies.count; i++) {
        const allot__source *policy = &texts->policies.items[i];
        same = allot__sources_has(&live->policies, policy);
    }
    return same;
}

static int no_version(const allot__candidate *it, const allot__store_pair *newest,
                      const allot__store_pair *oldest)
{
    if (newest->number == 0 || it->version == 0)
        allot_report_say(it->report, ALLOT_ERROR, "E-version", "the store has no other version");
    else if (it->version >= oldest->number && it->version <= newest->number)
        allot_report_say(it->report, ALLOT_ERROR, "E-version",
                         "version %" PRId64 " decides already", it->version);
    else
        allot_report_say(it->report, ALLOT_ERROR, "E-version",
                         "the store has no version %" PRId64 ": found %" PRId64 " to %" PRId64,
                         it->version, oldest->number, newest->number);
    return ALLOT_ENOENT;
}

/* Reads the texts of the version wanted, from the newest on. */
static int find_version(allot__candidate *it, allot__store *store)
{
    allot__store_pair names = {.number = 0}, newest = {.number = 0}, oldest = {.number = 0};
    int status = ALLOT_OK;
    for (int back = 0; !it->own; back++) {
        status = allot__store_version(store, back, it->report, &names);
        if (status != ALLOT_OK)
            break;
        newest = back == 0 ? names : newest;
        oldest = names;
        if (it->version != 0 && names.number != it->version)
            continue;
        status = allot__plan_texts_store(it->engine, store, &names, it->report, &it->own);
        if (status != ALLOT_OK || !is_live(it, it->own))
            break;
        allot__plan_texts_free(it->own);
        it->own = NULL;
    }
    if (it->own)
        it->version = names.number;
    return status == ALLOT_ENOENT ? no_version(it, &newest, &oldest) : status;
}

/* The files as they are now, whatever they state. */
static int look_at_files(allot__candidate *it)
{
    const allot__generation_ask ask = {.file = it->file, .limits = &it->limits, .quiet = true};
    allot__generation *files = NULL;
    allot_report *report;
    int status = allot_report_new(it->engine, &report);
    if (status != ALLOT_OK)
        return status;
    status = allot__generation_make(&ask, &it->files, report, &files);
    allot__generation_free(files);
    allot_report_free(report);
    return status == ALLOT_ENOMEM ? status : ALLOT_OK;
}

static int read_version(allot__candidate *it)
{
    allot__store *store;
    char sha256[65];
    int status = allot__store_open_read(it->engine, it->store, it->report, &store);
    if (status != ALLOT_OK)
        return status;
    status = find_version(it, store);
    allot__store_close(store);
    if (status == ALLOT_OK)
        status = look_at_files(it);
    if (status != ALLOT_OK)
        return status;
    allot__plan_texts *own = it->own;
    allot__sources_sha256(&it->files, sha256);
    allot__free_string(own->engine, own->despite);
    own->despite = allot__copy(own->engine, sha256, strlen(sha256));
    it->back = own;
    return own->despite ? ALLOT_OK : ALLOT_ENOMEM;
}

/* ---- Building -------------------------------------------------------------------------------- */

static int build(allot__candidate *it)
{
    int status = it->store ? read_version(it) : ALLOT_OK;
    if (status != ALLOT_OK)
        return status;
    allot__generation_ask ask = {.file = it->file,
                                 .text = it->text,
                                 .len = it->len,
                                 .to_be = true,
                                 .instead = it->instead,
                                 .confined = it->text != NULL || it->instead != NULL,
                                 .known = it->live ? &it->live->texts->policies : NULL,
                                 .limits = &it->limits,
                                 .like = it->live,
                                 .quiet = true};
    if (it->back)
        allot__plan_texts_ask(it->back, &ask);
    status = allot__newcomers_listed(it->engine, &it->list, &it->newcomers);
    if (status == ALLOT_OK && it->live)
        status = allot__newcomers_add(it->engine, it->live->texts->newcomers, &it->newcomers);
    if (status != ALLOT_OK)
        return status;
    ask.newcomers = it->newcomers;
    status = allot__generation_make(&ask, &it->sources, it->report, &it->generation);
    /* The watch paths for next time, whatever the result. */
    int looked = allot__watch_paths_of(&it->paths, &it->sources);
    if (status == ALLOT_OK)
        status = looked;
    if (status == ALLOT_OK && it->live)
        status = allot_plan_map_new(it->engine, it->live->plan, it->generation->plan, &it->ids);
    return status == ALLOT_OK && !it->back ? allot__candidate_check(it) : status;
}

static bool unchanged(const allot__candidate *it, const allot__sources *files)
{
    return files && files->count > 0 && allot__sources_same(files, it->engine);
}

/* Ends without a generation; watch paths may have changed all the same. */
static void leave(allot__candidate *it, allot__outcome outcome, const allot__sources *files)
{
    int status = allot__sources_copy(&it->sources, files);
    if (status == ALLOT_OK)
        status = allot__watch_paths_of(&it->paths, &it->sources);
    if (status == ALLOT_OK)
        it->outcome = outcome;
    else
        allot__candidate_refuse(it, status);
}

/* A replacing policy holds only for the plan's file as it was then. */
static void forget_instead(allot__candidate *it)
{
    allot__sources now = {.engine = it->engine};
    if (allot__sources_add(&now, it->file, NULL, 0) == ALLOT_OK &&
        !allot__sources_has(it->trusted, &now.items[0])) {
        allot__free_string(it->engine, it->instead);
        it->instead = NULL;
    }
    allot__sources_free(&now);
}

/* Whether a rollback stands against the files as they are. */
static bool is_aside(const allot__candidate *it)
{
    char sha256[65];
    const char *despite = it->live && !it->forced ? it->live->texts->despite : NULL;
    if (!despite)
        return false;
    allot__sources_sha256(&it->sources, sha256);
    return strcmp(sha256, despite) == 0;
}

static void set_aside(allot__candidate *it)
{
    allot__generation_free(it->generation);
    it->generation = NULL;
    it->outcome = ALLOT__ASIDE;
    it->aside = true;
}

static void name_it(allot__candidate *it)
{
    char both[131], sha256[65];
    snprintf(both, sizeof both, "%s %s", it->generation->sha256, it->generation->policies_sha256);
    allot_sha256(both, strlen(both), sha256);
    snprintf(it->name, sizeof it->name, "%.12s", sha256);
}

void allot__candidate_build(allot__candidate *candidate)
{
    uint64_t began = uv_hrtime();
    if (!candidate->forced && unchanged(candidate, candidate->trusted)) {
        leave(candidate, ALLOT__AS_LIVE, candidate->trusted);
        return;
    }
    if (!candidate->forced && unchanged(candidate, candidate->before)) {
        leave(candidate, ALLOT__SAME, candidate->before);
        return;
    }
    if (candidate->instead && candidate->lasting)
        forget_instead(candidate);
    int status = build(candidate);
    if (is_aside(candidate))
        set_aside(candidate);
    else if (status == ALLOT_OK)
        candidate->outcome = ALLOT__MADE;
    else
        allot__candidate_refuse(candidate, status);
    if (candidate->generation)
        name_it(candidate);
    candidate->build_us = (int64_t)((uv_hrtime() - began) / 1000);
}

/* ---- Rehearsal ------------------------------------------------------------------------------- */

/* A sealed copy of a state under the generation's plan; NULL: it does not fit. */
static int copy_state(allot__candidate *candidate, const allot_state *from, bool strict,
                      allot_state **out)
{
    allot_report *report = strict ? candidate->report : NULL;
    allot_state *state = NULL;
    int status = allot_state_copy(from, candidate->generation->plan, report, &state);
    if (status == ALLOT_OK)
        status = allot_state_seal(state, report);
    if (status == ALLOT_OK) {
        *out = state;
        return ALLOT_OK;
    }
    allot_state_free(state);
    return strict || status == ALLOT_ENOMEM ? status : ALLOT_OK;
}

static int too_slow(allot__candidate *it, int64_t took, int64_t may)
{
    allot_report_say(it->report, ALLOT_ERROR, "E-slow",
                     "a recorded cycle takes %" PRId64 " ms, and may take %" PRId64
                     ": %d times what it took, and %d more",
                     took / 1000, may / 1000, ALLOT__CANDIDATE_SLOWER,
                     ALLOT__CANDIDATE_SLACK / 1000);
    return ALLOT_EBUDGET;
}

static int decide(allot__candidate *candidate, const allot_state *state, int64_t live_us)
{
    allot_decision *decision = NULL;
    allot_script_time *time = &candidate->generation->time;
    allot__generation_clock(candidate->generation, candidate->clock, candidate->clock_ud);
    int64_t began = time->clock(time->ud);
    allot_script_time_begin(time, candidate->cycle_limit * 1000);
    int status = allot_cycle(candidate->generation->plan, state, candidate->report, &decision);
    int64_t took = time->clock(time->ud) - began;
    allot_script_time_begin(time, 0);
    int64_t may = (live_us > 0 ? live_us : 0) * ALLOT__CANDIDATE_SLOWER + ALLOT__CANDIDATE_SLACK;
    allot_decision_free(decision);
    if (status == ALLOT_OK && live_us >= 0 && took > may)
        status = too_slow(candidate, took, may);
    candidate->tried += status == ALLOT_OK;
    return status;
}

int allot__candidate_try(allot__candidate *candidate, const allot_state *from, bool strict,
                         int64_t live_us, allot_state **out)
{
    allot_state *state = NULL;
    int status = copy_state(candidate, from, strict, &state);
    if (status == ALLOT_OK && state)
        status = decide(candidate, state, live_us);
    if (status == ALLOT_OK && out)
        *out = state;
    else
        allot_state_free(state);
    return status;
}

static int compare(allot__candidate *it, allot__pair_of *pair, const allot_state *state)
{
    pair->lent = pair->wants_document = true;
    pair->candidate = it->generation;
    pair->cycle_limit = it->cycle_limit;
    allot__pair_build(pair);
    if (pair->status == ALLOT_OK)
        pair->status = allot_state_copy(state, pair->twin->plan, pair->report, &pair->state);
    if (pair->status == ALLOT_OK)
        pair->status = allot_state_seal(pair->state, pair->report);
    if (pair->status != ALLOT_OK)
        return pair->status;
    pair->found = (allot__pair_found){.now = allot_state_now_get(pair->state)};
    allot__pair_decide(pair);
    if (pair->status != ALLOT_OK)
        return pair->status;
    it->found = pair->found;
    allot__text_add(&it->document, pair->document.bytes, pair->document.len);
    return it->document.failed ? ALLOT_ENOMEM : ALLOT_OK;
}

int allot__candidate_compare(allot__candidate *candidate, const allot_state *state)
{
    allot__pair_of *pair;
    int status =
        allot__pair_new(candidate->live, candidate->file, NULL, NULL, &candidate->limits, &pair);
    if (status != ALLOT_OK)
        return status;
    status = compare(candidate, pair, state);
    for (int32_t i = 0; status != ALLOT_OK && i < allot_report_count(pair->report); i++)
        allot_report_add(candidate->report, allot_report_at(pair->report, i));
    allot__pair_free(pair);
    return status;
}

int allot__candidate_try_samples(allot__candidate *candidate, const allot__sample_states *samples,
                                 uint64_t until, allot__sample_states *passed)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < samples->count && status == ALLOT_OK && uv_hrtime() <= until; i++) {
        allot__sample_state it = samples->items[i];
        status = allot__candidate_try(candidate, it.state, false, it.took, &it.state);
        if (status == ALLOT_OK && it.state)
            passed->items[passed->count++] = it;
    }
    return status;
}

/* ---- Recent states --------------------------------------------------------------------------- */

enum { LEAST_NS = 1000000000, PATIENCE = 30, SHARE = 1000 };

void allot__sample_states_put(allot__sample_states *samples, allot_state *state, int64_t cycle,
                              int64_t took)
{
    if (samples->count == ALLOT__CANDIDATE_CYCLES)
        allot_state_free(samples->items[--samples->count].state);
    memmove(samples->items + 1, samples->items, (size_t)samples->count * sizeof samples->items[0]);
    samples->items[0] = (allot__sample_state){.state = state, .cycle = cycle, .took = took};
    samples->count++;
}

/* Copies take at most a thousandth of the time; slow ones come at most every PATIENCE seconds. */
void allot__sample_states_add(allot__sample_states *samples, allot__books *books, int64_t cycle,
                              int64_t took)
{
    uint64_t now = uv_hrtime();
    allot_state *state;
    uint64_t least = (uint64_t)LEAST_NS * (allot__books_few(books) ? 1 : PATIENCE);
    bool early = samples->taken > 0 && now - samples->taken < least;
    if (early || now < samples->next || allot__books_copy(books, &state) != ALLOT_OK)
        return;
    samples->taken = now;
    samples->next = now + (uv_hrtime() - now) * SHARE;
    allot__sample_states_put(samples, state, cycle, took);
}

void allot__sample_states_clear(allot__sample_states *samples)
{
    while (samples->count > 0)
        allot_state_free(samples->items[--samples->count].state);
}
