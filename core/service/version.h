/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * version.h: one version of the plan with its policies, on an engine of its own, so that the next
 * one can be made in another thread while this one decides.
 */
#ifndef ALLOT_SERVICE_VERSION_H
#define ALLOT_SERVICE_VERSION_H

#include <allot/json.h>
#include <allot/script.h>

#include "service/text.h"

typedef struct allot__version {
    allot_engine *engine;
    allot_policy_loader loader;
    allot_plan *plan;
    char *text; /* of the plan's document */
    size_t len;
    char sha256[65]; /* of that text */
    allot_script_meter meter;
} allot__version;

/* Reads a plan from its text; `file` is what policies are relative to. Needs no loop and touches
 * nothing shared: any thread may call it. `limits` may be NULL. As allot_plan_read. */
int allot__version_read(const char *text, size_t len, const char *file,
                        const allot_script_limits *limits, allot_report *report,
                        allot__version **out);
/* Reads the file, too. EIO (report). Blocks. */
int allot__version_open(const char *file, const allot_script_limits *limits, allot_report *report,
                        allot__version **out);
void allot__version_free(allot__version *version);

#endif
