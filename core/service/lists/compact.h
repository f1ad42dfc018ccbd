/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* compact.h: the orders of a decision as one line of JSON. */
#ifndef ALLOT_SERVICE_LISTS_COMPACT_H
#define ALLOT_SERVICE_LISTS_COMPACT_H

#include "service/books/books.h"

/* Writes {"seq": ..., "now": ..., "event": ..., "grants": [...], ...} without a line end: only the
 * orders, not what stays unchanged. Returns the number of orders, or ENOMEM. `books` has the
 * notifications sent before. */
int64_t allot__compact(allot__text *out, const allot_decision *decision, const allot__books *books,
                       int64_t seq, int64_t cycle, int64_t event, const allot_report *warnings);

#endif
