/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * books.h: the books: who demands and holds what, as far as events and decisions have told.
 *
 * The books are a state and what the service alone knows: who told of what, what was told, what is
 * due. An event is entered whole or not at all. A decision is entered as soon as it is made: a
 * grant as allocated, a reclaim as in flight, a start as running; so a slot is granted once though
 * a resource manager is slow.
 *
 * Books hold numbers of one plan; under another one they are moved by names. Their memory comes
 * from the engine given, not from the plan's: plans may be read by engines of their own.
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
 * entered. Whatever was entered, allot__books_state succeeds but for ENOMEM, and for what only the
 * whole shows (tasks of hosts that are gone, groups of too many slots): see there. */
int allot__books_apply(allot__books *books, const allot__event *event, allot__error *fault);

/* What an event says of a task that is not known yet, which borrows the event's lists, needs a
 * leaf, and a group where there are several, and while it waits is nowhere. EINVALID with a fault.
 * Touches nothing but the plan. */
int allot__event_task_new(const allot_plan *plan, const allot__event *event, allot_task *out,
                          allot__error *fault);
/* The state at `now`, sealed; the books' own, until the next call of this or of apply's. EINVALID
 * (report): events came to a state that does not fit together. ENOMEM. */
int allot__books_state(allot__books *books, int64_t now, allot_report *report,
                       const allot_state **out);

/* Whether its time is taken for one in whole seconds, rounded down (allot_state_now_rounded), as it
 * is to begin with. */
void allot__books_round(allot__books *books, bool rounded);
/* A copy of what there is, as it was sealed last or has changed since. ENOMEM. */
int allot__books_copy(const allot__books *books, allot_state **out);
/* Whether that costs next to nothing. */
bool allot__books_few(const allot__books *books);
/* Gives the state away: the books can only be ended. */
allot_state *allot__books_take_state(allot__books *books);
/* Carries out a decision about that state, whose cycle has that number, once nobody else reads the
 * decision any more: reclaims are "r<cycle>.<i>", where i is its place in the decision. What
 * changed is written to `effect`, as lines that allot__books_read enters without deciding anew;
 * when that ran out of memory (its `failed`), the decision was entered all the same. ENOMEM:
 * nothing was entered. */
int allot__books_enter(allot__books *books, const allot_decision *decision, int64_t cycle,
                       allot__text *effect);

/* Whether a kill was told by an earlier decision, so that it is not told again: `i` of
 * allot_decision_kill. To be asked before the decision is entered. */
bool allot__books_told(const allot__books *books, const allot_decision *decision, int32_t i);

/* Whether a grant of no slots names nothing but tasks that were told to start, so that it is not
 * told again: `i` of allot_decision_grant. To be asked before the decision is entered. */
bool allot__books_starts_told(const allot__books *books, const allot_decision *decision, int32_t i);

/* How many of its grants are to leaves of which a source tells all that they hold: nothing of
 * these is entered, and they are granted again until the source says that they are there. */
int64_t allot__books_standing(const allot__books *books, const allot_decision *decision);
/* Whether a decision without orders but these leaves the books as they are, but for the time:
 * nothing was due since the last one that was entered. Then it need not be entered. */
bool allot__books_still(const allot__books *books, const allot_decision *decision);
/* Whether jobs run: what they use is counted up to the last decision that was entered. */
bool allot__books_use(const allot__books *books);

/* The next time after `now` at which a cycle decides something though no event came: a deadline,
 * the end of a leeway or delay, a switch of windows. INT64_MAX: none. */
int64_t allot__books_due(const allot__books *books, int64_t now);

/* Writes the books as events of kinds that are kept and others, a line each: {"method": "...",
 * "params": {...}}. Entered into empty books in that order they make the same. ENOMEM. */
int allot__books_write(const allot__books *books, allot__text *out);
/* The same bit by bit, as the books are when it begins, whatever is entered meanwhile: what is not
 * written yet is written before it changes. A list that is under way ends. ENOMEM. */
int allot__books_list_begin(allot__books *books);
/* Adds some lines, `most` bytes or little more (a line is whole); *over: nothing is left. EUSAGE:
 * nothing was begun. ENOMEM: it cannot be gone on with. Both end it, as being over does. */
int allot__books_list(allot__books *books, allot__text *out, size_t most, bool *over);
void allot__books_list_end(allot__books *books);
/* Enters one such line. As allot__books_apply. */
int allot__books_read(allot__books *books, allot__event_reader *reader, const char *line,
                      size_t len, allot__error *fault);

/* All that is in the books under another plan, `ids` being from theirs to that; they are empty
 * then, and the caller's to end. It takes some nanoseconds a thing, whatever there is. ENOENT,
 * EINVALID (report): the plan lacks somebody who has, or demands, something; ENOMEM: they are as
 * they were. */
int allot__books_rebase(allot__books *books, const allot_plan_map *ids, allot_report *report,
                        allot__books **out);
/* A copy of them under another plan. As allot__books_rebase, but that it takes longer; and where
 * `lost` is given what the plan lacks is left out, and counted in it. */
int allot__books_move(const allot__books *books, const allot_plan *plan, int64_t *lost,
                      allot_report *report, allot__books **out);

/* How many tasks, sessions, jobs and reclaims in flight there are; how many of the tasks wait. */
typedef struct allot__books_count {
    int64_t tasks, pending, sessions, jobs, flights;
} allot__books_count;
allot__books_count allot__books_size(const allot__books *books);

/* How long those have waited that waited longest, in seconds; 0: nobody does. */
typedef struct allot__books_waits {
    int64_t demand;  /* a leaf that wants more than it is allocated; since books were made, or moved
                        to a plan with other consumers, at most */
    int64_t reclaim; /* a reclaim in flight, since it was ordered */
    int64_t job;     /* a pending job, since it was submitted */
    int64_t overdue; /* so many reclaims in flight are behind their deadline */
} allot__books_waits;
allot__books_waits allot__books_longest(const allot__books *books, int64_t now);

#endif
