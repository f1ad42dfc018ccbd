/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lexer.c: the words of a script's text. */
#include "script/sandbox/lexer.h"

#include <ctype.h>
#include <string.h>

bool allot__lexeme_is(const allot__lexeme *it, const char *text)
{
    return it->text && it->len == strlen(text) && memcmp(it->text, text, it->len) == 0;
}

bool allot__lexeme_in(const allot__lexeme *it, const char *const *list)
{
    while (*list && !allot__lexeme_is(it, *list))
        list++;
    return *list != NULL;
}

static void skip(allot__lexer *from, size_t count)
{
    for (; count > 0 && from->at < from->end; count--)
        from->line += *from->at++ == '\n';
}

/* The bytes of a long bracket that begins here, "[==[ ... ]==]"; 0: none does. */
static size_t long_bracket(const allot__lexer *from)
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

static size_t quoted(const allot__lexer *from)
{
    size_t left = (size_t)(from->end - from->at), i = 1;
    while (i < left && from->at[i] != from->at[0] && from->at[i] != '\n')
        i += from->at[i] == '\\' ? 2 : 1;
    return i < left ? i + 1 : left;
}

/* Comments and blanks. */
static void skip_blank(allot__lexer *from)
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

static size_t length(const allot__lexer *from)
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
    allot__lexeme two = {from->at, 2, 0};
    return left >= 2 && allot__lexeme_in(&two, marks) ? 2 : 1;
}

allot__lexeme allot__lexer_next(allot__lexer *from)
{
    skip_blank(from);
    if (from->at == from->end)
        return (allot__lexeme){NULL, 0, from->line};
    allot__lexeme made = {from->at, length(from), from->line};
    skip(from, made.len);
    return made;
}

allot__lexer allot__lexer_at(const char *text, size_t len, int32_t line)
{
    allot__lexer from = {text, text + len, 1};
    while (from.line < line && from.at < from.end) {
        const char *stop = memchr(from.at, '\n', (size_t)(from.end - from.at));
        from.at = stop ? stop + 1 : from.end;
        from.line++;
    }
    return from;
}

int allot__lexeme_depth(const allot__lexeme *it, const char *const *opening,
                        const char *const *closing)
{
    return allot__lexeme_in(it, opening) ? 1 : allot__lexeme_in(it, closing) ? -1 : 0;
}

/* ---- Keys ---------------------------------------------------------------------------------- */

/* Behind the brace that opens a table: comes to the key of it, which is in *key; false: to its end.
 */
static bool find_key(allot__lexer *from, const char *name, allot__lexeme *key)
{
    static const char *const opening[] = {"{", "(", "[", "function", "if", "do", "repeat", NULL};
    static const char *const closing[] = {"}", ")", "]", "end", "until", NULL};
    int depth = 1;
    for (allot__lexeme it = allot__lexer_next(from); it.text && depth > 0;
         it = allot__lexer_next(from)) {
        allot__lexer behind = *from;
        allot__lexeme next = allot__lexer_next(&behind);
        if (depth == 1 && allot__lexeme_is(&it, name) && allot__lexeme_is(&next, "=")) {
            *from = behind;
            *key = it;
            return true;
        }
        depth += allot__lexeme_depth(&it, opening, closing);
    }
    return false;
}

static int32_t column_of(const char *text, const allot__lexeme *key)
{
    const char *begin = key->text;
    while (begin > text && begin[-1] != '\n')
        begin--;
    return (int32_t)(key->text - begin) + 1;
}

bool allot__lexer_key(const char *text, size_t len, int32_t line, const char *name,
                      const char *const *path, int32_t *out_line, int32_t *out_col)
{
    allot__lexer from = allot__lexer_at(text, len, line);
    allot__lexeme it = allot__lexer_next(&from), key;
    bool found = false;
    while (it.text && it.line == line && !allot__lexeme_is(&it, name))
        it = allot__lexer_next(&from);
    for (; *path && allot__lexeme_is(&it, found ? "=" : name); path++) {
        it = allot__lexer_next(&from);
        if (!found && allot__lexeme_is(&it, "("))
            it = allot__lexer_next(&from);
        if (!allot__lexeme_is(&it, "{") || !find_key(&from, *path, &key))
            break;
        found = true;
        *out_line = key.line;
        *out_col = column_of(text, &key);
        it = (allot__lexeme){"=", 1, key.line};
    }
    return found;
}
