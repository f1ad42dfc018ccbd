/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * clock.h: the service's time, which goes back only to undo a jump of the clock.
 *
 * While the clock is behind the time (it was set back), the time stands still. If that lasts for
 * ALLOT__CLOCK_PATIENCE, the time was wrong, and becomes the clock's again (clock_back.c).
 */
#ifndef ALLOT_SERVICE_INSTANCE_CLOCK_H
#define ALLOT_SERVICE_INSTANCE_CLOCK_H

#include <allot/service.h>

#include "base/text.h"

/* Seconds: a lag below SLACK is tolerated; the time stands still for PATIENCE. */
enum { ALLOT__CLOCK_SLACK = 2, ALLOT__CLOCK_PATIENCE = 60 };

typedef struct allot__clock {
    int64_t behind;    /* seconds; 0: not behind */
    int64_t seen;      /* its last value while it is behind */
    int64_t since;     /* when the lag began, by allot__service_timer */
    bool told;         /* the lag is logged */
    int64_t forgotten; /* how often the time was set back */
} allot__clock;

/* The service's time in whole seconds (see above). */
int64_t allot__service_now(allot_service *service);
/* Reads the clock; sets the time back if it was ahead for long enough. Between two cycles. */
void allot__clock_set(allot_service *service);
/* Microseconds that only go forward; `ud` is the service. */
int64_t allot__service_timer(void *service);
/* Describes what is wrong with the clock, in a sentence; false: nothing. */
bool allot__clock_ails(const allot_service *service, char *buf, size_t size);
/* The component. */
void allot__clock_status(allot_service *service, allot__text *out);

#endif
