/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * charge.c: a sandbox's fuel: instructions, and work done outside them.
 *
 * This file owns: the hook.
 */
#include <string.h>

#include "script/sandbox/sandbox.h"

allot__sandbox *allot__sandbox_of(lua_State *L)
{
    return *(allot__sandbox **)lua_getextraspace(L);
}

static void hook(lua_State *L, lua_Debug *ar);

/* Makes every later instruction fail. Raises nothing, since the allocator calls it, too. */
static void run_out(allot__sandbox *box)
{
    box->spent = true;
    lua_sethook(box->L, hook, LUA_MASKCOUNT, 1);
}

static void fail_spent(lua_State *L, int level)
{
    luaL_where(L, level);
    lua_pushliteral(L, "the instruction budget is used up");
    lua_concat(L, 2);
    lua_error(L);
}

/* Copying variable arguments is one instruction, however many they are. */
static bool too_deep(lua_State *L)
{
    lua_Debug ar;
    for (int level = 0; lua_getstack(L, level, &ar); level++)
        if (level == ALLOT__CALLS_MAX || lua_getlocal(L, &ar, -ALLOT__ARGUMENTS_MAX - 1))
            return true;
    return false;
}

/* Passes lines of the script, not of the library's modules. */
static void tell_line(const allot__sandbox *box, lua_State *L, lua_Debug *ar)
{
    if (box->ran && lua_getinfo(L, "Sl", ar) && strcmp(ar->short_src, box->source) == 0)
        box->ran(box->ran_ud, box->chunk ? box->chunk : box->source, ar->currentline,
                 *ar->what == 'm' ? 0 : ar->linedefined);
}

static bool interrupted(const allot__sandbox *box)
{
    return box->interrupt && *box->interrupt;
}

static bool timed(const allot__sandbox *box)
{
    return box->time && box->time->limit > 0;
}

bool allot__sandbox_late(const allot__sandbox *box)
{
    return timed(box) && box->time->clock(box->time->ud) > box->time->end;
}

static void hook(lua_State *L, lua_Debug *ar)
{
    allot__sandbox *box = allot__sandbox_of(L);
    if (ar->event == LUA_HOOKLINE) {
        tell_line(box, L, ar);
        return;
    }
    if (!box->spent) {
        box->fuel -= box->given >= 0 ? ALLOT__FUEL_INTERVAL : 0;
        bool deep = box->given >= 0 && too_deep(L), asked = interrupted(box);
        bool late = allot__sandbox_late(box), empty = box->given >= 0 && box->fuel < 0;
        if (!empty && !deep && !asked && !late)
            return;
        if (late)
            box->denial = ALLOT__DENIED_CYCLE;
        if (deep)
            box->denial = ALLOT__DENIED_STACK;
        if (asked)
            box->denial = ALLOT__DENIED_TIME;
        run_out(box);
    }
    fail_spent(L, 0);
}

void allot__sandbox_burn(allot__sandbox *box, int64_t fuel)
{
    if (!box->armed || box->given < 0)
        return;
    box->fuel -= fuel;
    if (box->fuel < 0 && !box->spent)
        run_out(box);
}

void allot__sandbox_charge(lua_State *L, int64_t fuel)
{
    allot__sandbox *box = allot__sandbox_of(L);
    allot__sandbox_burn(box, fuel);
    if (box->armed && !box->spent && interrupted(box)) {
        box->denial = ALLOT__DENIED_TIME;
        run_out(box);
    }
    if (box->armed && box->spent)
        fail_spent(L, 1);
}

void allot__sandbox_arm(allot__sandbox *box, int64_t fuel)
{
    box->given = box->fuel = fuel;
    box->armed = true;
    box->spent = false;
    box->denial = ALLOT__DENIED_NOTHING;
    box->said = 0;
    int lines = box->ran ? LUA_MASKLINE : 0;
    if (fuel < 0 && !timed(box))
        lua_sethook(box->L, lines ? hook : NULL, lines, 0);
    else
        lua_sethook(box->L, hook, LUA_MASKCOUNT | lines, ALLOT__FUEL_INTERVAL);
}

int64_t allot__sandbox_spent(const allot__sandbox *box)
{
    if (box->given < 0)
        return 0;
    return box->fuel > 0 ? box->given - box->fuel : box->given;
}
