/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* serve_system.c: what the system gives a service: file descriptors, and a manager to be told. */
#include "cli/serve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Beside connections: the store's files, listeners, watched folders, policies that are read. */
#define OTHER_FILES 128

int allot__serve_files(allot__cli *cli, const allot_service_config *config)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)config->clients + OTHER_FILES;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= wanted)
        return CLI_DONE;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < wanted)
        return allot__cli_fail(cli, CLI_USAGE, "E-files",
                               "LimitNOFILE= of the unit, or ulimit -Hn, says how many",
                               "%d connections take %" PRIu64 " open files, and the system allows "
                               "%" PRIu64 ": --clients fewer, or allow more",
                               (int)config->clients, (uint64_t)wanted, (uint64_t)limit.rlim_max);
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
    return CLI_DONE;
}

/* As sd_watchdog_enabled(3) reads them: a watchdog may be meant for a process before this one. */
void allot__serve_manager(allot_service_config *config)
{
    const char *socket = getenv("NOTIFY_SOCKET"), *every = getenv("WATCHDOG_USEC");
    const char *pid = getenv("WATCHDOG_PID");
    config->notify = socket != NULL && *socket != '\0' ? socket : NULL;
    if (every == NULL || (pid != NULL && strtoll(pid, NULL, 10) != (long long)getpid()))
        return;
    long long watchdog = strtoll(every, NULL, 10);
    config->watchdog = watchdog > 0 ? watchdog : 0;
}
