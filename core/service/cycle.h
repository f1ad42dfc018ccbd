/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * cycle.h: when the service decides, and what happens to a decision.
 *
 * A cycle runs `debounce` ms after the first event that came since the last one, `interval` ms
 * after the last one, when something is due (books/books.h), or when it is asked for. Its decision
 * is entered in the books and added to the store at once; subscribers get it once it is on disk. A
 * cycle that fails (a policy's error, no memory) decides nothing, is logged, and is tried again
 * after the next event or interval.
 *
 * A cycle with no new input and no new result is neither entered nor recorded and gets no number,
 * so a quiet service writes nothing. What jobs used meanwhile is counted by a cycle that is
 * recorded just before the next event.
 *
 * Grants to leaves whose holdings a source states in full (`sync`) stand until the source lists
 * them as held: a cycle that grants the same again has no new result.
 */
#ifndef ALLOT_SERVICE_CYCLE_H
#define ALLOT_SERVICE_CYCLE_H

#include <allot/service.h>

#include "service/instance/component.h"

int allot__cycle_start(allot_service *service);
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
