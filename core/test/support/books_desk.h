/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* books_desk.h: books with a plan, told of events at random: what the tests of books share. */
#ifndef ALLOT_TEST_SUPPORT_BOOKS_DESK_H
#define ALLOT_TEST_SUPPORT_BOOKS_DESK_H

#include <stdlib.h>

#include <allot/script.h>

#include "service/books/books.h"

#include "test/support/check.h"
#include "test/support/oom.h"

static const char tree[] =
    "{\"version\": 1, \"slots\": 40, \"policy\": \"hybrid\", \"options\": {\"claim_delay\": 3},"
    "\"hosts\": {\"h1\": {\"slots\": 20}, \"h2\": {\"slots\": 20}}, \"consumers\": ["
    "{\"name\": \"a\", \"owned\": 10, \"grace\": 5}, {\"name\": \"b\", \"owned\": 20},"
    "{\"name\": \"c\", \"children\": [{\"name\": \"d\", \"owned\": 10}]}]}";
static const char queues[] =
    "{\"version\": 1, \"slots\": 8, \"policy\": \"preemption\", \"hosts\": {\"h1\": {\"slots\": "
    "8}},"
    "\"queues\": [{\"name\": \"low\", \"priority\": 1, \"preemptable\": true},"
    "{\"name\": \"high\", \"priority\": 9, \"preemptive\": true}]}";

/* Two groups, which tasks may couple. */
static const char parted[] =
    "{\"version\": 1, \"policy\": \"hybrid\", \"groups\": {\"cpu\": {\"slots\": 30}, \"gpu\": "
    "{\"slots\": 9}}, \"consumers\": [{\"name\": \"a\", \"owned\": 3}, {\"name\": \"b\", "
    "\"owned\": 4}, "
    "{\"name\": \"c\", \"children\": [{\"name\": \"d\", \"owned\": 2}]}]}";

typedef struct desk {
    allot_engine *engine;
    allot_policy_loader loader;
    allot_plan *plan;
    allot__books *books;
    allot__event_reader *reader;
    allot__error fault;
    int64_t now, cycle;
} desk;

static int open_desk(desk *it, allot_engine *engine, const char *plan)
{
    *it = (desk){.engine = engine, .now = 1000};
    int status = allot_script_loader_new(engine, NULL, &it->loader);
    if (status == ALLOT_OK)
        status = allot_plan_read(engine, plan, strlen(plan), "p", &it->loader, NULL, &it->plan);
    if (status == ALLOT_OK)
        status = allot__books_new(engine, it->plan, &it->books);
    if (status == ALLOT_OK)
        status = allot__event_reader_new(engine, &it->reader);
    return status;
}

static void close_desk(desk *it)
{
    allot__event_reader_free(it->reader);
    allot__books_end(it->books);
    allot_plan_free(it->plan);
    if (it->loader.load)
        allot_script_loader_free(it->engine, &it->loader);
}

static int tell(desk *it, const char *method, const char *params)
{
    allot__event event;
    int32_t kind = allot__event_find(method, strlen(method));
    it->fault = (allot__error){.message = ""};
    int status = allot__event_read(it->reader, it->plan, (allot__event_kind)kind, ALLOT__CLIENT,
                                   params, strlen(params), &event, &it->fault);
    if (status != ALLOT_OK)
        return status;
    event.at = it->now;
    return allot__books_apply(it->books, &event, &it->fault);
}

/* A cycle; `effect` gets what it changed. */
static int decide(desk *it, allot__text *effect)
{
    const allot_state *state;
    allot_decision *decision = NULL;
    int status = allot__books_state(it->books, it->now, NULL, &state);
    if (status == ALLOT_OK)
        status = allot_cycle(it->plan, state, NULL, &decision);
    if (status == ALLOT_OK)
        status = allot__books_enter(it->books, decision, ++it->cycle, effect);
    if (status == ALLOT_OK && effect->failed)
        status = ALLOT_ENOMEM;
    allot_decision_free(decision);
    return status;
}

/* What would be decided now; the books are as before, but for the state that they keep. */
static int would_decide(allot__books *books, int64_t now, allot__text *out)
{
    const allot_state *state;
    allot_decision *decision = NULL;
    int status = allot__books_state(books, now, NULL, &state);
    if (status == ALLOT_OK)
        status = allot_cycle(allot__books_plan(books), state, NULL, &decision);
    if (status == ALLOT_OK)
        status = allot_decision_write(decision, NULL, allot__text_sink, out);
    allot_decision_free(decision);
    return status;
}

/* ---- Events at random ------------------------------------------------------------------------ */

static unsigned seed;

static int pick(int below)
{
    seed = seed * 1103515245 + 12345;
    return (int)(seed >> 16) % below;
}

/* Tasks that wait: they come, start, change, wait again. `group`: what names the leaf's group. */
static void random_whole_event(char *text, size_t size, const char **method, const char *leaf,
                               const char *group)
{
    int id = pick(12), slots = 1 + pick(6);
    char parts[60];
    snprintf(parts, sizeof parts, "%d", slots);
    if (group[0] != '\0' && pick(2))
        snprintf(parts, sizeof parts, "{\"gpu\": %d, \"cpu\": %d}", 1 + pick(3), slots);
    *method = "task";
    switch (pick(5)) {
    case 0:
        *method = "start";
        snprintf(text, size, "{\"id\": %d%s}", id, pick(3) == 0 ? ", \"adopt\": true" : "");
        break;
    case 1:
        snprintf(text, size, "{\"id\": %d, \"slots\": %s, \"priority\": %d}", id, parts, slots);
        break;
    case 2:
        *method = "finish";
        snprintf(text, size, "{\"id\": %d, \"done\": %s}", id, pick(2) ? "true" : "false");
        break;
    default:
        snprintf(text, size,
                 "{\"id\": %d, \"consumer\": \"%s\"%s, \"slots\": %s, \"state\": \"pending\"%s}",
                 id, leaf, group, parts, pick(3) == 0 ? ", \"session\": \"s1\"" : "");
    }
}

static void random_part_event(desk *it, char *text, size_t size, const char **method)
{
    static const char *const leaves[] = {"/a", "/b", "/c/d"};
    static const char *const groups[] = {", \"group\": \"cpu\"", ", \"group\": \"gpu\""};
    static const char *const methods[] = {"demand", "demand", "release", "decline"};
    const char *leaf = leaves[pick(3)], *group = groups[pick(2)];
    char until[40] = "";
    int kind = pick(8);
    if (kind >= 4) {
        random_whole_event(text, size, method, leaf, group);
        return;
    }
    *method = methods[kind];
    if (kind == 3)
        snprintf(until, sizeof until, ", \"until\": %d", (int)it->now + 1000 + pick(9));
    snprintf(text, size, "{\"consumer\": \"%s\"%s, \"slots\": %d%s}", leaf, group, pick(9), until);
}

static void random_leaf_event(desk *it, char *text, size_t size, const char **method)
{
    static const char *const leaves[] = {"/a", "/b", "/c/d"};
    const char *leaf = leaves[pick(3)];
    int id = pick(12), slots = pick(15);
    *method = "demand";
    snprintf(text, size, "{\"consumer\": \"%s\", \"slots\": %d}", leaf, slots);
    switch (pick(12)) {
    case 0:
        *method = "start";
        snprintf(text, size,
                 "{\"id\": %d, \"consumer\": \"%s\", \"host\": \"h%d\", \"tags\": "
                 "[\"x\", \"y\"]%s}",
                 id, leaf, 1 + pick(2), pick(3) == 0 ? ", \"slot\": \"s\"" : "");
        break;
    case 1:
        *method = "finish";
        snprintf(text, size, "{\"id\": %d}", id);
        break;
    case 2:
        *method = "release";
        break;
    case 3:
        *method = "session";
        snprintf(text, size, "{\"id\": \"s%d\", \"consumer\": \"%s\", \"priority\": 3}", id, leaf);
        break;
    case 4:
        *method = "host";
        snprintf(text, size, "{\"name\": \"h%d\", \"slots\": %d, \"load\": 1.25}", 1 + pick(3),
                 15 + slots);
        break;
    case 5:
        *method = "returned";
        snprintf(text, size, "{\"reclaim\": \"r%d.0\", \"slots\": 1}", (int)it->cycle - pick(4));
        break;
    case 6:
    case 7:
    case 8:
        random_whole_event(text, size, method, leaf, "");
        break;
    default:
        break;
    }
}

static void random_job_event(desk *it, char *text, size_t size, const char **method)
{
    static const char *const others[] = {"finish", "stop", "cont", "withdraw"};
    int id = pick(9), kind = pick(8);
    (void)it;
    *method = kind < 4 ? others[kind] : "submit";
    if (kind < 4)
        snprintf(text, size, "{\"id\": %d}", id);
    else
        snprintf(text, size, "{\"id\": %d, \"queue\": \"%s\", \"slots\": %d, \"user\": \"u\"}", id,
                 pick(2) ? "low" : "high", 1 + pick(6));
}

/* An event of a plan, at random. */
static void random_event(desk *it, char *text, size_t size, const char **method)
{
    if (allot_plan_queues(it->plan) > 0)
        random_job_event(it, text, size, method);
    else if (allot_plan_groups(it->plan) > 1)
        random_part_event(it, text, size, method);
    else
        random_leaf_event(it, text, size, method);
}

/* Whether two books say the same. */
static bool same(desk *it, const allot__books *one, const allot__books *other)
{
    allot__text a = {.engine = it->engine}, b = {.engine = it->engine};
    allot__books_write(one, &a);
    allot__books_write(other, &b);
    bool equal = a.len == b.len && (a.len == 0 || memcmp(a.bytes, b.bytes, a.len) == 0);
    if (!equal)
        printf("# %.*s\n# ---\n# %.*s\n", (int)a.len, a.bytes, (int)b.len, b.bytes);
    allot__text_free(&a);
    allot__text_free(&b);
    return equal;
}

/* A state that is told of changes alone is as one that is made anew. */
static bool decides_as_anew(desk *it)
{
    allot__text a = {.engine = it->engine}, b = {.engine = it->engine};
    allot__error lost;
    allot__books *anew = NULL;
    bool equal = CHECK_EQ(allot__books_move(it->books, it->plan, &lost, &anew), ALLOT_OK) &&
                 CHECK_EQ(would_decide(it->books, it->now, &a), ALLOT_OK) &&
                 CHECK_EQ(would_decide(anew, it->now, &b), ALLOT_OK) &&
                 CHECK(a.len == b.len && memcmp(a.bytes, b.bytes, a.len) == 0);
    allot__books_end(anew);
    allot__text_free(&a);
    allot__text_free(&b);
    return equal;
}

#endif
