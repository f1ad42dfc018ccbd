/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * watch_path.h: where a file can change: the directories and the names in them that lead to it.
 *
 * A file is found by a path, and a path by directories and symbolic links. Whoever replaces the
 * file, a link on the way, or a directory, changes a name in a directory: those are its paths. Of
 * what is not there the watch path is the name that is missing, so that it is seen to come.
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

/* Adds the paths of a path. What cannot be looked into is left out. ENOMEM. */
int allot__watch_paths_add(allot__watch_paths *paths, const char *path);
int allot__watch_paths_of(allot__watch_paths *paths, const allot__sources *sources);
int allot__watch_paths_copy(allot__watch_paths *paths, const allot__watch_paths *from);
void allot__watch_paths_free(allot__watch_paths *paths);

#endif
