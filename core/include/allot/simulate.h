/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * simulate.h: playing a log through a plan.
 *
 * A simulation plays a trace (trace.h) through a plan: jobs arrive, wait for slots, run, lose them
 * and begin anew, and the plan's cycle decides at every instant at which something happened. Time
 * is the log's: nothing here reads a clock, and the same trace gives the same results, bit by bit.
 *
 * Jobs under a plan that divides slots (hybrid, share_ratio, ownership, a site's own policy)
 *
 *   A job of p processors and r seconds is a session of p tasks of one slot and r seconds each. Its
 *   leaf demands a slot for every task that runs or waits. The slots that a cycle grants start
 *   tasks: in a leaf the job of the highest priority first, then the first submitted. So a job may
 *   run a part at a time; it ends when its last task ends.
 *
 *   The state of a cycle lists single tasks only if some may have to go: tasks of leaves that hold
 *   more than they should, or all tasks if hosts are known. These may be ALLOT_SIMULATION_TASKS at
 *   most, a rigid job counting as one; more are an error that names the widest job.
 *
 *   A *rigid* job is one task of p slots: it starts whole or not at all, and loses all slots at
 *   once. A leaf with rigid jobs gives the cycle all its tasks, also those that wait. The cycle
 *   decides which of these start (C-13): slots that a leaf cannot use make a whole task of another
 *   leaf, and slots that are too few for a leaf's next job are *gathered*: held for the job, idle.
 *   With the plan's option `pending` "strict" no job of a leaf starts before the one in front of it
 *   does; with "skip" jobs that do not fit are passed by.
 *
 *   A reclaim names the tasks that go; of equal tasks those of the last job go first. Tasks run on
 *   for the grace; tasks that do not end by themselves are killed at the deadline, or at once if
 *   there is no grace. The work of a killed task is lost, and the task waits again at its job's
 *   place. Slots are back the moment a task is gone.
 *
 * ... under a plan of queues
 *
 *   A job is a job of a queue: rigid, and dispatched by the cycle. A preempted job is suspended and
 *   resumed where it was, or requeued with its work lost, or killed for good, as its queue states.
 *   Use of pools is carried from cycle to cycle. While rules of time alone (PREEMPT_DELAY, guards)
 *   keep a job waiting, a cycle runs every 60 seconds. So it does while slots are reserved that
 *   should be free by now, since a job runs longer than its run limit; and a cycle runs when the
 *   first reservation is due.
 *
 * Under both, loans, damping and reclaims in flight are carried from cycle to cycle, and a switch
 * of windows is an instant. At one instant the cycle runs again, at most 100 times in all, after a
 * cycle in which reclaimed slots were free at once: of tasks that had no grace; in a queue, after
 * one in which a job was preempted.
 *
 * A trace says nothing of contracts of shared lease with another cluster: EUSAGE.
 *
 * A job is *refused* if it could never run: it is wider than its leaf or queue can ever be. A job
 * is *unfinished* if the simulation is over before the job is: no more jobs arrive, nothing runs,
 * and no switch of windows in the next 15 days starts anything.
 */
#ifndef ALLOT_SIMULATE_H
#define ALLOT_SIMULATE_H

#include <allot/allot.h>
#include <allot/trace.h>

ALLOT_C_BEGIN

typedef struct allot_simulation allot_simulation;

/* The most tasks in the state of a cycle: some 150 MB. */
#define ALLOT_SIMULATION_TASKS 1000000

/* A trace's job as the simulation takes it. A map gets it with the defaults of the record. */
typedef struct allot_mapped {
    const char *consumer; /* the path of a leaf; NULL: see below */
    const char *queue;    /* of a plan with queues instead; NULL: see below */
    const char *group;    /* a resource group; NULL: the first */
    const char *session;  /* jobs of a leaf with the same name share a session, which has priority
                             and time of the job that runs longest; NULL: each job has its own */
    int64_t priority;     /* of a session 1 ... 10000, default 1; of a queue's job any, default 0 */
    int64_t slots, run;   /* -1: unknown */
    int64_t run_limit;    /* s: the run limit of a queue's job, which backfill takes for how long
                             the job runs; it does not end the job. Below 1: its queue's */
    int32_t rigid;        /* nonzero: the job is rigid */
    int32_t left_out;     /* nonzero: the job takes no part in the simulation */
} allot_mapped;

/* Changes the job made of a record; strings must live until the next call. Any status other than
 * ALLOT_OK ends the loading with that status (and the report says why). */
typedef int (*allot_record_map)(void *ud, const allot_trace *trace, const allot_record *record,
                                allot_mapped *out, allot_report *report);

/* Zeroed is the default. */
typedef struct allot_simulation_options {
    int64_t interval;     /* least s between cycles; 0: a cycle at every instant */
    int64_t from, to;     /* jobs submitted from `from` until before `to` take part; 0: no bound */
    int64_t until;        /* the simulation ends then at the latest; 0: no bound */
    int32_t rigid;        /* nonzero: jobs are rigid unless a map says otherwise */
    int32_t always_tasks; /* nonzero: states of cycles list all tasks, whether some must go or not.
                             Slower, with the same results: for tests */
} allot_simulation_options;

/* Makes an empty simulation of a sealed plan, which must outlive it. EUSAGE: the plan has contracts
 * of shared lease, or no slots to divide. ENOMEM. */
ALLOT_API int allot_simulation_new(const allot_plan *plan, const allot_simulation_options *options,
                                   allot_simulation **out);
ALLOT_API void allot_simulation_free(allot_simulation *simulation);

/*
 * Loads a trace's records, once; the trace must outlive the simulation. A job without a consumer
 * from `map` (or `map` NULL) gets the first leaf that exists of: the consumer that the record
 * states, /group/user, /queue/user, /user, the only leaf named like the user, /group, /queue,
 * /partition. A number n of SWF reads as g<n>, u<n>, q<n>, p<n>. In a plan with queues the job gets
 * the queue of the record's queue name, also by the names of an SWF header, else the queue named
 * like its group, else the only queue. A leaf for which a wildcard stands (plan.h) counts as one
 * that exists, but is no "only leaf". ENOENT: nothing is wrong, but jobs are of newcomers, which
 * the report lists: read the plan again with these, and load the trace in a simulation of that.
 * EINVALID (report): no consumer or queue fits a job; or the status of `map`; ENOMEM.
 *
 * Jobs without a run time or processors (cancelled before their start, say) are left out, and
 * counted.
 */
ALLOT_API int allot_simulation_load(allot_simulation *simulation, const allot_trace *trace,
                                    allot_record_map map, void *ud, allot_report *report);

/* ---- Watching -------------------------------------------------------------------------------- */

/* Numbers of a leaf or queue at the end of an instant. Only leaves and queues with a change get a
 * sample, in plan order. */
typedef struct allot_sample {
    int64_t at;
    int32_t group, consumer;
    int64_t demand;    /* slots of all tasks that run or wait */
    int64_t allocated; /* slots held */
    int64_t busy;      /* ... on which tasks run: all except those that a rigid job gathers */
    int64_t reclaimed; /* slots reclaimed from it at this instant */
    int64_t killed;    /* slots that it lost at this instant, with the work done on them */
} allot_sample;

/* The caller's functions; each may be NULL. */
typedef struct allot_watcher {
    void *ud;
    void (*sample)(void *ud, const allot_sample *sample);
    /* A group has `slots` from `at` on; called for each group at the first instant, and when its
     * size changes, before the samples of the instant. */
    void (*size)(void *ud, int64_t at, int32_t group, int64_t slots);
    /* Called every few instants: records played and their total, jobs ended so far, and the time
     * in the log. Nonzero ends the run there, as `until` does. */
    int (*progress)(void *ud, int32_t played, int32_t records, int32_t ended, int64_t now);
    /* Gets each cycle's decision before it is carried out; decision and state may be read during
     * the call. The state lists only tasks that may have to go, unless `always_tasks` is set. Any
     * status other than ALLOT_OK ends the run with that status. */
    int (*decided)(void *ud, const allot_decision *decision, allot_report *report);
} allot_watcher;
ALLOT_API void allot_simulation_watch(allot_simulation *simulation, const allot_watcher *watcher);

/* Plays the whole trace, once. ESCRIPT, EBUDGET (report): a policy failed; EINVALID (report): a
 * cycle needs too many tasks; ENOMEM. After a failure there are no results. */
ALLOT_API int allot_simulation_run(allot_simulation *simulation, allot_report *report);

/* ---- Results --------------------------------------------------------------------------------- */

/* How a figure is spread over jobs. Of n sorted values the p-th percentile is the value at place
 * ceil(n * p / 100), counted from 1, so always one of the values. All 0 if there are no jobs. */
typedef struct allot_spread {
    double mean, p50, p95, p99, most;
} allot_spread;

/*
 * The figures of the whole simulation, or of a consumer with all consumers below it.
 *
 * Slot-seconds (a sum that does not fit in 64 bits is INT64_MAX): tasks ran on `busy` = `useful` +
 * `lost` + `open`. `lost` is the work of tasks that were killed, and `open` the work of tasks that
 * run when the simulation ends. `gathered` are held idle for rigid jobs. `offered` is the sum over
 * time of the resource groups' sizes, from the first to the last instant (for a consumer: the same
 * number).
 *
 * Utilisation is busy / offered, and goodput useful / offered, of the exact sums. Both may be above
 * 1: grace, or a group that shrinks, lets more tasks run than there are slots for a while.
 *
 * For a job submitted at time s that ended at e and ran r seconds, the wait is e - s - r, the time
 * beside its run time (waiting, suspended, work lost); its bounded slowdown is
 * max(1, (e - s) / max(r, 10)).
 *
 * Fairness is Jain's index (sum x)^2 / (n sum x^2), 1/n ... 1. Of a leaf or queue: over its jobs
 * that ended, where x is a job's speed 1 / slowdown. Of a parent, and overall: over the leaves
 * below with jobs that ended, where x is the mean speed of these jobs. 1 if no job ended.
 */
typedef struct allot_figures {
    int64_t jobs; /* jobs that arrived: ended + killed + refused + unfinished */
    int64_t ended, killed, refused, unfinished;
    int64_t busy, useful, lost, open, gathered, offered;
    double utilisation, goodput, fairness;
    allot_spread wait, slowdown;
    /* Slots taken from running tasks (a suspended or requeued job counts its slots), and the number
     * of jobs that lost some at least once. */
    int64_t preemptions, preempted_jobs;
    int64_t reclaims;  /* orders to give slots back */
    int64_t reclaimed; /* ... and the slots in them */
} allot_figures;

/* consumer ALLOT_ROOT: the whole simulation. EUSAGE: it has not run, or no such consumer. ENOMEM.
 */
ALLOT_API int allot_simulation_figures(const allot_simulation *simulation, int32_t consumer,
                                       allot_figures *out);

/*
 * Counts of the run. An event happens to one job or group: a job arrives; some of its tasks start,
 * end, or are killed, at one instant; a job is suspended or resumed; a reclaim is ordered; demand,
 * a size, a host or the windows change.
 */
typedef struct allot_simulation_counts {
    int64_t events, arrivals, starts, ends, kills, suspends, resumes, reclaims, changes;
    int64_t instants, cycles;
    int64_t with_tasks;  /* cycles whose states listed tasks */
    int64_t unsettled;   /* instants at which 100 cycles still decided something */
    int64_t left_out;    /* jobs without run time or processors, or left out by the map */
    int64_t outside;     /* jobs before `from`, or from `to` on */
    int64_t first, last; /* the first and the last instant */
    int32_t stopped;     /* nonzero: `until` or the watcher ended it */
} allot_simulation_counts;
ALLOT_API void allot_simulation_counted(const allot_simulation *simulation,
                                        allot_simulation_counts *out);

/* How a job fared. */
typedef enum allot_job_fate {
    ALLOT_FATE_ENDED = 0,
    ALLOT_FATE_KILLED,
    ALLOT_FATE_REFUSED,
    ALLOT_FATE_UNFINISHED
} allot_job_fate;
typedef struct allot_job_result {
    int32_t record; /* allot_trace_record */
    int32_t group, consumer;
    allot_job_fate fate;
    int64_t slots, run, submitted;
    int64_t wait;        /* of a job that ended, as above; else -1 */
    int64_t preemptions; /* slots that the job lost */
    const char *why;     /* of a job refused or unfinished; else NULL. Static */
} allot_job_result;
/* Jobs in the order of the trace. EUSAGE: no such. */
ALLOT_API int32_t allot_simulation_jobs(const allot_simulation *simulation);
ALLOT_API int allot_simulation_job(const allot_simulation *simulation, int32_t i,
                                   allot_job_result *out);

ALLOT_C_END

#endif
