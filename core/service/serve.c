/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* serve.c: a service on a loop of its own, until a signal ends it. */
#include <signal.h>

#include "service/instance/service.h"
#include "service/notify/notify.h"

typedef struct running {
    uv_loop_t loop;
    uv_signal_t signals[3]; /* TERM, INT, HUP */
    allot_service *service;
    bool stopping;
} running;

static void on_stopped(void *ud)
{
    running *it = ud;
    for (int i = 0; i < 3; i++)
        uv_close((uv_handle_t *)&it->signals[i], NULL);
}

static void stop(running *it)
{
    if (it->stopping)
        return;
    it->stopping = true;
    allot_service_stop(it->service, on_stopped, it);
}

static void on_failed(void *ud)
{
    stop(ud);
}

/* The result is in the log. */
static void on_reloaded(void *ud, const char *line, size_t len)
{
    const running *it = ud;
    (void)line;
    (void)len;
    allot__notify_ready(it->service);
}

/* SIGHUP does the same as the call `reload`; the manager waits for the end. */
static void on_signal(uv_signal_t *handle, int number)
{
    static const char reload[] = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"reload\"}";
    running *it = handle->data;
    if (number != SIGHUP) {
        stop(it);
        return;
    }
    allot__notify_reloading(it->service);
    if (allot_service_call(it->service, reload, sizeof reload - 1, on_reloaded, it) != ALLOT_OK)
        allot__notify_ready(it->service);
}

static int listen_signals(running *it)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    for (int i = 0; i < 3; i++) {
        uv_signal_init(&it->loop, &it->signals[i]);
        it->signals[i].data = it;
        if (uv_signal_start(&it->signals[i], on_signal, numbers[i]) != 0)
            return ALLOT_EIO;
    }
    return ALLOT_OK;
}

/* Until it stops; *again: it lost the lead of its store, and is to stand by. */
static int serve_once(allot_engine *engine, const allot_service_config *config,
                      allot_report *report, void (*ready)(void *ud), void *ud, bool *again)
{
    running it = {.stopping = false};
    *again = false;
    if (uv_loop_init(&it.loop) != 0)
        return ALLOT_ENOMEM;
    int status = allot_service_new(engine, &it.loop, config, report, &it.service);
    if (status != ALLOT_OK) {
        uv_loop_close(&it.loop);
        return status;
    }
    it.service->failed_hook = on_failed;
    it.service->failed_ud = &it;
    allot__log_report(it.service, report);
    allot_report_clear(report);
    listen_signals(&it);
    status = allot_service_start(it.service, report);
    if (status == ALLOT_OK && ready)
        ready(ud);
    if (status != ALLOT_OK)
        stop(&it);
    uv_run(&it.loop, UV_RUN_DEFAULT);
    *again = status == ALLOT_OK && it.service->failed && it.service->again;
    if (status == ALLOT_OK && it.service->failed && !*again) {
        allot_report_say(report, ALLOT_ERROR, "E-store", "%s", it.service->fault);
        status = ALLOT_EIO;
    }
    allot_service_free(it.service);
    uv_loop_close(&it.loop);
    return status;
}

int allot_service_serve(allot_engine *engine, const allot_service_config *config,
                        allot_report *report, void (*ready)(void *ud), void *ud)
{
    enum { PATIENCE = 300, PAUSE = 200 };
    bool again;
    int status = serve_once(engine, config, report, ready, ud, &again);
    for (int left = PATIENCE; again && left > 0;) {
        allot_report_clear(report);
        status = serve_once(engine, config, report, ready, ud, &again);
        left = status == ALLOT_OK ? PATIENCE : left - 1;
        if (status == ALLOT_EIO) { /* its database may be about to start */
            uv_sleep(PAUSE);
            again = true;
        }
    }
    return status;
}
