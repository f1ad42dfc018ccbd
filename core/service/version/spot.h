/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * spot.h: where a file can change: the directories and the names in them that lead to it.
 *
 * A file is found by a path, and a path by directories and symbolic links. Whoever replaces the
 * file, a link on the way, or a directory, changes a name in a directory: those are its spots. Of
 * what is not there the spot is the name that is missing, so that it is seen to come.
 *
 * Blocks; any thread may call it.
 */
#ifndef ALLOT_SERVICE_VERSION_SPOT_H
#define ALLOT_SERVICE_VERSION_SPOT_H

#include "service/version/source.h"

typedef struct allot__spot {
    char *folder, *name;
    uint64_t device, inode; /* of the folder */
} allot__spot;

typedef struct allot__spots {
    allot_engine *engine;
    allot__spot *items;
    size_t count, capacity;
} allot__spots;

/* Adds the spots of a path. What cannot be looked into is left out. ENOMEM. */
int allot__spots_add(allot__spots *spots, const char *path);
int allot__spots_of(allot__spots *spots, const allot__sources *sources);
int allot__spots_copy(allot__spots *spots, const allot__spots *from);
void allot__spots_free(allot__spots *spots);

#endif
