/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rows.h: what the books have, each as documents of states have it. */
#ifndef ALLOT_SERVICE_LISTS_ROWS_H
#define ALLOT_SERVICE_LISTS_ROWS_H

#include "service/books/own.h"

/* Each of these writes one row as an item of a list: what a document of a state has, and what the
 * books know beside it: whose truth it is, whether a kill told it to go, which reclaim names it,
 * ... `now` counts what jobs did until then. */
typedef void allot__row_write(const allot__books *books, const allot__map_item *item, int64_t now,
                              allot__text *out);
allot__row_write allot__row_task, allot__row_session, allot__row_flight, allot__row_job,
    allot__row_host;

#endif
