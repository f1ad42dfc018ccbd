/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* say.c: findings about a plan, and about its variants, where a window is at fault. */
#include "model/windows/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "model/windows/window.h"

/* The path as a string, or NULL: out of memory; *size is its size in bytes. */
static char *path_make(const allot_plan *plan, int32_t consumer, size_t *size)
{
    if (consumer < 0)
        return NULL;
    *size = allot_plan_path(plan, consumer, NULL, 0) + 1;
    char *path = allot__new(plan->engine, *size, 1);
    if (path)
        allot_plan_path(plan, consumer, path, *size);
    return path;
}

/* Was the finding reported before, for the plan or another variant? */
static bool said(const allot__fault *fault, const char *message)
{
    for (int32_t i = 0; i < allot_report_count(fault->report); i++) {
        const allot_diagnostic *it = allot_report_at(fault->report, i);
        if (it->group == fault->group && it->consumer == fault->consumer &&
            strcmp(it->code, fault->code) == 0 && strcmp(it->message, message) == 0)
            return true;
    }
    return false;
}

void allot__say(const allot_plan *plan, const allot__fault *fault, const char *format, ...)
{
    char message[256] = "";
    char *path = NULL;
    size_t size = 0;
    /* A finding that is only counted needs no message: a path can be very long. */
    if (allot__report_keeps(fault->report, fault->severity)) {
        va_list args;
        va_start(args, format);
        vsnprintf(message, sizeof message, format, args);
        va_end(args);
        if (plan->base && said(fault, message))
            return;
        if (!fault->path)
            path = path_make(plan, fault->consumer, &size);
    }
    int32_t window = plan->base ? allot__variant_blames(plan, fault) + 1 : fault->window;
    allot_report_add(fault->report, &(allot_diagnostic){.severity = fault->severity,
                                                        .code = fault->code,
                                                        .path = path ? path : fault->path,
                                                        .message = message,
                                                        .hint = fault->hint,
                                                        .consumer = fault->consumer,
                                                        .group = fault->group,
                                                        .field = fault->field,
                                                        .window = window});
    allot__free(plan->engine, path, size, 1);
}
