/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sync.c: the call `sync`: from a thread that reads it, over the steps that enter it, to its
 * answer. */
#include "service/sync/own.h"
#include "service/wire/wire.h"

#include <stdio.h>

#include "service/events/keys.h"
#include "service/lists/lists.h"
#include "service/sync/sync.h"

/* ---- Steps ------------------------------------------------------------------------------------
 */

/* A key seen before with the same truth: nothing is entered again. */
static int check_key(allot__sync *it)
{
    allot_service *service = it->service;
    const allot__truth *truth = it->truth;
    uint64_t content;
    if (!truth->key)
        return ALLOT_OK;
    int64_t seq = allot__event_keys_find(service->keys, truth->key, it->at, &content);
    it->known = seq > 0;
    if (seq == 0)
        return allot__event_keys_reserve(service->keys);
    if (content == truth->digest) {
        service->tally.repeated++;
        return ALLOT_OK;
    }
    return allot__error_set(
        &it->truth->fault, ALLOT_EEXIST, "E-key", "key", "give each call a key of its own",
        "key: event %lld came with \"%.100s\" and said something else", (long long)seq, truth->key);
}

static int check_time(allot__sync *it, const allot__origin *origin)
{
    if (!it->truth->at_given || !origin || origin->at <= it->truth->at)
        return ALLOT_OK;
    return allot__error_set(&it->truth->fault, ALLOT_EUSAGE, "E-stale", "at", NULL,
                            "at: found %lld, allowed %lld or later: the source has told of "
                            "what was then",
                            (long long)it->truth->at, (long long)origin->at);
}

/* It may have left. */
static allot__who *client_of(const allot__sync *it)
{
    const allot__reply *reply = it->reply;
    allot__connection *peer = reply ? allot__connection_find(it->service, reply->peer) : NULL;
    return peer ? allot__connection_who(peer) : reply ? reply->call.who : NULL;
}

static int begin_entering(allot__sync *it)
{
    allot_service *service = it->service;
    const char *source = it->truth->source;
    const allot__origin *origin;
    service->up->settle(service);
    it->books = service->books;
    it->at = allot__service_now(service);
    it->who = allot__who_row(client_of(it), service->event + 1);
    it->params.engine = it->rows.engine = service->engine;
    it->leaves = allot__arena_zeroed(&it->truth->arena, it->books->leaf_count / 8 + 1, 1);
    if (!it->leaves || allot__origin_find(it->books, source, &origin) != ALLOT_OK)
        return ALLOT_ENOMEM;
    it->self = (allot__origin *)origin;
    it->origin = strcmp(source, ALLOT__TRUTH_ALL) != 0 ? origin : NULL;
    it->mark = ++it->books->mark;
    int status = check_time(it, origin);
    return status == ALLOT_OK ? check_key(it) : status;
}

/* Writes the key as a row of its own, with the digest of its truth. */
static void put_key(allot__sync *it)
{
    allot__event event;
    allot__error error;
    const allot__truth *truth = it->truth;
    allot__event_init(&event, ALLOT__EVENT_KEEP_SYNC);
    event.source = truth->source;
    event.key = truth->key;
    allot__sync_open(it, "{", true);
    allot__text_number(&it->params, "digest", (int64_t)truth->digest);
    allot__text_puts(&it->params, "}");
    if (allot__sync_event(it, &event, &error) != ALLOT_OK)
        return; /* a repeated truth enters nothing anyway */
    it->entered[ALLOT__EVENT_KEEP_SYNC] = 0;
    allot__event_keys_put(it->service->keys, truth->key, truth->digest,
                          it->service->event + it->count, it->at);
}

/* All events join one batch. A failure here cannot be undone, so the service stops; a restart
 * restores the store's state. */
static bool commit(allot__sync *it, allot__truth_list list)
{
    allot_service *service = it->service;
    (void)list;
    if (it->truth->key)
        put_key(it);
    if (it->truth->at_given && it->truth->at > it->self->at)
        it->self->at = it->truth->at; /* even if nothing has changed */
    if (it->count == 0)
        return false;
    allot__who_enter(service, client_of(it), it->who);
    if (it->rows.failed ||
        allot__store_append(service->store, &it->rows, it->count, it->bytes) < 0) {
        allot__service_fail(service, "no memory to record what a source told");
        it->status = ALLOT_ENOMEM;
        return false;
    }
    service->event += it->count;
    service->tally.events += it->count;
    return false;
}

/* The steps' order: tasks end before others start, and leaves come after their tasks. */
static const struct {
    allot__sync_step *row;
    allot__truth_list list;
} steps[] = {
    {allot__sync_sizes, ALLOT__TRUTH_SLOTS},     {allot__sync_hosts, ALLOT__TRUTH_HOSTS},
    {allot__sync_look, ALLOT__TRUTH_SESSIONS},   {allot__sync_look, ALLOT__TRUTH_TASKS},
    {allot__sync_end_thing, ALLOT__TRUTH_TASKS}, {allot__sync_end_thing, ALLOT__TRUTH_SESSIONS},
    {allot__sync_put, ALLOT__TRUTH_SESSIONS},    {allot__sync_put, ALLOT__TRUTH_TASKS},
    {allot__sync_look, ALLOT__TRUTH_JOBS},       {allot__sync_end_thing, ALLOT__TRUTH_JOBS},
    {allot__sync_put, ALLOT__TRUTH_JOBS},        {allot__sync_find_back, ALLOT__TRUTH_LISTS},
    {allot__sync_leaves, ALLOT__TRUTH_LEAVES},   {allot__sync_rest_leaves, ALLOT__TRUTH_LEAVES},
    {allot__sync_end_host, ALLOT__TRUTH_HOSTS},  {commit, ALLOT__TRUTH_LISTS}};
enum { STEPS = sizeof steps / sizeof *steps };

/* The clock is read only once in so many rows. */
static bool is_late(size_t row, uint64_t until)
{
    enum { LOOK = 64 };
    return row % LOOK == 0 && uv_hrtime() > until;
}

bool allot__sync_enter(allot__sync *it, uint64_t until)
{
    if (!it->books)
        it->status = begin_entering(it);
    if (it->status != ALLOT_OK || it->known)
        return true;
    for (; it->step < STEPS && uv_hrtime() <= until; it->step++, it->row = 0)
        while (steps[it->step].row(it, steps[it->step].list))
            if (is_late(++it->row, until))
                return false;
    return it->step == STEPS;
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

/* By another plan, which has other numbers. */
static void read_again(allot__sync *it)
{
    allot__truth_free(it->truth);
    it->truth = NULL;
    allot__generation_free(it->generation);
    begin_reading(it);
}

/* ---- The end --------------------------------------------------------------------------------- */

void allot__sync_end(allot__sync *it)
{
    if (!it->engine)
        return;
    allot__vector_free(it->engine, &it->gone);
    allot__vector_free(it->engine, &it->nameless);
    allot__truth_free(it->truth);
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
    ALLOT__MEMBERS(out, "source event", it->truth->source, it->service->event);
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
    const allot_diagnostic *first = allot__first_error(report);
    allot__text_key(out, "decision");
    allot__text_puts(out, "null");
    ALLOT__OBJECT(out, "error", "code message", first ? first->code : allot_status_name(status),
                  first ? first->message : allot_status_text(status));
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
    ALLOT__MEMBERS(out, "cycle seq", service->cycle, service->seq);
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
        read_again(it);
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

static bool stops(const allot__sync *it)
{
    const allot_service *service = it->service;
    return service->stopping || service->failed || !service->holds.open;
}

/* All newcomers of a truth come in one go; then it is read again. */
static void grown(allot__growing *growing)
{
    allot__sync *it = (allot__sync *)(void *)((char *)growing - offsetof(allot__sync, growing));
    read_again(it);
}

static bool grows(allot__sync *it)
{
    allot_service *service = it->service;
    allot__truth *truth = it->truth;
    if (stops(it) || it->grew || it->status != ALLOT_OK)
        return false;
    const allot_report *newcomers = allot__event_newcomers(truth->reader);
    if (!newcomers && !truth->newcomers)
        return false;
    it->grew = true;
    it->growing.grown = grown;
    return allot__newcomers_add(it->engine, newcomers, &truth->newcomers) == ALLOT_OK &&
           service->up->grow(service, truth->newcomers, &it->growing) == ALLOT_OK;
}

static void read_done(void *ud)
{
    allot__sync *it = ud;
    allot_service *service = it->service;
    if (it->head.id && allot__reply_name(it->reply, it->head.id, it->head.id_len) != ALLOT_OK)
        it->status = ALLOT_ENOMEM;
    if (grows(it))
        return;
    if (!stops(it) && it->status == ALLOT_OK) {
        it->hold = (allot__hold){.step = step, .end = end};
        allot__hold_begin(service, &it->hold);
        return;
    }
    if (stops(it)) {
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
    ALLOT__OBJECT(out, "sync", "calls dropped last_loop_us last_longest_us", service->syncs.calls,
                  service->syncs.dropped, service->syncs.busy_us, service->syncs.longest_us);
}
