/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* log.h: the service's log, in lines of text or JSON. */
#ifndef ALLOT_SERVICE_INSTANCE_LOG_H
#define ALLOT_SERVICE_INSTANCE_LOG_H

#include <allot/service.h>

/* A member of a line; `text` NULL: `number` is written. */
typedef struct allot__log_field {
    const char *name, *text;
    int64_t number;
} allot__log_field;

/* "2026-11-21T21:00:00Z info: message key=value ..." or {"at": ..., "level": ..., "message": ...};
 * `fields` ends with a row without name; NULL: none. Never fails. */
void allot__log(allot_service *service, allot_log_level level, const char *message,
                const allot__log_field *fields);
/* A line of its own for each finding of a report. */
void allot__log_report(allot_service *service, const allot_report *report);

#endif
