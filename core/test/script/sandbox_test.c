/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sandbox_test.c: scripts that try to run for ever, to take all memory, or to get out. */
#include <time.h>

#include "test/support/script_fixture.h"

static script_fixture it;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Each of these once ran for ever, or broke Lua, under a plain cap and a plain count hook. */
static const char *const hostile[] = {
    "while true do end",
    "local x = ('x'):rep(1000000000)",
    "local x = (''):rep(1 << 62)  while true do end",
    "local x = ('x'):rep(1 << 62, 'yy')",
    "local s = 'x'  while true do s = s .. s end",
    "while true do pcall(function () local s = 'x'  while true do s = s .. s end end) end",
    "local function f() return 1 + f() end  f()",
    "while true do pcall(function () local function f() return 1 + f() end  f() end) end",
    "local c = coroutine.wrap(function () while true do end end)  c()",
    "while true do coroutine.wrap(function () for i = 1, 1800 do end end)() end",
    "local x = ('a'):rep(4000):find('.-.-.-.-b$')",
    "local x = ('a'):rep(4000):gsub('.-b', '')",
    "for x in ('a'):rep(4000):gmatch('.-.-.-b') do end",
    "local x = ('a'):rep(4000):match('.-.-.-.-b$')",
    "table.move({}, 1, 1 << 62, 2)",
    "table.insert(setmetatable({}, { __len = function () return 1 << 53 end }), 1, 1)",
    "table.remove(setmetatable({}, { __len = function () return 1 << 53 end }), 1)",
    "table.sort(setmetatable({}, { __len = function () return 1000000 end, __index = rawlen,"
    " __newindex = type }))",
    "setmetatable({}, { __gc = function () while true do end end })  collectgarbage()",
    "setmetatable({}, { __mode = 'v' })",
    "local m = {}  local t = setmetatable({}, m)  m.__mode = 'v'",
    "xpcall(function () while true do end end, function () while true do end end)",
    "while true do pcall(function () while true do end end) end",
    "local function f() return pcall(f) end  while true do f() end",
    "local function f() pcall(f)  pcall(f) end  f()",
    "local t = {}  for i = 1, 1000000 do t[i] = i end  for i = 1, 1000000 do t[i] = nil end"
    "  while true do for k in pairs(t) do end end",
    "local t = {}  while true do t[#t + 1] = {} end",
    "local t = {}  while true do pcall(function () while true do t[#t + 1] = {} end end) end",
    "local t = {}  for i = 1, 100000 do t[i] = i end  while true do table.insert(t, 1, 0) end",
    "local t = {}  for i = 1, 100000 do t[i] = i end  while true do table.remove(t, 1) end",
    "local t = {}  for i = 1, 100000 do t[i] = i end"
    "  while true do table.sort(t, function (a, b) return a > b end) end",
    "local t = {}  for i = 1, 100000 do t[i] = i end  while true do pcall(table.concat, t) end",
    "local t = {}  for i = 1, 240 do t[i] = i end  while true do table.unpack(t) end",
    "local function f(...) if select('#', ...) > 5000 then while true do select('#', ...) end end"
    "  return f(1, 2, 3, 4, 5, 6, 7, 8, 9, ...) end  f()",
    "local a = ('a'):rep(4000)  while true do a:glob('*a*a*a*a*a*b') end",
    "local a = ('a'):rep(4000)  while true do a:find(('a'):rep(2000) .. 'b') end",
    "local a = ('a,'):rep(2000)  while true do a:split(',') end",
    "while true do string.format('%99.99f', 1e300) end",
    "local t = {}  for i = 1, 20000 do t['k' .. i] = i end  while true do for k in pairs(t) do end"
    " end",
    "local t = { 3, 2, 1 }  table.sort(t, function () error({}) end)",
    "for i = 1, 100000 do string['k' .. i] = i end  while true do pcall(function ()"
    " return string.nothing end) end",
    "goto a  ::b:: goto a  ::a:: goto b",
    "load('while true do end')()",
    "getmetatable('').__index = nil",
    "require 'os'",
    "os.exit()",
    "io.open('/etc/passwd')",
    "debug.sethook()",
    "print(string.dump(function () end))",
    "print(math.random())",
    "rawset(string, 'x', 1)",
    "local function f() return f() end  f()",
    "error()",
    "error(function () end)",
};

static double time_of(const char *script, int *status)
{
    double start = seconds();
    *status = script_load(&it, script);
    return seconds() - start;
}

/* Under a tenth of the default budget; how long each took, compared with an empty loop, is told
 * and decides nothing. */
static void every_hostile_script_ends(void)
{
    int status;
    script_begin(&it);
    it.limits = (allot_script_limits){.memory = 8 * 1024 * 1024, .instructions = 1000000};
    double plain = time_of("while true do end", &status);
    double most = 0;
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        double took = time_of(hostile[i], &status);
        most = took > most ? took : most;
        if (!CHECK(status == ALLOT_EPOLICY || status == ALLOT_EBUDGET) ||
            !CHECK_EQ(allot_report_count(it.report), 1))
            printf("#   %s: %s, %.3f s\n", hostile[i], allot_status_name(status), took);
    }
    printf("# with the same fuel: an empty loop %.3f s, the slowest %.3f s\n", plain, most);
    script_end(&it);
}

static int load_with_memory(int64_t memory, const char *text)
{
    it.limits = (allot_script_limits){.memory = memory};
    return script_load(&it, text);
}

/* A cap makes Lua collect in the middle of everything. */
static void every_cap_is_safe(void)
{
    size_t len;
    const char *hybrid = allot_ready_policy_text("hybrid", &len);
    int loaded = 0, refused = 0;
    script_begin(&it);
    for (int64_t cap = 1024; cap <= 2 * 1024 * 1024; cap += cap < 160 * 1024 ? 509 : 65536) {
        int status = load_with_memory(cap, hybrid);
        loaded += status == ALLOT_OK;
        refused += status == ALLOT_EBUDGET;
        CHECK(status == ALLOT_OK || status == ALLOT_EBUDGET);
        if (status == ALLOT_EBUDGET)
            CHECK_STR(script_finding(&it)->code, "E-policy-memory");
        if (cap == 1024)
            CHECK_STR(script_finding(&it)->message,
                      "the memory allowed to the policy is too little for any policy");
    }
    CHECK(loaded > 0);
    CHECK(refused > 0);
    script_end(&it);
}

static void a_garbage_making_script_lives_under_every_cap(void)
{
    script_begin(&it);
    for (int64_t cap = 90 * 1024; cap <= 180 * 1024; cap += 1021) {
        int status = load_with_memory(
            cap, "local keep = {} for i = 1, 2000 do keep[i % 7] = { tostring(i), {} } "
                 "pcall(error, 'e' .. i) end "
                 "return policy { name = 'x', quota = { fill 'a' { by = 'owned' } } }");
        CHECK(status == ALLOT_OK || status == ALLOT_EBUDGET);
    }
    script_end(&it);
}

static int load_hybrid(allot_engine *engine)
{
    size_t len;
    const char *text = allot_ready_policy_text("hybrid", &len);
    allot_policy *policy = NULL;
    int status = allot_script_load(engine, text, len, "hybrid", NULL, 0, NULL, NULL, &policy);
    allot_policy_free(policy);
    return status;
}

static void every_allocation_may_fail(void)
{
    script_each_failure(load_hybrid);
}

static void budgets_name_themselves(void)
{
    script_begin(&it);
    it.limits.instructions = 5000;
    CHECK_EQ(script_load(&it, "\nlocal i = 0\n  while true do i = i + 1 end"), ALLOT_EBUDGET);
    CHECK_STR(script_finding(&it)->code, "E-policy-budget");
    CHECK_STR(script_finding(&it)->message, "the policy runs for more than its 5000 instructions");
    CHECK_EQ(script_finding(&it)->line, 3);
    CHECK_EQ(script_finding(&it)->col, 3);
    CHECK_STR(script_finding(&it)->source, "  while true do i = i + 1 end");
    it.limits.instructions = 0;
    CHECK_EQ(script_load(&it, "local s = 'x'\nfor i = 1, 20 do s = s .. s end"), ALLOT_EBUDGET);
    CHECK_STR(script_finding(&it)->code, "E-policy-memory");
    CHECK_STR(script_finding(&it)->message, "a string of more than 4096 bytes");
    CHECK_EQ(script_finding(&it)->line, 2);
    script_end(&it);
}

static void a_trusted_policy_has_no_budget(void)
{
    script_begin(&it);
    it.limits.instructions = -1;
    CHECK_EQ(script_load(&it, "for i = 1, 12000000 do end "
                              "return policy { name = 'x', quota = { fill 'a' {} } }"),
             ALLOT_OK);
    script_end(&it);
}

static void binary_and_oversized_text_is_refused(void)
{
    static char large[1024 * 1024 + 2];
    script_begin(&it);
    CHECK_EQ(script_load(&it, "\x1bLua"), ALLOT_EPOLICY);
    memset(large, ' ', sizeof large - 1);
    CHECK_EQ(script_load(&it, large), ALLOT_EPOLICY);
    CHECK_STR(script_finding(&it)->message, "a policy file is at most 1 MiB");
    script_end(&it);
}

int main(void)
{
    RUN(every_hostile_script_ends);
    RUN(every_cap_is_safe);
    RUN(a_garbage_making_script_lives_under_every_cap);
    RUN(every_allocation_may_fail);
    RUN(budgets_name_themselves);
    RUN(a_trusted_policy_has_no_budget);
    RUN(binary_and_oversized_text_is_refused);
    return check_done();
}
