/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * list.h: running jobs in the order in which a queue preempts them.
 *
 * Rows are running jobs. Keys of the policy's victims that depend on two queues (PREFERENCE,
 * QUEUE_ORDER) are the same for all jobs of a queue. So each queue's rows are sorted once, by the
 * other keys, on first use; a preempting queue's list merges the rows of queues that it may
 * preempt, on demand. Ties: the larger id first. Queues that preempt the same jobs alike
 * share a list.
 *
 * Lists drop an ineligible job for good; when a job becomes a candidate again, all begin anew. Rows
 * and their order outlive the cycle if its state is opened again (rows.c).
 */
#ifndef ALLOT_ENGINE_JOBS_PREEMPT_LIST_H
#define ALLOT_ENGINE_JOBS_PREEMPT_LIST_H

#include "engine/jobs/preempt/job_rows.h"

/* The next row of a queue that is not in the list yet. */
typedef struct allot__candidate_top {
    int64_t keys[2];   /* the first two, 0 where there are fewer */
    int32_t queue, at; /* its place among `sorted` */
} allot__candidate_top;

/* The list of one queue. */
typedef struct allot__candidate_list {
    int32_t high;  /* the preempting queue; -1: the list is unused */
    bool near;     /* only rows on hosts of the queue's set, all merged at once */
    int64_t asked; /* when it was last used: the least recent one is reused */
    int32_t *rows; /* merged so far */
    int32_t count;
    allot__bits left;           /* places in `rows` that are not known to be dropped */
    allot__candidate_top *heap; /* a heap, first candidate at [0] */
    int32_t heap_count;
    int32_t *room;                     /* scratch: two for each queue */
    int64_t *preference, *queue_order; /* by queue */
    /* If many tries were in vain, what frees slots is remembered (together.c). */
    int32_t vain; /* tries */
    bool sifted;
    allot__bits alone; /* places of candidates that may free slots by themselves ... */
    allot__bits joint; /* ... and with those before them */
    int64_t *place_of; /* by row; -1: not in the list so far */
    int32_t *starts;   /* by host: the first of its places in `joint`; -1: not known */
    int32_t *joined;   /* scratch for rows */
} allot__candidate_list;

enum { ALLOT__CANDIDATE_LISTS = 8 };

/* A key, read as (value - least) << shift of a word. */
typedef struct allot__candidate_key {
    int32_t of; /* of the policy's victims */
    bool pair;  /* it depends on two queues, and is a word without values */
    int32_t word, bits, shift;
    int64_t least;
} allot__candidate_key;

typedef struct allot__candidate_rows {
    const allot__work *work;
    allot__job_rows of;
    allot__arena *arena; /* of what outlives the cycle if rows are kept */
    int32_t count, room;
    int32_t *jobs;   /* by row */
    int32_t *sites;  /* of a job with one place; SEVERAL of rows.c */
    int64_t *gives;  /* the most slots that its preemption can free */
    uint8_t *types;  /* allot__job_ineligible */
    int32_t *sorted; /* rows by queue, in order where is_sorted: those of queue q are */
    int32_t *first;  /* ... sorted[first[q]] up to the first of the next */
    int32_t *other;  /* scratch to sort */
    bool *is_sorted;
    bool read; /* keys are */
    allot__candidate_key keys[ALLOT_KEYS_MAX];
    const allot_key *word_keys[ALLOT_KEYS_MAX]; /* the first of each word */
    int64_t *words[ALLOT_KEYS_MAX];             /* by row; NULL: depends on two queues */
    int32_t key_count, word_count;
    struct allot__candidate_kept *kept; /* by the state; NULL: it keeps none */
    /* Of the cycle alone. */
    uint8_t *ineligible;    /* by job, nonzero: not a candidate */
    int32_t *head;          /* by queue: all before that place are ineligible */
    int32_t *filled;        /* by place in the relation's `low`: queues before it that have rows */
    int32_t *on_first, *on; /* rows by host of the view; NULL: not needed yet */
    int32_t *on_set;        /* by set of hosts: how many; -1: not counted yet */
    allot__candidate_list lists[ALLOT__CANDIDATE_LISTS];
    int64_t asked;
} allot__candidate_rows;

static inline int32_t allot__candidate_queue(const allot__candidate_rows *rows, int32_t row)
{
    return rows->work->state->jobs->briefs[rows->jobs[row]].queue;
}

/* Finds rows, goes on with those that the state keeps if it can, and writes to `ineligible` why
 * jobs are not eligible by their type. Guards are applied later, but before the first list is made.
 * `states`: by job its state by now, or NULL. ENOMEM. */
int allot__candidate_rows_make(const allot__work *work, const allot__host_view *view,
                               const uint8_t *states, uint8_t *ineligible,
                               allot__candidate_rows *out);
/* Reads the keys of the policy's victims, joined where they fit. ENOMEM, and failures of its
 * functions. */
int allot__candidate_rows_read(allot__candidate_rows *rows);
/* Why a job is not a candidate by its type, guards aside: ALLOT__ELIGIBLE ...
 * ALLOT__INELIGIBLE_FORCED. */
uint8_t allot__job_ineligible(const allot__work *work, const allot__job *job);
/* The most slots that a job's preemption can free: for an exclusive job all of its hosts. */
int64_t allot__candidate_gives(const allot__host_view *view, const allot__job *job);

/* A job of that queue is eligible again: lists begin anew. */
void allot__candidate_rows_again(allot__candidate_rows *rows, int32_t queue);
/* The list of a queue; `near`: only rows on hosts of its set, found by host, which pays if these
 * are few. NULL: out of memory. It is valid until 8 others were used. */
allot__candidate_list *allot__candidate_list_of(allot__candidate_rows *rows, int32_t high,
                                                bool near);
/* How many rows are on hosts of a set; -1: out of memory. */
int32_t allot__candidate_on_set(allot__candidate_rows *rows, int32_t set);
/* The first place from `from` on of a candidate among some, one of the list's sets; or -1. */
int32_t allot__candidate_list_seek(allot__candidate_rows *rows, allot__candidate_list *list,
                                   allot__bits *among, int32_t from);
static inline void allot__candidate_list_add(allot__candidate_list *list, int32_t place)
{
    allot__bits_add(&list->alone, place);
    allot__bits_add(&list->joint, place);
}
static inline int32_t allot__candidate_list_job(const allot__candidate_rows *rows,
                                                const allot__candidate_list *list, int32_t place)
{
    return rows->jobs[list->rows[place]];
}
/* Does row a go before row b for that list's queue? */
bool allot__candidate_before(const allot__candidate_rows *rows, const allot__candidate_list *list,
                             int32_t a, int32_t b);
/* Sorts rows in that order; `list` NULL: they are of one queue. `other`: scratch for as many. */
void allot__candidate_sort(const allot__candidate_rows *rows, const allot__candidate_list *list,
                           int32_t *first, int32_t *other, int32_t count);

/* Merges rows [low, middle) and [middle, high), each in that order, into `to`. */
void allot__candidate_merge(const allot__candidate_rows *rows, const allot__candidate_list *list,
                            const int32_t *from, int32_t low, int32_t middle, int32_t high,
                            int32_t *to);

/* Rows that run on a host of the view, *count of them, in no order; NULL: out of memory. */
const int32_t *allot__candidate_on(allot__candidate_rows *rows, int32_t host, int32_t *count);

#endif
