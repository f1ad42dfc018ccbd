/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * repl.c: a sandbox for typed pieces, and their outcome.
 *
 * A piece runs, its changes are checked, and only then its values are shown; if one of these fails,
 * the REPL undoes the changes, which cannot be interrupted.
 */
#include "script/repl/repl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "script/module/module.h"
#include "script/sandbox/script.h"

static const int64_t default_memory = (int64_t)1 << 30;

/* ---- Life ------------------------------------------------------------------------------------ */

/* Passes on what pieces print; `log` has its level in front. */
static void say(void *ud, const char *chunk, int32_t line, const char *level, const char *text)
{
    const allot_repl_host *host = &((allot_repl *)ud)->host;
    (void)chunk;
    (void)line;
    if (strcmp(level, "print") != 0) {
        host->say(host->tool.ud, level, strlen(level));
        host->say(host->tool.ud, ": ", 2);
    }
    host->say(host->tool.ud, text, strlen(text));
    host->say(host->tool.ud, "\n", 1);
}

/* Pushes function `name` of the REPL. */
static void push_word(lua_State *L, const allot_repl *session, const char *name)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, session->words);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

static int set_up(lua_State *L)
{
    allot_repl *session = lua_touserdata(L, 1);
    allot__repl_require(L, session, "allot.repl");
    session->words = luaL_ref(L, LUA_REGISTRYINDEX);
    push_word(L, session, "open");
    lua_call(L, 0, 1);
    session->env = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

/* The outcome of a failed run, whose message is on top of the stack. */
static int status_of(allot_repl *session, int status)
{
    const allot__sandbox *box = &session->box;
    if (status == LUA_ERRMEM && box->denial == ALLOT__DENIED_ENGINE)
        return ALLOT_ENOMEM;
    if (status == LUA_ERRMEM || box->spent)
        return box->denial == ALLOT__DENIED_TIME ? ALLOT_ESCRIPT : ALLOT_EBUDGET;
    return ALLOT_ESCRIPT;
}

int allot_repl_new(allot_engine *engine, const allot_repl_host *host, allot_repl **out)
{
    if (!engine || !host || !host->tool.out || !host->tool.read || !host->tool.write ||
        !host->decision || !out)
        return ALLOT_EUSAGE;
    allot_repl *session = allot_engine_alloc(engine, NULL, 0, sizeof *session);
    if (!session)
        return ALLOT_ENOMEM;
    memset(session, 0, sizeof *session);
    session->host = *host;
    session->host.tool.clock = host->clock;
    session->tools = (allot__host_use){.engine = engine, .host = &session->host.tool};
    if (!host->say)
        session->host.say = host->tool.out;
    int64_t memory = host->memory > 0 ? host->memory : default_memory;
    int status = allot__sandbox_open(&session->box, engine, memory);
    if (!status) {
        session->box.string_max = (size_t)memory;
        session->box.keeps_errors = true;
        session->box.say = say;
        session->box.say_ud = session;
        session->box.said_max = INT64_MAX;
        session->box.interrupt = &session->interrupted;
        int failed = allot__sandbox_run(&session->box, set_up, session);
        status = !failed                ? ALLOT_OK
                 : failed == LUA_ERRMEM ? status_of(session, failed)
                                        : ALLOT_EINTERNAL;
        if (status == ALLOT_EINTERNAL &&
            strstr(lua_tostring(session->box.L, -1), allot_status_text(ALLOT_ENOMEM)))
            status = ALLOT_ENOMEM;
    }
    session->box.engine = engine;
    if (status)
        allot_repl_free(session);
    else
        *out = session;
    return status;
}

void allot_repl_free(allot_repl *session)
{
    if (!session)
        return;
    allot_engine *engine = session->box.engine;
    allot__sandbox_close(&session->box);
    allot_engine_alloc(engine, session, sizeof *session, 0);
}

void allot_repl_interrupt(allot_repl *session)
{
    session->interrupted = 1;
}

/* ---- Telling what failed --------------------------------------------------------------------- */

static void add(const allot_repl *session, const char *code, int32_t line, const char *message,
                const char *hint, allot_report *report)
{
    allot_diagnostic finding = allot__error(code, message);
    finding.file = session->name;
    finding.line = line;
    finding.hint = hint;
    allot_report_add(report, &finding);
}

/* The message about a limit that was reached, or about an interrupt. */
static void tell_limit(const allot_repl *session, int status, allot_report *report)
{
    const allot__sandbox *box = &session->box;
    char text[128];
    if (status == LUA_ERRMEM)
        snprintf(text, sizeof text, "more than %" PRId64 " bytes of memory", box->cap);
    else
        snprintf(text, sizeof text,
                 "calls are nested deeper than %d, or have more than %d arguments",
                 ALLOT__CALLS_MAX, ALLOT__ARGUMENTS_MAX);
    if (status != LUA_ERRMEM && box->denial == ALLOT__DENIED_TIME)
        add(session, "E-interrupted", box->line, "interrupted; nothing was changed", NULL, report);
    else
        add(session, "E-repl-limit", box->line, text, NULL, report);
}

typedef struct hinting {
    const allot_repl *session;
    const char *message;
    char hint[200]; /* "": none */
} hinting;

static int find_hint(lua_State *L)
{
    hinting *it = lua_touserdata(L, 1);
    push_word(L, it->session, "hint");
    lua_pushstring(L, it->message);
    lua_call(L, 1, 1);
    if (lua_type(L, -1) == LUA_TSTRING)
        snprintf(it->hint, sizeof it->hint, "%s", lua_tostring(L, -1));
    return 0;
}

/* Cuts a message of ours short; the report's reader makes it safe for terminals. */
static void tell_message(allot_repl *session, const char *message, allot_report *report)
{
    char text[1000];
    int32_t line = allot__fault_place(session->box.source, &message, &(int32_t){0});
    snprintf(text, sizeof text, "%s", message);
    const char *hint = allot__fault_hint(text);
    hinting repl = {.session = session, .message = text};
    if (!hint && allot__sandbox_run(&session->box, find_hint, &repl) != LUA_OK)
        lua_pop(session->box.L, 1);
    hint = !hint && *repl.hint != '\0' ? repl.hint : hint;
    add(session, session->syntax_fault ? "E-repl-syntax" : "E-repl",
        line ? line : session->box.line, text, hint, report);
}

typedef struct telling {
    allot_repl *session;
    allot_report *report;
    int status;
} telling;

/* Statuses as the REPL calls them. */
static int status_named(const char *name)
{
    int status = ALLOT_EINTERNAL;
    while (status < ALLOT_OK && strcmp(name, allot_status_name(status)) != 0)
        status++;
    return status < ALLOT_OK ? status : ALLOT_ESCRIPT;
}

/* Reports the diagnostics of an error that the REPL raised, which lies on the stack below the light
 * userdata. */
static int tell_findings(lua_State *L)
{
    telling *it = lua_touserdata(L, 1);
    allot__sandbox_error(&it->session->box);
    if (!lua_istable(L, -1))
        return 0;
    int error = lua_gettop(L);
    if (lua_getfield(L, error, "findings") != LUA_TTABLE)
        return 0;
    int list = lua_gettop(L);
    if (lua_getfield(L, error, "status") == LUA_TSTRING)
        it->status = status_named(lua_tostring(L, -1));
    for (lua_Integer i = 1; lua_rawgeti(L, list, i) == LUA_TTABLE; i++) {
        allot_diagnostic finding = allot__finding_read(L, lua_gettop(L));
        allot_report_add(it->report, &finding);
        lua_pop(L, 1);
    }
    return 0;
}

/* The message is on top of the stack, and is popped. */
static int tell(allot_repl *session, int failed, allot_report *report)
{
    lua_State *L = session->box.L;
    int status = status_of(session, failed);
    bool limit = failed == LUA_ERRMEM || session->box.spent;
    telling it = {session, report, ALLOT_OK};
    char message[1200];
    snprintf(message, sizeof message, "%s", lua_tostring(L, -1));
    lua_pop(L, 1);
    if (status == ALLOT_ENOMEM)
        return status;
    int64_t before = allot_report_total(report, ALLOT_ERROR);
    if (!limit && allot__sandbox_run(&session->box, tell_findings, &it) != LUA_OK)
        lua_pop(L, 1);
    if (it.status && allot_report_total(report, ALLOT_ERROR) > before)
        return it.status;
    if (limit)
        tell_limit(session, failed, report);
    else
        tell_message(session, message, report);
    return status;
}

/* ---- Evaluating ------------------------------------------------------------------------------ */

static int run_command(lua_State *L, allot_repl *session)
{
    push_word(L, session, "command");
    lua_pushlstring(L, session->text, session->len);
    lua_call(L, 1, 1);
    session->quit = lua_toboolean(L, -1);
    return 0;
}

static int run_piece(lua_State *L)
{
    allot_repl *session = lua_touserdata(L, 1);
    const char *chunk = lua_pushfstring(L, "=%s", session->name);
    allot__sandbox_name(L, &session->box, chunk);
    if (session->len > 0 && *session->text == ':')
        return run_command(L, session);
    push_word(L, session, "finish");
    int base = lua_gettop(L);
    lua_pushlstring(L, session->text, session->len);
    if (allot__repl_load(L, session, chunk, session->line, &session->incomplete) != LUA_OK) {
        session->syntax_fault = !session->incomplete;
        return session->incomplete ? 0 : lua_error(L);
    }
    lua_call(L, 0, LUA_MULTRET);
    luaL_checkstack(L, 2, "too many values");
    lua_pushinteger(L, lua_gettop(L) - base);
    lua_insert(L, base + 1);
    lua_call(L, lua_gettop(L) - base, 0);
    return 0;
}

static int roll_back(lua_State *L)
{
    push_word(L, lua_touserdata(L, 1), "rollback");
    lua_call(L, 0, 0);
    return 0;
}

/* Runs a function that may fail or be interrupted; a failure changes nothing. */
static int attempt(allot_repl *session, lua_CFunction function, allot_report *report)
{
    session->interrupted = 0;
    session->syntax_fault = session->incomplete = session->quit = false;
    allot__sandbox_arm(&session->box, INT64_MAX);
    int failed = allot__sandbox_run(&session->box, function, session);
    allot__sandbox_disarm(&session->box);
    if (failed == LUA_OK)
        return ALLOT_OK;
    int status = tell(session, failed, report);
    if (allot__sandbox_run(&session->box, roll_back, session) != LUA_OK)
        lua_pop(session->box.L, 1);
    return status;
}

allot_repl_outcome allot_repl_eval(allot_repl *session, const char *text, size_t len,
                                   const char *name, int32_t line, allot_report *report,
                                   int *status)
{
    session->text = text;
    session->len = len;
    session->name = name;
    session->line = line;
    *status = attempt(session, run_piece, report);
    if (*status)
        return ALLOT_FAILED;
    return session->quit ? ALLOT_QUIT : session->incomplete ? ALLOT_INCOMPLETE : ALLOT_EVALUATED;
}

/* ---- Documents ------------------------------------------------------------------------------- */

static int run_document(lua_State *L)
{
    allot_repl *session = lua_touserdata(L, 1);
    push_word(L, session, session->function);
    lua_pushlstring(L, session->text, session->len);
    lua_pushstring(L, session->name);
    lua_call(L, 2, 0);
    return 0;
}

static int put(allot_repl *session, const char *function, const char *text, size_t len,
               const char *file, allot_report *report)
{
    session->function = function;
    session->text = text ? text : "";
    session->len = len;
    session->name = file;
    return attempt(session, run_document, report);
}

int allot_repl_plan(allot_repl *session, const char *text, size_t len, const char *file,
                    allot_report *report)
{
    return put(session, "plan", text, len, file, report);
}

int allot_repl_state(allot_repl *session, const char *text, size_t len, const char *file,
                     allot_report *report)
{
    return put(session, "state", text, len, file, report);
}

int allot_repl_live(allot_repl *session, const char *text, size_t len, const char *file,
                    allot_report *report)
{
    return put(session, "live", text, len, file, report);
}

/* ---- Completing ------------------------------------------------------------------------------ */

typedef struct completing {
    allot_repl *session;
    const char *text;
    size_t cursor, from;
    void (*each)(void *ud, const char *candidate);
    void *ud;
} completing;

static int complete(lua_State *L)
{
    completing *it = lua_touserdata(L, 1);
    push_word(L, it->session, "complete");
    lua_pushlstring(L, it->text, it->cursor);
    lua_call(L, 1, 2);
    it->from = (size_t)luaL_checkinteger(L, -2);
    for (lua_Integer i = 1; lua_rawgeti(L, -1, i) == LUA_TSTRING; i++) {
        it->each(it->ud, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    return 0;
}

void allot_repl_complete(allot_repl *session, const char *text, size_t len, size_t cursor,
                         size_t *from, void (*each)(void *ud, const char *candidate), void *ud)
{
    completing it = {session, text, cursor < len ? cursor : len, cursor, each, ud};
    session->interrupted = 0;
    allot__sandbox_arm(&session->box, INT64_MAX);
    if (allot__sandbox_run(&session->box, complete, &it) != LUA_OK)
        lua_pop(session->box.L, 1);
    allot__sandbox_disarm(&session->box);
    *from = it.from < cursor ? it.from : cursor;
}
