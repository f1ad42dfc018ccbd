/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* compact.h: what a decision says is to be carried out, in a line. */
#ifndef ALLOT_SERVICE_LISTS_COMPACT_H
#define ALLOT_SERVICE_LISTS_COMPACT_H

#include "service/books/books.h"

/* Writes {"seq": ..., "now": ..., "event": ..., "grants": [...], ...} without a line end: what is
 * to be carried out, and nothing of what was left as it was. Returns how many orders there are, or
 * ENOMEM. `books` says what was told before. */
int64_t allot__compact(allot__text *out, const allot_decision *decision, const allot__books *books,
                       int64_t seq, int64_t cycle, int64_t event, const allot_report *warnings);

#endif
