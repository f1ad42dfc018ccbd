/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* options.c: `options`, and keys beside a policy's name, for the core or for policies. */
#include "json/plan/plan.h"

#include <stdio.h>
#include <string.h>

/* Options of every plan besides the core's: those of ready-made policies. A policy ignores those
 * that it does not declare. */
static const allot__field plan_options[] = {
    {"reclaim_before_borrow", ALLOT__BOOLEAN, 0, 0, false},
    {"adjust_share_to_workload", ALLOT__BOOLEAN, 0, 0, false},
    {"enforce_share", ALLOT__STRING, 0, 0, false},
    {"evenly", ALLOT__BOOLEAN, 0, 0, false},
};
#define PLAN_OPTIONS (sizeof plan_options / sizeof plan_options[0])

/* The kind of an option's value; some are words. */
#define OPTION_KIND(name, max)                                                                     \
    (ALLOT_OPTION_##name == ALLOT_OPTION_PLACEMENT || ALLOT_OPTION_##name == ALLOT_OPTION_PENDING  \
         ? ALLOT__STRING                                                                           \
         : ((max) == 1 ? ALLOT__BOOLEAN : ALLOT__INTEGER))
#define OPTION_FIELD(name, text, min, max, fallback)                                               \
    {text, OPTION_KIND(name, max), min, max, false},
static const allot__field core_options[] = {ALLOT_OPTION_MAP(OPTION_FIELD)};
#undef OPTION_FIELD

bool allot__choices_new(allot__doc *doc, allot__choices *list, const allot__choices *shared,
                        size_t more)
{
    int32_t count = shared ? shared->count : 0;
    size_t most = (size_t)count + more;
    *list = (allot__choices){.count = count};
    list->options = allot__doc_take(doc, most, sizeof *list->options);
    list->numbers = allot__doc_take(doc, most, sizeof *list->numbers);
    if (!list->options || !list->numbers)
        return false;
    if (count > 0) {
        memcpy(list->options, shared->options, (size_t)count * sizeof *list->options);
        memcpy(list->numbers, shared->numbers, (size_t)count * sizeof *list->numbers);
    }
    return true;
}

static void choose(allot__choices *list, const char *name, const allot__value *value, bool mine)
{
    allot_use_option *option = &list->options[list->count];
    list->numbers[list->count++] = value->number;
    *option = (allot_use_option){.name = name, .integer = value->integer, .mine = mine};
    option->type = value->kind == ALLOT__STRING    ? ALLOT_JSON_STRING
                   : value->kind == ALLOT__LIST    ? ALLOT_JSON_WORDS
                   : value->kind == ALLOT__BOOLEAN ? ALLOT_JSON_BOOLEAN
                                                   : ALLOT_JSON_INTEGER;
    option->string = value->string;
}

/* ---- Options --------------------------------------------------------------------------------- */

/* Sets a core option of a group or window, or of all groups that use the plan's policy. */
static void set_option(allot__plan_reader *reader, int32_t group, bool everywhere, int option,
                       int64_t value)
{
    allot_option of = (allot_option)option;
    allot__doc *doc = &reader->doc;
    if (allot__is_window(group))
        allot__doc_keep(
            doc, allot_plan_window_option(reader->plan, group - ALLOT__WINDOW(0), of, value));
    else if (group != ALLOT_ALL || everywhere || reader->group_count == 0)
        allot__doc_keep(doc, allot_plan_option(reader->plan, group, of, value));
    else
        for (size_t i = 0; i < reader->group_count; i++)
            if (reader->groups[i].policy == 0 && reader->groups[i].group >= 0)
                allot__doc_keep(
                    doc, allot_plan_option(reader->plan, reader->groups[i].group, of, value));
}

/* The options of the core that are one of two words. */
static void read_word(allot__doc *doc, int option, allot__value *value)
{
    bool pending = option == ALLOT_OPTION_PENDING;
    if (value->kind == 0)
        return;
    value->integer = strcmp(value->string, pending ? "skip" : "balanced") == 0;
    if (value->integer != 0 || strcmp(value->string, pending ? "strict" : "stacked") == 0)
        return;
    allot__value_fault(doc, value,
                       pending ? "\"strict\" or \"skip\"" : "\"stacked\" or \"balanced\"");
    value->kind = 0;
}

bool allot__core_option_take(allot__plan_reader *reader, uint32_t member, int32_t group,
                             bool everywhere)
{
    const char *key = allot__doc_key(&reader->doc, member);
    if (group < ALLOT_ALL && !allot__is_window(group))
        return false; /* a branch has none: core options belong to groups */
    for (int i = 0; i < ALLOT_OPTION_COUNT; i++) {
        if (strcmp(key, core_options[i].key) != 0)
            continue;
        allot__value value = allot__value_read(&reader->doc, member, &core_options[i]);
        if (core_options[i].kinds == ALLOT__STRING)
            read_word(&reader->doc, i, &value);
        if (value.kind != 0)
            set_option(reader, group, everywhere, i, value.integer);
        return true;
    }
    return false;
}

/* A list of texts becomes one, with blanks between. */
static void join(allot__doc *doc, allot__value *value)
{
    static const allot__field word = {.kinds = ALLOT__STRING};
    uint32_t list = value->number;
    size_t room, len = 0;
    allot__doc_text(doc, list, &room); /* two quotes take more bytes than a blank */
    char *text = allot__doc_take(doc, room, 1);
    value->string = text;
    for (uint32_t it = allot__doc_in(doc, list); it && text; it = allot__doc_after(doc, list, it)) {
        allot__value item = allot__value_read(doc, it, &word);
        if (item.kind == 0)
            value->kind = 0;
        else
            len += (size_t)sprintf(text + len, "%s%s", len > 0 ? " " : "", item.string);
    }
}

/* An option that only the policy knows. */
void allot__any_option_take(allot__doc *doc, uint32_t member, bool mine, allot__choices *list)
{
    static const allot__field any = {.kinds = ALLOT__INTEGER | ALLOT__BOOLEAN | ALLOT__STRING |
                                              ALLOT__LIST,
                                     .min = INT64_MIN,
                                     .max = INT64_MAX};
    allot__value value = allot__value_read(doc, member, &any);
    if (value.kind == ALLOT__LIST)
        join(doc, &value);
    if (value.kind != 0)
        choose(list, allot__doc_key(doc, member), &value, mine);
}

/* Is the name near that of an option of every plan, and so a slip? */
static bool is_slip(allot__doc *doc, uint32_t member)
{
    const char *names[ALLOT_OPTION_COUNT + PLAN_OPTIONS];
    for (int i = 0; i < ALLOT_OPTION_COUNT; i++)
        names[i] = core_options[i].key;
    for (size_t i = 0; i < PLAN_OPTIONS; i++)
        names[ALLOT_OPTION_COUNT + i] = plan_options[i].key;
    const char *key = allot__doc_key(doc, member);
    const char *near = allot_nearest(key, strlen(key), names, ALLOT_OPTION_COUNT + PLAN_OPTIONS);
    allot__spot spot = allot__at_key(member);
    if (near)
        allot__doc_found(doc, spot, "E-unknown-key", near, "the unknown option ", "");
    return near != NULL;
}

static void take_plan_option(allot__doc *doc, uint32_t member, const allot__field *field,
                             allot__choices *list)
{
    allot__value value = allot__value_read(doc, member, field);
    if (value.kind != 0 && strcmp(field->key, "enforce_share") == 0 &&
        strcmp(value.string, "parent") != 0 && strcmp(value.string, "leaf") != 0)
        allot__value_fault(doc, &value, "\"leaf\" or \"parent\"");
    else if (value.kind != 0)
        choose(list, field->key, &value, false);
}

void allot__option_take(allot__plan_reader *reader, uint32_t member, bool single,
                        allot__choices *list)
{
    allot__doc *doc = &reader->doc;
    if (allot__core_option_take(reader, member, ALLOT_ALL, true))
        return;
    for (size_t i = 0; i < PLAN_OPTIONS; i++)
        if (strcmp(allot__doc_key(doc, member), plan_options[i].key) == 0) {
            take_plan_option(doc, member, &plan_options[i], list);
            return;
        }
    if (!is_slip(doc, member))
        allot__any_option_take(doc, member, single, list);
}
