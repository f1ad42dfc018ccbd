/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * generation.h: one generation of the plan with its policies, on its own engine, so that another
 * thread can make the next one while this one decides.
 */
#ifndef ALLOT_SERVICE_GENERATION_GENERATION_H
#define ALLOT_SERVICE_GENERATION_GENERATION_H

#include <stdatomic.h>

#include <allot/json.h>
#include <allot/script.h>

#include "service/generation/source.h"
#include "base/text.h"
#include "service/store/store.h"

/* The texts of a generation, in memory of their own: immutable, readable by any thread,
 * reference-counted. */
typedef struct allot__plan_texts {
    allot_engine *engine;
    atomic_int held; /* references beyond the first */
    char *text;      /* the plan's document */
    size_t len;
    allot__sources policies; /* by the names that the plan calls them by, with their bytes */
    char *instead;           /* a policy that replaces the plan's own; NULL: none */
    allot_report *newcomers; /* paths of newcomers (plan.h) that events have named: they stay */
    char *despite; /* rolled back to: the files that it stands against, by allot__sources_sha256;
                      NULL: it is not */
} allot__plan_texts;
/* Adds a reference, to be freed like the first. */
allot__plan_texts *allot__plan_texts_hold(allot__plan_texts *texts);
void allot__plan_texts_free(allot__plan_texts *texts);

typedef struct allot__generation {
    allot_engine *engine;
    allot_policy_loader loader;
    allot_plan *plan;
    allot__plan_texts *texts;
    char sha256[65]; /* of the plan's text */
    allot_script_meter meter;
    allot_script_time time;   /* of a cycle: see allot__generation_clock */
    allot__sources sources;   /* its files; the plan first, unless made from text */
    allot__text list;         /* of the policies: see ALLOT__POLICIES_HEAD */
    char policies_sha256[65]; /* of the list */
    /* Receives policies' output while `loud`; generations made in other threads are quiet. */
    void (*say)(void *ud, const char *chunk, int32_t line, const char *level, const char *text);
    void *say_ud;
    bool loud;
    bool wild;         /* the plan has wildcards (plan.h) */
    allot_state *last; /* of its plan, freed with it; may be NULL */
    atomic_int held;   /* references beyond the owner's */
} allot__generation;

/* A list of policies: this head, "SHA256 NAME" for each by the plan's name, "instead NAME" if one
 * replaces the plan's own, "despite SHA256" if it was rolled back to, and "newcomer PATH" for each
 * of these; a NUL after each. */
#define ALLOT__POLICIES_HEAD "allot/policies/v1"

/* The inputs of a generation. */
typedef struct allot__generation_ask {
    const char *file; /* the plan's; policies' paths are relative to it */
    const char *text; /* the plan's; NULL: read the file */
    size_t len;
    bool to_be;          /* `text` will be written to the file, and counts as its content */
    const char *instead; /* as in a loader (allot/json.h); NULL: the plan's own */
    const char *despite; /* as of texts */
    const allot_report *newcomers;     /* likewise; NULL: none */
    const allot_script_limits *limits; /* may be NULL */
    const allot__sources
        *texts; /* policies that are taken from here, not from disk, by name; or NULL */
    const allot__generation *like; /* read-only, maybe of the same text; or NULL */
    const char *beside; /* a client named `file`, to lie in the folder of this file; or NULL */
    bool confined;      /* a client named policies: see allot__tracker */
    const allot__sources *known; /* likewise */
    bool quiet;                  /* until `loud` is set */
} allot__generation_ask;
/* Makes a generation; blocks when it reads the file. `sources` (NULL: none) gets its files, also on
 * failure; ENOMEM may leave some out. As allot_plan_read; EIO (report). */
int allot__generation_make(const allot__generation_ask *ask, allot__sources *sources,
                           allot_report *report, allot__generation **out);

/* Sets the microsecond clock that times its cycles; NULL: the thread's CPU time. */
void allot__generation_clock(allot__generation *generation, int64_t (*clock)(void *ud), void *ud);
/* The calling thread's CPU time in microseconds. */
int64_t allot__generation_worked(void *ud);
/* Adds a reference, in any thread; the last free ends it. */
void allot__generation_hold(allot__generation *generation);
void allot__generation_free(allot__generation *generation);

/* Adds what a client needs to make the same decisions: {file, sha256, text, instead, policies:
 * {name: text}}; `file` is the plan's name. */
void allot__plan_answer_put(const allot__generation *generation, const char *file,
                            allot__text *out);

/* Reads the texts of these names from the store. ENOENT: the plan or a policy is missing. EIO
 * (report): one is damaged. ENOMEM. Blocks. */
int allot__plan_texts_store(allot_engine *engine, allot__store *store,
                            const allot__store_pair *names, allot_report *report,
                            allot__plan_texts **out);
/* Adds the newcomers of a report, or of a list of policies, to a report, which is made if it is
 * NULL. ENOMEM. */
int allot__newcomers_add(allot_engine *engine, const allot_report *from, allot_report **to);
int allot__newcomers_listed(allot_engine *engine, const allot__text *list, allot_report **to);
/* Sets those texts as a generation's inputs; they must outlive `ask`. */
void allot__plan_texts_ask(const allot__plan_texts *texts, allot__generation_ask *ask);

/* Puts the texts of a generation in the store: its plan, its policies and their list. ENOMEM. */
int allot__plan_texts_keep(allot__store *store, const allot__generation *generation);
bool allot__plan_texts_is(const allot__store_pair *names, const allot__generation *generation);

#endif
