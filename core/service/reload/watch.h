/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * watch.h: told when files may have changed.
 *
 * Directories are watched, never files: an editor that renames would leave us with a file that is
 * gone. Each file is looked at every two seconds besides, for where no events come from (file
 * systems over a network, no watches left). What is told is a guess: whoever is told compares
 * contents (source.h). On the loop; nothing here blocks it but inotify_add_watch.
 */
#ifndef ALLOT_SERVICE_RELOAD_WATCH_H
#define ALLOT_SERVICE_RELOAD_WATCH_H

#include "service/generation/watch_path.h"
#include "service/instance/service.h"

typedef struct allot__watch {
    allot_service *service;
    /* Called often. `late`: the file was looked at, so that it may be what was told already, up to
     * two seconds ago. */
    void (*touched)(void *ud, bool late);
    void *ud;
    struct allot__watched *items; /* directories and files */
    int64_t folders;              /* of them directories */
    bool lame;                    /* some could not be watched */
    allot__watch_paths paths;
} allot__watch;

/* Watches those from now on, and others no more. true: something is watched that was not before, so
 * that what happened to it until now was not seen. What cannot be watched, or for lack of memory is
 * not, counts as lame. */
bool allot__watch_set(allot__watch *watch, const allot__watch_paths *paths,
                      const allot__sources *sources);
/* Ends it. */
void allot__watch_end(allot__watch *watch);

#endif
