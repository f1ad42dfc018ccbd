/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* files.c: shares the limit on open files among connections. */
#include "service/base/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

static int64_t allowed(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur > INT32_MAX)
        return INT32_MAX;
    return (int64_t)limit.rlim_cur;
}

allot__files allot__files_share(const allot_service_config *config, allot_report *report)
{
    allot__files share = {config->clients, config->http ? ALLOT__FILES_VIEWERS : 0};
    int64_t most = allowed(), wanted = (int64_t)share.clients + share.viewers + ALLOT__FILES_OTHER;
    if (wanted <= most)
        return share;
    int64_t spare = most > ALLOT__FILES_OTHER + 4 ? most - ALLOT__FILES_OTHER : 4;
    if (share.viewers > spare / 4)
        share.viewers = (int32_t)(spare / 4);
    if (share.clients > spare - share.viewers)
        share.clients = (int32_t)(spare - share.viewers);
    allot_diagnostic warning = {
        .severity = ALLOT_WARNING, .code = "W-files", .consumer = -1, .group = -1, .field = -1};
    char message[200];
    snprintf(message, sizeof message,
             "all connections take %" PRId64 " open files, and the system allows %" PRId64
             ": at most %d clients and %d viewers at once",
             wanted, most, (int)share.clients, (int)share.viewers);
    warning.message = message;
    warning.hint = "LimitNOFILE= of the unit, or ulimit -Hn, says how many";
    allot_report_add(report, &warning);
    return share;
}
