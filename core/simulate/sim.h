/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * sim.h: a simulation from the inside.
 *
 * An *account* is a leaf (or queue) in a resource group. Tasks of a job that began at the same
 * instant are a *segment*: `count` tasks of one slot, or all slots of a rigid job. Tasks that a
 * reclaim takes are segments of their own. Waiting jobs of an account are sorted by priority and
 * submission; segments that end are a heap by time.
 *
 * There is one state. Decisions are carried out in it by allot_state_apply, so it has reclaims in
 * flight, loans, times, and what accounts demand and hold; only what happens to jobs is set. The
 * simulation knows when tasks end.
 *
 * An account is *whole* if one of its jobs is rigid. The state lists all its tasks, also waiting
 * ones, so that the engine decides which start (C-13). They stay in the state from cycle to cycle;
 * only a changed account's tasks are listed anew. Of other accounts the state has sums, and tasks
 * only if some may have to go.
 */
#ifndef ALLOT_SIMULATE_SIM_H
#define ALLOT_SIMULATE_SIM_H

#include <allot/simulate.h>

#include "base/wide.h"
#include "simulate/log/trace.h"

#define ALLOT__NEVER INT64_MAX

typedef enum allot__why_not {
    ALLOT__WHY_NOTHING = 0,
    ALLOT__WHY_TOO_WIDE,
    ALLOT__WHY_NO_SLOTS,
    ALLOT__WHY_OVER,
    ALLOT__WHY_PENDING /* + an allot_pending */
} allot__why_not;

enum { ALLOT__FATE_OPEN = 255 }; /* it waits or runs */

typedef struct allot__sim_job {
    int64_t submit, wait;
    int64_t preempted; /* slots lost so far */
    int32_t record, account;
    int32_t slots, run, run_limit;
    int32_t segment;           /* the segment that began last */
    int32_t priority, session; /* session: among the names; -1: its own */
    int32_t pending, left;     /* tasks that wait; that have not ended */
    int32_t times;             /* how often it lost slots */
    uint8_t fate, why, rigid;
    uint8_t standing; /* demand of an event log: it has no end */
    uint8_t queued;   /* among those of its account that wait */
    uint8_t looked;   /* of a queue: a cycle has seen it pending */
} allot__sim_job;

typedef struct allot__segment {
    int64_t start, end;
    int32_t job, count;
    int32_t flight;     /* the serial number of the reclaim that takes it; -1: none */
    int32_t place;      /* in the heap of ends; -1: it has no end, or is free */
    int32_t prev, next; /* of its account; of free ones next; -1: none */
    int32_t host;       /* of the plan, or ~i of the state's own; INT32_MIN: unknown */
    int32_t taken;      /* while a reclaim is read: tasks of it that go */
} allot__segment;

typedef struct allot__account {
    int32_t group, consumer;
    int32_t first, last;    /* segments */
    int32_t standing;       /* the job that stands for demand; -1: none */
    bool leaf, dirty, over; /* over: the state lists its tasks */
    bool whole;             /* one of its jobs is rigid */
    bool stale;             /* it changed since a state listed its tasks */
    bool cut;               /* the state lists only `depth` of its waiting tasks */
    int32_t depth;
    int64_t pending, running, gathered; /* slots */
    int64_t most;              /* its quota if no other leaf wants any; -1: not computed yet */
    int64_t reclaimed, killed; /* at this instant */
    int64_t shown[3];          /* of the last sample: demand, allocated, busy */
    allot__vector waiting;     /* of int32_t: waiting jobs, behind `gone` others */
    size_t gone;
    allot__vector told; /* of allot__told: its tasks in the state */
    /* Sums. */
    int64_t busy_since, preemptions, reclaims, reclaimed_sum;
    allot__u128 gathered_sum, useful, lost; /* slot-seconds: exact, however long a log is */
} allot__account;

/* Equal tasks in the state: of a job that runs as a segment, or waits (-1). */
typedef struct allot__told {
    int32_t job, segment, count;
} allot__told;

/* What becomes of a decision's reclaim: its tasks have so many slots. */
typedef struct allot__taken {
    int32_t serial;
    int64_t slots;
} allot__taken;

/* A change of an event log. */
typedef struct allot__change {
    int64_t at, slots;
    int32_t record, account; /* of demand; of slots: the group */
    uint8_t kind, closed;
} allot__change;

struct allot_simulation {
    allot_engine *engine;
    const allot_plan *plan;
    const allot_trace *trace;
    allot_state *state, *alone; /* alone: of one leaf's demand */
    allot_simulation_options options;
    allot_watcher watcher;
    allot_simulation_counts counts;
    bool queues, hosted, varies; /* hosts are known; sizes or windows may change */
    bool damped;                 /* decisions depend on since when leaves wait */
    bool whole;                  /* some job is rigid */
    bool loaded, ran;
    int64_t now, last_cycle, wake; /* wake: a cycle is due then */
    int64_t next_switch, progress; /* of windows; time of the last arrival, start or end */
    bool cycled, due;              /* there was a cycle; one is wanted */
    int32_t groups, consumers;
    allot__account *accounts;
    int64_t *sizes;        /* by group: slots now */
    allot__u128 *offered;  /* likewise: slot-seconds */
    int64_t *sizes_shown;  /* as reported to the watcher; -1: not yet */
    allot__vector jobs;    /* of allot__sim_job */
    allot__vector changes; /* of allot__change */
    allot__strings sessions;
    size_t next_job, next_change, arrived;
    int32_t ended, over;    /* jobs that ended; that are over: killed and refused ones too */
    allot__vector segments; /* of allot__segment */
    int32_t free_segment;
    allot__vector ends;   /* of int32_t: a heap of segments */
    allot__vector dirty;  /* of int32_t: accounts */
    int32_t serial;       /* of the next reclaim */
    allot__vector taken;  /* of allot__taken: of each reclaim of a decision */
    allot__vector claims; /* of allot_claim: scratch */
    allot__vector ids;    /* of char[ALLOT__ID]: scratch */
    size_t told, added;   /* tasks in the state; tasks added since it was empty */
    allot__vector hosts;  /* of const char *: hosts that the plan lacks */
    bool preempts;
};

static inline allot__sim_job *allot__job_of(const allot_simulation *sim, int32_t i)
{
    return (allot__sim_job *)sim->jobs.items + i;
}
static inline allot__segment *allot__segment_of(const allot_simulation *sim, int32_t i)
{
    return (allot__segment *)sim->segments.items + i;
}
static inline allot__account *allot__account_of(const allot_simulation *sim,
                                                const allot__segment *segment)
{
    return &sim->accounts[allot__job_of(sim, segment->job)->account];
}

static inline allot__u128 allot__area(int64_t slots, int64_t seconds)
{
    return (allot__u128)slots * (allot__u128)seconds;
}
/* What does not fit is INT64_MAX. */
static inline int64_t allot__whole(allot__u128 area)
{
    return area > INT64_MAX ? INT64_MAX : (int64_t)area;
}

/* A number that is not negative, in an id of the state: six digits to the base 64, which are in the
 * order of bytes. Writing returns their end. */
enum { ALLOT__DIGITS = 6, ALLOT__ID = 32 };
static inline char *allot__put_number(char *at, int32_t number)
{
    for (int i = ALLOT__DIGITS; i > 0; i--, number /= 64)
        at[i - 1] = (char)('0' + number % 64);
    return at + ALLOT__DIGITS;
}
static inline int32_t allot__get_number(const char *at)
{
    int32_t number = 0;
    for (int i = 0; i < ALLOT__DIGITS; i++)
        number = number * 64 + (at[i] - '0');
    return number;
}

/* ---- load.c ---------------------------------------------------------------------------------- */

/* "g7" of number 7 and "g", or the text itself; "": no name. Cut to `size`. */
void allot__record_text(const allot_record_name *name, char prefix, char *buf, size_t size);

/* ---- run.c ----------------------------------------------------------------------------------- */

/* Adds a job to the waiting jobs. ENOMEM. */
int allot__wait_put(allot_simulation *sim, allot__account *account, int32_t job);
static inline size_t allot__waits(const allot__account *account)
{
    return account->waiting.count - account->gone;
}
/* The i-th of them, or -1. */
int32_t allot__wait_at(const allot__account *account, size_t i);
/* Something of the account changed. ENOMEM. */
int allot__touch(allot_simulation *sim, allot__account *account);

/* Starts `count` waiting tasks of a job; `end` ALLOT__NEVER: without an end. ENOMEM ends the
 * simulation. */
int allot__segment_start(allot_simulation *sim, int32_t job, int32_t count, int64_t end,
                         int32_t host);
/* Splits `count` tasks off for a reclaim; the number of their segment, or -1 when out of memory. */
int32_t allot__segment_split(allot_simulation *sim, int32_t segment, int32_t count, int32_t flight);
/* Stops `count` of a segment's tasks now: ended (their time is useful), or not (it is lost). The
 * caller decides what becomes of the tasks. */
void allot__segment_stop(allot_simulation *sim, int32_t segment, int32_t count, bool ended);
/* The segment that ends first, or -1. */
int32_t allot__segment_next(const allot_simulation *sim);

/* ---- happen.c: what happens at an instant ---------------------------------------------------- */

/* The next change; the next job that arrives (standing demand comes by changes). NULL: none. */
const allot__change *allot__next_change(const allot_simulation *sim);
const allot__sim_job *allot__next_job(allot_simulation *sim);
/* Carries out everything that is due now. ENOMEM; ESCRIPT, EBUDGET (report). */
int allot__happen(allot_simulation *sim, allot_report *report);

/* ---- flight.c: reclaims in flight ------------------------------------------------------------ */

/* The state's i-th reclaim, and its serial number; false: it has ended or returned. */
bool allot__flight_at(const allot_simulation *sim, int32_t i, allot_in_flight *out,
                      int32_t *serial);
/* Adds a reclaim of `slots` with the leaf, deadline and claims of another, first to last as far as
 * the slots suffice; or (`returned`) slots that are free now. ENOMEM. */
int allot__flight_add(allot_simulation *sim, const allot_in_flight *like, int64_t slots,
                      bool returned, int32_t serial);
/* Slots of a reclaim are free now. ENOMEM. */
int allot__flight_back(allot_simulation *sim, int32_t serial, int64_t slots);
/* The first deadline, or ALLOT__NEVER. */
int64_t allot__flight_deadline(const allot_simulation *sim);

/* ---- state.c: the state of a cycle ----------------------------------------------------------- */

/* Accounts whose tasks a state lists: those that are whole, and in addition */
typedef enum allot__task_detail {
    ALLOT__TASKS_NONE,
    ALLOT__TASKS_OF_OVER,
    ALLOT__TASKS_ALL
} allot__task_detail;

/* Fills and seals the open state, and takes sizes from it. ENOMEM, EINVALID (reported). */
int allot__cycle_state(allot_simulation *sim, allot__task_detail tasks, allot_report *report);
/* Does the last state list what an account has now? */
bool allot__is_known(const allot_simulation *sim, const allot__account *account);
/* The job and segment of a task of the state. */
allot__told allot__told_at(const allot_simulation *sim, int32_t task);

/* ---- state.c, run.c, divide.c, dispatch.c: cycles --------------------------------- */

/* Seals the state. ENOMEM, EINVALID (reported). */
int allot__seal(allot_simulation *sim, allot_report *report);
/* Runs a cycle over the sealed state; a failed cycle runs once more, for the diagnostics. */
int allot__decide(allot_simulation *sim, allot_report *report, allot_decision **out);
/* Passes a decision to the watcher; returns the watcher's status. */
int allot__decided(allot_simulation *sim, const allot_decision *decision, allot_report *report);

/* Starts the first waiting tasks of an account, one on each granted slot. ENOMEM. */
int allot__start(allot_simulation *sim, allot__account *account, int64_t slots, int32_t host);
/* Starts a rigid job that waits, or one task of another. ENOMEM. */
int allot__start_whole(allot_simulation *sim, int32_t job, int32_t host);
/* Sets how many slots the account holds idle from now on. */
void allot__gather(allot_simulation *sim, allot__account *account, int64_t slots);
/* `count` tasks of a segment stop, their work is lost, and they wait again. ENOMEM. */
int allot__kill(allot_simulation *sim, int32_t segment, int32_t count);
/* A segment has come to its end. ENOMEM. */
int allot__segment_end(allot_simulation *sim, int32_t segment);
/* A leaf's standing demand is so many slots now. ENOMEM. */
int allot__level(allot_simulation *sim, int32_t account, int64_t slots);

/* Runs a cycle and carries it out; *again: another cycle is due now. Statuses of allot_cycle. */
int allot__divide(allot_simulation *sim, allot_report *report, bool *again);
int allot__dispatch_jobs(allot_simulation *sim, allot_report *report, bool *again);
/* Adds a job of a queue; ends a running one. ENOMEM. */
int allot__queue_job_come(allot_simulation *sim, int32_t number);
int allot__queue_job_end(allot_simulation *sim, int32_t number);

#endif
