/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sync.c: the call `sync`, from a thread that reads it to its answer. */
#include <stdio.h>

#include "service/events/keys.h"
#include "service/lists/lists.h"
#include "service/sync/own.h"
#include "service/sync/sync.h"

/* A list in the params: its key, its first byte, its reader. */
typedef struct list_kind {
    const char *name, *allowed;
    char opens;
    int8_t queues; /* only of plans with queues (1), or without (-1) */
    allot__truth_reads *read;
} list_kind;

static const list_kind kinds[ALLOT__TRUTH_LISTS] = {
    [ALLOT__TRUTH_SLOTS] = {"slots", NULL, '\0', 0, allot__truth_slots},
    [ALLOT__TRUTH_HOSTS] = {"hosts", "an object, {name: {...}}", '{', 0, allot__truth_hosts},
    [ALLOT__TRUTH_SESSIONS] = {"sessions", "a list of objects", '[', -1, allot__truth_items},
    [ALLOT__TRUTH_TASKS] = {"tasks", "a list of objects", '[', -1, allot__truth_items},
    [ALLOT__TRUTH_JOBS] = {"jobs", "a list of objects", '[', 1, allot__truth_items},
    [ALLOT__TRUTH_LEAVES] = {"consumers", "an object, {path: {...}}", '{', -1, allot__truth_leaves},
};

static bool is_fit(const list_kind *kind, allot__span value)
{
    return kind->opens == '\0' || value.at[0] == kind->opens || allot__truth_empty(value);
}

static int check_list(allot__truth *truth, const list_kind *kind, allot__span value, bool twice)
{
    bool queues = allot_plan_queues(truth->plan) > 0;
    if (twice)
        return allot__error_set(&truth->fault, ALLOT_EINVALID, "E-duplicate-key", kind->name, NULL,
                                "\"%s\" stands there twice", kind->name);
    if (!is_fit(kind, value))
        return allot__error_set(&truth->fault, ALLOT_EINVALID, "E-type", kind->name, NULL,
                                "%s: found %.*s, allowed %s", kind->name,
                                (int)(value.len < 40 ? value.len : 40), value.at, kind->allowed);
    if ((kind->queues > 0 && !queues) || (kind->queues < 0 && queues))
        return allot__error_set(&truth->fault, ALLOT_EUSAGE, "E-queues", kind->name, NULL,
                                "%s: the plan has %s", kind->name, queues ? "queues" : "no queues");
    return ALLOT_OK;
}

static int unknown_member(allot__truth *truth, const allot__span *name)
{
    static const char *const names[] = {"slots",     "hosts", "sessions", "tasks",  "jobs",
                                        "consumers", "at",    "key",      "source", "brief"};
    char hint[120] = "", found[84];
    snprintf(found, sizeof found, "%.*s", (int)(name->len < 80 ? name->len : 80), name->at);
    const char *near = allot_nearest(found, strlen(found), names, sizeof names / sizeof *names);
    if (near)
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
    return allot__error_set(&truth->fault, ALLOT_EINVALID, "E-unknown-key", found, hint,
                            "\"%s\" is no parameter of \"sync\"", found);
}

static bool is_head(const allot__span *name)
{
    return allot__span_is(name, "source") || allot__span_is(name, "at") ||
           allot__span_is(name, "key") || allot__span_is(name, "brief");
}

/* Finds the lists; copies the other members to an object of their own. */
static int split(allot__truth *truth, allot__span params, allot__span *lists, allot__text *head)
{
    const char *at = params.at, *end = params.at + params.len;
    allot__span name, value;
    int status = ALLOT_OK;
    allot__text_puts(head, "{");
    while (status == ALLOT_OK && allot__span_member(&at, end, &name, &value)) {
        int list = 0;
        while (list < ALLOT__TRUTH_LISTS && !allot__span_is(&name, kinds[list].name))
            list++;
        if (list < ALLOT__TRUTH_LISTS) {
            status = check_list(truth, &kinds[list], value, lists[list].at != NULL);
            lists[list] = value;
        } else if (is_head(&name)) {
            allot__text_puts(head, head->len > 1 ? ", \"" : "\"");
            allot__text_add(head, name.at, name.len);
            allot__text_puts(head, "\": ");
            allot__text_add(head, value.at, value.len);
        } else {
            status = unknown_member(truth, &name);
        }
    }
    allot__text_puts(head, "}");
    return head->failed ? ALLOT_ENOMEM : status;
}

static int copy(allot__truth *truth, const char *from, char **to)
{
    *to = from ? allot__copy(truth->engine, from, strlen(from)) : NULL;
    return from && !*to ? ALLOT_ENOMEM : ALLOT_OK;
}

static int read_head(allot__truth *truth, const allot__text *head, allot__span params)
{
    allot__event event;
    int status = allot__event_read(truth->reader, truth->plan, ALLOT__EVENT_KEEP_SYNC, ALLOT__STORE,
                                   head->bytes, head->len, &event, &truth->fault);
    if (status == ALLOT_OK)
        status = allot__event_times(&event, truth->now, &truth->fault);
    if (status == ALLOT_OK)
        status = copy(truth, event.source, &truth->source);
    if (status == ALLOT_OK)
        status = copy(truth, event.key, &truth->key);
    if (status != ALLOT_OK)
        return status;
    truth->brief = event.keep;
    truth->at_given = event.at_given;
    truth->at = event.at_given ? event.at : truth->now;
    if (truth->key)
        truth->digest = allot__event_keys_content("sync", params.at, params.len);
    return ALLOT_OK;
}

int allot__truth_read(allot__truth *truth, const char *params, size_t len)
{
    allot__span lists[ALLOT__TRUTH_LISTS] = {{NULL, 0}}, all = {params, len};
    allot__text head = {.engine = truth->engine};
    int status = split(truth, all, lists, &head);
    if (status == ALLOT_OK)
        status = read_head(truth, &head, all);
    for (int list = 0; list < ALLOT__TRUTH_LISTS && status == ALLOT_OK; list++) {
        truth->told[list] = lists[list].at != NULL;
        if (lists[list].at)
            status = kinds[list].read(truth, (allot__truth_list)list, lists[list]);
    }
    allot__text_free(&head);
    return truth->dropped.failed ? ALLOT_ENOMEM : status;
}

/* ---- Reading, on a thread -------------------------------------------------------------------- */

/* Validates a whole long request, and finds its params. */
static int take_apart(allot__sync *it, const char **params, size_t *len)
{
    allot_json *json;
    int status = allot_json_open(it->engine, it->text.bytes, it->text.len, NULL, 1, 0, NULL, &json);
    it->garbage_code = ALLOT__RPC_PARSE;
    if (status == ALLOT_EINVALID)
        allot__rpc_garbage(it->engine, it->text.bytes, it->text.len, it->garbage);
    if (status != ALLOT_OK)
        return status;
    allot_json_close(json);
    const char *wrong = allot__rpc_take(&it->head, it->text.bytes, it->text.len);
    *params = it->head.params ? it->head.params : "{}";
    *len = it->head.params ? it->head.params_len : 2;
    if (!wrong && *params[0] != '{')
        wrong = "params are an object, not a list";
    it->garbage_code = ALLOT__RPC_REQUEST;
    snprintf(it->garbage, sizeof it->garbage, "%s", wrong ? wrong : "");
    return wrong ? ALLOT_EINVALID : ALLOT_OK;
}

/* Touches the pages here, on the thread: their first write would delay the loop. */
static void touch_rows(const allot__sync *it)
{
    enum { HEAD = 160 }; /* of a row, beyond its params */
    size_t more = 0;
    for (int list = 0; list < ALLOT__TRUTH_LISTS; list++)
        more += it->truth->rows[list].count;
    more = it->text.len + more * HEAD;
    if (it->rows.bytes)
        memset(it->rows.bytes, 0, more < it->rows.capacity ? more : it->rows.capacity);
}

static void read_work(void *ud)
{
    allot__sync *it = ud;
    const char *params = it->text.bytes;
    size_t len = it->text.len;
    it->status = it->engine ? ALLOT_OK : allot_engine_new(NULL, NULL, &it->engine);
    if (it->status == ALLOT_OK && it->whole)
        it->status = take_apart(it, &params, &len);
    if (it->status == ALLOT_OK)
        it->status = allot__truth_new(it->engine, it->generation->plan, it->now, &it->truth);
    if (it->status == ALLOT_OK)
        it->status = allot__truth_read(it->truth, params, len);
    if (it->status == ALLOT_OK)
        touch_rows(it);
}

static void read_done(void *ud);

/* Reserves space for a row of each listed thing, so that `rows` is not copied as it grows. Without
 * memory it is. */
static void reserve_rows(allot__sync *it)
{
    it->rows.engine = it->service->engine;
    if (!allot__text_room(&it->rows, it->text.len * 3))
        it->rows.failed = false;
}

static void begin_reading(allot__sync *it)
{
    reserve_rows(it);
    it->generation = it->service->generation;
    it->now = allot__service_now(it->service);
    allot__generation_hold(it->generation);
    allot__work_begin(it->service, &it->work, read_work, read_done, it);
}

/* ---- The end --------------------------------------------------------------------------------- */

void allot__sync_end(allot__sync *it)
{
    char **names = it->gone.items;
    if (!it->engine)
        return;
    for (size_t i = 0; i < it->gone.count; i++)
        allot__free_string(it->engine, names[i]);
    allot__vector_free(it->engine, &it->gone);
    allot__vector_free(it->engine, &it->nameless);
    allot__truth_free(it->truth);
    allot__free(it->engine, it->leaves, it->bits / 8 + 1, 1);
    allot_engine_free(it->engine);
}

/* Freeing a large truth takes a while, so a thread does it. */
static void free_work(void *ud)
{
    allot__sync *it = ud;
    allot__sync_end(it);
    allot__generation_free(it->generation);
}

static void freed(void *ud)
{
    allot__sync *it = ud;
    allot__text_free(&it->params);
    allot__text_free(&it->rows);
    allot__text_free(&it->text);
    allot__free(it->service->engine, it, 1, sizeof *it);
}

static void let_go(allot__sync *it)
{
    allot__work_begin(it->service, &it->work, free_work, freed, it);
}

static void refuse(allot__sync *it)
{
    allot__request *call = &it->reply->call;
    it->service->tally.refused++;
    if (it->garbage[0] != '\0') {
        allot__rpc_error(call, it->garbage_code, it->garbage, NULL);
    } else if (it->status == ALLOT_ENOMEM || !it->truth) {
        allot__rpc_no_memory(call);
    } else {
        it->truth->fault.status = it->status;
        allot__rpc_fault(call, &it->truth->fault);
    }
    allot__reply_end(it->reply);
}

/* ---- The answer ------------------------------------------------------------------------------ */

static void put_entered(const allot__sync *it, allot__text *out)
{
    allot__text_member(out, "source", it->truth->source);
    allot__text_number(out, "event", it->service->event);
    allot__text_open(out, "entered", "{");
    for (int kind = 0; kind < ALLOT__EVENTS; kind++)
        if (it->entered[kind] > 0)
            allot__text_number(out, allot__event_name(kind), it->entered[kind]);
    allot__text_puts(out, "}");
    allot__text_open(out, "dropped", "[");
    allot__text_add(out, it->truth->dropped.bytes ? it->truth->dropped.bytes : "",
                    it->truth->dropped.len);
    allot__text_puts(out, "]");
    allot__text_number(out, "dropped_count", it->truth->dropped_count);
}

static void put_failure(allot__text *out, int status, const allot_report *report)
{
    const allot_diagnostic *first = allot__rpc_first_error(report);
    allot__text_key(out, "decision");
    allot__text_puts(out, "null");
    allot__text_open(out, "error", "{");
    allot__text_member(out, "code", first ? first->code : allot_status_name(status));
    allot__text_member(out, "message", first ? first->message : allot_status_text(status));
    allot__text_puts(out, "}");
}

static void put_flights(const allot__sync *it, allot__text *out)
{
    allot__text_open(out, "flights", "[");
    for (const allot__map_item *at = it->books->flights.first; at; at = at->after)
        allot__row_write(it->books, ALLOT_ITEM_RECLAIM, at, it->at, out);
    allot__text_puts(out, "]");
}

/* Entered events stay even if the cycle fails, which is tried again like others. */
static void answer(allot__sync *it)
{
    allot_service *service = it->service;
    allot__request *call = &it->reply->call;
    allot__text full = {.engine = service->engine};
    allot_report *report = NULL;
    int status = allot_report_new(service->engine, &report);
    if (status == ALLOT_OK)
        status = service->up->decide(service, report, it->truth->brief ? NULL : &full);
    if (status != ALLOT_OK)
        service->up->touch(service);
    call->batch = allot__store_pending(service->store);
    allot__text *out = allot__rpc_begin(call);
    allot__text_puts(out, "{");
    put_entered(it, out);
    allot__text_number(out, "cycle", service->cycle);
    allot__text_number(out, "seq", service->seq);
    if (status != ALLOT_OK) {
        put_failure(out, status, report);
    } else if (!it->truth->brief) {
        allot__text_key(out, "decision");
        allot__text_add(out, full.bytes, full.len);
    }
    put_flights(it, out);
    allot__text_puts(out, "}");
    allot__rpc_end(call);
    allot__text_free(&full);
    allot_report_free(report);
}

/* ---- On the loop ----------------------------------------------------------------------------- */

/* Adds the CPU time of the loop's thread. */
static void count(allot__sync *it, int64_t began)
{
    int64_t took = allot__generation_worked(NULL) - began;
    it->busy += took;
    it->longest = took > it->longest ? took : it->longest;
}

/* The cycle gets a turn of the loop of its own. */
static bool step(allot__hold *hold, uint64_t until)
{
    allot__sync *it = (allot__sync *)(void *)hold;
    int64_t began = allot__generation_worked(NULL);
    if (it->generation != it->service->generation && !it->books)
        return true;
    if (!it->entered_all) {
        it->entered_all = allot__sync_enter(it, until);
        count(it, began);
        return it->entered_all && it->status != ALLOT_OK;
    }
    answer(it);
    count(it, began);
    return true;
}

static void end(allot__hold *hold)
{
    allot__sync *it = (allot__sync *)(void *)hold;
    allot_service *service = it->service;
    if (it->generation != service->generation && !it->books) {
        allot__truth_free(it->truth); /* it has another plan's numbers */
        it->truth = NULL;
        allot__generation_free(it->generation);
        begin_reading(it);
        return;
    }
    if (it->status != ALLOT_OK) {
        refuse(it);
    } else {
        service->syncs.calls++;
        service->syncs.dropped += it->truth->dropped_count;
        service->syncs.busy_us = it->busy;
        service->syncs.longest_us = it->longest;
        allot__reply_end(it->reply);
    }
    let_go(it);
}

static void read_done(void *ud)
{
    allot__sync *it = ud;
    allot_service *service = it->service;
    bool stops = service->stopping || service->failed || !service->holds.open;
    if (it->head.id && allot__reply_name(it->reply, it->head.id, it->head.id_len) != ALLOT_OK)
        it->status = ALLOT_ENOMEM;
    if (!stops && it->status == ALLOT_OK) {
        it->hold = (allot__hold){.step = step, .end = end};
        allot__hold_begin(service, &it->hold);
        return;
    }
    if (stops) {
        allot__rpc_error(&it->reply->call, ALLOT__RPC_BUSY, "the service is about to stop", NULL);
        allot__reply_end(it->reply);
    } else {
        refuse(it);
    }
    let_go(it);
}

/* Takes over the text. */
static void begin(allot__request *call, allot__text *text, bool whole)
{
    allot_engine *engine = call->service->engine;
    allot__reply *reply;
    allot__sync *it = text->failed ? NULL : allot__new(engine, 1, sizeof *it);
    if (!it)
        allot__rpc_no_memory(call);
    if (!it || allot__rpc_later(call, ALLOT__ANSWER_LONG, &reply) != ALLOT_OK) {
        allot__free(engine, it, 1, sizeof *it);
        allot__text_free(text);
        return;
    }
    *it = (allot__sync){.service = call->service, .text = *text, .whole = whole, .reply = reply};
    *text = (allot__text){.engine = engine};
    begin_reading(it);
}

void allot__sync_call(allot__request *call)
{
    allot__text text = {.engine = call->service->engine};
    allot__text_add(&text, call->params ? call->params : "{}", call->params ? call->params_len : 2);
    begin(call, &text, false);
}

void allot__sync_line(allot__request *call, allot__text *line)
{
    begin(call, line, true);
}

void allot__sync_status(allot_service *service, allot__text *out)
{
    allot__text_open(out, "sync", "{");
    allot__text_number(out, "calls", service->syncs.calls);
    allot__text_number(out, "dropped", service->syncs.dropped);
    allot__text_number(out, "last_loop_us", service->syncs.busy_us);
    allot__text_number(out, "last_longest_us", service->syncs.longest_us);
    allot__text_puts(out, "}");
}
