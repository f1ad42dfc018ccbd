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
#ifndef ALLOT_SERVICE_GENERATION_WATCH_H
#define ALLOT_SERVICE_GENERATION_WATCH_H

#include "service/generation/watch_path.h"

struct uv_loop_s;
typedef struct allot__watch allot__watch;

/* `touched` is called often; it must not close the watch. `late`: the file was looked at, so that
 * it may be what was told already, up to two seconds ago. ENOMEM. */
int allot__watch_new(allot_engine *engine, struct uv_loop_s *loop,
                     void (*touched)(void *ud, bool late), void *ud, allot__watch **out);
/* Watches those from now on, and others no more. *fresh: something is watched that was not before,
 * so that what happened to it until now was not seen. What cannot be watched is not, and counts.
 * ENOMEM: some of it. */
int allot__watch_set(allot__watch *watch, const allot__watch_paths *paths,
                     const allot__sources *sources, bool *fresh);
/* How many directories are watched; and whether some could not be. */
size_t allot__watch_count(const allot__watch *watch);
bool allot__watch_lame(const allot__watch *watch);
/* Ends it; `closed` is called once, now or later, when nothing of it is left. */
void allot__watch_close(allot__watch *watch, void (*closed)(void *ud), void *ud);

#endif
