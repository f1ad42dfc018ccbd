/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * facts.h: the facts of an explanation: numbers and names, as members of JSON objects. They say
 * what applies; lua/allot/explain/ has the words.
 */
#ifndef ALLOT_ENGINE_EXPLAIN_FACTS_H
#define ALLOT_ENGINE_EXPLAIN_FACTS_H

#include "base/text.h"
#include "engine/decision/decision.h"
#include "engine/quota/trace.h"
#include "engine/whole/whole.h"

/* The subject of an explanation, and where its facts go. */
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
    allot__text *to;
} allot__explanation;

/* Of longer lists only so many items are named. */
enum { ALLOT__EXPLAIN_NAMED = 6, ALLOT__EXPLAIN_HOSTS = 8 };

/* ---- Facts: members of the open object, or with a NULL name items of the open list ----------- */

static inline void allot__fact(const allot__explanation *about, const char *name, int64_t number)
{
    allot__text_number(about->to, name, number);
}

/* Nothing for NULL, and for "". */
static inline void allot__fact_text(const allot__explanation *about, const char *name,
                                    const char *text)
{
    allot__text_member(about->to, name, text && *text ? text : NULL);
}

/* Nothing unless it holds. */
static inline void allot__fact_flag(const allot__explanation *about, const char *name, bool holds)
{
    if (holds)
        allot__text_bool(about->to, name, true);
}

/* A consumer's path; of a long path the end. */
void allot__fact_path(const allot__explanation *about, const char *name, int32_t consumer);
void allot__fact_ratio(const allot__explanation *about, const char *name, allot__u128 num,
                       allot__u128 den);

/* Opens an object or a list, "{" or "["; and closes it, with "}" or "]". */
static inline void allot__facts_open(const allot__explanation *about, const char *name,
                                     const char *bracket)
{
    allot__text_open(about->to, name, bracket);
}

static inline void allot__facts_end(const allot__explanation *about, const char *bracket)
{
    allot__text_add(about->to, bracket, 1);
}

/* An item of the open list: slots on a host. */
static inline void allot__fact_place(const allot__explanation *about, const allot_place *place)
{
    allot__facts_open(about, NULL, "{");
    allot__fact_text(about, "name", place->name);
    allot__fact(about, "slots", place->slots);
    allot__facts_end(about, "}");
}

/* Fields of a struct that are facts by their own names: a table of ALLOT__TERM. */
typedef struct allot__term {
    const char *name;
    size_t at, size;
} allot__term;
#define ALLOT__TERM(type, field)                                                                   \
    {                                                                                              \
#field, offsetof(type, field), sizeof((type){0}.field)                                     \
    }
void allot__fact_terms(const allot__explanation *about, const allot__term *terms, size_t count,
                       const void *of);

/* ---- Facts that several explanations have ---------------------------------------------------- */

/* The name of what a key, guard or fill reads of rows of a kind. */
const char *allot__explain_source(const allot__explanation *about, allot_rows rows,
                                  allot_source source);
/* Is a source of the policy a flag, read of such rows (CONSUMERS or TASKS)? */
bool allot__explain_is_flag(const allot__explanation *about, allot_rows rows, allot_source source);
/* The list "keys" of an order's keys, first to last. */
void allot__explain_keys(const allot__explanation *about, allot_rows rows,
                         const allot__order *order);
/* The object `name`: a key of tasks and the values that two tasks have of it, which differ. */
void allot__explain_key(const allot__explanation *about, const char *name, const allot_key *key,
                        int64_t mine, int64_t its);
/* The guard that gave a task or job its mark (engine/rows/rowset.h); NULL: none did. */
const allot__guard *allot__explain_guard(const allot__explanation *about, int32_t mark);

/* The chapters of a consumer: quota (quota.c); slots given and taken, and hosts (slots.c). */
void allot__explain_quota(const allot__explanation *about);
void allot__explain_changes(const allot__explanation *about);
void allot__explain_hosts(const allot__explanation *about);
/* queue.c: for a queue, in place of these. ENOMEM. */
int allot__explain_queue(const allot__explanation *about, int32_t queue);
/* slots.c: which consumers give slots back for the subject, and why no consumer gives more. */
void allot__explain_coming(const allot__explanation *about);
void allot__explain_lacking(const allot__explanation *about);

/* pending.c: what becomes of a leaf's pending tasks in one group; a pending task. ENOMEM. */
int allot__explain_starting(const allot__explanation *about, const allot__side *side);
int allot__explain_pending(const allot__explanation *about, int32_t number);

/* By kind of subject; statuses of allot_explain_facts. */
int allot__facts_task(const allot_decision *decision, const char *id, allot__text *to);
int allot__facts_job(const allot_decision *decision, const char *id, allot__text *to);

#endif
