/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * repl.h: trying things: Lua typed piece by piece, in a session with a plan and a state.
 *
 * A session runs in the sandbox of policies, with their library, and with the REPL's words beside
 * it: plan, consumers, queues, state, jobs, demand, cycle, explain, diff, undo, try, step, ... It
 * has as much time as it takes, under a cap of memory, and can be interrupted. A piece that fails
 * changes nothing.
 *
 * This header needs no lua.h.
 */
#ifndef ALLOT_REPL_H
#define ALLOT_REPL_H

#include <allot/tool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct allot_repl allot_repl;

/* What a session asks of its host. Of `tool` out, read and write are used, and must be there; out
 * is told what is shown, as it comes. */
typedef struct allot_repl_host {
    allot_tool_host tool;
    /* Shows a decision by tool.out; borrowed. With tool.ud. */
    void (*decision)(void *ud, const allot_decision *decision);
    /* Told what pieces and policies print and log. With tool.ud. NULL: tool.out. */
    void (*say)(void *ud, const char *text, size_t len);
    /* Columns to write in; 0: as many as it takes. With tool.ud. NULL: 0. */
    int32_t (*width)(void *ud);
    /* Microseconds since any moment, for :time. With tool.ud. NULL: there is no clock. */
    int64_t (*clock)(void *ud);
    /* At most so many bytes of Lua memory; 0: 1 GiB. */
    int64_t memory;
    /* 1: results are shown as JSON, a line each. */
    int32_t json;
} allot_repl_host;

/* What came of a piece. */
typedef enum allot_repl_outcome {
    ALLOT_EVALUATED,
    ALLOT_INCOMPLETE, /* it goes on: evaluate it again with what follows; nothing happened */
    ALLOT_FAILED,     /* the report says why; nothing was changed */
    ALLOT_QUIT        /* the user asked for the end */
} allot_repl_outcome;

/* Makes a session with an empty plan. The host is copied; what it points to must outlive the
 * session. ENOMEM; EBUDGET: the memory is too little for any session. */
ALLOT_API int allot_repl_new(allot_engine *engine, const allot_repl_host *host, allot_repl **out);
ALLOT_API void allot_repl_free(allot_repl *session);

/* Puts a plan, or a state of the plan that is there, into the session; `file` names it, and
 * policies are looked for beside the plan. A plan takes the state before away. EINVALID, EIO,
 * EPOLICY, EBUDGET (report); ENOMEM. */
ALLOT_API int allot_repl_plan(allot_repl *session, const char *text, size_t len, const char *file,
                              allot_report *report);
ALLOT_API int allot_repl_state(allot_repl *session, const char *text, size_t len, const char *file,
                               allot_report *report);

/*
 * Evaluates a piece: an expression, whose values are shown, a chunk, or a command (":help").
 * `name` and `line` are where it begins, for messages. *status is why it failed: EINVALID: a
 * document is not valid now; EPOLICY, EIO; ESCRIPT, EBUDGET: the piece or a policy failed;
 * ENOMEM; ALLOT_OK unless it failed.
 */
ALLOT_API allot_repl_outcome allot_repl_eval(allot_repl *session, const char *text, size_t len,
                                             const char *name, int32_t line, allot_report *report,
                                             int *status);

/* Ends the piece that is being evaluated, soon; from a signal handler or another thread. */
ALLOT_API void allot_repl_interrupt(allot_repl *session);

/* What may stand at byte `cursor` of a text: each candidate replaces the bytes from *from to the
 * cursor. In order; borrowed for the call. */
ALLOT_API void allot_repl_complete(allot_repl *session, const char *text, size_t len, size_t cursor,
                                   size_t *from, void (*each)(void *ud, const char *candidate),
                                   void *ud);

#ifdef __cplusplus
}
#endif

#endif
