/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* error.c: the error of a call, in words. */
#include <stdarg.h>
#include <stdio.h>

#include "service/base/error.h"

static int fill(allot__error *fault, int status, const char *code, const char *path,
                const char *format, va_list arguments)
{
    fault->status = status;
    fault->code = code;
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
