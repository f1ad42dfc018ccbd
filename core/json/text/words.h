/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* words.h: what an option of a policy is written as. */
#ifndef ALLOT_JSON_TEXT_WORDS_H
#define ALLOT_JSON_TEXT_WORDS_H

#include "json/text/read.h"

/* Reads a whole number, true or false, a text, or a list of texts; of such the string has them all,
 * with blanks between, and lives as long as the member. A fault is said, and the value's kind is 0.
 */
void allot__option_read(allot__doc *doc, cJSON *member, allot__value *out);

#endif
