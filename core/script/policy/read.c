/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * read.c: makes a policy of what lua/allot/language/read.lua reads in a policy's table.
 *
 * The reader calls the functions here, one for each kind of rule. Their arguments are values of the
 * policy's table as they are there: whatever they are, they do no harm.
 */
#include "script/policy/read.h"

#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "script/sandbox/library.h"

/* The last column that each stage can read. */
enum {
    IN_RESERVE = ALLOT_GROUP_SLOTS,
    IN_QUOTA = ALLOT_IN_FLIGHT,
    IN_FILL = ALLOT_PARENT_SLOTS,
    IN_DISTRIBUTION = ALLOT_QUOTA,
    IN_RECLAIM = ALLOT_OVER
};
/* Arguments of rules with a place: what they are called, and "fair.lua:3: " or nil. */
enum { LABEL = 1, PLACE, FIRST };

/* Upvalue 1 of all functions below; their rules are about such rows. */
static allot__reading *reading_of(lua_State *L, allot_rows rows)
{
    allot__reading *reading = lua_touserdata(L, lua_upvalueindex(1));
    reading->rows = rows;
    return reading;
}

/* The result of a function: nothing, if the policy took the rule. */
static int made(lua_State *L, int status, const char *what, const char *name)
{
    allot__read_made(L, lua_touserdata(L, lua_upvalueindex(1)), status, what, name);
    return 0;
}

static int32_t number_at(lua_State *L, int index)
{
    return (int32_t)lua_tointeger(L, index);
}

static allot_source amount_at(lua_State *L, allot__reading *reading, int index, const char *role,
                              int32_t last)
{
    lua_pushvalue(L, index);
    return allot__read_source(L, reading, lua_tostring(L, PLACE), role, last);
}

static allot_source function_at(lua_State *L, allot__reading *reading, int index, const char *role)
{
    lua_pushvalue(L, index);
    return allot__read_function(L, reading, NULL, role, 0);
}

/* ---- Declarations ---------------------------------------------------------------------------- */

static int take_name(lua_State *L)
{
    allot__reading *reading = reading_of(L, ALLOT_CONSUMERS);
    const char *name = lua_tostring(L, 1);
    allot_engine *engine = reading->script->box.engine;
    return made(L, allot_policy_new(engine, name, &reading->policy), "policy name", name);
}

/* attribute(name, type, min, max, default, limit, doc) */
static allot_attribute attribute_at(lua_State *L)
{
    const char *type = lua_tostring(L, 2);
    return (allot_attribute){.name = lua_tostring(L, 1),
                             .type = type && strcmp(type, "boolean") == 0 ? ALLOT_BOOLEAN
                                     : type && strcmp(type, "tag") == 0   ? ALLOT_TAG
                                                                          : ALLOT_INTEGER,
                             .min = number_at(L, 3),
                             .max = number_at(L, 4),
                             .fallback = number_at(L, 5),
                             .limit = number_at(L, 6),
                             .doc = lua_tostring(L, 7)};
}

static int take_attribute(lua_State *L)
{
    allot_attribute it = attribute_at(L);
    return made(L, allot_policy_attribute(reading_of(L, ALLOT_CONSUMERS)->policy, &it), "attribute",
                it.name);
}

static int take_task_attribute(lua_State *L)
{
    allot_attribute it = attribute_at(L);
    return made(L, allot_policy_task_attribute(reading_of(L, ALLOT_TASKS)->policy, &it),
                "task attribute", it.name);
}

/* ---- Options --------------------------------------------------------------------------------- */

/* Pushes the words of a text, in a list. */
static void push_words(lua_State *L, const char *text)
{
    static const char blanks[] = " \t\r\n";
    lua_newtable(L);
    text += strspn(text, blanks);
    for (lua_Integer i = 1; *text != '\0'; i++) {
        size_t len = strcspn(text, blanks);
        lua_pushlstring(L, text, len);
        lua_rawseti(L, -2, i);
        text += len + strspn(text + len, blanks);
    }
}

static void push_option(lua_State *L, const allot_use_option *option)
{
    static const char *const types[] = {[ALLOT_JSON_INTEGER] = "integer",
                                        [ALLOT_JSON_BOOLEAN] = "boolean",
                                        [ALLOT_JSON_STRING] = "string",
                                        [ALLOT_JSON_WORDS] = "words"};
    bool text = option->type == ALLOT_JSON_STRING || option->type == ALLOT_JSON_WORDS;
    lua_createtable(L, 0, 5);
    lua_pushstring(L, option->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, types[option->type]);
    lua_setfield(L, -2, "type");
    if (text)
        lua_pushstring(L, option->string);
    else
        lua_pushinteger(L, option->integer);
    lua_setfield(L, -2, "value");
    push_words(L, text ? option->string : "");
    lua_setfield(L, -2, "words");
    lua_pushboolean(L, option->mine);
    lua_setfield(L, -2, "mine");
}

/* stated(): what the plan states: a list of {name = , type = , value = , words = , mine = } */
static int push_stated(lua_State *L)
{
    const allot__reading *reading = reading_of(L, ALLOT_CONSUMERS);
    allot__sandbox *box = &reading->script->box;
    box->string_max = SIZE_MAX / 2; /* these strings are the plan's, not the script's */
    lua_createtable(L, reading->use_count, 0);
    for (int32_t i = 0; i < reading->use_count; i++) {
        push_option(L, &reading->use[i]);
        lua_rawseti(L, -2, i + 1);
    }
    box->string_max = ALLOT__STRING_MAX;
    return 1;
}

/* refuse(option, code, hint, message): false; the plan's reader places the fault at the option. */
static int refuse_option(lua_State *L)
{
    allot_diagnostic finding = allot__error(lua_tostring(L, 2), lua_tostring(L, 4));
    finding.path = lua_tostring(L, 1);
    finding.hint = lua_tostring(L, 3);
    allot_report_add(reading_of(L, ALLOT_CONSUMERS)->report, &finding);
    lua_pushboolean(L, 0);
    return 1;
}

/* call(function, options): its result. No line of ours is the place of its faults. */
static int call(lua_State *L)
{
    lua_call(L, 1, 1);
    return 1;
}

/* strict(table, what): the table, in which unknown keys are now errors about a `what`. */
static int make_strict(lua_State *L)
{
    lua_pushvalue(L, 1);
    allot__library_strict(L, lua_tostring(L, 2));
    return 1;
}

/* ---- Amounts and orders ---------------------------------------------------------------------- */

/* fill(label, place, by, up_to, order, level), pool(label, place, by, up_to) and loan(label, place,
 * lend_limit, borrow_limit, borrowers, by); upvalue 2: which of them. */
enum { FILL, POOL, LOAN, PARTS };
static const char *const parts[] = {"fill", "pool", "loan"};

static int take_part(lua_State *L)
{
    allot__reading *reading = reading_of(L, ALLOT_CONSUMERS);
    allot_policy *policy = reading->policy;
    int kind = number_at(L, lua_upvalueindex(2)), status;
    const char *label = lua_tostring(L, LABEL);
    allot__rule_order order;
    int32_t last = kind == FILL ? IN_FILL : IN_QUOTA;
    const char *word = allot__read_word(L, FIRST + 1);
    bool planned = *word != '\0' && strcmp(word, "percent") != 0; /* before quotas are known */
    allot_source by =
        amount_at(L, reading, FIRST, kind == LOAN ? "lend_limit" : "by", planned ? IN_QUOTA : last);
    allot_source up_to =
        amount_at(L, reading, FIRST + 1, kind == LOAN ? "borrow_limit" : "up_to", last);
    allot__read_order(L, reading, FIRST + 2, last, &order);
    if (kind == LOAN)
        status = allot_policy_loan(policy, label, by, up_to, order.keys, order.count);
    else if (kind == POOL)
        status = allot_policy_pool(policy, label, by, up_to);
    else
        status = allot_policy_fill(policy, label, by, up_to, order.keys, order.count);
    if (status == ALLOT_OK && kind == LOAN && !lua_isnoneornil(L, FIRST + 3))
        status = allot_policy_loan_by(policy, amount_at(L, reading, FIRST + 3, "by", IN_QUOTA));
    else if (status == ALLOT_OK && lua_toboolean(L, FIRST + 3))
        status = allot_policy_fill_level(policy);
    return made(L, status, "fill", label);
}

/* reserve(nil, place, amount) */
static int take_reserve(lua_State *L)
{
    allot__reading *reading = reading_of(L, ALLOT_CONSUMERS);
    allot_source reserve = amount_at(L, reading, FIRST, "reserve", IN_RESERVE);
    return made(L, allot_policy_reserve(reading->policy, reserve), "policy", "reserve");
}

/* reclaim(nil, place, by, order) */
static int take_reclaim(lua_State *L)
{
    allot__reading *reading = reading_of(L, ALLOT_CONSUMERS);
    allot__rule_order order;
    allot_source by = amount_at(L, reading, FIRST, "by", IN_RECLAIM);
    allot__read_order(L, reading, FIRST + 1, IN_RECLAIM, &order);
    return made(L, allot_policy_reclaim(reading->policy, by, order.keys, order.count), "policy",
                "reclaim");
}

/* takes(place, column or function), inside(...); upvalue 2: the number of the rule. */
static const struct {
    const char *name;
    allot_rows rows;
    int32_t last;
    int (*add)(allot_policy *policy, allot_source test);
} pairs[] = {{"takes", ALLOT_CONSUMERS, IN_RECLAIM, allot_policy_takes},
             {"inside", ALLOT_TASKS, 0, allot_policy_inside}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static int take_pair(lua_State *L)
{
    int i = number_at(L, lua_upvalueindex(2));
    allot__reading *reading = reading_of(L, pairs[i].rows);
    const char *at = lua_tostring(L, 1);
    bool test = lua_isfunction(L, 2);
    lua_settop(L, 2);
    allot_source source = test ? allot__read_function(L, reading, at, pairs[i].name, pairs[i].last)
                               : allot__read_source(L, reading, at, "key", pairs[i].last);
    return made(L, pairs[i].add(reading->policy, source), "policy", pairs[i].name);
}

/* session(scheduling, place, by, up_to, order) */
static int take_session(lua_State *L)
{
    allot__reading *reading = reading_of(L, ALLOT_SESSIONS);
    allot_scheduling scheduling = (allot_scheduling)number_at(L, LABEL);
    allot__rule_order order;
    allot_source by = amount_at(L, reading, FIRST, "by", 0);
    allot_source up_to = amount_at(L, reading, FIRST + 1, "up_to", 0);
    allot__read_order(L, reading, FIRST + 2, 0, &order);
    return made(
        L,
        allot_policy_session_fill(reading->policy, scheduling, by, up_to, order.keys, order.count),
        "sessions", allot_scheduling_name(scheduling));
}

static const struct {
    const char *name;
    allot_rows rows;
    int32_t last;
    int (*set)(allot_policy *policy, const allot_key *keys, int32_t n);
} orders[] = {{"distribute", ALLOT_CONSUMERS, IN_DISTRIBUTION, allot_policy_distribute},
              {"victims", ALLOT_TASKS, 0, allot_policy_victims},
              {"dispatch", ALLOT_TASKS, 0, allot_policy_dispatch},
              {"slices", ALLOT_QUEUES, 0, allot_policy_slices}};
enum { ORDERS = sizeof orders / sizeof *orders };

/* distribute(order, place), ...; upvalue 2: the number of the rule. */
static int take_order(lua_State *L)
{
    int i = number_at(L, lua_upvalueindex(2));
    allot__reading *reading = reading_of(L, orders[i].rows);
    allot__rule_order order;
    allot__read_order(L, reading, 1, orders[i].last, &order);
    if (orders[i].set == allot_policy_dispatch)
        allot__read_impartial(L, reading, &order);
    return made(L, orders[i].set(reading->policy, order.keys, order.count), "policy",
                orders[i].name);
}

/* ---- Numbers and words ----------------------------------------------------------------------- */

static int set_scale(allot_policy *policy, int32_t number)
{
    return allot_policy_scale(policy, number);
}

static int set_round(allot_policy *policy, int32_t number)
{
    return allot_policy_round(policy, (allot_rounding)number);
}

static int set_fewest(allot_policy *policy, int32_t number)
{
    return allot_policy_fewest(policy, (allot_fewest)number);
}

static int set_backfill(allot_policy *policy, int32_t number)
{
    return allot_policy_backfill(policy, (allot_backfill)number);
}

static const struct {
    const char *name;
    int (*set)(allot_policy *policy, int32_t number);
} numbers[] = {{"scale", set_scale},        {"round", set_round},
               {"fewest", set_fewest},      {"backfill", set_backfill},
               {"lift", allot_policy_lift}, {"job_types", allot_policy_job_types}};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* scale(number), ...; upvalue 2: the number of the rule. */
static int take_number(lua_State *L)
{
    int i = number_at(L, lua_upvalueindex(2));
    allot__reading *reading = reading_of(L, ALLOT_CONSUMERS);
    return made(L, numbers[i].set(reading->policy, number_at(L, 1)), "policy", numbers[i].name);
}

static int take_switch(lua_State *L)
{
    static const char *const names[ALLOT_SWITCH_COUNT + 1] = {
        "recall_first", "keep_shared", "adjust_shared", "across",
        "no_reclaim",   "unguarded",   "together"};
    allot_switch which = (allot_switch)luaL_checkoption(L, 1, NULL, names);
    return made(L, allot_policy_switch(reading_of(L, ALLOT_CONSUMERS)->policy, which, 1), "policy",
                names[which]);
}

/* damp(option, number); the policy checks the range. */
static int take_damping(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    int option = 0;
    while (option < ALLOT_OPTION_COUNT && strcmp(allot_option_name(option), name) != 0)
        option++;
    return made(
        L, allot_policy_damp(reading_of(L, ALLOT_CONSUMERS)->policy, option, lua_tointeger(L, 2)),
        "damping", name);
}

/* ---- Tasks, hosts, leases -------------------------------------------------------------------- */

/* guard(label, place, role, value, min, max) */
static int take_guard(lua_State *L)
{
    static const char *const roles[] = {"guard", "value", "tag", NULL};
    allot__reading *reading = reading_of(L, ALLOT_TASKS);
    const char *label = lua_tostring(L, LABEL);
    allot_source value =
        amount_at(L, reading, FIRST + 1, roles[luaL_checkoption(L, FIRST, NULL, roles)], 0);
    int64_t min = luaL_optinteger(L, FIRST + 2, INT64_MIN);
    int64_t max = luaL_optinteger(L, FIRST + 3, INT64_MAX);
    return made(L, allot_policy_guard(reading->policy, label, value, min, max), "guard", label);
}

/* requirement(name, function) */
static int take_requirement(lua_State *L)
{
    allot__reading *reading = reading_of(L, ALLOT_HOSTS);
    const char *name = lua_tostring(L, 1);
    int32_t function = function_at(L, reading, 2, "requirement").value;
    return made(L, allot_policy_requirement(reading->policy, name, function), "requirement", name);
}

static int take_lease(lua_State *L)
{
    allot__reading *reading = reading_of(L, ALLOT_LEASES);
    int32_t function = function_at(L, reading, 1, "lease").value;
    return made(L, allot_policy_lease(reading->policy, function), "policy", "lease");
}

/* property([function]) */
static int take_property(lua_State *L)
{
    allot__script *script = reading_of(L, ALLOT_CONSUMERS)->script;
    lua_Debug ar;
    if (script->property_count == ALLOT__PROPERTIES_MAX)
        return 0;
    allot__property *out = &script->properties[script->property_count++];
    *out = (allot__property){LUA_NOREF, 0};
    if (!lua_isfunction(L, 1))
        return 0;
    lua_pushvalue(L, 1);
    lua_getinfo(L, ">S", &ar);
    out->line = strcmp(ar.short_src, script->box.source) == 0 ? ar.linedefined : 0;
    lua_pushvalue(L, 1);
    out->ref = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

/* ---- Who preempts whom ----------------------------------------------------------------------- */

/* dispatches(): rules of queues follow. */
static int note_dispatches(lua_State *L)
{
    reading_of(L, ALLOT_CONSUMERS)->dispatches = true;
    return 0;
}

/* The function at 2; its number. */
static int32_t read_test(lua_State *L, allot__script *script)
{
    allot__test *out = &script->relating.functions[script->relating.count];
    lua_Debug ar;
    lua_pushvalue(L, 2);
    lua_getinfo(L, ">Su", &ar);
    if (*ar.what == 'C')
        allot__read_fail(L, lua_tostring(L, 1),
                         "a test is a function of the library; write one in Lua");
    char at[LUA_IDSIZE + 16];
    snprintf(at, sizeof at, "%s:%d: ", ar.short_src, ar.linedefined);
    if (ar.isvararg || ar.nparams > 2)
        allot__read_fail(L, at, "a test is a function of two: the preempting queue and the other");
    bool own = strcmp(ar.short_src, script->box.source) == 0;
    out->line = own ? ar.linedefined : 0;
    snprintf(out->name, sizeof out->name, "the function at %s:%d", ar.short_src, ar.linedefined);
    lua_settop(L, 2);
    out->loop_free = allot__script_loop_free(L);
    out->ref = luaL_ref(L, LUA_REGISTRYINDEX);
    return script->relating.count++;
}

/* test(place, word or function) */
static int take_test(lua_State *L)
{
    static const struct {
        const char *word;
        int32_t refusal;
    } words[] = {{"priority", ALLOT_REFUSED_PRIORITY},
                 {"slot_share", ALLOT_REFUSED_SLOT_SHARE},
                 {"preemptive_or_preemptable", ALLOT_REFUSED_QUEUES}};
    allot__script *script = reading_of(L, ALLOT_CONSUMERS)->script;
    const char *word = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    size_t i = 0;
    allot__relating *out = &script->relating;
    if (out->test_count == ALLOT_TESTS_MAX)
        return 0;
    while (i < 3 && strcmp(word, words[i].word) != 0)
        i++;
    if (i == 3 && !lua_isfunction(L, 2))
        allot__read_fail(L, lua_tostring(L, 1), "a test is a word of relations or a function");
    out->tests[out->test_count++] =
        i < 3 ? words[i].refusal : ALLOT_REFUSED_TEST - read_test(L, script);
    return 0;
}

/* preempts(nobody) */
static int take_preempts(lua_State *L)
{
    allot__reading *reading = reading_of(L, ALLOT_CONSUMERS);
    const allot__relating *all = &reading->script->relating;
    return made(L,
                lua_toboolean(L, 1)
                    ? allot_policy_preempts(reading->policy, ALLOT_NOBODY)
                    : allot_policy_tests(reading->policy, all->tests, all->test_count),
                "policy", "preempts");
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Sets a function of the table on top that serves several kinds of rules, by their number. */
static void set_numbered(lua_State *L, allot__reading *reading, const char *name, int number,
                         lua_CFunction take)
{
    lua_pushlightuserdata(L, reading);
    lua_pushinteger(L, number);
    lua_pushcclosure(L, take, 2);
    lua_setfield(L, -2, name);
}

static void push_core(lua_State *L, allot__reading *reading)
{
    static const luaL_Reg functions[] = {{"name", take_name},
                                         {"attribute", take_attribute},
                                         {"task_attribute", take_task_attribute},
                                         {"stated", push_stated},
                                         {"refuse", refuse_option},
                                         {"call", call},
                                         {"strict", make_strict},
                                         {"reserve", take_reserve},
                                         {"reclaim", take_reclaim},
                                         {"session", take_session},
                                         {"switch", take_switch},
                                         {"damp", take_damping},
                                         {"guard", take_guard},
                                         {"requirement", take_requirement},
                                         {"lease", take_lease},
                                         {"property", take_property},
                                         {"dispatches", note_dispatches},
                                         {"test", take_test},
                                         {"preempts", take_preempts},
                                         {NULL, NULL}};
    luaL_newlibtable(L, functions);
    lua_pushlightuserdata(L, reading);
    luaL_setfuncs(L, functions, 1);
    for (int i = 0; i < PARTS; i++)
        set_numbered(L, reading, parts[i], i, take_part);
    for (int i = 0; i < ORDERS; i++)
        set_numbered(L, reading, orders[i].name, i, take_order);
    for (int i = 0; i < PAIRS; i++)
        set_numbered(L, reading, pairs[i].name, i, take_pair);
    for (int i = 0; i < NUMBERS; i++)
        set_numbered(L, reading, numbers[i].name, i, take_number);
}

void allot__read_begin(lua_State *L)
{
    lua_getglobal(L, "require");
    lua_pushliteral(L, "allot.language.read");
    lua_call(L, 1, 1);
}

int allot__read_policy(lua_State *L, allot__reading *reading)
{
    push_core(L, reading);
    lua_call(L, 2, 1);
    reading->option_fault = !lua_toboolean(L, -1);
    if (reading->option_fault)
        return 0;
    allot__flags_check(L, reading);
    for (int rows = 0; rows < ALLOT_HOSTS; rows++)
        allot__script_view(L, reading->script, reading->policy, (allot_rows)rows);
    allot__pair_views(L, reading->script, reading->policy, ALLOT_CONSUMERS);
    allot__pair_views(L, reading->script, reading->policy, ALLOT_TASKS);
    allot__claimant_view(L, reading->script, reading->policy);
    allot__relate_views(L, reading->script);
    allot__side_views(L, reading->script);
    return 0;
}
