/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * clock_back.c: resets a wrong time to the clock's, and moves the times noted meanwhile with it. In
 * the store this is an event.
 */
#include <inttypes.h>
#include <stdio.h>

#include "service/instance/service.h"

/* Times noted since the clock went wrong keep their distance from the correction. */
static int set_back(allot_service *service, int64_t clock, int64_t waited)
{
    char params[80];
    service->up->settle(service);
    int64_t by = service->now - clock + waited;
    int len =
        snprintf(params, sizeof params, "{\"now\": %" PRId64 ", \"by\": %" PRId64 "}", clock, by);
    if (allot__store_reserve(service->store, (size_t)len + 64) != ALLOT_OK)
        return ALLOT_ENOMEM;
    if (allot__store_snapshots(service->store))
        allot__store_give_up(service->store);
    allot__error fault = {.status = ALLOT_OK};
    allot__event event = {.kind = ALLOT__EVENT_KEEP_BACK, .at = clock, .since = clock, .by = by};
    int status = allot__books_apply(service->books, &event, &fault);
    if (status != ALLOT_OK)
        return status;
    allot__event_row row = {.seq = ++service->event,
                            .at = clock,
                            .method = allot__event_name(ALLOT__EVENT_KEEP_BACK),
                            .params = params,
                            .params_len = (size_t)len};
    allot__store_event(service->store, &row);
    service->fresh = true;
    const allot__log_field fields[] = {
        {"clock", NULL, clock}, {"time", NULL, service->now}, {NULL, NULL, 0}};
    service->now = clock;
    service->clock.forgotten++;
    service->clock.behind = 0;
    service->clock.told = false;
    allot__log(service, ALLOT_LOG_WARNING, "the time was ahead: it is the clock's again", fields);
    return ALLOT_OK;
}

void allot__clock_set(allot_service *service)
{
    allot__clock *it = &service->clock;
    allot__service_now(service);
    if (it->behind == 0 || allot__hold_is(service) || !service->running || service->stopping ||
        service->failed || service->settles) /* the owed cycle has the old time */
        return;
    int64_t waited = (allot__service_timer(service) - it->since) / 1000000;
    if (waited < ALLOT__CLOCK_PATIENCE || set_back(service, it->seen, waited) != ALLOT_OK)
        return;
    service->up->touch(service);
}
