/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* fault.c: what is wrong with a call, in words. */
#include <stdarg.h>
#include <stdio.h>

#include "service/event.h"

int allot__fault_set(allot__fault *fault, int status, const char *code, const char *path,
                     const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fault->status = status;
    fault->code = code;
    snprintf(fault->path, sizeof fault->path, "%s", path != NULL ? path : "");
    snprintf(fault->hint, sizeof fault->hint, "%s", hint != NULL ? hint : "");
    vsnprintf(fault->message, sizeof fault->message, format, arguments);
    va_end(arguments);
    return status;
}
