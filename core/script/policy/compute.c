/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * compute.c: a script's functions, called for rows, a batch in one protected call.
 *
 * The collector stops while a batch runs: garbage is collected between batches, and the memory cap
 * always holds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "script/policy/read.h"

/* Results are read from the stack in groups of so many rows: cheaper than popping each. */
enum { GROUP = 32 };
/* Stack places of the called function and of the row view. */
enum { FUNCTION = 2, VIEW };

/* Pushes a row's value of column `c` of the call. */
static void push_column(lua_State *L, const allot__batch_run *run, int64_t c, int32_t row)
{
    int64_t value = run->batch->columns[c][row];
    if (run->call->flags >> c & 1)
        lua_pushboolean(L, value != 0);
    else
        lua_pushinteger(L, value);
}

/* ---- The row view ---------------------------------------------------------------------------- */

static bool push_view(lua_State *L, const void *ud, int number, int field)
{
    const allot__batch_run *run = &((const allot__script *)ud)->run;
    (void)number;
    if (!run->batch || !run->call->view)
        return false;
    const uint8_t *at = memchr(run->call->columns, field, (size_t)run->call->count);
    if (!at)
        return luaL_error(L,
                          run->call->rows == ALLOT_TASKS
                              ? "'%s' goes by who preempts, which a function is not told"
                              : "column '%s' is not known yet at this stage",
                          lua_tostring(L, 2));
    if (run->call->rows == ALLOT_CONSUMERS && allot__uncounted(run->batch->plan, field))
        return allot__refuse_uncounted(L);
    push_column(L, run, at - run->call->columns, run->row);
    return true;
}

void allot__script_view(lua_State *L, allot__script *script, const allot_policy *policy,
                        allot_rows rows)
{
    static const allot__view view = {"a row", "column", push_view};
    const char *names[ALLOT__COLUMNS_MAX];
    int32_t count = allot__read_columns(policy, rows);
    for (int32_t i = 0; i < count; i++)
        names[i] = allot__read_column_name(policy, rows, i);
    script->views[rows] = allot__view_make(L, &view, script, rows, names, sizeof *names, count);
}

/* ---- A batch --------------------------------------------------------------------------------- */

/* Reports what is wrong with the result at `index`. */
static void refuse(lua_State *L, int index, allot__batch_run *run)
{
    if (run->call->answer == ALLOT__RESULT_SIDE) {
        bool text = lua_type(L, index) == LUA_TSTRING;
        snprintf(run->found, sizeof run->found, text ? "\"%.40s\"" : "a %s",
                 text ? lua_tostring(L, index) : luaL_typename(L, index));
        run->fault = "returned %s, not \"provider\", \"consumer\" or nothing";
    } else if (run->call->answer == ALLOT__RESULT_FLAG) {
        snprintf(run->found, sizeof run->found, "%s", luaL_typename(L, index));
        run->fault = "returned a %s, not true or false";
    } else if (lua_isinteger(L, index)) {
        snprintf(run->found, sizeof run->found, "%" PRId64, (int64_t)lua_tointeger(L, index));
        run->fault = "returned %s; a number here is 0 ... 1000000000";
    } else if (lua_type(L, index) == LUA_TNUMBER) {
        snprintf(run->found, sizeof run->found, "%.14g", lua_tonumber(L, index));
        if (!strpbrk(run->found, ".en"))
            strcat(run->found, ".0");
        run->fault = "returned %s, a float; whole numbers only (use //)";
    } else if (lua_isuserdata(L, index)) {
        snprintf(run->found, sizeof run->found, "a row");
        run->fault = "returned %s, not a whole number: a parameter that names no column is the "
                     "whole row";
    } else {
        snprintf(run->found, sizeof run->found, "%s", luaL_typename(L, index));
        run->fault = "returned a %s, not a whole number";
    }
}

/* The answer at `index`; false: not a value of that kind. */
static bool take(lua_State *L, allot__result answer, int index, int64_t *out)
{
    switch (answer) {
    case ALLOT__RESULT_FLAG:
        *out = lua_toboolean(L, index);
        return lua_isboolean(L, index);
    case ALLOT__RESULT_SIDE:
        *out = allot__side_answer(L, index);
        return *out <= 1;
    case ALLOT__RESULT_AMOUNT:
    case ALLOT__RESULT_NUMBER:
        break;
    }
    *out = lua_tointeger(L, index);
    return lua_isinteger(L, index) &&
           (answer == ALLOT__RESULT_NUMBER || (uint64_t)*out <= ALLOT_AMOUNT_MAX);
}

/* Takes the results of some rows, from `index` on; false: that of run->row is not an answer. */
static bool take_rows(lua_State *L, allot__batch_run *run, int index, int32_t first, int32_t rows)
{
    int64_t *out = run->out + first;
    allot__result answer = run->call->answer;
    for (int32_t i = 0; i < rows; i++) {
        int64_t value;
        if (!take(L, answer, index + i, &value)) {
            run->row = first + i;
            refuse(L, index + i, run);
            return false;
        }
        out[i] = value;
    }
    return true;
}

static void push_attribute(lua_State *L, const allot_plan *plan, int32_t host, const char *name)
{
    allot_host_value value;
    if (strcmp(name, "slots") == 0)
        lua_pushinteger(L, allot_plan_host_slots(plan, host));
    else if (strcmp(name, "name") == 0)
        lua_pushstring(L, allot_plan_host_name(plan, host));
    else if (strcmp(name, "group") == 0)
        lua_pushstring(L, allot_plan_group_name(plan, allot_plan_host_group(plan, host)));
    else if (allot_plan_host_value(plan, host, name, &value))
        lua_pushnil(L);
    else if (value.text && !(value.decimal && lua_stringtonumber(L, value.text)))
        lua_pushstring(L, value.text);
    else if (value.text)
        return;
    else if (value.boolean)
        lua_pushboolean(L, value.number != 0);
    else
        lua_pushinteger(L, value.number);
}

/* Pushes columns, or the row view, and the claimant in its place among them. */
static int push_with_claimant(lua_State *L, const allot__script *script, int32_t row)
{
    const allot__batch_run *run = &script->run;
    const allot__call *call = run->call;
    int count = call->view ? 1 : call->count;
    for (int n = 1, c = 0; n <= count + 1; n++)
        if (n == call->claimant)
            lua_rawgeti(L, LUA_REGISTRYINDEX, script->claimant);
        else if (call->view)
            lua_pushvalue(L, VIEW);
        else
            push_column(L, run, c++, row);
    return count + 1;
}

/* Pushes the function's arguments for a row: columns; of hosts the attributes that its parameters
 * name; of leases the views of both sides; or the row view. Returns their number. */
static int push_arguments(lua_State *L, const allot__script *script, int32_t row,
                          const char *const *names)
{
    const allot__batch_run *run = &script->run;
    const allot__call *call = run->call;
    if (call->claimant)
        return push_with_claimant(L, script, row);
    if (call->view) {
        lua_pushvalue(L, VIEW);
        return 1;
    }
    if (call->pair) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, script->pairs[call->rows][0]);
        lua_rawgeti(L, LUA_REGISTRYINDEX, script->pairs[call->rows][1]);
        return 2;
    }
    if (call->rows == ALLOT_LEASES) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, script->sides[0]);
        lua_rawgeti(L, LUA_REGISTRYINDEX, script->sides[1]);
        return 2;
    }
    for (int c = 0; c < call->count; c++)
        if (call->rows == ALLOT_HOSTS)
            push_attribute(L, run->batch->plan, run->batch->items[row], names[c]);
        else
            push_column(L, run, c, row);
    return call->count;
}

/* The names of the parameters of the function on top. */
static void name_parameters(lua_State *L, const char **names)
{
    for (int n = 0; (names[n] = lua_getlocal(L, NULL, n + 1)); n++)
        ;
}

static int run_batch(lua_State *L)
{
    allot__script *script = lua_touserdata(L, 1);
    allot__batch_run *run = &script->run;
    const char *names[ALLOT__PARAMETERS_MAX + 1];
    bool hosts = run->call->rows == ALLOT_HOSTS;
    luaL_checkstack(L, GROUP + run->call->count + LUA_MINSTACK, NULL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, run->call->ref);
    if (hosts)
        name_parameters(L, names);
    lua_rawgeti(L, LUA_REGISTRYINDEX, hosts ? LUA_REFNIL : script->views[run->call->rows]);
    for (int32_t first = 0; first < run->batch->count; first += GROUP) {
        int32_t left = run->batch->count - first, rows = left < GROUP ? left : GROUP;
        for (int32_t row = first; row < first + rows; row++) {
            run->row = row;
            lua_pushvalue(L, FUNCTION);
            lua_call(L, push_arguments(L, script, row, names), 1);
        }
        if (!take_rows(L, run, VIEW + 1, first, rows))
            return 0;
        lua_settop(L, VIEW);
    }
    return 0;
}

/* ---- The provider ---------------------------------------------------------------------------- */

/* Fuel for every 1000 rows begun; -1: no budget is needed. */
static int64_t fuel_for(const allot__script *script, int32_t rows)
{
    int64_t times = rows > 0 ? ((int64_t)rows + 999) / 1000 : 1;
    if (script->instructions < 0 || script->run.call->loop_free)
        return -1;
    return script->instructions > INT64_MAX / times ? INT64_MAX : script->instructions * times;
}

static void name_task(const allot_batch *batch, int32_t item, char *path, size_t size)
{
    allot_task task;
    allot_job job;
    if (batch->jobs && allot_state_job_at(batch->state, item, &job) == ALLOT_OK)
        snprintf(path, size, "job %s", job.id);
    else if (!batch->jobs && allot_state_task_at(batch->state, item, &task) == ALLOT_OK)
        snprintf(path, size, "task %s", task.id);
}

static void name_lease(const allot_batch *batch, int32_t item, char *path, size_t size)
{
    allot_lease lease;
    if (allot_plan_lease_at(batch->plan, item, &lease) == ALLOT_OK)
        snprintf(path, size, "lease %s", lease.name);
}

/* The row for which the function failed, in words; its consumer, or -1. */
static int32_t about(const allot__batch_run *run, char *path, size_t size)
{
    const allot_batch *batch = run->batch;
    int32_t row = run->row, consumer = batch->consumers ? batch->consumers[row] : -1;
    const allot_session *session;
    path[0] = '\0';
    switch (run->call->rows) {
    case ALLOT_CONSUMERS:
    case ALLOT_QUEUES:
        allot_plan_path(batch->plan, consumer, path, size);
        break;
    case ALLOT_TASKS:
        name_task(batch, batch->items[row], path, size);
        break;
    case ALLOT_SESSIONS:
        session = allot_state_session_at(batch->state, batch->items[row]);
        snprintf(path, size, "session %s", session ? session->id : "");
        break;
    case ALLOT_LEASES:
        name_lease(batch, batch->items[row], path, size);
        break;
    case ALLOT_HOSTS:
        snprintf(path, size, "host %s", allot_plan_host_name(batch->plan, batch->items[row]));
        break;
    }
    return consumer;
}

/* Names the boolean parameters, if the function took one for a number. Of hosts those of the row.
 */
static void name_flags(lua_State *L, const allot__batch_run *run, char *hint, size_t size)
{
    const allot__call *call = run->call;
    const char *name;
    size_t used = 0;
    lua_rawgeti(L, LUA_REGISTRYINDEX, call->ref);
    for (int n = 1; !call->view && (name = lua_getlocal(L, NULL, n)); n++) {
        allot_host_value value = {.boolean = 0};
        int column = n - 1 - (call->claimant > 0 && n > call->claimant);
        bool flag = n != call->claimant && call->flags >> column & 1;
        if (call->rows == ALLOT_HOSTS)
            flag = allot_plan_host_value(run->batch->plan, run->batch->items[run->row], name,
                                         &value) == ALLOT_OK &&
                   value.boolean;
        if (flag && used < size)
            used += (size_t)snprintf(hint + used, size - used, "%s'%.60s'", used ? ", " : "", name);
    }
    lua_pop(L, 1);
    if (used > 0 && used < size)
        snprintf(hint + used, size - used, " is true or false, and no number");
}

static int tell(allot__script *script, int status, allot_report *report)
{
    const allot__batch_run *run = &script->run;
    char path[512], message[256], hint[200] = "";
    int32_t consumer = about(run, path, sizeof path);
    allot_diagnostic finding = {
        .path = path, .consumer = consumer, .group = run->batch->group, .field = -1};
    const char *said = status ? lua_tostring(script->box.L, -1) : run->found;
    if (said && strstr(said, "boolean"))
        name_flags(script->box.L, run, hint, sizeof hint);
    finding.hint = *hint ? hint : NULL;
    if (status)
        return allot__fault(script, status, ALLOT_ESCRIPT, "E-policy-run", &finding, report);
    int used = snprintf(message, sizeof message, "the function of %s ", run->call->role);
    snprintf(message + used, sizeof message - (size_t)used, run->fault, run->found);
    allot__fault_say(script, "E-policy-run", run->call->line, message, &finding, report);
    return ALLOT_ESCRIPT;
}

static void measure(const allot__script *script, int32_t rows)
{
    allot_script_meter *meter = script->meter;
    if (!meter || rows < 1)
        return;
    int64_t spent = allot__sandbox_spent(&script->box) / rows * 1000;
    if (spent > meter->instructions)
        meter->instructions = spent;
    if (script->box.peak > meter->memory)
        meter->memory = script->box.peak;
}

static int compute(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                   allot_report *report)
{
    allot__script *script = ud;
    if (function < 0 || function >= script->call_count)
        return ALLOT_EINTERNAL;
    allot__call *call = &script->calls[function];
    script->run = (allot__batch_run){.call = call, .batch = batch, .out = out};
    bool timed = allot__time_counts(script, call, batch->count);
    if (timed && allot__sandbox_late(&script->box))
        return allot__time_over(script, report);
    lua_gc(script->box.L, LUA_GCSTOP);
    allot__sandbox_arm(&script->box, fuel_for(script, batch->count));
    int64_t work = allot__time_work(script, call, batch->count);
    int64_t began = timed ? script->time->clock(script->time->ud) : 0;
    int status = allot__sandbox_run(&script->box, run_batch, script);
    allot__time_worked(script, call, batch->count, work);
    if (timed)
        allot__time_note(script, call, script->time->clock(script->time->ud) - began);
    allot__sandbox_disarm(&script->box);
    measure(script, batch->count);
    int result = status || script->run.fault ? tell(script, status, report) : ALLOT_OK;
    script->run.batch = NULL;
    allot__sandbox_sweep(&script->box);
    return result;
}

void allot__script_free(allot__script *script)
{
    if (!script)
        return;
    allot_engine *engine = script->box.engine;
    allot__time_leave(script);
    allot__sandbox_close(&script->box);
    if (script->text)
        allot_engine_alloc(engine, script->text, script->text_len + 1, 0);
    if (script->chunk)
        allot_engine_alloc(engine, script->chunk, strlen(script->chunk) + 1, 0);
    allot_engine_alloc(engine, script, sizeof *script, 0);
}

static void release(void *ud)
{
    allot__script_free(ud);
}

void allot__script_provider(allot__script *script, allot_provider *provider)
{
    *provider = (allot_provider){.ud = script,
                                 .compute = compute,
                                 .release = release,
                                 .relate = allot__relate,
                                 .refusal = allot__relate_refusal};
}
