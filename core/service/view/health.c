/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* health.c: whether the service does what it is there for, and if not, why. */
#include <stdio.h>

#include "service/reload/reload.h"
#include "service/view/view.h"

bool allot__health_ails(const allot_service *service, char *buf, size_t size)
{
    const allot__view *view = service->components.view;
    const char *error = allot__store_error(service->store);
    if (!service->running || service->stopping) {
        snprintf(buf, size, "the service is stopping");
        return true;
    }
    if (error) {
        snprintf(buf, size, "the store fails: %.300s", error);
        return true;
    }
    if (service->tally.failures > view->failures) {
        snprintf(buf, size, "cycles fail: %lld since the last that succeeded; the log says why",
                 (long long)(service->tally.failures - view->failures));
        return true;
    }
    if (allot__clock_ails(service, buf, size))
        return true;
    return allot__reload_ails(service, buf, size);
}
