/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* status_test.c: names and texts of statuses. */
#include <stdio.h>

#include <allot/report.h>

#include "test/support/check.h"

static void every_status_has_its_name_and_text(void)
{
#define STATUS(name, code, text)                                                                   \
    CHECK_STR(allot_status_name(ALLOT_##name), #name);                                             \
    CHECK_STR(allot_status_text(ALLOT_##name), text);                                              \
    CHECK_EQ(ALLOT_##name, code);
    ALLOT_STATUS_MAP(STATUS)
#undef STATUS
}

static void unknown_statuses_are_named_so(void)
{
    CHECK_STR(allot_status_name(1), "UNKNOWN");
    CHECK_STR(allot_status_name(-1000), "UNKNOWN");
    CHECK_STR(allot_status_text(1), "UNKNOWN");
}

static void the_version_is_that_of_the_header(void)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", ALLOT_VERSION_MAJOR, ALLOT_VERSION_MINOR,
             ALLOT_VERSION_PATCH);
    CHECK_STR(allot_version(), text);
    CHECK_STR(ALLOT_VERSION, text);
}

int main(void)
{
    RUN(every_status_has_its_name_and_text);
    RUN(unknown_statuses_are_named_so);
    RUN(the_version_is_that_of_the_header);
    return check_done();
}
