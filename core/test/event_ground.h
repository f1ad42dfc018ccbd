/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * event_ground.h: books under plans of several kinds, and events for them: sound ones, with a
 * hostile value in a member, and drawn at random by the table of events.
 */
#ifndef ALLOT_TEST_EVENT_GROUND_H
#define ALLOT_TEST_EVENT_GROUND_H

#include <allot/script.h>

#include "service/books.h"
#include "service/event_fields.h"

#include "test/check.h"

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
                  "{'version': 1, 'slots': 20, 'policy': 'share_ratio', " CONSUMERS ", 'hosts': "
                  "{'h1': {'slots': 20}, 'h2': {'slots': 20, 'group': 'gpu'}}, 'groups': {'gpu': "
                  "{'slots': 20}}}",
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
     "session",
     {{"id", "\"s9\""}, {"consumer", "\"/a\""}},
     {{"id", "{'now': 1000, 'sessions': [{'id': ", ", 'consumer': '/a'}]}"}}},
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
    allot__reader *reader;
    allot__fault fault;
    int64_t now, cycle;
} desk;

static void put_quoted(allot__buf *out, const char *text)
{
    size_t from = out->len;
    allot__buf_puts(out, text);
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
    allot__buf plan = {0};
    *it = (desk){.ground = ground, .now = 1000};
    bool good = CHECK_EQ(allot_engine_new(NULL, NULL, &it->engine), ALLOT_OK) &&
                CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK) &&
                CHECK_EQ(allot_script_loader_new(it->engine, NULL, &it->ready), ALLOT_OK) &&
                CHECK_EQ(allot__reader_new(it->engine, &it->reader), ALLOT_OK);
    it->loader = (allot_policy_loader){.ud = it, .load = load_policy};
    plan.engine = it->engine;
    put_quoted(&plan, ground->plan);
    good = good && CHECK_EQ(allot_plan_read(it->engine, plan.bytes, plan.len, "p", &it->loader,
                                            it->report, &it->plan),
                            ALLOT_OK);
    for (int32_t i = 0; !good && i < allot_report_count(it->report); i++)
        printf("# %s: %s\n", ground->name, allot_report_at(it->report, i)->message);
    allot__buf_free(&plan);
    return good;
}

static void close_desk(desk *it)
{
    allot__reader_free(it->reader);
    allot__books_end(it->books);
    allot_plan_free(it->plan);
    if (it->ready.load != NULL)
        allot_script_loader_free(it->engine, &it->ready);
    allot_report_free(it->report);
    allot_engine_free(it->engine);
}

/* As a service takes a client's call. */
static int tell(desk *it, const char *method, const char *params, size_t len)
{
    allot__event event;
    int32_t kind = allot__event_find(method, strlen(method));
    it->fault = (allot__fault){.message = ""};
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
    allot__buf effect = {.engine = it->engine};
    allot_report_clear(it->report);
    int status = allot__books_state(it->books, it->now, it->report, &state);
    if (status == ALLOT_OK)
        status = allot_cycle(it->plan, state, it->report, &decision);
    if (status == ALLOT_OK && enters)
        status = allot__books_enter(it->books, decision, ++it->cycle, &effect);
    for (int32_t i = 0; status != ALLOT_OK && i < allot_report_count(it->report); i++)
        printf("# %s\n", allot_report_at(it->report, i)->message);
    allot_decision_free(decision);
    allot__buf_free(&effect);
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
static bool is_as(desk *it, const allot__buf *before)
{
    allot__buf now = {.engine = it->engine};
    bool same = allot__books_write(it->books, &now) == ALLOT_OK && now.len == before->len &&
                (now.len == 0 || memcmp(now.bytes, before->bytes, now.len) == 0);
    allot__buf_free(&now);
    return same;
}

/* Whether what they write makes the same books, which decide too. */
static bool reads_back(desk *it)
{
    allot__buf text = {.engine = it->engine};
    allot__books *books = it->books, *other = NULL;
    int status = allot__books_write(books, &text);
    if (status == ALLOT_OK)
        status = allot__books_new(it->engine, it->plan, &other);
    for (size_t at = 0; at < text.len && status == ALLOT_OK;) {
        size_t len = (size_t)((char *)memchr(text.bytes + at, '\n', text.len - at) - text.bytes);
        status = allot__books_read(other, it->reader, text.bytes + at, len - at, &it->fault);
        at = len + 1;
    }
    it->books = other;
    if (status != ALLOT_OK)
        printf("# read back: %s\n", it->fault.message);
    bool same = status == ALLOT_OK && CHECK(is_as(it, &text)) && would_decide(it);
    it->books = books;
    allot__books_end(other);
    allot__buf_free(&text);
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
    for (int i = 0; good && it->ground->before[i] != NULL; i++) {
        allot__buf line = {.engine = it->engine};
        put_quoted(&line, it->ground->before[i]);
        char *params = strchr(line.bytes, ' ');
        if (params != NULL)
            *params++ = '\0';
        good = params != NULL ? CHECK_EQ(tell(it, line.bytes, params, strlen(params)), ALLOT_OK)
                              : CHECK(decides(it));
        allot__buf_free(&line);
    }
    return good;
}

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
static bool put_hostile(int i, allot__buf *out)
{
    static const int lengths[] = {254, 255, 256, 1000, 70000};
    out->len = 0;
    if (i < 32) {
        allot__buf_printf(out, "\"a\\u%04xb\"", i);
    } else if (i < 32 + 5) {
        allot__buf_puts(out, "\"");
        for (int k = 0; k < lengths[i - 32]; k++)
            allot__buf_puts(out, "x");
        allot__buf_puts(out, "\"");
    } else if (i == 32 + 5) { /* 128 characters, 256 bytes */
        allot__buf_puts(out, "\"");
        for (int k = 0; k < 128; k++)
            allot__buf_puts(out, "\xc3\xa4");
        allot__buf_puts(out, "\"");
    } else if (i - 38 < WILD) {
        allot__buf_puts(out, wild[i - 38]);
    } else {
        return false;
    }
    return true;
}
#define HOSTILES (38 + WILD)

/* As it is, in a list, as a key and as an object's value. */
enum { HOSTILE_FORMS = 4 };
static void put_form(int form, const char *value, allot__buf *out)
{
    if (form == 0)
        allot__buf_puts(out, value);
    else if (form == 1)
        allot__buf_printf(out, "[%s]", value);
    else if (form == 2)
        allot__buf_printf(out, "{%s: 1}", value[0] == '"' ? value : "\"lic\"");
    else
        allot__buf_printf(out, "{\"available\": %s}", value);
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
    while (list[count] != NULL)
        count++;
    return count > 0 ? list[pick(count)] : "";
}

/* A kind of event that may be said of such a plan, mostly. */
static int32_t random_kind(const desk *it)
{
    static const char *const leaves[] = {"demand", "demand",  "allocated", "start",   "start",
                                         "finish", "session", "release",   "returned"};
    static const char *const jobs[] = {"submit", "submit", "submit",  "finish",
                                       "stop",   "cont",   "withdraw"};
    static const char *const others[] = {"host", "host", "host_gone", "slots", "session_end"};
    int many = it->ground->leaves[0] != NULL ? 9 : it->ground->queues[0] != NULL ? 7 : 0;
    const char *method = "lease";
    if (many > 0)
        method = pick(3) == 0 ? others[pick(5)] : many == 9 ? leaves[pick(9)] : jobs[pick(7)];
    return allot__event_find(method, strlen(method));
}

static void random_text(const desk *it, int32_t kind, const allot__field *field, allot__buf *out)
{
    bool host = strcmp(field->name, "host") == 0 || kind == ALLOT__EVENT_HOST ||
                kind == ALLOT__EVENT_HOST_GONE;
    if (strcmp(field->name, "reclaim") == 0)
        allot__buf_printf(out, "\"r%d.%d\"", (int)it->cycle - pick(4), pick(2));
    else
        allot__buf_printf(out, "\"%c%d\"", host ? 'h' : 'i', 1 + pick(host ? 4 : 8));
}

static void random_number(const allot__field *field, allot__buf *out)
{
    static const int64_t large[] = {1000000000, 999999999, 500000000, 900000000};
    int64_t value = pick(8) == 0 ? large[pick(4)] : pick(30);
    if (value < field->least)
        value = field->least;
    allot__buf_int(out, value);
}

static void random_value(const desk *it, int32_t kind, const allot__field *field, allot__buf *out)
{
    static const char *const closed[] = {"false", "\"drain\"", "\"reclaim\"", NULL};
    static const char *const words[] = {"\"proportional\"", "\"minimum\"", "\"priority\"", NULL};
    static const char *const tags[] = {"[]", "[\"gold\"]", "[\"kept\", \"x\"]", NULL};
    switch (field->type) {
    case ALLOT__F_CONSUMER:
    case ALLOT__F_LEAF:
        allot__buf_json(out, one_of(it->ground->leaves));
        break;
    case ALLOT__F_GROUP:
        allot__buf_json(out, it->ground->groups[0] ? one_of(it->ground->groups) : "default");
        break;
    case ALLOT__F_QUEUE:
        allot__buf_json(out, one_of(it->ground->queues));
        break;
    case ALLOT__F_LEASE:
        allot__buf_puts(out, "\"l\"");
        break;
    case ALLOT__F_BOOL:
        allot__buf_puts(out, pick(2) ? "true" : "false");
        break;
    case ALLOT__F_TIME:
        allot__buf_int(out, it->now - pick(100));
        break;
    case ALLOT__F_TEXTS:
        allot__buf_puts(out, one_of(tags));
        break;
    case ALLOT__F_NUMBERS:
        allot__buf_printf(
            out, kind == ALLOT__EVENT_LEASE ? "{\"available\": %d, \"used\": %d}" : "{\"lic\": %d}",
            pick(9), pick(9));
        break;
    case ALLOT__F_SCHEDULING:
        allot__buf_puts(out, one_of(words));
        break;
    case ALLOT__F_CLOSED:
        allot__buf_puts(out, one_of(closed));
        break;
    case ALLOT__F_LOAD:
        allot__buf_printf(out, "%d.5", pick(1000));
        break;
    case ALLOT__F_WHOLE:
        random_number(field, out);
        break;
    default:
        random_text(it, kind, field, out);
    }
}

static void add_random(const desk *it, int32_t kind, const allot__field *field, allot__buf *out)
{
    allot__buf value = {.engine = it->engine}, formed = {.engine = it->engine};
    if (field->kept || (!field->required && pick(3) != 0))
        return;
    allot__buf_key(out, field->name);
    if (pick(25) == 0) {
        put_hostile(pick(HOSTILES), &value);
        put_form(pick(HOSTILE_FORMS), value.bytes, &formed);
        allot__buf_puts(out, formed.bytes);
    } else {
        random_value(it, kind, field, out);
    }
    allot__buf_free(&value);
    allot__buf_free(&formed);
}

static void random_params(const desk *it, int32_t kind, allot__buf *out)
{
    const allot__fields *fields = &allot__event_fields[kind];
    out->len = 0;
    allot__buf_puts(out, "{");
    for (int32_t i = 0; i < fields->count; i++)
        add_random(it, kind, &fields->items[i], out);
    for (int32_t i = 0; fields->attributes && i < allot_plan_task_attributes(it->plan); i++) {
        allot_attribute attribute;
        if (pick(5) != 0 || allot_plan_task_attribute_at(it->plan, i, &attribute) != ALLOT_OK)
            continue;
        allot__buf_key(out, attribute.name);
        allot__buf_puts(out, pick(3) == 0 ? "true" : pick(2) == 0 ? "1" : "7");
    }
    allot__buf_puts(out, "}");
}

#endif
