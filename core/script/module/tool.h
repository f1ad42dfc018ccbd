/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* tool.h: running a tool from its text, for allot_tool_run and its tests. */
#ifndef ALLOT_SCRIPT_MODULE_TOOL_H
#define ALLOT_SCRIPT_MODULE_TOOL_H

#include <lua.h>

#include <allot/tool.h>

typedef struct allot__tool {
    const char *name; /* in messages */
    const char *text; /* Lua code that returns the table of its functions */
    size_t len;
    const char *function;
    const char *const *args;
    int32_t count;
    /* Gets the tool's findings, with the host's ud; NULL: the report gets them. */
    void (*say)(void *ud, const allot_diagnostic *finding);
} allot__tool;

/* A host in use; the tool is NULL if none runs. */
typedef struct allot__host_use {
    allot_engine *engine;
    const allot_tool_host *host;
    const allot__tool *tool;
    int answer;
    allot_report *report;
} allot__host_use;

/* Pushes the table of a host's functions. Raises. */
void allot__tool_host(lua_State *L, allot__host_use *use);

/* host.rows(kind): an iterator over rows of the host's decision, each a table (rows.c): "plan",
 * "groups", "grants", "jobs", ... Raises. */
int allot__host_rows(lua_State *L);
/* host.consumers(group [, all]): the consumers of a group, by number from 1, column by column, and
 * how many they are: {demand = {...}, ...}. Numbers that are 0 are left out, and so are consumers
 * with nothing, unless `all`. Raises. */
int allot__host_consumers(lua_State *L);
/* host.explain(what, kind): the lines about a "job", "lease" or "task"; of a "consumer" a list of
 * {group = , lines = }. An unknown one gives nil, and the one that may be meant or nil. Raises. */
int allot__host_explain(lua_State *L);

/* As allot_tool_run. */
int allot__tool_run(allot_engine *engine, const allot_tool_host *host, const allot__tool *tool,
                    int *answer, allot_report *report);

#endif
