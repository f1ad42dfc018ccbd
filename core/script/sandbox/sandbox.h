/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * sandbox.h: a Lua state that can only compute, within limits.
 *
 * What a script uses is counted as fuel: a unit for every instruction, for every 32 bytes that it
 * allocates, and for what the library does on its behalf. Without fuel, the next instruction fails,
 * and so does every later one: no pcall of the script can continue.
 *
 * There are no metatables, coroutines, finalizers, weak tables or loaders in a sandbox, and its
 * strings and calls are small: no single instruction or call takes long. A memory cap is only safe
 * where weak tables cannot be made: Lua before 5.4.8 reads freed memory when an emergency
 * collection meets one.
 */
#ifndef ALLOT_SCRIPT_SANDBOX_SANDBOX_H
#define ALLOT_SCRIPT_SANDBOX_SANDBOX_H

#include <signal.h>
#include <stdbool.h>

#include <lauxlib.h>
#include <lua.h>

#include <allot/script.h>

/* Limits of a script: bytes of a string, nested calls, variable arguments of a call. The last two
 * are checked every 1000 instructions. */
enum { ALLOT__STRING_MAX = 4096, ALLOT__CALLS_MAX = 200, ALLOT__ARGUMENTS_MAX = 250 };

/* Instructions between two checks of the fuel. */
enum { ALLOT__FUEL_INTERVAL = 1000 };

/* The last refusal. */
typedef enum allot__denial {
    ALLOT__DENIED_NOTHING = 0,
    ALLOT__DENIED_ENGINE, /* the engine is out of memory */
    ALLOT__DENIED_MEMORY, /* the script is at its cap */
    ALLOT__DENIED_STRING,
    ALLOT__DENIED_STACK,
    ALLOT__DENIED_TIME, /* it was interrupted */
    ALLOT__DENIED_CYCLE /* the time of the cycle is over */
} allot__denial;

typedef struct allot__sandbox {
    allot_engine *engine;
    lua_State *L;
    int64_t cap, used, peak; /* bytes */
    int64_t fuel;            /* fuel left */
    int64_t given;           /* fuel at the start; below 0: no limit */
    bool armed, spent;       /* counting; ran out */
    allot__denial denial;
    void (*say)(void *ud, const char *chunk, int32_t line, const char *level, const char *text);
    void *say_ud;
    void (*ran)(void *ud, const char *chunk, int32_t line, int32_t function);
    void *ran_ud;           /* of lines that run, as in allot_script_limits */
    const char *chunk;      /* the whole name, which `source` shortens; NULL: `source` is whole */
    int64_t said, said_max; /* lines since the sandbox was armed, and how many were passed on */
    size_t string_max;
    const volatile sig_atomic_t *interrupt; /* nonzero: the script must end; NULL: no interrupt */
    const allot_script_time *time;          /* checked with the fuel; NULL: no limit on time */
    bool keeps_errors;                      /* tables that were raised: see allot__sandbox_error */
    int64_t swept;                          /* bytes in use after the last collection */
    int32_t line;     /* of the script, where the last error was raised; 0: unknown */
    const char *text; /* of the script, by which keys are placed; NULL: not known */
    size_t text_len;
    char source[LUA_IDSIZE]; /* as Lua calls the script in messages; "" until it is loaded */
} allot__sandbox;

/* Makes the state, with its library in place. EBUDGET: the cap is too low even for that; ENOMEM.
 * The struct must not move. */
int allot__sandbox_open(allot__sandbox *box, allot_engine *engine, int64_t cap);
/* Ends the state; an unopened, zeroed one is fine. */
void allot__sandbox_close(allot__sandbox *box);

/* Runs a C function with `ud` as its argument (light userdata), protected. Returns Lua's status. If
 * that is not LUA_OK, a string (never another value) is on top of the stack, without what the
 * function left there. Otherwise the stack is as before. */
int allot__sandbox_run(allot__sandbox *box, lua_CFunction function, void *ud);

/* Pushes the table that was raised last where the sandbox keeps them, or nil, and forgets it. */
void allot__sandbox_error(allot__sandbox *box);

/* Learns the name of a chunk in Lua's messages, shortened when it is long.
 * Raises. */
void allot__sandbox_name(lua_State *L, allot__sandbox *box, const char *chunk);

/* Is the sandbox's time over? */
bool allot__sandbox_late(const allot__sandbox *box);

/* Gives fuel (below 0: no limit) and counts from now on; stops counting. */
void allot__sandbox_arm(allot__sandbox *box, int64_t fuel);
void allot__sandbox_disarm(allot__sandbox *box);

/* Fuel used since the sandbox was armed; 0 if nothing is counted. */
int64_t allot__sandbox_spent(const allot__sandbox *box);
/* Passes the arguments of the function on the stack, print or log, to `say` of the limits. */
void allot__sandbox_say(lua_State *L, const char *level);
/* Passes on the number of dropped lines, if any. */
void allot__sandbox_hush(allot__sandbox *box);

/* Cuts "fair.lua:3: " or "fair.lua:3:7: " off a message of that source; returns the line, or 0 if
 * there is none; *col is 0 if there is none. */
int32_t allot__fault_place(const char *source, const char **message, int32_t *col);

/* A finding in a script's text: a line (0: none), and a column or a name. */
typedef struct allot__text_answer {
    int32_t line, col;
    char name[ALLOT_NAME_MAX + 1];
} allot__text_answer;
/* Asks `function` of lua/allot/check/text.lua about the script's text; `push` pushes further
 * arguments in the state of that module, and returns their number. ENOMEM. (text.c) */
int allot__sandbox_ask(const allot__sandbox *box, const char *function,
                       int (*push)(lua_State *L, const void *ud), const void *ud,
                       allot__text_answer *out);

/* The sandbox of a state. */
allot__sandbox *allot__sandbox_of(lua_State *L);
/* Takes fuel for work done outside Lua's instructions; raises when there is none left. */
void allot__sandbox_charge(lua_State *L, int64_t fuel);
/* The same, but does not raise: the script fails as soon as it runs on. */
void allot__sandbox_burn(allot__sandbox *box, int64_t fuel);
/* Collects garbage when use has grown by half since the last time. */
void allot__sandbox_sweep(allot__sandbox *box);

#endif
