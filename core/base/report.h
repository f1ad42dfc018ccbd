/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* report.h: what the folders above need of reports beyond the public header. */
#ifndef ALLOT_BASE_REPORT_H
#define ALLOT_BASE_REPORT_H

#include <stdbool.h>

#include <allot/report.h>

/* Would the report keep another finding of that severity, or only count it? */
bool allot__report_keeps(const allot_report *report, allot_severity severity);

#endif
