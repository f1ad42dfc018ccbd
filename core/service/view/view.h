/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * view.h: what a viewer sees: of every consumer the numbers as they stand, of what happened the
 * last pieces.
 *
 * A view is made when somebody asks, by a cycle that is not entered and so decides nothing: no
 * oftener than every ALLOT__VIEW_AGE ms, or ten times as long as it took, unless rows are wanted
 * that it lacks, and not at all while nobody looks. It has those rows alone that were wanted
 * lately, since telling of a row takes longer than deciding about it. It is a component of the
 * service (service.h), and the method `view` answers from it, branch by branch.
 */
#ifndef ALLOT_SERVICE_VIEW_VIEW_H
#define ALLOT_SERVICE_VIEW_VIEW_H

#include "service/instance/service.h"
#include "service/wire/rpc.h"

#define ALLOT__VIEW_AGE     200   /* ms */
#define ALLOT__VIEW_MOST    1000  /* rows in an answer */
#define ALLOT__VIEW_HISTORY 300   /* points of the timeline, a second apart or more */
#define ALLOT__VIEW_TOLD    50    /* decisions remembered */
#define ALLOT__VIEW_GROUPS  16    /* groups that have a timeline */
#define ALLOT__VIEW_KEPT    5000  /* ms for which a row is kept that was wanted */
#define ALLOT__VIEW_IDLE    60000 /* ms without a question, then its memory is given back */
#define ALLOT__VIEW_BOUNDS  12    /* of the histogram of cycles */

/* Numbers of a row. `owned` in hundredths, since it may be a fraction. */
#define ALLOT__VIEW_MAP(XX)                                                                        \
    XX(OWNED, "owned")                                                                             \
    XX(RESERVE, "reserve")                                                                         \
    XX(DEMAND, "demand")                                                                           \
    XX(QUOTA, "quota")                                                                             \
    XX(ALLOCATED, "allocated")                                                                     \
    XX(IN_FLIGHT, "in_flight")                                                                     \
    XX(OWN_USED, "own_used")                                                                       \
    XX(LENT, "lent")                                                                               \
    XX(BORROWED, "borrowed")                                                                       \
    XX(SHARED, "shared")                                                                           \
    XX(PLANNED, "planned")                                                                         \
    XX(OVER, "over")                                                                               \
    XX(DEFICIT, "deficit")

enum {
#define ALLOT__VIEW_ENUM(name, text) ALLOT__VIEW_##name,
    ALLOT__VIEW_MAP(ALLOT__VIEW_ENUM)
#undef ALLOT__VIEW_ENUM
        ALLOT__VIEW_NUMBERS
};
const char *allot__view_name(int number);
/* An exact number in hundredths, rounded, for display alone. */
int64_t allot__view_hundredths(const allot_ratio *ratio);

/* A point of the timeline. */
typedef struct allot__view_point {
    int64_t now, slots, allocated, demand, in_flight;
} allot__view_point;

/* What a decision ordered, in numbers. */
enum {
    ALLOT__VIEW_GRANTED, /* slots */
    ALLOT__VIEW_RECLAIMED,
    ALLOT__VIEW_KILLS,
    ALLOT__VIEW_STARTS,
    ALLOT__VIEW_SUSPENDS,
    ALLOT__VIEW_RESUMES,
    ALLOT__VIEW_GRANTS, /* from here on not told of a decision */
    ALLOT__VIEW_RECLAIMS,
    ALLOT__VIEW_ORDERS
};
typedef struct allot__view_orders {
    int64_t seq, now, counts[ALLOT__VIEW_ORDERS];
} allot__view_orders;

typedef struct allot__view {
    int32_t groups, consumers;
    int64_t version; /* grows with every change of what follows; 0: nothing is there yet */
    int64_t plan;    /* grows when another version of the plan decides */
    int64_t cycle, seq, event, now;
    int64_t *numbers;  /* by group, consumer, number; NULL: not there */
    uint64_t *wanted;  /* by group, consumer: uv_now */
    int64_t *row_made; /* likewise: with which version */
    bool lacks;        /* rows are wanted that are not made */
    int64_t makes;
    allot_totals *totals;
    uint64_t rest;                  /* ms until it may be made again */
    uint64_t made, asked;           /* uv_now */
    int64_t seen_cycle, seen_event; /* what it was made from */
    allot__view_point *history;     /* by group, ALLOT__VIEW_HISTORY each */
    int32_t history_groups, points;
    int64_t point; /* how many there ever were: the last stands at (point - 1) % HISTORY */
    allot__view_orders told[ALLOT__VIEW_TOLD];
    int64_t told_count;                   /* likewise */
    allot__view_orders sum;               /* since the service began */
    int64_t took[ALLOT__VIEW_BOUNDS + 1]; /* cycles by bound; the last has none */
    int64_t failures; /* of the service, when a cycle last succeeded: more by now is trouble */
    uv_timer_t timer; /* gives memory back */
    bool timer_opened;
} allot__view;

/* Upper bounds of the histogram, in microseconds, each larger than the one before. */
extern const int64_t allot__view_bounds[ALLOT__VIEW_BOUNDS];

/* Makes it anew if it is old and something happened since. EINVALID, ESCRIPT, EBUDGET (report),
 * ENOMEM: it is as it was. */
int allot__view_refresh(allot_service *service, allot_report *report);
/* Whether a refresh would make it anew. */
bool allot__view_stale(const allot_service *service);
/* Says that a row is going to be asked for: before a refresh. ENOMEM. */
int allot__view_want(allot_service *service, int32_t group, int32_t consumer);
/* Whether the row is there; and the numbers of a consumer, which must be. */
bool allot__view_has(const allot__view *view, int32_t group, int32_t consumer);
const int64_t *allot__view_row(const allot__view *view, int32_t group, int32_t consumer);

/* ---- As JSON (view_json.c) ------------------------------------------------------------------- */

/* A number as it is written: of `owned` with its fraction. */
void allot__view_put(allot__text *out, int number, int64_t value);
/* {"path": ..., "name": ..., "children": n, "rank": ..., "limit": ..., numbers}. */
void allot__view_put_row(allot__text *out, const allot_service *service, const allot__view *view,
                         int32_t group, int32_t consumer);
/* {"path": "/a", "of": 12, "from": 0, "rows": [...]}: `most` of the children of a consumer. */
void allot__view_put_branch(allot__text *out, const allot_service *service, const allot__view *view,
                            int32_t group, int32_t parent, int32_t from, int32_t most);
/* Consumers with that text in their name, or in their path where it has a slash, in any case: how
 * many, at most `most`, and which. */
int32_t allot__view_find(const allot_plan *plan, const char *text, int32_t most, int32_t *list);
/* {"text": ..., "rows": [...], "more": false}: what was found, without the one beyond `most`. */
void allot__view_put_found(allot__text *out, const allot_service *service, const allot__view *view,
                           int32_t group, const char *text, const int32_t *list, int32_t count,
                           int32_t most);
/* Members "cycle" to "totals" of a group. */
void allot__view_put_head(allot__text *out, const allot_service *service, const allot__view *view,
                          int32_t group);
/* Member "history": points behind number `behind`; and "told" likewise. */
void allot__view_put_history(allot__text *out, const allot__view *view, int32_t group,
                             int64_t behind);
void allot__view_put_orders(allot__text *out, const allot__view_orders *orders, int count);
void allot__view_put_told(allot__text *out, const allot__view *view, int64_t behind);

/* The method `view` {path, group, from, most, find} (view_call.c). */
void allot__view_call(allot__request *call);
/* The method `state` {plan} (state_call.c). */
void allot__state_call(allot__request *call);
/* What a call names; a name NULL: the first group. ENOENT with a fault. */
int allot__view_consumer(const allot_plan *plan, const char *path, int32_t *out,
                         allot__error *fault);
int allot__view_group(const allot_plan *plan, const char *name, int32_t *out, allot__error *fault);

/* The component (components.c). */
int allot__view_start(allot_service *service, allot_report *report);
void allot__view_stop(allot_service *service);
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
/* What ails the service, as a sentence, cut to `size`; false: nothing. */
bool allot__health_ails(const allot_service *service, char *buf, size_t size);

#endif
