/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * explain.h: what the chapters of an explanation share.
 */
#ifndef ALLOT_ENGINE_EXPLAIN_EXPLAIN_H
#define ALLOT_ENGINE_EXPLAIN_EXPLAIN_H

#include "engine/decision/decision.h"
#include "engine/quota/trace.h"

/* The subject of sentences, and where they go. */
typedef struct allot__explanation {
    const allot_decision *decision;
    const allot__decided *decided;
    const allot__work *work;
    const allot__rules *rules; /* the row's */
    int32_t group, row;
    int32_t family;   /* of the children; 0: a leaf */
    int32_t siblings; /* the family that the row is of */
    allot_verdict verdict;
    allot__levels levels;
    void (*line)(void *ud, const char *text);
    void *ud;
} allot__explanation;

/* Room for a path or a number in a sentence. */
typedef struct allot__phrase {
    char text[300];
} allot__phrase;

/* A list or a sentence in the making; what is too much for it is left out. */
typedef struct allot__sentence {
    char text[1800];
    size_t len;
    int32_t items;
} allot__sentence;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void allot__sentence_add(allot__sentence *to, const char *format, ...);
/* Begins the next item of a list: with a comma, if it is not the first. */
void allot__sentence_next(allot__sentence *to);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void allot__explain(const allot__explanation *about, const char *format, ...);
/* The path of a consumer; long ones keep their end. */
allot__phrase allot__phrase_path(const allot__explanation *about, int32_t consumer);
allot__phrase allot__phrase_ratio(allot__u128 num, allot__u128 den);
/* "1 slot", "5 slots". */
allot__phrase allot__phrase_slots(int64_t slots);
/* A value; of a flag "true" or "false". */
allot__phrase allot__phrase_value(bool flag, int64_t value);
/* "largest", ...: what a key puts first. */
const char *allot__phrase_first(bool flag, bool descending);
/* What a key, guard or fill reads, of rows of that kind. */
const char *allot__explain_source(const allot__explanation *about, allot_rows rows,
                                  allot_source source);
/* The keys of an order, first to last. */
allot__sentence allot__explain_keys(const allot__explanation *about, allot_rows rows,
                                    const allot__order *order);
/* Is what a source of the policy reads of such rows, CONSUMERS or TASKS, true or false? */
bool allot__explain_is_flag(const allot__explanation *about, allot_rows rows, allot_source source);

/* The chapters: quota (quota.c), and slots given and taken (slots.c). */
void allot__explain_quota(const allot__explanation *about);
void allot__explain_changes(const allot__explanation *about);
/* ... of a consumer whose policy keeps a ledger (ledger.c). */
void allot__explain_ledger(const allot__explanation *about);
/* ... and before all which windows hold (windows.c). */
void allot__explain_windows(const allot__explanation *about);
/* ... and hosts (hosts.c). */
void allot__explain_hosts(const allot__explanation *about);

#endif
