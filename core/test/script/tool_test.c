/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* tool_test.c: tools in Lua: their host, their failures, and what they may not do. */
#include "script/module/tool.h"

#include "test/support/script_fixture.h"

/* A host that keeps what it was told. */
typedef struct told {
    char out[2000], written[200], progress[100];
    size_t len;
    int64_t ticks;
} told;

static void put(void *ud, const char *text, size_t len)
{
    told *it = ud;
    len = len < sizeof it->out - it->len - 1 ? len : sizeof it->out - it->len - 1;
    memcpy(it->out + it->len, text, len);
    it->len += len;
    it->out[it->len] = '\0';
}

static int read_file(void *ud, const char *path, allot_sink sink, void *sink_ud, char *why)
{
    (void)ud;
    if (strcmp(path, "there") != 0) {
        snprintf(why, ALLOT_TOOL_WHY_MAX, "no %s", path);
        return ALLOT_EIO;
    }
    return sink(sink_ud, "two ", 4) || sink(sink_ud, "pieces", 6) ? ALLOT_ENOMEM : ALLOT_OK;
}

static int write_file(void *ud, const char *path, const char *text, size_t len, char *why)
{
    told *it = ud;
    if (len == 0) {
        snprintf(why, ALLOT_TOOL_WHY_MAX, "empty");
        return ALLOT_EIO;
    }
    snprintf(it->written, sizeof it->written, "%s=%.*s", path, (int)len, text);
    return ALLOT_OK;
}

static int list_names(void *ud, const char *path, allot_sink sink, void *sink_ud, char *why)
{
    (void)ud;
    (void)why;
    if (strcmp(path, "dir") != 0)
        return ALLOT_EIO;
    return sink(sink_ud, "b", 1) || sink(sink_ud, "a", 1) ? ALLOT_ENOMEM : ALLOT_OK;
}

static const char *find_option(void *ud, const char *name)
{
    (void)ud;
    return strcmp(name, "format") == 0 ? "json" : NULL;
}

static void show(void *ud, int64_t done, int64_t total, const char *text)
{
    snprintf(((told *)ud)->progress, sizeof((told *)ud)->progress, "%d/%d %s", (int)done,
             (int)total, text);
}

static int64_t tick(void *ud)
{
    return ((told *)ud)->ticks += 250000;
}

static int answer_call(void *ud, const char *name, const char *text, size_t len, allot_sink sink,
                       void *sink_ud, char *why)
{
    (void)ud;
    if (strcmp(name, "echo") != 0) {
        snprintf(why, ALLOT_TOOL_WHY_MAX, "no %s", name);
        return 5;
    }
    return sink(sink_ud, text, len) ? ALLOT_ENOMEM : ALLOT_OK;
}

static int run_tool(allot_engine *engine, told *it, const char *text, int *answer,
                    allot_report *report)
{
    static const char *const args[] = {"one", "two"};
    const allot_tool_host host = {.ud = it,
                                  .out = put,
                                  .read = read_file,
                                  .write = write_file,
                                  .list = list_names,
                                  .option = find_option,
                                  .progress = show,
                                  .clock = tick,
                                  .call = answer_call};
    const allot__tool tool = {"allot.test", text, strlen(text), "go", args, 2, NULL};
    memset(it, 0, sizeof *it);
    return allot__tool_run(engine, &host, &tool, answer, report);
}

/* Runs it in a world of its own; the status, and the first finding's message in `found`. */
static int run_alone(told *it, const char *text, int *answer, char *found, size_t size)
{
    script_fixture world;
    script_begin(&world);
    int status = run_tool(world.engine, it, text, answer, world.report);
    snprintf(found, size, "%s|%s", script_finding(&world)->code, script_finding(&world)->message);
    script_end(&world);
    return status;
}

#define TOOL(body) "return { go = function (host, args)\n" body "\nend }"

static void a_tool_asks_its_host(void)
{
    told it;
    int answer = -1;
    char found[300];
    /* Of another plan the state is refused, by a jump through allot.core. */
    static const char caught[] =
        TOOL("local core = require 'allot.core'\n"
             "local text = '{\"consumers\": [{\"name\": \"A\"}]}'\n"
             "local a, b = assert(core.plan(text)), assert(core.plan(text))\n"
             "local state = assert(core.state(b, '{\"now\": 0}'))\n"
             "assert(not pcall(core.cycle, a, state) and core.cycle(b, state))\n"
             "host.out(args[1])");
    CHECK_EQ(run_alone(&it, caught, &answer, found, sizeof found), ALLOT_OK);
    CHECK_EQ(answer, 0);
    CHECK_STR(it.out, "one");
}

static const char asks[] = TOOL(
    "host.out(args[1] .. '+' .. args[2] .. ';')  print('x', 1, nil)\n"
    "assert(host.read 'there' == 'two pieces')\n"
    "local text, why = host.read 'gone'  assert(text == nil and why == 'no gone')\n"
    "assert(host.write('f', 'x') == true)\n"
    "text, why = host.write('f', '')  assert(text == nil and why == 'empty')\n"
    "local names = host.list 'dir'  assert(#names == 2 and names[1] == 'a' and names[2] == 'b')\n"
    "text, why = host.list 'no'  assert(text == nil and #why > 0)\n"
    "assert(host.option 'format' == 'json' and host.option 'other' == nil)\n"
    "assert(host.call('echo', 'e') == 'e' and host.call 'echo' == '')\n"
    "local code  text, why, code = host.call 'x'  assert(not text and why == 'no x' and code == "
    "5)\n"
    "host.progress(3, 10, 'states')\n"
    "assert(host.clock() == 250000 and host.clock() == 500000)\n"
    "local core = require 'allot.core'\n"
    "assert(core == require 'allot.core' and assert(core.decode '[1]')[1] == 1)\n"
    "assert(require 'allot.language.names'.valid 'a' and require 'allot.swf')\n"
    "host.say { code = 'E-x', message = 'm', file = 'f', line = 3, col = 2, hint = 'h' }\n"
    "return 7");

static void all_of_the_host_is_there(void)
{
    told it;
    int answer = -1;
    char found[300];
    CHECK_EQ(run_alone(&it, asks, &answer, found, sizeof found), ALLOT_OK);
    CHECK_EQ(answer, 7);
    CHECK_STR(it.out, "one+two;x\t1\tnil\n");
    CHECK_STR(it.written, "f=x");
    CHECK_STR(it.progress, "3/10 states");
    CHECK_STR(found, "E-x|m");
}

static void fails(const char *text, const char *part)
{
    told it;
    int answer = -1;
    char found[700];
    CHECK_EQ(run_alone(&it, text, &answer, found, sizeof found), ALLOT_EINTERNAL);
    CHECK_EQ(answer, -1);
    CHECK(strncmp(found, "EINTERNAL|the tool allot.test failed: ", 38) == 0);
    if (!CHECK(strstr(found, part) != NULL))
        printf("#   %s\n", found);
}

static void a_tool_that_fails_is_a_bug_with_its_place(void)
{
    fails(TOOL("local x = nil + 1"), "allot.test:2: attempt to perform arithmetic");
    fails(TOOL("error {}"), "table");
    fails("return {}", "it has no function go");
    fails("return {", "allot.test:1:");
    fails(TOOL("host.say { message = 'm' }"), "say: a diagnostic has a code and a message");
    fails(TOOL("host.say { code = {}, message = 'm' }"), "say: code is a string, not a table");
}

static void nothing_outside_can_be_reached(void)
{
    fails(TOOL("require 'io'"), "no module io is built in");
    fails(TOOL("return io.open"), "global 'io'");
    fails(TOOL("return os.time"), "global 'os'");
    fails(TOOL("dofile 'x'"), "global 'dofile'");
    fails(TOOL("loadfile 'x'"), "global 'loadfile'");
}

static void what_a_host_lacks_is_said(void)
{
    script_fixture world;
    int answer = 0;
    const allot_tool_host none = {0};
    static const char *const calls[] = {
        "host.out 'x'",    "host.read 'x'", "host.write('x', 'y')", "host.list 'x'",
        "host.option 'x'", "print 'x'",     "host.rows 'plan'"};
    script_begin(&world);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char text[200];
        snprintf(text, sizeof text, TOOL("%s"), calls[i]);
        const allot__tool tool = {"allot.test", text, strlen(text), "go", NULL, 0, NULL};
        allot_report_clear(world.report);
        CHECK_EQ(allot__tool_run(world.engine, &none, &tool, &answer, world.report),
                 ALLOT_EINTERNAL);
        CHECK(strstr(script_finding(&world)->message, "this host has no ") != NULL);
    }
    /* Without a clock a tool goes on. */
    static const char unclocked[] = TOOL("assert(host.clock() == nil) return 3");
    const allot__tool tool = {"allot.test", unclocked, strlen(unclocked), "go", NULL, 0, NULL};
    CHECK_EQ(allot__tool_run(world.engine, &none, &tool, &answer, world.report), ALLOT_OK);
    CHECK_EQ(answer, 3);
    script_end(&world);
}

static void tools_are_found_by_name(void)
{
    script_fixture world;
    int answer = 0;
    const allot_tool_host none = {0};
    script_begin(&world);
    CHECK_EQ(allot_tool_run(world.engine, &none, "nothing", "go", NULL, 0, &answer, world.report),
             ALLOT_EINTERNAL);
    CHECK_STR(script_finding(&world)->message, "the tool allot.nothing failed: it is not built in");
    allot_report_clear(world.report);
    CHECK_EQ(
        allot_tool_run(world.engine, &none, "language.names", "go", NULL, 0, &answer, world.report),
        ALLOT_EINTERNAL);
    CHECK_EQ(
        allot_tool_run(world.engine, NULL, "language.names", "go", NULL, 0, &answer, world.report),
        ALLOT_EUSAGE);
    script_end(&world);
}

static int run_scenario(allot_engine *engine)
{
    told it;
    int answer = 0;
    return run_tool(engine, &it, asks, &answer, NULL);
}

static void memory_may_run_out(void)
{
    script_each_failure(run_scenario);
}

int main(void)
{
    RUN(a_tool_asks_its_host);
    RUN(all_of_the_host_is_there);
    RUN(a_tool_that_fails_is_a_bug_with_its_place);
    RUN(nothing_outside_can_be_reached);
    RUN(what_a_host_lacks_is_said);
    RUN(tools_are_found_by_name);
    RUN(memory_may_run_out);
    return check_done();
}
