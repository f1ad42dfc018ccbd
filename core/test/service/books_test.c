/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* Tests of the books: what is entered whole or not at all, and what makes the same books again. */
#include "test/support/books_desk.h"

/* ---- Whole or not at all --------------------------------------------------------------------- */

static const struct {
    const char *method, *params;
    int status;
    const char *path;
} refused[] = {
    {"demand", "{\"consumer\": \"/a\"}", ALLOT_EINVALID, "slots"},
    {"demand", "{\"consumer\": \"/x\", \"slots\": 1}", ALLOT_ENOENT, "consumer"},
    {"demand", "{\"consumer\": \"/c\", \"slots\": 1}", ALLOT_EINVALID, "consumer"},
    {"demand", "{\"consumer\": \"/a\", \"slots\": 1.5}", ALLOT_EINVALID, "slots"},
    {"demand", "{\"consumer\": \"/a\", \"slots\": 1000000001}", ALLOT_ERANGE, "slots"},
    {"demand", "{\"consumer\": \"/a\", \"slots\": 1, \"slots\": 2}", ALLOT_EINVALID, "slots"},
    {"demand", "{\"consumer\": \"/a\", \"slots\": 1, \"slot\": 2}", ALLOT_EINVALID, "slot"},
    {"demand", "7", ALLOT_EINVALID, "params"},
    {"release", "{\"consumer\": \"/a\", \"slots\": 1}", ALLOT_ERANGE, "slots"},
    {"start", "{\"id\": \"t\", \"consumer\": \"/a\"}", ALLOT_ERANGE, "slots"},
    {"start", "{\"id\": \"\", \"consumer\": \"/a\"}", ALLOT_EINVALID, "id"},
    {"start", "{\"id\": \"t\", \"consumer\": \"/a\", \"tags\": [1]}", ALLOT_EINVALID, "tags[0]"},
    {"finish", "{\"id\": \"t\"}", ALLOT_ENOENT, "id"},
    {"session_end", "{\"id\": \"s\"}", ALLOT_ENOENT, "id"},
    {"session", "{\"id\": \"s\", \"consumer\": \"/a\", \"priority\": 0}", ALLOT_ERANGE, "priority"},
    {"host", "{\"name\": \"h9\"}", ALLOT_ENOENT, "name"},
    {"host", "{\"name\": \"h1\", \"closed\": true}", ALLOT_ERANGE, "closed"},
    {"host_gone", "{\"name\": \"h9\"}", ALLOT_ENOENT, "name"},
    {"returned", "{\"reclaim\": \"r1.0\", \"slots\": 1}", ALLOT_ENOENT, "reclaim"},
    {"submit", "{\"id\": \"j\", \"queue\": \"q\"}", ALLOT_ENOENT, "queue"},
    {"withdraw", "{\"id\": \"j\"}", ALLOT_EUSAGE, ""},
    {"lease", "{\"name\": \"l\"}", ALLOT_ENOENT, "name"},
};

static void test_refusals(void)
{
    allot_engine *engine;
    desk it;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(open_desk(&it, engine, tree), ALLOT_OK);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CHECK_EQ(tell(&it, refused[i].method, refused[i].params), refused[i].status);
        CHECK_STR(it.fault.path, refused[i].path);
        CHECK(it.fault.message[0] != '\0');
    }
    allot__text out = {.engine = engine};
    CHECK_EQ(allot__books_write(it.books, &out), ALLOT_OK);
    CHECK_EQ(out.len, 0);
    allot__text_free(&out);
    close_desk(&it);
    allot_engine_free(engine);
}

static void test_shared_slot(void)
{
    allot_engine *engine;
    desk it;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(open_desk(&it, engine, tree), ALLOT_OK);
    CHECK_EQ(tell(&it, "allocated", "{\"consumer\": \"/a\", \"slots\": 3}"), ALLOT_OK);
    const char *first = "{\"id\": 1, \"consumer\": \"/a\", \"slots\": 2, \"host\": \"h1\","
                        " \"slot\": 1}";
    const char *second = "{\"id\": 2, \"consumer\": \"/a\", \"slots\": 3, \"host\": \"h1\","
                         " \"slot\": 1}";
    CHECK_EQ(tell(&it, "start", first), ALLOT_OK);
    CHECK_EQ(tell(&it, "start", first), ALLOT_EEXIST);
    CHECK_EQ(tell(&it, "start", second), ALLOT_OK); /* one slot, counted once: 3 */
    CHECK_EQ(tell(&it, "start", "{\"id\": 3, \"consumer\": \"/a\"}"), ALLOT_ERANGE);
    CHECK_EQ(tell(&it, "release", "{\"consumer\": \"/a\", \"slots\": 1}"), ALLOT_ERANGE);
    CHECK_EQ(tell(&it, "finish", "{\"id\": 2, \"keep\": true}"), ALLOT_OK);
    CHECK_EQ(tell(&it, "release", "{\"consumer\": \"/a\", \"slots\": 1}"), ALLOT_OK);
    CHECK_EQ(tell(&it, "finish", "{\"id\": 1}"), ALLOT_OK);
    CHECK_EQ(tell(&it, "release", "{\"consumer\": \"/a\", \"slots\": 1}"), ALLOT_ERANGE);
    close_desk(&it);
    allot_engine_free(engine);
}

/* ---- The same books again -------------------------------------------------------------------- */

static int read_lines(allot__books *books, allot__event_reader *reader, const allot__text *text)
{
    allot__error fault = {.message = ""};
    int status = allot__books_read(books, reader, text->bytes, text->len, NULL, NULL, &fault);
    if (status != ALLOT_OK && status != ALLOT_ENOMEM)
        printf("# %s\n", fault.message);
    return status;
}

/* Three books: those that decide, those that only read what was decided, and a copy made anew. */
static void stroll(const char *plan, unsigned from, int steps)
{
    allot_engine *engine;
    desk it, other;
    char text[200];
    const char *method;
    bool equal = true;
    int accepted = 0;
    seed = from;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(open_desk(&it, engine, plan), ALLOT_OK);
    CHECK_EQ(open_desk(&other, engine, plan), ALLOT_OK);
    for (int i = 0; i < steps && equal; i++) {
        random_event(&it, text, sizeof text, &method);
        int status = tell(&it, method, text);
        other.now = it.now;
        equal = CHECK_EQ(tell(&other, method, text), status);
        accepted += status == ALLOT_OK;
        if (pick(3) == 0) {
            allot__text effect = {.engine = engine};
            it.now += pick(4);
            equal = decides_as_anew(&it) && CHECK_EQ(decide(&it, &effect), ALLOT_OK) &&
                    CHECK_EQ(read_lines(other.books, other.reader, &effect), ALLOT_OK);
            allot__text_free(&effect);
        }
        equal = equal && CHECK(same(&it, it.books, other.books));
    }
    CHECK(accepted > steps / 10);
    allot__error lost;
    allot__books *moved = NULL;
    CHECK_EQ(allot__books_move(it.books, it.plan, &lost, &moved), ALLOT_OK);
    CHECK(moved != NULL && same(&it, it.books, moved));
    allot__books_end(moved);
    close_desk(&other);
    close_desk(&it);
    allot_engine_free(engine);
}

static void test_effects_of_leaves(void)
{
    for (unsigned i = 1; i <= 40; i++)
        stroll(tree, i, 60);
    for (unsigned i = 1; i <= 40; i++)
        stroll(parted, i, 60);
}

static void test_effects_of_jobs(void)
{
    for (unsigned i = 1; i <= 40; i++)
        stroll(queues, i, 60);
}

/* ---- Out of memory --------------------------------------------------------------------------- */

static int enter_some(allot_engine *engine)
{
    static const char *const events[][2] = {
        {"demand", "{\"consumer\": \"/a\", \"slots\": 30}"},
        {"session", "{\"id\": \"s\", \"consumer\": \"/b\"}"},
        {"host", "{\"name\": \"h3\", \"slots\": 2}"},
        {"allocated", "{\"consumer\": \"/b\", \"slots\": 30}"},
        {"start", "{\"id\": 1, \"consumer\": \"/b\", \"host\": \"h1\", \"slot\": 1}"},
        {"demand", "{\"consumer\": \"/b\", \"slots\": 30}"},
        {"task", "{\"id\": 2, \"consumer\": \"/a\", \"slots\": 4, \"state\": \"pending\"}"},
        {"task", "{\"id\": 3, \"consumer\": \"/a\", \"slots\": 3, \"state\": \"pending\"}"},
        {"start", "{\"id\": 2, \"adopt\": true, \"host\": \"h2\", \"slot\": 1}"},
        {"task", "{\"id\": 2, \"state\": \"pending\"}"},
    };
    desk it;
    allot__text effect = {.engine = engine};
    int status = open_desk(&it, engine, tree);
    for (size_t i = 0; i < sizeof events / sizeof *events && status == ALLOT_OK; i++)
        OOM_RETRY(status, tell(&it, events[i][0], events[i][1]));
    for (int i = 0; i < 3 && status == ALLOT_OK; i++) {
        OOM_RETRY(status, decide(&it, &effect));
        it.now += 4;
    }
    allot__error lost;
    allot__books *moved = NULL;
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot__books_move(it.books, it.plan, &lost, &moved));
    allot__books_end(moved);
    allot__text_free(&effect);
    close_desk(&it);
    return status;
}

static void test_out_of_memory(void)
{
    CHECK(oom_each(enter_some));
}

int main(void)
{
    RUN(test_refusals);
    RUN(test_shared_slot);
    RUN(test_effects_of_leaves);
    RUN(test_effects_of_jobs);
    RUN(test_out_of_memory);
    return check_done();
}
