/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* zone.h: time zones from the system's files. */
#ifndef ALLOT_SCRIPT_POLICY_ZONE_H
#define ALLOT_SCRIPT_POLICY_ZONE_H

#include <allot/json.h>

/* The `zone` of an allot_policy_loader: reads a file below $TZDIR, or below /usr/share/zoneinfo,
 * and never one elsewhere. */
int allot__zone_load(void *ud, allot_engine *engine, const char *name, void **data, size_t *len,
                     allot_report *report);

#endif
