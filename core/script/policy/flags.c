/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * flags.c: finds functions that take a boolean for a number.
 *
 * Lua compares a boolean with a number and says that they differ: `vip == 1` never holds, and
 * nothing fails. So the text of a function is read, from the line on which it begins to its end,
 * for a comparison or an arithmetic operator beside such a name. Doubtful cases pass: Lua reports
 * most of them when it runs.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "script/policy/read.h"
#include "script/sandbox/lexer.h"

/* ---- The function ---------------------------------------------------------------------------- */

static bool is_number(const allot__lexeme *it)
{
    return it->text && isdigit((unsigned char)it->text[0]);
}

/* Its parameters as its text has them: (a, b). The function is on top. */
static bool same_parameters(lua_State *L, allot__lexer *from)
{
    allot__lexeme it = allot__lexer_next(from);
    while (it.text && !allot__lexeme_is(&it, "(")) /* its name */
        it = allot__lexer_next(from);
    const char *name;
    for (int n = 1; (name = lua_getlocal(L, NULL, n)); n++) {
        it = allot__lexer_next(from);
        if (n > 1 && allot__lexeme_is(&it, ","))
            it = allot__lexer_next(from);
        if (!allot__lexeme_is(&it, name))
            return false;
    }
    it = allot__lexer_next(from);
    return allot__lexeme_is(&it, ")");
}

/* Comes to the body of the function on top, which begins on that line; false: not found. */
static bool find_body(lua_State *L, int32_t line, allot__lexer *from)
{
    for (allot__lexeme it = allot__lexer_next(from); it.text && it.line <= line;
         it = allot__lexer_next(from)) {
        allot__lexer behind = *from;
        if (allot__lexeme_is(&it, "function") && it.line == line && same_parameters(L, &behind)) {
            *from = behind;
            return true;
        }
    }
    return false;
}

/* ---- What stands beside a name --------------------------------------------------------------- */

/* Words before and behind the one that is looked at. */
enum { BEFORE = 4, WINDOW = 8 };

typedef struct body {
    lua_State *L;
    const allot__flags *flags;
    allot__lexer from;
    int depth;
    allot__lexeme window[WINDOW];
} body;

static int deeper(const allot__lexeme *it)
{
    static const char *const opening[] = {"function", "if", "do", "repeat", NULL};
    static const char *const closing[] = {"end", "until", NULL};
    return allot__lexeme_depth(it, opening, closing);
}

/* Goes on by a word; false: the body is at its end. */
static bool step(body *it)
{
    memmove(it->window, it->window + 1, sizeof it->window - sizeof *it->window);
    allot__lexeme *last = &it->window[WINDOW - 1];
    *last = (allot__lexeme){NULL, 0, 0};
    if (it->depth > 0) {
        *last = allot__lexer_next(&it->from);
        it->depth = last->text ? it->depth + deeper(last) : 0;
    }
    for (int i = BEFORE; i < WINDOW; i++)
        if (it->window[i].text)
            return true;
    return false;
}

/* The place of the lexeme among the function's parameters, from 1; 0: not a parameter. */
static int parameter_of(lua_State *L, const allot__lexeme *it)
{
    const char *name;
    for (int n = 1; (name = lua_getlocal(L, NULL, n)); n++)
        if (allot__lexeme_is(it, name))
            return n;
    return 0;
}

/* Is the parameter bound again in the body: assigned to, or a local of that name? */
static bool bound_again(body copy, const char *name)
{
    static const char *const binds[] = {"local", "for", NULL};
    const allot__lexeme *at = &copy.window[BEFORE];
    while (step(&copy))
        if (allot__lexeme_is(at, name) &&
            (allot__lexeme_in(at - 1, binds) || allot__lexeme_is(at + 1, "=") ||
             (allot__lexeme_is(at - 1, "(") &&
              (allot__lexeme_is(at - 2, "function") || allot__lexeme_is(at - 3, "function")))))
            return true;
    return false;
}

/* Is what stands from `first` to `last` an operand of something that wants numbers? */
static bool as_number(const allot__lexeme *first, const allot__lexeme *last)
{
    static const char *const sums[] = {"+", "-", "*", "/",  "//", "%",
                                       "^", "<", ">", "<=", ">=", NULL};
    static const char *const equal[] = {"==", "~=", NULL};
    const allot__lexeme *right = last + 2;
    if (allot__lexeme_in(first - 1, sums) || allot__lexeme_in(last + 1, sums))
        return true;
    if (allot__lexeme_in(last + 1, equal) && allot__lexeme_is(right, "-"))
        right++;
    return (allot__lexeme_in(first - 1, equal) && is_number(first - 2)) ||
           (allot__lexeme_in(last + 1, equal) && is_number(right));
}

static void look(body *it, const body *begin)
{
    const allot__lexeme *at = &it->window[BEFORE], *first = it->flags->fields ? at - 2 : at;
    char name[ALLOT_NAME_MAX + 1], place[LUA_IDSIZE + 16];
    bool field = allot__lexeme_is(at - 1, ".") || allot__lexeme_is(at - 1, ":");
    if (!at->text || at->len > ALLOT_NAME_MAX || field != it->flags->fields ||
        allot__lexeme_is(first - 1, ".") || !parameter_of(it->L, first))
        return;
    snprintf(name, sizeof name, "%.*s", (int)first->len, first->text);
    if (!as_number(first, at) || bound_again(*begin, name))
        return;
    snprintf(name, sizeof name, "%.*s", (int)at->len, at->text);
    if (!it->flags->is_flag(it->flags->ud, name))
        return;
    snprintf(place, sizeof place, "%s:%d: ", it->flags->script->box.source, (int)at->line);
    allot__read_fail(it->L, place,
                     "'%s' is true or false, and no number; write %s, not %s, or (%s and 1 or 0)",
                     name, name, name, name);
}

void allot__flags_read(lua_State *L, const allot__flags *flags, int32_t line)
{
    body begin = {.L = L,
                  .flags = flags,
                  .depth = 1,
                  .from = allot__lexer_at(flags->script->text, flags->script->text_len, line)};
    if (!find_body(L, line, &begin.from))
        return;
    for (body it = begin; step(&it);)
        look(&it, &begin);
}

/* ---- Columns --------------------------------------------------------------------------------- */

static bool is_flag(const void *ud, const char *name)
{
    const allot__reading *reading = ud;
    int32_t column = allot__read_column(reading->policy, reading->rows, name);
    return column >= 0 && allot__read_flag(reading->policy, reading->rows, column);
}

void allot__flags_columns(lua_State *L, const allot__reading *reading, const allot__call *call)
{
    allot__flags flags = {reading->script, call->view, is_flag, reading};
    if (call->flags && call->line > 0)
        allot__flags_read(L, &flags, call->line);
}

void allot__flags_source(lua_State *L, const allot__reading *reading, const char *at,
                         const char *role, int32_t column)
{
    const char *name = allot__read_column_name(reading->policy, reading->rows, column);
    if (!allot__read_flag(reading->policy, reading->rows, column) || strcmp(role, "key") == 0)
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
