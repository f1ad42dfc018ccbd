/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* finding.h: diagnostics as tables of Lua. Raises. */
#ifndef ALLOT_SCRIPT_MODULE_FINDING_H
#define ALLOT_SCRIPT_MODULE_FINDING_H

#include <lua.h>

#include <allot/report.h>

/* Pushes a table of the diagnostic's fields, without empty ones. */
void allot__finding_push(lua_State *L, const allot_diagnostic *finding);
/* Pushes the list of a report's diagnostics. */
void allot__report_push(lua_State *L, const allot_report *report);
/* The diagnostic that the table at `table` describes, which keeps its strings. */
allot_diagnostic allot__finding_read(lua_State *L, int table);

#endif
