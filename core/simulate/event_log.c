/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event_log.c: lines of an event log. */
#include "simulate/trace.h"

int allot__event_line(allot__reader *reader)
{
    allot__line_fault(reader, "E-event", 0, 0, NULL, "event logs are not read yet");
    return ALLOT_OK;
}
