/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* serve.h: what the files of the verb `serve` share. */
#ifndef ALLOT_CLI_SERVE_SERVE_H
#define ALLOT_CLI_SERVE_SERVE_H

#include <allot/service.h>

#include "cli/term/cli.h"

/* Lets so many files be open as the connections need, or, where those are more than the system
 * allows, all that it does; the service shares them out, and says so. */
void allot__serve_files(const allot_service_config *config);
/* What NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID say; texts are the environment's. */
void allot__serve_manager(allot_service_config *config);

#endif
