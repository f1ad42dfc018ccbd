/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event_random.h: hostile values, and events drawn at random by the table of events. */
#ifndef ALLOT_TEST_SUPPORT_EVENT_RANDOM_H
#define ALLOT_TEST_SUPPORT_EVENT_RANDOM_H

#include "test/support/event_ground.h"

/* ---- Hostile values -------------------------------------------------------------------------- */

static const char *const wild[] = {
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "[[]]",
    "[null]",
    "0",
    "-0",
    "-1",
    "1",
    "255",
    "999999999",
    "1000000000",
    "1000000001",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "1e3",
    "1.5",
    "1e400",
    "0.0001",
    "-1.5",
    "\"\"",
    "\" \"",
    "\"/\"",
    "\"/a\"",
    "\"/c\"",
    "\"/c/d\"",
    "\"a\\\"b\"",
    "\"a\\\\b\"",
    "\"a\\u0000b\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\\udc00x\"",
    "\"\\ud83d\\ude00\"",
    "\"\\u0080\"",
    "\"\\u2028\"",
    "\"\xc3\xa4\"",
    "\"\xc0\xaf\"",
    "\"\xe0\x80\xaf\"",
    "\"\xed\xa0\x80\"",
    "\"\xf4\x90\x80\x80\"",
    "\"\xff\"",
    "\"\xc3\"",
    "\"\x80\"",
    "\"a\tb\"",
    "\"\x7f\"",
    "\"\\u007f\"",
    "\"drain\"",
    "\"reclaim\"",
    "\"priority\"",
    "\"2026-01-01T00:00:00Z\"",
    "\"9999-12-31T23:59:59Z\"",
    "\"-1-01-01T00:00:00Z\"",
    "1060",
    "1061",
    "{\"available\": 0, \"used\": 1}",
    "{\"available\": 1000000000, \"used\": 1000000000, \"demand\": 1000000000}",
    "{\"lic\": 1000000000}",
    "{\"lic\": 1, \"lic\": 1}",
    "{\"h1\": 1}",
    "{\"\": 1}",
};
#define WILD (int)(sizeof wild / sizeof *wild)

/* The i-th: each control character, names of many lengths, what stands above. false: none. */
static bool put_hostile(int i, allot__text *out)
{
    static const int lengths[] = {254, 255, 256, 1000, 70000};
    out->len = 0;
    if (i < 32) {
        allot__text_printf(out, "\"a\\u%04xb\"", i);
    } else if (i < 32 + 5) {
        allot__text_puts(out, "\"");
        for (int k = 0; k < lengths[i - 32]; k++)
            allot__text_puts(out, "x");
        allot__text_puts(out, "\"");
    } else if (i == 32 + 5) { /* 128 characters, 256 bytes */
        allot__text_puts(out, "\"");
        for (int k = 0; k < 128; k++)
            allot__text_puts(out, "\xc3\xa4");
        allot__text_puts(out, "\"");
    } else if (i - 38 < WILD) {
        allot__text_puts(out, wild[i - 38]);
    } else {
        return false;
    }
    return true;
}
#define HOSTILES (38 + WILD)

/* As it is, in a list, as a key and as an object's value. */
enum { HOSTILE_FORMS = 4 };
static void put_form(int form, const char *value, allot__text *out)
{
    if (form == 0)
        allot__text_puts(out, value);
    else if (form == 1)
        allot__text_printf(out, "[%s]", value);
    else if (form == 2)
        allot__text_printf(out, "{%s: 1}", value[0] == '"' ? value : "\"lic\"");
    else
        allot__text_printf(out, "{\"available\": %s}", value);
}

/* ---- Events at random ------------------------------------------------------------------------ */

static unsigned seed;

static int pick(int below)
{
    seed = seed * 1103515245 + 12345;
    return (int)(seed >> 16) % below;
}

static const char *one_of(const char *const *list)
{
    int count = 0;
    while (list[count])
        count++;
    return count > 0 ? list[pick(count)] : "";
}

/* A kind of event that may be said of such a plan, mostly. */
static int32_t random_kind(const desk *it)
{
    static const char *const leaves[] = {"demand",   "demand", "allocated", "start",
                                         "start",    "finish", "session",   "release",
                                         "returned", "task",   "task",      "decline"};
    static const char *const jobs[] = {"submit",   "submit", "submit",  "submit",
                                       "submit",   "finish", "stop",    "cont",
                                       "withdraw", "run",    "requeue", "fail"};
    static const char *const others[] = {"host", "host", "host_gone", "slots", "session_end"};
    enum { LEAVES = 12, JOBS = 12 };
    int many = it->ground->leaves[0] ? LEAVES : it->ground->queues[0] ? JOBS : 0;
    const char *method = "lease";
    if (many > 0)
        method = pick(3) == 0     ? others[pick(5)]
                 : many == LEAVES ? leaves[pick(LEAVES)]
                                  : jobs[pick(JOBS)];
    return allot__event_find(method, strlen(method));
}

static void random_text(const desk *it, int32_t kind, const allot_member *field, allot__text *out)
{
    bool host = strcmp(field->name, "host") == 0 || kind == ALLOT__EVENT_HOST ||
                kind == ALLOT__EVENT_HOST_GONE;
    if (kind == ALLOT__EVENT_LEASE)
        allot__text_puts(out, "\"l\"");
    else if (strcmp(field->name, "reclaim") == 0)
        allot__text_printf(out, "\"r%d.%d\"", (int)it->cycle - pick(4), pick(2));
    else
        allot__text_printf(out, "\"%c%d\"", host ? 'h' : 'i', 1 + pick(host ? 4 : 8));
}

static void random_number(const allot_member *field, allot__text *out)
{
    static const int64_t large[] = {1000000000, 999999999, 500000000, 900000000};
    int64_t value = pick(8) == 0 ? large[pick(4)] : pick(30);
    if (value < field->least)
        value = field->least;
    allot__text_int(out, value);
}

/* Of one group, or of several, in any order. */
static void random_parts(const desk *it, const allot_member *field, allot__text *out)
{
    int groups = allot_plan_groups(it->plan), first = pick(2);
    if (groups < 2 || pick(2)) {
        random_number(field, out);
        return;
    }
    allot__text_puts(out, "{");
    for (int i = 0; i < 2; i++) {
        allot__text_key(out, allot_plan_group_name(it->plan, (first + i) % 2));
        random_number(field, out);
    }
    allot__text_puts(out, "}");
}

static void random_numbers(int32_t kind, const allot_member *field, allot__text *out)
{
    bool hosts = strcmp(field->name, "hosts") == 0;
    const char *form = kind == ALLOT__EVENT_LEASE ? "{\"available\": %d, \"used\": %d}"
                       : hosts                    ? "{\"h1\": %d}"
                                                  : "{\"lic\": %d}";
    if (hosts && pick(3) != 0)
        form = "{}";
    allot__text_printf(out, form, hosts ? 1 + pick(3) : pick(9), pick(9));
}

static void random_word(const allot_member *field, allot__text *out)
{
    int count = 0;
    while (field->word(count))
        count++;
    int word = pick(count);
    if (word == 0 && field->flags & ALLOT_MEMBER_FALSE)
        allot__text_puts(out, "false");
    else
        allot__text_json(out, field->word(word));
}

static void random_value(const desk *it, int32_t kind, const allot_member *field, allot__text *out)
{
    static const char *const tags[] = {"[]", "[\"gold\"]", "[\"kept\", \"x\"]", NULL};
    switch (field->type) {
    case ALLOT_MEMBER_CONSUMER:
    case ALLOT_MEMBER_LEAF:
        allot__text_json(out, one_of(it->ground->leaves));
        break;
    case ALLOT_MEMBER_GROUP:
        allot__text_json(out, it->ground->groups[0] ? one_of(it->ground->groups) : "default");
        break;
    case ALLOT_MEMBER_QUEUE:
        allot__text_json(out, one_of(it->ground->queues));
        break;
    case ALLOT_MEMBER_FLAG:
        allot__text_puts(out, pick(2) ? "true" : "false");
        break;
    case ALLOT_MEMBER_TIME:
        allot__text_int(out, it->now - pick(100));
        break;
    case ALLOT_MEMBER_TEXTS:
        allot__text_puts(out, one_of(tags));
        break;
    case ALLOT_MEMBER_PLACES:
    case ALLOT_MEMBER_AMOUNTS:
        random_numbers(kind, field, out);
        break;
    case ALLOT_MEMBER_WORD:
        random_word(field, out);
        break;
    case ALLOT_MEMBER_SLOTS:
        random_parts(it, field, out);
        break;
    case ALLOT_MEMBER_THOUSANDTHS:
        allot__text_printf(out, "%d.5", pick(1000));
        break;
    case ALLOT_MEMBER_WHOLE:
        random_number(field, out);
        break;
    default:
        random_text(it, kind, field, out);
    }
}

static void add_random(const desk *it, int32_t kind, const allot_member *field, allot__text *out)
{
    allot__text value = {.engine = it->engine}, formed = {.engine = it->engine};
    if (!(field->flags & ALLOT_MEMBER_REQUIRED) && pick(3) != 0)
        return;
    allot__text_key(out, field->name);
    if (pick(25) == 0) {
        put_hostile(pick(HOSTILES), &value);
        put_form(pick(HOSTILE_FORMS), value.bytes, &formed);
        allot__text_puts(out, formed.bytes);
    } else {
        random_value(it, kind, field, out);
    }
    allot__text_free(&value);
    allot__text_free(&formed);
}

/* Whether a client may give a member of a list. */
static bool may_say(const allot__fields *fields, int list, const allot_member *member)
{
    if (list != ALLOT__ITEM)
        return !(member->flags & ALLOT__MEMBER_KEPT);
    for (const char *const *but = fields->but; but && *but; but++)
        if (strcmp(*but, member->name) == 0)
            return false;
    return !(member->flags & ALLOT_MEMBER_PASSED) && member->name[0] != '\0' &&
           !allot_member_find(&fields->own, member->name);
}

static void random_params(const desk *it, int32_t kind, allot__text *out)
{
    const allot__fields *fields = &allot__event_fields[kind];
    out->len = 0;
    allot__text_puts(out, "{");
    for (int list = ALLOT__OWN; list <= ALLOT__ITEM; list++) {
        const allot_members *of = allot__fields_of(fields, list);
        for (int32_t i = 0; of && i < of->count; i++)
            if (may_say(fields, list, &of->items[i]))
                add_random(it, kind, &of->items[i], out);
    }
    bool attributes = allot_member_find(allot_members_of(fields->item), "") != NULL;
    for (int32_t i = 0; attributes && i < allot_plan_task_attributes(it->plan); i++) {
        allot_attribute attribute;
        if (pick(5) != 0 || allot_plan_task_attribute_at(it->plan, i, &attribute) != ALLOT_OK)
            continue;
        allot__text_key(out, attribute.name);
        allot__text_puts(out, pick(3) == 0 ? "true" : pick(2) == 0 ? "1" : "7");
    }
    allot__text_puts(out, "}");
}

#endif
