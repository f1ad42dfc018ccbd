/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * explain.h: sentences, and what the chapters of an explanation share.
 */
#ifndef ALLOT_ENGINE_EXPLAIN_EXPLAIN_H
#define ALLOT_ENGINE_EXPLAIN_EXPLAIN_H

#include "engine/decision/decision.h"
#include "engine/quota/trace.h"
#include "engine/whole/whole.h"

/*
 * Sentences are made of templates and values. In a template `{}` is the next value, a number or a
 * text, and `{.60}` at most 60 bytes of a text. `{one|several}` depends on the number before it:
 * "one" for 1, else "several", as in "{} slot{|s} {is|are}". `{?yes|no}` depends on the next value,
 * which is not written: "yes" for 1, true or a text that is not empty. `{&, user {}}` is left out
 * if the value in it is empty or 0. Any of these may contain holes; values in parts left out are
 * skipped.
 */
typedef struct allot__told {
    const char *text; /* NULL: it is a number */
    int64_t number;
} allot__told;

static inline allot__told allot__told_number(int64_t number)
{
    return (allot__told){.number = number};
}
static inline allot__told allot__told_text(const char *text)
{
    return (allot__told){.text = text ? text : ""};
}

#ifdef __cppcheck__ /* which cannot parse _Generic */
#define ALLOT__TOLD(x) allot__told_number((int64_t)(x))
#else
#define ALLOT__TOLD(x)                                                                             \
    _Generic((x), char * : allot__told_text, const char * : allot__told_text, default            \
             : allot__told_number)(x)
#endif
#define ALLOT__TOLD_1(x)       ALLOT__TOLD(x)
#define ALLOT__TOLD_2(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_1(__VA_ARGS__)
#define ALLOT__TOLD_3(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_2(__VA_ARGS__)
#define ALLOT__TOLD_4(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_3(__VA_ARGS__)
#define ALLOT__TOLD_5(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_4(__VA_ARGS__)
#define ALLOT__TOLD_6(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_5(__VA_ARGS__)
#define ALLOT__TOLD_7(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_6(__VA_ARGS__)
#define ALLOT__TOLD_8(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_7(__VA_ARGS__)
#define ALLOT__TOLD_9(x, ...)  ALLOT__TOLD(x), ALLOT__TOLD_8(__VA_ARGS__)
#define ALLOT__TOLD_10(x, ...) ALLOT__TOLD(x), ALLOT__TOLD_9(__VA_ARGS__)
#define ALLOT__TOLD_11(x, ...) ALLOT__TOLD(x), ALLOT__TOLD_10(__VA_ARGS__)
#define ALLOT__TOLD_12(x, ...) ALLOT__TOLD(x), ALLOT__TOLD_11(__VA_ARGS__)

#define ALLOT__EACH(a, b, c, d, e, f, g, h, i, j, k, l, of, ...) ALLOT__TOLD_##of
/* A template and up to 11 values; missing ones are 0. */
#define ALLOT__TOLDS(...)                                                                          \
    ((const allot__told[12]){                                                                      \
        ALLOT__EACH(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)(__VA_ARGS__)})

/* A part of a sentence; cut if too long. */
typedef struct allot__phrase {
    char text[300];
} allot__phrase;

/* A list or sentence being built; an addition that does not fit is left out. */
typedef struct allot__sentence {
    char text[1800];
    size_t len;
    int32_t items;
} allot__sentence;

struct allot__explanation;

/* Writes a sentence of an explanation. */
#define SAY(about, ...)    allot__tell(about, ALLOT__TOLDS(__VA_ARGS__))
#define PHRASE(...)        allot__phrase_of(ALLOT__TOLDS(__VA_ARGS__))
#define ADD(sentence, ...) allot__sentence_add(sentence, ALLOT__TOLDS(__VA_ARGS__))
/* Adds an item to a list: behind a comma, if it is not the first. FEW: beyond ALLOT__EXPLAIN_NAMED
 * items are only counted. */
#define LIST(sentence, ...) allot__sentence_list(sentence, INT32_MAX, ALLOT__TOLDS(__VA_ARGS__))
#define LIST_FEW(sentence, ...)                                                                    \
    allot__sentence_list(sentence, ALLOT__EXPLAIN_NAMED, ALLOT__TOLDS(__VA_ARGS__))
enum { ALLOT__EXPLAIN_NAMED = 6 };

void allot__tell(const struct allot__explanation *about, const allot__told *values);
allot__phrase allot__phrase_of(const allot__told *values);
void allot__sentence_add(allot__sentence *to, const allot__told *values);
void allot__sentence_list(allot__sentence *to, int32_t most, const allot__told *values);

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
/* The name of what a key, guard or fill reads of rows of a kind. */
const char *allot__explain_source(const allot__explanation *about, allot_rows rows,
                                  allot_source source);
/* The keys of an order, first to last. */
allot__sentence allot__explain_keys(const allot__explanation *about, allot_rows rows,
                                    const allot__order *order);
/* Is a source of the policy a flag, read of such rows (CONSUMERS or TASKS)? */
bool allot__explain_is_flag(const allot__explanation *about, allot_rows rows, allot_source source);
/* Which values a key of tasks puts first, and those of two tasks; and what would reverse the order
 * of the two: `id` is that of the other one. */
allot__sentence allot__explain_decides(const allot__explanation *about, const allot_key *key,
                                       int64_t mine, int64_t its);
allot__sentence allot__explain_reverse(const allot__explanation *about, const allot_key *key,
                                       int64_t its, const char *id);
/* The guard that gave a task or job its mark (engine/rows/rowset.h); NULL: none did. */
const allot__guard *allot__explain_guard(const allot__explanation *about, int32_t mark);

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
