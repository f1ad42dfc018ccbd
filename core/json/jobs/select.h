/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * select.h: which hosts an export policy means (RES_SELECT): those that fulfil all its terms.
 *
 * An object names attributes and what they are: {"type": "LINUX"}. A text is LSF's, as far as it is
 * comparisons with && between them: "type == LINUX && mem >= 64". Attributes are those that hosts
 * state, and name, group and slots. Equal to "any" is everything. A host without the attribute does
 * not match, but for "any".
 */
#ifndef ALLOT_JSON_JOBS_SELECT_H
#define ALLOT_JSON_JOBS_SELECT_H

#include "json/text/texts.h"

typedef enum allot__compare {
    ALLOT__EQUAL,
    ALLOT__UNEQUAL,
    ALLOT__AT_LEAST,
    ALLOT__AT_MOST,
    ALLOT__ABOVE,
    ALLOT__BELOW
} allot__compare;

typedef struct allot__term {
    const char *name, *text;
    allot__compare compare;
} allot__term;

typedef struct allot__select {
    allot__term *terms;
    int32_t count;
} allot__select;

/* Reads the value; not there: all hosts. Faults are said. It lives as by allot__doc_take. */
void allot__select_read(allot__doc *doc, const allot__value *value, allot__select *out);
bool allot__select_matches(const allot__select *select, const allot_plan *plan, int32_t host);

#endif
