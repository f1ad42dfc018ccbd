/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* memory_test.c: what a million consumers take: at most 1200 bytes each while they are read,
 * with the text, and at most 250 afterwards. */
#include "test/support/json_fixture.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { PEAK = 1200, KEPT = 250, BRANCHES = 100 };

static int consumers = 1000000;
static int measured = 1;

/* A checker's own memory would be measured, and it is slow. */
static void heed_checkers(void)
{
    const char *preload = getenv("LD_PRELOAD");
    if (SANITIZED || (preload != NULL && strstr(preload, "vgpreload"))) {
        consumers = 10000;
        measured = 0;
    }
}

static size_t held;

static void *count_alloc(void *ud, void *ptr, size_t old_size, size_t new_size)
{
    (void)ud;
    if (new_size == 0) {
        free(ptr);
        held -= old_size;
        return NULL;
    }
    void *block = realloc(ptr, new_size);
    if (block)
        held += new_size - old_size;
    return block;
}

/* Bytes from a line of /proc/self/status, or 0 where there is none. */
static size_t memory_line(const char *name)
{
    char line[256];
    size_t kilobytes = 0, len = strlen(name);
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, len) == 0)
            kilobytes = strtoul(line + len, NULL, 10);
    if (file)
        fclose(file);
    return kilobytes * 1024;
}

/* Makes the peak begin anew; what is resident now. */
static size_t measure_from_here(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputs("5", file);
        fclose(file);
    }
    return memory_line("VmRSS:");
}

typedef struct page {
    char *text;
    size_t len, size;
} page;

static void page_say(page *page, const char *text)
{
    size_t len = strlen(text);
    if (page->len + len + 1 > page->size) {
        page->size = page->size * 2 + len + 4096;
        page->text = realloc(page->text, page->size);
    }
    memcpy(page->text + page->len, text, len + 1);
    page->len += len;
}

static page make_plan(void)
{
    page page = {0};
    char line[256];
    page_say(&page, "{\"consumers\": [");
    for (int i = 0; i < BRANCHES; i++) {
        snprintf(line, sizeof line, "%s{\"name\": \"b%d\", \"children\": [", i > 0 ? ",\n" : "", i);
        page_say(&page, line);
        for (int k = 0; k < consumers / BRANCHES; k++) {
            snprintf(line, sizeof line,
                     "%s{\"name\": \"c%06d\", \"owned\": %d, \"reserve\": %d, \"limit\": 1000, "
                     "\"rank\": %d, \"share\": 2, \"grace\": 120}",
                     k > 0 ? ",\n" : "", k, k % 50, k % 3 == 0 ? k % 50 : 0, k % 10);
            page_say(&page, line);
        }
        page_say(&page, "]}");
    }
    page_say(&page, "]}\n");
    return page;
}

static page make_state(void)
{
    page page = {0};
    char line[256];
    page_say(&page, "{\"now\": 1, \"consumers\": {");
    for (int i = 0; i < BRANCHES; i++)
        for (int k = 0; k < consumers / BRANCHES; k++) {
            snprintf(line, sizeof line, "%s\"/b%d/c%06d\": {\"demand\": %d, \"allocated\": %d}",
                     i + k > 0 ? ",\n" : "", i, k, k % 100, k % 60);
            page_say(&page, line);
        }
    page_say(&page, "}}\n");
    return page;
}

/* Checks what it took from `before` on: `mine` bytes of text were there already. */
static void check_memory(const char *what, size_t before, size_t mine, size_t held_before)
{
    size_t each = (size_t)consumers;
    size_t peak = memory_line("VmHWM:") - before + mine, kept = held - held_before;
    printf("# %s: peak %zu, kept %zu bytes a consumer\n", what, peak / each, kept / each);
    if (measured && before > 0)
        CHECK(peak / each <= PEAK);
    CHECK(kept > 0);
    CHECK(kept / each <= KEPT);
}

static void test_million(void)
{
    allot_engine *engine = NULL;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_policy_loader loader = {.ud = NULL, .load = loader_load};
    page text = make_plan();
    CHECK_EQ(allot_engine_new(count_alloc, NULL, &engine), ALLOT_OK);
    size_t before = measure_from_here(), kept = held;
    CHECK_EQ(allot_plan_read(engine, text.text, text.len, "p", &loader, NULL, &plan), ALLOT_OK);
    check_memory("plan", before, text.len, kept);
    free(text.text);
    CHECK_EQ(allot_plan_consumers(plan), consumers + BRANCHES);
    text = make_state();
    before = measure_from_here();
    kept = held;
    CHECK_EQ(allot_state_read(plan, text.text, text.len, "s", NULL, &state), ALLOT_OK);
    check_memory("state", before, text.len, kept);
    free(text.text);
    int32_t last = allot_plan_find(plan, "/b7/c000059", 11);
    CHECK_EQ(allot_state_demand_get(state, 0, last), 59);
    allot_state_free(state);
    allot_plan_free(plan);
    allot_engine_free(engine);
    CHECK_EQ(held, 0);
}

int main(void)
{
    heed_checkers();
    RUN(test_million);
    return check_done();
}
