/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * reload.h: loads a new generation of plan and policies while the service runs.
 *
 * When files change (watch.c), or on request, a candidate is built and checked on a thread
 * (generation/candidate.h), then tried there on the state of the books and on recorded cycles, one
 * by one; policies that changed are checked on the former, too. The loop only lends the states (of
 * many tasks, whose copy takes long, only recorded ones). A candidate that passes is swapped in
 * between two cycles; one that fails changes nothing, and status, log and metrics state the reason.
 * Files are compared by content. An attempt begins 30 ms after a change was seen, and its result
 * counts only after 150 ms without changes, so that half-written files cause no error; files that
 * keep changing for 2 s are taken as they are then.
 *
 * A plan from the method `plan` takes the same steps. Once it has passed, it is written to the
 * plan's file before the swap: the file stays authoritative. If the file cannot be written the plan
 * is refused, and if the swap fails the file is restored.
 *
 * With `most_change`, a candidate that passed is also compared with the live generation, on the
 * books' state. If its first decision takes more slots than that, it waits (guard.c) until it is
 * confirmed, dropped, or replaced by a newer one: any other generation that takes over ends it.
 * What it would take counts as too much where the live generation cannot decide.
 *
 * A dry run takes the same steps, and answers with the comparison in place of the swap.
 *
 * A rollback makes the candidate of a version in the store, and sets the files aside as they are:
 * the version that it makes names them (`despite`), so it stands against them until they change or
 * `reload` is called, also after a restart.
 *
 * A generation that passed may still fail in other states. The texts of the previous one are kept:
 * after three failed cycles in a row by the policies they take over again by the same steps. The
 * failure, or a refusal at the start (service_begin.c), is reported until the files change.
 */
#ifndef ALLOT_SERVICE_RELOAD_RELOAD_H
#define ALLOT_SERVICE_RELOAD_RELOAD_H

#include <uv.h>

#include "service/generation/candidate.h"
#include "service/instance/service.h"
#include "service/wire/rpc.h"

/* ---- Watched files --------------------------------------------------------------------------- */

/*
 * Notices when files may have changed.
 *
 * Directories are watched, not files: after an editor's rename a watch would follow the old file.
 * Each file is also checked every two seconds, where no events come (network file systems, no
 * watches left). A notice is only a hint: the receiver compares contents (source.h). On the loop,
 * which only inotify_add_watch may block.
 */
typedef struct allot__watch {
    allot_service *service;
    /* Called often. `late`: by the periodic check, maybe of a change noticed up to two seconds
     * ago. */
    void (*touched)(void *ud, bool late);
    void *ud;
    struct allot__watched *items; /* directories and files */
    int64_t folders;              /* the number of directories */
    bool lame;                    /* a directory could not be watched */
    allot__watch_paths paths;
} allot__watch;

/* Watches exactly these from now on. true: some are new, so earlier changes of theirs were not
 * seen. Failures, also for lack of memory, set `lame`. */
bool allot__watch_set(allot__watch *watch, const allot__watch_paths *paths,
                      const allot__sources *sources);
/* Ends it. */
void allot__watch_end(allot__watch *watch);

/* What the next attempt is for, other than the files; `reply` NULL: nothing. */
typedef struct allot__reload_order {
    allot__reply *reply;
    char *text;    /* a plan by call */
    char *confirm; /* the candidate that waits */
    bool rolls;    /* rolls back, to that version; 0: the one before */
    int64_t version;
    bool dry;
} allot__reload_order;

/* Milliseconds: see above. */
#define ALLOT__RELOAD_SETTLE 30
#define ALLOT__RELOAD_QUIET  150
#define ALLOT__RELOAD_MOST   2000

typedef enum allot__reload_phase {
    ALLOT__RELOAD_IDLE = 0,
    ALLOT__RELOAD_BUILDING,
    ALLOT__RELOAD_REHEARSING,
    ALLOT__RELOAD_SETTLING, /* it is done, but files may still be changing */
    ALLOT__RELOAD_WRITING   /* writing or restoring the plan's file */
} allot__reload_phase;

typedef struct allot__reload {
    allot_service *service;
    allot__watch watch;
    uv_timer_t timer;
    allot__work work;
    allot__reload_phase phase;
    bool open;          /* attempts may be requested */
    bool again;         /* try again when this attempt is over */
    uint64_t changes;   /* how many changes were seen, */
    uint64_t looked_at; /* and how many when the attempt began */
    /* ms of the loop: the first unhandled change (0: none), the last one, and the one that began
     * the attempt. */
    uint64_t first, last, began;
    int verdict; /* the result, once files have settled, or the plan's file is restored */
    allot__candidate *candidate;  /* being built, tried */
    allot__candidate *failed;     /* the files as last tried, if refused */
    allot__sample_states samples; /* of the live plan */
    allot__sample_states
        trial;         /* copies of them under the candidate's plan: those that it has passed */
    allot_state *lent; /* a copy of the books' state, to be tried first; NULL: none */
    int status;        /* of the thread's work */
    allot__candidate *held; /* waits to be confirmed; NULL: none */
    /* For the next attempt: the failing generation, to be replaced by the previous one (NULL:
     * none); an order; a policy to promote (NULL: none). */
    allot__candidate *culprit;
    allot__reload_order order;
    char *promote;
    allot_report *wanted;    /* newcomers, for the next attempt; NULL: none */
    allot_report *unwanted;  /* those that the last attempt could not add; NULL: none */
    allot__growing *growing; /* what waits for newcomers */
    /* Pending calls for the files, and for this attempt. */
    allot__reply *waiting, *answering;
    int64_t swapped, refused, same; /* attempts by result */
    int64_t fell_back;              /* how often the previous generation took over again */
    int64_t changed_at, failed_at;  /* 0: never */
    int64_t took_us;                /* the last swap, from the first change seen to its end */
    int64_t swap_us;                /* of it on the loop, without a break */
    int32_t rehearsed;              /* recorded cycles that it was tried on */
} allot__reload;

/* The component. */
int allot__reload_start(allot_service *service, allot_report *report);
void allot__reload_stop(allot_service *service);
void allot__reload_free(allot_service *service);
void allot__reload_cycle(allot_service *service, const allot__cycle_done *done);
void allot__reload_status(allot_service *service, allot__text *out);

/* Makes an attempt with that policy instead of the plan's own (NULL: the plan's own), and answers
 * `reply`. ENOMEM: the reply stays the caller's. */
int allot__reload_ask(allot__reload *reload, const char *instead, allot__reply *reply);
/* Cycles of the live generation fail for these reasons: lets the previous one take over again, if
 * it can. */
void allot__reload_back(allot_service *service, int status, const allot_report *report);
/* Whether the live generation replaces that of the files, or the last one, and why, in a
 * sentence. */
bool allot__reload_ails(const allot_service *service, char *buf, size_t size);

/* The methods `reload` {dry_run}, `plan` {text, dry_run}, `confirm` {version, drop, dry_run},
 * `rollback` {version, dry_run}: see above. Answered once the plan decides and is on disk. */
void allot__reload_now(allot__request *call);
void allot__reload_plan(allot__request *call);
void allot__reload_confirm(allot__request *call);
void allot__reload_rollback(allot__request *call);

/* A report's first error as the members of an object, and how many there are, if more. */
void allot__reload_error(allot__text *out, const allot_report *report);

/* As `grow` of allot__upcalls: events with newcomers wait, and are entered once a
 * generation of the same texts with them decides. newcomers NULL: those of before. */
int allot__reload_grow(allot_service *service, const allot_report *newcomers, allot__growing *it);

/* ---- Between the files of this folder -------------------------------------------------------- */

/* Makes the candidate of an attempt that only adds newcomers. false: without memory there is none.
 */
bool allot__grow_begin(allot__reload *it);
/* The attempt is over: lets all go on that waits for newcomers. Those of an attempt that failed,
 * which the second function takes, are not tried again until another generation decides. */
void allot__grow_end(allot__reload *it);
void allot__grow_refuse(allot__reload *it, allot_report *newcomers);
/* The attempt is over: begins the next one that is due. */
void allot__reload_next(allot__reload *it);
/* Begin an attempt, none being in progress; begin one soon. */
void allot__reload_begin(allot__reload *it);
void allot__reload_soon(allot__reload *it);
/* Watches the candidate's files. */
void allot__reload_arm(allot__reload *it);
/* Builds and tries the candidate, and then adopts or refuses it. */
void allot__reload_build(allot__reload *it);
/* Frees a generation and states of its plan on a thread. */
void allot__reload_let_go(allot_service *service, allot__generation *generation,
                          allot__sample_states *samples);
/* The candidate takes over now. */
void allot__reload_adopt(allot__reload *it);
/* Writes the candidate's text to the plan's file, and then adopts it. */
void allot__reload_write(allot__reload *it);
/* Ends an attempt, whose candidate is freed unless it is kept as `failed` or `held`. */
void allot__reload_finish(allot__reload *it);
void allot__reload_order_free(allot__reload *it);
/* Whether so many slots (below 0: not known) are more than the most that a change may take (below
 * 0: any number). */
bool allot__guard_exceeds(int64_t most, int64_t taken);
/* Whether the candidate is to be compared with the live generation; compares it on a thread. */
bool allot__guard_wants(const allot__reload *it);
int allot__guard_compare(allot__reload *it, const allot_state *state);
/* After the comparison: whether the candidate must wait, which then begins. */
bool allot__guard_holds(allot__reload *it);
/* Begins the attempt that an order for the waiting candidate asks for. */
void allot__guard_confirm(allot__reload *it, const char *name);
/* Gives the waiting candidate up: its files are as good as refused, and are not tried until they
 * change. */
void allot__guard_drop(allot__reload *it);
/* Ends the waiting candidate, for another one decides, or was refused. */
void allot__guard_end(allot__reload *it);
void allot__guard_put(allot__text *out, const allot__reload *it, const allot__candidate *candidate);
void allot__guard_status(allot__text *out, const allot__reload *it);
/* Files have settled: the attempt ends with `verdict`. */
void allot__reload_conclude(allot__reload *it, int verdict);
/* Drops the candidate without a report. */
void allot__reload_give_up(allot__reload *it);
/* Sets the files' failure; NULL: none. */
void allot__reload_fail(allot__reload *it, allot__candidate *failed);
/* Log the result of the attempt; answer waiting calls. NULL: no result, for lack of memory or
 * because the service ends. */
void allot__reload_log(const allot__reload *reload, const allot__candidate *candidate);
/* Logs that files which were refused are as the live ones again. */
void allot__reload_log_again(const allot__reload *reload);
void allot__reload_answer(allot__reload *reload, const allot__candidate *candidate);

#endif
