/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * source.c: where a rule's numbers come from: columns, numbers, functions.
 *
 * The names of a function's parameters are the columns that it reads. A function with a single
 * parameter that does not name a column takes a row view: an object with all columns as fields.
 */
#define _GNU_SOURCE /* memmem */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "script/policy/read.h"
#include "script/sandbox/library.h"

int allot__read_fail(lua_State *L, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    lua_pushstring(L, at ? at : "");
    lua_pushvfstring(L, format, arguments);
    va_end(arguments);
    lua_concat(L, 2);
    return lua_error(L);
}

void allot__read_made(lua_State *L, allot__reading *reading, int status, const char *what,
                      const char *name)
{
    char message[400];
    if (status == ALLOT_OK)
        return;
    reading->lacks_memory = status == ALLOT_ENOMEM;
    snprintf(message, sizeof message, "%s \"%.128s\": %s", what, name ? name : "",
             allot_status_text(status));
    allot__read_fail(L, NULL, "%s", message);
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* The nearest column to a name, among those whose own name has at least `least` bytes. */
static const char *near_column(const allot__reading *reading, const char *name, size_t least)
{
    const char *names[ALLOT__COLUMNS_MAX] = {NULL};
    int32_t count = allot__read_columns(reading->policy, reading->rows);
    for (int32_t i = 0; i < count; i++) {
        const char *column = allot__read_column_name(reading->policy, reading->rows, i);
        if (strlen(column) >= least)
            names[i] = column;
    }
    return allot_nearest(name, strlen(name), names, (size_t)count);
}

/* Raises for a column of other rows than the rule is about. */
static void refuse_stranger(lua_State *L, const allot__reading *reading, const char *at,
                            const char *name)
{
    static const char *const kinds[] = {"consumers", "tasks", "sessions", "queues", "leases"};
    for (int rows = 0; rows < ALLOT_HOSTS; rows++) {
        if (allot__read_column(reading->policy, (allot_rows)rows, name) >= 0)
            allot__read_fail(L, at, "'%s' is a column of %s; this rule is about %s", name,
                             kinds[rows], kinds[reading->rows]);
    }
}

/* Raises for a name that is not a column; the message lists the columns and the nearest one. */
static void refuse_column(lua_State *L, const allot__reading *reading, const char *at,
                          const char *what, const char *name)
{
    int32_t count = allot__read_columns(reading->policy, reading->rows);
    refuse_stranger(L, reading, at, name);
    lua_createtable(L, 0, count);
    for (int32_t i = 0; i < count; i++) {
        lua_pushboolean(L, 1);
        lua_setfield(L, -2, allot__read_column_name(reading->policy, reading->rows, i));
    }
    lua_pushstring(L, name);
    int key = lua_gettop(L);
    allot__library_unknown(L, at ? at : "", what, key - 1, key);
}

/* Functions of jobs are computed once for all preemptors: columns that depend on the preemptor are
 * for keys of victims alone, which name them. */
static bool of_preemptor(const allot__reading *reading, int32_t column)
{
    return reading->dispatches && reading->rows == ALLOT_TASKS &&
           (column == ALLOT_TASK_PREFERENCE || column == ALLOT_TASK_QUEUE_ORDER);
}

static void refuse_preemptor(lua_State *L, const allot__reading *reading, const char *at,
                             const char *who, int32_t column)
{
    if (of_preemptor(reading, column))
        allot__read_fail(L, at,
                         "%s cannot read '%s': it goes by who preempts, so only a key of victims "
                         "names it, as in victims = order { \"queue_order\" }",
                         who, allot__read_column_name(reading->policy, reading->rows, column));
}

void allot__read_impartial(lua_State *L, const allot__reading *reading,
                           const allot__rule_order *order)
{
    for (int32_t i = 0; i < order->count; i++)
        if (order->keys[i].source.kind == ALLOT_FROM_COLUMN)
            refuse_preemptor(L, reading, NULL, "dispatch", order->keys[i].source.value);
}

/* Raises for the slots that siblings divide, where a row's own number is wanted. */
static void refuse_common(lua_State *L, const char *at)
{
    allot__read_fail(L, at,
                     "parent_slots is the same for all siblings: a function reads it, or percent "
                     "\"NAME\"");
}

static int32_t check_column(lua_State *L, const allot__reading *reading, const char *at,
                            const char *name, int32_t last)
{
    int32_t column = allot__read_column(reading->policy, reading->rows, name);
    if (column < 0)
        refuse_column(L, reading, at, "column", name);
    if (reading->rows == ALLOT_CONSUMERS && column > last && column < ALLOT_COLUMN_COUNT)
        allot__read_fail(L, at, "column '%s' is not known yet at this stage", name);
    return column;
}

/* The column whose sum over siblings a parameter names, as sum_share; NULL: it names none. */
static const char *summed(const allot__reading *reading, const char *name)
{
    static const char sum[] = "sum_";
    bool sums = reading->rows == ALLOT_CONSUMERS && strncmp(name, sum, sizeof sum - 1) == 0 &&
                allot__read_column(reading->policy, reading->rows, name) < 0;
    return sums ? name + sizeof sum - 1 : NULL;
}

/* ---- Functions ------------------------------------------------------------------------------- */

/* The n-th parameter of the function on top, from 1; NULL: it has fewer. */
static const char *parameter(lua_State *L, int n)
{
    return lua_getlocal(L, NULL, n);
}

/* The parameter that is the claimant's row, from 1; 0: none. */
static int claimant_of(lua_State *L, const allot__reading *reading)
{
    static const char word[] = "claimant";
    const char *name;
    int n = 1;
    if (reading->rows != ALLOT_TASKS || allot__read_column(reading->policy, ALLOT_TASKS, word) >= 0)
        return 0;
    while ((name = parameter(L, n)) && strcmp(name, word) != 0)
        n++;
    return name ? n : 0;
}

/* Does the function take its row as one parameter, besides the claimant? */
static bool takes_view(lua_State *L, const allot__reading *reading, const char *at, int claimant)
{
    int first = claimant == 1 ? 2 : 1, next = claimant == first + 1 ? first + 2 : first + 1;
    const char *name = parameter(L, first);
    if (!name || parameter(L, next) || summed(reading, name) ||
        allot__read_column(reading->policy, reading->rows, name) >= 0)
        return false;
    if (reading->rows == ALLOT_QUEUES && strcmp(name, "queue") == 0)
        return true; /* the row, not the column of tasks */
    refuse_stranger(L, reading, at, name);
    if (near_column(reading, name, 4))
        refuse_column(L, reading, at, "column (and too like one to name a row)", name);
    return true;
}

static void add_column(const allot__reading *reading, int32_t column, allot__call *call)
{
    call->flags |= (uint64_t)allot__read_flag(reading->policy, reading->rows, column)
                   << call->count;
    call->columns[call->count++] = (uint8_t)column;
}

/* A function that reads parent_slots is called family by family: so of those that take a row only
 * where the text says that name. */
static bool left_aside(const allot__reading *reading, int32_t column)
{
    static const char name[] = "parent_slots";
    const allot__script *script = reading->script;
    return reading->rows == ALLOT_CONSUMERS && column == ALLOT_PARENT_SLOTS &&
           !memmem(script->text, script->text_len, name, sizeof name - 1);
}

static void read_parameters(lua_State *L, const allot__reading *reading, const char *at,
                            int32_t last, allot__call *call)
{
    call->claimant = claimant_of(L, reading);
    if (call->claimant && reading->dispatches)
        allot__read_fail(L, at,
                         "a function of jobs cannot read 'claimant': it is called once for all who "
                         "preempt; a key of victims names preference or queue_order");
    call->view = takes_view(L, reading, at, call->claimant);
    if (call->view) {
        int32_t all = allot__read_columns(reading->policy, reading->rows);
        for (int32_t i = 0; i < all; i++)
            if ((reading->rows != ALLOT_CONSUMERS || i <= last || i >= ALLOT_COLUMN_COUNT) &&
                !of_preemptor(reading, i) && !left_aside(reading, i))
                add_column(reading, i, call);
        return;
    }
    const char *name;
    for (int n = 1; (name = parameter(L, n)); n++) {
        if (n == call->claimant)
            continue;
        if (call->count == ALLOT__COLUMNS_MAX)
            allot__read_fail(L, at, "a function reads at most %d columns", ALLOT__COLUMNS_MAX);
        const char *inner = summed(reading, name);
        int32_t column = check_column(L, reading, at, inner ? inner : name, last);
        if (inner && reading->rows == ALLOT_CONSUMERS && column == ALLOT_PARENT_SLOTS)
            refuse_common(L, at);
        refuse_preemptor(L, reading, at, "a function", column);
        add_column(reading, inner ? ALLOT_SUM_OF(column) : column, call);
    }
}

/* Of hosts the parameters name attributes, which are anything. */
static void count_parameters(lua_State *L, const char *at, allot__call *call)
{
    while (parameter(L, call->count + 1)) {
        if (call->count++ == ALLOT__PARAMETERS_MAX)
            allot__read_fail(L, at, "a requirement reads at most %d attributes",
                             ALLOT__PARAMETERS_MAX);
    }
}

/* Of a lease: provider and consumer, whose columns the function reads. */
static void take_sides(lua_State *L, const char *at, allot__call *call)
{
    if (parameter(L, 3))
        allot__read_fail(L, at, "lease is a function of two: provider and consumer");
    for (; call->count < ALLOT_LEASE_COLUMN_COUNT; call->count++)
        call->columns[call->count] = (uint8_t)call->count;
}

static bool is_test(const char *role)
{
    return strcmp(role, "takes") == 0 || strcmp(role, "inside") == 0;
}

/* Of two rows: takes their views, which have all columns. */
static void take_pair(lua_State *L, const allot__reading *reading, const char *at,
                      allot__call *call)
{
    if (parameter(L, 3))
        allot__read_fail(L, at, "a test of %s is a function of two: who takes, and the other",
                         call->role);
    call->pair = true;
    for (int32_t i = 0; i < allot__read_columns(reading->policy, reading->rows); i++)
        add_column(reading, i, call);
}

static allot__result answer_of(const char *role)
{
    if (strcmp(role, "lease") == 0)
        return ALLOT__RESULT_SIDE;
    if (strcmp(role, "guard") == 0 || strcmp(role, "requirement") == 0 || is_test(role))
        return ALLOT__RESULT_FLAG;
    bool number = strcmp(role, "key") == 0 || strcmp(role, "value") == 0;
    return number ? ALLOT__RESULT_NUMBER : ALLOT__RESULT_AMOUNT;
}

/* Reads which columns or attributes the function on top takes. */
static void read_arguments(lua_State *L, allot__reading *reading, const char *at, int32_t last,
                           allot__call *call)
{
    if (reading->rows == ALLOT_HOSTS)
        count_parameters(L, at, call);
    else if (reading->rows == ALLOT_LEASES)
        take_sides(L, at, call);
    else if (is_test(call->role))
        take_pair(L, reading, at, call);
    else
        read_parameters(L, reading, at, last, call);
}

/* Policy and script have the same number for it: both count from 0 in the same order. */
static int32_t add_function(lua_State *L, allot__reading *reading, const allot__call *call)
{
    int32_t columns[ALLOT__COLUMNS_MAX], number = 0;
    int32_t count = call->rows == ALLOT_HOSTS ? 0 : call->count;
    for (int32_t i = 0; i < count; i++)
        columns[i] = call->columns[i];
    int status = allot_policy_rows_function(reading->policy, call->rows, columns, count, &number);
    allot__read_made(L, reading, status, "function", call->role);
    return reading->script->call_count++;
}

/* Has the function called for each claimant, if it reads claimants. */
static void tell_claimant(lua_State *L, allot__reading *reading, const char *at,
                          const allot__call *call, int32_t function)
{
    int status = call->claimant ? allot_policy_claimant(reading->policy, function) : ALLOT_OK;
    if (status == ALLOT_EUSAGE)
        allot__read_fail(L, at,
                         "a function reads 'claimant' under fills alone and with enforce = "
                         "\"parent\", since pools, loans and enforce = \"leaf\" say otherwise who "
                         "takes from whom");
    allot__read_made(L, reading, status, "function", call->role);
}

allot_source allot__read_function(lua_State *L, allot__reading *reading, const char *fill_at,
                                  const char *role, int32_t last)
{
    allot__script *script = reading->script;
    lua_Debug ar;
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">Su", &ar);
    if (*ar.what == 'C')
        allot__read_fail(L, fill_at, "%s is a function of the library; write one in Lua", role);
    char at[LUA_IDSIZE + 16];
    snprintf(at, sizeof at, "%s:%d: ", ar.short_src, ar.linedefined);
    if (ar.isvararg)
        allot__read_fail(L, at, "a function names the columns it reads; '...' names none");
    if (script->call_count == ALLOT__FUNCTIONS_MAX)
        allot__read_fail(L, at, "a policy has at most %d functions", ALLOT__FUNCTIONS_MAX);
    allot__call *call = &script->calls[script->call_count];
    bool own = strcmp(ar.short_src, script->box.source) == 0; /* else a ready-made policy's */
    *call = (allot__call){.line = own ? ar.linedefined : 0,
                          .rows = reading->rows,
                          .role = role,
                          .answer = answer_of(role)};
    read_arguments(L, reading, at, last, call);
    call->loop_free = allot__script_loop_free(L);
    call->ref = luaL_ref(L, LUA_REGISTRYINDEX);
    allot_source source = {ALLOT_FROM_FUNCTION, add_function(L, reading, call)};
    tell_claimant(L, reading, at, call, source.value);
    return source;
}

/* ---- Sources and orders ---------------------------------------------------------------------- */

/* Fails if a column in place of a function is a boolean, and `role` wants numbers: only orders take
 * booleans; false comes first. */
static void refuse_flag(lua_State *L, const allot__reading *reading, const char *at,
                        const char *role, int32_t column)
{
    const char *name = allot__read_column_name(reading->policy, reading->rows, column);
    if (!allot__read_flag(reading->policy, reading->rows, column) || strcmp(role, "key") == 0 ||
        strcmp(role, "tag") == 0)
        return;
    if (strcmp(role, "value") == 0)
        allot__read_fail(L, at,
                         "value = \"%s\" is true or false, and no number; write guard \"label\" "
                         "(function (%s) return not %s end)",
                         name, name, name);
    allot__read_fail(L, at,
                     "%s = \"%s\" is true or false, and no number; write %s = function (%s) "
                     "return %s and 1 or 0 end",
                     role, name, role, name, name);
}

const char *allot__read_word(lua_State *L, int index)
{
    const char *word = NULL;
    if (lua_type(L, index) == LUA_TTABLE) {
        int made = lua_absindex(L, index);
        lua_pushliteral(L, "kind");
        word = lua_rawget(L, made) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
        lua_pop(L, 1);
    }
    return word ? word : "";
}

allot_source allot__read_source(lua_State *L, allot__reading *reading, const char *at,
                                const char *role, int32_t last)
{
    allot_source source = {ALLOT_FROM_NUMBER, 0};
    int type = lua_type(L, -1);
    bool amount = answer_of(role) == ALLOT__RESULT_AMOUNT;
    const char *word = amount ? allot__read_word(L, -1) : "";
    if (type == LUA_TFUNCTION)
        return allot__read_function(L, reading, at, role, last);
    if (type == LUA_TSTRING) {
        int32_t column = check_column(L, reading, at, lua_tostring(L, -1), last);
        if (reading->rows == ALLOT_CONSUMERS && column == ALLOT_PARENT_SLOTS)
            refuse_common(L, at);
        if (strcmp(role, "value") == 0)
            refuse_preemptor(L, reading, at, "a guard", column);
        refuse_flag(L, reading, at, role, column);
        source = (allot_source){ALLOT_FROM_COLUMN, column};
    } else if (lua_isinteger(L, -1) && amount) {
        lua_Integer value = lua_tointeger(L, -1);
        if (value < 0 || value > ALLOT_AMOUNT_MAX)
            allot__read_fail(L, at, "%s = %I; a number here is 0 to %d", role, (LUAI_UACINT)value,
                             ALLOT_AMOUNT_MAX);
        source.value = (int32_t)value;
    } else if (type == LUA_TNIL && amount) {
        source.kind = ALLOT_FROM_NEED;
    } else if (strcmp(word, "percent") == 0) {
        lua_pushliteral(L, "column");
        lua_rawget(L, -2);
        source = (allot_source){ALLOT_FROM_PERCENT,
                                check_column(L, reading, at, luaL_checkstring(L, -1), last)};
        lua_pop(L, 1);
    } else if (strcmp(word, "part") == 0 || strcmp(word, "held") == 0) {
        source.kind = *word == 'h' ? ALLOT_FROM_HELD : ALLOT_FROM_PART;
    } else {
        allot__read_fail(L, at, "%s is a %s, which gives no numbers", role, luaL_typename(L, -1));
    }
    lua_pop(L, 1);
    return source;
}

static void read_key(lua_State *L, allot__reading *reading, const char *at, int32_t last,
                     allot_key *out)
{
    int key = lua_gettop(L);
    if (lua_type(L, key) != LUA_TTABLE)
        allot__read_fail(L, at, "an order is a list of keys; a %s is none", luaL_typename(L, key));
    lua_pushliteral(L, "at");
    const char *own_at = lua_rawget(L, key) == LUA_TSTRING ? lua_tostring(L, -1) : at;
    lua_pushliteral(L, "descending");
    lua_rawget(L, key);
    out->descending = lua_toboolean(L, -1);
    lua_pushliteral(L, "key");
    lua_rawget(L, key);
    out->source = allot__read_source(L, reading, own_at, "key", last);
    lua_settop(L, key - 1);
}

void allot__read_order(lua_State *L, allot__reading *reading, int index, int32_t last,
                       allot__rule_order *out)
{
    const char *at = lua_tostring(L, 2);
    int type = lua_type(L, index);
    out->count = 0;
    if (type != LUA_TTABLE && type > LUA_TNIL)
        allot__read_fail(L, at, "an order is a list of keys, not a %s", luaL_typename(L, index));
    lua_Unsigned count = type == LUA_TTABLE ? lua_rawlen(L, index) : 0;
    if (count > ALLOT_KEYS_MAX)
        allot__read_fail(L, at, "an order has at most %d keys", ALLOT_KEYS_MAX);
    for (; out->count < (int32_t)count; out->count++) {
        lua_rawgeti(L, index, out->count + 1);
        read_key(L, reading, at, last, &out->keys[out->count]);
    }
}

/* ---- Booleans taken for numbers; see lua/allot/check/text.lua ---------------------------------
 */

/* Flags of a queue. */
static const char *const of_queues[] = {"preemptive", "preemptable"};

/* Pushes the names of the parameters of a function of the script. */
static void push_parameters(lua_State *L, const allot__script *script, int function)
{
    lua_State *from = script->box.L;
    const char *name;
    lua_newtable(L);
    lua_rawgeti(from, LUA_REGISTRYINDEX, function);
    for (int n = 1; (name = lua_getlocal(from, NULL, n)); n++) {
        lua_pushstring(L, name);
        lua_rawseti(L, -2, n);
    }
    lua_pop(from, 1);
}

/* Adds a function to the list below the names of its flags, which are on top, and popped. */
static void add(lua_State *L, const allot__script *script, int function, int32_t line, bool fields)
{
    lua_createtable(L, 0, 4);
    lua_insert(L, -2);
    lua_setfield(L, -2, "flags");
    push_parameters(L, script, function);
    lua_setfield(L, -2, "parameters");
    lua_pushinteger(L, line);
    lua_setfield(L, -2, "line");
    lua_pushboolean(L, fields);
    lua_setfield(L, -2, "fields");
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

static void add_call(lua_State *L, const allot__reading *reading, const allot__call *call)
{
    lua_newtable(L);
    for (int32_t i = 0, n = 0; i < call->count; i++) {
        if (!(call->flags >> i & 1))
            continue;
        lua_pushstring(L, allot__read_column_name(reading->policy, call->rows, call->columns[i]));
        lua_rawseti(L, -2, ++n);
    }
    add(L, reading->script, call->ref, call->line, call->view || call->pair);
}

/* Pushes the list of functions of the script's own that read booleans. */
static int push_functions(lua_State *L, const void *ud)
{
    const allot__reading *reading = ud;
    const allot__script *script = reading->script;
    lua_newtable(L);
    for (int32_t i = 0; i < script->call_count; i++)
        if (script->calls[i].flags && script->calls[i].line > 0)
            add_call(L, reading, &script->calls[i]);
    for (int32_t i = 0; i < script->relating.count; i++) {
        const allot__test *test = &script->relating.functions[i];
        if (test->line == 0)
            continue;
        lua_newtable(L);
        for (int k = 0; k < 2; k++) {
            lua_pushstring(L, of_queues[k]);
            lua_rawseti(L, -2, k + 1);
        }
        add(L, script, test->ref, test->line, true);
    }
    return 1;
}

static bool says(const allot__script *script, const char *name)
{
    return memmem(script->text, script->text_len, name, strlen(name)) != NULL;
}

/* A function that takes a whole row could read all flags; it reads those that the text names. */
static bool reads_flags(const allot__reading *reading)
{
    const allot__script *script = reading->script;
    for (int32_t i = 0; i < script->call_count; i++) {
        const allot__call *call = &script->calls[i];
        for (int32_t c = 0; c < call->count && call->line > 0; c++)
            if (call->flags >> c & 1 &&
                says(script,
                     allot__read_column_name(reading->policy, call->rows, call->columns[c])))
                return true;
    }
    for (int32_t i = 0; i < script->relating.count; i++)
        if (script->relating.functions[i].line > 0)
            return says(script, of_queues[0]) || says(script, of_queues[1]);
    return false;
}

void allot__flags_check(lua_State *L, allot__reading *reading)
{
    const allot__sandbox *box = &reading->script->box;
    allot__text_answer found;
    char place[LUA_IDSIZE + 16];
    if (!reads_flags(reading))
        return;
    int status = allot__sandbox_ask(box, "flag", push_functions, reading, &found);
    allot__read_made(L, reading, status, "policy", "functions");
    if (found.line == 0)
        return;
    snprintf(place, sizeof place, "%s:%d: ", box->source, (int)found.line);
    allot__read_fail(L, place,
                     "'%s' is true or false, and no number; write %s, not %s, or (%s and 1 or 0)",
                     found.name, found.name, found.name, found.name);
}
