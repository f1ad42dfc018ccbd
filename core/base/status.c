/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* status.c: the texts of statuses, and the version. */
#include <allot/report.h>

const char *allot_status_name(int status)
{
    switch (status) {
#define CASE(name, code, text)                                                                     \
    case code:                                                                                     \
        return #name;
        ALLOT_STATUS_MAP(CASE)
#undef CASE
    }
    return "UNKNOWN";
}

const char *allot_status_text(int status)
{
    switch (status) {
#define CASE(name, code, text)                                                                     \
    case code:                                                                                     \
        return text;
        ALLOT_STATUS_MAP(CASE)
#undef CASE
    }
    return "UNKNOWN";
}

const char *allot_version(void)
{
    return ALLOT_VERSION;
}
