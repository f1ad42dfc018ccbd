/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* Tests of plans that are handed in, of the file that they are written into, and of what clients
 * may not say of times. */
#include <sys/stat.h>

#include "service/generation/file.h"

#include "test/support/service_fail.h"

static const char other[] =
    "{\"version\": 1, \"slots\": 40, \"policy\": \"hybrid\", \"consumers\": ["
    "{\"name\": \"a\", \"owned\": 20}, {\"name\": \"b\", \"owned\": 20}]}";

static const char *text_of(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "rb");
    size_t len = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[len] = '\0';
    if (file)
        fclose(file);
    return text;
}

/* How many files a folder has. */
static int files_in(const char *folder)
{
    char command[160];
    snprintf(command, sizeof command, "exit $(ls %s | wc -l)", folder);
    return WEXITSTATUS(system(command));
}

/* ---- The file -------------------------------------------------------------------------------- */

static int write_to(world *it, allot__plan_file *file, const char *path, const char *text)
{
    *file = (allot__plan_file){.old = {.engine = it->engine}};
    int status = allot__plan_file_read(file, path, it->report);
    return status == ALLOT_OK ? allot__plan_file_write(file, path, text, strlen(text), it->report)
                              : status;
}

static void a_file_is_replaced_and_put_back(void)
{
    world it;
    allot__plan_file file;
    struct stat after;
    open_world(&it);
    CHECK_EQ(chmod(it.plan, 0604), 0);
    CHECK_EQ(write_to(&it, &file, it.plan, other), ALLOT_OK);
    CHECK(file.there && file.written);
    CHECK_STR(text_of(it.plan), other);
    CHECK_EQ(stat(it.plan, &after), 0);
    CHECK_EQ(after.st_mode & 07777, 0604);
    CHECK_EQ(files_in(it.folder), 1);
    CHECK_EQ(allot__plan_file_undo(&file, it.plan, it.report), ALLOT_OK);
    CHECK_STR(text_of(it.plan), world_plan);
    CHECK_EQ(allot__plan_file_undo(&file, it.plan, it.report), ALLOT_OK); /* nothing more to do */
    allot__text_free(&file.old);
    close_world(&it);
}

static void a_file_that_was_not_there_goes_again(void)
{
    world it;
    allot__plan_file file;
    open_world(&it);
    unlink(it.plan);
    CHECK_EQ(write_to(&it, &file, it.plan, other), ALLOT_OK);
    CHECK(!file.there && file.written);
    CHECK_STR(text_of(it.plan), other);
    CHECK_EQ(allot__plan_file_undo(&file, it.plan, it.report), ALLOT_OK);
    CHECK_EQ(files_in(it.folder), 0);
    close_world(&it);
}

static void a_link_stays_one(void)
{
    world it;
    allot__plan_file file;
    char link[128], to[64];
    open_world(&it);
    snprintf(link, sizeof link, "%s/link", it.folder);
    CHECK_EQ(symlink("p.json", link), 0);
    CHECK_EQ(write_to(&it, &file, link, other), ALLOT_OK);
    CHECK_STR(text_of(it.plan), other);
    CHECK_EQ(readlink(link, to, sizeof to), 6);
    CHECK_EQ(allot__plan_file_undo(&file, link, it.report), ALLOT_OK);
    CHECK_STR(text_of(it.plan), world_plan);
    allot__text_free(&file.old);
    close_world(&it);
}

static void what_cannot_be_replaced_stays(void)
{
    world it;
    allot__plan_file file;
    char path[128];
    open_world(&it);
    CHECK_EQ(write_to(&it, &file, "/proc/version", other), ALLOT_EIO);
    CHECK(!file.written);
    CHECK(strstr(allot_report_at(it.report, 0)->message, "/proc/version cannot be replaced"));
    allot__text_free(&file.old);
    CHECK_EQ(write_to(&it, &file, it.folder, other), ALLOT_EIO);
    snprintf(path, sizeof path, "%s/nowhere/p.json", it.folder);
    CHECK_EQ(write_to(&it, &file, path, other), ALLOT_EIO);
    CHECK(!file.written);
    snprintf(path, sizeof path, "%s/loop", it.folder);
    CHECK_EQ(symlink("loop", path), 0);
    CHECK_EQ(write_to(&it, &file, path, other), ALLOT_EIO);
    CHECK(strstr(allot_report_at(it.report, 3)->message, "cannot be read"));
    close_world(&it);
}

/* ---- The call -------------------------------------------------------------------------------- */

/* The request that hands a plan in. */
static const char *handing(const char *text)
{
    static char line[2048];
    size_t at = (size_t)snprintf(
        line, sizeof line,
        "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"plan\", \"params\": {\"text\": \"");
    for (; *text != '\0' && at + 8 < sizeof line; text++) {
        if (*text == '"')
            line[at++] = '\\';
        line[at++] = *text;
    }
    snprintf(line + at, sizeof line - at, "\"}}");
    return line;
}

static void hand_in(world *it, const char *text)
{
    const char *line = handing(text);
    CHECK_EQ(allot_service_call(it->service, line, strlen(line), on_answer, it), ALLOT_OK);
}

static void unwatched(allot_service_config *config)
{
    config->watch = 0;
}

static void one_plan_at_a_time(void)
{
    world it;
    open_world(&it);
    CHECK_EQ(start_as(&it, ":memory:", unwatched), ALLOT_OK);
    hand_in(&it, other);
    hand_in(&it, world_plan);
    CHECK_EQ(it.answers, 0);
    hand_in(&it, other); /* one is made, and one waits */
    CHECK_EQ(it.answers, 1);
    CHECK(strstr(it.answer, "-32052") != NULL);
    wait_answers(&it, 3);
    CHECK_EQ(it.answers, 3);
    CHECK(strstr(it.answer, "\"swapped\"") != NULL);
    CHECK_STR(text_of(it.plan), world_plan);
    CHECK(strstr(call(&it, "[" REQUEST("plan", "{\"text\": \"{}\"}") "]"), "-32053") != NULL);
    stop(&it);
    close_world(&it);
}

/* Whoever waits for the files is not answered with what became of a plan. */
static void each_is_answered_for_its_own(void)
{
    world it;
    open_world(&it);
    CHECK_EQ(start_as(&it, ":memory:", unwatched), ALLOT_OK);
    hand_in(&it, "{");
    const char reload[] = REQUEST("reload", "{}");
    CHECK_EQ(allot_service_call(it.service, reload, strlen(reload), on_answer, &it), ALLOT_OK);
    wait_answers(&it, 1);
    CHECK(strstr(it.answer, "E-syntax") != NULL);
    wait_answers(&it, 2);
    CHECK(strstr(it.answer, "\"unchanged\"") != NULL);
    CHECK(!strstr(call(&it, REQUEST("status", "{}")), "\"error\": {\"at\""));
    stop(&it);
    close_world(&it);
}

/* Nobody who wants slots may be lost between the trial and the swap: then the file is put back. */
static void a_swap_that_fails_puts_the_file_back(void)
{
    static const char alone[] =
        "{\"version\": 1, \"slots\": 30, \"policy\": \"hybrid\", \"consumers\": ["
        "{\"name\": \"a\", \"owned\": 20}]}";
    world it;
    int undone = 0;
    for (int turns = 1; turns < 400 && undone == 0; turns++) {
        open_world(&it);
        CHECK_EQ(start_as(&it, ":memory:", unwatched), ALLOT_OK);
        hand_in(&it, alone);
        /* Once the file is another's, and before the loop hears of it. */
        while (it.answers == 0 && strcmp(text_of(it.plan), world_plan) == 0)
            uv_run(&it.loop, UV_RUN_NOWAIT);
        if (it.answers == 0) {
            const char more[] = REQUEST("demand", "{\"consumer\": \"/b\", \"slots\": 3}");
            allot_service_call(it.service, more, strlen(more), NULL, NULL);
            wait_answers(&it, 1);
            CHECK(strstr(it.answer, "E-unknown-path") != NULL);
            CHECK_STR(text_of(it.plan), world_plan);
            CHECK_EQ(files_in(it.folder), 1);
            undone++;
        }
        stop(&it);
        close_world(&it);
    }
    CHECK_EQ(undone, 1);
}

static void wait_work(uv_work_t *work)
{
    uv_sem_wait(work->data);
}

static void no_more(uv_work_t *work, int status)
{
    (void)work;
    (void)status;
}

/* There is one thread: the truth stands behind work that ends once the plan has changed. False: it
 * had changed before. */
static bool tell_meanwhile(world *it)
{
    static const char changed[] =
        "{\"version\": 1, \"slots\": 40, \"policy\": \"hybrid\", \"consumers\": ["
        "{\"name\": \"new\"}, {\"name\": \"a\", \"owned\": 20}, {\"name\": \"b\"}]}";
    static const char sync[] =
        REQUEST("sync", "{\"consumers\": {\"/new\": {\"demand\": 3}, \"/a\": {\"demand\": 2}}}");
    const allot__generation *before = it->service->generation;
    uv_sem_t ready;
    uv_work_t work = {.data = &ready};
    hand_in(it, changed);
    while (it->answers == 0 && strcmp(text_of(it->plan), changed) != 0)
        uv_run(&it->loop, UV_RUN_NOWAIT);
    if (it->service->generation != before)
        return false;
    CHECK_EQ(uv_sem_init(&ready, 0), 0);
    CHECK_EQ(uv_queue_work(&it->loop, &work, wait_work, no_more), 0);
    CHECK_EQ(allot_service_call(it->service, sync, strlen(sync), on_answer, it), ALLOT_OK);
    uint64_t until = uv_hrtime() + HANGS * UINT64_C(1000000);
    while (it->service->generation == before && uv_hrtime() < until)
        uv_run(&it->loop, UV_RUN_NOWAIT);
    CHECK(it->service->generation != before);
    CHECK(it->answers < 2);
    uv_sem_post(&ready);
    wait_answers(it, 2);
    CHECK(strstr(call(it, REQUEST("state", "{}")), "\"/new\": {\"demand\": 3}") != NULL);
    CHECK(strstr(it->answer, "\"/a\": {\"demand\": 2}") != NULL);
    uv_sem_destroy(&ready);
    return true;
}

/* What a source tells is read again where the plan has changed meanwhile. */
static void a_truth_is_of_the_plan_that_it_is_entered_under(void)
{
    bool meanwhile = false;
    for (int turns = 1; turns < 400 && !meanwhile; turns++) {
        world it;
        open_world(&it);
        CHECK_EQ(start_as(&it, ":memory:", unwatched), ALLOT_OK);
        meanwhile = tell_meanwhile(&it);
        stop(&it);
        close_world(&it);
    }
    CHECK(meanwhile);
}

static void act_on_plans(world *it)
{
    const char *line = handing(other);
    if (allot_service_call(it->service, line, strlen(line), on_answer, it) == ALLOT_OK)
        settle(it); /* without memory no answer may come */
    /* The whole of one, whatever failed. */
    const char *now = text_of(it->plan);
    CHECK(strcmp(now, world_plan) == 0 || strcmp(now, other) == 0);
}

static void memory_runs_out(void)
{
    CHECK(fail_each(unwatched, act_on_plans));
}

/* ---- Times ----------------------------------------------------------------------------------- */

static void times_are_the_services(void)
{
    static const struct {
        const char *text, *found;
    } cases[] = {
        {REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 9, \"at\": 5060}"), "\"seq\": 1"},
        {REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 9, \"at\": 5061}"),
         "at: found 5061, allowed 0 ... 5060"},
        {REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 9, \"at\": -1}"), "E-time"},
        {REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 9, \"at\": -9223372036854775808}"),
         "E-time"},
        {REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 9, \"at\": 9223372036854775807}"),
         "E-time"},
        {REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 9, \"at\": 0, \"key\": \"k\"}"),
         "\"seq\": 2"},
        {REQUEST("allocated", "{\"consumer\": \"/a\", \"slots\": 9}"), "\"seq\": 3"},
        {REQUEST("start", "{\"id\": \"t\", \"consumer\": \"/a\", \"started\": 5061}"), "started:"},
        {REQUEST("start", "{\"id\": \"t\", \"consumer\": \"/a\", \"submitted\": 5061}"),
         "submitted:"},
        {REQUEST("session", "{\"id\": \"s\", \"consumer\": \"/a\", \"created\": 5061}"),
         "created:"},
        {REQUEST("start", "{\"id\": \"t\", \"consumer\": \"/a\", \"told\": true}"),
         "E-unknown-key"},
        {REQUEST("start", "{\"id\": \"t\", \"consumer\": \"/a\", \"started\": 5060}"),
         "\"seq\": 4"},
        {REQUEST("ping", "{}"), "\"now\": 5000"},
    };
    world it;
    open_world(&it);
    CHECK_EQ(start(&it, it.store), ALLOT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!CHECK(strstr(call(&it, cases[i].text), cases[i].found) != NULL))
            printf("# %s: %s\n", cases[i].text, it.answer);
    stop(&it);
    it.now = 4000; /* what was told of times is in the store, and moves nothing there either */
    CHECK_EQ(start(&it, it.store), ALLOT_OK);
    CHECK(strstr(call(&it, REQUEST("ping", "{}")), "\"now\": 5000") != NULL);
    it.now = 5400; /* its hour began when it came */
    CHECK(strstr(call(&it, cases[5].text), "\"seq\": 2") != NULL);
    stop(&it);
    close_world(&it);
}

int main(void)
{
    setenv("UV_THREADPOOL_SIZE", "1", 1);
    RUN(a_file_is_replaced_and_put_back);
    RUN(a_file_that_was_not_there_goes_again);
    RUN(a_link_stays_one);
    RUN(what_cannot_be_replaced_stays);
    RUN(one_plan_at_a_time);
    RUN(each_is_answered_for_its_own);
    RUN(a_swap_that_fails_puts_the_file_back);
    RUN(a_truth_is_of_the_plan_that_it_is_entered_under);
    RUN(memory_runs_out);
    RUN(times_are_the_services);
    return check_done();
}
