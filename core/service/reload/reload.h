/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * reload.h: another generation of plan and policies while the service runs.
 *
 * When files change (watch.h), or somebody asks, a candidate is made beside
 * (generation/candidate.h): built and checked on a thread, then tried there on what is in the books
 * and on recorded cycles (generation/sample.h), one by one: the loop only gives away the states
 * that it has (of many tasks, which take long to be put together again, those that were recorded).
 * What passes is swapped in between two cycles; what does not leaves everything as it was, and
 * status, log and metrics say why. Files are compared by content. The attempt begins 30 ms after
 * something was seen to change, and whatever it comes to counts only when nothing more has changed
 * for 150 ms, so that nobody is told of half-written files; what changes for longer than 2 s is
 * taken as it is then.
 *
 * A plan that is handed in (the method `plan`) goes the same way, and once it has passed, before it
 * is swapped in, is written into the plan's file, which stays the truth: a file that cannot be
 * written refuses it, and a swap that fails puts the file back.
 *
 * What passes all this may fail yet, in states that nobody tried it on. Of what decided before the
 * texts are kept: after three cycles that failed by the policies they go the same way, back. What
 * failed, or was refused when the service started (service_begin.c), stays told as the files'
 * failure until they are others.
 */
#ifndef ALLOT_SERVICE_RELOAD_RELOAD_H
#define ALLOT_SERVICE_RELOAD_RELOAD_H

#include <uv.h>

#include "service/generation/sample.h"
#include "service/instance/service.h"
#include "service/wire/rpc.h"
#include "service/reload/watch.h"

/* Milliseconds: see above. */
#define ALLOT__RELOAD_SETTLE 30
#define ALLOT__RELOAD_QUIET  150
#define ALLOT__RELOAD_MOST   2000

typedef enum allot__reload_phase {
    ALLOT__RELOAD_IDLE = 0,
    ALLOT__RELOAD_BUILDING,
    ALLOT__RELOAD_REHEARSING,
    ALLOT__RELOAD_SETTLING, /* it is over, but files may be changing still */
    ALLOT__RELOAD_WRITING   /* the plan's file, or it is put back */
} allot__reload_phase;

typedef struct allot__reload {
    allot_service *service;
    allot__watch watch;
    uv_timer_t timer;
    allot__work work;
    allot__reload_phase phase;
    bool open;          /* attempts may be asked for */
    bool again;         /* look once more when this attempt is over */
    uint64_t changes;   /* how often something was seen to change, */
    uint64_t looked_at; /* how often when the attempt began */
    /* ms of the loop: the first change that nothing came of yet (0: none), the last, and the one
     * that the attempt goes back to. */
    uint64_t first, last, began;
    int verdict; /* what it comes to, once files have settled, or the plan's file is put back */
    allot__candidate *candidate;  /* being made */
    allot__candidate *failed;     /* the files as they were tried last, if they were refused */
    allot__sample_states samples; /* of the live plan */
    allot__sample_states
        trial;            /* copies of them under the candidate's plan: those that it passed */
    int32_t step;         /* 0: the books, then the samples */
    uint64_t tried_until; /* uv_hrtime: no step begins behind */
    allot_state *lent;    /* what was in the books; NULL: a sample is tried */
    allot_state *state;   /* the copy that is tried; NULL: it does not fit */
    int64_t live_us;
    int status; /* of what a thread does */
    /* For the next attempt: what cycles fail by, so that what decided before is to; a plan that was
     * handed in; a policy that is to be promoted. NULL: none. */
    allot__candidate *culprit;
    char *text, *promote;
    size_t len;
    /* Who handed a plan in (NULL: nobody), who waits for the files, and for this attempt. */
    allot__reply *handing, *waiting, *answering;
    int64_t swapped, refused, same; /* attempts that came to that */
    int64_t fell_back;              /* how often what decided before took over again */
    int64_t changed_at, failed_at;  /* 0: never */
    int64_t took_us;                /* the last swap, from the first change seen to its end */
    int64_t swap_us;                /* of it on the loop, without a break */
    int32_t rehearsed;              /* cycles that it was tried on before */
} allot__reload;

/* The component. */
int allot__reload_start(allot_service *service, allot_report *report);
void allot__reload_stop(allot_service *service);
void allot__reload_free(allot_service *service);
void allot__reload_cycle(allot_service *service, const allot__cycle_done *done);
void allot__reload_status(allot_service *service, allot__text *out);

/* Makes an attempt with that policy in place of the plan's own, or, NULL, as it is; `reply` is
 * told. ENOMEM: the reply stays the caller's. */
int allot__reload_ask(allot__reload *reload, const char *instead, allot__reply *reply);
/* Cycles fail by the generation that decides, for these reasons: what decided before takes over
 * again, if it can. */
void allot__reload_back(allot_service *service, int status, const allot_report *report);
/* Whether what decides stands in for what is on disk, or decided last, and why, as a sentence. */
bool allot__reload_ails(const allot_service *service, char *buf, size_t size);

/* The methods `reload` and `plan` {text}: see above. They are answered once the plan decides and is
 * on disk. */
void allot__reload_now(allot__request *call);
void allot__reload_plan(allot__request *call);

/* A report's first error as the members of an object. */
void allot__reload_error(allot__text *out, const allot_report *report);

/* ---- Between reload.c, step.c and say.c ------------------------------------------------------ */

/* Begins an attempt, of which nothing is being made; looks at the files soon. */
void allot__reload_begin(allot__reload *it);
void allot__reload_soon(allot__reload *it);
/* Watches where the candidate's files may change. */
void allot__reload_arm(allot__reload *it);
/* Builds the candidate, tries it, and in the end adopts or refuses it. */
void allot__reload_build(allot__reload *it);
/* Files have been quiet: it comes to `verdict`. */
void allot__reload_conclude(allot__reload *it, int verdict);
/* Drops the candidate in silence. */
void allot__reload_give_up(allot__reload *it);
/* That is the files' failure from now on; NULL: they have none. */
void allot__reload_fail(allot__reload *it, allot__candidate *failed);
/* Tells the log, and who waits, what the attempt came to; NULL: to nothing, for lack of memory or
 * because the service ends. */
void allot__reload_log(const allot__reload *reload, const allot__candidate *candidate);
void allot__reload_answer(allot__reload *reload, const allot__candidate *candidate);

#endif
