/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * dispatch.h: what a decision says of queues, jobs and contracts.
 */
#ifndef ALLOT_JSON_DECISION_DISPATCH_H
#define ALLOT_JSON_DECISION_DISPATCH_H

#include "json/text/writer.h"

/* The orders of a kind, item by item; into a list that is open. */
void allot__write_orders(allot__writer *out, const allot_decision *decision, allot_order_kind kind);
/* "resizes", "queues", "pools", and how queues were used, of plans with queues: "usage",
 * "usage_at" and "usage_rest" are what the next state is to say. */
void allot__write_queues(allot__writer *out, const allot_decision *decision);
/* "leases": contracts as the next state may say them, and what changed. */
void allot__write_leases(allot__writer *out, const allot_decision *decision);

#endif
