/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* life.h: shared by the files of a service's life: its start, entering events, cycles, keeping
 * rows. */
#ifndef ALLOT_SERVICE_LIFE_H
#define ALLOT_SERVICE_LIFE_H

#include "service/instance/service.h"
#include "service/wire/rpc.h"

/* The rows of methods.c. */
extern const allot__method allot__methods[];

/* As allot__upcalls has them. */
int allot__service_enter(allot_service *service, allot__event *event, const char *params,
                         size_t len, int64_t *seq, int64_t *batch, allot__error *fault);
int allot__service_swap(allot_service *service, allot__generation *generation,
                        const allot_plan_map *ids, allot_report *report, allot__generation **old);

/* Opens the store, chooses the first generation, and brings its books to where the store ends. The
 * files' generation is chosen if it passes the checks of a reload; else the one that decided last
 * goes on, and `refused` says why. Errors as allot__service_load; the files' own where no
 * generation decided before. */
int allot__service_begin(allot_service *service, allot_report *report);
/* What the leader of the store wrote, for one that stands by: enters it in the books. EIO: it does
 * not fit. `ud` is the service. */
int allot__service_follow_event(void *ud, const allot__event_row *row);
int allot__service_follow_cycle(void *ud, const allot__cycle_row *row);
/* Stores the generation as the one that decides from now on. ENOMEM. */
int allot__service_keep(allot_service *service);
/* Writes a snapshot when enough has happened since the last one, or `now`. */
void allot__service_snapshot(allot_service *service, bool now);
/* Deletes rows that need not be kept: now and then, and after each snapshot. */
void allot__service_let_go(allot_service *service);

/* ---- Cycles ---------------------------------------------------------------------------------- */

/*
 * When the service decides, and what happens to a decision.
 *
 * A cycle runs `debounce` ms after the first event that came since the last one, `interval` ms
 * after the last one, when something is due (books/books.h), or when it is asked for. It runs up to
 * EARLY ms before that, when a batch of events would begin: one commit writes the events and their
 * decision, and `debounce` ms after the first event the decision is on disk. It is entered in the
 * books and added to the store at once; subscribers get it once it is on disk. A cycle that fails
 * (a policy's error, no memory) decides nothing, is logged, and is tried again after the next event
 * or interval.
 *
 * A cycle with no new input and no new result is neither entered nor recorded and gets no number,
 * so a quiet service writes nothing. What jobs used meanwhile is counted by a cycle that is
 * recorded just before the next event.
 *
 * Grants to leaves whose holdings a source states in full (`sync`) stand until the source lists
 * them as held: a cycle that grants the same again has no new result.
 */
void allot__cycle_start(allot_service *service);
/* An event was entered. */
void allot__cycle_touch(allot_service *service);
/* Runs a cycle now; no hold may have the books (instance/hold.h). `full` (NULL: not wanted) gets
 * the whole document, allot/decision/v1. ESCRIPT, EBUDGET, EINVALID (report), ENOMEM. */
int allot__cycle_run(allot_service *service, allot_report *report, allot__text *full);
/* Records the job use of the cycles that were not recorded, before something changes. */
void allot__cycle_settle(allot_service *service);
void allot__cycle_stop(allot_service *service);
void allot__cycle_free(allot_service *service);

#endif
