/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * simulate.h: what a plan would have made of a log.
 *
 * A simulation plays a trace (trace.h) through a plan: jobs arrive, wait for slots, run, lose them
 * and begin anew, and at every instant at which something happened the plan's cycle decides. Time
 * is the log's: nothing here reads a clock, and the same trace gives the same results, bit by bit.
 *
 * What a job is, under a plan that divides slots (hybrid, share_ratio, ownership, a site's own)
 *
 *   A job of p processors and r seconds is a session of p tasks of one slot and r seconds each. Its
 *   leaf demands a slot for every task that runs or waits, and the slots that a cycle grants start
 *   tasks: of a leaf the job of the highest priority first, then the first submitted. So a job may
 *   run a part at a time; it ends when its last task does.
 *
 *   Tasks are told to a cycle one by one, and only where some may have to go: of leaves that hold
 *   more than they should, or of all where hosts are known. There may be ALLOT_SIMULATION_TASKS of
 *   them then, a rigid job being one; else it is an error that names the widest job.
 *
 *   A *rigid* job starts whole or not at all, as p slots at once, and loses all of them at once.
 *   Of its leaf nobody behind it starts before it does. It asks for slots only while the quota of
 *   its leaf would hold it beside what runs there: else they would idle. Where the quotas of
 *   several leaves hold their first rigid job each, but not together, those go on asking who asked
 *   before; of the others the one submitted first asks, then the next that still fits, and so on.
 *   At an instant's first cycle, that is: a job that has to go leaves more than was wanted of it,
 *   and in the cycles that follow at once others begin to ask only where the quotas go on holding
 *   all that runs. So nobody takes from each other in turn.
 * Slots that come piece by piece are gathered: held, but idle, until the job fits; if its quota
 * shrinks before, they are given back. So wide jobs wait for their share, not for luck, and nobody
 * waits for each other in a circle.
 *
 *   A reclaim names the tasks that go, of those that are alike the last job's first. They run on
 *   for the grace; those that do not end by themselves are killed at the deadline, at once where
 *   there is no grace. What a task has run is lost then, and it waits again at its job's place.
 *   Slots are back the moment a task is gone.
 *
 * ... under a plan of queues
 *
 *   A job is a job of a queue: rigid, and dispatched by the cycle. One that is preempted is
 *   suspended and resumed where it was, or requeued with its work lost, or killed for good, as its
 *   queue says. Use of pools is written back from cycle to cycle. While rules that go by time alone
 *   (PREEMPT_DELAY, guards) keep a job waiting, a cycle comes every 60 seconds.
 *
 * Both: loans, damping and reclaims in flight are told from cycle to cycle, and a switch of windows
 * is an instant. At one instant the cycle comes again, at most 100 times in all, after one in which
 *
 *   - reclaimed slots were free at once: of tasks that had no grace, or gathered ones; of a queue a
 *     job was preempted;
 *   - a rigid job of a leaf started: the next of that leaf may ask now;
 *   - any task started on a leaf on which a rigid job waits: what is before it may be gone.
 *
 * Contracts of shared lease are another cluster's affair, which a trace does not tell: EUSAGE.
 *
 * A job is *refused* when it could never run: it is wider than what its leaf or queue may ever
 * have. It ends *unfinished* when the simulation is over before it: nobody comes any more, nothing
 * runs, and no switch of windows of the next 15 days starts anything.
 */
#ifndef ALLOT_SIMULATE_H
#define ALLOT_SIMULATE_H

#include <allot/allot.h>
#include <allot/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct allot_simulation allot_simulation;

/* So many tasks at most are told to a cycle: some 150 MB. */
#define ALLOT_SIMULATION_TASKS 1000000

/* What a job of the trace becomes. It comes filled with what follows from the record alone. */
typedef struct allot_mapped {
    const char *consumer; /* the path of a leaf; NULL: see below */
    const char *queue;    /* of a plan with queues instead; NULL: see below */
    const char *group;    /* a resource group; NULL: the first */
    const char *session;  /* jobs of a leaf's session share it, which goes by the one that runs
                             longest; NULL: each has its own */
    int64_t priority;     /* of a session 1 ... 10000, of a queue's job any; 1 and 0 */
    int64_t slots, run;   /* -1: not known */
    int32_t rigid;        /* nonzero: it is */
    int32_t left_out;     /* nonzero: it is no part of the simulation */
} allot_mapped;

/* Says what a record becomes; what it points to must hold until the next call. Any status but
 * ALLOT_OK ends the loading with it (and the report says why). */
typedef int (*allot_record_map)(void *ud, const allot_trace *trace, const allot_record *record,
                                allot_mapped *out, allot_report *report);

/* Zeroed is the default. */
typedef struct allot_simulation_options {
    int64_t
        interval; /* least s between cycles; 0: one at every instant at which something happens */
    int64_t from, to;     /* jobs submitted from `from` until before `to` take part; 0: no bound */
    int64_t until;        /* it ends at that time at the latest; 0: no bound */
    int32_t rigid;        /* nonzero: jobs are rigid where nobody maps them */
    int32_t always_tasks; /* nonzero: cycles are told of every task, whether somebody must give back
                             or not. Slower, and the same results: for tests */
    int32_t always_cycles; /* nonzero: whether rigid jobs may ask, cycles alone tell. Likewise */
} allot_simulation_options;

/* Makes an empty simulation of a sealed plan, which must outlive it. EUSAGE: the plan has contracts
 * of shared lease, or no slots to divide. ENOMEM. */
ALLOT_API int allot_simulation_new(const allot_plan *plan, const allot_simulation_options *options,
                                   allot_simulation **out);
ALLOT_API void allot_simulation_free(allot_simulation *simulation);

/*
 * Takes over a trace's records, once; the trace must outlive the simulation. `map` NULL, or what it
 * leaves without a consumer: the first leaf that is there of what the record says itself, of
 * /group/user, /queue/user, /user, the only leaf named like the user, /group, /queue, /partition; a
 * number n of SWF reads as g<n>, u<n>, q<n>, p<n>. Of a plan with queues: the queue of that name,
 * also as an SWF header names it, else of the name of its group,
 * else the only one. EINVALID (report): a job finds no place; or what
 * map() says; ENOMEM.
 *
 * Jobs without a run time or processors (cancelled before they started, say) are left out, and
 * counted.
 */
ALLOT_API int allot_simulation_load(allot_simulation *simulation, const allot_trace *trace,
                                    allot_record_map map, void *ud, allot_report *report);

/* ---- Watching -------------------------------------------------------------------------------- */

/* What a leaf or queue has when an instant is over. Told of those alone of whom something changed,
 * in plan order. */
typedef struct allot_sample {
    int64_t at;
    int32_t group, consumer;
    int64_t demand;    /* slots of all that runs and waits */
    int64_t allocated; /* slots held */
    int64_t busy;      /* ... on which something runs: all but what a rigid job gathers */
    int64_t reclaimed; /* slots that it was told to give back at this instant */
    int64_t killed;    /* ... and that it lost at this instant, with the work done on them */
} allot_sample;

typedef struct allot_watcher {
    void *ud;
    void (*sample)(void *ud, const allot_sample *sample); /* NULL: not wanted */
    /* A group has so many slots from `at` on; told of each at the first instant, and when it
     * changes, before the samples of the instant. NULL: not wanted. */
    void (*size)(void *ud, int64_t at, int32_t group, int64_t slots);
    /* Called every few instants: records played of so many, jobs ended so far, and the time
     * in the log. Nonzero ends the run there, as `until` does. NULL: not wanted. */
    int (*progress)(void *ud, int32_t played, int32_t records, int32_t ended, int64_t now);
    /* Told of what each cycle decides, before it is carried out; decision and state may be read
     * during the call. Of tasks the state has those alone that may have to go, unless
     * `always_tasks` is set. Any status but ALLOT_OK ends the run with it. NULL: not wanted. */
    int (*decided)(void *ud, const allot_decision *decision, allot_report *report);
} allot_watcher;
ALLOT_API void allot_simulation_watch(allot_simulation *simulation, const allot_watcher *watcher);

/* Plays all of it, once. ESCRIPT, EBUDGET (report): a policy failed; EINVALID (report): too many
 * tasks would have to be told to a cycle; ENOMEM. No results are there then. */
ALLOT_API int allot_simulation_run(allot_simulation *simulation, allot_report *report);

/* ---- Results --------------------------------------------------------------------------------- */

/* How a figure is spread over jobs. Of n sorted values the p-th percentile is the one at place
 * ceil(n * p / 100), counted from 1: a value that is there. All 0 where there are none. */
typedef struct allot_spread {
    double mean, p50, p95, p99, most;
} allot_spread;

/*
 * The figures of the whole simulation, or of a consumer with all below it.
 *
 * Slot-seconds (a sum that does not fit in 64 bits is told as INT64_MAX): `busy` are those on which
 * tasks ran: `useful` + `lost` + `open`, where lost is what tasks had run that were then killed,
 * and open what runs when the simulation ends. `gathered` are held idle for rigid jobs. `offered`
 * is the sum over time of the resource groups' sizes, from the first to the last instant (of a
 * consumer: the same number).
 *
 * Utilisation is busy / offered, and goodput useful / offered, of the exact sums. Where grace or a
 * smaller size lets more run than there is for a while, that counts too: it may be above 1.
 *
 * Of a job that ended, at time e, submitted at s, of run time r: its wait is e - s - r, all that it
 * took beside its run time (waiting, suspended, work lost); its bounded slowdown is
 * max(1, (e - s) / max(r, 10)).
 *
 * Fairness is Jain's index (sum x)^2 / (n sum x^2), 1/n ... 1. Of a leaf or queue: over its jobs
 * that ended, x being a job's speed 1 / slowdown. Of a parent, and overall: over the leaves below
 * that had jobs which ended, x being their jobs' mean speed. 1 where nothing ended.
 */
typedef struct allot_figures {
    int64_t jobs; /* that arrived: ended + killed + refused + unfinished */
    int64_t ended, killed, refused, unfinished;
    int64_t busy, useful, lost, open, gathered, offered;
    double utilisation, goodput, fairness;
    allot_spread wait, slowdown;
    /* Slots taken from what ran (a suspended or requeued job counts its own), and of jobs: how many
     * lost some at least once. */
    int64_t preemptions, preempted_jobs;
    int64_t reclaims;  /* orders to give slots back */
    int64_t reclaimed; /* ... and the slots in them */
} allot_figures;

/* consumer ALLOT_ROOT: the whole. EUSAGE: it has not run, or no such consumer. ENOMEM. */
ALLOT_API int allot_simulation_figures(const allot_simulation *simulation, int32_t consumer,
                                       allot_figures *out);

/*
 * What the run did. An event is one thing that happens to one job or group: a job arrives; some of
 * its tasks start, end, or are killed, at one instant; it is suspended or resumed; a reclaim is
 * ordered; demand, a size, a host or the windows change.
 */
typedef struct allot_simulation_counts {
    int64_t events, arrivals, starts, ends, kills, suspends, resumes, reclaims, changes;
    int64_t instants, cycles;
    int64_t with_tasks;  /* cycles that were told of tasks */
    int64_t unsettled;   /* instants at which 100 cycles still decided something */
    int64_t left_out;    /* jobs without run time or processors, or that the mapping left out */
    int64_t outside;     /* jobs before `from` and from `to` on */
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
    int64_t wait;        /* of one that ended, as above; else -1 */
    int64_t preemptions; /* slots that it lost */
    const char *why;     /* of one refused, or unfinished; else NULL. Static */
} allot_job_result;
/* Jobs in the order of the trace. EUSAGE: there is no such. */
ALLOT_API int32_t allot_simulation_jobs(const allot_simulation *simulation);
ALLOT_API int allot_simulation_job(const allot_simulation *simulation, int32_t i,
                                   allot_job_result *out);

#ifdef __cplusplus
}
#endif

#endif
