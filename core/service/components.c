/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* components.c: the components, in the order of starting. */
#include <stddef.h>

#include "service/life.h"
#include "service/notify/notify.h"
#include "service/reload/reload.h"
#include "service/shadow/shadow.h"
#include "service/sync/sync.h"
#include "service/view/http.h"

/* The row members of a component with a struct. */
#define STRUCT(type, member)                                                                       \
    .size = sizeof(type), .slot = offsetof(allot_service, components.member)

const allot__component allot__components[] = {
    {.name = "hold", .start = allot__hold_start, .stop = allot__hold_stop},
    {.name = "clock", .status = allot__clock_status},
    {.name = "sync", .status = allot__sync_status},
    {.name = "reload",
     STRUCT(allot__reload, reload),
     .start = allot__reload_start,
     .stop = allot__reload_stop,
     .free = allot__reload_free,
     .cycle = allot__reload_cycle,
     .status = allot__reload_status},
    {.name = "shadow",
     STRUCT(allot__shadow, shadow),
     .start = allot__shadow_start,
     .stop = allot__shadow_stop,
     .cycle = allot__shadow_cycle,
     .swapped = allot__shadow_swapped,
     .status = allot__shadow_status},
    {.name = "view",
     STRUCT(allot__view, view),
     .start = allot__view_start,
     .stop = allot__view_stop,
     .free = allot__view_free,
     .cycle = allot__view_cycle,
     .swapped = allot__view_swapped,
     .status = allot__view_status},
    {.name = "http",
     STRUCT(allot__http, http),
     .start = allot__http_start,
     .stop = allot__http_stop,
     .status = allot__http_status},
    /* The last: it notifies the manager that everything is ready. */
    {.name = "notify",
     STRUCT(allot__notify, notify),
     .start = allot__notify_start,
     .stop = allot__notify_stop},
    {.name = NULL},
};
