/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * tasks.h: a state's tasks, sessions and sites, as added, and by leaf once it is sealed.
 *
 * Tasks that share a slot (same leaf, host and slot) are one *unit*: the slot is free once all of
 * them have ended, so they go or stay together and count as one. A task with a slot of its own is a
 * unit too. Units of a leaf stand together, in the order of their first tasks; their columns are
 * plain arrays. Indexes are consumers' handles, which are the same in every variant of the plan.
 *
 * A *site* is where tasks run: the plan's hosts, then the state's own, then those that only tasks
 * name. Site h of the plan is host h; another is ~(h - planned) in the public headers.
 */
#ifndef ALLOT_MODEL_STATE_TASKS_H
#define ALLOT_MODEL_STATE_TASKS_H

#include <string.h>

#include <allot/state.h>

#include "base/name.h"
#include "base/memory.h"
#include "model/items/things.h"

/* A task in one of its groups. Labels are numbers of names; -1: none. A task of several groups has
 * a block and number for each, one after another, the first for its own group. */
typedef struct allot__task {
    allot__thing thing;
    int64_t started, submitted;
    int32_t consumer, group, slots, preempted;
    int32_t session, host, slot; /* labels */
    uint32_t priority : 14;
    uint32_t pending : 1;
    uint32_t rest : 1;  /* members without columns here are stated (allot__task_rest) */
    uint32_t part : 16; /* which of its groups this is, from 1 on; 0: its only one */
} allot__task;

/* A name that tasks mention: of a session, a host, a slot. */
typedef struct allot__label {
    const char *text;
    int32_t session; /* the session of that id; -1: none */
    int32_t site;    /* after sealing: the site of that name; -1: no task names it as its host */
    bool is_host;
} allot__label;

typedef struct allot__site {
    const char *name;
    int32_t group;        /* -1: not known */
    int32_t slots;        /* -1: not known */
    int32_t closed;       /* an allot_closed */
    int32_t load;         /* thousandths; -1: not stated */
    int32_t exclusive_to; /* a consumer, or ALLOT_ROOT */
    int64_t busy;         /* slots that run there: of tasks, or of jobs */
    int64_t taken;        /* ... of jobs, with those given for growth */
    int32_t running;      /* jobs that run there, */
    int32_t alone;        /* ... and of these the exclusive ones */
    int32_t important;    /* the most important session with tasks there; -1: none */
} allot__site;

/* The units of a group. All NULL if nothing runs. */
typedef struct allot__units {
    int32_t count;        /* with gaps that leaves left behind as their tasks changed */
    int32_t room;         /* units that columns have space for */
    int32_t *first, *end; /* by consumer: its units first[c] ... end[c] - 1 */
    int32_t *limit; /* ... and up to where more may follow; NULL: no leaf's tasks changed, `end` is
                       first + 1 */
    int64_t *held;  /* ... and their slots */
    int32_t *begin; /* by unit, one more: its tasks begin[u] ...; NULL: unit u is tasks[u] alone */
    int32_t *tasks; /* numbers of tasks, unit by unit; those of one by id */
    int32_t task_count;
    int64_t *started;     /* of several tasks the latest */
    int32_t *slots;       /* of several the most */
    int32_t *session;     /* of several: the most important, then the first; -1: none */
    int32_t *site;        /* -1: none */
    int32_t **attributes; /* by task attribute of the plan: of several the largest; tags 1 or 0 */
    void *block;          /* behind the columns */
    size_t bytes;
    int32_t session_count, session_room;
    int32_t *session_first; /* by consumer, one more: its sessions sessions[...], as added */
    int32_t *sessions;
} allot__units;

/* A task that began, started or stopped (`number`), or that ended (-1), since tasks were arranged.
 */
typedef struct allot__task_change {
    int32_t group, consumer, number;
} allot__task_change;

/* Waiting tasks of a group's leaves, of each in the order in which they start (C-13): highest
 * priority, first submitted, least id. All NULL if none waits. */
typedef struct allot__waiting {
    int32_t count, room;  /* as those of units */
    int32_t *first, *end; /* by consumer: tasks[first[c]] ... tasks[end[c] - 1] */
    int32_t *limit;       /* as that of units */
    int32_t *tasks;       /* numbers of tasks, */
    int32_t *slots;       /* ... and their slots */
} allot__waiting;

typedef struct allot__tasks {
    allot__things things; /* of allot__task */
    size_t pending;       /* ... those that wait */
    size_t coupled;       /* ... those with slots of several groups */
    size_t spent;         /* tasks ended since labels were trimmed: some labels may be unused */
    allot__pool pool;     /* of labels' texts */
    allot__vector labels; /* of allot__label */
    allot__index label_index;
    allot__vector sessions; /* of allot_session, once sealed */
    /* After sealing. */
    bool arranged;           /* ... all tasks but those that changed since */
    bool unlisted;           /* ... a task is of a session that the state does not list */
    allot__vector changed;   /* of allot__task_change */
    allot__vector flights;   /* of int32_t, by task: the reclaim in flight that names it, from 1 on;
                                0:   none, as of tasks behind the last */
    allot__units *units;     /* by group */
    allot__waiting *waiting; /* by group; NULL: no task waits */
    allot__site *sites;
    int32_t site_count, site_room;
    int64_t *session_held; /* by session: slots of its units; NULL without sessions */
    size_t session_room;
} allot__tasks;

enum { ALLOT__NO_LABEL = -2 };
/* The label of a name, added if new; -1: text is NULL; NO_LABEL: out of memory. */
int32_t allot__label_of(allot_state *state, const char *text);
static inline allot__label *allot__label_at(const allot__tasks *tasks, int32_t label)
{
    return label < 0 ? NULL : (allot__label *)tasks->labels.items + label;
}

/* The task of that id, or -1. */
int32_t allot__task_find(const allot_state *state, const char *id);
static inline const allot__task *allot__task_at(const allot__tasks *tasks, int32_t number)
{
    return ((const allot__task *const *)tasks->things.list.items)[number];
}
static inline size_t allot__task_count(const allot__tasks *tasks)
{
    return tasks->things.list.count;
}
/* The members without columns; NULL: none is stated. They stand behind the id, in the first block
 * of a task of several groups. */
static inline const allot_task *allot__task_rest(const allot__task *task)
{
    size_t length = task->rest ? strlen(task->thing.id) + 1 : 0;
    return task->rest ? (const void *)(task->thing.id + ((length + 7) & ~(size_t)7)) : NULL;
}
/* The reclaim in flight that names a task, from 1 on; 0: none. */
static inline int32_t allot__task_flight(const allot__tasks *tasks, int32_t number)
{
    return (size_t)number < tasks->flights.count ? ((int32_t *)tasks->flights.items)[number] : 0;
}
/* A task's number in another group, or -1; and the first of its numbers. */
int32_t allot__task_in(const allot__tasks *tasks, int32_t number, int32_t group);
int32_t allot__task_first(const allot__tasks *tasks, int32_t number);
/* Does a reclaim in flight name a task, in any of its groups? */
bool allot__task_named(const allot__tasks *tasks, int32_t number);
/* Where a task stands among those that were added. */
int32_t allot__task_place(const allot__tasks *tasks, int32_t number);
/* The session of a task, of the same leaf; -1: none that the state lists. */
int32_t allot__task_session(const allot__tasks *tasks, const allot__task *task);

enum { ALLOT__ID_MAX = 255, ALLOT__COPY_DIGITS = 10 };
/* Adds a checked task at the end (ENOMEM), or `count` copies of one (also EEXIST); removes one. */
int allot__task_put(allot_state *state, const allot_task *task);
int allot__task_put_copies(allot_state *state, const allot_task *task, int32_t count);
void allot__task_take(allot_state *state, const allot__thing *thing);
/* Does a task of that id exist and run? */
bool allot__task_running(const allot_state *state, const char *id);
/* Lets the task of that number, which waits, run from `started` on, on the host of that label. */
void allot__task_start(allot_state *state, int32_t number, int64_t started, int32_t host);
/* Ends a running task; or (`waits`) lets it wait again, as if it had never run. */
void allot__task_stop(allot_state *state, const char *id, bool waits);
void allot__tasks_clear(allot_state *state);
/* May labels that only ended tasks and jobs had be as many as the others? Drops them; ENOMEM: all
 * stay. */
bool allot__labels_spent(const allot_state *state);
int allot__labels_trim(allot_state *state);
/* Numbers sessions. ENOMEM. */
int allot__sessions_fill(allot_state *state);
/* The same of one that was added to arranged tasks, none of which is known to be of it. False: all
 * must be numbered and arranged anew. */
bool allot__sessions_add(allot_state *state);

/* Makes sites, units and other data by leaf, unless no task changed since. ENOMEM. */
int allot__tasks_arrange(allot_state *state);
/* Arranges only leaves whose tasks changed since. False: all must be arranged anew. */
bool allot__tasks_arrange_changed(allot_state *state);
/* Checks what was arranged: sessions' schedulings, tasks' sessions. EINVALID. */
int allot__tasks_check(allot_state *state, allot_report *report);
/* claimant.c: checks that neither hosts nor several groups choose victims that policies choose by
 * claimant (C-16). EINVALID. */
int allot__claimants_check(const allot_state *state, allot_report *report);
/* Frees what was arranged; and everything. */
void allot__tasks_release(allot_state *state);
void allot__tasks_free(allot_state *state);

/* Has a leaf a unit with several slots, or with a task of several groups? */
bool allot__units_wide(const allot_state *state, int32_t group, int32_t consumer);

/* A leaf's waiting tasks in a group, *count of them; NULL: none. */
static inline const int32_t *allot__waiting_of(const allot__tasks *tasks, int32_t group,
                                               int32_t consumer, int32_t *count)
{
    const allot__waiting *waiting = tasks->waiting ? &tasks->waiting[group] : NULL;
    *count = waiting && waiting->first ? waiting->end[consumer] - waiting->first[consumer] : 0;
    return *count > 0 ? waiting->tasks + waiting->first[consumer] : NULL;
}
/* Likewise the slots of these tasks. */
static inline const int32_t *allot__waiting_slots(const allot__tasks *tasks, int32_t group,
                                                  int32_t consumer)
{
    const allot__waiting *waiting = &tasks->waiting[group];
    return waiting->slots + waiting->first[consumer];
}
/* Does waiting task a start before b? */
bool allot__task_starts_before(const allot__tasks *tasks, int32_t a, int32_t b);
/* Step one of arranging: makes the sites. ENOMEM. */
int allot__sites_make(allot_state *state);

/* Finds the site of a label that names a host of plan or state; false: there is none. */
bool allot__label_is_host(const allot_state *state, allot__label *label);

/* Slots in use on a group's draining hosts, at most those that each has. */
int64_t allot__draining(const allot_state *state, int32_t group);

/* Makes and fills the columns of units whose tasks are known. ENOMEM. */
int allot__units_fill(allot_state *state, allot__units *units);
/* Takes tasks that no longer run off a leaf's units, each of which is one task, and adds those of
 * changes, by number; likewise tasks that wait. False: there is no room. */
bool allot__units_change(const allot_state *state, allot__units *units, int32_t consumer,
                         const allot__task_change *changes, size_t count);
bool allot__waiting_change(const allot_state *state, int32_t group, int32_t consumer,
                           const allot__task_change *changes, size_t count);
static inline int32_t allot__units_first(const allot__units *units, int32_t consumer)
{
    return units->first ? units->first[consumer] : 0;
}
static inline int32_t allot__units_end(const allot__units *units, int32_t consumer)
{
    return units->first ? units->end[consumer] : 0;
}
/* The slots of a leaf's units. */
static inline int64_t allot__units_held(const allot__units *units, int32_t consumer)
{
    return units->first ? units->held[consumer] : 0;
}

/* Sorts `n` things by leaf (-1: left out), stably: `first` has leaves + 1 zeroed entries, `order`
 * room for all. */
void allot__by_leaf(const int32_t *leaf, size_t n, size_t leaves, int32_t *first, int32_t *order);

/* The value of an attribute of a task or job: stated by its tags and values, or the default. */
int32_t allot__attribute_of(const allot_plan *plan, const char *const *tags, int32_t tag_count,
                            const allot_task_value *values, int32_t value_count, int32_t attribute);

/* The tasks of a unit, *count of them. */
static inline const int32_t *allot__unit_tasks(const allot__units *units, int32_t unit,
                                               int32_t *count)
{
    int32_t begin = units->begin ? units->begin[unit] : unit;
    *count = units->begin ? units->begin[unit + 1] - begin : 1;
    return units->tasks + begin;
}

#endif
