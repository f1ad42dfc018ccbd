/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* names.c: numbers of names and paths, or faults with the nearest name; lists of names. */
#include "json/text/names.h"

#include <stdio.h>
#include <string.h>

#include <allot/queue.h>

#include "base/name.h"

/* The most groups that are candidates for "did you mean". */
#define GROUPS_MAX 128

static void unknown_group(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                          const char *name)
{
    const char *names[GROUPS_MAX];
    char known[160] = "";
    int32_t count = allot_plan_groups(plan);
    size_t len = 0;
    count = count < GROUPS_MAX ? count : GROUPS_MAX;
    names[0] = "default"; /* the group of a plan without groups */
    for (int32_t i = 0; i < count; i++)
        names[i] = allot_plan_group_name(plan, i);
    count = count > 0 ? count : 1;
    for (int32_t i = 0; i < count && len < sizeof known; i++)
        len += (size_t)snprintf(known + len, sizeof known - len, "%s\"%s\"", i > 0 ? ", " : "",
                                names[i]);
    if (len >= sizeof known)
        memcpy(known + sizeof known - 4, "...", 4);
    const char *near = allot_nearest(name, strlen(name), names, (size_t)count);
    allot__doc_fault(doc, spot, "E-unknown-group", allot__doc_hint(doc, near),
                     "found the unknown group %s, allowed %s", allot__doc_quote(doc, spot), known);
}

int32_t allot__group_find(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                          const char *name)
{
    int32_t group = allot_plan_group_find(plan, name, strlen(name));
    if (group < 0 && allot_plan_groups(plan) == 0 && strcmp(name, "default") == 0)
        return 0; /* a plan without groups gets this one */
    if (group < 0)
        unknown_group(doc, plan, spot, name);
    return group;
}

int32_t allot__group_read(allot__doc *doc, const allot_plan *plan, uint32_t object,
                          const allot__value *value)
{
    if (value->kind == ALLOT__STRING)
        return allot__group_find(doc, plan, allot__at(value->number), value->string);
    if (value->number != 0 && value->kind == 0)
        return -1;
    if (allot_plan_groups(plan) <= 1)
        return 0;
    allot__doc_fault(doc, allot__at(object), "E-missing", NULL,
                     "\"group\" is missing: the plan has %d groups", (int)allot_plan_groups(plan));
    return -1;
}

int32_t allot__path_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                         const char *path)
{
    size_t len = strlen(path);
    char near[256];
    int32_t consumer = allot_plan_find(plan, path, len);
    if (consumer >= 0)
        return consumer;
    if (doc->grows && allot_plan_wildcard(plan, path, len) >= 0) {
        doc->faults++;
        doc->newcomers++;
        allot__doc_keep(doc, allot_report_newcomer(doc->report, path));
        return ALLOT_ROOT;
    }
    size_t size = allot_plan_nearest(plan, path, len, near, sizeof near);
    if (size == 0 || size >= sizeof near)
        near[0] = '\0';
    allot__doc_fault(doc, spot, "E-unknown-path", allot__doc_hint(doc, near),
                     "found the path %s, which no consumer of the plan has%s",
                     allot__doc_quote(doc, spot), path[0] == '/' ? "" : "; paths begin with \"/\"");
    return ALLOT_ROOT;
}

int32_t allot__leaf_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                         const char *path)
{
    int32_t consumer = allot__path_read(doc, plan, spot, path);
    const char *name = allot_plan_name(plan, consumer);
    if (name && strcmp(name, ALLOT_WILDCARD) == 0 && allot_plan_queues(plan) == 0) {
        allot__doc_found(doc, spot, "E-wildcard", NULL, "",
                         ", which stands for others, allowed their names in place of \"*\"");
        return ALLOT_ROOT;
    }
    if (consumer < 0 || allot_plan_children(plan, consumer) == 0)
        return consumer;
    allot__doc_found(doc, spot, "E-not-leaf", NULL, "",
                     ", which has children, allowed only consumers without");
    return ALLOT_ROOT;
}

int32_t allot__named_read(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                          const char *name, const allot__named *kind)
{
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX];
    int32_t found = kind->find(plan, name), count = kind->count(plan);
    if (found >= 0)
        return found;
    count = count < NAMES_MAX ? count : NAMES_MAX;
    for (int32_t i = 0; i < count; i++)
        names[i] = kind->at(plan, i);
    const char *near = allot_nearest(name, strlen(name), names, (size_t)count);
    allot__doc_fault(doc, spot, kind->code, allot__doc_hint(doc, near),
                     "found the %s %s, which %s does not have", kind->what,
                     allot__doc_quote(doc, spot), kind->whose);
    return -1;
}

/* ---- Lists of names -------------------------------------------------------------------------- */

static void add(allot__doc *doc, allot__texts *texts, const char *text, uint32_t number)
{
    if (!allot__label_valid(text)) {
        texts->sound = false;
        allot__doc_found(doc, allot__at(number), "E-name", NULL, "",
                         ", allowed names of " ALLOT__LABEL_RULE);
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

/* Cuts a copy of the text at its blanks. */
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
