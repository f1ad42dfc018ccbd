/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* option.h: options by number. */
#ifndef ALLOT_MODEL_NAMES_OPTION_H
#define ALLOT_MODEL_NAMES_OPTION_H

#include <allot/plan.h>

/* Checks that the option exists and the value is allowed. EUSAGE, ERANGE. */
int allot__option_check(int option, int64_t value);
/* The value of an option that is not stated. */
int64_t allot__option_fallback(int option);

#endif
