/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* load.c: from a policy file's text to a policy. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "script/policy/read.h"

enum { TEXT_MAX = 1024 * 1024 };

static char *copy(allot_engine *engine, const char *text, size_t len)
{
    char *made = allot_engine_alloc(engine, NULL, 0, len + 1);
    if (!made)
        return NULL;
    if (len > 0)
        memcpy(made, text, len);
    made[len] = '\0';
    return made;
}

/* ---- Running the file ------------------------------------------------------------------------ */

void allot__script_file(lua_State *L, allot__script *script, bool *syntax_fault)
{
    lua_pushfstring(L, "@%s", script->chunk);
    allot__sandbox_name(L, &script->box, lua_tostring(L, -1));
    int status = luaL_loadbufferx(L, script->text, script->text_len, lua_tostring(L, -1), "t");
    if (status != LUA_OK) {
        *syntax_fault = status == LUA_ERRSYNTAX;
        lua_error(L);
    }
    lua_remove(L, -2);
    allot__sandbox_arm(&script->box, script->instructions);
    lua_call(L, 0, 1);
}

/* Runs the file and reads the table that it returns, which stays in the registry where it is kept.
 */
static int run_file(lua_State *L)
{
    allot__reading *reading = lua_touserdata(L, 1);
    allot__script *script = reading->script;
    allot__read_begin(L);
    allot__script_file(L, script, &reading->syntax_fault);
    if (script->keeps_table) {
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, script);
    }
    return allot__read_policy(L, reading);
}

static void measure(const allot__script *script)
{
    allot_script_meter *meter = script->meter;
    if (!meter)
        return;
    int64_t spent = allot__sandbox_spent(&script->box);
    meter->loading = spent > meter->loading ? spent : meter->loading;
    meter->memory = script->box.peak > meter->memory ? script->box.peak : meter->memory;
}

static int fail(allot__reading *reading, int status)
{
    if (reading->lacks_memory) {
        lua_pop(reading->script->box.L, 1);
        return ALLOT_ENOMEM;
    }
    return allot__fault(reading->script, status, ALLOT_EPOLICY,
                        reading->syntax_fault ? "E-policy-syntax" : "E-policy", NULL,
                        reading->report);
}

/* Runs the file and makes the policy, which owns the script from then on. */
static int make(allot__reading *reading)
{
    allot__script *script = reading->script;
    allot_provider provider;
    int status = allot__sandbox_run(&script->box, run_file, reading);
    allot__sandbox_disarm(&script->box);
    measure(script);
    if (status)
        return fail(reading, status);
    if (reading->option_fault)
        return ALLOT_EPOLICY;
    lua_gc(script->box.L, LUA_GCCOLLECT);
    script->box.swept = script->box.used;
    allot__script_provider(script, &provider);
    return allot_policy_provider(reading->policy, &provider);
}

/* ---- The script ------------------------------------------------------------------------------ */

int allot__script_new(allot_engine *engine, const char *text, size_t len, const char *chunk,
                      const allot_script_limits *limits, allot__script **out)
{
    allot__script *script = allot_engine_alloc(engine, NULL, 0, sizeof *script);
    if (!script)
        return ALLOT_ENOMEM;
    memset(script, 0, sizeof *script);
    script->box.engine = engine;
    script->instructions =
        limits && limits->instructions ? limits->instructions : ALLOT_SCRIPT_INSTRUCTIONS;
    size_t mark = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* of UTF-8 */
    script->text = copy(engine, text + mark, len - mark);
    script->text_len = script->text ? len - mark : 0;
    script->chunk = copy(engine, chunk, strlen(chunk));
    script->meter = limits ? limits->meter : NULL;
    script->time = limits ? limits->time : NULL;
    int64_t memory = limits && limits->memory > 0 ? limits->memory : ALLOT_SCRIPT_MEMORY;
    int status = script->text && script->chunk ? allot__sandbox_open(&script->box, engine, memory)
                                               : ALLOT_ENOMEM;
    if (status) {
        script->box.engine = engine;
        allot__script_free(script);
        return status;
    }
    if (limits) {
        script->box.say = limits->say;
        script->box.say_ud = limits->say_ud;
        script->box.ran = limits->ran;
        script->box.ran_ud = limits->ran_ud;
        script->box.time = limits->time;
    }
    script->box.chunk = script->chunk;
    script->box.text = script->text;
    script->box.text_len = script->text_len;
    *out = script;
    return ALLOT_OK;
}

static int fail_plain(allot_report *report, const char *chunk, const char *code, int status,
                      const char *message)
{
    allot_diagnostic finding = allot__error(code, message);
    finding.file = chunk;
    allot_report_add(report, &finding);
    return status;
}

static int load_text(allot_engine *engine, const char *text, size_t len, const char *chunk,
                     const allot_script_limits *limits, bool keeps, allot__reading *reading,
                     allot_policy **out)
{
    int status = allot__script_new(engine, text, len, chunk, limits, &reading->script);
    if (status == ALLOT_EBUDGET)
        return fail_plain(reading->report, chunk, "E-policy-memory", status,
                          "the memory allowed to the policy is too little for any policy");
    if (status)
        return status;
    reading->script->keeps_table = keeps;
    status = make(reading);
    if (status) {
        allot_policy_free(reading->policy);
        allot__script_free(reading->script);
        return status;
    }
    char digest[65];
    allot_sha256(text, len, digest);
    allot_policy_digest(reading->policy, digest);
    *out = reading->policy;
    return ALLOT_OK;
}

int allot_script_load(allot_engine *engine, const char *text, size_t len, const char *chunk,
                      const allot_use_option *options, int32_t count,
                      const allot_script_limits *limits, allot_report *report, allot_policy **out)
{
    if (!engine || (!text && len > 0) || !chunk || !out || count < 0 || (count > 0 && !options))
        return ALLOT_EUSAGE;
    if (len > TEXT_MAX)
        return fail_plain(report, chunk, "E-policy", ALLOT_EPOLICY,
                          "a policy file is at most 1 MiB");
    allot__reading reading = {.use = options, .use_count = count, .report = report};
    return load_text(engine, text, len, chunk, limits, false, &reading, out);
}

int allot__script_load_kept(allot_engine *engine, const char *text, size_t len, const char *chunk,
                            const allot_use_option *options, int32_t count, allot_report *report,
                            allot_policy **out)
{
    allot__reading reading = {.use = options, .use_count = count, .report = report};
    if (len > TEXT_MAX)
        return allot_script_load(engine, text, len, chunk, options, count, NULL, report, out);
    return load_text(engine, text, len, chunk, NULL, true, &reading, out);
}
