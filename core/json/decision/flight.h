/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * flight.h: what a decision says of tasks: those of a reclaim, and reclaims in flight.
 */
#ifndef ALLOT_JSON_DECISION_FLIGHT_H
#define ALLOT_JSON_DECISION_FLIGHT_H

#include "json/text/writer.h"

/* "tasks": the ids of a reclaim's or a grant's, first to last. */
void allot__write_tasks(allot__writer *out, const allot_decision *decision, const int32_t *tasks,
                        int32_t count);
/* "flights": reclaims in flight as they stand. */
void allot__write_flights(allot__writer *out, const allot_decision *decision);
/* "loans": the ledger once the decision is carried out. */
void allot__write_loans(allot__writer *out, const allot_decision *decision);
/* "kills": tasks whose time is over, and jobs. */
void allot__write_kills(allot__writer *out, const allot_decision *decision);

/* Writes the list `sessions`: what each deserves of its leaf's quota. */
void allot__write_sessions(allot__writer *out, const allot_decision *decision);

#endif
