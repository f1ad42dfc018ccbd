/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * view.h: the data of the live view: current numbers of consumers, and recent history.
 *
 * A view is computed on demand, by a cycle that is not entered: at most every ALLOT__VIEW_AGE ms or
 * ten times its own duration, unless wanted rows are missing. It has only the rows wanted recently,
 * since reading a row out takes longer than deciding about it. It is a component of the service
 * (service.h); the method `view` answers from it, branch by branch.
 */
#ifndef ALLOT_SERVICE_VIEW_VIEW_H
#define ALLOT_SERVICE_VIEW_VIEW_H

#include "service/instance/service.h"
#include "service/wire/rpc.h"

#define ALLOT__VIEW_AGE     200  /* ms */
#define ALLOT__VIEW_MOST    1000 /* rows in an answer */
#define ALLOT__VIEW_HISTORY 300  /* points of the timeline, a second apart or more */
#define ALLOT__VIEW_TOLD    50   /* decisions remembered */
#define ALLOT__VIEW_GROUPS  16   /* groups that have a timeline */
#define ALLOT__VIEW_KEPT    5000 /* ms for which a wanted row is kept */
#define ALLOT__VIEW_BOUNDS  12   /* of the histogram of cycles */

/* Numbers of a row: members of its verdict, `owned` in hundredths, since it may be a fraction. */
enum { ALLOT__VIEW_OWNED, ALLOT__VIEW_NUMBERS = 13 };
extern const allot__number allot__view_numbers[ALLOT__VIEW_NUMBERS];
/* An exact number in hundredths, rounded, for display alone. */
int64_t allot__view_hundredths(const allot_ratio *ratio);

/* A row that somebody asked for. */
typedef struct allot__view_wanted {
    int32_t group, consumer;
    uint64_t when; /* last (uv_now) */
    int64_t numbers[ALLOT__VIEW_NUMBERS];
} allot__view_wanted;

/* A point of the timeline. */
typedef struct allot__view_point {
    int64_t now, slots, allocated, demand, in_flight;
} allot__view_point;

/* Counts of a decision's orders. */
enum {
    ALLOT__VIEW_GRANTED, /* slots */
    ALLOT__VIEW_RECLAIMED,
    ALLOT__VIEW_KILLS,
    ALLOT__VIEW_STARTS,
    ALLOT__VIEW_SUSPENDS,
    ALLOT__VIEW_RESUMES,
    ALLOT__VIEW_GRANTS, /* from here on only in the sum */
    ALLOT__VIEW_RECLAIMS,
    ALLOT__VIEW_ORDERS
};
typedef struct allot__view_orders {
    int64_t seq, now, counts[ALLOT__VIEW_ORDERS];
} allot__view_orders;

typedef struct allot__view {
    int32_t groups, consumers;
    int64_t version; /* grows with every change of the members below; 0: empty */
    int64_t plan;    /* grows when another version of the plan decides */
    int64_t cycle, seq, event, now;
    bool computed; /* the totals, and the first rows, are of this version */
    allot__view_wanted *rows;
    int32_t count, filled; /* filled: so many rows have numbers */
    size_t capacity;
    int32_t *place; /* of rows, by group and consumer */
    allot_totals *totals;
    uint64_t rest; /* ms until it may be computed again */
    uint64_t made; /* uv_now */
    int64_t seen_cycle;
    allot__view_point history[ALLOT__VIEW_GROUPS][ALLOT__VIEW_HISTORY];
    int32_t history_groups;
    int64_t point; /* how many so far: the last is at (point - 1) % HISTORY */
    allot__view_orders told[ALLOT__VIEW_TOLD];
    int64_t told_count;                   /* likewise */
    allot__view_orders sum;               /* since the service began */
    int64_t took[ALLOT__VIEW_BOUNDS + 1]; /* cycles by bound; the last is unbounded */
    int64_t failures;                     /* the service's count when a cycle last succeeded */
} allot__view;

/* Upper bounds of the histogram, in microseconds, each larger than the one before. */
extern const int64_t allot__view_bounds[ALLOT__VIEW_BOUNDS];

/* Computes the view again if it is old and something happened since. EINVALID, ESCRIPT, EBUDGET
 * (report), ENOMEM: unchanged. */
int allot__view_refresh(allot_service *service, allot_report *report);
/* Marks a row as wanted, before a refresh. ENOMEM. */
int allot__view_want(allot_service *service, int32_t group, int32_t consumer);
/* Whether a row is present; the numbers of a present row. */
bool allot__view_has(const allot__view *view, int32_t group, int32_t consumer);
const int64_t *allot__view_row(const allot__view *view, int32_t group, int32_t consumer);

/* ---- As JSON (view_json.c) ------------------------------------------------------------------- */

/* Writes a number; `owned` with its fraction. */
void allot__view_put(allot__text *out, int number, int64_t value);
/* {"path": ..., "name": ..., "children": n, "rank": ..., "limit": ..., numbers}. */
void allot__view_put_row(allot__text *out, const allot_service *service, const allot__view *view,
                         int32_t group, int32_t consumer);
/* {"path": "/a", "of": 12, "from": 0, "rows": [...]}: `most` of the children of a consumer. */
void allot__view_put_branch(allot__text *out, const allot_service *service, const allot__view *view,
                            int32_t group, int32_t parent, int32_t from, int32_t most);
/* Finds consumers whose name (or path, if `text` has a slash) contains `text`, ignoring case:
 * returns their number, at most `most`. */
int32_t allot__view_find(const allot_plan *plan, const char *text, int32_t most, int32_t *list);
/* {"text": ..., "rows": [...], "more": false}: the consumers found, at most `most`. */
void allot__view_put_found(allot__text *out, const allot_service *service, const allot__view *view,
                           int32_t group, const char *text, const int32_t *list, int32_t count,
                           int32_t most);
/* Members "cycle" to "totals" of a group. */
void allot__view_put_head(allot__text *out, const allot_service *service, const allot__view *view,
                          int32_t group);
/* Member "history": points after number `behind`; "told" likewise. */
void allot__view_put_history(allot__text *out, const allot__view *view, int32_t group,
                             int64_t behind);
void allot__view_put_orders(allot__text *out, const allot__view_orders *orders, int count);
void allot__view_put_told(allot__text *out, const allot__view *view, int64_t behind);

/* The method `view` {path, group, from, most, find} (view_call.c). */
void allot__view_call(allot__request *call);
/* The method `state` {plan} (state_call.c). */
void allot__state_call(allot__request *call);
/* Look up a call's names; name NULL: the first group. ENOENT with a fault. */
int allot__view_consumer(const allot_plan *plan, const char *path, int32_t *out,
                         allot__error *fault);
int allot__view_group(const allot_plan *plan, const char *name, int32_t *out, allot__error *fault);

/* The component (service.c). */
void allot__view_free(allot_service *service);
void allot__view_cycle(allot_service *service, const allot__cycle_done *done);
void allot__view_swapped(allot_service *service);
void allot__view_status(allot_service *service, allot__text *out);

/* ---- Of the service (status.c) --------------------------------------------------------------- */

/* The methods `status`, and `report`, the same for people: {"healthy": ..., "rows": [{"name":
 * "disk", "text": ..., "trouble": false}, ...]}, troubles first. */
void allot__status_call(allot__request *call);
void allot__report_call(allot__request *call);
/* /metrics, in Prometheus' text format 0.0.4. */
void allot__metrics_write(allot_service *service, allot__text *out);
/* Describes what is wrong with the service in a sentence, cut to `size`; false: nothing. */
bool allot__health_ails(const allot_service *service, char *buf, size_t size);

#endif
