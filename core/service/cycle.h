/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * cycle.h: when to decide, and what becomes of a decision.
 *
 * A cycle runs `debounce` ms after the first event that came since the last one, `interval` ms
 * after the last one, when something is due (books/books.h), or when it is asked for. What it
 * decides is entered in the books and added to the store at once; it is told once it is on disk. A
 * cycle that fails (a policy's error, no memory) decides nothing, is logged, and is tried again
 * after the next event or interval.
 *
 * A cycle that saw nothing new and came to nothing new is as if it had not been: it is neither
 * entered nor recorded, and has no number of its own, so who is quiet writes nothing. What jobs
 * used until then is counted by a cycle that is recorded just before the next event.
 *
 * Grants to leaves of which a source tells all that they hold (`sync`) stand until it says that
 * they are there: a cycle that grants the same again came to nothing new.
 */
#ifndef ALLOT_SERVICE_CYCLE_H
#define ALLOT_SERVICE_CYCLE_H

#include <allot/service.h>

#include "service/instance/component.h"

int allot__cycle_start(allot_service *service);
/* An event was entered. */
void allot__cycle_touch(allot_service *service);
/* Runs one now, which nobody does while somebody holds the books. `full` (NULL: not wanted) gets
 * the whole document, allot/decision/v1. ESCRIPT, EBUDGET, EINVALID (report), ENOMEM. */
int allot__cycle_run(allot_service *service, allot_report *report, allot__text *full);
/* Records what cycles that were not recorded owe, before something changes. */
void allot__cycle_settle(allot_service *service);
void allot__cycle_stop(allot_service *service);
void allot__cycle_free(allot_service *service);

#endif
