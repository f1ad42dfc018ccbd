/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * own.h: the structs of the books; only for this folder, lists/ and sync/.
 *
 * This file owns: struct allot__books.
 */
#ifndef ALLOT_SERVICE_BOOKS_OWN_H
#define ALLOT_SERVICE_BOOKS_OWN_H

#include <string.h>

#include <allot/members.h>
#include <allot/stated.h>

#include "service/books/books.h"
#include "service/base/map.h"
#include "base/text.h"

/* A source that calls `sync`: a thing of a source ends when the source's whole truth lacks it. */
typedef struct allot__origin {
    allot__map_item named;
    int64_t at; /* of its last word; INT64_MIN: none */
} allot__origin;

/* Tasks that share something: a slot of a leaf (state.h), for which they count once, with the most
 * slots of one of them; or the session that they name, which may be known or not. */
enum { ALLOT__BY_SLOT, ALLOT__BY_SESSION, ALLOT__TIES };
typedef struct allot__tie {
    allot__map_item named; /* see allot__tie_key */
    int kind;
    struct allot__task_item *first;
} allot__tie;

/* A task's place among those of a tie; all NULL: it has none. */
typedef struct allot__link {
    allot__tie *tie;
    struct allot__task_item *before, *after;
} allot__link;

/* What the service alone knows of a task, session, job, reclaim or host of the state. */
typedef struct allot__record {
    allot__map_item named;
    const allot__origin *source; /* NULL: clients' events report it */
    uint32_t seen;               /* the last truth that has it (sync/) */
    bool used;                   /* a host has something on it; set while row.c looks */
    /* Sent to subscribers: a task's kill, or its start; for a reclaim, the kills of all its
     * tasks. */
    bool told;
} allot__record;

typedef struct allot__task_item {
    allot__record of;
    allot__link links[ALLOT__TIES];
    struct allot__victim *named_by; /* reclaims in flight; of several groups' tasks maybe several */
    uint32_t start;                 /* the last decision by which it starts, by its number */
} allot__task_item;

typedef struct allot__flight_item {
    allot__record of;
    int64_t since; /* when it was ordered; INT64_MIN: not known */
} allot__flight_item;

/* That a reclaim in flight names a task. */
typedef struct allot__victim {
    struct allot__victim *next; /* of the same task */
    const allot__flight_item *flight;
} allot__victim;

/* What the books know of a leaf in a group, beyond the state. */
typedef struct allot__books_leaf {
    int64_t awaited;     /* slots of its tasks that wait */
    int64_t unmet_since; /* since when its demand is unmet; INT64_MIN: met. Not stored */
    /* The source that states all its holdings; grants to it stand until the source lists them as
     * held. NULL: none. */
    const allot__origin *source;
    /* Until that time (INT64_MIN: it has not declined) the leaf can use no more than `most` slots:
     * in the state it demands at most these instead of `wanted`. */
    int64_t until, wanted;
    int32_t most;
    int32_t held;                             /* by its tasks */
    int32_t sessions[ALLOT_SCHEDULING_COUNT]; /* how many there are of each */
} allot__books_leaf;

struct allot__books {
    allot_engine *engine;
    const allot_plan *plan;
    size_t consumers, group_count, leaf_count, queues, leases, resources;
    allot__books_leaf *leaves; /* by group and consumer: allot__leaf_beside */
    int64_t *sizes;            /* of groups, as stated; -1: not */
    allot__map tasks, ties, sessions, jobs, flights, hosts, sources;
    int64_t declined;                     /* leaves in groups that have declined */
    int64_t pending, starts_told;         /* tasks that wait; of these, how many starts were sent */
    uint32_t starts;                      /* the number of the last decision with starts */
    uint32_t mark;                        /* the last truth's (sync/) */
    int64_t when;                         /* the time of the event being entered */
    bool unrounded;                       /* the time is the exact one */
    bool damped;                          /* an option asks for the times of leaves */
    bool reading;                         /* lines; the books are consistent once all are read */
    int64_t host_most, job_most;          /* no host or job has, or ever had, more slots */
    struct allot__books_listing *listing; /* being written (write.c); NULL: nothing is */
    allot_state *state;                   /* the cluster; kept only here */
    bool sealed;
};

/* Gets the state's item of that id: `out` is the struct of its kind; a host with the plan's slots
 * has -1. */
static inline bool allot__books_get(const allot__books *books, allot_item kind, const char *id,
                                    void *out)
{
    if (allot_state_get(books->state, kind, id, out) != ALLOT_OK)
        return false;
    if (kind == ALLOT_ITEM_HOST && ((allot_stated_host *)out)->planned)
        ((allot_stated_host *)out)->slots = -1;
    return true;
}
/* The map of a kind, by name. */
static inline allot__map *allot__books_map(const allot__books *books, allot_item kind)
{
    const allot__map *const maps[] = {[ALLOT_ITEM_TASK] = &books->tasks,
                                      [ALLOT_ITEM_SESSION] = &books->sessions,
                                      [ALLOT_ITEM_JOB] = &books->jobs,
                                      [ALLOT_ITEM_RECLAIM] = &books->flights,
                                      [ALLOT_ITEM_HOST] = &books->hosts};
    return (allot__map *)maps[kind];
}
/* The last cycle's `now`; INT64_MIN: there was none. */
static inline int64_t allot__books_last(const allot__books *books)
{
    int64_t last = INT64_MIN;
    allot_state_last_get(books->state, &last);
    return last;
}
/* The job at `now`: `ran` or `suspended_for` extended to that time. */
static inline allot_job allot__job_now(const allot_job *of, int64_t now)
{
    allot_job job = *of;
    int64_t passed = job.since < now ? now - job.since : 0;
    if (job.state == ALLOT_RUNNING)
        job.ran = (job.ran > 0 ? job.ran : 0) + passed;
    else if (job.state != ALLOT_PENDING)
        job.suspended_for += passed;
    job.since = INT64_MIN;
    return job;
}

/* The job that an event describes; it borrows the event's lists. */
allot_job allot__event_job(const allot__event *event);
/* Fills members of a restated job that `stated` (of allot__event) lacks from the known job, and
 * borrows the known job's lists. */
void allot__job_merge(const allot_job *known, uint32_t stated, int64_t at, allot_job *job);

/* A known task: the service's item and the state's. */
typedef struct allot__known {
    allot__task_item *item;
    allot_task it;
} allot__known;
static inline bool allot__task_known(const allot__books *books, const char *id, allot__known *out)
{
    out->item = (void *)allot__map_find(&books->tasks, id, strlen(id));
    return out->item && allot__books_get(books, ALLOT_ITEM_TASK, id, &out->it);
}

static inline allot__task_item *allot__task_of(allot__map_item *it)
{
    return (allot__task_item *)(void *)it;
}

/* ---- Items (item.c): copied whole into a block of their own; NULL: ENOMEM -------------------- */

/* Copies the members whose bits are set (by place in the table) to another item, which borrows what
 * they point to. */
void allot__item_merge(allot_item kind, uint32_t members, const void *from, void *to);
/* Whether two items are the same. */
bool allot__items_same(allot_item kind, const void *a, const void *b);
/* The bit of the member of that name. */
uint32_t allot__item_bit(allot_item kind, const char *name);

/* Begins with its allot__map_item. */
void *allot__item_make(allot_engine *engine, size_t head, const char *name, size_t len);
void allot__item_free(allot_engine *engine, void *item); /* NULL is fine */
void *allot__item_find(const allot__map *map, const char *name);
/* Appends an item; frees it on failure. */
int allot__item_put(allot_engine *engine, allot__map *map, void *item);
/* Removes an item and frees it. */
void allot__item_end(allot_engine *engine, allot__map *map, void *item);

/* ---- Events by kind; each as allot__books_apply ---------------------------------------------- */

int allot__apply_row(allot__books *books, const allot__event *event, allot__error *fault);
int allot__apply_start(allot__books *books, const allot__event *event, allot__error *fault);
int allot__apply_finish(allot__books *books, const allot__event *event, allot__error *fault);
int allot__apply_task(allot__books *books, const allot__event *event, allot__error *fault);
int allot__apply_decline(allot__books *books, const allot__event *event, allot__error *fault);
int allot__apply_returned(allot__books *books, const allot__event *event, allot__error *fault);
int allot__apply_session(allot__books *books, const allot__event *event, allot__error *fault);
int allot__apply_host(allot__books *books, const allot__event *event, allot__error *fault);
int allot__apply_lease(allot__books *books, const allot__event *event, allot__error *fault);
int allot__apply_job(allot__books *books, const allot__event *event, allot__error *fault);

/* Whether two or more hosts are known. */
bool allot__books_several_hosts(const allot__books *books);
/* A job with slots and no named host has them on the only host there is. */
static inline bool allot__job_is_unplaced(const allot_job *job)
{
    return job->state != ALLOT_PENDING && job->host_count == 0;
}

/* ---- Sources and declined grants (item.c, row.c) --------------------------------------------- */

/* The source of that name, made if new; of a NULL name NULL. ENOMEM. */
int allot__origin_find(allot__books *books, const char *name, const allot__origin **out);
/* The source of an event; notes the event's time as its last word. ENOMEM. */
int allot__origin_of(allot__books *books, const allot__event *event, const allot__origin **out);
void allot__write_origin(allot__text *out, const allot__origin *source);

/* Ends declines that are over by then. */
void allot__declines_end(allot__books *books, int64_t now);

/* ---- Ties, and tasks that reclaims name (item.c) --------------------------------------------- */

/* The name of a task's tie of a kind, and its length; 0: it has none. The known tie, or NULL. */
enum { ALLOT__TIE_MOST = 600 };
size_t allot__tie_key(const allot_task *task, int kind, char key[ALLOT__TIE_MOST]);
allot__tie *allot__tie_find(const allot__books *books, const allot_task *task, int kind);
/* Check that the tasks of a session are of its leaf. EINVALID (fault). */
int allot__session_check_task(const allot__books *books, const allot_task *task,
                              allot__error *fault);
int allot__session_check(const allot__books *books, const allot_session *session,
                         allot__error *fault);
/* Notes the tasks that a reclaim names, all or none. ENOMEM. */
int allot__victims_add(allot__books *books, const allot__flight_item *item,
                       const allot_in_flight *flight);
/* Forgets the tasks of a reclaim that is over. */
void allot__victims_end(allot__books *books, const allot__flight_item *item,
                        const allot_in_flight *flight);
/* Frees what notes the reclaims that name a task. */
void allot__victim_forget(allot__books *books, allot__task_item *task);
/* A task has ended, or `now` holds nothing in a reclaim's group (NULL: in any): reclaims that name
 * it count its slots without the id, which may run again. */
void allot__victim_gone(allot__books *books, allot__task_item *task, const allot_task *now);

/* ---- Lines (write.c) ------------------------------------------------------------------------- */

void allot__entry_open(allot__text *out, allot__event_kind kind);
/* Opens an entry with an item's document members; more members can follow. */
void allot__item_open(allot__text *out, const allot_plan *plan, allot_item kind, const void *item);
void allot__entry_close(allot__text *out);
void allot__write_set(allot__text *out, const char *key, int64_t value, int64_t unset);
void allot__write_row(const allot__books *books, int32_t group, int32_t leaf,
                      const allot_stated_leaf *row, const allot__origin *source, allot__text *out);
void allot__write_flight(const allot__books *books, const allot_in_flight *flight, int64_t since,
                         allot__text *out);
void allot__write_loan(const allot__books *books, const allot_loan *loan, allot__text *out);
/* Contracts, use of queues and times of resources after the last decision; and the clock. */
void allot__write_contracts(const allot__books *books, allot__text *out);
void allot__write_use(const allot__books *books, allot__text *out);
/* The use of users that changed at a time or later; behind lines of their jobs. */
void allot__write_users(const allot__books *books, int64_t since, allot__text *out);
void allot__write_clock(int64_t now, allot__text *out);
void allot__write_job(const allot__books *books, const allot_job *job, const allot__origin *source,
                      allot__text *out);
/* A line with only an id. */
void allot__write_id(allot__text *out, allot__event_kind kind, const char *id);
/* The kinds of named items in the order of writing; the last come after loans and contracts. */
enum { ALLOT__KINDS = 5 };
extern const allot_item allot__books_order[ALLOT__KINDS];

/* The reclaim of that id, or NULL; also of a NULL id. */
static inline allot__flight_item *allot__books_flight(const allot__books *books, const char *id)
{
    return id ? (void *)allot__map_find(&books->flights, id, strlen(id)) : NULL;
}
/* Put a new or changed session, job, reclaim or host in the state (ENOMEM; other errors: the state
 * refuses it), and take an ended one out. */
int allot__record_put(allot__books *books, allot_item kind, const void *item, allot__record **out);
/* The same for the item of an event, which is its source's from now on; without a source a session
 * is nobody's, other things stay their source's. */
int allot__record_tell(allot__books *books, const allot__event *event, allot_item kind,
                       const void *item);
void allot__record_end(allot__books *books, allot_item kind, allot__record *record);
/* Ends a reclaim; `state`: also in the state. */
void allot__flight_end(allot__books *books, allot__flight_item *item, bool state);
/* Unseals the state, so that it can change. */
void allot__books_unseal(allot__books *books);
/* Makes books without a state. ENOMEM. */
int allot__books_make(allot_engine *engine, const allot_plan *plan, allot__books **out);
/* ---- Leaves (row.c) -------------------------------------------------------------------------- */

static inline allot__books_leaf *allot__leaf_beside(const allot__books *books, int32_t group,
                                                    int32_t leaf)
{
    return &books->leaves[(size_t)group * books->consumers + (size_t)leaf];
}
/* The stated leaf of the state, with the leaf's own demand. */
allot_stated_leaf allot__leaf(const allot__books *books, int32_t group, int32_t leaf);
/* Set what the leaf demands and is allocated; and since when its demand is unmet. */
void allot__leaf_demand(allot__books *books, int32_t group, int32_t leaf, int64_t slots);
void allot__leaf_allocate(allot__books *books, int32_t group, int32_t leaf, int64_t slots);
void allot__leaf_look(const allot__books *books, int32_t group, int32_t leaf);
/* Sets all leaves to demand and have nothing, until events state otherwise. */
void allot__leaves_begin(allot__books *books);
/* ---- Tasks (task.c) -------------------------------------------------------------------------- */

static inline bool allot__task_runs(const allot_task *task)
{
    return task->state == ALLOT_TASK_RUNNING;
}
/* The slots that a task has, or asks for, in a group. */
static inline int64_t allot__task_slots(const allot_task *task, int32_t group)
{
    if (task->group == group)
        return task->slots;
    for (int32_t i = 0; i < task->also_count; i++)
        if (task->also[i].group == group)
            return task->also[i].slots;
    return 0;
}
/* The slots that a running task holds in a group. */
static inline int64_t allot__task_held(const allot_task *task, int32_t group)
{
    return allot__task_runs(task) ? allot__task_slots(task, group) : 0;
}
/* How many more slots the leaf's tasks would hold in a group with `task` in place of `old` (NULL:
 * none). */
int64_t allot__task_more(const allot__books *books, const allot__known *old, const allot_task *task,
                         int32_t group);
/* Sets whether the task's kill or start was sent. */
void allot__task_tell(allot__books *books, allot__task_item *task, bool told);
#endif
