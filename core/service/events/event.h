/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * event.h: events, which change the books, read from JSON.
 *
 * An event's item (a task, a job, ...) is read by the table of the item's members
 * (allot/members.h); one table (fields.c) has each kind's item and the members beyond the item's. A
 * member that is unknown, repeated, of another kind or out of range is an error that names it.
 * *Kept* kinds, and kept members of other kinds, stand only in snapshots: to clients they are
 * unknown.
 */
#ifndef ALLOT_SERVICE_EVENTS_EVENT_H
#define ALLOT_SERVICE_EVENTS_EVENT_H

#include <stdbool.h>

#include <allot/json.h>
#include <allot/members.h>
#include <allot/stated.h>

#include "service/base/error.h"

/* Kind, method, kept, plans: 1: only those with queues, which decide about jobs; -1: only others,
 * which decide about leaves; 0: both. */
#define ALLOT__EVENT_MAP(XX)                                                                       \
    XX(DEMAND, "demand", 0, -1)                                                                    \
    XX(RELEASE, "release", 0, -1)                                                                  \
    XX(ALLOCATED, "allocated", 0, -1)                                                              \
    XX(START, "start", 0, -1)                                                                      \
    XX(FINISH, "finish", 0, 0)                                                                     \
    XX(SESSION, "session", 0, -1)                                                                  \
    XX(SESSION_END, "session_end", 0, 0)                                                           \
    XX(HOST, "host", 0, 0)                                                                         \
    XX(HOST_GONE, "host_gone", 0, 0)                                                               \
    XX(SLOTS, "slots", 0, 0)                                                                       \
    XX(RETURNED, "returned", 0, -1)                                                                \
    XX(SUBMIT, "submit", 0, 1)                                                                     \
    XX(STOP, "stop", 0, 1)                                                                         \
    XX(CONT, "cont", 0, 1)                                                                         \
    XX(WITHDRAW, "withdraw", 0, 1)                                                                 \
    XX(LEASE, "lease", 0, 0)                                                                       \
    XX(TASK, "task", 0, -1)                                                                        \
    XX(DECLINE, "decline", 0, -1)                                                                  \
    XX(RUN, "run", 0, 1)                                                                           \
    XX(REQUEUE, "requeue", 0, 1)                                                                   \
    XX(FAIL, "fail", 0, 1)                                                                         \
    XX(KEEP_SYNC, "keep_sync", 1, 0)                                                               \
    XX(KEEP_CLOCK, "keep_clock", 1, 0)                                                             \
    XX(KEEP_BACK, "keep_back", 1, 0)                                                               \
    XX(KEEP_ROW, "keep_row", 1, 0)                                                                 \
    XX(KEEP_FLIGHT, "keep_flight", 1, 0)                                                           \
    XX(KEEP_CLAIM, "keep_claim", 1, 0)                                                             \
    XX(KEEP_VICTIM, "keep_victim", 1, 0)                                                           \
    XX(KEEP_LANDED, "keep_landed", 1, 0)                                                           \
    XX(KEEP_TOLD, "keep_told", 1, 0)                                                               \
    XX(KEEP_LOANS, "keep_loans", 1, 0)                                                             \
    XX(KEEP_LOAN, "keep_loan", 1, 0)                                                               \
    XX(KEEP_JOB, "keep_job", 1, 0)                                                                 \
    XX(KEEP_USAGE, "keep_usage", 1, 0)                                                             \
    XX(KEEP_USER, "keep_user", 1, 0)                                                               \
    XX(KEEP_RESOURCE, "keep_resource", 1, 0)

typedef enum allot__event_kind {
#define ALLOT__EVENT_ENUM(name, text, kept, queues) ALLOT__EVENT_##name,
    ALLOT__EVENT_MAP(ALLOT__EVENT_ENUM)
#undef ALLOT__EVENT_ENUM
        ALLOT__EVENTS
} allot__event_kind;

/* An event; members that its kind lacks are 0 or NULL. Everything is borrowed from the reader until
 * its next read. */
struct allot__who;

typedef struct allot__event {
    allot__event_kind kind;
    bool at_given;
    uint32_t said, stated; /* bits: which members are given, the kind's own and the item's */
    int64_t at;         /* when it happened, Unix seconds; not given: 0 until the service sets it */
    const char *key;    /* idempotency key; NULL: none */
    const char *source; /* the source of a `sync`; NULL: a client's event */
    struct allot__who *from; /* whose call it is; NULL: the service's */
    union {                  /* the item */
        const char *id;      /* first in every item that has an id; a contract's name */
        allot_task task;     /* slots of several groups are all in `also` (allot__event_task_new) */
        allot_session session;
        allot_job job;
        allot_stated_host host;
        allot_stated_leaf row;
        allot_stated_user user;
        allot_in_flight flight;
        allot_loan loan;
    };
    int32_t consumer, group, queue, other; /* of kinds without an item; other: a claimant */
    int64_t slots, unlisted, demand;       /* unlisted, demand: -1: not given */
    int32_t adopt, done; /* a start on unallocated slots; a finish of work that is done */
    int32_t keep;
    int32_t whole;            /* members not given are unset; else they keep their values */
    int32_t told;             /* the kill of a victim, or task, was already sent */
    bool settled;             /* the task is as allot__event_task_new leaves it */
    int64_t until, since, by; /* INT64_MIN: not given */
    int32_t phase;            /* of a contract; -1: not given */
    allot_lease_side provider, holder; /* its sides; -1: not given */
    int64_t use, millionths;           /* of a queue */
} allot__event;

/* ---- The members of events by kind; only for this folder and tests --------------------------- */

/* A flag of a member that stands only in snapshot lines; clients may not give it. */
enum { ALLOT__MEMBER_KEPT = 1 << 16 };

typedef struct allot__fields {
    allot_members own;      /* in allot__event; each hides the item's of that name */
    allot_item item;        /* ALLOT_ITEMS: none */
    bool known;             /* the item may be known: no member is required */
    const char *const *but; /* the item's members that the kind lacks; NULL: none */
} allot__fields;

/* The lists of a kind's members. */
enum { ALLOT__OWN, ALLOT__ITEM, ALLOT__COMMON, ALLOT__FIELD_LISTS };

extern const allot__fields allot__event_fields[ALLOT__EVENTS];
/* One list of members; NULL: the kind lacks it. */
const allot_members *allot__fields_of(const allot__fields *fields, int list);
/* The struct that has the members of a list. */
static inline char *allot__field_base(allot__event *event, int list)
{
    return list == ALLOT__ITEM ? (char *)&event->id : (char *)event;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Sets an event's values before its members are read. */
void allot__event_init(allot__event *event, allot__event_kind kind);
/* The item of a kind; ALLOT_ITEMS: none. */
allot_item allot__event_item(allot__event_kind kind);
/* The value of the member of that name; NULL: not given. */
const void *allot__event_said(const allot__event *event, const char *name);

typedef struct allot__event_reader allot__event_reader;
int allot__event_reader_new(allot_engine *engine, allot__event_reader **out);
void allot__event_reader_free(allot__event_reader *reader);

/* The kind of a method: of those clients may call; of events in the store; of all. Else -1. */
int32_t allot__event_find(const char *method, size_t len);
int32_t allot__event_find_stored(const char *method, size_t len);
int32_t allot__event_find_kept(const char *method, size_t len);
const char *allot__event_name(int kind);
/* Whether a kind is valid under a plan with queues, or without. */
bool allot__event_fits(allot__event_kind kind, bool queues);

/* The author of an event: a client; or the service's own store, which may have kept kinds. */
typedef enum allot__speaker { ALLOT__CLIENT = 0, ALLOT__STORE } allot__speaker;

/* Reads params (NULL: none) into parts, whose strings are *json's; replaces an earlier *json. As
 * below; *newcomers (NULL: not wanted) gets newcomers. */
int allot__params_take(allot_engine *engine, allot_json **json, const allot_plan *plan,
                       const char *params, size_t len, allot_json_part *parts, int32_t count,
                       allot_report **newcomers, allot__error *fault);

/* Reads the params of an event, valid JSON; names are looked up in `plan`. EINVALID, ENOENT (an
 * unknown name), ERANGE with a fault; ENOMEM. */
int allot__event_read(allot__event_reader *reader, const allot_plan *plan, allot__event_kind kind,
                      allot__speaker speaker, const char *params, size_t len, allot__event *out,
                      allot__error *fault);

/* Newcomers (plan.h) that events named in vain since the reader was made, or since they were
 * forgotten: such an event ends with ENOENT. NULL: none. */
const allot_report *allot__event_newcomers(const allot__event_reader *reader);
void allot__event_newcomers_forget(allot__event_reader *reader);

/* How far a client's clock may be ahead of the service's. */
#define ALLOT__EVENT_AHEAD 60 /* s */
/* Checks an event's times: from 1970 on, and at most ALLOT__EVENT_AHEAD after `now`. ERANGE with a
 * fault. */
int allot__event_times(const allot__event *event, int64_t now, allot__error *fault);

#endif
