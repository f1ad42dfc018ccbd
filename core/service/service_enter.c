/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* service_enter.c: enters events, writes snapshots, swaps generations. */
#include <string.h>

#include "service/life.h"

/* ---- Events ---------------------------------------------------------------------------------- */

/* All steps that may fail, before the books are changed. */
static int prepare(allot_service *service, const allot__event *event, size_t len)
{
    size_t key = event->key ? strlen(event->key) : 0;
    if (allot__store_reserve(service->store, len + key + 64) != ALLOT_OK)
        return ALLOT_ENOMEM;
    return key > 0 ? allot__event_keys_reserve(service->keys) : ALLOT_OK;
}

/* Whether the event's key is known; then *status is OK for the same event, or an error. */
static bool is_known(allot_service *service, const allot__event *event, uint64_t content,
                     int64_t *seq, int *status, allot__error *fault)
{
    uint64_t known;
    *seq = allot__event_keys_find(service->keys, event->key, allot__service_now(service), &known);
    *status = ALLOT_OK;
    if (*seq == 0)
        return false;
    if (known != content)
        *status = allot__error_set(fault, ALLOT_EEXIST, "E-key", "key",
                                   "give each event a key of its own",
                                   "key: event %lld came with \"%.100s\" and said something else",
                                   (long long)*seq, event->key);
    else
        service->tally.repeated++;
    return true;
}

static int enter(allot_service *service, allot__event *event, const allot__event_row *row,
                 allot__error *fault)
{
    if (!event->at_given)
        event->at = row->at;
    int status = allot__event_times(event, row->at, fault);
    if (status == ALLOT_OK)
        status = prepare(service, event, row->params_len);
    return status == ALLOT_OK ? allot__books_apply(service->books, event, fault) : status;
}

int allot__service_enter(allot_service *service, allot__event *event, const char *params,
                         size_t len, int64_t *seq, int64_t *batch, allot__error *fault)
{
    if (service->stopping || service->failed || !service->running)
        return allot__error_set(fault, ALLOT_EIO, "E-stopping", NULL, NULL,
                                "the service is about to stop");
    allot__event_row row = {.seq = service->event + 1,
                            .method = allot__event_name((int)event->kind),
                            .params = params ? params : "{}",
                            .params_len = params ? len : 2,
                            .key = event->key};
    uint64_t content =
        row.key != NULL ? allot__event_keys_content(row.method, row.params, row.params_len) : 0;
    int status;
    *batch = allot__store_pending(service->store);
    if (row.key && is_known(service, event, content, seq, &status, fault))
        return status;
    allot__cycle_settle(service);
    row.at = allot__service_now(service);
    status = enter(service, event, &row, fault);
    if (status != ALLOT_OK)
        return status;
    /* A key's hour begins when the event arrives, not at the event's own time. */
    if (row.key)
        allot__event_keys_put(service->keys, row.key, content, row.seq, row.at);
    *batch = allot__store_event(service->store, &row);
    *seq = service->event = row.seq;
    service->tally.events++;
    allot__cycle_touch(service);
    return ALLOT_OK;
}

/* ---- Snapshots ------------------------------------------------------------------------------- */

/* A snapshot that fails is tried again after the next cycle. */
static int next_lines(void *ud, allot__text *out, size_t most, bool *over)
{
    allot_service *service = ud;
    int status = allot__books_list(service->books, out, most, over);
    service->fresh = service->fresh || status != ALLOT_OK;
    return status;
}

/* Rows kept by age or size are deleted an eighth of that at a time; a large snapshot is not written
 * for few changes. */
static bool has_grown(const allot_service *service)
{
    const allot_service_config *config = &service->config;
    enum { PARTS = 8 };
    int64_t behind = allot__store_behind(service->store);
    int64_t size = allot__store_snapshot_size(service->store);
    bool aged =
        config->keep_age > 0 && service->now - service->snapshot_at > config->keep_age / PARTS;
    return aged ||
           (config->keep_size > 0 && behind > config->keep_size / PARTS && behind > 2 * size);
}

/* One at a time, except the last one. No two have the same event and cycle: their parts on disk
 * would mix. */
static bool is_due(const allot_service *service, bool now)
{
    int64_t behind =
        service->event - service->snapshot_event + service->cycle - service->snapshot_cycle;
    if (behind <= 0 || now)
        return behind > 0;
    return !allot__store_snapshots(service->store) &&
           (service->fresh || behind >= service->config.snapshot || has_grown(service));
}

void allot__service_snapshot(allot_service *service, bool now)
{
    if (!is_due(service, now))
        return;
    allot__snapshot_row row = {.event = service->event,
                               .cycle = service->cycle,
                               .seq = service->seq,
                               .at = service->now,
                               .plan = service->generation->sha256};
    allot__store_give_up(service->store);
    service->fresh = allot__books_list_begin(service->books) != ALLOT_OK;
    if (service->fresh)
        return;
    service->snapshot_event = service->event;
    service->snapshot_cycle = service->cycle;
    service->snapshot_at = service->now;
    allot__store_snapshot(service->store, &row, next_lines, service);
    service->keep_at = 0;
}

void allot__service_let_go(allot_service *service)
{
    enum { EVERY = 60000 };
    const allot_service_config *config = &service->config;
    uint64_t now = uv_now(service->loop);
    if (now < service->keep_at || service->stopping || allot__store_snapshots(service->store))
        return;
    service->keep_at = now + EVERY;
    allot__store_bounds bounds = {
        .event = service->event > config->keep ? service->event - config->keep : -1,
        .at = config->keep_age > 0 ? service->now - config->keep_age : INT64_MIN,
        .size = config->keep_size > 0 ? config->keep_size : -1,
        .keys = service->now - ALLOT__KEYS_AGE};
    allot__store_compact(service->store, &bounds);
}

/* ---- Versions -------------------------------------------------------------------------------- */

/* Notes in the store that this generation decides from here on. */
static int name_generation(allot_service *service)
{
    const allot__generation *generation = service->generation;
    if (allot__plan_texts_is(&service->kept, generation))
        return ALLOT_OK;
    if (allot__store_put_version(service->store, service->cycle + 1, generation->sha256,
                                 generation->policies_sha256) < 0)
        return ALLOT_ENOMEM;
    memcpy(service->kept.plan, generation->sha256, sizeof service->kept.plan);
    memcpy(service->kept.policies, generation->policies_sha256, sizeof service->kept.policies);
    return ALLOT_OK;
}

int allot__service_keep(allot_service *service)
{
    if (allot__plan_texts_is(&service->kept, service->generation))
        return ALLOT_OK;
    int status = allot__plan_texts_keep(service->store, service->generation);
    return status == ALLOT_OK ? name_generation(service) : status;
}

int allot__service_swap(allot_service *service, allot__generation *generation,
                        const allot_plan_map *ids, allot_report *report, allot__generation **old)
{
    allot__books *books;
    allot__hold_settle(service);
    if (service->stopping || service->failed)
        return ALLOT_EUSAGE;
    bool same = strcmp(generation->sha256, service->generation->sha256) == 0;
    if (!allot__plan_texts_is(&service->kept, generation) &&
        allot__plan_texts_keep(service->store, generation) != ALLOT_OK)
        return ALLOT_ENOMEM;
    int status = allot__books_rebase(service->books, ids, report, &books);
    if (status != ALLOT_OK)
        return status;
    if (allot__store_snapshots(service->store)) { /* by the old plan's numbers */
        allot__store_give_up(service->store);
        service->fresh = true;
    }
    service->recorded.known = false;
    *old = service->generation;
    (*old)->last = allot__books_take_state(service->books);
    allot__books_end(service->books);
    service->books = books;
    service->generation = generation;
    if (name_generation(service) != ALLOT_OK)
        allot__service_fail(service, "no memory to record another version of the plan");
    /* Earlier rows may name consumers that the new plan lacks. */
    service->fresh = service->fresh || !same || !ids->same;
    for (const allot__component *component = service->up->components; component->name; component++)
        if (component->swapped)
            component->swapped(service);
    allot__cycle_touch(service);
    return ALLOT_OK;
}
