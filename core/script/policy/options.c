/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* options.c: a policy's options as declared, with the values that a plan states. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "script/policy/read.h"
#include "script/sandbox/library.h"

enum { VALUES_MAX = 16 };

/* An option; its strings are those of the declaration, which lies on the stack. */
typedef struct option {
    const char *name;
    allot_attribute_type type;
    int64_t min, max, value; /* of a string: its place among the values; of words: bits */
    bool words;
    int32_t value_count; /* 0: not a string */
    const char *values[VALUES_MAX];
} option;

/* ---- Declarations ---------------------------------------------------------------------------- */

/* The strings of the option on top of the stack. */
static void read_values(lua_State *L, option *it)
{
    int32_t count = allot__read_list(L, "values", VALUES_MAX);
    for (; it->value_count < count; it->value_count++) {
        if (lua_rawgeti(L, -1, it->value_count + 1) != LUA_TSTRING)
            allot__read_fail(L, NULL, "values is a list of strings");
        it->values[it->value_count] = lua_tostring(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    bool outside = it->value < 0 || it->value >= (it->words ? 1 << count : count);
    if (count > 0 && outside)
        allot__read_fail(L, NULL, "default is none of the values");
}

static option read_option(lua_State *L)
{
    allot_attribute made = allot__read_declaration(L);
    const char *type = allot__read_string(L, "type");
    option it = {.name = made.name,
                 .type = made.type,
                 .min = made.min,
                 .max = made.max,
                 .value = made.fallback,
                 .words = type && strcmp(type, "words") == 0};
    read_values(L, &it);
    return it;
}

/* Puts the option's value into the table at `values`. */
static void keep_value(lua_State *L, const option *it, int values)
{
    lua_pushstring(L, it->name);
    if (it->words) {
        lua_createtable(L, 0, it->value_count);
        for (int32_t i = 0; i < it->value_count; i++) {
            lua_pushboolean(L, (int)(it->value >> i & 1));
            lua_setfield(L, -2, it->values[i]);
        }
    } else if (it->value_count > 0) {
        lua_pushstring(L, it->values[it->value]);
    } else if (it->type == ALLOT_BOOLEAN) {
        lua_pushboolean(L, it->value != 0);
    } else {
        lua_pushinteger(L, it->value);
    }
    lua_rawset(L, values);
}

/* ---- What a plan states ---------------------------------------------------------------------- */

/* Reports a fault, which the plan's reader places at the option of that name. */
static bool refuse(const allot__reading *reading, const allot_use_option *use, const char *code,
                   const char *hint, const char *format, ...)
{
    char message[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    allot_diagnostic finding = allot__error(code, message);
    finding.path = use->name;
    finding.hint = hint;
    allot_report_add(reading->report, &finding);
    return false;
}

/* "did you mean ...?" of the nearest of the names, or NULL. */
static const char *advise(const char *name, size_t len, const char *const *names, int32_t count,
                          char *buf, size_t size)
{
    const char *near = allot_nearest(name, len, names, (size_t)count);
    snprintf(buf, size, "did you mean \"%.128s\"?", near ? near : "");
    return near ? buf : NULL;
}

/* The option's values, each between two marks. */
static const char *list_values(const option *it, const char *mark, char *buf, size_t size)
{
    size_t at = 0;
    *buf = '\0';
    for (int32_t i = 0; i < it->value_count; i++) {
        int len = snprintf(buf + at, size - at, "%s%s%.60s%s", i > 0 ? ", " : "", mark,
                           it->values[i], mark);
        at += len > 0 && (size_t)len < size - at ? (size_t)len : 0;
    }
    return buf;
}

static bool take_string(const allot__reading *reading, const allot_use_option *use, option *it)
{
    char hint[200], list[200];
    bool text = use->type == ALLOT_JSON_STRING;
    for (int32_t i = 0; text && i < it->value_count; i++) {
        if (strcmp(use->string, it->values[i]) == 0) {
            it->value = i;
            return true;
        }
    }
    const char *meant = text ? advise(use->string, strlen(use->string), it->values, it->value_count,
                                      hint, sizeof hint)
                             : NULL;
    return refuse(reading, use, text ? "E-range" : "E-type", meant,
                  "option \"%.128s\" of policy \"%.60s\" is one of %s", it->name,
                  allot_policy_name(reading->policy), list_values(it, "\"", list, sizeof list));
}

static bool same_word(const char *word, size_t len, const char *other)
{
    for (size_t i = 0; i < len; i++) {
        char c = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] - 'A' + 'a') : word[i];
        if (c != other[i])
            return false;
    }
    return other[len] == '\0';
}

static bool take_word(const allot__reading *reading, const allot_use_option *use, option *it,
                      const char *word, size_t len)
{
    char hint[200], list[200];
    for (int32_t i = 0; i < it->value_count; i++) {
        if (same_word(word, len, it->values[i])) {
            it->value |= (int64_t)1 << i;
            return true;
        }
    }
    return refuse(reading, use, "E-range",
                  advise(word, len, it->values, it->value_count, hint, sizeof hint),
                  "option \"%.128s\" of policy \"%.60s\": unknown word \"%.*s\"; known are %s",
                  it->name, allot_policy_name(reading->policy), (int)(len < 60 ? len : 60), word,
                  list_values(it, "", list, sizeof list));
}

static bool take_words(const allot__reading *reading, const allot_use_option *use, option *it)
{
    static const char blanks[] = " \t\r\n";
    if (use->type != ALLOT_JSON_STRING && use->type != ALLOT_JSON_WORDS)
        return refuse(reading, use, "E-type", NULL,
                      "option \"%.128s\" of policy \"%.100s\" is a text of words, or a list of "
                      "them",
                      it->name, allot_policy_name(reading->policy));
    bool fine = true;
    it->value = 0;
    for (const char *word = use->string; fine; word += strcspn(word, blanks)) {
        word += strspn(word, blanks);
        if (*word == '\0')
            break;
        fine = take_word(reading, use, it, word, strcspn(word, blanks));
    }
    return fine;
}

static bool take_plain(const allot__reading *reading, const allot_use_option *use, option *it)
{
    bool boolean = it->type == ALLOT_BOOLEAN;
    if (use->type != (boolean ? ALLOT_JSON_BOOLEAN : ALLOT_JSON_INTEGER))
        return refuse(reading, use, "E-type", NULL, "option \"%.128s\" of policy \"%.100s\" is %s",
                      it->name, allot_policy_name(reading->policy),
                      boolean ? "true or false" : "a whole number");
    if (use->integer < it->min || use->integer > it->max)
        return refuse(reading, use, "E-range", NULL,
                      "option \"%.128s\" is %" PRId64 ", allowed is %" PRId64 " ... %" PRId64,
                      it->name, use->integer, it->min, it->max);
    it->value = use->integer;
    return true;
}

/* Is it a parameter of LSF that plans state elsewhere? */
static bool is_parameter(const char *name)
{
    static const char *const names[] = {
        "max_job_preempt",        "max_total_time_preempt", "no_preempt_interval", "hist_hours",
        "no_preempt_finish_time", "no_preempt_run_time",    "preempt_delay",       "half_life",
        "mc_reclaim_delay"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool refuse_unknown(const allot__reading *reading, const allot_use_option *use,
                           const char *const *names, int32_t count)
{
    char hint[200];
    const char *meant = is_parameter(use->name)
                            ? "write it in \"params\" of the plan, or in a queue"
                            : advise(use->name, strlen(use->name), names, count, hint, sizeof hint);
    return refuse(reading, use, "E-unknown-key", meant,
                  "policy \"%.100s\" has no option \"%.128s\"", allot_policy_name(reading->policy),
                  use->name);
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Takes the value that the plan states for one of the options on top, beside their names. */
static bool take(lua_State *L, const allot__reading *reading, const allot_use_option *use,
                 const char *const *names, int32_t count, int values)
{
    int32_t i = 0;
    while (i < count && strcmp(names[i], use->name) != 0)
        i++;
    if (i == count)
        return !use->mine || refuse_unknown(reading, use, names, count);
    lua_rawgeti(L, -1, i + 1);
    option it = read_option(L);
    bool fine = it.words             ? take_words(reading, use, &it)
                : it.value_count > 0 ? take_string(reading, use, &it)
                                     : take_plain(reading, use, &it);
    if (fine)
        keep_value(L, &it, values);
    lua_pop(L, 1);
    return fine;
}

bool allot__read_options(lua_State *L, allot__reading *reading)
{
    const char *names[ALLOT_ATTRIBUTES_MAX];
    bool fine = true;
    lua_newtable(L);
    int values = lua_gettop(L);
    lua_pushvalue(L, values - 1);
    int32_t count = allot__read_list(L, "options", ALLOT_ATTRIBUTES_MAX);
    for (int32_t i = 0; i < count; i++) {
        lua_rawgeti(L, -1, i + 1);
        option it = read_option(L);
        names[i] = it.name;
        keep_value(L, &it, values);
        lua_pop(L, 1);
    }
    for (int32_t i = 0; i < reading->use_count; i++)
        fine = take(L, reading, &reading->use[i], names, count, values) && fine;
    lua_settop(L, values);
    reading->options = luaL_ref(L, LUA_REGISTRYINDEX);
    return fine;
}

/* Replaces the table on top by a copy with unknown keys as errors; `what`: the word for a key. */
static void copy(lua_State *L, const char *what)
{
    int from = lua_gettop(L), to = from + 1;
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, from); lua_settop(L, to + 1)) {
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        if (lua_istable(L, -1))
            copy(L, "word");
        lua_rawset(L, to);
    }
    allot__library_strict(L, what);
    lua_remove(L, from);
}

int allot__read_ruled(lua_State *L, const allot__reading *reading, const char *key)
{
    if (allot__read_push(L, key) == LUA_TFUNCTION) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, reading->options);
        copy(L, "option");
        lua_call(L, 1, 1);
        lua_pushstring(L, key); /* the function is called once, however often the field is read */
        lua_pushvalue(L, -2);
        lua_rawset(L, -4);
    }
    return lua_type(L, -1);
}
