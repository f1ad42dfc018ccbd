/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * lists.h: the calls that list items of the books, page by page; and a decision in a line.
 *
 * A page has the first rows by name after the name `after`, so rows that come or go between two
 * pages do not shift others.
 */
#ifndef ALLOT_SERVICE_LISTS_LISTS_H
#define ALLOT_SERVICE_LISTS_LISTS_H

#include "service/books/own.h"
#include "service/wire/rpc.h"

#define ALLOT__LIST_MOST 1000 /* rows of a page */

/* Answers `tasks`, `flights`, `hosts`, `sessions` and `jobs`. */
void allot__list_call(allot__request *call);

/* Answers `log`. */
void allot__log_call(allot__request *call);

/* Writes a row as an item of a list: its members in a state document, and what only the books know:
 * its source, whether its kill was sent, which reclaim names it, ... Jobs' times run up to
 * `now`. */
void allot__row_write(const allot__books *books, allot_item kind, const allot__map_item *item,
                      int64_t now, allot__text *out);

/* Writes {"seq": ..., "now": ..., "event": ..., "grants": [...], ...} without a line end: only the
 * orders, not what stays unchanged. Returns the number of orders, or ENOMEM. `books` has the
 * notifications sent before. */
int64_t allot__compact(allot__text *out, const allot_decision *decision, const allot__books *books,
                       int64_t seq, int64_t cycle, int64_t event, const allot_report *warnings);

#endif
