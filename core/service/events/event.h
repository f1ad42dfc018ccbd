/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * event.h: what changes the books, read from JSON.
 *
 * What an event tells of an item (a task, a job, ...) is read by the table of the item's members
 * (allot/members.h); one table (fields.c) says of each kind its method's name, its item and what
 * members it has beside the item's. A member that is unknown, twice there, of another kind or out
 * of range is an error that names it. Kinds, and members of others, that are *kept* stand in
 * snapshots alone: to clients they are unknown.
 */
#ifndef ALLOT_SERVICE_EVENTS_EVENT_H
#define ALLOT_SERVICE_EVENTS_EVENT_H

#include <stdbool.h>

#include <allot/json.h>
#include <allot/members.h>
#include <allot/stated.h>

#include "service/base/error.h"

/* Kind, method, kept; 1: it has a meaning under plans with queues, which decide about jobs, -1:
 * under others, which decide about leaves. */
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
    XX(KEEP_RESOURCE, "keep_resource", 1, 0)

typedef enum allot__event_kind {
#define ALLOT__EVENT_ENUM(name, text, kept, queues) ALLOT__EVENT_##name,
    ALLOT__EVENT_MAP(ALLOT__EVENT_ENUM)
#undef ALLOT__EVENT_ENUM
        ALLOT__EVENTS
} allot__event_kind;

/* An event of one kind; what its kind does not have is 0 or NULL. All is borrowed from the reader
 * until it reads again. */
typedef struct allot__event {
    allot__event_kind kind;
    bool at_given;
    uint32_t said, stated; /* bits: the kind's own members, those of its item (allot__event_said) */
    int64_t at; /* when it happened, Unix seconds; not given: 0 until the service puts its own */
    const char *key;     /* idempotency key; NULL: none */
    const char *source;  /* whose truth it is (`sync`); NULL: a client's own word */
    union {              /* what it tells of */
        const char *id;  /* the first member of those that have one; a contract's name */
        allot_task task; /* several groups' slots are all in `also` (allot__event_task) */
        allot_session session;
        allot_job job;
        allot_stated_host host;
        allot_stated_leaf row;
        allot_in_flight flight;
        allot_loan loan;
    };
    int32_t consumer, group, queue, other; /* where no item has them; other: a claimant */
    int64_t slots, unlisted, demand;       /* unlisted, demand: -1: not given */
    int32_t adopt, done; /* a start on slots that nobody allocated; a finish of work that is done */
    int32_t keep;
    int32_t whole;            /* what is not said is unset, where else it stays as it was */
    int32_t told;             /* a victim, or a task, that was told to go already */
    bool settled;             /* the task is as allot__event_task_new leaves it */
    int64_t until, since, by; /* INT64_MIN: not given */
    int32_t phase;            /* of a contract; -1: not given */
    int32_t provider_count, holder_count;
    const allot_job_host *provider, *holder; /* of its sides: "available", "used", "demand" */
    int64_t use, millionths;                 /* of a queue */
} allot__event;

/* What an event is before its members are read. */
void allot__event_init(allot__event *event, allot__event_kind kind);
/* What a kind tells of; ALLOT_ITEMS: nothing. */
allot_item allot__event_item(allot__event_kind kind);
/* The member of that name, in the event; NULL: it is not said. */
const void *allot__event_said(const allot__event *event, const char *name);

typedef struct allot__event_reader allot__event_reader;
int allot__event_reader_new(allot_engine *engine, allot__event_reader **out);
void allot__event_reader_free(allot__event_reader *reader);

/* The kind of a method that clients may call, or -1; of what is an event in the store; of any. */
int32_t allot__event_find(const char *method, size_t len);
int32_t allot__event_find_stored(const char *method, size_t len);
int32_t allot__event_find_kept(const char *method, size_t len);
const char *allot__event_name(int kind);
/* Whether a kind has a meaning under a plan with queues, or without. */
bool allot__event_fits(allot__event_kind kind, bool queues);

/* Who says an event: a client; or the service's own store, which may say what is kept. */
typedef enum allot__speaker { ALLOT__CLIENT = 0, ALLOT__STORE } allot__speaker;

/* Reads the params of an event, JSON that is known to be valid; names are those of `plan`.
 * EINVALID, ENOENT (nothing has that name), ERANGE with a fault; ENOMEM. */
int allot__event_read(allot__event_reader *reader, const allot_plan *plan, allot__event_kind kind,
                      allot__speaker speaker, const char *params, size_t len, allot__event *out,
                      allot__error *fault);

/* A client's clock may be ahead of the service's by so much. */
#define ALLOT__EVENT_AHEAD 60 /* s */
/* Whether the times that an event tells can be: from 1970 on, and no later than `now` and what a
 * clock may be ahead. ERANGE with a fault. */
int allot__event_times(const allot__event *event, int64_t now, allot__error *fault);

#endif
