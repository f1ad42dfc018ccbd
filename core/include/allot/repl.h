/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * repl.h: a Lua session with a plan and a state, piece by piece.
 *
 * A session runs in the sandbox of policies, with their library and with the REPL's own words:
 * plan, consumers, queues, state, jobs, demand, cycle, explain, diff, undo, try, step, ... A
 * session has a cap of memory and no limit on time, and can be interrupted. A piece that fails
 * changes nothing.
 *
 * This header needs no lua.h.
 */
#ifndef ALLOT_REPL_H
#define ALLOT_REPL_H

#include <allot/tool.h>

ALLOT_C_BEGIN

typedef struct allot_repl allot_repl;

/* What a session needs of its host. It uses `out`, `read` and `write` of `tool`, which must not be
 * NULL; `out` gets what the session shows, as it comes. `list` (may be NULL) completes files. */
typedef struct allot_repl_host {
    allot_tool_host tool;
    /* Shows a decision by tool.out; borrowed. With tool.ud. */
    void (*decision)(void *ud, const allot_decision *decision);
    /* Gets what pieces and policies print and log. With tool.ud. NULL: tool.out. */
    void (*say)(void *ud, const char *text, size_t len);
    /* The width to write in, columns; 0: no bound. With tool.ud. NULL: 0. */
    int32_t (*width)(void *ud);
    /* Microseconds since any moment, for :time. With tool.ud. NULL: there is no clock. */
    int64_t (*clock)(void *ud);
    /* The most bytes of Lua memory; 0: 1 GiB. */
    int64_t memory;
    /* 1: results are shown as JSON, a line each. */
    int32_t json;
} allot_repl_host;

/* The outcome of a piece. */
typedef enum allot_repl_outcome {
    ALLOT_EVALUATED,
    ALLOT_INCOMPLETE, /* the piece is not complete: evaluate it again with more text; no effect */
    ALLOT_FAILED,     /* the report says why; nothing was changed */
    ALLOT_QUIT        /* the user asked for the end */
} allot_repl_outcome;

/* Makes a session with an empty plan. The host is copied; everything that it points to must outlive
 * the session. ENOMEM; EBUDGET: the memory is too little for any session. */
ALLOT_API int allot_repl_new(allot_engine *engine, const allot_repl_host *host, allot_repl **out);
ALLOT_API void allot_repl_free(allot_repl *session);

/* Puts a plan, or a state of the session's plan, into the session; `file` is its name, and policies
 * are read from the plan's folder. A new plan removes the state. EINVALID, EIO, EPOLICY, EBUDGET
 * (report); ENOMEM. */
ALLOT_API int allot_repl_plan(allot_repl *session, const char *text, size_t len, const char *file,
                              allot_report *report);
ALLOT_API int allot_repl_state(allot_repl *session, const char *text, size_t len, const char *file,
                               allot_report *report);
/* Puts the live plan and state of a service into the session: `text` is the answer to its call
 * `state` with `plan`. diff () compares with what the service decides next. A new plan then keeps
 * the state. As above. */
ALLOT_API int allot_repl_live(allot_repl *session, const char *text, size_t len, const char *file,
                              allot_report *report);

/*
 * Evaluates a piece: an expression, whose values the session shows, a chunk, or a command
 * (":help"). `name` and `line` say where the piece begins, for messages. *status is ALLOT_OK, or
 * why the piece failed: EINVALID: plan or state is no longer valid; EPOLICY, EIO; ESCRIPT, EBUDGET:
 * the piece or a policy failed; ENOMEM.
 */
ALLOT_API allot_repl_outcome allot_repl_eval(allot_repl *session, const char *text, size_t len,
                                             const char *name, int32_t line, allot_report *report,
                                             int *status);

/* Makes the running piece end soon; may be called from a signal handler or another thread. */
ALLOT_API void allot_repl_interrupt(allot_repl *session);

/* Completes a text at byte `cursor`: each candidate replaces the bytes from *from to the cursor.
 * Candidates come in order and are borrowed for the call. */
ALLOT_API void allot_repl_complete(allot_repl *session, const char *text, size_t len, size_t cursor,
                                   size_t *from, void (*each)(void *ud, const char *candidate),
                                   void *ud);

ALLOT_C_END

#endif
