/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * repl.c: a sandbox for pieces that are typed, and their outcome.
 *
 * A piece runs, what it changed is checked, and only then its values are shown; where one of these
 * fails, the REPL takes back what was changed. That cannot be interrupted.
 */
#include "script/repl/repl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "script/sandbox/library.h"
#include "script/module/finding.h"
#include "script/module/module.h"
#include "script/sandbox/script.h"

static const int64_t default_memory = (int64_t)1 << 30;

/* ---- Life ------------------------------------------------------------------------------------ */

/* What pieces print; log has its level in front. */
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

void allot__repl_push(lua_State *L, const allot_repl *session, const char *name)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, session->words);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

static int set_up(lua_State *L)
{
    allot_repl *session = lua_touserdata(L, 1);
    allot__repl_globals(L);
    lua_pushvalue(L, -1);
    session->env = luaL_ref(L, LUA_REGISTRYINDEX);
    allot__repl_require(L, session, "allot.repl");
    lua_pushvalue(L, -1);
    session->words = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_getfield(L, -1, "open");
    lua_pushvalue(L, -3);
    lua_call(L, 1, 0);
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
    allot_report_add(report, &(allot_diagnostic){.severity = ALLOT_ERROR,
                                                 .code = code,
                                                 .file = session->name,
                                                 .line = line,
                                                 .message = message,
                                                 .hint = hint,
                                                 .consumer = -1,
                                                 .group = -1,
                                                 .field = -1});
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
    allot__repl_push(L, it->session, "hint");
    lua_pushstring(L, it->message);
    lua_call(L, 1, 1);
    if (lua_type(L, -1) == LUA_TSTRING)
        snprintf(it->hint, sizeof it->hint, "%s", lua_tostring(L, -1));
    return 0;
}

/* Cuts a message of ours short, and makes it fit for a terminal's eyes by the report's reader. */
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
#define STATUS_BY_NAME(id, code, text)                                                             \
    if (strcmp(name, #id) == 0)                                                                    \
        return code;
    ALLOT_STATUS_MAP(STATUS_BY_NAME)
#undef STATUS_BY_NAME
    return ALLOT_ESCRIPT;
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

static void learn_source(lua_State *L, allot_repl *session, const char *chunk)
{
    lua_Debug ar;
    if (luaL_loadbufferx(L, "", 0, chunk, "t") != LUA_OK)
        lua_error(L);
    lua_getinfo(L, ">S", &ar);
    snprintf(session->box.source, sizeof session->box.source, "%s", ar.short_src);
}

static int run_command(lua_State *L, allot_repl *session)
{
    allot__repl_push(L, session, "command");
    lua_pushlstring(L, session->text, session->len);
    lua_call(L, 1, 0);
    return 0;
}

static int run_piece(lua_State *L)
{
    allot_repl *session = lua_touserdata(L, 1);
    const char *chunk = lua_pushfstring(L, "=%s", session->name);
    learn_source(L, session, chunk);
    if (session->len > 0 && *session->text == ':')
        return run_command(L, session);
    const allot__piece piece = {session->text, chunk, session->len, session->line, false};
    allot__repl_push(L, session, "finish");
    if (allot__repl_load(L, session, &piece, &session->incomplete) != LUA_OK) {
        session->syntax_fault = !session->incomplete;
        return session->incomplete ? 0 : lua_error(L);
    }
    int base = lua_gettop(L) - 1;
    lua_call(L, 0, LUA_MULTRET);
    luaL_checkstack(L, 2, "too many values");
    lua_pushinteger(L, lua_gettop(L) - base);
    lua_insert(L, base + 1);
    lua_call(L, lua_gettop(L) - base, 0);
    return 0;
}

static int roll_back(lua_State *L)
{
    allot__repl_push(L, lua_touserdata(L, 1), "rollback");
    lua_call(L, 0, 0);
    return 0;
}

/* Runs what may fail and be interrupted; where it fails, everything is as before. */
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

static int run_document(lua_State *L, const char *function)
{
    allot_repl *session = lua_touserdata(L, 1);
    allot__repl_push(L, session, function);
    lua_pushlstring(L, session->text, session->len);
    lua_pushstring(L, session->name);
    lua_call(L, 2, 0);
    return 0;
}

static int run_plan(lua_State *L)
{
    return run_document(L, "plan");
}

static int run_state(lua_State *L)
{
    return run_document(L, "state");
}

static int run_live(lua_State *L)
{
    return run_document(L, "live");
}

static int put(allot_repl *session, lua_CFunction function, const char *text, size_t len,
               const char *file, allot_report *report)
{
    session->text = text ? text : "";
    session->len = len;
    session->name = file;
    return attempt(session, function, report);
}

int allot_repl_plan(allot_repl *session, const char *text, size_t len, const char *file,
                    allot_report *report)
{
    return put(session, run_plan, text, len, file, report);
}

int allot_repl_state(allot_repl *session, const char *text, size_t len, const char *file,
                     allot_report *report)
{
    return put(session, run_state, text, len, file, report);
}

int allot_repl_live(allot_repl *session, const char *text, size_t len, const char *file,
                    allot_report *report)
{
    return put(session, run_live, text, len, file, report);
}
