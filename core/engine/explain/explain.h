/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * explain.h: types and functions that the chapters of an explanation share.
 */
#ifndef ALLOT_ENGINE_EXPLAIN_EXPLAIN_H
#define ALLOT_ENGINE_EXPLAIN_EXPLAIN_H

#include "engine/decision/decision.h"
#include "engine/quota/trace.h"
#include "engine/explain/tell.h"
#include "engine/whole/whole.h"

/* The subject of sentences, and where they go. */
typedef struct allot__explanation {
    const allot_decision *decision;
    const allot__decided *decided;
    const allot__work *work;
    const allot__rules *rules; /* the row's */
    int32_t group, row;
    int32_t family;   /* the family of its children; 0: a leaf */
    int32_t siblings; /* the family that contains the row */
    allot_verdict verdict;
    allot__levels levels;
    const struct allot__starting *starting; /* of a leaf with waiting tasks; else NULL */
    void (*line)(void *ud, const char *text);
    void *ud;
} allot__explanation;

/* The path of a consumer; of a long path the end. */
allot__phrase allot__phrase_path(const allot__explanation *about, int32_t consumer);
allot__phrase allot__phrase_ratio(allot__u128 num, allot__u128 den);
/* A value; for a flag "true" or "false". */
allot__phrase allot__phrase_value(bool flag, int64_t value);
/* Which values a key puts first: "largest", ... */
const char *allot__phrase_first(bool flag, bool descending);
/* The name of what a key, guard or fill reads of rows of a kind. */
const char *allot__explain_source(const allot__explanation *about, allot_rows rows,
                                  allot_source source);
/* The keys of an order, first to last. */
allot__sentence allot__explain_keys(const allot__explanation *about, allot_rows rows,
                                    const allot__order *order);
/* Is a source of the policy a flag, read of such rows (CONSUMERS or TASKS)? */
bool allot__explain_is_flag(const allot__explanation *about, allot_rows rows, allot_source source);

/* The chapters: quota (quota.c); slots given and taken, and hosts (slots.c). */
void allot__explain_quota(const allot__explanation *about);
void allot__explain_changes(const allot__explanation *about);
void allot__explain_hosts(const allot__explanation *about);
/* queue.c: for a queue, in place of these: what it wants, has and gets; its pool and limits; the
 * queues that it preempts, and those that preempt it. ENOMEM. */
int allot__explain_queue(const allot__explanation *about, int32_t queue);

/* slots.c: which consumers give slots back for the subject (called `whom` in sentences), and how
 * many; why no consumer gives the `lacks` slots still missing. */
int64_t allot__explain_coming(const allot__explanation *about, const char *whom);
void allot__explain_lacking(const allot__explanation *about, int64_t lacks);

/* ---- Tasks that wait (C-13) ------------------------------------------------------------------ */

/* What becomes of a leaf's pending tasks in one group. */
typedef struct allot__starting {
    int64_t held;           /* slots held until tasks have all of theirs, */
    allot__sentence awaits; /* ... and these tasks' names */
    allot__sentence starts;
    int32_t waits;    /* tasks that do not start, */
    const char *next; /* ... and the first of them */
} allot__starting;
/* pending.c: ENOMEM. */
int allot__starting_find(const allot__side *side, allot__arena *arena, allot__starting *out);

/* Why a task waits, or that it starts. ENOMEM. */
int allot__explain_pending(const allot__explanation *about, int32_t number);

#endif
