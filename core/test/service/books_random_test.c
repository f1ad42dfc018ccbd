/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * books_random_test.c: whatever clients say, in any order: what is accepted never keeps a
 * cycle from deciding, and books that are read from lines decide as those that were told.
 */
#include <stdlib.h>

#include <allot/script.h>

#include "service/books/books.h"

#include "test/support/check.h"
#include "test/support/sayings.h"

/* ---- Books ----------------------------------------------------------------------------------- */

typedef struct desk {
    allot_engine *engine;
    allot_policy_loader loader;
    allot_report *report, *other;
    allot_plan *plan;
    allot__books *books, *reads; /* those that are told all, and those that read what is decided */
    allot__event_reader *reader;
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
                CHECK_EQ(allot_report_new(it->engine, &it->other), ALLOT_OK) &&
                CHECK_EQ(allot_script_loader_new(it->engine, NULL, &it->loader), ALLOT_OK) &&
                CHECK_EQ(allot_plan_read(it->engine, plan, strlen(plan), "p", &it->loader,
                                         it->report, &it->plan),
                         ALLOT_OK);
    if (!good && allot_report_count(it->report) > 0)
        printf("# %s\n", allot_report_at(it->report, 0)->message);
    return good && CHECK_EQ(allot__books_new(it->engine, it->plan, &it->books), ALLOT_OK) &&
           CHECK_EQ(allot__books_new(it->engine, it->plan, &it->reads), ALLOT_OK) &&
           CHECK_EQ(allot__event_reader_new(it->engine, &it->reader), ALLOT_OK);
}

static void close_desk(desk *it)
{
    allot__event_reader_free(it->reader);
    allot__books_end(it->books);
    allot__books_end(it->reads);
    allot_plan_free(it->plan);
    if (it->loader.load)
        allot_script_loader_free(it->engine, &it->loader);
    allot_report_free(it->report);
    allot_report_free(it->other);
    allot_engine_free(it->engine);
}

static int tell(desk *it, allot__books *books, const saying *said, const char *params)
{
    allot__event event;
    allot__error fault = {.message = ""};
    int32_t kind = allot__event_find(said->method, strlen(said->method));
    int status = allot__event_read(it->reader, it->plan, (allot__event_kind)kind, ALLOT__CLIENT,
                                   params, strlen(params), &event, &fault);
    if (status != ALLOT_OK)
        return status;
    event.at = it->now;
    return allot__books_apply(books, &event, &fault);
}

static bool read_lines(desk *it, const allot__text *text)
{
    allot__error fault = {.message = ""};
    int status =
        allot__books_read(it->reads, it->reader, text->bytes, text->len, NULL, NULL, &fault);
    if (status != ALLOT_OK)
        printf("# %s\n", fault.message);
    return status == ALLOT_OK;
}

static bool same_text(const allot__text *a, const allot__text *b)
{
    bool same = a->len == b->len && (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
    if (!same)
        printf("# %.*s\n# ---\n# %.*s\n", (int)a->len, a->bytes, (int)b->len, b->bytes);
    return same;
}

/* What is decided on some books: the document with its warnings, and the digests of it. */
static int would_decide(desk *it, allot__books *books, allot_report *report, allot__text *out,
                        allot_decision **decision)
{
    const allot_state *state;
    uint64_t input = 0, output = 0;
    allot_report_clear(report);
    int status = allot__books_state(books, it->now, report, &state);
    if (status == ALLOT_OK)
        status = allot_cycle(it->plan, state, report, decision);
    for (int32_t i = 0; status != ALLOT_OK && i < allot_report_count(report); i++)
        if (allot_report_at(report, i)->severity == ALLOT_ERROR)
            printf("# %s\n", allot_report_at(report, i)->message);
    if (status == ALLOT_OK)
        status = allot_decision_write(*decision, report, allot__text_sink, out);
    if (status == ALLOT_OK)
        status = allot_state_write(state, allot__text_sink, out);
    if (status == ALLOT_OK)
        allot_decision_digest(*decision, &input, &output);
    allot__text_printf(out, "%llx %llx", (unsigned long long)input, (unsigned long long)output);
    return status;
}

/* Decides; the same comes out of books that were read, whose state is made anew each time: what is
 * said goes by what the books have, not by what was said before. What changed is entered in both.
 */
static bool decide(desk *it)
{
    allot_decision *decision = NULL, *other = NULL;
    allot__text a = {.engine = it->engine}, b = {.engine = it->engine};
    allot__text effect = {.engine = it->engine};
    bool good = would_decide(it, it->books, it->report, &a, &decision) == ALLOT_OK &&
                would_decide(it, it->reads, it->other, &b, &other) == ALLOT_OK && same_text(&a, &b);
    good = good && allot__books_enter(it->books, decision, ++it->cycle, &effect) == ALLOT_OK &&
           read_lines(it, &effect);
    allot_decision_free(decision);
    allot_decision_free(other);
    allot__text *all[] = {&a, &b, &effect};
    for (size_t i = 0; i < 3; i++)
        allot__text_free(all[i]);
    return good;
}

/* Books that are read from a snapshot take the place of those that read what was decided. */
static bool begin_anew(desk *it)
{
    allot__text text = {.engine = it->engine};
    allot__books_end(it->reads);
    it->reads = NULL;
    bool good = allot__books_new(it->engine, it->plan, &it->reads) == ALLOT_OK &&
                allot__books_write(it->books, &text) == ALLOT_OK && read_lines(it, &text);
    allot__text_free(&text);
    return good;
}

/* A snapshot that is written bit by bit, while all goes on, is as it was when it began. */
typedef struct listing {
    allot__text whole, text;
    bool under_way;
} listing;

static bool list_some(desk *it, listing *list)
{
    bool over = false, good = true;
    if (!list->under_way) {
        list->whole.engine = list->text.engine = it->engine;
        list->whole.len = list->text.len = 0;
        good = allot__books_write(it->books, &list->whole) == ALLOT_OK &&
               allot__books_list_begin(it->books) == ALLOT_OK;
        list->under_way = good;
        return good;
    }
    good = allot__books_list(it->books, &list->text, 1 + (size_t)pick(400), &over) == ALLOT_OK;
    list->under_way = !over;
    return good && (!over || same_text(&list->whole, &list->text));
}

static bool same_lines(desk *it)
{
    allot__text a = {.engine = it->engine}, b = {.engine = it->engine};
    bool same = allot__books_write(it->books, &a) == ALLOT_OK &&
                allot__books_write(it->reads, &b) == ALLOT_OK && same_text(&a, &b);
    allot__text_free(&a);
    allot__text_free(&b);
    return same;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static bool stroll(const site *site, unsigned from, int steps, int *accepted)
{
    desk it;
    listing list = {.under_way = false};
    char params[300];
    bool good = open_desk(&it, site);
    int kinds = 0;
    while (site->sayings[kinds].method)
        kinds++;
    seed = from;
    for (int i = 0; i < steps && good; i++) {
        const saying *said = &site->sayings[pick(kinds)];
        say(site, said, it.cycle, params, sizeof params);
        int status = tell(&it, it.books, said, params);
        good = tell(&it, it.reads, said, params) == status;
        *accepted += status == ALLOT_OK;
        it.now += pick(3) == 0 ? pick(4) : 0;
        it.now += pick(30) == 0 ? 600 * pick(12) : 0;
        if (getenv("ALLOT_SHOW"))
            printf("# %s %s -> %d\n", said->method, params, status);
        good = good && (pick(3) != 0 || decide(&it)) && same_lines(&it);
        good = good && (pick(20) != 0 || begin_anew(&it)) && list_some(&it, &list);
        if (!good)
            printf("# %s, seed %u, step %d: %s %s\n", site->name, from, i, said->method, params);
    }
    allot__text_free(&list.whole);
    allot__text_free(&list.text);
    close_desk(&it);
    return good;
}

static void test_anything_goes(void)
{
    const char *runs = getenv("ALLOT_RUNS");
    unsigned last = runs ? (unsigned)strtoul(runs, NULL, 10) : 40;
    for (size_t k = 0; k < sizeof sites / sizeof *sites; k++) {
        int accepted = 0;
        unsigned i = 0;
        while (i < last && stroll(&sites[k], ++i * 7919, 120, &accepted))
            continue;
        CHECK_EQ(i, last);
        CHECK(accepted > (int)last * 20);
    }
}

/* Hosts that come and go without end leave nothing behind, but for those where something runs. */
static void test_hosts_come_and_go(void)
{
    static const saying come = {"host", NULL}, gone = {"host_gone", NULL}, start = {"start", NULL};
    desk it;
    char params[100];
    allot__text lines = {.bytes = NULL};
    CHECK(open_desk(&it, &sites[0]));
    lines.engine = it.engine;
    CHECK_EQ(
        tell(&it, it.books, &(saying){"allocated", NULL}, "{\"consumer\": \"/a\", \"slots\": 9}"),
        ALLOT_OK);
    for (int i = 0; i < 5000; i++) {
        snprintf(params, sizeof params, "{\"name\": \"n%d\", \"slots\": 4}", i);
        CHECK_EQ(tell(&it, it.books, &come, params), ALLOT_OK);
        snprintf(params, sizeof params,
                 "{\"id\": \"t%d\", \"consumer\": \"/a\", \"host\": \"n%d\"}", i, i);
        CHECK_EQ(tell(&it, it.books, &start, params), i < 9 ? ALLOT_OK : ALLOT_ERANGE);
        snprintf(params, sizeof params, "{\"name\": \"n%d\"}", i);
        CHECK_EQ(tell(&it, it.books, &gone, params), ALLOT_OK);
    }
    CHECK_EQ(allot__books_write(it.books, &lines), ALLOT_OK);
    int count = 0;
    for (const char *at = lines.bytes; (at = strstr(at, "\"host\", \"params\"")); at++)
        count++;
    CHECK(count >= 9 && count < 64 + 9);
    allot__text_free(&lines);
    close_desk(&it);
}

int main(void)
{
    RUN(test_anything_goes);
    RUN(test_hosts_come_and_go);
    return check_done();
}
