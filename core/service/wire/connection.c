/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* connection.c: one connection: its input and output. */
#include <string.h>

#include "service/wire/own.h"

#include "base/memory.h"
#include "base/span.h"

/* ---- Turns ----------------------------------------------------------------------------------- */

/*
 * How many lines of each peer may run before the loop goes on to other work: results from the disk,
 * timers, other peers.
 *
 * A turn of the loop is bounded in time, and each peer's share in lines. A peer that has used up
 * either waits in a queue, first come, first served, and is not read from meanwhile. Questions have
 * a queue of their own and may take only a part of a turn: an event waits for few of them, however
 * many readers there are. Calls that need the books during a hold (instance/hold.h) wait in a third
 * queue until it ends.
 */

/* ---- Queues ---------------------------------------------------------------------------------- */

void allot__turn_wait(allot__connection *peer, allot__waits what)
{
    if (peer->queue || peer->closing)
        return;
    allot__waitlist *queue = &peer->service->wire->queues[what];
    peer->queue = queue;
    peer->queue_next = NULL;
    peer->queue_before = queue->last;
    *(queue->last ? &queue->last->queue_next : &queue->first) = peer;
    queue->last = peer;
    queue->count++;
}

void allot__turn_leave(allot__connection *peer)
{
    allot__waitlist *queue = peer->queue;
    if (!queue)
        return;
    peer->queue = NULL;
    *(peer->queue_before ? &peer->queue_before->queue_next : &queue->first) = peer->queue_next;
    *(peer->queue_next ? &peer->queue_next->queue_before : &queue->last) = peer->queue_before;
    queue->count--;
}

/* ---- Shares ---------------------------------------------------------------------------------- */

/* A peer that is not trusted may send so little that only its lines are counted. */
static bool turn_has(allot__connection *peer)
{
    struct allot__wire *wire = peer->service->wire;
    if (peer->turn != wire->turn) {
        peer->turn = wire->turn;
        peer->lines = 0;
        peer->asked = 0;
    }
    bool has = peer->lines < ALLOT__TURN_LINES &&
               (peer->role == ALLOT__NOBODY || wire->spent < ALLOT__TURN_TIME);
    if (!has)
        allot__turn_wait(peer, ALLOT__FOR_TURN);
    return has;
}

bool allot__connection_may_ask(allot__connection *peer)
{
    peer->asks = true;
    return peer->service->wire->asked < ALLOT__TURN_ASKS && peer->asked < ALLOT__TURN_OWN;
}

static void turn_begin(allot__connection *peer)
{
    peer->asks = false;
    peer->running = true;
    peer->lines++;
    peer->began = uv_hrtime();
}

static void turn_end(allot__connection *peer)
{
    struct allot__wire *wire = peer->service->wire;
    uint64_t took = uv_hrtime() - peer->began;
    peer->running = false;
    wire->spent += took;
    if (!peer->asks)
        return;
    wire->asked += took;
    peer->asked += took;
}

allot__who *allot__connection_who(allot__connection *peer)
{
    return &peer->who;
}

allot__role allot__connection_role(const allot__connection *peer)
{
    return peer->role;
}

/* ---- Life ------------------------------------------------------------------------------------ */

allot__connection *allot__connection_new(allot_service *service)
{
    allot__connection *peer = allot__new(service->engine, 1, sizeof *peer);
    if (!peer)
        return NULL;
    struct allot__wire *wire = service->wire;
    peer->service = service;
    peer->number = ++wire->last_number;
    peer->since = uv_now(service->loop);
    allot__text *bufs[] = {&peer->line, &peer->waiting, &peer->out, &peer->sending};
    for (int i = 0; i < 4; i++)
        bufs[i]->engine = service->engine;
    peer->next = wire->peers;
    if (peer->next)
        peer->next->before = peer;
    wire->peers = peer;
    wire->count++;
    return peer;
}

static void closed(uv_handle_t *handle)
{
    allot__connection *peer = handle->data;
    allot_service *service = peer->service;
    allot__text *bufs[] = {&peer->line, &peer->waiting, &peer->out, &peer->sending};
    for (int i = 0; i < 4; i++)
        allot__text_free(bufs[i]);
    allot__free(service->engine, peer, 1, sizeof *peer);
    allot__handle_closed(service);
}

void allot__connection_close(allot__connection *peer)
{
    struct allot__wire *wire = peer->service->wire;
    if (peer->closing)
        return;
    peer->closing = true;
    if (peer->next)
        peer->next->before = peer->before;
    *(peer->before ? &peer->before->next : &wire->peers) = peer->next;
    wire->count--;
    wire->line_bytes -= peer->line.capacity;
    allot__turn_leave(peer);
    allot__feed_gone(peer->service->feed, peer);
    uv_close(&peer->uv.handle, closed);
}

/* ---- Telling --------------------------------------------------------------------------------- */

size_t allot__connection_waiting(const allot__connection *peer)
{
    return peer->waiting.len + peer->out.len + peer->sending.len;
}

static void written(uv_write_t *request, int status)
{
    allot__connection *peer = request->data;
    peer->writing = false;
    peer->sending.len = 0;
    if (status < 0 || peer->closing) {
        allot__connection_close(peer);
        return;
    }
    allot__connection_run(peer);
}

/* Writes what the kernel accepts now; the rest stays in `sending` for later. */
static bool write_out(allot__connection *peer)
{
    allot__text full = peer->out;
    peer->out = peer->sending;
    peer->sending = full;
    uv_buf_t buf = uv_buf_init(full.bytes, (unsigned)full.len);
    int sent = uv_try_write(&peer->uv.stream, &buf, 1);
    if (sent < 0 && sent != UV_EAGAIN)
        return false;
    if (sent > 0 && (size_t)sent == full.len) {
        allot__text_clear(&peer->sending, ALLOT__OUT_MOST);
        return true;
    }
    size_t from = sent > 0 ? (size_t)sent : 0;
    buf = uv_buf_init(full.bytes + from, (unsigned)(full.len - from));
    peer->request.data = peer;
    peer->writing = uv_write(&peer->request, &peer->uv.stream, &buf, 1, written) == 0;
    return peer->writing;
}

void allot__connection_flush(allot__connection *peer)
{
    if (peer->closing || peer->writing)
        return;
    if (peer->out.failed || peer->waiting.failed || (peer->out.len > 0 && !write_out(peer))) {
        allot__connection_close(peer);
        return;
    }
    if (!peer->ending || allot__connection_waiting(peer) > 0)
        return;
    if (!peer->deaf || peer->service->wire->stopping) {
        allot__connection_close(peer);
    } else if (!peer->shut) {
        peer->shut = true;
        uv_shutdown(&peer->shutdown, &peer->uv.stream, NULL);
    }
}

/* Its last output was sent; see `deaf`. */
static void end_input(allot__connection *peer)
{
    struct allot__wire *wire = peer->service->wire;
    peer->ending = peer->deaf = true;
    peer->since = uv_now(peer->service->loop);
    wire->line_bytes -= peer->line.capacity;
    allot__text_free(&peer->line);
}

/* Moves answers whose batches are on disk to the output. */
void allot__connection_free_held(allot__connection *peer, int64_t batch)
{
    size_t count = 0, end = 0;
    while (count < peer->held_count && peer->held[count].batch <= batch)
        end = peer->held[count++].end;
    if (count == 0)
        return;
    allot__text_add(&peer->out, peer->waiting.bytes, end);
    peer->waiting.len -= end;
    memmove(peer->waiting.bytes, peer->waiting.bytes + end, peer->waiting.len);
    peer->held_count -= count;
    for (size_t i = 0; i < peer->held_count; i++) {
        peer->held[i] = peer->held[i + count];
        peer->held[i].end -= end;
    }
    if (peer->waiting.len == 0)
        allot__text_clear(&peer->waiting, ALLOT__OUT_MOST);
}

/* Only two batches can be waited for, the written one and the gathered one; an answer never
 * overtakes those before. */
static void hold(allot__connection *peer, const char *line, size_t len, int64_t batch)
{
    allot__deferred *last = peer->held_count > 0 ? &peer->held[peer->held_count - 1] : NULL;
    if (!last || last->batch < batch) {
        last = &peer->held[peer->held_count++];
        last->batch = batch;
    }
    allot__text_add(&peer->waiting, line, len);
    allot__text_add(&peer->waiting, "\n", 1);
    last->end = peer->waiting.len;
}

/* Instead of an answer: E-lost, with its id. */
static void tell_lost(allot__text *out, const allot__span *answer)
{
    allot__span name, value;
    const char *at = answer->at, *end = at + answer->len;
    while (allot__span_member(&at, end, &name, &value) && !allot__span_is(&name, "id"))
        continue;
    allot__text_puts(out, "{\"jsonrpc\": \"2.0\", \"id\": ");
    allot__text_add(out, value.at, value.len);
    allot__text_puts(out,
                     ", \"error\": {\"code\": -32055, \"message\": \"another service leads, and "
                     "whether this was entered is not known: ask that one with the same key\", "
                     "\"data\": {\"code\": \"E-lost\"}}}");
}

/* A line has an answer, or those to a batch. */
static void lose_line(allot__text *out, const char *line, const char *end)
{
    allot__span answer = {line, (size_t)(end - line)};
    if (*line == '[') {
        for (const char *mark = "["; allot__span_item(&line, end, &answer); mark = ", ") {
            allot__text_puts(out, mark);
            tell_lost(out, &answer);
        }
        allot__text_puts(out, "]");
    } else {
        tell_lost(out, &answer);
    }
    allot__text_puts(out, "\n");
}

void allot__connection_lose(allot__connection *peer)
{
    const char *at = peer->waiting.bytes, *end = at ? at + peer->waiting.len : at;
    for (const char *line = at; at && at < end; at++)
        if (*at == '\n') {
            lose_line(&peer->out, line, at);
            line = at + 1;
        }
    peer->waiting.len = peer->held_count = 0;
}

void allot__connection_send(allot__connection *peer, const char *line, size_t len, int64_t batch)
{
    if (peer->closing)
        return;
    if (batch > 0) {
        hold(peer, line, len, batch);
        return;
    }
    allot__text_add(&peer->out, line, len);
    allot__text_add(&peer->out, "\n", 1);
}

/* ---- Hearing --------------------------------------------------------------------------------- */

static bool may_run(const allot__connection *peer)
{
    return !peer->closing && !peer->ending && !peer->ended && peer->owed < ALLOT__ANSWERS_MOST &&
           !peer->queue && allot__connection_waiting(peer) < ALLOT__OUT_MOST &&
           !allot__store_full(peer->service->store);
}

static const char too_long[] = "a line has at most 1048576 bytes";
static const char far_too_long[] = "a line of this method has at most 33554432 bytes";

static void end_with(allot__connection *peer, int code, const char *message)
{
    allot__text *answer = &peer->service->wire->answer;
    allot__request call = {
        .service = peer->service, .peer = peer, .answer = answer, .id = "null", .id_len = 4};
    allot__text_clear(answer, 2 * ALLOT__RPC_LINE_MOST);
    allot__rpc_error(&call, code, message, NULL);
    allot__connection_send(peer, answer->bytes, answer->len, 0);
    peer->ended = true;
}

/* false: it waits, since this turn's time for questions is used up, or a hold has the books. */
static bool run_line(allot__connection *peer, const char *line, size_t len)
{
    allot__text *answer = &peer->service->wire->answer;
    allot__request from = {.service = peer->service, .peer = peer, .who = &peer->who};
    int64_t batch;
    allot__text_clear(answer, 2 * ALLOT__RPC_LINE_MOST);
    if (len > 0 && line[len - 1] == '\r')
        len--;
    turn_begin(peer);
    int status = allot__rpc_line(&from, line, len, answer, &batch);
    turn_end(peer);
    bool waits = status == ALLOT__RPC_NOT_YET || status == ALLOT__RPC_HELD;
    if (waits) {
        allot__turn_wait(peer, status == ALLOT__RPC_HELD ? ALLOT__FOR_BOOKS : ALLOT__TO_ASK);
    } else if (status != ALLOT_OK) {
        answer->failed = false;
        end_with(peer, ALLOT__RPC_INTERNAL, allot_status_text(status));
    } else if (answer->len > 0) {
        allot__connection_send(peer, answer->bytes, answer->len, batch);
    }
    return !waits;
}

/* Runs whole lines of the kept input and returns their bytes. */
static size_t run_lines(allot__connection *peer)
{
    size_t at = 0;
    while (at < peer->line.len && may_run(peer)) {
        size_t from = at > peer->looked ? at : peer->looked;
        const char *bytes = peer->line.bytes,
                   *end = memchr(bytes + from, '\n', peer->line.len - from);
        if (!end || !turn_has(peer))
            break;
        size_t size = (size_t)(end - (bytes + at));
        if (size > ALLOT__RPC_LINE_MOST)
            end_with(peer, ALLOT__RPC_REQUEST, too_long);
        else if (!run_line(peer, bytes + at, size))
            break;
        at += size + 1;
    }
    return at;
}

static size_t line_most(const allot__connection *peer)
{
    return peer->longs ? ALLOT__RPC_LONG_MOST : ALLOT__RPC_LINE_MOST;
}

/* What is kept once its whole lines have run is limited. */
static void check_rest(allot__connection *peer)
{
    if (peer->role == ALLOT__NOBODY && peer->line.len > ALLOT__STRANGER_LINE)
        end_with(peer, ALLOT__RPC_REQUEST, "\"auth\" has at most 4096 bytes");
    else if (peer->service->wire->line_bytes > ALLOT__LINES_MOST)
        end_with(peer, ALLOT__RPC_BUSY, "too many long lines at once");
}

/* Runs a request that may be long, without parsing it here. */
static void run_long(allot__connection *peer, const allot__method *method, allot__text *line)
{
    if (!allot__store_leads(peer->service->store)) {
        end_with(peer, ALLOT__RPC_STANDBY, "another service leads: ask that one");
        return;
    }
    allot__text *answer = &peer->service->wire->answer;
    allot__request call = {.service = peer->service,
                           .peer = peer,
                           .who = &peer->who,
                           .method = method->name,
                           .method_len = strlen(method->name),
                           .changes = true,
                           .answer = answer};
    allot__text_clear(answer, 2 * ALLOT__RPC_LINE_MOST);
    turn_begin(peer);
    method->run_long(&call, line);
    turn_end(peer);
    if (answer->len > 0)
        allot__connection_send(peer, answer->bytes, answer->len, 0);
}

/* Once its end has come, a long line is run with its buffer; input after it gets a new buffer. */
static void run_kept_long(allot__connection *peer)
{
    struct allot__wire *wire = peer->service->wire;
    const allot__method *method = peer->longs;
    allot__text line = peer->line, rest = {.engine = line.engine};
    char *end = method && may_run(peer)
                    ? memchr(line.bytes + peer->looked, '\n', line.len - peer->looked)
                    : NULL;
    size_t size = end ? (size_t)(end - line.bytes) : 0;
    if (size <= ALLOT__RPC_LINE_MOST || !turn_has(peer))
        return;
    if (line.len > size + 1)
        allot__text_add(&rest, end + 1, line.len - size - 1);
    if (rest.failed) {
        allot__connection_close(peer);
        return;
    }
    wire->line_bytes += rest.capacity - line.capacity;
    peer->line = rest;
    peer->longs = NULL;
    peer->looked = 0;
    line.len = size;
    *end = '\0';
    run_long(peer, method, &line);
    allot__text_free(&line);
}

/* Runs the kept input first, and removes it. */
static void run_kept(allot__connection *peer)
{
    struct allot__wire *wire = peer->service->wire;
    run_kept_long(peer);
    if (peer->closing || peer->line.len == 0)
        return;
    size_t ran = run_lines(peer);
    if (peer->closing)
        return;
    if (ran == 0) {
        if (may_run(peer)) /* else unseen line ends may remain */
            peer->looked = peer->line.len;
        if (peer->line.len > line_most(peer) && may_run(peer))
            end_with(peer, ALLOT__RPC_REQUEST, peer->longs ? far_too_long : too_long);
        return;
    }
    peer->longs = NULL;
    peer->looked = 0;
    peer->line.len -= ran;
    memmove(peer->line.bytes, peer->line.bytes + ran, peer->line.len);
    if (peer->line.len == 0) {
        wire->line_bytes -= peer->line.capacity;
        allot__text_clear(&peer->line, 4096);
        wire->line_bytes += peer->line.capacity;
    }
}

static void give_room(uv_handle_t *handle, size_t wanted, uv_buf_t *out)
{
    allot__connection *peer = handle->data;
    (void)wanted;
    *out = uv_buf_init(peer->service->wire->read, ALLOT__READ_SIZE);
}

static void on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf)
{
    allot__connection *peer = stream->data;
    size_t before = peer->line.capacity;
    if (got == 0 || (got > 0 && peer->ending))
        return;
    if (got > 0)
        allot__text_add(&peer->line, buf->base, (size_t)got);
    if (got < 0 || peer->line.failed) {
        allot__connection_close(peer);
        return;
    }
    peer->service->wire->line_bytes += peer->line.capacity - before;
    if (peer->role >= ALLOT__TELLS && !peer->longs && peer->line.len > ALLOT__RPC_LINE_MOST)
        peer->longs = allot__rpc_long(peer->service, peer->line.bytes, peer->line.len);
    allot__connection_run(peer);
}

/* Output that the kernel accepts at once makes space for more decisions of a subscriber: some now,
 * and the rest in later turns. */
void allot__connection_push(allot__connection *peer)
{
    enum { ROUNDS = 4 };
    for (int i = 0; i < ROUNDS; i++) {
        allot__connection_flush(peer);
        if (peer->closing || peer->ending || peer->writing ||
            !allot__feed_drained(peer->service->feed, peer))
            return;
    }
    allot__turn_wait(peer, ALLOT__TO_ASK);
}

/* Whether more may be run after output that the kernel accepted at once. */
static bool turn(allot__connection *peer)
{
    if (peer->line.len > 0 && may_run(peer))
        run_kept(peer);
    if (!peer->closing && !peer->ended && !peer->ending)
        check_rest(peer);
    if (peer->ended && !peer->ending)
        end_input(peer);
    bool hears = may_run(peer) && peer->line.len <= line_most(peer);
    bool reads = (hears || peer->deaf) && !peer->service->wire->stopping;
    if (reads && !peer->reading)
        peer->reading = uv_read_start(&peer->uv.stream, give_room, on_read) == 0;
    else if (!reads && peer->reading) {
        uv_read_stop(&peer->uv.stream);
        peer->reading = false;
    }
    allot__connection_push(peer);
    return !reads && !peer->service->wire->stopping && may_run(peer);
}

void allot__connection_run(allot__connection *peer)
{
    while (!peer->closing && turn(peer))
        ;
}

void allot__connection_owe(allot__connection *peer, int32_t size)
{
    peer->owed += size;
    if (size < 0 && !peer->running)
        allot__connection_run(peer);
}

void allot__connection_start(allot__connection *peer, allot__role role)
{
    peer->role = role;
    allot__connection_run(peer);
}
