/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* peers.c: the lists `lend` and `borrow` of consumers (E-2), read once all consumers are known. */
#include "json/plan/plan.h"

#include <string.h>

#include "json/text/names.h"

static const struct {
    const char *key, *limit;
} ways[] = {{"lend", "lend_limit"}, {"borrow", "borrow_limit"}};

/* The consumer that an item of a list names, or -1: a fault (reported). `before` others are
 * in the list already. */
static int32_t read_item(allot__plan_reader *reader, uint32_t item, int32_t consumer,
                         const int32_t *list, int32_t before)
{
    allot__doc *doc = &reader->doc;
    allot__spot spot = allot__at(item);
    if (!allot__kind_check(doc, item, ALLOT__STRING))
        return -1;
    int32_t other = allot__path_read(doc, reader->plan, spot, allot__doc_string(doc, item));
    const char *wrong = other == consumer ? ", the consumer itself, allowed others" : NULL;
    for (int32_t i = 0; i < before && !wrong; i++)
        wrong = list[i] == other ? " again, allowed once" : NULL;
    if (other >= 0 && wrong)
        allot__doc_fault(doc, spot, "E-loan", NULL, "found %s%s", allot__doc_quote(doc, spot),
                         wrong);
    return !wrong ? other : -1;
}

/* The paths of a list, or a single path. */
static void read_paths(allot__plan_reader *reader, const allot__value *value, int32_t where,
                       int32_t consumer, allot__peers_setter set)
{
    allot__doc *doc = &reader->doc;
    bool alone = value->kind == ALLOT__STRING;
    int32_t known = 0, count = alone ? 1 : (int32_t)allot__value_count(doc, value);
    allot__entry_begin(doc);
    int32_t *list = allot__doc_take(doc, (size_t)count + 1, sizeof *list);
    uint32_t it = alone ? value->number : allot__value_in(doc, value);
    while (it && list) {
        list[known] = read_item(reader, it, consumer, list, known);
        known += list[known] >= 0;
        it = alone ? 0 : allot__doc_after(doc, value->number, it);
    }
    if (list && known == count)
        allot__doc_keep(doc, set(reader->plan, where, consumer, list, count));
    allot__entry_end(doc);
}

/* Refuses a text that is neither a path nor a word. */
static void refuse(allot__plan_reader *reader, const allot__value *value)
{
    static const char *const words[] = {"all", "none"};
    allot__doc *doc = &reader->doc;
    char path[256];
    size_t len = strlen(value->string);
    const char *near = allot_nearest(value->string, len, words, 2);
    size_t size = allot_plan_nearest(reader->plan, value->string, len, path, sizeof path);
    if (!near && size > 0 && size < sizeof path)
        near = path;
    allot__doc_found(doc, allot__at(value->number), "E-loan", near, "",
                     ", allowed true, false, \"all\", \"none\", a path or a list of paths");
}

static bool is_word(const allot__value *value, const char *word)
{
    return value->kind == ALLOT__STRING && strcmp(value->string, word) == 0;
}

/* Reads the value of `lend` or `borrow`; values of other kinds were reported before. */
static void read_value(allot__plan_reader *reader, uint32_t number, int32_t where, int32_t consumer,
                       allot__peers_setter set)
{
    allot__doc *doc = &reader->doc;
    allot__value value = allot__value_of(doc, number), only = value;
    if (value.kind == ALLOT__LIST && allot__doc_count(doc, number) == 1)
        only = allot__value_of(doc, number + 1);
    if ((value.kind == ALLOT__BOOLEAN && value.integer != 0) || is_word(&only, "all"))
        allot__doc_keep(doc, set(reader->plan, where, consumer, NULL, -1));
    else if (value.kind == ALLOT__BOOLEAN || is_word(&value, "none"))
        allot__doc_keep(doc, set(reader->plan, where, consumer, NULL, 0));
    else if (value.kind == ALLOT__LIST || (value.kind == ALLOT__STRING && value.string[0] == '/'))
        read_paths(reader, &value, where, consumer, set);
    else if (value.kind == ALLOT__STRING)
        refuse(reader, &value);
}

void allot__peers_object(allot__plan_reader *reader, uint32_t object, int32_t where,
                         int32_t consumer, allot__peers_setter lend, allot__peers_setter borrow)
{
    allot__doc *doc = &reader->doc;
    for (int i = 0; i < 2; i++) {
        allot__peers_setter set = i == 0 ? lend : borrow;
        uint32_t stated = allot__doc_member(doc, object, ways[i].key);
        uint32_t limit = allot__doc_member(doc, object, ways[i].limit);
        if (stated != 0)
            read_value(reader, stated, where, consumer, set);
        else if (limit != 0) /* a stated limit allows loans up to it */
            allot__doc_keep(doc, set(reader->plan, where, consumer, NULL, -1));
    }
}

/* If a consumer's loans are allowed or forbidden elsewhere, a limit alone does not change them. */
static int leave(allot_plan *plan, int32_t where, int32_t consumer, const int32_t *list, int32_t n)
{
    (void)plan, (void)where, (void)consumer, (void)list, (void)n;
    return ALLOT_OK;
}

static bool is_kept(const allot__plan_reader *reader, uint32_t object, int32_t consumer, int way)
{
    const allot__doc *doc = &reader->doc;
    bool faulty;
    uint32_t own = allot__consumer_object(reader, consumer, &faulty);
    return allot__doc_member(doc, object, ways[way].key) == 0 &&
           (allot__doc_member(doc, own, ways[way].key) != 0 ||
            allot__doc_member(doc, own, ways[way].limit) != 0);
}

/* Reads `consumers` of a group's or a window's entry. */
static void read_entry(allot__plan_reader *reader, uint32_t consumers, int32_t where,
                       allot__peers_setter lend, allot__peers_setter borrow)
{
    allot__doc *doc = &reader->doc;
    uint32_t it = consumers != 0 && where >= 0 ? allot__doc_in(doc, consumers) : 0;
    for (; it; it = allot__doc_after(doc, consumers, it)) {
        const char *path = allot__doc_key(doc, it);
        int32_t consumer = allot_plan_find(reader->plan, path, strlen(path));
        if (consumer < 0 || allot__doc_first(doc, it) != '{')
            continue;
        allot__doc_about(doc, reader->plan, consumer, it);
        allot__peers_object(reader, it, where, consumer,
                            is_kept(reader, it, consumer, 0) ? leave : lend,
                            is_kept(reader, it, consumer, 1) ? leave : borrow);
    }
}

void allot__peers_read(allot__plan_reader *reader)
{
    int32_t count = reader->peers ? allot_plan_consumers(reader->plan) : 0;
    for (int32_t i = 0; i < count; i++) {
        bool faulty;
        uint32_t object = allot__consumer_object(reader, i, &faulty);
        allot__doc_about(&reader->doc, reader->plan, i, object);
        allot__peers_object(reader, object, ALLOT_ALL, i, allot_plan_lend, allot_plan_borrow);
    }
    for (size_t i = 0; reader->peers && i < reader->group_count; i++)
        read_entry(reader, reader->groups[i].consumers, reader->groups[i].group, allot_plan_lend,
                   allot_plan_borrow);
    for (size_t i = 0; reader->peers && i < reader->window_count; i++)
        read_entry(reader, reader->windows[i].consumers, reader->windows[i].window,
                   allot_plan_window_lend, allot_plan_window_borrow);
    allot__doc_about(&reader->doc, NULL, 0, 0);
}
