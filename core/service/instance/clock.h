/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* clock.h: what is known of a clock that is behind the time. */
#ifndef ALLOT_SERVICE_INSTANCE_CLOCK_H
#define ALLOT_SERVICE_INSTANCE_CLOCK_H

#include <allot/service.h>

#include "service/base/text.h"

/* Seconds: the clock may be behind by less than the one; the time stands still for the other. */
enum { ALLOT__CLOCK_SLACK = 2, ALLOT__CLOCK_PATIENCE = 60 };

typedef struct allot__clock {
    int64_t behind;    /* seconds; 0: it is not */
    int64_t seen;      /* what it said last, since it is */
    int64_t since;     /* when that began, by allot__service_timer */
    bool told;         /* the log knows */
    int64_t forgotten; /* how often the time was set back */
} allot__clock;

/* Looks at the clock; a time that was ahead for long enough is forgotten. Between two cycles. */
void allot__service_set_clock(allot_service *service);
/* What is wrong with it, as a sentence; false: nothing. */
bool allot__clock_ails(const allot_service *service, char *buf, size_t size);
/* The part. */
void allot__clock_status(allot_service *service, allot__buf *out);
void allot__clock_metrics(allot_service *service, allot__buf *out);

#endif
