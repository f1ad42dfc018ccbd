/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* service_load.c: the books brought to where the store ends. */
#include <string.h>

#include "service/service.h"

typedef struct loading {
    allot_service *service;
    allot_report *report;
    int64_t lost; /* lines and events about what the plan has no more */
    allot__fault fault;
    bool moved; /* the plan is another one than that of the snapshot, or the last cycle */
} loading;

/* A plan that was changed while nothing ran may lack whom the books know; what they had is gone
 * with them. Else the books must be as they were. */
static int judge(loading *it, int status)
{
    if (status == ALLOT_OK || status == ALLOT_ENOMEM)
        return status;
    it->lost++;
    if (it->lost <= 5)
        allot_report_say(it->report, ALLOT_WARNING, "W-store", "the plan has changed since: %.300s",
                         it->fault.message);
    return ALLOT_OK;
}

static int read_lines(loading *it, const char *text, size_t len)
{
    int status = ALLOT_OK;
    for (size_t at = 0; at < len && status == ALLOT_OK;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t size = end != NULL ? (size_t)(end - (text + at)) : len - at;
        status = judge(it, allot__books_read(it->service->books, it->service->reader, text + at,
                                             size, &it->fault));
        at += size + 1;
    }
    return status;
}

static int on_snapshot(void *ud, const allot__snapshot_row *row)
{
    loading *it = ud;
    allot_service *service = it->service;
    service->event = service->snapshot_event = row->event;
    service->cycle = service->snapshot_cycle = row->cycle;
    service->seq = row->seq;
    service->now = row->at > service->now ? row->at : service->now;
    it->moved = strcmp(row->plan, service->version->sha256) != 0;
    return read_lines(it, row->body, row->body_len);
}

static int on_event(void *ud, const allot__event_row *row)
{
    loading *it = ud;
    allot_service *service = it->service;
    allot__event event;
    service->event = row->seq;
    service->now = row->at > service->now ? row->at : service->now;
    int32_t kind = allot__event_find(row->method, strlen(row->method));
    if (kind < 0) {
        allot_report_say(it->report, ALLOT_ERROR, "E-store",
                         "event %lld of the store is none that this program knows: \"%.60s\"",
                         (long long)row->seq, row->method);
        return ALLOT_EIO;
    }
    int status = allot__event_read(service->reader, service->version->plan, (allot__event_kind)kind,
                                   row->params, row->params_len, &event, &it->fault);
    if (status == ALLOT_OK) {
        event.at = row->at;
        status = allot__books_apply(service->books, &event, &it->fault);
    }
    return judge(it, status);
}

static int on_cycle(void *ud, const allot__cycle_row *row)
{
    loading *it = ud;
    it->service->cycle = row->cycle;
    it->service->seq = row->seq;
    it->service->now = row->at > it->service->now ? row->at : it->service->now;
    it->moved = strcmp(row->plan, it->service->version->sha256) != 0;
    return read_lines(it, row->effect, row->effect_len);
}

static int on_key(void *ud, const char *key, int64_t seq, int64_t at)
{
    const loading *it = ud;
    return allot__keys_add(it->service->keys, key, seq, at);
}

int allot__service_load(allot_service *service, allot_report *report)
{
    loading it = {.service = service, .report = report};
    const allot__store_visitor visitor = {&it, on_snapshot, on_event, on_cycle};
    int status = allot__store_read(service->store, INT64_MAX, &visitor, report);
    if (status == ALLOT_OK)
        status =
            allot__store_keys(service->store, service->now - ALLOT__KEYS_AGE, on_key, &it, report);
    if (status == ALLOT_OK && it.lost > 0 && !it.moved) {
        allot_report_say(report, ALLOT_ERROR, "E-store",
                         "the store's rows do not fit together: %.300s", it.fault.message);
        status = ALLOT_EIO;
    }
    service->fresh = it.moved;
    return status;
}
