/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * source.h: the files of a generation, identified by their contents.
 *
 * The first is the plan, the others are the policies that it names. Missing files are listed, too:
 * they may appear. No function here needs a loop or shared data, so any thread may call it; all may
 * block.
 */
#ifndef ALLOT_SERVICE_GENERATION_SOURCE_H
#define ALLOT_SERVICE_GENERATION_SOURCE_H

#include <stdbool.h>

#include <allot/json.h>
#include <allot/script.h>

typedef struct allot__source {
    char *path;
    uint64_t hash; /* of the bytes */
    int64_t size;  /* -1: it could not be read */
    char *bytes;   /* of loaded policies; NULL: not kept */
} allot__source;

typedef struct allot__sources {
    allot_engine *engine;
    allot__source *items;
    size_t count, capacity;
} allot__sources;

/* A hash to tell contents of files apart; not cryptographic. */
uint64_t allot__source_hash(const char *bytes, size_t len);
/* Adds a file with its current content or, if not NULL, with `bytes`; a file already listed keeps
 * its entry. ENOMEM. */
int allot__sources_add(allot__sources *sources, const char *path, const char *bytes, size_t len);
/* The same with `bytes`, which are kept. */
int allot__sources_put(allot__sources *sources, const char *path, const char *bytes, size_t len);
/* Adds copies of another list's files, without their bytes. ENOMEM. */
int allot__sources_copy(allot__sources *sources, const allot__sources *from);
const allot__source *allot__sources_find(const allot__sources *sources, const char *path);
/* Whether a list (NULL: an empty one) has a file of that path and content. */
bool allot__sources_has(const allot__sources *sources, const allot__source *source);
/* Whether all files still have their contents; reads them into the engine's memory. */
bool allot__sources_same(const allot__sources *sources, allot_engine *engine);
/* The SHA-256 of the files' contents as listed, in their order. */
void allot__sources_sha256(const allot__sources *sources, char out[65]);
void allot__sources_free(allot__sources *sources);

/* A loader that reads each policy file once and adds it with its bytes to `sources`; it adds all
 * policies, also ready-made ones, by their names in the plan to `policies`. Names in `texts` (NULL:
 * none) are taken from there. It lives as long as this struct and what the struct points to. */
typedef struct allot__tracker {
    allot_policy_loader inner; /* for policies other than files */
    const allot_script_limits *limits;
    const allot__sources *texts;
    bool confined;               /* a client names them: only files beneath the plan's folder, */
    const allot__sources *known; /* or files listed here by that name; NULL: none */
    allot__sources *sources, *policies;
} allot__tracker;
allot_policy_loader allot__tracker_loader(allot__tracker *tracker);

/*
 * Where a file can change: the directory entries on the way to it.
 *
 * A path leads through directories and symbolic links. Replacing the file, a link or a directory on
 * the way changes an entry of a directory: these entries are the watch paths. For a missing file
 * the watch path is the first missing entry, so that its creation is seen.
 */
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
