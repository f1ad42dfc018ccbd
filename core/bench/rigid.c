/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * rigid.c: jobs that start whole or not at all, on a grid that is overloaded: 300 users, and jobs
 * of up to 64 slots that want 1.5 times the 1,600 that there are.
 */
#include "bench/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { USERS = 300, SLOTS = 1600, JOBS = 12000, ROOM = 65536, HOSTS = 100 };

/* A ledger is computed anew for each leaf that is lowered (C-13): that takes its time. */
static const struct {
    const char *name, *policy, *more; /* more: members of the plan */
    const char *columns;              /* of every user; the last is 3 ... 6 */
    int32_t jobs;
} sites[] = {
    {"hybrid", "hybrid", "", "\"owned\"", JOBS},
    {"share_ratio", "share_ratio", "", "\"share\"", JOBS},
    {"ownership", "ownership", "", "\"lend\": \"all\", \"borrow\": \"all\", \"owned\"", JOBS / 30},
    {"windows", "hybrid",
     "\"windows\": [{\"from\": \"00:00\", \"to\": \"06:00\", \"slots\": 1500,"
     " \"consumers\": {\"/u1\": {\"owned\": 1}}}], ",
     "\"owned\"", JOBS},
    {"hosts", "hybrid", "hosts", "\"owned\"", JOBS},
};
enum { SITES = sizeof sites / sizeof *sites };

/* ---- The log --------------------------------------------------------------------------------- */

typedef struct log_source {
    uint64_t seed;
    int32_t next, jobs;
} log_source;

static uint64_t draw(uint64_t *seed, uint64_t range)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (*seed >> 33) % range;
}

static int64_t pull(void *ud, char *buf, size_t size)
{
    static const int widths[] = {1, 2, 4, 8, 16, 64};
    log_source *it = ud;
    size_t len = 0;
    while (it->next < it->jobs && size - len > 200) {
        int run = 200 + (int)draw(&it->seed, 801), width = widths[draw(&it->seed, 6)];
        int user = 1 + (int)draw(&it->seed, USERS);
        it->next++;
        len += (size_t)snprintf(buf + len, size - len,
                                "%" PRId32 " %" PRId32
                                " -1 %d %d -1 -1 -1 -1 -1 1 %d -1 -1 -1 -1 -1 -1\n",
                                it->next, it->next * 4, run, width, user);
    }
    return (int64_t)len;
}

/* ---- Plans ----------------------------------------------------------------------------------- */

static size_t put_hosts(char *text, size_t len)
{
    len += (size_t)snprintf(text + len, ROOM - len, "\"hosts\": {");
    for (int i = 0; i < HOSTS; i++)
        len += (size_t)snprintf(text + len, ROOM - len, "\"h%d\": {\"slots\": %d}%s", i,
                                SLOTS / HOSTS, i + 1 < HOSTS ? ", " : "}, ");
    return len;
}

static void put_plan(char *text, int which)
{
    bool hosts = strcmp(sites[which].more, "hosts") == 0;
    size_t len =
        (size_t)snprintf(text, ROOM, "{\"version\": 1, \"slots\": %d, \"policy\": \"%s\", %s",
                         SLOTS, sites[which].policy, hosts ? "" : sites[which].more);
    if (hosts)
        len = put_hosts(text, len);
    len += (size_t)snprintf(text + len, ROOM - len, "\"consumers\": [");
    for (int i = 1; i <= USERS; i++)
        len += (size_t)snprintf(text + len, ROOM - len, "{\"name\": \"u%d\", %s: %d}%s", i,
                                sites[which].columns, 3 + i % 4, i < USERS ? ", " : "]}");
}

static int make_plan(allot_engine *engine, int which, allot_report *report, allot_plan **out)
{
    allot_policy_loader loader;
    char *text = allot_engine_alloc(engine, NULL, 0, ROOM);
    int status = text ? allot_script_loader_new(engine, NULL, &loader) : ALLOT_ENOMEM;
    if (status == ALLOT_OK) {
        put_plan(text, which);
        status = allot_plan_read(engine, text, strlen(text), "plan", &loader, report, out);
        allot_script_loader_free(engine, &loader);
    }
    allot_engine_alloc(engine, text, ROOM, 0);
    return status;
}

/* ---- The shape ------------------------------------------------------------------------------- */

static bool is_wanted(const char *shape, int which)
{
    bool all = strcmp(shape, "rigid") == 0;
    return all || (strncmp(shape, "rigid/", 6) == 0 && strcmp(shape + 6, sites[which].name) == 0);
}

bool allot__bench_rigid_is(const char *shape)
{
    bool is = false;
    for (int i = 0; i < SITES && shape; i++)
        is = is || is_wanted(shape, i);
    return is;
}

int allot__bench_rigid(allot__cli *cli, double *samples, int repeat, bench_list *list)
{
    int status = ALLOT_OK;
    for (int i = 0; i < SITES && status == ALLOT_OK; i++) {
        log_source source = {.seed = 7, .jobs = sites[i].jobs};
        const bench_log log = {.plan = make_plan, .pull = pull, .ud = &source, .rigid = 1};
        if (is_wanted(cli->options.shape, i))
            status = allot__bench_play(cli, &log, i, samples, repeat,
                                       allot__bench_row(list, sites[i].name));
    }
    return status;
}
