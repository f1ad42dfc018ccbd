/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* decision.h: one cycle, what it decided, and why. */
#ifndef ALLOT_DECISION_H
#define ALLOT_DECISION_H

#include <allot/state.h>

ALLOT_C_BEGIN

/* ---- Cycle and decision ---------------------------------------------------------------------- */

/* An exact number num/den in lowest terms, 128 bits each. */
typedef struct allot_ratio {
    uint64_t num_high, num_low, den_high, den_low;
} allot_ratio;

/* Writes "9" or "10/3" as a string cut to size; returns the length that it needs (at most 79). */
ALLOT_API size_t allot_ratio_text(const allot_ratio *ratio, char *buf, size_t size);
/* The nearest double, for display alone. */
ALLOT_API double allot_ratio_value(const allot_ratio *ratio);

/* The stages of a cycle; each needs those before it. */
typedef enum allot_stage {
    ALLOT_STAGE_QUOTA = 1,  /* need and quota (C-1 ... C-4) */
    ALLOT_STAGE_DISTRIBUTE, /* which consumers get the idle slots (C-5) */
    ALLOT_STAGE_RECLAIM,    /* which consumers give back how much (C-6, C-7, C-9) */
    ALLOT_STAGE_ORDERS,     /* lists of grants and of reclaims with their claimants; and for parents
                               and groups the sums granted, held and reclaimed below */
    ALLOT_STAGE_MONITOR     /* which consumers use whose slots */
} allot_stage;

/*
 * One cycle over all groups: need, quota, distribution, reclaim. Plan and state must be sealed; the
 * cycle only reads them. Both must outlive the decision, and the state must not be opened while the
 * decision lives. ESCRIPT or EBUDGET: a policy's function failed, and the report says why; ENOMEM.
 * Getters below do not accept a NULL decision.
 *
 * When a state is opened, changed a little and sealed again, its next cycle costs what the changes
 * reach: the state keeps the last cycle's results, some 70 bytes a consumer, and the next cycle
 * goes on from these (allot_decision_full).
 */
ALLOT_API int allot_cycle(const allot_plan *plan, const allot_state *state, allot_report *report,
                          allot_decision **out);
/* The same up to a stage: values of later stages read as 0. */
ALLOT_API int allot_cycle_until(const allot_plan *plan, const allot_state *state, allot_stage last,
                                allot_report *report, allot_decision **out);
ALLOT_API void allot_decision_free(allot_decision *decision);
/* Why the cycle computed everything anew; NULL: it went on from the cycle before. Static. */
ALLOT_API const char *allot_decision_full(const allot_decision *decision);
/* Digests, for records that do not keep documents. `input` is of the decision's input: time, sizes,
 * each consumer's demand and allocated, queues' jobs. `output` is of what was decided about each
 * consumer or job. A digest changes when any of these changes. ALLOT_STAGE_RECLAIM and later stages
 * give the same digests. */
ALLOT_API void allot_decision_digest(const allot_decision *decision, uint64_t *input,
                                     uint64_t *output);
/* The digests of earlier versions, for their records; they cost as much as a full pass over rows.
 */
ALLOT_API void allot_decision_digest_first(const allot_decision *decision, uint64_t *input,
                                           uint64_t *output);

ALLOT_API const allot_plan *allot_decision_plan(const allot_decision *decision);
ALLOT_API const allot_state *allot_decision_state(const allot_decision *decision);
ALLOT_API int64_t allot_decision_now(const allot_decision *decision);

typedef struct allot_totals {
    int64_t slots;     /* the group's actual size */
    int64_t idle;      /* slots that nobody held before this cycle */
    int64_t idle_left; /* ... and nobody was granted */
    int64_t granted, held, reclaimed;
    int64_t blocked; /* idle slots on hosts that are closed to the consumers that want slots (H-14);
                        `idle` does not count them */
    /* Sums over the group's consumers, as in allot_verdict. */
    allot_ratio owned;
    int64_t reserve, demand, allocated;
    int64_t own_used, lent, borrowed, shared, planned;
    int64_t by_use; /* 1: the plan counts use, and a policy of the group reads it (C-14) */
} allot_totals;
/* ENOMEM: the first call of this or of allot_decision_verdict computes figures for people. */
ALLOT_API int allot_decision_totals(const allot_decision *decision, int32_t group,
                                    allot_totals *out);

/* Everything decided about one consumer in one group. */
typedef struct allot_verdict {
    int32_t consumer;
    int64_t demand, need;
    int64_t reserve;   /* reserve', at most what it owns */
    allot_ratio owned; /* own', exact */
    allot_ratio exact; /* the quota before rounding */
    int64_t quota;
    /* Fills of the policy, and behind them "whole" where that is more than 0 (C-13). */
    int32_t parts;
    int64_t part[ALLOT_FILLS_MAX + 1]; /* slots by fill; they sum to quota */
    int64_t allocated, in_flight;
    int64_t received; /* granted + held; of a parent the sum of its whole subtree */
    int64_t granted, held;
    int64_t over;      /* slots above its target; of a parent the sum of its leaves */
    int64_t deficit;   /* slots still lacking after this cycle's grants; likewise */
    int64_t earmarked; /* slots in flight for this consumer */
    int64_t reclaimed; /* slots that this cycle reclaims; likewise */
    int64_t free;      /* H-13 */
    /* Columns of a monitor (E-35). own_used: own slots that the consumer uses; lent: own slots that
     * others use; borrowed: by the ledger, or used beyond its own; shared: used from pools;
     * planned: owned slots and its share of the pools if all consumers were busy. Of a parent the
     * sums. */
    int64_t own_used, lent, borrowed, shared, planned;
    int64_t forced;        /* of `reclaimed`: slots taken whatever the demand (C-10) */
    int64_t barred;        /* of a leaf: slots that it lacks and that are idle, but only on hosts
                              that do not serve it */
    int64_t held_back;     /* of `over`: slots not reclaimed because of guards or damping */
    int64_t waiting_since; /* of a leaf that lacks slots: the time since when, which the next state
                              should state; else INT64_MIN */
    /* Of plans that count use (C-14): decayed slot-seconds at `now`, of a parent its children's
     * sum; and of a leaf millionths beyond them. The next state should state both, with `now`. */
    int64_t usage, usage_rest;
} allot_verdict;
ALLOT_API int allot_decision_verdict(const allot_decision *decision, int32_t group,
                                     int32_t consumer, allot_verdict *out);
/* The most used members of a leaf's verdict, at a fraction of a verdict's cost; members of the same
 * name have the same value. EUSAGE: the consumer is not a leaf, or the plan has queues. */
typedef struct allot_brief {
    int64_t quota, over, reclaimed, held_back, waiting_since, held;
    /* 0: pending tasks of the leaf beyond those in the state could not have changed the decision
     * (C-13), so a state may list only the first few of a long list. 1: all listed tasks fitted at
     * some step, and the leaf demands more slots than they ask for. */
    int64_t exhausted;
} allot_brief;
ALLOT_API int allot_decision_brief(const allot_decision *decision, int32_t group, int32_t consumer,
                                   allot_brief *out);
/* The label of part i of that consumer's quota: of its policy's fill, or "whole" behind the fills.
 */
ALLOT_API const char *allot_decision_part_label(const allot_decision *decision, int32_t group,
                                                int32_t consumer, int32_t i);

/* Slots on a host. */
typedef struct allot_place {
    int32_t host; /* of the plan, or ~i for the i-th host that only the state has */
    const char *name;
    int64_t slots;
} allot_place;
/* Idle slots that a leaf gets; grants are in the order to carry them out. */
typedef struct allot_grant {
    int32_t group, consumer;
    int64_t slots;
    const allot_place *places; /* the hosts, as far as hosts are known; borrowed */
    int32_t place_count;
    int64_t unplaced; /* slots of the grant whose host is unknown */
    /* Of a leaf with pending tasks: the tasks that start (allot_state_task_at). `slots` are those
     * of these tasks, less unused slots that the leaf has already, and may be 0. The grants of
     * every group of a task name the task. Borrowed. */
    const int32_t *tasks;
    int32_t task_count;
} allot_grant;
ALLOT_API int32_t allot_decision_grants(const allot_decision *decision);
ALLOT_API int allot_decision_grant(const allot_decision *decision, int32_t i, allot_grant *out);

/* Slots that a leaf gives back, and the numbers behind them; reclaims are in the order to carry
 * them out. */
typedef struct allot_reclaim {
    int32_t group, consumer;
    int64_t slots;
    int64_t grace, deadline; /* seconds; now + grace, at most INT64_MAX */
    /* "over-quota": others are owed the slots; "over-limit", "over-size": slots above a limit above
     * the leaf, or above the group's size, go; "closed-host": the slots are on closed hosts;
     * "over-window", "over-attribute": some slots go whatever the demand, since other windows hold
     * now, or an attribute is a limit (C-10); "make-way": the leaf is granted as many elsewhere
     * (H-19); "inside": a pending task of the leaf takes the place of its tasks (C-13). Static. */
    const char *reason;
    int64_t allocated, quota, target, over;
    /* Of all slots that the leaf gives: those that a limit above the leaf takes although no
     * consumer below that limit is owed them. They go to consumers nearest above that lack slots
     * (C-6). Only with the leaf's first reclaim. */
    int64_t freed;
    const allot_claim *claims; /* the claimants, best first; borrowed */
    int32_t claim_count;
    const int32_t *tasks; /* tasks that go, first to last: allot_state_task_at; borrowed */
    int32_t task_count;
    int64_t lost;    /* slot-seconds that these tasks have run, as far as their starts are known */
    int32_t unknown; /* tasks whose start, and so whose loss, is unknown */
    int32_t pending; /* "inside": the task that takes their place; else -1 */
} allot_reclaim;
ALLOT_API int32_t allot_decision_reclaims(const allot_decision *decision);
ALLOT_API int allot_decision_reclaim(const allot_decision *decision, int32_t i, allot_reclaim *out);

/* A reclaim in flight, as it stands now. */
typedef enum allot_phase {
    ALLOT_INTERRUPTED = 0, /* its tasks were notified, and have `left` seconds */
    ALLOT_RETURNED,        /* all its slots are free */
    ALLOT_LEEWAY,          /* its tasks are killed; the slots have `left` seconds to return */
    ALLOT_OVERDUE          /* the leeway is over and slots are missing: the report warns of it */
} allot_phase;
ALLOT_API const char *allot_phase_name(int phase);
typedef struct allot_flight {
    const char *id; /* as in the state, may be NULL; borrowed */
    int32_t group, consumer;
    int64_t slots, returned;
    int64_t deadline, left; /* the deadline may be sooner than the state says */
    allot_phase phase;
} allot_flight;
ALLOT_API int32_t allot_decision_flights(const allot_decision *decision);
ALLOT_API int allot_decision_flight(const allot_decision *decision, int32_t i, allot_flight *out);

/* Tasks to kill and requeue now: their reclaim's deadline has passed. */
typedef struct allot_kill {
    int32_t task;       /* allot_state_task_at */
    int32_t flight;     /* allot_decision_flight */
    const char *reason; /* "grace-over"; static */
} allot_kill;
ALLOT_API int32_t allot_decision_kills(const allot_decision *decision);
ALLOT_API int allot_decision_kill(const allot_decision *decision, int32_t i, allot_kill *out);

/* The ledger once the decision is carried out, group by group: the state's loans in the state's
 * order, then new loans, so that a list written into the next state keeps the loans' age. A loan
 * that has ended is listed with 0 slots. */
typedef struct allot_loan_change {
    int32_t group, lender, borrower;
    int64_t slots, before;
    const char *reason; /* "kept", "borrowed", "recalled", "lend-limit", ...; static */
} allot_loan_change;
ALLOT_API int32_t allot_decision_loans(const allot_decision *decision);
ALLOT_API int allot_decision_loan(const allot_decision *decision, int32_t i,
                                  allot_loan_change *out);

/* A session's part of its leaf's quota. */
typedef struct allot_session_part {
    int32_t session; /* allot_state_session_at */
    int64_t need, quota, allocated;
} allot_session_part;
ALLOT_API int allot_decision_session(const allot_decision *decision, int32_t session,
                                     allot_session_part *out);

/* Explains a task. Of one that runs: why it goes or stays, the tasks it was compared with, the key
 * that decided, what would have protected it. Of a pending one (C-13): that it starts, or why it
 * waits: its leaf's quota and what of it is in use, which slots are missing and why nobody gives
 * them, behind which task it stands, slots that are held for it. `line` as of allot_explain.
 * EUSAGE: the decision has no orders; ENOENT: no such task; ENOMEM: `line` may have got some
 * sentences. */
ALLOT_API int allot_explain_task(const allot_decision *decision, const char *id,
                                 void (*line)(void *ud, const char *text), void *ud);

/* Explains in plain sentences, with the numbers, what a consumer gets. Calls `line` with each
 * sentence, which has no line end and is valid during the call. Only reads the decision. ENOMEM:
 * `line` may have got some sentences. */
ALLOT_API int allot_explain(const allot_decision *decision, int32_t group, int32_t consumer,
                            void (*line)(void *ud, const char *text), void *ud);

/* The numbers and names that these sentences are made of, as a JSON object: its members are those
 * that lua/allot/explain/ reads, and follow the engine. A task or job goes by `id`; a consumer of
 * a group, or a contract, by `number`. Statuses as above; EIO: the sink's. */
typedef enum allot_subject {
    ALLOT_OF_CONSUMER,
    ALLOT_OF_TASK,
    ALLOT_OF_JOB,
    ALLOT_OF_LEASE
} allot_subject;
ALLOT_API int allot_explain_facts(const allot_decision *decision, allot_subject subject,
                                  const char *id, int32_t number, int32_t group,
                                  int (*sink)(void *ud, const char *text, size_t len), void *ud);

ALLOT_C_END

#endif
