/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * source.h: the files that a generation of the plan was made from, known by their contents.
 *
 * The first is the plan, the others are the policies that it names. A file that is not there is one
 * of them, too: it may come. No function here needs a loop or touches anything shared, so any
 * thread may call it; all of them block.
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
    char *bytes;   /* kept of policies that were loaded; NULL: not kept */
} allot__source;

typedef struct allot__sources {
    allot_engine *engine;
    allot__source *items;
    size_t count, capacity;
} allot__sources;

/* Not to keep secrets: contents of files are told apart by it. */
uint64_t allot__source_hash(const char *bytes, size_t len);
/* Adds a file with what is in it now, or, when `bytes` is not NULL, with those; one that is there
 * already stays as it was. ENOMEM. */
int allot__sources_add(allot__sources *sources, const char *path, const char *bytes, size_t len);
/* The same with those bytes, which are kept. */
int allot__sources_put(allot__sources *sources, const char *path, const char *bytes, size_t len);
/* Adds copies of another's, without their bytes. ENOMEM. */
int allot__sources_copy(allot__sources *sources, const allot__sources *from);
const allot__source *allot__sources_find(const allot__sources *sources, const char *path);
/* Whether all files have the contents that they had; they are read into memory of the engine's. */
bool allot__sources_same(const allot__sources *sources, allot_engine *engine);
void allot__sources_free(allot__sources *sources);

/* A loader that reads policy files, each once, and adds them with their bytes to `sources`, and all
 * policies, ready-made ones too, by the names that plans call them by to `policies`. What `texts`
 * (NULL: nothing) has by such a name it takes from there. It lives as long as this struct, and what
 * that points to. */
typedef struct allot__tracker {
    allot_policy_loader inner; /* for all that is no file */
    const allot_script_limits *limits;
    const allot__sources *texts;
    bool confined;               /* a client names them: files beneath the plan's folder alone, */
    const allot__sources *known; /* or, by such a name, those; NULL: none */
    allot__sources *sources, *policies;
} allot__tracker;
allot_policy_loader allot__tracker_loader(allot__tracker *tracker);

#endif
