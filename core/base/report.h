/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* report.h: helpers for reports beyond the public header. */
#ifndef ALLOT_BASE_REPORT_H
#define ALLOT_BASE_REPORT_H

#include <stdbool.h>

#include <allot/report.h>

/* An error about no consumer, group or column; for the caller to complete. */
static inline allot_diagnostic allot__error(const char *code, const char *message)
{
    return (allot_diagnostic){.severity = ALLOT_ERROR,
                              .code = code,
                              .message = message,
                              .consumer = -1,
                              .group = -1,
                              .field = -1};
}

/* Would the report keep another finding of that severity, or only count it? */
bool allot__report_keeps(const allot_report *report, allot_severity severity);

#endif
