/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * store.h: the store on disk: events, cycles and snapshots, in an SQLite file or a PostgreSQL
 * database ("postgresql://...").
 *
 * Rows are gathered while a batch is being written, and then written together in one transaction by
 * one of libuv's threads, in the order of adding. If events come faster than they are written, the
 * next batch begins 2 ms after the last; a cycle is written at once. SQLite's log is copied into
 * the database between batches. Once a batch is on disk (WAL, synchronous FULL), `committed` is
 * called with its number on the loop. When writing fails (the disk is full, an I/O error), the same
 * batch is tried again, from 100 ms to 5 s apart, until it succeeds: meanwhile nothing is
 * acknowledged, allot__store_error returns the reason, and the service accepts no more than
 * allot__store_full allows.
 *
 * Tables: meta(key, value), plans(sha256, text, version), policies(sha256, text, version),
 * versions(number, cycle, plan, policies), events(seq, at, method, params, idem, who),
 * clients(event, at, who), notes(event, cycle, number, at, kind, version, who, text), cycles(cycle,
 * seq, at, event, plan, policy, input, output, decision, effect), snapshots(event, cycle, part,
 * parts, seq, at, plan, body). PRAGMA user_version is the schema's version, PRAGMA application_id
 * marks the file as a store. Rows are validated when read: what no service would write is E-store.
 *
 * A client has a row in `clients`, whose number is that of its first event; events refer to it by
 * that number (0: the service itself). It gets a new row after ALLOT__STORE_SPAN events, so a row
 * that is older than the oldest event by more is not referred to. A note is what happened after an
 * event and a cycle, other than these.
 *
 * A store has an id, drawn at random when it was made, and an epoch. Each service that opens it
 * begins a new epoch, later than any before, even those unknown to a restored copy of the file.
 *
 * Several services may share a PostgreSQL store. One leads: it alone writes. The others follow: a
 * look every 200 ms tells them the rows that were written since, and takes the lead when the leader
 * left, when its session ended, or when it wrote nothing for its lease (lead.c). A leader
 * with nothing to write renews its lease by empty batches. A service that another one replaced
 * writes nothing any more.
 *
 * A snapshot is written in parts, one with each batch, so that neither a commit nor the loop waits
 * for all of it. Only its last part has their number: until it is on disk, the snapshot is ignored.
 */
#ifndef ALLOT_SERVICE_STORE_STORE_H
#define ALLOT_SERVICE_STORE_STORE_H

#include <stdbool.h>

#include "base/text.h"

#define ALLOT__STORE_VERSION 5
#define ALLOT__STORE_MAGIC   0x616c6f74 /* application_id: "alot" */
/* Above any real row number or time. */
#define ALLOT__STORE_LAST (INT64_C(1) << 53)
/* Events for which a row of `clients` stands at most. */
#define ALLOT__STORE_SPAN 65536
/* Bytes that may wait for the disk. */
#define ALLOT__STORE_MOST (32 * 1024 * 1024)

/* ms between batches of events that come all the time: a commit costs as much as 50 events. */
enum { ALLOT__STORE_PACE = 2 };

typedef struct allot__store allot__store;
struct uv_loop_s;

/* Strings are copied when a row is added. */
typedef struct allot__event_row {
    int64_t seq, at; /* at: when it arrived; an `at` in `params` takes precedence */
    const char *method, *params, *key; /* key may be NULL */
    size_t params_len;
    int64_t who; /* its client's row; 0: the service */
} allot__event_row;

typedef struct allot__client_row {
    int64_t event, at; /* its first event */
    const char *who;   /* an object in JSON */
} allot__client_row;

typedef struct allot__note_row {
    int64_t event, cycle, at; /* event and cycle: the last ones before */
    const char *kind;
    const char *who, *text; /* objects in JSON; who NULL: the service */
} allot__note_row;

typedef struct allot__cycle_row {
    int64_t cycle;          /* 1, 2, ...: every cycle */
    int64_t seq;            /* the decision's number; without one, the last decision's */
    int64_t at, event;      /* its `now`; the last event that it saw */
    const char *plan;       /* sha256 */
    const char *policy;     /* sha256 of the first group's */
    uint64_t input, output; /* digests of the state, and of the whole decision */
    const char *decision;   /* NULL: nothing was decided */
    size_t decision_len;
    const char *effect; /* lines that enter its changes in the books */
    size_t effect_len;
} allot__cycle_row;

typedef struct allot__snapshot_row {
    int64_t event, cycle, seq, at; /* the last ones included */
    const char *plan;
    const char *body; /* lines of allot__books_write; NULL: fetched part by part */
    size_t body_len;
} allot__snapshot_row;

/* Adds the next lines of a snapshot, about `most` bytes; *over: nothing is left. Nonzero: the
 * snapshot is given up. */
typedef int allot__store_lines(void *ud, allot__text *out, size_t most, bool *over);

/* Receives the store's rows, borrowed. A nonzero result ends the reading and is returned. */
typedef struct allot__store_visitor {
    void *ud;
    int (*snapshot)(void *ud, const allot__snapshot_row *row);
    int (*event)(void *ud, const allot__event_row *row);
    int (*cycle)(void *ud, const allot__cycle_row *row);
} allot__store_visitor;

/* A service, to others that share the store: the address that clients are sent to, a name for
 * people, and how many ms its lead lasts after a batch. `wait`: until another process closes the
 * file. */
typedef struct allot__store_site {
    char address[256], holder[128];
    int64_t lease;
    bool wait;
} allot__store_site;

/* Whether the name is that of a store that several services may share. */
bool allot__store_is_shared(const char *path);
/* Opens a store, makes or migrates it, checks its integrity. Blocks. The file is locked until
 * closed, under any name; a shared store is led (allot__store_leads), or has a leader and its plan.
 * EIO (report): damaged, in use, unreadable, of a later version, not a store. ENOMEM. */
int allot__store_open(allot_engine *engine, const char *path, const allot__store_site *site,
                      allot_report *report, allot__store **out);
/* The same read-only, also while a service writes: for replay. */
int allot__store_open_read(allot_engine *engine, const char *path, allot_report *report,
                           allot__store **out);
/* Closes; nothing may be being written. Blocks. */
void allot__store_close(allot__store *store);

/* Visits the newest snapshot whose event is <= `event` (INT64_MAX: any), then the later events and
 * cycles in their order. Blocks. EIO, or the visitor's status. */
int allot__store_read(allot__store *store, int64_t event, const allot__store_visitor *visitor,
                      allot_report *report);
/* Visits whole events with an idempotency key from a time on, to restore the keys. Blocks. */
int allot__store_keys(allot__store *store, int64_t since,
                      int (*each)(void *ud, const allot__event_row *row), void *ud,
                      allot_report *report);
/* Which store it is, in which epoch, and the last decision before it began. */
typedef struct allot__store_name {
    char id[33];
    int64_t epoch, began;
} allot__store_name;
const allot__store_name *allot__store_identity(const allot__store *store);
/* The number of the last cycle, or 0. Blocks. */
int64_t allot__store_cycles(allot__store *store);
/* A plan's text by its sha256, or that of a policy or of a list of policies, into `out`; ENOENT;
 * EIO (report): it is damaged. Blocks. */
typedef enum allot__store_texts { ALLOT__STORE_PLANS, ALLOT__STORE_POLICIES } allot__store_texts;
int allot__store_text(allot__store *store, allot__store_texts of, const char *sha256,
                      allot_report *report, allot__text *out);
/* The version that took over last, or `back` versions before. Likewise. */
typedef struct allot__store_pair {
    int64_t number, cycle; /* of the version; the first cycle that it may have decided */
    char plan[65], policies[65];
} allot__store_pair;
int allot__store_version(allot__store *store, int back, allot_report *report,
                         allot__store_pair *out);
/* The version that decided in a cycle, which was under that plan. Likewise. */
int allot__store_deciding(allot__store *store, const char *plan, int64_t cycle,
                          allot_report *report, allot__store_pair *out);

/* ---- Writing, on the loop -------------------------------------------------------------------- */

/* What the store tells the service, on the loop. */
typedef struct allot__store_hooks {
    void *ud;
    void (*committed)(void *ud, int64_t batch); /* batches up to that number are on disk */
    /* The store failed (text), or works again (NULL). */
    void (*troubled)(void *ud, const char *text);
    /* Of a shared store. `rows`: while another leads, what that one wrote. `led`: this service
     * leads, after all rows were told. `lost`: it must not go on: another leads, or the store is
     * not what it was; `again`: a new start from the store is fine. */
    allot__store_visitor rows;
    void (*led)(void *ud);
    void (*lost)(void *ud, bool again, const char *why);
} allot__store_hooks;
/* From now on batches are written, or others' are followed, on that loop's threads. ENOMEM. */
int allot__store_attach(allot__store *store, struct uv_loop_s *loop,
                        const allot__store_hooks *hooks);
/* Writes nothing more; it must not be working (allot__store_working). */
void allot__store_detach(allot__store *store);
bool allot__store_working(const allot__store *store);
/* Reserves capacity for a row with so many bytes of text, so that adding it cannot fail. ENOMEM. */
int allot__store_reserve(allot__store *store, size_t bytes);
/* Adds to the gathered batch, and returns the batch's number, or ENOMEM with no effect. */
int64_t allot__store_event(allot__store *store, const allot__event_row *row);
/* The same for many events: encoded to a text over any turns of the loop, then appended to one
 * batch, so that all are on disk or none. Appending empties the text. ENOMEM. */
int allot__store_encode(allot__text *rows, const allot__event_row *row);
int64_t allot__store_append(allot__store *store, allot__text *rows, int64_t count, size_t bytes);
/* Adds the row of a client, which is written with the next event or cycle. ENOMEM. */
int allot__store_client(allot__store *store, const allot__client_row *row);
int64_t allot__store_note(allot__store *store, const allot__note_row *row);
int64_t allot__store_cycle(allot__store *store, const allot__cycle_row *row);
/* Begins a snapshot, whose lines are fetched on the loop as batches are written. Gives up one in
 * progress. No two snapshots have the same event and cycle. */
int64_t allot__store_snapshot(allot__store *store, const allot__snapshot_row *row,
                              allot__store_lines *lines, void *ud);
/* Whether a snapshot is being written; gives it up. */
bool allot__store_snapshots(const allot__store *store);
void allot__store_give_up(allot__store *store);
int64_t allot__store_put_text(allot__store *store, allot__store_texts of, const char *sha256,
                              const char *text, size_t len);
/* Notes that this version decides from that cycle on; its texts were put before. */
int64_t allot__store_put_version(allot__store *store, int64_t cycle, const char *plan,
                                 const char *policies);
/* Which rows may be deleted: those before a snapshot of an event <= `event` or a time <= `at`, or
 * before the oldest snapshots while the file is larger than `size`; never those after the newest
 * snapshot, nor the last two versions of the plan. Below 0 (`at`: INT64_MIN): that bound is off.
 * Events with a key not older than `keys` stay. */
typedef struct allot__store_bounds {
    int64_t event, at, size, keys;
} allot__store_bounds;
/* Deletes them, a few thousand rows a batch, with texts no row needs any more; shrinks the file.
 * ENOMEM. */
int64_t allot__store_compact(allot__store *store, const allot__store_bounds *bounds);
/* Bytes of events, cycles and texts since the newest snapshot was begun; and the snapshot's own. */
int64_t allot__store_behind(const allot__store *store);
int64_t allot__store_snapshot_size(const allot__store *store);
/* The number of the batch after which all added rows are on disk; 0: all are. */
int64_t allot__store_pending(const allot__store *store);
/* While rows are only gathered, no batch begins. */
void allot__store_gather(allot__store *store, bool only);
/* The ms until the gathered events would begin a batch; without any ALLOT__STORE_PACE. */
uint64_t allot__store_soon(const allot__store *store);
/* Whether so many bytes wait for the disk that no more may be accepted. */
bool allot__store_full(const allot__store *store);
/* Whether this service writes the store; and whether no other can have begun to, so that what it
 * says is current. The leader's address, and the number of its events not told here yet. */
bool allot__store_leads(const allot__store *store);
bool allot__store_current(const allot__store *store);
const char *allot__store_leader(const allot__store *store, int64_t *behind);
/* Whether all added rows are on disk. */
bool allot__store_idle(const allot__store *store);
/* The current error; NULL: none. Borrowed until the loop turns. */
const char *allot__store_error(const allot__store *store);
/* Batches and rows written, bytes waiting; the slowest commit since the last call (us); the file's
 * size, of which `unused` bytes are free; requested decisions found damaged. */
typedef struct allot__store_figures {
    int64_t batches, rows, waiting, slowest, size, unused, damaged;
} allot__store_figures;
allot__store_figures allot__store_count(allot__store *store);

/* Reads decisions with numbers from ... to, at most `most` of them and about 1 MiB, on a thread;
 * `done` gets them on the loop, one by one, in order, then `text` NULL with a status in `seq`.
 * Damaged ones are left out. ENOMEM. */
int allot__store_decisions(allot__store *store, int64_t from, int64_t to, int32_t most,
                           void (*done)(void *ud, int64_t seq, const char *text, size_t len),
                           void *ud);
/* ---- The log --------------------------------------------------------------------------------- */

typedef enum allot__log_kind {
    ALLOT__LOG_ALL = -1,
    ALLOT__LOG_EVENT,
    ALLOT__LOG_DECISION,
    ALLOT__LOG_RELOAD /* this and later ones are notes: see allot__log_kind_word */
} allot__log_kind;
/* "event", ...: the kinds of entries; NULL: there is none. */
const char *allot__log_kind_word(int kind);

/* Where an entry stands: events by number, then cycles, then notes. */
typedef struct allot__log_place {
    int64_t event, cycle, number;
} allot__log_place;

/* Entries after a place, or `back` the last ones before it; of a kind; that name a consumer or one
 * below it ("": any); of a client of that name, label, address or uid; from a time to another. */
#define ALLOT__LOG_MOST 1000
#define ALLOT__LOG_WORD 512
typedef struct allot__log_ask {
    allot__log_place place;
    bool back;
    int32_t limit;
    int kind;
    char consumer[ALLOT__LOG_WORD], who[ALLOT__LOG_WORD];
    int64_t since, until;
} allot__log_ask;
/* Writes {"entries": [...], "next": ..., "more": ...}: a page ends at the limit, at 1 MiB, and
 * after a few thousand rows, even if none of them is wanted. Blocks. EIO, ENOMEM. */
int allot__store_log_page(const allot__store *store, const allot__log_ask *ask, allot__text *out);
/* The same on a thread, for the loop: `done` as in allot__store_decisions, with one text. ENOMEM.
 */
int allot__store_log(allot__store *store, const allot__log_ask *ask,
                     void (*done)(void *ud, int64_t seq, const char *text, size_t len), void *ud);
/* The number of the oldest decision in the store; 0: none. */
int64_t allot__store_oldest(const allot__store *store);

#endif
