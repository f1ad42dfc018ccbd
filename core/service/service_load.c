/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* service_load.c: restores the books from the store. */
#include <stdio.h>
#include <string.h>

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
static int judge(void *ud, int status)
{
    loading *it = ud;
    if (status == ALLOT_OK || status == ALLOT_ENOMEM)
        return status;
    bool left = it->fault.unfit || it->left > 0;
    int64_t count = left ? ++it->left : ++it->lost;
    if (count <= 5)
        allot_report_say(it->report, ALLOT_WARNING, "W-store",
                         left ? "left out, as no cycle can decide with it: %.300s"
                              : "the plan has changed since: %.300s",
                         it->fault.message);
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
    return judge(it, status);
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

int allot__service_load(allot_service *service, allot_report *report)
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
