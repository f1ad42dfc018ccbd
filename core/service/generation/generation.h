/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * generation.h: one generation of the plan with its policies, on an engine of its own, so that the
 * next one can be made in another thread while this one decides.
 */
#ifndef ALLOT_SERVICE_GENERATION_GENERATION_H
#define ALLOT_SERVICE_GENERATION_GENERATION_H

#include <stdatomic.h>

#include <allot/json.h>
#include <allot/script.h>

#include "service/generation/source.h"
#include "base/text.h"

/* What it is made of, with memory of its own: nobody changes it, any thread may read it, and it
 * goes with the last who frees it. */
typedef struct allot__plan_texts {
    allot_engine *engine;
    atomic_int held; /* by so many more than one */
    char *text;      /* the plan's document */
    size_t len;
    allot__sources policies; /* by the names that the plan calls them by, with their bytes */
    char *instead;           /* the policy that stands in for the plan's own; NULL: none */
} allot__plan_texts;
/* With that text, and no policies yet. ENOMEM. */
int allot__plan_texts_new(const char *text, size_t len, const char *instead,
                          allot__plan_texts **out);
/* Holds them for one more, who frees them. */
allot__plan_texts *allot__plan_texts_hold(allot__plan_texts *texts);
void allot__plan_texts_free(allot__plan_texts *texts);

typedef struct allot__generation {
    allot_engine *engine;
    allot_policy_loader loader;
    allot_plan *plan;
    allot__plan_texts *texts;
    char sha256[65]; /* of the plan's text */
    allot_script_meter meter;
    allot_script_time time; /* of a cycle: see allot__generation_clock */
    allot__sources sources; /* the files that it was made from; the plan first, unless from text */
    allot__text list;       /* of the policies: see ALLOT__POLICIES_HEAD */
    char policies_sha256[65]; /* of the list */
    /* What policies print goes here while `loud`: a generation is made quiet in other threads. */
    void (*say)(void *ud, const char *chunk, int32_t line, const char *level, const char *text);
    void *say_ud;
    bool loud;
    allot_state *last; /* of its plan, and freed with it; may be NULL */
    atomic_int held;   /* by so many more than its owner */
} allot__generation;

/* A list of policies has this, then "SHA256 NAME" of each as the plan names it, and "instead NAME"
 * where one stands in for the plan's own; a NUL behind each. */
#define ALLOT__POLICIES_HEAD "allot/policies/v1"

/* What a generation is to be made from. */
typedef struct allot__generation_ask {
    const char *file; /* the plan's; what policies are relative to */
    const char *text; /* NULL: what is in the file */
    size_t len;
    bool to_be; /* the text is to be in the file once it decides, and counts as what is there */
    const char *instead;               /* as in a loader (allot/json.h); NULL: the plan's own */
    const allot_script_limits *limits; /* may be NULL */
    const allot__sources
        *texts; /* policies that are not taken from disk, by their names; or NULL */
    const allot__generation *like; /* maybe of the same text, only to be read; or NULL */
    const char *beside; /* a client names `file`, which is beneath that file's folder; or NULL */
    bool confined;      /* a client names policies: as in a tracker (source.h) */
    const allot__sources *known; /* likewise */
    bool quiet;                  /* until the generation's `loud` is set */
} allot__generation_ask;
/* Makes one; blocks when it reads the file. `sources` (NULL: nowhere) gets the files it was, or
 * would have been, made from, also when that fails; ENOMEM may leave some out. As allot_plan_read;
 * EIO (report). */
int allot__generation_make(const allot__generation_ask *ask, allot__sources *sources,
                           allot_report *report, allot__generation **out);

/* From now on its cycles go by that clock of microseconds; NULL: by what the thread works. */
void allot__generation_clock(allot__generation *generation, int64_t (*clock)(void *ud), void *ud);
/* What the thread that calls has worked, in microseconds. */
int64_t allot__generation_worked(void *ud);
/* Holds it beside its owner, in whatever thread: it goes with the last who frees it. */
void allot__generation_hold(allot__generation *generation);
void allot__generation_free(allot__generation *generation);

/* Adds what clients need to decide as it does: {file, sha256, text, instead, policies: {name:
 * text}}; `file` is the plan's name. */
void allot__plan_answer_put(const allot__generation *generation, const char *file,
                            allot__text *out);

#endif
