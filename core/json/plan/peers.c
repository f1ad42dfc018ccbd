/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* peers.c: whom consumers lend to and borrow from (E-2); once all consumers are known. */
#include "json/plan/plan.h"

#include <string.h>

#include "json/text/names.h"

static const struct {
    const char *key, *limit;
} ways[] = {{"lend", "lend_limit"}, {"borrow", "borrow_limit"}};

bool allot__peers_limit(const char *column)
{
    return strcmp(column, ways[0].limit) == 0 || strcmp(column, ways[1].limit) == 0;
}

/* The consumer that an item of a list names, or -1: a fault, which is said. `before` others are
 * in the list already. */
static int32_t read_item(allot__plan_reader *reader, uint32_t item, int32_t consumer,
                         const int32_t *list, int32_t before)
{
    allot__doc *doc = &reader->doc;
    allot__spot spot = allot__at(item);
    char quote[ALLOT__QUOTE_MAX + 4];
    cJSON *node;
    if (!allot__kind_check(doc, item, ALLOT__STRING) || allot__doc_parse(doc, item, &node))
        return -1;
    int32_t other = allot__path_read(doc, reader->plan, spot, node->valuestring);
    cJSON_Delete(node);
    const char *wrong = other == consumer ? ", the consumer itself, allowed others" : NULL;
    for (int32_t i = 0; i < before && !wrong; i++)
        wrong = list[i] == other ? " again, allowed once" : NULL;
    if (other >= 0 && wrong)
        allot__doc_fault(doc, spot, "E-loan", NULL, "found %s%s",
                         allot__doc_quote(doc, spot, quote), wrong);
    return !wrong ? other : -1;
}

/* Is a value, as written, that word? */
static bool is_word(const allot__doc *doc, uint32_t number, const char *word)
{
    size_t len, size = strlen(word);
    const char *text = allot__doc_text(doc, number, &len);
    return len == size + 2 && text[0] == '"' && memcmp(text + 1, word, size) == 0;
}

/* The items from `item` on, `count` of them: those of a list, or a path alone. */
static void read_paths(allot__plan_reader *reader, uint32_t item, int32_t count, int32_t where,
                       int32_t consumer, allot__peers_setter set)
{
    allot__doc *doc = &reader->doc;
    int32_t known = 0;
    size_t room = (size_t)count + 1;
    int32_t *list = allot__block_new(doc, room, sizeof *list);
    for (int32_t i = 0; i < count && list; i++, item = allot__doc_next(doc, item)) {
        list[known] = read_item(reader, item, consumer, list, known);
        known += list[known] >= 0;
    }
    if (list && known == count)
        allot__doc_keep(doc, set(reader->plan, where, consumer, list, count));
    allot__block_free(doc, list, room, sizeof *list);
}

/* A text that is neither a path nor a word. */
static void refuse(allot__plan_reader *reader, uint32_t number)
{
    static const char *const words[] = {"all", "none"};
    allot__doc *doc = &reader->doc;
    char quote[ALLOT__QUOTE_MAX + 4], path[256], hint[300];
    size_t len;
    const char *text = allot__doc_text(doc, number, &len);
    const char *near = allot_nearest(text + 1, len - 2, words, 2);
    size_t size = allot_plan_nearest(reader->plan, text + 1, len - 2, path, sizeof path);
    if (!near && size > 0 && size < sizeof path)
        near = path;
    allot__doc_fault(doc, allot__at(number), "E-loan",
                     allot__did_you_mean(near ? near : "", hint, sizeof hint),
                     "found %s, allowed true, false, \"all\", \"none\", a path or a list of paths",
                     allot__doc_quote(doc, allot__at(number), quote));
}

/* What stands under `lend` or `borrow`, of a kind that is allowed there. */
static void read_value(allot__plan_reader *reader, uint32_t number, int32_t where, int32_t consumer,
                       allot__peers_setter set)
{
    allot__doc *doc = &reader->doc;
    char first = allot__doc_first(doc, number);
    int32_t items = first == '[' ? allot__doc_items(doc, number) : 0;
    size_t len;
    const char *text = allot__doc_text(doc, number, &len);
    if (first == 't' || is_word(doc, number, "all") ||
        (items == 1 && is_word(doc, number + 1, "all")))
        allot__doc_keep(doc, set(reader->plan, where, consumer, NULL, -1));
    else if (first == 'f' || is_word(doc, number, "none"))
        allot__doc_keep(doc, set(reader->plan, where, consumer, NULL, 0));
    else if (first == '[')
        read_paths(reader, number + 1, items, where, consumer, set);
    else if (first == '"' && (text[1] == '/' || text[1] == '\\')) /* escaped */
        read_paths(reader, number, 1, where, consumer, set);
    else if (first == '"') /* what is of another kind was said before */
        refuse(reader, number);
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
        else if (limit != 0) /* who states a limit lends, or borrows, up to it */
            allot__doc_keep(doc, set(reader->plan, where, consumer, NULL, -1));
    }
}

/* Where somebody lends already, or says that it does not, a limit alone changes nothing else. */
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

/* What a group's or a window's entry says under `consumers`. */
static void read_entry(allot__plan_reader *reader, uint32_t consumers, int32_t where,
                       allot__peers_setter lend, allot__peers_setter borrow)
{
    cJSON *node;
    if (consumers == 0 || where < 0 || allot__doc_parse(&reader->doc, consumers, &node))
        return;
    for (const cJSON *it = node->child; it; it = it->next) {
        int32_t consumer = allot_plan_find(reader->plan, it->string, strlen(it->string));
        uint32_t number = (uint32_t)it->valueint;
        if (consumer >= 0 && number != 0 && allot__doc_first(&reader->doc, number) == '{') {
            allot__doc_about(&reader->doc, reader->plan, consumer, number);
            allot__peers_object(reader, number, where, consumer,
                                is_kept(reader, number, consumer, 0) ? leave : lend,
                                is_kept(reader, number, consumer, 1) ? leave : borrow);
        }
    }
    cJSON_Delete(node);
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
