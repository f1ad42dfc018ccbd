/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* say.h: findings about a plan. */
#ifndef ALLOT_MODEL_WINDOWS_SAY_H
#define ALLOT_MODEL_WINDOWS_SAY_H

#include "model/plan/plan.h"

/* Where a finding goes and what it is about; -1: not about one. */
typedef struct allot__fault {
    allot_report *report;
    allot_severity severity;
    const char *code, *hint;
    int32_t group, consumer, field;
    const char *path; /* NULL: the consumer's */
    int32_t window;   /* what the plan itself knows of one, plus 1; else who holds is blamed */
} allot__fault;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void allot__say(const allot_plan *plan, const allot__fault *fault, const char *format, ...);

#endif
