/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* loop.c: rows gathered on the loop, and batches sent to be written. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/store/own.h"

#include "base/memory.h"

enum { PAUSE_FIRST = 100, PAUSE_MOST = 5000, KEPT_MOST = 4 * 1024 * 1024, PART_SIZE = 128 * 1024 };
/* Pages of SQLite's log that are copied once nothing waits, and in any case. */
enum { LOG = 1000, LOG_MOST = 4000 };
/* ms between looks of a follower; and between attempts to write where others wait for the lead:
 * after a restart of the server the leader has to be there before their second look. */
enum { LOOK_EVERY = 200, PAUSE_SHARED = 100 };

static void begin_work(allot__store *store);

/* ---- Results of work ------------------------------------------------------------------------- */

static void end_ask(allot__store *store, allot__store_ask *ask)
{
    for (size_t at = 0; at < ask->rows_len;) {
        int64_t seq;
        size_t len;
        memcpy(&seq, ask->rows + at, sizeof seq);
        memcpy(&len, ask->rows + at + sizeof seq, sizeof len);
        ask->done(ask->ud, seq, ask->rows + at + sizeof seq + sizeof len, len);
        at += sizeof seq + sizeof len + len + 1;
    }
    void (*done)(void *, int64_t, const char *, size_t) = ask->done;
    void *ud = ask->ud;
    int status = ask->status;
    store->figures.damaged += ask->damaged;
    free(ask->rows);
    allot__free(store->engine, ask, 1, sizeof *ask);
    done(ud, status, NULL, 0);
}

static void set_trouble(allot__store *store, const char *text)
{
    bool news =
        (text != NULL) != store->in_trouble || (text != NULL && strcmp(text, store->error) != 0);
    store->in_trouble = text != NULL;
    if (text)
        snprintf(store->error, sizeof store->error, "%s", text);
    if (news && store->hooks.troubled)
        store->hooks.troubled(store->hooks.ud, text);
}

static void on_time(uv_timer_t *timer)
{
    allot__store *store = timer->data;
    store->waits = false;
    begin_work(store);
}

static void batch_failed(allot__store *store)
{
    store->pause = store->pause > 0 ? store->pause * 2 : PAUSE_FIRST;
    int64_t most = store->kind->look ? PAUSE_SHARED : PAUSE_MOST;
    if (store->pause > most)
        store->pause = most;
    store->waits = true;
    uv_timer_start(store->later, on_time, (uint64_t)store->pause, 0);
    set_trouble(store, store->work_error);
}

/* Deleting goes on, and trouble that is over lets the service decide: both may send the next batch,
 * whose number is none of those on disk. */
static void batch_done(allot__store *store)
{
    const int64_t batch = store->batch - 1;
    store->pause = 0;
    store->tried = false;
    store->trusted = store->sent;
    store->busy = store->gathered.len > 0;
    store->figures.batches++;
    store->figures.rows += store->rows_written;
    if (store->work_us > store->figures.slowest)
        store->figures.slowest = store->work_us;
    store->oldest = store->work_oldest;
    store->figures.size = store->work_size;
    store->figures.unused = store->work_unused;
    allot__text_clear(&store->written, KEPT_MOST);
    if (store->work_more)
        allot__store_compact(store, &store->bounds);
    set_trouble(store, NULL);
    store->hooks.committed(store->hooks.ud, batch);
}

/* The service must not go on: nothing is written or looked at any more. */
static void give_up(allot__store *store)
{
    store->gone = true;
    store->hooks.lost(store->hooks.ud, store->work_again, store->work_lost);
}

static bool is_at_end(const allot__store *store)
{
    return store->reading.last_event == store->lead.event &&
           store->reading.last_cycle == store->lead.cycle;
}

/* Rows that are missing were let go by the leader, or the store went back. */
static void look_done(allot__store *store)
{
    const allot__store_reading *it = &store->reading;
    int64_t before = it->last_event + it->last_cycle;
    store->seen = store->lead;
    if (store->work_lost[0] != '\0')
        return;
    set_trouble(store, store->work_status == ALLOT_OK ? NULL : store->work_error);
    if (store->work_status != ALLOT_OK)
        return;
    int status = it->events.it ? allot__store_tell(store, &store->hooks.rows) : ALLOT_OK;
    if (status != ALLOT_OK || (!is_at_end(store) && it->last_event + it->last_cycle == before)) {
        snprintf(store->work_lost, sizeof store->work_lost, "the leader's rows do not follow");
        store->work_again = true;
    } else if (!is_at_end(store)) {
        store->looks = true;
    } else if (store->lead.taken) {
        store->leads = true;
        store->trusted = store->sent;
        store->hooks.led(store->hooks.ud);
    }
}

static void work(uv_work_t *request)
{
    allot__store *store = request->data;
    if (store->asking)
        allot__store_fetch(store->asking);
    else if (store->looking)
        store->kind->look(store);
    else if (store->copying)
        store->kind->copy(store);
    else
        allot__store_write(store);
}

static void work_done(uv_work_t *request, int status)
{
    allot__store *store = request->data;
    allot__store_ask *ask = store->asking;
    bool copied = store->copying, looked = store->looking;
    (void)status; /* never cancelled */
    store->working = store->copying = store->looking = false;
    store->asking = NULL;
    if (ask)
        end_ask(store, ask);
    else if (looked)
        look_done(store);
    else if (copied)
        store->hooks.committed(store->hooks.ud, store->batch - (store->tried ? 2 : 1));
    else if (store->work_status == ALLOT_OK)
        batch_done(store);
    else if (store->work_lost[0] == '\0')
        batch_failed(store);
    if (store->work_lost[0] != '\0' && !store->gone)
        give_up(store);
    begin_work(store);
}

/* Appends a record with those values; of 't' and 'b' the pointer and the length. ENOMEM: nothing is
 * appended. */
static int put(allot__text *to, allot__record_kind kind, ...)
{
    size_t from = to->len;
    va_list values;
    va_start(values, kind);
    allot__text_add(to, (const char *)&kind, sizeof kind);
    for (const char *type = allot__store_statements[kind].types; *type != '\0'; type++) {
        const char *text = *type == 'n' ? NULL : va_arg(values, const char *);
        int64_t number = *type == 'n'   ? va_arg(values, int64_t)
                         : *type != 's' ? (int64_t)va_arg(values, size_t)
                         : text         ? (int64_t)strlen(text)
                                        : -1;
        if (*type != 'n' && !text)
            number = -1;
        allot__text_add(to, (const char *)&number, sizeof number);
        if (text)
            allot__text_add(to, text, (size_t)number);
    }
    va_end(values);
    if (!to->failed)
        return ALLOT_OK;
    to->failed = false;
    to->len = from;
    return ALLOT_ENOMEM;
}

/* Adds the next part to the batch about to be written; without memory, to the one after. */
static void add_part(allot__store *store)
{
    const allot__snapshot_row *of = &store->snapshot;
    allot__text *part = &store->part;
    bool asked = part->len > 0 || store->part_last;
    if (!asked && store->lines(store->lines_ud, part, PART_SIZE, &store->part_last) != ALLOT_OK) {
        allot__store_give_up(store);
        return;
    }
    store->snapshot_bytes += (int64_t)part->len;
    if (put(&store->gathered, ALLOT__RECORD_SNAPSHOT, of->event, of->cycle, of->seq, of->at,
            store->parts, store->part_last ? store->parts + 1 : (int64_t)0, store->snapshot_plan,
            part->len > 0 ? part->bytes : "", part->len) != ALLOT_OK)
        return;
    store->hurries = true;
    store->rows_gathered++;
    store->parts++;
    if (store->part_last) {
        store->lines = NULL;
        allot__text_free(part);
    }
    allot__text_clear(part, 4 * PART_SIZE);
}

static uint64_t until_due(const allot__store *store)
{
    uint64_t due = store->began + ALLOT__STORE_PACE, now = uv_now(store->loop);
    return due > now ? due - now : 0;
}

/* Whether the gathered events wait for more; then the timer is set. Where a batch's rows came one
 * after another, each may have waited for the one before, so the next one does not wait. */
static bool wait_for_more(allot__store *store)
{
    uint64_t wait = until_due(store);
    if (store->hurries || !store->busy || store->tried || store->renews || wait == 0)
        return false;
    if (!uv_is_active((uv_handle_t *)store->later))
        uv_timer_start(store->later, on_time, wait, 0);
    return true;
}

static void take_gathered(allot__store *store)
{
    if (store->lines)
        add_part(store);
    allot__text full = store->gathered;
    store->gathered = store->written;
    store->written = full;
    store->rows_written = store->rows_gathered;
    store->rows_gathered = 0;
    store->began = uv_now(store->loop);
    store->decided = store->hurries;
    store->hurries = store->renews = false;
    store->tried = true;
    store->batch++;
}

static void queue_work(allot__store *store)
{
    store->working = true;
    store->work.data = store;
    store->sent = uv_hrtime();
    uv_queue_work(store->loop, &store->work, work, work_done);
}

static void begin_look(allot__store *store)
{
    if (!store->looks)
        return;
    store->looks = false;
    store->looking = true;
    queue_work(store);
}

/* Followers look; a leader that wrote nothing for a third of its lease renews it, and one that had
 * no answer for a lease says so, however long its batch may still take. */
static void on_beat(uv_timer_t *timer)
{
    allot__store *store = timer->data;
    uint64_t quiet = uv_now(store->loop) - store->began;
    if (store->leads && !store->in_trouble && !allot__store_current(store))
        set_trouble(store, "the server does not answer");
    store->looks = !store->leads;
    store->renews = store->leads && quiet >= (uint64_t)store->site.lease / 3;
    begin_work(store);
}

/* Batches and reads alternate: each waits for at most one of the other. SQLite's log is copied
 * after a batch with a decision, since the next one is the furthest then. */
static void begin_work(allot__store *store)
{
    if (store->working || store->gathers || store->gone || !store->attached)
        return;
    if (!store->leads) {
        begin_look(store);
        return;
    }
    bool any = store->tried || store->gathered.len > 0 || store->lines || store->renews;
    bool batch = any && !store->waits && !wait_for_more(store);
    bool ask = store->asks != NULL && (!batch || !store->asked);
    store->asked = ask;
    store->copying = !ask && !store->waits &&
                     (store->work_log > LOG_MOST || (store->work_log > LOG && store->decided));
    if (ask) {
        store->asking = store->asks;
        store->asks = store->asking->next;
    } else if (!batch && !store->copying) {
        return;
    } else if (!store->tried && !store->copying) {
        take_gathered(store);
    }
    queue_work(store);
}

void allot__store_gather(allot__store *store, bool only)
{
    store->gathers = only;
    begin_work(store);
}

uint64_t allot__store_soon(const allot__store *store)
{
    return store->gathered.len > 0 ? until_due(store) : ALLOT__STORE_PACE;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* After an event was put, or another record: the batch that has it. */
static int64_t added_event(allot__store *store, int status)
{
    int64_t batch = store->batch;
    if (status != ALLOT_OK)
        return status;
    store->rows_gathered++;
    begin_work(store);
    return batch;
}

static int64_t added(allot__store *store, int status)
{
    store->hurries = true;
    return added_event(store, status);
}

int allot__store_reserve(allot__store *store, size_t bytes)
{
    enum { HEAD = 64 };
    bool fits = allot__text_room(&store->gathered, bytes + HEAD);
    store->gathered.failed = false;
    return fits ? ALLOT_OK : ALLOT_ENOMEM;
}

int64_t allot__store_event(allot__store *store, const allot__event_row *row)
{
    store->behind += (int64_t)row->params_len;
    return added_event(store, allot__store_encode(&store->gathered, row));
}

int allot__store_encode(allot__text *rows, const allot__event_row *row)
{
    return put(rows, ALLOT__RECORD_EVENT, row->seq, row->at, row->method, row->params,
               row->params_len, row->key, row->who);
}

int allot__store_client(allot__store *store, const allot__client_row *row)
{
    return put(&store->gathered, ALLOT__RECORD_CLIENT, row->event, row->at, row->who);
}

int64_t allot__store_note(allot__store *store, const allot__note_row *row)
{
    return added(store, put(&store->gathered, ALLOT__RECORD_NOTE, row->event, row->cycle, row->at,
                            row->kind, row->who, row->text));
}

int64_t allot__store_append(allot__store *store, allot__text *rows, int64_t count, size_t bytes)
{
    allot__text *to = &store->gathered;
    if (to->len == 0) {
        allot__text empty = *to;
        *to = *rows;
        *rows = empty;
    } else {
        size_t from = to->len;
        allot__text_add(to, rows->bytes, rows->len);
        if (to->failed) {
            to->failed = false;
            to->len = from;
            return ALLOT_ENOMEM;
        }
        rows->len = 0;
    }
    store->rows_gathered += count;
    store->behind += (int64_t)bytes;
    int64_t batch = store->batch;
    begin_work(store);
    return batch;
}

int64_t allot__store_cycle(allot__store *store, const allot__cycle_row *row)
{
    store->behind += (int64_t)(row->decision_len + row->effect_len);
    return added(store, put(&store->gathered, ALLOT__RECORD_CYCLE, row->cycle, row->seq, row->at,
                            row->event, row->input, row->output, row->plan, row->policy,
                            row->decision, row->decision_len, row->effect, row->effect_len));
}

bool allot__store_snapshots(const allot__store *store)
{
    return store->lines != NULL;
}

/* Without memory the written parts stay until old rows are deleted. */
void allot__store_give_up(allot__store *store)
{
    if (!store->lines)
        return;
    store->lines = NULL;
    allot__text_free(&store->part);
    store->hurries = store->hurries || store->parts > 0;
    if (store->parts > 0)
        store->rows_gathered += put(&store->gathered, ALLOT__RECORD_FORGET, store->snapshot.event,
                                    store->snapshot.cycle) == ALLOT_OK;
}

int64_t allot__store_snapshot(allot__store *store, const allot__snapshot_row *row,
                              allot__store_lines *lines, void *ud)
{
    allot__store_give_up(store);
    store->snapshot = *row;
    snprintf(store->snapshot_plan, sizeof store->snapshot_plan, "%s", row->plan);
    store->lines = lines;
    store->lines_ud = ud;
    store->behind = store->snapshot_bytes = store->parts = 0;
    store->part_last = false;
    int64_t batch = store->batch;
    begin_work(store);
    return batch;
}

int64_t allot__store_put_text(allot__store *store, allot__store_texts of, const char *sha256,
                              const char *text, size_t len)
{
    allot__record_kind kind = of == ALLOT__STORE_PLANS ? ALLOT__RECORD_PLAN : ALLOT__RECORD_POLICY;
    store->behind += (int64_t)len;
    return added(store, put(&store->gathered, kind, sha256, text, len));
}

int64_t allot__store_put_version(allot__store *store, int64_t cycle, const char *plan,
                                 const char *policies)
{
    return added(store, put(&store->gathered, ALLOT__RECORD_VERSION, cycle, plan, policies));
}

int64_t allot__store_compact(allot__store *store, const allot__store_bounds *bounds)
{
    store->bounds = *bounds;
    return added(store, put(&store->gathered, ALLOT__RECORD_COMPACT, bounds->event, bounds->at,
                            bounds->size, bounds->keys));
}

int64_t allot__store_behind(const allot__store *store)
{
    return store->behind;
}

int64_t allot__store_snapshot_size(const allot__store *store)
{
    return store->snapshot_bytes;
}

/* ---- Life on the loop ------------------------------------------------------------------------ */

static uv_timer_t *make_timer(allot__store *store)
{
    uv_timer_t *timer = malloc(sizeof *timer);
    if (!timer)
        return NULL;
    uv_timer_init(store->loop, timer);
    timer->data = store;
    return timer;
}

static void timer_closed(uv_handle_t *handle)
{
    free(handle);
}

static void close_timer(uv_timer_t **timer)
{
    if (*timer)
        uv_close((uv_handle_t *)*timer, timer_closed);
    *timer = NULL;
}

int allot__store_attach(allot__store *store, struct uv_loop_s *loop,
                        const allot__store_hooks *hooks)
{
    bool shared = store->kind->look != NULL;
    store->loop = loop;
    store->hooks = *hooks;
    store->later = make_timer(store);
    store->beat = shared ? make_timer(store) : NULL;
    if (!store->later || (shared && !store->beat)) {
        close_timer(&store->later);
        return ALLOT_ENOMEM;
    }
    if (shared) {
        int64_t every = store->site.lease / 6 < LOOK_EVERY ? store->site.lease / 6 : LOOK_EVERY;
        uv_timer_start(store->beat, on_beat, 0, (uint64_t)every);
    }
    store->trusted = uv_hrtime();
    store->attached = true;
    begin_work(store);
    return ALLOT_OK;
}

void allot__store_detach(allot__store *store)
{
    if (!store->attached)
        return;
    store->attached = false;
    close_timer(&store->later);
    close_timer(&store->beat);
}

int64_t allot__store_pending(const allot__store *store)
{
    return store->gathered.len > 0 ? store->batch : store->written.len > 0 ? store->batch - 1 : 0;
}

bool allot__store_working(const allot__store *store)
{
    return store->working;
}

bool allot__store_full(const allot__store *store)
{
    return store->gathered.len + store->written.len > ALLOT__STORE_MOST;
}

bool allot__store_idle(const allot__store *store)
{
    bool empty = store->gathered.len + store->written.len == 0 && !store->lines && !store->tried;
    return !store->working && (empty || store->gone || !store->leads);
}

const char *allot__store_error(const allot__store *store)
{
    return store->in_trouble ? store->error : NULL;
}

allot__store_figures allot__store_count(allot__store *store)
{
    allot__store_figures figures = store->figures;
    figures.waiting = (int64_t)(store->gathered.len + store->written.len);
    store->figures.slowest = 0;
    return figures;
}

int64_t allot__store_oldest(const allot__store *store)
{
    return store->oldest;
}

static int queue_ask(allot__store *store, const allot__store_ask *from)
{
    allot__store_ask *ask = allot__new(store->engine, 1, sizeof *ask);
    if (!ask)
        return ALLOT_ENOMEM;
    *ask = *from;
    allot__store_ask **at = &store->asks;
    while (*at)
        at = &(*at)->next;
    *at = ask;
    begin_work(store);
    return ALLOT_OK;
}

int allot__store_decisions(allot__store *store, int64_t from, int64_t to, int32_t most,
                           void (*done)(void *ud, int64_t seq, const char *text, size_t len),
                           void *ud)
{
    return queue_ask(
        store, &(allot__store_ask){
                   .store = store, .from = from, .to = to, .most = most, .done = done, .ud = ud});
}

int allot__store_log(allot__store *store, const allot__log_ask *page,
                     void (*done)(void *ud, int64_t seq, const char *text, size_t len), void *ud)
{
    return queue_ask(
        store,
        &(allot__store_ask){.store = store, .log = true, .page = *page, .done = done, .ud = ud});
}
