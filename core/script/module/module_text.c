/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* module_text.c: texts of plans and decisions: consumers, documents, explanations; host.explain. */
#include <stdio.h>
#include <string.h>

#include "script/module/module.h"
#include "script/module/tool.h"

static allot__text *push_text(lua_State *L)
{
    const allot__module *module = lua_touserdata(L, lua_upvalueindex(1));
    return allot__text_push(L, module->engine);
}

/* ---- Methods ------------------------------------------------------------------------------- */

void allot__module_path(lua_State *L, const allot_plan *plan, int32_t consumer)
{
    size_t len = allot_plan_path(plan, consumer, NULL, 0);
    luaL_Buffer buffer;
    char *path = luaL_buffinitsize(L, &buffer, len + 1);
    allot_plan_path(plan, consumer, path, len + 1);
    luaL_pushresultsize(&buffer, len);
}

/* plan:consumers(): paths, in plan order */
int allot__module_consumers(lua_State *L)
{
    const allot_plan *plan = allot__box_check(L, 1, ALLOT__PLAN)->it;
    lua_Integer n = 0;
    lua_createtable(L, allot_plan_consumers(plan), 0);
    for (int32_t i = allot_plan_next(plan, ALLOT_ROOT); i != ALLOT_ROOT;
         i = allot_plan_next(plan, i)) {
        allot__module_path(L, plan, i);
        lua_rawseti(L, -2, ++n);
    }
    return 1;
}

/* core.time(seconds) */
int allot__module_time(lua_State *L)
{
    char text[40];
    allot_time_text(luaL_checkinteger(L, 1), text, sizeof text);
    lua_pushstring(L, text);
    return 1;
}

/* Returns the text in `document`, which is on top of the stack. */
static int return_document(lua_State *L, allot__text *document, int status)
{
    if (status)
        return allot__module_fail(L, allot_status_text(document->failed ? ALLOT_ENOMEM : status));
    lua_pushlstring(L, document->bytes, document->len);
    allot__text_free(document);
    return 1;
}

/* state:json() */
int allot__module_state_json(lua_State *L)
{
    const allot__box *box = allot__box_check(L, 1, ALLOT__STATE);
    allot__text *document = push_text(L);
    int status = allot_state_write(box->it, allot__text_sink, document);
    return return_document(L, document, status);
}

/* decision:json() */
int allot__module_json(lua_State *L)
{
    const allot__box *box = allot__box_check(L, 1, ALLOT__DECISION);
    allot__text *document = push_text(L);
    int status = allot_decision_write(box->it, box->report, allot__text_sink, document);
    return return_document(L, document, status);
}

/* A text without a slash is not a path: it may name a task, job or contract. */
static int fail_named(lua_State *L, const allot_state *state, const char *id)
{
    const char *near = allot_state_task_nearest(state, id);
    lua_pushfstring(L,
                    near ? "there is no task, job or contract %s; did you mean %s?"
                         : "there is no task, job or contract %s",
                    id, near);
    return allot__module_fail(L, lua_tostring(L, -1));
}

static int fail_path(lua_State *L, const allot_plan *plan, const char *path, size_t len)
{
    char near[512];
    size_t found = allot_plan_nearest(plan, path, len, near, sizeof near);
    lua_pushfstring(L,
                    found ? "there is no consumer %s; did you mean %s?" : "there is no consumer %s",
                    path, near);
    return allot__module_fail(L, lua_tostring(L, -1));
}

static void add_line(void *text, const char *line)
{
    allot__text_sink(text, line, strlen(line) + 1);
}

static void push_list(lua_State *L, const allot__text *lines)
{
    lua_newtable(L);
    const char *at = lines->bytes, *end = at + lines->len;
    for (lua_Integer i = 1; at < end; at += strlen(at) + 1, i++) {
        lua_pushstring(L, at);
        lua_rawseti(L, -2, i);
    }
}

/* Returns the lines of an explanation, popped off `lines`. */
static int return_lines(lua_State *L, allot__text *lines, int status)
{
    if (status || lines->failed)
        return allot__module_fail(L, allot_status_text(status ? status : ALLOT_ENOMEM));
    push_list(L, lines);
    allot__text_free(lines);
    return 1;
}

/* A task's lines, a job's, or a contract's; ENOENT. */
static int explain_id(const allot_decision *decision, const char *id, allot__text *lines)
{
    int status = allot_explain_task(decision, id, add_line, lines);
    if (status == ALLOT_ENOENT)
        status = allot_explain_job(decision, id, add_line, lines);
    int32_t lease = allot_plan_lease_find(allot_decision_plan(decision), id);
    if (status == ALLOT_ENOENT && lease >= 0)
        status = allot_explain_lease(decision, lease, add_line, lines);
    return status;
}

/* Text without a slash is the id of a task or job, or a contract's name; false: unknown. */
static bool explain_named(lua_State *L, const allot_decision *decision, const char *id,
                          int *results)
{
    if (id[0] == '/')
        return false;
    allot__text *lines = push_text(L);
    int status = explain_id(decision, id, lines);
    if (status == ALLOT_ENOENT) {
        allot__text_free(lines);
        lua_pop(L, 1);
        return false;
    }
    *results = return_lines(L, lines, status);
    return true;
}

/* decision:explain(path, task, job or contract [, group]): lines */
int allot__module_explain(lua_State *L)
{
    const allot_decision *decision = allot__box_check(L, 1, ALLOT__DECISION)->it;
    const allot_plan *plan = allot_decision_plan(decision);
    size_t len, group_len;
    int results;
    const char *path = luaL_checklstring(L, 2, &len);
    const char *group = luaL_optlstring(L, 3, allot_plan_group_name(plan, 0), &group_len);
    if (explain_named(L, decision, path, &results))
        return results;
    int32_t consumer = allot_plan_find(plan, path, len);
    int32_t number = allot_plan_group_find(plan, group, group_len);
    if (consumer == ALLOT_ROOT && path[0] != '/')
        return fail_named(L, allot_decision_state(decision), path);
    if (consumer == ALLOT_ROOT)
        return fail_path(L, plan, path, len);
    if (number < 0) {
        lua_pushfstring(L, "there is no group %s", group);
        return allot__module_fail(L, lua_tostring(L, -1));
    }
    allot__text *lines = push_text(L);
    return return_lines(L, lines, allot_explain(decision, number, consumer, add_line, lines));
}

/* ---- host.explain ---------------------------------------------------------------------------- */

static void push_lines(lua_State *L, const allot__text *lines, int status)
{
    if (status || lines->failed)
        luaL_error(L, "%s", allot_status_text(status ? status : ALLOT_ENOMEM));
    push_list(L, lines);
}

/* A list of {group = , lines = }. */
static int explain_consumer(lua_State *L, const allot_decision *decision, int32_t consumer,
                            allot__text *lines)
{
    const allot_plan *plan = allot_decision_plan(decision);
    lua_newtable(L);
    for (int32_t i = 0; i < allot_plan_groups(plan); i++) {
        lines->len = 0;
        int status = allot_explain(decision, i, consumer, add_line, lines);
        lua_createtable(L, 0, 2);
        FIELDS(L, "group", allot_plan_group_name(plan, i));
        push_lines(L, lines, status);
        lua_setfield(L, -2, "lines");
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* nil, and the path or id that may be meant: a consumer's of that name, or the nearest. */
static int fail_near(lua_State *L, const allot_decision *decision, const char *what)
{
    const allot_plan *plan = allot_decision_plan(decision);
    char path[1024] = "";
    const char *near = path;
    if (*what == '/')
        allot_plan_nearest(plan, what, strlen(what), path, sizeof path);
    for (int32_t i = 0; *path == '\0' && *what != '/' && i < allot_plan_consumers(plan); i++)
        if (strcmp(allot_plan_name(plan, i), what) == 0)
            allot_plan_path(plan, i, path, sizeof path);
    if (*path == '\0')
        near = *what == '/' ? NULL : allot_state_task_nearest(allot_decision_state(decision), what);
    luaL_pushfail(L);
    lua_pushstring(L, near);
    return 2;
}

int allot__host_explain(lua_State *L)
{
    const allot__host_use *use = lua_touserdata(L, lua_upvalueindex(1));
    const allot_decision *decision = use->host->decision;
    const char *what = luaL_checkstring(L, 1), *kind = luaL_checkstring(L, 2);
    if (!decision)
        return luaL_error(L, "this host has no decision");
    const allot_plan *plan = allot_decision_plan(decision);
    allot__text *lines = allot__text_push(L, use->engine);
    int32_t number = *kind == 'c' ? allot_plan_find(plan, what, strlen(what))
                                  : allot_plan_lease_find(plan, what);
    if (*kind == 'c' && number != ALLOT_ROOT)
        return explain_consumer(L, decision, number, lines);
    int status = ALLOT_ENOENT;
    if (*kind == 'l' && number >= 0)
        status = allot_explain_lease(decision, number, add_line, lines);
    else if (*kind == 'j')
        status = allot_explain_job(decision, what, add_line, lines);
    else if (*kind == 't')
        status = allot_explain_task(decision, what, add_line, lines);
    if (status == ALLOT_ENOENT)
        return fail_near(L, decision, what);
    push_lines(L, lines, status);
    return 1;
}
