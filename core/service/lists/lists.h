/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * lists.h: the calls that list items of the books, page by page.
 *
 * A page has the first rows by name after the name `after`, so rows that come or go between two
 * pages do not shift others.
 */
#ifndef ALLOT_SERVICE_LISTS_LISTS_H
#define ALLOT_SERVICE_LISTS_LISTS_H

#include "service/books/own.h"
#include "service/wire/rpc.h"

#define ALLOT__LIST_MOST 1000 /* rows of a page */

void allot__list_tasks(allot__request *call);
void allot__list_flights(allot__request *call);
void allot__list_hosts(allot__request *call);
void allot__list_sessions(allot__request *call);
void allot__list_jobs(allot__request *call);

/* Writes a row as an item of a list: its members in a state document, and what only the books know:
 * its source, whether its kill was sent, which reclaim names it, ... Jobs' times run up to
 * `now`. */
void allot__row_write(const allot__books *books, allot_item kind, const allot__map_item *item,
                      int64_t now, allot__text *out);

#endif
