/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* texts.c: lists of names. */
#include "json/text/texts.h"

#include <string.h>

#include "json/text/names.h"

enum { LABEL_MAX = 255 };

void *allot__block_new(allot__doc *doc, size_t count, size_t size)
{
    size_t bytes = (count > 0 ? count : 1) * size;
    void *block = allot_engine_alloc(doc->engine, NULL, 0, bytes);
    if (block)
        memset(block, 0, bytes);
    else
        allot__doc_keep(doc, ALLOT_ENOMEM);
    return block;
}

void allot__block_free(allot__doc *doc, void *block, size_t count, size_t size)
{
    if (block)
        allot_engine_alloc(doc->engine, block, (count > 0 ? count : 1) * size, 0);
}

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
    texts->room = count;
    texts->items = allot__block_new(doc, count, sizeof *texts->items);
    texts->numbers = allot__block_new(doc, count, sizeof *texts->numbers);
    return texts->items && texts->numbers;
}

static void read_list(allot__doc *doc, uint32_t number, allot__texts *texts)
{
    static const allot__field name = {NULL, ALLOT__STRING, 0, 0, false, false};
    if (!make_room(doc, texts, (size_t)allot__doc_items(doc, number)) ||
        allot__doc_parse(doc, number, &texts->node))
        return;
    for (const cJSON *it = texts->node->child; it; it = it->next) {
        allot__value value = allot__value_read(doc, it, &name);
        texts->sound = texts->sound && value.kind != 0;
        if (value.kind != 0)
            add(doc, texts, value.string, value.number);
    }
}

/* The text is cut at its blanks, in a copy. */
static void read_text(allot__doc *doc, const allot__value *value, allot__texts *texts)
{
    size_t len = strlen(value->string);
    texts->copied = len + 1;
    texts->copy = allot__block_new(doc, len + 1, 1);
    if (!texts->copy || !make_room(doc, texts, len / 2 + 1))
        return;
    memcpy(texts->copy, value->string, len + 1);
    for (char *at = texts->copy; *at != '\0';) {
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

void allot__texts_free(allot__doc *doc, allot__texts *texts)
{
    allot__block_free(doc, texts->items, texts->room, sizeof *texts->items);
    allot__block_free(doc, texts->numbers, texts->room, sizeof *texts->numbers);
    allot__block_free(doc, texts->copy, texts->copied, 1);
    cJSON_Delete(texts->node);
    *texts = (allot__texts){0};
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
