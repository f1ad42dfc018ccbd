/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * event_fields_test.c: an event is refused where a state would refuse what it says: each
 * hostile value in every member of every event, by the table of events itself, and streams of
 * events at random, with such values among them. What is accepted keeps no cycle from deciding;
 * what is refused changes nothing.
 */
#include <stdlib.h>

#include "test/support/event_random.h"

/* ---- One member ------------------------------------------------------------------------------ */

static int32_t kind_of(const char *method)
{
    return allot__event_find(method, strlen(method));
}

/* The base's members, with `value` (JSON) as the member `name`, in place or behind. */
static void put_params(const base *of, const char *name, const char *value, allot__text *out)
{
    bool there = false;
    out->len = 0;
    allot__text_puts(out, "{");
    for (int i = 0; i < MEMBERS_MOST && of->members[i].name; i++) {
        bool it = strcmp(of->members[i].name, name) == 0;
        there = there || it;
        allot__text_key(out, of->members[i].name);
        allot__text_puts(out, it ? value : of->members[i].value);
    }
    if (!there) {
        allot__text_key(out, name);
        allot__text_puts(out, value);
    }
    allot__text_puts(out, "}");
}

/* Whether a state that says the same is sound; -1: no state says such things. */
static int state_says(desk *it, const base *of, const char *name, const char *value)
{
    allot_state *state = NULL;
    const char *before = NULL, *behind = NULL;
    for (int i = 0; of->states[i].name && !before; i++)
        if (strcmp(of->states[i].name, name) == 0) {
            before = of->states[i].before;
            behind = of->states[i].behind;
        }
    bool list = strcmp(name, "tags") == 0 && value[0] == '[';
    if (!before || (!list && (value[0] != '"' || strcmp(name, "tags") == 0)))
        return -1;
    allot__text text = {.engine = it->engine};
    put_quoted(&text, before);
    allot__text_puts(&text, value);
    put_quoted(&text, behind);
    int status = allot_state_read(it->plan, text.bytes, text.len, "s", NULL, &state);
    allot__text_free(&text);
    allot_state_free(state);
    return status == ALLOT_OK;
}

/* Bounds of what one event may say are narrower than a state's: 1 ... 255 bytes for any text. */
static bool is_short(const char *value)
{
    size_t len = strlen(value);
    return len > 2 && len < 250;
}

typedef struct counts {
    int accepted, refused, compared;
} counts;

static bool try_value(desk *it, const base *of, const char *name, const char *value, counts *counts)
{
    allot__text params = {.engine = it->engine}, before = {.engine = it->engine};
    bool good = begin(it) && CHECK_EQ(allot__books_write(it->books, &before), ALLOT_OK);
    put_params(of, name, value, &params);
    int status = good ? tell(it, of->method, params.bytes, params.len) : ALLOT_ENOMEM;
    int says = state_says(it, of, name, value);
    if (says >= 0 && is_short(value)) {
        good = good && CHECK_EQ(status == ALLOT_OK, says);
        counts->compared++;
    }
    if (status == ALLOT_OK)
        counts->accepted++;
    else
        good = good && CHECK(it->fault.code[0] != '\0') && CHECK(is_as(it, &before));
    counts->refused += status != ALLOT_OK;
    good = good && CHECK(decides(it)) && CHECK(reads_back(it));
    if (!good)
        printf("# %s: %s %s -> %d %s\n", it->ground->name, of->method, params.bytes, status,
               it->fault.message);
    allot__text_free(&params);
    allot__text_free(&before);
    return good;
}

static void try_member(desk *it, const base *of, const char *name, counts *counts)
{
    allot__text value = {.engine = it->engine};
    for (int i = 0; put_hostile(i, &value); i++)
        for (int form = 0; form < HOSTILE_FORMS; form++) {
            allot__text formed = {.engine = it->engine};
            put_form(form, value.bytes, &formed);
            try_value(it, of, name, formed.bytes, counts);
            allot__text_free(&formed);
        }
    allot__text_free(&value);
}

static void try_base(const base *of, counts *counts)
{
    desk it;
    if (!CHECK(open_desk(&it, of->ground)))
        return;
    /* As it is it is accepted, so that what is refused is the value. */
    CHECK(try_value(&it, of, of->members[0].name, of->members[0].value, counts));
    CHECK_EQ(counts->accepted, 1);
    for (int list = 0; list < ALLOT__FIELD_LISTS; list++) {
        const allot_members *members =
            allot__fields_of(&allot__event_fields[kind_of(of->method)], list);
        for (int32_t i = 0; members && i < members->count; i++)
            try_member(&it, of, members->items[i].name, counts);
    }
    for (int32_t i = 0; i < allot_plan_task_attributes(it.plan); i++) {
        allot_attribute attribute;
        if (allot_plan_task_attribute_at(it.plan, i, &attribute) == ALLOT_OK)
            try_member(&it, of, attribute.name, counts);
    }
    close_desk(&it);
}

static void test_each_value_in_each_member(void)
{
    bool seen[ALLOT__EVENTS] = {false};
    int compared = 0;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        counts counts = {0};
        try_base(&bases[i], &counts);
        CHECK(counts.refused > 0);
        compared += counts.compared;
        seen[kind_of(bases[i].method)] = true;
    }
    CHECK(compared > 500);
    for (int32_t kind = 0; kind < ALLOT__EVENTS; kind++) /* none is left out */
        CHECK_EQ(seen[kind], kind_of(allot__event_name(kind)) >= 0);
}

/* Whether some value of the member is in the line of the thing that the base tells of. */
static bool is_kept(desk *it, const base *of, const allot_member *member)
{
    allot__text value = {.engine = it->engine}, params = {.engine = it->engine};
    bool kept = false;
    for (int i = 0; i < 50 && !kept && begin(it); i++) {
        allot__text lines = {.engine = it->engine};
        char id[32], key[64];
        value.len = 0;
        random_value(it, kind_of(of->method), member, &value);
        put_params(of, member->name, value.bytes, &params);
        snprintf(id, sizeof id, "\"%s\": %s", of->members[0].name, of->members[0].value);
        snprintf(key, sizeof key, "\"%s\": ", member->name);
        if (tell(it, of->method, params.bytes, params.len) == ALLOT_OK &&
            allot__books_write(it->books, &lines) == ALLOT_OK) {
            char *line = strstr(lines.bytes, id);
            if (line)
                line[strcspn(line, "\n")] = '\0';
            kept = line && strstr(line, key);
        }
        allot__text_free(&lines);
    }
    allot__text_free(&value);
    allot__text_free(&params);
    return kept;
}

/* A member that events tell and lines do not keep would be lost with the next snapshot. */
static void test_lines_keep_each_member(void)
{
    uint32_t kept[ALLOT_ITEMS] = {0}, said[ALLOT_ITEMS] = {0};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        desk it;
        const allot__fields *fields = &allot__event_fields[kind_of(bases[i].method)];
        const allot_members *of = allot_members_of(fields->item);
        if (!of || !CHECK(open_desk(&it, bases[i].ground)))
            continue;
        for (int32_t k = 0; k < of->count; k++)
            if (may_say(fields, ALLOT__ITEM, &of->items[k])) {
                said[fields->item] |= (uint32_t)1 << k;
                if (is_kept(&it, &bases[i], &of->items[k]))
                    kept[fields->item] |= (uint32_t)1 << k;
            }
        close_desk(&it);
    }
    for (int item = 0; item < ALLOT_ITEMS; item++)
        if (!CHECK_EQ(kept[item], said[item]))
            for (int k = 0; k < 32; k++)
                if ((said[item] & ~kept[item]) >> k & 1)
                    printf("# %s\n", allot_members_of((allot_item)item)->items[k].name);
}

/* What is said is noted in the bits of a number. */
static void test_members_have_bits(void)
{
    for (int32_t kind = 0; kind < ALLOT__EVENTS; kind++)
        for (int list = 0; list < ALLOT__FIELD_LISTS; list++) {
            const allot_members *of = allot__fields_of(&allot__event_fields[kind], list);
            CHECK(!of || of->count <= 32);
        }
}

/* ---- Streams --------------------------------------------------------------------------------- */

static bool step(desk *it, allot__text *params, int *accepted)
{
    allot__text before = {.engine = it->engine};
    int32_t kind = random_kind(it);
    random_params(it, kind, params);
    bool good = allot__books_write(it->books, &before) == ALLOT_OK;
    int status = tell(it, allot__event_name(kind), params->bytes, params->len);
    if (getenv("ALLOT_SHOW"))
        printf("# %s %s -> %d %s\n", allot__event_name(kind), params->bytes, status,
               status != ALLOT_OK ? it->fault.message : "");
    *accepted += status == ALLOT_OK;
    if (status != ALLOT_OK)
        good = good && CHECK(it->fault.code[0] != '\0') && CHECK(is_as(it, &before));
    else
        good = good && CHECK(pick(2) == 0 ? decides(it) : would_decide(it));
    good = good && (pick(30) != 0 || CHECK(reads_back(it)));
    it->now += pick(3) == 0 ? pick(5) : 0;
    if (!good)
        printf("# %s: %s %s -> %d %s\n", it->ground->name, allot__event_name(kind), params->bytes,
               status, it->fault.message);
    allot__text_free(&before);
    return good;
}

static bool stroll(const ground *ground, unsigned from, int *accepted)
{
    desk it;
    allot__text params = {0};
    bool good = CHECK(open_desk(&it, ground)) && CHECK(begin(&it));
    params.engine = it.engine;
    seed = from;
    for (int i = 0; good && i < 60; i++)
        good = step(&it, &params, accepted);
    if (!good)
        printf("# seed %u\n", from);
    allot__text_free(&params);
    close_desk(&it);
    return good;
}

static void test_streams(void)
{
    const char *runs = getenv("ALLOT_RUNS"), *first = getenv("ALLOT_SEED");
    unsigned last = runs ? (unsigned)strtoul(runs, NULL, 10) : 40;
    unsigned from = first ? (unsigned)strtoul(first, NULL, 10) : 0;
    for (size_t k = 0; k < sizeof grounds / sizeof *grounds; k++) {
        int accepted = 0;
        unsigned i = 0;
        while (i < last && stroll(&grounds[k], (from + ++i) * 7919, &accepted))
            continue;
        CHECK_EQ(i, last);
        if (!CHECK(accepted > (int)last * 4))
            printf("# %s %d\n", grounds[k].name, accepted);
    }
}

int main(void)
{
    RUN(test_each_value_in_each_member);
    RUN(test_lines_keep_each_member);
    RUN(test_members_have_bits);
    RUN(test_streams);
    return check_done();
}
