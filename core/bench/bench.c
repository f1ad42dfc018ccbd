/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* bench.c: the verb `bench`: the host of lua/allot/bench/. */
#include "bench/bench.h"

#include <string.h>

static int say_took(bench *it)
{
    allot__bench_number(it, it->took);
    return CLI_DONE;
}

static int say_build(bench *it)
{
#if defined(__OPTIMIZE__)
    const char *optimized = "true";
#else
    const char *optimized = "false";
#endif
    allot__text_printf(&it->answer, "%s\n%s", __VERSION__, optimized);
    return CLI_DONE;
}

static const struct {
    const char *name;
    bench_call *run;
} calls[] = {
    {"policy", allot__bench_policy},
    {"plan", allot__bench_plan},
    {"state", allot__bench_state},
    {"log", allot__bench_log},
    {"took", say_took},
    {"build", say_build},
    {"bytes", allot__bench_bytes},
    {"stream", allot__bench_stream},
    {"cycle", allot__bench_cycle},
    {"seal", allot__bench_seal},
    {"decision", allot__bench_decision},
    {"changes", allot__bench_changes},
    {"jobs", allot__bench_jobs},
    {"play", allot__bench_play},
    {"folder", allot__bench_folder},
    {"limits", allot__bench_limits},
    {"commits", allot__bench_commits},
    {"serve", allot__bench_serve},
    {"connect", allot__bench_connect},
    {"disconnect", allot__bench_disconnect},
    {"readers", allot__bench_readers},
    {"send", allot__bench_send},
    {"turn", allot__bench_turn},
};

/* Failures are in the report. */
static int call(void *ud, const char *name, const char *text, size_t len, allot_sink sink,
                void *sink_ud, char why[ALLOT_TOOL_WHY_MAX])
{
    bench *it = ud;
    size_t i = 0;
    (void)why;
    while (strcmp(calls[i].name, name) != 0)
        i++;
    it->text = text;
    it->len = len;
    it->answer.len = 0;
    int code = calls[i].run(it);
    bool failed = it->answer.failed ||
                  (it->answer.len > 0 && sink(sink_ud, it->answer.bytes, it->answer.len) != 0);
    return failed ? allot__cli_status(it->cli, ALLOT_ENOMEM) : code;
}

int allot__cli_bench(allot__cli *cli)
{
    allot_engine *engine = cli->engine;
    bench it = {.cli = cli, .answer = {.engine = engine}, .policy = {.engine = engine}};
    int code = CLI_DONE;
    allot_tool_host host = allot__cli_host(&it.tool, cli);
    host.call = call;
    int status = allot_tool_run(engine, &host, "bench", "run", NULL, 0, &code, cli->report);
    int ended = allot__bench_end(&it);
    allot__bench_drop(&it);
    allot__bench_warm(&it);
    allot_engine_alloc(engine, it.samples, (size_t)it.room * sizeof(double), 0);
    allot__text_free(&it.answer);
    allot__text_free(&it.policy);
    allot__cli_host_end(&it.tool);
    if (status != ALLOT_OK)
        return allot__cli_status(cli, status);
    return code != CLI_DONE ? code : ended;
}
