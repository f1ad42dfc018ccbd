/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* watch_test.c: files by their contents, where they can change, and being told so. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/reload/reload.h"
#include "test/support/check.h"
#include "test/support/oom.h"

static oom memory;
static allot_engine *engine;
static char root[64];
static uv_loop_t loop;
static uv_timer_t limit;
enum { HANGS = 60000 };
static allot_service service;
static allot__watch watch;
static allot__sources sources;
static int told;
static bool late;

/* ---- Files ----------------------------------------------------------------------------------- */

static const char *at(const char *name)
{
    static char paths[4][256];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(at(name), "wb");
    if (CHECK(file)) {
        fputs(text, file);
        fclose(file);
    }
}

static void move(const char *from, const char *to)
{
    CHECK_EQ(rename(at(from), at(to)), 0);
}

static void begin(void)
{
    memory = (oom){0};
    snprintf(root, sizeof root, "/tmp/allot-watch-XXXXXX");
    CHECK(mkdtemp(root) != NULL);
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
    sources = (allot__sources){.engine = engine};
    put("plan.json", "{}");
}

static void end(void)
{
    char command[128];
    allot__sources_free(&sources);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
    snprintf(command, sizeof command, "rm -rf %s", root);
    CHECK_EQ(system(command), 0);
}

/* ---- Contents -------------------------------------------------------------------------------- */

static void contents_tell_files_apart(void)
{
    CHECK(allot__source_hash("", 0) != allot__source_hash("\0", 1));
    CHECK(allot__source_hash("\0", 1) != allot__source_hash("\0\0", 2));
    CHECK(allot__source_hash("12345678", 8) != allot__source_hash("12345678\0", 9));
    CHECK(allot__source_hash("12345678a", 9) != allot__source_hash("12345678b", 9));
    CHECK(allot__source_hash("a2345678", 8) != allot__source_hash("b2345678", 8));
    CHECK(allot__source_hash("12345678abcdefgh", 16) != allot__source_hash("abcdefgh12345678", 16));
}

static void a_file_is_the_same_until_its_bytes_are_not(void)
{
    begin();
    CHECK_EQ(allot__sources_add(&sources, at("plan.json"), NULL, 0), ALLOT_OK);
    CHECK_EQ(allot__sources_add(&sources, at("plan.json"), "other", 5), ALLOT_OK);
    CHECK_EQ(sources.count, 1);
    CHECK_EQ(sources.items[0].size, 2);
    CHECK(allot__sources_same(&sources, engine));
    put("plan.json", "{}"); /* a new file in every way but this */
    CHECK(allot__sources_same(&sources, engine));
    put("plan.json", "[]");
    CHECK(!allot__sources_same(&sources, engine));
    CHECK_EQ(unlink(at("plan.json")), 0);
    CHECK(!allot__sources_same(&sources, engine));
    put("plan.json", "{}");
    CHECK(allot__sources_same(&sources, engine));
    end();
}

static void what_is_missing_is_a_source_too(void)
{
    begin();
    CHECK_EQ(allot__sources_add(&sources, at("fair.lua"), NULL, 0), ALLOT_OK);
    CHECK_EQ(sources.items[0].size, -1);
    CHECK(allot__sources_same(&sources, engine));
    put("fair.lua", "");
    CHECK(!allot__sources_same(&sources, engine));
    end();
}

/* ---- Spots ----------------------------------------------------------------------------------- */

static bool has_spot(const allot__watch_paths *paths, const char *folder, const char *name)
{
    for (size_t i = 0; i < paths->count; i++)
        if (strcmp(paths->items[i].folder, folder) == 0 && strcmp(paths->items[i].name, name) == 0)
            return true;
    return false;
}

static void a_path_changes_at_every_link_on_the_way(void)
{
    begin();
    allot__watch_paths paths = {.engine = engine};
    CHECK_EQ(mkdir(at("..v1"), 0700), 0);
    put("..v1/site.json", "{}");
    CHECK_EQ(symlink("..v1", at("..data")), 0);
    CHECK_EQ(symlink("..data/site.json", at("site.json")), 0);
    CHECK_EQ(allot__watch_paths_add(&paths, at("site.json")), ALLOT_OK);
    CHECK_EQ(paths.count, 3);
    CHECK(has_spot(&paths, root, "site.json"));
    CHECK(has_spot(&paths, root, "..data"));
    CHECK(has_spot(&paths, at("..v1"), "site.json"));
    CHECK_EQ(allot__watch_paths_add(&paths, at("plan.json")), ALLOT_OK);
    CHECK_EQ(allot__watch_paths_add(&paths, at("plan.json")), ALLOT_OK);
    CHECK_EQ(paths.count, 4);
    allot__watch_paths_free(&paths);
    end();
}

static void of_what_is_missing_the_name_that_is(void)
{
    begin();
    allot__watch_paths paths = {.engine = engine};
    CHECK_EQ(allot__watch_paths_add(&paths, at("site/deep/plan.json")), ALLOT_OK);
    CHECK_EQ(paths.count, 1);
    CHECK(has_spot(&paths, root, "site"));
    CHECK_EQ(symlink("loop", at("loop")), 0);
    CHECK_EQ(allot__watch_paths_add(&paths, at("loop")), ALLOT_OK); /* ends */
    CHECK_EQ(paths.count, 2);
    allot__watch_paths_free(&paths);
    end();
}

static int make_spots(allot_engine *made)
{
    allot__watch_paths paths = {.engine = made}, copy = {.engine = made};
    allot__sources list = {.engine = made}, other = {.engine = made};
    int status = allot__sources_add(&list, at("plan.json"), NULL, 0);
    if (status == ALLOT_OK)
        status = allot__sources_copy(&other, &list);
    if (status == ALLOT_OK)
        status = allot__watch_paths_of(&paths, &other);
    if (status == ALLOT_OK)
        status = allot__watch_paths_copy(&copy, &paths);
    allot__sources_free(&list);
    allot__sources_free(&other);
    allot__watch_paths_free(&paths);
    allot__watch_paths_free(&copy);
    return status;
}

static void running_out_of_memory_leaks_nothing(void)
{
    begin();
    CHECK(oom_each(make_spots));
    end();
}

/* ---- Being told ------------------------------------------------------------------------------ */

static void touched(void *ud, bool late)
{
    (void)late;
    (void)ud;
    told++;
    uv_stop(&loop);
}

static void too_late(uv_timer_t *timer)
{
    (void)timer;
    late = true;
    uv_stop(&loop);
}

static void set(void)
{
    allot__watch_paths paths = {.engine = engine};
    CHECK_EQ(allot__watch_paths_of(&paths, &sources), ALLOT_OK);
    allot__watch_set(&watch, &paths, &sources);
    CHECK(!watch.lame);
    allot__watch_paths_free(&paths);
}

static void begin_watch(const char *name)
{
    begin();
    told = 0;
    CHECK_EQ(uv_loop_init(&loop), 0);
    uv_timer_init(&loop, &limit);
    service = (allot_service){.engine = engine, .loop = &loop};
    watch = (allot__watch){.service = &service, .touched = touched};
    CHECK_EQ(allot__sources_add(&sources, at(name), NULL, 0), ALLOT_OK);
    set();
}

/* Whether something is there to be told: the kernel queues events as files are written. */
static bool is_told(void)
{
    int before = told;
    for (int i = 0; i < 20; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
    return told > before;
}

/* Runs until something is told, or hangs; then all that is there to be told. */
static bool wait_told(void)
{
    int before = told;
    late = false;
    uv_timer_start(&limit, too_late, HANGS, 0);
    while (told == before && !late)
        uv_run(&loop, UV_RUN_DEFAULT);
    uv_timer_stop(&limit);
    (void)is_told();
    return told > before;
}

static void end_watch(void)
{
    uv_close((uv_handle_t *)&limit, NULL);
    allot__watch_end(&watch);
    while (uv_run(&loop, UV_RUN_DEFAULT) != 0)
        continue;
    CHECK_EQ(service.handles, 0);
    CHECK_EQ(uv_loop_close(&loop), 0);
    end();
}

static void writing_in_place_is_seen(void)
{
    begin_watch("plan.json");
    CHECK_EQ(watch.folders, 1);
    put("plan.json", "[1]");
    CHECK(wait_told());
    end_watch();
}

static void renaming_over_is_seen_again_and_again(void)
{
    begin_watch("plan.json");
    for (int i = 0; i < 3; i++) {
        put("plan.json~", "[2]");
        move("plan.json~", "plan.json");
        CHECK(wait_told());
    }
    CHECK_EQ(unlink(at("plan.json")), 0);
    CHECK(wait_told());
    end_watch();
}

static void what_others_write_beside_is_not(void)
{
    begin_watch("plan.json");
    put("plan.json.db-wal", "x");
    put("other.lua", "x");
    CHECK(!is_told());
    end_watch();
}

static void a_link_that_is_swapped_is_seen(void)
{
    begin_watch("site/plan.json");
    CHECK_EQ(mkdir(at("..v1"), 0700), 0);
    CHECK_EQ(mkdir(at("..v2"), 0700), 0);
    put("..v1/plan.json", "1");
    put("..v2/plan.json", "2");
    CHECK_EQ(symlink("..v1", at("site")), 0);
    CHECK(wait_told());
    set();
    CHECK_EQ(symlink("..v2", at("tmp")), 0);
    move("tmp", "site");
    CHECK(wait_told());
    set();
    put("..v2/plan.json", "3");
    CHECK(wait_told());
    put("..v1/plan.json", "4"); /* leads nowhere now */
    CHECK(!is_told());
    end_watch();
}

static void a_directory_that_goes_and_comes_is_seen(void)
{
    begin_watch("site/plan.json");
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(mkdir(at("site"), 0700), 0);
        CHECK(wait_told());
        set();
        put("site/plan.json", "{}");
        CHECK(wait_told());
        CHECK_EQ(unlink(at("site/plan.json")), 0);
        CHECK_EQ(rmdir(at("site")), 0);
        CHECK(wait_told());
        set();
    }
    end_watch();
}

static void a_directory_that_is_exchanged_is_seen(void)
{
    begin_watch("site/plan.json");
    CHECK_EQ(mkdir(at("site"), 0700), 0);
    set();
    CHECK_EQ(mkdir(at("new"), 0700), 0);
    put("new/plan.json", "{}");
    move("site", "old");
    move("new", "site");
    CHECK(wait_told());
    set();
    put("site/plan.json", "[]");
    CHECK(wait_told());
    end_watch();
}

static void a_watch_takes_its_leave_whenever_it_is_told_to(void)
{
    begin_watch("plan.json");
    put("plan.json", "[1]");
    end_watch();
}

int main(void)
{
    RUN(contents_tell_files_apart);
    RUN(a_file_is_the_same_until_its_bytes_are_not);
    RUN(what_is_missing_is_a_source_too);
    RUN(a_path_changes_at_every_link_on_the_way);
    RUN(of_what_is_missing_the_name_that_is);
    RUN(running_out_of_memory_leaks_nothing);
    RUN(writing_in_place_is_seen);
    RUN(renaming_over_is_seen_again_and_again);
    RUN(what_others_write_beside_is_not);
    RUN(a_link_that_is_swapped_is_seen);
    RUN(a_directory_that_goes_and_comes_is_seen);
    RUN(a_directory_that_is_exchanged_is_seen);
    RUN(a_watch_takes_its_leave_whenever_it_is_told_to);
    return check_done();
}
