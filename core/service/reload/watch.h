/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * watch.h: notices when files may have changed.
 *
 * Directories are watched, not files: after an editor's rename a watch would follow the old file.
 * Each file is also checked every two seconds, where no events come (network file systems, no
 * watches left). A notice is only a hint: the receiver compares contents (source.h). On the loop,
 * which only inotify_add_watch may block.
 */
#ifndef ALLOT_SERVICE_RELOAD_WATCH_H
#define ALLOT_SERVICE_RELOAD_WATCH_H

#include "service/generation/source.h"
#include "service/instance/service.h"

typedef struct allot__watch {
    allot_service *service;
    /* Called often. `late`: by the periodic check, maybe of a change noticed up to two seconds
     * ago. */
    void (*touched)(void *ud, bool late);
    void *ud;
    struct allot__watched *items; /* directories and files */
    int64_t folders;              /* the number of directories */
    bool lame;                    /* a directory could not be watched */
    allot__watch_paths paths;
} allot__watch;

/* Watches exactly these from now on. true: some are new, so earlier changes of theirs were not
 * seen. Failures, also for lack of memory, set `lame`. */
bool allot__watch_set(allot__watch *watch, const allot__watch_paths *paths,
                      const allot__sources *sources);
/* Ends it. */
void allot__watch_end(allot__watch *watch);

#endif
