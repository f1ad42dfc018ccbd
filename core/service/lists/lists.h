/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * lists.h: the calls that list what is in the books, page by page.
 *
 * A page has the first rows by name behind the name that `after` says, so that what comes and goes
 * between two pages moves nothing else.
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

/* Writes a row as an item of a list: what a document of a state has, and what the books know beside
 * it: whose truth it is, whether a kill told it to go, which reclaim names it, ... `now` counts
 * what jobs did until then. */
void allot__row_write(const allot__books *books, allot_item kind, const allot__map_item *item,
                      int64_t now, allot__text *out);

#endif
