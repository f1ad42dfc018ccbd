/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* error.c: the error of a call, in words. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "service/base/error.h"

static int fill(allot__error *fault, int status, const char *code, const char *path,
                const char *format, va_list arguments)
{
    fault->status = status;
    snprintf(fault->code, sizeof fault->code, "%s", code);
    fault->unfit = false;
    snprintf(fault->path, sizeof fault->path, "%s", path ? path : "");
    fault->hint[0] = '\0';
    vsnprintf(fault->message, sizeof fault->message, format, arguments);
    return status;
}

int allot__error_set(allot__error *fault, int status, const char *code, const char *path,
                     const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(fault, status, code, path, format, arguments);
    va_end(arguments);
    snprintf(fault->hint, sizeof fault->hint, "%s", hint ? hint : "");
    return status;
}

int allot__error_unfit(allot__error *fault, int status, const char *code, const char *path,
                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(fault, status, code, path, format, arguments);
    va_end(arguments);
    fault->unfit = true;
    return status;
}

const allot_diagnostic *allot__first_error(const allot_report *report)
{
    for (int32_t i = 0; report && i < allot_report_count(report); i++)
        if (allot_report_at(report, i)->severity == ALLOT_ERROR)
            return allot_report_at(report, i);
    return NULL;
}

/* A fault of the text as a whole is about "params". A missing member has no place: its name is in
 * the message. */
int allot__error_take(allot__error *fault, const allot_report *report)
{
    const allot_diagnostic *it = allot__first_error(report);
    char path[sizeof fault->path] = "params";
    if (!it)
        return ALLOT_ENOMEM;
    bool missing = strcmp(it->code, "E-missing") == 0;
    bool name = strncmp(it->code + 2, "unknown-", 8) == 0 && strcmp(it->code, "E-unknown-key") != 0;
    int status = strcmp(it->code, "E-range") == 0 ? ALLOT_ERANGE
                 : name                           ? ALLOT_ENOENT
                                                  : ALLOT_EINVALID;
    if (missing)
        sscanf(it->message, "\"%159[^\"]", path);
    else if (it->path)
        snprintf(path, sizeof path, "%s", it->path);
    if (missing)
        return allot__error_set(fault, status, it->code, path, it->hint, "%s", it->message);
    return allot__error_set(fault, status, it->code, path, it->hint, "%s: %s", path, it->message);
}
