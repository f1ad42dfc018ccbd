/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* option.h: options by number. */
#ifndef ALLOT_MODEL_NAMES_OPTION_H
#define ALLOT_MODEL_NAMES_OPTION_H

#include <allot/plan.h>

/* Is it an option, and the value allowed? EUSAGE, ERANGE. */
int allot__option_check(int option, int64_t value);
/* Its value where nobody states one. */
int64_t allot__option_fallback(int option);

#endif
