/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * service_begin.c: restores the books from the store, and chooses the generation that a service
 * begins with.
 *
 * The books are restored under the generation that decided last; then the files must pass the
 * checks of a reload. So a restart adopts nothing that a reload would refuse.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "service/generation/candidate.h"
#include "service/life.h"

typedef struct loading {
    allot_service *service;
    allot_report *report;
    int64_t lost; /* lines and events about things that the plan lacks */
    int64_t left; /* ... that no state can have, and those that may depend on them */
    allot__error fault;
    char plan[65], policy[65]; /* of the last row; "": not known */
    int64_t recorded;          /* states of later cycles are kept for rehearsal */
} loading;

/* Another plan may lack consumers of earlier rows: what they had was dropped when the plan took
 * over, or is now, if it changed while no service ran. Rows that earlier versions accepted, though
 * no state can have them, are skipped, with later rows that do not fit without them. Otherwise
 * every row must be entered. */
static int judge(void *ud, int status, const allot__error *fault)
{
    loading *it = ud;
    if (status == ALLOT_OK || status == ALLOT_ENOMEM)
        return status;
    bool left = fault->unfit || it->left > 0;
    int64_t count = left ? ++it->left : ++it->lost;
    if (count <= 5)
        allot_report_say(it->report, ALLOT_WARNING, "W-store",
                         left ? "left out, as no cycle can decide with it: %.300s"
                              : "the plan has changed since: %.300s",
                         fault->message);
    return ALLOT_OK;
}

static int read_lines(loading *it, const char *text, size_t len)
{
    allot_service *service = it->service;
    return allot__books_read(service->books, service->reader, text, len, judge, it, &it->fault);
}

static bool is_other(const char *known, const char *name)
{
    return known[0] != '\0' && name[0] != '\0' && strcmp(known, name) != 0;
}

/* Notes the plan and policy of a row. */
static void note(loading *it, const char *plan, const char *policy)
{
    if (is_other(it->plan, plan) || is_other(it->policy, policy))
        it->lost = 0;
    snprintf(it->plan, sizeof it->plan, "%s", plan);
    snprintf(it->policy, sizeof it->policy, "%s", policy);
}

static bool is_moved(const loading *it)
{
    const allot__generation *generation = it->service->generation;
    const allot_policy *policy = allot_plan_group_policy(generation->plan, 0);
    return is_other(it->plan, generation->sha256) ||
           (policy != NULL && is_other(it->policy, allot_policy_sha256(policy)));
}

/* Keeps a cycle's state for rehearsal, if it can be made. */
static void keep_record(const loading *it, const allot__cycle_row *row)
{
    allot_service *service = it->service;
    const allot_state *state;
    allot_state *copy;
    if (row->cycle > it->recorded &&
        allot__books_state(service->books, row->at, NULL, &state) == ALLOT_OK &&
        allot__books_copy(service->books, &copy) == ALLOT_OK)
        allot__sample_states_put(&service->loaded, copy, row->cycle, -1);
}

static int on_snapshot(void *ud, const allot__snapshot_row *row)
{
    loading *it = ud;
    allot_service *service = it->service;
    service->event = service->snapshot_event = row->event;
    service->cycle = service->snapshot_cycle = row->cycle;
    service->snapshot_at = row->at;
    service->seq = row->seq;
    service->now = row->at > service->now ? row->at : service->now;
    note(it, row->plan, "");
    return read_lines(it, row->body, row->body_len);
}

static int on_event(void *ud, const allot__event_row *row)
{
    loading *it = ud;
    allot_service *service = it->service;
    allot__event event;
    service->event = row->seq;
    service->now = row->at > service->now ? row->at : service->now;
    int32_t kind = allot__event_find_stored(row->method, strlen(row->method));
    if (kind < 0) {
        allot_report_say(it->report, ALLOT_ERROR, "E-store",
                         "event %lld of the store is none that this program knows: \"%.60s\"",
                         (long long)row->seq, row->method);
        return ALLOT_EIO;
    }
    int status =
        allot__event_read(service->reader, service->generation->plan, (allot__event_kind)kind,
                          ALLOT__STORE, row->params, row->params_len, &event, &it->fault);
    if (status == ALLOT_OK) {
        if (!event.at_given)
            event.at = row->at;
        status = allot__books_apply(service->books, &event, &it->fault);
        if (kind == ALLOT__EVENT_KEEP_BACK)
            service->now = event.since;
    }
    return judge(it, status, &it->fault);
}

static int on_cycle(void *ud, const allot__cycle_row *row)
{
    loading *it = ud;
    note(it, row->plan, row->policy ? row->policy : "");
    keep_record(it, row);
    it->service->cycle = row->cycle;
    it->service->seq = row->seq;
    it->service->now = row->at > it->service->now ? row->at : it->service->now;
    return read_lines(it, row->effect, row->effect_len);
}

/* The digest of a key's content; a truth's row (sync/) has the digest itself. */
static uint64_t content_of(loading *it, const allot__event_row *row)
{
    allot__event event;
    if (allot__event_find_stored(row->method, strlen(row->method)) != ALLOT__EVENT_KEEP_SYNC)
        return allot__event_keys_content(row->method, row->params, row->params_len);
    int status = allot__event_read(it->service->reader, it->service->generation->plan,
                                   ALLOT__EVENT_KEEP_SYNC, ALLOT__STORE, row->params,
                                   row->params_len, &event, &it->fault);
    return status == ALLOT_OK ? (uint64_t)event.since : 0;
}

static int on_key(void *ud, const allot__event_row *row)
{
    loading *it = ud;
    if (allot__event_keys_reserve(it->service->keys) != ALLOT_OK)
        return ALLOT_ENOMEM;
    allot__event_keys_put(it->service->keys, row->key, content_of(it, row), row->seq, row->at);
    return ALLOT_OK;
}

int allot__service_follow_event(void *ud, const allot__event_row *row)
{
    loading it = {.service = ud};
    int status = on_event(&it, row);
    if (status == ALLOT_OK && row->key)
        status = on_key(&it, row);
    return it.lost > 0 || it.left > 0 ? ALLOT_EIO : status;
}

int allot__service_follow_cycle(void *ud, const allot__cycle_row *row)
{
    loading it = {.service = ud, .recorded = INT64_MAX};
    int status = on_cycle(&it, row);
    return it.lost > 0 || it.left > 0 ? ALLOT_EIO : status;
}

/* Brings the books to where the store ends. EIO, EINVALID (report), ENOMEM. */
static int load_books(allot_service *service, allot_report *report)
{
    loading it = {.service = service,
                  .report = report,
                  .recorded = allot__store_cycles(service->store) - ALLOT__CANDIDATE_CYCLES};
    const allot__store_visitor visitor = {&it, on_snapshot, on_event, on_cycle};
    int status = allot__store_read(service->store, INT64_MAX, &visitor, report);
    if (status == ALLOT_OK)
        status =
            allot__store_keys(service->store, service->now - ALLOT__KEYS_AGE, on_key, &it, report);
    service->fresh = is_moved(&it);
    if (status == ALLOT_OK && it.lost > 0 && !service->fresh) {
        allot_report_say(report, ALLOT_ERROR, "E-store",
                         "the store's rows do not fit together: %.300s", it.fault.message);
        status = ALLOT_EIO;
    }
    service->fresh = service->fresh || it.left > 0;
    return status;
}

static void pass_on(const allot_report *from, allot_report *to)
{
    for (int32_t i = 0; i < allot_report_count(from); i++)
        allot_report_add(to, allot_report_at(from, i));
}

/* Finds the previous generation's texts; if the store lacks them the service goes on without. */
static int look_back(allot_service *service, allot_report *report)
{
    allot__store_pair names;
    int back = allot__plan_texts_is(&service->kept, service->generation) ? 1 : 0;
    int status = allot__store_version(service->store, back, report, &names);
    if (status == ALLOT_OK)
        status = allot__plan_texts_store(service->engine, service->store, &names, report,
                                         &service->before);
    return status == ALLOT_ENOENT ? ALLOT_OK : status;
}

static int load_under(allot_service *service, allot__generation *generation, allot_report *report)
{
    service->generation = generation;
    generation->loud = true;
    int status = allot__books_new(service->engine, generation->plan, &service->books);
    if (status == ALLOT_OK)
        status = load_books(service, report);
    return status == ALLOT_OK ? look_back(service, report) : status;
}

/* ---- The files ------------------------------------------------------------------------------- */

static int make_candidate(allot_service *service, allot_report *report, allot__candidate **out)
{
    allot__candidate *it;
    int status = allot__candidate_new(service->config.plan, NULL, &service->config.limits, &it);
    if (status != ALLOT_OK)
        return status;
    it->forced = true;
    it->cycle_limit = service->config.cycle_limit;
    if (service->kept.policies[0] != '\0')
        status = allot__store_text(service->store, ALLOT__STORE_POLICIES, service->kept.policies,
                                   report, &it->list);
    if (status == ALLOT_ENOMEM || status == ALLOT_EIO) {
        allot__candidate_free(it);
        return status;
    }
    allot__candidate_build(it);
    *out = it;
    return ALLOT_OK;
}

/* The files' generation decides from the start. */
static int begin_with(allot_service *service, allot__candidate *candidate, allot_report *report)
{
    allot__generation *generation = candidate->generation;
    candidate->generation = NULL;
    pass_on(candidate->report, report);
    return load_under(service, generation, report);
}

/* ---- Rehearsal ------------------------------------------------------------------------------- */

/* Tries the books' state, unless that state is inconsistent. */
static int try_books(allot_service *service, allot__candidate *candidate, allot__books *books)
{
    const allot_state *made;
    if (allot__books_state(books, allot__service_now(service), NULL, &made) != ALLOT_OK)
        return ALLOT_OK;
    allot_state *copy = NULL;
    int status = allot__candidate_try(candidate, made, true, -1, &copy);
    if (status == ALLOT_OK)
        status = allot__candidate_check_live(candidate, copy);
    allot_state_free(copy);
    return status;
}

/* A plan changed while no service ran may lack known consumers: what they had is dropped. */
static int try_without(allot_service *service, allot__candidate *candidate, allot_report *report,
                       allot__books **moved)
{
    const allot_plan *plan = candidate->generation->plan;
    allot__error lost;
    allot__books *books;
    allot_report_clear(candidate->report);
    int status = allot__books_move(service->books, plan, &lost, &books);
    if (status != ALLOT_OK)
        return status;
    status = try_books(service, candidate, books);
    if (status != ALLOT_OK) {
        allot__books_end(books);
        return status;
    }
    if (lost.code[0] != '\0') /* else the state itself was inconsistent */
        allot_report_say(report, ALLOT_WARNING, "W-store", "the plan has changed since: %.300s",
                         lost.message);
    *moved = books;
    return ALLOT_OK;
}

/* Tries the books, then recorded cycles, whose copies are left in `trial`. */
static int rehearse(allot_service *service, allot__candidate *candidate, allot_report *report,
                    allot__sample_states *trial, allot__books **moved)
{
    int status = allot_plan_map_new(candidate->engine, service->generation->plan,
                                    candidate->generation->plan, &candidate->ids);
    if (status == ALLOT_OK)
        status = try_books(service, candidate, service->books);
    if (status == ALLOT_ENOENT || status == ALLOT_EINVALID)
        status = try_without(service, candidate, report, moved);
    if (status == ALLOT_OK)
        status = allot__candidate_try_samples(candidate, &service->loaded, UINT64_MAX, trial);
    return status;
}

static int rebase(allot_service *service, allot__candidate *candidate, allot__books **moved)
{
    int status = ALLOT_OK;
    if (!*moved)
        status = allot__books_rebase(service->books, candidate->ids, candidate->report, moved);
    if (status == ALLOT_OK)
        allot__books_end(service->books);
    return status;
}

static int take_over(allot_service *service, allot__candidate *candidate,
                     allot__sample_states *trial, allot__books **moved)
{
    int status = rebase(service, candidate, moved);
    if (status != ALLOT_OK)
        return status;
    allot__sample_states_clear(&service->loaded);
    allot__plan_texts_free(service->before);
    service->before = allot__plan_texts_hold(service->generation->texts);
    allot__generation_free(service->generation);
    service->books = *moved;
    service->loaded = *trial;
    service->generation = candidate->generation;
    service->generation->loud = true;
    service->fresh = true;
    *moved = NULL;
    trial->count = 0;
    candidate->generation = NULL;
    return ALLOT_OK;
}

/* With the books under the last generation: whether the files may take over. If not, takes
 * *candidate. */
static int hand_over(allot_service *service, allot__candidate **candidate, allot_report *report)
{
    allot__candidate *it = *candidate;
    allot__sample_states trial = {.count = 0};
    allot__books *moved = NULL;
    int status = it->status;
    if (it->outcome == ALLOT__MADE)
        status = rehearse(service, it, report, &trial, &moved);
    if (status == ALLOT_OK)
        status = take_over(service, it, &trial, &moved);
    allot__sample_states_clear(&trial);
    allot__books_end(moved);
    if (status == ALLOT_OK || status == ALLOT_ENOMEM)
        return status;
    allot__candidate_refuse(it, status);
    it->replaced = true;
    service->refused = it;
    *candidate = NULL;
    return ALLOT_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Rebuilds the last generation from its texts; NULL: there is none. `of_it` gets its faults. */
static int recall_last(allot_service *service, allot_report *report, allot_report *of_it,
                       allot__generation **out)
{
    allot__plan_texts *recall = NULL;
    allot__generation_ask ask = {
        .file = service->config.plan, .to_be = true, .limits = &service->config.limits};
    *out = NULL;
    if (service->kept.plan[0] == '\0')
        return ALLOT_OK;
    int status =
        allot__plan_texts_store(service->engine, service->store, &service->kept, report, &recall);
    if (status != ALLOT_OK)
        return status == ALLOT_ENOENT ? ALLOT_OK : status;
    allot__plan_texts_ask(recall, &ask);
    status = allot__generation_make(&ask, NULL, of_it, out);
    allot__plan_texts_free(recall);
    return status == ALLOT_ENOMEM ? status : ALLOT_OK;
}

static int choose(allot_service *service, allot__candidate **candidate, allot_report *report)
{
    allot__generation *last;
    allot__candidate *it = *candidate;
    bool made = it->outcome == ALLOT__MADE;
    if (made && allot__plan_texts_is(&service->kept, it->generation))
        return begin_with(service, it, report);
    int status = recall_last(service, report, made ? it->report : report, &last);
    if (status != ALLOT_OK)
        return status;
    if (last) {
        /* Changes that may have to wait, or that a rollback may have set aside, are reload/'s. */
        service->unjudged = service->config.most_change >= 0 || last->texts->despite;
        status = load_under(service, last, report);
        return status == ALLOT_OK && !service->unjudged ? hand_over(service, candidate, report)
                                                        : status;
    }
    if (made)
        return begin_with(service, it, report);
    pass_on(it->report, report);
    return it->status;
}

/* Without a store only the files count; bad files make no store. */
static int try_first(allot_service *service, allot__candidate **candidate, allot_report *report)
{
    int status = make_candidate(service, report, candidate);
    if (status != ALLOT_OK || (*candidate)->outcome == ALLOT__MADE)
        return status;
    pass_on((*candidate)->report, report);
    return (*candidate)->status;
}

/* What others that share the store are told. */
static void describe(const allot_service_config *config, allot__store_site *out)
{
    char real[PATH_MAX], host[64] = "";
    const char *address = config->address ? config->address : config->tcp;
    if (!address && config->socket)
        address = config->socket;
    if (address == config->socket && address && *address != '/' && getcwd(real, sizeof real))
        snprintf(out->address, sizeof out->address, "%.160s/%.90s", real, address);
    else
        snprintf(out->address, sizeof out->address, "%.255s", address ? address : "");
    gethostname(host, sizeof host - 1);
    snprintf(out->holder, sizeof out->holder, "%s:%ld", host, (long)getpid());
    out->lease = config->lease;
    out->wait = config->wait != 0;
}

static int open_store(allot_service *service, allot_report *report)
{
    allot__store_site site = {.lease = 0};
    describe(&service->config, &site);
    int status =
        allot__store_open(service->engine, service->config.store, &site, report, &service->store);
    if (status == ALLOT_OK)
        status = allot__store_version(service->store, 0, report, &service->kept);
    return status == ALLOT_ENOENT ? ALLOT_OK : status;
}

/* One that stands by has the plan that decides; the files count once it leads. */
static int follow_last(allot_service *service, allot_report *report)
{
    allot__generation *last;
    int status = recall_last(service, report, report, &last);
    return status == ALLOT_OK && last ? load_under(service, last, report)
           : status == ALLOT_OK       ? ALLOT_EIO
                                      : status;
}

int allot__service_begin(allot_service *service, allot_report *report)
{
    allot__candidate *candidate = NULL;
    int status = ALLOT_OK;
    if (!allot__store_is_shared(service->config.store) && access(service->config.store, F_OK) != 0)
        status = try_first(service, &candidate, report);
    if (status == ALLOT_OK)
        status = open_store(service, report);
    if (status == ALLOT_OK && !allot__store_leads(service->store))
        return follow_last(service, report);
    if (status == ALLOT_OK && !candidate)
        status = make_candidate(service, report, &candidate);
    if (status == ALLOT_OK)
        status = choose(service, &candidate, report);
    allot__candidate_free(candidate);
    return status;
}
