/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * watch_path.h: where a file can change: the directory entries on the way to it.
 *
 * A path leads through directories and symbolic links. Replacing the file, a link or a directory on
 * the way changes an entry of a directory: these entries are the watch paths. For a missing file
 * the watch path is the first missing entry, so that its creation is seen.
 *
 * Blocks; any thread may call it.
 */
#ifndef ALLOT_SERVICE_GENERATION_WATCH_PATH_H
#define ALLOT_SERVICE_GENERATION_WATCH_PATH_H

#include "service/generation/source.h"

typedef struct allot__watch_path {
    char *folder, *name;
    uint64_t device, inode; /* of the folder */
} allot__watch_path;

typedef struct allot__watch_paths {
    allot_engine *engine;
    allot__watch_path *items;
    size_t count, capacity;
} allot__watch_paths;

/* Adds the watch paths of a path. Unreadable directories are left out. ENOMEM. */
int allot__watch_paths_add(allot__watch_paths *paths, const char *path);
int allot__watch_paths_of(allot__watch_paths *paths, const allot__sources *sources);
int allot__watch_paths_copy(allot__watch_paths *paths, const allot__watch_paths *from);
void allot__watch_paths_free(allot__watch_paths *paths);

#endif
