/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* texts.c: lists of names. */
#include "json/text/texts.h"

#include <string.h>

#include "json/text/names.h"

enum { LABEL_MAX = 255 };

bool allot__is_label(const char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return len > 0 && len <= LABEL_MAX;
}

static void add(allot__doc *doc, allot__texts *texts, const char *text, uint32_t number)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    if (!allot__is_label(text)) {
        texts->sound = false;
        allot__doc_fault(doc, allot__at(number), "E-name", NULL,
                         "found %s, allowed names of " ALLOT__LABEL_RULE,
                         allot__doc_quote(doc, allot__at(number), quote));
        return;
    }
    texts->items[texts->count] = text;
    texts->numbers[texts->count++] = number;
}

static bool make_room(allot__doc *doc, allot__texts *texts, size_t count)
{
    texts->items = allot__doc_take(doc, count, sizeof *texts->items);
    texts->numbers = allot__doc_take(doc, count, sizeof *texts->numbers);
    return texts->items && texts->numbers;
}

static void read_list(allot__doc *doc, uint32_t list, allot__texts *texts)
{
    static const allot__field name = {.kinds = ALLOT__STRING};
    if (!make_room(doc, texts, allot__doc_count(doc, list)))
        return;
    for (uint32_t it = allot__doc_in(doc, list); it; it = allot__doc_after(doc, list, it)) {
        allot__value value = allot__value_read(doc, it, &name);
        texts->sound = texts->sound && value.kind != 0;
        if (value.kind != 0)
            add(doc, texts, value.string, it);
    }
}

/* The text is cut at its blanks, in a copy. */
static void read_text(allot__doc *doc, const allot__value *value, allot__texts *texts)
{
    size_t len = strlen(value->string);
    char *copy = allot__doc_take(doc, len + 1, 1);
    if (!copy || !make_room(doc, texts, len / 2 + 1))
        return;
    memcpy(copy, value->string, len + 1);
    for (char *at = copy; *at != '\0';) {
        size_t blank = strspn(at, " \t"), word = strcspn(at + blank, " \t");
        char *from = at + blank;
        at = from + word + (from[word] != '\0');
        from[word] = '\0';
        if (word > 0)
            add(doc, texts, from, value->number);
    }
}

void allot__texts_read(allot__doc *doc, const allot__value *value, allot__texts *out)
{
    *out = (allot__texts){.sound = value->number == 0 || value->kind != 0};
    if (value->kind == ALLOT__LIST)
        read_list(doc, value->number, out);
    else if (value->kind == ALLOT__STRING)
        read_text(doc, value, out);
}

void allot__texts_some(allot__doc *doc, const allot__value *value, const allot__texts *texts)
{
    if (value->number != 0 && texts->sound && texts->count == 0)
        allot__doc_fault(doc, allot__at(value->number), "E-range", NULL,
                         "found nothing in the list, allowed names");
}

/* ---- Words ----------------------------------------------------------------------------------- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool allot__word_is(const char *text, const char *word)
{
    size_t i = 0;
    while (text[i] != '\0' && lower(text[i]) == lower(word[i]))
        i++;
    return text[i] == word[i];
}
