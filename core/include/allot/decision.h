/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* decision.h: one cycle, what it decided, and why. */
#ifndef ALLOT_DECISION_H
#define ALLOT_DECISION_H

#include <allot/state.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Cycle and decision
 * -------------------------------------------------------------------------- */

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
    ALLOT_STAGE_DISTRIBUTE, /* and who gets the idle slots (C-5) */
    ALLOT_STAGE_RECLAIM,    /* and who gives back how much (C-6, C-7, C-9) */
    ALLOT_STAGE_ORDERS,     /* and the lists: grants, reclaims with their claimants; and of parents
                               and groups what was granted, held and reclaimed below */
    ALLOT_STAGE_MONITOR     /* and whose slots are in whose hands */
} allot_stage;

/*
 * One cycle over all groups: need, quota, distribution, reclaim. Plan and state are sealed and only
 * read; they must outlive the decision, and the state must not be opened while it lives. ESCRIPT or
 * EBUDGET when a policy's function fails, ENOMEM; the report says why and there is no decision.
 * Getters take no NULL decision.
 */
ALLOT_API int allot_cycle(const allot_plan *plan, const allot_state *state, allot_report *report,
                          allot_decision **out);
/* The same up to a stage: what later stages tell reads as 0. */
ALLOT_API int allot_cycle_until(const allot_plan *plan, const allot_state *state, allot_stage last,
                                allot_report *report, allot_decision **out);
ALLOT_API void allot_decision_free(allot_decision *decision);
/* What it was decided from (time, sizes, what each consumer demands and is allocated, of queues
 * what they have), and what was decided of each consumer or job, as numbers that are other ones
 * when any of that is: for records that do not keep it all. Of ALLOT_STAGE_RECLAIM and later the
 * same. */
ALLOT_API void allot_decision_digest(const allot_decision *decision, uint64_t *input,
                                     uint64_t *output);

ALLOT_API const allot_plan *allot_decision_plan(const allot_decision *decision);
ALLOT_API const allot_state *allot_decision_state(const allot_decision *decision);
ALLOT_API int64_t allot_decision_now(const allot_decision *decision);

typedef struct allot_totals {
    int64_t slots;     /* the group's actual size */
    int64_t idle;      /* slots that nobody held before this cycle */
    int64_t idle_left; /* ... that nobody was given */
    int64_t granted, held, reclaimed;
    int64_t blocked; /* idle slots on hosts that are closed to those who want them (H-14); they are
                        no part of `idle` */
    /* Sums over its consumers, as in allot_verdict. */
    allot_ratio owned;
    int64_t reserve, demand, allocated;
    int64_t own_used, lent, borrowed, shared, planned;
} allot_totals;
ALLOT_API int allot_decision_totals(const allot_decision *decision, int32_t group,
                                    allot_totals *out);

/* Everything decided about one consumer in one group. */
typedef struct allot_verdict {
    int32_t consumer;
    int64_t demand, need;
    int64_t reserve;   /* reserve', cut to what is owned */
    allot_ratio owned; /* own', exact */
    allot_ratio exact; /* the quota before rounding */
    int64_t quota;
    int32_t parts;                 /* fills of the policy */
    int64_t part[ALLOT_FILLS_MAX]; /* slots by fill; they sum to quota */
    int64_t allocated, in_flight;
    int64_t received; /* granted + held, of a parent its whole subtree's */
    int64_t granted, held;
    int64_t over;      /* above its target; of a parent the sum of its leaves' */
    int64_t deficit;   /* still lacking after this cycle's grants; likewise */
    int64_t earmarked; /* in-flight slots on their way here */
    int64_t reclaimed; /* ordered back by this cycle; likewise */
    int64_t free;      /* H-13 */
    /* What a monitor shows (E-35). Of what it holds: its own, borrowed (in the ledger, or what it
     * uses beyond its own), shared (from pools); own slots that others use; and what is planned for
     * it: owned slots and its share of the pools if all were busy. Of a parent the sums. */
    int64_t own_used, lent, borrowed, shared, planned;
    int64_t forced;        /* of what is reclaimed: taken whoever wants it (C-10) */
    int64_t barred;        /* of a leaf: slots that it lacks and that are idle, but on no host that
                              serves it */
    int64_t held_back;     /* over, but let be: by guards or by damping */
    int64_t waiting_since; /* a leaf that lacks slots: since when, to be told to the next cycle;
                              else INT64_MIN */
} allot_verdict;
ALLOT_API int allot_decision_verdict(const allot_decision *decision, int32_t group,
                                     int32_t consumer, allot_verdict *out);
/* What is asked most of leaves, at a fraction of a verdict's cost: of the same names the same.
 * EUSAGE: it is no leaf, or the plan has queues. */
typedef struct allot_brief {
    int64_t quota, over, reclaimed, held_back, waiting_since;
} allot_brief;
ALLOT_API int allot_decision_brief(const allot_decision *decision, int32_t group, int32_t consumer,
                                   allot_brief *out);
/* The label of part i of that consumer's quota: the fill of its policy. */
ALLOT_API const char *allot_decision_part_label(const allot_decision *decision, int32_t group,
                                                int32_t consumer, int32_t i);

/* Idle slots a leaf gets to use, in the order to carry them out; of the state's own hosts the i-th
 * is i-th of those that the plan does not know. */
typedef struct allot_place {
    int32_t host; /* of the plan, or ~i for the i-th of the state's own */
    const char *name;
    int64_t slots;
} allot_place;
typedef struct allot_grant {
    int32_t group, consumer;
    int64_t slots;
    const allot_place *places; /* where, as far as hosts are known; borrowed */
    int32_t place_count;
    int64_t unplaced; /* slots of it that are free on some host that nobody knows */
} allot_grant;
ALLOT_API int32_t allot_decision_grants(const allot_decision *decision);
ALLOT_API int allot_decision_grant(const allot_decision *decision, int32_t i, allot_grant *out);

/* Slots a leaf gives back, in the order to carry them out; why: its numbers. */
typedef struct allot_reclaim {
    int32_t group, consumer;
    int64_t slots;
    int64_t grace, deadline; /* seconds; now + grace, at most INT64_MAX */
    /* "over-quota": others are owed the slots; "over-limit", "over-size": some go because a limit
     * above the leaf, or the group's size, does not hold them; "closed-host": they stand on hosts
     * that are closed; "over-window", "over-attribute": some go whatever the demand, since other
     * windows hold now, or an attribute is a limit (C-10); "make-way": it is granted as many
     * elsewhere (H-19). Static. */
    const char *reason;
    int64_t allocated, quota, target, over;
    /* Of all that the leaf gives: what a limit above it takes though nobody below that limit is
     * owed it. Who lacks slots nearest above gets it (C-6). With the leaf's first reclaim. */
    int64_t freed;
    const allot_claim *claims; /* whom the slots are for, best first; borrowed */
    int32_t claim_count;
    const int32_t *tasks; /* which tasks go, first to last: allot_state_task_at; borrowed */
    int32_t task_count;
    int64_t lost;    /* slot-seconds that those have run, as far as the state tells their starts */
    int32_t unknown; /* ... how many of them it does not tell that of: their loss is not known */
} allot_reclaim;
ALLOT_API int32_t allot_decision_reclaims(const allot_decision *decision);
ALLOT_API int allot_decision_reclaim(const allot_decision *decision, int32_t i, allot_reclaim *out);

/* A reclaim in flight, as it stands now. */
typedef enum allot_phase {
    ALLOT_INTERRUPTED = 0, /* its tasks were told, and have `left` seconds */
    ALLOT_RETURNED,        /* all its slots are free */
    ALLOT_LEEWAY,          /* its tasks are killed; `left` seconds for the slots to return */
    ALLOT_OVERDUE          /* the leeway is over, and slots are not there: a warning tells */
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

/* The ledger once the decision is carried out, group by group: the state's loans in its order, then
 * new ones, so that a list that is written back keeps their age. A loan that has ended is there
 * with 0 slots. */
typedef struct allot_loan_change {
    int32_t group, lender, borrower;
    int64_t slots, before;
    const char *reason; /* "kept", "borrowed", "recalled", "lend-limit", ...; static */
} allot_loan_change;
ALLOT_API int32_t allot_decision_loans(const allot_decision *decision);
ALLOT_API int allot_decision_loan(const allot_decision *decision, int32_t i,
                                  allot_loan_change *out);

/* What a session deserves of its leaf's quota. */
typedef struct allot_session_part {
    int32_t session; /* allot_state_session_at */
    int64_t need, quota, allocated;
} allot_session_part;
ALLOT_API int allot_decision_session(const allot_decision *decision, int32_t session,
                                     allot_session_part *out);

/* Why a task goes or stays: whom it was compared with, which key decided, what would have spared
 * it. ENOENT: no such task; ENOMEM. */
ALLOT_API int allot_explain_task(const allot_decision *decision, const char *id,
                                 void (*line)(void *ud, const char *text), void *ud);

/* Tells, in plain sentences with the numbers, why a consumer gets what it gets: `line` is called
 * with each (without line end, valid during the call). Only reads the decision. ENOMEM, of queues
 * alone: some lines may have been told. */
ALLOT_API int allot_explain(const allot_decision *decision, int32_t group, int32_t consumer,
                            void (*line)(void *ud, const char *text), void *ud);

#ifdef __cplusplus
}
#endif

#endif
