/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * books.h: the books: who demands and holds what, by the events and decisions so far.
 *
 * The books are a state and what the service alone knows: sources, sent notifications, due times.
 * An event is entered whole or not at all. A decision is entered as soon as it is made: a grant as
 * allocated, a reclaim as in flight, a start as running; so a slot is granted once even if the
 * resource manager is slow.
 *
 * Books hold numbers of one plan; a move to another plan maps them by name. Their memory comes from
 * the engine given, not from the plan's, which may be another.
 */
#ifndef ALLOT_SERVICE_BOOKS_BOOKS_H
#define ALLOT_SERVICE_BOOKS_BOOKS_H

#include "service/events/event.h"
#include "base/text.h"

typedef struct allot__books allot__books;

/* Empty books under a plan, which must outlive them. ENOMEM. */
int allot__books_new(allot_engine *engine, const allot_plan *plan, allot__books **out);
void allot__books_end(allot__books *books);
const allot_plan *allot__books_plan(const allot__books *books);

/* Enters an event. EUSAGE, ERANGE, EEXIST, ENOENT, EINVALID with a fault, or ENOMEM: nothing was
 * entered. After any entered events, allot__books_state fails only by ENOMEM and by faults of the
 * state as a whole (tasks of hosts that are gone, groups of too many slots). */
int allot__books_apply(allot__books *books, const allot__event *event, allot__error *fault);

/* The new task that an event describes; it borrows the event's lists. It needs a leaf, and a group
 * where there are several; a waiting one has no host. EINVALID with a fault. Reads only the
 * plan. */
int allot__event_task_new(const allot_plan *plan, const allot__event *event, allot_task *out,
                          allot__error *fault);
/* The state at `now`, sealed; owned by the books, valid until the next call of this or of apply.
 * EINVALID (report): the events' state is inconsistent. ENOMEM. */
int allot__books_state(allot__books *books, int64_t now, allot_report *report,
                       const allot_state **out);

/* Whether times count as whole seconds, rounded down (allot_state_now_rounded); initially true. */
void allot__books_round(allot__books *books, bool rounded);
/* A copy of the state, as last sealed or changed since. ENOMEM. */
int allot__books_copy(const allot__books *books, allot_state **out);
/* Whether such a copy costs next to nothing. */
bool allot__books_few(const allot__books *books);
/* Gives the state away; afterwards the books can only be ended. */
allot_state *allot__books_take_state(allot__books *books);
/* Carries out a decision about that state, once nothing else reads the decision. Reclaims are named
 * "r<cycle>.<i>", i being the place in the decision. The changes are written to `effect`, as lines
 * that allot__books_read enters without deciding anew; if `effect` ran out of memory (its
 * `failed`), the decision was entered all the same. ENOMEM: nothing was entered. */
int allot__books_enter(allot__books *books, const allot_decision *decision, int64_t cycle,
                       allot__text *effect);

/* Whether an earlier decision already sent kill `i` (of allot_decision_kill), so that it is not
 * sent again. Call it before the decision is entered. */
bool allot__books_told(const allot__books *books, const allot_decision *decision, int32_t i);

/* Whether grant `i` (of allot_decision_grant) has no slots and names only tasks whose start was
 * already sent, so that it is not sent again. Call it before the decision is entered. */
bool allot__books_starts_told(const allot__books *books, const allot_decision *decision, int32_t i);

/* How many grants are to leaves whose holdings a source states in full: these are not entered, and
 * are granted again until the source lists them as held. */
int64_t allot__books_standing(const allot__books *books, const allot_decision *decision);
/* Whether a decision with no other orders changes nothing in the books but the time (nothing was
 * due since the last entered one). Such a decision need not be entered. */
bool allot__books_still(const allot__books *books, const allot_decision *decision);
/* Whether jobs run, whose use is counted up to the last entered decision. */
bool allot__books_use(const allot__books *books);

/* The next time after `now` at which a cycle without events may decide something: a deadline, the
 * end of a leeway or delay, a switch of windows. INT64_MAX: none. */
int64_t allot__books_due(const allot__books *books, int64_t now);

/* Writes the books as events, also of kept kinds, a line each: {"method": "...", "params": {...}}.
 * Entered into empty books in that order, they make equal books. ENOMEM. */
int allot__books_write(const allot__books *books, allot__text *out);
/* The same in parts, as of the beginning, whatever is entered meanwhile: an item that changes is
 * written before the change. Ends a list in progress. ENOMEM. */
int allot__books_list_begin(allot__books *books);
/* Adds whole lines, `most` bytes or little more; *over: nothing is left. EUSAGE: no list was begun.
 * ENOMEM: the list cannot go on. Both end the list, as does *over. */
int allot__books_list(allot__books *books, allot__text *out, size_t most, bool *over);
void allot__books_list_end(allot__books *books);
/* Enters such lines. A line that fails, except by ENOMEM, ends this with its status and `fault`,
 * unless `judge` (NULL: none) returns ALLOT_OK for it. */
typedef int allot__books_judge(void *ud, int status, const allot__error *fault);
int allot__books_read(allot__books *books, allot__event_reader *reader, const char *text,
                      size_t len, allot__books_judge *judge, void *ud, allot__error *fault);

/* Moves all contents into books of another plan, by `ids` from the old plan to the new; the old
 * books are empty then, and the caller ends them. Costs some nanoseconds a thing. ENOENT, EINVALID
 * (report): the plan lacks a consumer or queue in use; ENOMEM. After an error the books are
 * unchanged. */
int allot__books_rebase(allot__books *books, const allot_plan_map *ids, allot_report *report,
                        allot__books **out);
/* A copy under another plan, without what that plan lacks; slower than allot__books_rebase. `lost`
 * gets the first loss; its code is NULL if there is none. ENOMEM. */
int allot__books_move(const allot__books *books, const allot_plan *plan, allot__error *lost,
                      allot__books **out);

/* How many tasks, sessions, jobs and reclaims in flight; pending: tasks that wait. */
typedef struct allot__books_count {
    int64_t tasks, pending, sessions, jobs, flights;
} allot__books_count;
allot__books_count allot__books_size(const allot__books *books);

/* The longest current waits, in seconds; 0: none. */
typedef struct allot__books_waits {
    int64_t demand;  /* a leaf that wants more than it is allocated; since books were made, or moved
                        to a plan with other consumers, at most */
    int64_t reclaim; /* a reclaim in flight, since it was ordered */
    int64_t job;     /* a pending job, since it was submitted */
    int64_t overdue; /* how many reclaims in flight are past their deadline */
} allot__books_waits;
allot__books_waits allot__books_longest(const allot__books *books, int64_t now);

#endif
