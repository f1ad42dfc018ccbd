/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * lead.c: which of several services writes: the row `lead`.
 *
 * Every batch is one statement that first updates this row where epoch and batch are what this
 * service left there, and inserts only if that hit. So the row is lock, fence, renewal of the lease
 * and proof of commit in one: a service that lost the lead writes nothing any more, however late
 * its statements arrive, and no clock is needed for that. The lease, on the server's clock, only
 * says when another may take the lead; so does the end of the leader's session.
 *
 * After an error the leader attaches: the update of its row by its epoch says whether it still
 * leads, and whether the batch in question is in. It is an update because its commit waits for a
 * synchronous standby; what a mere read shows may be on one machine alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/store/pq.h"

/* No leader looks lost while it reads a large store at its start. */
enum { FIRST_LEASE = 60000, LOOK_EVERY = 200, ROWS_STEP = 5000 };

#define SESSION  "(SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid())"
#define NO_LEASE "l.until < clock_timestamp()"
#define NO_SESSION                                                                                 \
    "NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = l.pid AND"                           \
    " a.backend_start = l.started)"
#define LEASE(ms) "clock_timestamp() + " ms " * interval '1 ms'"

static const char look_sql[] =
    "SELECT epoch, event, cycle, seq, until = '-infinity', " NO_LEASE " OR " NO_SESSION ","
    " (SELECT coalesce(max(number), 0) FROM versions), address FROM lead l";

/* An epoch is its start in microseconds, so it is later than those of copies of the database. Terms
 * stay as long as events of them. */
static const char take_sql[] =
    "WITH t AS (UPDATE lead l SET epoch = greatest(epoch + 1,"
    " (extract(epoch FROM clock_timestamp()) * 1000000)::bigint), batch = 0, holder = $2,"
    " address = $3, pid = pg_backend_pid(), started = " SESSION
    ", until = " LEASE("$4") " WHERE epoch = $1 AND (" NO_LEASE " OR " NO_SESSION ")"
                             " RETURNING epoch, event, cycle, seq, holder),"
                             " x AS (INSERT INTO terms(epoch, holder, event, seq) SELECT epoch, "
                             "holder, event, seq FROM t),"
                             " y AS (DELETE FROM terms WHERE epoch < (SELECT epoch FROM events"
                             " ORDER BY seq LIMIT 1) AND EXISTS (SELECT FROM t))"
                             " SELECT epoch, seq FROM t";

/* A leader that stands still within a batch has the row; only such a one waits for its client. */
static const char evict_sql[] =
    "SELECT pg_terminate_backend(a.pid) FROM lead l JOIN pg_stat_activity a ON a.pid = l.pid AND"
    " a.backend_start = l.started WHERE l.epoch = $1 AND a.wait_event_type = 'Client'";

static const char attach_sql[] = "UPDATE lead SET pid = pg_backend_pid(), started = " SESSION
                                 ", until = " LEASE("$2") " WHERE epoch = $1 RETURNING batch";

/* clang-format off */
static const char write_sql[] =
    "WITH mine AS (UPDATE lead SET batch = $2, event = $3, cycle = $4, seq = $5,"
    " until = " LEASE("$6") " WHERE epoch = $1 AND batch = $2 - 1"
    " AND event = $3 - cardinality($7::bigint[]) RETURNING epoch),"
    " e AS (INSERT INTO events(seq, epoch, at, method, params, idem, who)"
    " SELECT r.seq, mine.epoch, r.at, r.method, r.params, r.idem, r.who FROM mine,"
    " unnest($7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::bigint[])"
    " AS r(seq, at, method, params, idem, who)),"
    " c AS (INSERT INTO cycles(cycle, epoch, seq, at, event, input, output,"
    " plan, policy, decision, effect) SELECT r.cycle, mine.epoch, r.seq, r.at, r.event,"
    " r.input, r.output, r.plan, r.policy, r.decision, r.effect FROM mine,"
    " unnest($13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[],"
    " $18::bigint[], $19::text[], $20::text[], $21::text[], $22::text[])"
    " AS r(cycle, seq, at, event, input, output, plan, policy, decision, effect))"
    " SELECT count(*) FROM mine";
/* clang-format on */

/* ---- Looking --------------------------------------------------------------------------------- */

static int64_t number_of(const PGresult *row, int column)
{
    return allot__pq_value(row, 0, column).number;
}

/* Reads the row; *left: its leader left, *free: it has none, or none any more. */
static bool see(allot__store *store, bool *left, bool *free)
{
    allot__store_lead *lead = &store->lead;
    PGresult *row = allot__pq_run(store->pq, look_sql, NULL);
    bool good = row && allot__pq_count(row) == 1;
    if (good) {
        lead->epoch = number_of(row, 0);
        lead->event = number_of(row, 1);
        lead->cycle = number_of(row, 2);
        lead->seq = number_of(row, 3);
        *left = number_of(row, 4) != 0;
        *free = number_of(row, 5) != 0;
        lead->version = number_of(row, 6);
        snprintf(lead->address, sizeof lead->address, "%s", allot__pq_value(row, 0, 7).text);
    }
    allot__pq_drop(row);
    return good;
}

static void evict(const allot__store *store)
{
    allot__pq_params params = {.count = 0};
    allot__pq_number(&params, store->lead.epoch);
    allot__pq_drop(allot__pq_run(store->pq, evict_sql, &params));
}

/* Takes the lead, unless another was faster. */
static bool take(allot__store *store, int64_t lease)
{
    allot__store_lead *lead = &store->lead;
    const allot__store_site *site = &store->site;
    allot__pq_params params = {.count = 0};
    allot__pq_number(&params, lead->epoch);
    allot__pq_bytes(&params, ALLOT__PQ_TEXT, site->holder, strlen(site->holder));
    allot__pq_bytes(&params, ALLOT__PQ_TEXT, site->address, strlen(site->address));
    allot__pq_number(&params, lease);
    PGresult *row = allot__pq_run(store->pq, take_sql, &params);
    if (!row && store->pq->conn && strcmp(store->pq->state, "55P03") == 0) {
        evict(store);
        return store->pq->conn != NULL;
    }
    lead->taken = row && allot__pq_count(row) == 1;
    if (lead->taken) {
        lead->epoch = number_of(row, 0);
        lead->batch = 0;
        lead->doubtful = false;
        store->name.epoch = lead->epoch;
        store->name.began = number_of(row, 1);
    }
    allot__pq_drop(row);
    return row != NULL;
}

/* After a restart of the server no leader has a session: so one look without a leader is not
 * enough, unless the leader left. */
static bool consider(allot__store *store, int64_t lease)
{
    allot__store_lead *lead = &store->lead;
    bool left, free;
    if (!see(store, &left, &free))
        return false;
    bool again = lead->freed == lead->epoch;
    lead->freed = free ? lead->epoch : -1;
    if (!left && !(free && again))
        return true;
    return take(store, lease) && see(store, &left, &free);
}

int allot__lead_begin(allot__store *store, allot_report *report)
{
    store->lead.freed = -1;
    for (;;) {
        if (!consider(store, FIRST_LEASE))
            return allot__store_say(store, "cannot be led or followed", report);
        /* The first leader of all writes a plan soon, which others need to follow. */
        if (store->lead.taken || (store->lead.freed < 0 && store->lead.version > 0))
            break;
        uv_sleep(LOOK_EVERY);
    }
    store->leads = store->lead.taken;
    store->version = store->lead.version;
    store->seen = store->lead;
    return ALLOT_OK;
}

/* Events up to a bound, and the cycles that saw no later ones: they fit together. */
static void read_next(allot__store *store)
{
    allot__store_reading *it = &store->reading;
    const allot__store_lead *lead = &store->lead;
    int64_t to =
        lead->event - it->last_event > ROWS_STEP ? it->last_event + ROWS_STEP : lead->event;
    if (to == it->last_event && lead->cycle == it->last_cycle)
        return;
    it->events = allot__store_query(store,
                                    "SELECT seq, at, method, params, idem FROM events"
                                    " WHERE seq > $1 AND seq <= $2 ORDER BY seq",
                                    "nn", it->last_event, to);
    it->cycles = allot__store_query(
        store,
        "SELECT cycle, seq, at, event, plan, policy, input, output, decision, effect FROM cycles"
        " WHERE cycle > $1 AND cycle <= $2 AND event <= $3 ORDER BY cycle",
        "nnn", it->last_cycle, lead->cycle, to);
}

static void fail(allot__store *store)
{
    store->work_status = ALLOT_EIO;
    snprintf(store->work_error, sizeof store->work_error, "%s", store->pq->error);
}

static void lose(allot__store *store, bool again, const char *why)
{
    store->work_status = ALLOT_EIO;
    store->work_again = again;
    snprintf(store->work_lost, sizeof store->work_lost, "%s", why);
}

void allot__lead_look(allot__store *store)
{
    const allot__store_reading *it = &store->reading;
    allot__store_lead *lead = &store->lead;
    bool left, free;
    store->work_status = ALLOT_OK;
    if (!allot__pq_connect(store->pq) ||
        !(lead->taken ? see(store, &left, &free) : consider(store, store->site.lease)))
        fail(store);
    else if (lead->event < it->last_event || lead->cycle < it->last_cycle)
        lose(store, true, "the store has less than this service read from it");
    else if (lead->version != store->version)
        lose(store, true, "the plan has changed");
    else
        read_next(store);
}

/* ---- A batch --------------------------------------------------------------------------------- */

/* A column of all new events or cycles, as one binary array; without bytes it is only measured. */
typedef struct column {
    char *bytes;
    size_t len;
    int64_t count;
} column;

/* The first columns of events and of cycles, in the order of their records, and the number of those
 * that a bare table has; bytes before values. */
enum { EVENT = 0, BARE = 5, CYCLE = 6, COLUMNS = 16, HEAD = 20 };

typedef struct batch {
    column columns[COLUMNS];
    int64_t event, cycle, seq; /* the last numbers, with this batch */
    bool rare;                 /* it has other records, too */
} batch;

static void add(column *to, const char *bytes, size_t len)
{
    if (to->bytes && len > 0)
        memcpy(to->bytes + to->len, bytes, len);
    to->len += len;
}

static void add_value(column *to, const allot__cell *value)
{
    char number[8], size[4];
    bool whole = value->kind == ALLOT__CELL_WHOLE;
    size_t len = whole ? sizeof number : value->len;
    allot__pq_put(number, value->number, 8);
    allot__pq_put(size, value->kind == ALLOT__CELL_NOTHING ? -1 : (int64_t)len, 4);
    add(to, size, sizeof size);
    add(to, whole ? number : value->text, len);
    to->count++;
}

/* An array has its dimensions, whether it has nulls, its type; of the dimension length and first
 * index; its values. */
static void begin_column(column *it, char *bytes)
{
    *it = (column){.bytes = bytes, .len = HEAD};
}

static size_t end_column(const column *it, bool number)
{
    const int64_t head[] = {it->count > 0, 1, number ? ALLOT__PQ_INT8 : ALLOT__PQ_TEXT, it->count,
                            1};
    for (int i = 0; i < 5; i++)
        allot__pq_put(it->bytes + 4 * (size_t)i, head[i], 4);
    return it->count > 0 ? it->len : 12;
}

/* Goes through the records. */
static void walk(const allot__store *store, batch *it)
{
    const char *at = store->written.bytes, *end = at + store->written.len;
    while (at < end) {
        allot__record_kind kind;
        memcpy(&kind, at, sizeof kind);
        at += sizeof kind;
        bool event = kind == ALLOT__RECORD_EVENT, cycle = kind == ALLOT__RECORD_CYCLE;
        const char *types = allot__store_statements[kind].types, *from = at;
        column *to = it->columns + (event ? EVENT : CYCLE);
        for (int i = 0; types[i] != '\0'; i++) {
            allot__cell value = allot__record_value(&at, types[i]);
            if (event || cycle)
                add_value(&to[i], &value);
        }
        if (event)
            it->event = allot__record_value(&from, 'n').number;
        if (cycle) {
            it->cycle = allot__record_value(&from, 'n').number;
            it->seq = allot__record_value(&from, 'n').number;
        }
        it->rare = it->rare || !(event || cycle);
    }
}

/* Writes the columns into one block, which the caller frees; NULL: out of memory. */
static char *lay_out(const allot__store *store, batch *it)
{
    size_t size = 0, at = 0;
    *it = (batch){.event = store->lead.event, .cycle = store->lead.cycle, .seq = store->lead.seq};
    for (int i = 0; i < COLUMNS; i++)
        begin_column(&it->columns[i], NULL);
    walk(store, it);
    for (int i = 0; i < COLUMNS; i++)
        size += it->columns[i].len;
    char *block = malloc(size);
    for (int i = 0; i < COLUMNS && block; i++) {
        size_t len = it->columns[i].len;
        begin_column(&it->columns[i], block + at);
        at += len;
    }
    if (block)
        walk(store, it);
    return block;
}

static void fill(const allot__store *store, const batch *it, allot__pq_params *params)
{
    const char *types[] = {allot__store_statements[ALLOT__RECORD_EVENT].types,
                           allot__store_statements[ALLOT__RECORD_CYCLE].types};
    const allot__store_lead *lead = &store->lead;
    const int64_t numbers[] = {lead->epoch, lead->batch + 1, it->event,
                               it->cycle,   it->seq,         store->site.lease};
    for (int i = 0; i < 6; i++)
        allot__pq_number(params, numbers[i]);
    for (int i = 0; i < COLUMNS; i++) {
        bool number = types[i >= CYCLE][i >= CYCLE ? i - CYCLE : i] == 'n';
        allot__pq_bytes(params, number ? ALLOT__PQ_INT8S : ALLOT__PQ_TEXTS, it->columns[i].bytes,
                        end_column(&it->columns[i], number));
    }
}

/* The statement, prepared: 1: it hit, 0: it did not, EIO. */
static int write_rows(const allot__store *store, const batch *it)
{
    allot__pq_params params = {.count = 0};
    fill(store, it, &params);
    if (!store->pq->prepared && !allot__pq_prepare(store->pq, write_sql, &params))
        return ALLOT_EIO;
    PGresult *result = allot__pq_run(store->pq, NULL, &params);
    int hit = result ? (int)number_of(result, 0) : ALLOT_EIO;
    allot__pq_drop(result);
    return hit;
}

/* Runs the other records' statements. */
static int write_others(allot__store *store)
{
    const char *at = store->written.bytes, *end = at + store->written.len;
    int status = ALLOT_OK;
    while (at < end && status == ALLOT_OK) {
        allot__record_kind kind;
        allot__store_bounds bounds;
        allot__pq_params params = {.count = 0};
        memcpy(&kind, at, sizeof kind);
        at += sizeof kind;
        if (kind == ALLOT__RECORD_COMPACT)
            memcpy(&bounds, at, sizeof bounds);
        for (const char *type = allot__store_statements[kind].types; *type != '\0'; type++) {
            allot__cell value = allot__record_value(&at, *type);
            allot__pq_cell(&params, &value);
        }
        if (kind == ALLOT__RECORD_COMPACT) {
            status = allot__store_delete(store, &bounds);
        } else if (kind != ALLOT__RECORD_EVENT && kind != ALLOT__RECORD_CYCLE) {
            PGresult *done = allot__pq_run(store->pq, allot__store_statements[kind].sql, &params);
            status = done ? ALLOT_OK : ALLOT_EIO;
            allot__pq_drop(done);
        }
    }
    return status;
}

/* The statement and the others in one transaction. */
static int write_rare(allot__store *store, const batch *it)
{
    if (!allot__pq_do(store->pq, "BEGIN"))
        return ALLOT_EIO;
    int hit = write_rows(store, it);
    if (hit == 1 && write_others(store) != ALLOT_OK)
        hit = ALLOT_EIO;
    if (hit != 1) {
        char error[sizeof store->pq->error];
        memcpy(error, store->pq->error, sizeof error);
        allot__pq_do(store->pq, "ROLLBACK");
        memcpy(store->pq->error, error, sizeof error);
        return hit;
    }
    PGresult *done = allot__pq_run(store->pq, "COMMIT", NULL);
    bool good = done && strcmp(allot__pq_done(done), "COMMIT") == 0;
    allot__pq_drop(done);
    return good ? 1 : ALLOT_EIO;
}

/* Whether the batch is in: 1; 0: it is to be written; EIO: this is not known, or nothing of this
 * service's may be written any more. */
static int attach(allot__store *store)
{
    allot__store_lead *lead = &store->lead;
    allot__pq_params params = {.count = 0};
    char why[160];
    allot__pq_number(&params, lead->epoch);
    allot__pq_number(&params, store->site.lease);
    PGresult *row = allot__pq_run(store->pq, attach_sql, &params);
    bool known = row != NULL, mine = known && allot__pq_count(row) == 1;
    int64_t last = mine ? number_of(row, 0) : -1;
    allot__pq_drop(row);
    if (!known) {
        fail(store);
        return ALLOT_EIO;
    }
    if (!mine) {
        lose(store, true, "another service leads");
        return ALLOT_EIO;
    }
    if (last != lead->batch && last != lead->batch + 1) {
        snprintf(why, sizeof why,
                 "the store went back: its last batch is %lld, %lld were acknowledged",
                 (long long)last, (long long)lead->batch);
        lose(store, false, why);
        return ALLOT_EIO;
    }
    lead->doubtful = false;
    return (int)(last - lead->batch);
}

/* One attempt: 1: the batch is in; 0: another attempt may do; EIO: see work_error, work_lost. */
static int attempt(allot__store *store, const batch *it)
{
    allot__store_lead *lead = &store->lead;
    struct allot__pq *pq = store->pq;
    lead->doubtful = lead->doubtful || !pq->conn;
    if (!allot__pq_connect(pq)) {
        fail(store);
        return ALLOT_EIO;
    }
    int done = lead->doubtful ? attach(store) : 0;
    if (done != 0)
        return done;
    done = it->rare ? write_rare(store, it) : write_rows(store, it);
    lead->doubtful = done != 1;
    if (done == 1 || !pq->conn || strcmp(pq->state, "40001") == 0 ||
        strcmp(pq->state, "40P01") == 0 || strcmp(pq->state, "55P03") == 0)
        return done == 1;
    if (done < 0)
        fail(store);
    return done;
}

void allot__lead_write(allot__store *store)
{
    enum { TRIES = 3 };
    allot__store_lead *lead = &store->lead;
    batch it;
    char *block = lay_out(store, &it);
    int done = 0;
    snprintf(store->pq->error, sizeof store->pq->error, block ? "" : "out of memory");
    store->pq->state[0] = '\0';
    for (int i = 0; i < TRIES && block && done == 0; i++)
        done = attempt(store, &it);
    free(block);
    store->work_status = done == 1 ? ALLOT_OK : ALLOT_EIO;
    if (done == 0)
        fail(store);
    if (done != 1)
        return;
    bool decided = it.seq > lead->seq;
    lead->batch++;
    lead->event = it.event;
    lead->cycle = it.cycle;
    lead->seq = it.seq;
    if (store->work_oldest == 0 && decided)
        store->work_oldest = allot__store_number(store,
                                                 "SELECT min(seq) FROM cycles WHERE decision IS"
                                                 " NOT NULL AND seq > 0",
                                                 0);
}

bool allot__lead_bare(const allot__store *store, struct allot__pq *pq)
{
    static const char sql[] =
        "INSERT INTO bare(seq, at, method, params, idem) SELECT * FROM"
        " unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[])";
    batch it;
    allot__pq_params params = {.count = 0};
    char *block = lay_out(store, &it);
    PGresult *done = NULL;
    for (int i = 0; i < BARE && block; i++)
        allot__pq_bytes(&params, i < 2 ? ALLOT__PQ_INT8S : ALLOT__PQ_TEXTS, it.columns[i].bytes,
                        end_column(&it.columns[i], i < 2));
    if (block && (pq->prepared || allot__pq_prepare(pq, sql, &params)))
        done = allot__pq_run(pq, NULL, &params);
    allot__pq_drop(done);
    free(block);
    return done != NULL;
}

void allot__lead_end(allot__store *store)
{
    allot__pq_params params = {.count = 0};
    if (!store->lead.taken || store->gone || !store->pq->conn)
        return;
    allot__pq_number(&params, store->lead.epoch);
    allot__pq_drop(
        allot__pq_run(store->pq, "UPDATE lead SET until = '-infinity' WHERE epoch = $1", &params));
}
