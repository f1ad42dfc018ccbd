/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * lua_text.h: text that grows without a call of Lua, and that Lua owns.
 */
#ifndef ALLOT_SCRIPT_SANDBOX_LUA_TEXT_H
#define ALLOT_SCRIPT_SANDBOX_LUA_TEXT_H

#include <lua.h>

#include "base/text.h"

/* Pushes an empty text, a userdata, whose memory comes from the engine and ends with it. Raises. */
allot__text *allot__text_push(lua_State *L, allot_engine *engine);

#endif
