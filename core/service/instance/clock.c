/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* clock.c: the service's time, and what is reported about the clock. */
#include "service/instance/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "service/instance/service.h"

static int64_t read_clock(const allot_service *service)
{
    const allot_service_config *config = &service->config;
    return config->clock ? config->clock(config->clock_ud) : (int64_t)time(NULL);
}

int64_t allot__service_timer(void *ud)
{
    const allot_service *service = ud;
    const allot_service_config *config = &service->config;
    return config->timer ? config->timer(config->clock_ud) : (int64_t)(uv_hrtime() / 1000);
}

/* A clock that is set back again begins a new lag. */
static void fall_behind(allot_service *service, int64_t clock)
{
    allot__clock *it = &service->clock;
    bool anew = it->behind == 0 || clock < it->seen;
    it->seen = clock;
    it->behind = service->now - clock;
    if (anew)
        it->since = allot__service_timer(service);
    if (it->told || it->behind < ALLOT__CLOCK_SLACK)
        return;
    const allot__log_field fields[] = {{"clock", NULL, clock},
                                       {"time", NULL, service->now},
                                       {"behind_s", NULL, it->behind},
                                       {NULL, NULL, 0}};
    it->told = true;
    allot__log(service, ALLOT_LOG_ERROR, "the clock is behind the time, which stands still",
               fields);
}

static void catch_up(allot_service *service, int64_t clock)
{
    allot__clock *it = &service->clock;
    bool told = it->told;
    service->now = clock;
    it->behind = 0;
    it->told = false; /* before logging, which reads the time */
    if (told)
        allot__log(service, ALLOT_LOG_WARNING, "the clock and the time are the same again", NULL);
}

int64_t allot__service_now(allot_service *service)
{
    int64_t clock = read_clock(service);
    if (clock < service->now)
        fall_behind(service, clock);
    else
        catch_up(service, clock);
    return service->now;
}

/* ---- Reports --------------------------------------------------------------------------------- */

bool allot__clock_ails(const allot_service *service, char *buf, size_t size)
{
    const allot__clock *it = &service->clock;
    if (it->behind < ALLOT__CLOCK_SLACK)
        return false;
    snprintf(buf, size,
             "the clock is %" PRId64 " s behind the time, which stands still: it was set back, and "
             "counts again after %d s",
             it->behind, ALLOT__CLOCK_PATIENCE);
    return true;
}

void allot__clock_status(allot_service *service, allot__text *out)
{
    allot__text_open(out, "clock", "{");
    allot__text_number(out, "behind", service->clock.behind);
    allot__text_number(out, "set_back", service->clock.forgotten);
    allot__text_puts(out, "}");
}
