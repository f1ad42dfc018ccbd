/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * flags.c: where a function takes for a number what is true or false.
 *
 * Lua compares a boolean with a number and says that they differ: `vip == 1` never holds, and
 * nothing fails. So the text of a function is read, from the line on which it begins to its end,
 * for a comparison or an arithmetic operator beside such a name. What is not plainly one is let
 * pass: Lua tells of most of that when it runs.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "script/script.h"

/* ---- Words of Lua -------------------------------------------------------------------------- */

typedef struct word {
    const char *text; /* in the script's; NULL: the end */
    size_t len;
    int32_t line;
} word;

typedef struct reader {
    const char *at, *end;
    int32_t line;
} reader;

static bool is(const word *it, const char *text)
{
    return it->text && it->len == strlen(text) && memcmp(it->text, text, it->len) == 0;
}

static bool is_any(const word *it, const char *const *list)
{
    while (*list && !is(it, *list))
        list++;
    return *list != NULL;
}

static bool is_number(const word *it)
{
    return it->text && isdigit((unsigned char)it->text[0]);
}

static void skip(reader *from, size_t count)
{
    for (; count > 0 && from->at < from->end; count--)
        from->line += *from->at++ == '\n';
}

/* The bytes of a long bracket that begins here, "[==[ ... ]==]"; 0: none does. */
static size_t long_bracket(const reader *from)
{
    size_t left = (size_t)(from->end - from->at), level = 0;
    if (left < 2 || from->at[0] != '[')
        return 0;
    while (level + 1 < left && from->at[level + 1] == '=')
        level++;
    if (level + 1 >= left || from->at[level + 1] != '[')
        return 0;
    for (size_t i = level + 2; i + level + 1 < left; i++) {
        size_t same = 0;
        while (from->at[i] == ']' && same < level && from->at[i + 1 + same] == '=')
            same++;
        if (from->at[i] == ']' && same == level && from->at[i + 1 + level] == ']')
            return i + level + 2;
    }
    return left;
}

static size_t quoted(const reader *from)
{
    size_t left = (size_t)(from->end - from->at), i = 1;
    while (i < left && from->at[i] != from->at[0] && from->at[i] != '\n')
        i += from->at[i] == '\\' ? 2 : 1;
    return i < left ? i + 1 : left;
}

/* Comments and blanks. */
static void skip_blank(reader *from)
{
    while (from->at < from->end) {
        if (isspace((unsigned char)*from->at)) {
            skip(from, 1);
        } else if (from->end - from->at >= 2 && from->at[0] == '-' && from->at[1] == '-') {
            skip(from, 2);
            size_t comment = long_bracket(from);
            const char *stop = memchr(from->at, '\n', (size_t)(from->end - from->at));
            skip(from, comment ? comment : (size_t)((stop ? stop : from->end) - from->at));
        } else {
            return;
        }
    }
}

static size_t length(const reader *from)
{
    static const char *const marks[] = {"==", "~=", "<=", ">=", "<<", ">>", "//", "..", NULL};
    size_t left = (size_t)(from->end - from->at), len = 0;
    unsigned char first = (unsigned char)from->at[0];
    if (first == '"' || first == '\'')
        return quoted(from);
    if (first == '[' && long_bracket(from))
        return long_bracket(from);
    bool number = isdigit(first);
    while (len < left && (isalnum((unsigned char)from->at[len]) || from->at[len] == '_' ||
                          (number && from->at[len] == '.')))
        len++;
    if (len > 0)
        return len;
    word two = {from->at, 2, 0};
    return left >= 2 && is_any(&two, marks) ? 2 : 1;
}

static word next_word(reader *from)
{
    skip_blank(from);
    if (from->at == from->end)
        return (word){NULL, 0, from->line};
    word made = {from->at, length(from), from->line};
    skip(from, made.len);
    return made;
}

/* ---- The function -------------------------------------------------------------------------- */

/* Its parameters as its text has them: (a, b). The function is on top. */
static bool same_parameters(lua_State *L, reader *from)
{
    word it = next_word(from);
    while (it.text && !is(&it, "(")) /* its name */
        it = next_word(from);
    const char *name;
    for (int n = 1; (name = lua_getlocal(L, NULL, n)) != NULL; n++) {
        it = next_word(from);
        if (n > 1 && is(&it, ","))
            it = next_word(from);
        if (!is(&it, name))
            return false;
    }
    it = next_word(from);
    return is(&it, ")");
}

/* Comes to the body of the function on top, which begins on that line; false: it is not found. */
static bool find_body(lua_State *L, int32_t line, reader *from)
{
    for (word it = next_word(from); it.text && it.line <= line; it = next_word(from)) {
        reader behind = *from;
        if (is(&it, "function") && it.line == line && same_parameters(L, &behind)) {
            *from = behind;
            return true;
        }
    }
    return false;
}

static reader reader_at(const allot__script *script, int32_t line)
{
    reader from = {script->text, script->text + script->text_len, 1};
    while (from.line < line && from.at < from.end) {
        const char *stop = memchr(from.at, '\n', (size_t)(from.end - from.at));
        from.at = stop ? stop + 1 : from.end;
        from.line++;
    }
    return from;
}

/* ---- What stands beside a name ------------------------------------------------------------- */

/* Words before and behind the one that is looked at. */
enum { BEFORE = 4, WINDOW = 8 };

typedef struct body {
    lua_State *L;
    const allot__flags *flags;
    reader from;
    int depth;
    word window[WINDOW];
} body;

static int deeper(const word *it)
{
    static const char *const opening[] = {"function", "if", "do", "repeat", NULL};
    static const char *const closing[] = {"end", "until", NULL};
    return is_any(it, opening) ? 1 : is_any(it, closing) ? -1 : 0;
}

/* Goes on by a word; false: the body is at its end. */
static bool step(body *it)
{
    memmove(it->window, it->window + 1, sizeof it->window - sizeof *it->window);
    word *last = &it->window[WINDOW - 1];
    *last = (word){NULL, 0, 0};
    if (it->depth > 0) {
        *last = next_word(&it->from);
        it->depth = last->text ? it->depth + deeper(last) : 0;
    }
    for (int i = BEFORE; i < WINDOW; i++)
        if (it->window[i].text)
            return true;
    return false;
}

/* The place of the word among the function's parameters, from 1; 0: it is none. */
static int parameter_of(lua_State *L, const word *it)
{
    const char *name;
    for (int n = 1; (name = lua_getlocal(L, NULL, n)) != NULL; n++)
        if (is(it, name))
            return n;
    return 0;
}

/* Is the parameter bound again in the body: assigned to, or a local of that name? */
static bool bound_again(body copy, const char *name)
{
    static const char *const binds[] = {"local", "for", NULL};
    const word *at = &copy.window[BEFORE];
    while (step(&copy)) {
        if (is(at, name) &&
            (is_any(at - 1, binds) || is(at + 1, "=") ||
             (is(at - 1, "(") && (is(at - 2, "function") || is(at - 3, "function")))))
            return true;
    }
    return false;
}

/* Is what stands from `first` to `last` an operand of something that wants numbers? */
static bool as_number(const word *first, const word *last)
{
    static const char *const sums[] = {"+", "-", "*", "/",  "//", "%",
                                       "^", "<", ">", "<=", ">=", NULL};
    static const char *const equal[] = {"==", "~=", NULL};
    const word *right = last + 2;
    if (is_any(first - 1, sums) || is_any(last + 1, sums))
        return true;
    if (is_any(last + 1, equal) && is(right, "-"))
        right++;
    return (is_any(first - 1, equal) && is_number(first - 2)) ||
           (is_any(last + 1, equal) && is_number(right));
}

static void look(body *it, const body *begin)
{
    const word *at = &it->window[BEFORE], *first = it->flags->fields ? at - 2 : at;
    char name[ALLOT_NAME_MAX + 1], place[LUA_IDSIZE + 16];
    bool field = is(at - 1, ".") || is(at - 1, ":");
    if (!at->text || at->len > ALLOT_NAME_MAX || field != it->flags->fields || is(first - 1, ".") ||
        !parameter_of(it->L, first))
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
    body begin = {.L = L, .flags = flags, .depth = 1, .from = reader_at(flags->script, line)};
    if (!find_body(L, line, &begin.from))
        return;
    for (body it = begin; step(&it);)
        look(&it, &begin);
}

/* ---- Columns ------------------------------------------------------------------------------- */

static bool is_flag(const void *ud, const char *name)
{
    const allot__reading *reading = ud;
    int32_t i = 0, count = allot__read_columns(reading->draft, reading->rows);
    while (i < count &&
           strcmp(allot__read_column_name(reading->draft, reading->rows, i), name) != 0)
        i++;
    return i < count && allot__read_flag(reading->draft, reading->rows, i);
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
    const char *name = allot__read_column_name(reading->draft, reading->rows, column);
    if (!allot__read_flag(reading->draft, reading->rows, column) || strcmp(role, "key") == 0)
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
