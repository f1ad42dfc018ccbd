/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * event.h: what changes the books, read from JSON.
 *
 * One table (fields.c) says of each kind its method's name and its members; a member that is
 * unknown, twice there, of another kind or out of range is an error that names it. Kinds, and
 * members of others, that are *kept* stand in snapshots alone: to clients they are unknown.
 */
#ifndef ALLOT_SERVICE_EVENTS_EVENT_H
#define ALLOT_SERVICE_EVENTS_EVENT_H

#include <stdbool.h>

#include <allot/json.h>

#include "service/base/error.h"

/* Kind, method, kept. */
#define ALLOT__EVENT_MAP(XX)                                                                       \
    XX(DEMAND, "demand", 0)                                                                        \
    XX(RELEASE, "release", 0)                                                                      \
    XX(ALLOCATED, "allocated", 0)                                                                  \
    XX(START, "start", 0)                                                                          \
    XX(FINISH, "finish", 0)                                                                        \
    XX(SESSION, "session", 0)                                                                      \
    XX(SESSION_END, "session_end", 0)                                                              \
    XX(HOST, "host", 0)                                                                            \
    XX(HOST_GONE, "host_gone", 0)                                                                  \
    XX(SLOTS, "slots", 0)                                                                          \
    XX(RETURNED, "returned", 0)                                                                    \
    XX(SUBMIT, "submit", 0)                                                                        \
    XX(STOP, "stop", 0)                                                                            \
    XX(CONT, "cont", 0)                                                                            \
    XX(WITHDRAW, "withdraw", 0)                                                                    \
    XX(LEASE, "lease", 0)                                                                          \
    XX(TASK, "task", 0)                                                                            \
    XX(DECLINE, "decline", 0)                                                                      \
    XX(RUN, "run", 0)                                                                              \
    XX(REQUEUE, "requeue", 0)                                                                      \
    XX(FAIL, "fail", 0)                                                                            \
    XX(KEEP_SYNC, "keep_sync", 1)                                                                  \
    XX(KEEP_CLOCK, "keep_clock", 1)                                                                \
    XX(KEEP_BACK, "keep_back", 1)                                                                  \
    XX(KEEP_ROW, "keep_row", 1)                                                                    \
    XX(KEEP_FLIGHT, "keep_flight", 1)                                                              \
    XX(KEEP_CLAIM, "keep_claim", 1)                                                                \
    XX(KEEP_VICTIM, "keep_victim", 1)                                                              \
    XX(KEEP_LANDED, "keep_landed", 1)                                                              \
    XX(KEEP_TOLD, "keep_told", 1)                                                                  \
    XX(KEEP_LOANS, "keep_loans", 1)                                                                \
    XX(KEEP_LOAN, "keep_loan", 1)                                                                  \
    XX(KEEP_JOB, "keep_job", 1)                                                                    \
    XX(KEEP_USAGE, "keep_usage", 1)                                                                \
    XX(KEEP_RESOURCE, "keep_resource", 1)

typedef enum allot__event_kind {
#define ALLOT__EVENT_ENUM(name, text, kept) ALLOT__EVENT_##name,
    ALLOT__EVENT_MAP(ALLOT__EVENT_ENUM)
#undef ALLOT__EVENT_ENUM
        ALLOT__EVENTS
} allot__event_kind;

/* A member of a member: of attributes, resources and hosts by key, of tags without. */
typedef struct allot__pair {
    const char *key, *text; /* text NULL: a number */
    int64_t number;
} allot__pair;

typedef struct allot__pairs {
    const allot__pair *items;
    int32_t count;
} allot__pairs;

/* An event of one kind; what its kind does not have is 0, NULL, or -1 for numbers of things. All is
 * borrowed from the reader until it reads again. */
typedef struct allot__event {
    allot__event_kind kind;
    bool at_given;
    int64_t at; /* when it happened, Unix seconds; not given: 0 until the service puts its own */
    const char *key; /* idempotency key; NULL: none */
    const char *id;  /* of a task, job, session, reclaim; a host's name */
    int32_t consumer, group, queue, lease, other; /* other: exclusive_to, claimant, borrower */
    int64_t slots;
    allot__pairs parts; /* of a task: its slots by group, where they were said so */
    bool slots_given, keep;
    bool adopt, adopt_given,
        done;   /* a start on slots that nobody allocated; a finish of work that is done */
    bool whole; /* what is not said is unset, where else it stays as it was */
    const char *session, *host, *slot;
    int64_t unlisted; /* -1: not given */
    bool started_given, submitted_given, preempted_given, tags_given, suspended_given;
    int64_t started, submitted, preempted;
    int64_t until;      /* INT64_MIN: not given */
    const char *source; /* whose truth it is (`sync`); NULL: a client's own word */
    int64_t priority, preemption_rank, created, minimum, demand;
    allot_scheduling scheduling;
    int32_t closed; /* allot_closed; -1: not given */
    int64_t load;   /* thousandths; -1: not given */
    bool other_given;
    const char *user, *user_group, *application;
    int64_t run_limit, grow; /* -1: not given */
    bool exclusive, forced;
    allot__pairs tags, attributes, resources, hosts, grown, provider, holder;
    int32_t phase; /* of a lease; -1: not given */
    int64_t since, deadline;
    /* Of what is kept: a job's state, its times, and marks. */
    int32_t job_state;
    int32_t task_state; /* allot_task_state */
    bool state_given, priority_given;
    int64_t ran, suspended_for, allocated, reclaimed_at, waiting_since;
    bool told, told_given; /* a victim, or a task, that was told to go already */
} allot__event;

/* What an event is before its members are read. */
void allot__event_init(allot__event *event, allot__event_kind kind);

typedef struct allot__event_reader allot__event_reader;
int allot__event_reader_new(allot_engine *engine, allot__event_reader **out);
void allot__event_reader_free(allot__event_reader *reader);

/* The kind of a method that clients may call, or -1; of what is an event in the store; of any. */
int32_t allot__event_find(const char *method, size_t len);
int32_t allot__event_find_stored(const char *method, size_t len);
int32_t allot__event_find_kept(const char *method, size_t len);
const char *allot__event_name(int kind);

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
