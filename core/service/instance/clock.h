/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * clock.h: the time, which never goes back, unless it was wrong.
 *
 * While the clock is behind the time, since it was set back, the time stands still. That is over
 * soon, or the time was what was wrong: after ALLOT__CLOCK_PATIENCE it is the clock's again
 * (clock_back.c).
 */
#ifndef ALLOT_SERVICE_INSTANCE_CLOCK_H
#define ALLOT_SERVICE_INSTANCE_CLOCK_H

#include <allot/service.h>

#include "base/text.h"

/* Seconds: the clock may be behind by less than the one; the time stands still for the other. */
enum { ALLOT__CLOCK_SLACK = 2, ALLOT__CLOCK_PATIENCE = 60 };

typedef struct allot__clock {
    int64_t behind;    /* seconds; 0: it is not */
    int64_t seen;      /* what it said last, since it is */
    int64_t since;     /* when that began, by allot__service_timer */
    bool told;         /* the log knows */
    int64_t forgotten; /* how often the time was set back */
} allot__clock;

/* The time, in whole seconds, which never goes back, unless it was wrong. */
int64_t allot__service_now(allot_service *service);
/* Looks at the clock; a time that was ahead for long enough is forgotten. Between two cycles. */
void allot__clock_set(allot_service *service);
/* Microseconds that only go forward; `ud` is the service. */
int64_t allot__service_timer(void *service);
/* What is wrong with it, as a sentence; false: nothing. */
bool allot__clock_ails(const allot_service *service, char *buf, size_t size);
/* The component. */
void allot__clock_status(allot_service *service, allot__text *out);

#endif
