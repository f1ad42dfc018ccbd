/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* files.h: how many files may be open at once, and how many of them connections may be. */
#ifndef ALLOT_SERVICE_BASE_FILES_H
#define ALLOT_SERVICE_BASE_FILES_H

#include <allot/service.h>

/* Those that are no connections: the store's, listeners, folders that are watched, policies while
 * they are read, clients while they are turned away, and the loop's own. */
#define ALLOT__FILES_OTHER 48
/* Connections to the live view at once, where so many files may be open; more wait. */
#define ALLOT__FILES_VIEWERS 640

typedef struct allot__files {
    int32_t clients, viewers; /* connections to the socket and TCP; to the live view */
} allot__files;

/* As many as are configured; where RLIMIT_NOFILE does not allow so many, what it allows, shared
 * among both, and a warning (report; W-files). A service never takes the last file, so that it can
 * always read its policies, and a listener never finds none for who knocks. */
allot__files allot__files_share(const allot_service_config *config, allot_report *report);

#endif
