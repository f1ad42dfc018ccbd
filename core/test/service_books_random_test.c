/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * service_books_random_test.c: whatever clients say, in any order: what is accepted never keeps a
 * cycle from deciding, and books that are read from lines decide as those that were told.
 */
#include <stdlib.h>

#include <allot/script.h>

#include "service/books.h"

#include "test/check.h"

/* ---- What is said ---------------------------------------------------------------------------- */

/* A letter behind % is something at random, mostly of few, so that things meet:
 * L leaf, T task, S session, H host, J job, Q queue, N a number, G group, R reclaim, K host's
 * state, B true or false. */
typedef struct saying {
    const char *method, *params;
} saying;

typedef struct site {
    const char *name, *plan;
    const char *leaves[5], *queues[4], *groups[3];
    const saying *sayings;
} site;

static const saying of_leaves[] = {
    {"demand", "{'consumer': '%L', 'slots': %N%G}"},
    {"demand", "{'consumer': '%L', 'slots': %N%G}"},
    {"release", "{'consumer': '%L', 'slots': 1%G}"},
    {"allocated", "{'consumer': '%L', 'slots': %N%G}"},
    {"allocated", "{'consumer': '%L', 'slots': 1000000000%G}"},
    {"demand", "{'consumer': '%L', 'slots': 1000000000%G}"},
    {"start", "{'id': '%T', 'consumer': '%L', 'host': '%H', 'slots': 900000000%G}"},
    {"start", "{'id': '%T', 'consumer': '%L'%G}"},
    {"start", "{'id': '%T', 'consumer': '%L', 'host': '%H'%G}"},
    {"start", "{'id': '%T', 'consumer': '%L', 'host': '%H', 'session': '%S'%G}"},
    {"start", "{'id': '%T', 'consumer': '%L', 'host': '%H', 'slot': %N, 'slots': 2%G}"},
    {"finish", "{'id': '%T', 'keep': %B}"},
    {"finish", "{'id': '%T'}"},
    {"session", "{'id': '%S', 'consumer': '%L', 'priority': 3, 'demand': %N%G}"},
    {"session", "{'id': '%S', 'consumer': '%L', 'scheduling': 'priority'%G}"},
    {"session_end", "{'id': '%S'}"},
    {"host", "{'name': '%H', 'slots': %N, 'load': 1.5}"},
    {"host", "{'name': '%H', 'closed': %K}"},
    {"host", "{'name': '%H', 'exclusive_to': '%L'}"},
    {"host", "{'name': '%H', 'exclusive_to': null, 'slots': 1000000000}"},
    {"host_gone", "{'name': '%H'}"},
    {"slots", "{'slots': %N%G}"},
    {"returned", "{'reclaim': '%R', 'slots': 1}"},
    {NULL, NULL},
};

static const saying of_jobs[] = {
    {"submit", "{'id': '%J', 'queue': '%Q', 'slots': %N, 'user': 'ann', 'run_limit': 60}"},
    {"submit", "{'id': '%J', 'queue': '%Q', 'slots': 2, 'user': 'bob', 'resources': {'lic': 1}}"},
    {"submit", "{'id': '%J', 'queue': '%Q', 'exclusive': %B}"},
    {"submit", "{'id': '%J', 'queue': '%Q', 'slots': 600000000}"},
    {"finish", "{'id': '%J'}"},
    {"stop", "{'id': '%J'}"},
    {"cont", "{'id': '%J'}"},
    {"withdraw", "{'id': '%J'}"},
    {"host", "{'name': '%H', 'slots': %N, 'closed': %K}"},
    {"host", "{'name': '%H', 'slots': %N000000, 'closed': %K}"},
    {"host", "{'name': '%H', 'slots': 1000000000}"},
    {"host_gone", "{'name': '%H'}"},
    {NULL, NULL},
};

#define LEAVES                                                                                     \
    "'consumers': [{'name': 'a', 'owned': 10, 'grace': 2}, {'name': 'b', 'owned': 20},"            \
    "{'name': 'c', 'children': [{'name': 'd', 'owned': 10}]}]"
#define HOSTS "'hosts': {'h1': {'slots': 20}, 'h2': {'slots': 20}}"

static const site sites[] = {
    {"hybrid",
     "{'version': 1, 'slots': 40, 'policy': 'hybrid', 'options': {'claim_delay': 2}, " LEAVES "}",
     {"/a", "/b", "/c/d"},
     {0},
     {0},
     of_leaves},
    {"hosts",
     "{'version': 1, 'policy': 'hybrid', " HOSTS ", 'options': {'leeway': 1}, 'consumers': ["
     "{'name': 'a', 'owned': 10, 'exclusive': true}, {'name': 'b', 'owned': 20, 'grace': 1}]}",
     {"/a", "/b"},
     {0},
     {0},
     of_leaves},
    {"ownership",
     "{'version': 1, 'slots': 40, 'policy': 'ownership', 'consumers': ["
     "{'name': 'a', 'owned': 10, 'lend': true, 'borrow': true, 'grace': 1},"
     "{'name': 'b', 'owned': 20, 'lend': true, 'borrow': true},"
     "{'name': 'c', 'children': [{'name': 'd', 'owned': 10, 'borrow': true}]}]}",
     {"/a", "/b", "/c/d"},
     {0},
     {0},
     of_leaves},
    {"groups",
     "{'version': 1, 'slots': 20, 'policy': 'share_ratio', " LEAVES ", 'hosts': {'h1': {'slots':"
     "20}, 'h2': {'slots': 20, 'group': 'gpu'}}, 'groups': {'gpu': {'slots': 20}}}",
     {"/a", "/b", "/c/d"},
     {0},
     {"default", "gpu"},
     of_leaves},
    {"queues",
     "{'version': 1, 'policy': 'preemption', 'hosts': {'h1': {'slots': 8}, 'h2': {'slots': 4}},"
     "'resources': {'lic': 2}, 'params': {'preemptable_resources': ['lic']}, 'queues': ["
     "{'name': 'low', 'priority': 1, 'preemptable': true}, {'name': 'mid', 'priority': 5,"
     "'preemptive': ['low'], 'preemptable': true, 'ujob_limit': 3},"
     "{'name': 'high', 'priority': 9, 'preemptive': true}]}",
     {0},
     {"low", "mid", "high"},
     {0},
     of_jobs},
    {"pools",
     "{'version': 1, 'policy': 'queue_pool', 'hosts': {'h1': {'slots': 8}, 'h2': {'slots': 4}},"
     "'resources': {'lic': 2}, 'queues': ["
     "{'name': 'low', 'slot_pool': 'p', 'slot_share': 60},"
     "{'name': 'mid', 'slot_pool': 'p', 'slot_share': 40}]}",
     {0},
     {"low", "mid"},
     {0},
     of_jobs},
};

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

static size_t put_random(const site *site, char what, int64_t cycle, char *out, size_t size)
{
    static const char *const closed[] = {"false", "'drain'", "'reclaim'", NULL};
    int len = 0;
    if (what == 'L')
        len = snprintf(out, size, "%s", one_of(site->leaves));
    else if (what == 'Q')
        len = snprintf(out, size, "%s", one_of(site->queues));
    else if (what == 'K')
        len = snprintf(out, size, "%s", one_of(closed));
    else if (what == 'B')
        len = snprintf(out, size, "%s", pick(2) ? "true" : "false");
    else if (what == 'N')
        len = snprintf(out, size, "%d", pick(25));
    else if (what == 'R')
        len = snprintf(out, size, "r%d.%d", (int)cycle - pick(5), pick(2));
    else if (what == 'G' && site->groups[0] != NULL)
        len = snprintf(out, size, ", 'group': '%s'", one_of(site->groups));
    else if (what != 'G')
        len = snprintf(out, size, "%c%d", what + 'a' - 'A', pick(what == 'H' ? 4 : 9));
    return (size_t)len;
}

/* The params of a saying, with its quotes. */
static void say(const site *site, const saying *it, int64_t cycle, char *out, size_t size)
{
    size_t at = 0;
    for (const char *c = it->params; *c != '\0' && at + 1 < size; c++) {
        if (*c == '%')
            at += put_random(site, *++c, cycle, out + at, size - at);
        else
            out[at++] = *c;
    }
    out[at] = '\0';
    for (; at > 0; at--)
        if (out[at - 1] == '\'')
            out[at - 1] = '"';
}

/* ---- Books ----------------------------------------------------------------------------------- */

typedef struct desk {
    allot_engine *engine;
    allot_policy_loader loader;
    allot_report *report;
    allot_plan *plan;
    allot__books *books, *reads; /* those that are told all, and those that read what is decided */
    allot__reader *reader;
    int64_t now, cycle;
} desk;

static bool open_desk(desk *it, const site *site)
{
    char plan[1000];
    snprintf(plan, sizeof plan, "%s", site->plan);
    for (char *c = plan; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    *it = (desk){.now = 1000};
    bool good = CHECK_EQ(allot_engine_new(NULL, NULL, &it->engine), ALLOT_OK) &&
                CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK) &&
                CHECK_EQ(allot_script_loader_new(it->engine, NULL, &it->loader), ALLOT_OK) &&
                CHECK_EQ(allot_plan_read(it->engine, plan, strlen(plan), "p", &it->loader,
                                         it->report, &it->plan),
                         ALLOT_OK);
    if (!good && allot_report_count(it->report) > 0)
        printf("# %s\n", allot_report_at(it->report, 0)->message);
    return good && CHECK_EQ(allot__books_new(it->engine, it->plan, &it->books), ALLOT_OK) &&
           CHECK_EQ(allot__books_new(it->engine, it->plan, &it->reads), ALLOT_OK) &&
           CHECK_EQ(allot__reader_new(it->engine, &it->reader), ALLOT_OK);
}

static void close_desk(desk *it)
{
    allot__reader_free(it->reader);
    allot__books_end(it->books);
    allot__books_end(it->reads);
    allot_plan_free(it->plan);
    if (it->loader.load != NULL)
        allot_script_loader_free(it->engine, &it->loader);
    allot_report_free(it->report);
    allot_engine_free(it->engine);
}

static int tell(desk *it, allot__books *books, const saying *said, const char *params)
{
    allot__event event;
    allot__fault fault = {.message = ""};
    int32_t kind = allot__event_find(said->method, strlen(said->method));
    int status = allot__event_read(it->reader, it->plan, (allot__event_kind)kind, ALLOT__CLIENT,
                                   params, strlen(params), &event, &fault);
    if (status != ALLOT_OK)
        return status;
    event.at = it->now;
    return allot__books_apply(books, &event, &fault);
}

static bool read_lines(desk *it, const allot__buf *text)
{
    allot__fault fault = {.message = ""};
    int status = ALLOT_OK;
    for (size_t at = 0; at < text->len && status == ALLOT_OK;) {
        size_t len = strcspn(text->bytes + at, "\n");
        status = allot__books_read(it->reads, it->reader, text->bytes + at, len, &fault);
        at += len + 1;
    }
    if (status != ALLOT_OK)
        printf("# %s\n", fault.message);
    return status == ALLOT_OK;
}

static bool same_text(const allot__buf *a, const allot__buf *b)
{
    bool same = a->len == b->len && (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
    if (!same)
        printf("# %.*s\n# ---\n# %.*s\n", (int)a->len, a->bytes, (int)b->len, b->bytes);
    return same;
}

/* Decides; the same comes out of books that were read. What changed is entered in both. */
static bool decide(desk *it)
{
    const allot_state *state;
    allot_decision *decision = NULL, *other = NULL;
    allot__buf a = {.engine = it->engine}, b = {.engine = it->engine};
    allot__buf effect = {.engine = it->engine};
    allot_report_clear(it->report);
    int status = allot__books_state(it->books, it->now, it->report, &state);
    if (status == ALLOT_OK)
        status = allot_cycle(it->plan, state, it->report, &decision);
    for (int32_t i = 0; status != ALLOT_OK && i < allot_report_count(it->report); i++)
        if (allot_report_at(it->report, i)->severity == ALLOT_ERROR)
            printf("# %s\n", allot_report_at(it->report, i)->message);
    bool good = status == ALLOT_OK;
    good = good && allot__books_state(it->reads, it->now, NULL, &state) == ALLOT_OK &&
           allot_cycle(it->plan, state, NULL, &other) == ALLOT_OK &&
           allot_decision_write(decision, NULL, allot__buf_sink, &a) == ALLOT_OK &&
           allot_decision_write(other, NULL, allot__buf_sink, &b) == ALLOT_OK && same_text(&a, &b);
    good = good && allot__books_enter(it->books, decision, ++it->cycle, &effect) == ALLOT_OK &&
           read_lines(it, &effect);
    allot_decision_free(decision);
    allot_decision_free(other);
    allot__buf *all[] = {&a, &b, &effect};
    for (size_t i = 0; i < 3; i++)
        allot__buf_free(all[i]);
    return good;
}

/* Books that are read from a snapshot take the place of those that read what was decided. */
static bool begin_anew(desk *it)
{
    allot__buf text = {.engine = it->engine};
    allot__books_end(it->reads);
    it->reads = NULL;
    bool good = allot__books_new(it->engine, it->plan, &it->reads) == ALLOT_OK &&
                allot__books_write(it->books, &text) == ALLOT_OK && read_lines(it, &text);
    allot__buf_free(&text);
    return good;
}

static bool same_lines(desk *it)
{
    allot__buf a = {.engine = it->engine}, b = {.engine = it->engine};
    bool same = allot__books_write(it->books, &a) == ALLOT_OK &&
                allot__books_write(it->reads, &b) == ALLOT_OK && same_text(&a, &b);
    allot__buf_free(&a);
    allot__buf_free(&b);
    return same;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static bool stroll(const site *site, unsigned from, int steps, int *accepted)
{
    desk it;
    char params[300];
    bool good = open_desk(&it, site);
    int kinds = 0;
    while (site->sayings[kinds].method != NULL)
        kinds++;
    seed = from;
    for (int i = 0; i < steps && good; i++) {
        const saying *said = &site->sayings[pick(kinds)];
        say(site, said, it.cycle, params, sizeof params);
        int status = tell(&it, it.books, said, params);
        good = tell(&it, it.reads, said, params) == status;
        *accepted += status == ALLOT_OK;
        it.now += pick(3) == 0 ? pick(4) : 0;
        if (getenv("ALLOT_SHOW") != NULL)
            printf("# %s %s -> %d\n", said->method, params, status);
        good = good && (pick(3) != 0 || decide(&it)) && same_lines(&it);
        good = good && (pick(20) != 0 || begin_anew(&it));
        if (!good)
            printf("# %s, seed %u, step %d: %s %s\n", site->name, from, i, said->method, params);
    }
    close_desk(&it);
    return good;
}

static void test_anything_goes(void)
{
    const char *runs = getenv("ALLOT_RUNS");
    unsigned last = runs != NULL ? (unsigned)strtoul(runs, NULL, 10) : 40;
    for (size_t k = 0; k < sizeof sites / sizeof *sites; k++) {
        int accepted = 0;
        unsigned i = 0;
        while (i < last && stroll(&sites[k], ++i * 7919, 120, &accepted))
            continue;
        CHECK_EQ(i, last);
        CHECK(accepted > (int)last * 20);
    }
}

int main(void)
{
    RUN(test_anything_goes);
    return check_done();
}
