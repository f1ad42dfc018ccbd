/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * tasks.h: a state's tasks, sessions and sites, as they were added and, once it is sealed, by leaf.
 *
 * Tasks that share a slot (same leaf, host and slot) are one *unit*: the slot is free when all of
 * them are gone, so they go or stay together, and it counts once. A task with a slot of its own is
 * a unit too. Units of a leaf stand together, in the order of their first tasks; their columns are
 * plain arrays. Everything is by consumers' handles, so that it fits every variant of the plan.
 *
 * A *site* is where tasks run: the plan's hosts, then the state's own, then those that tasks alone
 * name. Site h of the plan is host h; another is ~(h - planned) in the public headers.
 */
#ifndef ALLOT_MODEL_STATE_TASKS_H
#define ALLOT_MODEL_STATE_TASKS_H

#include <allot/state.h>

#include "base/name.h"
#include "base/pool.h"
#include "model/items/things.h"

/* What few tasks have, in their block. */
typedef struct allot__task_more {
    const char *const *tags;
    const allot_task_value *values;
    const allot_task_slots *also;
    int32_t tag_count, value_count, also_count;
} allot__task_more;

/* A task in one of its groups. Labels are numbers of names; -1: none. A task of several groups has
 * a block and number for each, one after another, the first for its own group. */
typedef struct allot__task {
    allot__thing thing;
    const allot__task_more *more; /* NULL: none */
    int64_t started, submitted;
    int32_t consumer, group, slots, preempted;
    int32_t session, host, slot; /* labels */
    int16_t priority;
    uint16_t pending : 1;
    uint16_t part : 15; /* which of its groups this is, from 1 on; 0: it has one alone */
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
    int32_t load;         /* thousandths; -1: not told */
    int32_t exclusive_to; /* a consumer, or ALLOT_ROOT */
    int64_t busy;         /* slots that run there: of tasks, or of jobs */
    int32_t important;    /* of all that has tasks there the most important session; -1: nobody */
} allot__site;

/* What runs in a group. All NULL where nothing does. */
typedef struct allot__units {
    int32_t count;
    int32_t *first; /* by consumer, one more than there are: its units first[c] ... first[c + 1] */
    int32_t *begin; /* by unit, one more: its tasks begin[u] ...; NULL: unit u is tasks[u] alone */
    int32_t *tasks; /* numbers of tasks, unit by unit; those of one by id */
    int32_t task_count;
    int64_t *started, *submitted; /* of several tasks the last */
    int32_t *slots;               /* of several the most */
    int32_t *preempted;           /* of several the most */
    int32_t *session;             /* of several the most important, then the first; -1: none */
    int32_t *site;                /* -1: none */
    int32_t **attributes; /* by the plan's task attributes: of several the largest; tags 1 or 0 */
    void *block;          /* behind the columns */
    size_t bytes;
    int32_t session_count;
    int32_t *session_first; /* by consumer, one more: its sessions sessions[...], as added */
    int32_t *sessions;
} allot__units;

/* Tasks of a group's leaves that wait, of each as they start (C-13): the highest priority, the
 * first submitted, the least id. All NULL where none waits. */
typedef struct allot__waiting {
    int32_t count;
    int32_t *first; /* by consumer, one more than there are: tasks[first[c]] ... */
    int32_t *tasks; /* numbers of tasks */
} allot__waiting;

typedef struct allot__tasks {
    allot__things things; /* of allot__task */
    size_t pending;       /* ... that wait */
    size_t coupled;       /* ... that have slots of several groups */
    size_t spent;         /* that ended since labels were made: some may be theirs alone */
    allot__pool pool;     /* of labels' texts */
    allot__vector labels; /* of allot__label */
    allot__index label_index;
    allot__vector sessions; /* of allot_session, once sealed */
    /* After sealing. */
    bool arranged;
    allot__units *units;     /* by group */
    allot__waiting *waiting; /* by group; NULL: no task waits */
    allot__site *sites;
    int32_t site_count, site_room;
    int64_t *session_held; /* by session: slots of its units; NULL without sessions */
    size_t session_room;
} allot__tasks;

enum { ALLOT__NO_LABEL = -2 };
/* The label of a name, made where it is new; -1: text is NULL; NO_LABEL: out of memory. */
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
/* A task's number in another group, or -1; and the first of its numbers. */
int32_t allot__task_in(const allot__tasks *tasks, int32_t number, int32_t group);
int32_t allot__task_first(const allot__tasks *tasks, int32_t number);
/* Where a task stands among those that were added. */
int32_t allot__task_place(const allot__tasks *tasks, int32_t number);
/* The session that a task is of: of its own leaf; -1: none that the state knows. */
int32_t allot__task_session(const allot__tasks *tasks, const allot__task *task);

/* Puts in a task that is sound, behind the others. ENOMEM. Takes one out. */
int allot__task_put(allot_state *state, const allot_task *task);
void allot__task_take(allot_state *state, const allot__thing *thing);
/* Is there a task of that id, and does it run? */
bool allot__task_running(const allot_state *state, const char *id);
/* Lets the task of that number, which waits, run from `started` on, on the host of that label. */
void allot__task_start(allot_state *state, int32_t number, int64_t started, int32_t host);
/* Ends a task that runs; or it waits again, as if it had never run. */
void allot__task_stop(allot_state *state, const char *id, bool waits);
void allot__tasks_clear(allot_state *state);
/* Lets go of names that nothing mentions any more, once they may be many. ENOMEM: all stay. */
int allot__labels_trim(allot_state *state);
/* Numbers sessions. ENOMEM. */
int allot__sessions_fill(allot_state *state);

/* Makes sites, units and what else is by leaf; when nothing was added since, nothing. ENOMEM. */
int allot__tasks_arrange(allot_state *state);
/* Checks what was arranged: sessions' schedulings, tasks' sessions. EINVALID. */
int allot__tasks_check(const allot_state *state, allot_report *report);
/* Ends what was arranged; and everything. */
void allot__tasks_release(allot_state *state);
void allot__tasks_free(allot_state *state);

/* Of a leaf's units: does one have several slots, or a task of several groups? */
bool allot__units_wide(const allot_state *state, int32_t group, int32_t consumer);

/* A leaf's tasks that wait in a group, and how many; NULL: none. */
static inline const int32_t *allot__waiting_of(const allot__tasks *tasks, int32_t group,
                                               int32_t consumer, int32_t *count)
{
    const allot__waiting *waiting = tasks->waiting ? &tasks->waiting[group] : NULL;
    *count =
        waiting && waiting->first ? waiting->first[consumer + 1] - waiting->first[consumer] : 0;
    return *count > 0 ? waiting->tasks + waiting->first[consumer] : NULL;
}
/* Of two tasks that wait: which starts first? */
bool allot__task_starts_before(const allot__tasks *tasks, int32_t a, int32_t b);
/* Makes the sites: step one of arranging. ENOMEM. */
int allot__sites_make(allot_state *state);

/* Slots that run on a group's hosts which drain: none has more in use than it has. */
int64_t allot__draining(const allot_state *state, int32_t group);

/* Makes and fills the columns of units whose tasks are known. ENOMEM. */
int allot__units_fill(allot_state *state, allot__units *units);

/* Sorts `n` things by leaf (-1: left out), stably: `first` has leaves + 1 zeroed entries, `order`
 * room for all. */
void allot__by_leaf(const int32_t *leaf, size_t n, size_t leaves, int32_t *first, int32_t *order);

/* An attribute of a task or job, as its tags and values state it or as it is by default. */
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
