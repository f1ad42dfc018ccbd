/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * rebase_test.c: books that are turned to another plan, or written bit by bit while they
 * change, say what they would have said whole.
 */
#include "test/support/books_desk.h"

/* The tree with others before, between and behind, who shift all numbers. */
static const char grown[] =
    "{\"version\": 1, \"slots\": 60, \"policy\": \"hybrid\", \"options\": {\"claim_delay\": 3},"
    "\"hosts\": {\"h0\": {\"slots\": 1}, \"h1\": {\"slots\": 20}, \"h2\": {\"slots\": 20}},"
    "\"consumers\": [{\"name\": \"first\", \"owned\": 5},"
    "{\"name\": \"c\", \"children\": [{\"name\": \"e\", \"owned\": 5},"
    "{\"name\": \"d\", \"owned\": 10}]},"
    "{\"name\": \"b\", \"owned\": 20}, {\"name\": \"more\", \"owned\": 5},"
    "{\"name\": \"a\", \"owned\": 10, \"grace\": 5}]}";
static const char grown_queues[] =
    "{\"version\": 1, \"slots\": 8, \"policy\": \"preemption\", \"hosts\": {\"h1\": {\"slots\": "
    "8}},"
    "\"queues\": [{\"name\": \"new\", \"priority\": 5}, {\"name\": \"high\", \"priority\": 9, "
    "\"preemptive\": true}, {\"name\": \"low\", \"priority\": 1, \"preemptable\": true}]}";
/* Groups change their numbers. */
static const char turned[] =
    "{\"version\": 1, \"policy\": \"hybrid\", \"groups\": {\"gpu\": {\"slots\": 9}, \"more\": "
    "{\"slots\": 3}, \"cpu\": {\"slots\": 30}}, \"consumers\": [{\"name\": \"b\", \"owned\": 4}, "
    "{\"name\": \"a\", \"owned\": 3}, {\"name\": \"c\", \"children\": [{\"name\": \"d\", "
    "\"owned\": "
    "2}]}]}";
static const char without_b[] =
    "{\"version\": 1, \"slots\": 40, \"policy\": \"hybrid\", \"options\": {\"claim_delay\": 3},"
    "\"hosts\": {\"h1\": {\"slots\": 20}, \"h2\": {\"slots\": 20}}, \"consumers\": ["
    "{\"name\": \"a\", \"owned\": 10, \"grace\": 5},"
    "{\"name\": \"c\", \"children\": [{\"name\": \"d\", \"owned\": 10}]}]}";

static void random_steps(desk *it, int steps)
{
    char text[200];
    const char *method;
    for (int i = 0; i < steps; i++) {
        random_event(it, text, sizeof text, &method);
        tell(it, method, text);
        if (pick(4) == 0) {
            allot__text effect = {.engine = it->engine};
            it->now += pick(4);
            CHECK_EQ(decide(it, &effect), ALLOT_OK);
            allot__text_free(&effect);
        }
    }
}

/* ---- Turned ---------------------------------------------------------------------------------- */

static int turn(desk *it, const allot_plan *plan)
{
    allot_plan_map *ids;
    allot__books *books;
    int status = allot_plan_map_new(it->engine, allot__books_plan(it->books), plan, &ids);
    if (status != ALLOT_OK)
        return status;
    status = allot__books_rebase(it->books, ids, NULL, &books);
    allot_plan_map_free(it->engine, ids);
    if (status != ALLOT_OK)
        return status;
    allot__books_end(it->books);
    it->books = books;
    return ALLOT_OK;
}

/* There and back, against what a copy by names says; and they go on deciding. */
static void there_and_back(const char *from, const char *to, unsigned with)
{
    allot_engine *engine;
    desk it, other;
    allot__error lost;
    allot__books *copy = NULL, *moved = NULL;
    seed = with;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(open_desk(&it, engine, from), ALLOT_OK);
    CHECK_EQ(open_desk(&other, engine, to), ALLOT_OK);
    allot_plan *plan = it.plan;
    random_steps(&it, 60);
    CHECK_EQ(allot__books_move(it.books, plan, &lost, &copy), ALLOT_OK);
    CHECK_EQ(allot__books_move(it.books, other.plan, &lost, &moved), ALLOT_OK);
    CHECK_EQ(turn(&it, other.plan), ALLOT_OK);
    CHECK(same(&it, it.books, moved));
    CHECK_EQ(turn(&it, plan), ALLOT_OK);
    CHECK(same(&it, it.books, copy));
    CHECK_EQ(turn(&it, other.plan), ALLOT_OK);
    it.plan = other.plan;
    CHECK(decides_as_anew(&it));
    random_steps(&it, 30);
    CHECK(decides_as_anew(&it));
    it.plan = plan;
    allot__books_end(copy);
    allot__books_end(moved);
    allot__books_end(it.books);
    it.books = NULL;
    close_desk(&other);
    close_desk(&it);
    allot_engine_free(engine);
}

static void test_turn(void)
{
    for (unsigned i = 1; i <= 40; i++) {
        there_and_back(tree, grown, i);
        there_and_back(tree, tree, i);
        there_and_back(queues, grown_queues, i);
        there_and_back(parted, turned, i);
    }
}

/* Who has something must be there, and then all stays as it was. */
static void test_misfits(void)
{
    static const char *const events[][2] = {
        {"demand", "{\"consumer\": \"/b\", \"slots\": 1}"},
        {"allocated", "{\"consumer\": \"/b\", \"slots\": 1}"},
        {"session", "{\"id\": \"s\", \"consumer\": \"/b\"}"},
        {"host", "{\"name\": \"h1\", \"exclusive_to\": \"/b\"}"},
        {"task", "{\"id\": \"t\", \"consumer\": \"/b\", \"state\": \"pending\"}"},
        {NULL, NULL},
    };
    enum { COUNT = sizeof events / sizeof *events };
    allot_engine *engine;
    desk it, other;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(open_desk(&other, engine, without_b), ALLOT_OK);
    for (int i = 0; i < COUNT; i++) {
        allot__error lost;
        allot__books *copy = NULL;
        CHECK_EQ(open_desk(&it, engine, tree), ALLOT_OK);
        CHECK_EQ(tell(&it, "demand", "{\"consumer\": \"/a\", \"slots\": 3}"), ALLOT_OK);
        if (events[i][0])
            CHECK_EQ(tell(&it, events[i][0], events[i][1]), ALLOT_OK);
        CHECK_EQ(allot__books_move(it.books, it.plan, &lost, &copy), ALLOT_OK);
        CHECK_EQ(turn(&it, other.plan), events[i][0] ? ALLOT_ENOENT : ALLOT_OK);
        if (events[i][0])
            CHECK(same(&it, it.books, copy));
        allot__books_end(copy);
        allot__books_end(it.books);
        it.books = NULL;
        close_desk(&it);
    }
    close_desk(&other);
    allot_engine_free(engine);
}

static void test_schedulings(void)
{
    static const char other[] =
        "{\"id\": \"t\", \"consumer\": \"/a\", \"scheduling\": \"priority\"}";
    allot_engine *engine;
    desk it;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(open_desk(&it, engine, tree), ALLOT_OK);
    CHECK_EQ(tell(&it, "session", "{\"id\": \"s\", \"consumer\": \"/a\"}"), ALLOT_OK);
    CHECK_EQ(tell(&it, "session", other), ALLOT_EINVALID);
    CHECK(strstr(it.fault.message, "have \"proportional\"") != NULL);
    CHECK_EQ(tell(&it, "session", "{\"id\": \"s\", \"consumer\": \"/b\"}"), ALLOT_OK);
    CHECK_EQ(tell(&it, "session", other), ALLOT_OK); /* the only one there */
    CHECK_EQ(tell(&it, "session", "{\"id\": \"t\", \"consumer\": \"/a\"}"), ALLOT_OK);
    CHECK_EQ(tell(&it, "session_end", "{\"id\": \"t\"}"), ALLOT_OK);
    CHECK_EQ(tell(&it, "session", other), ALLOT_OK);
    close_desk(&it);
    allot_engine_free(engine);
}

/* ---- Written bit by bit ---------------------------------------------------------------------- */

/* Lists the books while they change, and compares with what they said when it began. */
static void list_while(const char *plan, unsigned with)
{
    allot_engine *engine;
    desk it;
    bool over = false;
    seed = with;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    allot__text whole = {.engine = engine}, text = {.engine = engine};
    CHECK_EQ(open_desk(&it, engine, plan), ALLOT_OK);
    random_steps(&it, 60);
    CHECK_EQ(allot__books_write(it.books, &whole), ALLOT_OK);
    CHECK_EQ(allot__books_list_begin(it.books), ALLOT_OK);
    for (int i = 0; !over && CHECK(i < 1000); i++) {
        random_steps(&it, pick(8));
        CHECK_EQ(allot__books_list(it.books, &text, 1 + (size_t)pick(300), &over), ALLOT_OK);
    }
    if (!CHECK(text.len == whole.len && memcmp(text.bytes, whole.bytes, text.len) == 0))
        printf("# seed %u\n# %.*s# ---\n# %.*s", with, (int)whole.len, whole.bytes, (int)text.len,
               text.bytes);
    CHECK_EQ(allot__books_list(it.books, &text, 1, &over), ALLOT_EUSAGE);
    CHECK_EQ(allot__books_list_begin(it.books), ALLOT_OK); /* and never gone on with */
    random_steps(&it, 20);
    allot__text_free(&whole);
    allot__text_free(&text);
    close_desk(&it);
    allot_engine_free(engine);
}

static void test_lists(void)
{
    for (unsigned i = 1; i <= 150; i++) {
        list_while(tree, i);
        list_while(queues, i);
        list_while(parted, i);
    }
}

/* ---- Out of memory --------------------------------------------------------------------------- */

/* Plans have another engine, so that books alone run out of memory. */
static desk planned, replanned;

static int turn_and_list(allot_engine *engine)
{
    static const char *const events[][2] = {
        {"allocated", "{\"consumer\": \"/b\", \"slots\": 30}"},
        {"session", "{\"id\": \"s\", \"consumer\": \"/b\"}"},
        {"start", "{\"id\": 1, \"consumer\": \"/b\", \"host\": \"h1\", \"slot\": 1}"},
        {"start", "{\"id\": 2, \"consumer\": \"/b\", \"host\": \"h1\", \"slot\": 1}"},
        {"task", "{\"id\": 3, \"consumer\": \"/b\", \"slots\": 4, \"state\": \"pending\"}"},
        {"finish", "{\"id\": 1}"},
        {"session_end", "{\"id\": \"s\"}"},
        {"start", "{\"id\": 3, \"host\": \"h2\", \"slot\": 1}"},
    };
    desk it = {.engine = engine, .plan = planned.plan, .now = 1000};
    allot__text text = {.engine = engine};
    bool over = false;
    int status = allot__books_new(engine, it.plan, &it.books), listed = ALLOT_OK;
    if (status == ALLOT_OK)
        status = allot__event_reader_new(engine, &it.reader);
    for (int i = 0; i < 5 && status == ALLOT_OK; i++)
        OOM_RETRY(status, tell(&it, events[i][0], events[i][1]));
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot__books_list_begin(it.books));
    for (int i = 5; i < 8 && status == ALLOT_OK; i++)
        OOM_RETRY(status, tell(&it, events[i][0], events[i][1]));
    while (!over && listed == ALLOT_OK && status == ALLOT_OK)
        listed = allot__books_list(it.books, &text, 20, &over); /* lost, and the books are not */
    CHECK(listed == ALLOT_OK || listed == ALLOT_ENOMEM);
    if (status == ALLOT_OK)
        OOM_RETRY(status, turn(&it, replanned.plan));
    allot__text_free(&text);
    allot__event_reader_free(it.reader);
    allot__books_end(it.books);
    return status;
}

static void test_out_of_memory(void)
{
    allot_engine *engine;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(open_desk(&planned, engine, tree), ALLOT_OK);
    CHECK_EQ(open_desk(&replanned, engine, grown), ALLOT_OK);
    CHECK(oom_each(turn_and_list));
    close_desk(&replanned);
    close_desk(&planned);
    allot_engine_free(engine);
}

int main(void)
{
    RUN(test_turn);
    RUN(test_misfits);
    RUN(test_schedulings);
    RUN(test_lists);
    RUN(test_out_of_memory);
    return check_done();
}
