/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* error.h: the error of a call, in words. */
#ifndef ALLOT_SERVICE_BASE_ERROR_H
#define ALLOT_SERVICE_BASE_ERROR_H

#include <stdbool.h>

#include <allot/report.h>

/* The error of a call or an event; texts are truncated to fit. */
typedef struct allot__error {
    char code[40];     /* "E-unknown-key", ... */
    char path[160];    /* the member: "consumer", "tags[2]"; "": none */
    char message[400]; /* what was found and what is allowed */
    char hint[160];    /* "": none */
    int status;        /* of allot_status */
    bool unfit;        /* no state can have this; earlier versions accepted it */
} allot__error;

/* Fills a fault and returns `status`. path and hint may be NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
int
allot__error_set(allot__error *fault, int status, const char *code, const char *path,
                 const char *hint, const char *format, ...);

/* The first error of a report, which may be NULL; NULL: none. */
const allot_diagnostic *allot__first_error(const allot_report *report);
/* Fills a fault from the report's first error, about a member of its text. EINVALID, ERANGE;
 * ENOENT: an unknown name. */
int allot__error_take(allot__error *fault, const allot_report *report);

/* The same, of an event that no state can have: already on disk, it is skipped. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
int
allot__error_unfit(allot__error *fault, int status, const char *code, const char *path,
                   const char *format, ...);

#endif
