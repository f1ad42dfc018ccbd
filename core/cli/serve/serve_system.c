/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* serve_system.c: what the system gives a service: file descriptors, and a manager to notify. */
#include "cli/serve/serve.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Beside clients: the live view's connections, the store's files, listeners, watched folders,
 * policies that are read. */
enum { VIEW_FILES = 648, OTHER_FILES = 128 };

void allot__serve_files(const allot_service_config *config)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)config->clients + (config->http ? VIEW_FILES : 0) + OTHER_FILES;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur =
        limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* As sd_watchdog_enabled(3) reads them: a watchdog may be meant for a process before this one. */
void allot__serve_manager(allot_service_config *config)
{
    const char *socket = getenv("NOTIFY_SOCKET"), *every = getenv("WATCHDOG_USEC");
    const char *pid = getenv("WATCHDOG_PID");
    config->notify = socket != NULL && *socket != '\0' ? socket : NULL;
    if (!every || (pid != NULL && strtoll(pid, NULL, 10) != (long long)getpid()))
        return;
    long long watchdog = strtoll(every, NULL, 10);
    config->watchdog = watchdog > 0 ? watchdog : 0;
}
