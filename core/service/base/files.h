/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* files.h: the limit on open files, and the share that connections may have. */
#ifndef ALLOT_SERVICE_BASE_FILES_H
#define ALLOT_SERVICE_BASE_FILES_H

#include <allot/service.h>

/* Files other than connections: the store's, listeners, watched folders, policies being read,
 * clients being turned away, and the loop's own. */
#define ALLOT__FILES_OTHER 48
/* Connections to the live view at once, if the file limit allows; more wait. */
#define ALLOT__FILES_VIEWERS 640

typedef struct allot__files {
    int32_t clients, viewers; /* connections to the socket and TCP; to the live view */
} allot__files;

/* The configured numbers; if RLIMIT_NOFILE allows fewer, its share for each, and a warning (report;
 * W-files). A service never uses the last files, so it can always read policies and accept a
 * connection. */
allot__files allot__files_share(const allot_service_config *config, allot_report *report);

#endif
