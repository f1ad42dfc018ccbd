/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state_written_test.c: states as documents: byte by byte, out of memory, and into a full disk. */
#include <allot/stated.h>

#include "test/support/json_fixture.h"

enum { DEEP = 600, NAME = 127 };

/* What was written, ended by a NUL. */
typedef struct paper {
    char text[400000];
    size_t len;
    bool full;
} paper;

static paper written;

static int write_paper(void *ud, const char *text, size_t len)
{
    paper *it = ud;
    if (it->full || it->len + len >= sizeof it->text)
        return 1;
    memcpy(it->text + it->len, text, len);
    it->len += len;
    it->text[it->len] = '\0';
    return 0;
}

static const char *paper_of(const allot_state *state)
{
    memset(&written, 0, sizeof written);
    CHECK_EQ(allot_state_write(state, write_paper, &written), ALLOT_OK);
    return written.text;
}

static const char plan[] = "{\"slots\": 10, \"policy\": \"weigh\", \"consumers\": ["
                           "{\"name\": \"a\", \"owned\": 6}, {\"name\": \"b\", \"owned\": 4}]}";

/* ---- Bytes ----------------------------------------------------------------------------------- */

static void test_bytes(void)
{
    static const char text[] =
        "{\"schema\": \"allot/state/v1\", \"now\": 9007199254740993, \"last\": -5, \"slots\": 9,\n"
        "\"consumers\": {\n"
        "\"/a\": {\"demand\": 9, \"allocated\": 3, \"unlisted\": 1, \"reclaimed_at\": 0},\n"
        "\"/b\": {\"demand\": 1000000000}},\n"
        "\"hosts\": {\n\"h \\\"1\\\"\": {\"slots\": 4, \"closed\": \"drain\", \"load\": 0.050}},\n"
        "\"tasks\": [\n"
        "{\"id\": \"t\\u0001\", \"consumer\": \"/a\", \"slots\": 2, \"slot\": \"-3\", \"tags\": "
        "[\"gold\"], \"cost\": 9}],\n"
        "\"reclaims\": [\n"
        "{\"consumer\": \"/a\", \"slots\": 2, \"gone\": 1, "
        "\"for\": [{\"consumer\": \"/b\", \"slots\": 1}]}]}\n";
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, plan), ALLOT_OK);
    CHECK_EQ(bench_state(&it, text), ALLOT_OK);
    CHECK_STR(paper_of(it.state), text);
    CHECK_EQ(bench_state(&it, "{\"now\": 1}"), ALLOT_OK);
    CHECK_STR(paper_of(it.state),
              "{\"schema\": \"allot/state/v1\", \"now\": 1,\n\"consumers\": {}}\n");
    bench_end(&it);
}

/* Each piece begins where the one before ended, however small they are. */
static void test_pieces(void)
{
    static char whole[sizeof written.text];
    bench it;
    allot_state_writing *writing = NULL;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, plan), ALLOT_OK);
    CHECK_EQ(bench_state(&it, "{\"now\": 1, \"consumers\": {\"/a\": {\"demand\": 2}, \"/b\": "
                              "{\"demand\": 3}}, \"hosts\": {\"h1\": {\"slots\": 3}, \"h2\": "
                              "{\"slots\": 4}}, \"sessions\": [{\"id\": \"s\", \"consumer\": "
                              "\"/a\"}], \"tasks\": [{\"id\": \"t\", \"consumer\": \"/a\"}, "
                              "{\"id\": \"u\", \"consumer\": \"/b\"}]}"),
             ALLOT_OK);
    strcpy(whole, paper_of(it.state));
    for (int32_t items = 0; items < 9; items++) {
        int32_t over = 0, pieces = 0;
        memset(&written, 0, sizeof written);
        CHECK_EQ(allot_state_write_begin(it.state, write_paper, &written, &writing), ALLOT_OK);
        for (; !over && pieces < 9; pieces++)
            CHECK_EQ(allot_state_write_some(writing, items, &over), ALLOT_OK);
        allot_state_write_end(writing);
        CHECK_EQ(over, items > 0);
        CHECK_EQ(pieces, items == 0 ? 9 : (7 + items - 1) / items);
        if (items > 0)
            CHECK_STR(written.text, whole);
    }
    bench_end(&it);
}

/* An item by itself, as documents list it. */
static void test_item(void)
{
    bench it;
    const char *tags[] = {"x", "\"y\""};
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, plan), ALLOT_OK);
    allot_task task = {.id = "t",
                       .consumer = allot_plan_find(it.plan, "/b", 2),
                       .slots = 2,
                       .priority = 1,
                       .tags = tags,
                       .tag_count = 2};
    memset(&written, 0, sizeof written);
    CHECK_EQ(allot_item_write(it.plan, ALLOT_ITEM_TASK, &task, write_paper, &written), ALLOT_OK);
    CHECK_STR(written.text, "{\"id\": \"t\", \"consumer\": \"/b\", \"slots\": 2, \"tags\": "
                            "[\"x\", \"\\\"y\\\"\"]}");
    CHECK_EQ(allot_item_write(it.plan, ALLOT_ITEMS, &task, write_paper, &written), ALLOT_EUSAGE);
    CHECK_EQ(allot_item_write(NULL, ALLOT_ITEM_TASK, &task, write_paper, &written), ALLOT_EUSAGE);
    CHECK_EQ(allot_item_write(it.plan, ALLOT_ITEM_TASK, &task, NULL, NULL), ALLOT_EUSAGE);
    bench_end(&it);
}

/* ---- Misuse ---------------------------------------------------------------------------------- */

static void test_usage(void)
{
    bench it;
    int64_t time;
    allot_stated_leaf leaf;
    allot_stated_host host;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, plan), ALLOT_OK);
    CHECK_EQ(bench_state(&it, "{\"now\": 1}"), ALLOT_OK);
    CHECK_EQ(allot_state_write(NULL, write_paper, &written), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_write(it.state, NULL, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_last_get(it.state, &time), ALLOT_ENOENT);
    CHECK_EQ(allot_state_size_get(it.state, 0, &time), ALLOT_ENOENT);
    CHECK_EQ(allot_state_size_get(it.state, 1, &time), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_leaf_get(it.state, 0, ALLOT_ROOT, &leaf), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_host_at(it.state, 0, &host), ALLOT_EUSAGE);
    CHECK(!allot_state_loan_at(it.state, 0));
    CHECK_EQ(allot_state_usage_time(it.state, &time), ALLOT_ENOENT);
    CHECK_EQ(allot_state_resource_time(it.state, 0, &time), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
    CHECK_EQ(allot_state_write(it.state, write_paper, &written), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_last_get(NULL, &time), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_hosts(it.state), 0);
    bench_end(&it);
}

static void test_full_disk(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, plan), ALLOT_OK);
    CHECK_EQ(bench_state(&it, "{\"now\": 1}"), ALLOT_OK);
    memset(&written, 0, sizeof written);
    written.full = true;
    CHECK_EQ(allot_state_write(it.state, write_paper, &written), ALLOT_EIO);
    bench_end(&it);
}

/* ---- Out of memory --------------------------------------------------------------------------- */

/* The path of its leaf is longer than any buffer that is written through. */
static int make_deep(allot_engine *engine, allot_plan **out)
{
    char name[NAME];
    allot_policy *policy = NULL;
    allot_plan *made = NULL;
    int32_t parent = ALLOT_ROOT;
    memset(name, 'x', sizeof name);
    int status = allot_plan_new(engine, &made);
    if (status == ALLOT_OK)
        status = allot_policy_new(engine, "weigh", &policy);
    if (status == ALLOT_OK)
        status = allot_policy_fill(policy, "all", (allot_source){ALLOT_FROM_NUMBER, 1},
                                   (allot_source){ALLOT_FROM_NUMBER, ALLOT_AMOUNT_MAX}, NULL, 0);
    if (status == ALLOT_OK)
        status = allot_plan_policy(made, 0, policy);
    allot_policy_free(policy);
    for (int i = 0; i < DEEP && status == ALLOT_OK; i++)
        status = allot_plan_add(made, parent, name, sizeof name, &parent);
    if (status == ALLOT_OK)
        status = allot_plan_seal(made, NULL);
    if (status == ALLOT_OK)
        *out = made;
    else
        allot_plan_free(made);
    return status;
}

static int write_deep(allot_engine *engine)
{
    allot_plan *deep = NULL;
    allot_state *state = NULL;
    int status = make_deep(engine, &deep);
    if (status == ALLOT_OK)
        status = allot_state_new(deep, &state);
    if (status == ALLOT_OK)
        status = allot_state_demand(state, 0, DEEP - 1, 7);
    if (status == ALLOT_OK)
        status = allot_state_seal(state, NULL);
    if (status == ALLOT_OK) {
        memset(&written, 0, sizeof written);
        OOM_RETRY(status, allot_state_write(state, write_paper, &written));
    }
    allot_state_free(state);
    allot_plan_free(deep);
    return status;
}

static void test_memory(void)
{
    CHECK(oom_each(write_deep));
    CHECK(strstr(written.text, "x\": {\"demand\": 7}}}\n"));
    CHECK(written.len > DEEP * (NAME + 1));
}

int main(void)
{
    RUN(test_bytes);
    RUN(test_pieces);
    RUN(test_item);
    RUN(test_usage);
    RUN(test_full_disk);
    RUN(test_memory);
    return check_done();
}
