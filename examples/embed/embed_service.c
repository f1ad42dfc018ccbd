/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * embed_service.c: the running service inside another program, on that program's own libuv loop.
 *
 *   cc embed_service.c $(pkg-config --cflags --libs allot-service libuv) -o embed_service
 *   ./embed_service plan.json /physics
 *
 * A timer of the program demands more slots for a leaf every tenth of a second, and the program
 * gets the decisions; it ends at the fourth. The books are in memory; with a file as `store` they
 * survive a restart.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include <allot/service.h>

enum { EVERY_MS = 100, MOST = 15 };

typedef struct program {
    uv_loop_t loop;
    uv_timer_t timer;
    allot_service *service;
    const char *leaf;
    int slots;
} program;

/* The event is on disk: it can no longer be lost. */
static void on_answer(void *ud, const char *line, size_t len)
{
    (void)ud;
    printf("answer: %.*s\n", (int)len, line);
}

/* A decision is on disk: carry it out now. */
static void on_decision(void *ud, int64_t number, const char *text, size_t len)
{
    (void)ud;
    printf("decision %" PRId64 ": %.*s\n", number, (int)len, text);
}

static void on_stopped(void *ud)
{
    program *it = ud;
    allot_service_free(it->service);
    it->service = NULL;
}

static void on_timer(uv_timer_t *timer)
{
    program *it = timer->data;
    char call[512];
    it->slots += 5;
    if (it->slots > MOST) {
        uv_close((uv_handle_t *)timer, NULL);
        allot_service_stop(it->service, on_stopped, it);
        return;
    }
    int len = snprintf(call, sizeof call,
                       "{\"jsonrpc\": \"2.0\", \"id\": %d, \"method\": \"demand\","
                       " \"params\": {\"consumer\": \"%s\", \"slots\": %d}}",
                       it->slots, it->leaf, it->slots);
    if (len < 0 || (size_t)len >= sizeof call ||
        allot_service_call(it->service, call, (size_t)len, on_answer, it) != ALLOT_OK)
        fprintf(stderr, "embed_service: the call was not taken\n");
}

/* The loop ends when the service has: then none of its handles are left. */
static int run(program *it, allot_engine *engine, const char *plan, allot_report *report)
{
    allot_service_config config;
    allot_service_config_init(&config);
    config.plan = plan;
    config.store = ":memory:";
    config.log_level = ALLOT_LOG_WARNING;
    int status = allot_service_new(engine, &it->loop, &config, report, &it->service);
    if (status != ALLOT_OK)
        return status;
    allot_service_watch(it->service, on_decision, it);
    status = allot_service_start(it->service, report);
    if (status == ALLOT_OK) {
        uv_timer_init(&it->loop, &it->timer);
        it->timer.data = it;
        uv_timer_start(&it->timer, on_timer, 0, EVERY_MS);
    } else {
        allot_service_stop(it->service, on_stopped, it);
    }
    uv_run(&it->loop, UV_RUN_DEFAULT);
    return status;
}

int main(int argc, char **argv)
{
    program it = {.leaf = argc == 3 ? argv[2] : ""};
    allot_engine *engine = NULL;
    allot_report *report = NULL;
    if (argc != 3) {
        fprintf(stderr, "usage: embed_service PLAN LEAF\n");
        return 2;
    }
    uv_loop_init(&it.loop);
    int status = allot_engine_new(NULL, NULL, &engine);
    if (status == ALLOT_OK)
        status = allot_report_new(engine, &report);
    if (status == ALLOT_OK)
        status = run(&it, engine, argv[1], report);
    for (int32_t i = 0; i < allot_report_count(report); i++)
        fprintf(stderr, "embed_service: %s\n", allot_report_at(report, i)->message);
    allot_report_free(report);
    allot_engine_free(engine);
    return uv_loop_close(&it.loop) == 0 && status == ALLOT_OK ? 0 : 1;
}
