/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* loop_free_test.c: which functions end by themselves. */
#include <lauxlib.h>
#include <lualib.h>

#include "script/sandbox/script.h"
#include "test/support/check.h"

static lua_State *L;

static int loop_free(const char *function)
{
    char text[500];
    snprintf(text, sizeof text, "local t, up = {}, 1; return %s", function);
    if (!CHECK_EQ(luaL_dostring(L, text), LUA_OK)) {
        printf("# %s\n", lua_tostring(L, -1));
        lua_settop(L, 0);
        return -1;
    }
    int answer = allot__script_loop_free(L);
    lua_settop(L, 0);
    return answer;
}

static void arithmetic_is_loop_free(void)
{
    CHECK_EQ(loop_free("function (a, b) return a + b end"), 1);
    CHECK_EQ(loop_free("function (a) return (a * 3 // 2) % 7 - (a << 2 | ~a & 255) end"), 1);
    CHECK_EQ(loop_free("function () return 100000 end"), 1);
    CHECK_EQ(loop_free("function (a) end"), 1);
    CHECK_EQ(loop_free("function (a) return a + up end"), 1);
    CHECK_EQ(loop_free("function (a) return t[a] or t.x or #t end"), 1);
}

static void choices_are_loop_free(void)
{
    CHECK_EQ(loop_free("function (a, b, c) return a > b and c or 0 end"), 1);
    CHECK_EQ(loop_free("function (a) if a == 1 then return 2 elseif a < 5 then return 3 end "
                       "return not a and 1 or 9 end"),
             1);
    CHECK_EQ(loop_free("function (row) return row.owned * 2 end"), 1);
}

static void loops_are_not(void)
{
    CHECK_EQ(loop_free("function () while true do end end"), 0);
    CHECK_EQ(loop_free("function (a) repeat a = a - 1 until a < 0 return a end"), 0);
    CHECK_EQ(loop_free("function (a) for i = 1, a do up = i end return a end"), 0);
    CHECK_EQ(loop_free("function (a) for k in pairs(t) do a = k end return a end"), 0);
    CHECK_EQ(loop_free("function (a) ::again:: a = a + 1 goto again end"), 0);
}

static void calls_and_makers_are_not(void)
{
    CHECK_EQ(loop_free("function (a) return math.min(a, 1) end"), 0);
    CHECK_EQ(loop_free("function (a) t.f(a) return a end"), 0);
    CHECK_EQ(loop_free("function (a) return t:f(a) end"), 0);
    CHECK_EQ(loop_free("function (a) return a .. a end"), 0);
    CHECK_EQ(loop_free("function (a) return {} end"), 0);
    CHECK_EQ(loop_free("function (a) return function () end end"), 0);
    CHECK_EQ(loop_free("function (a) up = a return a end"), 0);
    CHECK_EQ(loop_free("function (a) t.x = a return a end"), 0);
}

/* More code than is looked at, and no Lua function at all. */
static void the_unknown_is_not(void)
{
    char text[12000] = "return function (a) local b = a ";
    for (int i = 0; i < 600; i++)
        strcat(text, "b = b + a ");
    strcat(text, "return b end");
    CHECK_EQ(luaL_dostring(L, text), LUA_OK);
    CHECK_EQ(allot__script_loop_free(L), 0);
    lua_settop(L, 0);
    CHECK_EQ(loop_free("print"), 0);
}

int main(void)
{
    L = luaL_newstate();
    luaL_requiref(L, "_G", luaopen_base, 1);
    luaL_requiref(L, "math", luaopen_math, 1);
    lua_settop(L, 0);
    RUN(arithmetic_is_loop_free);
    RUN(choices_are_loop_free);
    RUN(loops_are_not);
    RUN(calls_and_makers_are_not);
    RUN(the_unknown_is_not);
    lua_close(L);
    return check_done();
}
