/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * event_ground.h: books under plans of several kinds, and events for them that are accepted, to be
 * spoilt in one member.
 */
#ifndef ALLOT_TEST_SUPPORT_EVENT_GROUND_H
#define ALLOT_TEST_SUPPORT_EVENT_GROUND_H

#include <allot/script.h>

#include "service/books/books.h"
#include "service/events/event.h"

#include "test/support/check.h"

#define MEMBERS_MOST 16

/* A plan; what was said already, as "METHOD PARAMS" with ' for "; "cycle" decides. */
typedef struct ground {
    const char *name, *plan;
    const char *before[12];
    const char *leaves[4], *groups[3], *queues[3];
} ground;

static const char policy_text[] =
    "return policy { name = 'wild', task_attributes = { cost = { type = 'integer', default = 5, "
    "max = 100 }, until_saved = { type = 'integer', default = none }, nightly = { type = 'boolean'"
    " }, gold = { type = 'tag' } }, quota = { fill 'all' { by = 1 } }, victims = order { desc "
    "'cost', desc 'ran' }, guards = { spare_tagged 'gold', spare_tagged 'kept', "
    "max_preemptions(3) } }";

#define CONSUMERS                                                                                  \
    "'consumers': [{'name': 'a', 'owned': 10}, {'name': 'b', 'owned': 20},"                        \
    "{'name': 'c', 'children': [{'name': 'd', 'owned': 10}]}]"
#define HOSTS "'hosts': {'h1': {'slots': 20}, 'h2': {'slots': 20}}"
#define QUEUES                                                                                     \
    "'queues': [{'name': 'low', 'priority': 1, 'preemptable': true}, {'name': 'high', 'priority':" \
    " 9, 'preemptive': true}]"

enum { G_HOSTS, G_HYBRID, G_GROUPS, G_QUEUES, G_BARE, G_NOWHERE, G_LEASES };
static const ground grounds[] = {
    [G_HOSTS] = {"hosts",
                 "{'version': 1, 'policy': 'wild.lua', " HOSTS ", " CONSUMERS "}",
                 {"allocated {'consumer': '/a', 'slots': 9}",
                  "start {'id': 't1', 'consumer': '/a', 'host': 'h1'}",
                  "session {'id': 's1', 'consumer': '/a'}"},
                 {"/a", "/b", "/c/d"},
                 {0},
                 {0}},
    [G_HYBRID] = {"hybrid",
                  "{'version': 1, 'policy': 'hybrid', 'slots': 40, " CONSUMERS "}",
                  {"allocated {'consumer': '/a', 'slots': 40}",
                   "demand {'consumer': '/a', 'slots': 40}",
                   "demand {'consumer': '/b', 'slots': 20}", "cycle"},
                  {"/a", "/b", "/c/d"},
                  {0},
                  {0}},
    [G_GROUPS] = {"groups",
                  "{'version': 1, 'policy': 'share_ratio', " CONSUMERS ", 'hosts': "
                  "{'h1': {'slots': 20, 'group': 'default'}, 'h2': {'slots': 20, 'group': 'gpu'}}, "
                  "'groups': {'default': {'slots': 20}, 'gpu': {'slots': 20}}}",
                  {0},
                  {"/a", "/b", "/c/d"},
                  {"default", "gpu"},
                  {0}},
    [G_QUEUES] = {"queues",
                  "{'version': 1, 'policy': 'preemption', 'hosts': {'h1': {'slots': 8}, 'h2': "
                  "{'slots': 4}}, 'resources': {'lic': 2}, " QUEUES "}",
                  {"submit {'id': 'j1', 'queue': 'low'}", "submit {'id': 'j2', 'queue': 'low'}",
                   "cycle", "submit {'id': 'j3', 'queue': 'low', 'slots': 900}",
                   "stop {'id': 'j2'}"},
                  {0},
                  {0},
                  {"low", "high"}},
    [G_BARE] = {"slots alone",
                "{'version': 1, 'policy': 'preemption', 'slots': 8, " QUEUES "}",
                {"submit {'id': 'j1', 'queue': 'low'}", "cycle"},
                {0},
                {0},
                {"low", "high"}},
    [G_NOWHERE] = {"nowhere",
                   "{'version': 1, 'policy': 'preemption', " QUEUES "}",
                   {"submit {'id': 'j1', 'queue': 'low'}"},
                   {0},
                   {0},
                   {"low", "high"}},
    [G_LEASES] = {"leases",
                  "{'version': 1, 'policy': 'shared_lease', 'leases': [{'name': 'l', 'provider': "
                  "'P', 'consumer': 'C', 'slots': 10}]}",
                  {0},
                  {0},
                  {0},
                  {0}},
};

/* An event that is accepted as it is; and documents of states that say the same of a member. */
typedef struct base {
    const ground *ground;
    const char *method;
    struct {
        const char *name, *value;
    } members[MEMBERS_MOST];
    struct {
        const char *name, *before, *behind;
    } states[8];
} base;

#define TASK(name, rest)                                                                           \
    {                                                                                              \
        name, "{'now': 1000, 'tasks': [{'" name "': ",                                             \
            ", 'consumer': '/a'" rest "}], 'consumers': {'/a': {'allocated': 9}}}"                 \
    }
#define JOB(name, rest)                                                                            \
    {                                                                                              \
        name, "{'now': 1000, 'jobs': [{'" name "': ", ", 'queue': 'low'" rest "}]}"                \
    }
static const base bases[] = {
    {&grounds[G_HYBRID], "demand", {{"consumer", "\"/a\""}, {"slots", "3"}}, {{0}}},
    {&grounds[G_HYBRID], "release", {{"consumer", "\"/a\""}, {"slots", "1"}}, {{0}}},
    {&grounds[G_HYBRID], "allocated", {{"consumer", "\"/a\""}, {"slots", "40"}}, {{0}}},
    {&grounds[G_GROUPS],
     "demand",
     {{"consumer", "\"/a\""}, {"slots", "3"}, {"group", "\"gpu\""}},
     {{0}}},
    {&grounds[G_HOSTS],
     "start",
     {{"id", "\"t9\""},
      {"consumer", "\"/a\""},
      {"host", "\"h1\""},
      {"slot", "\"x\""},
      {"session", "\"s1\""},
      {"tags", "[\"kept\"]"}},
     {TASK("id", ""), TASK("session", ", 'id': 't9'"), TASK("host", ", 'id': 't9'"),
      TASK("slot", ", 'id': 't9'"), TASK("tags", ", 'id': 't9'")}},
    {&grounds[G_HOSTS], "finish", {{"id", "\"t1\""}}, {{0}}},
    {&grounds[G_HOSTS],
     "task",
     {{"id", "\"t1\""}, {"host", "\"h2\""}, {"session", "\"s1\""}, {"tags", "[\"kept\"]"}},
     {{0}}},
    {&grounds[G_HYBRID],
     "task",
     {{"id", "\"t9\""},
      {"consumer", "\"/b\""},
      {"state", "\"pending\""},
      {"slots", "3"},
      {"priority", "7"},
      {"session", "\"s\""},
      {"tags", "[\"kept\"]"}},
     {{"id", "{'now': 1000, 'tasks': [{'id': ", ", 'consumer': '/b', 'state': 'pending'}]}"},
      {"session", "{'now': 1000, 'tasks': [{'id': 't9', 'session': ",
       ", 'consumer': '/b', 'state': 'pending'}]}"}}},
    {&grounds[G_GROUPS],
     "task",
     {{"id", "\"t9\""},
      {"consumer", "\"/b\""},
      {"state", "\"pending\""},
      {"slots", "{\"gpu\": 2, \"default\": 3}"}},
     {{0}}},
    {&grounds[G_HYBRID],
     "decline",
     {{"consumer", "\"/b\""}, {"slots", "0"}, {"until", "1900"}},
     {{0}}},
    {&grounds[G_HOSTS],
     "session",
     {{"id", "\"s9\""}, {"consumer", "\"/a\""}},
     {{"id", "{'now': 1000, 'sessions': [{'id': ", ", 'consumer': '/a'}]}"}}},
    {&grounds[G_GROUPS],
     "session",
     {{"id", "\"s9\""}, {"consumer", "\"/a\""}, {"group", "\"gpu\""}},
     {{0}}},
    {&grounds[G_HOSTS], "session_end", {{"id", "\"s1\""}}, {{0}}},
    {&grounds[G_HOSTS],
     "host",
     {{"name", "\"h1\""}, {"slots", "5"}},
     {{"name", "{'now': 1000, 'hosts': {", ": {'slots': 5}}}"}}},
    {&grounds[G_HOSTS], "host_gone", {{"name", "\"h1\""}}, {{0}}},
    {&grounds[G_HYBRID], "slots", {{"slots", "30"}}, {{0}}},
    {&grounds[G_HYBRID], "returned", {{"reclaim", "\"r1.0\""}, {"slots", "1"}}, {{0}}},
    {&grounds[G_QUEUES],
     "submit",
     {{"id", "\"j9\""}, {"queue", "\"low\""}, {"tags", "[\"kept\"]"}},
     {JOB("id", ""), JOB("user", ", 'id': 'j9'"), JOB("group", ", 'id': 'j9'"),
      JOB("app", ", 'id': 'j9'"), JOB("tags", ", 'id': 'j9'")}},
    {&grounds[G_QUEUES],
     "submit",
     {{"id", "\"j9\""}, {"queue", "\"low\""}, {"state", "\"running\""}, {"hosts", "{\"h1\": 1}"}},
     {{0}}},
    {&grounds[G_QUEUES], "run", {{"id", "\"j3\""}, {"hosts", "{\"h1\": 900}"}}, {{0}}},
    {&grounds[G_QUEUES], "requeue", {{"id", "\"j1\""}}, {{0}}},
    {&grounds[G_QUEUES], "fail", {{"id", "\"j1\""}, {"until", "1900"}}, {{0}}},
    {&grounds[G_QUEUES], "stop", {{"id", "\"j1\""}}, {{0}}},
    {&grounds[G_QUEUES], "cont", {{"id", "\"j2\""}}, {{0}}},
    {&grounds[G_QUEUES], "withdraw", {{"id", "\"j3\""}}, {{0}}},
    {&grounds[G_QUEUES], "finish", {{"id", "\"j1\""}}, {{0}}},
    {&grounds[G_LEASES],
     "lease",
     {{"name", "\"l\""}, {"provider", "{\"available\": 9}"}, {"consumer", "{\"available\": 1}"}},
     {{0}}},
};

/* ---- Books ----------------------------------------------------------------------------------- */

typedef struct desk {
    const ground *ground;
    allot_engine *engine;
    allot_report *report;
    allot_policy_loader ready, loader;
    allot_plan *plan;
    allot__books *books;
    allot__event_reader *reader;
    allot__error fault;
    int64_t now, cycle;
} desk;

static void put_quoted(allot__text *out, const char *text)
{
    size_t from = out->len;
    allot__text_puts(out, text);
    for (size_t i = from; i < out->len; i++)
        out->bytes[i] = out->bytes[i] == '\'' ? '"' : out->bytes[i];
}

static int load_policy(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                       const allot_use_option *options, int32_t count, allot_policy **out,
                       allot_report *report)
{
    const desk *it = ud;
    if (strcmp(use, "wild.lua") == 0)
        return allot_script_load(engine, policy_text, strlen(policy_text), use, options, count,
                                 NULL, report, out);
    return it->ready.load(it->ready.ud, engine, use, plan_file, options, count, out, report);
}

static bool open_desk(desk *it, const ground *ground)
{
    allot__text plan = {0};
    *it = (desk){.ground = ground, .now = 1000};
    bool good = CHECK_EQ(allot_engine_new(NULL, NULL, &it->engine), ALLOT_OK) &&
                CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK) &&
                CHECK_EQ(allot_script_loader_new(it->engine, NULL, &it->ready), ALLOT_OK) &&
                CHECK_EQ(allot__event_reader_new(it->engine, &it->reader), ALLOT_OK);
    it->loader = (allot_policy_loader){.ud = it, .load = load_policy};
    plan.engine = it->engine;
    put_quoted(&plan, ground->plan);
    good = good && CHECK_EQ(allot_plan_read(it->engine, plan.bytes, plan.len, "p", &it->loader,
                                            it->report, &it->plan),
                            ALLOT_OK);
    for (int32_t i = 0; !good && i < allot_report_count(it->report); i++)
        printf("# %s: %s\n", ground->name, allot_report_at(it->report, i)->message);
    allot__text_free(&plan);
    return good;
}

static void close_desk(desk *it)
{
    allot__event_reader_free(it->reader);
    allot__books_end(it->books);
    allot_plan_free(it->plan);
    if (it->ready.load)
        allot_script_loader_free(it->engine, &it->ready);
    allot_report_free(it->report);
    allot_engine_free(it->engine);
}

/* As a service takes a client's call. */
static int tell(desk *it, const char *method, const char *params, size_t len)
{
    allot__event event;
    int32_t kind = allot__event_find(method, strlen(method));
    it->fault = (allot__error){.message = ""};
    int status = allot__event_read(it->reader, it->plan, (allot__event_kind)kind, ALLOT__CLIENT,
                                   params, len, &event, &it->fault);
    if (status != ALLOT_OK)
        return status;
    if (!event.at_given)
        event.at = it->now;
    status = allot__event_times(&event, it->now, &it->fault);
    return status == ALLOT_OK ? allot__books_apply(it->books, &event, &it->fault) : status;
}

static bool cycle(desk *it, bool enters)
{
    const allot_state *state;
    allot_decision *decision = NULL;
    allot__text effect = {.engine = it->engine};
    allot_report_clear(it->report);
    int status = allot__books_state(it->books, it->now, it->report, &state);
    if (status == ALLOT_OK)
        status = allot_cycle(it->plan, state, it->report, &decision);
    if (status == ALLOT_OK && enters)
        status = allot__books_enter(it->books, decision, ++it->cycle, &effect);
    for (int32_t i = 0; status != ALLOT_OK && i < allot_report_count(it->report); i++)
        printf("# %s\n", allot_report_at(it->report, i)->message);
    allot_decision_free(decision);
    allot__text_free(&effect);
    return status == ALLOT_OK;
}

static bool decides(desk *it)
{
    return cycle(it, true);
}

static bool would_decide(desk *it)
{
    return cycle(it, false);
}

/* Whether the books say what they said. */
static bool is_as(desk *it, const allot__text *before)
{
    allot__text now = {.engine = it->engine};
    bool same = allot__books_write(it->books, &now) == ALLOT_OK && now.len == before->len &&
                (now.len == 0 || memcmp(now.bytes, before->bytes, now.len) == 0);
    allot__text_free(&now);
    return same;
}

/* Whether what they write makes the same books, which decide too. */
static bool reads_back(desk *it)
{
    allot__text text = {.engine = it->engine};
    allot__books *books = it->books, *other = NULL;
    int status = allot__books_write(books, &text);
    if (status == ALLOT_OK)
        status = allot__books_new(it->engine, it->plan, &other);
    if (status == ALLOT_OK)
        status = allot__books_read(other, it->reader, text.bytes, text.len, NULL, NULL, &it->fault);
    it->books = other;
    if (status != ALLOT_OK)
        printf("# read back: %s\n", it->fault.message);
    bool same = status == ALLOT_OK && CHECK(is_as(it, &text)) && would_decide(it);
    it->books = books;
    allot__books_end(other);
    allot__text_free(&text);
    return same;
}

/* Books anew, in which what the ground says before stands. */
static bool begin(desk *it)
{
    bool good = true;
    allot__books_end(it->books);
    it->books = NULL;
    it->cycle = 0;
    if (!CHECK_EQ(allot__books_new(it->engine, it->plan, &it->books), ALLOT_OK))
        return false;
    for (int i = 0; good && it->ground->before[i]; i++) {
        allot__text line = {.engine = it->engine};
        put_quoted(&line, it->ground->before[i]);
        char *params = strchr(line.bytes, ' ');
        if (params)
            *params++ = '\0';
        good = params ? CHECK_EQ(tell(it, line.bytes, params, strlen(params)), ALLOT_OK)
                      : CHECK(decides(it));
        allot__text_free(&line);
    }
    return good;
}

#endif
