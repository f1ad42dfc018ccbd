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

/* ---- Facts ----------------------------------------------------------------------------------- */

/* FACTS(about, "slots path closed?", value, ...) adds members to the open object (base/text.h), and
 * OBJECT(about, name, "slots path", ...) such an object, or with NULL an item of the open list. */
#define FACTS(about, names, ...)        ALLOT__MEMBERS((about)->to, names, __VA_ARGS__)
#define OBJECT(about, name, names, ...) ALLOT__OBJECT((about)->to, name, names, __VA_ARGS__)

/* A text among facts: a consumer's path, of a long one the end; a fraction in lowest terms. */
typedef struct allot__fact_words {
    char text[300];
} allot__fact_words;
allot__fact_words allot__path(const allot__explanation *about, int32_t consumer);
allot__fact_words allot__ratio_words(allot__u128 num, allot__u128 den);

/* Opens an object or a list, "{" or "["; and closes it, with "}" or "]". An item that is a text. */
static inline void allot__facts_open(const allot__explanation *about, const char *name,
                                     const char *bracket)
{
    allot__text_open(about->to, name, bracket);
}

static inline void allot__facts_end(const allot__explanation *about, const char *bracket)
{
    allot__text_add(about->to, bracket, 1);
}

static inline void allot__facts_item(const allot__explanation *about, const char *text)
{
    allot__text_string(about->to, NULL, text);
}

/* The list `name` of slots by host, the first ones of `count`. */
void allot__facts_places(const allot__explanation *about, const char *name,
                         const allot_place *places, int32_t count, int32_t most);

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

/* consumer.c: quota; slots given and taken; and hosts. fills.c: what the fills gave it. */
void allot__explain_quota(const allot__explanation *about);
void allot__explain_fills(const allot__explanation *about);
void allot__explain_changes(const allot__explanation *about);
void allot__explain_hosts(const allot__explanation *about);
/* queue.c: for a queue, in place of these. ENOMEM. */
int allot__explain_queue(const allot__explanation *about, int32_t queue);
/* Which consumers give slots back for the subject, and why no consumer gives more. */
void allot__explain_coming(const allot__explanation *about);
void allot__explain_lacking(const allot__explanation *about);

/* pending.c: what becomes of a leaf's pending tasks in one group; a pending task. ENOMEM. */
int allot__explain_starting(const allot__explanation *about, const allot__side *side);
int allot__explain_pending(const allot__explanation *about, int32_t number);

/* By kind of subject; statuses of allot_explain_facts. */
int allot__facts_task(const allot_decision *decision, const char *id, allot__text *to);
int allot__facts_job(const allot_decision *decision, const char *id, allot__text *to);

#endif
