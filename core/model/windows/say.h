/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* say.h: findings about a plan. */
#ifndef ALLOT_MODEL_WINDOWS_SAY_H
#define ALLOT_MODEL_WINDOWS_SAY_H

#include "model/plan/plan.h"

/* Where a finding goes, and what it is about; -1: not about any. */
typedef struct allot__fault {
    allot_report *report;
    allot_severity severity;
    const char *code, *hint;
    int32_t group, consumer, field;
    const char *path; /* NULL: the consumer's */
    int32_t window;   /* the window at fault, plus 1; in a variant ignored: its windows decide */
} allot__fault;

/* An error without a place, for the caller to complete. */
static inline allot__fault allot__fault_of(allot_report *report, const char *code, const char *hint)
{
    return (allot__fault){.report = report,
                          .severity = ALLOT_ERROR,
                          .code = code,
                          .hint = hint,
                          .consumer = -1,
                          .field = -1};
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void allot__say(const allot_plan *plan, const allot__fault *fault, const char *format, ...);

#endif
