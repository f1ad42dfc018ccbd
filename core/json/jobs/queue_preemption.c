/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue_preemption.c: what a queue says of who preempts whom (P-1). */
#include <string.h>

#include "json/jobs/queues.h"

/* "low+2": cuts the level off. */
static void split_level(allot__doc *doc, char *text, uint32_t number, allot_prefers *out)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    char *plus = strchr(text, '+');
    *out = (allot_prefers){.queue = text};
    if (!plus)
        return;
    *plus = '\0';
    size_t digits = strspn(plus + 1, "0123456789");
    for (size_t i = 1; i <= digits && i <= 9; i++)
        out->level = out->level * 10 + (plus[i] - '0');
    if (digits < 1 || digits > 9 || plus[digits + 1] != '\0' || out->level == 0 || plus == text)
        allot__doc_fault(doc, allot__at(number), "E-range", NULL,
                         "found %s, allowed a queue's name, perhaps with a level 1 ... behind "
                         "\"+\", as in \"low+2\"",
                         allot__doc_quote(doc, allot__at(number), quote));
}

/* Names become queues with levels, in copies of their own. */
static void take_levels(allot__doc *doc, const allot__texts *low, allot_queue *queue)
{
    allot_prefers *prefers = allot__doc_take(doc, (size_t)low->count, sizeof *prefers);
    for (int32_t i = 0; i < low->count && prefers; i++) {
        size_t size = strlen(low->items[i]) + 1;
        char *name = allot__doc_take(doc, size, 1);
        if (!name)
            return;
        memcpy(name, low->items[i], size);
        split_level(doc, name, low->numbers[i], &prefers[i]);
        queue->low_count = i + 1;
    }
    queue->low = prefers;
}

/* One of the two keys: true, false, or names. */
static void take_side(allot__doc *doc, const allot__value *value, allot__texts *texts, int32_t *out)
{
    allot__texts_read(doc, value, texts);
    bool named = value->kind == ALLOT__LIST || value->kind == ALLOT__STRING;
    if (named)
        allot__texts_some(doc, value, texts);
    *out = named || (value->kind == ALLOT__BOOLEAN && value->integer != 0);
}

/* The names in brackets behind a keyword at *at, if there are brackets; false: they do not end. */
static bool bracket(const char **at, const char **from, size_t *len)
{
    *len = 0;
    if (**at != '[')
        return true;
    *from = *at + 1;
    *len = strcspn(*from, "]");
    *at = *from + *len;
    return *(*at)++ == ']';
}

/* LSF's own text: "PREEMPTIVE[low+1 mid] PREEMPTABLE[high]" (P-1). */
typedef struct preemption {
    bool stated[2]; /* preemptive, preemptable */
    char *names[2]; /* NULL: no list */
} preemption;

static bool parse_preemption(const char *text, preemption *out)
{
    static const char *const words[] = {"PREEMPTIVE", "PREEMPTABLE"};
    char *copy = out->names[0];
    out->names[0] = NULL;
    for (const char *at = text + strspn(text, " \t"); *at != '\0'; at += strspn(at, " \t")) {
        const char *from;
        size_t len;
        int side = strncmp(at, words[1], strlen(words[1])) == 0;
        if (strncmp(at, words[side], strlen(words[side])) != 0 || out->stated[side])
            return false;
        out->stated[side] = true;
        at += strlen(words[side]);
        if (!bracket(&at, &from, &len))
            return false;
        if (len > 0) {
            memcpy(copy, from, len);
            copy[len] = '\0';
            out->names[side] = copy;
            copy += len + 1;
        }
    }
    return out->stated[0] || out->stated[1];
}

static void take_text(allot__doc *doc, const allot__value *value, allot__texts *low,
                      allot__texts *high, allot_queue *queue)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    preemption said = {.names[0] = allot__doc_take(doc, strlen(value->string) + 2, 1)};
    if (!said.names[0])
        return;
    if (!parse_preemption(value->string, &said)) {
        allot__doc_fault(doc, allot__at(value->number), "E-range", NULL,
                         "found %s, allowed as in \"PREEMPTIVE[low+1 mid] PREEMPTABLE[high]\"",
                         allot__doc_quote(doc, allot__at(value->number), quote));
        said = (preemption){0};
    }
    allot__value sides[2];
    for (int i = 0; i < 2; i++)
        sides[i] = (allot__value){.number = value->number,
                                  .kind = said.names[i] ? ALLOT__STRING : ALLOT__BOOLEAN,
                                  .integer = said.stated[i],
                                  .string = said.names[i]};
    take_side(doc, &sides[0], low, &queue->preemptive);
    take_side(doc, &sides[1], high, &queue->preemptable);
}

void allot__preemption_take(allot__doc *doc, const allot__value *text,
                            const allot__value *preemptive, const allot__value *preemptable,
                            allot_queue *queue)
{
    allot__texts low = {0}, high = {0};
    const allot__value *other = preemptive->number != 0 ? preemptive : preemptable;
    if (text->number != 0 && other->number != 0)
        allot__doc_fault(doc, allot__at_key(other->number), "E-conflict", NULL,
                         "found what \"preemption\" says too, allowed one of them");
    else if (text->kind == ALLOT__STRING)
        take_text(doc, text, &low, &high, queue);
    else
        take_side(doc, preemptive, &low, &queue->preemptive);
    if (text->number == 0)
        take_side(doc, preemptable, &high, &queue->preemptable);
    queue->high = high.items;
    queue->high_count = high.count;
    take_levels(doc, &low, queue);
}
